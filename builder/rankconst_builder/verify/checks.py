"""What a check is, and what it finds: the rows, files or fields that are not as they should be."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankconst.tables.schema import COLUMNS
from rankconst_builder.package import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from typing import TypeAlias

    import pandas as pd
    from numpy.typing import ArrayLike

    from rankconst_builder.verify.tableset import TableSet

    Findings: TypeAlias = Generator["Finding", None, int]

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


@dataclass(frozen=True)
class Check:
    """Something that must hold for every set of tables."""

    name: str
    covers: str  # what it looks at, in words
    # Yields what it finds in the set, and returns how many rows it looked at; `rebuild` also takes the means.
    examine: Callable[..., Findings]
    needs: tuple[str, ...] = ()  # the tables without which there is nothing to look at
    rebuild: bool = False  # True if it computes everything again, and is run only when asked for


@dataclass(frozen=True)
class Result:
    """What came of a check."""

    check: Check
    status: Literal["ok", "failed", "not run"]  # "ok" also with warnings and notes; "not run" without its tables
    rows: int
    findings: tuple[Finding, ...]
    seconds: float


CHECKS: dict[str, Check] = {}
"""Name to check, in the order in which they are run."""


def check(
    name: str, covers: str, *needs: str, rebuild: bool = False
) -> Callable[[Callable[..., Findings]], Callable[..., Findings]]:
    """Register a function as the next check."""

    def register(examine: Callable[..., Findings]) -> Callable[..., Findings]:
        CHECKS[name] = Check(name, covers, examine, needs, rebuild)
        return examine

    return register


def run_check(check: Check, tables: TableSet, *means: Any) -> Result:
    """Run a check; rows of an unforeseen kind, over which it stumbles, are a finding."""
    started, findings, rows = time.perf_counter(), list[Finding](), 0
    if lacking := [name for name in check.needs if name not in tables.whole]:
        reason = Finding(f"not run: {', '.join(lacking)} cannot be read", level="note")
        return Result(check, "not run", 0, (reason,), 0.0)
    try:
        # Numbers that overflow are out of range, which is what is found.
        with np.errstate(over="ignore"):
            steps = check.examine(tables, *means)
            while True:
                findings.append(next(steps))
    except StopIteration as end:
        rows = end.value
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        findings.append(Finding(f"the check could not be finished: {type(error).__name__}: {error}"))
    status: Literal["ok", "failed"] = "failed" if any(one.level == "failed" for one in findings) else "ok"
    return Result(check, status, rows, tuple(findings), time.perf_counter() - started)


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
    keys = [name for name in KEYS.get(table, ()) if name in frame.columns]
    columns = {name: frame[name].iloc[places].tolist() for name in (*keys, column)}
    each = hasattr(expected, "__len__") and not isinstance(expected, str)
    found = []
    for at, place in enumerate(places):
        shown = {name: _show(name, values[at]) for name, values in columns.items()}
        key = {name: shown[name] for name in keys if shown[name] is not None}
        wanted = _show(column, expected[place] if each else expected)
        found.append(Finding(message, table, key, column, wanted, shown[column], level))
    return found


def _show(column: str, value: Any) -> Any:
    """Return a plain value; a whole number in a column of counts, whatever type it was compared as."""
    shown = plain(value)
    return int(shown) if column in _COUNTS and isinstance(shown, float) and shown.is_integer() else shown


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; missing ones as None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    return str(value)
