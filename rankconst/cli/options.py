"""Options that several commands share, each with its one explanation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from rankconst.catalogue.aggregations import AGGREGATIONS
from rankconst.catalogue.metrics import TABULATED
from rankconst.catalogue.protocols import PROTOCOLS, SIDES, SPLITS
from rankconst.cli.output import Format
from rankconst.names import squash
from rankconst.tables import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


ALL = "all"
"""What ``show`` takes for every split, side or protocol."""

_USUAL_SAMPLED = "sampled:500"


def complete_dataset(incomplete: str) -> list[str]:
    """Complete the key of a dataset of the carried tables."""
    rows = tables.load().datasets
    return _complete_spelling(incomplete, ((key, row["title"], *row["aliases"]) for key, row in rows.items()))


def complete_source(incomplete: str) -> list[str]:
    """Complete the key of a benchmark of the registry."""
    from rankconst.catalogue.benchmarks import load_benchmarks

    sources = load_benchmarks()
    return _complete_spelling(incomplete, ((key, row.title, *row.aliases) for key, row in sources.items()))


def _complete_spelling(incomplete: str, things: Iterable[Iterable[str]]) -> list[str]:
    """Carry on what was typed to the first spelling of each thing that begins so.

    Spellings are compared as :func:`rankconst.errors.resolve_name` does; what was typed stays as it is, since shells
    take nothing else: ``fb15k-`` becomes ``fb15k-237``, not ``fb15k237``.
    """
    letters = squash(incomplete)
    if incomplete and not letters:
        return []
    begins, offered = re.compile("_?".join(letters)), []
    for spellings in things:
        plain = (re.sub(r"[^a-z0-9]+", "_", spelling.lower()).strip("_") for spelling in spellings)
        rest = next((each[found.end() :] for each in plain if (found := begins.match(each))), None)
        if rest is not None:
            offered.append(incomplete + (rest if incomplete[-1:].isalnum() else rest.lstrip("_")))
    return offered


def complete_tool(incomplete: str) -> list[str]:
    """Complete the key of a source of published numbers."""
    from rankconst.catalogue.tools import TOOLS

    return [key for key in TOOLS if key.startswith(incomplete)]


def complete_input_format(incomplete: str) -> list[str]:
    """Complete the key of a format of results files."""
    from rankconst.results.formats import READERS

    return [key for key in READERS if key.startswith(incomplete)]


def complete_protocol(incomplete: str) -> list[str]:
    """Complete the key of a protocol; of the sampled ones, the usual one is offered."""
    return [key for key in (*PROTOCOLS, _USUAL_SAMPLED) if key.startswith(incomplete)]


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
        autocompletion=complete_from((*PROTOCOLS, _USUAL_SAMPLED, ALL)),
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
        autocompletion=complete_protocol,
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
MetricsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="mr, mrr, hits@10, gmr ...; any spelling. For a file: only this one; repeatable.",
        metavar="METRIC",
        autocompletion=complete_metric,
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over a file that is there already.")]
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
