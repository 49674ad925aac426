"""``rankconst sources``: the tools whose published numbers can be adjusted, and what to know about each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.catalogue.tools import TOOLS, parse_tool
from rankconst.cli.listings import print_page
from rankconst.cli.options import FormatOption, complete_tool
from rankconst.cli.output import Column, Format, Listing, print_listing

if TYPE_CHECKING:
    from rankconst.catalogue.tools import Tool


_COLUMNS = (
    Column("source", "source"),
    Column("title", "tool"),
    Column("protocol", "protocol"),
    Column("ties", "true answer among equal scores", drop=1),
    Column("whole_ranks"),
    Column("reference", "reference", drop=2),
    Column("repositories"),
    Column("batch"),
    Column("caveats"),
    Column("refused"),
    Column("evidence"),
)


def list_sources(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE",
            help="Show the page of this one; also owner/name of a repository.",
            autocompletion=complete_tool,
        ),
    ] = None,
    format: FormatOption = Format.table,
) -> None:
    """List the sources of published numbers, each with its protocol, or show the page of one.

    Example: rankconst sources conve
    """
    if name is not None:
        source = parse_tool(name)
        print_page(_describe(source), format, heading=source.key, title=source.title, leading=2)
        return
    caption = "`rankconst sources NAME` shows the page of one: caveats, evidence."
    rows = [_describe(source) for source in TOOLS.values()]
    print_listing(Listing.of(columns=_COLUMNS, rows=rows, caption=caption), format)


def _describe(source: Tool) -> dict[str, Any]:
    return {
        "source": source.key,
        "title": source.title,
        "protocol": source.protocol,
        "ties": source.ties,
        "whole_ranks": source.whole_ranks,
        "reference": source.reference,
        "repositories": list(source.repositories),
        "batch": source.batch,
        "caveats": list(source.caveats),
        "refused": [f"{dataset}: {reason}" for dataset, reason in source.refused.items()],
        "evidence": list(source.evidence),
    }
