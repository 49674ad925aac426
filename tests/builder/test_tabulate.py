"""Rows of the tables: candidates from histograms, constants against the enumeration of all
rankings.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose
from oracles import EVALUATED, PRECISE, SAMPLED, enumerate_moments, to_mp
from rankconst.catalogue.metrics import CATALOGUE, HEADLINE, TABULATED
from rankconst.errors import UsageError
from rankconst.moments import compute_moments
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst.tasks import Histogram, Tasks, sampled_histogram
from rankconst_builder.tabulate import tabulate

# Candidates of some tasks: at most 5^4 rankings of both sides to enumerate.
COUNTS = st.lists(st.integers(1, 5), min_size=1, max_size=2)


tasks_of = functools.partial(Tasks, "x", "raw", "test")


def test_every_tabulated_metric_has_a_definition_here() -> None:
    on_demand = {family for family, metric in CATALOGUE.items() if not metric.tabulated}
    assert {metric.family for metric in TABULATED} == EVALUATED.keys() - on_demand


@pytest.mark.slow
@settings(max_examples=choose(3, 6))
@given(head=COUNTS, tail=COUNTS)
def test_constants_equal_the_enumeration_of_all_rankings(head: list[int], tail: list[int]) -> None:
    histograms = {
        tasks_of(side): Histogram.from_counts(c) for side, c in (("head", head), ("tail", tail))
    }
    rows = tabulate(histograms)["constants"].to_pylist()
    assert len(rows) == 3 * len(TABULATED)
    for row in rows:
        counts = {"head": head, "tail": tail, "both": head + tail}[row["side"]]
        mean, variance = map(to_mp, enumerate_moments(row["metric"], counts, row["k"]))
        assert row["num_tasks"] == len(counts)
        where = (row["side"], row["metric"], row["k"])
        # Where it is sampled, errors are standard errors.
        sampled = row["method"] == "sampled"
        assert abs(row["expectation"] - mean) <= row["expectation_error"] * (5 if sampled else 1), (
            where
        )
        assert abs(row["variance"] - variance) <= row["variance_error"] * (5 if sampled else 1), (
            where
        )
        assert sampled == (row["num_draws"] is not None)
        if row["metric"] in SAMPLED:
            assert sampled or row["variance"] == 0
        else:
            assert row["method"] == ("closed_form" if row["metric"] in PRECISE else "numerical")


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


def test_tables_of_nothing_have_columns() -> None:
    tables = tabulate({})
    assert {*tables, "datasets"} == {*COLUMNS}
    for name, table in tables.items():
        assert len(table) == 0
        assert table.schema == schema_of(name)


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
