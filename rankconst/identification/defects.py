"""Adjusted values beside the right ones: sets of tasks on which only known defects give what was published."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.identification.ranking import rank
from rankconst.mismatches import CAUSES, Checked, check_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from rankconst.evidence import Evidence
    from rankconst.identification.matches import Match
    from rankconst.results.reading import Entry
    from rankconst.settling import Setting
    from rankconst.tasksets import TaskSets

__all__ = ["MOST_CHECKED", "check_evaluations", "explain", "rank_by_defects"]

MOST_CHECKED = 8
"""Where more sets fit than this, adjusted values are checked against none."""


def rank_by_defects(
    evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], setting: Setting
) -> tuple[Match, ...]:
    """Return the sets with that many tasks on which known defects give at least half of the adjusted values."""
    counts = tuple(piece for piece in evidence.pieces if piece.metric is None)
    by_count = rank(replace(evidence, pieces=counts), candidates, chosen, setting) if counts else ()
    best, explained = explain(evidence, by_count, candidates, setting)
    if not best or 2 * best < sum(bool(piece.entries) for piece in evidence.pieces):
        return ()
    fitting = np.zeros_like(chosen)
    fitting[[candidates.sets.index(match.tasks) for match in explained]] = True
    same = {match.tasks: match.same for match in explained}
    found = rank(evidence, candidates, fitting, setting, share=0.0)
    return tuple(replace(match, same=same[match.tasks]) for match in found)


def explain(
    evidence: Evidence, matches: Sequence[Match], candidates: TaskSets, setting: Setting
) -> tuple[int, tuple[Match, ...]]:
    """Return how many adjusted values are right or wrong in a known way, and those of the matches where most are."""
    pairs = [piece.entries for piece in evidence.pieces if piece.entries]
    scores = []
    for match in matches[:MOST_CHECKED]:
        checked = check_evaluations(pairs, [match], candidates, percent=setting.percent)
        scores.append(sum(each.belongs or (each.cause in CAUSES and CAUSES[each.cause].tells) for each in checked))
    best = max(scores, default=0)
    return best, tuple(match for match, score in zip(matches, scores, strict=False) if score == best)


def check_evaluations(
    evaluations: Iterable[Sequence[Entry]], matches: Sequence[Match], candidates: TaskSets, *, percent: bool
) -> tuple[Checked, ...]:
    """Check adjusted values against every set that fits: one that is right for any of them is right."""
    if not 0 < len(matches) <= MOST_CHECKED:
        return ()
    each_match = []
    for match in matches:
        find = functools.partial(candidates.constants, match.tasks)
        each_match.append([one for each in evaluations for one in check_entries(each, find, percent=percent)])
    return tuple(max(verdicts, key=lambda one: one.belongs) for verdicts in zip(*each_match, strict=True))
