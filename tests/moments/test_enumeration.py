"""Every metric of small sets of tasks against all rank vectors: of chance, on blocks, and weighted."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from cases import choose
from oracles import (
    DISPERSIONS,
    EVALUATED,
    ORDERED,
    POWERS,
    PRECISE,
    SAMPLED,
    assert_within,
    enumerate_moments,
)
from rankconst.catalogue.metrics import CATALOGUE, TABULATED, Metric
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram

Blocks = Sequence[tuple[int, int]]
"""Offset and size of each task."""

METRICS = (
    *(metric for metric in TABULATED if metric.k in (None, 1, 3, 10)),
    *(CATALOGUE["hits_at_k"].at(k) for k in (2, 7, 10**6)),
    *(row.at(k) for row in CATALOGUE.values() if not row.tabulated for k in (1, 2, 7, 600)),
)

CHANCE = [
    (1,), (2,), (8,), (1, 1), (1, 2), (3, 8), (7, 8), (1, 1, 1), (1, 4, 8), (1, 8, 8), (3, 3, 3), (5, 6, 7),
    (1, 2, 3, 4), (1, 1, 8, 8), (2, 2, 5, 5), (1, 1, 1, 8), (1, 1, 2, 7, 7), (2, 2, 2, 2, 2, 2), (1, 1, 1, 8, 8, 8),
    (1, 1, 1, 1, 1, 1), *choose([], [(8, 7, 6, 5), (1, 8, 8, 7, 2, 1)]),
]  # fmt: skip

BLOCKS: list[Blocks] = [
    [(5, 1)],
    [(3, 4)],
    [(2, 1), (9, 1), (40, 1), (100_000, 1)],
    [(3, 1), (3, 1), (0, 4), (3, 4)],  # the middle ranks are always the same
    [(2, 1), (7, 1), (7, 1)],  # nothing varies
    [(0, 3), (2, 2)],
    [(0, 2), (2, 4), (3, 4), (3, 4)],
    [(100_000, 3), (100_001, 1), (99_998, 4)],
    [(0, 3), (1000, 4), (2, 3)],
    [(0, 1), (0, 4), (5, 2), (8, 3), (4, 3)],
    [(6, 5), (6, 5), (6, 5)],
    [(1, 2), (4, 2), (8, 2), (2, 7)],
    # A factor of the generating function that all but vanishes.
    [(0, 2), (0, 3), (0, 5), (1, 1)],
]

WEIGHTED: list[tuple[Blocks, list[Fraction]]] = [
    ([(0, 4), (0, 5), (0, 6)], [Fraction(1), Fraction(1, 3), Fraction(1, 5)]),
    ([(0, 6), (0, 3)], [Fraction(9), Fraction(1)]),
    ([(0, 1), (0, 1)], [Fraction(1), Fraction(1, 5)]),
    ([(0, 9), (0, 3), (0, 3)], [Fraction(3), Fraction(1), Fraction(1)]),
    ([(0, 3), (2, 2), (7, 4), (10**5, 3), (4, 1)], [Fraction(1, w) for w in (1, 3, 2, 7, 1)]),
    ([(10**5, 3), (4, 1)], [Fraction(1, 7), Fraction(1)]),
    ([(10**5, 3)], [Fraction(1, 7)]),
]


def test_every_metric_has_oracles() -> None:
    """A metric added to the catalogue fails here until it has both oracles."""
    assert EVALUATED.keys() == CATALOGUE.keys() == {metric.family for metric in METRICS}
    assert {*PRECISE, *POWERS, *ORDERED, *DISPERSIONS, *SAMPLED} == CATALOGUE.keys()


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of samples are demanded in units of what they state."""
    for module in ("median_deviation", "sampled"):
        monkeypatch.setattr(f"rankconst.moments.{module}.MOST_DRAWS", 2**10)


def check(metric: Metric, tasks: Blocks, weights: Sequence[Fraction] | None = None) -> None:
    """Demand the stated errors, and that these are small."""
    offsets, sizes = ([*part] for part in zip(*tasks, strict=True))
    own = None if weights is None else [float(weight) for weight in weights]
    moments = compute_moments(metric, Histogram.from_counts(sizes, None, own, offsets))
    expectation, variance = enumerate_moments(metric.family, sizes, metric.k, offsets, weights)
    sampled = moments.method == "sampled"
    assert sampled <= (metric.family in SAMPLED if weights is None else not metric.weighted)
    # 50 digits leave something where there is nothing, and weights that are no doubles are rounded.
    assert_within(
        moments,
        (expectation, variance),
        5 if sampled else 1,
        (1e-40, 1e-60 if weights is None else 1e-30),
    )
    if sampled:
        return
    assert moments.expectation_error <= 1e-12 * moments.expectation
    if max(sizes) == 1:
        assert (moments.variance, moments.variance_error) == (0.0, 0.0)
    # Far out next to nothing of 1/log r varies; a median between blocks less than its parts.
    loose = 1e-3 if max(offsets) >= 1000 else 1e-5 if metric.family in ORDERED else 1e-9
    assert moments.variance_error <= loose * moments.variance + 1e-20


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_moments_equal_enumeration(metric: Metric) -> None:
    for sizes in CHANCE:
        check(metric, [(0, size) for size in sizes])
    for tasks in BLOCKS:
        check(metric, tasks)
    for tasks, weights in WEIGHTED:
        check(metric, tasks, weights)


TASKS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 8), st.integers(1, 9)), min_size=1, max_size=5
)


@pytest.mark.slow
@settings(max_examples=choose(10, 80))
@given(
    tasks=TASKS,
    far=st.sampled_from([None, 0, 0, 50, 10**5]),
    is_weighted=st.sampled_from([False, False, True]),
    k=st.integers(1, 17),
)
def test_moments_equal_enumeration_for_any_small_set(
    tasks: list[tuple[int, int, int]], far: int | None, is_weighted: bool, k: int
) -> None:
    """Chance if nothing is `far`."""
    assume(math.prod(size for _, size, _ in tasks) <= choose(600, 2000))
    blocks = [(0 if far is None else offset + far, size) for offset, size, _ in tasks]
    weights = [Fraction(1, group) for *_, group in tasks] if is_weighted else None
    for row in CATALOGUE.values():
        note(row.family)
        if not is_weighted or row.weighted:
            check(row.at(k) if row.takes_k else row, blocks, weights)


def test_what_no_draw_shows_is_reckoned_with() -> None:
    """A weighted median that hardly varies: its error is that of nine draws at the last rank."""
    histogram = Histogram.from_counts([1, 10], [3, 1], [1.0, 2.99999])
    moments = compute_moments(CATALOGUE["median_rank"], histogram)
    assert (moments.expectation, moments.variance, moments.num_draws) == (1.0, 0.0, 2**10)
    assert moments.expectation_error == pytest.approx(3 * 9 / 2**10)
    assert moments.variance_error == pytest.approx(3 * 9**2 / 2**10)
    alone: Any = compute_moments(
        CATALOGUE["standard_deviation"], Histogram.from_counts([10], weights=np.array([3.0]))
    )
    assert (alone.expectation, alone.variance, alone.method) == (0.0, 0.0, "closed_form")
