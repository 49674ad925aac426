"""What is found, and which sets agree with evidence, on sets made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.checking import describe_match
from rankconst.checks.evidence import Evidence, Piece, count_piece
from rankconst.checks.matches import Comparison, Identified, Match, agrees, outvotes, score
from rankconst.tasks import Tasks
from rankconst.values.published import Interval

COUNT = count_piece(402)
MEAN = Piece("expectation", 10.0, Interval(9.5, 10.5), "AMR with MR", parse_metric("mr"))
DOUBTFUL = Piece("deviation", 2.0, Interval(1.9, 2.1), "z of MR beside MR", parse_metric("mr"))


def test_differences_are_relative() -> None:
    pairs = ((11, 10, True), (8, 10, True), (90, 10, False), (1, 0, False))
    compared = tuple(Comparison(replace(COUNT, value=value), expected, agrees) for value, expected, agrees in pairs)
    match = Match(Tasks("umls"), (), 1322, compared)
    assert (match.agreeing, match.total, match.largest_difference) == (2, 4, 0.2)
    assert compared[-1].difference == float("inf")
    assert (
        describe_match(replace(match, comparisons=(replace(compared[-1], agrees=True),)))["largest_difference"] is None
    )
    assert [Identified(Evidence(()), each).match for each in ((), (match,), (match, match))] == [None, match, None]


def test_intervals_that_meet_agree() -> None:
    assert [bool(agrees(MEAN, value, value)) for value in (9.4, 9.5, 10.0, 10.5, 10.6, math.nan)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip
    assert agrees(MEAN, 1.0, 20.0)
    # A number of tasks is whole: float32 has no part in it.
    assert not agrees(COUNT, 402.0001, 402.0001)
    assert agrees(MEAN, 10.500_001, 10.500_001)


PRECISE = Piece("expectation", 10.0, Interval(9.9999, 10.0001), "AMRI with MR", parse_metric("mr"))
ALSO = replace(PRECISE, origin="AH@1 with Hits@1", metric=parse_metric("hits@1"))


@pytest.mark.parametrize(
    ("against", "outvoted"), [((), True), ((MEAN,), True), ((PRECISE,), False), ((COUNT,), False), ((DOUBTFUL,), True)]
)
def test_what_is_as_precise_outvotes_a_slip(against: tuple[Piece, ...], outvoted: bool) -> None:
    """Two pieces at least as precise; nothing outvotes a number of tasks, and what is coarse no precise piece."""
    evidence = Evidence((COUNT, PRECISE, ALSO, MEAN, DOUBTFUL))
    wrong = np.array([piece in against for piece in evidence.pieces])
    assert outvotes(evidence, ~wrong, wrong) is outvoted


def test_coarse_pieces_do_not_outvote_a_precise_one() -> None:
    coarse = tuple(replace(MEAN, origin=f"{place}") for place in range(20))
    evidence = Evidence((*coarse, PRECISE))
    wrong = np.array([piece is PRECISE for piece in evidence.pieces])
    assert not outvotes(evidence, ~wrong, wrong)


def test_what_is_precise_weighs_more() -> None:
    evidence = Evidence((MEAN, DOUBTFUL, PRECISE))
    agreement = np.array([[1, 0], [1, 0], [0, 1]], dtype=bool)
    assert score(evidence, agreement).argmax() == 1
