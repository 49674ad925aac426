"""The standard deviation of the ranks: joint laws, closed forms, polynomials in 1/n, simulation,
extremes.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose
from oracles import MP, histogram_of
from rankconst.doubles import Estimate, Moments
from rankconst.moments import deviation as module
from rankconst.moments.deviation import rank_variance, standard_deviation
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Sequence


BILLION = 10**9


def check(
    moments: Moments,
    expectation: Any,
    variance: Any,
    accuracy: tuple[float, float] = (1e-14, 1e-12),
) -> None:
    """Demand that errors hold and that they are small."""
    assert moments.method == "numerical"
    for value, error, truth, goal in (
        (moments.expectation, moments.expectation_error, expectation, accuracy[0]),
        (moments.variance, moments.variance_error, variance, accuracy[1]),
    ):
        exact = (
            MP.mpf(truth.numerator) / truth.denominator if isinstance(truth, Fraction) else truth
        )
        assert error <= goal * exact
        assert abs(value - exact) <= error


# Exact joint laws of the sum of the ranks and of their squares.


def scatter_law(counts: Sequence[int], offsets: Sequence[int] | None = None) -> Counter[int]:
    """Return how many rank vectors have which n sum r^2 - (sum r)^2, which is n^2 V."""
    states = Counter({(0, 0): 1})
    for count, offset in zip(counts, offsets or [0] * len(counts), strict=True):
        following: Counter[tuple[int, int]] = Counter()
        for (first, second), times in states.items():
            for rank in range(offset + 1, offset + count + 1):
                following[first + rank, second + rank * rank] += times
        states = following
    law: Counter[int] = Counter()
    for (first, second), times in states.items():
        law[len(counts) * second - first * first] += times
    return law


def moments_by_law(counts: Sequence[int]) -> tuple[Any, Any]:
    n, vectors = len(counts), math.prod(counts)
    law = [(MP.sqrt(outcome) / n, times) for outcome, times in scatter_law(counts).items()]
    mean = MP.fsum(value * times for value, times in law) / vectors
    return mean, MP.fsum((value - mean) ** 2 * times for value, times in law) / vectors


def describe(counts: Sequence[int]) -> str:
    return f"{len(counts)} of {sorted(set(counts))}"


LAWS: dict[str, list[tuple[int, ...]]] = {
    "pairs": [(1, 2), (8, 9), (3, 200), (60, 61)],
    "triples": [(1, 1, 2), (8, 9, 10), (21, 22, 23), (1, 2, 60)],
    "a few": [(2, 2, 2, 2), (25, 26, 3, 1), (7,) * 5, (1, 1, 1, 12, 12), (2, 2, 30, 30)],
    "some": [(5,) * 12, (4,) * 25, (2, 3, 4) * 10, (7,) * 10, (3,) * 8 + (20, 20)],
    "many": [(2,) * 100, (2,) * 400, (3,) * 60, (1,) * 50 + (2,) * 90],
    "one stands out": [(2,) * 30 + (60,), (1,) * 1000 + (20,), (1,) * 10_000 + (2,), (2,) * 20 + (30, 31)],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts", [counts for group in LAWS.values() for counts in group], ids=describe
)
def test_moments_equal_joint_laws_within_the_stated_error(counts: tuple[int, ...]) -> None:
    check(standard_deviation(Histogram.from_counts(counts)), *moments_by_law(counts))


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
    law, vectors = scatter_law(counts, offsets), math.prod(counts)
    mean = Fraction(sum(v * times for v, times in law.items()), vectors)
    histogram = Histogram.from_counts(counts, offsets=offsets)
    square = rank_variance(histogram)
    ranks = module._Ranks.of(histogram, square.expectation)
    for order, moment in enumerate(
        module._central_moments(ranks, square.variance / square.expectation**2)
    ):
        exact = (
            sum(
                (times * Fraction((v / mean - 1) ** order) for v, times in law.items()), Fraction(0)
            )
            / vectors
        )
        assert abs(Fraction(moment.value) - exact) <= Fraction(moment.error)


# Closed forms.


def expect_difference(one: int, other: int) -> Fraction:
    """Return E|r - s| for r and s of two tasks: the sum over r of that over s on either side."""
    low, high = sorted((one, other))
    below = sum_of_triangles(low - 1)
    above = sum_of_triangles(high - 1) - sum_of_triangles(high - low - 1)
    return Fraction(below + above, low * high)


def sum_of_triangles(m: int) -> int:
    """Return the sum of k (k + 1) / 2 for k from 1 to m."""
    return m * (m + 1) * (m + 2) // 6


PAIRS = [
    (1, 2), (1, BILLION), (2, BILLION), (BILLION, BILLION), (BILLION - 1, BILLION), (10**6, BILLION), (3000, 3001),
    (17, 10**5), (2**53, 2**53), (1, 2**53), (10**4, 2**50),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_two_tasks(pair: tuple[int, int]) -> None:
    """M is |r - s| / 2, and E[M^2] = (Var[r] + Var[s] + (E[r] - E[s])^2) / 4."""
    mean = expect_difference(*pair) / 2
    square = Fraction(sum(size * size - 1 for size in pair), 48) + Fraction(
        (pair[0] - pair[1]) ** 2, 16
    )
    check(standard_deviation(Histogram.from_counts(pair)), mean, square - mean**2)


def test_three_tasks_with_many_candidates() -> None:
    """As N grows, M/N tends to the deviation of three points of the unit interval, up to N^-2.

    With gaps a and b, of density 6 (1 - a - b), V is (2/9)(a^2 + ab + b^2); polar coordinates give
    the rest.
    """
    mean = MP.sqrt(2) / 6 * (MP.mpf(1) / 2 + MP.mpf(3) / 8 * MP.log(3))
    check(
        standard_deviation(histogram_of({BILLION: 3})),
        BILLION * mean,
        BILLION**2 * (MP.mpf(1) / 18 - mean**2),
    )


# Very many tasks: E[V^k] is a polynomial in 1/n, which a few small n determine.


@pytest.mark.parametrize("mix", [(3,), (4,), (1, 2), (1, 3)], ids=str)
@pytest.mark.parametrize("repeats", [10**4, 10**6, 10**7, 10**15])
def test_many_tasks_equal_a_series_from_few(mix: tuple[int, ...], repeats: int) -> None:
    orders = 3
    nodes = range(1, 2 * orders + 1)
    laws = {m: scatter_law(mix * m) for m in nodes}

    def raw(k: int, m: int) -> Fraction:
        total = sum(scatter**k * times for scatter, times in laws[m].items())
        return Fraction(total, math.prod(mix * m) * (m * len(mix)) ** (2 * k))

    at = Fraction(1, repeats)
    mean, *higher = (
        interpolate([Fraction(1, m) for m in nodes], [raw(k, m) for m in nodes], at)
        for k in range(1, orders + 1)
    )
    second = higher[0] / mean**2 - 1
    third = higher[1] / mean**3 - 3 * second - 1
    # E[x^4] is 3 E[x^2]^2 up to n^-3; the next term of the gap is as small.
    gap = second / 8 - third / 16 + Fraction(15, 128) * second**2
    moments = standard_deviation(histogram_of({size: repeats * mix.count(size) for size in mix}))
    left = 30 * float(second) ** 2
    assert moments.expectation == pytest.approx(
        float(MP.sqrt(mean.numerator) / MP.sqrt(mean.denominator)), rel=1e-4
    )
    assert moments.expectation**2 == pytest.approx(
        float(mean * (1 - gap) ** 2), rel=2e-15 + left * float(second)
    )
    assert moments.variance == pytest.approx(float(mean * gap * (2 - gap)), rel=2e-15 + left)
    assert moments.variance_error <= 1e-12 * moments.variance


def interpolate(nodes: Sequence[Fraction], values: Sequence[Fraction], at: Fraction) -> Fraction:
    """Return Lagrange's polynomial at a point."""
    return sum(
        (
            value
            * math.prod(
                ((at - other) / (node - other) for other in nodes if other != node),
                start=Fraction(1),
            )
            for node, value in zip(nodes, values, strict=True)
        ),
        Fraction(0),
    )


# The two routes against each other.


def by_both_routes(histogram: Histogram) -> tuple[Any, Any]:
    square = rank_variance(histogram)
    ranks = module._Ranks.of(histogram, square.expectation)
    central = module._central_moments(ranks, square.variance / square.expectation**2)
    return module._by_series(central), module._by_transform(ranks, central)


@pytest.mark.slow
@given(
    counts=st.dictionaries(
        st.integers(1, 40) | st.integers(1, 10**6) | st.integers(1, BILLION),
        st.integers(1, 3) | st.integers(1, 300) | st.integers(1, 10**6),
        min_size=2,
        max_size=30,
    )
)
@settings(max_examples=choose(40, 1000))
def test_series_and_transform_agree_on_any_set(counts: dict[int, int]) -> None:
    series, transform = by_both_routes(histogram_of(counts))
    assert abs(series.value - transform.value) <= series.error + transform.error
    assert min(series.error, transform.error) <= 1e-12 * transform.value


@pytest.mark.parametrize("narrowness", [0.3, 2.0, 20.0, 90.0])
@pytest.mark.parametrize(
    ("offsets", "centres"),
    [
        (None, [30.0, 55.5, 60.25]),
        ((0, 40, 90), [99.5, 120.25, 140.0]),
        ((500, 620, 580), [121.0, 130.5, 139.75]),
    ],
    ids=["chance", "blocks", "blocks far out"],
)
def test_products_of_means_of_gaussians(
    narrowness: float, offsets: tuple[int, ...] | None, centres: list[float]
) -> None:
    """By each of the ways to them, which the width of a block in widths of the Gaussian decides."""
    sizes, tasks, t = (300, 150, 60), (2, 1, 3), (narrowness / 150) ** 2
    least = min(offsets or (0,))
    ranks = module._Ranks.of(Histogram.from_counts(sizes, tasks, offsets=offsets), 1.0)
    for centre, log in zip(centres, ranks._log_product(t, np.array(centres)).tolist(), strict=True):
        exact = 0.0
        for size, above, times in zip(sizes, offsets or (0, 0, 0), tasks, strict=True):
            away = np.arange(above - least + 1, above - least + size + 1) - centre
            nearest = float(np.min(np.abs(away)))
            shifted = math.fsum(np.exp(-t * (away**2 - nearest**2)).tolist())
            exact += times * (math.log(shifted / size) - t * nearest**2)
        assert log == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("off", [0.0, 1e-4, 0.03])
def test_a_series_errs_by_what_is_left_and_by_its_moments(off: float) -> None:
    """1 - E[sqrt(1 + x)] of two values, with moments that are known to so much only; the third is
    always there.
    """
    values = (-0.5, 0.5)
    moments = [
        Estimate(math.fsum(x**k for x in values) / 2, off if k > 2 else 0.0) for k in range(9)
    ]
    found = module._by_series(moments)
    assert abs(found.value - (1 - sum(math.sqrt(1 + x) for x in values) / 2)) <= found.error
    assert off / 16 <= found.error < 0.02


# Extremes.


def test_ranks_that_are_certain_have_a_root_that_is_rounded_twice() -> None:
    """Of 3, 7 and 12, V is 122/9."""
    moments = standard_deviation(Histogram.from_counts([1, 1, 1], offsets=[2, 6, 11]))
    exact = MP.sqrt(122) / 3
    assert (
        abs(moments.expectation - exact)
        <= moments.expectation_error
        <= 2.0**-52 * exact * (1 + 1e-9)
    )
    assert moments.variance == moments.variance_error == 0


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
    square = rank_variance(histogram)
    assert moments.expectation**2 + moments.variance == pytest.approx(square.expectation, rel=1e-15)
    n = histogram.total
    if len(counts) == 1 and n >= 30:
        # A uniform law's fourth central moment is 9/5 of its squared variance: Var[M] is near V
        # (9/5 - 1) / (4 n).
        excess = 0.8 if max(counts) > 2 else 0.0
        assert moments.variance == pytest.approx(
            square.expectation * excess / (4 * n), rel=5 / n, abs=1.0 / n**2
        )


def test_tasks_without_a_choice_add_what_they_must() -> None:
    """With n - 1 tasks of one candidate and one of N, M is (r - 1) sqrt(n - 1) / n."""
    for n, size in ((2, 9), (1000, 4096), (10**7, 50), (10**12, 2)):
        mean, square = Fraction(size - 1, 2), Fraction((size - 1) * (2 * size - 1), 6)
        scale = MP.sqrt(n - 1) / n
        ratio = MP.mpf(mean.numerator) / mean.denominator
        spread = square - mean**2
        check(
            standard_deviation(histogram_of({1: n - 1, size: 1})),
            scale * ratio,
            scale**2 * spread.numerator / spread.denominator,
        )
