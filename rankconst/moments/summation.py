r"""Sums of smooth functions over long runs of whole numbers, from a few of their values.

The polynomials orthonormal under :math:`\sum_{x=0}^{L-1}` (Gram 1883; Chebyshev) have the
recurrence coefficients 0 and

.. math:: \beta_k = \frac{k^2 (L^2 - k^2)}{4 (4 k^2 - 1)}

about the middle of the run. Their zeros and Christoffel numbers are a Gauss rule for the *sum*: no
integral, and no Euler-Maclaurin correction (Gautschi 2004, *Orthogonal Polynomials*, sections 1.4
and 1.5). As L grows it becomes the Gauss-Legendre rule. Zeros are found by simultaneous iteration
rather than as eigenvalues: LAPACK's threads stall where cores are busy.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
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
        """Return sum and error over all panels, given f and its errors at the points."""
        truncated = np.abs(np.add.reduceat(values * self.checks, self.firsts, axis=-1)).sum(axis=-1)
        carried = np.sum(errors * np.abs(self.weights), axis=-1)
        return np.sum(values * self.weights, axis=-1), carried + truncated


def gram_rule(length: int, size: int) -> tuple[Values, Values]:
    """Return nodes and weights of the Gauss rule for `length` terms.

    Nodes are real offsets from the first term. The rule is exact for polynomials of degree below
    2 `size`; with `size` = `length` it is the sum itself.
    """
    if size >= length:
        return np.arange(length, dtype=np.float64), np.ones(length)
    nodes, weights = gram_rules(np.array([length]), size)
    return nodes[0], weights[0]


def gram_rules(lengths: Counts, size: int) -> tuple[Values, Values]:
    """Return the rules of :func:`gram_rule` for many lengths at once, all above `size`.

    Shapes are (L, size). In units of the length, nodes and weights are analytic functions of 1 /
    length^2, which are interpolated.
    """
    scale = lengths.astype(np.float64)[:, None]
    if np.min(scale) < 2 * size:
        x, shares = _solve_gram_rules(scale, size)
    else:
        limit, series = _interpolate_gram_rules(size)
        at = 2 * np.square(2 * size / scale[:, 0]) - 1
        x, shares = np.polynomial.chebyshev.chebval(at, series).swapaxes(1, 2) + limit[:, None]
    return scale * x + 0.5 * (scale - 1), scale * shares


@functools.cache
def _interpolate_gram_rules(size: int) -> tuple[Values, Values]:
    """Return the rule for no end of terms, and its change with t = (2 size / length)^2.

    Shapes (2, size), and (K, 2, size) for the coefficients of Chebyshev polynomials in 2 t - 1.
    """
    limit = np.stack(_solve_gram_rules(np.array([[1e9 * size]]), size))[:, 0]
    # Enough to interpolate to rounding.
    count = size + 8
    degrees = np.arange(count)
    angle = (degrees + 0.5) * (math.pi / count)
    values = np.stack(_solve_gram_rules(2 * size / np.cos(angle / 2)[:, None], size))
    cosines = np.cos(degrees[:, None] * angle) * np.where(degrees, 2 / count, 1 / count)[:, None]
    return limit, np.einsum("kn,cns->kcs", cosines, values - limit[:, None])


def _solve_gram_rules(scale: Values, size: int) -> tuple[Values, Values]:
    """Return nodes from the middle on and weights, in units of lengths of shape (L, 1)."""
    beta = np.sqrt(_squared_recurrence(scale, size + 1)) / scale
    # For many terms, the zeros of Gram's polynomial tend to those of Legendre's.
    x = np.tile(np.polynomial.legendre.leggauss(size)[0] / 2, (scale.size, 1))
    apart = np.eye(size)
    squares = np.ones_like(x)
    for _ in range(_MOST_STEPS):
        last, slope, squares = _evaluate_polynomials(x, beta)
        newton = last / slope
        # Aberth 1973, Math. Comp. 27: Newton's step, with each node kept from the others.
        pull = np.sum((1.0 - apart) / (x[:, :, None] - x[:, None, :] + apart), axis=2)
        step = newton / (1.0 - newton * pull)
        x -= step
        if np.max(np.abs(step)) < 1e-15:
            break
    # Few terms a node, and the iteration has them change places.
    order = np.argsort(x)
    # Christoffel numbers.
    return np.take_along_axis(x, order, 1), np.take_along_axis(1 / squares, order, 1)


def uniform_rule(sizes: Values, nodes: int) -> tuple[Values, Values]:
    """Return the Gauss rule of the uniform distribution on 1 .. N, from its mean on.

    Nodes and weights have shape (U, nodes). N may be any real number above the number of nodes; up
    to there the nodes are the ranks themselves: of N = 2 and three nodes they are -1/2, 1/2 and 1/2
    with weights 1/2, 1/2 and 0. Eigenvalues and eigenvectors of the Jacobi matrix (Golub and Welsch
    1969; DLMF 18.22, Hahn polynomials): the iteration of :func:`gram_rules` starts from Legendre's
    zeros, and needs several terms a node.
    """
    k = np.arange(1.0, nodes)
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
    jacobi = np.zeros((large.size, nodes, nodes))
    column = np.arange(nodes - 1)
    jacobi[:, column + 1, column] = k * np.sqrt((1 - (k / large) ** 2) / (4 * k * k - 1))
    roots, vectors = np.linalg.eigh(jacobi)
    share = vectors[:, 0, :] ** 2
    # The distribution is symmetric, and so is its rule but for rounding; its second moment is
    # (N^2 - 1) / 12.
    roots, share = roots - roots[:, ::-1], share + share[:, ::-1]
    share /= share.sum(axis=1, keepdims=True)
    second = np.sum(share * roots * roots, axis=1, keepdims=True)
    points[~is_small] = roots * np.sqrt((large - 1) * (large + 1) / 12 / second)
    weights[~is_small] = share
    return points, weights


def _evaluate_polynomials(x: Values, beta: Values) -> tuple[Values, Values, Values]:
    """Return the last orthonormal polynomial, its derivative, and the sum of the others' squares.

    They follow from x p_k = beta_k p_{k+1} + beta_{k-1} p_{k-1}, `beta` a row for each row of x.
    """
    before = np.zeros_like(x)
    value = np.ones_like(x)
    slope_before = np.zeros_like(x)
    slope = np.zeros_like(x)
    squares = np.zeros_like(x)
    for k in range(beta.shape[1]):
        previous = beta[:, k - 1 : k] if k else 0.0
        unit = beta[:, k : k + 1]
        squares += value * value
        slope_before, slope = slope, (value + x * slope - previous * slope_before) / unit
        before, value = value, (x * value - previous * before) / unit
    return value, slope, squares


def _squared_recurrence(length: float | Values, size: int) -> Values:
    """Return beta_1 .. beta_(size - 1), as stated at the top of this module, for L = `length`."""
    k = np.arange(1, size, dtype=np.float64)
    ratio = k / length
    return np.asarray(length * length * k * k * (1.0 - ratio * ratio) / (4.0 * (4.0 * k * k - 1.0)))


def place_nodes(panels: list[Panel]) -> Nodes:
    """Choose points and weights for consecutive panels; without panels there are no points."""
    chosen = []
    for panel in panels:
        length = panel.stop - panel.start
        offsets, *rule = _whole_rule(length, _num_nodes(length, panel.scale))
        chosen.append((panel.start + offsets, *rule))
    if not chosen:
        return Nodes(np.empty(0, np.int64), np.empty(0), np.empty(0), np.empty(0, np.int64))
    firsts = np.cumsum([0] + [len(points) for points, _, _ in chosen[:-1]])
    points, weights, checks = (np.concatenate(parts) for parts in zip(*chosen, strict=True))
    return Nodes(points, weights, checks, firsts)


def _num_nodes(length: int, scale: float) -> int:
    """Return enough nodes for a small interpolation error, (length / 4 scale)^nodes."""
    ratio = max(length / (4.0 * scale), 1e-6)
    if ratio > 0.25:
        return _MOST_NODES
    return max(6, math.ceil(-37.0 / math.log(ratio)))


@functools.lru_cache(maxsize=4096)
def _whole_rule(length: int, size: int) -> tuple[Counts, Values, Values]:
    """Return whole offsets, weights and check weights: the rule on rounded Gauss nodes."""
    if length <= _TERMS_PER_NODE * size:
        return np.arange(length), np.ones(length), np.zeros(length)
    offsets = np.unique(np.rint(gram_rule(length, size)[0]).astype(np.int64))
    weights = _interpolating_weights(offsets, length)
    kept = np.arange(offsets.size) != offsets.size // 3
    checks = weights.copy()
    checks[kept] -= _interpolating_weights(offsets[kept], length)
    return offsets, weights, checks


def _interpolating_weights(offsets: Counts, length: int) -> Values:
    """Return weights exact for polynomials of degree below the number of offsets."""
    size = offsets.size
    beta = np.sqrt(_squared_recurrence(length, size)) / length
    x = (offsets - 0.5 * (length - 1)) / length
    rows = np.empty((size, size))
    rows[0] = 1.0
    for k in range(1, size):
        rows[k] = (x * rows[k - 1] - (beta[k - 2] * rows[k - 2] if k > 1 else 0.0)) / beta[k - 1]
    # Only the constant polynomial has a sum.
    moments = np.zeros(size)
    moments[0] = length
    return np.asarray(np.linalg.solve(rows, moments))
