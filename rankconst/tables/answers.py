"""Queries with several right answers as a set of tables, so that all commands take them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.definitions import FAMILIES
from rankconst.catalogue.libraries import Meaning, list_meanings, parse_library, read_meaning
from rankconst.errors import UnknownNameError
from rankconst.tables.archive import TablesInMemory
from rankconst.tables.explain import explain_absent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.catalogue.metrics import Metric
    from rankconst.tables.own_counts import Answers
    from rankconst.tasks import Tasks
    from rankconst.values.constants import Constants

_CLOSE = 1e-9


@dataclass(frozen=True, repr=False)
class AnswerTables(TablesInMemory):
    """Sets of queries with several right answers.

    Attributes
    ----------
    answers
        The queries of each address.
    """

    answers: Mapping[Tasks, Answers] = field(default_factory=dict)

    @property
    def library(self) -> str:
        """The key of the library whose names metrics have; empty if none was named."""
        return next(iter(self.answers.values())).library

    def name_library(self, name: str) -> AnswerTables:
        """Return the queries with metrics as a library names them."""
        key = parse_library(name).key
        answers = {tasks: replace(each, library=key) for tasks, each in self.answers.items()}
        return replace(self, answers=answers)

    def look_up(self, tasks: Tasks, metric: Metric) -> Constants:
        """Return the constants of a definition; the second time, at once."""
        if not tasks.is_chance:
            raise UnknownNameError(
                "numbers of candidates and of right answers say what chance gets, and nothing else."
            )
        if tasks not in self.answers:
            raise UnknownNameError(explain_absent(self, tasks))
        if (tasks, metric) not in self._known:
            key = metric.family.removesuffix("_of_answers")
            constants = self.answers[tasks].define(key, metric.k)
            self._known[tasks, metric] = replace(constants, tasks=tasks)
        return self._known[tasks, metric]

    def list_meanings(self, name: str) -> Mapping[Meaning | str, list[str]]:
        """Return what a name may mean on these queries, with the titles of the libraries.

        It is one meaning if all definitions agree on them.

        Raises UnknownNameError if no library has such a metric, or none says at which k it is cut
        off.
        """
        if self.library:
            return {read_meaning(name, self.library): [parse_library(self.library).title]}
        found = list_meanings(name)
        known = [each for each in found if isinstance(each, Meaning)]
        if not found:
            raise UnknownNameError(
                f"{name} is not known as a metric of several right answers; "
                f"known are: {', '.join(FAMILIES)}."
            )
        if not known:
            raise UnknownNameError(str(next(iter(found))))
        if len(known) == len(found) and all(self._are_alike(known[0], each) for each in known[1:]):
            return {known[0]: found[known[0]]}
        return found

    def _are_alike(self, one: Meaning, other: Meaning) -> bool:
        """Tell whether two definitions are the same metric on these queries."""
        return all(_agree(each.define(*one), each.define(*other)) for each in self.answers.values())


def _agree(one: Constants, other: Constants) -> bool:
    """Tell whether rankers get the same by two definitions, and vary as much."""
    pairs = (
        (one.expectation, other.expectation),
        (one.variance, other.variance),
        (one.metric.optimum or 0.0, other.metric.optimum or 0.0),
        (one.worst, other.worst),
    )
    return all(math.isclose(a, b, rel_tol=_CLOSE, abs_tol=1e-15) for a, b in pairs)
