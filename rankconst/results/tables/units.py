"""Units: the numbers of a family of columns tell whether shares without a sign are percentages.

A column whose heading has a percent sign is in percent if a number is above 1. A family without a
sign is in percent if most of its rows have a number above 1, and some number is far above 1. What
else may be a percentage is left out, unless the user says what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.results.columns import factorize

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from rankconst.results.columns import Flags, Indices
    from rankconst.results.reading import ColumnHead, Entries, Notes


_EITHER = "a fraction or a percentage"
_REMEDY = "add --percent or --no-percent (in Python: percent=True or False)"
_HEADINGS = "write (%) into the headings of percentages, or add --percent if this is one, too"
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

    Hits@10 of 53.3 and 4.2 in a column become 53.3% and 4.2%, and 0.4 next to them could be either.
    Those of 0.4 and 0.2 stay as they are.

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
    codes, distinct = factorize(of_heads)
    family_of = codes[entries.head_codes]
    listed = [units.list_shares(family_of == code, family) for code, family in enumerate(distinct)]
    units.settle_families([shares for shares in listed if shares is not None])
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
        """Leave numbers out with a note: the reason, and the remedy."""
        for place in np.flatnonzero(chosen).tolist():
            entry = self._entries[place]
            why = f"{reason}, in column {entry.column}: {remedy}"
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

        They are percentages if most rows have a number above 1. Then rows and columns without one
        are open, as are rows without one where half of them have one. All are open if no number is
        far above 1. Where fewer rows have one, nothing is changed: they are fractions, and some of
        them wrong.
        """
        if self._percent is False or not any(group.is_large.any() for group in groups):
            return

        in_percent = {group.kind for group in groups if group.are_percentages}
        has_sign = (self._is_percent & self._is_kept).any()
        is_sure = has_sign or max(group.most for group in groups) >= _LEAST
        is_doubtful = np.zeros(len(self._entries), dtype=np.bool_)
        for group in groups:
            is_of_kind = group.kind in in_percent
            is_fraction = group.part > 0 and not group.are_percentages
            if not group.are_even and (is_fraction or not is_of_kind):
                continue
            heads = self._entries.head_codes[group.places]
            is_signed = group.in_large & np.isin(heads, heads[group.is_large])
            self._is_percent[group.places] = is_signed & is_sure
            is_doubtful[group.places] = ~(is_signed & is_sure)

        if self._percent:
            self._is_percent |= is_doubtful
        else:
            self._leave_out(is_doubtful, _EITHER, _HEADINGS)


def name_percentages(entries: Entries) -> str:
    """Name the metrics that are in percent, as half a sentence; empty if none is."""
    heads = entries.list_percentages()
    names = dict.fromkeys(head.metric.label.partition("@")[0] for head in heads)
    return f"{' and '.join(names)} in percent" if names else ""
