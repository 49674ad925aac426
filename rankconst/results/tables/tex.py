r"""Text without the markup of LaTeX: what a cell, a caption or a formula prints.

Unknown macros keep their arguments, so ``\best{0.338}`` is 0.338; the name of one without stays as
text, which is refused where a number is expected.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_COLUMNS = "tabular tblr longtblr longtable supertabular array NiceTabular tabu longtabu"
_BY_WIDTH = "tabular* tabularx tabulary xltabular"
ENVIRONMENTS = dict.fromkeys(_BY_COLUMNS.split(), 1) | dict.fromkeys(_BY_WIDTH.split(), 2)
"""Environment of a table to the number of its arguments in braces."""

LONGEST = 10_000
"""The longest text whose markup is read."""

_OPTIONS = re.compile(r"(?:\s*\[[^\[\]]{0,500}\])+")
_OPENING = re.compile(r"\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def skip_options(text: str, start: int) -> int:
    """Return the end of options in brackets, if there are any."""
    found = _OPTIONS.match(text, start)
    return start if found is None else found.end()


def begins_argument(text: str, start: int) -> bool:
    """Tell whether an argument in braces follows."""
    return _OPENING.match(text, start) is not None


def read_argument(text: str, start: int, most: int = LONGEST) -> tuple[str, int] | None:
    """Return the text in the braces that follow, and their end.

    Return None if no braces follow, or none that end soon.
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    first, depth = opening.end(), 1
    for brace in _BRACE.finditer(text, first, first + most):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[first : brace.start()], brace.end()
    return None


_MOST_ROUNDS = 4  # of macros within macros
SYMBOLS = {
    "pm": "±", "textpm": "±", "dagger": "†", "dag": "†", "textdagger": "†", "ddagger": "‡",
    "ddag": "‡", "textdaggerdbl": "‡", "ast": "*", "star": "*", "textasteriskcentered": "*",
    "S": "§", "P": "¶", "times": "×", "checkmark": "✓", "xmark": "✗", "uparrow": "↑",
    "downarrow": "↓", "Uparrow": "↑", "Downarrow": "↓", "textuparrow": "↑", "textdownarrow": "↓",
    "textendash": "–", "textemdash": "—", "textminus": "−", "sim": "~", "Delta": "Δ", "infty": "∞",
    "textbackslash": "\\", "textunderscore": "_", "textpercent": "%", "percent": "%", "slash": "/",
    "cdot": "·", "approx": "≈", "ldots": "…", "dots": "…", "thinspace": "\u2009",
}  # fmt: skip
"""Macro to the text that it prints."""

# Blanks, and smaller letters: digits in these are not part of the number before them.
_BLANKS = """
item quad qquad space newline enspace nobreakspace medspace thickspace tiny small scriptsize
footnotesize
"""
_SILENT = """
bf bfseries it itshape em rm sf sffamily tt ttfamily sc scshape sl bm mdseries upshape selectfont
normalfont normalsize large Large LARGE huge Huge mathbf boldsymbol boldmath unboldmath ensuremath
displaystyle textstyle scriptstyle centering raggedright hfill fill noindent strut left right relax
hline toprule midrule bottomrule botrule arraybackslash protect pagebreak newpage clearpage
allowbreak smallskip medskip bigskip xspace null
"""
SYMBOLS |= dict.fromkeys(_BLANKS.split(), " ") | dict.fromkeys(_SILENT.split(), "")

_DROPPED = """
cite citep citet citealp citealt citeauthor citeyear autocite parencite textcite footcite nocite ref
cref autoref eqref label footnote tablefootnote tnote color cellcolor rowcolor columncolor hspace
vspace phantom hphantom vphantom cline cmidrule caption includegraphics bibliography
bibliographystyle input include usepackage begin end url
"""
DROPPED = dict.fromkeys(_DROPPED.split(), 1)
DROPPED |= {"footnotemark": 0, "rule": 2, "setlength": 2, "fontsize": 2}
"""Macro to the number of arguments that are dropped with it."""

LAST = {
    "multicolumn": 3, "multirow": 3, "textcolor": 2, "colorbox": 2, "rotatebox": 2, "resizebox": 3,
    "scalebox": 2, "href": 2, "parbox": 2, "raisebox": 2, "adjustbox": 2, "hyperref": 1,
    "fcolorbox": 3,
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
    r"""Return a cell without markup.

    Superscripts are kept as ``^{...}``, and what is struck out as ``~~...~~``.
    """
    text = cell.strip()
    if len(text) > LONGEST or _MARKUP.search(text) is None:
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
        """Return what a piece of the text prints, and where the next one begins."""
        kind, end = piece.lastgroup, piece.end()
        if kind == "macro":
            return self._expand(piece["macro"], piece.start(), end, depth)
        if kind == "script":
            return self._set_script(piece, depth)
        if kind == "escaped":
            return _ESCAPED.get(piece[kind], piece[kind]), end
        if kind == "blank":
            return " ", end
        closing = self._closing.get(piece.start()) if kind == "group" else None
        if closing is not None:
            return self.strip(end, closing, depth + 1), closing + 1
        return piece[0] if kind == "text" else "", end

    def _find_argument(self, position: int) -> tuple[int, int] | None:
        """Return where the argument that follows begins and ends, without its braces."""
        opening = _OPENING.match(self._text, position)
        if opening is None or opening.end() - 1 not in self._closing:
            return None
        return opening.end(), self._closing[opening.end() - 1]

    def _take_arguments(self, position: int, takes: int) -> tuple[list[tuple[int, int]], int]:
        """Return where the arguments of a macro begin and end, and its own end."""
        found: list[tuple[int, int]] = []
        position = skip_options(self._text, position)
        for left in range(takes - 1, -1, -1):
            argument = self._find_argument(position)
            if self._text.startswith("*", position):  # \\multirow{2}*{Model}
                found.append((position, position + 1))
                position += 1
            elif argument is None:
                break
            else:
                found.append(argument)
                position = argument[1] + 1
            position = skip_options(self._text, position) if left else position
        return found, position

    def _expand(self, macro: str, start: int, position: int, depth: int) -> tuple[str, int]:
        """Return what a macro prints, and its end."""
        if macro in SYMBOLS:
            return SYMBOLS[macro], position
        if macro in self._macros and self._depth < _MOST_ROUNDS:
            body = self._macros[macro]
            return _Markup(body, self._macros, self._depth + 1).strip(0, len(body)), position
        if macro in DROPPED:
            return "", self._drop(macro, position)
        takes = LAST.get(macro, 1)
        found, end = self._take_arguments(position, takes)
        if len(found) < takes:
            return ("", end) if macro in LAST else (f"{macro} ", position)
        put = self.strip(*found[-1], depth + 1)
        if macro == "textsuperscript":
            put = f" {put}" if put.startswith("±") else f"^{{{put}}}"
        elif macro in _STRUCK:
            put = f"~~{put}~~"
        elif macro not in LAST:  # its arguments are not digits of the numbers around it
            before = " " if self._text[start - 1 : start].isdigit() else ""
            behind = " " if self._find_argument(end) is not None else ""
            put = f"{before}{put}{behind}"
        return put, end

    def _drop(self, macro: str, position: int) -> int:
        """Return the end of a macro that is dropped with its arguments.

        Drop the arguments of a table within a cell, too.
        """
        around = _PARENTHESES.match(self._text, position) if macro == "cmidrule" else None
        start = position if around is None else around.end()
        found, end = self._take_arguments(start, DROPPED[macro])
        inner = self._text[slice(*found[0])] if macro == "begin" and found else ""
        return self._take_arguments(end, ENVIRONMENTS[inner])[1] if inner in ENVIRONMENTS else end

    def _set_script(self, sign: re.Match[str], depth: int) -> tuple[str, int]:
        """Return what is raised or lowered, and its end."""
        argument = self._find_argument(sign.end())
        following = _PIECE.match(self._text, sign.end())
        if argument is not None:
            put, end = self.strip(*argument, depth + 1), argument[1] + 1
        elif following is None or following.lastgroup not in {"macro", "escaped", "text"}:
            return sign[0], sign.end()
        elif following.lastgroup == "text":
            put, end = self._text[sign.end()], sign.end() + 1
        else:  # a macro takes its arguments along
            put, end = self._print(following, depth + 1)
        put = put.strip()
        if put.startswith("±"):
            return f" {put}", end
        return (f"^{{{put}}}" if sign[0] == "^" else f"_{put}"), end
