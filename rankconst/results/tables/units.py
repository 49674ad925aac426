"""Which shares of a table are percentages without a sign: the numbers themselves tell."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rankconst.constants.published import parse_value
from rankconst.results.reading import Entries

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from rankconst.results.reading import Entry, Notes


def settle_units(entries: Entries, shares: Mapping[str, Hashable], notes: Notes) -> tuple[Entries, frozenset[str]]:
    """Write the sign of percentages into a table's numbers; return also the columns that have them.

    Columns of one metric, or of Hits@k, of one dataset share their unit. They are percentages if most rows have a
    number greater than 1; the others then must be printed like them, or are left out. Where only some rows do,
    nothing is changed: they are fractions, and some of them wrong.
    """
    families: dict[Hashable, list[int]] = {}
    for place, entry in enumerate(entries):
        if entry.column in shares and "%" not in entry.text:
            families.setdefault(shares[entry.column], []).append(place)
    values = {place: parse_value(entries[place].text).value for places in families.values() for place in places}
    large = {family: _tell_rows(entries, places, values) for family, places in families.items()}
    percent = {
        family
        for family, rows in large.items()
        if sum(rows.values()) * 2 > len(rows) and max(values[place] for place in families[family]) <= 100
    }
    settled: list[Entry | None] = list(entries)
    columns = set()
    for family, places in families.items():
        akin = [each for each in percent if _kind(each) == _kind(family)]
        if not akin or (family not in percent and any(large[family].values())):
            continue
        # How many decimals percentages have; a fraction has more.
        decimals = Counter(
            _count_decimals(entries[place].text) for each in akin for place in families[each] if values[place] > 1
        )
        most = max(decimals)
        # Numbers of a column are printed alike: one with more decimals tells that the others may be fractions, too.
        alike = all(_count_decimals(entries[place].text) <= most for place in places)
        usual = family in percent or (most == 1 and alike)
        for place in places:
            entry = entries[place]
            certain = large[family][entry.row] or (usual and _count_decimals(entry.text) <= most)
            if certain:
                settled[place] = entry._replace(text=f"{entry.text}%")
                columns.add(entry.column)
            else:
                settled[place] = None
                notes.add(entry.line, entry.text, f"a fraction or a percentage, in column {entry.column}")
    return Entries(entry for entry in settled if entry is not None), frozenset(columns)


def leave_open(entries: Entries, columns: Collection[str], notes: Notes) -> Entries:
    """Leave out the numbers of columns that are said to be percentages, if none of them is greater than 1."""
    said = [entry for entry in entries if entry.column in columns] if columns else []
    if not said or any(parse_value(entry.text.replace("%", "")).value > 1 for entry in said):
        return entries
    for entry in said:
        reason = f"a fraction or a percentage, as none is greater than 1, in column {entry.column}"
        notes.add(entry.line, entry.text.rstrip("%"), reason)
    return Entries(entry for entry in entries if entry.column not in columns)


def _kind(family: Hashable) -> Hashable:
    return family[1] if isinstance(family, tuple) else family


def _tell_rows(entries: Sequence[Entry], places: Sequence[int], values: Mapping[int, float]) -> dict[int, bool]:
    """Return for each row whether it has a number greater than 1."""
    rows: dict[int, bool] = {}
    for place in places:
        rows[entries[place].row] = rows.get(entries[place].row, False) or values[place] > 1
    return rows


def _count_decimals(text: str) -> int:
    """Count the decimals of a number, without its deviation."""
    return len(text.partition("±")[0].strip().partition(".")[2])
