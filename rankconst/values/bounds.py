"""What one metric of a set of ranks says about another: exact bounds, each attained by some ranks.

A bound is a function of shares and means, not of the ranks themselves, so it holds for every
distribution of ranks whatever each task counts: for macro averages, for the mean over several runs,
and for the mean of two sides.

Ranks lie on a grid 1, 1 + step, 1 + 2 step, ...: step is 1 where ranks are whole, and 1/2 where a
tie gets the mean of the best and the worst rank it could have.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.values.published import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram

    Values = NDArray[np.float64]


NOT_A_NUMBER = (
    "no ranks give {}: scores that are not numbers (NaN) were ranked, "
    "as when training diverges, so nothing of this evaluation is adjusted."
)
"""The reason for leaving out the numbers of an evaluation, found by :func:`tells_no_scores`."""

PERFECT = (
    "MRR and Hits@1 are exactly 1: a perfect model, "
    "or scores that are not numbers (NaN), which OGB, TGB, TorchKGE and OpenKE rank first."
)


def tells_no_scores(metric: Metric, values: Any) -> Any:
    """Flag values of ranks 0 or 1/2, such as MR 0 and MRR 2: tools give these ranks to NaN."""
    if metric.scale == "rank":
        return (values == 0) | (values == 0.5)
    if metric.is_share and metric.inverse is not None:
        return (values == 2) | np.isinf(values)
    return np.zeros(np.shape(values), dtype=np.bool_)


def is_infinite(text: str) -> bool:
    """Return True if a number is written as infinity."""
    return text.strip().lstrip("+").lower() in {"inf", "infinity"}


def exceeds(number: float, limit: float) -> bool:
    """Return True if a number is larger than a limit by more than a few rounding errors."""
    return number > limit + 1e-9 * max(abs(number), abs(limit))


class Bounds(NamedTuple):
    """Bounds of the means of ranks with some shares of hits."""

    reciprocal: Interval
    rank: Interval


def bound_by_hits(
    ks: ArrayLike, lower: ArrayLike, upper: ArrayLike, step: float, most: float = math.inf
) -> Bounds:
    """Bound MRR and MR by shares of hits, the intervals of Hits@k for ascending ks.

    With k_0 = 0 and H_0 = 0, a share H_j - H_(j-1) of the ranks lies in (k_(j-1), k_j], and 1 - H_m
    beyond k_m. MRR is least if each share is at the last rank of its range, and largest if it is at
    the first; MR the other way round. `most` is the largest number of candidates: the upper bound
    of the MR may be infinite if that is. Shares have shape (m, ...), NaN where one is not known,
    and the bounds shape (...).
    """
    return Bounds(
        bound_reciprocal_rank(ks, lower, upper, step, most),
        bound_mean_rank(ks, lower, upper, step, most),
    )


def bound_reciprocal_rank(
    ks: ArrayLike, lower: ArrayLike, upper: ArrayLike, step: float, most: float = math.inf
) -> Interval:
    """Bound MRR as :func:`bound_by_hits` does."""
    firsts, lasts = _list_ends(ks, step, most)
    least, largest = _accumulate(lower, upper)
    return Interval(_weigh(least, 1 / lasts), _weigh(largest, 1 / firsts))


def bound_mean_rank(
    ks: ArrayLike, lower: ArrayLike, upper: ArrayLike, step: float, most: float = math.inf
) -> Interval:
    """Bound MR as :func:`bound_by_hits` does."""
    firsts, lasts = _list_ends(ks, step, most)
    least, largest = _accumulate(lower, upper)
    return Interval(_weigh(largest, firsts), _weigh(least, lasts))


def _list_ends(ks: ArrayLike, step: float, most: float) -> tuple[Values, Values]:
    """Return the first and the last rank of the ranges up to each k and beyond the last one."""
    ks = np.asarray(ks, dtype=np.float64)
    firsts = np.append(1.0, np.minimum(ks + step, most))
    return firsts, np.append(np.minimum(ks, most), most)


def _accumulate(lower: ArrayLike, upper: ArrayLike) -> tuple[Values, Values]:
    """Return the least and the largest share up to each k, from none of the ranks to all of them.

    Shares grow with k.
    """
    least, largest = (_enclose(shares) for shares in (lower, upper))
    for j in range(1, len(least)):
        np.fmax(least[j - 1], least[j], out=least[j, ...])
    for j in range(len(largest) - 1, 0, -1):
        np.fmin(largest[j - 1], largest[j], out=largest[j - 1, ...])
    return least, largest


def _enclose(shares: ArrayLike) -> Values:
    """Return shares between those that are certain: none of the ranks, and all of them."""
    shares = np.asarray(shares, dtype=np.float64)
    ends = np.zeros((1, *shares.shape[1:]))
    return np.concatenate([ends, shares, ends + 1])


def _weigh(shares: Values, values: Values) -> Any:
    """Return the mean of values, weighted by the differences of cumulated shares."""
    weights = np.diff(shares, axis=0)
    values = np.expand_dims(values, tuple(range(1, shares.ndim)))
    if np.isfinite(values).all():
        return (weights * values).sum(axis=0)
    parts = np.multiply(weights, values, out=np.zeros_like(weights), where=weights > 0)
    return parts.sum(axis=0)


def least_mean_rank(reciprocal: Any, step: float) -> Any:
    """Return the least MR that an MRR allows; below it, no MR has so small an MRR either.

    (MRR, MR) is a mean of points (1/r, r) and lies in their convex hull. Since r = 1/x is convex,
    the lower boundary joins neighbours on the grid: between r and r + step it is MR = 2 r + step -
    r (r + step) MRR, which is above the curve 1/MRR that the inequality of arithmetic and harmonic
    mean gives, and meets it at the points. An MRR that is not known, NaN, allows any MR.

    >>> float(least_mean_rank(0.75, step=1))
    1.5
    """
    shares = np.where(reciprocal > 0, np.minimum(reciprocal, 1), 1)
    # The last point of the grid at or before 1/MRR.
    ranks = 1 + step * np.floor((1 / shares - 1) / step)
    return 2 * ranks + step - ranks * (ranks + step) * shares


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
    beyond_first = np.clip(total * (mean_rank - 1) - before, 0.0, room)
    return 1 - math.fsum((beyond_first / sizes).tolist()) / total


def holds_multiple(interval: Interval, unit: float, error: float = 1e-9) -> bool:
    """Return True if an interval holds a whole multiple of `unit`, but for a relative error."""
    lower, upper = (end / unit for end in interval)
    slack = error * max(abs(lower), abs(upper), 1.0)
    return math.floor(upper + slack) >= lower - slack
