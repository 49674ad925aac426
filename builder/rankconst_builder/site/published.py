"""Published results for the pages of their datasets: read from a file of any format, adjusted for chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.confirm import confirm_reading
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
    # Where it was published, as the file's column ``source`` says; empty if it does not.
    source: str
    text: str
    value: float
    index: float
    # Index and z with their ranges.
    shown: tuple[str, str]


def read_published(
    path: Path, tables: Tables, keys: Collection[str]
) -> tuple[dict[str, list[Result]], str]:
    """Return the results on test that a file has, by dataset, the best first; and a line on what is left out."""
    found: dict[str, list[Result]] = {}
    lost: list[tuple[str, int | None]] = []
    reading = confirm_reading(read(path), tables, NOTHING)
    adjusted = adjust_reading(reading, tables, NOTHING, metrics=[parse_metric(METRIC)])
    for each in adjusted.entries:
        if not each.wanted or each.entry.adjustment is not None:
            continue
        row = adjusted.reading.rows[each.entry.row]
        result = _read_result(each, keys, row.get("source") or "")
        if isinstance(result, Result):
            found.setdefault(result.tasks.dataset, []).append(result)
        else:
            lost.append((result, each.entry.line))
    lost += (
        (f"{skipped.what}: {skipped.why}", skipped.line) for skipped in adjusted.reading.skipped
    )
    # What several tables of a source print is shown once.
    ordered = {
        key: sorted(dict.fromkeys(results), key=lambda each: -each.index)
        for key, results in found.items()
    }
    return ordered, _tell_lost(path.name, lost, sum(map(len, found.values())))


def _read_result(each: AdjustedEntry, keys: Collection[str], source: str) -> Result | str:
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
        return f"ranks are shown that are realistic where scores tie, and these are {context.rank_type}"
    if adjusted.index_interval is None or adjusted.z_interval is None:
        return adjusted.undefined.get("index") or adjusted.undefined["z"]
    shown = (
        show_uncertain(adjusted.index, adjusted.index_interval),
        show_uncertain(adjusted.z, adjusted.z_interval),
    )
    in_full = each.entry.exact or len(each.entry.text) > _LONGEST
    text = show_number(adjusted.value) if in_full else each.entry.text
    return Result(tasks, context.model or "–", source, text, adjusted.value, adjusted.index, shown)


def _tell_lost(name: str, lost: list[tuple[str, int | None]], shown: int) -> str:
    """Say how many numbers no page shows, and the commonest reason."""
    if not lost:
        return ""
    ((why, count),) = Counter(reason for reason, _ in lost).most_common(1)
    line = next(line for reason, line in lost if reason == why)
    place = "" if line is None or count > 1 else f"line {line:,}: "
    often = (
        ""
        if count == len(lost)
        else f"most often ({count:,} times): "
        if count > 1
        else "for example "
    )
    are = "is" if len(lost) == 1 else "are"
    return (
        f"{name}: {len(lost):,} of {len(lost) + shown:,} numbers {are} not shown (rankconst adjust {name} --metric "
        f"{METRIC} tells of each); {often}{place}{why}"
    )
