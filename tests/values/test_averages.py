"""Means over graphs, held to loops over all rankings of small graphs."""

import math
from fractions import Fraction
from statistics import mean, stdev

import numpy as np
import pytest

from oracles import TERMS, enumerate_distribution, moments_of
from rankconst.catalogue.metrics import parse_metric
from rankconst.tables.own_counts import from_counts
from rankconst.values.averages import Average
from rankconst.values.constants import Constants

# Of each graph the numbers of candidates of its tasks.
GRAPHS = {"a": [2, 3], "b": [4], "c": [1, 5, 2]}
RESULTS = {"mrr": [0.7, 0.4, 0.9], "hits@2": [1.0, 0.5, 0.9], "mr": [1.5, 2.0, 1.4]}


def list_tasks(*graphs: list[int]) -> list[tuple[int, int, Fraction]]:
    """List size, offset and weight of each task, so that every graph counts once."""
    return [(size, 0, Fraction(1, len(counts))) for counts in graphs for size in counts]


def expect(metric: str, counts: list[int]) -> Fraction:
    expectation: Fraction = moments_of(enumerate_distribution(list_tasks(counts), TERMS[metric]))[0]
    return expectation


def look_up(metric: str, counts: list[int]) -> Constants:
    return from_counts(counts).constants(metric)


def average(metric: str, counting: list[Constants] | None = None) -> Average:
    values = np.array(RESULTS[metric])
    chance = [look_up(metric, counts) for counts in GRAPHS.values()]
    return Average(
        parse_metric(metric), tuple(GRAPHS), values, values - 0.05, values + 0.05, chance, counting
    )


def average_exactly(metric: str, values: list[float], chance: list[Constants]) -> Average:
    numbers, names = np.array(values), tuple("abc"[: len(values)])
    return Average(parse_metric(metric), names, numbers, numbers, numbers, chance)


@pytest.mark.parametrize("metric", RESULTS)
def test_moments_are_those_of_all_rankings(metric: str) -> None:
    distribution = enumerate_distribution(list_tasks(*GRAPHS.values()), TERMS[metric])
    expected, variance = map(float, moments_of(distribution))
    found, published = average(metric), sum(RESULTS[metric]) / len(GRAPHS)
    sign = -1 if metric == "mr" else 1
    assert found.value == pytest.approx(published, rel=1e-14)
    assert found.rounding == pytest.approx(0.05, rel=1e-12)
    assert found.chance.expectation == pytest.approx(expected, rel=1e-13)
    assert found.chance.variance == pytest.approx(variance, rel=1e-12)
    assert found.chance.z == pytest.approx(
        sign * (published - expected) / math.sqrt(variance), rel=1e-12
    )
    assert found.chance.index == pytest.approx((published - expected) / (1 - expected), rel=1e-12)


@pytest.mark.parametrize("metric", RESULTS)
def test_what_is_said_of_single_graphs(metric: str) -> None:
    found, size = average(metric), len(GRAPHS)
    expected = [float(expect(metric, counts)) for counts in GRAPHS.values()]
    pairs = zip(RESULTS[metric], expected, strict=True)
    assert found.chance.mean_index == pytest.approx(mean((v - e) / (1 - e) for v, e in pairs))
    assert found.heaviest[0] == [*GRAPHS][expected.index(max(expected))]
    assert found.heaviest[1] == pytest.approx(max(expected) / sum(expected), rel=1e-12)
    assert found.error == pytest.approx(stdev(RESULTS[metric]) / math.sqrt(size), rel=1e-12)
    assert (found.counting, found.below) == (None, ())


def test_below_counting_means_however_it_was_rounded() -> None:
    # As if counting got what chance gets on graphs of fewer candidates.
    found = average("mrr", [look_up("mrr", counts) for counts in ([1], [2], [1, 1, 2, 2])])
    counting, expected = found.counting, (1 + 0.75 + 0.875) / 3
    assert counting is not None
    assert counting.expectation == pytest.approx(expected, rel=1e-12)
    assert counting.index == pytest.approx((2 / 3 - expected) / (1 - expected), rel=1e-12)
    z = (2 / 3 - expected) / math.sqrt(counting.variance)
    assert counting.z == pytest.approx(z, rel=1e-12)
    assert math.isnan(counting.mean_index)  # one graph has a perfect counter
    assert found.below == ("a", "b")
    found = average("mr", [look_up("mr", counts) for counts in ([1], [3], [1])])
    assert found.below == ("a", "c")


def test_the_mean_of_indices_can_order_models_differently() -> None:
    chance = [look_up("mrr", [2]), look_up("mrr", [40])]
    one, other = (
        average_exactly("mrr", values, chance).chance for values in ([0.80, 0.31], [0.90, 0.20])
    )
    assert one.index > other.index
    assert one.mean_index < other.mean_index


def test_one_graph_has_no_mean() -> None:
    with pytest.raises(ValueError, match="two graphs or more, got 1"):
        average_exactly("mrr", [0.5], [look_up("mrr", [2])])


def test_what_is_undefined_is_not_a_number() -> None:
    found = average_exactly("mrr", [1.0, 1.0], [look_up("mrr", [1])] * 2).chance
    assert all(map(math.isnan, (found.index, found.z, found.mean_index)))


def test_p_is_that_of_all_rankings() -> None:
    values = [0.9, 0.9, 0.95]  # hits@2 of no rounding
    chance = [look_up("hits@2", counts) for counts in GRAPHS.values()]
    found = average_exactly("hits@2", values, chance).compute_significance()
    distribution = enumerate_distribution(list_tasks(*GRAPHS.values()), TERMS["hits@2"])
    p = sum(chance for value, chance in distribution.items() if value >= sum(values) / 3)
    assert found is not None
    assert found.interval.lower <= math.log10(p) <= found.interval.upper
