"""Published results for the pages of their datasets, adjusted for chance.

They are read from a file of any format.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.literature import RESULTS
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.confirm import confirm_reading
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
    """What a model got on test."""

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
    counting: float | None  # what counting gets on the same tasks, if that is known

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


def read_published(
    path: Path, tables: Tables, keys: Collection[str]
) -> tuple[dict[str, list[Result]], str]:
    """Return a file's test results by dataset, best first, and a line on what is left out."""
    found: dict[str, list[Result]] = {}
    lost: list[tuple[str, int | None]] = []  # why it is not shown, and its line
    addresses = _read_addresses(path)
    reading = confirm_reading(read(path), tables, NOTHING)
    # A graph of your own may have no results.
    adjusted = adjust_reading(
        reading, tables, NOTHING, metrics=[parse_metric(METRIC)], errors="note"
    )
    for each in adjusted.entries:
        if not each.wanted or each.entry.adjustment is not None:
            continue
        source = adjusted.reading.rows[each.entry.row].get("source") or ""
        result = _read_result(each, tables, keys, source, addresses.get(source) or _guess(source))
        if isinstance(result, Result):
            found.setdefault(result.tasks.dataset, []).append(result)
        else:
            lost.append((result, each.entry.line))
    skipped = adjusted.reading.skipped
    lost += [(f"{each.what}: {each.why}", each.line) for each in skipped]
    ordered, shown = {}, 0
    for key, results in found.items():
        # What several tables of a source print is shown once.
        ordered[key] = sorted(dict.fromkeys(results), key=lambda result: -result.index)
        shown += len(results)
    return ordered, _describe_lost(path.name, lost, shown)


def _read_result(
    each: AdjustedEntry, tables: Tables, keys: Collection[str], source: str, address: str
) -> Result | str:
    """Return a result as a page shows it, or why none does."""
    adjusted, constants, context = each.adjusted, each.constants, each.entry.context
    if adjusted is None or constants is None:
        return each.note
    tasks = constants.tasks
    if tasks.dataset not in keys:
        return f"the site has no page of {tasks.dataset}"
    if tasks.split != "test" or not tasks.is_micro or tasks.relations:
        return f"the pages show results on all of test, and this is of {tasks.describe()}"
    if context.rank_type not in {None, "realistic"}:
        return (
            "ranks are shown that are realistic where scores tie, and these are "
            f"{context.rank_type}"
        )
    if adjusted.index_interval is None:
        return adjusted.undefined["index"]
    in_full = each.entry.exact or len(each.entry.text) > _LONGEST
    return Result(
        tasks,
        context.model or "–",
        source,
        address,
        text=show_number(adjusted.value) if in_full else each.entry.text,
        value=adjusted.value,
        best=adjusted.value_interval[1],
        index=adjusted.index,
        shown=show_uncertain(adjusted.index, adjusted.index_interval),
        counting=_expect_counting(tasks, tables),
    )


def _expect_counting(tasks: Tasks, tables: Tables) -> float | None:
    """Return what counting gets; None where that depends on negatives that are drawn."""
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


def _guess(source: str) -> str:
    """Return the address of a source: of one, an article of arXiv or a repository of GitHub."""
    for pattern, address in _PATTERNS.items():
        found = re.fullmatch(pattern, source, re.ASCII)
        if found is not None:
            return address.format(found[1])
    return ""


def _describe_lost(name: str, lost: list[tuple[str, int | None]], shown: int) -> str:
    """Say how many numbers no page shows, and the commonest reason."""
    if not lost:
        return ""
    ((why, count),) = Counter(reason for reason, _ in lost).most_common(1)
    first = next(line for reason, line in lost if reason == why)
    place = "" if first is None or count > 1 else f"line {first:,}: "
    often = f"most often ({count:,} times): " if count > 1 else "for example "
    if count == len(lost):
        often = ""
    are = "is" if len(lost) == 1 else "are"
    return (
        f"{name}: {len(lost):,} of {len(lost) + shown:,} numbers {are} not shown (rankconst "
        f"adjust {name} --metric {METRIC} tells of each); {often}{place}{why}"
    )
