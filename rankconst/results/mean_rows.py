"""Rows and columns called Average: of which numbers beside them they are the mean, and whether they are."""

from __future__ import annotations

import bisect
import functools
import itertools
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.suites import is_mean
from rankconst.errors import AskedError, DataError, RankconstError
from rankconst.names import squash
from rankconst.results.reading import measure
from rankconst.tables.suites import join_tasks
from rankconst.values.published import show_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Stated
    from rankconst.results.adjust import Group, Places
    from rankconst.results.reading import Measured, Reading
    from rankconst.tasks import Tasks

_FEWEST = 2
_MOST_BESIDE = 1000  # numbers beside one that may be the mean of all
_OF_ALL = {"total", "overall", "all", "totalavg", "totalaverage", "avgall", "averageall"}


@dataclass(frozen=True)
class MeanNumber:
    """A number that is called a mean over graphs.

    Attributes
    ----------
    place
        Its position in the entries of the file.
    measured
        The number with the interval that its rounding leaves open.
    parts
        The positions of the numbers whose mean it is; of those next to it if it is the mean of none.
    mean
        Their mean.
    is_held
        Whether it is their mean, within rounding.
    """

    place: int
    measured: Measured
    parts: tuple[int, ...]
    mean: float
    is_held: bool

    @property
    def contradiction(self) -> str:
        """What is wrong with it, as half a sentence."""
        return f"not the mean of the {len(self.parts)} numbers beside it, which is {show_number(self.mean, 4)}"


def find_means(reading: Reading) -> dict[int, MeanNumber]:
    """Return the numbers that are called means and have numbers on graphs beside them, by their positions."""
    entries = reading.entries
    called = [context.dataset is not None and is_mean(context.dataset) for context in entries.contexts]
    if not any(called):
        return {}
    of_mean = np.array(called, dtype=np.bool_)[entries.context_of]
    rows, columns = _line_up(reading)

    @functools.cache
    def measure_at(place: int) -> Measured:
        return measure(entries[place])

    found = {}
    for place in np.flatnonzero(of_mean).tolist():
        for series in (rows[_identify_row(reading, place)], columns[_identify_column(reading, place)]):
            runs = [run for run in _list_runs(series, place, of_mean, reading) if len(run) >= _FEWEST]
            if runs and (held := _hold(reading, place, runs, measure_at)) is not None:
                found[place] = held
                break
    return found


def _line_up(reading: Reading) -> tuple[Mapping[Any, list[int]], Mapping[Any, list[int]]]:
    """Return the numbers of each row, and of each column and model, that are of one metric, in order."""
    rows: dict[Any, list[int]] = defaultdict(list)
    columns: dict[Any, list[int]] = defaultdict(list)
    for place in range(len(reading.entries)):
        rows[_identify_row(reading, place)].append(place)
        columns[_identify_column(reading, place)].append(place)
    return rows, columns


def _identify_row(reading: Reading, place: int) -> tuple[Any, ...]:
    return (*_identify(reading, place), int(reading.entries.rows[place]))


def _identify_column(reading: Reading, place: int) -> tuple[Any, ...]:
    entries = reading.entries
    head = entries.heads[entries.head_of[place]]
    return (*_identify(reading, place), head.column, entries.models[entries.model_of[place]])


def _identify(reading: Reading, place: int) -> tuple[Any, ...]:
    """Return what a mean and its parts share."""
    entries = reading.entries
    head, said = entries.heads[entries.head_of[place]], entries.contexts[entries.context_of[place]]
    # "Average" also says that a number is of both sides.
    side = None if said.side == "both" else said.side
    named = (said.split, side, said.protocol, said.aggregation, said.tool, said.rank_type, said.relations)
    return (head.metric, head.adjustment, *named)


def _list_runs(series: Sequence[int], place: int, of_mean: Any, reading: Reading) -> list[list[int]]:
    """List the numbers that a mean may be of: those before it up to another mean, those behind it, and all."""
    at = bisect.bisect_left(series, place)
    before = _cut((series[i] for i in range(at - 1, -1, -1)), of_mean)[::-1]
    behind = _cut((series[i] for i in range(at + 1, len(series))), of_mean)
    every = [other for other in series if not of_mean[other]] if len(series) <= _MOST_BESIDE else []
    name = reading.entries.contexts[reading.entries.context_of[place]].dataset or ""
    return [every, before, behind] if squash(name) in _OF_ALL else [before, behind, every]


def _cut(places: Iterable[int], of_mean: Any) -> list[int]:
    """Return the numbers up to the first mean."""
    return list(itertools.takewhile(lambda place: not of_mean[place], places))


def _hold(
    reading: Reading, place: int, runs: Sequence[Sequence[int]], measure_at: Callable[[int], Measured]
) -> MeanNumber | None:
    """Hold a number against the means of runs: the first that fits, else the first; None if one is not a number."""
    tried: list[MeanNumber] = []
    for run in runs:
        try:
            own, parts = measure_at(place), [measure_at(part) for part in run]
        except DataError:
            continue
        lower = np.mean([each.interval.lower for each in parts])
        upper = np.mean([each.interval.upper for each in parts])
        is_held = bool(lower <= own.interval.upper and own.interval.lower <= upper) and _are_graphs(reading, run)
        mean = float(np.mean([each.value for each in parts]))
        tried.append(MeanNumber(place, own, tuple(run), mean, is_held))
        if is_held:
            return tried[-1]
    return tried[0] if tried else None


def _are_graphs(reading: Reading, run: Sequence[int]) -> bool:
    """Tell whether each number is of another graph, as far as the file names them."""
    entries = reading.entries
    named = [entries.contexts[entries.context_of[part]].dataset for part in run]
    known = [name for name in named if name is not None]
    return len(set(known)) == len(known)


def settle_means(
    reading: Reading,
    groups: Mapping[Group, Places],
    settled: dict[Stated, tuple[Tasks, Tool | None]],
    failed: dict[Stated, RankconstError],
) -> tuple[dict[Group, Places], dict[int, str]]:
    """Take means for what they are of: return groups in which they have tasks, or why not, and notes at them.

    What contradicts stays a question, as does a mean over graphs whose tasks have nothing in common.
    """
    waiting = [group for group in groups if _asks_mean(group.said, failed)]
    if not waiting:
        return dict(groups), {}
    means = find_means(reading)
    said_of = {place: group.said for group, places in groups.items() for place in places.tolist()}
    found: dict[Group, list[int]] = {}
    notes: dict[int, str] = {}
    for group, places in groups.items():
        for place in places.tolist():
            mean = means.get(place) if group in waiting else None
            said = group.said if mean is None else _settle_mean(mean, said_of, settled, failed)
            if mean is not None and said in settled and said is not group.said:
                notes[place] = f"mean of the {len(mean.parts)} datasets beside it."
            found.setdefault(group._replace(said=said), []).append(place)
    return {group: np.array(places, dtype=np.intp) for group, places in found.items()}, notes


def _asks_mean(said: Stated, failed: Mapping[Stated, RankconstError]) -> bool:
    """Tell whether a number waits for nothing but the graphs that it is a mean over."""
    error = failed.get(said)
    return said.dataset is not None and is_mean(said.dataset) and isinstance(error, AskedError) and len(error.asks) == 1


def _settle_mean(
    mean: MeanNumber,
    said_of: Mapping[int, Stated],
    settled: dict[Stated, tuple[Tasks, Tool | None]],
    failed: dict[Stated, RankconstError],
) -> Stated:
    """Return what is said of a mean, under a name of its own if that has tasks now, or cannot have any."""
    said = said_of[mean.place]
    if not mean.is_held:
        error = failed[said]
        asks = error.asks if isinstance(error, AskedError) else ()
        own = replace(said, dataset=f"{said.dataset}: {mean.contradiction}")
        told = tuple(replace(ask, text=f"{ask.text}, {mean.contradiction}") for ask in asks)
        failed[own] = AskedError("; ".join(map(str, told)), told)
        return own
    known = [settled[said_of[part]] for part in mean.parts if said_of.get(part) in settled]
    lacking = len(mean.parts) - len(known)
    if lacking:
        text = f"mean of {len(mean.parts)} numbers, {lacking} without constants: not adjusted."
        own = replace(said, dataset=f"{said.dataset}: {text}")
        failed[own] = DataError(text)
        return own
    tool = known[0][1]
    joined = join_tasks([tasks for tasks, _ in known], tool)
    if joined is None or any(other is not tool for _, other in known) or (tool is not None and tool.batch is not None):
        return said
    # What is assumed is said of the graphs.
    own = replace(said, dataset=joined.dataset, split=joined.split, side=joined.side, protocol=joined.protocol)
    settled[own] = joined, tool
    return own
