"""Constants for builds whose tests look at something else: computed once, or not at all where that
takes long.
"""

import dataclasses
from collections.abc import Callable

from rankconst.catalogue.metrics import Metric, parse_metric
from rankconst.moments import Moments, compute_moments
from rankconst.tasks import Histogram

_MEAN, _RECIPROCAL = parse_metric("mean_rank"), parse_metric("mrr")

LONG = {
    *("inverse_arithmetic_mean_rank", "harmonic_mean_rank", "quadratic_mean_rank"),
    *("inverse_quadratic_mean_rank", "median_rank", "inverse_median_rank"),
    *("standard_deviation", "median_absolute_deviation"),
}
"""The families of metrics that take an integral, a distribution or draws."""


class Once:
    """Computes the constants of a histogram once in this process; looks for it only when another
    one comes.
    """

    def __init__(self, compute: Callable[[Metric, Histogram], Moments]) -> None:
        self._compute = compute
        self._found: dict[Histogram, dict[Metric, Moments]] = {}
        self._last: Histogram | None = None
        self._known: dict[Metric, Moments] = {}

    def __call__(self, metric: Metric, histogram: Histogram) -> Moments:
        """Return the constants."""
        if histogram is not self._last:
            self._last, self._known = histogram, self._found.setdefault(histogram, {})
        if metric not in self._known:
            self._known[metric] = self._compute(metric, histogram)
        return self._known[metric]


compute_once = Once(compute_moments)


def _fill_in(metric: Metric, histogram: Histogram) -> Moments:
    if metric.family not in LONG:
        return compute_once(metric, histogram)
    found = compute_once(_RECIPROCAL if metric.is_share else _MEAN, histogram)
    if metric.optimum == 0:  # no spread is more than half of what ranks can be apart
        found = dataclasses.replace(
            found, expectation=(found.expectation - 1) / 2, variance=found.variance / 4
        )
    if metric.family == "median_absolute_deviation" and found.variance:
        return dataclasses.replace(found, method="sampled", num_draws=2**8)
    return dataclasses.replace(found, method="numerical")


fill_in = Once(_fill_in)
"""The constants, and in the place of what takes long those of the mean rank or of MRR, which are in
its range.
"""
