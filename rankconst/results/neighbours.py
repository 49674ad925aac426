"""Read what the numbers around one tell of it: that its row is of a relation, or what it lacks.

A cell names a relation where most cells of its column do. A number without a split, side or
protocol is asked about where its metric is there again with it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.protocols import is_filtered
from rankconst.errors import UnknownNameError
from rankconst.evaluation import Address, Question, match_relations
from rankconst.names import squash
from rankconst.results.columns import factorize, pair_codes
from rankconst.results.gate import CORNER
from rankconst.results.reading import Reading, make_entries
from rankconst.results.vocabulary import REMEDIES

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping

    from rankconst.results.columns import Flags, Indices
    from rankconst.results.reading import Entries
    from rankconst.tables.archive import Tables


# Relations in a column.

_FIRST_ROWS = 50  # rows that are looked at first
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
    """Restrict numbers to the relation that a column of the file names in their row.

    It is the first column of which most cells are relations of the dataset. With several datasets,
    nothing changes.
    """
    entries, rows = reading.entries, reading.rows
    # What the user says goes before what the file says.
    datasets = {user.dataset or context.dataset for context in entries.contexts}
    dataset = datasets.pop() if len(datasets) == 1 else None
    if dataset is None:
        return reading

    measured = {head.column for head in entries.heads}
    # Most columns are ruled out by their first cells, before all are read.
    first_rows = [rows[row] for row in dict.fromkeys(entries.rows[:_FIRST_ROWS].tolist())]
    for column in reading.columns:
        first_cells = [_take_last_name(row.get(column) or "") for row in first_rows]
        if column in measured or not _find_relations(first_cells, dataset, tables):
            continue
        all_cells = reading.cells(column)
        cells = [_take_last_name(all_cells[row]) for row in entries.rows.tolist()]
        relations = _find_relations(cells, dataset, tables)
        if relations:
            labelled = []
            for entry, cell in zip(entries, cells, strict=True):
                context = _add_relation(entry.context, cell, relations, reading, column)
                labelled.append(entry._replace(context=context))
            return replace(reading, entries=make_entries(labelled))

    return reading


def _take_last_name(cell: str) -> str:
    """Return the name in a cell, or the last of names joined by slashes: "test / embassy"."""
    return cell.rpartition(" / ")[2]


def _find_relations(cells: Iterable[str], dataset: str, tables: Tables) -> set[str]:
    """Return the cells that are relations of a dataset, in any spelling, if most of them are."""
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
    """Return the address of a number with the relation in `cell`, or with a question about it."""
    # In a file of objects, an empty cell is a key that the object does not have.
    is_absent = not cell and reading.of_objects
    if context.relations or cell.lower() in ALL or is_absent:
        return context

    if cell in relations:  # its name and the heading above are about the relation
        answered = {"aggregation", "relations"}
        others = [ask for ask in context.questions if ask.text != cell and ask.place != CORNER]
        questions = tuple(ask for ask in others if ask.field not in answered)
        return replace(context, relations=(cell,), questions=questions)

    reason, place = (_NOT_ONE, "its row") if cell else (_NO_CELL, "")
    question = Question("relations", reason.format(column), cell.lower(), place)
    # The new question about the word replaces others about it.
    others = [ask for ask in context.questions if ask.word != question.word or not cell]
    return replace(context, questions=(*others, question))


# A metric that comes twice.

TWICE = Question(
    "part",
    "the same metric is in several columns, and nothing in their headings tells them apart",
    "twice",
    option="a name to each heading",
)
"""The question about a metric that comes again without another name."""

_ASK_UNFILTERED = Question(
    "protocol",
    "the same metric is there as filtered, too, so this one may be raw",
    option="--protocol raw",
)
# The values that are assumed of a number where the file names none.
_ASSUMED_VALUES = {"split": "test", "side": "both", "protocol": "filtered"}


def ask_about_repeated(
    entries: Entries,
    evaluations: Indices,
    *,
    apart: Mapping[str, Hashable] = MappingProxyType({}),
    filtered: Collection[str] = (),
) -> Entries:
    """Ask about numbers whose evaluation has their metric again, with a field that they lack.

    In a row of "MRR, MRR filtered", the first MRR may be raw. The question is about its whole
    column. Where no MRR of an evaluation has a protocol, none is asked about.

    `evaluations` has the evaluation of each number, such as its row. `apart` maps a column to the
    words of its heading that tell it from others of its metric. Numbers of the columns in
    `filtered` are filtered, whatever their texts say.
    """
    contexts = entries.contexts
    declared = {
        name for name in _ASSUMED_VALUES for context in contexts if _declares(context, name)
    }
    if not filtered and not any(_lacks(context, name) for context in contexts for name in declared):
        return entries

    group = _number_groups(entries, evaluations, apart)  # numbers that look like the same one
    columns, _ = factorize((head.metric, head.column) for head in entries.heads)
    column_of = columns[entries.head_codes]
    for name in _ASSUMED_VALUES:
        is_declared = entries.flag_contexts(partial(_declares, name=name))
        if name == "protocol":
            is_declared |= entries.flag_heads(lambda head: head.column in filtered)
        is_open = entries.flag_contexts(partial(_lacks, name=name)) & ~is_declared
        is_again = is_open & np.isin(group, group[is_declared])
        if name == "split":  # next to "valid_mrr", Hits@1 is hardly of the test set
            is_other = entries.flag_contexts(lambda context: context.split not in {None, "test"})
            is_again |= is_open & np.isin(evaluations, evaluations[is_other])
        entries = _add_question(entries, is_open & np.isin(column_of, column_of[is_again]), name)

    return entries


def _number_groups(
    entries: Entries, evaluations: Indices, apart: Mapping[str, Hashable]
) -> Indices:
    """Return a code for each number; "MRR" and "MRR test" share one, as test is assumed."""
    _, group = np.unique(evaluations, return_inverse=True)
    metrics, heads = factorize(
        (head.metric, head.adjustment, apart.get(head.column)) for head in entries.heads
    )
    tasks, distinct = factorize(_fill_assumed(context) for context in entries.contexts)
    group = pair_codes(group, metrics[entries.head_codes], len(heads))
    return pair_codes(group, tasks[entries.context_codes], len(distinct))


def _fill_assumed(context: Address) -> tuple[Hashable, ...]:
    """Return the ranking tasks of a number with assumed values; all filtered protocols are one."""
    settled: dict[str, str | None] = dict(_ASSUMED_VALUES)
    for name in _ASSUMED_VALUES:
        value = getattr(context, name)
        if value is not None and not (name == "protocol" and is_filtered(value)):
            settled[name] = value

    dataset = None if context.dataset is None else squash(context.dataset)
    others = (context.aggregation, context.rank_type, context.relations)
    return (dataset, *settled.values(), *others)


def _declares(context: Address, name: str) -> bool:
    """Tell whether an address has a field."""
    return getattr(context, name) is not None


def _lacks(context: Address, name: str) -> bool:
    """Tell whether a field is neither declared nor asked about."""
    return not _declares(context, name) and all(ask.field != name for ask in context.questions)


def _add_question(entries: Entries, asked: Flags, name: str) -> Entries:
    """Add a question about a field, such as split, to the numbers that `asked` flags."""
    if not asked.any():
        return entries

    question = _ASK_UNFILTERED
    if name != "protocol":
        text = f"a number next to it names its {name}, so this one may be of another {name}"
        question = Question(name, text, option=REMEDIES[name])

    distinct, code_of = np.unique(entries.context_codes[asked], return_inverse=True)
    contexts = list(entries.contexts)  # shared with other numbers: those with the question are new
    for place in distinct.tolist():
        context = contexts[place]
        contexts.append(replace(context, questions=(*context.questions, question)))

    context_codes = entries.context_codes.copy()
    context_codes[asked] = len(entries.contexts) + code_of
    return entries.readdress(contexts, context_codes)
