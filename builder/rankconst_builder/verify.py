"""Verify a set of tables: its files, keys and sums, and on request every number by recomputing it.

The tests check further properties of the numbers on the tables that are shipped. They need not be
checked here: tables whose hashes are right have not changed since.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import zipfile
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rankconst.arrow import wrap_numbers
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.catalogue.benchmarks import CONTEXT, load_benchmarks
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.catalogue.protocols import (
    DEFAULT_AGGREGATION,
    ENTITY_SIDES,
    PROTOCOLS,
    RELATION_SIDE,
    SPLITS,
    parse_protocol,
)
from rankconst.download import MissingSourceError, is_url
from rankconst.errors import RankconstError, TablesError
from rankconst.moments import compute_moments
from rankconst.results.columns import compact_codes, pair_codes
from rankconst.tables.descriptor import COLUMNS, DESCRIPTOR, INCOMING, INDEX, read_file
from rankconst.tables.location import ZipPath
from rankconst.tables.parquet import decode, to_array
from rankconst.version import parse_version
from rankconst_builder.describe import DOCUMENTS, write_index
from rankconst_builder.fetch import Fetcher
from rankconst_builder.package import (
    CHECKSUMS,
    HEADER,
    KEYS,
    TASKS,
    UNRELEASED,
    hash_content,
    list_provenance,
    list_sources,
    rank_values,
    read_address,
    sort_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence

    import pyarrow as pa

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst.catalogue.metrics import Metric
    from rankconst.moments import Moments
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst_builder.fetch import Content

    Row = Mapping[str, Any]
    Findings: TypeAlias = Generator["Finding", None, int]

Level = Literal["failed", "warning", "note"]
"""``failed``: something is wrong. ``warning``: it may be. ``note``: it could not be checked."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a set of tables."""

    message: str
    table: str = ""  # or file; empty for the set as a whole
    key: Mapping[str, Any] = field(default_factory=dict)  # of the row; empty for a whole table
    column: str = ""  # or field of the descriptor
    expected: Any = None
    got: Any = None
    level: Level = "failed"


@dataclass(frozen=True)
class Opened:
    """A set of tables, and the datasets to check."""

    tables: Tables
    selected: frozenset[str] | None = None  # None for all
    # Reads the files of benchmarks, and reports the progress of a rebuild.
    fetcher: Fetcher = field(default_factory=lambda: Fetcher(Path()))

    @cached_property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """The rows of the datasets to check, by key."""
        rows = self.tables.read("datasets").to_pylist()
        if self.selected is None:
            return {row["dataset"]: row for row in rows}
        return {row["dataset"]: row for row in rows if row["dataset"] in self.selected}

    @property
    def names(self) -> tuple[str, ...]:
        """The tables that the set has. The set inside the package lacks some."""
        return tuple(name for name in COLUMNS if not self.tables.leaves_out(name))

    @cached_property
    def resources(self) -> dict[str, dict[str, Any]]:
        """The entries of the descriptor, by name of table."""
        return {str(row.get("name")): row for row in self.tables.descriptor["resources"]}

    def report(self, doing: str) -> Iterator[str]:
        """Yield the datasets, and report each before it is worked on."""
        for number, dataset in enumerate(self.datasets, start=1):
            self.fetcher.reporter.say(f"[{number}/{len(self.datasets)}] {dataset}: {doing}")
            yield dataset

    def rows(self, name: str, dataset: str) -> list[dict[str, Any]]:
        """Return the rows of a dataset in a table."""
        return self.tables.read(name, dataset).to_pylist()


@dataclass(frozen=True)
class Stage:
    """One check of a set of tables."""

    covers: str  # what it checks, in words
    # Yields findings, and returns the number of rows, or files, that it checked.
    examine: Callable[[Opened], Findings]
    rebuild: bool = False  # True if it recomputes everything, and runs only on request


@dataclass(frozen=True)
class StageResult:
    """The result of a stage."""

    stage: str  # the name of the stage
    rows: int
    findings: tuple[Finding, ...]

    @property
    def status(self) -> Literal["ok", "failed"]:
        """``ok`` also with warnings and notes."""
        return "failed" if any(finding.level == "failed" for finding in self.findings) else "ok"


def verify(
    tables: Tables,
    datasets: Collection[str] | None = None,
    fetcher: Fetcher | None = None,
    begin: Callable[[str], None] = lambda _: None,
) -> Iterator[StageResult]:
    """Run the stages in order, and call `begin` with the name of each before it runs.

    Without a `fetcher`, stages that rebuild are skipped.
    """
    selected = None if datasets is None else frozenset(datasets)
    opened = Opened(tables, selected)
    if fetcher is not None:
        opened = replace(opened, fetcher=fetcher)

    for name, stage in STAGES.items():
        if not stage.rebuild or fetcher is not None:
            begin(name)
            yield run_stage(name, opened)


def run_stage(name: str, opened: Opened) -> StageResult:
    """Run a stage. Errors on the way, as of tables that cannot be read, become findings."""
    findings, rows = list[Finding](), 0
    generator = STAGES[name].examine(opened)
    try:
        while True:
            findings.append(next(generator))
    except StopIteration as end:
        rows = end.value
    except TablesError as error:
        findings.append(Finding(str(error)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"the stage could not be finished: {type(error).__name__}: {error}"
        findings.append(Finding(message))

    return StageResult(name, rows, tuple(findings))


# -- files -----------------------------------------------------------------------------------------


def _check_files(opened: Opened) -> Findings:
    """Compare the files of the folder with the descriptor and the checksums."""
    tables, folder = opened.tables, opened.tables.folder
    described = {str(entry.get("path")): entry for entry in tables.descriptor["resources"]}
    table_files = [f"{name}.parquet" for name in COLUMNS]
    expected_files = {*described, *DOCUMENTS, CHECKSUMS, DESCRIPTOR, INDEX, *table_files}
    present_files = _list_names(folder)
    digests = {}  # of files by name
    for name in present_files:
        if name not in expected_files:
            yield Finding("this file does not belong to the set", name)
            continue
        try:
            content = read_file(folder / name)
        except (TablesError, OSError) as error:
            yield Finding(f"cannot be read: {error}", name)
            continue

        digests[name] = hashlib.sha256(content).hexdigest()
        if name.endswith(".parquet"):
            entry = described.get(name, {})
            changed = "the file has changed since it was written"
            yield from _compare(changed, name, "bytes", entry.get("bytes"), len(content))
            digest = f"sha256:{digests[name]}"
            yield from _compare(changed, name, "hash", entry.get("hash"), digest)

    for path, entry in described.items():
        if tables.leaves_out(str(entry.get("name"))):
            message = "the file is in the archive only, not in the package"
            yield Finding(message, path, level="note")
            digests[path] = str(entry.get("hash")).removeprefix("sha256:")
        elif path not in present_files:
            yield Finding("the file is missing", path)

    yield from _check_checksums(folder, digests)
    return len(present_files)


def _list_names(folder: Path | ZipPath) -> list[str]:
    """List the files in a set's folder or zip, those of an unfinished exchange among them."""
    if isinstance(folder, ZipPath):
        with zipfile.ZipFile(folder.archive) as archive:
            inside = [name.removeprefix(folder.at) for name in archive.namelist()]
        names = {name.partition("/")[0] for name in inside}
    else:
        newer = folder / INCOMING
        names = {path.name for path in folder.iterdir() if path != newer}
        if newer.is_dir():
            names.update(path.name for path in newer.iterdir())

    return sorted(names - {""})


def _check_checksums(folder: Path | ZipPath, digests: Mapping[str, str]) -> Iterator[Finding]:
    """Compare the digests of files with checksums.txt, or note what is unprotected without it."""
    if CHECKSUMS not in digests:
        unprotected = sorted(name for name in digests if not name.endswith(".parquet"))
        message = f"no {CHECKSUMS}: changes of {', '.join(unprotected)} would go unnoticed"
        yield Finding(message, level="note")
        return

    got = {name: digest for name, digest in digests.items() if name != CHECKSUMS}
    stated: dict[str, str] = {}
    written = read_file(folder / CHECKSUMS).decode("utf-8", "replace")
    for line in written.splitlines():
        digest, _, name = line.partition("  ")
        stated[name] = digest

    if written != "".join(f"{digest}  {name}\n" for name, digest in stated.items()):
        message = "every line must be a hash, two blanks and a file name, and no name may repeat"
        yield Finding(message, CHECKSUMS)

    for name in sorted({*got, *stated}):
        message = f"the hash in {CHECKSUMS} is not that of this file"
        yield from _compare(message, name, "sha256", stated.get(name), got.get(name))


def _compare(
    message: str,
    table: str,
    column: str,
    expected: Any,
    got: Any,
    *,
    key: Mapping[str, Any] | None = None,
) -> Iterator[Finding]:
    """Yield a finding if a value differs from the expected one."""
    if expected != got:
        yield Finding(message, table, key or {}, column, expected, got)


def _get_key(table: str, row: Row) -> dict[str, Any]:
    """Return the key of a row, without the columns that are empty."""
    return {name: row[name] for name in KEYS[table] if row[name] is not None}


# -- the descriptor, and keys ----------------------------------------------------------------------


def _check_descriptor(opened: Opened) -> Findings:
    """Compare the descriptor with the tables, and with the columns of this program."""
    tables, descriptor = opened.tables, opened.tables.descriptor
    compare = partial(_compare, "the descriptor is wrong here", DESCRIPTOR)
    for name, value in HEADER.items():
        yield from compare(name, value, descriptor.get(name))

    if parse_version(tables.version) is None and tables.version != UNRELEASED:
        yield from compare("version", "X.Y.Z", tables.version)

    folder = Path(str(tables.folder)).name
    version_in_name = folder.removeprefix(f"{HEADER['name']}-").removesuffix(".zip")
    if parse_version(version_in_name):
        yield from compare("version", version_in_name, tables.version)

    listed = [entry.get("name") for entry in descriptor["resources"]]
    yield from compare("resources", [*COLUMNS], listed[: len(COLUMNS)])
    for name in opened.names:
        columns = [column.name for column in COLUMNS[name]]
        schema = opened.resources.get(name, {}).get("schema", {})
        described = [field.get("name") for field in schema.get("fields", [])]
        yield from compare(f"{name}.schema", columns, described)

    rows = tables.read("datasets").to_pylist()
    datasets = [row["dataset"] for row in rows]
    yield from compare("sources", list_sources(rows), descriptor.get("sources"))
    yield from compare("provenance", datasets, [*list_provenance(tables)])
    return len(listed)


# Columns with few different words, which are read as codes for speed.
_CODED = ("dataset", "baseline", "protocol", "split", "side", "aggregation", "relation", "metric")


def _check_keys(opened: Opened) -> Findings:
    """Check the number of rows, and that keys ascend and do not repeat."""
    rows = 0
    for name in opened.names:
        counted = 0
        for dataset in opened.datasets:
            coded = tuple(column for column in KEYS[name] if column in _CODED)
            table = opened.tables._read(name, KEYS[name], dataset, coded=coded)
            counted += len(table)
            if not len(table) and name in {"candidates", "constants"}:
                yield Finding("the table has no rows of this dataset", name, {"dataset": dataset})
            yield from _compare_neighbours(name, table)

        described = opened.resources.get(name, {}).get("rows")
        if opened.selected is None:
            message = "the number of rows, over all datasets, is not the one stated"
            yield from _compare(message, name, "rows", described, counted)

        rows += counted

    return rows


def _compare_neighbours(name: str, table: pa.Table) -> Iterator[Finding]:
    """Yield a finding for each row whose key is not greater than that of the row before."""
    if not len(table):
        return

    # For each row but the first: whether it equals the row before in all columns so far, and
    # whether it is smaller in the first column in which they differ.
    is_equal = np.ones(len(table) - 1, dtype=np.bool_)
    is_smaller = np.zeros(len(table) - 1, dtype=np.bool_)
    for column in KEYS[name]:
        values = rank_values(column, table[column])
        is_smaller |= is_equal & (values[1:] < values[:-1])
        is_equal &= values[1:] == values[:-1]

    faults = {
        "an earlier row has the same key": is_equal,
        "this row should come earlier": is_smaller,
    }
    for message, is_wrong in faults.items():
        for index in np.flatnonzero(is_wrong).tolist():
            row = table.slice(index + 1, 1).to_pylist()[0]
            yield Finding(message, name, _get_key(name, row))


# -- sums and filters ------------------------------------------------------------------------------

# The relative difference that another order of adding the same numbers can make.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


def _check_pooling(opened: Opened) -> Findings:
    """Compare the constants of both sides with those of head and tail."""
    compared = 0
    for dataset in opened.datasets:
        sides: dict[tuple[Any, ...], dict[str, Row]] = {}
        for row in opened.rows("constants", dataset):
            key = tuple(row[name] for name in KEYS["constants"] if name != "side")
            sides.setdefault(key, {})[row["side"]] = row
        for rows in sides.values():
            if {"both", *ENTITY_SIDES} <= rows.keys():
                compared += 1
                yield from _compare_sides(rows["both"], [rows[side] for side in ENTITY_SIDES])

    return compared


def _compare_sides(both: Row, parts: Sequence[Row]) -> Iterator[Finding]:
    """Compare the tasks and moments of both sides with those of head and tail."""
    key = _get_key("constants", both)
    tasks = sum(part["num_tasks"] for part in parts)
    message = "the number of tasks of both sides is not the sum of head and tail"
    yield from _compare(message, "constants", "num_tasks", tasks, both["num_tasks"], key=key)
    metric = CATALOGUE.get(both["metric"])
    if metric is None or not metric.is_mean or both["aggregation"] != DEFAULT_AGGREGATION:
        return

    # Each side counts by its share of the tasks. Sides are independent, so that variances count by
    # the square of that share.
    for column, power in (("expectation", 1), ("variance", 2)):
        expected, error = 0.0, both[f"{column}_error"]
        for part in parts:
            share = (part["num_tasks"] / tasks) ** power
            expected += share * part[column]
            error += share * part[f"{column}_error"]

        # Sums over thousands of tasks have rounding errors of their own.
        slack = error + 4 * _ROUNDING * abs(expected)
        if abs(both[column] - expected) > slack:
            message = f"the {column} of both sides does not follow from those of head and tail"
            yield Finding(message, "constants", key, column, expected, both[column])


_WIDER = (
    ("standard", "libkge"),
    ("libkge", "raw"),
    ("static", "time-aware"),
    ("time-aware", "raw"),
    ("stare", "qualified"),
    ("qualified", "raw"),
)
"""Pairs of protocols: the first filters at least what the second filters."""


def _check_filters(opened: Opened) -> Findings:
    """Compare the candidates of protocols whose filters are ordered, or the same."""
    num_rows = 0
    columns = KEYS["candidates"]
    for dataset, statistics in opened.datasets.items():
        table = opened.tables.read("candidates", dataset)
        num_rows += len(table)
        # By dataset, protocol, split and side: the number of tasks by their number of candidates.
        tasks_by_address: dict[tuple[str, ...], Counter[int]] = {}
        for key, num_tasks in _sum_tasks(table, columns).items():
            size = key[-1]
            tasks_by_address.setdefault(key[:-1], Counter())[size] += num_tasks

        for split, side in itertools.product(SPLITS, (*ENTITY_SIDES, RELATION_SIDE)):
            addresses = {protocol: (dataset, protocol, split, side) for protocol in PROTOCOLS}
            tasks = {}  # by protocol
            for protocol, address in addresses.items():
                if address in tasks_by_address:
                    tasks[protocol] = tasks_by_address[address]

            for wider, narrower in _WIDER:
                if wider in tasks and narrower in tasks:
                    yield from _compare_wider(
                        addresses[wider], narrower, tasks[wider], tasks[narrower]
                    )

            for first, second in _list_equal(statistics, split):
                if first in tasks and second in tasks:
                    message = f"the tasks are not the same as under protocol {second}"
                    address = addresses[first]
                    expected = {(*address, size): number for size, number in tasks[second].items()}
                    got = {(*address, size): number for size, number in tasks[first].items()}
                    yield from _compare_counts("candidates", columns, expected, got, message)

    return num_rows


def _list_equal(statistics: Row, split: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of protocols that must have the same tasks on a split of a dataset."""
    if split == "test":  # where libkge filters all three splits
        yield ("standard", "libkge")

    dropped = "duplicates_train" if split == "train" else f"dropped_{split}"
    seen_entities = statistics["entities_train"]  # None if unknown
    all_are_seen = seen_entities is not None and seen_entities == statistics["entities"]
    # Protocol pykeen also ranks unseen entities and dropped rows. Without such, it equals libkge.
    if all_are_seen and statistics[dropped] == 0:
        yield ("pykeen", "libkge")


def _compare_wider(
    address: tuple[str, ...],
    narrower: str,
    tasks_by_size: Counter[int],
    narrower_tasks_by_size: Counter[int],
) -> Iterator[Finding]:
    """Check that a wider filter leaves no fewer tasks with few candidates than a narrower one."""
    got = expected = 0
    for size in sorted({*tasks_by_size, *narrower_tasks_by_size}):
        got += tasks_by_size[size]
        expected += narrower_tasks_by_size[size]
        if got < expected:
            message = (
                "fewer tasks have at most this number of candidates than under protocol "
                f"{narrower}, which filters less"
            )
            key = {**dict(zip(TASKS, address, strict=True)), "num_candidates": size}
            yield Finding(message, "candidates", key, "num_tasks", f"{expected} or more", got)


def _check_relations(opened: Opened) -> Findings:
    """Compare the tasks of single relations with those of the whole split, and head with tail."""
    name = "candidates_by_relation"
    num_rows = 0
    for dataset, statistics in opened.datasets.items():
        table = opened.tables.read(name, dataset)
        if not len(table):
            continue

        num_rows += len(table)
        # Added up over relations, the tasks are those of the splits that have relations.
        columns = KEYS["candidates"]
        pooled = _sum_tasks(table, columns)
        addresses = {key[: len(TASKS)] for key in pooled}
        of_splits = _sum_tasks(opened.tables.read("candidates", dataset), columns)
        expected = {key: n for key, n in of_splits.items() if key[: len(TASKS)] in addresses}
        message = "the tasks of all relations together are not those of the candidates table"
        yield from _compare_counts(name, columns, expected, pooled, message)

        # Each triple is a head task and a tail task of its relation.
        keys = ("dataset", "protocol", "split", "relation")
        by_side = _sum_tasks(table, ("side", *keys))
        heads = {key[1:]: number for key, number in by_side.items() if key[0] == "head"}
        tails = {key[1:]: number for key, number in by_side.items() if key[0] == "tail"}
        message = "the relation has different numbers of head tasks (expected) and tail tasks (got)"
        yield from _compare_counts(name, keys, heads, tails, message)

        num_relations = len(table["relation"].unique())
        most = statistics["relations"]
        if most is not None and num_relations > most:
            message = "the table has more relations than the dataset"
            yield Finding(message, name, {"dataset": dataset}, "relation", most, num_relations)

    return num_rows


def _sum_tasks(table: pa.Table, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
    """Add up the tasks of rows with equal keys: {("head", 14): 3} for side and candidates."""
    if not len(table):
        return {}

    # pyarrow's own groups would import pandas.
    groups = np.zeros(len(table), dtype=np.intp)
    for column in columns:
        codes, words = decode(table[column].dictionary_encode())
        groups = pair_codes(groups, codes, len(words))

    firsts, groups = compact_codes(groups)
    sums = np.bincount(groups, to_array(table["num_tasks"]))  # of whole numbers below 2^53
    order = np.argsort(firsts)
    first_rows = table.select([*columns]).take(wrap_numbers(firsts[order]))
    keys = zip(*first_rows.to_pydict().values(), strict=True)
    return dict(zip(keys, sums[order].astype(np.int64).tolist(), strict=True))


def _compare_counts(
    name: str,
    columns: Sequence[str],
    expected: Mapping[Any, int],
    got: Mapping[Any, int],
    message: str,
) -> Iterator[Finding]:
    """Compare numbers of tasks by key. A missing key counts as 0."""
    for key in dict.fromkeys((*expected, *got)):
        expected_tasks = expected.get(key, 0)
        tasks = got.get(key, 0)
        if tasks != expected_tasks:
            cells = zip(columns, key, strict=True)
            filled = {column: value for column, value in cells if value is not None}
            yield Finding(message, name, filled, "num_tasks", expected_tasks, tasks)


# -- rebuilding ------------------------------------------------------------------------------------


def _check_contents(opened: Opened) -> Findings:
    """Compare the values of tables with their hashes, and the index with the tables."""
    hashed = any("contentHash" in row for row in opened.resources.values())
    if opened.tables.version == UNRELEASED and not hashed:
        yield Finding("not compared: tables get their content hashes when released", level="note")
        return 0
    if opened.selected is not None:
        yield Finding("not compared: the hashes are those of whole tables", level="note")
        return 0

    rows = 0
    for name in opened.names:
        table = opened.tables.read(name)
        rows += len(table)
        expected = opened.resources.get(name, {}).get("contentHash")
        message = "the values have changed since they were hashed"
        yield from _compare(message, name, "contentHash", expected, hash_content(table))

    if INDEX in opened.tables.descriptor:
        names = ("datasets", "candidates", "constants")
        tables = {name: opened.tables.read(name) for name in names}
        written = read_file(opened.tables.folder / INDEX).decode("utf-8", "replace")
        if written != write_index(opened.tables.version, tables):
            yield Finding("the index does not agree with the tables", INDEX)

    return rows


def _rebuild_constants(opened: Opened) -> Findings:
    """Compare constants with those computed from the histograms."""
    rows = 0
    for dataset in opened.report("constants from the histograms"):
        compute = cache(partial(_compute, opened.tables))
        for row in opened.rows("constants", dataset):
            rows += 1
            yield from _compare_constants(row, compute(*read_address(row)))
    return rows


def _compute(tables: Tables, tasks: Tasks, metric: Metric) -> Moments | str:
    """Compute the constants of tasks, or return the message of the error if there are none."""
    try:
        return compute_moments(metric, tables.histogram(tasks))
    except RankconstError as error:
        return str(error)


def _compare_constants(row: Row, moments: Moments | str) -> Iterator[Finding]:
    """Compare the moments of a row with computed ones, within the errors of both.

    `moments` is the reason if they cannot be computed.
    """
    from rankconst_builder.release import STANDARD_ERRORS

    key = _get_key("constants", row)
    if isinstance(moments, str):
        yield Finding(f"cannot be computed: {moments}", "constants", key, "expectation")
        return

    message = "the method is not the one used today"
    yield from _compare(message, "constants", "method", moments.method, row["method"], key=key)
    is_sampled = row["method"] == "sampled"
    # A released sample stays, even if a later version takes another number of draws.
    has_same_draws = is_sampled and row["num_draws"] == moments.num_draws
    for column in ("expectation", "variance"):
        expected, got = getattr(moments, column), row[column]
        difference = abs(got - expected)
        errors = getattr(moments, f"{column}_error"), row[f"{column}_error"]
        allowed = STANDARD_ERRORS * float(np.hypot(*errors)) if is_sampled else sum(errors)
        rounding = _ROUNDING * abs(expected)
        if difference > allowed + rounding:
            message = f"the {column} differs from that of the histogram by more than both errors"
            yield Finding(message, "constants", key, column, expected, got)
        elif has_same_draws and difference > rounding:
            message = (
                f"the {column} of this sample is not reproduced exactly, "
                f"but within {STANDARD_ERRORS} standard errors"
            )
            yield Finding(message, "constants", key, column, expected, got, level="warning")


def _rebuild_histograms(opened: Opened) -> Findings:
    """Compare statistics and histograms with those counted from the files of the datasets."""
    rows = 0
    for dataset in opened.report("candidates from the files"):
        try:
            counted = _count_again(opened, dataset)
        except RankconstError as error:
            note = f"not compared with sources: {error}"
            yield Finding(note, key={"dataset": dataset}, level="note")
            continue

        for column, value in counted.statistics.items():
            message = "the files of the dataset, or the registry, give another value"
            got = opened.datasets[dataset][column]
            key = {"dataset": dataset}
            yield from _compare(message, "datasets", column, value, got, key=key)

        for name, table in counted.tables.items():
            rows += len(table)
            stored = opened.tables.read(name, dataset)
            # Different tables may still be right: relations whose labels look alike share a key.
            if not sort_rows(name, table).equals(stored):
                expected, found = _sum_tasks(table, KEYS[name]), _sum_tasks(stored, KEYS[name])
                message = "the files of the dataset give another number of tasks"
                yield from _compare_counts(name, KEYS[name], expected, found, message)

    return rows


class _Recount(NamedTuple):
    """What the files of a dataset give."""

    statistics: dict[str, Any]  # the row in the table of datasets
    tables: dict[str, pa.Table]  # the histograms


def _count_again(opened: Opened, dataset: str) -> _Recount:
    """Count a dataset's files as the build did."""
    from rankconst_builder.facts import describe_graph, list_hashes
    from rankconst_builder.pipeline import encode_benchmark
    from rankconst_builder.tabulate import tabulate_histograms
    from rankconst_builder.tallies import count_histograms

    benchmark = load_benchmarks().get(dataset)
    stored = opened.datasets[dataset]
    if benchmark is not None and benchmark.sampled is not None:
        sampled = benchmark.sampled
        return _Recount({"triples_valid": sampled.valid, "triples_test": sampled.test}, {})

    provenance = list_provenance(opened.tables).get(dataset, {})
    if provenance.get("restriction"):
        raise MissingSourceError("its evaluation is restricted")

    has_files = benchmark is not None and benchmark.files and not benchmark.not_offered
    if benchmark is None or not has_files or stored["entities"] is None:
        raise MissingSourceError("the registry has no files of it")

    lacking = {split for split in SPLITS if stored[f"triples_{split}"] is None}
    contents = _read_contents(opened.fetcher, benchmark, lacking)
    data = {role: content.data for role, content in contents.items()}
    graph = encode_benchmark(benchmark, data)

    # The protocols, sides and splits that the set has.
    rows = opened.rows("candidates", dataset)
    stored_protocols = {row["protocol"] for row in rows}
    protocols = [parse_protocol(key) for key in PROTOCOLS if key in stored_protocols]
    sides = {*ENTITY_SIDES, *(row["side"] for row in rows)}
    splits = str(provenance.get("splits") or ",".join(SPLITS)).split(",")
    baselines = _list_baselines(opened, dataset)

    histograms, counting = count_histograms(dataset, graph, protocols, baselines, splits)
    covered = {tasks: histograms[tasks] for tasks in histograms if tasks.side in sides}
    tables = tabulate_histograms(covered)
    statistics = describe_graph(graph).tabulate(graph.missing)
    return _Recount(
        statistics={**statistics, "counting": counting, "sha256": list_hashes(contents)},
        tables={name: tables[name] for name in opened.names if len(tables.get(name, ()))},
    )


def _list_baselines(opened: Opened, dataset: str) -> list[str]:
    """Return the baselines of which a set has ranks for a dataset."""
    keys = set()
    for name in opened.names:
        if "baseline" in KEYS[name]:
            column = opened.tables.read(name, dataset)["baseline"]
            keys.update(column.unique().to_pylist())
    return [key for key in BASELINES if key in keys and key != DEFAULT_BASELINE]


def _read_contents(
    fetcher: Fetcher, source: Benchmark, lacking: Collection[str]
) -> dict[str, Content]:
    """Read the files of a benchmark but the `lacking` splits, from the mirror or the cache."""
    from rankconst_builder.pipeline import READ

    def read(fetcher: Fetcher) -> dict[str, Content]:
        contents = {}
        for role in READ:
            if role not in source.files or role in lacking:
                continue
            try:
                contents[role] = fetcher.read(source.files[role])
            except MissingSourceError:
                if role != CONTEXT:
                    raise

        return contents

    if fetcher.mirror is not None:
        with contextlib.suppress(RankconstError):
            return read(replace(fetcher, offline=not is_url(fetcher.mirror)))

    return read(replace(fetcher, mirror=None, offline=True))


STAGES: dict[str, Stage] = {
    "files": Stage("files have the stated sizes and hashes, and none is extra", _check_files),
    "descriptor": Stage("datapackage.json describes these tables", _check_descriptor),
    "keys": Stage("every row is there once, in the right order", _check_keys),
    "pooling": Stage("constants of both sides follow from head and tail", _check_pooling),
    "filters": Stage("a wider filter never leaves more candidates", _check_filters),
    "relations": Stage("the tasks of relations add up to those of splits", _check_relations),
    "content": Stage("tables have their content hashes", _check_contents, rebuild=True),
    "constants": Stage("histograms give the constants", _rebuild_constants, rebuild=True),
    "sources": Stage("the triples give the histograms", _rebuild_histograms, rebuild=True),
}
"""The stages by name, in the order in which they run."""
