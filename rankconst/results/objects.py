"""JSON, JSON Lines and YAML: any object whose keys name metrics.

The keys of a number's path are its labels, and what stands beside it or a level of its path are its
texts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import chain, count, starmap
from operator import itemgetter
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rankconst.errors import DataError
from rankconst.evaluation import NAMES, Address
from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, Rows, encode
from rankconst.results.gate import STEPS, Text, gather
from rankconst.results.labels import CUT_OFF, UNKNOWN, Label, answer, name_model, read_label
from rankconst.results.reading import NO_LINE, Entries, Entry, Notes, Reader, Reading, make_reading
from rankconst.results.structured import (
    Number,
    Value,
    is_yaml,
    looks_structured,
    read_number,
    read_records,
)
from rankconst.results.tables import units
from rankconst.results.tables.again import ask_again
from rankconst.results.tables.cells import Row, is_plain_number
from rankconst.results.tables.contexts import (
    COUNTS,
    FEW,
    OPEN_ROLES,
    ask_over,
    declare,
    find_roles,
    fits_role,
    screen,
)
from rankconst.results.tables.grid import MOST_CELLS, name_file
from rankconst.results.tables.headings import compose_heading
from rankconst.results.tables.sheet import Sheet, SheetReader
from rankconst.results.vocabulary import list_roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rankconst.results.document import Document

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
_K = re.compile(r"@?(\d{1,9})", re.ASCII)
# The last word of a key says what it is: "mrr_epoch" is an epoch.
_LAST = re.compile(r"(.*[^\W_])[\W_]+([^\W_]+)")
_BELOW = "below a metric, expected a number, or one for each k, split, side or dataset"


class _Place(NamedTuple):
    """An object on the way to numbers, with what stands around it."""

    line: int | None
    path: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # the keys that are not of vocabulary: names of models, of runs
    nearer: tuple[Text, ...] = ()  # what is nearer to its numbers than the names of their metrics
    above: tuple[Text, ...] = ()  # what is farther, the nearest first
    beside: tuple[Text, ...] = ()  # the texts of its own level, as those below have them
    facts: tuple[tuple[str, Any], ...] = ()  # further fields of the address
    steps: tuple[tuple[str, str], ...] = ()  # epoch: 10

    def enter(self, key: str) -> _Place:
        """Return the place below a key."""
        label = read_label(key)
        names = self.names if label.whole else (*self.names, key)
        above = (*_keep(Text(label, "row", "a key above it")), *self.beside, *self.above)
        return _Place(self.line, (*self.path, key), names, above=above, facts=self.facts)

    def choose(self, key: str) -> _Place:
        """Return the place of one number of a metric: that of a split, of a side, of a dataset."""
        text = Text(read_label(key), "row", "its key")
        return self._replace(
            path=(*self.path, key), nearer=(text, *self.nearer), beside=(text, *self.beside)
        )


_Found: TypeAlias = tuple[_Place, str, Label, str, str, "int | None"]
"""A number of a metric: its place, key, label and text, why it is none, and its line."""


def _keep(*texts: Text) -> tuple[Text, ...]:
    """Return the texts that may say something."""
    return tuple(text for text in texts if text.label.tells)


def _walk(value: Value, place: _Place) -> Iterator[_Found]:
    """Yield the numbers of metrics in a value."""
    if isinstance(value, list):
        for i, each in enumerate(value, start=1):
            yield from _walk(each, place._replace(path=(*place.path, str(i))))
    if not isinstance(value, dict):
        return
    place = _look_around(value, place)
    yield from _read_named(value, place)
    for key, inner in value.items():
        by_k = any(_name_k(key, k) for k in (inner if isinstance(inner, dict) else "1"))
        if (by_k or read_label(key).metric is not None) and _find_role(key) != "num_tasks":
            yield from _read_metric(key, inner, place)
        elif isinstance(inner, Number) and CUT_OFF.search(key):
            yield place, key, Label(), "", UNKNOWN, place.line
        elif isinstance(inner, (dict, list)) and key.lower() not in _SETTINGS:
            yield from _walk(inner, place.enter(key))


def _look_around(value: Mapping[str, Value], place: _Place) -> _Place:
    """Return an object's place with the texts that stand in it."""
    roles, texts, true, false = list[tuple[int, Text]](), list[Text](), list[str](), list[Text]()
    facts, names = dict(place.facts), set(map(squash, value))
    for key, each in _list_beside(value):
        label, word = read_label(key), str(each).strip()
        role, answered = _find_role(key, word), None if label.metric else answer(label, word)
        role = "" if role != squash(key) and role in names else role
        if answered is label:
            true.append(key)
        elif answered is not None:
            false.append(Text(replace(answered, text=f"{key}: {word}"), "row", "a key beside it"))
        elif role in COUNTS and (number := read_count(word)):
            facts[role] = number
        elif role == "relations" and isinstance(each, list) and each:
            facts[role] = tuple(map(str, each))
        elif not isinstance(each, str) or label.metric is not None or role == "hyperparameter":
            continue
        elif isinstance(each, Number):
            texts += ask_over(label, word, "a key beside it")
        elif role in _ADDRESS and (role != "dataset" or "/" not in word or read_label(word).graphs):
            roles.append((_ADDRESS.index(role), Text(declare(role, word), "row", f"the {key}")))
        elif role in {"model", "tool", "relations"} and read_label(word).metric is None:
            facts[role] = (word,) if role == "relations" else word
            named = role == "model"
            declarations = name_model(read_label(word)) if named else read_label(word)
            roles.append(
                (len(_ADDRESS), Text(declarations, "name" if named else "row", f"the {key}"))
            )
        elif not _is_path(word):
            texts.append(Text(read_label(word), "row", f"the {key}"))
            texts += () if texts[-1].label.declared else ask_over(label, word, "a key beside it")
    ordered = (text for _, text in sorted(roles, key=itemgetter(0)))
    flags = Text(read_label(" ".join(true)), "row", "a key beside it")
    own = _keep(*ordered, flags, *false)
    return place._replace(
        nearer=(*own, *_keep(*texts)),
        beside=(*own, *(text._replace(scope="text") for text in _keep(*texts))),
        facts=tuple(facts.items()),
        steps=tuple(
            (key, str(each))
            for key, each in value.items()
            if _find_role(key) == "step" and isinstance(each, Number)
        ),
    )


def _list_beside(value: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield what stands in an object; a dataset or a split may be a list, or an object with a name."""
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
    bare = "" if re.search(r"\s", text) else text.replace("\\", "/")
    return (
        bare.startswith(("/", "./", "../", "~/"))
        or "://" in bare
        or ("/" in bare and "." in bare.split("/")[-1])
    )


def _find_role(key: str, text: str | None = None) -> str:
    """Return what a key says that its value is, if a text fits it: not every type is that of ranks."""
    role = list_roles().get(squash(key), "")
    return (
        role
        if text is None
        or role in OPEN_ROLES
        or role == key.lower()
        or (role and fits_role(role, text))
        else ""
    )


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
        label, (text, why) = read_label(key), read_number(value)
        line = value.line if isinstance(value, Number) else None
        why = (
            label.reason
            or _find_other(key)
            or why
            or "it does not say which k" * (label.metric is None)
        )
        yield (
            place,
            key,
            label,
            f"{text}%" if label.percent and "%" not in text else text,
            why,
            line or place.line,
        )
        return
    if any(read_label(inner).metric for inner in value):
        yield from _walk(value, place.enter(key))
        return
    own = _look_around(value, place)
    nearer, beside = (*own.nearer, *place.nearer), (*own.beside, *place.beside)
    place = place._replace(nearer=nearer, beside=beside, facts=own.facts)
    if value.keys() >= {"mean", "std"}:  # over runs
        (mean, why), (deviation, _) = read_number(value["mean"]), read_number(value["std"])
        yield from _read_metric(
            key, value["mean"] if why or not deviation else f"{mean} ± {deviation}", place
        )
        return
    for inner, each in value.items():
        role = _find_role(inner)
        if name := _name_k(key, inner):
            yield from _read_metric(name, each, place)
        elif role == "value" or (read_label(inner).whole and not role):
            yield from _read_metric(key, each, place if role else place.choose(inner))
        elif isinstance(each, (Number, dict, list)) and not role:
            yield place, f"{key}.{inner}", Label(), "", _BELOW, place.line


def _find_other(key: str) -> str:
    """Return why a key with the name of a metric is that of something else; nothing if it is the metric's."""
    found = None if read_label(key).whole else _LAST.fullmatch(key)
    if (
        found is None
        or read_label(found[2]).whole
        or read_label(found[1]).metric != read_label(key).metric
    ):
        return ""
    return f"{found[2]!r} behind a metric is not understood"


def _read_named(value: Mapping[str, Value], place: _Place) -> Iterator[_Found]:
    """Yield the number of an object that names its metric in a text: ``{"metric": "MRR", "value": 0.3}``."""
    roles = {_find_role(key): each for key, each in value.items()}
    number, named = roles.get("value"), roles.get("metric")
    if not isinstance(number, str):
        return
    # One text may be the name of a metric, as in {"name": "MRR", "value": 0.3}.
    if not isinstance(named, str):
        names = {
            each
            for each in value.values()
            if isinstance(each, str) and read_label(each).metric is not None
        }
        named = names.pop() if len(names) == 1 else ""
    name = _name_k(named, str(roles.get("k"))) or named
    if read_label(name).metric is not None:
        yield from _read_metric(name, number, place)


@lru_cache(maxsize=4096)
def _form(
    texts: tuple[Text, ...], facts: tuple[tuple[str, Any], ...], names: tuple[str, ...]
) -> Address:
    """Return what is said of a number; the same object for all of which the same is said."""
    declarations = gather(texts)
    found: dict[str, Any] = {
        "model": next(iter(names), None),
        **dict(facts),
        **declarations.declared,
    }
    return Address(**found, questions=declarations.questions)


def _describe(place: _Place) -> dict[str, str]:
    """Return the cells of a row that name its numbers."""
    address = _form((*place.nearer, *place.above), place.facts, place.names)
    named = {
        role: each for role in ("model", *NAMES, "rank_type") if (each := getattr(address, role))
    }
    rest = place.names[0 if "model" in dict(place.facts) else 1 :]
    return {"line": str(place.line or ""), **dict(place.steps), **named, "key": " / ".join(rest)}


def _ask_beside(entries: list[Entry], rows: list[dict[str, str]]) -> Iterator[Entry]:
    """Yield numbers with the question about those of several steps without a split."""
    steps = {
        tuple((key, cell) for key, cell in row.items() if _find_role(key) == "step") for row in rows
    } - {()}
    for entry in entries:
        context = entry.context
        asks = len(steps) > 1 and not context.split
        questions = (*context.questions, STEPS) if asks else context.questions
        yield entry._replace(context=replace(context, questions=questions))


def _number_places(places: Iterable[_Place]) -> NDArray[np.intp]:
    """Return a number for each evaluation: places that differ in words of vocabulary are of one."""
    named = (
        (each.line, tuple(key for key in each.path if not read_label(key).whole)) for each in places
    )
    return encode(named)[0]


def _recognise(document: Document) -> bool:
    """Tell whether a document is made of objects, and a key of the first ones names a metric."""
    try:
        records = (
            read_records(document)[:5] if looks_structured(document) or is_yaml(document) else ()
        )
    except DataError:
        if looks_structured(document):
            raise
        return False  # its lines may be read one by one
    return any(True for record in records for _ in _walk(record.value, _Place(record.line)))


# Records of single values are a table: their keys are its headings.

_ABSENT = Number("")
_FROM_BESIDE = {"tool", "relations", "value", *COUNTS}


def _flatten(document: Document) -> Sheet | None:
    """Return records as a table; None where their keys or values ask for a closer look."""
    held = list[tuple[int, Value]]()
    for line, value in read_records(document):
        held += [
            (line or NO_LINE, each) for each in (value if isinstance(value, list) else [value])
        ]
    records = [value for _, value in held if isinstance(value, dict)]
    keys = dict.fromkeys(chain.from_iterable(records))
    if is_yaml(document) or len(records) < len(held) or len(records) * len(keys) > MOST_CELLS:
        return None
    columns: dict[str, Cells] = {}
    for key in keys:
        values = [record.get(key, _ABSENT) for record in records]
        cells = Cells([str(each).strip() for each in values])
        use = _find_use(key, {type(each) for each in values if each is not _ABSENT}, cells)
        if use is None:
            return None
        if use:
            columns[key] = cells
    heading = replace(compose_heading([Row(1, (*columns,), (*columns,))]), of_records=True)
    sheet = Sheet(
        heading,
        [*columns.values()],
        [line for line, _ in held],
        _keep(name_file(document.name)),
        percent=document.percent,
    )
    return sheet if _stands_alone(sheet) else None


def _find_use(key: str, kinds: set[type], cells: Cells) -> bool | None:
    """Tell whether a key is a column, of a metric or a role, or says nothing; None if it asks for a closer look."""
    label, role = read_label(key), _find_role(key)
    if label.metric is not None:
        named = label.whole and not (role or label.reason or label.percent or label.spread)
        plain = kinds == {Number} and all(is_plain_number(cell) for cell in cells.distinct if cell)
        return (named and plain) or None
    if (
        label.tells
        or kinds & {dict, list}
        or CUT_OFF.search(key)
        or _name_k(key, "1")
        or role in _FROM_BESIDE
    ):
        return None
    if role == "step":
        return kinds == {Number} or None
    found = [read_label(cell) for _, cell in cells.select(FEW, screen)]
    if role in {"model", "version", "rank_type", *NAMES}:
        odd = any(each.metric or (role == "dataset" and "/" in each.text) for each in found)
        return (kinds == {str} and "" not in cells and not odd) or None
    return None if any(each.tells for each in found) else False


def _stands_alone(sheet: Sheet) -> bool:
    """Tell whether each record has a number, and no column needs another one to be understood."""
    measures = sheet.heading.measures
    apart = len({label.metric for label in measures.values()}) == len(measures)
    above = any(
        label.graphs or label.version or "protocol" in label.values for label in measures.values()
    )
    known = len(measures) + len(find_roles(sheet.heading, sheet.cells)) == len(sheet.cells)
    numbers = zip(*(sheet.cells[j] for j in measures), strict=True)
    return bool(measures) and known and (apart or not above) and all(map(any, numbers))


def _read_sheet(document: Document, sheet: Sheet) -> Reading:
    """Read the numbers of a table of records; its rows have what is said of them."""
    notes, heading, roles = Notes(), sheet.heading, find_roles(sheet.heading, sheet.cells)
    table = SheetReader(sheet, notes).read()
    columns: dict[str, Sequence[str]] = {
        "line": ["" if line == NO_LINE else str(line) for line in sheet.lines]
    }
    if "step" in roles:
        columns[heading.keys[roles["step"]]] = sheet.cells[roles["step"]]
    columns["model"] = sheet.cells[roles["model"]] if "model" in roles else ()
    for name in (*NAMES, "rank_type"):
        columns[name] = [getattr(each, name) or "" for each in table.addresses]
    columns |= {heading.keys[j]: sheet.cells[j] for j in heading.measures}
    filled = {name: cells for name, cells in columns.items() if any(cells)}
    rows, entries, left = Rows(filled, len(sheet.lines)), table.entries, notes.skipped()
    address = units.name_percentages(entries)
    return Reading(
        document.name,
        "objects",
        "wide",
        (*filled,),
        rows,
        entries,
        left,
        understood=address,
        of_objects=True,
    )


def _read(document: Document) -> Reading:
    """Read every number of a metric."""
    sheet = _flatten(document)
    if sheet is not None:
        return _read_sheet(document, sheet)
    rows, found, notes, file = (
        list[dict[str, str]](),
        list[Entry](),
        Notes(),
        _keep(name_file(document.name)),
    )
    places: dict[tuple[Any, ...], int] = {}
    held = list[_Place]()
    records = ((record.value, _Place(record.line, above=file)) for record in read_records(document))
    for place, key, label, text, why, line in chain.from_iterable(starmap(_walk, records)):
        if why or label.metric is None:
            notes.add(line, ".".join((*place.path, key)), why)
            continue
        at = places.setdefault((place.line, place.path), len(rows))
        if at == len(rows):
            rows.append(_describe(place))
            held.append(place)
        column = next(
            name for i in count(1) if (name := f"{key} ({i})" if i > 1 else key) not in rows[at]
        )
        rows[at][column] = text
        context = _form(
            (*place.nearer, Text(label, "column", "its key"), *place.above),
            place.facts,
            place.names,
        )
        # Such files are often rounded, so the last digit is uncertain.
        found.append(Entry(label.metric, text, at, intern(column), line, context, label.adjustment))
    entries = Entries(_ask_beside(found, rows))
    entries = ask_again(entries, _number_places(held)[entries.rows])
    entries = units.settle_units(entries, notes, percent=document.percent)
    reading = make_reading(document, READER.key, "wide", rows, entries, skipped=notes.skipped())
    return replace(reading, understood=units.name_percentages(entries))


READER = Reader("objects", _recognise, _read)
