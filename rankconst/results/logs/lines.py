"""What the logs of evaluation tools have in common: a line has a metric's name and value, the lines above say of what.

A format is one :class:`LogFormat`. Lines are found by words that they must contain, not one by one, so that a long log
with few results is read at the speed of a text search. Colour codes are removed; a carriage return, as in progress
bars, ends no line.

A number counts as exact only if the tool prints every digit and more than six significant ones are there: people who
copy a log shorten it, and a full number seldom ends so soon. Any other number means the interval left by rounding.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.mentions import names_known
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import parse_split
from rankconst.errors import DataError, UnknownNameError
from rankconst.evaluation import NAMES, Ask, Stated
from rankconst.names import squash
from rankconst.results.reading import Entry, Reader, Reading, Skipped, make_reading
from rankconst.results.structured import SPLIT_WORDS, read_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document


MOST_NUMBERS = 250_000
"""The most numbers of a log; each takes 2 kB while they are read."""

VALUE = r"(?: {1,4}(?P<value>[^\s|\"',]+)(?!\S)|\s*$)"
"""How a pattern ends before a value; a line that was cut off has none."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Lines that say something."""

    marks: tuple[str, ...]  # such a line contains one of these texts
    pattern: re.Pattern[str]  # the groups are what it says
    above: int = 0  # how many lines above it the pattern starts
    says: Mapping[str, str] = field(default_factory=dict)  # what such lines say besides


@dataclass(frozen=True, slots=True)
class Found:
    """A number in a log."""

    line: int  # counted from 1
    heading: int  # the line of the last heading above it; 0 if there is none
    name: str  # the metric, as printed
    text: str  # its value, as printed
    # Which ranking tasks; None where the log says nothing.
    split: str | None
    side: str | None
    protocol: str | None
    tool: str | None
    said: Mapping[str, str | None]  # all that the line and the headings above it say
    meant: str = ""  # the value before printing cut it or dropped trailing zeros; empty if it did not
    why: str = ""  # why it cannot be used; empty if it can
    asks: tuple[Ask, ...] = ()  # what only the user can answer


def _keep(found: list[Found]) -> list[Found]:
    return found


@dataclass(frozen=True, slots=True)
class LogFormat:
    """The log of a tool.

    Groups of the patterns with a meaning for every format: ``name`` and ``value``; ``k`` for a number apart from its
    name; ``names`` and ``values`` for a table with the names in a heading; ``split``, ``side``, ``protocol``, ``tool``,
    ``step``, ``model``; ``test_triples`` and the like, the number of evaluation triples; ``num_tasks``, that of ranks.
    """

    key: str
    title: str
    values: Rule  # the lines with numbers
    headings: tuple[Rule, ...] = ()  # the lines that say what the numbers below are
    sign: Rule | None = None  # the lines that only this tool prints; those with numbers if None
    tool: str | None = None
    exact: bool = False  # True if the tool prints every digit
    gated: bool = False  # True if its lines are of any tool: no split is assumed
    decimals: int | None = None  # always printed: a value with fewer, at the end of the file, is cut off
    # What the group of that name means; None for a line without it.
    sides: Mapping[str | None, str] = field(default_factory=lambda: {None: "both"})
    protocols: Mapping[str | None, str | None] = field(default_factory=dict)
    unread: tuple[tuple[re.Pattern[str], str], ...] = ()  # names of metrics that cannot be adjusted, with the reason
    # How its numbers are found, where one line says more than a pattern can.
    scan: Callable[[Document, LogFormat], Iterable[Found]] | None = None
    refine: Callable[[list[Found]], list[Found]] = _keep  # sees all numbers together, for what no single line says


def make_reader(log: LogFormat) -> Reader:
    """Make the reader of a log format."""
    return Reader(log.key, log.title, partial(_recognise, log), partial(_read, log))


_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
# Tables, JSON and quotations hold such lines too.
_ELSEWHERE = re.compile(r"\s*[|{\"'`]")
_HITS = re.compile(r"hits?\s*@\s*(\d{1,9})", re.IGNORECASE | re.ASCII)
_NAMES = {"mrr": "mrr", "mean reciprocal rank": "mrr", "mr": "mr", "mean rank": "mr"}
_PLAIN = re.compile(r"\d{1,40}(?:\.\d{1,40})?", re.ASCII)
# Leading zeros do not count.
_SIGNIFICANT = re.compile(r"[+-]?[0.]*+([\d.]*+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_ROUNDED = 6
_OTHERS = {".csv", ".tsv", ".json", ".jsonl", ".md", ".tex", ".yaml", ".yml"}


SETTINGS = 50_000
"""How many characters at the beginning of a log may be its settings."""

_DATASET = re.compile(
    r"(?<![a-z])(?P<key>dataset_?name|dataset|data_?name|data[ _-]?(?:path|dir|root|folder)|data|files path|benchmark"
    r"|(?:train|valid|test)_path|task)['\"]?"
    r"(?P<sign>\s*[:=]\s*|\s+)(?:\{['\"]class['\"]:\s*)?(?:name:\s*)?['\"]?(?P<name>[\w./~-]+)",
    re.IGNORECASE | re.ASCII,
)
_BENCHMARK = re.compile(
    r"(?:fb|wn)[-_]?1[0-9]|yago|codex|nell-?995|wiki-?kg|bio-?kg|umls|kinship|nations", re.IGNORECASE
)


@cache
def list_benchmarks() -> frozenset[str]:
    """Return every name of a benchmark, squashed."""
    benchmarks = load_benchmarks().items()
    return frozenset(squash(name) for key, each in benchmarks for name in (key, each.title, *each.aliases))


def _name_folder(path: str) -> str:
    """Return the last part of a path, or the folder of a file if a dataset has its name: data/WN18RR/train.txt."""
    folders, _, name = path.rstrip("/.").rpartition("/")
    folder = folders.rpartition("/")[2]
    return folder if "." in name and not _is_known(name) and _is_known(folder) else name


def _is_known(name: str) -> bool:
    return _BENCHMARK.search(name) is not None or names_known(name)


def find_dataset(text: str) -> str | None:
    """Return the dataset that the settings at the beginning of a log name; None if they name none, or several."""
    named = {
        squash(name): name
        for match in _DATASET.finditer(text, 0, SETTINGS)
        for name in [_name_folder(match["name"])]
        if _is_known(name)
    }
    name = next(iter(named.values())) if len(named) == 1 else None
    return name.upper() if name is not None and _STATEMENTS.search(text, 0, SETTINGS) else name


# StarE calls the statements of WD50K wd50k, which is our key of its triples; in capitals the name is open.
_STATEMENTS = re.compile(r"\bSTATEMENT_LEN['\"]?\s*[:=]\s*+(?!3\b)")


@dataclass(frozen=True, slots=True)
class _Run:
    """What settings say of the numbers below them, up to the next settings."""

    line: int
    dataset: str | None  # None if they name several
    among: frozenset[str] = frozenset()  # these, squashed
    unknown: str = ""  # a dataset that is no known one


# What settings of that name hold that is no dataset.
_NO_NAMES = {"true", "false", "none", "null", "name", "path", "dataset", "data", "loader", "dataloader"}


_TRAINED = re.compile(r"(?:source|train|training)[_ -]$", re.IGNORECASE)


# How keys of datasets begin; most lines have none.
_MARKS = re.compile("data|files path|benchmark|(?:train|valid|test)_path|task")
# Keys that may hold something else.
_ELSE = re.compile("(?:valid|test)_path|task", re.IGNORECASE)


def _list_settings(text: str) -> list[tuple[int, str, str, bool]]:
    """Return where settings name a dataset: the line, key and name, and whether that is a known one."""
    lower = text.lower()
    places = (each.start() for each in _MARKS.finditer(lower))
    found: list[tuple[int, str, str, bool]] = []
    line, counted = 1, 0
    for place in places if len(lower) == len(text) else ():
        match = _DATASET.match(text, place)
        if match is None or _TRAINED.search(text, max(place - 12, 0), place) or match["key"].lower() == "train_path":
            continue
        line, counted = line + text.count("\n", counted, place), place
        name = _name_folder(match["name"])
        known = _is_known(name)
        stated = (
            _ELSE.fullmatch(match["key"]) is None
            and "\n" not in match["sign"]
            and (match["sign"].strip() or text[max(place - 2, 0) : place] == "--")
        )
        if known or (stated and _may_be_dataset(name)):
            found.append((line, squash(match["key"]), name, known))
    return found


def name_unknown(text: str) -> str:
    """Return the dataset that settings name, if it is not known, and none of them is."""
    settings = [(name, known) for _, key, name, known in _list_settings(text) if key.startswith("dataset") or known]
    return settings[0][0] if settings and not any(known for _, known in settings) else ""


def _may_be_dataset(name: str) -> bool:
    word = name.lower()
    return (
        re.search("[a-z]{2}", word) is not None
        and word not in _NO_NAMES
        and word not in SPLIT_WORDS
        and "." not in word
    )


def _list_runs(text: str, numbers: list[int]) -> list[_Run]:
    """Return the runs of a log whose settings name different datasets; nothing if they name one."""
    settings = _list_settings(text)
    keys = {key for _, key, _, known in settings if known}
    settings = [each for each in settings if each[3] or each[1] in keys]
    if len({squash(name) for _, _, name, _ in settings}) < 2:
        return []
    runs: list[_Run] = []
    blocks: dict[int, list[tuple[int, str, str, bool]]] = {}
    for each in settings:  # those without a number between them are of one run
        blocks.setdefault(bisect_left(numbers, each[0]), []).append(each)
    for block in blocks.values():
        known = {squash(name): name for _, _, name, is_known in block if is_known}
        if known:
            runs.append(_Run(block[0][0], next(iter(known.values())) if len(known) == 1 else None, frozenset(known)))
        else:
            runs.append(_Run(block[0][0], None, unknown=block[0][2]))
    return runs


def _place_in_run(found: Found, runs: list[_Run], first: Mapping[str, int]) -> Found:
    """Return a number with the dataset of its run, unless the lines above it name one that no other run has."""
    place = bisect_right(runs, found.line, key=lambda run: run.line) - 1
    own = found.said.get("dataset")
    if place < 0:
        return found
    run = runs[place]
    if own is not None and first.get(squash(own), place + 1) > place:
        return found
    if run.unknown:
        return replace(found, why=found.why or _OTHER_RUN.format(run.line, run.unknown))
    return replace(found, said={**found.said, "dataset": run.dataset})


_OTHER_RUN = "line {} begins a run on {!r}, which is no known dataset"


@lru_cache(maxsize=256)
def parse_name(name: str) -> Metric | None:
    """Return the metric that a log names; None if no tool prints it."""
    hits = _HITS.fullmatch(name)
    key = f"hits@{hits[1]}" if hits else _NAMES.get(name.lower(), name)
    try:
        return parse_metric(key)
    except UnknownNameError:
        return None


def pad_decimals(text: str, decimals: int) -> str:
    """Restore trailing zeros after the decimal point of a plain number: 0.3 to 0.300."""
    if decimals < 1 or not _PLAIN.fullmatch(text):
        return text
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(decimals, '0')}"


def pad_digits(text: str, digits: int) -> str:
    """Restore trailing zeros of a plain number, up to a number of significant digits: 370.5 to 370.500."""
    return pad_decimals(text, digits - 1 - Decimal(text).adjusted()) if _PLAIN.fullmatch(text) else text


def _shows_all(text: str) -> bool:
    """Tell whether a number has more digits than people keep when they round."""
    digits = _SIGNIFICANT.fullmatch(text)
    return digits is not None and len(digits[1].replace(".", "")) > _ROUNDED


def scan_log(document: Document, log: LogFormat) -> Iterator[Found]:
    """Find the numbers of a log, in its order."""
    state: dict[str, str | None] = {}
    heading = 0
    for line, rule, text in _find_lines(strip_colours(document.text), (*log.headings, log.values)):
        if rule is not log.values:
            said = rule.pattern.search(text)
            if said is not None:
                state |= {**rule.says, **said.groupdict()}
                heading = line
            continue
        for match in rule.pattern.finditer(text):
            said_here = state | {key: group for key, group in match.groupdict().items() if group is not None}
            yield from _pair(log, line, heading, said_here)


def _pair(log: LogFormat, line: int, heading: int, said: Mapping[str, str | None]) -> Iterator[Found]:
    """Make the numbers of one match: a name with its value, or a row of values with the names above."""
    split = said.get("split")
    about = (
        None if split is None else parse_split(split),
        log.sides[said.get("side")],
        log.protocols.get(said.get("protocol")),
        said.get("tool"),
        said,
    )
    name, values = said.get("name"), said.get("values")
    if name is not None:
        k = said.get("k")
        yield Found(line, heading, name if k is None else f"{name}@{k}", said.get("value") or "", *about)
    elif values is not None:
        names, texts = (said.get("names") or "").split(), values.split()
        if len(texts) > len(names):
            spare = " ".join(texts[len(names) :])
            yield Found(line, heading, spare, "", *about, why="no heading above names its column")
        for place, each in enumerate(names):
            yield Found(line, heading, each, texts[place] if place < len(texts) else "", *about)


def strip_colours(text: str) -> str:
    """Remove the codes that colour a terminal."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def _find_lines(text: str, rules: tuple[Rule, ...]) -> Iterator[tuple[int, Rule, str]]:
    """Find the lines with a mark of a rule, once for each rule, with the lines above that it needs."""
    starts = heapq.merge(*(_find_starts(text, mark, order) for order, rule in enumerate(rules) for mark in rule.marks))
    line, counted, last = 1, 0, (-1, -1)
    for each in starts:
        if each == last:
            continue
        last = each
        start, order = each
        line += text.count("\n", counted, start)
        counted = start
        rule = rules[order]
        if _ELSEWHERE.match(text, start) is None:
            top = start
            for _ in range(rule.above):
                top = text.rfind("\n", 0, max(top - 1, 0)) + 1
            end = text.find("\n", start)
            yield line, rule, text[top : end if end >= 0 else len(text)]


def _find_starts(text: str, mark: str, order: int) -> Iterator[tuple[int, int]]:
    end = 0
    while end >= 0 and (place := text.find(mark, end)) >= 0:
        yield text.rfind("\n", end, place) + 1, order
        end = text.find("\n", place)


def _recognise(log: LogFormat, document: Document) -> bool:
    if document.suffix in _OTHERS:
        return False
    text = strip_colours(document.text)
    needed = (log.values,) if log.sign is None else (log.sign, log.values)
    return all(any(rule.pattern.search(line) for _, _, line in _find_lines(text, (rule,))) for rule in needed)


def _read(log: LogFormat, document: Document) -> Reading:
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    evaluation, of, seen = 0, None, set[tuple[str, str | None, str | None]]()
    dataset = find_dataset(document.text)
    # Only the very last line can have been cut off, where the tool was stopped.
    unfinished = None if document.text.endswith("\n") else document.text.count("\n") + 1
    listed = list(islice((log.scan or scan_log)(document, log), MOST_NUMBERS + 1))
    if len(listed) > MOST_NUMBERS:
        raise DataError(
            f"{document.at(listed[-1].line)}: more than {MOST_NUMBERS:,} numbers up to here. Take the lines with the "
            "evaluations that you want: grep 'epoch 100' LOG > results.log"
        )
    runs = _list_runs(strip_colours(document.text), sorted({each.line for each in listed}))
    first = {name: place for place in reversed(range(len(runs))) for name in runs[place].among}
    for found in (_place_in_run(each, runs, first) if runs else each for each in log.refine(listed)):
        why = found.why or _refuse(log, found, unfinished)
        metric = parse_name(found.name)
        if why or metric is None:
            skipped.append(Skipped(found.line, found.name, why or "not the name of a metric that logs print"))
            continue
        said = found.said
        here, what = (found.heading, found.split, said.get("step")), (metric.key, found.side, found.protocol)
        if here != of or what in seen:
            evaluation, of, seen = evaluation + 1, here, set()
        seen.add(what)
        cells = {
            "evaluation": str(evaluation),
            "dataset": said.get("dataset") or dataset,
            "model": said.get("model"),
            "step": said.get("step"),
            "split": found.split,
            "side": found.side,
            "filter": ("raw" if found.protocol == "raw" else "filtered") if log.protocols else None,
            "protocol": found.protocol if found.protocol and not log.protocols else None,
            "metric": found.name,
            "value": found.text,
        }
        context = Stated(
            dataset=said.get("dataset") or dataset,
            split=found.split,
            side=found.side,
            protocol=found.protocol,
            tool=found.tool,
            model=said.get("model"),
            rank_type=said.get("rank_type"),
            num_tasks=_count_tasks(found),
            asks=(*found.asks, *_list_asks(found, log)),
        )
        text, exact = found.meant or found.text, log.exact and _shows_all(found.text)
        entries.append(Entry(metric, text, len(rows), "value", found.line, context, exact=exact))
        rows.append({column: cell or "" for column, cell in cells.items()})
    reading = make_reading(document, log.key, "long", rows, entries, skipped=skipped, tool=log.tool)
    return replace(reading, understood=f"dataset {dataset} from its settings" if dataset else "")


def _list_asks(found: Found, log: LogFormat) -> Iterator[Ask]:
    for name in NAMES:
        if reason := found.said.get(f"missing {name}"):
            yield Ask(name, reason)
    if log.gated and found.split is None and not any(ask.field == "split" for ask in found.asks):
        yield Ask("split", "it names no split", remedy="--split test or --split valid")


def _count_tasks(found: Found) -> int | None:
    ranks, triples = found.said.get("num_tasks"), found.said.get(f"{found.split or 'test'}_triples")
    if triples is not None:
        return int(triples) * (2 if found.side == "both" else 1)
    return None if ranks is None else int(ranks)


def _refuse(log: LogFormat, found: Found, unfinished: int | None) -> str:
    for pattern, why in log.unread:
        if pattern.fullmatch(found.name):
            return why
    text = found.text
    short = log.decimals is not None and len(text.partition(".")[2]) < log.decimals and _PLAIN.match(text) is not None
    if found.line == unfinished and (short or not text):
        return f"the last line is cut off after {text!r}" if text else "the last line is cut off"
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        return f"it is {text}: the scores were not numbers, as when training diverges"
    if not text:
        return "it has no value"
    return read_number(text)[1] or ("it is below 0, as only a difference is" if text.startswith("-") else "")
