"""Results on every graph of a suite, read from ``suite_results.csv``.

They are of a public re-run of two checkpoints, zero-shot.

Each row is a graph and a model, with the number of queries that the re-run lists. ULTRA 3g:
https://github.com/LckyLke/sotaKGFMs/blob/bec8a92edf8d2670c15ef0e1b6429692127c7aab/reports/ultra.md
and TRIX: reports/trix.md at the same commit.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("suite_results.csv")


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """What a model got on a graph, as the tool of its suite evaluates."""

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
