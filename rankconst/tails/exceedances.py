r"""Tails of counts by binomial probabilities: hits among shared negatives, and the sign test.

**Hits@k where all n true answers are ranked among the same M negatives.** A hit is a true answer
above the k-th best negative. For a random ranker all orders of the n + M scores are equally likely,
and the number of hits is beta-binomial(n; k, M - k + 1) (Gumbel and von Schelling 1950, *The
distribution of the number of exceedances*). There are at least x hits iff fewer than k of the first
D = x + k - 1 scores are negatives,

.. math:: P(X \ge x) = \sum_{j < k} \binom{M}{j} \binom{n}{D - j} \Big/ \binom{n + M}{D},

a hypergeometric law. Its terms are formed as products of binomial ones with a common chance D / (n
+ M), these by Stirling's formula and deviances, free of cancellation (Loader 2000, *Fast and
accurate computation of binomial probabilities*).

**The sign test**: by how much heads and tails of a fair coin differ. The probability of k heads or
more among n tosses is an incomplete beta integral. Taken relative to that of exactly k,

.. math:: P(X \ge k) = P(X = k)\; k \int_0^1 (1 - u)^{k - 1} (1 + u)^{n - k}\,du,

it has an integrand that falls from 1 where k > n/2. It is below
:math:`e^{-(n - k) u^2 - (2k - n - 1) u}`, and is integrated by Gauss and Legendre's rule up to
where that is negligible.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.tails.distributions import Tail

if TYPE_CHECKING:
    from rankconst.doubles import Values
    from rankconst.tasks import Histogram


# Terms formed in one go, and what further ones may add, relatively.
_CHUNK, _NEGLIGIBLE = 4096, 1e-18
# Up to here ln x! less its leading terms comes from ln x! itself.
_SMALL = 16
_HALF_LOG = 0.5 * math.log(2 * math.pi)
_FIRST = np.array(
    [0.0, *(math.lgamma(i + 1) - (i + 0.5) * math.log(i) + i - _HALF_LOG for i in range(1, 17))]
)


def count_exceedances(histogram: Histogram, k: int, hits: int) -> Tail:
    """Compute P(X >= hits) for the number X of hits at k among the same M negatives.

    It is P(J < k), with J the number of negatives among the first D = hits + k - 1 of all n + M
    scores: hypergeometric, with mean D M / (n + M). Of two true answers and one negative, at k = 1,
    there is a hit unless the negative comes first: P(X >= 1) = 2/3.
    """
    negatives, n = int(histogram.num_candidates[0]) - 1, histogram.total
    if hits > n:
        return Tail(-math.inf, 0.0, "exact")
    if hits <= 0 or k > negatives:
        return Tail(0.0, 0.0, "exact")
    drawn = hits + k - 1
    # k - 1 <= D M / (n + M): summed away from the mean, the terms of J < k fall from the first on.
    # Beyond the mean those of J >= k do.
    is_below_mean = (k - 1) * (n + negatives) <= drawn * negatives
    if is_below_mean:
        summed = range(k - 1, max(drawn - n, 0) - 1, -1)
    else:
        summed = range(k, min(negatives, drawn) + 1)
    logs: list[float] = []
    error = 0.0
    for start in range(0, len(summed), _CHUNK):
        part = summed[start : start + _CHUNK]
        counts = np.arange(part.start, part.stop, part.step, dtype=np.float64)
        terms, part_error = _log_terms(counts, negatives, n, drawn)
        logs += terms.tolist()
        error = max(error, part_error)
        if logs[-1] < logs[0] + math.log(_NEGLIGIBLE):
            break
    # ln of the sum of exp(logs), without underflow.
    largest = max(logs)
    log_sum = largest + math.log(math.fsum(math.exp(log - largest) for log in logs))
    if is_below_mean:
        return Tail.from_log(log_sum, error, "exact")
    return Tail.from_complement(log_sum, error, "exact")


def _log_terms(j: Values, negatives: int, n: int, drawn: int) -> tuple[Values, float]:
    """Return ln P(J = j), J the negatives among the D drawn of n + M scores, and its error.

    With b(x; m) the binomial probability of x among m, of chance D / (n + M) each, P(J = j) =
    b(j; M) b(D - j; n) / b(D; n + M).
    """
    share = drawn / (n + negatives)
    log_negatives, scale = log_binomial(j, negatives, share)
    log_answers, answers_scale = log_binomial(drawn - j, n, share)
    log_all, _ = log_binomial(np.array([float(drawn)]), n + negatives, share)
    # Deviances are good to a few roundings of how far they are from their means.
    error = 16 * UNIT_ROUNDOFF * (float(np.max(scale + answers_scale)) + 8)
    return log_negatives + log_answers - log_all[0], error


def log_binomial(x: Values, size: Values | float, share: float) -> tuple[Values, Values]:
    """Return ln of the binomial probability of x among `size`, and the scale of its rounding.

    Loader's form of it: with p = `share` and s(m) what ln m! is beyond Stirling's formula,
    -x ln(x / (m p)) - (m - x) ln((m - x) / (m (1 - p))) + s(m) - s(x) - s(m - x)
    + ln(m / (2 pi x (m - x))) / 2, without the last term at x = 0 and x = m = `size`.
    """
    log_power, rounding_scale = np.zeros_like(x), np.zeros_like(x)
    for count, chance in ((x, share), (size - x, 1 - share)):
        mean = size * chance
        away = count - mean
        # ln(count / mean); a count of 0 makes a factor 0^0 = 1, of logarithm 0.
        logs = np.log1p(np.where(count > 0, away / mean, 0.0))
        # The two `away` cancel: with them both parts are small next to the mean.
        log_power -= count * logs - away
        rounding_scale += np.abs(away) + count * np.abs(logs)
    corrections = _stirling(np.asarray(size, dtype=np.float64)) - _stirling(x) - _stirling(size - x)
    spread = size / (2 * math.pi * np.maximum(x * (size - x), 0.5))
    inner = np.where((x > 0) & (x < size), spread, 1.0)
    return log_power + corrections + 0.5 * np.log(inner), rounding_scale


def _stirling(x: Values) -> Values:
    """Return ln x! - ((x + 1/2) ln x - x + ln(2 pi)/2), and 0 at 0.

    From a table up to 16, beyond by the series 1/(12 x) - 1/(360 x^3) + 1/(1260 x^5) - 1/(1680 x^7)
    + 1/(1188 x^9).
    """
    y = 1 / np.square(np.maximum(x, _SMALL))
    series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) * np.sqrt(y)
    return np.where(x <= _SMALL, _FIRST[np.minimum(x, _SMALL).astype(np.intp)], series)


_NODES = 32  # 24 have the same error, which is that of the rounding
_VANISHED = 45.0  # minus the logarithm of what the integrand may be beyond the end


def bound_sign_tests(tosses: Values, surplus: Values) -> Values:
    """Bound log10 of the probability that heads and tails differ by `surplus` or more.

    With n tosses and k = ceil((n + surplus) / 2), that is 2 P(X >= k), and 1 for no surplus. Whole
    numbers from 0 to `tosses`, shape (tests,); n = 2 and surplus 2 give log10 of 1/2.
    """
    bounds = np.zeros(len(tosses))
    differs = surplus > 0
    n = tosses[differs]
    heads = np.ceil((n + surplus[differs]) / 2)
    log_chance, rounding_scale = log_binomial(heads, n, 0.5)
    both_tails = log_chance + np.log(heads * _integrate(heads - 1, n - heads)) + np.log(2.0)
    error = 16 * UNIT_ROUNDOFF * (rounding_scale + 64)
    bounds[differs] = np.minimum((both_tails + error) / np.log(10.0), 0.0)
    return bounds


def _integrate(falling: Values, rising: Values) -> Values:
    """Integrate (1 - u)^falling (1 + u)^rising over u from 0 to 1, where falling >= rising.

    The integrand is at most exp(-rising u^2 - excess u), excess = falling - rising. It is cut where
    that is e^-45, at the root 2 * 45 / (excess + sqrt(excess^2 + 4 * 45 rising)), or at 1.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    excess = falling - rising
    denominator = excess + np.sqrt(excess**2 + 4 * _VANISHED * rising)
    # The largest of these keeps it from 0; any below 2 * 45 has its end at 1.
    end = np.minimum(2 * _VANISHED / np.maximum(denominator, _VANISHED), 1.0)
    u = end[:, None] * (nodes + 1) / 2
    logs = falling[:, None] * np.log1p(-u) + rising[:, None] * np.log1p(u)
    integrals: Values = end / 2 * (np.exp(logs) @ weights)
    return integrals
