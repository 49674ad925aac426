"""``rankconst tables verify``: check a set of tables, row by row. Needs the extra ``rankconst[builder]``."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.catalogue.names import resolve_name
from rankconst.cli import options
from rankconst.cli.options import option
from rankconst.cli.output import Column, Format, Listing, count, count_of, print_listing
from rankconst.download import Reporter, check_mirror, require_module
from rankconst.errors import UnknownNameError, VerificationError
from rankconst.names import show_controls
from rankconst.tables.tables import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankconst_builder.verify import Finding, Result, TableSet


SHOWN = 20
"""How many findings the table lists; JSON and CSV have all."""

SHOWN_NOTES = 3
"""How many notes of a check are shown under the table."""

_CHECKS = (
    Column("check", "check"),
    Column("covers", "covers", drop=2),
    Column("rows", "rows", count, right=True, drop=1),
    Column("outcome", "result"),
)

_KEY = (
    "dataset",
    "protocol",
    "split",
    "side",
    "aggregation",
    "baseline",
    "relation",
    "metric",
    "k",
    "offset",
    "num_candidates",
    "weight",
)

_FINDINGS = (
    Column("check", "check", drop=3),
    Column("place", "where"),
    Column("column", "column"),
    Column("expected", "expected", drop=1),
    Column("got", "got", drop=2),
    Column("message", "what is wrong"),
)

_ROW = ("check", "covers", "status", "rows", "table", *_KEY, "column", "expected", "got", "message", "seconds")


def verify(
    path: Annotated[
        str | None,
        typer.Argument(metavar="PATH", help="Folder, zip or URL of tables; those included if left out."),
    ] = None,
    rebuild: Annotated[
        bool, option("--rebuild", None, "Also compute every constant and count every histogram again, and compare.")
    ] = False,
    mirror: Annotated[
        str | None,
        option(
            *("--mirror", "DIR_OR_URL"),
            "For --rebuild: folder or URL with a copy of the sources; otherwise only the cache is used.",
            hidden=True,
            envvar="RANKCONST_MIRROR",
        ),
    ] = None,
    dataset: options.OnlyDatasets = None,
    format: options.Form = Format.table,
) -> None:
    """Check tables: hashes, columns, keys, ranges, and the laws that connect rows.

    Exits with 7 if anything differs, and names each row that does.

    Example: rankconst tables verify

    Example: rankconst tables verify --rebuild --dataset nations
    """
    require_module("pandas", "`rankconst tables verify`")
    from rankconst_builder.verify import Means, read_set, run_checks

    started = time.perf_counter()
    tables = load(path)
    opened = read_set(tables)
    if dataset:
        opened = opened.select(_find_datasets(opened, dataset))
    means = Means(mirror=check_mirror(mirror), reporter=Reporter()) if rebuild else None
    results = list(run_checks(opened, means))
    seconds = time.perf_counter() - started
    if format == Format.table:
        _print_table(results, f"{len(results)} checks of tables {opened.version} in {seconds:.1f} s: {tables.path}")
    else:
        rows = [dict.fromkeys(_ROW) | row for result in results for row in _list_rows(result)]
        print_listing(Listing.of([*map(Column, _ROW)], rows), format)
    wrong = [result for result in results if result.status != "ok"]
    if wrong:
        differ = sum(len(_of_level(result.findings, "failed")) for result in wrong)
        names = ", ".join(result.check.name for result in wrong)
        raise VerificationError(
            f"tables {opened.version} are not what they should be: {count_of(differ, 'difference')} in {len(wrong)} of "
            f"{len(results)} checks ({names})."
        )


def _find_datasets(tables: TableSet, names: Sequence[str]) -> list[str]:
    """Return the keys of datasets in any spelling; as they are written where the datasets cannot be read."""
    if "datasets" not in tables.whole:
        return list(names)
    spellings = {key: (str(row["title"]), *row["aliases"]) for key, row in tables.datasets.items()}
    wrong, found = [], []
    for name in names:
        try:
            found.append(resolve_name("dataset", name, spellings))
        except UnknownNameError as error:
            wrong.append(f"{error} The tables ({tables.version}) hold {len(spellings)} datasets.")
    if wrong:
        raise UnknownNameError("\n".join(wrong))
    return found


def _of_level(findings: Iterable[Finding], *levels: str) -> list[Finding]:
    return [finding for finding in findings if finding.level in levels]


def _print_table(results: Sequence[Result], caption: str) -> None:
    rows = [
        {"check": each.check.name, "covers": each.check.covers, "rows": each.rows, "outcome": _describe_outcome(each)}
        for each in results
    ]
    print_listing(Listing.of(_CHECKS, rows, caption=caption), Format.table)
    for level, title in (("failed", "differences"), ("warning", "warnings")):
        groups = [_of_level(result.findings, level) for result in results]
        if not any(groups):
            continue
        typer.echo()
        # A few of each check, so that one with many does not hide the others.
        turns = itertools.chain.from_iterable(itertools.zip_longest(*groups))
        shown = {id(each) for each in itertools.islice(filter(None, turns), SHOWN)}
        listed = [
            _describe(result, each) | {"place": _name_place(each)}
            for result, group in zip(results, groups, strict=True)
            for each in group
            if id(each) in shown
        ]
        more = sum(map(len, groups)) - len(listed)
        caption = f"{count(more)} more {title}; --format json lists all." if more else ""
        print_listing(Listing.of(_FINDINGS, listed, title=title, caption=caption), Format.table)
    notes = [line for result in results for line in _phrase_notes(result)]
    if notes:
        typer.echo("\n" + "\n".join(map(show_controls, notes)))


def _phrase_notes(result: Result) -> list[str]:
    """Return a check's notes, a line each; of many the first, and how many more there are."""
    notes = _of_level(result.findings, "note")
    shown = notes if len(notes) <= SHOWN_NOTES else notes[:1]
    lines = [f"note: {': '.join(filter(None, (result.check.name, _name_place(each), each.message)))}" for each in shown]
    if len(shown) < len(notes):
        lines.append(f"note: {result.check.name}: {count(len(notes) - 1)} more like it; --format json lists all")
    return lines


def _describe_outcome(result: Result) -> str:
    if result.status != "ok":
        failed = len(_of_level(result.findings, "failed"))
        return result.status if result.status == "not run" else f"failed: {count(failed)}"
    warnings = len(_of_level(result.findings, "warning"))
    return f"ok, {count_of(warnings, 'warning')}" if warnings else "ok"


def _name_place(finding: Finding) -> str:
    short = {"num_candidates": "N=", "k": "k=", "weight": "weight="}
    return " ".join(
        filter(None, (finding.table, *(f"{short.get(name, '')}{key}" for name, key in finding.key.items())))
    )


def _describe(result: Result, finding: Finding) -> dict[str, Any]:
    found = {name: getattr(finding, name) for name in ("column", "expected", "got", "message")}
    return {"check": result.check.name, "covers": result.check.covers} | found


def _list_rows(result: Result) -> Iterator[dict[str, Any]]:
    """Yield a row of a check, and one for each difference, warning and note."""
    named = {"check": result.check.name, "covers": result.check.covers}
    yield named | {"status": result.status, "rows": result.rows, "seconds": round(result.seconds, 3)}
    for each in result.findings:
        status = {"failed": "difference"}.get(each.level, each.level)
        where = {"status": status, "table": each.table or None} | {name: each.key.get(name) for name in _KEY}
        yield _describe(result, each) | where | {"column": each.column or None}
