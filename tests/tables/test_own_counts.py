"""Counts of one's own: any evaluation whose numbers of candidates are known."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carried import open_once
from cases import for_each
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.tables.own_counts import from_counts, from_triples

COUNTS = st.lists(st.integers(1, 30), min_size=1, max_size=8)


@for_each("metric", ["mr", "mrr", "hits@10", "gmr", "median_rank"])
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
    of_queries = from_counts([2, 4], weights=[3.0, 1.0], relevant=1)
    assert of_queries.constants("mrr").worst == pytest.approx((3 / 2 + 1 / 4) / 4)
    for weighted, alike in ((tasks, from_counts([2, 4])), (of_queries, from_counts(4, relevant=1))):
        aggregations = [each.constants("mrr").tasks.aggregation for each in (weighted, alike)]
        assert aggregations == ["own weights", "micro"]


@for_each(
    ("counts", "relevant", "options", "name", "worst"),
    [
        # Of places 1 to 3, the third is that of one of both.
        ([4], [2], {}, "recall@3", 1 / 2), ([3], [3], {}, "recall@3", 1),
        ([3, 3], [0, 1], {"empty": "0"}, "mrr", 1 / 6), ([3, 3], [0, 1], {"empty": "1"}, "mrr", 2 / 3),
        ([3, 3], [0, 1], {"empty": "left out"}, "mrr", 1 / 3), ([3, 3], [0, 1], {"tool": "recbole"}, "mrr", 1 / 3),
    ],
)  # fmt: skip
def test_the_worst_of_queries_has_right_answers_last(
    counts: list[int], relevant: list[int], options: dict[str, Any], name: str, worst: float
) -> None:
    queries = from_counts(counts, relevant=relevant, **options)
    assert queries.constants(name).worst == pytest.approx(worst)


@for_each(
    ("counts", "options", "error", "message"),
    [
        ([], {}, DataError, "at least one ranking task"),
        ([2, 3], {"weights": [1.0]}, DataError, "weights have shape"),
        ({"head": [1]}, {"weights": [1.0]}, UsageError, "counts are given for each side, weights are not"),
        ([1], {"weights": {"head": [1.0]}}, UsageError, "weights are given for each side, counts are not"),
        ({"head": [1], "tail": [2]}, {"weights": {"head": [1.0]}}, UsageError, "weights of head"),
        ({"up": [1]}, {}, UnknownNameError, "side 'up'"),
        ({4: 100}, {}, UsageError, r"{num_candidates: num_tasks} write each count out: np\.repeat"),
        ({"both": [1], "head": [2]}, {}, UsageError, "got both, head"),
        (np.ma.masked_equal([5, 9], 9), {}, DataError, "counts: 1 of the values are masked; leave them out"),
        # An evaluator that was not told to keep its counts.
        (SimpleNamespace(num_candidates={}), {}, DataError, "clear_on_finalize=False"),
        # Queries with several right answers.
        *((counts, {"relevant": [1], "weights": weights}, UsageError, "right answers have no sides")
          for counts, weights in (({"head": [3]}, None), ([3], {"head": [1.0]}))),
        *(([3], option, UsageError, "give relevant, too") for option in ({"empty": "0"}, {"tool": "recbole"})),
        ([3], {"relevant": [1], "empty": "x"}, UsageError, "expected 'left out', '0' or '1'"),
        ([3], {"relevant": [-1]}, DataError, r"relevant\[0\] is -1; expected at least 0"),
        ([9, 3], {"relevant": [1, 4]}, DataError, "query 1 has 4 right answers among 3 candidates"),
        ([3, 3], {"relevant": [1, 0]}, DataError, r"relevant\[1\] is 0\. What does"),
        ([], {"relevant": []}, DataError, "there are no queries"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    counts: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        from_counts(counts, **options)


@pytest.mark.parametrize("splits", [{"train": [("a", "r", "b")]}, {"train": None, "test": [("a", "r", "b")]}])  # fmt: skip
def test_a_graph_needs_train_and_test(splits: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="a graph of your own needs train and test"):
        from_triples(**splits, name="mine")


def test_sides_are_those_that_were_given() -> None:
    with pytest.raises(UnknownNameError, match=r"no tasks of side head\. Known: both"):
        from_counts([1, 2]).constants("mr", "head")
    tasks = from_counts({"tail": [2, 4]})
    assert tasks.constants("mr", "tail").num_tasks == 2
    with pytest.raises(UnknownNameError, match=r"no tasks of side head\. Known: tail"):
        tasks.constants("mr")
    with pytest.raises(DataError, match="not a possible MRR on typed test run"):
        from_counts([5, 5], name="typed test run").constants("mrr").adjust(1.5)


def test_an_evaluator_of_pykeen_hands_over_its_counts() -> None:
    """It keeps lists of batches by side."""
    kept = {"head": [np.array([2, 5]), np.array([5])], "tail": [np.array([3, 3, 4])]}
    found = from_counts(SimpleNamespace(num_candidates=kept))
    assert found.histogram("head") == from_counts([2, 5, 5]).histogram()
    assert found.constants("mr").num_tasks == 6
