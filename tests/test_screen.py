"""Tables on a screen: columns that keep their places, whatever is in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.listing import Column, GridColumn, Listing, draw_grid, measure, print_text

_SIGNS = st.sampled_from("ab0 –±ée\u0301界ｈ\u200b")
_CELLS = st.lists(st.text(_SIGNS, max_size=6).map(str.strip), min_size=4, max_size=4)


@for_each(
    ("text", "size"),
    [("MRR", 3), ("0.5–0.6 ±", 9), ("知识图谱", 8), ("e\u0301tat", 4), ("", 0), ("ﾊﾝｶｸ", 4)],
)
def test_a_text_takes_as_many_places_as_a_terminal_gives_it(text: str, size: int) -> None:
    assert measure(text) == size


@given(st.lists(st.tuples(_CELLS, st.booleans()), min_size=1, max_size=4))
def test_columns_are_aligned(given_columns: list[tuple[list[str], bool]]) -> None:
    columns = [GridColumn(Column("", right=right), [*cells, "|"]) for cells, right in given_columns]
    heading, line, *rows = draw_grid(columns, 10_000).split("\n")
    assert len(rows) == 4
    assert {*line.strip()} == {"─"}
    gaps = 3 * (len(columns) - 1)
    assert measure(line.strip()) == sum(column.width for column in columns) + gaps
    assert all(measure(row) <= measure(line) for row in [heading, *rows])
    place = 1
    for column in columns:  # the last row has a bar in each
        assert rows[-1][place if not column.right else place + column.width - 1] == "|"
        place += column.width + 3


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("a name of many words", [" a name of     0.123456", " many words"]),
        (
            "知识 图谱 知识 图谱",
            [" 知识 图谱     0.123456", " 知识 图谱"],
        ),  # signs that take two places
    ],
)
def test_cells_too_wide_for_the_screen_continue_below(cell: str, lines: list[str]) -> None:
    columns = [
        GridColumn(Column("", right=False), ["name", cell, "short"]),
        GridColumn(Column("", right=True), ["value", "0.123456", "7"]),
    ]
    heading, line, last = f" name{' ' * 13}value", f" {'─' * 22}", f" short{' ' * 16}7"
    assert draw_grid(columns, 24).split("\n") == [heading, line, *lines, last]


def test_two_columns_of_which_a_word_is_too_long_are_a_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The names stay on the left, texts continue below themselves, and an address is whole."""
    monkeypatch.setattr("rankconst.listing.find_width", lambda: 30)
    address = "https://example.org/a/long/address/of/a/file"
    rows = [
        {"field": "ties", "text": "the mean of best and worst"},
        {"field": "evidence", "text": address},
        {"field": "", "text": address},
    ]
    listing = Listing.of([Column("field", "tool"), Column("text", "PyKEEN")], rows)
    assert print_text(listing).strip("\n").split("\n") == [
        "  tool       PyKEEN",
        "  ties       the mean of best",
        "             and worst",
        f"  evidence   {address}",
        f"             {address}",
    ]


def test_a_heading_is_in_full_where_the_one_it_continues_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rankconst.listing.find_width", lambda: 20)
    columns = [
        Column("model", "model"),
        Column("value", "WN18RR", right=True, drop=1),
        Column("index", "AMRR", right=True, continues="value"),
    ]
    row = {"model": "a", "value": "0.4760000", "index": "0.4759"}
    assert print_text(Listing.of(columns, [row, row])).split("\n") == [
        " model       WN18RR", "               AMRR", " ──────────────────", " a           0.4759",
        " a           0.4759", "", "Left out for lack of", "width: WN18RR.",
    ]  # fmt: skip


def test_where_no_column_may_leave_each_row_has_its_fields_below_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rankconst.listing.find_width", lambda: 12)
    columns = [Column("a", "first"), Column("b", "second"), Column("c", "third", meaning="it says")]
    rows: list[dict[str, str | None]] = [
        {"a": "x", "b": None, "c": "1234567"},
        {"a": "y", "b": "2", "c": "3"},
    ]
    assert print_text(Listing.of(columns, rows)).strip("\n").split("\n") == [
        *("  first   x", "  third   1234567", ""),
        *("  first    y", "  second   2", "  third    3", "", "third: it", "says."),
    ]
