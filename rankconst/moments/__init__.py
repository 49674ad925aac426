"""Expectation and variance of every metric, from the histogram alone.

Under chance, task i ranks its true answer at r_i ~ Uniform{1 .. N_i}, independently of the others.
Under another baseline r_i ~ Uniform{a_i + 1 .. a_i + T_i}, on a block of ranks: a_i candidates are
above the true answer, and T_i share its score. Each module below holds one family of formulas, for
chance and for blocks; a metric's row in :mod:`rankconst.catalogue.metrics` names its function.

If all n tasks share their M negatives, these cut the scores into M + 1 intervals. For a random
ranker, the chances D_1 .. D_{M+1} of falling into them are uniform on the simplex, Dirichlet(1, ...
1), and given these the ranks are independent. So cov(f(r_i), f(r_j)) = Var[sum D_j f(j)] =
Var[f(r_i)] / (M + 2): whatever f, the variance of the mean of f(r_i) is that of independent ranks
times 1 + (n-1)/(M+2).
"""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.doubles import Moments as Moments
from rankconst.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.catalogue.metrics import Metric
    from rankconst.doubles import Values
    from rankconst.tasks import Histogram


def compute_moments(metric: Metric, histogram: Histogram) -> Moments:
    """Compute a metric's expectation and variance under chance, or under another baseline.

    Parameters
    ----------
    metric
        A metric of the catalogue, its k set where it takes one.
    histogram
        The numbers of candidates of the ranking tasks; with weights for macro averages, with
        offsets for a baseline other than chance.

    Returns
    -------
    Moments
        Both numbers, each with its error, and the method: exact up to the stated rounding for
        ``closed_form``, an approximation within its error for ``numerical``, an estimate for
        ``sampled``. Errors under baselines other than chance are rounded up, to eight bits.

    Raises
    ------
    UsageError
        For tasks that share their negatives and a metric that is not a mean over tasks.
    UnknownNameError
        For Hits@k without a k.
    """
    # Shared negatives are reckoned with by a factor on the variance, which holds for means over
    # tasks. Without an optimum, every ranker gets the same value: nothing varies.
    if histogram.shared and not metric.is_mean and metric.optimum is not None:
        known = ", ".join(row.family for row in CATALOGUE.values() if row.is_mean)
        raise UsageError(
            f"rankconst has no constants of {metric.label} for tasks that share their negatives; "
            f"it has those of {known}."
        )
    # A metric that has no formula for weighted tasks is estimated from random rankings.
    if histogram.is_weighted and not metric.weighted:
        from rankconst.moments.sampled import sample_moments

        return sample_moments(histogram, metric)

    moments = _compute(metric, histogram)
    if histogram.shared:
        return _correlate(moments, histogram)
    if histogram.offsets is None:  # chance
        return moments

    # The tables hold millions of these errors, which would be a quarter of them in all digits.
    first, second = _round_up(moments.expectation_error), _round_up(moments.variance_error)
    return replace(moments, expectation_error=first, variance_error=second)


def _compute(metric: Metric, histogram: Histogram) -> Moments:
    """Compute the moments by the function that the metric's row names, or else by its term.

    "means.mean_rank" is the function mean_rank of rankconst.moments.means. Modules are imported
    only when a formula is needed: to look a constant up in the tables takes none.
    """
    module, function = (metric.moments or "means.mean_term").split(".")
    compute: Callable[..., Moments] = getattr(import_module(f"{__name__}.{module}"), function)
    if not metric.moments:
        return compute(histogram, metric)
    return compute(histogram, metric.k) if metric.takes_k else compute(histogram)


def compute_mean(f: Callable[[Values], Values], histogram: Histogram) -> Moments:
    """Compute expectation and variance of the mean of any function of the rank.

    Parameters
    ----------
    f
        Maps an array of ranks, floats from 1 on, to an array of numbers of the same shape; any
        function. What ``numpy.vectorize`` returns will do.
    histogram
        The numbers of candidates of the ranking tasks. With weights w_i the mean is sum w_i f(r_i)
        / sum w_i; with offsets it is that under a baseline other than chance.

    Returns
    -------
    Moments
        Both numbers, each with a bound on its rounding.

    Raises
    ------
    DataError
        If f is not finite at some rank.
    UndefinedError
        If there are more ranks than f can be evaluated at.
    UsageError
        If f does not map arrays.

    Examples
    --------
    Reciprocal ranks cut off at 10, with popular answers counting half:

    >>> import numpy as np
    >>> from rankconst.tasks import Histogram
    >>> tasks = Histogram.from_counts([50, 50, 200], weights=[1, 0.5, 0.5])
    >>> round(compute_mean(lambda rank: np.where(rank <= 10, 1 / rank, 0), tasks).expectation, 12)
    0.047595734127
    """
    from rankconst.moments.own import mean_of_any

    moments = mean_of_any(f, histogram)
    return _correlate(moments, histogram) if histogram.shared else moments


def compute_power_mean(exponent: float, histogram: Histogram) -> Moments:
    """Compute expectation and variance of a power mean of the ranks, ((1/n) sum r_i^p)^(1/p).

    Parameters
    ----------
    exponent
        p, from -4 to -0.04, 0, or from 1/4 to 4: -1 gives the harmonic mean, 0 the geometric one, 1
        the mean rank. Infinite: the smallest rank of all tasks if negative, the largest if
        positive.
    histogram
        The numbers of candidates of the ranking tasks, with offsets for a baseline other than
        chance.

    Returns
    -------
    Moments
        Both numbers with their errors.

    Raises
    ------
    UndefinedError
        If there are too few tasks, for an exponent between 0 and 2 other than 1.
    UsageError
        For another exponent, or for tasks that share their negatives.

    Examples
    --------
    The best of three ranks among 10 candidates:

    >>> from rankconst.tasks import Histogram
    >>> tasks = Histogram.from_counts([10, 10, 10])
    >>> round(compute_power_mean(-float("inf"), tasks).expectation, 12)
    3.025
    """
    from rankconst.moments.own import any_power_mean

    if histogram.shared:
        raise UsageError(
            "rankconst has no constants of power means for tasks that share their negatives."
        )
    return any_power_mean(exponent, histogram)


def _correlate(moments: Moments, histogram: Histogram) -> Moments:
    """Turn the moments of a mean over n independent tasks into those of n that share M negatives.

    All scores are in random order, so that a negative above one true answer is likely above others:
    the variance is 1 + (n - 1) / (M + 2) times as large.
    """
    divisor = int(histogram.num_candidates[0]) + 1  # M + 2
    factor = (divisor + histogram.total - 1) / divisor
    rounding = 2 * UNIT_ROUNDOFF * factor * moments.variance
    return replace(
        moments,
        variance=factor * moments.variance,
        variance_error=factor * moments.variance_error + rounding,
    )


def _round_up(error: float) -> float:
    """Return a bound that is at most 1/128 larger, with eight significant bits."""
    mantissa, exponent = math.frexp(error)
    if not math.isfinite(error):
        return error
    return math.ldexp(math.ceil(mantissa * 256) / 256, exponent)
