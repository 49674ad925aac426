"""``rankconst tables release``: from a build to a set to publish."""

from __future__ import annotations

import datetime as dt
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankconst.cli.options import FormatOption, check_url, hide, option
from rankconst.cli.output import Column, Format, Listing, count, print_listing
from rankconst.errors import UsageError
from rankconst.tables.location import OUTPUT
from rankconst.tables.tables import load
from rankconst.version import parse_version

if TYPE_CHECKING:
    from rankconst.tables.tables import Tables
    from rankconst_builder.release import Order, Released


_COLUMNS = (
    Column("path", "file"),
    Column("bytes", "bytes", count, right=True),
    Column("sha256", "SHA-256", drop=1),
)


def release(
    version: Annotated[str, option("--version", help="Version to release.", metavar="X.Y.Z")],
    source: Annotated[Path, option("--from", help="Folder written by `rankconst build`.", metavar="DIR")] = Path(
        OUTPUT
    ),
    out: Annotated[
        Path | None, option("--out", "-o", help="Folder of the release; data/X.Y.Z if left out.", metavar="DIR")
    ] = None,
    previous: Annotated[
        str | None,
        option(
            "--previous",
            help="Folder of the previous release, or none for the first; the newest included one if left out.",
            metavar="DIR",
            hidden=True,
        ),
    ] = None,
    url: Annotated[
        str | None,
        option("--url", help="Where the tables will be found, such as a reserved DOI.", metavar="URL", hidden=True),
    ] = None,
    format: Annotated[Format, hide(FormatOption)] = Format.table,
) -> None:
    """Assemble a release of the tables: Parquet files, metadata, README, licence, and a zip of them all.

    Version rule: a changed or removed value is a major change; new rows, columns or tables are a minor one.

    The same build and version give the same bytes on one day. The zip is next to the folder.

    Example: rankconst tables release --version 1.0.0 --from rankconst-tables
    """
    from rankconst_builder.describe import name_archive
    from rankconst_builder.release import Order, release_tables

    if parse_version(version) is None:
        raise UsageError(f"--version {version!r} must be three numbers: 1.0.0, for example.")
    folder = out or Path("data") / version
    order = Order(
        source=load(source),
        version=version,
        out=folder,
        archive=folder.parent / f"{name_archive(version)}.zip",
        date=dt.datetime.now(tz=dt.UTC).date(),
        previous=None if previous is None or previous == "none" else _load_previous(previous),
        first=previous == "none",
        url=check_url(url, "https://doi.org/10.5281/zenodo.1"),
    )
    released = release_tables(order)
    if released.written:
        _tell(order, released)
    rows = [
        {"path": str(path), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for path, content in released.files.items()
    ]
    print_listing(Listing.of(columns=_COLUMNS, rows=rows), format)
    if released.written:
        order.reporter.say(f"next: deposit {order.archive}, with the metadata in {folder / '.zenodo.json'}")


def _load_previous(given: str) -> Tables:
    tables = load(given)
    if parse_version(tables.version) is None:
        raise UsageError(f"--previous {given} holds table version {tables.version}, which was never released.")
    return tables


def _tell(order: Order, released: Released) -> None:
    """Say what the release is, and what changed."""
    from rankconst_builder.release import phrase_changes

    order.reporter.say(f"tables {order.version}, dated {order.date.isoformat()}")
    if released.changes is None:
        return
    bump = released.changes.bump.name
    order.reporter.say(f"since {released.previous}, a {bump} change:" if released.previous else "the first release:")
    for line in phrase_changes(released.changes):
        order.reporter.say(f"  {line}")
