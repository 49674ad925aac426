"""The standard deviation of the ranks: joint distributions, two routes against each other, extremes."""

import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose
from oracles import MP, check_numerical, histogram_of, moments_of
from rankconst.moments import deviation as module
from rankconst.moments.deviation import rank_variance, standard_deviation
from rankconst.tasks import Histogram

BILLION = 10**9


# Exact joint distributions of the sum of the ranks and of their squares.


def scatter_distribution(
    counts: Sequence[int], offsets: Sequence[int] | None = None
) -> Counter[int]:
    """Return how many rank vectors have which n sum r^2 - (sum r)^2, which is n^2 V."""
    states = Counter({(0, 0): 1})
    for count, offset in zip(counts, offsets or [0] * len(counts), strict=True):
        following: Counter[tuple[int, int]] = Counter()
        for (first, second), times in states.items():
            for rank in range(offset + 1, offset + count + 1):
                following[first + rank, second + rank * rank] += times
        states = following
    distribution: Counter[int] = Counter()
    for (first, second), times in states.items():
        distribution[len(counts) * second - first * first] += times
    return distribution


def moments_by_distribution(counts: Sequence[int]) -> tuple[Any, Any]:
    distribution = scatter_distribution(counts)
    return moments_of(
        {MP.sqrt(outcome) / len(counts): times for outcome, times in distribution.items()}
    )


COUNTS: dict[str, list[tuple[int, ...]]] = {
    "pairs": [(1, 2), (8, 9), (3, 200), (60, 61)],
    "triples": [(1, 1, 2), (8, 9, 10), (21, 22, 23), (1, 2, 60)],
    "a few": [(2, 2, 2, 2), (25, 26, 3, 1), (7,) * 5, (1, 1, 1, 12, 12), (2, 2, 30, 30)],
    "some": [(5,) * 12, (4,) * 25, (2, 3, 4) * 10, (7,) * 10, (3,) * 8 + (20, 20)],
    "many": [(2,) * 100, (2,) * 400, (3,) * 60, (1,) * 50 + (2,) * 90],
    "one stands out": [(2,) * 30 + (60,), (1,) * 1000 + (20,), (1,) * 10_000 + (2,), (2,) * 20 + (30, 31)],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_moments_equal_joint_distributions_within_the_stated_error(name: str) -> None:
    for counts in COUNTS[name]:
        found = standard_deviation(Histogram.from_counts(counts))
        check_numerical(found, moments_by_distribution(counts), (1e-14, 1e-12))


@pytest.mark.parametrize(
    ("counts", "offsets"),
    [
        *(((3, 5), None), ((6,) * 4, None), ((2,) * 40 + (30,), None)),
        *(((3, 5, 4, 7), (0, 10**6, 3, 10**6)), ((3, 5, 4), (0, 10**4, 10)), ((31, 28), (9, 0))),
    ],
    ids=str,
)
def test_central_moments_are_within_their_errors(
    counts: tuple[int, ...], offsets: tuple[int, ...] | None
) -> None:
    distribution = scatter_distribution(counts, offsets)
    mean, _ = moments_of({Fraction(value): times for value, times in distribution.items()})
    for order, moment in enumerate(
        central_moments(Histogram.from_counts(counts, offsets=offsets))[1]
    ):
        powers = (
            times * Fraction(value / mean - 1) ** order for value, times in distribution.items()
        )
        exact = sum(powers, Fraction(0)) / distribution.total()
        assert abs(Fraction(moment.value) - exact) <= Fraction(moment.error)


def central_moments(histogram: Histogram) -> tuple[Any, Any]:
    square = rank_variance(histogram)
    ranks = module._Ranks.from_histogram(histogram, square.expectation)
    return ranks, module._central_moments(ranks, square.variance / square.expectation**2)


# The two routes against each other.


def by_both_routes(histogram: Histogram) -> tuple[Any, Any]:
    ranks, central = central_moments(histogram)
    return module._estimate_gap_by_series(central), module._estimate_gap_by_transform(
        ranks, central
    )


@pytest.mark.slow
@given(
    counts=st.dictionaries(
        st.integers(1, 40) | st.integers(1, 10**6) | st.integers(1, BILLION),
        st.integers(1, 3) | st.integers(1, 300) | st.integers(1, 10**6),
        min_size=2,
        max_size=30,
    )
)
@settings(max_examples=choose(15, 1000))
def test_series_and_transform_agree_on_any_set(counts: dict[int, int]) -> None:
    series, transform = by_both_routes(histogram_of(counts))
    assert abs(series.value - transform.value) <= series.error + transform.error
    assert min(series.error, transform.error) <= 1e-12 * transform.value


# Extremes.


EXTREME: dict[str, dict[int, int]] = {
    **{f"N = 1e9, n = {n}": {BILLION: n} for n in (3, 4, 5, 8, 12, 30, 1000, 10**7, 10**15)},
    "N = 2, n = 1e15": {2: 10**15},
    "N = 2^53, n = 2^53 - 1": {2**53: 2**53 - 1},
    "three dominate": {2: 1000, 10**6: 3},
    "three dominate a million": {2: 10**6, BILLION: 3},
    "a hundred among a billion": {2: BILLION, 10**6: 100},
    "one among ten million": {1: 10**7, BILLION: 1},
    "three scales": {5: 1, 10**5: 1, BILLION: 1},
    "every scale": {2**k: 1 for k in range(1, 31)},
    "hundreds small, three large": {**dict.fromkeys(range(1, 301), 1), BILLION: 3},
    "ten thousand middling, three large": {**dict.fromkeys(range(10_000, 100_000, 9), 1), BILLION: 3},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("counts", EXTREME.values(), ids=EXTREME)
def test_extremes(counts: dict[int, int]) -> None:
    histogram = histogram_of(counts)
    started = time.process_time()
    moments = standard_deviation(histogram)
    assert time.process_time() - started < 4  # at most 1 s on one core of 2026
    assert 0 < moments.expectation_error <= 1e-14 * moments.expectation
    assert 0 < moments.variance_error <= 1e-12 * moments.variance
    square, n = rank_variance(histogram).expectation, histogram.total
    assert moments.expectation**2 + moments.variance == pytest.approx(square, rel=1e-15)
    if len(counts) == 1 and n >= 30:
        # A uniform distribution's fourth central moment is 9/5 of its squared variance: Var[M] is near V
        # (9/5 - 1) / (4 n).
        expected = square * (0.8 if max(counts) > 2 else 0.0) / (4 * n)
        assert moments.variance == pytest.approx(expected, rel=5 / n, abs=1.0 / n**2)
