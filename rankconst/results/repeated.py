"""Questions about numbers without a split, side or protocol beside one of their metric with it."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.protocols import is_filtered
from rankconst.evaluation import Address, Question
from rankconst.names import squash
from rankconst.results.columns import combine, encode
from rankconst.results.vocabulary import REMEDIES

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from numpy.typing import NDArray

    from rankconst.results.reading import Entries

    Places = NDArray[np.intp]

TWICE = Question(
    "part",
    "the same metric is in several columns, and nothing in their headings tells them apart",
    "twice",
    option="a name to each heading",
)
"""The question about a metric that comes again without another name."""

_UNFILTERED = Question(
    "protocol",
    "the same metric is there as filtered, too, so this one may be raw",
    option="--protocol raw",
)
# The values that are assumed of a number where the file names none.
_ASSUMED = {"split": "test", "side": "both", "protocol": "filtered"}


def ask_about_repeated(
    entries: Entries,
    evaluations: Places,
    *,
    apart: Mapping[str, Hashable] = MappingProxyType({}),
    filtered: Collection[str] = (),
) -> Entries:
    """Ask about numbers whose evaluation has their metric again, with a field that they lack.

    Parameters
    ----------
    entries
        The numbers of a table or a log.
    evaluations
        The evaluation that each number is of, such as its row.
    apart
        Column to the words of its heading that tell it from others of its metric.
    filtered
        The columns whose numbers are filtered, whatever their texts say.

    Returns
    -------
    Entries
        The numbers, with a question about the whole column where one of it has another number.
    """
    contexts = entries.contexts
    declared = {
        name for name in _ASSUMED for context in contexts if getattr(context, name) is not None
    }
    if not filtered and not any(_lacks(context, name) for context in contexts for name in declared):
        return entries
    group = _number_groups(entries, evaluations, apart)
    columns, _ = encode((head.metric, head.column) for head in entries.heads)
    column_of = columns[entries.head_of]
    in_filtered = np.array([head.column in filtered for head in entries.heads], dtype=np.bool_)
    for name in _ASSUMED:
        declares = [getattr(context, name) is not None for context in entries.contexts]
        lacks = [_lacks(context, name) for context in entries.contexts]
        is_declared = np.array(declares, dtype=np.bool_)[entries.context_of]
        if name == "protocol":
            is_declared |= in_filtered[entries.head_of]
        is_open = np.array(lacks, dtype=np.bool_)[entries.context_of] & ~is_declared
        is_again = is_open & np.isin(group, group[is_declared])
        entries = _ask(entries, is_open & np.isin(column_of, column_of[is_again]), name)
    return entries


def _number_groups(entries: Entries, evaluations: Places, apart: Mapping[str, Hashable]) -> Places:
    """Give each entry a number for its metric, its evaluation and its ranking tasks together."""
    _, group = np.unique(evaluations, return_inverse=True)
    metrics, heads = encode(
        (head.metric, head.adjustment, apart.get(head.column)) for head in entries.heads
    )
    tasks, distinct = encode(_settle(context) for context in entries.contexts)
    group = combine(group, metrics[entries.head_of], len(heads))
    return combine(group, tasks[entries.context_of], len(distinct))


def _settle(context: Address) -> tuple[Hashable, ...]:
    """Return the ranking tasks of a number, with the assumed values where it names none."""
    settled: dict[str, str | None] = dict(_ASSUMED)
    for name in _ASSUMED:
        value = getattr(context, name)
        if value is not None and not (name == "protocol" and is_filtered(value)):
            settled[name] = value
    dataset = None if context.dataset is None else squash(context.dataset)
    others = (context.aggregation, context.rank_type, context.relations)
    return (dataset, *settled.values(), *others)


def _lacks(context: Address, name: str) -> bool:
    """Tell whether a field is neither declared nor asked about."""
    return getattr(context, name) is None and all(ask.field != name for ask in context.questions)


def _ask(entries: Entries, asked: NDArray[np.bool_], name: str) -> Entries:
    """Add the question about a field to some numbers."""
    if not asked.any():
        return entries
    question = _UNFILTERED
    if name != "protocol":
        text = f"the same metric is there with {name} {_ASSUMED[name]}, too, so this one may be of "
        question = Question(name, f"{text}another {name}", option=REMEDIES[name])
    distinct, code_of = np.unique(entries.context_of[asked], return_inverse=True)
    contexts = list(entries.contexts)
    for place in distinct.tolist():
        context = contexts[place]
        contexts.append(replace(context, questions=(*context.questions, question)))
    context_of = entries.context_of.copy()
    context_of[asked] = len(entries.contexts) + code_of
    return entries.readdress(contexts, context_of)
