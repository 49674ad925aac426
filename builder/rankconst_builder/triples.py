"""Read files of triples: bytes in, labels out, compared exactly.

Labels are bytes: nothing is stripped, lower-cased, unquoted or taken for a missing value. If a line
is not a triple, the build stops and names file, line and text.
"""

from __future__ import annotations

import csv
import shlex
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from rankconst.catalogue.benchmarks import DELIMITERS
from rankconst.errors import DataError

if TYPE_CHECKING:
    from rankconst.catalogue.benchmarks import LineFormat

    Column = pa.ChunkedArray[Any]

BOM = b"\xef\xbb\xbf"
"""The mark at the beginning of UTF-8 that some editors write."""

UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""The marks at the beginning of UTF-16."""

_LABEL = pa.dictionary(pa.int32(), pa.binary())
NAMES = {"h": "head", "r": "relation", "t": "tail", "d": "time"}
"""Letter of a column to its name."""

_SHOWN = 120  # characters of a line in a message
_PIECE = 1 << 22  # bytes looked at in one go


@dataclass(frozen=True, slots=True)
class Labels:
    """The triples of one file, as labels."""

    head: Column  # dictionary-encoded bytes, one entry a row of the file, in its order
    relation: Column
    tail: Column
    # Of a temporal graph the times, such as a begin and an end; of statements their qualifiers, as
    # the line has them.
    time: tuple[Column, ...] = ()
    values: Column | None = None  # of statements: the entities of the qualifiers, in no order

    def __len__(self) -> int:
        return len(self.head)

    def without_first(self) -> Labels:
        """Return all triples except the first."""
        time = tuple(column[1:] for column in self.time)
        head, relation, tail = self.head[1:], self.relation[1:], self.tail[1:]
        return replace(self, head=head, relation=relation, tail=tail, time=time)


def read_triples(content: bytes, form: LineFormat, name: str) -> Labels:
    """Read the labels of a file of triples, or of statements with qualifiers.

    Raises DataError, which names the line, for a line that is not of the format, and for a count
    line that states another number of triples.
    """
    body, expected = _split_body(content, form, name)
    if form.qualified:
        head, relation, tail, qualifiers, values = _read_statements(body, form, name)
        return Labels(head, relation, tail, (qualifiers,), values)

    try:
        table = _parse_lines(body, form)
    except pa.ArrowInvalid as error:
        raise _explain_malformed(content.removeprefix(BOM), form, name) from error

    columns: list[Any] = table.columns
    if form.padded:
        columns = [_trim_labels(column) for column in columns]

    if any(_has_empty_label(column) for column in columns):
        raise _explain_malformed(content.removeprefix(BOM), form, name)

    if expected is not None and expected != len(table):
        raise DataError(
            f"{name}: line 1 states {expected} triples, but {len(table)} follow. "
            "Is the file cut short?"
        )

    head, relation, tail, *time = columns
    return Labels(head, relation, tail, tuple(time))


def _trim_labels(column: Any) -> Any:
    """Remove the spaces around the labels of a column."""
    chunks = []
    for chunk in column.chunks:
        texts: Any = chunk.dictionary_decode().view(pa.string())
        trimmed: Any = pc.ascii_trim_whitespace(texts)
        chunks.append(trimmed.cast(pa.binary()).dictionary_encode())

    return pa.chunked_array(chunks)


def _has_empty_label(column: Any) -> bool:
    """Return True if a label of a column is empty."""
    for chunk in column.chunks:
        lengths: Any = pc.binary_length(chunk.dictionary)
        if pc.min(lengths).as_py() == 0:
            return True
    return False


class _Body(NamedTuple):
    """The lines of a file that are triples."""

    lines: bytes
    number: int | None  # of triples, as the count line before them states; None without one


def _split_body(content: bytes, form: LineFormat, name: str) -> _Body:
    """Remove the byte order mark, count line, heading and blank last lines of a file."""
    if content.startswith(UTF16):
        raise DataError(
            f"{name} is UTF-16; expected UTF-8 or ASCII. Convert it: iconv -f UTF-16 -t UTF-8."
        )

    body = content.removeprefix(BOM)
    if b"\r" in body and body.count(b"\r") != body.count(b"\r\n"):
        raise _explain_malformed(body, form, name)

    if body[-4:].count(b"\n") != 1 or len(body) < 4:
        # This copies; large files with one newline at their end need no copy.
        body = body.rstrip(b"\r\n")

    if not body:
        raise DataError(
            f"{name} is empty; expected a triple on each line. Name a file with triples, or leave "
            "it out."
        )

    expected = None
    if form.count_line:
        first, _, body = body.partition(b"\n")
        try:
            expected = int(first)
        except ValueError as error:
            raise DataError(
                f"{name}, line 1: expected the number of triples that follow, got "
                f"{show_line(first)}. If the file has no count line, choose another format."
            ) from error

    if form.header:
        _, _, body = body.partition(b"\n")

    if not body:
        begin = "heading" if form.header else "count line"
        raise DataError(
            f"{name} has a {begin} and no triple. Name a file with triples, or leave it out."
        )

    if body.startswith(BOM):
        # The parser drops one; here it belongs to the first label.
        body = BOM + body

    return _Body(body, expected)


def _parse_lines(body: bytes, form: LineFormat) -> pa.Table:
    """Return the columns of head, relation, tail and time, in this order."""
    names = [f"{letter}{index}" for index, letter in enumerate(form.columns)]
    columns = [name for name in names if name[0] != "-"]
    columns.sort(key=lambda name: "hrtd".index(name[0]))
    # A block must hold the longest line; pyarrow reads blocks in parallel.
    block = max(1 << 20, _longest_line(body) + 2)
    quote: str | Literal[False] = '"' if form.quoted else False
    _require_threads()
    # The threads of Arrow may free the text while Python exits: it is copied to Arrow's memory.
    buffer = pa.allocate_buffer(len(body))
    memoryview(cast("Any", buffer)).cast("B")[:] = body
    return pa_csv.read_csv(
        # Cast, as the stubs know only paths and Python files.
        cast("Any", pa.BufferReader(buffer)),
        pa_csv.ReadOptions(column_names=names, block_size=block),
        pa_csv.ParseOptions(
            delimiter=form.delimiter,
            quote_char=quote,
            escape_char=False,
            ignore_empty_lines=False,
        ),
        pa_csv.ConvertOptions(
            column_types=dict.fromkeys(columns, _LABEL),
            include_columns=columns,
            check_utf8=False,
            null_values=[],
        ),
    )


def _require_threads() -> None:
    """Raise an error if no thread can be started, as Arrow would abort the process."""
    end = threading.Event()
    started = list[threading.Thread]()
    try:
        for _ in range(2):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError as error:
        raise DataError(
            "the system does not let this process start threads, and reading triples needs two. "
            "Allow more: ulimit -u 64"
        ) from error
    finally:
        end.set()
        for thread in started:
            thread.join()


def _read_statements(body: bytes, form: LineFormat, name: str) -> list[Column]:
    """Read statements as columns of heads, relations, tails and qualifiers.

    The qualifiers of a statement are one label, such as ``P580,Q2``. The last column has the
    entities in all qualifiers, here Q2, and another length.
    """
    head_index, relation_index, tail_index = (form.columns.index(letter) for letter in "hrt")
    delimiter = form.delimiter.encode()
    num_plain = len(form.columns) - 1  # columns before the qualifiers
    heads, relations, tails = list[bytes](), list[bytes](), list[bytes]()
    qualifiers: list[bytes] = []
    entities: list[bytes] = []
    first_line = 1 + form.header + form.count_line
    for number, line in enumerate(body.rstrip(b"\r\n").split(b"\n"), start=first_line):
        cells = line.removesuffix(b"\r").split(delimiter)
        if len(cells) < num_plain or (len(cells) - num_plain) % 2 or not all(cells):
            raise DataError(
                f"{name}, line {number}: expected {num_plain} columns ({form.columns[:-1]}), then "
                f"qualifiers, a relation and an entity each, separated by {_spell(form.delimiter)} "
                f"and none empty; got {len(cells)} columns: {show_line(line)}."
            )
        heads.append(cells[head_index])
        relations.append(cells[relation_index])
        tails.append(cells[tail_index])
        qualifiers.append(delimiter.join(cells[num_plain:]))
        entities += cells[num_plain + 1 :: 2]

    columns = []
    for labels in (heads, relations, tails, qualifiers, entities):
        array = pa.array(labels, pa.binary()).dictionary_encode()
        columns.append(pa.chunked_array([array]))

    return columns


class Size(NamedTuple):
    """The size of a graph."""

    entities: int
    relations: int


def read_stat(content: bytes, name: str) -> Size:
    """Read the numbers of entities and relations that a file begins with."""
    numbers = content.split()[:2]
    if len(numbers) < 2 or not all(number.isdigit() for number in numbers):
        raise DataError(
            f"{name}: expected the numbers of entities and relations, "
            f"got {show_line(content[:_SHOWN])}."
        )

    entities, relations = numbers
    return Size(int(entities), int(relations))


def _longest_line(body: bytes) -> int:
    """Return the number of bytes of the longest line."""
    signs = np.frombuffer(body, np.uint8)
    longest = 0
    last_end = -1  # where the line before ends
    for start in range(0, len(body), _PIECE):
        line_ends = start + np.flatnonzero(signs[start : start + _PIECE] == ord("\n"))
        lengths = np.diff(line_ends, prepend=last_end)
        longest = max(longest, int(lengths.max(initial=0)))
        if line_ends.size:
            last_end = int(line_ends[-1])

    return max(longest, len(body) - last_end)


def _explain_malformed(body: bytes, form: LineFormat, name: str) -> DataError:
    """Return an error about the first line that is not a triple, with its remedy."""
    width = len(form.columns)
    lines = body.split(b"\n")
    # A carriage return belongs to the end of a line only before a newline.
    lines[:-1] = [line.removesuffix(b"\r") for line in lines[:-1]]
    while lines and not lines[-1]:
        lines.pop()

    num_skipped = form.count_line + form.header
    for number, line in enumerate(lines[num_skipped:], start=1 + num_skipped):
        cells = split_cells(line, form)
        where = f"{name}, line {number}"
        if not line.strip():
            return DataError(
                f"{where}: the line is blank; expected {width} columns ({form.columns}). "
                f"{advise_filtering('', name)}"
            )
        if b"\r" in line:
            return DataError(
                f"{where}: there is a carriage return inside the line: {show_line(line)}."
            )
        if form.qualified:
            continue  # its columns are checked where they are read
        if len(cells) != width:
            return DataError(
                f"{where}: expected {width} columns "
                f"({form.columns}) separated by {_spell(form.delimiter)}, got {len(cells)}: "
                f"{show_line(line)}.{_advise(line, form, cells, number, name)}"
            )
        for letter, cell in zip(form.columns, cells, strict=True):
            label = cell.strip() if form.padded else cell
            if letter != "-" and not label:
                return DataError(f"{where}: the {NAMES[letter]} is empty: {show_line(line)}.")

    return DataError(f"{name} cannot be read as lines of {width} columns ({form.columns}).")


def split_cells(line: bytes, form: LineFormat) -> list[bytes]:
    """Return the cells of a line. In a quoted format, quotes protect delimiters."""
    if not form.quoted:
        return line.split(form.delimiter.encode())
    if not line:
        return [b""]

    try:
        (cells,) = csv.reader([line.decode("latin-1")], delimiter=form.delimiter)
    except csv.Error:  # a carriage return outside of quotes, a cell beyond all size
        return line.split(form.delimiter.encode())

    return [cell.encode("latin-1") for cell in cells]


def advise_filtering(begin: str, name: str) -> str:
    """Advise to remove lines that begin with `begin` by grep, or blank lines if it is empty."""
    if begin:
        pattern, lines = f"^{begin}", f"lines that begin with {begin}"
    else:
        pattern, lines = "^[[:space:]]*$", "blank lines"
    return f"Leave {lines} out: grep -v '{pattern}' {shlex.quote(name)} > FILE"


def _advise(text: bytes, form: LineFormat, parts: list[bytes], number: int, name: str) -> str:
    """Return the remedy for a line with the wrong number of columns, or nothing."""
    if text.startswith(b"#"):
        return f" {advise_filtering('#', name)}"
    if text.startswith((b'{"', b'["', b"[[")) or text in {b"{", b"["}:
        return " JSON is not read: write a triple on each line, its parts separated by tabs."
    if len(parts) > len(form.columns):
        return _advise_columns(form, parts, number)
    if word := _guess_delimiter(text, form, is_cut=len(parts) > 1):
        return _advise_delimiter(word, text, name)
    if number == 1 and len(parts) == 2 and set(form.columns) == set("hrt"):
        return (
            " If the graph has no relations, "
            "add a column between the two that is the same in every line."
        )
    return ""


def _guess_delimiter(text: bytes, form: LineFormat, *, is_cut: bool) -> str:
    """Name another delimiter that cuts a line into the right number of columns, if any."""
    fitting, longer = [], []
    for word, delimiter in DELIMITERS.items():
        count = len(text.split(delimiter.encode()))
        if delimiter == form.delimiter:
            continue
        if count == len(form.columns):
            fitting.append(word)
        elif count > len(form.columns) and not is_cut:
            longer.append(word)

    return next(iter(fitting + longer), "")


def _advise_columns(form: LineFormat, parts: list[bytes], number: int) -> str:
    """Return the remedy for a line with too many columns."""
    # A first column of row numbers counts from 0 or from 1, and lines may include a heading.
    is_numbered = parts[0] in {b"%d" % row for row in (number - 2, number - 1, number)}
    columns = f"-{form.columns}" if is_numbered else form.columns
    advice = f" To ignore further columns, name them with -: {columns.ljust(len(parts), '-')}."
    if set(form.columns) != {*"hrt"}:
        return advice

    if len(parts) % 2:
        advice = f" If qualifiers follow, a relation and an entity each: {form.columns}q.{advice}"
    if len(parts) > 5:
        return advice

    if len(parts) == 5:
        times = f"{form.columns}d-, or {form.columns}dd if it has a begin and an end"
    elif is_numbered:
        return advice
    else:
        times = f"{form.columns}d"

    return f" If what follows the triple is its time, name it with d: --columns {times}.{advice}"


def _advise_delimiter(word: str, line: bytes, name: str) -> str:
    """Return the remedy for a file with another delimiter, whose name is `word`: "comma"."""
    delimiter = DELIMITERS[word]
    num_columns = len(line.split(delimiter.encode()))
    endings = {"comma": ".csv", "tab": ".tsv"}
    if word == "comma" and b", " in line:  # in CSV, blanks are part of labels
        command = f"awk -F', *' -v OFS='\\t' '{{$1 = $1}} 1' {shlex.quote(name)} > FILE.tsv"
        remedy = f"Separate them by tabs: {command}"
    elif word in endings:
        remedy = f"Rename the file to end in {endings[word]}"
    else:
        command = f"tr -s '{delimiter}' '\\t' < {shlex.quote(name)} > FILE.tsv"
        remedy = f"Separate them by tabs: {command}"
    return f" The line has {num_columns} columns if {_spell(delimiter)} separates them. {remedy}."


def _spell(delimiter: str) -> str:
    words = [word for word, sign in DELIMITERS.items() if sign == delimiter]
    return f"a {words[0]}" if words else repr(delimiter)


def show_line(line: bytes) -> str:
    """Return a line for a message, cut if it is long."""
    text = line.decode("utf-8", "backslashreplace")
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}…"
    return repr(text)
