"""Checks of published numbers.

:mod:`.laws` and :mod:`.chance` find impossible numbers, :mod:`.confirm` those that contradict their
ranking tasks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.evaluation import parse_address
from rankconst.results.neighbours import name_relations
from rankconst.tables.archive import are_of_answers

if TYPE_CHECKING:
    from rankconst.evaluation import Address
    from rankconst.results.reading import Reading
    from rankconst.tables.archive import Tables


def confirm_reading(reading: Reading, tables: Tables, user: Address) -> Reading:
    """Ask which ranking tasks numbers are from that cannot be from those declared or assumed.

    An AMRI with its MR, a number of ranks, and Hits@k in full digits tell. A file with none of
    these is returned as it is, but for the relations that its columns name.
    """
    user = parse_address(user, tables)
    if are_of_answers(tables):  # tables of queries with several answers hold nothing to compare
        return reading

    reading = name_relations(reading, user, tables)
    if not reading.has_evidence and not reading.entries.is_full_share.any():
        return reading

    from rankconst.checks.confirm import ask_contradicted

    return ask_contradicted(reading, tables, user)
