"""What numbers say about their ranking tasks: the inverse of the three adjustments, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.defects import Pair, count_ranks, find_expectation, pair_up
from rankconst.evaluation import Address
from rankconst.results.reading import Entry, Measured
from rankconst.values.published import NOISE, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.catalogue.metrics import Metric

MR, MRR = map(parse_metric, ("mr", "mrr"))


def entry(
    metric: str, text: str, adjustment: str | None = None, *, exact: bool = False, **said: Any
) -> Entry:
    return Entry(parse_metric(metric), text, 0, metric, None, Address(**said), adjustment, exact)


def pair(form: str, value: Interval, adjusted: Interval, metric: Metric = MR) -> Pair:
    numbers = []
    for adjustment, each in ((None, value), (form, adjusted)):
        mid = (each.lower + each.upper) / 2
        text = entry(metric.key, repr(mid), adjustment, exact=True)
        numbers.append(Measured(text, mid, each))
    return Pair(*numbers)


def point(value: float) -> Interval:
    return Interval(value, value)


@given(expectation=st.floats(2, 1e5), value=st.floats(1, 1e5))
def test_an_expectation_inverts_the_adjustments_of_a_mean_rank(
    expectation: float, value: float
) -> None:
    index = (value - expectation) / (1 - expectation)
    forms = {"normalised": value / expectation}
    if abs(1 - index) > 1e-6:
        forms["index"] = index
    for form, adjusted in forms.items():
        found = find_expectation(pair(form, point(value), point(adjusted)))
        assert found is not None
        assert found.lower == pytest.approx(expectation, rel=1e-6)


@given(
    expectation=st.floats(1e-3, 0.9),
    value=st.floats(0.01, 0.95),
    shifts=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
)
def test_the_interval_holds_whatever_the_writing_allows(
    expectation: float, value: float, shifts: tuple[float, float]
) -> None:
    """Move the numbers within their last digit: the expectation that they were formed with stays
    inside.
    """
    index = (value - expectation) / (1 - expectation)
    ends = [
        Interval(number - 5e-6 + 5e-6 * shift, number + 5e-6 + 5e-6 * shift)
        for number, shift in zip((value, index), shifts, strict=True)
    ]
    found = find_expectation(pair("index", ends[0], ends[1], MRR))
    if found is not None:
        assert found.lower - 1e-12 <= expectation <= found.upper + 1e-12


@for_each(
    "numbers",
    [
        (("mr", "1.0"), ("mr", "1.0", "index")),  # it is 1 within its rounding, whatever chance gives
        (("mr", "1"), ("mr", "0.0", "normalised")),
        (("mr", "2.3"), ("mr", "0.9", "index")),  # the rounding leaves what chance gets open
        (("mr", "30"), ("mr", "5.0", "z")),
    ],
)  # fmt: skip
def test_pairs_that_tell_no_expectation(numbers: Sequence[Sequence[str]]) -> None:
    (found,) = pair_up([entry(*each) for each in numbers])
    assert find_expectation(found) is None


@for_each(
    "numbers",
    [
        (("mrr", "0.3", "index"),),
        (("mr", "nan"), ("mr", "0.5", "index")),
        (("mr", "17%"), ("mr", "0.93", "index")),
    ],
)
def test_what_has_no_base_value_or_is_no_number_is_no_pair(
    numbers: Sequence[Sequence[str]],
) -> None:
    assert pair_up([entry(*each) for each in numbers]) == []


def test_a_number_that_a_program_may_have_rounded_is_open() -> None:
    """MR 30 of E 40: where a number beside it is written in full, 30.0 is; where none is, it may be
    30.04.
    """
    short = entry("mr", "30.0", exact=True), entry("mr", "0.75", "normalised", exact=True)
    (rounded,) = pair_up(short)
    assert find_expectation(rounded) == pytest.approx((29.95 / 0.755, 30.05 / 0.745), rel=1e-5)
    (full,) = pair_up((*short, entry("mrr", "0.31415926535", exact=True)))
    found = find_expectation(full)
    assert found is not None
    assert found.half_width == pytest.approx(40 * 2 * NOISE, rel=1e-3)


def test_the_number_of_ranks_is_stated_or_counted() -> None:
    assert [
        count_ranks(each) for each in (entry("mr", "5", num_tasks=402), entry("count", "402.0"))
    ] == [402, 402]
    assert [count_ranks(each) for each in (entry("mr", "5"), entry("count", "many"))] == [
        None,
        None,
    ]
