"""How constants are shown, and the columns and rows that lists of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.output import group_by
from rankconst.listing import Column, count
from rankconst.values.published import show_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LEAST, _MOST = 1e-3, 1e7


def show_constant(value: float | None) -> str:
    """Show a constant: six digits, or a power of ten with four if it is small or large."""
    if value is None:
        return "–"
    return show_number(value, 6) if value == 0 or _LEAST <= abs(value) < _MOST else f"{value:.3e}"


SUMMARY = tuple(map(parse_metric, ("mr", "mrr", "hits@1", "hits@10", "gmr")))
"""The metrics in the summary of tasks: what a random ranker gets."""


def list_expected(show: Callable[[Any], str], *drops: int) -> tuple[Column, ...]:
    """Return the columns of a row's tasks, and of the values of a random ranker.

    `show` writes their numbers; `drops` say when the column of each metric leaves a screen.
    """
    return (
        Column("num_tasks", "tasks", count, right=True),
        Column("mean_candidates", "mean N", show, right=True, drop=2),
        *(
            Column(f"expectation_{metric.key}", f"E[{metric.label}]", show, right=True, drop=drop)
            for metric, drop in zip(SUMMARY, drops, strict=True)
        ),
    )


def join_protocols(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Map protocols to their rows, those with the same constants as one: ``standard = libkge``."""
    blocks = group_by(rows, lambda row: row["protocol"])
    alike = group_by(
        blocks, lambda protocol: repr([row | {"protocol": ""} for row in blocks[protocol]])
    )
    named = ((" = ".join(protocols), blocks[protocols[0]]) for protocols in alike.values())
    return {names: [row | {"protocol": names} for row in block] for names, block in named}
