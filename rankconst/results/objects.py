"""JSON, JSON Lines and YAML: objects whose keys name metrics, flattened to a table.

Each object with numbers is a row. Its labels are the keys of its path, and the texts next to the
numbers or next to one of these keys.

A leaf is neither an object nor a list. The outline of a record has its keys and the leaves that
decide how its numbers are read, not the numbers and most names of models. Files have many records
of one outline: the first is walked, and its layout tells which leaf of each is in which cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rankconst.arrow import join_texts, view_numbers
from rankconst.evaluation import NAMES
from rankconst.results.columns import Cells, Rows
from rankconst.results.labels import read_label
from rankconst.results.paths import (
    ADDRESS,
    Measurement,
    ObjectList,
    Place,
    find_role,
    is_list,
    keep,
    walk,
)
from rankconst.results.reading import NO_LINE, Notes, Reader, Reading
from rankconst.results.structured import Number, read_records
from rankconst.results.tables.contexts import CellTexts, RowText, RowTexts, form_address
from rankconst.results.tables.grid import MOST_CELLS, name_file, refuse_size
from rankconst.results.tables.headings import Heading
from rankconst.results.tables.layout import COUNTS, FEW
from rankconst.results.tables.sheet import Sheet, SheetReader
from rankconst.results.tables.units import name_percentages
from rankconst.results.vocabulary import screen, screen_measures

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from rankconst.results.document import Document
    from rankconst.results.structured import Record, Value

# What an outline has in place of a leaf that is left out; no text or number equals them.
_LIST, _NUMBER, _TEXT = range(3)
_ROLES_OF_FREE_TEXT = {
    "",
    "model",
    "step",
    "value",
    "hyperparameter",
}  # roles whose texts may be left out
_Cell: TypeAlias = int | str  # the place of a leaf in its record, or a text around the record


def _outline(key: str, value: Value, silent: frozenset[str], leaves: list[Value]) -> Hashable:
    """Return what all values that are read alike share, and add the leaves of this one to a list.

    {"MRR": 0.3, "split": "test"} and {"MRR": 0.4, "split": "test"} have one outline; another split
    has another. A text in `silent` is left out if its `key` may be that of a model's name.
    """
    if isinstance(value, dict):
        outline: list[Hashable] = []
        for name, inner in value.items():
            outline.append(name)
            if type(inner) is Number and not _is_about_tasks(name):  # as most leaves are
                leaves.append(inner)
                outline.append(_NUMBER)
            else:
                outline.append(_outline(name, inner, silent, leaves))
        if find_role(key) in ADDRESS:  # any text may be the name of a dataset
            outline.append(str(value))
        return tuple(outline)

    if isinstance(value, list) and not is_list(value):
        return _LIST, *[_outline(key, item, silent, leaves) for item in value]

    leaves.append(value)
    if isinstance(value, Number):
        return str(value) if _is_about_tasks(key) else _NUMBER
    if isinstance(value, list):
        return object()  # it holds objects: no other record is like this one
    return _TEXT if value in silent and _may_be_name(key) else (value,)


@lru_cache(maxsize=8192)
def _is_about_tasks(key: str) -> bool:
    """Tell whether a value below a key may be about the tasks, as a count or a k is."""
    label = read_label(key)
    return label.metric is None and (label.is_about_tasks or find_role(key) in {*COUNTS, "k"})


@lru_cache(maxsize=8192)
def _may_be_name(key: str) -> bool:
    """Tell whether a text below a key may be the name of a model, and not the value of a field."""
    is_open = read_label(key).metric is not None or find_role(key) in _ROLES_OF_FREE_TEXT
    return is_open and not _is_about_tasks(key)


def _list_silent(records: Sequence[Record]) -> frozenset[str]:
    """List the texts of a file without a word about tasks or a metric, such as names of models."""
    by_text: dict[str, None] = {}
    _take_texts([record.value for record in records], by_text)
    texts = list(by_text)
    may_tell = set(texts)
    if len(texts) > FEW:
        cells = join_texts(texts)
        passed = view_numbers(screen(cells)) | view_numbers(screen_measures(cells))
        may_tell = {texts[place] for place in np.flatnonzero(passed).tolist()}

    labels = {text: read_label(text.strip()) for text in may_tell}
    telling = {text for text, label in labels.items() if label.is_about_tasks or label.metric}
    return frozenset(text for text in texts if text not in telling)


def _take_texts(value: dict[str, Value] | list[Value], texts: dict[str, None]) -> None:
    """Add every text in a value to the keys of `texts`, but neither keys nor numbers."""
    items = value.values() if isinstance(value, dict) else value
    for item in items:
        if type(item) is str:
            texts[item] = None
        elif isinstance(item, (dict, list)):
            _take_texts(item, texts)


class _Leaf(str):
    """A text of a file."""

    __slots__ = ()


def _copy_leaves(value: Value, leaves: list[Value]) -> Value:
    """Copy a value, so that each leaf is an object of its own, and list these."""
    if isinstance(value, dict):
        return {name: _copy_leaves(below, leaves) for name, below in value.items()}
    if isinstance(value, list) and not is_list(value):
        return [_copy_leaves(item, leaves) for item in value]

    # Numbers and lists are objects of their own already.
    leaf = _Leaf(value) if type(value) is str else value
    leaves.append(leaf)
    return leaf


class _Row(NamedTuple):
    """A row of each record of an outline."""

    text: int  # the place of its texts and facts in those of the table
    evaluation: int
    model: _Cell
    steps: tuple[tuple[str, _Cell], ...]
    key: str  # its path, without the name of its model and keys of vocabulary


class _Number(NamedTuple):
    """A number of each record of an outline."""

    row: int
    column: str
    leaf: int
    deviation: int | None


@dataclass
class _Layout:
    """The rows of each record of an outline, and where their numbers are."""

    rows: list[_Row] = field(default_factory=list)
    numbers: list[_Number] = field(default_factory=list)
    lists: list[ObjectList] = field(default_factory=list)  # with rows of their own
    skipped: list[Measurement] = field(default_factory=list)


class _Table:
    """The rows that records are flattened to."""

    def __init__(self, notes: Notes, silent: frozenset[str]) -> None:
        self._notes = notes
        self._silent = silent
        self._evaluations = 0
        self.texts: dict[RowText, int] = {}
        self.lines: list[int | None] = []
        self.evaluations: list[int] = []
        self.text_of: list[int] = []  # the place of each row's texts
        self.models: list[str] = []
        self.steps: dict[str, dict[int, str]] = {}  # key to the step of each row
        self.keys: list[str] = []
        self.columns: dict[str, dict[int, str]] = {}  # name to the cell of each row
        self.headings: dict[str, str] = {}  # the key in the file of each column

    def add(
        self,
        value: Value,
        place: Place,
        layouts: dict[Hashable, _Layout],
        line: int | None,
        path: tuple[str, ...] = (),
    ) -> None:
        """Add the rows of a record, or of a list of them, which is at `path` in the file."""
        if isinstance(value, list):
            for i, record in enumerate(value, start=1):
                self.add(record, place, layouts, line, (*path, str(i)))
            return

        leaves: list[Any] = []
        outline = _outline("", value, self._silent, leaves)
        layout = layouts.get(outline)
        if layout is None:
            layout = layouts[outline] = _lay_out(self, value, place)

        first = len(self.lines)
        for model_row in layout.rows:
            self._add_row(model_row, line, leaves)

        self._evaluations += len(layout.rows)
        for row, column, leaf, deviation in layout.numbers:
            cell = leaves[leaf].strip()
            if deviation is not None:
                cell = f"{cell} ± {leaves[deviation].strip()}"
            self.columns[column][first + row] = cell

        for skipped in layout.skipped:
            key = ".".join((*path, *skipped.place.path, skipped.key))
            self._notes.add(line, key, skipped.reason)

        # A list in the record: its own outlines, as the texts around it are of this record.
        for objects in layout.lists:
            inner = objects.place._replace(path=(), is_row=True)
            self.add(objects.value, inner, {}, line, (*path, *objects.place.path))

    def _add_row(self, row: _Row, line: int | None, leaves: Sequence[Value]) -> None:
        """Add a row of a record, whose numbers come later; `leaves` are the record's values."""
        index = len(self.lines)
        for key, step in row.steps:
            step_of_row = self.steps.setdefault(key, {})
            step_of_row[index] = _fill(step, leaves)

        self.lines.append(line)
        self.evaluations.append(self._evaluations + row.evaluation)
        self.text_of.append(row.text)
        self.models.append(_fill(row.model, leaves))
        self.keys.append(row.key)

    def name_column(self, key: str, taken: set[str]) -> str:
        """Return the column for the numbers of a key: "MRR", or "MRR (2)" if that is `taken`."""
        name, number = key, 1
        while name in taken or self.headings.setdefault(name, key) != key:
            number += 1
            name = f"{key} ({number})"
        self.columns.setdefault(name, {})
        return name


def _fill(cell: _Cell, leaves: Sequence[Value]) -> str:
    """Return the text of a cell: the leaf of that index, or a text from around the record."""
    return str(leaves[cell]).strip() if isinstance(cell, int) else cell


def _lay_out(table: _Table, value: Value, place: Place) -> _Layout:
    """Return the layout of a record: its numbers with their rows, its lists, and what is skipped.

    Numbers are indices of leaves, so that all records with the outline share the layout. Their
    columns, and the texts of rows, are added to `table`.
    """
    leaves: list[Value] = []
    copied = _copy_leaves(value, leaves)
    place_of = {id(leaf): i for i, leaf in enumerate(leaves)}
    layout = _Layout()
    row_of: dict[tuple[tuple[str, ...], _Row], int] = {}
    columns: list[set[str]] = []  # of each row
    evaluation_of: dict[tuple[str, ...], int] = {}
    for item in walk(copied, place):
        if isinstance(item, ObjectList):
            layout.lists.append(item)
        elif item.reason:  # why it is not a number
            layout.skipped.append(item)
        else:
            # Keys that are names of models or runs tell evaluations apart.
            path = item.place.path
            names = tuple(key for key in path if not read_label(key).is_vocabulary)
            evaluation = evaluation_of.setdefault(names, len(evaluation_of))
            row = _make_row(table, item.place, place_of, names, evaluation)
            at = row_of.setdefault((path, row), len(row_of))
            if at == len(layout.rows):  # a new one
                layout.rows.append(row)
                columns.append(set())
            column = table.name_column(item.key, columns[at])
            columns[at].add(column)
            deviation = None if item.deviation is None else place_of[id(item.deviation)]
            layout.numbers.append(_Number(at, column, place_of[id(item.value)], deviation))

    return layout


def _make_row(
    table: _Table,
    place: Place,
    place_of: Mapping[int, int],
    names: tuple[str, ...],
    evaluation: int,
) -> _Row:
    """Return the row of numbers at a place, and add its texts to `table`.

    `names` are the keys of its path that may name models or runs. The first is the model if no text
    names one. `place_of` maps the ids of leaves to their indices.
    """

    def find_cell(text: str) -> _Cell:
        return place_of.get(id(text), text.strip())

    row_text = RowText(CellTexts(place.nearer, place.facts), place.above)
    text = table.texts.setdefault(row_text, len(table.texts))
    model = place.model
    if model is None:
        model, names = "".join(names[:1]), names[1:]

    steps = tuple([(key, find_cell(step)) for key, step in place.steps])
    return _Row(text, evaluation, find_cell(model), steps, " / ".join(names))


# The reader.


def _recognise(document: Document) -> bool:
    """Tell whether a document is made of objects, and a key of the first ones names a metric."""
    if not (document.is_structured or document.is_yaml):
        return False
    records = read_records(document)[:5]
    return any(_names_metric(record.value, Place()) for record in records)


def _names_metric(value: Value, place: Place) -> bool:
    """Tell whether a key of a value names a metric."""
    if isinstance(value, list):
        return any(_names_metric(item, place) for item in value)
    return any(
        isinstance(item, Measurement) or _names_metric(item.value, item.place)
        for item in walk(value, place)
    )


def _read(document: Document) -> Reading:
    """Read every number of a metric in a document, record by record."""
    notes = Notes()
    records = read_records(document)
    table = _Table(notes, _list_silent(records))
    is_table = any(is_list(record.value) for record in records[:1])
    place = Place(above=keep(name_file(document.name)), is_row=is_table)
    layouts: dict[Hashable, _Layout] = {}
    for record in records:
        table.add(record.value, place, layouts, record.line)

    if len(table.lines) * len(table.columns) > MOST_CELLS:
        refuse_size(document.name)

    sheet = _make_sheet(table, document)
    entries = SheetReader(sheet, notes).read().entries
    columns_of_file, rows = _list_cells(table, sheet)
    return Reading(
        name=document.name,
        form=READER.key,
        layout="wide",
        columns=columns_of_file,
        rows=rows,
        entries=entries,
        skipped=notes.skipped(),
        understood=name_percentages(entries),
        of_objects=True,
    )


def _make_sheet(table: _Table, document: Document) -> Sheet:
    """Return the rows as a sheet: columns of steps, of models, and for each key of a metric."""
    rows = range(len(table.lines))
    steps = {key: _list_all(cells, rows) for key, cells in table.steps.items()}
    joined = [" ".join(cells) for cells in zip(*steps.values(), strict=True)]
    columns = {"step": joined or _list_all({}, rows), "model": table.models}
    first_measure = len(columns)
    columns |= {name: _list_all(cells, rows) for name, cells in table.columns.items()}
    labels = [read_label(table.headings.get(name, name)) for name in columns]
    measures = {j: label for j, label in enumerate(labels) if j >= first_measure}
    names = tuple(columns)
    heading = Heading(
        keys=names, labels=tuple((label,) for label in labels), levels=(names,), measures=measures
    )
    lines = [NO_LINE if line is None else line for line in table.lines]
    return Sheet(
        heading=heading,
        cells=[Cells(cells) for cells in columns.values()],
        lines=lines,
        percent=document.percent,
        row_texts=RowTexts(np.array(table.text_of, dtype=np.intp), list(table.texts)),
        evaluations=np.array(table.evaluations, dtype=np.intp),
    )


def _list_all(cells: Mapping[int, str], rows: range) -> list[str]:
    """Return a cell for each row: that in `cells`, or an empty one."""
    return [cells.get(row, "") for row in rows]


def _list_cells(table: _Table, sheet: Sheet) -> tuple[tuple[str, ...], Rows]:
    """Return the names of the columns that users see, without empty ones, and the rows."""
    rows = range(len(table.lines))
    # Rows with the same texts around them have the same address.
    address_of_texts = []
    for row_text in table.texts:
        texts = (*row_text.cells.texts, *row_text.above)
        address_of_texts.append(form_address(row_text.cells, texts, ()))

    addresses = [address_of_texts[text] for text in table.text_of]
    lines = ["" if line is None else str(line) for line in table.lines]
    columns: dict[str, Sequence[str]] = {"line": lines}
    for key, steps in table.steps.items():
        columns[key] = _list_all(steps, rows)

    of_sheet = dict(zip(sheet.heading.keys, sheet.cells, strict=True))
    del of_sheet["step"]  # all steps in one text
    columns["model"] = of_sheet.pop("model")
    for field_name in (*NAMES, "rank_type"):
        columns[field_name] = [getattr(address, field_name) or "" for address in addresses]

    columns["key"] = table.keys
    columns |= of_sheet
    filled = {name: cells for name, cells in columns.items() if any(cells)}
    return tuple(filled), Rows(filled, len(rows))


READER = Reader("objects", _recognise, _read)
