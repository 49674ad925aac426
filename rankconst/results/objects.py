"""JSON, JSON Lines and YAML: objects whose keys name metrics, flattened to a table.

Each object with numbers is a row. The keys of its path are labels, and so is what it holds next to
the numbers, or what holds a level of its path. Records that differ in nothing but numbers and
names of models say the same of them: of these, one is walked.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.arrow import join_texts, view_numbers
from rankconst.errors import DataError
from rankconst.evaluation import NAMES
from rankconst.results.columns import Cells, Rows
from rankconst.results.labels import read_label
from rankconst.results.paths import (
    ADDRESS,
    SETTINGS,
    Found,
    Place,
    find_role,
    is_list,
    is_path,
    keep,
    walk,
)
from rankconst.results.reading import NO_LINE, Notes, Reader, Reading
from rankconst.results.structured import Number, read_records
from rankconst.results.tables.contexts import (
    CellTexts,
    RowTexts,
    form_address,
    screen,
    screen_measures,
)
from rankconst.results.tables.grid import MOST_CELLS, name_file, refuse_size
from rankconst.results.tables.headings import Heading
from rankconst.results.tables.layout import COUNTS, FEW
from rankconst.results.tables.sheet import Sheet, SheetReader
from rankconst.results.tables.units import name_percentages

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from rankconst.results.document import Document
    from rankconst.results.gate import Text
    from rankconst.results.structured import Record, Value

_INHERITED = "inherited"
_OBJECT, _LIST, _END, _OBJECTS, _NUMBER, _TEXT, _PATH = range(7)
_OPEN = {"", "model", "step", "value", "hyperparameter"}  # roles of texts that say nothing by it


class _Naming(NamedTuple):
    """Where the model of a row is named, and the steps of a training."""

    model: int | str | None  # the leaf, or a key; None if it is that of the object around
    steps: tuple[tuple[str, int], ...]  # key and leaf; empty if they are those around

    def find(self, leaves: Sequence[Value], around: _Named) -> _Named:
        """Return the names in a record."""
        model = around.model if self.model is None else self.model
        if isinstance(model, int):
            model = str(leaves[model]).strip()
        if not self.steps:
            return _Named(model, around.steps)
        return _Named(model, tuple([(key, str(leaves[leaf])) for key, leaf in self.steps]))


class _Named(NamedTuple):
    """The model of a row, and the steps of a training."""

    model: str = ""
    steps: tuple[tuple[str, str], ...] = ()


_UNNAMED = _Named()


class _RowShape(NamedTuple):
    """A row of each record of a shape."""

    about: int  # what is said of it
    evaluation: int
    naming: _Naming
    key: str  # the names on the way to it but that of its model


class _NumberShape(NamedTuple):
    """A number of each record of a shape."""

    row: int
    column: str
    leaf: int
    deviation: int | None


class _Weight(NamedTuple):
    """What values below a key may say by it."""

    numbers: bool
    texts: bool


class _Level:
    """A list of objects, with what is around them and the shapes that they have."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.shapes: dict[Hashable, _Shape] = {}


@dataclass
class _Shape:
    """What records that differ in nothing but numbers and names of models have in common."""

    rows: list[_RowShape] = field(default_factory=list)
    numbers: list[_NumberShape] = field(default_factory=list)
    lists: list[tuple[int, _Level, _Naming]] = field(default_factory=list)  # leaves with objects
    skipped: list[tuple[str, str]] = field(default_factory=list)  # what, and why


def _outline(
    key: str,
    value: Value,
    leaves: list[Value],
    outline: list[Hashable],
    silent: frozenset[str],
) -> None:
    """List the leaves of a value, and all of it that may say something of its numbers.

    Keys are there as they are, and texts and numbers that may say something in tuples. Signs are
    numbers, which are neither. Silent texts say nothing.
    """
    if isinstance(value, dict):
        outline.append(_OBJECT)
        if find_role(key) in ADDRESS:  # any text may be the name of a dataset
            texts = [each for each in value.values() if isinstance(each, str)]
            outline.append(tuple(str(text) for text in texts if not isinstance(text, Number)))
        for name, each in value.items() if key.lower() not in SETTINGS else ():
            outline.append(name)
            if type(each) is Number and not _weigh(name).numbers:  # as most are
                leaves.append(each)
                outline.append(_NUMBER)
            else:
                _outline(name, each, leaves, outline, silent)
        outline.append(_END)
    elif isinstance(value, list) and not is_list(value):
        outline.append(_LIST)
        for each in value:
            _outline(key, each, leaves, outline, silent)
        outline.append(_END)
    else:
        leaves.append(value)
        outline.append(_outline_leaf(key, value, silent))


def _outline_leaf(key: str, value: Value, silent: frozenset[str]) -> Hashable:
    """Return what a leaf may say, or what it is."""
    if isinstance(value, list):
        return _OBJECTS
    if not isinstance(value, str):
        return (value,)
    weight = _weigh(key)
    if isinstance(value, Number):
        return (str(value),) if weight.numbers else _NUMBER
    if weight.texts or (value not in silent and _tells(value)):
        return (str(value),)
    return _PATH if is_path(value.strip()) else _TEXT


@lru_cache(maxsize=8192)
def _weigh(key: str) -> _Weight:
    """Tell what a value may say by its key."""
    label, role = read_label(key), find_role(key)
    numbers = label.metric is None and (label.tells or role in {*COUNTS, "k"})
    texts = label.metric is None and role not in _OPEN
    return _Weight(numbers, numbers or texts)


@lru_cache(maxsize=65_536)
def _tells(text: str) -> bool:
    """Tell whether a text may say something of numbers, or names a metric."""
    label = read_label(text.strip())
    return label.tells or label.metric is not None


def _list_silent(records: Sequence[Record]) -> frozenset[str]:
    """Return texts of a file that say nothing, if it has many: most are names of models."""
    texts = list(dict.fromkeys(_list_texts([record.value for record in records])))
    if len(texts) <= FEW:
        return frozenset()
    cells = join_texts(texts)
    told = view_numbers(screen(cells)) | view_numbers(screen_measures(cells))
    return frozenset(text for text, tells in zip(texts, told.tolist(), strict=True) if not tells)


def _list_texts(value: dict[str, Value] | list[Value]) -> Iterator[str]:
    """Yield every text in a value."""
    for each in value.values() if isinstance(value, dict) else value:
        if type(each) is str:
            yield each
        elif isinstance(each, (dict, list)):
            yield from _list_texts(each)


class _Written(str):
    """A text of a file."""

    __slots__ = ()


def _copy(key: str, value: Value, leaves: list[Value]) -> Value:
    """Return a copy of a value whose leaves are all different objects, and list the leaves."""
    if isinstance(value, dict):
        inner = {} if key.lower() in SETTINGS else value
        return {name: _copy(name, each, leaves) for name, each in inner.items()}
    if isinstance(value, list) and not is_list(value):
        return [_copy(key, each, leaves) for each in value]
    # Numbers and lists are objects of their own already.
    leaf = _Written(value) if type(value) is str else value
    leaves.append(leaf)
    return leaf


class _Rows:
    """The rows that records are flattened to."""

    def __init__(self, notes: Notes, silent: frozenset[str]) -> None:
        self._notes = notes
        self._silent = silent
        self._evaluations = 0
        self.abouts: dict[tuple[CellTexts, tuple[Text, ...]], int] = {}
        self.lines: list[int | None] = []
        self.evaluations: list[int] = []
        self.about_of: list[int] = []
        self.models: list[str] = []
        self.steps: dict[str, dict[int, str]] = {}  # the steps of rows
        self.keys: list[str] = []
        self.columns: dict[str, dict[int, str]] = {}  # the cells of rows
        self.headings: dict[str, str] = {}  # what the columns are called in the file
        self.lines_of: dict[tuple[str, int], int] = {}  # of numbers, where they are known

    def add(
        self,
        value: Value,
        level: _Level,
        line: int | None,
        path: tuple[str, ...] = (),
        around: _Named = _UNNAMED,
    ) -> None:
        """Add the rows of an object, or of the objects of a list."""
        if isinstance(value, list):
            for i, each in enumerate(value, start=1):
                self.add(each, level, line, (*path, str(i)), around)
            return
        leaves: list[Value] = []
        listed: list[Hashable] = []
        _outline("", value, leaves, listed, self._silent)
        outline = tuple(listed)
        if outline not in level.shapes:
            level.shapes[outline] = _ShapeFinder(self).find(value, level.place)
        shape, first = level.shapes[outline], len(self.lines)
        for row in shape.rows:
            self._add_row(row, line, row.naming.find(leaves, around))
        self._evaluations += len(shape.rows)
        for row_of_shape, column, leaf, deviation in shape.numbers:
            cell, place = str(leaves[leaf]).strip(), first + row_of_shape
            if deviation is not None:
                cell = f"{cell} ± {str(leaves[deviation]).strip()}"
            self.columns[column][place] = cell
            self._note_line(leaves[leaf], column, place)
        for what, why in shape.skipped:
            self._notes.add(line, ".".join((*path, what)), why)
        for leaf, inner, naming in shape.lists:
            own = (*path, *inner.place.path)
            self.add(leaves[leaf], inner, line, own, naming.find(leaves, around))

    def _add_row(self, row: _RowShape, line: int | None, named: _Named) -> None:
        """Add a row without its numbers."""
        for key, step in named.steps:
            self.steps.setdefault(key, {})[len(self.lines)] = step
        self.lines.append(line)
        self.evaluations.append(self._evaluations + row.evaluation)
        self.about_of.append(row.about)
        self.models.append(named.model)
        self.keys.append(row.key)

    def _note_line(self, leaf: Value, column: str, row: int) -> None:
        """Note the line of a number, which YAML tells."""
        if type(leaf) is Number and leaf.line is not None:
            self.lines_of[column, row] = leaf.line
            if self.lines[row] is None:
                self.lines[row] = leaf.line

    def name_column(self, key: str, taken: set[str]) -> str:
        """Return the column of a key; one of two that are alike gets a number."""
        name, number = key, 1
        while name in taken or self.headings.setdefault(name, key) != key:
            number += 1
            name = f"{key} ({number})"
        self.columns.setdefault(name, {})
        return name


class _ShapeFinder:
    """Walks a record, for all of its shape."""

    def __init__(self, flat: _Rows) -> None:
        self._flat = flat
        self._shape = _Shape()
        self._place_of: dict[int, int] = {}  # of each leaf, by its identity
        self._row_of: dict[tuple[tuple[str, ...], _RowShape], int] = {}
        self._columns: list[set[str]] = []  # of each row
        self._evaluations: dict[tuple[str, ...], int] = {}

    def find(self, value: Value, place: Place) -> _Shape:
        """Return the shape of a record."""
        leaves: list[Value] = []
        copied = _copy("", value, leaves)
        self._place_of = {id(leaf): i for i, leaf in enumerate(leaves)}
        for found in walk(copied, place._replace(path=())):
            if not found.key:
                self._add_list(found)
            elif found.why:
                self._shape.skipped.append((".".join((*found.place.path, found.key)), found.why))
            else:
                self._add_number(found)
        return self._shape

    def _add_list(self, found: Found) -> None:
        """Add a list of objects, whose rows have the model of the object around them."""
        own, leaf = found.place, self._place_of[id(found.value)]
        inner = own._replace(model=own.model and _INHERITED, steps=(), is_row=True)
        self._shape.lists.append((leaf, _Level(inner), self._find_naming(own)))

    def _add_number(self, found: Found) -> None:
        """Add a number, and its row if that is new."""
        row = self._make_row(found.place)
        place = self._row_of.setdefault((found.place.path, row), len(self._row_of))
        if place == len(self._shape.rows):
            self._shape.rows.append(row)
            self._columns.append(set())
        column = self._flat.name_column(found.key, self._columns[place])
        self._columns[place].add(column)
        leaf, deviation = self._place_of[id(found.value)], None
        if found.deviation is not None:
            deviation = self._place_of[id(found.deviation)]
        self._shape.numbers.append(_NumberShape(place, column, leaf, deviation))

    def _make_row(self, own: Place) -> _RowShape:
        """Return the row of a place; names on the way to it tell evaluations apart."""
        apart = tuple(key for key in own.path if not read_label(key).whole)
        evaluation = self._evaluations.setdefault(apart, len(self._evaluations))
        about = (CellTexts(own.nearer, own.facts), own.above)
        code = self._flat.abouts.setdefault(about, len(self._flat.abouts))
        names = own.names if own.model is not None else own.names[1:]
        return _RowShape(code, evaluation, self._find_naming(own), " / ".join(names))

    def _find_naming(self, place: Place) -> _Naming:
        """Return where a place has the names of its model and the steps of a training."""
        model: int | str | None = next(iter(place.names), "")
        if place.model is _INHERITED:
            model = None
        elif place.model is not None:
            model = self._place_of.get(id(place.model), place.model)
        return _Naming(model, tuple([(key, self._place_of[id(leaf)]) for key, leaf in place.steps]))


# The reader.


def _recognise(document: Document) -> bool:
    """Tell whether a document is made of objects, and a key of the first ones names a metric."""
    if not (document.is_structured or document.is_yaml):
        return False
    try:
        records = read_records(document)[:5]
    except DataError:
        if document.is_structured:
            raise
        return False  # its lines may be read one by one
    return any(_names_metric(record.value, Place()) for record in records)


def _names_metric(value: Value, place: Place) -> bool:
    """Tell whether a key of a value names a metric."""
    if isinstance(value, list):
        return any(_names_metric(each, place) for each in value)
    return any(found.key or _names_metric(found.value, found.place) for found in walk(value, place))


def _read(document: Document) -> Reading:
    """Read every number of a metric."""
    notes = Notes()
    records = read_records(document)
    flat = _Rows(notes, _list_silent(records))
    is_table = any(is_list(record.value) for record in records[:1])
    level = _Level(Place(above=keep(name_file(document.name)), is_row=is_table))
    for record in records:
        flat.add(record.value, level, record.line)
    if len(flat.lines) * len(flat.columns) > MOST_CELLS:
        refuse_size(document.name)
    sheet = _make_sheet(flat, document)
    entries = SheetReader(sheet, notes).read().entries
    if flat.lines_of:
        columns = [entries.heads[place].column for place in entries.head_of.tolist()]
        at = zip(columns, entries.rows.tolist(), strict=True)
        lines = [flat.lines_of.get(each, NO_LINE) for each in at]
        entries = replace(entries, lines=np.array(lines, dtype=np.intp))
    return Reading(
        document.name,
        READER.key,
        "wide",
        *_list_cells(flat, sheet),
        entries,
        notes.skipped(),
        understood=name_percentages(entries),
        of_objects=True,
    )


def _make_sheet(flat: _Rows, document: Document) -> Sheet:
    """Return the rows as a table: the steps of a training, the models and a column for each key."""
    rows = range(len(flat.lines))
    steps = {key: _fill(cells, rows) for key, cells in flat.steps.items()}
    joined = [" ".join(cells) for cells in zip(*steps.values(), strict=True)] or [""] * len(rows)
    columns = {"step": joined, "model": flat.models}
    keys = dict.fromkeys(columns, "")
    columns |= {name: _fill(cells, rows) for name, cells in flat.columns.items()}
    labels = [read_label(flat.headings.get(name, name)) for name in columns]
    measures = {j: label for j, label in enumerate(labels) if j >= len(keys)}
    names = tuple(columns)
    heading = Heading(names, tuple((label,) for label in labels), (names,), measures)
    return Sheet(
        heading,
        [Cells(cells) for cells in columns.values()],
        [NO_LINE if line is None else line for line in flat.lines],
        percent=document.percent,
        about=RowTexts(np.array(flat.about_of, dtype=np.intp), list(flat.abouts)),
        evaluations=np.array(flat.evaluations, dtype=np.intp),
    )


def _fill(cells: Mapping[int, str], rows: range) -> list[str]:
    """Return the cells of all rows."""
    return [cells.get(row, "") for row in rows]


def _list_cells(flat: _Rows, sheet: Sheet) -> tuple[tuple[str, ...], Rows]:
    """Return the columns and rows that users see, with what is said of each row."""
    addresses = [form_address(about, (*about.texts, *above), ()) for about, above in flat.abouts]
    columns: dict[str, Sequence[str]] = {
        "line": ["" if line is None else str(line) for line in flat.lines]
    }
    for key, steps in flat.steps.items():
        columns[key] = _fill(steps, range(len(flat.lines)))
    columns["model"] = sheet.cells[1]
    for name in (*NAMES, "rank_type"):
        values = [getattr(address, name) or "" for address in addresses]
        columns[name] = [values[about] for about in flat.about_of]
    columns["key"] = flat.keys
    columns |= dict(zip(sheet.heading.keys[2:], sheet.cells[2:], strict=True))
    filled = {name: cells for name, cells in columns.items() if any(cells)}
    return tuple(filled), Rows(filled, len(flat.lines))


READER = Reader("objects", _recognise, _read)
