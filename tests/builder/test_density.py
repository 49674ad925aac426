"""The probabilities that pictures show: against all rank vectors of small tasks, and against tails
of real ones.
"""

import itertools
import math

import numpy as np
import pytest

import rankconst
from carried import open_once
from cases import take_turns
from oracles import EVALUATED
from rankconst.catalogue.metrics import CATALOGUE, Metric, parse_metric
from rankconst.tails import TAILS, tail_probability
from rankconst.tasks import Histogram
from rankconst_builder.site.draw import compute_density

COUNTS = (2, 3, 5, 7)


@pytest.mark.parametrize(
    "metric",
    [
        parse_metric("hits@2"),
        *(CATALOGUE[each] for each in TAILS if each in CATALOGUE and each != "hits_at_k"),
    ],
)
def test_of_all_rank_vectors_each_falls_in_its_cell(metric: Metric) -> None:
    constants = rankconst.from_counts(COUNTS).constants(metric)
    density = compute_density(constants, -math.inf, math.inf)
    vectors = itertools.product(*(range(1, size + 1) for size in COUNTS))
    values = [float(EVALUATED[metric.family](ranks, metric.k)) for ranks in vectors]
    expected = np.histogram(values, density.edges)[0] / len(values)
    assert density.exact
    assert density.probabilities == pytest.approx(expected, abs=1e-9)
    assert density.probabilities.sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "metric"),
    take_turns(["nations", "wn18rr"], ["mrr", "gmr", "igmr", "hits@1", "mr"]),
)
def test_cells_of_benchmarks_are_differences_of_tails(dataset: str, metric: str) -> None:
    constants = open_once().constants(dataset, metric)
    histogram = open_once().histogram(dataset)
    assert isinstance(histogram, Histogram)
    deviation = math.sqrt(constants.variance)
    density = compute_density(
        constants, constants.expectation - 4 * deviation, constants.expectation + 4 * deviation
    )
    inner = [
        edge
        for edge in density.edges.tolist()
        if constants.metric.lower <= edge <= constants.metric.upper
    ]
    places = [0, len(inner) // 3, len(inner) // 2, len(inner) - 2]
    for place in places:
        ends = inner[place], inner[place + 1]
        reached = [tail_probability(constants.metric, histogram, end).probability for end in ends]
        cell = int(np.searchsorted(density.edges, ends[0] * (1 + 1e-12), side="right")) - 1
        assert density.probabilities[cell] == pytest.approx(abs(reached[0] - reached[1]), abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "aggregation"), [("median_rank", "micro"), ("mrr", "macro-query")]
)
def test_a_normal_law_stands_in_where_none_is_known(metric: str, aggregation: str) -> None:
    constants = open_once().constants("nations", metric, aggregation=aggregation)
    deviation = math.sqrt(constants.variance)
    density = compute_density(
        constants, constants.expectation - 3 * deviation, constants.expectation + 3 * deviation
    )
    assert not density.exact
    assert density.probabilities.sum() == pytest.approx(math.erf(3 / math.sqrt(2)), abs=2e-3)
    assert int(np.argmax(density.probabilities)) in range(46, 50)


def test_a_law_that_is_only_bracketed_is_not_drawn() -> None:
    """Few tasks of very many candidates: tails are bounds, and say so."""
    constants = rankconst.from_counts([14_541] * 12).constants("gmr")
    deviation = math.sqrt(constants.variance)
    density = compute_density(
        constants, constants.expectation - 3 * deviation, constants.expectation + 3 * deviation
    )
    assert np.all(np.isfinite(density.probabilities))
    assert density.probabilities.sum() == pytest.approx(0.99, abs=0.02)
