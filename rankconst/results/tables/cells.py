"""A row of a table and the text of its cells: blanks, marks of footnotes, whole numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rankconst.constants.published import parse_value
from rankconst.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 400
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{0,20})?(?:[eE][+-]?\d\d?)?", re.ASCII)
_COUNT = re.compile(r"(\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.0*)?", re.ASCII)
_BLANKS = {"", "-", "--", "---", "–", "—", "−", "‐", "?", "×", "✗", "/", "."}
_MISSING = {"n/a", "na", "n.a.", "oom", "oot", "o.o.m.", "out of memory", "timeout", "none", "null", "tbd", "tba"}
# Marks behind a number: footnotes, a rank in parentheses, a reference in brackets.
_MARK = re.compile(
    r"(?<!\s)\s*(?:[*†‡§¶#⋆∗★☆]|\^(?:\{[0-9a-zA-Z*†‡§¶,\s]{1,8}\}|[0-9a-zA-Z*†‡§¶])|[ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹]|\(\d{1,2}\)"
    r"|\[\d{1,3}(?:,\s*\d{1,3}){0,5}\])$"
)
_DECIMALS = re.compile(r"[+-]?\d*\.\d+", re.ASCII)


class Row(NamedTuple):
    """A row of a table."""

    line: int  # where it starts, counted from 1
    cells: tuple[str, ...]  # as written; the cells that a spanning cell covers are empty
    plain: tuple[str, ...]  # without markup and surrounding blanks
    # Column to the number of columns that its cell spans. None if the format cannot say: then a heading extends over
    # the empty cells behind it.
    spans: Mapping[int, int] | None = None


def is_blank(text: str) -> bool:
    """Tell whether a cell is empty or holds a sign for nothing, such as a dash."""
    return text in _BLANKS


def is_missing(text: str) -> bool:
    """Tell whether a cell is blank or says in words that there is no number: ``n/a``, ``OOM``."""
    return text in _BLANKS or text.lower() in _MISSING


def is_plain_number(text: str) -> bool:
    """Tell quickly that a cell is a number without marks, sign or separators; others may be numbers too."""
    return _PLAIN.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Tell whether a cell is a number, apart from marks."""
    try:
        parse_value(strip_marks(text))
    except DataError:
        return False
    return True


def read_count(text: str) -> int | None:
    """Read a whole number such as ``402``, ``402.0`` or ``40,876``; None for anything else."""
    whole = _COUNT.fullmatch(text)
    return None if whole is None else int(whole[1].replace(",", ""))


def strip_marks(text: str) -> str:
    """Remove marks around a number, but nothing that could be part of it: 10^{3} stays."""
    if len(text) > _LONGEST:
        return text
    bare = text.lstrip("*†‡§¶ ")
    while (mark := _MARK.search(bare)) is not None:
        number = bare[: mark.start()]
        if number == "10" and mark[0][0] in "^¹²³⁴⁵⁶⁷⁸⁹":
            break
        # 0.338(2) is 0.338 ± 0.002; the 2 of 0.338 (2) is a rank or a note.
        if mark[0][0] == "(" and _DECIMALS.fullmatch(number) is not None:
            break
        bare = bare[: mark.start()]
    return bare or text
