"""The means of a file's numbers over several graphs, for people."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.mentions import names_known
from rankconst.catalogue.suites import FEWEST_GRAPHS, is_mean
from rankconst.names import list_first
from rankconst.results.columns import encode
from rankconst.results.reading import name_models
from rankconst.values.averages import Average, Held
from rankconst.verdicts import show_expected

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.evaluation import Address
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.results.reading import Entries
    from rankconst.tables.archive import Tables

    Flags = NDArray[np.bool_]
    Places = NDArray[np.intp]

_SHOWN = 0.0001
"""The last decimal of an index on the screen."""

_UNEQUAL = 2
"""The largest share of chance is named if it is at least this many times the equal share."""


class _Kind(NamedTuple):
    """The metric and tasks that numbers must share to be averaged; split and side as the file's."""

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
    done: AdjustedBatch
    floor: AdjustedBatch | None
    position: int  # in the batch


@dataclass(frozen=True)
class ModelAverage:
    """The mean of a model over graphs; no name if the file has a single one."""

    kind: _Kind
    model: str
    average: Average
    total: int  # the number of graphs with numbers, or of those in the suite that the user names


def average_models(
    adjusted: AdjustedReading, floors: Mapping[AdjustedBatch, AdjustedBatch | None], tables: Tables
) -> list[ModelAverage]:
    """Average each model's numbers of one metric, split and side, on three graphs or more.

    There is no mean where a model has several numbers on one graph.
    """
    entries = adjusted.reading.entries
    models = name_models(adjusted.reading)
    is_averaged = _mark_averaged(floors, models)
    graphs_of = _list_graphs(entries, models, is_averaged)
    suite = tables.find_suite(adjusted.user.dataset or "")
    averages: list[ModelAverage] = []
    for (kind, model), numbers in _group(entries, models, is_averaged, floors, tables).items():
        graphs = {number.done.batch.tasks.dataset for number in numbers}
        if len(numbers) < FEWEST_GRAPHS or len(graphs) < len(numbers):
            continue
        named = graphs_of[_find_series(kind.metric, model, numbers[0].context)]
        missing = named.difference(number.dataset for number in numbers)
        total = len(numbers) + sum(names_known(graph) for graph in missing)
        if suite is not None:
            total = len(suite.graphs)
        averages.append(ModelAverage(kind, model, _average(numbers), total))
    return averages


def _mark_averaged(floors: Iterable[AdjustedBatch], models: Sequence[str]) -> Flags:
    """Mark the numbers of models that have some on enough graphs for a mean."""
    places: dict[str, list[Places]] = defaultdict(list)
    for done in floors:
        places[done.batch.tasks.dataset].append(done.batch.index)
    model_of, distinct = encode(models)
    graphs = np.zeros(len(distinct), dtype=np.intp)
    for indices in places.values():
        graphs[model_of[np.concatenate(indices)]] += 1  # once, however many numbers it has
    is_averaged: Flags = (graphs >= FEWEST_GRAPHS)[model_of]
    return is_averaged


def _list_graphs(
    entries: Entries, models: Sequence[str], chosen: Flags
) -> dict[Hashable, set[str]]:
    """List the graphs of chosen numbers, adjusted or not, by series."""
    graphs_of: dict[Hashable, set[str]] = defaultdict(set)
    heads, contexts = entries.head_of[chosen].tolist(), entries.context_of[chosen].tolist()
    names = itertools.compress(models, chosen.tolist())
    for head, context_code, model in set(zip(heads, contexts, names, strict=True)):
        context = entries.contexts[context_code]
        if context.dataset is not None and not is_mean(context.dataset):
            series = _find_series(entries.heads[head].metric, model, context)
            graphs_of[series].add(context.dataset)
    return graphs_of


def _find_series(metric: Hashable, model: str, context: Address) -> Hashable:
    """Return what numbers of a model share that differ in their graphs only."""
    return metric, model, context.split, context.side, context.rank_type


def _group(
    entries: Entries,
    models: Sequence[str],
    is_averaged: Flags,
    floors: Mapping[AdjustedBatch, AdjustedBatch | None],
    tables: Tables,
) -> dict[tuple[_Kind, str], list[_Number]]:
    """Group the numbers to average by kind and model; means and single relations are left out."""
    groups: dict[tuple[_Kind, str], list[_Number]] = defaultdict(list)
    for done, floor in floors.items():
        batch = done.batch
        is_mean_already = tables.find_suite(batch.tasks.dataset) is not None
        if batch.tasks.relations or is_mean_already or batch.metric.optimum is None:
            continue
        for position in np.flatnonzero(is_averaged[batch.index]).tolist():
            place = int(batch.index[position])
            context = entries.contexts[entries.context_of[place]]
            dataset = context.dataset or batch.tasks.dataset
            kind = _find_kind(done, context.rank_type or "")
            groups[kind, models[place]].append(_Number(dataset, context, done, floor, position))
    return groups


def _find_kind(done: AdjustedBatch, rank_type: str) -> _Kind:
    tasks, tool = done.batch.tasks, done.batch.tool
    split, side, key = tasks.split, tasks.side, ""
    if tool is not None:
        split, side = tool.find_usual(tasks.dataset, split, side)
        key = tool.key
    return _Kind(done.batch.metric, tasks.protocol, split, side, tasks.aggregation, key, rank_type)


def _average(numbers: Sequence[_Number]) -> Average:
    """Average numbers on several graphs."""
    floors = [number.floor.constants for number in numbers if number.floor is not None]
    return Average(
        metric=numbers[0].done.batch.metric,
        datasets=tuple(number.dataset for number in numbers),
        values=np.array([number.done.batch.value[number.position] for number in numbers]),
        lower=np.array([number.done.batch.lower[number.position] for number in numbers]),
        upper=np.array([number.done.batch.upper[number.position] for number in numbers]),
        constants=[number.done.constants for number in numbers],
        counted=floors if len(floors) == len(numbers) else None,
    )


def describe_averages(averages: Sequence[ModelAverage], *, details: bool) -> list[str]:
    """Write the means of models, in one line for a model alone with its metric and graphs.

    Otherwise write a line for each model below one for the metric and graphs.
    """
    groups: dict[Hashable, list[ModelAverage]] = defaultdict(list)
    for mean in averages:
        groups[mean.kind, mean.average.datasets, mean.total].append(mean)
    differing = _list_differing([mean.kind for mean in averages])
    lines = []
    for means in groups.values():
        kind, first, total = means[0].kind, means[0].average, means[0].total
        size = len(first.datasets)
        some = f"{size}" if total <= size else f"{size} of {total}"
        kinds = "".join(f", {getattr(kind, name)}" for name in differing)
        title = f"{first.metric.label}{kinds}, mean over {some} datasets"
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


def _list_differing(kinds: Sequence[_Kind]) -> list[str]:
    """List the fields besides the metric in which kinds of numbers differ."""
    names = [name for name in _Kind._fields if name != "metric"]
    return [name for name in names if len({getattr(kind, name) for kind in kinds}) > 1]


def _describe_chance(average: Average) -> str:
    """Describe the means that chance and counting get."""
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
    """Describe the mean of a model: its indices, and how much it varies over the graphs."""
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
    """Describe the index of a mean with the mean of the indices, and with `details` z.

    The mean of the indices is left out where rounding explains the difference.
    """
    parts = []
    optimum = average.metric.optimum
    if optimum is not None and not math.isnan(against.index):
        rounding = average.rounding / abs(optimum - against.expectation)
        differs = abs(against.mean_index - against.index) > max(rounding, _SHOWN / 2)
        other = f" (mean of {several} {against.mean_index:.4f})" if differs else ""
        parts.append(f"{name} {against.index:.4f}{other}")
    if details and not math.isnan(against.z):
        parts.append(f"z {against.z:,.4g}")
    return parts


def _list_below(average: Average) -> list[str]:
    """Name the graphs on which a model is below counting."""
    return [f"below counting: {list_first(list(average.below))}"] if average.below else []
