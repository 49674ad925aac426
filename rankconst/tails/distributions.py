r"""The distributions whose tails are sought: of sums S of f(r_i), where f falls with the rank.

====================  ===================  =====================================================
metric                f(r)                 mean of exp(z (f(r) - f(1))) over r <= N
====================  ===================  =====================================================
Hits@k                1 if r <= k, else 0  :math:`p + (1 - p) e^{-z}` with p = k/N
MR                    -r                   :math:`(1 - e^{-Nz}) / (N (1 - e^{-z}))`
MRR                   1/r                  :math:`(1/N) \sum e^{z (1/j - 1)}`
GMR, IGMR             -ln r                :math:`(1/N) \sum j^{-z}`
====================  ===================  =====================================================

Doing at least as well as observed is S >= s for every one of them. S is measured from its largest
value ("top", every rank 1) for Re z >= 0 and from its smallest ("bottom") for Re z < 0, so that
every term is at most 1 in modulus.

Where ranks are uniform on blocks a+1 .. a+T, hits have the chance (k-a)/T kept within 0 .. 1, and
the sum of ranks is that of r - a shifted by the sum of all a. The other sums are not used there.

A mean over graphs, or over relations, is a sum of such sums, each times what a task of it counts:
the means of exp(z f) multiply.

A tail is a probability, however small, with its error.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.errors import UndefinedError
from rankconst.sums import EULER_MACLAURIN, harmonic
from rankconst.tasks import offsets_of, split_offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.doubles import Complex, Counts, Values
    from rankconst.tasks import Histogram

# Complex numbers held at a time.
_CELLS = 2**18


class SumDistribution(ABC):
    """The distribution of S = sum f(r_i) for independent r_i ~ Uniform{1 .. N_i}.

    Tasks whose f is constant, those of one candidate, add nothing to S - top and are left out.
    """

    # True if the transform, once gone, stays away until the end of the lattice's circle.
    settles = False
    # The step of the lattice on which S - top lies; None without one that can be used.
    span: float | None = None
    # Top minus bottom.
    width: float
    # Error of the logarithm of a probability that the rounding of chances brings.
    off = 0.0

    def __init__(self, histogram: Histogram) -> None:
        if histogram.offsets is not None:
            raise UndefinedError(f"{type(self).__name__} is known for chance only.")
        varies = histogram.num_candidates > 1
        self.counts = histogram.num_candidates[varies]
        self.sizes: Values = self.counts.astype(np.float64)
        self.tasks: Values = histogram.num_tasks[varies].astype(np.float64)

    @property
    def farthest(self) -> float:
        """The largest abs(z), Re z < 0, without an overflow."""
        return 600.0

    @property
    def log_best(self) -> float:
        """The logarithm of P(S = top)."""
        return -math.fsum((self.tasks * np.log(self.sizes)).tolist())

    def deviations(self, ranks: Values) -> Values:
        """Return f(r) - f(1); not for hits: their tail is a sum."""
        raise NotImplementedError

    @abstractmethod
    def log_means(self, z: Complex, *, upper: bool) -> Complex:
        """Return ln E[exp(z (f(r) - f_ref))] per z and N, shape (len(z), U).

        f_ref is f(1) if `upper`, else f(N).
        """

    def cost(self, reach: float) -> float:
        """Estimate the number of exponentials for one z of modulus `reach`."""
        del reach
        return float(len(self.tasks))

    def cgf(self, z: Complex, *, upper: bool) -> Complex:
        """Return ln E[exp(z (S - top))] if `upper`, else ln E[exp(z (S - bottom))]."""
        rows = max(1, int(_CELLS / self.cost(float(np.max(np.abs(z))))))
        # Plain sums: for such sizes, threads of a linear algebra library cost more than they save.
        parts = []
        for start in range(0, len(z), rows):
            logs = self.log_means(z[start : start + rows], upper=upper)
            parts.append(np.sum(logs * self.tasks, axis=1))
        return np.concatenate(parts)


class HitsDistribution(SumDistribution):
    """The number of tasks that hit, the sure ones and the `missed` ones left out."""

    # Every factor falls all the way to the end.
    settles = True
    span = 1.0

    def __init__(
        self,
        hit: Values,
        miss: Values,
        tasks: Values,
        off: float = 0.0,
        *,
        missed: int = 0,
        k: int = 0,
    ) -> None:
        """Take the chances to hit and to miss, and the number of `tasks` with each of them.

        `missed` more tasks cannot hit, `off` is the error of the logarithm of a probability by the
        rounding of the chances, and `k` is kept for tasks that share negatives.
        """
        self.hit, self.miss, self.tasks = hit, miss, tasks
        self.off, self.missed, self.k = off, missed, k
        self.width = float(tasks.sum())

    @classmethod
    def at(cls, k: int, histogram: Histogram) -> HitsDistribution:
        """Return the distribution of the number of tasks ranked among the first k."""
        # How many of a task's ranks hit: 0 or less if none do, N or more if all do.
        num_hits, sizes = k - offsets_of(histogram), histogram.num_candidates
        varies = (num_hits > 0) & (sizes > num_hits)
        num_missed = int(histogram.num_tasks[num_hits <= 0].sum())
        hits, of = num_hits[varies].astype(np.float64), sizes[varies].astype(np.float64)
        tasks = histogram.num_tasks[varies].astype(np.float64)
        return cls(hits / of, (of - hits) / of, tasks, missed=num_missed, k=k)

    @property
    def log_best(self) -> float:
        """All of them hit."""
        return math.fsum((self.tasks * np.log(self.hit)).tolist())

    def log_means(self, z: Complex, *, upper: bool) -> Complex:
        """Return ln(p + (1 - p) e^-z) if `upper`, else ln(1 - p + p e^z); p is the hit's chance."""
        # numpy's log1p of complex numbers would be no better near 1 than its log.
        if upper:
            return np.log(self.hit + self.miss * np.exp(-z)[:, None])
        return np.log(self.miss + self.hit * np.exp(z)[:, None])


class RankDistribution(SumDistribution):
    """Minus the sum of ranks, or on blocks of r - a."""

    # Every factor stays below the envelope of its first lobe.
    settles = True
    span = 1.0

    def __init__(self, histogram: Histogram) -> None:
        super().__init__(split_offsets(histogram)[0])
        self.width = float(np.dot(self.tasks, self.sizes - 1.0))

    def deviations(self, ranks: Values) -> Values:
        """Return 1 - r."""
        return 1.0 - ranks

    def log_means(self, z: Complex, *, upper: bool) -> Complex:
        """Return ln of the mean of e^(y j) over j = 0 .. N - 1, y = -z if `upper`, else z."""
        if upper:
            z = -z
        y = z[:, None]
        summed: Complex = np.log(np.expm1(self.sizes * y) / (self.sizes * np.expm1(y)))
        return summed


class ReciprocalDistribution(SumDistribution):
    r"""The sum of reciprocal ranks.

    Beyond J >= abs(z) terms the exponential is expanded,

    .. math:: \sum_{J < j \le N} e^{z/j}
              = N - J + \sum_{m=1}^{20} \frac{z^m}{m!} \sum_{J < j \le N} j^{-m},

    with the inner sums from the Euler-Maclaurin formula: the cost does not grow with N.
    """

    _terms = 20
    _finest = 10

    def __init__(self, histogram: Histogram) -> None:
        super().__init__(histogram)
        # Most transforms are at moduli that share a head.
        self._beyond: dict[int, Values] = {}
        self.width = float(np.dot(self.tasks, 1.0 - 1.0 / self.sizes))
        largest = int(self.counts.max(initial=1))
        self.span = 1.0 / math.lcm(*range(2, largest + 1)) if largest <= self._finest else None

    def deviations(self, ranks: Values) -> Values:
        """Return 1/r - 1."""
        return (1.0 - ranks) / ranks

    def _head(self, reach: float) -> int:
        """Return how many ranks are summed term by term for z of modulus `reach`."""
        return int(min(self.sizes[-1], max(64.0, math.ceil(reach))))

    def cost(self, reach: float) -> float:
        """Count the terms of the head and the expansion."""
        return self._head(reach) + 2.0 * len(self.sizes)

    def log_means(self, z: Complex, *, upper: bool) -> Complex:
        """Add up the ranks of the head one by one, and those beyond it by the expansion."""
        head = self._head(float(np.max(np.abs(z))))
        ranks = 1.0 + np.arange(head)
        reference = 1.0 if upper else 1.0 / head
        # Sums of the exponentials up to each rank of the head, then up to each N. Shape (Z, U).
        running = np.cumsum(np.exp(z[:, None] * (1.0 / ranks - reference)), axis=1)
        sums = running[:, np.minimum(self.counts, head) - 1]
        is_far = self.sizes > head
        if is_far.any():
            # (z / head)^m / m!, shape (Z, M), with the sums of (head / j)^m, shape (M, U).
            powers = np.cumprod((z / head)[:, None] / np.arange(1.0, self._terms + 1), axis=1)
            if head not in self._beyond:
                self._beyond[head] = self._reciprocal_powers(head, self.counts[is_far])
            num_beyond = self.sizes[is_far] - head
            beyond = num_beyond + np.einsum("zm,mu->zu", powers, self._beyond[head])
            sums[:, is_far] += np.exp(-z * reference)[:, None] * beyond

        log_means = np.log(sums / self.sizes)
        if upper:
            return log_means
        return log_means + z[:, None] * (reference - 1.0 / self.sizes)

    def _reciprocal_powers(self, head: int, counts: Counts) -> Values:
        """Return sum over head < j <= N of (head/j)^m for m = 1 .. 20, shape (20, len(counts))."""
        ends = np.concatenate(([head], counts))
        first = head * (harmonic(ends[1:]) - harmonic(ends[:1]))
        size = ends.astype(np.float64)
        rows = [first]
        for m in range(2, self._terms + 1):
            # Sum over j > x of (x/j)^m; the terms fall like ((m + 10) / (2 pi x))^2k with x >= 64.
            beyond = size / (m - 1) - 0.5
            rising = float(m)
            for k, weight in enumerate(EULER_MACLAURIN[:5], start=1):
                beyond = beyond + weight * rising * size ** (1.0 - 2 * k)
                rising *= (m + 2 * k - 1) * (m + 2 * k)
            scaled = beyond * (head / size) ** m
            rows.append(scaled[0] - scaled[1:])

        return np.array(rows)


class LogRankDistribution(SumDistribution):
    r"""Minus the sum of log ranks.

    Beyond J >= 2 abs(z) terms the sum of :math:`j^{-z}` follows from the Euler-Maclaurin formula
    with eight terms, whose remainder is below :math:`(4\pi)^{-16}` of the last term added.
    """

    def __init__(self, histogram: Histogram) -> None:
        super().__init__(histogram)
        self.width = float(np.dot(self.tasks, np.log(self.sizes)))
        # Products of ones and twos are powers of two; larger ranks leave no lattice.
        self.span = math.log(2.0) if self.counts.max(initial=1) <= 2 else None

    @property
    def farthest(self) -> float:
        """Powers of N must not overflow."""
        return 600.0 / math.log(self.sizes[-1])

    def deviations(self, ranks: Values) -> Values:
        """Return -ln r."""
        return -np.log(ranks)

    def _head(self, reach: float) -> int:
        """Return how many ranks are summed term by term for z of modulus `reach`."""
        return int(min(self.sizes[-1], max(32.0, math.ceil(2.0 * reach))))

    def cost(self, reach: float) -> float:
        """Count the terms of the head and of the formula."""
        return self._head(reach) + 4.0 * len(self.sizes)

    def log_means(self, z: Complex, *, upper: bool) -> Complex:
        """Add up the ranks of the head one by one, and those beyond it by Euler-Maclaurin."""
        head = self._head(float(np.max(np.abs(z))))
        # From the bottom, the head is measured from its last term and brought to N at the end.
        ranks = 1.0 + np.arange(head)
        if not upper:
            ranks /= head

        # Sums of j^-z up to each rank of the head, then up to each N. Shape (Z, U).
        running = np.cumsum(np.exp(-z[:, None] * np.log(ranks)), axis=1)
        sums = running[:, np.minimum(self.counts, head) - 1]
        is_far = self.sizes > head
        if not upper:
            sums = sums * np.exp(z[:, None] * np.log(self.sizes / head))

        if is_far.any():
            sums[:, is_far] += self._sum_beyond(z[:, None], head, self.sizes[is_far], upper)

        return np.log(sums / self.sizes)

    @staticmethod
    def _sum_beyond(z: Complex, head: int, size: Values, upper: bool) -> Complex:
        """Sum j^-z if `upper`, else (j/N)^-z, over head < j <= N, by Euler-Maclaurin: (Z, U)."""
        log_ratio = np.log(size / head)
        at_head: Complex
        at_end: Complex
        if upper:
            at_head = np.exp(-z * math.log(head))
            at_end = np.exp(-z * np.log(size))
            # (N^(1-z) - head^(1-z)) / (1 - z), which is ln(N / head) at z = 1.
            exponent = (1.0 - z) * log_ratio
            is_zero = exponent == 0
            growth = np.expm1(exponent) / np.where(is_zero, 1.0, exponent)
            integral = head * at_head * log_ratio * np.where(is_zero, 1.0, growth)
        else:  # Re z < 0, so that 1 - z is not 0
            at_head, at_end = np.exp(z * log_ratio), np.ones_like(z)
            integral = (size - head * at_head) / (1.0 - z)

        total: Complex = integral + 0.5 * (at_end - at_head)
        rising: Complex = z
        for k, weight in enumerate(EULER_MACLAURIN, start=1):
            derivative = at_end * np.power(size, 1.0 - 2 * k) - at_head * head ** (1.0 - 2 * k)
            total = total - weight * rising * derivative
            rising = rising * (z + (2 * k - 1)) * (z + 2 * k)

        return total


class MixedDistribution(SumDistribution):
    """The distribution of a sum of independent sums, each times its weight: on no lattice."""

    def __init__(self, parts: Sequence[tuple[float, SumDistribution]]) -> None:
        self.parts = parts
        self.tasks = np.concatenate(
            [np.empty(0), *(distribution.tasks for _, distribution in parts)]
        )
        self.width = math.fsum(weight * distribution.width for weight, distribution in parts)
        self.off = math.fsum(distribution.off for _, distribution in parts)

    @property
    def farthest(self) -> float:
        """The largest abs(z), Re z < 0, without an overflow of any part."""
        return min(distribution.farthest / weight for weight, distribution in self.parts)

    @property
    def log_best(self) -> float:
        """All parts are at their best."""
        return math.fsum(distribution.log_best for _, distribution in self.parts)

    def log_means(self, z: Complex, *, upper: bool) -> Complex:
        """Put the tasks of all parts side by side."""
        means = [part.log_means(weight * z, upper=upper) for weight, part in self.parts]
        return np.concatenate(means, axis=1)

    def cost(self, reach: float) -> float:
        """Add up the parts."""
        return math.fsum(distribution.cost(weight * reach) for weight, distribution in self.parts)


# exact: a counting formula, or the contour integral of a distribution on a lattice, free of
# approximation. convolution: the distribution of the sum, merged from the distributions of its
# parts. inversion: the whole integral through the saddlepoint, not just its leading term, of a
# distribution treated as continuous: what ranks give exactly the value count half, which the error
# covers.
Method = Literal["exact", "convolution", "inversion"]

LN10 = math.log(10.0)
"""The natural logarithm of 10."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The probability that a random ranker does at least as well: its decimal logarithm.

    The absolute error of `log10` is a bound on rounding and discretisation for ``exact`` and
    ``convolution``; for ``inversion`` it also holds an estimate of what the distribution's
    granularity adds (:mod:`.inversion`), or half the width of a rigorous bracket.
    """

    log10: float
    error: float
    method: Method

    @property
    def probability(self) -> float:
        """10 to the power of `log10`; 0 below the smallest double."""
        return float(10.0**self.log10)

    @classmethod
    def from_log(cls, log: float, error: float, method: Method) -> Tail:
        """Make a tail from the natural logarithm of the probability and its absolute error."""
        return cls(min(log, 0.0) / LN10, _add_rounding(error, log) / LN10, method)

    @classmethod
    def from_complement(
        cls, log: float, error: float, method: Method, most: float | None = None
    ) -> Tail:
        """Make a tail from the natural logarithm of one minus the probability, and its error.

        If the error is large, the complement may be anything from 0 to exp(most); if `most` is
        None, to exp(log + error).
        """
        if log >= 0:  # by rounding: nothing is known but that it is at most 1
            return cls(0.0, math.inf, method)

        error = _add_rounding(error, log)
        tail = math.log1p(-math.exp(log))
        if error < 1:
            return cls(tail / LN10, 2 * math.exp(log - tail) * error / LN10, method)

        if most is None:
            most = log + error

        least = math.log1p(-math.exp(most)) if most < 0 else -math.inf
        return cls(tail / LN10, max(-tail, tail - least) / LN10, method)


def _add_rounding(error: float, log: float) -> float:
    """Return the error of a logarithm after its conversion to another base."""
    return error + 4 * UNIT_ROUNDOFF * (1 + abs(log))
