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
    """Add a question to each number of a file that contradicts its ranking tasks."""
    user = parse_address(user, tables)
    if are_of_answers(tables):  # their counts are all that is known
        return reading
    reading = name_relations(reading, user, tables)
    if not reading.has_evidence and not reading.entries.is_full_share.any():
        return reading
    from rankconst.checks.confirm import ask_contradicted

    return ask_contradicted(reading, tables, user)
