"""From grids of cells to one reading: blocks under their headings, wide and long tables, merged into one table.

Every format of tables supplies rows of cells as written and without markup. What they mean is settled here. A wide
table has a column for each metric; a long one names the metric in one column and holds its value in another.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NoReturn

from rankconst.constants.published import parse_value
from rankconst.errors import DataError
from rankconst.results.evaluation import Stated
from rankconst.results.reading import Entries, Entry, Notes, Reading
from rankconst.results.tables.cells import (
    Row,
    is_blank,
    is_missing,
    is_number,
    is_plain_number,
    read_count,
    strip_marks,
)
from rankconst.results.tables.columns import RANK_TYPES, Meaning
from rankconst.results.tables.headings import DEEPEST, Dialect, Heading, explain_missing, find_heading, find_roles

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document

MOST_CELLS = 10_000_000
"""How many cells a file may have; with its numbers, each takes up to about 150 bytes in memory."""


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
    entries: Entries = field(default_factory=Entries)


def read_tables(
    document: Document, form: str, tables: Iterable[Iterable[Row]], dialect: Dialect, tool: str | None = None
) -> Reading:
    """Merge the tables of a file, given as their rows with headings; columns with the same heading become one.

    The levels of a heading are joined by a spaced slash, and repeated headings are numbered: ``MRR``, ``MRR (2)``.
    """
    notes = Notes()
    with _without_collection():
        return _merge(document, form, _read_all(document, tables, dialect, notes), notes, tool)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep the garbage collector from walking all numbers again and again; nothing here forms cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_all(document: Document, tables: Iterable[Iterable[Row]], dialect: Dialect, notes: Notes) -> list[_Table]:
    """Read each table, or each of its blocks; those without a metric are skipped if others have one."""
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
    return read


def _merge(document: Document, form: str, read: list[_Table], notes: Notes, tool: str | None) -> Reading:
    columns = tuple(dict.fromkeys(key for table in read for key in table.heading.keys))
    if sum(len(table.rows) for table in read) * len(columns) > MOST_CELLS:
        _refuse_size(document.name)
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
        entries=read[0].entries if len(read) == 1 else Entries(chain.from_iterable(table.entries for table in read)),
        skipped=notes.skipped(),
        tool=tool,
    )


def _say_none(document: Document) -> str:
    return f"{document.name}: there is no table. Expected a heading and rows of cells below."


def _split_blocks(rows: Iterable[Row], dialect: Dialect) -> Iterator[Iterable[Row]]:
    """Split a table where a heading of several levels is repeated, perhaps over other datasets."""
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
    """Return the rows that may be a heading, and those behind them; lines before the table are skipped."""
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
    most = MOST_CELLS // width - start
    reader = RowReader(document, heading, dialect, notes)
    for row in below:
        if not any(row.plain):
            continue
        alone = dialect.groups and _is_alone(row, heading)
        if len(row.cells) != width and not (alone and len(row.cells) == 1):
            raise DataError(
                f"{document.at(row.line)}: expected {width} cells, as in the heading, got {len(row.cells)}. "
                "Fix the row, or quote cells that contain the delimiter."
            )
        if row.plain in heading.levels:
            notes.add(row.line, " ".join(filter(None, row.plain)), "the heading is repeated")
            continue
        if len(table.rows) >= most:
            _refuse_size(document.at(row.line))
        if alone:
            what = next(filter(None, row.plain))
            notes.add(row.line, what, "alone in its row, the name of a group; datasets are read from columns")
        else:
            table.entries.extend(reader.read(row, start + len(table.rows)))
        table.rows.append(row.cells + ("",) * (width - len(row.cells)))
    table.entries = reader.add_counts(table.entries)
    return table


def _refuse_size(place: str) -> NoReturn:
    raise DataError(
        f"{place}: more than {MOST_CELLS:,} cells are more than results need. Split the file, or remove columns "
        "that you do not need."
    )


def _is_alone(row: Row, heading: Heading) -> bool:
    """Tell whether a row names the rows below."""
    filled = [j for j, text in enumerate(row.plain) if text]
    if len(row.cells) == 1 or (row.spans is not None and any(width > 1 for width in row.spans.values())):
        return len(filled) == 1
    return len(filled) == 1 and filled[0] not in heading.measured


_CONTEXT = {"dataset", "model", "split", "side", "protocol", "aggregation", "tool", "rank_type", "num_tasks"}

# Beyond this many different texts or rows, remembering them costs more than it saves.
_MOST_TEXTS = 100_000
_MOST_ROWS = 5_000


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
        self._stated = {role: j for role, j in self._roles.items() if role in _CONTEXT}
        # Position, key, metric and adjustment of each column of a metric, and whether its numbers are percentages.
        self._measured: list[tuple[int, str, Metric, str | None, bool]] = []
        self._heads: list[tuple[Meaning, str | None]] = []  # the meaning of each, and the dataset that spans it
        for j in heading.measured:
            meaning = heading.meanings[j]
            if meaning is None or meaning.metric is None:
                continue
            if meaning.reason is not None:
                notes.add(None, heading.keys[j], meaning.reason)
                continue
            self._measured.append((j, heading.keys[j], meaning.metric, meaning.adjustment, meaning.percent))
            self._heads.append((meaning, heading.datasets[j]))
        self._value = self._roles.get("value") if heading.long else None
        self._naming = [j for role, j in self._roles.items() if role in _CONTEXT or role in {"metric", "k"}]
        value = None if self._value is None else heading.meanings[self._value]
        self._percent = value is not None and value.percent
        self._counts: dict[Stated, int | None] = {}  # of a long table, in rows of their own
        self._said: tuple[Row | None, dict[str, Any]] = None, {}
        # What was read before: texts of roles to the context of each measured column, texts of a long row to its
        # meaning, and plain numbers, those of percentages apart.
        self._contexts: dict[tuple[str, ...], list[Stated]] = {}
        self._named: dict[tuple[str, ...], tuple[Meaning, Stated]] = {}
        self._numbers: tuple[dict[str, str], dict[str, str]] = ({}, {})

    def read(self, row: Row, index: int) -> list[Entry]:
        """Return the numbers of a row."""
        entries = self._read_wide(row, index) if self._measured else []
        return entries if self._value is None else [*entries, *self._read_long(row, index, self._value)]

    def _read_wide(self, row: Row, index: int) -> list[Entry]:
        line, plain = row.line, row.plain
        told = tuple([plain[j] for j in self._stated.values()])
        contexts = self._contexts.get(told) or self._form_contexts(row, told)
        exact, entries = self._dialect.exact, []
        for (j, key, metric, adjustment, percent), context in zip(self._measured, contexts, strict=True):
            text = self._numbers[percent].get(plain[j]) or self._read_number(row, j, percent)
            if text is not None:
                entries.append(Entry(metric, text, index, key, line, context, adjustment, exact))
        return entries

    def _form_contexts(self, row: Row, told: tuple[str, ...]) -> list[Stated]:
        """Return the contexts of the measured columns in a row, as one object where they agree."""
        noted, said = self._notes.total, self._read_roles(row)
        shared: dict[object, Stated] = {}
        contexts = []
        for meaning, upper in self._heads:
            kind = (meaning.dataset, upper, meaning.split, meaning.side, meaning.rank_type, meaning.protocol)
            if kind not in shared:
                shared[kind] = _form_context(said, meaning, upper)
            contexts.append(shared[kind])
        if self._notes.total == noted and len(self._contexts) < _MOST_ROWS:
            self._contexts[told] = contexts
        return contexts

    def _read_long(self, row: Row, index: int, value: int) -> Iterator[Entry]:
        told = tuple([row.plain[j] for j in self._naming])
        found = self._named.get(told) or self._form_named(row, told)
        if found is None:
            return
        named, context = found
        if named.metric is None:
            if row.plain[value]:
                self._counts[context] = self._read_count(row, "value")
            return
        text = self._read_number(row, value, self._percent or named.percent)
        if text is not None:
            key, exact = self._keys[value], self._dialect.exact
            yield Entry(named.metric, text, index, key, row.line, context, named.adjustment, exact)

    def _form_named(self, row: Row, told: tuple[str, ...]) -> tuple[Meaning, Stated] | None:
        """Return what a row of a long table names, with its context."""
        noted, said = self._notes.total, self._read_roles(row)
        named = self._read_name(row)
        if named is None:
            return None
        found = named, _form_context(said, named, None)
        if self._notes.total == noted and len(self._named) < _MOST_ROWS:
            self._named[told] = found
        return found

    def add_counts(self, entries: Entries) -> Entries:
        """Add the numbers of tasks that a long table has in rows of their own to the entries that they belong to."""
        if not self._counts:
            return entries
        counted = {context: replace(context, num_tasks=count) for context, count in self._counts.items()}
        return Entries(entry._replace(context=counted.get(entry.context, entry.context)) for entry in entries)

    def _read_roles(self, row: Row) -> dict[str, Any]:
        """Return what the columns of roles say; only once a row, since what is unreadable is noted."""
        last, said = self._said
        if row is not last:
            said = {role: row.plain[j] for role, j in self._stated.items() if not is_missing(row.plain[j])}
            if "rank_type" in said:
                said["rank_type"] = RANK_TYPES.get(said["rank_type"].lower())
            if "num_tasks" in said:
                said["num_tasks"] = self._read_count(row, "num_tasks")
            self._said = row, said
        return said

    def _read_count(self, row: Row, role: str) -> int | None:
        text = row.plain[self._roles[role]]
        count = read_count(text)
        if count is None:
            self._notes.add(row.line, text, f"not a whole number, in column {self._keys[self._roles[role]]}")
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
            self._notes.add(row.line, name, "an unknown metric")
            return None
        if named.reason is not None:
            self._notes.add(row.line, name, named.reason)
            return None
        return named

    def _read_number(self, row: Row, j: int, percent: bool) -> str | None:
        """Return a number as text, None if there is none."""
        text = row.plain[j]
        if is_blank(text):
            return None
        if is_plain_number(text):
            number = f"{text}%" if percent else text
            if len(self._numbers[percent]) < _MOST_TEXTS:
                self._numbers[percent][text] = number
            return number
        if is_missing(text):
            self._notes.add(row.line, text, "no number")
            return None
        text = strip_marks(text)
        try:
            parse_value(text, exact=self._dialect.exact, place=self._document.at(row.line, self._keys[j]))
        except DataError as error:
            raise DataError(f"{error} Expected a number; leave the cell empty if there is none.") from None
        return f"{text}%" if percent and "%" not in text else text


def _form_context(said: Mapping[str, Any], meaning: Meaning, upper: str | None) -> Stated:
    """Combine what a row says with what the heading says, which goes first."""
    own = {name: getattr(meaning, name) for name in ("dataset", "split", "side", "rank_type", "protocol")}
    fields = {**said, **{name: value for name, value in own.items() if value is not None}}
    if upper is not None:
        fields.setdefault("dataset", upper)
    return Stated(**fields)
