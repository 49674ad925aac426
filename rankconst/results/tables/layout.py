"""What columns that are not metrics are: datasets, splits, names of rows, remarks.

A table with a metric in each row is turned into one with a column for each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.tools import is_tool
from rankconst.names import read_count, squash
from rankconst.results.gate import CORNER, Text
from rankconst.results.labels import Label, answer, read_label
from rankconst.results.tables.cells import Row, is_blank, is_missing, is_number
from rankconst.results.vocabulary import Word, list_remarks, match_role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.results.columns import Cells
    from rankconst.results.tables.headings import Heading, Parse

COUNTS = ("num_tasks", "num_triples", "num_entities")
"""Roles of numbers that say what was counted."""

OPEN_ROLES = {
    *("dataset", "model", "metric", "value", "k", "num_tasks"),
    *("relations", "step", "version", "hyperparameter"),
}
"""Roles that any cell fits."""

FEW = 500
"""Of more distinct cells, those that may tell something are found all at once."""

OF_RELATIONS = {"relation", "rel", "predicate"}
"""What a column of sides may call the relation, which elsewhere heads names of relations."""

ASKING = {"part", "graph", "protocol", "task", "aggregation"}
"""The fields of words that ask about the rows below them."""

_MOST_TRIED = 5_000


@dataclass(frozen=True)
class Layout:
    """What the columns of a table are."""

    heading: Heading
    cells: Sequence[Cells]
    roles: Mapping[str, int]  # role to column
    free: Sequence[int] = ()  # the other columns that may say something of their rows
    names: int = -1  # the column that names the rows: that of models, or the first of texts


def find_layout(
    heading: Heading, cells: Sequence[Cells], *, exact: bool, keys_say_all: bool
) -> Layout:
    """Find what the columns are; if their keys say all, only those with a role are read.

    In an exact table of a tool, a column called model holds none.
    """
    roles = find_roles(heading, cells)
    if exact:
        roles.pop("model", None)
    free = [] if keys_say_all else _find_free(heading, cells, {*heading.measures, *roles.values()})
    if "model" in roles:
        return Layout(heading, cells, roles, free, roles["model"])
    for j in free:
        is_remark = squash(heading.keys[j]) in list_remarks()
        if not is_remark and _holds_texts(cells[j]) and not _holds_flags(heading, cells, j):
            return Layout(heading, cells, roles, free, j)
    return Layout(heading, cells, roles, free)


def find_roles(heading: Heading, cells: Sequence[Cells]) -> dict[str, int]:
    """Return the column of each role whose cells fit it."""
    roles: dict[str, int] = {}
    for j, role in enumerate(heading.roles):
        if not role or j in heading.measures or _counts_relations(heading, cells, j):
            continue
        is_named = squash(heading.keys[j]) == squash(role)
        if role in roles and (not is_named or squash(heading.keys[roles[role]]) == squash(role)):
            continue
        if is_named or fits_cells(role, cells[j]):
            roles[role] = j
    if "dataset" not in roles and "model" not in roles:
        taken = {*heading.measures, *roles.values()}
        texts = (j for j, own in enumerate(cells) if j not in taken and _holds_texts(own))
        first = next(texts, -1)
        if first >= 0 and not any(heading.labels[first]) and _are_datasets(cells[first].distinct):
            roles["dataset"] = first
    return roles


def fits_role(role: str, cell: str) -> bool:
    """Tell whether a cell may be one of a column with that role."""
    label = read_label(cell)
    if role == "tool":
        return is_tool(cell)
    if role in COUNTS:
        return read_count(cell) is not None
    if role == "side" and squash(cell) in OF_RELATIONS:  # elsewhere it heads their names
        return True
    return role in label.values or label.declared.get(role) is not None


def fits_cells(role: str, cells: Cells) -> bool:
    """Tell whether all cells of a column may be of its role."""
    if role in OPEN_ROLES:
        return True
    return all(fits_role(role, cell) for cell in cells.distinct if not is_missing(cell))


def _counts_relations(heading: Heading, cells: Sequence[Cells], j: int) -> bool:
    """Tell whether a column says how many relations there are: in the plural, over numbers."""
    if heading.roles[j] != "relations" or not squash(heading.keys[j]).endswith("s"):
        return False
    return all(is_number(cell) or is_missing(cell) for cell in cells[j].distinct)


def _are_datasets(cells: Sequence[str]) -> bool:
    """Tell whether most cells of a column without a heading name graphs, and nothing else."""
    labels = [read_label(cell) for cell in cells[:FEW] if not is_missing(cell)]
    count = sum(1 for label in labels if label.whole and label.graphs)
    return 2 * count > len(labels)


def _find_free(heading: Heading, cells: Sequence[Cells], taken: set[int]) -> list[int]:
    """Return the other columns that may say something of their rows, in cells or headings."""
    found = []
    for j, own in enumerate(cells):
        is_headed = find_flag(heading, j) is not None or find_asking(heading, j) is not None
        if j not in taken and (is_headed or _holds_texts(own)):
            found.append(j)
    return found


def _holds_texts(cells: Cells) -> bool:
    """Tell whether a cell of a column is neither blank nor a number."""
    return any(cell and not is_number(cell) for cell in cells[:_MOST_TRIED])


def _holds_flags(heading: Heading, cells: Sequence[Cells], j: int) -> bool:
    """Tell whether the cells of a column affirm or deny what is above them."""
    over = find_flag(heading, j)
    some = cells[j].distinct[:FEW]
    return over is not None and all(is_blank(cell) or answer(over, cell) for cell in some)


def find_flag(heading: Heading, j: int) -> Label | None:
    """Return the label that the cells below it affirm or deny: ``Filtered`` over yes and no."""
    for label in heading.labels[j]:
        is_asking = any(word.field != "metric" for word in label.words)
        if label.whole and (label.values or is_asking):
            return label
    return None


def find_asking(heading: Heading, j: int) -> Label | None:
    """Return the label whose words ask about rows with a cell below it: ``num_candidates``."""
    for label in heading.labels[j]:
        if any(word.field in ASKING or is_lone(label, word) for word in label.words):
            return label
    return None


def is_lone(label: Label, word: Word) -> bool:
    """Tell whether a heading or key is a word that asks as a whole: lang, Ratio."""
    return "beside" in word.scopes and label.alone


def find_corner(layout: Layout) -> tuple[Text, ...]:
    """Return what the heading above the names says of all rows: FB15k-237, Degree.

    If no column has names, the numbers of the first one tell the rows apart: Missing %.
    """
    heading, j = layout.heading, layout.names
    if j < 0:
        is_named = "dataset" in layout.roles or 0 in heading.measures or heading.roles[0]
        if is_named or len(layout.cells[0].distinct) < 2:
            return ()
        j = 0
    elif j not in layout.free:
        return ()
    over = [label for label in heading.labels[j] if label.text]
    if not over or any(heads_models(label.text) for label in over):
        return ()
    if len(over[-1].text) > 1 and not any(_is_understood(label) for label in over):
        over[-1] = ask_whole(over[-1])
    return tuple(Text(label, "row", CORNER) for label in over[::-1])


def _is_understood(label: Label) -> bool:
    """Tell whether a label says something of rows, or all of it is known."""
    is_asking = any("row" in word.scopes for word in label.words)
    is_whole = label.whole and not label.percent  # "Data %" says how much
    return is_whole or is_asking or bool(label.values or label.graphs)


def heads_models(heading: str) -> bool:
    """Tell whether a word of a heading is one for models."""
    words = re.findall(r"[^\W\d_]+", heading.lower())
    return any(match_role(word) == "model" for word in words)


def ask_whole(label: Label) -> Label:
    """Return the heading of a column of names with its whole text as a word to ask about."""
    return replace(label, words=(Word(label.text.lower(), "part"),))


_FIRST = 3  # the names of metrics are looked for in the first columns only


def turn_table(rows: Sequence[Row], parse: Parse) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each.

    Return None for any other table.
    """
    head = rows[0].plain
    body = [row for row in rows[1:] if len(row.plain) == len(head)]
    place = next((j for j in range(min(len(head), _FIRST)) if _holds_metrics(body, j, parse)), -1)
    numbers = [] if place < 0 else _list_numbers(head, body, place, parse)
    if not numbers:
        return None
    names = [j for j in range(len(head)) if j != place and j not in numbers]
    body = [row for row in body if parse(row.plain[place], None).metric is not None]
    metrics = list(dict.fromkeys(row.plain[place] for row in body))
    # Over numbers that become the names of rows: Epoch over 10 and 20.
    corner = head[place] if all(is_number(head[j]) for j in numbers) else ""
    first = (*(head[j] for j in names), corner, *metrics)
    turned = [Row(rows[0].line, first, first)]
    for block in _list_blocks(body, place, names):
        some, blank = next(iter(block.values())), Row(0, ("",) * len(head), ("",) * len(head))
        found = [block.get(metric, blank) for metric in metrics]
        for j in numbers:
            named = (*(some.plain[n] for n in names), head[j])
            cells = (*named, *(row.cells[j] for row in found))
            plain = (*named, *(row.plain[j] for row in found))
            turned.append(Row(some.line, cells, plain))
    return turned


def _list_numbers(head: Sequence[str], body: Sequence[Row], place: int, parse: Parse) -> list[int]:
    """Return the columns of numbers behind that of the metrics."""
    headed = [j for j in range(place + 1, len(head)) if head[j]]
    found = [j for j in headed if any(is_number(row.plain[j]) for row in body)]
    # Of "key, value, step", only one column holds the numbers.
    return [j for j in found if parse(head[j], None).role == "value"] or found


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
