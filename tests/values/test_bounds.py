"""The inequalities against linear programs over all distributions of ranks."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose
from rankconst.tasks import Histogram
from rankconst.values.bounds import (
    Bounds,
    bound_by_hits,
    holds_multiple,
    largest_reciprocal,
    least_mean_rank,
)
from rankconst.values.published import Interval

STEPS = st.sampled_from([0.5, 1.0])


def linprog(*args: Any, **options: Any) -> Any:
    """Solve a linear program; to import this takes long, and most processes that collect tests can
    do without.
    """
    return pytest.importorskip("scipy.optimize", reason="linear programs need scipy").linprog(
        *args, **options
    )


def grid(step: float, most: float) -> np.ndarray:
    return np.arange(1, most + step / 2, step)


def exactly(value: float) -> Interval:
    return Interval(value, value)


@st.composite
def shares(draw: st.DrawFn) -> dict[int, Interval]:
    """Shares of hits that some ranks have, each with a rounding interval around it."""
    ks = sorted(draw(st.sets(st.integers(1, 12), min_size=1, max_size=4)))
    values = sorted(draw(st.lists(st.floats(0, 1), min_size=len(ks), max_size=len(ks))))
    width = draw(st.sampled_from([0.0, 0.005, 0.1]))
    return {
        k: Interval(max(v - width, 0), min(v + width, 1)) for k, v in zip(ks, values, strict=True)
    }


def bound(hits: dict[int, Interval], step: float, most: float = math.inf) -> Bounds:
    lower, upper = zip(*hits.values(), strict=True)
    return bound_by_hits([*hits], lower, upper, step, most)


def optimise(values: np.ndarray, ranks: np.ndarray, hits: dict[int, Interval]) -> Interval:
    """Return the least and the largest mean of values over the distributions on `ranks` with these
    hits.
    """
    below = np.array([ranks <= k for k in hits], dtype=float)
    limits = np.vstack((below, -below))
    ends = [each.upper for each in hits.values()] + [-each.lower for each in hits.values()]
    certain = (np.ones((1, len(ranks))), [1])
    least = linprog(values, limits, ends, *certain, method="highs").fun
    return Interval(least, -linprog(-values, limits, ends, *certain, method="highs").fun)


@pytest.mark.slow
@given(shares(), STEPS)
@settings(max_examples=choose(10, 100))
def test_hits_bound_mrr_and_mr_as_a_linear_program_does(
    hits: dict[int, Interval], step: float
) -> None:
    most = 20
    ranks = grid(step, most)
    for found, values in zip(bound(hits, step, most), (1 / ranks, ranks), strict=True):
        # The solver keeps to the limits within 1e-7, and ranks go up to 20.
        assert tuple(found) == pytest.approx(tuple(optimise(values, ranks, hits)), abs=1e-5)


@pytest.mark.slow
@given(st.floats(0.05, 1), STEPS)
def test_the_least_mean_rank_is_that_of_a_linear_program(reciprocal: float, step: float) -> None:
    ranks = grid(step, 20)
    equalities = np.vstack((np.ones_like(ranks), 1 / ranks))
    found = linprog(ranks, A_eq=equalities, b_eq=[1, reciprocal], method="highs")
    assert least_mean_rank(reciprocal, step) == pytest.approx(found.fun, abs=1e-6)
    assert least_mean_rank(reciprocal, step) >= 1 / reciprocal * (1 - 1e-12)


@pytest.mark.slow
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.floats(0, 1))
def test_the_largest_mrr_is_that_of_a_linear_program(counts: list[int], part: float) -> None:
    mean, n = 1 + part * (sum(counts) / len(counts) - 1), len(counts)
    tasks, ranks = np.array([(task, r + 1) for task in range(n) for r in range(counts[task])]).T
    one_each = np.equal.outer(np.arange(n), tasks).astype(float)
    found = linprog(
        -1 / ranks, A_eq=np.vstack((one_each, ranks)), b_eq=[*[1] * n, mean * n], method="highs"
    )
    largest = largest_reciprocal(mean, Histogram.from_counts(counts))
    assert largest == pytest.approx(-found.fun / n, abs=1e-7)


def test_without_candidates_mr_has_no_upper_bound() -> None:
    half = bound({10: exactly(0.5)}, 1.0)
    assert half.rank.upper == math.inf
    assert tuple(half.reciprocal) == pytest.approx((0.05, 0.5 + 0.5 / 11))
    assert bound({10: exactly(1.0)}, 1.0).rank == (1.0, 10.0)


def test_shares_that_are_not_known_change_no_bound() -> None:
    known = bound({3: Interval(0.2, 0.3), 10: Interval(0.5, 0.6)}, 0.5, most=50)
    shares = np.array([[np.nan, 0.2, np.nan, 0.5, np.nan], [np.nan, 0.3, np.nan, 0.6, np.nan]])
    gaps = bound_by_hits([1, 3, 5, 10, 20], shares[0], shares[1], 0.5, most=50)
    assert np.ravel(gaps) == pytest.approx(np.ravel(known), rel=1e-14)
    assert least_mean_rank(np.nan, 0.5) == 1


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.floats(0, 1e-3))
def test_an_interval_around_a_share_holds_a_multiple(hits: int, n: int, width: float) -> None:
    share = min(hits, n) / n
    assert holds_multiple(Interval(share - width, share + width), 1 / n)
    assert not holds_multiple(Interval((hits + 0.01) / n, (hits + 0.99) / n), 1 / n)
