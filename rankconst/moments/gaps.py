"""Sums over the gap of the two middle ranks, for ranks that are uniform on blocks.

The sum over x < y that the median of an even number of ranks takes (:mod:`.median`) needs a law for each y, but is a
correction of the order of 1/n. So where there are many y it is formed for some; for the others its ratio to what
independent gaps would give, which changes slowly, is interpolated. Half of them tell the error.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankconst.doubles import Counts, Values
    from rankconst.moments.block_counts import BlockCounts
    from rankconst.moments.poisson_binomial import PointLaws
    from rankconst.moments.summation import Nodes


# The logarithms that sums may take to be formed for all y, for how many y they are formed else at first, and the share
# of gaps below which no more are left.
_GAP_BUDGET, _SOME_GAPS, _GONE = 2**19, 13, 1e-14
# The number of y is doubled while the logarithms are fewer than that.
_MOST_LOGARITHMS = 2**24
# Of the polynomials that interpolate between these, and in how long a window gaps are followed rank by rank.
_DEGREE, _TRACED = 5, 2**16


@dataclass(frozen=True, slots=True)
class Gaps:
    """Sums over x < y, at some y, of P(B(x) = B(y) = m) / P(B(y) = m) times a function."""

    chosen: Counts  # ascending
    laws: list[tuple[Counts, Values]]  # of each, x and weights
    exact: bool  # no other y has any weight to speak of
    steps: Values  # nearly P(B(y - 1) = B(y) = m) / P(B(y) = m), at all y

    def sum(self, points: Counts, mass: Values, curvature: Callable[[Values], Values]) -> tuple[Values, Values]:
        """Return the sums with curvature(x + y) for all points y, shape (2, X), and their absolute errors."""
        pairs = zip(self.chosen.tolist(), self.laws, strict=True)
        sums = np.stack([np.sum(curvature(y + x.astype(np.float64)) * weights, axis=-1) for y, (x, weights) in pairs])
        base = np.ones((2, points.size)) if self.exact else _chain(points, self.steps, curvature)
        at = np.searchsorted(points, self.chosen)
        ratio = np.divide(sums.T, base[:, at], out=np.ones_like(sums.T), where=base[:, at] != 0)
        routes = []
        for degree in (1, _DEGREE):
            fine, coarse = (
                base * np.stack([_interpolate(points, self.chosen[::step], each[::step], degree) for each in ratio])
                for step in (1, 2)
            )
            routes.append((fine, 0.0 * fine if self.exact else 2 * np.abs(fine - coarse)))
        return min(routes, key=lambda route: float(np.sum(mass * route[1][1])))


def _interpolate(x: Counts, nodes: Counts, values: Values, degree: int) -> Values:
    """Interpolate by polynomials through the nearest nodes; beyond the outermost, by what is there."""
    x = np.clip(x, nodes[0], nodes[-1])
    taken = min(degree + 1, nodes.size)
    first = np.clip(np.searchsorted(nodes, x) - taken // 2, 0, nodes.size - taken)
    near = first[:, None] + np.arange(taken)
    away = (x[:, None] - nodes[near]).astype(np.float64)
    total = np.zeros(x.size)
    for i in range(taken):
        others = np.arange(taken) != i
        apart = nodes[near[:, [i]]] - nodes[near[:, others]]
        total += values[near[:, i]] * np.prod(away[:, others] / apart, axis=1)
    return total


def _chain(points: Counts, steps: Values, curvature: Callable[[Values], Values]) -> Values:
    """Return the sums as if the gaps of neighbouring y were independent: next to them but for some 1/n."""
    y, first, last = points.astype(np.float64), int(points[0]), int(points[-1])
    if last - first >= y.size:
        # Gaps are short next to y, but may reach beyond the end of a block.
        length = steps / np.maximum(1 - steps, 1 / last)
        if last - first < _TRACED:
            each = _interpolate(np.arange(first, last + 1), points, steps, _DEGREE).tolist()
            length = np.array([*itertools.accumulate(each, lambda gap, step: step * (1 + gap))])[points - first]
        return np.asarray(curvature(2 * y) * length)
    reached, total = steps[1:], np.zeros((2, y.size))
    for gap in range(1, y.size):
        if reached.max() < _GONE:
            break
        total[:, gap:] += reached * curvature(2 * y[gap:] - gap)
        reached = reached[1:] * steps[1 : y.size - gap]
    return total


def find_gaps(counts: BlockCounts, nodes: Nodes, laws: PointLaws, steps: Values, lowest: int) -> Iterator[Gaps]:
    """Find the laws of the lower middle rank given the upper one, for more and more y."""
    mass = np.abs(nodes.weights * laws.mass)
    # What y bring to the moments of the median and of its inverse.
    brought = np.maximum(*(each / each.sum() for each in (mass, mass / nodes.points.astype(np.float64) ** 3)))
    heavy = np.flatnonzero(brought > UNIT_ROUNDOFF / 16)
    law_of = functools.cache(functools.partial(counts.gap_law, lowest=lowest))
    pilot = int(nodes.points[np.argmax(mass)])
    cost = counts.gap_cost(pilot, law_of(pilot)[0])
    # As dense as makes linear interpolation err least.
    running = np.cumsum(np.cbrt(brought[heavy]))
    number, exact = (heavy.size if cost * heavy.size <= _GAP_BUDGET else _SOME_GAPS), False
    while not exact:
        exact = number >= heavy.size
        places = np.searchsorted(running, running[-1] * np.linspace(0, 1 - UNIT_ROUNDOFF, number))
        chosen = nodes.points[heavy if exact else heavy[np.unique(places)]]
        yield Gaps(chosen, [law_of(y) for y in chosen.tolist()], exact, steps)
        number = 2 * number - 1
        if cost * number > _MOST_LOGARITHMS:
            return
