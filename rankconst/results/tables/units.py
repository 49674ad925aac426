"""Which shares of a table, a log or a DataFrame are percentages without a sign: the numbers themselves tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankconst.constants.published import parse_value
from rankconst.results.reading import Entries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

    from numpy.typing import NDArray

    from rankconst.results.reading import Entry, Notes

    Flags = NDArray[np.bool_]
    Places = NDArray[np.intp]

EITHER = "a fraction or a percentage"
_REMEDY = "add --percent or --no-percent"
_SMALL = "it is above 1, and no other number is a percentage: add --percent if it is one"


def tell_units(
    values: NDArray[np.float64],
    rows: Places,
    families: Sequence[Hashable],
    family_of: Places,
    count_decimals: Callable[[int], int],
) -> tuple[Flags, Flags]:
    """Return which shares without a sign are percentages, and which could be either.

    Columns of one metric, or of Hits@k, of one dataset are a family: they share their unit. They are percentages if
    most rows have a number above 1; the others then must be printed like them, or are open, as they are where half of
    the rows have one. Where fewer do, nothing is changed: they are fractions, and some of them wrong.
    """
    percent, doubtful = np.zeros(values.shape, dtype=np.bool_), np.zeros(values.shape, dtype=np.bool_)
    big = values > 1
    if not big.any():
        return percent, doubtful
    places = [np.flatnonzero(family_of == family) for family in range(len(families))]
    large = [_tell_rows(rows[own], big[own]) for own in places]
    certain = [large[n][1] > 0.5 and values[own].max() <= 100 for n, own in enumerate(places)]
    for n, own in enumerate(places):
        alike = [i for i in range(len(families)) if certain[i] and _kind(families[i]) == _kind(families[n])]
        in_large, part = large[n]
        even = part == 0.5 and values[own].max() <= 100
        if not even and (not alike or (not certain[n] and part)):
            continue
        if in_large.all():
            percent[own] = True
            continue
        # How many decimals percentages have; a fraction has more.
        signed = [place for i in alike for place in places[i][big[places[i]]].tolist()]
        most = max(map(count_decimals, signed), default=-1)
        printed = np.array([count_decimals(place) <= most for place in own.tolist()])
        # Numbers of a column are printed alike: one with more decimals tells that the others may be fractions, too.
        usual = certain[n] or (not even and most == 1 and printed.all())
        percent[own] = in_large | (printed if usual else False)
        doubtful[own] = ~percent[own]
    return percent, doubtful


def settle_units(
    entries: Entries,
    find_family: Callable[[Entry], Hashable],
    notes: Notes,
    *,
    rows: Sequence[int] = (),
    percent: bool | None = None,
) -> Entries:
    """Write the sign of percentages into the numbers of families; None is no family.

    What could be either is left out, unless the user says what it is. `rows` may be others than the entries' own.
    """
    listed = list(entries)
    found = [None if "%" in entry.text else find_family(entry) for entry in listed]
    places = [place for place, family in enumerate(found) if family is not None]
    if percent is False or not places:
        return entries
    codes = {family: code for code, family in enumerate(dict.fromkeys(found[place] for place in places))}
    signed, doubtful = tell_units(
        np.array([parse_value(listed[place].text).value for place in places], dtype=np.float64),
        np.array([rows[place] if rows else listed[place].row for place in places], dtype=np.intp),
        list(codes),
        np.array([codes[found[place]] for place in places], dtype=np.intp),
        lambda at: count_decimals(listed[places[at]].text),
    )
    settled: list[Entry | None] = [*listed]
    for place, sign, doubt in zip(places, signed.tolist(), doubtful.tolist(), strict=True):
        entry = listed[place]
        if sign or (doubt and percent):
            settled[place] = entry._replace(text=f"{entry.text}%")
        elif doubt:
            settled[place] = None
            notes.add(entry.line, entry.text, f"{EITHER}, in column {entry.column}: {_REMEDY}")
    return Entries(entry for entry in settled if entry is not None)


# A model of which even the greatest share is less, in percent, is as good as none.
_LEAST = 5


def leave_small(
    entries: Entries, find_family: Callable[[Entry], Hashable], notes: Notes, *, percent: bool | None = None
) -> Entries:
    """Leave out numbers a little above 1 if no other shares are percentages: ``MRR: 1.31`` may as well be wrong."""
    if percent is not None:
        return entries
    families = [find_family(entry) for entry in entries]
    if any(family is not None and "%" in entry.text for entry, family in zip(entries, families, strict=True)):
        return entries
    values = [
        0.0 if family is None else parse_value(entry.text).value
        for entry, family in zip(entries, families, strict=True)
    ]
    large = [place for place, value in enumerate(values) if value > 1]
    if not large or max(values) >= _LEAST or len({families[place] for place in large}) > 1:
        return entries
    for place in large:
        notes.add(entries[place].line, entries[place].text, _SMALL)
    return Entries(entry for entry, value in zip(entries, values, strict=True) if value <= 1)


def find_family(entry: Entry) -> str | None:
    """Return what a number outside a table shares its unit with; None if it has none."""
    if not entry.metric.is_share:
        return None
    return entry.metric.key if entry.metric.hits_k is None else "Hits"


def name_percentages(entries: Entries) -> str:
    """Return what is in percent, as half a sentence; nothing if nothing is."""
    names = dict.fromkeys(entry.metric.label.partition("@")[0] for entry in entries if entry.text[-1] == "%")
    return f"{' and '.join(names)} in percent" if names else ""


def drop_contradictions(entries: Entries, notes: Notes, rows: Sequence[int] = ()) -> Entries:
    """Leave out percentages up to 1 that are less than Hits@k for a smaller k: they may be fractions."""
    small = {rows[place] if rows else entry.row for place, entry in enumerate(entries) if _is_small(entry)}
    evaluations: dict[Hashable, list[tuple[int, float, int]]] = {}
    for place, entry in enumerate(entries) if small else ():
        row = rows[place] if rows else entry.row
        if row in small and entry.metric.hits_k is not None and entry.adjustment is None and "%" in entry.text:
            number = (entry.metric.hits_k, parse_value(entry.text).value, place)
            evaluations.setdefault((row, entry.context), []).append(number)
    wrong = set()
    for numbers in evaluations.values():
        less = None
        for number in sorted(numbers):
            _, value, place = number
            if less is None and value > _ONE:
                less = number
            elif less is not None and value <= _ONE:
                wrong.add(place)
                entry, whose = entries[place], entries[less[2]].metric.label
                reason = f"less than {whose} of the same evaluation, in column {entry.column}: is it a fraction?"
                notes.add(entry.line, entry.text.rstrip("%"), reason)
    return Entries(entry for place, entry in enumerate(entries) if place not in wrong) if wrong else entries


# A percentage of 1.
_ONE = 0.01


def _is_small(entry: Entry) -> bool:
    return entry.metric.hits_k is not None and "%" in entry.text and parse_value(entry.text).value <= _ONE


def leave_open(entries: Entries, columns: Collection[str], notes: Notes, *, percent: bool | None = None) -> Entries:
    """Settle columns that are said to be percentages, if none of their numbers is greater than 1.

    They are left out, unless the user says what they are.
    """
    said = {place: entry for place, entry in enumerate(entries) if entry.column in columns} if columns else {}
    if not said or any(parse_value(entry.text.replace("%", "")).value > 1 for entry in said.values()):
        return entries
    if percent is not None:
        sign = "%" if percent else ""
        own = {place: entry._replace(text=f"{entry.text.rstrip('%')}{sign}") for place, entry in said.items()}
        return Entries(own.get(place, entry) for place, entry in enumerate(entries))
    for entry in said.values():
        reason = f"{EITHER}, as none is greater than 1, in column {entry.column}: {_REMEDY}"
        notes.add(entry.line, entry.text.rstrip("%"), reason)
    return Entries(entry for place, entry in enumerate(entries) if place not in said)


def _kind(family: Hashable) -> Hashable:
    return family[1] if isinstance(family, tuple) else family


def _tell_rows(rows: Places, big: Flags) -> tuple[Flags, float]:
    """Tell of each place whether its row has a number above 1; return also the part of the rows that do."""
    distinct, inverse = np.unique(rows, return_inverse=True)
    large = np.bincount(inverse, weights=big, minlength=distinct.size) > 0
    return large[inverse], float(large.mean())


def count_decimals(text: str) -> int:
    """Count the decimals of a number, without its deviation."""
    return len(text.partition("±")[0].strip().partition(".")[2])
