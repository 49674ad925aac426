"""``rankconst tables release``: from a build to a set to publish."""

from __future__ import annotations

import datetime as dt
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankconst.cli.options import FormatOption, QuietOption
from rankconst.cli.output import Column, Format, Listing, count, print_listing
from rankconst.download import Reporter, is_url
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
    version: Annotated[str, typer.Option("--version", help="Version to release.", metavar="X.Y.Z")],
    source: Annotated[Path, typer.Option("--from", help="Folder written by `rankconst build`.", metavar="DIR")] = Path(
        OUTPUT
    ),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the release; data/X.Y.Z if left out.", metavar="DIR")
    ] = None,
    previous: Annotated[
        str | None,
        typer.Option(
            help="Folder of the previous release, or none for the first; the newest included one if left out.",
            metavar="DIR",
        ),
    ] = None,
    zip_: Annotated[
        Path | None, typer.Option("--zip", help="The zip to deposit; next to the folder if left out.", metavar="FILE")
    ] = None,
    date: Annotated[
        str | None, typer.Option(help="Day of publication; today if left out.", metavar="YYYY-MM-DD")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Where the tables will be found, such as a reserved DOI.", metavar="URL")
    ] = None,
    quiet: QuietOption = False,
    format: FormatOption = Format.table,
) -> None:
    """Assemble a release of the tables: Parquet files, metadata, README, licence, and a zip of them all.

    Version rule: a changed or removed value is a major change; new rows, columns or tables are a minor one.

    The same build, version and date give the same bytes.

    Example: rankconst tables release --version 1.0.0 --from rankconst-tables
    """
    from rankconst_builder.describe import name_archive
    from rankconst_builder.release import Order, release_tables

    if parse_version(version) is None:
        raise UsageError(f"--version {version!r} must be three numbers: 1.0.0, for example.")
    if url is not None and not is_url(url):
        raise UsageError(f"--url {url!r} must begin with https://: https://doi.org/10.5281/zenodo.1, for example.")
    reporter = Reporter(quiet=quiet)
    folder = out or Path("data") / version
    order = Order(
        source=load(source),
        version=version,
        out=folder,
        archive=zip_ or folder.parent / f"{name_archive(version)}.zip",
        date=_parse_date(date),
        previous=None if previous is None or previous == "none" else _load_previous(previous),
        first=previous == "none",
        url=url,
        reporter=reporter,
    )
    released = release_tables(order)
    if released.written:
        _tell(order, released)
    _print_files(released, format)
    if released.written:
        reporter.say(f"next: deposit {order.archive}, with the metadata in {folder / '.zenodo.json'}")


def _parse_date(given: str | None) -> dt.date:
    """Read a date as people write it in metadata; today's, if none is given."""
    if given is None:
        return dt.datetime.now(tz=dt.UTC).date()
    try:
        parsed = dt.date.fromisoformat(given)
    except ValueError:
        parsed = None
    if parsed is None or parsed.isoformat() != given:
        raise UsageError(f"--date {given!r} must be a day, written YYYY-MM-DD.")
    return parsed


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


def _print_files(released: Released, form: Format) -> None:
    rows = [
        {"path": str(path), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for path, content in released.files.items()
    ]
    print_listing(Listing.of(columns=_COLUMNS, rows=rows), form)
