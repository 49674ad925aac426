"""Ranks uniform on blocks a+1 .. a+T: every metric against chance, and quick routes against slow
ones; against enumeration in test_enumeration.py.
"""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from cases import choose, for_each, take_turns
from oracles import SAMPLED, assert_alike
from rankconst.catalogue.metrics import CATALOGUE, Metric, parse_metric
from rankconst.moments import block_counts, compute_moments, median, summation
from rankconst.tasks import Histogram

Blocks = Sequence[tuple[int, int]]
"""Offset and size of each task."""

METRICS = [row.at(3) if row.takes_k else row for row in CATALOGUE.values()]


def pretend(histogram: Histogram) -> Histogram:
    """Return chance as blocks that all start at the first rank, which Histogram would not tell from
    chance.
    """
    alike = Histogram.from_counts(histogram.num_candidates, histogram.num_tasks)
    object.__setattr__(alike, "offsets", np.zeros_like(alike.num_candidates))
    return alike


CHANCE = {
    "a pair of many": Histogram.from_counts([1000, 300]),
    "odd": Histogram.from_counts([*range(50, 71)]),
    "even": Histogram.from_counts([*range(30, 90, 2)], [3] * 30),
    "a hundred alike": Histogram.from_counts([400], [100]),
}
MANY = Histogram.from_counts(14_541 - 7 * np.arange(300), 1 + np.arange(300) % 60)


@pytest.mark.slow
@for_each("histogram", [*CHANCE.values(), *choose([], [MANY])])
@for_each("metric", METRICS)
def test_blocks_from_the_first_rank_on_are_chance(metric: Metric, histogram: Histogram) -> None:
    """Two programs for one distribution, which share little but for means of ranks."""
    chance, alike = (compute_moments(metric, each) for each in (histogram, pretend(histogram)))
    # Draws of their own; or errors of both.
    assert_alike(chance, alike, 5 if metric.family in SAMPLED else 1)


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
    assert summation.has_many_blocks(histogram)
    quick = compute_moments(metric, histogram)
    monkeypatch.setattr(summation, "_MANY", 10**6)
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
    median._median_distribution.cache_clear()
    slow = compute_moments(metric, histogram)
    median._median_distribution.cache_clear()
    assert_alike(quick, slow)
    assert slow.variance_error <= 1e-9 * slow.variance
    assert quick.variance_error <= 1e-2 * quick.variance
