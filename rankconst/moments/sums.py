r"""Sums over the ranks 1 .. N, for many N at once, in time and memory that do not grow with N.

Up to :data:`HEAD` terms are added one by one; the rest follows from the Euler-Maclaurin formula

.. math:: \sum_{j=M+1}^{N} f(j) = \int_M^N f + \frac{f(N) - f(M)}{2}
          + \sum_{k \ge 1} \frac{B_{2k}}{(2k)!} \left(f^{(2k-1)}(N) - f^{(2k-1)}(M)\right)

(Graham, Knuth and Patashnik 1994, *Concrete Mathematics*, eq. 9.67). With M = 16 and eight terms the remainder is
below 1e-19 relative to the sums formed here, so that rounding alone is left.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    Counts = NDArray[np.int64]

__all__ = ["HEAD", "harmonic", "harmonic_squares", "scaled_power"]

HEAD = 16
"""The number of terms that are added one by one."""

# B_2, B_4, ... B_16.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def harmonic(num_candidates: Counts) -> Values:
    """Return the harmonic numbers H(N) = sum_{j<=N} 1/j.

    Parameters
    ----------
    num_candidates
        Shape (U,), int64, each >= 1.

    Returns
    -------
    ndarray
        Shape (U,), float64, relative error below 4 units of roundoff.
    """
    n = num_candidates.astype(np.float64)
    tail = sum(b / (2 * k) * n ** (-2.0 * k) for k, b in enumerate(_BERNOULLI, start=1))
    return np.where(n <= HEAD, _partial_sums(1, num_candidates), np.log(n) + (np.euler_gamma + (0.5 / n - tail)))


def harmonic_squares(num_candidates: Counts) -> Values:
    """Return the generalised harmonic numbers H2(N) = sum_{j<=N} 1/j^2.

    Parameters
    ----------
    num_candidates
        Shape (U,), int64, each >= 1.

    Returns
    -------
    ndarray
        Shape (U,), float64, relative error below 4 units of roundoff.
    """
    n = num_candidates.astype(np.float64)
    tail = sum(b * n ** (-2.0 * k - 1) for k, b in enumerate(_BERNOULLI, start=1))
    return np.where(n <= HEAD, _partial_sums(2, num_candidates), math.pi**2 / 6 - (1 / n - 0.5 / n**2 + tail))


def _partial_sums(power: int, num_candidates: Counts) -> Values:
    table = np.array([math.fsum(j**-power for j in range(1, m + 1)) for m in range(HEAD + 1)])
    taken: Values = table[np.minimum(num_candidates, HEAD)]
    return taken


def scaled_power(num_candidates: Counts, power: float) -> tuple[Values, Values]:
    r"""Return mean and variance of (r/N)^p - 1 for r uniform on 1 .. N.

    Formed from expm1(p ln(j/N)), whose mean and standard deviation are both about |p| for small p, so that neither
    cancels however small p is: with p = 1/n this is what a geometric mean over n tasks needs.

    Parameters
    ----------
    num_candidates
        N, shape (U,), int64, each >= 1.
    power
        The exponent p, at least -2.

    Returns
    -------
    mean, variance : ndarray
        Shape (U,), float64. Relative errors below 64 units of roundoff for abs(p) <= 1.
    """
    n = num_candidates.astype(np.float64)[:, None]
    j = np.arange(1, HEAD + 1, dtype=np.float64)[None, :]
    f = np.expm1(power * np.log(j / n))
    f = np.where(j <= n, f, 0.0)
    first = f.sum(axis=1)
    second = np.square(f).sum(axis=1)
    size = n[:, 0]
    far = size > HEAD
    rest = _tail_sums(size[far], power)
    first[far] += rest[0]
    second[far] += rest[1]
    mean = first / size
    return mean, np.where(size > 1, second / size - mean * mean, 0.0)


def _tail_sums(n: Values, p: float) -> tuple[Values, Values]:
    """Sum f and f^2 over HEAD < j <= n, with f(x) = (x/n)^p - 1."""
    start = HEAD / n
    log_start = np.log(start)
    f = np.expm1(p * log_start)
    integral, square_integral = _integrals(start, log_start, f, p)
    first = n * integral - 0.5 * f
    second = n * square_integral - 0.5 * f * f
    # d^m f / dx^m = (p)_m (x/n)^p / x^m, falling factorials; the products rule gives those of f^2.
    falling = [1.0]
    for m in range(2 * len(_BERNOULLI)):
        falling.append(falling[-1] * (p - m))
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        m = 2 * k - 1
        weight = bernoulli / math.factorial(2 * k)
        inner = sum(math.comb(m, i) * falling[i] * falling[m - i] for i in range(1, m))
        at_end = n ** (-float(m))
        at_start = float(HEAD) ** -m * (1.0 + f)
        first += weight * falling[m] * (at_end - at_start)
        # At the end f is 0, and so is the term with f itself.
        second += weight * (inner * at_end - (2.0 * f * falling[m] + inner * (1.0 + f)) * at_start)
    return first, second


def _integrals(start: Values, log_start: Values, f: Values, p: float) -> tuple[Values, Values]:
    """Integrate u^p - 1 and (u^p - 1)^2 from `start` to 1; f = start^p - 1."""
    if p > -0.375:
        once = -(p + start * (f - p)) / (1.0 + p)
        twice = (2.0 * p * p - start * (f * f * (1.0 + p) - 2.0 * f * p + 2.0 * p * p)) / ((1.0 + p) * (1.0 + 2.0 * p))
        return once, twice

    def integrate_power(q: float) -> Values:
        return -log_start if q == -1.0 else -np.expm1((q + 1.0) * log_start) / (q + 1.0)

    length = 1.0 - start
    return integrate_power(p) - length, integrate_power(2.0 * p) - 2.0 * integrate_power(p) + length
