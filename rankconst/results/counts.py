"""Counts in a file are evidence: what contradicts the ranking tasks of a number is asked about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import ENTITY_SIDES, SPLITS, find_protocol
from rankconst.evaluation import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.evaluation import Address
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

_WHAT = {"num_triples": "test triples", "num_entities": "entities"}


def ask_counts(
    address: Address, user: Address, tasks: Tasks, tables: Tables
) -> tuple[Question, ...]:
    """Ask about counts of triples or entities that are not those of the ranking tasks."""
    named = {name: getattr(address, name) for name in _WHAT}
    counts = {name: each for name, each in named.items() if each and str(each) not in user.accepted}
    fitting = not tasks.relations and find_protocol(tasks.protocol).negatives is None
    if not counts or not fitting or not tables.holds(tasks):
        return ()
    questions = [_ask(name, count, tasks, tables) for name, count in counts.items()]
    return tuple(question for question in questions if question is not None)


def _ask(name: str, count: int, tasks: Tasks, tables: Tables) -> Question | None:
    """Ask about a count that the ranking tasks do not have, and name those that have it.

    Return None if the count fits.
    """
    own = _count(name, tasks, tables)
    known = tables.datasets[tasks.dataset]
    general = known["entities"] if name == "num_entities" else known[f"triples_{tasks.split}"]
    if count in {own, general}:
        return None
    ways = [
        way for way, other in _list_others(tasks, tables) if _count(name, other, tables) == count
    ]
    text = f"{count:,} {_WHAT[name]}; {tasks.dataset} has {own:,} under protocol {tasks.protocol}"
    return Question("protocol", text, str(count), "a count of the file", " or ".join(ways))


def _list_others(tasks: Tasks, tables: Tables) -> Iterator[tuple[str, Tasks]]:
    """Yield the ranking tasks of every protocol and split, with the option that names them."""
    for key in tables.protocols(tasks.dataset):
        yield f"--protocol {key}", replace(tasks, protocol=key)
    for split in SPLITS:
        yield f"--split {split}", replace(tasks, split=split)


def _count(name: str, tasks: Tasks, tables: Tables) -> int | None:
    """Return how many triples are ranked, or among how many entities.

    Return None where the tables hold no such tasks.
    """
    side = tasks.side if tasks.side in ENTITY_SIDES else ENTITY_SIDES[0]
    one = replace(tasks, side=side, aggregation="micro")
    if not tables.holds(one):
        return None
    histogram = tables.histogram(one)
    return histogram.total if name == "num_triples" else int(histogram.num_candidates.max())
