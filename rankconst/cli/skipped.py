"""Say what a reader left out of a file, few lines for however many places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.results.reading import Reading, Skipped


MOST_REASONS = 7
"""So many reasons have a line of their own."""

_MOST_RUNS = 6
_MOST_NAMED = 3
_LONGEST = 80


def report_skipped(reading: Reading) -> None:
    """Say on stderr what was left out of a file: one line for all places with the same reason.

    Parameters
    ----------
    reading
        What a reader found.
    """
    by_reason: dict[str, list[Skipped]] = {}
    for skipped in reading.skipped:
        by_reason.setdefault(skipped.why, []).append(skipped)
    groups = list(by_reason.items())
    for why, group in groups[:MOST_REASONS]:
        lines = {skipped.line for skipped in group if skipped.line is not None}
        place = f", line{'s' * (len(lines) > 1)} {show_lines(lines)}" if lines else ""
        typer.echo(f"skipped: {reading.name}{place}: {_name(group)}: {why}", err=True)
    others = [skipped for _, group in groups[MOST_REASONS:] for skipped in group]
    if others:
        reasons = len(groups) - MOST_REASONS
        typer.echo(
            f"skipped: {reading.name}: {len(others):,} more, for {reasons:,} other reason{'s' * (reasons > 1)}",
            err=True,
        )


def _name(group: Iterable[Skipped]) -> str:
    """Name what was left out: the first few things that differ, and how many more."""
    things = list(dict.fromkeys(skipped.what for skipped in group))
    shown = [thing if len(thing) <= _LONGEST else f"{thing[:_LONGEST]}..." for thing in things[:_MOST_NAMED]]
    more = len(things) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def show_lines(lines: Iterable[int]) -> str:
    """Write line numbers, runs as ranges, and how many lines beyond the first few runs there are.

    Examples
    --------
    >>> show_lines([2, 3, 4, 9])
    '2-4, 9'
    """
    runs: list[list[int]] = []
    for line in sorted(set(lines)):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    shown = [f"{first:,}" if first == last else f"{first:,}-{last:,}" for first, last in runs[:_MOST_RUNS]]
    more = sum(last - first + 1 for first, last in runs[_MOST_RUNS:])
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
