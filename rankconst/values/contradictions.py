"""Numbers of the same evaluation that no ranks have together: Hits@k, MRR and MR.

The rules are those of :mod:`rankconst.checks.laws` that need no ranking tasks, for millions of
evaluations at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.names import join_words
from rankconst.values.bounds import bound_by_hits, least_mean_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric

    Values = NDArray[np.float64]
    Places = NDArray[np.intp]

_MRR, _MR = parse_metric("mrr"), parse_metric("mr")

# How much sums of shares may lose to rounding.
_NOISE = 1e-8
# Where scores tie, ranks are half a rank apart.
_STEP = 0.5
_BLOCK = 1024  # evaluations


class Results(NamedTuple):
    """Numbers of one metric, known up to their rounding; arrays of one shape."""

    metric: Metric
    evaluation: Places  # the number of the evaluation that each is of
    lower: Values
    upper: Values
    numbers: Places  # which number each is


class _Number(NamedTuple):
    """One number of an evaluation."""

    metric: Metric
    lower: float
    upper: float
    text: str

    def __str__(self) -> str:
        return f"{self.metric.label} {self.text}"


def is_bounded(metric: Metric) -> bool:
    """Tell whether other metrics of the same ranks bound a metric."""
    return metric.hits_k is not None or metric in {_MRR, _MR}


def find_contradictions(results: Sequence[Results], show: Callable[[int], str]) -> dict[int, str]:
    """Return the numbers that no ranks have together, by their index, with reasons.

    Which one of an evaluation is wrong is not known: all of them are returned. `show` returns a
    number as it is written, by its index.
    """
    given = {each.metric for each in results}
    if len(given) < 2:
        return {}
    hits = sorted(given - {_MRR, _MR}, key=lambda metric: metric.hits_k or 0)
    metrics = [*hits, _MRR, _MR]
    sizes = [each.numbers.size for each in results]
    column = np.repeat([metrics.index(each.metric) for each in results], sizes)
    evaluation, lower, upper, index = (
        np.concatenate(parts) for parts in list(zip(*results, strict=True))[1:]
    )
    order = np.lexsort((column, evaluation))
    starts = np.flatnonzero(np.append(True, np.diff(evaluation[order]) != 0))
    found: dict[int, str] = {}
    for own in np.split(order, starts[_BLOCK::_BLOCK]):
        rows = np.unique(evaluation[own], return_inverse=True)[1]
        wrong = _find_wrong(metrics, rows, column[own], lower[own], upper[own])
        for row in wrong.tolist():
            members = own[rows == row]
            numbers = [
                _Number(metrics[column[at]], lower[at], upper[at], show(int(index[at])))
                for at in members
            ]
            found |= dict.fromkeys(index[members].tolist(), _explain(numbers))
    return found


def _find_wrong(
    metrics: Sequence[Metric], rows: Places, column: Places, lower: Values, upper: Values
) -> Places:
    """Return the rows, one an evaluation, whose numbers contradict each other."""
    means = [len(metrics) - 2, len(metrics) - 1]
    used, place = np.unique(np.append(column, means), return_inverse=True)
    place = place[:-2]
    least, most = np.full((2, rows.max() + 1, used.size), np.nan)
    least[rows, place], most[rows, place] = lower, upper
    ks = np.array([metrics[at].hits_k for at in used[:-2]], dtype=np.float64)
    hits_least, hits_most = least[:, :-2], most[:, :-2]
    falls = hits_most + _NOISE < np.fmax.accumulate(hits_least, axis=1)
    bounds = bound_by_hits(ks, hits_least, hits_most, _STEP)
    too_small = most[:, -2] + _NOISE < bounds.reciprocal.lower
    too_large = least[:, -2] - _NOISE > bounds.reciprocal.upper
    least_rank = np.maximum(bounds.rank.lower, least_mean_rank(most[:, -2], _STEP))
    too_low = most[:, -1] * (1 + _NOISE) < least_rank
    wrong = falls.any(axis=1) | too_small | too_large | too_low
    # A metric that is there twice is of two evaluations.
    repeats = (np.diff(rows) == 0) & (np.diff(column) == 0)
    wrong[rows[1:][repeats]] = False
    return np.flatnonzero(wrong)


def _explain(numbers: Sequence[_Number]) -> str:
    """Say which number contradicts which others: hits by k first, then MRR and MR."""
    hits = [each for each in numbers if each.metric.hits_k is not None]
    for place, each in enumerate(hits[1:], start=1):
        largest = max(hits[:place], key=lambda other: other.lower)
        if each.upper + _NOISE < largest.lower:
            return _write_reason(each, "less than", [largest])
    means = {each.metric: each for each in numbers[len(hits) :]}
    reciprocal, rank = means.get(_MRR), means.get(_MR)
    if reciprocal is not None:
        ks = [each.metric.hits_k or 0 for each in hits]
        shares = [each.lower for each in hits], [each.upper for each in hits]
        bound = bound_by_hits(ks, *shares, _STEP).reciprocal
        if reciprocal.upper + _NOISE < bound.lower:
            return _write_reason(reciprocal, "too small for", hits)
        if reciprocal.lower - _NOISE > bound.upper:
            return _write_reason(reciprocal, "too large for", hits)
        least = least_mean_rank(reciprocal.upper, _STEP)
        if rank is not None and rank.upper * (1 + _NOISE) < least:
            return _write_reason(rank, "too small for", [reciprocal])
    return _write_reason(means[_MR], "too small for", hits)


def _write_reason(number: _Number, relation: str, others: Sequence[_Number]) -> str:
    return (
        f"{number} is {relation} {join_words([*map(str, others)])} of the same evaluation, which "
        "no ranks allow: one of them is a slip, or of another evaluation."
    )
