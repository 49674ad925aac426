"""Units: the numbers of a family of columns tell whether shares without a sign are percentages.

The rules follow each other, and each looks at the numbers that those before it have kept:

1. A column whose heading has a percent sign, with nothing above 1, is open.
2. A metric a little above 1 is open if nothing is in percent.
3. A family is in percent if most of its rows have a number above 1.
4. A percentage below Hits@k of a smaller k may be a fraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.results.columns import combine, encode

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from rankconst.results.columns import Flags, Indices
    from rankconst.results.reading import ColumnHead, Entries, Notes


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


def settle_units(
    entries: Entries,
    notes: Notes,
    *,
    marked: Collection[str] = (),
    families: Mapping[str, Family] = MappingProxyType({}),
    evaluations: Indices | None = None,
    percent: bool | None = None,
) -> Entries:
    """Write the sign of percentages into numbers, and leave out those that could be either.

    Columns are `marked` if their headings have the sign. `families` has the graph and the further
    words of the heading of each column: numbers of another family do not tell its unit.
    `evaluations` has the evaluation of each row, where several rows make up one. `percent` is what
    the user says of shares that leave their unit open; if it is None, these are left out.
    """
    rows = entries.rows if evaluations is None else evaluations[entries.rows]
    units = _Units(entries, rows, notes, percent)
    units.leave_open(marked)
    if not units.hold_large_shares():
        return units.write()
    # The unit of marked columns is known, and numbers that are not shares have none: None.
    of_heads = [
        None if head.column in marked else _find_family(head, families) for head in entries.heads
    ]
    units.leave_small([None if family is None else family.kind for family in of_heads])
    codes, distinct = encode(of_heads)
    family_of = codes[entries.head_of]
    listed = [units.list_shares(family_of == code, family) for code, family in enumerate(distinct)]
    units.settle_families([shares for shares in listed if shares is not None])
    units.drop_contradictions()
    return units.write()


def _find_family(head: ColumnHead, families: Mapping[str, Family]) -> Family | None:
    """Find the family of shares, such as MRR and Hits@k; None if numbers are not shares.

    Hits@1 and Hits@10 of a graph are one family, as authors print all of them in one unit.
    """
    # An index, such as AMRR, may be in percent; a z score has no unit.
    if not head.metric.is_share or head.adjustment not in {None, "index"}:
        return None
    metric = head.metric.key if head.metric.hits_k is None else "Hits"
    family = families.get(head.column, Family())
    return family._replace(kind=(family.kind, metric))


@dataclass(frozen=True)
class _Shares:
    """The shares of a family without a sign."""

    kind: Hashable
    places: Indices  # among all numbers
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


class _Units:
    """The units of numbers while they are settled: flags in the order of the numbers."""

    def __init__(self, entries: Entries, rows: Indices, notes: Notes, percent: bool | None) -> None:
        self._entries = entries
        self._rows = rows
        self._notes = notes
        self._percent = percent
        self._values = entries.values
        self._is_percent = entries.is_percent.copy()
        self._is_kept = np.ones(len(entries), dtype=np.bool_)

    def write(self) -> Entries:
        """Return the numbers that are kept, with a percent sign if they are percentages."""
        settled = self._entries
        for percent in (False, True):
            is_new = (self._is_percent == percent) & (self._entries.is_percent != percent)
            settled = settled.rewrite(is_new, percent=percent)
        return settled.keep(self._is_kept)

    def _leave_out(self, chosen: Flags, reason: str, remedy: str) -> None:
        """Leave numbers out with a note: the reason, and the remedy, in which {} is the column."""
        for place in np.flatnonzero(chosen).tolist():
            entry = self._entries[place]
            way = remedy.format(entry.column)
            why = f"{reason}, in column {entry.column}: {way}"
            self._notes.add(entry.line, entry.text.rstrip("%"), why)
        self._is_kept &= ~chosen

    def _find_large(self, chosen: Flags) -> Flags:
        """Flag the chosen numbers that are kept and above 1."""
        return chosen & self._is_kept & (self._values > 1)

    def leave_open(self, columns: Collection[str]) -> None:
        """Leave out `columns` marked as percent if none is above 1: 0.33 may be a fraction."""
        marked = self._entries.flag_heads(lambda head: head.column in columns)
        if self._find_large(marked).any():
            return
        if self._percent is None:
            self._leave_out(marked, f"{_EITHER}, as none is greater than 1", _REMEDY)
        else:
            self._is_percent[marked] = self._percent

    def hold_large_shares(self) -> bool:
        """Tell whether a share is above 1, as none is where all are fractions."""
        is_share = self._entries.flag_heads(lambda head: head.metric.is_share)
        return bool(self._find_large(is_share).any())

    def leave_small(self, kinds: list[Hashable]) -> None:
        """Leave out a metric whose numbers are at most a little above 1, as 1.31 may be wrong.

        They could be percentages below 5, but then no number tells the unit. `kinds` has that of
        each head, None if its numbers are not shares.
        """
        is_share = self._entries.gather([kind is not None for kind in kinds], np.bool_)
        shares = is_share & self._is_kept & np.isfinite(self._values)
        large = self._find_large(shares)
        # The user states the unit, or a number has a sign.
        is_settled = self._percent is not None or (self._is_percent & self._is_kept).any()
        if is_settled or not large.any() or self._values[shares].max() >= _LEAST:
            return
        large_kinds = {kinds[head] for head in self._entries.head_of[large].tolist()}
        in_kinds = self._entries.gather([kind in large_kinds for kind in kinds], np.bool_)
        of_kind = in_kinds & self._is_kept
        if len(large_kinds) > 1 or self._count_part(of_kind) <= 0.5:
            return
        for place in np.flatnonzero(large).tolist():
            self._notes.add(self._entries[place].line, self._entries.text_at(place), _SMALL)
        self._leave_out(of_kind & ~large, _EITHER, _REMEDY)
        self._is_kept &= ~of_kind

    def _count_part(self, chosen: Flags) -> float:
        """Return the part of the rows of some numbers, at least one, that have one above 1."""
        rows, large = self._rows[chosen], self._rows[self._find_large(chosen)]
        return float(np.unique(large).size / np.unique(rows).size)

    def list_shares(self, chosen: Flags, family: Family | None) -> _Shares | None:
        """List the `chosen` numbers of a family without a percent sign; None if there are none."""
        is_plain = chosen & self._is_kept & ~self._is_percent & np.isfinite(self._values)
        places = np.flatnonzero(is_plain)
        if family is None or not places.size:
            return None
        values, rows = self._values[places], self._rows[places]
        in_large = np.isin(rows, rows[values > 1])
        part = self._count_part(is_plain)
        return _Shares(family.kind, places, values > 1, in_large, part, float(values.max()))

    def settle_families(self, groups: list[_Shares]) -> None:
        """Write the sign of percentages into the numbers of families.

        They are percentages if most rows have a number above 1. The others then must be printed
        like them, or are open, as they are where half of the rows have one. Where fewer do, nothing
        is changed: they are fractions, and some of them wrong.
        """
        if self._percent is False or not any(group.is_large.any() for group in groups):
            return
        columns = self._entries.columns
        counts_of = (column.numbers.map(count_decimals, np.intp) for column in columns)
        decimals = self._entries.gather(counts_of)
        # Doubtful numbers are left out; those printed unlike percentages get another remedy.
        is_doubtful, is_unlike = np.zeros((2, len(self._entries)), dtype=np.bool_)
        for group in groups:
            percentages = [
                other for other in groups if other.are_percentages and other.kind == group.kind
            ]
            is_fraction = group.part > 0 and not group.are_percentages
            if group.are_even or (percentages and not is_fraction):
                signed, unlike = self._judge(group, percentages, decimals)
                self._is_percent[group.places] = signed & ~unlike
                is_doubtful[group.places] = ~signed | unlike
                is_unlike[group.places] = unlike
        if self._percent:
            self._is_percent |= is_doubtful
            return
        # --percent would make percentages of columns of fractions, too.
        settled = {group.kind for group in groups if group.are_percentages}
        is_mixed = any(group.part == 0 and group.kind not in settled for group in groups)
        remedy = _HEADING if is_mixed else _REMEDY
        self._leave_out(is_doubtful & ~is_unlike, _EITHER, remedy)
        self._leave_out(is_doubtful & is_unlike, _EITHER, _HEADINGS)

    def _judge(
        self, group: _Shares, percentages: Sequence[_Shares], decimals: Indices
    ) -> tuple[Flags, Flags]:
        """Flag the percentages of a family, and the numbers that are printed unlike them."""
        # How many decimals percentages have; a fraction has more.
        counts = [int(decimals[other.places[other.is_large]].max()) for other in percentages]
        is_printed_alike = decimals[group.places] <= max(counts, default=-1)
        # A column of nothing above 1 that is printed unlike them may be of fractions: 0.237 next to
        # 50.1.
        heads = self._entries.head_of[group.places]
        in_small = ~np.isin(heads, heads[group.is_large])
        is_unlike = ~is_printed_alike & in_small & bool(percentages)
        is_sure = bool(percentages) or not group.are_even or group.most >= _LEAST
        is_percent = (group.in_large & is_sure) | (is_printed_alike & group.are_percentages)
        return is_percent, is_unlike

    def drop_contradictions(self) -> None:
        """Leave out percentages that Hits@k of a smaller k contradicts, as they may be fractions.

        Next to Hits@1 of 20.1%, a Hits@10 of 0.45 cannot be 0.45%, as Hits@10 is never less.
        """
        entries = self._entries
        k = entries.gather(
            0 if head.adjustment else head.metric.hits_k or 0 for head in entries.heads
        )
        is_hits = self._is_percent & self._is_kept & (k > 0)
        codes = combine(self._rows, entries.context_of, len(entries.contexts))  # of evaluations
        # The smallest k of each evaluation that has a percentage above 1.
        is_large = self._find_large(is_hits)
        none = np.iinfo(np.intp).max  # above every k: without such a percentage
        smallest = np.full(int(codes.max(initial=-1)) + 1, none)
        np.minimum.at(smallest, codes[is_large], k[is_large])
        is_wrong = is_hits & (self._values <= 1) & (k >= smallest[codes])
        self._leave_out(is_wrong, _FRACTION, "is it a fraction?")


def name_percentages(entries: Entries) -> str:
    """Name the metrics that are in percent, as half a sentence; empty if none is."""
    heads = entries.list_percentages()
    names = dict.fromkeys(head.metric.label.partition("@")[0] for head in heads)
    return f"{' and '.join(names)} in percent" if names else ""


def count_decimals(text: str) -> int:
    """Count the decimals of a number, without its deviation: 3 of ``0.338 ± 0.01``."""
    return len(text.partition("±")[0].strip().partition(".")[2])
