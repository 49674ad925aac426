"""Weighted tasks: moments of macro averages against enumeration, 50-digit sums and the unweighted case."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose
from oracles import MP, absolute_error, power_sums
from rankconst.catalogue.metrics import CATALOGUE, MACRO_METRICS, parse_metric
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric

Task = tuple[int, Fraction]
"""Number of candidates and weight."""

METRICS = [row.at(3) if row.takes_k else row for row in CATALOGUE.values() if row.weighted]
SAMPLED = [row for row in CATALOGUE.values() if not row.weighted]


def _log_mean(ranks: Sequence[int], weights: Sequence[Fraction]) -> Any:
    total = sum(weights)
    return sum(MP.mpf(w.numerator) / w.denominator * MP.log(r) for w, r in zip(weights, ranks, strict=True)) / (
        MP.mpf(total.numerator) / total.denominator
    )


def _average(score: Callable[[int], Any]) -> Callable[[Sequence[int], Sequence[Fraction]], Any]:
    def average(ranks: Sequence[int], weights: Sequence[Fraction]) -> Any:
        total = sum(
            (MP.mpf(w.numerator) / w.denominator * score(r) for w, r in zip(weights, ranks, strict=True)), MP.mpf(0)
        )
        return total * sum(weights).denominator / sum(weights).numerator

    return average


def _vary(ranks: Sequence[int], weights: Sequence[Fraction]) -> Any:
    squares = _average(lambda rank: MP.mpf(rank) ** 2)(ranks, weights)
    return squares - _average(MP.mpf)(ranks, weights) ** 2


WEIGHTED: dict[str, Callable[[Sequence[int], Sequence[Fraction]], Any]] = {
    "arithmetic_mean_rank": _average(MP.mpf),
    "inverse_harmonic_mean_rank": _average(lambda rank: MP.mpf(1) / rank),
    "hits_at_k": _average(lambda rank: MP.mpf(rank <= 3)),
    "geometric_mean_rank": lambda ranks, weights: MP.exp(_log_mean(ranks, weights)),
    "inverse_geometric_mean_rank": lambda ranks, weights: MP.exp(-_log_mean(ranks, weights)),
    "inverse_arithmetic_mean_rank": lambda ranks, weights: 1 / _average(MP.mpf)(ranks, weights),
    "harmonic_mean_rank": lambda ranks, weights: 1 / _average(lambda rank: MP.mpf(1) / rank)(ranks, weights),
    "quadratic_mean_rank": lambda ranks, weights: MP.sqrt(_average(lambda rank: MP.mpf(rank) ** 2)(ranks, weights)),
    "inverse_quadratic_mean_rank": lambda ranks, weights: (
        1 / MP.sqrt(_average(lambda rank: MP.mpf(rank) ** 2)(ranks, weights))
    ),
    "variance": _vary,
    "ndcg": _average(lambda rank: MP.log(2) / MP.log(1 + rank)),
    "inverse_harmonic_mean_rank_at_k": _average(lambda rank: MP.mpf(rank <= 3) / rank),
    "ndcg_at_k": _average(lambda rank: MP.mpf(rank <= 3) * MP.log(2) / MP.log(1 + rank)),
}
"""Family to the metric of ranks with weights, written out at 50 digits; k = 3."""

TASKS = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 9).map(lambda group: Fraction(1, group))), min_size=1, max_size=4
)


def gather(tasks: Sequence[Task]) -> Histogram:
    return Histogram.from_counts([size for size, _ in tasks], weights=[float(weight) for _, weight in tasks])


def weights_of(histogram: Histogram) -> NDArray[np.float64]:
    assert histogram.weights is not None
    return histogram.weights


def test_every_weighted_metric_has_an_oracle() -> None:
    assert WEIGHTED.keys() == {metric.family for metric in METRICS}
    assert {metric.family for metric in MACRO_METRICS} <= WEIGHTED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS, ids=str)
@settings(max_examples=choose(15, 40), deadline=None)
@given(tasks=TASKS)
def test_moments_equal_the_enumeration(metric: Metric, tasks: list[Task]) -> None:
    weights = [weight for _, weight in tasks]
    values = [
        WEIGHTED[metric.family](ranks, weights) for ranks in itertools.product(*(range(1, n + 1) for n, _ in tasks))
    ]
    mean = MP.fsum(values) / len(values)
    variance = MP.fsum((value - mean) ** 2 for value in values) / len(values)
    moments = compute_moments(metric, gather(tasks))
    assert absolute_error(moments.expectation, mean) <= min(moments.expectation_error, 1e-12 * float(mean))
    # Whole 1/3 is no double: the weights themselves differ by a rounding.
    assert absolute_error(moments.variance, variance) <= min(moments.variance_error + 1e-30, 1e-12 * float(variance))
    assert moments.method == ("numerical" if metric.moments.startswith("powers") else "closed_form")


BLOCKS = [(a, size, Fraction(1, w)) for a, size, w in ((0, 3, 1), (2, 2, 3), (7, 4, 2), (10**5, 3, 7), (4, 1, 1))]
"""Offset, size and weight of each task."""


@pytest.mark.parametrize("tasks", [BLOCKS, BLOCKS[:3], BLOCKS[3:], BLOCKS[3:4]], ids=len)
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_moments_on_blocks_equal_the_enumeration(metric: Metric, tasks: list[tuple[int, int, Fraction]]) -> None:
    weights = [weight for *_, weight in tasks]
    vectors = itertools.product(*(range(a + 1, a + size + 1) for a, size, _ in tasks))
    values = [WEIGHTED[metric.family](ranks, weights) for ranks in vectors]
    mean = MP.fsum(values) / len(values)
    variance = MP.fsum((value - mean) ** 2 for value in values) / len(values)
    offsets, sizes, _ = zip(*tasks, strict=True)
    moments = compute_moments(metric, Histogram.from_counts(sizes, None, [float(w) for w in weights], offsets))
    assert absolute_error(moments.expectation, mean) <= min(moments.expectation_error, 1e-12 * float(mean))
    assert absolute_error(moments.variance, variance) <= moments.variance_error + 1e-30
    assert moments.variance_error <= 1e-7 * moments.variance
    assert moments.method == ("numerical" if metric.moments.startswith("powers") else "closed_form")


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(
    counts=st.lists(st.integers(1, 40) | st.integers(1, 10**9), min_size=1, max_size=12),
    weight=st.floats(1e-3, 1e3, allow_nan=False),
)
def test_equal_weights_are_no_weights(metric: Metric, counts: list[int], weight: float) -> None:
    plain = compute_moments(metric, Histogram.from_counts(counts))
    weighted = compute_moments(metric, Histogram.from_counts(counts, weights=np.full(len(counts), weight)))
    assert abs(weighted.expectation - plain.expectation) <= plain.expectation_error + weighted.expectation_error
    assert abs(weighted.variance - plain.variance) <= plain.variance_error + weighted.variance_error


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(tasks=TASKS, exponent=st.integers(-20, 20))
def test_only_proportions_of_weights_matter(metric: Metric, tasks: list[Task], exponent: int) -> None:
    histogram = gather(tasks)
    scaled = replace(histogram, weights=weights_of(histogram) * 2.0**exponent)
    one, other = compute_moments(metric, histogram), compute_moments(metric, scaled)
    assert one.expectation == pytest.approx(other.expectation, rel=1e-15)
    assert one.variance == pytest.approx(other.variance, rel=1e-14)


@pytest.mark.parametrize("sign", [1, -1])
def test_products_of_many_tasks_at_50_digits(sign: int) -> None:
    """Weights over three orders of magnitude, sizes to 10^6."""
    rows = [(14, 1, 40), (14, 300, 600), (14_541, 7, 700), (14_541, 1, 300), (10**6, 50, 200)]
    metric = parse_metric("gmr" if sign == 1 else "igmr")
    histogram = Histogram.from_counts(
        [size for size, _, _ in rows], [tasks for *_, tasks in rows], [1 / group for _, group, _ in rows]
    )
    total = sum(Fraction(tasks, group) for _, group, tasks in rows)
    logs = {1: MP.mpf(0), 2: MP.mpf(0)}
    for size, group, tasks in rows:
        for order in logs:
            power = sign * order * Fraction(1, group) / total
            logs[order] += tasks * MP.log(power_sums(power, [size])[size] / size)
    expectation = MP.exp(logs[1])
    variance = MP.exp(logs[2]) - expectation**2
    moments = compute_moments(metric, histogram)
    assert absolute_error(moments.expectation, expectation) <= min(
        moments.expectation_error, 1e-12 * float(expectation)
    )
    assert absolute_error(moments.variance, variance) <= min(moments.variance_error, 1e-11 * float(variance))


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_simulated_rankers_agree(metric: Metric) -> None:
    rng = np.random.default_rng(20260311)
    sizes = np.concatenate(([1, 2], rng.integers(2, 300, size=15), [17, 5000]))
    weights = 1.0 / rng.integers(1, 30, size=sizes.size)
    draws = choose(10_000, 25_000)
    ranks = rng.integers(1, sizes + 1, size=(draws, sizes.size)).astype(np.float64)
    values = np.array([metric.evaluate(row, weights, metric.k) for row in ranks])
    moments = compute_moments(metric, Histogram.from_counts(sizes, weights=weights))
    assert abs(values.mean() - moments.expectation) < 5 * math.sqrt(moments.variance / draws)
    squares = np.square(values - moments.expectation)
    assert abs(squares.mean() - moments.variance) < 5 * squares.std() / math.sqrt(draws)


@pytest.mark.parametrize("metric", SAMPLED, ids=str)
@pytest.mark.parametrize(
    "tasks", [[(4, 1.0), (5, 0.3), (6, 0.2)], [(9, 3.0), (3, 1.0), (3, 1.0)], [(1, 1.0), (1, 0.2)]]
)
def test_other_metrics_are_sampled(metric: Metric, tasks: list[tuple[int, float]]) -> None:
    """By enumeration; where the first task has most of the weight, the median is its rank, never varied by others."""
    sizes, weights = map(np.array, zip(*tasks, strict=True))
    vectors = itertools.product(*(range(1, size + 1) for size in sizes))
    values = np.array([metric.evaluate(np.array(ranks, float), weights, None) for ranks in vectors])
    moments = compute_moments(metric, Histogram.from_counts(sizes, weights=weights))
    assert abs(moments.expectation - values.mean()) <= 5 * moments.expectation_error + 1e-15
    assert abs(moments.variance - values.var()) <= 5 * moments.variance_error + 1e-15
    assert moments.expectation_error <= 0.01 * (1 + values.mean())
    certain = metric.optimum is None or sizes.max() == 1
    assert (moments.method, moments.num_draws) == (("closed_form", None) if certain else ("sampled", 2**13))


def test_what_no_draw_shows_is_reckoned_with() -> None:
    """A median that is 1 but for a chance of 1e-5: its error is that of nine draws at the last rank."""
    histogram = Histogram.from_counts([1, 10], [3, 1], [1.0, 2.99999])
    moments = compute_moments(parse_metric("median"), histogram)
    assert (moments.expectation, moments.variance) == (1.0, 0.0)
    assert moments.expectation_error == pytest.approx(3 * 9 / 2**13)
    assert moments.variance_error == pytest.approx(3 * 9**2 / 2**13)
    alone = compute_moments(parse_metric("sdr"), Histogram.from_counts([10], weights=[3.0]))
    assert (alone.expectation, alone.variance, alone.method) == (0.0, 0.0, "closed_form")
