"""Compute constants from histograms, and make the rows of tables."""

from __future__ import annotations

import functools
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

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
    by_table: dict[str, dict[Tasks, Histogram]] = {name: {} for name in HISTOGRAM_TABLES}
    for tasks in _by_baseline(histograms):
        by_table[table_of(tasks)][tasks] = histograms[tasks]
    return {name: _tabulate_candidates(name, held) for name, held in by_table.items()}


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
    """Write the histograms of a table below each other, with the names of their tasks.

    A row has the dataset, protocol, split and side of its tasks, a number of candidates, and how
    many tasks have it.
    """
    schema = schema_of(name)
    if not histograms:
        return pa.Table.from_batches([], schema)

    # Rows repeat the names of their tasks: these are written once, and taken by index.
    lengths = [len(histogram) for histogram in histograms.values()]
    tasks_of_row = wrap_numbers(np.repeat(np.arange(len(lengths)), lengths))
    columns = []
    for column in schema:
        if column.name in _NUMBERS:
            values = _join_numbers(histograms.values(), _NUMBERS[column.name])
        else:
            values = _list_texts(histograms, column.name).take(tasks_of_row)

        columns.append(values.cast(column.type))

    return pa.table(columns, schema=schema)


def _join_numbers(histograms: Iterable[Histogram], field: str) -> Any:
    """Return a field of all histograms as one Arrow array, with 0 for the offsets of chance."""
    arrays = []
    for histogram in histograms:
        numbers = getattr(histogram, field)
        if numbers is None:  # chance has no offsets
            numbers = np.zeros_like(histogram.num_tasks)
        arrays.append(numbers)

    return wrap_numbers(np.concatenate(arrays))


def _list_texts(all_tasks: Iterable[Tasks], column: str) -> Any:
    """Return the text that each tasks have in a column, such as their protocol, as Arrow array."""
    if column == "relation":
        return join_texts([tasks.relations[0] for tasks in all_tasks])
    return join_texts([getattr(tasks, column) for tasks in all_tasks])


def tabulate_constants(histograms: Histograms, stage: Stage = unseen) -> pa.Table:
    """Compute the constants of micro averages over all relations, for single and both sides."""
    jobs = _list_jobs(histograms)
    # Protocols often agree on tasks: each histogram is computed once.
    distinct_jobs = dict.fromkeys(jobs.values())
    rows_of_job: dict[_Job, list[dict[str, Any]]] = {}
    with stage("metrics", sum(len(job.metrics) for job in distinct_jobs)) as advance:
        for job in distinct_jobs:
            rows_of_job[job] = []
            for metric in job.metrics:
                row = {"metric": metric.family, "k": metric.k, "num_tasks": job.histogram.total}
                moments = compute_moments(metric, job.histogram)
                rows_of_job[job].append(row | asdict(moments))
                advance()

    rows = []
    for tasks, job in jobs.items():
        address = {name: getattr(tasks, name) for name in ADDRESS}
        rows += [address | row for row in rows_of_job[job]]

    schema = schema_of("constants")
    columns = []
    for column in schema:
        values = [row[column.name] for row in rows]
        columns.append(_make_column(values, column.type))

    return pa.table(columns, schema=schema)


class _Job(NamedTuple):
    """Metrics to compute on a histogram."""

    histogram: Histogram
    metrics: tuple[Metric, ...]


def _list_jobs(histograms: Histograms) -> dict[Tasks, _Job]:
    """Return what to compute for each tasks in the table of constants, both sides included."""
    jobs = {}
    for single in _by_baseline(histograms):
        if not single.is_micro or single.relations or single.baseline not in CARRIED:
            continue

        with_both = [single]
        if single.side == "tail":  # after which both sides are there
            with_both.append(replace(single, side="both"))

        for tasks in with_both:
            sides = [tasks] if tasks in histograms else tasks.sides
            pooled = functools.reduce(
                Histogram.pool, [histograms[side] for side in sides if side in histograms]
            )
            known = list_metrics(shared=pooled.shared)
            metrics = [metric for metric in CARRIED[tasks.baseline] if metric in known]
            jobs[tasks] = _Job(pooled, tuple(metrics))

    return jobs


def _make_column(values: Sequence[Any], kind: pa.DataType) -> Any:
    """Return values as an Arrow array of texts, or of numbers with nulls for None."""
    if pa.types.is_string(kind):
        return join_texts(values)

    # From its buffers, validity and numbers: pyarrow's own conversion would load pandas.
    is_valid = wrap_numbers(np.array([value is not None for value in values], dtype=np.bool_))
    numbers = wrap_numbers(np.array([value or 0 for value in values], dtype=np.float64)).cast(kind)
    buffers = [is_valid.buffers()[1], numbers.buffers()[1]]
    return pa.Array.from_buffers(kind, len(values), buffers)
