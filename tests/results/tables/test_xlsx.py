"""Workbooks: read as the same cells in CSV are, sheet by sheet, and nothing hidden in an archive
does harm.
"""

import re
import sys
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import rankconst
from rankconst.errors import DataError, MissingExtraError
from rankconst.results.document import open_document
from rankconst.results.formats import read, read_document
from rankconst.results.reading import Reading
from rankconst.results.tables import xlsx
from rankconst.results.tables.xlsx import READER
from readings import check_indices, write_csv

openpyxl = pytest.importorskip("openpyxl", reason="the extra rankconst[xlsx] is not installed")

HEADING = ("Model", "Dataset", "MR", "MRR", "Hits@10")
ROTATE = ("RotatE", "FB15k-237", 177, 0.338, 0.533)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.xlsx"


def write(path: Path, *rows: tuple[Any, ...], title: str = "Sheet1", book: Any = None) -> Any:
    """Write a sheet, which stays open to changes, and return its workbook."""
    book = book or openpyxl.Workbook(write_only=False)
    sheet = book.active if book.active.title == "Sheet" else book.create_sheet()
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.save(path)
    return book


def texts(reading: Reading) -> list[tuple[str | None, str | None, str, str]]:
    check_indices(reading)
    return [
        (each.context.dataset, each.context.model, each.metric.label, each.text)
        for each in reading.entries
    ]


TABLES: dict[str, tuple[tuple[Any, ...], ...]] = {
    "wide": (HEADING, ROTATE, ("TransE", "WN18RR", 3384, 0.226, 0.501)),
    "percent": (HEADING, ("RotatE", "FB15k-237", 177, 33.8, 53.3), ("TransE", "WN18RR", 3384.0, 22.6, 50.1)),
    "text": (HEADING, ("RotatE", "FB15k-237", "1,177", "0.338*", "53.3%"), ("A", "WN18RR", "n/a", "-", ".501 ± .01")),
    "long": (("dataset", "metric", "value"), ("nations", "mrr", 0.71), ("nations", "hits@10", 1)),
    "all digits": (HEADING, ("RotatE", "FB15k-237", 177.0012345678901, 0.3381234567890123, 1e-05)),
    "holes": (HEADING, ROTATE, (), ("TransE", "FB15k-237", None, 0.294), ("DistMult", "FB15k-237", None, None, 0.4)),
}  # fmt: skip


@pytest.mark.parametrize("rows", TABLES.values(), ids=TABLES)
def test_the_same_cells_in_csv_give_the_same_numbers(
    path: Path, rows: tuple[tuple[Any, ...], ...]
) -> None:
    write(path, *rows)
    text = write_csv((*row, *[""] * (len(rows[0]) - len(row))) for row in rows)
    found, expected = read(path), read_document("results.csv", text.replace("3384.0", "3384"))
    assert texts(found) == texts(expected)
    assert [each.line for each in found.entries] == [each.line for each in expected.entries]
    assert [dict(row) for row in found.rows] == [dict(row) for row in expected.rows]
    assert (found.layout, found.columns) == (expected.layout, expected.columns)


def test_each_sheet_is_a_table_whose_name_is_a_text(path: Path) -> None:
    book = write(path, HEADING[:4], ("A", "UMLS", 1, 0.7), ("B", "UMLS", 2, "high"), title="Main")
    write(path, ("Model", "MRR"), ("RotatE", 0.338), title="FB15k-237", book=book)
    write(path, ("Model", "MRR"), ("RotatE", 0.9), title="YAGO3-10", book=book)
    book["YAGO3-10"].sheet_state = "hidden"
    book.create_sheet("Notes")["A1"] = "nothing but prose"
    book.save(path)
    reading = read(path)
    assert [each[:2] for each in texts(reading)] == [
        ("UMLS", "A"), ("UMLS", "A"), ("UMLS", "B"), ("FB15k-237", "RotatE"),
    ]  # fmt: skip
    assert [row["sheet"] for row in reading.rows] == ["Main", "Main", "FB15k-237"]
    assert [entry.line for entry in reading.entries] == [2, 2, 3, 2]
    assert "dataset from the name of the sheet" in reading.understood
    left_out = [(skip.line, skip.what) for skip in reading.skipped]
    assert left_out == [
        (None, "YAGO3-10"), (None, "sheet Notes"), (3, "sheet Main, high"),
    ]  # fmt: skip
    (finding,) = rankconst.check(write_two(path)).findings
    assert rankconst.check(path).name_file(finding) == f"{path}, sheet FB15k-237"


def write_two(path: Path) -> Path:
    """Write a sheet with a number that is too good to be true behind another sheet."""
    book = write(path, ("model", "MRR"), ("A", 0.7), title="UMLS")
    write(path, ("Model", "MRR"), ("RotatE", 0.338), ("TransE", 0.9), title="FB15k-237", book=book)
    return path


def test_a_table_may_begin_anywhere_below_a_title(path: Path) -> None:
    body = (None, None, "Model", "MRR", "Hits@10"), (None, None, "RotatE", 0.476, 0.571)
    write(path, (), (None, "Table 1: Results on WN18RR"), (), *body, title="Results")
    assert texts(read(path)) == [
        ("WN18RR", "RotatE", "MRR", "0.476"),
        ("WN18RR", "RotatE", "Hits@10", "0.571"),
    ]
    assert {each.line for each in read(path).entries} == {5}


@pytest.mark.parametrize(
    ("value", "shown_as", "text"),
    [
        (0.533, "0.0%", "53.3%"),
        (0.533, "[Red]0%;-0%", "53.3%"),
        (53.3, '0.0"%"', "53.3%"),
        (0.533, "0.0", "0.533"),
        (33.8 / 100, "General", "0.338"),  # 0.33799999999999997
        (0.1 + 0.2, "0.0%", "30%"),
    ],
)
def test_numbers_are_those_that_are_stored(
    path: Path, value: float, shown_as: str, text: str
) -> None:
    book = write(path, ("Model", "Hits@10"), ("RotatE", value))
    book.active["B2"].number_format = shown_as
    book.save(path)
    (entry,) = read(path).entries
    assert entry.text == text
    assert read(path).rows[0]["Hits@10"] == text


def test_what_is_no_number_is_left_out(path: Path) -> None:
    cells = ("=0.3+0.038", "#DIV/0!", True, date(2024, 3, 1), 0.338)
    write(path, ("Model", "MRR"), *((f"M{i}", cell) for i, cell in enumerate(cells)))
    reading = read(path)
    assert [each[1:] for each in texts(reading)] == [("M4", "MRR", "0.338")]
    shown = ["", "#DIV/0!", "TRUE", "2024-03-01 00:00:00", "0.338"]
    assert [row["MRR"] for row in reading.rows] == shown
    assert {each.line for each in reading.skipped} >= {3, 4, 5}


def test_what_is_hidden_or_struck_out_is_not_read(path: Path) -> None:
    book = write(path, ("Model", "MRR", "MR"), *((f"M{i}", 0.3 + i / 100, 177) for i in range(4)))
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["C"].hidden = True
    book.active["B4"].font = openpyxl.styles.Font(strike=True)
    book.active["B3"].comment = openpyxl.comments.Comment("raw", "")
    book.active["B2"].comment = openpyxl.comments.Comment("on the\ndev set", "")
    book.save(path)
    reading = read(path)
    assert [each[1:] for each in texts(reading)] == [("M0", "MRR", "0.3"), ("M3", "MRR", "0.33")]
    assert [each.word for each in reading.entries[0].context.questions] == ["dev"]
    assert [each.reason for each in reading.skipped] == ["its hidden rows and columns"]


@pytest.mark.parametrize(
    ("pattern", "put", "message"),
    [
        (rb'(<row r="2".*?</row>)(<row r="3".*?</row>)', rb"\2\1", None),  # out of order
        (rb' r="B?2"', b"", None),
        (rb' r="([AB]?)3"', rb' r="\g<1>2"', "column 1 of row 2 is there twice"),
        (rb'r="B3"', b'r="A3"', "column 1 of row 3 is there twice"),
        (rb' r="([AB]?)3"', rb' r="\g<1>0"', "column 1 of row 0 is above the first row"),
    ],
)
def test_no_cell_is_lost(path: Path, pattern: bytes, put: bytes, message: str | None) -> None:
    write(path, ("Model", "MRR"), ("A", 0.3), ("B", 0.4))
    change(path, lambda _, part: re.sub(pattern, put, part))
    if message is None:
        assert [each[1::2] for each in texts(read(path))] == [("A", "0.3"), ("B", "0.4")]
    else:
        with pytest.raises(DataError, match=message):
            read(path)


@pytest.mark.parametrize(
    ("place", "text", "read_as"),
    [("superscript", "0.338^{1}", ["0.338"]), ("subscript", "0.338_{1}", [])],
)
def test_a_mark_above_a_number_is_no_digit(
    path: Path, place: str, text: str, read_as: list[str]
) -> None:
    write(path, ("Model", "MRR"), ("RotatE", "MARKED"), ("TransE", "0.294"))
    mark = f'<rPr><vertAlign val="{place}"/><sz val="11"/></rPr><t xml:space="preserve">1</t>'
    runs = f"<r><t>0.338</t></r><r>{mark}</r>".encode()
    change(path, lambda _, part: part.replace(b"<t>MARKED</t>", runs))
    reading = read(path)
    assert [row["MRR"] for row in reading.rows] == [text, "0.294"]
    assert [each.text for each in reading.entries] == [*read_as, "0.294"]


# What is no workbook, or does harm.


def change(path: Path, edit: Callable[[str, bytes], bytes], **added: bytes) -> None:
    """Write an archive again with other contents."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: edit(name, archive.read(name)) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (parts | added).items():
            archive.writestr(name, text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda name, text: b" " * 1_048_577 if "sheet1" in name else text, "more than 1 MiB once unpacked"),
        (lambda name, text: b"<c/>" * 9_000 if "sheet1" in name else text, "half a million"),
        (lambda _, text: text.replace(b'r="E2"', b'r="E1048576"'), "half a million"),
        (lambda _, text: text.replace(b"<worksheet", b'<!DOCTYPE x [<!ENTITY a "b">]><worksheet'), "entities"),
        (lambda name, text: text[: len(text) // 2] if "sheet1" in name else text, "or is damaged"),
        (lambda name, text: b"" if "workbook.xml" in name else text, "or is damaged"),
        (lambda _, text: text.replace(b"main+xml", b"none+xml"), "not an .xlsx workbook"),
    ],
)  # fmt: skip
def test_archives_that_are_refused(
    path: Path, edit: Callable[[str, bytes], bytes], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx, "LARGEST", 2**20)
    monkeypatch.setattr(xlsx, "_MOST_TAGS", 9_000)
    write(path, HEADING, ROTATE)
    change(path, edit)
    with pytest.raises(DataError, match=told) as refused:
        read(path)
    assert str(path) in str(refused.value)
    assert "CSV" in str(refused.value)


def test_a_zip_that_is_no_workbook(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<x/>")
    with pytest.raises(DataError, match=r"is not an \.xlsx workbook.*Save it as \.xlsx, or as CSV"):
        read(path)


def test_the_extra_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, HEADING, ROTATE)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    document = open_document(path)
    assert READER.recognise(document)
    with pytest.raises(MissingExtraError, match=r"need openpyxl.*pip install 'rankconst\[xlsx\]'"):
        READER.read(document)
