"""Tables with a metric in each row, turned into tables with a column for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.results.labels import Label, read_label
from rankconst.results.tables.cells import Row, is_blank, is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FIRST = 3
"""Among so many columns the names of the metrics are looked for."""


def pivot(rows: Sequence[Row], parse: Callable[[str, int | None], Label] = read_label) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each; None if it is not one.

    Columns of numbers are then rows, named by what heads them. A metric that comes again begins a new block, and so
    does a change in the other columns of names.
    """
    if len(rows) < 2:
        return None
    head, body = rows[0], [row for row in rows[1:] if len(row.plain) == len(rows[0].plain)]
    place = next((j for j in range(min(len(head.plain), _FIRST)) if _holds_metrics(body, j, parse)), None)
    if place is None:
        return None
    numbers = [j for j in range(place + 1, len(head.plain)) if head.plain[j] and _holds_numbers(body, j)]
    names = [j for j in range(len(head.plain)) if j != place and j not in numbers]
    if not numbers:
        return None
    metrics = list(dict.fromkeys(row.plain[place] for row in body if parse(row.plain[place], None).metric is not None))
    first = (*(head.plain[j] for j in names), "", *metrics)
    turned = [Row(head.line, first, first)]
    for block in _list_blocks(body, place, names, parse):
        some = next(iter(block.values()))
        for j in numbers:
            told = (*(some.plain[n] for n in names), head.plain[j])
            written = (*told, *(block[name].cells[j] if name in block else "" for name in metrics))
            plain = (*told, *(block[name].plain[j] if name in block else "" for name in metrics))
            turned.append(Row(some.line, written, plain))
    return turned


def _list_blocks(
    body: Sequence[Row], place: int, names: Sequence[int], parse: Callable[[str, int | None], Label]
) -> list[dict[str, Row]]:
    """Return the rows of each block by the names of their metrics; an empty cell of names repeats the one above."""
    blocks: list[dict[str, Row]] = []
    last: tuple[str, ...] = ()
    for row in body:
        if parse(row.plain[place], None).metric is None:
            continue
        told = tuple(row.plain[j] or (last[n] if last else "") for n, j in enumerate(names))
        if not blocks or told != last or row.plain[place] in blocks[-1]:
            blocks.append({})
        plain = list(row.plain)
        for n, j in enumerate(names):
            plain[j] = told[n]
        blocks[-1][row.plain[place]] = row._replace(plain=tuple(plain))
        last = told
    return blocks


def _holds_metrics(rows: Sequence[Row], j: int, parse: Callable[[str, int | None], Label]) -> bool:
    """Tell whether most cells of a column are names of metrics."""
    cells = [row.plain[j] for row in rows if not is_blank(row.plain[j])]
    named = sum(parse(cell, None).metric is not None for cell in cells)
    return bool(cells) and 2 * named > len(cells)


def _holds_numbers(rows: Sequence[Row], j: int) -> bool:
    return any(is_number(row.plain[j]) for row in rows if not is_blank(row.plain[j]))
