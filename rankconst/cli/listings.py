"""``rankconst metrics`` and ``rankconst protocols``: the catalogues, as users see them."""

from __future__ import annotations

from rankconst.cli.options import FormatOption
from rankconst.cli.output import Column, Format, Listing, print_listing
from rankconst.metrics import CATALOGUE
from rankconst.protocols import DEFAULT_PROTOCOL, PROTOCOLS

__all__ = ["list_metrics", "list_protocols"]

_METRIC_COLUMNS = (
    Column("metric", "key"),
    Column("symbol", "symbol"),
    Column("title", "name", drop=2),
    Column("definition", "definition", drop=3),
    Column("better", "better"),
    Column("normalised", "normalised", drop=1),
    Column("index", "index"),
    Column("z", "z"),
)

_CANDIDATES = {"all": "all entities", "seen": "entities seen in train"}
_TASKS = {"all": "all rows", "seen": "rows seen in train"}
_KNOWN = {"all": "of all splits", "up_to": "up to the evaluated split", "none": "none"}

_PROTOCOL_COLUMNS = (
    Column("protocol", "protocol"),
    Column("candidates", "candidates", _CANDIDATES.__getitem__),
    Column("tasks", "triples", _TASKS.__getitem__),
    Column("distinct", "distinct", drop=2),
    Column("known", "known answers removed", _KNOWN.__getitem__),
    Column("used_by", "used by", drop=1),
    Column("summary"),
)


def list_metrics(format: FormatOption = Format.table) -> None:
    """List the metrics, with the names of their adjusted forms."""
    rows = [
        {
            "metric": metric.key,
            "symbol": metric.label,
            "title": metric.title,
            "definition": metric.definition,
            "better": "larger" if metric.increasing else "smaller",
            **{form: metric.name_of(form) or None for form in ("normalised", "index", "z")},
        }
        for metric in CATALOGUE.values()
    ]
    print_listing(Listing(columns=_METRIC_COLUMNS, rows=rows), format)


def list_protocols(format: FormatOption = Format.table) -> None:
    """List the evaluation protocols: which entities are ranked, for which triples, with what removed."""
    rows = [
        {
            "protocol": protocol.key,
            "candidates": protocol.candidates,
            "tasks": protocol.tasks,
            "distinct": protocol.distinct,
            "known": protocol.known,
            "used_by": list(protocol.used_by),
            "summary": protocol.summary,
        }
        for protocol in PROTOCOLS.values()
    ]
    caption = f"The default is {DEFAULT_PROTOCOL}. `rankconst build --protocol sampled:M` ranks among M negatives."
    print_listing(Listing(columns=_PROTOCOL_COLUMNS, rows=rows, caption=caption), format)
