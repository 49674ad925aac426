"""Pieces of evidence beside the constants of every set of tasks: which agree, and which sets agree best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.results.numbers import NOISE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankconst.evidence import Evidence, Piece
    from rankconst.tasksets import TaskSets

__all__ = ["agrees", "bound_constant", "find_best", "weigh"]


def bound_constant(piece: Piece, candidates: TaskSets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return between which numbers the constant lies that a piece speaks of, in each set."""
    if piece.metric is None:
        return candidates.num_tasks.astype(np.float64), candidates.num_tasks.astype(np.float64)
    if piece.kind == "expectation":
        return candidates.find(piece.metric)
    deviation = candidates.deviation(piece.metric)
    return deviation, deviation


def agrees(piece: Piece, lower: Any, upper: Any) -> Any:
    """Tell whether something between two numbers may be what a piece says; NaN is not."""
    slack = NOISE if piece.metric is not None else 0.0
    with np.errstate(invalid="ignore"):
        return (upper * (1 + slack) >= piece.interval.lower) & (lower * (1 - slack) <= piece.interval.upper)


def weigh(evidence: Evidence) -> NDArray[np.float64]:
    """Return what each piece counts in deciding whether a set fits: doubtful ones nothing, unless all are."""
    weights = np.array([0.0 if piece.doubtful else 1.0 for piece in evidence.pieces])
    return weights if weights.any() else np.ones(len(weights))


def find_best(evidence: Evidence, agreement: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the sets with which most agrees: sound pieces first, then the number of tasks, then all pieces."""
    counts = np.array([piece.metric is None for piece in evidence.pieces])
    scores = np.stack([weigh(evidence) @ agreement, counts @ agreement, agreement.sum(axis=0)])
    best = np.ones(agreement.shape[1], dtype=bool)
    for score in scores:
        best &= score == score[best].max(initial=0)
    return best & agreement.any(axis=0)
