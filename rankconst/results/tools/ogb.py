"""Read the output of OGB's evaluator, by metric: a value for each ranking task, or their mean.

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
from rankconst.results.reading import Collector, NumberText, Reader, Reading
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


_EXACT = Arithmetic(prec=60)  # digits of a sum
_NAME = re.compile(r"(hits@\d{1,9}|mrr)(_list)?")


class _Measure(NamedTuple):
    """A metric of an object with its value, or its values."""

    split: str | None
    key: str
    name: str  # mrr or mrr_list
    value: Value

    @property
    def values(self) -> list[Value] | None:
        """The values of the ranking tasks; None for a mean."""
        return self.value if self.is_list and isinstance(self.value, list) else None

    @property
    def is_list(self) -> bool:
        """True if it has a value for each ranking task."""
        return self.name.endswith("_list")


def _walk(record: Record) -> Iterator[_Measure]:
    """Yield the metrics of an object, and those below keys of splits: {"test": {"mrr": 0.3}}."""
    for key, inner in record.object.items():
        if key in SPLIT_WORDS and isinstance(inner, dict):
            for name, below in inner.items():
                if _NAME.fullmatch(name):
                    yield _Measure(key, f"{key}.{name}", name, below)
        elif _NAME.fullmatch(key):
            yield _Measure(None, key, key, inner)


def _recognise(document: Document) -> bool:
    """Tell whether a metric of the first objects has a list of values."""
    if not document.is_structured:
        return False
    return any(
        measure.is_list for record in read_records(document)[:5] for measure in _walk(record)
    )


def _read(document: Document) -> Reading:
    """Read the metrics of a file: a number for each mean, and for each list its mean.

    {"test": {"mrr_list": [0.25, 0.75]}} holds an MRR of 0.5, of split test and 2 ranking tasks.
    DataError if lists of a split differ in length, as each has a value for every task.
    """
    collector = Collector()
    for record in read_records(document):
        lengths: dict[str | None, int] = {}  # by split, of its first list
        for measure in _walk(record):
            text, reason = _read_mean(measure)
            if reason:  # why there is no mean
                collector.skip(record.line, measure.key, reason)
                continue
            place = f"{document.at(record.line)}, key {measure.key}"
            count = None if measure.values is None else len(measure.values)
            if count is not None and lengths.setdefault(measure.split, count) != count:
                raise DataError(
                    f"{place}: it has {count:,} values, the list before it "
                    f"{lengths[measure.split]:,}; expected one per task. "
                    "Write the lists of one evaluation, each with all of its tasks."
                )
            try:
                metric = parse_metric(measure.name.removesuffix("_list"))
            except UnknownNameError as error:
                raise DataError(f"{place}: {error}") from None

            row = {
                "line": record.line_text,
                "split": measure.split,
                "metric": measure.name,
                "value": text,
                "num_tasks": None if count is None else str(count),
            }
            context = Address(split=measure.split, num_tasks=count)
            collector.add(metric, text, record.line, context, row, exact=measure.is_list)

    return collector.collect(document, READER.key, "ogb")


def _read_mean(measure: _Measure) -> NumberText:
    """Return the text of a mean, as written or correctly rounded of a list; else the reason."""
    if not measure.is_list or measure.value is None:
        return read_number(measure.value)
    if not measure.values:
        return NumberText("", "expected a list with a value for each ranking task")

    total = Decimal(0)
    for index, item in enumerate(measure.values):
        number = float(item) if isinstance(item, Number) else math.nan
        if not 0 <= number <= 1:
            got = "an object or a list" if isinstance(item, (dict, list)) else repr(str(item))
            reason = f"its value {index + 1:,} is {got}; expected a number from 0 to 1"
            return NumberText("", reason)
        total = _EXACT.add(total, Decimal(str(item)) if number else Decimal(0))

    return NumberText(repr(float(_EXACT.divide(total, len(measure.values)))))


READER = Reader("ogb", _recognise, _read)
