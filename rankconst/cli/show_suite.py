"""What ``rankconst show`` says of a suite: chance and counting graph by graph, their means, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.catalogue import show_constant
from rankconst.listing import Column, Listing, count
from rankconst.tables.suite_means import cover_suite

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
    covered = cover_suite(suite, asked, tables)
    rows = [_describe(tasks, chosen, tables) for tasks in covered.held.values()]
    mean = _describe(asked, chosen, tables) | {"dataset": "mean", "split": None, "side": None}
    lists = [
        Column("dataset", "graph"),
        Column("split", "split", drop=2),
        Column("side", "side", drop=3),
    ]
    lists.append(Column("num_tasks", "tasks", count, right=True, drop=1))
    for metric in chosen:
        lists.append(
            Column(f"chance_{metric.key}", f"{metric.label}: chance", show_constant, right=True)
        )
        lists.append(Column(f"{FLOOR}_{metric.key}", FLOOR, show_constant, right=True))
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
        chance = tables.look_up(tasks, metric)
        row["num_tasks"] = chance.num_tasks
        row[f"chance_{metric.key}"] = chance.expectation
        row[f"{FLOOR}_{metric.key}"] = tables.look_up(
            replace(tasks, baseline=FLOOR), metric
        ).expectation
    return row


def _tell_builds(missing: Sequence[str]) -> str:
    """Say how the graphs that the tables lack are built."""
    if not missing:
        return ""
    named = " ".join(f"-d {key}" for key in missing)
    return f" To build the others, which needs a network: rankconst build {named}"
