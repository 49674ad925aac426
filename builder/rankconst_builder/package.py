"""Write a set of tables: Parquet files, and a descriptor with their hashes.

The files of a set are exchanged in one step. New files are prepared in a separate folder, which is
then renamed. From this moment :func:`rankconst.tables.descriptor.read_file` reads the new files,
also while they are moved to their places. If moving is interrupted, the next run completes it.
"""

from __future__ import annotations

import functools
import hashlib
import heapq
import io
import itertools
import json
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rankconst import version as runtime
from rankconst.arrow import fill_nulls, join_texts, wrap_numbers, wrap_text
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.catalogue.protocols import AGGREGATIONS, PROTOCOLS, SIDES, SPLITS
from rankconst.errors import UsageError, explain_write_errors
from rankconst.files import exists, write_through
from rankconst.names import list_first, read_count
from rankconst.tables.archive import Tables, load
from rankconst.tables.descriptor import COLUMNS, DESCRIPTOR, INCOMING, schema_of
from rankconst.tables.parquet import decode, to_array
from rankconst.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.progress import Reporter

_BLOCK = 2**16  # rows that are hashed at once
_FEWEST = 2**12  # rows of a row group of a build, as there may be many small datasets

_CHANCE = wrap_text(DEFAULT_BASELINE)

UNRELEASED = "unreleased"
"""The table version of a set that is not released."""

CHECKSUMS = "checksums.txt"
"""The file with the SHA-256 of all other files of a release, as sha256sum writes it."""

TASKS = ("dataset", "protocol", "split", "side")
"""The columns that name the ranking tasks of candidates."""

ADDRESS = (*TASKS, "aggregation", "baseline")
"""The columns that name the ranking tasks of constants."""

# In this order files are smallest.
_INFORMED = ("dataset", "baseline", "side", "split", "protocol")

KEYS: dict[str, tuple[str, ...]] = {
    "datasets": ("dataset",),
    "candidates": (*TASKS, "num_candidates"),
    "macro_candidates": (*TASKS, "aggregation", "num_candidates", "weight"),
    "candidates_by_relation": (*TASKS, "relation", "num_candidates"),
    "baseline_candidates": (*_INFORMED, "num_candidates", "offset"),
    "baseline_candidates_by_relation": (
        *_INFORMED,
        "relation",
        "num_candidates",
        "offset",
        "weight",
    ),
    "constants": ("dataset", "baseline", "protocol", "split", "side", "aggregation", "metric", "k"),
}
"""The columns that identify a row of each table, and by which rows are sorted."""


def read_address(row: Mapping[str, Any]) -> tuple[Tasks, Metric]:
    """Return the ranking tasks and the metric of a row of the table of constants.

    Raises KeyError if the metric is unknown, and UnknownNameError if it does not take the k.
    """
    metric = CATALOGUE[row["metric"]]
    if row["k"] is not None:
        metric = metric.at(row["k"])
    return Tasks(**{name: row[name] for name in ADDRESS}), metric


_ORDERS: dict[str, tuple[str, ...]] = {
    "protocol": tuple(PROTOCOLS),
    "split": tuple(SPLITS),
    "side": tuple(SIDES),
    "aggregation": tuple(AGGREGATIONS),
    "baseline": tuple(BASELINES),
    "metric": tuple(CATALOGUE),
}
"""The known values of columns, in order. Others follow in alphabetical order."""

HEADER: dict[str, Any] = {
    "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
    "name": "rankconst-tables",
    "title": "Chance expectations and variances of ranking metrics on link-prediction benchmarks",
    "licenses": [
        {
            "name": "CC0-1.0",
            "title": "CC0 1.0 Universal",
            "path": "https://creativecommons.org/publicdomain/zero/1.0/",
        }
    ],
}
"""The entries of the descriptor of every set."""

DENSE, QUICK = 19, 3
"""The zstd levels of releases, which are downloaded often, and of builds."""

_FIELD_TYPES = {
    "text": "string",
    "texts": "array",
    "count": "integer",
    "real": "number",
    "truth": "boolean",
}
"""The types of Data Package, by kind of column."""


def hash_content(table: pa.Table) -> str:
    """Return the SHA-256 of a table's values, which is the same for all versions of pyarrow.

    The hashed text has a line of column names and a line for each row: values joined by tabs,
    numbers as Python prints them, missing ones as ``None``.
    """
    digest = hashlib.sha256("\t".join(table.column_names).encode())
    printed = [_print_values(column) for column in table.columns]
    for start in range(0, len(table), _BLOCK):
        cells = [texts.slice(start, _BLOCK).dictionary_decode() for texts in printed]
        rows = pc.binary_join_element_wise(*cells, wrap_text("\t"))
        ends = wrap_numbers(np.array([0, len(rows)], dtype=np.int32))
        whole: Any = pc.binary_join(pa.ListArray.from_arrays(ends, rows), wrap_text("\n"))
        digest.update(b"\n")
        digest.update(whole[0].as_buffer())

    return f"sha256:{digest.hexdigest()}"


def _print_values(column: pa.ChunkedArray[Any]) -> Any:
    """Return the values of a column as dictionary-encoded texts."""
    if pa.types.is_nested(column.type):
        return join_texts([repr(value) for value in column.to_pylist()]).dictionary_encode()

    values: Any = column.combine_chunks()
    if pa.types.is_floating(column.type):
        values = values.view(pa.int64())  # 0.0 and -0.0 are equal, but printed differently

    coded = values.dictionary_encode()
    distinct: Any = coded.dictionary.view(column.type)
    printed = join_texts([*(repr(value) for value in distinct.to_pylist()), "None"])
    return pa.DictionaryArray.from_arrays(fill_nulls(coded.indices, len(distinct)), printed)


def sort_rows(name: str, table: pa.Table) -> pa.Table:
    """Return a table with its rows sorted by :data:`KEYS`."""
    # numpy.lexsort sorts by the last key first.
    ranks = [rank_values(column, table.column(column)) for column in reversed(KEYS[name])]
    order = np.lexsort(ranks)
    if np.array_equal(order, np.arange(len(table))):
        return table
    return table.take(wrap_numbers(order))


def rank_values(name: str, column: pa.ChunkedArray[Any]) -> NDArray[Any]:
    """Return numbers in the order of a column's values: test, train, test give 1, 0, 1."""
    values: Any = column
    if not len(values):
        return np.zeros(0, np.int64)
    if pa.types.is_primitive(values.type):
        return to_array(fill_nulls(values, -1))  # missing values come first

    codes, words = decode(values.dictionary_encode())
    ranks = np.empty(len(words), np.int64)
    order = sorted(range(len(words)), key=lambda code: order_value(name, words[code]))
    ranks[order] = np.arange(len(words))
    ranked: NDArray[Any] = ranks[codes]
    return ranked


def order_value(name: str, value: Any) -> tuple[Any, ...]:
    """Return the sort key of a value in a column."""
    if value is None:
        return (0,)
    if name not in _ORDERS:
        return (1, value)

    catalogue = _ORDERS[name]
    # sampled:10 comes before sampled:500.
    stem, _, number = value.partition(":")
    place = catalogue.index(value) if value in catalogue else len(catalogue)
    return (1, place, stem, read_count(number) or 0)


def write_set(
    folder: Path,
    version: str,
    tables: Iterable[tuple[str, Iterable[pa.Table]]],
    provenance: Mapping[str, Mapping[str, Any]],
) -> None:
    """Write a set of tables to a folder, in place of the old one.

    Each table comes in parts with the rows of one dataset, in canonical order.
    """
    files: dict[str, bytes] = {}
    resources = []
    datasets: list[dict[str, Any]] = []
    for name, runs in tables:
        content = _serialise(name, runs, QUICK, _FEWEST)
        written = pq.ParquetFile(pa.BufferReader(content))
        files[f"{name}.parquet"] = content
        resources.append(_describe(name, written.metadata.num_rows, content))
        if name == "datasets":
            datasets = written.read(use_threads=False).to_pylist()

    descriptor = describe_set(version, datasets, resources, provenance)
    exchange_files(folder, {**files, DESCRIPTOR: encode_descriptor(descriptor)})


def serialise_tables(tables: Mapping[str, pa.Table], compression: int) -> dict[str, bytes]:
    """Return the Parquet files of a set, by name."""
    return {
        f"{name}.parquet": _serialise(name, split_runs(table), compression)
        for name, table in tables.items()
    }


def split_runs(table: pa.Table) -> list[pa.Table]:
    """Split rows in canonical order by dataset, and those of chance from those of baselines."""
    keys: list[Any] = [table["dataset"]]
    if "baseline" in table.column_names:
        keys.append(pc.equal(table["baseline"], _CHANCE))

    ends = {0}
    for values in keys:
        coded = pc.call_function("run_end_encode", [values.combine_chunks()])
        ends.update(coded.run_ends.to_pylist())

    bounds = itertools.pairwise(sorted(ends))
    return [table.slice(start, stop - start) for start, stop in bounds]


def _serialise(name: str, runs: Iterable[pa.Table], compression: int, fewest: int = 1) -> bytes:
    """Write a table with row groups of whole runs, so that each dataset can be read alone.

    Row groups have at least the `fewest` rows, except for the last. The table of datasets is one.
    """
    schema = schema_of(name)
    # zstd compresses numbers better without a dictionary, except for k.
    words = [row.name for row in schema if not pa.types.is_primitive(row.type) or row.name == "k"]
    sink = io.BytesIO()
    with pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        compression_level=compression,
        # The stubs know of no list of names here.
        use_dictionary=words,  # type: ignore[arg-type]
        use_byte_stream_split=_choose_streams(name, schema),
        write_statistics=["dataset", "baseline"],  # by which rows are looked up
        version="2.6",
    ) as writer:
        group, rows = [pa.Table.from_batches([], schema)], 0
        for run in runs:
            if rows >= fewest and name != "datasets":  # memory holds one group at a time
                _write_group(writer, group)
                group, rows = [], 0
            group.append(run)
            rows += len(run)

        _write_group(writer, group)

    return sink.getvalue()


def _write_group(writer: pq.ParquetWriter, runs: Sequence[pa.Table]) -> None:
    """Write runs as one row group, whose bytes must not depend on how the rows were chunked."""
    writer.write_table(pa.concat_tables(runs).combine_chunks())


def _choose_streams(name: str, schema: pa.Schema) -> list[str]:
    """Choose the columns that are smaller if all first bytes are stored first, then the second."""
    streams = []
    for column in schema:
        # Fractions hardly repeat, except in keys, but their first bytes do.
        if pa.types.is_floating(column.type) and column.name not in KEYS[name]:
            streams.append(column.name)
        # So do whole numbers in the tables of candidates.
        if pa.types.is_integer(column.type) and "num_candidates" in schema.names:
            streams.append(column.name)

    return streams


def describe_set(
    version: str,
    datasets: Iterable[Mapping[str, Any]],
    resources: Sequence[Mapping[str, Any]],
    provenance: Mapping[str, Mapping[str, Any]],
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the Data Package 2.0 descriptor of a set, with the `extra` entries of a release."""
    return {
        "$schema": HEADER["$schema"],
        "name": HEADER["name"],
        "title": HEADER["title"],
        "version": version,
        **(extra or {}),
        "licenses": HEADER["licenses"],
        "sources": list_sources(datasets),
        "resources": resources,
        "provenance": [{"dataset": key, **provenance[key]} for key in sorted(provenance)],
    }


def list_sources(rows: Iterable[Mapping[Any, Any]]) -> list[dict[str, str]]:
    """Return the sources of datasets, as the descriptor lists them."""
    return [
        {"title": row["title"], "path": row["source_urls"][0]} for row in rows if row["source_urls"]
    ]


def encode_descriptor(descriptor: Mapping[str, Any]) -> bytes:
    """Return the content of ``datapackage.json``."""
    return (json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n").encode()


def exchange_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files or none, so that readers see either the old set or the new one."""
    folder.mkdir(parents=True, exist_ok=True)
    complete_exchange(folder)
    draft = folder / f"{INCOMING}.draft"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir()
        for name, content in files.items():
            write_through(draft / name, content)
        draft.rename(folder / INCOMING)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise

    complete_exchange(folder)


def complete_exchange(folder: Path) -> None:
    """Move the files of a prepared set to their places, if there is one."""
    incoming = folder / INCOMING
    if not incoming.is_dir():
        return
    for path in sorted(incoming.iterdir()):
        path.replace(folder / path.name)
    incoming.rmdir()


@contextmanager
def hold_folder(folder: Path, reporter: Reporter) -> Iterator[None]:
    """Lock a folder against other processes while writing to it, except on Windows.

    Missing folders are made, and removed again if they are empty at the end.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    with explain_write_errors(f"to {folder}", "Name another folder with --out."):
        descriptor = _lock(folder, reporter)

    try:
        yield
    finally:
        with suppress(OSError):
            for path in missing:
                path.rmdir()  # fails if something was written
        os.close(descriptor)


def _lock(folder: Path, reporter: Reporter) -> int:
    """Open and lock a folder; return its file descriptor."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        return os.open(os.devnull, os.O_RDONLY)

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        reporter.say(f"waiting for another process that writes to {folder}")
        flock(descriptor, LOCK_EX)
    except OSError:
        reporter.say(
            f"{folder} is on a file system without locks: "
            "let no other process write to it meanwhile"
        )

    if folder.exists() and os.path.samestat(folder.stat(), os.fstat(descriptor)):
        return descriptor

    os.close(descriptor)  # the other process wrote nothing, and has removed the folder
    return _lock(folder, reporter)


def describe_tables(
    tables: Mapping[str, pa.Table], files: Mapping[str, bytes]
) -> list[dict[str, Any]]:
    """Return the entries of the descriptor for tables and their files."""
    return [
        _describe(name, len(table), files[f"{name}.parquet"], contentHash=hash_content(table))
        for name, table in tables.items()
    ]


def _describe(name: str, rows: int, content: bytes, **hashes: str) -> dict[str, Any]:
    """Return the entry of the descriptor for a table, with further `hashes`."""
    return {
        "name": name,
        "path": f"{name}.parquet",
        "type": "table",
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        **hashes,
        "rows": rows,
        "schema": _describe_schema(name),
    }


def _describe_schema(name: str) -> dict[str, Any]:
    """Return the entry of the descriptor for the columns of a table."""
    fields = []
    for column in COLUMNS[name]:
        kind = _FIELD_TYPES[column.kind]
        entry = {"name": column.name, "type": kind, "description": column.description}
        if column.unit:
            entry["unit"] = column.unit
        fields.append(entry)

    if name == "constants":  # k is null for most metrics, which a primary key may not be
        return {"fields": fields}
    return {"primaryKey": list(KEYS[name]), "fields": fields}


# -- a set, dataset by dataset ---------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The rows of one dataset, and where they come from."""

    tables: Mapping[str, pa.Table]
    provenance: Mapping[str, Any]


def make_part(tables: Mapping[str, pa.Table], provenance: Mapping[str, Any]) -> Part:
    """Return the part of a dataset, with its rows in canonical order."""
    return Part({name: sort_rows(name, table) for name, table in tables.items()}, provenance)


@functools.cache
def hash_program() -> str:
    """Return a hash of all modules, which tells different states of the program apart."""
    digest = hashlib.sha256()
    for module in (runtime.__file__, __file__):
        for path in sorted(Path(module).parent.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def list_provenance(tables: Tables) -> dict[str, dict[str, Any]]:
    """Return the provenance of each dataset in the descriptor."""
    provenance = {}
    for row in tables.descriptor.get("provenance", []):
        origin = dict(row)
        provenance[str(origin.pop("dataset", None))] = origin
    return provenance


def open_build(folder: Path) -> Tables | None:
    """Open the set that an earlier build wrote to a folder, or None; refuse a release."""
    complete_exchange(folder)
    names = [f"{name}.parquet" for name in COLUMNS if exists(folder / f"{name}.parquet")]
    if not (folder / DESCRIPTOR).is_file():
        if names:
            raise UsageError(
                f"{folder} holds no {DESCRIPTOR}, but files that would be overwritten: "
                f"{list_first(names)}. Name another folder with --out, or delete these files."
            )
        return None

    existing = load(folder)
    if existing.version != UNRELEASED:
        raise UsageError(
            f"{existing.path} holds the released tables {existing.version}, "
            "which stay as they are. Name another folder with --out."
        )
    return existing


def write_parts(folder: Path, existing: Tables | None, parts: Mapping[str, Part]) -> None:
    """Write parts, and the rows of other datasets in the existing set."""
    provenance = {} if existing is None else list_provenance(existing)
    provenance |= {key: dict(part.provenance) for key, part in parts.items()}
    tables = ((name, _merge_runs(name, existing, parts)) for name in COLUMNS)
    with explain_write_errors(f"tables to {folder}", "Name another folder with --out."):
        write_set(folder, UNRELEASED, tables, provenance)


def _merge_runs(
    name: str, existing: Tables | None, parts: Mapping[str, Part]
) -> Iterator[pa.Table]:
    """Return the runs of a table in order of dataset, from `parts` or else from `existing`."""

    def name_dataset(run: pa.Table) -> str:
        return str(run["dataset"][0].as_py())

    groups = [] if existing is None else existing.iterate(name)
    old = (run for group in groups for run in split_runs(group) if name_dataset(run) not in parts)
    new = (run for key in sorted(parts) for run in split_runs(parts[key].tables[name]))
    return heapq.merge(old, new, key=name_dataset)
