"""Build tables, step by step: files, triples, counts, histograms, constants."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from rankconst.catalogue.baselines import COUNTING, DEFAULT_BASELINE, INFORMED
from rankconst.catalogue.benchmarks import (
    CONTEXT,
    FORECASTING,
    ROLES,
    STAT,
    Benchmark,
    SampledTasks,
)
from rankconst.catalogue.protocols import (
    ENTITY_SIDES,
    PROTOCOLS,
    SPLITS,
    Protocol,
    check_negatives,
    explain_unfit,
    parse_protocol,
)
from rankconst.download import MissingSourceError, hide_login
from rankconst.errors import (
    DataError,
    RankconstError,
    UnknownNameError,
    UsageError,
    explain_write_errors,
)
from rankconst.files import exists
from rankconst.names import join_words, list_first
from rankconst.progress import Reporter
from rankconst.tables.archive import Tables, load
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst.tasks import Tasks, sampled_histogram
from rankconst_builder.columnar import (
    Columns,
    TripleFile,
    encode_ids,
    encode_text,
    open_columns,
    open_url,
    state_file,
)
from rankconst_builder.facts import (
    Statistics,
    compare,
    describe_dataset,
    describe_graph,
    describe_source,
    make_row,
    summarise,
)
from rankconst_builder.fetch import Content, Fetcher, read_local
from rankconst_builder.graph import Restriction, add_known, encode_labels
from rankconst_builder.own_files import ORDER, OwnFiles, read_own, refuse_other_order
from rankconst_builder.package import (
    Part,
    hash_program,
    hold_folder,
    make_part,
    open_build,
    write_parts,
)
from rankconst_builder.tabulate import tabulate
from rankconst_builder.tallies import count_histograms, list_histograms
from rankconst_builder.triples import read_stat, read_triples

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rankconst_builder.graph import Graph
    from rankconst_builder.tabulate import Histograms
    from rankconst_builder.triples import Labels

READ = (*ROLES, CONTEXT, STAT)
"""The roles of the files of a benchmark."""

_KNOWN = "known"  # the role of a file of further known triples


@dataclass(frozen=True)
class Build:
    """What to build, and how.

    Protocols, baselines and splits have no defaults, so that a release cannot lose rows by one.
    """

    sources: Sequence[Benchmark]
    out: Path  # the folder of the tables
    fetcher: Fetcher  # gets the files
    protocols: Sequence[Protocol]  # in the order of :func:`order_protocols`
    baselines: Sequence[str]  # keys, without chance
    splits: Sequence[str]  # whose triples are ranked; the triples of all splits are known
    # For graphs of the user's own: the paths of the files by source and role, the URL of train if
    # only the workers of a cluster read it, and the order of columns if the user names it.
    local: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    train_url: str | None = None
    columns: str | None = None
    restriction: Restriction = field(default_factory=Restriction)  # of the evaluation
    scheduler: str | None = None  # the address of a Dask scheduler; None to count here
    reporter: Reporter = field(default_factory=Reporter)


def order_protocols(protocols: Iterable[Protocol]) -> tuple[Protocol, ...]:
    """Return distinct protocols in the order of `PROTOCOLS`, followed by sampled ones by size."""
    order = list(PROTOCOLS)
    distinct = {protocol.key: protocol for protocol in protocols}
    for key, protocol in distinct.items():
        if protocol.shared:
            raise UsageError(
                f"{key} is not built from triples: which tasks share one list of negatives "
                "is not in them. `rankconst adjust --num-tasks N` takes their number."
            )

    def find_place(protocol: Protocol) -> int:
        if protocol.key in order:
            return order.index(protocol.key)
        return len(order) + (protocol.negatives or 0)

    return tuple(sorted(distinct.values(), key=find_place))


def choose_protocols(
    protocols: Sequence[Protocol], temporal: bool, qualified: bool = False
) -> tuple[Protocol, ...]:
    """Return the protocols that fit a graph, and refuse any other that was asked for by name."""
    if not {*PROTOCOLS.values()} <= {*protocols}:  # the user has named some
        for protocol in protocols:
            unfit = explain_unfit(protocol, temporal, qualified)
            if unfit:
                raise UsageError(unfit)
    return tuple(protocol for protocol in protocols if protocol.fits(temporal, qualified))


@dataclass(frozen=True)
class Outcome:
    """The result of a build."""

    tables: Tables | None  # the set that was written, or None if nothing could be built
    built: tuple[str, ...]  # keys of datasets
    failures: Mapping[str, RankconstError]  # by dataset


def build_all(build: Build) -> Outcome:
    """Build all datasets, and write the tables.

    If one of several datasets cannot be built, this is reported, and the others are built.
    """
    with explain_write_errors(f"tables to {build.out}", "Name another folder with --out."):
        folders = (build.out, *build.out.absolute().parents)
        nearest = next((path for path in folders if exists(path)), build.out)

    if not nearest.is_dir():
        raise DataError(
            f"cannot write tables to {build.out}: {nearest} is not a folder. "
            "Name another with --out."
        )

    parts: dict[str, Part] = {}
    failures: dict[str, RankconstError] = {}
    with hold_folder(build.out, build.reporter):
        existing = open_build(build.out)
        try:
            for number, source in enumerate(build.sources, start=1):
                if len(build.sources) > 1:
                    build.reporter.say(f"[{number}/{len(build.sources)}] {source.title}")
                try:
                    parts[source.key] = _build_part(build, source)
                except RankconstError as error:
                    if len(build.sources) == 1:
                        raise
                    build.reporter.warn(f"{source.key}: {error}")
                    failures[source.key] = error
        finally:
            if parts:  # also if the build is interrupted
                write_parts(build.out, existing, parts)

        tables = load(build.out) if parts else existing
        return Outcome(tables, tuple(parts), failures)


_ONLY_OWN = (
    "--scheduler counts a graph of your own, under chance: "
    "leave out benchmarks, --relations, --entities, --known and --baseline."
)


def _build_part(build: Build, source: Benchmark) -> Part:
    """Build a benchmark, from files or from numbers of tasks, or a graph of the user's own."""
    paths = build.local.get(source.key)
    is_whole = paths is not None and not build.baselines and build.restriction == Restriction()
    if build.scheduler and not is_whole:
        raise UsageError(_ONLY_OWN)
    if paths is not None:
        return _build_own(build, source, paths)
    if source.not_offered:
        raise UnknownNameError(f"{source.title} is not offered: {source.not_offered}")
    if source.sampled is not None:
        return _build_sampled(build, source, source.sampled)
    return _build_benchmark(build, source)


# -- a benchmark -----------------------------------------------------------------------------------


def _build_benchmark(build: Build, source: Benchmark) -> Part:
    """Build a benchmark from its files, or take its rows from the archive if they are missing."""
    try:
        contents = _fetch_contents(build, source)
    except MissingSourceError as error:
        archive = load()
        if source.key not in archive.datasets or build.restriction != Restriction():
            raise
        build.reporter.warn(
            f"{source.key}: {error} Using what is archived in tables {archive.version} instead."
        )
        return _take_archived(build, source.key, archive, str(error))

    hashes = _drop_data(contents)
    known = None  # further known triples, from a file
    if build.restriction.known is not None:
        texts = {_KNOWN: build.restriction.known}
        files = _read_labels(build, source.key, texts, columns={})
        known = files.labels[_KNOWN]
        if files.order:
            build.reporter.say(
                f"columns of {build.restriction.known_name} are read as {files.order} "
                "(a heading changes that)"
            )

    graph = encode_benchmark(source, {role: content.data for role, content in contents.items()})
    contents.clear()  # the text takes more memory than everything after it
    graph = _restrict(build, source.key, graph, known)
    pa.default_memory_pool().release_unused()
    return _build_graph(build, source, graph, hashes)


def _fetch_contents(build: Build, source: Benchmark) -> dict[str, Content]:
    """Get the files of a benchmark by role. Optional ones may be missing."""
    contents = {}
    for role in [role for role in READ if role in source.files]:
        try:
            contents[role] = build.fetcher.read(source.files[role])
        except MissingSourceError as error:
            if not (source.files[role].optional or role == CONTEXT):
                raise
            if role != CONTEXT:
                build.reporter.warn(f"{source.key}: {error} What does not need {role} is built.")

    return contents


def _drop_data(contents: Mapping[str, Content]) -> dict[str, Content]:
    """Return files without their bytes."""
    return {role: replace(content, data=b"") for role, content in contents.items()}


def encode_benchmark(source: Benchmark, contents: Mapping[str, bytes]) -> Graph:
    """Read and encode the files of a benchmark; `contents` may lack some.

    Raises MissingSourceError if the constants would depend on a missing context file.
    """
    names = {role: f"{source.key} {source.files[role].name}" for role in contents}
    labels = {
        role: read_triples(contents[role], source.format, names[role])
        for role in (*ROLES, CONTEXT)
        if role in contents
    }
    context = labels.pop(CONTEXT, None)
    stat = read_stat(contents[STAT], names[STAT]) if STAT in contents else None
    missing = [role for role in ROLES if role in source.files and role not in contents]
    forecasting = source.split == FORECASTING
    graph = encode_labels(labels, context, stat, missing=missing, forecasting=forecasting)
    has_context = CONTEXT in source.files
    graph = replace(graph, inductive=has_context or "inductive" in source.split)
    if has_context and context is None and not graph.seen_relations.all():
        raise MissingSourceError(
            f"{source.key}: {source.files[CONTEXT].name} is missing, "
            "and it decides which relations that the inference graph lacks count as seen. "
            "Check the network, or name a copy of the files in RANKCONST_MIRROR."
        )
    return graph


# -- a graph of the user's own ---------------------------------------------------------------------


def _build_own(build: Build, source: Benchmark, paths: Mapping[str, Path]) -> Part:
    """Build a graph of the user's own, and refuse files that change meanwhile."""
    opened = {role: open_columns(path, build.columns) for role, path in paths.items()}
    if build.train_url:
        opened = {"train": open_url(build.train_url, build.columns), **opened}

    files: set[Path | str] = {path for path in paths.values() if path.is_file()}  # no pipes
    for opened_file in opened.values():
        if opened_file is not None:
            files.update(opened_file.files)

    states = {file: state_file(file) for file in files}
    contents = {}
    for role, file in opened.items():
        if role != "train" or not build.scheduler:
            contents[role] = read_local(paths[role]) if file is None else file.describe()

    described = _drop_data(contents)
    if build.scheduler:
        part = _build_on_cluster(build, source, opened, described)
    else:
        graph = _read_own_graph(build, source.key, contents, opened)
        pa.default_memory_pool().release_unused()
        part = _build_graph(build, source, graph, described)

    # Files are read more than once, and the hashes must be those of what was counted.
    changed = [file for file, state in states.items() if state_file(file) != state]
    if changed:
        raise DataError(
            f"{list_first([hide_login(str(file)) for file in changed])} changed during the build. "
            "Build again when nothing writes there."
        )
    return part


def _read_own_graph(
    build: Build, key: str, contents: dict[str, Content], opened: Mapping[str, TripleFile | None]
) -> Graph:
    """Read and encode the user's files, and restrict the graph. Empties `contents`."""
    columns = {role: file for role, file in opened.items() if isinstance(file, Columns)}
    pieces = {role: file for role, file in opened.items() if file is not None}
    unread = dict.fromkeys(name for file in columns.values() for name in file.unread)
    if unread and build.columns is None:
        build.reporter.say(f"{key}: columns that are not read: {list_first([*unread])}")
    if len(pieces) == len(opened) and build.restriction == Restriction():
        graph = encode_ids(pieces) or encode_text(pieces)
        if graph is not None:
            _check_order(build, key, graph, _assume_order(pieces.values()))
            return graph

    texts = {}
    if build.restriction.known is not None:
        texts[_KNOWN] = build.restriction.known

    paths = build.local[key]
    for role, file in opened.items():
        if file is None:
            texts[role] = contents[role]
        elif role not in columns:
            texts[role] = read_local(paths[role])

    contents.clear()
    files = _read_labels(build, key, texts, columns)
    graph = encode_labels({role: files.labels[role] for role in opened})
    _check_order(build, key, graph, files.order or _assume_order(columns.values()))
    return _restrict(build, key, graph, files.labels.get(_KNOWN))


def _read_labels(
    build: Build, key: str, texts: dict[str, Content], columns: Mapping[str, Columns]
) -> OwnFiles:
    """Read the labels of files by role, and report assumptions about the format.

    Empties `texts`, whose bytes take more memory than everything after them.
    """
    names = {role: str(path) for role, path in build.local.get(key, {}).items()}
    names[_KNOWN] = build.restriction.known_name
    data = {role: content.data for role, content in texts.items()}
    texts.clear()
    files = read_own(data, names, build.columns)
    del data
    if files.note:
        build.reporter.say(f"{key}: {files.note}")

    labels = {role: file.read_labels() for role, file in columns.items()}
    return files._replace(labels={**files.labels, **labels})


def _restrict(build: Build, key: str, graph: Graph, known: Labels | None) -> Graph:
    """Restrict the evaluation of a graph, and add further known triples."""
    graph = build.restriction.apply(graph)
    if known is None:
        return graph

    graph = add_known(graph, known)
    build.reporter.say(
        f"{key}: {len(graph.known):,} of {len(known):,} further known triples are of the graph"
    )
    return graph


def _assume_order(files: Iterable[TripleFile]) -> str:
    """Return the assumed order of columns; empty if all files have columns whose names show it."""
    return "" if all(file.shows_order for file in files) else ORDER


def _check_order(build: Build, key: str, graph: Graph, order: str) -> None:
    """Report the assumed order of columns, and refuse it if the graph contradicts it."""
    if order and build.columns is None:
        build.reporter.say(f"{key}: columns are read as {order} (--columns changes that)")
        refuse_other_order(
            graph,
            "Add --columns {order} if that is the order, or --columns hrt if this is.",
        )


def _build_on_cluster(
    build: Build,
    source: Benchmark,
    opened: Mapping[str, TripleFile | None],
    contents: Mapping[str, Content],
) -> Part:
    """Build a graph of the user's own, of ids in Parquet, on the workers of a cluster."""
    from rankconst_builder import distributed

    protocols = choose_protocols(build.protocols, temporal=False)
    files = distributed.choose_files(opened)
    with distributed.connect(build.scheduler or "") as client:
        workers = distributed.count_workers(client)
        build.reporter.say(
            f"{source.key}: {files['train'].rows:,} triples of train, on {workers} workers"
        )
        counts = distributed.count_distributed(client, files, protocols, build.splits)
        contents = {"train": distributed.hash_files(client, files["train"]), **contents}

    graph = counts.graph
    _check_order(build, source.key, graph, _assume_order(files.values()))
    _report_graph(build, source, graph, counts.statistics)
    histograms = list_histograms(source.key, graph, protocols, counts.tallies)
    _report_gaps(build, source.key, graph, protocols, histograms)
    described = describe_dataset(source, counts.statistics, contents, None)
    tables = {"datasets": described, **tabulate(histograms, build.reporter.stage)}
    return make_part(tables, _describe_origin(build))


# -- any graph -------------------------------------------------------------------------------------


def _build_graph(
    build: Build, source: Benchmark, graph: Graph, contents: Mapping[str, Content]
) -> Part:
    """Return the tables of a graph, and report its size, oddities and gaps."""
    key = source.key
    protocols = choose_protocols(build.protocols, graph.temporal, graph.qualified)
    statistics = describe_graph(graph)
    _report_graph(build, source, graph, statistics)
    histograms, counting = count_histograms(
        key, graph, protocols, build.baselines, build.splits, stage=build.reporter.stage
    )
    if counting not in {None, "rules"}:
        build.reporter.say(f"{key}: {COUNTING[counting].summary}")

    _report_gaps(build, key, graph, protocols, histograms)
    described = describe_dataset(source, statistics, contents, counting, graph.missing)
    reconstructed = " and ".join(role for role, content in contents.items() if content.stands_in)
    tables = {"datasets": described, **tabulate(histograms, build.reporter.stage)}
    return make_part(tables, _describe_origin(build, reconstructed))


def _describe_origin(build: Build, reconstructed: str = "") -> dict[str, Any]:
    """Return the provenance of a dataset that was counted from its files."""
    origin = f"files; {reconstructed} reconstructed" if reconstructed else "files"
    provenance: dict[str, Any] = {"origin": origin, "program": hash_program()[:16]}
    restricted = build.restriction.describe()
    if restricted:
        provenance["restriction"] = restricted
    return provenance | _describe_choice(build)


def _describe_choice(build: Build) -> dict[str, str]:
    """Return the splits and baselines that were chosen, if not all were."""
    chosen = {}
    if {*build.splits} != {*SPLITS}:
        chosen["splits"] = ",".join(split for split in SPLITS if split in build.splits)
    if not {*build.baselines} >= {*INFORMED}:
        chosen["baselines"] = ",".join([DEFAULT_BASELINE, *build.baselines])
    return chosen


def _report_graph(build: Build, source: Benchmark, graph: Graph, statistics: Statistics) -> None:
    """Report the size of a graph and its oddities, and refuse more negatives than it has."""
    for protocol in build.protocols:
        check_negatives(protocol, source.key, int(graph.entities.sum()))
    build.reporter.say(summarise(source, graph, statistics))
    for difference in compare(source, graph, statistics, is_own=source.key in build.local):
        build.reporter.warn(f"{source.key}: {difference}")


def _report_gaps(
    build: Build, key: str, graph: Graph, protocols: Sequence[Protocol], histograms: Histograms
) -> None:
    """Report the splits that get no rows because files or tasks are missing."""
    for split in build.splits:
        lost = [row.key for row in protocols if graph.explain_uncounted(row, split)]
        if lost:
            build.reporter.say(
                f"{key}: no constants of {split} under {', '.join(lost)}, because files are missing"
            )

        for protocol in [row.key for row in protocols if row.key not in lost]:
            ranked = any(Tasks(key, protocol, split, side) in histograms for side in ENTITY_SIDES)
            if graph.splits[split] and not ranked:
                build.reporter.say(
                    f"{key}: no triple of {split} is ranked under protocol {protocol}; "
                    "it gets no rows"
                )

    if not histograms:
        raise DataError(
            f"{key}: no triple of {join_words(build.splits)} is ranked, so there is nothing to "
            "build. Name other --splits, or leave out --protocol."
        )


# -- without files ---------------------------------------------------------------------------------


def _build_sampled(build: Build, source: Benchmark, sampled: SampledTasks) -> Part:
    """Build a benchmark that ranks among sampled negatives, from numbers of tasks."""
    if build.restriction != Restriction():
        raise UsageError(
            f"{source.title} is built from numbers of tasks, without triples: it cannot be "
            "restricted. Leave out --relations, --entities and --known."
        )

    protocols = [protocol for protocol in build.protocols if protocol.negatives is not None]
    if sampled.shared or not protocols:
        protocols = [parse_protocol(sampled.protocol)]

    histograms = {}
    for protocol in protocols:
        for split, tasks in (("valid", sampled.valid), ("test", sampled.test)):
            if tasks is not None:
                for side in sampled.sides:
                    address = Tasks(source.key, protocol.key, split, side)
                    histograms[address] = sampled_histogram(protocol, tasks)

    row = {
        **dict.fromkeys(column.name for column in COLUMNS["datasets"]),
        **describe_source(source),
        "triples_valid": sampled.valid,
        "triples_test": sampled.test,
        "sha256": [],
        "verified": False,
    }
    origin = "numbers of tasks in the registry"
    provenance = {"origin": origin, "program": hash_program()[:16]}
    described = make_row(row, schema_of("datasets"))
    return make_part({"datasets": described, **tabulate(histograms)}, provenance)


def _take_archived(build: Build, key: str, archive: Tables, reason: str) -> Part:
    """Return the rows of a dataset in archived tables that the build asks for."""
    choices = {
        "protocol": [protocol.key for protocol in build.protocols],
        "split": [*build.splits],
        "baseline": [DEFAULT_BASELINE, *build.baselines],
    }
    tables = {}
    for name in COLUMNS:
        if archive.leaves_out(name):
            build.reporter.warn(
                f"{key}: macro averages and single relations under a baseline are missing; "
                f"the archive of tables {archive.version} has them."
            )
            tables[name] = pa.Table.from_batches([], schema_of(name))
            continue

        table = archive.read(name, key)
        for column in choices.keys() & {*table.column_names}:
            values = pa.array(choices[column], pa.string())
            table = table.filter(pc.is_in(table[column], value_set=values))

        tables[name] = table

    provenance = {"origin": f"archive {archive.version}", "reason": reason}
    return make_part(tables, provenance | _describe_choice(build))
