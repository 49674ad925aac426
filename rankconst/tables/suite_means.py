"""The mean of a metric over the graphs of a suite: its constants follow from those of the graphs.

The mean over D graphs has expectation ``mean(E_d)`` and, as graphs are independent, variance
``sum(V_d) / D**2``. It is also a mean over all tasks, in which a task of graph d counts ``1 / (D
n_d)``: its constants are those of a histogram with these weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.suites import join_graphs, read_suite
from rankconst.errors import UndefinedError, UnknownNameError, UsageError
from rankconst.tasks import Histogram, Tasks, pool_graphs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.catalogue.suites import Suite
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of which graphs of a suite there are ranking tasks.

    Attributes
    ----------
    suite
        The suite.
    held
        Key of each graph that the tables hold to its ranking tasks.
    missing
        The keys of the others.
    """

    suite: Suite
    held: dict[str, Tasks]
    missing: tuple[str, ...]

    def __str__(self) -> str:
        """Say over how many graphs a mean is: ``36 of 41 graphs; without mt1_tax, ...``."""
        total = len(self.suite.graphs)
        if not self.missing:
            return f"all {total} graphs"
        return f"{len(self.held)} of {total} graphs; without {', '.join(self.missing)}"


def cover_suite(suite: Suite, tasks: Tasks, tables: Tables) -> Coverage:
    """Return the ranking tasks of each graph, with the tool's own split and side."""
    held = {key: _find_tasks(suite, key, tasks) for key in suite.graphs if key in tables.titles}
    return Coverage(suite, held, tuple(key for key in suite.graphs if key not in held))


def require_suite(suite: Suite, tasks: Tasks, tables: Tables) -> Coverage:
    """Do the same; UnknownNameError if the tables hold none of the graphs."""
    covered = cover_suite(suite, tasks, tables)
    if not covered.held:
        raise UnknownNameError(f"the tables ({tables.version}) hold no graph of {suite.key}.")
    return covered


def _find_tasks(suite: Suite, key: str, tasks: Tasks) -> Tasks:
    """Return the ranking tasks of a graph."""
    tool = suite.tool
    if tool is None:
        return replace(tasks, dataset=key)
    side = tool.find_side(key) if tasks.side == "both" else tasks.side
    return replace(tasks, dataset=key, split=tool.find_split(key, tasks.split), side=side)


def join_tasks(graphs: Sequence[Tasks], tool: Tool | None) -> Tasks | None:
    """Return the address of the mean over graphs; None if they are of several evaluations."""
    first, keys = graphs[0], [each.dataset for each in graphs]
    if any(each.relations or not each.is_micro for each in graphs):
        return None
    for key in join_graphs(keys, tool):
        suite = read_suite(key)
        if suite is None:
            continue
        joined = replace(first, dataset=key)
        if suite.tool is not None:
            split, side = suite.tool.find_usual(first.dataset, first.split, first.side)
            joined = replace(joined, split=split, side=side)
        if all(_find_tasks(suite, each.dataset, joined) == each for each in graphs):
            return joined
    return None


def pool_suite(suite: Suite, tasks: Tasks, tables: Tables) -> Histogram:
    """Return the candidates of all graphs that the tables hold, a task counting 1 / (D n_d)."""
    if tasks.relations or not tasks.is_micro:
        raise UsageError(
            f"{suite.key} averages over graphs: leave out relations and macro averages."
        )
    covered = require_suite(suite, tasks, tables)
    if covered.missing and not tasks.is_chance:
        raise UndefinedError(
            f"what {tasks.baseline} gets is not known of all graphs: the tables hold {covered}."
        )
    return pool_graphs([tables.histogram(each) for each in covered.held.values()])
