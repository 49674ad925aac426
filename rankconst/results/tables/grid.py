"""From grids of cells to one reading: headings, rows and the texts around them, merged.

Every format of tables supplies rows of cells as written and without markup, with the texts around
them. A wide table has a column for each metric; a long one names the metric in one column and holds
its value in another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

from rankconst.errors import DataError
from rankconst.results.columns import Cells, Rows
from rankconst.results.gate import FILE_NAME, Text
from rankconst.results.labels import Label, doubt, read_label
from rankconst.results.reading import Notes, Reader, Reading, join_entries
from rankconst.results.tables.cells import Row, is_number, read_commas
from rankconst.results.tables.contexts import find_roles
from rankconst.results.tables.headings import (
    DEEPEST,
    choose_parse,
    explain_missing,
    find_heading,
    pivot,
)
from rankconst.results.tables.near import read_near
from rankconst.results.tables.sheet import Sheet, SheetReader
from rankconst.results.vocabulary import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document
    from rankconst.results.tables.headings import Heading
    from rankconst.results.tables.near import Printed
    from rankconst.results.tables.sheet import Table

MOST_CELLS = 10_000_000
"""How many cells a file may have; with its numbers, each takes up to about 150 bytes in memory."""

LONGEST_TEXT = 16 * 2**20
"""The most characters of a document with tables between its prose."""

_REPEATED = {"dataset", "split", "side", "protocol", "relations"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How tables of a format are to be read."""

    # Reads a heading, or the name of a metric in a long table, where k may have a column of its
    # own.
    parse: Callable[[str, int | None], Label] = read_label
    exact: bool = False  # True if a program wrote every digit, and its keys say all
    even: bool = (
        False  # True if a row with more or fewer cells than the heading is a mistake to be reported
    )


def read_tables(
    document: Document,
    form: str,
    tables: Iterable[Printed],
    dialect: Dialect = Dialect(),
    tool: str | None = None,
) -> Reading:
    """Merge the tables of a file; columns with the same heading become one."""
    notes = Notes()
    return _merge(document, form, _read_all(document, tables, dialect, notes), notes, tool)


def make_reader(
    key: str,
    recognise: Callable[[Document], bool],
    find_tables: Callable[[Document], Iterable[Printed]],
) -> Reader:
    """Return the reader of documents with tables between their prose."""
    return Reader(
        key, recognise, lambda each: read_tables(each, key, find_tables(each)), most=LONGEST_TEXT
    )


def _read_all(
    document: Document, tables: Iterable[Printed], dialect: Dialect, notes: Notes
) -> list[Table]:
    """Read each table or block; those without a metric are skipped if others have one."""
    read: list[Table] = []
    without: list[Row] = []  # the first table without a metric
    for printed in tables:
        commas = printed.commas or not (dialect.exact or dialect.even)
        rows, commas = (
            read_commas(printed.rows, document.decimal) if commas else (list(printed.rows), False)
        )
        texts = () if dialect.exact else (*printed.above, name_file(document.name))
        for block in _split_blocks([row for row in rows if any(row.plain)], dialect):
            titles, below = _split_titles(block)
            heading, how, near = find_heading(below, dialect.parse), "", texts
            if heading is None and (turned := pivot(below, dialect.parse)) is not None:
                below, how = turned, "metrics in rows"
                heading = find_heading(below, dialect.parse)
            if heading is None and document.metric is not None:
                below, how = block, "the metric from --metric"
                heading = find_heading(below, choose_parse(document.metric, below))
                near = _ask_metric(texts, document.metric)
            if heading is None:
                without = without or block
                what = " | ".join(filter(None, block[0].plain))
                notes.add(block[0].line, what, "the heading of a table without a metric")
                continue
            above = tuple(read_near("the row above", title) for title in titles)
            body = _fit(
                document,
                heading,
                below[len(heading.levels) :],
                notes,
                even=dialect.even or dialect.exact,
            )
            understood = tuple(filter(None, (how, "commas before decimals" if commas else "")))
            sheet = _make_sheet(document, heading, body, (*above, *near), dialect, how=understood)
            read.append(SheetReader(sheet, notes).read())
    if not read and without:
        raise DataError(explain_missing(document, without))
    if not read:
        raise DataError(
            f"{document.name}: there is no table. Expected a heading and rows of cells below."
        )
    return read


def _ask_metric(texts: tuple[Text, ...], metric: Metric) -> tuple[Text, ...]:
    """Return texts that ask about the metrics they name, if none of them names that of the user."""
    named = {text.label.metric for text in texts} - {None}
    if metric in named:
        return texts
    words = {each: Word(each.label.lower(), "metric") for each in named if each}
    return tuple(
        text._replace(label=replace(text.label, words=(*text.label.words, words[each])))
        if (each := text.label.metric)
        else text
        for text in texts
    )


def name_file(name: str) -> Text:
    """Return the name of a file as a text, the farthest of its numbers."""
    label = read_label(PurePath(name).stem.replace(".", " "))
    if "train" in label.values.get("split", ()):  # as programs call the log of any run
        label = doubt(label)
    words = tuple(word for word in label.words if word.text not in _MERGED)
    return Text(replace(label, words=words), "text", FILE_NAME)


_MERGED = {"merge", "merged"}  # of tables, where a file has the name


def _count_filled(row: Row) -> int:
    return sum(1 for cell in row.plain if cell)


def _split_titles(block: list[Row]) -> tuple[list[str], list[Row]]:
    """Return the titles above a heading, the nearest first, and the rows from the heading on."""
    count = 0
    while count < min(len(block) - 2, DEEPEST) and _count_filled(block[count]) == 1:
        count += 1
    if any(read_label(cell).metric for row in block[:count] for cell in row.plain if cell):
        return [], block
    titles = [cell for row in block[:count][::-1] for cell in row.plain if cell]
    return titles, block[count:]


def _split_blocks(rows: list[Row], dialect: Dialect) -> Iterator[list[Row]]:
    """Split a table where a heading comes again, perhaps over other datasets."""
    if not rows:
        return
    starts = [0]
    heading = None if dialect.exact else find_heading(rows[: DEEPEST + 1], dialect.parse)
    if heading is not None and heading.measures:
        depth, last = len(heading.levels), heading.levels[-1]
        places = [j for j in heading.measures if last[j]] or list(heading.measures)[:1]
        for i in range(depth, len(rows)):
            plain = rows[i].plain
            if (
                len(plain) <= places[-1]
                or plain[places[0]] != last[places[0]]
                or not last[places[0]]
            ):
                continue
            if any(plain[j] != last[j] for j in places):
                continue
            first = max(i - depth + 1, starts[-1] + 1)
            while first < i and any(is_number(cell) for cell in rows[first].plain if cell):
                first += 1
            if tuple(row.plain for row in rows[first : i + 1]) != heading.levels:
                starts.append(first)
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield rows[start:end]


def _fit(
    document: Document, heading: Heading, rows: Iterable[Row], notes: Notes, *, even: bool
) -> list[Row]:
    """Return the rows that fit the heading; others are noted, or refused in a delimited file."""
    width, kept = len(heading.keys), []
    levels = {*heading.levels}
    for row in rows:
        found = len(row.cells)
        if found == width and row.plain not in levels:
            kept.append(row)
        elif found == width:
            notes.add(row.line, " ".join(filter(None, row.plain)), "the heading is repeated")
        elif found == 1 and not even:
            more = ("",) * (width - 1)
            kept.append(
                row._replace(cells=row.cells + more, plain=row.plain + more, spans={0: width})
            )
        else:
            reason = f"expected {width} cells, as in the heading, got {found}"
            if even:
                raise DataError(
                    f"{document.at(row.line)}: {reason}. "
                    "Fix the row, or quote cells that contain the delimiter."
                )
            notes.add(row.line, " | ".join(filter(None, row.plain)), reason)
        if len(kept) * width > MOST_CELLS:
            refuse_size(document.at(row.line))
    return kept


def _make_sheet(
    document: Document,
    heading: Heading,
    rows: list[Row],
    texts: tuple[Text, ...],
    dialect: Dialect,
    *,
    how: tuple[str, ...],
) -> Sheet:
    """Return rows of a table by column."""
    plain, written = [row.plain for row in rows], [row.cells for row in rows]
    columns = [list(cells) for cells in zip(*plain, strict=True)]
    if not rows:
        columns = [[] for _ in heading.keys]
    if not dialect.even and not dialect.exact:
        _fill(heading, columns)
    return Sheet(
        heading,
        [Cells(column) for column in columns],
        [row.line for row in rows],
        texts,
        dialect.parse,
        dialect.exact,
        document.percent,
        spanning=frozenset(i for i, row in enumerate(rows) if row.spans is not None),
        written=[list(cells) for cells in zip(*written, strict=True)],
        how=how,
    )


def _fill(heading: Heading, columns: list[list[str]]) -> None:
    """Repeat what the row above says of the ranking tasks where a cell of a document is empty."""
    roles = find_roles(heading, [Cells(column) for column in columns])
    places = {j for role, j in roles.items() if role in _REPEATED}
    first = min(heading.measures, default=0)
    places |= {
        j for j in range(first - 1) if j not in roles.values() and not heading.measures.get(j)
    }
    others = [
        column for j, column in enumerate(columns) if j not in places and j not in heading.measures
    ]
    named = [any(cells) for cells in zip(*others, strict=True)] if others else []
    for column in (columns[j] for j in places) if named else ():
        last = ""
        for i, cell in enumerate(column):
            last = cell or last
            column[i] = last if named[i] else cell


def _merge(
    document: Document, form: str, read: list[Table], notes: Notes, tool: str | None
) -> Reading:
    """Put tables below each other."""
    filled = [each for each in read if each.sheet.written]
    columns: dict[str, list[str]] = {key: [] for each in read for key in each.sheet.heading.keys}
    sizes = [len(each.sheet.lines) for each in filled]
    if sum(sizes) * len(columns) > MOST_CELLS:
        refuse_size(document.name)
    for each, size in zip(filled, sizes, strict=True):
        own = dict(zip(each.sheet.heading.keys, each.sheet.written, strict=True))
        for key, cells in columns.items():
            cells.extend(own.get(key) or [""] * size)
    return Reading(
        name=document.name,
        form=form,
        layout="wide" if any(each.sheet.heading.measures for each in read) else "long",
        columns=tuple(columns),
        rows=Rows(columns, sum(sizes)),
        entries=join_entries([each.entries for each in filled], sizes),
        skipped=notes.skipped(),
        tool=tool,
        understood=_describe(read),
    )


def _describe(read: list[Table]) -> str:
    """Say in one line how tables were understood; nothing if their headings say it all."""
    origins = (each.origin for each in read if len(each.entries))
    inferred = dict.fromkeys(
        filter(None, (*(how for each in read for how in each.sheet.how), *origins))
    )
    if not inferred and not any(each.percent for each in read):
        return ""
    units: dict[str, set[bool]] = {}
    for each in read:
        for head in each.entries.heads:
            units.setdefault(head.metric.label, set()).add(head.column in each.percent)
    signs = {
        label: ""
        if True not in own
        else " (percent in some columns)"
        if False in own
        else " (percent)"
        for label, own in units.items()
    }
    metrics = ", ".join(f"{label}{sign}" for label, sign in signs.items())
    tables = "1 table" if len(read) == 1 else f"{len(read)} tables"
    return "; ".join((tables, *inferred, metrics))


def refuse_size(place: str) -> NoReturn:
    """Refuse a file with more cells than results need."""
    raise DataError(
        f"{place}: more than {MOST_CELLS:,} cells are more than results need. "
        "Split the file, or remove columns that you do not need."
    )
