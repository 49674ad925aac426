"""The median absolute deviation: enumeration, honest standard errors, extremes."""

import itertools
import math
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from carried import open_once
from cases import choose, for_each, thorough
from oracles import MP_QUARTILE, assert_alike, assert_within, histogram_of
from rankconst.moments import Moments
from rankconst.moments import median_deviation as module
from rankconst.moments.median_deviation import median_absolute_deviation
from rankconst.moments.sampled import FEWEST_DRAWS, MOST_DRAWS
from rankconst.tasks import Histogram

Exact = tuple[float, float]

QUARTILE = float(MP_QUARTILE)


def deviate(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the metric of each row, by NumPy's own median."""
    centre = np.median(ranks, axis=-1, keepdims=True)
    deviations: NDArray[np.float64] = np.median(np.abs(ranks - centre), axis=-1)
    return deviations / QUARTILE


def check(moments: Moments, exact: Exact) -> None:
    assert_within(moments, exact, 5)


# Exact expectations and variances.


def enumerate_vectors(sizes: list[int]) -> Exact:
    grids = np.meshgrid(*(np.arange(1, size + 1) for size in sizes), indexing="ij")
    values = deviate(np.stack([grid.ravel() for grid in grids], axis=1))
    return float(values.mean()), float(values.var())


def enumerate_counts(size: int, n: int) -> Exact:
    """All n tasks have the same N: only how often each rank occurs matters."""
    first = np.array(
        [times for times in itertools.product(range(n + 1), repeat=size - 1) if sum(times) <= n]
    )
    counts = np.column_stack((first, n - first.sum(axis=1)))
    values = deviate(
        np.repeat(np.tile(np.arange(1, size + 1), len(counts)), counts.ravel()).reshape(-1, n)
    )
    logs = np.array([math.lgamma(times + 1) for times in range(n + 1)])
    chances = np.exp(logs[n] - logs[counts].sum(axis=1) - n * math.log(size))
    mean = float(chances @ values)
    return mean, float(chances @ (values - mean) ** 2)


@for_each(("size", "n"), [(2, 80), (2, 81), (3, 70), (3, 71), (3, 90), (4, 15), (5, 12)])
def test_enumeration_of_counts(size: int, n: int) -> None:
    check(median_absolute_deviation(histogram_of({size: n})), enumerate_counts(size, n))


@pytest.mark.slow
@pytest.mark.parametrize("few_tasks", [0, 10**6], ids=["counts", "ranks"])
def test_standard_errors_are_honest(few_tasks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors in units of their standard errors are spread as a standard normal variable, whichever
    way is drawn.
    """
    monkeypatch.setattr(module, "_FEW_TASKS", few_tasks)
    monkeypatch.setattr(module, "MOST_DRAWS", 2**13)
    rng = np.random.default_rng(20_220_315)
    away = []
    for seed in range(120):
        # Each with its own random numbers: with the same ones, errors would be alike.
        monkeypatch.setattr("rankconst.moments.sampled.SEED", seed)
        sizes = rng.integers(1, rng.choice([4, 7, 10]), rng.integers(1, 4)).repeat(2).tolist()
        if seed % 2:
            sizes.append(2)
        moments = median_absolute_deviation(Histogram.from_counts(sizes))
        exact = enumerate_vectors(sizes)
        check(moments, exact)
        if exact[1] > 0:
            errors = moments.expectation_error, moments.variance_error
            away.append(np.subtract((moments.expectation, moments.variance), exact) / errors)
    scores = np.abs(away)
    assert len(scores) > 80
    # The mean of |z| is 0.80, with a standard error of 0.06.
    assert np.all((scores.mean(axis=0) > 0.65) & (scores.mean(axis=0) < 0.95))
    assert np.all((np.mean(scores < 1.0, axis=0) > 0.58) & (np.mean(scores < 1.0, axis=0) < 0.78))


def test_the_control_is_worth_its_while(monkeypatch: pytest.MonkeyPatch) -> None:
    histogram = open_once().histogram("fb15k237")
    monkeypatch.setattr(module, "MOST_DRAWS", 2**11)
    monkeypatch.setattr(module, "GOAL", 0.0)
    controlled = median_absolute_deviation(histogram)
    monkeypatch.setattr(module, "_fit", lambda _, counts: np.zeros(counts.shape[0]))
    plain = median_absolute_deviation(histogram)
    assert controlled.num_draws == plain.num_draws
    assert controlled.expectation_error < plain.expectation_error / 5
    assert controlled.variance_error < plain.variance_error / 3
    assert controlled != plain
    assert_alike(controlled, plain, 5)


def test_an_estimate_of_what_is_rare() -> None:
    histogram, values = Histogram.from_counts([9] * 40), np.array([2.0] * 98 + [5.0, 4.0])
    found = module._estimate_rare(histogram, values, 4.0)
    assert found is not None
    squares = np.square(values - 2.05)
    assert (found.expectation, found.variance) == pytest.approx((2.05, np.mean(squares)))
    # As if nine more were as far off as the farthest, by 3.
    spread = np.sum(np.square(squares - np.mean(squares)))
    errors = math.sqrt(np.sum(squares) + 9 * 3**2) / 100, math.sqrt(spread + 9 * 3**4) / 100
    assert (found.expectation_error, found.variance_error) == pytest.approx(errors)
    often = np.array([2.0] * 70 + [5.0] * 30)
    assert module._estimate_rare(histogram, often, 4.0) is None


def _bound_of_equal_tasks(size: int, n: int, middle: float, value: float, largest: float) -> float:
    """Shut M in by Hoeffding's bound, as :func:`_bound_distance` says it does, from n tasks of one
    size.
    """

    def share_of(first: float, last: float) -> float:
        return max(min(max(last, 0), size) - min(max(first - 1, 0), size), 0) / size

    def is_unlikely(share: float, level: int) -> bool:
        parts = (level / n, share), (1 - level / n, 1 - share)
        divergence = sum(p * math.log(p / q) if q else math.inf for p, q in parts if p)
        return math.exp(-n * divergence) < 1e-13 / 4

    def has_more(first: float, last: float) -> bool:
        share, level = share_of(first, last), n // 2
        return share * n > level and is_unlikely(share, level)

    def has_fewer(first: float, last: float) -> bool:
        share, level = share_of(first, last), (n + 1) // 2
        return share * n < level and is_unlikely(share, level)

    def find(most: float, is_there: Callable[[float], bool]) -> float:
        return min(next(d for d in doubled if d >= most or is_there(d)), most)

    doubled = [2.0**k for k in range(60)]
    low = middle - find(size, lambda d: has_fewer(1, middle - d - 1))
    high = middle + find(size, lambda d: has_more(1, middle + d))
    over = find(largest, lambda d: has_more(high - value - d, low + value + d))
    under = find(largest, lambda d: value < d or has_fewer(low - value + d, high + value - d))
    return max(over, min(under, value))


@pytest.mark.parametrize("size", [21, 40, 1001])
def test_how_far_from_its_value_it_can_be(size: int) -> None:
    for n, share in itertools.product([60, 61, 77, 529, 592, 669, 1901, 10**6 + 1], (0.1, 0.25)):
        histogram, value = histogram_of({size: n}), float(round(size * share))
        middle = float(math.ceil(module._locate(histogram)[0]))
        expected = _bound_of_equal_tasks(size, n, middle, value, 9.0 * size)
        assert module._bound_distance(histogram, value, 9.0 * size) == expected


@pytest.mark.parametrize("n", [101, 400, 1001])
def test_how_improbable_another_value_is(n: int) -> None:
    """Of ranks in 1 .. 7: with n odd, the fourth may have too few on either side, or its neighbours
    too many.
    """
    found = module._bound_escape(histogram_of({7: n}), 2.0)
    more, fewer = (n + 1) // 2 / n, n // 2 / n
    chance = 0.0
    # At most 3 too often, at most 4 not often enough; within 1 of 4 too often, within 2 not often
    # enough.
    for share, level in ((3 / 7, more), (4 / 7, fewer), (3 / 7, more), (5 / 7, fewer)):
        chance += (share / level) ** (n * level) * ((1 - share) / (1 - level)) ** (n - n * level)
    assert found == pytest.approx(chance, rel=1e-9, abs=0)


# What is certain, and nearly so.


@pytest.mark.parametrize(
    "counts", [{7: 1}, {1: 1}, {1: 2}, {1: 3, 9: 2}, {1: 10**7, 10**9: 10**7 - 1}], ids=str
)
def test_certain(counts: dict[int, int]) -> None:
    assert median_absolute_deviation(histogram_of(counts)) == Moments(
        0.0, 0.0, 0.0, 0.0, "closed_form"
    )


def test_nearly_certain_by_chernoff() -> None:
    """10^7 ranks in 1 .. 7: the median is 4 and M is 2, as good as surely."""
    moments = median_absolute_deviation(histogram_of({7: 10**7}))
    assert moments.expectation == pytest.approx(2 / QUARTILE, rel=1e-15)
    assert 0 < moments.expectation_error < 1e-14
    assert moments.variance == 0
    assert 0 < moments.variance_error < 1e-100


def test_an_event_that_no_draw_showed_is_reckoned_with() -> None:
    """10^15 coins: M is 1/2, before its divisor, if heads and tails are equal, with probability
    2.5e-8, else 0.
    """
    moments = median_absolute_deviation(histogram_of({2: 10**15}))
    assert moments.expectation == moments.variance == 0
    chance = math.sqrt(2 / math.pi / 1e15)
    assert moments.num_draws is not None
    assert chance / 2 / QUARTILE <= moments.expectation_error <= 3 / moments.num_draws
    assert chance / 4 / QUARTILE**2 <= moments.variance_error <= 3 / moments.num_draws


@pytest.mark.slow
@pytest.mark.parametrize("n", [150, 200])
def test_rare_events(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where but a few draws differ, the errors hold all the same."""
    monkeypatch.setattr(module, "MOST_DRAWS", 2**12)
    exact = enumerate_counts(3, n)
    for seed in range(6):
        monkeypatch.setattr("rankconst.moments.sampled.SEED", seed)
        check(median_absolute_deviation(histogram_of({3: n})), exact)


# The same numbers everywhere.


@pytest.mark.parametrize(
    ("name", "expectation", "variance", "draws"),
    [
        ("nations", 2.9583951963758266, 0.00739834098970532, 2**13),
        ("fb15k237", 5290.967892960167, 691.2088513897501, 2**8),
    ],
)
def test_the_stream_of_random_numbers(
    name: str, expectation: float, variance: float, draws: int
) -> None:
    """A change of NumPy's streams, or of how they are used, changes every table: it is to be
    noticed.
    """
    moments = median_absolute_deviation(open_once().histogram(name))
    assert moments.expectation == pytest.approx(expectation, rel=1e-12)
    assert moments.variance == pytest.approx(variance, rel=1e-10)
    assert moments.num_draws == draws


# Extremes, time and memory.

EXTREMES: dict[str, Histogram] = {
    "N = 1e9, n = 1e7": histogram_of({10**9: 10**7}),
    "N = 1e9, n = 1e7 + 1": histogram_of({10**9: 10**7 + 1}),
    "all at the largest N": histogram_of({2**53: 1000}),
    "mostly twos": histogram_of({2: 1000, 10**6: 3}),
    "a mixture": histogram_of({1000: 100, 2000: 101, 10**6: 3 * 10**6, 10**9: 10**6}),
    "two tasks": histogram_of({10**9: 2}),
    "many distinct N": Histogram.from_counts(np.arange(10**5, 2 * 10**5), np.full(10**5, 100)),
    "a million distinct N": Histogram.from_counts(np.arange(1, 10**6 + 1)),
}


@pytest.mark.slow
@for_each("name", choose([name for name in EXTREMES if "distinct N" not in name], [*EXTREMES]))
def test_extremes(name: str) -> None:
    histogram = EXTREMES[name]
    begin = time.process_time()
    moments = median_absolute_deviation(histogram)
    assert time.process_time() - begin < 4  # at most 1 s on one core of 2026
    assert moments.method == "sampled"
    assert moments.num_draws is not None
    assert FEWEST_DRAWS <= moments.num_draws <= module.most_draws(histogram) <= MOST_DRAWS
    assert 0 < moments.expectation < float(histogram.num_candidates[-1])
    many = len(histogram) == 10**6
    assert 0 < moments.expectation_error <= (1e-4 if many else 0.04) * moments.expectation
    assert 0 < moments.variance_error <= 0.05 * moments.variance


@pytest.mark.slow
@pytest.mark.parametrize(
    "histogram",
    [
        pytest.param(EXTREMES["a million distinct N"], marks=thorough),
        histogram_of(dict.fromkeys(range(10**4, 10**4 + choose(2500, 8500)), 400)),
    ],
    ids=["a million distinct N", "thousands of distinct N"],
)
def test_memory(histogram: Histogram) -> None:
    tracemalloc.start()
    median_absolute_deviation(histogram)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * 2**20
