"""The median rank and its inverse: enumeration, independent convolutions, closed forms, simulation,
extremes.
"""

from __future__ import annotations

import functools
import math
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest

from cases import choose
from oracles import assert_alike, histogram_of
from rankconst.moments import median as module
from rankconst.moments import summation
from rankconst.moments.means import mean_rank
from rankconst.moments.median import inverse_median_rank, median_rank
from rankconst.moments.poisson_binomial import BelowCounts
from rankconst.moments.powers import inverse_mean_rank
from rankconst.tasks import Histogram, offsets_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rankconst.moments import Moments

BILLION = 10**9
Number = float | Fraction
Spec = tuple["ArrayLike", "ArrayLike"]


def compute(histogram: Histogram) -> tuple[Moments, Moments]:
    return median_rank(histogram), inverse_median_rank(histogram)


def check(
    moments: Moments,
    expectation: Number,
    variance: Number,
    accuracy: tuple[float, float],
    noise: float = 0.0,
) -> None:
    """Demand that errors hold (up to an oracle's relative `noise`) and that they are small enough."""
    assert moments.method == "numerical"
    for value, error, truth, goal in (
        (moments.expectation, moments.expectation_error, expectation, accuracy[0]),
        (moments.variance, moments.variance_error, variance, accuracy[1]),
    ):
        assert math.isfinite(error)
        assert error <= goal * truth
        assert abs(Fraction(value) - Fraction(truth)) <= Fraction(error) + Fraction(
            noise
        ) * Fraction(truth)


def masses_of(law: NDArray[np.longdouble], low: int) -> NDArray[np.longdouble]:
    """Return P(r_(low) = x) from the law of B(x), by differences of the smaller tail."""
    below, above = law[:, low:].sum(axis=1), law[:, :low].sum(axis=1)
    masses: NDArray[np.longdouble] = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
    return masses


def convolve_pairs(histogram: Histogram) -> tuple[NDArray[np.longdouble], NDArray[np.longdouble]]:
    """Return values and masses of the median from P(exactly m ranks <= x and the others > y), task
    by task.
    """
    n, largest = histogram.total, int(histogram.last_ranks.max())
    low = (n + 1) // 2
    x = np.arange(largest + 1, dtype=np.longdouble)
    shares = [
        np.clip((x - above) / size, 0, 1)
        for above, size, times in zip(
            offsets_of(histogram),
            histogram.num_candidates,
            histogram.num_tasks.tolist(),
            strict=True,
        )
        for _ in range(times)
    ]
    if n % 2:
        law = np.zeros((x.size, n + 1), np.longdouble)
        law[:, 0] = 1.0
        for p in (each[:, None] for each in shares):
            law[:, 1:] = law[:, 1:] * (1.0 - p) + law[:, :-1] * p
            law[:, 0] *= 1.0 - p[:, 0]
        return x[1:], masses_of(law, low)
    # One more count than m in the first place tells P(r_(m) <= x) from the pairs.
    # Of the pairs x <= y only, which are half.
    rows, columns = np.triu_indices(x.size)
    pairs = np.zeros((rows.size, low + 1), np.longdouble)
    pairs[:, 0] = 1.0
    single = np.zeros((x.size, n + 1), np.longdouble)
    single[:, 0] = 1.0
    for done, p in enumerate(shares, start=1):
        q = 1.0 - p
        # What the tasks so far may have, and what the others can still make m.
        first, last = max(low - (n - done), 1), min(done, low)
        pairs[:, first : last + 1] = (
            pairs[:, first : last + 1] * q[columns, None]
            + pairs[:, first - 1 : last] * p[rows, None]
        )
        pairs[:, 0] *= q[columns]
        single[:, 1:] = single[:, 1:] * q[:, None] + single[:, :-1] * p[:, None]
        single[:, 0] *= q
    both = np.zeros((x.size, x.size), np.longdouble)
    both[rows, columns] = pairs[:, low]
    exactly = np.diff(both, axis=0)  # A = a, B > y: rows a = 1 .., columns y
    exactly[np.arange(largest), np.arange(largest)] = 0.0  # y < a is no event
    marginal = masses_of(single, low)
    masses = np.zeros((largest, largest), np.longdouble)
    for a in range(1, largest + 1):
        masses[a - 1, a:] = exactly[a - 1, a:-1] - exactly[a - 1, a + 1 :]
        masses[a - 1, a - 1] = marginal[a - 1] - masses[a - 1, a:].sum()
    values = (x[1:, None] + x[None, 1:]) / 2.0
    return values.ravel(), masses.ravel()


MIDDLING = {
    "uniform 60": Histogram.from_counts([60] * 40),
    "odd mixture": Histogram.from_counts(range(3, 300, 2)),
    "even mixture": Histogram.from_counts([*range(5, 125, 2), *[70] * 20]),
    "n = 201, N = 300": Histogram.from_counts([300] * 101 + [*range(100, 200)]),
    "half ones": Histogram.from_counts([1, 90], [20, 20]),
    "half twos": Histogram.from_counts([2] * 20 + [*range(50, 70)]),
    "a gap": Histogram.from_counts([3, 120], [12, 12]),
    "one more than a gap": Histogram.from_counts([3, 120], [13, 12]),
    "n = 2": Histogram.from_counts([50, 90]),
    "n = 200": Histogram.from_counts([80] * 100 + [*range(20, 120)]),
    "blocks": Histogram.from_counts([45, 39, 41, 43], [4, 7, 6, 7], offsets=[7, 10, 13, 14]),
    "an odd number of blocks": Histogram.from_counts([45, 39, 41, 43], [4, 7, 6, 8], offsets=[7, 10, 13, 14]),
    "few blocks": Histogram.from_counts([9, 6], [5, 1], offsets=[0, 3]),
    "narrow blocks": Histogram.from_counts([12, 3, 19], [20, 14, 20], offsets=[2, 4, 4]),
    # Half of the tasks are certain to be far below the others: the middle ranks are a maximum and a
    # minimum.
    "blocks far apart": Histogram.from_counts([28, 53], [24, 24], offsets=[0, 218]),
    "equal blocks far apart": Histogram.from_counts([53, 53], [24, 24], offsets=[0, 218]),
}  # fmt: skip
LARGE = {"n = 200", "n = 201, N = 300", "equal blocks far apart"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    choose([name for name in MIDDLING if name not in LARGE], [*MIDDLING]),
)
def test_convolution(name: str) -> None:
    values, masses = convolve_pairs(MIDDLING[name])
    for moments, v in zip(compute(MIDDLING[name]), (values, 1.0 / values), strict=True):
        expectation = np.sum(masses * v)
        variance = np.sum(masses * (v - expectation) ** 2)
        # Where long doubles are doubles, the oracle is the less accurate of the two.
        noise = (
            1e4 * float(np.finfo(np.longdouble).eps) if np.finfo(np.longdouble).nmant < 60 else 0.0
        )
        accuracy = (1e-6, 1e-3) if "far apart" in name else (1e-12, 1e-9)
        check(moments, float(expectation), float(variance), accuracy, noise)


@pytest.mark.parametrize("size", [10, 1000, 10**6, BILLION])
def test_the_median_of_two_tasks_is_their_mean(size: int) -> None:
    """Of which others are the oracles."""
    tasks = Histogram.from_counts([size, size // 2])
    for mine, mean in zip(
        compute(tasks), (mean_rank(tasks), inverse_mean_rank(tasks)), strict=True
    ):
        assert_alike(mine, mean)
        assert mine.variance_error <= 1e-9 * mine.variance


def half_harmonic(a: int, b: int, power: int) -> mpmath.mpf:
    """Sum k^-power over a <= k < b."""
    return (
        mpmath.zeta(power, a) - mpmath.zeta(power, b)
        if power > 1
        else mpmath.digamma(b) - mpmath.digamma(a)
    )


@pytest.mark.parametrize(
    "sizes",
    [
        (10,) * 3,
        (10**4,) * 3,
        (BILLION,) * 3,
        (BILLION, BILLION, 15 * 10**8),
        (10**12, 3 * 10**12, 4 * 10**12),
    ],
    ids=str,
)
def test_three_tasks(sizes: tuple[int, int, int]) -> None:
    """P(M <= x) = (ab + ac + bc) x^2 - 2abc x^3 up to the least N = 1/a, from there on (b + c) x -
    bc x^2, to 1/b.
    """
    with mpmath.workdps(60):
        a, b, c = (1 / mpmath.mpf(size) for size in sizes)
        n, stop = sizes[:2]
        both, triple = a * b + a * c + b * c, 2 * a * b * c

        def average(power: int) -> mpmath.mpf:
            near, far = (
                [half_harmonic(*ends, q) for q in (1, 2)]
                for ends in ((1, n + 1), (n + 1, stop + 1))
            )
            if power == 1:
                found = both * (2 * n - near[0]) - triple * (
                    mpmath.mpf(3) * n * (n + 1) / 2 - 3 * n + near[0]
                )
                return found + (b + c + b * c) * far[0] - 2 * b * c * (stop - n)
            found = both * (2 * near[0] - near[1]) - triple * (3 * n - 3 * near[0] + near[1])
            return found + (b + c + b * c) * far[1] - 2 * b * c * far[0]

        first = average(1)
        variance = average(2) - first**2
        inverse = inverse_median_rank(Histogram.from_counts(sizes))
        assert abs(inverse.expectation - first) <= inverse.expectation_error <= 1e-13 * first
        assert abs(inverse.variance - variance) <= inverse.variance_error <= 1e-13 * variance


SMOOTH = {
    "even": ([7_500], [40]),
    "odd": ([30_000], [41]),
    "breaks": ([1_500, 2_500, 3_650, 7_000], [12, 9, 20, 61]),
    "heavy break at the middle": ([2_995, 3_250, 6_000, 10_000], [3, 10, 70, 1]),
    "dense": ([30_000], [4_000]),
    "pinned": ([1, 10_000], [50, 50]),
    "pinned odd": ([2, 20_000], [50, 51]),
    "gap": ([30, 10_000], [4, 4]),
    "heavy": ([8_000, 16_000, 24_000], [200, 300, 100]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", choose(["breaks", "pinned odd"], [*SMOOTH]))
def test_rules_against_direct_sums(
    name: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Sums by rules agree with the same sums term by term."""
    histogram = Histogram.from_counts(*SMOOTH[name])
    by_rule = compute(histogram)
    points = module._median_law(histogram).nodes.points
    monkeypatch.setattr(summation, "_TERMS_PER_NODE", 10**9)
    monkeypatch.setattr(module, "_TERM_BY_TERM", 10**9)
    # Term by term, tables of points x gaps are formed: narrow panels keep them small.
    monkeypatch.setattr(module, "_WIDEST", 0.02)
    monkeypatch.setattr(module, "_NARROWEST", 256)
    for formed in (module._median_law, summation._whole_rule):
        formed.cache_clear()
        request.addfinalizer(formed.cache_clear)
    assert module._median_law(histogram).nodes.points.size > points.size
    for ours, direct in zip(by_rule, compute(histogram), strict=True):
        check(ours, direct.expectation, direct.variance, (1e-12, 2e-10), noise=1e-14)
        assert abs(ours.variance - direct.variance) <= 1e-11 * direct.variance


def beta_moments(n: int, size: int) -> tuple[Fraction, Fraction]:
    """Moments of the median of n uniforms on (0, N)."""
    variance = Fraction(1, 4 * (n + 2)) if n % 2 else Fraction(n, 4 * (n + 1) * (n + 2))
    return Fraction(size, 2), variance * size**2


@pytest.mark.parametrize("n", [10**5, 10**5 + 1, 10**7, 10**7 + 1, 10**9])
def test_huge_multiplicity(n: int) -> None:
    """Ranks are uniforms rounded up: 1/2 in the mean, and 1/12 to 1/24 in the variance, from the
    continuous law.
    """
    rank, inverse = compute(Histogram.from_counts([BILLION], [n]))
    expectation, variance = beta_moments(n, BILLION)
    assert rank.expectation == pytest.approx(float(expectation) + 0.5, rel=1e-14)
    assert rank.expectation_error <= 1e-13 * rank.expectation
    assert abs(rank.variance - float(variance)) <= 1.0 + 1e-9 * float(variance)
    assert rank.variance_error <= 1e-9 * rank.variance
    ratio = rank.variance / rank.expectation**2
    assert inverse.expectation == pytest.approx(
        (1.0 + ratio + 3 * ratio**2) / rank.expectation, rel=1e-13
    )
    assert inverse.variance == pytest.approx(
        (ratio + 8 * ratio**2) / rank.expectation**2, rel=1e-3 / math.sqrt(n)
    )
    assert inverse.variance_error <= 1e-9 * inverse.variance


# The benchmarks' own are in tests/test_simulation.py.
EXTREMES: dict[str, Spec] = {
    "a million distinct N": (np.arange(1, 10**6 + 1), np.ones(10**6, np.int64)),
    "a million and one": (np.arange(1, 10**6 + 2), np.ones(10**6 + 1, np.int64)),
    "half twos": ([2, BILLION], [500_000, 500_000]),
    "two bumps": ([3, 10**6], [1000, 1000]),
    "two far bumps": ([3, BILLION], [10**6, 10**6]),
    "heavy breaks": ([10**8, 150_000_000, 3 * 10**8], [3000, 3000, 4000]),
    "pinned but for ten": (np.concatenate(([1], np.arange(10**8, 10**8 + 500_010))),
         np.concatenate(([499_990], np.ones(500_010, np.int64)))),
    "mixture of orders": ([1000, 2000, 10**6, BILLION], [100, 101, 3 * 10**6, 10**6]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", choose([name for name in EXTREMES if "a million" not in name], [*EXTREMES])
)
def test_extremes(name: str) -> None:
    started = time.process_time()
    rank, inverse = compute(Histogram.from_counts(*EXTREMES[name]))
    assert time.process_time() - started < 8  # the two about 1 s on one core of 2026
    for moments in (rank, inverse):
        assert 0.0 < moments.expectation_error <= 1e-11 * moments.expectation
        assert (
            0.0
            < moments.variance_error
            <= (1e-10 if "million" in name else 1e-8) * moments.variance
        )
    # Jensen.
    assert inverse.expectation > 1.0 / rank.expectation


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts", [{50: 41}, {1: 3, 20: 30, 90: 12, 400: 60}, {5: 400, 1000: 900}], ids=str
)
def test_laws_of_counts_equal_products_of_chances(counts: dict[int, int]) -> None:
    """P(B(x) = m) and its tails for all m within six deviations of the mean, from coin to coin."""
    histogram = histogram_of(counts)
    points = np.array([x for x in (1, 2, 7, 19, 45, 88, 300, 700) if x < max(counts)])
    chances = [
        np.repeat(np.minimum(x / np.array([*counts]), 1), [*counts.values()]) for x in points
    ]
    laws: list[Any] = [
        functools.reduce(np.convolve, [np.array([1 - p, p]) for p in each]) for each in chances
    ]
    for x, each, law in zip(points.tolist(), chances, laws, strict=True):
        reach = 6 * math.sqrt(float(np.sum(each * (1 - each)))) + 2
        low, high = (round(float(each.sum()) + sign * reach) for sign in (-1, 1))
        certain = sum(times for size, times in counts.items() if size <= x)
        for m in range(
            max(low, certain, 1), min(high, histogram.total) + 1, max(1, (high - low) // 9)
        ):
            # The tail on the side where it is small.
            left = m > float(each.sum())
            found = BelowCounts(histogram, np.array([x])).evaluate(m, x + left)
            tail = -float(law[m:].sum()) if left else float(law[:m].sum())
            assert float(found.mass[0]) == pytest.approx(float(law[m]), rel=1e-11, abs=1e-300)
            assert float(found.tail[0]) == pytest.approx(tail, rel=1e-10)
            assert float(found.error[0]) < 1e-12


TOGETHER: list[tuple[dict[int, int], list[int], int]] = [
    ({900: 3000, 1000: 5000, 1300: 2000}, [*range(470, 570, 10)], 5000),
    # Far out, the tilt of one is much less than that of the other.
    ({745: 16560}, [170, 256], 5559),
    # Ranks are certain at the second point that are not at the first one.
    ({668: 614, 809: 802, 1499: 1980, 1819: 1165}, [533, 848], 2678),
]


@pytest.mark.parametrize(("counts", "points", "m"), TOGETHER)
def test_laws_of_points_are_the_same_together_and_alone(
    counts: dict[int, int], points: list[int], m: int
) -> None:
    histogram = histogram_of(counts)
    centre = next(
        x
        for x in range(1, max(counts))
        if sum(c * min(1, x / n) for n, c in counts.items()) >= m - 0.5
    )
    together = BelowCounts(histogram, np.array(points)).evaluate(m, centre)
    for place, point in enumerate(points):
        alone = BelowCounts(histogram, np.array([point])).evaluate(m, centre)
        error = float(together.error[place] + alone.error[0])
        assert error < 1e-9
        assert float(together.mass[place]) == pytest.approx(float(alone.mass[0]), rel=error, abs=0)
        assert float(together.tail[place]) == pytest.approx(float(alone.tail[0]), rel=error, abs=0)


@pytest.mark.parametrize(("x", "count"), [(1, 4), (1, 7), (200, 5), (10**6, 6)])
def test_many_of_rare_ranks_are_counted_to_as_many_digits_as_they_say(x: int, count: int) -> None:
    """The tilt that makes so many likely is huge, and the high powers of the small chances still
    count.
    """
    sizes = [(3 + i) * 10**7 for i in range(9)]
    law = [Fraction(1)]
    for size in sizes:
        p = Fraction(x, size)
        law = [
            (1 - p) * one + p * before
            for one, before in zip([*law, p * 0], [p * 0, *law], strict=True)
        ]
    found = BelowCounts(Histogram.from_counts(sizes), np.array([x])).evaluate(count, x + 1)
    assert abs(Fraction(float(found.mass[0])) / law[count] - 1) <= found.error[0] < 1e-12
    assert abs(Fraction(float(-found.tail[0])) / sum(law[count:]) - 1) <= found.error[0]
