r"""The probabilities of a random ranker's values, cell by cell.

They are differences of tail probabilities (:mod:`rankconst.tails`). For sums on no lattice these
are slow, and the cells of width D/C that split a period D come from one Fourier series,

.. math:: P(a \le S < b) = \frac{b - a}{D} + \frac{2}{D} \operatorname{Re} \sum_{m \ge 1}
          \varphi(w_m) \frac{e^{-i w_m a} - e^{-i w_m b}}{i w_m}, \qquad w_m = \frac{2 \pi m}{D},

with the characteristic function of S; what lies outside the period is negligible (Abate and Whitt
1992, *Queueing Systems* 10, 5, section 5). Where it does not fall, the tasks are few, and the tails
are quick.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.errors import UndefinedError
from rankconst.tails import TAILS, explain_lack, tail_probability
from rankconst.tails.distributions import Tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram
    from rankconst.values.constants import Constants

    Values = NDArray[np.float64]


_CELLS = 96
# The most that a cell may be off, as a share of the likeliest one: less than a line's width.
_VISIBLE = 0.01
# The characteristic function counts as zero below the first; the second is how many terms are
# tried.
_GONE = 1e-7
_TERMS = (64, 256, 1024, 4096)


@dataclass(frozen=True, slots=True)
class Density:
    """The distribution of a random ranker's values."""

    # The ends of cells in units of the metric, shape (C + 1,), ascending; and the probability of
    # each, shape (C,).
    edges: Values
    probabilities: Values
    # False if the law is not known, and a normal one with its expectation and variance replaces it.
    exact: bool


def compute_density(constants: Constants, lower: float, upper: float) -> Density:
    """Compute how probable a random ranker's values between two ends are, in fewer than 200 cells.

    What the metric cannot reach is left out. Raises UndefinedError if every ranker gets the same.
    """
    if constants.variance == 0:
        raise UndefinedError(
            f"no distribution can be drawn: every ranker gets {constants.metric.label} = "
            f"{constants.expectation:g} on {constants.tasks.dataset} "
            f"({constants.tasks.describe()})."
        )
    edges = _cut_cells(constants, lower, upper)
    probabilities = _compute_cells(constants, edges)
    if probabilities is not None:
        return Density(edges, probabilities, exact=True)
    deviation = math.sqrt(2.0 * constants.variance)
    below = [0.5 * math.erfc((constants.expectation - edge) / deviation) for edge in edges.tolist()]
    return Density(edges, np.diff(below), exact=False)


def _cut_cells(constants: Constants, lower: float, upper: float) -> Values:
    """Return the edges of cells; if the metric counts, each holds the same number of values."""
    metric = constants.metric
    # Every rank first is always possible; nothing lies beyond it, or beyond the worst.
    ends = sorted((constants.worst, constants.worst if metric.optimum is None else metric.optimum))
    lower, upper = max(lower, ends[0]), min(upper, ends[1])
    if not metric.is_counted or constants.histogram.is_weighted:
        # Half a cell beyond either end: what lies on it is to be counted.
        margin = (upper - lower) / (2 * _CELLS)
        return np.linspace(lower - margin, upper + margin, _CELLS + 1)
    n = constants.num_tasks
    first, last = math.floor(lower * n + 0.5), math.ceil(upper * n - 0.5)
    step = max(1, (last - first + 1) // _CELLS)
    edges: Values = (np.arange(first, last + step + 1, step) - 0.5) / n
    return edges


def _compute_cells(constants: Constants, edges: Values) -> Values | None:
    """Return the probabilities of the cells between edges; None if an error would be visible.

    They are the differences of the tail probabilities at the edges, or the terms of the series.
    """
    metric, histogram = constants.metric, constants.histogram
    if histogram.is_weighted or explain_lack(metric, histogram):
        return None
    series = _sum_series(constants, edges)
    if series is not None:
        return series
    tails = [_find_tail(metric, histogram, edge) for edge in edges.tolist()]
    probabilities = np.array([tail.probability for tail in tails])
    errors = math.log(10.0) * np.array([tail.error for tail in tails]) * probabilities
    cells: Values = np.abs(np.diff(probabilities))
    if np.any(errors + UNIT_ROUNDOFF >= _VISIBLE * cells.max()):
        return None
    return cells


def _find_tail(metric: Metric, histogram: Histogram, value: float) -> Tail:
    """Compute a tail probability; it is 0 or 1 for values that the metric cannot have."""
    if value < metric.lower:
        is_certain = metric.increasing
    elif value > metric.upper:
        is_certain = not metric.increasing
    else:
        return tail_probability(metric, histogram, value)
    return Tail(0.0 if is_certain else -math.inf, 0.0, "exact")


def _sum_series(constants: Constants, edges: Values) -> Values | None:
    """Return the probabilities of cells by the Fourier series; None if it is not known to end."""
    rule, histogram = TAILS[constants.metric.family], constants.histogram
    if rule.transform is None:
        return None
    law = rule.make(histogram, constants.metric)
    # A margin may lie below every value that has a logarithm.
    x = np.sort(histogram.total * rule.transform(np.maximum(edges, np.finfo(np.float64).tiny)))
    # Two windows away from the window, at least nine standard deviations, nothing is left to be
    # folded into it.
    step = 2.0 * math.pi / (3.0 * float(x[-1] - x[0]))
    for terms in _TERMS:
        w = step * np.arange(1.0, terms + 1)
        law_at = np.exp(law.cgf((1j * w).astype(np.complex128), True))
        if np.max(np.abs(law_at[terms // 2 :])) < _GONE:
            waves = np.exp(-1j * np.outer(x, w)) @ (law_at / (1j * w))
            summed = step / (2.0 * math.pi) * np.diff(x) - step / math.pi * np.diff(waves.real)
            # Larger sums are better: smaller values, for a metric that decreases.
            summed = summed if constants.metric.increasing else summed[::-1]
            return np.asarray(summed, dtype=np.float64)
    return None
