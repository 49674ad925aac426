"""Every set of tasks as columns: the same constants that looking them up one by one gives."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carried import open_once
from rankconst.catalogue.aggregations import MACROS
from rankconst.catalogue.metrics import MACRO_METRICS, TABULATED, parse_metric
from rankconst.tables.search import TASK_FIELDS, TaskSets
from rankconst.tasks import Tasks

TABLES = open_once()
SETS = TaskSets.of(TABLES)


@settings(max_examples=20)
@given(place=st.integers(0, len(SETS.sets) - 1), data=st.data())
def test_columns_hold_what_the_tables_hold(place: int, data: st.DataObject) -> None:
    tasks = SETS.sets[place]
    averaged = [metric for metric in MACRO_METRICS if metric.is_mean]
    metric = data.draw(st.sampled_from(TABULATED if tasks.is_micro else averaged))
    constants = TABLES.constants(tasks, metric)
    lower, upper = SETS.find(metric)
    if constants.method == "sampled":  # an estimate contradicts nothing
        assert np.isnan(lower[place])
        return
    # Those of macro averages are sums in another order.
    tolerance = 0 if tasks.is_micro else 1e-13
    assert lower[place] == upper[place] == pytest.approx(constants.expectation, rel=tolerance, abs=0)
    assert SETS.deviation(metric)[place] == pytest.approx(
        np.sqrt(constants.variance), rel=10 * tolerance, abs=1e-9 * tolerance
    )
    assert SETS.num_tasks[place] == constants.num_tasks
    assert Tasks(*(SETS.names[name][place] for name in TASK_FIELDS)) == tasks


@pytest.mark.slow
def test_every_set_stands_there_once() -> None:
    table = TABLES.read("constants")
    names = ("dataset", "protocol", "split", "side")
    # Relation prediction is not searched for.
    micro = {Tasks(*row) for row in zip(*(table[name].to_pylist() for name in names), strict=True)}
    micro = {tasks for tasks in micro if tasks.side != "relation"}
    counted = [tasks for tasks in micro if TABLES.datasets[tasks.dataset]["entities"] is not None]
    assert set(SETS.sets) == micro | {replace(tasks, aggregation=each) for each in MACROS for tasks in counted}
    assert len(SETS.sets) == len(set(SETS.sets))


def test_bounds_of_hits_without_rows() -> None:
    for place, k in zip(range(0, len(SETS.sets), 1201), itertools.cycle([2, 7, 20, 99, 101, 10_000]), strict=False):
        metric, tasks = parse_metric(f"hits@{k}"), SETS.sets[place]
        lower, upper = SETS.find(metric)
        exact = TABLES.constants(tasks, metric).expectation
        assert lower[place] * (1 - 1e-12) <= exact <= upper[place] * (1 + 1e-12)


def test_signatures_tell_constants_apart() -> None:
    def find(protocol: str, side: str = "both") -> tuple[int, bytes, bytes]:
        return SETS.signature(SETS.sets.index(Tasks("kinships", protocol, side=side)))

    assert find("standard") == find("libkge") == find("pykeen") != find("raw")
    assert find("raw", "head") == find("raw", "tail") != find("raw")
