"""Metrics of queries with several right answers: a row each, as PyTorch Geometric and trec_eval define them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.names import Names
from rankconst.errors import UnknownNameError
from rankconst.names import read_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Values = NDArray[np.float64]


class Query(NamedTuple):
    """A query: its candidates, how many are right, and the place at which the metric cuts off, N if it does not."""

    size: int
    right: int
    k: int


@dataclass(frozen=True, slots=True)
class Family:
    """A metric of queries with several right answers, as PyTorch Geometric's link_pred or trec_eval define it."""

    symbol: str
    title: str
    # ``evaluate(places, query, k)``: the metric of one query, of the places of its right answers, ascending.
    evaluate: Callable[[Values, Query, int], float]
    # Function of :mod:`rankconst.moments.answers`: mean and variance of one query.
    law: str
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
        "recall",
        f"{_PYG}: LinkPredRecall; {_TREC}: recall",
        needs_k=True,
    ),
    "precision": Family(
        "Precision@{k}",
        "right answers among the first k, over k, however many candidates there are",
        lambda places, query, k: _count(places, query) / k,
        "precision",
        f"{_PYG}: LinkPredPrecision; {_TREC}: P",
        needs_k=True,
        spellings=("p",),
    ),
    "f1": Family(
        "F1@{k}",
        "twice the right answers among the first k, over k + R",
        lambda places, query, k: 2 * _count(places, query) / (k + query.right),
        "f1",
        f"{_PYG}: LinkPredF1",
        needs_k=True,
    ),
    "hit_ratio": Family(
        "HitRatio@{k}",
        "share of queries with a right answer among the first k",
        lambda places, query, _: float(_count(places, query) > 0),
        "hit_ratio",
        f"{_PYG}: LinkPredHitRatio; {_TREC}: success; RecBole: hit",
        needs_k=True,
        spellings=("hit", "hits", "success"),
    ),
    "mrr": Family(
        "MRR",
        "mean of 1 over the place of the first right answer, 0 beyond k",
        lambda places, query, _: 1 / float(places[0]) if places[0] <= query.k else 0.0,
        "reciprocal",
        f"{_PYG}: LinkPredMRR; {_TREC}: recip_rank",
        spellings=("mean reciprocal rank", "recip_rank"),
    ),
    "ndcg": Family(
        "nDCG",
        "discounted gain of the right answers among the first k, over that of min(R, k) on top",
        _gain,
        "gain",
        f"{_PYG}: LinkPredNDCG; {_TREC}: ndcg, ndcg_cut",
    ),
    "map": Family(
        "MAP",
        "mean over min(R, k) right answers of the precision at their places, 0 beyond k",
        lambda places, query, k: _precisions(places, query) / min(query.right, k),
        "average_precision_cut",
        f"{_PYG}: LinkPredMAP; {_TREC}: map, without a k",
        spellings=("mean average precision",),
    ),
    "map_cut": Family(
        "MAP_cut",
        "mean over all right answers of the precision at their places, 0 beyond k",
        lambda places, query, _: _precisions(places, query) / query.right,
        "average_precision",
        f"{_TREC}: map_cut",
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
