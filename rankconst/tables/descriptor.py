"""The files of a set of tables: their columns, their descriptor and their hashes.

The columns are read from ``schema.csv``, and the descriptor of a set repeats their descriptions.
:mod:`rankconst.tables.location` finds the folder.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from rankconst.errors import TablesError
from rankconst.files import grows_without_measure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    import pyarrow as pa

    from rankconst.tables.location import ZipPath

    Folder: TypeAlias = "Path | ZipPath"

# The columns of the tables.

Kind = Literal["text", "texts", "count", "real", "truth"]
"""What a column holds; texts: a list of them in each row, count: int64, real: float64."""


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind
    description: str
    unit: str = ""


def _read_columns() -> dict[str, tuple[TableColumn, ...]]:
    """Read the columns of each table from ``schema.csv``, in order."""
    columns: dict[str, tuple[TableColumn, ...]] = {}
    with Path(__file__).with_name("schema.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, kind, unit = row["column"], cast("Kind", row["kind"]), row["unit"]
            column = TableColumn(name, kind, row["description"], unit)
            columns[row["table"]] = (*columns.get(row["table"], ()), column)
    return columns


COLUMNS = _read_columns()
"""Table name to its columns."""

ARCHIVED = frozenset({"baseline_candidates_by_relation"})
"""Tables that the package leaves out: a released archive has them."""

NULLABLE = {
    # Counts in files that may be missing, and what a source need not state.
    "datasets": frozenset(column.name for column in COLUMNS["datasets"][3:]) - {"source_urls"},
    "constants": frozenset({"k", "num_draws"}),
}
"""Table to its columns that may have nulls."""

LEAST = {
    **dict.fromkeys(("num_candidates", "num_tasks", "k"), 1),
    **dict.fromkeys(("expectation_error", "variance", "variance_error", "weight", "offset"), 0),
}
"""Column to the least number that it can have."""


def schema_of(name: str) -> pa.Schema:
    """Return the Arrow schema of a table, one of :data:`COLUMNS`."""
    import pyarrow as pa

    types = {
        "text": pa.string(),
        # Parquet names the items so; any other name would be lost on the way through a file.
        "texts": pa.list_(pa.field("element", pa.string())),
        "count": pa.int64(),
        "real": pa.float64(),
        "truth": pa.bool_(),
    }
    fields = [
        pa.field(column.name, types[column.kind], metadata={"description": column.description})
        for column in COLUMNS[name]
    ]
    return pa.schema(fields)


# The files of a set.

OUTPUT = "rankconst-tables"
"""The folder that builds write to, and that commands search after other sets."""

INDEX = "index.jsonl"
"""A file with the constants that are looked up most; in the descriptor, the key of its hash."""

DESCRIPTOR = "datapackage.json"
"""The file that names the version of a set of tables, and the SHA-256 of each of its files."""

INCOMING = ".incoming"
"""The folder of a set's newer files until these take their places, one after the other."""

LARGEST = {".json": 16 * 2**20, ".parquet": 2**30}
"""The largest files of a set that are read, in bytes, by their ending."""


def check_size(file: Path | ZipPath, size: int, packed: int | None = None) -> None:
    """Raise TablesError for a file larger than those of any set, or a decompression bomb."""
    ending = ".json" if str(file).endswith(".json") else ".parquet"
    most = LARGEST[ending]
    if size > most:
        raise TablesError(
            f"{file} has {size:,} bytes; expected at most {most:,}. "
            "That is not a set of tables; name another one."
        )
    if packed is not None and grows_without_measure(packed, size):
        raise TablesError(
            f"{file} grows from {packed:,} to {size:,} bytes when unpacked, more than tables do. "
            "Get the set again, from someone you trust."
        )


def read_file(file: Path | ZipPath) -> bytes:
    """Return the content of a file of a set, or raise FileNotFoundError or TablesError."""
    if not isinstance(file, Path):
        return file.read_bytes()
    # If a build was cut off after its new set was whole, that set counts.
    with suppress(FileNotFoundError, NotADirectoryError):
        return _read_one(file.parent / INCOMING / file.name)
    return _read_one(file)


def _read_one(file: Path) -> bytes:
    """Return the content of a file on disk, unless it is too large."""
    try:
        if file.exists() and not file.is_file():
            raise TablesError(f"{file} is not a file. Remove it, and build the set again.")
        check_size(file, file.stat().st_size)
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise TablesError(
            f"cannot read {file}: {error.strerror or error}. Check its permissions."
        ) from error


def holds_set(folder: Path) -> bool:
    """Return True if a folder holds a set of tables."""
    return (folder / DESCRIPTOR).is_file() or (folder / INCOMING / DESCRIPTOR).is_file()


def is_of_set(file: Path) -> bool:
    """Return True if a path, or the target of a link, belongs to a set of tables."""
    real = Path(os.path.realpath(file))
    names = {DESCRIPTOR, *(f"{name}.parquet" for name in COLUMNS)}
    return real.name in names and holds_set(real.parent)


def parse_json(text: str) -> Any:
    """Parse JSON, or raise ValueError, also for NaN and Infinity."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def read_descriptor(folder: Folder) -> dict[str, Any]:
    """Return the descriptor of a set; TablesError if it is missing, or names no files."""
    file = folder / DESCRIPTOR
    try:
        content = read_file(file)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TablesError(
            f"{folder} holds no tables: {DESCRIPTOR} is missing. "
            "`rankconst build --out DIR` makes them."
        ) from error

    try:
        descriptor = parse_json(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise TablesError(f"{file} is not JSON ({error}). Build the set again.") from error

    if not _is_descriptor(descriptor):
        raise TablesError(
            f"{file} is not the descriptor of a set of tables: expected a version, "
            "a list of resources with names and hashes, a list of provenance, and a date, "
            "if any, such as 2026-11-30. Build the set again."
        )
    return dict(descriptor)


def _is_descriptor(descriptor: Any) -> bool:
    """Return True if parsed JSON has the parts of a descriptor, with the right types."""
    if not isinstance(descriptor, dict):
        return False
    return (
        _VERSION.fullmatch(_text_of(descriptor, "version")) is not None
        and _DATE.match(_text_of(descriptor, "created")) is not None
        and _are_rows(descriptor.get("resources"), ("name", "hash"))
        and _are_rows(descriptor.get("provenance", []), ("dataset",))
    )


def _text_of(row: Mapping[str, Any], key: str) -> str:
    """Return the text under a key, nothing without the key, or a line break for anything else."""
    value = row.get(key, "")
    return value if isinstance(value, str) else "\n"  # matches neither _VERSION nor _DATE


def _are_rows(rows: Any, keys: tuple[str, ...]) -> bool:
    """Return True if `rows` is a list of dicts, with text or nothing under some keys."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return False
    return all(isinstance(row.get(key, ""), str) for row in rows for key in keys)


_DATE = re.compile(r"\Z|\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")  # or nothing
_VERSION = re.compile("[0-9A-Za-z][0-9A-Za-z.+-]{0,99}")  # files are called by it


def read_index(folder: Folder, descriptor: Mapping[str, Any]) -> bytes:
    """Return the index of a released set; empty for other sets."""
    if INDEX not in descriptor:
        return b""
    return read_hashed(folder, INDEX, descriptor[INDEX])


def read_hashed(folder: Folder, name: str, expected: str | None) -> bytes:
    """Return the content of a file of a set, if it has the expected hash.

    Raises TablesError if the file is missing, or has another hash.
    """
    file = folder / name
    remedy = "Get the set again."
    if isinstance(file, Path):
        remedy = f"Restore it, or delete {folder} and build again."

    try:
        content = read_file(file)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TablesError(
            f"{file} is missing; the set in {folder} is not whole. {remedy}"
        ) from error

    got = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if got != expected:
        raise TablesError(
            f"{file} is not the file that {DESCRIPTOR} describes: expected {expected}, got {got}. "
            f"If a build has just replaced the set, run the command again. {remedy}"
        )
    return content


def check_whole(folder: Folder) -> None:
    """Refuse a set that lacks a table, or has one with another hash."""
    descriptor = read_descriptor(folder)
    hashes = {resource.get("name"): resource.get("hash") for resource in descriptor["resources"]}
    lacking = [name for name in COLUMNS if name not in hashes]
    if lacking:
        raise TablesError(
            f"{folder / DESCRIPTOR} names no {', '.join(lacking)}; a set of tables has them."
        )

    for name in COLUMNS:
        read_hashed(folder, f"{name}.parquet", hashes[name])
