"""Tables as programs print them, and as they come from a PDF: cells between bars or blanks."""

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
    from collections.abc import Sequence

    from rankconst.results.document import Document
    from rankconst.results.tables.near import Printed

_SEARCHED = 2_000
_LONGEST = 300
_MOST_LEVELS = 50
_MOST_WORDS = 4
_METRIC = re.compile(r"m\w?r|hit|h@|h\d|@\d|rank|sdr|mad", re.IGNORECASE)
_RULE = re.compile(r"(?=.*[-=+])[\s\-=_|+:]+")
_UNDERLINE = re.compile(r"([=~^-])\1{2,}\s*")
_GAP = re.compile(r"[ \t]*\t[ \t]*| {2,}")
_SIGN = re.compile(r"(?:(?<!\s)\s+)?(±|\+/-)\s*")
_BRACKET = re.compile(r"(?<=\d)\s+\((?=[\d.])")
# What boxes are drawn with, in ASCII.
_PLAIN = {code: "+" for code in range(0x2500, 0x2580) if chr(code) not in "╱╲╳"}
_PLAIN |= str.maketrans(dict.fromkeys("│┃┆┇┊┋╎╏║╽╿", "|"))
_PLAIN |= str.maketrans(dict.fromkeys("─━┄┅┈┉╌╍═╴╶╸╺╼╾", "-"))
_PLAIN |= str.maketrans(dict.fromkeys("╵╷╹╻", " "))


def add_lines(lines: Sequence[str], outline: Outline, first: int = 0) -> None:
    """Add the tables, titles and paragraphs of lines to an outline; `first` lines are above."""
    lines = [line if line.isascii() else line.translate(_PLAIN) for line in lines]
    _join_blocks(lines)
    paragraph: list[str] = []
    i = 0
    while i < len(lines):
        found = _read_barred(lines, i) or _read_spaced(lines, i)
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


def _is_table(rows: Sequence[Row]) -> bool:
    """Tell whether rows name a metric and hold a number."""
    named = any(read_label(cell).metric for row in rows[:_MOST_LEVELS] for cell in row.cells)
    return named and any(is_number(strip_marks(cell)) for row in rows for cell in row.cells)


def _read_text(lines: Sequence[str], i: int, paragraph: list[str], outline: Outline) -> int:
    """Take a line of text, or a title with the line below it; return the next one."""
    line = lines[i].strip()
    if not line or _RULE.fullmatch(line):
        _end_paragraph(paragraph, outline)
        return i + 1
    underline = _UNDERLINE.fullmatch(lines[i + 1]) if i + 1 < len(lines) else None
    if underline is not None and not lines[i].startswith((" ", "\t")):
        _end_paragraph(paragraph, outline)
        outline.add_heading("=-~^".find(underline[1]) + 1, line)
        return i + 2
    if NUMBERED.match(line):
        _end_paragraph(paragraph, outline)
    paragraph.append(line)
    return i + 1


def _end_paragraph(paragraph: list[str], outline: Outline) -> None:
    if paragraph:
        outline.add_text(" ".join(paragraph))
    paragraph.clear()


# Blocks: of a frame wider than the screen, R and pandas print some columns, then the others.


def _join_blocks(lines: list[str]) -> None:
    """Join the blocks of each wide frame to one, and leave the lines of the others empty."""
    i = 0
    while i < len(lines):
        names = _name_rows(lines, i)
        start = i
        i += len(names) + 1
        while names and (below := _find_block(lines, i, names, lines[start])) >= 0:
            between = "  " if lines[start].rstrip().endswith("\\") else " "
            for j in range(len(names) + 1):
                more = lines[below + j].split(maxsplit=1)[1] if j else lines[below].strip()
                lines[start + j] = lines[start + j].rstrip(" \\") + between + more
                lines[below + j] = ""
            i = below + len(names) + 1


def _name_rows(lines: Sequence[str], i: int) -> list[str]:
    """Return what the rows below a heading begin with, if they are those of a frame."""
    if not lines[i].startswith(" ") or not lines[i].strip():
        return []
    names = list[str]()
    for line in lines[i + 1 :]:
        if line.startswith(" ") or len(line.split()) < 2:
            break
        names.append(line.split()[0])
    return names


def _find_block(lines: Sequence[str], i: int, names: Sequence[str], heading: str) -> int:
    """Return where the heading of the same rows' other columns is; -1 if there is none."""
    if heading.rstrip().endswith("\\") and i < len(lines) and not lines[i].strip():
        i += 1
    if i >= len(lines) or _name_rows(lines, i) != names:
        return -1
    return i if {*lines[i].split()} & {*heading.split()} <= {"\\"} else -1


# Cells between bars.


def _read_barred(lines: Sequence[str], start: int) -> tuple[list[Row], int] | None:
    """Read a table with bars between its cells, and perhaps rules; return its rows and its end."""
    end = start
    while end < len(lines) and (lines[end].count("|") > 1 or _is_border(lines[end])):
        end += 1
    if end == start:
        return None
    margin = min(len(line) - len(line.lstrip()) for line in lines[start:end])
    edges = max((_find_edges(line) for line in lines[start:end]), key=len)
    rows: list[Row] = []
    part: list[Row] = []  # the rows since the last rule
    for i in range(start, end):
        if _RULE.fullmatch(lines[i]) is None:
            part.append(_split_barred(lines[i], edges, i + 1, margin))
        if _RULE.fullmatch(lines[i]) is not None or i == end - 1:
            rows += _join_lines(part) if rows else part  # the first part is the heading
            part = []
    return rows, end


def _is_border(line: str) -> bool:
    return "+" in line and _RULE.fullmatch(line) is not None


def _find_edges(line: str) -> list[int]:
    """Return where the bars of a line are, or the corners of a border."""
    return [edge.start() for edge in re.finditer(r"[|+]" if _is_border(line) else r"\|", line)]


def _join_lines(part: list[Row]) -> list[Row]:
    """Return the lines between two rules as rows, or as one if not each has a name and a number."""
    if all(row.cells[0] and _has_number(row.cells) for row in part):
        return part
    if len(part) == 1 or len({len(row.cells) for row in part}) > 1:
        return part
    columns = zip(*(row.cells for row in part), strict=True)
    cells = tuple(" ".join(filter(None, column)) for column in columns)
    return [part[0]._replace(cells=cells, plain=cells)]


def _split_barred(line: str, edges: list[int], number: int, margin: int) -> Row:
    """Return the cells of a line; one between bars far apart spans the columns between them.

    In a table without a frame, what is blank between the margin and the first bar is a cell.
    """
    pieces = line[margin:].rstrip().removeprefix("|").removesuffix("|").split("|")
    pieces = [" ".join(piece.split()) for piece in pieces]
    bars = _find_edges(line)
    is_enclosed = len(pieces) == len(bars) - 1  # no text before the first bar or after the last
    is_aligned = bars[0] == edges[0] and bars[-1] == edges[-1] and {*bars} < {*edges}
    if not (is_enclosed and is_aligned):
        return Row(number, tuple(pieces), tuple(pieces), {})
    columns = {edge: j for j, edge in enumerate(edges)}
    cells: list[str] = []
    spans: dict[int, int] = {}
    for (left, right), piece in zip(pairwise(bars), pieces, strict=True):
        width = columns[right] - columns[left]
        if width > 1:
            spans[len(cells)] = width
        cells.append(piece)
        cells.extend("" for _ in range(1, width))
    return Row(number, tuple(cells), tuple(cells), spans)


# Cells between blanks.


def _read_spaced(lines: Sequence[str], start: int) -> tuple[list[Row], int] | None:
    """Read a table with blanks between its cells; return its rows and its end."""
    rows: list[Row] = []
    head = start
    labels = _split_heading(lines, head)
    if labels is None and start + 1 < len(lines):
        head = start + 1
        labels = _split_heading(lines, head)
        names = None if labels is None else _split_names(lines[start], head, labels)
        if names is None:
            return None
        rows.append(names)
    if labels is None:
        return None
    rows.append(Row(head + 1, tuple(labels), tuple(labels)))
    end = head + 1
    while end < len(lines) and not _ends(lines, end, labels):
        if _RULE.fullmatch(lines[end]) is None:
            cells = tuple(_split_row(lines[end], labels) or _split_other(lines[end]))
            rows.append(Row(end + 1, cells, cells))
        end += 1
    return rows, end


def _split_names(line: str, number: int, labels: Sequence[str]) -> Row | None:
    """Return the names above the blocks of a heading whose metrics come again, or None.

    ``WN18RR FB15k-237`` above ``Model MRR MR MRR MR``: each names two columns.
    """
    first = next(iter(_list_metrics(labels)), len(labels))
    metrics = labels[first:]
    width = next((j for j in range(1, len(metrics)) if metrics[j] == metrics[0]), 0)
    if not width or len(metrics) % width:
        return None
    if any(metric != metrics[j % width] for j, metric in enumerate(metrics)):
        return None
    count, words = len(metrics) // width, line.split()
    names = words if all(read_label(word).whole for word in words) else _split_gaps(line)
    corner, names = names[:-count], names[-count:]
    if len(names) != count or len(corner) > first or _has_number(names):
        return None
    if any(read_label(name).graphs for name in corner):  # more graphs than blocks
        return None
    spans = {first + block * width: width for block in range(count)}
    name_at = dict(enumerate(corner)) | dict(zip(spans, names, strict=True))
    cells = tuple(name_at.get(j, "") for j in range(len(labels)))
    return Row(number, cells, cells, spans)


def _ends(lines: Sequence[str], i: int, labels: Sequence[str]) -> bool:
    """Tell whether a table ends at a line, as at a caption or another heading."""
    if not lines[i].strip() or NUMBERED.match(lines[i].strip()):
        return True
    if _RULE.fullmatch(lines[i]) or _split_row(lines[i], labels):
        return False
    below = lines[i + 1] if i + 1 < len(lines) else ""
    goes_on = _has_number(lines[i].split()) or _split_row(below, labels) is not None
    return not goes_on or _split_heading(lines, i) is not None


def _split_heading(lines: Sequence[str], i: int) -> list[str] | None:
    """Return the labels of a heading with a row below it; None if a line is none."""
    line = lines[i]
    # Names of values of a log.
    if not line.strip() or any(word.endswith((":", "=", ">")) for word in line.split()):
        return None
    below = next((row for row in lines[i + 1 : i + 3] if not _RULE.fullmatch(row)), "")
    if len(line) > _LONGEST or not below.strip() or not _METRIC.search(line + below[:_LONGEST]):
        return None
    named, colon, _ = below.partition(":")
    if colon and _is_metric(named):  # "test MRR: 0.3"
        return None
    ways = [_split_gaps(line), _join_words(line.split())]
    if any(read_label(label).reason for label in ways[0]):  # "MR Hits@1" is two, a blank apart
        ways.reverse()
    for way in ways:
        for labels in (way, ["", *way]):
            cells = _split_row(below, labels) if len(labels) > 1 else None
            if cells is not None and _fits(labels, cells):
                return labels
    return None


def _fits(labels: Sequence[str], cells: Sequence[str]) -> bool:
    """Tell whether labels head numbers of metrics: below each metric, or next to its name."""
    measured = _list_metrics(labels)
    # Of one column, it may be the title of a log.
    if not measured and _is_metric(cells[0]) and len(labels) > 2:
        over = [read_label(label) for label in labels[1:]]
        addressed = all(label.whole and (label.values or label.graphs) for label in over)
        return addressed and all(_is_cell(cell) for cell in cells[1:])
    roles = [read_label(label).role for label in labels]
    if "metric" in roles and "value" in roles:
        return _is_cell(cells[roles.index("value")]) and _is_metric(cells[roles.index("metric")])
    return bool(measured) and all(_is_cell(cells[j]) for j in measured) and _has_number(cells)


def _split_row(line: str, labels: Sequence[str]) -> list[str] | None:
    """Return as many cells as labels, two blanks apart or one; None if their number differs."""
    fitting: list[list[str]] = []
    for cells in (_split_gaps(line), line.split()):
        ways = [cells]
        if labels[0] and cells and cells[0].isdecimal():  # the number of the row
            ways.append(cells[1:])
        fitting += [way for way in ways if len(way) == len(labels)]
    measured = _list_metrics(labels)
    for cells in fitting:
        if all(_is_cell(cells[j]) for j in measured):
            return cells
    if fitting:
        return fitting[0]
    # The name of several words before the first number.
    words, numbers = _join_signs(line).split(), len(labels) - 1
    if measured[:1] != [1] or len(words) <= len(labels) or _is_cell(words[-numbers - 1]):
        return None
    if not all(_is_cell(word) for word in words[-numbers:]):
        return None
    return [" ".join(words[:-numbers]), *words[-numbers:]]


def _split_other(line: str) -> list[str]:
    """Return the cells of a line that does not fit the heading; without numbers it is a group."""
    words = _join_signs(line).split()
    if not _has_number(words):
        return [" ".join(words)]
    cells = _split_gaps(line)
    return cells if len(cells) > 1 else words


def _split_gaps(line: str) -> list[str]:
    return [cell for cell in _GAP.split(_join_signs(line).strip()) if cell]


def _join_signs(line: str) -> str:
    """Remove the blanks within a number with its deviation: 0.3 ± 0.1, 0.3 (0.1)."""
    return _BRACKET.sub("(", _SIGN.sub(r"\1", line))


def _join_words(words: Sequence[str]) -> list[str]:
    """Return words with those joined that name one metric: ``Mean Rank``, ``Hits @ 10``."""
    labels: list[str] = []
    i = 0
    while i < len(words):
        end = i + 1
        if not read_label(words[i]).role:  # "Model MRR" is two
            ends = range(min(i + _MOST_WORDS, len(words)), i, -1)
            end = next((j for j in ends if _names_metric(" ".join(words[i:j]))), end)
        labels.append(" ".join(words[i:end]))
        i = end
    return labels


def _names_metric(words: str) -> bool:
    """Tell whether words are the name of a metric and nothing else."""
    label = read_label(words)
    return _is_metric(words) and label.whole and not (label.values or label.words)


def _list_metrics(labels: Sequence[str]) -> list[int]:
    """Return the columns whose labels are metrics."""
    return [j for j, label in enumerate(labels) if _is_metric(label)]


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
