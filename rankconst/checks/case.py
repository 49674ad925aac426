"""Rules, the numbers of an evaluation that they check, and their findings."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from rankconst.catalogue.metrics import CATALOGUE, Metric, parse_metric
from rankconst.catalogue.protocols import DEFAULT_AGGREGATION
from rankconst.errors import AskedError, DataError, UndefinedError, UnknownNameError, UsageError
from rankconst.evaluation import settle
from rankconst.names import read_count, squash
from rankconst.results.gate import ask_counts
from rankconst.results.labels import read_label
from rankconst.results.reading import Measured, are_in_full, measure
from rankconst.results.tables.cells import has_number
from rankconst.values.bounds import is_infinite, tells_no_scores
from rankconst.values.published import Interval
from rankconst.values.whole_batches import count_ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address, Question
    from rankconst.results.reading import Entry, Group, Reading
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Histogram, Tasks
    from rankconst.values.constants import Constants


Severity = Literal["error", "warning", "info"]

_WHOLE_RANK_TYPES = frozenset({"optimistic", "pessimistic", "nondeterministic"})


@dataclass(frozen=True, slots=True)
class Finding:
    """Numbers that are impossible or unlikely."""

    values: tuple[Measured, ...]
    # The broken law, written with their own metrics: "Hits@1 <= Hits@3"; empty for the rule's.
    inequality: str
    statement: str
    # The probable cause, as a sentence; empty if none is more likely than the rest.
    cause: str = ""
    # error: no ranks can give these; warning: they can if an assumption about the ranking tasks is
    # wrong, or as means over several runs; info: they are possible but unlikely.
    severity: Severity = "error"
    # The evaluation: "RotatE, FB15k-237, test"; empty for a whole file, or if the file names none.
    label: str = ""
    rule: str = ""

    def __repr__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        return f"Finding({self.severity}, {self.rule}: {where}{self.statement})"

    @property
    def line(self) -> int | None:
        """The first of its lines, counted from 1, or None if the file has no lines."""
        return min(
            (number.entry.line for number in self.values if number.entry.line is not None),
            default=None,
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that numbers obey, and the function that finds where they do not.

    `whole_file`: the rule is about all evaluations of a file together.
    """

    key: str
    title: str
    inequality: str
    why: str
    find: Callable[[Any], Iterable[Finding]]
    whole_file: bool = False

    def apply(self, cases: Sequence[Case]) -> Iterator[Finding]:
        """Yield the findings in the evaluations of a file."""
        if self.whole_file:
            yield from (replace(finding, rule=self.key) for finding in self.find(cases))
            return
        for case in cases:
            for finding in self.find(case):
                inequality = finding.inequality or self.inequality
                yield replace(finding, rule=self.key, inequality=inequality, label=case.group.label)


_Find = TypeVar("_Find", bound="Callable[[Any], Iterable[Finding]]")

RULES: dict[str, Rule] = {}
"""Every rule by its key, in the order in which they are applied and listed."""


def rule(key: str, **traits: Any) -> Callable[[_Find], _Find]:
    """Register a function that finds where a rule is broken, with the fields of the rule."""

    def decorate(find: _Find) -> _Find:
        RULES[key] = Rule(key, find=find, **traits)
        return find

    return decorate


class Archive:
    """Tables that cache their answers, as thousands of rows may be of the same ranking tasks."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.settle = functools.cache(self._settle)

    def constants(self, tasks: Tasks | None, metric: Metric) -> Constants | None:
        """Return the constants of a metric, or None if there are none."""
        if tasks is None:
            return None
        try:
            return self.tables.look_up(tasks, metric)
        except (DataError, UndefinedError, UnknownNameError, UsageError):
            return None

    def histogram(self, tasks: Tasks | None) -> Histogram | None:
        """Return the candidate counts of ranking tasks, or None if the tables lack them."""
        constants = self.constants(tasks, CATALOGUE["arithmetic_mean_rank"])
        return None if constants is None else constants.histogram

    def count(self, tasks: Tasks | None, tool: Tool | None) -> int | None:
        """Return the number of ranks that a tool computes, or None if it is unknown or 0."""
        histogram = self.histogram(tasks)
        if histogram is None or tasks is None:
            return None
        if tool is None or tool.batch is None:
            return histogram.total

        try:
            return count_ranked(histogram.total, tasks.side, tool.batch)
        except DataError:
            return None

    def _settle(self, from_file: Address, from_user: Address, format_tool: str | None) -> Settled:
        """Return the ranking tasks and the tool of an address, or a note or questions."""
        try:
            tasks, tool = settle(from_file, from_user, self.tables, tool=format_tool)
        except AskedError as error:
            return Settled(questions=error.questions)
        except (DataError, UnknownNameError) as error:
            return Settled(note=f"{_UNKNOWN}{error}")

        questions = ask_counts(from_file, from_user, tasks, self.tables)
        if questions:
            return Settled(questions=questions)
        if self.histogram(tasks) is None:
            return Settled(
                note=f"{_UNKNOWN}the tables ({self.tables.version}) hold no {tasks.split} tasks of "
                f"{tasks.dataset} under protocol {tasks.protocol}."
            )
        if self.count(tasks, tool) is None and tool is not None:
            return Settled(
                note=f"{_UNKNOWN}{tool.title} ranks whole batches of {tool.batch} triples only, "
                f"and {tasks.dataset} {tasks.split} has fewer."
            )
        return Settled(tasks, tool)


class Settled(NamedTuple):
    """The ranking tasks of numbers or, if they are unknown, a note or questions to the user."""

    tasks: Tasks | None = None
    tool: Tool | None = None
    note: str = ""
    questions: tuple[Question, ...] = ()


_UNKNOWN = "the ranking tasks are unknown, so rules that need them are left out: "


@dataclass(frozen=True)
class Case:
    """The numbers of one evaluation."""

    group: Group
    # Those that can be read, adjusted ones included, and the others, each with the reason.
    measured: tuple[Measured, ...]
    unreadable: tuple[tuple[Entry, str], ...]
    # The unadjusted values, intervals cut at the metric's range; without impossible values, and
    # without metrics that have two different values: either may belong to the others.
    base_values: Mapping[Metric, Measured]
    # 1 if ranks are whole, 1/2 if they can be halves.
    step: float
    archive: Archive
    tasks: Tasks | None = None
    tool: Tool | None = None
    # True if neither file nor user names a protocol or a tool: the default one is assumed.
    assumed: bool = True
    percent: bool = False
    # The reason for unknown tasks, or questions that only the user can answer.
    note: str = ""
    questions: tuple[Question, ...] = ()
    # True if the file says that the numbers are means over several runs.
    averaged: bool = False
    # True if a number of the evaluation, maybe with other ties, shows that scores were not numbers.
    diverged: bool = False
    # The numbers called Average that are not the mean of those beside them.
    wrong_averages: tuple[WrongAverage, ...] = ()

    @property
    def of_no_scores(self) -> tuple[Measured, ...]:
        """The unadjusted numbers whose scores were not numbers, such as an MR of 0."""
        infinite = [
            Measured(entry, math.inf, Interval(math.inf, math.inf))
            for entry, _ in self.unreadable
            if is_infinite(entry.text)
        ]
        plain = [number for number in self.measured if number.entry.adjustment is None]
        return tuple(
            number
            for number in (*plain, *infinite)
            if tells_no_scores(number.entry.metric, number.value)
        )

    @property
    def where(self) -> str:
        """The names of the tasks after a blank, or nothing if they are unknown."""
        tasks = self.tasks
        if tasks is None:
            return ""
        assumed = " (assumed)" if self.assumed else ""
        return f" on {tasks.dataset} {tasks.describe()}{assumed}"

    @functools.cached_property
    def hits(self) -> dict[int, Measured]:
        """The shares of hits by ascending k."""
        hits = {}
        for metric, number in self.base_values.items():
            if metric.hits_k is not None:
                hits[metric.hits_k] = number
        return dict(sorted(hits.items()))

    def mean(self, symbol: str) -> Mean | None:
        """Return the value of a metric, or one computed from its inverse, or None."""
        metric = parse_metric(symbol)
        if metric in self.base_values:
            number = self.base_values[metric]
            return Mean(number, number.interval, number.interval)
        if metric.inverse is None or metric.inverse not in self.base_values:
            return None

        number = self.base_values[metric.inverse]
        inverted = invert(number.interval)
        return Mean(number, inverted, Interval(inverted.lower, metric.upper), inverted=True)

    def constants(self, metric: Metric) -> Constants | None:
        """Return the constants of a metric on the tasks; None if these are not known."""
        return self.archive.constants(self.tasks, metric)

    @functools.cached_property
    def _unfiltered(self) -> Histogram | None:
        """The candidates of the same tasks under ``raw``, the most that any protocol has."""
        raw = None if self.tasks is None else replace(self.tasks, protocol="raw")
        return self.archive.histogram(raw)

    @property
    def widest(self) -> Histogram | None:
        """Candidate counts that no task exceeds: the unfiltered ones if the protocol is assumed."""
        widest = self._unfiltered if self.assumed else None
        return widest or self.archive.histogram(self.tasks)

    @property
    def is_open(self) -> bool:
        """Whether the protocol is assumed, and others may have more candidates than are known."""
        return self.assumed and self._unfiltered is None

    @functools.cached_property
    def most(self) -> float:
        """The largest number of candidates of any task, infinite if unknown."""
        widest = self.widest
        return math.inf if widest is None else float(widest.num_candidates.max())

    @property
    def num_tasks(self) -> int | None:
        """The number of averaged ranks, or None if it is unknown or they count differently."""
        context, tasks = self.group.context, self.tasks
        if tasks is not None and self.archive.tables.find_suite(tasks.dataset) is not None:
            return None

        aggregation = context.aggregation if tasks is None else tasks.aggregation
        if squash(aggregation or DEFAULT_AGGREGATION) != DEFAULT_AGGREGATION:
            return None
        if context.num_tasks is None:
            return self.archive.count(tasks, self.tool)
        return context.num_tasks


class WrongAverage(NamedTuple):
    """A number called Average that is not the mean of the numbers beside it."""

    measured: Measured
    num_parts: int
    mean: float


class Mean(NamedTuple):
    """The value of a metric, or one computed from its inverse."""

    measured: Measured
    # In units of the metric: of one evaluation, and of the mean over several runs.
    interval: Interval
    # The mean of 1/x is at least 1 over the mean of x: Jensen 1906.
    over_runs: Interval
    inverted: bool = False


def invert(interval: Interval) -> Interval:
    """Return the interval of 1/x for x >= 0 in an interval: [2, 4] becomes [0.25, 0.5]."""
    # 1/x falls, so the upper end gives the lower one.
    lower, upper = (math.inf if end <= 0 else 1 / end for end in reversed(interval))
    return Interval(lower, upper)


def build_case(
    group: Group, reading: Reading, user: Address, archive: Archive, address: Address
) -> Case:
    """Return the numbers of an evaluation for rules, given what the file says of them."""
    measured: list[Measured] = []
    unreadable: list[tuple[Entry, str]] = []
    in_full = are_in_full(group.entries)
    for entry in group.entries:
        try:
            measured.append(measure(entry, percent=user.percent, in_full=in_full))
        except DataError as error:
            unreadable.append((entry, str(error)))

    # Without the fields that do not name tasks, so that rows share the answer.
    shared = replace(address, model=None, rank_type=None, num_tasks=None)
    settled = archive.settle(shared, user, reading.tool)
    are_whole = address.rank_type in _WHOLE_RANK_TYPES
    if address.rank_type is None:
        are_whole = settled.tool is not None and settled.tool.whole_ranks

    named = (address.tool, user.tool, reading.tool, address.protocol, user.protocol)
    return Case(
        group=group,
        measured=tuple(measured),
        unreadable=tuple(unreadable),
        base_values=pick_base_values(measured),
        step=1.0 if are_whole else 0.5,
        archive=archive,
        tasks=settled.tasks,
        tool=settled.tool,
        assumed=not any(named),
        percent=user.percent,
        note=settled.note,
        questions=settled.questions,
        averaged=any(number.averaged for number in measured) or _has_several_runs(group, reading),
    )


def _has_several_runs(group: Group, reading: Reading) -> bool:
    """Return True if a column ``runs`` or ``MRR std`` shows that numbers average several runs."""
    rows = [reading.rows[place] for place in group.rows]
    for column in reading.columns:
        label = read_label(column)
        cells = [row.get(column) or "" for row in rows]
        if label.role == "runs" and any((read_count(cell) or 0) > 1 for cell in cells):
            return True
        is_spread = any(word.field == "metric" and "column" in word.scopes for word in label.words)
        if is_spread and has_number(cells):
            return True

    return False


def pick_base_values(measured: Sequence[Measured]) -> dict[Metric, Measured]:
    """Return the unadjusted value of each metric, cut at the range of the metric.

    Metrics with two different values are left out, as either may be wrong, and so are values out of
    range.
    """
    by_metric: dict[Metric, list[Measured]] = {}
    for number in measured:
        if number.entry.adjustment is None and number.entry.metric.optimum is not None:
            by_metric.setdefault(number.entry.metric, []).append(number)

    base_values = {}
    for metric, (first, *others) in by_metric.items():
        cut = Interval(
            max(first.interval.lower, metric.lower), min(first.interval.upper, metric.upper)
        )
        if all(number.interval == first.interval for number in others) and cut.lower <= cut.upper:
            base_values[metric] = replace(first, interval=cut)

    return base_values
