"""Write a set of tables: three Parquet files and the descriptor that names their hashes.

The set is exchanged as a whole: new files are prepared in a folder beside it, that folder is renamed, and only then
are files replaced. A run that was cut off is completed by the next.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from rankconst.schemas import COLUMNS, TableColumn
from rankconst.tables import DESCRIPTOR

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["complete_exchange", "hash_content", "write_tables"]

_INCOMING = ".incoming"

_KEYS: dict[str, tuple[str, ...]] = {
    "datasets": ("dataset",),
    "candidates": ("dataset", "protocol", "split", "side", "num_candidates"),
    "constants": ("dataset", "protocol", "split", "side", "metric", "k"),
}
"""Table to the columns that identify a row, in the order by which rows are sorted (names as in their catalogue)."""

_FIELD_TYPES = {"text": "string", "texts": "array", "count": "integer", "real": "number", "truth": "boolean"}
"""Kind of a column to the type that Data Package calls it."""


def hash_content(table: pa.Table) -> str:
    """Return the SHA-256 of a table's values, whatever the file they are stored in.

    Of the column names, then of each row in its order: values joined by tabs, numbers as Python prints them, missing
    ones as ``None``. Parquet files differ between versions of pyarrow; this does not.
    """
    digest = hashlib.sha256("\t".join(table.column_names).encode())
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        digest.update(("\n" + "\t".join(map(repr, row))).encode())
    return f"sha256:{digest.hexdigest()}"


def write_tables(
    folder: Path, version: str, tables: Mapping[str, pa.Table], provenance: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write a set of tables, replacing what the folder holds.

    Parameters
    ----------
    folder
        Where to; made if missing.
    version
        The version that lookups report.
    tables
        Each table of :data:`rankconst.schemas.COLUMNS`, in canonical row order.
    provenance
        Dataset to how its rows were obtained.
    """
    folder.mkdir(parents=True, exist_ok=True)
    complete_exchange(folder)
    draft = folder / f"{_INCOMING}.draft"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    resources = []
    for name, table in tables.items():
        path = draft / f"{name}.parquet"
        pq.write_table(table, path, compression="zstd", compression_level=19, use_dictionary=True, version="2.6")
        resources.append(_describe(name, table, path))
    descriptor = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "rankconst-tables",
        "title": "Chance expectations and variances of ranking metrics on link-prediction benchmarks",
        "version": version,
        "licenses": [
            {
                "name": "CC0-1.0",
                "title": "CC0 1.0 Universal",
                "path": "https://creativecommons.org/publicdomain/zero/1.0/",
            }
        ],
        "sources": [
            {"title": row["title"], "path": row["source_urls"][0]}
            for row in tables["datasets"].to_pylist()
            if row["source_urls"]
        ],
        "resources": resources,
        "provenance": [{"dataset": key, **provenance[key]} for key in sorted(provenance)],
    }
    text = json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"
    (draft / DESCRIPTOR).write_text(text, encoding="utf-8")
    draft.rename(folder / _INCOMING)
    complete_exchange(folder)


def complete_exchange(folder: Path) -> None:
    """Move the files of a prepared set into place; does nothing where none is waiting."""
    incoming = folder / _INCOMING
    if not incoming.is_dir():
        return
    for path in sorted(incoming.iterdir()):
        path.replace(folder / path.name)
    incoming.rmdir()


def _describe(name: str, table: pa.Table, path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {
        "name": name,
        "path": path.name,
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "contentHash": hash_content(table),
        "rows": len(table),
        "schema": {
            # A primary key must not be null, and k is for most metrics.
            **({} if name == "constants" else {"primaryKey": list(_KEYS[name])}),
            "fields": [_describe_column(column) for column in COLUMNS[name]],
        },
    }


def _describe_column(column: TableColumn) -> dict[str, Any]:
    described = {"name": column.name, "type": _FIELD_TYPES[column.kind], "description": column.description}
    return {**described, "unit": column.unit} if column.unit else described
