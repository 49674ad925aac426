"""Metrics of queries with several right answers, under chance.

Of N candidates, R are right. A random ranker puts them on a random subset of the places 1 .. N, so
that

- a sum over the right answers of w(place) has mean R mean(w) and variance R (1 - R/N) s^2(w), s^2
  the sample variance over the N places (sampling without replacement, Cochran 1977, *Sampling
  Techniques*, theorem 2.2);
- the first right answer is at place r with probability C(N-r, R-1) / C(N, R);
- given right answers at places r < s, those above and between them are hypergeometric, which gives
  average precision a closed mean and a variance of one sum over places: it costs O(N) for each
  distinct (N, R), not O(N^2).

Queries are independent, so the mean over queries has the mean of their means, and variances add up.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.answers import discount, discount_clipped
from rankconst.doubles import UNIT_ROUNDOFF, Moments

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankconst.catalogue.answers import Family
    from rankconst.doubles import Counts, Values


class QueryMoments(NamedTuple):
    """Mean and variance of one query's metric, with bounds of their rounding."""

    mean: float
    variance: float
    mean_error: float
    variance_error: float

    def over(self, divisor: float) -> QueryMoments:
        """Return the moments of the metric over a number, itself rounded three times."""
        mean, variance = self.mean / divisor, self.variance / divisor**2
        mean_error = self.mean_error / divisor + 4 * UNIT_ROUNDOFF * mean
        variance_error = self.variance_error / divisor**2 + 8 * UNIT_ROUNDOFF * variance
        return QueryMoments(mean, variance, mean_error, variance_error)


NOTHING = QueryMoments(0.0, 0.0, 0.0, 0.0)
"""The moments of what is always 0."""


def hits(n: int, right: int, k: int) -> QueryMoments:
    """Return the moments of the number of right answers up to place k: hypergeometric.

    `right` of `n` candidates are right, and `k` is from 1 to `n`, as for all functions below.
    """
    mean = k * right / n
    variance = k * right * (n - right) * (n - k) / (n * n * (n - 1)) if n > 1 else 0.0
    return QueryMoments(mean, variance, UNIT_ROUNDOFF * mean, UNIT_ROUNDOFF * variance)


def _find_misses(n: int, right: int, k: int) -> Values:
    """Return the probabilities that no right answer is up to place 0 .. k. Shape (k + 1,).

    That of place r is the product over i < r of (N - R - i) / (N - i), each rounded twice. If N = 3
    and R = 1, they are 1, 2/3, 1/3 and 0.
    """
    places = np.arange(n, n - k, -1.0)
    return np.concatenate(([1.0], (places - right).clip(min=0.0) / places)).cumprod()


def _find_first(n: int, right: int, k: int) -> Values:
    """Return the probabilities that the first right answer is at place 1 .. k. Shape (k,).

    That of place r is the chance of none before it, times R / (N - r + 1).
    """
    return _find_misses(n, right, k)[:-1] * (right / np.arange(n, n - k, -1.0))


def hit(n: int, right: int, k: int) -> QueryMoments:
    """Return the moments of 1 if any right answer is up to place k, else 0."""
    chance, missed = math.fsum(_find_first(n, right, k)), float(_find_misses(n, right, k)[-1])
    error = 4 * k * UNIT_ROUNDOFF
    return QueryMoments(chance, chance * missed, error * chance, 2 * error * chance * missed)


def first(n: int, right: int, k: int) -> QueryMoments:
    """Return the moments of 1 over the place of the first right answer, 0 if that is beyond k."""
    chances = _find_first(n, right, k)
    places = np.arange(1, k + 1, dtype=np.float64)
    mean = float((chances / places).sum())
    square = float((chances / places**2).sum())
    # The error of a probability grows in proportion to its place r. Divided by r, the errors add up
    # to a few roundings of the total, 1; divided by r^2, to a few of the mean.
    mean_error = 4 * UNIT_ROUNDOFF * (1 + mean)
    variance_error = 8 * UNIT_ROUNDOFF * (mean + square)
    return QueryMoments(mean, square - mean**2, mean_error, variance_error)


def _bound_sum(k: int) -> float:
    """Return the relative error of numpy's pairwise sum of k terms, each with some roundings."""
    return (32 + math.log2(k + 1)) * UNIT_ROUNDOFF


def _add_up(weigh: Callable[[Values], Values], n: int, right: int, k: int) -> QueryMoments:
    """Return the moments of the sum of the weights of the places of right answers up to k.

    These are a sample of `right` of the `n` places, without replacement. The mean is R sum(w) / N,
    the variance R (N - R) / (N (N - 1)) (sum(w^2) - sum(w)^2 / N). `weigh` maps places to weights.
    """
    weights = weigh(np.arange(1.0, k + 1))
    total, square = float(weights.sum()), float((weights**2).sum())
    mean, unit = right * total / n, 0.0
    if n > 1:
        unit = right * (n - right) / n / (n - 1)

    spread = unit * max(square - total**2 / n, 0.0)
    error = _bound_sum(weights.size)
    return QueryMoments(mean, spread, error * mean, 2 * error * unit * square)


def precisions(n: int, right: int, k: int) -> QueryMoments:
    """Return the moments of the sum of the precisions at the places of right answers up to k.

    Right answers at places 1 and 4 have the precisions 1/1 and 2/4: that at place r is (1 + A) / r,
    with A right answers before it.
    """
    place = np.arange(1, k + 1, dtype=np.float64)  # r, of a right answer
    num_before = place - 1
    # Given this right answer, any other place has one with the chance `share`: E[A] = E[1 + A] - 1.
    share = (right - 1) / (n - 1) if n > 1 else 0.0
    mean_count = 1 + num_before * share
    mean = right / n * float((mean_count / place).sum())
    # The squares of precisions: A is hypergeometric.
    variance = np.zeros_like(place)
    if n > 2:
        variance = num_before * share * (1 - share) * (n - place) / (n - 2)

    square = right / n * float(((mean_count**2 + variance) / place**2).sum())
    if right > 1:
        # The products of precisions at two places r < s, with B right answers between them: E[(1 +
        # A) (2 + A + B)] is start + slope * s. `one` and `two` are the chances that another place,
        # and two others, have right answers, given these.
        one = (right - 2) / (n - 2) if n > 2 else 0.0
        two = (right - 2) * (right - 3) / ((n - 2) * (n - 3)) if n > 3 else 0.0
        slope = one + num_before * two
        start = 2 + 4 * num_before * one + num_before * (place - 2) * two - (place + 1) * slope
        # The sum of 1 / s over the places s > r up to k.
        beyond = np.append(np.cumsum((1 / place)[::-1])[::-1][1:], 0.0)
        products = float(((start * beyond + slope * (k - place)) / place).sum())
        square += 2 * right * (right - 1) / (n * (n - 1)) * products

    error = _bound_sum(k)
    return QueryMoments(mean, max(square - mean**2, 0.0), error * mean, 4 * error * square)


_MOMENTS: dict[str, Callable[[int, int, int], QueryMoments]] = {
    "hits": hits,
    "hit": hit,
    "first": first,
    "reciprocals": partial(_add_up, lambda places: 1 / places),
    "gain": partial(_add_up, discount),
    "clipped_gain": partial(_add_up, discount_clipped),
    "precisions": precisions,
}


def find_query_moments(family: Family, k: int | None, queries: Counts) -> list[QueryMoments]:
    """Return the moments of the sum of a family up to place k, or over all, for each (N, R)."""
    compute = _MOMENTS[family.kind]
    query_moments = []
    for n, right in queries.tolist():
        if right:
            cut_off = n if k is None else min(n, k)
            query_moments.append(compute(n, right, cut_off))
        else:
            query_moments.append(NOTHING)

    return query_moments


def average(query_moments: Sequence[QueryMoments], weights: Values) -> Moments:
    """Return the moments of the weighted mean of a metric over independent queries.

    There are moments for each distinct kind of query. `weights` has shape (kinds, 3): the number of
    queries of the kind, the sum of their weights, and the sum of their squared weights.
    """
    mean, variance, mean_error, variance_error = np.array(query_moments).T
    _, sums, square_sums = weights.T
    total = math.fsum(sums)
    expectation = math.fsum(sums * mean) / total
    total_variance = math.fsum(square_sums * variance) / total**2
    rounding = 4 * UNIT_ROUNDOFF
    error = math.fsum(sums * mean_error) / total + rounding * expectation
    error_of_variance = math.fsum(square_sums * variance_error) / total**2
    error_of_variance += rounding * total_variance
    return Moments(expectation, error, total_variance, error_of_variance, "closed_form")
