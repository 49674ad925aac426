"""What OGB's evaluator returns for each metric: a value for each ranking task, or their mean.

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
from typing import TYPE_CHECKING

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


def _walk(record: Record) -> Iterator[tuple[str | None, str, re.Match[str], Value]]:
    """Yield the metrics of an object: split, key, name and value."""
    value = record.value if isinstance(record.value, dict) else {}
    for key, inner in value.items():
        nested = inner if key in SPLIT_WORDS and isinstance(inner, dict) else None
        for name, each in (nested or {key: inner}).items():
            if (found := _NAME.fullmatch(name)) is not None:
                yield (key, f"{key}.{name}", found, each) if nested else (None, name, found, each)


def _recognise(document: Document) -> bool:
    if not document.is_structured:
        return False
    return any(name[2] for record in read_records(document)[:5] for _, _, name, _ in _walk(record))


def _read(document: Document) -> Reading:
    numbers = Collector()
    for record in read_records(document):
        lengths: dict[str | None, int] = {}
        for split, key, name, value in _walk(record):
            place, line, count = f"{document.at(record.line)}, key {key}", record.line, None
            if not name[2] or value is None:
                text, why = read_number(value)
            else:
                text, count, why = _average(value)
            if why:
                numbers.skip(line, key, why)
                continue
            if count is not None and lengths.setdefault(split, count) != count:
                other = lengths[split]
                raise DataError(
                    f"{place}: it has {count:,} values, the list before it {other:,}; "
                    "expected one per task."
                )
            try:
                metric = parse_metric(name[1])
            except UnknownNameError as error:
                raise DataError(f"{place}: {error}") from None
            context = Address(split=split, num_tasks=count)
            cells = {"line": line, "split": split, "metric": name[0], "value": text}
            cells["num_tasks"] = count
            row = {key: None if cell is None else str(cell) for key, cell in cells.items()}
            numbers.add(metric, text, line, context, row, exact=bool(name[2]))
    return numbers.collect(document, READER.key, "ogb")


def _average(value: Value) -> tuple[str, int, str]:
    """Return the mean of a list, how many values there are, and why there is no mean.

    The mean is correctly rounded.
    """
    if not isinstance(value, list) or not value:
        return "", 0, "expected a list with a value for each ranking task"
    total = Decimal(0)
    for index, each in enumerate(value):
        number = float(each) if isinstance(each, Number) else math.nan
        if not 0 <= number <= 1:
            got = "an object or a list" if isinstance(each, (dict, list)) else repr(str(each))
            return "", 0, f"its value {index + 1:,} is {got}; expected a number from 0 to 1"
        total = _EXACT.add(total, Decimal(str(each)) if number else Decimal(0))
    return repr(float(_EXACT.divide(total, len(value)))), len(value), ""


READER = Reader("ogb", _recognise, _read)
