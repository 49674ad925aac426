"""What the first rows of a table say about its columns: metrics, roles, datasets that span metrics.

Headings may have several rows, the upper ones spanning columns: datasets over metrics, ``Hits@`` over 1, 3 and 10,
metrics over datasets.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import find_joined, find_mentions, list_graphs, names_known
from rankconst.names import squash
from rankconst.results.tables.cells import is_blank, is_missing, is_number
from rankconst.results.tables.columns import (
    INVERTED,
    ROLES,
    SPREADS,
    Meaning,
    add_part,
    find_inverted,
    read_dataset,
    read_words,
)
from rankconst.results.tables.settings import parse_heading, qualify, take_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from rankconst.results.document import Document
    from rankconst.results.tables.cells import Row


DEEPEST = 4
"""How many rows a heading may have, besides one of parameters or datasets below its metrics."""

_LONGEST = 200
# A part of a benchmark.
_PART = re.compile(r"v\.?\d+(?:[_ ]ind)?|[SML]", re.IGNORECASE)
_SPREAD = "the spread over runs of the column before it, or of the ranks: call that SDR"
_COUNT = re.compile(r"@?\s*(\d{1,9})", re.ASCII)
_FAMILY = re.compile(r"(.*?)\s*+@?\s*+(?:(?<=[@\s])[kKnN])?\s*+(\(%\)|%)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How tables of a format are to be read."""

    # Reads a heading, or the name of a metric in a long table, where k may have a column of its own.
    parse: Callable[[str, int | None], Meaning | None] = parse_heading
    exact: bool = False  # True if a program wrote every digit
    groups: bool = False  # True if people made the table: a row of a single cell names the rows below
    even: bool = False  # True if a row with more or fewer cells than the heading is a mistake to be reported

    def names_metric(self, label: str) -> bool:
        """Tell whether a label is a metric."""
        meaning = self.parse(label, None)
        return meaning is not None and meaning.role == "measured"


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a table."""

    keys: tuple[str, ...]  # the name of each column, no two alike: the levels joined by a spaced slash
    meanings: tuple[Meaning | None, ...]  # of each column; None if it means nothing here
    datasets: tuple[str | None, ...]  # of each column of a metric, from the label that spans it
    levels: tuple[tuple[str, ...], ...]  # the rows that it is made of

    @property
    def measured(self) -> list[int]:
        """The columns of metrics."""
        return [j for j, meaning in enumerate(self.meanings) if meaning is not None and meaning.role == "measured"]

    @property
    def long(self) -> bool:
        """True if one column names the metric and another holds its value."""
        roles = {meaning.role for meaning in self.meanings if meaning is not None}
        return {"metric", "value"} <= roles


def find_heading(rows: Sequence[Row], dialect: Dialect) -> Heading | None:
    """Return the heading that the first rows make up; None if they name no metric, or are one column."""
    if max(len(row.cells) for row in rows) == 1:
        return None
    for depth in range(1, min(DEEPEST, len(rows)) + 1):
        heading = compose_heading(rows[:depth], dialect)
        if not (heading.measured or heading.long):
            continue
        for row in rows[depth:]:
            longer = compose_heading(rows[: len(heading.levels) + 1], dialect)
            if _is_measured(row, heading) or not _goes_on(heading, longer, row, dialect):
                break
            heading = longer
        return heading
    return None


def explain_missing(document: Document, row: Row) -> str:
    """Say why a table that begins with this row has no heading, and what its columns may mean."""
    if len(row.cells) == 1:
        return (
            f"{document.at(row.line)}: one column, {row.plain[0][:40]!r}; expected at least two, such as model "
            "and MRR. Is the delimiter right? Commas, tabs and semicolons are known."
        )
    import difflib  # only needed here, where speed no longer matters

    from rankconst.catalogue.metrics import TABULATED

    known = {squash(name): metric.label for metric in TABULATED for name in (metric.label, *metric.spellings)}
    headings = [label for label in row.plain if label][:12]
    near = []
    for label in headings:
        found = difflib.get_close_matches(squash(label[:40]), known, n=2, cutoff=0.6)
        if found:
            near.append(f"{' or '.join(dict.fromkeys(known[name] for name in found))} for {label[:40]}")
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    listed = ", ".join(label[:40] for label in headings)
    return (
        f"{document.at(row.line)}: no column is a metric among {listed or 'empty headings'}.{hint} "
        "Expected columns such as MRR, MR or Hits@10, or the two columns metric and value."
    )


def find_roles(heading: Heading) -> dict[str, int]:
    """Return the column of each role: the one of that name, or else the first."""
    roles: dict[str, int] = {}
    for j, meaning in enumerate(heading.meanings):
        if meaning is not None and meaning.role in ROLES:
            held = roles.setdefault(meaning.role, j)
            if squash(heading.keys[held]) != squash(meaning.role) == squash(heading.keys[j]):
                roles[meaning.role] = j
    return roles


def compose_heading(rows: Sequence[Row], dialect: Dialect) -> Heading:
    """Return the heading that some rows make up."""
    width = max(len(row.plain) for row in rows)
    levels = tuple(row.plain + ("",) * (width - len(row.plain)) for row in rows)
    labels = [[label] if label else [] for label in levels[-1]]
    for row, level in zip(rows[-2::-1], levels[-2::-1], strict=True):
        named = tuple("" if is_blank(label) else label for label in level)
        _put_above(labels, _spread(row, named, labels, dialect))
    found = _tell_raw(_fill_datasets(settle_meanings(labels, lambda each: _find_meaning(each, dialect))))
    found = _find_means(labels, found)
    keys = _number_repeated(" / ".join(each) for each in labels)
    inverted = find_inverted(keys)
    found = [
        (replace(meaning, reason=meaning.reason or INVERTED), upper)
        if meaning is not None and meaning.metric is not None and key in inverted
        else (meaning, upper)
        for key, (meaning, upper) in zip(keys, found, strict=True)
    ]
    return Heading(
        keys=keys,
        meanings=tuple(meaning for meaning, _ in found),
        datasets=tuple(dataset for _, dataset in found),
        levels=levels,
    )


_Found = list[tuple[Meaning | None, str | None]]


def _fill_datasets(found: _Found) -> _Found:
    """Take a dataset next to a metric's name for that of the columns behind, where the same metrics then come again.

    ``WN18RR MRR``, ``Hits@1``, ``UMLS MRR``, ``Hits@1``: the last of these groups may lack some.
    """
    groups: list[list[int]] = []
    for j, (meaning, upper) in enumerate(found):
        if meaning is None or meaning.metric is None:
            continue
        if upper is not None or not (groups or meaning.dataset):
            return found
        if meaning.dataset:
            groups.append([])
        groups[-1].append(j)
    named = [
        [(meaning.metric, meaning.split, meaning.side) for j in group if (meaning := found[j][0])] for group in groups
    ]
    first = named[0] if named else []
    if len(groups) < 2 or any(each != first for each in named[:-1]) or named[-1] != first[: len(named[-1])]:
        return found
    filled = list(found)
    for group in groups:
        own = found[group[0]][0]
        for j in group:
            meaning = found[j][0]
            if own is not None and meaning is not None:
                filled[j] = replace(meaning, dataset=own.dataset), None
    return filled


def _tell_raw(found: _Found) -> _Found:
    """Take a metric for raw if it is there again, filtered, and nothing else tells the two apart."""
    told = [
        (meaning.metric, meaning.adjustment, meaning.split, meaning.side, meaning.dataset, upper)
        if meaning is not None and meaning.metric is not None and meaning.protocol is None
        else None
        for meaning, upper in found
    ]
    filtered = {
        each for each, (meaning, _) in zip(told, found, strict=True) if meaning is not None and meaning.filtered
    }
    return [
        (replace(meaning, protocol="raw"), upper)
        if meaning is not None and not meaning.filtered and each is not None and each in filtered
        else (meaning, upper)
        for each, (meaning, upper) in zip(told, found, strict=True)
    ]


def _find_means(labels: Sequence[Sequence[str]], found: _Found) -> _Found:
    """Take means over runs next to a column of metrics for their values, and leave out spreads and counts."""
    roles = {meaning.role for meaning, _ in found if meaning is not None}
    names = [squash(each[-1]) if each else "" for each in labels]
    place = next((j for j, name in enumerate(names) if name in _MEANS), None)
    if place is None or _DEVIATIONS.isdisjoint(names) or "metric" not in roles or "value" in roles:
        return found
    kept = [(None, None) if name in _OF_RUNS else each for name, each in zip(names, found, strict=True)]
    return [*kept[:place], (Meaning("value"), None), *kept[place + 1 :]]


_ENDS = {"low", "high", "lower", "upper"}
_DEVIATIONS = SPREADS | _ENDS | {f"{ci}{end}" for ci in ("ci", "ci95") for end in _ENDS}
_DEVIATIONS |= {"ci95", "lowerci", "upperci", "variance", "standarddeviation", "standarderror"}
# What pandas and others write below a metric that was measured several times.
_MEANS = {"mean", "avg", "average"}
_OF_RUNS = _DEVIATIONS | _MEANS | {"min", "max", "median", "count", "n"}


def settle_meanings(
    labels: Sequence[Sequence[str]], parse: Callable[[Sequence[str]], tuple[Meaning | None, str | None]]
) -> list[tuple[Meaning | None, str | None]]:
    """Return what each column means by its labels and by those of the others, with the dataset around it."""
    found = [parse(each) for each in _name_hits(labels)]
    last = [each[-1].lower() if each else "" for each in labels]
    for j, label in enumerate(last):
        known = found[j][0]
        side = (
            _SIDE_LETTER.fullmatch(label) if known is None or (known.dataset or "").lower() in _COUNTERPARTS else None
        )
        if side is not None and f"{side[1]}{_COUNTERPARTS[side[2]]}{side[3]}" in last:
            meaning, upper = parse([*labels[j][:-1], side[1].rstrip(" _([")])
            if meaning is not None and meaning.metric is not None:
                found[j] = replace(meaning, side="head" if side[2] in "lh" else "tail"), upper
    _find_averages(labels, found, parse)
    measured = [meaning for meaning, _ in found if meaning is not None and meaning.metric is not None]
    several = any(upper or (meaning is not None and meaning.dataset) for meaning, upper in found)
    for j, (meaning, upper) in enumerate(found):
        if meaning is None or meaning.metric is None:
            continue
        before = found[j - 1][0] if j else None
        reason = meaning.reason
        if before is not None and before.metric is not None and squash(last[j]) == "std":
            reason = _SPREAD
        elif _BEST.search(" ".join(labels[j])) and meaning.split is None and any(each.split for each in measured):
            reason = _BEST_OF
        elif _MEAN.search(" ".join(labels[j])) and several and not (upper or meaning.dataset):
            reason = _MEAN_OF
        found[j] = replace(meaning, reason=reason), upper
    return found


def _name_hits(labels: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Write ``@10`` behind MRR for Hits@10, unless another metric has a k, which it may belong to."""
    ends = [each[-1].strip() if each else "" for each in labels]
    alone = [_AT.fullmatch(end) for end in ends]
    others = [end for each, end in zip(labels, alone, strict=True) if end is None and any("@" in part for part in each)]
    named = any(len(each) == 1 and squash(each[0]) in {"mrr", "mr"} for each in labels)
    if others or not named or not any(alone):
        return labels
    plain = [end is not None and len(each) == 1 for each, end in zip(labels, alone, strict=True)]
    return [[f"Hits{ends[j]}"] if plain[j] else each for j, each in enumerate(labels)]


_AT = re.compile(r"@ ?\d{1,4}(?: ?\(%\))?")


def _find_averages(
    labels: Sequence[Sequence[str]],
    found: list[tuple[Meaning | None, str | None]],
    parse: Callable[[Sequence[str]], tuple[Meaning | None, str | None]],
) -> None:
    """Take an average next to head and tail, ``MRR_avg``, for both; only means are those of their sides."""
    sides: dict[Hashable, set[str | None]] = {}
    for meaning, upper in found:
        if meaning is not None and meaning.metric is not None:
            sides.setdefault((meaning.metric, meaning.split, meaning.dataset, upper), set()).add(meaning.side)
    if not any({"head", "tail"} <= each for each in sides.values()):
        return
    for j, each in enumerate(labels):
        averaged = _AVERAGE.fullmatch(each[-1]) if each and found[j][0] is None else None
        if averaged is None:
            continue
        meaning, upper = parse([*each[:-1], averaged[1]])
        if meaning is not None and meaning.metric is not None and meaning.metric.is_mean and meaning.side is None:
            told = sides.get((meaning.metric, meaning.split, meaning.dataset, upper), set())
            if {"head", "tail"} <= told and None not in told:
                found[j] = meaning, upper


_AVERAGE = re.compile(r"(.*[^\s_(\[])[\s_]*+[(\[]?(?:avg|average|mean)\.?[)\]]?", re.IGNORECASE | re.DOTALL)
# MRR_l and MRR_r, or Hits@10 (h) and Hits@10 (t).
_SIDE_LETTER = re.compile(r"(.*[a-z0-9](?:[ _]| ?[(\[]))([lrht])([)\]]?)", re.DOTALL)
_COUNTERPARTS = {"l": "r", "r": "l", "h": "t", "t": "h"}
_BEST = re.compile(r"(?<![a-z])best(?![a-z])", re.IGNORECASE)
_BEST_OF = "the best on which split? Other columns name theirs; write best_valid_mrr"
_MEAN = re.compile(
    r"(?<![a-z])(?:mean|avg|average|overall)[ _.]+(?!rank|recip)|[ _.(](?:mean|avg|average|overall)\W*$", re.IGNORECASE
)
_MEAN_OF = "a mean over what? Other columns name datasets"


def _put_above(labels: list[list[str]], level: Sequence[str]) -> None:
    for below, label in zip(labels, level, strict=True):
        if label and below[:1] != [label]:
            below.insert(0, label)


def _spread(row: Row, level: Sequence[str], labels: Sequence[Sequence[str]], dialect: Dialect) -> list[str]:
    """Return the labels of an upper level for every column."""
    aligned = _align(level, labels, dialect) if row.spans is None else None
    if aligned is not None:
        return aligned
    spread, label, left = [], "", 0
    for j, own in enumerate(level):
        if own:
            label = own
            if row.spans is not None:
                left = row.spans.get(j, 1)
            else:  # a label over names of models spans no further columns
                meaning, _ = _find_meaning([own, *labels[j]], dialect)
                left = len(level) if meaning is not None and meaning.role == "measured" else 1
        spread.append(label if left > 0 else "")
        left -= 1
    return spread


def _align(level: Sequence[str], labels: Sequence[Sequence[str]], dialect: Dialect) -> list[str] | None:
    """Return datasets over metrics where their cells are not over the first metric of each; None if they are."""
    measured = [j for j, below in enumerate(labels) if below and _find_meaning(below, dialect)[0] is not None]
    measured = [j for j in measured if any(map(dialect.names_metric, labels[j]))]
    places = [j for j, own in enumerate(level) if own and measured and j >= measured[0]]
    names = [level[j] for j in places]
    known = all(len(find_mentions(name)) == 1 for name in names)
    unknown = len(names) > 1 and all(j in measured and _is_dataset(level[j], labels[j], dialect) for j in places)
    if not names or not (known or unknown):
        return None
    over = align_names(dict(zip(places, names, strict=True)), {j: tuple(labels[j]) for j in measured})
    return None if over is None else [over.get(j, "") for j in range(len(level))]


def _is_dataset(label: str, below: Sequence[str], dialect: Dialect) -> bool:
    return _find_meaning([label, *below], dialect)[1] == label


def align_names(names: Mapping[int, str], below: Mapping[int, Hashable]) -> dict[int, str] | None:
    """Return the name over each column of a metric; None if each is over the first of its own and those behind.

    Tables that lost their spans have the names side by side, or each in the middle of its columns or over the last.
    What is `below`, coming again for each, tells where it begins; otherwise it is open.
    """
    places, measured, metrics = list(names), list(below), list(below.values())
    size = len(measured) // len(names)
    repeated = len(measured) == size * len(names) and metrics == metrics[:size] * len(names)
    starts = [measured[i * size] for i in range(len(names))] if repeated else []
    spans = [[below[j] for j in measured if start <= j < end] for start, end in pairwise([*places, math.inf])]
    alone = sum(len({*span}) for span in spans) == len(measured)
    if places == starts or (not repeated and (alone or (places[0] in below and all(map(spans[0].__eq__, spans))))):
        return None
    listed = [*names.values()]
    return {j: listed[i // size] if repeated else OPEN.join(listed) for i, j in enumerate(measured)}


OPEN = ", or "
"""Between the names of datasets of which it is open over which columns each is."""


def _find_meaning(labels: Sequence[str], dialect: Dialect) -> tuple[Meaning | None, str | None]:
    """Return the meaning of a column, and the dataset named by the labels around its metric."""
    labels = _join_datasets(labels)
    read = [dialect.parse(label, None) for label in labels]
    if labels and squash(labels[-1]) in _OF_RUNS - _MEANS and any(map(dialect.names_metric, labels[:-1])):
        return None, None
    measured = any(meaning is not None and meaning.role == "measured" for meaning in read)
    for meaning in reversed(read):
        # "Source" and "Target" over metrics are no tool and no side.
        if meaning is not None and meaning.role not in ({"measured", "tool", "side"} if measured else {"measured"}):
            return meaning, None
    for i in reversed(range(len(labels))):
        found, used = read[i], {i}
        if found is None and i > 0 and (number := _COUNT.fullmatch(labels[i])) is not None:
            family = _FAMILY.fullmatch(" ".join(labels[i - 1][:_LONGEST].split()))
            found = dialect.parse(f"{family[1]}@{number[1]}{family[2] or ''}", None) if family is not None else None
            used = {i - 1, i}
        if found is not None:
            whole: Meaning | None = found
            for j in reversed(range(len(labels))):
                if j not in used and whole is not None:
                    label, said = take_settings(labels[j])
                    whole = add_part(whole, label) if label else whole
                    whole = qualify(whole, said) if whole is not None and said else whole
            if whole is None:
                return None, None
            return replace(whole, dataset=found.dataset), None if found.dataset else whole.dataset
    return None, None


def _join_datasets(labels: Sequence[str]) -> Sequence[str]:
    """Return the labels with the part of a benchmark joined to the label above that names it: ``WN18RR``, ``v1``."""
    for i, outer in enumerate(labels[:-1]):
        for j in range(i + 1, len(labels)):
            joined = find_joined(labels[j], outer) if _PART.fullmatch(labels[j]) else ()
            if len(joined) == 1:
                whole = " or ".join(list_graphs(joined[0]))
                return [*labels[:i], *labels[i + 1 : j], whole, *labels[j + 1 :]]
    return labels


def _is_measured(row: Row, heading: Heading) -> bool:
    """Tell whether a row holds a number in the column of a metric, other than one that heads it."""
    own = [(j, row.plain[j]) for j in heading.measured if j < len(row.plain)]
    return any(_is_new(label, j, heading) and is_number(label) for j, label in own)


def _is_new(label: str, j: int, heading: Heading) -> bool:
    return bool(label) and not any(level[j : j + 1] == (label,) for level in heading.levels)


def _goes_on(heading: Heading, longer: Heading, row: Row, dialect: Dialect) -> bool:
    """Tell whether a row below the metrics, with the k of Hits@ or with datasets, belongs to the heading."""
    after = set(longer.measured)
    if after == set(heading.measured) or (after and after < set(heading.measured)):
        return _divides(heading, row, dialect) and (len(after) == len(heading.measured) or _are_of_runs(heading, row))
    if len(after) <= len(heading.measured):
        return False
    for j, label in enumerate(row.plain):
        if not _is_new(label, j, heading):
            continue
        # The first column may say what a row of a printed heading is about: "Eval. setting".
        unknown = j not in after and dialect.parse(label, None) is None
        if is_missing(label) or (unknown and not (dialect.groups and j == 0)):
            return False
        # A number is a k only where it makes a metric of the label above.
        if longer.datasets[j] == label and is_number(label):
            return False
    return True


def _divides(heading: Heading, row: Row, dialect: Dialect) -> bool:
    """Tell whether a row has a split, a side or a dataset below each metric, or names the first column only."""
    own = [row.plain[j] for j in heading.measured if j < len(row.plain)]
    others = [label for j, label in enumerate(row.plain) if label and j not in heading.measured]
    if not any(own):
        named = dialect.groups and bool(row.plain[0]) and row.plain[: len(others)] == tuple(others)
        roles = [meaning.role in ROLES for label in others if (meaning := dialect.parse(label, None)) is not None]
        return named and len(roles) == len(others) and all(roles)
    if _are_of_runs(heading, row):
        return True
    return all(read_words(label) or names_known(read_dataset(label)[0]) for label in own) and others in (
        [],
        [row.plain[0]],
    )


def _are_of_runs(heading: Heading, row: Row) -> bool:
    """Tell whether a row says of each metric which statistic over runs it is."""
    labels = [label for label in row.plain[min(heading.measured) :] if label]
    return bool(labels) and all(squash(label) in _OF_RUNS for label in labels)


def _number_repeated(keys: Iterable[str]) -> tuple[str, ...]:
    unique: dict[str, None] = {}
    counts: Counter[str] = Counter()
    listed = list(keys)
    taken = set(listed)
    for key in listed:
        counts[key] += 1
        name = key
        while name in unique or (name in taken and name != key):
            counts[key] += name != key
            name = f"{key} ({max(counts[key], 2)})".strip()
        unique[name] = None
    return tuple(unique)
