"""The means over several graphs of what a file holds, for people."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.mentions import names_known
from rankconst.catalogue.suites import FEWEST_GRAPHS, is_mean
from rankconst.names import list_first
from rankconst.results.columns import encode
from rankconst.results.reading import name_models
from rankconst.results.tables.cells import is_number
from rankconst.values.averages import Average, Held
from rankconst.verdicts import show_expected

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from rankconst.adjusting import AdjustedBatch
    from rankconst.evaluation import Address
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.results.reading import Reading
    from rankconst.tables.archive import Tables

_SHOWN = 0.0001
"""The last decimal of an index on the screen."""

_UNEQUAL = 2
"""The largest share of chance is named if it is at least this many times the equal share."""


class _Kind(NamedTuple):
    """What numbers must share to be averaged.

    Split and side are those of the file where the tool has its own.
    """

    metric: Hashable
    protocol: str
    split: str
    side: str
    aggregation: str
    tool: str
    rank_type: str


class _Number(NamedTuple):
    """A number on one graph."""

    dataset: str  # as the file names it
    context: Address
    row: int
    done: AdjustedBatch
    floor: AdjustedBatch | None
    position: int  # in the batch


@dataclass(frozen=True)
class ModelAverage:
    """The mean of a model over graphs; no name if the file has a single one."""

    kind: _Kind
    model: str
    average: Average
    total: int  # of how many graphs there are numbers, or that the suite has which the user names


def average_models(
    adjusted: AdjustedReading, floors: Mapping[AdjustedBatch, AdjustedBatch | None], tables: Tables
) -> list[ModelAverage]:
    """Average each model's numbers of one metric, split and side, on three graphs or more."""
    found: dict[tuple[_Kind, str], list[_Number]] = defaultdict(list)
    entries, models = adjusted.reading.entries, name_models(adjusted.reading)
    for done, floor in floors.items():
        tasks, is_adjusted = done.batch.tasks, done.batch.metric.optimum is not None
        is_mean_already = tables.find_suite(tasks.dataset) is not None
        if tasks.relations or is_mean_already or not is_adjusted:
            continue
        for position, place in enumerate(done.batch.index.tolist()):
            context, row = entries.contexts[entries.context_of[place]], int(entries.rows[place])
            kind = _find_kind(done, context.rank_type or "")
            number = _Number(context.dataset or tasks.dataset, context, row, done, floor, position)
            found[kind, models[place]].append(number)
    named = _list_graphs(adjusted.reading, models)
    suite = tables.find_suite(adjusted.user.dataset or "")
    averages: list[ModelAverage] = []
    for (kind, model), numbers in found.items():
        for name, own in _tell_apart(model, numbers, adjusted.reading):
            graphs = named[_list_shared(kind.metric, model, own[0].context)]
            left = graphs.difference(number.dataset for number in own)
            total = len(own) + sum(names_known(name) for name in left)
            if suite is not None:
                total = len(suite.graphs)
            averages.append(ModelAverage(kind, name, _gather(own), total))
    return averages


def _list_graphs(reading: Reading, models: Sequence[str]) -> dict[tuple[Hashable, ...], set[str]]:
    """Return the graphs that have numbers, by metric and model; those without constants, too.

    `models` has the name of the model of each number.
    """
    entries = reading.entries
    model_of, distinct = encode(models)
    codes = np.stack([entries.head_of, entries.context_of, model_of])
    named: dict[tuple[Hashable, ...], set[str]] = defaultdict(set)
    for head_code, context_code, model_code in np.unique(codes, axis=1).T.tolist():
        metric, context = entries.heads[head_code].metric, entries.contexts[context_code]
        if context.dataset is not None and not is_mean(context.dataset):
            named[_list_shared(metric, distinct[model_code], context)].add(context.dataset)
    return named


def _list_shared(metric: Hashable, model: str, context: Address) -> tuple[Hashable, ...]:
    """Return what the numbers of a model share that differ in their graphs only."""
    return metric, model, context.split, context.side, context.rank_type


def _find_kind(done: AdjustedBatch, rank_type: str) -> _Kind:
    tasks, tool = done.batch.tasks, done.batch.tool
    split, side = tasks.split, tasks.side
    if tool is not None:
        split, side = tool.find_usual(tasks.dataset, split, side)
    key = "" if tool is None else tool.key
    return _Kind(done.batch.metric, tasks.protocol, split, side, tasks.aggregation, key, rank_type)


def _tell_apart(
    model: str, numbers: Sequence[_Number], reading: Reading
) -> Iterator[tuple[str, Sequence[_Number]]]:
    """Yield the numbers of each model: those of a row each, if several are on one graph."""
    if len(numbers) < FEWEST_GRAPHS:
        return
    if _is_one_each(numbers):
        yield model, numbers
        return
    rows: dict[int, list[_Number]] = defaultdict(list)
    for number in numbers:
        rows[number.row].append(number)
    names = _name_rows([*rows], reading)
    for name, own in zip(names, rows.values(), strict=True):
        if len(own) >= FEWEST_GRAPHS and _is_one_each(own):
            yield f"{model} ({name})".strip(), own


def _name_rows(rows: Sequence[int], reading: Reading) -> list[str]:
    """Name rows by the cells that tell them apart, or else by their order."""
    taken = {head.column for head in reading.entries.heads}
    cells = {
        column: [reading.rows[row].get(column, "") for row in rows]
        for column in reading.columns
        if column not in taken
    }
    telling = {column: own for column, own in cells.items() if len(set(own)) > 1}
    names = []
    for place in range(len(rows)):
        own = {column: each[place] for column, each in telling.items() if each[place]}
        said = [f"{column} {cell}" if is_number(cell) else cell for column, cell in own.items()]
        names.append(", ".join(said))
    return names if len(set(names)) == len(names) else [f"row {row + 1}" for row in rows]


def _is_one_each(numbers: Sequence[_Number]) -> bool:
    """Tell whether each number is on another graph."""
    counts = Counter(number.done.batch.tasks.dataset for number in numbers)
    return len(counts) == len(numbers)


def _gather(numbers: Sequence[_Number]) -> Average:
    """Average numbers on several graphs."""
    batches = [(number.done.batch, number.position) for number in numbers]
    floors = [number.floor.constants for number in numbers if number.floor is not None]
    return Average(
        metric=numbers[0].done.batch.metric,
        datasets=tuple(number.dataset for number in numbers),
        values=np.array([batch.value[position] for batch, position in batches]),
        lower=np.array([batch.lower[position] for batch, position in batches]),
        upper=np.array([batch.upper[position] for batch, position in batches]),
        constants=[number.done.constants for number in numbers],
        counted=floors if len(floors) == len(numbers) else None,
    )


def describe_averages(averages: Sequence[ModelAverage], *, details: bool) -> list[str]:
    """Write the means of models, in one line for a model alone with its metric and graphs.

    Otherwise write a line for each model below one for the metric and graphs.
    """
    groups: dict[Hashable, list[ModelAverage]] = defaultdict(list)
    for each in averages:
        groups[each.kind, each.average.datasets, each.total].append(each)
    told = _list_differing([each.kind for each in averages])
    lines = []
    for own in groups.values():
        first = own[0].average
        size, total = len(first.datasets), own[0].total
        some = f"{size}" if total <= size else f"{size} of {total}"
        kind = "".join(f", {getattr(own[0].kind, name)}" for name in told)
        title = f"{first.metric.label}{kind}, mean over {some} datasets"
        if len(own) == 1:
            named = f"{title}, {own[0].model}" if own[0].model else title
            value, *rest = _describe_result(first, details=details)
            shared = ", ".join([value, _describe_chance(first), *rest])
            facts = [shared, *_list_heaviest(first), *_list_below(first)]
            lines.append(f"{named}: {'; '.join(facts)}.")
            continue
        lines.append(f"{title}: {'; '.join([_describe_chance(first), *_list_heaviest(first)])}.")
        for each in own:
            result = ", ".join(_describe_result(each.average, details=details))
            lines.append(f"  {each.model}: {'; '.join([result, *_list_below(each.average)])}.")
    return lines


def _list_differing(kinds: Sequence[_Kind]) -> list[str]:
    """List what sets the kinds of numbers apart, but for the metric."""
    names = [name for name in _Kind._fields if name != "metric"]
    return [name for name in names if len({getattr(kind, name) for kind in kinds}) > 1]


def _describe_chance(average: Average) -> str:
    """Say what chance and counting get of a mean."""
    chance = f"chance {show_expected(average.chance.expectation)}"
    if average.counting is None:
        return chance
    return f"{chance}, counting {show_expected(average.counting.expectation)}"


def _list_heaviest(average: Average) -> list[str]:
    """Name the graph that contributes most to chance, if that is clearly more than the others."""
    dataset, share = average.heaviest
    if not share * len(average.datasets) >= _UNEQUAL:
        return []
    return [f"largest share of chance: {dataset} ({100 * share:.0f}%)"]


def _describe_result(average: Average, *, details: bool) -> list[str]:
    """Return the mean of a model, its indices, and how much it varies over the graphs."""
    parts = [show_expected(average.value)]
    parts += _describe_held(average, average.chance, "index", "indices", details=details)
    if details and (significance := average.compute_significance()) is not None:
        text = str(significance)
        parts.append(f"p {text}" if text.startswith("<") else f"p at most {text}")
    if average.counting is not None:
        over = average.counting
        parts += _describe_held(average, over, "skill over counting", "skills", details=details)
    return [*parts, f"±{show_expected(average.error)} over datasets"]


def _describe_held(
    average: Average, held: Held, name: str, several: str, *, details: bool
) -> list[str]:
    """Return the index of a mean with the mean of the indices, and with `details` z.

    The mean of the indices is left out where rounding explains the difference.
    """
    parts = []
    optimum = average.metric.optimum
    if optimum is not None and not math.isnan(held.index):
        open_by = average.rounding / abs(optimum - held.expectation)
        differs = abs(held.mean_index - held.index) > max(open_by, _SHOWN / 2)
        other = f" (mean of {several} {held.mean_index:.4f})" if differs else ""
        parts.append(f"{name} {held.index:.4f}{other}")
    if details and not math.isnan(held.z):
        parts.append(f"z {held.z:,.4g}")
    return parts


def _list_below(average: Average) -> list[str]:
    """Name the graphs on which a model is below counting."""
    return [f"below counting: {list_first(list(average.below))}"] if average.below else []
