"""Queries with several right answers of one's own: their numbers of candidates, and how many of these are right."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.answers import FAMILIES, Family, Query, parse_answers_metric
from rankconst.catalogue.metrics import Metric
from rankconst.catalogue.protocols import OWN_COUNTS
from rankconst.catalogue.ranks import Formula
from rankconst.errors import DataError
from rankconst.moments import answers
from rankconst.tasks import Histogram, Tasks, read_counts
from rankconst.values.constants import Constants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AnswersMetric(Metric):
    """A metric with the values that the best and the worst ranker get on the queries at hand."""

    best: float = 1.0
    least: float = 0.0

    @property
    def optimum(self) -> float:
        """What a ranker gets that puts all right answers on top."""
        return self.best

    @property
    def upper(self) -> float:
        """The same: no ranker gets more."""
        return self.best

    def worst(self, *_: Any) -> float:
        """Return what a ranker gets that puts all right answers last."""
        return self.least

    def __reduce__(self) -> Any:
        """Refuse to be pickled: its functions belong to the queries."""
        raise TypeError("a metric of several right answers cannot be pickled; make it again from its counts.")


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
    is_weighted: bool = False

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
            answers on top, which may get less than 1: Recall@10 of 20 right answers is at most 0.5. There is no p.

        Raises
        ------
        UnknownNameError
            If the metric is unknown, or lacks its k.
        """
        key, k = parse_answers_metric(metric)
        family = FAMILIES[key]
        symbol = family.symbol if "{k}" in family.symbol or k is None else f"{family.symbol}@{{k}}"
        parsed = AnswersMetric(
            family=f"{key}_of_answers",
            symbol=symbol,
            title=family.title,
            scale="share",
            definition=family.title,
            evaluate=_refuse,
            moments="",
            formula=Formula("", "", "closed form"),
            k=k,
            best=self._extreme(family, k, lambda _, r: np.arange(1.0, r + 1)),
            least=self._extreme(family, k, lambda n, r: np.arange(n - r + 1.0, n + 1)),
        )
        return Constants(
            Tasks(self.name, OWN_COUNTS.key, "", "both", "own weights" if self.is_weighted else DEFAULT_AGGREGATION),
            metric=parsed,
            histogram=Histogram.from_counts(self.queries[:, 0], self.weights[:, 0].astype(np.int64)),
            moments=answers.average(getattr(answers, family.law), k, self.queries, self.weights),
        )

    def _extreme(self, family: Family, k: int | None, place: Callable[[int, int], Values]) -> float:
        values = [
            family.evaluate(place(n, right), Query(n, right, min(n, k or n)), k or n)
            for n, right in self.queries.tolist()
        ]
        return math.fsum(self.weights[:, 1] * values) / math.fsum(self.weights[:, 1])


def _refuse(*_: Any) -> float:
    raise DataError("a metric of several right answers is evaluated query by query: use evaluate_answers.")


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
    pairs, codes = np.unique(np.column_stack((sizes, right)).astype(np.int64), axis=0, return_inverse=True)
    times = np.broadcast_to(np.asarray(num_tasks, float), sizes.shape)
    sums = [np.bincount(codes.ravel(), times * each, len(pairs)) for each in (np.ones(own.shape), own, own**2)]
    return Answers(name, pairs, np.column_stack(sums), weights is not None)


def evaluate_answers(metric: str, num_candidates: Sequence[int], places: Sequence[ArrayLike]) -> float:
    """Return a metric's mean over queries, from the places of all right answers of each.

    Parameters
    ----------
    metric
        As for :meth:`Answers.constants`.
    num_candidates
        The number of candidates of each query.
    places
        For each query the ranks of its right answers, from 1 on, in any order.

    Raises
    ------
    DataError
        If there are no queries, or a place is beyond the candidates or given twice.
    """
    key, k = parse_answers_metric(metric)
    values: list[float] = []
    for size, given in zip(num_candidates, places, strict=True):
        own = np.unique(np.asarray(given, dtype=np.float64))
        if not own.size or own.size != np.size(given) or own[0] < 1 or own[-1] > size:
            raise DataError(f"query {len(values)}: right answers have different places from 1 to {size}.")
        values.append(FAMILIES[key].evaluate(own, Query(size, own.size, min(size, k or size)), k or size))
    if not values:
        raise DataError("there are no queries.")
    return math.fsum(values) / len(values)
