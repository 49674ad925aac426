"""Which ranking tasks published numbers come from: dataset, split, side and protocol, found by their own constants.

The number of ranks and the expectations that adjusted values give away (:mod:`.evidence`) are compared with those of
every set of tasks in the tables. What is found is shown, with the adjusted values that are wrong (:mod:`.defects`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.checks.evidence import Evidence, collect_evidence
from rankconst.checks.matches import Comparisons, Identified, Match, check_evaluations, describe_nearest, rank
from rankconst.errors import RankconstError
from rankconst.evaluation import NAMES, NOTHING, Question, Stated, list_parsers
from rankconst.names import list_first
from rankconst.tables.search import TaskSets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.results.reading import Entry, Group, Reading
    from rankconst.tables.tables import Tables


CERTAIN = 1e-3
"""What is found is certain if fewer sets than this would fit by chance."""

_LIKE_OTHERS = "its adjusted values fit nothing; its number of ranks is that of other numbers in the file."
_NEEDED = "an adjusted value with its base value, or the number of ranks, is needed"


@dataclass(frozen=True)
class Part:
    """Evaluations that share their ranking tasks, as they differ in the tie policy only, and what their numbers say."""

    context: Stated
    # Of the evaluations, in the file.
    places: tuple[int, ...]
    evaluations: tuple[tuple[Entry, ...], ...]
    evidence: Evidence
    # What file and user name, as keys.
    names: Mapping[str, str] = field(default_factory=dict)
    # What fits; or else the protocol that equal numbers of candidates show, or why nothing fits.
    matches: tuple[Match, ...] = ()
    sampled: str = ""
    ask: Question | None = None

    @property
    def is_certain(self) -> bool:
        """True if what fits cannot fit by chance."""
        return bool(self.matches) and self.matches[0].by_chance < CERTAIN

    @property
    def tells(self) -> bool:
        """True if some adjusted value tells: a number of ranks, and what is vague, may only contradict."""
        return any(piece.metric is not None for piece in self.evidence.pieces)


def gather(groups: Sequence[Group], reading: Reading, user: Stated) -> list[Part]:
    """Gather the evaluations that share their ranking tasks."""
    found: dict[tuple[Stated, tuple[int, ...]], list[int]] = {}
    for place, group in enumerate(groups):
        # Rows of a table that say the same of themselves may still be of different tasks.
        rows = group.rows if reading.layout == "wide" else ()
        found.setdefault((replace(group.context, rank_type=None), rows), []).append(place)
    parts = []
    for (context, _), places in found.items():
        evaluations = tuple(groups[place].entries for place in places)
        evidence = collect_evidence(evaluations, tool=reading.tool, percent=user.percent)
        parts.append(Part(context, tuple(places), evaluations, evidence))
    return parts


class Search:
    """The search for the ranking tasks that numbers are from, among those that the user asks for."""

    def __init__(self, tables: Tables, user: Stated = NOTHING) -> None:
        self.tables, self.user, self.sets = tables, user, TaskSets.of(tables)
        self.given = {name: key for name in NAMES if (key := getattr(user, name)) is not None}

    def read(self, said: Stated) -> tuple[dict[str, str], dict[str, str]]:
        """Return the keys of the names that a file states, and what it states that the tables do not have."""
        found, unknown = {}, {}
        for name, parse in list_parsers(self.tables).items():
            if (text := getattr(said, name)) is not None:
                try:
                    found[name] = parse(text)
                except RankconstError:
                    unknown[name] = text
        return found, unknown

    def select(self, names: Mapping[str, str]) -> NDArray[np.bool_]:
        """Return which sets have all of these keys."""
        chosen = np.ones(len(self.sets.sets), dtype=bool)
        for name, key in names.items():
            chosen &= self.sets.names[name] == key
        return chosen

    def fit(self, evidence: Evidence, *attempts: Mapping[str, str]) -> tuple[Match, ...]:
        """Return what evidence fits under some names or, if it fits none, under the next ones."""
        found = (rank(evidence, self.sets, self.select(names), self.user) for names in attempts)
        return next(filter(None, found), ())

    def describe_lack(self, names: Mapping[str, str]) -> str:
        """Say that no tasks of the tables have these names."""
        return f"the tables ({self.tables.version}) hold no such tasks: {list_names(names)}"

    def identify(self, evidence: Evidence, evaluations: Sequence[Sequence[Entry]] = ()) -> Identified:
        """Find the sets of ranking tasks that evidence fits, and the adjusted values that are wrong on them.

        A set fits if nothing contradicts it, or nothing but known defects of adjusted values and slips, each outvoted
        by pieces as precise as itself: however much coarse evidence agrees, a precise piece decides. Names that the
        file states narrow the search, unless nothing fits then.
        """
        given, asked_for = self.given, self.select(self.given)
        if not asked_for.any():
            return Identified(evidence, (), f"{self.describe_lack(given)}.")
        stated, unknown = self.read(evidence.context)
        notes = [f"the file says {name} {text}, which the tables do not have." for name, text in unknown.items()]
        if not evidence.pieces:
            lack = "; ".join([*dict.fromkeys(evidence.dropped)][:3]) or _NEEDED
            return Identified(evidence, (), f"the ranking tasks cannot be found: {lack}.", " ".join(notes))
        # The file's own words may be wrong, or name what the tables lack; few files say that they hold macro averages.
        usual = {"aggregation": stated.get("aggregation", DEFAULT_AGGREGATION)} | given
        matches = self.fit(evidence, stated | usual, usual, given)
        compared = matches[0].comparisons if matches else ()
        if any(each.explained for each in compared) and not any(each.agrees and each.piece.metric for each in compared):
            notes.append("only the number of ranks agrees: the adjusted values have a known defect.")
        if matches and matches[0].by_chance > CERTAIN and "dataset" not in given | stated:
            notes.append(
                "so few digits can fit by chance: the numbers may come from a graph that is not in the tables."
            )
        fitting = [tasks for match in matches for tasks in match.every]
        against = {name: key for name, key in stated.items() if not any(getattr(each, name) == key for each in fitting)}
        if matches and against:
            notes.append(f"the file says {list_names(against)}; its numbers come from other tasks.")
        reason = "" if matches else f"{describe_nearest(evidence, self.sets, asked_for, self.user)[0]}."
        wrong = check_evaluations(evaluations, matches, self.tables, percent=self.user.percent)
        return Identified(evidence, matches, reason, " ".join(notes), checked=wrong)

    def identify_parts(self, parts: Sequence[Part]) -> list[Identified]:
        """Do so for all numbers of a file."""
        groups = [
            replace(self.identify(part.evidence, part.evaluations), line=part.evaluations[0][0].line) for part in parts
        ]
        sure = {group.match for group in groups if group.match is not None and group.match.by_chance < CERTAIN}
        for place, (group, part) in enumerate(zip(groups, parts, strict=True)):
            # A slip may be why nothing fits: then the numbers are of the tasks of others with the same number of ranks.
            counts = {piece.value for piece in group.evidence.pieces if piece.metric is None}
            alike = {match.tasks: match for match in sure if counts == {match.num_tasks}}
            if not group.matches and len(alike) == 1:
                (match,) = alike.values()
                wrong = check_evaluations(part.evaluations, [match], self.tables, percent=self.user.percent)
                at = np.array([self.sets.sets.index(match.tasks)])
                likely = replace(match, comparisons=Comparisons.of(group.evidence, self.sets, at).list_at(0))
                groups[place] = replace(group, matches=(likely,), reason="", note=_LIKE_OTHERS, checked=wrong)
        return groups


def list_names(names: Mapping[str, str]) -> str:
    """List names for messages; the usual aggregation goes without saying."""
    shown = [f"{name} {key}" for name, key in names.items() if (name, key) != ("aggregation", DEFAULT_AGGREGATION)]
    return ", ".join(shown)


def describe_matches(matches: Sequence[Match]) -> str:
    """Name sets of tasks: what only sides tell apart together, protocols with the same constants as equal."""
    sides: dict[str, list[str]] = {}
    for match in matches:
        tasks = match.tasks
        alike = [each.protocol for each in match.every if replace(each, protocol="") == replace(tasks, protocol="")]
        more = "" if tasks.is_micro else f", {tasks.aggregation}"
        key = f"{tasks.dataset} {tasks.split} {{}} under {' = '.join(dict.fromkeys(alike))}{more}"
        sides.setdefault(key, []).append(tasks.side)
    return list_first([key.format(", ".join(sorted(set(each)))) for key, each in sides.items()])
