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
from rankconst.errors import TablesError, UnknownNameError, UsageError
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

Complete = Callable[[str], list[str]]


def option(
    names: str, metavar: str | None, help: str, complete: Complete | None = None, *, hidden: bool = False, **more: Any
) -> Any:
    """Return the description of an option; one that is hidden is listed by --help-all."""
    return typer.Option(*names.split(), help=help, metavar=metavar, autocompletion=complete, hidden=hidden, **more)


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
    **dict.fromkeys(("--choices", "--candidates", "--items", "--relevant"), "--counts FILE"),
    **dict.fromkeys(("--negatives", "--sampled"), "--protocol sampled:M, for M negatives"),
    "--out": "--format csv > FILE",
    "--macro": "--aggregation macro-query or --aggregation macro-relation",
    "--per-relation": "--relation NAME, or rankconst show DATASET relations",
}


def explain_option(name: str, known: Sequence[str] = ()) -> str:
    """Say that there is no such option, and which one may be meant."""
    from difflib import get_close_matches

    meant = _MEANT.get(name) or " or ".join(get_close_matches(name, known, 2, 0.75))
    return f"no such option: {name}." + f" Did you mean {meant}?" * bool(meant)


def names_file(text: str) -> bool:
    """Tell whether what was typed is ``-``, standard input, or names a file or a folder that is there."""
    try:
        return text == "-" or Path(text).exists()
    except OSError:  # too long for a name
        return False


def find_all(names: Iterable[str], find: Callable[[str], Any]) -> list[Any]:
    """Return what names spell; all wrong ones are in one error."""
    wrong, found = list[str](), []
    for name in names:
        try:
            found.append(find(name))
        except UnknownNameError as error:
            wrong.append(str(error))
    if wrong:
        raise UnknownNameError("\n".join(wrong))
    return found


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
Dataset = Annotated[str | None, option("--dataset -d", "KEY", "Dataset, if the file names none.", complete_dataset)]
Datasets = Annotated[
    list[str] | None, option("--dataset -d", "KEY", "Dataset, any spelling; repeatable.", complete_dataset)
]
OnlyDatasets = Annotated[list[str] | None, option("--dataset -d", "KEY", "Only this; repeatable.", complete_dataset)]
Split = Annotated[str | None, option("--split", "SPLIT", "train, valid or test (default).", complete_from(SPLITS))]
Side = Annotated[str | None, option("--side", "SIDE", "head, tail, relation or both (default).", complete_from(SIDES))]
Protocol = Annotated[
    str | None,
    option(
        *("--protocol -p", "PROTOCOL"),
        "How models were evaluated (default: standard); see `rankconst show protocols`.",
        complete_from(PROTOCOL_NAMES),
    ),
]
Aggregation = Annotated[
    str | None,
    option(
        *("--aggregation -a", "AGGREGATION"),
        "How much each task counts (default: micro); see `rankconst show aggregations`.",
        complete_from(AGGREGATIONS),
        hidden=True,
    ),
]
Baseline = Annotated[
    str | None,
    option(
        *("--baseline -b", "BASELINE"),
        "Compare with this ranker too, or with all; see `rankconst show baselines`.",
        complete_from((*OFFERED, ALL_BASELINES)),
    ),
]
Tool = Annotated[
    str | None,
    option(
        *("--tool -t", "TOOL"),
        "The tool that evaluated the models, which sets the protocol; see `rankconst show tools`.",
        complete_from(TOOLS),
    ),
]
Metrics = Annotated[
    list[str] | None,
    option("--metric -m", "METRIC", "mr, mrr, hits@10, gmr ...; of a file only these. Repeatable.", complete_metric),
]
Force = Annotated[bool, option("--force", None, "Overwrite the file if it exists.", hidden=True)]
Percent = Annotated[
    bool | None,
    option(
        *("--percent/--no-percent", None),
        "Shares without a sign are percentages, or fractions. Default: as they look.",
        hidden=True,
    ),
]
Strict = Annotated[bool, option("--strict", None, "Refuse a file if anything in it is left out.", hidden=True)]
Accept = Annotated[
    list[str] | None,
    option("--accept", "WORD", "A word near numbers that says nothing of them, where one is asked about.", hidden=True),
]
Decimal = Annotated[
    str | None,
    option(
        *("--decimal", "SIGN"),
        "The decimal sign of a table, comma or point.",
        complete_from(("comma", "point")),
        hidden=True,
    ),
]
InputFormat = Annotated[
    str | None,
    option(
        *("--input-format", "FORMAT"),
        "The file's format, if it is not recognised.",
        complete_from(_list_input_formats),
        hidden=True,
    ),
]
Relation = Annotated[
    list[str] | None,
    option(
        *("--relation -r", "NAME"),
        "Only the tasks of this relation, spelled as in the benchmark's files; repeatable. For valid and test.",
        hidden=True,
    ),
]
NumTasks = Annotated[
    int | None,
    option(
        *("--num-tasks -n", "N"),
        "Number of ranks, in place of a dataset: protocol sampled:M.",
        hidden=True,
        parser=_read_num_tasks,
    ),
]
Counts = Annotated[
    Path | None,
    option("--counts", "FILE", "Candidate counts of your own tasks, in place of a dataset.", hidden=True),
]
FurtherTables = Annotated[
    list[str] | None, option("--tables", "PLACE", "Folder, zip, URL or doi: of further tables; repeatable.")
]
OneSet = Annotated[
    str | None, option("--tables", "PLACE", "Folder, zip, URL or doi: of tables; those included if left out.")
]
Out = Annotated[Path | None, option("--out -o", "FILE", "Write to a file; .svg, .png and .pdf are pictures.")]
_FORMAT = option("--format -f", "FORMAT", f"{', '.join(Format)}; --json for json.")
Form = Annotated[Format, _FORMAT]
MaybeForm = Annotated[Format | None, _FORMAT]


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


# -- what they need -------------------------------------------------------------------------------------------------


def has_builder() -> bool:
    """Tell whether the extra ``rankconst[builder]`` is installed; imports nothing."""
    return all(find_spec(module) is not None for module in _BUILDER_NEEDS)
