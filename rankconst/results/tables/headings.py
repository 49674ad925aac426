"""What the first rows of a table say about its columns: metrics, roles, and labels that span them.

Headings may have several rows, the upper ones spanning columns: datasets over metrics, ``Hits@``
over 1, 3 and 10, metrics over datasets. A table with a metric in each row is turned into one with a
column for each.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import names_known
from rankconst.catalogue.suites import is_mean
from rankconst.names import squash
from rankconst.results.labels import Label, read_label
from rankconst.results.tables.cells import Row, is_blank, is_missing, is_number
from rankconst.results.vocabulary import list_remarks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document

    Parse = Callable[[str, int | None], Label]


DEEPEST = 4
"""How many rows a heading may have."""

_CENTRED = (
    "which columns are of which group cannot be told: write each name above the first of its "
    "columns"
)
_COUNT = re.compile(r"@?\s*[1-9]\d{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a table."""

    # The name of each column, no two alike: the levels joined by a spaced slash.
    keys: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]  # of each column, from the upper level to the lowest
    levels: tuple[tuple[str, ...], ...]  # the rows that it is made of
    # Columns of metrics to the labels that name them.
    measures: Mapping[int, Label] = field(default_factory=dict)

    @property
    def roles(self) -> list[str]:
        """What the cells of each column are; empty where its heading does not say."""
        found = []
        for labels in self.labels:
            roles = [role for role in list_roles(labels[::-1]) if role not in {"", "measured"}]
            found.append(roles[0] if roles else "")
        return found

    @property
    def long(self) -> bool:
        """True if one column names the metric and another holds its value."""
        return {"metric", "value"} <= set(self.roles)


def find_role(label: Label) -> str:
    """Return what the cells below a label are: of a count, the number of ranks."""
    return "num_tasks" if label.metric is not None and label.metric.scale == "count" else label.role


def list_roles(labels: Sequence[Label]) -> list[str]:
    """Return the roles of the labels of a column; Filter below a metric says of which numbers."""
    measured = any(label.metric is not None for label in labels)
    return [find_role(label) for label in labels if not (measured and label.declared)]


def choose_parse(metric: Metric, rows: Sequence[Row]) -> Parse:
    """Return what reads headings that name no metric: of graphs, splits and sides, or of models."""
    models = list_models(rows)
    return partial(_name_models, metric, models) if models else partial(_name_metric, metric)


def _name_metric(metric: Metric, name: str, k: int | None) -> Label:
    """Return a label, of numbers of a metric if it consists of sides, splits or datasets."""
    label = read_label(name, k)
    if label.role or not label.whole or not (label.values or label.graphs):
        return label
    return replace(label, role="measured", metric=metric)


def _name_models(metric: Metric, models: Collection[str], name: str, k: int | None) -> Label:
    """Return a label, of numbers of a metric if it is the name of one of some models."""
    label = read_label(name, k)
    return replace(label, role="measured", metric=metric) if name in models else label


def list_models(rows: Sequence[Row]) -> list[str]:
    """Return the headings of columns of numbers beside names of graphs, if nothing else is there.

    They may be names of models: nothing that a heading of a results table says is known of them.
    """
    head, body = (
        rows[0].plain,
        [row.plain for row in rows[1:] if len(row.plain) == len(rows[0].plain)],
    )
    graphs = [row[0] for row in body]
    named = [cell for cell in graphs if names_known(cell) or is_mean(cell)]
    if len(head) < 2 or len(set(head)) < len(head) or 2 * len(named) <= len(graphs):
        return []
    for j, name in enumerate(head[1:], start=1):
        label = read_label(name, 10)  # "Hits" is the name of a metric that lacks its k
        cells = [row[j] for row in body if not is_blank(row[j])]
        known = (
            label.role
            or squash(name) in list_remarks()
            or label.values
            or label.graphs
            or label.words
            or label.metric
        )
        if known or not name or not cells or not all(map(is_number, cells)):
            return []
    return [*head[1:]]


def find_heading(rows: Sequence[Row], parse: Parse = read_label) -> Heading | None:
    """Return the heading of the first rows; None if they name no metric, or are one column."""
    if not rows or max(len(row.cells) for row in rows) == 1:
        return None
    for depth in range(1, min(DEEPEST, len(rows)) + 1):
        heading = compose_heading(rows[:depth], parse)
        if not (heading.measures or heading.long):
            continue
        beside = (cell for j, cell in enumerate(rows[depth - 1].plain) if j not in heading.measures)
        if depth > 1 and any(is_number(cell) for cell in beside):
            return None  # the row of a metric, below a heading without one
        for longer in range(depth + 1, min(DEEPEST + 1, len(rows)) + 1):
            further = compose_heading(rows[:longer], parse)
            if not _goes_on(heading, further, rows[longer - 1]):
                break
            heading = further
        return heading
    return None


def _goes_on(heading: Heading, longer: Heading, row: Row) -> bool:
    """Tell whether a row below the metrics belongs to the heading, as one with the k of Hits@."""
    own = [row.plain[j] for j in heading.measures if j < len(row.plain)]
    others = [cell for j, cell in enumerate(row.plain) if j not in heading.measures]
    further = [
        j for j, label in longer.measures.items() if j not in heading.measures and not label.reason
    ]
    if further and set(longer.measures) > set(heading.measures):
        hits = {j: _is_hits(longer.measures[j].metric) for j in further}
        counted = all(
            hits[j] or any(map(str.isalpha, cell)) for j in further for cell in row.plain[j : j + 1]
        )
        return counted and not any("." in cell and is_number(cell) for cell in row.plain)
    # Words below all metrics and nothing else, such as mean and std, are of the heading, too.
    if (
        own
        and not any(others)
        and not any(is_missing(cell) or re.search(r"\d", cell) for cell in own)
    ):
        return True
    own_labels = [read_label(cell) for cell in own if not is_blank(cell)]
    return len(own_labels) == len(own) > 0 and all(
        each.whole and (each.graphs or each.values) for each in own_labels
    )


def _is_hits(metric: Metric | None) -> bool:
    return metric is not None and metric.hits_k is not None


def compose_heading(rows: Sequence[Row], parse: Parse = read_label) -> Heading:
    """Return the heading that some rows make up."""
    width = max(len(row.plain) for row in rows)
    levels = tuple(row.plain + ("",) * (width - len(row.plain)) for row in rows)
    named: list[list[str]] = [[] for _ in range(width)]
    first = next(
        (j for j, cell in enumerate(levels[-1]) if parse(cell, None).metric is not None), width
    )
    centred = ""
    for depth, (row, level) in enumerate(zip(rows, levels, strict=True)):
        over = level if depth == len(rows) - 1 else _spread(row, level)
        if over is not level and row.spans is None and _is_centred(level, levels[-1], first):
            centred = " ".join(filter(None, level[first + 1 :]))
            over = [*level[:first], *[centred] * (width - first)]
        for j, label in enumerate(over):
            if label and not is_blank(label) and named[j][-1:] != [label]:
                named[j].append(label)
    joined = [_join_counts(each, parse) for each in named]
    labels = tuple(tuple(parse(label, None) for label in each) for each in joined)
    if centred:
        labels = (*labels[:first], *((*each, Label(reason=_CENTRED)) for each in labels[first:]))
    return Heading(
        keys=_number_repeated(" / ".join(each) for each in named),
        labels=labels,
        levels=levels,
        measures=_find_measures(labels),
    )


def _find_measures(labels: Sequence[Sequence[Label]]) -> dict[int, Label]:
    """Return the columns of metrics; a column that has another role is none."""
    found = {}
    for j, each in enumerate(labels):
        if {*list_roles(each)} - {"", "measured", "tool", "side", "model"}:
            continue
        measure = next((label for label in each[::-1] if label.metric is not None), None)
        if measure is not None:
            found[j] = measure
    # An average beside columns of no metric may be over anything.
    others = [
        j for j, each in enumerate(labels) if j and j not in found and not any(list_roles(each))
    ]
    return {} if others and all(is_mean(label.text) for label in found.values()) else found


def _join_counts(labels: list[str], parse: Parse) -> list[str]:
    """Write the number below ``Hits@`` behind it."""
    for i in range(len(labels) - 1, 0, -1):
        if _COUNT.fullmatch(labels[i]):
            whole = f"{labels[i - 1].rstrip('@ ').removesuffix('@k')}@{labels[i].lstrip('@ ')}"
            if parse(whole, None).metric is not None:
                return [*labels[: i - 1], whole, *labels[i + 1 :]]
    return labels


def _spread(row: Row, level: Sequence[str]) -> list[str]:
    """Return the labels of an upper level for every column that they span."""
    spread, label, left = [], "", 0
    for j, own in enumerate(level):
        if own:
            label, left = own, (row.spans or {}).get(j, 1) if row.spans is not None else len(level)
        spread.append(label if left > 0 else "")
        left -= 1
    return spread


def _is_centred(level: Sequence[str], below: Sequence[str], first: int) -> bool:
    """Tell whether names are centred above columns that all begin with one metric."""
    if first == len(level) or (level[first] and read_label(level[first]).role != "model"):
        return False
    return any(
        over and name != below[first]
        for over, name in zip(level[first + 1 :], below[first + 1 :], strict=True)
    )


def find_reason(heading: Heading, j: int) -> str:
    """Return why the numbers of a column of a metric cannot be adjusted, as half a sentence."""
    measure = heading.measures[j]
    named = {label.metric for label in heading.labels[j] if label.whole and label.metric}
    if named - {measure.metric}:  # MRR over median
        return "two levels of its heading name metrics"
    labels = (measure, *heading.labels[j])
    words = (
        word
        for label in labels
        for word in label.words
        if word.field == "metric" and "column" in word.scopes
    )
    reasons = (*(label.reason for label in labels), *(word.reason for word in words))
    return next(filter(None, reasons), "")


def explain_missing(document: Document, rows: Sequence[Row]) -> str:
    """Say why a table has no heading, and what its columns may mean."""
    row = rows[0]
    if len(row.cells) == 1:
        only = f"one column, {row.plain[0][:40]!r}; expected at least two, such as model and MRR."
        remedy = "Is the delimiter right? Commas, tabs and semicolons are known."
        return f"{document.at(row.line)}: {only} {remedy}"
    import difflib  # only needed here, where speed no longer matters

    from rankconst.catalogue.mentions import find_mentions
    from rankconst.catalogue.metrics import TABULATED

    known = {
        squash(name): metric.label
        for metric in TABULATED
        for name in (metric.label, *metric.spellings)
    }
    headings = [label for label in row.plain if label][:12]
    near = []
    for label in headings:
        if read_label(label).whole:  # Test is not Hits@10
            continue
        found = difflib.get_close_matches(squash(label[:40]), known, n=2, cutoff=0.6)
        if found:
            near.append(
                f"{' or '.join(dict.fromkeys(known[name] for name in found))} for {label[:40]}"
            )
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    named = any(read_label(label).values or find_mentions(label) for label in headings)
    if named or list_models(rows):
        what = "datasets, splits or sides" if named else "models"
        hint = f" If the columns are {what}, say of which metric: --metric mrr."
    listed = ", ".join(label[:40] for label in headings)
    return (
        f"{document.at(row.line)}: no column is a metric among {listed or 'empty headings'}.{hint} "
        "Expected columns such as MRR, MR or Hits@10, or the two columns metric and value."
    )


def _number_repeated(keys: Iterable[str]) -> tuple[str, ...]:
    """Return names of which no two are alike: ``MRR``, ``MRR (2)``."""
    listed = list(keys)
    taken, counts = set(listed), Counter[str]()
    unique: dict[str, None] = {}
    for key in listed:
        counts[key] += 1
        name = key
        while name in unique or (name in taken and name != key):
            counts[key] += name != key
            name = f"{key} ({max(counts[key], 2)})".strip()
        unique[name] = None
    return tuple(unique)


# A metric in each row.

_FIRST = 3  # among so many columns the names of metrics are looked for


def pivot(rows: Sequence[Row], parse: Parse = read_label) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each, if it is one."""
    if len(rows) < 2:
        return None
    head, body = rows[0], [row for row in rows[1:] if len(row.plain) == len(rows[0].plain)]
    place = next(
        (j for j in range(min(len(head.plain), _FIRST)) if _holds_metrics(body, j, parse)), None
    )
    if place is None:
        return None
    numbers = [
        j
        for j in range(place + 1, len(head.plain))
        if head.plain[j] and any(is_number(row.plain[j]) for row in body)
    ]
    # Of "key, value, step", only one column holds the numbers.
    numbers = [j for j in numbers if parse(head.plain[j], None).role == "value"] or numbers
    names = [j for j in range(len(head.plain)) if j != place and j not in numbers]
    if not numbers:
        return None
    metrics = list(
        dict.fromkeys(
            row.plain[place] for row in body if parse(row.plain[place], None).metric is not None
        )
    )
    first = (*(head.plain[j] for j in names), "", *metrics)
    turned = [Row(head.line, first, first)]
    for block in _list_blocks(body, place, names, parse):
        some = next(iter(block.values()))
        for j in numbers:
            named = (*(some.plain[n] for n in names), head.plain[j])
            written = (*named, *(block[name].cells[j] if name in block else "" for name in metrics))
            plain = (*named, *(block[name].plain[j] if name in block else "" for name in metrics))
            turned.append(Row(some.line, written, plain))
    return turned


def _list_blocks(
    body: Sequence[Row], place: int, names: Sequence[int], parse: Parse
) -> list[dict[str, Row]]:
    """Return the rows of each block by their metrics; an empty name repeats the one above.

    A metric that comes again begins a new block, and so does a change in the columns of names.
    """
    blocks: list[dict[str, Row]] = []
    last: tuple[str, ...] = ()
    for row in body:
        if parse(row.plain[place], None).metric is None:
            continue
        named = tuple(row.plain[j] or (last[n] if last else "") for n, j in enumerate(names))
        if not blocks or named != last or row.plain[place] in blocks[-1]:
            blocks.append({})
        plain = list(row.plain)
        for n, j in enumerate(names):
            plain[j] = named[n]
        blocks[-1][row.plain[place]] = row._replace(plain=tuple(plain))
        last = named
    return blocks


def _holds_metrics(rows: Sequence[Row], j: int, parse: Parse) -> bool:
    """Tell whether most cells of a column are names of metrics."""
    cells = [row.plain[j] for row in rows if not is_blank(row.plain[j])]
    named = sum(parse(cell, None).metric is not None for cell in cells)
    return bool(cells) and 2 * named > len(cells)
