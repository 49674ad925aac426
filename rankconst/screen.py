"""Tables on a screen: a heading, a line below it, and rows, in columns as wide as their cells."""

from __future__ import annotations

import functools
import itertools
import textwrap
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GAP = "   "
_NARROW_GAP = "  "  # where there is no room
_FEWEST = 20  # of a column of words that continue below
_UNSEEN = {"Mn", "Me", "Cf"}  # accents and what joins letters


class GridColumn(NamedTuple):
    """A column: its heading and its cells, each on one line."""

    cells: Sequence[str]
    right: bool  # True to align to the right

    @property
    def width(self) -> int:
        """The width of the widest cell."""
        return max(map(measure, self.cells))

    @property
    def whole(self) -> int:
        """The least width in which no word and no number is broken.

        The heading of a column of numbers may continue on further lines.
        """
        folded = self.cells[:1] if self.right else self.cells
        words = [word for cell in folded for word in cell.split()]
        numbers = self.cells[1:] if self.right else ()
        return max(map(measure, [*words, *numbers]), default=0)

    @property
    def least(self) -> int:
        """The least width in which it is read well."""
        return self.whole if self.right else min(self.width, max(self.whole, _FEWEST))


def measure(text: str) -> int:
    """Return how many places of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_measure_sign, text))


@functools.cache
def _measure_sign(sign: str) -> int:
    if unicodedata.category(sign) in _UNSEEN:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in {"W", "F"} else 1


def measure_narrow(columns: Sequence[GridColumn]) -> int:
    """Return how wide a table is at least, whose words and numbers are whole."""
    return _add_gaps([column.least for column in columns], _NARROW_GAP)


def _add_gaps(widths: Sequence[int], gap: str) -> int:
    return 2 + sum(widths) + len(gap) * (len(widths) - 1)


def draw_grid(columns: Sequence[GridColumn], width: int) -> str:
    """Draw a table; in one that is wider than the screen, the widest texts continue below."""
    widths = [column.width for column in columns]
    fits = _add_gaps([column.least for column in columns], _GAP) <= width
    gap = _GAP if fits else _NARROW_GAP
    excess = _add_gaps(widths, gap) - width
    while excess > 0:
        # Of equally wide columns one of words, which can be broken better than headings.
        free = [place for place, column in enumerate(columns) if widths[place] > column.whole]
        if not free:
            break
        widest = max(free, key=lambda place: (widths[place], not columns[place].right, place))
        widths[widest] -= 1
        excess -= 1
    heading, *rows = zip(*(column.cells for column in columns), strict=True)
    rights = [column.right for column in columns]
    line = "─" * (_add_gaps(widths, gap) - 2)
    drawn = [*_draw_row(heading, widths, rights, gap), f" {line}"]
    for row in rows:
        drawn += _draw_row(row, widths, rights, gap)
    return "\n".join(drawn)


def _draw_row(
    cells: Sequence[str], widths: Sequence[int], rights: Sequence[bool], gap: str
) -> Iterator[str]:
    """Yield the lines of a row: one, unless cells are folded."""
    sizes = [*map(measure, cells)]
    if any(size > most for size, most in zip(sizes, widths, strict=True)):
        folded = [
            textwrap.wrap(cell, most) or [""] for cell, most in zip(cells, widths, strict=True)
        ]
        for line in itertools.zip_longest(*folded, fillvalue=""):
            yield from _draw_row(line, widths, rights, gap)
        return
    padded = []
    for cell, size, most, right in zip(cells, sizes, widths, rights, strict=True):
        blank = " " * (most - size)
        padded.append(blank + cell if right else cell + blank)
    yield f" {gap.join(padded)}".rstrip()
