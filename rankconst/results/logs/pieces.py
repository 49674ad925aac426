"""A line of a log in pieces: the numbers with the names before them, and what else the line says.

A line is parsed once without its numbers, which repeat in other lines with the same words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rankconst.evaluation import Ask
from rankconst.results.gate import Text
from rankconst.results.labels import FILE_ENDINGS, Label, read_label
from rankconst.results.logs.lines import list_settings
from rankconst.results.vocabulary import FIELDS, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOLE = "\0"  # where a number stands
_LONGEST = 2_000
_MOST_NUMBERS = 200
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+\.?\d*|\.\d+)"
_SPREAD = rf"(?:\s?(?:±|\+/-|\+-)\s?{_DIGITS})?"
# Neither "Hits@10" nor "Hits 10: 0.5", and not the first of "0.3 / 0.4" and "0.3 -> 0.4".
_BEFORE, _AFTER = r"(?<![\w.@/+-])(?<!@ )", r"(?![\w:=@/]|[.,]\d|-\w|\s*(?:[:=/→]|-+>))"
_NUMBER = re.compile(rf"{_BEFORE}(?:[-+]?{_DIGITS}(?:[eE][-+]?\d+)?{_SPREAD}(?:\s?%)?|nan|inf){_AFTER}", re.ASCII)
# What stands before a message, or is not a word of it.
_STAMP = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?|(?<![\w:])\d\d:\d\d:\d\d(?:[.,]\d+)?")
_LEVEL = re.compile(r"\b(?:INFO|DEBUG|WARNING|ERROR|CRITICAL|NOTICE)\b")
_BAR = re.compile(r"(?<!\d)\d{1,3}%\|[^|]*\||(?<!\d)\d{1,9}/\d{1,9} \[[=>.]+\]")
_SPEED = re.compile(r"\[[\d:]{1,20}<[^,\]]{0,99}(?:, *[\d.?]{1,20} ?\w+/\w+)?")
_ENDINGS = "|".join(map(re.escape, FILE_ENDINGS))
_FILE = re.compile(rf"https?://\S+|(?<![\w./~-])[\w./~-]{{1,300}}(?:{_ENDINGS})\b(?::\d+)?")
_STEP = re.compile(
    r"\b(?:epochs?|steps?|iter(?:ation)?s?)\b[\s:=#\[({]*(\d{1,12})(?!\.\d)(?:\s*/\s*\d+)?[\])}]?", re.IGNORECASE
)
_WRAPPER = re.compile(r"(?:[\w.]{1,60}\()$")
_PARTS = re.compile(r"([{}])|[,;|\[\]\"'`\t]+|:(?=\s|$)|\s-{1,3}(?=\s|$)|-{1,3}>|\s{3,}")
_EDGES = " *#=>~-:.()"
_BESIDE = re.compile(r"\s*\(([^()]*)\)")
_ROLE = re.compile(r"[^\w\s]{0,9}\s{0,9}(\w[\w ]{0,39}?)\s{0,9}[:=]\s*(\S.*)")
_DENIED = re.compile(r"([A-Za-z][\w.-]{0,60})['\"]?\s{0,9}[:=]\s{0,9}(?:False|false|no|off)\b")  # filtered=False
_NO_K = "it does not say which k"
_MORE_NAMES = "several names of metrics stand before it"
_MORE_NUMBERS = "several numbers are behind its name"


class Number(NamedTuple):
    """A number of a line, without its digits."""

    label: Label  # what its name says
    place: int  # which of the numbers of the line it is
    texts: tuple[Text, ...] = ()  # what the line says of it, the nearest first
    asks: tuple[Ask, ...] = ()  # about words of its name that are not vocabulary

    @property
    def reason(self) -> str:
        """Why it cannot be adjusted, as half a sentence."""
        if self.label.metric is None:
            return _NO_K
        return self.label.reason or ("it is adjusted already" if self.label.adjustment else "")


class Held(NamedTuple):
    """Words before a number, which may hold for further ones."""

    text: Text
    leads: bool = False  # True if they are a part of its name: Tail in ``Tail MRR``
    seen: frozenset[tuple[str, str]] = frozenset()  # the names since: a metric, and what else they say

    def tell(self, label: Label) -> Text:
        """Return the text for a number; it only asks if the number is another one of the same name."""
        name = name_number(label)
        again = any(metric == name[0] for metric, _ in self.seen) if self.leads else name in self.seen
        return self.text._replace(label=weaken(self.text.label)) if again else self.text


class Line(NamedTuple):
    """What a line with numbers says."""

    numbers: tuple[Number, ...] = ()
    opens: bool = False  # True if it begins with words of vocabulary, as the row of a table does
    held: tuple[Held, ...] = ()  # what may hold for further lines


def name_number(label: Label) -> tuple[str, str]:
    """Return the metric that a name says, and what else it says."""
    return label.metric.key if label.metric is not None else "", repr(sorted(label.values.items()))


@lru_cache(maxsize=4_096)
def name_saying(label: Label, *, leads: bool = False) -> object:
    """Return what is the same for all lines that say the same."""
    return (label.whole, label.graphs, label.words, leads, *label.values.items())


def clean(line: str) -> tuple[str, str]:
    """Return a line without its prefix, and the epoch or step that it names."""
    text = line.replace(_HOLE, " ")
    if "|" in text or "<" in text or "]" in text:
        text = _SPEED.sub(" ", _BAR.sub(" ", text))
    if ":" in text:
        text = _STAMP.sub(" ", text)
    text = _LEVEL.sub(" ", text)
    if "." in text or "/" in text:
        text = _FILE.sub(" ", text)
    step = _STEP.search(text)
    return (text, "") if step is None else (_STEP.sub(" ", text), step[1])


def take_numbers(text: str) -> tuple[str, list[str]]:
    """Return a line without its numbers, and these."""
    values = _NUMBER.findall(text)
    return _NUMBER.sub(_HOLE, text) if values else text, values


@lru_cache(maxsize=8_192)
def read_text(template: str) -> tuple[Text, ...]:
    """Return what a line without metrics says of the numbers below it."""
    text = template.replace(_HOLE, " ").strip(_EDGES)
    pair = _ROLE.fullmatch(text) if len(text) < _LONGEST else None
    if pair is not None and read_label(pair[1]).role in {*FIELDS, "dataset"}:
        text = pair[2]
    labels = [label for label in _read_labels(text) if label.tells]
    labels += [Label(name, graphs=(name,), whole=True) for name in list_settings(template)]
    # A label of vocabulary is like the cell of a row: "std" above a number says that it is one.
    return tuple(Text(label, scope, "a line above") for label in labels for scope in ["text"] + ["row"] * label.whole)


def _read_labels(text: str) -> Iterator[Label]:
    """Yield the label of a text; those of its pieces, which only ask, if it is very long."""
    if denied := tuple(word for found in _DENIED.finditer(text) for word in _deny(found[1])):
        yield Label(text, words=denied)
    if len(text) <= _LONGEST:
        yield read_label(text)
        return
    words = re.findall(rf"\S{{1,{_LONGEST // 2}}}", text)
    start, length = 0, 0
    for i, word in enumerate((*words, "")):
        length += len(word) + 1
        if length > _LONGEST or i == len(words):
            yield weaken(read_label(" ".join(words[start:i])))
            start, length = i, len(word)


def _deny(name: str) -> Iterator[Word]:
    """Yield what a flag that is off may say: another value than its name."""
    for field, (value, *_) in read_label(name).values.items():
        yield Word(value, field, frozenset({"row", "text"}), "a flag of this name is off")


def _place(label: Label, scope: str = "row") -> tuple[Text, ...]:
    """Return what a line says of its own numbers: beside them, as in a row, and in words, as in a sentence."""
    text = Text(label, scope, "its line")
    more = scope == "row" and any("row" not in word.scopes for word in label.words)
    return (text, text._replace(scope="text")) if more else (text,)


def weaken(label: Label, field: str = "") -> Label:
    """Return a label that only asks, about a field or all."""
    words = tuple(word for word in label.words if word.field == field or not field)
    return replace(label, whole=False, words=words, graphs=() if field else label.graphs)


class _Parser:
    """Takes the pieces of a line one after the other."""

    def __init__(self) -> None:
        self.numbers: list[Number] = []
        self.opens = False
        self._words: list[Held] = []
        self._metric = ""  # a metric that names the numbers below: "MRR: Tail: 0.1, Head: 0.2"

    def take_gap(self, gap: str, place: int) -> None:
        """Take the text between two numbers; the second is the one with that place."""
        beside = _BESIDE.match(gap)
        if beside is not None and self.numbers and (label := read_label(beside[1])).tells:
            self._attach(label)
        gap = _WRAPPER.sub("", gap[beside.end() if beside is not None and self.numbers else 0 :])
        if not gap.strip(_EDGES + ",;|/[]"):
            self._refuse(_MORE_NUMBERS, place - 1)
        separated = gap.rstrip().endswith((":", "="))
        parts = [part for part in _PARTS.split(gap.rstrip(" \t:='\"`")) if part is not None] if gap.strip() else []
        if self.numbers and len(parts) > 1 and gap[:1].isspace() and parts[0].strip(_EDGES):
            self._attach(read_label(parts.pop(0).strip(_EDGES)))
        for part in parts[:-1]:
            self._take_part(part)
        if parts:
            self._take_name(parts[-1].strip(_EDGES.replace("(", "").replace(")", "")), place, separated=separated)
        if sum(_names_metric(part.strip(_EDGES)) for part in parts) > 1:
            self._refuse(_MORE_NAMES, place)

    def _refuse(self, reason: str, place: int) -> None:
        """Refuse the last number, if it is the one with that place."""
        if self.numbers and place == self.numbers[-1].place:
            last = self.numbers[-1]
            self.numbers[-1] = last._replace(label=replace(last.label, reason=last.label.reason or reason))

    def take_rest(self, gap: str) -> None:
        """Take the text behind the last number."""
        parts = [part.strip(_EDGES) for part in _PARTS.split(gap) if part and part.strip(_EDGES)]
        for i, part in enumerate(parts):
            for label in _read_labels(part):
                if i == 0 and self.numbers and gap[:1].isspace():
                    self._attach(label)
                elif label.tells:
                    self._tell_all(*_place(weaken(label)))

    def _attach(self, label: Label) -> None:
        """Add what stands right behind a number; of those before and after, it only asks."""
        last = self.numbers.pop()
        self._tell_all(*_place(weaken(label)))
        self.numbers.append(last._replace(texts=(*last.texts[:1], *_place(label), *last.texts[1:])))
        self._words.extend(map(Held, _place(weaken(label))))

    def _tell_all(self, *texts: Text) -> None:
        self.numbers = [each._replace(texts=(*each.texts, *texts)) for each in self.numbers]

    def _take_part(self, part: str) -> None:
        """Take words before a number, or a brace: behind one that closes, what was before only asks."""
        if part == "}":
            self._words = [Held(held.text._replace(label=weaken(held.text.label))) for held in self._words]
        for label in _read_labels(part.strip(_EDGES)) if part not in {"{", "}"} else ():
            if label.metric is not None and label.whole:
                self._metric = label.text
            self._add(label)

    def _add(self, label: Label, scope: str = "row", *, leads: bool = False) -> None:
        self.opens = self.opens or (not self.numbers and label.whole)
        if label.tells:
            self._words.extend(Held(text, leads) for text in _place(label, scope))
            following = weaken(label, "split")
            if following.words:
                self._tell_all(*_place(following))

    def _take_name(self, text: str, place: int, *, separated: bool) -> None:
        """Take the name of a number, if it is one of a metric, with the words before it."""
        label = read_label(text)
        lead = _find_lead(text) if label.metric is not None else ""
        if label.metric is None and self._metric and label.whole and separated:
            self._add(weaken(label))
            label = read_label(f"{self._metric} {text}")
        if label.metric is None and text.lower() in {"hits", "hit"}:
            self.numbers.append(Number(label, place))
        if label.metric is None or not (separated or label.whole):
            for each in map(weaken, _read_labels(text)):  # before another number, it may be of those so far
                self._tell_all(Text(each, "text", "its line"))
                self._add(each, "text")
            return
        if lead:
            self._add(read_label(lead), leads=True)
        before = tuple(held.tell(label) for held in reversed(self._words))
        self._tell_all(Text(weaken(label, "split"), "row", "its line"))
        self.numbers.append(Number(label, place, (Text(label, "column", "its name"), *before), _ask_unknown(label)))
        self._words = [held._replace(seen=held.seen | {name_number(label)}) for held in self._words]
        if not lead and "split" in label.values:
            self._words.append(Held(Text(weaken(label, "split"), "row", "its line")))

    def finish(self) -> Line:
        """Return the line, once all is taken."""
        return Line(tuple(self.numbers), self.opens, tuple(self._words))


@lru_cache(maxsize=8_192)
def parse_line(template: str) -> Line:
    """Return the numbers of a line, and what it says of them."""
    gaps = template.split(_HOLE)
    if len(gaps) > _MOST_NUMBERS or max(map(len, gaps)) > _LONGEST:
        return Line()
    parser = _Parser()
    for place, gap in enumerate(gaps[:-1]):
        parser.take_gap(gap, place)
    parser.take_rest(gaps[-1])
    return parser.finish()


@lru_cache(maxsize=4_096)
def _names_metric(text: str) -> bool:
    """Tell whether a text is the name of a metric."""
    return read_label(text).metric is not None and read_label(text).whole


def _find_lead(name: str) -> str:
    """Return the words of vocabulary before a metric: Test in ``Test MRR``; they hold for the metrics that follow."""
    words = name.split()
    leads = (" ".join(words[:i]) for i in range(min(len(words) - 1, 8), 0, -1))
    return next((lead for lead in leads if (label := read_label(lead)).whole and label.metric is None), "")


def _ask_unknown(label: Label) -> tuple[Ask, ...]:
    """Return questions about the words of a metric's name that are not vocabulary: type in ``mr_type``."""
    if label.whole:
        return ()
    words = [
        word for word in re.findall(r"[^\W\d_]+", label.text) if word.lower() not in {"mean", "reciprocal", "rank"}
    ]
    lexicon = {word.text for word in label.words}
    unknown = [word for word in dict.fromkeys(words) if not read_label(word).whole and word.lower() not in lexicon]
    return tuple(Ask("part", label.text[:60], word.lower(), "its name") for word in unknown or [label.text[:60]])
