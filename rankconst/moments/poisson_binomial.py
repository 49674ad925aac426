r"""How many ranks are at most x: a Poisson-binomial distribution, evaluated at many x.

B(x) = #{i : r_i <= x} is a sum of independent indicators with p_u = min(1, x/N_u). Of them C(x) =
sum_{N_u <= x} c_u are certain; the others have the generating function

.. math:: g(z) = \prod_{N_u > x} \Bigl(1 + \frac{x}{N_u}(z-1)\Bigr)^{c_u}

whose coefficients, and sums of coefficients, are read off a circle :math:`|z| = e^s` by the
trapezoidal rule (Hong 2013, *Comput. Stat. Data Anal.* 59, 41-51, on the unit circle). Dividing by
g(e^s) makes of g the generating function of a tilted Poisson-binomial; s is chosen so that its mean
lies at the count asked for (the saddlepoint of Daniels 1954), which keeps *relative* accuracy far
out in the tails. A tail is a finite geometric sum of coefficients, so that the pole of 1/(z - 1)
does not appear.

The logarithm of g is expanded in powers of w = z - 1 with the power sums sum c_u N_u^-k: near z = 1
the cost does not depend on the number of distinct N. Where x w / N_u is too large for that, the
factor is formed by itself.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from rankconst.doubles import TINY, UNIT_ROUNDOFF

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rankconst.doubles import Complex, Counts, Values
    from rankconst.tasks import Histogram

_Number = TypeVar("_Number", np.float64, np.complex128)

# Terms of the expansion in w, and for very many distinct N, whose power sums take time: |x w / N|
# may reach about 0.75, and 0.4, before the rest exceeds e^-42.
_TERMS, _FEWER_TERMS, _MANY_SIZES = 192, 64, 100_000
# Whatever is below e^-42 = 6e-19 of the largest term is left out.
_NEGLIGIBLE = 42.0
# No tilt e^s is needed beyond this: p is at least 2^-53.
_STEEPEST = 700.0
# Bisection alone would need fewer; rounding keeps a tilt from settling if counts exceed 2^50.
_MOST_STEPS = 200
# Points evaluated together, and entries of the largest real table formed on the way.
_ROWS = 256
_TABLE = 2**20


class PointDistributions(NamedTuple):
    """The distribution of B(x) around the middle, at some points x. Shapes (X,)."""

    tail: Values  # P(B(x) < k), or -P(B(x) >= k) for the points left of the centre
    mass: Values  # P(B(x) = k)
    error: Values  # relative error of both


@dataclass(frozen=True, slots=True)
class Circle:
    """Nodes z = e^zeta on the upper halves of circles, one for each point x.

    Conjugate nodes are taken together.
    """

    zeta: Complex  # shape (X, nodes); imaginary parts are those of every point
    shares: Values  # weights of the trapezoidal rule: shape (nodes,)
    deviation: Values  # of the tilted distributions: shape (X,)
    reach: int  # further than this from their means they have next to no mass

    @classmethod
    def place(
        cls,
        tilt: Values,
        variance: Values,
        uncertain: Counts,
        *,
        odd: bool = False,
        whole: bool = False,
    ) -> Circle:
        """Place nodes on the circles |z| = e^tilt, given the tilted variances, one for each circle.

        `uncertain` has the largest number that each distribution can give. With `whole` no node is
        left out where g is next to nothing; with `odd` their number on the full circle is odd, so
        that none is at -e^tilt.
        """
        deviation = np.sqrt(variance)
        # Bennett's inequality: the tilted distribution has less than e^-42 of its mass further than
        # this from its mean ...
        reach = math.ceil(9.4 * float(deviation.max()) + 14.0)
        # So many nodes on the full circle keep all numbers within reach apart.
        period = min(2 * reach + 2, int(uncertain.max()) + 1)
        if odd and period % 2 == 0:
            period += 1

        # ... and |g| <= exp(-2 var sin^2(theta/2)) on its circle.
        least_deviation = 1.0 if whole else max(float(deviation.min()), 1.0)
        arc = 2.0 * math.asin(min(1.0, math.sqrt(_NEGLIGIBLE / 2.0) / least_deviation))
        nodes_on_arc = math.ceil(arc * period / (2.0 * math.pi))
        node = np.arange(min(period // 2, nodes_on_arc) + 1)
        zeta = tilt[:, None] + 1j * (2.0 * math.pi / period * node)
        # Nodes off the real axis stand for their conjugates, too, and count twice.
        is_real = node * 2 % period == 0
        shares = np.where(is_real, 1.0, 2.0) / period
        return cls(zeta, shares, deviation, reach)

    def read_off(
        self, log_ratio: Complex, uncertain: Counts, needed: Counts, left: NDArray[np.bool_]
    ) -> PointDistributions:
        """Return the distributions, given log(g(z) / z^needed).

        At each point, B(x) = k if `needed` of its `uncertain` ranks are at most x. Where `left`,
        the tail is P(B(x) >= k). Shapes (X,); `log_ratio` has the shape of the nodes.
        """
        ratio = np.exp(log_ratio) * self.shares
        mass = np.sum(ratio.real, axis=1)
        # A tail is the sum of the coefficients that exist and are within reach.
        num_above = np.minimum(self.reach + 1, uncertain - needed + 1)
        num_below = np.minimum(self.reach, needed)
        powers = _sum_powers(self.zeta, np.where(left, num_above, num_below), left)
        tail = np.sum((ratio * powers).real, axis=1)
        # Rounding: of sum p, which moves the mean, in deviations; of the exponent; of the sum.
        exponent = np.abs(np.log(np.maximum(mass, np.finfo(np.float64).tiny)))
        of_mean = 8.0 * (needed + 1.0) / np.maximum(self.deviation, 0.5)
        error = UNIT_ROUNDOFF * (64.0 + 4.0 * exponent + of_mean)
        return PointDistributions(np.where(left, -tail, tail), mass, error)


def find_tilt(
    moments: Callable[[Values], tuple[Values, Values]],
    uncertain: Counts,
    target: Values,
    off: float,
) -> tuple[Values, Values]:
    """Return tilts s whose means are within `off` deviations of `target`, and their variances.

    `moments` maps tilts to means and variances. A mean rises with its tilt, from 0 to `uncertain`,
    and `target` is strictly between these. Shapes (X,).
    """
    tilt = np.zeros(target.size)
    low, high = np.full(tilt.size, -_STEEPEST), np.full(tilt.size, _STEEPEST)
    target_log_odds = np.log(target / (uncertain - target))
    for _ in range(_MOST_STEPS):
        mean, variance = moments(tilt)
        is_far = np.abs(mean - target) > off * np.sqrt(variance)
        if not np.any(is_far):
            break
        low = np.where(mean < target, tilt, low)
        high = np.where(mean > target, tilt, high)
        # The log-odds of the mean are linear in the tilt when all p are equal, and nearly so else.
        rest = uncertain - mean
        with np.errstate(all="ignore"):
            missing = target_log_odds - np.log(mean / rest)
            step = missing * mean * rest / (uncertain * variance)

        newton = tilt + np.clip(np.nan_to_num(step, nan=0.0), -8.0, 8.0)
        # A step that leaves the bracket is replaced by one of bisection.
        is_between = (newton > low) & (newton < high)
        tilt = np.where(is_far, np.where(is_between, newton, 0.5 * (low + high)), tilt)

    return tilt, variance


class BelowCounts:
    """The distributions of B(x) at given points: ascending, each below the largest N."""

    def __init__(self, histogram: Histogram, points: Counts) -> None:
        """Prepare the distributions at the points, for an unweighted histogram of chance."""
        self._sizes = histogram.num_candidates.astype(np.float64)
        self._tasks = histogram.num_tasks.astype(np.float64)
        # How many tasks the first 0, 1, 2 ... of the N have. An x >= these N makes them certain.
        self._certain = np.concatenate(([0], np.cumsum(histogram.num_tasks)))
        self._total = histogram.total
        self._depth = _TERMS if len(histogram) <= _MANY_SIZES else _FEWER_TERMS
        # Up to this modulus, n tasks times modulus^depth are below e^-42.
        self._radius = math.exp(-(_NEGLIGIBLE + math.log(self._total)) / self._depth)
        self._points = points
        # The index of the first N above each point.
        self._first = np.searchsorted(histogram.num_candidates, points, side="right")
        # Sums start where a point needs them, or where N has grown by another sqrt(2).
        ladder = np.searchsorted(self._sizes, 2.0 ** np.arange(0.0, 54.0, 0.5))
        starts = np.unique(np.concatenate((self._first, ladder)))
        self._starts = starts[(starts >= self._first[0]) & (starts < len(histogram))]
        self._sums = self._suffix_sums()

    def _suffix_sums(self) -> Values:
        """Return sum_{u >= b} c_u (N_b/N_u)^k for each start b (row) and k = 1 .. K (column).

        N_u ascend. A last row of zeros is for points beyond all N.
        """
        begin = int(self._starts[0])
        sizes = self._sizes[begin:]
        firsts = self._starts - begin  # the index in `sizes` of each start
        lengths = np.diff(np.append(firsts, sizes.size))
        # First the sums from each start to the next, each with the N_b of its own start.
        ratio = np.repeat(sizes[firsts], lengths) / sizes
        powers = self._tasks[begin:].copy()
        sums = np.zeros((firsts.size + 1, self._depth))
        for k in range(self._depth):
            powers *= ratio
            sums[:-1, k] = np.add.reduceat(powers, firsts)

        # Then to the end: add the sums of the next start, scaled from its N to this one's.
        scales = sizes[firsts[:-1]] / sizes[firsts[1:]]
        exponents = np.arange(1, self._depth + 1)
        for b in range(firsts.size - 2, -1, -1):
            sums[b] += sums[b + 1] * scales[b] ** exponents

        return sums

    def evaluate(self, count: int, centre: int) -> PointDistributions:
        """Return the distributions of B(x) around `count`, which is at least C(x).

        Tails are -P(B(x) >= count) at points below `centre`, else P(B(x) < count).
        """
        parts = []
        for begin in range(0, self._points.size, _ROWS):
            rows = slice(begin, begin + _ROWS)
            x, first = self._points[rows], self._first[rows]
            needed = count - self._certain[first]
            parts.append(self._evaluate_rows(x.astype(np.float64), first, needed, x < centre))

        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return PointDistributions(*columns)

    def _evaluate_rows(
        self, x: Values, first: Counts, needed: Counts, left: NDArray[np.bool_]
    ) -> PointDistributions:
        """Return the distributions at the points x. Shapes (X,).

        `first` is the index of the first N above each x. Tasks before it have ranks of at most x
        for certain; `needed` uncertain ranks have to be at most x, too. `left` is as for
        :meth:`Circle.read_off`.
        """
        uncertain = self._total - self._certain[first]
        # Between two counts; above 0, which no finite tilt reaches.
        target = np.where(needed > 0, needed - 0.5, 0.25)
        find_moments = functools.partial(self._tilted_moments, x, first)
        tilt, variance = find_tilt(find_moments, uncertain, target, 0.05)
        circle = Circle.place(tilt, variance, uncertain)
        log_ratio = self._log_ratio(x, first, needed, circle.zeta)
        return circle.read_off(log_ratio, uncertain, needed, left)

    def _tilted_moments(self, x: Values, first: Counts, s: Values) -> tuple[Values, Values]:
        """Return mean and variance of the uncertain ranks at most x, for tilts s. Shapes (X,).

        A task's tilted chance is p z / (1 + p w), with p = x/N, w = e^s - 1 and z = e^s.
        """
        w = np.expm1(s)
        z = np.exp(s)
        modulus = np.abs(w)
        series, one_by_one = self._choose_expansion(x, first, modulus)

        # Where x |w| / N is small, p / (1 + p w) and its derivative are expanded in w.
        orders = np.arange(1, self._terms(float(modulus.max())) + 1)
        sums, unit = self._power_sums(x, series, orders.size)
        coefficients: Values = sums * (-1.0) ** (orders - 1)
        of_derivative: Values = coefficients[:, 1:] * orders[:-1]
        scaled = (unit * w)[:, None]
        mean = unit * z * _horner(coefficients, scaled)[:, 0]
        variance = mean + np.square(unit * z) * _horner(of_derivative, scaled)[:, 0]

        # The other sizes are added one by one, in tables of shape (X, sizes).
        width = max(1, _TABLE // x.size)
        for begin in range(one_by_one.start, one_by_one.stop, width):
            block = slice(begin, min(begin + width, one_by_one.stop))
            sizes = self._sizes[block]
            is_uncertain = sizes > x[:, None]
            chance = np.where(is_uncertain, x[:, None] / sizes, 0.0)  # p
            tasks = np.where(is_uncertain, self._tasks[block], 0.0)
            scale = 1.0 / (1.0 + chance * w[:, None])
            tilted = chance * z[:, None] * scale
            mean += np.sum(tasks * tilted, axis=1)
            variance += np.sum(tasks * tilted * (1.0 - chance) * scale, axis=1)

        return mean, variance

    def _log_ratio(self, x: Values, first: Counts, needed: Counts, zeta: Complex) -> Complex:
        """Return log(g(z) / z^needed) at z = e^zeta, shape (X, nodes).

        g is the generating function of the uncertain ranks at most x. Its logarithm is expanded in
        powers of w = z - 1 where |w| is small; else factors of N near x are formed one by one.
        """
        w: Complex = np.expm1(zeta)
        modulus = np.abs(w).max(axis=1)
        series, one_by_one = self._choose_expansion(x, first, modulus)
        largest = float(modulus.max())
        num_terms = self._terms(largest)
        sums, unit = self._power_sums(x, series, num_terms)
        if largest <= self._radius:
            # Both logarithms together, as the first terms, sum p w and needed w, would cancel.
            powers = unit[:, None] ** np.arange(1, num_terms + 1)
            both = (sums * powers - needed[:, None]) * _log1p_coefficients(num_terms)
            log_ratio: Complex = w * _horner(both, w)
            return log_ratio

        scaled = unit[:, None] * w
        total: Complex = scaled * _horner(sums * _log1p_coefficients(num_terms), scaled)
        self._add_factors(total, x, one_by_one, needed, zeta)
        return total

    def _add_factors(
        self, total: Complex, x: Values, one_by_one: slice, needed: Counts, zeta: Complex
    ) -> None:
        """Add to `total`, in place, the logarithms of factors of some sizes and of z^-needed.

        `total` and `zeta` have shape (X, nodes), `x` and `needed` (X,).
        """
        w, w_inverse = np.expm1(zeta), np.expm1(-zeta)  # z - 1 and 1/z - 1
        exponent = needed.astype(np.float64)  # of 1/z
        for u in range(one_by_one.start, one_by_one.stop):
            size = self._sizes[u]
            chance, miss = x / size, (size - x) / size
            tasks = np.where(chance < 1.0, self._tasks[u], 0.0)
            # 1 + p w = z (1 + (1 - p)(1/z - 1)): a factor that is nearly certain is nearly z.
            is_likely = chance > 0.5
            by_miss = miss[:, None] * w_inverse
            by_chance = chance[:, None] * w
            smaller = np.where(is_likely[:, None], by_miss, by_chance)
            total += tasks[:, None] * _log1p(smaller)
            exponent -= np.where(is_likely, tasks, 0.0)

        total -= exponent[:, None] * zeta

    def _terms(self, modulus: float) -> int:
        """Return how many powers of w, |w| <= `modulus`, an expansion needs; 2 at least."""
        if modulus >= self._radius:
            return self._depth
        if modulus == 0.0:  # it has no logarithm
            return 2
        return max(2, math.ceil((_NEGLIGIBLE + math.log(self._total)) / -math.log(modulus)))

    def _choose_expansion(self, x: Values, first: Counts, modulus: Values) -> tuple[Counts, slice]:
        """Choose the factors that are expanded in powers of w, and those formed one by one.

        The series of a factor converges fast enough if x |w| / N is at most the radius, with |w|
        given as `modulus`.

        Returns
        -------
        series
            For each point, the index of the start of its power sums. Shape (X,).
        explicit
            The sizes before these starts: their factors are formed one by one.
        """
        if modulus.max() <= self._radius:
            return np.searchsorted(self._starts, first), slice(0, 0)
        smallest = float(np.max(x * modulus)) / self._radius
        converges_from = max(int(np.searchsorted(self._sizes, smallest)), int(first.max()))
        start = int(np.searchsorted(self._starts, converges_from))
        stop = int(self._starts[start]) if start < self._starts.size else self._sizes.size
        return np.full(x.size, start), slice(int(first.min()), stop)

    def _power_sums(self, x: Values, series: Counts, terms: int) -> tuple[Values, Values]:
        """Return the power sums sum_u c_u (x/N_u)^k / unit^k for k = 1 .. `terms`, and the units.

        A sum runs from the start of its point's series, an index in `series`, to the largest N.
        Sums have shape (X, terms), units shape (X,): powers of 2 near x/N_b, N_b the smallest N of
        the sum, as high powers of a small x/N_b would underflow.
        """
        # self._sums has sums of (N_b/N_u)^k; times (x/N_b)^k they are sums of (x/N_u)^k.
        # Without any N, N_b is infinite, and x/N_b and the sum are 0.
        smallest = np.append(self._sizes[self._starts], np.inf)[series]
        share, exponent = np.frexp(x / smallest)  # x/N_b = share 2^exponent
        powers = share[:, None] ** np.arange(1, terms + 1)
        return self._sums[series, :terms] * powers, np.ldexp(1.0, exponent)


def _log1p_coefficients(terms: int) -> Values:
    """Return the coefficients of w, w^2 ... in log(1 + w): 1, -1/2, 1/3 ..."""
    k = np.arange(1, terms + 1)
    return (-1.0) ** (k - 1) / k


def _horner(coefficients: Values, w: NDArray[_Number]) -> NDArray[_Number]:
    """Return a_1 + a_2 w + a_3 w^2 ..., the coefficients a of each row in a row of their own."""
    total = np.zeros_like(w)
    for column in coefficients.T[::-1]:
        total = total * w + column[:, None]
    return total


def _log1p(v: Complex) -> Complex:
    """Return log(1 + v), with relative accuracy for small v (NumPy's has it only for real v).

    log |1 + v| is half the logarithm of |1 + v|^2 = 1 + a (2 + a) + b^2, for v = a + i b.
    """
    is_small = np.abs(v) < 0.5
    a, b = np.where(is_small, v.real, 0.0), np.where(is_small, v.imag, 0.0)
    log_modulus = 0.5 * np.log1p(a * (2.0 + a) + b * b)
    # For other v, of which 1 + v may be close to 0, that would lose half the digits.
    modulus = np.abs(np.where(is_small, 1.0, 1.0 + v))
    log_modulus = np.where(is_small, log_modulus, np.log(np.maximum(modulus, TINY)))
    return log_modulus + 1j * np.arctan2(v.imag, 1.0 + v.real)


def _sum_powers(zeta: Complex, length: Counts, left: NDArray[np.bool_]) -> Complex:
    """Sum `length` powers of z = e^zeta, as the tail left or right of a point. Shape (X, nodes).

    1 + z^-1 + ... + z^-(length - 1) where `left`, else z + z^2 + ... + z^length: either is -sign
    expm1(sign length zeta) / expm1(-zeta), with the sign -1 where `left`.
    """
    sign = np.where(left, -1.0, 1.0)[:, None]
    num_terms = length[:, None].astype(np.float64)
    is_one = zeta == 0.0  # at z = 1 that is 0/0, and the sum is the number of its terms
    safe = np.where(is_one, 1j, zeta)
    # Far from the middle the tilt makes the exponent large on one side only: there it is negative.
    geometric = -sign * np.expm1(sign * num_terms * safe) / np.expm1(-safe)
    sums: Complex = np.where(is_one, num_terms, geometric)
    return sums
