"""Compute constants from histograms, and make the rows of tables."""

from __future__ import annotations

import functools
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rankconst.arrow import join_texts, wrap_numbers
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.metrics import HEADLINE, TABULATED, list_metrics
from rankconst.catalogue.protocols import MACROS
from rankconst.moments import compute_moments
from rankconst.progress import unseen
from rankconst.tables.descriptor import schema_of
from rankconst.tasks import Histogram
from rankconst_builder.package import ADDRESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.progress import Stage
    from rankconst.tasks import Tasks

    Histograms = Mapping[Tasks, Histogram]

_NUMBERS = {
    "num_candidates": "num_candidates",
    "weight": "weights",
    "num_tasks": "num_tasks",
    "offset": "offsets",
}
"""Column of a table of candidates to the field of a histogram."""

HISTOGRAM_TABLES = (
    "candidates",
    "macro_candidates",
    "candidates_by_relation",
    "baseline_candidates",
    "baseline_candidates_by_relation",
)
"""The tables that hold histograms."""

CARRIED = {DEFAULT_BASELINE: TABULATED, FLOOR: HEADLINE, SINGLE_STEP: HEADLINE}
"""Baseline to the metrics in the table of constants."""


def list_macros(split: str) -> tuple[str, ...]:
    """Return the macro averages in the tables. Others follow from single relations."""
    return tuple(MACROS) if split == "train" else ("macro-query",)


def tabulate(histograms: Histograms, stage: Stage = unseen) -> dict[str, pa.Table]:
    """Return all tables that follow from histograms."""
    return {**tabulate_histograms(histograms), "constants": tabulate_constants(histograms, stage)}


def tabulate_histograms(histograms: Histograms) -> dict[str, pa.Table]:
    """Return the tables that hold histograms."""
    parts: dict[str, dict[Tasks, Histogram]] = {name: {} for name in HISTOGRAM_TABLES}
    for tasks in _by_baseline(histograms):
        parts[table_of(tasks)][tasks] = histograms[tasks]
    return {name: _tabulate_candidates(name, part) for name, part in parts.items()}


def table_of(tasks: Tasks) -> str:
    """Return the table that holds the histogram of some tasks."""
    name = "candidates" if tasks.is_chance else "baseline_candidates"
    if tasks.relations:
        return f"{name}_by_relation"
    if tasks.is_chance and not tasks.is_micro:
        return "macro_candidates"
    return name


def _by_baseline(histograms: Iterable[Tasks]) -> list[Tasks]:
    """Sort tasks by their baselines."""
    order = list(BASELINES)
    return sorted(histograms, key=lambda tasks: order.index(tasks.baseline))


def _tabulate_candidates(name: str, histograms: Histograms) -> pa.Table:
    """Write the histograms of a table below each other, with the names of their tasks."""
    schema = schema_of(name)
    if not histograms:
        return pa.Table.from_batches([], schema)

    lengths = [len(histogram) for histogram in histograms.values()]
    tasks_of_row = wrap_numbers(np.repeat(np.arange(len(lengths)), lengths))
    columns = []
    for column in schema:
        parts: list[Any] = []
        if column.name in _NUMBERS:
            for histogram in histograms.values():
                numbers = getattr(histogram, _NUMBERS[column.name])
                if numbers is None:  # of chance, which has no offsets
                    numbers = np.zeros_like(histogram.num_tasks)
                parts.append(numbers)
            values = wrap_numbers(np.concatenate(parts))
        else:
            for tasks in histograms:
                is_relation = column.name == "relation"
                parts.append(tasks.relations[0] if is_relation else getattr(tasks, column.name))
            values = join_texts(parts).take(tasks_of_row)

        columns.append(values.cast(column.type))

    return pa.table(columns, schema=schema)


def tabulate_constants(histograms: Histograms, stage: Stage = unseen) -> pa.Table:
    """Compute the constants of micro averages over all relations, for single and both sides."""
    jobs: dict[Tasks, tuple[Histogram, tuple[Metric, ...]]] = {}
    plain = [tasks for tasks in _by_baseline(histograms) if tasks.is_micro and not tasks.relations]
    carried_tasks = []
    for tasks in plain:
        if tasks.baseline in CARRIED:
            carried_tasks.append(tasks)
            if tasks.side == "tail":
                carried_tasks.append(replace(tasks, side="both"))

    for tasks in carried_tasks:
        sides = [tasks] if tasks in histograms else tasks.sides
        parts = [histograms[side] for side in sides if side in histograms]
        pooled = functools.reduce(Histogram.pool, parts)
        metrics = list_metrics(shared=pooled.shared)
        carried = tuple(metric for metric in CARRIED[tasks.baseline] if metric in metrics)
        jobs[tasks] = (pooled, carried)

    # Protocols often agree on tasks: each histogram is computed once.
    computed: dict[Any, list[dict[str, Any]]] = {}
    with stage("metrics", sum(len(metrics) for _, metrics in {*jobs.values()})) as advance:
        for pooled, carried in dict.fromkeys(jobs.values()):
            constants = computed.setdefault((pooled, carried), [])
            for metric in carried:
                moments = compute_moments(metric, pooled)
                row = {"metric": metric.family, "k": metric.k, "num_tasks": pooled.total}
                constants.append(row | asdict(moments))
                advance()

    rows = []
    for tasks, job in jobs.items():
        address = {name: getattr(tasks, name) for name in ADDRESS}
        rows += [address | row for row in computed[job]]

    schema = schema_of("constants")
    arrays = []
    for field in schema:
        values = [row[field.name] for row in rows]
        arrays.append(_make_column(values, field.type))

    return pa.table(arrays, schema=schema)


def _make_column(values: Sequence[Any], kind: pa.DataType) -> Any:
    if pa.types.is_string(kind):
        return join_texts(values)
    valid = wrap_numbers(np.array([value is not None for value in values], dtype=np.bool_))
    numbers = wrap_numbers(np.array([value or 0 for value in values], dtype=np.float64)).cast(kind)
    return pa.Array.from_buffers(kind, len(valid), [valid.buffers()[1], numbers.buffers()[1]])
