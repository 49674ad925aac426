"""Rows of single relations, in tables where most cells of a column are relations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.errors import UnknownNameError
from rankconst.evaluation import Address, Question, match_relations
from rankconst.results.gate import CORNER
from rankconst.results.reading import Reading, make_entries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from rankconst.tables.archive import Tables


_FEW = 50
# Most names of models begin with a capital: looking all of them up would take time. A relation may
# be called by a number, but not 20%.
_NO_RELATION = re.compile(r"[A-OQ-Z]|P(?!\d+$)|[\W\d_]*+$")
_NO_CELL = (
    "its cell in column {} is empty, where others name relations: "
    "write the relation, or all for all of them."
)
_NOT_ONE = "not a relation of its dataset, as other cells of column {} are"

ALL = {"all", "overall", "total", "average", "avg", "mean", "micro", "macro"}
"""Words for all relations in a cell, in lower case."""


def name_relations(reading: Reading, user: Address, tables: Tables) -> Reading:
    """Name the relation of each row where most cells of a column are relations of the dataset."""
    entries, rows = reading.entries, reading.rows
    datasets = {user.dataset or context.dataset for context in entries.contexts}
    dataset = datasets.pop() if len(datasets) == 1 else None
    if dataset is None:
        return reading
    measured = {head.column for head in entries.heads}
    first_rows = [rows[row] for row in dict.fromkeys(entries.rows[:_FEW].tolist())]
    for column in reading.columns:
        first_cells = [_name(row.get(column) or "") for row in first_rows]
        if column in measured or not _find_relations(first_cells, dataset, tables):
            continue
        all_cells = reading.cells(column)
        cells = [_name(all_cells[row]) for row in entries.rows.tolist()]
        relations = _find_relations(cells, dataset, tables)
        if relations:
            labelled = []
            for entry, cell in zip(entries, cells, strict=True):
                context = _add_relation(entry.context, cell, relations, reading, column)
                labelled.append(entry._replace(context=context))
            return replace(reading, entries=make_entries(labelled))
    return reading


def _name(cell: str) -> str:
    """Return the name in a cell: of the keys on the way to a number, the last."""
    return cell.rpartition(" / ")[2]


def _find_relations(cells: Iterable[str], dataset: str, tables: Tables) -> set[str]:
    """Find the relations of a dataset among cells, in any spelling; none unless most are."""
    names = {cell for cell in cells if cell and cell.lower() not in ALL}
    likely = {name for name in names if not _NO_RELATION.match(name)}
    if 2 * len(likely) <= len(names):
        return set()
    try:
        known = tables.relations(tables.resolve_dataset(dataset))
    except UnknownNameError:
        return set()
    relations = {name for name in likely if match_relations([name], known)}
    return relations if 2 * len(relations) > len(names) else set()


def _add_relation(
    context: Address, cell: str, relations: Collection[str], reading: Reading, column: str
) -> Address:
    """Add the relation of its row to a context; ask about the tasks if the row has none."""
    if context.relations or cell.lower() in ALL or (not cell and reading.of_objects):
        return context
    if cell in relations:  # its name and the heading above are about the relation
        answered = {"aggregation", "relations"}
        others = [ask for ask in context.questions if ask.text != cell and ask.place != CORNER]
        questions = tuple(ask for ask in others if ask.field not in answered)
        return replace(context, relations=(cell,), questions=questions)
    text = (_NOT_ONE if cell else _NO_CELL).format(column)
    question = Question("relations", text, cell.lower(), "its row" if cell else "")
    others = [ask for ask in context.questions if ask.word != question.word or not cell]
    return replace(context, questions=(*others, question))
