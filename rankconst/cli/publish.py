"""``rankconst tables release``, ``export`` and ``site``: sets of tables for others."""

from __future__ import annotations

import datetime as dt
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.cli import options
from rankconst.cli.options import ALL, complete_from, hide, option
from rankconst.cli.output import Column, Format, Listing, check_target, count, print_listing, say, write_whole
from rankconst.download import is_url
from rankconst.errors import UsageError
from rankconst.tables.export import FORMATS, encode, export_rows, parse_format, suffix_of
from rankconst.tables.location import OUTPUT
from rankconst.tables.tables import load
from rankconst.version import parse_version

if TYPE_CHECKING:
    from rankconst.tables.tables import Tables
    from rankconst_builder.release import Order, Released


_FILES = (
    Column("path", "file"),
    Column("bytes", "bytes", count, right=True),
    Column("sha256", "SHA-256", drop=1),
)
_Url = Annotated[
    str | None, option("--url", "URL", "Where this will be found: of tables a reserved DOI, for example.", hidden=True)
]


def _check_url(url: str | None, example: str) -> str | None:
    if url is not None and not is_url(url):
        raise UsageError(f"--url {url!r} must begin with https://: {example}, for example.")
    return url


# -- a release --------------------------------------------------------------------------------------------------------


def release(
    version: Annotated[str, option("--version", "X.Y.Z", "Version to release.")],
    source: Annotated[Path, option("--from", "DIR", "Folder written by `rankconst build`.")] = Path(OUTPUT),
    out: Annotated[Path | None, option("--out -o", "DIR", "Folder of the release; data/X.Y.Z if left out.")] = None,
    previous: Annotated[
        str | None,
        option(
            *("--previous", "DIR"),
            "Folder of the previous release, or none for the first; the newest included one if left out.",
            hidden=True,
        ),
    ] = None,
    url: _Url = None,
    format: Annotated[Format, hide(options.Form)] = Format.table,
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
        url=_check_url(url, "https://doi.org/10.5281/zenodo.1"),
    )
    released = release_tables(order)
    if released.written:
        _tell(order, released)
    rows = [
        {"path": str(path), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for path, content in released.files.items()
    ]
    print_listing(Listing.of(_FILES, rows), format)
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


# -- one long table ---------------------------------------------------------------------------------------------------


def export(
    format: Annotated[
        str,
        option(
            *("--format -f", "FORMAT"),
            "pykeen: PyKEEN's table of expected values. long: all our columns.",
            complete_from(FORMATS),
        ),
    ],
    out: Annotated[
        Path | None, option("--out -o", "FILE", "The file; its ending says how it is written. Stdout if left out.")
    ] = None,
    dataset: options.OnlyDatasets = None,
    protocol: Annotated[
        str | None,
        option(
            *("--protocol -p", "PROTOCOL"),
            "If left out, pykeen for format pykeen, all for long.",
            complete_from((*PROTOCOLS, ALL)),
            hidden=True,
        ),
    ] = None,
    force: options.Force = False,
    tables: options.OneSet = None,
) -> None:
    """Write the constants as one long table.

    pykeen: the columns that PyKEEN's expected-metrics writes (dataset, metric, side, split, value), with its keys.

    Variance, errors, tasks, protocol and table version are to their right. Tab-separated: .tsv or .tsv.gz.

    long: every row and column of our table of constants: .csv, .tsv (both also with .gz) or .parquet.

    Example: rankconst tables export --format pykeen --out metric_adjustments.tsv.gz
    """
    form = parse_format(format)
    suffix = form.suffixes[0] if out is None else suffix_of(form, out)
    if protocol == ALL and form.protocol is not None:
        raise UsageError(f"format {form.key} has room for one protocol: name it, or export --format long.")
    if out is not None:
        check_target(out, force)
    opened = load(tables)
    keys = [opened.resolve_dataset(name) for name in dataset] if dataset else None
    rows = export_rows(opened, form, keys, None if protocol == ALL else protocol)
    content = encode(form, rows, suffix)
    if out is None:
        sys.stdout.write(content.decode())
    else:
        write_whole(out, content, force)
        say(f"{out}: {len(rows):,} rows, tables {opened.version}")


# -- a site -----------------------------------------------------------------------------------------------------------


def site(
    out: Annotated[Path, option("--out -o", "DIR", "Folder of the site; an older site in it is replaced.")],
    tables: options.OneSet = None,
    dataset: Annotated[list[str] | None, hide(options.OnlyDatasets)] = None,
    url: _Url = None,
    docs: Annotated[
        Path | None, option("--docs", "DIR", "Folder of built documentation, to be part of the site.", hidden=True)
    ] = None,
    published: Annotated[
        Path | None,
        option(
            *("--published", "FILE"),
            "Results file with published numbers: the pages of their datasets show them.",
            hidden=True,
        ),
    ] = None,
) -> None:
    """Write a site: a calculator, a page for each dataset, and an address for every constant.

    It needs no server, and works from a folder: open index.html.

    Example: rankconst tables site --out public
    """
    from rankconst_builder.site import Order, write_site

    address = f"{url.rstrip('/')}/" if _check_url(url, "https://example.org/rankconst") and url else ""
    opened = load(tables)
    keys = tuple(dict.fromkeys(opened.resolve_dataset(name) for name in dataset or ()))
    order = Order(opened, out, keys, address, docs, published)
    sizes = write_site(order)
    total = sum(sizes.values()) / 1e6
    order.reporter.say(
        f"{out}: {len(sizes):,} files, {total:,.1f} MB, tables {opened.version}; open {out / 'index.html'}"
    )
