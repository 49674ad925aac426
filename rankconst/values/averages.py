"""The mean of a metric over several graphs, and what chance and counting get of it.

Each of D graphs counts once, and graphs are independent, so that the mean has expectation
``sum(E_d) / D`` and variance ``sum(V_d) / D**2``. Index and z of the mean follow from these two as
for a single number. The mean of the indices is another number: it weighs graph d by ``1 / (optimum
- E_d)``, and can order models differently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankconst.tasks import pool_graphs
from rankconst.values.published import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.values.constants import Constants
    from rankconst.values.significance import Significance

    Values = NDArray[np.float64]


@dataclass(frozen=True)
class Held:
    """A mean over D graphs next to that of a ranker that does not learn.

    Attributes
    ----------
    expectation, variance
        Those of the ranker's mean, in units of the metric and in squared units.
    index, z
        Those of the mean, NaN where they are undefined.
    mean_index
        The mean of the indices of single graphs, NaN if one is undefined.
    """

    expectation: float
    variance: float
    index: float
    z: float
    mean_index: float


@dataclass(frozen=True, eq=False)
class Average:
    """The mean of a model's results on D graphs, in units of the metric unless said otherwise.

    Attributes
    ----------
    values, lower, upper : numpy.ndarray
        The results, and the ends that rounding leaves open. Shape (D,).
    constants : sequence of Constants
        The constants of chance on each graph.
    counted : sequence of Constants, or None
        Those of counting; None if one graph has none.
    """

    metric: Metric
    datasets: tuple[str, ...]
    values: Values
    lower: Values
    upper: Values
    constants: Sequence[Constants]
    counted: Sequence[Constants] | None = None

    def __post_init__(self) -> None:
        if len(self.datasets) < 2:
            raise ValueError(
                f"a mean over graphs needs two graphs or more, got {len(self.datasets)}."
            )

    @property
    def value(self) -> float:
        """The mean of the results."""
        return float(self.values.mean())

    @property
    def rounding(self) -> float:
        """The largest change of the mean by rounding, to either side."""
        return float((self.upper - self.lower).mean()) / 2

    @property
    def error(self) -> float:
        """The standard error of the mean over the graphs."""
        return float(self.values.std(ddof=1)) / math.sqrt(len(self.datasets))

    @cached_property
    def chance(self) -> Held:
        """The mean next to that of a random ranker."""
        return _compare_means(self.metric, self.values, self.constants)

    @cached_property
    def counting(self) -> Held | None:
        """The mean next to that of the counting baseline; None if that is not known."""
        if self.counted is None:
            return None
        return _compare_means(self.metric, self.values, self.counted)

    @property
    def heaviest(self) -> tuple[str, float]:
        """The graph with the largest share in the mean of chance, and this share."""
        expected = _list_expected(self.constants)
        index = int(expected.argmax())
        return self.datasets[index], _divide(float(expected[index]), float(expected.sum()))

    @property
    def below(self) -> tuple[str, ...]:
        """The graphs on which the model is below counting, whatever the rounding."""
        if self.counted is None:
            return ()
        expected = _list_expected(self.counted)
        below = self.upper < expected if self.metric.increasing else self.lower > expected
        return tuple(self.datasets[index] for index in np.flatnonzero(below))

    def compute_significance(self) -> Significance | None:
        """Bound the probability that a random ranker does as well, if it is known.

        The mean is taken to be the worst one within rounding.
        """
        from rankconst.tails import explain_lack
        from rankconst.values.significance import compute_significance

        pooled = pool_graphs([constants.ranking for constants in self.constants])
        if explain_lack(self.metric, pooled):
            return None

        worst = self.value + self.rounding
        if self.metric.increasing:
            worst = self.value - self.rounding

        return compute_significance(self.metric, pooled, worst, Interval(worst, worst))


def _list_expected(constants: Sequence[Constants]) -> Values:
    return np.array([of_graph.expectation for of_graph in constants])


def _compare_means(metric: Metric, values: Values, constants: Sequence[Constants]) -> Held:
    """Compare the mean of results on graphs with that of a ranker that does not learn.

    `values` and `constants` have an entry for each graph. An index is NaN where it is undefined.
    """
    optimum = math.nan if metric.optimum is None else metric.optimum
    expected = _list_expected(constants)
    mean, expectation = float(values.mean()), float(expected.mean())
    variance = float(sum(of_graph.variance for of_graph in constants)) / len(constants) ** 2
    gain = mean - expectation
    if not metric.increasing:
        gain = -gain

    ranges = optimum - expected
    mean_index = math.nan
    if ranges.all():
        mean_index = float(((values - expected) / ranges).mean())

    return Held(
        expectation,
        variance,
        index=_divide(mean - expectation, optimum - expectation),
        z=_divide(gain, math.sqrt(variance)),
        mean_index=mean_index,
    )


def _divide(numerator: float, denominator: float) -> float:
    """Return a quotient, or NaN if the denominator is 0."""
    return numerator / denominator if denominator else math.nan
