"""``rankconst check``: what is impossible in results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rankconst.cli import options
from rankconst.cli.options import Evaluation, argument, hide, names_file, open_tables
from rankconst.cli.output import (
    NOTICE,
    print_listing,
    read_format,
    report_questions,
    report_reading,
    say,
)
from rankconst.errors import AskedError, DataError, UnknownNameError, UsageError
from rankconst.evaluation import Address
from rankconst.listing import Column, Format, Listing, find_width
from rankconst.names import read_count, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.checks.checking import CheckedReading
    from rankconst.results.reading import Reading

_COLUMNS = (
    Column("file", "file"),
    Column("line", "line", right=True),
    Column("columns", "columns"),
    Column("severity", "severity"),
    Column("rule", "rule"),
    Column("label", "evaluation"),
    Column("inequality", "must hold"),
    Column("statement", "finding"),
    Column("cause", "likely cause"),
    Column("values"),
    Column("table_version"),
)


def check(
    *,
    results: list[str] = argument(
        "FILE|NAME=VALUE",
        "Results files, - for standard input; or numbers: mrr=0.338 hits@10=0.533, "
        "amrr=0.3375 for adjusted, count=402 for how many ranks there are.",
    ),
    metric: str | None = hide(options.METRIC),
    evaluation: Evaluation,
    tables: list[str] = hide(options.FURTHER_TABLES),
    format: str = options.FORM,
    decimal: str | None = options.DECIMAL,
) -> int:
    """Find impossible numbers, and those that are of other ranking tasks than they seem.

    Hits@k grows with k, and bounds the MRR: numbers that break such a law are errors. Adjusted
    values with their base values, and numbers of ranks, confirm dataset, split, side and
    protocol. Exits with 6 if a law is broken.

    Example: rankconst check results.csv

    Example: rankconst check mr=470 amri=0.934
    """
    from rankconst.catalogue.metrics import parse_metric
    from rankconst.checks.checking import check_reading
    from rankconst.results.document import list_files
    from rankconst.results.formats import read

    form = read_format(format)
    files, typed = _split_results(results)
    opened = open_tables(tables)
    user = evaluation.require_single("check")
    if metric and not files:
        raise UsageError(f"leave out --metric: the numbers have names, as {typed[0]}.")

    only = parse_metric(metric) if metric else None
    readings = []
    for file_or_folder in files:
        for file in list_files(file_or_folder):
            readings.append(read(file, decimal=decimal, percent=evaluation.percent, metric=only))
            report_reading(readings[-1])

    readings = readings or [_read_typed(typed)]
    checks = [check_reading(reading, opened, user, metric=only) for reading in readings]
    if form is Format.table:
        for checked in checks:
            _print_findings(checked)
    else:
        rows = []
        for checked in checks:
            rows += checked.list_rows(nested=form is Format.json)
        print_listing(Listing.of(_COLUMNS, rows), form)

    return _conclude(checks)


def _conclude(checks: Sequence[CheckedReading]) -> int:
    """Report notes on stderr, and return the exit code."""
    from rankconst.checks.checking import summarise

    for checked in checks:
        _report(checked)

    say(summarise(checks))
    if any(checked.num_errors for checked in checks):
        return DataError.exit_code
    if all(checked.is_waiting for checked in checks):
        raise AskedError(
            "what needs the ranking tasks is not checked until these questions are answered."
        )
    return 0


# -- typed numbers ---------------------------------------------------------------------------------


def _split_results(results: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split arguments into files and named numbers, and refuse both at once."""
    typed = [result for result in results if "=" in result and not names_file(result)]
    files = [result for result in results if result not in typed]
    if not results:
        raise UsageError(
            "name a file of results, or numbers: rankconst check results.csv, or rankconst check "
            "mrr=0.338 amrr=0.3375."
        )
    if files and typed:
        raise UsageError(f"check a file or numbers, not both: leave out {files[0]} or {typed[0]}.")

    for file in files:
        if not names_file(file) and file.replace(".", "", 1).rstrip("%").isdigit():
            raise UsageError(f"which metric is {file}? Write it before the number: mrr={file}.")

    return files, typed


def _read_typed(typed: Sequence[str]) -> Reading:
    """Return typed numbers as a reading. ``count=402`` is the number of ranks."""
    from rankconst.catalogue.metrics import CATALOGUE, parse_adjusted_metric, parse_metric
    from rankconst.evaluation import complete_by_name
    from rankconst.results.reading import Entry, Reading, make_entries

    values = dict[str, str]()
    for text in typed:
        name, _, value = text.rpartition("=")
        if name in values:
            raise UsageError(f"{name} is given twice: check one evaluation at a time.")
        values[name] = value.strip()

    address = Address()
    entries = {}
    if "count" in values:
        text = values.pop("count")
        num_tasks = read_count(text)
        if not num_tasks:
            raise UsageError(f"count={shorten(text)}: expected a whole number of at least 1.")
        address = Address(num_tasks=num_tasks)
        if not values:  # no further number was typed
            entries["count"] = Entry(CATALOGUE["count"], text, row=0, column="count", line=None)

    for name, value in values.items():
        try:
            metric, form = parse_adjusted_metric(name)
        except UnknownNameError:
            metric, form = parse_metric(name), None
        context = complete_by_name(name, address)
        entries[name] = Entry(
            metric, value, row=0, column=name, line=None, context=context, adjustment=form
        )

    # One row, as all numbers are of one evaluation.
    row = {name: entry.text for name, entry in entries.items()}
    return Reading(
        name="the numbers",
        form="typed",
        layout="wide",
        columns=tuple(row),
        rows=(row,),
        entries=make_entries(entries.values()),
    )


# -- the screen ------------------------------------------------------------------------------------

_STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow"},
    "info": {"fg": "cyan"},
    "rule": {"bold": True},
    "below": {"dim": True},
}


def _print_findings(checked: CheckedReading) -> None:
    import typer

    from rankconst.checks.checking import write_findings

    NOTICE.stop()
    for text in write_findings(checked, find_width(), _paint):
        typer.echo(text)  # without the style where no terminal is


def _paint(text: str, style: str) -> str:
    import typer

    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return typer.style(text, **_STYLES[style])


# -- on stderr -------------------------------------------------------------------------------------


def _report(checked: CheckedReading) -> None:
    """Report on stderr numbers that could not be checked, and questions."""
    name = checked.reading.name
    for note in checked.notes:
        say(f"note: {name}: {note}")
    report_questions(checked.reading, checked.asked)
