"""From a grid of cells to the numbers in it: headings on one level or several, wide tables and long ones.

Every format of tables hands over rows of cells as written and with their markup removed; what they mean is found out
here. A wide table has a column for each metric. A long one names the metric in one column and holds its value in
another. Headings may stand in several rows, the upper ones spanning columns: datasets over metrics, ``Hits@`` over
1, 3 and 10, metrics over datasets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from rankconst.errors import DataError, squash
from rankconst.results.columns import RANK_TYPES, ROLES, Meaning, add_part, parse_column
from rankconst.results.reading import Entry, Reading, Skipped
from rankconst.settling import Context
from rankconst.values import parse_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankconst.results.document import Document

__all__ = ["MOST_CELLS", "Dialect", "Row", "read_tables"]

MOST_CELLS = 5_000_000
"""How many cells a file may have; each takes some hundred bytes once it is read."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes
    ----------
    line
        The line that it starts in, counted from 1.
    cells
        As written; of a cell that spans several columns the others are empty.
    plain
        The same without markup and surrounding blanks.
    spans
        First column to number of columns, of cells that span several; None if the format cannot say, and a heading
        goes on over the empty cells behind it.
    """

    line: int
    cells: tuple[str, ...]
    plain: tuple[str, ...]
    spans: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """How tables of a format speak.

    Attributes
    ----------
    parse
        Reads a heading, or the name of a metric in a long table, where k may stand in a column of its own.
    exact
        True if a program wrote every digit.
    groups
        True if a row of a single cell is the name of the rows below.
    """

    parse: Callable[[str, int | None], Meaning | None] = parse_column
    exact: bool = False
    groups: bool = False


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


class _NoMetricError(DataError):
    """A table that holds something else."""

    def __init__(self, message: str, row: Row) -> None:
        super().__init__(message)
        self.row = row


class _Notes:
    """What was left out, the first few times each."""

    _EACH = 10

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._kept: list[Skipped] = []

    def add(self, line: int | None, what: str, why: str) -> None:
        self._counts[what, why] += 1
        if self._counts[what, why] <= self._EACH:
            self._kept.append(Skipped(line, what[:80], why))

    def skipped(self) -> tuple[Skipped, ...]:
        more = [
            Skipped(None, what[:80], f"{why}, in {count - self._EACH:,} more places")
            for (what, why), count in self._counts.items()
            if count > self._EACH
        ]
        return (*self._kept, *more)


@dataclass(frozen=True, slots=True)
class _Heading:
    """The heading of a table: for each column its key and what it means."""

    keys: tuple[str, ...]
    meanings: tuple[Meaning | None, ...]
    datasets: tuple[str | None, ...]  # named by what spans a metric's column
    levels: tuple[tuple[str, ...], ...]  # the rows that it is made of

    @property
    def measured(self) -> list[int]:
        return [j for j, meaning in enumerate(self.meanings) if meaning is not None and meaning.role == "measured"]

    @property
    def long(self) -> bool:
        roles = {meaning.role for meaning in self.meanings if meaning is not None}
        return {"metric", "value"} <= roles


@dataclass(slots=True)
class _Table:
    """What was read of one table."""

    heading: _Heading
    rows: list[tuple[str, ...]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)


def read_tables(
    document: Document, form: str, tables: Iterable[Iterable[Row]], dialect: Dialect, source: str | None = None
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
    notes = _Notes()
    read: list[_Table] = []
    without: _NoMetricError | None = None
    start = 0
    for rows in tables:
        for block in _split_blocks(document, rows, dialect):
            try:
                table = _read_table(document, block, dialect, notes, start)
            except _NoMetricError as error:
                without = without or error
                what = " | ".join(filter(None, error.row.plain))
                notes.add(error.row.line, what, "the heading of a table without a metric")
            else:
                read.append(table)
                start += len(table.rows)
    if not read:
        raise without or DataError(f"{document.name}: there is no table. Expected a heading and rows of cells below.")
    columns = tuple(dict.fromkeys(key for table in read for key in table.heading.keys))
    _check_size(document.name, start, len(columns))
    views: list[Mapping[str, str]] = []
    for table in read:
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
        source=source,
    )


# Headings.

_DEEPEST = 4
_COUNT = re.compile(r"@?\s*(\d{1,9})")
_FAMILY = re.compile(r"(.*?)\s*@?\s*(?:(?<=[@\s])[kKnN])?\s*(\(%\)|%)?", re.DOTALL)


def _find_heading(document: Document, rows: Sequence[Row], dialect: Dialect) -> _Heading:
    """Return the heading that the first rows make up."""
    if max(len(row.cells) for row in rows) == 1:
        raise _NoMetricError(
            f"{document.at(rows[0].line)}: one column, {rows[0].plain[0][:40]!r}; expected at least two, such as model "
            "and MRR. Is the delimiter right? Commas, tabs and semicolons are known.",
            rows[0],
        )
    for depth in range(1, min(_DEEPEST, len(rows)) + 1):
        heading = _compose(rows[:depth], dialect)
        if not (heading.measured or heading.long):
            continue
        if depth < len(rows):
            longer = _compose(rows[: depth + 1], dialect)
            if _goes_on(heading, longer, rows[depth], dialect):
                return longer
        return heading
    raise _refuse_heading(document, rows[0])


def _refuse_heading(document: Document, row: Row) -> _NoMetricError:
    import difflib  # only needed here, where speed no longer matters

    from rankconst.metrics import TABULATED

    known = {squash(name): metric.label for metric in TABULATED for name in (metric.label, *metric.spellings)}
    headings = [label for label in row.plain if label][:12]
    near = []
    for label in headings:
        found = difflib.get_close_matches(squash(label[:40]), known, n=2, cutoff=0.6)
        if found:
            near.append(f"{' or '.join(dict.fromkeys(known[name] for name in found))} for {label[:40]}")
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    listed = ", ".join(label[:40] for label in headings)
    return _NoMetricError(
        f"{document.at(row.line)}: no column is a metric among {listed or 'empty headings'}.{hint} "
        "Expected columns such as MRR, MR or Hits@10, or the two columns metric and value.",
        row,
    )


def _compose(rows: Sequence[Row], dialect: Dialect) -> _Heading:
    width = max(len(row.plain) for row in rows)
    levels = tuple(row.plain + ("",) * (width - len(row.plain)) for row in rows)
    labels = [[label] if label else [] for label in levels[-1]]
    for row, level in zip(rows[-2::-1], levels[-2::-1], strict=True):
        _put_above(labels, _spread(row, level, labels, dialect))
    found = [_find_meaning(each, dialect) for each in labels]
    return _Heading(
        keys=_number_repeated(" / ".join(each) for each in labels),
        meanings=tuple(meaning for meaning, _ in found),
        datasets=tuple(dataset for _, dataset in found),
        levels=levels,
    )


def _put_above(labels: list[list[str]], level: Sequence[str]) -> None:
    for below, label in zip(labels, level, strict=True):
        if label and below[:1] != [label]:
            below.insert(0, label)


def _spread(row: Row, level: Sequence[str], labels: Sequence[Sequence[str]], dialect: Dialect) -> list[str]:
    """Return the labels of an upper level for every column."""
    spread, label, left = [], "", 0
    for j, own in enumerate(level):
        if own:
            label = own
            if row.spans is not None:
                left = row.spans.get(j, 1)
            else:  # what stands over names of models goes no further
                meaning, _ = _find_meaning([own, *labels[j]], dialect)
                left = len(level) if meaning is not None and meaning.role == "measured" else 1
        spread.append(label if left > 0 else "")
        left -= 1
    return spread


def _find_meaning(labels: Sequence[str], dialect: Dialect) -> tuple[Meaning | None, str | None]:
    """Return what a column means, and the dataset that the labels around its metric name."""
    read = [dialect.parse(label, None) for label in labels]
    for meaning in reversed(read):
        if meaning is not None and meaning.role != "measured":
            return meaning, None
    for i in reversed(range(len(labels))):
        found, used = read[i], {i}
        if found is None and i > 0 and (number := _COUNT.fullmatch(labels[i])) is not None:
            family = _FAMILY.fullmatch(labels[i - 1])
            found = dialect.parse(f"{family[1]}@{number[1]}{family[2] or ''}", None) if family is not None else None
            used = {i - 1, i}
        if found is not None:
            whole: Meaning | None = found
            for j in reversed(range(len(labels))):
                if j not in used and whole is not None:
                    whole = add_part(whole, labels[j])
            if whole is None:
                return None, None
            return replace(whole, dataset=found.dataset), None if found.dataset else whole.dataset
    return None, None


def _goes_on(heading: _Heading, longer: _Heading, row: Row, dialect: Dialect) -> bool:
    """Tell whether a row below the metrics belongs to the heading: the k of Hits@, or datasets."""
    before, after = set(heading.measured), set(longer.measured)
    if len(after) <= len(before):
        return False
    for j, label in enumerate(row.plain):
        if not label or any(level[j : j + 1] == (label,) for level in heading.levels):
            continue
        if _is_missing(label) or (j not in after and dialect.parse(label, None) is None):
            return False
        # A number is a k only where it makes a metric of what stands above.
        if _is_number(label) and (j in before or longer.datasets[j] == label):
            return False
    return True


def _is_number(text: str) -> bool:
    try:
        parse_value(_strip_marks(text))
    except DataError:
        return False
    return True


def _number_repeated(keys: Iterable[str]) -> tuple[str, ...]:
    unique: dict[str, None] = {}
    counts: Counter[str] = Counter()
    listed = list(keys)
    taken = set(listed)
    for key in listed:
        counts[key] += 1
        name = key
        while name in unique or (name in taken and name != key):
            counts[key] += name != key
            name = f"{key} ({max(counts[key], 2)})".strip()
        unique[name] = None
    return tuple(unique)


# Rows.


def _split_blocks(document: Document, rows: Iterable[Row], dialect: Dialect) -> Iterator[Iterable[Row]]:
    """Split a table where a heading of several levels stands again, over other datasets perhaps."""
    if not dialect.groups:
        yield rows
        return
    rows = [row for row in rows if any(row.plain)]
    if not rows:
        return
    try:
        heading = _find_heading(document, rows[: _DEEPEST + 1], dialect)
    except _NoMetricError:
        yield rows
        return
    depth, last, start = len(heading.levels), rows[len(heading.levels) - 1].plain, 0
    for i in range(2 * depth - 1, len(rows)):
        above = rows[i - depth + 1 : i]
        if rows[i].plain != last or not above or i - depth + 1 < start + depth:
            continue
        if not any(_is_number(row.plain[j]) for row in above for j in heading.measured if j < len(row.plain)):
            yield rows[start : i - depth + 1]
            start = i - depth + 1
    yield rows[start:]


def _read_table(document: Document, rows: Iterable[Row], dialect: Dialect, notes: _Notes, start: int) -> _Table:
    rows = iter(rows)
    first = list(islice(rows, _DEEPEST + 1))
    while len(first) > 1 and len(first[0].cells) == 1 < max(len(row.cells) for row in first):
        notes.add(first[0].line, first[0].plain[0], "a line before the table")
        first = [*first[1:], *islice(rows, 1)]
    if not first:
        raise DataError(f"{document.name}: there is no table. Expected a heading and rows of cells below.")
    heading = _find_heading(document, first, dialect)
    table = _Table(heading)
    width = len(heading.keys)
    reader = _RowReader(document, heading, dialect, notes)
    for row in chain(first[len(heading.levels) :], rows):
        if not any(row.plain):
            continue
        alone = dialect.groups and _is_alone(row, heading)
        if alone and len(row.cells) == 1:
            row = replace(row, cells=row.cells + ("",) * (width - 1))  # noqa: PLW2901
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
    if reader.counts:
        table.entries = [
            replace(entry, context=replace(entry.context, num_tasks=reader.counts[entry.context]))
            if entry.context in reader.counts
            else entry
            for entry in table.entries
        ]
    return table


def _check_size(place: str, rows: int, width: int) -> None:
    if rows * width > MOST_CELLS:
        raise DataError(
            f"{place}: more than {MOST_CELLS:,} cells are more than results need. Split the file, or leave out columns "
            "that are not needed."
        )


def _is_alone(row: Row, heading: _Heading) -> bool:
    """Tell whether a row names the rows below."""
    filled = [j for j, text in enumerate(row.plain) if text]
    if len(row.cells) == 1 or (row.spans is not None and any(width > 1 for width in row.spans.values())):
        return len(filled) == 1
    return len(filled) == 1 and filled[0] not in heading.measured


class _RowReader:
    """Reads the rows of one table."""

    def __init__(self, document: Document, heading: _Heading, dialect: Dialect, notes: _Notes) -> None:
        self._document = document
        self._keys = heading.keys
        self._dialect = dialect
        self._notes = notes
        self._roles = _find_roles(heading)
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
        self.counts: dict[Context, int | None] = {}  # of a long table, in rows of their own
        meaning = None if value is None else heading.meanings[value]
        self._percent = meaning is not None and meaning.percent

    def read(self, row: Row, index: int) -> Iterator[Entry]:
        """Return the numbers of a row."""
        said, exact = self._read_roles(row), self._dialect.exact
        contexts: dict[object, Context] = {}
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
                    self.counts[_form_context(said, named, None)] = self._read_count(row, "value")
                return
            text = self._read_number(row, self._value, self._percent or named.percent)
            if text is not None:
                context = _form_context(said, named, None)
                yield Entry(
                    named.metric, text, index, self._keys[self._value], row.line, context, named.adjustment, exact
                )

    def _read_roles(self, row: Row) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for role, j in self._roles.items():
            text = row.plain[j]
            if role in _CONTEXT and text and not _is_missing(text):
                said[role] = text
        if "rank_type" in said:
            said["rank_type"] = RANK_TYPES.get(said["rank_type"].lower())
        if "num_tasks" in said:
            said["num_tasks"] = self._read_count(row, "num_tasks")
        return said

    def _read_count(self, row: Row, role: str) -> int | None:
        text = row.plain[self._roles[role]]
        whole = re.fullmatch(r"(\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.0*)?", text, re.ASCII)
        if whole is None:
            self._notes.add(row.line, text, f"no whole number, in column {self._keys[self._roles[role]]}")
            return None
        return int(whole[1].replace(",", ""))

    def _read_name(self, row: Row) -> Meaning | None:
        """Return what a row of a long table names: a metric, or the number of tasks."""
        name = row.plain[self._roles["metric"]]
        if _is_missing(name):
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
        if _SIMPLE.fullmatch(text) is None:
            if text in _BLANKS:
                return None
            if text.lower() in _MISSING:
                self._notes.add(row.line, text, "no number")
                return None
            text = _strip_marks(text)
            try:
                parse_value(text, exact=self._dialect.exact, place=self._document.at(row.line, self._keys[j]))
            except DataError as error:
                raise DataError(f"{error} Expected a number; leave a cell empty where there is none.") from None
        return f"{text}%" if percent and "%" not in text else text


_CONTEXT = {"dataset", "model", "split", "side", "protocol", "aggregation", "source", "rank_type", "num_tasks"}


def _find_roles(heading: _Heading) -> dict[str, int]:
    """Return the column of each role: the one that is called so, or else the first."""
    roles: dict[str, int] = {}
    for j, meaning in enumerate(heading.meanings):
        if meaning is not None and meaning.role in ROLES:
            held = roles.setdefault(meaning.role, j)
            if squash(heading.keys[held]) != squash(meaning.role) == squash(heading.keys[j]):
                roles[meaning.role] = j
    return roles


def _form_context(said: Mapping[str, Any], meaning: Meaning, upper: str | None) -> Context:
    fields = dict(said)
    for name in ("dataset", "split", "side", "rank_type", "protocol"):
        own = getattr(meaning, name)
        if own is not None:
            fields[name] = own
    if upper is not None:
        fields.setdefault("dataset", upper)
    return Context(**fields)


# Cells.

_LONGEST = 400
_SIMPLE = re.compile(r"\d{1,15}(?:\.\d{0,20})?(?:[eE][+-]?\d\d?)?", re.ASCII)
_BLANKS = {"", "-", "--", "---", "–", "—", "−", "‐", "?", "×", "✗", "/", "."}
_MISSING = {"n/a", "na", "n.a.", "oom", "oot", "o.o.m.", "out of memory", "timeout", "none", "null", "tbd", "tba"}
# Marks behind a number: of footnotes, of a rank in parentheses, of a reference in brackets.
_MARK = re.compile(
    r"\s*(?:[*†‡§¶#⋆∗★☆]|\^(?:\{[0-9a-zA-Z*†‡§¶,\s]{1,8}\}|[0-9a-zA-Z*†‡§¶])|[ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹]|\(\d{1,2}\)"
    r"|\[\d{1,3}(?:,\s*\d{1,3}){0,5}\])$"
)


def _is_missing(text: str) -> bool:
    return text in _BLANKS or text.lower() in _MISSING


def _strip_marks(text: str) -> str:
    """Remove marks around a number, nothing that could be part of it: 10^{3} stays."""
    if len(text) > _LONGEST:
        return text
    bare = text.lstrip("*†‡§¶ ")
    while (mark := _MARK.search(bare)) is not None:
        if bare[: mark.start()] == "10" and mark[0][0] in "^¹²³⁴⁵⁶⁷⁸⁹":
            break
        bare = bare[: mark.start()]
    return bare or text
