"""Compare two sets of tables, and say by how much the version must rise.

Any changed or removed value is a major change, new rows, columns or tables are a minor one, the same data rewritten or
described otherwise is a patch. Machines differ in the last bits of what they compute, so a constant that moved by no
more than its stated error, in the old set and in the new one, has not changed: it stays as it was released.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankconst.errors import DataError
from rankconst.tables.schema import COLUMNS
from rankconst_builder.package import KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    Truths = NDArray[np.bool_]
    Places = NDArray[np.int64]


DESCRIPTIONS = ("title", "aliases", "licence", "citation", "citation_url")
"""Columns that say what a row is about: no constant depends on them."""

ERRORS = {"expectation": "expectation_error", "variance": "variance_error"}
"""Column of the constants to the column of its error."""

ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Relative difference that the same sample may have on another machine, from sums in another order."""

SAMPLED_ROUNDING = 1e-12
"""The same of a sample's standard errors, which are differences."""

ERROR_FACTOR = 2.0
"""By how much an error may differ between machines: a bound is itself computed, and often is rounding alone."""

STANDARD_ERRORS = 5
"""How many standard errors two samples of one law may differ by."""

_EXAMPLES = 5


class Bump(IntEnum):
    """Which part of a version must rise."""

    patch = 0
    minor = 1
    major = 2


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value that is another one in the new set."""

    key: Mapping[str, Any]  # column to value, of those that identify the row
    column: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class TableChanges:
    """What happened to a table."""

    name: str
    changed: int = 0  # rows, like `removed` and `added`
    removed: int = 0
    added: int = 0
    described: int = 0  # rows of which only the description is another
    within_error: int = 0  # the number of values that differ within their stated errors; they count as the same
    examples: tuple[ChangedValue, ...] = ()  # the first changed values
    removed_examples: tuple[Mapping[str, Any], ...] = ()  # the keys of the first removed rows
    # Columns that the old set does not have; all of them for a table that it does not have.
    new_columns: tuple[str, ...] = ()
    is_new: bool = False  # True for such a table

    @property
    def bump(self) -> Bump:
        """What the version rule asks for."""
        if self.changed or self.removed:
            return Bump.major
        return Bump.minor if self.added or self.new_columns else Bump.patch


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to a set, table by table."""

    tables: tuple[TableChanges, ...] = field(default=())
    kept: int = 0  # the number of values that agree with the released ones, and were replaced by them beforehand

    @property
    def bump(self) -> Bump:
        """What the version rule asks for."""
        return max((table.bump for table in self.tables), default=Bump.patch)

    @property
    def within_error(self) -> int:
        """The number of values that differ within their stated errors."""
        return self.kept + sum(table.within_error for table in self.tables)


def smallest_version(previous: str, bump: Bump) -> str:
    """Return the first version after `previous` that the version rule allows.

    Examples
    --------
    >>> smallest_version("0.2.1", Bump.minor)
    '0.3.0'
    """
    parts = [int(part) for part in previous.split(".")]
    place = 2 - bump
    return ".".join(map(str, [*parts[:place], parts[place] + 1, *[0] * bump]))


def compare_sets(
    old: Mapping[str, pa.Table], new: Mapping[str, pa.Table], lacking: Mapping[str, Collection[str]] | None = None
) -> Changes:
    """Compare two sets of tables, row by row."""
    return Changes(tuple(_compare(name, old[name], new[name], (lacking or {}).get(name, ())) for name in COLUMNS))


def keep_released(old: pa.Table, new: pa.Table) -> pa.Table:
    """Return new constants with the values of the old ones, and their errors, where these have not changed.

    Another method's number replaces none that it agrees with, nor does a sample of another number of draws.
    """
    old_at, new_at, _ = _match_rows("constants", old, new)
    before, after = old.take(old_at), new.take(new_at)
    tolerated, agrees = _tolerate(before, after), _agrees(before, after)
    for column in (*tolerated, "num_draws"):
        kept = tolerated.get(column, agrees) | agrees
        stays, source = np.zeros(len(new), np.bool_), np.zeros(len(new), np.int64)
        stays[new_at[kept]], source[new_at[kept]] = True, old_at[kept]
        values = pc.if_else(pa.array(stays), old[column].take(source), new[column])
        place = new.schema.get_field_index(column)
        new = new.set_column(place, new.schema.field(place), values)
    return new


def count_kept(built: pa.Table, kept: pa.Table) -> int:
    """Return how many values :func:`keep_released` replaced."""
    return sum(int(np.count_nonzero(_differs(built[name], kept[name]))) for name in built.column_names)


def _agrees(before: pa.Table, after: pa.Table) -> Truths:
    """Tell which rows are numerical and agree within the errors of both, or are two samples that may be of one law."""
    numerical, sampled = (_is(before["method"], name) & _is(after["method"], name) for name in ("numerical", "sampled"))
    found: Truths = numerical | (sampled & _differs(before["num_draws"], after["num_draws"]))
    for column, error in ERRORS.items():
        apart = np.abs(_numbers(before[column]) - _numbers(after[column]))
        errors = _numbers(before[error]), _numbers(after[error])
        found &= apart <= np.where(sampled, STANDARD_ERRORS * np.hypot(*errors), np.add(*errors))
    return found


def _compare(name: str, old: pa.Table, new: pa.Table, lacking: Collection[str]) -> TableChanges:
    names = [column.name for column in COLUMNS[name]]
    old_at, new_at, removed = _match_rows(name, old, new)
    # What was not there has not changed.
    compared = [column for column in names if column not in KEYS[name] and column not in lacking]
    before, after = old.select(compared).take(old_at), new.select(compared).take(new_at)
    changed = {column: _differs(before[column], after[column]) for column in compared}
    told = [changed.pop(column) for column in DESCRIPTIONS if column in changed]
    compared = [*changed]
    within_error = 0
    if name == "constants":
        tolerated = _tolerate(before, after)
        for column in tolerated:
            within_error += int(np.count_nonzero(changed[column] & tolerated[column]))
            changed[column] = changed[column] & ~tolerated[column]
    rows = np.logical_or.reduce(list(changed.values())) if changed else np.zeros(len(old_at), np.bool_)
    return TableChanges(
        name=name,
        changed=int(np.count_nonzero(rows)),
        removed=len(removed),
        added=len(new) - len(new_at),
        described=int(np.count_nonzero(np.logical_or.reduce(told) & ~rows)) if told else 0,
        within_error=within_error,
        examples=tuple(
            ChangedValue(
                _key_of(name, old, old_at[place]), column, before[column][place].as_py(), after[column][place].as_py()
            )
            for place in map(int, np.flatnonzero(rows)[:_EXAMPLES])
            for column in compared
            if changed[column][place]
        ),
        removed_examples=tuple(_key_of(name, old, place) for place in removed[:_EXAMPLES]),
        new_columns=tuple(column for column in names if column in lacking),
        is_new=len(lacking) == len(names),
    )


def _key_of(name: str, table: pa.Table, place: np.int64) -> dict[str, Any]:
    return {column: table[column][int(place)].as_py() for column in KEYS[name]}


def _match_rows(name: str, old: pa.Table, new: pa.Table) -> tuple[Places, Places, Places]:
    """Find the rows with the same key: places in old and in new; and the places in old that new has not."""
    codes = np.zeros(len(old) + len(new), np.int64)
    for column in KEYS[name]:
        values, count = _encode(old[column], new[column])
        # Numbered again after each column, so that the product does not overflow.
        codes = np.unique(codes * count + values, return_inverse=True)[1].reshape(-1).astype(np.int64)
    of_old, of_new = codes[: len(old)], codes[len(old) :]
    for which, part in (("old", of_old), ("new", of_new)):
        if len(np.unique(part)) < len(part):
            raise DataError(f"two rows of {name} have the same {', '.join(KEYS[name])} in the {which} set.")
    place = np.full(codes.max(initial=-1) + 1, -1, np.int64)
    place[of_new] = np.arange(len(new))
    matched = place[of_old]
    return np.flatnonzero(matched >= 0), matched[matched >= 0], np.flatnonzero(matched < 0)


def _encode(old: pa.ChunkedArray[Any], new: pa.ChunkedArray[Any]) -> tuple[Places, int]:
    """Return a number for each value, old rows first, equal for equal values; and how many distinct ones there are."""
    both = pa.chunked_array([*old.chunks, *new.chunks], old.type).combine_chunks()
    if pa.types.is_list(both.type):
        values = both.to_pylist()
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(repr(value), len(numbers)) for value in values], np.int64), len(numbers)
    encoded = both.dictionary_encode(null_encoding="encode")
    indices: Places = encoded.indices.to_numpy(zero_copy_only=False)
    return indices.astype(np.int64), len(encoded.dictionary)


def _differs(before: pa.ChunkedArray[Any], after: pa.ChunkedArray[Any]) -> Truths:
    """Tell for each row whether two values differ; numbers do by value, so that 0 and -0 are the same."""
    if pa.types.is_floating(before.type):
        return ~_equal(_numbers(before), _numbers(after))
    codes, _ = _encode(before, after)
    different: Truths = codes[: len(before)] != codes[len(before) :]
    return different


def _equal(one: NDArray[np.float64], other: NDArray[np.float64]) -> Truths:
    """Compare numbers; two that are missing are equal."""
    same: Truths = (one == other) | (np.isnan(one) & np.isnan(other))
    return same


def _numbers(column: pa.ChunkedArray[Any]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = column.to_numpy()
    return values


def _tolerate(before: pa.Table, after: pa.Table) -> dict[str, Truths]:
    """Tell which values may differ, column by column: those that two machines would compute differently.

    A value may differ by the smaller of its two errors, and its error by a factor. What is sampled is drawn from a
    recorded seed, and may differ by rounding alone.
    """
    sampled = _is(before["method"], "sampled") | _is(after["method"], "sampled")
    found = {}
    for column, error in ERRORS.items():
        values = _numbers(before[column]), _numbers(after[column])
        errors = _numbers(before[error]), _numbers(after[error])
        slack = np.where(sampled, ROUNDING * np.abs(values[0]), np.minimum(*errors))
        within = np.abs(values[0] - values[1]) <= slack
        factor = np.where(sampled, 1 + SAMPLED_ROUNDING, ERROR_FACTOR)
        found[column] = within
        found[error] = within & (np.maximum(*errors) <= factor * np.minimum(*errors))
    return found


def _is(method: pa.ChunkedArray[Any], name: str) -> Truths:
    encoded = method.combine_chunks().dictionary_encode(null_encoding="encode")
    wanted = np.array([value == name for value in encoded.dictionary.to_pylist()], np.bool_)
    indices: Places = encoded.indices.to_numpy(zero_copy_only=False)
    return wanted[indices]
