"""Read JSON and YAML without losing a digit, and without trusting the file.

Numbers stay as they are written. Only mappings, lists and text are built: tags, anchors and aliases
are refused and nesting is bounded, so that reading a file never costs more than its length.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeAlias
from weakref import WeakKeyDictionary

from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DataError
from rankconst.results.reading import NumberText
from rankconst.values.bounds import is_infinite
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document

DEEPEST = 40
"""How deep objects and lists may be nested."""

LARGEST_YAML = 4 * 2**20
"""The longest YAML document that is read, in characters; parsing YAML is slow."""

SPLIT_WORDS = frozenset(word for split, words in SPLITS.items() for word in (split, *words))
"""Keys that name a split."""


class Number(str):
    """A number as it is written."""

    __slots__ = ()
    line: int | None = None


class NumberAt(Number):
    """A number whose line is known."""

    __slots__ = ("line",)

    def __new__(cls, text: str, line: int | None) -> Self:
        """Take the text as it is."""
        number = super().__new__(cls, text)
        number.line = line
        return number


Value: TypeAlias = "dict[str, Value] | list[Value] | Number | str | bool | None"
"""A value of a file: an object, a list, a number, a text, true or false, or null."""


class Record(NamedTuple):
    """One value of a file: the whole file, or a line of JSON Lines."""

    line: int | None  # counted from 1; None for a whole file
    value: Value

    @property
    def line_text(self) -> str:
        """The line as text; empty for a whole file."""
        return "" if self.line is None else str(self.line)

    @property
    def object(self) -> dict[str, Value]:
        """The value as an object; empty if it is none."""
        return self.value if isinstance(self.value, dict) else {}


_YAML_NUMBER = re.compile(
    r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    re.ASCII,
)
# Maps an event to how much deeper what follows it is.
_DEPTH_CHANGES = {"SequenceStartEvent": 1, "MappingStartEvent": 1}
_DEPTH_CHANGES |= {"SequenceEndEvent": -1, "MappingEndEvent": -1}
_YAML_WORDS: dict[str, Value] = {"": None, "~": None, "null": None, "true": True, "false": False}
_YAML_WORDS |= {name.title(): value for name, value in _YAML_WORDS.items()}
_YAML_WORDS |= {name.upper(): value for name, value in _YAML_WORDS.items()}


_RECORDS: WeakKeyDictionary[Document, tuple[Record, ...]] = WeakKeyDictionary()


def read_records(document: Document) -> tuple[Record, ...]:
    """Read JSON, JSON Lines or YAML; a document is parsed once, though each format asks."""
    if document not in _RECORDS:
        if document.is_yaml:
            _RECORDS[document] = (Record(None, parse_yaml(document, document.text)),)
        else:
            _RECORDS[document] = _read_json(document)
    return _RECORDS[document]


def _read_json(document: Document) -> tuple[Record, ...]:
    """Read a document as one value of JSON, or else each line that is not empty as one."""
    text = document.text
    try:
        return (Record(None, _turn_columns_to_rows(_parse_json(text, document, None))),)
    except json.JSONDecodeError as error:
        # Nothing may follow a whole value, unless that is one line and each further line another.
        whole = text[: error.pos].strip()
        is_line = "\n" not in whole and "\n" in text[text.index(whole) : error.pos]
        if error.msg != "Extra data" or not is_line:
            _refuse_json(error, document, 0, len(text.rstrip()))

    records = []
    for place, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                records.append(Record(place, _parse_json(line, document, place)))
            except json.JSONDecodeError as error:
                _refuse_json(error, document, place - 1, len(line.rstrip()))

    return tuple(records)


def _turn_columns_to_rows(value: Value) -> Value:
    """Turn a table that pandas wrote by columns into a list of rows; any other value stays.

    {"MRR": {"0": 0.3, "1": 0.4}, "MR": {"0": 9, "1": 8}} becomes [{"MRR": 0.3, "MR": 9}, {"MRR":
    0.4, "MR": 8}]. A single column stays, as it may be an MRR for each k.
    """
    if not isinstance(value, dict):
        return value

    names, data = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(data, list):  # {"columns": ["MRR"], "data": [[0.3]]}
        rows = [row for row in data if isinstance(row, list) and len(row) == len(names)]
        if len(rows) < len(data):
            return value
        texts = [str(name) for name in names]
        return [dict(zip(texts, row, strict=True)) for row in rows]

    columns = {name: column for name, column in value.items() if isinstance(column, dict)}
    first: dict[str, Value] = next(iter(columns.values()), {})
    is_numbered = bool(first) and list(first) == [str(i) for i in range(len(first))]
    are_alike = all(column.keys() == first.keys() for column in columns.values())
    if not (is_numbered and are_alike) or len(columns) < max(len(value), 2):
        return value
    return [{name: column[row] for name, column in columns.items()} for row in first]


def read_number(value: Value) -> NumberText:
    """Return the text of a number, or why a value is none: "it is null".

    A text such as "0.3" is a number, too. Infinite numbers are left to the metric.
    """
    if value is None:
        return NumberText("", "it is null")
    if not isinstance(value, str):
        kinds: dict[type, str] = {dict: "an object", list: "a list"}
        return NumberText("", f"it is {kinds.get(type(value), str(value).lower())}, not a number")
    if is_infinite(value):  # batches.py reads the numbers next to it
        return NumberText(str(value))

    try:
        parse_value(value)
    except DataError as error:
        reason, _, remedy = str(error).rstrip(".").partition(". ")
        if remedy.startswith("Write"):
            reason = f"{reason}: w{remedy[1:]}"
        return NumberText("", reason)

    return NumberText(str(value))


def _build_object(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    """Build an object; KeyError if a key occurs twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise KeyError(twice)
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_float=Number, parse_int=Number, parse_constant=Number
)


def _parse_json(text: str, document: Document, line: int | None) -> Value:
    """Parse JSON, in which numbers stay texts; `line` is that of the text, None for the file."""
    try:
        value: Value = _DECODER.decode(text)
    except KeyError as error:
        reason = f"key {error.args[0]!r} occurs twice in one object; keep only the valid one."
        raise DataError(f"{document.at(line)}: {reason}") from None
    except RecursionError:
        _refuse_depth(document, line)

    if text.count("{") + text.count("[") > DEEPEST:  # else it cannot be too deep
        _check_depth(value, document, line)

    if "\\u" in text:
        _check_unicode(value, document, line)

    return value


def _refuse_json(
    error: json.JSONDecodeError, document: Document, before: int, end: int
) -> NoReturn:
    """Raise DataError at the place of an error in a text that has `before` lines above it."""
    reason = f"expected JSON: {error.msg[0].lower()}{error.msg[1:]}."
    # An error at the end, or a quote that is not closed, means that the file was cut off.
    if error.pos >= end or error.msg.startswith("Unterminated string"):
        reason = "the file ends in the middle: was it copied whole?"
    where = f"{document.at(before + error.lineno)}, column {error.colno:,}"
    raise DataError(f"{where}: {reason}") from None


def _check_depth(value: Value, document: Document, line: int | None) -> None:
    """Refuse a value that is nested more than DEEPEST times, level by level, without recursion."""
    level: list[dict[str, Value] | list[Value]] = [[value]]
    for _ in range(DEEPEST + 1):
        below: list[dict[str, Value] | list[Value]] = []
        for outer in level:
            inner = outer.values() if isinstance(outer, dict) else outer
            below += [item for item in inner if isinstance(item, (dict, list))]
        level = below

    if level:
        _refuse_depth(document, line)


def _refuse_depth(document: Document, line: int | None) -> NoReturn:
    """Raise DataError about objects that are nested too deeply."""
    raise DataError(
        f"{document.at(line)}: objects and lists are nested deeper than {DEEPEST}, as results "
        "never are. Save the part with the results as a file of its own."
    )


def _check_unicode(value: Value, document: Document, line: int | None) -> None:
    """Refuse halves of surrogate pairs, which no text can contain."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise DataError(
            f"{document.at(line)}: {half} is half a character; expected text in UTF-8."
        ) from None


def parse_yaml(document: Document, text: str, line: int = 1) -> Value:
    """Read `text` as one YAML document, which begins in a line of the file; None if it is empty.

    Raises DataError for a text that is not YAML, is too long, or has other than plain values.
    """
    import yaml

    if len(text) > LARGEST_YAML:
        limit = LARGEST_YAML // 2**20
        raise DataError(
            f"{document.at(line)}: more than {limit} MiB of YAML in one piece. Save it as JSON, "
            "or only the part with the results."
        )

    try:
        # The parser in C, where PyYAML has it, is ten times as fast.
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        _check_events(yaml.parse(text, loader), document, line)
        node = yaml.compose(text, loader)  # None of an empty document
        value = None if node is None else _convert_node(node, document, line)
    except yaml.YAMLError as error:
        _refuse_yaml(error, document, text, line)

    if "\\u" in text or "\\U" in text:
        _check_unicode(value, document, line)

    return value


def _refuse_yaml(error: Any, document: Document, text: str, line: int) -> NoReturn:
    """Raise DataError with the place and problem of an error of PyYAML; `text` begins in `line`."""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None)
    problem = problem or "it cannot be read"
    if "nesting depth" in problem:  # newer versions of PyYAML have a limit
        _refuse_depth(document, line)

    mark, lines = getattr(error, "problem_mark", None), text.rstrip().split("\n")
    if mark is None:
        raise DataError(f"{document.at(line)}: this is not YAML: {problem}.") from None
    if (mark.line, mark.column) >= (len(lines) - 1, len(lines[-1])):
        where = document.at(line + len(lines) - 1)
        raise DataError(f"{where}: it ends in the middle: was the file copied whole?") from None

    where = f"{document.at(line + mark.line)}, column {mark.column + 1:,}"
    raise DataError(f"{where}: this is not YAML: {problem}.") from None


def _check_events(events: Iterator[Any], document: Document, line: int) -> None:
    """Refuse what is not read, by the events of PyYAML's parser, before any value is built.

    That is a second document, an anchor, an alias, a tag, and nesting deeper than DEEPEST. The text
    begins in a `line` of the document.
    """
    depth = 0
    num_documents = 0
    for event in events:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            num_documents += 1

        if num_documents > 1:
            reason = "a second YAML document begins; save each as a file of its own"
            _refuse_part(document, line, event, reason)
        if getattr(event, "anchor", None) is not None:
            reason = "anchors and aliases (& and *) are not read; write the value out"
            _refuse_part(document, line, event, reason)
        if getattr(event, "tag", None) is not None:
            reason = f"the tag {event.tag} is not read; write a plain value"
            _refuse_part(document, line, event, reason)

        depth += _DEPTH_CHANGES.get(kind, 0)
        if depth > DEEPEST:
            _refuse_depth(document, line + event.start_mark.line)


def _convert_node(node: Any, document: Document, line: int) -> Value:
    """Convert a node of YAML; DataError for a repeated key, or one that is no text."""
    if node.id == "sequence":
        return [_convert_node(inner, document, line) for inner in node.value]

    if node.id == "mapping":
        mapping: dict[str, Value] = {}
        for key, inner in node.value:
            if key.id != "scalar":
                _refuse_part(document, line, key, "a key is not text; write a plain one")
            if key.value in mapping:
                reason = f"key {key.value!r} occurs twice in one mapping; keep only the valid one"
                _refuse_part(document, line, key, reason)
            mapping[key.value] = _convert_node(inner, document, line)
        return mapping

    text = str(node.value)
    if node.style:  # in quotes, or a block
        return text
    if _YAML_NUMBER.fullmatch(text):
        return NumberAt(text, line + node.start_mark.line)
    return _YAML_WORDS.get(text, text)


def _refuse_part(document: Document, line: int, part: Any, reason: str) -> NoReturn:
    """Refuse an event or a node of YAML."""
    mark = part.start_mark
    where = f"{document.at(line + mark.line)}, column {mark.column + 1:,}"
    raise DataError(f"{where}: {reason}.")
