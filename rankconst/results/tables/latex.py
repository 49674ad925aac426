r"""Tables in LaTeX: tabular, tabularx, longtable and the like, with booktabs, multicolumn and multirow.

Unknown macros keep their arguments, so ``\best{0.338}`` is 0.338; the rest of others remains as text, which is refused
where a number is expected.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.results.hidden import hide_latex
from rankconst.results.reading import LONGEST_TEXT, Reader, Reading
from rankconst.results.tables.cells import MOST_COLUMNS, Row, check_spans, check_width
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.near import Outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed


ENVIRONMENTS: dict[str, int] = {
    "tabular": 1,
    "tabular*": 2,
    "tabularx": 2,
    "tabulary": 2,
    "tblr": 1,
    "longtblr": 1,
    "longtable": 1,
    "supertabular": 1,
    "xltabular": 2,
    "array": 1,
    "NiceTabular": 1,
    "tabu": 1,
    "longtabu": 1,
}
"""Environment of a table to the number of its arguments in braces."""

_BEGIN = re.compile(r"\\begin\s*\{(" + "|".join(map(re.escape, ENVIRONMENTS)) + r")\}")
_SEARCHED = 1_000_000
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_TOKEN = re.compile(
    r"(?P<row>\\\\\*?(?:[ \t]*\[[^\]\n]{0,40}\])?|\\tabularnewline(?![a-zA-Z]))|\\begin\s*\{(?P<begin>[^{}]{0,40})\}"
    r"|\\end\s*\{(?P<end>[^{}]{0,40})\}|\\.|(?P<brace>[{}])|(?P<cell>&)",
    re.DOTALL,
)


# What authors define: datasets, metrics, and what sets a number.
_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s{0,9}\{?\s{0,9}\\([a-zA-Z]{1,40})\s{0,9}\}?"
    r"\s{0,9}(?:\[([1-9])\]\s{0,9})?(?=\{)|\\def\s{0,9}\\([a-zA-Z]{1,40})((?:#[1-9])*)\s{0,9}(?=\{)"
)
# Bodies that are programs or tables.
_PROGRAMMED = re.compile(
    r"\\(?:if|else|fi|csname|expandafter|begin|end|the|newcommand|def|caption)(?![a-zA-Z])|\\if|\\[a-zA-Z]{0,40}@"
)
_CALLED = re.compile(r"\\([a-zA-Z]+)")
_PARAMETER = re.compile(r"#([1-9])")
_LONGEST_BODY, _MOST_MACROS, _MOST_ROUNDS = 300, 500, 4


class _Macros:
    """Macros that a file defines, each with the number of its arguments and what it prints."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.places: list[tuple[int, int]] = []  # of the definitions
        bodies: dict[str, set[tuple[int, str]]] = {}
        for found in _DEFINED.finditer(text):
            body = _read_argument(text, found.end()) if len(bodies) < _MOST_MACROS else None
            if body is None or (self.places and found.start() < self.places[-1][1]):
                continue
            takes = int(found[2] or 0) if found[1] else found[4].count("#")
            bodies.setdefault(found[1] or found[3], set()).add((takes, " ".join(body[0].split())))
            self.places.append((found.start(), body[1]))
        # One that is defined twice may be either.
        own = {name: next(iter(several)) for name, several in bodies.items() if len(several) == 1}
        self._own = {
            name: (takes, body)
            for name, (takes, body) in own.items()
            if not (name in _KNOWN or name in _SPREADS or len(body) > _LONGEST_BODY or _PROGRAMMED.search(body))
        }
        for _ in range(_MOST_ROUNDS):
            expanded = {name: (takes, self._expand(body)) for name, (takes, body) in self._own.items()}
            self._own |= {name: each for name, each in expanded.items() if len(each[1]) <= _LONGEST_BODY}

    def expand(self) -> str:
        """Return the text with what the macros print in their place; arguments keep their lines."""
        if not self._own:
            return self._text
        parts, position = list[str](), 0
        for start, end in self.places:
            parts += [self._expand(self._text[position:start]), self._text[start:end]]
            position = end
        expanded = "".join([*parts, self._expand(self._text[position:])])
        return expanded if len(expanded) <= 2 * len(self._text) + _LONGEST_CELL else self._text

    def _expand(self, text: str) -> str:
        return self._expand_part(text, _pair_braces(text), 0, len(text), 0)

    def _expand_part(self, text: str, closing: Mapping[int, int], start: int, end: int, depth: int) -> str:
        parts, position = list[str](), start
        for call in _CALLED.finditer(text, start, end):
            macro = self._own.get(call[1])
            if macro is None or call.start() < position:
                continue
            takes, body = macro
            given, behind = list[str](), call.end()
            while len(given) < takes and (opening := _OPENING.match(text, behind, end)) is not None:
                close = closing.get(opening.end() - 1)
                if close is None or depth > _DEEPEST:
                    break
                given.append(self._expand_part(text, closing, opening.end(), close, depth + 1))
                behind = close + 1
            if len(given) == takes:
                put = _put_arguments(body, given)
                fits = len(put) <= _LONGEST_CELL
                parts += [text[position : call.start()], put if fits else text[call.start() : behind]]
                position = behind
        return "".join([*parts, text[position:end]])


def find_definitions(text: str) -> list[tuple[int, int]]:
    """Return where a text defines macros: what is printed elsewhere, too, is there."""
    return _Macros(text).places


def _put_arguments(body: str, given: Sequence[str]) -> str:
    return _PARAMETER.sub(lambda each: given[int(each[1]) - 1] if int(each[1]) <= len(given) else each[0], body)


def _pair_braces(text: str) -> dict[int, int]:
    """Return where the brace is that closes each one."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            closing[opened.pop()] = brace.start()
    return closing


def _find_tables(document: Document) -> list[Printed]:
    text = "\n".join(_COMMENT.sub(r"\1", line) if "%" in line else line for line in document.lines)
    text = hide_latex(_Macros(text).expand())
    body = _Body(document, text)
    found: list[tuple[int, int, list[Row]]] = []
    while (begin := _BEGIN.search(text, body.position)) is not None:
        rows = body.read_table(begin)
        found.append((begin.start(), body.position, rows))
    if not found:
        raise DataError(
            f"{document.name}: there is no table. Expected \\begin{{tabular}}, or one of {', '.join(ENVIRONMENTS)}."
        )
    chosen = _choose_captions([each[:2] for each in found], _find_captions(text), _find_floats(text))
    outline, sections = Outline(), [*_find_sections(text)][::-1]
    for (start, end, rows), own in zip(found, chosen, strict=True):
        while sections and sections[-1][0] < start:
            outline.add_heading(*sections.pop()[1:])
        outline.add_table(rows, captions=own)
        for note in _find_notes(text, end):
            outline.add_text(note)
    return outline.list_tables()


_FLOAT_END = re.compile(
    r"\\end\s*\{(?:\w{0,20}table\*?|figure\*?|document)\}|\\(?:begin|(?:sub)*section)(?!\s*\{tablenotes)\b"
)
_LINE_END = re.compile(
    r"\\item\b|\\\\|\\par\b|\n[ \t]*\n|\\(?:footnotesize|small|scriptsize)\b|\\(?:begin|end)\{tablenotes\}"
)
_MOST_NOTED = 3000


def _find_notes(text: str, start: int) -> list[str]:
    """Return the lines below a table in its float, as those of ``tablenotes``, without markup."""
    end = _FLOAT_END.search(text, start, start + _MOST_NOTED)
    below = "" if end is None else text[start : end.start()]
    if "\\caption" in below:
        below = below[: below.index("\\caption")]
    lines = (_LABEL.sub(r"^{\1} ", " ".join(line.split())) for line in _LINE_END.split(_FOOTNOTETEXT.split(below)[0]))
    return [*filter(None, map(strip_latex, lines)), *_find_footnotes(text, start)]


_FOOTNOTETEXT = re.compile(r"\\footnotetext(?![a-zA-Z])")
_MARK = re.compile(r"\[(\w{1,12})\]")


def _find_footnotes(text: str, start: int) -> list[str]:
    """Return the footnotes set below a table and before the next, each behind its mark."""
    following = _BEGIN.search(text, start, start + _MOST_NOTED)
    end = start + _MOST_NOTED if following is None else following.start()
    found = []
    for macro in _FOOTNOTETEXT.finditer(text, start, end):
        mark = _MARK.match(text, macro.end())
        argument = _read_argument(text, macro.end() if mark is None else mark.end())
        if argument is not None:
            found.append(f"^{{{'footnotemark' if mark is None else mark[1]}}} {strip_latex(argument[0])}")
    return found


_FOOTNOTE = re.compile(r"\\footnote(?![a-zA-Z])")


def _strip_title(title: str) -> str:
    """Return a caption or the title of a section without markup, with a footnote that tells ranking tasks behind it."""
    notes = [_read_argument(title, _skip_options(title, macro.end())) for macro in _FOOTNOTE.finditer(title)]
    told = [strip_latex(each[0]) for each in notes if each is not None]
    return ". ".join([strip_latex(title), *told])


# The label of an item: "[$\dagger$] raw".
_LABEL = re.compile(r"^\[\$?([^\[\]$]{1,20})\$?\]")


_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_SECTION = re.compile(r"\\(" + "|".join(_LEVELS) + r")\*?(?![a-zA-Z])")
_CAPTION = re.compile(r"\\(?:sub)?caption(?:of\s*+\*?\s*+\{\w{0,20}\}|box)?\*?(?![a-zA-Z])")
_FLOAT = re.compile(
    r"\\(begin|end)\s*\{((?:sub|wrap|sideways|threepart|wide|tall)?(?:table|figure)\*?|minipage|center|subfloat)\}"
)


def _find_sections(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a section begins, its level and its title."""
    for macro in _SECTION.finditer(text):
        argument = _read_argument(text, _skip_options(text, macro.end()))
        if argument is not None:
            yield macro.start(), 1 + _LEVELS.index(macro[1]), _strip_title(argument[0])


def _find_captions(text: str) -> list[tuple[int, str]]:
    """Return the captions, each with its position."""
    found = []
    for macro in _CAPTION.finditer(text):
        argument = _read_argument(text, _skip_options(text, macro.end()))
        if argument is not None:
            found.append((macro.start(), _strip_title(argument[0])))
    return found


def _find_floats(text: str) -> list[tuple[int, int]]:
    """Return the environments that hold tables with their captions, the inner before the outer ones."""
    opened: list[tuple[int, str]] = []
    found = []
    for each in _FLOAT.finditer(text):
        if each[1] == "begin":
            opened.append((each.start(), each[2]))
        elif opened and opened[-1][1] == each[2]:
            found.append((opened.pop()[0], each.end()))
    return found


def _choose_captions(
    tables: Sequence[tuple[int, int]], captions: Sequence[tuple[int, str]], floats: Sequence[tuple[int, int]]
) -> Iterator[list[str]]:
    """Yield the captions of each table: those within it, or of the innermost environment around it that has any."""
    starts, places = [start for start, _ in tables], [place for place, _ in captions]
    around: list[tuple[int, int]] = []
    waiting = sorted(floats, reverse=True)
    for at, (start, end) in enumerate(tables):
        while waiting and waiting[-1][0] < start:
            while around and around[-1][1] <= waiting[-1][0]:
                around.pop()
            around.append(waiting.pop())
        outer = [each for each in reversed(around[-_MOST_NESTED:]) if end <= each[1]]
        chosen: list[str] = []
        for first, last in ((start, end), *outer):
            low, high = bisect_left(places, first), bisect_left(places, last)
            before, behind = bisect_left(starts, first), bisect_left(starts, last)
            if behind - before == high - low > 1:
                low, high = low + at - before, low + at - before + 1
            own = [caption for _, caption in captions[low : min(high, low + _MOST_CAPTIONS)]]
            chosen += [caption for caption in own if caption not in chosen]
        yield chosen


# Environments around a table, and captions in one of them, that are looked at.
_MOST_NESTED, _MOST_CAPTIONS = 20, 50


# What tabu takes in front of its columns: "to \\linewidth".
_WIDTH = re.compile(r"\s*(?:to|spread)\b[^{}\n&]{1,60}(?=\{)")


class _Body:
    """The text of a file without its comments, read table by table."""

    def __init__(self, document: Document, text: str) -> None:
        self._document = document
        self._text = text
        self._line, self._counted = 1, 0
        self.position = 0

    def _count_to(self, position: int) -> int:
        """Return the line of a position behind the last one asked for."""
        self._line += self._text.count("\n", self._counted, position)
        self._counted = position
        return self._line

    def read_table(self, begin: re.Match[str]) -> list[Row]:
        """Read the rows of the table that begins there."""
        environment, opened, position = begin[1], self._count_to(begin.start()), begin.end()
        if environment.endswith("tabu") and (width := _WIDTH.match(self._text, position)) is not None:
            position = width.end()
        for _ in range(ENVIRONMENTS[environment]):
            position = _skip_options(self._text, position)
            argument = _read_argument(self._text, position)
            if argument is None:
                raise DataError(
                    f"{self._document.at(opened)}: \\begin{{{environment}}} lacks its columns; expected them in "
                    "braces, such as {lrr}."
                )
            position = argument[1]
        rows, covered = list[Row](), 0
        held = _Multirows()
        for start, parts in self._split(position, environment, opened):
            first = _strip_rules(parts[0]).lstrip()
            line = self._count_to(start + len(parts[0]) - len(first))
            if first or len(parts) > 1:
                row, upwards = _make_row(line, [first, *parts[1:]], held)
                covered += sum(row.spans.values()) if row.spans else 0
                check_spans(covered, self._document, line)
                for j, height in upwards.items():
                    _fill_above(rows, j, height - 1, row.plain[j])
                rows.append(row)
        return rows

    def _split(self, position: int, environment: str, opened: int) -> Iterator[tuple[int, list[str]]]:
        """Split the body of a table into rows of cells, each with its position."""
        text, parts, depth, inner = self._text, list[str](), 0, 0
        row_start = cell_start = position
        for token in _TOKEN.finditer(text, position):
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
                parts.append(text[cell_start : token.start()])
                if len(parts) > MOST_COLUMNS:
                    check_width(len(parts), self._document, self._count_to(row_start))
                cell_start = token.end()
                if kind != "cell":
                    yield row_start, parts
                    row_start, parts = cell_start, []
                if kind == "end":
                    self.position = token.end()
                    return
            if depth < 0:
                break
        what = f"\\begin{{{environment}}} is never ended. Expected \\end{{{environment}}}."
        if depth:
            what = "in this table a } closes nothing." if depth < 0 else "in this table a { is never closed."
        raise DataError(f"{self._document.at(opened)}: {what}")


_RULES = {
    "hline": 0, "toprule": 0, "midrule": 0, "bottomrule": 0, "botrule": 0, "addlinespace": 0, "specialrule": 3,
    "cmidrule": 1, "cline": 1, "morecmidrules": 0, "hdashline": 0, "cdashline": 1, "Xhline": 1, "noalign": 1,
    "rowcolor": 1, "rowfont": 1, "endhead": 0, "endfirsthead": 0, "endfoot": 0, "endlastfoot": 0, "caption": 1,
    "label": 1, "arrayrulecolor": 1, "centering": 0, "small": 0, "footnotesize": 0,
}  # fmt: skip
"""Macro before the first cell of a row, part of no cell, to the number of its arguments."""

_RULE = re.compile(r"\s*\\(" + "|".join(_RULES) + r")(?![a-zA-Z])\*?(?:\([^()]{0,40}\)|\[[^\[\]]{0,200}\])*")


def _strip_rules(text: str) -> str:
    position = 0
    while (rule := _RULE.match(text, position)) is not None:
        position = rule.end()
        for _ in range(_RULES[rule[1]]):
            argument = _read_argument(text, position)
            position = position if argument is None else argument[1]
    return text[position:]


class _Multirows:
    """Cells that span several rows: column to the number of remaining rows, and the text."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[int, str]] = {}

    def fill(self, plain: list[str], found: dict[int, tuple[int, str]]) -> None:
        """Put them into the empty cells of a row, then add those that start in it."""
        held = {j: (left, text) for j, (left, text) in self._held.items() if j < len(plain) and not plain[j]}
        for j, (_, text) in held.items():
            plain[j] = text
        self._held = {j: (left - 1, text) for j, (left, text) in held.items() if left > 1} | found


def _fill_above(rows: list[Row], j: int, height: int, text: str) -> None:
    r"""Put a cell into the empty ones above it, which it spans: ``\\multirow{-2}``."""
    for place in reversed(range(max(len(rows) - height, 0), len(rows))):
        plain = rows[place].plain
        if j >= len(plain) or plain[j]:
            return
        rows[place] = rows[place]._replace(plain=(*plain[:j], text, *plain[j + 1 :]))


def _make_row(line: int, parts: list[str], held: _Multirows) -> tuple[Row, dict[int, int]]:
    """Return a row, and the cells that span rows above it: column to number of rows."""
    cells, plain = list[str](), list[str]()
    spans, several, upwards = dict[int, int](), dict[int, tuple[int, str]](), dict[int, int]()
    for part in parts:
        cell = " ".join(part.split())
        text, width, height = strip_latex(cell), 1, 1
        if "\\multi" in cell:
            width, height = _read_count(_MULTICOLUMN, cell), _read_count(_MULTIROW, cell)
        if width > 1:
            spans[len(cells)] = width
        if height > 1 and text:
            several[len(cells)] = (height - 1, text)
        if height < -1 and text:
            upwards[len(cells)] = -height
        cells += [cell, *[""] * (width - 1)]
        plain += [text, *[""] * (width - 1)]
    held.fill(plain, several)
    return Row(line, tuple(cells), tuple(plain), spans), upwards


_MULTICOLUMN = re.compile(r"\\multicolumn\s*\{\s*(\d{1,3})\s*\}", re.ASCII)
_MULTIROW = re.compile(r"\\multirow\s*(?:\[[^\]]{0,40}\]\s*)?\{\s*(-?\d{1,4})\s*\}", re.ASCII)


def _read_count(pattern: re.Pattern[str], cell: str) -> int:
    found = pattern.search(cell, 0, 300)
    return int(found[1]) if found is not None else 1


_OPTIONS = re.compile(r"(?:\s*\[[^\[\]]{0,500}\])+")
_OPENING = re.compile(r"\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def _skip_options(text: str, start: int) -> int:
    """Return the end of options in brackets, if there are any."""
    found = _OPTIONS.match(text, start)
    return start if found is None else found.end()


def _read_argument(text: str, start: int) -> tuple[str, int] | None:
    """Return the text in the braces that follow, and their end; None if none follow."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    depth = 0
    for brace in _BRACE.finditer(text, opening.end() - 1):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[opening.end() : brace.start()], brace.end()
    return None


# Markup.

_SYMBOLS = {
    "pm": "±", "textpm": "±", "dagger": "†", "dag": "†", "textdagger": "†", "ddagger": "‡", "ddag": "‡",
    "textdaggerdbl": "‡", "ast": "*", "star": "*", "textasteriskcentered": "*", "S": "§", "P": "¶", "times": "×",
    "checkmark": "✓", "xmark": "✗", "uparrow": "↑", "downarrow": "↓", "Uparrow": "↑", "Downarrow": "↓",
    "textuparrow": "↑", "textdownarrow": "↓", "textendash": "–", "textemdash": "—", "textminus": "−", "sim": "~",
    "Delta": "Δ", "infty": "∞", "textbackslash": "\\", "quad": " ", "qquad": " ", "space": " ", "newline": " ",
    "thinspace": "\u2009", "enspace": " ", "nobreakspace": " ", "medspace": " ", "thickspace": " ",
    "textunderscore": "_", "textpercent": "%",
    "percent": "%", "slash": "/", "cdot": "·", "approx": "≈", "ldots": "…", "dots": "…",
}  # fmt: skip
"""Macro to the text that it prints."""

_DECLARATIONS = {
    "bf", "bfseries", "it", "itshape", "em", "rm", "sf", "sffamily", "tt", "ttfamily", "sc", "scshape", "sl",
    "normalfont", "tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "Large", "centering",
    "raggedright", "boldmath", "unboldmath", "displaystyle", "textstyle", "scriptstyle", "hfill", "hline", "toprule",
    "midrule", "bottomrule", "noindent", "strut", "left", "right", "bm", "relax", "arraybackslash", "protect",
    "ensuremath", "mathbf", "boldsymbol", "fill", "pagebreak", "nopagebreak", "newpage", "clearpage", "allowbreak",
    "smallskip", "medskip", "bigskip", "mdseries", "upshape", "huge", "Huge", "LARGE", "selectfont", "xspace", "null",
}  # fmt: skip
"""Macros that print nothing themselves."""

_SIZES = {"tiny", "scriptsize", "footnotesize", "small"}
_SPREADS = {"std", "sd", "stdev", "stddev", "pms", "stderr", "sem", "spread", "err", "pmstd"}
"""Macros that authors define to set the deviation of a number behind it."""

_DROPPED = {
    "cite": 1, "citep": 1, "citet": 1, "citealp": 1, "citealt": 1, "citeauthor": 1, "citeyear": 1, "autocite": 1,
    "parencite": 1, "textcite": 1, "footcite": 1, "nocite": 1, "ref": 1, "cref": 1, "autoref": 1, "eqref": 1,
    "label": 1, "footnote": 1, "footnotemark": 0, "tablefootnote": 1, "tnote": 1, "color": 1, "cellcolor": 1,
    "rowcolor": 1, "columncolor": 1, "hspace": 1, "vspace": 1, "phantom": 1, "hphantom": 1, "vphantom": 1, "rule": 2,
    "setlength": 2, "fontsize": 2, "cline": 1, "cmidrule": 1, "caption": 1, "includegraphics": 1,
    "begin": 1, "end": 1,
}  # fmt: skip
"""Macro to the number of arguments that are dropped with it."""

_LAST = {
    "multicolumn": 3, "multirow": 3, "textcolor": 2, "colorbox": 2, "rotatebox": 2, "resizebox": 3, "scalebox": 2,
    "href": 2, "parbox": 2, "raisebox": 2, "adjustbox": 2, "hyperref": 1, "fcolorbox": 3,
}  # fmt: skip
"""Macro to the number of its arguments; the last one is printed."""

# Macros that need no definition; what a file makes of them is how they look.
_KNOWN = {*_SYMBOLS, *_DECLARATIONS, *_DROPPED, *_LAST, *_RULES, "textbf", "textit", "underline", "emph"}

_PIECE = re.compile(
    r"\\(?P<macro>[a-zA-Z]+)\*?[ \t]*|\\(?P<escaped>.)|(?P<group>\{)|(?P<script>[\^_])|(?P<blank>~)"
    r"|(?P<text>[^\\{}^_$~]+)|.",
    re.DOTALL,
)
_ESCAPED = {"\\": " ", ",": "", ";": " ", ":": " ", "!": "", "-": "", "/": "", "(": "", ")": ""}
_MARKUP = re.compile(r"[\\{}$~^_]")
_LONGEST_CELL = 10_000
_DEEPEST = 20


def strip_latex(cell: str) -> str:
    r"""Return a cell without markup; superscripts are kept as ``^{...}``, a spread set as one as ``±``."""
    text = cell.strip()
    if len(text) > _LONGEST_CELL or _MARKUP.search(text) is None:
        return text
    return " ".join(_Markup(text).strip(0, len(text)).split())


class _Markup:
    """The text of a cell with its pairs of braces."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing = _pair_braces(text)

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
            return self._expand(piece["macro"], end, depth)
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

    def _expand(self, macro: str, position: int, depth: int) -> tuple[str, int]:
        if macro in _SYMBOLS or macro in _DECLARATIONS:
            # What is set smaller behind a number is no more of its digits.
            return _SYMBOLS.get(macro, " " if macro in _SIZES else ""), position
        dropped = _DROPPED.get(macro)
        takes = _LAST.get(macro, 1) if dropped is None else dropped
        arguments: list[tuple[int, int]] = []
        position = _skip_options(self._text, position) if takes or dropped is not None else position
        while len(arguments) < takes:
            if self._text.startswith("*", position):  # \multirow{2}*{Model}
                arguments.append((position, position + 1))
                position += 1
                continue
            argument = self._find_argument(position)
            if argument is None:
                break
            arguments.append(argument)
            position = argument[1] + 1
            if len(arguments) < takes:
                position = _skip_options(self._text, position)
            elif macro == "begin":
                takes += ENVIRONMENTS.get(self._text[slice(*argument)], 0) if len(arguments) == 1 else 0
                position = _skip_options(self._text, position)
        if dropped is not None or not arguments:
            return "" if dropped is not None else f"{macro} ", position
        put = self.strip(*arguments[-1], depth + 1)
        if macro == "textsuperscript":
            return (f" {put}" if put.startswith("±") else f"^{{{put}}}"), position
        if macro in _LAST:
            return put, position
        # The arguments of an unknown macro are no digits of the number before it, nor of one another.
        more = self._find_argument(position) is not None
        if macro in _SPREADS and not more:
            return f" ± {put.strip().lstrip('±').strip()}", position
        apart = self._text[arguments[-1][0] - len(macro) - 3 : arguments[-1][0] - len(macro) - 2].isdigit()
        return f"{' ' * apart}{put}{' ' * more}", position

    def _set_script(self, sign: re.Match[str], depth: int) -> tuple[str, int]:
        argument = self._find_argument(sign.end())
        if argument is not None:
            put, end = self.strip(*argument, depth + 1).strip(), argument[1] + 1
        else:
            following = _PIECE.match(self._text, sign.end())
            if following is None or following.lastgroup not in {"macro", "escaped", "text"}:
                return sign[0], sign.end()
            if following.lastgroup == "text":
                put, end = self._text[sign.end()].strip(), sign.end() + 1
            else:  # a macro takes its arguments along
                put, end = self._print(following, depth + 1)
                put = put.strip()
        if put.startswith("±"):
            return f" {put}", end
        return (f"^{{{put}}}" if sign[0] == "^" else f"_{put}"), end


def _recognise(document: Document) -> bool:
    return _BEGIN.search(document.text[:_SEARCHED]) is not None


def _read(document: Document) -> Reading:
    return read_tables(document, READER.key, _find_tables(document))


READER = Reader("latex", "tabular, longtable and the like in LaTeX", _recognise, _read, most=LONGEST_TEXT)
