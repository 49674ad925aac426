"""Metrics of queries with several right answers, under chance: N candidates, R of them right, in random order.

A random ranker puts the R right answers on a random subset of the places 1 .. N, so that

- a sum over the right answers of w(place) has mean R mean(w) and variance R (1 - R/N) s^2(w), s^2 the sample variance
  over the N places (sampling without replacement, Cochran 1977, *Sampling Techniques*, theorem 2.2);
- the first right answer is at place r with probability C(N-r, R-1) / C(N, R);
- given right answers at places r < s, those above and between them are hypergeometric, which gives average precision a
  closed mean and a variance of one sum over places: it costs O(N) for each distinct (N, R), not O(N^2).

Queries are independent, so the mean over queries has the mean of their means, and variances add up.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.answers import Query
from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.moments.result import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Values = NDArray[np.float64]


class Law(NamedTuple):
    """Mean and variance of one query's metric, with bounds of their rounding, relative to 1 and to the mean square."""

    mean: float
    variance: float
    mean_error: float
    variance_error: float


def _of_hits(query: Query, unit: float) -> Law:
    """Return the law of the number of right answers up to place k, times a unit: hypergeometric."""
    n, r, k = query
    mean = unit * k * r / n
    variance = unit**2 * k * r * (n - r) * (n - k) / (n * n * (n - 1)) if n > 1 else 0.0
    return Law(mean, variance, 4 * UNIT_ROUNDOFF * mean, 10 * UNIT_ROUNDOFF * variance)


def recall(query: Query, _: int) -> Law:
    """Right answers up to place k over all right answers."""
    return _of_hits(query, 1 / query.right)


def precision(query: Query, k: int) -> Law:
    """Right answers up to place k over k, whether or not there are as many candidates."""
    return _of_hits(query, 1 / k)


def f1(query: Query, k: int) -> Law:
    """Twice the right answers up to place k over k + R, the harmonic mean of precision and recall."""
    return _of_hits(query, 2 / (k + query.right))


def _find_first(query: Query) -> Values:
    """Return the probabilities that the first right answer is at place 1 .. k.

    The r-th has a relative error of about 3 r roundings.
    """
    n, right, k = query
    places = np.arange(1, k, dtype=np.float64)
    return np.concatenate(([right / n], (n - places - right + 1) / (n - places))).cumprod().clip(min=0.0)


def hit_ratio(query: Query, _: int) -> Law:
    """1 if any right answer is up to place k, else 0."""
    hit = float(_find_first(query).sum())
    missed = (
        math.exp(math.fsum(np.log1p(-query.right / np.arange(query.size, query.size - query.k, -1.0))))
        if (query.size - query.right >= query.k)
        else 0.0
    )
    error = 4 * query.k * UNIT_ROUNDOFF
    return Law(hit, hit * missed, error * hit, 2 * error * hit * missed)


def reciprocal(query: Query, _: int) -> Law:
    """1 over the place of the first right answer, 0 if that is beyond k."""
    first, places = _find_first(query), np.arange(1, query.k + 1, dtype=np.float64)
    mean, square = float((first / places).sum()), float((first / places**2).sum())
    # The error of each probability grows with its place, by which it is divided.
    return Law(mean, square - mean**2, 4 * UNIT_ROUNDOFF * (1 + mean), 8 * UNIT_ROUNDOFF * (mean + square))


def gain(query: Query, k: int) -> Law:
    """Discounted gain, 1 / log2(place + 1), of right answers up to place k, over that of R right answers on top."""
    n, right, reach = query
    weights = 1 / np.log2(np.arange(2, max(reach, min(right, k)) + 2, dtype=np.float64))
    unit = 1 / math.fsum(weights[: min(right, k)])
    total, square = math.fsum(weights[:reach]), math.fsum(weights[:reach] ** 2)
    mean = unit * right * total / n
    spread = unit**2 * right * (n - right) / n * (square - total**2 / n) / (n - 1) if n > 1 else 0.0
    error = 8 * UNIT_ROUNDOFF
    bound = unit**2 * right * (n - right) / n * square / (n - 1) if n > 1 else 0.0
    return Law(mean, max(spread, 0.0), error * mean, 2 * error * bound)


def _average_precision(query: Query, right_ones: int) -> Law:
    """Return the law of the sum over right answers up to place k of the precision there, over `right_ones`."""
    n, right, k = query
    r = np.arange(1, k + 1, dtype=np.float64)
    above = r - 1
    share = (right - 1) / (n - 1) if n > 1 else 0.0
    mean = right / n * math.fsum((1 + above * share) / r)
    # The same right answer twice: A right ones above it, hypergeometric.
    spread = above * share * (1 - share) * (n - r) / (n - 2) if n > 2 else np.zeros_like(r)
    square = right / n * math.fsum(((1 + above * share) ** 2 + spread) / r**2)
    if right > 1:
        # Two of them, at r < s, with A others above r and B between: E[(1 + A)(2 + A + B)] is linear in s.
        one = (right - 2) / (n - 2) if n > 2 else 0.0
        two = (right - 2) * (right - 3) / ((n - 2) * (n - 3)) if n > 3 else 0.0
        slope = one + above * two
        start = 2 + 4 * above * one + above * (r - 2) * two - (r + 1) * slope
        beyond = np.concatenate((np.cumsum((1 / r)[::-1])[::-1][1:], [0.0]))
        square += 2 * right * (right - 1) / (n * (n - 1)) * math.fsum((start * beyond + slope * (k - r)) / r)
    mean, square = mean / right_ones, square / right_ones**2
    error = (16 + math.log2(k + 1)) * UNIT_ROUNDOFF
    return Law(mean, max(square - mean**2, 0.0), error * mean, 4 * error * square)


def average_precision(query: Query, _: int) -> Law:
    """Precision at the places of right answers up to place k, averaged over all right answers."""
    return _average_precision(query, query.right)


def average_precision_cut(query: Query, k: int) -> Law:
    """Precision at the places of right answers up to place k, averaged over the R or k that can be there."""
    return _average_precision(query, min(query.right, k))


def average(law: Callable[[Query, int], Law], k: int | None, queries: NDArray[np.int64], weights: Values) -> Moments:
    """Return the moments of the weighted mean over queries.

    `queries` has a row (N, R) for each distinct kind of query; `weights` has rows (number of queries, sum of weights,
    sum of squared weights).
    """
    laws = [law(Query(int(n), int(right), int(min(n, k or n))), k or int(n)) for n, right in queries.tolist()]
    mean, variance, mean_error, variance_error = (np.array(each) for each in zip(*laws, strict=True))
    whole = math.fsum(weights[:, 1])
    total = math.fsum(weights[:, 1] * mean) / whole
    spread = math.fsum(weights[:, 2] * variance) / whole**2
    rounding = 4 * UNIT_ROUNDOFF
    return Moments(
        expectation=total,
        expectation_error=math.fsum(weights[:, 1] * mean_error) / whole + rounding * total,
        variance=spread,
        variance_error=math.fsum(weights[:, 2] * variance_error) / whole**2 + rounding * spread,
        method="closed_form",
    )
