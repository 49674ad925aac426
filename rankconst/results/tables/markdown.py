r"""Find pipe tables in Markdown and tables in HTML, with the texts around them.

References
----------
GitHub Flavored Markdown Spec 0.29, section 4.10: the pipes at the ends of a row may be missing,
``\|`` is a pipe within a cell, and a table ends at an empty line.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

from rankconst.results.document import MARKDOWN_ENDINGS
from rankconst.results.tables.cells import Placed, Row, check_spans, check_width
from rankconst.results.tables.grid import make_reader
from rankconst.results.tables.near import Outline
from rankconst.results.tables.printed import add_lines, refuse_blocks
from rankconst.results.tables.tex import strip_latex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed

# HTML. An element that Markdown interrupts stays open: each piece of HTML is read where the one
# before it ended. Hidden parts are not read.

# Elements that have no end.
_VOID = {
    *("area", "base", "br", "col", "embed", "hr", "img"),
    *("input", "link", "meta", "source", "wbr"),
}
# Elements that a browser does not show.
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
_WIDEST = 1_000  # columns or rows that a cell spans


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
    # Maps a column to a cell that extends from a row above.
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
        """Read the lines of the document from `first` up to, but not with, `end`; from 0.

        What is open where they end, such as a table, stays open for the lines that are read next.
        """
        self.reset()
        self._first = first
        starts = self._document.starts
        stop = starts[end] if end < len(starts) else None
        text = self._document.text[starts[first] : stop]
        if text.startswith(">"):
            text = _QUOTED.sub(lambda quote: " " * len(quote[0]), text)

        # With a tag behind it, the parser does not wait for more of a last piece of text.
        self.feed(f"{text}<wbr>")

    def _at(self) -> int:
        """Return the position in the document that the parser has reached."""
        line, offset = self.getpos()
        return self._document.starts[self._first + line - 1] + offset

    def parse_html_declaration(self, i: int) -> int:
        """Skip a declaration; one that begins like a section is a comment, as in browsers."""
        if self.rawdata.startswith("<![", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element, and close those that its beginning ends."""
        attributes = dict(attrs)
        # Cells and rows end others only in a table, list items and paragraphs only outside.
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
        """Begin a table, a cell, a heading or a paragraph, or add what another element prints."""
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
        """Close the innermost element of a kind, and those in it without an end of their own.

        A tag that closes nothing is skipped. The end of a cell or row closes nothing outside its
        table.
        """
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
        """End a table, a row, a cell, a heading or a paragraph, or write another end."""
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
        """Add text to the open cell; outside of tables, begin a paragraph."""
        if not self._cells and not self._tables:
            self._cells.append(_Cell("p", self._at()))
        if not self.hidden and self._cells:
            self._cells[-1].parts.append(data)

    def _end_cell(self, end: int) -> None:
        """End the innermost cell, caption, heading or paragraph, and add it where it belongs."""
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
        """End a paragraph where Markdown continues."""
        if not self._tables:
            self._end_cell(0)

    def _end_row(self, table: _Table) -> None:
        """Add the row of cells to its table, with those that span it from the rows above."""
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
    """Read ``colspan`` or ``rowspan``; 1 if it is no number, and 1,000 at most."""
    if not text or not text.isascii() or not text.isdecimal():
        return 1
    return min(max(int(text[:9]), 1), _WIDEST)


# Markdown.

_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_PIPE = re.compile(r"\\.|\|")
_CLOSING = re.compile(r"</table", re.IGNORECASE)
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
_PAGE = re.compile(r"\s*(?:<!doctype html|<html\b)", re.IGNORECASE)
# In the metadata of a card: PyKEEN ranks other entities than most.
_LIBRARY = re.compile(r"---\n(?:(?!---).*\n)*?library_name: *(\S+)")
_MATH = re.compile(r"\$((?:[^$\\]|\\.)+)\$")
_MARKUP = re.compile(r"[*_<>&$\\`\[~!]")
_FOOTNOTE = re.compile(r"(?<!\\)\[\^([^\[\]]{1,20})\](?!:)")
_MARK = re.compile(r"[a-z]|\d\d?", re.ASCII)
_URL = re.compile(r"https?://[^\s)\]]*")
_SUB = re.compile(r"(\d?)<sub>([^<>]*+)</sub>")
_TAGS = {tag: begin for tag, (begin, _) in _SIGNS.items()}
_TAGS |= {f"/{tag}": end for tag, (_, end) in _SIGNS.items()}
_TAG = re.compile(r"<(/?[a-z]+)", re.IGNORECASE)
_SEARCHED = 1_000_000  # characters, to recognise a file
_LONGEST_CELL = 10_000  # characters


@cache
def _parser() -> MarkdownIt:
    """Return the parser of Markdown, in which tables are less strict than those of GitHub."""
    markdown = MarkdownIt("commonmark").enable("strikethrough").disable("reference")
    markdown.block.ruler.before(
        "code", "pipes", _take_table, {"alt": ["paragraph", "blockquote", "list"]}
    )
    markdown.block.ruler.before(
        "pipes", "html_table", _take_html, {"alt": ["paragraph", "blockquote", "list"]}
    )
    markdown.inline.ruler.before("escape", "math", _take_math)
    return markdown


def strip_markdown(text: str, *, code: bool = True) -> str:
    """Remove the markup of a text; superscripts become ``^{...}``, struck text keeps its ``~~``."""
    text = text.strip()
    if len(text) > _LONGEST_CELL or _MARKUP.search(text) is None:
        return text
    tokens: list[Token] = []
    _parser().inline.parse(_FOOTNOTE.sub(_raise, text), _parser(), {}, tokens)
    plain = "".join(_write(token, code=code) for token in tokens)
    return _SUB.sub(_write_subscript, plain).strip()


def _raise(footnote: re.Match[str]) -> str:
    """Write a reference to a footnote as a superscript; leave out one with a long name."""
    return f"^{{{footnote[1]}}}" if _MARK.fullmatch(footnote[1]) else ""


def _strip_text(text: str) -> str:
    """Remove markup, code, images and addresses, which are not about numbers, from a text."""
    return _URL.sub("", strip_markdown(" ".join(text.split()), code=False))


def _write(token: Token, *, code: bool) -> str:
    """Return the text of a piece of a line, without its markup."""
    if token.type == "html_inline":
        tag = _TAG.match(token.content)
        return "" if tag is None else _TAGS.get(tag[1].lower(), "")
    if token.type == "image" or (token.type == "code_inline" and not code):
        return ""
    signs = {"s_open": "~~", "s_close": "~~", "softbreak": " ", "hardbreak": " "}
    return signs.get(token.type, token.content)


def _write_subscript(script: re.Match[str]) -> str:
    """Write a subscript apart from the digits before it: ``3<sub>1</sub>`` becomes ``3_{1}``."""
    digit, text = script[1], script[2].strip()
    if text.startswith("±"):
        return f"{digit}{text}"
    return f"{digit}_{{{text}}}" if digit else f" {text}"


def _take_math(state: StateInline, silent: bool) -> bool:
    r"""Take a formula as text: ``$\uparrow$`` as "↑"; a rule of markdown-it for pieces of a line.

    Return False if no formula begins at the position of `state`. Otherwise, move the position
    behind it, and add a token with its text unless `silent`, when markdown-it only asks.
    """
    formula = _MATH.match(state.src, state.pos)
    if formula is None:
        return False

    state.pos = formula.end()
    if not silent:
        token = state.push("text", tag="", nesting=0)
        token.content = strip_latex(formula[0])
    return True


def _line(state: StateBlock, line: int) -> str:
    """Return a line without its indentation."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _take_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Take a pipe table: a heading, a rule, and rows up to a line without pipes.

    Return False if none begins at line `first`. If `silent`, markdown-it only asks: add no token.
    """
    if first + 1 >= end or state.is_code_block(first) or "|" not in _line(state, first):
        return False
    if not _is_rule(_line(state, first + 1)) or _is_rule(_line(state, first)):
        return False

    if not silent:
        stop = first + 2
        while stop < end and state.sCount[stop] >= state.blkIndent and "|" in _line(state, stop):
            stop += 1
        body = [i for i in range(first + 2, stop) if not _is_rule(_line(state, i))]
        token = state.push("pipes", "", 0)
        token.meta["rows"] = [
            (state.bMarks[i] + state.tShift[i], state.eMarks[i]) for i in (first, *body)
        ]
        state.line = stop

    return True


def _is_rule(line: str) -> bool:
    """Tell whether a line is the rule below the heading of a pipe table."""
    return "|" in line and "-" in line and _RULE.fullmatch(line.strip()) is not None


def _take_html(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Take a table in HTML with its empty lines; False if none begins here, or it has no end."""
    line = "" if state.is_code_block(first) else _line(state, first).lower()
    # Where one table is not closed, no later one is: to look again and again would take long.
    if "<table" not in line or line.startswith("<!--") or "unclosed" in state.env:
        return False

    closing = _CLOSING.search(state.src, state.bMarks[first])
    if closing is None:
        state.env["unclosed"] = True
        return False

    if not silent:
        stop = first + 1
        while stop < end and state.bMarks[stop] <= closing.start():
            stop += 1
        state.push("html_block", "", 0).map = [first, stop]
        state.line = stop

    return True


def split_cells(text: str, start: int, end: int) -> Iterator[Placed]:
    """Yield the cells of a row, which is a part of a text, with their positions.

    Pipes at its ends may be missing, and one behind a backslash is a part of its cell.

    >>> list(split_cells("| TransE | 0.3", 0, 14))
    ['TransE', '0.3']
    """
    row = Placed.cut(text, start, end)
    first = row.start + row.startswith("|")
    for pipe in _PIPE.finditer(text, first, row.end):
        if pipe[0] == "|":
            yield Placed.cut(text, first, pipe.start())
            first = pipe.end()

    if first < row.end or first == row.start:  # no pipe behind it, or none at all
        yield Placed.cut(text, first, row.end)


def _make_row(document: Document, start: int, end: int, width: int) -> Row:
    """Make a row as wide as the heading: drop empty cells beyond it, and add missing ones.

    The heading itself has `width` 0. A row with texts beyond it does not fit, and stays.
    """
    line = document.find_line(start)
    check_width(document.text.count("|", start, end), document, line)
    cells = list(split_cells(document.text, start, end))
    while len(cells) > width > 0 and not cells[-1]:
        cells.pop()

    if len(cells) > 1:  # one cell alone names a group
        cells += repeat(Placed("", end, end), width - len(cells))

    return Row(line, tuple(cells), tuple(strip_markdown(cell) for cell in cells))


class _Reader:
    """Adds the blocks of a document to its outline, from top to bottom."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._outline = Outline()
        self._page = Page(document, self._outline, _strip_text)
        self._marks: list[str] = []  # of the items of lists that are open

    def read(self) -> list[Printed]:
        """Return the tables with the texts around them."""
        tokens: list[Token] = []
        if _PAGE.match(self._document.text):
            self._page.read(0, len(self._document.lines))
        else:
            _parser().block.parse(self._document.text, _parser(), {}, tokens)

        library = _LIBRARY.match(self._document.text)
        if library is not None:
            self._outline.add_heading(0, library[1])

        before: Token | None = None  # which may begin a heading
        for token in tokens:
            self._take(before, token)
            before = token

        return self._outline.list_tables()

    def _take(self, before: Token | None, token: Token) -> None:
        """Add a token to the outline, or to the open table in HTML."""
        lines = token.map
        if token.type == "html_block" and lines:
            self._page.in_item = bool(self._marks)
            self._page.read(*lines)
            self._page.end_block()
        elif token.type == "list_item_open":
            self._marks.append(token.markup)
        elif token.type == "list_item_close":
            self._marks.pop()
        elif self._page.hidden:
            return
        elif self._page.in_table and lines and token.type in {"inline", "code_block"}:
            self._page.read(*lines)
        elif token.type == "inline":
            self._add_text(before, _strip_text(token.content))
        elif token.type == "pipes":
            self._add_pipes(token.meta["rows"])
        # Code may hold a table that a program has printed, except for the difference of two files.
        elif token.type in {"fence", "code_block"} and lines and token.info != "diff":
            first = lines[0] + 1 if token.type == "fence" else lines[0]
            printed = token.content.split("\n")
            refuse_blocks(self._document, printed, first)
            add_lines(printed, self._outline, first)

    def _add_text(self, before: Token | None, text: str) -> None:
        """Add a text to the outline: a heading, an item if a list is open, or else a paragraph."""
        if before is not None and before.type == "heading_open":
            self._outline.add_heading(int(before.tag[1]), text)
        elif not self._marks:
            self._outline.add_text(text)
        else:
            star = "* " if self._marks[-1] == "*" else ""  # which may be the mark of a note
            self._outline.add_text(star + text, is_item=True)

    def _add_pipes(self, places: Sequence[tuple[int, int]]) -> None:
        """Add a pipe table."""
        rows: list[Row] = []
        for start, end in places:
            width = len(rows[0].cells) if rows else 0
            rows.append(_make_row(self._document, start, end, width))
        self._outline.add_table(rows, in_item=bool(self._marks))


def find_tables(document: Document) -> list[Printed]:
    """Return the tables of a document with the texts around them."""
    return _Reader(document).read()


def _recognise(document: Document) -> bool:
    """Tell whether a document has a pipe table, or a table in HTML."""
    text = document.text[:_SEARCHED]
    lines = text.split("\n")
    if any("|" in above and _is_rule(line) for above, line in pairwise(lines)):
        return True

    table = _TABLE.search(text)
    if table is not None and _CELL.search(text, table.end()):
        return True
    return document.suffix in MARKDOWN_ENDINGS and bool(find_tables(document))


READER = make_reader("markdown", _recognise, find_tables)
