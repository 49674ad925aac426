"""Numbers of the same evaluation that no ranks have together: Hits@k, MRR and MR.

The rules are those of :mod:`rankconst.checks.laws` that need no ranking tasks, for millions of
evaluations at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.names import join_words
from rankconst.values.bounds import (
    bound_mean_rank,
    bound_reciprocal_rank,
    least_mean_rank,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric

    Values = NDArray[np.float64]
    Places = NDArray[np.intp]
    Flags = NDArray[np.bool_]

_MRR, _MR = parse_metric("mrr"), parse_metric("mr")

# How much sums of shares may lose to rounding.
_NOISE = 1e-8
# Where scores tie, ranks are half a rank apart.
_STEP = 0.5
_BLOCK = 2**13  # evaluations


class Results(NamedTuple):
    """Numbers of one metric, known up to their rounding; arrays of one shape."""

    metric: Metric
    evaluation: Places  # the number of the evaluation that each is of
    lower: Values
    upper: Values
    numbers: Places  # which number each is


class _Ends(NamedTuple):
    """What numbers are between, by evaluation."""

    lower: Values
    upper: Values


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
    metrics = {each.metric for each in results}
    if len(metrics) < 2:
        return {}
    hits = sorted(metrics - {_MRR, _MR}, key=lambda metric: metric.hits_k or 0)
    order = {metric: place for place, metric in enumerate([*hits, _MRR, _MR])}
    results = sorted(results, key=lambda each: order[each.metric])
    rows, size = _number_rows([each.evaluation for each in results])
    ends, is_repeated = _lay_out(results, rows, size)
    is_wrong = np.zeros(size, dtype=np.bool_)
    for start in range(0, size, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = {metric: _Ends(own.lower[part], own.upper[part]) for metric, own in ends.items()}
        is_wrong[part] = _find_wrong(hits, block)
    is_wrong &= ~is_repeated
    members: dict[int, list[tuple[int, _Number]]] = {}
    for each, own in zip(results, rows, strict=True):
        for at in np.flatnonzero(is_wrong[own]).tolist():
            index = int(each.numbers[at])
            number = _Number(each.metric, each.lower[at], each.upper[at], show(index))
            members.setdefault(int(own[at]), []).append((index, number))
    found: dict[int, str] = {}
    for listed in members.values():
        reason = _explain([number for _, number in listed])
        found |= dict.fromkeys((index for index, _ in listed), reason)
    return found


def _number_rows(evaluations: Sequence[Places]) -> tuple[list[Places], int]:
    """Return a row from 0 on for each evaluation, and how many there are."""
    first = evaluations[0]
    is_alike = all(own is first or np.array_equal(first, own) for own in evaluations)
    if is_alike and (np.diff(first) > 0).all():  # each row of a table has all metrics
        return [np.arange(first.size)] * len(evaluations), first.size
    distinct, rows = np.unique(np.concatenate(evaluations), return_inverse=True)
    stops = np.cumsum([own.size for own in evaluations])
    return np.split(rows, stops[:-1]), distinct.size


def _lay_out(
    results: Sequence[Results], rows: Sequence[Places], size: int
) -> tuple[dict[Metric, _Ends], Flags]:
    """Return the ends of each metric by row, NaN where it has none, and which rows to leave out.

    A metric that is there twice is of two evaluations.
    """
    if all(own is rows[0] for own in rows) and len({each.metric for each in results}) == len(rows):
        ends = {each.metric: _Ends(each.lower, each.upper) for each in results}
        return ends, np.zeros(size, dtype=np.bool_)
    ends = {each.metric: _Ends(*np.full((2, size), np.nan)) for each in results}
    counts = {metric: np.zeros(size, dtype=np.intp) for metric in ends}
    for each, own in zip(results, rows, strict=True):
        ends[each.metric].lower[own], ends[each.metric].upper[own] = each.lower, each.upper
        counts[each.metric] += np.bincount(own, minlength=size)
    is_repeated: Flags = np.any([count > 1 for count in counts.values()], axis=0)
    return ends, is_repeated


def _find_wrong(hits: Sequence[Metric], ends: Mapping[Metric, _Ends]) -> Flags:
    """Tell which evaluations have numbers that contradict each other."""
    ks = [metric.hits_k or 0 for metric in hits]
    size = next(iter(ends.values())).lower.size
    least = np.array([ends[metric].lower for metric in hits]).reshape(-1, size)
    most = np.array([ends[metric].upper for metric in hits]).reshape(-1, size)
    is_wrong = np.zeros(size, dtype=np.bool_)
    largest = np.full(size, np.nan)  # of the hits so far
    for lower, upper in zip(least, most, strict=True):
        np.fmax(largest, lower, out=largest)
        is_wrong |= upper + _NOISE < largest
    reciprocal, rank = ends.get(_MRR), ends.get(_MR)
    if reciprocal is not None:
        bound = bound_reciprocal_rank(ks, least, most, _STEP)
        is_wrong |= reciprocal.upper + _NOISE < bound.lower
        is_wrong |= reciprocal.lower - _NOISE > bound.upper
    if rank is not None:
        least_rank = bound_mean_rank(ks, least, most, _STEP).lower
        if reciprocal is not None:
            least_rank = np.maximum(least_rank, least_mean_rank(reciprocal.upper, _STEP))
        is_wrong |= rank.upper * (1 + _NOISE) < least_rank
    return is_wrong


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
        bound = bound_reciprocal_rank(ks, *shares, _STEP)
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
