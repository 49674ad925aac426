"""Options that several commands share, each with its one explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rankconst import tables
from rankconst.aggregations import AGGREGATIONS
from rankconst.cli.output import Format
from rankconst.metrics import TABULATED
from rankconst.protocols import PROTOCOLS, SIDES, SPLITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "ALL",
    "AggregationOption",
    "FormatOption",
    "InputFormatOption",
    "PercentOption",
    "ProtocolOption",
    "RelationOption",
    "SideOption",
    "SourceOption",
    "SplitOption",
    "StatedAggregationOption",
    "StatedDatasetOption",
    "StatedProtocolOption",
    "StatedSideOption",
    "StatedSplitOption",
    "TablesOption",
    "complete_dataset",
    "complete_from",
    "complete_input_format",
    "complete_metric",
    "complete_source",
    "complete_tool",
]


ALL = "all"
"""What ``show`` takes for every split, side or protocol."""


def complete_dataset(incomplete: str) -> list[str]:
    """Complete the key of a dataset of the carried tables."""
    return [key for key in tables.load().datasets if key.startswith(incomplete)]


def complete_source(incomplete: str) -> list[str]:
    """Complete the key of a benchmark of the registry."""
    from rankconst_builder.sources import load_sources

    return [key for key in load_sources() if key.startswith(incomplete)]


def complete_tool(incomplete: str) -> list[str]:
    """Complete the key of a source of published numbers."""
    from rankconst.sources import SOURCES

    return [key for key in SOURCES if key.startswith(incomplete)]


def complete_input_format(incomplete: str) -> list[str]:
    """Complete the key of a format of results files."""
    from rankconst.results.readers import READERS

    return [key for key in READERS if key.startswith(incomplete)]


def complete_metric(incomplete: str) -> list[str]:
    """Complete a metric, by the names that people type and by its key."""
    names = [name for metric in TABULATED for name in (metric.label.lower(), metric.key)]
    return [name for name in names if name.startswith(incomplete)]


def complete_from(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return what completes one of some names."""
    known = tuple(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return complete


SplitOption = Annotated[
    str,
    typer.Option(
        "--split", help="train, valid or test.", metavar="SPLIT", autocompletion=complete_from((*SPLITS, ALL))
    ),
]
SideOption = Annotated[
    str,
    typer.Option(
        "--side",
        help="head, tail, or both (all ranks pooled).",
        metavar="SIDE",
        autocompletion=complete_from((*SIDES, ALL)),
    ),
]
ProtocolOption = Annotated[
    str,
    typer.Option(
        "--protocol",
        "-p",
        help="How the number was evaluated; see `rankconst protocols`.",
        metavar="PROTOCOL",
        autocompletion=complete_from((*PROTOCOLS, ALL)),
    ),
]
AggregationOption = Annotated[
    str,
    typer.Option(
        "--aggregation",
        "-a",
        help="What each task counts; see `rankconst aggregations`.",
        metavar="AGGREGATION",
        autocompletion=complete_from(AGGREGATIONS),
    ),
]

# The same where a file may say it: nothing is taken for granted until it has been read.
StatedDatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        "-d",
        help="Dataset, where the file names none.",
        metavar="KEY",
        autocompletion=complete_dataset,
        show_default=False,
    ),
]
StatedSplitOption = Annotated[
    str | None,
    typer.Option(
        "--split", help="train, valid or test (default: test).", metavar="SPLIT", autocompletion=complete_from(SPLITS)
    ),
]
StatedSideOption = Annotated[
    str | None,
    typer.Option(
        "--side",
        help="head, tail, or both (default: both; all ranks pooled).",
        metavar="SIDE",
        autocompletion=complete_from(SIDES),
    ),
]
StatedProtocolOption = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        "-p",
        help="How the numbers were evaluated (default: as the source does, or standard); see `rankconst protocols`.",
        metavar="PROTOCOL",
        autocompletion=complete_from(PROTOCOLS),
    ),
]
StatedAggregationOption = Annotated[
    str | None,
    typer.Option(
        "--aggregation",
        "-a",
        help="What each task counts (default: micro); see `rankconst aggregations`.",
        metavar="AGGREGATION",
        autocompletion=complete_from(AGGREGATIONS),
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        "-s",
        help="The tool that the numbers are from: sets protocol and caveats; see `rankconst sources`.",
        metavar="SOURCE",
        autocompletion=complete_tool,
    ),
]
PercentOption = Annotated[bool, typer.Option("--percent", help="Shares are percentages without a sign.")]
InputFormatOption = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        help="The file's format, where it is not recognised.",
        metavar="FORMAT",
        autocompletion=complete_input_format,
    ),
]
RelationOption = Annotated[
    list[str] | None,
    typer.Option(
        "--relation",
        "-r",
        help="Only the tasks of this relation, as the files write it; repeatable. For valid and test.",
        metavar="NAME",
    ),
]
TablesOption = Annotated[
    str | None,
    typer.Option("--tables", help="Folder, zip, URL or doi: of tables; the carried ones if left out.", metavar="PLACE"),
]
FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to print the result.")]
