r"""Metrics that are means over tasks.

*Arithmetic*, M = (1/n) sum f(r_i): independence makes both moments sums over the histogram,

.. math:: E[M] = \frac1n \sum_u c_u\,e(N_u), \qquad Var[M] = \frac1{n^2} \sum_u c_u\,v(N_u)

with e and v the mean and variance of f(r) for one task (Hoyt et al. 2022, section 3); where the
ranks are uniform on a+1 .. a+T, they are those on that block (:mod:`.summation`). If task i counts
with weight w_i, M = sum w_i f(r_i) / W with W = sum w_i, and

.. math:: E[M] = \frac1W \sum_u c_u w_u\,e(N_u), \qquad
          Var[M] = \frac1{W^2} \sum_u c_u w_u^2\,v(N_u)

*Geometric*, M = (prod r_i)^{s/n} with s = 1 or -1: independence turns the expectation of the
product into a product,

.. math:: \ln E[M] = \sum_u c_u \ln m_1(N_u), \qquad
          Var[M] = E[M]^2 \operatorname{expm1}\Bigl(\sum_u c_u \ln\frac{m_2(N_u)}{m_1(N_u)^2}\Bigr)

with m_q(N) the mean of j^{qs/n} over j <= N, or over the block. Since m_2/m_1^2 = 1 + var/m_1^2,
the second sum is one of log1p's. With weights the exponents are s w_i / W instead of s/n. (Hoyt et
al. 2022 give the expectation; the variance, and IGMR, are derived here.)
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.metrics import require_k
from rankconst.doubles import UNIT_ROUNDOFF, Moments, lift_rounding
from rankconst.errors import UndefinedError
from rankconst.moments.summation import blocks_of, distinct_blocks
from rankconst.sums import harmonic, harmonic_squares, scaled_power, sum_over_ranks
from rankconst.tasks import offsets_of

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.doubles import Counts, Values
    from rankconst.tasks import Histogram

# Relative error of sums over ranks; terms are added up one by one to 1024.
_SUM_ERROR = 256 * UNIT_ROUNDOFF
# Terms that a cut-off may have.
_MOST_RANKS = 2**24
# Roundings of a function of the rank.
_TERM_ERROR = 16 * UNIT_ROUNDOFF
# Roundings in a term of a sum and in what is made of the sum; weights bring a few of their own.
_ROUNDINGS, _WEIGHTED_ROUNDINGS = 8, 16
# The same for the terms of one task in a product.
_TASK_ERROR = 16


def mean_rank(histogram: Histogram) -> Moments:
    """Return the moments of MR; without weights they are correctly rounded.

    A rank uniform on a+1 .. a+N has the mean a + (N+1)/2 and the variance (N^2-1)/12 (Hoyt et al.
    2022, eq. 6 and 7).
    """
    if histogram.is_weighted:
        size = histogram.num_candidates.astype(np.float64)
        means = (size + 1) / 2 + offsets_of(histogram)
        return average(histogram, means, (size - 1) * (size + 1) / 12, 0.0)

    sizes = histogram.num_candidates.astype(object)  # int of Python: exact, without overflow
    tasks = histogram.num_tasks.astype(object)
    n = histogram.total
    twice_means = sizes + 1
    if histogram.offsets is not None:
        twice_means = 2 * histogram.offsets.astype(object) + twice_means

    expectation = int(np.dot(tasks, twice_means)) / (2 * n)
    variance = int(np.dot(tasks, sizes * sizes - 1)) / (12 * n * n)
    error, variance_error = UNIT_ROUNDOFF * expectation, UNIT_ROUNDOFF * variance
    return Moments(expectation, error, variance, variance_error, "closed_form")


def mean_reciprocal_rank(histogram: Histogram) -> Moments:
    """Return the moments of MRR.

    1/r of a task with N candidates has the mean H(N)/N and the variance H2(N)/N - (H(N)/N)^2, with
    the sums H of 1/j and H2 of 1/j^2 for j = 1 .. N; the same sums over a block. Hoyt et al. 2022,
    eq. 12 and 14; the code of the manuscript used another mean, ln(mean N)/(mean N - 1).
    """
    if histogram.offsets is not None:
        distinct, block_of_row = distinct_blocks(histogram)
        block_means, block_variances = _reciprocal_moments(distinct)
        mean, variance = block_means[block_of_row], block_variances[block_of_row]
        return average(histogram, mean, variance, slack=_SUM_ERROR * variance, error=_SUM_ERROR)

    size = histogram.num_candidates.astype(np.float64)
    mean = harmonic(histogram.num_candidates) / size
    square = harmonic_squares(histogram.num_candidates) / size
    varies = size > 1
    variance = np.where(varies, square - mean * mean, 0.0)
    # A difference is as good as its two terms, and these are good to a few roundings.
    slack = np.where(varies, 8 * UNIT_ROUNDOFF * (square + 2 * mean * mean), 0.0)
    return average(histogram, mean, variance, slack)


# Kept for one histogram: macro averages are over the same blocks.
@functools.lru_cache(maxsize=1)
def _reciprocal_moments(distinct: Histogram) -> tuple[Values, Values]:
    """Return mean and variance of 1/r on each block."""
    blocks = blocks_of(distinct)
    above, spread = blocks.scaled_power(-1.0)
    return (1 + above) / blocks.centres, spread / np.square(blocks.centres)


def hits_at_k(histogram: Histogram, k: int | None) -> Moments:
    """Return the moments of Hits@k.

    A task with a rank uniform on a+1 .. a+N hits with the chance p = (k - a)/N, kept within 0 .. 1:
    mean p, variance p (1 - p). Hoyt et al. 2022, eq. 19 and 20 (general form; the constant-N form
    of eq. 20 lacks a factor n).
    """
    size = histogram.num_candidates.astype(np.float64)
    num_up_to_k = np.subtract(float(require_k(k)), offsets_of(histogram), dtype=np.float64)
    hits = np.minimum(np.maximum(num_up_to_k, 0.0), size)
    return average(histogram, hits / size, hits * (size - hits) / (size * size), 0.0)


def mean_term(histogram: Histogram, metric: Metric) -> Moments:
    """Return the moments of a metric that is the mean of a positive term, such as nDCG."""
    if metric.k is not None:
        return _mean_cut_off(histogram, metric, metric.k)
    if histogram.offsets is not None:
        return _mean_on_blocks(histogram, metric)

    num_candidates = histogram.num_candidates
    size = num_candidates.astype(np.float64)
    mean = sum_over_ranks(metric.take, num_candidates) / size
    square = sum_over_ranks(lambda rank: np.square(metric.take(rank)), num_candidates) / size
    varies = size > 1
    variance = np.where(varies, square - mean * mean, 0.0)
    variance_error = np.where(varies, _SUM_ERROR * (square + 2 * mean * mean), 0.0)
    return average(histogram, mean, variance, variance_error, _SUM_ERROR)


def _mean_on_blocks(histogram: Histogram, metric: Metric) -> Moments:
    """Return the moments of the mean of a term if the ranks of a task are uniform on a block."""
    blocks = blocks_of(histogram)
    values = metric.take(blocks.points)
    mean = blocks.mean(values)
    variance = blocks.mean(np.square(blocks.deviations(values, mean)))
    # Values have rounding errors of their own, which weigh more if the spread is narrow.
    value_error = _TERM_ERROR * np.abs(mean)
    square_error = value_error * (2 * np.sqrt(variance) + value_error)
    square_error = np.where(histogram.num_candidates > 1, square_error, 0.0)
    return average(histogram, mean, variance, _SUM_ERROR * variance + square_error, _SUM_ERROR)


def _mean_cut_off(histogram: Histogram, metric: Metric, k: int) -> Moments:
    """Return the moments of the mean of a term that is 0 for ranks beyond k, such as nDCG@10."""
    last = min(k, int(histogram.last_ranks.max()))
    if last > _MOST_RANKS:
        raise UndefinedError(f"a metric is cut off at rank {_MOST_RANKS:,} at most; got {last:,}.")

    values = metric.take(np.arange(1, last + 1, dtype=np.float64))
    # Sums of the term (row 0) and of its square (row 1) over the ranks up to 0, 1, 2 ...: a sum
    # over the block of a task is a difference of two of them.
    totals = np.cumsum((values, np.square(values)), axis=1)
    sums = np.concatenate((np.zeros((2, 1)), totals), axis=1)
    ends = np.minimum(histogram.last_ranks, last)
    begins = np.minimum(offsets_of(histogram), last)
    size = histogram.num_candidates.astype(np.float64)
    mean, square = (sums[:, ends] - sums[:, begins]) / size
    varies = size > 1
    # A sum from the first rank on has a rounding for each of its terms, and each term has 16 more.
    error = np.where(ends > begins, (16 + ends) * UNIT_ROUNDOFF, 0.0)
    mean_error = error * sums[0, ends] / size
    square_error = error * sums[1, ends] / size
    variance_error = np.where(varies, square_error + 2 * mean * mean_error, 0.0)
    variance = lift_rounding(np.where(varies, square - mean * mean, 0.0), variance_error)
    moments = average(histogram, mean, variance, variance_error)
    error_of_sums = float(np.average(mean_error, weights=histogram.row_weights))
    return replace(moments, expectation_error=moments.expectation_error + error_of_sums)


def average(
    histogram: Histogram,
    mean: Values,
    variance: Values,
    slack: Values | float,
    error: float | None = None,
) -> Moments:
    """Return the moments of the weighted mean over all tasks, given the moments of single tasks.

    `mean` and `variance` have a number for each row of the histogram, those of one of its tasks.
    `slack` bounds the absolute error of `variance` beyond a few roundings. `error` bounds the
    relative error of the average of `mean`; None means a few roundings.
    """
    weights = histogram.row_weights
    total_weight = math.fsum(weights.tolist())
    # Each row's sum of squared weights, as a variance is multiplied by the square of a weight.
    squared = weights if histogram.weights is None else weights * histogram.weights
    expectation = math.fsum((weights * mean).tolist()) / total_weight
    total_variance = math.fsum((squared * variance).tolist()) / total_weight / total_weight
    total_slack = 0.0
    if not isinstance(slack, float) or slack != 0.0:
        total_slack = float(np.sum(squared * slack)) / total_weight / total_weight

    # Positive terms, each good to a few roundings; the sum itself is exact.
    roundings = _WEIGHTED_ROUNDINGS if histogram.is_weighted else _ROUNDINGS
    rounding = UNIT_ROUNDOFF * roundings
    expectation_error = rounding * expectation
    if error is not None:
        expectation_error = error * abs(expectation)

    return Moments(
        expectation=expectation,
        expectation_error=expectation_error,
        variance=total_variance,
        variance_error=rounding * total_variance + total_slack,
        method="closed_form",
    )


def _geometric_mean(histogram: Histogram, sign: float) -> Moments:
    """Return the moments of the geometric mean of the ranks, or for sign -1 of its inverse.

    It is the product of all r^p, p = sign w / sum w for a task of weight w. With `mean` and
    `variance` those of (r / scale)^p - 1, and scale N or the middle of a block, E is the product of
    all scale^p (1 + mean), and Var = E^2 expm1(sum log(1 + variance / (1 + mean)^2)). The sums of
    log scale^p and log(1 + mean) are formed apart, each without cancellation. Their rounding is
    absolute in a logarithm, so relative in E, and twice that in E^2.
    """
    unit = sign / histogram.total_weight
    power = unit if histogram.weights is None else unit * histogram.weights
    tasks = histogram.num_tasks.astype(np.float64)
    scales: Values | Counts
    if histogram.offsets is None:
        scales = histogram.num_candidates
        mean, variance = scaled_power(scales, power)
    else:
        blocks = blocks_of(histogram)
        scales = blocks.centres
        mean, variance = blocks.scaled_power(power)

    log_scale = math.fsum((histogram.row_weights * np.log(scales)).tolist()) * unit
    log_mean = math.fsum((tasks * np.log1p(mean)).tolist())
    log_growth = math.fsum((tasks * np.log1p(variance / np.square(1.0 + mean))).tolist())
    expectation = math.exp(log_scale + log_mean)
    rounding = _TASK_ERROR * UNIT_ROUNDOFF
    error = rounding * (1.0 + abs(log_scale) + abs(log_mean))
    growth = math.expm1(log_growth)
    growth_error = 2 * error * growth + rounding * log_growth * math.exp(log_growth)
    squared = expectation * expectation
    return Moments(
        expectation=expectation,
        expectation_error=error * expectation,
        variance=squared * growth,
        variance_error=squared * growth_error,
        method="closed_form",
    )


geometric_mean_rank = functools.partial(_geometric_mean, sign=1.0)
inverse_geometric_mean_rank = functools.partial(_geometric_mean, sign=-1.0)


def num_ranks(histogram: Histogram) -> Moments:
    """Return the moments of the number of ranks: a constant."""
    return Moments(float(histogram.total), 0.0, 0.0, 0.0, "closed_form")
