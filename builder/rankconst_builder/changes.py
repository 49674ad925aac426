"""Compare two sets of tables, and say by how much the version must rise.

Any changed or removed value is a major change, new rows, columns or tables are a minor one, the same data rewritten or
described otherwise is a patch. Machines differ in the last bits of what they compute, so a constant that moved by no
more than its stated errors has not changed: it stays as it was released.
"""

from __future__ import annotations

from dataclasses import dataclass
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

ROUNDING, SAMPLED_ROUNDING = 8 * float(np.finfo(np.float64).eps), 1e-12
"""Relative differences that the same sample may have on another machine, and its standard errors."""

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

    tables: tuple[TableChanges, ...] = ()
    kept: int = 0  # the number of values that agree with the released ones, and stay as these

    @property
    def bump(self) -> Bump:
        """What the version rule asks for."""
        return max((table.bump for table in self.tables), default=Bump.patch)


def smallest_version(previous: str, bump: Bump) -> str:
    """Return the first version after `previous` that the version rule allows."""
    parts = [int(part) for part in previous.split(".")]
    place = 2 - bump
    return ".".join(map(str, [*parts[:place], parts[place] + 1, *[0] * bump]))


def compare_sets(
    old: Mapping[str, pa.Table], new: Mapping[str, pa.Table], lacking: Mapping[str, Collection[str]] | None = None
) -> Changes:
    """Compare two sets of tables, row by row."""
    kept = keep_released(old["constants"], new["constants"])
    changed = (_differs(new["constants"][name], kept[name]) for name in kept.column_names)
    compared = {**new, "constants": kept}
    tables = (_compare(name, old[name], compared[name], (lacking or {}).get(name, ())) for name in COLUMNS)
    return Changes(tuple(tables), sum(int(np.count_nonzero(each)) for each in changed))


def keep_released(old: pa.Table, new: pa.Table) -> pa.Table:
    """Return new constants with the numbers of the old ones where these have not changed."""
    old_at, new_at, _ = _match_rows("constants", old, new)
    kept = _agrees(old.take(old_at), new.take(new_at))
    if not kept.any():
        return new
    stays, source = np.zeros(len(new), np.bool_), np.zeros(len(new), np.int64)
    stays[new_at[kept]], source[new_at[kept]] = True, old_at[kept]
    for column in (*ERRORS, *ERRORS.values(), "num_draws"):
        values = pc.if_else(pa.array(stays), old[column].take(source), new[column])
        place = new.schema.get_field_index(column)
        new = new.set_column(place, new.schema.field(place), values)
    return new


def _agrees(before: pa.Table, after: pa.Table) -> Truths:
    """Tell which rows two machines, or two methods, may have computed of the same constants."""
    sampled, other = (np.array(pc.equal(each["method"], pa.scalar("sampled")), np.bool_) for each in (before, after))
    drawn = sampled & ~_differs(before["num_draws"], after["num_draws"])
    found: Truths = sampled == other
    for column, error in ERRORS.items():
        one, two = _numbers(before[column]), _numbers(after[column])
        errors = _numbers(before[error]), _numbers(after[error])
        slack = np.where(sampled, STANDARD_ERRORS * np.hypot(*errors), np.add(*errors))
        found &= np.abs(one - two) <= np.where(drawn, ROUNDING * np.abs(one), slack)
        found &= ~drawn | (np.maximum(*errors) <= (1 + SAMPLED_ROUNDING) * np.minimum(*errors))
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
    rows = np.logical_or.reduce(list(changed.values())) if changed else np.zeros(len(old_at), np.bool_)
    return TableChanges(
        name=name,
        changed=int(np.count_nonzero(rows)),
        removed=len(removed),
        added=len(new) - len(new_at),
        described=int(np.count_nonzero(np.logical_or.reduce(told) & ~rows)) if told else 0,
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
    keys = [*KEYS[name]]
    both = pa.concat_tables([old.select(keys), new.select(keys)]).to_pandas(strings_to_categorical=True)
    codes = both.groupby(keys, dropna=False, sort=False, observed=True).ngroup().to_numpy()
    of_old, of_new = codes[: len(old)], codes[len(old) :]
    for which, part in (("old", of_old), ("new", of_new)):
        if len(np.unique(part)) < len(part):
            raise DataError(f"two rows of {name} have the same {', '.join(keys)} in the {which} set.")
    place = np.full(codes.max(initial=-1) + 1, -1, np.int64)
    place[of_new] = np.arange(len(new))
    matched = place[of_old]
    return np.flatnonzero(matched >= 0), matched[matched >= 0], np.flatnonzero(matched < 0)


def _differs(before: pa.ChunkedArray[Any], after: pa.ChunkedArray[Any]) -> Truths:
    """Tell for each row whether two values differ; numbers do by value, so that 0 and -0 are the same."""
    if pa.types.is_floating(before.type):
        one, other = _numbers(before), _numbers(after)
        same: Truths = (one == other) | (np.isnan(one) & np.isnan(other))
        return ~same
    if pa.types.is_list(before.type):
        pairs = zip(before.to_pylist(), after.to_pylist(), strict=True)
        return np.array([one != other for one, other in pairs], np.bool_)
    equal: Any = pc.equal(before, after)
    missing: Any = pc.and_(before.is_null(), after.is_null())
    return ~np.array(pc.or_(equal.fill_null(False), missing), np.bool_)


def _numbers(column: pa.ChunkedArray[Any]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = column.to_numpy()
    return values
