"""Adjust a file of results for chance, as ``rankconst adjust --input FILE`` does."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from rankconst.cli.adjusted import lay_out
from rankconst.cli.lookup import resolve_dataset
from rankconst.cli.skipped import report_skipped, show_lines
from rankconst.errors import DataError
from rankconst.results.adjust import AdjustedEntry, AdjustedReading, adjust_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.cli.output import Format, Listing
    from rankconst.results.evaluation import Stated
    from rankconst.results.reading import Reading
    from rankconst.tables.tables import Tables


# Of more sources than this, caveats are not recited.
_FEW = 2


def adjust_file(
    reading: Reading,
    metrics: Sequence[Metric],
    user: Stated,
    tables: Tables,
    form: Format,
    *,
    significance: bool,
    place: str | None,
) -> Listing:
    """Adjust the numbers of a file, and say on stderr what was left out.

    Parameters
    ----------
    reading
        The file.
    metrics
        Only these; all if empty.
    setting
        What the user says about the file.
    tables
        Where the constants come from.
    form
        The output format.
    significance
        True to compute the probability that a random ranker does as well.
    place
        What the user named with ``--tables``.
    """
    adjusted = adjust_reading(
        reading,
        tables,
        fill_in_dataset(reading, user, tables),
        metrics=metrics,
        significance=significance,
        resolve=lambda name: resolve_dataset(tables, name, place),
        track=_track,
    )
    _report(adjusted)
    return lay_out(adjusted, form)


def fill_in_dataset(reading: Reading, user: Stated, tables: Tables) -> Stated:
    """Find the dataset of a file that names none by its own numbers, and say so.

    Raises
    ------
    DataError
        If they do not tell.
    """
    if user.dataset is not None or any(entry.context.dataset for entry in reading.entries):
        return user
    from rankconst.checks.identify.search import suggest_dataset

    match = suggest_dataset(reading, tables)
    if match is None:
        raise DataError(f"{reading.name} names no dataset, and its numbers do not tell: add --dataset.")
    unsaid = not any(entry.context.split for entry in reading.entries)
    typer.echo(
        f"note: {reading.name} names no dataset; its numbers are those of {match.dataset}"
        f"{f' {match.split}' if unsaid else ''} (`rankconst identify` shows why). Add --dataset to be sure.",
        err=True,
    )
    return replace(user, dataset=match.dataset, split=user.split or (match.split if unsaid else None))


def _report(adjusted: AdjustedReading) -> None:
    """Say on stderr what was left out and what there is to know."""
    reading = adjusted.reading
    report_skipped(reading)
    notes: dict[str, list[int]] = {}
    for each in adjusted.entries:
        if each.note:
            notes.setdefault(each.note, []).append(each.entry.line or 0)
    for note, lines in notes.items():
        at = sorted(set(lines) - {0})
        where = f", line{'s' * (len(at) > 1)} {show_lines(at)}" if at else ""
        typer.echo(f"note: {reading.name}{where}: {note}", err=True)
    if len(adjusted.tools) > _FEW:
        named = ", ".join(tool.key for tool in adjusted.tools)
        typer.echo(f"note: for the caveats of {named} see `rankconst sources NAME`.", err=True)
        return
    for tool in adjusted.tools:
        for caveat in tool.caveats:
            typer.echo(f"note: {source.title}: {caveat}", err=True)


def _track(entries: Sequence[AdjustedEntry]) -> Iterable[AdjustedEntry]:
    """Show progress on a terminal."""
    if not sys.stderr.isatty():
        return entries
    from rich.console import Console
    from rich.progress import track

    return track(entries, description="significance", console=Console(stderr=True), transient=True)
