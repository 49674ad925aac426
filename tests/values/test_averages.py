"""Means over graphs, held to loops over all rankings of small graphs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from rankconst.catalogue.metrics import parse_metric
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram, Tasks
from rankconst.values.averages import Average
from rankconst.values.constants import Constants

# Of each graph the numbers of candidates of its tasks.
GRAPHS = {"a": [2, 3], "b": [4], "c": [1, 5, 2]}
RESULTS = {"mrr": [0.7, 0.4, 0.9], "hits@2": [1.0, 0.5, 0.9], "mr": [1.5, 2.0, 1.4]}


def evaluate(metric: str, ranks: tuple[int, ...]) -> Fraction:
    terms = {
        "mrr": [Fraction(1, rank) for rank in ranks],
        "hits@2": [Fraction(rank <= 2) for rank in ranks],
        "mr": [Fraction(rank) for rank in ranks],
    }
    return sum(terms[metric], Fraction(0)) / len(ranks)


def list_values(metric: str, counts: list[int]) -> list[Fraction]:
    """List what a metric is for every ranking of a graph; all are as likely."""
    return [
        evaluate(metric, ranks)
        for ranks in itertools.product(*(range(1, count + 1) for count in counts))
    ]


def look_up(metric: str, counts: list[int]) -> Constants:
    histogram = Histogram.from_counts(np.array(counts))
    return Constants(
        Tasks("own"),
        parse_metric(metric),
        histogram,
        compute_moments(parse_metric(metric), histogram),
    )


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
    single = [list_values(metric, counts) for counts in GRAPHS.values()]
    drawn = [sum(values) / len(GRAPHS) for values in itertools.product(*single)]
    expected = sum(drawn) / len(drawn)
    variance = sum((value - expected) ** 2 for value in drawn) / len(drawn)
    found, mean = average(metric), sum(RESULTS[metric]) / len(GRAPHS)
    sign = -1 if metric == "mr" else 1
    assert found.value == pytest.approx(mean, rel=1e-14)
    assert found.rounding == pytest.approx(0.05, rel=1e-12)
    assert found.chance.expectation == pytest.approx(float(expected), rel=1e-13)
    assert found.chance.variance == pytest.approx(float(variance), rel=1e-12)
    assert found.chance.z == pytest.approx(
        sign * (mean - float(expected)) / math.sqrt(variance), rel=1e-12
    )
    assert found.chance.index == pytest.approx(
        (mean - float(expected)) / (1 - float(expected)), rel=1e-12
    )


@pytest.mark.parametrize("metric", RESULTS)
def test_what_is_said_of_single_graphs(metric: str) -> None:
    found, size = average(metric), len(GRAPHS)
    expected = [
        sum(list_values(metric, counts)) / len(list_values(metric, counts))
        for counts in GRAPHS.values()
    ]
    indices = [
        (value - float(e)) / (1 - float(e))
        for value, e in zip(RESULTS[metric], expected, strict=True)
    ]
    assert found.chance.mean_index == pytest.approx(sum(indices) / size, rel=1e-12)
    heaviest, share = found.heaviest
    assert share == pytest.approx(float(max(expected) / sum(expected)), rel=1e-12)
    assert heaviest == [*GRAPHS][expected.index(max(expected))]
    spread = sum((value - found.value) ** 2 for value in RESULTS[metric]) / (size - 1)
    assert found.error == pytest.approx(math.sqrt(spread / size), rel=1e-12)
    assert found.counting is None
    assert found.below == ()


def test_below_counting_means_however_it_was_rounded() -> None:
    # As if counting got what chance gets on graphs of fewer candidates.
    found = average("mrr", [look_up("mrr", counts) for counts in ([1], [2], [1, 1, 2, 2])])
    assert found.counting is not None
    expected = (1 + 0.75 + 0.875) / 3
    assert found.counting.expectation == pytest.approx(expected, rel=1e-12)
    assert found.counting.index == pytest.approx((2 / 3 - expected) / (1 - expected), rel=1e-12)
    assert found.counting.z == pytest.approx(
        (2 / 3 - expected) / math.sqrt(found.counting.variance), rel=1e-12
    )
    assert math.isnan(found.counting.mean_index)  # one graph has a perfect counter
    assert found.below == ("a", "b")
    found = average("mr", [look_up("mr", counts) for counts in ([1], [3], [1])])
    assert found.below == ("a", "c")


def test_the_mean_of_indices_can_order_models_differently() -> None:
    chance = [look_up("mrr", [2]), look_up("mrr", [40])]
    first, second = (
        average_exactly("mrr", values, chance) for values in ([0.80, 0.31], [0.90, 0.20])
    )
    one, other = first.chance, second.chance
    assert (one.index > other.index, one.mean_index > other.mean_index) == (True, False)


def test_one_graph_has_no_mean() -> None:
    with pytest.raises(ValueError, match="two graphs or more, got 1"):
        average_exactly("mrr", [0.5], [look_up("mrr", [2])])


def test_what_is_undefined_is_not_a_number() -> None:
    found = average_exactly("mrr", [1.0, 1.0], [look_up("mrr", [1])] * 2)
    assert math.isnan(found.chance.index)
    assert math.isnan(found.chance.z)
    assert math.isnan(found.chance.mean_index)


def test_p_is_that_of_all_rankings() -> None:
    values = [0.9, 0.9, 0.95]  # hits@2 of no rounding
    chance = [look_up("hits@2", counts) for counts in GRAPHS.values()]
    found = average_exactly("hits@2", values, chance).compute_significance()
    single = [list_values("hits@2", counts) for counts in GRAPHS.values()]
    drawn = [sum(each) / len(GRAPHS) for each in itertools.product(*single)]
    p = sum(value >= sum(values) / 3 for value in drawn) / len(drawn)
    assert found is not None
    assert found.interval.lower <= math.log10(p) <= found.interval.upper
