"""LibKGE's results: ``trace.yaml``, a record a line, and what ``kge dump trace --csv`` writes.

References
----------
LibKGE, github.com/uma-pi1/kge, ``kge/job/eval_entity_ranking.py`` and ``kge/job/trace.py``.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS, parse_split
from rankconst.errors import UnknownNameError
from rankconst.evaluation import Stated
from rankconst.results.document import Document
from rankconst.results.labels import Label
from rankconst.results.reading import Entries, Entry, Reader, Reading, Skipped, make_reading
from rankconst.results.structured import Number, Value, parse_yaml, read_number
from rankconst.results.tables.csv import read_delimited
from rankconst.results.tables.grid import Dialect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.catalogue.metrics import Metric


# A line must contain this to be parsed at all; it says so of an evaluation.
_EVENT = "eval_completed"
_TYPE = "entity_ranking"
_SAYS_TYPE = re.compile(r"\btype['\"]?: ")
_EXAMPLE = "example_rank"
# Before a line of a log: the time, and the number of the job if it is part of a search.
_TIME = re.compile(r"(?=\d{4}-|\[)(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? )?(?:\[[0-9a-f]{8}\] )?", re.ASCII)
_COLUMNS = ("dataset", "model", "epoch", "split", "filter_splits", "size")


def _strip_time(line: str) -> str:
    found = _TIME.match(line)
    return line if found is None else line[found.end() :]


def _recognise(document: Document) -> bool:
    # Both words in one flow mapping, as only this tool writes it.
    if _EVENT not in document.text:
        return False
    found = next(line for line in document.lines if _EVENT in line)
    return _strip_time(found).lstrip().startswith("{") and _SAYS_TYPE.search(found) is not None


def _read(document: Document) -> Reading:
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    examples = 0
    for line, text in enumerate(document.lines, start=1):
        if _EVENT not in text:
            examples += _EXAMPLE in text
            continue
        record = parse_yaml(document, _strip_time(text), line)
        if not isinstance(record, dict) or record.get("event") != _EVENT:
            continue
        if record.get("type") != _TYPE:
            skipped.append(Skipped(line, f"type {_text(record, 'type')}", "it is not an evaluation of entity ranking"))
            continue
        found, left_out = _read_record(line, record, len(entries))
        entries += (entry for entry, _ in found)
        rows += (
            {**{key: _text(record, key) for key in _COLUMNS}, "metric": key, "value": entry.text}
            for entry, key in found
        )
        skipped += left_out
    if examples:
        skipped.append(Skipped(None, f"{examples:,} records {_EXAMPLE}", "each is the rank of one task"))
    return make_reading(document, READER.key, "long", rows, entries, skipped=skipped, tool="libkge")


def _read_record(line: int, record: Mapping[str, Value], first: int) -> tuple[list[tuple[Entry, str]], list[Skipped]]:
    try:
        split = parse_split(str(record.get("split")))
    except UnknownNameError:
        return [], [Skipped(line, f"split {_text(record, 'split')}", f"it is not one of {', '.join(SPLITS)}")]
    protocols = _settle_protocols(record.get("filter_splits"), split)
    size = record.get("size")
    counted = isinstance(size, Number) and re.fullmatch(r"[1-9]\d{0,14}", size, re.ASCII) is not None
    # Each of that many triples is ranked once on both sides.
    triples = int(str(size)) if counted else None
    found: list[tuple[Entry, str]] = []
    left_out: Counter[str] = Counter()
    unreadable: list[Skipped] = []
    if size is not None and not counted:
        unreadable.append(Skipped(line, "size", f"expected a number of triples, at least 1, got {size}"))
    for key, value in record.items():
        name = parse_libkge_name(key)
        if name is None:
            continue
        protocol = protocols[name.protocol]
        if name.reason or protocol is None:
            filters = f"filtered by {_text(record, 'filter_splits')}, for which there are no constants"
            left_out[name.reason if name.reason and protocol else filters] += 1
            continue
        text, why = read_number(value)
        if why:
            unreadable.append(Skipped(line, key, why))
            continue
        context = Stated(
            dataset=_text(record, "dataset") or None,
            model=_text(record, "model") or None,
            split=split,
            side=name.side,
            protocol=protocol,
            num_tasks=None if triples is None else triples * (2 if name.side == "both" else 1),
        )
        found.append((Entry(name.metric, text, first + len(found), "value", line, context, exact=True), key))
    return found, unreadable + [Skipped(line, f"{count:,} of its metrics", why) for why, count in left_out.items()]


def _settle_protocols(filters: Value, split: str) -> dict[str, str | None]:
    """Return the protocol of each suffix of metrics, keyed by what the suffix means by default.

    LibKGE filters by the splits that `filters` lists; ``_filtered_with_test`` adds test to them.
    """
    known = (
        {str(each) for each in filters} if isinstance(filters, list) else set(PROTOCOLS["libkge"].known_splits(split))
    )
    return {"raw": "raw", "libkge": _match(known, split), "standard": _match({*known, "test"}, split)}


def _match(known: set[str], split: str) -> str | None:
    return next((key for key in ("libkge", "standard") if set(PROTOCOLS[key].known_splits(split)) == known), None)


def _text(record: Mapping[str, Value], key: str) -> str:
    value = record.get(key)
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    return "" if value is None or isinstance(value, dict) else str(value)


READER = Reader("libkge", "LibKGE: trace.yaml", _recognise, _read)

# Its log, and what it prints, have the same records, a key a line.
_BLOCK_EVENT = f"event: {_EVENT}"
_LOADED = re.compile(r"Loading configuration of dataset (\S+) from ")
_KEY = re.compile(r"\s*(?:- )?[\w-]+:(?: .*)?|\s*- \S+", re.ASCII)


def _recognise_log(document: Document) -> bool:
    if _BLOCK_EVENT not in document.text:
        return False
    return any(_strip_time(line).strip() == _BLOCK_EVENT for line in document.lines if _BLOCK_EVENT in line)


def _read_log(document: Document) -> Reading:
    """Read each record as the line of a trace that it is, which is found by its number."""
    lines = document.lines
    flat = [""] * len(lines)
    for place, line in enumerate(lines):
        if _strip_time(line).strip() != _BLOCK_EVENT:
            continue
        first, end = place, place
        while first > 0 and _KEY.fullmatch(_strip_time(lines[first - 1])):
            first -= 1
        while end < len(lines) and _KEY.fullmatch(_strip_time(lines[end])):
            end += 1
        record = parse_yaml(document, textwrap.dedent("\n".join(map(_strip_time, lines[first:end]))), first + 1)
        if isinstance(record, dict):
            pairs = ", ".join(f"{key}: {_flow(value)}" for key, value in record.items() if not isinstance(value, dict))
            flat[place] = f"{{{pairs}}}"
    reading = replace(_read(Document(document.name, "\n".join(flat))), form=READER_LOG.key)
    dataset = _find_dataset(document)
    entries = (
        entry._replace(context=replace(entry.context, dataset=entry.context.dataset or dataset))
        for entry in reading.entries
    )
    return replace(reading, entries=Entries(entries))


def _find_dataset(document: Document) -> str | None:
    """Return the dataset of a log: that of its configuration, or the one that a line says is loaded."""
    lines, names = [*map(_strip_time, document.lines)], set[str]()
    for place, line in enumerate(lines, 1):
        names.update(_LOADED.findall(line))
        if line.strip() == "Configuration:":
            block = "\n".join(takewhile(lambda each: each.startswith(" "), lines[place:]))
            configuration = parse_yaml(document, textwrap.dedent(block), place + 1)
            dataset = configuration.get("dataset") if isinstance(configuration, dict) else None
            if isinstance(dataset, dict) and "name" in dataset:
                names.add(_text(dataset, "name"))
    return names.pop() if len(names) == 1 else None


def _flow(value: Value) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else "null" if value is None else str(value)


READER_LOG = Reader("libkge_log", "LibKGE: kge.log and what it prints", _recognise_log, _read_log)


_ROLES = {
    "dataset": "dataset",
    "model": "model",
    "split": "split",
    "metric_name": "metric",
    "metric": "value",
}
"""Column to its role: ``metric`` holds the value."""


def _parse_csv_name(name: str, _: int | None) -> Label:
    role = _ROLES.get(name)
    if role is not None:
        return Label(name, role)
    found = parse_libkge_name(name)
    if found is None:
        return Label(name)
    said = {"side": found.side, "protocol": found.protocol}
    values = {field: (value,) for field, value in said.items() if value}
    return Label(name, "measured", found.metric, values=values, whole=True, reason=found.reason or "")


def _recognise_csv(document: Document) -> bool:
    first = document.text[:10_000].lstrip().partition("\n")[0]
    # With a keys file, its columns may take the place of metric_name and metric.
    return {"job_id", "job_type", "split"} <= set(first.split(","))


def _read_csv(document: Document) -> Reading:
    return read_delimited(document, READER_CSV.key, Dialect(_parse_csv_name, exact=True, even=True), "libkge")


READER_CSV = Reader("libkge_csv", "what kge dump trace writes", _recognise_csv, _read_csv, "libkge")


_SUFFIXES = {"": "raw", "_filtered": "libkge", "_filtered_with_test": "standard"}
_PREFIXES = {"raw": "raw", "fil": "libkge", "fwt": "standard"}
_LONG = re.compile(
    r"(?P<metric>mean_rank|mean_reciprocal_rank|hits_at_[1-9]\d{0,9})(?P<filter>(?:_filtered(?:_with_test)?)?)(?:_(?P<part>.+))?",
    re.ASCII,
)
_SHORT = re.compile(r"(?P<filter>raw|fil|fwt)_(?P<metric>mrr|mr|hits@[1-9]\d{0,9})(?:_(?P<part>.+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class LibkgeName:
    """What a name of LibKGE says."""

    metric: Metric  # with its k
    protocol: str  # "raw", "libkge" if filtered by the splits up to the evaluated one, "standard" if by test too
    side: str = "both"
    part: str = ""  # of the ranks: "1-to-N", "relation_25%"; empty for all of them

    @property
    def reason(self) -> str | None:
        """Why such a number cannot be adjusted, as half a sentence; None if it can."""
        if not self.part:
            return None
        return f"{self.part} restricts it to some of the ranks, which have other constants"


@lru_cache(maxsize=4096)
def parse_libkge_name(name: str) -> LibkgeName | None:
    """Read a metric's name in a trace or a dump: ``hits_at_10_filtered_with_test_head``; None for other keys."""
    for pattern, protocols in ((_LONG, _SUFFIXES), (_SHORT, _PREFIXES)):
        found = pattern.fullmatch(name)
        if found is not None:
            # A side comes last: "_1-to-N_head".
            part, _, last = (found["part"] or "").rpartition("_")
            if last not in {"head", "tail"}:
                part, last = found["part"] or "", "both"
            return LibkgeName(parse_metric(found["metric"]), protocols[found["filter"]], last, part)
    return None
