"""Ranking tasks of one's own, given by nothing but their numbers of candidates.

Constants depend on how many candidates each task has, and on nothing else. So whoever knows these numbers can adjust
the results of any evaluation: typed candidates, relation prediction, temporal filters, recommender systems.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import ENTITY_SIDES, OWN_COUNTS, parse_side
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram, Tasks
from rankconst.values.constants import Constants

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankconst.catalogue.metrics import Metric
    from rankconst.tables.own_answers import Answers


@dataclass(frozen=True, slots=True)
class Counts:
    """Ranking tasks with their numbers of candidates.

    Attributes
    ----------
    name
        What messages call them.
    sides
        Side to the histogram of its tasks; only ``both`` where sides were not told apart.
    """

    name: str
    sides: Mapping[str, Histogram]

    def histogram(self, side: str = "both") -> Histogram:
        """Return the candidate counts of a side; ``both`` pools head and tail.

        Raises
        ------
        UnknownNameError
            If there is no such side.
        """
        key = parse_side(side)
        if key in self.sides:
            return self.sides[key]
        missing = [each for each in ENTITY_SIDES if each not in self.sides] if key == "both" else [key]
        if missing:
            raise UnknownNameError(f"{self.name}: no tasks of side {missing[0]}; there is: {', '.join(self.sides)}.")
        return functools.reduce(Histogram.pool, [self.sides[each] for each in ENTITY_SIDES])

    def constants(self, metric: str | Metric, side: str = "both") -> Constants:
        """Compute the constants of a metric.

        Parameters
        ----------
        metric
            In any usual spelling; also one that tables have no rows for, such as ``hits@7``.
        side
            ``head``, ``tail``, ``both`` or ``relation``.

        Returns
        -------
        Constants
            The same object as :meth:`rankconst.tables.tables.Tables.constants` returns.

        Raises
        ------
        UnknownNameError
            If the metric or the side is unknown, or Hits@k has no k.
        """
        parsed, histogram = parse_metric(metric), self.histogram(side)
        aggregation = "own weights" if histogram.is_weighted else DEFAULT_AGGREGATION
        tasks = Tasks(self.name, OWN_COUNTS.key, "", parse_side(side), aggregation)
        return Constants(tasks, parsed, histogram, compute_moments(parsed, histogram))


@overload
def from_counts(
    counts: ArrayLike | Mapping[str, ArrayLike],
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    relevant: None = None,
    name: str = "these tasks",
) -> Counts: ...
@overload
def from_counts(
    counts: ArrayLike, weights: ArrayLike | None = None, *, relevant: ArrayLike, name: str = "these tasks"
) -> Answers: ...
def from_counts(
    counts: ArrayLike | Mapping[str, ArrayLike],
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    relevant: ArrayLike | None = None,
    name: str = "these tasks",
) -> Counts | Answers:
    """Describe ranking tasks by their numbers of candidates, or queries that have several right answers.

    Parameters
    ----------
    counts
        For each task, how many candidates are ranked, the true answer included; in any order. Shape (n,), whole
        numbers >= 1. Or a mapping from side (``head``, ``tail``, ``relation``) to such an array, not
        ``{num_candidates: num_tasks}``: write that out with ``np.repeat``. Or an evaluator of PyKEEN,
        ``RankBasedEvaluator(clear_on_finalize=False)``, after an evaluation.
    weights
        What each task counts in the average, of the same shape; each counts once if None.
    relevant
        How many of the candidates are right, one number or one for each query; then `counts` may be one number, too. If
        None, one of each task's candidates is right.
    name
        What messages call the tasks.

    Returns
    -------
    Counts, or Answers if `relevant` is given
        Whose ``constants`` follow from these counts alone, with the error and method of
        :class:`~rankconst.moments.Moments`.

    Raises
    ------
    DataError
        If a count is not a whole number >= 1, or a weight is not positive.
    UnknownNameError
        If a side is unknown.
    UsageError
        If counts and weights are not of the same kind.

    Examples
    --------
    Three tasks with 2, 4 and 4 candidates: a random ranker has a mean rank of (1.5 + 2.5 + 2.5) / 3.

    >>> mr = from_counts([2, 4, 4]).constants("mr")
    >>> round(mr.expectation, 12)
    2.166666666667
    >>> mr.adjust(1.5).index
    0.5714285714285714

    A thousand users, 20 of 500 items right for each: of ten random items 0.4 are.

    >>> round(from_counts([500] * 1000, relevant=20).constants("precision@10").expectation, 12)
    0.04
    """
    counts = _take_counts(counts)
    if relevant is not None:
        from rankconst.tables.own_answers import gather_answers

        if isinstance(counts, Mapping) or isinstance(weights, Mapping):
            raise UsageError("queries with several right answers have no sides: give counts and weights as arrays.")
        return gather_answers(counts, relevant, weights, name)
    if not isinstance(counts, Mapping):
        if isinstance(weights, Mapping):
            raise UsageError("weights are given for each side, counts are not. Give both by side, or both as arrays.")
        return Counts(name, {"both": Histogram.from_counts(counts, weights=weights)})
    by_side = _key_by_side(counts)
    if weights is not None and not isinstance(weights, Mapping):
        raise UsageError("counts are given for each side, weights are not. Give both by side, or both as arrays.")
    weighed = {} if weights is None else _key_by_side(weights)
    if weights is not None and set(weighed) != set(by_side):
        raise UsageError(f"counts are of {', '.join(by_side)}, weights of {', '.join(weighed) or 'no side'}.")
    return Counts(
        name, {side: Histogram.from_counts(each, weights=weighed.get(side)) for side, each in by_side.items()}
    )


def _take_counts(counts: Any) -> Any:
    """Return the counts that an evaluator of PyKEEN keeps, by side; others as they are."""
    kept = getattr(counts, "num_candidates", None)
    if not isinstance(kept, Mapping):
        return counts
    if not any(map(len, kept.values())):
        raise DataError("the evaluator holds no counts: make it with RankBasedEvaluator(clear_on_finalize=False).")
    return {
        str(side): np.concatenate([np.ravel(batch) for batch in batches]) for side, batches in kept.items() if batches
    }


def _key_by_side(given: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
    if not all(isinstance(side, str) for side in given):
        raise UsageError(
            "a mapping goes from side to the counts of its tasks, {'head': [4, 4], 'tail': [4, 9]}. Of a mapping "
            "{num_candidates: num_tasks} write each count out: np.repeat([*counts], [*counts.values()])."
        )
    keys = [parse_side(side) for side in given]
    if not keys or len(set(keys)) < len(keys) or "both" in keys:
        raise UsageError(f"expected head, tail or relation, each once; got {', '.join(given) or 'no side'}.")
    return dict(zip(keys, given.values(), strict=True))
