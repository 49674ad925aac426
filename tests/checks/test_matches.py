"""What is found, and which sets agree with evidence, on sets made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.evidence import Evidence, Piece, count_piece
from rankconst.checks.matches import outvotes
from rankconst.values.published import Interval

COUNT = count_piece(402)
MEAN = Piece("expectation", 10.0, Interval(9.5, 10.5), "AMR with MR", parse_metric("mr"))
DOUBTFUL = Piece("deviation", 2.0, Interval(1.9, 2.1), "z of MR beside MR", parse_metric("mr"))


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
