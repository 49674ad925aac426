"""Write columns of values as CSV, Parquet or Excel workbooks.

Numbers are written so that reading them gives the same bits; missing values are empty. The same
columns give the same bytes.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.arrow import join_texts, list_values, view_numbers, wrap_numbers
from rankconst.names import show_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    # Name to values, all of the same length: a list (None: missing) or an array (NaN: missing).
    Columns = Mapping[str, Any]

# The number of rows that are formatted at a time: texts take far more memory than their numbers.
_BLOCK = 2_048

# The beginnings of cells that spreadsheets take for formulas (OWASP, CSV injection), also in the
# wide letters of East Asia.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
# Numbers, with or without a spread, and dashes for missing ones, are not formulas.
_HARMLESS = re.compile(
    r"[+-]?(?:\d[\d,]*+(?:\.\d*+)?|\.\d++)(?:\(\d++\))?(?:[eE][+-]?\d++)?"
    r" ?%? ?(?:±[\d., %]*+)?|[+-]++",
    re.ASCII,
)

# Texts that need no quotes, whatever the delimiter.
_WORDS = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@/-]*")


def make_safe(text: str) -> str:
    """Escape the text of a cell for terminals and spreadsheets."""
    visible = show_controls(text)
    if visible.startswith(_FORMULA) and not _HARMLESS.fullmatch(visible):
        return f"'{visible}"
    return visible


def write_delimited(columns: Columns) -> Iterator[str]:
    """Yield the text of a CSV file that is safe to open in a spreadsheet, many rows at a time."""

    class Echo:
        write = staticmethod(str)

    # The writer returns what its file's `write` does, here the row. An empty cell alone would get
    # quotes; with one more behind it, the row ends in a comma and a newline.
    quote: Callable[[Iterable[Any]], str] = csv.writer(Echo(), lineterminator="\n").writerow

    def encode(value: Any) -> str:
        if isinstance(value, str) and _WORDS.fullmatch(value):
            return value
        if isinstance(value, (list, tuple)):
            value = "; ".join(str(item) for item in value)
        if isinstance(value, str):
            value = make_safe(value)
        return quote((value, ""))[:-2]

    yield ",".join(encode(name) for name in columns) + "\n"
    commas = [","] * (len(columns) - 1)
    for block in write_rows(columns, encode, before=["", *commas]):
        yield block + "\n"


def write_rows(
    columns: Columns, encode: Callable[[Any], str], before: Sequence[str], between: str = "\n"
) -> Iterator[str]:
    """Yield the text of all rows, up to 2,048 of them at a time.

    `encode` writes a cell. `before` has the text before the cells of each column, such as a comma;
    `between` comes between two rows of a block.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    size = len(next(iter(columns.values()), ()))
    *texts_before, no_separator, divider = join_texts([*before, "", between])  # as scalars
    cell_writers = [_prepare(values, encode) for values in columns.values()]
    for start in range(0, size, _BLOCK):
        parts = []  # of all rows: a text, the cells of a column, a text ...
        for text_before, write_cells in zip(texts_before, cell_writers, strict=True):
            parts += [text_before, write_cells(slice(start, start + _BLOCK))]

        rows = pc.binary_join_element_wise(*parts, no_separator)
        # All rows as the one item of an array of lists, so that Arrow joins them.
        ends = wrap_numbers(np.array([0, len(rows)], dtype=np.int32))
        block: Any = pc.binary_join(pa.ListArray.from_arrays(ends, rows), divider)
        yield block[0].as_py()


# Equal values of these types are written alike, unlike 1, 1.0 and True, or 0.0 and -0.0.
_ALIKE = frozenset({str, int, type(None)})
# Between these, Arrow writes fractions as Python does, in a quarter of the time.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e10


def _prepare(values: Any, encode: Callable[[Any], str]) -> Callable[[slice], pa.Array[Any]]:
    """Return a function that writes the cells of a slice of rows as an Arrow array."""
    import numpy as np

    if hasattr(values, "dtype") and values.dtype.kind == "f":
        numbers = values.astype(np.float64, copy=False)
        # Compared bit by bit, since -0.0 and 0.0 are equal and not written alike.
        coded = wrap_numbers(numbers.view(np.int64)).dictionary_encode()
        if len(coded.dictionary) > len(numbers) // 2:  # few are equal
            return lambda rows: _write_floats(numbers[rows], encode)
        texts = _write_floats(view_numbers(coded.dictionary).view(np.float64), encode)
        return lambda rows: texts.take(coded.indices[rows])

    cells = list_values(values)
    types = {type(value) for value in cells}
    if not types <= _ALIKE:
        return lambda rows: join_texts([encode(value) for value in cells[rows]])

    code_of: dict[Any, int] = {}
    codes = [code_of.setdefault(value, len(code_of)) for value in cells]
    indices = wrap_numbers(np.array(codes, dtype=np.int32))
    distinct = join_texts([encode(value) for value in code_of])
    return lambda rows: distinct.take(indices[rows])


def _write_floats(values: NDArray[np.float64], encode: Callable[[Any], str]) -> pa.Array[Any]:
    """Write floats as Python does. `encode` writes None, for NaN, and infinity."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    size = np.abs(values)
    is_fraction = values != np.rint(values)
    plain = is_fraction & (size >= _SMALLEST_PLAIN) & (size < _LARGEST_PLAIN)
    texts: pa.Array[Any] = wrap_numbers(values).cast(pa.string())
    if plain.all():
        return texts

    special = []
    for value in values[~plain].tolist():
        if math.isnan(value):
            special.append(encode(None))
        elif math.isinf(value):
            special.append(encode(value))
        else:
            special.append(repr(value))

    written: pa.Array[Any] = pc.replace_with_mask(texts, wrap_numbers(~plain), join_texts(special))
    return written


def write_parquet(columns: Columns) -> Iterator[bytes]:
    """Write Parquet, with types chosen by the values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    arrays = {name: _make_array(values) for name, values in columns.items()}
    pq.write_table(pa.table(arrays), sink)
    yield bytes(sink.getvalue())


def _make_array(values: Any) -> Any:
    """Return a column as an Arrow array, with nulls for None and for NaN in arrays."""
    import pyarrow as pa

    try:
        array = pa.array(values, from_pandas=hasattr(values, "dtype"))
    except UnicodeEncodeError:  # an argument or a file name that is not UTF-8
        array = pa.array([_escape(value) for value in values])
    return pa.nulls(len(array)) if array.null_count == len(array) else array


def _escape(value: Any) -> Any:
    """Write control characters and lone surrogates of a text as escapes."""
    return show_controls(value) if isinstance(value, str) else value


# A text that is a printed number becomes a number, shown with as many decimals.
_PRINTED = re.compile(r"-?\d{0,9}(?:\.(\d{1,9}))?", re.ASCII)
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
# The parts that all workbooks share, and their files. The styles have one for each number of
# decimals, behind the usual one.
_PARTS = {
    "[Content_Types].xml": "content_types.xml",
    "_rels/.rels": "package_relations.xml",
    "xl/workbook.xml": "workbook.xml",
    "xl/_rels/workbook.xml.rels": "workbook_relations.xml",
    "xl/styles.xml": "styles.xml",
}


def write_workbook(columns: Mapping[str, Any]) -> Iterator[bytes]:
    """Write a workbook of one sheet with a header."""
    folder = Path(__file__).with_name("workbook")
    parts = {name: (folder / file).read_text("utf-8") for name, file in _PARTS.items()}
    parts["xl/worksheets/sheet1.xml"] = f"{_HEAD}{_write_sheet(columns)}"
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the time is no part of the content
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)

    yield sink.getvalue()


def _write_sheet(columns: Mapping[str, Any]) -> str:
    """Return the XML of a worksheet."""
    lists = [list_values(values) for values in columns.values()]
    rows = [[_write_text(name) for name in columns]]
    for values in zip(*lists, strict=True):
        cells = [_write_cell(value) for value in values]
        rows.append(cells)
    data = "".join(f"<row>{''.join(cells)}</row>" for cells in rows)
    return f"<worksheet {_MAIN}><sheetData>{data}</sheetData></worksheet>"


def _write_cell(value: Any) -> str:
    """Return the XML of a cell. The text "0.3380" becomes a number with four decimals."""
    if value is None or value == "":
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        # Excel has no infinity.
        return f"<c><v>{value!r}</v></c>" if math.isfinite(value) else _write_text(str(value))
    if isinstance(value, (list, tuple)):
        return _write_text("; ".join(str(item) for item in value))

    text = str(value)
    printed = _PRINTED.fullmatch(text)
    if printed is None or text in {"", "-"}:
        return _write_text(text)

    num_decimals = len(printed[1] or "")  # also the number of the style: see _PARTS
    return f'<c s="{num_decimals}"><v>{float(text)!r}</v></c>'


def _write_text(text: str) -> str:
    """Write a text as an inline string, which Excel does not take for a formula."""
    from html import escape

    content = escape(show_controls(text), quote=False)
    return f'<c t="inlineStr"><is><t xml:space="preserve">{content}</t></is></c>'
