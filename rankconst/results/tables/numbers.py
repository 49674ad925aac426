"""The numbers of a column: cells to text without marks, each distinct one once, and why what is left out is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.results.tables.cells import (
    find_remark,
    is_blank,
    is_missing,
    is_plain_number,
    is_uncertain,
    read_deviation,
    strip_marks,
)
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from rankconst.results.labels import Label
    from rankconst.results.tables.headings import Heading

_MINUS = "-\u2212\u2013"
SIGNS = (*_MINUS, "+")
"""What a difference begins with."""

DIFFERENCE = "a difference, as another number of its row is, which has a sign"


def read_cell(text: str, *, spread: bool, exact: bool) -> tuple[str, str]:
    """Return the number that a cell holds, empty if there is none, and why not, as half a sentence."""
    if is_plain_number(text) and not spread:
        return text, ""
    left = _find_other(text, exact=exact)
    if left is not None:
        return "", left
    bare = strip_marks(text)
    bare = read_deviation(bare) or bare
    try:
        found = parse_value(bare, exact=exact)
    except DataError as error:
        _, nothing, hint = str(error).partition(" is not a number.")
        hint = find_remark(bare) or (hint if nothing else str(error)).strip(" .")
        return "", f"not a number: {hint[:1].lower()}{hint[1:]}" if hint else "not a number"
    if spread and found.deviation is None:
        return "", "a deviation without its mean"
    return bare, ""


def _find_other(text: str, *, exact: bool) -> str | None:
    """Return why a cell is not read as a number, nothing for a blank one; None if it is."""
    if is_blank(text):
        return ""
    if text.startswith("+") and not exact:
        return "a difference, since it has a plus sign"
    if is_missing(text):
        return "not a number"
    return "an uncertainty or a footnote? Write ±, or a blank before the mark" if is_uncertain(text) else None


def find_reason(heading: Heading, j: int) -> str:
    """Return why the numbers of a column of a metric cannot be adjusted, as half a sentence."""
    labels: tuple[Label, ...] = (heading.measures[j], *heading.labels[j])
    words = (word.reason for label in labels for word in label.words if word.field == "metric")
    return next((label.reason for label in labels if label.reason), "") or next(words, "")
