r"""The median rank and its inverse.

With m = ceil(n/2), A = r_(m) and, for even n, B = r_(m+1), the median is M = A or M = (A + B)/2.
All follows from the distribution of B(x) = #{i : r_i <= x}, a Poisson-binomial one
(:mod:`.poisson_binomial`): A <= x iff B(x) >= m. Summing by parts about a centre c, no term
cancels:

.. math:: E[f(A)] = f(c) + \sum_{x \ge c} (f(x+1) - f(x)) P(A > x)
          - \sum_{x < c} (f(x+1) - f(x)) P(A \le x)

For even n the joint distribution of A and B enters. Given B(y) = m, the m ranks up to y are uniform
below y, so

.. math:: P(A \le x, B > y) = P(B(y) = m) \frac{h(x)}{h(y)}, \qquad
          h(x) = \prod_{N_u \le x} N_u^{c_u}
          \cdot x^{m - C(x)}, \quad C(x) = \sum_{N_u \le x} c_u

for x <= y, and summing f((a + b)/2) by parts in both arguments

.. math:: E[f(M)] = E[f(A)] + \sum_y P(B(y) = m) \Bigl[ f(y + \tfrac12) - f(y)
          - \sum_{x < y} \frac{h(x)}{h(y)} \Delta^2\!f(x + y) \Bigr]

with :math:`\Delta^2 f(s) = f(s/2) - 2 f(s/2 + 1/2) + f(s/2 + 1)`. Between neighbouring N_u terms
are smooth in x and y, so a few points are enough (:mod:`.summation`). (Derived here; PyKEEN 1.11.1
estimates both moments from random rankings.)

Where ranks are uniform on blocks, P(B(x) = B(y) = m) takes the place of P(B(y) = m) h(x)/h(y)
(:mod:`.block_counts`).
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.doubles import UNIT_ROUNDOFF, Moments
from rankconst.moments.block_counts import BlockCounts, Gaps, find_gaps
from rankconst.moments.poisson_binomial import BelowCounts, PointDistributions
from rankconst.moments.powers import inverse_mean_rank
from rankconst.moments.summation import (
    Nodes,
    Panel,
    Rule,
    certain_moments,
    gram_rule,
    gram_rules,
    place_nodes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankconst.doubles import Counts, Values
    from rankconst.tasks import Histogram

# Besides n c^2, which covers the weights of both statistics, tails below e^-100 are left out; of
# blocks, whose distributions take longer, those below e^-50.
_NEGLIGIBLE = 100.0
# A panel is at most 3 standard deviations wide; shorter ones than this are not worth cutting.
_WIDEST = 3.0
_NARROWEST = 64
# (1 - 1/s)^(45 s) < e^-45: how far down h(x)/h(y) matters, in units of its scale s.
_GAP_SCALES = 45.0
_GAP_NODES = 32
# Sums over that many terms or fewer are formed term by term.
_TERM_BY_TERM = 64
# On blocks, sums over gaps are refined while a variance errs by more than this share.
_PRECISE = 1e-4


@dataclass(frozen=True, slots=True)
class _Statistic:
    """A function g of the median M, with f1 = g - g(c) and f2 = (g - g(c))^2 for a centre c."""

    # c -> g(c)
    value: Callable[[float], float]
    # (x, h, c) -> f(x + h) - f(x), for f1 and f2
    difference: Callable[[Values, float, float], tuple[Values, Values]]
    # (s, c) -> f(s/2) - 2 f(s/2 + 1/2) + f(s/2 + 1), for f1 and f2
    curvature: Callable[[Values, float], tuple[Values, Values]]


class _Rules(dict[int, Rule]):
    """Rules for sums of a number of terms, each formed once."""

    def prepare(self, stops: Counts, panel: Panel, needed: int) -> None:
        """Add the rules for sums over the panel's x < stop, for each of `stops`: all in one go."""
        lengths = np.sort(np.minimum(stops - panel.start, _reach(panel, needed)))
        lengths = lengths[np.append(True, np.diff(lengths) > 0)]
        missing = [n for n in lengths.tolist() if n > _TERM_BY_TERM and n not in self]
        if missing:
            rules = gram_rules(np.array(missing, dtype=np.int64), _GAP_NODES)
            for length, nodes, weights in zip(missing, rules.nodes, rules.weights, strict=True):
                self[length] = Rule(nodes, weights)

    def __missing__(self, length: int) -> Rule:
        """Form the rule for a sum term by term, which :meth:`prepare` leaves out, and keep it."""
        self[length] = gram_rule(length, length)
        return self[length]


@dataclass(frozen=True, slots=True)
class _MedianDistribution:
    """The distributions of the two middle ranks, on a window that has nearly all of their mass."""

    paired: bool  # n is even, and the median between two ranks
    centre: int  # c, within half a rank of the median of A
    lowest: int  # the first x of the window
    highest: int  # the last one
    largest: int  # the largest N
    neglected: float  # bound on P(A < lowest) and P(A > x) for x > highest; for B likewise
    # How to sum over the window, and P(B(x) < m) and P(B(x) = m) there.
    panels: list[Panel]
    nodes: Nodes
    counts: PointDistributions
    # m - C(x) in each panel: how many of the ranks that x does not make certain it takes.
    needed: list[int]
    gaps: Gaps | None = None  # of blocks, where n is even
    rules: _Rules = field(default_factory=_Rules)  # for sums over gaps that were formed so far


def _rank_difference(x: Values, h: float, c: float) -> tuple[Values, Values]:
    """Return f(x + h) - f(x) for f = x - c and f = (x - c)^2."""
    return np.full_like(x, h), h * (2.0 * (x - c) + h)


def _rank_curvature(s: Values, _: float) -> tuple[Values, Values]:
    """Return f(s/2) - 2 f(s/2 + 1/2) + f(s/2 + 1) for f = x - c, 0, and f = (x - c)^2, 1/2."""
    return np.zeros_like(s), np.full_like(s, 0.5)


def _inverse_difference(x: Values, h: float, c: float) -> tuple[Values, Values]:
    """Return f(x + h) - f(x) for f = 1/x - 1/c and f = (1/x - 1/c)^2, without cancellation."""
    step = -h / (x * (x + h))
    return step, step * ((c - x) / (x * c) + (c - x - h) / ((x + h) * c))


def _inverse_curvature(s: Values, c: float) -> tuple[Values, Values]:
    """Return f(s/2) - 2 f(s/2 + 1/2) + f(s/2 + 1) for f = 1/x - 1/c and f = (1/x - 1/c)^2."""
    # With t = s + 1: 2/(t-1) - 4/t + 2/(t+1), and the same of squares.
    t = s + 1.0
    around = s * (s + 2.0)
    once = 4.0 / (around * t)
    twice = 8.0 * (3.0 * t * t - 1.0) / np.square(t * around)
    return once, twice - 2.0 / c * once


_RANK = _Statistic(float, _rank_difference, _rank_curvature)
_INVERSE = _Statistic(lambda c: 1.0 / c, _inverse_difference, _inverse_curvature)


def median_rank(histogram: Histogram) -> Moments:
    """Return the moments of the median rank; if n is even, of the mean of the middle two."""
    certain = certain_moments(CATALOGUE["median_rank"], histogram)
    return certain or _summarise(_median_distribution(histogram), _RANK)


def inverse_median_rank(histogram: Histogram) -> Moments:
    """Return expectation and variance of 1/M, M the median of the ranks of all n tasks.

    If n is odd, M is the middle rank A; if even, (A + B)/2 with the two middle ranks A <= B. Ranks
    1, 3, 5 and 9 have A = 3, B = 5 and 1/M = 1/4.

    If n is even and B far above A (half of the tasks pinned at 1), the variance is a small
    difference of E[1/A^2] and what turns it into E[1/M^2]. Digits are then lost, and the error says
    so.
    """
    if histogram.total == 2:  # the median of two ranks is their mean
        return inverse_mean_rank(histogram)
    # None unless every rank is certain, as it can be under another baseline than chance.
    certain = certain_moments(CATALOGUE["inverse_median_rank"], histogram)
    return certain or _summarise(_median_distribution(histogram), _INVERSE)


def _summarise(median: _MedianDistribution, statistic: _Statistic) -> Moments:
    """Return E[g(M)] and Var[g(M)] of a function g of the median M.

    For the centre c, E[g] = g(c) + E[f1] and Var[g] = E[f2] - E[f1]^2, with f1 = g - g(c) and f2 =
    f1^2. Either expectation is the sum at the top of this module. Arrays have a row for each of f1
    and f2: shape (2,) or (2, X).
    """
    centre = float(median.centre)
    if not median.panels:  # the median is certain
        value = statistic.value(centre)
        error = 0.0 if value == round(value) else UNIT_ROUNDOFF * value
        return Moments(value, error, 0.0, 0.0, "numerical")

    nodes, counts = median.nodes, median.counts
    x = nodes.points.astype(np.float64)
    errors_of_gaps = np.zeros(2)
    terms = np.stack(statistic.difference(x, 1.0, centre)) * counts.tail
    sizes = np.abs(terms)
    if median.paired:
        half = np.stack(statistic.difference(x, 0.5, centre))

        def curvature(s: Values) -> Values:
            """Return the second differences of both functions, for the sums over gaps."""
            return np.array(statistic.curvature(s, centre))  # np.stack takes several times as long

        if median.gaps is None:
            gap_sums = _sum_below(median, curvature)
        else:
            gap_sums, gap_errors = median.gaps.sum(nodes.points, counts.mass, curvature)
            errors_of_gaps = nodes.sum(0 * gap_errors, counts.mass * gap_errors)[1]

        terms += counts.mass * (half - gap_sums)
        sizes += counts.mass * (np.abs(half) + np.abs(gap_sums))

    # E[f1] and E[f2], with their errors.
    (mean, mean_square), errors = nodes.sum(terms, sizes * counts.error)
    errors = errors + errors_of_gaps
    # What the window leaves out, against f at the ends of the axis.
    for start, stop in ((1.0, median.lowest), (median.highest + 1.0, median.largest)):
        changes = statistic.difference(np.array([start]), stop - start, centre)
        errors = errors + 2 * median.neglected * np.abs(changes)[:, 0]

    mean_error, square_error = errors
    expectation = statistic.value(centre) + float(mean)
    variance_error = square_error + 2 * abs(mean) * mean_error + 4 * UNIT_ROUNDOFF * mean_square
    return Moments(
        expectation=expectation,
        expectation_error=float(mean_error) + 2 * UNIT_ROUNDOFF * expectation,
        variance=float(mean_square - mean * mean),
        variance_error=float(variance_error),
        method="numerical",
    )


def _sum_below(median: _MedianDistribution, curvature: Callable[[Values], Values]) -> Values:
    """Return sum_{x < y} h(x)/h(y) curvature(x + y) at every point y of the window, shape (2, X).

    In each panel, h(x) = x^j up to a constant. What lies below the start a of the panel is carried
    along as points x with weights h(x)/h(a).
    """
    points = median.nodes.points
    bounds = np.append(median.nodes.firsts, points.size)
    sums = np.empty((2, points.size))
    carried_points = np.empty(0)
    carried_weights = np.empty(0)
    for index, (panel, needed) in enumerate(zip(median.panels, median.needed, strict=True)):
        in_panel = slice(bounds[index], bounds[index + 1])
        panel_points = points[in_panel]
        median.rules.prepare(np.append(panel_points, panel.stop), panel, needed)

        # What is carried counts less at each y: by h(a)/h(y).
        y = panel_points.astype(np.float64)
        decay = np.exp(-needed * np.log1p((y - panel.start) / panel.start))
        carried_terms = curvature(y[:, None] + carried_points) * carried_weights
        sums[:, in_panel] = decay * np.sum(carried_terms, axis=-1)
        sums[:, in_panel] += _sum_inside(panel_points, panel, needed, curvature, median.rules)

        # To the next panel, which starts at this one's stop: by h(a)/h(stop).
        fade = math.exp(-needed * math.log1p((panel.stop - panel.start) / panel.start))
        new_points, new_weights = _last_terms(panel.stop, panel, needed, median.rules)
        carried_points = np.concatenate((carried_points, new_points))
        carried_weights = np.concatenate((carried_weights * fade, new_weights))
        matters = carried_weights > math.exp(-_GAP_SCALES)
        carried_points = carried_points[matters]
        carried_weights = carried_weights[matters]

    return sums


def _sum_inside(
    points: Counts, panel: Panel, needed: int, curvature: Callable[[Values], Values], rules: _Rules
) -> Values:
    """Return sum_{x=start}^{y-1} (x/y)^needed curvature(x + y) at the points y of a panel.

    `points` ascend; the sums have shape (2, points). Only the last :func:`_reach` terms of a sum
    count. With x = y - gap, (x/y)^needed = exp(needed log1p(-gap/y)).
    """
    y = points.astype(np.float64)[:, None]
    num_terms = np.minimum(points - panel.start, _reach(panel, needed))  # of each sum
    most = int(num_terms[-1])
    if most <= _TERM_BY_TERM:
        # All sums term by term, in one table: a row for each y, a column for each gap.
        gaps = np.arange(1.0, most + 1.0)
        is_inside = y - gaps >= panel.start
        gaps = np.where(is_inside, gaps, 0.0)
        weights = np.where(is_inside, np.exp(needed * np.log1p(-gaps / y)), 0.0)
        sums: Values = np.sum(curvature(2.0 * y - gaps) * weights, axis=-1)
        return sums

    sums = np.empty((2, points.size))
    is_short = num_terms <= _TERM_BY_TERM
    for i in np.flatnonzero(is_short).tolist():
        x, weights = _last_terms(int(points[i]), panel, needed, rules)
        sums[:, i] = np.sum(curvature(x + points[i]) * weights, axis=-1)

    # Long sums by Gauss rules of their lengths: tables of shape (sums, nodes).
    is_long = ~is_short
    if is_long.any():
        y, lengths = y[is_long], num_terms[is_long]
        rules_of_sums = [rules[length] for length in lengths.tolist()]
        gaps = lengths[:, None] - np.stack([rule.nodes for rule in rules_of_sums])
        powers = np.exp(needed * np.log1p(-gaps / y))
        weights = np.stack([rule.weights for rule in rules_of_sums]) * powers
        sums[:, is_long] = np.sum(curvature(2.0 * y - gaps) * weights, axis=-1)

    return sums


def _last_terms(stop: int, panel: Panel, needed: int, rules: _Rules) -> Rule:
    """Return the rule for sum_x (x/stop)^needed f(x) over the last `_reach` numbers x < stop."""
    length = min(stop - panel.start, _reach(panel, needed))
    rule = rules[length]
    gaps = length - rule.nodes
    return Rule(stop - gaps, rule.weights * np.exp(needed * np.log1p(-gaps / stop)))


def _reach(panel: Panel, needed: int) -> int:
    """Return how many x before a y of the panel count, at most all from its start on.

    (x/y)^needed <= exp(-needed (y - x) / y), which falls below e^-45 at y - x = 45 y / needed.
    """
    length = panel.stop - panel.start
    if needed == 0:
        return length
    return min(length, math.ceil(_GAP_SCALES * panel.stop / needed))


class _Profile:
    """Mean and variance of B(x), the number of ranks at most x, and what follows from them."""

    def __init__(self, histogram: Histogram, middle: int) -> None:
        self.middle = middle
        sizes = histogram.num_candidates.astype(np.float64)
        self.sizes = histogram.num_candidates
        self.certain = np.concatenate(([0], np.cumsum(histogram.num_tasks)))
        self.first_sums = _suffix_sums(histogram.num_tasks / sizes)
        self.second_sums = _suffix_sums(histogram.num_tasks / sizes**2)

    def num_certain(self, x: int) -> int:
        """Return C(x), the number of ranks that are at most x for certain."""
        return int(self.certain[np.searchsorted(self.sizes, x, side="right")])

    def mean_and_variance(self, x: int) -> tuple[float, float]:
        """Return mean and variance of B(x): C(x) ranks are certain, any other has chance x/N."""
        first = int(np.searchsorted(self.sizes, x, side="right"))
        expected = x * float(self.first_sums[first])
        second = float(self.second_sums[first])
        variance = max(expected - second * x * x, 0.0)
        return int(self.certain[first]) + expected, variance

    def slope(self, x: int) -> float:
        """Return the growth of the mean of B from x to x + 1."""
        return float(self.first_sums[np.searchsorted(self.sizes, x, side="right")])

    def gap(self, x: int) -> float:
        """Return how far the next rank is below x, given that m are; 0 if these are certain."""
        needed = self.middle - self.num_certain(x)
        return x / needed if needed else 0.0

    def cuts(self) -> Counts:
        """Return the x at which the growth of B changes."""
        return self.sizes

    def scale(self, x: int) -> float:
        """Return the change of x that moves B(x) by a standard deviation, or by one rank."""
        slope = self.slope(x)
        if not slope:
            return math.inf
        return max(1.0, math.sqrt(self.mean_and_variance(x)[1])) / slope

    def log_tail(self, x: int, count: int, side: int) -> float:
        """Bound log P(B(x) >= count) for side 1, log P(B(x) <= count) for -1 (Bennett 1962)."""
        mean, variance = self.mean_and_variance(x)
        distance = side * (count - mean)
        if distance <= 0.0:
            return 0.0
        if variance == 0.0 or (side < 0 and self.num_certain(x) > count):
            return -math.inf

        u = distance / variance
        return -variance * ((1.0 + u) * math.log1p(u) - u)


class _BlockProfile(_Profile):
    """Mean and variance of B(x), and what follows from them, for ranks uniform on blocks."""

    def __init__(self, histogram: Histogram, middle: int) -> None:
        self.counts = BlockCounts(histogram, middle)

    def num_certain(self, x: int) -> int:
        """Return the number of ranks that are at most x for certain."""
        return int(self.counts.num_certain(x))

    def mean_and_variance(self, x: int) -> tuple[float, float]:
        """Return mean and variance of B(x)."""
        share, tasks = self.counts.shares(x), self.counts.tasks
        return float(np.dot(share, tasks)), float(np.dot(share * (1.0 - share), tasks))

    def slope(self, x: int) -> float:
        """Return the growth of the mean of B from x to x + 1."""
        return self.counts.slope(x)

    def gap(self, x: int) -> float:
        """Return about how far the next rank below x is; 0 if there is none."""
        slope = self.slope(x)
        return 1.0 / slope if slope else 0.0

    def cuts(self) -> Counts:
        """Return the ends of all blocks."""
        return np.concatenate((self.counts.starts, self.counts.stops)).astype(np.int64)


def _suffix_sums(values: Values) -> Values:
    """Return the sum of all values from each index on, and 0 at the end: 1, 2 give 3, 2, 0."""
    return np.append(np.cumsum(values[::-1])[::-1], 0.0)


def _bisect(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return an x in (low, high] with holds(x) and not holds(x - 1), by bisection."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


# The median and its inverse are asked for one after the other, and share all but the last sums.
@functools.lru_cache(maxsize=1)
def _median_distribution(histogram: Histogram) -> _MedianDistribution:
    """Find the distributions of the middle ranks; without panels, these ranks are certain.

    Outside of the window, P(A > x) or P(A <= x) is below e^-100 over n c^2, or e^-50 on blocks.
    """
    total = histogram.total
    middle, paired = (total + 1) // 2, total % 2 == 0
    largest = int(histogram.last_ranks.max())
    if histogram.offsets is None:
        profile, negligible = _Profile(histogram, middle), _NEGLIGIBLE
    else:
        profile, negligible = _BlockProfile(histogram, middle), _NEGLIGIBLE / 2

    # The first x with m ranks expected up to there, but for half a one.
    centre = _bisect(0, largest, lambda x: profile.mean_and_variance(x)[0] >= middle - 0.5)

    # The window: its last x holds the upper middle rank, B if n is even, else A.
    limit = -(negligible + math.log(total) + 2.0 * math.log(centre))
    lowest = _bisect(0, centre, lambda x: profile.log_tail(x, middle, 1) > limit)
    above = middle if paired else middle - 1
    highest = _bisect(centre - 1, largest, lambda x: profile.log_tail(x, above, -1) <= limit) - 1

    panels = list(_panels(profile, lowest, centre, highest, paired))
    nodes = place_nodes(panels)
    if not panels:
        counts = PointDistributions(*np.empty((3, 0)))
    elif isinstance(profile, _BlockProfile):
        counts, steps = profile.counts.evaluate(nodes.points, centre)
        # Without any, the middle ranks are always the same.
        paired = paired and bool(counts.mass.any())
    else:
        counts = BelowCounts(histogram, nodes.points).evaluate(middle, centre)

    median = _MedianDistribution(
        paired=paired,
        centre=centre,
        lowest=lowest,
        highest=highest,
        largest=largest,
        neglected=math.exp(limit),
        panels=panels,
        nodes=nodes,
        counts=counts,
        needed=[middle - profile.num_certain(panel.start) for panel in panels],
    )
    if panels and paired and isinstance(profile, _BlockProfile):
        for gaps in find_gaps(profile.counts, nodes, counts, steps, lowest):
            median = replace(median, gaps=gaps)
            moments = (_summarise(median, statistic) for statistic in (_RANK, _INVERSE))
            if all(each.variance_error <= _PRECISE * each.variance for each in moments):
                break

    return median


def _panels(
    profile: _Profile, lowest: int, centre: int, highest: int, paired: bool
) -> Iterator[Panel]:
    """Cut lowest .. highest at each N, at the centre, and where distributions change fast.

    A panel is at most 3 standard deviations of B wide, and 3/2 of its start, as f is singular at 0;
    but 64 ranks are not cut.

    If n is even (`paired`), the sums over gaps change behind an N, and settle within a few times
    the mean gap: panels are narrow there.
    """
    cuts = np.unique(np.concatenate(([lowest, centre], profile.cuts(), [highest + 1])))
    cuts = cuts[(cuts >= lowest) & (cuts <= highest + 1)].tolist()
    for begin, end in itertools.pairwise(cuts):
        start = begin
        while start < end:
            scale = min(profile.scale(start), float(start))
            width = _WIDEST * min(scale, float(start) / 2)
            mean_gap = profile.gap(start) if paired else 0.0
            if mean_gap:
                scale = min(scale, 8.0 * mean_gap)
                if start - begin < 40.0 * mean_gap:
                    width = min(width, max(8.0 * mean_gap, start - begin))

            # Widths are powers of 2^(1/4), so that few rules serve.
            width = 2.0 ** (math.floor(4.0 * math.log2(max(width, _NARROWEST))) / 4.0)
            stop = min(end, start + round(width))
            yield Panel(start, stop, scale)
            start = stop
