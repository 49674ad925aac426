"""Evaluations of one or two relations, or among equally many candidates: what no set of the tables holds whole.

Both follow from the number of ranks and the expectations, by arithmetic, where those are printed in full: then no other
numbers of candidates give the same.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.metrics import POWER_MEANS
from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.checks.matches import Match, agrees, prefer, preference
from rankconst.moments import compute_moments
from rankconst.tables.search import RelationSets
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from rankconst.checks.evidence import Evidence, Piece
    from rankconst.evaluation import Stated
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks

# The largest relative error of what numbers in full tell, which tools form with 32 bits; nothing coarser is tried.
_FULL = 1e-5
# At least so many metrics have to agree: one may do so by chance.
_FEWEST_METRICS = 2
# Few tasks may have equally many candidates by chance: they may be those of a relation.
_FEW = 100
_MEAN_RANK = next(metric for metric in POWER_MEANS if metric.exponent == 1)


def _read_full(evidence: Evidence) -> tuple[int, Piece, list[Piece]] | None:
    """Return the number of ranks, E[MR], and every expectation in full; None if they are not all there."""
    counts = [int(piece.value) for piece in evidence.pieces if piece.metric is None]
    full = [piece for piece in evidence.pieces if piece.kind == "expectation" and piece.precision < _FULL]
    means = [piece for piece in full if piece.metric == _MEAN_RANK]
    enough = len({piece.metric for piece in full}) >= _FEWEST_METRICS
    return (counts[0], means[0], full) if len(counts) == 1 and means and enough else None


def find_equal(evidence: Evidence) -> str:
    """Return the protocol if all tasks have equally many candidates, from which all expectations follow; else empty."""
    if (told := _read_full(evidence)) is None or told[0] < _FEW:
        return ""
    count, mean, full = told
    size = round(2 * mean.value - 1)
    if size < 2 or not _follow(full, Histogram.from_counts([size], [count])):
        return ""
    return f"sampled:{size - 1}"


def contradict(evidence: Evidence, histogram: Histogram) -> str:
    """Return what numbers in full have otherwise than tasks with these candidates; nothing if they fit."""
    if (told := _read_full(evidence)) is None:
        return ""
    count, mean, expected = told[0], told[1], (histogram.mean + 1) / 2
    if count != histogram.total:
        return f"n = {count:,}, expected {histogram.total:,}"
    fits = agrees(mean, expected, expected)
    return "" if fits else f"{mean.label} = {mean.value:.6g} ({mean.origin}), expected {expected:.6g}"


def find_relations(evidence: Evidence, tables: Tables, names: Mapping[str, str], user: Stated) -> tuple[Match, ...]:
    """Return the sets of one relation, or else of two, that the numbers fit; those with the same candidates as one."""
    if (told := _read_full(evidence)) is None or names.get("aggregation", "micro") != "micro":
        return ()
    count, mean, full = told
    protocol, sets = prefer(evidence, user), RelationSets.of(tables)
    for size in (1, 2):
        alike: dict[Histogram, list[Tasks]] = {}
        for tasks in _list_near(sets, names, size, count, mean):
            histogram = tables.histogram(tasks)
            if histogram in alike or _follow(full, histogram):
                alike.setdefault(histogram, []).append(tasks)
        if alike:
            every = [sorted(each, key=lambda tasks: preference(tasks, protocol=protocol)) for each in alike.values()]
            # Each set of the tables that was tried may be met by chance.
            tried = 0 if "dataset" in names else len(sets.groups)
            return tuple(
                Match(first, tuple(same), count, (), by_chance=tried * _share_pinned(first, tables))
                for first, *same in every
            )
    return ()


def _share_pinned(tasks: Tasks, tables: Tables) -> float:
    """Return the share of tasks like those of a whole split that have, one by one, the same candidates."""
    # No number tells more of a few tasks than how many candidates each has: not of which graph they are.
    whole = tables.histogram(replace(tasks, relations=()))
    deviation = math.sqrt(float(whole.num_tasks @ np.square(whole.num_candidates - whole.mean)) / whole.total)
    return float((1 + deviation) ** -tables.histogram(tasks).total)


def _follow(full: list[Piece], histogram: Histogram) -> bool:
    """Tell whether all expectations are those of some numbers of candidates."""
    known = ((piece, compute_moments(piece.metric or _MEAN_RANK, histogram).expectation) for piece in full)
    return all(agrees(piece, expectation, expectation) for piece, expectation in known)


def _list_near(sets: RelationSets, names: Mapping[str, str], size: int, count: int, mean: Piece) -> Iterator[Tasks]:
    """Yield the sets of so many relations that have that many tasks together, and that E[MR]."""
    for tasks, (relations, num_tasks, totals) in sets.groups.items():
        if tasks.protocol not in PROTOCOLS or any(getattr(tasks, name) != key for name, key in names.items()):
            continue
        # The mean of a few relations lies between theirs.
        expected = totals / (2 * num_tasks)
        if expected.min() <= mean.interval.upper and expected.max() >= mean.interval.lower:
            together = combine(num_tasks, size, count)
            found = totals[together].sum(axis=1) / (2 * count)
            for row in together[agrees(mean, found, found)]:
                yield replace(tasks, relations=tuple(relations[row]))


def combine(num_tasks: NDArray[np.int64], size: int, count: int) -> NDArray[np.intp]:
    """Return one or two relations that have `count` tasks together, a row each."""
    if size == 1:
        return np.argwhere(num_tasks == count)
    return np.argwhere(np.triu(num_tasks[:, np.newaxis] + num_tasks == count, 1))
