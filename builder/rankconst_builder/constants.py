"""From histograms to rows: everything in the constants table follows from the candidates table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from rankconst.metrics import TABULATED
from rankconst.moments import compute_moments
from rankconst.schemas import schema_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst.histogram import Histogram

    TaskKey = tuple[str, str, str, str]

__all__ = ["tabulate_candidates", "tabulate_constants"]


def tabulate_candidates(histograms: Mapping[TaskKey, Histogram]) -> pa.Table:
    """Write histograms as rows of the candidates table.

    Parameters
    ----------
    histograms
        (dataset, protocol, split, side) to histogram, with side ``head`` or ``tail``.
    """
    rows = [
        (*key, size, tasks)
        for key, histogram in histograms.items()
        for size, tasks in zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True)
    ]
    return _table("candidates", rows)


def tabulate_constants(histograms: Mapping[TaskKey, Histogram]) -> pa.Table:
    """Compute every tabulated metric for every set of tasks, and for both sides pooled.

    Parameters
    ----------
    histograms
        As for :func:`tabulate_candidates`; head and tail of the same tasks are pooled into ``both``.
    """
    # Protocols often agree on some tasks: what is computed once need not be again.
    done: dict[Histogram, list[tuple[Any, ...]]] = {}
    rows = []
    for key, histogram in _with_both(histograms):
        if histogram not in done:
            done[histogram] = list(_rows(histogram))
        rows += [(*key, *row) for row in done[histogram]]
    return _table("constants", rows)


def _with_both(histograms: Mapping[TaskKey, Histogram]) -> Iterator[tuple[TaskKey, Histogram]]:
    for (*tasks, side), histogram in histograms.items():
        yield (tasks[0], tasks[1], tasks[2], side), histogram
        if side == "tail":
            head = histograms[tasks[0], tasks[1], tasks[2], "head"]
            yield (tasks[0], tasks[1], tasks[2], "both"), head.pool(histogram)


def _rows(histogram: Histogram) -> Iterator[tuple[Any, ...]]:
    for metric in TABULATED:
        moments = compute_moments(metric, histogram)
        yield (
            metric.family,
            metric.k,
            histogram.total,
            moments.expectation,
            moments.expectation_error,
            moments.variance,
            moments.variance_error,
            moments.method,
        )


def _table(name: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    schema = schema_of(name)
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    return pa.table(
        [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema=schema
    )
