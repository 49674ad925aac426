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

    from rankconst.doubles import Values

Kind = Literal["hits", "hit", "first", "gain", "precisions"]

_EVALUATE: dict[Kind, Callable[[Values], float]] = {
    "hits": lambda found: float(found.size),
    "hit": lambda found: float(found.size > 0),
    "first": lambda found: 1 / float(found[0]) if found.size else 0.0,
    "gain": lambda found: math.fsum(1 / np.log2(found + 1)),
    "precisions": lambda found: math.fsum(np.arange(1, found.size + 1) / found),
}
"""What each kind of metric makes of the places of the right answers up to k, ascending."""


@dataclass(frozen=True, slots=True)
class Family:
    """A metric of queries with several right answers, as PyTorch Geometric's link_pred or trec_eval define it."""

    symbol: str
    title: str
    # Function of :mod:`rankconst.moments.answers`, too: mean and variance of one query.
    kind: Kind
    source: str
    # ``over(right, k)``: what the kind is divided by, for the number of right answers and k.
    over: Callable[[int, int], float] = lambda *_: 1
    needs_k: bool = False
    spellings: tuple[str, ...] = ()

    def evaluate(self, places: Values, k: int) -> float:
        """Return the metric of one query, of the places of its right answers, ascending."""
        return _EVALUATE[self.kind](places[places <= k]) / self.over(places.size, k)


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
