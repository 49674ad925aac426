r"""Power means of the ranks and their inverses: M = ((1/n) sum r_i^q)^{s/q}, s = 1 or -1.

With S = sum r_i^q this is a power of a sum of independent terms, E[M] = n^{-a} E[S^a] with a = s/q.
No closed form is known; two exact routes complement each other, and the one with the smaller error
is taken for each number.

*Transform.* With the Laplace transform L(t) = E[exp(-t S)] = prod_u phi(t; N_u)^{c_u}, phi the mean
of exp(-t j^q),

.. math:: E[S^{-b}] = \frac{1}{\Gamma(b)} \int_0^\infty t^{b-1} L(t)\,dt, \qquad
          E[S^{b}] = \frac{1}{\Gamma(1-b)} \int_0^\infty t^{-b} (-L'(t))\,dt \quad (0 < b < 1)

(Cressie, Davis, Folks and Policello 1981, *The moment-generating function and negative integer
moments*). A double-exponential rule in ln t converges to rounding; half as many nodes tell its
error. The variance is a difference of such integrals and loses as many digits as the relative
variance has zeros.

*Series.* With S = E[S] (1 + eps), the binomial series in the central moments of eps, which follow
from the cumulants of one task. It has no cancellation, and is the more accurate the more tasks
there are.

Where ranks are uniform on blocks a+1 .. a+T, both need no more than the means of exp(-t r^q) and
the central moments of r^q on each (:mod:`.summation`). If q = 1, a block is no more than a shift of
S: L(t) gets the factor exp(-t sum a). Where task i counts with weight w_i, w_i r_i^q takes the
place of r_i^q, with weights that add up to n.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from rankconst.doubles import TINY, UNIT_ROUNDOFF, Estimate, Moments
from rankconst.errors import UndefinedError
from rankconst.moments.means import mean_rank
from rankconst.moments.summation import GOOD_FOR_MANY, blocks_of, has_many_blocks
from rankconst.sums import TABLE, binomial, condense, harmonic, scaled_power, sum_over_ranks
from rankconst.tasks import offsets_of, split_offsets

if TYPE_CHECKING:
    from rankconst.doubles import Values
    from rankconst.tasks import Histogram

# Step of the double-exponential rule in the logarithm of t.
STEP = 1 / 24
# Highest central moment that the series takes.
ORDER = 14
# Relative error at which the series is enough by itself.
_GOOD_ENOUGH = 1e-13
# The same where there is nothing else.
_BARELY_ENOUGH = 1e-4
# Numbers formed in one go: memory stays bounded, and nodes where nothing is left are not reached.
_CHUNK = 1 << 17
# ln L below which a node adds nothing to any of the integrals, whatever the power of t.
_VANISHED = -200.0
# Beyond this t N, exp(-t N) is next to nothing.
_FAR = 16.0
# Relative error of a transform's value, in units of roundoff.
_TRANSFORM_ERROR = 64
# Relative error of a mean of certain ranks.
_CERTAIN_ERROR = 16 * UNIT_ROUNDOFF


def power_mean(histogram: Histogram, exponent: float, inverse: bool = False) -> Moments:
    """Return the moments of the power mean of the ranks with q = `exponent`, or of one over it.

    The errors are convergence estimates with a bound on rounding. q is not 0, and positive for an
    inverse. UndefinedError for few tasks and 0 < q < 1, or 1 < q < 2: the formulas of the transform
    do not cover the powers of S that these need, and the series does not converge.
    """
    if exponent == 1 and not inverse:
        return mean_rank(histogram)

    power = 1 / exponent
    if inverse:
        power = -power

    sums = _sum_powers(histogram, float(exponent))
    if int(histogram.num_candidates.max()) == 1:
        # All ranks are certain, and under chance 1.
        value = (sums.mean / histogram.total) ** power
        error = 0.0 if value == 1 else _CERTAIN_ERROR * value
        return Moments(value, error, 0.0, 0.0, "numerical")

    series = _by_series(sums, power)
    routes = [series]
    enough = GOOD_FOR_MANY if has_many_blocks(histogram) else _GOOD_ENOUGH
    off = max(series.expectation.error, series.variance.error / series.variance.value)
    is_covered = power < 0 or 2 * power <= 1  # by the transform's formulas
    if not is_covered and not off < _BARELY_ENOUGH:
        raise UndefinedError(
            f"the power mean with exponent {exponent:g} "
            f"is not known for as few tasks as {histogram.total:,}: its series converges for many."
        )

    if is_covered and off > enough:
        routes.append(_by_transform(sums, power))

    scale = math.exp(power * (math.log(sums.mean) - math.log(histogram.total)))
    expectation = min([route.expectation for route in routes], key=lambda value: value.error)
    variance = min([route.variance for route in routes], key=lambda value: value.error)
    # The scale is a power of the mean, formed through logarithms.
    rounding = 8 * UNIT_ROUNDOFF * (1 + abs(power) * abs(math.log(sums.mean)))
    return Moments(
        expectation=scale * expectation.value,
        expectation_error=scale * (expectation.error + rounding * expectation.value),
        variance=scale * scale * variance.value,
        variance_error=scale * scale * (variance.error + 2 * rounding * variance.value),
        method="numerical",
    )


inverse_mean_rank = functools.partial(power_mean, exponent=1.0, inverse=True)
harmonic_mean_rank = functools.partial(power_mean, exponent=-1.0)
quadratic_mean_rank = functools.partial(power_mean, exponent=2.0)
inverse_quadratic_mean_rank = functools.partial(power_mean, exponent=2.0, inverse=True)


# A mean and its inverse are asked for one after the other, and share all but the last series.
@functools.lru_cache(maxsize=1)
def _sum_powers(histogram: Histogram, exponent: float) -> _Sum:
    """Choose the form of S = sum w_i r_i^q, q = `exponent`; if q = 1, a block only shifts S."""
    if histogram.is_weighted or (histogram.offsets is not None and exponent != 1):
        return _SumOverBlocks(histogram, exponent)
    below, above = split_offsets(histogram)
    return _SumOverFirstRanks(*condense(below.num_candidates, below.num_tasks), exponent, above)


@dataclass(frozen=True, eq=False)
class _SumOverFirstRanks:
    """S = sum r_i^q for ranks 1 .. N, tasks condensed; for q = 1, `above` is added to it."""

    sizes: Values
    weights: Values  # how many tasks, a real number: shape (V,)
    exponent: float
    above: int = 0

    @cached_property
    def means(self) -> Values:
        """The mean of r^q for one task of each size. Shape (V,)."""
        if self.exponent == -1:
            return harmonic(self.sizes) / self.sizes
        if self.exponent < 0:
            return _mean_power(self.sizes, self.exponent)
        return np.asarray(self.sizes**self.exponent * (1 + self._scaled[0]))

    @cached_property
    def _scaled(self) -> tuple[Values, Values]:
        """Mean and variance of (r / N)^q - 1 for one task of each size."""
        return scaled_power(self.sizes, self.exponent)

    @cached_property
    def mean(self) -> float:
        """E[S]."""
        return math.fsum([self.above, *(self.weights * self.means).tolist()])

    @property
    def least(self) -> float:
        """A value that S is never below, but for rounding: all ranks are 1, or N if q < 0."""
        return self.above + float(np.sum(self.weights * np.minimum(self.sizes**self.exponent, 1.0)))

    def transform(self, t: Values, slope: bool) -> tuple[Values, Values]:
        """Return ln L(t) and -L'(t)/L(t) of L(t) = E[exp(-t S)] at ascending `t`. Shapes (T,).

        Without `slope` the second array is all ones. Where L has vanished neither is computed: ln L
        is -inf there, and the other 1.
        """
        sizes, tasks = self.sizes, self.weights
        # Tables have a row for each t, and a column for each size or each rank that is summed over.
        width = sizes.size + min(int(sizes.max()), 2 * TABLE)
        chunk = max(_CHUNK // width, 1)
        logs, slopes = np.full(t.size, -np.inf), np.ones(t.size)
        for start in range(0, t.size, chunk):
            rows = slice(start, start + chunk)
            nodes = t[rows, None]
            if self.exponent == 1:  # a geometric sum, in closed form
                log_phi = _log_phi_of_ranks(nodes, sizes)
            else:
                log_phi = self._log_phi(nodes, sizes)

            logs[rows] = log_phi @ tasks - self.above * t[rows]
            if slope:  # only for q other than 1, where nothing is above
                slopes[rows] = self._slope(nodes, sizes, log_phi) @ tasks

            if logs[rows][-1] < _VANISHED:
                break  # and L is smaller still at every further t

        return logs, slopes

    def _log_phi(self, t: Values, sizes: Values) -> Values:
        """Return ln phi(t), phi the mean of exp(-t j^q) over j = 1 .. N, for t of shape (T, 1)."""
        # 1 - phi is accurate where phi is near 1, phi itself where it is small.
        gap = sum_over_ranks(lambda rank: -np.expm1(-t * rank**self.exponent), sizes) / sizes
        phi = sum_over_ranks(lambda rank: np.exp(-t * rank**self.exponent), sizes) / sizes
        is_near_1 = gap < 0.5
        from_gap = np.log1p(-np.where(is_near_1, gap, 0.0))
        return np.where(is_near_1, from_gap, np.log(np.where(is_near_1, 1.0, phi) + TINY))

    def _slope(self, t: Values, sizes: Values, log_phi: Values) -> Values:
        """Return the mean of j^q exp(-t j^q) over that of exp(-t j^q). Shape (T, U)."""

        def weigh(rank: Values) -> Values:
            power = rank**self.exponent
            return np.asarray(power * np.exp(-t * power))

        return np.asarray(sum_over_ranks(weigh, sizes) / sizes * np.exp(-log_phi))

    def central_moments(self) -> tuple[Values, list[Values]]:
        """Return, for a task of each size, the scale of r^q / E[S] and its central moments in it.

        The k-th moment is scale^k times entry k of the list, k = 0 .. ORDER. They are formed from
        raw moments, except for order 2, which matters most and is formed without cancellation.
        """
        n = self.sizes
        ones = np.ones_like(n)
        if self.exponent > 0:
            # The moments of (r/N)^q, which is at most 1.
            scale = n**self.exponent / self.mean
            first, second = self._scaled
            excesses = [scaled_power(n, self.exponent * k)[0] for k in range(2, ORDER + 1)]
            raw = [ones, 1 + first, *(1 + excess for excess in excesses)]
        else:  # r^q itself is at most 1
            scale = ones / self.mean
            raw = [ones, *(_mean_power(n, self.exponent * k) for k in range(1, ORDER + 1))]
            second = np.where(n > 1, raw[2] - raw[1] ** 2, 0.0)

        mean = raw[1]
        shifts = [(-mean) ** k for k in range(ORDER + 1)]
        central = [ones, np.zeros_like(n), second]
        for k in range(3, ORDER + 1):
            terms = [math.comb(k, i) * raw[i] * shifts[k - i] for i in range(k + 1)]
            central.append(sum(terms, np.zeros_like(n)))

        return scale, central


class _SumOverBlocks:
    """S = sum w_i r_i^q where ranks are uniform on blocks a+1 .. a+T, or tasks have weights."""

    def __init__(self, histogram: Histogram, exponent: float) -> None:
        """Prepare the sum of r^q, q = `exponent`, with an entry for each row of the histogram."""
        self.blocks = blocks_of(histogram)
        self.weights = histogram.num_tasks.astype(np.float64)  # how many tasks a row has
        self.exponent = exponent
        # The weight w of a task, in units of the mean weight, so that all weights add up to n.
        self._own = np.ones_like(self.weights)
        if histogram.weights is not None:
            self._own = histogram.weights * (histogram.total / histogram.total_weight)

        # With c the mean rank of a block, w r^q = w c^q (1 + shift), shift = (r / c)^q - 1 at each
        # point: it keeps its digits where a block is far out and narrow.
        self._units = self.blocks.centres**exponent * self._own  # w c^q
        self._shifts = np.expm1(exponent * self.blocks.logs)
        self._means = self.blocks.mean(self._shifts)  # of the shifts of each row
        # The least r^q: that of the first rank of a block, or of the last one where q < 0.
        ends = np.stack((offsets_of(histogram) + 1.0, histogram.last_ranks))
        self._lowest = np.min(ends**exponent, axis=0)

    @cached_property
    def mean(self) -> float:
        """E[S]."""
        return math.fsum((self.weights * self._units * (1 + self._means)).tolist())

    @property
    def least(self) -> float:
        """The least value of S: all ranks are the first of their blocks, or the last if q < 0."""
        return float(np.sum(self.weights * self._own * self._lowest))

    def transform(self, t: Values, slope: bool) -> tuple[Values, Values]:
        """Return what :meth:`_SumOverFirstRanks.transform` does, for one t after the other."""
        logs, slopes = np.full(t.size, -np.inf), np.ones(t.size)
        lowest, rows = self._own * self._lowest, self.blocks.rows
        # Of exp(-t w r^q) the factor with the least value of w r^q is taken out: what is left is 1
        # for one rank, and its mean phi does not underflow.
        powers = self.blocks.points**self.exponent
        beyond = self._own[rows] * np.maximum(powers - self._lowest[rows], 0.0)
        near = np.ones(lowest.size, np.bool_)
        gap = phi = kept = np.ones(0)
        for index, at in enumerate(t.tolist()):
            # 1 - phi is accurate where phi is near 1, phi itself where it is small. What no block
            # needs is not formed: t ascends, so phi falls, and no block is near 1 again.
            if near.any():
                gap = -self.blocks.mean(np.expm1(-at * beyond))
                near = gap < 0.5

            if slope or not near.all():
                kept = np.exp(-at * beyond)
                phi = self.blocks.mean(kept)
            else:
                phi = np.ones(near.size)

            log_phi = np.where(near, np.log1p(-np.where(near, gap, 0.0)), np.log(phi + TINY))
            logs[index] = float(np.sum(self.weights * (log_phi - at * lowest)))
            if slope:
                means = lowest + self.blocks.mean(beyond * kept) / phi
                slopes[index] = float(np.sum(self.weights * means))

            if logs[index] < _VANISHED:
                break

        return logs, slopes

    def central_moments(self) -> tuple[Values, list[Values]]:
        """Return what :meth:`_SumOverFirstRanks.central_moments` does; here nothing cancels."""
        away = self.blocks.deviations(self._shifts, self._means)
        power = away * away
        central = [np.ones_like(self._means), np.zeros_like(self._means), self.blocks.mean(power)]
        for _ in range(3, ORDER + 1):
            power = power * away
            central.append(self.blocks.mean(power))
        return self._units / self.mean, central


_Sum: TypeAlias = _SumOverFirstRanks | _SumOverBlocks


def _log_phi_of_ranks(t: Values, sizes: Values) -> Values:
    """Return ln of the mean of exp(-t j) over j = 1 .. N. Shape (T, U).

    It is -t (N+1)/2 + ln(sinh(t N/2) / (N sinh(t/2))), or -t + ln(1 - e^-tN) - ln(N (1 - e^-t)).
    """
    by_sinh = -t * (sizes + 1) / 2 + _log_sinhc(t * sizes / 2) - _log_sinhc(t / 2)
    # Further out the first two terms cancel, and the other form takes their place.
    far = np.maximum(t * sizes, _FAR)
    by_exponentials = np.log1p(-np.exp(-far)) - t - np.log(-np.expm1(-t) * sizes)
    return np.where(t * sizes < _FAR, by_sinh, by_exponentials)


def _log_sinhc(x: Values) -> Values:
    """Return ln(sinh(x)/x) for x > 0, without cancellation near 0 or overflow far out."""
    small = np.minimum(x, 0.5)
    square = small * small
    # 1 + x^2/6 + x^4/120 + ...: the sum of the terms beyond 1. A term follows from the one before
    # it by x^2 over 2 3 = 6, 4 5 = 20, ... 12 13 = 156.
    series = np.zeros_like(square)
    for step in (156, 110, 72, 42, 20, 6):
        series = square / step * (1 + series)

    # sinh(x) = e^x (1 - e^-2x) / 2.
    large = np.maximum(x, 0.5)
    far = large + np.log1p(-np.exp(-2 * large)) - np.log(2 * large)
    return np.asarray(np.where(x < 0.5, np.log1p(series), far))


class _Route(NamedTuple):
    """The moments of (S / E[S])^power, as one of the routes estimates them."""

    expectation: Estimate
    variance: Estimate


def _by_transform(sums: _Sum, power: float) -> _Route:
    """Return the moments of (S / E[S])^power from the Laplace transform L(t) = E[exp(-t S)].

    The variance is E[(S / E[S])^(2 power)] - E[(S / E[S])^power]^2. The integrals are known for
    powers below 1, so `power` is at most 1/2, and not 0. Nodes are the same for both: ln(t E[S]) =
    x - exp(-x) at equidistant x.
    """
    mean = sums.mean
    # L(t) <= exp(-t least), as S is never below `least`: from t least = 60 on, nothing is left.
    # The 1 makes up for exp(-x).
    end = math.log(60 * mean / sums.least) + 1
    # Near 0 the integrands go as t^b, b = -p for a power p below 0 and 1 - p for one below 1: they
    # are below e^-45, next to nothing, where b ln t is below -45. The power 1 needs no integral.
    exponents = [-p if p < 0 else 1 - p for p in (power, 2 * power) if p != 1]
    start = -math.log(45 / min(exponents))
    # An even number of steps: every other node makes a rule of the same range.
    num_steps = 2 * math.ceil((end - start) / (2 * STEP))
    x = start + STEP * np.arange(num_steps + 1)
    log_t = x - np.exp(-x)
    weights = 1 + np.exp(-x)  # the derivative of ln t
    log_l, slope = sums.transform(np.exp(log_t) / mean, slope=power > 0)
    log_f = log_l
    if power > 0:
        log_f = log_l + np.log(slope / mean)  # of -L'

    first = _integrate_power(power, log_t, weights, log_f)
    second = Estimate(1.0, UNIT_ROUNDOFF)  # E[S / E[S]]
    if 2 * power != 1:
        second = _integrate_power(2 * power, log_t, weights, log_f)

    error = second.error + 2 * first.value * first.error
    return _Route(first, Estimate(second.value - first.value**2, error))


def _integrate_power(power: float, log_t: Values, weights: Values, log_f: Values) -> Estimate:
    """Return E[(S / E[S])^p] for the power p, the integral of t^b f(t) d(ln t) / Gamma(b).

    For p < 0, b = -p and f = L; for 0 < p < 1, b = 1 - p and f = -L'. `log_f` is ln f at the nodes.
    """
    b = -power if power < 0 else 1 - power
    terms = np.exp(b * log_t + log_f) * weights / math.gamma(b)
    fine = STEP * math.fsum(terms.tolist())
    coarse = 2 * STEP * math.fsum(terms[::2].tolist())
    # Halving the step squares the error of a double-exponential rule: an ample bound.
    converged = (fine - coarse) ** 2 / fine
    return Estimate(fine, converged + _TRANSFORM_ERROR * UNIT_ROUNDOFF * fine)


def _by_series(sums: _Sum, power: float) -> _Route:
    """Return the moments of (S / E[S])^power from the binomial series.

    S / E[S] has the mean 1. With m_k its central moments and d = sum_{k >= 2} C(power, k) m_k,

        E[(S / E[S])^power] = 1 + d,
        Var[(S / E[S])^power] = sum_{k >= 2} C(2 power, k) m_k - 2 d - d^2.
    """
    central = _central_moments(sums)
    orders = range(2, ORDER + 1)
    terms = [binomial(power, k) * central[k] for k in orders]
    square_terms = [binomial(2 * power, k) * central[k] for k in orders]
    rest, square_rest = _estimate_rest(terms), _estimate_rest(square_terms)
    shift = math.fsum(terms)  # d
    variance = math.fsum([*square_terms, *(-2 * term for term in terms), -shift * shift])
    # Powers beyond 1/2 amplify what central moments are off by, those of high order most. The
    # factor is chosen: tests hold it against sums of ones and twos, for powers up to 4.
    amplification = 1.0
    if power > 0.5:
        amplification = 16 * power**2 * 4 ** max(power - 2, 0)

    rounding = 64 * UNIT_ROUNDOFF * central[2] * amplification
    return _Route(
        Estimate(1 + shift, rest + 4 * UNIT_ROUNDOFF),
        Estimate(variance, square_rest + 2 * rest + rounding),
    )


def _estimate_rest(terms: list[float]) -> float:
    """Estimate the rest of a series by its last two terms; infinite if these hardly fall."""
    before, last = abs(terms[-4]) + abs(terms[-3]), abs(terms[-2]) + abs(terms[-1])
    # With few tasks S may be so near 0, next to its mean, that terms hardly fall.
    return last if 2 * last <= before else math.inf


def _mean_power(sizes: Values, power: float) -> Values:
    """Return the mean of j^power over j = 1 .. N for each size N."""
    return np.asarray(sum_over_ranks(lambda rank: rank**power, sizes) / sizes)


@functools.lru_cache(maxsize=1)
def _central_moments(sums: _Sum) -> list[float]:
    """Return the central moments of S / E[S], orders 0 to ORDER.

    The cumulants of S are the sums of those of the tasks. Cumulants kappa_k and central moments m_k
    obey m_k = sum_{j=2}^{k} C(k-1, j-1) kappa_j m_{k-j}, as m_0 = 1 and m_1 = kappa_1 = 0.
    """
    # Those of one task of each size, in units of the scale.
    scale, moments = sums.central_moments()
    zeros = np.zeros_like(moments[0])
    cumulants = [zeros, zeros]
    for k in range(2, ORDER + 1):
        lower = [math.comb(k - 1, j - 1) * cumulants[j] * moments[k - j] for j in range(2, k - 1)]
        cumulants.append(moments[k] - sum(lower, zeros))

    # Those of the sum.
    higher = [float(np.sum(sums.weights * scale**k * cumulants[k])) for k in range(2, ORDER + 1)]
    total_cumulants = [0.0, 0.0, *higher]
    central = [1.0, 0.0]
    for k in range(2, ORDER + 1):
        orders = range(2, k + 1)
        terms = [math.comb(k - 1, j - 1) * total_cumulants[j] * central[k - j] for j in orders]
        central.append(math.fsum(terms))

    return central
