"""Rows and columns called Average: which numbers they average, and whether their means agree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.suites import is_mean, read_suite
from rankconst.errors import AskedError, DataError, RankconstError
from rankconst.evaluation import ask_mean
from rankconst.names import squash
from rankconst.results.columns import combine, encode
from rankconst.results.reading import are_in_full, measure
from rankconst.tables.suite_means import join_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address, Question
    from rankconst.results.batches import Addressed, Settled
    from rankconst.results.reading import Reading
    from rankconst.tasks import Tasks

    Places = NDArray[np.intp]

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
    """Find the numbers called means that have numbers on graphs next to them, by position.

    Those in their row go before those in their column.
    """
    entries = reading.entries
    of_context = [is_mean(context.dataset or "") for context in entries.contexts]
    if not any(of_context):
        return {}
    is_called = np.array(of_context, dtype=np.bool_)[entries.context_of]
    flags, read = is_called.tolist(), _read_once(reading)
    means: dict[int, MeanNumber] = {}
    for codes in _line_up(reading):
        for series in _list_series(codes, is_called):
            runs_of = _list_runs(series, flags)
            for place, runs in runs_of.items():
                mean = None
                if place not in means:
                    mean = _compare_runs(reading, place, runs, read)
                if mean is not None:
                    means[place] = replace(mean, is_alone=len(runs_of) == 1)
    return dict(sorted(means.items()))


def _line_up(reading: Reading) -> tuple[Places, Places]:
    """Return two codes of each number, of its row and its column, to find the numbers of a mean.

    A number called mean is compared with those that share one of its codes. In the row "TransE" of
    columns "FB15k MRR", "WN18 MRR", "Average MRR" and "WN18 MR", the first three share the code
    of the row. The MR has another, as no mean is over two metrics.
    """
    entries = reading.entries
    # Numbers refer to distinct heads, contexts and models. So these are encoded, once each.
    metric_of_head, metrics = encode((head.metric, head.adjustment) for head in entries.heads)
    column_of_head, columns = encode(head.column for head in entries.heads)
    setting_of_context, settings = encode(_identify(context) for context in entries.contexts)
    name_of_model, names = encode(entries.models)
    # What a mean and its numbers have in common: the file, metric, split, protocol ...
    kind = combine(reading.part_of, metric_of_head[entries.head_of], len(metrics))
    kind = combine(kind, setting_of_context[entries.context_of], len(settings))
    row = combine(kind, entries.rows, len(reading.rows))
    column = combine(kind, column_of_head[entries.head_of], len(columns))
    # A column may have several models below each other, each with a mean of its own.
    return row, combine(column, name_of_model[entries.model_of], len(names))


def _identify(address: Address) -> tuple[Hashable, ...]:
    """Return what tells numbers apart besides model and dataset."""
    # A number called "Average" may be of both sides.
    side = None if address.side == "both" else address.side
    tasks = (address.split, side, address.protocol, address.aggregation, address.relations)
    return (*tasks, address.tool, address.rank_type)


def _list_series(codes: Places, is_called: NDArray[np.bool_]) -> Iterator[list[int]]:
    """List the places of each row or column that holds a mean, in order."""
    chosen = np.flatnonzero(np.isin(codes, codes[is_called]))
    chosen = chosen[np.argsort(codes[chosen], kind="stable")]
    starts = np.flatnonzero(np.diff(codes[chosen])) + 1
    for series in np.split(chosen, starts):
        yield series.tolist()


def _list_runs(
    series: Sequence[int], is_called: Sequence[bool]
) -> dict[int, tuple[list[int], list[int], list[int]]]:
    """Map each mean of a series to the numbers that it may be of, the likeliest first.

    These are the ones before it up to another mean, those behind it up to another, and all.
    """
    means: list[int] = []
    runs: list[list[int]] = [[]]
    for place in series:
        if is_called[place]:
            means.append(place)
            runs.append([])
        else:
            runs[-1].append(place)
    everything: list[int] = []
    if len(series) <= _MOST_BESIDE:
        everything = [place for run in runs for place in run]
    sides = zip(means, pairwise(runs), strict=True)
    return {mean: (before, behind, everything) for mean, (before, behind) in sides}


def _read_once(reading: Reading) -> Callable[[int], _Number | None]:
    """Make a function that reads the number at a place, and each text of a column only once."""
    entries = reading.entries
    place_of: dict[tuple[int, int, str], int] = {}

    @cache
    def read_first(place: int) -> _Number | None:
        entry = entries[place]
        try:
            measured = measure(entry, in_full=are_in_full([entry]))
        except DataError:
            return None
        return _Number(measured.value, *measured.interval)

    def read(place: int) -> _Number | None:
        key = int(entries.head_of[place]), int(entries.context_of[place]), entries.text_at(place)
        return read_first(place_of.setdefault(key, place))

    return read


def _compare_runs(
    reading: Reading,
    place: int,
    runs: tuple[list[int], list[int], list[int]],
    read: Callable[[int], _Number | None],
) -> MeanNumber | None:
    """Compare a number with the means of runs; return the first that fits, or else the first.

    Return None if the number cannot be read, or if each run has a number that cannot be read. If
    its name says so, as Overall does, the run of all numbers comes first.
    """
    entries = reading.entries
    number, first = read(place), None
    if number is None:
        return None
    dataset = entries.contexts[entries.context_of[place]].dataset
    ordered = runs if squash(dataset or "") not in _OF_ALL else (runs[2], *runs[:2])
    for run in ordered:
        numbers = [read(other) for other in run]
        parts = [part for part in numbers if part is not None]
        if len(parts) < max(len(run), _FEWEST):
            continue
        value, lower, upper = (sum(ends) / len(run) for ends in zip(*parts, strict=True))
        names = [entries.contexts[code].dataset for code in entries.context_of[run].tolist()]
        known = [name for name in names if name is not None]
        is_each_once = len(set(known)) == len(known)
        is_held = is_each_once and lower <= number.upper and number.lower <= upper
        mean = MeanNumber(place, tuple(run), value, is_held, is_alone=False)
        if is_held:
            return mean
        first = first or mean
    return first


def settle_means(
    reading: Reading,
    addressed: Addressed,
    settled: Settled,
    failed: dict[Address, RankconstError],
) -> tuple[Addressed, dict[int, str]]:
    """Give means addresses that have tasks, or a reason why not, with notes on those that do.

    The new addresses are added to `settled` or `failed`. What contradicts stays a question, as does
    a mean over graphs whose tasks have nothing in common.
    """
    waiting = {
        code for code, address in enumerate(addressed.addresses) if _waits(address, settled, failed)
    }
    if not waiting:
        return addressed, {}
    codes = {address: code for code, address in enumerate(addressed.addresses)}
    old_code_of = reading.entries.gather(addressed.codes)
    code_of = old_code_of.copy()
    # Means of thousands of models are alike.
    known: dict[tuple[int, bool, bool, tuple[int, ...]], Address] = {}
    notes: dict[int, str] = {}
    for place, mean in find_means(reading).items():
        code = int(old_code_of[place])
        if code not in waiting:
            continue
        parts = tuple(old_code_of[[*mean.parts]].tolist())
        key = code, mean.is_held, mean.is_alone, parts
        if key not in known:
            addresses = [addressed.addresses[part] for part in parts if part >= 0]
            evaluations = [settled[address] for address in addresses if address in settled]
            address = addressed.addresses[code]
            known[key] = _settle_mean(address, mean, evaluations, settled, failed)
        address = known[key]
        code_of[place] = codes.setdefault(address, len(codes))
        if address in settled and mean.is_held:
            notes[place] = f"mean of the {len(mean.parts)} datasets next to it."
        elif address in settled:
            notes[place] = (
                f"not the mean of the {len(mean.parts)} numbers next to it: "
                f"taken as that of {settled[address][0].dataset}."
            )
    of_columns = [code_of[column.places] for column in reading.entries.columns]
    return addressed._replace(addresses=[*codes], codes=of_columns), notes


def _waits(address: Address, settled: Settled, failed: dict[Address, RankconstError]) -> bool:
    """Tell whether a mean is of a suite that the user names, or lacks nothing but its graphs."""
    if not is_mean(address.dataset or ""):
        return False
    error = failed.get(address)
    if error is None:
        return address in settled
    return isinstance(error, AskedError) and error.questions == (ask_mean(address),)


def _settle_mean(
    address: Address,
    mean: MeanNumber,
    parts: Sequence[tuple[Tasks, Tool | None]],
    settled: Settled,
    failed: dict[Address, RankconstError],
) -> Address:
    """Return the address under which a mean is in `settled` or `failed`, where it is added.

    `parts` has tasks and tool of each number next to it that has them. A mean of the suite that was
    named keeps its own address; others get one that tells them apart.
    """
    graphs = {tasks.dataset for tasks, _ in parts}
    if address in settled and _is_of_suite(settled[address][0], mean, graphs):
        return address
    if not mean.is_held:
        question = ask_mean(address, f", and not that of the {len(mean.parts)} numbers next to it")
        return _fail(failed, replace(address, dataset=question.text), question)
    lacking = len(mean.parts) - len(parts)
    if lacking:
        text = f"mean of {len(mean.parts)} numbers, {lacking} without constants: not adjusted."
        lacks = replace(address, dataset=f"{address.dataset}: {text}")
        failed[lacks] = DataError(text)
        return lacks
    tool = parts[0][1]
    joined = join_tasks([tasks for tasks, _ in parts], tool)
    is_of_tool = all(other is tool for _, other in parts) and (tool is None or tool.batch is None)
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


def _is_of_suite(tasks: Tasks, mean: MeanNumber, graphs: Collection[str]) -> bool:
    """Tell whether a mean next to some graphs can be over the suite that the user names.

    Beside all of its graphs it has to be their mean. Beside some, it must be the only mean, and not
    that of these.
    """
    suite = read_suite(tasks.dataset)
    if suite is None or not {*graphs} <= {*suite.graphs}:
        return False
    if len(mean.parts) == len(suite.graphs):
        return mean.is_held
    return mean.is_alone and not mean.is_held and len(mean.parts) < len(suite.graphs)
