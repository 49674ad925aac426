"""From grids of cells to one reading: headings, rows and what stands around them, merged into one table.

Every format of tables supplies rows of cells as written and without markup, with the texts around them. A wide table
has a column for each metric; a long one names the metric in one column and holds its value in another. What labels and
texts say is settled by the gate.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

from rankconst.errors import DataError
from rankconst.evaluation import Stated
from rankconst.names import read_count, squash
from rankconst.results.gate import Text, gather
from rankconst.results.labels import Label, deny, read_label
from rankconst.results.reading import Entries, Entry, NoMetricError, Notes, Reading
from rankconst.results.tables.cells import Row, is_blank, is_missing, is_number, read_commas
from rankconst.results.tables.headings import DEEPEST, Heading, explain_missing, find_heading
from rankconst.results.tables.numbers import Numbers
from rankconst.results.tables.pivot import pivot

if TYPE_CHECKING:
    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed

MOST_CELLS = 10_000_000
"""How many cells a file may have; with its numbers, each takes up to about 150 bytes in memory."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How tables of a format are to be read."""

    # Reads a heading, or the name of a metric in a long table, where k may have a column of its own.
    parse: Callable[[str, int | None], Label] = read_label
    exact: bool = False  # True if a program wrote every digit, and its keys say all
    groups: bool = False  # True if people made the table: a row of a single cell names the rows below
    even: bool = False  # True if a row with more or fewer cells than the heading is a mistake to be reported


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
    # The dataset of each row, where it is said elsewhere than in the row.
    datasets: dict[int, str] = field(default_factory=dict)
    # How it was understood: where datasets are from, and the columns that are percentages.
    inferred: dict[str, None] = field(default_factory=dict)
    percent: frozenset[str] = frozenset()


def read_tables(
    document: Document, form: str, tables: Iterable[Printed], dialect: Dialect, tool: str | None = None
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


def _read_all(document: Document, tables: Iterable[Printed], dialect: Dialect, notes: Notes) -> list[_Table]:
    """Read each table, or each of its blocks; those without a metric are skipped if others have one."""
    read: list[_Table] = []
    without: Row | None = None  # the first row of the first table without a metric
    lines = set[int]()  # those of tables without a metric
    start = 0
    for printed in tables:
        commas = dialect.groups or printed.commas
        rows, commas = read_commas(printed.rows, document.decimal) if commas else (list(printed.rows), False)
        texts = () if dialect.exact else _list_texts(document, printed)
        for block in _split_blocks([row for row in rows if any(row.plain)], dialect):
            titles, below = _split_titles(block)
            heading, how = find_heading(below, dialect.parse), ""
            if heading is None and (turned := pivot(below, dialect.parse)) is not None:
                below, how = turned, "metrics in rows"
                heading = find_heading(below, dialect.parse)
            if heading is None:
                without = without or block[0]
                lines |= {row.line for row in block} if dialect.groups else set()
                what = " | ".join(filter(None, block[0].plain))
                notes.add(block[0].line, what, "the heading of a table without a metric")
                continue
            above = tuple(Text(read_label(title), "text", "the row above") for title in titles)
            reader = _TableReader(document, heading, dialect, notes, texts=(*above, *texts))
            table = reader.read(below[len(heading.levels) :], start)
            table.inferred |= dict.fromkeys(filter(None, (how, "commas before decimals" * commas)))
            read.append(table)
            start += len(table.rows)
    if not read and without is not None:
        raise NoMetricError(explain_missing(document, without), lines, notes.skipped())
    if not read:
        raise DataError(f"{document.name}: there is no table. Expected a heading and rows of cells below.")
    return read


def _list_texts(document: Document, printed: Printed) -> tuple[Text, ...]:
    """Return the texts around a table, from the nearest to the farthest; the name of the file is the last."""
    texts = [Text(read_label(each.text), "text", each.place, each.farther) for each in printed.above]
    return (*texts, name_file(document.name))


def name_file(name: str) -> Text:
    """Return the name of a file as a text, the farthest of its numbers."""
    return Text(read_label(PurePath(name).stem.replace(".", " ")), "text", "the name of the file")


def _split_titles(block: list[Row]) -> tuple[list[str], list[Row]]:
    """Return what rows of a single cell say above a heading, the nearest first, and the rows from the heading on."""
    count = 0
    while count < min(len(block) - 2, DEEPEST) and sum(map(bool, block[count].plain)) == 1 and len(block) > 2:
        if len(block[count].plain) > 1 and any(sum(map(bool, row.plain)) > 1 for row in block[count + 1 : count + 2]):
            pass
        count += 1
    if any(read_label(cell).metric for row in block[:count] for cell in row.plain if cell):
        return [], block
    titles = [cell for row in block[:count][::-1] for cell in row.plain if cell]
    return titles, block[count:]


def _split_blocks(rows: list[Row], dialect: Dialect) -> Iterator[list[Row]]:
    """Split a table where a heading comes again, perhaps over other datasets."""
    if not dialect.groups or not rows:
        yield from [rows] * bool(rows)
        return
    starts = [0]
    heading = find_heading(rows[: DEEPEST + 1], dialect.parse)
    if heading is not None:
        depth = len(heading.levels)
        last = heading.levels[-1]
        for i in range(depth, len(rows)):
            same = [cell for cell, before in zip(rows[i].plain, last, strict=False) if cell and cell == before]
            measured = {last[j] for j in heading.measured if last[j]}
            if measured and measured <= set(same):
                first = max(i - depth + 1, starts[-1] + 1)
                while first < i and any(map(is_number, filter(None, rows[first].plain))):
                    first += 1
                if rows[first : i + 1] and tuple(row.plain for row in rows[first : i + 1]) != heading.levels:
                    starts.append(first)
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield rows[start:end]


_YES = {"yes", "true", "y", "✓", "✔", "x", "1", "on"}
_RAW_ROLES = ("dataset", "split", "side", "protocol", "aggregation", "tool", "rank_type", "num_tasks", "relations")
_REPEATED = {"dataset", "split", "side", "protocol", "relations"}
_MOST_ROWS = 5_000


class _TableReader:
    """Reads the rows of one table."""

    def __init__(
        self, document: Document, heading: Heading, dialect: Dialect, notes: Notes, *, texts: tuple[Text, ...]
    ) -> None:
        self._document, self._heading, self._dialect, self._notes = document, heading, dialect, notes
        self._texts = texts
        self._group: tuple[Text, ...] = ()
        self._numbers = Numbers(
            document, heading, notes, exact=dialect.exact, groups=dialect.groups and not dialect.even
        )
        self._contexts: dict[tuple[str, ...], list[Stated]] = {}
        self._last: dict[int, str] = {}
        self._columns = [self._name_column(j) for j in self._numbers.columns]
        self._roles: dict[str, int] = {}
        self._free: list[int] = []

    def _name_column(self, j: int) -> tuple[Text, ...]:
        """Return the labels of a column, from the metric's own up."""
        return tuple(Text(label, "column", "its heading") for label in self._heading.labels[j][::-1])

    def read(self, rows: list[Row], start: int) -> _Table:
        """Return the table with the numbers of its rows."""
        table = _Table(self._heading)
        width, kept = len(self._heading.keys), [row for row in rows if len(row.plain) == len(self._heading.keys)]
        self._roles = self._find_roles(kept)
        texts = set(range(width)) - set(self._numbers.columns) - set(self._roles.values())
        self._free = [j for j in sorted(texts) if self._is_text(j, kept)]
        if len(rows) * width > MOST_CELLS:
            _refuse_size(self._document.name)
        for row in rows:
            place = start + len(table.rows)
            if not self._fits(row):
                continue
            if self._dialect.groups and self._take_group(row):
                table.rows.append(row.cells + ("",) * (width - len(row.cells)))
                continue
            whole = self._fill(row)
            table.entries.extend(self._read_row(whole, place))
            table.rows.append(whole.cells)
            if (elsewhere := self._said_elsewhere(whole)) is not None:
                table.datasets[place - start] = elsewhere
        table.entries = self._numbers.add_counts(table.entries)
        if not self._dialect.exact:
            table.entries, table.percent = self._numbers.settle_units(table.entries)
        table.inferred |= self._describe_origin(table)
        return table

    def _describe_origin(self, table: _Table) -> dict[str, None]:
        if "dataset" in self._roles or not table.entries:
            return {}
        origin = gather((*self._columns[0], *self._group, *self._texts)).origin if self._columns else ""
        return {f"dataset from {origin}": None} if origin and origin != "its heading" else {}

    def _said_elsewhere(self, row: Row) -> str | None:
        """Return the dataset of a row, if neither row nor heading names one."""
        if "dataset" in self._roles or any(label.graphs for labels in self._heading.labels for label in labels):
            return None
        told = gather((*self._read_cells(row), *self._group, *self._texts))
        return told.said.get("dataset") if told.origin != "its row" else None

    def _find_roles(self, rows: Sequence[Row]) -> dict[str, int]:
        """Return the column of each role whose cells fit it."""
        roles: dict[str, int] = {}
        for j, label in enumerate(self._heading.roles):
            if not label or j in self._numbers.columns:
                continue
            named = squash(self._heading.keys[j]) == squash(label)
            cells = {row.plain[j] for row in rows if not is_missing(row.plain[j])}
            if named or label in OPEN_ROLES or all(fits_role(label, cell) for cell in cells):
                held = roles.get(label)
                if held is None or (named and squash(self._heading.keys[held]) != squash(label)):
                    roles[label] = j
        return roles

    def _is_text(self, j: int, rows: Sequence[Row]) -> bool:
        """Tell whether a column may say something of its rows: it is not of numbers alone."""
        return any(cell and not is_number(cell) for cell in (row.plain[j] for row in rows[:_MOST_ROWS])) or any(
            label.whole and (label.values or label.words) for label in self._heading.labels[j]
        )

    def _fits(self, row: Row) -> bool:
        """Tell whether a row goes with the heading; one that does not is noted, or refused in a delimited file."""
        width, found = len(self._heading.keys), len(row.cells)
        even = self._dialect.even or not self._dialect.groups
        if found != width and (even or found != 1):
            reason = f"expected {width} cells, as in the heading, got {found}"
            if even:
                raise DataError(
                    f"{self._document.at(row.line)}: {reason}. Fix the row, or quote cells that contain the delimiter."
                )
            self._notes.add(row.line, " | ".join(filter(None, row.plain)), reason)
            return False
        if row.plain in self._heading.levels:
            self._notes.add(row.line, " ".join(filter(None, row.plain)), "the heading is repeated")
            return False
        return True

    def _take_group(self, row: Row) -> bool:
        """Take a row of a single cell, which says something of the rows below."""
        filled = [cell for cell in row.plain if not is_blank(cell)]
        distinct = set(filled)
        numbers = any(
            is_number(row.plain[j]) for j in self._numbers.columns if j < len(row.plain) and not is_blank(row.plain[j])
        )
        if numbers or not filled or (len(distinct) > 1):
            return False
        if len(filled) == 1 and row.plain[0] != filled[0] and len(row.plain) > 1 and row.spans is None:
            first = next((j for j, cell in enumerate(row.plain) if not is_blank(cell)), 0)
            if first not in self._numbers.columns and first > min(self._numbers.columns, default=0):
                return False
        label = read_label(filled[0])
        # What the rows before said may or may not hold on: its words are asked about.
        before = tuple(text._replace(label=replace(text.label, whole=False)) for text in self._group)
        kept = before if label.values or label.words or not label.graphs else ()
        self._group = (Text(label, "row", "a row above"), *kept)[:3]
        self._contexts.clear()
        return True

    def _fill(self, row: Row) -> Row:
        """Repeat what the row above says of the ranking tasks where its cell is empty."""
        if self._dialect.even and not self._dialect.groups:
            return row
        first = min(self._numbers.columns, default=0)
        places = {j for role, j in self._roles.items() if role in _REPEATED}
        places |= {j for j in self._free if j < first - 1}
        named = any(row.plain[j] for j in range(len(row.plain)) if j not in places and j not in self._numbers.columns)
        empty = [j for j in places if j < len(row.plain) and not row.plain[j] and j in self._last and named]
        self._last |= {j: row.plain[j] for j in places if j < len(row.plain) and row.plain[j]}
        if not empty or self._dialect.even:
            return row
        plain, cells = list(row.plain), list(row.cells)
        for j in empty:
            plain[j], cells[j] = self._last[j], cells[j] or self._last[j]
        return row._replace(plain=tuple(plain), cells=tuple(cells))

    def _read_row(self, row: Row, place: int) -> list[Entry]:
        """Return the numbers of a row."""
        exact, value = self._dialect.exact, self._roles.get("value") if self._heading.long else None
        entries = []
        if self._numbers.columns:
            contexts = self._find_contexts(row)
            for (j, text), context in zip(self._numbers.read_row(row), contexts, strict=True):
                if text is not None:
                    label = self._heading.measures[j]
                    key = self._heading.keys[j]
                    entries.append(Entry(label.metric, text, place, key, row.line, context, label.adjustment, exact))
        if value is not None and (found := self._read_long(row, value)) is not None:
            label, text, context = found
            key = self._heading.keys[value]
            entries.append(Entry(label.metric, text, place, key, row.line, context, label.adjustment, exact))
        return entries

    def _read_long(self, row: Row, value: int) -> tuple[Label, str, Stated] | None:
        """Return the metric, the number and the context of a row of a long table."""
        name = row.plain[self._roles["metric"]]
        if is_missing(name):
            return None
        k = read_count(row.plain[self._roles["k"]]) if "k" in self._roles else None
        label = self._dialect.parse(name, k)
        context = self._form_context(row, (Text(label, "row", "its row"),))
        if label.role == "num_tasks":
            self._numbers.count(context, row, value)
            return None
        if label.metric is None or label.reason:
            self._notes.add(row.line, name, label.reason or "an unknown metric")
            return None
        text = self._numbers.read(row, value, percent=label.percent)
        return None if text is None else (label, text, context)

    def _find_contexts(self, row: Row) -> list[Stated]:
        """Return the contexts of the measured columns in a row."""
        told = tuple([row.plain[j] for j in (*self._roles.values(), *self._free)])
        found = self._contexts.get(told)
        if found is None:
            cells = self._read_cells(row)
            found = [self._form_context(row, labels, cells) for labels in self._columns]
            if len(self._contexts) < _MOST_ROWS:
                self._contexts[told] = found
        return found

    def _read_cells(self, row: Row) -> tuple[Text, ...]:
        """Return the labels of the cells of a row that are not numbers."""
        if self._dialect.exact:
            return ()
        texts = []
        for role, j in self._roles.items():
            if role in {"dataset", "split", "side", "protocol", "aggregation"} and not is_missing(row.plain[j]):
                texts.append(Text(declare(role, row.plain[j]), "row", "its row"))
        for role, j in self._roles.items():
            if role in {"model", "tool", "metric"} and row.plain[j]:
                texts.append(Text(read_label(row.plain[j]), "row", "its row"))
        for j in self._free:
            cell, over = row.plain[j], self._heading.labels[j]
            telling = next((label for label in over if label.whole and (label.values or label.words)), None)
            if telling is not None and not is_blank(cell):
                yes = cell.lower() in _YES
                texts.append(Text(telling if yes else deny(telling), "row", "its row"))
            if cell and not is_number(cell):
                texts.append(Text(read_label(cell), "row", "its row"))
        return tuple(texts)

    def _form_context(self, row: Row, labels: tuple[Text, ...], cells: tuple[Text, ...] | None = None) -> Stated:
        """Return what is said of the numbers of a column in a row."""
        cells = self._read_cells(row) if cells is None else cells
        told = gather((*cells, *labels, *self._group, *self._texts))
        fields: dict[str, object] = {"rank_type": None, **told.said}
        for role in _RAW_ROLES:
            j = self._roles.get(role)
            if j is None or is_missing(row.plain[j]):
                continue
            cell = row.plain[j]
            if role == "num_tasks":
                fields[role] = self._numbers.read_count(row, j)
            elif role == "relations":
                fields[role] = (cell,)
            elif role == "rank_type":
                fields[role] = read_label(cell).values.get("rank_type", (cell.lower(),))[0]
            else:
                fields.setdefault(role, cell)
        if "model" in self._roles and row.plain[self._roles["model"]]:
            fields["model"] = row.plain[self._roles["model"]]
        elif "model" not in self._roles and self._free and row.plain[self._free[0]]:
            fields["model"] = row.plain[self._free[0]]
        return Stated(**fields, asks=told.asks)  # type: ignore[arg-type]


OPEN_ROLES = {"dataset", "model", "metric", "value", "k", "num_tasks", "relations"}


def fits_role(role: str, cell: str) -> bool:
    """Tell whether a cell is a value of a role."""
    if role == "tool":
        from rankconst.catalogue.tools import is_tool

        return is_tool(cell)
    return role in read_label(cell).values or read_label(f"{cell}").said.get(role) is not None


def declare(role: str, cell: str) -> Label:
    """Return what a cell in the column of a role declares."""
    label = read_label(cell)
    if role == "dataset":
        if label.graphs and not label.whole and squash(label.graphs[0]) == squash(cell):
            return replace(label, whole=True)
        return label if label.graphs else replace(label, text=cell, graphs=(cell,), whole=True)
    if role in label.said:
        return label
    return Label(cell, values={role: (cell,)}, whole=True)


def _merge(document: Document, form: str, read: list[_Table], notes: Notes, tool: str | None) -> Reading:
    columns = tuple(dict.fromkeys(key for table in read for key in table.heading.keys))
    added = "dataset" if any(table.datasets for table in read) else ""
    while added in columns and added:
        added += "_read"
    columns = (added, *columns) if added else columns
    if sum(len(table.rows) for table in read) * len(columns) > MOST_CELLS:
        _refuse_size(document.name)
    views: list[Mapping[str, str]] = []
    for table in filter(lambda table: table.rows, read):
        own = {key: j for j, key in enumerate((added, *table.heading.keys) if added else table.heading.keys)}
        positions = {key: own.get(key, -1) for key in columns}
        rows: Iterable[tuple[str, ...]] = table.rows
        if added:
            rows = ((table.datasets.get(place, ""), *cells) for place, cells in enumerate(table.rows))
        views.extend(_Cells(positions, cells) for cells in rows)
    return Reading(
        name=document.name,
        form=form,
        layout="wide" if any(table.heading.measured for table in read) else "long",
        columns=columns,
        rows=tuple(views),
        entries=read[0].entries if len(read) == 1 else Entries(chain.from_iterable(table.entries for table in read)),
        skipped=notes.skipped(),
        tool=tool,
        understood=_describe(read),
        gated=True,
    )


def _describe(read: list[_Table]) -> str:
    """Say in one line how tables were understood; nothing if their headings say it all."""
    inferred = dict.fromkeys(how for table in read for how in table.inferred)
    if not inferred and not any(table.percent for table in read):
        return ""
    units: dict[str, set[bool]] = {}
    for table in read:
        for head in table.entries.heads:
            units.setdefault(head.metric.label, set()).add(head.column in table.percent)
    metrics = [f"{label}{_UNITS[frozenset(found)]}" for label, found in units.items()]
    return "; ".join((f"{len(read)} table{'s' * (len(read) > 1)}", *inferred, ", ".join(metrics)))


_UNITS = {
    frozenset({True}): " (percent)",
    frozenset({False}): "",
    frozenset({True, False}): " (percent in some columns)",
}


def _refuse_size(place: str) -> NoReturn:
    raise DataError(
        f"{place}: more than {MOST_CELLS:,} cells are more than results need. Split the file, or remove columns "
        "that you do not need."
    )
