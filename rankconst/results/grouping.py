"""Which numbers of a file belong to one evaluation: only those can be compared with one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.results.columns import parse_column

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from rankconst.results.reading import Entry, Reading
    from rankconst.settling import Context

__all__ = ["Group", "group_entries"]

_OF_ONE_NUMBER = {"metric", "value", "k"}


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers of one evaluation: one model on one set of ranking tasks, with one tie policy, at one time.

    Attributes
    ----------
    entries
        In the order of the file, adjusted values among them.
    context
        What the file says about all of them.
    rows
        The indices into :attr:`Reading.rows` of the rows that they stand in, ascending.
    label
        What tells the group from others, for messages: ``RotatE, FB15k-237, test``; empty if nothing does.
    """

    entries: tuple[Entry, ...]
    context: Context
    rows: tuple[int, ...]
    label: str


def group_entries(reading: Reading) -> list[Group]:
    """Gather the entries of each evaluation.

    In a wide table these are the entries of a row that the file says the same about. In a long one they are those
    whose rows agree in every cell but those that tell one number from another: the metric, its k and its value.

    Returns
    -------
    list of Group
        In the order of their first entries.
    """
    found: dict[Hashable, list[Entry]] = {}
    for entry in reading.entries:
        # Two rows that agree in all cells are two evaluations in a wide table, and one in a long one.
        place = entry.row if reading.layout == "wide" else _list_others(reading.rows[entry.row], entry.column)
        found.setdefault((place, entry.context), []).append(entry)
    return [
        Group(tuple(entries), entries[0].context, tuple(sorted({entry.row for entry in entries})), _label(entries[0]))
        for entries in found.values()
    ]


def _list_others(row: Mapping[str, str], column: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, cell) for name, cell in row.items() if name != column and not _tells_number(name, cell))


def _tells_number(name: str, cell: str) -> bool:
    """Tell whether a cell of a long table says which number stands there, not which evaluation it is of."""
    heading, content = parse_column(name), parse_column(cell)
    measured = content is not None and content.role in {"measured", "num_tasks"}
    return measured or (heading is not None and heading.role in _OF_ONE_NUMBER)


def _label(entry: Entry) -> str:
    context = entry.context
    parts = (context.model, context.dataset, context.split, context.side, context.rank_type, context.protocol)
    return ", ".join(part for part in parts if part)
