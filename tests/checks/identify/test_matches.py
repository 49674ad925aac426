"""What is found, and which sets agree with evidence, on sets made by hand."""

from __future__ import annotations

import math

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.identify.evidence import Evidence, Piece
from rankconst.checks.identify.matches import Comparison, Identified, Match, agrees, find_best, weigh
from rankconst.constants.published import Interval
from rankconst.tasks import Tasks

COUNT = Piece("num_tasks", 402, Interval(402, 402), "count")
MEAN = Piece("expectation", 10.0, Interval(9.5, 10.5), "AMR with MR", parse_metric("mr"))
DOUBTFUL = Piece("deviation", 2.0, Interval(1.9, 2.1), "z of MR beside MR", parse_metric("mr"), doubtful=True)
TASKS = Tasks("umls")


def compare(value: float, expected: float, agrees: bool) -> Comparison:
    return Comparison(Piece("num_tasks", value, Interval(value, value), "count"), expected, agrees)


def test_differences_are_relative() -> None:
    match = Match(TASKS, (), 1322, (compare(11, 10, True), compare(8, 10, True), compare(90, 10, False)))
    assert (match.agreeing, match.total) == (2, 3)
    assert match.largest_difference == 0.2
    assert compare(1, 0, False).difference == float("inf")


def test_one_match_or_none() -> None:
    match = Match(TASKS, (), 1322, ())
    assert match.largest_difference == 0
    assert Identified(Evidence(()), (match,)).match is match
    assert Identified(Evidence(()), (match, match)).match is None
    assert Identified(Evidence(()), ()).largest_difference is None


def test_intervals_that_meet_agree() -> None:
    assert [bool(agrees(MEAN, value, value)) for value in (9.4, 9.5, 10.0, 10.5, 10.6, math.nan)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip
    assert agrees(MEAN, 1.0, 20.0)
    # A number of tasks is whole: float32 has no part in it.
    assert not agrees(COUNT, 402.0001, 402.0001)
    assert agrees(MEAN, 10.500_001, 10.500_001)


def test_doubtful_pieces_count_only_alone() -> None:
    assert weigh(Evidence((COUNT, MEAN, DOUBTFUL))).tolist() == [1, 1, 0]
    assert weigh(Evidence((DOUBTFUL, DOUBTFUL))).tolist() == [1, 1]


def test_the_best_agree_with_most() -> None:
    evidence = Evidence((COUNT, MEAN, DOUBTFUL))
    agreement = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 1, 1, 0]], dtype=bool)
    # One sound piece each: the number of tasks comes first, then all pieces.
    assert find_best(evidence, agreement).tolist() == [False, False, True, False]
    assert not find_best(evidence, np.zeros((3, 4), dtype=bool)).any()
