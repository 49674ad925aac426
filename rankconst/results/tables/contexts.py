"""What headings, cells and texts say of the rows of a table.

It is settled once for all rows that say the same. Where a metric comes again, with a split, side or
protocol that this one lacks, that is asked about.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.mentions import list_spellings
from rankconst.catalogue.protocols import RANK_TYPES, is_filtered
from rankconst.catalogue.suites import is_mean
from rankconst.catalogue.tools import is_tool
from rankconst.evaluation import NAMES, Address, Question
from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, combine, encode
from rankconst.results.gate import Text, gather, list_ways, name_graph
from rankconst.results.labels import (
    FILE_ENDINGS,
    Label,
    answer,
    doubt,
    name_model,
    read_label,
    weaken,
)
from rankconst.results.relations import ALL
from rankconst.results.tables.cells import is_blank, is_missing, is_number
from rankconst.results.tables.layout import (
    ASKING,
    COUNTS,
    FEW,
    OF_RELATIONS,
    find_asking,
    find_flag,
    fits_cells,
)
from rankconst.results.vocabulary import (
    OTHER_SCRIPTS,
    REMEDIES,
    Word,
    list_flags,
    list_foreign,
    list_lexicon,
    list_measures,
    list_values,
)

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from numpy.typing import NDArray

    from rankconst.results.reading import Entries
    from rankconst.results.tables.layout import Layout

    Places = NDArray[np.intp]


ENDS = {"h", "t", "s", "o"}
"""Head, tail, subject, object, as a letter alone may be short for."""

_ROW = "its row"
_OF_ROWS = {"part", "graph", "protocol"}
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T_]\d\d")
_DECLARED = (*NAMES, "version")
_FACTS = (*COUNTS, "relations", "rank_type", "tool")


class CellTexts(NamedTuple):
    """What a cell says."""

    texts: tuple[Text, ...] = ()
    facts: tuple[tuple[str, Any], ...] = ()


_NOTHING = CellTexts()


def declare(role: str, cell: str) -> Label:
    """Return what a cell in the column of a role declares.

    A dataset whose name has more in it than a known one is a dataset of its own.
    """
    label = read_label(f"v{cell}" if role == "version" and cell.isdigit() else cell)
    # In a column of datasets or splits, too.
    if role == "version" or (label.version and not label.graphs):
        return label
    if role != "dataset":
        return label if role in label.values else Label(cell, values={role: (cell,)}, whole=True)
    if cell.endswith(FILE_ENDINGS):  # a script
        return Label(cell)
    if is_mean(cell):  # not that of both sides
        return Label(cell, graphs=(cell,), whole=True)
    if label.whole and label.graphs:
        return label
    is_known = bool(label.graphs) and squash(label.graphs[0]) == squash(cell)
    graph = label.graphs[0] if is_known else cell
    return replace(label, text=cell, graphs=(graph,), whole=True)


def _holds_counts(cells: Cells) -> bool:
    """Tell whether a number of a column is neither 0 nor 1: then the cells are not flags."""
    return any(is_number(cell) and cell not in list_flags() for cell in cells.distinct[:FEW])


def _holds_ends(cells: Cells) -> bool:
    """Tell whether all cells of a column are letters that sides are short for: h and t, s and o."""
    some = cells.distinct[:FEW]
    return all(is_blank(cell) or {*cell.lower().split("+")} <= ENDS for cell in some)


# What the cells of each row say.


class RowTexts(NamedTuple):
    """What the cells of each row, and the rows above that name it, say."""

    codes: Places  # of each row
    about: Sequence[tuple[CellTexts, tuple[Text, ...]]]  # the distinct ones


def form_address(
    about: CellTexts, texts: tuple[Text, ...], questions: tuple[Question, ...]
) -> Address:
    """Return what cells, the texts of their numbers and further questions say together."""
    declarations = gather(texts)
    fields: dict[str, Any] = {**declarations.declared, **dict(about.facts)}
    further = (ask for ask in questions if ask.field not in declarations.declared)
    headings = (text for text in texts if text.scope == "column")
    conflicts = tuple(_find_conflicts((*about.texts, *headings)))
    fields |= dict.fromkeys(ask.field for ask in conflicts)  # the user says which
    asked = (*declarations.questions, *further, *conflicts)
    return Address(**fields, suites=declarations.suites, questions=asked)


def _find_conflicts(texts: Iterable[Text]) -> Iterator[Question]:
    """Yield a question about each field of which a row and its heading declare several values."""
    declared = [text.label.declared for text in texts]
    for name in NAMES:
        values = {name_graph(each[name]): each[name] for each in declared if name in each}
        values = {key: value for key, value in values.items() if not is_mean(value)}
        if "raw" not in values:  # what is time-aware is filtered, too
            values.pop("filtered", None)
        if len(values) > 1:
            listed = tuple(values.values())
            conflict = f"its row or heading says {name} {' and '.join(listed)}"
            remedy = list_ways(name, listed)
            choices = listed if name == "dataset" else ()
            yield Question(name, conflict, option=remedy, choices=choices)


def read_rows(layout: Layout, groups: tuple[Places, list[tuple[Text, ...]]]) -> RowTexts:
    """Return what the cells of each row say: first the roles, then the names, then the others."""
    heading, cells, roles = layout.heading, layout.cells, layout.roles
    ways: dict[int, Callable[[str], CellTexts]] = {}
    for role in (*_DECLARED, *_FACTS):
        if role in roles:
            ways[roles[role]] = partial(_read_role, role, find_flag(heading, roles[role]))
    if "model" in roles:
        ways[roles["model"]] = _read_name
    for j in layout.free:
        ways[j] = _read_name if j == layout.names else _choose_way(layout, j)
    group_of, above = groups
    codes = np.maximum(group_of, 0)
    columns = []
    for j, way in ways.items():
        own, found = _read_column(cells[j], way)
        if len(found) > 1:
            columns.append((own, found))
            codes = combine(codes, own, len(found))
    _, firsts, codes = np.unique(codes, return_index=True, return_inverse=True)
    joined = []
    for row in firsts.tolist():
        said = [found[own[row]] for own, found in columns]
        texts = tuple(text for each in said for text in each.texts)
        facts = tuple(fact for each in said for fact in each.facts)
        joined.append((CellTexts(texts, facts), above[max(group_of[row], 0)]))
    return RowTexts(codes, joined)


def _choose_way(layout: Layout, j: int) -> Callable[[str], CellTexts]:
    """Return how the cells of a column without a role of its own are read."""
    heading, cells, role = layout.heading, layout.cells[j], layout.heading.roles[j]
    telling, asking = find_flag(heading, j), find_asking(heading, j)
    # A second column of it.
    if role in _DECLARED and role in layout.roles and fits_cells(role, cells):
        return partial(_read_role, role, None)
    if role in {"model", "tool"}:
        return _read_name
    if telling is not None:
        return partial(_read_below if _holds_counts(cells) else _read_flag, telling)
    if asking is not None:
        return partial(_read_below, asking)
    return _read_end if _holds_ends(cells) else _read_remark


def _read_column(cells: Cells, read: Callable[[str], CellTexts]) -> tuple[Places, list[CellTexts]]:
    """Return for each row a number of what its cell says; 0 is nothing."""
    found = [_NOTHING]
    is_free = read in {_read_name, _read_remark}
    chosen = cells.select(FEW, screen) if is_free else enumerate(cells.distinct)
    number_of = np.zeros(int(cells.codes.max(initial=-1)) + 1, dtype=np.intp)
    for place, cell in chosen:
        about = read(cell)
        if about != _NOTHING:
            number_of[place] = len(found)
            found.append(about)
    return number_of[cells.codes], found


def _read_role(role: str, over: Label | None, cell: str) -> CellTexts:
    """Read a cell of a column with a role; what is over it may be affirmed or denied."""
    answered = None if over is None else answer(over, cell)
    if answered is not None:
        return CellTexts((Text(answered, "row", _ROW),))
    if is_missing(cell) or (role == "relations" and cell.lower() in ALL):
        return _NOTHING
    if role in _DECLARED:
        return CellTexts((Text(declare(role, cell), "row", _ROW),))
    if role == "tool":  # its name is not a protocol; that of a repository is read as a model's is
        texts = () if is_tool(cell) else _read_name(cell).texts
        return CellTexts(texts, ((role, cell),))
    fact: Any = read_count(cell)
    if role == "relations":
        fact = (cell,)
    elif role == "rank_type":
        known = RANK_TYPES.get(cell.lower(), cell.lower())
        fact = read_label(cell).values.get(role, (known,))[0]
    return CellTexts(facts=((role, fact),))


def _read_name(cell: str) -> CellTexts:
    """Read the name of a row, which may say anything."""
    if is_blank(cell):
        return _NOTHING
    label = name_model(read_label(cell))
    if squash(cell) in OF_RELATIONS:  # below "Prediction", next to entities
        label = replace(label, words=(Word(cell.lower(), "side", says="relation"),))
    is_statistic = label.metric is not None and label.whole
    return CellTexts((Text(label, "name", _ROW),)) if label.tells or is_statistic else _NOTHING


def _read_remark(cell: str) -> CellTexts:
    """Read a cell below an unknown heading, which may say anything."""
    label = read_label(cell)
    return _NOTHING if is_blank(cell) or not label.tells else CellTexts((Text(label, "row", _ROW),))


def _read_flag(telling: Label, cell: str) -> CellTexts:
    """Read a cell that may affirm or deny what is above it."""
    answered = answer(telling, cell)
    if answered is not None:
        return CellTexts((Text(answered, "row", _ROW),))
    # How many test triples there are says nothing of a split.
    if is_number(cell) or not telling.values:
        return _read_below(telling, cell)
    if is_blank(cell):
        return _NOTHING
    return CellTexts((*_read_remark(cell).texts, Text(doubt(telling), "row", _ROW)))


def _read_end(cell: str) -> CellTexts:
    """Read a cell that may be short for a side."""
    if is_blank(cell):
        return _NOTHING
    label = Label(cell, words=(Word(cell.lower(), "side"),))
    return CellTexts((Text(label, "row", _ROW),))


def _read_below(over: Label, cell: str) -> CellTexts:
    """Read a cell below words that ask about its row: 100 negatives."""
    if is_blank(cell):
        return _NOTHING
    texts = () if is_number(cell) else _read_remark(cell).texts
    if any(text.label.declared for text in texts):  # a subset called validation
        return CellTexts(texts)
    return CellTexts((*ask_over(over, cell, "a column"), *texts))


def ask_over(over: Label, cell: str, place: str) -> tuple[Text, ...]:
    """Return what the words over a cell, or the key of a value, leave to be asked about it.

    A cell may answer what is over it: "filter" over "raw" asks nothing, "subset" over "head" does.
    """
    if _TIME.match(cell):  # when a program ran
        return ()
    if is_number(cell):  # a raw MRR is that of others
        fields = _OF_ROWS - over.values.keys()
    else:
        fields = ASKING - read_label(cell).declared.keys()
    words = tuple(word for word in over.words if word.field in fields and "column" in word.scopes)
    return (Text(Label(over.text, words=words), "row", place),) if words else ()


def screen(texts: Any) -> Any:
    """Return which texts of an Arrow array may say something: all that do, and some more."""
    import pyarrow.compute as pc

    lower = pc.utf8_lower(texts)
    names, words = _list_patterns()
    found = pc.match_substring_regex(pc.replace_substring_regex(lower, "[^a-z0-9]+", ""), names)
    return pc.or_(found, pc.match_substring_regex(lower, words))


def screen_measures(texts: Any) -> Any:
    """Return which texts of an Arrow array may name a metric: all that do, and some more."""
    import pyarrow.compute as pc

    plain = pc.replace_substring_regex(pc.utf8_lower(texts), "[^a-z0-9]+", "")
    return pc.match_substring_regex(plain, _list_measures())


@cache
def _list_measures() -> str:
    """Return a pattern of the names of metrics without punctuation."""
    names = {re.sub("atk?$", "", name) for name in list_measures()}
    words = sorted(name for name in names if len(name) > 1)
    # A letter alone, as in H@10, needs its k; a unit may be between them.
    letters = "".join(sorted(names - set(words)))
    return "|".join((*words, f"[{letters}](?:at|k|in|x100)*[0-9]"))


@cache
def _list_patterns() -> tuple[str, str]:
    """Return patterns of the names and values without punctuation, and of the lexicon."""
    names = {*list_spellings(), *list_values()}
    apart = r"[\s_\x{2010}-\x{2013}-]+"
    spelt = [re.escape(word).replace(r"\-", apart) for word in list_lexicon()]
    # Queries, what points from one side to the other, amounts, shares, other languages,
    # and letters that look like Latin ones.
    signs = [re.escape(sign) for sign in "?→⟶➔⇒=+%"]
    amounts = (r"\bvs\b", r"\bneg|neg\b", r"\b(?:among|against|versus|first)\b")
    others = (*list_foreign(), "[à-öø-ÿ]", rf"[{OTHER_SCRIPTS}]")
    alike = r"[\x{ad}\x{370}-\x{4ff}\x{200b}-\x{2060}\x{fb00}-\x{fb06}]"
    variants = r"[\x{ff21}-\x{ff5a}\x{1d400}-\x{1d7ff}]"
    words = (*spelt, *signs, *amounts, *others, alike, variants)
    return "|".join(sorted(filter(None, names))), "|".join(sorted(words))


def find_groups(
    cells: Sequence[Cells],
    numbers: Sequence[int],
    is_empty: NDArray[np.bool_],
    spanning: frozenset[int],
) -> tuple[Places, list[tuple[Text, ...]]]:
    """Label each row with the empty rows above it: 0 for none, -1 for these rows themselves."""
    group_of = np.zeros(len(is_empty), dtype=np.intp)
    groups: list[tuple[Text, ...]] = [()]
    below: list[Text] = []
    last = int(np.flatnonzero(~is_empty).max(initial=-1))
    for row in np.flatnonzero(is_empty).tolist():
        filled = {j: own[row] for j, own in enumerate(cells) if not is_blank(own[row])}
        if len({*filled.values()}) != 1:
            continue
        first, name = next(iter(filled.items()))
        is_beside = first > min(numbers, default=0) and first not in numbers
        if is_beside and len(filled) == 1 and row not in spanning:
            continue
        label = read_label(name)
        if row > last and label.words and not label.graphs:
            below.append(Text(weaken(label), "text", "a row below"))
            continue
        # What the rows before said may or may not hold on: its words are asked about.
        kept = []
        if label.values or label.words or not label.graphs:
            kept = [text._replace(label=weaken(text.label)) for text in groups[-1]]
        group_of[row] = -1
        group_of[row + 1 :] = len(groups)
        groups.append((Text(label, "row", "a row above"), *kept[:2]))
    return group_of, [(*group, *below) for group in groups]


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
# What is assumed of a number where the file says nothing.
_ASSUMED = {"split": "test", "side": "both", "protocol": "filtered"}


def ask_again(
    entries: Entries,
    evaluations: Places,
    *,
    apart: Mapping[str, Hashable] = MappingProxyType({}),
    filtered: Collection[str] = (),
) -> Entries:
    """Ask about numbers whose evaluation has their metric again, with a field that they lack.

    The whole column is asked about, where some rows lack the other number. `apart` has what
    else tells columns apart; those of `filtered` count as filtered, whatever their texts say.
    """
    contexts = entries.contexts
    names = [name for name in _ASSUMED if any(getattr(each, name) is not None for each in contexts)]
    if not any(_lacks(each, name) for each in contexts for name in names) and not filtered:
        return entries
    group = _number_groups(entries, evaluations, apart)
    columns, _ = encode((head.metric, head.column) for head in entries.heads)
    column_of = columns[entries.head_of]
    in_filtered = np.array([head.column in filtered for head in entries.heads], dtype=np.bool_)
    for name in _ASSUMED:
        declares = [getattr(each, name) is not None for each in entries.contexts]
        lacks = [_lacks(each, name) for each in entries.contexts]
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
    tasks, distinct = encode(_settle(each) for each in entries.contexts)
    group = combine(group, metrics[entries.head_of], len(heads))
    return combine(group, tasks[entries.context_of], len(distinct))


def _settle(context: Address) -> tuple[Hashable, ...]:
    """Return the ranking tasks of a number, if what it does not say is what is assumed."""
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
    return replace(entries, contexts=contexts, context_of=context_of)
