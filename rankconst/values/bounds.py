"""What one metric of a set of ranks says about another: exact bounds, each attained by some ranks.

A bound is a function of shares and means, not of the ranks themselves, so it holds for every
distribution of ranks whatever each task counts: for macro averages, for the mean over several runs,
and for the mean of two sides.

Ranks lie on a grid 1, 1 + step, 1 + 2 step, ...: step is 1 where ranks are whole, and 1/2 where a
tie gets the mean of the best and the worst rank it could have.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.values.published import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram


NOT_A_NUMBER = (
    "no ranks give {}: scores that are not numbers (NaN) were ranked, "
    "as when training diverges, so nothing of this evaluation is adjusted."
)
"""Why the numbers of an evaluation are left out, as :func:`tells_no_scores` finds."""

PERFECT = (
    "MRR and Hits@1 are exactly 1: a perfect model, "
    "or scores that are not numbers (NaN), which OGB, TGB, TorchKGE and OpenKE rank first."
)


def tells_no_scores(metric: Metric, values: Any) -> Any:
    """Tell which values are of ranks 0 or 1/2, which tools give to NaN: MR 0, MRR 2 ..."""
    if metric.scale == "rank":
        return (values == 0) | (values == 0.5)
    if metric.is_share and metric.inverse is not None:
        return (values == 2) | np.isinf(values)
    return np.zeros(np.shape(values), dtype=np.bool_)


def is_infinite(text: str) -> bool:
    """Tell whether a number is written as infinity."""
    return text.strip().lstrip("+").lower() in {"inf", "infinity"}


def exceeds(left: float, right: float) -> bool:
    """Tell whether `left` is larger than `right` by more than a few rounding errors."""
    return left > right + 1e-9 * max(abs(left), abs(right))


def bound_reciprocal_by_hits(
    hits: Mapping[int, Interval], step: float, most: float = math.inf
) -> Interval:
    """Bound the MRR by shares of hits, k to the interval of Hits@k.

    With k_0 = 0 and H_0 = 0, a share H_j - H_(j-1) of the ranks lies in (k_(j-1), k_j], and 1 - H_m
    beyond k_m. MRR is least if each share is at the last rank of its range, and largest if it is at
    the first. Both grow with every H_j. `most` is the largest number of candidates.
    """
    firsts, lasts, least, largest = _range_hits(hits, step, most)
    lower = _weigh(least, [1 / rank for rank in lasts])
    upper = _weigh(largest, [1 / rank for rank in firsts])
    return Interval(lower, upper)


def bound_mean_rank_by_hits(
    hits: Mapping[int, Interval], step: float, most: float = math.inf
) -> Interval:
    """Bound the MR in the same way; the upper bound may be infinite if `most` is."""
    firsts, lasts, least, largest = _range_hits(hits, step, most)
    return Interval(_weigh(largest, firsts), _weigh(least, lasts))


def _range_hits(
    hits: Mapping[int, Interval], step: float, most: float
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return first and last ranks between the ks, and the least and largest shares of hits."""
    ks = sorted(hits)
    firsts = [1.0, *(min(k + step, most) for k in ks)]
    lasts = [min(k, most) for k in (*ks, most)]
    # Shares grow with k.
    least = list(itertools.accumulate((hits[k].lower for k in ks), max))
    largest = list(itertools.accumulate((hits[k].upper for k in reversed(ks)), min))[::-1]
    return firsts, lasts, least, largest


def _weigh(shares: list[float], values: list[float]) -> float:
    """Return the mean of values, weighted by the differences of cumulated shares."""
    weights = np.diff([0.0, *shares, 1.0])
    return math.fsum(
        weight * value for weight, value in zip(weights.tolist(), values, strict=True) if weight
    )


def least_mean_rank(reciprocal: float, step: float) -> float:
    """Return the least MR that an MRR allows; below it, no MR has so small an MRR either.

    (MRR, MR) is a mean of points (1/r, r) and lies in their convex hull. Since r = 1/x is convex,
    the lower boundary joins neighbours on the grid: between r and r + step it is MR = 2 r + step -
    r (r + step) MRR, which is above the curve 1/MRR that the inequality of arithmetic and harmonic
    mean gives, and meets it at the points.

    >>> least_mean_rank(0.75, step=1)
    1.5
    """
    if reciprocal <= 0:
        return math.inf
    # The last point of the grid at or before 1/MRR.
    rank = 1 + step * math.floor((1 / min(reciprocal, 1.0) - 1) / step)
    return 2 * rank + step - rank * (rank + step) * reciprocal


def largest_reciprocal(mean_rank: float, histogram: Histogram) -> float:
    """Return a bound that no MRR of ranks with that mean can pass, given the numbers of candidates.

    A rank r of 1..N obeys 1/r <= 1 - (r - 1)/N, with equality at both ends. The tasks have to share
    n (MR - 1) ranks beyond the first; a rank costs 1/N of reciprocal rank, so tasks with many
    candidates go first.

    >>> from rankconst.tasks import Histogram
    >>> largest_reciprocal(2.0, Histogram.from_counts([10, 10, 4]))
    0.9
    """
    sizes = histogram.num_candidates[::-1].astype(np.float64)
    tasks = histogram.row_weights[::-1]
    total = float(tasks.sum())
    room = tasks * (sizes - 1)
    before = np.cumsum(room) - room
    used = np.clip(total * (mean_rank - 1) - before, 0.0, room)
    return 1 - math.fsum((used / sizes).tolist()) / total


def holds_multiple(interval: Interval, unit: float, error: float = 1e-9) -> bool:
    """Tell whether an interval holds a whole multiple of `unit`, but for a relative error."""
    lower, upper = (end / unit for end in interval)
    slack = error * max(abs(lower), abs(upper), 1.0)
    return math.floor(upper + slack) >= lower - slack
