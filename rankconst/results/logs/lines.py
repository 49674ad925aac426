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
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue.libraries import find_measure
from rankconst.catalogue.mentions import names_known
from rankconst.catalogue.protocols import parse_split
from rankconst.errors import DataError
from rankconst.evaluation import Address, Question
from rankconst.names import squash
from rankconst.results.gate import NO_SPLIT, gather
from rankconst.results.labels import read_label
from rankconst.results.reading import Entry, Reader, Reading, Skipped, make_reading
from rankconst.results.structured import read_number
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


@dataclass(frozen=True, slots=True)
class Found:
    """A number in a log."""

    line: int  # counted from 1
    heading: int  # the line of the last heading above it; 0 if there is none
    name: str  # the metric, as printed
    text: str  # its value, as printed
    split: str | None  # None, like those below, where the log says nothing
    side: str | None
    protocol: str | None
    tool: str | None
    declared: Mapping[str, str | None]  # all that the line and the headings above it say
    meant: str = (
        ""  # the value before printing cut it or dropped trailing zeros; empty if it did not
    )
    why: str = ""  # why it cannot be used; empty if it can
    questions: tuple[Question, ...] = ()  # what only the user can answer


@dataclass(frozen=True, slots=True)
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
    decimals: int | None = (
        None  # always printed: a value with fewer, at the end of the file, is cut off
    )
    # What the group of that name means; None for a line without it.
    sides: Mapping[str | None, str | None] = field(default_factory=lambda: {None: "both"})
    protocols: Mapping[str | None, str | None] = field(default_factory=dict)
    # How its numbers are found, where one line says more than a pattern can.
    scan: Callable[[Document, LogFormat], Iterable[Found]] | None = None
    refine: Callable[[list[Found]], list[Found]] = (
        list  # sees all numbers together, for what no single line says
    )

    @property
    def reader(self) -> Reader:
        """The reader of such logs."""
        return Reader(self.key, partial(_recognise, self), partial(_read, self))


_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
# Tables, JSON and quotations hold such lines too.
_ELSEWHERE = re.compile(r"\s*[|{\"'`]")
_PLAIN = re.compile(r"\d{1,40}(?:\.\d{1,40})?", re.ASCII)
# Leading zeros do not count.
_SIGNIFICANT = re.compile(r"[+-]?[0.]*+([\d.]*+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_ROUNDED = 6
_OTHERS = {".csv", ".tsv", ".json", ".jsonl", ".md", ".tex", ".yaml", ".yml"}

SETTINGS = rule(
    r"(?<![\w-])(?P<flag>--)?(?P<key>[A-Za-z][A-Za-z_-]*(?: [A-Za-z]+)?)['\"]?"
    r"(?(flag)(?:=|\s+)|\s*[:=]\s*)['\"]?(?P<name>[\w./~-]+)(?P<end>['\"),}\]]|\s*$)?",
    *("data", "Data", "DATA", "benchmark"),
)
"""The settings of a run, such as ``data_path: data/FB15k-237`` and ``--dataset WN18RR``."""

_PATH = re.compile(r"[ _-](?:path|dir|root|folder)$", re.IGNORECASE)


def list_settings(line: str) -> Iterator[str]:
    """Yield the datasets that the settings on a line name."""
    for found in SETTINGS.pattern.finditer(line):
        name, is_certain = name_folder(found["name"]), found["flag"] or found["end"] is not None
        # Of "INFO Dataset", the last word is the key; source_dataset is another one.
        for key in dict.fromkeys((found["key"], found["key"].rpartition(" ")[2])):
            stem = _PATH.sub("", key)
            may_be = names_known(name) or (stem == key and is_certain and _may_be_dataset(name))
            if may_be and list_roles().get(squash(stem)) == "dataset":
                yield name
                break


def name_folder(path: str) -> str:
    """Return the last known name in a path, or simply its last part: data/WN18RR/train.txt."""
    parts = path.strip("/.").split("/")
    return next((part for part in reversed(parts) if names_known(part)), parts[-1])


def _may_be_dataset(name: str) -> bool:
    """Tell whether a setting names a dataset, if not one of the registry."""
    says_nothing = read_label(name).whole or name.lower() in {"true", "false", "none", "null"}
    return re.search("[A-Za-z]{2}", name) is not None and "." not in name and not says_nothing


def pad_decimals(text: str, decimals: int) -> str:
    """Restore trailing zeros after the decimal point of a plain number: 0.3 to 0.300."""
    if decimals < 1 or not _PLAIN.fullmatch(text):
        return text
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(decimals, '0')}"


def pad_digits(text: str, digits: int) -> str:
    """Restore trailing zeros of a plain number, up to some significant digits: 370.5 to 370.500."""
    return (
        pad_decimals(text, digits - 1 - Decimal(text).adjusted())
        if _PLAIN.fullmatch(text)
        else text
    )


def _shows_all(text: str) -> bool:
    """Tell whether a number has more digits than people keep when they round."""
    digits = _SIGNIFICANT.fullmatch(text)
    return digits is not None and len(digits[1].replace(".", "")) > _ROUNDED


class _State:
    """What the lines above a number say."""

    def __init__(self) -> None:
        self.declared: dict[str, str | None] = {}
        self.heading = 0
        self._named: dict[str, str] = {}  # the datasets that settings name
        self._read = True  # whether a number stands below them

    def take(self, rule: Rule, line: int, text: str) -> None:
        """Take a line that says something."""
        found = rule.pattern.search(text)
        if rule is SETTINGS:
            self._name(list_settings(text))
        elif found is not None:
            declared = {**rule.says, **found.groupdict()}
            if name := declared.pop("dataset", None):
                self._name([name_folder(name)])
            self.declared |= declared
            self.heading = line

    def _name(self, names: Iterable[str]) -> None:
        """Take the names of datasets; those without a number between them are of one run."""
        for name in names:
            self._named = {} if self._read else self._named
            self._read = False
            self._named[squash(name)] = name

    def tell(self) -> tuple[dict[str, str | None], tuple[Question, ...]]:
        """Return what is said of the next numbers, and whether the settings disagree."""
        self._read, names = True, tuple(self._named.values())
        if len(names) > 1:
            return self.declared, (
                Question("dataset", f"its settings name {' and '.join(names)}", choices=names),
            )
        return (self.declared | {"dataset": names[0]} if names else self.declared), ()


def scan_log(document: Document, log: LogFormat) -> Iterator[Found]:
    """Find the numbers of a log, in its order."""
    state = _State()
    for line, rule, text in _find_lines(
        strip_colours(document.text), (SETTINGS, *log.headings, log.values)
    ):
        if rule is not log.values:
            state.take(rule, line, text)
            continue
        for match in rule.pattern.finditer(text):
            declared, questions = state.tell()
            declared_here = declared | {
                key: group for key, group in match.groupdict().items() if group is not None
            }
            yield from (
                replace(each, questions=questions)
                for each in _pair(log, line, state.heading, declared_here)
            )


def _pair(
    log: LogFormat, line: int, heading: int, declared: Mapping[str, str | None]
) -> Iterator[Found]:
    """Yield the numbers of one match: a name with its value, or values with the names above."""
    split = declared.get("split")
    about = (
        None if split is None else parse_split(split),
        log.sides[declared.get("side")],
        log.protocols.get(declared.get("protocol")),
        declared.get("tool"),
        declared,
    )
    name, values = declared.get("name"), declared.get("values")
    if name is not None:
        k = declared.get("k")
        yield Found(
            line, heading, name if k is None else f"{name}@{k}", declared.get("value") or "", *about
        )
    elif values is not None:
        names, texts = (declared.get("names") or "").split(), values.split()
        if len(texts) > len(names):
            spare = " ".join(texts[len(names) :])
            yield Found(line, heading, spare, "", *about, why="no heading above names its column")
        for place, each in enumerate(names):
            yield Found(line, heading, each, texts[place] if place < len(texts) else "", *about)


def strip_colours(text: str) -> str:
    """Remove the codes that colour a terminal."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def _find_lines(text: str, rules: tuple[Rule, ...]) -> Iterator[tuple[int, Rule, str]]:
    """Find the lines with a mark of a rule, once for each rule."""
    marked = [(mark, rule) for rule in rules for mark in rule.marks if mark in text]
    for number, line in enumerate(text.split("\n") if marked else (), 1):
        found = {id(rule): rule for mark, rule in marked if mark in line}
        if found and _ELSEWHERE.match(line) is None:
            yield from ((number, rule, line) for rule in found.values())


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


def _read(log: LogFormat, document: Document) -> Reading:
    """Read a log."""
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    evaluation, of, seen = 0, None, set[tuple[str, str | None, str | None]]()
    file = _read_name(document.name)
    # Only the very last line can have been cut off, where the tool was stopped.
    unfinished = None if document.text.endswith("\n") else document.text.count("\n") + 1
    listed = list(islice((log.scan or scan_log)(document, log), MOST_NUMBERS + 1))
    if len(listed) > MOST_NUMBERS:
        raise DataError(
            f"{document.at(listed[-1].line)}: more than {MOST_NUMBERS:,} numbers up to here. "
            "Take the lines with the evaluations that you want: grep 'epoch 100' LOG > results.log"
        )
    named = False
    for found in log.refine(listed):
        metric, _ = find_measure(found.name) or (None, None)
        why = found.why or _refuse(log, found, unfinished)
        if why or metric is None:
            skipped.append(
                Skipped(found.line, found.name, why or "not the name of a metric that logs print")
            )
            continue
        context = _describe(found, log, file)
        here, what = (
            (found.heading, context.split, found.declared.get("step")),
            (metric.key, found.side, found.protocol),
        )
        if here != of or what in seen:
            evaluation, of, seen = evaluation + 1, here, set()
        seen.add(what)
        named = named or (context.dataset is not None and not found.declared.get("dataset"))
        text, exact = found.meant or found.text, log.exact and _shows_all(found.text)
        entries.append(Entry(metric, text, len(rows), "value", found.line, context, exact=exact))
        rows.append(_write_row(evaluation, found, context, log))
    reading = make_reading(document, log.key, "long", rows, entries, skipped=skipped, tool=log.tool)
    return replace(
        reading,
        understood=f"dataset {file.declared['dataset']} from {file.origins['dataset']}"
        if named
        else "",
    )


def _read_name(name: str) -> Declarations:
    """Return what the name of a file says; as a dataset, only a known name counts."""
    declarations = gather((name_file(name),))
    known = names_known(declarations.declared.get("dataset", ""))
    return (
        declarations
        if known
        else replace(
            declarations,
            declared={
                key: value for key, value in declarations.declared.items() if key != "dataset"
            },
        )
    )


def _describe(found: Found, log: LogFormat, file: Declarations) -> Address:
    """Put together what a log and its name say of a number, and what is asked about it."""
    own: dict[str, Any] = {
        name: found.declared.get(name) for name in ("dataset", "aggregation", "rank_type")
    }
    own |= {"split": found.split, "side": found.side, "protocol": found.protocol}
    asked = {ask.field for ask in found.questions}
    questions = (*found.questions, *(ask for ask in file.questions if not own.get(ask.field)))
    settled: dict[str, Any] = {
        name: value or (None if name in asked else file.declared.get(name))
        for name, value in own.items()
    }
    if (
        not settled["split"]
        and not log.tests
        and not any(ask.field == "split" for ask in questions)
    ):
        questions = (*questions, NO_SPLIT)
    return Address(
        **settled,
        tool=found.tool,
        model=found.declared.get("model"),
        num_tasks=_count_tasks(found),
        questions=tuple(dict.fromkeys(questions)),
    )


def _write_row(evaluation: int, found: Found, context: Address, log: LogFormat) -> dict[str, str]:
    """Return the row of a number."""
    filtering = "raw" if found.protocol == "raw" else "filtered"
    cells = {
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
    return {column: cell or "" for column, cell in cells.items()}


def _count_tasks(found: Found) -> int | None:
    """Return the number of ranks that the log counts."""
    ranks, triples = (
        found.declared.get("num_tasks"),
        found.declared.get(f"{found.split or 'test'}_triples"),
    )
    if triples is not None:
        return int(triples) * (2 if found.side == "both" else 1)
    return None if ranks is None else int(ranks)


def _refuse(log: LogFormat, found: Found, unfinished: int | None) -> str:
    """Return why a number cannot be used."""
    text = found.text
    short = (
        log.decimals is not None
        and len(text.partition(".")[2]) < log.decimals
        and _PLAIN.match(text) is not None
    )
    if found.line == unfinished and (short or not text):
        return f"the last line is cut off after {text!r}" if text else "the last line is cut off"
    if text.lower().lstrip("+-") == "nan":
        return f"it is {text}: the scores were not numbers, as when training diverges"
    if not text:
        return "it has no value"
    return read_number(text)[1] or (
        "it is below 0, as only a difference is" if text.startswith("-") else ""
    )
