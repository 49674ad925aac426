"""Bound one metric of a set of ranks by another. Every bound is attained by some ranks.

A bound depends on shares and means, not on the ranks themselves. So it also holds for macro
averages, for the mean over several runs, and for the mean of two sides.

Ranks lie on a grid 1, 1 + step, 1 + 2 step, ...: step is 1 if ranks are whole, and 1/2 if a tie
gets the mean of the best and the worst rank that it could have.

:func:`find_contradictions` compares the numbers of millions of evaluations with each other, by the
rules of :mod:`rankconst.checks.laws` that need no ranking tasks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.names import join_words
from rankconst.values.published import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram

    Values = NDArray[np.float64]
    Places = NDArray[np.intp]
    Flags = NDArray[np.bool_]

NOT_A_NUMBER = (
    "no ranks give {}: scores that are not numbers (NaN) were ranked, "
    "as when training diverges, so nothing of this evaluation is adjusted."
)
"""The reason for leaving out the numbers of an evaluation, found by :func:`tells_no_scores`."""

PERFECT = (
    "an MRR of exactly 1: a perfect model, "
    "or scores that are not numbers (NaN), which OGB, TGB, TorchKGE and OpenKE rank first."
)
"""The note on an MRR for which every rank has to be the first."""


def tells_no_scores(metric: Metric, values: Any) -> Any:
    """Flag values that come from ranks of 0 or 1/2: MR 0 and 0.5, MRR 2 and infinity.

    Tools give these impossible ranks to scores that are not numbers.
    """
    if metric.scale == "rank":
        return (values == 0) | (values == 0.5)
    if metric.is_share and metric.inverse is not None:  # as MRR: 1 over a mean of ranks
        return (values == 2) | np.isinf(values)
    return np.zeros(np.shape(values), dtype=np.bool_)


def is_infinite(text: str) -> bool:
    """Return True if a number is written as infinity."""
    return text.strip().lstrip("+").lower() in {"inf", "infinity"}


def exceeds(number: float, limit: float) -> bool:
    """Return True if a number exceeds a limit by more than a few rounding errors."""
    return number > limit + 1e-9 * max(abs(number), abs(limit))


class Bounds(NamedTuple):
    """Bounds of the means of ranks with some shares of hits."""

    reciprocal: Interval
    rank: Interval


def bound_by_hits(
    ks: ArrayLike, lower: ArrayLike, upper: ArrayLike, step: float, most: float = math.inf
) -> Bounds:
    """Bound MRR and MR by shares of hits, the intervals of Hits@k for ascending ks.

    With k_0 = 0 and H_0 = 0, a share H_j - H_(j-1) of the ranks lies in (k_(j-1), k_j], and 1 - H_m
    beyond k_m. MRR is smallest if each share is at the last rank of its range, and largest if it is
    at the first; for MR it is the other way round. `most` is the largest number of candidates.
    Shares have shape (m, ...), with NaN for unknown ones, and bounds have shape (...).
    """
    return Bounds(
        bound_reciprocal_rank(ks, lower, upper, step, most),
        bound_mean_rank(ks, lower, upper, step, most),
    )


def bound_reciprocal_rank(
    ks: ArrayLike, lower: ArrayLike, upper: ArrayLike, step: float, most: float = math.inf
) -> Interval:
    """Bound MRR as :func:`bound_by_hits` does."""
    firsts, lasts = _list_ends(ks, step, most)
    least, largest = _accumulate(lower, upper)
    return Interval(_weigh(least, 1 / lasts), _weigh(largest, 1 / firsts))


def bound_mean_rank(
    ks: ArrayLike, lower: ArrayLike, upper: ArrayLike, step: float, most: float = math.inf
) -> Interval:
    """Bound MR as :func:`bound_by_hits` does."""
    firsts, lasts = _list_ends(ks, step, most)
    least, largest = _accumulate(lower, upper)
    return Interval(_weigh(largest, firsts), _weigh(least, lasts))


def _list_ends(ks: ArrayLike, step: float, most: float) -> tuple[Values, Values]:
    """Return the first and the last rank of each range between ks."""
    ks = np.asarray(ks, dtype=np.float64)
    firsts = np.append(1.0, np.minimum(ks + step, most))
    return firsts, np.append(np.minimum(ks, most), most)


def _accumulate(lower: ArrayLike, upper: ArrayLike) -> tuple[Values, Values]:
    """Return the smallest and the largest share of ranks up to 0, each k, and the last rank.

    Shares have shape (m, ...), the results (m + 2, ...). An unknown share, NaN, is bounded by those
    at smaller and at larger k: 0.2, NaN and 0.5 give at least 0, 0.2, 0.2, 0.5, 1 and at most 0,
    0.2, 0.5, 0.5, 1.
    """
    least, largest = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    none = np.zeros((1, *least.shape[1:]))
    least = np.concatenate([none, least, none + 1])
    largest = np.concatenate([none, largest, none + 1])
    for j in range(1, len(least)):
        np.fmax(least[j - 1], least[j], out=least[j, ...])

    for j in range(len(largest) - 1, 0, -1):
        np.fmin(largest[j - 1], largest[j], out=largest[j - 1, ...])

    return least, largest


def _weigh(shares: Values, values: Values) -> Any:
    """Return the mean of values, given the share of ranks up to each of them.

    Shares have shape (m + 1, ...) and begin with 0, values shape (m,): shares 0, 0.2 and 1 of the
    values 1 and 3 give 0.2 * 1 + 0.8 * 3 = 2.6.
    """
    weights = np.diff(shares, axis=0)
    values = np.expand_dims(values, tuple(range(1, shares.ndim)))
    if np.isfinite(values).all():
        return (weights * values).sum(axis=0)
    # An infinite value without weight adds nothing: 0 * inf would be NaN.
    parts = np.multiply(weights, values, out=np.zeros_like(weights), where=weights > 0)
    return parts.sum(axis=0)


def least_mean_rank(reciprocal: Any, step: float) -> Any:
    """Return the smallest MR that an MRR allows.

    (MRR, MR) is a mean of points (1/r, r), so that it lies in their convex hull. As r = 1/x is
    convex, the lower boundary joins neighbours on the grid. Between r and r + step it is MR = 2 r +
    step - r (r + step) MRR, which is above the curve 1/MRR of the inequality of arithmetic and
    harmonic means. An unknown MRR, NaN, allows any MR.

    >>> float(least_mean_rank(0.75, step=1))
    1.5
    """
    shares = np.where(reciprocal > 0, np.minimum(reciprocal, 1), 1)
    # The last point of the grid at or before 1/MRR.
    ranks = 1 + step * np.floor((1 / shares - 1) / step)
    return 2 * ranks + step - ranks * (ranks + step) * shares


def largest_reciprocal(mean_rank: float, histogram: Histogram) -> float:
    """Return a bound on the MRR of ranks with some mean, given the numbers of candidates.

    A rank r of 1..N obeys 1/r <= 1 - (r - 1)/N, with equality at both ends. The ranks of n tasks
    exceed 1 by n (MR - 1) in all. Each step costs 1/N of reciprocal rank, so that tasks with many
    candidates take them first.

    >>> from rankconst.tasks import Histogram
    >>> largest_reciprocal(2.0, Histogram.from_counts([10, 10, 4]))
    0.9
    """
    sizes = histogram.num_candidates[::-1].astype(np.float64)
    tasks = histogram.row_weights[::-1]
    total = float(tasks.sum())
    # By how much the ranks can exceed 1 in sum: for tasks of each size, and for all larger sizes.
    room = tasks * (sizes - 1)
    before = np.cumsum(room) - room
    beyond_first = np.clip(total * (mean_rank - 1) - before, 0.0, room)
    return 1 - math.fsum((beyond_first / sizes).tolist()) / total


def holds_multiple(interval: Interval, unit: float) -> bool:
    """Return True if an interval holds a multiple of `unit`, except for rounding errors."""
    lower, upper = (end / unit for end in interval)
    slack = 1e-9 * max(abs(lower), abs(upper), 1.0)
    return math.floor(upper + slack) >= lower - slack


# Contradictions between numbers of the same evaluation.

_MRR, _MR = parse_metric("mrr"), parse_metric("mr")

# The rounding error of sums of shares.
_NOISE = 1e-8
# Where scores tie, ranks are half a rank apart.
_STEP = 0.5
_BLOCK = 2**13  # evaluations


class Results(NamedTuple):
    """Numbers of one metric, known up to their rounding; arrays of one shape."""

    metric: Metric
    evaluation: Places  # the evaluation of each, by its index
    lower: Values
    upper: Values
    numbers: Places  # the index of each number in its file


class _Ends(NamedTuple):
    """The ends of numbers, by evaluation."""

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
    """Return True if other metrics of the same ranks bound a metric."""
    return metric.hits_k is not None or metric in {_MRR, _MR}


def find_contradictions(results: Sequence[Results], show: Callable[[int], str]) -> dict[int, str]:
    """Return the reasons why numbers contradict each other, by their indices in the file.

    As it is unknown which number of an evaluation is wrong, each of them gets the reason: {4: "MRR
    0.4 is too small for Hits@1 0.5 ...", 5: the same}. `show` returns the text of a number by its
    index.
    """
    metrics = {result.metric for result in results}
    if len(metrics) < 2:
        return {}

    # Reasons name hits by k first, then MRR and MR.
    hits = sorted(metrics - {_MRR, _MR}, key=lambda metric: metric.hits_k or 0)
    order = [*hits, _MRR, _MR]
    results = sorted(results, key=lambda result: order.index(result.metric))

    # A table with a row for each evaluation.
    rows, num_rows = _number_rows([result.evaluation for result in results])
    ends, is_repeated = _lay_out(results, rows, num_rows)
    is_contradictory = _find_breaches(hits, ends, num_rows) & ~is_repeated
    reasons: dict[int, str] = {}
    for numbers in _gather_numbers(results, rows, is_contradictory, show):
        reason = _explain([*numbers.values()])
        reasons |= dict.fromkeys(numbers, reason)

    return reasons


def _find_breaches(hits: Sequence[Metric], ends: Mapping[Metric, _Ends], num_rows: int) -> Flags:
    """Flag the rows that break any rule, a block of rows at a time, so that memory stays bounded.

    `ends` has both ends of each metric, shape (rows,), and `hits` are the Hits@k among them.
    """
    is_broken = np.zeros(num_rows, dtype=np.bool_)
    for start in range(0, num_rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        ends_of_block = {}
        for metric, (lower, upper) in ends.items():
            ends_of_block[metric] = _Ends(lower[block], upper[block])

        breaches = _apply_rules(hits, ends_of_block)
        is_broken[block] = np.any([breach.is_broken for breach in breaches], axis=0)

    return is_broken


def _gather_numbers(
    results: Sequence[Results],
    rows: Sequence[Places],
    is_contradictory: Flags,
    show: Callable[[int], str],
) -> Iterable[dict[int, _Number]]:
    """Return the numbers of each contradictory evaluation, by their indices in the file.

    `rows` has the rows of each of the results, and `is_contradictory` flags rows.
    """
    numbers_by_row: dict[int, dict[int, _Number]] = {}
    for result, rows_of_result in zip(results, rows, strict=True):
        for position in np.flatnonzero(is_contradictory[rows_of_result]).tolist():
            index = int(result.numbers[position])
            number = _Number(
                metric=result.metric,
                lower=result.lower[position],
                upper=result.upper[position],
                text=show(index),
            )
            numbers_by_row.setdefault(int(rows_of_result[position]), {})[index] = number

    return numbers_by_row.values()


def _number_rows(evaluations: Sequence[Places]) -> tuple[list[Places], int]:
    """Return a row number for each evaluation, metric by metric, and the number of rows."""
    first = evaluations[0]
    is_alike = all(other is first or np.array_equal(first, other) for other in evaluations)
    if is_alike and (np.diff(first) > 0).all():  # each row of a table has all metrics
        return [np.arange(first.size)] * len(evaluations), first.size
    distinct, rows = np.unique(np.concatenate(evaluations), return_inverse=True)
    stops = np.cumsum([indices.size for indices in evaluations])
    return np.split(rows, stops[:-1]), distinct.size


def _lay_out(
    results: Sequence[Results], rows: Sequence[Places], size: int
) -> tuple[dict[Metric, _Ends], Flags]:
    """Arrange results in a table: a row for each evaluation, a column for each metric.

    `rows` has the rows of each of the results, and `size` is their number. Returns the lower and
    upper ends of each metric by row, NaN in a row without it, and flags of the rows where a metric
    has two results.
    """
    metrics = {result.metric for result in results}
    if len(metrics) == len(rows) and all(rows_of_result is rows[0] for rows_of_result in rows):
        # Each row has each metric once: nothing needs to be moved.
        ends = {result.metric: _Ends(result.lower, result.upper) for result in results}
        return ends, np.zeros(size, dtype=np.bool_)

    ends = {metric: _Ends(*np.full((2, size), np.nan)) for metric in metrics}
    num_results = {metric: np.zeros(size, dtype=np.intp) for metric in metrics}
    for result, rows_of_result in zip(results, rows, strict=True):
        lower, upper = ends[result.metric]
        lower[rows_of_result] = result.lower
        upper[rows_of_result] = result.upper
        num_results[result.metric] += np.bincount(rows_of_result, minlength=size)

    is_repeated = np.zeros(size, dtype=np.bool_)
    for numbers in num_results.values():
        is_repeated |= numbers > 1

    return ends, is_repeated


_LESS = "less than"


class _Breach(NamedTuple):
    """A rule, with a flag for each evaluation that breaks it."""

    metric: Metric
    relation: str  # of its number to those of the other metrics, such as "too small for"
    others: Sequence[Metric]
    is_broken: Flags


def _apply_rules(hits: Sequence[Metric], ends: Mapping[Metric, _Ends]) -> Iterator[_Breach]:
    """Apply the rules to some evaluations, given both ends of each metric, shape (evaluations,).

    `hits` are the Hits@k among them, by ascending k. Missing numbers are NaN, which breaks no rule.
    """
    size = next(iter(ends.values())).lower.size
    surest = np.full(size, -np.inf)  # the largest lower end of the hits so far
    for index, metric in enumerate(hits):
        yield _Breach(metric, _LESS, hits[:index], ends[metric].upper + _NOISE < surest)
        surest = np.fmax(surest, ends[metric].lower)  # fmax ignores NaN

    ks = [metric.hits_k or 0 for metric in hits]
    # Ends of the shares of hits, shape (ks, evaluations).
    lower = np.array([ends[metric].lower for metric in hits]).reshape(-1, size)
    upper = np.array([ends[metric].upper for metric in hits]).reshape(-1, size)
    mrr, mr = ends.get(_MRR), ends.get(_MR)
    if mrr is not None:
        bound = bound_reciprocal_rank(ks, lower, upper, _STEP)
        yield _Breach(_MRR, "too small for", hits, mrr.upper + _NOISE < bound.lower)
        yield _Breach(_MRR, "too large for", hits, mrr.lower - _NOISE > bound.upper)

    if mr is not None:
        largest_mr = mr.upper * (1 + _NOISE)
        if mrr is not None:
            is_small = largest_mr < least_mean_rank(mrr.upper, _STEP)
            yield _Breach(_MR, "too small for", [_MRR], is_small)
        is_small = largest_mr < bound_mean_rank(ks, lower, upper, _STEP).lower
        yield _Breach(_MR, "too small for", hits, is_small)


def _explain(numbers: Sequence[_Number]) -> str:
    """Return the reason why the numbers of an evaluation contradict each other.

    It begins like "MRR 0.4 is too small for Hits@1 0.5 of the same evaluation".
    """
    number_of = {number.metric: number for number in numbers}
    hits = [metric for metric in number_of if metric.hits_k is not None]
    ends = {}
    for metric, number in number_of.items():
        ends[metric] = _Ends(np.array([number.lower]), np.array([number.upper]))

    first_breach = next(breach for breach in _apply_rules(hits, ends) if breach.is_broken[0])
    others = [number_of[metric] for metric in first_breach.others]
    if first_breach.relation == _LESS:  # the largest of the hits before is enough
        others = [max(others, key=lambda other: other.lower)]

    listed = join_words([str(other) for other in others])
    return (
        f"{number_of[first_breach.metric]} is {first_breach.relation} {listed} of the same "
        "evaluation, which no ranks allow: one of them is a slip, or of another evaluation."
    )
