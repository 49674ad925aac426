"""Listings: columns of values, and the formats that they are written in."""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.arrow import list_values
from rankconst.names import join_words, show_controls, write_html
from rankconst.values.published import Interval, show_number, show_uncertain

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = Mapping[str, Any]


def text(value: Any) -> str:
    """Show a value as it is, with lists joined and missing values as a dash."""
    if value is None or value in ([], ()):
        return "–"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def count(value: Any) -> str:
    """Show a whole number with thousands separators."""
    return "–" if value is None else f"{value:,}"


def number(digits: int) -> Callable[[Any], str]:
    """Return a function that shows a number with some significant digits, and None as a dash."""

    def show(value: Any) -> str:
        return "–" if value is None else show_number(value, digits)

    return show


_SMALL, _LARGE = 1e-3, 1e7  # beyond these, powers of ten are easier to read


def show_constant(value: float | None) -> str:
    """Show a constant with six digits, or as a power of ten if it is very small or large."""
    if value is None:
        return "–"
    is_plain = value == 0 or _SMALL <= abs(value) < _LARGE
    return show_number(value, 6) if is_plain else f"{value:.3e}"


def fixed(value: float | None) -> str:
    """Show a number with four decimals."""
    return "–" if value is None else f"{value:.4f}"


class Column(NamedTuple):
    """A column of a listing: its key in JSON and CSV, and its cells in tables."""

    key: str
    # The table's heading; None to leave the column out of the table.
    title: str | None = None
    # Turns a value into a cell.
    show: Callable[[Any], str] = text
    # True to align to the right.
    right: bool = False
    # On a terminal too narrow for the table, the columns with the largest number are left out
    # first, and those with 0 never.
    drop: int = 0
    # Makes the cell from all fields of the row, in place of `show`, which has only one.
    show_row: Callable[[Row], str] | None = None
    # True if cells are already written in the format's own markup.
    raw: bool = False
    # True for remarks about the row, which become comments in LaTeX.
    is_note: bool = False
    # The explanation of the column below the table on a screen; left out together with the column.
    meaning: str = ""
    # Key of the column to its left whose heading this one continues: "AMRR" next to "WN18RR". If
    # that column is left out, this heading is written in full: "WN18RR AMRR".
    continues: str = ""
    # On a screen, each group, such as a dataset, has a table of its own. Columns without a group
    # are repeated in each.
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Columns of values of the same length."""

    columns: Sequence[Column]
    # Key of a column to its values: a list (None: missing) or a numpy array (NaN: missing). It may
    # hold more keys than there are columns, for `show_row`.
    data: Mapping[str, Sequence[Any] | NDArray[Any]]
    # Lines that the table has above and below; not part of other formats.
    title: str = ""
    caption: str = ""
    # Text that a screen shows in place of the columns.
    card: str = ""
    # Whether all columns were asked for: a narrow screen has the fields of each row one below the
    # other.
    upright: bool = False

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        rows: Sequence[Row],
        title: str = "",
        caption: str = "",
        card: str = "",
    ) -> Listing:
        """Make a listing of rows with the same keys, which may be more than there are columns."""
        keys = [column.key for column in columns]
        if rows:
            keys += rows[0]
        data: dict[str, list[Any]] = {}
        for key in dict.fromkeys(keys):
            data[key] = [row[key] for row in rows]
        return cls(columns=columns, data=data, title=title, caption=caption, card=card)

    def __len__(self) -> int:
        return len(self.data[self.columns[0].key])

    def take(self, rows: Sequence[int]) -> Listing:
        """Return a listing of the rows at some indices."""
        data: dict[str, Any] = {}
        for key, values in dict[str, Any](self.data).items():
            if hasattr(values, "dtype"):
                data[key] = values[rows]
            else:
                data[key] = [values[row] for row in rows]
        return replace(self, data=data)

    @property
    def written(self) -> dict[str, Any]:
        """The values of each column by key, for programs."""
        return {column.key: self.data[column.key] for column in self.columns}

    def cells(
        self,
        column: Column,
        escape: Callable[[str], str] = show_controls,
        keep: Callable[[str], str] = show_controls,
    ) -> list[str]:
        """Return the cells of a column for people, escaped unless they are markup already."""
        if column.show_row is None:
            texts = [column.show(value) for value in list_values(self.data[column.key])]
        else:
            texts = [column.show_row(row) for row in self._rows()]
        finish = keep if column.raw else escape
        return [finish(text) for text in texts]

    def _rows(self) -> Iterator[Row]:
        lists = [list_values(values) for values in self.data.values()]
        for row in zip(*lists, strict=True):
            yield dict(zip(self.data, row, strict=True))


def _write_json(listing: Listing) -> Iterator[str]:
    """Yield a list of objects, one for each row, in blocks of many rows."""

    def encode(value: Any) -> str:
        # A probability of 0 has this logarithm. JSON has no infinity, but numbers too large for a
        # double, which programs read as infinite.
        if value == -math.inf:
            return "-1e999"
        indent = 2 if isinstance(value, (list, tuple, dict)) else None
        text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
        # A nested value is indented as deep as its row.
        return show_controls(text).replace("\n", "\n    ")

    from rankconst.tables.encode import write_rows

    heads = [f"    {encode(column.key)}: " for column in listing.columns]
    before = ["  {\n" + heads[0], *(",\n" + head for head in heads[1:])]
    between = "\n  },\n"
    opening = "[\n"
    for block in write_rows(listing.written, encode, before, between):
        yield opening + block
        opening = between

    yield "\n  }\n]\n" if len(listing) else "[]\n"


def find_width() -> int:
    """Return the width of the screen, which is unlimited in a pipe."""
    if not sys.stdout.isatty():
        return 10_000
    import shutil

    return shutil.get_terminal_size().columns


def _write_table(listing: Listing) -> Iterator[str]:
    """Yield what a screen shows: a card, or the tables of all groups.

    If a table is too wide, columns are left out in the order of their `drop`. If it is still too
    wide, the fields of each row are written below each other.
    """
    width = find_width()
    if listing.card:
        title = [listing.title, ""] if listing.title else []
        yield wrap(width, *title, listing.card, listing.caption) + "\n"
        return

    groups = _divide_groups(listing)
    grids = [_fill_grid(group) for group in groups]
    left_out = dict[str, None]()  # titles of columns
    is_single = len(listing) == 1
    while _are_too_wide(grids, width) and not is_single and not listing.upright:
        highest_drop = max(each.column.drop for grid in grids for each in grid)
        if not highest_drop:
            break
        for grid in grids:
            left_out |= dict.fromkeys(_list_titles(grid, highest_drop).values())
        grids = [_leave_out(grid, highest_drop) for grid in grids]

    if (is_single and listing.upright) or _are_too_wide(grids, width):
        yield from _write_upright(listing, groups, width)
        return

    for group, grid in zip(groups, grids, strict=True):
        table = f"{wrap(width, group.title)}\n\n{draw_grid(grid, width)}"
        if group is not groups[-1]:
            yield table.strip("\n") + "\n\n"
            continue

        notes = [_explain_columns(grid), listing.caption]
        if left_out:
            notes.append(f"Left out for lack of width: {', '.join(left_out)}.")
        caption = wrap(width, *filter(None, notes))
        yield f"{table}\n\n{caption}".strip("\n") + "\n"


def _are_too_wide(grids: Iterable[Sequence[GridColumn]], width: int) -> bool:
    """Return True if a table does not fit without breaking words or numbers."""
    return any(measure_narrow(grid) > width for grid in grids)


def _list_titles(grid: Iterable[GridColumn], drop: int) -> dict[str, str]:
    """Return the titles of the columns that are left out together, by key."""
    columns = [each.column for each in grid if each.column.drop == drop]
    return {column.key: column.title or "" for column in columns}


def _leave_out(grid: Iterable[GridColumn], drop: int) -> list[GridColumn]:
    """Leave out columns, and complete the headings that continued theirs."""
    titles = _list_titles(grid, drop)
    kept = []
    for grid_column in grid:
        column = grid_column.column
        if column.continues in titles:
            title = f"{titles[column.continues]} {column.title}"
            column = column._replace(title=title, continues="")
            kept.append(GridColumn(column, [title, *grid_column.cells[1:]]))
        elif column.key not in titles:
            kept.append(grid_column)

    return kept


def _write_upright(listing: Listing, groups: Sequence[Listing], width: int) -> Iterator[str]:
    """Write the fields of each row below each other, group by group."""
    is_single = len(listing) == 1
    for group in groups:
        grid = _fill_grid(group)
        if len(grid) == 2:  # a name and a text in each row: one list for all
            rows = [_write_pairs(grid[0].cells, grid[1].cells, width)]
        else:
            row_numbers = range(1, len(group) + 1)
            rows = [_write_fields(grid, row, width, is_single=is_single) for row in row_numbers]
        heading = f"{wrap(width, group.title)}\n\n" if group.title else "\n"
        yield heading + "\n\n".join(rows) + "\n\n"

    notes = [listing.caption]
    if not is_single:
        notes.insert(0, _explain_columns(_fill_grid(listing)))

    if any(notes):
        yield wrap(width, *filter(None, notes)).strip("\n") + "\n"


def _explain_columns(grid: Iterable[GridColumn]) -> str:
    """Write the meanings of columns, one on each line."""
    titles: dict[str, list[str]] = {}
    for each in grid:
        if each.column.meaning:
            titles.setdefault(each.column.meaning, []).append(each.column.title or "")
    lines = [f"{join_words(names)}: {meaning}." for meaning, names in titles.items()]
    return "\n".join(lines)


def _write_fields(grid: Sequence[GridColumn], row: int, width: int, *, is_single: bool) -> str:
    """Write the fields of a row below each other, with meanings if it is the only row."""
    names, texts = [], []
    widest = max((len(each.cells[row]) for each in grid if each.column.meaning), default=0)
    for each in grid:
        cell = each.cells[row]
        if is_single and cell:
            cell = f"{cell:<{widest}}   {each.column.meaning}".rstrip()
        if cell and (is_single or cell != "–"):
            names.append(each.cells[0])
            texts.append(cell)

    return _write_pairs(names, texts, width)


def _write_pairs(names: Sequence[str], texts: Sequence[str], width: int) -> str:
    """Write a table of two columns, of which the second may take several lines."""
    most = max(measure(name) for name in names)
    start = most + 5
    lines = []
    for name, cell in zip(names, texts, strict=True):
        first, *further = wrap(max(width - start, 1), cell).split("\n")
        lines.append(f"  {_pad(name, most)}   {first}")
        lines += [" " * start + line for line in further]

    return "\n".join(lines)


def _fill_grid(listing: Listing) -> list[GridColumn]:
    """Return the columns with a title, with their headings and cells."""
    grid = []
    for column in listing.columns:
        if column.title is not None:
            cells = [show_controls(column.title), *listing.cells(column)]
            grid.append(GridColumn(column, cells))
    return grid


def wrap(width: int, *texts: str, below: str = "") -> str:
    """Join texts, and break lines longer than `width`, which continue with `below`."""
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
    )
    wrapped = []
    for text in texts:
        for line in show_controls(text).split("\n"):
            wrapped += wrapper.wrap(line) or [""]

    return "\n".join(wrapped)


def _divide_groups(listing: Listing) -> list[Listing]:
    """Divide a table by the groups of its columns, such as datasets."""
    keys_of: dict[str, list[str]] = {}  # of the columns that are shown, by group
    for column in listing.columns:
        if column.group is not None and column.title is not None:
            keys_of.setdefault(column.group, []).append(column.key)

    if len(keys_of) < 2:
        return [listing]

    parts = []
    for group, keys in keys_of.items():
        rows = listing.take(_find_filled([list_values(listing.data[key]) for key in keys]))
        columns = [
            column._replace(title=_entitle(column, group, rows))
            for column in listing.columns
            if column.group in {None, group}
        ]
        title = "\n".join(filter(None, (listing.title, group)))
        parts.append(replace(rows, columns=columns, title=title, caption=""))

    return [*parts[:-1], replace(parts[-1], caption=listing.caption)]


def _find_filled(columns: Sequence[Sequence[Any]]) -> list[int]:
    """Return the rows in which at least one of the columns is not empty."""
    filled = []
    for row, cells in enumerate(zip(*columns, strict=True)):
        if any(cell not in (None, "") for cell in cells):
            filled.append(row)
    return filled


def _entitle(column: Column, group: str, rows: Listing) -> str | None:
    """Return the title of a column in the table of a group: MRR for "WN18RR / MRR" in WN18RR.

    None leaves the column out.
    """
    if column.group is None:
        return column.title if any(list_values(rows.data[column.key])) else None
    if column.title is None:
        return None
    return column.title.removeprefix(f"{group} / ").replace(f" ({group})", "")


def _write_markdown(listing: Listing) -> Iterator[str]:
    headings, rules, cells = [], [], []
    for column in listing.columns:
        if column.title is not None:
            headings.append(_escape_markdown(column.title))
            rules.append("---:" if column.right else "---")
            cells.append(listing.cells(column, _escape_markdown, _keep_markdown))

    for row in (headings, rules, *zip(*cells, strict=True)):
        yield f"| {' | '.join(row)} |\n"


# Signs that Markdown interprets: some anywhere, an underscore only at the edge of a word, "<" and
# "&" only where a tag or an entity begins.
_MARKDOWN = r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&(?=#?\w+;)"

# A bar, after no backslash or an even number of them.
_BAR = r"(?<!\\)((?:\\\\)*+)\|"


def _escape_markdown(cell: str) -> str:
    return _keep_markdown(re.sub(_MARKDOWN, r"\\\g<0>", cell))


def _keep_markdown(cell: str) -> str:
    """Return a cell of Markdown on one line, with bars escaped."""
    return re.sub(r"\s+", " ", show_controls(re.sub(_BAR, r"\1\\|", cell)))


def _write_latex(listing: Listing) -> Iterator[str]:
    """Write a table with its caption and a label, and notes about rows as comments above it."""
    shown = [
        column for column in listing.columns if column.title is not None and not column.is_note
    ]
    cells = [listing.cells(column, escape_latex) for column in shown]
    for column in listing.columns:
        if column.is_note and shown:
            noted = zip(listing.cells(shown[0]), listing.cells(column), strict=True)
            yield from (
                f"% {' '.join(f'{name}: {note}'.split())}\n" for name, note in noted if note
            )

    yield "\\begin{table}\n\\centering\n"
    caption = listing.title or listing.caption
    if caption:
        yield f"\\caption{{{escape_latex(caption)}}}\n\\label{{tab:rankconst}}\n"

    alignment = "".join("r" if column.right else "l" for column in shown)
    yield f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n"
    yield _join_latex(escape_latex(str(column.title)) for column in shown)
    yield "\\midrule\n"
    for row in zip(*cells, strict=True):
        yield _join_latex(row)

    yield "\\bottomrule\n\\end{tabular}\n\\end{table}\n"


def _join_latex(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    if row.startswith(("*", "[")):  # LaTeX would take it for a part of the end of the row before
        row = f"{{}}{row}"
    return f"{row} \\\\\n"


_LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"}
_LATEX |= {sign: f"${sign}$" for sign in "<>|"}
_LATEX |= {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "±": "$\\pm$",
    "–": "--",
    "×": "$\\times$",
    "↑": "$\\uparrow$",
    "↓": "$\\downarrow$",
}


def escape_latex(cell: str) -> str:
    """Escape a text for LaTeX."""
    return re.sub(r"\s+", " ", "".join(_LATEX.get(sign, sign) for sign in show_controls(cell)))


def _write_csv(listing: Listing) -> Iterator[str]:
    from rankconst.tables.encode import write_delimited

    return write_delimited(listing.written)


def _write_parquet(listing: Listing) -> Iterator[bytes]:
    from rankconst.tables.encode import write_parquet

    return write_parquet(listing.written)


def _write_workbook(listing: Listing) -> Iterator[bytes]:
    from rankconst.tables.encode import write_workbook

    return write_workbook(listing.written)


class Format(StrEnum):
    """Output formats, by the names that users type."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"
    parquet = "parquet"
    xlsx = "xlsx"

    def write(self, listing: Listing) -> Iterator[str] | Iterator[bytes]:
        """Yield a listing in this format, in blocks."""
        return _WRITERS[self](listing)


_WRITERS: Mapping[Format, Callable[[Listing], Iterator[str] | Iterator[bytes]]] = {
    Format.table: _write_table,
    Format.json: _write_json,
    Format.csv: _write_csv,
    Format.markdown: _write_markdown,
    Format.latex: _write_latex,
    Format.parquet: _write_parquet,
    Format.xlsx: _write_workbook,
}
_ENDINGS = ("txt", "json", "csv", "md", "tex", "parquet", "xlsx")
SUFFIXES = {f".{ending}": form for ending, form in zip(_ENDINGS, Format, strict=True)}
"""The formats by the endings of their files, with the dot: .tex for latex."""
FORMATS = {**{str(form): form for form in Format}, **dict(zip(_ENDINGS, Format, strict=True))}
"""The formats by their names, and by the endings of their files: latex, tex."""
FOR_PEOPLE = (Format.table, Format.markdown, Format.latex)
"""The formats of what is read by people, who get less; programs get all."""


def render(listing: Listing, form: Format) -> Iterator[bytes]:
    """Yield the bytes of a file with a listing, in blocks."""
    for block in form.write(listing):
        yield block if isinstance(block, bytes) else block.encode()


def print_text(listing: Listing) -> str:
    """Return what the screen shows of a listing, for `print` in Python."""
    return "".join(_write_table(listing)).rstrip("\n")


_MOST_SHOWN = 50  # rows, in a notebook


def show_html(listing: Listing) -> str:
    """Return a listing for a notebook, with only the first of many rows."""
    size = len(listing)
    part = listing if size <= _MOST_SHOWN else listing.take(range(_MOST_SHOWN))
    columns = {}
    for column in listing.columns:
        if column.title is not None:
            name = f"{column.continues} {column.title}" if column.continues else column.title
            columns[name] = part.cells(column)

    lines = listing.caption.split("\n")
    if listing.title:
        lines.insert(0, f"{listing.title}.")

    if size > _MOST_SHOWN:
        lines.append(f"The first {_MOST_SHOWN} of {size:,} rows.")

    return write_html(columns, " ".join(filter(None, lines)))


# -- cells that need several fields of a row -------------------------------------------------------


def show_interval(
    key: str, write: Callable[[float, Interval], str] = show_uncertain
) -> Callable[[Row], str]:
    """Return a function that shows the number under `key` of a row with its interval."""

    def show(row: Row) -> str:
        ends = Interval(row[f"{key}_lower"], row[f"{key}_upper"])
        return "–" if row[key] is None else write(row[key], ends)

    return show


def show_tail(key: str) -> Callable[[Row], str]:
    """Return a function that shows a probability, given as log10 under `key`, with its interval."""
    from rankconst.values.significance import show_probability

    return show_interval(key, show_probability)


_GAP = "   "  # between columns
_NARROW_GAP = "  "  # where there is no room
_FEWEST = 20  # the least width of a column of words that continue below
_UNSEEN = {"Mn", "Me", "Cf"}  # accents, and signs that join letters


@dataclass(frozen=True)
class GridColumn:
    """A column on the screen: its heading and its cells, each on one line."""

    column: Column
    cells: Sequence[str]

    @property
    def right(self) -> bool:
        """Whether to align to the right."""
        return self.column.right

    @functools.cached_property
    def sizes(self) -> list[int]:
        """The width of each cell."""
        return [measure(cell) for cell in self.cells]

    @functools.cached_property
    def width(self) -> int:
        """The width of the widest cell."""
        return max(self.sizes)

    @functools.cached_property
    def unbroken(self) -> int:
        """The smallest width that breaks no words or numbers."""
        if self.right:
            heading = _measure_words(self.cells[:1])
            return max([heading, *self.sizes[1:]])
        return _measure_words(self.cells)

    @property
    def least(self) -> int:
        """The smallest width that is easy to read."""
        return self.unbroken if self.right else min(self.width, max(self.unbroken, _FEWEST))


def measure(text: str) -> int:
    """Return the width of a text on a terminal, where a Chinese sign takes two places."""
    if text.isascii():
        return len(text)
    return sum(_measure_sign(sign) for sign in text)


def _measure_words(cells: Iterable[str]) -> int:
    """Return the width of the widest word, or 0 without words."""
    words = {word for cell in cells for word in cell.split()}
    return max((measure(word) for word in words), default=0)


@functools.cache
def _measure_sign(sign: str) -> int:
    if unicodedata.category(sign) in _UNSEEN:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in {"W", "F"} else 1


def measure_narrow(columns: Sequence[GridColumn]) -> int:
    """Return the smallest width of a table that is easy to read."""
    return _add_gaps([column.least for column in columns], _NARROW_GAP)


def _add_gaps(widths: Sequence[int], gap: str) -> int:
    """Return the width of a table with columns of some widths, and gaps between them."""
    return 2 + sum(widths) + len(gap) * (len(widths) - 1)


def draw_grid(columns: Sequence[GridColumn], width: int) -> str:
    """Draw a table, breaking the widest texts if it is wider than the screen.

    Words and numbers are never broken, so that the table may stay wider than `width`.
    """
    widths = [column.width for column in columns]
    fits = _add_gaps([column.least for column in columns], _GAP) <= width
    gap = _GAP if fits else _NARROW_GAP
    excess = _add_gaps(widths, gap) - width
    while excess > 0:
        # The widest column gives up a sign; of equally wide ones, words break better than headings.
        breakable = [
            index for index, column in enumerate(columns) if widths[index] > column.unbroken
        ]
        if not breakable:
            break
        widest = max(breakable, key=lambda index: (widths[index], not columns[index].right, index))
        widths[widest] -= 1
        excess -= 1

    lines, heading_lines = [], 0
    for row in zip(*(column.cells for column in columns), strict=True):
        folded = [_fold(cell, most) for cell, most in zip(row, widths, strict=True)]
        for cells in itertools.zip_longest(*folded, fillvalue=""):
            padded = [
                _pad(cell, most, right=column.right)
                for cell, most, column in zip(cells, widths, columns, strict=True)
            ]
            lines.append(f" {gap.join(padded)}".rstrip())
        heading_lines = heading_lines or len(lines)

    rule = "─" * (_add_gaps(widths, gap) - 2)
    return "\n".join([*lines[:heading_lines], f" {rule}", *lines[heading_lines:]])


_FILLER = "\0"  # cells have no control characters, so this is in none of them


def _fold(cell: str, most: int) -> list[str]:
    """Break a text into lines of limited width on a terminal."""
    if measure(cell) <= most:
        return [cell]
    # textwrap counts signs: one that takes two places gets a filler.
    filled = "".join(sign + _FILLER * (measure(sign) - 1) for sign in cell)
    return [line.replace(_FILLER, "") for line in textwrap.wrap(filled, max(most, 1))]


def _pad(cell: str, most: int, *, right: bool = False) -> str:
    """Fill up a cell to the width of its column on a terminal."""
    blanks = " " * (most - measure(cell))
    return f"{blanks}{cell}" if right else f"{cell}{blanks}"
