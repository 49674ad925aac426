r"""Tables in LaTeX: tabular, tabularx, longtable and their kin, with booktabs, multicolumn and multirow.

Macros that are not known keep their arguments, so ``\best{0.338}`` is 0.338; what is left of others stays as text,
which is refused where a number is expected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.results.reading import Reader, Reading
from rankconst.results.tabular import Dialect, Row, read_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document

__all__ = ["ENVIRONMENTS", "READER", "strip_latex"]

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
}
"""Environments that hold tables, and how many arguments they take in braces."""

_BEGIN = re.compile(r"\\begin\s*\{(" + "|".join(map(re.escape, ENVIRONMENTS)) + r")\}")
_SEARCHED = 1_000_000
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_TOKEN = re.compile(
    r"(?P<end>\\\\\*?(?:[ \t]*\[[^\]\n]{0,40}\])?|\\tabularnewline(?![a-zA-Z]))|(?P<close>\\end\s*\{[^{}]*\})"
    r"|(?P<open>\\begin\s*\{[^{}]*\})|\\.|(?P<brace>[{}])|(?P<cell>&)",
    re.DOTALL,
)
_LONGEST_CELL = 10_000


@dataclass(slots=True)
class _Source:
    """A file without its comments, with the place of each line."""

    document: Document
    text: str = field(init=False)

    def __post_init__(self) -> None:
        # A line of nothing but a comment would otherwise be an empty one; both are blank to a table.
        self.text = "\n".join(
            _COMMENT.sub(r"\1", line) if "%" in line else line for line in self.document.text.split("\n")
        )


def _find_tables(document: Document) -> Iterator[list[Row]]:
    text = _Source(document).text
    line, counted = 1, 0
    position = 0
    while (begin := _BEGIN.search(text, position)) is not None:
        line += text.count("\n", counted, begin.start())
        counted = begin.start()
        start = begin.end()
        for _ in range(ENVIRONMENTS[begin[1]]):
            start = _skip_options(text, start)
            argument = _read_argument(text, start)
            if argument is None:
                raise DataError(
                    f"{document.at(line)}: \\begin{{{begin[1]}}} has no columns; expected braces such as {{lrr}}."
                )
            start = argument[1]
        rows, position = _read_rows(document, text, start, line + text.count("\n", counted, start), begin[1], line)
        yield rows
    if position == 0:
        raise DataError(
            f"{document.name}: there is no table. Expected \\begin{{tabular}}, or one of {', '.join(ENVIRONMENTS)}."
        )


def _read_rows(
    document: Document, text: str, start: int, line: int, environment: str, opened: int
) -> tuple[list[Row], int]:
    """Split the body of a table into rows and cells; return them with the place where the table ends."""
    rows: list[Row] = []
    cells: list[str] = []
    held = _Multirows()
    depth = inner = 0
    cell_start = counted = start
    first_line = line
    for token in _TOKEN.finditer(text, start):
        kind = token.lastgroup
        if kind is None:
            continue
        if kind == "brace":
            depth += 1 if token[0] == "{" else -1
            if depth < 0:
                break
        elif depth > 0:
            if kind == "close" and environment in token[0] and inner == 0:
                break
        elif kind == "open":
            inner += 1
        elif kind == "close" and inner > 0:
            inner -= 1
        elif inner == 0:
            cells.append(text[cell_start : token.start()])
            cell_start = token.end()
            if kind != "cell":
                # The line of a row is that of its first word.
                body = cells[0] if len(cells) > 1 or cells[0].strip() else ""
                lead = len(body) - len(body.lstrip())
                place = token.start() - sum(map(len, cells)) - len(cells) + 1
                line += text.count("\n", counted, place + lead)
                counted = place + lead
                row = _make_row(line, cells, held)
                if row is not None:
                    rows.append(row)
                cells = []
            if kind == "close":
                return rows, token.end()
    if depth != 0:
        what = "a } closes nothing" if depth < 0 else "a { is never closed"
        raise DataError(f"{document.at(opened)}: in this table {what}.")
    raise DataError(f"{document.at(opened)}: \\begin{{{environment}}} is never ended. Expected \\end{{{environment}}}.")


# What may stand before the first cell of a row, and belongs to no cell.
_RULES = re.compile(
    r"\s*(?:\\(?:hline|toprule|midrule|bottomrule|addlinespace|specialrule|cmidrule|cline|morecmidrules|hdashline"
    r"|cdashline|firsthline|lasthline|Xhline|noalign|rowcolor|rowfont|endhead|endfirsthead|endfoot|endlastfoot"
    r"|caption|label|arrayrulecolor|centering|small|footnotesize|SetRow|SetCell)(?![a-zA-Z])\*?"
    r"((?:[ \t]*(?:\([^()]{0,40}\)|\[[^\[\]]{0,200}\]))*))"
)
_BARE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot)\s*$")


def _strip_rules(text: str) -> str:
    position = 0
    while (rule := _RULES.match(text, position)) is not None:
        position = rule.end()
        if _BARE.search(rule[0]):
            continue
        while (argument := _read_argument(text, position)) is not None:
            position = _skip_options(text, argument[1])
    return text[position:]


class _Multirows:
    """Cells that go on over several rows."""

    def __init__(self) -> None:
        self._left: dict[int, tuple[int, str]] = {}

    def fill(self, plain: list[str], found: dict[int, tuple[int, str]]) -> None:
        """Put them into the empty cells below, then take up those that start in this row."""
        for column, (left, text) in list(self._left.items()):
            if column < len(plain) and not plain[column]:
                plain[column] = text
                self._left[column] = (left - 1, text)
            if left <= 1 or (column < len(plain) and plain[column] != text):
                self._left.pop(column, None)
        self._left |= found


def _make_row(line: int, parts: list[str], held: _Multirows) -> Row | None:
    parts = [_strip_rules(parts[0]), *parts[1:]]
    if len(parts) == 1 and not parts[0].strip():
        return None
    cells: list[str] = []
    plain: list[str] = []
    spans: dict[int, int] = {}
    several: dict[int, tuple[int, str]] = {}
    for part in parts:
        cell = " ".join(part.split())
        width = _read_count(_MULTICOLUMN, cell)
        height = _read_count(_MULTIROW, cell)
        text = strip_latex(cell)
        if width > 1:
            spans[len(cells)] = width
        if height > 1 and text:
            several[len(cells)] = (height - 1, text)
        cells += [cell, *[""] * (width - 1)]
        plain += [text, *[""] * (width - 1)]
    held.fill(plain, several)
    return Row(line, tuple(cells), tuple(plain), spans)


_MULTICOLUMN = re.compile(r"\\multicolumn\s*\{\s*(\d{1,3})\s*\}")
_MULTIROW = re.compile(r"\\multirow\s*(?:\[[^\]]*\]\s*)?\{\s*(\d{1,4})\s*\}")


def _read_count(pattern: re.Pattern[str], cell: str) -> int:
    found = pattern.search(cell, 0, 300) if "\\multi" in cell[:300] else None
    return max(int(found[1]), 1) if found is not None else 1


def _skip_options(text: str, start: int) -> int:
    """Return where options in brackets end, if there are any."""
    found = _OPTIONS.match(text, start)
    return found.end() if found is not None else start


_OPTIONS = re.compile(r"(?:\s*\[[^\[\]]{0,500}\])+")


def _read_argument(text: str, start: int) -> tuple[str, int] | None:
    """Return what stands in the braces that follow, and where they end; None if none follow."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    depth = 0
    for brace in _BRACES.finditer(text, opening.end() - 1):
        if brace[0] == "{":
            depth += 1
        elif brace[0] == "}":
            depth -= 1
            if depth == 0:
                return text[opening.end() : brace.start()], brace.end()
    return None


_OPENING = re.compile(r"\s*\{")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


# Markup.

_SYMBOLS = {
    "pm": "±", "textpm": "±", "dagger": "†", "dag": "†", "textdagger": "†", "ddagger": "‡", "ddag": "‡",
    "textdaggerdbl": "‡", "ast": "*", "star": "*", "textasteriskcentered": "*", "S": "§", "P": "¶", "times": "×",
    "checkmark": "✓", "xmark": "✗", "uparrow": "↑", "downarrow": "↓", "Uparrow": "↑", "Downarrow": "↓",
    "textuparrow": "↑", "textdownarrow": "↓", "textendash": "–", "textemdash": "—", "textminus": "−", "sim": "~",
    "Delta": "Δ", "infty": "∞", "textbackslash": "\\", "quad": " ", "qquad": " ", "space": " ", "newline": " ",
    "textunderscore": "_", "textpercent": "%", "slash": "/", "cdot": "·", "approx": "≈", "ldots": "…", "dots": "…",
}  # fmt: skip
"""Macro to the text that it prints."""

_DECLARATIONS = {
    "bf", "bfseries", "it", "itshape", "em", "rm", "sf", "sffamily", "tt", "ttfamily", "sc", "scshape", "sl", "normalfont",
    "tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "Large", "centering", "raggedright",
    "boldmath", "unboldmath", "displaystyle", "textstyle", "scriptstyle", "hfill", "hline", "toprule", "midrule",
    "bottomrule", "noindent", "strut", "left", "right", "bm", "relax", "arraybackslash", "protect", "ensuremath", "mathbf",
    "boldsymbol", "fill",
}  # fmt: skip
"""Macros that print nothing themselves."""

_DROPPED = {
    "cite": 1, "citep": 1, "citet": 1, "citealp": 1, "citealt": 1, "citeauthor": 1, "citeyear": 1, "autocite": 1,
    "parencite": 1, "textcite": 1, "footcite": 1, "nocite": 1, "ref": 1, "cref": 1, "autoref": 1, "eqref": 1, "label": 1,
    "footnote": 1, "footnotemark": 0, "tablefootnote": 1, "tnote": 1, "color": 1, "cellcolor": 1, "rowcolor": 1,
    "columncolor": 1, "hspace": 1, "vspace": 1, "phantom": 1, "hphantom": 1, "vphantom": 1, "rule": 2, "setlength": 2,
    "fontsize": 2, "cline": 1, "cmidrule": 1, "caption": 1, "includegraphics": 1,
}  # fmt: skip
"""Macro to the number of arguments that are left out with it."""

_LAST = {
    "multicolumn": 3, "multirow": 3, "textcolor": 2, "colorbox": 2, "rotatebox": 2, "resizebox": 3, "scalebox": 2,
    "href": 2, "parbox": 2, "raisebox": 2, "adjustbox": 2, "hyperref": 1, "fcolorbox": 3,
}  # fmt: skip
"""Macro to the number of its arguments; the last one is printed."""

_PIECE = re.compile(
    r"\\(?P<macro>[a-zA-Z]+)\*?[ \t]*|\\(?P<escaped>.)|(?P<group>\{)|(?P<close>\})|(?P<script>[\^_])|(?P<math>\$)"
    r"|(?P<tie>~)|(?P<text>[^\\{}^_$~]+)",
    re.DOTALL,
)
_DEEPEST = 20


def strip_latex(cell: str) -> str:
    r"""Return a cell without markup; superscripts are kept as ``^{...}``, a spread set as one as ``±``."""
    text = cell.strip()
    if len(text) > _LONGEST_CELL or not re.search(r"[\\{}$~^_]", text):
        return text
    return " ".join(_strip(text, 0).replace("\u200b", "").split())


def _strip(text: str, depth: int) -> str:
    if depth > _DEEPEST:
        return text
    printed: list[str] = []
    position = 0
    while (piece := _PIECE.match(text, position)) is not None:
        position = piece.end()
        kind = piece.lastgroup
        if kind == "macro":
            put, position = _expand(piece["macro"], text, position, depth)
            printed.append(put)
        elif kind == "escaped":
            printed.append(_ESCAPED.get(piece["escaped"], piece["escaped"]))
        elif kind == "group":
            argument = _read_argument(text, piece.start())
            if argument is not None:
                printed.append(_strip(argument[0], depth + 1))
                position = argument[1]
        elif kind == "script":
            put, position = _set_script(piece[0], text, position, depth)
            printed.append(put)
        elif kind == "tie":
            printed.append(" ")
        elif kind == "text":
            printed.append(piece[0])
    return "".join(printed)


_ESCAPED = {"\\": " ", ",": "", ";": " ", ":": " ", "!": "", " ": " ", "-": "", "/": "", "(": "", ")": ""}


def _expand(macro: str, text: str, position: int, depth: int) -> tuple[str, int]:
    if macro in _SYMBOLS:
        return _SYMBOLS[macro], position
    if macro in _DECLARATIONS:
        return "", position
    position = _skip_options(text, position)
    arguments: list[str] = []
    takes = _DROPPED.get(macro, _LAST.get(macro, 1))
    while len(arguments) < takes:
        if macro == "multirow" and text.startswith("*", position):
            arguments.append("*")
            position += 1
            continue
        argument = _read_argument(text, position)
        if argument is None:
            break
        arguments.append(argument[0])
        position = _skip_options(text, argument[1]) if len(arguments) < takes else argument[1]
    if macro in _DROPPED:
        return "", position
    if not arguments:
        return ("" if macro in _LAST else f"{macro} "), position
    put = _strip(arguments[-1], depth + 1)
    if macro == "textsuperscript":
        return f"^{{{put}}}", position
    return put, position


def _set_script(sign: str, text: str, position: int, depth: int) -> tuple[str, int]:
    argument = _read_argument(text, position)
    if argument is None:
        piece = _PIECE.match(text, position)
        if piece is None:
            return sign, position
        if piece.lastgroup == "text":
            return f"{sign}{piece[0][0]}", position + 1
        if piece.lastgroup not in {"macro", "escaped"}:
            return sign, position
        argument = piece[0], piece.end()
    put = _strip(argument[0], depth + 1).strip()
    if put.startswith("±"):
        return f" {put}", argument[1]
    return (f"{sign}{{{put}}}" if sign == "^" else f"{sign}{put}"), argument[1]


def _recognise(document: Document) -> bool:
    return _BEGIN.search(document.text[:_SEARCHED]) is not None


def _read(document: Document) -> Reading:
    return read_tables(document, READER.key, _find_tables(document), Dialect(groups=True))


READER = Reader("latex", "tabular, longtable and the like in LaTeX", _recognise, _read)
"""LaTeX."""
