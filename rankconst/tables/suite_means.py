"""The mean of a metric over the graphs of a suite: its constants follow from those of the graphs.

The mean over D graphs has expectation ``mean(E_d)`` and, as graphs are independent, variance
``sum(V_d) / D**2``. It is also a mean over all tasks, in which a task of graph d counts ``1 / (D
n_d)``: its constants are those of a histogram with these weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.literature import join_graphs, read_suite
from rankconst.errors import UndefinedError, UnknownNameError, UsageError
from rankconst.tasks import Histogram, Tasks, pool_graphs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.catalogue.literature import Suite
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables


@dataclass(frozen=True, slots=True)
class Coverage:
    """The graphs of a suite that tables hold, and those that are missing."""

    suite: Suite
    tasks: dict[str, Tasks]  # key of each graph that the tables hold to its ranking tasks
    missing: tuple[str, ...]  # the keys of the other graphs

    def __str__(self) -> str:
        """Count the graphs: ``36 of 41 graphs; without mt1_tax, ...``."""
        total = len(self.suite.graphs)
        if not self.missing:
            return f"all {total} graphs"
        return f"{len(self.tasks)} of {total} graphs; without {', '.join(self.missing)}"


def cover_suite(suite: Suite, tasks: Tasks, tables: Tables) -> Coverage:
    """Return a suite's tasks on the graphs that tables hold, and the missing graphs."""
    tasks_of = {key: _find_tasks(suite, key, tasks) for key in suite.graphs if key in tables.titles}
    return Coverage(suite, tasks_of, tuple(key for key in suite.graphs if key not in tasks_of))


def require_suite(suite: Suite, tasks: Tasks, tables: Tables) -> Coverage:
    """Return the coverage of a suite, or raise UnknownNameError if the tables hold no graph."""
    coverage = cover_suite(suite, tasks, tables)
    if not coverage.tasks:
        raise UnknownNameError(f"the tables ({tables.version}) hold no graph of {suite.key}.")
    return coverage


def _find_tasks(suite: Suite, key: str, tasks: Tasks) -> Tasks:
    """Return the ranking tasks of a suite on one of its graphs."""
    tool = suite.tool
    if tool is None:
        return replace(tasks, dataset=key)
    side = tool.find_side(key) if tasks.side == "both" else tasks.side
    return replace(tasks, dataset=key, split=tool.find_split(key, tasks.split), side=side)


def join_tasks(graphs: Sequence[Tasks], tool: Tool | None) -> Tasks | None:
    """Return the tasks of the suite whose mean is over the given graphs; None if there is none."""
    first, keys = graphs[0], [graph.dataset for graph in graphs]
    if any(graph.relations or not graph.is_micro for graph in graphs):
        return None

    for key in join_graphs(keys, tool):
        suite = read_suite(key)
        if suite is None:
            continue
        mean = replace(first, dataset=key)
        if suite.tool is not None:
            split, side = suite.tool.find_usual(first.dataset, first.split, first.side)
            mean = replace(mean, split=split, side=side)
        if all(_find_tasks(suite, graph.dataset, mean) == graph for graph in graphs):
            return mean

    return None


def pool_suite(suite: Suite, tasks: Tasks, tables: Tables) -> Histogram:
    """Return the histogram of a mean over the graphs of a suite that the tables hold.

    Raises UsageError for relations and macro averages, UndefinedError if a graph is missing for a
    baseline other than chance.
    """
    if tasks.relations or not tasks.is_micro:
        raise UsageError(
            f"{suite.key} averages over graphs: leave out relations and macro averages."
        )

    coverage = require_suite(suite, tasks, tables)
    if coverage.missing and not tasks.is_chance:
        raise UndefinedError(
            f"what {tasks.baseline} gets is not known of all graphs: the tables hold {coverage}."
        )
    return pool_graphs([tables.histogram(graph) for graph in coverage.tasks.values()])
