"""How listings are written: one registry of formats, shared by every command."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Table

__all__ = ["Column", "Format", "Listing", "count", "number", "print_listing", "text"]


class Format(StrEnum):
    """Output formats, by the name users type."""

    table = "table"
    json = "json"
    csv = "csv"


def text(value: Any) -> str:
    """Show a value as it is; lists joined, missing ones as a dash."""
    if value is None or value in ([], ()):
        return "–"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def count(value: Any) -> str:
    """Show a whole number with its thousands set apart."""
    return "–" if value is None else f"{value:,}"


def number(digits: int) -> Callable[[Any], str]:
    """Show a real number with so many significant digits, without an exponent where that stays readable."""

    def show(value: Any) -> str:
        if value is None:
            return "–"
        if value == 0 or not math.isfinite(value):
            return f"{value:g}"
        exponent = math.floor(math.log10(abs(value)))
        if not -5 <= exponent < 7:
            return f"{value:.{digits - 1}e}"
        return f"{value:,.{max(digits - 1 - exponent, 0)}f}"

    return show


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a listing: the key in JSON and CSV, and how the table shows it.

    Attributes
    ----------
    key
        The field's name.
    title
        The table's heading; None to leave the column out of the table.
    show
        Turns a value into a cell.
    right
        True to align to the right.
    drop
        On a terminal too narrow for the table, columns with the largest number are left out first; those with 0
        never are.
    """

    key: str
    title: str | None = None
    show: Callable[[Any], str] = text
    right: bool = False
    drop: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows under columns.

    Attributes
    ----------
    columns
        In their order; rows hold a value for each.
    rows
        Field name to value.
    title, caption
        Lines that the table has above and below; not part of JSON and CSV.
    """

    columns: Sequence[Column]
    rows: Sequence[dict[str, Any]]
    title: str = ""
    caption: str = ""


def _write_json(listing: Listing) -> str:
    rows = [{column.key: row[column.key] for column in listing.columns} for row in listing.rows]
    return json.dumps(rows, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _write_csv(listing: Listing) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.key for column in listing.columns])
    for row in listing.rows:
        cells = [row[column.key] for column in listing.columns]
        writer.writerow(["; ".join(map(str, cell)) if isinstance(cell, (list, tuple)) else cell for cell in cells])
    return buffer.getvalue()


def _write_table(listing: Listing) -> str:
    from rich.console import Console

    # A pipe has no width: rows must not be cut there.
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 10_000)
    shown = [column for column in listing.columns if column.title is not None]
    table = _lay_out(listing, shown)
    left_out: list[str] = []
    while console.measure(table, options=console.options.update(max_width=10_000)).maximum > console.width:
        least = max(shown, key=lambda column: column.drop)
        if least.drop == 0:
            break
        shown.remove(least)
        left_out.append(str(least.title))
        table = _lay_out(listing, shown)
    with console.capture() as capture:
        if listing.title:
            console.print(listing.title, soft_wrap=True)
        console.print(table)
        if listing.caption:
            console.print(listing.caption, soft_wrap=True)
        if left_out:
            console.print(f"Left out for lack of width: {', '.join(left_out)}.", soft_wrap=True)
    return "\n".join(line.rstrip() for line in capture.get().strip("\n").split("\n")) + "\n"


def _lay_out(listing: Listing, shown: Sequence[Column]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in shown:
        table.add_column(column.title or "", justify="right" if column.right else "left")
    for row in listing.rows:
        table.add_row(*(column.show(row[column.key]) for column in shown))
    return table


FORMATS: dict[Format, Callable[[Listing], str]] = {
    Format.table: _write_table,
    Format.json: _write_json,
    Format.csv: _write_csv,
}
"""Format to the function that writes a listing in it."""


def print_listing(listing: Listing, form: Format) -> None:
    """Write a listing to stdout."""
    sys.stdout.write(FORMATS[form](listing))
