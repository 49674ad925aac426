r"""Numbers of a tool that leaves out the last, incomplete batch of evaluation triples.

Some tools rank whole batches only, and which evaluation triples they left out is not known. Of n
triples, n' = floor(n / batch) batch are ranked. The metrics covered are means over tasks, so over
the ranked tasks R, t of them,

.. math:: E = \frac1t \sum_{i \in R} e_i, \qquad Var = \frac1{t^2} \sum_{i \in R} v_i

with e and v the mean and variance of one task. Whatever R is, E lies between the means of the t
smallest and the t largest e_i, and the sum of variances likewise. The adjusted forms are monotone
in the value, in E and in Var, so over all that is possible they are extreme at corners. A triple's
head and tail are left out together, but for side ``both`` the bounds are over any t tasks of either
side: wider than need be, and valid.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.errors import DataError, UndefinedError
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram
from rankconst.values.affine import ADJUSTMENTS, map_corners
from rankconst.values.published import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants


def count_ranked(num_tasks: int, side: str, batch: int) -> int:
    """Count the tasks in whole batches of triples, the only ones that some tools rank.

    Of 201 triples, ranked on both sides, one batch of 128 is whole:

    >>> count_ranked(402, "both", 128)
    256
    """
    sides = 2 if side == "both" else 1
    triples, odd = divmod(num_tasks, sides)
    if odd:
        raise DataError(
            f"{num_tasks} tasks cannot be those of both sides; expected two for each triple."
        )
    if triples < batch:
        raise UndefinedError(
            f"nothing was ranked: only whole batches of {batch} triples are, "
            f"and there are {triples} triples."
        )
    return triples // batch * batch * sides


def adjust_dropped(
    constants: Constants, value: Any, lower: Any, upper: Any, batch: int
) -> Adjusted:
    """Adjust values of a tool that leaves out the last, incomplete batch of triples.

    It is unknown which tasks were ranked. The forms are those of an average choice of tasks, and
    their intervals hold for every choice. A form is None if it is undefined for some choice.
    """
    central = draw_evenly(constants, batch)
    adjusted = central.adjust_between(value, lower, upper)
    if central is constants or constants.histogram.is_weighted:  # no task was left out
        return adjusted

    bounds = _bound_moments(constants.metric, constants.histogram, central.num_tasks)
    corners = [
        replace(central.moments, expectation=expectation, variance=variance)
        for expectation, variance in product(*bounds)
    ]
    widened: dict[str, Any] = {}
    undefined = []
    for name in ADJUSTMENTS:
        try:
            widened[f"{name}_interval"] = map_corners(
                name, constants.metric, corners, adjusted.value_interval
            )
        except UndefinedError:
            widened[name] = widened[f"{name}_interval"] = None
            undefined.append(name)

    if not undefined:
        return replace(adjusted, **widened)

    columns = " and ".join(constants.metric.column_of(form) for form in undefined)
    reason = (
        f"{columns} cannot be computed: which {central.num_tasks:,} of the "
        f"{constants.num_tasks:,} tasks were ranked is unknown, and on some a random ranker is "
        "always perfect."
    )
    reasons = dict.fromkeys(undefined, reason) | dict(adjusted.undefined)
    return replace(adjusted, **widened, undefined=reasons)


def draw_evenly(constants: Constants, batch: int) -> Constants:
    """Return the constants of a tool that ranks whole batches of triples only.

    It is unknown which tasks it leaves out. The ranked ones are taken to have the mean expectation
    and the mean variance of all. The same object is returned if no task is left out.

    Raises UndefinedError if no batch is whole, for a metric that is not a mean over tasks, a macro
    average, single relations, tasks that share their negatives, and baselines other than chance.
    """
    metric, histogram = constants.metric, constants.histogram
    if not constants.tasks.is_chance:
        raise _refuse("other baselines than chance.")
    if not metric.is_mean:
        raise _refuse(f"{metric.label}, which is not a mean over tasks.")
    if histogram.is_weighted:
        raise _refuse("a macro average: weights depend on it too.")
    if histogram.shared:
        raise _refuse("tasks that share their negatives.")
    if constants.tasks.relations:
        raise _refuse("some relations: how many of their triples is not known.")

    ranked = count_ranked(constants.num_tasks, constants.tasks.side, batch)
    if ranked == constants.num_tasks:
        return constants

    # A mean over n independent tasks of mean variance v has the variance v / n, and over t of them
    # v / t.
    variance = constants.variance * constants.num_tasks / ranked
    moments = replace(constants.moments, variance=variance)
    # The tasks with the most candidates have the worst value: no possible one is refused. Sizes
    # ascend, so that they come first in reverse order.
    num_tasks = _take(histogram.num_tasks[::-1], ranked)[::-1]
    is_kept = num_tasks > 0
    largest = Histogram(histogram.num_candidates[is_kept], num_tasks[is_kept])
    # What the index has of all tasks (_indexed) no longer holds.
    return replace(constants, candidates=largest, moments=moments, _indexed=None)


def _refuse(tasks: str) -> UndefinedError:
    """Return the error for tasks on which the effect of a dropped batch is unknown."""
    return UndefinedError(
        "the triples of the last, incomplete batch were left out, and the effect of that is not "
        f"known for {tasks} Leave out the tool and name its protocol, to adjust as if all triples "
        "had been ranked."
    )


@functools.lru_cache(maxsize=64)
def _bound_moments(metric: Metric, histogram: Histogram, ranked: int) -> tuple[Interval, Interval]:
    """Return bounds of expectation and variance over any `ranked` of the tasks.

    The histogram is unweighted, and the metric a mean over tasks: its expectation is the mean of
    those of single tasks, its variance the sum of theirs over the square of `ranked`.
    """
    singles = [
        compute_moments(metric, Histogram.from_counts([size])) for size in histogram.num_candidates
    ]

    def bound(name: str, divisor: int) -> Interval:
        values = np.array([getattr(single, name) for single in singles])
        errors = np.array([getattr(single, f"{name}_error") for single in singles])
        smallest = _add_smallest(values - errors, histogram.num_tasks, ranked)
        largest = -_add_smallest(-(values + errors), histogram.num_tasks, ranked)
        return Interval(smallest / divisor, largest / divisor)

    return bound("expectation", ranked), bound("variance", ranked * ranked)


def _add_smallest(values: NDArray[np.float64], num_tasks: NDArray[np.int64], ranked: int) -> float:
    """Return the sum of the `ranked` smallest values, given how often each occurs."""
    order = np.argsort(values, kind="stable")
    return math.fsum((values[order] * _take(num_tasks[order], ranked)).tolist())


def _take(num_tasks: NDArray[np.int64], ranked: int) -> NDArray[np.int64]:
    """Return how many tasks of each group are among the first `ranked`."""
    before = np.cumsum(num_tasks) - num_tasks
    first: NDArray[np.int64] = np.minimum(np.maximum(ranked - before, 0), num_tasks)
    return first
