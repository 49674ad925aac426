"""Read lines with ``name: value``, ``name = value`` or ``name value``, of any other tool.

Consecutive lines with numbers of metrics are a block. The text before the numbers of a line, and
between the block before and its own, belongs to them: labels of vocabulary declare, other words
ask, and no split is assumed. The other texts on the lines of a block only ask.

Many lines differ in their numbers only, so a line is parsed once with a hole in place of each
number. The text before a hole is a gap; its last part names the number.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.literature import is_mean
from rankconst.evaluation import Question
from rankconst.names import read_count, squash
from rankconst.results.gate import Text, gather
from rankconst.results.labels import (
    ADJUSTED,
    AMOUNT,
    COUNTED,
    CUT_OFF,
    FILE_ENDINGS,
    NO_K,
    OPPOSITES,
    UNKNOWN,
    Label,
    answer,
    find_name,
    list_others,
    name_queries,
    read_label,
    weaken,
)
from rankconst.results.logs.lines import LogFormat, LogNumber, list_settings, rule, strip_colours
from rankconst.results.model_names import names_model
from rankconst.results.neighbours import ask_about_repeated
from rankconst.results.reading import Notes, Reader
from rankconst.results.tables.headings import may_mean_filtered
from rankconst.results.tables.printed import find_lines
from rankconst.results.tables.units import name_percentages, settle_units
from rankconst.results.vocabulary import VOCABULARY, Word
from rankconst.values.published import DIGITS, EXPONENT, PLUS_MINUS, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document
    from rankconst.results.reading import Reading

# A line in pieces.

_HOLE, _CUT = "\0", "\1"  # in place of a number, and of a path
_LONGEST = 2_000  # characters of a gap or a text
_MOST_NUMBERS = 200  # of a line; one with more prints data
_MOST_SHOWN = 60  # characters of a word in a question
# A decimal comma is asked about.
_DIGITS = rf"(?:(?<!\d,)\d{{1,9}},\d{{1,20}}(?![\d,.])|{DIGITS})"
_SPREAD = rf"(?:\s?{PLUS_MINUS}\s?{_DIGITS})?"
# Neither "Hits@10" nor "Hits 10: 0.5", and not the first of "0.3 / 0.4" and "0.3 -> 0.4".
_BEFORE, _AFTER = (
    r"(?<![\w.@/+-])(?<!@ )(?<!>=)(?<!>= )",
    r"(?![\w:=@/]|[.,]\d|-\w|\s*(?:[:=/→]|-+>))",
)
_TRIPLES = rf"\s(?:[a-z-]+\s){{0,3}}{COUNTED}"  # behind a count, which is held against the tasks
# An amount stays among the words; the group is a number that is none.
_NUMBER = re.compile(
    rf"{AMOUNT}"
    rf"|({_BEFORE}(?:[-+]?{_DIGITS}{EXPONENT}{_SPREAD}(?:\s?{UNIT})?|nan|inf){_AFTER}(?!{_TRIPLES}))",
    re.ASCII,
)
_COUNT = re.compile(rf"\d{_TRIPLES}")
# The time and the level before a message, and files: no words of it.
_STAMP = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?"
    r"|(?<![\w:])\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|^\[\d+,\d+\]<std(?:out|err)>:"  # of mpirun
)
_LEVELS = r"(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|NOTICE)\b"
# With the name of a logger, INFO:root: or [src.train][INFO], unless it may be of the message.
_LEVEL = re.compile(
    rf"\b{_LEVELS}(?::(?:root|\w+(?:\.\w+)+)(?=:))?|\[\w+(?:\.\w+)+\](?=\[{_LEVELS}\])"
)
_ENDINGS = "|".join([re.escape(ending) for ending in FILE_ENDINGS])
_FILE = re.compile(rf"https?://\S+|(?<![\w./~-])[\w./~-]{{1,300}}(?:{_ENDINGS})\b(?::\d+)?")
# Hits (filtered) @ 10
_BRACKETED = re.compile(r"\b([A-Za-z]{1,20}) ?\(([A-Za-z_]{1,20})\) ?@ ?(\d{1,6})\b")
# A progress bar: 100%|███| 9/9 [00:10<00:00, MRR=0.3]
_BAR = re.compile(r"(?<!\d)\d++%\|[^|]*\|\s*(\d+/\d+)\s\[[^\],]*")
# Relation 7 (born in), relation: born_in, relation _hypernym
_PART = re.compile(
    rf"(?P<noun>[A-Za-z]{{2,20}})(?:(?P<number>[ _#]*[\d{_HOLE}]{{1,7}})(?!\w)"
    rf"|\s?(?:[:=]\s?[\w{_HOLE}]|\s[_/]\w).*)"
)
_CODE = re.compile(r"[(<>=]")  # no sign of a name
# split=test before another such pair
_PAIR = re.compile(r"(?<!\S)([\w./@-]{1,60}=[^\s=,;]{1,200})\s(?=\s{0,9}[\w./@-]{1,60}=)")
_BRACKET = re.compile(r"(?=\[[A-Za-z]{2,20}\])")  # before [TEST]
_STEP = re.compile(
    r"\b(?:epochs?|steps?|iter(?:ation)?s?)\b[\s:=#\[({]*(\d{1,12})(?!\.\d)(?:\s*/\s*\d+)?[\])}]?",
    re.IGNORECASE,
)
_WRAPPER = re.compile(r"[\w.]{1,60}\($")  # np.float64(0.3)
_PARTS = re.compile(
    r"[{};\[\]\"'`\t]+|(?<!\w)\||\|(?!\w)|,(?!\d{3}\b)|[:!](?=\s|$)"
    r"|\s-{1,3}(?=\s|$)|-{1,3}>|\s{3,}"
)
_EDGES = " *#=>~-:.()"
# Such as filtered=False.
_FLAG = re.compile(r"([A-Za-z][\w.-]{0,60})['\"]?\s{0,9}[:=]\s{0,9}['\"]?([A-Za-z]{1,9})\b")
_COUNTING = {"num_triples", "hyperparameter"}  # roles of names whose words ask nothing
_SETTING = re.compile(rf"([A-Za-z][\w.-]{{0,60}})['\"]?\s{{0,9}}[:=]\s{{0,9}}{_HOLE}")
_UNKNOWN_METRIC = re.compile(rf"{CUT_OFF.pattern}|^hits?$", re.ASCII | re.IGNORECASE)

_MORE_NAMES = "several names of metrics are before it"
_MORE_NUMBERS = "several numbers are behind its name"
_LABEL_BEHIND = (
    "a label is between or behind the numbers of its line: put each evaluation on a line of its own"
)


def _cut(line: str) -> list[str]:
    """Cut a line before its labels in brackets, if several name splits, else return it whole.

    Text that was written over, as by a progress bar, is dropped.

    >>> _cut("[VALID] MRR: 0.3 [TEST] MRR: 0.2")
    ['', '[VALID] MRR: 0.3 ', '[TEST] MRR: 0.2']
    """
    shown = line.rpartition("\r")[2]
    if shown.count("[") < 2:
        return [shown]
    pieces = _BRACKET.split(shown)
    labels = [read_label(piece[1:].partition("]")[0]) for piece in pieces]
    splits = [label for label in labels if "split" in label.declared]
    return pieces if len(splits) > 1 else [shown]


class _Cleaned(NamedTuple):
    """A line without time, level, names of files and step."""

    text: str
    step: str = ""  # the epoch or step that it names


def _clean(line: str) -> _Cleaned:
    """Remove time, level, files and step from a line: "INFO Epoch 10: MRR: 0.3" has step "10"."""
    text = name_queries(line.replace(_HOLE, " ").replace(_CUT, " "))
    if ":" in text:
        text = _STAMP.sub(" ", text)

    text = _LEVEL.sub(" ", text)
    if "%|" in text:  # below 100%, numbers are of a part, unless the bar is that of an epoch
        shown = " " if _STEP.search(text) else r" \1 "
        text = _BAR.sub(shown, text)

    if "(" in text and "@" in text:  # Hits (filtered) @ 10 becomes filtered Hits@10
        text = _BRACKETED.sub(r"\2 \1@\3", text)

    if text.count("=") > 1:  # split=test mrr=0.3 becomes split=test, mrr=0.3
        text = _PAIR.sub(r"\1, ", text)

    if "." in text or "/" in text:
        text = _FILE.sub(f" {_CUT} ", text)

    step = _STEP.search(text)
    return _Cleaned(text) if step is None else _Cleaned(_STEP.sub(" ", text), step[1])


@lru_cache(maxsize=1)
def _find_step(line: str) -> str:
    """Find the epoch or step that a line names."""
    return _clean(line).step


class _Number(NamedTuple):
    """A number of a line, without its digits."""

    label: Label  # of its name
    place: int  # among the numbers of the line
    reason: str = ""  # why it cannot be adjusted


class _Line(NamedTuple):
    """The numbers of metrics on a line, and its texts."""

    numbers: tuple[_Number, ...] = ()
    texts: tuple[Text, ...] = ()  # about these numbers, the nearest first
    below: tuple[Text, ...] = ()  # about those of the lines below
    counted: int | None = None  # the place of the number of triples among the numbers of the line
    # True if it begins with words of vocabulary, which name its tasks as a row of a table does.
    opens: bool = False
    has_step: bool = False
    prefix: str = ""  # words in front of its numbers that are not understood, and name no model


@lru_cache(maxsize=8_192)
def _parse(template: str) -> _Line:
    """Return the numbers of metrics on a line, with a hole in place of each number, and its texts.

    With _ as the hole, "Run 1, MRR: _, loss: _ on WN18" has the gaps "Run 1, MRR: " and ", loss: ",
    and the end " on WN18". Only the first number is of a metric.
    """
    *gaps, end = template.replace(_CUT, " ").split(_HOLE)
    if len(gaps) >= _MOST_NUMBERS or any(len(gap) > _LONGEST for gap in (*gaps, end)):
        gaps = []  # it is a print of data, without results

    parser = _LineParser()
    for place, gap in enumerate(gaps):
        parser.read_gap(place, gap)

    if not parser.numbers:
        return _Line(below=_read_remark(template), counted=parser.counted)

    for part in _PARTS.split(end):
        parser.behind += _read_labels(part.strip(_EDGES))

    line = _gather_texts(parser.numbers, parser.before, parser.behind, opens=parser.opens)
    return line._replace(counted=parser.counted, prefix=parser.prefix)


class _LineParser:
    """Reads the gaps of a line from left to right."""

    def __init__(self) -> None:
        self.numbers: list[_Number] = []
        self.before: list[Label] = []  # the labels before the first number
        self.behind: list[Label] = []
        self.opens = False
        self.prefix = ""
        self.counted: int | None = None
        self._shared = ""  # the metric of "MRR: Tail: 0.1, Head: 0.2"

    def read_gap(self, place: int, gap: str) -> None:
        """Read the text before the number at a place."""
        words, name = _split_gap(gap)
        label = read_label(name)
        other_metrics = [word for word in words if _names_metric(word)]
        is_remark = gap.lstrip().startswith("(")  # about the number before
        # First a name such as Tail gets its metric, since the rest depends on that.
        if label.metric is None and label.is_vocabulary and not is_remark:
            if other_metrics:
                self._shared = other_metrics[-1]
            if self._shared:
                label, other_metrics = read_label(f"{self._shared} {name}"), []

        labels = [inner for word in words for inner in _read_labels(word)]
        if label.metric is not None or _UNKNOWN_METRIC.search(name) is not None:
            if self.numbers:
                self.behind += labels
            else:
                self.opens = bool(label.values) or any(inner.is_vocabulary for inner in labels)
                self.before += labels
                self.prefix = " ".join(filter(_is_unknown, words))
            self.numbers.append(_Number(label, place, _find_reason(label, name, other_metrics)))
        else:
            self._read_other(place, name, label, labels)

    def _read_other(self, place: int, name: str, label: Label, labels: Sequence[Label]) -> None:
        """Read the name of another number, as of loss, and the labels before it, which only ask."""
        around = self.behind if self.numbers else self.before
        around += [weaken(inner) for inner in labels]
        role = VOCABULARY.match_role(name)
        if role == "num_triples" and "split" not in label.values:
            self.counted = place

        if role not in _COUNTING:
            asking = (*_read_labels(name), *_ask_about_part(f"{name}{_HOLE}"))
            around += [weaken(inner) for inner in asking]

        is_second = bool(self.numbers) and self.numbers[-1].place == place - 1
        if is_second and not name:  # the 0.4 of "MRR: 0.3 0.4"
            last = self.numbers[-1]
            self.numbers[-1] = last._replace(reason=last.reason or _MORE_NUMBERS)


def _split_gap(gap: str) -> tuple[list[str], str]:
    """Split the text in front of a number into words and its name, the last of them.

    >>> _split_gap("Run 1, MRR: "), _split_gap("")
    ((['Run 1'], 'MRR'), ([], ''))
    """
    bare = _WRAPPER.sub("", gap).rstrip(" \t:='\"`")
    trimmed = (_trim(part) for part in _PARTS.split(bare))
    parts = [part for part in trimmed if part] or [""]
    return parts[:-1], parts[-1]


def _trim(part: str) -> str:
    """Trim signs off the ends of a part of a line, but not a bracket that closes another: H(1)."""
    bare = part.strip(_EDGES)
    if bare.count("(") > bare.count(")") and ")" in part:
        return f"{bare})"
    return bare


def _find_reason(label: Label, name: str, metrics: list[str]) -> str:
    """Return why a number cannot be adjusted; `metrics` are other names of metrics before it."""
    if label.reason:
        return label.reason
    if label.metric is None:
        return UNKNOWN if "@" in name else NO_K
    if label.adjustment:
        return ADJUSTED
    return _MORE_NAMES if metrics else ""


def _gather_texts(
    numbers: list[_Number], before: list[Label], behind: list[Label], *, opens: bool
) -> _Line:
    """Return a line with its numbers and texts; labels `behind` the first number only ask."""
    asking = [Text(weaken(number.label), "row", "its line") for number in numbers]
    for label in behind:
        asking += _list_texts(weaken(label))

    # "MRR: 0.3 test MRR: 0.2" may be read in two ways.
    declares = any(label.is_vocabulary and (label.values or label.graphs) for label in behind)
    if declares:
        numbers = [number._replace(reason=number.reason or _LABEL_BEHIND) for number in numbers]

    declaring = [text for label in before for text in _list_texts(label)]
    below = dict.fromkeys(
        text._replace(label=weaken(text.label), place="a line above")
        for text in (*declaring, *asking)
    )
    texts = (*_find_split(numbers), *declaring[::-1], *asking)
    return _Line(tuple(numbers), texts, tuple(below), opens=opens)


def _find_split(numbers: list[_Number]) -> tuple[Text, ...]:
    """Return the split of all numbers that the name of the first has: "Test MRR: 0.3 MR: 177"."""
    first, *others = [number.label for number in numbers]
    if "split" not in first.values or any("split" in label.values for label in others):
        return ()

    word, blank, _ = first.text.partition(" ")
    if not (first.is_vocabulary and blank and word.isalpha()):  # valid_mrr, a key of one number
        return ()

    values = {"split": first.values["split"]}
    return (Text(Label(first.text, values=values, is_vocabulary=True), "row", "its line"),)


def _list_texts(label: Label) -> list[Text]:
    """Return a label as texts of a row and of a sentence, to ask about the words of both."""
    if not label.is_about_tasks:
        return []
    return [Text(label, "row", "its line"), Text(label, "text", "its line")]


def _is_unknown(word: str) -> bool:
    """Tell whether a word in front of a number may be a part of the data: "_hypernym"."""
    label = read_label(word)
    is_known = label.is_vocabulary or label.is_about_tasks or label.metric is not None
    return not (is_known or _CODE.search(word) or names_model(word.split()))


@lru_cache(maxsize=4_096)
def _names_metric(text: str) -> bool:
    """Tell whether a text is the name of a metric."""
    label = read_label(text)
    return label.metric is not None and label.is_vocabulary


def _read_remark(template: str) -> tuple[Text, ...]:
    """Read a line without numbers of metrics as texts about the numbers below it.

    "Test results" declares a split, but "test: 20466" and "train: train.txt" are about the data.
    """
    text = template
    for setting in _SETTING.finditer(template):  # such as negative_sample_size
        if VOCABULARY.match_role(setting[1]) in _COUNTING:
            text = text.replace(setting[0], " ")

    text = text.replace(_HOLE, " ").replace(_CUT, " ").strip(_EDGES)
    is_data = _HOLE in template or _CUT in template or _COUNT.search(template) is not None
    labels = [_drop_split(label, is_data=is_data) for label in _read_labels(text)]
    labels += _ask_about_part(template.strip(_EDGES))
    labels += [Label(name, graphs=(name,), is_vocabulary=True) for name in list_settings(template)]
    texts = []
    for label in labels:
        if label.is_about_tasks:
            texts.append(Text(label, "text", "a line above"))
            if label.is_vocabulary and not is_data:  # like the cell of a row, such as "std"
                texts.append(Text(label, "row", "a line above"))

    return tuple(texts)


def _ask_about_part(text: str) -> Iterator[Label]:
    """Yield a question about a text that begins like "relation 7" or "relation: born_in"."""
    part = _PART.match(text)
    if part is None:
        return
    if VOCABULARY.names_part(part["noun"], numbered=part["number"] is not None):
        word = part[0].replace(_HOLE, "").strip(" :=").lower()[:_MOST_SHOWN]
        yield Label(text.replace(_HOLE, ""), words=(Word(word, "part"),))


def _drop_split(label: Label, *, is_data: bool) -> Label:
    """Drop the split of a label that is about data, or about training."""
    if not is_data and label.declared.get("split") != "train":
        return label
    values = {name: value for name, value in label.values.items() if name != "split"}
    return replace(label, values=values)


def _read_labels(text: str) -> Iterator[Label]:
    """Yield the label of a text, or those of the pieces of a long one; "filtered=False" asks."""
    asking = list[Word]()
    for flag in _FLAG.finditer(text):
        name, word = flag.groups()
        if VOCABULARY.flags.get(word.lower()) is not False:
            continue
        label = read_label(name)
        denial = answer(label, word)
        is_usual = denial is not None and not (denial.values or denial.words)  # debug=False
        if is_usual or (denial and denial.declared == {"protocol": "filtered"}):  # raw=False
            text = text.replace(flag[0], " ")
            continue
        # If a flag is off, another value than the one in its name may hold.
        for field, (value, *_) in label.values.items():
            asking.append(Word(value, field, says=OPPOSITES.get(value, "")))

    if asking:
        yield Label(text, words=tuple(asking))

    yield from _ask_about_part(text)
    if len(text) <= _LONGEST:
        yield read_label(text)
        return

    for part in textwrap.wrap(text, _LONGEST):
        yield weaken(read_label(part))


# A log from top to bottom.

_MOST_TEXTS = 60  # about a number
_CROWDED = f"more than {_MOST_TEXTS} different lines say something of it: split the log"
_OF_ALL = {"protocol", "task"}  # words above the first block may be about all of them
_MOST_ALIKE = 50_000  # lines that are remembered
_DIGIT = re.compile(r"\d")
_ALIKE = str.maketrans("123456789", "000000000")  # lines that differ in digits are read alike
_gather = lru_cache(maxsize=4_096)(gather)  # most numbers of a log have the texts of others


class _Texts:
    """The texts of lines, the nearest last; only the nearest of those with the same labels."""

    def __init__(self) -> None:
        self._texts: dict[object, Text] = {}
        self.crowded = False

    def add(self, texts: Iterable[Text]) -> None:
        """Add the texts of a line."""
        for text in texts:
            label = text.label
            values = tuple(label.values.items())
            key = text.scope, label.is_vocabulary, label.graphs, label.words, values
            self._texts.pop(key, None)
            self._texts[key] = text
            if len(self._texts) > _MOST_TEXTS:
                self.crowded = True
                del self._texts[next(iter(self._texts))]

    def list_nearest(self) -> tuple[Text, ...]:
        """Return the texts, the nearest first."""
        return tuple(self._texts.values())[::-1]


class _Scan:
    """Reads a log from top to bottom.

    Lines of numbers that follow each other are a block, and remarks are the lines between blocks.
    """

    def __init__(self, tool: str | None = None) -> None:
        self._tool = tool
        self._before = _Texts()  # what was kept of the log up to the last block
        self._above = _Texts()  # of the remarks since the last block
        self._inside = _Texts()  # of the lines of the open block
        self._block = 0  # the line where the open block begins; 0 between blocks
        self._is_first = True  # until the first block ends
        self._step = ""  # the last line with an epoch or step: "Epoch 10"
        self._count = ""  # the number of triples that a line has: "2000" of "2000 test triples"
        # Remarks that were parsed, by their lines with 0 for each digit.
        self._remarks: dict[str, _Line] = {}

    def read(self, text: str) -> Iterator[LogNumber]:
        """Yield the numbers in the order of their lines."""
        lines = enumerate(text.split("\n"), 1)
        pieces = ((number, piece) for number, raw in lines for piece in _cut(raw))
        for number, line in pieces:
            shape = line.translate(_ALIKE)
            parsed, values = self._remarks.get(shape), list[str]()
            if parsed is None:
                words, step = _clean(line)
                values = [number for number in _NUMBER.findall(words) if number]
                template = _NUMBER.sub(lambda found: _HOLE if found[1] else found[0], words)
                parsed = _parse(template)._replace(has_step=bool(step))
                # Lines differ in a digit of a name, as in FB15k, and in a count of triples.
                has_digits = _DIGIT.search(template) is not None or parsed.counted is not None
                is_alike = not parsed.numbers and not has_digits
                if is_alike and len(self._remarks) < _MOST_ALIKE:
                    self._remarks[shape] = parsed

            if parsed.has_step:
                self._step = line

            if not parsed.numbers:
                self._end_block()

            if parsed.counted is not None:
                self._count = str(read_count(values[parsed.counted]) or "")

            if parsed.numbers:
                self._begin(number, parsed)
                for named in parsed.numbers:
                    made = self._make_number(number, named, parsed.texts, values[named.place])
                    yield made.say(prefix=parsed.prefix)
                self._inside.add(parsed.below)
            else:
                self._above.add(parsed.below)

    def _begin(self, line: int, parsed: _Line) -> None:
        """Begin a block at a line of numbers, or continue the open one.

        A line such as "Test MRR: 0.3" opens tasks of its own, so what the block said before is
        dropped. Words about the task still ask, as a mean may be over the numbers above it.
        """
        if parsed.opens or not self._block:
            said = self._inside.list_nearest()[::-1]  # the farthest first, as they were added
            self._inside = _Texts()
            if self._block:  # of a block that has ended, nothing stays
                self._inside.add(text for text in said if text.label.has_word_of("task"))
        self._block = self._block or line

    def _end_block(self) -> None:
        """End the open block, and keep the datasets above it for later blocks."""
        if not self._block:
            return

        for text in self._above.list_nearest()[::-1]:  # in the order of the lines
            words: tuple[Word, ...] = ()
            if self._is_first:
                words = tuple(word for word in text.label.words if word.field in _OF_ALL)
            if text.label.graphs or words:
                label = replace(text.label, values={}, words=words)
                self._before.add([text._replace(label=label)])

        self._is_first = False
        self._block = 0  # none is open
        self._above = _Texts()
        self._count = ""

    def _make_number(
        self, line: int, number: _Number, texts: tuple[Text, ...], value: str
    ) -> LogNumber:
        """Return a number with what texts declare and ask, or the reason why it is left out."""
        label, metric = number.label, number.label.metric
        if metric is None or number.reason:
            return LogNumber(
                line=line, heading=self._block, name=label.text, text=value, reason=number.reason
            )

        others = () if label.is_vocabulary else list_others(label.text)
        if any(may_mean_filtered(word) for word in others):
            values = {**label.values, "protocol": ("filtered",)}  # next to "fmrr", "mrr" may be raw
            label = replace(label, is_vocabulary=True, values=values)

        near = (
            Text(label, "column", "its name"),
            *texts,
            *self._inside.list_nearest(),
            *self._above.list_nearest(),
        )
        declarations = _gather((*near, *self._list_before(near)))
        fields: dict[str, str | None] = {**declarations.declared}
        count = self._count or str(declarations.num_triples or "")
        fields |= {"step": _find_step(self._step), "tool": self._tool, "num_triples": count}
        questions = declarations.questions
        if not number.label.is_vocabulary:  # "mr_type"
            name = label.text[:_MOST_SHOWN]
            questions = (Question("part", name, name.lower(), "its name"), *questions)

        is_crowded = self._inside.crowded or self._above.crowded or self._before.crowded
        is_percent = label.percent or value.endswith("%")
        return LogNumber(
            line=line,
            heading=self._block,
            name=_write_name(label.text, metric),
            text=f"{value.rstrip(' %')}%" if is_percent else value,
            fields=fields,
            reason=_CROWDED if is_crowded else "",
            questions=questions,
        )

    def _list_before(self, near: tuple[Text, ...]) -> tuple[Text, ...]:
        """List the texts before the block, with their datasets if no nearer text names one."""
        before = self._before.list_nearest()
        graphs = {graph for text in before for graph in text.label.graphs}
        is_of_all = len(graphs) > 1 and any(is_mean(text.label.text) for text in near)
        if not is_of_all and not any(text.label.graphs for text in near):
            return before
        asking = [text for text in before if text.label.words]
        return tuple([text._replace(label=replace(text.label, graphs=())) for text in asking])


@lru_cache(maxsize=4_096)
def _write_name(name: str, metric: Metric) -> str:
    """Return the usual name of a metric, or its own spelling where tools differ: "hit@10"."""
    span = find_name(name, metric) if metric.hits_k is not None else None
    if span is None:
        return metric.label
    written = name[slice(*span)]
    is_usual = squash(written) in {squash(metric.label), metric.key.replace("_", "")}
    return metric.label if is_usual else written


# The reader.

_PYKEEN = (".realistic.hits_at_", ".realistic.inverse_harmonic_mean_rank")


def _scan_document(document: Document, _: LogFormat) -> Iterator[LogNumber]:
    """Yield the numbers of a log; names of PyKEEN mean its protocol."""
    text = strip_colours(document.text)
    tool = "pykeen" if any(name in text for name in _PYKEEN) else None
    return _Scan(tool).read(text)


def _ask_about_prefixes(numbers: list[LogNumber]) -> list[LogNumber]:
    """Ask about the words in front of a metric if they differ in a block of the log.

    They may be names of relations: "born_in MRR: 0.3" over "lives_in MRR: 0.2".
    """
    metrics = [(number.heading, number.name, number.fields.get("split")) for number in numbers]
    prefixes = [number.fields.get("prefix") or "" for number in numbers]
    num_prefixes = Counter(metric for metric, _ in set(zip(metrics, prefixes, strict=True)))
    judged = []
    for number, metric, prefix in zip(numbers, metrics, prefixes, strict=True):
        questions = number.questions
        if prefix and num_prefixes[metric] > 1:
            shown = prefix[:_MOST_SHOWN]
            word = prefix.lower()[:_MOST_SHOWN]
            questions = (*questions, Question("part", shown, word, "its line"))
        judged.append(replace(number, questions=questions))

    return judged


_READER = LogFormat(
    key="generic", values=rule(""), scan=_scan_document, refine=_ask_about_prefixes
).reader
_AROUND = 200  # lines
_TABLES = {".csv", ".tsv", ".tex"}  # endings of files of tables


def _recognise(document: Document) -> bool:
    """Tell whether a line near the first number of a metric has one, and is not of a table."""
    if document.suffix in _TABLES:
        return False

    numbers = _Scan().read(strip_colours(document.text))
    first = next(numbers, None)
    if first is None:
        return False

    # Rows of a table with metrics in its first column look like lines of a log.
    start = max(first.line - _AROUND, 0)
    rows = find_lines(document.lines[start : first.line + _AROUND])
    return any(number.line - start not in rows for number in (first, *numbers))


def _read(document: Document) -> Reading:
    """Read a log, and settle its units: an evaluation is like a row of a table."""
    reading, notes = _READER.read(document), Notes()
    evaluations = np.array([int(row["evaluation"]) for row in reading.rows], dtype=np.intp)
    entries = ask_about_repeated(reading.entries, evaluations[reading.entries.rows])
    entries = settle_units(entries, notes, evaluations=evaluations, percent=document.percent)
    parts = ["lines of names and numbers", reading.understood]
    tools = dict.fromkeys(context.tool for context in entries.contexts if context.tool)
    if tools:
        parts.append(f"as {' and '.join(tools)} prints them")

    parts.append(name_percentages(entries))
    understood = "; ".join(part for part in parts if part)
    skipped = (*reading.skipped, *notes.skipped())
    return replace(reading, entries=entries, skipped=skipped, understood=understood)


READER = Reader(_READER.key, _recognise, _read)
