r"""Text without the markup of LaTeX, as a cell, a caption or a formula prints it.

Unknown macros keep their arguments, so ``\best{0.338}`` is 0.338; the name of one without stays as
text, which is refused where a number is expected.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rankconst.results.labels import Span

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


class Parsed(NamedTuple):
    """The text that a piece of LaTeX prints, and the end of that piece."""

    text: str
    end: int


def skip_options(text: str, start: int) -> int:
    """Return the end of the options in brackets that begin at `start`, or `start`."""
    options = _OPTIONS.match(text, start)
    return start if options is None else options.end()


def begins_argument(text: str, start: int) -> bool:
    """Tell whether an argument in braces follows."""
    return _OPENING.match(text, start) is not None


def read_argument(text: str, start: int, most: int = LONGEST) -> Parsed | None:
    """Read the argument in braces that follows; None if there is none of up to `most` signs."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    first, depth = opening.end(), 1
    for brace in _BRACE.finditer(text, first, first + most):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return Parsed(text[first : brace.start()], brace.end())
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
    r"""Remove the markup of a cell.

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
            text, position = self._print(piece, depth)
            printed.append(text)
        return "".join(printed)

    def _print(self, piece: re.Match[str], depth: int) -> Parsed:
        """Print a piece of the text: a macro with its arguments, a group, a script, plain text."""
        kind, end = piece.lastgroup, piece.end()
        if kind == "macro":
            return self._expand(piece["macro"], piece.start(), end, depth)
        if kind == "script":
            return self._print_script(piece, depth)
        if kind == "escaped":
            return Parsed(_ESCAPED.get(piece[kind], piece[kind]), end)
        if kind == "blank":
            return Parsed(" ", end)
        closing = self._closing.get(piece.start()) if kind == "group" else None
        if closing is not None:
            return Parsed(self.strip(end, closing, depth + 1), closing + 1)
        return Parsed(piece[0] if kind == "text" else "", end)

    def _find_argument(self, position: int) -> Span | None:
        """Find the argument in braces that follows; its span is without the braces."""
        opening = _OPENING.match(self._text, position)
        if opening is None or opening.end() - 1 not in self._closing:
            return None
        return Span(opening.end(), self._closing[opening.end() - 1])

    def _find_arguments(self, position: int, count: int) -> tuple[list[Span], int]:
        """Find up to `count` arguments of a macro, and the end of the last one."""
        spans: list[Span] = []
        position = skip_options(self._text, position)
        while len(spans) < count:
            argument = self._find_argument(position)
            if self._text.startswith("*", position):  # \\multirow{2}*{Model}
                argument = Span(position, position + 1)
                position += 1
            elif argument is None:
                break
            else:
                position = argument.end + 1
            spans.append(argument)
            if len(spans) < count:
                position = skip_options(self._text, position)
        return spans, position

    def _expand(self, macro: str, start: int, position: int, depth: int) -> Parsed:
        """Print a macro with its arguments."""
        if macro in SYMBOLS:
            return Parsed(SYMBOLS[macro], position)
        if macro in self._macros and self._depth < _MOST_ROUNDS:
            body = _Markup(self._macros[macro], self._macros, self._depth + 1)
            return Parsed(body.strip(0, len(self._macros[macro])), position)
        if macro in DROPPED:
            return Parsed("", self._drop(macro, position))
        count = LAST.get(macro, 1)
        arguments, end = self._find_arguments(position, count)
        if len(arguments) < count:
            return Parsed("", end) if macro in LAST else Parsed(f"{macro} ", position)
        text = self.strip(*arguments[-1], depth + 1)
        if macro == "textsuperscript":
            text = _print_raised(text)
        elif macro in _STRUCK:
            text = f"~~{text}~~"
        elif macro not in LAST:  # its arguments are not digits of the numbers around it
            before = " " if self._text[start - 1 : start].isdigit() else ""
            behind = " " if self._find_argument(end) is not None else ""
            text = f"{before}{text}{behind}"
        return Parsed(text, end)

    def _drop(self, macro: str, position: int) -> int:
        """Return the end of a macro that is dropped with its arguments, or those of a table."""
        if macro == "cmidrule":
            trim = _PARENTHESES.match(self._text, position)
            position = position if trim is None else trim.end()
        arguments, end = self._find_arguments(position, DROPPED[macro])
        if macro == "begin" and arguments:
            environment = self._text[slice(*arguments[0])]
            if environment in ENVIRONMENTS:
                _, end = self._find_arguments(end, ENVIRONMENTS[environment])
        return end

    def _print_script(self, sign: re.Match[str], depth: int) -> Parsed:
        """Print a superscript as ``^{...}``, a subscript behind ``_``."""
        argument = self._find_argument(sign.end())
        following = _PIECE.match(self._text, sign.end())
        if argument is not None:
            text, end = self.strip(*argument, depth + 1), argument.end + 1
        elif following is None or following.lastgroup not in {"macro", "escaped", "text"}:
            return Parsed(sign[0], sign.end())
        elif following.lastgroup == "text":
            text, end = self._text[sign.end()], sign.end() + 1
        else:  # a macro takes its arguments along
            text, end = self._print(following, depth + 1)
        text = text.strip()
        if sign[0] == "^" or text.startswith("±"):
            return Parsed(_print_raised(text), end)
        return Parsed(f"_{text}", end)


def _print_raised(text: str) -> str:
    """Print a superscript; a deviation, ``±0.01``, stays on the line."""
    return f" {text}" if text.startswith("±") else f"^{{{text}}}"
