"""Metric family to the function of its moments: what can be computed. A new metric is one entry here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rankconst.moments import deviation, means, median, median_deviation, powers

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.moments.result import Moments


class Entry(NamedTuple):
    """The function of a histogram, and of k for a metric that takes one; whether tasks may be weighted."""

    compute: Callable[..., Moments]
    weighted: bool = False


MOMENTS = {
    "arithmetic_mean_rank": Entry(means.mean_rank, weighted=True),
    "inverse_harmonic_mean_rank": Entry(means.mean_reciprocal_rank, weighted=True),
    "hits_at_k": Entry(means.hits_at_k, weighted=True),
    "geometric_mean_rank": Entry(means.geometric_mean_rank, weighted=True),
    "inverse_geometric_mean_rank": Entry(means.inverse_geometric_mean_rank, weighted=True),
    "inverse_arithmetic_mean_rank": Entry(powers.inverse_mean_rank),
    "harmonic_mean_rank": Entry(powers.harmonic_mean_rank),
    "quadratic_mean_rank": Entry(powers.quadratic_mean_rank),
    "inverse_quadratic_mean_rank": Entry(powers.inverse_quadratic_mean_rank),
    "median_rank": Entry(median.median_rank),
    "inverse_median_rank": Entry(median.inverse_median_rank),
    "ndcg": Entry(means.ndcg, weighted=True),
    "variance": Entry(deviation.rank_variance),
    "standard_deviation": Entry(deviation.standard_deviation),
    "median_absolute_deviation": Entry(median_deviation.median_absolute_deviation),
    "count": Entry(means.num_ranks),
}
