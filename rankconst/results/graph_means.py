"""Means over graphs: numbers that a file calls Average, and means of each model's numbers.

A number called Average is compared with those next to it. Means of a model's numbers are made for
people, where a file has its numbers on enough graphs.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.literature import FEWEST_GRAPHS, is_mean, read_suite
from rankconst.catalogue.mentions import names_known
from rankconst.errors import AskedError, DataError, RankconstError
from rankconst.evaluation import ask_mean
from rankconst.names import list_first, squash
from rankconst.results.columns import factorize, pair_codes
from rankconst.results.reading import are_in_full, measure, name_models
from rankconst.tables.suite_means import join_tasks
from rankconst.tasks import SIDE_WORDS
from rankconst.values.averages import Average, Held
from rankconst.verdicts import show_expected

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from rankconst.adjusting import AdjustedBatch
    from rankconst.evaluation import Address, Question
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.results.batches import Addressed, Settled
    from rankconst.results.columns import Flags, Indices
    from rankconst.results.reading import Entries, Entry, Reading
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks


# Means that a file names.

_FEWEST_NUMBERS = 2  # numbers of a mean
_MOST_BESIDE = 1000  # numbers next to one that may be the mean of all; more would take long
_OF_ALL = {"total", "overall", "all", "totalavg", "totalaverage", "avgall", "averageall"}


@dataclass(frozen=True)
class MeanNumber:
    """A number that is called a mean over graphs."""

    place: int  # in the entries of the file
    parts: tuple[int, ...]  # the places of the numbers next to it that it may be the mean of
    mean: float  # of these numbers
    is_held: bool  # True if it equals their mean, within rounding
    is_alone: bool  # True if no other mean is in its row or column


class _Number(NamedTuple):
    """A number with the interval that its rounding leaves open."""

    value: float
    lower: float
    upper: float


def find_means(reading: Reading) -> dict[int, MeanNumber]:
    """Map the places of numbers called means, as below "Average", to the numbers next to them.

    A mean is compared with the numbers in its row, or if these are too few with those in its
    column. A mean without enough numbers is left out.
    """
    entries = reading.entries
    is_called = entries.flag_contexts(lambda context: is_mean(context.dataset or ""))
    if not is_called.any():
        return {}

    flags, read = is_called.tolist(), _read_once(reading)
    means: dict[int, MeanNumber] = {}
    for codes in _code_rows_and_columns(reading):  # of rows, then of columns
        for series in _list_series(codes, is_called):
            runs_of = _list_runs(series, flags)
            for place, runs in runs_of.items():
                if place in means:
                    continue
                mean = _compare_runs(reading, place, runs, read)
                if mean is not None:
                    means[place] = replace(mean, is_alone=len(runs_of) == 1)

    return dict(sorted(means.items()))


def _code_rows_and_columns(reading: Reading) -> tuple[Indices, Indices]:
    """Return a code of the row and a code of the column of each number.

    A mean shares one of these codes with its numbers. Numbers of two metrics in one row have
    different codes, as no mean is over both.
    """
    entries = reading.entries
    # Numbers refer to distinct heads, contexts and models. So these are encoded, once each.
    metric_of_head, metrics = factorize((head.metric, head.adjustment) for head in entries.heads)
    column_of_head, columns = factorize(head.column for head in entries.heads)
    setting_of_context, settings = factorize(
        _list_shared_fields(context) for context in entries.contexts
    )
    name_of_model, names = factorize(entries.models)
    # What a mean and its numbers have in common: the file, metric, split, protocol ...
    shared = pair_codes(reading.part_of, metric_of_head[entries.head_codes], len(metrics))
    shared = pair_codes(shared, setting_of_context[entries.context_codes], len(settings))
    row = pair_codes(shared, entries.rows, len(reading.rows))
    column = pair_codes(shared, column_of_head[entries.head_codes], len(columns))
    # A column may have several models below each other, each with a mean of its own.
    return row, pair_codes(column, name_of_model[entries.model_codes], len(names))


def _list_shared_fields(address: Address) -> tuple[Hashable, ...]:
    """Return the fields of an address that a mean and its numbers share."""
    # A number called "Average" may be of both sides.
    side = None if address.side == "both" else address.side
    tasks = (address.split, side, address.protocol, address.aggregation, address.relations)
    return (*tasks, address.tool, address.rank_type)


def _list_series(codes: Indices, is_called: Flags) -> Iterator[list[int]]:
    """Yield for each code with a number called mean the places of all its numbers, ascending."""
    chosen = np.flatnonzero(np.isin(codes, codes[is_called]))
    chosen = chosen[np.argsort(codes[chosen], kind="stable")]
    starts = np.flatnonzero(np.diff(codes[chosen])) + 1
    for series in np.split(chosen, starts):
        yield series.tolist()


def _list_runs(
    series: Sequence[int], is_called: Sequence[bool]
) -> dict[int, tuple[list[int], list[int], list[int]]]:
    """Map each mean of a row or column to the numbers that it may be of, the likeliest first.

    These are the numbers before it, those behind it, each up to another mean, and all together. In
    places 4 to 8 with a mean at 6, they are [4, 5], [7, 8] and [4, 5, 7, 8].
    """
    means: list[int] = []
    runs: list[list[int]] = [[]]  # the numbers between means: one more than there are means
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
    """Return a function that reads the number at a place; it reads equal texts only once."""
    entries = reading.entries
    numbers: dict[tuple[int, int, str], _Number | None] = {}

    def read(place: int) -> _Number | None:
        key = (
            int(entries.head_codes[place]),
            int(entries.context_codes[place]),
            entries.text_at(place),
        )
        if key not in numbers:
            numbers[key] = _read_number(entries[place])

        return numbers[key]

    return read


def _read_number(entry: Entry) -> _Number | None:
    """Read a number with its interval; None for a text that is no number."""
    try:
        measured = measure(entry, in_full=are_in_full([entry]))
    except DataError:
        return None
    return _Number(measured.value, *measured.interval)


def _compare_runs(
    reading: Reading,
    place: int,
    runs: tuple[list[int], list[int], list[int]],
    read: Callable[[int], _Number | None],
) -> MeanNumber | None:
    """Return the mean of the first run that a number equals, or else of the first run.

    None if the number or every run lacks numbers.
    """
    entries = reading.entries
    number = read(place)
    if number is None:
        return None

    first = None
    dataset = entries.contexts[entries.context_codes[place]].dataset or ""
    before, behind, everything = runs
    if squash(dataset) in _OF_ALL:
        runs = everything, before, behind

    for run in runs:
        numbers = [read(other) for other in run]
        parts = [part for part in numbers if part is not None]
        if len(parts) < max(len(run), _FEWEST_NUMBERS):
            continue
        # The means of the values, of the lower ends and of the upper ends.
        value, lower, upper = (sum(ends) / len(run) for ends in zip(*parts, strict=True))
        names = [entries.contexts[code].dataset for code in entries.context_codes[run].tolist()]
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
    """Give means over graphs the tasks of the numbers that they are of, or an error.

    Return the addresses with those of means replaced, and notes by place. The new addresses are
    added to `settled` or `failed`. A mean fails with a question if it is not the mean of its
    numbers, or if their tasks have nothing in common.
    """
    waiting = {
        code
        for code, address in enumerate(addressed.addresses)
        if _waits_for_graphs(address, settled, failed)
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
        parts = tuple(old_code_of[list(mean.parts)].tolist())
        key = code, mean.is_held, mean.is_alone, parts
        if key not in known:
            addresses = [addressed.addresses[part] for part in parts if part >= 0]
            address = addressed.addresses[code]
            known[key] = _settle_mean(address, mean, addresses, settled, failed)

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
    return addressed._replace(addresses=list(codes), codes=of_columns), notes


def _waits_for_graphs(
    address: Address, settled: Settled, failed: dict[Address, RankconstError]
) -> bool:
    """Tell whether an address is of a mean over graphs, and lacks nothing but which they are.

    It is settled if the user names a suite of graphs; else its only open question is that for them.
    """
    if not is_mean(address.dataset or ""):
        return False
    if address not in failed:
        return address in settled
    error = failed[address]
    return isinstance(error, AskedError) and error.questions == (ask_mean(address),)


def _settle_mean(
    address: Address,
    mean: MeanNumber,
    addresses: Sequence[Address],
    settled: Settled,
    failed: dict[Address, RankconstError],
) -> Address:
    """Add the address of a mean to `settled` with its tasks, or to `failed`, and return it.

    `addresses` are those of the numbers next to it. Unless the mean is over the suite that the user
    names, its address is new. A mean waits for the answers to the questions about its numbers.
    """
    parts = [settled[part] for part in addresses if part in settled]
    graphs = {tasks.dataset for tasks, _ in parts}
    named = settled.get(address)  # tasks and tool, if the user names a suite
    if named is not None and _is_of_suite(named[0], mean, graphs):
        return address
    if not mean.is_held:
        question = ask_mean(address, f", and not that of the {len(mean.parts)} numbers next to it")
        return _fail_with_question(failed, replace(address, dataset=question.text), question)

    lacking = len(mean.parts) - len(parts)
    if lacking:
        text = f"mean of {len(mean.parts)} numbers, {lacking} without constants: not adjusted."
        lacks = replace(address, dataset=f"{address.dataset}: {text}")
        errors = [failed[part] for part in addresses if part in failed]
        asked = [error.questions for error in errors if isinstance(error, AskedError)]
        questions = tuple(dict.fromkeys(itertools.chain.from_iterable(asked)))
        failed[lacks] = AskedError(text, questions) if questions else DataError(text)
        return lacks

    tool = parts[0][1]
    joined = join_tasks([tasks for tasks, _ in parts], tool)
    is_of_tool = all(other is tool for _, other in parts) and (tool is None or tool.batch is None)
    if joined is None or not is_of_tool:
        several = replace(address, dataset=f"{address.dataset} of several evaluations")
        return _fail_with_question(failed, several, ask_mean(address))

    # The graphs tell which fields were assumed.
    joint = replace(address, dataset=joined.dataset, split=joined.split)
    joint = replace(joint, side=joined.side, protocol=joined.protocol)
    settled[joint] = joined, tool
    return joint


def _fail_with_question(
    failed: dict[Address, RankconstError], address: Address, question: Question
) -> Address:
    """Add an address with a question to those that failed, and return it."""
    failed[address] = AskedError(str(question), (question,))
    return address


def _is_of_suite(tasks: Tasks, mean: MeanNumber, graphs: Collection[str]) -> bool:
    """Tell whether a mean next to numbers on `graphs` can be over the suite that the user names.

    Next to all graphs of the suite, it has to equal their mean. Next to some of them, it must be
    the only mean and differ from theirs: then it is rather over the whole suite.
    """
    suite = read_suite(tasks.dataset)
    if suite is None or any(graph not in suite.graphs for graph in graphs):
        return False
    if len(mean.parts) == len(suite.graphs):
        return mean.is_held
    return mean.is_alone and not mean.is_held and len(mean.parts) < len(suite.graphs)


# Means of a model's numbers.

_LAST_DECIMAL = 0.0001
"""The last decimal of an index on the screen."""

_LARGE_SHARE = 2
"""The largest share of chance is named if it is at least this many times the equal share."""


class _Setting(NamedTuple):
    """What numbers must share to be averaged."""

    metric: Hashable
    protocol: str
    split: str
    side: str
    aggregation: str
    tool: str
    rank_type: str


class _GraphNumber(NamedTuple):
    """A number on one graph."""

    dataset: str  # as the file names it
    context: Address
    done: AdjustedBatch
    floor: AdjustedBatch | None
    position: int  # in the batch


@dataclass(frozen=True)
class ModelAverage:
    """The mean of a model over graphs; no name if the file has a single one."""

    setting: _Setting
    model: str
    average: Average
    total: int  # the number of graphs with numbers, or of those in the suite that the user names


def average_models(
    adjusted: AdjustedReading, floors: Mapping[AdjustedBatch, AdjustedBatch | None], tables: Tables
) -> list[ModelAverage]:
    """Average each model's numbers of one metric, split and side, on three graphs or more.

    There is no mean where a model has several numbers on one graph. `floors` maps each batch to the
    same numbers over counting, or None.
    """
    entries = adjusted.reading.entries
    models = name_models(adjusted.reading)
    is_averaged = _mark_averaged(floors, models)
    graphs_of = _list_graphs(entries, models, is_averaged)
    suite = tables.find_suite(adjusted.user.dataset or "")
    averages: list[ModelAverage] = []
    for (setting, model), numbers in _group_by_model(
        entries, models, is_averaged, floors, tables
    ).items():
        graphs = {number.done.published.tasks.dataset for number in numbers}
        if len(numbers) < FEWEST_GRAPHS or len(graphs) < len(numbers):
            continue
        named = graphs_of[_find_series(setting.metric, model, numbers[0].context)]
        missing = named.difference(number.dataset for number in numbers)
        total = len(numbers) + sum(names_known(graph) for graph in missing)
        if suite is not None:
            total = len(suite.graphs)

        averages.append(ModelAverage(setting, model, _average_numbers(numbers), total))

    return averages


def _mark_averaged(floors: Iterable[AdjustedBatch], models: Sequence[str]) -> Flags:
    """Flag the numbers of models that have numbers on enough graphs for a mean."""
    places: dict[str, list[Indices]] = defaultdict(list)
    for done in floors:
        places[done.published.tasks.dataset].append(done.published.index)

    model_codes, distinct = factorize(models)
    graphs = np.zeros(len(distinct), dtype=np.intp)
    for indices in places.values():
        graphs[model_codes[np.concatenate(indices)]] += 1  # once, however many numbers it has

    is_averaged: Flags = (graphs >= FEWEST_GRAPHS)[model_codes]
    return is_averaged


def _list_graphs(
    entries: Entries, models: Sequence[str], chosen: Flags
) -> dict[Hashable, set[str]]:
    """List the graphs of chosen numbers, adjusted or not, by what `_find_series` returns."""
    graphs_of: dict[Hashable, set[str]] = defaultdict(set)
    heads = entries.head_codes[chosen].tolist()
    contexts = entries.context_codes[chosen].tolist()
    names = itertools.compress(models, chosen.tolist())
    for head, context_code, model in set(zip(heads, contexts, names, strict=True)):
        context = entries.contexts[context_code]
        if context.dataset is not None and not is_mean(context.dataset):
            series = _find_series(entries.heads[head].metric, model, context)
            graphs_of[series].add(context.dataset)

    return graphs_of


def _find_series(metric: Hashable, model: str, context: Address) -> Hashable:
    """Return what numbers of a model have in common if they differ in their graphs only."""
    return metric, model, context.split, context.side, context.rank_type


def _group_by_model(
    entries: Entries,
    models: Sequence[str],
    is_averaged: Flags,
    floors: Mapping[AdjustedBatch, AdjustedBatch | None],
    tables: Tables,
) -> dict[tuple[_Setting, str], list[_GraphNumber]]:
    """Group the numbers to average by setting and model, without means and single relations."""
    groups: dict[tuple[_Setting, str], list[_GraphNumber]] = defaultdict(list)
    for done, floor in floors.items():
        batch = done.published
        is_mean_already = tables.find_suite(batch.tasks.dataset) is not None
        if batch.tasks.relations or is_mean_already or batch.metric.optimum is None:
            continue
        for position in np.flatnonzero(is_averaged[batch.index]).tolist():
            place = int(batch.index[position])
            context = entries.contexts[entries.context_codes[place]]
            dataset = context.dataset or batch.tasks.dataset
            setting = _find_setting(done, context.rank_type or "")
            groups[setting, models[place]].append(
                _GraphNumber(dataset, context, done, floor, position)
            )

    return groups


def _find_setting(done: AdjustedBatch, rank_type: str) -> _Setting:
    """Return what the numbers of a mean must have in common.

    A tool may rank other splits or sides on some graphs: what is usual there is called test and
    both, as on the other graphs.
    """
    published = done.published
    tasks, tool = published.tasks, published.tool
    split, side, tool_key = tasks.split, tasks.side, ""
    if tool is not None:
        split, side = tool.find_usual(tasks.dataset, split, side)
        tool_key = tool.key
    return _Setting(
        published.metric, tasks.protocol, split, side, tasks.aggregation, tool_key, rank_type
    )


def _average_numbers(numbers: Sequence[_GraphNumber]) -> Average:
    """Return the mean of numbers, one on each graph, with what counting gets if all have that."""
    floors = [number.floor.constants for number in numbers if number.floor is not None]
    is_counted = len(floors) == len(numbers)
    ends = []
    for number in numbers:
        batch, at = number.done.published, number.position
        ends.append((batch.value[at], batch.lower[at], batch.upper[at]))

    values, lower, upper = np.array(ends).T
    return Average(
        metric=numbers[0].done.published.metric,
        datasets=tuple(number.dataset for number in numbers),
        values=values,
        lower=lower,
        upper=upper,
        constants=[number.done.constants for number in numbers],
        counted=floors if is_counted else None,
    )


def describe_averages(averages: Sequence[ModelAverage], *, details: bool) -> list[str]:
    """Write a line for each metric and set of graphs, and below it one for each model."""
    groups: dict[Hashable, list[ModelAverage]] = defaultdict(list)
    for mean in averages:
        groups[mean.setting, mean.average.datasets, mean.total].append(mean)

    differing = _list_differing([mean.setting for mean in averages])
    lines = []
    for means in groups.values():
        setting, first, total = means[0].setting, means[0].average, means[0].total
        size = len(first.datasets)
        some = f"{size}" if total <= size else f"{size} of {total}"
        names = [getattr(setting, field) for field in differing]
        differences = "".join(f", {SIDE_WORDS.get(name, name)}" for name in names)
        title = f"{first.metric.label}{differences}, mean over {some} datasets"
        chance, heaviest = _describe_chance(first), _list_heaviest(first)
        if len(means) == 1:
            name = f", {means[0].model}" if means[0].model else ""
            value, *results = _describe_result(first, details=details)
            facts = [", ".join([value, chance, *results]), *heaviest, *_list_below(first)]
            lines.append(f"{title}{name}: {'; '.join(facts)}.")
            continue

        lines.append(f"{title}: {'; '.join([chance, *heaviest])}.")
        for mean in means:
            results = _describe_result(mean.average, details=details)
            facts = [", ".join(results), *_list_below(mean.average)]
            lines.append(f"  {mean.model}: {'; '.join(facts)}.")

    return lines


def _list_differing(settings: Sequence[_Setting]) -> list[str]:
    """List the names of the fields in which settings differ, without the metric."""
    differing = []
    for name, values in zip(_Setting._fields, zip(*settings, strict=True), strict=False):
        if name != "metric" and len(set(values)) > 1:
            differing.append(name)
    return differing


def _describe_chance(average: Average) -> str:
    """Describe the means that chance and counting get."""
    chance = f"chance {show_expected(average.chance.expectation)}"
    if average.counting is None:
        return chance
    return f"{chance}, counting {show_expected(average.counting.expectation)}"


def _list_heaviest(average: Average) -> list[str]:
    """Name the graph with the largest share of chance, if it is twice the equal share or more."""
    dataset, share = average.heaviest
    if not share * len(average.datasets) >= _LARGE_SHARE:
        return []
    return [f"largest share of chance: {dataset} ({100 * share:.0f}%)"]


def _describe_result(average: Average, *, details: bool) -> list[str]:
    """Describe the mean of a model, as in ["0.41", "index 0.40", "±0.05 over datasets"]."""
    parts = [show_expected(average.value)]
    parts += _describe_index(average, average.chance, "index", "indices", details=details)
    significance = average.compute_significance() if details else None
    if significance is not None:
        text = str(significance)
        parts.append(f"p {text}" if text.startswith("<") else f"p at most {text}")

    if average.counting is not None:
        over = average.counting
        parts += _describe_index(average, over, "skill over counting", "skills", details=details)

    return [*parts, f"±{show_expected(average.error)} over datasets"]


def _describe_index(
    average: Average, against: Held, name: str, several: str, *, details: bool
) -> list[str]:
    """Describe the index of a mean, and z with `details`: ["index 0.31 (mean of indices 0.34)"]."""
    parts = []
    optimum = average.metric.optimum
    if optimum is not None and not math.isnan(against.index):
        rounding = average.rounding / abs(optimum - against.expectation)
        differs = abs(against.mean_index - against.index) > max(rounding, _LAST_DECIMAL / 2)
        other = f" (mean of {several} {against.mean_index:.4f})" if differs else ""
        parts.append(f"{name} {against.index:.4f}{other}")

    if details and not math.isnan(against.z):
        parts.append(f"z {against.z:,.4g}")

    return parts


def _list_below(average: Average) -> list[str]:
    """Name the graphs on which a model is below counting."""
    return [f"below counting: {list_first(list(average.below))}"] if average.below else []
