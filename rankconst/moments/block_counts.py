r"""How many ranks are at most x where ranks are uniform on blocks, for the median.

B(x) = #{i : r_i <= x} is Poisson-binomial with F_i(x) = (x - a_i) / T_i, kept within 0 .. 1.
Coefficients of its generating function are read off a circle through the saddlepoint as in
:mod:`.poisson_binomial`. With p the tilted chances there and v = e^{i theta} - 1, the logarithm of
a factor is expanded in p v, or where p is the larger part in (1 - p) conj(v):

.. math:: \log(1 + p v) = i\theta + \log(1 + (1 - p) \bar v) = \sum_k \frac{(-1)^{k-1}}{k} (p v)^k

so that the angles cost no more than power sums of p over the tasks.

*Both middle ranks.* For n = 2m, the lower one is at most x and the upper one beyond y >= x iff B(x)
= B(y) = m, and

.. math:: P(B(x) = B(y) = m) = [z^m] \prod_i (F_i(x) z + 1 - F_i(y)), \qquad
          \frac{F_i(x) z + 1 - F_i(y)}{F_i(y) z + 1 - F_i(y)}
          = 1 - \frac{d_i}{T_i} \frac{z}{F_i(y) z + 1 - F_i(y)}

with d_i the number of ranks of the block in x+1 .. y: the circle of y serves for all x, and the
rows that reach from x to y need no more than power sums either. (Derived here.)

*Sums over the gap* of the two middle ranks, over x < y, need a distribution for each y, but are a
correction of the order of 1/n to the median's moments. So where there are many y they are formed
for some; for the others their ratio to what independent gaps would give, which changes slowly, is
interpolated. Half of them tell the error.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import TINY, UNIT_ROUNDOFF
from rankconst.moments.poisson_binomial import Circle, PointDistributions, find_tilt
from rankconst.moments.summation import Nodes, Panel, place_nodes
from rankconst.tasks import offsets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from rankconst.doubles import Complex, Counts, Values
    from rankconst.tasks import Histogram

# Numbers formed in one go, and points evaluated together.
_TABLE = 2**19
_ROWS = 128
# Terms below e^-42 are left out of expansions in numbers of at most that modulus.
_NEGLIGIBLE, _RADIUS = 42.0, 0.6
# Below this |1 + p v|^2 is formed without the cancellation of 1 + x.
_CLOSE_TO_ZERO = 0.5
# Sums over so many ranks are formed term by term; x that add less than this are left out.
_TERM_BY_TERM, _NARROWEST, _VANISHED = 128, 64, 1e-15
# With a smaller variance of B(y), sums over gaps need its whole circle.
_FEW_TASKS = 64.0
# Up to this many factors are formed one by one rather than by power sums.
_FEW = 16
# The logarithms that sums may take to be formed for all y, for how many y they are formed else at
# first, and the share of gaps below which no more are left.
_GAP_BUDGET, _SOME_GAPS, _GONE = 2**19, 13, 1e-14
# The number of y is doubled while the logarithms are fewer than that.
_MOST_LOGARITHMS = 2**24
# The degree of the polynomials that interpolate between these, and the length of a window in which
# gaps are followed rank by rank.
_DEGREE, _TRACED = 5, 2**16


class BlockCounts:
    """The distributions of B(x) around `count` for the blocks of a histogram."""

    def __init__(self, histogram: Histogram, count: int) -> None:
        self.count = count
        self.starts = offsets_of(histogram).astype(np.float64)
        self.stops = histogram.last_ranks.astype(np.float64)
        self.sizes = histogram.num_candidates.astype(np.float64)
        self.tasks = histogram.num_tasks.astype(np.float64)
        self._begun = _count_ends(self.starts, histogram.num_tasks)
        self._done = _count_ends(self.stops, histogram.num_tasks)

    def num_possible(self, x: float | Values) -> Counts:
        """Return the number of ranks that may be at most x: blocks that begin before x."""
        return np.asarray(self._begun[1][np.searchsorted(self._begun[0], x, side="left")])

    def num_certain(self, x: float | Values) -> Counts:
        """Return the number of ranks certain to be at most x: blocks that end by x."""
        return np.asarray(self._done[1][np.searchsorted(self._done[0], x, side="right")])

    def shares(self, x: float) -> Values:
        """Return F(x), the share of ranks that are at most x, of each block. Shape (U,)."""
        return np.clip((x - self.starts) / self.sizes, 0.0, 1.0)

    def slope(self, x: float) -> float:
        """Return by how much the mean of B(x) grows from x to x + 1."""
        has_next = (self.starts <= x) & (x < self.stops)  # the blocks with the rank x + 1
        return float(np.sum((self.tasks / self.sizes)[has_next]))

    def evaluate(self, points: Counts, centre: int) -> tuple[PointDistributions, Values]:
        """Return the distributions of B(x) at each x, and nearly P(no rank is x | B(x) = count).

        Points ascend. Tails are -P(B(x) >= count) below `centre`, else P(B(x) < count). The second
        result takes ranks as independent with their probabilities at the saddlepoint; shape (X,).
        """
        columns = np.empty((4, points.size))
        chunk = max(1, min(_ROWS, _TABLE // self.sizes.size))
        for begin in range(0, points.size, chunk):
            rows = slice(begin, begin + chunk)
            columns[:, rows] = self._evaluate_rows(points[rows].astype(np.float64), centre)
        return PointDistributions(*columns[:3]), columns[3]

    def _evaluate_rows(self, x: Values, centre: int) -> tuple[Values, Values, Values, Values]:
        """Return tail, mass and error of B(x), and the chance that no rank is x. Shapes (X,).

        Of the ranks, `certain` are at most x anyway, and `uncertain` may be: B(x) = count if
        `needed` of these are. Tables have shape (X, U): a row for each x, a column for each block
        a+1 .. a+T that some x cuts or ends.
        """
        certain = self.num_certain(x)
        needed = self.count - certain
        uncertain = self.num_possible(x) - certain
        is_left = x < centre
        is_reached = (self.starts < x[-1]) & (self.stops >= x[0])
        starts, stops = self.starts[is_reached], self.stops[is_reached]
        sizes, all_tasks = self.sizes[is_reached], self.tasks[is_reached]
        num_up_to_x = x[:, None] - starts  # the ranks of each block up to x: x - a
        share = num_up_to_x / sizes
        is_cut = (share > 0) & (share < 1)
        # A block that x does not cut adds nothing: no tasks, and a share that has a logarithm.
        share = np.where(is_cut, share, 0.5)
        tasks = np.where(is_cut, all_tasks, 0.0)
        tail, mass, error = _read_certain(share, tasks, needed, uncertain, is_left)
        # 1/z is 0 where all uncertain ranks are needed, infinite where none is, else between these.
        z_inverse = np.where(needed > 0, 0.0, np.inf)
        between = np.flatnonzero((needed > 0) & (needed < uncertain))
        if between.size:
            target = needed[between].astype(np.float64) - 0.5
            tilt, variance = _tilt(share[between], tasks[between], uncertain[between], target)
            circle = Circle.place(tilt, variance, uncertain[between])
            log_ratio = _log_generating_function(
                share[between], tasks[between], needed[between], circle.zeta
            )
            distributions = circle.read_off(
                log_ratio, uncertain[between], needed[between], is_left[between]
            )
            tail[between], mass[between], error[between] = distributions
            z_inverse[between] = np.exp(-tilt)

        with np.errstate(divide="ignore", invalid="ignore"):
            # Tilted to z, a rank of a block that x cuts is at most x with the chance h = F z /
            # (F z + 1 - F), and is x itself with the chance h / (x - a).
            hit = share / (share + (1 - share) * z_inverse[:, None])
            log_none_of_cut = tasks * np.log1p(-hit / np.where(is_cut, num_up_to_x, np.inf))
            # A rank of a block that ends at x is x with the chance 1 / T.
            ending = np.where(stops == x[:, None], all_tasks, 0.0)
            log_none_of_ending = np.where(ending, ending * np.log1p(-1 / sizes), 0.0)

        log_none = np.sum(log_none_of_cut + log_none_of_ending, axis=1)
        return tail, mass, error, np.exp(log_none)

    def gap_distribution(self, y: int, lowest: int) -> tuple[Counts, Values]:
        """Return points x < y and weights w with sum_x P(x) f(x) = sum w f(x) for smooth f.

        P(x) = P(B(x) = B(y) = count) / P(B(y) = count). On a circle of z that is the mean, with the
        shares of the nodes in P(B(y) = count), of prod_u (1 - d_u / (T_u (F_u + (1 - F_u) / z))),
        d_u being the number of ranks of a block in x+1 .. y and F_u = F_u(y). No x is below
        `lowest`, or so far from y that P(x) is negligible.
        """
        needed = self.count - int(self.num_certain(y))
        # A task that is certain by y is not to be beyond x.
        last_start = int(np.max(self.starts[self.stops <= y], initial=0.0))
        lowest = max(lowest, last_start + 1)
        is_reached = (self.starts < y) & (self.stops > lowest)
        starts, stops = self.starts[is_reached], self.stops[is_reached]
        sizes, tasks = self.sizes[is_reached], self.tasks[is_reached]

        z_inverse, node_shares = self._circle_of(y, needed)
        share = np.minimum((y - starts) / sizes, 1.0)  # F_u
        with np.errstate(invalid="ignore"):
            # By how much each of the d_u ranks lowers a factor. Shape (nodes, U).
            miss = np.where(share == 1, 0.0, (1 - share) * z_inverse[:, None])
            loss_by_rank = 1 / (sizes * (share + miss))

        # Just below y, P falls as exp(-hazard (y - x)).
        hazards = np.where(stops >= y, tasks * np.abs(loss_by_rank[0]), 0.0)
        hazard = float(np.sum(hazards))

        # Windows start <= x < stop from y down, each twice as long as the last, until nothing is
        # left. In the first P falls to e^-8: chosen, so that sums of few terms come first.
        stop = y
        length = math.ceil(min(8 / hazard, y)) if hazard else y
        points, weights = [np.empty(0, np.int64)], [np.empty(0)]
        while stop > lowest:
            start = max(lowest, stop - length)
            x, multiples = self._place(start, stop)
            last = np.minimum(stops, y)
            before_first = np.maximum(x[:, None], starts)
            num_beyond = np.maximum(last - before_first, 0.0)  # d_u: shape (X, U)
            distances = (y - x).astype(np.float64)
            logs = _log_product(num_beyond, distances, loss_by_rank, tasks)
            probability = np.sum((np.exp(logs) * node_shares).real, axis=1)
            points.append(x)
            weights.append(multiples * probability)
            if probability[0] < _VANISHED:
                break
            stop = start
            length *= 2

        return np.concatenate(points), np.concatenate(weights)

    def gap_cost(self, y: int, x: Counts) -> int:
        """Estimate the number of logarithms or products that :meth:`gap_distribution` of y forms.

        Blocks that reach from the first x to y need power sums only, the others a table of all x.
        The circle is taken to have 32 nodes, and power sums 20 powers: rough numbers, which only
        decide for how many y distributions are formed.
        """
        first = int(x.min(initial=y))
        is_within = (self.starts < y) & (self.stops > first)
        goes_through = (self.starts <= first) & (self.stops >= y)
        num_formed = np.count_nonzero(is_within & ~goes_through)
        return 32 * int(x.size * num_formed + 20 * np.count_nonzero(is_within) + 100)

    def _place(self, start: int, stop: int) -> tuple[Counts, Values]:
        """Return points x and weights w with sum_x f(x) = sum w f(x) over start <= x < stop.

        f is smooth between ends of blocks, on the scale of stop - start. Each stretch between ends
        is cut into panels whose width is a power of sqrt 2, the widest first, so that few rules are
        needed. A rest of 64 or less stays whole: 300 numbers are cut into 256 and 44.
        """
        if stop - start <= _TERM_BY_TERM:
            return np.arange(start, stop), np.ones(stop - start)

        ends = np.concatenate((self.starts, self.stops))
        ends = ends[(ends > start) & (ends < stop)]
        cuts = np.unique(np.concatenate(([start, stop], ends.astype(np.int64)))).tolist()
        panels = []
        for begin, end in itertools.pairwise(cuts):
            first = begin
            while first < end:
                width = end - first
                if width > _NARROWEST:
                    width = round(2.0 ** (math.floor(2 * math.log2(width)) / 2))
                panels.append(Panel(first, first + width, float(stop - start)))
                first += width

        nodes = place_nodes(panels)
        return nodes.points, nodes.weights

    def _circle_of(self, y: int, needed: int) -> tuple[Values | Complex, Values | Complex]:
        """Place the nodes z on which P(B(y) = count) is a sum: return 1/z and each node's share.

        `needed` of the ranks that y leaves uncertain have to be at most y. If that is none or all
        of them, one real node is enough. Complex nodes also count for their conjugates; the real
        parts of all shares add up to 1.
        """
        uncertain = int(self.num_possible(y)) - int(self.num_certain(y))
        if not 0 < needed < uncertain:
            all_needed = needed > 0  # then z is infinite, else 0
            return np.array([0.0 if all_needed else math.inf]), np.ones(1)

        is_cut = (self.starts < y) & (self.stops > y)
        share, tasks = self.shares(y)[None, is_cut], self.tasks[None, is_cut]
        tilt, variance = _tilt(share, tasks, np.array([uncertain]), np.array([float(needed)]))
        # A factor that is divided by may vanish at z = -e^s, which an odd number of nodes leaves
        # out. Where g is negligible, what replaces it need not be if y has few tasks: those between
        # x and y leave it. With h their hazard it is at most e^-h exp(-2 (var - h) sin^2(theta/2)),
        # no more than g if var is large enough.
        whole = float(variance[0]) < _FEW_TASKS
        circle = Circle.place(tilt, variance, np.array([uncertain]), odd=True, whole=whole)
        log_ratio = _log_generating_function(share, tasks, np.array([needed]), circle.zeta)[0]
        terms = np.exp(log_ratio) * circle.shares
        matters = (np.abs(terms) > _VANISHED * np.abs(terms[0])) | whole
        return np.exp(-circle.zeta[0, matters]), terms[matters] / np.sum(terms.real)


def _count_ends(ends: Values, num_tasks: Counts) -> tuple[Values, Counts]:
    """Return the sorted ends of blocks, and how many tasks the first 0, 1, 2 ... of them have."""
    order = np.argsort(ends, kind="stable")
    return ends[order], np.concatenate(([0], np.cumsum(num_tasks[order])))


def _read_certain(
    share: Values, tasks: Values, needed: Counts, uncertain: Counts, is_left: NDArray[np.bool_]
) -> PointDistributions:
    """Return the distribution of B(x) at points x with only one way to reach B(x) = count.

    That is so where `needed` is 0 (no uncertain rank may be at most x) or `uncertain` (all must
    be); other points get meaningless numbers. `share` and `tasks` have shape (X, U), a row for each
    point and a column for each block; the others have shape (X,). Where `is_left`, the tail is
    -P(B(x) >= count).
    """
    log_none = np.sum(tasks * np.log1p(-share), axis=1)  # of the chance that none is at most x
    log_all = np.sum(tasks * np.log(share), axis=1)  # that all are
    is_reached = needed <= 0  # B(x) >= count anyway
    are_all_needed = needed == uncertain

    log_mass = np.select([needed == 0, are_all_needed], [log_none, log_all], -np.inf)
    mass = np.exp(log_mass)
    at_least = np.select([is_reached, are_all_needed], [1.0, mass], 0.0)
    below = np.select([is_reached, are_all_needed], [0.0, -np.expm1(log_all)], 1.0)
    error = UNIT_ROUNDOFF * (64.0 + 4.0 * np.abs(np.where(mass > 0, log_mass, 0.0)))
    return PointDistributions(np.where(is_left, -at_least, below), mass, error)


def _tilt(share: Values, tasks: Values, uncertain: Counts, target: Values) -> tuple[Values, Values]:
    """Return a tilt s for each point, and the variance under it, as :func:`find_tilt` does.

    `share`, shape (X, U), is F; a tilt makes of it F e^s / (F e^s + 1 - F). The mean of the number
    of uncertain ranks at most x, sum_u tasks F, becomes `target`.
    """

    def find_moments(s: Values) -> tuple[Values, Values]:
        """Return mean and variance of the number under tilts s. Shapes (X,)."""
        tilted = share / (share + (1 - share) * np.exp(-s)[:, None])
        mean = np.einsum("xu,xu->x", tasks, tilted)
        variance = np.einsum("xu,xu,xu->x", tasks, tilted, 1 - tilted)
        return mean, variance

    return find_tilt(find_moments, uncertain, target, 1e-4)


def _log_generating_function(
    share: Values, tasks: Values, needed: Counts, zeta: Complex
) -> Complex:
    """Return log(g(z) / z^needed) at z = e^zeta, shape (X, nodes); zeta is tilt + i angle.

    g is the generating function of the number of ranks at most x. `share` (F) and `tasks` have
    shape (X, U), a row for each x and a column for each block. The result is the value at angle 0
    plus the logarithms of 1 + p v, p being the tilted F. A p above 1/2 is expanded in 1 - p, which
    leaves i angle: see the top of this module.
    """
    tilt = zeta[:, 0].real
    angle = zeta[0].imag

    # The tilted chances of a rank to be at most x, p, and beyond it.
    miss_weight = (1 - share) * np.exp(-tilt)[:, None]
    hit = share / (share + miss_weight)
    miss = miss_weight / (share + miss_weight)
    is_likely = hit > 0.5
    smaller = np.minimum(hit, miss)

    # The value at angle 0, and i angle for each task whose p is likely, less that of z^needed.
    log_factors = np.log1p(share * np.expm1(tilt)[:, None])
    at_angle_0 = np.einsum("xu,xu->x", tasks, log_factors) - tilt * needed
    num_turns = np.sum(np.where(is_likely, tasks, 0.0), axis=1) - needed
    total: Complex = at_angle_0[:, None] + 1j * num_turns[:, None] * angle

    v = np.expm1(1j * angle)
    modulus = float(smaller.max()) * float(np.abs(v).max())
    if modulus <= _RADIUS:
        num_terms = max(2, _count_terms(modulus, tasks))
        _add_logs_by_powers(total, smaller, is_likely, tasks, v, num_terms=num_terms)
    else:
        _add_logs_directly(total, smaller, is_likely, tasks, v)

    return total


def _add_logs_by_powers(
    total: Complex,
    smaller: Values,
    is_likely: NDArray[np.bool_],
    tasks: Values,
    v: Complex,
    *,
    num_terms: int,
) -> None:
    """Add sum_u tasks_u log(1 + p_u v) to `total`, in place, by `num_terms` powers of p v.

    `smaller`, shape (X, U), has the p of each block u. Where `is_likely`, it has 1 - p, and the
    conjugate of the logarithm is added: see the top of this module. `v` has shape (nodes,), and
    `total` (X, nodes). |p v| is at most 0.6.
    """
    signed_tasks = np.where(is_likely, -tasks, tasks)  # a conjugate has the opposite imaginary part
    p_power = np.ones_like(smaller)
    v_power = np.ones_like(v)  # of -v
    for k in range(1, num_terms + 1):
        p_power *= smaller
        v_power = v_power * -v
        real_sum = np.einsum("xu,xu->x", p_power, tasks)[:, None]
        imaginary_sum = np.einsum("xu,xu->x", p_power, signed_tasks)[:, None]
        total -= (real_sum * v_power.real + 1j * imaginary_sum * v_power.imag) / k


def _add_logs_directly(
    total: Complex, smaller: Values, is_likely: NDArray[np.bool_], tasks: Values, v: Complex
) -> None:
    """Add what :func:`_add_logs_by_powers` adds, for p v of any size; v is e^(i angle) - 1."""
    sign = np.where(is_likely, -1.0, 1.0)  # a conjugate has the opposite angle
    # As many blocks at once as tables of _TABLE numbers allow.
    width = max(1, _TABLE // max(total.size, 1))
    for begin in range(0, smaller.shape[1], width):
        block = slice(begin, begin + width)
        p = smaller[:, None, block]  # this and the tables below have shape (X, nodes, blocks)
        real = p * v.real[:, None]
        imaginary = p * v.imag[:, None]
        angle = sign[:, None, block] * np.arctan2(imaginary, 1 + real)
        # |1 + v| = 1 means |v|^2 = -2 Re v, so |1 + p v|^2 = 1 + 2 p (1 - p) Re v.
        spread = 2 * p * (1 - p)
        log_square = np.log1p(np.maximum(spread * v.real[:, None], -_CLOSE_TO_ZERO))
        # Close to a zero of the factor that sum would cancel, and this one does not.
        square = np.square(1 - 2 * p) + spread * (2 + v.real[:, None])
        log_small_square = np.log(np.maximum(square, TINY))
        log_square = np.where(square < _CLOSE_TO_ZERO, log_small_square, log_square)
        total += np.einsum("xu,xtu->xt", tasks[:, block], 0.5 * log_square + 1j * angle)


def _count_terms(modulus: float, tasks: Values) -> int:
    """Return how many powers of a number below 1 leave out less than e^-42 of an expansion."""
    needed = _NEGLIGIBLE + math.log(float(tasks.sum()) + 1)
    return math.ceil(needed / -math.log(max(modulus, 1e-9)))  # 0 has no logarithm


def _log_product(
    num_beyond: Values, distances: Values, unit: Values | Complex, tasks: Values
) -> Complex:
    """Return sum_u tasks_u log(1 - num_beyond_u unit_u) for each x, shape (X, nodes).

    `num_beyond`, shape (X, U), is the number of ranks of each block in x+1 .. y; `unit` has shape
    (nodes, U), and `distances` are y - x, falling, shape (X,). Blocks that reach from every x to y
    have `num_beyond` = `distances`: for small units, -sum_k distance^k sum_u tasks_u unit_u^k / k
    serves for all x.
    """
    total = np.zeros((len(num_beyond), len(unit)), dtype=np.complex128)
    farthest = distances[0]
    modulus = np.max(np.abs(unit), axis=0) * farthest
    in_series = (num_beyond[0] == farthest) & (modulus < _RADIUS)
    if np.count_nonzero(in_series) <= _FEW:
        in_series[:] = False
    else:
        # Both in units of the farthest distance: neither power overflows.
        scaled_unit = unit[:, in_series] * farthest
        unit_power, distance_power = np.ones(scaled_unit.shape), np.ones(len(num_beyond))
        num_terms = max(1, _count_terms(float(modulus[in_series].max()), tasks))
        for k in range(1, num_terms + 1):
            unit_power = unit_power * scaled_unit
            distance_power = distance_power * (distances / farthest)
            power_sums = unit_power @ tasks[in_series]
            total -= distance_power[:, None] * power_sums / k

    one_by_one = np.flatnonzero(~in_series & (num_beyond[0] > 0))
    width = max(1, _TABLE // total.size)
    for begin in range(0, one_by_one.size, width):
        block = one_by_one[begin : begin + width]
        factor = 1 - num_beyond[:, None, block] * unit[:, block]  # shape (X, nodes, blocks)
        # NumPy's logarithm of complex numbers takes several times as long.
        square = np.square(factor.real) + np.square(factor.imag)
        total += (0.5 * np.log(np.maximum(square, TINY))) @ tasks[block]
        if np.iscomplexobj(factor):
            total += 1j * (np.arctan2(factor.imag, factor.real) @ tasks[block])

    return total


@dataclass(frozen=True, slots=True)
class Gaps:
    """Sums over x < y, at some y, of P(B(x) = B(y) = m) / P(B(y) = m) times a function."""

    nodes: Counts  # the y with distributions of their own, ascending
    distributions: list[tuple[Counts, Values]]  # x and weights of each
    exact: bool  # True if the weight of any other y is negligible
    steps: Values  # nearly P(B(y - 1) = B(y) = m) / P(B(y) = m), at all y

    def sum(
        self, points: Counts, mass: Values, curvature: Callable[[Values], Values]
    ) -> tuple[Values, Values]:
        """Return sum_x P(x) curvature(x + y) for each y of `points`, and errors. Shapes (2, X).

        P(x) is what :meth:`BlockCounts.gap_distribution` says. At the nodes the sums are formed.
        Between them, their ratio to the sums of independent gaps is interpolated, by lines and by
        polynomials; half of the nodes tell the errors. Of these two the one with the smaller error
        of the second sum, weighted with `mass` = P(B(y) = m), is returned.
        """
        sums_at_nodes = []
        for y, (x, weights) in zip(self.nodes.tolist(), self.distributions, strict=True):
            terms = curvature(y + x.astype(np.float64)) * weights
            sums_at_nodes.append(np.sum(terms, axis=-1))

        sums = np.stack(sums_at_nodes, axis=1)
        approximate = np.ones((2, points.size))
        if not self.exact:
            approximate = _sum_independent_gaps(points, self.steps, curvature)

        at_nodes = approximate[:, np.searchsorted(points, self.nodes)]
        ratio = np.divide(sums, at_nodes, out=np.ones_like(sums), where=at_nodes != 0)
        estimates = []
        for degree in (1, _DEGREE):
            fine = approximate * self._interpolate_ratio(points, ratio, degree, step=1)
            if self.exact:
                error = 0.0 * fine
            else:
                coarse = approximate * self._interpolate_ratio(points, ratio, degree, step=2)
                error = 2 * np.abs(fine - coarse)
            estimates.append((fine, error))

        def weigh_error(estimate: tuple[Values, Values]) -> float:
            _, (_, error_of_second_sum) = estimate
            return float(np.sum(mass * error_of_second_sum))

        return min(estimates, key=weigh_error)

    def _interpolate_ratio(self, points: Counts, ratio: Values, degree: int, step: int) -> Values:
        """Interpolate both rows of ratios at all points, from every `step`-th node."""
        nodes = self.nodes[::step]
        return np.stack([_interpolate(points, nodes, row[::step], degree) for row in ratio])


def _interpolate(x: Counts, nodes: Counts, values: Values, degree: int) -> Values:
    """Interpolate at each x by the polynomial through its degree + 1 nearest nodes."""
    x = np.clip(x, nodes[0], nodes[-1])
    num_nodes = min(degree + 1, nodes.size)
    first = np.clip(np.searchsorted(nodes, x) - num_nodes // 2, 0, nodes.size - num_nodes)
    indices = first[:, None] + np.arange(num_nodes)  # of the nodes of each x: shape (X, num_nodes)
    nearest = nodes[indices]
    distance = (x[:, None] - nearest).astype(np.float64)
    total = np.zeros(x.size)
    for i in range(num_nodes):  # basis: a polynomial that is 1 at node i and 0 at the other nodes
        others = np.arange(num_nodes) != i
        spacing = nearest[:, [i]] - nearest[:, others]
        basis = np.prod(distance[:, others] / spacing, axis=1)
        total += values[indices[:, i]] * basis

    return total


def _sum_independent_gaps(
    points: Counts, steps: Values, curvature: Callable[[Values], Values]
) -> Values:
    """Return the sum over x < y of :meth:`Gaps.sum` for each y, as if gaps were independent.

    That is nearly right. A gap of at least g ranks below y then has the chance s(y) s(y - 1) ...
    s(y - g + 1), s being `steps`; x = y - g adds this chance times curvature(x + y).

    `points` are the y, ascending, shape (X,), and `steps` has a number for each. Shape (2, X).
    """
    first, last = int(points[0]), int(points[-1])
    upper = points.astype(np.float64)
    if last - first >= upper.size:
        # Not every rank is a point. Gaps are short next to y, so curvature(2 y) times the mean gap
        # L will do: s / (1 - s) where s changes little, else L(y) = s(y) (1 + L(y - 1)).
        mean_gaps = steps / np.maximum(1 - steps, 1 / last)
        if last - first < _TRACED:
            every_step = _interpolate(np.arange(first, last + 1), points, steps, _DEGREE).tolist()
            every_mean = itertools.accumulate(every_step, lambda mean, step: step * (1 + mean))
            mean_gaps = np.array(list(every_mean))[points - first]
        return np.asarray(curvature(2 * upper) * mean_gaps)

    total = np.zeros((2, upper.size))
    chance = steps[1:]  # of a gap of at least `gap` ranks, for each of upper[gap:]
    for gap in range(1, upper.size):
        if chance.max() < _GONE:
            break
        lower = upper[gap:] - gap
        total[:, gap:] += chance * curvature(lower + upper[gap:])
        chance = chance[1:] * steps[1 : upper.size - gap]

    return total


def find_gaps(
    counts: BlockCounts, nodes: Nodes, distributions: PointDistributions, steps: Values, lowest: int
) -> Iterator[Gaps]:
    """Yield the sums over gaps of the two middle ranks, more and more accurate.

    `nodes` are the y, with the distributions of B(y) and `steps` as :class:`Gaps` has them. Each
    result has about twice as many y with their own distribution as the last. The last one has all y
    that count, or as many as do not take too long.
    """
    mass = np.abs(nodes.weights * distributions.mass)
    # How much of the moments each y makes up: a sum over gaps is of second differences, which are
    # constant for the median's square, and go as y^-3 for its inverse.
    inverse_mass = mass / nodes.points.astype(np.float64) ** 3
    importance = np.maximum(mass / mass.sum(), inverse_mass / inverse_mass.sum())
    # Any other y adds less than a sixteenth of a rounding: chosen, as there may be many of them.
    heavy = np.flatnonzero(importance > UNIT_ROUNDOFF / 16)
    find_distribution = functools.cache(functools.partial(counts.gap_distribution, lowest=lowest))
    likeliest = int(nodes.points[np.argmax(mass)])
    cost = counts.gap_cost(likeliest, find_distribution(likeliest)[0])
    num_chosen = heavy.size
    if cost * heavy.size > _GAP_BUDGET:
        num_chosen = _SOME_GAPS

    # Lines between y that are h apart err as h^2: with weights w, and a given number of y, the sum
    # of w h^2 is least if 1/h goes as the cube root of w.
    running = np.cumsum(np.cbrt(importance[heavy]))
    while True:
        exact = num_chosen >= heavy.size
        chosen = heavy
        if not exact:
            quantiles = np.linspace(0, 1 - UNIT_ROUNDOFF, num_chosen)
            chosen = heavy[np.unique(np.searchsorted(running, running[-1] * quantiles))]

        points = nodes.points[chosen]
        yield Gaps(points, [find_distribution(y) for y in points.tolist()], exact, steps)
        num_chosen = 2 * num_chosen - 1
        if exact or cost * num_chosen > _MOST_LOGARITHMS:
            return
