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
    """Compute the probability of at least `hits` hits at k."""
    negatives, n = int(histogram.num_candidates[0]) - 1, histogram.total
    if hits <= 0 or k > negatives:
        return Tail(0.0, 0.0, "exact") if hits <= n else Tail(-math.inf, 0.0, "exact")
    if hits > n:
        return Tail(-math.inf, 0.0, "exact")
    drawn = hits + k - 1
    # Fewer than k of the drawn scores are negatives, or k and more: the terms of the rarer event
    # fall from the start.
    rare = (k - 1) * (n + negatives) <= drawn * negatives
    steps = range(k, min(negatives, drawn) + 1)
    if rare:
        steps = range(k - 1, max(drawn - n, 0) - 1, -1)
    logs: list[float] = []
    error = 0.0
    for start in range(0, len(steps), _CHUNK):
        part = steps[start : start + _CHUNK]
        counts = np.arange(part.start, part.stop, part.step, dtype=np.float64)
        terms, off = _log_terms(counts, negatives, n, drawn)
        logs += terms.tolist()
        error = max(error, off)
        if logs[-1] < logs[0] + math.log(_NEGLIGIBLE):
            break
    largest = max(logs)
    total = largest + math.log(math.fsum(math.exp(each - largest) for each in logs))
    if rare:
        return Tail.from_log(total, error, "exact")
    return Tail.from_complement(total, error, "exact")


def _log_terms(j: Values, negatives: int, n: int, drawn: int) -> tuple[Values, float]:
    """Return ln of the hypergeometric probabilities that j of the drawn are negatives."""
    share = drawn / (n + negatives)
    first, moved = log_binomial(j, negatives, share)
    second, moved_too = log_binomial(drawn - j, n, share)
    whole, _ = log_binomial(np.array([float(drawn)]), n + negatives, share)
    # Deviances are good to a few roundings of how far they are from their means.
    error = 16 * UNIT_ROUNDOFF * (float(np.max(moved + moved_too)) + 8)
    return first + second - whole[0], error


def log_binomial(x: Values, size: Values | float, share: float) -> tuple[Values, Values]:
    """Return ln of the binomial probability of x among `size`, and the scale of its rounding."""
    log_power, moved = np.zeros_like(x), np.zeros_like(x)
    for count, chance in ((x, share), (size - x, 1 - share)):
        mean = size * chance
        away = count - mean
        # ln(count / mean); none of them is a factor 0^0.
        logs = np.log1p(np.where(count > 0, away / mean, 0.0))
        log_power -= count * logs - away
        moved += np.abs(away) + count * np.abs(logs)
    corrections = _stirling(np.asarray(size, dtype=np.float64)) - _stirling(x) - _stirling(size - x)
    spread = size / (2 * math.pi * np.maximum(x * (size - x), 0.5))
    inner = np.where((x > 0) & (x < size), spread, 1.0)
    return log_power + corrections + 0.5 * np.log(inner), moved


def _stirling(x: Values) -> Values:
    """Return ln x! - ((x + 1/2) ln x - x + ln(2 pi)/2), and 0 at 0."""
    y = 1 / np.square(np.maximum(x, _SMALL))
    series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) * np.sqrt(y)
    return np.where(x <= _SMALL, _FIRST[np.minimum(x, _SMALL).astype(np.intp)], series)


_NODES = 32  # 24 have the same error, which is that of the rounding
_VANISHED = 45.0  # minus the logarithm of what the integrand may be beyond the end


def bound_sign_tests(tosses: Values, surplus: Values) -> Values:
    """Bound log10 of the probability that heads and tails differ by `surplus` or more.

    Whole numbers from 0 to `tosses`, shape (n,).
    """
    found = np.zeros(len(tosses))
    differs = surplus > 0
    size = tosses[differs]
    heads = np.ceil((size + surplus[differs]) / 2)
    log_chance, moved = log_binomial(heads, size, 0.5)
    both_tails = log_chance + np.log(heads * _integrate(heads - 1, size - heads)) + np.log(2.0)
    error = 16 * UNIT_ROUNDOFF * (moved + 64)
    found[differs] = np.minimum((both_tails + error) / np.log(10.0), 0.0)
    return found


def _integrate(falling: Values, rising: Values) -> Values:
    """Integrate (1 - u)^falling (1 + u)^rising over u from 0 to 1, where falling >= rising."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    excess = falling - rising
    root = excess + np.sqrt(excess**2 + 4 * _VANISHED * rising)
    end = np.minimum(2 * _VANISHED / np.maximum(root, _VANISHED), 1.0)
    u = end[:, None] * (nodes + 1) / 2
    logs = falling[:, None] * np.log1p(-u) + rising[:, None] * np.log1p(u)
    found: Values = end / 2 * (np.exp(logs) @ weights)
    return found
