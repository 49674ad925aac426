"""What logs have in common: a line has a metric's name and value, the lines above say of what.

A format is one :class:`LogFormat`. Only lines with words that they must contain are matched. Colour
codes are removed; a carriage return, as in progress bars, ends no line. The dataset is that of the
nearest settings above, or of the name of the file.

A number counts as exact only if the tool prints every digit and more than six significant ones are
there: people who copy a log shorten it, and a full number seldom ends so soon. Any other number
means the interval left by rounding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue.libraries import find_measure
from rankconst.catalogue.mentions import names_known
from rankconst.catalogue.protocols import count_tasks, parse_split
from rankconst.errors import DataError
from rankconst.evaluation import Address, Question
from rankconst.names import squash
from rankconst.results.gate import NO_SPLIT, gather
from rankconst.results.labels import read_label
from rankconst.results.reading import Collector, Reader, Reading, count_digits
from rankconst.results.structured import read_number
from rankconst.results.tables.cells import is_plain_number
from rankconst.results.tables.grid import name_file
from rankconst.results.vocabulary import list_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rankconst.results.document import Document
    from rankconst.results.gate import Declarations


MOST_NUMBERS = 250_000
"""The most numbers of a log; each takes 2 kB while they are read."""

VALUE = r"(?: {1,4}(?P<value>[^\s|\"',]+)(?!\S)|\s*$)"
"""How a pattern ends before a value; a line that was cut off has none."""


class Rule(NamedTuple):
    """Lines that say something."""

    marks: tuple[str, ...]  # such a line contains one of these texts
    pattern: re.Pattern[str]  # the groups are what it says
    says: Mapping[str, str]  # what such lines say besides


def rule(pattern: str, *marks: str, **says: str) -> Rule:
    """Return the rule for lines with one of some marks."""
    return Rule(marks, re.compile(pattern, re.ASCII), says)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A number in a log."""

    line: int  # counted from 1
    heading: int = 0  # the line of the last heading above it; 0 if there is none
    name: str  # the metric, as printed
    text: str  # its value, as printed
    split: str | None = None  # None, like those below, where the log says nothing
    side: str | None = None
    protocol: str | None = None
    tool: str | None = None
    # All that the line and the headings above it say.
    declared: Mapping[str, str | None] = field(default_factory=dict)
    # The value before printing cut it or dropped trailing zeros; empty if it did not.
    meant: str = ""
    why: str = ""  # why it cannot be used; empty if it can
    questions: tuple[Question, ...] = ()  # what only the user can answer


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """The log of a tool.

    Groups of the patterns with a meaning for every format: ``name`` and ``value``; ``k`` for a
    number apart from its name; ``names`` and ``values`` for a table with the names in a heading;
    ``split``, ``side``, ``protocol``, ``tool``, ``step``, ``model``, ``dataset``; ``test_triples``
    and the like, the number of evaluation triples; ``num_tasks``, that of ranks.
    """

    key: str
    values: Rule  # the lines with numbers
    headings: tuple[Rule, ...] = ()  # the lines that say what the numbers below are
    sign: Rule | None = None  # the lines that only this tool prints; those with numbers if None
    tool: str | None = None
    exact: bool = False  # True if the tool prints every digit
    tests: bool = False  # True if it evaluates the test split, and prints no split
    # Always printed: a value with fewer, at the end of the file, is cut off.
    decimals: int | None = None
    # What the group of that name means; None for a line without it.
    sides: Mapping[str | None, str | None] = field(default_factory=lambda: {None: "both"})
    protocols: Mapping[str | None, str | None] = field(default_factory=dict)
    # How its numbers are found, where one line says more than a pattern can.
    scan: Callable[[Document, LogFormat], Iterable[Found]] | None = None
    # Sees all numbers together, for what no single line says.
    refine: Callable[[list[Found]], list[Found]] = list

    @property
    def reader(self) -> Reader:
        """The reader of such logs."""
        return Reader(self.key, partial(_recognise, self), partial(_read, self))


# What settings say of the dataset.

SETTINGS = rule(
    r"(?<![\w-])(?P<flag>--)?(?P<key>[A-Za-z][A-Za-z_-]*(?: [A-Za-z]+)?)['\"]?"
    r"(?(flag)(?:=|\s+)|\s*[:=]\s*)['\"]?(?P<name>[\w./~-]+)(?P<end>['\"),}\]]|\s*$)?",
    *("data", "Data", "DATA", "benchmark"),
)
"""The settings of a run, such as ``data_path: data/FB15k-237`` and ``--dataset WN18RR``."""

_PATH = re.compile(r"[ _-](?:path|dir|root|folder)$", re.IGNORECASE)


def list_settings(line: str) -> Iterator[str]:
    """Yield the datasets that the settings on a line name: ``--dataset mykg``, ``data: WN18RR``."""
    for found in SETTINGS.pattern.finditer(line):
        name = name_folder(found["name"])
        is_delimited = found["flag"] is not None or found["end"] is not None
        # Of "INFO Dataset", the last word is the key; source_dataset is another one.
        keys = (found["key"], found["key"].rpartition(" ")[2])
        if any(_sets_dataset(key, name, is_delimited=is_delimited) for key in keys):
            yield name


def _sets_dataset(key: str, name: str, *, is_delimited: bool) -> bool:
    """Tell whether a setting is of the dataset.

    A name that is not registered counts below a flag, or with an end, and not below data_path.
    """
    stem = _PATH.sub("", key)
    if list_roles().get(squash(stem)) != "dataset":
        return False
    return names_known(name) or (stem == key and is_delimited and _is_name(name))


def _is_name(text: str) -> bool:
    """Tell whether a text may be the name of a dataset that is not registered."""
    if text.lower() in {"true", "false", "none", "null"} or read_label(text).whole:
        return False
    return re.search("[A-Za-z]{2}", text) is not None and "." not in text


def name_folder(path: str) -> str:
    """Return the last known name in a path, or simply its last part: data/WN18RR/train.txt."""
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
    """Restore trailing zeros of a plain number, up to some significant digits: 370.5 to 370.500."""
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


def _find_lines(text: str, rules: tuple[Rule, ...]) -> Iterator[tuple[int, Rule, str]]:
    """Find the lines with a mark of a rule, once for each rule."""
    marked = [(mark, rule) for rule in rules for mark in rule.marks if mark in text]
    for number, line in enumerate(text.split("\n") if marked else (), 1):
        found = {id(rule): rule for mark, rule in marked if mark in line}
        if found and _ELSEWHERE.match(line) is None:
            for each in found.values():
                yield number, each, line


def _recognise(log: LogFormat, document: Document) -> bool:
    """Tell whether a document has lines that only this tool prints, and numbers."""
    if document.suffix in _OTHERS:
        return False
    text = strip_colours(document.text)
    needed = (log.values,) if log.sign is None else (log.sign, log.values)
    return all(
        any(rule.pattern.search(line) for _, _, line in _find_lines(text, (rule,)))
        for rule in needed
    )


class _Headings:
    """What the lines above a number say."""

    def __init__(self) -> None:
        self.declared: dict[str, str | None] = {}
        self.line = 0  # of the last heading
        self._datasets: dict[str, str] = {}  # that settings name, by their plain names
        self._is_used = True  # whether a number is below these settings

    def take(self, rule: Rule, line: int, text: str) -> None:
        """Take a line that says something."""
        found = rule.pattern.search(text)
        if rule is SETTINGS:
            self._take_datasets(list_settings(text))
        elif found is not None:
            declared = {**rule.says, **found.groupdict()}
            dataset = declared.pop("dataset", None)
            if dataset:
                self._take_datasets([name_folder(dataset)])
            self.declared |= declared
            self.line = line

    def _take_datasets(self, names: Iterable[str]) -> None:
        """Take the names of datasets; those without a number between them are of one run."""
        for name in names:
            if self._is_used:
                self._datasets, self._is_used = {}, False
            self._datasets[squash(name)] = name

    def describe(self) -> tuple[dict[str, str | None], tuple[Question, ...]]:
        """Return what is said of the next numbers, and whether the settings disagree."""
        self._is_used = True
        names = tuple(self._datasets.values())
        if len(names) > 1:
            text = f"its settings name {' and '.join(names)}"
            return self.declared, (Question("dataset", text, choices=names),)
        return self.declared | ({"dataset": names[0]} if names else {}), ()


def scan_log(document: Document, log: LogFormat) -> Iterator[Found]:
    """Find the numbers of a log, in its order."""
    headings = _Headings()
    rules = (SETTINGS, *log.headings, log.values)
    for line, rule, text in _find_lines(strip_colours(document.text), rules):
        if rule is not log.values:
            headings.take(rule, line, text)
            continue
        for match in rule.pattern.finditer(text):
            declared, questions = headings.describe()
            groups = {key: group for key, group in match.groupdict().items() if group is not None}
            declared = declared | groups
            for name, value, why in _pair(declared):
                split = declared.get("split")
                yield Found(
                    line=line,
                    heading=headings.line,
                    name=name,
                    text=value,
                    split=None if split is None else parse_split(split),
                    side=log.sides[declared.get("side")],
                    protocol=log.protocols.get(declared.get("protocol")),
                    tool=declared.get("tool"),
                    declared=declared,
                    why=why,
                    questions=questions,
                )


def _pair(declared: Mapping[str, str | None]) -> Iterator[tuple[str, str, str]]:
    """Yield the names and values of a match, and why one has no name.

    These are a name with its value, or values with the names above.
    """
    name, values, k = declared.get("name"), declared.get("values"), declared.get("k")
    if name is not None:
        yield name if k is None else f"{name}@{k}", declared.get("value") or "", ""
    elif values is not None:
        names, texts = (declared.get("names") or "").split(), values.split()
        if len(texts) > len(names):
            yield " ".join(texts[len(names) :]), "", "no heading above names its column"
        for each, text in zip_longest(names, texts[: len(names)], fillvalue=""):
            yield each, text, ""


# The numbers of a log.


def _read(log: LogFormat, document: Document) -> Reading:
    """Read a log."""
    numbers = Collector()
    file = _read_name(document.name)
    # Only the very last line can have been cut off, where the tool was stopped.
    unfinished = None if document.text.endswith("\n") else document.text.count("\n") + 1
    evaluation, of, seen = 0, None, set[tuple[str, str | None, str | None]]()
    is_named_by_file = False
    for found in log.refine(_list_numbers(log, document)):
        metric, _ = find_measure(found.name) or (None, None)
        why = found.why or _refuse(log, found, unfinished)
        if metric is None:
            why = why or "not the name of a metric that logs print"
        if metric is None or why:
            numbers.skip(found.line, found.name, why)
            continue
        context = _describe(found, log, file)
        # A metric that comes again is of another evaluation.
        here = found.heading, context.split, found.declared.get("step")
        what = metric.key, found.side, found.protocol
        if here != of or what in seen:
            evaluation, of, seen = evaluation + 1, here, set()
        seen.add(what)
        if context.dataset is not None and not found.declared.get("dataset"):
            is_named_by_file = True
        text = found.meant or found.text
        exact = log.exact and is_plain_number(found.text) and count_digits(found.text) > _ROUNDED
        row = _write_row(evaluation, found, context, log)
        numbers.add(metric, text, found.line, context, row, exact=exact)
    reading = numbers.collect(document, log.key, log.tool)
    if not is_named_by_file:
        return reading
    origin = f"dataset {file.declared['dataset']} from {file.origins['dataset']}"
    return replace(reading, understood=origin)


def _list_numbers(log: LogFormat, document: Document) -> list[Found]:
    """Return the numbers of a log; DataError if there are too many."""
    listed = list(islice((log.scan or scan_log)(document, log), MOST_NUMBERS + 1))
    if len(listed) > MOST_NUMBERS:
        raise DataError(
            f"{document.at(listed[-1].line)}: more than {MOST_NUMBERS:,} numbers up to here. "
            "Take the lines with the evaluations that you want: grep 'epoch 100' LOG > results.log"
        )
    return listed


def _refuse(log: LogFormat, found: Found, unfinished: int | None) -> str:
    """Return why a number cannot be used; nothing if it can."""
    text = found.text
    if found.line == unfinished:
        if not text:
            return "the last line is cut off"
        decimals = len(text.partition(".")[2])
        if log.decimals is not None and decimals < log.decimals and _PLAIN.match(text):
            return f"the last line is cut off after {text!r}"
    if text.lower().lstrip("+-") == "nan":
        return f"it is {text}: the scores were not numbers, as when training diverges"
    if not text:
        return "it has no value"
    _, why = read_number(text)
    if not why and text.startswith("-"):
        return "it is below 0, as only a difference is"
    return why


def _read_name(name: str) -> Declarations:
    """Return what the name of a file says; as a dataset, only a known name counts."""
    declarations = gather((name_file(name),))
    declared = dict(declarations.declared)
    if not names_known(declared.get("dataset", "")):
        declared.pop("dataset", None)
    return replace(declarations, declared=declared)


def _describe(found: Found, log: LogFormat, file: Declarations) -> Address:
    """Put together what a log and its name say of a number, and what is asked about it."""
    own: dict[str, Any] = {"split": found.split, "side": found.side, "protocol": found.protocol}
    for name in ("dataset", "aggregation", "rank_type"):
        own[name] = found.declared.get(name)
    questions = dict.fromkeys(found.questions)
    questions |= dict.fromkeys(ask for ask in file.questions if not own.get(ask.field))
    asked = {ask.field for ask in found.questions}
    for name, value in own.items():
        if not value:
            own[name] = None if name in asked else file.declared.get(name)
    if not own["split"] and not log.tests and all(ask.field != "split" for ask in questions):
        questions[NO_SPLIT] = None
    return Address(
        **own,
        tool=found.tool,
        model=found.declared.get("model"),
        num_tasks=_count_tasks(found),
        questions=tuple(questions),
    )


def _count_tasks(found: Found) -> int | None:
    """Return the number of ranks that the log counts."""
    triples = found.declared.get(f"{found.split or 'test'}_triples")
    if triples is not None:
        return count_tasks(int(triples), found.side or "")
    ranks = found.declared.get("num_tasks")
    return None if ranks is None else int(ranks)


def _write_row(
    evaluation: int, found: Found, context: Address, log: LogFormat
) -> dict[str, str | None]:
    """Return the row of a number."""
    filtering = "raw" if found.protocol == "raw" else "filtered"
    return {
        "evaluation": str(evaluation),
        "dataset": context.dataset,
        "model": context.model,
        "step": found.declared.get("step"),
        "split": context.split,
        "side": context.side,
        "filter": filtering if log.protocols else None,
        "protocol": None if log.protocols else context.protocol,
        "metric": found.name,
        "value": found.text,
    }
