"""Assemble a released set from a build: tables, documents, and one zip to deposit.

Values are only serialised, but for constants that differ from those of the release before by no more than machines do:
they stay as released. The same build, version, date and previous release give the same bytes. A released version is
never overwritten, and its number follows the version rule of :mod:`rankconst_builder.changes`.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DataError, TablesError, UsageError, explain_write_errors
from rankconst.files import replace_file
from rankconst.progress import Reporter
from rankconst.tables.folder import DESCRIPTOR, INCOMING
from rankconst.tables.schema import COLUMNS, file_of, list_lacking, schema_of
from rankconst.tables.tables import Tables, load
from rankconst.version import bundled_versions, precedes
from rankconst_builder.changes import Changes, TableChanges, compare_sets, keep_released, smallest_version
from rankconst_builder.describe import DOCUMENTS, Edition, describe_package, name_archive
from rankconst_builder.package import (
    CHECKSUMS,
    DENSE,
    complete_exchange,
    describe_set,
    encode_descriptor,
    exchange_files,
    hold_folder,
    serialise_tables,
    sort_rows,
)

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa


@dataclass(frozen=True)
class Order:
    """What is to be released."""

    source: Tables  # the tables, as ``rankconst build`` wrote them
    version: str
    out: Path
    archive: Path
    date: dt.date  # the day of publication
    # The release before. If None, the newest before `version` of the tables that came with the package.
    previous: Tables | None = None
    first: bool = False  # True if there is no release before
    url: str | None = None  # where the tables will be found. If None, documents do not say
    reporter: Reporter = field(default_factory=Reporter)


@dataclass(frozen=True)
class Released:
    """What was released."""

    files: Mapping[Path, bytes]  # path to content, the zip last
    written: bool  # False if the version was there already, with the same values
    # The version of the release before; None for the first, and where nothing was written.
    previous: str | None = None
    changes: Changes | None = None  # what changed since then; None where nothing was written


def release_tables(order: Order) -> Released:
    """Check an order, and write the set and its zip."""
    if order.out.exists() and not order.out.is_dir():
        raise UsageError(f"cannot release to {order.out}: it is no folder. Name another with --out.")
    with hold_folder(order.out, order.reporter):
        return _release(order)


def _release(order: Order) -> Released:
    built = {name: sort_rows(name, order.source.read(name)) for name in COLUMNS}
    previous = _find_previous(order)
    tables = built
    if previous is not None:
        tables = {**built, "constants": keep_released(previous.read("constants"), built["constants"])}
    if _is_released(order, tables):
        return _keep(order)
    _check_build(order, tables)
    changes = _find_changes(previous, built)
    if previous is not None:
        _check_version(order, previous.version, changes)
    files = assemble_files(order, tables)
    archive = pack_zip(order.version, files)
    _check_archive(order, archive)
    with explain_write_errors(f"to {order.out}", "Name another folder with --out."):
        exchange_files(order.out, files)
    _write_archive(order, archive)
    return Released(
        files={**{order.out / name: content for name, content in files.items()}, order.archive: archive},
        written=True,
        previous=None if previous is None else previous.version,
        changes=changes,
    )


def assemble_files(order: Order, tables: Mapping[str, pa.Table]) -> dict[str, bytes]:
    """Return the files of a release, name to content."""
    files = serialise_tables(tables, DENSE)
    provenance = {
        row["dataset"]: {name: value for name, value in row.items() if name != "dataset"}
        for row in order.source.descriptor.get("provenance", [])
    }
    extra = describe_package(order.date, order.url)
    descriptor = describe_set(order.version, tables, files, provenance, extra)
    edition = Edition(order.version, order.date, tables, descriptor, order.url)
    documents = {name: document.write(edition).encode() for name, document in DOCUMENTS.items()}
    described = {**files, DESCRIPTOR: encode_descriptor(descriptor), **documents}
    # As sha256sum writes them.
    sums = (f"{hashlib.sha256(described[name]).hexdigest()}  {name}\n" for name in sorted(described))
    return {**described, CHECKSUMS: "".join(sums).encode()}


def pack_zip(version: str, files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files that depends on nothing but their names and contents."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{name_archive(version)}/{name}", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name])
    return sink.getvalue()


# ---- may it be released? -----------------------------------------------------------------------------------------


def _is_released(order: Order, tables: Mapping[str, pa.Table]) -> bool:
    """Tell whether the folder holds this very release."""
    complete_exchange(order.out)
    if (order.out / DESCRIPTOR).is_file():
        existing = load(order.out)
        if existing.version != order.version:
            raise UsageError(
                f"{order.out} holds table version {existing.version}, and this is the release of {order.version}. "
                "Name another folder with --out."
            )
        _refuse_other_values(existing, tables)
        return True
    if any(not path.name.startswith(INCOMING) for path in order.out.iterdir()):
        raise UsageError(f"{order.out} is not empty, and holds no tables. Name another folder with --out.")
    if order.version in bundled_versions():
        _refuse_other_values(load(version=order.version), tables)
    return False


def _refuse_other_values(existing: Tables, tables: Mapping[str, pa.Table]) -> None:
    for name, table in tables.items():
        if not existing.read(name).equals(table):
            raise UsageError(
                f"version {existing.version} is released already, in {existing.path}, with another {name}. Released "
                "versions are never changed: choose a higher version. (If it was never published, remove the folder.)"
            )


def _keep(order: Order) -> Released:
    """Leave a release as it is; only a zip that is missing is packed, from its files."""
    order.reporter.say(f"{order.version} is already released, identical: {order.out} is left as it is")
    names = [*(f"{name}.parquet" for name in COLUMNS), DESCRIPTOR, *DOCUMENTS, CHECKSUMS]
    files = {name: (order.out / name).read_bytes() for name in names if (order.out / name).is_file()}
    content = {order.out / name: held for name, held in files.items()}
    lacking = [name for name in (*DOCUMENTS, CHECKSUMS) if name not in files]
    if lacking:
        order.reporter.warn(f"it lacks {', '.join(lacking)}, so there is no zip; release to another folder for them")
        return Released(content, written=False)
    archive = pack_zip(order.version, files)
    if not order.archive.exists():
        _write_archive(order, archive)
        order.reporter.say(f"packed from it: {order.archive}")
    elif order.archive.read_bytes() != archive:
        order.reporter.warn(f"{order.archive} holds something else; it is left as it is, too")
        return Released(content, written=False)
    return Released({**content, order.archive: archive}, written=False)


def _check_build(order: Order, tables: Mapping[str, pa.Table]) -> None:
    """Refuse tables that no single program made, and warn of what a reader of the release should know."""
    rows = tables["datasets"].to_pylist()
    if not rows:
        raise TablesError(f"{order.source.path} holds no dataset. `rankconst build --out DIR` makes tables.")
    provenance: dict[str, dict[str, Any]] = {
        row["dataset"]: row for row in order.source.descriptor.get("provenance", [])
    }
    if partial := [key for key, made in provenance.items() if made.get("splits") or made.get("baselines")]:
        raise UsageError(
            f"a release has every split and baseline, and these datasets have some only: {', '.join(partial)}. Build "
            f"them again with --splits {','.join(SPLITS)} --baseline all."
        )
    programs: dict[str, list[str]] = {}
    for key, made in provenance.items():
        if "program" in made:
            programs.setdefault(made["program"], []).append(key)
    if len(programs) > 1:
        told = "; ".join(f"{program}: {', '.join(keys)}" for program, keys in programs.items())
        raise DataError(
            f"the datasets in {order.source.path} were built by different programs ({told}). Build them again with "
            "`rankconst build`, which leaves out what is up to date."
        )
    unverified = [row["dataset"] for row in rows if not row["verified"]]
    if unverified:
        order.reporter.warn(f"not checked against a hash known beforehand: {', '.join(unverified)}")
    elsewhere = [f"{key} ({made.get('origin')})" for key, made in provenance.items() if made.get("origin") != "files"]
    if elsewhere:
        order.reporter.warn(f"not made from their files: {', '.join(elsewhere)}")


def _find_previous(order: Order) -> Tables | None:
    """Return the release before; None for the first."""
    if order.first or order.previous is not None:
        return order.previous
    earlier = [one for one in bundled_versions() if precedes(one, order.version)]
    if not earlier:
        raise UsageError(
            f"no tables before {order.version} came with this package, so the version rule cannot be checked. Name the "
            "previous release with --previous DIR, or say --previous none for the first."
        )
    return load(version=earlier[-1])


def _find_changes(previous: Tables | None, tables: Mapping[str, pa.Table]) -> Changes:
    """Compare with the release before; the first is compared with tables that hold nothing."""
    if previous is None:
        return compare_sets({name: table.slice(0, 0) for name, table in tables.items()}, tables)
    version = previous.version
    lacking = {
        name: list_lacking(name, version) if file_of(name, version) else schema_of(name).names for name in COLUMNS
    }
    return compare_sets({name: previous.read(name) for name in COLUMNS}, tables, lacking)


def _check_version(order: Order, before: str, changes: Changes) -> None:
    """Refuse a version that hides what changed."""
    if not precedes(before, order.version):
        raise UsageError(f"{order.version} must be later than the previous release, {before}.")
    smallest = smallest_version(before, changes.bump)
    if precedes(order.version, smallest):
        told = "\n".join(phrase_changes(changes))
        raise UsageError(
            f"{order.version} is too small a step from {before}: this is a {changes.bump.name} change.\n{told}\n"
            f"The smallest version allowed is {smallest}."
        )
    if order.version != smallest:
        order.reporter.say(f"note: {smallest} would be enough; this is a {changes.bump.name} change")


# ---- the zip -----------------------------------------------------------------------------------------------------


def _check_archive(order: Order, content: bytes) -> None:
    if order.archive.exists() and (not order.archive.is_file() or order.archive.read_bytes() != content):
        raise UsageError(
            f"{order.archive} is there already, with other content. Remove it if it was never published, or name "
            "another folder with --out."
        )


def _write_archive(order: Order, content: bytes) -> None:
    with explain_write_errors(str(order.archive), "Name another folder with --out."):
        order.archive.parent.mkdir(parents=True, exist_ok=True)
        replace_file(order.archive, content)


# ---- in words ----------------------------------------------------------------------------------------------------


def phrase_changes(changes: Changes) -> list[str]:
    """Return what changed as lines: a table each, and the first rows that changed or went."""
    lines = []
    for table in changes.tables:
        lines.append(f"{table.name}: {_phrase_table(table)}")
        lines += [
            f"  {_phrase_key(value.key)}: {value.column} {value.old!r} -> {value.new!r}" for value in table.examples
        ]
        if table.changed > len({tuple(value.key.items()) for value in table.examples}):
            lines.append("  ...")
        lines += [f"  {_phrase_key(key)}: removed" for key in table.removed_examples]
        if table.removed > len(table.removed_examples):
            lines.append("  ...")
    if changes.kept == 1:
        lines.append("1 value differs within its stated error, and stays as released")
    elif changes.kept:
        lines.append(f"{changes.kept:,} values differ within their stated errors, and stay as released")
    return lines


def _phrase_table(table: TableChanges) -> str:
    parts = [
        f"{count:,} {'row' if count == 1 else 'rows'} {done}"
        for count, done in (
            (table.changed, "changed"),
            (table.removed, "removed"),
            (table.added, "added"),
            (table.described, "described otherwise"),
        )
        if count
    ]
    if table.is_new:
        parts.append("the table is new")
    elif table.new_columns:
        parts.append(f"new columns: {', '.join(table.new_columns)}")
    return ", ".join(parts) or "no change"


def _phrase_key(key: Mapping[str, Any]) -> str:
    """Name a row: its values in their order; Hits@k with its k, and no k where there is none."""
    named = {name: value for name, value in key.items() if value is not None}
    return " ".join(f"k={value}" if name == "k" else str(value) for name, value in named.items())
