"""Read PyKEEN's results: ``results.json``, flat dicts of its trackers, and to_df() as CSV.

Versions differ in the order of side, tie policy and metric, and nest or join them
(``both.realistic.hits_at_10``). So each word of the path to a number is read by itself, in any
position.

References
----------
PyKEEN 1.0 to 1.11, github.com/pykeen/pykeen, ``pykeen/evaluation/rank_based_evaluator.py``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rankconst.catalogue.metrics import CATALOGUE, find_metric
from rankconst.catalogue.protocols import LINK_SIDES, RANK_TYPES, parse_split
from rankconst.errors import DataError
from rankconst.evaluation import Address, Question
from rankconst.names import read_count, squash
from rankconst.results.document import Document
from rankconst.results.gate import gather
from rankconst.results.labels import NO_K, Label, read_label
from rankconst.results.reading import Collector, Reader, Reading
from rankconst.results.structured import (
    SPLIT_WORDS,
    Number,
    NumberAt,
    Record,
    Value,
    read_number,
    read_records,
)
from rankconst.results.tables.delimited import read_delimited, read_rows
from rankconst.results.tables.grid import Dialect, name_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankconst.catalogue.metrics import Metric


# The words of a path, and what each says.

_PLANNED = {"pipeline", "results"}  # an experiment of PyKEEN's repository, with a paper's results
_CONTAINERS = {"metrics", "results", "metric_results"}  # keys above metrics
_COUNTS = {"count", "rankcount"}  # keys of numbers of ranks
# Tie policies by their names before 1.5.
_OLD = {"best", "worst", "avg"}
_WORDS = {
    "side": frozenset(LINK_SIDES),
    "rank_type": frozenset((*RANK_TYPES, "unknown")),
    "split": SPLIT_WORDS,
}
_JOINED = re.compile(
    rf"(?:(?P<before>.+)[./:_ -])?(?P<side>{'|'.join(LINK_SIDES)})"
    rf"[./:_ -](?P<rank_type>{'|'.join(RANK_TYPES)})"
    r"[./:_ -](?P<metric>.+)"
)
_OPEN_K = re.compile(r"(?<=[_@])k$")  # hits_at_k


class _Path(NamedTuple):
    """The keys to a value, divided into words: each field as written."""

    text: str = ""
    split: str = ""
    side: str = ""
    rank_type: str = ""
    metric: str = ""  # with its k, once that is known
    unknown: str = ""

    @property
    def among_metrics(self) -> bool:
        """True where only metrics are expected."""
        in_container = not _CONTAINERS.isdisjoint(self.text.split("."))
        return in_container or bool(self.side or self.rank_type)

    @property
    def lacks_k(self) -> bool:
        """True if the metric's k is still missing, as in ``hits_at_k``."""
        return _OPEN_K.search(self.metric) is not None

    def take(self, word: str) -> _Path:
        """Return the path with one more word, in the first empty field that it fits.

        "both" is a side, "10" the k of ``hits_at_k``. The first word that fits nowhere is
        `unknown`.
        """
        for name, words in _WORDS.items():
            if word in words and not getattr(self, name):
                return self._replace(**{name: word})

        if word in _CONTAINERS and not self.metric:
            return self
        if self.lacks_k and word.isdecimal():
            return self._replace(metric=_OPEN_K.sub(word, self.metric))
        if not self.metric and (squash(word) in _COUNTS or find_metric(_OPEN_K.sub("1", word))):
            return self._replace(metric=word)
        return self._replace(unknown=self.unknown or word)


class _Leaf(NamedTuple):
    """A value with its keys."""

    path: _Path
    value: Value
    line: int | None


# Every line of a tracker's history has the same keys.
@lru_cache(maxsize=8192)
def _follow(path: _Path, key: str) -> _Path:
    """Add the words of a key, such as ``val/tail_realistic_mrr``, to a path."""
    text = f"{path.text}.{key}" if path.text else key
    path = path._replace(text=text)
    if re.fullmatch(r"[\d.]+", key):
        return path.take(key)

    joined = _JOINED.fullmatch(key)
    parts = (key,) if joined is None else joined.groups(default="")
    for word in re.split(r"[./:]", ".".join(part for part in parts if part)):
        path = path.take(word)

    return path


def _walk(value: Value, path: _Path, line: int | None) -> Iterator[_Leaf]:
    """Yield the values below words of PyKEEN with their keys, and unknown keys among metrics."""
    if not isinstance(value, dict):
        if isinstance(value, Number) and value.line:
            line = value.line
        yield _Leaf(path, value, line)
        return

    for key, inner in value.items():
        inside = _follow(path, key)
        # Losses, times and settings next to the metrics do not matter here.
        if not inside.unknown:
            yield from _walk(inner, inside, line)
        elif inside.among_metrics:
            yield _Leaf(inside, None, line)


def _list_leaves(record: Record) -> list[_Leaf]:
    """List the values of a record with their paths; a key such as prefix may name the split."""
    value, split = record.object, ""
    for key in ("split", "prefix"):  # the JSON tracker calls the split a prefix
        word = value.get(key)
        if isinstance(word, str) and word in SPLIT_WORDS:
            split = word
    return list(_walk(value, _Path(split=split), record.line))


class _Measure(NamedTuple):
    """The metric of a value, or the reason why the value is left out; neither for a count."""

    metric: Metric | None = None
    adjustment: str | None = None
    reason: str = ""


_RANK_BY_RANK = (
    "before 1.5 PyKEEN could compute it rank by rank: then it does not follow from the metric"
)


@lru_cache(maxsize=8192)
def _find_measure(path: _Path, is_old: bool) -> _Measure:
    """Find the metric of a value by its keys, or a reason why there is none."""
    if squash(path.metric) in _COUNTS:
        return _Measure()
    if path.unknown:
        expected = "whole k" if path.lacks_k else "rank-based metric"
        return _Measure(reason=f"{path.unknown!r} is not a {expected}")
    if not path.metric:
        return _Measure(reason="it is where a metric should be" if path.among_metrics else "")

    metric, adjustment = find_metric(path.metric) or (None, None)
    if metric is None:
        # The k of an adjusted value may be told by its own numbers later.
        metric, adjustment = find_metric(_OPEN_K.sub("1", path.metric)) or (None, None)
        if metric is None or adjustment is None:
            return _Measure(reason=NO_K)
        metric = CATALOGUE[metric.family]

    if adjustment is not None and is_old:
        return _Measure(reason=_RANK_BY_RANK)
    return _Measure(metric, adjustment)


# The numbers of records.

# The fields that a tracker writes once, above.
_ABOVE = ("dataset", "model", "protocol", "aggregation", "questions")
# The keys of a line of its JSON tracker.
_TRACKED = {"metrics", "prefix", "step"}


def _recognise(document: Document) -> bool:
    """Tell whether a document has lines of the JSON tracker, or metrics of PyKEEN."""
    if not document.is_structured:
        return False
    records = read_records(document)[:5]
    if any(record.object.keys() >= _PLANNED for record in records):
        return False
    is_tracked = any(record.object.keys() >= _TRACKED for record in records)
    return is_tracked or any(_is_ours(leaf.path) for each in records for leaf in _list_leaves(each))


def _is_ours(path: _Path) -> bool:
    """Tell whether a metric is where only PyKEEN has one, next to a tie policy."""
    if path.unknown or not (path.metric and path.rank_type):
        return False
    return bool(path.side) or path.text.split(".")[0] in _CONTAINERS


def _read(document: Document) -> Reading:
    """Read an object, or a list of them."""
    return _read_records(document, READER.key, read_records(document))


def _read_records(document: Document, form: str, records: Iterable[Record]) -> Reading:
    """Read the numbers of records, each with the dataset, model and the like.

    A record with a step gets what it lacks from the records above. The name of the file comes last.
    """
    collector = Collector()
    above = Address()  # what the lines so far say
    has_ties = False
    file = gather((name_file(document.name),))
    named = {name: file.declared.get(name) for name in ("dataset", "split")}
    for record in records:
        leaves = _list_leaves(record)
        has_ties = has_ties or any(leaf.path.rank_type for leaf in leaves)
        address = _read_setup(record.object)
        fields = {name: getattr(address, name) or getattr(above, name) for name in _ABOVE}
        above = replace(address, **fields)
        if "step" in record.object:
            address = above

        fields = {name: getattr(address, name) or value for name, value in named.items()}
        open_questions = (ask for ask in file.questions if not fields.get(ask.field))
        asked = [ask for ask in open_questions if ask.says != "pykeen"]
        address = replace(address, **fields, questions=(*address.questions, *asked))
        _add_numbers(record, leaves, address, collector)

    # YAML of any program may come here.
    tool = "pykeen" if form != READER.key or has_ties else None
    return collector.collect(document, form, tool)


_Counts: TypeAlias = "dict[tuple[str, str, str], int]"
"""Maps split, side and tie policy to the number of ranks."""


def _add_numbers(
    record: Record, leaves: list[_Leaf], address: Address, collector: Collector
) -> None:
    """Add the numbers of a record to `collector`, and note those that cannot be read."""
    counts = _read_counts(leaves, collector)
    is_old = any(leaf.path.rank_type in _OLD for leaf in leaves)
    step = record.object.get("step")
    shown_step = str(step) if isinstance(step, Number) else ""
    for path, value, line in leaves:
        metric, adjustment, reason = _find_measure(path, is_old)
        if metric is not None:
            _, reason = read_number(value)
            reason = reason or _check_reciprocal(path, metric, adjustment, value)

        if reason:
            collector.skip(line, path.text, reason)
        elif metric is not None:
            row = {
                "line": record.line_text,
                "step": shown_step,
                "split": path.split,
                "side": path.side,
                "rank_type": path.rank_type,
                "metric": path.metric,
                "value": str(value),
            }
            context = _form_address(path, address, counts, is_old=is_old)
            collector.add(metric, str(value), line, context, row, adjustment=adjustment)


def _form_address(path: _Path, address: Address, counts: _Counts, *, is_old: bool) -> Address:
    """Return the address of a number: that of its record with what its path says."""
    split, questions = address.split, address.questions
    if path.split:
        split = parse_split(path.split)
        questions = tuple(ask for ask in questions if ask.field != "split")

    if is_old and split in {None, "test"}:  # before 1.5, it was filtered by train and test alone
        address = replace(address, protocol="pykeen-train+test")

    return replace(
        address,
        split=split,
        questions=questions,
        side=path.side or None,
        rank_type=RANK_TYPES.get(path.rank_type),
        num_tasks=counts.get((path.split, path.side, path.rank_type)),
    )


def _check_reciprocal(path: _Path, metric: Metric, adjustment: str | None, value: Value) -> str:
    """Explain why an inverse median rank of 0 is left out; empty for other numbers."""
    if metric != CATALOGUE["inverse_median_rank"] or adjustment is not None:
        return ""
    # The realistic median is a fraction, which PyKEEN does not divide as a whole number.
    if RANK_TYPES.get(path.rank_type) == "realistic" or float(str(value)) != 0:
        return ""
    return "PyKEEN divides whole numbers here: 1 over any median rank above 1 is 0"


def _read_counts(leaves: list[_Leaf], collector: Collector) -> _Counts:
    """Map split, side and tie policy to the number of ranks, and note a count that is none."""
    counts: _Counts = {}
    for path, value, line in leaves:
        if path.unknown or squash(path.metric) not in _COUNTS:
            continue
        number = read_count(value) if isinstance(value, Number) else None
        if number:
            counts[path.split, path.side, path.rank_type] = number
        else:
            _, reason = read_number(value)
            reason = reason or f"expected a number of ranks, at least 1, got {value}"
            collector.skip(line, path.text, reason)

    return counts


# The dataset, the model and the evaluator.

_SAMPLED = "its evaluator ranks among sampled candidates, and does not say how many"
_HOW_MANY = Question("protocol", _SAMPLED, option="--protocol sampled:M")


def _read_setup(record: Mapping[str, Value]) -> Address:
    """Return the dataset, the model and the protocol that a record states."""
    fields: dict[str, Any] = {}
    settings = dict(record)
    for name, prefix in (("params", ""), ("evaluator_kwargs", "evaluator_kwargs.")):
        nested = settings.get(name)
        if isinstance(nested, dict):
            settings |= {f"{prefix}{key}": value for key, value in nested.items()}

    texts = {key: value for key, value in settings.items() if isinstance(value, str) and value}
    for key in ("dataset", "model"):
        if key in texts:
            fields[key] = str(texts[key])

    evaluator = squash(texts.get("evaluator", ""))
    if evaluator.startswith("sampled"):
        count = read_count(texts.get("evaluator_kwargs.num_negatives", ""))
        sampled = {"protocol": f"sampled:{count}"} if count else {"questions": (_HOW_MANY,)}
        return Address(**fields, **sampled)

    if str(settings.get("evaluator_kwargs.filtered")).lower() == "false":
        fields["protocol"] = "raw"

    if evaluator.startswith("macro"):
        fields["aggregation"] = "macro-query"

    return Address(**fields)


READER = Reader("pykeen", _recognise, _read)


# Its tracker and its searches, in rows.


def _recognise_tracker(document: Document) -> bool:
    """Tell whether a document is of the CSV tracker."""
    return document.first_line == "type,step,key,value"


def _read_tracker(document: Document) -> Reading:
    """Read the file of the CSV tracker: a row for each parameter and each metric, of all steps."""
    settings: dict[str, Value] = {}
    steps: dict[str, dict[str, Value]] = {}
    for row in islice(read_rows(document, ","), 1, None):
        if len(row.plain) != 4:
            raise DataError(
                f"{document.at(row.line)}: expected 4 cells, got {len(row.plain)}. "
                "Fix the row: type, step, key and value."
            )
        kind, step, key, value = row.plain
        if kind == "parameter" and (key in {"dataset", "model"} or key.startswith("evaluator")):
            settings[key] = value
        elif kind == "metric":
            values = steps.setdefault(step, {**settings, "step": Number(step)})
            values[key] = NumberAt(value, row.line)

    records = [Record(None, values) for values in steps.values()]
    return _read_records(document, READER_TRACKER.key, records)


READER_TRACKER = Reader("pykeen_tracker", _recognise_tracker, _read_tracker)


_ATTRIBUTE = "user_attrs_"  # before the metrics of a trial


def _recognise_trials(document: Document) -> bool:
    """Tell whether a document has the trials of a search."""
    first = document.first_line
    return first.startswith("number\t") and f"\t{_ATTRIBUTE}" in first


def _read_trials(document: Document) -> Reading:
    """Read the trials of a search, one a row, each as a step; they are evaluated on valid."""
    rows = read_rows(document, "\t")
    heading = next(rows, None)
    names = () if heading is None else heading.plain
    records = []
    for row in rows:
        cells = dict(zip(names, row.plain, strict=False))
        values: dict[str, Value] = {"step": Number(cells.get("number", ""))}
        for name, cell in cells.items():
            if name.startswith(_ATTRIBUTE) and "." in name and cell:
                metric = f"validation.{name.removeprefix(_ATTRIBUTE)}"
                values[metric] = NumberAt(cell, row.line)
        records.append(Record(None, values))

    return _read_records(document, READER_TRIALS.key, records)


READER_TRIALS = Reader("pykeen_trials", _recognise_trials, _read_trials)


# Tables: DataFrames of its metrics, and runs that are exported from W&B or MLflow.

# PyKEEN leaves the k of adjusted hits out of their keys; it is 10 by default.
_HITS_WITHOUT_K = re.compile(r"(?:adjusted|z)_hits_at_k", re.IGNORECASE)
_PRINTED_COLUMNS = 4  # side, tie policy, metric and value; an index is before them


def _parse_csv_name(name: str, k: int | None) -> Label:
    """Read a heading or a key of PyKEEN: first as a metric of its own, then as any other."""
    default = 10 if k is None and _HITS_WITHOUT_K.fullmatch(name) else k
    measure = find_metric(name, default)
    if measure is None:
        return read_label(name, k)
    return Label(name, "measured", *measure, is_vocabulary=True)


def _recognise_csv(document: Document) -> bool:
    """Tell whether a document is a DataFrame of metrics, as CSV or printed."""
    is_csv = "," in document.first_line
    delimiter = "," if is_csv else None
    headings = [squash(heading) for heading in document.first_line.split(delimiter)]
    # People add columns, such as one for the model; a table of anybody's may have a column "type".
    if is_csv and all(name in headings for name in ("side", "ranktype", "metric", "value")):
        return True
    if len(headings) < _PRINTED_COLUMNS:
        return False

    side, kind, metric, value = headings[-_PRINTED_COLUMNS:]
    is_kind = kind in {"ranktype", "type"}
    return is_kind and (side, metric, value) == ("side", "metric", "value")


def _read_csv(document: Document) -> Reading:
    """Read a DataFrame of metrics, written as CSV or printed."""
    is_printed = "," not in document.first_line
    if is_printed:
        lines = [_separate_by_commas(line) for line in document.lines]
        document = Document(document.name, "\n".join(lines))
    dialect = Dialect(_parse_csv_name, exact=not is_printed, even=True)
    return read_delimited(document, READER_CSV.key, dialect, "pykeen")


def _separate_by_commas(line: str) -> str:
    """Separate the cells of a printed row by commas; any other line becomes blank."""
    cells = line.split()[-_PRINTED_COLUMNS:]
    is_row = len(cells) == _PRINTED_COLUMNS and "..." not in cells
    return ",".join(cells) if is_row else ""


READER_CSV = Reader("pykeen_csv", _recognise_csv, _read_csv, "pykeen")

# Side, tie policy and metric, as only PyKEEN joins them.
_COLUMN = re.compile(
    rf"\b(?:{'|'.join(LINK_SIDES)})\.(?:realistic|optimistic|pessimistic)"
    r"\.(?:hits_at_\d+|[a-z_]+_rank)\b",
    re.ASCII,
)


def _recognise_runs(document: Document) -> bool:
    """Tell whether a table has a column such as ``both.realistic.hits_at_10``."""
    headings = re.split("[,;\t]", document.first_line)
    return any(_COLUMN.search(heading) for heading in headings[1:])


def _read_runs(document: Document) -> Reading:
    """Read a table of runs."""
    return read_delimited(document, READER_RUNS.key, Dialect(even=True), "pykeen")


READER_RUNS = Reader("pykeen_runs", _recognise_runs, _read_runs, "pykeen")
