"""Tables that have their metrics elsewhere than in the heading: in rows, or in the text above only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import find_mentions, names_known
from rankconst.results.tables.cells import Row, is_missing, is_number, strip_marks
from rankconst.results.tables.columns import find_qualifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.tables.headings import Dialect

_FEW = 50


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
    kind = "dataset" if any(map(names_known, names)) else "columns" if find_qualifier(names) else "model"
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


def name_metric(rows: Sequence[Row], metric: str) -> list[Row] | None:
    """Put a metric over the columns that are headed by datasets; None if none is, or they are divided further."""
    head = rows[0]
    mentions = [find_mentions(label) for label in head.plain]
    named = [len(each) == 1 and each[0].known for each in mentions]
    if any(named):
        named = [len(each) == 1 for each in mentions]
    below = [row.plain for row in rows[1:2] if len(row.plain) == len(named)]
    divided = any(
        label and not is_missing(label) and not is_number(strip_marks(label))
        for plain in below
        for label, each in zip(plain, named, strict=True)
        if each
    )
    if not any(named) or divided or any(width > 1 for width in (head.spans or {}).values()):
        return None
    level = tuple(metric if each else "" for each in named)
    return [Row(head.line, level, level, {}), head]


def _holds_metrics(rows: Sequence[Row], j: int, dialect: Dialect) -> bool:
    """Tell whether at least half of a column names metrics; other rows may have parameters."""
    cells = [row.plain[j] for row in rows[:_FEW] if row.plain[j]]
    return bool(cells) and 2 * sum(map(dialect.names_metric, cells)) >= len(cells)


def _holds_numbers(rows: Sequence[Row], j: int) -> bool:
    cells = [strip_marks(row.plain[j]) for row in rows if not is_missing(row.plain[j])]
    return bool(cells) and sum(is_number(cell) for cell in cells) * 2 > len(cells)
