"""Find tables in LaTeX: tabular, longtable and the like, with booktabs, multicolumn and multirow.

Comments and other parts that are not set are blanked out, so that positions stay those of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from rankconst.errors import DataError
from rankconst.results.labels import Span
from rankconst.results.tables.cells import MOST_COLUMNS, Placed, Row, check_spans, check_width
from rankconst.results.tables.grid import make_reader
from rankconst.results.tables.near import Outline
from rankconst.results.tables.tex import (
    ENVIRONMENTS,
    Parsed,
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
    r"(?P<row>\\\\\*?(?:[ \t]*\[[^\]\n]{0,40}\])?"
    r"|\\(?:tabularnewline|end(?:first|last)?(?:head|foot))(?![a-zA-Z]))"
    r"|\\begin\s*\{(?P<begin>[^{}]{0,40})\}"
    r"|\\end\s*\{(?P<end>[^{}]{0,40})\}|\\.|(?P<brace>[{}])|(?P<cell>&)",
    re.DOTALL,
)
_SEARCHED = 1_000_000  # characters, to recognise a file

# Parts that are not set.

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_UNSET = re.compile(
    r"\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)"
    r"|\\iffalse\b.*?(?:\\else\b|\\fi\b|\Z)|\\end\{document\}.*",
    re.DOTALL,
)

_NEWIF = re.compile(r"\\newif\s{0,9}\\if([a-zA-Z]{1,40})")
_MOST_SWITCHES = 20  # conditionals that are followed


def _hide(text: str) -> str:
    """Blank out what LaTeX does not print; positions stay those of the file."""
    shown = _COMMENT.sub(lambda comment: comment[1].ljust(len(comment[0])), text)
    shown = _UNSET.sub(lambda unset: _blank(unset[0]), shown)
    for name in dict.fromkeys(_NEWIF.findall(shown)[:_MOST_SWITCHES]):
        # The last \nametrue or \namefalse counts, wherever it is; without one it is false.
        values = re.findall(rf"\\{name}(true|false)\b", shown) or ["false"]
        branches = re.compile(
            rf"(?<!newif)\\if{name}\b(?P<true>.*?)(?:\\else\b(?P<false>.*?))?\\fi\b", re.DOTALL
        )
        shown = branches.sub(partial(_choose, branch=values[-1]), shown)

    return shown


def _blank(text: str) -> str:
    """Put a blank in place of each sign of a text but its line ends."""
    return re.sub(r"[^\n]", " ", text)


def _choose(switch: re.Match[str], branch: str) -> str:
    """Blank out a conditional but for one `branch`, "true" or "false", which may be missing."""
    if switch[branch] is None:
        return _blank(switch[0])
    before = switch.string[switch.start() : switch.start(branch)]
    behind = switch.string[switch.end(branch) : switch.end()]
    return _blank(before) + switch[branch] + _blank(behind)


_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|def)\*?\s{0,9}\{?\s{0,9}"
    r"\\([a-zA-Z]{1,40})\s{0,9}\}?\s{0,9}"
    r"((?:\[[^\[\]]{0,99}\]|#\d){0,9})\s{0,9}(?=\{)"
)
_MOST_MACROS, _LONGEST_BODY = 500, 300


def _take_macros(text: str) -> tuple[str, dict[str, str]]:
    r"""Return a text with blanks for its definitions of macros, and the body of each macro by name.

    ``\newcommand{\mrr}{MRR}`` maps mrr to MRR. A macro with arguments is left out, and so is one
    with two different bodies, as only one of them is true of a table.
    """
    bodies: dict[str, set[str]] = {}  # name to the distinct bodies
    blanked: list[str] = []  # the text up to `position`, in pieces
    position = 0
    for definition in _DEFINED.finditer(text):
        start = definition.start()
        body = read_argument(text, definition.end(), _LONGEST_BODY)
        if body is None or start < position:  # within the body of another
            continue

        blanked.append(text[position:start])
        blanked.append(_blank(text[start : body.end]))
        position = body.end
        name, parameters = definition.groups()
        has_room = name in bodies or len(bodies) < _MOST_MACROS
        if has_room and not parameters:
            bodies.setdefault(name, set()).add(body.text)

    blanked.append(text[position:])
    macros = {name: texts.pop() for name, texts in bodies.items() if len(texts) == 1}
    return "".join(blanked), macros


# Tables.


@dataclass
class _Float:
    """An environment around tables."""

    tables: list[list[str]] = field(default_factory=list)  # the captions of each
    captions: list[str] = field(default_factory=list)  # its own


_MOST_NESTED, _MOST_CAPTIONS, _MOST_NOTES = 20, 50, 20
_BLANK = re.compile(r"\n[ \t]*\n|\\par(?![a-zA-Z])")
_LINE = re.compile(r"\\item(?![a-zA-Z])|\\\\|\\footnotetext(?![a-zA-Z])")
_URL = re.compile(r"https?://\S*")
_CAPTION = re.compile(r"\\caption\*?(?![a-zA-Z])")
_CAPTION_OPTION = re.compile(r"\bcaption\s*=\s*")
_FOOTNOTE = re.compile(r"\\footnote(?=\s*\{)")
# Ends of the names of macros that may stand before the first cell of a row and belong to no cell.
_RULES = (
    *("line", "rule", "rules", "space", "head", "foot", "color", "noalign", "rowfont"),
    *("caption", "label", "centering", "small", "footnotesize"),
)
_GIVEN = r"(?:\([^()]{0,40}\)|\[[^\[\]]{0,200}\]|\{(?:[^{}]|\{[^{}]*\}){0,999}\})*"
_ARGUMENTS = re.compile(_GIVEN)
_LEADING = re.compile(rf"\s*+(?:\\([a-zA-Z]+)\*?{_GIVEN})?")
# The cells that \SetCell of tabularray spans are written out in the file, and empty.
_SET_CELL = r"SetCell\s*\[[^\]]{0,40}?\b"
_WIDTH = re.compile(
    rf"\\(?:multicolumn\s*\{{\s*|{_SET_CELL}c\s*=\s*)(\d{{1,3}})\s*[\}},\]]", re.ASCII
)
_HEIGHT = re.compile(
    rf"\\(?:multirow\s*(?:\[[^\]]{{0,40}}\]\s*)?\{{\s*|{_SET_CELL}r\s*=\s*)(-?\d{{1,4}})\s*[\}},\]]",
    re.ASCII,
)


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
        """Return the tables with the texts around them; DataError if there is none."""
        position = max(self._text.find("\\begin{document}"), 0)
        for event in _EVENT.finditer(self._text, position):
            if event.start() >= position:  # else it is within the last one
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
        """Take a table, the begin or end of a float, a title or a caption; return where it ends."""
        if event.lastgroup == "table":
            return self._take_table(event)
        if event.lastgroup == "float":
            return self._begin_float(event)
        if event.lastgroup == "end":
            self._end_float()
            return event.end()

        end = event.end()
        if event["caption"] == "captionof":  # of a table, or of a figure
            kind = read_argument(self._text, end)
            end = end if kind is None else kind.end

        title = self._read_title(end)
        if title is None:
            return event.end()

        if event.lastgroup == "level":
            self._outline.add_heading(1 + _LEVELS.index(event["level"]), title.text)
            self._below = False
        elif not self._floats:  # a caption outside of floats is a paragraph
            self._outline.add_text(title.text)
        elif len(self._floats[-1].captions) < _MOST_CAPTIONS:
            self._floats[-1].captions.append(title.text)

        return title.end

    def _take_table(self, begin: re.Match[str]) -> int:
        """Take a table with the captions in it, or in its options; return where it ends."""
        rows = self._read_table(begin)  # which sets self._end
        options_end = skip_options(self._text, begin.end())
        in_options = _CAPTION_OPTION.finditer(self._text, begin.end(), options_end)
        found = (*in_options, *_CAPTION.finditer(self._text, begin.end(), self._end))
        titles = [self._read_title(caption.end()) for caption in found]
        captions = [title.text for title in titles if title is not None]
        marks = _FOOTNOTE.finditer(self._text, begin.end(), self._end)
        footnotes = [self._read_title(mark.end()) for mark in marks]
        notes = [f"† {note.text}" for note in footnotes if note is not None]
        captions = self._outline.add_table(rows, captions, notes)
        self._below = True
        if self._floats:  # to add its captions at its end
            self._floats[-1].tables.append(captions)

        return self._end

    def _begin_float(self, begin: re.Match[str]) -> int:
        """Open an environment around tables, a float; return the end of its arguments."""
        self._floats.append(_Float())
        arguments = _ARGUMENTS.match(self._text, begin.end())
        # These have no arguments in braces: what follows is text.
        if arguments is None or begin["float"] in {"center", "table", "figure"}:
            return skip_options(self._text, begin.end())
        return arguments.end()

    def _read_title(self, position: int) -> Parsed | None:
        """Read a caption or a title; None if no brace follows, DataError if it is not closed."""
        start = skip_options(self._text, position)
        argument = read_argument(self._text, start)
        if argument is None:
            if not begins_argument(self._text, start):
                return None
            line = self._document.find_line(start)
            raise DataError(f"{self._document.at(line)}: this {{ is not closed. Expected a title.")

        return Parsed(self._strip_text(_FOOTNOTE.sub(". ", argument.text)), argument.end)

    def _end_float(self) -> None:
        """Close the innermost float: give its tables their captions, and to the float around."""
        if not self._floats:
            return

        closed = self._floats.pop()
        is_each = len(closed.captions) == len(closed.tables)
        for place, captions in enumerate(closed.tables):
            own = closed.captions[place : place + 1] if is_each else closed.captions
            captions.extend(own)

        if self._floats and len(self._floats) < _MOST_NESTED:
            self._floats[-1].tables.extend(closed.tables)

    def _take_text(self, start: int, end: int, *, above: bool) -> None:
        """Take the first paragraphs below a table, and the last one `above` a table or float."""
        if not (self._below or above):
            return

        parts = [part for part in _BLANK.split(self._text[start:end]) if part.strip()]
        below = parts[:_MOST_NOTES] if self._below else []
        for part in below:
            for line in _LINE.split(part):
                self._outline.add_text(self._strip_text(line))

        if above and len(parts) > len(below):
            self._outline.add_text(self._strip_text(parts[-1]), is_item=bool(self._floats))

        self._below = self._below and not parts

    def _strip_text(self, text: str) -> str:
        """Return a text without markup and addresses on the web."""
        return " ".join(_URL.sub("", strip_latex(text, self._macros)).split())

    def _read_table(self, begin: re.Match[str]) -> list[Row]:
        """Return the rows of the table that begins there, without rules and empty rows."""
        environment = begin["table"]
        position = begin.end()
        for _ in range(ENVIRONMENTS[environment]):
            argument = read_argument(self._text, skip_options(self._text, position))
            if argument is None:
                line = self._document.find_line(begin.start())
                raise DataError(
                    f"{self._document.at(line)}: \\begin{{{environment}}} lacks its columns; "
                    "expected them in braces, such as {lrr}."
                )
            position = argument.end

        lines: list[int] = []
        rows: list[list[_Cell]] = []
        covered = 0
        for spans in self._split(position, environment, begin.start()):
            spans[0] = self._skip_rules(spans[0])
            cells: list[_Cell] = []
            for span in spans:
                first, *others = self._read_cell(span)
                cells += [first, *others]
                covered += first.width if others else 0
                check_spans(covered, self._document, self._document.find_line(span.start))

            if len(spans) > 1 or cells[0].plain:
                lines.append(self._document.find_line(spans[0].start))
                rows.append(cells)

        _fill_rows(rows)
        return [_finish_row(*row) for row in zip(lines, rows, strict=True)]

    def _skip_rules(self, cell: Span) -> Span:
        r"""Return the first cell of a row without blanks and rules, ``\midrule``, before it."""
        start, end = cell
        leading = _LEADING.match(self._text, start, end)
        while leading is not None and leading[1] and leading[1].endswith(_RULES):
            start = leading.end()
            leading = _LEADING.match(self._text, start, end)
        return Span(end - len(self._text[start:end].lstrip()), end)

    def _split(self, position: int, environment: str, opened: int) -> Iterator[list[Span]]:
        r"""Yield the cells of each row of a table, as positions in the text.

        The body begins at `position`, and ``\begin{environment}`` at `opened`. The two rows of ``A
        & 1 \\ B & 2 \end{tabular}`` are the positions of "A " and " 1 ", and of " B " and " 2 ".
        """
        cells: list[Span] = []  # of the row so far
        start = position  # of the cell
        for token in self._find_separators(position, environment, opened):
            cells.append(Span(start, token.start()))
            if len(cells) > MOST_COLUMNS:
                check_width(len(cells), self._document, self._document.find_line(cells[0].start))
            start = token.end()
            if token.lastgroup != "cell":  # no &: the row ends, and perhaps the table
                # After the last row this is the end of the table, where its callers read on.
                self._end = start
                yield cells
                cells = []

    def _find_separators(
        self, position: int, environment: str, opened: int
    ) -> Iterator[re.Match[str]]:
        """Yield the ends of cells, of rows and of the table, outside of braces."""
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

    def _read_cell(self, span: Span) -> Iterator[_Cell]:
        """Yield the cell of a part of the text, and an empty one for each further column of it."""
        part = Placed.cut(self._text, span.start, span.end)
        cell = Placed(" ".join(part.split()), part.start, part.end)
        width, height = _read_span(_WIDTH, cell), _read_span(_HEIGHT, cell)
        covered = 1 if "\\SetCell" in cell else width
        first, *others = cell.extend(covered)
        yield _Cell(first, strip_latex(first, self._macros), width, height)
        for other in others:
            yield _Cell(other, "")


def _explain_end(environment: str, depth: int) -> str:
    """Explain why the end of a table is missing, given how many braces are open."""
    if depth == 0:
        return f"\\begin{{{environment}}} is never ended. Expected \\end{{{environment}}}."
    closes = "} closes nothing" if depth < 0 else "{ is never closed"
    return f"in this table a {closes}."


def _read_span(pattern: re.Pattern[str], cell: str) -> int:
    """Return how many columns or rows a cell spans; below 0 for rows above it."""
    span = pattern.search(cell, 0, 300)  # the macro is near its beginning
    return 1 if span is None else int(span[1])


class _Cell(NamedTuple):
    """A cell with the columns and rows that it spans; the rows are above it if below 0."""

    written: Placed
    plain: str
    width: int = 1
    height: int = 1


def _fill_rows(rows: list[list[_Cell]]) -> None:
    """Put cells that span several rows into the empty ones below, or above; changes `rows`."""
    for place, row in enumerate(rows):
        for j, cell in enumerate(row):
            step = 1 if cell.height > 0 else -1
            end = max(min(place + cell.height, len(rows)), -1)  # -1 is behind row 0, going up
            for other in (rows[at] for at in range(place + step, end, step)):
                if j >= len(other) or other[j].plain:
                    break
                # Only the cell itself can be rewritten.
                written = Placed("", cell.written.start, cell.written.end)
                other[j] = other[j]._replace(written=written, plain=cell.plain)


def _finish_row(line: int, cells: list[_Cell]) -> Row:
    """Return a row of cells with the columns that they span."""
    spans = {j: cell.width for j, cell in enumerate(cells) if cell.width > 1}
    written = tuple(cell.written for cell in cells)
    return Row(line, written, tuple(cell.plain for cell in cells), spans)


def _recognise(document: Document) -> bool:
    """Tell whether a document begins a table."""
    return _BEGIN.search(document.text, 0, _SEARCHED) is not None


def find_tables(document: Document) -> list[Printed]:
    """Return the tables of a document with the texts around them."""
    return _Reader(document).read()


READER = make_reader("latex", _recognise, find_tables)
