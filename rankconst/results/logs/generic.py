"""Lines with ``name: value``, ``name = value`` or ``name value``, of any tool: what no module of a tool recognises.

Consecutive lines with numbers of metrics are a block. What stands on a number's own line and between the block before
and its own belongs to it; labels of vocabulary declare, other words ask, and no split is assumed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rankconst.evaluation import Ask
from rankconst.results.document import Document
from rankconst.results.gate import UNFILTERED, Text, Told, gather
from rankconst.results.labels import Label
from rankconst.results.logs.lines import Found, LogFormat, Rule, make_reader, strip_colours
from rankconst.results.logs.pieces import (
    Held,
    Line,
    Number,
    clean,
    name_number,
    name_saying,
    parse_line,
    read_text,
    take_numbers,
)
from rankconst.results.logs.signs import RECOMMENDER, SIGNS, TOOLS, is_recommender
from rankconst.results.reading import Notes, Reader
from rankconst.results.tables.grid import name_file
from rankconst.results.tables.text import find_lines, is_table
from rankconst.results.tables.units import drop_contradictions, find_family, leave_small, name_percentages, settle_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.reading import Reading

_MOST_TEXTS = 60
_CROWDED = f"more than {_MOST_TEXTS} different lines say something of it: split the log"
_OF_ALL = {"protocol", "task"}  # words above the first block may be about all of them


class _Texts:
    """What lines say, the nearest last; of several that say the same, the nearest counts."""

    def __init__(self) -> None:
        self.texts: dict[object, Held] = {}
        self.crowded = False

    def add(self, held: Held) -> None:
        """Add what a line says."""
        key = (held.text.scope, name_saying(held.text.label, leads=held.leads))
        before = self.texts.pop(key, None)
        self.texts[key] = held if before is None else held._replace(seen=held.seen | before.seen)
        self.crowded = self.crowded or len(self.texts) > _MOST_TEXTS
        if self.crowded:
            del self.texts[next(iter(self.texts))]

    def pass_by(self, names: frozenset[tuple[str, str]]) -> None:
        """Note the names of numbers: for the next of the same name, what was said before only asks."""
        self.texts = {key: held._replace(seen=held.seen | names) for key, held in self.texts.items()}

    def list_for(self, label: Label) -> Iterator[Text]:
        """Yield the texts for a number with a name, the nearest first."""
        return (held.tell(label) for held in reversed(self.texts.values()))


class _Shape(NamedTuple):
    """What a line without numbers of metrics says, whatever its digits."""

    texts: tuple[Held, ...]
    steps: bool  # True if it names an epoch or a step


class _Scan:
    """Reads a log from top to bottom."""

    def __init__(self, name: str) -> None:
        self._name = name_file(name)
        self._above, self._graphs, self._held = _Texts(), _Texts(), _Texts()
        self._block = 0  # the line where the block begins; 0 between blocks
        self._first = True  # until the first block ends
        self._step = ""  # the last line that names one
        self._shapes: dict[str, _Shape] = {}

    def read(self, text: str) -> Iterator[Found]:
        """Yield the numbers in the order of their lines."""
        for number, written in enumerate(text.split("\n"), 1):
            line = written.rpartition("\r")[2]
            alike = line.translate(_ALIKE)
            shape = self._shapes.get(alike)
            if shape is None:
                words, step = clean(line)
                template, values = take_numbers(words)
                parsed = parse_line(template) if values else Line()
                if parsed.numbers:
                    self._step = line if step else self._step
                    yield from self._read_numbers(number, parsed, values)
                    continue
                shape = _Shape(tuple(map(Held, read_text(template))), bool(step))
                # A digit of a name, as in FB15k, makes it another one.
                if len(line) < _LONGEST and len(self._shapes) < _MOST_SHAPES and not _DIGIT.search(template):
                    self._shapes[alike] = shape
            self._step = line if shape.steps else self._step
            self._take_text(shape)

    def _read_numbers(self, number: int, parsed: Line, values: list[str]) -> Iterator[Found]:
        """Yield the numbers of a line."""
        if not self._block:
            self._block, self._held = number, _Texts()
        if parsed.opens:  # like the row of a table, it goes on with no line above
            self._held = _Texts()
        yield from (self._find(number, each, values[each.place]) for each in parsed.numbers)
        self._held.pass_by(frozenset(name_number(each.label) for each in parsed.numbers))
        for held in parsed.held:
            self._held.add(held)

    def _take_text(self, shape: _Shape) -> None:
        """Take a line without numbers of metrics: it ends a block, and belongs to the next."""
        if self._block:
            self._keep()
            self._block, self._above = 0, _Texts()
        for held in shape.texts:
            self._above.add(held)

    def _keep(self) -> None:
        """Keep the datasets named above a block, and what the lines above the first one may say of all."""
        for text in (held.text for held in self._above.texts.values()):
            words = tuple(word for word in text.label.words if word.field in _OF_ALL and self._first)
            if text.label.graphs or words:
                self._graphs.add(Held(text._replace(label=replace(text.label, values={}, words=words))))
        self._first = False

    def _find(self, line: int, number: Number, text: str) -> Found:
        """Return a number with what all texts say of it."""
        metric = number.label.metric
        if metric is None or number.reason:
            return Found(line, self._block, number.label.text, text, *_NOBODY, {}, why=number.reason)
        near = [*number.texts, *self._held.list_for(number.label)]
        own = (*near, *self._above.list_for(_UNNAMED))
        told = _gather((*own, *self._list_before(own), self._name))
        named = number.label.values.get("protocol", ("",))[0]
        said: dict[str, str | None] = {**told.said, "step": clean(self._step)[1], "own protocol": named}
        if told.origins.get("dataset") == self._name.place:  # only a known name counts there
            del said["dataset"]
        crowded = self._held.crowded or self._above.crowded or self._graphs.crowded
        value = f"{text.rstrip(' %')}%" if number.label.percent or text.endswith("%") else text
        address = (told.said.get("split"), told.said.get("side"), told.said.get("protocol"), None)
        asks = (*number.asks, *told.asks)
        why = _CROWDED if crowded else ""
        return Found(line, self._block, metric.label, value, *address, said, why=why, asks=asks)

    def _list_before(self, own: tuple[Text, ...]) -> tuple[Text, ...]:
        """Return what was said before the block: the datasets count where its texts name none."""
        before = tuple(self._graphs.list_for(_UNNAMED))
        if not any(text.label.graphs for text in own):
            return before
        return tuple(text._replace(label=replace(text.label, graphs=())) for text in before if text.label.words)


_LONGEST, _MOST_SHAPES = 1_000, 50_000
_DIGIT = re.compile(r"\d")
_ALIKE = str.maketrans("123456789", "000000000")
_UNNAMED = Label()
_NOBODY = (None, None, None, None)


@lru_cache(maxsize=4_096)
def _gather(texts: tuple[Text, ...]) -> Told:
    """Return what texts say; most numbers of a log have those of others."""
    return gather(texts)


def _scan_document(document: Document, _: LogFormat) -> Iterator[Found]:
    """Yield the numbers of a log with what the whole of it gives away: the tool, or why it is refused."""
    text = strip_colours(document.text)
    signs = [sign for sign in SIGNS if sign.text in text]
    reasons = [RECOMMENDER] * is_recommender(text) + [sign.says for sign in signs if not sign.field]
    asks = tuple(Ask(sign.field, sign.says) for sign in signs if sign.field)
    tools = {tool for sign, tool in TOOLS.items() if sign in text}
    tool = tools.pop() if len(tools) == 1 else None
    for found in _Scan(document.name).read(text):
        yield replace(found, tool=tool, asks=(*found.asks, *asks), why=reasons[0] if reasons else found.why)


def _ask_beside(found: list[Found]) -> list[Found]:
    """Ask about a number without a protocol whose neighbour of the same metric is filtered by its own name."""
    filtered = {(each.heading, each.name) for each in found if each.said.get("own protocol") == "filtered"}
    return [
        replace(each, asks=(*each.asks, UNFILTERED))
        if (each.heading, each.name) in filtered and not each.said.get("own protocol") and each.protocol != "raw"
        else each
        for each in found
    ]


_FORMAT = LogFormat(
    key="generic",
    title="lines such as MRR: 0.338, of any tool",
    values=Rule((), re.compile("")),
    scan=_scan_document,
    refine=_ask_beside,
)
_READER = make_reader(_FORMAT)
_AROUND = 200  # lines
_TABLES = {".csv", ".tsv", ".tex"}


def _recognise(document: Document) -> bool:
    """Tell whether a metric has its value on a line that is not of a table."""
    if document.suffix in _TABLES:
        return False
    found = _Scan(document.name).read(strip_colours(document.text))
    first = next(found, None)
    if first is None:
        return False
    # Rows of a table with metrics in its first column look like lines of a log.
    start = max(first.line - _AROUND, 0)
    lines = document.lines[start : first.line + _AROUND]
    if not is_table(Document(document.name, "\n".join(lines))):
        return True
    rows = find_lines(lines)
    return any(each.line - start not in rows for each in (first, *found))


def _read(document: Document) -> Reading:
    """Read a log, and settle which of its shares are percentages: an evaluation is like a row of a table."""
    reading, notes = _READER.read(document), Notes()
    entries = leave_small(reading.entries, find_family, notes, percent=document.percent)
    rows = [int(reading.rows[row]["evaluation"]) for row in entries.rows]
    entries = settle_units(entries, find_family, notes, rows=rows, percent=document.percent)
    rows = [int(reading.rows[row]["evaluation"]) for row in entries.rows]
    entries = drop_contradictions(entries, notes, rows)
    tools = dict.fromkeys(each.tool for each in entries.contexts if each.tool)
    parts = (
        "lines of names and numbers",
        reading.understood,
        f"as {' and '.join(tools)} prints them" if tools else "",
        name_percentages(entries),
    )
    understood = "; ".join(filter(None, parts))
    skipped = (*reading.skipped, *notes.skipped())
    return replace(reading, entries=entries, skipped=skipped, understood=understood)


READER = Reader(_FORMAT.key, _FORMAT.title, _recognise, _read)
