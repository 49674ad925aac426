"""Tails of means over tasks of unlike weights, as over graphs: against enumeration, simulation and other sums."""

import math
from fractions import Fraction

import numpy as np
import pytest

from carried import open_once
from cases import choose, take_turns
from oracles import TERMS, enumerate_distribution
from rankconst.catalogue.metrics import parse_metric
from rankconst.tails import tail_probability
from rankconst.tasks import Histogram

Graphs = list[list[tuple[int, int]]]  # candidates that tie, and those above, of each task


GRAPHS: list[Graphs] = [
    [[(3, 0), (4, 0)], [(5, 0)]],
    [[(5, 0), (4, 0), (3, 0)], [(6, 0), (7, 0)], [(8, 0)]],
    [[(2, 0)] * 5, [(3, 0)] * 4, [(1, 0), (4, 0)]],
    [[(1, 0)], [(1, 0), (1, 0)]],
]


def list_tasks(graphs: Graphs) -> list[tuple[int, int, Fraction]]:
    """Let each graph count once: candidates, those above and weight of each task."""
    return [
        (size, offset, Fraction(1, len(graphs) * len(graph)))
        for graph in graphs
        for size, offset in graph
    ]


def pool(graphs: Graphs) -> Histogram:
    sizes, offsets, weights = zip(*list_tasks(graphs), strict=True)
    own = [float(weight) for weight in weights]
    return Histogram.from_counts(sizes, None, own, offsets if any(offsets) else None)


def check_all_values(graphs: Graphs, name: str) -> None:
    distribution = enumerate_distribution(list_tasks(graphs), TERMS[name])
    values = sorted(distribution, reverse=name != "mr")
    for value in values[:: max(1, len(values) // choose(2, 4))]:
        chance = sum(distribution[each] for each in values[: values.index(value) + 1])
        tail = tail_probability(parse_metric(name), pool(graphs), float(value))
        assert abs(tail.log10 - math.log10(chance)) <= tail.error + 1e-12, (value, tail)


@pytest.mark.parametrize(("name", "graphs"), take_turns(["mrr", "mr", "hits@1", "hits@3"], GRAPHS))
def test_the_error_covers_every_value_of_few_tasks(graphs: Graphs, name: str) -> None:
    check_all_values(graphs, name)


@pytest.mark.parametrize("name", ["mr", "hits@1", "hits@3"])
def test_so_it_does_on_blocks(name: str) -> None:
    check_all_values([[(3, 0), (2, 2), (4, 1)], [(2, 5), (3, 0)]], name)


@pytest.mark.parametrize("z", [0.0, 3.0, 20.0])
def test_weights_that_hardly_differ_change_nothing(z: float) -> None:
    metric, whole = parse_metric("mrr"), open_once().histogram("nations")
    once = open_once().constants("nations", "mrr")
    value = once.expectation + z * math.sqrt(once.variance)
    weights = 1 + 1e-12 * (np.arange(len(whole)) % 2)
    near = Histogram.from_counts(whole.num_candidates, whole.num_tasks, weights)
    mixed, plain = tail_probability(metric, near, value), tail_probability(metric, whole, value)
    assert mixed.log10 == pytest.approx(plain.log10, abs=1e-8 + mixed.error + plain.error)


def test_numbers_of_a_suite_have_a_probability() -> None:
    constants = open_once().constants("grail_12", "mrr", protocol="standard")
    found = constants.significance("0.011")
    assert found.method == "inversion"
    assert -6 < found.interval.lower < found.log10 < found.interval.upper < 0
