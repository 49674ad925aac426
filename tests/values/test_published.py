"""Published numbers: what is read, with which interval, and what is refused."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import SIGNS, choose, for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.values.published import (
    Interval,
    check_decimals,
    half_unit,
    parse_value,
    read_numbers,
    read_published,
    show_number,
    show_uncertain,
)

MR, MRR = map(parse_metric, ("mr", "mrr"))
MOST = 10**5000


@for_each(
    ("text", "value", "lower", "upper", "deviation"),
    [
        ("0.338", 0.338, 0.3375, 0.3385, None),
        (".5", 0.5, 0.45, 0.55, None),
        ("177", 177.0, 176.5, 177.5, None),
        ("3,340", 3340.0, 3339.5, 3340.5, None),
        ("3{,}340.5", 3340.5, 3340.45, 3340.55, None),
        ("7e-05", 7e-5, 6.5e-5, 7.5e-5, None),
        ("53.3 \\%", 0.533, 0.5325, 0.5335, None),
        *[(f"0.5458 {sign} 0.0052", 0.5458, 0.54055, 0.55105, 0.0052) for sign in ("±", "+-", "+/-")],
        ("$0.5458 \\pm 0.0052$", 0.5458, 0.54055, 0.55105, 0.0052),
        ("0.949 ± 0.000", 0.949, 0.9485, 0.9495, 0.0),
        ("53.3% ± 0.1%", 0.533, 0.5315, 0.5345, 0.001),
        # siunitx manual, section 4.3: in units of the last digit.
        ("0.338(12)", 0.338, 0.3255, 0.3505, 0.012),
        ("53.3(14)%", 0.533, 0.5185, 0.5475, 0.014),
        ("$177.5(120)$", 177.5, 165.45, 189.55, 12.0),
        ("1.7(2)e2", 170.0, 145.0, 195.0, 20.0),
        ("−0.3", -0.3, -0.35, -0.25, None),
    ],
)  # fmt: skip
def test_text_is_read_with_the_interval_of_its_digits(
    text: str, value: float, lower: float, upper: float, deviation: float | None
) -> None:
    found = parse_value(text)
    assert (found.text, found.value, found.lower, found.upper, found.deviation) == (
        text, value, lower, upper, deviation,
    )  # fmt: skip


@for_each(
    ("value", "options", "ends"),
    [
        (0.338, {}, (0.338, 0.338)),
        (0.338, {"decimals": 3}, (0.3375, 0.3385)),
        (177.4, {"decimals": 0}, (176.9, 177.9)),
        (Decimal("0.340"), {}, (0.3395, 0.3405)),
        ("0.34", {"decimals": 3}, (0.3395, 0.3405)),
        ("0.5", {"exact": True}, (0.5, 0.5)),
        (53.3, {"percent": True}, (0.533, 0.533)),
        (53.3, {"percent": True, "decimals": 1}, (0.5325, 0.5335)),
        ("53.30", {"percent": True}, (0.53295, 0.53305)),
        ("53.30", {"percent": True, "exact": True}, (0.533, 0.533)),
        ("53.3%", {"percent": True}, (0.5325, 0.5335)),  # once
    ],
)
def test_what_the_caller_says_of_the_digits_is_kept(
    value: Any, options: dict[str, Any], ends: tuple[float, ...]
) -> None:
    """Floats are exact, and decimals as printed; of a metric as without one, alone as among others."""
    assert (
        parse_value(value, **options).interval
        == read_published(MRR, value, **options).interval
        == ends
    )
    assert read_numbers(MRR, [value], **options)[0, 1:].tolist() == [*ends]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        *[(text, "is not a number") for text in ("", "0.3x", "1_000", "53%%", "0.3(2)(1)", "٣", "x ± 0.5", "0.5 ± x")],
        *[(text, "is not a number") for text in ("0.5 ± 0.1 ± 0.1", "0.5 ± 0,123")],
        *[(value, r".* is not a number\.$") for value in (True, None, [1], 1j, "abc")],
        (np.timedelta64(1, "s"), r"np\.timedelta64\(1,'s'\) is not a number"),
        *[(float(text), "is not a result") for text in ("nan", "inf")],
        *[(Decimal(text), "is not a result") for text in ("NaN", "-Infinity")],
        ("0,338", "decimal point, not a comma: 0.338"),
        ("12,34", "decimal point, not a comma: 12.34"),
        ("nan", "Leave out what is missing"),
        ("-inf", "Leave out what is missing"),
        ("1/3", "Write the quotient out"),
        ("0.5 ± -0.1", "negative"),
        *[(value, "is too large or too small for any metric") for value in ("1e999", "1e300", "1e301")],
        pytest.param(MOST, "is too large or too small for any metric", id="long"),
        (Decimal("1" + "0" * 500), r"'1\.000e\+500' is too large"),
        ("1e-400", "'1e-400' is too small to tell from 0"),
        ("5e-324%", "too small"),
        ("1" * 1000, "1,000 characters"),
        ("0." + "1" * 399, "401 characters"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        parse_value(value, place="line 3, column MRR")
    assert str(refused.value).startswith("line 3, column MRR: ")


def test_the_longest_text_and_the_largest_number_are_read() -> None:
    assert parse_value("0." + "1" * 398).value == 1 / 9
    assert parse_value("9e299").value == 9e299


@pytest.mark.parametrize(
    "wrong", [2.5, True, "2", -1, 401, pytest.param(MOST, id="long"), np.timedelta64(1, "s")]
)
def test_decimals_are_whole_numbers_of_some_length(wrong: Any) -> None:
    assert (check_decimals(0), check_decimals(400)) == (0, 400)
    with pytest.raises(
        DataError, match=r"^row 1: decimals = .*; expected a whole number from 0 to 400\.$"
    ):
        parse_value(0.5, decimals=wrong, place="row 1")


@pytest.mark.parametrize(("value", "percent"), [("53%", False), (53.0, True), ("53", True)])
def test_only_shares_are_percentages(value: str | float, percent: bool) -> None:
    for read in (
        lambda: read_published(MR, value, percent=percent),
        lambda: read_numbers(MR, [value], percent=percent),
    ):
        with pytest.raises(DataError, match="is a percentage, but MR is not a share"):
            read()


@for_each(
    ("number", "half"), [(0.338, 0.0005), (177.0, 0.5), (1e-7, 5e-8), (1.5e-7, 5e-9), (1e22, 0.5)]
)
def test_half_a_unit_of_what_a_float_shows(number: float, half: float) -> None:
    assert half_unit(number) == half_unit(-number) == pytest.approx(half, rel=1e-15)
    assert half_unit(math.inf) == half_unit(math.nan) == 0.0


@given(st.text(SIGNS, max_size=30))
@settings(max_examples=choose(30, 100))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        published = parse_value(text)
    except DataError:
        return
    assert published.lower <= published.value <= published.upper


DIGITS = "0123456789."
PLAIN = st.from_regex(r"[0-9]{0,12}\.[0-9]{1,18}|[0-9]{1,14}", fullmatch=True, alphabet=DIGITS)
OTHERS = st.sampled_from(
    [
        "53.3%", "7%", "53.3(14)%", "0.5458 ± 0.0052", "+0.5", "1.7e-2", " .5", "3,340", "0." + "1" * 25,
    ]
)  # fmt: skip
CELLS = st.lists(PLAIN, max_size=12) | st.lists(
    PLAIN | OTHERS | st.floats(0, 1) | st.integers(0, 10**6), max_size=12
)
OPTIONS = st.sampled_from([{}, {"exact": True}, {"percent": True}, {"decimals": 1}])


@given(
    st.lists(
        st.from_regex(r"[0-9]\.[0-9]{1,18}", fullmatch=True, alphabet=DIGITS),
        min_size=1,
        max_size=30,
    )
)
def test_the_interval_is_that_of_exact_arithmetic(texts: list[str]) -> None:
    """Texts of any length are rounded once."""
    for text, ends in zip(texts, read_numbers(MRR, texts).tolist(), strict=True):
        exact, half = Fraction(text), Fraction(1, 2 * 10 ** (len(text) - 2))
        assert ends == [float(exact), float(exact - half), float(exact + half)]
        negative = parse_value(f"-{text}")
        assert (negative.value, negative.upper, negative.lower) == tuple(-each for each in ends)


@given(CELLS, OPTIONS)
def test_reading_many_values_of_any_kind_is_reading_each(
    cells: list[str | float], options: dict[str, Any]
) -> None:
    found = read_numbers(MRR, cells, **options)
    assert found.shape == (len(cells), 3)
    for cell, ends in zip(cells, found, strict=True):
        alone = read_published(MRR, cell, **options)
        assert list(ends) == pytest.approx(
            [alone.value, alone.lower, alone.upper], rel=3e-16, abs=1e-300
        )


def test_equal_numbers_that_are_written_otherwise_have_their_own_ends() -> None:
    cells = [Decimal("0.3"), Decimal("0.30"), "0.3", 0.3, Fraction(3, 10)]
    ends = [(0.25, 0.35), (0.295, 0.305), (0.25, 0.35), (0.3, 0.3), (0.3, 0.3)]
    assert read_numbers(MRR, cells).tolist() == [[0.3, *pair] for pair in ends]
    # Python writes neither of these, and they are not the same.
    half, third = Fraction(MOST + 1, 2 * (MOST + 1) + 1), Fraction(MOST + 1, 3 * (MOST + 1) + 1)
    assert read_numbers(MRR, [half, third])[:, 0].tolist() == [0.5, float(Fraction(1, 3))]
    # The first cell that is no number is named.
    with pytest.raises(DataError, match=r"^'0\.5x' is not a number"):
        read_numbers(MRR, ["0.5", "0.5x", "0.5x", "y"])


@for_each(
    ("value", "ends", "shown"),
    [
        (6368.04, (6358.6, 6377.5), "6,368 (6,358–6,378)"),
        (0.338, (0.3375, 0.3385), "0.3380 (0.3375–0.3385)"),
        (3.2, (-6.0, 12.0), "3 (-6 to 12)"),
        (0.0, (-0.1, 0.1), "0.00 (-0.10 to 0.10)"),
        (0.0, (0.0, 0.0), "0"),
        (2.0, (2.0, math.inf), "2.000"),
        # Just below and just above half a unit of the last digit that would be shown.
        (123456789.0, (123416789.0, 123496789.0), "1.235e+08"),
        (123456789.0, (123396789.0, 123516789.0), "123,460,000 (123,390,000–123,520,000)"),
        (0.33752, (0.33746, 0.33758), "0.33752 (0.33746–0.33758)"),
        # Eight zeros are counted, nine are not.
        (3e-7, (2e-7, 4e-7), "0.00000030 (0.00000020–0.00000040)"),
        (3e-9, (-2e-9, 8e-9), "3e-09 (-2e-09 to 8e-09)"),
        # A float of that size does not tell the ones.
        (1e15, (5e14, 1.2e15), "1.0e+15 (5.0e+14–1.2e+15)"),
        (9e14, (8e14, 1e15), "9.00e+14 (8.00e+14–1.00e+15)"),
        (8.5e14, (8e14, 9e14), "850,000,000,000,000 (800,000,000,000,000–900,000,000,000,000)"),
        # A number within its range is so as shown, however near to an end; one beyond it is not.
        (-0.81433, (-1.1003, -0.81432), "-0.81 (-1.10 to -0.81)"),
        (0.0199, (0.0199, 0.51), "0.0 (0.0–0.6)"),
        (0.1, (0.21, 0.51), "0.1 (0.2–0.6)"),
    ],
)
def test_no_digit_is_shown_beyond_what_is_certain(
    value: float, ends: tuple[float, float], shown: str
) -> None:
    interval = Interval(*ends)
    assert show_uncertain(value, interval) == shown
    assert show_uncertain(value, interval, ends_only=True) == re.sub(r".*\((.*)\)", r"\1", shown)
    if value == 0.33752:
        assert show_uncertain(value, interval, 3) == "0.338"
        assert show_uncertain(value, interval, 6)[:9] == "0.33752 ("


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


def test_numbers_with_their_digits() -> None:
    shown = {
        0.0: "0", 1.5e-6: "1.500e-06", 1.5e-5: "0.00001500", 1234567.0: "1,234,567",
        12345678.0: "1.235e+07",
    }  # fmt: skip
    assert {value: show_number(value) for value in shown} == shown
    assert (show_number(-0.25, 3), show_number(math.inf)) == ("-0.250", "inf")
