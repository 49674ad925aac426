"""Published results for the pages of their datasets: read from a file of any format, adjusted for chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import rankconst
from rankconst.constants.published import show_number, show_uncertain

if TYPE_CHECKING:
    from pathlib import Path

    from rankconst.tables.tables import Tables
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
    # Who published it; empty if the file does not say.
    source: str
    text: str
    index: float
    # Index and z with their ranges.
    shown: tuple[str, str]


def read_published(path: Path, tables: Tables) -> dict[str, list[Result]]:
    """Return the results on test that a file has, by dataset, the best first; what cannot be adjusted is left out."""
    found: dict[str, list[Result]] = {}
    for each in rankconst.adjust(path, metrics=[METRIC], tables=tables).entries:
        adjusted, constants, context = each.adjusted, each.constants, each.entry.context
        if adjusted is None or constants is None or constants.tasks.split != "test":
            continue
        if adjusted.index_interval is None or adjusted.z_interval is None:
            continue
        shown = show_uncertain(adjusted.index, adjusted.index_interval), show_uncertain(adjusted.z, adjusted.z_interval)
        model, source = context.model or "–", context.tool or ""
        text = show_number(adjusted.value) if each.entry.exact or len(each.entry.text) > _LONGEST else each.entry.text
        result = Result(constants.tasks, model, source, text, adjusted.index, shown)
        found.setdefault(constants.tasks.dataset, []).append(result)
    return {key: sorted(results, key=lambda each: -each.index) for key, results in found.items()}
