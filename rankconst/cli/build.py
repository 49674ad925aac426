"""``rankconst build``: files of triples in, tables of constants out."""

from __future__ import annotations

import itertools
import os.path
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import (
    ALL_BASELINES,
    DEFAULT_BASELINE,
    FLOOR,
    INFORMED,
    SINGLE_STEP,
    parse_baseline,
)
from rankconst.catalogue.metrics import list_metrics
from rankconst.catalogue.protocols import (
    DEFAULT_PROTOCOL,
    PROTOCOLS,
    SPLITS,
    parse_protocol,
    parse_split,
)
from rankconst.cli.options import argument, find_all, option, rare, split_commas
from rankconst.cli.output import print_listing
from rankconst.cli.show import EXPECTED, SUMMARY, join_protocols
from rankconst.download import cache_folder, find_mirror, hide_login
from rankconst.errors import DataError, DownloadError, UnknownNameError, UsageError
from rankconst.files import exists
from rankconst.listing import Column, Format, Listing
from rankconst.names import count_of, join_words, list_first
from rankconst.progress import Reporter
from rankconst.tables.descriptor import OUTPUT
from rankconst.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst.tables.archive import Tables
    from rankconst_builder.graph import Restriction
    from rankconst_builder.pipeline import Outcome


@dataclass(frozen=True)
class Part:
    """The options that restrict the evaluation, or add known triples."""

    relations: str | None = rare(
        "--relations NAMES|FILE",
        "Rank triples of these relations only: labels separated by commas, or a file.",
    )
    entities: str | None = rare(
        "--entities NAMES|FILE",
        "Rank these entities only, and triples among them: labels separated by commas, or a file.",
    )
    known: Path | None = rare("--known FILE", "Further known triples, for the filter to remove.")

    def read(self) -> Restriction:
        """Read the relations and entities to evaluate, and further known triples."""
        from rankconst_builder.fetch import read_local
        from rankconst_builder.graph import Restriction, read_names

        relations = entities = known = None
        if self.relations is not None:
            relations = read_names("--relations", self.relations)

        if self.entities is not None:
            entities = read_names("--entities", self.entities)

        if self.known is not None:
            known = read_local(self.known)

        return Restriction(relations, entities, known, known_name=str(self.known or ""))


def build(
    *,
    what: list[str] = argument(
        "FILES|BENCHMARKS",
        "The files of a graph of your own, training, validation and test set in this order, "
        "or training and test set, or their folder. Or benchmarks, in any spelling.",
        "KEY",
    ),
    name: str | None = option(
        "--name NAME", "Its name. Default: what its files are called, or their folder."
    ),
    columns: str | None = option(
        "--columns ORDER",
        "Columns of its files: h head, r relation, t tail, d date or time, - ignored. Default: as "
        "headed, or hrt.",
    ),
    pykeen: str | None = rare(
        "--pykeen KEY", "A data set of the installed PyKEEN, with its own files and split."
    ),
    splits: str = rare(
        "--splits SPLITS",
        "Splits whose triples are ranked; all are known answers in any case.",
        default="valid,test",
    ),
    protocol: list[str] = option(
        "--protocol -p PROTOCOL",
        f"Repeatable. Default: those that fit of {', '.join(PROTOCOLS)}. Also sampled:M.",
    ),
    baseline: list[str] = option(
        "--baseline -b BASELINE",
        f"What to rank with besides chance: {', '.join(INFORMED)}, all, or {DEFAULT_BASELINE} for "
        f"chance alone; repeatable. Default: {FLOOR}, and {SINGLE_STEP} where splits follow each "
        "other in time.",
    ),
    offline: bool = rare("--offline", "Open no connection; use the cache or a mirror folder."),
    part: Part,
    scheduler: str | None = rare(
        "--scheduler ADDRESS",
        "Count a graph of your own on a Dask cluster, under chance: the address of its scheduler.",
    ),
    out: Path = option("--out -o DIR", "Folder of the tables.", default=Path(OUTPUT)),
) -> None:
    """Build tables of constants, from files of your own or from those of a benchmark.

    Examples:

    rankconst build train.tsv valid.tsv test.tsv --name mykg

    rankconst build fb15k237
    """
    from rankconst_builder.fetch import Fetcher
    from rankconst_builder.memory import write_dataset
    from rankconst_builder.pipeline import Build, build_all, order_protocols

    reporter = Reporter()
    protocols = order_protocols(
        parse_protocol(name) for name in split_commas(protocol) or PROTOCOLS
    )
    with write_dataset(pykeen, protocols, alone=not what) as paths:
        benchmarks: Sequence[Benchmark] = ()
        if paths:
            files = {split: str(path) for split, path in paths.items()}
            name = name or f"pykeen-{pykeen}"
        else:
            benchmarks, files = _read_words(what)
            if files and len(what) == 1:
                reporter.say(_describe_folder(Path(what[0]), files))

        restriction = part.read()
        if files:
            sources: Sequence[Benchmark] = [_name_own(files, name, reporter)]
        else:
            sources = _choose_sources(benchmarks, name, restriction)

        local, url = _place_files(files, scheduler)
        cache, mirror = Path(), find_mirror()
        if benchmarks:  # the files of the user's own graph are not cached
            cache = cache_folder()
            mirror_note = "" if mirror is None else f"mirror: {hide_login(mirror)}  "
            reporter.say(f"{mirror_note}cache: {cache}")

        usual = [DEFAULT_BASELINE] if scheduler else [FLOOR, SINGLE_STEP]
        ranked_splits = dict.fromkeys(parse_split(split) for split in splits.split(","))
        outcome = build_all(
            Build(
                sources=sources,
                out=out,
                fetcher=Fetcher(cache, mirror=mirror, offline=offline, reporter=reporter),
                protocols=protocols,
                baselines=_choose_baselines(split_commas(baseline) or usual),
                splits=tuple(ranked_splits),
                local={source.key: local for source in sources if files},
                train_url=url,
                columns=_read_columns(columns, bool(files)),
                restriction=restriction,
                scheduler=scheduler,
                reporter=reporter,
            )
        )

    _report_outcome(outcome, out, reporter)


# -- what to build ---------------------------------------------------------------------------------

_SETS = {"train": "training set", "valid": "validation set", "test": "test set"}


def _read_words(words: Sequence[str]) -> tuple[Sequence[Benchmark], dict[str, str]]:
    """Return the benchmarks of some names, or the files of a graph by split."""
    from rankconst.catalogue.benchmarks import find_benchmark

    paths = [word for word in words if _is_file(word)]
    names = [word for word in words if word not in paths]
    if names and paths:
        raise UsageError(
            f"{names[0]} names a benchmark, and {paths[0]} a file: build them one after the other."
        )
    if names:
        return [*{source.key: source for source in find_all(names, find_benchmark)}.values()], {}
    if not paths:
        raise UsageError(
            "nothing to build: name the files of a graph (rankconst build train.tsv valid.tsv "
            "test.tsv), or a benchmark (rankconst build fb15k237). `rankconst show datasets` "
            "lists the benchmarks."
        )

    files = _order_files(paths)
    for split, path in files.items():
        if "://" not in path and not exists(Path(path)):
            raise DataError(f"there is no file {path} for the {_SETS[split]}. Check its path.")

    return (), files


def _is_file(word: str) -> bool:
    """Return True for the path of a file, and False for the name of a benchmark."""
    from rankconst.catalogue.benchmarks import find_benchmark, list_names

    has_slash = os.sep in word or "/" in word
    is_name = not has_slash and list_names().find(word) is not None
    try:
        is_there = exists(Path(word)) or Path(word).is_symlink()
    except OSError:  # too long for a name
        is_there = False

    if is_there and is_name:
        title = find_benchmark(word).title
        raise UsageError(
            f"{word} is a benchmark, and a file here: write ./{word} for the file, or {title} for "
            "the benchmark."
        )
    return is_there or has_slash or bool(PurePath(word).suffix and not is_name)


def _order_files(paths: Sequence[str]) -> dict[str, str]:
    """Assign files to splits by their order, unless their names contradict it."""
    if len(paths) == 1 and Path(paths[0]).is_dir():
        return _find_files(Path(paths[0]))

    orders = {2: ("train", "test"), 3: tuple(SPLITS)}
    if len(paths) not in orders:
        hint = ""
        if len(paths) == 1:
            hint = (
                " Split a file of all triples first; "
                f"numbers of candidates need no build: --counts {paths[0]}."
            )
        raise UsageError(
            "a graph of your own has two files, training and test set, or three, training, "
            f"validation and test set; got {len(paths)}: {', '.join(paths)}.{hint}"
        )

    files = dict(zip(orders[len(paths)], paths, strict=True))
    for split, path in files.items():
        _, named = _split_name(path)
        if named not in {None, split}:
            raise UsageError(
                f"{path} is in the place of the {_SETS[split]}, and its name says {named}. The "
                "order is training, validation and test set."
            )

    return files


def _find_files(folder: Path) -> dict[str, str]:
    """Return the files in a folder that are named after a split, by split."""
    paths: dict[str, list[str]] = {split: [] for split in SPLITS}
    for path in sorted(folder.iterdir()):
        split = _split_name(str(path))[1]
        if split in paths and path.is_file():
            paths[split].append(str(path))

    several = [split for split, found in paths.items() if len(found) > 1]
    if not several and paths["train"] and paths["test"]:
        return {split: found[0] for split, found in paths.items() if found}

    what = "without a train and a test file"
    if several:
        what = f"with several files of the {_SETS[several[0]]}"

    files = [min(found, default=f"{folder / split}.tsv") for split, found in paths.items()]
    command = shlex.join(["rankconst", "build", *files, "--name", folder.resolve().name])
    raise UsageError(f"{folder} is a folder {what}; name its files: {command}")


def _describe_folder(folder: Path, files: Mapping[str, str]) -> str:
    """Say which files in a folder are read, and which are not, such as NeuralLP's facts.txt."""
    read = [Path(path).name for path in files.values()]
    note = f"of {folder}, {join_words(read)} are read"
    others = [path.name for path in sorted(folder.iterdir()) if path.is_file()]
    unread = [name for name in others if name not in read]
    if not unread:
        return note
    return f"{note}, and not {list_first(unread)} (training triples must be in one file)"


def _split_name(path: str) -> tuple[str, str | None]:
    """Split the name of a file into graph and split: mykg-train.txt is ("mykg", "train")."""
    from rankconst_builder.own_files import strip_endings

    last_sign = r"[-_.](?=[^-_.]*$)"
    *graph, split = re.split(last_sign, strip_endings(path))  # train.txt names no graph
    try:
        return "".join(graph), parse_split(split.removesuffix("2id"))  # OpenKE's train2id.txt
    except UnknownNameError:
        return "", None


def _name_own(files: Mapping[str, str], name: str | None, reporter: Reporter) -> Benchmark:
    """Return a graph of the user's own, named by --name or by its files or folder."""
    from rankconst.catalogue.benchmarks import Benchmark, LineFormat, make_key

    title = name
    if title is None:
        parts = [_split_name(path) for path in files.values()]
        fronts = {front for front, _ in parts}
        folders = {Path(path).resolve().parent for path in files.values()}
        title = ""
        if len(fronts) == len(folders) == 1 and all(split is not None for _, split in parts):
            title = fronts.pop() or folders.pop().name
        try:
            make_key(title)
        except UsageError as error:
            reason = f" {title!r} will not do: {error}" if title else ""
            raise UsageError(f"what is the graph called? Add --name NAME.{reason}") from error
        reporter.say(f"name: {title}, as the files or their folder are called; --name changes it")

    key = make_key(title, "--name")
    return Benchmark(key=key, title=title, aliases=(), format=LineFormat(), files={}, split="own")


def _choose_sources(
    sources: Sequence[Benchmark], name: str | None, restriction: Restriction
) -> Sequence[Benchmark]:
    """Return the benchmarks, with a restricted one under its own name."""
    from rankconst.catalogue.benchmarks import make_key
    from rankconst_builder.graph import Restriction

    if restriction == Restriction():
        if name is not None:
            raise UsageError(
                "--name is for a graph of your own, or for a part of a benchmark; leave it out."
            )
        return sources
    if len(sources) != 1 or name is None:
        raise UsageError(
            "--relations, --entities and --known change the tasks of one benchmark, and these "
            "need another name: add --name NAME."
        )

    limits = []
    if restriction.relations is not None:
        limits.append(count_of(len(restriction.relations), "relation"))

    if restriction.entities is not None:
        entities = len(restriction.entities)
        limits.append("1 entity" if entities == 1 else f"{entities:,} entities")

    title = sources[0].title
    if limits:
        title += f", restricted to {' and '.join(limits)}"

    if restriction.known is not None:
        title += ", with further known triples"

    return [replace(sources[0], key=make_key(name, "--name"), title=title, aliases=(), pykeen={})]


def _place_files(
    files: Mapping[str, str], scheduler: str | None
) -> tuple[dict[str, Path], str | None]:
    """Return paths by split, and the URL of a training set, if it is one."""
    url = None
    if "://" in files.get("train", ""):
        url = files["train"]
        if scheduler is None:
            raise UsageError(
                "only with --scheduler the training set can be a URL. Get the file, and give its "
                "path."
            )

    return {split: Path(path) for split, path in files.items() if path != url}, url


# -- how to build it -------------------------------------------------------------------------------


def _choose_baselines(names: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of the named baselines, without chance, in catalogue order."""
    if ALL_BASELINES in names:
        return tuple(INFORMED)
    keys = [parse_baseline(name).key for name in names]
    return tuple(key for key in INFORMED if key in keys)


def _read_columns(columns: str | None, is_own: bool) -> str | None:
    """Return the letters of columns, or None; UsageError for wrong ones, or of a benchmark."""
    from rankconst.catalogue.benchmarks import LineFormat

    if columns is None:
        return None
    if not is_own:
        raise UsageError("--columns is for a graph of your own; a benchmark's are known.")

    try:
        return LineFormat(columns=columns.lower()).columns
    except DataError as error:
        raise UsageError(f"--columns: {error}") from error


# -- the outcome -----------------------------------------------------------------------------------

_COLUMNS = (
    Column("dataset", "dataset"),
    Column("protocol", "protocol"),
    Column("split", "split", drop=6),
    Column("side", "side", drop=5),
    *EXPECTED,
)


def _report_outcome(outcome: Outcome, out: Path, reporter: Reporter) -> None:
    """Print what was built, where it is and what to do next, or raise an error."""
    tables = outcome.tables
    if tables is not None:
        _print_constants(tables, outcome.built)

    reporter.say(f"tables: {out.resolve()}")
    if tables is not None and outcome.built:
        reporter.say(_suggest(tables, outcome.built[0], out))

    if outcome.failures:
        reasons = {type(error) for error in outcome.failures.values()}
        kind = reasons.pop() if len(reasons) == 1 else DownloadError
        number = len(outcome.failures) + len(outcome.built)
        raise kind(
            f"{len(outcome.failures)} of {number} datasets failed: {', '.join(outcome.failures)}."
        )


def _print_constants(tables: Tables, keys: Sequence[str]) -> None:
    """Print the constants of test tasks, with one row for protocols with the same numbers."""
    rows: list[dict[str, Any]] = []
    for key in keys:
        tests = [_summarise(tables, tasks) for tasks in _find_tests(tables, key)]
        rows += itertools.chain(*join_protocols(tests).values())

    caption = (
        "What a random ranker gets on average; `rankconst show` has variances, sides and splits."
    )
    print_listing(Listing.of(_COLUMNS, rows, caption=caption), Format.table)


def _find_tests(tables: Tables, key: str) -> list[Tasks]:
    """Return the test tasks of a dataset."""
    every = (Tasks(key, protocol, "test") for protocol in tables.protocols(key))
    return [tasks for tasks in every if tables.holds(tasks)]


def _summarise(tables: Tables, tasks: Tasks) -> dict[str, Any]:
    """Return the row of some tasks."""
    histogram = tables.histogram(tasks)
    row: dict[str, Any] = {"dataset": tasks.dataset, "protocol": tasks.protocol}
    row |= {"split": tasks.split, "side": tasks.side}
    row |= {"num_tasks": histogram.total, "mean_candidates": histogram.mean}
    metrics = list_metrics(shared=histogram.shared)
    for metric in SUMMARY:
        row[f"expectation_{metric.key}"] = None
        if metric in metrics:
            row[f"expectation_{metric.key}"] = tables.look_up(tasks, metric).expectation

    return row


def _suggest(tables: Tables, key: str, out: Path) -> str:
    """Suggest a command that uses the tables of a dataset."""
    tables_option = ""  # commands find the usual folder themselves
    if os.path.normpath(out) != OUTPUT:
        tables_option = f" --tables {shlex.quote(str(out))}"

    protocols = [tasks.protocol for tasks in _find_tests(tables, key)]
    if not protocols:
        return f"next: rankconst show {key} --split all{tables_option}"

    protocol_option = ""
    if DEFAULT_PROTOCOL not in protocols:
        filtered = [name for name in protocols if parse_protocol(name).known != "none"]
        protocol = filtered[0] if filtered else protocols[0]
        protocol_option = f" --protocol {protocol}"

    options = f"--metric mrr --dataset {key}{protocol_option}{tables_option}"
    return f"next: rankconst adjust VALUE {options}"
