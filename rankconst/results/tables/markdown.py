r"""Pipe tables in Markdown, one or several, with any text around them.

References
----------
GitHub Flavored Markdown Spec 0.29, section 4.10: the pipes at the ends of a row may be missing, ``\|`` is a pipe
within a cell, and a table ends at an empty line.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.results.reading import Reader, Reading
from rankconst.results.tables.cells import Row
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.headings import Dialect
from rankconst.results.tables.latex import strip_latex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document


_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_SEARCHED = 1_000_000
_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_LONGEST_CELL = 2_000


def strip_markdown(cell: str) -> str:
    """Return a cell without markup; superscripts become ``^{...}``."""
    text = cell.strip()
    if len(text) > _LONGEST_CELL or not _MARKUP.search(text):
        return text
    text = _MATH.sub(lambda found: strip_latex(found[0]), text)
    text = _ESCAPED.sub(lambda found: chr(_ASIDE + ord(found[1])), text)
    for pattern, put in _REPLACED:
        text = pattern.sub(put, text)
    if "&" in text:
        import html  # only needed here

        text = html.unescape(text)
    return text.translate(_BACK).strip()


_MATH = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+)\$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# Escaped characters are moved to a plane for private use while markup is removed.
_ASIDE = 0xF0000
_BACK = {_ASIDE + code: code for code in range(128)}
_MARKUP = re.compile(r"[*_<>&$\\`\[]")
_REPLACED = (
    (re.compile(r"!\[[^\[\]]*\]\([^()]*\)"), ""),  # an image
    (re.compile(r"\[([^\[\]]*)\]\([^()]*\)"), r"\1"),  # a link
    (re.compile(r"\[\^[^\[\]]{1,20}\]"), ""),  # a footnote
    (re.compile(r"<sup>([^<>]*)</sup>", re.IGNORECASE), r"^{\1}"),
    (re.compile(r"<(?:br|img)\s*/?[^<>]*>", re.IGNORECASE), " "),
    (re.compile(r"</?[a-zA-Z][^<>]*>"), ""),
    (re.compile(r"`([^`]+)`"), r"\1"),
    (re.compile(r"(?<!\*)(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?!\*)"), r"\2"),
    # Not within words: hits_at_10.
    (re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])(.{0,200}?[^\s_])\1(?!\w)"), r"\2"),
)


def _split(line: str) -> tuple[str, ...]:
    """Return the cells of a row as written."""
    text = line.strip()
    cells, start = [], 0
    for pipe in _PIPE.finditer(text):
        cells.append(text[start : pipe.end() - 1].strip())
        start = pipe.end()
    rest = text[start:].strip()
    if rest or not cells:
        cells.append(rest)
    if text.startswith("|"):
        del cells[0]
    return tuple(cells)


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and _RULE.fullmatch(line.strip()) is not None


def _find_tables(document: Document) -> Iterator[list[Row]]:
    lines = document.lines
    i = 1
    while i < len(lines):
        if "|" not in lines[i - 1] or not _is_rule(lines[i]):
            i += 1
            continue
        width, ruled = len(_split(lines[i - 1])), len(_split(lines[i]))
        if width != ruled:
            raise DataError(
                f"{document.at(i + 1)}: expected a rule of {width} columns, as the heading above has, got {ruled}. "
                f"Write |{'---|' * min(width, 20)}"
            )
        rows = [_make_row(lines[i - 1], i)]
        i += 1
        while i < len(lines) and "|" in lines[i]:
            if not _is_rule(lines[i]):
                rows.append(_make_row(lines[i], i + 1))
            i += 1
        yield rows
        i += 1


def _make_row(line: str, number: int) -> Row:
    cells = _split(line)
    return Row(number, cells, tuple(strip_markdown(cell) for cell in cells))


def _recognise(document: Document) -> bool:
    lines = document.text[:_SEARCHED].split("\n")
    return any("|" in above and _is_rule(line) for above, line in pairwise(lines))


def _read(document: Document) -> Reading:
    return read_tables(document, READER.key, _find_tables(document), Dialect(groups=True))


READER = Reader("markdown", "pipe tables in Markdown", _recognise, _read)
