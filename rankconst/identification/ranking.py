"""The sets of tasks that evidence fits best, the likely ones first."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.errors import UnknownNameError
from rankconst.identification.agreement import agrees, bound_constant, find_best, weigh
from rankconst.identification.matches import Comparison, Match
from rankconst.protocols import PROTOCOLS, SIDES, SPLITS
from rankconst.sources import parse_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankconst.evidence import Evidence
    from rankconst.settling import Setting
    from rankconst.tasksets import TaskSet, TaskSets

__all__ = ["rank"]

# Of a metric without rows in the tables, the constants of so many sets are computed at most.
_MOST_COMPUTED = 100


def rank(
    evidence: Evidence,
    candidates: TaskSets,
    chosen: NDArray[np.bool_],
    setting: Setting,
    *,
    share: float = 0.5,
) -> tuple[Match, ...]:
    """Return the sets that fit best, those with the same constants as one; `share` of what counts must agree."""
    places = np.flatnonzero(chosen)
    bounds = [tuple(each[places] for each in bound_constant(piece, candidates)) for piece in evidence.pieces]
    agreement = np.array([agrees(piece, *ends) for piece, ends in zip(evidence.pieces, bounds, strict=True)])
    expected = np.array([ends[0] for ends in bounds])
    if not places.size:
        return ()
    # What the tables have no rows of is computed, for those sets only that the rest leaves open.
    for row, (piece, (lower, upper)) in enumerate(zip(evidence.pieces, bounds, strict=True)):
        if piece.metric is None or np.array_equal(lower, upper, equal_nan=True):
            continue
        best = np.flatnonzero(find_best(evidence, agreement))
        agreement[row] &= False
        for column in best[:_MOST_COMPUTED]:
            constants = candidates.constants(candidates.sets[places[column]], piece.metric)
            expected[row, column] = constants.expectation
            agreement[row, column] = agrees(piece, constants.expectation, constants.expectation)
    fits = np.flatnonzero(find_best(evidence, agreement))
    weights = weigh(evidence)
    if not fits.size or float(weights @ agreement[:, fits[0]]) < share * weights.sum():
        return ()
    groups: dict[tuple[int, bytes, bytes], list[int]] = {}
    for column in fits.tolist():
        groups.setdefault(candidates.signature(int(places[column])), []).append(column)
    prefer = functools.partial(_preference, protocol=_likely_protocol(evidence, setting))
    matches = []
    for columns in groups.values():
        first, *others = sorted((candidates.sets[places[column]] for column in columns), key=prefer)
        comparisons = tuple(
            Comparison(piece, float(expected[row, columns[0]]), bool(agreement[row, columns[0]]))
            for row, piece in enumerate(evidence.pieces)
        )
        matches.append(Match(first, tuple(others), comparisons))
    return tuple(sorted(matches, key=lambda match: (*prefer(match.tasks)[:1], match.largest_difference)))


def _likely_protocol(evidence: Evidence, setting: Setting) -> str | None:
    for source in (setting.source, evidence.source):
        if source is not None:
            try:
                return parse_source(source).protocol
            except UnknownNameError:
                continue
    return None


def _preference(tasks: TaskSet, protocol: str | None) -> tuple[Any, ...]:
    """Sort the likely protocol first, then the order in which users think."""
    protocols = [protocol, *PROTOCOLS]
    return (
        tasks.protocol != protocol,
        protocols.index(tasks.protocol) if tasks.protocol in protocols else len(protocols),
        ("both", *SIDES).index(tasks.side),
        ("test", *SPLITS).index(tasks.split),
        tasks.dataset,
    )
