"""The steps in order: files, triples, counts, histograms, constants, tables."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow.json import ParseOptions, read_json

from rankconst.arrow import join_texts
from rankconst.catalogue.aggregations import MACROS
from rankconst.catalogue.baselines import BUILT, DEFAULT_BASELINE
from rankconst.catalogue.benchmarks import CONTEXT, FORECASTING, ROLES, STAT, Benchmark, SampledTasks
from rankconst.catalogue.protocols import (
    ENTITY_SIDES,
    PROTOCOLS,
    RELATION_SIDE,
    SPLITS,
    Protocol,
    explain_unfit,
    parse_protocol,
)
from rankconst.download import MissingSourceError, Reporter, hide_login, unseen
from rankconst.errors import (
    DataError,
    RankconstError,
    UnknownNameError,
    UsageError,
    explain_write_errors,
    first_line,
)
from rankconst.files import exists, write_through
from rankconst.names import list_first, read_count
from rankconst.tables.folder import DESCRIPTOR
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst.tables.tables import Tables, load
from rankconst.tasks import Histogram, Tasks, sampled_histogram
from rankconst_builder.baselines import count_baselines
from rankconst_builder.candidates import count_protocols
from rankconst_builder.columns import Columns, encode_ids, open_columns, open_url, state_file
from rankconst_builder.fetch import Content, Fetcher, read_local
from rankconst_builder.graph import encode_labels
from rankconst_builder.layout import read_own
from rankconst_builder.package import complete_exchange, hold_folder, write_tables
from rankconst_builder.program import hash_program
from rankconst_builder.restriction import Restriction, add_known
from rankconst_builder.statistics import Statistics, describe_graph
from rankconst_builder.tabulate import list_macros, tabulate
from rankconst_builder.tallies import tally_protocols
from rankconst_builder.triples import BOM, read_stat, read_triples
from rankconst_builder.words import mark

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rankconst.download import Stage
    from rankconst_builder.graph import Graph
    from rankconst_builder.tallies import Tallies


READ = (*ROLES, CONTEXT, STAT)
"""The roles of files that are read."""

_KNOWN = "known"  # the role of a file of further known triples

UNRELEASED = "unreleased"
"""The table version of a set that is not released."""


@dataclass(frozen=True)
class Build:
    """What one run is asked to do."""

    sources: Sequence[Benchmark]
    out: Path  # the folder of the tables
    fetcher: Fetcher  # gets the files
    # What to cover has no default: a release that followed one would lose rows with it.
    protocols: Sequence[Protocol]  # in the order of :func:`order_protocols`; of all, those that fit a graph
    baselines: Sequence[str]  # besides chance, by key
    splits: Sequence[str]  # whose triples are ranked; known answers are those of all splits
    # Key of a source to the paths of its files, for a graph of the user's own.
    local: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    train_url: str | None = None  # where train is, if only the workers of a cluster read it
    columns: str | None = None  # the order of the columns of these, if the user names it
    # To which relations and entities the evaluation is restricted.
    restriction: Restriction = field(default_factory=Restriction)
    scheduler: str | None = None  # the address of a Dask scheduler whose workers count; None to count here
    reporter: Reporter = field(default_factory=Reporter)


def order_protocols(protocols: Iterable[Protocol]) -> tuple[Protocol, ...]:
    """Return protocols in the order of the tables, each once: those of the catalogue, then sampled ones by size."""
    order = list(PROTOCOLS)
    distinct = {protocol.key: protocol for protocol in protocols}
    if shared := [key for key, protocol in distinct.items() if protocol.shared]:
        raise UsageError(
            f"{shared[0]} is not built from triples: which tasks share one list of negatives is not in them. "
            "`rankconst adjust --num-tasks N` takes their number."
        )
    return tuple(
        sorted(
            distinct.values(), key=lambda p: order.index(p.key) if p.key in order else len(order) + (p.negatives or 0)
        )
    )


def choose_protocols(protocols: Sequence[Protocol], temporal: bool, qualified: bool = False) -> tuple[Protocol, ...]:
    """Return the protocols that fit a graph; refuse one that does not, unless the whole catalogue is asked for."""
    if not {*PROTOCOLS.values()} <= {*protocols}:
        for reason in filter(None, (explain_unfit(protocol, temporal, qualified) for protocol in protocols)):
            raise UsageError(reason)
    return tuple(protocol for protocol in protocols if protocol.fits(temporal, qualified))


@dataclass(frozen=True)
class Outcome:
    """What a run achieved."""

    tables: Tables | None  # the set that was written, or None if nothing could be built
    # Keys of the datasets that were computed, and of those that were there already.
    built: tuple[str, ...]
    kept: tuple[str, ...]
    failures: Mapping[str, RankconstError]  # key of each dataset that could not be built, with the reason


@dataclass(frozen=True)
class _Part:
    """The rows of one dataset, and where they come from."""

    tables: Mapping[str, pa.Table]
    provenance: Mapping[str, Any]


def build_all(build: Build) -> Outcome:
    """Build every dataset asked for, and write the set.

    What each dataset gives is kept next to the set until that is written: the next run continues
    one that was cut off. A dataset that cannot be built is reported, and the others are built; the error is raised if
    it is the only one.
    """
    with explain_write_errors(f"tables to {build.out}", "Name another folder with --out."):
        nearest = next((path for path in (build.out, *build.out.absolute().parents) if exists(path)), build.out)
    if not nearest.is_dir():
        raise DataError(f"cannot write tables to {build.out}: {nearest} is not a folder. Name another with --out.")
    with hold_folder(build.out, build.reporter):
        return _build_all(build)


def _build_all(build: Build) -> Outcome:
    parts = _read_existing(build)
    built: list[str] = []
    kept: list[str] = []
    failures: dict[str, RankconstError] = {}
    for place, source in enumerate(build.sources, start=1):
        identity = _identify(build, source)
        if identity is not None and source.key in parts and parts[source.key].provenance.get("identity") == identity:
            build.reporter.say(f"{source.key}: up to date")
            kept.append(source.key)
            continue
        if len(build.sources) > 1:
            build.reporter.say(f"[{place}/{len(build.sources)}] {source.title}")
        try:
            part = _build_part(build, source, identity)
        except RankconstError as error:
            if len(build.sources) == 1:
                raise
            build.reporter.warn(f"{source.key}: {error}")
            failures[source.key] = error
            continue
        except KeyboardInterrupt:
            if built:
                _write(build, parts)
            done = f"{build.out} holds the {len(built)} built before" if built else "nothing was written"
            build.reporter.warn(f"interrupted in {source.key}: {done}; run the same command again")
            raise
        parts[source.key] = part
        if place < len(build.sources):
            _keep(build, source.key, part)
        built.append(source.key)
    if built or (parts and (build.out / _KEPT).is_dir()):
        _write(build, parts)
    tables = load(build.out) if parts and (build.out / DESCRIPTOR).is_file() else None
    return Outcome(tables, tuple(built), tuple(kept), failures)


def _read_existing(build: Build) -> dict[str, _Part]:
    """Read the set that the output folder holds, dataset by dataset."""
    out = build.out
    complete_exchange(out)
    _refuse_others(build)
    whole = _split_parts(build, load(out)) if (out / DESCRIPTOR).is_file() else {}
    return whole | _read_kept(build)


def _refuse_others(build: Build) -> None:
    """Refuse to write over files that are named like tables where no descriptor says that they are tables."""
    names = [f"{name}.parquet" for name in COLUMNS if exists(build.out / f"{name}.parquet")]
    if names and not exists(build.out / DESCRIPTOR):
        raise UsageError(
            f"{build.out} holds no {DESCRIPTOR}, but files that would be overwritten: {list_first(names)}. Name "
            "another folder with --out, or delete these files."
        )


def _split_parts(build: Build, existing: Tables) -> dict[str, _Part]:
    if existing.version != UNRELEASED:
        raise UsageError(
            f"{build.out} holds the released tables {existing.version}, which stay as they are. Name another folder "
            "with --out."
        )
    whole = {name: existing.read(name) for name in COLUMNS}
    provenance = {row["dataset"]: row for row in existing.descriptor.get("provenance", [])}
    return {
        key: _Part(
            {name: _take_dataset(table, key) for name, table in whole.items()},
            {name: value for name, value in provenance.get(key, {}).items() if name != "dataset"},
        )
        for key in existing.datasets
    }


_KEPT = ".kept"
"""Folder for what single datasets gave, until the set is written; each has the name of its dataset."""

# Beside the others, not among them: any name there may be that of a dataset.
_DRAFT = f"{_KEPT}.draft"


def _keep(build: Build, key: str, part: _Part) -> None:
    """Keep what a dataset gave: a folder that appears as a whole or not at all."""
    final = build.out / _KEPT / key
    draft = build.out / _DRAFT
    for folder in (draft, final):
        shutil.rmtree(folder, ignore_errors=True)
    contents = {name: _serialise(table) for name, table in part.tables.items()}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    described = {"after": _hash_set(build), "provenance": part.provenance, "sha256": hashes}
    try:
        with explain_write_errors(f"to {build.out}", "Name another folder with --out."):
            draft.mkdir(parents=True)
            for name, content in contents.items():
                write_through(draft / f"{name}.parquet", content)
            write_through(draft / _PROVENANCE, json.dumps(described).encode())
            final.parent.mkdir(exist_ok=True)
            draft.rename(final)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _serialise(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


_PROVENANCE = "provenance.json"


def _hash_set(build: Build) -> str | None:
    """Name the set that the output folder holds: what was kept before it was written is in it, or older."""
    descriptor = build.out / DESCRIPTOR
    return hashlib.sha256(descriptor.read_bytes()).hexdigest() if descriptor.is_file() else None


def _read_kept(build: Build) -> dict[str, _Part]:
    """Read what earlier runs kept before they were cut off; leave aside what has been written."""
    kept, after = {}, _hash_set(build)
    for path in sorted((build.out / _KEPT).glob(f"*/{_PROVENANCE}")):
        try:
            described = json.loads(path.read_bytes())
            provenance = dict(described["provenance"])
            if described.get("after") != after:
                continue
            contents = {name: (path.parent / f"{name}.parquet").read_bytes() for name in COLUMNS}
            if {name: hashlib.sha256(each).hexdigest() for name, each in contents.items()} != described["sha256"]:
                raise ValueError("a file has another SHA-256 than it was written with")
            tables = {name: pq.read_table(pa.BufferReader(each), use_threads=False) for name, each in contents.items()}
            for table in tables.values():
                table.validate(full=True)
        except (OSError, ValueError, LookupError, TypeError, RecursionError, pa.ArrowException) as error:
            reason = first_line(error)[:200] or type(error).__name__
            build.reporter.warn(f"{path.parent} is damaged ({reason}); {path.parent.name} is built again.")
            continue
        if all(table.schema.equals(schema_of(name)) for name, table in tables.items()):
            kept[path.parent.name] = _Part(tables, provenance)
    return kept


def _take_dataset(table: pa.Table, key: str) -> pa.Table:
    return table.filter(pc.equal(table["dataset"], join_texts([key])[0]))


def _identify(build: Build, source: Benchmark) -> str | None:
    """Name what a dataset's rows depend on: its files, the protocols and the program; None if not known yet."""
    if source.key in build.local:
        return None
    hashes = [build.fetcher.identify(file.remote) for role, file in source.files.items() if role in ROLES]
    if None in hashes or not (hashes or source.verifiable):
        return None
    asked = (source, *hashes, *build.protocols, *build.baselines, build.restriction.describe())
    described = [*map(repr, asked), *sorted(build.splits), hash_program()]
    digest = hashlib.sha256("\n".join(described).encode())
    return digest.hexdigest()[:16]


def _build_part(build: Build, source: Benchmark, identity: str | None) -> _Part:
    if source.not_offered and source.key not in build.local:
        raise UnknownNameError(f"{source.title} is not offered: {source.not_offered}")
    if source.sampled is not None and source.key not in build.local:
        return _build_sampled(build, source, source.sampled, identity)
    opened = {role: open_columns(path, build.columns) for role, path in build.local.get(source.key, {}).items()}
    if build.train_url:
        opened = {"train": open_url(build.train_url, build.columns), **opened}
    states = _state_files(build, source, opened)
    try:
        contents = _read_contents(build, source, opened)
    except MissingSourceError as error:
        archive = load()
        if source.key not in archive.datasets or build.restriction != Restriction():
            raise
        build.reporter.warn(
            f"{source.key}: {error} Using the candidate counts archived in tables {archive.version} instead."
        )
        return _rebuild(build, source.key, archive, str(error))
    described = {role: replace(content, data=b"") for role, content in contents.items()}
    graph = None if build.scheduler else _read_graph(build, source, contents, opened)
    # Text and labels take more memory than all that follows.
    contents.clear()
    pa.default_memory_pool().release_unused()
    part = _build_from_files(build, source, graph, described, identity, opened=opened)
    # They are read more than once, and the hashes must be of what was counted.
    if changed := [hide_login(str(file)) for file, state in states.items() if state_file(file) != state]:
        raise DataError(f"{list_first(changed)} changed during the build. Build again when nothing writes there.")
    return part


def _state_files(
    build: Build, source: Benchmark, opened: Mapping[str, Columns | None]
) -> dict[Path | str, tuple[int | None, ...]]:
    """Return the states of the files of a graph of the user's own; of a pipe there is none."""
    columns = itertools.chain.from_iterable(each.files for each in opened.values() if each is not None)
    plain = (path for path in build.local.get(source.key, {}).values() if path.is_file())
    return {file: state_file(file) for file in {*plain, *columns}}


def _read_contents(build: Build, source: Benchmark, opened: Mapping[str, Columns | None]) -> dict[str, Content]:
    local = build.local.get(source.key)
    if local is not None:
        here = {role: each for role, each in opened.items() if not (role == "train" and build.scheduler)}
        return {role: read_local(local[role]) if each is None else each.describe() for role, each in here.items()}
    contents = {}
    for role in (role for role in READ if role in source.files):
        try:
            contents[role] = build.fetcher.read(source.files[role])
        except MissingSourceError as error:
            if not (source.files[role].optional or role == CONTEXT):
                raise
            if role != CONTEXT:
                build.reporter.warn(f"{source.key}: {error} What does not need {role} is built.")
    return contents


def encode_benchmark(source: Benchmark, contents: Mapping[str, bytes], prefix: str = "") -> Graph:
    """Read and code the files of a benchmark."""
    named = {role: f"{prefix}{source.files[role].name}" for role in contents}
    labels = {
        role: read_triples(contents[role], source.format, named[role]) for role in (*ROLES, CONTEXT) if role in contents
    }
    graph = encode_labels(
        {role: labels[role] for role in ROLES if role in labels},
        labels.get(CONTEXT),
        read_stat(contents[STAT], named[STAT]) if STAT in contents else (0, 0),
        missing=[role for role in ROLES if role in source.files and role not in contents],
        forecasting=source.split == FORECASTING,
    )
    graph = replace(graph, inductive=CONTEXT in source.files or "inductive" in source.split)
    if CONTEXT in source.files and CONTEXT not in labels and not graph.seen_relations.all():
        raise MissingSourceError(
            f"{source.key}: {source.files[CONTEXT].name} is missing, and it decides which relations that the inference "
            "graph lacks count as seen. Check the network, or name a copy of the files with --mirror FOLDER_OR_URL."
        )
    return graph


def _read_graph(
    build: Build, source: Benchmark, contents: dict[str, Content], opened: Mapping[str, Columns | None]
) -> Graph:
    """Read and code the files of a dataset, restricted as the build says, with what else its filters know.

    The contents of a graph of the user's own are let go as soon as they are read.
    """
    key, given = source.key, build.restriction.known
    local = build.local.get(key, {})
    columns = {role: each for role, each in opened.items() if each is not None}
    if columns and len(columns) == len(local) and build.restriction == Restriction():
        graph = encode_ids(columns)
        if graph is not None:
            return graph
    columns = {role: each for role, each in columns.items() if not each.text}
    own = {} if given is None else {_KNOWN: given}
    own |= {
        role: contents[role] if opened[role] is None else read_local(path)
        for role, path in local.items()
        if role not in columns
    }
    names = {_KNOWN: build.restriction.known_name} | {role: str(path) for role, path in local.items()}
    labels, note = read_own({role: content.data for role, content in own.items()}, names, build.columns)
    labels |= {role: each.read_labels() for role, each in columns.items()}
    if local:
        own.clear()
        contents.clear()
    known = labels.pop(_KNOWN, None)
    if note:
        build.reporter.say(f"{key}: {note}")
    if key in build.local:
        graph = encode_labels({role: labels[role] for role in local})
    else:
        graph = encode_benchmark(source, {role: content.data for role, content in contents.items()}, f"{key} ")
    graph = build.restriction.apply(graph)
    if known is None:
        return graph
    graph, told = add_known(graph, known)
    build.reporter.say(f"{key}: {told}")
    return graph


def _build_from_files(
    build: Build,
    source: Benchmark,
    graph: Graph | None,
    contents: Mapping[str, Content],
    identity: str | None,
    *,
    opened: Mapping[str, Columns | None],
) -> _Part:
    key = source.key
    tallies: Tallies | None = None
    if graph is not None:
        protocols = choose_protocols(build.protocols, graph.temporal, graph.qualified)
        statistics = describe_graph(graph)
    else:
        protocols = choose_protocols(build.protocols, temporal=False)
        graph, statistics, tallies, train = _count_elsewhere(build, source, protocols, opened)
        contents = {"train": train, **contents}
    build.reporter.say(_summarise(source, graph, statistics))
    local = build.local.get(key, {}).values()
    differences = [*_compare_with_pykeen(source, statistics), *_compare_with_openke(local, statistics)]
    if local:
        differences += _compare_labels(graph, statistics)
    if local and build.columns is None:
        differences += _compare_columns(graph)
    if local:
        differences += _compare_first(graph)
    for difference in differences:
        build.reporter.warn(f"{key}: {difference}")
    for split in build.splits if graph.missing else ():
        if lost := [protocol.key for protocol in protocols if graph.explain_uncounted(protocol, split)]:
            build.reporter.say(f"{key}: no constants of {split} under {', '.join(lost)}, for want of files")
    if tallies is None:
        stage = build.reporter.stage
        histograms = count_histograms(key, graph, protocols, build.baselines, build.splits, stage=stage)
    else:
        histograms = list_histograms(key, graph, protocols, tallies)
    for protocol, split in itertools.product(protocols, build.splits):
        ranked = any(Tasks(key, protocol.key, split, side) in histograms for side in ENTITY_SIDES)
        if graph.splits[split] and not ranked and not graph.explain_uncounted(protocol, split):
            build.reporter.say(f"{key}: no triple of {split} is ranked under protocol {protocol.key}; it gets no rows")
    return _Part(
        tables={
            "datasets": describe_dataset(source, statistics, contents, graph.missing),
            **tabulate(histograms, build.reporter.stage),
        },
        provenance={
            "origin": "files",
            # Hashes may have become known.
            "identity": None if graph.missing else identity or _identify(build, source),
            "program": hash_program()[:16],
            **({"restriction": restricted} if (restricted := build.restriction.describe()) else {}),
            **_describe_choice(build),
        },
    )


def _describe_choice(build: Build) -> dict[str, str]:
    """Name the splits and baselines that were chosen, where these are not all."""
    splits = {} if {*build.splits} == {*SPLITS} else {"splits": ",".join(filter({*build.splits}.__contains__, SPLITS))}
    whole = {*build.baselines} >= {*BUILT}
    return splits if whole else {**splits, "baselines": ",".join([DEFAULT_BASELINE, *build.baselines])}


def _count_elsewhere(
    build: Build, source: Benchmark, protocols: Sequence[Protocol], opened: Mapping[str, Columns | None]
) -> tuple[Graph, Statistics, Tallies, Content]:
    """Count a graph of the user's own on the workers of a cluster."""
    from rankconst_builder.distributed import choose_files, connect, count_distributed, count_workers, hash_files

    if not opened or build.baselines or build.restriction != Restriction():
        raise UsageError(
            "--scheduler counts a graph of your own, under chance: leave out benchmarks, --relations, --entities, "
            "--known and --baseline."
        )
    files = choose_files(opened)
    with connect(build.scheduler or "") as client:
        workers = count_workers(client)
        build.reporter.say(f"{source.key}: {files['train'].rows:,} triples of train, on {workers} workers")
        counted = count_distributed(client, files, protocols, build.splits)
        return (*counted, hash_files(client, files["train"]))


def _build_sampled(build: Build, source: Benchmark, sampled: SampledTasks, identity: str | None) -> _Part:
    """Build a benchmark that ranks among sampled negatives: the protocols asked for, or the benchmark's own."""
    if build.restriction != Restriction():
        raise UsageError(f"{source.title} is built from numbers of tasks: there are no triples to restrict.")
    asked = [protocol for protocol in build.protocols if protocol.negatives is not None and not sampled.shared]
    protocols = asked or [parse_protocol(sampled.protocol)]
    histograms = {
        Tasks(source.key, protocol.key, split, side): sampled_histogram(protocol, tasks)
        for protocol in protocols
        for split, tasks in (("valid", sampled.valid), ("test", sampled.test))
        if tasks is not None
        for side in sampled.sides
    }
    row = {
        **dict.fromkeys(column.name for column in COLUMNS["datasets"]),
        **_describe_source(source),
        "triples_valid": sampled.valid,
        "triples_test": sampled.test,
        "sha256": [],
        "verified": False,
    }
    return _Part(
        tables={
            "datasets": _make_row(row, schema_of("datasets")),
            **tabulate(histograms),
        },
        provenance={
            "origin": "numbers of tasks in the registry",
            "identity": identity,
            "program": hash_program()[:16],
        },
    )


def count_histograms(
    key: str,
    graph: Graph,
    protocols: Sequence[Protocol],
    baselines: Iterable[str],
    splits: Collection[str],
    *,
    room: int | None = None,
    stage: Stage = unseen,
) -> dict[Tasks, Histogram]:
    """Return the histograms of all tasks, weighted ones for macro averages, and those of each relation.

    They are in the order of protocols, splits, baselines and sides. `baselines` are covered where they have any,
    besides chance. Train is counted in `room` bytes if given.
    """
    trained = tally_protocols(graph, protocols, "train", room, stage) if "train" in splits else {}
    counts = count_protocols(graph, protocols, {*splits} - {"train"}, stage)
    informed = count_baselines(graph, counts, baselines, stage)
    return list_histograms(
        key,
        graph,
        protocols,
        {
            **{(protocol, "train", DEFAULT_BASELINE): sides for protocol, sides in trained.items()},
            **{address: count.tallies for address, count in informed.items()},
        },
    )


def list_histograms(
    key: str,
    graph: Graph,
    protocols: Iterable[Protocol],
    tallies: Tallies,
) -> dict[Tasks, Histogram]:
    """Return the histograms that tallies have, which go from protocol, split and baseline to side.

    Those of single relations under a baseline are weighted: all macro averages follow from them.
    """
    order = [protocol.key for protocol in protocols]
    found: dict[Tasks, Histogram] = {}
    for protocol, split, baseline in sorted(tallies, key=lambda one: (order.index(one[0]), [*SPLITS].index(one[1]))):
        for side, tally in tallies[protocol, split, baseline].items():
            tasks = Tasks(key, protocol, split, side, baseline=baseline)
            found[tasks] = tally.histogram()
            if side == RELATION_SIDE:
                continue
            for macro in list_macros(split) if tasks.is_chance else ():
                found[replace(tasks, aggregation=macro)] = tally.histogram(MACROS[macro].group)
            if split != "train":
                one = tasks if tasks.is_chance else replace(tasks, aggregation="macro-query")
                by_relation = tally.relation_histograms(by_query=not tasks.is_chance)
                for name, histogram in _name_relations(graph, by_relation):
                    found[replace(one, relations=(name,))] = histogram
    return found


def _name_relations(graph: Graph, histograms: Mapping[int, Histogram]) -> list[tuple[str, Histogram]]:
    """Name relations by their labels, in alphabetical order; labels that look alike as text share their name."""
    named: dict[str, Histogram] = {}
    for code, histogram in histograms.items():
        name = graph.name_relation(code)
        named[name] = named[name].pool(histogram) if name in named else histogram
    return sorted(named.items())


def _summarise(source: Benchmark, graph: Graph, statistics: Statistics) -> str:
    facts = "quadruples" if graph.temporal else "statements" if graph.qualified else "triples"
    counted = " + ".join("no file" if split in graph.missing else f"{statistics.rows[split]:,}" for split in SPLITS)
    parts = [
        f"{source.key}: {counted} {facts} (train + valid + test), entities: {statistics.entities:,}, "
        f"relations: {statistics.relations:,}" + (f", times: {graph.num_times:,}" if graph.temporal else "")
    ]
    occurring = statistics.entities if graph.entity_labels is None else len(graph.entity_labels)
    if occurring < statistics.entities:
        parts.append(f"{occurring:,} of the entities occur in the files; {STAT}.txt states all, and all are ranked")
    for split in SPLITS:
        if statistics.duplicates(split):
            parts.append(f"{statistics.duplicates(split):,} rows of {split} repeat an earlier one")
        if statistics.rows[split] > statistics.seen[split] and "train" not in graph.missing:
            dropped = statistics.rows[split] - statistics.seen[split]
            parts.append(f"{dropped:,} rows of {split} have something unseen in train")
    for (later, earlier), common in statistics.overlaps.items():
        if common:
            parts.append(f"{common:,} {facts} of {later} are also in {earlier}")
    return "; ".join(parts)


def _compare_with_pykeen(source: Benchmark, statistics: Statistics) -> list[str]:
    """Say where the files differ from what PyKEEN documents, unless the registry explains it."""
    found = {
        "entities": statistics.entities_train,
        "relations": statistics.relations_train,
        **{split: statistics.seen_distinct[split] for split in SPLITS},
    }
    if source.pykeen.get("mismatch"):
        return []
    return [
        f"PyKEEN documents {source.pykeen[name]:,} {name}, the files have {value:,}"
        for name, value in found.items()
        if name in source.pykeen and source.pykeen[name] != value
    ]


_LONGEST_COUNT = 100


def _compare_with_openke(paths: Iterable[Path], statistics: Statistics) -> list[str]:
    """Say where OpenKE ranks other entities than those of the triples: as many as entity2id.txt counts."""
    for path in dict.fromkeys(path.with_name("entity2id.txt") for path in paths):
        if not path.is_file():
            continue
        with path.open("rb") as stream:
            count = read_count(stream.readline(_LONGEST_COUNT).decode("ascii", "replace").strip())
        if count is not None and count != statistics.entities:
            return [
                f"{path} counts {count:,} entities, {statistics.entities:,} of them are in triples. OpenKE ranks "
                "all, these tables those in triples."
            ]
    return []


def _compare_columns(graph: Graph) -> Iterator[str]:
    """Say if relations look like entities: if there are more of them than heads or tails, and most are entities."""
    heads, relations, tails = (
        np.flatnonzero(np.logical_or.reduce([mark(size, triples, part) for triples in graph.splits.values()]))
        for part, size in (
            ("head", graph.num_entities),
            ("relation", graph.num_relations),
            ("tail", graph.num_entities),
        )
    )
    few, place = min((heads.size, "heads"), (tails.size, "tails"))
    if relations.size <= few:
        return
    if graph.relation_labels is None or graph.entity_labels is None:
        entities = np.isin(relations, np.union1d(heads, tails))
    else:
        named: Any = graph.relation_labels.take(relations)
        entities = pc.is_in(named, value_set=graph.entity_labels).to_numpy(zero_copy_only=False)
    if 2 * np.count_nonzero(entities) > relations.size:
        yield (
            f"{relations.size:,} different relations, most of which are entities, too, and {few:,} different {place}: "
            "are the columns head, relation, tail? Say which is which with --columns, for example --columns htr."
        )


def _compare_first(graph: Graph) -> Iterator[str]:
    """Say which files may begin with a heading or a comment: all labels of their first line occur nowhere else."""
    files = [triples for triples in graph.splits.values() if len(triples)]
    for split, triples in graph.splits.items():
        if len(files) < 2 or not len(triples):
            continue
        head, relation, tail = (int(codes[0]) for codes in triples.codes[:3])
        places = ((relation, ("relation",)), (head, ("head", "tail")), (tail, ("head", "tail")))
        if all(
            sum(np.count_nonzero(getattr(each, part) == code) for each in files for part in parts) == 1
            for code, parts in places
        ):
            yield (
                f"relation {graph.name_relation(relation)!r} of the first line of {split} occurs nowhere else, nor do "
                "its entities. If the line is a heading or a comment, delete it."
            )


_AROUND = " \t\r\v\f\0\x1a\"'()[]{}<>"


def _compare_labels(graph: Graph, statistics: Statistics) -> Iterator[str]:
    """Say what looks as if the files were not of one graph, or written in two ways."""
    for split, rows in statistics.rows.items():
        if rows and not statistics.seen[split]:
            yield f"every row of {split} has something unseen in train. Are these files of one graph?"
    for kind, labels in (("entities", graph.entity_labels), ("relations", graph.relation_labels)):
        odd = [] if labels is None else _find_alike(labels)
        if len(odd):
            yield (
                f"{len(odd):,} {kind}, such as {odd[0].as_py()!r}, differ from others only in the blanks, quotes, "
                "brackets or control characters around them, and count as others. Write all files in the same way if "
                "they are meant to be the same."
            )


def _find_alike(labels: pa.BinaryArray) -> Any:
    """Return the labels that would equal others without what is around them, a byte order mark included."""
    written = bytes(labels.buffers()[2] or b"")
    if BOM not in written and not any(sign in written for sign in map(str.encode, _AROUND)):
        return []  # as in most graphs
    texts: Any = labels.view(pa.string())
    bare: Any = pc.ascii_trim(pc.replace_substring(texts, BOM.decode(), ""), characters=_AROUND)
    changed = pc.not_equal(bare, texts)
    odd, bare = labels.filter(changed), bare.filter(changed)
    counts: Any = pc.value_counts(bare)
    repeated = counts.field("values").filter(pc.greater(counts.field("counts"), pa.scalar(1)))
    return odd.filter(pc.or_(pc.is_in(bare, value_set=texts), pc.is_in(bare, value_set=repeated)))


def describe_dataset(
    source: Benchmark, statistics: Statistics, contents: Mapping[str, Content], missing: Iterable[str] = ()
) -> pa.Table:
    """Return the row of a dataset; without contents, that of one that is in memory only."""
    row = {
        **_describe_source(source),
        **statistics.tabulate(missing),
        "sha256": [contents[role].sha256 if role in contents else None for role in ROLES],
        "verified": bool(contents) and all(content.verified for content in contents.values()),
    }
    return _make_row(row, schema_of("datasets"))


def _make_row(row: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """Return a table of one row; pyarrow's own way from Python's values would import pandas."""
    line = io.BytesIO(json.dumps(row).encode())
    return read_json(line, parse_options=ParseOptions(explicit_schema=schema)).select(schema.names).cast(schema)


def _describe_source(source: Benchmark) -> dict[str, Any]:
    return {
        "dataset": source.key,
        "title": source.title,
        "aliases": list(source.aliases),
        "source_urls": list(dict.fromkeys(file.remote.url for file in source.files.values())),
        "licence": source.licence,
        "citation": source.citation,
        "citation_url": source.citation_url,
    }


def _rebuild(build: Build, key: str, archive: Tables, reason: str) -> _Part:
    """Compute a dataset's constants again from archived histograms."""
    origin = f"archive {archive.version}"
    tables = {
        "datasets": _take_dataset(archive.read("datasets"), key),
        **tabulate(_read_histograms(build, key, archive), build.reporter.stage),
    }
    for name in ("baseline_candidates", "baseline_candidates_by_relation", "constants"):
        if archive.leaves_out(name):
            build.reporter.warn(
                f"{key}: macro averages and single relations under a baseline are missing; the archive of tables "
                f"{archive.version} has them."
            )
            continue
        tables[name] = pa.concat_tables([tables[name], _take_informed(build, archive.read(name, key))])
    return _Part(
        tables=tables,
        provenance={"origin": origin, "reason": reason, **_describe_choice(build)},
    )


def _take_informed(build: Build, table: pa.Table) -> pa.Table:
    """Return the rows of baselines, as they are."""
    protocols = [protocol.key for protocol in build.protocols]
    wanted = {"baseline": [*build.baselines], "protocol": protocols, "split": [*build.splits]}
    for name, keys in wanted.items():
        table = table.filter(pc.is_in(table[name], value_set=pa.array(keys, pa.string())))
    return table


def _read_histograms(build: Build, key: str, archive: Tables) -> dict[Tasks, Histogram]:
    """Return what :func:`gather_histograms` does, from archived tables."""
    found: dict[Tasks, Histogram] = {}
    for protocol, split in itertools.product(build.protocols, build.splits):
        if not archive.holds(Tasks(key, protocol.key if protocol.negatives is None else "raw", split)):
            continue
        for side in ENTITY_SIDES:
            tasks = Tasks(key, protocol.key, split, side)
            relations = archive.relations(tasks) if split != "train" else ()
            for one in (
                tasks,
                *(replace(tasks, aggregation=aggregation) for aggregation in list_macros(split)),
                *(replace(tasks, relations=(name,)) for name in relations),
            ):
                found[one] = archive.histogram(one)
        tasks = Tasks(key, protocol.key, split, RELATION_SIDE)
        if RELATION_SIDE in archive.sides(tasks):
            found[tasks] = archive.histogram(tasks)
    return found


def _write(build: Build, parts: Mapping[str, _Part]) -> None:
    # Rows of a part are in canonical order by construction; parts follow by key.
    tables = {name: pa.concat_tables([parts[key].tables[name] for key in sorted(parts)]) for name in COLUMNS}
    with explain_write_errors(f"tables to {build.out}", "Name another folder with --out."):
        write_tables(build.out, UNRELEASED, tables, {key: part.provenance for key, part in parts.items()})
    for name in (_KEPT, _DRAFT):
        shutil.rmtree(build.out / name, ignore_errors=True)
