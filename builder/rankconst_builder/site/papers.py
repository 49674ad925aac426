"""The published results that come with the program, adjusted for chance, for pages of datasets."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.literature import RESULTS
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks import confirm_reading
from rankconst.errors import RankconstError
from rankconst.evaluation import NOTHING
from rankconst.results.batches import adjust_reading
from rankconst.results.formats import read
from rankconst.values.published import show_number, show_uncertain

if TYPE_CHECKING:
    from collections.abc import Collection

    from rankconst.results.adjusted import AdjustedEntry
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

METRIC = "mrr"
"""The metric by which results are shown: most papers print it."""

# Longer numbers, which a program wrote in full, are shown with four digits.
_LONGEST = 8


@dataclass(frozen=True, slots=True)
class Result:
    """A published result of a model on a test set."""

    tasks: Tasks
    model: str
    source: str  # an article or a repository
    address: str  # of the source
    text: str
    value: float
    best: float  # the better end of its rounding
    index: float
    shown: str  # the index with its range
    counting: float | None  # the value of counting on the same tasks, if it is known

    @property
    def is_worse(self) -> bool:
        """Whether it is worse than counting, however it was rounded."""
        return self.counting is not None and self.best < self.counting

    @property
    def verdict(self) -> str:
        """How it compares with counting, in a word."""
        if self.counting is None:
            return "–"
        if self.is_worse:
            return "worse"
        return "better" if self.value > self.counting else "equal"


def read_published(tables: Tables, keys: Collection[str]) -> dict[str, list[Result]]:
    """Return the results on test sets by dataset, the best first."""
    with RESULTS.with_name("published_sources.csv").open(encoding="utf-8", newline="") as file:
        addresses = {row["source"]: row["address"] for row in csv.DictReader(file)}
    reading = confirm_reading(read(RESULTS), tables, NOTHING)
    # A graph of your own may have the name of a benchmark, and results that it cannot have.
    adjusted = adjust_reading(
        reading, tables, NOTHING, metrics=[parse_metric(METRIC)], errors="note"
    )
    results: dict[str, list[Result]] = {}
    for entry in adjusted.entries:
        if entry.wanted and entry.constants is not None:
            source = adjusted.reading.rows[entry.entry.row]["source"] or ""
            result = _read_result(entry, tables, entry.constants.tasks, source, addresses[source])
            if result is not None and result.tasks.dataset in keys:
                results.setdefault(result.tasks.dataset, []).append(result)
    # A result that several tables of a source print is shown once.
    return {
        key: sorted(dict.fromkeys(of_dataset), key=lambda result: -result.index)
        for key, of_dataset in results.items()
    }


def _read_result(
    entry: AdjustedEntry, tables: Tables, tasks: Tasks, source: str, address: str
) -> Result | None:
    """Return a result as a page shows it; None if it is not on a test set, or undefined."""
    adjusted, text = entry.adjusted, entry.entry.text
    if tasks.split != "test" or adjusted is None or adjusted.index_interval is None:
        return None
    if len(text) > _LONGEST:
        text = show_number(adjusted.value)
    return Result(
        tasks,
        entry.entry.context.model or "–",
        source,
        address,
        text=text,
        value=adjusted.value,
        best=adjusted.value_interval[1],
        index=adjusted.index,
        shown=show_uncertain(adjusted.index, adjusted.index_interval),
        counting=_expect_counting(tasks, tables),
    )


def _expect_counting(tasks: Tasks, tables: Tables) -> float | None:
    """Return the value of counting; None if it depends on the negatives that are drawn."""
    try:
        return tables.constants(replace(tasks, baseline=FLOOR), METRIC).expectation
    except RankconstError:
        return None
