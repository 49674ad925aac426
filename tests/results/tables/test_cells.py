"""What the text of a cell is."""

from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.names import read_count
from rankconst.results.tables.cells import (
    find_commas,
    is_blank,
    is_missing,
    is_number,
    is_plain_number,
    read_cell,
    read_deviation,
    strip_marks,
)
from rankconst.values.published import parse_value


@for_each(
    ("text", "bare"),
    [
        ("0.338*", "0.338"), ("†0.338", "0.338"), ("0.338^{a,b}", "0.338"), ("0.338¹", "0.338"),
        ("0.338 [12, 3]", "0.338"), ("0.338^{1} [2]*", "0.338"), ("53.3%*", "53.3%"), ("10^{3}", "10^{3}"),
        ("0.338(2)", "0.338(2)"), ("53.3(14)*", "53.3(14)"),
        ("10³", "10³"), ("110^{1}", "110"), ("0.3^{-1}", "0.3^{-1}"), ("(0.338)", "(0.338)"), ("**", "**"), ("", ""),
        ("9" * 500 + "*", "9" * 500 + "*"),
        # Gains are marks, if it is certain which of two numbers they are.
        ("48.8 ↑1.2", "48.8"), ("0.84_↑0.017", "0.84"), ("98.0 +0.9", "98.0"), ("0.3_+0.1", "0.3"),
        ("3340 ↓ 12%", "3340"),
        ("0.338 (+1.3 pp)", "0.338"), ("0.3 (1.2↑)", "0.3 (1.2↑)"), ("0.43 (p<0.05)", "0.43 (p<0.05)"),
        ("0.338 -0.01", "0.338 -0.01"), ("0.3+0.4", "0.3+0.4"), ("0.3 + 0.4", "0.3 + 0.4"), ("0.3_{1}", "0.3_{1}"),
        ("^{*}0.338", "0.338"), ("0.338^{[1]}", "0.338"),
        # So are intervals, which references and other numbers are not.
        ("-0.02 (-0.03\u2013-0.01)", "-0.02"), ("0.338 [0.337, 0.339]", "0.338"), ("5,904 (5,894--5,913)", "5,904"),
        ("33.8% (33.7%-33.9%)", "33.8%"), ("0.3 (2-3)", "0.3 (2-3)"), ("0.3 (0.1/0.4)", "0.3 (0.1/0.4)"),
        ("0.338_{2}", "0.338_{2}"), ("\u2b06 0.338", "\u2b06 0.338"),
    ],
)  # fmt: skip
def test_marks(text: str, bare: str) -> None:
    assert strip_marks(text) == bare


@given(st.text("0123456789.eE+-*†^{}() %±", max_size=12))
def test_plain_numbers_are_numbers(text: str) -> None:
    """What is told at once agrees with what is read in full."""
    if is_plain_number(text):
        assert is_number(text)
        assert parse_value(text).value == float(text)
        assert not is_missing(text)


@for_each(
    ("text", "written"),
    [
        ("0.551 (0.001)", "0.551 ± 0.001"), ("0.476 [0.470, 0.483]", None), ("0.43 (95% CI: 0.42-0.44)", None),
        ("0.338 (0.340)", None), ("0.338 [12, 3]", None),
        ("0.338 (std 0.002)", "0.338 ± 0.002"), ("0.338 (σ=0.002)", "0.338 ± 0.002"),
        ("0.338^{±0.002}", "0.338 ± 0.002"),
        # The same number in the other unit, and what may be that or a deviation.
        ("0.338 (33.8%)", None), ("33.8% (0.338)", None), ("0.338 / 33.8%", None),
        ("33.8% (0.5)", None), ("33.8% (0.34)", None), ("0.338 (33.9%)", None), ("0.338 (0.05%)", None), ("33.8% (33.8)", None),
    ],
)  # fmt: skip
def test_deviations_beside_a_number(text: str, written: str | None) -> None:
    assert read_deviation(text) == written


@for_each(
    "text",
    ["~0.55", "≈ 0.55", "ca. 0.55", "~~0.338~~", "~~0.338~~ 0.340", "0.21 (raw)", "0.21 valid", "0.338 (2)",
     "0.338 (SOTA)", "0.3 (5 runs)", "177(12)", "\U0001f947 0.338", "0.338 \U0001f525", "3 384", "3'384", "RotatE (ours)", "about it"],
)  # fmt: skip
def test_what_has_more_than_a_number_is_none(text: str) -> None:
    number, reason = read_cell(text, spread=False, exact=False)
    assert number == ""
    is_number_first = text[0] in "~≈03\U0001f947"
    assert ("column of its own" in reason) == is_number_first or "uncertainty" in reason


@for_each(
    ("texts", "decimal", "expected"),
    [
        (["0,226", "3.384", "33,8"], None, {"0,226": "0.226", "33,8": "33.8"}),
        (["0,226", "3.384"], "comma", {"0,226": "0.226", "3.384": "3384"}), (["0,226", "0.5"], None, {}),
        (["0,226", "13.38"], None, {}), (["3,384", "3.384"], None, {}), (["0,226", "3.384"], "point", {}),
    ],
)  # fmt: skip
def test_points_next_to_decimal_commas(
    texts: list[str], decimal: str | None, expected: dict[str, str]
) -> None:
    assert find_commas(texts, decimal) == expected


def test_nothing() -> None:
    assert all(is_blank(text) and is_missing(text) for text in ("", "-", "--", "–", "—", "−", "?"))
    assert all(is_missing(text) and not is_blank(text) for text in ("n/a", "N/A", "OOM", "Timeout"))
    assert not any(is_missing(text) for text in ("0", "0.338", "RotatE", " -"))


@for_each(
    ("text", "count"),
    [("402", 402), ("402.0", 402), ("402.", 402), ("40,876", 40876), ("1,234,567", 1234567), ("0", 0), ("402.5", None),
     ("4,02", None), ("-3", None), ("", None), ("many", None), ("٣", None), ("1" * 16, None),
     ("1_0", None), ("１０", None), ("0x10", None), ("1e3", None), (" 5", None), ("+5", None), ("inf", None)],
)  # fmt: skip
def test_counts(text: str, count: int | None) -> None:
    assert read_count(text) == count
