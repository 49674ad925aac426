"""Rows of single relations: a column that holds nothing but relations says of which one each row is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.errors import UnknownNameError
from rankconst.evaluation import Question, Stated, match_relations
from rankconst.results.gate import CORNER
from rankconst.results.reading import Entries, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.tables.tables import Tables


_FEW = 50
# Most names of models begin with a capital, and looking up relations takes time.
# Names of relations may be numbers, but 20% is none of them.
_NO_RELATION = re.compile(r"[A-OQ-Z]|P(?!\d+$)|[\W\d_]*+$")
_NO_CELL = "its cell in column {} is empty, where others name relations: write the relation, or all for all of them."


def are_relations(cells: Iterable[str | None], dataset: str, tables: Tables) -> bool:
    """Tell whether cells name relations of a dataset, given in any spelling, and nothing else."""
    names = list(dict.fromkeys(filter(None, cells)))
    if not names or any(map(_NO_RELATION.match, names)):
        return False
    try:
        return bool(match_relations(names, tables.relations(tables.resolve_dataset(dataset))))
    except UnknownNameError:
        return False


def name_relations(reading: Reading, user: Stated, tables: Tables) -> Reading:
    """Say of which relation each row is where a column holds nothing but relations of the dataset."""
    entries, rows = reading.entries, reading.rows
    dataset, *more = {user.dataset} if user.dataset else {context.dataset for context in entries.contexts} or {None}
    if dataset is None or more:
        return reading
    others = {head.column for head in entries.heads}
    first = [rows[row] for row in dict.fromkeys(entries.rows[:_FEW].tolist())]
    for column in (column for column in reading.columns if column not in others):
        if not are_relations((row.get(column) for row in first), dataset, tables):
            continue
        whole = reading.cells(column)
        cells = [whole[row] for row in entries.rows.tolist()]
        if are_relations(cells, dataset, tables):
            lack = "" if reading.of_objects else _NO_CELL.format(column)
            own = (
                entry._replace(context=_add_relation(entry.context, cell, lack))
                for entry, cell in zip(entries, cells, strict=True)
            )
            return replace(reading, entries=Entries(own))
    return reading


def _add_relation(context: Stated, cell: str, lack: str) -> Stated:
    """Return a context with the relation of its row; if there is none, with why its tasks are unclear."""
    if context.relations:
        return context
    if cell:  # what its name may say, and what heads it, is of the relation
        asks = tuple(ask for ask in context.asks if ask.text != cell and ask.place != CORNER)
        return replace(context, relations=(cell,), asks=asks)
    return replace(context, asks=(*context.asks, Question("relations", lack)))
