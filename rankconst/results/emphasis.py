"""What sets numbers of a table apart, bold or underlined, and which of them it marks once they are adjusted."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rankconst.results.reading import Reading
    from rankconst.results.rewrite import Cell, Edit, Span


class Wrapper(NamedTuple):
    """What is around a number to set it apart: where it opens and where it closes."""

    kind: str
    opening: tuple[int, int]
    closing: tuple[int, int]


_MACROS = {
    **dict.fromkeys(("textbf", "mathbf", "bm", "boldsymbol", "bf", "bfseries"), "bold"),
    **dict.fromkeys(("underline", "uline", "ul"), "underline"),
}
_FARTHEST = 200
_OPENED = re.compile(r"(\\([a-zA-Z]+)\s*\{|\{\s*\\([a-zA-Z]+)(?![a-zA-Z])\s*)\$?\Z")
_BRACE = re.compile(r"\\.|[{}&]", re.DOTALL)


def _find_in_latex(text: str, start: int, end: int) -> Iterator[Wrapper]:
    """Yield the macros right around a number and what belongs to it, the inner ones first."""
    while (opened := _OPENED.search(text, max(start - 40, 0), start)) is not None:
        close, depth = -1, 0
        for brace in _BRACE.finditer(text, end, end + _FARTHEST):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if brace[0] == "&" or depth < 0:
                close = brace.start() if depth < 0 else -1
                break
        if close < 0:
            return
        name, start, end = opened[2] or opened[3], opened.start(), close + 1
        if name in _MACROS:
            yield Wrapper(_MACROS[name], opened.span(1), (close, end))


def _wrap_in_latex(text: str, start: int, kind: str) -> tuple[str, str]:
    cell = re.split(r"(?<!\\)&|\\\\", text[max(start - _FARTHEST, 0) : start])[-1]
    math_mode = len(re.findall(r"(?<!\\)\$", cell)) % 2 == 1
    return {"underline": "\\underline{", "bold": "\\mathbf{" if math_mode else "\\textbf{"}[kind], "}"


_MARKS = {
    "bold": (("**", "**"), ("__", "__"), ("<b>", "</b>"), ("<strong>", "</strong>")),
    "underline": (("<u>", "</u>"),),
}


def _find_in_markdown(text: str, start: int, end: int) -> Iterator[Wrapper]:
    pairs = [(kind, *pair) for kind, each in _MARKS.items() for pair in each]
    while found := [each for each in pairs if text.endswith(each[1], 0, start) and text.startswith(each[2], end)]:
        kind, opening, closing = found[0]
        yield Wrapper(kind, (start - len(opening), start), (end, end + len(closing)))
        start, end = start - len(opening), end + len(closing)


def _wrap_in_markdown(text: str, start: int, kind: str) -> tuple[str, str]:
    del text, start
    return _MARKS[kind][0]


class Emphasis(NamedTuple):
    """How a format of documents sets numbers apart."""

    find: Callable[[str, int, int], Iterator[Wrapper]]  # what is around a part of a text, the inner ones first
    wrap: Callable[[str, int, str], tuple[str, str]]  # text and position to what opens and closes a kind there


LATEX = Emphasis(_find_in_latex, _wrap_in_latex)
MARKDOWN = Emphasis(_find_in_markdown, _wrap_in_markdown)


def set_emphasis(
    text: str, reading: Reading, cells: Sequence[Cell], written: Mapping[Span, str], emphasis: Emphasis
) -> tuple[list[Edit], list[tuple[int, str]]]:
    """Mark the best and second best of each column that did so, by the adjusted values.

    On the same ranking tasks the map keeps the order, and with it what was marked; only where a column holds several
    sets of tasks can another number be the best.
    """
    columns: dict[tuple[int, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        columns[cell.site.table, cell.entry.column].append(cell)
    exchanged = {(cell.entry.row, cell.entry.column) for cell in cells}
    kept: dict[str, list[int]] = defaultdict(list)  # column to the rows whose numbers stay
    for entry in reading.entries:
        if (entry.row, entry.column) not in exchanged:
            kept[entry.column].append(entry.row)
    edits: list[Edit] = []
    notes: list[tuple[int, str]] = []
    for (_, column), own in columns.items():
        if len({cell.tasks for cell in own}) == 1 or own[0].exchange.beside:
            continue
        around = {cell: list(emphasis.find(text, cell.spans[0].start, cell.spans[-1].end)) for cell in own}
        rows, others = [cell.entry.row for cell in own], kept[column]
        whole = bisect_left(others, min(rows)) == bisect_left(others, max(rows))
        metric, form = own[0].entry.metric, own[0].exchange.form
        before = _rank(own, [cell.published for cell in own], rising=metric.increasing)
        numbers = [float(written[cell.spans[0]]) for cell in own]
        after = _rank(own, numbers, rising=form != "normalised" or metric.increasing)
        for kind, best, fresh in zip(("bold", "underline"), before, after, strict=True):
            marked = {cell for cell in own if any(each.kind == kind for each in around[cell])}
            if not marked or marked == fresh:
                continue
            if not (whole and marked <= best):
                line = own[0].entry.line or 0
                notes.append((line, f"{column}: {kind} stays as it is, since it does not mark the best of the column"))
                continue
            for cell in marked - fresh:
                for each in (each for each in around[cell] if each.kind == kind):
                    edits += [(*each.opening, ""), (*each.closing, "")]
            for cell in fresh - marked:
                start, end = cell.spans[0].start, cell.spans[-1].end
                opening, closing = emphasis.wrap(text, start, kind)
                edits += [(start, start, opening), (end, end, closing)]
    return edits, notes


def _rank(cells: Sequence[Cell], numbers: Sequence[float], *, rising: bool) -> tuple[set[Cell], set[Cell]]:
    """Return the best cells and the second best, ties included."""
    order = sorted(set(numbers), reverse=rising)
    best, second = (
        {cell for cell, number in zip(cells, numbers, strict=True) if number == each}
        for each in (*order[:2], math.nan, math.nan)[:2]
    )
    return best, second
