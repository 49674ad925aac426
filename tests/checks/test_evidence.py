"""What numbers say about their ranking tasks: the inverse of the three adjustments, with intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.evidence import Evidence, Piece, collect_evidence, count_piece, solve
from rankconst.checks.matches import agrees, outvotes
from rankconst.errors import DataError
from rankconst.evaluation import Stated
from rankconst.results.reading import Entry
from rankconst.values.published import NOISE, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

MR, MRR = map(parse_metric, ("mr", "mrr"))


def entry(metric: str, text: str, adjustment: str | None = None, *, exact: bool = False, **said: Any) -> Entry:
    return Entry(parse_metric(metric), text, 0, metric, None, Stated(**said), adjustment, exact)


def point(value: float) -> Interval:
    return Interval(value, value)


@given(expectation=st.floats(2, 1e5), deviation=st.floats(0.1, 100), value=st.floats(1, 1e5))
def test_solving_inverts_the_adjustments_of_a_mean_rank(expectation: float, deviation: float, value: float) -> None:
    assert solve(MR, "normalised", point(value), point(value / expectation)).lower == pytest.approx(expectation)
    index = (value - expectation) / (1 - expectation)
    if abs(1 - index) > 1e-6:
        assert solve(MR, "index", point(value), point(index)).lower == pytest.approx(expectation, rel=1e-6)
    z = -(value - expectation) / deviation
    if abs(value - expectation) > 1e-6 * expectation:
        found = solve(MR, "z", point(value), point(z), point(expectation))
        assert found.lower == pytest.approx(deviation, rel=1e-6)


@given(
    expectation=st.floats(1e-3, 0.9), value=st.floats(0.01, 0.95), shifts=st.tuples(st.floats(-1, 1), st.floats(-1, 1))
)
def test_the_interval_holds_whatever_the_writing_allows(
    expectation: float, value: float, shifts: tuple[float, float]
) -> None:
    """Move the numbers within their last digit: the expectation that they were formed with stays inside."""
    index = (value - expectation) / (1 - expectation)
    ends = [
        Interval(number - 5e-6 + 5e-6 * shift, number + 5e-6 + 5e-6 * shift)
        for number, shift in zip((value, index), shifts, strict=True)
    ]
    try:
        found = solve(MRR, "index", *ends)
    except DataError:
        return
    assert found.lower - 1e-12 <= expectation <= found.upper + 1e-12


@for_each(
    ("numbers", "reason"),
    [
        ((("mr", "1.0"), ("mr", "1.0", "index")), "it is 1 within its rounding, whatever chance gives"),
        ((("mr", "1"), ("mr", "0.0", "normalised")), "it is 0 within its rounding, whatever chance gives"),
        ((("mr", "2.3"), ("mr", "0.9", "index")), "the rounding leaves what chance gets open from"),
        ((("mr", "30"), ("mr", "5.0", "z")), "nothing given with it tells E[MR]"),
        ((("mrr", "0.3", "index"),), "no MRR is given with it"),
        ((("mr", "nan"), ("mr", "0.5", "index")), "'nan' is not a number"),
        ((("mr", "470.0"), ("mr", "-470.0", "z")), "it repeats MR and is not a z-score"),
        ((("mr", "17%"), ("mr", "0.93", "index")), "17% is a percentage, but MR is not a share."),
    ],
)
def test_numbers_that_say_nothing_are_dropped_with_the_reason(numbers: Sequence[Sequence[str]], reason: str) -> None:
    found = collect_evidence([[entry(*each) for each in numbers]])
    assert not found.pieces
    assert [each[: len(reason)] for each in found.dropped] == [reason]


def test_z_beside_an_index_tells_the_deviation() -> None:
    """MR 30 of E 40, sd 2: AMR 0.75, z 5."""
    numbers = entry("mr", "30.000000"), entry("mr", "0.75000000", "normalised"), entry("mr", "5.0000000", "z")
    (expectation, deviation) = collect_evidence([numbers]).pieces
    assert (expectation.label, deviation.label) == ("E[MR]", "sd[MR]")
    assert expectation.value == 40
    assert deviation.value == pytest.approx(2, rel=1e-5)
    assert deviation.interval.lower < 2 < deviation.interval.upper
    assert (expectation.is_doubtful, deviation.is_doubtful) == (False, True)
    assert expectation.origin == "AMR with MR"


def test_a_number_that_a_program_may_have_rounded_is_open() -> None:
    """MR 30 of E 40: where a number beside it is written in full, 30.0 is; where none is, it may be 30.04."""
    short = entry("mr", "30.0", exact=True), entry("mr", "0.75", "normalised", exact=True)
    (rounded,) = collect_evidence([short]).pieces
    assert tuple(rounded.interval) == pytest.approx((29.95 / 0.755, 30.05 / 0.745), rel=1e-5)
    (full,) = collect_evidence([(*short, entry("mrr", "0.31415926535", exact=True))]).pieces
    assert full.interval.half_width == pytest.approx(40 * 2 * NOISE, rel=1e-3)


def test_the_number_of_ranks_is_stated_or_counted() -> None:
    for counted in (entry("mr", "5", num_tasks=402), entry("count", "402.0")):
        (piece,) = collect_evidence([(counted,)]).pieces
        assert (piece.kind, piece.value, piece.label) == ("num_tasks", 402, "n")
    for uncounted in (entry("mr", "5"), entry("count", "many")):
        assert not collect_evidence([(uncounted,)]).pieces


COUNT = count_piece(402)
MEAN = Piece("expectation", 10.0, Interval(9.5, 10.5), "AMR with MR", MR)
DOUBTFUL = Piece("deviation", 2.0, Interval(1.9, 2.1), "z of MR beside MR", MR)
PRECISE = Piece("expectation", 10.0, Interval(9.9999, 10.0001), "AMRI with MR", MR)
ALSO = replace(PRECISE, origin="AH@1 with Hits@1", metric=parse_metric("hits@1"))
COARSE = tuple(replace(MEAN, origin=f"{place}") for place in range(20))


@pytest.mark.parametrize(
    ("pieces", "against", "outvoted"),
    [
        *[((COUNT, PRECISE, ALSO, MEAN, DOUBTFUL), each, True) for each in ((), (MEAN,), (DOUBTFUL,))],
        *[((COUNT, PRECISE, ALSO, MEAN, DOUBTFUL), each, False) for each in ((PRECISE,), (COUNT,))],
        ((*COARSE, PRECISE), (PRECISE,), False),
        ((*COARSE, COUNT), (COUNT,), False),
    ],
)
def test_what_is_as_precise_outvotes_a_slip(
    pieces: tuple[Piece, ...], against: tuple[Piece, ...], outvoted: bool
) -> None:
    """Two pieces at least as precise; nothing outvotes a number of tasks, and what is coarse no precise piece."""
    wrong = np.array([piece in against for piece in pieces])
    assert outvotes(Evidence(pieces), ~wrong, wrong) is outvoted


def test_intervals_that_meet_agree() -> None:
    """A number of tasks is whole: the noise of 32 bits has no part in it."""
    for piece, value, agreeing in (
        *[(MEAN, value, 9.5 <= value <= 10.5) for value in (9.4, 9.5, 10.0, 10.5, 10.6, math.nan)],
        *[(MEAN, 10.500_001, True), (COUNT, 402.0, True), (COUNT, 402.0001, False)],
    ):
        assert agrees(piece, value, value) == agreeing
