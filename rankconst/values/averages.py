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

from rankconst.tasks import pool_graphs
from rankconst.values.published import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram
    from rankconst.values.constants import Constants
    from rankconst.values.significance import Significance

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
class Held:
    """A mean over D graphs, held to what a ranker gets that does not learn.

    Attributes
    ----------
    expectation, variance : float
        What the ranker gets on average, in units of the metric, and how much that varies, in
        squared units.
    index, z : float
        Those of the mean, without unit; NaN where they are undefined.
    mean_index : float
        The mean of the D indices, without unit.
    """

    expectation: float
    variance: float
    index: float
    z: float
    mean_index: float


@dataclass(frozen=True)
class Average:
    """The mean of a model over D graphs, in units of the metric unless said otherwise.

    Attributes
    ----------
    value : float
        The mean of the results.
    rounding : float
        By how much rounding may have changed it, to either side.
    chance : Held
        Held to a random ranker.
    counting : Held or None
        Held to the counting baseline; None where that is not known.
    error : float
        The standard error of the mean over the graphs: with another draw of graphs, it would vary
        by that much.
    heaviest : str
        The graph that contributes most to what chance gets.
    share : float
        Its part of that, from 0 to 1.
    below : tuple of str
        The graphs on which the model is below what counting gets, however its result was rounded.
    graphs : tuple of Histogram
        The candidates of each graph.
    """

    metric: Metric
    datasets: tuple[str, ...]
    value: float
    rounding: float
    chance: Held
    counting: Held | None
    error: float
    heaviest: str
    share: float
    below: tuple[str, ...]
    graphs: tuple[Histogram, ...]

    def compute_significance(self) -> Significance | None:
        """Compute how likely a random ranker does as well, at most; None where it is not known.

        Rounding may have made the results better than they are.
        """
        from rankconst.tails import explain_lack
        from rankconst.values.significance import compute_significance

        pooled = pool_graphs(self.graphs)
        if explain_lack(self.metric, pooled):
            return None
        worst = self.value - (self.rounding if self.metric.increasing else -self.rounding)
        return compute_significance(self.metric, pooled, worst, Interval(worst, worst))


def average_graphs(results: GraphResults) -> Average:
    """Average the results of one model over graphs; ValueError for fewer than two."""
    size = len(results.datasets)
    if size < 2:
        raise ValueError(f"a mean over graphs needs two graphs or more, got {size}.")
    metric, values, counting = results.metric, results.values, results.counting
    expected = _list_expected(results.chance)
    heaviest = int(expected.argmax())
    return Average(
        metric=metric,
        datasets=results.datasets,
        value=float(values.mean()),
        rounding=float((results.upper - results.lower).mean()) / 2,
        chance=_hold(metric, values, results.chance),
        counting=None if counting is None else _hold(metric, values, counting),
        error=float(values.std(ddof=1)) / math.sqrt(size),
        heaviest=results.datasets[heaviest],
        share=_divide(float(expected[heaviest]), float(expected.sum())),
        below=() if counting is None else _list_below(results, _list_expected(counting)),
        graphs=tuple(each.ranking for each in results.chance),
    )


def _list_expected(constants: Sequence[Constants]) -> Values:
    return np.array([each.expectation for each in constants])


def _hold(metric: Metric, values: Values, constants: Sequence[Constants]) -> Held:
    """Hold a mean to what a ranker gets."""
    optimum = math.nan if metric.optimum is None else metric.optimum
    expected = _list_expected(constants)
    mean, expectation = float(values.mean()), float(expected.mean())
    variance = float(sum(each.variance for each in constants)) / len(constants) ** 2
    sign = 1 if metric.increasing else -1
    return Held(
        expectation,
        variance,
        index=_divide(mean - expectation, optimum - expectation),
        z=_divide(sign * (mean - expectation), math.sqrt(variance)),
        mean_index=_average_indices(values, expected, optimum),
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
