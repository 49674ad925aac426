r"""Sums over the ranks 1 .. N, for many N at once, in time and memory that do not grow with N.

Up to :data:`HEAD` terms are added one by one; the rest follows from the Euler-Maclaurin formula

.. math:: \sum_{j=M+1}^{N} f(j) = \int_M^N f + \frac{f(N) - f(M)}{2}
          + \sum_{k \ge 1} \frac{B_{2k}}{(2k)!} \left(f^{(2k-1)}(N) - f^{(2k-1)}(M)\right)

(Graham, Knuth and Patashnik 1994, *Concrete Mathematics*, eq. 9.67). With M = 16 and eight terms
the remainder is below 1e-19 relative to the sums formed here, so that rounding alone is left.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.doubles import TINY

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.doubles import Counts, Values

# Terms that are added one by one, and those that sum_over_ranks adds so.
HEAD, TABLE = 16, 1024
# Gauss-Legendre rule for each octave of ranks beyond the table.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)

# B_2, B_4, ... B_16.
_FRACTIONS = ("1/6", "-1/30", "1/42", "-1/30", "5/66", "-691/2730", "7/6", "-3617/510")
_EXACT = tuple(Fraction(text) for text in _FRACTIONS)
_BERNOULLI = tuple(float(number) for number in _EXACT)
# B_2k / (2k)!, the coefficients of the Euler-Maclaurin formula, and B_2k(1/2) / (2k)!, those of its
# midpoint form.
EULER_MACLAURIN = tuple(b / math.factorial(2 * k) for k, b in enumerate(_BERNOULLI, start=1))
MIDPOINT = tuple(
    float(b * (Fraction(2, 4**k) - 1) / math.factorial(2 * k))
    for k, b in enumerate(_EXACT, start=1)
)
# Power to the sums of j^-power over j <= N, correctly rounded, for N from 0 to HEAD.
_PARTIAL_SUMS: dict[int, Values] = {}
for _power in (1, 2):
    _terms = [j**-_power for j in range(1, HEAD + 1)]
    _PARTIAL_SUMS[_power] = np.array([math.fsum(_terms[:n]) for n in range(HEAD + 1)])

# Chebyshev points for each octave of N.
_POINTS = 24


def binomial(power: float, k: int) -> float:
    """Return the binomial coefficient of any real power."""
    return math.prod((power - i) / (i + 1) for i in range(k))


def harmonic(num_candidates: Counts | Values) -> Values:
    """Return H(N) = sum_{j<=N} 1/j to 4 units of roundoff. Beyond HEAD, N need not be whole."""
    near = _partial_sums(1, num_candidates)
    if num_candidates.max(initial=0) <= HEAD:
        return near
    n = num_candidates.astype(np.float64)
    tail = sum(b / (2 * k) * n ** (-2.0 * k) for k, b in enumerate(_BERNOULLI, start=1))
    return np.where(n <= HEAD, near, np.log(n) + (np.euler_gamma + (0.5 / n - tail)))


def harmonic_squares(num_candidates: Counts) -> Values:
    """Return H2(N) = sum_{j<=N} 1/j^2 to 4 units of roundoff."""
    near = _partial_sums(2, num_candidates)
    if num_candidates.max(initial=0) <= HEAD:
        return near
    n = num_candidates.astype(np.float64)
    tail = sum(b * n ** (-2.0 * k - 1) for k, b in enumerate(_BERNOULLI, start=1))
    return np.where(n <= HEAD, near, math.pi**2 / 6 - (1 / n - 0.5 / n**2 + tail))


def _partial_sums(power: int, num_candidates: Counts | Values) -> Values:
    """Return sum_{j<=n} j^-power, n = min(N, HEAD), for power 1 or 2."""
    taken: Values = _PARTIAL_SUMS[power][np.minimum(num_candidates, HEAD).astype(np.int64)]
    return taken


def scaled_power(num_candidates: Counts | Values, power: float | Values) -> tuple[Values, Values]:
    r"""Return mean and variance of (r/N)^p - 1 for r uniform on 1 .. N.

    There is one p for all, or one each, from -2 to some tens.

    Formed from expm1(p ln(j/N)), whose mean and standard deviation are both about |p| for small p,
    so that neither cancels however small p is: with p = 1/n this is what a geometric mean over n
    tasks needs. Relative errors are below 64 units of roundoff for abs(p) <= 1; beyond HEAD, N need
    not be whole.
    """
    size = num_candidates.astype(np.float64)
    powers = np.broadcast_to(np.asarray(power, dtype=np.float64), num_candidates.shape)
    # A table of the ranks up to HEAD: a row for each N, a column for each rank.
    rank = np.arange(1, HEAD + 1)
    shifted = np.expm1(powers[:, None] * np.log(rank / size[:, None]))
    shifted = np.where(rank <= size[:, None], shifted, 0.0)
    total = shifted.sum(axis=1)
    square_total = np.square(shifted).sum(axis=1)
    goes_on = size > HEAD  # the sum over further ranks
    if goes_on.any():
        powers_that_go_on = power if isinstance(power, float) else powers[goes_on]
        further_total, further_square_total = _tail_sums(size[goes_on], powers_that_go_on)
        total[goes_on] += further_total
        square_total[goes_on] += further_square_total

    mean = total / size
    return mean, square_total / size - mean * mean


def _tail_sums(n: Values, p: float | Values) -> tuple[Values, Values]:
    """Sum f and f^2 over HEAD < j <= n, with f(x) = (x/n)^p - 1, for each n.

    By the Euler-Maclaurin formula: an integral, half of the ends, and derivatives of odd orders m
    at both ends. Returns the sums of f and of f^2, in the shape of `n`.
    """
    start = HEAD / n
    log_start = np.log(start)
    f_at_head = np.expm1(p * log_start)  # f is 0 at the other end, n
    integral, square_integral = _integrals(start, log_start, f_at_head, np.broadcast_to(p, n.shape))
    total = n * integral - 0.5 * f_at_head
    square_total = n * square_integral - 0.5 * f_at_head * f_at_head

    # d^m f / dx^m = (p)_m (x/n)^p / x^m, with (p)_m the falling factorial. With one p for all n
    # these factorials are single numbers, which saves most of the time.
    factorials = _list_falling_factorials(p)
    for k, weight in enumerate(EULER_MACLAURIN, start=1):
        m = 2 * k - 1
        at_end = n ** (-float(m))
        at_head = float(HEAD) ** -m * (1.0 + f_at_head)
        total += weight * factorials[m] * (at_end - at_head)
        # The m-th derivative of f^2 is 2 f f^(m) plus products of lower derivatives. The first part
        # is 0 at the end.
        lower = _add_lower_products(factorials, m)
        square_factor = 2.0 * f_at_head * factorials[m] + lower * (1.0 + f_at_head)
        square_total += weight * (lower * at_end - square_factor * at_head)

    return total, square_total


def _list_falling_factorials(p: Any) -> list[Any]:
    """Return the falling factorials (p)_m = p (p - 1) ... (p - m + 1) for m = 0, 1, 2 ..."""
    factorials = [1.0]
    for m in range(2 * len(_BERNOULLI)):
        factorials.append(factorials[-1] * (p - m))
    return factorials


def _add_lower_products(factorials: list[Any], m: int) -> Any:
    """Return sum_{i=1}^{m-1} C(m, i) (p)_i (p)_{m-i}, given the falling factorials of p."""
    terms = [math.comb(m, i) * factorials[i] * factorials[m - i] for i in range(1, m)]
    return sum(terms)


def _integrals(start: Values, log_start: Values, f: Values, p: Values) -> tuple[Values, Values]:
    """Integrate u^p - 1 and (u^p - 1)^2 over u from `start` to 1; f = start^p - 1."""
    # The first form divides by 1 + p and 1 + 2 p, so it is not for p near -1 and -1/2; the second
    # cancels for small p. Where a form is not used, its exponent q is harmless.
    is_first = p > -0.375
    q = np.where(is_first, p, 1.0)
    integral = -(q + start * (f - q)) / (1.0 + q)
    at_start = start * (f * f * (1.0 + q) - 2.0 * f * q + 2.0 * q * q)
    square_integral = (2.0 * q * q - at_start) / ((1.0 + q) * (1.0 + 2.0 * q))
    if is_first.all():
        return integral, square_integral

    q = np.where(is_first, -1.0, p)
    length = 1.0 - start
    of_power = _integrate_power(q, log_start)
    of_square = _integrate_power(2.0 * q, log_start)
    second_integral = of_power - length
    second_square_integral = of_square - 2.0 * of_power + length
    return (
        np.where(is_first, integral, second_integral),
        np.where(is_first, square_integral, second_square_integral),
    )


def _integrate_power(q: Values, log_start: Values) -> Values:
    """Integrate u^q from the start to 1."""
    logarithmic = q == -1.0
    raised = np.where(logarithmic, 1.0, q + 1.0)  # no division by 0
    return np.where(logarithmic, -log_start, -np.expm1(raised * log_start) / raised)


def sum_over_ranks(f: Callable[[Values], Values], num_candidates: Counts | Values) -> Values:
    r"""Return the sums of any smooth f over 1 .. N.

    The first TABLE terms are added one by one, the others by the midpoint form of the
    Euler-Maclaurin formula, with the integral by Gauss's rule on octaves:

    .. math:: \sum_{j=M+1}^{N} f(j) = \int_{M+1/2}^{N+1/2} f
              - \frac{f'(N + 1/2) - f'(M + 1/2)}{24} + \dots

    f takes shape (K,) to (..., K), and varies on the scale of its argument, not faster: powers,
    logarithms, and exponentials of these. The relative error is below 1e-13 for an f of one sign;
    beyond TABLE, N need not be whole.
    """
    last_in_table = min(int(num_candidates.max()), TABLE)
    terms = f(np.arange(1, last_in_table + 1, dtype=np.float64))
    sums_in_table = np.cumsum(terms, axis=-1)  # at index N - 1, the sum up to N
    indices = np.minimum(num_candidates, TABLE).astype(np.int64) - 1
    sums: Values = sums_in_table[..., indices]
    far = np.flatnonzero(num_candidates > TABLE)
    if far.size == 0:
        return sums

    ends: Values = num_candidates[far].astype(np.float64) + 0.5
    start = TABLE + 0.5
    # Integrals over the octaves that lie below each end, then from the last octave to the end.
    num_octaves = np.floor(np.log2(ends / start)).astype(np.int64)
    edges: Values = start * np.exp2(np.arange(int(num_octaves.max()) + 1))
    integrals = np.zeros((*sums_in_table.shape[:-1], edges.size))  # from the start to each edge
    for i in range(1, edges.size):
        panel = _integrate(f, edges[i - 1 : i], edges[i : i + 1])
        integrals[..., i] = integrals[..., i - 1] + panel[..., 0]

    remainder = _integrate(f, edges[num_octaves], ends)
    slope = (_slope(f, ends) - _slope(f, np.array([start]))) / 24
    sums[..., far] += integrals[..., num_octaves] + remainder - slope
    return sums


def condense(num_candidates: Counts, num_tasks: Counts) -> tuple[Values, Values]:
    r"""Replace many numbers of candidates by few, with the same sums of smooth functions.

    Beyond the table, sum_u c_u g(N_u) is replaced octave by octave with the interpolation of g at
    Chebyshev points: sum_k w_k g(x_k), w_k = sum_u c_u l_k(N_u), l_k the Lagrange polynomials
    (Berrut and Trefethen 2004, *Barycentric Lagrange interpolation*, eq. 4.2). For g that are
    analytic in N on the scale of N this is exact to rounding. At most TABLE sizes are left, and 48
    for each octave beyond, mostly 24. Returns sizes and their numbers of tasks, as real numbers.
    """
    sizes = num_candidates.astype(np.float64)
    tasks = num_tasks.astype(np.float64)
    is_in_table = sizes <= TABLE
    # Octave m has the sizes from TABLE 2^m on.
    octaves = np.floor(np.log2(np.maximum(sizes / TABLE, 1.0))).astype(np.int64)
    kept_sizes = [sizes[is_in_table]]
    kept_tasks = [tasks[is_in_table]]
    angles = (2 * np.arange(_POINTS) + 1) * (math.pi / (2 * _POINTS))
    barycentric_weights = np.where(np.arange(_POINTS) % 2, -1.0, 1.0) * np.sin(angles)
    for octave in np.flatnonzero(np.bincount(octaves[~is_in_table])):
        is_in_octave = ~is_in_table & (octaves == octave)
        octave_sizes = sizes[is_in_octave]
        octave_tasks = tasks[is_in_octave]
        if octave_sizes.size <= 2 * _POINTS:
            kept_sizes.append(octave_sizes)
            kept_tasks.append(octave_tasks)
            continue

        points = TABLE * 2.0**octave * (1.5 + 0.5 * np.cos(angles))
        distances = octave_sizes[:, None] - points  # shape (sizes, points)
        # A size that is one of the points takes its value alone.
        shares = barycentric_weights / np.where(distances == 0, TINY, distances)
        shares /= shares.sum(axis=1, keepdims=True)
        kept_sizes.append(points)
        kept_tasks.append(octave_tasks @ shares)

    return np.concatenate(kept_sizes), np.concatenate(kept_tasks)


def _integrate(f: Callable[[Values], Values], start: Values, end: Values) -> Values:
    """Integrate f from each start to its end, by one Gauss rule each. Shape (..., intervals)."""
    half = (end - start) / 2
    points = (start + half)[:, None] + half[:, None] * _NODES
    values = f(points.ravel())
    return np.asarray(values.reshape(*values.shape[:-1], *points.shape) @ _WEIGHTS) * half


def _slope(f: Callable[[Values], Values], at: Values) -> Values:
    """Approximate f' by the difference of f half a rank to either side."""
    return f(at + 0.5) - f(at - 0.5)
