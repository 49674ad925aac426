"""Read the logs of tools: a line has a metric and its value, and lines above name the tasks.

Each tool is one :class:`LogFormat`. Only lines with words that they must contain are matched.
Colour codes are removed; a carriage return, as in progress bars, ends no line. The dataset is that
of the nearest settings above, or of the name of the file.

A number is exact only if the tool prints every digit and more than six significant ones are there,
as people who copy a log shorten its numbers. Any other number stands for the interval that rounding
leaves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rankconst.catalogue.answers import find_measure
from rankconst.catalogue.mentions import names_known
from rankconst.catalogue.protocols import count_tasks, parse_split
from rankconst.errors import DataError
from rankconst.evaluation import NAMES, Address, Question
from rankconst.names import squash
from rankconst.results.gate import NO_SPLIT, gather
from rankconst.results.labels import read_label
from rankconst.results.reading import Collector, Reader, Reading, count_digits
from rankconst.results.structured import read_number
from rankconst.results.tables.cells import is_plain_number
from rankconst.results.tables.grid import name_file
from rankconst.results.vocabulary import VOCABULARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rankconst.results.document import Document
    from rankconst.results.gate import Declarations


MOST_NUMBERS = 250_000
"""The most numbers of a log; each takes 2 kB while they are read."""

VALUE = r"(?: {1,4}(?P<value>[^\s|\"',]+)(?!\S)|\s*$)"
"""How a pattern ends before a value; a line that was cut off has none."""


@dataclass(frozen=True)
class Rule:
    """Lines of a log with numbers, or with a heading for the numbers below."""

    marks: tuple[str, ...]  # such a line contains one of these texts
    regex: str
    fields: Mapping[str, str]  # further fields of such lines, with their values

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, whose groups are fields, compiled when it is needed: all take 30 ms."""
        return re.compile(self.regex, re.ASCII)


def rule(regex: str, *marks: str, **fields: str) -> Rule:
    """Return the rule for lines with one of some marks."""
    return Rule(marks, regex, fields)


Fields: TypeAlias = "Mapping[str, str | None]"
"""What lines of a log say; None where a line says nothing of a field that others name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogNumber:
    """A number in a log."""

    line: int  # counted from 1
    heading: int = 0  # the line of the last heading above it; 0 if there is none
    name: str  # the metric, as printed
    text: str  # its value, as printed
    # What its line and the headings above say: split, side, protocol, tool, dataset, step ...
    fields: Fields = field(default_factory=dict)
    # The value with what printing cut or dropped, such as trailing zeros; empty if it did not.
    restored: str = ""
    reason: str = ""  # why it cannot be used; empty if it can
    questions: tuple[Question, ...] = ()  # what only the user can answer

    def say(self, **fields: str | None) -> LogNumber:
        """Return the number with other values of fields."""
        return replace(self, fields={**self.fields, **fields})


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """The log of a tool.

    Groups of the patterns with a meaning for every format: ``name`` and ``value``; ``k`` for a
    number apart from its name; ``names`` and ``values`` for a table with the names in a heading;
    ``pairs`` for names and values as in a dict; ``split``, ``side``, ``protocol``, ``tool``,
    ``step``, ``model``, ``dataset``; ``test_triples`` and the like, the number of evaluation
    triples; ``num_tasks``, that of ranks.
    """

    key: str
    values: Rule  # the lines with numbers
    headings: tuple[Rule, ...] = ()  # the lines with fields of the numbers below
    sign: Rule | None = None  # the lines that only this tool prints; those with numbers if None
    tool: str | None = None
    exact: bool = False  # True if the tool prints every digit
    tests: bool = False  # True if it evaluates the test split, and prints no split
    in_json: bool = False  # True if the ending of its files may be that of JSON
    # Always printed: a value with fewer, at the end of the file, is cut off.
    decimals: int | None = None
    # Map what the group of that name matches, or None, to the side or protocol.
    sides: Mapping[str | None, str | None] = field(default_factory=lambda: {None: "both"})
    protocols: Mapping[str | None, str | None] = field(default_factory=dict)
    # Maps a part of the names of refused numbers to the reason.
    refused: Mapping[str, str] = field(default_factory=dict)
    # Restores what printing dropped of a value.
    restore: Callable[[str], str] = str
    # Finds the numbers where a line has more than a pattern can match.
    scan: Callable[[Document, LogFormat], Iterable[LogNumber]] | None = None
    # Corrects the numbers of a log, all together, where no single line suffices.
    refine: Callable[[list[LogNumber]], list[LogNumber]] = list

    @property
    def reader(self) -> Reader:
        """The reader of such logs."""
        return Reader(self.key, partial(_recognise, self), partial(_read, self))


# The dataset in settings.

SETTINGS = rule(
    r"(?<![\w-])(?P<flag>--)?(?P<key>[A-Za-z][A-Za-z_-]*(?(flag)|(?: [A-Za-z]+)?))['\"]?"
    r"(?(flag)(?:=|\s+)|\s*[:=]\s*)['\"]?(?P<name>[\w./~][\w./~-]*)(?P<end>['\"),}\]]|\s*$)?",
    *("data", "Data", "DATA", "benchmark"),
)
"""The settings of a run, such as ``data_path: data/FB15k-237`` and ``--dataset WN18RR``."""

_PATH = re.compile(r"[ _-](?:path|dir|root|folder)$", re.IGNORECASE)  # data_path


def list_settings(line: str) -> Iterator[str]:
    """Yield the datasets that the settings on a line name: ``--dataset mykg``, ``data: WN18RR``."""
    for setting in SETTINGS.pattern.finditer(line):
        name = name_folder(setting["name"])
        is_delimited = setting["flag"] is not None or setting["end"] is not None
        # In "INFO Dataset", the last word is the key; source_dataset is another key.
        keys = (setting["key"], setting["key"].rpartition(" ")[2])
        if any(_sets_dataset(key, name, is_delimited=is_delimited) for key in keys):
            yield name


def _sets_dataset(key: str, name: str, *, is_delimited: bool) -> bool:
    """Tell whether a setting, ``data_path: FB15k-237``, names the dataset."""
    stem = _PATH.sub("", key)
    if VOCABULARY.roles.get(squash(stem)) != "dataset":
        return False
    return names_known(name) or (stem == key and is_delimited and _is_name(name))


def _is_name(text: str) -> bool:
    """Tell whether a text may be the name of a dataset that is not registered."""
    if text.lower() in {"true", "false", "none", "null"} or read_label(text).is_vocabulary:
        return False
    return re.search("[A-Za-z]{2}", text) is not None and "." not in text


def name_folder(path: str) -> str:
    """Return the last known name in a path, or else its last part: data/WN18RR/train.txt."""
    parts = path.strip("/.").split("/")
    return next((part for part in reversed(parts) if names_known(part)), parts[-1])


# Numbers as they were before they were printed.

_PLAIN = re.compile(r"\d{1,40}(?:\.\d{1,40})?", re.ASCII)


def pad_decimals(text: str, decimals: int) -> str:
    """Restore trailing zeros after the decimal point of a plain number: 0.3 to 0.300."""
    if decimals < 1 or not _PLAIN.fullmatch(text):
        return text
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(decimals, '0')}"


def pad_digits(text: str, digits: int) -> str:
    """Restore trailing zeros of a plain number, up to `digits` significant ones.

    >>> pad_digits("370.5", 6), pad_digits("0.25", 3)
    ('370.500', '0.250')
    """
    if not _PLAIN.fullmatch(text):
        return text
    return pad_decimals(text, digits - 1 - Decimal(text).adjusted())


_ROUNDED = 6  # the most digits that people keep when they round


# The lines of a log.

_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
# Tables, JSON and quotations hold such lines too.
_ELSEWHERE = re.compile(r"\s*[|{\"'`]")
_OTHERS = {".csv", ".tsv", ".json", ".jsonl", ".md", ".tex", ".yaml", ".yml"}


def strip_colours(text: str) -> str:
    """Remove the codes that colour a terminal."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


class _Line(NamedTuple):
    """A line with a mark of a rule."""

    number: int  # counted from 1
    rule: Rule
    text: str


def _find_lines(text: str, rules: tuple[Rule, ...]) -> Iterator[_Line]:
    """Yield the lines with a mark of a rule, once for each such rule, in the order of the log."""
    marked = [(mark, rule) for rule in rules for mark in rule.marks if mark in text]
    if not marked:
        return

    for number, line in enumerate(text.split("\n"), 1):
        matching = {id(rule): rule for mark, rule in marked if mark in line}
        if matching and _ELSEWHERE.match(line) is not None:
            matching = {place: rule for place, rule in matching.items() if _names_dataset(rule)}
        for rule in matching.values():
            yield _Line(number, rule, line)


def _names_dataset(rule: Rule) -> bool:
    """Tell whether lines of a rule name the dataset, as printed settings do, too."""
    return rule is SETTINGS or "(?P<dataset>" in rule.regex


def _recognise(log: LogFormat, document: Document) -> bool:
    """Tell whether a document has lines that only the tool of a log prints, and some of numbers."""
    if document.suffix in _OTHERS and not log.in_json:
        return False

    text = strip_colours(document.text)
    needed = (log.values,) if log.sign is None else (log.sign, log.values)
    for rule in needed:
        if not any(rule.pattern.search(line.text) for line in _find_lines(text, (rule,))):
            return False

    return True


class _Headings:
    """The fields of the lines above a number."""

    def __init__(self) -> None:
        self.line = 0  # of the last heading
        self._fields: dict[str, str | None] = {}
        self._datasets: dict[str, str] = {}  # of the settings, by their names without punctuation
        self._is_used = True  # whether a number is below these settings

    def take(self, line: _Line) -> None:
        """Take the fields of a line above numbers, or the datasets of its settings."""
        if line.rule is SETTINGS:
            self._take_datasets(list_settings(line.text))
            return

        match = line.rule.pattern.search(line.text)
        if match is None:
            return

        fields = {**line.rule.fields, **match.groupdict()}
        dataset = fields.pop("dataset", None)
        if dataset:
            self._take_datasets([name_folder(dataset)])

        self._fields |= fields
        self.line = line.number

    def _take_datasets(self, names: Iterable[str]) -> None:
        """Take the names of datasets; the first one below a number replaces those above it."""
        for name in names:
            if self._is_used:
                self._datasets, self._is_used = {}, False
            key = squash(name)
            for shorter in [other for other in self._datasets if key.startswith(other)]:
                del self._datasets[shorter]  # FB15k237Inductive(v1) says which version
            self._datasets[key] = name

    def describe(self) -> tuple[Fields, tuple[Question, ...]]:
        """Return the fields of the numbers below, and a question if settings name two datasets."""
        self._is_used = True
        names = tuple(self._datasets.values())
        if len(names) > 1:
            text = f"its settings name {' and '.join(names)}"
            return self._fields, (Question("dataset", text, choices=names),)
        if not names:
            return self._fields, ()
        return {**self._fields, "dataset": names[0]}, ()


def scan_log(document: Document, log: LogFormat) -> Iterator[LogNumber]:
    """Yield the numbers of a log, in order, each with the fields of its line and those above."""
    headings = _Headings()
    rules = (SETTINGS, *log.headings, log.values)
    for line in _find_lines(strip_colours(document.text), rules):
        if line.rule is not log.values:
            headings.take(line)
            continue
        for match in line.rule.pattern.finditer(line.text):
            above, questions = headings.describe()
            groups = {key: group for key, group in match.groupdict().items() if group is not None}
            printed = {**above, **groups}
            split = printed.get("split")
            fields = {  # the words of the tool become those of rankconst: forward is tail
                **printed,
                "split": None if split is None else parse_split(split),
                "side": log.sides[printed.get("side")],
                "protocol": log.protocols.get(printed.get("protocol")),
            }
            for measure in _list_measures(printed):
                reasons = [why for part, why in log.refused.items() if part in measure.name]
                yield LogNumber(
                    line=line.number,
                    heading=headings.line,
                    name=measure.name,
                    text=measure.value,
                    fields=fields,
                    reason=measure.reason or "".join(reasons[:1]),
                    questions=questions,
                )


class _Measure(NamedTuple):
    """A name and a value of a line."""

    name: str
    value: str
    reason: str = ""  # why it cannot be used


# {"mrr": 0.3, "hit@10": 0.5}
_PAIR = re.compile(r"[\"']([\w@]{1,20})[\"']: ?([^\s,}]{0,40})", re.ASCII)


def _split_list(text: str | None) -> list[str]:
    """Split names or values with blanks or bars between them."""
    return (text or "").replace("|", " ").split()


def _list_measures(fields: Fields) -> Iterator[_Measure]:
    """Yield the names and values of a match, whose groups are in `fields`."""
    name, k = fields.get("name"), fields.get("k")
    if name is not None:
        name = name if k is None else f"{name}@{k}"
        yield _Measure(name, fields.get("value") or "")
        return

    for pair in _PAIR.findall(fields.get("pairs") or ""):
        yield _Measure(*pair)

    names = _split_list(fields.get("names"))
    values = _split_list(fields.get("values"))
    if "values" in fields:
        if len(values) > len(names):
            unnamed = " ".join(values[len(names) :])
            yield _Measure(unnamed, "", "no heading above names its column")
        for heading, text in zip_longest(names, values[: len(names)], fillvalue=""):
            yield _Measure(heading, text)


# The numbers of a log.


def _read(log: LogFormat, document: Document) -> Reading:
    """Read a log to a table with a row for each number.

    Numbers are of one evaluation while heading, split and step stay, and no metric comes again.
    """
    collector = Collector()
    file = _read_name(document.name)
    # Only the very last line can have been cut off, where the tool was stopped.
    unfinished = None if document.text.endswith("\n") else document.text.count("\n") + 1
    evaluation = 0  # its number, its heading and its metrics so far
    heading = None
    measures = set[object]()
    is_named_by_file = False
    for number in _list_numbers(log, document):
        measure = find_measure(number.name)
        reason = number.reason or _refuse(log, number, unfinished)
        if measure is None or reason:
            reason = reason or "not the name of a metric that logs print"
            collector.skip(number.line, number.name, reason)
            continue

        metric, _ = measure
        address = _form_address(number, log, file)
        heading_above = number.heading, address.split, number.fields.get("step")
        sided = metric.key, number.fields.get("side"), number.fields.get("protocol")
        if heading_above != heading or sided in measures:  # a metric comes again in another one
            evaluation, heading, measures = evaluation + 1, heading_above, set()

        measures.add(sided)
        if address.dataset is not None and not number.fields.get("dataset"):
            is_named_by_file = True

        text = number.restored or log.restore(number.text)
        exact = log.exact and is_plain_number(number.text)
        # People shorten what they copy: a short number may have been rounded.
        exact = exact and count_digits(number.text) > _ROUNDED
        row = _write_row(evaluation, number, address, log)
        collector.add(metric, text, number.line, address, row, exact=exact)

    reading = collector.collect(document, log.key, log.tool)
    if not is_named_by_file:
        return reading

    origin = f"dataset {file.declared['dataset']} from {file.origins['dataset']}"
    return replace(reading, understood=origin)


def _list_numbers(log: LogFormat, document: Document) -> list[LogNumber]:
    """List the numbers of a log; DataError if there are too many."""
    listed = list(islice((log.scan or scan_log)(document, log), MOST_NUMBERS + 1))
    if len(listed) > MOST_NUMBERS:
        raise DataError(
            f"{document.at(listed[-1].line)}: more than {MOST_NUMBERS:,} numbers up to here. "
            "Take the lines with the evaluations that you want: grep 'epoch 100' LOG > results.log"
        )
    return log.refine(listed)


def _refuse(log: LogFormat, number: LogNumber, unfinished: int | None) -> str:
    """Return why a number cannot be used, else ""; `unfinished` is a last line without an end."""
    text = number.text
    if number.line == unfinished:
        if not text:
            return "the last line is cut off"
        decimals = len(text.partition(".")[2])
        if log.decimals is not None and decimals < log.decimals and _PLAIN.match(text):
            return f"the last line is cut off after {text!r}"

    if text.lower().lstrip("+-") == "nan":
        return f"it is {text}: the scores were not numbers, as when training diverges"
    if not text:
        return "it has no value"

    _, reason = read_number(text)
    if not reason and text.startswith("-"):
        return "it is below 0, as only a difference is"
    return reason


def _read_name(name: str) -> Declarations:
    """Read what the name of a file declares; only a known dataset counts."""
    declarations = gather((name_file(name),))
    declared = dict(declarations.declared)
    if not names_known(declared.get("dataset", "")):
        declared.pop("dataset", None)
    return replace(declarations, declared=declared)


def _form_address(number: LogNumber, log: LogFormat, file: Declarations) -> Address:
    """Form the address of a number from what the log says, or else from the name of its file."""
    fields: dict[str, Any] = {name: number.fields.get(name) for name in (*NAMES, "rank_type")}
    asked = {question.field for question in number.questions}
    questions = dict.fromkeys(number.questions)
    questions |= dict.fromkeys(ask for ask in file.questions if not fields.get(ask.field))
    for name, value in fields.items():
        if not value:
            fields[name] = None if name in asked else file.declared.get(name)

    if not fields["split"] and not log.tests and all(ask.field != "split" for ask in questions):
        questions[NO_SPLIT] = None

    return Address(
        **fields,
        tool=number.fields.get("tool"),
        model=number.fields.get("model"),
        num_tasks=_count_tasks(number.fields),
        num_triples=int(number.fields.get("num_triples") or 0) or None,
        questions=tuple(questions),
    )


def _count_tasks(fields: Fields) -> int | None:
    """Return how many ranks the log counts, itself or by its triples; None if it does not."""
    split = fields.get("split") or "test"
    triples, ranks = fields.get(f"{split}_triples"), fields.get("num_tasks")
    if triples is not None:
        return count_tasks(int(triples), fields.get("side") or "")
    return None if ranks is None else int(ranks)


def _write_row(
    evaluation: int, number: LogNumber, address: Address, log: LogFormat
) -> dict[str, str | None]:
    """Return the row of a number in the table that a log becomes, column to cell."""
    kind = "raw" if number.fields.get("protocol") == "raw" else "filtered"
    return {
        "evaluation": str(evaluation),
        "dataset": address.dataset,
        "model": address.model,
        "step": number.fields.get("step"),
        "split": address.split,
        "side": address.side,
        "filter": kind if log.protocols else None,
        "protocol": None if log.protocols else address.protocol,
        "metric": number.name,
        "value": number.text,
    }
