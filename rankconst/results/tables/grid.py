"""From grids of cells to one reading: blocks under their headings, wide tables and long ones, put into one table.

Every format of tables hands over rows of cells as written and with their markup removed; what they mean is found out
here. A wide table has a column for each metric. A long one names the metric in one column and holds its value in
another.

======================  ====================================================================================
module                  holds
======================  ====================================================================================
:mod:`.cells`           a row, and what the text of a cell is
:mod:`.headings`        what the first rows make the columns
:mod:`.rows`            the numbers of the rows below
:mod:`.notes`           what was left out
======================  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from rankconst.constants.published import parse_value
from rankconst.errors import DataError
from rankconst.results.evaluation import Stated
from rankconst.results.reading import Entry, Notes, Reading
from rankconst.results.tables.cells import (
    Row,
    is_blank,
    is_missing,
    is_number,
    is_plain_number,
    read_count,
    strip_marks,
)
from rankconst.results.tables.columns import RANK_TYPES
from rankconst.results.tables.headings import DEEPEST, Dialect, Heading, explain_missing, find_heading, find_roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankconst.results.document import Document
    from rankconst.results.tables.columns import Meaning
    from rankconst.results.tables.headings import Dialect, Heading


MOST_CELLS = 5_000_000
"""How many cells a file may have; each takes some hundred bytes once it is read."""


class _Cells(Mapping[str, str]):
    """A row by column: the cells, and the positions that all rows of a table share."""

    __slots__ = ("_cells", "_positions")

    def __init__(self, positions: Mapping[str, int], cells: tuple[str, ...]) -> None:
        self._positions = positions
        self._cells = cells

    def __getitem__(self, column: str) -> str:
        position = self._positions[column]
        return "" if position < 0 else self._cells[position]

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(slots=True)
class _Table:
    """What was read of one table."""

    heading: Heading
    rows: list[tuple[str, ...]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)


def read_tables(
    document: Document, form: str, tables: Iterable[Iterable[Row]], dialect: Dialect, tool: str | None = None
) -> Reading:
    """Read the tables of a file into one.

    Parameters
    ----------
    document
        The file, for messages.
    form
        The key of its format.
    tables
        Their rows, heading included. Columns of the same heading become one.
    dialect
        How they speak.
    source
        The tool that writes such files.

    Returns
    -------
    Reading
        Its columns are the headings, without markup. The levels of a heading are joined by a spaced slash, and one
        that occurs before is numbered: ``MRR``, ``MRR (2)``.

    Raises
    ------
    DataError
        If no table has a column of a metric, a row has more or fewer cells than its heading, or what stands in the
        column of a metric is no number.
    """
    notes = Notes()
    read: list[_Table] = []
    without: Row | None = None  # the first row of the first table without a metric
    start = 0
    for rows in tables:
        for block in _split_blocks(rows, dialect):
            first, rest = _skip_titles(document, block, notes)
            heading = find_heading(first, dialect)
            if heading is None:
                without = without or first[0]
                what = " | ".join(filter(None, first[0].plain))
                notes.add(first[0].line, what, "the heading of a table without a metric")
                continue
            below = chain(first[len(heading.levels) :], rest)
            read.append(_read_table(document, heading, below, dialect, notes, start=start))
            start += len(read[-1].rows)
    if not read:
        raise DataError(_say_none(document) if without is None else explain_missing(document, without))
    columns = tuple(dict.fromkeys(key for table in read for key in table.heading.keys))
    _check_size(document.name, start, len(columns))
    views: list[Mapping[str, str]] = []
    for table in filter(lambda table: table.rows, read):
        own = {key: j for j, key in enumerate(table.heading.keys)}
        positions = {key: own.get(key, -1) for key in columns}
        views.extend(_Cells(positions, cells) for cells in table.rows)
    return Reading(
        name=document.name,
        form=form,
        layout="wide" if any(table.heading.measured for table in read) else "long",
        columns=columns,
        rows=tuple(views),
        entries=tuple(chain.from_iterable(table.entries for table in read)),
        skipped=notes.skipped(),
        tool=tool,
    )


def _say_none(document: Document) -> str:
    return f"{document.name}: there is no table. Expected a heading and rows of cells below."


def _split_blocks(rows: Iterable[Row], dialect: Dialect) -> Iterator[Iterable[Row]]:
    """Split a table where a heading of several levels stands again, over other datasets perhaps."""
    if not dialect.groups:
        yield rows
        return
    rows = [row for row in rows if any(row.plain)]
    if not rows:
        return
    # Two headings of two levels are four rows.
    heading = find_heading(rows[: DEEPEST + 1], dialect) if len(rows) >= 4 else None
    if heading is None:
        yield rows
        return
    depth, last, start = len(heading.levels), rows[len(heading.levels) - 1].plain, 0
    for i in range(2 * depth - 1, len(rows)):
        above = rows[i - depth + 1 : i]
        if rows[i].plain != last or not above or i - depth + 1 < start + depth:
            continue
        if not any(is_number(row.plain[j]) for row in above for j in heading.measured if j < len(row.plain)):
            yield rows[start : i - depth + 1]
            start = i - depth + 1
    yield rows[start:]


def _skip_titles(document: Document, rows: Iterable[Row], notes: Notes) -> tuple[list[Row], Iterator[Row]]:
    """Return the rows that a heading may have, and those behind them; lines before the table are left out."""
    rest = iter(rows)
    first = list(islice(rest, DEEPEST + 1))
    while len(first) > 1 and len(first[0].cells) == 1 < max(len(row.cells) for row in first):
        notes.add(first[0].line, first[0].plain[0], "a line before the table")
        first = [*first[1:], *islice(rest, 1)]
    if not first:
        raise DataError(_say_none(document))
    return first, rest


def _read_table(
    document: Document, heading: Heading, below: Iterable[Row], dialect: Dialect, notes: Notes, *, start: int
) -> _Table:
    """Read the rows below a heading; the first of them becomes row `start` of the file."""
    table = _Table(heading)
    width = len(heading.keys)
    reader = RowReader(document, heading, dialect, notes)
    for written in below:
        if not any(written.plain):
            continue
        alone = dialect.groups and _is_alone(written, heading)
        short = alone and len(written.cells) == 1
        row = replace(written, cells=written.cells + ("",) * (width - 1)) if short else written
        if len(row.cells) != width:
            raise DataError(
                f"{document.at(row.line)}: expected {width} cells, as in the heading, got {len(row.cells)}. "
                "Mend the row, or put cells that hold the delimiter in quotes."
            )
        if row.plain in heading.levels:
            notes.add(row.line, " ".join(filter(None, row.plain)), "the heading again")
            continue
        _check_size(document.at(row.line), start + len(table.rows) + 1, width)
        if alone:
            what = next(filter(None, row.plain))
            notes.add(row.line, what, "alone in its row, the name of a group; datasets are read from columns")
        else:
            table.entries.extend(reader.read(row, start + len(table.rows)))
        table.rows.append(row.cells)
    table.entries = reader.add_counts(table.entries)
    return table


def _check_size(place: str, rows: int, width: int) -> None:
    if rows * width > MOST_CELLS:
        raise DataError(
            f"{place}: more than {MOST_CELLS:,} cells are more than results need. Split the file, or leave out columns "
            "that are not needed."
        )


def _is_alone(row: Row, heading: Heading) -> bool:
    """Tell whether a row names the rows below."""
    filled = [j for j, text in enumerate(row.plain) if text]
    if len(row.cells) == 1 or (row.spans is not None and any(width > 1 for width in row.spans.values())):
        return len(filled) == 1
    return len(filled) == 1 and filled[0] not in heading.measured


_CONTEXT = {"dataset", "model", "split", "side", "protocol", "aggregation", "source", "rank_type", "num_tasks"}


class RowReader:
    """Reads the rows of one table."""

    def __init__(self, document: Document, heading: Heading, dialect: Dialect, notes: Notes) -> None:
        self._document = document
        self._keys = heading.keys
        self._dialect = dialect
        self._notes = notes
        self._roles = find_roles(heading)
        if dialect.groups and not heading.keys[0]:  # the corner of a printed table, over the names of models
            self._roles.setdefault("model", 0)
        self._measured = []
        for j in heading.measured:
            meaning = heading.meanings[j]
            if meaning is None or meaning.metric is None:
                continue
            if meaning.reason is not None:
                notes.add(None, heading.keys[j], meaning.reason)
                continue
            self._measured.append((j, meaning, heading.datasets[j]))
        value = self._roles.get("value") if heading.long else None
        self._value = value
        self._counts: dict[Stated, int | None] = {}  # of a long table, in rows of their own
        meaning = None if value is None else heading.meanings[value]
        self._percent = meaning is not None and meaning.percent

    def read(self, row: Row, index: int) -> Iterator[Entry]:
        """Return the numbers of a row."""
        said, exact = self._read_roles(row), self._dialect.exact
        contexts: dict[object, Stated] = {}
        for j, meaning, upper in self._measured:
            text = self._read_number(row, j, meaning.percent)
            if text is None or meaning.metric is None:
                continue
            kind = (meaning.dataset, upper, meaning.split, meaning.side, meaning.rank_type, meaning.protocol)
            context = contexts.get(kind)
            if context is None:
                context = contexts[kind] = _form_context(said, meaning, upper)
            yield Entry(meaning.metric, text, index, self._keys[j], row.line, context, meaning.adjustment, exact)
        if self._value is not None:
            named = self._read_name(row)
            if named is None:
                return
            if named.metric is None:
                if row.plain[self._value]:
                    self._counts[_form_context(said, named, None)] = self._read_count(row, "value")
                return
            text = self._read_number(row, self._value, self._percent or named.percent)
            if text is not None:
                context = _form_context(said, named, None)
                yield Entry(
                    named.metric, text, index, self._keys[self._value], row.line, context, named.adjustment, exact
                )

    def add_counts(self, entries: list[Entry]) -> list[Entry]:
        """Add the numbers of tasks that a long table has in rows of their own to the entries that they go with."""
        if not self._counts:
            return entries
        return [
            replace(entry, context=replace(entry.context, num_tasks=self._counts[entry.context]))
            if entry.context in self._counts
            else entry
            for entry in entries
        ]

    def _read_roles(self, row: Row) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for role, j in self._roles.items():
            text = row.plain[j]
            if role in _CONTEXT and text and not is_missing(text):
                said[role] = text
        if "rank_type" in said:
            said["rank_type"] = RANK_TYPES.get(said["rank_type"].lower())
        if "num_tasks" in said:
            said["num_tasks"] = self._read_count(row, "num_tasks")
        return said

    def _read_count(self, row: Row, role: str) -> int | None:
        text = row.plain[self._roles[role]]
        count = read_count(text)
        if count is None:
            self._notes.add(row.line, text, f"no whole number, in column {self._keys[self._roles[role]]}")
        return count

    def _read_name(self, row: Row) -> Meaning | None:
        """Return what a row of a long table names: a metric, or the number of tasks."""
        name = row.plain[self._roles["metric"]]
        if is_missing(name):
            return None
        k = self._read_count(row, "k") if "k" in self._roles and row.plain[self._roles["k"]] else None
        named = self._dialect.parse(name, k)
        if named is not None and named.role == "num_tasks":
            return named
        if named is None or named.metric is None:
            self._notes.add(row.line, name, "no metric that is known")
            return None
        if named.reason is not None:
            self._notes.add(row.line, name, named.reason)
            return None
        return named

    def _read_number(self, row: Row, j: int, percent: bool) -> str | None:
        """Return a number as text, None if there is none."""
        text = row.plain[j]
        if not is_plain_number(text):
            if is_blank(text):
                return None
            if is_missing(text):
                self._notes.add(row.line, text, "no number")
                return None
            text = strip_marks(text)
            try:
                parse_value(text, exact=self._dialect.exact, place=self._document.at(row.line, self._keys[j]))
            except DataError as error:
                raise DataError(f"{error} Expected a number; leave a cell empty where there is none.") from None
        return f"{text}%" if percent and "%" not in text else text


def _form_context(said: Mapping[str, Any], meaning: Meaning, upper: str | None) -> Stated:
    fields = dict(said)
    for name in ("dataset", "split", "side", "rank_type", "protocol"):
        own = getattr(meaning, name)
        if own is not None:
            fields[name] = own
    if upper is not None:
        fields.setdefault("dataset", upper)
    return Stated(**fields)
