"""Tables in reStructuredText: grid and simple tables, ``list-table`` and ``csv-table``; also boxes that programs print.

References
----------
docutils, reStructuredText Markup Specification, "Grid Tables" and "Simple Tables", and Directives, "list-table".
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rankconst.results.reading import LONGEST_TEXT, Reader, Reading
from rankconst.results.tables.boxes import plain_boxes
from rankconst.results.tables.cells import Row, is_number
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.near import Outline
from rankconst.results.tables.settings import read_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed

GRID = re.compile(r"\s*\+(?:[-=:]+\+)+\s*")
_SIMPLE = re.compile(r"\s*=+(?:[ \t]+=+)+\s*")
_DASHES = re.compile(r"\s*-+(?:[ \t]+-+)*\s*")
_DIRECTIVE = re.compile(r"(\s*)\.\.\s+(list-table|csv-table|table)::[ \t]*(.*)")
_OPTION = re.compile(r"\s*:([\w-]+):[ \t]*(.*)")
_UNDERLINE = re.compile(r"([=\-`:.'\"~^_*+#])\1{2,}\s*")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+\S")
_LIST_ROW = re.compile(r"\s*\*\s+-(?:\s+(.*))?")
_LIST_CELL = re.compile(r"\s*-(?:\s+(.*))?")
_SEARCHED = 1_000_000
_LONGEST_CELL = 2_000
_LONGEST_SIMPLE = 5_000  # lines of a simple table
# A grid may be padded with this many characters, and 16 times its text.
_WIDENED = 10**6
_MARKUP = re.compile(r"[*`_|\\<\[]")
_REPLACED = (
    (re.compile(r":\w+:`([^`<]*)(?:<[^<>`]*>)?`"), r"\1"),  # a role
    (re.compile(r"`([^`<\s]*(?:\s+[^`<\s]+)*)\s*(?:<[^<>`]*>)?`_{0,2}"), r"\1"),  # a link
    (re.compile(r"(?:(?<!\s)\s+)?\[[#*\w]{1,20}\]_(?!\w)"), ""),  # a footnote
    (re.compile(r"(?<![\w*])(\*{1,2})(?=[^\s*])([^*]*[^\s*])\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<=\w)_{1,2}(?!\w)"), ""),  # a reference
    (re.compile(r"\\(?=\W)"), ""),
)


def strip_rst(cell: str) -> str:
    """Return a text without markup."""
    text = " ".join(cell.split())
    if len(text) > _LONGEST_CELL or not _MARKUP.search(text):
        return text
    for pattern, put in _REPLACED:
        text = pattern.sub(put, text)
    return text.strip()


def _make_row(line: int, cells: Sequence[str], spans: dict[int, int] | None = None) -> Row:
    written = tuple(" ".join(cell.split()) for cell in cells)
    return Row(line, written, tuple(map(strip_rst, written)), {} if spans is None else spans)


class _Lines:
    """The lines of a document, with the outline of those that were read."""

    def __init__(self, document: Document) -> None:
        self.lines = document.lines
        self.outline = Outline()
        self.caption = ""
        self._levels: dict[tuple[str, bool], int] = {}
        self._paragraph: list[str] = []
        self._rules = [j for j, line in enumerate(self.lines) if _SIMPLE.fullmatch(line)]
        self._last = [j for k, j in enumerate(self._rules) if self._is_last(k)]

    def read(self) -> None:
        i = 0
        while i < len(self.lines):
            i = self._read_at(i)
        self._end_paragraph()

    def _is_last(self, k: int) -> bool:
        """Tell whether a rule ends a simple table: a blank line follows, or it is the third of its kind in a log."""
        j, above = self._rules[k], self._rules[max(k - 2, 0) : k]
        if j + 1 == len(self.lines) or not self.lines[j + 1].strip():
            return True
        alike = len(above) == 2 and all(self.lines[each] == self.lines[j] for each in above)
        return alike and above[1] == above[0] + 2 and all(map(str.strip, self.lines[above[1] : j][:_LONGEST_SIMPLE]))

    def _read_at(self, i: int) -> int:
        """Read what begins in a line; return the next one."""
        line = self.lines[i]
        directive = _DIRECTIVE.fullmatch(line)
        if directive is not None:
            self._end_paragraph()
            title = strip_rst(directive[3])
            if directive[2] == "table":
                self.caption = title
                return i + 1
            read = _read_list if directive[2] == "list-table" else _read_csv
            rows, end = read(self.lines, i + 1, len(directive[1]))
            self._add(rows, directive[1], title)
            return end
        if GRID.fullmatch(line):
            rows, end = read_grid(self.lines, i)
        elif _SIMPLE.fullmatch(line):
            rows, end = self._read_simple(i)
        else:
            return self._read_text(i)
        self._end_paragraph()
        self._add(rows, line[: len(line) - len(line.lstrip())], self.caption)
        return end

    def _read_simple(self, i: int) -> tuple[list[Row], int]:
        """Read the simple table that begins in a line, if it has an end; of three rules the second ends the heading."""
        place = bisect_right(self._last, i)
        if place == len(self._last) or self._last[place] >= i + _LONGEST_SIMPLE:
            return [], i + 1
        second, last = self._rules[bisect_right(self._rules, i)], self._last[place]
        return _read_simple(self.lines, i, second, last), last + 1

    def _add(self, rows: list[Row], indent: str, caption: str) -> None:
        if rows:
            self.outline.add_table(rows, len(indent), [caption] if caption else [])
        self.caption = ""

    def _read_text(self, i: int) -> int:
        line = self.lines[i]
        below = self.lines[i + 1] if i + 1 < len(self.lines) else ""
        under = _UNDERLINE.fullmatch(below)
        if line.strip() and under is not None and not line.startswith((" ", "\t")) and not _UNDERLINE.fullmatch(line):
            over = i > 0 and self.lines[i - 1].strip() == below.strip()
            self._paragraph.clear()
            level = self._levels.setdefault((under[1], over), len(self._levels) + 1)
            self.outline.add_heading(level, strip_rst(line))
            return i + 2
        if not line.strip() or _UNDERLINE.fullmatch(line) or _OPTION.fullmatch(line) or line.lstrip().startswith(".. "):
            self._end_paragraph()
            if _OPTION.fullmatch(line) and read_pairs((line,)):
                self.outline.add_text(line.strip())
        else:
            if _ITEM.match(line):
                self._end_paragraph()
            self._paragraph.append(line)
        return i + 1

    def _end_paragraph(self) -> None:
        text = re.sub(r"https?://[^\s>)`]*", "", strip_rst(" ".join(self._paragraph)))
        if text:
            item = _ITEM.match(self._paragraph[0])
            self.outline.add_text(text, None if item is None else len(item[1].expandtabs(4)))
        self._paragraph.clear()


def read_grid(lines: Sequence[str], i: int) -> tuple[list[Row], int]:
    """Read a grid table; a cell may go on over several lines, and span columns and rows."""
    end = i
    while end < len(lines) and lines[end].lstrip().startswith(("+", "|")):
        end += 1
    width = max(len(line.rstrip()) for line in lines[i:end])
    if width * (end - i) > _WIDENED + 16 * sum(map(len, lines[i:end])):
        return [], end  # lines of a grid are equally long
    grid = [line.rstrip().ljust(width) for line in lines[i:end]]
    edges = sorted({place for line in grid if GRID.fullmatch(line) for place, sign in enumerate(line) if sign == "+"})
    rows: list[tuple[int, list[str], dict[int, int]]] = []
    begun: dict[int, int] = {}  # column of a cell that goes on below to the row that it began in, and has its text
    start = 1
    for place, line in enumerate(grid[1:], 1):
        ruled = {j for j, (left, right) in enumerate(pairwise(edges)) if set(line[left : right + 1]) <= set("+-=:")}
        if not ruled:
            continue
        part = grid[start:place] if rows else _drop_types(grid[start:place], edges)
        separate = [] if begun else _split_lines(part, edges)
        rows += ((i + start + j, cells, spans) for j, (cells, spans) in enumerate(separate, 1))
        if place > start and not separate:
            cells, spans = _split_grid(part, edges)
            for j, row in begun.items():
                rows[row][1][j], cells[j] = f"{rows[row][1][j]} {cells[j]}", ""
            rows.append((i + start + 1, cells, spans))
        open_cells = [j for j in range(len(edges) - 1) if rows and j not in ruled and line[edges[j]] in "|+"]
        begun = {j: begun.get(j, len(rows) - 1) for j in open_cells}
        for j, row in begun.items():
            stop = next(edge for edge in edges[j + 1 :] if line[edge] in "|+" or edge == edges[-1])
            rows[row][1][j] += f" {line[edges[j] + 1 : stop]}"
        start = place + 1
    return [_make_row(*row) for row in rows], end


def _drop_types(part: list[str], edges: Sequence[int]) -> list[str]:
    """Return the lines of a heading without those of types, which frames print below names."""
    cells = [] if len(part) < 2 else _split_grid(part[-1:], edges)[0]
    if not cells or not all(map(_TYPE.fullmatch, cells)):
        return part
    return [line for line in part[:-1] if set(line) - set("|- ")]


_TYPE = re.compile(
    r"(?:u?int|[iuf])(?:8|16|32|64)|float(?:32|64)?|double|bool(?:ean)?|str(?:ing)?|varchar|integer|bigint|object|cat"
)


def _split_lines(part: Sequence[str], edges: Sequence[int]) -> list[tuple[list[str], dict[int, int]]]:
    """Return a row for each line if each has a name and a number, as where rules are around the whole body only."""
    split = [_split_grid([line], edges) for line in part]
    return split if len(split) > 1 and all(cells[0] and any(map(is_number, cells)) for cells, _ in split) else []


def _split_grid(part: Sequence[str], edges: Sequence[int]) -> tuple[list[str], dict[int, int]]:
    cells, spans, j = list[str](), dict[int, int](), 0
    while j < len(edges) - 1:
        stop = j + 1
        while stop < len(edges) - 1 and not all(line[edges[stop]] in "|+" for line in part):
            stop += 1
        cells += [" ".join(line[edges[j] + 1 : edges[stop]].strip() for line in part), *[""] * (stop - j - 1)]
        if stop - j > 1:
            spans[j] = stop - j
        j = stop
    return cells, spans


def _read_simple(lines: Sequence[str], i: int, second: int, last: int) -> list[Row]:
    """Read a simple table between its rules; an empty first cell of the body goes on with the row above."""
    columns = [found.span() for found in re.finditer("=+", lines[i])]
    rows: list[Row] = []
    for j in range(i + 1, last):
        line = lines[j]
        if not line.strip() or _SIMPLE.fullmatch(line) or _DASHES.fullmatch(line):
            continue
        below = lines[j + 1]
        spanned = columns
        if _DASHES.fullmatch(below) and below.strip():
            spanned = [found.span() for found in re.finditer("-+", below)]
        cells, spans = _split_simple(line, columns, spanned)
        if rows and not cells[0] and second < j and not spans:
            joined = [f"{above} {cell}".strip() for above, cell in zip(rows[-1].cells, cells, strict=True)]
            rows[-1] = _make_row(rows[-1].line, joined, dict(rows[-1].spans or {}))
        else:
            rows.append(_make_row(j + 1, ["" if cell in {"\\", ".."} else cell for cell in cells], spans))
    return rows


def _split_simple(
    line: str, columns: Sequence[tuple[int, int]], spanned: Sequence[tuple[int, int]]
) -> tuple[list[str], dict[int, int]]:
    cells, spans = [""] * len(columns), dict[int, int]()
    for place, (start, _) in enumerate(spanned):
        stop = spanned[place + 1][0] if place + 1 < len(spanned) else max(len(line), 1)
        inside = [j for j, (left, _) in enumerate(columns) if start <= left < stop or left == start]
        if inside:
            cells[inside[0]] = line[start:stop].strip()
            if len(inside) > 1:
                spans[inside[0]] = len(inside)
    return cells, spans


def _read_list(lines: Sequence[str], i: int, indent: int) -> tuple[list[Row], int]:
    """Read a list-table: a list of rows, each a list of cells."""
    rows: list[tuple[int, list[str]]] = []
    while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip()) > indent):
        line = lines[i]
        row, cell = _LIST_ROW.fullmatch(line), _LIST_CELL.fullmatch(line)
        if row is not None:
            rows.append((i + 1, [row[1] or ""]))
        elif cell is not None and rows:
            rows[-1][1].append(cell[1] or "")
        elif rows and line.strip():
            rows[-1][1][-1] += f" {line.strip()}"
        i += 1
    return [_make_row(line, cells) for line, cells in rows], i


def _read_csv(lines: Sequence[str], i: int, indent: int) -> tuple[list[Row], int]:
    """Read a csv-table, whose heading may be an option."""
    options, start, end = dict[str, str](), i, i
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        option = _OPTION.fullmatch(lines[end])
        if option is not None and end == start:
            options[option[1]] = option[2]
            start = end + 1
        end += 1
    delimiter = options.get("delim") or ","
    delimiter = {"tab": "\t", "space": " "}.get(delimiter, delimiter[0])
    content = [(j + 1, lines[j].strip()) for j in range(start, end) if lines[j].strip()]
    if "header" in options:
        content.insert(0, (i + 1, options["header"]))
    rows = []
    for line, text in content:
        try:
            cells = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
        except csv.Error:  # a cell beyond all size
            cells = [text[:_LONGEST_CELL]]
        rows.append(_make_row(line, cells))
    return rows, end


def _find_tables(document: Document) -> list[Printed]:
    found = _Lines(document)
    found.read()
    return found.outline.list_tables()


_MARKS = re.compile(
    r"^[ \t]*(?:\+(?:[-=:]{2,}\+){2,}[ \t]*$|\.\.[ \t]+(?:list|csv)-table::|={3,}(?:[ \t]+={3,})+[ \t]*$)", re.MULTILINE
)


def _recognise(document: Document) -> bool:
    return _MARKS.search(plain_boxes(document.text[:_SEARCHED])) is not None


def _read(document: Document) -> Reading:
    boxed = replace(document, text=plain_boxes(document.text))
    return read_tables(document, READER.key, _find_tables(boxed))


READER = Reader(
    "rst", "tables in reStructuredText: grid, simple, list-table, csv-table", _recognise, _read, most=LONGEST_TEXT
)
