"""The mean of a metric over several graphs, and what chance and counting get of it.

Each of D graphs counts once, and graphs are independent, so that the mean has expectation
``sum(E_d) / D`` and variance ``sum(V_d) / D**2``. Index and z of the mean follow from these two as
for a single number. The mean of the indices is another number: it weighs graph d by ``1 / (optimum
- E_d)``, and can order models differently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.values.constants import Constants

    Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GraphResults:
    """The results of one model on D graphs, with the constants of each.

    Arrays are of shape (D,), in units of the metric.

    Attributes
    ----------
    lower, upper : numpy.ndarray
        The ends that rounding leaves open.
    counting : sequence of Constants, or None
        Those against the counting baseline; None if one graph has none.
    """

    metric: Metric
    datasets: tuple[str, ...]
    values: Values
    lower: Values
    upper: Values
    chance: Sequence[Constants]
    counting: Sequence[Constants] | None = None


@dataclass(frozen=True)
class Average:
    """The mean of a model over D graphs, in units of the metric unless said otherwise.

    Attributes
    ----------
    value : float
        The mean of the results.
    rounding : float
        By how much rounding may have changed it, to either side.
    expectation, variance : float
        What a random ranker gets on average, and how much that varies, in squared units.
    index, z : float
        Those of the mean, without unit; NaN where they are undefined.
    mean_index : float
        The mean of the D indices, without unit.
    error : float
        The standard error of the mean over the graphs: with another draw of graphs, it would vary
        by that much.
    counting : float or None
        What the counting baseline gets on average; None where that is not known.
    heaviest : str
        The graph that contributes most to the expectation.
    share : float
        Its part of the expectation, from 0 to 1.
    below : tuple of str
        The graphs on which the model is below what counting gets, however its result was rounded.
    """

    metric: Metric
    datasets: tuple[str, ...]
    value: float
    rounding: float
    expectation: float
    variance: float
    index: float
    z: float
    mean_index: float
    error: float
    counting: float | None
    heaviest: str
    share: float
    below: tuple[str, ...]


def average_graphs(results: GraphResults) -> Average:
    """Average the results of one model over graphs; ValueError for fewer than two."""
    size = len(results.datasets)
    if size < 2:
        raise ValueError(f"a mean over graphs needs two graphs or more, got {size}.")
    metric, values = results.metric, results.values
    optimum = math.nan if metric.optimum is None else metric.optimum
    expected = np.array([each.expectation for each in results.chance])
    mean, expectation = float(values.mean()), float(expected.mean())
    variance = float(sum(each.variance for each in results.chance)) / size**2
    sign = 1 if metric.increasing else -1
    heaviest = int(expected.argmax())
    counting: float | None = None
    below: tuple[str, ...] = ()
    if results.counting is not None:
        counted = np.array([each.expectation for each in results.counting])
        counting, below = float(counted.mean()), _list_below(results, counted)
    return Average(
        metric=metric,
        datasets=results.datasets,
        value=mean,
        rounding=float((results.upper - results.lower).mean()) / 2,
        expectation=expectation,
        variance=variance,
        index=_divide(mean - expectation, optimum - expectation),
        z=_divide(sign * (mean - expectation), math.sqrt(variance)),
        mean_index=_average_indices(values, expected, optimum),
        error=float(values.std(ddof=1)) / math.sqrt(size),
        counting=counting,
        heaviest=results.datasets[heaviest],
        share=_divide(float(expected[heaviest]), float(expected.sum())),
        below=below,
    )


def _divide(part: float, whole: float) -> float:
    """Return a quotient; NaN for one by 0."""
    return part / whole if whole else math.nan


def _average_indices(values: Values, expected: Values, optimum: float) -> float:
    """Return the mean of the indices of single graphs; NaN if one of them is undefined."""
    ranges = optimum - expected
    if not ranges.all():
        return math.nan
    return float(((values - expected) / ranges).mean())


def _list_below(results: GraphResults, counted: Values) -> tuple[str, ...]:
    """List the graphs on which results are below those of counting."""
    below = results.upper < counted if results.metric.increasing else results.lower > counted
    return tuple(results.datasets[place] for place in np.flatnonzero(below))
