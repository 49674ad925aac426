"""Queries with several right answers of one's own: their numbers of candidates, and how many of these are right."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.answers import FAMILIES, AnswersMetric, parse_answers_metric
from rankconst.catalogue.protocols import OWN_COUNTS
from rankconst.catalogue.ranks import Formula
from rankconst.errors import DataError
from rankconst.moments.answers import average, find_laws
from rankconst.tasks import Histogram, Tasks, read_counts
from rankconst.values.constants import Constants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from rankconst.moments.answers import Law

    Values = NDArray[np.float64]

# A chance of no hit below this is none.
_SURE = 1e-290


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Queries with several right answers, by their numbers of candidates and of right ones.

    Attributes
    ----------
    name
        What messages call them.
    queries
        Each distinct pair of candidates N and right answers R, shape (m, 2).
    weights
        For each pair the number of queries, the sum of their weights and of the squares of these, shape (m, 3).
    """

    name: str
    queries: NDArray[np.int64]
    weights: Values = field(repr=False)

    def constants(self, metric: str) -> Constants:
        """Compute the constants of a metric: of its mean over the queries.

        Parameters
        ----------
        metric
            ``recall@k``, ``precision@k``, ``f1@k``, ``hit_ratio@k``, ``mrr``, ``ndcg``, ``map``, the last three with or
            without ``@k``, or ``map_cut@k``; :data:`rankconst.catalogue.answers.FAMILIES` has definitions and sources.

        Returns
        -------
        Constants
            With exact moments, each with a bound on its rounding. The index is 1 for a ranker that puts all right
            answers on top, which may get less than 1: Recall@10 of 20 right answers is at most 0.5. Of HitRatio@k there
            is a p, too.

        Raises
        ------
        UnknownNameError
            If the metric is unknown, or lacks its k.
        """
        key, k = parse_answers_metric(metric)
        family, laws = FAMILIES[key], find_laws(FAMILIES[key], k, self.queries)
        sizes, right = self.queries.T
        times, sums, _ = self.weights.T
        extremes = [
            [family.evaluate(first + np.arange(r), k or n) for first, n, r in zip(start, sizes, right, strict=True)]
            for start in (np.ones(sizes.size), sizes - right + 1.0)
        ]
        best, least = (math.fsum(sums * values) / math.fsum(sums) for values in extremes)
        parsed = AnswersMetric(
            family=f"{key}_of_answers",
            symbol=family.symbol if "{k}" in family.symbol or k is None else f"{family.symbol}@{{k}}",
            title=family.title,
            scale="share",
            definition=family.title,
            statistic=_refuse,
            moments="",
            formula=Formula("", "", "closed form"),
            k=k,
            is_counted=family.kind == "hit",
            best=best,
            least=least,
            chances=_list_chances(laws, times),
        )
        weighted = bool((times != sums).any())
        return Constants(
            Tasks(self.name, OWN_COUNTS.key, "", "both", "own weights" if weighted else DEFAULT_AGGREGATION),
            metric=parsed,
            histogram=Histogram.from_counts(sizes, times.astype(np.int64), sums / times if weighted else None),
            moments=average(laws, self.weights),
        )


def _list_chances(laws: Sequence[Law], times: Values) -> tuple[Values, Values, Values, float]:
    """Return :attr:`AnswersMetric.chances` of hits, given their laws and how many queries have each."""
    mean, variance, mean_error, variance_error = np.array(laws).T
    open_ones = variance > _SURE
    mean, variance, times = mean[open_ones], variance[open_ones], times[open_ones]
    rounding = 2 * mean_error[open_ones] / mean + variance_error[open_ones] / variance
    return mean, variance / mean, times, math.fsum(times * rounding)


def _refuse(*_: Any) -> float:
    raise DataError("a metric of several right answers needs the ranks of each query: rankconst.from_ranks takes them.")


def gather_answers(
    counts: ArrayLike, relevant: ArrayLike, weights: ArrayLike | None, name: str, num_tasks: ArrayLike = 1
) -> Answers:
    """Gather queries into distinct pairs of candidates and right answers; DataError for numbers that cannot be."""
    sizes, right = np.broadcast_arrays(np.atleast_1d(np.asarray(counts)), np.atleast_1d(np.asarray(relevant)))
    sizes, right = read_counts("num_candidates", sizes), read_counts("relevant", right)
    if (right > sizes).any():
        place = int(np.flatnonzero(right > sizes)[0])
        raise DataError(f"query {place} has {right[place]} right answers among {sizes[place]} candidates.")
    own = np.ones(sizes.shape) if weights is None else np.broadcast_to(np.asarray(weights, float), sizes.shape)
    if not (np.isfinite(own).all() and (own > 0).all()):
        raise DataError("a weight is not a positive number.")
    order = np.lexsort((right, sizes))
    pairs = np.column_stack((sizes, right))[order]
    starts = np.flatnonzero(np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1)))
    times, own = np.broadcast_to(np.asarray(num_tasks, float), sizes.shape)[order], own[order]
    sums = [np.add.reduceat(times * each, starts) for each in (np.ones(own.shape), own, own**2)]
    return Answers(name, pairs[starts], np.column_stack(sums))
