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
    Column("title", "name"),
    Column("definition", "definition"),
    Column("better", "better"),
    Column("normalised", "normalised"),
    Column("index", "index"),
    Column("z", "z"),
)

_PROTOCOL_COLUMNS = (
    Column("protocol", "protocol"),
    Column("candidates", "candidates"),
    Column("tasks", "triples"),
    Column("known", "filter"),
    Column("used_by", "used by"),
    Column("summary"),
)

_WORDS = {"seen": "seen in train", "up_to": "splits up to this", "all": "all", "none": "none"}


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
            "candidates": f"entities {_WORDS[protocol.candidates]}" if protocol.candidates != "all" else "all entities",
            "tasks": _WORDS[protocol.tasks] + (", distinct" if protocol.distinct else ""),
            "known": _WORDS[protocol.known],
            "used_by": list(protocol.used_by),
            "summary": protocol.summary,
        }
        for protocol in PROTOCOLS.values()
    ]
    caption = f"The default is {DEFAULT_PROTOCOL}. `rankconst build --protocol sampled:M` ranks among M negatives."
    print_listing(Listing(columns=_PROTOCOL_COLUMNS, rows=rows, caption=caption), format)
