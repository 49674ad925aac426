r"""Tables in LaTeX: tabular, longtable and the like, with booktabs, multicolumn and multirow.

Comments and what is not set are blanked out, so that places stay those of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.results.tables.cells import MOST_COLUMNS, Placed, Row, check_spans, check_width
from rankconst.results.tables.grid import make_reader
from rankconst.results.tables.near import Outline
from rankconst.results.tables.tex import (
    ENVIRONMENTS,
    begins_argument,
    read_argument,
    skip_options,
    strip_latex,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed

_ENVIRONMENT = "|".join(re.escape(name) for name in ENVIRONMENTS)
_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_CAPTIONS = ("caption", "subcaption", "captionof", "captionbox", "subcaptionbox")
_FLOAT = rf"(?!(?:{_ENVIRONMENT})\}})\w{{0,20}}(?:table|figure)\*?|minipage|center|subfloat"
_BEGIN = re.compile(rf"\\begin\s*+\{{(?:{_ENVIRONMENT})\}}")
_EVENT = re.compile(
    rf"\\begin\s*+\{{(?P<table>{_ENVIRONMENT})\}}"
    rf"|\\begin\s*+\{{(?P<float>{_FLOAT})\}}|\\(?P<end>end)\s*+\{{(?:{_FLOAT})\}}"
    rf"|\\(?P<level>{'|'.join(_LEVELS)})(?![a-zA-Z])\*?"
    rf"|\\(?P<caption>{'|'.join(_CAPTIONS)})(?![a-zA-Z])\*?"
)
_TOKEN = re.compile(
    r"(?P<row>\\\\\*?(?:[ \t]*\[[^\]\n]{0,40}\])?|\\tabularnewline(?![a-zA-Z]))"
    r"|\\begin\s*\{(?P<begin>[^{}]{0,40})\}"
    r"|\\end\s*\{(?P<end>[^{}]{0,40})\}|\\.|(?P<brace>[{}])|(?P<cell>&)",
    re.DOTALL,
)
_SEARCHED = 1_000_000

# What is not set.

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_UNSET = re.compile(
    r"\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)"
    r"|\\iffalse\b.*?(?:\\else\b|\\fi\b|\Z)|\\end\{document\}.*",
    re.DOTALL,
)

_NEWIF = re.compile(r"\\newif\s{0,9}\\if([a-zA-Z]{1,40})")
_MOST_SWITCHES = 20


def _hide(text: str) -> str:
    """Blank out what LaTeX does not set."""
    shown = _COMMENT.sub(lambda found: found[1].ljust(len(found[0])), text)
    shown = _UNSET.sub(lambda found: _blank(found[0]), shown)
    for name in dict.fromkeys(_NEWIF.findall(shown)[:_MOST_SWITCHES]):
        values = re.findall(rf"\\{name}(true|false)\b", shown) or ["false"]
        branches = re.compile(
            rf"(?<!newif)\\if{name}\b(?P<true>.*?)(?:\\else\b(?P<false>.*?))?\\fi\b", re.DOTALL
        )
        shown = branches.sub(partial(_choose, branch=values[-1]), shown)
    return shown


def _blank(text: str) -> str:
    """Return as many blanks, line ends kept."""
    return re.sub(r"[^\n]", " ", text)


def _choose(found: re.Match[str], branch: str) -> str:
    """Blank out a switch but for the branch that is set."""
    if found[branch] is None:
        return _blank(found[0])
    before = found.string[found.start() : found.start(branch)]
    behind = found.string[found.end(branch) : found.end()]
    return _blank(before) + found[branch] + _blank(behind)


_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|def)\*?\s{0,9}\{?\s{0,9}"
    r"\\([a-zA-Z]{1,40})\s{0,9}\}?\s{0,9}"
    r"((?:\[[^\[\]]{0,99}\]|#\d){0,9})\s{0,9}(?=\{)"
)
_MOST_MACROS, _LONGEST_BODY = 500, 300


def _take_macros(text: str) -> tuple[str, dict[str, str]]:
    """Blank out definitions, and return what macros without arguments print.

    Leave out a macro that is defined twice and may print either text.
    """
    bodies: dict[str, set[str]] = {}
    parts: list[str] = []
    position = 0
    for found in _DEFINED.finditer(text):
        body = read_argument(text, found.end(), _LONGEST_BODY)
        if body is None or found.start() < position:
            continue
        printed, end = body
        parts += (text[position : found.start()], _blank(text[found.start() : end]))
        position = end
        if not found[2] and len(bodies) < _MOST_MACROS:
            bodies.setdefault(found[1], set()).add(printed)
    macros = {name: several.pop() for name, several in bodies.items() if len(several) == 1}
    return "".join((*parts, text[position:])), macros


# Tables.


@dataclass
class _Float:
    """An environment around tables."""

    tables: list[list[str]] = field(default_factory=list)  # the captions of each
    captions: list[str] = field(default_factory=list)  # its own


_MOST_NESTED, _MOST_CAPTIONS, _MOST_NOTES = 20, 50, 20
_BLANK = re.compile(r"\n[ \t]*\n|\\par(?![a-zA-Z])")
_LINE = re.compile(r"\\item(?![a-zA-Z])|\\\\|\\footnotetext(?![a-zA-Z])")
_MARK = re.compile(r"\A\s*+\[\$?([^\[\]$]{1,20})\$?\]")
_URL = re.compile(r"https?://\S*")
_CAPTION = re.compile(r"\\caption\*?(?![a-zA-Z])")
_FOOTNOTE = re.compile(r"\\footnote(?=\s*\{)")
# What the names of macros end with before the first cell of a row that are part of no cell.
_RULES = (
    *("line", "rule", "rules", "space", "head", "foot", "color", "noalign", "rowfont"),
    *("caption", "label", "centering", "small", "footnotesize"),
)
_GIVEN = r"(?:\([^()]{0,40}\)|\[[^\[\]]{0,200}\]|\{(?:[^{}]|\{[^{}]*\}){0,999}\})*"
_ARGUMENTS = re.compile(_GIVEN)
_LEADING = re.compile(rf"\s*+(?:\\([a-zA-Z]+)\*?{_GIVEN})?")
_MULTICOLUMN = re.compile(r"\\multicolumn\s*\{\s*(\d{1,3})\s*\}", re.ASCII)
_MULTIROW = re.compile(r"\\multirow\s*(?:\[[^\]]{0,40}\]\s*)?\{\s*(-?\d{1,4})\s*\}", re.ASCII)


class _Reader:
    """The text of a file, read from top to bottom."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text, self._macros = _take_macros(_hide(document.text))
        self._outline = Outline()
        self._floats: list[_Float] = []
        self._end = 0  # of the row that was split last
        self._below = False  # True right below a table

    def read(self) -> list[Printed]:
        """Return the tables with the texts around them."""
        position = max(self._text.find("\\begin{document}"), 0)
        for event in _EVENT.finditer(self._text, position):
            if event.start() >= position:
                is_above = event.lastgroup in {"table", "float"}
                self._take_text(position, event.start(), above=is_above)
                position = self._take(event)
        self._take_text(position, len(self._text), above=False)
        while self._floats:
            self._end_float()
        tables = self._outline.list_tables()
        if not tables:
            expected = f"Expected \\begin{{tabular}}, or one of {', '.join(ENVIRONMENTS)}."
            raise DataError(f"{self._document.name}: there is no table. {expected}")
        return tables

    def _take(self, event: re.Match[str]) -> int:
        """Take what may say something of a table, or a table; return its end."""
        if event.lastgroup == "table":
            return self._take_table(event)
        if event.lastgroup == "float":
            return self._begin_float(event)
        if event.lastgroup == "end":
            self._end_float()
            return event.end()
        kind = read_argument(self._text, event.end()) if event["caption"] == "captionof" else None
        read = self._read_title(event.end() if kind is None else kind[1])
        if read is None:
            return event.end()
        title, end = read
        if event.lastgroup == "level":
            self._outline.add_heading(1 + _LEVELS.index(event["level"]), title)
            self._below = False
        elif not self._floats:
            self._outline.add_text(title)
        elif len(self._floats[-1].captions) < _MOST_CAPTIONS:
            self._floats[-1].captions.append(title)
        return end

    def _take_table(self, begin: re.Match[str]) -> int:
        """Take a table with the captions in it; return its end."""
        rows, end = self._read_table(begin)
        captions = []
        for caption in _CAPTION.finditer(self._text, begin.end(), end):
            title = self._read_title(caption.end())
            if title is not None:
                captions.append(title[0])
        captions = self._outline.add_table(rows, captions=captions)
        self._below = True
        if self._floats:
            self._floats[-1].tables.append(captions)
        return end

    def _begin_float(self, begin: re.Match[str]) -> int:
        """Open an environment around tables; return the end of its arguments."""
        self._floats.append(_Float())
        arguments = _ARGUMENTS.match(self._text, begin.end())
        if arguments is None or begin["float"] in {"center", "table", "figure"}:
            return skip_options(self._text, begin.end())
        return arguments.end()

    def _read_title(self, position: int) -> tuple[str, int] | None:
        """Return the text of a caption or of a section's title, with its footnotes, and its end."""
        start = skip_options(self._text, position)
        argument = read_argument(self._text, start)
        if argument is None:
            if not begins_argument(self._text, start):
                return None
            line = self._document.find_line(start)
            raise DataError(f"{self._document.at(line)}: this {{ is not closed. Expected a title.")
        texts = [argument[0]]
        for footnote in _FOOTNOTE.finditer(argument[0]):
            note = read_argument(argument[0], footnote.end())
            if note is not None:
                texts.append(note[0])
        return ". ".join(self._strip_text(text) for text in texts), argument[1]

    def _end_float(self) -> None:
        """Give each table of a float its own caption if there are as many, or else all captions."""
        closed = self._floats.pop() if self._floats else _Float()
        is_each = len(closed.captions) == len(closed.tables)
        for place, captions in enumerate(closed.tables):
            captions.extend(closed.captions[place : place + 1] if is_each else closed.captions)
        if self._floats and len(self._floats) < _MOST_NESTED:
            self._floats[-1].tables.extend(closed.tables)

    def _take_text(self, start: int, end: int, *, above: bool) -> None:
        """Take the first paragraphs below a table, and the last one above another."""
        if not (self._below or above):
            return
        parts = [part for part in _BLANK.split(self._text[start:end]) if part.strip()]
        below = parts[:_MOST_NOTES] if self._below else []
        for part in below:
            for line in _LINE.split(part):
                self._outline.add_text(self._strip_text(_MARK.sub(r"^{\1} ", line, count=1)))
        if above and len(parts) > len(below):
            self._outline.add_text(self._strip_text(parts[-1]), 0 if self._floats else None)
        self._below = self._below and not parts

    def _strip_text(self, text: str) -> str:
        return " ".join(_URL.sub("", strip_latex(text, self._macros)).split())

    def _read_table(self, begin: re.Match[str]) -> tuple[list[Row], int]:
        """Return the rows of the table that begins there, and its end."""
        environment, position = begin["table"], begin.end()
        for _ in range(ENVIRONMENTS[environment]):
            argument = read_argument(self._text, skip_options(self._text, position))
            if argument is None:
                line = self._document.find_line(begin.start())
                raise DataError(
                    f"{self._document.at(line)}: \\begin{{{environment}}} lacks its columns; "
                    "expected them in braces, such as {lrr}."
                )
            position = argument[1]
        rows: list[_Row] = []
        for cells in self._split(position, environment, begin.start()):
            end = cells[-1][1] + 1
            row = self._make_row([(self._skip_rules(*cells[0]), cells[0][1]), *cells[1:]])
            if len(cells) > 1 or row.plain[0]:
                rows.append(row)
        _fill_rows(rows)
        covered = sum(sum(row.spans.values()) for row in rows)
        check_spans(covered, self._document, self._document.find_line(end))
        finished = [Row(row.line, tuple(row.cells), tuple(row.plain), row.spans) for row in rows]
        return finished, self._end

    def _skip_rules(self, start: int, end: int) -> int:
        """Return where the first cell of a row begins."""
        found = _LEADING.match(self._text, start, end)
        while found is not None and found[1] and found[1].endswith(_RULES):
            start = found.end()
            found = _LEADING.match(self._text, start, end)
        return end - len(self._text[start:end].lstrip())

    def _split(
        self, position: int, environment: str, opened: int
    ) -> Iterator[list[tuple[int, int]]]:
        """Yield the rows of the body of a table: where each of their cells begins and ends."""
        cells: list[tuple[int, int]] = []
        start = position
        for token in self._find_separators(position, environment, opened):
            cells.append((start, token.start()))
            if len(cells) > MOST_COLUMNS:
                check_width(len(cells), self._document, self._document.find_line(cells[0][0]))
            start = token.end()
            if token.lastgroup != "cell":
                self._end = start
                yield cells
                cells = []

    def _find_separators(
        self, position: int, environment: str, opened: int
    ) -> Iterator[re.Match[str]]:
        """Yield what ends the cells, the rows and the table, but not within braces and cells."""
        depth = inner = 0  # how many braces, and how many environments in cells, are open
        for token in _TOKEN.finditer(self._text, position):
            kind = token.lastgroup
            if kind == "brace":
                depth += 1 if token[0] == "{" else -1
                if depth < 0:
                    break
            elif kind == "begin":
                inner += 1
            elif kind == "end" and inner > 0:
                inner -= 1
            elif kind == "end" and (depth > 0 or token["end"] != environment):
                break
            elif kind is not None and depth == inner == 0:
                yield token
                if kind == "end":
                    return
        line = self._document.find_line(opened)
        raise DataError(f"{self._document.at(line)}: {_explain_end(environment, depth)}")

    def _make_row(self, places: list[tuple[int, int]]) -> _Row:
        row = _Row(self._document.find_line(places[0][0]))
        for start, end in places:
            part = Placed.cut(self._text, start, end)
            cell = Placed(" ".join(part.split()), part.start, part.end)
            width, height = _read_span(_MULTICOLUMN, cell), _read_span(_MULTIROW, cell)
            if width > 1:
                row.spans[len(row.cells)] = width
            if abs(height) > 1:
                row.heights[len(row.cells)] = height
            extended = cell.extend(width)
            row.cells += extended
            row.plain += [strip_latex(each, self._macros) for each in extended]
        return row


def _explain_end(environment: str, depth: int) -> str:
    """Say why a table has no end, from how many braces are open."""
    if depth == 0:
        return f"\\begin{{{environment}}} is never ended. Expected \\end{{{environment}}}."
    closes = "} closes nothing" if depth < 0 else "{ is never closed"
    return f"in this table a {closes}."


def _read_span(pattern: re.Pattern[str], cell: str) -> int:
    """Return how many columns or rows a cell spans."""
    found = pattern.search(cell, 0, 300)
    return 1 if found is None else int(found[1])


@dataclass
class _Row:
    """A row while its table is read."""

    line: int
    cells: list[Placed] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    spans: dict[int, int] = field(default_factory=dict)
    # Column to the rows that its cell spans, below 0 if they are above it.
    heights: dict[int, int] = field(default_factory=dict)


def _fill_rows(rows: list[_Row]) -> None:
    """Put cells that span several rows into the empty ones below, or above."""
    for place, row in enumerate(rows):
        for j, height in row.heights.items():
            step = 1 if height > 0 else -1
            others = range(place + step, max(min(place + height, len(rows)), -1), step)
            for other in (rows[each] for each in others):
                if j >= len(other.plain) or other.plain[j]:
                    break
                other.plain[j] = row.plain[j]
                other.cells[j] = Placed("", row.cells[j].start, row.cells[j].end)


def _recognise(document: Document) -> bool:
    return _BEGIN.search(document.text, 0, _SEARCHED) is not None


def find_tables(document: Document) -> list[Printed]:
    """Return the tables of a document with the texts around them."""
    return _Reader(document).read()


READER = make_reader("latex", _recognise, find_tables)
