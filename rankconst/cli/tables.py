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
from typing import TYPE_CHECKING, Any

from rankconst.cli import options
from rankconst.cli.options import argument, find_all, hide, option, rare
from rankconst.cli.output import print_listing, print_text
from rankconst.download import cache_folder, find_mirror, is_url, require_module
from rankconst.errors import TablesError, UsageError, VerificationError
from rankconst.listing import Column, Format, Listing, count
from rankconst.names import count_of, resolve_name, show_controls
from rankconst.progress import Reporter
from rankconst.tables.archive import load
from rankconst.tables.citation import AUTHORS
from rankconst.tables.descriptor import OUTPUT
from rankconst.version import parse_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.tables.archive import Tables
    from rankconst_builder.release import Released, ReleaseOrder
    from rankconst_builder.verify import Finding, StageResult


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
    *,
    path: str | None = argument(
        "PATH", "Folder, zip or URL of tables; those included if left out."
    ),
    rebuild: bool = option(
        "--rebuild", "Also compute every constant and count every histogram again, and compare."
    ),
    dataset: list[str] = hide(options.ONLY_DATASETS),
) -> None:
    """Check tables: files, keys, and how the rows of sides, protocols and relations fit together.

    Exits with 7 if anything differs, and names each row that does.

    Example: rankconst tables verify

    Example: rankconst tables verify --rebuild --dataset nations
    """
    require_module("scipy", "`rankconst tables verify`")
    from rankconst_builder import verify as checking
    from rankconst_builder.fetch import Fetcher

    started = time.perf_counter()
    tables = load(path)
    keys = _find_datasets(tables, dataset) if dataset else None
    fetcher = Fetcher(cache_folder(), mirror=find_mirror()) if rebuild else None
    results = []
    for result in checking.verify(tables, keys, fetcher, _announce_stage):
        results.append(result)
        _print_stage(result)

    _print_findings(results)
    print_text(f"tables {tables.version} in {time.perf_counter() - started:.1f} s: {tables.path}")
    wrong = [result for result in results if result.status != "ok"]
    if wrong:
        differ = sum(len(_of_level(result, "failed")) for result in wrong)
        names = ", ".join(result.stage for result in wrong)
        raise VerificationError(
            f"tables {tables.version} are not what they should be: "
            f"{count_of(differ, 'difference')} in {len(wrong)} of {len(results)} stages ({names})."
        )


def _announce_stage(stage: str) -> None:
    """Show the name of the running stage on a terminal, until its result replaces it."""
    if sys.stderr.isatty():
        sys.stdout.flush()
        sys.stderr.write(f"{stage} ...\r")
        sys.stderr.flush()


def _find_datasets(tables: Tables, names: Sequence[str]) -> list[str]:
    """Return the keys of datasets in any spelling, or the names if the tables are damaged."""
    try:
        spellings = {
            key: (str(row["title"]), *row["aliases"]) for key, row in tables.datasets.items()
        }
    except TablesError:
        return list(names)

    remedy = f"The tables ({tables.version}) hold {len(spellings)} datasets."
    return find_all(names, lambda name: resolve_name("dataset", name, spellings, remedy))


def _of_level(result: StageResult, level: str) -> list[Finding]:
    return [finding for finding in result.findings if finding.level == level]


def _print_stage(result: StageResult) -> None:
    """Print the result of a stage and its first notes."""
    from rankconst_builder.verify import STAGES

    stage = result.stage
    outcome = "ok"
    warnings = len(_of_level(result, "warning"))
    if result.status != "ok":
        outcome = f"failed: {count(len(_of_level(result, 'failed')))}"
    elif warnings:
        outcome = f"ok, {count_of(warnings, 'warning')}"

    noun = "files" if stage == "files" else "rows"
    size = f"{count(result.rows)} {noun}"
    print_text(f"{stage:<10} {outcome:<8} {size:>16}   {STAGES[stage].covers}")
    notes = _of_level(result, "note")
    shown = notes[:1] if len(notes) > SHOWN_NOTES else notes
    for note in shown:
        parts = filter(None, (stage, _name_place(note), note.message))
        print_text(show_controls(f"note: {': '.join(parts)}"))

    if len(notes) > len(shown):
        print_text(f"note: {stage}: {count(len(notes) - len(shown))} more like it")

    sys.stdout.flush()


def _print_findings(results: Sequence[StageResult]) -> None:
    """Print the first differences as a table, and the first warnings as another."""
    for level, title in (("failed", "differences"), ("warning", "warnings")):
        queues = [_list_findings(result, level) for result in results]
        # One of each stage in turn, so that a stage with many does not hide the others.
        turns = itertools.chain.from_iterable(itertools.zip_longest(*queues))
        findings = [row for row in turns if row is not None]
        if not findings:
            continue
        stages = [result.stage for result in results]
        rows = sorted(findings[:SHOWN], key=lambda row: stages.index(row["stage"]))
        more = len(findings) - len(rows)
        caption = f"{count(more)} more {title}." if more else ""
        print_text("")
        print_listing(Listing.of(_FINDINGS, rows, title=title, caption=caption), Format.table)


def _list_findings(result: StageResult, level: str) -> list[dict[str, Any]]:
    """List the rows of a stage's findings of a level."""
    rows = []
    for finding in _of_level(result, level):
        row = {"stage": result.stage, "place": _name_place(finding), "column": finding.column}
        row |= {"expected": finding.expected, "got": finding.got, "message": finding.message}
        rows.append(row)
    return rows


def _name_place(finding: Finding) -> str:
    """Name the row of a finding: ``candidates nations standard test head N=14``."""
    signs = {"num_candidates": "N=", "k": "k=", "weight": "weight="}
    parts = [f"{signs.get(name, '')}{key}" for name, key in finding.key.items()]
    return " ".join(part for part in (finding.table, *parts) if part)


# -- a release -------------------------------------------------------------------------------------

_FILES = (
    Column("path", "file"),
    Column("bytes", "bytes", count, right=True),
    Column("sha256", "SHA-256", drop=1),
)
_URL = rare("--url URL", "Where this will be found: of tables a reserved DOI, for example.")


def _check_url(url: str | None, example: str) -> str | None:
    if url is not None and not is_url(url):
        raise UsageError(f"--url {url!r} must begin with https://: {example}, for example.")
    return url


def release(
    *,
    version: str = option("--version X.Y.Z", "Version to release.", default=...),
    source: Path = option(
        "--from DIR", "Folder written by `rankconst build`.", default=Path(OUTPUT)
    ),
    out: Path | None = option("--out -o DIR", "Folder of the release; data/X.Y.Z if left out."),
    previous: str | None = rare(
        "--previous DIR",
        "Folder of the previous release, or none for the first; the newest included one if left "
        "out.",
    ),
    url: str | None = _URL,
    creator: str = rare("--creator NAME", "Who made the tables, for citations.", default=AUTHORS),
) -> None:
    """Assemble a release of the tables: Parquet files, metadata, README, licence, and a zip.

    Version rule: a changed or removed value is a major change; new rows, columns or tables are a
    minor one.

    The same build and version give the same bytes on one day. The zip is next to the folder.

    Example: rankconst tables release --version 1.0.0 --from rankconst-tables
    """
    from rankconst_builder.describe import name_archive
    from rankconst_builder.release import ReleaseOrder, release_tables

    if parse_version(version) is None:
        raise UsageError(f"--version {version!r} must be three numbers: 1.0.0, for example.")

    folder = out or Path("data") / version
    tables = load(source)
    is_first = previous == "none"
    older = None
    if previous is not None and not is_first:
        older = load(previous)
        if parse_version(older.version) is None:
            raise UsageError(
                f"--previous {previous} holds table version {older.version}, which was never "
                "released."
            )

    order = ReleaseOrder(
        source=tables,
        version=version,
        out=folder,
        archive=folder.parent / f"{name_archive(version)}.zip",
        date=dt.datetime.now(tz=dt.UTC).date(),
        previous=older,
        first=is_first,
        url=_check_url(url, "https://doi.org/10.5281/zenodo.1"),
        creator=creator,
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


def _report_release(order: ReleaseOrder, released: Released) -> None:
    """Report the release, and what changed since the previous one."""
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
    *,
    out: Path = option(
        "--out -o DIR", "Folder of the site; an older site in it is replaced.", default=...
    ),
    tables: str | None = hide(options.ONE_SET),
    dataset: list[str] = hide(options.ONLY_DATASETS),
    url: str | None = _URL,
    docs: Path | None = rare(
        "--docs DIR", "Folder of built documentation, to be part of the site."
    ),
) -> None:
    """Write a site: a calculator, a page for each dataset, and an address for every constant.

    It needs no server, and works from a folder: open index.html.

    Example: rankconst tables site --out public
    """
    from rankconst_builder.site import write_site

    _check_url(url, "https://example.org/rankconst")
    address = f"{url.rstrip('/')}/" if url else ""
    opened = load(tables)
    keys = tuple(dict.fromkeys(opened.resolve_dataset(name) for name in dataset))
    reporter = Reporter()
    sizes = write_site(opened, out, keys, url=address, docs=docs, reporter=reporter)
    total = sum(sizes.values()) / 1e6
    reporter.say(
        f"{out}: {len(sizes):,} files, {total:,.1f} MB, tables {opened.version}; open "
        f"{out / 'index.html'}"
    )
