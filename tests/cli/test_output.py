"""Listings in every format, as the standard library writes them; what a reader left out, told in
few lines; what a command says while it works.
"""

import csv
import io
import json
import math
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases import SIGNS, for_each
from rankconst.cli.output import (
    MOST_REASONS,
    Notice,
    check_target,
    report_reading,
    show_lines,
    write_whole,
)
from rankconst.errors import UsageError
from rankconst.listing import Column, Format, Listing, count, render
from rankconst.names import show_controls
from rankconst.results.reading import Entries, Reading, Skipped
from rankconst.tables.encode import make_safe, write_delimited

_TEXTS = st.text(SIGNS, max_size=5)
_CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    _TEXTS,
    st.lists(_TEXTS),
)
_FLOATS = st.lists(st.floats(allow_infinity=False), min_size=3, max_size=3)


def _listing(cells: list[Any], mixed: list[Any], floats: list[float]) -> Listing:
    data: dict[str, Any] = {'a "key", b': cells, "mixed": mixed, "floats": np.array(floats)}
    return Listing([Column(key) for key in data], data)


def _rows(listing: Listing) -> list[dict[str, Any]]:
    lists = {key: list(map(_plain, values)) for key, values in listing.data.items()}
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and math.isnan(value) else value


def _write(listing: Listing, form: Format) -> bytes:
    return b"".join(render(listing, form))


@given(st.lists(_TEXTS, min_size=3, max_size=3), st.lists(_CELLS, min_size=3, max_size=3), _FLOATS)
def test_csv_and_json_are_those_of_the_standard_library(
    cells: list[Any], mixed: list[Any], floats: list[float]
) -> None:
    listing = _listing(cells, mixed, floats)
    rows, buffer = _rows(listing), io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(make_safe, listing.data))
    for row in rows:
        cells = ["; ".join(cell) if isinstance(cell, list) else cell for cell in row.values()]
        writer.writerow([make_safe(cell) if isinstance(cell, str) else cell for cell in cells])
    assert _write(listing, Format.csv).decode() == buffer.getvalue()
    written = _write(listing, Format.json).decode()
    assert json.loads(written) == rows
    expected = json.dumps(rows, indent=2, ensure_ascii=False) + "\n"
    if not any(
        unicodedata.category(sign) in {"Cc", "Cf", "Zl", "Zp"} for sign in expected if sign != "\n"
    ):
        assert written == expected


@given(st.lists(_TEXTS, min_size=3, max_size=3), st.lists(_CELLS, min_size=3, max_size=3), _FLOATS)
def test_a_workbook_holds_what_csv_does(
    cells: list[Any], mixed: list[Any], floats: list[float]
) -> None:
    """As openpyxl reads it: numbers are numbers, those printed with their decimals, and text is no formula."""
    openpyxl = pytest.importorskip("openpyxl")
    listing = _listing(cells, mixed, floats)
    book = openpyxl.load_workbook(io.BytesIO(_write(listing, Format.xlsx)))
    heading, *read = book.active.iter_rows()
    assert [cell.value for cell in heading] == [show_controls(key) for key in listing.data]
    for row, own in zip(read, _rows(listing), strict=True):
        for cell, value in zip(row, own.values(), strict=True):
            assert cell.data_type != "f"
            if isinstance(cell.value, (int, float)):
                assert float(value) == cell.value
                decimals = str(value).partition(".")[2] if isinstance(value, str) else ""
                assert cell.number_format == ("0." + "0" * len(decimals) if decimals else "General")
            elif value not in (None, ""):
                text = "; ".join(value) if isinstance(value, list) else str(value)
                assert cell.value == show_controls(text).replace("\r\n", "\n")


_STEERING = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e\u2066\x7f\x08\r"
_SHOWN = r"\x1b]0;title\x07\x1b[2J\u009b31m\u202e\u2066\u007f\x08\x0d"


@for_each("form", [form for form in Format if form not in {Format.parquet, Format.xlsx}])
def test_what_steers_a_terminal_is_shown(form: Format) -> None:
    """In every place of a listing, whatever the format; JSON has it as its escapes."""
    columns = [Column("a", f"head{_STEERING}"), Column(f"b{_STEERING}", "b", raw=True)]
    row = {"a": f"x{_STEERING}y", f"b{_STEERING}": f"x{_STEERING}y"}
    written = _write(
        Listing.of(columns, [row], f"title{_STEERING}", f"caption{_STEERING}"), form
    ).decode()
    assert not any(unicodedata.category(sign) in {"Cc", "Cf"} for sign in written if sign != "\n")
    if form is Format.json:
        assert json.loads(written) == [row]
    elif form is Format.csv:
        assert list(csv.reader(io.StringIO(written)))[1] == [f"x{_SHOWN}y"] * 2
    elif form is Format.table:
        assert all(f"{word}{_SHOWN}" in written for word in ("title", "head", "x", "caption"))


_FORMULAS = (
    "=1+1", "+1+1", "-1-1", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0", '=HYPERLINK("http://a")', "＝1", "-a",
)  # fmt: skip
_HARMLESS = (
    "-0.5", "+0.5", "-1,234.5", "-.5e-3", "-12 %", "-0.31 ± 0.02", "-0.31(2)", "-", "--", "a=1", "'=1", " x",
)  # fmt: skip


def test_no_text_is_a_formula() -> None:
    numbers = [-0.5, None, *[-1] * (len(_FORMULAS) + len(_HARMLESS) - 2)]
    text = "".join(write_delimited({"=a": [*_FORMULAS, *_HARMLESS], "b": numbers}))
    heads, *rows = csv.reader(io.StringIO(text, newline=""))
    assert heads == ["'=a", "b"]
    assert [row[0] for row in rows] == [*(f"'{each}" for each in _FORMULAS), *_HARMLESS]
    assert [row[1] for row in rows] == ["-0.5", "", *["-1"] * (len(rows) - 2)]


_SIGNS = st.text(st.sampled_from("\\`*_[]()<>&|~!#-$%^{}'\"/ab1; "), max_size=12).map(str.strip)


@settings(max_examples=100)
@given(st.lists(_SIGNS, min_size=2, max_size=2))
@example(["<script>alert(1)</script>", "&lt;b&gt;"])
@example(["[a](javascript:b)", "`a|b`"])
def test_markdown_shows_every_cell_as_it_is(cells: list[str]) -> None:
    markdown_it = pytest.importorskip(
        "markdown_it", reason="needs markdown-it-py, a renderer of Markdown"
    )
    written = _write(
        Listing([Column("a", "a"), Column("b", "b|<b>")], {"a": cells, "b": cells[::-1]}),
        Format.markdown,
    )
    renderer = markdown_it.MarkdownIt().enable(["table", "strikethrough"])
    page = renderer.render(written.decode())
    shown = [unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", page)]
    assert [each.split() for each in shown] == [
        each.split() for each in ("a", "b|<b>", *cells, *cells[::-1])
    ]
    assert {*re.findall(r"<(\w+)", page)} == {"table", "thead", "tbody", "tr", "th", "td"}


def test_cells_that_are_markdown_stay_in_their_row() -> None:
    data = {"a": ["**b**", "a|b", r"a\|b", r"a\\|b", "a\nb"]}
    written = (
        _write(Listing([Column("a", "a", raw=True)], data), Format.markdown)
        .decode()
        .splitlines()[2:]
    )
    assert written == ["| **b** |", r"| a\|b |", r"| a\|b |", r"| a\\\|b |", "| a b |"]


_SPELT = re.compile(
    r"\\[&%$#_{}]|\\text(?:backslash|ascii(?:tilde|circum))\{\}|\$[<>|]\$|\{\}(?=[*\[])"
)


def _list_rows(written: str) -> list[str]:
    """Return the rows of a tabular."""
    return written.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()


def test_notes_are_comments_of_latex() -> None:
    columns = [Column("model", "model"), Column("note", "note", is_note=True)]
    data = {"model": ["A_1", "B"], "note": ["100 % more than possible", ""]}
    written = _write(Listing(columns, data, caption="5 % of A_1"), Format.latex).decode()
    assert written.startswith("% A_1: 100 % more than possible\n\\begin{table}")
    assert _list_rows(written) == ["A\\_1 \\\\", "B \\\\"]
    assert "\\caption{5 \\% of A\\_1}\n\\label{tab:rankconst}\n" in written


@given(_SIGNS, _SIGNS)
def test_no_sign_of_a_cell_is_latex(first: str, second: str) -> None:
    written = _write(
        Listing([Column("a", "a"), Column("b", "b")], {"a": [first], "b": [second]}), Format.latex
    )
    (row,) = _list_rows(written.decode())
    assert row.endswith(" \\\\")
    cells = row.removesuffix(" \\\\").split(" & ")
    assert len(cells) == 2
    assert not re.search(r"[\\&%$#_{}~^<>|]", _SPELT.sub("", " ".join(cells)))
    assert row[0] not in "*["


def test_floats_are_written_as_python_does() -> None:
    rng = np.random.default_rng(0)
    steps = 10.0 ** np.arange(-7, 18)
    values = np.concatenate(
        [
            rng.integers(0, 2**62, 20_000).view(float),
            rng.random(20_000) * 10.0 ** rng.integers(-6, 18, 20_000),
            np.round(rng.random(20_000) * 1000, 4),
            steps,
            np.nextafter(steps, 0),
            [0.0, -0.0, 1.0, 5e-324],
        ]
    )
    values = values[np.isfinite(values)]
    written = _write(
        Listing([Column("a"), Column("b")], {"a": values, "b": -values}), Format.csv
    ).decode()
    assert written == "a,b\n" + "".join(f"{value!r},{-value!r}\n" for value in values.tolist())


@for_each("form", [form for form in Format if form is not Format.parquet])
def test_rows_and_columns_give_the_same(form: Format) -> None:
    columns = [
        Column("name", "name"),
        Column("number", "a|b", count, right=True),
        Column(
            "ratio", "ratio", show_row=lambda row: f"{row['number']}: {row['ratio']}, {row['more']}"
        ),
        Column("kept"),
    ]
    every: list[dict[str, Any]] = [
        {"name": "x_1 & y", "number": 1200, "ratio": 0.5, "kept": ["a", "b"], "more": None},
        {"name": None, "number": None, "ratio": None, "kept": [], "more": 3.5},
    ]
    for rows in (every, []):
        data: dict[str, Any] = {key: [row[key] for row in rows] for key in every[0]}
        data |= {key: np.array(data[key], dtype=float) for key in ("ratio", "more")}
        by_rows = Listing.of(columns, rows, "title", "caption")
        by_columns = Listing(columns, data, "title", "caption")
        assert _write(by_rows, form) == _write(by_columns, form)
        assert len(by_rows) == len(by_columns) == len(rows)


def test_many_rows_come_in_blocks() -> None:
    data: dict[str, Any] = {"a": list(range(10_000)), "b": np.arange(10_000) / 3}
    listing = Listing([Column("a"), Column("b")], data)
    blocks = list(render(listing, Format.csv))
    assert len(blocks) > 3
    assert b"".join(blocks).decode() == "a,b\n" + "".join(f"{n},{n / 3!r}\n" for n in range(10_000))
    assert json.loads(_write(listing, Format.json)) == [{"a": n, "b": n / 3} for n in range(10_000)]


@pytest.mark.parametrize("linked", [True, False])
def test_what_somebody_else_made_meanwhile_stays(
    linked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not linked:  # as on a file system without hard links
        monkeypatch.delattr("os.link")
    path = tmp_path / "a.csv"

    def work() -> Iterator[bytes]:
        yield b"mine"
        path.write_bytes(b"theirs")

    with pytest.raises(
        UsageError, match=r"a\.csv already exists\. Name another file, or add --force"
    ):
        write_whole(path, work(), force=False)
    assert path.read_bytes() == b"theirs"
    write_whole(path, work(), force=True)
    assert path.read_bytes() == b"mine"
    path.unlink()
    write_whole(path, b"new", force=False)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_the_files_of_a_set_of_tables_are_not_overwritten(tmp_path: Path) -> None:
    link, other = tmp_path / "link.parquet", tmp_path / "other.parquet"
    files = [tmp_path / name for name in ("constants.parquet", "datapackage.json")]
    for file in (*files, other):
        file.write_bytes(b"")
    link.symlink_to(files[0])
    for file in (*files, link):
        with pytest.raises(UsageError, match="belongs to a set of tables"):
            check_target(file, force=True)
    check_target(other, force=True)
    check_target(tmp_path / "candidates.parquet", force=False)  # there is none to damage
    files[1].unlink()  # then it is not a set
    check_target(files[0], force=True)


def test_what_parquet_has_no_type_for() -> None:
    listing = Listing(
        [Column("a"), Column("b")], {"a": np.array([np.nan, 0.5]), "b": np.array([np.nan, np.nan])}
    )
    table = pq.read_table(io.BytesIO(_write(listing, Format.parquet)))
    assert table.to_pydict() == {"a": [None, 0.5], "b": [None, None]}
    assert str(table.schema.field("b").type) == "null"
    # File names that are no text are shown.
    listing = Listing([Column("a"), Column("b")], {"a": ["a\udcff", None], "b": ["\x1b", "b"]})
    table = pq.read_table(io.BytesIO(_write(listing, Format.parquet)))
    assert table.to_pydict() == {"a": ["a\\udcff", None], "b": ["\x1b", "b"]}


def test_nothing_is_written_without_rows() -> None:
    listing = Listing.of([Column("a", "a"), Column("b", "b")], [])
    assert (_write(listing, Format.json), _write(listing, Format.csv)) == (b"[]\n", b"a,b\n")


def test_an_infinity_is_no_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        _write(Listing([Column("a")], {"a": np.array([math.inf])}), Format.json)


def tell(capsys: pytest.CaptureFixture[str], skipped: Iterable[Skipped]) -> list[str]:
    report_reading(Reading("train.log", "rotate", "long", (), (), Entries(), tuple(skipped)))
    out, err = capsys.readouterr()
    assert out == ""
    return str(err).splitlines()


def test_places_with_the_same_reason_share_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    why = "not the name of a metric that logs print"
    found = [Skipped(line, "auc_pr", why) for line in (*range(3, 203), 300)]
    assert tell(capsys, found) == [f"skipped: train.log, lines 3-202, 300: auc_pr: {why}"]
    assert tell(capsys, [Skipped(None, "x" * 500, why)]) == [
        f"skipped: train.log: {'x' * 80}...: {why}"
    ]
    names = [Skipped(line, f"auc_{line}", why) for line in range(3, 8)]
    assert tell(capsys, names) == [
        f"skipped: train.log, lines 3-7: auc_3, auc_4, auc_5 and 2 more: {why}"
    ]


def test_many_reasons_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Skipped(line, "x", f"reason {line}") for line in range(1, 21)]
    shown = tell(capsys, [*found, *found])
    assert len(shown) == MOST_REASONS + 1
    assert shown[-1] == (
        f"skipped: train.log: {2 * (20 - MOST_REASONS)} more, for {20 - MOST_REASONS} other reasons"
    )


@given(st.sets(st.integers(1, 60)))
def test_ranges_stand_for_their_lines(lines: set[int]) -> None:
    """Read the ranges back: no other lines, the first ones, and the count of the others."""
    text, _, more = show_lines(lines).partition(" and ")
    read: list[int] = []
    for part in filter(None, text.split(", ")):
        first, _, last = part.partition("-")
        read += range(int(first), int(last or first) + 1)
    assert read == sorted(lines)[: len(read)]
    assert len(lines) - len(read) == int(more.partition(" ")[0] or 0)


def test_a_command_says_what_it_does_when_it_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And erases that before it says anything else; nothing where no terminal is."""
    piped, notice = Notice(), Notice()
    piped.start("adjusting paper.csv ...")
    assert piped._timer is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(Notice, "delay", 0.0)
    notice.start("adjusting paper.csv ...")
    assert notice._timer is not None
    notice._timer.join()
    notice.stop()
    assert capsys.readouterr().err == "adjusting paper.csv ...\r\x1b[K"
    notice.stop()
    assert capsys.readouterr().err == ""
