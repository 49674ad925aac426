"""Lines with ``name: value``, ``name = value`` or ``name value``, of any tool without a module.

Consecutive lines with numbers of metrics are a block. What stands before the numbers of a line, and
between the block before and its own, belongs to them: labels of vocabulary declare, other words
ask, and no split is assumed. What else stands on the lines of its block only asks.
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
    CUT_OFF,
    FILE_ENDINGS,
    OPPOSITES,
    UNKNOWN,
    Label,
    find_name,
    name_queries,
    read_label,
)
from rankconst.results.logs.lines import Found, LogFormat, list_settings, rule, strip_colours
from rankconst.results.reading import Notes, Reader
from rankconst.results.tables.again import ask_again
from rankconst.results.tables.grid import name_file
from rankconst.results.tables.printed import find_lines
from rankconst.results.tables.units import name_percentages, settle_units
from rankconst.results.vocabulary import FIELDS, Word, list_flags

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document
    from rankconst.results.reading import Reading

# A line in pieces. It is parsed once without its numbers, which repeat in other lines with the same
# words.

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
# What stands before a message, or is not a word of it.
_STAMP = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?|(?<![\w:])\d\d:\d\d:\d\d(?:[.,]\d+)?"
)
# Hits (filtered) @ 10
_BRACKETED = re.compile(r"\b([A-Za-z]{1,20}) ?\(([A-Za-z_]{1,20})\) ?@ ?(\d{1,6})\b")
_LEVEL = re.compile(r"\b(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|NOTICE)\b")
_BAR = re.compile(r"(?<!\d)\d{1,3}%\|[^|]*\||(?<!\d)\d{1,9}/\d{1,9} \[[=>.]+\]")
_SPEED = re.compile(r"\[[\d:]{1,20}<[^,\]]{0,99}(?:, *[\d.?]{1,20} ?\w+/\w+)?")
_ENDINGS = "|".join([re.escape(ending) for ending in FILE_ENDINGS])
_FILE = re.compile(rf"https?://\S+|(?<![\w./~-])[\w./~-]{{1,300}}(?:{_ENDINGS})\b(?::\d+)?")
_STEP = re.compile(
    r"\b(?:epochs?|steps?|iter(?:ation)?s?)\b[\s:=#\[({]*(\d{1,12})(?!\.\d)(?:\s*/\s*\d+)?[\])}]?",
    re.IGNORECASE,
)
_WRAPPER = re.compile(r"[\w.]{1,60}\($")  # np.float64(0.3)
_PARTS = re.compile(r"[{},;|\[\]\"'`\t]+|:(?=\s|$)|\s-{1,3}(?=\s|$)|-{1,3}>|\s{3,}")
_PHRASE = re.compile(r"[A-Za-z]+ ")
_EDGES = " *#=>~-:.()"
_BESIDE = re.compile(r"\s*\(([^()]*)\)")
_ROLE = re.compile(r"[^\w\s]{0,9}\s{0,9}(\w[\w ]{0,39}?)\s{0,9}[:=]\s*(\S.*)")
# Such as filtered=False.
_FLAG = re.compile(r"([A-Za-z][\w.-]{0,60})['\"]?\s{0,9}[:=]\s{0,9}['\"]?([A-Za-z]{1,9})\b")
_NO_K = "it does not say which k"
_MORE_NAMES = "several names of metrics stand before it"
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


def _weaken(label: Label) -> Label:
    """Return a label that only asks."""
    return replace(label, whole=False)


def _say_split(names: list[Label]) -> tuple[Text, ...]:
    """Return what "Test MRR: 0.3 MR: 177" says of MR: only the first name has a split.

    Keys such as valid_mrr say it of themselves alone.
    """
    if (
        not names
        or not _PHRASE.match(names[0].text)
        or any("split" in each.values for each in names[1:])
    ):
        return ()
    values = (
        {"split": names[0].values["split"]} if names[0].whole and "split" in names[0].values else {}
    )
    return (
        (Text(Label(names[0].text, values=values, whole=True), "row", "its line"),)
        if values
        else ()
    )


def _list_texts(label: Label, place: str = "its line") -> list[Text]:
    """Return what a label beside numbers says of them: as the cell of a row, and as a sentence."""
    return [Text(label, scope, place) for scope in ("row", "text")] if label.tells else []


def _clean(line: str) -> tuple[str, str]:
    """Return a line without its prefix, and the epoch or step that it names."""
    text = name_queries(line.replace(_HOLE, " ").replace(_CUT, " "))
    if "|" in text or "<" in text or "]" in text:
        text = _SPEED.sub(" ", _BAR.sub(" ", text))
    if ":" in text:
        text = _STAMP.sub(" ", text)
    text = _LEVEL.sub(" ", text)
    if "(" in text and "@" in text:
        text = _BRACKETED.sub(r"\2 \1@\3", text)
    if "." in text or "/" in text:
        text = _FILE.sub(f" {_CUT} ", text)
    step = _STEP.search(text)
    return (text, "") if step is None else (_STEP.sub(" ", text), step[1])


@lru_cache(maxsize=8_192)
def _trim(part: str) -> str:
    """Return a part of a line without signs at its ends, but for a bracket that closes one."""
    bare = part.strip(_EDGES)
    return f"{bare})" if bare.count("(") > bare.count(")") and ")" in part else bare


def _parse(template: str) -> _Line:
    """Return the numbers of a line, and what it says of them."""
    gaps = template.replace(_CUT, " ").split(_HOLE)
    if len(gaps) > _MOST_NUMBERS or any(len(gap) > _LONGEST for gap in gaps):
        return _Line()
    numbers, before, behind, metric = list[_Number](), list[Text](), list[Label](), ""
    opens = False
    for place, written in enumerate(gaps[:-1]):
        beside = _BESIDE.match(written) if numbers else None  # of the number before, or of this one
        behind += [read_label(beside[1])] if beside is not None else []
        gap = _WRAPPER.sub("", written if beside is None else written[beside.end() :]).rstrip(
            " \t:='\"`"
        )
        *words, name = list(filter(None, map(_trim, _PARTS.split(gap)))) or [""]
        named = [word for word in words if _names_metric(word)]
        label = read_label(name)
        # "MRR: Tail: 0.1, Head: 0.2".
        if label.metric is None and label.whole and (metric := (named or [metric])[-1]):
            label, named = read_label(f"{metric} {name}"), []
        unknown = label.metric is None and CUT_OFF.search(name) is not None
        is_metric = label.metric is not None or unknown or name.lower() in {"hits", "hit"}
        labels = [each for word in words for each in _read_labels(word)]
        if not is_metric:  # beside a number of something else, words may be of that
            labels = [_weaken(each) for each in (*labels, *_read_labels(name))]
        elif not numbers:
            opens = bool(label.values) or any(each.whole for each in labels)
        behind += labels if numbers else ()
        before += () if numbers else (text for each in labels for text in _list_texts(each))
        if not is_metric:
            if not name and numbers and numbers[-1].place == place - 1:
                numbers[-1] = numbers[-1]._replace(reason=numbers[-1].reason or _MORE_NUMBERS)
            continue
        why = (
            UNKNOWN
            if unknown
            else _NO_K
            if label.metric is None
            else "it is adjusted already"
            if label.adjustment
            else ""
        )
        reason = label.reason or why or (_MORE_NAMES if named else "")
        numbers.append(
            _Number(label, place, (Text(label, "column", "its name"), *before[::-1]), reason)
        )
    behind += [each for part in _PARTS.split(gaps[-1]) for each in _read_labels(part.strip(_EDGES))]
    declaring = any(each.whole and (each.values or each.graphs) for each in behind)
    declares = _LABEL_BEHIND if declaring else ""
    names = [Text(_weaken(each.label), "row", "its line") for each in numbers]
    asking = [*names, *(text for each in behind for text in _list_texts(_weaken(each)))]
    splits = _say_split([each.label for each in numbers])
    numbers = [
        each._replace(
            texts=(each.texts[0], *splits, *each.texts[1:], *asking), reason=each.reason or declares
        )
        for each in numbers
    ]
    weak = (
        text._replace(label=_weaken(text.label), place="a line above")
        for text in (*before, *asking)
    )
    return _Line(tuple(numbers), opens, tuple(dict.fromkeys(weak)))


@lru_cache(maxsize=4_096)
def _names_metric(text: str) -> bool:
    """Tell whether a text is the name of a metric."""
    return read_label(text).metric is not None and read_label(text).whole


@lru_cache(maxsize=8_192)
def _read_text(template: str) -> tuple[Text, ...]:
    """Return what a line without metrics says of the numbers below it."""
    text = template.replace(_HOLE, " ").replace(_CUT, " ").strip(_EDGES)
    pair = _ROLE.fullmatch(text) if len(text) < _LONGEST else None
    if pair is not None and read_label(pair[1]).role in {*FIELDS, "dataset"}:
        text = pair[2]
    labels = [label for label in _read_labels(text) if label.tells]
    # "test: 20466" and "train: data/train.txt" are about data, and a training ends in any results.
    for place, label in enumerate(labels):
        if _HOLE in template or _CUT in template or label.declared.get("split") == "train":
            values = {name: each for name, each in label.values.items() if name != "split"}
            labels[place] = replace(label, values=values)
    labels += [Label(name, graphs=(name,), whole=True) for name in list_settings(template)]
    # A label of vocabulary is like the cell of a row: "std" above a number says that it is one.
    texts = []
    for label in labels:
        texts.append(Text(label, "text", "a line above"))
        if label.whole:
            texts.append(Text(label, "row", "a line above"))
    return tuple(texts)


def _read_labels(text: str) -> Iterator[Label]:
    """Yield the label of a text; those of its pieces, which only ask, if it is very long."""
    denied = list[Word]()
    for found in _FLAG.finditer(text):
        if list_flags().get(found[2].lower()) is not False:
            continue
        if _tells_weights(found[1]):  # without them, each task counts the same, as usual
            text = text.replace(found[0], " ")
        else:
            denied += _deny(found[1])
    if denied:
        yield Label(text, words=tuple(denied))
    if len(text) <= _LONGEST:
        yield read_label(text)
        return
    yield from (_weaken(read_label(part)) for part in textwrap.wrap(text, _LONGEST))


def _tells_weights(name: str) -> bool:
    """Tell whether all that a flag may be about is how much each task counts."""
    label = read_label(name)
    fields = {*label.values, *(word.field for word in label.words)}
    return fields - {"metric"} == {"aggregation"}


def _deny(name: str) -> Iterator[Word]:
    """Yield what a flag that is off may say: another value than its name."""
    for field, (value, *_) in read_label(name).values.items():
        yield Word(value, field, says=OPPOSITES.get(value, ""))


# A log from top to bottom.

_MOST_TEXTS = 60
_CROWDED = f"more than {_MOST_TEXTS} different lines say something of it: split the log"
_OF_ALL = {"protocol", "task"}  # words above the first block may be about all of them
_LONGEST_ALIKE, _MOST_ALIKE = 1_000, 50_000
_DIGIT = re.compile(r"\d")
_ALIKE = str.maketrans("123456789", "000000000")
_NOBODY = (None, None, None, None)


class _Texts:
    """What lines say, the nearest last; of several that say the same, the nearest counts."""

    def __init__(self) -> None:
        self._texts: dict[object, Text] = {}
        self.crowded = False

    def add(self, texts: Iterable[Text]) -> None:
        """Add what a line says."""
        for text in texts:
            key = (
                text.scope,
                text.label.whole,
                text.label.graphs,
                text.label.words,
                *text.label.values.items(),
            )
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

    def __init__(self, name: str) -> None:
        self._name = name_file(name)
        self._above, self._graphs, self._held = _Texts(), _Texts(), _Texts()
        self._block = 0  # the line where the block begins; 0 between blocks
        self._first = True  # until the first block ends
        self._step = ""  # the last line that names one
        # What lines without numbers of metrics say.
        self._known: dict[str, tuple[tuple[Text, ...], bool]] = {}

    def read(self, text: str) -> Iterator[Found]:
        """Yield the numbers in the order of their lines."""
        for number, written in enumerate(text.split("\n"), 1):
            line = written.rpartition("\r")[2]
            alike = line.translate(_ALIKE)
            if alike not in self._known:
                words, step = _clean(line)
                values = _NUMBER.findall(words)
                template = _NUMBER.sub(_HOLE, words) if values else words
                self._step = line if step else self._step
                if values and (parsed := _parse(template)).numbers:
                    yield from self._read_numbers(number, parsed, values)
                    continue
                texts = _read_text(template)
                # A digit of a name, as in FB15k, makes it another one.
                if (
                    len(line) < _LONGEST_ALIKE
                    and len(self._known) < _MOST_ALIKE
                    and not _DIGIT.search(template)
                ):
                    self._known[alike] = texts, bool(step)
            else:
                texts, steps = self._known[alike]
                self._step = line if steps else self._step
            self._take_texts(texts)

    def _read_numbers(self, line: int, parsed: _Line, values: list[str]) -> Iterator[Found]:
        """Yield the numbers of a line."""
        self._block = self._block or line
        if parsed.opens or self._block == line:
            self._held = _Texts()
        yield from (self._find(line, each, values[each.place]) for each in parsed.numbers)
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
            words = tuple(
                word for word in text.label.words if word.field in _OF_ALL and self._first
            )
            if text.label.graphs or words:
                self._graphs.add([text._replace(label=replace(text.label, values={}, words=words))])
        self._first = False

    def _find(self, line: int, number: _Number, text: str) -> Found:
        """Return a number with what all texts say of it."""
        metric = number.label.metric
        if metric is None or number.reason:
            return Found(
                line, self._block, number.label.text, text, *_NOBODY, {}, why=number.reason
            )
        own = (*number.texts, *self._held.list_nearest(), *self._above.list_nearest())
        declarations = _gather((*own, *self._list_before(own), self._name))
        declared: dict[str, str | None] = {
            **declarations.declared,
            "step": _clean(self._step)[1],
        }
        # Only a known name counts there.
        if declarations.origins.get("dataset") == self._name.place:
            del declared["dataset"]
        crowded = self._held.crowded or self._above.crowded or self._graphs.crowded
        value = f"{text.rstrip(' %')}%" if number.label.percent or text.endswith("%") else text
        address = (
            declarations.declared.get("split"),
            declarations.declared.get("side"),
            declarations.declared.get("protocol"),
            None,
        )
        why = _CROWDED if crowded else ""
        name = _write_name(number.label, metric)
        return Found(
            line,
            self._block,
            name,
            value,
            *address,
            declared,
            why=why,
            questions=(*number.questions, *declarations.questions),
        )

    def _list_before(self, own: tuple[Text, ...]) -> tuple[Text, ...]:
        """Return what was said before the block: the datasets count where its texts name none."""
        before = self._graphs.list_nearest()
        if not any(text.label.graphs for text in own):
            return before
        return tuple(
            text._replace(label=replace(text.label, graphs=()))
            for text in before
            if text.label.words
        )


def _write_name(label: Label, metric: Metric) -> str:
    """Return the name of a metric as written; hit@10 and hits@10 are not the same everywhere."""
    span = find_name(label.text, metric) if metric.hits_k is not None else None
    written = metric.label if span is None else label.text[slice(*span)]
    return (
        metric.label
        if squash(written) in {squash(metric.label), metric.key.replace("_", "")}
        else written
    )


_gather = lru_cache(maxsize=4_096)(gather)  # most numbers of a log have the texts of others


# What the whole of a log gives away.

# A sign to the tool that prints it, and has a protocol of its own.
_TOOLS = {
    ".realistic.hits_at_": "pykeen",
    ".realistic.inverse_harmonic_mean_rank": "pykeen",
    "_list at step ": "ogb",
}


def _scan_document(document: Document, _: LogFormat) -> Iterator[Found]:
    """Yield the numbers of a log with the tool that all of it gives away."""
    text = strip_colours(document.text)
    tools = {tool for sign, tool in _TOOLS.items() if sign in text}
    tool = tools.pop() if len(tools) == 1 else None
    for found in _Scan(document.name).read(text):
        yield replace(found, tool=tool)


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
    lines = document.lines[start : first.line + _AROUND]
    rows = find_lines(lines)
    return any(each.line - start not in rows for each in (first, *found))


def _read(document: Document) -> Reading:
    """Read a log, and settle its units: an evaluation is like a row of a table."""
    reading, notes = _READER.read(document), Notes()
    evaluations = np.array([int(row["evaluation"]) for row in reading.rows], dtype=np.intp)
    entries = ask_again(reading.entries, evaluations[reading.entries.rows])
    entries = settle_units(entries, notes, evaluations=evaluations, percent=document.percent)
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


READER = Reader(_READER.key, _recognise, _read)
