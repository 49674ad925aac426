r"""Means of smooth functions of a rank that is uniform on a block a+1 .. a+T.

Many blocks are averaged at once. A block is cut into panels within which ranks at most double.
Short ones are summed term by term, the others by Gauss's rule for sums (:mod:`.summation`), so that
a block of any size takes a few dozen points. All weights are positive: the rule is itself the law
of a rank. So means and central moments of functions that vary on the scale of their argument
(powers, logarithms, exponentials of these) come to rounding, and nothing cancels. (Derived here.)

Points are kept relative to the block's mean rank c. With u = r/c - 1, central moments of r^q follow
from those of expm1(q log1p(u)): they keep their relative accuracy in narrow blocks far out, a >> T.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF, Moments
from rankconst.moments.summation import gram_rules
from rankconst.tasks import Histogram, offsets_of

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.doubles import Counts, Values


# Panels of up to that many ranks are summed term by term, longer ones by a rule of that many nodes:
# on ranks that double, it errs by (3 + sqrt 8)^-32 for 1/r.
_TERM_BY_TERM, _NODES = 64, 16
# Rules formed together.
_LENGTHS = 2048
# With more rows than that, where two routes lead to a number, the quicker is taken if its relative
# error is below this.
_MANY, GOOD_FOR_MANY = 256, 1e-7


def certain_moments(metric: Metric, histogram: Histogram) -> Moments | None:
    """Return the moments of a metric of ranks that are all certain; None if some are not."""
    if histogram.offsets is None or int(histogram.num_candidates.max()) > 1:
        return None
    ranks, tasks = histogram.last_ranks.astype(np.float64), histogram.num_tasks.astype(np.float64)
    value = metric.evaluate(ranks, tasks)
    return Moments(value, 4 * UNIT_ROUNDOFF * value, 0.0, 0.0, "closed_form")


def has_many_blocks(histogram: Histogram) -> bool:
    """Return True if there are so many blocks that they take time."""
    return (histogram.is_weighted or histogram.offsets is not None) and len(histogram) > _MANY


@dataclass(frozen=True, slots=True)
class Blocks:
    """Rules for the uniform distributions on the blocks of a histogram's rows, one by one."""

    centres: Values  # c = a + (T + 1) / 2 of each row: shape (U,)
    firsts: Counts  # the index of each row's first point: shape (U,)
    rows: Counts  # the row of each point: shape (P,)
    points: Values  # the ranks r: shape (P,)
    weights: Values  # positive, of each row adding up to 1: shape (P,)
    logs: Values  # ln(r / c), to relative accuracy: shape (P,)

    def mean(self, values: Values) -> Values:
        """Return each row's mean of values at the points, shape (P,) to (U,)."""
        means: Values = np.add.reduceat(values * self.weights, self.firsts)
        return means

    def deviations(self, values: Values, means: Values) -> Values:
        """Return values less their row's mean."""
        return np.asarray(values - means[self.rows])

    def take(self, rows: Counts) -> Blocks:
        """Return the rules of some rows, also of repeated ones."""
        lengths = np.diff(np.append(self.firsts, self.points.size))[rows]
        firsts = np.cumsum(lengths) - lengths
        row = np.repeat(np.arange(rows.size), lengths)
        at = np.arange(row.size) + (self.firsts[rows] - firsts)[row]
        return Blocks(
            self.centres[rows], firsts, row, self.points[at], self.weights[at], self.logs[at]
        )

    def scaled_power(self, power: float | Values) -> tuple[Values, Values]:
        """Return mean and variance of (r / c)^power - 1; one power for all, or one a row."""
        own = power if isinstance(power, float) else power[self.rows]
        shifted = np.expm1(own * self.logs)
        mean = self.mean(shifted)
        return mean, self.mean(np.square(self.deviations(shifted, mean)))


def distinct_blocks(histogram: Histogram) -> tuple[Histogram, Counts]:
    """Return the blocks of a histogram, each once and with one task, and that of each row."""
    sizes, offsets = histogram.num_candidates, offsets_of(histogram)
    new = np.append(True, (offsets[1:] > offsets[:-1]) | (sizes[1:] > sizes[:-1]))
    distinct = Histogram(sizes[new], np.ones_like(sizes[new]), offsets=offsets[new])
    return distinct, np.cumsum(new) - 1


def blocks_of(histogram: Histogram) -> Blocks:
    """Place the points of a histogram's rows."""
    distinct, place = distinct_blocks(histogram)
    blocks = _place_points(distinct)
    return blocks.take(place) if histogram.is_weighted else blocks


# The metrics of a set of tasks are computed one after the other.
@functools.lru_cache(maxsize=2)
def _place_points(histogram: Histogram) -> Blocks:
    sizes = histogram.num_candidates
    before = offsets_of(histogram)
    rows, starts, lengths = _cut_panels(before, before + sizes)
    num_points = np.where(lengths <= _TERM_BY_TERM, lengths, _NODES)
    within, weights = _place_in_panels(lengths, num_points)
    row = np.repeat(rows, num_points)
    size = sizes.astype(np.float64)
    centres = before + (size + 1) / 2
    # Measured from the block's first rank, so that nothing is lost far out.
    inside = within + np.repeat(starts - before[rows], num_points)
    ratio = (inside - ((size - 1) / 2)[row]) / centres[row]
    points = inside + (before + 1.0)[row]
    near = np.abs(ratio) < 0.5
    logs = np.where(near, np.log1p(np.where(near, ratio, 0.0)), np.log(points / centres[row]))
    first_of_rows = np.searchsorted(row, np.arange(size.size))
    weights /= np.add.reduceat(weights, first_of_rows)[row]
    return Blocks(centres, first_of_rows, row, points, weights, logs)


def _cut_panels(before: Counts, ends: Counts) -> tuple[Counts, Counts, Counts]:
    """Cut each row's ranks into panels; return row, start and length of each, in order."""
    # Panels start < r <= stop of all rows, the first of each, the second, and so on.
    open_rows = np.arange(ends.size)
    starts = before
    panels: list[tuple[Counts, Counts, Counts]] = []
    while open_rows.size:
        stops = np.minimum(np.maximum(2 * starts, starts + _TERM_BY_TERM), ends[open_rows])
        panels.append((open_rows, starts, stops - starts))
        has_more = stops < ends[open_rows]
        open_rows = open_rows[has_more]
        starts = stops[has_more]
    rows, starts, lengths = np.hstack(panels)
    order = np.lexsort((starts, rows))
    return rows[order], starts[order], lengths[order]


def _place_in_panels(lengths: Counts, num_points: Counts) -> tuple[Values, Values]:
    """Return where in its panel each point is, and its weight: panel by panel, in one array."""
    # Of a short panel, points are all its ranks.
    firsts = np.cumsum(num_points) - num_points
    within = (np.arange(num_points.sum()) - np.repeat(firsts, num_points)).astype(np.float64)
    weights = np.ones(within.size)
    is_long = lengths > _TERM_BY_TERM
    distinct, kind = np.unique(lengths[is_long], return_inverse=True)
    if not distinct.size:
        return within, weights
    # Of a long one, they are the nodes of the rule of its length.
    begins = range(0, distinct.size, _LENGTHS)
    rules = [gram_rules(distinct[begin : begin + _LENGTHS], _NODES) for begin in begins]
    in_long = np.repeat(is_long, num_points)
    within[in_long] = np.concatenate([offsets for offsets, _ in rules])[kind].ravel()
    weights[in_long] = np.concatenate([shares for _, shares in rules])[kind].ravel()
    return within, weights
