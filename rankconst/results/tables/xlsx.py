"""Read workbooks of Excel: each sheet is a table, and its name a text about it.

References
----------
ECMA-376, Office Open XML, part 1, section 18: a number is stored without its format, and a formula
with the result that the last program computed.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from rankconst.errors import DataError, MissingExtraError
from rankconst.results.document import LARGEST
from rankconst.results.gate import Text
from rankconst.results.joined import join_readings
from rankconst.results.labels import read_label, weaken
from rankconst.results.reading import Notes, Reader, Reading
from rankconst.results.tables.cells import Row, is_number
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.near import Printed, read_near

if TYPE_CHECKING:
    from rankconst.results.document import Document

_MOST_TAGS = 2_000_000  # a cell takes four of them; each may become an object of some hundred bytes
_MOST_CELLS = 500_000  # of all sheets, from their first cells to their last
_MOST_SHEETS = 1_000
# The errors of files that are not zip archives, are not workbooks, or are damaged.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, ArithmeticError, AttributeError, EOFError, LookupError,
    NotImplementedError, OSError, RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip
# Colours, conditions and blanks of a number format.
_FORMATTING = re.compile(r"\[[^\]]*\]|[_*].")
_LITERAL = re.compile(r'"[^"]*"|\\.')  # text that a number format prints
# The rows and cells of a sheet, with their places if they have them.
_PLACE = re.compile(rb"""<(?:\w+:)?(row|c)(?=[\s/>])(?:[^>]*?\sr=["']([A-Z]*)(\d+)["'])?""")
# A shorter number with 15 digits, which are what Excel computes with, is without the noise of
# binary fractions.
_NOISELESS = 15


class _Rows(NamedTuple):
    """The rows of a sheet, and the comments on their cells."""

    rows: list[Row]
    comments: list[str]


def _read_sheets(document: Document, notes: Notes) -> dict[str, _Rows]:
    """Map the titles of visible sheets to their rows, if they have any, and note hidden ones."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError(
            f"{document.name}: workbooks need openpyxl, which is missing. Run: "
            "pip install 'rankconst[xlsx]'"
        ) from None

    sheets: dict[str, _Rows] = {}
    size = 0
    try:
        _check_archive(document)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about validations, styles and pictures
            book = load_workbook(
                io.BytesIO(document.workbook), data_only=True, rich_text=True, keep_links=False
            )
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                notes.add(None, sheet.title, "a hidden sheet")
                continue
            size += sheet.max_row * sheet.max_column
            if size > _MOST_CELLS or len(sheets) == _MOST_SHEETS:
                _refuse_size(document)
            sheets[sheet.title] = _read_rows(sheet, notes)
    except DataError:
        raise
    except _DAMAGED as error:
        raise DataError(
            f"{document.name} is not an .xlsx workbook, or is damaged ({error}). "
            "Save it as .xlsx, or as CSV in UTF-8; .ods and .xlsb are not read. "
            "Unpack an archive of other files first: unzip FILE"
        ) from error

    return {title: sheet for title, sheet in sheets.items() if sheet.rows}


def _check_archive(document: Document) -> None:
    """Refuse an archive that is much larger than it looks, or that openpyxl would misread."""
    with zipfile.ZipFile(io.BytesIO(document.workbook)) as archive:
        parts = archive.infolist()
        if sum(part.file_size for part in parts) > LARGEST:
            _refuse_size(document)

        tags = 0
        for part in parts:
            text = archive.read(part)
            tags += text.count(b"<")
            # No workbook declares entities, which can grow without end.
            if b"<!ENTITY" in text.replace(b"\0", b""):
                raise ValueError("it declares entities")
            if tags > _MOST_TAGS:
                _refuse_size(document)
            if part.filename.startswith("xl/worksheets/"):
                _check_places(text)


def _check_places(sheet: bytes) -> None:
    """Raise ValueError if a sheet, as XML, has two cells at one place, or one in row 0."""
    from openpyxl.utils import column_index_from_string

    places = set[tuple[int, int]]()
    row = column = 0
    for tag, letters, digits in _PLACE.findall(sheet):
        if tag == b"row":
            row, column = int(digits or row + 1), 0
            continue
        column = column_index_from_string(letters.decode()) if letters else column + 1
        line = int(digits or row)
        if not line:
            raise ValueError(f"column {column} of row 0 is above the first row")
        if (line, column) in places:
            raise ValueError(f"column {column} of row {line} is there twice")
        places.add((line, column))


def _refuse_size(document: Document) -> NoReturn:
    """Raise DataError about a workbook that is too large."""
    raise DataError(
        f"{document.name} is a workbook of more than {LARGEST // 2**20} MiB once unpacked, or of "
        "about half a million cells or more, empty ones included. "
        "Copy the tables with results to a new workbook, or save them as CSV."
    )


def _read_rows(sheet: Any, notes: Notes) -> _Rows:
    """Read the visible rows of a sheet that are not empty, without hidden columns."""
    hidden_columns: set[int] = set()
    for column in sheet.column_dimensions.values():
        if column.hidden:
            hidden_columns.update(range(column.min, column.max + 1))

    rows, comments = list[Row](), list[str]()
    is_hiding = False
    for line, cells in enumerate(sheet.iter_rows(), 1):
        is_hidden_row = line in sheet.row_dimensions and sheet.row_dimensions[line].hidden
        texts: list[str] = []
        plain: list[str] = []
        for cell in cells:
            if is_hidden_row or cell.column in hidden_columns:
                is_hiding = is_hiding or cell.value is not None
                continue
            texts.append(_write(cell))
            if cell.comment is not None:
                comments.append(" ".join(cell.comment.text.split()))
            is_error = cell.data_type == "e"
            plain.append("n/a" if is_error else " ".join(texts[-1].split()))

        if any(plain):
            rows.append(Row(line, tuple(texts), tuple(plain)))

    if is_hiding:
        notes.add(None, sheet.title, "its hidden rows and columns")

    return _Rows(rows, comments)


def _write(cell: Any) -> str:
    """Return the text of a cell: numbers as stored, in percent where its format shows them so.

    0.338 in the format "0.0%" becomes 33.8%, and 33.8 in the format '0.0"%"', whose sign is only
    printed, 33.8%. A cell that is struck out has no text.
    """
    value = cell.value
    if value is None or (cell.has_style and cell.font.strike):
        return ""
    if isinstance(value, list):  # text in several fonts
        return "".join(part if isinstance(part, str) else _mark(part) for part in value)
    if isinstance(value, bool):
        return str(value).upper()
    if not isinstance(value, int | float):
        return str(value)

    text = str(value)
    if isinstance(value, float) and len(f"{value:.15g}") < _NOISELESS:
        text = f"{value:.15g}"

    # The first part of a format is for positive numbers.
    signs = _FORMATTING.sub("", str(cell.number_format)[:255].partition(";")[0])
    if "%" in _LITERAL.sub("", signs):
        return f"{Decimal(text).scaleb(2):f}%"
    return f"{text}%" if "%" in signs else text


def _mark(part: Any) -> str:
    """Write text in a font of its own: a raised digit is a footnote, not a digit of a number."""
    if part.font.strike:
        return ""
    sign = {"superscript": "^", "subscript": "_"}.get(part.font.vertAlign)
    return f"{sign}{{{part.text}}}" if sign else str(part.text)


def _read(document: Document) -> Reading:
    """Read the visible sheets with results, and join them, with a column of their titles."""
    if not document.workbook:
        raise DataError(f"{document.name} is text, and no .xlsx workbook. Give it its own ending.")

    notes = Notes()
    readings: dict[str, Reading] = {}
    failed: list[DataError] = []
    for title, sheet in _read_sheets(document, notes).items():
        try:
            reading = read_tables(document, READER.key, [_print(title, *sheet)])
        except DataError as error:
            failed.append(error)
            notes.add(None, f"sheet {title}", "no table of results")
        else:
            readings[title] = replace(reading, name=f"{document.name}, sheet {title}")

    if not readings and failed:
        raise failed[0]
    if not readings:
        raise DataError(
            f"{document.name}: no visible sheet has a cell. Expected a table of results."
        )

    joined = join_readings(list(readings.values()), list(readings), document.name, "sheet")
    return replace(joined, name=document.name, skipped=(*notes.skipped(), *joined.skipped))


def _print(title: str, rows: list[Row], comments: list[str]) -> Printed:
    """Return a sheet as a table of rows of one width, with its title and the notes on it."""
    end, notes = len(rows), list[str]()
    while end > 2:  # a heading and a row of numbers stay
        filled = [cell for cell in rows[end - 1].plain if cell]
        if len(filled) > 1 or is_number(filled[0]):
            break
        notes += filled
        end -= 1

    width = max(len(row.cells) for row in rows)
    texts = [read_near("the note below", note) for note in notes[::-1]]
    # A comment is on a cell, so it declares nothing.
    texts += [Text(weaken(read_label(comment)), "text", "a comment") for comment in comments]
    near = (*texts, read_near("the name of the sheet", title))
    return Printed([row.widen(width) for row in rows[:end]], near)


READER = Reader("xlsx", lambda document: bool(document.workbook), _read)
