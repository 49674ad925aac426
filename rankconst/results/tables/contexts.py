"""What headings, cells and texts say of rows, settled once for all rows that say the same."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.protocols import RANK_TYPES
from rankconst.catalogue.suites import is_mean
from rankconst.catalogue.tools import is_tool
from rankconst.evaluation import NAMES, Address, Question
from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, combine, number_firsts
from rankconst.results.gate import Text, gather, list_ways, name_graph
from rankconst.results.labels import (
    FILE_ENDINGS,
    Label,
    answer,
    ask_alone,
    doubt,
    name_model,
    read_label,
    weaken,
)
from rankconst.results.relations import ALL
from rankconst.results.screens import screen
from rankconst.results.tables.cells import is_blank, is_missing, is_number
from rankconst.results.tables.layout import (
    ASKING,
    COUNTS,
    FEW,
    OF_RELATIONS,
    find_asking,
    find_flag,
    fits_cells,
    is_lone,
)
from rankconst.results.vocabulary import EVERYWHERE, Word, list_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

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


def _say(*labels: Label) -> CellTexts:
    """Return what a cell says in labels."""
    return CellTexts(tuple(Text(label, "row", _ROW) for label in labels))


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
    firsts, codes = number_firsts(codes)
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
    codes, distinct = cells.select(FEW, screen) if is_free else (cells.codes, cells.distinct)
    number_of = np.zeros(len(distinct), dtype=np.intp)
    for place, cell in enumerate(distinct):
        about = read(cell)
        if about != _NOTHING:
            number_of[place] = len(found)
            found.append(about)
    return number_of[codes], found


def _read_role(role: str, flag: Label | None, cell: str) -> CellTexts:
    """Read a cell of a column with a role, which may say yes or no to its heading, a flag."""
    answered = None if flag is None else answer(flag, cell)
    if answered is not None:
        return _say(answered)
    if is_missing(cell) or (role == "relations" and cell.lower() in ALL):
        return _NOTHING
    if role in _DECLARED:
        return _say(declare(role, cell))
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
    return _say(label) if label.tells and not is_blank(cell) else _NOTHING


def _read_flag(flag: Label, cell: str) -> CellTexts:
    """Read a cell that may say yes or no to its heading."""
    answered = answer(flag, cell)
    if answered is not None:
        return _say(ask_alone(answered, "row") if answered is flag else answered)
    # How many test triples there are says nothing of a split.
    if is_number(cell) or not flag.values:
        return _read_below(flag, cell)
    if is_blank(cell):
        return _NOTHING
    return CellTexts((*_read_remark(cell).texts, *_say(doubt(flag)).texts))


def _read_end(cell: str) -> CellTexts:
    """Read a cell that may be short for a side."""
    return _NOTHING if is_blank(cell) else _say(Label(cell, words=(Word(cell.lower(), "side"),)))


def _read_below(heading: Label, cell: str) -> CellTexts:
    """Read a cell below words that ask about its row: 100 negatives."""
    if is_blank(cell):
        return _NOTHING
    texts = () if is_number(cell) else _read_remark(cell).texts
    if any(text.label.declared for text in texts):  # a subset called validation
        return CellTexts(texts)
    return CellTexts((*ask_about_heading(heading, cell, "a column"), *texts))


def ask_about_heading(heading: Label, cell: str, place: str) -> tuple[Text, ...]:
    """Return the words of a heading, or of a key, that its cell leaves to be asked about.

    A cell may answer its heading: "filter" over "raw" asks nothing, "subset" over "head" does.
    """
    if _TIME.match(cell):  # when a program ran
        return ()
    if is_number(cell):  # a raw MRR is that of others
        fields = _OF_ROWS - heading.values.keys()
    else:
        fields = ASKING - read_label(cell).declared.keys()
    words = tuple(
        word if "row" in word.scopes else replace(word, scopes=EVERYWHERE)
        for word in heading.words
        if (word.field in fields and "column" in word.scopes) or is_lone(heading, word)
    )
    return (Text(Label(heading.text, words=words), "row", place),) if words else ()


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
        name = _name_group([own[row] for own in cells], numbers, is_spanning=row in spanning)
        if not name:
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


def _name_group(cells: Sequence[str], numbers: Sequence[int], *, is_spanning: bool) -> str:
    """Return the only text of a row without numbers; nothing if it is about its column alone."""
    filled = [j for j, cell in enumerate(cells) if not is_blank(cell)]
    if len({cells[j] for j in filled}) != 1:
        return ""
    is_behind = filled[0] > min(numbers, default=0) and filled[0] not in numbers
    return "" if is_behind and len(filled) == 1 and not is_spanning else cells[filled[0]]
