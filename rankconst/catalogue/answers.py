"""Metrics of queries with several right answers: a row each, as PyTorch Geometric and trec_eval define them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankconst.catalogue.metrics import Metric
from rankconst.catalogue.names import Names
from rankconst.errors import UnknownNameError
from rankconst.names import read_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rankconst.doubles import Values

ALL = 2**53
"""The k of a metric without one: more places than there are."""

Kind = Literal["hits", "hit", "first", "gain", "precisions"]


@dataclass(frozen=True, slots=True)
class Places:
    """The places of the right answers of queries, those of a query together and ascending.

    `starts` are where each query begins, `rights` how many right answers it has.
    """

    places: Values
    starts: NDArray[np.intp]
    rights: NDArray[np.intp]

    @classmethod
    def from_first(cls, first: Values, rights: NDArray[np.intp]) -> Places:
        """Put the right answers of each query one after another, from a place on."""
        starts = np.cumsum(rights) - rights
        return cls(np.repeat(first - starts, rights) + np.arange(rights.sum()), starts, rights)

    def add(self, terms: Values) -> Values:
        """Add up the terms of each query, at most 1 each: their upper digits exactly, so that it is rounded once."""
        upper = np.round(terms * 2.0**26) / 2.0**26
        return np.add.reduceat(upper, self.starts) + np.add.reduceat(terms - upper, self.starts)

    @property
    def first(self) -> Values:
        """The place of the first right answer of each query."""
        return self.places[self.starts]

    @property
    def order(self) -> Values:
        """Of each right answer, how many there are of its query up to there."""
        return np.arange(1.0, self.places.size + 1) - np.repeat(self.starts, self.rights)


_EVALUATE: dict[Kind, Callable[[Places, int], Values]] = {
    "hits": lambda held, k: np.add.reduceat(held.places <= k, held.starts, dtype=np.float64),
    "hit": lambda held, k: (held.first <= k).astype(np.float64),
    "first": lambda held, k: (held.first <= k) / held.first,
    "gain": lambda held, k: held.add((held.places <= k) / np.log2(held.places + 1)),
    "precisions": lambda held, k: held.add((held.places <= k) * held.order / held.places),
}
"""What each kind of metric makes of the right answers up to k, query by query."""


@dataclass(frozen=True, slots=True)
class Family:
    """A metric of queries with several right answers, as PyTorch Geometric's link_pred or trec_eval define it."""

    symbol: str
    title: str
    # Function of :mod:`rankconst.moments.answers`, too: mean and variance of one query.
    kind: Kind
    source: str
    # ``over(right, k)``: what the kind is divided by, if by anything, for the number of right answers and k.
    over: Callable[[int, int], float] | None = None
    needs_k: bool = False
    spellings: tuple[str, ...] = ()

    def evaluate(self, held: Places, k: int) -> Values:
        """Return the metric of each query."""
        values = _EVALUATE[self.kind](held, k)
        if self.over is None:
            return values
        counts = np.bincount(held.rights)
        divisors = np.ones(counts.size)
        for right in np.flatnonzero(counts).tolist():
            divisors[right] = self.over(right, k)
        return values / divisors[held.rights]


@dataclass(frozen=True, slots=True, eq=False)
class AnswersMetric(Metric):
    """A metric with what the best and the worst ranker get on the queries at hand."""

    best: float = 1.0
    least: float = 0.0
    # Of HitRatio@k: for queries that may hit or miss the chances of either, how many they are, and the error that the
    # rounding of the chances brings to the logarithm of a probability.
    chances: tuple[Values, Values, Values, float] = (*np.empty((3, 0)), 0.0)

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
        return type(self), tuple(getattr(self, each.name) for each in fields(self))


def _find_ideal(right: int, k: int) -> float:
    """Return the discounted gain of min(R, k) right answers on top."""
    return math.fsum(1 / np.log2(np.arange(2, min(right, k) + 2)))


_PYG, _TREC = "PyTorch Geometric, metrics/link_pred.py", "trec_eval"

FAMILIES = {
    "recall": Family(
        "Recall@{k}",
        "share of the right answers that are among the first k",
        "hits",
        f"{_PYG}: LinkPredRecall; {_TREC}: recall",
        over=lambda right, _: right,
        needs_k=True,
    ),
    "precision": Family(
        "Precision@{k}",
        "right answers among the first k, over k, however many candidates there are",
        "hits",
        f"{_PYG}: LinkPredPrecision; {_TREC}: P",
        over=lambda _, k: k,
        needs_k=True,
        spellings=("p",),
    ),
    "f1": Family(
        "F1@{k}",
        "twice the right answers among the first k, over k + R",
        "hits",
        f"{_PYG}: LinkPredF1",
        over=lambda right, k: (k + right) / 2,
        needs_k=True,
    ),
    "hit_ratio": Family(
        "HitRatio@{k}",
        "share of queries with a right answer among the first k",
        "hit",
        f"{_PYG}: LinkPredHitRatio; {_TREC}: success; RecBole: hit",
        needs_k=True,
        spellings=("hit", "hits", "success"),
    ),
    "mrr": Family(
        "MRR",
        "mean of 1 over the place of the first right answer, 0 beyond k",
        "first",
        f"{_PYG}: LinkPredMRR; {_TREC}: recip_rank",
        spellings=("mean reciprocal rank", "recip_rank"),
    ),
    "ndcg": Family(
        "nDCG",
        "discounted gain of the right answers among the first k, over that of min(R, k) on top",
        "gain",
        f"{_PYG}: LinkPredNDCG; {_TREC}: ndcg, ndcg_cut",
        over=_find_ideal,
    ),
    "map": Family(
        "MAP",
        "mean over min(R, k) right answers of the precision at their places, 0 beyond k",
        "precisions",
        f"{_PYG}: LinkPredMAP; {_TREC}: map, without a k",
        over=min,
        spellings=("mean average precision",),
    ),
    "map_cut": Family(
        "MAP_cut",
        "mean over all right answers of the precision at their places, 0 beyond k",
        "precisions",
        f"{_TREC}: map_cut",
        over=lambda right, _: right,
        needs_k=True,
    ),
}
"""The metrics by key. Without a k, all places are taken."""

_NAMES = Names("metric of several right answers", {key: row.spellings for key, row in FAMILIES.items()})


def parse_answers_metric(name: str) -> tuple[str, int | None]:
    """Read ``recall@10``, ``ndcg`` or ``map_at_20`` as a key and its k."""
    bare, sign, cut = name.strip().lower().replace("_at_", "@").partition("@")
    key, k = _NAMES.resolve(bare), read_count(cut) if sign else None
    if sign and not k:
        raise UnknownNameError(f"{name!r} needs a k of at least 1: write {key}@10, for example.")
    if FAMILIES[key].needs_k and k is None:
        raise UnknownNameError(f"{key} needs a k: write {key}@10, for example.")
    return key, k
