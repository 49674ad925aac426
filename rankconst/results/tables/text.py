"""Tables whose columns are set apart by blanks, as text copied from a PDF or printed by a program has them."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import names_known
from rankconst.results.reading import LONGEST_TEXT, Reader, Reading
from rankconst.results.tables.boxes import SIGNS
from rankconst.results.tables.cells import Row, is_missing, is_number, strip_marks
from rankconst.results.tables.columns import read_words
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.near import NUMBERED, Outline
from rankconst.results.tables.reshape import names_other
from rankconst.results.tables.settings import parse_heading, read_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.document import Document

_SEARCHED = 2_000
_LONGEST = 300
RULE = re.compile(rf"[\s\-=_|+:{SIGNS}]+")
_RUNS = re.compile(r"[ \t]*\t[ \t]*| {2,}")
# What belongs to the number before it.
_JOINED = ((re.compile(r"(?:(?<!\s)\s+)?(±|\+/-)\s*"), r"\1"), (re.compile(r"(?<=\d)\s+\((?=[\d.])"), "("))
_MOST_WORDS = 4
_FIGURE = re.compile(r"\d", re.ASCII)
# How many columns may come before the first metric, and how many if the line could be prose.
_MOST_NAMES, _FEW_NAMES = 12, 2


def _split_heading(line: str, *, others: bool = False) -> list[str] | None:
    """Return the labels of a heading, with the metrics last, or `others` among them; None if it is no heading."""
    if len(line) > _LONGEST or not line.strip() or line.rstrip().endswith((".", ":", ",")):
        return None
    words = line.split()
    tried = (True, False) if any(map(_qualifies, words)) else (True,)
    ways = [labels for before in tried if (labels := _join_words(words, before=before, others=others))]
    if not ways or any(way != ways[0] for way in ways):
        return None
    labels = ways[0]
    first = next((j for j, label in enumerate(labels) if _is_metric(label)), len(labels))
    if sum(map(_is_metric, labels)) < 2 or first > _MOST_NAMES:
        return None
    return labels if first else ["", *labels]


def _join_words(words: Sequence[str], *, before: bool, others: bool) -> list[str] | None:
    """Return the labels that words make up where what qualifies a metric is before its name, or else behind it.

    ``Test MRR Test Hits@10`` is not ``Test MRR Test``, ``Hits@10``. None if a word is left over, or another label is
    behind the metrics and there must be no `others`.
    """
    labels, i = list[str](), 0
    while i < len(words):
        ends = range(min(i + _MOST_WORDS, len(words)), i, -1)
        fitting = (j for j in ends if not _qualifies(words[j - 1 if before else i]) or j == i + 1)
        found = next((j for j in fitting if _is_metric(" ".join(words[i:j]))), i + 1)
        label = " ".join(words[i:found])
        if not _is_metric(label):
            last = bool(labels) and _is_metric(labels[-1])
            next_to = last if before else i + 1 < len(words) and _is_metric(words[i + 1])
            if (not others and any(map(_is_metric, labels))) or (next_to and _qualifies(label)):
                return None
        labels.append(label)
        i = found
    return labels


@lru_cache(maxsize=4096)
def _qualifies(word: str) -> bool:
    """Tell whether a word says of which split, side or protocol a metric is."""
    return bool(read_words(word.strip("()[],.:|")))


def _find_heading(lines: Sequence[str], i: int) -> list[str] | None:
    """Return the labels of the heading that a line is, unless they may be words of prose: those must fit the row below.

    That is so where many are no metrics, or where some behind the metrics are none.
    """
    below = _find_below(lines, i)
    apart = _split_apart(lines[i], below)
    if apart is not None or lines[i].count("|") > 1:
        return apart
    labels = _split_heading(lines[i])
    if labels is not None and any(map(_is_metric, labels[: _FEW_NAMES + 1])):
        return labels
    if _FIGURE.search(below) is None:
        return None
    if labels is None and (turned := _split_turned(lines[i])) is not None:
        cells = _split_row(below, turned)
        return turned if cells is not None and _is_metric(cells[0]) else None
    labels = labels or _split_heading(lines[i], others=True) or _split_long(lines[i])
    cells = None if labels is None else _fit(below.split(), labels)
    if labels is None or cells is None:
        return None
    value = _find_value(labels)
    numbers = [j for j, label in enumerate(labels) if j == value or _is_metric(label)]
    return labels if all(_is_cell(cells[j]) for j in numbers) else None


def _find_below(lines: Sequence[str], i: int) -> str:
    """Return the first line below one that is not a rule; nothing if that is blank."""
    j = i + 1
    while j < min(len(lines), i + 3) and lines[j].strip() and RULE.fullmatch(lines[j]):
        j += 1
    return lines[j] if j < len(lines) else ""


def _split_apart(line: str, below: str) -> list[str] | None:
    """Return the labels of a heading that are apart by bars or two blanks, like the cells below; None if they are not.

    Then a label or a name may be several words.
    """
    if len(line) > _LONGEST or len(below) > _LONGEST or _FIGURE.search(below) is None:
        return None
    labels, cells = (_list_apart(each) for each in (line, below))
    if len(cells) == len(labels) + 1 and not cells[0].isdecimal():
        labels = ["", *labels]
    if len(labels) < 2 or (fitting := _fit(cells, labels)) is None:
        return None
    measured = [j for j, label in enumerate(labels) if _is_metric(label)]
    if not measured or measured[0] > _MOST_NAMES or not all(_is_cell(fitting[j]) for j in measured):
        return None
    # Names are above names: a number below a heading of words may be of anything.
    told = "|" in line or any(" " in label for label in labels) or (len(measured) == 1 and len(labels) > _FEW_NAMES)
    return labels if told and any(is_number(strip_marks(fitting[j])) for j in measured) else None


def _list_apart(line: str) -> list[str]:
    """Return the cells of a line that are apart by bars, or else by two blanks or more."""
    if line.count("|") > 1:
        return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    return [cell for cell in _RUNS.split(_join_signs(line).strip()) if cell]


def _split_turned(line: str) -> list[str] | None:
    """Return the labels of a heading of splits, sides, filters or datasets over rows of metrics; None if none."""
    labels = line.split() if len(line) <= _LONGEST else []
    if labels and _LONG.fullmatch(labels[0]):
        labels = labels[1:]
    if not 1 < len(labels) <= _MOST_NAMES:
        return None
    kinds = {kind for label in labels for kind in read_words(label) or {"dataset" if names_known(label) else "": ""}}
    return ["", *labels] if any(kinds <= each for each in _OVER_METRICS) else None


_OVER_METRICS = ({"split"}, {"side"}, {"protocol", "filtered"}, {"dataset"})


def _is_turned(labels: Sequence[str]) -> bool:
    return not labels[0] and not any(map(_is_metric, labels))


def _split_long(line: str) -> list[str] | None:
    """Return the labels of a heading with the columns metric and value; None if it is none."""
    labels = line.split() if _LONG.search(line) is not None and len(line) <= _LONGEST else []
    return None if _find_value(labels) is None else labels


_LONG = re.compile(r"\b(?:metric|measure)s?\b", re.IGNORECASE)


def _find_value(labels: Sequence[str]) -> int | None:
    """Return which column holds the values of metrics whose names are in another; None if none does."""
    roles = [None if meaning is None else meaning.role for meaning in map(parse_heading, labels)]
    return roles.index("value") if roles.count("metric") == roles.count("value") == 1 else None


def _fit(words: list[str], labels: Sequence[str]) -> list[str] | None:
    """Return the words of a row without the index of a DataFrame if there is one for each label."""
    indexed = len(words) == len(labels) + 1 and words[0].isdecimal() and labels[0] != ""
    return words[1:] if indexed else words if len(words) == len(labels) else None


@lru_cache(maxsize=4096)
def _is_metric(label: str) -> bool:
    meaning = parse_heading(label)
    return meaning is not None and meaning.role == "measured" and meaning.dataset is None


def _split_row(line: str, labels: Sequence[str]) -> list[str] | None:
    """Return the cells of a row under a heading; None if it has no number where the heading has metrics."""
    if line.count("|") > 1:
        return _split_barred(line, labels)
    return _split_turned_row(line, labels) if _is_turned(labels) else _split_plain(line, labels)


def _split_barred(line: str, labels: Sequence[str]) -> list[str] | None:
    cells = _list_apart(line)
    numbers = [cell for cell, label in zip(cells, labels, strict=False) if _is_metric(label)]
    fits = len(cells) == len(labels) and all(map(_is_cell, numbers)) and any(map(_has_number, cells))
    return cells if fits else None


def _join_signs(line: str) -> str:
    """Remove the blanks within a number with its deviation."""
    for pattern, put in _JOINED:
        line = pattern.sub(put, line)
    return line


def _split_turned_row(line: str, labels: Sequence[str]) -> list[str] | None:
    words, numbers = _join_signs(line).split(), len(labels) - 1
    fits = len(words) > numbers and all(map(_is_cell, words[-numbers:]))
    return [" ".join(words[:-numbers]), *words[-numbers:]] if fits else None


def _split_plain(line: str, labels: Sequence[str]) -> list[str] | None:
    line = _join_signs(line)
    runs = _fit([cell for cell in _RUNS.split(line.strip()) if cell], labels)
    if (value := _find_value(labels)) is not None:
        cells = runs or _fit(line.split(), labels)
        return cells if cells is not None and _is_cell(cells[value]) else None
    last = _is_metric(labels[-1])
    if runs is not None and (not last or _is_cell(runs[-1])):
        return runs
    first = next(j for j, label in enumerate(labels) if _is_metric(label))
    words = line.split()
    if not last or first > _FEW_NAMES:
        return _fit(words, labels)
    numbers = len(labels) - first
    end = len(words)
    while end > 0 and len(words) - end < numbers and _is_cell(words[end - 1]):
        end -= 1
    found, decimals = words[end:], sum(1 for _ in takewhile(_is_decimal, reversed(words[:end])))
    if not any(map(_has_number, found)) or decimals >= first > 0:
        return None  # more numbers than metrics, as where each has several columns
    # Too few numbers: a blank cell cannot be told from the others, so that the row is as long as it is.
    names = words[:end]
    head = [*names[: first - 1], " ".join(names[first - 1 :])] if first > 1 else [" ".join(names)]
    return [*head, *found]


def _is_decimal(word: str) -> bool:
    return "." in word and is_number(word)


def _has_number(cell: str) -> bool:
    return is_number(strip_marks(cell))


def _is_cell(word: str) -> bool:
    return is_missing(word) or is_number(strip_marks(word))


def _find_upper(line: str, labels: Sequence[str]) -> dict[int, str]:
    """Return the names over a heading whose metrics come again under each of them, by column."""
    metrics = [j for j, label in enumerate(labels) if _is_metric(label)]
    names = [name for name in _RUNS.split(line.strip()) if name]
    names = names if len(names) > 1 else line.split()
    if not metrics or len(names) < 2 or len(metrics) % len(names):
        return {}
    size = len(metrics) // len(names)
    parts = [[labels[j] for j in metrics[i : i + size]] for i in range(0, len(metrics), size)]
    if any(part != parts[0] for part in parts):
        return {}
    return {metrics[i * size]: name for i, name in enumerate(names)}


def add_tables(lines: Sequence[str], outline: Outline, first: int = 0) -> int:
    """Add the tables among some lines with the text above or below each; return where the last one ends.

    `first` lines of the document are above these.
    """
    found: list[tuple[list[Row], int, int]] = []
    i = 0
    while i < len(lines):
        labels = _find_heading(lines, i)
        if labels is None:
            i += 1
            continue
        rows, end = _read_levels(lines, i, labels) or _read_rows(lines, i, labels)
        if rows:
            found.append((rows, i, end))
        i = max(end, i + 1)
    # Captions are above all tables of a text, or below all.
    captioned = [place for place, line in enumerate(lines) if NUMBERED.match(line.lstrip())]
    below = bool(found) and bool(captioned) and captioned[0] > found[0][1]
    place = 0
    for rows, start, end in found:
        text = [line for line in lines[place:start] if line.strip() and not RULE.fullmatch(line)]
        own = [each for each in captioned if (end <= each if below else place <= each < start)]
        caption = [_join(lines, own[0] if below else own[-1])] if own else []
        if text and not caption:
            settings = [" ".join(line.split()) for line in text[:-1][-_MOST_SETTINGS:] if read_pairs((line,))]
            if settings:
                outline.add_text(", ".join(settings))
            said = [line for line in text[:-1] if _OF_DATASET.match(line)][-1:]
            outline.add_text(". ".join(" ".join(line.split()) for line in (*said, text[-1])))
        outline.add_table([row._replace(line=row.line + first) for row in rows], captions=caption)
        place = end
    return place


def _join(lines: Sequence[str], start: int) -> str:
    """Return a caption, which goes on to a blank line or to a heading."""
    end = start + 1
    while end < len(lines) and lines[end].strip() and _split_heading(lines[end]) is None and end < start + 6:
        end += 1
    return " ".join(" ".join(lines[start:end]).split())


def _read_rows(lines: Sequence[str], i: int, labels: Sequence[str]) -> tuple[list[Row], int]:
    """Return the heading and the rows below it, and where they end."""
    rows, j = list[Row](), i + 1
    columns: list[tuple[int, int]] | None = None
    while j < len(lines) and j - i < _MOST_ROWS:
        if lines[j].strip() and RULE.fullmatch(lines[j]):
            j += 1
            continue
        cells = None if not lines[j].strip() else _split_row(lines[j], labels)
        if _FIGURE.search(lines[j]) and len(_list_apart(lines[j])) != len(labels):
            columns = _find_columns(lines, i, labels) if columns is None else columns
            cells = _cut_cells(lines[j], columns, labels) or cells
        if cells is None and (_split_heading(lines[j]) or not _goes_on(lines, j, labels)):
            break
        if cells is not None:
            rows.append(_make_row(j + 1, cells))
        elif lines[j].strip():
            rows.append(_make_row(j + 1, [" ".join(lines[j].split()), *[""] * (len(labels) - 1)]))
        j += 1
    if not rows:
        return [], j
    over = i - 1 - (i > 1 and bool(lines[i - 1].strip()) and RULE.fullmatch(lines[i - 1]) is not None)
    upper = _find_upper(lines[over], labels) if over >= 0 else {}
    head = [_make_row(i + 1, labels)]
    if upper:
        size = min(b - a for a, b in zip(upper, [*list(upper)[1:], len(labels)], strict=True))
        level = [upper.get(place, "") for place in range(len(labels))]
        head.insert(0, _make_row(over + 1, level, dict.fromkeys(upper, size)))
    return [*head, *rows], j


def _find_columns(lines: Sequence[str], i: int, labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the columns of a table begin and end, if two blanks or more are between all of them; else nothing.

    Lines with a cell for each label tell, rules included: in others a cell may be blank.
    """
    heading, taken, whole = lines[i], set[int](), 0
    for line in (heading, *takewhile(_is_body, islice(lines, i + 1, i + _MOST_ROWS))):
        pieces = list(_APART.finditer(line))
        if "\t" in line:
            return []
        if line is heading or len(pieces) == len(labels):
            taken.update(place for piece in pieces for place in range(*piece.span()))
            whole += line is not heading
    places = sorted(taken)
    starts = [place for before, place in pairwise([-9, *places]) if place > before + 2]
    ends = [place + 1 for place, after in pairwise([*places, sys.maxsize]) if after > place + 2]
    columns = list(zip(starts, ends, strict=True))
    named = [heading[start:end].strip() for start, end in columns]
    return columns if whole and named == list(labels) else []


def _is_body(line: str) -> bool:
    """Tell quickly whether a line may be a row, or a rule between rows."""
    return len(line) <= _LONGEST and bool(RULE.fullmatch(line) or (_FIGURE.search(line) and not _MAY_HEAD.match(line)))


# What has no two blanks within.
_APART = re.compile(r"\S+(?: \S+)*")
_MOST_ROWS = 5_000


def _cut_cells(line: str, columns: Sequence[tuple[int, int]], labels: Sequence[str]) -> list[str] | None:
    """Return the cells of a row, each in the only column that it is below; None if it is no such row."""
    cells = [""] * len(columns)
    for piece in _APART.finditer(line) if columns and "\t" not in line else ():
        over = [j for j, (start, end) in enumerate(columns) if piece.start() < end and start < piece.end()]
        if len(over) != 1 or cells[over[0]]:
            return None
        cells[over[0]] = piece[0]
    measured = [cell for cell, label in zip(cells, labels, strict=False) if _is_metric(label)]
    whole = any(map(_has_number, measured)) and all(map(_is_cell, measured))
    return cells if whole and not names_other(cells[0]) else None


def _read_levels(lines: Sequence[str], i: int, labels: Sequence[str]) -> tuple[list[Row], int] | None:
    """Return the rows of a frame whose index has names of its own, below the heading, and where they end.

    pandas leaves a level blank that is as in the row above.
    """
    names = list(_TOKEN.finditer(lines[i + 1])) if i + 1 < len(lines) else []
    metrics = labels[1:] if not _is_metric(labels[0]) else labels
    named = names and not names[0].start() and all(_NAMED.fullmatch(each[0]) for each in names)
    if not named or not all(map(_is_metric, metrics)) or not _are_levels([each[0] for each in names], labels):
        return None
    starts, rows, above = [each.start() for each in names], list[Row](), [""] * len(names)
    j = i + 2
    while j < len(lines) and (cells := _cut_row(lines[j], starts, len(metrics))) is not None:
        told = next((k for k, cell in enumerate(cells[: len(names)]) if cell), 0)
        above = [*above[:told], *cells[told : len(names)]]
        rows.append(_make_row(j + 1, [*above, *cells[len(names) :]]))
        j += 1
    return ([_make_row(i + 1, [*(each[0] for each in names), *metrics]), *rows], j) if rows else None


def _are_levels(names: Sequence[str], labels: Sequence[str]) -> bool:
    """Tell whether words below a heading name levels of an index, rather than what the rows below are of."""
    if labels[0]:  # or it names the levels of the columns
        return all(parse_heading(name) is not None for name in names)
    return not any(names_known(name) or read_words(name) for name in names)


_TOKEN = re.compile(r"\S+")
_NAMED = re.compile(r"[A-Za-z_][\w.@]*")


def _cut_row(line: str, starts: Sequence[int], numbers: int) -> list[str] | None:
    """Return the cells of a row whose first ones begin at some places, and whose last ones are numbers."""
    cells = list(_TOKEN.finditer(line))[-numbers:]
    if len(cells) < numbers or not all(_is_cell(each[0]) for each in cells) or cells[0].start() < starts[-1]:
        return None
    head = line[: cells[0].start()]
    if any(head[start - 1 : start].strip() for start in starts[1:]):
        return None
    return [
        *(head[start:end].strip() for start, end in zip(starts, [*starts[1:], len(head)], strict=True)),
        *(each[0] for each in cells),
    ]


def _goes_on(lines: Sequence[str], j: int, labels: Sequence[str]) -> bool:
    """Tell whether a line without numbers is within a table: a rule, or the name of a group."""
    if NUMBERED.match(lines[j].lstrip()) or j + 1 >= len(lines):
        return False
    below = _split_row(lines[j + 1], labels) if lines[j + 1].strip() else None
    short = RULE.fullmatch(lines[j]) is not None or len(lines[j].split()) <= _MOST_WORDS
    return below is not None and len(below) == len(labels) and short


def _make_row(line: int, cells: Sequence[str], spans: dict[int, int] | None = None) -> Row:
    written = tuple(cells)
    return Row(line, written, written, {} if spans is None else spans)


# How far above a table settings may be.
_MOST_SETTINGS = 100
# A setting above a table, though not right above it.
_OF_DATASET = re.compile(r"\s*data ?set(?:[_ ]name)?\s?[:=]\s?\S+\s*$", re.IGNORECASE)
_MAY_HEAD = re.compile(r"(?!.*[:=])(?=.*\b(?:mrr|hits?\s?@|h@\d))", re.IGNORECASE)


def find_lines(lines: Sequence[str]) -> set[int]:
    """Return the numbers of the lines that belong to such tables, near the beginning."""
    outline = Outline()
    add_tables(lines[:_SEARCHED], outline)
    return {row.line for table in outline.list_tables() for row in table.rows}


def begins_table(lines: Sequence[str], i: int) -> bool:
    """Tell whether a line is a heading, and the next one but for rules a row below it."""
    below = _find_below(lines, i)
    if len(lines[i]) > _LONGEST or not may_have_table(f"{lines[i]} {below[:_LONGEST]}"):
        return False
    labels = _find_heading(lines, i)
    return labels is not None and _split_row(below, labels) is not None


def may_have_table(text: str) -> bool:
    """Tell quickly whether a text may name a metric."""
    return _METRIC.search(text) is not None


_METRIC = re.compile(r"m\w?r|hit|h@|h\d|@\d|rank|sdr|mad", re.IGNORECASE)


def find_headings(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return the headings of tables among lines of another kind, such as those of a log, and their lines."""
    found: list[tuple[int, str]] = []
    for i, line in enumerate(lines[:-1]):
        labels = _find_heading(lines, i) if len(line) <= _LONGEST and _MAY_HEAD.match(line) else None
        below = () if labels is None else (_split_row(each, labels) for each in lines[i + 1 : i + 3])
        if labels is not None and any(row is not None and len(row) == len(labels) for row in below):
            found.append((i + 1, " ".join(label for label in labels if _is_metric(label))))
    return found


def is_table(document: Document) -> bool:
    """Tell whether a heading of such a table is among the first lines, with a row below."""
    lines = document.text.split("\n", _SEARCHED)[:_SEARCHED]
    for i in range(len(lines)):
        labels = _find_heading(lines, i)
        if labels is not None:
            below = [_split_row(each, labels) for each in takewhile(str.strip, lines[i + 1 : i + 4])]
            if any(cells is not None and len(cells) == len(labels) for cells in below):
                return True
    return False


def _read(document: Document) -> Reading:
    outline = Outline()
    add_tables(document.lines, outline)
    return read_tables(document, READER.key, outline.list_tables())


READER = Reader("text", "a table with blanks between columns, as copied from a PDF", is_table, _read, most=LONGEST_TEXT)
