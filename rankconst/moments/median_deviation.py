r"""The median absolute deviation of the ranks, from random rankings.

With a = median(r), M = median |r_i - a| / 0.67449, the divisor that makes M estimate the standard
deviation of a normal distribution; either median is the mean of the two middle values if n is even.
No closed form is known, so rankings are drawn: from a fixed seed, and from the histogram, not task
by task unless there are few.

**Drawing.** Write r_i = ceil(y_i) with y_i uniform on (0, N_i). Given y_i <= x <= N_i, y_i is
uniform on (0, x), whatever N_i is. So B(x) = #{i : y_i <= x} comes from a Markov chain, from the
largest N downwards: for neighbours x < y of the distinct N, and C(x) = #{i : N_i < x},

.. math:: B(x) - C(x) = \#\{i : N_i = x\} + X, \qquad X \sim \mathrm{Binomial}(B(y) - C(y), x/y)

Between neighbours the y_i are uniform, whichever task each belongs to. So the median's y is an
order statistic of uniforms, hence a beta variable; and B at a further point, given B at points on
either side, is binomial again. M is found by bisection, asking for B(a + t) - B(a - t - 1) at a
dozen or two of t. This is exact for every n, and takes about as many random numbers a draw as there
are distinct N. Where ranks are uniform on blocks there is no such chain: each rank is drawn.

**Control.** For large n, M is nearly linear in the counts at three fixed points, m0 - d0, m0 and m0
+ d0, with m0 and d0 what both medians tend to (Bahadur 1966; Hall and Welsh 1985 for this
statistic). For any coefficients b,

.. math:: L = \sum_k b_k (B(x_k) - E[B(x_k)]), \qquad R = M - L, \qquad
          E[M] = E[R], \quad Var[M] = Var[L] + 2 Cov[L, R] + Var[R]

E[B] and Var[L] are finite sums over the histogram; the rest is estimated from the draws. R is of
the order of n^(-3/4), M - E[M] of n^(-1/2), so the more tasks, the smaller the errors. A pilot
sample of its own fits b by least squares, and says of either moment whether L is of use, and how
many draws are needed; none of this biases the estimates.

References
----------
Bahadur 1966, *A note on quantiles in large samples*, Ann. Math. Statist. 37, 577-580. Hall and
Welsh 1985, *Limit theorems for the median deviation*, Ann. Inst. Statist. Math. 37, 27-36. The way
of drawing is derived here.
"""

from __future__ import annotations

import functools
import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.metrics import CATALOGUE, NORMAL_QUARTILE
from rankconst.doubles import UNIT_ROUNDOFF, Moments
from rankconst.moments.sampled import (
    FEWEST_DRAWS,
    MOST_DRAWS,
    UNSEEN,
    count_rare,
    estimate,
    is_rare,
    make_generator,
)
from rankconst.moments.summation import certain_moments
from rankconst.tasks import offsets_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rankconst.doubles import Values
    from rankconst.tasks import Histogram

    Counts = NDArray[np.int32] | NDArray[np.int64]

# The standard errors aimed at, in standard deviations and variances of M: they set the draws.
GOAL = 2.0**-5
# Draws times distinct N may reach this, unless the fewest draws exceed it; of blocks, draws times
# tasks.
WORK, BLOCK_WORK = 2**22, 2**18

# Draws of the pilot sample; where draws are few, half as many as of the sample itself at most.
_PILOT = 128
# Numbers in the largest table, and bounds on the draws made together.
_TABLE = 2**20
_SMALLEST_BATCH, _LARGEST_BATCH = 48, 2**12
# Up to this many tasks beyond the number of distinct N, each rank is drawn.
_FEW_TASKS = 64


@dataclass(frozen=True, slots=True)
class _Control:
    """The counts B(x) at fixed points, and their exact moments. Shapes (K,), (K,) and (K, K)."""

    points: Values  # whole numbers x, ascending, 0 < x < the largest N
    mean: Values
    covariance: Values


def most_draws(histogram: Histogram) -> int:
    """Return the largest number of draws to take, a power of 2."""
    work = WORK // (len(histogram) + 16)  # a draw is taken to cost as much as 16 more rows
    if histogram.offsets is not None:  # on blocks each rank is drawn
        work = BLOCK_WORK // histogram.total
    affordable = max(work, FEWEST_DRAWS)
    power_of_two = 1 << (affordable.bit_length() - 1)  # the largest that is not above it
    return min(power_of_two, MOST_DRAWS)


def median_absolute_deviation(histogram: Histogram) -> Moments:
    """Estimate the moments of the median absolute deviation, with standard errors.

    They are exactly 0 with one task, or if more than half of the tasks are certain to have the same
    rank.

    If fewer than 30 draws differ from the commonest value, the errors allow for nine more draws
    that were not seen, as far off as any that was. If none of S draws differs, the errors are 3/S
    of the range of M and of its square, or less if Chernoff bounds say so. On blocks, these bounds
    also limit how far off M can be. The number of draws does not include the pilot sample.
    """
    certain = certain_moments(CATALOGUE["median_absolute_deviation"], histogram)
    if certain:
        return certain

    # Tasks with one candidate and the same offset are one row.
    certain_tasks = histogram.num_tasks[histogram.num_candidates == 1]
    most_alike = int(np.max(certain_tasks, initial=0))
    if histogram.total == 1 or 2 * most_alike > histogram.total:
        return Moments(0.0, 0.0, 0.0, 0.0, "closed_form")

    rng = make_generator()
    control = _place_control(histogram)
    limit = most_draws(histogram)
    pilot_size = min(_PILOT, limit // 2)
    # With very many distinct N each pass over them is dear: then sample and pilot are drawn in one.
    is_one_pass = limit == 2 * pilot_size
    num_first = pilot_size + limit if is_one_pass else pilot_size
    values, counts = _draw(histogram, control.points, num_first, rng)
    plan = _make_plan(control, values[:pilot_size], counts[:, :pilot_size], limit)
    if is_one_pass:
        values, counts = values[pilot_size:], counts[:, pilot_size:]
    else:
        values, counts = _draw(histogram, control.points, plan.draws, rng)

    expectation, variance = _estimate_both(histogram, control, plan, values, counts)
    rounding = 2 * UNIT_ROUNDOFF * expectation.expectation
    return Moments(
        expectation=expectation.expectation / NORMAL_QUARTILE,
        expectation_error=(expectation.expectation_error + rounding) / NORMAL_QUARTILE,
        variance=variance.variance / NORMAL_QUARTILE**2,
        variance_error=variance.variance_error / NORMAL_QUARTILE**2,
        method="sampled",
        num_draws=plan.draws,
    )


def _estimate_both(
    histogram: Histogram, control: _Control, plan: _Plan, values: Values, counts: Values
) -> tuple[Moments, Moments]:
    """Return the estimates to use for the expectation, and for the variance, of M."""
    largest = float(histogram.last_ranks.max() - offsets_of(histogram).min() - 1) / 2
    rare = _estimate_rare(histogram, values, largest)
    if rare is not None:
        return rare, rare

    for_expectation = _estimate(control, plan.for_expectation, values, counts)
    for_variance = _estimate(control, plan.for_variance, values, counts)
    plain = _estimate(control, 0.0 * plan.for_expectation, values, counts)
    # Next to an end of what is possible, L may lead beyond; the plain estimates cannot.
    if not 0 <= for_expectation.expectation <= largest:
        for_expectation = plain
    if not for_variance.variance >= 0:
        for_variance = plain

    return for_expectation, for_variance


# Estimates: moments of M without its divisor, with standard errors.

_sampled = functools.partial(Moments, method="sampled")


def _fit(values: Values, counts: Values) -> Values:
    """Fit the coefficients b of L to draws of M by least squares; shape (K,).

    L = sum_k b_k (B(x_k) - E[B(x_k)]) is linear in the counts B at K points. `values` are the draws
    of M, shape (S,), and `counts` those of B, shape (K, S). The coefficients are 0 if M - L hardly
    varies: what makes it vary may go unseen, while the error of M is at least estimable.
    """
    deviations = counts - counts.mean(axis=1, keepdims=True)
    fitted = np.linalg.lstsq(deviations.T, values - values.mean(), rcond=1e-6)[0]
    # Any coefficients will do; those of three digits do not depend on the machine's linear algebra.
    slopes = np.array([float(f"{slope:.3g}") for slope in fitted])
    num_rare = count_rare(values - slopes @ counts)
    return 0.0 * slopes if is_rare(num_rare, values.size) else slopes


def _estimate(control: _Control, slopes: Values, values: Values, counts: Values) -> Moments:
    """Estimate the moments of M from draws of M and B, with L as a control variate.

    With R = M - L, E[M] = E[R] and Var[M] = Var[L] + E[(R - E[R]) (R - E[R] + 2 L)], as E[L] = 0.
    """
    linear = slopes @ (counts - control.mean[:, None])
    remainders = values - linear
    expectation = float(remainders.mean())
    residuals = remainders - expectation
    terms = residuals * (residuals + 2 * linear)
    draws = values.size
    # The variance of the mean of the terms, and of the square of the mean of R, which is next to
    # nothing unless M takes two values, equally often: then the terms are all alike.
    spread = float(terms.var(ddof=1)) / draws + 2 * float(residuals.var(ddof=1)) ** 2 / draws**2
    return _sampled(
        expectation=expectation,
        expectation_error=float(residuals.std(ddof=1)) / math.sqrt(draws),
        variance=float(slopes @ control.covariance @ slopes) + float(terms.sum()) / (draws - 1),
        variance_error=math.sqrt(spread),
    )


class _Plan(NamedTuple):
    """The coefficients b of L for either moment, 0 where L is of no use, and how much to draw."""

    for_expectation: Values
    for_variance: Values
    draws: int


def _make_plan(control: _Control, values: Values, counts: Values, limit: int) -> _Plan:
    """Choose coefficients and the number of draws, at most `limit`, from a pilot sample.

    `values` are the draws of M, shape (S,), and `counts` those of B, shape (K, S). L is used for a
    moment if it makes the error smaller. The number of draws is the first power of 2, from twice
    the pilot sample on, that should bring both errors down to GOAL.
    """
    slopes = _fit(values, counts)
    with_linear = _estimate(control, slopes, values, counts)
    plain = _estimate(control, 0.0 * slopes, values, counts)
    expectation = min(with_linear, plain, key=lambda estimate: estimate.expectation_error)
    variance = min(with_linear, plain, key=lambda estimate: estimate.variance_error)

    # With S draws, errors are about 1/sqrt(S) of these, in standard deviations and variances.
    scale = max(variance.variance, 0.0)
    largest_error = max(expectation.expectation_error * math.sqrt(scale), variance.variance_error)
    error_of_one_draw = math.sqrt(values.size) * largest_error
    draws = 1 << ((2 * values.size).bit_length() - 1)
    while draws < limit and not error_of_one_draw < GOAL * scale * math.sqrt(draws):
        draws *= 2

    for_expectation = slopes if expectation is with_linear else 0.0 * slopes
    for_variance = slopes if variance is with_linear else 0.0 * slopes
    return _Plan(for_expectation, for_variance, draws)


def _estimate_rare(histogram: Histogram, values: Values, largest: float) -> Moments | None:
    """Return estimates from draws of M that are nearly all the same; None if they are not.

    `largest` bounds M. If some draws differ, the errors allow for more, as far off as the farthest.
    If none of S does, M differs with a chance of at most 3 / S, or of Chernoff's bound if that is
    less; M is then off by `largest` at most, or on blocks by what Chernoff's bounds allow.
    """
    draws = values.size
    num_rare = count_rare(values)
    if not is_rare(num_rare, draws):
        return None

    common = float(np.median(values))
    if num_rare > 0:
        return estimate(values, float(np.max(np.abs(values - common))))

    expectation = float(values.mean())
    variance = float(np.square(values - expectation).mean())
    chernoff = max(_bound_escape(histogram, common), sys.float_info.min)
    chance = min(math.sqrt(UNSEEN) / draws, chernoff)
    # Tables 1.0.0 keep their errors, but with equal even N the median may be either of two ranks.
    if histogram.offsets is None and chernoff < 1.0:
        return _sampled(expectation, chance * largest, variance, chance * largest**2)

    distance = _bound_distance(histogram, common, largest)
    beyond = _IMPROBABLE * largest
    error = chance * distance + beyond
    variance_error = chance * distance**2 + beyond * largest
    return _sampled(expectation, error, variance, variance_error)


def _bound_escape(histogram: Histogram, value: float) -> float:
    """Bound the probability that M (without its divisor) is another number than `value`.

    With a where the median of infinitely many tasks lies, the two medians are a and `value` if four
    counts are on the right side of n/2. Each count is a sum of independent indicators, and exceeds
    a level with a probability of at most exp(-n KL(level, mean)) (Hoeffding 1963, theorem 1). The
    bound is 1 if `value` is no whole number.
    """
    n = histogram.total
    middle = float(math.ceil(_locate(histogram)[0]))
    if value != math.floor(value):
        return 1.0

    right_ends = [middle + value - 1, middle + value]
    left_ends = [middle - value, middle - value - 1]
    reach = np.maximum(np.array([middle - 1, middle, *right_ends, *left_ends]), 0.0)
    counts = _expect_counts(histogram, reach).tolist()
    below, up_to, nearer_right, within_right, nearer_left, within_left = counts
    nearer = nearer_right - nearer_left if value else 0.0
    within = within_right - within_left
    # The ranks below a, and those nearer to it than `value`, must be fewer than half; the others
    # with the end included must be more.
    fewer_than, more_than = (n + 1) // 2, n // 2
    probability = 0.0  # that any count is on the wrong side: the sum of the bounds for each
    for expected_fewer, expected_more in ((below, up_to), (nearer, within)):
        is_bounded = expected_fewer < fewer_than
        exponent = -_divergence(fewer_than, expected_fewer, n) if is_bounded else 0.0
        probability += math.exp(exponent)

        is_bounded = expected_more > more_than
        exponent = -_divergence(more_than, expected_more, n) if is_bounded else 0.0
        probability += math.exp(exponent)

    return min(probability, 1.0)


# What is less probable than this is reckoned with apart.
_IMPROBABLE = 1e-13


def _bound_distance(histogram: Histogram, value: float, largest: float) -> float:
    """Bound how far from `value` M without its divisor is, up to a chance of _IMPROBABLE.

    The median is first shut in between two ranks, `low` and `high`. M is above v only if too few
    ranks are within v of both of these, and below w only if too many are within w of either. All
    bounds are those of :func:`_bound_escape`, and `largest` is one for M.
    """
    n = histogram.total
    middle = float(math.ceil(_locate(histogram)[0]))

    def is_sure(first: float, last: float, *, above: bool) -> bool:
        """Tell whether surely more than half of all ranks, or fewer, are in first .. last."""
        ends = np.maximum(np.array([first - 1, last]), 0.0)
        before, up_to = _expect_counts(histogram, ends).tolist()
        mean = max(float(up_to - before), 0.0)
        level = n // 2 if above else (n + 1) // 2
        is_expected = mean > level if above else mean < level
        return is_expected and math.exp(-_divergence(level, mean, n)) < _IMPROBABLE / 4

    def double(is_enough: Callable[[float], bool], limit: float) -> float:
        """Double a distance until it is enough; return it, or `limit`."""
        distance = 1.0
        while distance < limit and not is_enough(distance):
            distance *= 2
        return min(distance, limit)

    last = float(histogram.last_ranks.max())
    low = middle - double(lambda d: is_sure(1.0, middle - d - 1, above=False), last)
    high = middle + double(lambda d: is_sure(1.0, middle + d, above=True), last)
    over = double(lambda d: is_sure(high - value - d, low + value + d, above=True), largest)
    under = double(
        lambda d: value < d or is_sure(low - value + d, high + value - d, above=False), largest
    )
    return max(over, min(under, value))


def _divergence(level: float, mean: float, n: int) -> float:
    """Return n KL(level/n, mean/n) = level ln(level/mean) + (n-level) ln((n-level)/(n-mean)).

    0 ln 0 counts as 0. It is infinite if the mean is 0 or n and the level is not.
    """
    divergence = 0.0
    for count, expected in ((level, mean), (n - level, n - mean)):
        if count > 0 and expected <= 0:
            return math.inf
        if count > 0:
            divergence += count * math.log(count / expected)
    return divergence


# The control.


def _expect_counts(histogram: Histogram, points: Values) -> Values:
    """Return E[B(x)] = sum_u c_u P(r_u <= x) for whole numbers x; shape (K,)."""
    return np.array([np.sum(histogram.num_tasks * _shares(histogram, x)) for x in points.tolist()])


def _shares(histogram: Histogram, x: float) -> Values:
    """Return the chance of a rank of at most x for a task of each row, shape (U,)."""
    shares = np.maximum(x - offsets_of(histogram), 0.0) / histogram.num_candidates
    return np.asarray(np.minimum(1.0, shares))


def _locate(histogram: Histogram) -> tuple[float, float]:
    """Return what the median and the median deviation of very many ranks tend to, m0 and d0.

    Half of all y_i are expected below m0, and half in m0 - d0 .. m0 + d0: for tasks with 100
    candidates each, m0 is 50 and d0 25.
    """
    sizes = histogram.num_candidates.astype(np.float64)
    tasks = histogram.num_tasks.astype(np.float64)
    # `share` is the expected share of y_i up to each edge. Between edges it grows evenly, by
    # `density` (in tasks) a rank.
    if histogram.offsets is None:
        edges = np.concatenate(([0.0], sizes))
        density = np.append(np.cumsum((tasks / sizes)[::-1])[::-1], 0.0)
        share = (np.concatenate(([0.0], np.cumsum(tasks))) + edges * density) / histogram.total
    else:
        # The density changes at both ends of a block.
        ends = np.concatenate((histogram.offsets, histogram.last_ranks)).astype(np.float64)
        edges, edge_of_end = np.unique(np.append(ends, 0.0), return_inverse=True)
        changes = np.concatenate((tasks / sizes, -tasks / sizes))
        density = np.cumsum(np.bincount(edge_of_end[:-1], changes, edges.size))
        share = np.concatenate(([0.0], np.cumsum(np.diff(edges) * density[:-1]))) / histogram.total

    middle = float(np.interp(0.5, share, edges))
    too_near, far_enough = 0.0, float(edges[-1])
    while far_enough - too_near > 1e-3 + 1e-12 * far_enough:
        distance = (too_near + far_enough) / 2
        share_left, share_right = np.interp((middle - distance, middle + distance), edges, share)
        if share_right - share_left < 0.5:
            too_near = distance
        else:
            far_enough = distance

    return middle, far_enough


def _place_control(histogram: Histogram) -> _Control:
    """Choose the points m0 - d0, m0 and m0 + d0, rounded, and form the moments of B there.

    Ranks up to x are also up to y > x. With p and q the chances of either for one task, the
    covariance of B(x) and B(y) is the sum of p (1 - q) over all tasks.
    """
    middle, distance = _locate(histogram)
    last_rank = histogram.last_ranks.max()
    rounded = {round(x) for x in (middle - distance, middle, middle + distance)}
    # At 0, and from the last rank on, B does not vary.
    points = np.array(sorted(x for x in rounded if 0 < x < last_rank), dtype=np.float64)
    chances = [_shares(histogram, x) for x in points.tolist()]
    covariance = np.empty((points.size, points.size))
    for i, p in enumerate(chances):
        for j, q in enumerate(chances):
            products = np.minimum(p, q) * (1.0 - np.maximum(p, q))
            covariance[i, j] = np.sum(histogram.num_tasks * products)

    return _Control(points, _expect_counts(histogram, points), covariance)


# Drawing.


@dataclass(frozen=True, slots=True)
class _Rankings:
    """Random rankings: the counts B at the ends of stretches with uniform y_i."""

    edges: Values  # 0, the distinct N and the points of the control, ascending: shape (E,)
    counts: Counts  # B at each, a column a ranking: shape (E, S)

    def between(self, x: Values, low: Values, high: Values, rng: np.random.RandomState) -> Values:
        """Draw B(x) at a point x for each ranking. Shapes (S,).

        `low` and `high`, shape (2, S), have a known point on either side of each x (row 0), and B
        there (row 1). Between the nearest known points each rank is at most x with the chance (x -
        left) / (right - left), so that their number is binomial.
        """
        ranking = np.arange(x.size)
        # The nearest edges, which are known points, too.
        stop = np.maximum(np.searchsorted(self.edges, x), 1)
        edge_before = (self.edges[stop - 1], self.counts[stop - 1, ranking])
        edge_after = (self.edges[stop], self.counts[stop, ranking])
        # Of two points on the left the nearer one is larger, and so is its B; on the right smaller.
        left, count_left = np.maximum(edge_before, low)
        right, count_right = np.minimum(edge_after, high)
        width = right - left
        chance = np.divide(x - left, width, out=np.zeros_like(x), where=width > 0)
        num_between = (count_right - count_left).astype(np.int64)
        drawn: Values = count_left + rng.binomial(num_between, chance)
        return drawn


class _Bracket(NamedTuple):
    """Distances t on either side of the one searched for, a column a ranking. Shapes (5, S).

    The rows of each are t, the point down - t - 1 and B there, the point up + t and B there.
    """

    low: Values  # too few ranks are within t
    high: Values  # enough are


_T = 0  # the row of t in a bracket's ends
# The rows of the points on either side, each with B there.
_BELOW, _ABOVE = slice(1, 3), slice(3, 5)


@dataclass(frozen=True, slots=True)
class _Search:
    """Bisection for the middle deviations, in all rankings at once.

    Within t of the median lie the ranks ``down - t`` to ``up + t``, for whole numbers t. The median
    of the ranks 1, 4, 6 is 4, and within t = 2 of it lie two of them.
    """

    rankings: _Rankings
    down: Values  # the median, rounded down
    up: Values  # the same, rounded up
    rng: np.random.RandomState

    def find(self, level: int, bracket: _Bracket) -> tuple[Values, _Bracket]:
        """Return the least t within which `level` ranks lie, and a bracket for one rank more.

        Fewer ranks are within `bracket.low`, as many or more within `bracket.high`. The returned
        bracket is the closest that the counts drawn on the way allow.
        """
        low, high = bracket  # of `level` ranks
        next_low, next_high = bracket  # of one rank more
        while (is_open := high[_T] - low[_T] > 1).any():
            # Where the search is over, t is `high`, whose B is known: it is not drawn again.
            t = np.where(is_open, np.floor((low[_T] + high[_T]) / 2), high[_T])
            below = np.maximum(self.down - t - 1, 0.0)
            above = np.minimum(self.up + t, self.rankings.edges[-1])
            # With t, the point below falls and the point above rises.
            counts_below = self.rankings.between(below, high[_BELOW], low[_BELOW], self.rng)
            counts_above = self.rankings.between(above, low[_ABOVE], high[_ABOVE], self.rng)
            at_t = np.array([t, below, counts_below, above, counts_above])

            num_within = counts_above - counts_below
            is_too_few = num_within < level
            low = np.where(is_too_few, at_t, low)
            high = np.where(is_too_few, high, at_t)

            is_next_low = (num_within <= level) & (t > next_low[_T])
            is_next_high = (num_within > level) & (t < next_high[_T])
            next_low = np.where(is_next_low, at_t, next_low)
            next_high = np.where(is_next_high, at_t, next_high)

        return high[_T], _Bracket(next_low, next_high)


def _draw(
    histogram: Histogram, points: Values, draws: int, rng: np.random.RandomState
) -> tuple[Values, Values]:
    """Draw rankings; return M without its divisor, and B at the points. Shapes (S,) and (K, S)."""
    # Tasks on blocks, and few tasks, are drawn rank by rank; many by counts of ranks below each N.
    if histogram.offsets is not None or histogram.total <= len(histogram) + _FEW_TASKS:
        draw_batch = _draw_ranks
        numbers_a_draw = histogram.total
        smallest_batch = 1
    else:
        draw_batch = _draw_deviations
        numbers_a_draw = len(histogram) + points.size + 1
        smallest_batch = _SMALLEST_BATCH

    # Batches bound the memory.
    batch_size = max(smallest_batch, min(_TABLE // numbers_a_draw, _LARGEST_BATCH))
    deviations = []
    counts = []
    for begin in range(0, draws, batch_size):
        size = min(batch_size, draws - begin)
        batch_deviations, batch_counts = draw_batch(histogram, points, size, rng)
        deviations.append(batch_deviations)
        counts.append(batch_counts)

    return np.concatenate(deviations), np.concatenate(counts, axis=1)


def _draw_ranks(
    histogram: Histogram, points: Values, draws: int, rng: np.random.RandomState
) -> tuple[Values, Values]:
    """Return what :func:`_draw` does, drawn rank by rank."""
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks)
    # Ranks uniform on a + 1 .. a + N, a row a ranking. All in place: this is the largest array.
    ranks = rng.random_sample((draws, sizes.size))
    ranks *= sizes
    np.floor(ranks, out=ranks)
    ranks += 1.0 + np.repeat(offsets_of(histogram), histogram.num_tasks)
    counts = np.empty((points.size, draws))
    for k, x in enumerate(points.tolist()):
        counts[k] = np.count_nonzero(ranks <= x, axis=1)

    # The indices of the two middle numbers of a sorted row; the same one twice if it is odd.
    lower, upper = (sizes.size - 1) // 2, sizes.size // 2
    for _ in range(2):  # the median of the ranks, then of their distances from it
        ranks.partition((lower, upper), axis=1)
        median = (ranks[:, lower] + ranks[:, upper]) / 2
        ranks -= median[:, None]
        np.abs(ranks, out=ranks)

    return median, counts


def _draw_deviations(
    histogram: Histogram, points: Values, draws: int, rng: np.random.RandomState
) -> tuple[Values, Values]:
    """Draw M without its divisor, shape (S,), and B at the points, shape (K, S), from counts."""
    n = histogram.total
    rankings = _draw_rankings(histogram, points, draws, rng)
    lower_y, upper_y, lower_rank, upper_rank = _draw_middle(rankings, n, rng)
    # The median of each ranking, rounded down and up.
    down = np.floor((lower_rank + upper_rank) / 2)
    up = np.ceil((lower_rank + upper_rank) / 2)
    search = _Search(rankings, down, up, rng)
    lower, upper = (n + 1) // 2, n // 2 + 1
    end = rankings.edges[-1]
    zero = np.zeros(draws)
    # No deviation is below that of the middle ranks themselves, t = down - lower_rank.
    low = np.array([down - lower_rank - 1, lower_y, zero + (lower - 1), upper_y, zero + upper])
    high = np.array([np.maximum(down - 1, end - up), zero, zero, zero + end, zero + n])
    distance, bracket = search.find(lower, _Bracket(low, high))
    if n % 2 == 0:
        upper_distance, _ = search.find(upper, bracket)
        distance = (distance + upper_distance) / 2

    at_points = rankings.counts[np.searchsorted(rankings.edges, points)].astype(np.float64)
    return distance + (up - down) / 2, at_points


def _draw_middle(
    rankings: _Rankings, n: int, rng: np.random.RandomState
) -> tuple[Values, Values, Values, Values]:
    """Draw the two middle ones of the n numbers y_i of each ranking, and their ranks.

    Returns the lower and the upper y and the lower and the upper rank, each of shape (S,), a number
    for each ranking. If n is odd, lower and upper are the same.
    """
    edges, counts = rankings.edges, rankings.counts
    ranking = np.arange(counts.shape[1])
    lower, upper = (n + 1) // 2, n // 2 + 1
    # The y_i between two edges are uniform. Of m of them, the k-th smallest is the start of the
    # stretch plus its length times a beta variable of k and m + 1 - k.
    stop = np.count_nonzero(counts < lower, axis=0)  # the index of the edge behind the lower y
    start = edges[stop - 1]
    k = lower - counts[stop - 1, ranking]
    m = counts[stop, ranking] - counts[stop - 1, ranking]
    lower_y = start + (edges[stop] - start) * rng.beta(k, m + 1 - k)
    lower_rank = np.maximum(np.ceil(lower_y), start + 1)
    if n % 2 == 1:
        return lower_y, lower_y, lower_rank, lower_rank

    # The upper y is the smallest of the m that remain behind the lower one on the stretch: the
    # share 1 - e^(-E/m) of what is left of the stretch comes before it, E standard exponential.
    stop = np.count_nonzero(counts < upper, axis=0)
    start = np.maximum(edges[stop - 1], lower_y)
    m = counts[stop, ranking] - lower
    gaps = rng.standard_exponential(ranking.size) / m
    upper_y = start - (edges[stop] - start) * np.expm1(-gaps)
    upper_rank = np.maximum(np.ceil(upper_y), np.floor(start) + 1)
    return lower_y, upper_y, lower_rank, upper_rank


def _draw_rankings(
    histogram: Histogram, points: Values, draws: int, rng: np.random.RandomState
) -> _Rankings:
    """Draw B, how many y_i are at most x, at x = 0, each distinct N and each of the points.

    These x are the edges. It goes from the last edge downwards: of the y_i up to an edge, each is
    up to the edge before it with the chance edge before / edge. The y_i of tasks whose N is that
    edge are all.
    """
    sizes = histogram.num_candidates.astype(np.float64)
    edges = np.union1d(np.append(points, 0.0), sizes)
    tasks = np.zeros(edges.size, dtype=np.int64)  # with N at each edge
    tasks[np.searchsorted(edges, sizes)] = histogram.num_tasks
    # Half the memory where that is enough.
    kind = np.int32 if histogram.total < 2**31 else np.int64
    counts = np.empty((edges.size, draws), dtype=kind)
    counts[0] = 0
    current = np.full(draws, tasks[-1])  # y_i up to the edge, of tasks with N at least that
    counts[-1] = current
    chances = (edges[:-1] / edges[1:]).tolist()
    for edge in range(edges.size - 2, 0, -1):
        current = rng.binomial(current, chances[edge])
        current += tasks[edge]
        counts[edge] = current

    # The tasks whose N is below the edge are all up to it.
    counts[1:] += np.cumsum(tasks[:-1])[:, None]
    return _Rankings(edges, counts)
