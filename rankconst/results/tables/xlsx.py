"""Workbooks of Excel: each sheet is a table, its name the heading above.

References
----------
ECMA-376, Office Open XML, part 1, section 18: a number is stored without its format, and a formula with the result
that the last program computed.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from rankconst.errors import DataError, MissingExtraError
from rankconst.results.document import LARGEST
from rankconst.results.reading import Notes, Reader, Reading, Skipped
from rankconst.results.tables.cells import Row, is_number
from rankconst.results.tables.grid import MOST_CELLS, read_tables
from rankconst.results.tables.near import Printed, read_near

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankconst.results.document import Document

_MOST_TAGS = 2_000_000  # a cell takes four of them; each may become an object of some hundred bytes
_MOST_ROWS = 2**20  # of a sheet, in Excel too
_SHEET = 2 * _MOST_ROWS  # how far the rows of sheets are apart while they are read
_MOST_SHEETS = 1_000
# What is neither a zip archive nor a workbook, or a damaged one, fails in many ways.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, ArithmeticError, AttributeError, EOFError, LookupError, NotImplementedError,
    OSError, RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip
# Colours, conditions and blanks of a number format.
_FORMATTING = re.compile(r"\[[^\]]*\]|[_*].")
_LITERAL = re.compile(r'"[^"]*"|\\.')
# A shorter number with 15 digits, which are what Excel computes with, is without the noise of binary fractions.
_NOISELESS = 15
# Raised or lowered text within a cell, whose format is lost when the cell is read.
_RAISED = re.compile(
    rb"""(vertAlign val=["'](super|sub)script(?:(?!</(?:\w+:)?r>).){0,500}?<(?:\w+:)?t(?:\s[^>]{0,200})?>)([^<]*)""",
    re.DOTALL,
)
_UNCOMPUTED = "a formula without its result; open the file in Excel or LibreOffice, and save it"


def _read_sheets(document: Document, notes: Notes) -> list[tuple[str, list[Row]]]:
    """Return the names of the sheets that are seen, with their rows."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError(
            f"{document.name}: workbooks need openpyxl, which is missing. Run: pip install 'rankconst[xlsx]'"
        ) from None

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about validations, styles and pictures
            data = _unpack(document, notes)
            book = load_workbook(io.BytesIO(data), data_only=True, read_only=True, keep_links=False)
            sheets, size = list[tuple[str, list[Row]]](), 0
            for sheet in book.worksheets:
                if sheet.sheet_state != "visible":
                    notes.add(None, sheet.title, "a hidden sheet")
                    continue
                rows = list(_read_rows(document, sheet, len(sheets) * _SHEET))
                size += len(rows) * max((len(row.cells) for row in rows), default=0)
                if size > MOST_CELLS or len(sheets) == _MOST_SHEETS:
                    _refuse_size(document)
                if rows:
                    sheets.append((sheet.title, rows))
            return sheets
    except DataError:
        raise
    except _DAMAGED as error:
        raise DataError(
            f"{document.name} is not an .xlsx workbook, or is damaged ({error}). Save it as .xlsx, or as CSV in UTF-8; "
            ".ods and .xlsb are not read. Unpack an archive of other files first: unzip FILE"
        ) from error


def _unpack(document: Document, notes: Notes) -> bytes:
    """Return an archive that is not much larger than it looks, with footnotes marked."""
    tags, copy = 0, io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document.workbook)) as archive, zipfile.ZipFile(copy, "w") as marked:
        if sum(part.file_size for part in archive.infolist()) > LARGEST:
            _refuse_size(document)
        for part in archive.infolist():
            text = archive.read(part)
            tags += text.count(b"<")
            if tags > _MOST_TAGS:
                _refuse_size(document)
            if b"<!ENTITY" in text.replace(b"\0", b""):  # which no workbook has, and which grows without end
                raise ValueError("it declares entities")
            if "worksheets/" in part.filename:
                for place in _find_uncomputed(text):
                    notes.add(None, place, _UNCOMPUTED)
            # What is raised above a number, or lowered, is no digit of it.
            put = _RAISED.sub(lambda each: each[1] + (b"^{" if each[2] == b"super" else b"_{") + each[3] + b"}", text)
            marked.writestr(part.filename, put)
    return copy.getvalue()


# A cell with a formula, and a number behind it if there is one.
_FORMULA = re.compile(rb"<(?:\w+:)?c\b([^<>]*+)><(?:\w+:)?f\b[^<>]*+>(?:[^<]*+</(?:\w+:)?f>)?(<(?:\w+:)?v>[^<])?")
_NAMED = re.compile(rb"""\sr=["']([A-Z]*[0-9]+)["']""")
_TYPED = re.compile(rb"""\st=["'](?!n["'])""")


def _find_uncomputed(text: bytes) -> Iterator[str]:
    """Yield the cells of a sheet that hold a formula without its result."""
    for attributes, number in _FORMULA.findall(text):
        if not number and _TYPED.search(attributes) is None and (named := _NAMED.search(attributes)) is not None:
            yield named[1].decode()


def _refuse_size(document: Document) -> NoReturn:
    raise DataError(
        f"{document.name} is a workbook of more than {LARGEST // 2**20} MiB once unpacked, or of about half a million "
        "cells or more, empty ones included. Copy the tables with results to a new workbook, or save them as CSV."
    )


def _read_rows(document: Document, sheet: Any, before: int) -> Iterator[Row]:
    """Yield the rows that hold anything; lines are counted from `before` on."""
    size = 0
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    for line, cells in enumerate(sheet.iter_rows(), 1):
        size += len(cells)
        if size > MOST_CELLS or line > _MOST_ROWS:
            _refuse_size(document)
        texts = tuple(map(_write, cells))
        plain = tuple(
            "n/a" if cell.data_type == "e" else " ".join(text.split()) for cell, text in zip(cells, texts, strict=True)
        )
        if any(plain):
            yield Row(before + line, texts, plain)


def _write(cell: Any) -> str:
    """Return the text of a cell: numbers as stored, in percent where its format shows them so."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if not isinstance(value, int | float):
        return str(value)
    text = str(value) if isinstance(value, int) or len(short := f"{value:.15g}") >= _NOISELESS else short
    shown = _FORMATTING.sub("", str(cell.number_format)[:255].partition(";")[0])
    if "%" in _LITERAL.sub("", shown):
        return f"{Decimal(text).scaleb(2):f}%"
    return f"{text}%" if "%" in shown else text


def _read(document: Document) -> Reading:
    if not document.workbook:
        raise DataError(f"{document.name} is text, and no .xlsx workbook. Name its format with --input-format.")
    notes = Notes()
    sheets = _read_sheets(document, notes)
    reading = read_tables(document, READER.key, [_print(title, rows) for title, rows in sheets])
    skipped = (*notes.skipped(), *reading.skipped)
    if len(sheets) > 1:
        skipped = tuple(_name_sheet(each, [title for title, _ in sheets]) for each in skipped)
    entries = reading.entries.put(lines=reading.entries.lines % _SHEET)
    return replace(reading, entries=entries, skipped=skipped)


def _print(title: str, rows: list[Row]) -> Printed:
    """Return a sheet as a table of rows of one width; its last rows of a single cell are notes."""
    end, width = len(rows), max(len(row.cells) for row in rows)
    while end > 2 and len(filled := [*filter(None, rows[end - 1].plain)]) == 1 and not is_number(filled[0]):
        end -= 1
    notes = ["".join(row.plain) for row in rows[end:]]
    more = [("",) * (width - len(row.cells)) for row in rows[:end]]
    padded = [Row(row.line, row.cells + put, row.plain + put) for row, put in zip(rows, more, strict=False)]
    near = (*(read_near("the note below", note) for note in notes), read_near("the name of the sheet", title))
    return Printed(padded, near)


def _name_sheet(skipped: Skipped, titles: Sequence[str]) -> Skipped:
    """Say of which sheet a row is that was counted on from those before."""
    if skipped.line is None:
        return skipped
    sheet, row = divmod(skipped.line, _SHEET)
    return replace(skipped, line=row, what=f"sheet {titles[sheet]}, {skipped.what}")


READER = Reader("xlsx", lambda document: bool(document.workbook), _read)
