"""One law for every metric of the catalogue: simulated random rankers agree with its constants and tails.

Ranks are drawn, and metrics formed by the catalogue's own definitions, which test_metrics.py holds
against plain Python; nothing else is shared with the code under test but the histogram.
"""

import functools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from carried import open_once
from cases import choose, thorough
from rankconst.catalogue.metrics import TABULATED, Metric, parse_metric
from rankconst.moments import compute_moments
from rankconst.tails import tail_probability
from rankconst.tasks import Histogram

pytestmark = [pytest.mark.slow, thorough]  # enumerations and precise sums show the same

DRAWS = choose(400, 20_000)
SIGMAS = 5
METRICS = [metric for metric in TABULATED if metric.k in {None, 1, 3, 10}]

_rng = np.random.default_rng(20260311)
_sizes = np.concatenate(([1, 1, 2], _rng.integers(2, 300, 20), [17, 17, 5000]))
# Narrow blocks in front, wide ones behind: what a ranker by frequency may give.
_offsets = np.exp(_rng.random(60) * math.log(100)).astype(int) - 1
_blocks = np.where(
    np.arange(60) % 7, 1 + (_rng.random(60) ** 3 * (_offsets + 3)).astype(int), 400 - _offsets
)

SETS: dict[str, Histogram] = {
    "nations": open_once().histogram("nations"),
    "some of many": Histogram.from_counts(_sizes),
    "weighted": Histogram.from_counts(_sizes, weights=1 / _rng.integers(1, 30, _sizes.size)),
    "blocks": Histogram.from_counts(_blocks, _rng.integers(1, 4, 60) * 2, offsets=_offsets),
    "every order": Histogram.from_counts([5, 50, 700, 9_000, 10**5], [11, 150, 90, 101, 30]),
    "half twos": Histogram.from_counts([2, 5_000], [60, 60]),
    "far apart": Histogram.from_counts([3, 2000], [40, 40]),
}


@functools.lru_cache(2)
def draw_ranks(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw rankings, a row each; return the weights of their tasks, too."""
    histogram = SETS[name]
    size = len(histogram)
    above = np.zeros(size) if histogram.offsets is None else histogram.offsets
    weights = np.ones(size) if histogram.weights is None else histogram.weights
    sizes, above, weights = (
        np.repeat(each.astype(np.float64), histogram.num_tasks)
        for each in (histogram.num_candidates, above, weights)
    )
    shares = np.random.default_rng(7).random((DRAWS, sizes.size))
    return 1 + above + np.floor(shares * sizes), weights


def evaluate(name: str, metric: Metric) -> NDArray[np.float64]:
    ranks, weights = draw_ranks(name)
    return np.array([metric.evaluate(row, weights) for row in ranks])


@pytest.mark.parametrize("name", SETS)
def test_simulated_rankers_agree(name: str) -> None:
    for metric in METRICS:
        moments, values = compute_moments(metric, SETS[name]), evaluate(name, metric)
        own_errors = (0.0, 0.0)
        if moments.method == "sampled":  # their standard errors count, too
            own_errors = (moments.expectation_error, moments.variance_error)
        deviations = values - moments.expectation
        error = math.hypot(math.sqrt(moments.variance / DRAWS), own_errors[0])
        assert abs(deviations.mean()) <= SIGMAS * error + 1e-13 * moments.expectation, metric
        squares = np.square(deviations)
        error = math.hypot(squares.std() / math.sqrt(DRAWS), own_errors[1])
        assert abs(squares.mean() - moments.variance) <= SIGMAS * error, metric


@pytest.mark.parametrize("metric", ["hits@1", "hits@10", "mr", "mrr", "gmr", "igmr", "hmr", "iamr"])
def test_simulated_tails_agree(metric: str) -> None:
    """Within 5 standard errors, and two draws."""
    parsed, histogram = parse_metric(metric), SETS["nations"]
    moments, values = compute_moments(parsed, histogram), evaluate("nations", parsed)
    sign = 1 if parsed.increasing else -1
    for z in (-2.1, -0.7, 0, 1.3, 2.8):
        cut = moments.expectation + sign * z * math.sqrt(moments.variance)
        reached = float(np.mean(sign * values >= sign * cut))
        tail = tail_probability(parsed, histogram, cut)
        slack = tail.probability * math.expm1(math.log(10) * tail.error) + 2 / DRAWS
        error = math.sqrt(tail.probability * (1 - tail.probability) / DRAWS)
        assert abs(reached - tail.probability) <= SIGMAS * error + slack, (cut, reached, tail)
