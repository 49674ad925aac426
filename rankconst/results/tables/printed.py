"""Tables as programs print them, and as they come from a PDF: columns by bars or by blanks.

A row counts only with as many cells as the heading.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from rankconst.results.labels import read_label
from rankconst.results.tables.cells import (
    PAIR,
    Row,
    check_width,
    is_missing,
    is_number,
    strip_marks,
)
from rankconst.results.tables.grid import make_reader
from rankconst.results.tables.near import NUMBERED, Outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed

_SEARCHED = 2_000
_LONGEST = 300
_MOST_LEVELS = 50
_MOST_WORDS = 4
_METRIC = re.compile(r"m\w?r|hit|h@|h\d|@\d|rank|sdr|mad", re.IGNORECASE)
_RULE = re.compile(r"(?=.*[-=+])[\s\-=_|+:]+")
_UNDERLINE = re.compile(r"([=~^-])\1{2,}\s*")
_APART = re.compile(r"[ \t]*\t[ \t]*| {2,}")
# What belongs to the number before it.
_JOINED = (
    (re.compile(r"(?:(?<!\s)\s+)?(±|\+/-)\s*"), r"\1"),
    (re.compile(r"(?<=\d)\s+\((?=[\d.])"), "("),
)
_UPRIGHT, _LEVEL, _ENDS = "│┃┆┇┊┋╎╏║╽╿", "─━┄┅┈┉╌╍═╴╶╸╺╼╾", "╵╷╹╻"
_PLAIN = {code: "+" for code in range(0x2500, 0x2580) if chr(code) not in "╱╲╳"}
_PLAIN |= {
    ord(sign): put
    for signs, put in ((_UPRIGHT, "|"), (_LEVEL, "-"), (_ENDS, " "))
    for sign in signs
}


def add_lines(lines: Sequence[str], outline: Outline, first: int = 0) -> None:
    """Add the tables, titles and paragraphs in lines to an outline.

    There are `first` lines above them.
    """
    lines = [line if line.isascii() else line.translate(_PLAIN) for line in lines]
    paragraph: list[str] = []
    i = 0
    while i < len(lines):
        found = _read_barred(lines, i) or _read_apart(lines, i)
        if found is None:
            i = _read_text(lines, i, paragraph, outline)
            continue
        rows, end = found
        if _is_table(rows):
            _end_paragraph(paragraph, outline)
            outline.add_table([row._replace(line=row.line + first) for row in rows])
        else:
            paragraph += lines[i:end]
        i = end
    _end_paragraph(paragraph, outline)


_Found = tuple[list[Row], int]


def _is_table(rows: Sequence[Row]) -> bool:
    """Tell whether rows name a metric and hold a number."""
    return any(
        read_label(cell).metric for row in rows[:_MOST_LEVELS] for cell in row.cells
    ) and any(is_number(strip_marks(cell)) for row in rows for cell in row.cells)


def _read_text(lines: Sequence[str], i: int, paragraph: list[str], outline: Outline) -> int:
    """Take a line of text, or a title with the line below it; return the next one."""
    line, under = lines[i].strip(), i + 1 < len(lines) and _UNDERLINE.fullmatch(lines[i + 1])
    if under and line and not lines[i].startswith((" ", "\t")) and not _RULE.fullmatch(line):
        _end_paragraph(paragraph, outline)
        outline.add_heading("=-~^".find(under[1]) + 1, line)
        return i + 2
    if not line or _RULE.fullmatch(line) or NUMBERED.match(line):
        _end_paragraph(paragraph, outline)
    if line and not _RULE.fullmatch(line):
        paragraph.append(line)
    return i + 1


def _end_paragraph(paragraph: list[str], outline: Outline) -> None:
    if paragraph:
        outline.add_text(" ".join(paragraph))
    paragraph.clear()


# Bars.


def _read_barred(lines: Sequence[str], i: int) -> _Found | None:
    """Read a table with bars, and perhaps rules, between its cells; a cell may span columns."""
    end = i
    while (
        end < len(lines)
        and lines[end].strip()
        and (lines[end].count("|") > 1 or _is_border(lines[end]))
    ):
        end += 1
    body = lines[i:end]
    if all(_RULE.fullmatch(line) for line in body):
        return ([], end) if body else None
    widest = max(body, key=lambda line: line.count("|") + line.count("+") * _is_border(line))
    found = re.finditer(r"[|+]" if _is_border(widest) else r"\|", widest)
    edges = {edge.start(): place for place, edge in enumerate(found)}
    rows: list[Row] = []
    for start, stop in _split_parts(body):
        part = [_split_barred(body[j], edges, i + j + 1) for j in range(start, stop)]
        rows += _join_lines(part) if rows else part
    return rows, end


def _is_border(line: str) -> bool:
    return "+" in line and _RULE.fullmatch(line) is not None


def _split_parts(body: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where the parts between rules begin and end."""
    rules = [-1, *(j for j, line in enumerate(body) if _RULE.fullmatch(line)), len(body)]
    return ((above + 1, below) for above, below in pairwise(rules) if below > above + 1)


def _join_lines(part: list[Row]) -> list[Row]:
    """Return the lines between two rules as rows, or as one if not each has a name and a number."""
    if len(part) == 1 or all(row.cells[0] and _has_number(row.cells) for row in part):
        return part
    if len({len(row.cells) for row in part}) > 1:
        return part
    cells = tuple(
        " ".join(filter(None, column)) for column in zip(*(row.cells for row in part), strict=True)
    )
    return [part[0]._replace(cells=cells, plain=cells)]


def _split_barred(line: str, edges: Mapping[int, int], number: int) -> Row:
    """Return the cells of a line; between edges of columns, a cell spans those below it."""
    bars = [found.start() for found in re.finditer(r"\|", line)]
    pieces = line.strip().removeprefix("|").removesuffix("|").split("|")
    spans: dict[int, int] = {}
    cells = [" ".join(piece.split()) for piece in pieces]
    places = [edges.get(bar, -1) for bar in bars]
    enclosed = len(pieces) == len(bars) - 1  # no text before the first bar or after the last
    if (
        enclosed
        and len(bars) < len(edges)
        and min(places) == places[0] == 0
        and places[-1] == len(edges) - 1
    ):
        cells = []
        for (left, right), piece in zip(pairwise(places), pieces, strict=True):
            if right - left > 1:
                spans[len(cells)] = right - left
            cells += [" ".join(piece.split()), *[""] * (right - left - 1)]
    return Row(number, tuple(cells), tuple(cells), spans)


# Blanks.


def _read_apart(lines: Sequence[str], i: int) -> _Found | None:
    """Read a table whose cells are apart by blanks."""
    labels, rows, head = _split_heading(lines, i), list[Row](), i
    if labels is None and i + 1 < len(lines):
        head = i + 1
        labels = _split_heading(lines, head)
        over = _split_names(lines[i], labels or [])
        if over is None:
            return None
        rows.append(over._replace(line=i + 1))
    if labels is None:
        return None
    rows.append(Row(head + 1, tuple(labels), tuple(labels)))
    end = next((j for j in range(head + 1, len(lines)) if _ends(lines, j, labels)), len(lines))
    for j in range(head + 1, end):
        if not _RULE.fullmatch(lines[j]):
            cells = tuple(_split_row(lines[j], labels) or _split_other(lines[j]))
            rows.append(Row(j + 1, cells, cells))
    return rows, end


def _split_names(line: str, labels: Sequence[str]) -> Row | None:
    """Return a line as the row above a heading whose metrics come again; None if it is not one."""
    first = next((j for j, label in enumerate(labels) if _is_metric(label)), len(labels))
    metrics = labels[first:]
    width = next((j for j in range(1, len(metrics)) if metrics[j] == metrics[0]), 0)
    if not width or [*metrics[:width]] * (len(metrics) // width) != metrics:
        return None
    count, words = len(metrics) // width, line.split()
    names = words if all(read_label(word).whole for word in words) else _split_apart(line)
    corner, names = names[:-count], names[-count:]
    if len(names) != count or len(corner) > first or _has_number(names):
        return None
    if any(read_label(name).graphs for name in corner):  # more graphs than blocks
        return None
    cells = [*corner, *[""] * (len(labels) - len(corner))]
    spans = {first + place * width: width for place in range(count)}
    for place, name in zip(spans, names, strict=True):
        cells[place] = name
    return Row(0, tuple(cells), tuple(cells), spans)


def _ends(lines: Sequence[str], j: int, labels: Sequence[str]) -> bool:
    """Tell whether a table ends at a line, as at a caption or another heading."""
    if not lines[j].strip() or NUMBERED.match(lines[j].strip()):
        return True
    if _RULE.fullmatch(lines[j]) or _split_row(lines[j], labels):
        return False
    below = lines[j + 1] if j + 1 < len(lines) else ""
    row = _has_number(lines[j].split()) or _split_row(below, labels) is not None
    return not row or _split_heading(lines, j) is not None


def _split_heading(lines: Sequence[str], i: int) -> list[str] | None:
    """Return the labels of a heading with a row below it; None if a line is none."""
    line = lines[i]
    # Names of values of a log.
    if not line.strip() or any(word.endswith((":", "=", ">")) for word in line.split()):
        return None
    below = next((each for each in lines[i + 1 : i + 3] if not _RULE.fullmatch(each)), "")
    if len(line) > _LONGEST or not below.strip() or not _METRIC.search(line + below[:_LONGEST]):
        return None
    apart, joined = _split_apart(line), _join_words(line.split())
    ways = [apart, joined]
    if any(read_label(label).reason for label in apart):  # "MR Hits@1" is two, a blank apart
        ways.reverse()
    for labels in ways:
        for each in (labels, ["", *labels]):
            cells = _split_row(below, each) if len(each) > 1 else None
            if cells is not None and _fits(each, cells):
                return each
    return None


def _fits(labels: Sequence[str], cells: Sequence[str]) -> bool:
    """Tell whether labels head numbers of metrics: below each metric, or beside the name of one."""
    measured = [j for j, label in enumerate(labels) if _is_metric(label)]
    # Of one column, it may be the title of a log.
    if not measured and _is_metric(cells[0]) and len(labels) > 2:
        over = [read_label(label) for label in labels[1:]]
        return all(_is_cell(cell) for cell in cells[1:]) and all(
            each.whole and (each.values or each.graphs) for each in over
        )
    roles = [read_label(label).role for label in labels]
    if "metric" in roles and "value" in roles:
        return _is_cell(cells[roles.index("value")]) and _is_metric(cells[roles.index("metric")])
    return bool(measured) and all(_is_cell(cells[j]) for j in measured) and _has_number(cells)


def _split_row(line: str, labels: Sequence[str]) -> list[str] | None:
    """Return as many cells as labels, separated by two blanks or by one.

    Return None if their number differs.
    """
    measured = [j for j, label in enumerate(labels) if _is_metric(label)]
    ways: list[list[str]] = []
    for cells in (_split_apart(line), line.split()):
        is_numbered = bool(cells) and cells[0].isdecimal() and bool(labels[0])
        ways += [cells, cells[1:]] if is_numbered else [cells]
    fitting = [cells for cells in ways if len(cells) == len(labels)]
    for cells in fitting:
        if all(_is_cell(cells[j]) for j in measured):
            return cells
    if fitting:
        return fitting[0]
    words = _join_signs(line).split()
    names = next((j for j, label in enumerate(labels) if _is_metric(label)), 0)
    numbers = len(labels) - names
    if (
        names != 1
        or len(words) <= len(labels)
        or not all(_is_cell(word) for word in words[-numbers:])
    ):
        return None
    if _is_cell(words[-numbers - 1]):
        return None
    return [" ".join(words[:-numbers]), *words[-numbers:]]


def _split_other(line: str) -> list[str]:
    """Return the cells of a line that does not fit the heading.

    Without numbers it names a group.
    """
    words = _join_signs(line).split()
    cells = _split_apart(line) if _has_number(words) else []
    return cells if len(cells) > 1 else words if cells else [" ".join(words)]


def _split_apart(line: str) -> list[str]:
    return [cell for cell in _APART.split(_join_signs(line).strip()) if cell]


def _join_signs(line: str) -> str:
    """Remove the blanks within a number with its deviation."""
    for pattern, put in _JOINED:
        line = pattern.sub(put, line)
    return line


def _join_words(words: Sequence[str]) -> list[str]:
    """Return words with those joined that name one metric: ``Mean Rank``, ``Hits @ 10``."""
    labels, i = list[str](), 0
    while i < len(words):
        ends = range(min(i + _MOST_WORDS, len(words)), i, -1)
        end = next((j for j in ends if _is_name(" ".join(words[i:j]))), i + 1)
        end = i + 1 if read_label(words[i]).role else end  # "Model MRR" is two
        labels.append(" ".join(words[i:end]))
        i = end
    return labels


def _is_name(words: str) -> bool:
    """Tell whether words are the name of a metric and nothing else."""
    label = read_label(words)
    return _is_metric(words) and label.whole and not (label.values or label.words)


def _is_metric(label: str) -> bool:
    found = read_label(label)
    return found.metric is not None and not found.reason and not PAIR.search(label)


def _has_number(cells: Sequence[str]) -> bool:
    return any(is_number(cell) for cell in cells)


def _is_cell(word: str) -> bool:
    return is_missing(word) or is_number(strip_marks(word))


# The reader.


def find_lines(lines: Sequence[str]) -> set[int]:
    """Return the numbers of the lines that belong to such tables, near the beginning."""
    outline = Outline()
    add_lines(lines[:_SEARCHED], outline)
    return {row.line for table in outline.list_tables() for row in table.rows}


def _recognise(document: Document) -> bool:
    """Tell whether such a table is among the first lines."""
    return bool(find_lines(document.text.split("\n", _SEARCHED)[:_SEARCHED]))


def _find_tables(document: Document) -> list[Printed]:
    for number, line in enumerate(document.lines, 1):
        check_width(line.count("|"), document, number)
    outline = Outline()
    add_lines(document.lines, outline)
    return outline.list_tables()


READER = make_reader("text", _recognise, _find_tables)
