"""Expectation and variance of each metric, against 50-digit sums and transforms."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from cases import choose, take_turns
from oracles import (
    MP,
    POWERS,
    PRECISE,
    SAMPLED,
    absolute_error,
    assert_within,
    histogram_of,
    optimum_of,
    relative_error,
    transform_moments,
)
from rankconst.catalogue.metrics import CATALOGUE, TABULATED, Metric
from rankconst.errors import UndefinedError, UnknownNameError
from rankconst.moments import compute_moments, means, powers
from rankconst.tasks import Histogram

CUT_OFF = [row for row in CATALOGUE.values() if not row.tabulated]
METRICS = (
    *TABULATED,
    *(CATALOGUE["hits_at_k"].at(k) for k in (2, 4, 7, 10**6)),
    *(row.at(k) for row in CUT_OFF for k in (1, 2, 4, 7, 600)),
)
CLOSED = [metric for metric in METRICS if metric.family in PRECISE]
_random = random.Random(20221107)  # noqa: S311 - for examples

MIDDLING: dict[str, dict[int, int]] = {
    "many sizes": {_random.randint(1, 5000): _random.randint(1, 50) for _ in range(300)},
    "ten million tasks": {
        **{_random.randint(2, 3000): _random.randint(1, 2000) for _ in range(40)}, 1: 1000, 2500: 9_950_000,
    },
    "mostly one candidate": {1: 9_999_999, 4096: 1},
    "all one candidate but a pair": {1: 1000, 2: 1},
    "around the threshold": dict.fromkeys(range(1, 25), 3),
    "one task": {3001: 1},
    "two tasks": {3001: 1, 17: 1},
    "three tasks": {40: 1, 3001: 2},
    "four tasks": {16: 1, 17: 1, 40943: 2},
    "a wide range": {2: 10, 1000: 20, 10**6: 30, 10**9: 5},
    "a benchmark's shape": {14541 - 7 * i: 1 + i * i for i in range(80)},
    **{f"N = {size}": {size: 1000} for size in range(14, 21)},
    **{f"one task, N = {size}": {size: 1} for size in range(14, 21)},
    **{f"N = 1e9, n = {n}": {10**9: n} for n in (1, 2, 10**7)},
    "N = 1e9 and 17, n = 1e7": {17: 10**7 - 1, 10**9: 1},
    "N = 2, n = 1e15": {2: 10**15},
}  # fmt: skip


# 50-digit sums, and the errors that the code states.


def check_against_precise(metric: Metric, counts: dict[int, int]) -> None:
    expectation, variance = PRECISE[metric.family](counts, metric.k)
    moments = compute_moments(metric, histogram_of(counts))
    assert relative_error(moments.expectation, expectation) <= 1e-13
    assert_within(moments, (expectation, variance))
    assert moments.expectation_error <= 1e-11 * moments.expectation
    assert relative_error(moments.variance, variance) <= (
        1e-12 if metric.family != "ndcg" else 1e-11
    )
    assert moments.variance_error <= 1e-10 * moments.variance
    assert moments.method == "closed_form"


TRANSFORMED: dict[str, dict[int, int]] = {
    "one task": {23: 1},
    "a few tasks": {2: 1, 7: 3, 40: 2},
    "some tasks": {1: 3, 5: 20, 12: 9, 31: 30},
    "many tasks": {3: 500, 14: 4000, 29: 700},
    "ten million tasks": {2: 10**7, 30: 5},
    "a benchmark's shape": {104 - 3 * i: 1 + i * i for i in range(25)},
    "nearly certain": {1: 10**6, 20: 1},
}


@pytest.mark.slow
@pytest.mark.parametrize(("family", "counts"), take_turns(POWERS, TRANSFORMED.values()))
def test_powers_of_sums_equal_precise_transforms_within_the_stated_error(
    family: str, counts: dict[int, int]
) -> None:
    expectation, variance = transform_moments(family, counts)
    moments = compute_moments(CATALOGUE[family], histogram_of(counts))
    assert relative_error(moments.expectation, expectation) <= 1e-13
    assert_within(moments, (expectation, variance))
    assert moments.expectation_error <= 1e-12 * moments.expectation
    assert moments.variance_error <= 1e-8 * moments.variance
    assert moments.method == "numerical"


@pytest.mark.slow
@pytest.mark.parametrize("power", [-1.0, 0.5, 0.75, 4.0])
@pytest.mark.parametrize("exponent", [-1.0, 0.5, 1.5])
def test_series_of_ones_and_twos_equal_binomial_sums(power: float, exponent: float) -> None:
    """A sum of powers of 1000 ranks out of two takes 1001 values, of which 321 are likely enough to
    count.
    """
    tasks, two = 1000, MP.mpf(2) ** exponent
    ways = {twos: math.comb(tasks, twos) for twos in range(340, 661)}
    sums = {twos: (2 * (tasks + twos * (two - 1)) / (tasks * (1 + two))) ** power for twos in ways}
    mean = MP.fsum(ways[twos] * value for twos, value in sums.items()) / 2**tasks
    variance = MP.fsum(ways[twos] * (value - mean) ** 2 for twos, value in sums.items()) / 2**tasks
    ranks = powers._SumOverFirstRanks(np.array([2.0]), np.array([1000.0]), exponent)
    first, second = powers._by_series(ranks, power)
    assert absolute_error(first.value, mean) <= first.error
    assert absolute_error(second.value, variance) <= second.error
    # The variance of S / E[S]. Powers beyond 1/2 amplify what it errs by; if it is large, the rest
    # counts as well.
    spread, unit = float(((two - 1) / (two + 1)) ** 2 / tasks), 2.0**-53
    assert first.error <= (4.1 if power <= 0.5 else 9) * unit
    most = 3e5 if power > 0.5 else 64.1 if exponent < 1 else 70
    assert second.error <= most * unit * spread


@pytest.mark.slow
@pytest.mark.parametrize("metric", CLOSED, ids=str)
def test_moments_equal_precise_sums_within_the_stated_error(metric: Metric) -> None:
    # Logarithms of many sizes take long at fifty digits.
    long = {"many sizes", "a benchmark's shape"} if metric.family == "ndcg" else set()
    few = [name for name in MIDDLING if name not in long and "N = 1" not in name]
    for name in choose(few, [*MIDDLING]):
        check_against_precise(metric, MIDDLING[name])


@pytest.mark.slow
@settings(max_examples=choose(12, 30))
@given(
    counts=st.dictionaries(
        st.integers(2, 40) | st.integers(2, 10**6),
        st.integers(1, 5) | st.integers(1, 10**6),
        min_size=1,
        max_size=8,
    ),
    k=st.integers(1, 10**4),
)
def test_any_set_equals_precise_sums_within_the_stated_error(
    counts: dict[int, int], k: int
) -> None:
    for family in PRECISE:
        note(str(family))
        check_against_precise(
            CATALOGUE[family].at(k) if CATALOGUE[family].takes_k else CATALOGUE[family], counts
        )


# Laws.


COUNTS = st.lists(st.integers(1, 30) | st.integers(1, 10**6), min_size=1, max_size=30)


# The metrics without a k, with every example, and those with one k.
SOME = st.sampled_from(sorted({metric.k for metric in METRICS if metric.k})).map(
    lambda k: [metric for metric in METRICS if metric.k in (None, k)]
)


# An example of these is about twenty metrics.
HALF = settings(max_examples=settings().max_examples // 2)


@pytest.mark.slow
@HALF
@given(counts=COUNTS, metrics=SOME)
def test_laws_of_moments(counts: list[int], metrics: list[Metric]) -> None:
    histogram = Histogram.from_counts(counts)
    for metric in metrics:
        note(str(metric))
        moments = compute_moments(metric, histogram)
        worst = metric.worst(histogram.num_candidates, histogram.num_tasks)
        low, high = sorted((optimum_of(metric, histogram.total), worst))
        assert moments.method != "sampled" or metric.family in SAMPLED
        assert low * (1 - 1e-14) <= moments.expectation <= high * (1 + 1e-14)
        assert min(moments.variance, moments.expectation_error, moments.variance_error) >= 0
        # Bhatia-Davis: no variable between two ends varies more.
        bound = (high - moments.expectation) * (moments.expectation - low)
        room = 5 * moments.variance_error if moments.method == "sampled" else 0.0
        assert moments.variance <= bound * (1 + 1e-9) + 1e-12 * high * high + room


def test_a_cut_off_is_needed_and_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for family in ("hits_at_k", "ndcg_at_k"):
        with pytest.raises(UnknownNameError, match="needs a k: write"):
            compute_moments(CATALOGUE[family], Histogram.from_counts([3, 9]))
    monkeypatch.setattr(means, "_MOST_RANKS", 10)
    long, short = Histogram.from_counts([3, 20]), Histogram.from_counts([3, 10])
    at = CATALOGUE["inverse_harmonic_mean_rank_at_k"].at
    for k in (11, 20, 21):
        with pytest.raises(UndefinedError, match=f"cut off at rank 10 at most; got {min(k, 20)}"):
            compute_moments(at(k), long)
        assert compute_moments(at(k), short) == compute_moments(at(10), short)
    exact = (Fraction(11, 18) + sum(Fraction(1, 20 * rank) for rank in range(1, 11))) / 2
    assert compute_moments(at(10), long).expectation == pytest.approx(float(exact), rel=1e-15)
