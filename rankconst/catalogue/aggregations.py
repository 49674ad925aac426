"""Aggregations: how much each ranking task counts in a mean over tasks.

Most tools count every task once. Macro averages let every query, or every relation, count once: a
task's weight is one over the number of tasks in its group, so that popular queries do not dominate.
A new aggregation is a new row.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from rankconst.names import Names, squash


class Aggregation(NamedTuple):
    """A rule by which ranking tasks are weighted."""

    key: str
    # What counts once; a query is an entity with a relation, and a time or qualifiers if facts
    # have them, on one side. A task's weight is 1 / the number of ranking tasks of its group on its
    # side.
    group: Literal["task", "query", "relation"]
    summary: str  # one sentence for users
    spellings: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()


AGGREGATIONS: dict[str, Aggregation] = {
    aggregation.key: aggregation
    for aggregation in (
        Aggregation(
            key="micro",
            group="task",
            summary="Every ranking task counts once.",
            spellings=("task",),
            used_by=("most tools",),
        ),
        Aggregation(
            key="macro-query",
            group="query",
            summary=(
                "Every query (h, r, ?) or (?, r, t), with its time or qualifiers if it has any, "
                "counts once: tasks weigh 1 / tasks of their query."
            ),
            spellings=("query",),
            used_by=("PyKEEN's MacroRankBasedEvaluator",),
        ),
        Aggregation(
            key="macro-relation",
            group="relation",
            summary=(
                "Every relation counts once on each side: tasks weigh 1 / tasks of their relation."
            ),
            spellings=("relation",),
        ),
    )
}
"""The aggregations, by key, in the order of the tables."""

DEFAULT_AGGREGATION = "micro"

MACROS: dict[str, Aggregation] = {
    key: row for key, row in AGGREGATIONS.items() if row.group != "task"
}
"""Those that weigh tasks unequally."""

_EITHER = "macro"

_NAMES = Names("aggregation", {key: row.spellings for key, row in AGGREGATIONS.items()})


def parse_aggregation(name: str) -> Aggregation:
    """Read an aggregation's name in any usual spelling."""
    return AGGREGATIONS[_NAMES.resolve(name)]


def is_either_macro(name: str | None) -> bool:
    """Tell whether a name says macro, but not whether over queries or relations."""
    return squash(name or "") == _EITHER
