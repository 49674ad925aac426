"""The median rank and its inverse: independent convolutions, direct sums, extremes."""

import time

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from cases import choose
from oracles import check_numerical
from rankconst.moments import Moments, summation
from rankconst.moments import median as module
from rankconst.moments.median import inverse_median_rank, median_rank
from rankconst.tasks import Histogram, offsets_of

BILLION = 10**9
Spec = tuple["ArrayLike", "ArrayLike"]


def compute(histogram: Histogram) -> tuple[Moments, Moments]:
    return median_rank(histogram), inverse_median_rank(histogram)


def masses_of(distribution: NDArray[np.longdouble], low: int) -> NDArray[np.longdouble]:
    """Return P(r_(low) = x) from the distribution of B(x), by differences of the smaller tail."""
    below, above = distribution[:, low:].sum(axis=1), distribution[:, :low].sum(axis=1)
    masses: NDArray[np.longdouble] = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
    return masses


def convolve_pairs(histogram: Histogram) -> tuple[NDArray[np.longdouble], NDArray[np.longdouble]]:
    """Return values and masses of the median from P(exactly m ranks <= x and the others > y), task
    by task.
    """
    n, largest = histogram.total, int(histogram.last_ranks.max())
    low = (n + 1) // 2
    x = np.arange(largest + 1, dtype=np.longdouble)
    blocks = zip(offsets_of(histogram), histogram.num_candidates, strict=True)
    each = [np.clip((x - above) / size, 0, 1) for above, size in blocks]
    shares = np.repeat(np.array(each), histogram.num_tasks, axis=0)
    # A row for each x: the chance that m of the tasks so far have a rank of at most x.
    single = np.zeros((x.size, n + 1), np.longdouble)
    single[:, 0] = 1.0
    for p in shares[:, :, None]:
        one_more = single[:, :-1] * p
        single *= 1.0 - p
        single[:, 1:] += one_more
    marginal = masses_of(single, low)
    if n % 2:
        return x[1:], marginal
    # Of the pairs x <= y only, which are half.
    rows, columns = np.triu_indices(x.size)
    pairs = np.zeros((rows.size, low + 1), np.longdouble)
    pairs[:, 0] = 1.0
    for done, p in enumerate(shares, start=1):
        q = 1.0 - p[columns, None]
        # What the tasks so far may have, and what the others can still make m.
        first, last = max(low - (n - done), 1), min(done, low)
        new = pairs[:, first - 1 : last] * p[rows, None]
        pairs[:, first : last + 1] = pairs[:, first : last + 1] * q + new
        pairs[:, :1] *= q
    both = np.zeros((x.size, x.size), np.longdouble)
    both[rows, columns] = pairs[:, low]
    exactly = np.diff(both, axis=0)  # A = a, B > y: rows a = 1 .., columns y
    exactly[np.arange(largest), np.arange(largest)] = 0.0  # y < a is no event
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
    "name", choose([name for name in MIDDLING if name not in LARGE], [*MIDDLING])
)
def test_convolution(name: str) -> None:
    values, masses = convolve_pairs(MIDDLING[name])
    # Where long doubles are doubles, the oracle is the less accurate of the two.
    digits = np.finfo(np.longdouble)
    noise = 1e4 * float(digits.eps) if digits.nmant < 60 else 0.0
    accuracy = (1e-6, 1e-3) if "far apart" in name else (1e-12, 1e-9)
    for moments, v in zip(compute(MIDDLING[name]), (values, 1.0 / values), strict=True):
        expectation = np.sum(masses * v)
        variance = np.sum(masses * (v - expectation) ** 2)
        check_numerical(moments, (float(expectation), float(variance)), accuracy, noise)


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
@pytest.mark.parametrize("name", choose(["breaks"], [*SMOOTH]))
def test_rules_against_direct_sums(
    name: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Sums by rules agree with the same sums term by term."""
    histogram = Histogram.from_counts(*SMOOTH[name])
    by_rule = compute(histogram)
    points = module._median_distribution(histogram).nodes.points
    monkeypatch.setattr(summation, "_TERMS_PER_NODE", 10**9)
    monkeypatch.setattr(module, "_TERM_BY_TERM", 10**9)
    # Term by term, tables of points x gaps are formed: narrow panels keep them small.
    monkeypatch.setattr(module, "_WIDEST", 0.02)
    monkeypatch.setattr(module, "_NARROWEST", 256)
    for formed in (module._median_distribution, summation._whole_rule):
        formed.cache_clear()
        request.addfinalizer(formed.cache_clear)
    assert module._median_distribution(histogram).nodes.points.size > points.size
    for ours, direct in zip(by_rule, compute(histogram), strict=True):
        exact = direct.expectation, direct.variance
        check_numerical(ours, exact, (1e-12, 2e-10), noise=1e-14)
        assert abs(ours.variance - direct.variance) <= 1e-11 * direct.variance


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
    loose = 1e-10 if "million" in name else 1e-8
    for moments in (rank, inverse):
        assert 0.0 < moments.expectation_error <= 1e-11 * moments.expectation
        assert 0.0 < moments.variance_error <= loose * moments.variance
    # Jensen.
    assert inverse.expectation > 1.0 / rank.expectation
