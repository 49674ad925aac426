"""Which shares are percentages without a sign: the numbers tell, a family of columns at a time."""

from __future__ import annotations

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
_LEAST = 5  # a model of which even the greatest share is less, in percent, is as good as none


class _Family(NamedTuple):
    """What numbers share with those whose unit is theirs."""

    graph: Hashable
    kind: Hashable  # the metric, with what its heading has beside it


def _name_family(head: Head) -> str | None:
    """Return the metric of shares, the same for all Hits@k; None if numbers are no shares."""
    if not head.metric.is_share or head.adjustment not in {None, "index"}:
        return None
    return head.metric.key if head.metric.hits_k is None else "Hits"


def settle_units(
    entries: Entries,
    notes: Notes,
    *,
    marked: Collection[str] = (),
    apart: Mapping[str, tuple[Hashable, Hashable]] = MappingProxyType({}),
    evaluations: Places | None = None,
    percent: bool | None = None,
) -> Entries:
    """Write the sign of percentages into numbers; leave out, and say, what could be either.

    Columns are `marked` if their headings say that they are percentages. `apart` has for a column
    its graph and what its heading has beside the metric: numbers of others do not tell its unit.
    `evaluations` has the evaluation of each row, where several rows make up one.
    """
    families = list[_Family | None]()
    for head in entries.heads:
        name = None if head.column in marked else _name_family(head)
        graph, rest = apart.get(head.column, (None, None))
        families.append(None if name is None else _Family(graph, (rest, name)))
    entries = _leave_open(entries, marked, notes, percent=percent)
    entries = _leave_small(entries, families, notes, evaluations, percent=percent)
    entries = _settle_families(entries, families, notes, evaluations, percent=percent)
    return _drop_contradictions(entries, notes, evaluations)


def _settle_families(
    entries: Entries,
    families: Sequence[_Family | None],
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
    codes, distinct = encode(families)
    kinds = [family and family.kind for family in distinct]
    family_of = codes[entries.head_of]
    shares = (
        ~entries.signed
        & np.array([family is not None for family in distinct], dtype=np.bool_)[family_of]
    )
    shares &= np.isfinite(entries.values)
    big = shares & (entries.values > 1)
    if percent is False or not big.any():
        return entries
    at = entries.rows if evaluations is None else evaluations[entries.rows]
    own = {
        code: np.flatnonzero(shares & (family_of == code))
        for code in np.unique(family_of[shares]).tolist()
    }
    large = {code: _tell_rows(at[places], big[places]) for code, places in own.items()}
    most = {code: float(entries.values[places].max()) for code, places in own.items()}
    certain = {code for code in own if large[code][1] > 0.5 and most[code] <= 100}
    sign, doubtful, apart = np.zeros((3, len(entries)), dtype=np.bool_)
    decimals = entries.pick(
        np.array([count_decimals(text) for text in entries.written]),
        np.zeros(len(entries.floats.values)),
    )
    for place in np.flatnonzero(shares & (entries.text_of < 0)).tolist():
        decimals[place] = count_decimals(entries.text_at(place))
    for code, places in own.items():
        alike = [each for each in certain if kinds[each] == kinds[code]]
        in_large, part = large[code]
        even = part == 0.5 and most[code] <= 100
        if not even and (not alike or (code not in certain and part)):
            continue
        # How many decimals percentages have; a fraction has more.
        printed_most = max(
            (decimals[own[each]][big[own[each]]].max() for each in alike), default=-1
        )
        printed = decimals[places] <= printed_most
        # Numbers of a column are printed alike: one with more decimals tells that the others may be
        # fractions, too.
        usual = code in certain or (not even and printed_most == 1 and printed.all())
        large_enough = bool(alike) or not even or most[code] >= _LEAST
        # So does a column of nothing above 1 that is printed unlike them: 0.237 beside 50.1.
        heads = entries.head_of[places]
        unlike = ~printed & ~np.isin(heads, heads[big[places]]) & bool(alike)
        sign[places] = ((in_large & large_enough) | (printed & usual)) & ~unlike
        doubtful[places] = ~sign[places]
        apart[places] = unlike
    if percent:
        sign, doubtful = sign | doubtful, np.zeros_like(doubtful)
    # --percent would make percentages of columns of fractions, too.
    settled = {kinds[code] for code in certain}
    is_mixed = any(not part and kinds[code] not in settled for code, (_, part) in large.items())
    remedy = _HEADING if is_mixed else _REMEDY
    _note(entries, doubtful & ~apart, notes, _EITHER, remedy)
    _note(entries, doubtful & apart, notes, _EITHER, _HEADINGS)
    return entries.rewrite(sign, percent=True).keep(~doubtful)


def _leave_small(
    entries: Entries,
    families: Sequence[_Family | None],
    notes: Notes,
    evaluations: Places | None,
    *,
    percent: bool | None,
) -> Entries:
    """Leave out a metric a little above 1 if nothing is in percent: 1.31 may as well be wrong."""
    found = [family and family.kind for family in families]
    is_share = np.array([kind is not None for kind in found], dtype=np.bool_)
    shares = is_share[entries.head_of] & np.isfinite(entries.values)
    large = shares & (entries.values > 1)
    if percent is not None or not large.any() or entries.signed.any():
        return entries
    distinct = {found[head] for head in entries.head_of[large].tolist()}
    if len(distinct) > 1 or entries.values[shares].max() >= _LEAST:
        return entries
    is_own = np.array([kind in distinct for kind in found], dtype=np.bool_)
    own = is_own[entries.head_of]
    at = entries.rows if evaluations is None else evaluations[entries.rows]
    _, part = _tell_rows(at[own], large[own])
    if part <= 0.5:
        return entries
    for place in np.flatnonzero(large).tolist():
        notes.add(entries[place].line, entries.text_at(place), _SMALL)
    _note(entries, own & ~large, notes, _EITHER, _REMEDY)
    return entries.keep(~own)


def _leave_open(
    entries: Entries, columns: Collection[str], notes: Notes, *, percent: bool | None = None
) -> Entries:
    """Leave out columns said to be percentages, if none of their numbers is greater than 1."""
    marked = np.array([head.column in columns for head in entries.heads], dtype=np.bool_)[
        entries.head_of
    ]
    if not marked.any() or (entries.values[marked] > 1).any():
        return entries
    if percent is not None:
        return entries.rewrite(marked, percent=percent)
    _note(entries, marked, notes, f"{_EITHER}, as none is greater than 1", _REMEDY)
    return entries.keep(~marked)


def _drop_contradictions(
    entries: Entries, notes: Notes, evaluations: Places | None = None
) -> Entries:
    """Leave out percentages below Hits@k for a smaller k, which may be fractions."""
    k = np.array(
        [head.metric.hits_k or 0 if head.adjustment is None else 0 for head in entries.heads],
        dtype=np.intp,
    )
    own = entries.signed & (k[entries.head_of] > 0)
    if not (own & (entries.values <= 1)).any():
        return entries
    at = entries.rows if evaluations is None else evaluations[entries.rows]
    places = np.flatnonzero(own)
    key = at[places] * max(len(entries.contexts), 1) + entries.context_of[places]
    order = np.lexsort((k[entries.head_of[places]], key))
    places, key = places[order], key[order]
    # In each evaluation, numbers up to 1 behind the first that is greater.
    large = entries.values[places] > 1
    seen = np.cumsum(large)
    before: Places = seen - large
    starts = (
        np.concatenate(([True], key[1:] != key[:-1])) if len(key) else np.empty(0, dtype=np.bool_)
    )
    base = np.maximum.accumulate(np.where(starts, before, 0))
    wrong = np.zeros(len(entries), dtype=np.bool_)
    wrong[places[~large & (before > base)]] = True
    _note(entries, wrong, notes, _FRACTION, "is it a fraction?")
    return entries.keep(~wrong)


def name_percentages(entries: Entries) -> str:
    """Return what is in percent, as half a sentence; nothing if nothing is."""
    heads = [entries.heads[head] for head in np.unique(entries.head_of[entries.signed]).tolist()]
    names = dict.fromkeys(head.metric.label.partition("@")[0] for head in heads)
    return f"{' and '.join(names)} in percent" if names else ""


def count_decimals(text: str) -> int:
    """Count the decimals of a number, without its deviation."""
    return len(text.partition("±")[0].strip().partition(".")[2])


def _note(entries: Entries, chosen: Flags, notes: Notes, why: str, remedy: str) -> None:
    for place in np.flatnonzero(chosen).tolist():
        entry = entries[place]
        way = remedy.format(entry.column)
        notes.add(entry.line, entry.text.rstrip("%"), f"{why}, in column {entry.column}: {way}")


def _tell_rows(rows: Places, big: Flags) -> tuple[Flags, float]:
    """Tell of each place whether its row has a number above 1, and how many of the rows have."""
    distinct, inverse = np.unique(rows, return_inverse=True)
    large = np.bincount(inverse, weights=big, minlength=distinct.size) > 0
    return large[inverse], float(large.mean())
