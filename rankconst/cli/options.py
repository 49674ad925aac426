"""Options that several commands take, and what completes them."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from rankconst.catalogue.aggregations import AGGREGATIONS
from rankconst.catalogue.baselines import ALL_BASELINES, OFFERED
from rankconst.catalogue.metrics import TABULATED
from rankconst.catalogue.protocols import PROTOCOLS, SIDES, SPLITS
from rankconst.catalogue.tools import TOOLS
from rankconst.cli.output import Format, say
from rankconst.errors import TablesError, UsageError
from rankconst.evaluation import Stated
from rankconst.names import read_count, shorten, squash
from rankconst.tables.folder import holds_set
from rankconst.tables.location import OUTPUT
from rankconst.tables.tables import Tables, join_tables, load
from rankconst.version import bundled_versions

ALL = "all"
"""What some options take for every split, side, protocol or baseline."""

PROTOCOL_NAMES = (*PROTOCOLS, "sampled:500")
"""What completes a protocol; of the sampled ones, the usual one is offered."""

_BUILDER_NEEDS = ("pooch",)


def option(
    *names: str,
    help: str,
    metavar: str | None = None,
    complete: Callable[[str], list[str]] | None = None,
    hidden: bool = False,
    **more: Any,
) -> Any:
    """Return the description of an option; one that is hidden is listed by --help-all."""
    return typer.Option(*names, help=help, metavar=metavar, autocompletion=complete, hidden=hidden, **more)


def hide(shared: Any) -> Any:
    """Return the description of an option that other commands list in their help, for --help-all alone."""
    hidden = copy.copy(get_args(shared)[1])
    hidden.hidden = True
    return hidden


def _read_num_tasks(text: str) -> int:
    """Return a whole number from 1 on."""
    found = read_count(text)
    if not found:
        raise UsageError(f"--num-tasks {shorten(text)!r} is not a whole number from 1 on.")
    return found


# What people type first to the option that does it.
_MEANT = {
    **dict.fromkeys(("--output", "--save"), "--out FILE"),
    **dict.fromkeys(("--figure", "--plot"), "--out figure.svg"),
    **{f"--{form}": f"--format {form}" for form in ("csv", "markdown", "latex", "parquet")},
    **{word: f"--side {side}" for side in ("head", "tail") for word in (f"--{side}", f"--{side}s")},
    **{f"--{word}": f"--split {split}" for split, words in SPLITS.items() for word in (split, *words)},
    **dict.fromkeys(("--bibtex", "--citation"), "rankconst show DATASET METRIC --cite"),
    **dict.fromkeys(("--choices", "--candidates"), "--counts FILE"),
}


def explain_option(name: str, near: Sequence[str] = ()) -> str:
    """Say that there is no such option, and which one may be meant."""
    meant = _MEANT.get(name) or " or ".join(near[:2])
    return f"no such option: {name}." + f" Did you mean {meant}?" * bool(meant)


def state(
    dataset: str | None,
    split: str | None,
    side: str | None,
    protocol: str | None,
    aggregation: str | None,
    tool: str | None,
    relation: Iterable[str] | None,
    percent: bool | None,
    accept: Iterable[str] | None,
) -> Stated:
    """Return what options say of numbers."""
    facts = (dataset, split, side, protocol, aggregation, tool)
    return Stated(*facts, relations=tuple(relation or ()), percent=bool(percent), accepted=tuple(accept or ()))


def names_file(text: str) -> bool:
    """Tell whether what was typed is ``-``, standard input, or names a file or a folder that is there."""
    try:
        return text == "-" or Path(text).exists()
    except OSError:  # too long for a name
        return False


# -- completion -----------------------------------------------------------------------------------------------------


def complete_from(names: Iterable[str] | Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what completes one of some names, or of those that a function brings when it is needed."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in (names() if callable(names) else names) if name.startswith(incomplete)]

    return complete


def complete_dataset(incomplete: str) -> list[str]:
    """Complete the key of a dataset of the tables that are found without being named."""
    rows = open_tables(None).datasets
    return _complete_spelling(incomplete, ((key, row["title"], *row["aliases"]) for key, row in rows.items()))


def complete_benchmark(incomplete: str) -> list[str]:
    """Complete the key of a benchmark that can be built."""
    from rankconst.catalogue.benchmarks import load_benchmarks

    rows = load_benchmarks()
    return _complete_spelling(incomplete, ((key, row.title, *row.aliases) for key, row in rows.items()))


def _complete_spelling(incomplete: str, things: Iterable[Iterable[str]]) -> list[str]:
    """Complete what was typed to the first spelling of each thing that begins so, however it is punctuated.

    What was typed stays as it is, since shells accept nothing else: ``fb15k-`` becomes ``fb15k-237``, not ``fb15k237``.
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


def _list_input_formats() -> Iterable[str]:
    from rankconst.results.formats import FORMATS

    return FORMATS


complete_metric = complete_from([name for metric in TABULATED for name in (metric.label.lower(), metric.key)])


# -- options --------------------------------------------------------------------------------------------------------

# None where the user says nothing: then a file or a tool may say it, before the default holds.
DatasetOption = Annotated[
    str | None,
    option("--dataset", "-d", help="Dataset, if the file names none.", metavar="KEY", complete=complete_dataset),
]
SplitOption = Annotated[
    str | None,
    option("--split", help="train, valid or test (default).", metavar="SPLIT", complete=complete_from(SPLITS)),
]
SideOption = Annotated[
    str | None,
    option("--side", help="head, tail, relation or both (default).", metavar="SIDE", complete=complete_from(SIDES)),
]
ProtocolOption = Annotated[
    str | None,
    option(
        "--protocol",
        "-p",
        help="How models were evaluated (default: standard); see `rankconst show protocols`.",
        metavar="PROTOCOL",
        complete=complete_from(PROTOCOL_NAMES),
    ),
]
AggregationOption = Annotated[
    str | None,
    option(
        "--aggregation",
        "-a",
        help="How much each task counts (default: micro); see `rankconst show aggregations`.",
        metavar="AGGREGATION",
        complete=complete_from(AGGREGATIONS),
        hidden=True,
    ),
]
BaselineOption = Annotated[
    str | None,
    option(
        "--baseline",
        "-b",
        help="Compare with this ranker too, or with all; see `rankconst show baselines`.",
        metavar="BASELINE",
        complete=complete_from((*OFFERED, ALL_BASELINES)),
    ),
]
ToolOption = Annotated[
    str | None,
    option(
        "--tool",
        "-t",
        help="The tool that evaluated the models, which sets the protocol; see `rankconst show tools`.",
        metavar="TOOL",
        complete=complete_from(TOOLS),
    ),
]
MetricsOption = Annotated[
    list[str] | None,
    option(
        "--metric",
        "-m",
        help="mr, mrr, hits@10, gmr ...; of a file only these. Repeatable.",
        metavar="METRIC",
        complete=complete_metric,
    ),
]
ForceOption = Annotated[bool, option("--force", help="Overwrite the file if it exists.", hidden=True)]
PercentOption = Annotated[
    bool | None,
    option(
        "--percent/--no-percent",
        help="Shares without a sign are percentages, or fractions. Default: as they look.",
        hidden=True,
    ),
]
StrictOption = Annotated[bool, option("--strict", help="Refuse a file if anything in it is left out.", hidden=True)]
AcceptOption = Annotated[
    list[str] | None,
    option(
        "--accept",
        help="A word near numbers that says nothing of them, where one is asked about.",
        metavar="WORD",
        hidden=True,
    ),
]
DecimalOption = Annotated[
    str | None,
    option(
        "--decimal",
        help="The decimal sign of a table, comma or point.",
        metavar="SIGN",
        complete=complete_from(("comma", "point")),
        hidden=True,
    ),
]
InputFormatOption = Annotated[
    str | None,
    option(
        "--input-format",
        help="The file's format, if it is not recognised.",
        metavar="FORMAT",
        complete=complete_from(_list_input_formats),
        hidden=True,
    ),
]
RelationOption = Annotated[
    list[str] | None,
    option(
        "--relation",
        "-r",
        help="Only the tasks of this relation, spelled as in the benchmark's files; repeatable. For valid and test.",
        metavar="NAME",
        hidden=True,
    ),
]
NumTasksOption = Annotated[
    int | None,
    option(
        *("--num-tasks", "-n"),
        help="Number of ranks, in place of a dataset: protocol sampled:M.",
        metavar="N",
        parser=_read_num_tasks,
        hidden=True,
    ),
]
CountsOption = Annotated[
    Path | None,
    option("--counts", help="Candidate counts of your own tasks, in place of a dataset.", metavar="FILE", hidden=True),
]
TablesOption = Annotated[
    list[str] | None,
    option("--tables", help="Folder, zip, URL or doi: of further tables; repeatable.", metavar="PLACE"),
]
OneSetOption = Annotated[
    str | None,
    option("--tables", help="Folder, zip, URL or doi: of tables; those included if left out.", metavar="PLACE"),
]
ChosenDatasetsOption = Annotated[
    list[str] | None,
    option("--dataset", "-d", help="Only this dataset; repeatable.", metavar="KEY", complete=complete_dataset),
]
OutOption = Annotated[
    Path | None, option("--out", "-o", help="Write to a file; .svg, .png and .pdf are pictures.", metavar="FILE")
]
FORMAT_HELP = f"{', '.join(Format)}; --json for json."
MaybeFormatOption = Annotated[Format | None, option("--format", "-f", help=FORMAT_HELP, metavar="FORMAT")]
FormatOption = Annotated[Format, option("--format", "-f", help=FORMAT_HELP, metavar="FORMAT")]


def open_tables(places: Sequence[str] | None) -> Tables:
    """Open the sets that were named, then the one included, then what a build wrote to this folder, as one."""
    sets = [*map(load, places or ())]
    if not sets or bundled_versions():  # in a zip file of modules, there are none
        sets.append(load())
    try:
        if holds_set(Path(OUTPUT)) and OUTPUT not in map(os.path.normpath, places or ()):
            found = load(OUTPUT)
            found.datasets  # noqa: B018 - read here, so that leftovers of another version spoil nothing
            sets.append(found)
    except (TablesError, OSError) as error:  # the latter of a folder that may not be searched
        say(f"note: {OUTPUT} is left out: {error}")
    return join_tables(sets)


def check_url(url: str | None, example: str) -> str | None:
    """Return an address where something will be found; refuse what is none."""
    from rankconst.download import is_url

    if url is not None and not is_url(url):
        raise UsageError(f"--url {url!r} must begin with https://: {example}, for example.")
    return url


# -- what they need -------------------------------------------------------------------------------------------------


def has_builder() -> bool:
    """Tell whether the extra ``rankconst[builder]`` is installed; imports nothing."""
    return all(find_spec(module) is not None for module in _BUILDER_NEEDS)
