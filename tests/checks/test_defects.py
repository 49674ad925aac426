"""Adjusted values: each known defect of those that do not belong, formed here from the counts
alone, is named, and right ones tell the expectation that they were formed with.
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carried import open_once
from cases import for_each
from oracles import TERMS, moments_of
from rankconst.catalogue.metrics import Metric, parse_metric
from rankconst.checks.defects import (
    CAUSES,
    Cause,
    Pair,
    count_ranks,
    find_cause,
    find_expectation,
    pair_up,
)
from rankconst.evaluation import Address
from rankconst.moments import compute_moments
from rankconst.results.reading import Entry, Measured
from rankconst.tasks import Histogram, Tasks
from rankconst.values.constants import Constants
from rankconst.values.published import NOISE, Interval

TABLES = open_once()


def look_up(metric: Metric, dataset: str = "nations") -> Constants:
    return TABLES.constants(dataset, metric, "test", "both", "pykeen")


def check(
    metric: str, value: float, adjusted: float, adjustment: str, *, digits: int | None = None
) -> Cause | None:
    parsed = parse_metric(metric)
    texts = [repr(each) if digits is None else f"{each:.{digits}f}" for each in (value, adjusted)]
    entries = [
        Entry(parsed, text, 0, metric, None, adjustment=form, exact=digits is None)
        for text, form in zip(texts, (None, adjustment), strict=True)
    ]
    (pair,) = pair_up(entries)
    assert pair.adjusted.value == pytest.approx(adjusted, rel=1e-3, abs=1e-4)
    return find_cause(pair, look_up(parsed))


def moments(metric: str, less: int = 0) -> tuple[float, float]:
    """Mean and standard deviation over the tasks, from sums over every rank."""
    histogram = TABLES.histogram("nations", protocol="pykeen")
    mean = variance = Fraction(0)
    for size, tasks in zip(
        histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True
    ):
        distribution = Counter(TERMS[metric](rank) for rank in range(1, size - less + 1))
        first, second = moments_of(distribution)
        mean += tasks * first
        variance += tasks * second
    return float(mean / histogram.total), math.sqrt(variance) / histogram.total


VALUES = {"mr": 3.5323383808135986, "mrr": 0.4026779250719061, "hits@3": 0.6616915422885572}


@pytest.mark.parametrize("metric", VALUES)
def test_right_values_belong_and_known_defects_are_named(metric: str) -> None:
    value, (mean, deviation), (less, spread) = (
        VALUES[metric], moments(metric), moments(metric, less=1),
    )  # fmt: skip
    sign = -1 if metric == "mr" else 1
    z, theirs = sign * (value - mean) / deviation, sign * (value - less) / spread
    right = {"normalised": value / mean, "index": (value - mean) / (1 - mean), "z": z}
    for form, adjusted in right.items():
        assert check(metric, value, adjusted, form) is None
        assert check(metric, value, adjusted, form, digits=4) is None
    for cause, form, adjusted in (
        ("unscaled", "z", sign * value),
        ("sign", "z", -z),
        ("one_less", "z", theirs),
        ("one_less", "index", (value - less) / (1 - less)),
        ("one_less_sign", "z", -theirs),
        ("unknown", "z", 1.1 * z),
    ):
        found = check(metric, value, adjusted, form)
        assert found is not None
        assert found.key == cause


def test_a_task_with_one_candidate_cannot_lose_it() -> None:
    metric = parse_metric("mr")
    histogram = Histogram.from_counts([1, 10, 10])
    constants = Constants(
        Tasks("own"), metric, histogram, compute_moments(metric, histogram), table_version=""
    )
    two = Interval(2.0, 2.0)
    given = {
        (cause.key, form): give(constants, form, two)
        for cause, give in CAUSES.items()
        for form in ("z", "index")
    }
    assert (
        given["one_less", "z"] is given["one_less_sign", "z"] is given["unscaled", "index"] is None
    )
    assert given["unscaled", "z"] == Interval(-2.0, -2.0)


# -- what a right pair tells ------------------------------------------------------------------------

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
