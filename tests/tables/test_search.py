"""Every set of tasks as columns: the same constants that looking them up one by one gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankconst
from rankconst.catalogue.metrics import MACRO_METRICS, TABULATED, parse_metric
from rankconst.tables.search import TASK_FIELDS, TaskSets
from rankconst.tasks import Tasks

TABLES = rankconst.load()
SETS = TaskSets.of(TABLES)


@settings(max_examples=40)
@given(place=st.integers(0, len(SETS.sets) - 1), data=st.data())
def test_columns_hold_what_the_tables_hold(place: int, data: st.DataObject) -> None:
    tasks = SETS.sets[place]
    metric = data.draw(st.sampled_from(TABULATED if tasks.aggregation == "micro" else MACRO_METRICS))
    constants = TABLES.constants(tasks, metric)
    lower, upper = SETS.find(metric)
    if constants.method == "sampled":  # an estimate contradicts nothing
        assert np.isnan(lower[place])
        return
    assert lower[place] == upper[place] == constants.expectation
    assert SETS.deviation(metric)[place] == np.sqrt(constants.variance)
    assert SETS.num_tasks[place] == constants.num_tasks
    assert Tasks(*(SETS.names[name][place] for name in TASK_FIELDS)) == tasks


def test_every_set_stands_there_once() -> None:
    table = TABLES.read("constants")
    names = ("dataset", "protocol", "split", "side", "aggregation")
    rows = set(zip(*(table.column(name).to_pylist() for name in names), strict=True))
    # Relation prediction is not searched for.
    expected = {Tasks(*row) for row in rows if row[3] != "relation"}
    assert set(SETS.sets) == expected
    assert len(SETS.sets) == len(expected)


@pytest.mark.parametrize("k", [2, 7, 20, 99, 101, 10_000])
def test_bounds_of_hits_without_rows(k: int) -> None:
    metric = parse_metric(f"hits@{k}")
    lower, upper = SETS.find(metric)
    for place in range(0, len(SETS.sets), 611):
        tasks = SETS.sets[place]
        exact = TABLES.constants(tasks, metric).expectation
        assert lower[place] * (1 - 1e-12) <= exact <= upper[place] * (1 + 1e-12)


def test_signatures_tell_constants_apart() -> None:
    def find(protocol: str, side: str = "both") -> tuple[int, bytes, bytes]:
        return SETS.signature(SETS.sets.index(Tasks("kinships", protocol, side=side)))

    assert find("standard") == find("libkge") == find("pykeen") != find("raw")
    assert find("raw", "head") == find("raw", "tail") != find("raw")


@pytest.mark.skipif("0.1.0" not in rankconst.bundled_versions(), reason="a wheel carries the current tables only")
def test_old_tables_have_micro_averages_only() -> None:
    old = TaskSets.of(rankconst.load(version="0.1.0"))
    assert {tasks.aggregation for tasks in old.sets} == {"micro"}
