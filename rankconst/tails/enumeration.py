"""Tails of few or nearly perfect ranks: the law of the sum, merged from the laws of its parts."""

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
    from rankconst.tails.distributions import SumLaw
    from rankconst.tails.inversion import Saddle
    from rankconst.tasks import Histogram


# Pairs of values that one product, and all of them together, may form.
_PAIRS = 2**19
_ALL_PAIRS = 2 * _PAIRS
_SUBSETS = 4096
_SIZES = 512


@dataclass(frozen=True, slots=True)
class Part:
    """The tilted law of a sum over some tasks."""

    values: Values  # distinct, ascending
    chance: Values

    def __len__(self) -> int:
        return self.values.size


def count_rank_sums(histogram: Histogram, most: int) -> Tail | None:
    r"""Count the rank vectors whose sum is at most `most`, in whole numbers.

    .. math:: \#\Bigl\{\sum r_i \le s\Bigr\} = \sum_{a \le c} (-1)^{|a|} \prod_u \binom{c_u}{a_u}
              \binom{s - \sum_u a_u N_u}{n}

    by inclusion and exclusion over the tasks with r_i > N_i (Feller 1968, *An Introduction to
    Probability Theory* I, section XI.7, problem 18, for dice). Returns None if there are too many
    a.
    """
    n = histogram.total
    if n > 40 or math.prod(int(c) + 1 for c in histogram.num_tasks) > _SUBSETS:
        return None
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks).tolist()
    # The product of all 1 - x^N as far as it counts: exponents to coefficients.
    terms = {0: 1}
    for size in sizes:
        for used, weight in [*terms.items()]:
            if used + size <= most - n:
                terms[used + size] = terms.get(used + size, 0) - weight
    favourable = sum(weight * math.comb(most - used, n) for used, weight in terms.items())
    possible = math.prod(sizes)
    rest = possible - favourable
    log = math.log(favourable) - math.log(possible)
    if favourable > rest:
        log = math.log1p(-(rest / possible))
    return Tail.from_log(log, 4 * UNIT_ROUNDOFF * (1.0 + math.log(possible)), "exact")


def enumerate_sums(law: SumLaw, x: float, slack: float) -> Tail | None:
    """Compute P(S - top >= x) from the distinct values of S, or return None if they are too many.

    Probabilities are tilted to the saddlepoint, so that what matters is never rounded to 0; sums
    that cannot reach x are dropped; the last product, that of the two halves, is never formed. Sums
    that fall short of x by less than the slack count as reaching it; sums that differ by less are
    merged.
    """
    if len(law.counts) > _SIZES:
        return None
    least = x - slack
    saddle = find_saddle(law, x, law.span)
    # The complement's sums are those below, which no sum can be known to leave until all are in.
    bound = least if saddle.upper else -math.inf
    kept = _reach(law, law.counts, bound)
    # What has more values than products may pair can be used at most once in either half.
    if law.tasks[kept > math.isqrt(_PAIRS)].sum() > 2 or kept.max() > _PAIRS:
        return None
    halves = _halves(law, saddle, kept, bound, slack)
    if halves is None:
        return None
    left, right, log_scale = halves
    # ln of the sums over right[i:] for the tail, over right[:i] for its complement.
    inward = slice(None, None, -1 if saddle.upper else 1)
    weight = (np.log(right.chance) - saddle.t * right.values)[inward]
    running = np.logaddexp.accumulate(np.append(-np.inf, weight))[inward]
    reached = running[np.searchsorted(right.values, least - left.values)]
    total = np.log(left.chance) - saddle.t * left.values + reached
    if not np.any(np.isfinite(total)):
        return Tail(0.0, 0.0, "convolution")
    log = float(np.logaddexp.reduce(total)) + log_scale
    # The complement's sums are moved from the bottom to the top, by t times the width.
    error = saddle.rounding + UNIT_ROUNDOFF * (64.0 + 4.0 * (len(right) + log_scale - saddle.cgf))
    make = Tail.from_log if saddle.upper else Tail.from_complement
    return make(log, error, "convolution")


def _reach(law: SumLaw, sizes: Counts, least: float) -> Counts:
    """Return the largest rank r of 1 .. N with f(r) - f(1) >= `least`, for each N; 1 if none has.

    With that rank, and all others 1, the sum still reaches `least`. By bisection: f falls in r.
    """
    low, high = np.ones_like(sizes), sizes
    while np.any(low < high):
        middle = (low + high + 1) // 2
        reaches = law.deviations(middle.astype(np.float64)) >= least
        low, high = np.where(reaches, middle, low), np.where(reaches, high, middle - 1)
    return low


def _halves(
    law: SumLaw, saddle: Saddle, kept: Counts, least: float, slack: float
) -> tuple[Part, Part, float] | None:
    """Return the tilted laws of two halves of the tasks, and ln of the factor that undoes the tilt.

    Each task has its first `kept` ranks. The law of c tasks alike is formed by squaring, that of 5
    as 4 + 1, and the largest laws are dealt out first. Returns None if there are too many values to
    pair, or none that reaches `least`.
    """
    t = saddle.t
    bottoms = np.zeros(len(kept)) if saddle.upper else law.deviations(law.sizes)
    log_means = law.log_means(np.array([complex(t)]), saddle.upper)[0].real + t * bottoms
    log_scale = math.fsum((law.tasks * log_means).tolist())
    singles: list[Part] = []
    for u, ranks in enumerate(kept):
        values = law.deviations(np.arange(1.0, ranks + 1))
        singles.append(_merge(values, np.exp(t * values - log_means[u]) / law.sizes[u], slack))
    # The first squares alone may be too many.
    squares = np.array([len(single) for single in singles])[law.tasks > 1] ** 2
    if squares[squares <= _PAIRS].sum() > _ALL_PAIRS:
        return None
    parts: list[Part] = []
    spent = 0  # pairs formed
    for u, single in enumerate(singles):
        power, times = single, int(law.tasks[u])
        while times:
            if len(power) ** 2 > _PAIRS:
                # No square: one goes into either half.
                if times > 2:
                    return None
                parts.extend([power] * times)
                break
            if times & 1:
                parts.append(power)
            times >>= 1
            if times:
                spent += len(power) ** 2
                if spent > _ALL_PAIRS:
                    return None
                power = _product(power, power, least, slack)
    left = right = Part(np.zeros(1), np.ones(1))
    for part in sorted(parts, key=len, reverse=True):
        # Each law joins the half with fewer values.
        left, right = sorted((left, right), key=len)
        pairs = len(left) * len(part)
        spent += pairs
        if pairs > _PAIRS or spent > _ALL_PAIRS:
            return None
        left = _product(left, part, least, slack)
        if not len(left):
            return None
    return left, right, log_scale


def _product(a: Part, b: Part, least: float, slack: float) -> Part:
    """Return the law of the sum of two independent ones, without sums below `least`."""
    values = np.add.outer(a.values, b.values).ravel()
    chance = np.multiply.outer(a.chance, b.chance).ravel()
    # Underflown chances are those of sums far from x, on the side where they do not count.
    kept = (values >= least) & (chance > 0)
    return _merge(values[kept], chance[kept], slack)


def _merge(values: Values, chance: Values, slack: float) -> Part:
    """Sort values, and take those that differ by no more than the slack for the least of them."""
    order = np.argsort(values, kind="stable")
    values, chance = values[order], chance[order]
    starts = np.flatnonzero(np.concatenate(([True], np.diff(values) > slack)))
    return Part(values[starts], np.add.reduceat(chance, starts))
