"""Tails of means over tasks of unlike weights, as over graphs: against enumeration, simulation and other sums."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from carried import open_once
from cases import choose, take_turns
from rankconst.catalogue.metrics import parse_metric
from rankconst.tails import tail_probability
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable

    Graphs = list[list[tuple[int, int]]]  # candidates that tie, and those above, of each task

TERMS: dict[str, Callable[[int], Fraction]] = {
    "mrr": lambda rank: Fraction(1, rank),
    "mr": Fraction,
    "hits@1": lambda rank: Fraction(rank <= 1),
    "hits@3": lambda rank: Fraction(rank <= 3),
}
GRAPHS: list[Graphs] = [
    [[(3, 0), (4, 0)], [(5, 0)]],
    [[(5, 0), (4, 0), (3, 0)], [(6, 0), (7, 0)], [(8, 0)]],
    [[(2, 0)] * 5, [(3, 0)] * 4, [(1, 0), (4, 0)]],
    [[(1, 0)], [(1, 0), (1, 0)]],
]


def pool(graphs: Graphs) -> Histogram:
    """Let each graph count once."""
    sizes, offsets = zip(*(task for graph in graphs for task in graph), strict=True)
    weights = [1 / (len(graphs) * len(graph)) for graph in graphs for _ in graph]
    return Histogram.from_counts(
        sizes, [1] * len(sizes), weights, offsets if any(offsets) else None
    )


def enumerate_mean(graphs: Graphs, name: str) -> dict[Fraction, Fraction]:
    """Return the chance of each value of the mean, by all ranks."""
    law = {Fraction(0): Fraction(1)}
    for graph in graphs:
        for size, offset in graph:
            grown: dict[Fraction, Fraction] = {}
            for value, chance in law.items():
                for rank in range(offset + 1, offset + size + 1):
                    key = value + TERMS[name](rank) / (len(graphs) * len(graph))
                    grown[key] = grown.get(key, Fraction(0)) + chance / size
            law = grown
    return law


def check_all_values(graphs: Graphs, name: str) -> None:
    law = enumerate_mean(graphs, name)
    values = sorted(law, reverse=name != "mr")
    for value in values[:: max(1, len(values) // choose(2, 4))]:
        chance = sum(law[each] for each in values[: values.index(value) + 1])
        tail = tail_probability(parse_metric(name), pool(graphs), float(value))
        assert abs(tail.log10 - math.log10(chance)) <= tail.error + 1e-12, (value, tail)


@pytest.mark.parametrize(("name", "graphs"), take_turns(TERMS, GRAPHS))
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


def test_simulated_means_over_graphs() -> None:
    tables = open_once()
    tasks = tables.tasks("grail_12", protocol="standard")
    histogram = tables.histogram(tasks)
    assert histogram.weights is not None
    rng, draws = np.random.default_rng(52), 2000
    found = {name: np.zeros(draws) for name in ("mrr", "hits@10", "mr")}
    rows = zip(histogram.num_candidates, histogram.num_tasks, histogram.weights, strict=True)
    for size, number, weight in rows:
        ranks = rng.integers(1, size + 1, (draws, number))
        found["mrr"] += weight * (1 / ranks).sum(axis=1)
        found["hits@10"] += weight * (ranks <= 10).sum(axis=1)
        found["mr"] += weight * ranks.sum(axis=1)
    for name, z in (("mrr", 1.0), ("hits@10", 1.5), ("mr", -2.0)):
        metric = parse_metric(name)
        constants = tables.look_up(tasks, metric)
        value = constants.expectation + z * math.sqrt(constants.variance)
        reached = np.mean(found[name] >= value if metric.increasing else found[name] <= value)
        p = tail_probability(metric, histogram, value).probability
        assert abs(float(reached) - p) < 4 * math.sqrt(p * (1 - p) / draws)


def test_numbers_of_a_suite_have_a_probability() -> None:
    constants = open_once().constants("grail_12", "mrr", protocol="standard")
    found = constants.significance("0.011")
    assert found.method == "inversion"
    assert -6 < found.interval.lower < found.log10 < found.interval.upper < 0
