"""Rows of the tables: candidates from histograms, constants against the enumeration of all
rankings.
"""

import contextlib
import functools
from dataclasses import replace

import pytest

from oracles import EVALUATED
from rankconst.catalogue.metrics import CATALOGUE, HEADLINE, TABULATED
from rankconst.errors import UsageError
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram, Tasks, sampled_histogram
from rankconst_builder.tabulate import tabulate

tasks_of = functools.partial(Tasks, "x", "raw", "test")


def test_every_tabulated_metric_has_a_definition_here() -> None:
    on_demand = {family for family, metric in CATALOGUE.items() if not metric.tabulated}
    assert {metric.family for metric in TABULATED} == EVALUATED.keys() - on_demand


def test_tasks_that_share_their_negatives_have_what_is_known_of_them() -> None:
    histogram = sampled_histogram("sampled:4:shared", 3)
    known = []
    for metric in TABULATED:
        with contextlib.suppress(UsageError):
            compute_moments(metric, histogram)
            known.append((metric.family, metric.k))
    rows = tabulate({Tasks("x", "sampled:4:shared", side="tail"): histogram})[
        "constants"
    ].to_pylist()
    assert [(row["metric"], row["k"]) for row in rows if row["side"] == "tail"] == known


@pytest.mark.parametrize("baseline", ["frequency", "counting", "counting_single_step"])
def test_rows_of_baselines(baseline: str) -> None:
    """Of chance and counting alone there are constants; their blocks are kept pooled, and by
    relation with weights.
    """
    whole = Histogram.from_counts([3, 3, 7], offsets=[0, 1, 0])
    single = Histogram.from_counts([3, 3, 7], weights=[0.5, 0.5, 1], offsets=[0, 1, 0])
    tasks = tasks_of("head", baseline=baseline)
    by_relation = replace(tasks, relations=("r",), aggregation="macro-query")
    tables = tabulate(
        {tasks_of("head"): Histogram.from_counts([7, 7, 7]), tasks: whole, by_relation: single}
    )
    columns = ("offset", "num_candidates", "num_tasks")
    pooled = tables["baseline_candidates"].select(columns).to_pydict()
    assert [*zip(*pooled.values(), strict=True)] == [(0, 3, 1), (0, 7, 1), (1, 3, 1)]
    rows = (
        tables["baseline_candidates_by_relation"]
        .select(("relation", *columns, "weight"))
        .to_pydict()
    )
    assert [*zip(*rows.values(), strict=True)] == [
        ("r", 0, 3, 1, 0.5),
        ("r", 0, 7, 1, 1.0),
        ("r", 1, 3, 1, 0.5),
    ]
    constants = [
        (row["metric"], row["k"])
        for row in tables["constants"].to_pylist()
        if row["baseline"] == baseline
    ]
    assert constants == [(m.family, m.k) for m in HEADLINE if baseline != "frequency"]
