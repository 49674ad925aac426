"""``rankconst metrics``, ``protocols``, ``aggregations``, ``baselines`` and ``tools``: lists, and pages."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankconst.catalogue.aggregations import AGGREGATIONS, DEFAULT_AGGREGATION
from rankconst.catalogue.baselines import DEFAULT_BASELINE, OFFERED
from rankconst.catalogue.metrics import CATALOGUE, MACRO_METRICS, describe_metric, parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_PROTOCOL,
    DEFAULT_SAMPLING,
    PROTOCOLS,
    SAMPLINGS,
    Protocol,
    find_protocol,
)
from rankconst.catalogue.tools import TOOLS, Tool, parse_tool
from rankconst.cli.options import PROTOCOL_NAMES, FormatOption, complete_from, complete_metric
from rankconst.cli.output import Column, Format, Listing, print_listing, text

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

_CANDIDATES = {"all": "all entities", "seen": "entities seen in train", "placed": "heads and tails"}
_TASKS = {"all": "all rows", "seen": "rows seen in train"}
_KNOWN = {
    "all": "of all splits",
    "up_to": "up to the evaluated split",
    "own": "of train and the evaluated split",
    "none": "none",
}

_TIMES = {None: "", "any": ", of any time", "same": ", of the same time"}

_PROTOCOL_COLUMNS = (
    Column("protocol", "protocol"),
    Column("candidates", "candidates", _CANDIDATES.__getitem__),
    Column("tasks", "triples", _TASKS.__getitem__),
    Column("distinct", "distinct", drop=2),
    Column("known", "known answers removed", _KNOWN.__getitem__),
    Column("time", "of time"),
    Column("used_by", "used by", drop=1),
    Column("summary"),
    Column("law"),
)

_AGGREGATION_COLUMNS = (
    Column("aggregation", "aggregation"),
    Column("group", "counts once"),
    Column("summary", "meaning", drop=1),
    Column("used_by", "used by"),
)


_TOOL_COLUMNS = (
    Column("tool", "tool"),
    Column("title", "name"),
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


def _print_page(
    page: dict[str, Any], form: Format, *, heading: str, title: str, leading: int, caption: str = ""
) -> None:
    """Write the page of one thing, field to text or list of texts; a table has a line for each text.

    It has `heading` and `title` in place of the first fields, `leading` in number.
    """
    if form is not Format.table:
        print_listing(Listing.of(list(map(Column, page)), [page]), form)
        return
    lines = []
    for field, value in list(page.items())[leading:]:
        texts = value if isinstance(value, list) else [value]
        lines += [{"heading": "" if place else field, "text": each} for place, each in enumerate(texts or [None])]
    columns = (Column("heading", heading), Column("text", title))
    print_listing(Listing.of(columns, lines, caption=caption), form)


def list_metrics(
    name: Annotated[
        str | None,
        typer.Argument(metavar="METRIC", help="Show the page of this one.", autocompletion=complete_metric),
    ] = None,
    format: FormatOption = Format.table,
) -> None:
    """List the metrics with the names of their adjusted forms, or show the page of one.

    Example: rankconst metrics mrr
    """
    if name is not None:
        page = describe_metric(parse_metric(name))
        symbol, _, title = page["name"].partition(", ")
        caption = (
            "tasks: pairs (N, c), c tasks with N candidates; n tasks in all; ranks(N): 1 ... N; H(N, p): sum of 1/j^p; "
            "rankings: all rank vectors; E: the expectation."
        )
        _print_page(page, format, heading=symbol, title=title, leading=1, caption=caption)
        return
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
    caption = "`rankconst metrics NAME` shows the page of one: formulas, method, reference."
    print_listing(Listing.of(_METRIC_COLUMNS, rows, caption=caption), format)


def list_protocols(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="PROTOCOL", help="Show the page of this one.", autocompletion=complete_from(PROTOCOL_NAMES)
        ),
    ] = None,
    format: FormatOption = Format.table,
) -> None:
    """List the evaluation protocols (what is ranked, which known answers are removed), or show the page of one.

    Example: rankconst protocols

    Example: rankconst protocols sampled:500
    """
    if name is not None:
        protocol = find_protocol(name)
        _print_page(_describe_protocol(protocol), format, heading=protocol.key, title=protocol.summary, leading=2)
        return
    rows = [
        {
            "protocol": protocol.key,
            "candidates": protocol.candidates,
            "tasks": protocol.tasks,
            "distinct": protocol.distinct,
            "known": protocol.known,
            "time": None if protocol.qualified else protocol.time,
            "used_by": list(protocol.used_by),
            "summary": protocol.summary,
            "law": protocol.law,
        }
        for protocol in PROTOCOLS.values()
    ]
    *variants, last = (f"sampled:500:{key}" for key in SAMPLINGS if key != DEFAULT_SAMPLING)
    caption = (
        f"The default is {DEFAULT_PROTOCOL}. `rankconst build --protocol sampled:M` ranks among M negatives.\n"
        f"`rankconst protocols NAME` shows the page of one, also of sampled:500, {', '.join(variants)} or {last}."
    )
    print_listing(Listing.of(_PROTOCOL_COLUMNS, rows, caption=caption), format)


def _describe_known(protocol: Protocol) -> str:
    return _KNOWN[protocol.known] + (", with the same qualifiers" if protocol.qualified else _TIMES[protocol.time])


def _describe_protocol(protocol: Protocol) -> dict[str, str | None]:
    """Return the page of a protocol, field to text."""
    sampled = protocol.negatives is not None
    return {
        "protocol": protocol.key,
        "summary": protocol.summary,
        "candidates": f"{protocol.negatives} and the true one" if sampled else _CANDIDATES[protocol.candidates],
        "triples": "as the benchmark gives them" if sampled else _TASKS[protocol.tasks],
        "distinct": None if sampled else text(protocol.distinct),
        "known answers removed": None if sampled else _describe_known(protocol),
        "law": protocol.law,
        "needs": protocol.needs,
        "constants": protocol.refused or "yes",
        "used by": ", ".join(protocol.used_by) or None,
        "reference": protocol.reference or None,
    }


def list_aggregations(format: FormatOption = Format.table) -> None:
    """List the aggregations: how much each ranking task counts."""
    rows = [
        {"aggregation": row.key, "group": row.group, "summary": row.summary, "used_by": list(row.used_by)}
        for row in AGGREGATIONS.values()
    ]
    macros = ", ".join(metric.label for metric in MACRO_METRICS if metric.k in {None, 10})
    caption = f"The default is {DEFAULT_AGGREGATION}. Tables hold macro averages of {macros} and further k."
    print_listing(Listing.of(_AGGREGATION_COLUMNS, rows, caption=caption), format)


_BASELINE_COLUMNS = (
    Column("baseline", "baseline"),
    Column("summary", "how it ranks"),
    Column("reference", "reference", drop=1),
)


def list_baselines(format: FormatOption = Format.table) -> None:
    """List the baselines: the rankers that numbers can be compared with.

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr --baseline all
    """
    rows = [{"baseline": row.key, "summary": row.summary, "reference": row.reference} for row in OFFERED.values()]
    caption = (
        f"The default is {DEFAULT_BASELINE}. The others know the training set. All rank candidates of equal score "
        "in random order, with known answers removed as the protocol says."
    )
    print_listing(Listing.of(_BASELINE_COLUMNS, rows, caption=caption), format)


def list_tools(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="TOOL",
            help="Show the page of this one; owner/name of a repository works too.",
            autocompletion=complete_from(TOOLS),
        ),
    ] = None,
    format: FormatOption = Format.table,
) -> None:
    """List the tools whose numbers can be adjusted, each with its protocol, or show the page of one.

    Example: rankconst tools conve
    """
    if name is not None:
        tool = parse_tool(name)
        _print_page(_describe_tool(tool), format, heading=tool.key, title=tool.title, leading=2)
        return
    caption = "`rankconst tools NAME` shows the page of one: caveats, evidence."
    rows = [_describe_tool(tool) for tool in TOOLS.values()]
    print_listing(Listing.of(_TOOL_COLUMNS, rows, caption=caption), format)


def _describe_tool(tool: Tool) -> dict[str, Any]:
    return {
        "tool": tool.key,
        "title": tool.title,
        "protocol": tool.protocol,
        "ties": tool.ties,
        "whole_ranks": tool.whole_ranks,
        "reference": tool.reference,
        "repositories": list(tool.repositories),
        "batch": tool.batch,
        "caveats": list(tool.caveats),
        "refused": [f"{dataset}: {reason}" for dataset, reason in tool.refused.items()],
        "evidence": list(tool.evidence),
    }
