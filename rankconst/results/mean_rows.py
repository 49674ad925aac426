"""Rows and columns called Average: which numbers they average, and whether their means agree."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.suites import is_mean, read_suite
from rankconst.errors import AskedError, DataError, RankconstError
from rankconst.evaluation import ask_mean
from rankconst.names import squash
from rankconst.results.columns import encode
from rankconst.results.reading import are_in_full, measure
from rankconst.tables.suite_means import join_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address, Question
    from rankconst.results.batches import Group
    from rankconst.results.reading import Entry, Reading
    from rankconst.tasks import Tasks

    Places = NDArray[np.intp]
    Flags = NDArray[np.bool_]

_FEWEST = 2
_MOST_BESIDE = 1000  # numbers next to one that may be the mean of all
_OF_ALL = {"total", "overall", "all", "totalavg", "totalaverage", "avgall", "averageall"}


@dataclass(frozen=True)
class MeanNumber:
    """A number that is called a mean over graphs.

    Attributes
    ----------
    place
        Its position in the entries of the file.
    parts
        The positions of the numbers it may be the mean of, next to it.
    mean
        Their mean.
    is_held
        Whether it is their mean, within rounding.
    is_alone
        Whether no other mean is in its row or column.
    """

    place: int
    parts: tuple[int, ...]
    mean: float
    is_held: bool
    is_alone: bool


class _Number(NamedTuple):
    """A number with the interval that its rounding leaves open."""

    value: float
    lower: float
    upper: float


def find_means(reading: Reading) -> dict[int, MeanNumber]:
    """Find the numbers called means that have numbers on graphs next to them, by position."""
    entries = reading.entries
    is_called = [
        context.dataset is not None and is_mean(context.dataset) for context in entries.contexts
    ]
    if not any(is_called):
        return {}
    of_mean = np.array(is_called, dtype=np.bool_)[entries.context_of]
    row_of, column_of = _line_up(reading)
    rows = _gather_series(row_of, of_mean)
    columns = _gather_series(column_of, of_mean)
    read = _read_once(reading)
    flags = of_mean.tolist()
    means = {}
    for place in np.flatnonzero(of_mean).tolist():
        for series in (rows[int(row_of[place])], columns[int(column_of[place])]):
            runs = [run for run in _list_runs(series, place, flags, reading) if len(run) >= _FEWEST]
            mean = _compare_runs(reading, place, runs, read)
            if mean is not None:
                is_alone = sum(flags[other] for other in series) == 1
                means[place] = replace(mean, is_alone=is_alone)
                break
    return means


def _line_up(reading: Reading) -> tuple[Places, Places]:
    """Return a code of the row and one of the column of each number.

    Numbers share a code only if they are of the same kind, and in a column of the same model.
    """
    entries = reading.entries
    metric_of, _ = encode((head.metric, head.adjustment) for head in entries.heads)
    address_of, addresses = encode(_identify(context) for context in entries.contexts)
    column_of, columns = encode(head.column for head in entries.heads)
    model_of, models = encode(entries.models)
    kind = metric_of[entries.head_of] * len(addresses) + address_of[entries.context_of]
    kind = kind * len(reading.parts) + reading.part_of
    row = kind * (int(entries.rows.max()) + 1) + entries.rows
    column = kind * len(columns) + column_of[entries.head_of]
    return row, column * len(models) + model_of[entries.model_of]


def _identify(address: Address) -> tuple[Any, ...]:
    # A number called "Average" may be of both sides.
    side = None if address.side == "both" else address.side
    return (
        address.split,
        side,
        address.protocol,
        address.aggregation,
        address.tool,
        address.rank_type,
        address.relations,
    )


def _gather_series(codes: Places, of_mean: Flags) -> dict[int, list[int]]:
    """Return the places of each row or column that holds a mean, in order."""
    chosen = np.flatnonzero(np.isin(codes, codes[of_mean]))
    chosen = chosen[np.argsort(codes[chosen], kind="stable")]
    distinct, starts = np.unique(codes[chosen], return_index=True)
    parts = np.split(chosen, starts[1:])
    return {code: part.tolist() for code, part in zip(distinct.tolist(), parts, strict=True)}


def _read_once(reading: Reading) -> Callable[[int], _Number | None]:
    """Make a function that reads the number at a place, and each text of a column only once."""
    entries = reading.entries
    heads, contexts = entries.head_of.tolist(), entries.context_of.tolist()
    known: dict[tuple[int, int, str], _Number | None] = {}

    def read(place: int) -> _Number | None:
        key = heads[place], contexts[place], entries.text_at(place)
        if key not in known:
            known[key] = _read(entries[place])
        return known[key]

    return read


def _read(entry: Entry) -> _Number | None:
    try:
        measured = measure(entry, in_full=are_in_full([entry]))
    except DataError:
        return None
    return _Number(measured.value, *measured.interval)


def _list_runs(
    series: Sequence[int], place: int, of_mean: Sequence[bool], reading: Reading
) -> list[list[int]]:
    """List the numbers that a mean may be of, the likeliest first.

    These are the ones before it up to another mean, those behind it up to another, and all. If its
    name says so, as Overall does, all come first.
    """
    at = bisect.bisect_left(series, place)
    start = at
    while start > 0 and not of_mean[series[start - 1]]:
        start -= 1
    end = at + 1
    while end < len(series) and not of_mean[series[end]]:
        end += 1
    before = list(series[start:at])
    behind = list(series[at + 1 : end])
    everything: list[int] = []
    if len(series) <= _MOST_BESIDE:
        everything = [other for other in series if not of_mean[other]]
    context = reading.entries.contexts[reading.entries.context_of[place]]
    if squash(context.dataset or "") in _OF_ALL:
        return [everything, before, behind]
    return [before, behind, everything]


def _compare_runs(
    reading: Reading,
    place: int,
    runs: Sequence[Sequence[int]],
    read: Callable[[int], _Number | None],
) -> MeanNumber | None:
    """Compare a number with the means of runs; return the first that fits, or else the first.

    Return None if the number cannot be read, or if each run has a number that cannot be read.
    """
    number, first = read(place), None
    if number is None:
        return None
    for run in runs:
        numbers = [read(other) for other in run]
        parts = [part for part in numbers if part is not None]
        if len(parts) < len(run):
            continue
        values, lowers, uppers = zip(*parts, strict=True)
        lower = sum(lowers) / len(run)
        upper = sum(uppers) / len(run)
        is_within = lower <= number.upper and number.lower <= upper
        is_held = is_within and _are_graphs(reading, run)
        mean = MeanNumber(place, tuple(run), sum(values) / len(run), is_held, is_alone=False)
        if is_held:
            return mean
        first = first or mean
    return first


def _are_graphs(reading: Reading, run: Sequence[int]) -> bool:
    """Tell whether each number is of another graph, as far as the file names them."""
    entries = reading.entries
    datasets = [entries.contexts[entries.context_of[part]].dataset for part in run]
    names = [dataset for dataset in datasets if dataset is not None]
    return len(set(names)) == len(names)


def settle_means(
    reading: Reading,
    groups: Mapping[Group, Places],
    settled: dict[Address, tuple[Tasks, Tool | None]],
    failed: dict[Address, RankconstError],
) -> tuple[dict[Group, Places], dict[int, str]]:
    """Return groups in which means have tasks, or a reason why not, with notes on those that do.

    Their addresses are added to `settled` or `failed`. What contradicts stays a question, as does a
    mean over graphs whose tasks have nothing in common.
    """
    waiting = {group for group in groups if _waits(group.address, settled, failed)}
    if not waiting:
        return dict(groups), {}
    means = find_means(reading)
    addresses = [group.address for group in groups]
    group_of = np.full(len(reading.entries), -1, dtype=np.intp)
    for code, places in enumerate(groups.values()):
        group_of[places] = code
    regrouped = {group: places for group, places in groups.items() if group not in waiting}
    added: dict[Group, list[int]] = {}
    notes: dict[int, str] = {}
    for group, places in groups.items():
        if group not in waiting:
            continue
        # Means of thousands of models are alike.
        known: dict[tuple[bool, bool, tuple[int, ...]], Address] = {}
        for place in places.tolist():
            address = group.address
            mean = means.get(place)
            if mean is not None:
                codes = tuple(group_of[[*mean.parts]].tolist())
                key = mean.is_held, mean.is_alone, codes
                if key not in known:
                    parts = [None if code < 0 else addresses[code] for code in codes]
                    known[key] = _settle_mean(group.address, mean, parts, settled, failed)
                address = known[key]
                if address in settled:
                    notes[place] = _note_mean(mean, settled[address][0])
            added.setdefault(group._replace(address=address), []).append(place)
    for group, new_places in added.items():  # "Avg" and "Average" may be over the same graphs
        places = regrouped.get(group, np.empty(0, dtype=np.intp))
        regrouped[group] = np.sort(np.concatenate([places, np.array(new_places, dtype=np.intp)]))
    return regrouped, notes


def _note_mean(mean: MeanNumber, tasks: Tasks) -> str:
    if mean.is_held:
        return f"mean of the {len(mean.parts)} datasets next to it."
    return (
        f"not the mean of the {len(mean.parts)} numbers next to it: "
        f"taken as that of {tasks.dataset}."
    )


def _waits(
    address: Address,
    settled: Mapping[Address, tuple[Tasks, Tool | None]],
    failed: Mapping[Address, RankconstError],
) -> bool:
    """Tell whether a mean is of a suite that the user names, or lacks nothing but its graphs."""
    if address.dataset is None or not is_mean(address.dataset):
        return False
    error = failed.get(address)
    if error is None:
        return address in settled
    return isinstance(error, AskedError) and error.questions == (ask_mean(address),)


def _settle_mean(
    address: Address,
    mean: MeanNumber,
    parts: Sequence[Address | None],
    settled: dict[Address, tuple[Tasks, Tool | None]],
    failed: dict[Address, RankconstError],
) -> Address:
    """Return the address under which a mean is in `settled` or `failed`, where it is added.

    A mean of the suite that was named keeps its own; others get one that tells them apart.
    """
    if address in settled and _is_of_suite(settled[address][0], mean, parts, settled):
        return address
    if not mean.is_held:
        question = ask_mean(address, f", and not that of the {len(parts)} numbers next to it")
        return _fail(failed, replace(address, dataset=question.text), question)
    known = [settled[part] for part in parts if part is not None and part in settled]
    lacking = len(parts) - len(known)
    if lacking:
        text = f"mean of {len(parts)} numbers, {lacking} without constants: not adjusted."
        lacks = replace(address, dataset=f"{address.dataset}: {text}")
        failed[lacks] = DataError(text)
        return lacks
    tool = known[0][1]
    joined = join_tasks([tasks for tasks, _ in known], tool)
    is_of_tool = all(other is tool for _, other in known) and (tool is None or tool.batch is None)
    if joined is None or not is_of_tool:
        several = replace(address, dataset=f"{address.dataset} of several evaluations")
        return _fail(failed, several, ask_mean(address))
    # The graphs tell which fields were assumed.
    joint = replace(address, dataset=joined.dataset, split=joined.split)
    joint = replace(joint, side=joined.side, protocol=joined.protocol)
    settled[joint] = joined, tool
    return joint


def _fail(failed: dict[Address, RankconstError], address: Address, question: Question) -> Address:
    """Add an address with a question to those that failed."""
    failed[address] = AskedError(str(question), (question,))
    return address


def _is_of_suite(
    tasks: Tasks,
    mean: MeanNumber,
    parts: Sequence[Address | None],
    settled: Mapping[Address, tuple[Tasks, Tool | None]],
) -> bool:
    """Tell whether a mean can be over the suite that the user names.

    Beside all of its graphs it has to be their mean. Beside some, it must be the only mean, and not
    that of these.
    """
    suite = read_suite(tasks.dataset)
    known = {settled[part][0].dataset for part in parts if part in settled and part is not None}
    if suite is None or not known <= {*suite.graphs}:
        return False
    if len(parts) == len(suite.graphs):
        return mean.is_held
    return mean.is_alone and not mean.is_held and len(parts) < len(suite.graphs)
