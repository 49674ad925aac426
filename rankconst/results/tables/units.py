"""Units: the numbers of a family of columns tell whether shares without a sign are percentages."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.results.columns import encode

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.results.reading import Entries, Head, Notes

    Flags = NDArray[np.bool_]
    Places = NDArray[np.intp]

_EITHER = "a fraction or a percentage"
_REMEDY = "add --percent or --no-percent (in Python: percent=True or False)"
_HEADINGS = "write (%) into the headings of percentages, or add --percent if this is one, too"
_HEADING = "if the column is in percent, write so into its heading: {} (%)"
_SMALL = "it is above 1, and no other number is a percentage: add --percent if it is one"
_FRACTION = "less than Hits@k for a smaller k of the same evaluation"
_LEAST = 5  # in percent: a model with only smaller shares would be of no use


class Family(NamedTuple):
    """The columns whose numbers are in the same unit."""

    graph: Hashable = None
    kind: Hashable = None  # the metric, and the other words of the heading


def _find_family(head: Head, families: Mapping[str, Family]) -> Family | None:
    """Find the family of shares, the same for all Hits@k; None if numbers are no shares."""
    if not head.metric.is_share or head.adjustment not in {None, "index"}:
        return None
    metric = head.metric.key if head.metric.hits_k is None else "Hits"
    family = families.get(head.column, Family())
    return family._replace(kind=(family.kind, metric))


def settle_units(
    entries: Entries,
    notes: Notes,
    *,
    marked: Collection[str] = (),
    families: Mapping[str, Family] = MappingProxyType({}),
    evaluations: Places | None = None,
    percent: bool | None = None,
) -> Entries:
    """Write the sign of percentages into numbers; leave out, and note, those that could be either.

    Columns are `marked` if their headings have the sign. `families` has the graph and the further
    words of the heading of each column: numbers of another family do not tell its unit.
    `evaluations` has the evaluation of each row, where several rows make up one.
    """
    entries = _leave_open(entries, marked, notes, percent=percent)
    if not _holds_large_shares(entries):
        return entries
    family_of = [
        None if head.column in marked else _find_family(head, families) for head in entries.heads
    ]
    entries = _leave_small(entries, family_of, notes, evaluations, percent=percent)
    entries = _settle_families(entries, family_of, notes, evaluations, percent=percent)
    return _drop_contradictions(entries, notes, evaluations)


def _holds_large_shares(entries: Entries) -> bool:
    """Tell whether a share is above 1, as none is where all are fractions."""
    shares = (column.numbers for column in entries.columns if column.head.metric.is_share)
    return any(bool((numbers.values > 1).any()) for numbers in shares)


@dataclass(frozen=True)
class _Shares:
    """The shares of a family."""

    kind: Hashable
    places: Places  # among all numbers
    is_large: Flags  # True for a number above 1
    in_large: Flags  # True for a number whose row has one above 1
    part: float  # of the rows, with a number above 1
    most: float  # the greatest

    @property
    def are_percentages(self) -> bool:
        """True if most rows have a number above 1, and none has one above 100."""
        return self.part > 0.5 and self.most <= 100

    @property
    def are_even(self) -> bool:
        """True if half of the rows have a number above 1, and none has one above 100."""
        return self.part == 0.5 and self.most <= 100


def _settle_families(
    entries: Entries,
    families: Sequence[Family | None],
    notes: Notes,
    evaluations: Places | None,
    *,
    percent: bool | None,
) -> Entries:
    """Write the sign of percentages into the numbers of families.

    Columns of one metric, or of Hits@k, of one dataset are a family. They are percentages if most
    rows have a number above 1; the others then must be printed like them, or are open, as they are
    where half of the rows have one. Where fewer do, nothing is changed: they are fractions, and
    some of them wrong.
    """
    groups = _list_shares(entries, families, evaluations)
    if percent is False or not any(group.is_large.any() for group in groups):
        return entries
    decimals = _count_all_decimals(entries)
    is_percent, is_doubtful, is_unlike = np.zeros((3, len(entries)), dtype=np.bool_)
    for group in groups:
        percentages = [
            other for other in groups if other.are_percentages and other.kind == group.kind
        ]
        is_fraction = group.part > 0 and not group.are_percentages
        if not group.are_even and (is_fraction or not percentages):
            continue
        # How many decimals percentages have; a fraction has more.
        counts = [int(decimals[other.places[other.is_large]].max()) for other in percentages]
        is_printed_alike = decimals[group.places] <= max(counts, default=-1)
        # Numbers of a column are printed alike: one with more decimals tells that the others may be
        # fractions, too.
        is_whole = not group.are_even and max(counts) == 1 and bool(is_printed_alike.all())
        is_usual = group.are_percentages or is_whole
        # So does a column of nothing above 1 that is printed unlike them: 0.237 next to 50.1.
        heads = entries.head_of[group.places]
        in_small = ~np.isin(heads, heads[group.is_large])
        unlike = ~is_printed_alike & in_small & bool(percentages)
        is_sure = bool(percentages) or not group.are_even or group.most >= _LEAST
        is_signed = ((group.in_large & is_sure) | (is_printed_alike & is_usual)) & ~unlike
        is_percent[group.places] = is_signed
        is_doubtful[group.places] = ~is_signed
        is_unlike[group.places] = unlike
    if percent:
        return entries.rewrite(is_percent | is_doubtful, percent=True)
    # --percent would make percentages of columns of fractions, too.
    settled = {group.kind for group in groups if group.are_percentages}
    is_mixed = any(group.part == 0 and group.kind not in settled for group in groups)
    remedy = _HEADING if is_mixed else _REMEDY
    _note(entries, is_doubtful & ~is_unlike, notes, _EITHER, remedy)
    _note(entries, is_doubtful & is_unlike, notes, _EITHER, _HEADINGS)
    return entries.rewrite(is_percent, percent=True).keep(~is_doubtful)


def _list_shares(
    entries: Entries, families: Sequence[Family | None], evaluations: Places | None
) -> list[_Shares]:
    """List the numbers without a sign of each family."""
    codes, distinct = encode(families)
    family_of = codes[entries.head_of]
    is_plain = ~entries.is_percent & np.isfinite(entries.values)
    rows = _find_rows(entries, evaluations)
    groups = []
    for code, family in enumerate(distinct):
        places = np.flatnonzero(is_plain & (family_of == code))
        if family is not None and places.size:
            values = entries.values[places]
            is_large, most = values > 1, float(values.max())
            in_large = _find_in_large(rows[places], is_large)
            part = _count_part(rows[places], in_large)
            groups.append(_Shares(family.kind, places, is_large, in_large, part, most))
    return groups


def _count_all_decimals(entries: Entries) -> Places:
    """Count the decimals of all numbers."""
    counts = (column.numbers.map(count_decimals, np.intp) for column in entries.columns)
    return entries.gather(counts)


def _leave_small(
    entries: Entries,
    families: Sequence[Family | None],
    notes: Notes,
    evaluations: Places | None,
    *,
    percent: bool | None,
) -> Entries:
    """Leave out a metric a little above 1 if nothing is in percent: 1.31 may as well be wrong."""
    kinds = [None if family is None else family.kind for family in families]
    is_share = np.array([kind is not None for kind in kinds], dtype=np.bool_)
    shares = is_share[entries.head_of] & np.isfinite(entries.values)
    large = shares & (entries.values > 1)
    if percent is not None or not large.any() or entries.is_percent.any():
        return entries
    large_kinds = {kinds[head] for head in entries.head_of[large].tolist()}
    if len(large_kinds) > 1 or entries.values[shares].max() >= _LEAST:
        return entries
    has_kind = np.array([kind in large_kinds for kind in kinds], dtype=np.bool_)
    of_kind = has_kind[entries.head_of]
    rows = _find_rows(entries, evaluations)[of_kind]
    if _count_part(rows, _find_in_large(rows, large[of_kind])) <= 0.5:
        return entries
    for place in np.flatnonzero(large).tolist():
        notes.add(entries[place].line, entries.text_at(place), _SMALL)
    _note(entries, of_kind & ~large, notes, _EITHER, _REMEDY)
    return entries.keep(~of_kind)


def _leave_open(
    entries: Entries, columns: Collection[str], notes: Notes, *, percent: bool | None
) -> Entries:
    """Leave out columns whose headings have a percent sign, if none of their numbers is above 1."""
    is_marked = [head.column in columns for head in entries.heads]
    if not any(is_marked):
        return entries
    marked = entries.gather(is_marked, np.bool_)
    if not marked.any() or (entries.values[marked] > 1).any():
        return entries
    if percent is not None:
        return entries.rewrite(marked, percent=percent)
    _note(entries, marked, notes, f"{_EITHER}, as none is greater than 1", _REMEDY)
    return entries.keep(~marked)


def _drop_contradictions(entries: Entries, notes: Notes, evaluations: Places | None) -> Entries:
    """Leave out percentages below Hits@k for a smaller k, which may be fractions."""
    ks = [0 if head.adjustment else head.metric.hits_k or 0 for head in entries.heads]
    k = np.array(ks, dtype=np.intp)[entries.head_of]
    is_signed_hits = entries.is_percent & (k > 0)
    if not (is_signed_hits & (entries.values <= 1)).any():
        return entries
    places = np.flatnonzero(is_signed_hits)
    rows = _find_rows(entries, evaluations)[places]
    evaluation = rows * max(len(entries.contexts), 1) + entries.context_of[places]
    order = np.lexsort((k[places], evaluation))
    is_wrong = np.zeros(len(entries), dtype=np.bool_)
    values, numbers = entries.values[places[order]], evaluation[order].tolist()
    previous = -1  # evaluation
    has_percentage = False  # whether it has a number above 1, for a smaller k
    for place, number, value in zip(places[order].tolist(), numbers, values.tolist(), strict=True):
        if number != previous:
            has_percentage = False
        is_wrong[place] = has_percentage and value <= 1
        has_percentage = has_percentage or value > 1
        previous = number
    _note(entries, is_wrong, notes, _FRACTION, "is it a fraction?")
    return entries.keep(~is_wrong)


def name_percentages(entries: Entries) -> str:
    """Name the metrics that are in percent, as half a sentence; empty if none is."""
    heads = entries.list_percentages()
    names = dict.fromkeys(head.metric.label.partition("@")[0] for head in heads)
    return f"{' and '.join(names)} in percent" if names else ""


def count_decimals(text: str) -> int:
    """Count the decimals of a number, without its deviation."""
    return len(text.partition("±")[0].strip().partition(".")[2])


def _note(entries: Entries, chosen: Flags, notes: Notes, reason: str, remedy: str) -> None:
    for place in np.flatnonzero(chosen).tolist():
        entry = entries[place]
        way = remedy.format(entry.column)
        notes.add(entry.line, entry.text.rstrip("%"), f"{reason}, in column {entry.column}: {way}")


def _find_in_large(rows: Places, is_large: Flags) -> Flags:
    """Tell of each number whether its row has a number above 1."""
    return np.isin(rows, rows[is_large])


def _count_part(rows: Places, in_large: Flags) -> float:
    """Return the part of rows that have a number above 1."""
    if not in_large.any():
        return 0.0
    return float(np.unique(rows[in_large]).size / np.unique(rows).size)


def _find_rows(entries: Entries, evaluations: Places | None) -> Places:
    """Return the row, or the evaluation, of each number."""
    return entries.rows if evaluations is None else evaluations[entries.rows]
