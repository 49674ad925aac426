"""Which ranking tasks published numbers come from: dataset, split, side and protocol, found by their own constants.

The number of ranks and the expectations that adjusted values give away (:mod:`.evidence`) are compared with those of
every set of tasks in the tables. The right adjusted values then tell which published ones are wrong
(:mod:`.defects`).
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.checks.identify.evidence import Evidence, Piece, collect_evidence
from rankconst.checks.identify.matches import (
    Comparisons,
    Identification,
    Identified,
    Match,
    agrees,
    bound_constant,
    check_evaluations,
    rank,
)
from rankconst.checks.identify.relations import rank_relations
from rankconst.errors import UnknownNameError, UsageError
from rankconst.evaluation import NAMES, NOTHING, list_open, list_parsers
from rankconst.results.reading import group_entries
from rankconst.tables.search import TaskSets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.evaluation import Ask, Stated
    from rankconst.results.reading import Entry, Group, Reading
    from rankconst.tables.tables import Tables


CERTAIN = 1e-3
"""What is found is certain if fewer sets than this would fit by chance."""


def identify(evidence: Evidence, candidates: TaskSets, user: Stated = NOTHING) -> Identified:
    """Find the sets of ranking tasks that evidence fits.

    A set fits if nothing contradicts it, or nothing but known defects of adjusted values and slips, each outvoted by
    pieces as precise as itself: however much coarse evidence agrees, a precise piece decides. Names that the file
    states narrow the search, unless nothing fits then. Where no whole set does, a few relations may.
    """
    tables = candidates.tables
    if user.side == RELATION_SIDE:
        raise UsageError(
            "relation prediction is not searched for. If you know the dataset and the protocol of the numbers, adjust "
            f"them with side {RELATION_SIDE}."
        )
    given = {name: key for name in NAMES if (key := getattr(user, name)) is not None}
    asked = select(candidates, given)
    if not asked.any():
        raise UnknownNameError(f"the tables ({tables.version}) hold no such tasks: {list_names(given)}.")
    stated, notes = read_stated(evidence, user, tables)
    if not evidence.pieces:
        return Identified(evidence, (), describe_lack(evidence), " ".join(notes))
    matches: tuple[Match, ...] = ()
    aggregation = {name: key for name, key in stated.items() if name == "aggregation"}
    # The file's own words may be wrong, or name what the tables lack; few files say that they hold macro averages.
    for names in (stated, aggregation, {}):
        matches = rank(evidence, candidates, asked & select(candidates, names), user)
        if matches:
            break
    else:
        restricted = rank_relations(evidence, tables, stated | given, user)
        matches = restricted if len(restricted) == 1 and restricted[0].by_chance < CERTAIN else ()
    compared = matches[0].comparisons if matches else ()
    if any(each.explained for each in compared) and not any(each.agrees and each.piece.metric for each in compared):
        notes.append("only the number of ranks agrees: the adjusted values have a known defect.")
    if matches and matches[0].by_chance > CERTAIN and not {"dataset"} & (given.keys() | stated.keys()):
        notes.append("so few digits can fit by chance: the numbers may come from a graph that is not in the tables.")
    against = {name: key for name, key in stated.items() if name in evidence.stated and not holds(matches, name, key)}
    if matches and against:
        notes.append(f"the file says {list_names(against)}; its numbers come from other tasks.")
    reason = "" if matches else f"{describe_nearest(evidence, candidates, asked, user)[0]}."
    return Identified(evidence, matches, reason, " ".join(notes))


def identify_reading(reading: Reading, tables: Tables, user: Stated = NOTHING) -> Identification:
    """Find the ranking tasks that the numbers of a file come from, and the adjusted values that are wrong on them."""
    candidates = TaskSets.of(tables)
    every = group_entries(reading)
    each = [(context, [every[at].entries for at in places]) for context, places in gather(every, reading.layout)]
    groups = []
    for context, evaluations in each:
        found = identify_evaluations(evaluations, tables, user, tool=reading.tool, candidates=candidates)
        groups.append(replace(found, context=context, line=evaluations[0][0].line))
    sure = {group.match for group in groups if group.match is not None and group.match.by_chance < CERTAIN}
    for place, (group, (_, evaluations)) in enumerate(zip(groups, each, strict=True)):
        # A slip may be why nothing fits: then the numbers are of the tasks of others with the same number of ranks.
        counts = {piece.value for piece in group.evidence.pieces if piece.metric is None}
        alike = {match.tasks: match for match in sure if counts == {match.num_tasks} and match.tasks in candidates.sets}
        if not group.matches and len(alike) == 1:
            (match,) = alike.values()
            wrong = check_evaluations(evaluations, [match], candidates, percent=user.percent)
            compared = Comparisons.of(group.evidence, candidates, [candidates.sets.index(match.tasks)])
            likely = replace(match, comparisons=compared.list_at(0))
            groups[place] = replace(group, matches=(likely,), reason="", note=_LIKE_OTHERS, checked=wrong)
    asked: dict[Ask, tuple[Entry, ...]] = {}
    for group, (context, evaluations) in zip(groups, each, strict=True):
        for ask in list_open(context, user) if group.evidence.pieces and group.match is None else ():
            asked[ask] = (*asked.get(ask, ()), *itertools.chain(*evaluations))
    return Identification(tuple(groups), tables.version, asked)


_LIKE_OTHERS = "its adjusted values fit nothing; its number of ranks is that of other numbers in the file."


def identify_evaluations(
    evaluations: Sequence[Sequence[Entry]],
    tables: Tables,
    user: Stated = NOTHING,
    *,
    tool: str | None = None,
    pieces: Sequence[Piece] = (),
    candidates: TaskSets | None = None,
) -> Identified:
    """Find the ranking tasks that some evaluations share, and the adjusted values that are wrong on them.

    `pieces` are what else is known about the tasks.
    """
    sets = candidates or TaskSets.of(tables)
    evidence = collect_evidence(evaluations, tool=tool, percent=user.percent)
    evidence = replace(evidence, pieces=(*evidence.pieces, *pieces))
    found = identify(evidence, sets, user)
    return replace(found, checked=check_evaluations(evaluations, found.matches, sets, percent=user.percent))


def gather(groups: Iterable[Group], layout: str) -> list[tuple[Stated, list[int]]]:
    """Gather the places of evaluations that share their ranking tasks: those that differ in the tie policy only."""
    found: dict[tuple[Stated, tuple[int, ...]], list[int]] = {}
    for place, group in enumerate(groups):
        # Rows of a table that say the same of themselves may still be of different tasks.
        rows = group.rows if layout == "wide" else ()
        found.setdefault((replace(group.context, rank_type=None), rows), []).append(place)
    return [(context, places) for (context, _), places in found.items()]


def read_stated(evidence: Evidence, user: Stated, tables: Tables) -> tuple[dict[str, str], list[str]]:
    """Return the keys of the names that the file states, and notes on unknown ones."""
    found, notes = {}, []
    for name, parse in list_parsers(tables).items():
        text = evidence.stated.get(name)
        if text is None:
            continue
        try:
            found[name] = parse(text)
        except UnknownNameError:
            notes.append(f"the file says {name} {text}, which the tables do not have.")
    # Numbers of macro averages say so, or their user does.
    if user.aggregation is None:
        found.setdefault("aggregation", DEFAULT_AGGREGATION)
    return found, notes


def holds(matches: Iterable[Match], name: str, key: str) -> bool:
    """Tell whether any of the sets that fit has this key under that name."""
    return any(getattr(tasks, name) == key for match in matches for tasks in (match.tasks, *match.same))


def list_names(names: Mapping[str, str]) -> str:
    """List names for messages; the usual aggregation goes without saying."""
    shown = [f"{name} {key}" for name, key in names.items() if (name, key) != ("aggregation", DEFAULT_AGGREGATION)]
    return ", ".join(shown)


def select(candidates: TaskSets, names: Mapping[str, str]) -> NDArray[np.bool_]:
    """Return which sets have all of these keys."""
    chosen = np.ones(len(candidates.sets), dtype=bool)
    for name, key in names.items():
        chosen &= candidates.names[name] == key
    return chosen


# No constant is farther from what a piece says, in units of the logarithm: one that agrees outweighs closeness.
_FAR = 10.0


def describe_lack(evidence: Evidence) -> str:
    """Say why there is no evidence at all."""
    reasons = dict.fromkeys(each.reason for each in evidence.dropped)
    remedy = "an adjusted value with its base value, or the number of ranks, is needed"
    return f"the numbers do not show their ranking tasks: {'; '.join(list(reasons)[:3]) or remedy}."


_SOME_RELATIONS = "--relation NAME for each relation, if only some were evaluated"
_OTHER_FILTER = (
    "--counts FILE with your own candidate counts, if the known answers of other splits were removed "
    "(PyKEEN's filter_validation_when_testing=False)"
)


def describe_nearest(
    evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], user: Stated
) -> tuple[str, str]:
    """Say what fits nothing, and name the nearest set of tasks; and the option that may say why, if one does."""
    micro = chosen & (candidates.names["aggregation"] == (user.aggregation or DEFAULT_AGGREGATION))
    places = np.flatnonzero(micro if micro.any() else chosen)
    sound = [piece for piece in evidence.pieces if not piece.doubtful] or list(evidence.pieces)
    distances = []
    for piece in sound:
        lower, upper = (each[places] for each in bound_constant(piece, candidates))
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.abs(np.log(np.clip(piece.value, lower, upper) / piece.value))
        distances.append(np.minimum(np.nan_to_num(away, nan=_FAR), _FAR) + _FAR * ~agrees(piece, lower, upper))
    nearest = int(places[int(np.argmin(np.sum(distances, axis=0)))])
    tasks = candidates.sets[nearest]
    where = f"{tasks.dataset} {tasks.split} {tasks.side} under {tasks.protocol}"
    parts: dict[str, str] = {}
    remedy = ""
    for piece in sound:
        least, most = (float(each[nearest]) for each in bound_constant(piece, candidates))
        if agrees(piece, least, most):
            remedy = remedy or _OTHER_FILTER * (piece.metric is None)
            continue
        if piece.metric is None:
            remedy = _SOME_RELATIONS * bool(piece.value < candidates.num_tasks[nearest])
            alike = candidates.num_tasks == piece.value
            said = {
                "only splits with other constants have": alike[places].any(),
                "only other datasets, splits or sides have": alike.any(),
            }
            who = next((words for words, true in said.items() if true), "no split has")
            parts[f"n = {piece.value:,.0f}"] = (
                f": {who} that many tasks; nearest {where}: {candidates.num_tasks[nearest]:,}"
            )
        else:
            # AMR and AMRI with the same MR say the same.
            shown = f" ({piece.origin}): nearest {where}: {least:.6g}"
            parts.setdefault(f"{piece.label} = {piece.value:.6g}", shown)
    return "; ".join(map("".join, parts.items())) or f"nearest {where}", remedy
