"""Tails of few or nearly perfect ranks: the law of the sum, merged from the laws of its parts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankconst.moments.result import UNIT_ROUNDOFF
from rankconst.tails.inversion import find_saddle
from rankconst.tails.result import Tail

if TYPE_CHECKING:
    from rankconst.moments.result import Counts, Values
    from rankconst.tails.inversion import Saddle
    from rankconst.tails.laws import SumLaw
    from rankconst.tasks import Histogram

    # Distinct values, ascending, and their tilted probabilities.
    Parts = tuple[Values, Values]


# Pairs of values that one product, and all of them together, may form.
_PAIRS = 2**19
_ALL_PAIRS = 2**20
_SUBSETS = 4096
_SIZES = 512


def count_rank_sums(histogram: Histogram, most: int) -> Tail | None:
    r"""Count the rank vectors whose sum is at most `most`, in whole numbers.

    .. math:: \#\Bigl\{\sum r_i \le s\Bigr\} = \sum_{a \le c} (-1)^{|a|} \prod_u \binom{c_u}{a_u}
              \binom{s - \sum_u a_u N_u}{n}

    by inclusion and exclusion over the tasks with r_i > N_i (Feller 1968, *An Introduction to Probability Theory* I,
    section XI.7, problem 18, for dice). Returns None if there are too many a.
    """
    n = histogram.total
    if n > 40 or math.prod(int(c) + 1 for c in histogram.num_tasks) > _SUBSETS:
        return None
    terms = {0: 1}
    for size, tasks in zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True):
        grown: dict[int, int] = {}
        for used, weight in terms.items():
            for a in range(tasks + 1):
                if used + a * size <= most - n:
                    key = used + a * size
                    grown[key] = grown.get(key, 0) + (-1) ** a * math.comb(tasks, a) * weight
        terms = grown
    favourable = sum(weight * math.comb(most - used, n) for used, weight in terms.items())
    possible = math.prod(
        size**tasks for size, tasks in zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True)
    )
    if 2 * favourable > possible:
        log = math.log1p(-((possible - favourable) / possible))
    else:
        log = math.log(favourable) - math.log(possible)
    return Tail.from_log(log, 4 * UNIT_ROUNDOFF * (1.0 + math.log(possible)), "exact")


def enumerate_sums(law: SumLaw, x: float, slack: float) -> Tail | None:
    """Compute P(S - top >= x) from the distinct values of S, or return None if they are too many.

    Probabilities are tilted to the saddlepoint, so that what matters is never rounded to 0; sums that cannot reach x
    are dropped; the last product, that of the two halves, is never formed. Sums that fall short of x by less than the
    slack count as reaching it; sums that differ by less are merged.
    """
    if len(law.counts) > _SIZES:
        return None
    least = x - slack
    saddle = find_saddle(law, x, law.span)
    # The complement's sums are those below, which no sum can be known to leave until all are in.
    bound = least if saddle.upper else -math.inf
    kept = _reach(law, law.counts, bound)
    # A size whose square is too much can be used at most once in either half.
    if law.tasks[kept.astype(np.float64) ** 2 > _PAIRS].sum() > 2 or kept.max() > _PAIRS:
        return None
    halves = _halves(law, saddle, kept, bound, slack)
    if halves is None:
        return None
    (left, left_chance), (right, right_chance), log_scale = halves
    weight = np.log(right_chance) - saddle.t * right
    # ln of the sums over right[i:] for the tail, over right[:i] for its complement.
    running = np.logaddexp.accumulate(weight[::-1])[::-1] if saddle.upper else np.logaddexp.accumulate(weight)
    padded = np.append(running, -np.inf) if saddle.upper else np.append(-np.inf, running)
    reached = padded[np.searchsorted(right, least - left, side="left")]
    total = np.log(left_chance) - saddle.t * left + reached
    if not np.any(np.isfinite(total)):
        return Tail(0.0, 0.0, "convolution")
    log = float(np.logaddexp.reduce(total)) + log_scale
    exponents = abs(saddle.t) * (law.width if not saddle.upper else abs(x)) + abs(log_scale) + len(right)
    error = UNIT_ROUNDOFF * (64.0 + 4.0 * exponents + 8.0 * float(law.tasks.sum()))
    make = Tail.from_log if saddle.upper else Tail.from_complement
    return make(log, error, "convolution")


def _reach(law: SumLaw, sizes: Counts, least: float) -> Counts:
    """Return how many of the ranks 1 .. N a single task may have, by bisection, if the others are all 1."""
    low, high = np.ones_like(sizes), sizes
    while np.any(low < high):
        middle = (low + high + 1) // 2
        reached = law.deviations(middle.astype(np.float64)) >= least
        low, high = np.where(reached, middle, low), np.where(reached, high, middle - 1)
    return low


def _halves(law: SumLaw, saddle: Saddle, kept: Counts, least: float, slack: float) -> tuple[Parts, Parts, float] | None:
    """Return the laws of two halves of the tasks, tilted by t, and ln of what the tilt took away; None if too many.

    Each task has its first `kept` ranks.
    """
    t = saddle.t
    bottoms = np.zeros(len(kept)) if saddle.upper else law.deviations(law.sizes)
    log_means = law.log_means(np.array([t + 0j]), saddle.upper)[0].real + t * bottoms
    log_scale = math.fsum((law.tasks * log_means).tolist())
    parts: list[Parts] = []
    singles: list[Parts] = []
    for size, ranks, log_mean in zip(law.sizes, kept, log_means, strict=True):
        values = law.deviations(np.arange(1.0, ranks + 1))
        singles.append(_merge(values, np.exp(t * values - log_mean) / size, slack))
    # The first squares alone may be too many.
    squares = [len(single[0]) ** 2 for single, tasks in zip(singles, law.tasks, strict=True) if tasks > 1]
    if sum(square for square in squares if square <= _PAIRS) > _ALL_PAIRS:
        return None
    spent = 0
    for single, tasks in zip(singles, law.tasks, strict=True):
        power, left = single, int(tasks)
        while left:
            if len(power[0]) ** 2 > _PAIRS:
                # No square: what is left must go into the halves one by one.
                if left > 64:
                    return None
                parts.extend([power] * left)
                break
            if left & 1:
                parts.append(power)
            left >>= 1
            if left:
                spent += len(power[0]) ** 2
                if spent > _ALL_PAIRS:
                    return None
                power = _product(power, power, least, slack)
    halves: list[Parts] = [(np.zeros(1), np.ones(1)), (np.zeros(1), np.ones(1))]
    for part in sorted(parts, key=lambda part: -len(part[0])):
        halves.sort(key=lambda half: len(half[0]))
        pairs = len(halves[0][0]) * len(part[0])
        spent += pairs
        if pairs > max(_PAIRS, len(part[0])) or spent > _ALL_PAIRS:
            return None
        halves[0] = _product(halves[0], part, least, slack)
        if not len(halves[0][0]):
            return None
    return halves[0], halves[1], log_scale


def _product(a: Parts, b: Parts, least: float, slack: float) -> Parts:
    values = np.add.outer(a[0], b[0]).ravel()
    chance = np.multiply.outer(a[1], b[1]).ravel()
    # Underflown chances are those of sums far from x, on the side where they do not count.
    kept = (values >= least) & (chance > 0)
    return _merge(values[kept], chance[kept], slack)


def _merge(values: Values, chance: Values, slack: float) -> Parts:
    order = np.argsort(values, kind="stable")
    values, chance = values[order], chance[order]
    starts = np.flatnonzero(np.concatenate(([True], np.diff(values) > slack)))
    return values[starts], np.add.reduceat(chance, starts)
