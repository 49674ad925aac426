"""Find what the columns without a metric are: datasets, splits, names of rows, remarks.

In a table "Model, Split, MRR", the first column has the role model, and names the rows; the second
has the role split.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.literature import is_mean
from rankconst.catalogue.tools import is_tool
from rankconst.evaluation import NAMES
from rankconst.names import read_count, squash
from rankconst.results.gate import CORNER, Text
from rankconst.results.labels import Label, answer, ask_alone, read_label
from rankconst.results.tables.cells import are_blank, is_blank, is_missing, is_number
from rankconst.results.vocabulary import VOCABULARY, Word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.results.columns import Cells
    from rankconst.results.tables.headings import Heading

COUNTS = ("num_tasks", "num_triples", "num_entities")
"""Roles of columns of counts."""

OPEN_ROLES = {
    *("dataset", "model", "metric", "value", "k", "num_tasks"),
    *("relations", "step", "version", "hyperparameter", "fact"),
}
"""Roles of columns that may hold any cell."""

FEW = 500
"""The most distinct cells that are read one by one; of more, a screen chooses some first."""

_OF_A_ROW = {"entity", "ent"}  # headings of columns whose rows are of one entity each

RELATION_WORDS = {"relation", "rel", "predicate"}
"""Words for the side relation in a column of sides; elsewhere they head names of relations."""

ASKING = {"part", "graph", "protocol", "task", "aggregation", "rank_type"}
"""The fields of words that ask about the rows below them."""

_MOST_TRIED = 5_000  # rows


@dataclass(frozen=True)
class Layout:
    """The roles of the columns of a table."""

    heading: Heading
    cells: Sequence[Cells]
    roles: Mapping[str, int]  # role to column
    free: Sequence[int] = ()  # the other columns that may say something of their rows
    names: int = -1  # the column that names the rows: that of models, or the first of texts


def find_layout(
    heading: Heading, cells: Sequence[Cells], *, exact: bool, keys_say_all: bool
) -> Layout:
    """Find the roles of the columns of a table.

    If `keys_say_all`, columns without a role are not read. In an `exact` table, which a tool wrote,
    a column called model holds no names of models.
    """
    roles = find_roles(heading, cells)
    if exact:
        roles.pop("model", None)
    free = [] if keys_say_all else _find_free(heading, cells, {*heading.measures, *roles.values()})
    names = roles["model"] if "model" in roles else _find_names(heading, cells, free)
    return Layout(heading, cells, roles, free, names)


def _find_names(heading: Heading, cells: Sequence[Cells], free: Sequence[int]) -> int:
    """Find the `free` column with the names of the rows, if none is headed as models; else -1."""
    for j in free:
        is_remark = squash(heading.keys[j]) in VOCABULARY.remarks or heading.roles[j] in NAMES
        if not is_remark and _holds_texts(cells[j]) and not _holds_flags(heading, cells, j):
            return j
    return -1


def find_roles(heading: Heading, cells: Sequence[Cells]) -> dict[str, int]:
    """Map roles, such as dataset, split and num_tasks, to the columns that have them.

    Without dataset and model, the first texts may be datasets or versions if they have no heading.
    """
    roles: dict[str, int] = {}
    exact_names: set[str] = set()
    for j, role in enumerate(heading.roles):
        if not role or j in heading.measures or _counts_relations(heading, cells, j):
            continue
        if role == "k" and not heading.long:
            continue
        is_name = squash(heading.keys[j]) == squash(role)
        # The first column has the role, unless a later one has its very name.
        if role in exact_names or (role in roles and not is_name):
            continue
        # "type" is a heading of rank types and of much else: then the cells tell.
        if names_role(heading.keys[j], role) or fits_cells(role, cells[j]):
            roles[role] = j

        if is_name:
            exact_names.add(role)

    if "dataset" not in roles and "model" not in roles:
        taken = {*heading.measures, *roles.values()}
        texts = (j for j in range(len(cells)) if j not in taken and _holds_texts(cells[j]))
        first = next(texts, -1)
        if first >= 0 and not any(heading.labels[first]):
            names = _list_names(heading, cells, first)
            parts = [name for name in names if not is_mean(name)]  # v1, and not Average
            if _are_datasets(names):
                roles["dataset"] = first
            elif parts and all(read_label(name).version for name in parts):
                roles["version"] = first

    return roles


def _list_names(heading: Heading, cells: Sequence[Cells], j: int) -> list[str]:
    """List the distinct cells of column `j` in rows with numbers; in all of a long table."""
    names = cells[j][:_MOST_TRIED]
    if heading.measures:
        numbers = zip(*(cells[k][:_MOST_TRIED] for k in heading.measures), strict=True)
        has_number = [not are_blank(row) for row in numbers]
        names = itertools.compress(names, has_number)
    return list(dict.fromkeys(names))


def names_role(heading: str, role: str) -> bool:
    """Tell whether a heading contains the name of a role, as data_split: then any cell fits."""
    return squash(role) in squash(heading)


def fits_role(role: str, cell: str) -> bool:
    """Tell whether a cell can be in a column of a role: "test" for split, "40932" for num_tasks."""
    label = read_label(cell)
    if role == "tool":
        return is_tool(cell)
    if role in COUNTS:
        return read_count(cell) is not None
    if role == "side" and squash(cell) in RELATION_WORDS:  # elsewhere it heads their names
        return True
    return role in label.values or label.declared.get(role) is not None


def fits_cells(role: str, cells: Cells) -> bool:
    """Tell whether all cells of a column fit its role."""
    if role in OPEN_ROLES:
        return True
    return all(fits_role(role, cell) for cell in cells.distinct if not is_missing(cell))


def _counts_relations(heading: Heading, cells: Sequence[Cells], j: int) -> bool:
    """Tell whether a column has numbers of relations: numbers below "Relations" or "#Rel"."""
    key = heading.keys[j]
    is_count = key.startswith("#") or squash(key).endswith("s")
    if heading.roles[j] != "relations" or not is_count:
        return False
    return all(is_number(cell) or is_missing(cell) for cell in cells[j].distinct)


def _are_datasets(cells: Sequence[str]) -> bool:
    """Tell whether most cells of a column are names of graphs, and nothing else."""
    labels = [read_label(cell) for cell in cells[:FEW] if not is_missing(cell)]
    count = sum(1 for label in labels if label.is_vocabulary and label.graphs)
    return 2 * count > len(labels)


def _find_free(heading: Heading, cells: Sequence[Cells], taken: set[int]) -> list[int]:
    """List the columns outside of `taken` whose cells or headings may be about tasks."""
    free = []
    for j, column in enumerate(cells):
        if j in taken:
            continue
        is_asking = find_flag(heading, j) is not None or find_asking(heading, j) is not None
        is_second_dataset = heading.roles[j] == "dataset"  # Data, over 10%
        if is_asking or is_second_dataset or _holds_texts(column):
            free.append(j)

    return free


def _holds_texts(cells: Cells) -> bool:
    """Tell whether a cell of a column is neither blank nor a number."""
    return any(cell and not is_number(cell) for cell in cells[:_MOST_TRIED])


def _holds_flags(heading: Heading, cells: Sequence[Cells], j: int) -> bool:
    """Tell whether the first cells of column `j` answer its heading, by yes, no or nothing.

    Below a protocol, such as Filtered, any cells are answers, and no names of rows.
    """
    flag = find_flag(heading, j)
    if flag is None:
        return False
    if "protocol" in flag.declared:
        return True
    return all(is_blank(cell) or answer(flag, cell) for cell in cells[j].distinct[:FEW])


def find_flag(heading: Heading, j: int) -> Label | None:
    """Find a label in a heading that cells may answer with yes or no, as ``Filtered``; or None."""
    for label in heading.labels[j]:
        is_asking = any(word.field != "metric" for word in label.words)
        if label.is_vocabulary and (label.values or is_asking):
            return label
    return None


def find_asking(heading: Heading, j: int) -> Label | None:
    """Find a label of column `j` that asks about its rows, as ``num_candidates``; or None."""
    for label in heading.labels[j]:
        if any(word.field in ASKING or is_lone(label, word) for word in label.words):
            return label
        if label.role == "k":  # of shots, as that of a metric has a role
            return ask_whole(label)
    return None


def is_lone(label: Label, word: Word) -> bool:
    """Tell whether a heading or key is a word that asks as a whole: lang, Ratio, entity."""
    return not word.scopes.isdisjoint({"beside", "names"}) and label.alone


def find_corner(layout: Layout) -> tuple[Text, ...]:
    """Return the heading above the names of the rows as texts about all rows: FB15k-237, Degree.

    If no column has names, return that of the first column, whose numbers tell rows apart, as
    ``Missing %`` does. Return nothing for a heading of models, such as Method, or of a role.
    """
    heading, j = layout.heading, layout.names
    if j < 0:  # no column has names
        is_named = "dataset" in layout.roles or 0 in heading.measures or heading.roles[0]
        if is_named or len(layout.cells[0].distinct) < 2:
            return ()
        j = 0
    elif j not in layout.free:
        return ()

    labels = [label for label in heading.labels[j] if label.text]
    if not labels or any(heads_models(label.text) for label in labels):
        return ()

    if len(labels[-1].text) > 1 and not any(_is_understood(label) for label in labels):
        labels[-1] = ask_whole(labels[-1])

    return tuple(Text(ask_alone(label, "row"), "row", CORNER) for label in labels[::-1])


def _is_understood(label: Label) -> bool:
    """Tell whether a label is all vocabulary, or has a value, a graph or a word about rows."""
    if label.values or label.graphs:
        return True
    if any("row" in word.scopes for word in label.words):
        return True
    names_cells = label.percent or squash(label.text) in _OF_A_ROW  # "Data %": how much of it
    return label.is_vocabulary and not names_cells


def heads_models(heading: str) -> bool:
    """Tell whether a heading has a word for models, such as Method."""
    words = re.findall(r"[^\W\d_]+", heading.lower())
    return any(VOCABULARY.match_role(word) == "model" for word in words)


def ask_whole(label: Label) -> Label:
    """Turn the whole text of a label into a word to ask about."""
    return replace(label, words=(Word(label.text.lower(), "part"),))
