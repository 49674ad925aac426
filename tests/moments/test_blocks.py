"""Ranks uniform on blocks a+1 .. a+T: every metric against enumeration, chance, precise sums and simulation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cases import for_each, take_turns
from oracles import EVALUATED, MP, SAMPLED, absolute_error, assert_alike, assert_within, relative_error
from rankconst.catalogue.metrics import CATALOGUE, Metric, parse_metric
from rankconst.moments import Moments, block_counts, blocks, compute_moments, median
from rankconst.moments.blocks import blocks_of
from rankconst.moments.median import median_rank
from rankconst.tasks import Histogram, offsets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Blocks = Sequence[tuple[int, int]]
    """Offset and size of each task."""

METRICS = [row.at(3) if row.takes_k else row for row in CATALOGUE.values()]


def gather(tasks: Blocks, times: int = 1) -> Histogram:
    return Histogram.from_counts([size for _, size in tasks], [times] * len(tasks), offsets=[a for a, _ in tasks])


def pretend(histogram: Histogram) -> Histogram:
    """Return chance as blocks that all start at the first rank, which Histogram would not tell from chance."""
    alike = Histogram.from_counts(histogram.num_candidates, histogram.num_tasks)
    object.__setattr__(alike, "offsets", np.zeros_like(alike.num_candidates))
    return alike


def check(metric: Metric, moments: Moments, expectation: Any, variance: Any) -> None:
    """Demand the stated errors, and that these are small."""
    room = 5 if moments.method == "sampled" else 1
    assert (moments.method == "sampled") <= (metric.family in SAMPLED)
    # 50 digits leave something where there is nothing.
    assert_within(moments, (expectation, variance), room, (1e-40, 1e-60))
    assert moments.expectation_error <= (0.05 if room > 1 else 1e-9) * moments.expectation


@pytest.mark.parametrize("offset", [10**6, 3 * 10**6, 10**9])
def test_errors_of_two_ranks_far_out_cover_what_cancels(offset: int) -> None:
    found = compute_moments(CATALOGUE["ndcg"], gather([(offset, 2)]))
    one, other = (1 / MP.log(offset + r + 1, 2) for r in (1, 2))
    assert absolute_error(found.variance, ((one - other) / 2) ** 2) <= found.variance_error


CHANCE = {
    "a pair of many": Histogram.from_counts([1000, 300]),
    "odd": Histogram.from_counts([*range(50, 71)]),
    "even": Histogram.from_counts([*range(30, 90, 2)], [3] * 30),
    "many": Histogram.from_counts(14_541 - 7 * np.arange(300), 1 + np.arange(300) % 60),
    "a hundred alike": Histogram.from_counts([400], [100]),
}


@pytest.mark.slow
@for_each("histogram", CHANCE.values())
@for_each("metric", METRICS)
def test_blocks_from_the_first_rank_on_are_chance(metric: Metric, histogram: Histogram) -> None:
    """Two programs for one law, which share little but for means of ranks."""
    chance, alike = (compute_moments(metric, each) for each in (histogram, pretend(histogram)))
    # Draws of their own; or errors of both.
    assert_alike(chance, alike, 5 if metric.family in SAMPLED else 1)


OF_ONE_RANK = {
    "mr": ["gmr", "hmr", "qmr", "median"],
    "mrr": ["igmr", "iamr", "iqmr", "inverse median"],
}


@pytest.mark.parametrize(("name", "others"), OF_ONE_RANK.items(), ids=OF_ONE_RANK)
@pytest.mark.parametrize(
    ("offset", "size"),
    [(5, 3), (1, 1000), (1, 10**6), (10**3, 10**6), (10**6, 2), (10**6, 70), (10**9, 10**3), (10**6, 10**13)],
)
def test_of_one_rank_all_means_are_one(name: str, others: list[str], offset: int, size: int) -> None:
    """The mean rank in whole numbers, and the mean reciprocal rank by another way than most, far beyond enumeration."""
    histogram = gather([(offset, size)])
    one = compute_moments(parse_metric(name), histogram)
    for other in (compute_moments(parse_metric(each), histogram) for each in others):
        assert_alike(other, one)
        assert other.variance_error <= 1e-8 * other.variance


# Precise sums.

FAR = [(10**5, 3, 400), (10**5, 700, 31), (99_000, 2500, 7), (0, 300, 12), (63, 66, 5), (8, 1, 900), (40, 1, 11)]


@pytest.mark.parametrize("name", ["mr", "mrr", "hits@100", "hits@100100", "ndcg", "gmr", "igmr"])
def test_closed_forms_equal_precise_sums(name: str) -> None:
    metric, n = parse_metric(name), sum(times for *_, times in FAR)
    histogram = Histogram.from_counts(
        [size for _, size, _ in FAR], [c for *_, c in FAR], offsets=[a for a, _, _ in FAR]
    )
    power = {"gmr": MP.mpf(1) / n, "igmr": MP.mpf(-1) / n}.get(name)

    def score(rank: int) -> Any:
        return MP.mpf(rank) ** power if power else MP.mpf(1) * EVALUATED[metric.family]([rank], metric.k)

    parts = []
    for offset, size, times in FAR:
        values = [score(rank) for rank in range(offset + 1, offset + size + 1)]
        mean = MP.fsum(values) / size
        parts.append((times, mean, MP.fsum((value - mean) ** 2 for value in values) / size))
    if power:
        expectation = MP.exp(MP.fsum(c * MP.log(mean) for c, mean, _ in parts))
        spread = MP.fsum(c * MP.log1p(var / mean**2) for c, mean, var in parts)
        variance = expectation**2 * MP.expm1(spread)
    else:
        expectation = MP.fsum(c * mean for c, mean, _ in parts) / n
        variance = MP.fsum(c * var for c, _, var in parts) / n**2
    moments = compute_moments(metric, histogram)
    check(metric, moments, expectation, variance)
    assert relative_error(moments.expectation, expectation) <= 1e-14
    assert relative_error(moments.variance, variance) <= 1e-12
    assert moments.variance_error <= 1e-10 * moments.variance
    assert moments.method == "closed_form"


@pytest.mark.parametrize(
    ("offset", "size"),
    [(0, 1), (0, 64), (0, 65), (0, 14_541), (1, 300), (10, 66), (63, 10**5), (100, 200), (10**5, 3), (10**9, 10**4)],
)
def test_means_of_powers_are_good_to_rounding(offset: int, size: int) -> None:
    rule = blocks_of(gather([(offset, size), (offset + 1, 1)]))
    for power in (-1, -14):
        tail = [MP.zeta(-power, at) if power < -1 else -MP.digamma(at) for at in (offset + 1, offset + size + 1)]
        exact = (tail[0] - tail[1]) / size
        assert relative_error(float(rule.mean(rule.points**power)[0]), exact) <= 1e-14
    once, twice = (MP.digamma(offset + size + 1) - MP.digamma(offset + 1)) / size, MP.zeta(2, offset + 1)
    variance = (twice - MP.zeta(2, offset + size + 1)) / size - once**2
    assert relative_error(float(rule.scaled_power(-1.0)[1][0]), variance * rule.centres[0] ** 2) <= 1e-13 or size == 1


# Many blocks, where the quicker of two routes is taken and sums over gaps are interpolated.


def draw_blocks(rows: int, entities: int, seed: int) -> Histogram:
    """Return what a ranker by frequency may give: narrow blocks in front, wide ones behind."""
    rng = np.random.default_rng(seed)
    offsets = np.exp(rng.random(rows) * math.log(entities / 4)).astype(int) - 1
    sizes = np.maximum(1, (rng.random(rows) ** 3 * (offsets + 3)).astype(int))
    sizes[::7] = entities - offsets[::7]
    return Histogram.from_counts(sizes, rng.integers(1, 4, rows) * 2, offsets=offsets)


@pytest.mark.parametrize("name", ["iamr", "hmr", "qmr", "iqmr", "sdr"])
def test_quicker_routes_err_by_less_than_they_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric, histogram = parse_metric(name), draw_blocks(600, 2000, 1)
    assert blocks.has_many_blocks(histogram)
    quick = compute_moments(metric, histogram)
    monkeypatch.setattr(blocks, "_MANY", 10**6)
    slow = compute_moments(metric, histogram)
    assert_alike(quick, slow)
    assert quick.variance_error <= 1e-6 * quick.variance


@pytest.mark.slow
@pytest.mark.parametrize("traced", [0, 2**16])
@pytest.mark.parametrize(
    ("name", "sizes"), take_turns(["median", "inverse median"], [(400, 300), (400, 3000), (150, 40_000)])
)
def test_interpolated_sums_over_gaps_err_by_less_than_they_say(
    name: str, sizes: tuple[int, int], traced: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, entities = sizes
    metric, histogram = parse_metric(name), draw_blocks(rows, entities, rows + entities)
    assert histogram.total % 2 == 0
    monkeypatch.setattr(block_counts, "_TRACED", traced)
    monkeypatch.setattr(block_counts, "_GAP_BUDGET", 2**16)
    quick = compute_moments(metric, histogram)
    monkeypatch.setattr(block_counts, "_GAP_BUDGET", 2**40)
    median._median_law.cache_clear()
    slow = compute_moments(metric, histogram)
    median._median_law.cache_clear()
    assert_alike(quick, slow)
    assert slow.variance_error <= 1e-9 * slow.variance
    assert quick.variance_error <= 1e-2 * quick.variance


# Simulation.


def exact_variance_of_median(histogram: Histogram) -> Fraction:
    """In fixed point, for an even number of tasks: A <= x and B > y if half of the ranks are at most x, half beyond."""
    one = 1 << 128
    rows = zip(offsets_of(histogram), histogram.num_candidates, histogram.num_tasks, strict=True)
    blocks = [(int(above), int(size)) for above, size, tasks in rows for _ in range(tasks)]
    half, last = len(blocks) // 2, max(map(sum, blocks))
    shares = [[min(max(x - above, 0), size) * one // size for x in range(last + 1)] for above, size in blocks]

    def fewer(x: int, count: int) -> int:
        """Return P(fewer than `count` ranks are at most x)."""
        law = [one] + [0] * count
        for share in shares:
            p = share[x]
            law = [(law[j] * (one - p) + (law[j - 1] * p if j else 0)) >> 128 for j in range(count + 1)]
        return sum(law[:count])

    def apart(x: int, y: int) -> int:
        """Return P(half of the ranks are at most x, the others above y)."""
        law = [one] + [0] * half
        for share in shares:
            p, q = share[x], one - share[y]
            law = [(law[j] * q + (law[j - 1] * p if j else 0)) >> 128 for j in range(half + 1)]
        return law[half]

    points = range(last + 1)
    first, second = [fewer(x, half) for x in points], [fewer(x, half + 1) for x in points]
    product = sum(second[y] - apart(x, y) if x <= y else first[x] for y in points for x in points)
    squares = sum((2 * x + 1) * (first[x] + second[x]) for x in points)
    return Fraction(squares + 2 * product, 4 * one) - Fraction(sum(first) + sum(second), 2 * one) ** 2


@pytest.mark.parametrize(
    ("offsets", "sizes", "tasks"),
    [
        ([7, 10, 13, 14], [45, 39, 41, 43], [4, 7, 6, 7]),
        ([0, 3], [9, 6], [5, 1]),
        ([2, 4, 4], [12, 3, 19], [20, 14, 20]),
    ],
    ids=["two dozen", "six", "fifty-four"],
)
def test_medians_of_even_numbers_of_tasks_are_exact(offsets: list[int], sizes: list[int], tasks: list[int]) -> None:
    histogram = Histogram.from_counts(sizes, tasks, offsets=offsets)
    moments = median_rank(histogram)
    exact = exact_variance_of_median(histogram)
    assert abs(Fraction(moments.variance) - exact) <= Fraction(moments.variance_error) <= exact / 10**11


@pytest.mark.parametrize("near", [28, 53])
def test_medians_between_two_blocks_far_apart(near: int) -> None:
    """Half of the tasks are certain to be far below the others: the middle ranks are a maximum and a minimum, apart."""
    above, far, tasks = 218, 53, 24
    lower = [Fraction(x**tasks - (x - 1) ** tasks, near**tasks) for x in range(1, near + 1)]
    upper = [Fraction(x**tasks - (x - 1) ** tasks, far**tasks) for x in range(1, far + 1)][::-1]
    pairs = [
        (Fraction(2, a + above + b), p * q) for a, p in enumerate(lower, start=1) for b, q in enumerate(upper, start=1)
    ]
    mean = sum(value * p for value, p in pairs)
    variance = sum((value - mean) ** 2 * p for value, p in pairs)
    histogram = Histogram.from_counts([near, far], [tasks, tasks], offsets=[0, above])
    moments = compute_moments(parse_metric("inverse median"), histogram)
    assert abs(Fraction(moments.expectation) - mean) <= Fraction(moments.expectation_error) <= mean / 10**6
    assert abs(Fraction(moments.variance) - variance) <= Fraction(moments.variance_error) <= variance / 10**3


# Counts of ranks.


@pytest.mark.parametrize(("size", "times"), [(3, 600), (5, 700), (7, 1400), (11, 2500)])
def test_counts_in_one_way_err_by_less_than_they_say(size: int, times: int) -> None:
    """All of many ranks are below the worst one."""
    x = size - 1
    counts = block_counts.BlockCounts(Histogram.from_counts([size], [times]), times)
    laws, none = counts.evaluate(np.array([x]), size)
    mass = Fraction(x, size) ** times
    assert abs(Fraction(float(laws.mass[0])) / mass - 1) <= laws.error[0] < 1e-12
    assert laws.tail[0] == pytest.approx(-float(mass), rel=1e-12, abs=0)
    assert none[0] == pytest.approx(float(Fraction(x - 1, x) ** times), rel=1e-12, abs=0)


def test_ranks_that_are_certain_may_be_at_the_end_of_their_block() -> None:
    """Three of them are at most 4, none of five others: none of the three is 4 with a chance of (3/4)^3."""
    histogram = Histogram.from_counts([4, 10], [3, 5], offsets=[0, 2])
    counts = block_counts.BlockCounts(histogram, 3)
    laws, none = counts.evaluate(np.array([4]), 4)
    assert laws.mass[0] == pytest.approx(0.8**5, rel=1e-14)
    assert (laws.tail[0], counts.evaluate(np.array([4]), 5)[0].tail[0]) == (0.0, -1.0)
    assert none[0] == pytest.approx(0.75**3, rel=1e-14)


@pytest.mark.parametrize(
    ("tasks", "size", "y", "m"),
    [
        (2000, 200_000, 100_000, 1000),
        (200, 4000, 1900, 100),
        (40, 300, 160, 20),
        (4, 90, 40, 2),
        (2500, 10_000, 100, 25),
    ],
)
def test_sums_over_gaps_of_equal_blocks_are_sums_of_powers(tasks: int, size: int, y: int, m: int) -> None:
    """If m ranks are at most y, they are all at most x with a chance of (x / y)^m."""
    counts = block_counts.BlockCounts(Histogram.from_counts([size], [tasks]), m)
    x, weights = counts.gap_law(y, 1)
    powers = (np.arange(1.0, y) / y) ** m
    assert weights.sum() == pytest.approx(powers.sum(), rel=5e-13)
    assert weights @ (y - x) == pytest.approx(powers @ (y - np.arange(1.0, y)), rel=1e-10)
