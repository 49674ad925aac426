"""``rankconst tables verify``: check a set of tables, row by row. Needs the extra ``rankconst[builder]``."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.catalogue.names import resolve_name
from rankconst.cli import options
from rankconst.cli.options import option
from rankconst.cli.output import Column, Format, Listing, count, print_listing
from rankconst.download import Reporter, check_mirror, require_module
from rankconst.errors import UnknownNameError, VerificationError
from rankconst.names import show_controls
from rankconst.tables.tables import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

_EVERYTHING = tuple(
    Column(key)
    for key in ("check", "covers", "status", "rows", "table", *_KEY, "column", "expected", "got", "message", "seconds")
)


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
        rows = [row for result in results for row in _list_rows(result)]
        print_listing(Listing.of(columns=_EVERYTHING, rows=rows), format)
    wrong = [result for result in results if result.status != "ok"]
    if wrong:
        differ = sum(len(_of_level(result.findings, "failed")) for result in wrong)
        names = ", ".join(result.check.name for result in wrong)
        raise VerificationError(
            f"tables {opened.version} are not what they should be: {count(differ)} "
            f"{'difference' if differ == 1 else 'differences'} in {len(wrong)} of {len(results)} checks ({names})."
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
        {
            "check": result.check.name,
            "covers": result.check.covers,
            "rows": result.rows,
            "outcome": _describe_outcome(result),
        }
        for result in results
    ]
    print_listing(Listing.of(columns=_CHECKS, rows=rows, caption=caption), Format.table)
    marked = [(result, finding) for result in results for finding in result.findings]
    for level, title in (("failed", "differences"), ("warning", "warnings")):
        chosen = [(result, finding) for result, finding in marked if finding.level == level]
        if not chosen:
            continue
        typer.echo()
        # A few of each check, so that one with many does not hide the others.
        shown = _take_in_turn([[pair for pair in chosen if pair[0] is result] for result in results], SHOWN)
        more = len(chosen) - len(shown)
        listed = [_describe_finding(result, finding) for result, finding in shown]
        caption = f"{count(more)} more {title}; --format json lists all." if more else ""
        print_listing(Listing.of(columns=_FINDINGS, rows=listed, title=title, caption=caption), Format.table)
    notes = [line for result in results for line in _phrase_notes(result)]
    if notes:
        typer.echo("\n" + "\n".join(map(show_controls, notes)))


def _phrase_notes(result: Result) -> list[str]:
    """Return a check's notes, a line each; of many the first, and how many more there are."""
    notes = _of_level(result.findings, "note")
    shown = notes if len(notes) <= SHOWN_NOTES else notes[:1]
    lines = [f"note: {result.check.name}: {_join(_name_place(note), note.message)}" for note in shown]
    if len(shown) < len(notes):
        lines.append(f"note: {result.check.name}: {count(len(notes) - 1)} more like it; --format json lists all")
    return lines


def _take_in_turn(groups: list[list[Any]], limit: int) -> list[Any]:
    turns = itertools.chain.from_iterable(itertools.zip_longest(*groups))
    chosen = [id(item) for item in itertools.islice((item for item in turns if item is not None), limit)]
    return [item for group in groups for item in group if id(item) in chosen]


def _describe_outcome(result: Result) -> str:
    if result.status != "ok":
        failed = len(_of_level(result.findings, "failed"))
        return result.status if result.status == "not run" else f"failed: {count(failed)}"
    warnings = len(_of_level(result.findings, "warning"))
    return f"ok, {count(warnings)} {'warning' if warnings == 1 else 'warnings'}" if warnings else "ok"


def _join(place: str, message: str) -> str:
    return f"{place}: {message}" if place else message


def _name_place(finding: Finding) -> str:
    return " ".join(part for part in (finding.table, *(_name_value(*pair) for pair in finding.key.items())) if part)


def _name_value(name: str, value: Any) -> str:
    short = {"num_candidates": "N=", "k": "k=", "weight": "weight="}.get(name, "")
    return f"{short}{value}"


def _describe_finding(result: Result, finding: Finding) -> dict[str, Any]:
    return {
        "check": result.check.name,
        "place": _name_place(finding),
        "column": finding.column,
        "expected": finding.expected,
        "got": finding.got,
        "message": finding.message,
    }


def _list_rows(result: Result) -> list[dict[str, Any]]:
    """Return a row of a check that is ok, with its warnings and notes, or one for each difference."""
    empty = dict.fromkeys((column.key for column in _EVERYTHING), None)
    head = {**empty, "check": result.check.name, "covers": result.check.covers}
    about = {**head, "status": result.status, "rows": result.rows, "seconds": round(result.seconds, 3)}
    return [about] + [
        {
            **head,
            "status": {"failed": "difference"}.get(finding.level, finding.level),
            "table": finding.table or None,
            **{name: finding.key.get(name) for name in _KEY},
            "column": finding.column or None,
            "expected": finding.expected,
            "got": finding.got,
            "message": finding.message,
        }
        for finding in result.findings
    ]
