"""``rankconst tables verify``, ``release`` and ``site``: for those who publish tables.

They need the modules of the builder.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.cli import options
from rankconst.cli.options import argument, find_all, hide, option, rare
from rankconst.cli.output import print_listing
from rankconst.download import find_mirror, is_url, require_module
from rankconst.errors import TablesError, UsageError, VerificationError
from rankconst.listing import Column, Format, Listing, count
from rankconst.names import count_of, resolve_name, show_controls
from rankconst.progress import Reporter
from rankconst.tables.archive import load
from rankconst.tables.place import OUTPUT
from rankconst.version import parse_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.tables.archive import Tables
    from rankconst_builder.release import Order, Released
    from rankconst_builder.verify import Finding, Result


# -- verify ----------------------------------------------------------------------------------------

SHOWN = 20
"""How many findings the table lists."""

SHOWN_NOTES = 3
"""How many notes of a stage are shown."""

_FINDINGS = (
    Column("stage", "stage", drop=3),
    Column("place", "where"),
    Column("column", "column"),
    Column("expected", "expected", drop=1),
    Column("got", "got", drop=2),
    Column("message", "what is wrong"),
)


def verify(
    path: Annotated[
        str | None,
        argument("PATH", "Folder, zip or URL of tables; those included if left out."),
    ] = None,
    rebuild: Annotated[
        bool,
        option(
            "--rebuild", "Also compute every constant and count every histogram again, and compare."
        ),
    ] = False,
    dataset: Annotated[list[str] | None, hide(options.OnlyDatasets)] = None,
) -> None:
    """Check tables: files, keys, and how the rows of sides, protocols and relations fit together.

    Exits with 7 if anything differs, and names each row that does.

    Example: rankconst tables verify

    Example: rankconst tables verify --rebuild --dataset nations
    """
    require_module("scipy", "`rankconst tables verify`")
    from rankconst_builder import verify as checking

    started = time.perf_counter()
    tables = load(path)
    keys = _find_datasets(tables, dataset) if dataset else None
    means = checking.Means(mirror=find_mirror(), reporter=Reporter()) if rebuild else None
    results = []
    for result in checking.verify(tables, keys, means, _announce_stage):
        results.append(result)
        _print_stage(result)
    _print_findings(results)
    typer.echo(f"tables {tables.version} in {time.perf_counter() - started:.1f} s: {tables.path}")
    wrong = [result for result in results if result.status != "ok"]
    if wrong:
        differ = sum(len(_of_level(result.findings, "failed")) for result in wrong)
        names = ", ".join(result.stage.name for result in wrong)
        raise VerificationError(
            f"tables {tables.version} are not what they should be: "
            f"{count_of(differ, 'difference')} in {len(wrong)} of {len(results)} stages ({names})."
        )


def _announce_stage(stage: str) -> None:
    """Name the running stage on a terminal; its result takes the place of the line."""
    if sys.stderr.isatty():
        typer.echo(f"{stage} ...\r", nl=False, err=True)


def _find_datasets(tables: Tables, names: Sequence[str]) -> list[str]:
    """Return the keys of datasets in any spelling.

    Where the datasets cannot be read, they stay as they are written.
    """
    try:
        spellings = {
            key: (str(row["title"]), *row["aliases"]) for key, row in tables.datasets.items()
        }
    except TablesError:
        return list(names)
    remedy = f"The tables ({tables.version}) hold {len(spellings)} datasets."
    return find_all(names, lambda name: resolve_name("dataset", name, spellings, remedy))


def _of_level(findings: Iterable[Finding], *levels: str) -> list[Finding]:
    return [finding for finding in findings if finding.level in levels]


def _print_stage(result: Result) -> None:
    """Print a line when a stage is done, with its notes."""
    rows = f"{count(result.rows)} {'files' if result.stage.name == 'files' else 'rows'}"
    typer.echo(
        f"{result.stage.name:<10} {_describe_outcome(result):<8} {rows:>16}   {result.stage.covers}"
    )
    for line in _phrase_notes(result):
        typer.echo(show_controls(line))


def _print_findings(results: Sequence[Result]) -> None:
    """Print the first differences and warnings."""
    for level, title in (("failed", "differences"), ("warning", "warnings")):
        groups = [_of_level(result.findings, level) for result in results]
        if not any(groups):
            continue
        typer.echo()
        # A few of each stage, so that one with many does not hide the others.
        turns = itertools.chain.from_iterable(itertools.zip_longest(*groups))
        first = {id(finding) for finding in itertools.islice(filter(None, turns), SHOWN)}
        rows, more = [], 0
        for result, group in zip(results, groups, strict=True):
            for finding in group:
                if id(finding) in first:
                    rows.append(_describe(result, finding) | {"place": _name_place(finding)})
                else:
                    more += 1
        caption = f"{count(more)} more {title}." if more else ""
        print_listing(Listing.of(_FINDINGS, rows, title=title, caption=caption), Format.table)


def _phrase_notes(result: Result) -> list[str]:
    """Return a stage's notes, a line each; of many the first one, and the number of the others."""
    notes, stage = _of_level(result.findings, "note"), result.stage.name
    parts = [(stage, _name_place(note), note.message) for note in notes]
    lines = [f"note: {': '.join(filter(None, texts))}" for texts in parts]
    if len(lines) > SHOWN_NOTES:
        lines[1:] = [f"note: {stage}: {count(len(notes) - 1)} more like it"]
    return lines


def _describe_outcome(result: Result) -> str:
    if result.status != "ok":
        return f"failed: {count(len(_of_level(result.findings, 'failed')))}"
    warnings = len(_of_level(result.findings, "warning"))
    return f"ok, {count_of(warnings, 'warning')}" if warnings else "ok"


def _name_place(finding: Finding) -> str:
    signs = {"num_candidates": "N=", "k": "k=", "weight": "weight="}
    parts = [f"{signs.get(name, '')}{key}" for name, key in finding.key.items()]
    return " ".join(part for part in (finding.table, *parts) if part)


def _describe(result: Result, finding: Finding) -> dict[str, Any]:
    row = {name: getattr(finding, name) for name in ("column", "expected", "got", "message")}
    return {"stage": result.stage.name, "covers": result.stage.covers} | row


# -- a release -------------------------------------------------------------------------------------

_FILES = (
    Column("path", "file"),
    Column("bytes", "bytes", count, right=True),
    Column("sha256", "SHA-256", drop=1),
)
_Url = Annotated[
    str | None,
    rare("--url URL", "Where this will be found: of tables a reserved DOI, for example."),
]


def _check_url(url: str | None, example: str) -> str | None:
    if url is not None and not is_url(url):
        raise UsageError(f"--url {url!r} must begin with https://: {example}, for example.")
    return url


def release(
    version: Annotated[str, option("--version X.Y.Z", "Version to release.")],
    source: Annotated[Path, option("--from DIR", "Folder written by `rankconst build`.")] = Path(
        OUTPUT
    ),
    out: Annotated[
        Path | None, option("--out -o DIR", "Folder of the release; data/X.Y.Z if left out.")
    ] = None,
    previous: Annotated[
        str | None,
        rare(
            "--previous DIR",
            (
                "Folder of the previous release, or none for the first; the newest included one "
                "if left out."
            ),
        ),
    ] = None,
    url: _Url = None,
) -> None:
    """Assemble a release of the tables: Parquet files, metadata, README, licence, and a zip.

    Version rule: a changed or removed value is a major change; new rows, columns or tables are a
    minor one.

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
        _report_release(order, released)
    rows = [
        {"path": str(path), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for path, content in released.files.items()
    ]
    print_listing(Listing.of(_FILES, rows), Format.table)
    if released.written:
        order.reporter.say(
            f"next: deposit {order.archive}, with the metadata in {folder / '.zenodo.json'}"
        )


def _load_previous(place: str) -> Tables:
    tables = load(place)
    if parse_version(tables.version) is None:
        raise UsageError(
            f"--previous {place} holds table version {tables.version}, which was never released."
        )
    return tables


def _report_release(order: Order, released: Released) -> None:
    """Report the release and its changes."""
    from rankconst_builder.release import phrase_changes

    order.reporter.say(f"tables {order.version}, dated {order.date.isoformat()}")
    if released.changes is None:
        return
    heading = "the first release:"
    if released.previous:
        heading = f"since {released.previous}, a {released.changes.bump.name} change:"
    order.reporter.say(heading)
    for line in phrase_changes(released.changes):
        order.reporter.say(f"  {line}")


# -- a site ----------------------------------------------------------------------------------------


def site(
    out: Annotated[
        Path, option("--out -o DIR", "Folder of the site; an older site in it is replaced.")
    ],
    tables: Annotated[str | None, hide(options.OneSet)] = None,
    dataset: Annotated[list[str] | None, hide(options.OnlyDatasets)] = None,
    url: _Url = None,
    docs: Annotated[
        Path | None, rare("--docs DIR", "Folder of built documentation, to be part of the site.")
    ] = None,
) -> None:
    """Write a site: a calculator, a page for each dataset, and an address for every constant.

    It needs no server, and works from a folder: open index.html.

    Example: rankconst tables site --out public
    """
    from rankconst_builder.site import write_site

    _check_url(url, "https://example.org/rankconst")
    address = f"{url.rstrip('/')}/" if url else ""
    opened = load(tables)
    keys = tuple(dict.fromkeys(opened.resolve_dataset(name) for name in dataset or ()))
    reporter = Reporter()
    sizes = write_site(opened, out, keys, url=address, docs=docs, reporter=reporter)
    total = sum(sizes.values()) / 1e6
    reporter.say(
        f"{out}: {len(sizes):,} files, {total:,.1f} MB, tables {opened.version}; open "
        f"{out / 'index.html'}"
    )
