r"""Sums and means of smooth functions over long runs of whole numbers, from a few of their values.

The polynomials orthonormal under :math:`\sum_{x=0}^{L-1}` (Gram 1883; Chebyshev) have the
recurrence coefficients 0 and

.. math:: \beta_k = \frac{k^2 (L^2 - k^2)}{4 (4 k^2 - 1)}

about the middle of the run. Their zeros and Christoffel numbers are a Gauss rule for the *sum*: no
integral, and no Euler-Maclaurin correction (Gautschi 2004, *Orthogonal Polynomials*, sections 1.4
and 1.5). As L grows it becomes the Gauss-Legendre rule. Zeros are found by simultaneous iteration
rather than as eigenvalues: LAPACK's threads stall where cores are busy.

**Means on blocks**: a function of a rank that is uniform on a block a+1 .. a+T is averaged, on many
blocks at once. A block is cut into panels within which ranks at most double. Short ones are summed
term by term, the others by the rule for sums, so that a block of any size takes a few dozen points.
All weights are positive: the rule is itself the distribution of a rank. So means and central
moments of functions that vary on the scale of their argument (powers, logarithms, exponentials of
these) come to rounding, and nothing cancels. (Derived here.)

Points are kept relative to the block's mean rank c. With u = r/c - 1, central moments of r^q follow
from those of expm1(q log1p(u)): they keep their relative accuracy in narrow blocks far out, a >> T.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF, Moments
from rankconst.tasks import Histogram, offsets_of

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.doubles import Counts, Values

# Panels of up to four terms a node are summed term by term; others have at most that many nodes.
_MOST_NODES = 28
_TERMS_PER_NODE = 4
# The zeros are found in 2 to 12 steps.
_MOST_STEPS = 40


@dataclass(frozen=True, slots=True)
class Panel:
    """Whole numbers start <= x < stop; functions on them are smooth over `scale` or more."""

    start: int
    stop: int
    scale: float


@dataclass(frozen=True, slots=True)
class Nodes:
    """A rule for sums over consecutive panels: sum_x f(x) = sum_i weights_i f(points_i)."""

    points: Counts  # whole numbers, ascending
    weights: Values  # 1 where all numbers of a panel are points
    checks: Values  # weights of the difference to a rule exact to one degree less, in each panel
    firsts: Counts  # the index of each panel's first point

    def sum(self, values: Values, errors: Values) -> tuple[Values, Values]:
        """Return the sum over all panels and its error, given f and its errors at the points."""
        truncated = np.abs(np.add.reduceat(values * self.checks, self.firsts, axis=-1)).sum(axis=-1)
        carried = np.sum(errors * np.abs(self.weights), axis=-1)
        return np.sum(values * self.weights, axis=-1), carried + truncated


class Rule(NamedTuple):
    """A rule for sums or means: sum_i weights_i f(nodes_i). One row for each of several rules."""

    nodes: Values
    weights: Values


def gram_rule(length: int, size: int) -> Rule:
    """Return nodes and weights of the Gauss rule for `length` terms.

    Nodes are real offsets from the first term. The rule is exact for polynomials of degree below
    2 `size`; with `size` = `length` it is the sum itself.
    """
    if size >= length:
        return Rule(np.arange(length, dtype=np.float64), np.ones(length))
    rules = gram_rules(np.array([length]), size)
    return Rule(rules.nodes[0], rules.weights[0])


def gram_rules(lengths: Counts, size: int) -> Rule:
    """Return the rules of :func:`gram_rule` for many lengths at once, all above `size`.

    Shapes are (L, size). In units of the length, nodes and weights are analytic functions of 1 /
    length^2, which are interpolated; if a length is below 2 `size`, all rules are solved for.
    """
    scale = lengths.astype(np.float64)[:, None]
    if np.min(scale) < 2 * size:
        x, shares = _solve_gram_rules(scale, size)
    else:
        limit, series = _interpolate_gram_rules(size)
        at = 2 * np.square(2 * size / scale[:, 0]) - 1
        x, shares = np.polynomial.chebyshev.chebval(at, series).swapaxes(1, 2) + limit[:, None]

    return Rule(scale * x + 0.5 * (scale - 1), scale * shares)


@functools.cache
def _interpolate_gram_rules(size: int) -> tuple[Values, Values]:
    """Return the rule of `size` nodes for a sum of very many terms, and how rules for fewer differ.

    The rule has shape (2, size), nodes and weights. The differences are polynomials in t = (2 size
    / length)^2: shape (K, 2, size), the coefficients of K Chebyshev polynomials in 2 t - 1.
    """
    limit = np.stack(_solve_gram_rules(np.array([[1e9 * size]]), size))[:, 0]
    num_points = size + 8  # enough to interpolate to rounding
    degrees = np.arange(num_points)
    angle = (degrees + 0.5) * (math.pi / num_points)  # of the Chebyshev nodes
    lengths = 2 * size / np.cos(angle / 2)[:, None]
    rules = np.stack(_solve_gram_rules(lengths, size))
    norms = np.where(degrees, 2 / num_points, 1 / num_points)[:, None]
    cosines = np.cos(degrees[:, None] * angle) * norms
    return limit, np.einsum("kn,cns->kcs", cosines, rules - limit[:, None])


def _solve_gram_rules(scale: Values, size: int) -> Rule:
    """Return nodes and weights of the rules of `size` nodes, by a Newton iteration.

    `scale` has the lengths of the sums, shape (L, 1), each above `size`. Nodes and weights have
    shape (L, size), in units of the lengths; nodes are measured from the middle.
    """
    beta = np.sqrt(_squared_recurrence(scale, size + 1)) / scale
    # For many terms, the zeros of Gram's polynomial tend to those of Legendre's.
    x = np.tile(np.polynomial.legendre.leggauss(size)[0] / 2, (scale.size, 1))
    diagonal = np.eye(size)
    squares = np.ones_like(x)
    for _ in range(_MOST_STEPS):
        last, slope, squares = _evaluate_polynomials(x, beta)
        newton = last / slope
        # Aberth 1973, Math. Comp. 27: Newton's step, with each node kept from the others.
        distances = x[:, :, None] - x[:, None, :] + diagonal
        pull = np.sum((1.0 - diagonal) / distances, axis=2)
        step = newton / (1.0 - newton * pull)
        x -= step
        if np.max(np.abs(step)) < 1e-15:
            break

    # Where there are few terms a node, the iteration has nodes change places.
    order = np.argsort(x)
    christoffel = 1 / squares  # the weights
    return Rule(np.take_along_axis(x, order, 1), np.take_along_axis(christoffel, order, 1))


def uniform_rule(sizes: Values, nodes: int) -> Rule:
    """Return the Gauss rule of the uniform distribution on 1 .. N, from its mean on.

    Nodes and weights have shape (U, nodes). N may be any real number above the number of nodes; up
    to there the nodes are the ranks themselves: of N = 2 and three nodes they are -1/2, 1/2 and 1/2
    with weights 1/2, 1/2 and 0. Eigenvalues and eigenvectors of the Jacobi matrix (Golub and Welsch
    1969; DLMF 18.22, Hahn polynomials): the iteration of :func:`gram_rules` starts from Legendre's
    zeros, and needs several terms a node.
    """
    points = np.empty((sizes.size, nodes))
    weights = np.empty_like(points)
    is_small = sizes <= nodes
    rank = np.arange(1.0, nodes + 1)
    small = sizes[is_small][:, None]
    # Beyond the last rank it is repeated, without weight.
    points[is_small] = np.minimum(rank, small) - (small + 1) / 2
    weights[is_small] = np.where(rank <= small, 1 / small, 0.0)
    large = sizes[~is_small][:, None]
    # The matrix in units of N / 2: its entries below the diagonal are the roots of the beta_k at
    # the top of this module; eigh reads no others.
    k = np.arange(1.0, nodes)
    column = np.arange(nodes - 1)
    jacobi = np.zeros((large.size, nodes, nodes))
    jacobi[:, column + 1, column] = k * np.sqrt((1 - (k / large) ** 2) / (4 * k * k - 1))
    roots, vectors = np.linalg.eigh(jacobi)
    shares = vectors[:, 0, :] ** 2
    # The distribution is symmetric, and so is its rule but for rounding; its second moment is
    # (N^2 - 1) / 12.
    roots = roots - roots[:, ::-1]
    shares = shares + shares[:, ::-1]
    shares /= shares.sum(axis=1, keepdims=True)
    second_moment = np.sum(shares * roots * roots, axis=1, keepdims=True)
    points[~is_small] = roots * np.sqrt((large - 1) * (large + 1) / 12 / second_moment)
    weights[~is_small] = shares
    return Rule(points, weights)


class _Polynomials(NamedTuple):
    """Orthonormal polynomials p_0 .. p_K at x."""

    last: Values  # p_K
    slope: Values  # its derivative
    squares: Values  # the sum of p_k^2 for k < K


def _evaluate_polynomials(x: Values, beta: Values) -> _Polynomials:
    """Evaluate the orthonormal polynomials at x.

    They follow from x p_k = beta_k p_{k+1} + beta_{k-1} p_{k-1} with p_0 = 1. `beta` has beta_0 ..
    beta_{K-1} in a row for each row of x.
    """
    before, value = np.zeros_like(x), np.ones_like(x)  # p_{k-1} and p_k
    slope_before, slope = np.zeros_like(x), np.zeros_like(x)  # their derivatives
    squares = np.zeros_like(x)
    beta_before: Values | float = 0.0
    for k in range(beta.shape[1]):
        beta_k = beta[:, k : k + 1]
        squares += value * value
        next_slope = (value + x * slope - beta_before * slope_before) / beta_k
        slope_before, slope = slope, next_slope
        before, value = value, (x * value - beta_before * before) / beta_k
        beta_before = beta_k

    return _Polynomials(value, slope, squares)


def _squared_recurrence(length: float | Values, size: int) -> Values:
    """Return beta_1 .. beta_(size - 1), as stated at the top of this module, for L = `length`."""
    k = np.arange(1, size, dtype=np.float64)
    ratio = k / length
    return np.asarray(length * length * k * k * (1.0 - ratio * ratio) / (4.0 * (4.0 * k * k - 1.0)))


def place_nodes(panels: list[Panel]) -> Nodes:
    """Choose points and weights for sums over consecutive panels, at whole numbers."""
    if not panels:
        return Nodes(np.empty(0, np.int64), np.empty(0), np.empty(0), np.empty(0, np.int64))

    points, weights, checks, sizes = [], [], [], []
    for panel in panels:
        length = panel.stop - panel.start
        # As many nodes as bring the interpolation error, (length / 4 scale)^nodes, to e^-37.
        ratio = max(length / (4.0 * panel.scale), 1e-6)
        num_nodes = _MOST_NODES  # more would be needed beyond a ratio of 1/4
        if ratio <= 0.25:
            num_nodes = max(6, math.ceil(-37.0 / math.log(ratio)))

        rule = _whole_rule(length, num_nodes)
        points.append(panel.start + rule.points)
        weights.append(rule.weights)
        checks.append(rule.checks)
        sizes.append(rule.points.size)

    return Nodes(
        points=np.concatenate(points),
        weights=np.concatenate(weights),
        checks=np.concatenate(checks),
        firsts=np.cumsum([0, *sizes[:-1]]),
    )


@functools.lru_cache(maxsize=4096)
def _whole_rule(length: int, size: int) -> Nodes:
    """Return a rule for a sum at about `size` of its `length` terms, or at all of few terms."""
    first = np.zeros(1, dtype=np.int64)
    if length <= _TERMS_PER_NODE * size:
        return Nodes(np.arange(length), np.ones(length), np.zeros(length), first)

    nodes = gram_rule(length, size).nodes
    offsets = np.unique(np.rint(nodes).astype(np.int64))
    weights = _interpolating_weights(offsets, length)
    # The node a third of the way is left out.
    kept = np.arange(offsets.size) != offsets.size // 3
    checks = weights.copy()
    checks[kept] -= _interpolating_weights(offsets[kept], length)
    return Nodes(offsets, weights, checks, first)


def _interpolating_weights(offsets: Counts, length: int) -> Values:
    """Return weights w with sum_i w_i f(offset_i) = sum of f over 0 .. length - 1.

    They are exact for polynomials of degree below the number of offsets.
    """
    size = offsets.size
    beta = np.sqrt(_squared_recurrence(length, size)) / length
    x = (offsets - 0.5 * (length - 1)) / length
    # The orthonormal polynomials at the offsets: a row for each degree, by their recurrence.
    polynomials = np.empty((size, size))
    polynomials[0] = 1.0
    for k in range(1, size):
        polynomials[k] = x * polynomials[k - 1]
        if k > 1:
            polynomials[k] -= beta[k - 2] * polynomials[k - 2]
        polynomials[k] /= beta[k - 1]

    # The sum of each polynomial over 0 .. length - 1 is 0, except for the constant one.
    sums = np.zeros(size)
    sums[0] = length
    return np.asarray(np.linalg.solve(polynomials, sums))


# Means on blocks of ranks.

# The longest panel that is summed term by term, and the nodes of the rule for longer ones: where
# ranks double, the rule errs by (3 + sqrt 8)^-32 for 1/r.
_TERM_BY_TERM, _NODES = 64, 16
# Rules formed together.
_LENGTHS = 2048
# With more rows than that, where two routes lead to a number, the quicker is taken if its relative
# error is below this.
_MANY, GOOD_FOR_MANY = 256, 1e-7


def certain_moments(metric: Metric, histogram: Histogram) -> Moments | None:
    """Return the moments of a metric if offsets make all ranks certain; else None."""
    if histogram.offsets is None or int(histogram.num_candidates.max()) > 1:
        return None
    ranks, tasks = histogram.last_ranks.astype(np.float64), histogram.num_tasks.astype(np.float64)
    value = metric.evaluate(ranks, tasks)
    return Moments(value, 4 * UNIT_ROUNDOFF * value, 0.0, 0.0, "closed_form")


def has_many_blocks(histogram: Histogram) -> bool:
    """Tell whether there are so many blocks that they take time."""
    return (histogram.is_weighted or histogram.offsets is not None) and len(histogram) > _MANY


@dataclass(frozen=True, slots=True)
class Blocks:
    """Rules for the uniform distributions on the blocks of a histogram's rows, one by one."""

    centres: Values  # c = a + (T + 1) / 2 of each row: shape (U,)
    firsts: Counts  # the index of each row's first point: shape (U,)
    rows: Counts  # the row of each point: shape (P,)
    points: Values  # the ranks r: shape (P,)
    weights: Values  # positive, of each row adding up to 1: shape (P,)
    logs: Values  # ln(r / c), to relative accuracy: shape (P,)

    def mean(self, values: Values) -> Values:
        """Return each row's mean of values at the points, shape (P,) to (U,)."""
        means: Values = np.add.reduceat(values * self.weights, self.firsts)
        return means

    def deviations(self, values: Values, means: Values) -> Values:
        """Return values less their row's mean."""
        return np.asarray(values - means[self.rows])

    def take(self, rows: Counts) -> Blocks:
        """Return the rules of the rows with these indices, in this order; an index may repeat."""
        lengths = np.diff(np.append(self.firsts, self.points.size))[rows]
        firsts = np.cumsum(lengths) - lengths
        row = np.repeat(np.arange(rows.size), lengths)
        # The index in this object of each point of the new one.
        at = np.arange(row.size) + (self.firsts[rows] - firsts)[row]
        return Blocks(
            self.centres[rows], firsts, row, self.points[at], self.weights[at], self.logs[at]
        )

    def scaled_power(self, power: float | Values) -> tuple[Values, Values]:
        """Return mean and variance of (r / c)^power - 1; one power for all, or one a row."""
        own = power if isinstance(power, float) else power[self.rows]
        shifted = np.expm1(own * self.logs)
        mean = self.mean(shifted)
        return mean, self.mean(np.square(self.deviations(shifted, mean)))


def distinct_blocks(histogram: Histogram) -> tuple[Histogram, Counts]:
    """Return the distinct blocks of a histogram, one task each, and the index of each row's."""
    sizes, offsets = histogram.num_candidates, offsets_of(histogram)
    new = np.append(True, (offsets[1:] > offsets[:-1]) | (sizes[1:] > sizes[:-1]))
    distinct = Histogram(sizes[new], np.ones_like(sizes[new]), offsets=offsets[new])
    return distinct, np.cumsum(new) - 1


def blocks_of(histogram: Histogram) -> Blocks:
    """Return the rules for the blocks of a histogram's rows, a block for each row."""
    distinct, block_of_row = distinct_blocks(histogram)
    blocks = _place_points(distinct)
    # Without weights each row is a block of its own already.
    return blocks.take(block_of_row) if histogram.is_weighted else blocks


# The metrics of a set of tasks are computed one after the other.
@functools.lru_cache(maxsize=2)
def _place_points(histogram: Histogram) -> Blocks:
    """Choose points and weights for the block of each row of an unweighted histogram."""
    sizes = histogram.num_candidates
    before = offsets_of(histogram)
    row_of_panel, starts, lengths = _cut_panels(before, before + sizes)
    num_points = np.where(lengths <= _TERM_BY_TERM, lengths, _NODES)
    within_panel, weights = _place_in_panels(lengths, num_points)
    row = np.repeat(row_of_panel, num_points)  # of each point
    size = sizes.astype(np.float64)
    centres = before + (size + 1) / 2
    # Measured from the block's first rank, so that nothing is lost far out.
    within_block = within_panel + np.repeat(starts - before[row_of_panel], num_points)
    ratio = (within_block - ((size - 1) / 2)[row]) / centres[row]
    points = within_block + (before + 1.0)[row]
    is_near = np.abs(ratio) < 0.5
    near_logs = np.log1p(np.where(is_near, ratio, 0.0))
    logs = np.where(is_near, near_logs, np.log(points / centres[row]))
    firsts = np.searchsorted(row, np.arange(size.size))  # of the points of each row
    weights /= np.add.reduceat(weights, firsts)[row]
    return Blocks(centres, firsts, row, points, weights, logs)


def _cut_panels(before: Counts, ends: Counts) -> tuple[Counts, Counts, Counts]:
    """Cut the ranks before + 1 .. end of each row into panels within which ranks at most double.

    Panels have at least 64 ranks: 1 .. 200 has panels of 64, 64 and 72. Returns row, start (one
    less than the first rank) and length of each panel, row by row.
    """
    # Panels start < r <= stop of all rows, the first of each, the second, and so on.
    open_rows = np.arange(ends.size)
    starts = before
    panels: list[tuple[Counts, Counts, Counts]] = []
    while open_rows.size:
        stops = np.minimum(np.maximum(2 * starts, starts + _TERM_BY_TERM), ends[open_rows])
        panels.append((open_rows, starts, stops - starts))
        has_more = stops < ends[open_rows]
        open_rows = open_rows[has_more]
        starts = stops[has_more]

    rows, starts, lengths = np.hstack(panels)
    order = np.lexsort((starts, rows))
    return rows[order], starts[order], lengths[order]


def _place_in_panels(lengths: Counts, num_points: Counts) -> tuple[Values, Values]:
    """Return the distance of each point from the first rank of its panel, and its weight."""
    # The points of a short panel are all its ranks.
    firsts = np.cumsum(num_points) - num_points
    within = (np.arange(num_points.sum()) - np.repeat(firsts, num_points)).astype(np.float64)
    weights = np.ones(within.size)
    is_long = lengths > _TERM_BY_TERM
    distinct, kind = np.unique(lengths[is_long], return_inverse=True)
    if not distinct.size:
        return within, weights

    # Those of a long one are the nodes of the rule of its length.
    begins = range(0, distinct.size, _LENGTHS)
    rules = [gram_rules(distinct[begin : begin + _LENGTHS], _NODES) for begin in begins]
    in_long = np.repeat(is_long, num_points)
    within[in_long] = np.concatenate([rule.nodes for rule in rules])[kind].ravel()
    weights[in_long] = np.concatenate([rule.weights for rule in rules])[kind].ravel()
    return within, weights
