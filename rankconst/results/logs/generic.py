"""Lines with ``name: value``, ``name = value`` or ``name value``, of any tool without a module.

Consecutive lines with numbers of metrics are a block. The text before the numbers of a line, and
between the block before and its own, belongs to them: labels of vocabulary declare, other words
ask, and no split is assumed. What else is on the lines of its block only asks.

Many lines differ in their numbers only. So a line is parsed once with a hole in place of each
number. The text before a hole is a gap; its last part names the number.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.evaluation import Question
from rankconst.names import squash
from rankconst.results.gate import Text, gather
from rankconst.results.labels import (
    ADJUSTED,
    CUT_OFF,
    FILE_ENDINGS,
    NO_K,
    OPPOSITES,
    UNKNOWN,
    Label,
    find_name,
    name_queries,
    read_label,
    weaken,
)
from rankconst.results.logs.lines import Found, LogFormat, list_settings, rule, strip_colours
from rankconst.results.reading import Notes, Reader
from rankconst.results.repeated import ask_about_repeated
from rankconst.results.tables.grid import name_file
from rankconst.results.tables.printed import find_lines
from rankconst.results.tables.units import name_percentages, settle_units
from rankconst.results.vocabulary import Word, list_flags

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document
    from rankconst.results.reading import Reading

# A line in pieces.

_HOLE, _CUT = "\0", "\1"  # in place of a number, and of a path
_LONGEST = 2_000
_MOST_NUMBERS = 200
# Thousands, a decimal comma, which is asked about, or a point.
_DIGITS = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|(?<!\d,)\d{1,9},\d{1,20}(?![\d,.])|\d++(?:\.\d*+)?|\.\d++)"
)
_SPREAD = rf"(?:\s?(?:±|\+/-|\+-)\s?{_DIGITS})?"
# Neither "Hits@10" nor "Hits 10: 0.5", and not the first of "0.3 / 0.4" and "0.3 -> 0.4".
_BEFORE, _AFTER = r"(?<![\w.@/+-])(?<!@ )", r"(?![\w:=@/]|[.,]\d|-\w|\s*(?:[:=/→]|-+>))"
_NUMBER = re.compile(
    rf"{_BEFORE}(?:[-+]?{_DIGITS}(?:[eE][-+]?\d++)?{_SPREAD}(?:\s?%)?|nan|inf){_AFTER}", re.ASCII
)
# The time and the level before a message, and files: no words of it.
_STAMP = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?|(?<![\w:])\d\d:\d\d:\d\d(?:[.,]\d+)?"
)
_LEVEL = re.compile(r"\b(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|NOTICE)\b")
_ENDINGS = "|".join([re.escape(ending) for ending in FILE_ENDINGS])
_FILE = re.compile(rf"https?://\S+|(?<![\w./~-])[\w./~-]{{1,300}}(?:{_ENDINGS})\b(?::\d+)?")
# Hits (filtered) @ 10
_BRACKETED = re.compile(r"\b([A-Za-z]{1,20}) ?\(([A-Za-z_]{1,20})\) ?@ ?(\d{1,6})\b")
_STEP = re.compile(
    r"\b(?:epochs?|steps?|iter(?:ation)?s?)\b[\s:=#\[({]*(\d{1,12})(?!\.\d)(?:\s*/\s*\d+)?[\])}]?",
    re.IGNORECASE,
)
_WRAPPER = re.compile(r"[\w.]{1,60}\($")  # np.float64(0.3)
_PARTS = re.compile(r"[{},;|\[\]\"'`\t]+|:(?=\s|$)|\s-{1,3}(?=\s|$)|-{1,3}>|\s{3,}")
_EDGES = " *#=>~-:.()"
# Such as filtered=False.
_FLAG = re.compile(r"([A-Za-z][\w.-]{0,60})['\"]?\s{0,9}[:=]\s{0,9}['\"]?([A-Za-z]{1,9})\b")
_MORE_NAMES = "several names of metrics are before it"
_MORE_NUMBERS = "several numbers are behind its name"
_LABEL_BEHIND = (
    "a label is between or behind the numbers of its line: put each evaluation on a line of its own"
)


class _Number(NamedTuple):
    """A number of a line, without its digits."""

    label: Label  # what its name says
    place: int  # which of the numbers of the line it is
    texts: tuple[Text, ...] = ()  # what the line says of it, the nearest first
    reason: str = ""  # why it cannot be adjusted

    @property
    def questions(self) -> tuple[Question, ...]:
        """The question about a name that is not wholly of vocabulary: ``mr_type``."""
        text = self.label.text[:60]
        return () if self.label.whole else (Question("part", text, text.lower(), "its name"),)


class _Line(NamedTuple):
    """What a line with numbers says."""

    numbers: tuple[_Number, ...] = ()
    # True if it begins with words of vocabulary: like the row of a table, it says whose it is.
    opens: bool = False
    texts: tuple[Text, ...] = ()  # what only asks, about further lines of its block


def _clean(line: str) -> tuple[str, str]:
    """Return a line without its prefix, and the epoch or step that it names."""
    text = name_queries(line.replace(_HOLE, " ").replace(_CUT, " "))
    if ":" in text:
        text = _STAMP.sub(" ", text)
    text = _LEVEL.sub(" ", text)
    if "(" in text and "@" in text:
        text = _BRACKETED.sub(r"\2 \1@\3", text)
    if "." in text or "/" in text:
        text = _FILE.sub(f" {_CUT} ", text)
    step = _STEP.search(text)
    return (text, "") if step is None else (_STEP.sub(" ", text), step[1])


def _trim(part: str) -> str:
    """Return a part of a line without signs at its ends, but for a bracket that closes one."""
    bare = part.strip(_EDGES)
    return f"{bare})" if bare.count("(") > bare.count(")") and ")" in part else bare


@lru_cache(maxsize=8_192)
def _parse(template: str) -> _Line:
    """Return the numbers of a line, and what it says of them."""
    *gaps, end = template.replace(_CUT, " ").split(_HOLE)
    if len(gaps) >= _MOST_NUMBERS or any(len(gap) > _LONGEST for gap in (*gaps, end)):
        return _Line()
    parser = _Parser()
    for place, gap in enumerate(gaps):
        parser.take_gap(place, gap)
    parser.take_end(end)
    return parser.finish()


class _Parser:
    """Collects the numbers of metrics on a line, and the labels around the first one."""

    def __init__(self) -> None:
        self._numbers: list[_Number] = []
        self._before: list[Label] = []
        self._behind: list[Label] = []
        self._opens = False
        self._shared = ""  # the metric of "MRR: Tail: 0.1, Head: 0.2"

    def take_gap(self, place: int, gap: str) -> None:
        """Take the text in front of a number: labels, and its name."""
        bare = _WRAPPER.sub("", gap).rstrip(" \t:='\"`")
        parts = [_trim(part) for part in _PARTS.split(bare)]
        *words, name = [part for part in parts if part] or [""]
        label = read_label(name)
        metrics = [word for word in words if _names_metric(word)]
        is_remark = gap.lstrip().startswith("(")  # about the number before
        if label.metric is None and label.whole and not is_remark:
            self._shared = metrics[-1] if metrics else self._shared
            if self._shared:
                label, metrics = read_label(f"{self._shared} {name}"), []
        is_metric = label.metric is not None or _UNKNOWN_METRIC.search(name) is not None
        labels = [each for word in words for each in _read_labels(word)]
        if not is_metric:  # next to a number of something else, words may be of that
            labels = [weaken(each) for each in (*labels, *_read_labels(name))]
        if self._numbers:
            self._behind += labels
        else:
            self._before += labels
            says = bool(label.values) or any(each.whole for each in labels)
            self._opens = is_metric and says
        if is_metric:
            reason = _find_reason(label, name, metrics)
            self._numbers.append(_Number(label, place, reason=reason))
        elif not name and self._numbers and self._numbers[-1].place == place - 1:
            last = self._numbers[-1]
            self._numbers[-1] = last._replace(reason=last.reason or _MORE_NUMBERS)

    def take_end(self, end: str) -> None:
        """Take the text behind the last number."""
        for part in _PARTS.split(end):
            self._behind += _read_labels(part.strip(_EDGES))

    def finish(self) -> _Line:
        """Return the line: what precedes its numbers declares, and all else only asks."""
        numbers, declares = self._numbers, False
        asking = [Text(weaken(number.label), "row", "its line") for number in numbers]
        for label in self._behind:
            declares = declares or (label.whole and bool(label.values or label.graphs))
            asking += _list_texts(weaken(label))
        named = [text for label in self._before for text in _list_texts(label)]
        split = self._find_split()
        for i, number in enumerate(numbers):
            own = Text(number.label, "column", "its name")
            reason = number.reason or (_LABEL_BEHIND if declares else "")
            texts = (own, *split, *named[::-1], *asking)
            numbers[i] = number._replace(texts=texts, reason=reason)
        below = dict[Text, None]()
        for text in (*named, *asking):
            below[text._replace(label=weaken(text.label), place="a line above")] = None
        return _Line(tuple(numbers), self._opens, tuple(below))

    def _find_split(self) -> tuple[Text, ...]:
        """Return what "Test MRR: 0.3 MR: 177" says of MR; keys, as valid_mrr, say it of one."""
        is_named = ["split" in number.label.values for number in self._numbers]
        if not any(is_named[:1]) or any(is_named[1:]):
            return ()
        first = self._numbers[0].label
        word, blank, _ = first.text.partition(" ")
        if not (first.whole and blank and word.isalpha()):
            return ()
        values = {"split": first.values["split"]}
        return (Text(Label(first.text, values=values, whole=True), "row", "its line"),)


_UNKNOWN_METRIC = re.compile(rf"{CUT_OFF.pattern}|^hits?$", re.ASCII | re.IGNORECASE)


def _find_reason(label: Label, name: str, metrics: list[str]) -> str:
    """Return why a number with a name cannot be adjusted; nothing if it can."""
    if label.reason:
        return label.reason
    if label.metric is None:
        return UNKNOWN if "@" in name else NO_K
    if label.adjustment:
        return ADJUSTED
    return _MORE_NAMES if metrics else ""


def _list_texts(label: Label) -> list[Text]:
    """Return what a label next to numbers says of them: as the cell of a row, and as a sentence."""
    if not label.tells:
        return []
    return [Text(label, "row", "its line"), Text(label, "text", "its line")]


@lru_cache(maxsize=4_096)
def _names_metric(text: str) -> bool:
    """Tell whether a text is the name of a metric."""
    label = read_label(text)
    return label.metric is not None and label.whole


@lru_cache(maxsize=8_192)
def _read_text(template: str) -> tuple[Text, ...]:
    """Return what a line without metrics says of the numbers below it."""
    text = template.replace(_HOLE, " ").replace(_CUT, " ").strip(_EDGES)
    # "test: 20466" and "train: data/train.txt" are about data.
    is_data = _HOLE in template or _CUT in template
    labels = [_drop_split(label, is_data=is_data) for label in _read_labels(text)]
    labels += [Label(name, graphs=(name,), whole=True) for name in list_settings(template)]
    texts = []
    for label in labels:
        if label.tells:
            texts.append(Text(label, "text", "a line above"))
            # Like the cell of a row, a label of vocabulary, "std", says what the numbers are.
            texts += [Text(label, "row", "a line above")] if label.whole else []
    return tuple(texts)


def _drop_split(label: Label, *, is_data: bool) -> Label:
    """Return a label without its split if it is about data, or training, before any results."""
    if not is_data and label.declared.get("split") != "train":
        return label
    values = {name: value for name, value in label.values.items() if name != "split"}
    return replace(label, values=values)


def _read_labels(text: str) -> Iterator[Label]:
    """Yield the label of a text; those of its pieces, which only ask, if it is very long."""
    denied = list[Word]()
    for found in _FLAG.finditer(text):
        if list_flags().get(found[2].lower()) is not False:
            continue
        if _tells_weights(found[1]):  # without them, each task counts the same, as usual
            text = text.replace(found[0], " ")
            continue
        # Of a flag that is off, another value than its name may hold.
        for field, (value, *_) in read_label(found[1]).values.items():
            denied.append(Word(value, field, says=OPPOSITES.get(value, "")))
    if denied:
        yield Label(text, words=tuple(denied))
    if len(text) <= _LONGEST:
        yield read_label(text)
        return
    for part in textwrap.wrap(text, _LONGEST):
        yield weaken(read_label(part))


def _tells_weights(name: str) -> bool:
    """Tell whether all that a flag may be about is how much each task counts."""
    label = read_label(name)
    fields = {*label.values, *(word.field for word in label.words)}
    return fields - {"metric"} == {"aggregation"}


# A log from top to bottom.

_MOST_TEXTS = 60
_CROWDED = f"more than {_MOST_TEXTS} different lines say something of it: split the log"
_OF_ALL = {"protocol", "task"}  # words above the first block may be about all of them
_MOST_ALIKE = 50_000
_DIGIT = re.compile(r"\d")
_ALIKE = str.maketrans("123456789", "000000000")  # lines that differ in digits say the same
_gather = lru_cache(maxsize=4_096)(gather)  # most numbers of a log have the texts of others


class _Texts:
    """What lines say, the nearest last; of several that say the same, the nearest counts."""

    def __init__(self) -> None:
        self._texts: dict[object, Text] = {}
        self.crowded = False

    def add(self, texts: Iterable[Text]) -> None:
        """Add what a line says."""
        for text in texts:
            label = text.label
            key = (text.scope, label.whole, label.graphs, label.words, *label.values.items())
            self._texts.pop(key, None)
            self._texts[key] = text
            self.crowded = self.crowded or len(self._texts) > _MOST_TEXTS
            if self.crowded:
                del self._texts[next(iter(self._texts))]

    def list_nearest(self) -> tuple[Text, ...]:
        """Return the texts, the nearest first."""
        return tuple(self._texts.values())[::-1]


class _Scan:
    """Reads a log from top to bottom."""

    def __init__(self, name: str, tool: str | None = None) -> None:
        self._name, self._tool = name_file(name), tool
        self._above = _Texts()  # between the block before and this one
        self._held = _Texts()  # in this block
        self._graphs = _Texts()  # before this block
        self._block = 0  # the line where the block begins; 0 between blocks
        self._first = True  # until the first block ends
        self._step = ""  # the last line that names one
        # What lines without numbers of metrics say, and whether they name a step.
        self._known: dict[str, tuple[tuple[Text, ...], bool]] = {}

    def read(self, text: str) -> Iterator[Found]:
        """Yield the numbers in the order of their lines."""
        for number, written in enumerate(text.split("\n"), 1):
            line = written.rpartition("\r")[2]
            alike = line.translate(_ALIKE)
            if alike in self._known:
                texts, names_step = self._known[alike]
                self._step = line if names_step else self._step
                self._take_texts(texts)
                continue
            words, step = _clean(line)
            self._step = line if step else self._step
            values = _NUMBER.findall(words)
            template = _NUMBER.sub(_HOLE, words) if values else words
            parsed = _parse(template) if values else _Line()
            if parsed.numbers:
                yield from self._read_numbers(number, parsed, values)
                continue
            texts = _read_text(template)
            # A digit of a name, as in FB15k, makes it another one.
            if not _DIGIT.search(template) and len(self._known) < _MOST_ALIKE:
                self._known[alike] = texts, bool(step)
            self._take_texts(texts)

    def _read_numbers(self, line: int, parsed: _Line, values: list[str]) -> Iterator[Found]:
        """Yield the numbers of a line."""
        self._block = self._block or line
        if parsed.opens or self._block == line:
            self._held = _Texts()
        for number in parsed.numbers:
            yield self._find(line, number, values[number.place])
        self._held.add(parsed.texts)

    def _take_texts(self, texts: tuple[Text, ...]) -> None:
        """Take a line without numbers of metrics: it ends a block, and belongs to the next."""
        if self._block:
            self._keep()
            self._block, self._above = 0, _Texts()
        self._above.add(texts)

    def _keep(self) -> None:
        """Keep the datasets named above a block, and above the first one what may be about all."""
        for text in self._above.list_nearest()[::-1]:
            words = tuple(word for word in text.label.words if word.field in _OF_ALL)
            words = words if self._first else ()
            if text.label.graphs or words:
                kept = replace(text.label, values={}, words=words)
                self._graphs.add([text._replace(label=kept)])
        self._first = False

    def _find(self, line: int, number: _Number, text: str) -> Found:
        """Return a number with what all texts say of it."""
        label, metric = number.label, number.label.metric
        if metric is None or number.reason:
            why = number.reason
            return Found(line=line, heading=self._block, name=label.text, text=text, why=why)
        near = (*number.texts, *self._held.list_nearest(), *self._above.list_nearest())
        declarations = _gather((*near, *self._list_before(near), self._name))
        declared: dict[str, str | None] = {**declarations.declared, "step": _clean(self._step)[1]}
        # Only a known name counts there.
        if declarations.origins.get("dataset") == self._name.place:
            del declared["dataset"]
        is_crowded = self._held.crowded or self._above.crowded or self._graphs.crowded
        is_percent = label.percent or text.endswith("%")
        return Found(
            line=line,
            heading=self._block,
            name=_write_name(label, metric),
            text=f"{text.rstrip(' %')}%" if is_percent else text,
            split=declared.get("split"),
            side=declared.get("side"),
            protocol=declared.get("protocol"),
            tool=self._tool,
            declared=declared,
            why=_CROWDED if is_crowded else "",
            questions=(*number.questions, *declarations.questions),
        )

    def _list_before(self, near: tuple[Text, ...]) -> tuple[Text, ...]:
        """Return what was said before the block: the datasets count where its texts name none."""
        before = self._graphs.list_nearest()
        if not any(text.label.graphs for text in near):
            return before
        worded = [text for text in before if text.label.words]
        return tuple([text._replace(label=replace(text.label, graphs=())) for text in worded])


def _write_name(label: Label, metric: Metric) -> str:
    """Return the name of a metric as written; hit@10 and hits@10 are not the same everywhere."""
    span = find_name(label.text, metric) if metric.hits_k is not None else None
    if span is None:
        return metric.label
    written = label.text[slice(*span)]
    usual = {squash(metric.label), metric.key.replace("_", "")}
    return metric.label if squash(written) in usual else written


# The reader.

_PYKEEN = (".realistic.hits_at_", ".realistic.inverse_harmonic_mean_rank")


def _scan_document(document: Document, _: LogFormat) -> Iterator[Found]:
    """Yield the numbers of a log; names of PyKEEN mean its protocol."""
    text = strip_colours(document.text)
    tool = "pykeen" if any(name in text for name in _PYKEEN) else None
    return _Scan(document.name, tool).read(text)


_READER = LogFormat(key="generic", values=rule(""), scan=_scan_document).reader
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
    rows = find_lines(document.lines[start : first.line + _AROUND])
    return any(each.line - start not in rows for each in (first, *found))


def _read(document: Document) -> Reading:
    """Read a log, and settle its units: an evaluation is like a row of a table."""
    reading, notes = _READER.read(document), Notes()
    evaluations = np.array([int(row["evaluation"]) for row in reading.rows], dtype=np.intp)
    entries = ask_about_repeated(reading.entries, evaluations[reading.entries.rows])
    entries = settle_units(entries, notes, evaluations=evaluations, percent=document.percent)
    parts = ["lines of names and numbers", reading.understood]
    tools = dict.fromkeys(each.tool for each in entries.contexts if each.tool)
    if tools:
        parts.append(f"as {' and '.join(tools)} prints them")
    parts.append(name_percentages(entries))
    understood = "; ".join(part for part in parts if part)
    skipped = (*reading.skipped, *notes.skipped())
    return replace(reading, entries=entries, skipped=skipped, understood=understood)


READER = Reader(_READER.key, _recognise, _read)
