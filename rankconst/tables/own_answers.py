"""Queries with several right answers of one's own: their numbers of candidates, and how many of these are right."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import Formula, Metric
from rankconst.catalogue.protocols import OWN_COUNTS
from rankconst.errors import DataError, UnknownNameError
from rankconst.moments import answers
from rankconst.moments.answers import Query
from rankconst.names import Names
from rankconst.tasks import Histogram, Tasks
from rankconst.values.constants import Constants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Family:
    """A metric of queries with several right answers, as PyTorch Geometric's link_pred or trec_eval define it."""

    symbol: str
    title: str
    # ``evaluate(places, query, k)``: the metric of one query, of the places of its right answers, ascending.
    evaluate: Callable[[Values, Query, int], float]
    law: Callable[[Query, int], answers.Law]
    source: str
    needs_k: bool = False
    spellings: tuple[str, ...] = ()


def _count(places: Values, query: Query) -> int:
    return int((places <= query.k).sum())


def _gain(places: Values, query: Query, k: int) -> float:
    ideal = np.arange(1, min(query.right, k) + 1)
    return math.fsum(1 / np.log2(places[places <= query.k] + 1)) / math.fsum(1 / np.log2(ideal + 1))


def _precisions(places: Values, query: Query) -> float:
    found = places[places <= query.k]
    return math.fsum(np.arange(1, found.size + 1) / found)


_PYG, _TREC = "PyTorch Geometric, metrics/link_pred.py", "trec_eval"

FAMILIES = {
    "recall": Family(
        "Recall@{k}",
        "share of the right answers that are among the first k",
        lambda places, query, _: _count(places, query) / query.right,
        answers.recall,
        f"{_PYG}: LinkPredRecall; {_TREC}: recall",
        needs_k=True,
    ),
    "precision": Family(
        "Precision@{k}",
        "right answers among the first k, over k, however many candidates there are",
        lambda places, query, k: _count(places, query) / k,
        answers.precision,
        f"{_PYG}: LinkPredPrecision; {_TREC}: P",
        needs_k=True,
        spellings=("p",),
    ),
    "f1": Family(
        "F1@{k}",
        "twice the right answers among the first k, over k + R",
        lambda places, query, k: 2 * _count(places, query) / (k + query.right),
        answers.f1,
        f"{_PYG}: LinkPredF1",
        needs_k=True,
    ),
    "hit_ratio": Family(
        "HitRatio@{k}",
        "share of queries with a right answer among the first k",
        lambda places, query, _: float(_count(places, query) > 0),
        answers.hit_ratio,
        f"{_PYG}: LinkPredHitRatio; {_TREC}: success; RecBole: hit",
        needs_k=True,
        spellings=("hit", "hits", "success"),
    ),
    "mrr": Family(
        "MRR",
        "mean of 1 over the place of the first right answer, 0 beyond k",
        lambda places, query, _: 1 / float(places[0]) if places[0] <= query.k else 0.0,
        answers.reciprocal,
        f"{_PYG}: LinkPredMRR; {_TREC}: recip_rank",
        spellings=("mean reciprocal rank", "recip_rank"),
    ),
    "ndcg": Family(
        "nDCG",
        "discounted gain of the right answers among the first k, over that of min(R, k) on top",
        _gain,
        answers.gain,
        f"{_PYG}: LinkPredNDCG; {_TREC}: ndcg, ndcg_cut",
    ),
    "map": Family(
        "MAP",
        "mean over min(R, k) right answers of the precision at their places, 0 beyond k",
        lambda places, query, k: _precisions(places, query) / min(query.right, k),
        answers.average_precision_cut,
        f"{_PYG}: LinkPredMAP; {_TREC}: map, without a k",
        spellings=("mean average precision",),
    ),
    "map_cut": Family(
        "MAP_cut",
        "mean over all right answers of the precision at their places, 0 beyond k",
        lambda places, query, _: _precisions(places, query) / query.right,
        answers.average_precision,
        f"{_TREC}: map_cut",
        needs_k=True,
    ),
}
"""The metrics by key. Without a k, all places are taken."""

_NAMES = Names("metric of several right answers", {key: row.spellings for key, row in FAMILIES.items()})
_NAMED = re.compile(r"(.*?)[@_\s-]*(?:at[@_\s-]*)?(\d{1,9})?")


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


def parse_answers_metric(name: str) -> tuple[str, int | None]:
    """Read ``recall@10``, ``ndcg`` or ``map_at_20`` as a key and its k."""
    found = _NAMED.fullmatch(name.strip())
    bare, k = (found[1], found[2]) if found is not None else (name, None)
    key = "f1" if bare.lower() == "f" and k is not None and k.startswith("1") else _NAMES.resolve(bare)
    if bare.lower() == "f":  # f1 alone, or f1@10 whose 1 went to its k
        raise UnknownNameError(f"{name!r}: write f1@10, for example.")
    if FAMILIES[key].needs_k and not k:
        raise UnknownNameError(f"{key} needs a k: write {key}@10, for example.")
    if k is not None and int(k) < 1:
        raise UnknownNameError(f"{name!r} needs a k of at least 1.")
    return key, None if k is None else int(k)


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
            without ``@k``, or ``map_cut@k``; :data:`FAMILIES` has their definitions and sources.

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
            moments=answers.average(family.law, k, self.queries, self.weights),
        )

    def _extreme(self, family: Family, k: int | None, place: Callable[[int, int], Values]) -> float:
        values = [
            family.evaluate(place(n, right), Query(n, right, min(n, k or n)), k or n)
            for n, right in self.queries.tolist()
        ]
        return math.fsum(self.weights[:, 1] * values) / math.fsum(self.weights[:, 1])


def _refuse(*_: Any) -> float:
    raise DataError("a metric of several right answers is evaluated query by query: use evaluate_answers.")


def gather_answers(counts: ArrayLike, relevant: ArrayLike, weights: ArrayLike | None, name: str) -> Answers:
    """Gather queries into distinct pairs of candidates and right answers; DataError for numbers that cannot be."""
    sizes, right = np.broadcast_arrays(np.atleast_1d(np.asarray(counts)), np.atleast_1d(np.asarray(relevant)))
    for what, values in (("candidates", sizes), ("right answers", right)):
        if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer) or (values < 1).any():
            raise DataError(f"numbers of {what} are whole numbers >= 1, one for each query.")
    if (right > sizes).any():
        place = int(np.flatnonzero(right > sizes)[0])
        raise DataError(f"query {place} has {right[place]} right answers among {sizes[place]} candidates.")
    own = np.ones(sizes.shape) if weights is None else np.broadcast_to(np.asarray(weights, float), sizes.shape)
    if not (np.isfinite(own).all() and (own > 0).all()):
        raise DataError("a weight is not a positive number.")
    pairs, codes = np.unique(np.column_stack((sizes, right)).astype(np.int64), axis=0, return_inverse=True)
    sums = [np.bincount(codes.ravel(), each, len(pairs)) for each in (np.ones(own.shape), own, own**2)]
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
