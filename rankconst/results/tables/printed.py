"""Find tables as programs print them, and as they come from a PDF: cells between bars or blanks.

"Model MRR" over "TransE 0.3" is such a table, and so is "| Model | MRR |" over "| TransE | 0.3 |".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rankconst.errors import DataError
from rankconst.results.labels import read_label
from rankconst.results.tables.cells import (
    PAIR,
    Row,
    check_width,
    has_number,
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

_SEARCHED = 2_000  # lines
_LONGEST = 300  # characters of a heading
_MOST_LEVELS = 50  # rows in which a metric is looked for
_METRIC = re.compile(r"m\w?r|hit|h@|h\d|@\d|rank|sdr|mad", re.IGNORECASE)
_RULE = re.compile(r"(?=.*[-=+])[\s\-=_|+:]+")
_SIMPLE = re.compile(r"=+(?: +=+)+")  # above and below the heading of a table, and below it
_UNDERLINE = re.compile(r"([=~^-])\1{2,}\s*")  # below a title
_PROGRESS = re.compile(r"\d%\|[^|]*\| *\d+/\d+ ")  # 100%|###| 9/9
_GAP = re.compile(r"[ \t]*\t[ \t]*| {2,}")  # between cells
# Blanks within a number with its deviation: 0.3 ± 0.1, 0.3 (0.1).
_SIGN = re.compile(r"(?:(?<!\s)\s+)?(±|\+/-)\s*")
_BRACKET = re.compile(r"(?<=\d)\s+\((?=[\d.])")
# The signs that boxes are drawn with to ASCII.
_PLAIN = {code: "+" for code in range(0x2500, 0x2580) if chr(code) not in "╱╲╳"}
_PLAIN |= str.maketrans(dict.fromkeys("│┃┆┇┊┋╎╏║╽╿", "|"))
_PLAIN |= str.maketrans(dict.fromkeys("─━┄┅┈┉╌╍═╴╶╸╺╼╾", "-"))
_PLAIN |= str.maketrans(dict.fromkeys("╵╷╹╻", " "))


class _Block(NamedTuple):
    """Lines that may be a table."""

    rows: list[Row]
    end: int  # the number of the line below


def add_lines(lines: Sequence[str], outline: Outline, first: int = 0) -> None:
    """Add the tables, titles and paragraphs of lines to an outline; `first` lines are above.

    A title is above a line of signs, as in "Results" over "=======". Lines between blanks and rules
    are a paragraph.
    """
    lines = [line if line.isascii() else line.translate(_PLAIN) for line in lines]
    paragraph: list[str] = []

    def end_paragraph() -> None:
        if paragraph:
            outline.add_text(" ".join(paragraph))
        paragraph.clear()

    i = 0
    while i < len(lines):
        line, below = lines[i].strip(), "".join(lines[i + 1 : i + 2])
        block = _read_barred(lines, i) or _read_spaced(lines, i)
        underline = _UNDERLINE.fullmatch(below)
        if block is not None and _is_table(block.rows):
            end_paragraph()
            outline.add_table([row._replace(line=row.line + first) for row in block.rows])
            i = block.end
        elif block is not None:
            paragraph += lines[i : block.end]
            i = block.end
        elif not line or _RULE.fullmatch(line):
            end_paragraph()
            i += 1
        elif underline is not None and not lines[i].startswith((" ", "\t")):
            end_paragraph()
            outline.add_heading("=-~^".find(underline[1]) + 1, line)
            i += 2
        else:
            if NUMBERED.match(line):
                end_paragraph()
            paragraph.append(line)
            i += 1

    end_paragraph()


def _is_table(rows: Sequence[Row]) -> bool:
    """Tell whether rows name a metric and hold a number."""
    has_metric = any(read_label(cell).metric for row in rows[:_MOST_LEVELS] for cell in row.cells)
    return has_metric and any(has_number(row.cells) for row in rows)


# Cells between bars.


def _read_barred(lines: Sequence[str], start: int) -> _Block | None:
    """Read a table with bars between its cells from line `start` on; None if none is there."""
    end = start
    while end < len(lines) and (_has_bars(lines[end]) or _is_border(lines[end])):
        end += 1

    if end == start:
        return None

    margin = min(len(line) - len(line.lstrip()) for line in lines[start:end])
    rows: list[Row] = []
    since_rule: list[Row] = []  # the lines since the last rule
    for number, line in enumerate((*lines[start:end], "---"), start + 1):  # a rule ends the last
        if _RULE.fullmatch(line) is None:
            pieces = line[margin:].rstrip().removeprefix("|").removesuffix("|").split("|")
            cells = tuple(" ".join(piece.split()) for piece in pieces)
            since_rule.append(Row(number, cells, cells, spans={}))
        else:
            # The lines above the first rule are the heading, of which each is a row.
            rows += _join_lines(since_rule) if rows else since_rule
            since_rule = []

    return _Block(rows, end)


def _has_bars(line: str) -> bool:
    """Tell whether a line has bars between cells; a progress bar has some, too."""
    return line.count("|") > 1 and _PROGRESS.search(line) is None


def _is_border(line: str) -> bool:
    """Tell whether a line is the border of a frame."""
    return "+" in line and _RULE.fullmatch(line) is not None


def _join_lines(lines: list[Row]) -> list[Row]:
    """Join the lines between two rules to one row, cell by cell, unless each is a row of its own.

    "TransE, 0.3" over "(ours), " becomes "TransE (ours), 0.3".
    """
    have_numbers = all(has_number(line.cells[1:]) for line in lines)
    widths = {len(line.cells) for line in lines}
    if have_numbers or len(widths) > 1:
        return lines

    columns = zip(*(line.cells for line in lines), strict=True)
    cells = tuple(" ".join(filter(None, column)) for column in columns)
    return [Row(lines[0].line, cells, cells, spans={})]


# Cells between blanks.


def _read_spaced(lines: Sequence[str], start: int) -> _Block | None:
    """Read a table with blanks between its cells; None if line `start` does not begin a heading.

    The heading may begin with a line of names, each above the same metrics.
    """
    rows, end = list[Row](), start
    labels = _split_heading(lines, start)
    if labels is None:
        labels = _split_heading(lines, start + 1)
        above = [] if labels is None else _spread_names(_split_gaps(lines[start]), labels)
        if labels is None or not above:
            return None
        rows, end = [Row(start + 1, tuple(above), tuple(above))], start + 1

    rows.append(Row(end + 1, tuple(labels), tuple(labels)))
    end += 1
    last = _find_last_rule(lines, start - 1, end)
    width = None if last is None else lines[last].index("= ") + 1  # of names, with the indent
    while end < (last or len(lines)) and (last or not _ends(lines, end, labels)):
        # In a simple table of reStructuredText, lines without a name go on with the row above.
        name = lines[end][:width]
        if name.strip() and _RULE.fullmatch(lines[end]) is None:
            cells = tuple(_split_row(lines[end], labels) or _split_other(lines[end]))
            rows.append(Row(end + 1, cells, cells))
        end += 1

    return _Block(rows, end)


def _find_last_rule(lines: Sequence[str], above: int, below: int) -> int | None:
    """Find the last of the three rules of a simple table of reStructuredText; or None."""
    rule = lines[above].strip() if above >= 0 else ""
    if _SIMPLE.fullmatch(rule) is None or lines[below : below + 1] != [lines[above]]:
        return None
    ends = (i for i in range(below + 1, len(lines)) if lines[i].strip() == rule)
    return next(ends, None)


def _spread_names(names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Write each name above the first of its metrics; nothing if not all have the same ones.

    >>> _spread_names(["UMLS", "WN18"], ["Model", "MRR", "MR", "MRR", "MR"])
    ['', 'UMLS', '', 'WN18', '']
    """
    if names and read_label(names[0]).role == "model":
        names = names[1:]

    measures = [j for j, label in enumerate(labels) if _is_metric(label)]
    metrics = [labels[j] for j in measures]
    size = len(metrics) // max(len(names), 1)
    are_repeated = len(set(metrics)) == size and metrics == metrics[:size] * len(names)
    if len(names) < 2 or not metrics or not are_repeated:
        return []

    starts = dict(zip(measures[::size], names, strict=True))
    return [starts.get(j, "") for j in range(len(labels))]


def _ends(lines: Sequence[str], i: int, labels: Sequence[str]) -> bool:
    """Tell whether a table ends at line `i`: at a blank line, a caption or another heading."""
    if not lines[i].strip() or NUMBERED.match(lines[i].strip()):
        return True
    if _RULE.fullmatch(lines[i]) or _split_row(lines[i], labels):
        return False

    # A line without numbers is the name of a group if rows follow.
    below = "".join(lines[i + 1 : i + 2])
    if not has_number(lines[i].split()) and _split_row(below, labels) is None:
        return True
    return _split_heading(lines, i) is not None


def _split_heading(lines: Sequence[str], i: int) -> list[str] | None:
    """Split a heading into its labels; None if a line is none, or has no row of numbers below.

    ``Model MRR`` over ``TransE 0.3`` has two labels; without "Model", an empty one is added.
    """
    line = lines[i] if i < len(lines) else ""
    below = next((row for row in lines[i + 1 : i + 3] if not _RULE.fullmatch(row)), "")
    if not line.strip() or not below.strip() or len(line) > _LONGEST:
        return None
    if not _METRIC.search(line + below[:_LONGEST]):
        return None
    if _is_of_log(line, below) or _is_in_blocks(lines, i):
        return None

    splits = [_split_gaps(line), line.split()]
    if any(read_label(label).reason for label in splits[0]):  # "MR Hits@1" is two, a blank apart
        splits.reverse()

    for parts in splits:
        for labels in (parts, ["", *parts]):  # the column of names may have no heading
            cells = _split_row(below, labels) if len(labels) > 1 else None
            if cells is not None and _fits(labels, cells):
                return labels

    return None


def _is_of_log(line: str, below: str) -> bool:
    """Tell whether lines name values of a log, ``test MRR: 0.3``, or are of a long command."""
    name, colon, _ = below.partition(":")
    names_value = any(word.endswith((":", "=", ">", "\\")) for word in line.split())
    return names_value or (bool(colon) and _is_metric(name))


def _is_in_blocks(lines: Sequence[str], i: int) -> bool:
    """Tell whether a heading is of a frame that is printed in blocks, some columns in each."""
    if not lines[i].startswith(" ") or not lines[i + 1 : i + 2] or lines[i + 1].startswith(" "):
        return False  # rows begin with their names
    if lines[i].endswith(" \\"):  # pandas ends such a heading with a backslash
        return True
    # R begins the next block right below the rows, with the same names.
    if i == 0 or lines[i - 1].startswith(" ") or _RULE.fullmatch(lines[i - 1]):
        return False

    end = i + 1
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(" "):
        end += 1

    last_name = lines[end - 1].split()[:1]
    return last_name != [] and last_name == lines[i - 1].split()[:1]


def _fits(labels: Sequence[str], cells: Sequence[str]) -> bool:
    """Tell whether labels head numbers of metrics: below each metric, or next to its name."""
    roles = [read_label(label).role for label in labels]
    if "metric" in roles and "value" in roles:
        return _is_cell(cells[roles.index("value")]) and _is_metric(cells[roles.index("metric")])
    measures = [j for j, label in enumerate(labels) if _is_metric(label)]
    return bool(measures) and all(_is_cell(cells[j]) for j in measures) and has_number(cells)


def _split_row(line: str, labels: Sequence[str]) -> list[str] | None:
    """Split a line into as many cells as `labels`; None if it has more or fewer.

    Cells are two blanks apart, or one. The number that R and pandas write before each row is no
    cell. If both ways fit, the one with numbers in the columns of metrics counts.

    >>> _split_row("0  TransE  0.3 ± 0.1", ["Model", "MRR"])
    ['TransE', '0.3±0.1']
    """
    fitting: list[list[str]] = []
    for cells in (_split_gaps(line), line.split()):
        if len(cells) == len(labels):
            fitting.append(cells)
        elif labels[0] and len(cells) == len(labels) + 1 and cells[0].isdecimal():  # numbered
            fitting.append(cells[1:])

    measures = [j for j, label in enumerate(labels) if _is_metric(label)]
    for cells in fitting:
        if all(_is_cell(cells[j]) for j in measures):
            return cells

    return fitting[0] if fitting else None


def _split_other(line: str) -> list[str]:
    """Split a line that does not fit the heading into cells; without numbers it is a group."""
    words = _join_signs(line).split()
    if not has_number(words):
        return [" ".join(words)]
    cells = _split_gaps(line)
    return cells if len(cells) > 1 else words


def _split_gaps(line: str) -> list[str]:
    """Split a line where two blanks or a tab are."""
    return [cell for cell in _GAP.split(_join_signs(line).strip()) if cell]


def _join_signs(line: str) -> str:
    """Remove the blanks within a number with its deviation: "0.3 ± 0.1" becomes "0.3±0.1"."""
    return _BRACKET.sub("(", _SIGN.sub(r"\1", line))


def _is_metric(label: str) -> bool:
    """Tell whether a label names a metric whose numbers can be adjusted."""
    read = read_label(label)
    return read.metric is not None and not read.reason and not PAIR.search(label)


def _is_cell(word: str) -> bool:
    """Tell whether a word is a number, or says that there is none."""
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


def refuse_blocks(document: Document, lines: Sequence[str], first: int = 0) -> None:
    """Refuse, by a DataError, a frame that is printed in blocks; `first` lines are above.

    Only the first block may name the dataset of all.
    """
    for i, line in enumerate(lines):
        if _METRIC.search(line, 0, _LONGEST) and _is_in_blocks(lines, i):
            raise DataError(
                f"{document.at(first + i + 1)}: this frame is printed in blocks. Print it in one "
                "piece: print(frame.to_string()) in Python, options(width = 1000) in R"
            )


def _find_tables(document: Document) -> list[Printed]:
    """Return the tables of a document with the texts around them."""
    for number, line in enumerate(document.lines, 1):
        check_width(line.count("|"), document, number)
    refuse_blocks(document, document.lines)
    outline = Outline()
    add_lines(document.lines, outline)
    return outline.list_tables()


READER = make_reader("text", _recognise, _find_tables)
