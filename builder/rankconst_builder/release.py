"""Make a release from a build: tables, documents, and a zip to deposit.

Constants that differ from the previous release by no more than their errors stay as released. The
same build, version, date and previous release give the same bytes. A released version is never
overwritten. Its number follows a rule: changed or removed values are a major change, new rows are a
minor one, and the same data with other descriptions or in other files is a patch.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DataError, TablesError, UsageError, explain_write_errors
from rankconst.files import replace_file
from rankconst.names import count_of
from rankconst.progress import Reporter
from rankconst.tables.archive import Tables, load
from rankconst.tables.citation import AUTHORS
from rankconst.tables.descriptor import COLUMNS, DESCRIPTOR, INCOMING, INDEX
from rankconst.version import bundled_versions, precedes
from rankconst_builder.describe import (
    DOCUMENTS,
    Edition,
    describe_package,
    name_archive,
    write_index,
)
from rankconst_builder.package import (
    CHECKSUMS,
    DENSE,
    KEYS,
    complete_exchange,
    describe_set,
    describe_tables,
    encode_descriptor,
    exchange_files,
    hold_folder,
    list_provenance,
    serialise_tables,
    sort_rows,
)

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Truths = NDArray[np.bool_]
    Places = NDArray[np.int64]

DESCRIPTIONS = ("title", "aliases", "licence", "citation", "citation_url")
"""Columns that describe a dataset, and on which no constant depends."""

ERRORS = {"expectation": "expectation_error", "variance": "variance_error"}
"""The columns of the errors of constants."""

ROUNDING, SAMPLED_ROUNDING = 16 * float(np.finfo(np.float64).eps), 1e-12
"""The relative differences that a sample, and its errors, may have on another machine."""

STANDARD_ERRORS = 5
"""How many standard errors two samples of one distribution may differ by."""

_EXAMPLES = 5  # rows of a table whose first change is shown


class Bump(IntEnum):
    """The part of a version that must rise."""

    patch = 0
    minor = 1
    major = 2


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The changes of a table: numbers of rows, and examples in words."""

    name: str
    changed: int = 0
    removed: int = 0
    added: int = 0
    described: int = 0  # rows whose description alone changed
    examples: tuple[str, ...] = ()

    @property
    def bump(self) -> Bump:
        """The part of the version that must rise."""
        if self.changed or self.removed:
            return Bump.major
        return Bump.minor if self.added else Bump.patch


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a set, table by table."""

    tables: tuple[TableChanges, ...] = ()
    kept: int = 0  # the number of values that differ within their errors, and stay as released

    @property
    def bump(self) -> Bump:
        """The part of the version that must rise."""
        return max((table.bump for table in self.tables), default=Bump.patch)


@dataclass(frozen=True)
class ReleaseOrder:
    """What to release, and where."""

    source: Tables  # as ``rankconst build`` wrote them
    version: str
    out: Path
    archive: Path
    date: dt.date  # the day of publication
    previous: Tables | None = None  # if None, the newest before `version` in the package
    first: bool = False  # True if no release came before
    url: str | None = None  # of the tables, for the documents
    creator: str = AUTHORS  # as documents cite the tables
    reporter: Reporter = field(default_factory=Reporter)


@dataclass(frozen=True)
class Released:
    """The result of a release."""

    files: Mapping[Path, bytes]  # contents by path, the zip last
    written: bool  # False if the same release was already there
    previous: str | None = None  # the version of the previous release, if there is one
    changes: Changes | None = None  # since then; None if nothing was written


def release_tables(order: ReleaseOrder) -> Released:
    """Write a release and its zip."""
    if order.out.exists() and not order.out.is_dir():
        raise UsageError(
            f"cannot release to {order.out}: it is not a folder. Name another with --out."
        )
    with hold_folder(order.out, order.reporter):
        return _release(order)


def _release(order: ReleaseOrder) -> Released:
    """Compare a build with the previous release, and write it if the rules allow this."""
    built = {name: sort_rows(name, order.source.read(name)) for name in COLUMNS}
    previous = _find_previous(order)
    before = {name: table.slice(0, 0) for name, table in built.items()}
    version = None
    if previous is not None:
        before = {name: previous.read(name) for name in COLUMNS}
        version = previous.version

    tables = {**built, "constants": keep_released(before["constants"], built["constants"])}
    if _is_released(order, tables):
        return _leave_as_is(order)

    _check_build(order, tables)
    changes = compare_sets(before, built)
    if version is not None:
        _check_version(order, version, changes)

    files = _assemble_files(order, tables)
    archive = pack_zip(order.version, files)
    has_archive = order.archive.is_file() and order.archive.read_bytes() == archive
    if order.archive.exists() and not has_archive:
        raise UsageError(
            f"{order.archive} is there already, with other content. "
            "Remove it if it was never published, or name another folder with --out."
        )

    with explain_write_errors(f"to {order.out}", "Name another folder with --out."):
        exchange_files(order.out, files)

    _write_archive(order, archive)
    written = {order.out / name: content for name, content in files.items()}
    return Released(
        files={**written, order.archive: archive},
        written=True,
        previous=version,
        changes=changes,
    )


def _write_archive(order: ReleaseOrder, content: bytes) -> None:
    with explain_write_errors(str(order.archive), "Name another folder with --out."):
        order.archive.parent.mkdir(parents=True, exist_ok=True)
        replace_file(order.archive, content)


def _assemble_files(order: ReleaseOrder, tables: Mapping[str, pa.Table]) -> dict[str, bytes]:
    """Return the contents of the files of a release, by name."""
    files = serialise_tables(tables, DENSE)
    index = write_index(order.version, tables).encode()
    extra = describe_package(order.date, order.url, order.creator)
    extra[INDEX] = f"sha256:{hashlib.sha256(index).hexdigest()}"
    descriptor = describe_set(
        order.version,
        tables["datasets"].to_pylist(),
        describe_tables(tables, files),
        list_provenance(order.source),
        extra,
    )
    files |= {INDEX: index, DESCRIPTOR: encode_descriptor(descriptor)}
    edition = Edition(
        version=order.version, date=order.date, tables=tables, descriptor=descriptor, url=order.url
    )
    files |= {name: document.write(edition).encode() for name, document in DOCUMENTS.items()}
    sums = ""
    for name in sorted(files):  # as sha256sum writes them
        sums += f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n"

    return {**files, CHECKSUMS: sums.encode()}


def pack_zip(version: str, files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files that depends only on their names and contents."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            path = f"{name_archive(version)}/{name}"
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name])

    return sink.getvalue()


# ---- may it be released? -------------------------------------------------------------------------


def _is_released(order: ReleaseOrder, tables: Mapping[str, pa.Table]) -> bool:
    """Return True if the folder holds this very release, and refuse a folder with anything else."""
    complete_exchange(order.out)
    if (order.out / DESCRIPTOR).is_file():
        existing = load(order.out)
        if existing.version != order.version:
            raise UsageError(
                f"{order.out} holds table version {existing.version}, "
                f"and this is the release of {order.version}. Name another folder with --out."
            )
        _refuse_other_values(existing, tables)
        return True

    if any(not path.name.startswith(INCOMING) for path in order.out.iterdir()):
        raise UsageError(
            f"{order.out} is not empty, and holds no tables. Name another folder with --out."
        )

    if order.version in bundled_versions():
        _refuse_other_values(load(version=order.version), tables)

    return False


def _refuse_other_values(existing: Tables, tables: Mapping[str, pa.Table]) -> None:
    """Refuse tables that differ from a release of the same version."""
    for name, table in tables.items():
        if not existing.read(name).equals(table):
            raise UsageError(
                f"version {existing.version} is released already, "
                f"in {existing.path}, with another {name}. Released versions are never changed: "
                "choose a higher version. (If it was never published, remove the folder.)"
            )


def _leave_as_is(order: ReleaseOrder) -> Released:
    """Leave a release as it is, but pack its zip if this is missing."""
    order.reporter.say(
        f"{order.version} is already released, identical: {order.out} is left as it is"
    )
    names = [*(f"{name}.parquet" for name in COLUMNS), INDEX, DESCRIPTOR, *DOCUMENTS, CHECKSUMS]
    paths = {name: order.out / name for name in names if (order.out / name).is_file()}
    files = {name: path.read_bytes() for name, path in paths.items()}
    if not order.archive.exists():
        _write_archive(order, pack_zip(order.version, files))
        order.reporter.say(f"packed from it: {order.archive}")

    content = {paths[name]: files[name] for name in files}
    return Released({**content, order.archive: order.archive.read_bytes()}, written=False)


def _check_build(order: ReleaseOrder, tables: Mapping[str, pa.Table]) -> None:
    """Refuse tables that may not be released, and warn of unusual sources."""
    rows = tables["datasets"].to_pylist()
    if not rows:
        raise TablesError(
            f"{order.source.path} holds no dataset. `rankconst build --out DIR` makes tables."
        )

    partial, elsewhere = [], []
    programs: dict[str, list[str]] = {}
    for key, provenance in list_provenance(order.source).items():
        # These are recorded only if a build did not cover all of them.
        if provenance.get("splits") or provenance.get("baselines"):
            partial.append(key)
        if provenance.get("origin") != "files":
            elsewhere.append(f"{key} ({provenance.get('origin')})")
        if "program" in provenance:
            programs.setdefault(provenance["program"], []).append(key)

    if partial:
        raise UsageError(
            "a release has every split and baseline, "
            f"and these datasets have some only: {', '.join(partial)}. "
            f"Build them again with --splits {','.join(SPLITS)} --baseline all."
        )
    if len(programs) > 1:
        summary = "; ".join(f"{program}: {', '.join(keys)}" for program, keys in programs.items())
        raise DataError(
            f"the datasets in {order.source.path} were built by different programs ({summary}). "
            "Build them again with `rankconst build`."
        )

    unverified = [row["dataset"] for row in rows if not row["verified"]]
    if unverified:
        order.reporter.warn(f"not checked against a hash known beforehand: {', '.join(unverified)}")

    if elsewhere:
        order.reporter.warn(f"not made from their files: {', '.join(elsewhere)}")


def _find_previous(order: ReleaseOrder) -> Tables | None:
    """Return the previous release, or None for the first."""
    if order.first or order.previous is not None:
        return order.previous

    bundled = bundled_versions()
    earlier = [version for version in bundled if precedes(version, order.version)]
    if not earlier:
        raise UsageError(
            f"no tables before {order.version} came with this package, "
            "so the version rule cannot be checked. "
            "Name the previous release with --previous DIR, or say --previous none for the first."
        )
    return load(version=earlier[-1])


def _check_version(order: ReleaseOrder, before: str, changes: Changes) -> None:
    """Refuse a version number that is too small for the changes."""
    if not precedes(before, order.version):
        raise UsageError(f"{order.version} must be later than the previous release, {before}.")

    smallest = smallest_version(before, changes.bump)
    if precedes(order.version, smallest):
        summary = "\n".join(phrase_changes(changes))
        raise UsageError(
            f"{order.version} is too small a step from {before}: this is "
            f"a {changes.bump.name} change.\n{summary}\nThe smallest version allowed is {smallest}."
        )

    if order.version != smallest:
        order.reporter.say(
            f"note: {smallest} would be enough; this is a {changes.bump.name} change"
        )


# ---- what changed --------------------------------------------------------------------------------


def smallest_version(previous: str, bump: Bump) -> str:
    """Return the first version after `previous` that the version rule allows.

    After 1.2.3 this is 1.2.4 for a patch, 1.3.0 for a minor and 2.0.0 for a major change.
    """
    major, minor, patch = (int(part) for part in previous.split("."))
    if bump == Bump.major:
        return f"{major + 1}.0.0"
    if bump == Bump.minor:
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"


def compare_sets(old: Mapping[str, pa.Table], new: Mapping[str, pa.Table]) -> Changes:
    """Compare two sets of tables, row by row."""
    constants = keep_released(old["constants"], new["constants"])
    num_kept = 0
    for name in constants.column_names:
        num_kept += int(np.count_nonzero(_differs(new["constants"][name], constants[name])))
    compared = {**new, "constants": constants}
    return Changes(tuple(_compare(name, old[name], compared[name]) for name in COLUMNS), num_kept)


def keep_released(old: pa.Table, new: pa.Table) -> pa.Table:
    """Return new constants, with the released numbers where both agree within their errors."""
    rows = _match_rows("constants", old, new)
    agrees = _agrees(old.take(rows.old), new.take(rows.new))
    if not agrees.any():
        return new

    # For each new row: whether it keeps released numbers, and the old row that has them.
    is_kept, source = np.zeros(len(new), np.bool_), np.zeros(len(new), np.int64)
    kept_rows = rows.new[agrees]
    is_kept[kept_rows] = True
    source[kept_rows] = rows.old[agrees]
    for column in (*ERRORS, *ERRORS.values(), "num_draws"):
        values = pc.if_else(pa.array(is_kept), old[column].take(source), new[column])
        index = new.schema.get_field_index(column)
        new = new.set_column(index, new.schema.field(index), values)

    return new


def _agrees(before: pa.Table, after: pa.Table) -> Truths:
    """Mark the rows in which two tables of the same constants agree within their errors."""
    is_sampled = _are_sampled(before)
    has_same_draws = is_sampled & ~_differs(before["num_draws"], after["num_draws"])
    agrees: Truths = is_sampled == _are_sampled(after)
    for column, error in ERRORS.items():
        released, built = _numbers(before[column]), _numbers(after[column])
        old_errors, new_errors = _numbers(before[error]), _numbers(after[error])
        # Error bounds add up, and squared standard errors do. The same draws differ by rounding.
        by_draws = STANDARD_ERRORS * np.hypot(old_errors, new_errors)
        slack = np.where(is_sampled, by_draws, old_errors + new_errors)
        slack = np.where(has_same_draws, ROUNDING * np.abs(released), slack)
        smaller_errors = np.minimum(old_errors, new_errors)
        same_errors = np.maximum(old_errors, new_errors) <= (1 + SAMPLED_ROUNDING) * smaller_errors
        agrees &= np.abs(released - built) <= slack
        agrees &= ~has_same_draws | same_errors

    return agrees


def _are_sampled(table: pa.Table) -> Truths:
    return np.array(pc.equal(table["method"], pa.scalar("sampled")), np.bool_)


def _compare(name: str, old: pa.Table, new: pa.Table) -> TableChanges:
    """Count how the rows of a table changed, and describe the first changes."""
    matched = _match_rows(name, old, new)
    columns = [column.name for column in COLUMNS[name] if column.name not in KEYS[name]]
    before = old.select(columns).take(matched.old)
    after = new.select(columns).take(matched.new)
    differs = {column: _differs(before[column], after[column]) for column in columns}
    changed, described = np.zeros((2, len(before)), np.bool_)
    for column, rows in differs.items():
        if column in DESCRIPTIONS:
            described |= rows
        else:
            changed |= rows

    values = [column for column in columns if column not in DESCRIPTIONS]
    examples = []
    for row in np.flatnonzero(changed)[:_EXAMPLES].tolist():
        key = _phrase_key(name, old, matched.old[row])
        column = next(column for column in values if differs[column][row])
        was, now = before[column][row].as_py(), after[column][row].as_py()
        examples.append(f"{key}: {column} {was!r} -> {now!r}")

    if np.count_nonzero(changed) > _EXAMPLES:
        examples.append("...")

    removed = matched.removed[:_EXAMPLES]
    examples += [f"{_phrase_key(name, old, row)}: removed" for row in removed]
    if len(matched.removed) > _EXAMPLES:
        examples.append("...")

    return TableChanges(
        name,
        changed=int(np.count_nonzero(changed)),
        removed=len(matched.removed),
        added=len(new) - len(after),
        described=int(np.count_nonzero(described & ~changed)),
        examples=tuple(examples),
    )


def _phrase_key(name: str, table: pa.Table, row: np.int64) -> str:
    """Name a row by the values of its key."""
    key = {column: table[column][int(row)].as_py() for column in KEYS[name]}
    if key.get("k") is not None:
        key["k"] = f"k={key['k']}"
    return " ".join(str(value) for value in key.values() if value is not None)


class _Matched(NamedTuple):
    """The indices of rows with the same key in two sets, and of rows that only the old one has."""

    old: Places
    new: Places
    removed: Places


def _match_rows(name: str, old: pa.Table, new: pa.Table) -> _Matched:
    """Match the rows of two versions of a table by their keys."""
    keys = [*KEYS[name]]
    joined = pa.concat_tables([old.select(keys), new.select(keys)])
    both = joined.to_pandas(strings_to_categorical=True)
    # Rows with the same key get the same code.
    codes = both.groupby(keys, dropna=False, sort=False, observed=True).ngroup().to_numpy()
    of_old = codes[: len(old)]
    of_new = codes[len(old) :]
    for age, part in (("old", of_old), ("new", of_new)):
        if len(np.unique(part)) < len(part):
            raise DataError(f"two rows of {name} have the same {', '.join(keys)} in the {age} set.")

    new_row_of_code = np.full(codes.max(initial=-1) + 1, -1, np.int64)
    new_row_of_code[of_new] = np.arange(len(new))
    new_rows = new_row_of_code[of_old]  # of each old row, -1 for none
    matched = np.flatnonzero(new_rows >= 0)
    return _Matched(matched, new_rows[matched], np.flatnonzero(new_rows < 0))


def _differs(before: pa.ChunkedArray[Any], after: pa.ChunkedArray[Any]) -> Truths:
    """Mark the rows in which two columns differ. Missing values do not, nor do 0 and -0."""
    if pa.types.is_floating(before.type):
        released, built = _numbers(before), _numbers(after)
        same: Truths = (released == built) | (np.isnan(released) & np.isnan(built))
        return ~same

    if pa.types.is_list(before.type):
        pairs = zip(before.to_pylist(), after.to_pylist(), strict=True)
        return np.array([released != built for released, built in pairs], np.bool_)

    equal: Any = pc.equal(before, after)
    missing: Any = pc.and_(before.is_null(), after.is_null())
    return ~np.array(pc.or_(equal.fill_null(False), missing), np.bool_)


def _numbers(column: pa.ChunkedArray[Any]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = column.to_numpy()
    return values


def phrase_changes(changes: Changes) -> list[str]:
    """Write a line for each table with its numbers of changes, and lines with the first changes."""
    lines = []
    for table in changes.tables:
        counts = {
            "changed": table.changed,
            "removed": table.removed,
            "added": table.added,
            "described otherwise": table.described,
        }
        parts = [f"{count_of(count, 'row')} {done}" for done, count in counts.items() if count]
        lines.append(f"{table.name}: {', '.join(parts) or 'no change'}")
        lines += [f"  {example}" for example in table.examples]

    if changes.kept == 1:
        lines.append("1 value differs within its stated error, and stays as released")
    elif changes.kept:
        lines.append(
            f"{changes.kept:,} values differ within their stated errors, and stay as released"
        )

    return lines
