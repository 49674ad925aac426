"""What OGB's evaluator returns: for every metric a list with a value for each ranking task, or their mean.

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
from rankconst.evaluation import Stated
from rankconst.results.reading import Entry, Reader, Reading, Skipped, make_reading
from rankconst.results.structured import SPLIT_WORDS, Number, Record, Value, looks_structured, read_number, read_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document


_EXACT = Arithmetic(prec=60)
_NAME = re.compile(r"(hits@\d{1,9}|mrr)(_list)?")


class _Found(NamedTuple):
    """A metric of an object."""

    line: int | None
    split: str | None
    key: str
    value: Value


def _walk(record: Record) -> Iterator[_Found]:
    value = record.value if isinstance(record.value, dict) else {}
    for key, inner in value.items():
        if key in SPLIT_WORDS and isinstance(inner, dict):
            yield from (_Found(record.line, key, name, each) for name, each in inner.items())
        else:
            yield _Found(record.line, None, key, inner)


def _recognise(document: Document) -> bool:
    if not looks_structured(document):
        return False
    return any(
        (name := _NAME.fullmatch(each.key)) is not None and name[2]
        for record in read_records(document)[:5]
        for each in _walk(record)
    )


def _read(document: Document) -> Reading:
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for record in read_records(document):
        lengths: dict[str | None, int] = {}
        for found in _walk(record):
            name = _NAME.fullmatch(found.key)
            if name is None:
                continue
            key = found.key if found.split is None else f"{found.split}.{found.key}"
            place, count = f"{document.at(found.line)}, key {key}", None
            if not name[2] or found.value is None:
                text, why = read_number(found.value)
            else:
                text, count, why = _average(found.value)
            if why:
                skipped.append(Skipped(found.line, key, why))
                continue
            if count is not None and lengths.setdefault(found.split, count) != count:
                other = lengths[found.split]
                raise DataError(
                    f"{place}: it has {count:,} values, the list before it {other:,}; expected one per task."
                )
            metric = _parse(name[1], place)
            context = Stated(split=found.split, num_tasks=count)
            entries.append(Entry(metric, text, len(rows), "value", found.line, context, exact=bool(name[2])))
            rows.append(
                {
                    "line": "" if found.line is None else str(found.line),
                    "split": found.split or "",
                    "metric": found.key,
                    "value": text,
                    "num_tasks": "" if count is None else str(count),
                }
            )
    return make_reading(document, READER.key, "long", rows, entries, skipped=skipped, tool="ogb")


def _parse(name: str, place: str) -> Metric:
    try:
        return parse_metric(name)
    except UnknownNameError as error:
        raise DataError(f"{place}: {error}") from None


def _average(value: Value) -> tuple[str, int, str]:
    """Return the mean of a list, correctly rounded, how many values there are, and why it is none."""
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


READER = Reader("ogb", "OGB: what its evaluator returns, as JSON or as Python prints it", _recognise, _read)
