"""Hold a results file as text or workbook, with its size and encoding checked first."""

from __future__ import annotations

import re
import shlex
import sys
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.errors import DataError, UsageError, first_line

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric

LARGEST = 64 * 2**20
"""The largest file that is read, in bytes; a longer log can be filtered first."""

STDIN = "-"
"""The path that means standard input."""

MARKDOWN_ENDINGS = {".md", ".markdown", ".qmd", ".rmd"}
"""The endings of Markdown documents, and of those that are made of it."""

_LONGEST_HEADING = 20_000  # characters
_MOST_CELLS = 20_000_000  # of a table of Parquet

# The first bytes of files.
_ARROW_SIGNATURES = (b"PAR1", b"ARROW1")  # Parquet; Feather, which is Arrow's file format
_ZIP_SIGNATURE = b"PK\x03\x04"  # zip archives, which workbooks are
_REFUSED_SIGNATURES = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "an old .xls workbook, or one with a password. "
        "Save it as .xlsx without a password, or as CSV in UTF-8."
    ),
    b"%PDF": "a PDF. Copy the table from it into a text file, and name that.",
}
# Maps patterns of the first bytes of compressed files to the command that unpacks them.
_UNPACK_COMMANDS = {
    b"\x1f\x8b": "gunzip -c",
    rb"BZh[1-9]1AY&SY": "bunzip2 -c",
    b"\xfd7zXZ\0": "unxz -c",
    rb"\x28\xb5\x2f\xfd": "unzstd -c",
}

# Maps marks at the beginning of a file to its encoding; the first begins like the second.
_BYTE_ORDER_MARKS = {b"\xff\xfe\x00\x00": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}

_JSON_BEGINNING = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*(?:[{\[\]]|$)|[\[{]\s*\Z)")
# A whole dict in one line, and prose, a ruler or a tag, "[Epoch 1]", below.
_SETTINGS_LINE = re.compile(r"\{[^\n]*\}[ \t]*\n\s*(?:[^\s{}\[\],]|\[[A-Za-z])")


@dataclass(frozen=True)
class Document:
    """The text of a results file."""

    name: str  # for messages: the path as the user wrote it
    text: str  # each line end a single line feed
    decimal: str | None = None  # "comma" or "point", before decimals, if the user says so
    percent: bool | None = None  # whether shares are percentages, if the numbers leave it open
    metric: Metric | None = None  # of tables that name none, if the user says it
    source: str = ""  # as in the file: its own line ends and byte order mark
    # The file itself, if it is a zip archive; then there is no text.
    workbook: bytes = field(default=b"", repr=False)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends; line i of an editor is ``lines[i - 1]``."""
        return tuple(self.text.split("\n"))

    @cached_property
    def first_line(self) -> str:
        """The first line that is not empty, without blanks before it; a very long one is cut."""
        return self.text[:_LONGEST_HEADING].lstrip().partition("\n")[0]

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The position where each line begins."""
        return (0, *(end.end() for end in re.finditer("\n", self.text)))

    def find_line(self, position: int) -> int:
        """Return the line of a place in the text, from 1."""
        return bisect_right(self.starts, position)

    @property
    def suffix(self) -> str:
        """The file name's ending in lower case, with its dot."""
        return Path(self.name).suffix.lower()

    @property
    def is_structured(self) -> bool:
        """True if it begins as JSON does; a log may begin with its settings."""
        start = self.text[:65_536].lstrip()
        return (
            _JSON_BEGINNING.match(start[:4096]) is not None and _SETTINGS_LINE.match(start) is None
        )

    @property
    def is_yaml(self) -> bool:
        """True if its name ends as YAML's do, and it does not begin as JSON does."""
        return self.suffix in {".yaml", ".yml"} and not self.is_structured

    def at(self, line: int | None = None) -> str:
        """Name a place for messages: ``results.csv, line 3``."""
        return self.name if line is None else f"{self.name}, line {line:,}"


def open_document(
    path: str | Path,
    decimal: str | None = None,
    percent: bool | None = None,
    metric: Metric | None = None,
) -> Document:
    """Read a results file, or standard input for ``-``, as text.

    Parquet and Arrow become CSV; a workbook stays as it is. `decimal`, `percent` and `metric` are
    kept for its reader.

    Raises DataError if it is too large, empty, or neither text in UTF-8 nor a workbook or a table
    of Arrow, and UsageError if `decimal` is unknown.
    """
    if decimal not in {None, "comma", "point"}:
        raise UsageError(f"decimal is {decimal!r}; expected comma or point.")

    name = "standard input" if str(path) == STDIN else str(path)
    data = _read_bytes(path, name)
    for begin, command in _UNPACK_COMMANDS.items():
        if re.match(begin, data):
            raise DataError(
                f"{name} is compressed; expected text. {_recommend_command(path, command)}"
            )

    if len(data) > LARGEST:
        raise DataError(
            f"{name} is larger than {LARGEST // 2**20} MiB, too large for results. "
            "Of a log, take the lines with metrics: "
            "grep -E 'MRR|MR |HITS|[Hh]its' LOG > results.log"
        )
    if data.startswith(_ARROW_SIGNATURES):
        return Document(name, _write_table(data, name), decimal, percent, metric)
    if data.startswith(_ZIP_SIGNATURE):
        return Document(name, "", decimal, percent, metric, workbook=data)

    for begin, reason in _REFUSED_SIGNATURES.items():
        if data.startswith(begin):
            raise DataError(f"{name} is {reason}")

    source = _decode_text(data, path, name)
    text = source.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.strip():
        raise DataError(f"{name} is empty; expected a table, a log or a results file.")

    # A lone carriage return ends lines in old files; elsewhere it belongs to a progress bar.
    text = text if "\n" in text else text.replace("\r", "\n")
    return Document(name, text, decimal, percent, metric, source)


def _decode_text(data: bytes, path: str | Path, name: str) -> str:
    """Return text in UTF-8, or in the encoding that its byte order mark names."""
    marks = [mark for mark in _BYTE_ORDER_MARKS if data.startswith(mark)]
    if marks:  # the first is the longest
        data = _recode_to_utf8(data, _BYTE_ORDER_MARKS[marks[0]], name)

    if b"\0" in data[:4096]:
        # Latin letters in UTF-16 have a zero byte: the first of two if it is big-endian.
        order = "BE" if data.startswith(b"\0") else "LE"
        raise DataError(
            f"{name} is not text in UTF-8: it contains zero bytes. "
            "If it is UTF-16 without a byte order mark: "
            f"{_recommend_command(path, f'iconv -f UTF-16{order} -t UTF-8')}"
        )

    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{name}, line {line:,}: byte 0x{data[error.start]:02x} is not UTF-8 text, probably "
            f"Windows-1252 or Latin-1. {_recommend_command(path, 'iconv -f WINDOWS-1252 -t UTF-8')}"
        ) from None


def list_files(path: str | Path) -> list[str]:
    """List the path of a file, or the files of a folder.

    These are every results.json in and below the folder, or all files in it if there is none.
    Raises DataError for a folder without files.
    """
    folder = Path(path)
    if str(path) == STDIN or not folder.is_dir():
        return [str(path)]

    files = sorted(folder.rglob("results.json"))
    files = files or sorted(inner for inner in folder.iterdir() if inner.is_file())
    if not files:
        raise DataError(f"{path} is a folder without files; name a file of results.")
    return [str(file) for file in files]


def _write_table(data: bytes, name: str) -> str:
    """Return a table of Parquet or Arrow as CSV, without the names that pandas gives an index."""
    import io

    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    try:
        source = io.BytesIO(data)
        if data.startswith(_ARROW_SIGNATURES[0]):
            metadata = parquet.ParquetFile(source).metadata
            if metadata.num_rows * metadata.num_columns > _MOST_CELLS:
                raise DataError(
                    f"{name} has more than {_MOST_CELLS:,} cells, too many for results. "
                    "Keep only the columns and rows with results."
                )
            table = parquet.read_table(source)
        else:
            table = feather.read_table(source)
        headings = []
        for place, column in enumerate(table.column_names):
            is_index = column.startswith("__index_level_")
            headings.append("" if is_index else column)
            kind = table.schema.types[place]
            if pa.types.is_dictionary(kind):  # categories
                table = table.set_column(place, column, table.column(place).cast(kind.value_type))
        output = io.BytesIO()
        csv.write_csv(table.rename_columns(headings), output)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"cannot read {name}: {first_line(error)}.") from error

    return output.getvalue().decode()


def _recode_to_utf8(data: bytes, encoding: str, name: str) -> bytes:
    """Convert text of an encoding, which its byte order mark names, to UTF-8."""
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        raise DataError(
            f"{name} begins like {encoding} text, but is not ({error}); expected text in UTF-8."
        ) from None


def _recommend_command(path: str | Path, command: str) -> str:
    """Recommend a command that converts a file to text in UTF-8."""
    if str(path) == STDIN:
        return f"Pass it through: {command}"
    return f"Run: {command} {shlex.quote(str(path))} > NEW"


def _read_bytes(path: str | Path, name: str) -> bytes:
    """Read the bytes of a file, or of standard input, up to one more than is allowed."""
    if str(path) == STDIN:
        return sys.stdin.buffer.read(LARGEST + 1)

    try:
        with Path(path).open("rb") as file:
            return file.read(LARGEST + 1)
    except (FileNotFoundError, ValueError):  # the latter of a zero byte, or half of a character
        remedy = " Download it first." if "://" in name else ""
        raise DataError(f"there is no file {name}.{remedy}") from None
    except OSError as error:
        raise DataError(f"cannot read {name}: {error.strerror}.") from error
