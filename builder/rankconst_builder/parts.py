"""Sets of tables dataset by dataset: those that a folder holds, and those kept until a set is written."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rankconst import version
from rankconst.arrow import join_texts
from rankconst.errors import UsageError, explain_write_errors, first_line
from rankconst.files import write_through
from rankconst.tables.folder import DESCRIPTOR
from rankconst.tables.schema import COLUMNS, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.download import Reporter
    from rankconst.tables.tables import Tables


UNRELEASED = "unreleased"
"""The table version of a set that is not released."""


@dataclass(frozen=True)
class Part:
    """The rows of one dataset, and where they come from."""

    tables: Mapping[str, pa.Table]
    provenance: Mapping[str, Any]


@functools.cache
def hash_program() -> str:
    """Hash the program, so that a changed one does not pass for an earlier one."""
    digest = hashlib.sha256()
    for module in (version.__file__, __file__):
        for path in sorted(Path(module).parent.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def split_parts(existing: Tables) -> dict[str, Part]:
    """Return what a build wrote, dataset by dataset; refuse a release, which stays as it is."""
    if existing.version != UNRELEASED:
        raise UsageError(
            f"{existing.path} holds the released tables {existing.version}, which stay as they are. Name another "
            "folder with --out."
        )
    whole = {name: existing.read(name) for name in COLUMNS}
    provenance = {row["dataset"]: row for row in existing.descriptor.get("provenance", [])}
    return {
        key: Part(
            {name: take_dataset(table, key) for name, table in whole.items()},
            {name: value for name, value in provenance.get(key, {}).items() if name != "dataset"},
        )
        for key in existing.datasets
    }


def take_dataset(table: pa.Table, key: str) -> pa.Table:
    """Return the rows of a dataset."""
    return table.filter(pc.equal(table["dataset"], join_texts([key])[0]))


_KEPT = ".kept"
"""Folder for what single datasets gave, until the set is written; each has the name of its dataset."""

# Beside the others, not among them: any name there may be that of a dataset.
_DRAFT = f"{_KEPT}.draft"


def keep(out: Path, key: str, part: Part) -> None:
    """Keep what a dataset gave: a folder that appears as a whole or not at all."""
    final = out / _KEPT / key
    draft = out / _DRAFT
    for folder in (draft, final):
        shutil.rmtree(folder, ignore_errors=True)
    contents = {name: _serialise(table) for name, table in part.tables.items()}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    described = {"after": _hash_set(out), "provenance": part.provenance, "sha256": hashes}
    try:
        with explain_write_errors(f"to {out}", "Name another folder with --out."):
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


def _hash_set(out: Path) -> str | None:
    """Name the set that the output folder holds: what was kept before it was written is in it, or older."""
    descriptor = out / DESCRIPTOR
    return hashlib.sha256(descriptor.read_bytes()).hexdigest() if descriptor.is_file() else None


def read_kept(out: Path, reporter: Reporter) -> dict[str, Part]:
    """Read what earlier runs kept before they were cut off; leave aside what has been written."""
    kept, after = {}, _hash_set(out)
    for path in sorted((out / _KEPT).glob(f"*/{_PROVENANCE}")):
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
            reporter.warn(f"{path.parent} is damaged ({reason}); {path.parent.name} is built again.")
            continue
        if all(table.schema.equals(schema_of(name)) for name, table in tables.items()):
            kept[path.parent.name] = Part(tables, provenance)
    return kept


def holds_kept(out: Path) -> bool:
    """Tell whether anything waits for a set to be written."""
    return (out / _KEPT).is_dir()


def forget_kept(out: Path) -> None:
    """Remove what was kept, once a set is written."""
    for name in (_KEPT, _DRAFT):
        shutil.rmtree(out / name, ignore_errors=True)
