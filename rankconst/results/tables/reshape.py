"""Tables that have their metrics elsewhere than in the heading: in rows, or in the text above; tables side by side."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import find_joined, find_mentions, names_known
from rankconst.results.tables.cells import Row, is_missing, is_number, strip_marks
from rankconst.results.tables.columns import find_qualifier
from rankconst.results.tables.surroundings import Above, Printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.results.tables.headings import Dialect

_FEW = 50
_DEEPEST = 5


def pivot(rows: Sequence[Row], dialect: Dialect) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each; None if it is none.

    Columns of numbers are then rows: of a dataset if their headings name graphs, of a model otherwise. A metric that
    comes again begins a new block, and so does a change in the columns left of the metric.
    """
    head, *body = rows[0], *(row for row in rows[1:] if any(row.plain))
    width = len(head.plain)
    body = [row for row in body if len(row.plain) == width]
    place = next((j for j in range(min(width, 4)) if _holds_metrics(body, j, dialect)), None)
    if place is None or not body:
        return None
    measured = [row for row in body if dialect.names_metric(row.plain[place])]
    numbers = [j for j in range(place + 1, width) if head.plain[j] and _holds_numbers(measured, j)]
    labels = [j for j in range(width) if j != place and j not in numbers]
    if not numbers:
        return None
    names = [head.plain[j] for j in numbers]
    # What columns of "head" and "tail" say is found by their cells, as that of any column of such words is.
    kind = "dataset" if any(map(names_known, names)) else "columns" if find_qualifier("", names) else "model"
    metrics = list(dict.fromkeys(row.plain[place] for row in measured))
    blocks: list[tuple[tuple[str, ...], dict[str, Row]]] = []
    last = [""] * width
    for row in body:
        name = row.plain[place]
        if name not in metrics:
            continue
        last = [cell or above for cell, above in zip(row.plain, last, strict=True)]
        said = tuple(last[j] for j in labels)
        if not blocks or blocks[-1][0] != said or name in blocks[-1][1]:
            blocks.append((said, {}))
        blocks[-1][1][name] = row
    first = (*(head.plain[j] for j in labels), kind, *metrics)
    turned = [Row(head.line, first, first)]
    for said, found in blocks:
        for j in numbers:
            written = [found[name].cells[j] if name in found else "" for name in metrics]
            plain = [found[name].plain[j] if name in found else "" for name in metrics]
            cells = (*said, head.plain[j])
            turned.append(Row(next(iter(found.values())).line, (*cells, *written), (*cells, *plain)))
    return turned


def name_metric(rows: Sequence[Row], metric: str, outer: Sequence[str] = ()) -> list[Row] | None:
    """Put a metric over the columns that are headed by datasets, and return all rows of the heading.

    None if no column is, or they are divided further. `outer` are names around the table: ``v1`` may be a part of one.
    """
    head, below = rows[0], rows[1] if len(rows) > 1 else Row(rows[0].line, (), ())
    if _spans(head):
        if _spans(below):
            return None
        over = zip(below.plain, _spread(head), strict=False)
        level = tuple(metric if _is_part(label, [upper]) else "" for label, upper in over)
        return [Row(head.line, level, level, {}), head, below] if any(level) else None
    mentions = [find_mentions(label) for label in head.plain]
    named = [len(each) == 1 for each in mentions]
    if not any(own and each[0].known for own, each in zip(named, mentions, strict=True)):
        named = [_is_part(label, outer) for label in head.plain]
    words = (label and not is_missing(label) and not is_number(strip_marks(label)) for label in below.plain)
    divided = len(below.plain) == len(named) and any(own and word for own, word in zip(named, words, strict=True))
    if not any(named) or divided:
        return None
    level = tuple(metric if own else "" for own in named)
    return [Row(head.line, level, level, {}), head]


def _spans(row: Row) -> bool:
    return any(width > 1 for width in (row.spans or {}).values())


def _is_part(label: str, outer: Iterable[str]) -> bool:
    """Tell whether a label is a part of a benchmark that another one names."""
    return bool(label) and any(len(find_joined(label, each)) == 1 for each in outer)


def _spread(row: Row) -> list[str]:
    """Return the labels over each column."""
    spread, label, left = [], "", 0
    for j, own in enumerate(row.plain):
        if own:
            label, left = own, (row.spans or {}).get(j, 1)
        spread.append(label if left > 0 else "")
        left -= 1
    return spread


def split_beside(rows: Sequence[Row], dialect: Dialect) -> list[list[Row]]:
    """Return the tables that are next to each other, apart by an empty column or by a heading that begins again.

    Each begins with a column of names; numbers behind an empty column are of the same table. Empty margins are cut off.
    """
    columns: dict[int, list[str]] = {}
    for row in rows:
        for j, text in enumerate(row.plain):
            if text:
                columns.setdefault(j, []).append(text)
    again = _find_repeated(rows, dialect)
    starts = [j for j in sorted(columns) if j - 1 not in columns or j in again]
    ends = [j + 1 for j in sorted(columns) if j + 1 not in columns or j + 1 in again]
    parts = list[tuple[int, int]]()
    for start, end in zip(starts, ends, strict=True):
        measured = any(dialect.names_metric(text) for j in range(start, end) for text in columns[j][:_FEW])
        own = not parts or (measured and not any(map(is_number, columns[start])))
        parts.append((start if own else parts.pop()[0], end))
    return [[_cut(row, *part) for row in rows if any(row.plain[slice(*part)])] for part in parts]


def _find_repeated(rows: Sequence[Row], dialect: Dialect) -> set[int]:
    """Return where a heading begins again with the same label, each time over metrics."""
    for row in rows[:_DEEPEST]:
        label = next(filter(None, row.plain), "")
        places = [j for j, text in enumerate(row.plain) if text == label and not dialect.names_metric(text)]
        parts = (row.plain[i:j] for i, j in pairwise([*places, len(row.plain)]))
        if len(places) > 1 and all(any(map(dialect.names_metric, part)) for part in parts):
            return {*places[1:]}
    return set()


def _cut(row: Row, first: int, last: int) -> Row:
    """Return the cells of a row from a column on, up to another."""
    pad = ("",) * (last - max(len(row.cells), first))
    spans = row.spans and {j - first: min(width, last - j) for j, width in row.spans.items() if first <= j < last}
    return Row(row.line, row.cells[first:last] + pad, row.plain[first:last] + pad, spans)


def take_titles(rows: Sequence[Row], above: tuple[Above, ...], dialect: Dialect) -> Printed:
    """Return a table with what is above it; its own first lines without a heading are sentences."""
    filled = [list(filter(None, row.plain)) for row in rows]
    body = next((i for i, texts in enumerate(filled) if len(texts) > 1 or any(map(dialect.names_metric, texts))), 0)
    return Printed(rows[body:], (*(Above("sentence", texts[0]) for texts in filled[:body][::-1]), *above))


def _holds_metrics(rows: Sequence[Row], j: int, dialect: Dialect) -> bool:
    """Tell whether at least half of a column names metrics; other rows may have parameters."""
    cells = [row.plain[j] for row in rows[:_FEW] if row.plain[j]]
    return bool(cells) and 2 * sum(map(dialect.names_metric, cells)) >= len(cells)


def _holds_numbers(rows: Sequence[Row], j: int) -> bool:
    cells = [strip_marks(row.plain[j]) for row in rows if not is_missing(row.plain[j])]
    return bool(cells) and sum(is_number(cell) for cell in cells) * 2 > len(cells)
