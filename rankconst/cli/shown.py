"""Numbers of a row as people read them: with what their rounding leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.constants.published import Interval, show_uncertain
from rankconst.constants.significance import show_probability

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.cli.output import Row


def show_interval(key: str) -> Callable[[Row], str]:
    """Return what shows the number under `key` with what its ``_lower`` and ``_upper`` ends leave open."""

    def show(row: Row) -> str:
        if row[key] is None:
            return "–"
        return show_uncertain(row[key], Interval(row[f"{key}_lower"], row[f"{key}_upper"]))

    return show


def show_tail(key: str) -> Callable[[Row], str]:
    """Return what shows the probability whose logarithm is under `key`, with its interval."""

    def show(row: Row) -> str:
        if row[key] is None:
            return "–"
        return show_probability(row[key], Interval(row[f"{key}_lower"], row[f"{key}_upper"]))

    return show
