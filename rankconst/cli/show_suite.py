"""What ``rankconst show`` says of a suite: chance and counting by graph, and their means.

It also says what is missing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.catalogue import show_constant
from rankconst.listing import Column, Listing, count
from rankconst.tables.suite_means import require_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.suites import Suite
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

_USUAL = ("mrr", "hits@10")


def list_suite(suite: Suite, asked: Tasks, metrics: Sequence[Metric], tables: Tables) -> Listing:
    """List what chance and counting get on each graph of a suite, and their means."""
    chosen = metrics or [parse_metric(name) for name in _USUAL]
    covered = require_suite(suite, asked, tables)
    rows = [_describe(tasks, chosen, tables) for tasks in covered.held.values()]
    mean = _average(rows) | {"dataset": "mean", "split": None, "side": None}
    lists = [
        Column("dataset", "graph"),
        Column("split", "split", drop=2),
        Column("side", "side", drop=3),
    ]
    lists.append(Column("num_tasks", "tasks", count, right=True, drop=1))
    for metric in chosen:
        # Of one metric there is room for how much both vary.
        deviation = "sd" if len(chosen) == 1 else None
        for baseline, title in (("chance", f"{metric.label}: chance"), (FLOOR, FLOOR)):
            key = f"{baseline}_{metric.key}"
            lists.append(Column(key, title, show_constant, right=True))
            lists.append(Column(f"{key}_sd", deviation, show_constant, right=True))
    tool = suite.tool
    ranked = (
        ""
        if tool is None
        else f"\nRanking tasks are those of {tool.title}: rankconst show {tool.key}"
    )
    caption = f"The mean is of {covered}.{_tell_builds(covered.missing)}\nTables: {tables.version}."
    return Listing.of(
        lists,
        [*rows, mean],
        title=f"{suite.title[0].upper()}{suite.title[1:]}\n{suite.reference}{ranked}",
        caption=caption,
    )


def _describe(tasks: Tasks, metrics: Sequence[Metric], tables: Tables) -> dict[str, Any]:
    row: dict[str, Any] = {"dataset": tasks.dataset, "split": tasks.split, "side": tasks.side}
    for metric in metrics:
        for baseline, key in (("chance", DEFAULT_BASELINE), (FLOOR, FLOOR)):
            found = tables.look_up(replace(tasks, baseline=key), metric)
            row["num_tasks"] = found.num_tasks
            row[f"{baseline}_{metric.key}"] = found.expectation
            row[f"{baseline}_{metric.key}_sd"] = math.sqrt(found.variance)
    return row


def _average(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over graphs, with their standard deviations: graphs are independent."""
    mean = {"num_tasks": sum(row["num_tasks"] for row in rows)}
    for key in rows[0].keys() - {"dataset", "split", "side", "num_tasks"}:
        cells = [row[key] for row in rows]
        whole = math.hypot(*cells) if key.endswith("_sd") else math.fsum(cells)
        mean[key] = whole / len(rows)
    return mean


def _tell_builds(missing: Sequence[str]) -> str:
    """Say how the graphs that the tables lack are built."""
    if not missing:
        return ""
    return f" To build the others, which needs a network: rankconst build {' '.join(missing)}"
