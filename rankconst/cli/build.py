"""``rankconst build``: benchmark files in, tables of constants out. Needs the extra ``rankconst[builder]``."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.catalogue.baselines import BUILT, DEFAULT_BASELINE, OFFERED, parse_baseline
from rankconst.catalogue.metrics import list_metrics, parse_metric
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, PROTOCOLS, SPLITS, parse_protocol, parse_split
from rankconst.cli.options import FormatOption, QuietOption, complete_benchmark, complete_from, require_builder
from rankconst.cli.output import Column, Format, Listing, count, number, print_listing
from rankconst.download import Reporter, cache_folder, check_mirror, hide_login
from rankconst.errors import DataError, DownloadError, UnknownNameError, UsageError
from rankconst.names import shorten
from rankconst.tables.location import OUTPUT
from rankconst.tables.tables import load
from rankconst.tasks import Tasks
from rankconst.version import parse_version

if TYPE_CHECKING:
    from collections.abc import Collection

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst.tables.tables import Tables
    from rankconst_builder.layout import Layout
    from rankconst_builder.pipeline import Outcome
    from rankconst_builder.restriction import Restriction

# As in rankconst.cli.app; --columns of other commands is about output.
_READING = "How to read them"


_SUMMARY = tuple(map(parse_metric, ("mr", "mrr", "hits@1", "hits@10", "gmr")))

_COLUMNS = (
    Column("dataset", "dataset"),
    Column("protocol", "protocol"),
    Column("split", "split", drop=5),
    Column("side", "side", drop=4),
    Column("num_tasks", "tasks", count, right=True),
    Column("mean_candidates", "mean N", number(6), right=True, drop=2),
    *(
        Column(f"expectation_{metric.key}", f"E[{metric.label}]", number(6), right=True, drop=drop)
        for metric, drop in zip(_SUMMARY, (0, 0, 3, 0, 1), strict=True)
    ),
)


def build(
    context: typer.Context,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            help="A benchmark, any spelling; repeatable.",
            metavar="KEY",
            autocompletion=complete_benchmark,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every benchmark of the registry.")] = False,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            "--protocol",
            "-p",
            help=f"Repeatable; those that fit of {', '.join(PROTOCOLS)} if left out. Also sampled:M.",
            metavar="PROTOCOL",
        ),
    ] = None,
    splits: Annotated[
        str | None,
        typer.Option(
            help="Splits whose triples are ranked, separated by commas: valid,test saves time on a large graph; "
            "all if left out. All splits are known answers in any case.",
            metavar="SPLITS",
        ),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            "-b",
            help=f"What else to rank with; repeatable. {', '.join(BUILT)} if left out; {DEFAULT_BASELINE} for "
            "chance alone, which takes the least time and memory.",
            metavar="BASELINE",
            autocompletion=complete_from(OFFERED),
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="What the ids of a graph of your own may take before they go to temporary files, 2GB if left out; on "
            "a cluster, what a part of them may take, 1GiB if left out.",
            metavar="SIZE",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="Count on the workers of a Dask cluster: the address of its scheduler. For ids in Parquet, under "
            "chance; needs rankconst[dask].",
            metavar="ADDRESS",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the tables.", metavar="DIR")] = Path(OUTPUT),
    mirror: Annotated[
        str | None,
        typer.Option(
            help="Folder or URL with a copy of the sources: https://host/path is at MIRROR/host/path.",
            envvar="RANKCONST_MIRROR",
            metavar="DIR_OR_URL",
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Open no connection; use the cache or a mirror folder.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Download and build again what already exists.")] = False,
    from_archive: Annotated[
        bool,
        typer.Option("--from-archive", help="Compute the constants from the candidate counts in the included tables."),
    ] = False,
    per_triple: Annotated[
        bool, typer.Option("--per-triple", help="Also write the candidate counts of every evaluation triple.")
    ] = False,
    train: Annotated[
        str | None,
        typer.Option(
            help="A graph of your own: its train triples; with --scheduler, also at a URL such as s3://bucket/train.",
            metavar="FILE",
        ),
    ] = None,
    valid: Annotated[Path | None, typer.Option(help="Its valid triples, if there are any.", metavar="FILE")] = None,
    test: Annotated[Path | None, typer.Option(help="Its test triples.", metavar="FILE")] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of your graph, or of the restricted benchmark.", metavar="NAME")
    ] = None,
    relations: Annotated[
        str | None,
        typer.Option(
            help="Rank triples of these relations only: labels separated by commas, or a file.", metavar="NAMES|FILE"
        ),
    ] = None,
    entities: Annotated[
        str | None,
        typer.Option(help="Rank these entities only, and triples among them: labels or a file.", metavar="NAMES|FILE"),
    ] = None,
    known: Annotated[
        Path | None, typer.Option(help="Further known triples, for the filter to remove.", metavar="FILE")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns of your files: h head, r relation, t tail, d date or time, - ignored; as headed, or hrt.",
            metavar="ORDER",
            rich_help_panel=_READING,
        ),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="What separates the columns: tab, comma, space, semicolon, pipe or a character; tab if left out.",
            metavar="CHAR",
        ),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether line 1 is a heading, where the files leave it open."),
    ] = None,
    table_version: Annotated[
        str | None, typer.Option(help="Version that the tables state, for releases.", metavar="X.Y.Z")
    ] = None,
    quiet: QuietOption = False,
    format: FormatOption = Format.table,
) -> None:
    """Build tables of constants, from a benchmark's files or from your own.

    Examples:

    rankconst build --dataset fb15k237

    rankconst build --train train.tsv --valid valid.tsv --test test.tsv --name mykg
    """
    if context.args:
        meant = " ".join(f"--dataset {shlex.quote(key)}" for key in context.args)
        raise UsageError(f"unexpected {' '.join(context.args)}: did you mean {meant}? Options say what to build.")
    require_builder("build")
    from rankconst_builder.fetch import Fetcher, read_local
    from rankconst_builder.layout import Layout
    from rankconst_builder.pipeline import UNRELEASED, Build, build_all, order_protocols
    from rankconst_builder.restriction import Restriction, read_names

    reporter = Reporter(quiet=quiet)
    if table_version is not None and parse_version(table_version) is None:
        raise UsageError(f"--table-version {table_version!r} must be three numbers: 1.0.0, for example.")
    mirror = check_mirror(mirror)
    layout = _read_layout(delimiter, columns, header)
    ranked = tuple(dict.fromkeys(map(parse_split, splits.split(",")))) if splits else tuple(SPLITS)
    if {*ranked} != {*SPLITS} and from_archive:
        raise UsageError("--splits needs the files of the dataset; --from-archive has all splits.")
    here, url = _place_train(train, scheduler)
    own = {role: path for role, path in (("train", here), ("valid", valid), ("test", test)) if path is not None}
    restriction = Restriction(
        relations=None if relations is None else read_names("--relations", relations),
        entities=None if entities is None else read_names("--entities", entities),
        known=None if known is None else read_local(known),
    )
    if restriction != Restriction() and from_archive:
        raise UsageError(
            "--relations, --entities and --known need the files of the dataset; --from-archive has histograms only."
        )
    if restriction != Restriction() and not own:
        sources = [_restrict(_find_sources(dataset or [], all_, from_archive), name, restriction)]
    elif own or name:
        if dataset or all_ or from_archive:
            raise UsageError(
                "--train, --valid, --test and --name describe a graph of your own; "
                "leave out --dataset, --all and --from-archive."
            )
        sources = [_own_source([*own, *(["train"] if url else [])], name)]
    else:
        if layout != Layout():
            raise UsageError(
                "--columns, --delimiter and --header are for a graph of your own; a benchmark's are in the registry."
            )
        sources = _find_sources(dataset or [], all_, from_archive)
    local = {source.key: own for source in sources} if own else {}
    downloading = not local and not from_archive
    cache = cache_folder() if downloading else Path()
    if downloading:
        reporter.say(f"cache: {cache}" if not mirror else f"mirror: {hide_login(mirror)}  cache: {cache}")
    outcome = build_all(
        Build(
            sources=sources,
            out=out,
            fetcher=Fetcher(cache, mirror=mirror, offline=offline, force=force, reporter=reporter),
            local=local,
            train_url=url,
            layout=layout,
            protocols=order_protocols(map(parse_protocol, protocol or PROTOCOLS)),
            baselines=_list_informed([DEFAULT_BASELINE] if scheduler and baseline is None else baseline),
            scheduler=scheduler,
            splits=ranked,
            memory=None if memory is None else _read_size(memory),
            per_triple=per_triple,
            from_archive=from_archive,
            force=force,
            restriction=restriction,
            version=table_version or UNRELEASED,
            reporter=reporter,
        )
    )
    _print_outcome(outcome, format)
    reporter.say(f"tables: {out.resolve()}")
    if outcome.tables is not None and outcome.built:
        reporter.say(_suggest(outcome.tables, outcome.built[0], out))
    if outcome.failures:
        reasons = {type(error) for error in outcome.failures.values()}
        kind = reasons.pop() if len(reasons) == 1 else DownloadError
        raise kind(f"{len(outcome.failures)} of {len(sources)} datasets failed: {', '.join(outcome.failures)}.")


def _list_informed(names: list[str] | None) -> tuple[str, ...]:
    """Return the keys of the baselines that know something of train."""
    keys = BUILT if names is None else [parse_baseline(name).key for name in names]
    if retired := [key for key in keys if key not in OFFERED]:
        raise UsageError(
            f"new tables have no baseline {retired[0]}. Use --baseline {', '.join(BUILT)} or {DEFAULT_BASELINE}."
        )
    return tuple(key for key in BUILT if key in keys)


def _read_size(text: str) -> int:
    """Read a number of bytes."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?) ?([kMGT]?)(i?)B?", text.strip(), re.IGNORECASE | re.ASCII)
    if found is None:
        raise UsageError(f"--memory {shorten(text)!r} is no size; write 500MB or 2GB, for example.")
    number, prefix, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** ("kmgt".index(prefix.lower()) + 1 if prefix else 0))


def _suggest(tables: Tables, key: str, out: Path) -> str:
    """Say what to do with the tables: a command that works as it is, but for the value."""
    held = [tasks.protocol for tasks in _find_tests(tables, key)]
    if not held:
        return f"next: rankconst show {key} --split all --tables {shlex.quote(str(out))}"
    filtered = [key for key in held if parse_protocol(key).known != "none"]
    protocol = "" if DEFAULT_PROTOCOL in held else f" --protocol {(filtered or held)[0]}"
    return f"next: rankconst adjust VALUE --metric mrr --dataset {key}{protocol} --tables {shlex.quote(str(out))}"


def _find_sources(names: list[str], everything: bool, from_archive: bool) -> list[Benchmark]:
    from rankconst.catalogue.benchmarks import find_benchmark, load_benchmarks

    if everything and names:
        raise UsageError("--all builds every benchmark; leave out --dataset.")
    if everything and from_archive:
        return [load_benchmarks()[key] for key in load().datasets]
    if everything:
        return [source for source in load_benchmarks().values() if not (source.not_offered or source.same_graph_as)]
    if not names:
        raise UsageError(
            "nothing to build: name a benchmark (--dataset fb15k237), say --all, or give a graph of your own "
            "(--train FILE --test FILE --name NAME). `rankconst show datasets` lists the benchmarks."
        )
    wrong, found = [], {}
    for name in names:
        try:
            source = find_benchmark(name)
            found[source.key] = source
        except UnknownNameError as error:
            wrong.append(str(error))
    if wrong:
        raise UnknownNameError("\n".join(wrong))
    return list(found.values())


def _restrict(sources: list[Benchmark], name: str | None, restriction: Restriction) -> Benchmark:
    """Return a benchmark under the name of its restricted evaluation: its rows must not pass for the benchmark's."""
    if len(sources) != 1 or name is None:
        raise UsageError(
            "--relations, --entities and --known change the tasks of one benchmark, and these need a name of their "
            "own: --dataset KEY --name NAME."
        )
    from rankconst.catalogue.benchmarks import make_key

    source = sources[0]
    limits = [
        f"{len(labels)} {kind}"
        for kind, labels in (("relations", restriction.relations), ("entities", restriction.entities))
        if labels is not None
    ]
    parts = [f"restricted to {' and '.join(limits)}"] if limits else []
    parts += [] if restriction.known is None else ["with further known triples"]
    title = ", ".join((source.title, *parts))
    return replace(source, key=make_key(name, "--name"), title=title, aliases=(), pykeen={})


def _place_train(text: str | None, scheduler: str | None) -> tuple[Path | None, str | None]:
    """Return train as a path, or as a URL, which only the workers of a cluster read."""
    if text is None or "://" not in text:
        return (None if text is None else Path(text)), None
    if scheduler is None:
        raise UsageError("--train takes a URL only with --scheduler. Get the file, and give its path.")
    return None, text


def _own_source(files: Collection[str], name: str | None) -> Benchmark:
    from rankconst.catalogue.benchmarks import Benchmark, LineFormat, make_key

    lacking = [f"--{role}" for role in ("train", "test") if role not in files] + ["--name"] * (name is None)
    if lacking or name is None:
        raise UsageError(f"a graph of your own needs --train, --test and --name; missing: {', '.join(lacking)}.")
    return Benchmark(key=make_key(name, "--name"), title=name, aliases=(), format=LineFormat(), files={}, split="own")


def _read_layout(delimiter: str | None, columns: str | None, header: bool | None) -> Layout:
    """Return what the options say of how files are written."""
    from rankconst.catalogue.benchmarks import DELIMITERS, LineFormat
    from rankconst_builder.layout import Layout

    sign = None if delimiter is None else DELIMITERS.get(delimiter, delimiter.replace("\\t", "\t"))
    order = None if columns is None else columns.lower()
    try:
        LineFormat("\t" if sign is None else sign, "hrt" if order is None else order)
    except DataError as error:
        raise UsageError(f"{error} --delimiter also takes {', '.join(DELIMITERS)}.") from error
    return Layout(sign, order, header)


def _print_outcome(outcome: Outcome, form: Format) -> None:
    if outcome.tables is None:
        return
    keys = (*outcome.built, *outcome.kept)
    rows = [_summarise(outcome.tables, tasks) for key in keys for tasks in _find_tests(outcome.tables, key)]
    caption = "What a random ranker gets on average; `rankconst show` has variances, sides and splits."
    print_listing(Listing.of(columns=_COLUMNS, rows=rows, caption=caption), form)


def _find_tests(tables: Tables, key: str) -> list[Tasks]:
    """Return the test tasks of a dataset, protocol by protocol."""
    every = (Tasks(key, protocol, "test") for protocol in tables.protocols(key))
    return [tasks for tasks in every if tables.holds(tasks)]


def _summarise(tables: Tables, tasks: Tasks) -> dict[str, Any]:
    histogram: Any = tables.histogram(tasks)
    known = list_metrics(shared=histogram.shared)
    expectations = {each: tables.look_up(tasks, each).expectation if each in known else None for each in _SUMMARY}
    return {
        "dataset": tasks.dataset,
        "protocol": tasks.protocol,
        "split": tasks.split,
        "side": tasks.side,
        "num_tasks": histogram.total,
        "mean_candidates": histogram.mean,
        **{f"expectation_{metric.key}": value for metric, value in expectations.items()},
    }
