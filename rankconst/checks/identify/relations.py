"""Evaluations of a few relations only: the ranking tasks of one or two, where nothing else fits.

Their number of ranks is tried first, then E[MR], then everything that the numbers say: all of it must agree. So many
sets are tried that what fits is weighed by how many would by chance.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.checks.identify.matches import Comparison, Comparisons, Match, agrees, join_alike, prefer, preference
from rankconst.constants.published import NOISE
from rankconst.tables.search import NEAR, ComputedSets, RelationSets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.checks.identify.evidence import Evidence
    from rankconst.evaluation import Stated
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks

# How many relations may be together: of more there are too many sets to try.
_SIZES = (1, 2)
# Where more sets have that many ranks and that E[MR], the numbers tell too little.
_MOST_COMPARED = 100
_MEAN_RANK = parse_metric("MR")
# Further metrics tell little that these do not.
_MOST_WEIGHED = 3
# Relations whose expectations differ by less are alike.
_EQUAL = 1e-12


def rank_relations(evidence: Evidence, tables: Tables, names: Mapping[str, str], user: Stated) -> tuple[Match, ...]:
    """Return the sets of as few relations as possible that all evidence fits, those with the same candidates as one."""
    if names.get("aggregation", DEFAULT_AGGREGATION) != DEFAULT_AGGREGATION:
        return ()
    counts = [int(piece.value) for piece in evidence.pieces if piece.metric is None]
    means = [piece for piece in evidence.pieces if piece.kind == "expectation" and piece.metric == _MEAN_RANK]
    if len(counts) != 1 or not means:
        return ()
    (count,), mean = counts, min(means, key=lambda piece: piece.precision)
    sets = RelationSets.of(tables)
    around = [
        place for place in np.flatnonzero(sets.select(names)).tolist() if sets.groups[place].protocol in PROTOCOLS
    ]
    # The mean of a few relations lies between theirs.
    possible = sets.can_have(mean.interval.lower * (1 - NOISE), mean.interval.upper * (1 + NOISE))
    for size in _SIZES:
        near: list[Tasks] = []
        for place in (place for place in around if possible[place]):
            alike, expected = _try(sets, place, size, count)
            fitting = alike[agrees(mean, expected, expected)][: _MOST_COMPARED + 1]
            relations = sets.relations[sets.find_own(place)]
            near += [replace(sets.groups[place], relations=tuple(relations[row])) for row in fitting]
        if len(near) > _MOST_COMPARED:
            break
        if near and (found := _match(evidence, near, tables, user)):
            tried = _count_tried(sets, around, size, count, mean.value)
            # No number tells more of a few tasks than how many candidates each has: not of which graph they are.
            floors = [0.0 if "dataset" in names else _share_pinned(match.tasks, tables) for match in found]
            pairs = zip(found, floors, strict=True)
            return tuple(replace(match, by_chance=tried * max(match.by_chance, floor)) for match, floor in pairs)
    return ()


def _try(sets: RelationSets, place: int, size: int, count: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the sets of so many relations of a group that have `count` tasks together, and E[MR] of each."""
    own = sets.find_own(place)
    alike = combine(sets.num_tasks[own], size, count)
    return alike, sets.totals[own][alike].sum(axis=1) / (2 * count)


def _count_tried(sets: RelationSets, places: Iterable[int], size: int, count: int, mean: float) -> int:
    """Count the sets with as many tasks whose E[MR] is near; those of protocols with the same candidates once."""
    tried: dict[object, int] = {}
    for place in places:
        tasks, (_, expected) = sets.groups[place], _try(sets, place, size, count)
        near = expected[np.abs(np.log(expected / mean)) < NEAR]
        tried[tasks.dataset, tasks.split, tasks.side, near.tobytes()] = near.size
    return sum(tried.values())


def combine(num_tasks: NDArray[np.int64], size: int, count: int) -> NDArray[np.intp]:
    """Return one or two relations that have `count` tasks together, a row each."""
    if size == 1:
        return np.argwhere(num_tasks == count)
    return np.argwhere(np.triu(num_tasks[:, np.newaxis] + num_tasks == count, 1))


def _match(evidence: Evidence, near: Sequence[Tasks], tables: Tables, user: Stated) -> tuple[Match, ...]:
    """Return those that everything agrees with, and the share of others with as many tasks that would."""
    sets = ComputedSets(tables, tuple(near))
    compared = Comparisons.of(evidence, sets)
    signs = {
        column: tables.histogram(near[column]) for column in np.flatnonzero(~compared.against.any(axis=0)).tolist()
    }
    order = functools.partial(preference, protocol=prefer(evidence, user))
    matches = []
    for column, (first, *others) in join_alike(near, signs, order):
        comparisons = compared.list_at(column)
        share = _share(comparisons, first, tables)
        matches.append(Match(first, tuple(others), int(sets.num_tasks[column]), comparisons, share))
    return tuple(sorted(matches, key=lambda match: order(match.tasks)))


def _share(comparisons: Iterable[Comparison], tasks: Tasks, tables: Tables) -> float:
    """Estimate which share of sets with as many tasks fits by chance, by how much the relations differ.

    What is left of their differences in one metric, given those before it, tells how much that metric adds.
    """
    means = sorted(
        (each for each in comparisons if each.piece.kind == "expectation" and each.agrees),
        key=lambda each: each.open_by,
    )
    metrics = {each.piece.metric: each for each in reversed(means)}
    told = list(dict.fromkeys(each.piece.metric for each in means))[:_MOST_WEIGHED]
    names = tables.relations(tasks)
    relations = [replace(tasks, relations=(name,)) for name in names]
    logs = np.log([[tables.look_up(one, metric).expectation for metric in told if metric] for one in relations])
    triangle = np.linalg.qr(logs - logs.mean(axis=0), mode="r")
    spread = np.abs(np.diagonal(triangle)) / np.sqrt(len(relations))
    histogram = tables.histogram(tasks)
    total = float(histogram.num_tasks @ (histogram.num_candidates + 1))
    share = 1.0
    for metric, width in zip(told, spread.tolist(), strict=False):
        open_by = metrics[metric].open_by
        if metric == _MEAN_RANK:
            # N is whole: of few tasks with few candidates, E[MR] has few values.
            open_by = max(open_by, 0.5 / total)
        # Means over more tasks differ less.
        share *= min(2 * open_by * math.sqrt(histogram.total) / max(width, _EQUAL), 1.0)
    return share


def _share_pinned(tasks: Tasks, tables: Tables) -> float:
    """Return the share of tasks like those of a whole split that have, one by one, the same candidates."""
    whole = tables.histogram(replace(tasks, relations=()))
    deviation = math.sqrt(float(whole.num_tasks @ np.square(whole.num_candidates - whole.mean)) / whole.total)
    return float((1 + deviation) ** -tables.histogram(tasks).total)
