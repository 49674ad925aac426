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
"""What a cell says, in lower case, for all relations."""


def name_relations(reading: Reading, user: Address, tables: Tables) -> Reading:
    """Name the relation of each row where most cells of a column are relations of the dataset."""
    entries, rows = reading.entries, reading.rows
    datasets = {user.dataset or context.dataset for context in entries.contexts}
    dataset = datasets.pop() if len(datasets) == 1 else None
    if dataset is None:
        return reading
    others = {head.column for head in entries.heads}
    first = [rows[row] for row in dict.fromkeys(entries.rows[:_FEW].tolist())]
    for column in (column for column in reading.columns if column not in others):
        if not _find_relations((_name(row.get(column) or "") for row in first), dataset, tables):
            continue
        whole = reading.cells(column)
        cells = [_name(whole[row]) for row in entries.rows.tolist()]
        found = _find_relations(cells, dataset, tables)
        if found:
            own = []
            for entry, cell in zip(entries, cells, strict=True):
                context = _add_relation(entry.context, cell, found, reading, column)
                own.append(entry._replace(context=context))
            return replace(reading, entries=make_entries(own))
    return reading


def _name(cell: str) -> str:
    """Return what a cell names: of the keys on the way to a number, the last."""
    return cell.rpartition(" / ")[2]


def _find_relations(cells: Iterable[str], dataset: str, tables: Tables) -> set[str]:
    """Return the relations of a dataset among cells, in any spelling.

    Return none unless most of the cells that name something are relations.
    """
    names = {cell for cell in cells if cell and cell.lower() not in ALL}
    likely = {name for name in names if not _NO_RELATION.match(name)}
    if 2 * len(likely) <= len(names):
        return set()
    try:
        known = tables.relations(tables.resolve_dataset(dataset))
    except UnknownNameError:
        return set()
    found = {name for name in likely if match_relations([name], known)}
    return found if 2 * len(found) > len(names) else set()


def _add_relation(
    context: Address, cell: str, found: Collection[str], reading: Reading, column: str
) -> Address:
    """Return a context with the relation of its row.

    If the row has none, add a question about its tasks.
    """
    if context.relations or cell.lower() in ALL or (not cell and reading.of_objects):
        return context
    if cell in found:  # what it is called, and what heads it, is about the relation
        about = {"aggregation", "relations"}
        others = [ask for ask in context.questions if ask.text != cell and ask.place != CORNER]
        questions = tuple(ask for ask in others if ask.field not in about)
        return replace(context, relations=(cell,), questions=questions)
    text = (_NOT_ONE if cell else _NO_CELL).format(column)
    question = Question("relations", text, cell.lower(), "its row" if cell else "")
    others = [ask for ask in context.questions if ask.word != question.word or not cell]
    return replace(context, questions=(*others, question))
