"""Read the texts and facts of each row, from its cells and the rows above, once for rows alike.

In the columns "Model, Split, Ranks", the row "TransE, valid, 300" has the text "valid", which
declares the split, and the fact that there are 300 ranks.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.literature import is_mean
from rankconst.catalogue.protocols import RANK_TYPES
from rankconst.catalogue.tools import is_tool
from rankconst.evaluation import NAMES, Address, Question
from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, compact_codes, pair_codes
from rankconst.results.gate import Text, gather, list_ways, name_graph
from rankconst.results.labels import (
    FILE_ENDINGS,
    Label,
    answer,
    ask_alone,
    doubt,
    read_label,
    weaken,
)
from rankconst.results.model_names import name_model
from rankconst.results.neighbours import ALL
from rankconst.results.tables.cells import is_blank, is_missing, is_number
from rankconst.results.tables.layout import (
    ASKING,
    COUNTS,
    FEW,
    RELATION_WORDS,
    find_asking,
    find_flag,
    fits_cells,
    is_lone,
)
from rankconst.results.vocabulary import EVERYWHERE, VOCABULARY, Word, screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rankconst.results.columns import Flags, Indices
    from rankconst.results.tables.layout import Layout


ENDS = {"h", "t", "s", "o", "→", "←", "->", "<-"}
"""Letters and signs that may be short for a side: head, tail, subject, object."""

_IN_ROW = "its row"  # the place of a text, as questions name it
# Fields of words that the number below a heading does not answer.
_OPEN_ABOVE_NUMBERS = {"part", "graph", "protocol"}
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T_]\d\d")  # when a program ran
# Roles of columns whose cells are labels, and of those whose cells are facts.
_DECLARED = ("version", *NAMES)
_OF_TASKS = {"split", "side", "protocol"}
_FACTS = (*COUNTS, "relations", "rank_type", "tool")


class CellTexts(NamedTuple):
    """The texts of one or more cells, and their facts."""

    texts: tuple[Text, ...] = ()
    # Role and value: a count, the relations, a rank type, a tool.
    facts: tuple[tuple[str, Any], ...] = ()


_NOTHING = CellTexts()


def _make_text(label: Label) -> CellTexts:
    """Return a label as the text of a cell of a row."""
    return CellTexts((Text(label, "row", _IN_ROW),))


def declare(role: str, cell: str) -> Label:
    """Read a cell below a heading such as dataset, split or protocol, its `role`, as a label."""
    spelling = f"v{cell}" if role == "version" and cell.isdigit() else cell
    label = read_label(spelling)
    # Not that of both sides.
    if role in {"dataset", "version"} and is_mean(cell):
        return Label(cell, graphs=(cell,), is_vocabulary=True)
    # In a column of datasets or splits, too.
    if role == "version" or (label.version and not label.graphs):
        return label

    if role != "dataset":
        is_of_another = label.has_word_of("task") or label.has_word_of("part")  # split: inductive
        unknown = replace(label, text=cell, values={role: (cell,)}, is_vocabulary=True)
        return label if role in label.values or is_of_another else unknown

    if cell.endswith(FILE_ENDINGS):  # a script
        return Label(cell)
    if label.is_vocabulary and label.graphs:
        return label

    is_known = bool(label.graphs) and squash(label.graphs[0]) == squash(cell)
    graph = label.graphs[0] if is_known else cell
    return replace(label, text=cell, graphs=(graph,), is_vocabulary=True)


class RowText(NamedTuple):
    """The texts and facts of a row."""

    cells: CellTexts
    above: tuple[Text, ...]  # the rows without numbers above it, which name its group


class RowTexts(NamedTuple):
    """The texts and facts of every row, those of equal rows once."""

    codes: Indices  # the place of each row in `distinct`
    distinct: Sequence[RowText]


class ColumnTexts(NamedTuple):
    """What a column says of each row, or what is above the rows; equal cells once."""

    codes: Indices  # the place of each row's cell in `distinct`
    distinct: Sequence[CellTexts]


def form_address(
    cells: CellTexts, texts: tuple[Text, ...], questions: tuple[Question, ...]
) -> Address:
    """Form the address of a number: dataset, split and so on, and what is open about them.

    `texts` are those around it, the nearest first, and `cells` has the facts of its row.
    `questions` are asked unless the texts declare their field.
    """
    declarations = gather(texts)
    counted = {"num_triples": declarations.num_triples}
    fields: dict[str, Any] = {**declarations.declared, **counted, **dict(cells.facts)}
    unanswered = (ask for ask in questions if ask.field not in declarations.declared)
    headings = (text for text in texts if text.scope == "column")
    conflicts = tuple(_find_conflicts((*cells.texts, *headings)))
    fields |= dict.fromkeys(ask.field for ask in conflicts)  # the user says which
    all_questions = (*declarations.questions, *unanswered, *conflicts)
    return Address(**fields, suites=declarations.suites, questions=all_questions)


def _find_conflicts(texts: Iterable[Text]) -> Iterator[Question]:
    """Yield a question about each field that a row and its heading declare differently."""
    declared = [text.label.declared for text in texts]
    for name in NAMES:
        values = {}
        for fields in declared:
            if name in fields and not is_mean(fields[name]):
                values[name_graph(fields[name])] = fields[name]

        if "raw" not in values:  # what is time-aware is filtered, too
            values.pop("filtered", None)

        if len(values) > 1:
            listed = tuple(values.values())
            conflict = f"its row or heading says {name} {' and '.join(listed)}"
            remedy = list_ways(name, listed)
            choices = listed if name == "dataset" else ()
            yield Question(name, conflict, option=remedy, choices=choices)


def read_rows(layout: Layout, above: Sequence[ColumnTexts]) -> RowTexts:
    """Read what each row says: the cells with a role first, then the names, then the rest.

    `above` has what notes and the rows without numbers say of each row, the nearest first. Rows
    that say the same share one item of the result. The table has at least one row.
    """
    heading, cells, roles = layout.heading, layout.cells, layout.roles
    readers: dict[int, Callable[[str], CellTexts]] = {}
    for role in (*_DECLARED, *_FACTS):
        if role in roles:
            readers[roles[role]] = partial(_read_role, role, find_flag(heading, roles[role]))

    for role in _OF_TASKS & roles.keys():
        j = roles[role]
        readers[j] = partial(_read_or_ask, readers[j], _find_open(cells[j]))

    if "model" in roles:
        readers[roles["model"]] = _read_name

    for j in layout.free:
        readers[j] = _read_name if j == layout.names else _choose_reader(layout, j)

    columns = [_read_column(cells[j], read) for j, read in readers.items()]
    columns = [column for column in columns if len(column.distinct) > 1]  # the first is nothing
    # Rows with the same texts have the same code, and are read once.
    codes = np.zeros(len(cells[0]), dtype=np.intp)
    for column in (*above, *columns):
        codes = pair_codes(codes, column.codes, len(column.distinct))

    firsts, codes = compact_codes(codes)
    rows = []
    for row in firsts.tolist():
        own_texts = _gather_texts(columns, row)
        texts_above = _gather_texts(above, row).texts
        rows.append(RowText(own_texts, texts_above))

    return RowTexts(codes, rows)


def _gather_texts(columns: Sequence[ColumnTexts], row: int) -> CellTexts:
    """Gather what the cells of a row say, from the first column to the last."""
    cells = [column.distinct[column.codes[row]] for column in columns]
    texts = tuple(text for cell in cells for text in cell.texts)
    facts = tuple(fact for cell in cells for fact in cell.facts)
    return CellTexts(texts, facts)


def _choose_reader(layout: Layout, j: int) -> Callable[[str], CellTexts]:
    """Choose the function that reads the cells of column `j`, which has no role of its own."""
    heading, cells, role = layout.heading, layout.cells[j], layout.heading.roles[j]
    flag, asking = find_flag(heading, j), find_asking(heading, j)
    first_cells = cells.distinct[:FEW]
    # A second column of a role.
    if role in _DECLARED and role in layout.roles and fits_cells(role, cells):
        return partial(_read_role, role, None)
    if role in {"model", "tool"}:
        return _read_name

    if flag is not None:  # numbers besides 0 and 1 are not answers
        are_counts = any(is_number(cell) and cell not in VOCABULARY.flags for cell in first_cells)
        read = _read_below if are_counts else _read_flag
        return partial(read, flag)

    if asking is not None:
        return partial(_read_below, asking)

    # All may be short for sides: h and t, s and o.
    are_ends = all(
        is_blank(cell) or ENDS.issuperset(cell.lower().split("+")) for cell in first_cells
    )
    return _read_end if are_ends else _read_remark


def _read_column(cells: Cells, read: Callable[[str], CellTexts]) -> ColumnTexts:
    """Read each distinct cell of a column once; code 0 is for cells that say nothing."""
    read_texts = [_NOTHING]
    is_free = read in {_read_name, _read_remark}
    codes, distinct = cells.select(FEW, screen) if is_free else (cells.codes, cells.distinct)
    place_of = np.zeros(len(distinct), dtype=np.intp)
    for number, cell in enumerate(distinct):
        texts = read(cell)
        if texts != _NOTHING:
            place_of[number] = len(read_texts)
            read_texts.append(texts)

    return ColumnTexts(place_of[codes], read_texts)


def _find_open(cells: Cells) -> CellTexts:
    """Return the text of a blank cell: a question if it is next to a cell that needs one."""
    asking = [cell for cell in cells.distinct[:FEW] if read_label(cell).words]
    return _make_text(read_label(f"blank beside {asking[0]}")) if asking else _NOTHING


def _read_or_ask(read: Callable[[str], CellTexts], blank: CellTexts, cell: str) -> CellTexts:
    """Read a cell of a column about the ranking tasks, where a missing cell says `blank`."""
    texts = read(cell)
    return blank if texts == _NOTHING and is_missing(cell) else texts


def _read_role(role: str, flag: Label | None, cell: str) -> CellTexts:
    """Read a cell with a `role`: "valid" as a label, 40932 of num_tasks as a fact."""
    answered = None if flag is None else answer(flag, cell)
    if answered is not None:
        return _make_text(answered)
    if is_missing(cell) or (role == "relations" and cell.lower() in ALL):
        return _NOTHING
    if role in _DECLARED:
        return _make_text(declare(role, cell))
    if role == "tool":
        # The name of a tool is not a protocol; that of a repository is read as that of a model.
        texts = () if is_tool(cell) else _read_name(cell).texts
        return CellTexts(texts, ((role, cell),))

    fact: Any = read_count(cell)
    if role == "relations":
        fact = (cell,)
    elif role == "rank_type":
        known = RANK_TYPES.get(cell.lower(), cell.lower())
        fact = read_label(cell).values.get(role, (known,))[0]

    return CellTexts((), ((role, fact),))


def _read_name(cell: str) -> CellTexts:
    """Read the name of a row, and keep it if it may be about tasks: "TransE (filtered)", "MRR"."""
    if is_blank(cell):
        return _NOTHING
    label = name_model(read_kind(read_label(cell)))
    is_metric = label.metric is not None and label.is_vocabulary
    if label.is_about_tasks or is_metric:
        return CellTexts((Text(label, "name", _IN_ROW),))
    return _NOTHING


def read_kind(label: Label) -> Label:
    """Make the label "Relation" ask about the side, which it names next to "Entity"."""
    if squash(label.text) not in RELATION_WORDS:
        return label
    return replace(label, words=(Word(label.text.lower(), "side", says="relation"),))


def _read_remark(cell: str) -> CellTexts:
    """Read a cell below an unknown heading, of which any word may be about its tasks."""
    label = read_kind(read_label(cell))
    if is_blank(cell) or not label.is_about_tasks:
        return _NOTHING
    return _make_text(label)


def _read_flag(flag: Label, cell: str) -> CellTexts:
    """Read a cell that may answer its heading, `flag`, such as Filtered, with yes or no."""
    answered = answer(flag, cell)
    if answered is flag:
        return _make_text(ask_alone(flag, "row"))
    if answered is not None:
        return _make_text(answered)
    # How many test triples there are says nothing of a split.
    if is_number(cell) or not flag.values:
        return _read_below(flag, cell)
    if is_blank(cell):
        return _NOTHING
    return CellTexts((*_read_remark(cell).texts, *_make_text(doubt(flag)).texts))


def _read_end(cell: str) -> CellTexts:
    """Read a cell that may be short for a side, such as h, and is asked about."""
    if is_blank(cell):
        return _NOTHING
    return _make_text(Label(cell, words=(Word(cell.lower(), "side"),)))


def _read_below(heading: Label, cell: str) -> CellTexts:
    """Read a cell below a heading that is asked about, such as 100 below "negatives"."""
    if is_blank(cell):
        return _NOTHING
    texts = () if is_number(cell) else _read_remark(cell).texts
    if any(text.label.declared for text in texts):  # a subset called validation
        return CellTexts(texts)
    return CellTexts((*ask_about_heading(heading, cell, "a column"), *texts))


def ask_about_heading(heading: Label, cell: str, place: str) -> tuple[Text, ...]:
    """Return the words of a heading or a key to ask about as one text, if there are any.

    A cell below may answer them: "filter" over "raw" asks nothing, "subset" over "head" does.
    """
    if _TIME.match(cell):  # when a program ran
        return ()

    if is_number(cell):  # a raw MRR is that of others
        fields = _OPEN_ABOVE_NUMBERS - heading.values.keys()
    else:
        fields = ASKING - read_label(cell).declared.keys()

    words = []
    for word in heading.words:
        is_open = word.field in fields and "column" in word.scopes
        if is_open or is_lone(heading, word):
            scopes = word.scopes if "row" in word.scopes else EVERYWHERE
            words.append(replace(word, scopes=scopes))

    if not words:
        return ()
    return (Text(Label(heading.text, words=tuple(words)), "row", place),)


def find_groups(
    cells: Sequence[Cells],
    numbers: Sequence[int],
    is_empty: Flags,
    spanning: frozenset[int],
) -> ColumnTexts:
    """Return what the rows without numbers say of the rows below them, as ``Inductive`` does.

    `is_empty` flags these rows, and `numbers` are the columns of metrics. Rows in `spanning` tell
    which of their cells span columns. A text below the last number is about all rows.
    """
    group_of = np.zeros(len(is_empty), dtype=np.intp)  # 0 above the first name
    groups: list[tuple[Text, ...]] = [()]
    below: list[Text] = []
    last = int(np.flatnonzero(~is_empty).max(initial=-1))
    for row in np.flatnonzero(is_empty).tolist():
        name = _name_group([column[row] for column in cells], numbers, is_spanning=row in spanning)
        if not name:
            continue
        label = read_label(name)
        if label.metric is not None and label.is_vocabulary:  # of the rows below, not of the column
            label = replace(label, words=(*label.words, Word(name.lower(), "metric")))

        if row > last and label.words and not label.graphs:
            below.append(Text(weaken(label), "text", "a row below"))
            continue
        # The group above may or may not continue: its words are asked about.
        outer: list[Text] = []
        if label.values or label.words or not label.graphs:
            outer = [_weaken_values(text) for text in groups[-1]]

        group_of[row + 1 :] = len(groups)
        groups.append((Text(label, "row", "a row above"), *outer[:2]))  # up to three levels

    return ColumnTexts(group_of, [CellTexts((*group, *below)) for group in groups])


def _weaken_values(text: Text) -> Text:
    """Return a text that only asks, if it has values; a dataset alone still declares."""
    return text._replace(label=weaken(text.label)) if text.label.values else text


def _name_group(cells: Sequence[str], numbers: Sequence[int], *, is_spanning: bool) -> str:
    """Return the only text of a row without numbers, which names the rows below it; else "".

    With dashes for numbers, a row names none, as TransE does not, unless all of it is vocabulary.
    """
    filled = [j for j, cell in enumerate(cells) if not is_blank(cell)]
    if len({cells[j] for j in filled}) != 1:  # a repeated one spans columns
        return ""

    first = filled[0]
    has_dash = any(cells[j] and is_blank(cells[j]) for j in numbers)
    if has_dash and not read_label(cells[first]).is_vocabulary:
        return ""

    # A single cell behind the first number, in a column without, is about its own column.
    is_behind = first > min(numbers, default=0) and first not in numbers
    if is_behind and len(filled) == 1 and not is_spanning:
        return ""
    return cells[first]
