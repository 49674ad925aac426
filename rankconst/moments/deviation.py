r"""The variance of the ranks, V = (1/n) sum (r_i - r)^2, and their standard deviation M.

Here r is the mean of the ranks, and M = sqrt(V).

*Variance.* With r_i = mu_i + d_i, delta_i = mu_i - mean mu, and m_2, m_4 the central moments of one
task,

.. math:: V = \frac1n \sum_i (\delta_i + d_i)^2 - \Bigl(\frac1n \sum_i d_i\Bigr)^2

.. math:: E[V] = \frac1n \sum \delta_i^2 + \frac{n-1}{n^2} \sum m_{2,i}

.. math:: Var[V] = \frac{1}{n^2} \sum (4 \delta_i^2 m_{2,i} + m_{4,i} - m_{2,i}^2)
          + \frac{1}{n^4} \Bigl(\sum (m_{4,i} - 3 m_{2,i}^2) + 2 \bigl(\sum m_{2,i}\bigr)^2\Bigr)
          - \frac{2}{n^3} \sum (m_{4,i} - m_{2,i}^2)

with p_i in place of 1/n where tasks count with weights p_i that add up to 1. Odd central moments
vanish, the uniform distribution being symmetric: m_2 = (N^2-1)/12, m_4 = (N^2-1)(3N^2-7)/240.

*Standard deviation.* With the gap g = 1 - E[M] / sqrt(E[V]), which Jensen's inequality makes
positive,

.. math:: E[M] = \sqrt{E[V]}\,(1 - g), \qquad Var[M] = E[V] - E[M]^2 = E[V]\,g\,(2 - g)

so that nothing cancels if g itself is had without cancellation. Two routes give it, and the one
with the smaller error is taken.

*Series*, for many tasks. With V = E[V] (1 + x), the binomial series in the central moments of x:

.. math:: g = -\sum_{k=2}^{K} \binom{1/2}{k} E[x^k] + R, \qquad
          |R| \le E[x^K] \sum_{k > K} \left|\binom{1/2}{k}\right| \quad (K \text{ even})

The bound holds at every x >= -1: below 0 all terms left out have one sign, and add up to most at
-1; above 0 they add up to less than the last term taken.

*Transform*, for any number of tasks. From the Laplace transform L(s) = E[exp(-s V / E[V])] and that
of a constant,

.. math:: g = \frac{1}{2 \sqrt\pi} \int_0^\infty s^{-3/2} \left(L(s) - e^{-s}\right) ds

where again the integrand is positive. In ln s it is analytic and bounded for abs(Im ln s) < pi/2,
so that the plain trapezoidal rule with step h errs by about exp(-pi^2/h) (Trefethen and Weideman
2014, *The exponentially convergent trapezoidal rule*, theorem 5.1). L comes from the identity

.. math:: e^{-t \sum (r_i - r)^2}
          = \sqrt{\frac{n t}{\pi}} \int_{-\infty}^{\infty} \prod_i e^{-t (r_i - c)^2}\,dc
          \quad\Rightarrow\quad
          L = \sqrt{\frac{n t}{\pi}} \int_{-\infty}^{\infty} \prod_u \phi(t, c; N_u)^{c_u}\,dc

with t = s / (n E[V]) and phi the mean of exp(-t (j - c)^2) over j = 1 .. N. The integrand in c is a
mixture of the Gaussians exp(-n t (c - r)^2), which the trapezoidal rule with step h integrates up
to a share of 2 exp(-pi^2 / (n t h^2)), by Poisson's summation formula. All these terms are
positive.

*Central moments*, for the series and for L(s) - exp(-s) near 0. With y_i = r_i - mean mu = delta_i
+ d_i, A = (1/n) sum y_i^2 and B = (1/n) sum d_i, V = A - B^2; and exp(s B^2 / E[V]) = E_Z[exp(Z B
sqrt(2 s / E[V]))] for a standard normal Z makes tasks independent:

.. math:: \sum_k \frac{(-s)^k}{k!} E[x^k] = E_Z\Bigl[e^{-s E[B^2] / E[V]} \prod_i
          E\exp\Bigl(-\frac{s}{n E[V]} (y_i^2 - E[y_i^2])
          + \frac{Z}{n} \sqrt{\frac{2 s}{E[V]}}\, d_i\Bigr)\Bigr]

an identity of power series in sqrt(s): their logarithms add up over tasks, and the Gauss-Hermite
rule is exact for the polynomials in Z. One task's means are exact likewise, by the Gauss rule of
the uniform distribution on a lattice.

*Blocks.* All this holds for ranks that are uniform on a+1 .. a+T, with phi(t, c - a; T) in place of
phi(t, c; N). V is the same if all a change by one number. (Derived here; Hoyt et al. 2022 give no
moments of these metrics.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import TINY, UNIT_ROUNDOFF, Estimate, Moments, lift_rounding
from rankconst.moments.summation import GOOD_FOR_MANY, Rule, has_many_blocks, uniform_rule
from rankconst.sums import MIDPOINT, binomial, condense
from rankconst.tasks import offsets_of, split_offsets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.doubles import Counts, Values
    from rankconst.tasks import Histogram

# Highest central moment of V that is formed, and that tried first if blocks are many; even.
ORDER, _LOW_ORDER = 18, 8
# Step of the trapezoidal rule in the logarithm of s: exp(-pi^2 / h) is 4e-22.
STEP = 1 / 5
# Nodes of one task's Gauss rules; for central moments ORDER + 2, exact up to y^(2 ORDER).
_NODES, _FEW_NODES = 20, 8
# Up to this sqrt(t) N the rules give the mean of a Gaussian to rounding.
_NARROW, _VERY_NARROW = 5.0, 0.5
# Relative error at which the series is enough by itself.
_GOOD_ENOUGH = 1e-12
# Relative errors of the terms of a central moment, and of one task's means, in units of roundoff.
_MOMENT_ERROR, _MEAN_ERROR = 32, 4
# Relative errors of L(s) - exp(-s) from its series, L(s) from its integral, in units of roundoff.
_POWER_SERIES_ERROR, _TRANSFORM_ERROR = 32, 16
# Integrands are dropped below exp(-this), Gaussians outside of sqrt(this) widths.
_VANISHED = 60.0
# The share of a trapezoidal sum in c that its step may cost is 2 exp(-this).
_RESOLVED = 40.0
# Further than this from the edges, in widths 1/sqrt(t), a sum over the lattice does not feel them.
_WHOLE = 6.5
# Up to this many points in c, all are evaluated.
_PLAIN = 2048
# Largest t at which a sum over the lattice follows from an integral, and how far others reach.
_SMOOTH = 0.02
_LATTICE = 45
# Numbers formed in one go, so that memory stays bounded.
_CHUNK = 1 << 20
_COLUMNS = 512

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def rank_variance(histogram: Histogram) -> Moments:
    """Return the moments of the variance of the ranks, without weights correctly rounded.

    These are the formulas at the top of this module, in whole numbers. The ranks of a task on
    a+1 .. a+N have the central moments m_2 = z / 12 and m_4 = z (3 z - 4) / 240 with z = N^2 - 1,
    and the mean (s + 1) / 2 with s = 2 a + N.
    """
    if histogram.weights is not None:
        return _weighted_variance(histogram, histogram.weights / histogram.total_weight)

    # Integers of Python: exact, without overflow. All arrays have an entry for each row.
    sizes = histogram.num_candidates.astype(object)
    tasks = histogram.num_tasks.astype(object)
    n = histogram.total
    z = sizes * sizes - 1
    s = sizes if histogram.offsets is None else 2 * histogram.offsets.astype(object) + sizes
    # Sums over all tasks: sum_zss is that of z s^2.
    sum_z = int(np.dot(tasks, z))
    sum_s = int(np.dot(tasks, s))
    sum_zz = int(np.dot(tasks * z, z))
    sum_ss = int(np.dot(tasks * s, s))
    sum_zs = int(np.dot(tasks * z, s))
    sum_zss = int(np.dot(tasks * z * s, s))
    sum_excess = 4 * sum_zz - 12 * sum_z  # of 720 (m_4 - m_2^2)
    sum_kurtosis = -6 * sum_zz - 12 * sum_z  # of 720 (m_4 - 3 m_2^2)
    # n^2 sum (s - mean s)^2, and n^2 sum z (s - mean s)^2.
    shifts = n * (n * sum_ss - sum_s**2)
    z_shifts = n * n * sum_zss - sum_s * (2 * n * sum_zs - sum_s * sum_z)
    expectation = Fraction(shifts, 4 * n**3) + Fraction((n - 1) * sum_z, 12 * n * n)
    variance = (
        Fraction(z_shifts, 12 * n**4)
        + Fraction(sum_excess, 720 * n * n)
        + Fraction(sum_kurtosis + 10 * sum_z * sum_z, 720 * n**4)
        - Fraction(2 * sum_excess, 720 * n**3)
    )
    mean, spread = float(expectation), float(variance)
    return Moments(mean, UNIT_ROUNDOFF * mean, spread, UNIT_ROUNDOFF * spread, "closed_form")


def _weighted_variance(histogram: Histogram, p: Values) -> Moments:
    """Return the moments of sum p_i r_i^2 - (sum p_i r_i)^2 for weights p_i that sum to 1.

    `p` has the weight of a task of each row, shape (U,), as all arrays here.
    """
    if histogram.total == 1:
        return Moments(0.0, 0.0, 0.0, 0.0, "closed_form")

    tasks = histogram.num_tasks.astype(np.float64)
    sizes_squared = np.square(histogram.num_candidates.astype(np.float64))
    m2 = (sizes_squared - 1) / 12
    excess = (sizes_squared - 1) * (sizes_squared - 4) / 180  # m_4 - m_2^2
    offsets = offsets_of(histogram)
    means = offsets - offsets.min() + (histogram.num_candidates + 1) / 2
    mean_of_all = math.fsum((tasks * p * means).tolist())
    distance = means - mean_of_all
    # What rounding of the means adds to the squares of distances, in units of roundoff.
    square_error = np.square(distance) + 2 * np.abs(distance) * float(means.max())

    terms = tasks * p * (distance**2 + (1 - p) * m2)
    expectation = math.fsum(terms.tolist())
    rounded = float(np.sum(tasks * p * (square_error + m2)))
    expectation_error = 32 * UNIT_ROUNDOFF * rounded

    # The variance is a sum of positive and of negative terms; rounding is a share of their size.
    crossed = 2 * float(np.sum(tasks * p**2 * m2)) ** 2
    positive = tasks * p**2 * (4 * distance**2 * m2 + excess)
    negative = tasks * p**3 * (2 * excess + p * (sizes_squared**2 - 1) / 120)
    rounded_terms = tasks * p**2 * (4 * square_error * m2 + excess) + negative
    variance_error = 32 * UNIT_ROUNDOFF * (float(np.sum(rounded_terms)) + crossed)
    total = math.fsum([*positive.tolist(), crossed, *(-negative).tolist()])
    variance = float(lift_rounding(np.array([total]), np.array([variance_error]))[0])
    return Moments(expectation, expectation_error, variance, variance_error, "closed_form")


def standard_deviation(histogram: Histogram) -> Moments:
    """Return the moments of the standard deviation of the ranks; errors estimate rounding.

    The transform is formed only if the series is not accurate enough.
    """
    square = rank_variance(histogram)
    root = math.sqrt(square.expectation)
    if square.variance == 0:
        # One task, or one candidate each.
        return Moments(root, 2 * UNIT_ROUNDOFF * root, 0.0, 0.0, "numerical")

    ranks = _Ranks.from_histogram(histogram, square.expectation)
    orders = [(ORDER, _GOOD_ENOUGH)]
    if has_many_blocks(histogram):  # moments take long: a low order, and less accuracy, first
        orders = [(_LOW_ORDER, GOOD_FOR_MANY), *orders]

    relative_variance = square.variance / square.expectation**2
    for order, largest_error in orders:
        central = _central_moments(ranks, relative_variance, order)
        gap = _estimate_gap_by_series(central)
        if gap.error <= largest_error * gap.value:
            break
    else:  # no order was good enough
        gap_by_transform = _estimate_gap_by_transform(ranks, central)
        gap = min(gap, gap_by_transform, key=lambda estimate: estimate.error)

    expectation = root * (1 - gap.value)
    variance = square.expectation * gap.value * (2 - gap.value)
    return Moments(
        expectation=expectation,
        expectation_error=root * (gap.error + 4 * UNIT_ROUNDOFF),
        variance=variance,
        variance_error=2 * square.expectation * gap.error + 8 * UNIT_ROUNDOFF * variance,
        method="numerical",
    )


@dataclass(frozen=True)
class _Ranks:
    """The ranks of all tasks: `weights` tasks of each of the `sizes`, ascending."""

    sizes: Values
    weights: Values
    offsets: Values  # 0 under chance; the least of all is taken from them
    away: Values  # how far the means of each size's ranks are from that of all
    total: int  # n
    mean_last: float  # the mean of the last ranks a + N
    variance: float  # E[V]
    # Some a + N, and for each the number of tasks with at most that.
    outermost: tuple[Values, Values]

    @classmethod
    def from_histogram(cls, histogram: Histogram, variance: float) -> _Ranks:
        """Gather the ranks of unweighted tasks, given E[V]; a few sizes may stand for many."""
        n = histogram.total
        if histogram.offsets is None:
            sizes, weights = condense(histogram.num_candidates, histogram.num_tasks)
            offsets, away, least_offset = np.zeros_like(sizes), (sizes - histogram.mean) / 2, 0
        else:
            sizes = histogram.num_candidates.astype(np.float64)
            weights = histogram.num_tasks.astype(np.float64)
            least_offset = int(histogram.offsets.min())
            offsets = (histogram.offsets - least_offset).astype(np.float64)
            # In whole numbers: near the mean of blocks far apart all else would be rounding.
            middles = (2 * histogram.offsets + histogram.num_candidates).astype(object)
            total = int(np.dot(middles, histogram.num_tasks.astype(object)))
            away = ((n * middles - total) / (2 * n)).astype(np.float64)

        by_size = np.argsort(sizes)
        # Up to 256 of the last ranks, and how many tasks end by each.
        by_last_rank = np.argsort(histogram.last_ranks)
        some = np.unique(np.linspace(0, len(histogram) - 1, 256).astype(np.int64))
        last_ranks = histogram.last_ranks[by_last_rank][some] - least_offset
        num_within = np.cumsum(histogram.num_tasks[by_last_rank])[some]
        mean_offset = (split_offsets(histogram)[1] - least_offset * n) / n
        return cls(
            sizes=sizes[by_size],
            weights=weights[by_size],
            offsets=offsets[by_size],
            away=away[by_size],
            total=n,
            mean_last=histogram.mean + mean_offset,
            variance=variance,
            outermost=(last_ranks.astype(np.float64), num_within.astype(np.float64)),
        )

    @property
    def middles(self) -> Values:
        """The mean of each size's ranks."""
        return self.offsets + (self.sizes + 1) / 2

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of few and of many nodes."""
        return self.rule_of(_FEW_NODES), self.rule_of(_NODES)

    def rule_of(self, nodes: int) -> Rule:
        """Return the rules of so many nodes for all sizes, measured from their means."""
        distinct, kind = np.unique(self.sizes, return_inverse=True)
        rule = uniform_rule(distinct, nodes)
        return Rule(rule.nodes[kind], rule.weights[kind])

    def transform(self, t: float) -> float:
        """Return the Laplace transform E[exp(-t n V)], by the trapezoidal rule over c."""
        points, weights = self._points(t)
        chunk = max(_CHUNK // (self.sizes.size * _NODES + 2 * _LATTICE), 1)
        total = 0.0
        for start in range(0, points.size, chunk):
            part = slice(start, start + chunk)
            total += float(np.dot(weights[part], np.exp(self._log_product(t, points[part]))))
        return math.sqrt(self.total * t / math.pi) * total

    def _points(self, t: float) -> tuple[Values, Values]:
        """Return points c and weights for the integral over c in :meth:`transform`."""
        # The step h costs a share of 2 exp(-pi^2 / (n t h^2)): that is 2 exp(-_RESOLVED).
        step = 2.0 ** math.floor(math.log2(math.pi / math.sqrt(_RESOLVED * self.total * t)))
        room = _VANISHED / t
        # c is near the mean of the ranks, and not far beyond the last rank of too many tasks.
        last_ranks, within = self.outermost
        low = 1 - math.sqrt(room / self.total)
        high = min(
            self.mean_last + math.sqrt(room / self.total),
            float(np.min(last_ranks + np.sqrt(room / within))),
        )
        # A power of 2 as step makes every point exact and every period whole.
        first, end = math.floor(low / step), math.ceil(high / step) + 1
        if end - first <= _PLAIN:
            indices, counts = np.arange(first, end), np.ones(end - first)
        else:
            reach = _WHOLE / math.sqrt(t) + 1
            indices, counts = self._fold_periods(first, end, reach, step)

        return step * indices.astype(np.float64), step * counts

    def _fold_periods(
        self, first: int, end: int, reach: float, step: float
    ) -> tuple[Counts, Values]:
        """Choose few of the points first .. end - 1, in steps, and how many each of them counts.

        If there are many points, tasks are few, and most points are farther than `reach` from 1 and
        from every N. The integrand has the period of the lattice, 1, there: the points of one
        period count for all.
        """
        period = max(round(1 / step), 1)
        indices: list[Counts] = []
        counts: list[Values] = []
        next_index = first
        edges = np.unique(np.concatenate((self.offsets, self.offsets + self.sizes)))
        for edge in (edges + 0.5).tolist():
            start = min(math.floor((edge - reach) / step), end)
            stop = min(math.ceil((edge + reach) / step), end)
            # First the periods without an edge nearby, then the points around the edge.
            num_periods = (start - next_index) // period
            if num_periods > 1:
                indices.append(np.arange(next_index, next_index + period))
                counts.append(np.full(period, float(num_periods)))
                next_index += num_periods * period

            if stop > next_index:
                indices.append(np.arange(next_index, stop))
                counts.append(np.ones(stop - next_index))
                next_index = stop

        return np.concatenate(indices), np.concatenate(counts)

    def _log_product(self, t: float, c: Values) -> Values:
        """Return the logarithm of the product over all tasks of phi(t, c). Shape (C,).

        phi is the mean of exp(-t (r - c)^2) over the ranks r of a task. It comes from a Gauss rule
        if the ranks are few next to the width 1/sqrt(t), from the ranks near c if the Gaussians are
        narrow, and else from an integral.
        """
        width = 1 / math.sqrt(t)
        # Rules are exact up to as many candidates as they have nodes.
        few = self._count_narrow(_VERY_NARROW * width, _FEW_NODES)
        many = self._count_narrow(_NARROW * width, _NODES)
        total = np.zeros(c.size)
        parts = (slice(few), slice(few, many))
        for part, (nodes, shares) in zip(parts, self.rules, strict=True):
            if self.sizes[part].size:
                offset = c[:, None] - self.middles[part]
                logs = _log_mean_by_rule(t, offset, nodes[part], shares[part])
                total += logs @ self.weights[part]

        if many < self.sizes.size:
            sizes, offsets = self.sizes[many:], self.offsets[many:]
            if t <= _SMOOTH:
                phi = _mean_by_integral(t, c[:, None] - offsets, sizes)
            else:
                phi = _mean_over_lattice(t, c, sizes, offsets)
            total += np.log(phi + TINY) @ self.weights[many:]

        return total

    def _count_narrow(self, limit: float, nodes: int) -> int:
        """Count the sizes that are narrow, or have no more candidates than a rule has nodes."""
        return int(np.searchsorted(self.sizes, max(limit, nodes), side="right"))


def _log_mean_by_rule(t: float, offset: Values, nodes: Values, shares: Values) -> Values:
    """Return ln phi by a Gauss rule of uniform ranks, phi the mean of exp(-t (r - c)^2).

    `offset`, shape (C, U), is how far each c is from the mean rank of each size; `nodes` and
    `shares`, shape (U, nodes), are the rule of each size, measured from that mean. With the
    exponents a_k at the nodes, ln phi = max a + ln(1 + sum_k w_k expm1(a_k - max a)): accurate also
    near 1.
    """
    exponents = -t * np.square(nodes - offset[..., None])  # shape (C, U, nodes)
    largest = exponents.max(axis=-1)
    relative = np.expm1(exponents - largest[..., None])
    lost = -np.sum(shares * relative, axis=-1)
    kept = np.sum(shares * (1 + relative), axis=-1)
    logs = np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), np.log(kept))
    return np.asarray(largest + logs)


def _mean_by_integral(t: float, c: Values, sizes: Values) -> Values:
    """Return phi, the mean of exp(-t (r - c)^2) over the ranks 1 .. N, for t up to `_SMOOTH`.

    By the Euler-Maclaurin formula: an integral from 1/2 to N + 1/2, and derivatives at these edges.
    `c` has shape (C, U) or (C, 1), `sizes` (U,), and the result (C, U).
    """
    root = math.sqrt(t)
    # How far c is beyond the nearer edge, and beyond the other one, in widths 1 / root.
    near = root * (np.abs(c - (sizes + 1) / 2) - sizes / 2)
    far = near + root * sizes
    total = math.sqrt(math.pi) / 2 * (_erfc(near) - _erfc(far))
    for sign, distance in ((1, near), (-1, far)):
        # Derivatives of exp(-v^2) of odd orders: Hermite polynomials, by their recurrence.
        gauss = np.exp(-distance * distance)
        lower, hermite = gauss, 2 * distance * gauss
        for k, weight in enumerate(MIDPOINT, start=1):
            total += sign * weight * t**k * hermite
            for degree in (2 * k - 1, 2 * k):
                lower, hermite = hermite, 2 * distance * hermite - 2 * degree * lower

    # Far beyond an edge nothing but the rounding of these terms is left, of either sign.
    return np.asarray(np.maximum(total, 0.0) / (root * sizes))


def _mean_over_lattice(t: float, c: Values, sizes: Values, offsets: Values) -> Values:
    """Return phi, for t above `_SMOOTH`, by summing over the ranks near c. Shape (C, U)."""
    nearest = np.rint(c)
    ranks = nearest[:, None] + np.arange(-_LATTICE, _LATTICE + 1)  # shape (C, ranks)
    gauss = np.exp(-t * np.square(ranks - c[:, None]))
    if offsets.any():
        # Shape (C, U, ranks): differences of cumulative sums would cancel.
        last_ranks = (offsets + sizes)[:, None]
        is_of_block = (ranks[:, None] > offsets[:, None]) & (ranks[:, None] <= last_ranks)
        sums = np.sum(np.where(is_of_block, gauss[:, None], 0.0), axis=-1)
        return np.asarray(sums / sizes)

    # Ranks start at 1 for all: a cumulative sum up to each N serves all sizes.
    terms = np.where(ranks >= 1, gauss, 0.0)
    sums = np.concatenate((np.zeros((c.size, 1)), np.cumsum(terms, axis=1)), axis=1)
    num_terms = np.floor(sizes) - nearest[:, None] + _LATTICE + 1
    num_terms = np.clip(num_terms, 0, 2 * _LATTICE + 1).astype(np.int64)
    return np.asarray(np.take_along_axis(sums, num_terms, axis=1) / sizes)


def _central_moments(ranks: _Ranks, second: float, order: int = ORDER) -> list[Estimate]:
    """Return the central moments E[x^k] of V = E[V] (1 + x), k = 0 .. order; the second is exact.

    E[x^k] is (-1)^k k! times the coefficient of s^k in the series of E_Z[...] at the top of this
    module, a series in sqrt(s). At each node of Z, the logarithms of the means of single tasks add
    up.
    """
    n = ranks.total
    mean = ranks.variance

    # Gauss's rule for Z. Even powers of sqrt(s) are even in Z: positive nodes are enough.
    z_nodes, z_weights = np.polynomial.hermite_e.hermegauss(order + 2)
    is_positive = z_nodes > 0
    z_nodes = z_nodes[is_positive]
    z_weights = z_weights[is_positive] / np.sum(z_weights[is_positive])

    # The parts of the exponent of each task with s, and with Z sqrt(s); shape (U, nodes).
    nodes, shares = ranks.rule_of(order + 2)
    excess = _centre_squares(ranks, nodes, shares) / n / mean
    slope = math.sqrt(2 / mean) / n * nodes

    # By powers of sqrt(s): the mean of one task of each size, shape (Z, U), and the sum over all
    # tasks of the size of what is averaged, shape (Z,).
    means = [np.ones((z_nodes.size, ranks.sizes.size))]
    averaged = [np.zeros(z_nodes.size)]
    for term in _expand_gaussian(excess, z_nodes[:, None, None] * slope, 2 * order):
        means.append(np.sum(shares * term, axis=-1))
        averaged.append(np.sum(shares * np.abs(term), axis=-1) @ ranks.weights)

    # Neither part of the exponent has a mean.
    means[1] = np.zeros_like(means[0])
    averaged[1] = averaged[0]

    # The product over all tasks, by the sum of the logarithms.
    logs = [log @ ranks.weights for log in _logarithm(means)]
    squared = np.sum(ranks.weights * np.sum(shares * nodes * nodes, axis=1))
    logs[2] = logs[2] - squared / n / n / mean
    series = _exponential(logs)

    # The terms of the series without their signs: with few tasks B^2 is not small next to A, and
    # high powers of x all but cancel.
    absolute_series = _exponential([np.abs(log) for log in logs])
    cancelled = [np.zeros(z_nodes.size)] * len(series)
    if ranks.offsets.any():
        # Odd powers cancel in blocks that are far from the mean and narrow; under chance what is
        # far is wide.
        for g in range(len(series)):
            terms = [averaged[j] * np.abs(series[g - j]) for j in range(g + 1)]
            cancelled[g] = sum(terms, np.zeros(z_nodes.size))

    moments = [
        Estimate(1.0, 0.0),
        Estimate(0.0, 0.0),
        Estimate(second, 8 * UNIT_ROUNDOFF * second),
    ]
    for k in range(3, order + 1):
        factorial = float(math.factorial(k))
        value = (-1) ** k * factorial * float(z_weights @ series[2 * k])
        rounded = _MOMENT_ERROR * absolute_series[2 * k] + _MEAN_ERROR * cancelled[2 * k]
        error = UNIT_ROUNDOFF * factorial * float(z_weights @ rounded)
        moments.append(Estimate(value, error))

    return moments


def _expand_gaussian(excess: Values, slope: Values, order: int) -> Iterator[Values]:
    """Yield the coefficients of x, x^2 ... x^order in exp(slope x - excess x^2), x = sqrt(s)."""
    term, previous = np.ones_like(slope), np.zeros(1)
    for g in range(1, order + 1):
        term, previous = (slope * term - 2 * excess * previous) / g, term
        yield term


def _centre_squares(ranks: _Ranks, nodes: Values, shares: Values) -> Values:
    """Return y^2 - E[y^2] at each node, y being the distance of a rank from the mean of all.

    `nodes`, shape (U, nodes), are ranks less the mean of their own row, `shares` their weights.
    """
    away = ranks.away[:, None]
    if not ranks.offsets.any():
        squares = np.square(away + nodes)
        mean_squares = np.sum(shares * squares, axis=1, keepdims=True)
        return np.asarray(squares - mean_squares)

    # Far out, squares of y = away + node would cancel: away^2, the same in a row, is left out.
    squares = nodes * nodes
    mean_squares = np.sum(shares * squares, axis=1, keepdims=True)
    return np.asarray(2 * away * nodes + (squares - mean_squares))


def _logarithm(series: list[Values]) -> list[Values]:
    """Return the coefficients of the logarithm of a power series with constant term 1.

    Each of `series` has the coefficients of one order. With a its coefficients and b those of the
    logarithm, g a_g = sum_{j=1}^{g} j b_j a_{g-j}.
    """
    logs = np.zeros((len(series), *series[0].shape))
    # Few columns at a time, so that all products of an order may be formed at once.
    for begin in range(0, logs.shape[-1], _COLUMNS):
        part = slice(begin, begin + _COLUMNS)
        a = np.stack([coefficient[..., part] for coefficient in series])
        b = logs[..., part]
        other_axes = tuple(range(1, a.ndim))
        for g in range(1, len(a)):
            factors = np.expand_dims(np.arange(1, g) / g, other_axes)  # j / g
            lower_orders = a[g - 1 : 0 : -1]
            b[g] = a[g] - np.sum(factors * b[1:g] * lower_orders, axis=0)

    return list(logs)


def _exponential(logs: list[Values]) -> list[Values]:
    """Return the coefficients of the exponential of a power series with constant term 0.

    This undoes :func:`_logarithm`: with b the coefficients of the series and a those of the
    exponential, g a_g = sum_{j=1}^{g} j b_j a_{g-j}.
    """
    b = np.stack(logs)
    a = np.ones_like(b)
    other_axes = tuple(range(1, b.ndim))
    for g in range(1, len(b)):
        factors = np.expand_dims(np.arange(1, g + 1) / g, other_axes)  # j / g
        lower_orders = a[g - 1 :: -1][:g]
        a[g] = np.sum(factors * b[1 : g + 1] * lower_orders, axis=0)

    return list(a)


def _estimate_gap_by_series(central: list[Estimate]) -> Estimate:
    """Return the gap g = 1 - E[sqrt(1 + x)] from the moments E[x^k], by their index k.

    It is -sum_{k >= 2} C(1/2, k) E[x^k], cut after the even order with the least error.
    """
    coefficients = [binomial(0.5, k) for k in range(len(central))]
    estimates = []
    for last in range(2, len(central), 2):  # the bound of the remainder holds for even orders only
        terms = []
        roundings = []
        for k in range(2, last + 1):
            terms.append(coefficients[k] * central[k].value)
            roundings.append(abs(coefficients[k]) * central[k].error)

        value = -math.fsum(terms)
        # The sizes of all coefficients from the first on add up to 1.
        sizes = [abs(coefficient) for coefficient in coefficients[1 : last + 1]]
        size_of_rest = 1 - math.fsum(sizes)
        left_out = (central[last].value + central[last].error) * size_of_rest
        error = left_out + math.fsum(roundings) + 4 * UNIT_ROUNDOFF * abs(value)
        estimates.append(Estimate(value, error))

    return min(estimates, key=lambda estimate: estimate.error)


def _estimate_gap_by_transform(ranks: _Ranks, central: list[Estimate]) -> Estimate:
    """Return the gap g from the transform L of V, by the trapezoidal rule in ln s with step STEP.

    Terms are s^(-1/2) (L(s) - e^-s), as s^(-3/2) ds = s^(-1/2) d(ln s). For small s they come from
    e^-s sum_k (-s)^k E[x^k] / k!, beyond from L itself, until the rest is next to nothing.
    """
    scale = ranks.total * ranks.variance
    order, last_node = _reach_of_power_series(central)
    # The smallest s is e^-30: there the terms, which go as s^(3/2), are nothing.
    small_s = np.exp(STEP * np.arange(-math.ceil(30 / STEP), last_node + 1))
    series = np.zeros(small_s.size)
    for k in range(2, order):
        series = series + (-1) ** k * central[k].value / math.factorial(k) * small_s**k

    terms = (np.exp(-small_s) * series / np.sqrt(small_s)).tolist()
    error = _POWER_SERIES_ERROR * UNIT_ROUNDOFF * math.fsum(terms)

    # V is 0 or at least (n - 1) / n^2: beyond, the transform is the probability of 0.
    end = _VANISHED * scale * ranks.total / (ranks.total - 1)
    node = last_node
    total = math.fsum(terms)
    while True:
        node += 1
        s = math.exp(STEP * node)
        transform = ranks.transform(s / scale)
        weight = 1 / math.sqrt(s)
        terms.append(weight * (transform - math.exp(-s)))
        roundings = _TRANSFORM_ERROR * (1 - math.log(transform + TINY))
        error += weight * UNIT_ROUNDOFF * transform * roundings
        # L falls, so the terms beyond add at most what they would if it stayed as it is.
        remainder = transform * weight / math.expm1(STEP / 2)
        total += terms[-1]
        if s > end or remainder < UNIT_ROUNDOFF / 16 * total:
            break

    terms.append(remainder)
    factor = STEP / (2 * math.sqrt(math.pi))
    return Estimate(factor * math.fsum(terms), factor * error)


def _reach_of_power_series(central: list[Estimate]) -> tuple[int, int]:
    """Return an order and a node: the terms in s^k below the order give L(s) - e^-s to rounding.

    They do so at the nodes s = exp(STEP i) up to i = node. Of the even orders, the returned one
    reaches farthest.
    """

    def limit(k: int, coefficient: float) -> float:
        """Return the largest s at which a term in s^k is below the rounding of that in s^2."""
        ratio = UNIT_ROUNDOFF * central[2].value / 2 * math.factorial(k) / coefficient
        return float(ratio ** (1 / (k - 2)))

    reaches = []
    for order in range(4, ORDER + 1, 2):
        limits = [limit(k, central[k].error / 8) for k in range(3, order)]
        limits.append(limit(order, central[order].value + central[order].error))
        reaches.append((min(limits), order))

    reach, order = max(reaches)
    # Where the series reaches as far as s = 60, L(s) and e^-s are next to nothing from there on.
    return order, math.floor(math.log(min(reach, _VANISHED)) / STEP)
