"""JSON, JSON Lines and YAML: objects whose keys name metrics, flattened to a table.

Each object with numbers is a row. The keys of its path are labels, and so is what it holds beside
the numbers, or what holds a level of its path. Records that differ in nothing but numbers and
names of models say the same of them: of these, one is walked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.errors import DataError
from rankconst.evaluation import NAMES
from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, Rows
from rankconst.results.gate import Text
from rankconst.results.labels import CUT_OFF, UNKNOWN, answer, name_model, read_label
from rankconst.results.reading import NO_LINE, Notes, Reader, Reading
from rankconst.results.structured import Number, is_yaml, looks_structured, read_records
from rankconst.results.tables.contexts import (
    COUNTS,
    OPEN_ROLES,
    CellTexts,
    RowTexts,
    ask_over,
    declare,
    fits_role,
    form_address,
)
from rankconst.results.tables.grid import MOST_CELLS, name_file, refuse_size
from rankconst.results.tables.headings import Heading
from rankconst.results.tables.sheet import Sheet, SheetReader
from rankconst.results.tables.units import name_percentages
from rankconst.results.vocabulary import list_roles

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from rankconst.results.document import Document
    from rankconst.results.structured import Value

# What a program ran with: a number there is no result.
_SETTINGS = {
    "args",
    "cfg",
    "config",
    "hparams",
    "hyperparameters",
    "hyperparams",
    "model_params",
    "params",
    "settings",
}
_ADDRESS = (*NAMES, "version", "rank_type")
_OTHER = len(_ADDRESS) + 1  # what has no role comes last
_K = re.compile(r"@?(\d{1,9})", re.ASCII)
# The last word of a key says what it is: "mrr_epoch" is an epoch.
_LAST = re.compile(r"(.*[^\W_])[\W_]+([^\W_]+)")
_BELOW = "below a metric, expected a number, or one for each k, split, side or dataset"
_NO_K = "it does not say which k"


class _Place(NamedTuple):
    """An object on the way to numbers, with what is around it."""

    path: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # the keys that are not of vocabulary: names of models, of runs
    model: str | None = None  # what its keys say that the model is
    nearer: tuple[Text, ...] = ()  # what is nearer to its numbers than the names of their metrics
    above: tuple[Text, ...] = ()  # what is farther, the nearest first
    beside: tuple[Text, ...] = ()  # the texts of its own level, as those below have them
    facts: tuple[tuple[str, Any], ...] = ()  # further fields of the address
    steps: tuple[tuple[str, Number], ...] = ()  # epoch: 10

    def enter(self, key: str) -> _Place:
        """Return the place below a key."""
        label = read_label(key)
        names = self.names if label.whole else (*self.names, key)
        own = _keep(Text(label, "row", "a key above it"))
        above = (*own, *self.beside, *self.above)
        return self._replace(path=(*self.path, key), names=names, nearer=(), above=above, beside=())

    def choose(self, key: str) -> _Place:
        """Return the place of one number of a metric: that of a split, of a side, of a dataset."""
        text = Text(read_label(key), "row", "its key")
        return self._replace(
            path=(*self.path, key), nearer=(text, *self.nearer), beside=(text, *self.beside)
        )


class _Found(NamedTuple):
    """A number of a metric, or why it is none; without a key, a list of objects that may have some."""

    place: _Place
    key: str
    value: Value = None
    why: str = ""
    deviation: str | None = None  # over several runs


def _keep(*texts: Text) -> tuple[Text, ...]:
    """Return the texts that may say something."""
    return tuple(text for text in texts if text.label.tells)


def _walk(value: Value, place: _Place) -> Iterator[_Found]:
    """Yield the numbers of metrics in a value."""
    if isinstance(value, list):
        if _is_list(value):
            yield _Found(place, "", value)
            return
        for i, each in enumerate(value, start=1):
            yield from _walk(each, place._replace(path=(*place.path, str(i))))
    if not isinstance(value, dict):
        return
    place = _look_around(value, place)
    yield from _read_named(value, place)
    for key, inner in value.items():
        counts = inner if isinstance(inner, dict) else ("1",)
        by_k = any(_name_k(key, k) for k in counts)
        if (by_k or read_label(key).metric is not None) and _find_role(key) != "num_tasks":
            yield from _read_metric(key, inner, place)
        elif isinstance(inner, Number) and CUT_OFF.search(key):
            yield _Found(place, key, why=UNKNOWN)
        elif isinstance(inner, (dict, list)) and key.lower() not in _SETTINGS:
            yield from _walk(inner, place.enter(key))


def _look_around(value: Mapping[str, Value], place: _Place) -> _Place:
    """Return an object's place with the texts in it."""
    true, false, said = list[str](), list[Text](), list[tuple[int, Text]]()
    facts, model, names = dict(place.facts), place.model, {squash(key) for key in value}
    for key, each in _list_beside(value):
        label, word = read_label(key), str(each).strip()
        answered = None if label.metric else answer(label, word)
        role = _find_role(key, word)
        if role != squash(key) and role in names:
            role = ""
        if answered is label:
            true.append(key)
        elif answered is not None:
            denied = replace(answered, text=f"{key}: {word}")
            false.append(Text(denied, "row", "a key beside it"))
        elif role in COUNTS and (number := read_count(word)):
            facts[role] = number
        elif role == "relations" and isinstance(each, list) and each:
            facts[role] = tuple(str(relation) for relation in each)
        elif isinstance(each, str) and label.metric is None and role != "hyperparameter":
            is_name = not isinstance(each, Number) and read_label(word).metric is None
            if is_name and role == "model":
                model = each
            elif is_name and role in {"tool", "relations"}:
                facts[role] = word if role == "tool" else (word,)
            said += _read_beside(key, each, role)
    said.sort(key=itemgetter(0))
    named = [text for order, text in said if order < _OTHER]
    others = _keep(*(text for order, text in said if order == _OTHER))
    flags = Text(read_label(" ".join(true)), "row", "a key beside it")
    own = _keep(*named, flags, *false)
    steps = [
        (key, each)
        for key, each in value.items()
        if _find_role(key) == "step" and isinstance(each, Number)
    ]
    return place._replace(
        nearer=(*own, *others),
        beside=(*own, *(text._replace(scope="text") for text in others)),
        model=model,
        facts=tuple(facts.items()),
        steps=tuple(steps) or place.steps,
    )


def _read_beside(key: str, value: str, role: str) -> Iterator[tuple[int, Text]]:
    """Yield what a text or a number beside others says, with its order: by role, then the others."""
    word = value.strip()
    label, own, place = read_label(key), read_label(word), f"the {key}"
    asked = [(_OTHER, text) for text in ask_over(label, word, "a key beside it")]
    if isinstance(value, Number):
        yield from asked
    elif role in _ADDRESS and (role != "dataset" or "/" not in word or own.graphs):
        yield _ADDRESS.index(role), Text(declare(role, word), "row", place)
    elif role == "model" and own.metric is None:
        yield len(_ADDRESS), Text(name_model(own), "name", place)
    elif role in {"tool", "relations"} and own.metric is None:
        yield len(_ADDRESS), Text(own, "row", place)
    elif not _is_path(word):
        yield _OTHER, Text(own, "row", place)
        if not own.declared:
            yield from asked


def _list_beside(value: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield what an object holds; a dataset or a split may be a list, or an object with a name."""
    for key, each in value.items():
        role = _find_role(key)
        if role in _ADDRESS and isinstance(each, dict):
            texts = [
                (inner, text)
                for inner, text in each.items()
                if isinstance(text, str) and not _is_path(text)
            ]
            # A version or a configuration makes another graph of it: then the name alone is not the
            # dataset.
            alone = all(_find_role(inner) or isinstance(text, Number) for inner, text in texts)
            for inner, text in texts:
                is_name = _find_role(inner) in {"model", role}
                if alone or not is_name:
                    yield key if is_name else inner, text
        elif role in _ADDRESS and isinstance(each, list):
            yield key, " and ".join(text for text in each if isinstance(text, str))
        else:
            yield key, each


def _is_path(text: str) -> bool:
    """Tell whether a text is a path or an address on the web, which say nothing."""
    if re.search(r"\s", text):
        return False
    bare = text.replace("\\", "/")
    named = "/" in bare and "." in bare.split("/")[-1]
    return bare.startswith(("/", "./", "../", "~/")) or "://" in bare or named


@lru_cache(maxsize=8192)
def _find_role(key: str, text: str | None = None) -> str:
    """Return what a key says that its value is, if a text fits it: not every type is that of ranks."""
    role = list_roles().get(squash(key), "")
    if text is None or role in OPEN_ROLES or role == key.lower():
        return role
    return role if role and fits_role(role, text) else ""


@lru_cache(maxsize=8192)
def _name_k(key: str, inner: str) -> str:
    """Return the name of the metric that a key, without a k, and a k below it name together."""
    k = _K.fullmatch(inner)
    if k is None or read_label(key).metric is not None:
        return ""
    names = (f"{key.rstrip('@ ').removesuffix('@k')}@{k[1]}", re.sub(r"[kK]$", k[1], key))
    return next((name for name in names if read_label(name).metric is not None), "")


def _read_metric(key: str, value: Value, place: _Place) -> Iterator[_Found]:
    """Yield the number of a metric, or its numbers by k, split, side or dataset."""
    if not isinstance(value, dict):
        yield _Found(place, key, value, _explain(key, value))
        return
    if any(read_label(inner).metric for inner in value):
        yield from _walk(value, place.enter(key))
        return
    own = _look_around(value, place)
    nearer, beside = (*own.nearer, *place.nearer), (*own.beside, *place.beside)
    place = place._replace(nearer=nearer, beside=beside, facts=own.facts, model=own.model)
    if value.keys() >= {"mean", "std"}:  # over runs
        mean, deviation = value["mean"], value["std"]
        spread = deviation if isinstance(mean, str) and isinstance(deviation, str) else None
        yield _Found(place, key, mean, _explain(key, mean), deviation=spread)
        return
    for inner, each in value.items():
        role = _find_role(inner)
        if name := _name_k(key, inner):
            yield from _read_metric(name, each, place)
        elif role == "value" or (read_label(inner).whole and not role):
            yield from _read_metric(key, each, place if role else place.choose(inner))
        elif isinstance(each, (Number, dict, list)) and not role:
            yield _Found(place, f"{key}.{inner}", why=_BELOW)


def _explain(key: str, value: Value) -> str:
    """Return why a value is no number of the metric that its key names; nothing if it may be one."""
    label = read_label(key)
    if label.metric is None:
        return label.reason or _NO_K
    if label.reason:
        return label.reason
    found = None if label.whole else _LAST.fullmatch(key)
    behind = found is not None and not read_label(found[2]).whole
    if found is not None and behind and read_label(found[1]).metric == label.metric:
        return f"{found[2]!r} behind a metric is not understood"
    if isinstance(value, str):
        return ""
    kinds = {dict: "an object", list: "a list", type(None): "null"}
    kind = kinds.get(type(value), str(value).lower())
    return "it is null" if value is None else f"it is {kind}, not a number"


def _read_named(value: Mapping[str, Value], place: _Place) -> Iterator[_Found]:
    """Yield the number of an object that names its metric in a text: ``{"metric": "MRR", "value": 0.3}``."""
    roles = {_find_role(key): each for key, each in value.items()}
    number, named = roles.get("value"), roles.get("metric")
    if not isinstance(number, str):
        return
    # One text may be the name of a metric, as in {"name": "MRR", "value": 0.3}.
    if not isinstance(named, str):
        texts = {each for each in value.values() if isinstance(each, str)}
        names = [text for text in texts if read_label(text).metric is not None]
        named = names[0] if len(names) == 1 else ""
    name = _name_k(named, str(roles.get("k"))) or named
    if read_label(name).metric is not None:
        yield from _read_metric(name, number, place)


# Records of one shape.

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

    def __init__(self, place: _Place) -> None:
        self.place = place
        self.shapes: dict[Hashable, _Shape] = {}


@dataclass
class _Shape:
    """What records that differ in nothing but numbers and names of models have in common."""

    rows: list[_RowShape] = field(default_factory=list)
    numbers: list[_NumberShape] = field(default_factory=list)
    lists: list[tuple[int, _Level, _Naming]] = field(default_factory=list)  # leaves with objects
    skipped: list[tuple[str, str]] = field(default_factory=list)  # what, and why


def _is_list(value: Value) -> bool:
    """Tell whether a value is a list of objects."""
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _outline(key: str, value: Value, leaves: list[Value], outline: list[Hashable]) -> None:
    """List the leaves of a value, and all of it that may say something of its numbers.

    Keys are there as they are, and texts and numbers that may say something in tuples. Signs are
    numbers, which are neither.
    """
    if isinstance(value, dict):
        outline.append(_OBJECT)
        if _find_role(key) in _ADDRESS:  # any text may be the name of a dataset
            texts = [each for each in value.values() if isinstance(each, str)]
            outline.append(tuple(str(text) for text in texts if not isinstance(text, Number)))
        for name, each in value.items() if key.lower() not in _SETTINGS else ():
            outline.append(name)
            if type(each) is Number and not _weigh(name).numbers:  # as most are
                leaves.append(each)
                outline.append(_NUMBER)
            else:
                _outline(name, each, leaves, outline)
        outline.append(_END)
    elif isinstance(value, list) and not _is_list(value):
        outline.append(_LIST)
        for each in value:
            _outline(key, each, leaves, outline)
        outline.append(_END)
    else:
        leaves.append(value)
        outline.append(_outline_leaf(key, value))


def _outline_leaf(key: str, value: Value) -> Hashable:
    """Return what a leaf may say, or what it is."""
    if isinstance(value, list):
        return _OBJECTS
    if not isinstance(value, str):
        return (value,)
    weight = _weigh(key)
    if isinstance(value, Number):
        return (str(value),) if weight.numbers else _NUMBER
    return (str(value),) if weight.texts else _outline_text(value)


@lru_cache(maxsize=8192)
def _weigh(key: str) -> _Weight:
    """Tell what a value may say by its key."""
    label, role = read_label(key), _find_role(key)
    numbers = label.metric is None and (label.tells or role in {*COUNTS, "k"})
    texts = label.metric is None and role not in _OPEN
    return _Weight(numbers, numbers or texts)


@lru_cache(maxsize=65_536)
def _outline_text(text: str) -> Hashable:
    """Return a text that may say something of numbers or name a metric; of others, the kind."""
    label = read_label(text.strip())
    if label.tells or label.metric is not None:
        return (str(text),)
    return _PATH if _is_path(text.strip()) else _TEXT


class _Written(str):
    """A text of a file."""

    __slots__ = ()


def _copy(key: str, value: Value, leaves: list[Value]) -> Value:
    """Return a value with leaves of its own, of which no two are the same object, and list them."""
    if isinstance(value, dict):
        inner = {} if key.lower() in _SETTINGS else value
        return {name: _copy(name, each, leaves) for name, each in inner.items()}
    if isinstance(value, list) and not _is_list(value):
        return [_copy(key, each, leaves) for each in value]
    leaf = value
    if isinstance(value, Number):
        leaf = Number(value, value.line)
    elif isinstance(value, str):
        leaf = _Written(value)
    elif isinstance(value, list):
        leaf = list(value)
    leaves.append(leaf)
    return leaf


class _Rows:
    """The rows that records are flattened to."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
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
        _outline("", value, leaves, listed)
        outline = tuple(listed)
        shape, first = level.shapes.get(outline), len(self.lines)
        if shape is None:
            shape = level.shapes[outline] = self._find_shape(value, level.place)
        for row in shape.rows:
            self.lines.append(line)
            self.evaluations.append(self._evaluations + row.evaluation)
            self.about_of.append(row.about)
            named = row.naming.find(leaves, around)
            for key, step in named.steps:
                self.steps.setdefault(key, {})[len(self.models)] = step
            self.models.append(named.model)
            self.keys.append(row.key)
        self._evaluations += len(shape.rows)
        for place, column, leaf, deviation in shape.numbers:
            cell = str(leaves[leaf]).strip()
            if deviation is not None:
                cell = f"{cell} ± {str(leaves[deviation]).strip()}"
            self.columns[column][first + place] = cell
            self._note_line(leaves[leaf], column, first + place)
        for what, why in shape.skipped:
            self._notes.add(line, ".".join((*path, what)), why)
        for leaf, inner, naming in shape.lists:
            own = (*path, *inner.place.path)
            self.add(leaves[leaf], inner, line, own, naming.find(leaves, around))

    def _note_line(self, leaf: Value, column: str, row: int) -> None:
        """Note the line of a number, which YAML tells."""
        if type(leaf) is Number and leaf.line is not None:
            self.lines_of[column, row] = leaf.line
            if self.lines[row] is None:
                self.lines[row] = leaf.line

    def _find_shape(self, value: Value, place: _Place) -> _Shape:
        """Walk a record, for all of its shape."""
        leaves: list[Value] = []
        copied = _copy("", value, leaves)
        place_of = {id(leaf): i for i, leaf in enumerate(leaves)}
        shape, columns = _Shape(), list[set[str]]()  # the columns of each row
        rows: dict[tuple[tuple[str, ...], _RowShape], int] = {}
        evaluations: dict[tuple[str, ...], int] = {}
        for found in _walk(copied, place._replace(path=())):
            own = found.place
            if found.key == "":
                around = own._replace(model=own.model and _INHERITED, steps=())
                naming = _find_naming(own, place_of)
                shape.lists.append((place_of[id(found.value)], _Level(around), naming))
                continue
            if found.why:
                shape.skipped.append((".".join((*own.path, found.key)), found.why))
                continue
            apart = tuple(key for key in own.path if not read_label(key).whole)
            evaluation = evaluations.setdefault(apart, len(evaluations))
            row = self._make_row(own, evaluation, place_of)
            at = rows.setdefault((own.path, row), len(rows))
            if at == len(shape.rows):
                shape.rows.append(row)
                columns.append(set())
            column = self._name_column(found.key, columns[at])
            columns[at].add(column)
            spread = found.deviation
            deviation = None if spread is None else place_of[id(spread)]
            shape.numbers.append(_NumberShape(at, column, place_of[id(found.value)], deviation))
        return shape

    def _make_row(self, own: _Place, evaluation: int, place_of: Mapping[int, int]) -> _RowShape:
        """Return the row of a place."""
        said = (CellTexts(own.nearer, own.facts), own.above)
        about = self.abouts.setdefault(said, len(self.abouts))
        names = own.names if own.model is not None else own.names[1:]
        return _RowShape(about, evaluation, _find_naming(own, place_of), " / ".join(names))

    def _name_column(self, key: str, taken: set[str]) -> str:
        """Return the column of a key; one of two that are alike gets a number."""
        for i in count(1):
            name = f"{key} ({i})" if i > 1 else key
            if name not in taken and self.headings.setdefault(name, key) == key:
                self.columns.setdefault(name, {})
                return name
        raise AssertionError


def _find_naming(place: _Place, place_of: Mapping[int, int]) -> _Naming:
    """Return where a place has the names of its model and the steps of a training."""
    model: int | str | None = next(iter(place.names), "")
    if place.model is _INHERITED:
        model = None
    elif place.model is not None:
        model = place_of.get(id(place.model), place.model)
    return _Naming(model, tuple([(key, place_of[id(leaf)]) for key, leaf in place.steps]))


# The reader.


def _recognise(document: Document) -> bool:
    """Tell whether a document is made of objects, and a key of the first ones names a metric."""
    if not (looks_structured(document) or is_yaml(document)):
        return False
    try:
        records = read_records(document)[:5]
    except DataError:
        if looks_structured(document):
            raise
        return False  # its lines may be read one by one
    return any(_names_metric(record.value, _Place()) for record in records)


def _names_metric(value: Value, place: _Place) -> bool:
    """Tell whether a key of a value names a metric."""
    if isinstance(value, list):
        return any(_names_metric(each, place) for each in value)
    return any(
        found.key or _names_metric(found.value, found.place) for found in _walk(value, place)
    )


def _read(document: Document) -> Reading:
    """Read every number of a metric."""
    notes = Notes()
    flat = _Rows(notes)
    level = _Level(_Place(above=_keep(name_file(document.name))))
    for record in read_records(document):
        flat.add(record.value, level, record.line)
    if len(flat.lines) * len(flat.columns) > MOST_CELLS:
        refuse_size(document.name)
    sheet = _make_sheet(flat, document)
    entries = SheetReader(sheet, notes).read().entries
    if flat.lines_of:
        columns = [entries.heads[place].column for place in entries.head_of.tolist()]
        at = zip(columns, entries.rows.tolist(), strict=True)
        lines = [flat.lines_of.get(each, NO_LINE) for each in at]
        entries = entries.put(lines=np.array(lines, dtype=np.intp))
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
    heading = Heading(
        tuple(columns), tuple((label,) for label in labels), (tuple(columns),), measures
    )
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
    """Return the columns and rows that users see: with what is said of a row in place of its texts."""
    addresses = []
    for about, above in flat.abouts:
        addresses.append(form_address(about, (*about.texts, *above), ()))
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
