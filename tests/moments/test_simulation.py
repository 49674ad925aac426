"""One law for every metric of the catalogue: 200,000 simulated random rankers agree with its constants.

Ranks are drawn and the metrics formed from their definitions, whole batches of rankings at a time; nothing is shared
with the code under test but the histogram.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rankconst
from rankconst.catalogue.metrics import CATALOGUE, TABULATED, Metric
from rankconst.moments import compute_moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

DRAWS = 200_000
BATCH = 1_000
SIGMAS = 5
DATASETS = ("nations", "kinships", "umls")
METRICS = [metric for metric in TABULATED if metric.k in {None, 1, 3, 10}]


@dataclass(frozen=True)
class Rankings:
    """A batch of rankings: ranks in ascending order, a row a ranking; all below 256."""

    ranks: NDArray[np.uint8]

    def mean(self, score: Callable[[Values], Values]) -> Values:
        """Return the mean of a score of the ranks, a value a ranking."""
        with np.errstate(divide="ignore"):
            scores = score(np.arange(256, dtype=np.float64))
        mean: Values = np.take(scores, self.ranks).mean(axis=1)
        return mean

    def double_median(self) -> NDArray[np.int64]:
        """Return twice the median, of two middle ranks their sum."""
        n = self.ranks.shape[1]
        return self.ranks[:, (n - 1) // 2].astype(np.int64) + self.ranks[:, n // 2]


def _spread(rankings: Rankings) -> Values:
    return rankings.mean(np.square) - rankings.mean(lambda rank: rank) ** 2


def _median_deviation(rankings: Rankings) -> Values:
    doubled = np.abs(2 * rankings.ranks.astype(np.int16) - rankings.double_median()[:, None].astype(np.int16))
    doubled = np.sort(doubled, axis=1, kind="stable")
    n = doubled.shape[1]
    # Twice the deviations, twice their median; over the upper quartile of the normal law.
    return (doubled[:, (n - 1) // 2].astype(np.float64) + doubled[:, n // 2]) / 4 / 0.6744897501960817


SIMULATED: dict[str, Callable[[Rankings, int | None], Values]] = {
    "arithmetic_mean_rank": lambda rankings, _: rankings.mean(lambda rank: rank),
    "inverse_harmonic_mean_rank": lambda rankings, _: rankings.mean(lambda rank: 1 / rank),
    "hits_at_k": lambda rankings, k: rankings.mean(lambda rank: (rank <= (k or 0)).astype(np.float64)),
    "geometric_mean_rank": lambda rankings, _: np.exp(rankings.mean(np.log)),
    "inverse_geometric_mean_rank": lambda rankings, _: np.exp(-rankings.mean(np.log)),
    "inverse_arithmetic_mean_rank": lambda rankings, _: 1 / rankings.mean(lambda rank: rank),
    "harmonic_mean_rank": lambda rankings, _: 1 / rankings.mean(lambda rank: 1 / rank),
    "quadratic_mean_rank": lambda rankings, _: np.sqrt(rankings.mean(np.square)),
    "inverse_quadratic_mean_rank": lambda rankings, _: 1 / np.sqrt(rankings.mean(np.square)),
    "median_rank": lambda rankings, _: rankings.double_median() / 2,
    "inverse_median_rank": lambda rankings, _: 2 / rankings.double_median(),
    "ndcg": lambda rankings, _: rankings.mean(lambda rank: 1 / np.log2(1 + rank)),
    "variance": lambda rankings, _: _spread(rankings),
    "standard_deviation": lambda rankings, _: np.sqrt(_spread(rankings)),
    "median_absolute_deviation": lambda rankings, _: _median_deviation(rankings),
    "count": lambda rankings, _: np.full(len(rankings.ranks), float(rankings.ranks.shape[1])),
}
"""Family to the metric of a batch of rankings."""


def test_every_metric_is_simulated() -> None:
    """A new metric fails here until it stands in the law below."""
    assert SIMULATED.keys() == CATALOGUE.keys()
    assert {metric.family for metric in METRICS} == CATALOGUE.keys()


@pytest.fixture(scope="module", params=DATASETS)
def simulated(request: pytest.FixtureRequest) -> tuple[str, dict[str, Values]]:
    """Values of every metric for all draws on the test split of a dataset, both sides."""
    histogram = rankconst.load().histogram(request.param)
    assert histogram.num_candidates.max() < 256
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks)
    rng = np.random.default_rng([20220314, DATASETS.index(request.param)])
    values: dict[str, Any] = {str(metric): np.empty(DRAWS) for metric in METRICS}
    for start in range(0, DRAWS, BATCH):
        ranks = (rng.random((BATCH, sizes.size)) * sizes).astype(np.uint8) + np.uint8(1)
        rankings = Rankings(np.sort(ranks, axis=1, kind="stable"))
        for metric in METRICS:
            values[str(metric)][start : start + BATCH] = SIMULATED[metric.family](rankings, metric.k)
    return request.param, values


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_simulated_rankers_agree(metric: Metric, simulated: tuple[str, dict[str, Values]]) -> None:
    dataset, values = simulated
    moments = compute_moments(metric, rankconst.load().histogram(dataset))
    # Where the constants are themselves sampled, their standard errors count, too.
    sampled = moments.method == "sampled"
    deviations = values[str(metric)] - moments.expectation
    error = math.hypot(math.sqrt(moments.variance / DRAWS), moments.expectation_error if sampled else 0.0)
    assert abs(deviations.mean()) <= SIGMAS * error + 1e-13 * moments.expectation
    squares = np.square(deviations)
    error = math.hypot(squares.std() / math.sqrt(DRAWS), moments.variance_error if sampled else 0.0)
    assert abs(squares.mean() - moments.variance) <= SIGMAS * error
