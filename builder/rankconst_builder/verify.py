"""Check a set of tables: its files and rows, three laws, and, when asked, everything again.

The other laws that its numbers obey are tested on the set that is shipped: a set whose files are
those that were written holds what it held then.
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
from rankconst.catalogue.benchmarks import CONTEXT, ROLES, load_benchmarks
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
from rankconst.results.columns import combine, number_firsts
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
"""``failed``: it is wrong. ``warning``: it may be. ``note``: something could not be looked at."""


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
    """A set of tables, and the datasets that are to be checked."""

    tables: Tables
    selected: frozenset[str] | None = None  # None for all
    # Reads the files of benchmarks, and reports how far rebuilding is.
    fetcher: Fetcher = field(default_factory=lambda: Fetcher(Path()))

    @cached_property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """Key to row of the datasets that are checked."""
        rows = self.tables.read("datasets").to_pylist()
        if self.selected is None:
            return {row["dataset"]: row for row in rows}
        return {row["dataset"]: row for row in rows if row["dataset"] in self.selected}

    @property
    def names(self) -> tuple[str, ...]:
        """The tables that the set has; those that came with the package lack some."""
        return tuple(name for name in COLUMNS if not self.tables.leaves_out(name))

    @cached_property
    def resources(self) -> dict[str, dict[str, Any]]:
        """The entries of the descriptor by the names of tables."""
        return {str(row.get("name")): row for row in self.tables.descriptor["resources"]}

    def report(self, doing: str) -> Iterator[str]:
        """Yield the datasets, and say which one is worked on."""
        for place, dataset in enumerate(self.datasets, start=1):
            self.fetcher.reporter.say(f"[{place}/{len(self.datasets)}] {dataset}: {doing}")
            yield dataset

    def rows(self, name: str, dataset: str) -> list[dict[str, Any]]:
        """Return the rows of a dataset in a table."""
        return self.tables.read(name, dataset).to_pylist()


@dataclass(frozen=True)
class Stage:
    """A law that every set of tables obeys."""

    covers: str  # the law, in words
    # Yields findings, and returns the number of rows, or files, that it looked at.
    examine: Callable[[Opened], Findings]
    rebuild: bool = False  # True if it computes everything again, and is run only when asked for


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
    """Run the stages one after the other; those that rebuild only with a `fetcher`.

    `begin` is called with the name of each stage before it runs.
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
    """Run a stage; report tables that cannot be read and rows that make it fail as findings."""
    findings, rows = list[Finding](), 0
    # A generator that yields findings, and at its end returns the number of rows it looked at.
    examining = STAGES[name].examine(opened)
    try:
        while True:
            findings.append(next(examining))
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
    described = {str(row.get("path")): row for row in tables.descriptor["resources"]}
    files = [f"{name}.parquet" for name in COLUMNS]
    expected = {*described, *DOCUMENTS, CHECKSUMS, DESCRIPTOR, INDEX, *files}
    entries = _list_names(folder)
    digests = {}
    for name in entries:
        if name not in expected:
            yield Finding("this is in the folder but not part of the set", name)
            continue
        try:
            content = read_file(folder / name)
        except (TablesError, OSError) as error:
            yield Finding(f"cannot be read: {error}", name)
            continue
        digests[name] = hashlib.sha256(content).hexdigest()
        got = {"bytes": len(content), "hash": f"sha256:{digests[name]}"}
        if name.endswith(".parquet"):
            row = described.get(name, {})
            for column, value in got.items():
                yield from _compare(
                    "the file is not the one that was written",
                    table=name,
                    column=column,
                    expected=row.get(column),
                    got=value,
                )
    for path, row in described.items():
        if tables.leaves_out(str(row.get("name"))):
            yield Finding("the package leaves it out; the archive has it", path, level="note")
            digests[path] = str(row.get("hash")).removeprefix("sha256:")
        elif path not in entries:
            yield Finding("the file is missing", path)
    yield from _check_checksums(folder, digests)
    return len(entries)


def _list_names(folder: Path | ZipPath) -> list[str]:
    """List the names in a set's folder or zip; an exchange that was cut off counts as completed."""
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
    """Compare the hashes of files, `digests`, with checksums.txt; note what nothing protects."""
    if CHECKSUMS not in digests:
        free = [name for name in digests if not name.endswith(".parquet") and name != DESCRIPTOR]
        more = f", nor are {', '.join(sorted(free))}" if free else ""
        yield Finding(f"no {CHECKSUMS}: the descriptor itself is not protected{more}", level="note")
        return
    got = {name: digest for name, digest in digests.items() if name != CHECKSUMS}
    stated: dict[str, str] = {}
    written = read_file(folder / CHECKSUMS).decode("utf-8", "replace")
    for line in written.splitlines():
        digest, _, name = line.partition("  ")
        stated[name] = digest
    if written != "".join(f"{digest}  {name}\n" for name, digest in stated.items()):
        yield Finding("a line is not a hash, two blanks and the name of a further file", CHECKSUMS)
    for name in sorted({*got, *stated}):
        yield from _compare(
            f"{CHECKSUMS} does not state the hash of this file",
            table=name,
            column="sha256",
            expected=stated.get(name),
            got=got.get(name),
        )


def _compare(
    message: str,
    table: str,
    column: str,
    expected: Any,
    got: Any,
    *,
    key: Mapping[str, Any] | None = None,
) -> Iterator[Finding]:
    """Yield a finding if a value is not the expected one; `key` is that of its row."""
    if expected != got:
        yield Finding(
            message=message, table=table, key=key or {}, column=column, expected=expected, got=got
        )


def _name_row(table: str, row: Row) -> dict[str, Any]:
    """Return the key of a row, without the columns that do not apply to it."""
    return {name: row[name] for name in KEYS[table] if row[name] is not None}


# -- the descriptor, and keys ----------------------------------------------------------------------


def _check_descriptor(opened: Opened) -> Findings:
    """Compare the descriptor with the tables, and with the columns of this program."""
    tables, descriptor = opened.tables, opened.tables.descriptor
    compare = partial(_compare, "the descriptor states something else", DESCRIPTOR)
    for name, value in HEADER.items():
        yield from compare(name, value, descriptor.get(name))
    if parse_version(tables.version) is None and tables.version != UNRELEASED:
        yield from compare("version", "X.Y.Z", tables.version)
    folder = Path(str(tables.folder)).name
    version = folder.removeprefix(f"{HEADER['name']}-").removesuffix(".zip")
    if parse_version(version):
        yield from compare("version", version, tables.version)
    listed = [row.get("name") for row in descriptor["resources"]]
    yield from compare("resources", [*COLUMNS], listed[: len(COLUMNS)])
    for name in opened.names:
        row = opened.resources.get(name, {})
        described = [entry.get("name") for entry in row.get("schema", {}).get("fields", [])]
        yield from compare(f"{name}.schema", [column.name for column in COLUMNS[name]], described)
    rows = tables.read("datasets").to_pylist()
    yield from compare("sources", list_sources(rows), descriptor.get("sources"))
    yield from compare("provenance", [row["dataset"] for row in rows], [*list_provenance(tables)])
    return len(listed)


# The columns of words from a list, which are read as numbers.
_WORDS = ("dataset", "baseline", "protocol", "split", "side", "aggregation", "relation", "metric")


def _check_keys(opened: Opened) -> Findings:
    """Check that rows are as many as stated, and that their keys ascend without a repeat."""
    rows = 0
    for name in opened.names:
        counted = 0
        for dataset in opened.datasets:
            coded = tuple(column for column in KEYS[name] if column in _WORDS)
            table = opened.tables._read(name, KEYS[name], dataset, coded=coded)
            counted += len(table)
            if not len(table) and name in {"candidates", "constants"}:
                yield Finding("the table has no rows of this dataset", name, {"dataset": dataset})
            yield from _compare_neighbours(name, table)
        described = opened.resources.get(name, {}).get("rows")
        if opened.selected is None:
            message = "the rows of the datasets that are described are not as many as stated"
            yield from _compare(message, name, "rows", expected=described, got=counted)
        rows += counted
    return rows


def _compare_neighbours(name: str, table: pa.Table) -> Iterator[Finding]:
    """Find rows whose key is not above that of the row before."""
    if not len(table):
        return
    # Of each row but the first: whether it is equal to the row before in the columns so far, and
    # whether the first column in which they differ is smaller.
    is_equal = np.ones(len(table) - 1, dtype=np.bool_)
    is_smaller = np.zeros(len(table) - 1, dtype=np.bool_)
    for column in KEYS[name]:
        values = rank_values(column, table[column])
        is_smaller |= is_equal & (values[1:] < values[:-1])
        is_equal &= values[1:] == values[:-1]
    faults = {
        "a row with this key came before": is_equal,
        "this row should come earlier": is_smaller,
    }
    for message, is_wrong in faults.items():
        for index in np.flatnonzero(is_wrong).tolist():
            row = table.slice(index + 1, 1).to_pylist()[0]
            yield Finding(message, name, _name_row(name, row))


# -- laws that cannot be rebuilt -------------------------------------------------------------------

# Relative difference that arithmetic in another order may make.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


def _check_pooling(opened: Opened) -> Findings:
    """Compare constants of both sides with those of head and tail."""
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
    """Compare the tasks and the moments of both sides with those of the single sides."""
    key = _name_row("constants", both)
    tasks = sum(part["num_tasks"] for part in parts)
    yield from _compare(
        "the tasks of both sides are not those of head and tail together",
        table="constants",
        column="num_tasks",
        expected=tasks,
        got=both["num_tasks"],
        key=key,
    )
    metric = CATALOGUE.get(both["metric"])
    if metric is None or not metric.is_mean or both["aggregation"] != DEFAULT_AGGREGATION:
        return
    # The mean over both sides weights each side by its share of the tasks. Sides are independent,
    # so that their variances are weighted by the square of that share.
    for column, power in (("expectation", 1), ("variance", 2)):
        expected, error = 0.0, both[f"{column}_error"]
        for part in parts:
            share = (part["num_tasks"] / tasks) ** power
            expected += share * part[column]
            error += share * part[f"{column}_error"]
        # Sums over thousands of tasks are rounded, too.
        slack = error + 4 * _ROUNDING * abs(expected)
        if abs(both[column] - expected) > slack:
            message = f"the {column} of both sides does not follow from those of head and tail"
            yield Finding(
                message=message,
                table="constants",
                key=key,
                column=column,
                expected=expected,
                got=both[column],
            )


_WIDER = (
    ("standard", "libkge"),
    ("libkge", "raw"),
    ("static", "time-aware"),
    ("time-aware", "raw"),
    ("stare", "qualified"),
    ("qualified", "raw"),
)
"""Pairs of protocols of which the first filters all that the second does."""


def _check_filters(opened: Opened) -> Findings:
    """Compare the candidates of protocols of which one filters more, or the same."""
    rows = 0
    columns = KEYS["candidates"]
    for dataset, statistics in opened.datasets.items():
        table = opened.tables.read("candidates", dataset)
        rows += len(table)
        counts: dict[tuple[str, ...], Counter[int]] = {}
        for (*address, size), count in _sum_tasks(table, columns).items():
            counts.setdefault(tuple(address), Counter())[size] += count
        for split, side in itertools.product(SPLITS, (*ENTITY_SIDES, RELATION_SIDE)):
            addresses = {protocol: (dataset, protocol, split, side) for protocol in PROTOCOLS}
            tasks = {key: counts[at] for key, at in addresses.items() if at in counts}
            for first, second in _WIDER:
                if {first, second} <= tasks.keys():
                    yield from _compare_wider(addresses[first], second, tasks[first], tasks[second])
            for first, second in _list_equal(statistics, split):
                if {first, second} <= tasks.keys():
                    message = (
                        f"the tasks differ from those of protocol {second}, which are the same"
                    )
                    expected = {(*addresses[first], size): n for size, n in tasks[second].items()}
                    got = {(*addresses[first], size): n for size, n in tasks[first].items()}
                    yield from _compare_counts("candidates", columns, expected, got, message)
    return rows


def _list_equal(statistics: Row, split: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of protocols that have the same tasks on a split of a dataset.

    `statistics` is its row in the table of datasets; None in it stands for an unknown number.
    """
    if split == "test":  # where libkge filters all three splits
        yield ("standard", "libkge")
    dropped = "duplicates_train" if split == "train" else f"dropped_{split}"
    seen = statistics["entities_train"]
    # Protocol pykeen ranks every entity, and every row.
    if seen is not None and seen == statistics["entities"] and statistics[dropped] == 0:
        yield ("pykeen", "libkge")


def _compare_wider(
    key: tuple[str, ...], protocol: str, tasks: Counter[int], filters_less: Counter[int]
) -> Iterator[Finding]:
    """Compare the numbers of tasks that have at most each number of candidates.

    A filter that removes more candidates leaves more tasks with few. `tasks` maps numbers of
    candidates to tasks under the wider filter, of which `key` has the names; `filters_less` is that
    under `protocol`.
    """
    message = (
        f"fewer tasks have this number of candidates or less than under protocol {protocol}, "
        "which filters less"
    )
    got = expected = 0
    for size in sorted({*tasks, *filters_less}):
        got, expected = got + tasks[size], expected + filters_less[size]
        if got < expected:
            where = {**dict(zip(TASKS, key, strict=True)), "num_candidates": size}
            yield Finding(
                message=message,
                table="candidates",
                key=where,
                column="num_tasks",
                expected=f"{expected} or more",
                got=got,
            )


def _check_relations(opened: Opened) -> Findings:
    """Compare the tasks of single relations with those of the whole split.

    Each triple is a head task and a tail task, so a relation has as many of one as of the other.
    The table cannot have more relations than the dataset.
    """
    name, rows = "candidates_by_relation", 0
    for dataset, statistics in opened.datasets.items():
        table = opened.tables.read(name, dataset)
        if not len(table):
            continue
        rows += len(table)
        columns = KEYS["candidates"]
        pooled = _sum_tasks(table, columns)
        addresses = {key[: len(TASKS)] for key in pooled}
        whole_split = _sum_tasks(opened.tables.read("candidates", dataset), columns)
        expected = {key: n for key, n in whole_split.items() if key[: len(TASKS)] in addresses}
        unlike_split = "the tasks, pooled, are not those of the candidates table"
        yield from _compare_counts(name, columns, expected, pooled, message=unlike_split)
        keys = ("dataset", "protocol", "split", "relation")
        by_side = _sum_tasks(table, ("side", *keys))
        heads = {key[1:]: count for key, count in by_side.items() if key[0] == "head"}
        tails = {key[1:]: count for key, count in by_side.items() if key[0] == "tail"}
        unlike_sides = (
            "the relation has another number of tasks on the tail side than on the head side"
        )
        yield from _compare_counts(name, keys, heads, tails, message=unlike_sides)
        count = len(table["relation"].unique())
        most = statistics["relations"]
        if most is not None and count > most:
            message = "there are more relations than the dataset has"
            yield Finding(
                message=message,
                table=name,
                key={"dataset": dataset},
                column="relation",
                expected=most,
                got=count,
            )
    return rows


def _sum_tasks(table: pa.Table, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
    """Return the numbers of tasks by key, the values of some columns; equal keys are added up.

    Of columns ("side", "num_candidates"): {("head", 14): 3, ("tail", 14): 5}.
    """
    if not len(table):
        return {}
    # pyarrow's own groups would import pandas.
    groups = np.zeros(len(table), dtype=np.intp)
    for column in columns:
        codes, words = decode(table[column].dictionary_encode())
        groups = combine(groups, codes, len(words))
    firsts, groups = number_firsts(groups)
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
    """Compare numbers of tasks by key; a key that one side lacks counts as 0 there."""
    for key in dict.fromkeys((*expected, *got)):
        counts = expected.get(key, 0), got.get(key, 0)
        if counts[0] != counts[1]:
            cells = zip(columns, key, strict=True)
            where = {column: value for column, value in cells if value is not None}
            yield Finding(message, name, where, "num_tasks", *counts)


# -- everything again ------------------------------------------------------------------------------


def _check_contents(opened: Opened) -> Findings:
    """Compare the values of tables with their hashes, and the index with the tables."""
    reason = "" if opened.selected is None else "the hashes are those of whole tables"
    hashed = any("contentHash" in row for row in opened.resources.values())
    if opened.tables.version == UNRELEASED and not hashed:
        reason = "a build states them when it is released"
    if reason:
        yield Finding(f"not compared: {reason}", level="note")
        return 0
    rows = 0
    for name in opened.names:
        table, row = opened.tables.read(name), opened.resources.get(name, {})
        rows += len(table)
        yield from _compare(
            "its values are not those that were hashed",
            table=name,
            column="contentHash",
            expected=row.get("contentHash"),
            got=hash_content(table),
        )
    if INDEX in opened.tables.descriptor:
        names = ("datasets", "candidates", "constants")
        tables = {name: opened.tables.read(name) for name in names}
        written = read_file(opened.tables.folder / INDEX).decode("utf-8", "replace")
        if written != write_index(opened.tables.version, tables):
            yield Finding("it does not have what the tables have", INDEX)
    return rows


def _rebuild_constants(opened: Opened) -> Findings:
    """Compare constants with those that follow from the histograms."""
    rows = 0
    for dataset in opened.report("constants from the histograms"):
        compute = cache(partial(_compute, opened.tables))
        for row in opened.rows("constants", dataset):
            rows += 1
            yield from _compare_constants(row, compute(*read_address(row)))
    return rows


def _compute(tables: Tables, tasks: Tasks, metric: Metric) -> Moments | str:
    """Compute the constants of tasks; return the reason, as text, if there are none."""
    try:
        return compute_moments(metric, tables.histogram(tasks))
    except RankconstError as error:
        return str(error)


def _compare_constants(row: Row, moments: Moments | str) -> Iterator[Finding]:
    """Compare the moments of a row with computed ones, within both errors."""
    from rankconst_builder.release import STANDARD_ERRORS

    key = _name_row("constants", row)
    if isinstance(moments, str):
        yield Finding(
            message=f"cannot be computed: {moments}",
            table="constants",
            key=key,
            column="expectation",
        )
        return
    yield from _compare(
        "the method is another",
        table="constants",
        column="method",
        expected=moments.method,
        got=row["method"],
        key=key,
    )
    sampled = row["method"] == "sampled"
    # A released sample stays when later versions take another number of draws.
    is_same = sampled and row["num_draws"] == moments.num_draws
    for column in ("expectation", "variance"):
        value, got = getattr(moments, column), row[column]
        errors = getattr(moments, f"{column}_error"), row[f"{column}_error"]
        error = STANDARD_ERRORS * float(np.hypot(*errors)) if sampled else sum(errors)
        rounding = _ROUNDING * abs(value)
        if abs(got - value) > error + rounding:
            message = f"the {column} is not what the histogram gives, within both errors"
            yield Finding(
                message=message, table="constants", key=key, column=column, expected=value, got=got
            )
        elif is_same and abs(got - value) > rounding:
            message = (
                f"the {column} of this sample is not reproduced, "
                f"but within {STANDARD_ERRORS} standard errors"
            )
            yield Finding(
                message=message,
                table="constants",
                key=key,
                column=column,
                expected=value,
                got=got,
                level="warning",
            )


def _rebuild_histograms(opened: Opened) -> Findings:
    """Compare statistics and histograms with those of the files; note datasets without files."""
    rows = 0
    for dataset in opened.report("candidates from the files"):
        try:
            counted = _count_again(opened, dataset)
        except RankconstError as error:
            note = f"not compared with sources: {error}"
            yield Finding(note, key={"dataset": dataset}, level="note")
            continue
        for column, value in counted.statistics.items():
            yield from _compare(
                "its files, or the registry, give something else",
                table="datasets",
                column=column,
                expected=value,
                got=opened.datasets[dataset][column],
                key={"dataset": dataset},
            )
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
    """A dataset as its files give it."""

    statistics: dict[str, Any]  # the row in the table of datasets
    tables: dict[str, pa.Table]  # its histograms


def _count_again(opened: Opened, dataset: str) -> _Recount:
    """Count a dataset's files as the build did; RankconstError if they cannot be had or read."""
    from rankconst_builder.facts import describe_graph
    from rankconst_builder.pipeline import encode_benchmark
    from rankconst_builder.tabulate import tabulate_histograms
    from rankconst_builder.tallies import count_histograms

    source, row = load_benchmarks().get(dataset), opened.datasets[dataset]
    if source is not None and source.sampled is not None:
        sampled = {"triples_valid": source.sampled.valid, "triples_test": source.sampled.test}
        return _Recount(sampled, {})
    provenance = list_provenance(opened.tables).get(dataset, {})
    if provenance.get("restriction"):
        raise MissingSourceError("its evaluation is restricted")
    if source is None or not source.files or source.not_offered or row["entities"] is None:
        raise MissingSourceError("the registry has no files of it")
    lacking = {split for split in SPLITS if row[f"triples_{split}"] is None}
    contents = _read_contents(opened.fetcher, source, lacking)
    graph = encode_benchmark(source, {role: content.data for role, content in contents.items()})
    rows = opened.rows("candidates", dataset)
    protocols = {row["protocol"] for row in rows}
    sides = {*ENTITY_SIDES, *(row["side"] for row in rows)}
    splits = str(provenance.get("splits") or ",".join(SPLITS)).split(",")
    fitting = [parse_protocol(key) for key in PROTOCOLS if key in protocols]
    baselines = _list_baselines(opened, dataset)
    histograms, counting = count_histograms(dataset, graph, fitting, baselines, splits)
    covered = {tasks: histograms[tasks] for tasks in histograms if tasks.side in sides}
    tables = tabulate_histograms(covered)
    statistics = describe_graph(graph).tabulate(graph.missing)
    hashes = [contents[role].sha256 if role in contents else None for role in ROLES]
    return _Recount(
        {**statistics, "counting": counting, "sha256": hashes},
        {name: tables[name] for name in opened.names if len(tables.get(name, ()))},
    )


def _list_baselines(opened: Opened, dataset: str) -> list[str]:
    """Return the baselines that a set has ranks of, for a dataset."""
    keys = set()
    for name in opened.names:
        if "baseline" in KEYS[name]:
            column = opened.tables.read(name, dataset)["baseline"]
            keys.update(column.unique().to_pylist())
    return [key for key in BASELINES if key in keys and key != DEFAULT_BASELINE]


def _read_contents(
    fetcher: Fetcher, source: Benchmark, lacking: Collection[str]
) -> dict[str, Content]:
    """Read the files of a benchmark, by role, from the mirror, or else from the cache alone.

    Splits that are `lacking` are left out, and so is the context if it is not there. Raises
    MissingSourceError or HashMismatchError if another file is missing or wrong in the cache, too.
    """
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
    "files": Stage("bytes and SHA-256 of every file, nothing else in the folder", _check_files),
    "descriptor": Stage(
        "datapackage.json against the tables and the columns of this program", _check_descriptor
    ),
    "keys": Stage(
        "every row once, in canonical order, of a dataset that is described", _check_keys
    ),
    "pooling": Stage("both sides pool head and tail", _check_pooling),
    "filters": Stage("a wider filter never leaves more candidates", _check_filters),
    "relations": Stage("relations pool to the candidates", _check_relations),
    "content": Stage("content hash of each table, and the index", _check_contents, rebuild=True),
    "constants": Stage("constants computed from the histograms", _rebuild_constants, rebuild=True),
    "sources": Stage("histograms counted from the triples", _rebuild_histograms, rebuild=True),
}
"""Name to stage, in the order in which they are run."""
