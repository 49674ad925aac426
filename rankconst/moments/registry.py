"""Metric family to the function of its moments: the one table of what can be computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.moments import deviation, means, median, median_deviation, powers, products, spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.moments.result import Moments
    from rankconst.tasks import Histogram


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


WEIGHTED_MOMENTS: dict[str, Callable[[Histogram, int | None], Moments]] = {
    "arithmetic_mean_rank": means.mean_rank,
    "inverse_harmonic_mean_rank": means.mean_reciprocal_rank,
    "hits_at_k": means.hits_at_k,
    "geometric_mean_rank": products.geometric_mean_rank,
    "inverse_geometric_mean_rank": products.inverse_geometric_mean_rank,
    "ndcg": means.ndcg,
}
"""The families whose tasks may be weighted, likewise."""
