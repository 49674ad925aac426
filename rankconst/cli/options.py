"""Options that several commands take, what completes them, and the tables that they name."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rankconst.catalogue.baselines import ALL_BASELINES, BASELINES
from rankconst.catalogue.metrics import TABULATED, find_metric
from rankconst.catalogue.protocols import AGGREGATIONS, PROTOCOLS, SIDES, SPLITS
from rankconst.cli.output import say
from rankconst.errors import DataError, TablesError, UnknownNameError, UsageError
from rankconst.evaluation import Address
from rankconst.listing import Format
from rankconst.tables.archive import Tables, load
from rankconst.tables.descriptor import OUTPUT, holds_set
from rankconst.values.published import parse_value
from rankconst.version import bundled_versions


def _list_datasets() -> Iterable[Sequence[str]]:
    for key, titles in open_tables().spellings.items():
        yield (key, *(title.lower() for title in titles))


def _list_metrics() -> Iterable[Sequence[str]]:
    return ((name,) for metric in TABULATED for name in (metric.label.lower(), metric.key))


def _list_tools() -> Iterable[Sequence[str]]:
    from rankconst.catalogue.tools import load_tools

    return zip(load_tools())


# What is completed: each thing with its spellings, of which the first that fits is offered.
_COMPLETED: Mapping[str, Callable[[], Iterable[Sequence[str]]]] = {
    "KEY": _list_datasets,
    "METRIC": _list_metrics,
    "SPLIT": partial(zip, SPLITS),
    "SIDE": partial(zip, SIDES),
    "PROTOCOL": partial(zip, (*PROTOCOLS, "sampled:500")),
    "AGGREGATION": partial(zip, AGGREGATIONS),
    "BASELINE": partial(zip, (*BASELINES, ALL_BASELINES)),
    "TOOL": _list_tools,
    "FORMAT": partial(zip, Format),
}

Offer = Callable[[str], list[str]]
"""Returns the completions of the beginning of a word."""


class Parameter(NamedTuple):
    """How an argument or an option is typed, and its help.

    It is the default value in the signature of a command's function, or of a group.
    """

    names: tuple[str, ...]  # --out, -o; of an argument none
    metavar: str | None  # None for an option without a value
    help: str
    default: Any = None  # ... if it must have a value; None for no values of a list
    hidden: bool = False  # only --help-all lists it
    offer: Offer | None = None


def complete(*metavars: str) -> Offer | None:
    """Return a function that completes values of some kinds; None if there is no list of them."""
    list_functions = [_COMPLETED[metavar] for metavar in metavars if metavar in _COMPLETED]

    def offer(incomplete: str) -> list[str]:
        typed = incomplete.lower()
        completions = []
        for list_spellings in list_functions:
            for spellings in list_spellings():
                fitting = [word for word in spellings if word.startswith(typed) and " " not in word]
                if fitting:
                    completions.append(incomplete + fitting[0][len(typed) :])

        return completions

    return offer if list_functions else None


def argument(metavar: str, help: str, *completed: str, default: Any = None) -> Any:
    """Describe an argument, with the kinds of values that complete it."""
    return Parameter((), metavar, help, default, offer=complete(*completed))


def option(usage: str, help: str, default: Any = None) -> Any:
    """Describe an option by its usage: ``--out -o FILE``, ``--force``, ``--yes/--no``."""
    *names, last = usage.split()
    if last.startswith("-"):
        return Parameter((*names, last), None, help, default)
    return Parameter(tuple(names), last, help, default, offer=complete(last))


def hide(shared: Parameter) -> Any:
    """Describe an option that only --help-all lists."""
    return shared._replace(hidden=True)


def rare(usage: str, help: str, default: Any = None) -> Any:
    """Describe an option that only --help-all lists."""
    return hide(option(usage, help, default))


def split_commas(values: Iterable[str]) -> list[str]:
    """Split names at commas: mrr,hits@10."""
    return [name for value in values for name in value.split(",") if name.strip()]


# Options of other programs, with those of this one that do the same.
_ELSEWHERE = {f"--{form}": f"--format {form}" for form in ("csv", "markdown", "latex", "parquet")}
for _split, _words in SPLITS.items():
    _ELSEWHERE |= {f"--{word}": f"--split {_split}" for word in (_split, *_words)}
for _names, _meant in (
    ("--output --save", "--out FILE"),
    ("--figure --plot", "--out figure.svg"),
    ("--head --heads", "--side head"),
    ("--tail --tails", "--side tail"),
    (
        "--bibtex --citation --cite",
        "rankconst show --cite, or of a constant: rankconst show DATASET METRIC --cite",
    ),
    ("--choices --items --relevant", "--counts FILE"),
    ("--negatives --sampled", "--protocol sampled:M, for M negatives"),
    ("--raw --filter --filtered", "--protocol raw, or standard, which filters"),
    ("--in-place --inplace", "--out FILE --force"),
    ("--out", "--format csv > FILE"),
    ("--mirror", "the variable RANKCONST_MIRROR"),
    ("--tables", "rankconst tables verify PLACE, or tables release --from DIR"),
    ("--aggregation --relation", "rankconst adjust, or a column of the file"),
    ("--metric", "the metric behind the dataset: rankconst show DATASET METRIC"),
    ("--macro", "--aggregation macro-query or --aggregation macro-relation"),
    ("--per-relation", "--relation NAME, or rankconst show DATASET relations"),
):
    _ELSEWHERE |= dict.fromkeys(_names.split(), _meant)


def explain_option(name: str, known: Sequence[str] = ()) -> str:
    """Explain an unknown option, with a suggestion if there is one."""
    from difflib import get_close_matches

    bare = name.lstrip("-")
    suggestion = _ELSEWHERE.get(name, "")
    if f"{name}s" in known:
        suggestion = f"{name}s"

    if suggestion.startswith("--split ") and "--split" not in known:
        suggestion = "the files in their order: rankconst build TRAIN VALID TEST"

    if not suggestion and find_metric(bare):
        suggestion = f"{bare}=VALUE"

    if not suggestion:
        suggestion = " or ".join(get_close_matches(name, known, n=2, cutoff=0.75))

    if not suggestion:
        return f"no such option: {name}."
    return f"no such option: {name}. Did you mean {suggestion}?"


def names_file(text: str) -> bool:
    """Return True for ``-``, standard input, and for existing files and folders."""
    try:
        return text == "-" or Path(text).exists()
    except OSError:  # too long for a name
        return False


def split_files(values: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split arguments into files, which exist or look like paths, and others."""
    files = [value for value in values if _is_file(value)]
    return files, [value for value in values if value not in files]


def _is_file(value: str) -> bool:
    """Return True for an argument that exists or looks like a path, such as runs/a.csv."""
    name, is_named, _ = value.partition("=")
    if is_named and find_metric(name) is not None:  # mrr=1/3 is a number that is written wrong
        return names_file(value)

    with suppress(DataError):
        parse_value(value)
        return False

    has_slash = re.search("[A-Za-z]", value) and re.search(r"[/\\]", value)
    has_ending = re.search(r"\.[A-Za-z]\w*$", value)
    return bool(has_slash or has_ending) or names_file(value)


_JOINING = {"a", "an", "and", "at", "for", "in", "is", "of", "on", "the", "to", "with"}
"""Words of a sentence that no option has to say."""


def refuse_names(
    command: str, values: Sequence[str], datasets: Sequence[str], metrics: Sequence[str]
) -> None:
    """Refuse names of datasets and metrics among numbers, and suggest the command to type.

    For "MRR of 0.338 on WN18" this is ``rankconst adjust 0.338 --dataset WN18 --metric MRR``.
    """
    words, numbers = _split_words(values)
    if not words:
        return

    from rankconst.catalogue.benchmarks import list_names

    benchmarks = list_names()
    named_metrics = [word for word in words if find_metric(word) is not None]
    named_datasets = []
    other_words = []
    for word in words:
        if word in named_metrics:
            continue
        if benchmarks.find(word) is not None:
            named_datasets.append(word)
        elif word.lower() not in _JOINING:
            other_words.append(word)

    if named_metrics:
        refused = f"{named_metrics[0]} is a metric, not a number."
    elif named_datasets:
        refused = f"{named_datasets[0]} is a dataset, not a number."
    else:
        return

    if other_words:
        refused += f' Options such as --split and --side say what "{" ".join(other_words)}" does.'

    options = [("--dataset", name) for name in dict.fromkeys([*datasets, *named_datasets])]
    if len(numbers) == len(named_metrics) > 1:  # of "mrr 0.338 hits@10 0.533"
        pairs = zip(named_metrics, numbers, strict=True)
        numbers = [f"{name}={number}" for name, number in pairs]
    else:
        options += [("--metric", name) for name in dict.fromkeys([*metrics, *named_metrics])]

    words_of_options = [word for option in options for word in option]
    suggestion = shlex.join(["rankconst", command, *numbers, *words_of_options])
    raise UsageError(f"{refused} Did you mean: {suggestion}")


def _split_words(values: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split arguments into words and numbers: ["MRR: 0.338"] into ["MRR"] and ["0.338"].

    Arguments such as mrr=0.338 count as numbers.
    """
    words, numbers = [], []
    for value in values:
        if "=" in value:
            numbers.append(value)
            continue

        for word in value.replace(":", " ").split():
            if word[0].isalpha():
                words.append(word)
            else:
                numbers.append(word)

    return words, numbers


def find_all(names: Iterable[str], find: Callable[[str], Any]) -> list[Any]:
    """Return what `find` returns for each name, or one UnknownNameError for all wrong names."""
    found = []
    messages = []
    for name in names:
        try:
            found.append(find(name))
        except UnknownNameError as error:
            messages.append(str(error))

    if messages:
        raise UnknownNameError("\n".join(messages))
    return found


# -- options ---------------------------------------------------------------------------------------

# None where the user says nothing: then a file or a tool may say it, before the default holds.


@dataclass(frozen=True)
class Evaluation:
    """The options that say how numbers were evaluated."""

    dataset: list[str] = option("--dataset -d KEY", "Dataset, any spelling; several for adjust.")
    tool: str | None = option(
        "--tool -t TOOL",
        "The tool that evaluated the models, which sets the protocol; see `rankconst show tools`.",
    )
    protocol: str | None = option(
        "--protocol -p PROTOCOL",
        "How models were evaluated (default: standard); see `rankconst show protocols`.",
    )
    split: str | None = option("--split SPLIT", "train, valid or test (default).")
    side: str | None = option("--side SIDE", "head, tail, relation or both (default).")
    percent: bool | None = rare(
        "--percent/--no-percent",
        "Shares without a sign are percentages, or fractions. Default: as they look.",
    )
    accept: list[str] = rare(
        "--accept WORD",
        "A word that is asked about and says nothing; or WORD=VALUE, what it says: dev=valid, "
        "NELL-995=nell995.",
    )

    @property
    def datasets(self) -> list[str]:
        """The names of the datasets."""
        return split_commas(self.dataset)

    @property
    def address(self) -> Address:
        """The address of the numbers, with the first of several datasets."""
        return Address(
            dataset=next(iter(self.datasets), None),
            split=self.split,
            side=self.side,
            protocol=self.protocol,
            tool=self.tool,
            percent=bool(self.percent),
            accepted=tuple(self.accept),
        )

    def require_single(self, command: str) -> Address:
        """Return the address, and refuse several datasets.

        Raises UsageError for several datasets, which `command` cannot take.
        """
        if len(self.datasets) > 1:
            raise UsageError(
                f"{command} takes one --dataset; name the datasets in a column of a file instead."
            )
        return self.address


ONLY_DATASETS = option("--dataset -d KEY", "Only this; repeatable.")
BASELINE = option(
    "--baseline -b BASELINE",
    "Compare with this ranker too, or with all; see `rankconst show baselines`.",
)
METRIC = option("--metric -m METRIC", "mrr, mr, hits@10 ...; of a file only this one.")
FORCE = rare("--force", "Overwrite the file if it exists.")
DECIMAL = rare("--decimal SIGN", "The decimal sign of a table, comma or point.")
FURTHER_TABLES = option("--tables PLACE", "Folder, zip, URL or doi: of further tables; repeatable.")
ONE_SET = option(
    "--tables PLACE", "Folder, zip, URL or doi: of tables; those included if left out."
)
OUT = option("--out -o FILE", "Write to a file; .svg, .png and .pdf are pictures.")
MAYBE_FORM = option("--format -f FORMAT", f"{', '.join(Format)}.")
FORM = MAYBE_FORM._replace(default=Format.table.value)


def open_tables(places: Sequence[str] = ()) -> Tables:
    """Open tables and join them to one set: the named ones, the included ones, those of a build.

    `places` are folders, zip files, URLs or DOIs; `rankconst build` writes to a folder with the
    name OUTPUT in the working directory.
    """
    sets = [load(place) for place in places]
    # Installed as a zip file of modules, rankconst includes no tables, and load() looks for others.
    if not sets or bundled_versions():
        sets.append(load())

    is_build_named = any(os.path.normpath(place) == OUTPUT for place in places)
    if not is_build_named:
        sets += _open_build()

    if len(sets) == 1:
        return sets[0]

    from rankconst.tables.sets import join_tables

    return join_tables(sets)


def _open_build() -> list[Tables]:
    """Return the tables that a build wrote in the working directory, if there are any.

    Unreadable ones, such as those of another version, are left out with a note.
    """
    try:
        if not holds_set(Path(OUTPUT)):
            return []

        tables = load(OUTPUT)
        tables.datasets  # noqa: B018 - reads them now, so that a fault shows here
    except (TablesError, OSError) as error:  # OSError if the folder may not be searched
        say(f"note: {OUTPUT} is left out: {error}")
        return []

    return [tables]
