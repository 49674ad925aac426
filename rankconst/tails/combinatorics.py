r"""Tails that are counted: hits among shared negatives, the sign test, and sums of few ranks.

**Hits@k where all n true answers are ranked among the same M negatives.** A hit is a true answer
above the k-th best negative. For a random ranker all orders of the n + M scores are equally likely,
and the number of hits is beta-binomial(n; k, M - k + 1) (Gumbel and von Schelling 1950, *The
distribution of the number of exceedances*). There are at least x hits iff fewer than k of the first
D = x + k - 1 scores are negatives,

.. math:: P(X \ge x) = \sum_{j < k} \binom{M}{j} \binom{n}{D - j} \Big/ \binom{n + M}{D},

a hypergeometric distribution. Its terms are formed as products of binomial ones with a common
chance D / (n + M), these by Stirling's formula and deviances, free of cancellation (Loader 2000,
*Fast and accurate computation of binomial probabilities*).

**The sign test**: by how much heads and tails of a fair coin differ. The probability of k heads or
more among n tosses is an incomplete beta integral. Taken relative to that of exactly k,

.. math:: P(X \ge k) = P(X = k)\; k \int_0^1 (1 - u)^{k - 1} (1 + u)^{n - k}\,du,

it has an integrand that falls from 1 where k > n/2. It is below
:math:`e^{-(n - k) u^2 - (2k - n - 1) u}`, and is integrated by Gauss and Legendre's rule up to
where that is negligible.

**Sums of few or nearly perfect ranks**: the distribution of the sum, merged from the distributions
of its parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.tails.distributions import Tail
from rankconst.tails.inversion import find_saddle

if TYPE_CHECKING:
    from rankconst.doubles import Counts, Values
    from rankconst.tails.distributions import SumDistribution
    from rankconst.tails.inversion import Saddle
    from rankconst.tasks import Histogram

# Counts by binomial probabilities.

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
    mean = drawn * negatives / (n + negatives)  # of J
    # Terms fall away from the mean: the side without it, J < k or J >= k, is summed.
    is_below_mean = k - 1 <= mean
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
        difference = count - mean
        # ln(count / mean); a count of 0 makes a factor 0^0 = 1, of logarithm 0.
        log_ratio = np.log1p(np.where(count > 0, difference / mean, 0.0))
        # The two differences cancel: with them both parts are small next to the mean.
        log_power -= count * log_ratio - difference
        rounding_scale += np.abs(difference) + count * np.abs(log_ratio)

    corrections = _stirling(np.asarray(size, dtype=np.float64)) - _stirling(x) - _stirling(size - x)
    is_inside = (x > 0) & (x < size)
    spread = size / (2 * math.pi * np.maximum(x * (size - x), 0.5))
    log_spread = np.log(np.where(is_inside, spread, 1.0))
    return log_power + corrections + 0.5 * log_spread, rounding_scale


def _stirling(x: Values) -> Values:
    """Return ln x! - ((x + 1/2) ln x - x + ln(2 pi)/2), and 0 at 0.

    From a table up to 16, beyond by the series 1/(12 x) - 1/(360 x^3) + 1/(1260 x^5) - 1/(1680 x^7)
    + 1/(1188 x^9).
    """
    inverse_square = 1 / np.square(np.maximum(x, _SMALL))
    series = 1 / 1680 - inverse_square / 1188
    for coefficient in (1 / 1260, 1 / 360, 1 / 12):  # signs take turns
        series = coefficient - inverse_square * series
    from_table = _FIRST[np.minimum(x, _SMALL).astype(np.intp)]
    return np.where(x <= _SMALL, from_table, series * np.sqrt(inverse_square))


_NODES = 32  # 24 have the same error: that of rounding
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
    # No division by 0: any denominator below 2 * 45 has its end at 1.
    end = np.minimum(2 * _VANISHED / np.maximum(denominator, _VANISHED), 1.0)
    share_of_end = (nodes + 1) / 2  # nodes are in -1 .. 1
    u = end[:, None] * share_of_end
    logs = falling[:, None] * np.log1p(-u) + rising[:, None] * np.log1p(u)
    integrals: Values = end / 2 * (np.exp(logs) @ weights)
    return integrals


# Sums of few or nearly perfect ranks.

# Pairs of values that one product, and all of them together, may form.
_PAIRS = 2**19
_ALL_PAIRS = 2 * _PAIRS
_SUBSETS = 4096
_SIZES = 512


@dataclass(frozen=True, slots=True)
class Part:
    """The tilted distribution of a sum over some tasks."""

    values: Values  # distinct, ascending
    chance: Values

    def __len__(self) -> int:
        return self.values.size


def count_rank_sums(histogram: Histogram, most: int) -> Tail | None:
    r"""Count the rank vectors whose sum is at most `most`, in whole numbers.

    .. math:: \#\Bigl\{\sum r_i \le s\Bigr\} = \sum_{a \le c} (-1)^{|a|} \prod_u \binom{c_u}{a_u}
              \binom{s - \sum_u a_u N_u}{n}

    by inclusion and exclusion over the tasks with r_i > N_i (Feller 1968, *An Introduction to
    Probability Theory* I, section XI.7, problem 18, for dice). The result is that number over the
    number of all rank vectors; None if there are too many a. `most` is at least n, the least sum.
    """
    n = histogram.total
    if n > 40 or math.prod(int(c) + 1 for c in histogram.num_tasks) > _SUBSETS:
        return None

    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks).tolist()
    # The product of all 1 - x^N as far as it counts: exponents to coefficients.
    coefficients = {0: 1}
    for size in sizes:
        for exponent, coefficient in list(coefficients.items()):
            raised = exponent + size
            if raised <= most - n:
                coefficients[raised] = coefficients.get(raised, 0) - coefficient

    favourable = 0
    for exponent, coefficient in coefficients.items():
        favourable += coefficient * math.comb(most - exponent, n)

    possible = math.prod(sizes)
    unfavourable = possible - favourable
    log = math.log(favourable) - math.log(possible)
    if favourable > unfavourable:  # next to 1 the difference of logarithms would cancel
        log = math.log1p(-(unfavourable / possible))

    return Tail.from_log(log, 4 * UNIT_ROUNDOFF * (1.0 + math.log(possible)), "exact")


def enumerate_sums(distribution: SumDistribution, x: float, slack: float) -> Tail | None:
    """Compute P(S - top >= x) from the distinct values of S; None if they are too many.

    top is the largest value of S, and x strictly between the least one and it, less top.
    Probabilities are tilted to the saddlepoint, so that no chance that matters is rounded to 0.
    Sums that cannot reach x are dropped, and the last product, that of the two halves, is never
    formed. Sums that fall short of x by less than the slack count as reaching it; sums that differ
    by less are merged.
    """
    if len(distribution.counts) > _SIZES:
        return None

    least = x - slack
    saddle = find_saddle(distribution, x, distribution.span)
    # Sums of the complement are below x: any sum may be one until all parts are in.
    bound = least if saddle.upper else -math.inf
    kept = _reach(distribution, distribution.counts, bound)
    # A distribution with more values than products may pair can be used once in each half.
    if distribution.tasks[kept > math.isqrt(_PAIRS)].sum() > 2 or kept.max() > _PAIRS:
        return None

    singles, log_scale = _tilt_tasks(distribution, saddle, kept, slack)
    tasks = distribution.tasks.astype(np.int64).tolist()
    halves = _split_in_halves(singles, tasks, bound, slack)
    if halves is None:
        return None

    first, second = halves
    # A sum of the first half goes with second[i:] in the tail, with second[:i] in its complement:
    # the chances of the second half are added up from its end, or from its start.
    direction = slice(None, None, -1 if saddle.upper else 1)
    log_chances = (np.log(second.chance) - saddle.t * second.values)[direction]
    log_sums = np.logaddexp.accumulate(np.append(-np.inf, log_chances))[direction]
    log_partners = log_sums[np.searchsorted(second.values, least - first.values)]
    log_terms = np.log(first.chance) - saddle.t * first.values + log_partners
    if not np.any(np.isfinite(log_terms)):
        return Tail(0.0, 0.0, "convolution")

    log = float(np.logaddexp.reduce(log_terms)) + log_scale
    # The complement's sums are moved from the bottom to the top, by t times the width.
    num_roundings = 64.0 + 4.0 * (len(second) + log_scale - saddle.cgf)
    error = saddle.rounding + UNIT_ROUNDOFF * num_roundings
    if saddle.upper:
        return Tail.from_log(log, error, "convolution")
    return Tail.from_complement(log, error, "convolution")


def _reach(distribution: SumDistribution, sizes: Counts, least: float) -> Counts:
    """Return for each N the largest rank r of 1 .. N with f(r) - f(1) >= `least`; 1 if none has.

    With that rank, and all others 1, the sum still reaches `least`, so larger ranks need not be
    kept.
    """
    low, high = np.ones_like(sizes), sizes
    while np.any(low < high):
        middle = (low + high + 1) // 2
        reaches = distribution.deviations(middle.astype(np.float64)) >= least
        low, high = np.where(reaches, middle, low), np.where(reaches, high, middle - 1)
    return low


def _tilt_tasks(
    distribution: SumDistribution, saddle: Saddle, kept: Counts, slack: float
) -> tuple[list[Part], float]:
    """Return the tilted distribution of one task of each size, and ln of what undoes all tilts.

    `kept` says how many ranks of each size count: the first ones.
    """
    t = saddle.t
    log_means = distribution.log_means(np.array([complex(t)]), upper=saddle.upper)[0].real
    if not saddle.upper:  # they are measured from the bottoms
        log_means = log_means + t * distribution.deviations(distribution.sizes)

    parts = []
    for num_ranks, size, log_mean in zip(kept, distribution.sizes, log_means, strict=True):
        values = distribution.deviations(np.arange(1.0, num_ranks + 1))
        chances = np.exp(t * values - log_mean) / size
        parts.append(_merge(values, chances, slack))

    return parts, math.fsum((distribution.tasks * log_means).tolist())


def _split_in_halves(
    singles: list[Part], tasks: list[int], least: float, slack: float
) -> tuple[Part, Part] | None:
    """Return the distributions of the sums over two halves of all tasks.

    tasks[i] tasks have the distribution singles[i]. Returns None if there are too many values to
    pair, or none that reaches `least`.
    """
    squares = [len(single) ** 2 for single, c in zip(singles, tasks, strict=True) if c > 1]
    if sum(pairs for pairs in squares if pairs <= _PAIRS) > _ALL_PAIRS:
        return None

    # Distributions of 1, 2, 4 ... tasks alike, by squaring: 5 tasks are 1 and 4.
    parts: list[Part] = []
    num_pairs = 0
    for single, num_tasks in zip(singles, tasks, strict=True):
        power, rest = single, num_tasks
        while rest:
            if len(power) ** 2 > _PAIRS:
                # It cannot be squared: one goes into either half.
                if rest > 2:
                    return None
                parts.extend([power] * rest)
                break

            if rest % 2:
                parts.append(power)

            rest //= 2
            if rest:
                num_pairs += len(power) ** 2
                if num_pairs > _ALL_PAIRS:
                    return None
                power = _product(power, power, least, slack)

    # Each distribution, the largest first, joins the half with fewer values.
    left = right = Part(np.zeros(1), np.ones(1))
    for part in sorted(parts, key=len, reverse=True):
        left, right = sorted((left, right), key=len)
        pairs = len(left) * len(part)
        num_pairs += pairs
        if pairs > _PAIRS or num_pairs > _ALL_PAIRS:
            return None
        left = _product(left, part, least, slack)
        if not len(left):
            return None

    return left, right


def _product(a: Part, b: Part, least: float, slack: float) -> Part:
    """Return the distribution of the sum of two parts, without sums below `least`."""
    values = np.add.outer(a.values, b.values).ravel()
    chance = np.multiply.outer(a.chance, b.chance).ravel()
    # Sums with underflown chances are far from x, on the side that does not count.
    kept = (values >= least) & (chance > 0)
    return _merge(values[kept], chance[kept], slack)


def _merge(values: Values, chance: Values, slack: float) -> Part:
    """Sort values, and merge neighbours no farther apart than the slack into the least of them."""
    order = np.argsort(values, kind="stable")
    values, chance = values[order], chance[order]
    starts = np.flatnonzero(np.concatenate(([True], np.diff(values) > slack)))
    return Part(values[starts], np.add.reduceat(chance, starts))
