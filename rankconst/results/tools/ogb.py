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
    """The mean of a list, or the reason why it has none."""

    text: str
    length: int  # of the list
    why: str = ""


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
    collector = Collector()
    for record in read_records(document):
        line = record.line
        lengths: dict[str | None, int] = {}
        for measure in _walk(record):
            split, key = measure.split, measure.key
            place, count = f"{document.at(line)}, key {key}", None
            if not measure.is_list or measure.value is None:
                text, why = read_number(measure.value)
            else:
                text, count, why = _average(measure.value)
            if why:
                collector.skip(line, key, why)
                continue
            if count is not None and lengths.setdefault(split, count) != count:
                raise DataError(
                    f"{place}: it has {count:,} values, the list before it {lengths[split]:,}; "
                    "expected one per task."
                )
            try:
                metric = parse_metric(measure.metric)
            except UnknownNameError as error:
                raise DataError(f"{place}: {error}") from None
            name = f"{measure.metric}_list" if measure.is_list else measure.metric
            cells = {"line": line, "split": split, "metric": name, "value": text}
            cells["num_tasks"] = count
            row = {column: None if cell is None else str(cell) for column, cell in cells.items()}
            context = Address(split=split, num_tasks=count)
            collector.add(metric, text, line, context, row, exact=measure.is_list)
    return collector.collect(document, READER.key, "ogb")


def _average(value: Value) -> _Mean:
    """Average a list; its mean is correctly rounded."""
    if not isinstance(value, list) or not value:
        return _Mean("", 0, "expected a list with a value for each ranking task")
    total = Decimal(0)
    for index, item in enumerate(value):
        number = float(item) if isinstance(item, Number) else math.nan
        if not 0 <= number <= 1:
            got = "an object or a list" if isinstance(item, (dict, list)) else repr(str(item))
            why = f"its value {index + 1:,} is {got}; expected a number from 0 to 1"
            return _Mean("", 0, why)
        total = _EXACT.add(total, Decimal(str(item)) if number else Decimal(0))
    return _Mean(repr(float(_EXACT.divide(total, len(value)))), len(value))


READER = Reader("ogb", _recognise, _read)
