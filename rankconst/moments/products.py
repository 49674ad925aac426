r"""Metrics that are products over tasks: GMR and IGMR.

M = (prod r_i)^{s/n} with s = 1 or -1. Independence turns the expectation of the product into a product,

.. math:: \ln E[M] = \sum_u c_u \ln m_1(N_u), \qquad
          Var[M] = E[M]^2 \operatorname{expm1}\Bigl(\sum_u c_u \ln\frac{m_2(N_u)}{m_1(N_u)^2}\Bigr)

with m_q(N) the mean of j^{qs/n} over j <= N. Since m_2/m_1^2 = 1 + var/m_1^2, the second sum is one of log1p's.
(Hoyt et al. 2022 give the expectation; the variance, and IGMR, are derived here.) If task i counts with weight w_i, its
exponent is s w_i / W instead of s/n, W = sum w_i.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankconst.moments.result import UNIT_ROUNDOFF, Moments
from rankconst.moments.sums import scaled_power

if TYPE_CHECKING:
    from rankconst.tasks import Histogram


# Relative error of one task's terms, in units of roundoff.
_TASK_ERROR = 16


def geometric_mean_rank(histogram: Histogram, _: int | None = None) -> Moments:
    """Return the moments of GMR, the geometric mean of the ranks."""
    return _product(histogram, 1.0)


def inverse_geometric_mean_rank(histogram: Histogram, _: int | None = None) -> Moments:
    """Return the moments of IGMR, one over the geometric mean of the ranks."""
    return _product(histogram, -1.0)


def _product(histogram: Histogram, sign: float) -> Moments:
    unit = sign / histogram.total_weight
    power = unit if histogram.weights is None else unit * histogram.weights
    tasks = histogram.num_tasks.astype(np.float64)
    mean, variance = scaled_power(histogram.num_candidates, power)
    # m_1 = N^p (1 + mean): the two logarithms are summed apart, each without cancellation.
    sizes = math.fsum((histogram.row_weights * np.log(histogram.num_candidates)).tolist()) * unit
    shifts = math.fsum((tasks * np.log1p(mean)).tolist())
    spread = math.fsum((tasks * np.log1p(variance / np.square(1.0 + mean))).tolist())
    expectation = math.exp(sizes + shifts)
    squared = expectation * expectation
    error = _TASK_ERROR * UNIT_ROUNDOFF * (1.0 + abs(sizes) + abs(shifts))
    return Moments(
        expectation=expectation,
        expectation_error=error * expectation,
        variance=squared * math.expm1(spread),
        variance_error=squared
        * (2 * error * math.expm1(spread) + _TASK_ERROR * UNIT_ROUNDOFF * spread * math.exp(spread)),
        method="closed_form",
    )
