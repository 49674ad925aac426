"""Tables, headings and paragraphs in HTML, alone or within Markdown; hidden parts are not read.

An element that Markdown interrupts stays open: each piece of HTML is read where the one before it
ended.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

from rankconst.results.tables.cells import Placed, Row, check_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Outline

_VOID = {
    *("area", "base", "br", "col", "embed", "hr", "img"),
    *("input", "link", "meta", "source", "wbr"),
}
_UNSEEN = {"script", "style", "template", "title", "annotation", "annotation-xml"}
_PARAGRAPHS = {
    *("p", "div", "section", "article", "main", "figure", "body"),
    *("li", "ul", "ol", "dd", "dt", "br", "hr"),
}
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = _PARAGRAPHS | _HEADINGS
_STYLE = re.compile(
    r"(?<![\w-])(?:display\s*+:\s*+none|visibility\s*+:\s*+(?:hidden|collapse))", re.IGNORECASE
)
_QUOTED = re.compile(r"^[ \t>]+", re.MULTILINE)
# The text in place of the beginning and the end of an element.
_STRUCK = ("~~", "~~")
_SIGNS = {"sup": ("^{", "}"), "sub": ("<sub>", "</sub>"), "br": (" ", "")}
_SIGNS |= {"s": _STRUCK, "del": _STRUCK, "strike": _STRUCK}
# Where a cell or a row has no end of its own, the next one ends it.
_ENDS = {
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("td", "th", "tr"),
    "li": ("li",),
    "p": ("p",),
}
_CELLS = {"td", "th", "caption"}
_INNER = _CELLS | {"tr"}
# Within cells, the text of these is not part of the number before it.
_APART = _PARAGRAPHS | {"mn", "mi", "mo", "mtext"}
_WIDEST = 1_000


@dataclass(slots=True)
class _Cell:
    """A cell, a caption, or a heading or paragraph outside of tables, while it is read."""

    tag: str
    start: int
    width: int = 1
    height: int = 1
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.parts).split())


class _Spanning(NamedTuple):
    """A cell of a row with the columns and rows that it spans."""

    cell: Placed
    width: int
    height: int


@dataclass(slots=True)
class _Table:
    """A table while it is read."""

    cells: list[_Spanning] = field(default_factory=list)  # of the last row
    rows: list[Row] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    # Column to a cell that goes on from a row above.
    above: dict[int, _Spanning] = field(default_factory=dict)
    covered: int = 0


class Page(HTMLParser):
    """Adds the HTML of a document to its outline, from top to bottom."""

    def __init__(self, document: Document, outline: Outline, strip: Callable[[str], str]) -> None:
        super().__init__()
        self._document, self._outline, self._strip = document, outline, strip
        self._first = 0  # the line where the piece that is read begins
        self.in_item = False  # True within an item of a list in Markdown
        self._opened: list[str] = []
        self._counts: Counter[str] = Counter()
        self._shown: int | None = None  # how many elements are open around the hidden one
        self._tables: list[_Table] = []
        self._cells: list[_Cell] = []

    @property
    def hidden(self) -> bool:
        """True within an element that is not shown."""
        return self._shown is not None

    @property
    def in_table(self) -> bool:
        """True within a table."""
        return bool(self._tables)

    def read(self, first: int, end: int) -> None:
        """Read some lines of the document, counted from 0."""
        self.reset()
        self._first = first
        starts = self._document.starts
        stop = starts[end] if end < len(starts) else None
        text = self._document.text[starts[first] : stop]
        if text.startswith(">"):
            text = _QUOTED.sub(lambda quote: " " * len(quote[0]), text)
        self.feed(f"{text}<wbr>")

    def _at(self) -> int:
        line, offset = self.getpos()
        return self._document.starts[self._first + line - 1] + offset

    def parse_html_declaration(self, i: int) -> int:
        """Skip a declaration; one that begins like a section is a comment, as in browsers."""
        if self.rawdata.startswith("<![", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        attributes = dict(attrs)
        if self.in_table == (tag in _INNER):
            for open_tag in _ENDS.get(tag, ()):
                self.handle_endtag(open_tag)
        formula = attributes.get("alttext") if tag == "math" else None
        is_styled = _STYLE.search(attributes.get("style") or "") is not None
        is_unseen = tag in _UNSEEN or "hidden" in attributes or is_styled
        if tag not in _VOID:
            self._opened.append(tag)
            self._counts[tag] += 1
            if not self.hidden and is_unseen:
                self._shown = len(self._opened) - 1
        if self.hidden:
            return
        self._begin(tag, attributes)
        if formula:  # in place of the element
            self.handle_data(f"${formula}$")
            self._shown = len(self._opened) - 1

    def _begin(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """Begin a table, a cell, a heading or a paragraph."""
        start = self._at() + len(self.get_starttag_text() or "")
        if tag == "table":
            self._end_cell(self._at())
            self._tables.append(_Table())
        elif self._tables and tag in _CELLS:
            self._end_cell(self._at())
            width = _read_span(attributes.get("colspan"))
            height = _read_span(attributes.get("rowspan"))
            self._cells.append(_Cell(tag, start, width, height))
        elif not self._tables and tag in _BLOCKS:
            self._end_cell(self._at())
            self._cells.append(_Cell(tag, start))
        elif tag in _SIGNS:
            begin, _ = _SIGNS[tag]
            self.handle_data(begin)
        elif tag in _APART:
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element of a kind, but none around the table that is open."""
        while self._counts[tag] and not (tag in _INNER and self._opened[-1] == "table"):
            last = self._opened.pop()
            self._counts[last] -= 1
            if self._shown is not None and len(self._opened) <= self._shown:
                self._shown = None
            elif not self.hidden:
                self._end(last)
            if last == tag:
                return

    def _end(self, tag: str) -> None:
        """End a table, a row, a cell, a heading or a paragraph."""
        if self._tables and tag in _BLOCKS:
            self.handle_data(" ")
        elif tag in _CELLS or tag in _BLOCKS:
            self._end_cell(self._at())
        elif self._tables and tag in {"tr", "table"}:
            self._end_cell(self._at())
            self._end_row(self._tables[-1])
            if tag == "table":
                table = self._tables.pop()
                captions = [self._strip(caption) for caption in table.captions]
                self._outline.add_table(table.rows, captions, in_item=self.in_item)
        elif tag in _SIGNS:
            _, end = _SIGNS[tag]
            self.handle_data(end)

    def handle_data(self, data: str) -> None:
        """Take text."""
        if not self._cells and not self._tables:
            self._cells.append(_Cell("p", self._at()))
        if not self.hidden and self._cells:
            self._cells[-1].parts.append(data)

    def _end_cell(self, end: int) -> None:
        """End the cell, the caption or the paragraph that is open."""
        if not self._cells:
            return
        cell = self._cells.pop()
        if cell.tag in {"td", "th"}:
            placed = Placed(cell.text, cell.start, end)
            self._tables[-1].cells.append(_Spanning(placed, cell.width, cell.height))
        elif cell.tag == "caption":
            self._tables[-1].captions.append(cell.text)
        elif cell.tag in _HEADINGS:
            self._outline.add_heading(int(cell.tag[1]), self._strip(cell.text))
        else:
            self._outline.add_text(self._strip(cell.text), is_item=cell.tag == "li")

    def end_block(self) -> None:
        """End a paragraph where Markdown goes on."""
        if not self._tables:
            self._end_cell(0)

    def _end_row(self, table: _Table) -> None:
        """End a row of cells, with those that go on from the rows above."""
        if not table.cells:
            return
        line = self._document.find_line(table.cells[0].cell.start)
        cells: list[Placed] = []
        spans: dict[int, int] = {}
        above, table.above = table.above, {}
        waiting = table.cells[::-1]
        while waiting or len(cells) in above:
            column = len(cells)
            cell, width, height = above[column] if column in above else waiting.pop()
            extended = cell.extend(width)
            if width > 1:
                spans[column] = width
            if height > 1:
                for j, part in enumerate(extended, start=column):
                    table.above[j] = _Spanning(part, 1, height - 1)
            cells += extended
        table.covered += len(cells) - len(table.cells)
        check_spans(table.covered, self._document, line)
        plain = tuple(self._strip(cell) for cell in cells)
        table.rows.append(Row(line, tuple(cells), plain, spans))
        table.cells = []


def _read_span(text: str | None) -> int:
    """Read an attribute as the number of columns or rows that a cell spans."""
    if not text or not text.isascii() or not text.isdecimal():
        return 1
    return min(max(int(text[:9]), 1), _WIDEST)
