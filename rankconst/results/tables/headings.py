"""Find the heading of a table in its first rows: metrics, roles, and labels that span columns.

A heading may have several rows, the upper ones spanning columns: datasets over metrics, ``Hits@``
over 1, 3 and 10, metrics over datasets. Next to a metric there may be letters of sides, names of
models, parts and means.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from rankconst.catalogue.literature import find_suite, is_mean
from rankconst.catalogue.mentions import names_known
from rankconst.names import squash
from rankconst.results.labels import (
    Label,
    ask_alone,
    asks_nowhere,
    join_k,
    list_others,
    read_label,
)
from rankconst.results.model_names import names_model
from rankconst.results.reading import ADJUST_RANKS
from rankconst.results.tables.cells import (
    Row,
    are_blank,
    has_number,
    is_blank,
    is_missing,
    is_number,
)
from rankconst.results.tables.contexts import ENDS, read_kind
from rankconst.results.tables.layout import RELATION_WORDS, ask_whole
from rankconst.results.vocabulary import FIELDS, VOCABULARY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document

    Parse = Callable[[str, int | None], Label]


DEEPEST = 4
"""How many rows a heading may have."""

# The roles that other labels of a column of numbers may have: "Tail" over "MRR".
_ROLES_OF_MEASURES = frozenset({"", "measured", "tool", "side", "model"})
_CENTRED = (
    "it is open which columns belong to which group: write each name above the first of its columns"
)
_AT = re.compile(r"@\s*[1-9]\d{0,8}", re.ASCII)
_COUNT = re.compile(r"(?:@|[kKnN]\s*=)?\s*[1-9]\d{0,8}", re.ASCII)  # 1, @1 or K=1, below Hits@


@dataclass(frozen=True)
class Heading:
    """The heading of a table."""

    # The name of each column, no two alike: the levels joined by a spaced slash.
    keys: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]  # of each column, from the upper level to the lowest
    levels: tuple[tuple[str, ...], ...]  # the rows that it is made of
    # Maps columns of metrics to the labels that name them.
    measures: Mapping[int, Label] = field(default_factory=dict)

    @cached_property
    def roles(self) -> list[str]:
        """The role of each column; empty where its heading names none."""
        by_column = []
        for labels in self.labels:
            roles = (role for role in list_roles(labels[::-1]) if role not in {"", "measured"})
            by_column.append(next(roles, ""))
        return by_column

    @property
    def long(self) -> bool:
        """True if one column names the metric and another holds its value."""
        return "metric" in self.roles and "value" in self.roles


def find_role(label: Label) -> str:
    """Return the role of the cells below a label; that of a count is the number of ranks."""
    is_count = label.metric is not None and label.metric.scale == "count"
    return "num_tasks" if is_count else label.role


def list_roles(labels: Sequence[Label]) -> list[str]:
    """Return the roles of the labels of a column, in their order.

    In a column of a metric, labels such as Filter and Relation have no role.
    """
    if any(label.metric is not None for label in labels):
        others = (label for label in labels if squash(label.text) not in RELATION_WORDS)
        return [find_role(label) for label in others if not label.declared]
    return [find_role(label) for label in labels]


def choose_parse(metric: Metric, rows: Sequence[Row]) -> Parse:
    """Return a function that reads headings above numbers of `metric`, which the user names.

    These are "value", the names of models, or if there are none those of datasets, splits or sides.
    """
    models = list_possible_models(rows)

    def is_measured(name: str, label: Label) -> bool:
        if label.role == "value":
            return True
        if models:
            return name in models
        if label.role or label.has_word_of("metric"):  # "Avg. Rank" is another metric
            return False
        return bool(label.declared) or is_mean(name)

    def parse(name: str, k: int | None) -> Label:
        label = read_label(name, k)
        return replace(label, role="measured", metric=metric) if is_measured(name, label) else label

    return parse


def list_possible_models(rows: Sequence[Row]) -> list[str]:
    """List all headings but the first if they may name models, next to a column of graphs.

    In the rows "Dataset, A, B" and "WN18RR, 0.4, 0.5" these are A and B. There are none if one of
    the headings has a known meaning, or is not above numbers.
    """
    head = rows[0].plain
    models = [*head[1:]]
    has_repeated = len(set(head)) < len(head)
    if not models or has_repeated:
        return []

    body = [row.plain for row in rows[1:] if len(row.plain) == len(head)]
    graphs = [row[0] for row in body if names_known(row[0]) or is_mean(row[0])]
    if 2 * len(graphs) <= len(body):
        return []

    for name, *cells in zip(models, *(row[1:] for row in body), strict=True):
        label = read_label(name, 10)  # "Hits" is the name of a metric that lacks its k
        has_meaning = bool(label.role or label.metric or label.is_about_tasks)
        is_remark = squash(name) in VOCABULARY.remarks
        are_numbers = has_number(cells) or are_blank(cells)
        if not name or has_meaning or is_remark or not are_numbers:
            return []

    return models


def find_heading(rows: Sequence[Row], parse: Parse = read_label) -> Heading | None:
    """Find the heading in the first rows; None if they name no metric, or are one column.

    It has as few rows as name a metric, and those that continue it, as "1, 10" below "Hits@".
    """
    if not rows or max(len(row.cells) for row in rows) == 1:
        return None

    for depth in range(1, min(DEEPEST, len(rows)) + 1):  # how many rows it has
        heading = compose_heading(rows[:depth], parse)
        if not (heading.measures or heading.long):
            continue
        beside = [cell for j, cell in enumerate(rows[depth - 1].plain) if j not in heading.measures]
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
    """Tell whether `row` makes a heading the `longer` one, as "mean, std" below MRR does."""
    if row.plain[0] and are_blank(row.plain[1:]):  # the name of a group
        return False

    added = [j for j in longer.measures if j not in heading.measures]
    new = {j: longer.measures[j] for j in added if not longer.measures[j].reason}
    if new and all(j in longer.measures for j in heading.measures):
        return _adds_metrics(row, new)

    below = [row.plain[j] for j in heading.measures if j < len(row.plain)]
    others = [cell for j, cell in enumerate(row.plain) if j not in heading.measures]
    if not below or any(is_blank(cell) for cell in below):
        return False

    # Words below all metrics and nothing else, such as mean and std, are of the heading, too.
    are_words = not any(is_missing(cell) or re.search(r"\d", cell) for cell in below)
    if are_words and not any(others):
        return True

    labels = [read_label(cell) for cell in below]
    return all(label.is_vocabulary and (label.graphs or label.values) for label in labels)


def _adds_metrics(row: Row, new: Mapping[int, Label]) -> bool:
    """Tell whether a row holds names of metrics, or the k of Hits@, in `new` columns of metrics."""
    if any("." in cell and is_number(cell) for cell in row.plain):
        return False
    for j, label in new.items():
        is_hits = label.metric is not None and label.metric.hits_k is not None
        if not is_hits and j < len(row.plain) and not re.search(r"[^\W\d_]", row.plain[j]):
            return False
    return True


def compose_heading(rows: Sequence[Row], parse: Parse) -> Heading:
    """Compose the heading of at least one row.

    "FB15k-237" over "MRR" has the key "FB15k-237 / MRR", and a label for each of the two.
    """
    width = max(len(row.plain) for row in rows)
    levels = tuple(row.widen(width).plain for row in rows)
    # The first column with the name of a metric in the lowest row.
    first = next((j for j, cell in enumerate(levels[-1]) if parse(cell, None).metric), width)
    columns, is_open = _stack_levels(rows, levels, first)
    labels: list[tuple[Label, ...]] = []
    for j, column in enumerate(columns):
        names = _join_counts(column, parse)
        before = labels[j - 1][-1:] if j else ()
        if before and before[0].metric is not None and names and _AT.fullmatch(names[-1]):
            names = [*names[:-1], _AT.sub(names[-1], before[0].text)]  # @3 next to Hits@1
        read = [parse(name, None) for name in names]
        if is_open and j >= first:
            read.append(Label(reason=_CENTRED))
        labels.append(tuple(read))

    measures = _find_measures(labels)
    for level in levels:
        _drop_names_of_levels(level, labels, measures)

    keys = _number_repeated([" / ".join(column) for column in columns])
    return Heading(keys, tuple(labels), levels, measures)


def _stack_levels(
    rows: Sequence[Row], levels: Sequence[Sequence[str]], first: int
) -> tuple[list[list[str]], bool]:
    """Return the names of each column from the top, and True if their columns are uncertain.

    "A" over "MRR, MR" gives [A, MRR] and [A, MR]. If names seem centred over the columns from
    `first` on, each of these gets all of the names.
    """
    columns: list[list[str]] = [[] for _ in levels[-1]]
    # Cells are missing, as where one spans columns and its format cannot say so.
    is_open = any(1 < len(row.plain) < len(rows[-1].plain) for row in rows)
    for i, (row, level) in enumerate(zip(rows, levels, strict=True), start=1):
        is_upper = i < len(rows)
        names = spread_names(row, level) if is_upper else level
        if is_upper and row.spans is None and _is_centred(level, levels[-1], first):
            is_open = True
            joined = " ".join(filter(None, level[first + 1 :]))
            names = [*level[:first], *(joined for _ in level[first:])]
        for column, name in zip(columns, names, strict=True):
            if not is_blank(name) and column[-1:] != [name]:
                column.append(name)

    are_blank = all(row.spans is None for row in rows[:-1])  # the cells that a name spans
    return columns, is_open or (are_blank and are_shifted(columns[first:]))


def _drop_names_of_levels(
    level: Sequence[str], labels: list[tuple[Label, ...]], measures: Collection[int]
) -> None:
    """Drop the name that pandas writes before a level, as dataset before FB15k-237, WN18RR."""
    beside = [read_label(level[j]) for j in measures if level[j]]
    for j, text in enumerate(level):
        role = read_label(text).role
        if j in measures or not role or not beside:
            continue
        if all(role in label.declared for label in beside):
            labels[j] = tuple(label for label in labels[j] if label.text != text)


def _find_measures(labels: Sequence[Sequence[Label]]) -> dict[int, Label]:
    """Map each column of a metric, without another role such as k, to its lowest label of one."""
    measures = {}
    for j, column in enumerate(labels):
        metrics = [label for label in column if label.metric is not None]
        if metrics and _ROLES_OF_MEASURES.issuperset(list_roles(column)):
            measures[j] = metrics[-1]

    # An average next to columns of no metric may be over anything.
    others = [column for j, column in enumerate(labels) if j and j not in measures]
    is_unknown = any(not any(list_roles(column)) for column in others)
    are_averages = all(is_mean(label.text) for label in measures.values())
    return {} if is_unknown and are_averages else measures


def _join_counts(labels: list[str], parse: Parse) -> list[str]:
    """Join the two lines of Hits@10 or of a suite: ``WN18, Hits@, 10`` is ``WN18, Hits@10``."""
    for i in range(len(labels) - 1, 0, -1):  # the lowest pair counts
        lines = f"{labels[i - 1]} {labels[i]}"
        if find_suite(lines) is not None:  # Inductive (e) / (18 graphs)
            return [*labels[: i - 1], lines, *labels[i + 1 :]]
        if _COUNT.fullmatch(labels[i]):
            name = join_k(labels[i - 1], labels[i])
            if parse(name, None).metric is not None:
                return [*labels[: i - 1], name, *labels[i + 1 :]]

    return labels


def spread_names(row: Row, level: Sequence[str]) -> list[str]:
    """Repeat the names of an upper level for every column that they span: "A", "" becomes A, A.

    If the format has no spans, a name continues over the empty cells behind it.
    """
    spread, label, end = [], "", 0  # the last name, and the column behind those that it spans
    for j, text in enumerate(level):
        if text:
            label = text
            end = len(level) if row.spans is None else j + row.spans.get(j, 1)
        spread.append(label if j < end else "")
    return spread


def _is_centred(level: Sequence[str], below: Sequence[str], first: int) -> bool:
    """Tell whether names are centred above columns that all begin with one metric.

    In ", , A, , , B, " above "Model, MRR, MR, H@1, MRR, MR, H@1", A is above MR, the second of its
    columns. `first` is the first column of a metric, here 1.
    """
    if first == len(level) or (level[first] and read_label(level[first]).role != "model"):
        return False
    rest = range(first + 1, len(level))
    return any(level[j] and below[j] != below[first] for j in rest)


def are_shifted(columns: Sequence[Sequence[str]]) -> bool:
    """Tell whether a metric comes twice below one of several names, as if these had moved.

    Of [A, MRR], [A, MRR], [B, MRR], the second rather belongs to B.
    """
    named = [tuple(column) for column in columns if len(column) > 1]
    names = {column[0] for column in named}
    return len(names) > 1 and len(set(named)) < len(named)


def find_reason(heading: Heading, j: int) -> str:
    """Return why the numbers in column `j`, of a metric, cannot be adjusted; empty if they can."""
    measure = heading.measures[j]  # the label that names the metric
    metrics = {label.metric for label in heading.labels[j] if label.is_vocabulary and label.metric}
    if metrics - {measure.metric}:  # first, since then the metric itself is unknown
        return "two levels of its heading name metrics"

    labels = (measure, *heading.labels[j])
    # Words such as "gain" make another number of a metric, some of them only outside of headings.
    words = [word for label in labels for word in label.words if word.field == "metric"]
    # What is wrong with a label as a whole goes before what a word in it may mean.
    reasons = [label.reason for label in labels]
    reasons += [word.reason for word in words if "column" in word.scopes]
    return next(filter(None, reasons), "")


def explain_missing(document: Document, rows: Sequence[Row]) -> str:
    """Return the message about a table without a metric: what its columns may be, and a remedy."""
    row, place = rows[0], document.at(rows[0].line)
    ranks = next((name for name in row.plain if squash(name) in {"rank", "ranks"}), "")
    if ranks:
        question = f"no column is a metric. Is {ranks} the rank of each task?"
        return f"{place}: {question} {ADJUST_RANKS}"
    if len(row.cells) == 1:
        return (
            f"{place}: one column, {row.plain[0][:40]!r}; expected at least two, such as model and "
            "MRR. Is the delimiter right? Commas, tabs and semicolons are known."
        )

    headings = [label[:40] for label in row.plain if label][:12]
    hint = "If all columns are of one metric, say which: --metric mrr."
    if document.metric is not None and headings:
        name = f"{document.metric.label} {headings[-1]}"
        hint = f"Write the metric into the headings of its columns: {name}."

    return (
        f"{place}: no column is a metric among {', '.join(headings) or 'empty headings'}. Expected "
        f"columns such as MRR, MR or Hits@10, or the two columns metric and value. {hint}"
    )


def _number_repeated(keys: Sequence[str]) -> tuple[str, ...]:
    """Add numbers to repeated names, skipping those that are taken.

    >>> _number_repeated(["MRR", "MRR", "MRR (2)"])
    ('MRR', 'MRR (3)', 'MRR (2)')
    """
    known = set(keys)
    counts = Counter[str]()
    names: dict[str, None] = {}
    for key in keys:
        name = key
        while name in names or (name != key and name in known):
            counts[key] += 1
            name = f"{key} ({counts[key] + 1})".strip()
        names[name] = None

    return tuple(names)


SHORT = 3
"""The most letters of a word that may be an abbreviation of a side or a protocol."""

_FEWEST_GRAPHS = 2  # with fewer, a column called Avg is that of both sides


def find_remainders(measures: Mapping[int, Label]) -> dict[int, str]:
    """Map columns to the words of their names besides the metric, which may be about the tasks.

    "MRR_h" has "h", and "MRR f" has "f". Words that are understood, as in "Test MRR", and names of
    models, as in "TransE MRR", are left out.
    """
    # The columns with a word that is not understood, or that is asked about in other places only.
    partial = {
        j: label for j, label in measures.items() if not label.is_vocabulary or asks_nowhere(label)
    }
    words_of = {j: list_others(label.text) for j, label in partial.items()}
    plain = {label.metric for j, label in measures.items() if j not in partial}
    counts = Counter(label.metric for label in partial.values())
    remainders: dict[int, str] = {}
    for j, words in words_of.items():
        text, metric = " ".join(words).lower(), partial[j].metric
        first = text.split(" ")[0]
        if first in ENDS:  # MRR_h, MRR (t)
            remainders[j] = first
            continue
        is_model = names_model(_drop_counts(words)) or "".join(words).isdigit()
        is_short = all(len(word) <= SHORT and not word.isdigit() for word in words)
        is_contrasted = is_short and (metric in plain or counts[metric] > 1)
        if words and (is_contrasted or len(text) == 1 or not is_model):
            remainders[j] = text

    return remainders


def may_mean_filtered(word: str) -> bool:
    """Tell whether a word next to a metric may mean filtered, as the f of MRR@f does."""
    return len(word) <= SHORT and word.lower().startswith("f")


def ask_beside(heading: Heading, j: int, *, of_models: bool) -> list[Label]:
    """Return the labels of a column; unknown ones that may be about tasks ask.

    "MyKG" next to "FB15k-237" may be a graph, as may "WN18RR reversed" next to "WN18RR", and
    "blind" next to "test" a split. If rows are those of models (`of_models`), headings hardly name
    models, so "LP" next to "QA" asks, too.
    """
    labels = list(heading.labels[j])
    columns = [heading.labels[k] for k in heading.measures]
    for level, written in enumerate(heading.labels[j]):
        if written.metric is not None:
            continue
        label = ask_alone(read_kind(written), "column")
        # What other columns have in the same row of the heading.
        beside = [column[level] for column in columns if len(column) == len(heading.labels[j])]
        if label.is_vocabulary:
            is_open = False
        elif label.is_about_tasks:
            alike = {other.text for other in beside if other.graphs == label.graphs}
            is_open = bool(label.graphs) and not label.words and len(alike) > 1
            is_open = is_open and not names_model(list_others(label.text))
        else:
            differs = len({other.text for other in beside}) > 1
            is_part = of_models and differs and not _names_model_above(label)
            is_open = is_part or any(other.declared for other in beside)

        labels[level] = ask_whole(label) if is_open else label

    return labels


def _names_model_above(label: Label) -> bool:
    """Tell whether a label above metrics names a model; LP and Q4 are too short for one."""
    words = _drop_counts(label.text.split())
    long = [word for word in words if len(word) > SHORT or squash(word) in VOCABULARY.models]
    return names_model(word for word in long if "=" not in word)


def _drop_counts(words: Iterable[str]) -> list[str]:
    """Drop words that begin with a digit: of "seed 1", seed is left."""
    return [word for word in words if not word[0].isdigit()]


def list_names(labels: Sequence[Label]) -> set[str]:
    """List the names in labels besides metrics and values: transe of "TransE MRR"."""
    names: set[str] = set()
    for label in labels:
        names.update(word.lower() for word in list_others(label.text))
        names.update(word.text for word in label.words if word.field not in FIELDS)
        names.update(squash(graph) for graph in label.graphs)
        names.add(label.version)
    return names


def find_means(heading: Heading) -> dict[int, Label]:
    """Map columns of means over graphs to a label with the word for it: "Avg" of "Avg MRR".

    A mean is next to columns of at least two graphs, "WN18 MRR", or of a version, "v1 MRR", that
    differ in nothing else.
    """
    means: dict[int, Label] = {}
    for j in heading.measures:
        for level, label in enumerate(heading.labels[j]):
            name = _find_mean(label)
            beside = _list_graphs_beside(heading, j, level) if name else set()
            if len(beside) >= _FEWEST_GRAPHS or any(version for *_, version in beside):
                means.setdefault(j, Label(name, graphs=(name,), is_vocabulary=True))

    return means


_BETWEEN = re.compile(r"[\s_-]+")


def _find_mean(label: Label) -> str:
    """Find the word for means over graphs in a label, "Avg" of "Avg MRR"; empty if it has none."""
    if is_mean(label.text):
        return label.text

    words = [] if label.metric is None else _BETWEEN.split(label.text)
    of_graphs = " ".join(label.graphs).split()  # the suite "Total Avg (57 graphs)" has means
    for word in words:
        others = " ".join(other for other in words if other != word)
        # The average rank is a metric.
        if word not in of_graphs and is_mean(word) and read_label(others).metric == label.metric:
            return word

    return ""


def _list_graphs_beside(heading: Heading, j: int, level: int) -> set[tuple[str, ...]]:
    """List the graphs, (name, version), of the columns that differ from `j` in one level only."""
    texts = [label.text for label in heading.labels[j]]
    graphs: set[tuple[str, ...]] = set()
    for k, measure in heading.measures.items():
        labels = heading.labels[k]
        if measure.metric != heading.measures[j].metric or len(labels) != len(texts):
            continue
        different = [place for place, label in enumerate(labels) if label.text != texts[place]]
        if different == [level]:
            graphs.add((*labels[level].graphs, labels[level].version))

    return graphs - {("",)}
