"""Expectation and variance of every metric under chance, from the histogram alone.

Task i ranks its true answer at r_i ~ Uniform{1 .. N_i}, independently of the others. Each module below holds one
family of formulas; :data:`MOMENTS` says which metric uses which.

==========================  ======================================================
module                      holds
==========================  ======================================================
:mod:`.result`              the four numbers and how they were obtained
:mod:`.sums`                sums over 1 .. N in constant time: harmonic numbers, powers
:mod:`.means`               metrics that are means over tasks: MR, MRR, Hits@k, nDCG
:mod:`.products`            metrics that are products over tasks: GMR, IGMR
:mod:`.powers`              powers of sums over tasks: IAMR, HMR, the quadratic mean
:mod:`.spread`              the variance of the ranks
:mod:`.deviation`           their standard deviation, by a series or an integral
:mod:`.formulas`            all of these in one line each, for the pages of the metrics
:mod:`.median`              the median rank and its inverse, from the law of the two
                            middle ranks (:mod:`.poisson_binomial`, :mod:`.summation`)
:mod:`.median_deviation`    the median absolute deviation, from random rankings
==========================  ======================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.errors import UsageError
from rankconst.histogram import Histogram, WeightedHistogram
from rankconst.moments import deviation, means, median, median_deviation, powers, products, spread
from rankconst.moments.result import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.metrics import Metric

__all__ = ["MOMENTS", "WEIGHTED_MOMENTS", "Moments", "compute_moments"]

MOMENTS: dict[str, Callable[[Histogram, int | None], Moments]] = {
    "arithmetic_mean_rank": means.mean_rank,
    "inverse_harmonic_mean_rank": means.mean_reciprocal_rank,
    "hits_at_k": means.hits_at_k,
    "geometric_mean_rank": products.geometric_mean_rank,
    "inverse_geometric_mean_rank": products.inverse_geometric_mean_rank,
    "inverse_arithmetic_mean_rank": powers.inverse_mean_rank,
    "harmonic_mean_rank": powers.harmonic_mean_rank,
    "quadratic_mean_rank": powers.quadratic_mean_rank,
    "inverse_quadratic_mean_rank": powers.inverse_quadratic_mean_rank,
    "median_rank": median.median_rank,
    "inverse_median_rank": median.inverse_median_rank,
    "ndcg": means.ndcg,
    "variance": spread.rank_variance,
    "standard_deviation": deviation.standard_deviation,
    "median_absolute_deviation": median_deviation.median_absolute_deviation,
    "count": means.num_ranks,
}
"""Metric family to the function of its moments."""


WEIGHTED_MOMENTS: dict[str, Callable[[WeightedHistogram, int | None], Moments]] = {
    "arithmetic_mean_rank": means.mean_rank,
    "inverse_harmonic_mean_rank": means.mean_reciprocal_rank,
    "hits_at_k": means.hits_at_k,
    "geometric_mean_rank": products.geometric_mean_rank,
    "inverse_geometric_mean_rank": products.inverse_geometric_mean_rank,
    "ndcg": means.ndcg,
}
"""The families whose tasks may be weighted, likewise."""


def compute_moments(metric: Metric, histogram: Histogram | WeightedHistogram) -> Moments:
    """Compute a metric's chance expectation and variance.

    Parameters
    ----------
    metric
        A metric of the catalogue, its k set where it takes one.
    histogram
        The numbers of candidates of the ranking tasks; with weights for macro averages.

    Returns
    -------
    Moments
        Both numbers, each with its error, and the method.

    Raises
    ------
    UsageError
        For weighted tasks and a metric whose weighted form is not covered.
    """
    if isinstance(histogram, Histogram):
        return MOMENTS[metric.family](histogram, metric.k)
    if metric.family not in WEIGHTED_MOMENTS:
        raise UsageError(
            f"there are no constants of {metric.label} for macro averages; there are for {', '.join(WEIGHTED_MOMENTS)}."
        )
    return WEIGHTED_MOMENTS[metric.family](histogram, metric.k)
