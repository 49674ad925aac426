"""``rankconst build``: benchmark files in, tables of constants out. Needs the extra ``rankconst[builder]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.cli.extras import require_builder
from rankconst.cli.options import FormatOption, complete_dataset
from rankconst.cli.output import Column, Format, Listing, count, number, print_listing
from rankconst.errors import DataError, DownloadError, UnknownNameError, UsageError, squash
from rankconst.protocols import PROTOCOLS, parse_protocol

if TYPE_CHECKING:
    from rankconst.tables import Tables
    from rankconst_builder.pipeline import Outcome
    from rankconst_builder.sources import Source

__all__ = ["build"]

DEFAULT_OUT = Path("rankconst-tables")

_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "space": " ", "semicolon": ";", "pipe": "|"}

_SUMMARY = ("mr", "mrr", "hits@1", "hits@10", "gmr")

_COLUMNS = (
    Column("dataset", "dataset"),
    Column("protocol", "protocol"),
    Column("split", "split"),
    Column("side", "side"),
    Column("num_tasks", "tasks", count, right=True),
    Column("mean_candidates", "mean N", number(6), right=True),
    *(Column(f"expectation_{name}", f"E[{title}]", number(6), right=True)
      for name, title in zip(_SUMMARY, ("MR", "MRR", "Hits@1", "Hits@10", "GMR"), strict=True)),
)  # fmt: skip


def build(
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", "-d", help="A benchmark, any spelling; repeatable.", autocompletion=complete_dataset),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every benchmark of the registry.")] = False,
    protocol: Annotated[
        list[str] | None,
        typer.Option("--protocol", "-p", help=f"Repeatable; {', '.join(PROTOCOLS)} if left out. Also sampled:M."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the tables.", metavar="DIR")] = DEFAULT_OUT,
    mirror: Annotated[
        str | None,
        typer.Option(
            help="Folder or URL with a copy of the sources: https://host/path lies at MIRROR/host/path.",
            envvar="RANKCONST_MIRROR",
            metavar="DIR_OR_URL",
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Open no socket; use the cache or a mirror folder.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Download and build again what is there already.")] = False,
    from_archive: Annotated[
        bool, typer.Option("--from-archive", help="Recompute constants from the carried candidate counts.")
    ] = False,
    per_triple: Annotated[
        bool, typer.Option("--per-triple", help="Also write the counts of every evaluation triple.")
    ] = False,
    train: Annotated[Path | None, typer.Option(help="A graph of your own: its train triples.", metavar="FILE")] = None,
    valid: Annotated[Path | None, typer.Option(help="Its valid triples, if there are any.", metavar="FILE")] = None,
    test: Annotated[Path | None, typer.Option(help="Its test triples.", metavar="FILE")] = None,
    name: Annotated[str | None, typer.Option(help="What to call it.")] = None,
    columns: Annotated[
        str, typer.Option(help="Its columns: h head, r relation, t tail, - ignored.", metavar="ORDER")
    ] = "hrt",
    delimiter: Annotated[
        str, typer.Option(help="What separates them: tab, comma, space, semicolon, pipe, or a character.")
    ] = "tab",
    table_version: Annotated[
        str | None, typer.Option(help="Version that the tables state; for releases.", metavar="X.Y.Z")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Warnings and results only.")] = False,
    format: FormatOption = Format.table,
) -> None:
    """Build tables of constants, from a benchmark's files or from your own.

    Examples:

    rankconst build --dataset fb15k237

    rankconst build --train train.tsv --valid valid.tsv --test test.tsv --name mykg
    """
    require_builder()
    from rankconst_builder.fetch import Fetcher, cache_folder
    from rankconst_builder.pipeline import UNRELEASED, Build, build_all, order_protocols
    from rankconst_builder.progress import Reporter

    reporter = Reporter(quiet=quiet)
    own = {role: path for role, path in (("train", train), ("valid", valid), ("test", test)) if path is not None}
    if own or name:
        if dataset or all_ or from_archive:
            raise UsageError("--train, --valid, --test and --name describe a graph of your own; "
                             "leave out --dataset, --all and --from-archive.")  # fmt: skip
        sources = [_own_source(own, name, columns, delimiter)]
    else:
        sources = _find_sources(dataset or [], all_)
    local = {source.key: own for source in sources} if own else {}
    cache = cache_folder()
    if not local and not from_archive:
        reporter.say(f"cache: {cache}" if mirror is None else f"mirror: {mirror}  cache: {cache}")
    outcome = build_all(
        Build(
            sources=sources,
            out=out,
            fetcher=Fetcher(cache, mirror=mirror, offline=offline, force=force, reporter=reporter),
            local=local,
            protocols=order_protocols(map(parse_protocol, protocol or PROTOCOLS)),
            per_triple=per_triple,
            from_archive=from_archive,
            force=force,
            version=table_version or UNRELEASED,
            reporter=reporter,
        )
    )
    _print_outcome(outcome, format)
    reporter.say(f"tables: {out.resolve()}")
    if outcome.built and not quiet:
        reporter.say(f"next: rankconst adjust VALUE --metric mrr --dataset {outcome.built[0]} --tables {out}")
    if outcome.failures:
        raise DownloadError(
            f"{len(outcome.failures)} of {len(sources)} datasets failed: {', '.join(outcome.failures)}."
        )


def _find_sources(names: list[str], everything: bool) -> list[Source]:
    from rankconst_builder.sources import find_source, load_sources

    if everything and names:
        raise UsageError("--all builds every benchmark; leave out --dataset.")
    if everything:
        return [source for source in load_sources().values() if not (source.not_offered or source.same_graph_as)]
    if not names:
        raise UsageError(
            "nothing to build: name a benchmark (--dataset fb15k237), say --all, or give a graph of your own "
            "(--train FILE --test FILE --name NAME). `rankconst datasets` lists the benchmarks."
        )
    wrong, found = [], {}
    for name in names:
        try:
            source = find_source(name)
            found[source.key] = source
        except UnknownNameError as error:
            wrong.append(str(error))
    if wrong:
        raise UnknownNameError("\n".join(wrong))
    return list(found.values())


def _own_source(files: dict[str, Path], name: str | None, columns: str, delimiter: str) -> Source:
    from rankconst_builder.sources import LineFormat, Source, load_sources

    lacking = [f"--{role}" for role in ("train", "test") if role not in files] + ["--name"] * (name is None)
    if lacking or name is None:
        raise UsageError(f"a graph of your own needs --train, --test and --name; missing: {', '.join(lacking)}.")
    key = name.lower()
    if not squash(key) or any(not (ch.isalnum() or ch in "_-.") for ch in key):
        raise UsageError(f"--name {name!r} must consist of letters, digits, '_', '-' and '.': mykg, for example.")
    taken = {squash(spelling) for s in load_sources().values() for spelling in (s.key, s.title, *s.aliases)}
    if squash(key) in taken:
        raise UsageError(f"--name {name!r} is the name of a benchmark; choose another, such as {key}-own.")
    try:
        form = LineFormat(delimiter=_DELIMITERS.get(delimiter, delimiter), columns=columns.lower())
    except DataError as error:
        raise UsageError(str(error)) from error
    return Source(key=key, title=name, aliases=(), format=form, files={}, split="own")


def _print_outcome(outcome: Outcome, form: Format) -> None:
    if outcome.tables is None:
        return
    keys = (*outcome.built, *outcome.kept)
    rows = [
        _summarise(outcome.tables, key, protocol)
        for key in keys
        for protocol in outcome.tables.protocols(key)
        if outcome.tables.holds(key, protocol, "test")
    ]
    caption = "What a random ranker gets on average; `rankconst show` has variances, sides and splits."
    print_listing(Listing(columns=_COLUMNS, rows=rows, caption=caption), form)


def _summarise(tables: Tables, key: str, protocol: str) -> dict[str, Any]:
    histogram = tables.histogram(key, protocol=protocol)
    return {
        "dataset": key,
        "protocol": protocol,
        "split": "test",
        "side": "both",
        "num_tasks": histogram.total,
        "mean_candidates": histogram.mean,
        **{f"expectation_{name}": tables.constants(key, name, protocol=protocol).expectation for name in _SUMMARY},
    }
