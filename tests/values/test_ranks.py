"""Ranks task by task: every metric of them, and that only ranks of the same tasks are compared."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankconst
from carried import open_once
from cases import for_each
from oracles import EVALUATED
from rankconst.catalogue.metrics import TABULATED, Metric
from rankconst.errors import DataError, UnknownNameError, UsageError

HEAD, TAIL = [1, 2, 4, 300], [1, 1, 8, 2]


def frame(columns: dict[str, list[Any]]) -> Callable[[], Any]:
    return lambda: pytest.importorskip("pandas").DataFrame(columns)


@for_each("metric", TABULATED)
def test_every_metric_is_that_of_the_oracle(metric: Metric) -> None:
    ranks = rankconst.from_ranks({"head": HEAD, "tail": TAIL})
    for side, expected in (("head", HEAD), ("tail", TAIL), ("both", HEAD + TAIL)):
        value = float(EVALUATED[metric.family](expected, metric.k))
        assert ranks.evaluate(metric, side) == pytest.approx(value, rel=1e-12)
        assert ranks.to_dict(side)[metric.key] == ranks.evaluate(metric, side)


def test_sides_are_those_of_a_mapping_a_frame_or_none() -> None:
    pandas = pytest.importorskip("pandas")
    mixed = pandas.DataFrame({"Rank": HEAD + TAIL, "side": ["left"] * 4 + ["right"] * 4}).iloc[
        [4, 0, 5, 1, 2, 6, 3, 7]
    ]
    for given in ({"head": HEAD, "tail": TAIL}, {"subject": HEAD, "object": TAIL}, mixed):
        ranks = rankconst.from_ranks(given)
        assert ranks.select("head").tolist() == HEAD
        assert ranks.select("tail").tolist() == TAIL
        assert ranks.select().tolist() == HEAD + TAIL
        assert repr(ranks) == "Ranks(head: 4 tasks, tail: 4 tasks)"
    whole = rankconst.from_ranks(np.array(HEAD))
    assert whole.select("both").tolist() == HEAD
    assert rankconst.from_ranks(pandas.DataFrame({"rank": HEAD})).select().tolist() == HEAD
    assert rankconst.from_ranks(pandas.Series(HEAD)).select().tolist() == HEAD
    with pytest.raises(UnknownNameError, match=r"there are no ranks of side head\. Known: both"):
        whole.evaluate("mrr", "head")
    with pytest.raises(UnknownNameError, match="no ranks of side tail"):
        rankconst.from_ranks({"head": HEAD}).evaluate("mrr")
    with pytest.raises(ValueError, match="read-only"):
        whole.select()[0] = 7


@for_each(
    ("given", "error", "said"),
    [
        ([1, 0, 2], DataError, "number 1 is 0; expected at least 1. Do they count from 0"),
        ([1.0, float("nan")], DataError, "number 1 is nan"),
        ([], DataError, "expected numbers, one for each task"),
        (np.ma.masked_equal([1, 2, 9], 9), DataError, "ranks: 1 of the values are masked; leave them out"),
        ([[1, 2]], DataError, r"of shape \(1, 2\)"),
        (["1"], DataError, "expected numbers"),
        ({}, UsageError, "got no side"),
        ({"head": [1], "left": [1]}, UsageError, "got head, left"),
        ({"head": [1], "both": [1]}, UsageError, "got head, both"),
        ({"top": [1]}, UnknownNameError, "unknown side 'top'"),
        (frame({"score": [1]}), UsageError, "no column rank; it has score"),
        (frame({"rank": []}), DataError, "has no rows"),
        (frame({"rank": [1, 1], "side": ["head", "both"]}), UsageError, "head and tail, or both"),
        (frame({"rank": [1, 1], "side": ["head", None]}), UnknownNameError, "unknown side"),
    ],
)  # fmt: skip
def test_what_is_no_rank_is_refused(given: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        rankconst.from_ranks(given() if callable(given) else given)


def test_only_ranks_of_the_same_tasks_are_compared() -> None:
    pandas = pytest.importorskip("pandas")
    one = rankconst.from_ranks({"head": HEAD, "tail": TAIL})
    assert one.compare(one, "mrr").is_significant is False
    assert one.compare(rankconst.from_ranks({"tail": TAIL}), "mrr", "tail").num_tasks == 4
    for other, said in (
        (HEAD[:3], "8 and 3 ranks|has ranks of"),
        ({"head": HEAD, "tail": TAIL[:2]}, "8 and 6 ranks cannot be of the same tasks"),
        ({"head": HEAD + TAIL[:2], "tail": TAIL[:2]}, "8 and 8 ranks cannot be of the same tasks"),
        (HEAD + TAIL, "the one has ranks of head, tail, the other of both"),
    ):
        with pytest.raises(DataError, match=said):
            rankconst.compare(one, other, metric="mrr")
    with pytest.raises(DataError, match="expected at least 2"):
        rankconst.compare([1], [2], metric="mrr")
    named = pandas.DataFrame({"head": list("abcd"), "rank": HEAD, "model": "one"})
    assert rankconst.compare(named, named.assign(model="other"), metric="mrr").num_tasks == 4
    with pytest.raises(
        DataError, match="rank 1 of side both is of head b in the one and c in the other"
    ):
        rankconst.compare(named, named.iloc[[0, 2, 1, 3]], metric="mrr")


@for_each(
    "options",
    [
        {"dataset": "nations"}, {"num_tasks": 4}, {"split": "test"}, {"tool": "pykeen"}, {"relations": ["x"]},
    ],
)  # fmt: skip
def test_ranks_are_of_the_tasks_they_are_of(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="leave out what says which tasks"):
        rankconst.compare(HEAD, TAIL, metric="mrr", **options)


def test_ranks_are_adjusted_like_a_file() -> None:
    rng = np.random.default_rng(3)
    ranks = rankconst.from_ranks({side: rng.integers(1, 14, 201) for side in ("head", "tail")})
    assert ranks.select().size == open_once().constants("nations", "mrr").num_tasks
    adjusted = rankconst.adjust(ranks, dataset="nations", protocol="standard")
    for row, index in zip(adjusted.numbers.reading.rows, adjusted.table["index"], strict=True):
        if np.isnan(index):  # the number of ranks, and what chance does perfectly
            continue
        constants = open_once().constants("nations", row["metric"], side=row["side"])
        assert float(row["value"]) == ranks.evaluate(row["metric"], row["side"])
        assert index == pytest.approx(
            constants.index(ranks.evaluate(row["metric"], row["side"])), rel=1e-12
        )
    assert {row["side"] for row in adjusted.numbers.reading.rows} == {"both", "head", "tail"}
    assert rankconst.check(ranks, dataset="nations", protocol="standard").num_errors == 0
    # Their number says that they are of other tasks.
    with pytest.raises(DataError, match="there are 1,322 ranks, not 402"):
        rankconst.adjust(ranks, dataset="umls")
