"""Read tables of delimited text: CSV with commas or semicolons, TSV."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.results.labels import read_label
from rankconst.results.reading import Reader, Reading
from rankconst.results.tables.cells import PAIR, Row, check_width, is_plain_number
from rankconst.results.tables.grid import Dialect, read_tables
from rankconst.results.tables.near import Printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document


DELIMITERS = (",", "\t", ";")
"""What may separate cells."""

_FIRST_LINES = 20  # a heading may have several levels, after empty lines
_LONGEST_HEADING = 100_000  # characters
_MOST_SHARED = 100_000  # of more different cells, remembering them costs more than it saves


def read_rows(document: Document, delimiter: str) -> Iterator[Row]:
    """Yield the rows of a delimited file that are not empty; quotes as in RFC 4180.

    Raises DataError for a zero byte, and for a quote that RFC 4180 does not allow.
    """
    zero = document.text.find("\0")
    if zero >= 0:
        line = document.text.count("\n", 0, zero) + 1
        raise DataError(
            f"{document.at(line)}: a zero byte. Results are read from text; "
            "save the table as CSV in UTF-8."
        )

    reader = csv.reader(_check_lines(document, delimiter), delimiter=delimiter, strict=True)
    shared: dict[str, str] = {}  # equal cells are held once
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise DataError(
                f"{document.at(line)}: {_explain(str(error), reader.line_num)}"
            ) from None

        if cells is None:
            return
        # Both return the first of equal cells; get adds none.
        share = shared.setdefault if len(shared) < _MOST_SHARED else shared.get
        raw = tuple([share(cell, cell) for cell in cells])
        plain = tuple([cell.strip() for cell in raw])
        if any(plain):
            yield Row(line, raw, raw if raw == plain else plain)


def _check_lines(document: Document, delimiter: str) -> Iterator[str]:
    """Yield the lines with their ends; DataError for one with too many delimiters."""
    for number, line in enumerate(document.text.split("\n"), start=1):
        check_width(line.count(delimiter), document, number)
        yield f"{line}\n"


def _explain(error: str, line: int) -> str:
    """Explain an error of the csv module, up to a line."""
    if "field larger" in error:
        most = f"{csv.field_size_limit():,}"
        return f"a cell has more than {most} characters, to line {line:,}. Is a quote never closed?"
    if "unexpected end" in error:
        end = f"a cell in quotes goes on to the end, line {line:,}"
        return f'{end}. Close the quote, or write "" for one in a cell.'
    if "expected after" in error:
        return 'text follows a closing quote. Write "" for a quote within a cell.'
    return f"{error}. Expected cells as in RFC 4180."


def find_delimiter(document: Document) -> str | None:
    """Find the delimiter under which one of the first lines reads best as a heading, or None."""
    lines = document.text.split("\n", _FIRST_LINES)[:_FIRST_LINES]
    first = next((line.lstrip() for line in lines if line.strip()), "")
    is_long = any(len(line) > _LONGEST_HEADING for line in lines)
    if not first or first.startswith(("{", "[")) or is_long:
        return None

    # There, a line below a heading with more or fewer cells is rather a mistake to be reported.
    strict = document.suffix not in {".csv", ".tsv"}
    counts = {sign: _count_known(lines, sign, strict) for sign in DELIMITERS}
    # If counts are equal, a semicolon goes before a comma, which may be one before decimals.
    best = max(DELIMITERS, key=lambda sign: (counts[sign], sign))
    return best if counts[best] > 0 else None


def _count_known(lines: list[str], delimiter: str, strict: bool) -> int:
    """Count the known names in that of the first five rows which reads best as a heading."""
    rows: list[list[str]] = []
    try:
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
        rows.extend(filter(None, reader))
    except csv.Error:
        strict = False  # the error of reading it will tell more

    best = 0
    for row, below in zip(rows[:5], [*rows[1:], None], strict=False):
        is_uneven = strict and below is not None and len(below) != len(row)
        if len(row) < 2 or is_uneven:
            continue
        # "metric:<tab>MRR<tab>MR" is from a log, and so is "MRR<tab>0.3".
        is_of_log = len(row) == 2 and strict and is_plain_number(row[1].strip(": "))
        if not is_of_log and not any(PAIR.search(cell) for cell in row):
            best = max(best, sum(bool(read_label(cell.strip()).role) for cell in row))

    return best


def read_delimited(
    document: Document, form: str, dialect: Dialect, tool: str | None = None
) -> Reading:
    """Read a delimited file in the dialect of a `tool`; `form` is the key of the format."""
    delimiter = find_delimiter(document)
    if delimiter is None:
        # Nothing is known in the heading: the delimiter with most cells makes the best message.
        first = next((line for line in document.lines if line.strip()), "")
        delimiter = max(DELIMITERS, key=first.count)

    commas = document.decimal is not None or _COMMA.search(document.text) is not None
    printed = Printed(read_rows(document, delimiter), commas=commas and not dialect.exact)
    return read_tables(document, form, (printed,), dialect, tool)


# A number with a comma, in quotes or behind another delimiter.
_COMMA = re.compile(r"[;\t][^\S\t]*\"?\d+,\d|\"\s*\d+,\d")


def _recognise(document: Document) -> bool:
    """Tell whether a document has a heading under one of the delimiters."""
    return find_delimiter(document) is not None


def _read(document: Document) -> Reading:
    """Read a table of anybody."""
    return read_delimited(document, READER.key, Dialect(even=True))


READER = Reader("csv", _recognise, _read)
