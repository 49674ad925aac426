"""Published results, read from CSV files: what is usual on a benchmark, and results on suites.

A row of ``published.csv`` is a result as it was printed, with its ranking tasks and its source;
``published_sources.csv`` has the address of each source, and what states the split, the sides and
the filter there. Add a row for a result, and one for its source.

``suite_results.csv`` has the results on every graph of a suite, of a public re-run of two
checkpoints, zero-shot, with the numbers of queries that the re-run lists. ULTRA 3g:
https://github.com/LckyLke/sotaKGFMs/blob/bec8a92edf8d2670c15ef0e1b6429692127c7aab/reports/ultra.md
and TRIX: reports/trix.md at the same commit.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.protocols import find_protocol

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Tasks


RESULTS = Path(__file__).with_name("published.csv")
"""The published results."""

FEWEST = 5
"""Fewer results say little of what is usual."""


class Literature(NamedTuple):
    """The published results of a metric on a benchmark, ascending; there are at least FEWEST."""

    metric: Metric
    values: tuple[float, ...]

    def rank(self, value: float) -> tuple[int, int]:
        """Count the results that are worse than a value, and those that are better."""
        below = sum(result < value for result in self.values)
        above = sum(result > value for result in self.values)
        return (below, above) if self.metric.increasing else (above, below)

    def describe(self, value: float) -> str:
        """Count the worse results: ``51 published results collected here, 38 worse``."""
        worse, better = self.rank(value)
        total = len(self.values)
        if worse == total:
            share = "all worse"
        elif better == total:
            share = "all better"
        else:
            share = f"{worse:,} worse"
        return f"{total:,} published results collected here, {share}"


@functools.cache
def _read_results() -> tuple[dict[str, str], ...]:
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@functools.cache
def _key_filtering(protocol: str) -> tuple[object, ...]:
    """Return the traits of a protocol that numbers must share to be compared."""
    row = find_protocol(protocol)
    return row.known == "none", row.time, row.negatives, row.shared


@functools.cache
def find_literature(tasks: Tasks, metric: Metric) -> Literature | None:
    """Return the published results of a metric on some tasks; None if they are few."""
    if not tasks.is_micro or tasks.relations:
        return None
    filtering = _key_filtering(tasks.protocol)
    values = [
        float(row[metric.label])
        for row in _read_results()
        if (row["dataset"], row["split"], row["side"]) == (tasks.dataset, tasks.split, tasks.side)
        and _key_filtering(row["protocol"]) == filtering
        and row.get(metric.label)
    ]
    return Literature(metric, tuple(sorted(values))) if len(values) >= FEWEST else None


_FILE = Path(__file__).with_name("suite_results.csv")


class SuiteResult(NamedTuple):
    """The results of a model on a graph, as the tool of its suite evaluates."""

    dataset: str  # key of a benchmark
    model: str
    num_tasks: int  # its ranks
    mrr: str  # as printed, like the next
    hits_at_10: str


@functools.cache
def list_suite_results() -> tuple[SuiteResult, ...]:
    """List the results, model by model, in the order of the re-run."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    return tuple(
        SuiteResult(row["dataset"], row["model"], int(row["tasks"]), row["MRR"], row["Hits@10"])
        for row in rows
    )
