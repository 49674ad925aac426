r"""Remove the markup of LaTeX from a cell, a caption or a formula.

An unknown macro prints its argument: ``\best{0.338}`` is 0.338. If it has none, it prints its name,
which is refused where a number is expected.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_COLUMNS = "tabular tblr longtblr longtable supertabular array NiceTabular tabu longtabu"
_BY_WIDTH = "tabular* tabularx tabulary xltabular"
ENVIRONMENTS = dict.fromkeys(_BY_COLUMNS.split(), 1) | dict.fromkeys(_BY_WIDTH.split(), 2)
"""Maps environments of tables to the number of their arguments in braces."""

LONGEST = 10_000
"""The longest text whose markup is read."""

_OPTIONS = re.compile(r"(?:\s*\[[^\[\]]{0,500}\])+")
_OPENING = re.compile(r"\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_STEPS = {"{": 1, "}": -1}  # how much deeper what follows a brace is; 0 for an escaped one
_MOST_OPEN = 100  # braces; each of thousands that are never closed would be looked for to the end


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
    """Read the argument in braces that follows, perhaps behind blanks, with its end.

    Return None if there is none, if it is longer than `most`, or if it has too many braces.

    >>> read_argument("{a{b}} c", 0)
    Parsed(text='a{b}', end=6)
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return None

    first, depth = opening.end(), 1
    for brace in _BRACE.finditer(text, first, first + most):
        depth += _STEPS.get(brace[0], 0)
        if depth == 0:
            return Parsed(text[first : brace.start()], brace.end())
        if depth > _MOST_OPEN:
            return None

    return None


SYMBOLS = {
    "pm": "±", "textpm": "±", "dagger": "†", "dag": "†", "textdagger": "†", "ddagger": "‡",
    "ddag": "‡", "textdaggerdbl": "‡", "ast": "*", "star": "*", "textasteriskcentered": "*",
    "S": "§", "P": "¶", "times": "×", "checkmark": "✓", "xmark": "✗", "uparrow": "↑",
    "downarrow": "↓", "Uparrow": "↑", "Downarrow": "↓", "textuparrow": "↑", "textdownarrow": "↓",
    "textendash": "–", "textemdash": "—", "textminus": "−", "sim": "~", "Delta": "Δ", "infty": "∞",
    "textbackslash": "\\", "textunderscore": "_", "textpercent": "%", "percent": "%", "slash": "/",
    "cdot": "·", "approx": "≈", "ldots": "…", "dots": "…", "thinspace": "\u2009",
}  # fmt: skip
"""Maps macros to the text that they print."""

# Blanks, and smaller letters: digits in these are not part of the number before them.
_BLANKS = """
item quad qquad space newline enspace nobreakspace medspace thickspace tiny small scriptsize
footnotesize
"""
_SILENT = """
bf bfseries it itshape em rm sf sffamily tt ttfamily sc scshape sl bm mdseries upshape selectfont
normalfont normalsize large Large LARGE huge Huge mathbf boldsymbol boldmath unboldmath ensuremath
displaystyle textstyle scriptstyle scriptscriptstyle centering raggedright hfill fill noindent strut
left right relax hline toprule midrule bottomrule botrule arraybackslash protect pagebreak newpage
clearpage allowbreak smallskip medskip bigskip xspace null
"""
SYMBOLS |= dict.fromkeys(_BLANKS.split(), " ") | dict.fromkeys(_SILENT.split(), "")

_DROPPED = """
cite citep citet citealp citealt citeauthor citeyear autocite parencite textcite footcite nocite ref
cref autoref eqref label footnote tablefootnote color cellcolor rowcolor columncolor hspace
vspace phantom hphantom vphantom cline cmidrule caption includegraphics bibliography
bibliographystyle input include usepackage begin end url SetCell SetRow
"""
DROPPED = dict.fromkeys(_DROPPED.split(), 1)
DROPPED |= {"footnotemark": 0, "rule": 2, "setlength": 2, "fontsize": 2}
"""Maps macros to the number of arguments that are dropped with them."""

LAST = {
    "multicolumn": 3, "multirow": 3, "textcolor": 2, "colorbox": 2, "rotatebox": 2, "resizebox": 3,
    "scalebox": 2, "href": 2, "parbox": 2, "raisebox": 2, "adjustbox": 2, "hyperref": 1,
    "fcolorbox": 3,
}  # fmt: skip
"""Maps macros to the number of their arguments; the last one is printed."""

_STRUCK = {"sout", "st", "xout"}  # macros for struck text
_PIECE = re.compile(
    r"\\(?P<macro>[a-zA-Z]+)\*?[ \t]*|\\(?P<escaped>.)|(?P<group>\{)|(?P<script>[\^_])|(?P<blank>~)"
    r"|(?P<text>[^\\{}^_$~]+)|.",
    re.DOTALL,
)
_ESCAPED = {"\\": " ", ",": "", ";": " ", ":": " ", "!": "", "-": "", "/": "", "(": "", ")": ""}
_MARKUP = re.compile(r"[\\{}$~^_]")
_PARENTHESES = re.compile(r"\s*\([^()]{0,40}\)")
_DEEPEST = 20  # group within groups
_MACRO = 5  # a macro counts as so many groups: a macro of macros may become long


def strip_latex(cell: str, macros: Mapping[str, str] = MappingProxyType({})) -> str:
    r"""Remove the markup of a cell; `macros` has the bodies of those that the document defines.

    Superscripts are kept as ``^{...}``, and what is struck out as ``~~...~~``.

    >>> strip_latex(r"$\textbf{0.3}_{\pm 0.1}^{a}$")
    '0.3 ±0.1^{a}'
    """
    text = cell.strip()
    if len(text) > LONGEST or _MARKUP.search(text) is None:
        return text
    return " ".join(_strip(text, macros).split())


def _strip(text: str, macros: Mapping[str, str], depth: int = 0) -> str:
    """Return a text without its markup; one that is nested too deeply (`depth`) stays as it is."""
    if depth > _DEEPEST:
        return text

    printed: list[str] = []
    position = 0
    while (piece := _PIECE.match(text, position)) is not None:
        part, position = _print(piece, macros, depth)
        printed.append(part)

    return "".join(printed)


def _print(piece: re.Match[str], macros: Mapping[str, str], depth: int) -> Parsed:
    """Return what a piece of a text prints, and its end; an open brace or a $ prints nothing."""
    kind = piece.lastgroup
    if kind == "macro":
        return _expand(piece, macros, depth)
    if kind == "script":
        return _print_script(piece, macros, depth)

    group = read_argument(piece.string, piece.start()) if kind == "group" else None
    if group is not None:
        return Parsed(_strip(group.text, macros, depth + 1), group.end)

    printed = ""
    if kind == "escaped":
        printed = _ESCAPED.get(piece[kind], piece[kind])
    elif kind == "blank":
        printed = " "
    elif kind == "text":
        printed = piece[0]

    return Parsed(printed, piece.end())


def _read_arguments(text: str, position: int, count: int) -> tuple[list[str], int]:
    """Read up to `count` arguments of a macro, without its options; return them, and their end.

    >>> _read_arguments("{2}[c]{Model} x", 0, 2)
    (['2', 'Model'], 13)
    """
    arguments: list[str] = []
    position = skip_options(text, position)
    while len(arguments) < count:
        argument = read_argument(text, position)
        if text.startswith("*", position):  # \\multirow{2}*{Model}
            argument = Parsed("*", position + 1)
        if argument is None:
            break
        arguments.append(argument.text)
        position = argument.end
        if len(arguments) < count:
            position = skip_options(text, position)

    return arguments, position


def _expand(piece: re.Match[str], macros: Mapping[str, str], depth: int) -> Parsed:
    r"""Return what a macro prints with its arguments, and where the last of these ends.

    A known macro prints its sign, its body, nothing, or its last argument. An unknown one prints
    its argument, as ``\best{0.3}`` does 0.3, or without one its name.
    """
    macro, text, position = piece["macro"], piece.string, piece.end()
    if macro in SYMBOLS:
        return Parsed(SYMBOLS[macro], position)
    if macro in macros and depth + _MACRO <= _DEEPEST:
        return Parsed(_strip(macros[macro], macros, depth + _MACRO), position)
    if macro in DROPPED:
        return Parsed("", _drop(text, macro, position))

    count = LAST.get(macro, 1)
    arguments, end = _read_arguments(text, position, count)
    if len(arguments) < count:
        # The name of an unknown macro is refused where a number is expected.
        return Parsed("", end) if macro in LAST else Parsed(f"{macro} ", position)

    printed = _strip(arguments[-1], macros, depth + 1)
    if macro in {"textsuperscript", "tnote"}:
        printed = _print_raised(printed)
    elif macro in _STRUCK:
        printed = f"~~{printed}~~"
    elif macro not in LAST:  # its arguments are not digits of the numbers around it
        before = " " if text[piece.start() - 1 : piece.start()].isdigit() else ""
        behind = " " if read_argument(text, end) is not None else ""
        printed = f"{before}{printed}{behind}"

    return Parsed(printed, end)


def _drop(text: str, macro: str, position: int) -> int:
    r"""Return the end of a macro that is dropped with its arguments: ``\begin{array}{lrr}``."""
    if macro == "cmidrule":
        trim = _PARENTHESES.match(text, position)
        position = position if trim is None else trim.end()
    arguments, end = _read_arguments(text, position, DROPPED[macro])
    if macro == "begin" and arguments and arguments[0] in ENVIRONMENTS:
        _, end = _read_arguments(text, end, ENVIRONMENTS[arguments[0]])
    return end


def _print_script(sign: re.Match[str], macros: Mapping[str, str], depth: int) -> Parsed:
    """Return what a superscript or a subscript prints, and its end; ``sign`` is its ^ or _.

    A deviation is printed on the line: "0.3^{±0.1}" prints "0.3±0.1".
    """
    text, start = sign.string, sign.end()
    argument = read_argument(text, start)
    following = _PIECE.match(text, start)
    if argument is not None:
        printed, end = _strip(argument.text, macros, depth + 1), argument.end
    elif following is None or following.lastgroup not in {"macro", "escaped", "text"}:
        return Parsed(sign[0], start)
    elif following.lastgroup == "text":  # without braces, it is a single letter
        printed, end = text[start], start + 1
    else:  # a macro takes its arguments along
        printed, end = _print(following, macros, depth + 1)

    printed = printed.strip()
    if sign[0] == "^" or printed.startswith("±"):
        return Parsed(_print_raised(printed), end)
    return Parsed(f"_{printed}", end)


def _print_raised(text: str) -> str:
    """Print a superscript; a deviation, ``±0.01``, stays on the line."""
    return f" {text}" if text.startswith("±") else f"^{{{text}}}"
