"""What is found says how well it agrees."""

from __future__ import annotations

from rankconst.checks.identify.evidence import Evidence, Piece
from rankconst.checks.identify.matches import Comparison, Identified, Match
from rankconst.constants.published import Interval
from rankconst.tables.search import TaskSet

TASKS = TaskSet("umls", "test", "both", "standard", "micro", 1322)


def compare(value: float, expected: float, agrees: bool) -> Comparison:
    return Comparison(Piece("num_tasks", value, Interval(value, value), "count"), expected, agrees)


def test_differences_are_relative() -> None:
    match = Match(TASKS, (), (compare(11, 10, True), compare(8, 10, True), compare(90, 10, False)))
    assert (match.agreeing, match.total) == (2, 3)
    assert match.largest_difference == 0.2
    assert compare(1, 0, False).difference == float("inf")
    assert (match.dataset, match.split, match.side, match.protocol) == TASKS[:4]


def test_one_match_or_none() -> None:
    match = Match(TASKS, (), ())
    assert match.largest_difference == 0
    assert Identified(Evidence(()), (match,)).match is match
    assert Identified(Evidence(()), (match, match)).match is None
    assert Identified(Evidence(()), ()).largest_difference is None
