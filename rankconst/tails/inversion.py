r"""Tails from the cumulant generating function, by an integral through the saddlepoint.

With K(z) = ln E[exp(z S)] and any t > 0,

.. math:: P(S \ge x)
          = \frac{1}{2\pi i} \int_{t - i\infty}^{t + i\infty} e^{K(z) - z x}\,\frac{dz}{z},
          \qquad \text{on a lattice of step } \delta:\quad
          \frac{1}{2\pi i} \int_{t - i\pi/\delta}^{t + i\pi/\delta}
          e^{K(z) - z x}\,\frac{\delta\,dz}{1 - e^{-\delta z}}

and for t < 0 the same integrals give P(S >= x) - 1. t is taken where the integrand is least on the
real axis: there its modulus is the probability up to a factor of the order of the standard
deviation, nothing cancels, and a probability of 1e-5000 has the relative accuracy of one of 0.1.
The trapezoidal rule with step h adds the terms

.. math:: \sum_{m \ne 0} e^{2\pi m t/h}\,P(S \ge x + 2\pi m/h),

which Chernoff's inequality bounds by K at real arguments; h is the largest step for which they are
negligible. On a lattice nothing else is lost. Lugannani and Rice's formula (1980, *Adv. Appl.
Prob.* 12, 475) is the leading term of the same integral; a few dozen evaluations of K more give all
of it.

Sums of reciprocals or logarithms, and sums of unlike weights, lie on no usable lattice. Their
integrand falls to nothing too, but may rise again far away, at frequencies where nearly all likely
ranks are in phase: that is how an integral shows that the distribution is discrete. Such
near-returns are looked up where they can be (:func:`_estimate_returns`), and their weight is the
stated error. If the integrand does not fall within the budget, S is smeared by a bounded amount,

.. math:: P(S + \epsilon U \ge x + \epsilon) \le P(S \ge x) \le P(S + \epsilon U \ge x - \epsilon),
          \qquad |U| \le 1,

with U of the Kaiser-Bessel shape, whose transform vanishes beyond beta/epsilon: a rigorous bracket.

References
----------
Abate and Whitt 1992, *Queueing Systems* 10, 5 (the discretisation error of the Fourier-series
method, section 5); Butler 2007, *Saddlepoint Approximations with Applications*, chapter 1; Kaiser
and Schafer 1980, *IEEE Trans. ASSP* 28, 105 (the window).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.tails.distributions import (
    LogRankDistribution,
    MixedDistribution,
    ReciprocalDistribution,
    Tail,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.doubles import Complex, Values
    from rankconst.tails.distributions import Method, SumDistribution

# Chance is taken for certain where the complement is below e^-90.
_NEGLIGIBLE = -90.0
# ln of the discretisation error, and the relative modulus below which the integrand counts as gone.
_FINE = 36.0
_GONE = 1e-17
# Exponentials that one integral may take, and nodes on a lattice's circle.
_BUDGET = 4e6
_MOST_NODES = 2**18
_LEAST_NODES = 256
# The window's parameter: its transform is below e^-24 = 4e-11 beyond beta/epsilon.
_BETA = 24.0
# The error of a logarithm of which only is known what it is at most.
_LOST = 1e3
# Near-returns of more weight than this are too many to be looked up one by one.
_GRANULAR = 1e-2
# How far beyond its end the integrand of a mixed distribution is looked at, and at how many
# frequencies.
_FAR = 100.0
_LOOKS = 64


@dataclass(frozen=True, slots=True)
class Saddle:
    """Where the line of integration crosses the real axis."""

    t: float  # the crossing; positive for the upper tail, negative if the complement is computed
    x: float  # the observed sum, measured from the top if t > 0, from the bottom otherwise
    span: float | None  # the step of the lattice
    cgf: float  # K(t), measured likewise
    deviation: float  # the standard deviation of S under the tilted distribution
    rounding: float  # absolute error of K(t) - t x

    @property
    def upper(self) -> bool:
        """True if P(S >= x) is computed, False if P(S < x) is."""
        return self.t > 0


# Whether sums are few, and their integral, is asked with the same saddle.
@functools.lru_cache(maxsize=4)
def find_saddle(distribution: SumDistribution, x: float, span: float | None) -> Saddle:
    """Find the real t that makes exp(K(t) - t x) abs(kernel(t)) least.

    It is found to a hundredth, as any t gives the same integral. x is the observed sum minus the
    top, strictly between -width and 0; `span` is the step of the lattice whose kernel is meant, or
    None.
    """
    step = 1e-8 / distribution.width
    mean = float(distribution.cgf(np.array([step * 1j]), upper=True)[0].imag) / step
    upper = x >= mean
    if upper:
        first_t = 1.0 / distribution.width
        scale = abs(x)
        least, farthest = -math.inf, math.inf
    else:
        first_t = -1.0 / distribution.width
        scale = distribution.width
        x += distribution.width
        # A complement matters only next to 1: it is not followed to where terms overflow, or below
        # e^-90.
        least, farthest = _NEGLIGIBLE, 0.5 * distribution.farthest

    def height(t: Values) -> Values:
        """Return the logarithm of the modulus of the integrand at t."""
        z = t.astype(np.complex128)
        transform: Values = distribution.cgf(z, upper=upper).real
        return transform - t * x + np.log(np.abs(_kernel(span, z)))

    t = _find_lowest(height, first_t, least, farthest)

    log_means = distribution.log_means(np.array([t + 0j]), upper=upper)[0].real
    terms = distribution.tasks * log_means
    # The second derivative of K, by differences.
    around = np.array([t * (1 - 1e-3), t, t * (1 + 1e-3)], dtype=np.complex128)
    below, at_t, above = distribution.cgf(around, upper=upper).real
    variance = float(below - 2.0 * at_t + above) / (1e-3 * t) ** 2
    rounded = 4.0 * float(np.abs(terms).sum()) + 8.0 * float(distribution.tasks.sum())
    return Saddle(
        t=t,
        x=x,
        span=span,
        cgf=math.fsum(terms.tolist()),
        # A distribution that is nearly settled has next to no variance; the kernel still has a
        # width.
        deviation=math.sqrt(max(variance, 1e-4 / (t * t))),
        rounding=UNIT_ROUNDOFF * (rounded + 4.0 * abs(t) * scale) + distribution.off,
    )


def _find_lowest(
    height: Callable[[Values], Values], t: float, least: float, farthest: float
) -> float:
    """Find the lowest height: double t while it falls, then look on finer and finer grids."""
    previous = math.inf
    current = float(height(np.array([t]))[0])
    while least < current < previous and abs(2.0 * t) < farthest:
        t *= 2.0
        previous = current
        current = float(height(np.array([t]))[0])

    for factor in (4.0, 1.3, 1.03):
        highest_power = 0.0 if abs(factor * t) > farthest else 1.0
        grid = t * factor ** np.linspace(-1.0, highest_power, 17)
        t = float(grid[np.argmin(height(grid))])

    return t


def _kernel(span: float | None, z: Complex) -> Complex:
    """Return 1/z, or where sums are multiples of `span`, span / (1 - e^(-span z))."""
    if span is None:
        return np.asarray(1.0 / z, dtype=np.complex128)
    return np.asarray(-span / np.expm1(-span * z), dtype=np.complex128)


def _kernel_at_axis(saddle: Saddle) -> float:
    """Return the kernel at t, negative below 0: the integral is then minus the complement."""
    return float(_kernel(saddle.span, np.array([saddle.t + 0j]))[0].real)


def invert(distribution: SumDistribution, x: float) -> Tail:
    """Compute P(S - top >= x) by the inversion integral, for x strictly between -width and 0.

    On a lattice, the integral once round its circle is exact. Otherwise, or if that takes too long,
    it is the whole integral if that falls to nothing and hardly returns, or else a bracket.
    """
    if distribution.span is not None:
        saddle = find_saddle(distribution, x, distribution.span)
        period = _find_period(distribution, saddle)
        num_nodes = math.ceil(0.5 * period / distribution.span)  # on half of the circle
        step = 2.0 * math.pi / ((2 * num_nodes + 1) * distribution.span)
        z, g, is_complete = _evaluate_nodes(
            distribution, saddle, step, distribution.settles, num_nodes
        )
        if is_complete:
            log, error = _apply_trapezoidal_rule(saddle, z, g)
            return _make_tail(log, error, saddle, "exact")

    saddle = find_saddle(distribution, x, None)
    step = 2.0 * math.pi / _find_period(distribution, saddle)
    z, g, is_gone = _evaluate_nodes(distribution, saddle, step, settles=True)
    if is_gone:
        log, error = _apply_trapezoidal_rule(saddle, z, g)
        tail_on_axis = math.exp(log - saddle.cgf + saddle.t * saddle.x)  # over exp(K(t) - t x)
        returns = _estimate_returns(distribution, saddle, float(z[-1].imag)) / tail_on_axis
        if returns < _GRANULAR:
            return _make_tail(log, error + 2.0 * returns, saddle, "inversion")
        # As far as the budget allows.
        z, g, _ = _evaluate_nodes(distribution, saddle, step, settles=False)

    return _bracket(saddle, z, g)


def _make_tail(
    log: float, error: float, saddle: Saddle, method: Method, log_most: float | None = None
) -> Tail:
    """Make a tail of ln of the integral, which is of the probability P(S >= x) or of P(S < x).

    P(S < x) is at most exp(log_most). Without that bound, and if `log` is all rounding, P(S < x) is
    at most exp(log).
    """
    if saddle.upper:
        return Tail.from_log(log, error, method)
    if log_most is None and error >= _LOST:
        log_most = log
    return Tail.from_complement(log, error, method, log_most)


def _find_period(distribution: SumDistribution, saddle: Saddle) -> float:
    r"""Return the least D = 2 pi / h for which the errors of the trapezoidal rule are negligible.

    h is its step, and the errors are the terms m = 1 and -1 at the top of this module. By
    Chernoff's bounds, the term m = 1, relative to e^{K(t) - t x}, is at most exp(K(t+u) - K(t) -
    u (x + D)) for u >= 0, and the term -1 at most exp(K(t-u) - K(t) + u (x - D)) for 0 <= u <= t
    (both mirrored for t < 0).
    """
    size = abs(saddle.t)
    # The integral itself is about 1 / (t deviation) on this scale.
    log_target = _FINE + math.log1p(size * saddle.deviation)
    # Some u to try: away from 0, and towards 0 but short of it, where the closed forms are 0/0.
    candidates = np.geomspace(0.5, 40.0, 14) / saddle.deviation
    outward = candidates
    if not saddle.upper:
        outward = np.minimum(candidates, 0.5 * distribution.farthest)

    inward = np.append(candidates[candidates < 0.999 * size], 0.999 * size)
    away_from_0 = math.copysign(1.0, saddle.t)
    least_periods = []
    for u, direction in ((outward, away_from_0), (inward, -away_from_0)):
        shift = direction * u
        z = (saddle.t + shift).astype(np.complex128)
        growth = distribution.cgf(z, upper=saddle.upper).real - saddle.cgf
        # The bound of the term is e^-log_target at this D; the best u allows the least D.
        periods = (growth - shift * saddle.x + log_target) / u
        least_periods.append(float(np.min(periods)))

    return max(least_periods)


def _evaluate_nodes(
    distribution: SumDistribution,
    saddle: Saddle,
    step: float,
    settles: bool,
    circle: int | None = None,
) -> tuple[Complex, Complex, bool]:
    """Evaluate the integrand of the inversion at t + i step m, m = 0, 1, ... until it is gone.

    Its modulus is at most 1. If it `settles`, it counts as gone when the last half of the way held
    nothing. On a lattice the integral ends after `circle` nodes off the axis. Returns nodes,
    integrand, and whether the integral is complete: it is not if the budget was spent before.
    """
    kernel_at_axis = _kernel_at_axis(saddle)
    last_node = _MOST_NODES if circle is None else circle
    nodes = []
    integrand = []
    cost = 0.0
    # Chunks of nodes first .. stop - 1: each as long as all before it.
    first = 0
    chunk_size = 32
    is_complete = False
    while first <= last_node and not is_complete:
        stop = min(first + chunk_size, last_node + 1)
        z: Complex = np.asarray(saddle.t + 1j * step * np.arange(first, stop), dtype=np.complex128)
        cost += distribution.cost(abs(z[-1])) * len(z)
        if cost > _BUDGET and first > _LEAST_NODES:
            break

        transform = distribution.cgf(z, upper=saddle.upper)
        exponents = transform - saddle.cgf - (z - saddle.t) * saddle.x
        g = np.exp(exponents) * _kernel(saddle.span, z) / kernel_at_axis
        nodes.append(z)
        integrand.append(g)

        is_whole_chunk = stop - first == chunk_size
        is_gone = settles and is_whole_chunk and bool(np.max(np.abs(g)) < _GONE)
        is_complete = stop - 1 == circle or is_gone
        first = stop
        chunk_size = stop

    return np.concatenate(nodes), np.concatenate(integrand), is_complete


def _apply_trapezoidal_rule(
    saddle: Saddle, z: Complex, g: Complex, shift: float = 0.0
) -> tuple[float, float]:
    """Apply the trapezoidal rule to the integrand `g` at the nodes `z`.

    Returns ln of the tail, or of its complement, and its error, for x moved by `shift`. If the
    error is `_LOST`, the sum is all rounding: the logarithm is the largest that it can be.
    """
    step = float(z[1].imag) if len(z) > 1 else 2.0 * math.pi / (saddle.span or 1.0)
    terms = g
    if shift:
        terms = g * np.exp(-(z - saddle.t) * shift)

    # Conjugate nodes have conjugate values: all but the first count twice.
    total = float(terms[0].real) + 2.0 * float(terms[1:].real.sum())
    total_size = 1.0 + 2.0 * float(np.abs(terms[1:]).sum())
    scale = abs(_kernel_at_axis(saddle)) * step / (2.0 * math.pi)
    # What was left out, rounding of the terms, and that of z x in the exponent.
    lost = 4.0 * _GONE * len(g) + 32.0 * UNIT_ROUNDOFF * total_size
    first_moment = float((np.abs(g) * np.abs(z.imag)).sum())
    lost += 8.0 * UNIT_ROUNDOFF * abs(saddle.x) * first_moment
    log_of_axis = saddle.cgf - saddle.t * (saddle.x + shift)  # ln of the integrand at t
    if total <= 2.0 * lost:
        # Nothing but rounding: all that is known is how small the integral is.
        return log_of_axis + math.log(2.0 * scale * lost), _LOST

    error = saddle.rounding + 2.0 * lost / total + 4.0 * math.exp(-_FINE)
    return log_of_axis + math.log(scale * total), error


def _bracket(saddle: Saddle, z: Complex, g: Complex) -> Tail:
    """Return the middle of two bounds, tails of a smeared sum, and half of their distance."""
    radius = _BETA / float(z[-1].imag)
    smeared = g * _window(radius * z)
    # The bounds are the tails at x + radius and x - radius: ln of each, and its error.
    bounds = []
    for shift in (radius, -radius):
        log, error = _apply_trapezoidal_rule(saddle, z, smeared, shift)
        bounds.append((log, error + 4.0 * math.exp(-_BETA) * _BETA))

    (low, low_error), (high, high_error) = sorted(bounds)
    error = 0.5 * (high - low) + max(low_error, high_error)
    log_most = high
    if high_error < _LOST:
        log_most += high_error

    return _make_tail(0.5 * (low + high), error, saddle, "inversion", log_most)


def _window(z: Complex) -> Complex:
    """Return E[exp(z U)] for U of the Kaiser-Bessel shape."""
    root: Complex = np.sqrt(_BETA * _BETA + np.square(z))
    # sinh(root) / sinh(beta) and beta / root, without overflow.
    ratio = np.exp(root - _BETA) * -np.expm1(-2.0 * root) / -math.expm1(-2.0 * _BETA)
    window: Complex = ratio * _BETA / root
    return window


def _estimate_returns(distribution: SumDistribution, saddle: Saddle, reach: float) -> float:
    """Estimate what near-returns of the integrand beyond `reach` add, relative to exp(K(t) - t x).

    The integrand nearly returns to its largest size at frequencies at which nearly all likely ranks
    are in phase. A near-return at frequency w of modulus q moves the tail by about abs(q / w) of
    the scale of the tilted density. The modulus is that of n average tasks; ranks beyond those
    listed are taken to be out of phase.
    """
    if isinstance(distribution, MixedDistribution):  # its parts rarely return together
        z: Complex = np.asarray(saddle.t + 1j * reach * np.geomspace(1.0, _FAR, _LOOKS))
        modulus = np.exp(distribution.cgf(z, upper=saddle.upper).real - saddle.cgf)
        return float(modulus.mean()) * math.log(_FAR) / math.pi

    if not isinstance(distribution, (ReciprocalDistribution, LogRankDistribution)):
        return 0.0

    # The chance of each rank under the tilted distribution of each size, shape (R, U).
    ranks = np.arange(1.0, min(distribution.sizes[-1], 256.0) + 1)
    log_means = distribution.log_means(np.array([saddle.t + 0j]), upper=saddle.upper)[0].real
    log_sums = log_means + np.log(distribution.sizes)
    reference = np.zeros(1) if saddle.upper else distribution.deviations(distribution.sizes)
    deviations = distribution.deviations(ranks)[:, None] - reference
    chances = np.exp(saddle.t * deviations - log_sums)
    chances = np.where(ranks[:, None] <= distribution.sizes, chances, 0.0)
    num_tasks = distribution.tasks.sum()
    mean_chances = chances @ distribution.tasks / num_tasks  # shape (R,)

    # Frequencies w at which these ranks are in phase, and exp(i w f(r)), shapes (W,) and (W, R).
    if isinstance(distribution, ReciprocalDistribution):
        frequencies, phases = _reciprocal_returns(len(ranks))
    else:
        frequencies, phases = _logarithmic_returns(len(ranks))

    modulus = np.minimum(np.abs(phases @ mean_chances), 1.0) ** num_tasks
    contributions = modulus / frequencies
    return float(np.sum(contributions[frequencies > reach])) / math.pi


@functools.lru_cache(maxsize=4)
def _reciprocal_returns(largest: int) -> tuple[Values, Complex]:
    """Return frequencies w at which many exp(i w / r) are 1, and exp(i w / r) for r = 1 .. largest.

    They are 2 pi times the multiples of lcm(1 .. m): there it is 1 for every r <= m.
    """
    # Whole numbers, so that nothing is lost modulo r.
    common = [math.lcm(*range(1, m + 1)) for m in range(1, min(largest, 36) + 1)]
    distinct = {each * k for each in common for k in range(1, 65)}
    multiples = np.array(sorted(distinct), dtype=np.int64)
    ranks = np.arange(1, largest + 1)
    turns = (multiples[:, None] % ranks) / ranks
    frequencies = 2.0 * math.pi * multiples.astype(np.float64)
    return frequencies, np.exp(2j * math.pi * turns)


@functools.lru_cache(maxsize=4)
def _logarithmic_returns(largest: int) -> tuple[Values, Complex]:
    """Return frequencies w at which many exp(i w ln r) are 1, and these for r = 1 .. largest.

    They are the multiples of 2 pi / ln 2: there it is 1 for every power of two.
    """
    turns = np.arange(1.0, 1025.0)
    phases = turns[:, None] * (np.log2(np.arange(1.0, largest + 1)) % 1.0)
    return 2.0 * math.pi / math.log(2.0) * turns, np.exp(2j * math.pi * phases)
