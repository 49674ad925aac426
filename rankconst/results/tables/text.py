"""Tables whose columns are set apart by blanks, as text copied from a PDF or printed by a program has them."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from rankconst.results.reading import LONGEST_TEXT, Reader, Reading
from rankconst.results.tables.cells import Row, is_missing, is_number, strip_marks
from rankconst.results.tables.columns import parse_column
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.headings import Dialect
from rankconst.results.tables.surroundings import NUMBERED, Outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.document import Document
    from rankconst.results.tables.surroundings import Printed

_SEARCHED = 2_000
_LONGEST = 300
_RULE = re.compile(r"[\s\-=_|+]+")
_RUNS = re.compile(r"[ \t]*\t[ \t]*| {2,}")
# What belongs to the number before it.
_JOINED = ((re.compile(r"(?:(?<!\s)\s+)?(±|\+/-)\s*"), r"\1"), (re.compile(r"(?<=\d)\s+\((?=[\d.])"), "("))
_MOST_WORDS = 4


def _split_heading(line: str) -> list[str] | None:
    """Return the labels of a heading: at most one that is no metric before the metrics; None if it is no heading."""
    if len(line) > _LONGEST or not line.strip() or line.rstrip().endswith((".", ":", ",")):
        return None
    words, labels = line.split(), list[str]()
    i = 0
    while i < len(words):
        found = next(
            (j for j in range(min(i + _MOST_WORDS, len(words)), i, -1) if _is_metric(" ".join(words[i:j]))), None
        )
        if found is not None:
            labels.append(" ".join(words[i:found]))
        elif any(map(_is_metric, labels)):
            return None
        else:
            labels.append(words[i])
        i = found or i + 1
    first = next((j for j, label in enumerate(labels) if _is_metric(label)), len(labels))
    if len(labels) - first < 2 or first > 2:
        return None
    return labels if first else ["", *labels]


def _is_metric(label: str) -> bool:
    meaning = parse_column(label)
    return meaning is not None and meaning.role == "measured" and meaning.dataset is None


def _split_row(line: str, labels: Sequence[str]) -> list[str] | None:
    """Return the cells of a row under a heading; None if it has no number where the heading has metrics."""
    for pattern, put in _JOINED:
        line = pattern.sub(put, line)
    runs = [cell for cell in _RUNS.split(line.strip()) if cell]
    if len(runs) == len(labels) + 1 and runs[0].isdecimal() and labels[0]:  # the index of a DataFrame
        runs = runs[1:]
    if len(runs) == len(labels) and all(map(_is_cell, runs[-1:])):
        return runs
    first = next(j for j, label in enumerate(labels) if _is_metric(label))
    words = line.split()
    numbers = len(labels) - first
    end = len(words)
    while end > 0 and len(words) - end < numbers and _is_cell(words[end - 1]):
        end -= 1
    found = words[end:]
    if not any(is_number(strip_marks(word)) for word in found):
        return None
    # Too few numbers: a blank cell cannot be told from the others, so that the row is as long as it is.
    names = words[:end]
    head = [*names[: first - 1], " ".join(names[first - 1 :])] if first > 1 else [" ".join(names)]
    return [*head, *found]


def _is_cell(word: str) -> bool:
    return is_missing(word) or is_number(strip_marks(word))


def _find_upper(line: str, labels: Sequence[str]) -> dict[int, str]:
    """Return the names over a heading whose metrics come again under each of them, by column."""
    metrics = [j for j, label in enumerate(labels) if _is_metric(label)]
    names = [name for name in _RUNS.split(line.strip()) if name]
    names = names if len(names) > 1 else line.split()
    if len(names) < 2 or len(metrics) % len(names):
        return {}
    size = len(metrics) // len(names)
    parts = [[labels[j] for j in metrics[i : i + size]] for i in range(0, len(metrics), size)]
    if any(part != parts[0] for part in parts):
        return {}
    return {metrics[i * size]: name for i, name in enumerate(names)}


def _find_tables(document: Document) -> list[Printed]:
    lines, outline = document.lines, Outline()
    found: list[tuple[list[Row], int, int]] = []
    i = 0
    while i < len(lines):
        labels = _split_heading(lines[i])
        if labels is None:
            i += 1
            continue
        rows, end = _read_rows(lines, i, labels)
        if rows:
            found.append((rows, i, end))
        i = max(end, i + 1)
    # Captions are above all tables of a text, or below all.
    captioned = [place for place, line in enumerate(lines) if NUMBERED.match(line.lstrip())]
    below = bool(found) and bool(captioned) and captioned[0] > found[0][1]
    place = 0
    for rows, start, end in found:
        text = [line for line in lines[place:start] if line.strip() and not _RULE.fullmatch(line)]
        own = [each for each in captioned if (end <= each if below else place <= each < start)]
        caption = [_join(lines, own[0] if below else own[-1])] if own else []
        if text and not caption:
            outline.add_text(" ".join(text[-1].split()))
        outline.add_table(rows, captions=caption)
        place = end
    return outline.list_tables()


def _join(lines: Sequence[str], start: int) -> str:
    """Return a caption, which goes on to a blank line or to a heading."""
    end = start + 1
    while end < len(lines) and lines[end].strip() and _split_heading(lines[end]) is None and end < start + 6:
        end += 1
    return " ".join(" ".join(lines[start:end]).split())


def _read_rows(lines: Sequence[str], i: int, labels: Sequence[str]) -> tuple[list[Row], int]:
    """Return the heading and the rows below it, and where they end."""
    rows, j = list[Row](), i + 1
    while j < len(lines) and j - i < 5_000:
        cells = None if not lines[j].strip() else _split_row(lines[j], labels)
        if cells is None and (_split_heading(lines[j]) or not _goes_on(lines, j, labels)):
            break
        if cells is not None:
            rows.append(_make_row(j + 1, cells))
        elif not _RULE.fullmatch(lines[j]) and lines[j].strip():
            rows.append(_make_row(j + 1, [" ".join(lines[j].split())]))
        j += 1
    if not rows:
        return [], j
    upper = _find_upper(lines[i - 1], labels) if i > 0 else {}
    head = [_make_row(i + 1, labels)]
    if upper:
        size = min(b - a for a, b in zip(upper, [*list(upper)[1:], len(labels)], strict=True))
        level = [upper.get(place, "") for place in range(len(labels))]
        head.insert(0, _make_row(i, level, dict.fromkeys(upper, size)))
    return [*head, *rows], j


def _goes_on(lines: Sequence[str], j: int, labels: Sequence[str]) -> bool:
    """Tell whether a line without numbers is within a table: a rule, or the name of a group."""
    if NUMBERED.match(lines[j].lstrip()) or j + 1 >= len(lines):
        return False
    below = _split_row(lines[j + 1], labels) if lines[j + 1].strip() else None
    return below is not None and len(below) == len(labels) and len(lines[j].split()) <= 4


def _make_row(line: int, cells: Sequence[str], spans: dict[int, int] | None = None) -> Row:
    written = tuple(cells)
    return Row(line, written, written, {} if spans is None else spans)


def _recognise(document: Document) -> bool:
    lines = document.text.split("\n", _SEARCHED)[:_SEARCHED]
    for i, line in enumerate(lines):
        labels = _split_heading(line)
        if labels is not None:
            below = [_split_row(each, labels) for each in takewhile(str.strip, lines[i + 1 : i + 4])]
            if any(cells is not None and len(cells) == len(labels) for cells in below):
                return True
    return False


def _read(document: Document) -> Reading:
    return read_tables(document, READER.key, _find_tables(document), Dialect(groups=True))


READER = Reader(
    "text", "a table with blanks between columns, as copied from a PDF", _recognise, _read, most=LONGEST_TEXT
)
