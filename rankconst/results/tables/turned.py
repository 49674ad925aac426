"""Tables with a metric in each row, turned into tables with a column for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.results.tables.cells import Row, is_blank, is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.tables.headings import Parse

_FIRST = 3  # the names of metrics are looked for in the first columns only


def turn_table(rows: Sequence[Row], parse: Parse) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each, if it is one."""
    head = rows[0]
    width = len(head.plain)
    body = [row for row in rows[1:] if len(row.plain) == width]
    place = next((j for j in range(min(width, _FIRST)) if _holds_metrics(body, j, parse)), -1)
    if place < 0:
        return None
    headed = [j for j in range(place + 1, width) if head.plain[j]]
    numbers = [j for j in headed if any(is_number(row.plain[j]) for row in body)]
    if not numbers:
        return None
    # Of "key, value, step", only one column holds the numbers.
    numbers = [j for j in numbers if parse(head.plain[j], None).role == "value"] or numbers
    names = [j for j in range(width) if j != place and j not in numbers]
    body = [row for row in body if parse(row.plain[place], None).metric is not None]
    metrics = list(dict.fromkeys(row.plain[place] for row in body))
    # Over numbers that become the names of rows: Epoch over 10 and 20.
    counted = all(is_number(head.plain[j]) for j in numbers)
    corner = head.plain[place] if counted else ""
    first = (*(head.plain[j] for j in names), corner, *metrics)
    turned = [Row(head.line, first, first)]
    for block in _list_blocks(body, place, names):
        some = next(iter(block.values()))
        found = [block.get(metric) for metric in metrics]
        for j in numbers:
            named = (*(some.plain[n] for n in names), head.plain[j])
            cells = ("" if row is None else row.cells[j] for row in found)
            plain = ("" if row is None else row.plain[j] for row in found)
            turned.append(Row(some.line, (*named, *cells), (*named, *plain)))
    return turned


def _list_blocks(body: Sequence[Row], place: int, names: Sequence[int]) -> list[dict[str, Row]]:
    """Return the rows of each block by their metrics; an empty name repeats the one above.

    A metric that comes again begins a new block, and so does a change in the columns of names.
    """
    blocks: list[dict[str, Row]] = []
    last: list[str] = []
    for row in body:
        plain = list(row.plain)
        if last:
            for j in names:
                plain[j] = plain[j] or last[j]
        is_same = bool(last) and all(plain[j] == last[j] for j in names)
        if not is_same or plain[place] in blocks[-1]:
            blocks.append({})
        blocks[-1][plain[place]] = row._replace(plain=tuple(plain))
        last = plain
    return blocks


def _holds_metrics(rows: Sequence[Row], j: int, parse: Parse) -> bool:
    """Tell whether most cells of a column are names of metrics."""
    cells = [row.plain[j] for row in rows if not is_blank(row.plain[j])]
    named = sum(parse(cell, None).metric is not None for cell in cells)
    return bool(cells) and 2 * named > len(cells)
