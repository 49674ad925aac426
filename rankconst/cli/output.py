"""How listings are written: one registry of formats, shared by every command."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rankconst.constants.published import show_number
from rankconst.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.table import Table


class Format(StrEnum):
    """Output formats, by the name users type."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"
    parquet = "parquet"


SUFFIXES: dict[str, Format] = {
    ".txt": Format.table,
    ".json": Format.json,
    ".csv": Format.csv,
    ".md": Format.markdown,
    ".tex": Format.latex,
    ".parquet": Format.parquet,
}
"""What a file's ending says about its format."""


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
        return "–" if value is None else show_number(value, digits)

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
    show_row
        Makes the cell from the whole row, where one field is not enough; `show` is not asked then.
    raw
        True if cells are already written in the format's own markup.
    """

    key: str
    title: str | None = None
    show: Callable[[Any], str] = text
    right: bool = False
    drop: int = 0
    show_row: Callable[[dict[str, Any]], str] | None = None
    raw: bool = False

    def cell(self, row: dict[str, Any]) -> str:
        """Return the cell of a row as people read it."""
        return self.show(row[self.key]) if self.show_row is None else self.show_row(row)


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
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 10_000)
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
        table.add_column(column.title or "", justify="right" if column.right else "left", overflow="fold")
    for row in listing.rows:
        table.add_row(*(column.cell(row) for column in shown))
    return table


def _write_markdown(listing: Listing) -> str:
    shown = [column for column in listing.columns if column.title is not None]
    lines = [
        _join_markdown(_escape_markdown(str(column.title)) for column in shown),
        _join_markdown("---:" if column.right else "---" for column in shown),
        *(_join_markdown(_cell(column, row, _escape_markdown) for column in shown) for row in listing.rows),
    ]
    return "\n".join(lines) + "\n"


def _join_markdown(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape_markdown(cell: str) -> str:
    return re.sub(r"\s+", " ", cell.replace("|", "\\|"))


def _write_latex(listing: Listing) -> str:
    shown = [column for column in listing.columns if column.title is not None]
    lines = [
        f"\\begin{{tabular}}{{{''.join('r' if column.right else 'l' for column in shown)}}}",
        "\\toprule",
        _join_latex(_escape_latex(str(column.title)) for column in shown),
        "\\midrule",
        *(_join_latex(_cell(column, row, _escape_latex) for column in shown) for row in listing.rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _join_latex(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "±": "$\\pm$",
    "–": "--",
    "×": "$\\times$",
    "↑": "$\\uparrow$",
    "↓": "$\\downarrow$",
}


def _escape_latex(cell: str) -> str:
    return re.sub(r"\s+", " ", "".join(_LATEX.get(sign, sign) for sign in cell))


def _cell(column: Column, row: dict[str, Any], escape: Callable[[str], str]) -> str:
    return column.cell(row) if column.raw else escape(column.cell(row))


def _write_parquet(listing: Listing) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {column.key: [row[column.key] for row in listing.rows] for column in listing.columns}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue())


FORMATS: dict[Format, Callable[[Listing], str | bytes]] = {
    Format.table: _write_table,
    Format.json: _write_json,
    Format.csv: _write_csv,
    Format.markdown: _write_markdown,
    Format.latex: _write_latex,
    Format.parquet: _write_parquet,
}
"""Format to the function that writes a listing in it; text, but for binary formats."""


def render(listing: Listing, form: Format) -> bytes:
    """Return a listing as the bytes of a file."""
    written = FORMATS[form](listing)
    return written if isinstance(written, bytes) else written.encode()


def print_listing(listing: Listing, form: Format) -> None:
    """Write a listing to stdout.

    Raises
    ------
    UsageError
        If the format is binary and stdout a terminal.
    """
    written = FORMATS[form](listing)
    if isinstance(written, str):
        sys.stdout.write(written)
    elif sys.stdout.isatty():
        raise UsageError(f"{form.value} is no text: send it to a file.")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(written)
