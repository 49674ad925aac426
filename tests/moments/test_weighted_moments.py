"""Weighted tasks: moments of macro averages against enumeration, 50-digit sums and the unweighted case."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import MP, absolute_error, assert_alike, power_sums
from rankconst.catalogue.metrics import CATALOGUE, parse_metric
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric

Task = tuple[int, Fraction]
"""Number of candidates and weight."""

METRICS = [row.at(3) if row.takes_k else row for row in CATALOGUE.values() if row.weighted]
"""Family to the metric of ranks with weights, written out at 50 digits; k = 3."""

TASKS = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 9).map(lambda group: Fraction(1, group))), min_size=1, max_size=4
)


def gather(tasks: Sequence[Task]) -> Histogram:
    return Histogram.from_counts([size for size, _ in tasks], weights=[float(weight) for _, weight in tasks])


def weights_of(histogram: Histogram) -> NDArray[np.float64]:
    assert histogram.weights is not None
    return histogram.weights


"""Offset, size and weight of each task."""


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(
    counts=st.lists(st.integers(1, 40) | st.integers(1, 10**9), min_size=1, max_size=12),
    weight=st.floats(1e-3, 1e3, allow_nan=False),
)
def test_equal_weights_are_no_weights(metric: Metric, counts: list[int], weight: float) -> None:
    plain = compute_moments(metric, Histogram.from_counts(counts))
    weighted = compute_moments(metric, Histogram.from_counts(counts, weights=np.full(len(counts), weight)))
    assert_alike(weighted, plain)


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
