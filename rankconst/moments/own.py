r"""Metrics of your own: the mean of any f(rank), any power mean, the extreme ranks.

The mean of f(r) follows from sums of f and f^2 over 1 .. N, which are formed term by term: nothing
is asked of f. With weights w_i, M = sum w_i f(r_i) / sum w_i.

Power means :math:`M_p = ((1/n) \sum r_i^p)^{1/p}` with any exponent (:mod:`.powers`): M_0 is the
geometric mean, and M_p tends to the smallest rank as p falls to minus infinity, to the largest as
it grows. These two have the distributions

.. math:: P(\max r \le x) = \prod_i F_i(x), \qquad P(\min r > x) = \prod_i (1 - F_i(x))

with F_i(x) the chance of a rank of at most x, and what the largest rank lacks to the largest
possible one, or the smallest rank exceeds the least possible one by, is a sum of such chances.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF, Moments, lift_rounding
from rankconst.errors import DataError, UndefinedError, UsageError
from rankconst.moments.means import average, geometric_mean_rank
from rankconst.moments.powers import power_mean
from rankconst.tasks import offsets_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.doubles import Values
    from rankconst.tasks import Histogram

# Ranks for which a function is evaluated, and in one go; exponents for which errors were tried out:
# nearer to 0 the integrand lies beyond the nodes.
_MOST_RANKS, _CHUNK = 2**27, 2**16
_BELOW, _LEAST, _LARGEST = -0.04, 0.25, 4.0
# Squares of smaller numbers, and of the inverses of these, are no doubles any more.
_SMALLEST = 1e-140
# ln P below which a chance is nothing.
_VANISHED = -80.0


def mean_of_any(f: Callable[[Values], Values], histogram: Histogram) -> Moments:
    """Return the moments of the mean over tasks of any f(rank).

    f maps an array of ranks to an array of numbers. It gets all possible ranks.
    """
    last = int(histogram.last_ranks.max())
    if last > _MOST_RANKS:
        raise UndefinedError(
            f"f would be evaluated at {last:,} ranks; at most {_MOST_RANKS:,} are taken."
        )

    starts = offsets_of(histogram)
    edges = np.unique(np.concatenate((starts, histogram.last_ranks)))
    # Sums are of f less its value at the last rank: f is often near that far out, and then the
    # variance, a difference of means, cancels less. Two entries, as some functions of a single
    # number take an array of one, and would pass unnoticed.
    centre = float(_apply(f, np.full(2, float(last)))[0])
    # Sums of f - centre (row 0), its square (1) and its modulus (2) over the ranks up to each edge.
    sums = np.zeros((3, edges.size))
    with np.errstate(over="ignore"):
        for edge in range(1, edges.size):
            sums[:, edge] = _sum_between(f, int(edges[edge - 1]), int(edges[edge]), centre)
        sums = np.cumsum(sums, axis=1)

    if sums[2, -1] and not _SMALLEST < sums[2, -1] < 1 / _SMALLEST:
        raise DataError(
            f"values of f differ by {sums[2, -1]:g}, which cannot be squared. "
            "Multiply f by a number."
        )

    # The moments of one task of each row, which has the ranks from one edge to another.
    first_edges = np.searchsorted(edges, starts)
    last_edges = np.searchsorted(edges, histogram.last_ranks)
    size = histogram.num_candidates.astype(np.float64)
    varies = size > 1
    mean, square, _ = (sums[:, last_edges] - sums[:, first_edges]) / size
    # What rounding leaves of sums from the first rank on is spread over the block.
    errors = UNIT_ROUNDOFF * (64 + edges.size) * sums[:, last_edges] / size
    _, square_error, modulus_error = errors
    variance_error = np.where(varies, square_error + 2 * np.abs(mean) * modulus_error, 0.0)
    variance = lift_rounding(np.where(varies, square - mean * mean, 0.0), variance_error)
    moments = average(histogram, centre + mean, variance, variance_error)
    # f may change its sign, so that the average is less than the terms.
    mean_error = modulus_error + 16 * UNIT_ROUNDOFF * (abs(centre) + np.abs(mean))
    expectation_error = float(np.average(mean_error, weights=histogram.row_weights))
    return replace(moments, expectation_error=expectation_error)


def _sum_between(
    f: Callable[[Values], Values], start: int, stop: int, centre: float
) -> list[float]:
    """Return the sums of f(r) - centre over start < r <= stop, of its square and of its modulus."""
    parts: list[list[float]] = []
    for begin in range(start, stop, _CHUNK):
        ranks = np.arange(begin + 1, min(begin + _CHUNK, stop) + 1, dtype=np.float64)
        away = _apply(f, ranks) - centre
        parts.append([float(np.sum(terms)) for terms in (away, away * away, np.abs(away))])
    return [math.fsum(sums) for sums in np.transpose(parts).tolist()]


def _apply(f: Callable[[Values], Values], ranks: Values) -> Values:
    """Return f(ranks) as floats; UsageError or DataError unless it is a finite number for each."""
    try:
        values = np.asarray(f(ranks), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"f must map an array of ranks to an array of numbers: {error}. {_VECTORIZE}"
        ) from error

    if values.shape != ranks.shape:
        raise UsageError(
            f"f maps {ranks.size} ranks to an array of shape {values.shape}. {_VECTORIZE}"
        )
    if not np.isfinite(values).all():
        index = int(np.argmin(np.isfinite(values)))
        raise DataError(f"f({ranks[index]:g}) is {values[index]}; expected a number.")
    return values


_VECTORIZE = "numpy.vectorize(f) makes one of a function of a single rank."


def any_power_mean(exponent: float, histogram: Histogram) -> Moments:
    """Return the moments of the power mean of the ranks with an exponent.

    Exponent 0 is the geometric mean, -inf the smallest rank and inf the largest. UsageError for
    exponents without known errors.
    """
    if math.isnan(exponent):
        raise UsageError("the exponent of a power mean must be a number, or infinite.")
    if exponent == 0:
        return geometric_mean_rank(histogram)
    if math.isinf(exponent):
        return extreme_rank(histogram, largest=exponent == math.inf)
    if abs(exponent) > _LARGEST or _BELOW < exponent < _LEAST:
        raise UsageError(
            f"power means are computed for exponents from -{_LARGEST:g} to {_BELOW:g}, "
            f"0, from {_LEAST:g} to {_LARGEST:g}, and infinite ones; got {exponent:g}. "
            "Next to 0, take the geometric mean: exponent 0."
        )
    return power_mean(histogram, exponent)


def extreme_rank(histogram: Histogram, *, largest: bool) -> Moments:
    """Return the moments of the largest rank of all tasks, or if not `largest` of the smallest.

    D, the distance from the last or first possible rank, has E[D] = sum_{d >= 0} P(D > d) and
    E[D^2] = sum_{d >= 0} (2 d + 1) P(D > d).
    """
    starts = offsets_of(histogram).astype(np.float64)
    stops = histogram.last_ranks.astype(np.float64)
    tasks = histogram.num_tasks.astype(np.float64)
    edge = float(stops.max()) if largest else float(starts.min() + 1)

    def log_beyond(d: Values) -> Values:
        return _log_beyond(d, starts, stops, tasks, edge=edge, largest=largest)

    # P(D > d) falls: the first d at which it does not count ends the sums.
    possible = range(int(stops.max() - starts.min()))
    last = bisect.bisect_left(
        possible, True, key=lambda d: log_beyond(np.array([float(d)]))[0] < _VANISHED
    )
    if last > _MOST_RANKS:
        raise UndefinedError(
            f"that rank may be any of {last:,}; at most {_MOST_RANKS:,} are added up."
        )

    d = np.arange(float(last))
    chances = np.exp(log_beyond(d))
    distance = math.fsum(chances.tolist())
    square = math.fsum(((2 * d + 1) * chances).tolist())
    # Each chance carries the roundings of its logarithm, at most _VANISHED where it counts.
    error = UNIT_ROUNDOFF * (8 * -_VANISHED + 4 * len(histogram))
    mean = edge - distance if largest else edge + distance
    slack = error * (square + 2 * distance * distance)
    variance = lift_rounding(np.array([square - distance * distance]), np.array([slack]))
    return Moments(
        expectation=mean,
        expectation_error=error * distance + UNIT_ROUNDOFF * mean,
        variance=float(variance[0]),
        variance_error=slack,
        method="closed_form",
    )


def _log_beyond(
    d: Values, starts: Values, stops: Values, tasks: Values, *, edge: float, largest: bool
) -> Values:
    """Return ln P(D > d), the chance that no rank is within d of the edge. Shape (len(d),).

    The edge is the last possible rank, or the first one for the smallest rank. Row u has the ranks
    starts_u + 1 to stops_u. With F_u the chance of a rank of at most that, it is sum_u c_u ln
    F_u(edge - 1 - d) for the largest rank, sum_u c_u ln(1 - F_u(edge + d)) for the smallest one.
    """
    logs = np.empty(d.size)
    rows = max(1, _CHUNK // tasks.size)
    for begin in range(0, d.size, rows):
        distance = d[begin : begin + rows, None]
        if largest:
            share = (edge - 1 - distance - starts) / (stops - starts)
        else:
            share = (stops - (edge + distance)) / (stops - starts)
        # F is 0 before its block, and 1 behind it.
        share = np.clip(share, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            logs[begin : begin + rows] = np.sum(tasks * np.log(share), axis=1)

    return logs
