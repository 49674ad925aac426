"""The numbers of one evaluation as rules see them: with their intervals, their grid of ranks, and their tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import CATALOGUE, parse_metric
from rankconst.catalogue.protocols import SIDES, SPLITS
from rankconst.constants.batches import count_ranked
from rankconst.constants.published import Interval
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.names import squash
from rankconst.results.evaluation import settle
from rankconst.results.reading import Measured, are_in_full, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.constants.constants import Constants
    from rankconst.results.evaluation import Stated
    from rankconst.results.reading import Entry, Group, Reading
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Histogram, Tasks, WeightedHistogram


_T = TypeVar("_T")

_WHOLE_RANK_TYPES = frozenset({"optimistic", "pessimistic", "nondeterministic"})


@dataclass(frozen=True)
class Archive:
    """Tables, with a memory for what rules compute from them."""

    tables: Tables
    _memory: dict[tuple[object, ...], object] = field(default_factory=dict, repr=False, compare=False)

    def constants(self, tasks: Tasks, metric: Metric) -> Constants | None:
        """Return the constants of a metric on ranking tasks; None if there are none."""
        return self.recall((tasks, metric), lambda: self._look_up(tasks, metric))

    def _look_up(self, tasks: Tasks, metric: Metric) -> Constants | None:
        try:
            return self.tables.look_up(tasks, metric)
        except (UnknownNameError, UsageError):  # not tabulated, or no such average
            return None

    def histogram(self, tasks: Tasks) -> Histogram | WeightedHistogram | None:
        """Return the candidate counts of ranking tasks; None if there are none."""
        constants = self.constants(tasks, CATALOGUE["arithmetic_mean_rank"])
        return None if constants is None else constants.histogram

    def recall(self, key: tuple[object, ...], compute: Callable[[], _T]) -> _T:
        """Return what was computed under a key before, or compute it."""
        if key not in self._memory:
            self._memory[key] = compute()
        return self._memory[key]  # type: ignore[return-value]  # what its own compute made

    def list_others(self, tasks: Tasks) -> list[Tasks]:
        """Return the other ranking tasks of the dataset: first those that differ in the protocol only."""
        return self.recall(("others", tasks), lambda: self._find_others(tasks))

    def _find_others(self, tasks: Tasks) -> list[Tasks]:
        every = [
            replace(tasks, protocol=protocol, split=split, side=side)
            for protocol in self.tables.protocols(tasks.dataset)
            for split in SPLITS
            if self.tables.holds(replace(tasks, protocol=protocol, split=split))
            for side in SIDES
        ]
        every.sort(
            key=lambda one: (one.protocol != tasks.protocol) + (one.split != tasks.split) + (one.side != tasks.side)
        )
        every.sort(key=lambda one: (one.split, one.side) != (tasks.split, tasks.side))
        return [one for one in every if one != tasks]


@dataclass(frozen=True)
class Case:
    """The numbers of one evaluation.

    Attributes
    ----------
    group
        Where they stand.
    measured
        All that are numbers, adjusted ones among them.
    unreadable
        The others, each with the reason.
    own
        Metric to its value, the interval cut at the metric's range. Left out are impossible values, and metrics of
        which the file gives two values that differ: nobody knows which of them goes with the others.
    step
        1 if ranks are whole, 1/2 if they can be halves.
    archive
        Where constants are looked up; None if there are no tables.
    tasks, tool
        The ranking tasks, None if they are not known; and the tool that evaluated them, None if it is not.
    assumed
        True if neither file nor user names a protocol or a source: it is the default one.
    percent
        True if shares are percentages without a sign.
    """

    group: Group
    measured: tuple[Measured, ...]
    unreadable: tuple[tuple[Entry, str], ...]
    own: Mapping[Metric, Measured]
    step: float
    archive: Archive | None = None
    tasks: Tasks | None = None
    tool: Tool | None = None
    assumed: bool = True
    percent: bool = False

    @property
    def hits(self) -> dict[int, Measured]:
        """The shares of hits by their k, ascending."""
        found = {metric.k: m for metric, m in self.own.items() if metric.k is not None}
        return dict(sorted(found.items()))

    def mean(self, name: str) -> tuple[Measured, Interval] | None:
        """Return a mean of ranks (HMR, GMR, MR, QMR or the median MdR) and its interval, in ranks.

        It may be given as its inverse: 1/MRR is the HMR.
        """
        metric = parse_metric(name)
        if (m := self.own.get(metric)) is not None:
            return m, m.interval
        inverse = metric.inverse
        if inverse is not None and (m := self.own.get(inverse)) is not None:
            return m, invert(m.interval)
        return None

    def constants(self, metric: Metric) -> Constants | None:
        """Return what a random ranker gets; None if the tasks are not known."""
        if self.archive is None or self.tasks is None:
            return None
        return self.archive.constants(self.tasks, metric)

    @property
    def widest(self) -> Histogram | WeightedHistogram | None:
        """Candidate counts that no task exceeds: where the protocol is assumed, those without any filter."""
        if self.archive is None or self.tasks is None:
            return None
        raw = replace(self.tasks, protocol="raw")
        return self.archive.histogram(raw if self.assumed and self.archive.tables.holds(raw) else self.tasks)

    @property
    def most(self) -> float:
        """The largest number of candidates that any task can have; infinite if not known."""
        histogram = self.widest
        return math.inf if histogram is None else float(histogram.num_candidates.max())

    @property
    def num_tasks(self) -> int | None:
        """The number of ranks that the numbers are means of; None if not known, or if ranks count differently."""
        stated = self.group.context.num_tasks
        aggregation = self.group.context.aggregation if self.tasks is None else self.tasks.aggregation
        if squash(aggregation or DEFAULT_AGGREGATION) != DEFAULT_AGGREGATION:
            return None
        if stated is not None or self.archive is None or self.tasks is None:
            return stated
        return count_tasks(self.archive, self.tasks, self.tool)


def count_tasks(archive: Archive, tasks: Tasks, tool: Tool | None) -> int | None:
    """Return the number of ranking tasks that the tool evaluates; None if the tables have none of them.

    A tool that ranks whole batches of triples only leaves out the last, incomplete one.
    """
    histogram = archive.histogram(tasks)
    if histogram is None:
        return None
    if tool is None or tool.batch is None:
        return histogram.total
    try:
        return count_ranked(histogram.total, tasks.side, tool.batch)
    except DataError:  # no batch is whole
        return None


def invert(interval: Interval) -> Interval:
    """Return the interval of 1/x for x >= 0; 1/0 is infinite."""
    lower, upper = (math.inf if end <= 0 else 1 / end for end in reversed(interval))
    return Interval(lower, upper)


def build_case(group: Group, reading: Reading, user: Stated, archive: Archive | None = None) -> tuple[Case, str]:
    """Read the numbers of a group, and find out which ranking tasks they belong to.

    Returns
    -------
    tuple
        The case; and what to know about its ranking tasks: why they are not known, or how they were found.

    Raises
    ------
    UsageError
        If file and setting contradict each other.
    """
    measured: list[Measured] = []
    unreadable: list[tuple[Entry, str]] = []
    in_full = are_in_full(group.entries)
    for entry in group.entries:
        try:
            measured.append(measure(entry, percent=user.percent, in_full=in_full))
        except DataError as error:
            unreadable.append((entry, str(error)))
    found, reason = _settle(group.context, reading, user, archive)
    tasks, tool = found or (None, None)
    given = group.context.tool or user.tool or reading.tool
    assumed = not (given or group.context.protocol or user.protocol)
    if assumed and archive is not None and tasks is not None:
        counted = _find_counted(group.context.num_tasks, archive, tasks, tool)
        if counted is not None:
            tasks, assumed = counted, False
            reason = f"{counted.dataset} {counted.split}: the number of ranks is that of protocol {counted.protocol}."
    case = Case(
        group=group,
        measured=tuple(measured),
        unreadable=tuple(unreadable),
        own=_pick_own(measured),
        step=1.0 if _has_whole_ranks(group.context, tool) else 0.5,
        archive=archive,
        tasks=tasks,
        tool=tool,
        assumed=assumed,
        percent=user.percent,
    )
    return case, reason


def _find_counted(stated: int | None, archive: Archive, tasks: Tasks, tool: Tool | None) -> Tasks | None:
    """Return the tasks with the stated number of ranks, where those of the default protocol have another one."""
    if stated is None or stated == count_tasks(archive, tasks, tool):
        return None
    same = (other for other in archive.list_others(tasks) if (other.split, other.side) == (tasks.split, tasks.side))
    return next((other for other in same if count_tasks(archive, other, tool) == stated), None)


def _pick_own(measured: list[Measured]) -> dict[Metric, Measured]:
    every: dict[Metric, list[Measured]] = {}
    for m in measured:
        if m.entry.adjustment is None and m.entry.metric.optimum is not None:
            every.setdefault(m.entry.metric, []).append(m)
    own = {}
    for metric, candidates in every.items():
        first = candidates[0]
        cut = Interval(max(first.interval.lower, metric.lower), min(first.interval.upper, metric.upper))
        if len({m.interval for m in candidates}) == 1 and cut.lower <= cut.upper:
            own[metric] = Measured(first.entry, first.value, cut, first.averaged)
    return own


def _has_whole_ranks(context: Stated, tool: Tool | None) -> bool:
    if context.rank_type is not None:
        return context.rank_type in _WHOLE_RANK_TYPES
    return tool is not None and tool.whole_ranks


def _settle(
    context: Stated, reading: Reading, user: Stated, archive: Archive | None
) -> tuple[tuple[Tasks, Tool | None] | None, str]:
    if archive is None:
        return None, _unknown("no tables were given.")
    # Thousands of rows may say the same.
    said = replace(context, model=None, rank_type=None, num_tasks=None)
    return archive.recall(("settled", said), lambda: _look_up(said, reading, user, archive))


def _look_up(
    context: Stated, reading: Reading, user: Stated, archive: Archive
) -> tuple[tuple[Tasks, Tool | None] | None, str]:
    try:
        tasks, tool = settle(context, user, archive.tables, tool=reading.tool)
    except (DataError, UnknownNameError) as error:
        return None, _unknown(str(error))
    if archive.histogram(tasks) is None:
        return None, _unknown(
            f"the tables ({archive.tables.version}) hold no {tasks.split} tasks of {tasks.dataset} "
            f"under protocol {tasks.protocol}."
        )
    if count_tasks(archive, tasks, tool) is None and tool is not None:
        return None, _unknown(
            f"{tool.title} ranks whole batches of {tool.batch} triples only, and {tasks.dataset} {tasks.split} has "
            "fewer."
        )
    return (tasks, tool), ""


def _unknown(reason: str) -> str:
    return f"ranking tasks not known, rules that need them left out: {reason}"
