"""The output of OGB's evaluator, by metric: a value for each ranking task, or their mean.

References
----------
Hu et al. 2020, *Open Graph Benchmark*, arXiv:2005.00687; github.com/snap-stanford/ogb,
``ogb/linkproppred/evaluate.py``.
"""

from __future__ import annotations

import math
import re
from decimal import Context as Arithmetic
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError, UnknownNameError
from rankconst.evaluation import Address
from rankconst.results.reading import Collector, Reader, Reading
from rankconst.results.structured import (
    SPLIT_WORDS,
    Number,
    Record,
    Value,
    read_number,
    read_records,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document


_EXACT = Arithmetic(prec=60)
_NAME = re.compile(r"(hits@\d{1,9}|mrr)(_list)?")


class _Measure(NamedTuple):
    """A metric of an object with its value, or its values."""

    split: str | None
    key: str
    metric: str
    is_list: bool  # True if it has a value for each ranking task
    value: Value


class _Mean(NamedTuple):
    """The mean that is written or that of a list, or the reason why there is none."""

    text: str
    length: int | None  # of the list
    reason: str = ""


def _walk(record: Record) -> Iterator[_Measure]:
    """Yield the metrics of an object, and of the objects below the keys of splits."""
    value = record.value if isinstance(record.value, dict) else {}
    for key, inner in value.items():
        nested = inner if key in SPLIT_WORDS and isinstance(inner, dict) else {}
        for name, below in (nested or {key: inner}).items():
            match = _NAME.fullmatch(name)
            if match is not None:
                split, path = (key, f"{key}.{name}") if nested else (None, name)
                yield _Measure(split, path, match[1], match[2] is not None, below)


def _recognise(document: Document) -> bool:
    if not document.is_structured:
        return False
    return any(
        measure.is_list for record in read_records(document)[:5] for measure in _walk(record)
    )


def _read(document: Document) -> Reading:
    """Read the metrics of all objects; the lists of a split must be of equal length."""
    collector = Collector()
    for record in read_records(document):
        lengths: dict[str | None, int] = {}  # by split, of its first list
        for measure in _walk(record):
            mean = _read_mean(measure)
            if mean.reason:
                collector.skip(record.line, measure.key, mean.reason)
                continue
            place = f"{document.at(record.line)}, key {measure.key}"
            if mean.length is not None:
                length = lengths.setdefault(measure.split, mean.length)
                if mean.length != length:
                    raise DataError(
                        f"{place}: it has {mean.length:,} values, the list before it {length:,}; "
                        "expected one per task."
                    )
            try:
                metric = parse_metric(measure.metric)
            except UnknownNameError as error:
                raise DataError(f"{place}: {error}") from None
            context = Address(split=measure.split, num_tasks=mean.length)
            row = _make_row(record.line, measure, mean)
            collector.add(metric, mean.text, record.line, context, row, exact=measure.is_list)
    return collector.collect(document, READER.key, "ogb")


def _make_row(line: int | None, measure: _Measure, mean: _Mean) -> dict[str, str | None]:
    """Make the row of a metric in the table that stands for the document."""
    return {
        "line": None if line is None else str(line),
        "split": measure.split,
        "metric": f"{measure.metric}_list" if measure.is_list else measure.metric,
        "value": mean.text,
        "num_tasks": None if mean.length is None else str(mean.length),
    }


def _read_mean(measure: _Measure) -> _Mean:
    """Read a mean as it is written, and average a list."""
    if measure.is_list and measure.value is not None:
        return _average(measure.value)
    text, reason = read_number(measure.value)
    return _Mean(text, None, reason)


def _average(value: Value) -> _Mean:
    """Average a list; its mean is correctly rounded."""
    if not isinstance(value, list) or not value:
        return _Mean("", 0, "expected a list with a value for each ranking task")
    total = Decimal(0)
    for index, item in enumerate(value):
        number = float(item) if isinstance(item, Number) else math.nan
        if not 0 <= number <= 1:
            got = "an object or a list" if isinstance(item, (dict, list)) else repr(str(item))
            reason = f"its value {index + 1:,} is {got}; expected a number from 0 to 1"
            return _Mean("", 0, reason)
        total = _EXACT.add(total, Decimal(str(item)) if number else Decimal(0))
    mean = float(_EXACT.divide(total, len(value)))
    return _Mean(repr(mean), len(value))


READER = Reader("ogb", _recognise, _read)
