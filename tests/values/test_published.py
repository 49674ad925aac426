"""Published numbers: what is read, with which interval, and what is refused."""

from __future__ import annotations

import math
import random
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.values.published import (
    Interval,
    Published,
    check_decimals,
    half_unit,
    parse_value,
    read_numbers,
    read_published,
    show_number,
    show_uncertain,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "value", "lower", "upper"),
    [
        ("0.338", 0.338, 0.3375, 0.3385),
        (".5", 0.5, 0.45, 0.55),
        (" 0.30 ", 0.3, 0.295, 0.305),
        ("177", 177.0, 176.5, 177.5),
        ("3,340", 3340.0, 3339.5, 3340.5),
        ("3{,}340.5", 3340.5, 3340.45, 3340.55),
        ("1.7e2", 170.0, 165.0, 175.0),
        ("7e-05", 7e-5, 6.5e-5, 7.5e-5),
        ("53.3%", 0.533, 0.5325, 0.5335),
        ("53.3 \\%", 0.533, 0.5325, 0.5335),
        ("0.5458 ± 0.0052", 0.5458, 0.54055, 0.55105),
        ("0.5458 +- 0.0052", 0.5458, 0.54055, 0.55105),
        ("0.5458 +/- 0.0052", 0.5458, 0.54055, 0.55105),
        ("$0.5458 \\pm 0.0052$", 0.5458, 0.54055, 0.55105),
        ("0.949 ± 0.000", 0.949, 0.9485, 0.9495),
        ("53.3% ± 0.1%", 0.533, 0.5315, 0.5345),
        # siunitx manual, section 4.3: in units of the last digit.
        ("0.338(2)", 0.338, 0.3355, 0.3405),
        ("0.338(12)", 0.338, 0.3255, 0.3505),
        ("53.3(14)%", 0.533, 0.5185, 0.5475),
        ("$177.5(120)$", 177.5, 165.45, 189.55),
        ("1.7(2)e2", 170.0, 145.0, 195.0),
        ("−0.3", -0.3, -0.35, -0.25),
    ],
)
def test_text_is_read_with_the_interval_of_its_digits(text: str, value: float, lower: float, upper: float) -> None:
    published = parse_value(text)
    assert (published.value, published.lower, published.upper) == (value, lower, upper)
    assert published.text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a number"),
        ("abc", r"'abc' is not a number\.$"),
        ("0.3x", "is not a number"),
        ("0,338", "decimal point, not a comma: 0.338"),
        ("12,34", "decimal point, not a comma: 12.34"),
        ("1_000", "is not a number"),
        ("nan", "Leave out what is missing"),
        ("-inf", "Leave out what is missing"),
        ("1/3", "Write the quotient out"),
        ("0.5 ± 0.1 ± 0.1", "is not a number"),
        ("0.5 ± -0.1", "negative"),
        ("0.5 ± x", "is not a number"),
        ("x ± 0.5", "is not a number"),
        ("0.5 ± 0,123", "is not a number"),
        ("53%%", "is not a number"),
        ("1e999", "too large"),
        ("1e-400", "'1e-400' is too small to tell from 0"),
        ("5e-324%", "too small"),
        ("0.3(2)(1)", "is not a number"),
        ("1" * 1000, "1,000 characters"),
        ("٣", "is not a number"),
    ],
)
def test_what_is_no_number_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        parse_value(text, place="line 3, column MRR")
    assert str(refused.value).startswith("line 3, column MRR: ")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity")])
def test_numbers_that_are_none_are_refused(value: float | Decimal) -> None:
    with pytest.raises(DataError, match="is not a result"):
        parse_value(value)


@pytest.mark.parametrize(
    ("text", "deviation"),
    [
        ("0.5458 ± 0.0052", 0.0052),
        ("53.3% ± 0.1%", 0.001),
        ("53.3(14)%", 0.014),
        ("0.338(12)", 0.012),
        ("177", None),
        ("0.9 ± 0", 0.0),
    ],
)
def test_the_number_after_plus_and_minus_is_kept(text: str, deviation: float | None) -> None:
    assert parse_value(text).deviation == deviation


@pytest.mark.parametrize("value", [True, None, [1], 1j])
def test_what_is_neither_number_nor_text_is_refused(value: Any) -> None:
    with pytest.raises(DataError, match=r"^row 1: .* is not a number\.$"):
        parse_value(value, place="row 1")


def test_a_duration_is_no_number() -> None:
    with pytest.raises(DataError, match=r"np\.timedelta64\(1,'s'\) is not a number"):
        read_published(parse_metric("mrr"), np.timedelta64(1, "s"))
    with pytest.raises(DataError, match="decimals = 1 seconds; expected a whole number"):
        check_decimals(np.timedelta64(1, "s"))


def test_numbers_of_more_digits_than_python_writes() -> None:
    most = 10**5000
    with pytest.raises(DataError, match="too large or too small for any metric"):
        read_published(parse_metric("mrr"), most)
    with pytest.raises(DataError, match="decimals = <int of more digits than can be written>; expected a whole"):
        check_decimals(most)
    # They are written alike, and are not the same.
    half, third = Fraction(most + 1, 2 * (most + 1) + 1), Fraction(most + 1, 3 * (most + 1) + 1)
    found = read_numbers(parse_metric("mrr"), [half, third])
    assert found[:, 0].tolist() == [0.5, float(Fraction(1, 3))]


def test_floats_are_exact_and_decimals_as_printed() -> None:
    assert parse_value(0.338).interval == Interval(0.338, 0.338)
    assert parse_value(0.338, decimals=3).interval == Interval(0.3375, 0.3385)
    assert parse_value(Decimal("0.340")).interval == Interval(0.3395, 0.3405)
    assert parse_value("0.34", decimals=3).interval == Interval(0.3395, 0.3405)
    assert parse_value("0.5", exact=True).interval == Interval(0.5, 0.5)
    assert parse_value(53.3, percent=True).value == 0.533
    assert parse_value("53.3", percent=True).interval == Interval(0.5325, 0.5335)
    assert parse_value("53.3%", percent=True).value == 0.533  # once


def test_what_the_caller_says_of_the_digits_is_kept() -> None:
    assert parse_value(177.4, decimals=0).interval == Interval(176.9, 177.9)
    assert parse_value(53.3, decimals=1, percent=True).interval == Interval(0.5325, 0.5335)
    with pytest.raises(DataError, match=r"^row 1: decimals = -1; expected a whole number from 0 to 400\.$"):
        parse_value(177.4, decimals=-1, place="row 1")
    mrr = parse_metric("mrr")
    readings: list[Callable[..., Published]] = [partial(read_published, mrr), parse_value]
    for read in readings:
        published = partial(read, "53.30")
        assert published(percent=True).interval == Interval(0.53295, 0.53305)
        assert published(percent=True, decimals=1).interval == Interval(0.5325, 0.5335)
        assert published(percent=True, exact=True).interval == Interval(0.533, 0.533)
    with pytest.raises(DataError, match=r"^row 1: 'x' is not a number"):
        read_published(mrr, "x", place="row 1")
    # Of a metric that is not a share a number alone can be read, and a sign of percent cannot.
    mr = parse_metric("mr")
    assert read_published(mr, 177.4).interval == Interval(177.4, 177.4)
    for value, percent in (("53%", False), (53.0, True), ("53", True)):
        with pytest.raises(DataError, match="is a percentage, but MR is not a share"):
            read_published(mr, value, percent=percent)
        with pytest.raises(DataError, match="is a percentage, but MR is not a share"):
            read_numbers(mr, [value], percent=percent)


@pytest.mark.parametrize(
    ("cells", "ends"),
    [
        (["53.3%", "7%"], [(0.533, 0.5325, 0.5335), (0.07, 0.065, 0.075)]),
        (["0.338", "1"], [(0.338, 0.3375, 0.3385), (1.0, 0.5, 1.5)]),
        (["+0.338", "53.3(14)%"], [(0.338, 0.3375, 0.3385), (0.533, 0.5185, 0.5475)]),
    ],
)
def test_a_column_of_texts_is_read_to_the_last_bit(cells: list[str], ends: list[tuple[float, ...]]) -> None:
    mrr = parse_metric("mrr")
    assert [*map(tuple, read_numbers(mrr, cells).tolist())] == ends
    readings: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
        (partial(read_published, **said), partial(read_numbers, **said))
        for said in ({"percent": True}, {"exact": True}, {"decimals": 1})
    ]
    for read_one, read_all in readings:
        expected = [read_one(mrr, cell) for cell in cells]
        assert read_all(mrr, cells).tolist() == [[each.value, each.lower, each.upper] for each in expected]


@pytest.mark.parametrize("digits", [14, 15, 16, 17])
def test_long_texts_are_rounded_once(digits: int) -> None:
    generator = random.Random(digits)  # noqa: S311 - test data
    texts = [f"9.{generator.randrange(10 ** (digits - 2), 10 ** (digits - 1))}" for _ in range(200)]
    found = read_numbers(parse_metric("mrr"), texts)
    half = Fraction(1, 2 * 10 ** (digits - 1))
    for text, ends in zip(texts, found.tolist(), strict=True):
        assert ends == [float(Fraction(text) + part * half) for part in (0, -1, 1)]


@pytest.mark.parametrize(("number", "half"), [(0.338, 0.0005), (177.0, 0.5), (1e-7, 5e-8), (1.5e-7, 5e-9), (1e22, 0.5)])
def test_half_a_unit_of_what_a_float_shows(number: float, half: float) -> None:
    assert half_unit(number) == pytest.approx(half, rel=1e-15)
    assert half_unit(-number) == half_unit(number)
    assert half_unit(math.inf) == half_unit(math.nan) == 0.0


def test_the_longest_text_and_the_largest_number_that_are_read() -> None:
    assert parse_value("0." + "1" * 398).value == 1 / 9
    assert parse_value("0." + "1" * 398).text == "0." + "1" * 398
    with pytest.raises(DataError, match="is not a number: it has 401 characters"):
        parse_value("0." + "1" * 399)
    assert parse_value("9e299").value == 9e299
    for text in ("1e300", "1e301"):
        with pytest.raises(DataError, match=f"'{text}' is too large or too small"):
            parse_value(text)
    with pytest.raises(DataError, match=r"'1\.000e\+500' is too large"):
        parse_value(Decimal("1" + "0" * 500))


@given(st.decimals(min_value=-(10**6), max_value=10**6, places=5))
def test_the_interval_is_that_of_exact_arithmetic(number: Decimal) -> None:
    published = parse_value(f"{number:f}")
    exact = Fraction(number)
    assert published.value == float(exact)
    assert published.lower == float(exact - Fraction(1, 200_000))
    assert published.upper == float(exact + Fraction(1, 200_000))


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        published = parse_value(text)
    except DataError:
        return
    assert published.lower <= published.value <= published.upper


PLAIN = st.from_regex(r"[0-9]{0,12}\.[0-9]{1,18}|[0-9]{1,14}", fullmatch=True)


@pytest.mark.slow
@given(st.lists(PLAIN, min_size=1, max_size=20), st.booleans())
def test_reading_many_texts_at_once_is_reading_each(texts: list[str], percent: bool) -> None:
    found = read_numbers(parse_metric("mrr"), texts, percent=percent)
    for text, ends in zip(texts, found, strict=True):
        alone = parse_value(text, percent=percent)
        assert list(ends) == pytest.approx([alone.value, alone.lower, alone.upper], rel=3e-16, abs=1e-300)


OTHERS = st.sampled_from(["53.3%", "0.5458 ± 0.0052", "+0.5", "1.7e-2", " .5", "3,340", "0.12345678901234567890123"])


@given(st.lists(PLAIN | OTHERS | st.floats(0, 1) | st.integers(0, 10**6), max_size=12), st.booleans())
def test_reading_many_values_of_any_kind_is_reading_each(cells: list[str | float], exact: bool) -> None:
    mrr = parse_metric("mrr")
    found = read_numbers(mrr, cells, exact=exact)
    assert found.shape == (len(cells), 3)
    for cell, ends in zip(cells, found, strict=True):
        alone = read_published(mrr, cell, exact=exact)
        assert list(ends) == pytest.approx([alone.value, alone.lower, alone.upper], rel=3e-16, abs=1e-300)


def test_the_first_cell_that_is_no_number_is_named() -> None:
    cells = ["0.5", "0.4", "0.5x", "0.5x", "y"]
    with pytest.raises(DataError, match=r"^'0\.5x' is not a number"):
        read_numbers(parse_metric("mrr"), cells)
    with pytest.raises(DataError, match=r"^53% is a percentage, but MR is not a share"):
        read_numbers(parse_metric("mr"), ["177", "53%"])


@pytest.mark.parametrize(
    ("value", "ends", "shown"),
    [
        (6368.04, (6358.6, 6377.5), "6,368 (6,358–6,378)"),
        (0.337529, (0.337029, 0.338029), "0.3375 (0.3370–0.3381)"),
        (0.338, (0.3375, 0.3385), "0.3380 (0.3375–0.3385)"),
        (0.23352836, (0.23352836, 0.23352836), "0.2335"),
        (3.2, (-6.0, 12.0), "3 (-6 to 12)"),
        (2.0, (1.9, 2.1), "2.00 (1.90–2.10)"),
        (7e-5, (6.5e-5, 7.5e-5), "0.000070 (0.000065–0.000075)"),
        (1e-12, (5e-13, 2e-12), "1.0e-12 (5.0e-13 to 2.0e-12)"),
        (0.0, (-0.1, 0.1), "0.00 (-0.10 to 0.10)"),
        (249.8, (148.0, 351.6), "250 (150–350)"),
        (0.0, (0.0, 0.0), "0"),
        (1234567.0, (1234560.0, 1234574.0), "1,234,567 (1,234,560–1,234,574)"),
        (123456789.0, (123456700.0, 123456800.0), "1.235e+08"),
        (1.0, (0.995, 1.0), "1.000 (0.995–1.000)"),
        # Just below and just above half a unit of the last digit that would be shown.
        (12345678.0, (12344678.0, 12346678.0), "1.235e+07"),
        (123456789.0, (123416789.0, 123496789.0), "1.235e+08"),
        (123456789.0, (123396789.0, 123516789.0), "123,460,000 (123,390,000–123,520,000)"),
        (0.33752, (0.33748, 0.33756), "0.3375"),
        (0.33752, (0.33746, 0.33758), "0.33752 (0.33746–0.33758)"),
        (636804.0, (636803.6, 636804.4), "636,804"),
        (636804.0, (636803.4, 636804.6), "636,804.0 (636,803.4–636,804.6)"),
        (6368.0, (6367.5, 6368.5), "6,368.0 (6,367.5–6,368.5)"),
        # Eight zeros are counted, nine are not.
        (3e-7, (2e-7, 4e-7), "0.00000030 (0.00000020–0.00000040)"),
        (3e-9, (2e-9, 4e-9), "3.0e-09 (2.0e-09 to 4.0e-09)"),
        (3.2e-9, (2.71e-9, 3.69e-9), "3.2e-09 (2.7e-09 to 3.7e-09)"),
        (3e-9, (-2e-9, 8e-9), "3e-09 (-2e-09 to 8e-09)"),
        # A float of that size does not tell the ones.
        (8e14, (1e14, 1.4e15), "8.0e+14 (1.0e+14–1.4e+15)"),
        (1.3e15, (1.2e15, 1.4e15), "1.30e+15 (1.20e+15–1.40e+15)"),
        (1e15, (5e14, 1.2e15), "1.0e+15 (5.0e+14–1.2e+15)"),
        (9e14, (8e14, 1e15), "9.00e+14 (8.00e+14–1.00e+15)"),
        (8.5e14, (8e14, 9e14), "850,000,000,000,000 (800,000,000,000,000–900,000,000,000,000)"),
        (-9.27e23, (-1.39e24, -4.6e23), "-9.0e+23 (-1.4e+24 to -4.0e+23)"),
        (-0.001, (-0.3, 0.3), "0.0 (-0.3 to 0.3)"),
        # A number within its range is so as shown, however near to an end; one beyond it is not.
        (-0.81433, (-1.1003, -0.81432), "-0.81 (-1.10 to -0.81)"),
        (0.0199, (0.0199, 0.51), "0.0 (0.0–0.6)"),
        (0.1, (0.21, 0.51), "0.1 (0.2–0.6)"),
        (1.045, (1.045, 3.945), "1.0 (1.0–3.9)"),
        (3.955, (1.055, 3.955), "4.0 (1.1–4.0)"),
        (2.0, (2.0, math.inf), "2.000"),
        (-3.2, (-3.4, -3.0), "-3.20 (-3.40 to -3.00)"),
    ],
)
def test_no_digit_is_shown_beyond_what_is_certain(value: float, ends: tuple[float, float], shown: str) -> None:
    interval = Interval(*ends)
    assert show_uncertain(value, interval) == shown
    assert show_uncertain(value, interval, ends_only=True) == re.sub(r".*\((.*)\)", r"\1", shown)


@pytest.mark.parametrize(("digits", "shown"), [(3, "0.338"), (4, "0.3375"), (5, "0.33752 (0.33748–0.33756)")])
def test_a_range_is_shown_if_a_digit_is_open(digits: int, shown: str) -> None:
    assert show_uncertain(0.33752, Interval(0.33748, 0.33756), digits) == shown


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e5), st.floats(1e-6, 1e5))
def test_what_is_shown_covers_the_interval(value: float, below: float, above: float) -> None:
    interval = Interval(value - below, value + above)
    shown = show_uncertain(value, interval, ends_only=True)
    best = float(show_uncertain(value, interval).split(" (")[0].replace(",", ""))
    assert abs(best - value) <= max(0.17 * max(below, above), 5e-4 * abs(value)) + 1e-12
    ends = [float(end) for end in re.split(" to |–", shown.replace(",", ""))]
    widest = max(below, above)
    if len(ends) == 1:
        assert widest <= 0.51 * 10 ** (math.floor(math.log10(abs(value))) - 3)
        return
    # All but 2 % are covered, and not much more than need be.
    for end, beyond in zip((value - below - ends[0], ends[1] - value - above), ends, strict=True):
        assert -0.0201 * widest - 1e-9 * abs(beyond) <= end <= 0.34 * widest + 1e-9 * abs(beyond)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (6368.04, 4, "6,368"),
        (0.00071106477, 5, "0.00071106"),
        (0.0, 4, "0"),
        (1e-9, 3, "1.00e-09"),
        (1e12, 2, "1.0e+12"),
        (1.5e-6, 4, "1.500e-06"),
        (1.5e-5, 4, "0.00001500"),
        (1234567.0, 4, "1,234,567"),
        (12345678.0, 4, "1.235e+07"),
        (0.5, 1, "0.5"),
        (-0.25, 4, "-0.2500"),
        (math.inf, 4, "inf"),
    ],
)
def test_numbers_with_their_digits(value: float, digits: int, shown: str) -> None:
    assert show_number(value, digits) == shown


def test_decimals_are_whole_numbers_of_some_length() -> None:
    assert (check_decimals(0), check_decimals(400)) == (0, 400)
    for wrong in (2.5, True, "2", -1, 401):
        with pytest.raises(DataError, match="expected a whole number from 0 to 400"):
            check_decimals(wrong)


def test_equal_numbers_that_are_written_otherwise_have_their_own_ends() -> None:
    cells = [Decimal("0.3"), Decimal("0.30"), "0.3", 0.3, Fraction(3, 10)]
    ends = [(0.25, 0.35), (0.295, 0.305), (0.25, 0.35), (0.3, 0.3), (0.3, 0.3)]
    assert read_numbers(parse_metric("mrr"), cells).tolist() == [[0.3, *pair] for pair in ends]


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6))
def test_half_the_width_reaches_from_the_middle_to_the_ends(middle: int, half: int) -> None:
    assert Interval(middle - half, middle + half).half_width == half
