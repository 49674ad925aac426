"""What a check is, and what it reports: the rows that it looked at, and those that are not as they should be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankconst.tables.schema import COLUMNS
from rankconst_builder.package import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    Examine = Callable[..., "Checked"]


_COUNTS = frozenset(column.name for columns in COLUMNS.values() for column in columns if column.kind == "count")

Level = Literal["failed", "warning", "note"]
"""``failed``: it is wrong. ``warning``: it may be. ``note``: something could not be looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be."""

    message: str
    table: str = ""  # or file; empty for the set as a whole
    key: Mapping[str, Any] = field(default_factory=dict)  # of the row; empty for a whole table
    column: str = ""  # or field of the descriptor
    expected: Any = None
    got: Any = None
    level: Level = "failed"


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of a check: how many rows, or files, were looked at, and what is not as it should be."""

    rows: int
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, rows: int, findings: Iterable[Finding]) -> Checked:
        """Return the outcome with findings from any iterable."""
        return cls(rows, tuple(findings))


@dataclass(frozen=True)
class Check:
    """Something that must hold for every set of tables."""

    name: str
    covers: str  # what it looks at, in words
    examine: Examine  # of the set, and for `rebuild` also of the means
    needs: tuple[str, ...] = ()  # the tables without which there is nothing to look at
    rebuild: bool = False  # True if it computes everything again, and is run only when asked for


CHECKS: dict[str, Check] = {}
"""Name to check, in the order in which they are run."""


def check(name: str, covers: str, *needs: str, rebuild: bool = False) -> Callable[[Examine], Examine]:
    """Register a function as the next check."""

    def register(examine: Examine) -> Examine:
        CHECKS[name] = Check(name, covers, examine, needs, rebuild)
        return examine

    return register


def point_out(
    frame: pd.DataFrame,
    table: str,
    wrong: ArrayLike,
    column: str,
    message: str,
    *,
    expected: Any = None,
    level: Level = "failed",
) -> list[Finding]:
    """Turn the rows of `frame` that are `wrong` in a column into findings; `expected` is one value, or one a row."""
    places = np.flatnonzero(np.asarray(wrong, dtype=np.bool_))
    if not places.size:
        return []
    picked = frame.iloc[places]
    keys = [name for name in KEYS.get(table, ()) if name in picked.columns]
    wanted = _spread(expected, places, len(frame))
    columns = [picked[name].tolist() for name in keys]
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(picked)
    return [
        Finding(message, table, _name_row(keys, row), column, _show(column, want), _show(column, have), level)
        for row, want, have in zip(rows, wanted, picked[column].tolist(), strict=True)
    ]


def _name_row(names: list[str], values: Iterable[Any]) -> dict[str, Any]:
    named = {name: _show(name, value) for name, value in zip(names, values, strict=True)}
    return {name: value for name, value in named.items() if value is not None}


def _show(column: str, value: Any) -> Any:
    """Return a plain value; a whole number in a column of counts, whatever type it was compared as."""
    shown = plain(value)
    return int(shown) if column in _COUNTS and isinstance(shown, float) and shown.is_integer() else shown


def _spread(expected: Any, places: NDArray[np.int64], rows: int) -> list[Any]:
    if isinstance(expected, str) or not hasattr(expected, "__len__") or len(expected) != rows:
        return [expected] * places.size
    return list(np.asarray(expected)[places].tolist())


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; missing ones as None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isinf(value):
            return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    return str(value)
