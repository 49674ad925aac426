"""Metrics of one's own: any f(rank), any power mean, smallest and largest ranks, over every rank
vector.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from carried import open_once
from cases import for_each
from oracles import MP, assert_within, enumerate_distribution, moments_of
from rankconst.catalogue.metrics import parse_metric
from rankconst.doubles import lift_rounding
from rankconst.errors import DataError, UndefinedError, UsageError
from rankconst.moments import compute_mean, compute_moments, compute_power_mean, own
from rankconst.tasks import Histogram, sampled_histogram

TABLES = open_once()

# f of whole ranks; its values are taken as they are in double precision.
FUNCTIONS: dict[str, Callable[[int], Fraction]] = {
    "reciprocal": lambda rank: Fraction(1, rank),
    "cut off": lambda rank: Fraction(rank <= 3, rank),
    "of both signs": lambda rank: Fraction((-1) ** rank * 7 * rank, 3),
    "far from 0": lambda rank: 10**6 + Fraction(1, rank),
    "constant": lambda _: Fraction(1, 3),
}
# Number of candidates, offset and weight of each task.
TASKS: list[list[tuple[int, int, int]]] = [
    [(3, 0, 1)], [(1, 0, 1)], [(2, 0, 1), (5, 0, 1), (5, 0, 1)], [(1, 0, 1), (7, 0, 3), (9, 0, 1)],
    [(2, 3, 1), (4, 0, 1), (1, 6, 1)], [(3, 40, 2), (3, 1, 1), (6, 2, 5)],
]  # fmt: skip


def gather(tasks: Sequence[tuple[int, int, int]]) -> Histogram:
    sizes, offsets, weights = (list(each) for each in zip(*tasks, strict=True))
    plain = set(weights) == {1}
    return Histogram.from_counts(sizes, weights=None if plain else weights, offsets=offsets)


@for_each("name", FUNCTIONS)
@for_each("tasks", TASKS)
def test_means_of_any_function_over_every_rank_vector(
    tasks: list[tuple[int, int, int]], name: str
) -> None:
    def f(rank: int) -> Fraction:
        return Fraction(float(FUNCTIONS[name](rank)))

    distribution = enumerate_distribution(tasks, f)
    moments = compute_mean(np.vectorize(lambda rank: float(f(int(rank)))), gather(tasks))
    assert_within(moments, moments_of(distribution))
    largest = max(1.0, *(abs(float(value)) for value in distribution))
    assert moments.expectation_error <= 1e-13 * largest
    assert moments.variance_error <= 1e-12 * largest**2


def test_weights_and_shared_negatives_count() -> None:
    weighted = TABLES.histogram("nations", aggregation="macro-query")
    shared = sampled_histogram("sampled:20:shared", 50)
    for histogram in (weighted, shared):
        mine = compute_mean(lambda rank: 1 / rank, histogram)
        known = compute_moments(parse_metric("mrr"), histogram)
        expected = known.expectation, known.variance
        assert (mine.expectation, mine.variance) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(UsageError, match="share their negatives"):
        compute_power_mean(2, shared)
    for exponent, name in ((0, "gmr"), (2, "qmr"), (-1, "hmr")):
        known = compute_moments(parse_metric(name), weighted)
        assert compute_power_mean(exponent, weighted) == known


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda rank: 1 / (rank - 2), DataError, r"f\(2\) is inf; expected a number"),
        (math.log, UsageError, r"numpy\.vectorize\(f\) makes one"),
        (lambda _: 1.0, UsageError, r"to an array of shape \(\)"),
        (lambda rank: rank * 1e200, DataError, r"differ by \S+, which cannot be squared. Multiply f"),
        (lambda rank: rank * 1e307, DataError, r"differ by \S+, which cannot be squared. Multiply f"),
        (lambda rank: rank * 1e-200, DataError, r"differ by \S+, which cannot be squared. Multiply f"),
        # Over the ranks that all tasks have it is as at the last one, and nothing.
        (lambda rank: np.where(rank == 4, 1e200, 0.0), DataError, "cannot be squared. Multiply f"),
        (lambda rank: np.where(rank == 4, 1e-200, 0.0), DataError, "cannot be squared. Multiply f"),
        (lambda rank: rank.astype(str) + "st", UsageError, "must map an array of ranks to an array of numbers"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_no_function_of_ranks_is_refused(
    f: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        compute_mean(f, Histogram.from_counts([3, 5]))


def test_functions_of_one_rank_of_large_values_and_of_fractions() -> None:
    alone = compute_mean(lambda rank: np.where(rank == 4, 1.0, 0.0), Histogram.from_counts([3, 5]))
    assert (alone.expectation, alone.variance) == pytest.approx((0.1, 0.04), rel=1e-14)
    large = Histogram.from_counts([5])
    swings = compute_mean(lambda rank: np.where(rank == 5, 0, 1e6 * (-1) ** rank), large)
    assert swings.variance == pytest.approx(0.8e12, rel=1e-14)
    # As many roundings as a sum of squares has terms, and more.
    assert 32 * 2.0**-53 * 0.8e12 < swings.variance_error < 1e-12 * 0.8e12
    # Ranks are floats: whole numbers have no powers below 0.
    for f in (
        lambda rank: rank**-1,
        np.vectorize(lambda rank: Fraction(1, int(rank)), otypes=[object]),
    ):
        found = compute_mean(f, Histogram.from_counts([3]))
        assert found.expectation == pytest.approx(11 / 18, rel=1e-15)


def test_what_rounding_leaves_below_zero_is_within_its_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lifted: list[float] = []

    def lift(variance: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
        lifted.extend(variance[variance < 0].tolist())
        return lift_rounding(variance, error)

    monkeypatch.setattr(own, "lift_rounding", lift)

    def steps(*parts: tuple[int, float]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        return lambda rank: np.select(
            [rank <= end for end, _ in parts], [value for _, value in parts]
        )

    # f is constant on each block. Of the narrow ones, two ranks are alone after many whose sum is
    # large.
    wide = Histogram.from_counts([10, 1000], offsets=[0, 10])
    narrow = Histogram.from_counts([10, 2, 10], offsets=[0, 1000, 2000])
    for value in np.linspace(0.1, 3, 50).tolist():
        one = compute_mean(steps((10, value)), wide)
        other = compute_mean(steps((1000, 1.1), (1002, value)), narrow)
        assert abs(one.expectation - value / 2) <= one.expectation_error
        assert all(0 <= found.variance <= found.variance_error for found in (one, other))
    assert lifted  # the case that is meant
    with pytest.raises(ArithmeticError, match="further below 0 than its error"):
        lift_rounding(np.array([1.0, -2e-16]), np.array([0.0, 1e-16]))


def test_too_many_ranks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UndefinedError, match="at 134,217,729 ranks; at most 134,217,728"):
        compute_mean(np.sqrt, Histogram.from_counts([2**27 + 1]))
    monkeypatch.setattr(own, "_MOST_RANKS", 100)
    with pytest.raises(UndefinedError, match="at 101 ranks; at most 100"):
        compute_mean(np.sqrt, Histogram.from_counts([3, 101]))
    with pytest.raises(UndefinedError, match="any of 102; at most 100"):
        compute_power_mean(math.inf, Histogram.from_counts([103]))
    assert compute_mean(np.sqrt, Histogram.from_counts([3, 100])).expectation > 1
    largest = compute_power_mean(math.inf, Histogram.from_counts([101]))
    assert largest.expectation == pytest.approx(51)


def _power_mean(ranks: Sequence[int], p: float) -> Any:
    if math.isinf(p):
        return MP.mpf(max(ranks) if p > 0 else min(ranks))
    if p == 0:
        return MP.root(MP.mpf(math.prod(ranks)), len(ranks))
    return (MP.fsum(MP.mpf(rank) ** p for rank in ranks) / len(ranks)) ** (1 / MP.mpf(p))


def _average(tasks: Sequence[tuple[int, int, int]], p: float) -> tuple[Any, Any]:
    vectors = itertools.product(*(range(above + 1, above + n + 1) for n, above, _ in tasks))
    distribution: Counter[Any] = Counter()
    for ranks, times in Counter(tuple(sorted(each)) for each in vectors).items():
        distribution[_power_mean(ranks, p)] += times
    return moments_of(distribution)


EXPONENTS = [
    -math.inf, -4, -2.5, -1, -0.5, -0.04, 0, 0.25, 0.5, 0.75, 1, 1.2, 1.8, 2, 3, 4, math.inf,
]  # fmt: skip


@pytest.mark.slow
@for_each("p", EXPONENTS)
@for_each("tasks", [*TASKS[:3], TASKS[4], [(3, 0, 1)] * 8, [(2, 1, 1), (4, 0, 1), (4, 2, 1)]])
def test_power_means_over_every_rank_vector(tasks: list[tuple[int, int, int]], p: float) -> None:
    try:
        moments = compute_power_mean(p, gather(tasks))
    except UndefinedError as error:
        assert "its series converges for many" in str(error)
        assert 0 < p < 2
        assert p != 1
        assert len(tasks) < 8 or p == 1.8
        return
    mean, variance = _average(tasks, p)
    assert_within(moments, (mean, variance), slack=(1e-15 * float(mean), 1e-30))
    assert moments.expectation_error <= 1e-6 * float(mean)
    assert moments.variance_error <= max(1e-4 * float(variance), 1e-28)


@for_each("p", [math.nan, 4.5, -5, 0.1, -0.039, -1e-9])
def test_other_exponents_are_refused(p: float) -> None:
    with pytest.raises(UsageError, match="exponent"):
        compute_power_mean(p, Histogram.from_counts([3, 4]))


def test_errors_of_blocks_and_of_shared_negatives() -> None:
    metric = parse_metric("mrr")
    blocks = compute_moments(metric, Histogram.from_counts([3, 7], offsets=[2, 0]))
    for error in (blocks.expectation_error, blocks.variance_error):
        assert error > 0
        assert (math.frexp(error)[0] * 256).is_integer()
    alone = compute_moments(metric, Histogram.from_counts([5] * 7))
    shared = compute_moments(metric, sampled_histogram("sampled:4:shared", 7))
    # Seven tasks that share four negatives: the variance doubles, and so does what it errs by.
    assert shared.variance == 2 * alone.variance
    ulps = (shared.variance_error - 2 * alone.variance_error) / (2 * 2.0**-53 * alone.variance)
    assert 1 < ulps < 2.5
    said = r"share their negatives; it has those of (?!.*median).*hits_at_k"
    with pytest.raises(UsageError, match=said):
        compute_moments(parse_metric("median"), sampled_histogram("sampled:4:shared", 7))
