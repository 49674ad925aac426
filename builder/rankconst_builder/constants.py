"""From histograms to rows: everything in the constants table follows from the candidates table."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, MACROS
from rankconst.catalogue.metrics import MACRO_TABULATED, TABULATED
from rankconst.moments import compute_moments
from rankconst.tables.schema import schema_of
from rankconst.tasks import Histogram, WeightedHistogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    TaskKey = tuple[str, str, str, str]
    MacroKey = tuple[str, str, str, str, str]


def tabulate_histograms(
    name: str,
    histograms: Mapping[TaskKey, Histogram] | Mapping[MacroKey, Histogram] | Mapping[MacroKey, WeightedHistogram],
) -> pa.Table:
    """Write histograms as rows of one of their tables.

    Parameters
    ----------
    name
        ``candidates``, ``macro_candidates`` or ``candidates_by_relation``.
    histograms
        (dataset, protocol, split, side) to histogram, with side ``head`` or ``tail``; for ``macro_candidates`` the
        aggregation follows and histograms are weighted, for ``candidates_by_relation`` the relation follows.
    """
    rows = [
        (*key, *row)
        for key, histogram in histograms.items()
        for row in zip(*(values.tolist() for values in _columns(histogram)), strict=True)
    ]
    return _table(name, rows)


def _columns(histogram: Histogram | WeightedHistogram) -> list[NDArray[Any]]:
    weights = [histogram.weights] if isinstance(histogram, WeightedHistogram) else []
    return [histogram.num_candidates, *weights, histogram.num_tasks]


def tabulate_constants(
    histograms: Mapping[TaskKey, Histogram], macro_histograms: Mapping[MacroKey, WeightedHistogram]
) -> pa.Table:
    """Compute every tabulated metric for every set of tasks, and for both sides pooled.

    Parameters
    ----------
    histograms
        Those of ``candidates``, see :func:`tabulate_histograms`; head and tail of the same tasks are pooled into
        ``both``.
    macro_histograms
        Those of ``macro_candidates``; for tasks that have them, macro averages are tabulated, too.
    """
    # Protocols often agree on some tasks: what is computed once need not be again.
    done: dict[Histogram | WeightedHistogram, list[tuple[Any, ...]]] = {}
    rows = []
    for key in _with_both(histograms):
        parts = [(*key[:3], side) for side in (("head", "tail") if key[3] == "both" else (key[3],))]
        pooled: list[tuple[str, Histogram | WeightedHistogram]] = [
            (DEFAULT_AGGREGATION, functools.reduce(Histogram.pool, [histograms[part] for part in parts]))
        ]
        for aggregation in MACROS:
            weighted = [
                macro_histograms[*part, aggregation] for part in parts if (*part, aggregation) in macro_histograms
            ]
            if weighted:
                pooled.append((aggregation, functools.reduce(WeightedHistogram.pool, weighted)))
        for aggregation, histogram in pooled:
            if histogram not in done:
                done[histogram] = list(_rows(histogram))
            rows += [(*key, aggregation, *row) for row in done[histogram]]
    return _table("constants", rows)


def _with_both(keys: Iterable[TaskKey]) -> Iterator[TaskKey]:
    for dataset, protocol, split, side in keys:
        yield dataset, protocol, split, side
        if side == "tail":
            yield dataset, protocol, split, "both"


def _rows(histogram: Histogram | WeightedHistogram) -> Iterator[tuple[Any, ...]]:
    for metric in TABULATED if isinstance(histogram, Histogram) else MACRO_TABULATED:
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
            moments.num_draws,
        )


def _table(name: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    schema = schema_of(name)
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    return pa.table(
        [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema=schema
    )
