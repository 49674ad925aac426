"""Constants for builds whose tests look at something else: computed once, or not at all where that takes long."""

from __future__ import annotations

import dataclasses
import functools

import rankconst

_MEAN = rankconst.parse_metric("mean_rank")

# What takes an integral, a distribution or draws.
_LONG = {
    *("inverse_arithmetic_mean_rank", "harmonic_mean_rank", "quadratic_mean_rank", "inverse_quadratic_mean_rank"),
    *("median_rank", "inverse_median_rank", "standard_deviation", "median_absolute_deviation"),
}


@functools.cache
def compute_once(metric: rankconst.Metric, histogram: rankconst.Histogram) -> rankconst.Moments:
    """Compute the constants of a histogram once in this process."""
    return rankconst.compute_moments(metric, histogram)


def fill_in(metric: rankconst.Metric, histogram: rankconst.Histogram) -> rankconst.Moments:
    """Return the constants, and those of the mean rank in the place of what takes long."""
    if metric.family not in _LONG:
        return compute_once(metric, histogram)
    found = compute_once(_MEAN, histogram)
    if metric.family == "median_absolute_deviation" and found.variance:
        return dataclasses.replace(found, method="sampled", num_draws=2**8)
    return dataclasses.replace(found, method="numerical")
