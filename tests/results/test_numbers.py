"""Numbers of files: what their writing leaves open, what they are called, and how many digits they show."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.catalogue.metrics import parse_metric
from rankconst.constants.published import Interval
from rankconst.errors import DataError
from rankconst.results.reading import NOISE, Entry, Measured, are_in_full, count_digits, measure, name_entry


def entry(metric: str, text: str, adjustment: str | None = None, *, exact: bool = False) -> Entry:
    return Entry(parse_metric(metric), text, 0, metric, None, adjustment=adjustment, exact=exact)


@pytest.mark.parametrize(
    ("text", "exact", "in_full", "half"),
    [
        ("0.338", False, True, 0.0005),
        ("0.338", True, False, 0.0005),
        ("0.338", True, True, 0.0),
        ("0.33812345678", True, True, 0.0),
        ("0.0000338", False, True, 0.5e-7),
        ("0.5458 ± 0.0052", False, True, 0.00525),
        ("53.3%", False, True, 0.0005),
    ],
)
def test_every_number_is_granted_the_noise_of_32_bits(text: str, exact: bool, in_full: bool, half: float) -> None:
    m = measure(entry("mrr", text, exact=exact), in_full=in_full)
    assert m.interval.half_width == pytest.approx(half + NOISE * m.value, rel=1e-9)
    assert m.averaged == ("±" in text)


def test_percentages() -> None:
    assert measure(entry("mrr", "33.8"), percent=True).value == pytest.approx(0.338)
    assert measure(entry("mrr", "33.7", "index"), percent=True).value == pytest.approx(0.337)
    assert measure(entry("mr", "33.8"), percent=True).value == 33.8
    assert measure(entry("mrr", "6.1", "z"), percent=True).value == 6.1
    with pytest.raises(DataError, match=r"17% is a percentage, but MR is no share\."):
        measure(entry("mr", "17%"))
    # An index is 1 at most, whatever its metric.
    assert measure(entry("mr", "93.4%", "index")).value == pytest.approx(0.934)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(DataError, match="nan"):
        measure(entry("mr", "nan"))


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("0.338", 3),
        ("+0.338", 3),
        ("-0.3380", 4),
        ("\u22120.338", 3),
        (".5", 1),
        ("3,340", 4),
        ("3{,}340", 4),
        ("3\u202f340.5", 5),
        ("$0.338$", 3),
        ("0.3375123+-0.01", 7),
        ("0.3375123 +/- 0.01", 7),
        ("0.3375123 \\pm 0.01", 7),
        ("0.3375123 ± 0.01", 7),
        ("(0.3375123±0.01)%", 7),
        ("53.3%", 3),
        ("1.20e-05", 3),
        ("0", 0),
        ("0.000", 0),
        ("n/a", 0),
        ("", 0),
    ],
)
def test_significant_digits(text: str, digits: int) -> None:
    assert count_digits(text) == digits


@given(st.integers(-(10**12), 10**12).filter(bool), st.integers(0, 12))
def test_scaling_by_ten_shows_no_further_digit(number: int, decimals: int) -> None:
    assert count_digits(str(number)) == len(str(abs(number)))
    assert count_digits(f"{Decimal(number).scaleb(-decimals):f}") == len(str(abs(number)))


def test_one_number_in_full_tells_of_all() -> None:
    short, full = entry("mrr", "0.25"), entry("mr", "3.5323383808")
    assert not are_in_full([])
    assert not are_in_full([short, entry("mr", "3.532338")])
    assert are_in_full([short, full])


def test_names() -> None:
    assert name_entry(entry("mr", "5", "index")) == "AMRI"
    assert name_entry(entry("hits@10", "0.5", "z")) == "ZH@10"
    assert name_entry(entry("mrr", "5", "normalised")) == "normalised of MRR"
    assert name_entry(entry("mrr", "0.5")) == measure(entry("mrr", "0.5")).label == "MRR"


def test_numbers_are_written_with_their_interval() -> None:
    shown = [str(measure(entry("mrr", text))) for text in ("0.338", "0.4304182897159709")]
    assert shown == ["MRR 0.338 (0.3375 to 0.3385)", "MRR 0.43041829"]
    nothing = Measured(entry("mrr", "n/a"), math.nan, Interval(math.nan, math.nan))
    assert str(nothing) == "MRR n/a"
