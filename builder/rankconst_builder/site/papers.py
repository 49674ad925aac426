"""Published results for the pages of their datasets, adjusted for chance.

They are read from a file of any format.
"""

from __future__ import annotations

import csv
import re
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
    from pathlib import Path

    from rankconst.results.adjusted import AdjustedEntry
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

METRIC = "mrr"
"""The metric by which results are shown: most papers print it."""

# What a program wrote in full is shown with four digits.
_LONGEST = 8


@dataclass(frozen=True, slots=True)
class Result:
    """A published result of a model on a test set."""

    tasks: Tasks
    model: str
    # Where it was published, by the file's column ``source``, and its address; empty if unknown.
    source: str
    address: str
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


def read_published(path: Path, tables: Tables, keys: Collection[str]) -> dict[str, list[Result]]:
    """Return the results of a file on all of test, by dataset and the best first."""
    results: dict[str, list[Result]] = {}
    addresses = _read_addresses(path)
    reading = confirm_reading(read(path), tables, NOTHING)
    # A graph of your own may have no results.
    adjusted = adjust_reading(
        reading, tables, NOTHING, metrics=[parse_metric(METRIC)], errors="note"
    )
    for entry in adjusted.entries:
        if not entry.wanted or entry.entry.adjustment is not None:
            continue
        source = adjusted.reading.rows[entry.entry.row].get("source") or ""
        address = addresses.get(source) or _guess_address(source)
        result = _read_result(entry, tables, keys, source, address)
        if result is not None:
            results.setdefault(result.tasks.dataset, []).append(result)
    # A result that several tables of a source print is shown once.
    return {
        key: sorted(dict.fromkeys(of_dataset), key=lambda result: -result.index)
        for key, of_dataset in results.items()
    }


def _read_result(
    entry: AdjustedEntry, tables: Tables, keys: Collection[str], source: str, address: str
) -> Result | None:
    """Return a result as a page shows it; None if no page does."""
    adjusted, constants, context = entry.adjusted, entry.constants, entry.entry.context
    if adjusted is None or constants is None or adjusted.index_interval is None:
        return None
    tasks = constants.tasks
    is_all_of_test = tasks.split == "test" and tasks.is_micro and not tasks.relations
    if tasks.dataset not in keys or not is_all_of_test:
        return None
    if context.rank_type not in {None, "realistic"}:
        return None
    text = entry.entry.text
    if entry.entry.exact or len(text) > _LONGEST:
        text = show_number(adjusted.value)
    return Result(
        tasks,
        context.model or "–",
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


def _read_addresses(path: Path) -> dict[str, str]:
    """Return the address of each source of the results that come with the program."""
    if path != RESULTS:
        return {}
    sources = path.with_name("published_sources.csv")
    with sources.open(encoding="utf-8", newline="") as file:
        return {row["source"]: row["address"] for row in csv.DictReader(file)}


_PATTERNS = {
    r"(https?://\S+)": "{}",
    r"arXiv:(\d{4}\.\d{4,5})": "https://arxiv.org/abs/{}",
    r"([\w.-]+/[\w.-]+)": "https://github.com/{}",
}


def _guess_address(source: str) -> str:
    """Return the address of a page, an article of arXiv or a repository; empty for other sources.

    For example, "arXiv:2010.08995" is at https://arxiv.org/abs/2010.08995.
    """
    for pattern, address in _PATTERNS.items():
        match = re.fullmatch(pattern, source, re.ASCII)
        if match is not None:
            return address.format(match[1])
    return ""
