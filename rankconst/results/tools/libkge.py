"""Read LibKGE's results: ``trace.yaml``, its log, and the output of ``kge dump trace --csv``.

A line of the trace is a record, and a line of the log a key.

References
----------
LibKGE, github.com/uma-pi1/kge, ``kge/job/eval_entity_ranking.py`` and ``kge/job/trace.py``.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.metrics import Metric, parse_metric
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS, count_tasks, parse_split
from rankconst.errors import UnknownNameError
from rankconst.evaluation import Address
from rankconst.names import read_count
from rankconst.results.gate import gather
from rankconst.results.labels import Label
from rankconst.results.reading import Collector, Reader, Reading
from rankconst.results.structured import Number, Record, Value, parse_yaml, read_number
from rankconst.results.tables.delimited import read_delimited
from rankconst.results.tables.grid import Dialect, name_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankconst.results.document import Document


# The event of an evaluation; only lines with it are parsed.
_EVENT = "eval_completed"
_TYPE = "entity_ranking"  # the type of evaluations that are read
_HAS_TYPE = re.compile(r"\btype['\"]?: ")
_EXAMPLE = "example_rank"  # the record of a single rank
# Before a line of a log: the time, and the number of the job if it is part of a search.
_TIME = re.compile(
    r"\A(?=\d{4}-|\[)(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? )?(?:\[[0-9a-f]{8}\] )?", re.ASCII
)
_COLUMNS = ("dataset", "model", "epoch", "split", "filter_splits", "size")


def _strip_time(line: str) -> str:
    """Return a line of a log without its time."""
    return _TIME.sub("", line, count=1)


def _recognise(document: Document) -> bool:
    """Tell whether a document is a trace."""
    # Both words in one flow mapping, as only this tool writes it.
    first = next((line for line in document.lines if _EVENT in line), "")
    return _strip_time(first).lstrip().startswith("{") and _HAS_TYPE.search(first) is not None


def _read(document: Document) -> Reading:
    """Read a trace: the records of evaluations among its lines."""
    records = (
        Record(line, parse_yaml(document, _strip_time(text), line))
        for line, text in enumerate(document.lines, start=1)
        if _EVENT in text
    )
    return _read_records(document, READER.key, records)


def _read_records(
    document: Document, form: str, records: Iterable[Record], dataset: str | None = None
) -> Reading:
    """Read the numbers of records of entity ranking; `dataset` is that of those without one."""
    collector = Collector()
    dataset = dataset or gather((name_file(document.name),)).declared.get("dataset")
    for line, record in records:
        if not isinstance(record, dict) or record.get("event") != _EVENT:
            continue
        if record.get("type") == _TYPE:
            _add_numbers(line, record, dataset, collector)
        else:
            reason = "it is not an evaluation of entity ranking"
            collector.skip(line, f"type {_text(record, 'type')}", reason)

    examples = sum(_EXAMPLE in text for text in document.lines)
    if examples:
        collector.skip(None, f"{examples:,} records {_EXAMPLE}", "each is the rank of one task")

    return collector.collect(document, form, "libkge")


def _add_numbers(
    line: int | None, record: Mapping[str, Value], dataset: str | None, collector: Collector
) -> None:
    """Add the numbers of an evaluation to `collector`, and note why some are left out."""
    try:
        split = parse_split(str(record.get("split")))
    except UnknownNameError:
        reason = f"it is not one of {', '.join(SPLITS)}"
        collector.skip(line, f"split {_text(record, 'split')}", reason)
        return

    cells = {key: _text(record, key) for key in _COLUMNS}
    address = Address(cells["dataset"] or dataset, split, model=cells["model"] or None)
    protocols = _settle_protocols(record.get("filter_splits"), split)
    size = record.get("size")
    triples = read_count(size) if isinstance(size, Number) else None
    if size is not None and not triples:
        reason = f"expected a number of triples, at least 1, got {size}"
        collector.skip(line, "size", reason)

    filters = f"filtered by {_text(record, 'filter_splits')}, for which there are no constants"
    left_out: Counter[str] = Counter()
    for key, value in record.items():
        name = parse_libkge_name(key)
        if name is None:
            continue
        protocol = protocols[name.protocol]
        text, reason = read_number(value)
        if protocol is None:
            left_out[filters] += 1
        elif name.reason:
            left_out[name.reason] += 1
        elif reason:
            collector.skip(line, key, reason)
        else:
            count = count_tasks(triples, name.side) if triples else None
            context = replace(address, side=name.side, protocol=protocol, num_tasks=count)
            row = {**cells, "metric": key, "value": text}
            collector.add(name.metric, text, line, context, row)

    for reason, times in left_out.items():
        collector.skip(line, f"{times:,} of its metrics", reason)


def _settle_protocols(filters: Value, split: str) -> dict[str, str | None]:
    """Map the protocol that a suffix of metrics means by default to the one that it means here.

    ``_filtered`` removes the known answers of the splits in `filters`, a setting of LibKGE (by
    default train, valid and the evaluated `split`), ``_filtered_with_test`` those of test, too. A
    protocol is None if rankconst has no constants for a filter by just these splits.

    >>> _settle_protocols(["train", "valid", "test"], "valid")
    {'raw': 'raw', 'libkge': 'standard', 'standard': 'standard'}
    >>> _settle_protocols(["train"], "test")
    {'raw': 'raw', 'libkge': None, 'standard': None}
    """
    splits = set(PROTOCOLS["libkge"].known_splits(split))
    if isinstance(filters, list):  # else the record does not name them
        splits = {str(name) for name in filters}

    return {
        "raw": "raw",
        "libkge": _find_protocol(splits, split),
        "standard": _find_protocol({*splits, "test"}, split),
    }


def _find_protocol(splits: set[str], split: str) -> str | None:
    """Find the protocol that filters ranks of a split by just some `splits`; None if none does."""
    for key in ("libkge", "standard"):  # of two that fit, the one of LibKGE's own name
        if set(PROTOCOLS[key].known_splits(split)) == splits:
            return key
    return None


def _text(record: Mapping[str, Value], key: str) -> str:
    """Return the text of a value of a record; lists are joined, and objects are empty."""
    value = record.get(key)
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return "" if value is None or isinstance(value, dict) else str(value)


READER = Reader("libkge", _recognise, _read)

# Its log, and its output on a screen, have the same records, a key a line.
_BLOCK_EVENT = f"event: {_EVENT}"
_LOADED = re.compile(r"Loading configuration of dataset (\S+) from ")
_KEY = re.compile(r"\s*(?:- )?[\w-]+:(?: .*)?|\s*- \S+", re.ASCII)


def _recognise_log(document: Document) -> bool:
    """Tell whether a document has the event of an evaluation in a line of its own."""
    lines = (line for line in document.lines if _BLOCK_EVENT in line)
    return any(_strip_time(line).strip() == _BLOCK_EVENT for line in lines)


def _read_log(document: Document) -> Reading:
    """Read each record, which is found by its number, as that of a trace."""
    lines = [_strip_time(line) for line in document.lines]
    dataset = _find_dataset(document, lines)
    return _read_records(document, READER_LOG.key, _list_blocks(document, lines), dataset)


def _list_blocks(document: Document, lines: list[str]) -> Iterator[Record]:
    """Yield the records of evaluations in a log, each with the line of its event."""
    for place, line in enumerate(lines):
        if line.strip() == _BLOCK_EVENT:
            first, end = place, place
            while first > 0 and _KEY.fullmatch(lines[first - 1]):
                first -= 1
            while end < len(lines) and _KEY.fullmatch(lines[end]):
                end += 1
            block = textwrap.dedent("\n".join(lines[first:end]))
            # Messages count lines from 1.
            yield Record(place + 1, parse_yaml(document, block, first + 1))


def _find_dataset(document: Document, lines: list[str]) -> str | None:
    """Find the dataset that a log's configurations or lines about loading name; None of several."""
    names = {name for line in lines for name in _LOADED.findall(line)}
    for number, line in enumerate(lines, 1):
        if line.strip() != "Configuration:":
            continue
        block = "\n".join(takewhile(lambda below: below.startswith(" "), lines[number:]))
        configuration = parse_yaml(document, textwrap.dedent(block), number + 1)
        dataset = configuration.get("dataset") if isinstance(configuration, dict) else None
        if isinstance(dataset, dict) and "name" in dataset:
            names.add(_text(dataset, "name"))

    return names.pop() if len(names) == 1 else None


READER_LOG = Reader("libkge_log", _recognise_log, _read_log)


# Maps columns to their roles: ``metric`` holds the value.
_ROLES = {
    "dataset": "dataset",
    "model": "model",
    "split": "split",
    "metric_name": "metric",
    "metric": "value",
}


def _parse_csv_name(name: str, _: int | None) -> Label:
    """Read a heading, or the name of a metric: ``fwt_mrr_head`` is MRR of side head."""
    parsed = parse_libkge_name(name)
    if parsed is None or name in _ROLES:
        return Label(name, _ROLES.get(name, ""))
    values = {"side": (parsed.side,), "protocol": (parsed.protocol,)}
    return Label(
        name, "measured", parsed.metric, values=values, is_vocabulary=True, reason=parsed.reason
    )


def _recognise_csv(document: Document) -> bool:
    """Tell whether a document is the output of ``kge dump trace``."""
    # With a keys file, its columns may take the place of metric_name and metric.
    headings = document.first_line.split(",")
    return all(name in headings for name in ("job_id", "job_type", "split"))


def _read_csv(document: Document) -> Reading:
    """Read the output of ``kge dump trace``."""
    dialect = Dialect(_parse_csv_name, exact=True, even=True)
    return read_delimited(document, READER_CSV.key, dialect, "libkge")


READER_CSV = Reader("libkge_csv", _recognise_csv, _read_csv, "libkge")


# Maps the suffix of a metric in a trace, or its prefix in a dump, to the default protocol.
_FILTERS = {"": "raw", "_filtered": "libkge", "_filtered_with_test": "standard"}
_FILTERS |= {"raw": "raw", "fil": "libkge", "fwt": "standard"}
_LONG = re.compile(
    r"(?P<metric>mean_rank|mean_reciprocal_rank|hits_at_[1-9]\d{0,9})"
    r"(?P<filter>(?:_filtered(?:_with_test)?)?)(?:_(?P<part>.+))?",
    re.ASCII,
)
_SHORT = re.compile(
    r"(?P<filter>raw|fil|fwt)_(?P<metric>mrr|mr|hits@[1-9]\d{0,9})(?:_(?P<part>.+))?", re.ASCII
)


class LibkgeName(NamedTuple):
    """The name of a metric of LibKGE, parsed."""

    metric: Metric  # with its k
    # "raw", "libkge" if filtered by the splits up to the evaluated one, "standard" if by test too.
    protocol: str
    side: str = "both"
    part: str = ""  # of the ranks: "1-to-N", "relation_25%"; empty for all of them

    @property
    def reason(self) -> str:
        """Why such a number cannot be adjusted, as half a sentence; empty if it can."""
        if not self.part:
            return ""
        return f"{self.part} restricts it to some of the ranks, which have other constants"


@lru_cache(maxsize=4096)
def parse_libkge_name(name: str) -> LibkgeName | None:
    """Parse the name of a metric; None for other keys.

    ``hits_at_10_filtered_with_test_1-to-N_head`` is Hits@10 of protocol standard, side head and
    part 1-to-N; ``mean_rank`` is of protocol raw, both sides and all ranks.
    """
    match = _LONG.fullmatch(name) or _SHORT.fullmatch(name)
    if match is None:
        return None

    # A side comes last: "_1-to-N_head".
    part, _, side = (match["part"] or "").rpartition("_")
    if side not in {"head", "tail"}:
        part, side = match["part"] or "", "both"

    return LibkgeName(
        metric=parse_metric(match["metric"]),
        protocol=_FILTERS[match["filter"]],
        side=side,
        part=part,
    )
