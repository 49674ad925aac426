"""How many hits tell a model apart from a baseline.

A page looks p up in these levels, and computes no distribution.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR
from rankconst.tails import explain_lack, tail_probability
from rankconst.tasks import offsets_of
from rankconst.verdicts import LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram, Tasks

_HELD_TO = {DEFAULT_BASELINE, FLOOR}
# So much below the level that errors of floating point do not decide.
_BELOW = LEVEL * (1 - 1e-9)
_QUANTILE = 1.6449  # of the normal distribution at 5 %


def has_levels(tasks: Tasks, metric: Metric, histogram: Histogram) -> bool:
    """Tell whether a page judges numbers by levels.

    It does so for Hits@k on the test set, against chance and counting.
    """
    if metric.hits_k is None or tasks.split != "test" or tasks.baseline not in _HELD_TO:
        return False
    return not explain_lack(metric, histogram)


@functools.cache
def find_levels(metric: Metric, histogram: Histogram) -> tuple[int, int]:
    """Return the fewest hits that beat a baseline, p < 0.05, and the fewest that are not worse."""

    @functools.cache
    def reach(hits: int) -> float:
        """Return the probability of at least this number of hits."""
        if hits <= 0:
            return 1.0
        if hits > histogram.total:
            return 0.0
        return tail_probability(metric, histogram, hits / histogram.total).probability

    better = _find_first(_guess(metric, histogram, _QUANTILE), lambda hits: reach(hits) <= _BELOW)
    # Fewer are worse: in at least 95 % of all cases the baseline gets more.
    worse = _find_first(
        _guess(metric, histogram, -_QUANTILE), lambda hits: reach(hits) < 1 - _BELOW
    )
    return better, worse - 1


def _guess(metric: Metric, histogram: Histogram, quantile: float) -> int:
    """Return a quantile of the number of hits by its first three moments (Cornish and Fisher)."""
    places = (metric.hits_k or 0) - offsets_of(histogram)
    chances = np.clip(places / histogram.num_candidates, 0.0, 1.0)
    tasks = histogram.num_tasks
    mean = float((tasks * chances).sum())
    variance = float((tasks * chances * (1 - chances)).sum())
    if variance < 1:
        return round(mean)
    third = float((tasks * chances * (1 - chances) * (1 - 2 * chances)).sum())
    skewed = (quantile**2 - 1) * third / (6 * variance)
    return round(mean + quantile * math.sqrt(variance) + skewed + 0.5)


def _find_first(guess: int, holds: Callable[[int], bool]) -> int:
    """Return the least whole number for which a condition holds that holds for all larger ones."""
    while not holds(guess):
        guess += 1
    while holds(guess - 1):
        guess -= 1
    return guess
