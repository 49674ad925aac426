"""The sets of tasks that are left open by what the user asks for and by what the file says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankconst.aggregations import DEFAULT_AGGREGATION, parse_aggregation
from rankconst.errors import UnknownNameError
from rankconst.protocols import parse_protocol, parse_side, parse_split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from rankconst.evidence import Evidence
    from rankconst.identification.matches import Match
    from rankconst.settling import Setting
    from rankconst.tables import Tables
    from rankconst.tasksets import TaskSets

__all__ = ["holds", "keep_aggregation", "list_names", "read_asked", "read_stated", "select"]


def read_asked(setting: Setting, tables: Tables) -> dict[str, str]:
    """Return the names that the user gives, as keys.

    Raises
    ------
    UnknownNameError
        For a name that nobody knows.
    """
    parsers: dict[str, Callable[[str], str]] = _parsers(tables)
    given = {name: getattr(setting, name) for name in parsers}
    return {name: parsers[name](text) for name, text in given.items() if text is not None}


def read_stated(evidence: Evidence, setting: Setting, tables: Tables) -> tuple[dict[str, str], list[str]]:
    """Return the names that the file states, and notes on those that nobody knows."""
    found, notes = {}, []
    for name, parse in _parsers(tables).items():
        text = evidence.stated.get(name)
        if text is None:
            continue
        try:
            found[name] = parse(text)
        except UnknownNameError:
            notes.append(f"the file says {name} {text}, which the tables do not have.")
    # Numbers of macro averages say so, or their user does.
    if setting.aggregation is None:
        found.setdefault("aggregation", DEFAULT_AGGREGATION)
    return found, notes


def keep_aggregation(stated: Mapping[str, str]) -> dict[str, str]:
    """Return the aggregation alone, of all that a file states."""
    return {name: key for name, key in stated.items() if name == "aggregation"}


def holds(matches: Iterable[Match], name: str, key: str) -> bool:
    """Tell whether any of the sets that fit has this key under that name."""
    return any(getattr(tasks, name) == key for match in matches for tasks in (match.tasks, *match.same))


def list_names(names: Mapping[str, str]) -> str:
    """List names for messages; the usual aggregation goes without saying."""
    shown = [f"{name} {key}" for name, key in names.items() if (name, key) != ("aggregation", DEFAULT_AGGREGATION)]
    return ", ".join(shown)


def select(candidates: TaskSets, names: Mapping[str, str]) -> NDArray[np.bool_]:
    """Return which sets have all of these keys."""
    chosen = np.ones(len(candidates.sets), dtype=bool)
    for name, key in names.items():
        chosen &= candidates.names[name] == key
    return chosen


def _parsers(tables: Tables) -> dict[str, Callable[[str], str]]:
    return {
        "dataset": tables.resolve_dataset,
        "split": parse_split,
        "side": parse_side,
        "protocol": lambda name: parse_protocol(name).key,
        "aggregation": lambda name: parse_aggregation(name).key,
    }
