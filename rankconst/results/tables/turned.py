"""A table turned on its side: one with a metric in each row becomes one with a column for each."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from rankconst.results.tables.cells import Row, is_blank, is_number
from rankconst.results.tables.headings import are_shifted, spread_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.tables.headings import Parse

_FIRST = 3  # the names of metrics are looked for in the first columns only


def turn_table(rows: Sequence[Row], parse: Parse) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each; None for others.

    ``Metric, TransE, RotatE`` over ``MRR, 0.29, 0.34`` becomes a column MRR with a row for TransE
    and one for RotatE. Each further row of the heading becomes a further column.
    """
    width = len(rows[0].plain)
    even = [row for row in rows if len(row.plain) == width]
    firsts = range(min(width, _FIRST))
    of_metrics = next((j for j in firsts if _holds_metrics(even[1:], j, parse)), None)
    if of_metrics is None:
        return None
    heads, body = _split_heads(even, of_metrics)
    numbers = _list_numbers(heads, body, of_metrics, parse)
    are_blank = all(row.spans is None for row in rows[: len(heads) - 1])
    if not numbers or (are_blank and are_shifted([[head[j] for head in heads] for j in numbers])):
        return None
    body = [row for row in body if parse(row.plain[of_metrics], None).metric is not None]
    metrics = list(dict.fromkeys(row.plain[of_metrics] for row in body))
    names = [j for j in range(width) if j != of_metrics and j not in numbers]
    # Headings of numbers become the names of rows: Epoch over 10 and 20.
    corners = [
        head[of_metrics] if all(is_number(head[j]) for j in numbers) else "" for head in heads
    ]
    headings = (*(heads[-1][j] or heads[0][j] for j in names), *corners, *metrics)
    turned = [Row(rows[0].line, headings, headings)]
    empty = Row(0, ("",) * width, ("",) * width)
    for block in _list_blocks(body, of_metrics, names):
        first = next(iter(block.values()))
        by_metric = [block.get(metric, empty) for metric in metrics]
        for j in numbers:
            row_name = (*(first.plain[k] for k in names), *(head[j] for head in heads))
            cells = (*row_name, *(row.cells[j] for row in by_metric))
            plain = (*row_name, *(row.plain[j] for row in by_metric))
            turned.append(Row(first.line, cells, plain))
    return turned


def _split_heads(rows: Sequence[Row], of_metrics: int) -> tuple[list[Sequence[str]], Sequence[Row]]:
    """Split rows into those of the heading, whose upper names are spread, and those below."""

    def is_head(row: Row) -> bool:
        cells = row.plain[of_metrics + 1 :]
        is_below = is_blank(row.plain[of_metrics]) and not any(map(is_number, cells))
        return is_below and any(cells)

    depth = 1 + sum(1 for _ in takewhile(is_head, rows[1:]))
    upper = [spread_names(row, row.plain) for row in rows[: depth - 1]]
    return [*upper, rows[depth - 1].plain], rows[depth:]


def _list_numbers(
    heads: Sequence[Sequence[str]], body: Sequence[Row], place: int, parse: Parse
) -> list[int]:
    """List the columns of numbers behind that of the metrics."""
    headed = [j for j in range(place + 1, len(heads[0])) if any(head[j] for head in heads)]
    numbers = [j for j in headed if any(is_number(row.plain[j]) for row in body)]
    # Of "key, value, step", only one column holds the numbers.
    return [j for j in numbers if parse(heads[-1][j], None).role == "value"] or numbers


def _list_blocks(body: Sequence[Row], place: int, names: Sequence[int]) -> list[dict[str, Row]]:
    """List the blocks of rows, each a row by metric; an empty name repeats the one above.

    A metric that comes again begins a new block, and so does a change in the columns of names.
    """
    blocks: list[dict[str, Row]] = []
    above: list[str] = []
    for row in body:
        plain = list(row.plain)
        if above:
            for j in names:
                plain[j] = plain[j] or above[j]
        is_same = bool(above) and all(plain[j] == above[j] for j in names)
        if not is_same or plain[place] in blocks[-1]:
            blocks.append({})
        blocks[-1][plain[place]] = row._replace(plain=tuple(plain))
        above = plain
    return blocks


def _holds_metrics(rows: Sequence[Row], j: int, parse: Parse) -> bool:
    """Tell whether most cells of a column are names of metrics."""
    cells = [row.plain[j] for row in rows if not is_blank(row.plain[j])]
    named = sum(parse(cell, None).metric is not None for cell in cells)
    return bool(cells) and 2 * named > len(cells)
