"""Ranks uniform on blocks a+1 .. a+T: every metric against enumeration, chance, precise sums and
simulation.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cases import for_each, take_turns
from oracles import (
    EVALUATED,
    MP,
    SAMPLED,
    absolute_error,
    assert_alike,
    assert_within,
    relative_error,
)
from rankconst.catalogue.metrics import CATALOGUE, Metric, parse_metric
from rankconst.moments import Moments, block_counts, blocks, compute_moments, median
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Sequence

    Blocks = Sequence[tuple[int, int]]
    """Offset and size of each task."""

METRICS = [row.at(3) if row.takes_k else row for row in CATALOGUE.values()]


def gather(tasks: Blocks, times: int = 1) -> Histogram:
    return Histogram.from_counts(
        [size for _, size in tasks], [times] * len(tasks), offsets=[a for a, _ in tasks]
    )


def pretend(histogram: Histogram) -> Histogram:
    """Return chance as blocks that all start at the first rank, which Histogram would not tell from
    chance.
    """
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
    [
        (5, 3), (1, 1000), (1, 10**6), (10**3, 10**6), (10**6, 2), (10**6, 70), (10**9, 10**3), (10**6, 10**13),
    ],
)  # fmt: skip
def test_of_one_rank_all_means_are_one(
    name: str, others: list[str], offset: int, size: int
) -> None:
    """The mean rank in whole numbers, and the mean reciprocal rank by another way than most, far
    beyond enumeration.
    """
    histogram = gather([(offset, size)])
    one = compute_moments(parse_metric(name), histogram)
    for other in (compute_moments(parse_metric(each), histogram) for each in others):
        assert_alike(other, one)
        assert other.variance_error <= 1e-8 * other.variance


# Precise sums.

FAR = [
    (10**5, 3, 400), (10**5, 700, 31), (99_000, 2500, 7), (0, 300, 12), (63, 66, 5), (8, 1, 900), (40, 1, 11),
]  # fmt: skip


@pytest.mark.parametrize("name", ["mr", "mrr", "hits@100", "hits@100100", "ndcg", "gmr", "igmr"])
def test_closed_forms_equal_precise_sums(name: str) -> None:
    metric, n = parse_metric(name), sum(times for *_, times in FAR)
    histogram = Histogram.from_counts(
        [size for _, size, _ in FAR], [c for *_, c in FAR], offsets=[a for a, _, _ in FAR]
    )
    power = {"gmr": MP.mpf(1) / n, "igmr": MP.mpf(-1) / n}.get(name)

    def score(rank: int) -> Any:
        return (
            MP.mpf(rank) ** power
            if power
            else MP.mpf(1) * EVALUATED[metric.family]([rank], metric.k)
        )

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


# Many blocks, where the quicker of two routes is taken and sums over gaps are interpolated.


def draw_blocks(rows: int, entities: int, seed: int) -> Histogram:
    """Return what a ranker by frequency may give: narrow blocks in front, wide ones behind."""
    rng = np.random.default_rng(seed)
    offsets = np.exp(rng.random(rows) * math.log(entities / 4)).astype(int) - 1
    sizes = np.maximum(1, (rng.random(rows) ** 3 * (offsets + 3)).astype(int))
    sizes[::7] = entities - offsets[::7]
    return Histogram.from_counts(sizes, rng.integers(1, 4, rows) * 2, offsets=offsets)


@pytest.mark.parametrize("name", ["iamr", "hmr", "qmr", "iqmr", "sdr"])
def test_quicker_routes_err_by_less_than_they_say(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    ("name", "sizes"),
    take_turns(["median", "inverse median"], [(400, 300), (400, 3000), (150, 40_000)]),
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


@pytest.mark.parametrize(
    ("tasks", "size", "y", "m"),
    [
        (2000, 200_000, 100_000, 1000), (200, 4000, 1900, 100), (40, 300, 160, 20), (4, 90, 40, 2),
        (2500, 10_000, 100, 25),
    ],
)  # fmt: skip
def test_sums_over_gaps_of_equal_blocks_are_sums_of_powers(
    tasks: int, size: int, y: int, m: int
) -> None:
    """If m ranks are at most y, they are all at most x with a chance of (x / y)^m."""
    counts = block_counts.BlockCounts(Histogram.from_counts([size], [tasks]), m)
    x, weights = counts.gap_law(y, 1)
    powers = (np.arange(1.0, y) / y) ** m
    assert weights.sum() == pytest.approx(powers.sum(), rel=5e-13)
    assert weights @ (y - x) == pytest.approx(powers @ (y - np.arange(1.0, y)), rel=1e-10)
