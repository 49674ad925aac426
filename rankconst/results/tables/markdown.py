r"""Pipe tables in Markdown, and tables in HTML, one or several, with any text around them.

References
----------
GitHub Flavored Markdown Spec 0.29, section 4.10: the pipes at the ends of a row may be missing, ``\|`` is a pipe
within a cell, and a table ends at an empty line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING

from rankconst.results.hidden import hide_html, is_hidden
from rankconst.results.reading import LONGEST_TEXT, Reader, Reading
from rankconst.results.tables.boxes import plain_boxes
from rankconst.results.tables.cells import Row, check_spans, check_width
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.latex import strip_latex
from rankconst.results.tables.near import Outline
from rankconst.results.tables.rst import GRID, read_grid
from rankconst.results.tables.text import RULE, add_tables, begins_table, may_have_table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed


# In Org and psql with +.
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)*\|?|\|?=+(?:[|+]=+)+\|?")
_FENCE = re.compile(r"\s*(?:[-*+>]\s+)?(```+(?=[^`]*$)|~~~+)")
_CODE = re.compile(r"(?: {4}|\t)[ \t]*+\S")
_HEADING = re.compile(r"\s{0,3}(#{1,6})(?:[ \t]+(.*)|[ \t#]*)")
_TAGGED = re.compile(r"<h([1-6])[^<>]*>(.*?)(?:</h[1-6]>)?", re.IGNORECASE)
_TITLE = re.compile(r"\s{0,3}#\+title:(.*)", re.IGNORECASE)  # of Org
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{2,})\s*")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+\S")
# A sign that may be the mark of a footnote, though it makes a list or a definition.
_FOOTNOTE = re.compile(r"\s{0,3}\\?(?:([*#])(?!\1)|\[\^(\w{1,20})\]:)")
_URL = re.compile(r"https?://[^\s)\]]*")
_TABLE = re.compile(r"<table\b[^<>]*>.*?<t[dh]\b", re.IGNORECASE | re.DOTALL)
_SEARCHED = 1_000_000
_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_LONGEST_CELL = 2_000
_VALUE = re.compile(r"[-+*_~]*[\d.]")


def strip_markdown(cell: str) -> str:
    """Return a cell without markup; superscripts become ``^{...}``."""
    text = cell.strip()
    if len(text) > _LONGEST_CELL or not _MARKUP.search(text):
        return text
    text = _MATH.sub(lambda found: strip_latex(found[0]), text)
    text = _ESCAPED.sub(lambda found: chr(_ASIDE + ord(found[1])), text)
    for pattern, put in _REPLACED:
        text = pattern.sub(put, text)
    if "&" in text:
        import html  # only needed here

        text = html.unescape(text)
    return text.translate(_BACK).strip()


_MATH = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+)\$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# Escaped characters are moved to a plane for private use while markup is removed.
_ASIDE = 0xF0000
_BACK = {_ASIDE + code: code for code in range(128)}
_MARKUP = re.compile(r"[*_<>&$\\`\[]")
_REPLACED = (
    (re.compile(r"!\[[^\[\]]*\]\([^()]*\)"), ""),  # an image
    (re.compile(r"\[(\[[^\[\]]*\]|[^\[\]]*)\]\([^()]*\)"), r"\1"),  # a link
    (re.compile(r"\[\^[^\[\]]{1,20}\]"), ""),  # a footnote
    (re.compile(r"<sup>([^<>]*)</sup>", re.IGNORECASE), r"^{\1}"),
    # A gain or a loss; other subscripts are parts of names.
    (re.compile(r"<sub>\s?([+\u2212\u2013-]\s?[\d.]+%?)\s?</sub>", re.IGNORECASE), r"_{\1}"),
    # A number behind another one, and what a metric is of.
    (re.compile(r"(?<=\d)<sub>\s?([\d.]+%?)\s?</sub>", re.IGNORECASE), r"_{\1}"),
    (re.compile(r"(?<=[^\W\d])<sub>\s?([^\W\d]{3,12}\.?)\s?</sub>", re.IGNORECASE), r" \1"),
    (re.compile(r"</?(?:s|del|strike)>", re.IGNORECASE), "~~"),
    (re.compile(r"<(?:br|img)[^<>]*>", re.IGNORECASE), " "),
    (re.compile(r"</?[a-zA-Z][^<>]*>"), ""),
    (re.compile(r"`([^`]+)`"), r"\1"),
    (re.compile(r"(?<!\*)(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?!\*)"), r"\2"),
    # Not within words: hits_at_10.
    (re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])(.{0,200}?[^\s_])\1(?!\w)"), r"\2"),
)


def _split(line: str) -> tuple[str, ...]:
    """Return the cells of a row as written."""
    text = line.strip()
    cells, start = [], 0
    for pipe in _PIPE.finditer(text):
        cells.append(text[start : pipe.end() - 1].strip())
        start = pipe.end()
    rest = text[start:].strip()
    if rest or not cells:
        cells.append(rest)
    if text.startswith("|"):
        del cells[0]
    return tuple(cells)


def _is_rule(line: str) -> bool:
    bars, dashes = "|" in line or "+" in line, "-" in line or "=" in line
    return bars and dashes and _RULE.fullmatch(line.strip()) is not None


def _ends(line: str, fence: str) -> bool:
    """Tell whether a line ends a fence."""
    found = _FENCE.match(line)
    return found is not None and found[1].startswith(fence) and not line.strip("`~> \t")


# Tables in HTML begin and end wherever they do in a line, as a program writes them.
_TABLE_TAG = re.compile(r"<table\b|</table\s{0,9}>", re.IGNORECASE)
_BLOCK = re.compile(
    r"(<h[1-6]\b[^<>]*>(?:[^<]|<(?!/h[1-6]))*</h[1-6]>)"
    r"|</?(?:p|div|section|article|main|figure|body|li|[uo]l|br|hr)\b[^<>]*>",
    re.IGNORECASE,
)


def _part(line: str) -> list[str]:
    """Return a line in parts where a table in HTML begins or ends in it next to something else."""
    if "table" not in line.lower() or line.lstrip().startswith("|") or _TABLE_TAG.search(line) is None:
        return [line]
    found, start, depth = list[str](), 0, 0
    for tag in _TABLE_TAG.finditer(line):
        if tag[0][1] != "/":
            if depth == 0:
                found += _part_text(line[start : tag.start()])
                start = tag.start()
            depth += 1
        elif depth < 2:
            found.append(line[start : tag.end()])
            start, depth = tag.end(), 0
        else:
            depth -= 1
    return found + ([line[start:]] if depth else _part_text(line[start:]))


def _part_text(text: str) -> list[str]:
    """Return the headings and paragraphs of some HTML, each with an empty line behind it."""
    pieces = (piece for piece in _BLOCK.split(text) if piece and piece.strip())
    return [line for piece in pieces for line in (piece, "")]


class _Lines:
    """The lines of a document, read from top to bottom."""

    def __init__(self, document: Document) -> None:
        self._document = document
        lines = hide_html(plain_boxes(document.text)).split("\n")
        parted = [_part(line) for line in lines]
        self._lines = [piece for pieces in parted for piece in pieces]
        # The line of the file that each of them is from, or a part of.
        self._numbers = [i for i, pieces in enumerate(parted, 1) for _ in pieces]
        self._ended = [i for i, line in enumerate(self._lines) if "</table" in line.lower()]
        self.outline = Outline()
        self._paragraph: list[str] = []

    def read(self) -> None:
        """Read them all."""
        i = 0
        while i < len(self._lines):
            i = self._read_at(i)
        self._end_paragraph()

    def list_tables(self) -> list[Printed]:
        """Return the tables, with the lines of the file that their rows are in."""
        found = self.outline.list_tables()
        if len(self._numbers) == self._numbers[-1]:
            return found
        return [each._replace(rows=[self._place(row) for row in each.rows]) for each in found]

    def _place(self, row: Row) -> Row:
        return row._replace(line=self._numbers[row.line - 1])

    def _read_at(self, i: int) -> int:
        """Read what begins in a line; return the next one."""
        lines, line = self._lines, self._lines[i]
        if "<table" in line.lower():
            self._end_paragraph()
            ended = bisect_left(self._ended, i)
            end = self._ended[ended] if ended < len(self._ended) else i
            table = read_html(self._document, "\n".join(lines[i : end + 1]), i + 1)
            self.outline.add_table(table.rows, captions=table.captions)
            return end + 1
        if (ruled := self._find_ruled(i)) is not None:
            self._end_paragraph()
            self._add_ruled(i, ruled[0])
            return ruled[1]
        if (fence := _FENCE.match(line)) is not None:
            self._end_paragraph()
            end = next((j for j in range(i + 1, len(lines)) if _ends(lines[j], fence[1])), len(lines))
            if line.lstrip().startswith(">"):
                lines[i + 1 : end] = [each.lstrip().removeprefix(">") for each in lines[i + 1 : end]]
            if not line.endswith("diff"):  # lines with a sign in front are of two versions
                self._read_code(i + 1, end)
            return end + 1
        if _CODE.match(line) and all(map(_CODE.match, self._paragraph)) and begins_table(lines, i):
            self._end_paragraph()
            end = next((j for j in range(i, len(lines)) if lines[j].strip() and not _CODE.match(lines[j])), len(lines))
            self._read_code(i, end)
            return end
        self._read_text(line)
        return i + 1

    def _find_ruled(self, i: int) -> tuple[list[Row], int] | None:
        """Return the rows of the table with bars that begins in a line, and the line behind it."""
        lines, line = self._lines, self._lines[i]
        if GRID.fullmatch(line) and not (i + 2 < len(lines) and "|" in lines[i + 1] and _is_psql(lines[i + 2])):
            grid, end = read_grid(lines, i)
            return [row._replace(plain=tuple(map(strip_markdown, row.cells))) for row in grid], end
        if "|" not in line or i + 1 >= len(lines) or not _is_rule(lines[i + 1]) or _is_rule(line):
            return None
        if lines[i + 1].strip() == "|-" and line.count("|") > 2:
            return None  # MediaWiki divides rows so
        end = next((j for j in range(i, len(lines)) if "|" not in lines[j] and not _is_rule(lines[j])), len(lines))
        width = len(_split(line))
        body = [j for j in (i, *range(i + 2, end)) if j == i or not _is_rule(lines[j])]
        for j in body:
            check_width(lines[j].count("|"), self._document, j + 1)
        return [_make_row(lines[j], j + 1, width, closed=line.rstrip().endswith("|")) for j in body], end

    def _add_ruled(self, i: int, rows: list[Row]) -> None:
        if rows:
            self.outline.add_table(rows, len(self._lines[i]) - len(self._lines[i].lstrip()))

    def _read_code(self, start: int, end: int) -> None:
        """Read the tables that a program printed, with bars or with blanks between columns, each with its title."""
        i = start
        while i < end:
            ruled = self._find_ruled(i)
            if ruled is not None:
                below = start + self._read_printed(start, i)
                titles = (line for line in reversed(self._lines[below:i]) if not RULE.fullmatch(line))
                if title := _strip_text(next(titles, "")):
                    self.outline.add_text(title)
                self._add_ruled(i, ruled[0])
                start = ruled[1]
            i = i + 1 if ruled is None else ruled[1]
        self._read_printed(start, end)

    def _read_printed(self, start: int, end: int) -> int:
        """Read the tables with blanks between columns; return how many lines there are up to the end of the last."""
        lines = self._lines[start:end]
        return add_tables(lines, self.outline, start) if may_have_table("\n".join(lines)) else 0

    def _read_text(self, line: str) -> None:
        heading = _HEADING.fullmatch(line) or _TAGGED.fullmatch(line.strip())
        if heading is not None:
            self._end_paragraph()
            level = int(heading[1]) if heading[1].isdigit() else len(heading[1])
            self.outline.add_heading(level, _strip_text(heading[2] or ""))
        elif self._paragraph and _UNDERLINE.fullmatch(line):
            text = _strip_text(" ".join(self._paragraph))
            self._paragraph.clear()
            self.outline.add_heading(1 + (line.strip()[0] == "-"), text)
        elif (title := _TITLE.fullmatch(line)) is not None:
            self._end_paragraph()
            self.outline.add_heading(1, _strip_text(title[1]))
        elif not line.strip():
            self._end_paragraph()
        else:
            if _ITEM.match(line):
                self._end_paragraph()
            self._paragraph.append(line)

    def _end_paragraph(self) -> None:
        text = _strip_text(" ".join(self._paragraph))
        if text:
            item, mark = _ITEM.match(self._paragraph[0]), _FOOTNOTE.match(self._paragraph[0])
            indentation = None if item is None else len(item[1].expandtabs(4))
            self.outline.add_text(text, indentation, mark="" if mark is None else mark[1] or mark[2])
        self._paragraph.clear()


def _find_tables(document: Document) -> list[Printed]:
    lines = _Lines(document)
    lines.read()
    return lines.list_tables()


def _strip_text(text: str) -> str:
    return strip_markdown(_URL.sub("", " ".join(text.split())[-_LONGEST_CELL:])).strip("#*_ \t")


def _make_row(line: str, number: int, width: int, *, closed: bool) -> Row:
    """Return a row; beyond the heading, empty cells are none, and neither are words behind a closing pipe."""
    cells = _split(line)
    if closed and len(cells) == width + 1 and not line.rstrip().endswith("|") and _VALUE.match(cells[-1]) is None:
        cells = cells[:width]
    last = max((j for j, cell in enumerate(cells, start=1) if cell), default=0)
    cells = cells[: max(width, last)]
    return Row(number, cells, tuple(strip_markdown(cell) for cell in cells))


def _is_psql(line: str) -> bool:
    """Tell whether a rule has signs of plus within, and bars at its ends."""
    return "+" in line and _is_rule(line)


class _Formula:
    """A formula in MathML: its LaTeX if it has that with it, or else its parts with blanks between them."""

    def __init__(self, written: str) -> None:
        self._written = written
        self._parts: list[str] = []
        self.inside = ""  # the annotation that is read

    def open(self, tag: str, attributes: dict[str, str | None]) -> None:
        """Begin an element."""
        if tag in {"annotation", "annotation-xml"}:
            self.inside = attributes.get("encoding") or tag

    def add(self, data: str) -> None:
        """Add text."""
        if self.inside == _LATEX:
            self._written = self._written or data
        elif not self.inside and data.strip():
            self._parts.append(data.strip())

    def write(self) -> str:
        """Return it as text."""
        written = self._written.strip()
        return f"${written}$" if written and "$" not in written else " ".join(self._parts)


_LATEX = "application/x-tex"


class _Html(HTMLParser):
    """Reads the tables of a piece of HTML, rows and captions."""

    def __init__(self, document: Document, line: int) -> None:
        super().__init__()
        self._document, self._covered = document, 0
        self.rows: list[Row] = []
        self.captions: list[str] = []
        self._first = line
        self._held = _Multirows()
        self._cells: list[tuple[str, int, int]] = []
        self._text: list[str] | None = None
        self._formula: _Formula | None = None
        self._size = (1, 1)
        self._line = line
        self._hidden, self._depth = "", 0  # the tag of what is not shown, and how many of its kind are open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skip(tag, _HIDDEN_UNTIL):
            self._depth += tag == self._hidden
        elif tag not in _VOID and is_hidden(dict(attrs)):
            if tag in _HIDDEN_UNTIL:
                self._end_cell()
            self._hidden, self._depth = tag, 1
        elif self._formula is not None:
            self._formula.open(tag, dict(attrs))
        elif tag == "math":
            self._formula = _Formula(dict(attrs).get("alttext") or "")
        elif tag in {"td", "th", "caption"}:
            self._end_cell()
            given = dict(attrs)
            self._size = (_read_span(given.get("colspan")), _read_span(given.get("rowspan")))
            self._text = []
        elif tag == "tr":
            self._end_row()
            self._line = self._first + self.getpos()[0] - 1
        elif tag == "sup" and self._text is not None:
            self._text.append("^{")
        elif tag == "br" and self._text is not None:
            self._text.append(" ")
        elif tag in _KEPT and self._text is not None:
            self._text.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if self._skip(tag, _HIDDEN_WITHIN):
            self._depth -= tag == self._hidden
            self._hidden = self._hidden if self._depth else ""
        elif self._formula is not None:
            if tag.startswith("annotation"):
                self._formula.inside = ""
            if tag in {"math", "td", "th", "tr", "table"}:
                written, self._formula = self._formula.write(), None
                self.handle_data(written)
                if tag != "math":
                    self.handle_endtag(tag)
        elif tag == "sup" and self._text is not None:
            self._text.append("}")
        elif tag in _KEPT and self._text is not None:
            self._text.append(f"</{tag}>")
        elif tag == "caption" and self._text is not None:
            self.captions.append(strip_markdown("".join(self._text)))
            self._text = None
        elif tag in {"td", "th"}:
            self._end_cell()
        elif tag in {"tr", "table"}:
            self._end_row()

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._formula is not None:
            self._formula.add(data)
        elif self._text is not None:
            self._text.append(data)

    def _skip(self, tag: str, ends: Mapping[str, Collection[str]]) -> bool:
        """Tell whether a tag is within what is not shown; cells and rows need no tag at their end."""
        if tag in ends.get(self._hidden, ()):
            self._hidden = ""
        return bool(self._hidden)

    def _end_cell(self) -> None:
        if self._text is not None:
            self._cells.append((" ".join("".join(self._text).split()), *self._size))
        self._text = None

    def _end_row(self) -> None:
        self._end_cell()
        if self._cells:
            row = self._held.place(self._line, self._cells)
            self._covered += len(row.cells) - len(self._cells)
            check_spans(self._covered, self._document, self._line)
            self.rows.append(row)
        self._cells = []


_HIDDEN_UNTIL = {"td": {"td", "th", "tr"}, "th": {"td", "th", "tr"}, "tr": {"tr"}}
_HIDDEN_WITHIN = {"td": {"tr", "table"}, "th": {"tr", "table"}, "tr": {"table"}}
# Tags without an end.
_VOID = {"br", "img", "hr", "input", "col", "wbr"}


# Tags within cells that say something.
_KEPT = {"sub", "s", "del", "strike"}


def _read_span(text: str | None) -> int:
    return min(max(int(text[:9]), 1), _WIDEST) if text and text.isdecimal() else 1


_WIDEST = 1_000


def read_html(document: Document, text: str, line: int) -> _Html:
    """Read tables in HTML that begin in a line."""
    parser = _Html(document, line)
    parser.feed(text)
    parser.close()
    return parser


class _Multirows:
    """Cells over several rows, which take places in the rows below."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[int, str]] = {}

    def place(self, line: int, cells: list[tuple[str, int, int]]) -> Row:
        """Return a row of cells with their widths and heights."""
        written, spans, held = list[str](), dict[int, int](), dict[int, tuple[int, str]]()
        rest = list(cells)
        while rest or len(written) in self._held:
            place = len(written)
            if place in self._held:
                left, text = self._held[place]
                written.append(text)
                if left > 1:
                    held[place] = (left - 1, text)
                continue
            text, width, height = rest.pop(0)
            if width > 1:
                spans[place] = width
            for each in range(place, place + width):
                written.append(text if each == place else "")
                if height > 1:
                    held[each] = (height - 1, text if each == place else "")
        self._held = held
        return Row(line, tuple(written), tuple(strip_markdown(cell) for cell in written), spans)


def _recognise(document: Document) -> bool:
    text = plain_boxes(document.text[:_SEARCHED])
    lines = text.split("\n")
    if any("|" in above and _is_rule(line) for above, line in pairwise(lines)) or _TABLE.search(text) is not None:
        return True
    written = document.suffix in _SUFFIXES and (_FENCED if document.suffix else _LISTED).search(text)
    return bool(written) and bool(_find_tables(replace(document, text=text)))


# What has no pipe table may have others in code, or be text of another kind.
_SUFFIXES = {".md", ".markdown", ".qmd", ".rmd", ""}
_FENCED = re.compile(r"^[ \t]*(?:[-*+>][ \t]+)?(?:```|~~~|\+[-=]{2}|    \S)|^[ \t]*\t", re.MULTILINE)
_LISTED = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)


def _read(document: Document) -> Reading:
    return read_tables(document, READER.key, _find_tables(document))


READER = Reader("markdown", "tables in Markdown or HTML", _recognise, _read, most=LONGEST_TEXT)
