"""Expectation and variance of every metric under chance or another baseline, from the histogram alone.

Under chance, task i ranks its true answer at r_i ~ Uniform{1 .. N_i}, independently of the others. Under another
baseline r_i ~ Uniform{a_i + 1 .. a_i + T_i}, on a block of ranks: a_i candidates are above the true answer, and T_i
share its score. Each module below holds one family of formulas, for chance and for blocks; a metric's row in
:mod:`rankconst.catalogue.metrics` names its function.

==========================  ======================================================
module                      holds
==========================  ======================================================
:mod:`.result`              the four numbers and how they were obtained
:mod:`.sums`                sums over 1 .. N in constant time: harmonic numbers, powers
:mod:`.blocks`              means over many blocks at once, by rules of a few points each
:mod:`.means`               arithmetic and geometric means over tasks: MR, MRR, Hits@k,
                            nDCG, GMR, IGMR
:mod:`.powers`              powers of sums over tasks: IAMR, HMR, the quadratic mean
:mod:`.deviation`           the variance of the ranks, and their standard deviation by a
                            series or an integral
:mod:`.median`              the median rank and its inverse, from the law of the two
                            middle ranks (:mod:`.poisson_binomial`, :mod:`.block_counts`,
                            :mod:`.summation`)
:mod:`.median_deviation`    the median absolute deviation, from random rankings
==========================  ======================================================
"""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.errors import UsageError
from rankconst.moments.result import Moments as Moments  # noqa: TC001 - its public address

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram


def compute_moments(metric: Metric, histogram: Histogram) -> Moments:
    """Compute a metric's expectation and variance under chance, or under the baseline of the histogram's offsets.

    Parameters
    ----------
    metric
        A metric of the catalogue, its k set where it takes one.
    histogram
        The numbers of candidates of the ranking tasks; with weights for macro averages, with offsets for a baseline
        other than chance.

    Returns
    -------
    Moments
        Both numbers, each with its error, and the method: exact up to the stated rounding for ``closed_form``, an
        approximation within its error for ``numerical``, an estimate for ``sampled``. Errors under baselines other than
        chance are rounded up, to eight bits.

    Raises
    ------
    UsageError
        For weighted tasks and a metric whose weighted form is not covered.
    UnknownNameError
        For Hits@k without a k.
    """
    if histogram.is_weighted and not metric.weighted:
        known = ", ".join(row.family for row in CATALOGUE.values() if row.weighted)
        raise UsageError(f"there are no constants of {metric.label} for macro averages; there are for {known}.")
    # Looking a constant up computes nothing: the formulas are imported when one is needed.
    module, name = metric.moments.split(".")
    compute: Callable[..., Moments] = getattr(import_module(f"{__name__}.{module}"), name)
    moments = compute(histogram, metric.k) if metric.takes_k else compute(histogram)
    if histogram.offsets is None:
        return moments
    # Millions of bounds with all their digits would be a quarter of the tables.
    first, second = _round_up(moments.expectation_error), _round_up(moments.variance_error)
    return replace(moments, expectation_error=first, variance_error=second)


def _round_up(error: float) -> float:
    """Return a bound that is at most 1/128 larger, with eight significant bits."""
    mantissa, exponent = math.frexp(error)
    return math.ldexp(math.ceil(mantissa * 256) / 256, exponent) if math.isfinite(error) else error
