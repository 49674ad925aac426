"""Counts of one's own: any evaluation whose numbers of candidates are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carried import open_once
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.tables.own_counts import from_counts

COUNTS = st.lists(st.integers(1, 30), min_size=1, max_size=8)


@pytest.mark.parametrize("metric", ["mr", "mrr", "hits@10", "gmr", "median_rank"])
def test_it_is_the_same_object_as_from_tables(metric: str) -> None:
    tables = open_once()
    sides = {}
    for side in ("head", "tail"):
        stored = tables.histogram("nations", side=side)
        sides[side] = np.repeat(stored.num_candidates, stored.num_tasks)
    for side in ("head", "tail", "both"):
        own = from_counts(sides).constants(metric, side)
        theirs = tables.constants("nations", metric, side=side)
        assert type(own) is type(theirs)
        assert own.histogram == theirs.histogram
        assert own.expectation == pytest.approx(theirs.expectation, rel=1e-13)
        assert own.adjust("0.95" if own.metric.increasing else "4.5").index_interval is not None


@given(COUNTS, COUNTS)
def test_both_sides_of_a_mean_are_the_pooled_tasks(head: list[int], tail: list[int]) -> None:
    tasks = from_counts({"head": head, "tail": tail})
    for name in ("mr", "mrr", "hits@3", "ndcg"):
        parts = [tasks.constants(name, side) for side in ("head", "tail")]
        both = tasks.constants(name)
        pooled = sum(part.num_tasks * part.expectation for part in parts) / both.num_tasks
        spread = sum(part.num_tasks**2 * part.variance for part in parts) / both.num_tasks**2
        assert both.expectation == pytest.approx(pooled, rel=1e-12)
        assert both.variance == pytest.approx(spread, rel=1e-11, abs=1e-15)


def test_weights_count() -> None:
    tasks = from_counts([2, 4], weights=[3.0, 1.0])
    assert tasks.histogram().is_weighted
    assert tasks.constants("mr").expectation == pytest.approx((3 * 1.5 + 2.5) / 4)


@pytest.mark.parametrize(
    ("counts", "weights", "error", "message"),
    [
        ([], None, DataError, "at least one ranking task"),
        ([2, 3], [1.0], DataError, "weights have shape"),
        ({"head": [1]}, [1.0], UsageError, "counts are given for each side"),
        ([1], {"head": [1.0]}, UsageError, "weights are given for each side"),
        ({"head": [1], "tail": [2]}, {"head": [1.0]}, UsageError, "weights of head"),
        ({"up": [1]}, None, UnknownNameError, "side 'up'"),
        ({4: 100}, None, UsageError, r"{num_candidates: num_tasks} write each count out: np\.repeat"),
        ({"both": [1], "head": [2]}, None, UsageError, "got both, head"),
        (np.ma.masked_equal([5, 9], 9), None, DataError, "counts: 1 of the values are masked; leave them out"),
        # An evaluator that was not told to keep its counts.
        (SimpleNamespace(num_candidates={}), None, DataError, "clear_on_finalize=False"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    counts: Any, weights: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        from_counts(counts, weights)


def test_sides_are_those_that_were_given() -> None:
    with pytest.raises(UnknownNameError, match="no tasks of side head; there are of: both"):
        from_counts([1, 2]).constants("mr", "head")
    tasks = from_counts({"tail": [2, 4]})
    assert tasks.constants("mr", "tail").num_tasks == 2
    with pytest.raises(UnknownNameError, match="no tasks of side head; there are of: tail"):
        tasks.constants("mr")
    with pytest.raises(DataError, match="not a possible MRR on typed test run"):
        from_counts([5, 5], name="typed test run").constants("mrr").adjust(1.5)


def test_an_evaluator_of_pykeen_hands_over_its_counts() -> None:
    """It keeps lists of batches by side."""
    kept = {"head": [np.array([2, 5]), np.array([5])], "tail": [np.array([3, 3, 4])]}
    found = from_counts(SimpleNamespace(num_candidates=kept))
    assert found.histogram("head") == from_counts([2, 5, 5]).histogram()
    assert found.constants("mr").num_tasks == 6
