r"""Tables in LaTeX: tabular, tabularx, longtable and the like, with booktabs, multicolumn and multirow.

Unknown macros keep their arguments, so ``\best{0.338}`` is 0.338; the name of one without stays as text, which is
refused where a number is expected. Comments and what is not set are blanked out, so that places stay those of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rankconst.errors import DataError
from rankconst.results.reading import LONGEST_TEXT, Reader, Reading
from rankconst.results.tables.cells import MOST_COLUMNS, Placed, Row, check_spans, check_width
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.near import Outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed

ENVIRONMENTS: dict[str, int] = dict.fromkeys(
    ("tabular", "tblr", "longtblr", "longtable", "supertabular", "array", "NiceTabular", "tabu", "longtabu"), 1
) | dict.fromkeys(("tabular*", "tabularx", "tabulary", "xltabular"), 2)
"""Environment of a table to the number of its arguments in braces."""

_NAMES = "|".join(map(re.escape, ENVIRONMENTS))
_BEGIN = re.compile(rf"\\begin\s*\{{({_NAMES})\}}")
_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_EVENT = re.compile(
    rf"\\begin\s*\{{(?P<table>{_NAMES})\}}|\\(?P<level>{'|'.join(_LEVELS)})\*?(?![a-zA-Z])"
    r"|\\(?P<caption>(?:sub)?caption(?:of\s*+\*?\s*+\{\w{0,20}\}|box)?)\*?(?![a-zA-Z])"
    r"|\\(?P<float>begin|end)\s*\{(?P<name>\w{0,20}(?:table|figure)\*?|minipage|center|subfloat)\}"
)
_TOKEN = re.compile(
    r"(?P<row>\\\\\*?(?:[ \t]*\[[^\]\n]{0,40}\])?|\\tabularnewline(?![a-zA-Z]))|\\begin\s*\{(?P<begin>[^{}]{0,40})\}"
    r"|\\end\s*\{(?P<end>[^{}]{0,40})\}|\\.|(?P<brace>[{}])|(?P<cell>&)",
    re.DOTALL,
)
_SEARCHED = 1_000_000

# What is not set.

_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*(%.*)")
_UNSET = re.compile(
    r"\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)|\\iffalse\b.*?(?:\\else\b|\\fi\b|\Z)|\\end\{document\}.*", re.DOTALL
)


def _hide(text: str) -> str:
    """Blank out what LaTeX does not set."""
    shown = _COMMENT.sub(lambda found: found[0][: found.start(1) - found.start()] + " " * len(found[1]), text)
    return _UNSET.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), shown)


_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|def)\*?\s{0,9}\{?\s{0,9}\\([a-zA-Z]{1,40})\s{0,9}\}?\s{0,9}"
    r"((?:\[[^\[\]]{0,99}\]|#\d){0,9})\s{0,9}(?=\{)"
)
_MOST_MACROS, _MOST_ROUNDS, _LONGEST_BODY = 500, 4, 300


def _take_macros(text: str) -> tuple[str, dict[str, str]]:
    """Blank out definitions, and return what macros without arguments print; one defined twice may be either."""
    bodies: dict[str, set[str]] = {}
    parts, position = list[str](), 0
    for found in _DEFINED.finditer(text):
        body = _read_argument(text, found.end(), _LONGEST_BODY) if found.start() >= position else None
        if body is not None:
            parts += (text[position : found.start()], re.sub(r"[^\n]", " ", text[found.start() : body[1]]))
            position = body[1]
            if not found[2] and len(bodies) < _MOST_MACROS:
                bodies.setdefault(found[1], set()).add(body[0])
    macros = {name: next(iter(several)) for name, several in bodies.items() if len(several) == 1}
    return "".join((*parts, text[position:])), macros


# Tables.


class _Float(NamedTuple):
    """An environment around tables: their captions, and those of its own."""

    tables: list[list[str]]
    captions: list[str]


_MOST_NESTED, _MOST_CAPTIONS, _MOST_NOTES = 20, 50, 20
_BLANK = re.compile(r"\n[ \t]*\n|\\par(?![a-zA-Z])")
_LINE = re.compile(r"\\item(?![a-zA-Z])|\\\\|\\footnotetext(?![a-zA-Z])")
_MARK = re.compile(r"\A\s*+\[\$?([^\[\]$]{1,20})\$?\]")
_CAPTION = re.compile(r"\\caption\*?(?![a-zA-Z])")
_FOOTNOTE = re.compile(r"\\footnote(?=\s*\{)")
# Rules and the like, which are before the first cell of a row and part of none.
_RULES = (
    r"(?:h|c)line|\w*rule|addlinespace|morecmidrules|[hc]dashline|Xhline|noalign|row(?:color|font)|end\w*(?:head|foot)"
    r"|caption|label|arrayrulecolor|centering|small|footnotesize"
)
_GIVEN = r"(?:\([^()]{0,40}\)|\[[^\[\]]{0,200}\]|\{(?:[^{}]|\{[^{}]*\}){0,999}\})*"
_ARGUMENTS = re.compile(_GIVEN)
_LEADING = re.compile(rf"(?:\s|\\(?:{_RULES})(?![a-zA-Z])\*?{_GIVEN})*")
_MULTICOLUMN = re.compile(r"\\multicolumn\s*\{\s*(\d{1,3})\s*\}", re.ASCII)
_MULTIROW = re.compile(r"\\multirow\s*(?:\[[^\]]{0,40}\]\s*)?\{\s*(-?\d{1,4})\s*\}", re.ASCII)


class _Reader:
    """The text of a file, read from top to bottom."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text, self._macros = _take_macros(_hide(document.text))
        self._starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        self._outline = Outline()
        self._floats: list[_Float] = []
        self._end = 0  # of the row that was split last
        self._below = False  # True right below a table

    def read(self) -> list[Printed]:
        """Return the tables with the texts around them."""
        position = max(self._text.find("\\begin{document}"), 0)
        while (event := _EVENT.search(self._text, position)) is not None:
            self._take_text(position, event.start(), above=bool(event["table"] or event["float"] == "begin"))
            position = self._take(event)
        self._take_text(position, len(self._text), above=False)
        while self._floats:
            self._end_float()
        if not (tables := self._outline.list_tables()):
            expected = f"Expected \\begin{{tabular}}, or one of {', '.join(ENVIRONMENTS)}."
            raise DataError(f"{self._document.name}: there is no table. {expected}")
        return tables

    def _take(self, event: re.Match[str]) -> int:
        """Take what may say something of a table, or a table; return its end."""
        if event["table"]:
            rows, end = self._read_table(event)
            found = (self._read_title(each.end()) for each in _CAPTION.finditer(self._text, event.end(), end))
            captions = self._outline.add_table(rows, captions=[each[0] for each in found if each is not None])
            self._below = True
            if self._floats:
                self._floats[-1].tables.append(captions)
            return end
        if event["float"]:
            if event["float"] == "end":
                self._end_float()
                return event.end()
            self._floats.append(_Float([], []))
            sized = (
                None if event["name"] in {"center", "table", "figure"} else _ARGUMENTS.match(self._text, event.end())
            )
            return _skip_options(self._text, event.end()) if sized is None else sized.end()
        read = self._read_title(event.end())
        if read is None:
            return event.end()
        title, end = read
        if event["level"]:
            self._outline.add_heading(1 + _LEVELS.index(event["level"]), title)
            self._below = False
        elif not self._floats:
            self._outline.add_text(title)
        elif len(self._floats[-1].captions) < _MOST_CAPTIONS:
            self._floats[-1].captions.append(title)
        return end

    def _read_title(self, position: int) -> tuple[str, int] | None:
        """Return the text of a caption or of a section's title, with its footnotes, and its end."""
        start = _skip_options(self._text, position)
        argument = _read_argument(self._text, start)
        if argument is None:
            if _OPENING.match(self._text, start) is None:
                return None
            raise DataError(f"{self._document.at(self._line(start))}: this {{ is not closed. Expected a title.")
        notes = (_read_argument(argument[0], each.end()) for each in _FOOTNOTE.finditer(argument[0]))
        return ". ".join(self._strip_text(each[0]) for each in (argument, *notes) if each is not None), argument[1]

    def _end_float(self) -> None:
        """Give the tables of a float its captions: each its own if there are as many, or else all."""
        if not self._floats:
            return
        tables, captions = self._floats.pop()
        for place, own in enumerate(tables):
            own.extend(captions[place : place + 1] if len(captions) == len(tables) else captions)
        if self._floats and len(self._floats) < _MOST_NESTED:
            self._floats[-1].tables.extend(tables)

    def _take_text(self, start: int, end: int, *, above: bool) -> None:
        """Take the first paragraphs below a table, and the last one above another."""
        if not (self._below or above):
            return
        parts = [part for part in _BLANK.split(self._text[start:end]) if part.strip()]
        below = parts[:_MOST_NOTES] if self._below else []
        for line in (line for part in below for line in _LINE.split(part)):
            self._outline.add_text(self._strip_text(_MARK.sub(r"^{\1} ", line, count=1)))
        for text in parts[len(below) :][-1:] if above else ():
            self._outline.add_text(self._strip_text(text), 0 if self._floats else None)
        self._below = self._below and not parts

    def _strip_text(self, text: str) -> str:
        return " ".join(_URL.sub("", strip_latex(text, self._macros)).split())

    def _read_table(self, begin: re.Match[str]) -> tuple[list[Row], int]:
        """Return the rows of the table that begins there, and its end."""
        environment, position = begin["table"], begin.end()
        for _ in range(ENVIRONMENTS[environment]):
            argument = _read_argument(self._text, _skip_options(self._text, position))
            if argument is None:
                raise DataError(
                    f"{self._document.at(self._line(begin.start()))}: \\begin{{{environment}}} lacks its columns; "
                    "expected them in braces, such as {lrr}."
                )
            position = argument[1]
        rows: list[_Row] = []
        for cells in self._split(position, environment, begin.start()):
            end = cells[-1][1] + 1
            leading = _LEADING.match(self._text, *cells[0])
            row = self._make_row([(leading.end() if leading else cells[0][0], cells[0][1]), *cells[1:]])
            if len(cells) > 1 or row.plain[0]:
                rows.append(row)
        _fill_rows(rows)
        check_spans(sum(sum(row.spans.values()) for row in rows), self._document, self._line(end))
        return [Row(row.line, tuple(row.cells), tuple(row.plain), row.spans) for row in rows], self._end

    def _line(self, position: int) -> int:
        return bisect_right(self._starts, position)

    def _split(self, position: int, environment: str, opened: int) -> Iterator[list[tuple[int, int]]]:
        """Yield the rows of the body of a table: where each of their cells begins and ends."""
        cells, depth, inner = list[tuple[int, int]](), 0, 0
        start = position
        for token in _TOKEN.finditer(self._text, position):
            kind = token.lastgroup
            if kind == "brace":
                depth += 1 if token[0] == "{" else -1
            elif kind == "begin":
                inner += 1
            elif kind == "end" and inner > 0:
                inner -= 1
            elif kind == "end" and (depth > 0 or token["end"] != environment):
                break
            elif kind is not None and depth == inner == 0:
                cells.append((start, token.start()))
                if len(cells) > MOST_COLUMNS:
                    check_width(len(cells), self._document, self._line(cells[0][0]))
                start = token.end()
                if kind != "cell":
                    self._end = start
                    yield cells
                    cells = []
                if kind == "end":
                    return
            if depth < 0:
                break
        what = f"\\begin{{{environment}}} is never ended. Expected \\end{{{environment}}}."
        if depth:
            what = "in this table a } closes nothing." if depth < 0 else "in this table a { is never closed."
        raise DataError(f"{self._document.at(self._line(opened))}: {what}")

    def _make_row(self, places: list[tuple[int, int]]) -> _Row:
        row = _Row(self._line(places[0][0]), [], [], {}, {})
        for start, end in places:
            written = self._text[start:end]
            first = start + len(written) - len(written.lstrip())
            cell = Placed(" ".join(written.split()), first, max(first, start + len(written.rstrip())))
            width, height = (_read_count(pattern, cell) for pattern in (_MULTICOLUMN, _MULTIROW))
            if width > 1:
                row.spans[len(row.cells)] = width
            if abs(height) > 1:
                row.heights[len(row.cells)] = height
            row.cells.extend([cell, *[Placed("", cell.start, cell.end)] * (width - 1)])
            row.plain.extend([strip_latex(cell, self._macros), *[""] * (width - 1)])
        return row


class _Row(NamedTuple):
    """A row while its table is read."""

    line: int
    cells: list[Placed]
    plain: list[str]
    spans: dict[int, int]
    heights: dict[int, int]  # column to the rows that its cell spans, below 0 if they are above it


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


def _read_count(pattern: re.Pattern[str], cell: str) -> int:
    found = pattern.search(cell, 0, 300) if "\\multi" in cell else None
    return int(found[1]) if found is not None else 1


_LONGEST_CELL = 10_000
_OPTIONS = re.compile(r"(?:\s*\[[^\[\]]{0,500}\])+")
_OPENING = re.compile(r"\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_URL = re.compile(r"https?://\S*")


def _skip_options(text: str, start: int) -> int:
    """Return the end of options in brackets, if there are any."""
    found = _OPTIONS.match(text, start)
    return start if found is None else found.end()


def _read_argument(text: str, start: int, most: int = _LONGEST_CELL) -> tuple[str, int] | None:
    """Return the text in the braces that follow, and their end; None if none follow, or none that end soon."""
    opening = _OPENING.match(text, start)
    depth = 0
    for brace in _BRACE.finditer(text, opening.end() - 1, opening.end() + most) if opening else ():
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and opening:
            return text[opening.end() : brace.start()], brace.end()
    return None


# Markup.

_SYMBOLS = {
    "pm": "±", "textpm": "±", "dagger": "†", "dag": "†", "textdagger": "†", "ddagger": "‡", "ddag": "‡",
    "textdaggerdbl": "‡", "ast": "*", "star": "*", "textasteriskcentered": "*", "S": "§", "P": "¶", "times": "×",
    "checkmark": "✓", "xmark": "✗", "uparrow": "↑", "downarrow": "↓", "Uparrow": "↑", "Downarrow": "↓",
    "textuparrow": "↑", "textdownarrow": "↓", "textendash": "–", "textemdash": "—", "textminus": "−", "sim": "~",
    "Delta": "Δ", "infty": "∞", "textbackslash": "\\", "textunderscore": "_", "textpercent": "%", "percent": "%",
    "slash": "/", "cdot": "·", "approx": "≈", "ldots": "…", "dots": "…", "thinspace": "\u2009",
}  # fmt: skip
"""Macro to the text that it prints."""

# What sets apart; what is smaller behind a number is no more of its digits.
_SYMBOLS |= dict.fromkeys((
    "item", "quad", "qquad", "space", "newline", "enspace", "nobreakspace", "medspace", "thickspace", "tiny", "small",
    "scriptsize", "footnotesize",
), " ")  # fmt: skip
_SYMBOLS |= dict.fromkeys((
    "bf", "bfseries", "it", "itshape", "em", "rm", "sf", "sffamily", "tt", "ttfamily", "sc", "scshape", "sl", "bm",
    "normalfont", "normalsize", "large", "Large", "LARGE", "huge", "Huge", "centering", "raggedright", "boldmath",
    "unboldmath", "displaystyle", "textstyle", "scriptstyle", "hfill", "hline", "toprule", "midrule", "bottomrule",
    "botrule", "noindent", "strut", "left", "right", "relax", "arraybackslash", "protect", "ensuremath", "mathbf",
    "boldsymbol", "fill", "pagebreak", "newpage", "clearpage", "allowbreak", "smallskip", "medskip", "bigskip",
    "mdseries", "upshape", "selectfont", "xspace", "null",
), "")  # fmt: skip

_DROPPED = dict.fromkeys((
    "cite", "citep", "citet", "citealp", "citealt", "citeauthor", "citeyear", "autocite", "parencite", "textcite",
    "footcite", "nocite", "ref", "cref", "autoref", "eqref", "label", "footnote", "tablefootnote", "tnote", "color",
    "cellcolor", "rowcolor", "columncolor", "hspace", "vspace", "phantom", "hphantom", "vphantom", "cline", "cmidrule",
    "caption", "includegraphics", "bibliography", "bibliographystyle", "input", "include", "usepackage", "begin",
    "end", "url",
), 1)  # fmt: skip
_DROPPED |= {"footnotemark": 0, "rule": 2, "setlength": 2, "fontsize": 2}
"""Macro to the number of arguments that are dropped with it."""

_LAST = {
    "multicolumn": 3, "multirow": 3, "textcolor": 2, "colorbox": 2, "rotatebox": 2, "resizebox": 3, "scalebox": 2,
    "href": 2, "parbox": 2, "raisebox": 2, "adjustbox": 2, "hyperref": 1, "fcolorbox": 3,
}  # fmt: skip
"""Macro to the number of its arguments; the last one is printed."""

_STRUCK = {"sout", "st", "xout"}
_PIECE = re.compile(
    r"\\(?P<macro>[a-zA-Z]+)\*?[ \t]*|\\(?P<escaped>.)|(?P<group>\{)|(?P<script>[\^_])|(?P<blank>~)"
    r"|(?P<text>[^\\{}^_$~]+)|.",
    re.DOTALL,
)
_ESCAPED = {"\\": " ", ",": "", ";": " ", ":": " ", "!": "", "-": "", "/": "", "(": "", ")": ""}
_MARKUP = re.compile(r"[\\{}$~^_]")
_PARENTHESES = re.compile(r"\s*\([^()]{0,40}\)")
_DEEPEST = 20


def strip_latex(cell: str, macros: Mapping[str, str] = MappingProxyType({})) -> str:
    r"""Return a cell without markup; superscripts are kept as ``^{...}``, what is struck out as ``~~...~~``.

    Of the macros that a file defines, `macros` has what they print.
    """
    text = cell.strip()
    if len(text) > _LONGEST_CELL or _MARKUP.search(text) is None:
        return text
    return " ".join(_Markup(text, macros).strip(0, len(text)).split())


class _Markup:
    """The text of a cell with its pairs of braces."""

    def __init__(self, text: str, macros: Mapping[str, str], depth: int = 0) -> None:
        self._text, self._macros, self._depth = text, macros, depth
        self._closing: dict[int, int] = {}
        opened: list[int] = []
        for brace in _BRACE.finditer(text):
            if brace[0] == "{":
                opened.append(brace.start())
            elif brace[0] == "}" and opened:
                self._closing[opened.pop()] = brace.start()

    def strip(self, position: int, end: int, depth: int = 0) -> str:
        """Return a part of the text without its markup."""
        if depth > _DEEPEST:
            return self._text[position:end]
        printed: list[str] = []
        while position < end and (piece := _PIECE.match(self._text, position, end)) is not None:
            put, position = self._print(piece, depth)
            printed.append(put)
        return "".join(printed)

    def _print(self, piece: re.Match[str], depth: int) -> tuple[str, int]:
        kind, end = piece.lastgroup, piece.end()
        if kind == "macro":
            return self._expand(piece["macro"], piece.start(), end, depth)
        if kind == "script":
            return self._set_script(piece, depth)
        if kind == "escaped":
            return _ESCAPED.get(piece[kind], piece[kind]), end
        if kind == "group" and (closing := self._closing.get(piece.start())) is not None:
            return self.strip(end, closing, depth + 1), closing + 1
        return {"text": piece[0], "blank": " "}.get(kind or "", ""), end

    def _find_argument(self, position: int) -> tuple[int, int] | None:
        opening = _OPENING.match(self._text, position)
        closing = None if opening is None else self._closing.get(opening.end() - 1)
        return None if opening is None or closing is None else (opening.end(), closing)

    def _take_arguments(self, position: int, takes: int) -> tuple[list[tuple[int, int]], int]:
        """Return where the arguments of a macro begin and end, and its own end."""
        found: list[tuple[int, int]] = []
        position = _skip_options(self._text, position)
        while len(found) < takes:
            if self._text.startswith("*", position):  # \multirow{2}*{Model}
                argument = (position, position + 1)
                position += 1
            elif (braces := self._find_argument(position)) is not None:
                argument, position = braces, braces[1] + 1
            else:
                break
            found.append(argument)
            position = _skip_options(self._text, position) if len(found) < takes else position
        return found, position

    def _expand(self, macro: str, start: int, position: int, depth: int) -> tuple[str, int]:
        """Return what a macro prints, and its end."""
        if macro in _SYMBOLS:
            return _SYMBOLS[macro], position
        if macro in self._macros and self._depth < _MOST_ROUNDS:
            body = self._macros[macro]
            return _Markup(body, self._macros, self._depth + 1).strip(0, len(body)), position
        if macro in _DROPPED:
            return "", self._drop(macro, position)
        takes = _LAST.get(macro, 1)
        found, end = self._take_arguments(position, takes)
        if len(found) < takes:
            return ("", end) if macro in _LAST else (f"{macro} ", position)
        put = self.strip(*found[-1], depth + 1)
        if macro == "textsuperscript":
            put = f" {put}" if put.startswith("±") else f"^{{{put}}}"
        elif macro in _STRUCK:
            put = f"~~{put}~~"
        elif macro not in _LAST:  # the arguments of an unknown macro are no digits of what is around them
            apart, more = self._text[start - 1 : start].isdigit(), self._find_argument(end) is not None
            put = f"{' ' * apart}{put}{' ' * more}"
        return put, end

    def _drop(self, macro: str, position: int) -> int:
        """Return the end of a macro that is dropped with its arguments, and those of a table within a cell."""
        around = _PARENTHESES.match(self._text, position) if macro == "cmidrule" else None
        found, end = self._take_arguments(around.end() if around else position, _DROPPED[macro])
        inner = self._text[slice(*found[0])] if macro == "begin" and found else ""
        return self._take_arguments(end, ENVIRONMENTS[inner])[1] if inner in ENVIRONMENTS else end

    def _set_script(self, sign: re.Match[str], depth: int) -> tuple[str, int]:
        argument = self._find_argument(sign.end())
        following = _PIECE.match(self._text, sign.end())
        if argument is not None:
            put, end = self.strip(*argument, depth + 1).strip(), argument[1] + 1
        elif following is None or following.lastgroup not in {"macro", "escaped", "text"}:
            return sign[0], sign.end()
        elif following.lastgroup == "text":
            put, end = self._text[sign.end()].strip(), sign.end() + 1
        else:  # a macro takes its arguments along
            put, end = self._print(following, depth + 1)
            put = put.strip()
        if put.startswith("±"):
            return f" {put}", end
        return (f"^{{{put}}}" if sign[0] == "^" else f"_{put}"), end


def _recognise(document: Document) -> bool:
    return _BEGIN.search(document.text[:_SEARCHED]) is not None


def find_tables(document: Document) -> list[Printed]:
    """Return the tables of a document with the texts around them."""
    return _Reader(document).read()


def _read(document: Document) -> Reading:
    return read_tables(document, READER.key, find_tables(document))


READER = Reader("latex", "tabular, longtable and the like in LaTeX", _recognise, _read, most=LONGEST_TEXT)
