"""One law for every metric of the catalogue: 200,000 simulated random rankers agree with its constants and tails.

On two of the three datasets there are 20,000 on a push, and 200,000 every week; on the sets of
tasks that no benchmark is like, fewer.

Ranks are drawn and the metrics formed from their definitions, whole batches of rankings at a time;
nothing is shared with the code under test but the histogram.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from carried import open_once
from cases import choose
from rankconst.catalogue.metrics import CATALOGUE, TABULATED, Metric, parse_metric
from rankconst.moments import compute_moments
from rankconst.tails import tail_probability
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

pytestmark = pytest.mark.slow

DRAWS = {
    "nations": choose(50_000, 200_000),
    "kinships": choose(20_000, 200_000),
    "umls": choose(20_000, 200_000),
}
BATCH = 200  # as much as fits into a cache
SIGMAS = 5
DATASETS = (*DRAWS,)
METRICS = [metric for metric in TABULATED if metric.k in {None, 1, 3, 10}]


@dataclass(frozen=True)
class Rankings:
    """A batch of rankings: how often each rank, 0 included, occurs, a row a ranking."""

    counts: Values

    @property
    def num_tasks(self) -> int:
        """The number of ranks of each ranking."""
        return int(self.counts[0].sum())

    @functools.cached_property
    def ranks(self) -> Values:
        """The rank of each column."""
        return np.arange(self.counts.shape[1], dtype=np.float64)

    def mean(self, score: Callable[[Values], Values]) -> Values:
        """Return the mean of a score of the ranks, a value a ranking."""
        scores = np.append(0.0, score(self.ranks[1:]))
        mean: Values = self.counts @ scores / self.num_tasks
        return mean

    @functools.cached_property
    def double_median(self) -> NDArray[np.int64]:
        """Twice the median, of two middle ranks their sum."""
        lower, upper = _find_middles(self.counts)
        return lower + upper


def _find_middles(counts: Values) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return in which columns the two middle ones of each row's things are."""
    running, n = np.cumsum(counts, axis=1), int(counts[0].sum())
    lower, upper = (np.argmax(running > place, axis=1) for place in ((n - 1) // 2, n // 2))
    return lower, upper


def _spread(rankings: Rankings) -> Values:
    return rankings.mean(np.square) - rankings.mean(lambda rank: rank) ** 2


def _median_deviation(rankings: Rankings) -> Values:
    doubled = np.abs(
        2 * rankings.ranks.astype(np.int16) - rankings.double_median.astype(np.int16)[:, None]
    )
    order = np.argsort(doubled, axis=1, kind="stable")
    counts = np.take_along_axis(rankings.counts, order, axis=1)
    rows = np.arange(len(order))
    lower, upper = (
        doubled[rows, order[rows, column]].astype(np.float64) for column in _find_middles(counts)
    )
    # Twice the deviations, twice their median; over the upper quartile of the normal law.
    deviation: Values = (lower + upper) / 4 / 0.6744897501960817
    return deviation


SIMULATED: dict[str, Callable[[Rankings, int | None], Values]] = {
    "arithmetic_mean_rank": lambda rankings, _: rankings.mean(lambda rank: rank),
    "inverse_harmonic_mean_rank": lambda rankings, _: rankings.mean(lambda rank: 1 / rank),
    "hits_at_k": lambda rankings, k: rankings.mean(
        lambda rank: (rank <= (k or 0)).astype(np.float64)
    ),
    "geometric_mean_rank": lambda rankings, _: np.exp(rankings.mean(np.log)),
    "inverse_geometric_mean_rank": lambda rankings, _: np.exp(-rankings.mean(np.log)),
    "inverse_arithmetic_mean_rank": lambda rankings, _: 1 / rankings.mean(lambda rank: rank),
    "harmonic_mean_rank": lambda rankings, _: 1 / rankings.mean(lambda rank: 1 / rank),
    "quadratic_mean_rank": lambda rankings, _: np.sqrt(rankings.mean(np.square)),
    "inverse_quadratic_mean_rank": lambda rankings, _: 1 / np.sqrt(rankings.mean(np.square)),
    "median_rank": lambda rankings, _: rankings.double_median / 2,
    "inverse_median_rank": lambda rankings, _: 2 / rankings.double_median,
    "ndcg": lambda rankings, _: rankings.mean(lambda rank: 1 / np.log2(1 + rank)),
    "variance": lambda rankings, _: _spread(rankings),
    "standard_deviation": lambda rankings, _: np.sqrt(_spread(rankings)),
    "median_absolute_deviation": lambda rankings, _: _median_deviation(rankings),
    "count": lambda rankings, _: np.full(len(rankings.counts), float(rankings.num_tasks)),
}
"""Family to the metric of a batch of rankings."""


def test_every_metric_is_simulated() -> None:
    """A new metric fails here until it stands in the law below."""
    tabulated = {family for family, metric in CATALOGUE.items() if metric.tabulated}
    assert SIMULATED.keys() == tabulated
    assert {metric.family for metric in METRICS} == tabulated


def _count(ranks: NDArray[np.int64], width: int) -> Values:
    rows = np.arange(len(ranks))[:, None] * width
    return (
        np.bincount((rows + ranks).ravel(), minlength=len(ranks) * width)
        .reshape(-1, width)
        .astype(np.float64)
    )


@pytest.fixture(scope="module", params=DATASETS)
def simulated(request: pytest.FixtureRequest) -> tuple[str, dict[str, Values]]:
    """Values of every metric for all draws on the test split of a dataset, both sides."""
    histogram = open_once().histogram(request.param)
    width = int(histogram.num_candidates.max()) + 1
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks)
    rng = np.random.default_rng([20220314, DATASETS.index(request.param)])
    values: dict[str, Any] = {str(metric): np.empty(DRAWS[request.param]) for metric in METRICS}
    for start in range(0, DRAWS[request.param], BATCH):
        rankings = Rankings(
            _count((rng.random((BATCH, sizes.size)) * sizes).astype(np.int64) + 1, width)
        )
        for metric in METRICS:
            values[str(metric)][start : start + BATCH] = SIMULATED[metric.family](
                rankings, metric.k
            )
    return request.param, values


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_simulated_rankers_agree(metric: Metric, simulated: tuple[str, dict[str, Values]]) -> None:
    dataset, values = simulated
    check(metric, open_once().histogram(dataset), values[str(metric)])


def check(metric: Metric, histogram: Histogram, values: Values) -> None:
    moments = compute_moments(metric, histogram)
    # Where the constants are themselves sampled, their standard errors count, too.
    sampled = moments.method == "sampled"
    deviations = values - moments.expectation
    error = math.hypot(
        math.sqrt(moments.variance / deviations.size), moments.expectation_error if sampled else 0.0
    )
    assert abs(deviations.mean()) <= SIGMAS * error + 1e-13 * moments.expectation
    squares = np.square(deviations)
    error = math.hypot(
        squares.std() / math.sqrt(squares.size), moments.variance_error if sampled else 0.0
    )
    assert abs(squares.mean() - moments.variance) <= SIGMAS * error


_rng = np.random.default_rng(20260311)
_sizes = np.concatenate(([1, 1, 2], _rng.integers(2, 300, 20), [17, 17, 5000]))
# Narrow blocks in front, wide ones behind: what a ranker by frequency may give.
_offsets = np.exp(_rng.random(60) * math.log(100)).astype(int) - 1
_blocks = np.where(
    np.arange(60) % 7, 1 + (_rng.random(60) ** 3 * (_offsets + 3)).astype(int), 400 - _offsets
)

SETS: dict[str, Histogram] = {
    "some of many": Histogram.from_counts(_sizes),
    "weighted": Histogram.from_counts(_sizes, weights=1 / _rng.integers(1, 30, _sizes.size)),
    "blocks": Histogram.from_counts(_blocks, _rng.integers(1, 4, 60) * 2, offsets=_offsets),
    "every order": Histogram.from_counts([5, 50, 700, 9_000, 10**5], [11, 150, 90, 101, 30]),
    "half twos": Histogram.from_counts([2, 5_000], [60, 60]),
    "far apart": Histogram.from_counts([3, 2000], [40, 40]),
}


@pytest.mark.parametrize("histogram", SETS.values(), ids=SETS)
def test_simulated_rankers_agree_on_other_sets(histogram: Histogram) -> None:
    """The metrics by the catalogue's own definitions, which test_metrics.py holds against plain
    Python.
    """
    offsets, weights = (
        (np.zeros(1) if histogram.offsets is None else histogram.offsets),
        histogram.weights,
    )
    columns = (
        histogram.num_candidates,
        offsets + 0 * histogram.num_tasks,
        np.ones(1) if weights is None else weights,
    )
    sizes, above, own = (
        np.repeat(each + 0.0 * histogram.num_tasks, histogram.num_tasks) for each in columns
    )
    draws = choose(500, 20_000)
    ranks = 1 + above + np.floor(np.random.default_rng(7).random((draws, sizes.size)) * sizes)
    for metric in METRICS:
        check(metric, histogram, np.array([metric.evaluate(row, own) for row in ranks]))


@pytest.mark.parametrize("name", ["hits@1", "hits@10", "mr", "mrr", "gmr", "igmr", "hmr", "iamr"])
def test_simulated_tails_agree(name: str, simulated: tuple[str, dict[str, Values]]) -> None:
    """Every tail above 1e-4 is within 5 standard errors."""
    dataset, values = simulated
    histogram = open_once().histogram(dataset)
    metric = parse_metric(name)
    moments = compute_moments(metric, histogram)
    sign = 1 if metric.increasing else -1
    for z in (-2.1, -0.7, 0, 1.3, 3.1):
        cut = moments.expectation + sign * z * math.sqrt(moments.variance)
        reached, draws = np.mean(sign * values[str(metric)] >= sign * cut), values[str(metric)].size
        tail = tail_probability(metric, histogram, cut)
        p = tail.probability
        slack = p * math.expm1(math.log(10) * tail.error)
        assert abs(reached - p) <= SIGMAS * math.sqrt(p * (1 - p) / draws) + slack + 2 / draws, (
            cut,
            reached,
            tail,
        )
