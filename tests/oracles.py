"""What each constant must be, found by other means than the code under test.

Three kinds: *enumeration* of every rank vector of a small set of tasks, exact in fractions (50 digits where roots
occur); *precise* sums over the tasks at 50 digits, for sets of any size; and formulas of the archive's own files,
written again from their description. Nothing here imports the code that computes moments.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    Sizes = Sequence[int]
    Counts = Mapping[int, int]
    Exact = tuple[Any, Any]
    """Expectation and variance, as fractions or as 50-digit numbers."""

MP = mpmath.MPContext()
MP.dps = 50

DIRECT = 500
"""Largest N whose sums over 1 .. N are formed term by term."""


# Enumeration: one entry a metric family.


def _tally(sizes: Sizes, score: Callable[[int], int], combine: Callable[[Iterable[int]], int]) -> Counter[int]:
    """Count, over every rank vector, what `combine` makes of the scores of its ranks."""
    scores = [[score(rank) for rank in range(1, size + 1)] for size in sizes]
    return Counter(map(combine, itertools.product(*scores)))


def _average(tally: Counter[int], value: Callable[[int], Any]) -> Exact:
    vectors = tally.total()
    mean = sum(times * value(outcome) for outcome, times in tally.items()) / vectors
    return mean, sum(times * (value(outcome) - mean) ** 2 for outcome, times in tally.items()) / vectors


def _enumerate_mean_rank(sizes: Sizes, _: int | None) -> Exact:
    return _average(_tally(sizes, lambda rank: rank, sum), lambda total: Fraction(total, len(sizes)))


def _enumerate_reciprocal_rank(sizes: Sizes, _: int | None) -> Exact:
    common = math.lcm(*range(1, max(sizes) + 1))
    tally = _tally(sizes, lambda rank: common // rank, sum)
    return _average(tally, lambda total: Fraction(total, common * len(sizes)))


def _enumerate_hits(sizes: Sizes, k: int | None) -> Exact:
    assert k is not None
    return _average(_tally(sizes, lambda rank: int(rank <= k), sum), lambda total: Fraction(total, len(sizes)))


def _enumerate_geometric(sizes: Sizes, _: int | None) -> Exact:
    tally = _tally(sizes, lambda rank: rank, math.prod)
    return _average(tally, lambda product: MP.root(MP.mpf(product), len(sizes)))


def _enumerate_inverse_geometric(sizes: Sizes, _: int | None) -> Exact:
    tally = _tally(sizes, lambda rank: rank, math.prod)
    return _average(tally, lambda product: 1 / MP.root(MP.mpf(product), len(sizes)))


ENUMERATED: dict[str, Callable[[Sizes, int | None], Exact]] = {
    "arithmetic_mean_rank": _enumerate_mean_rank,
    "inverse_harmonic_mean_rank": _enumerate_reciprocal_rank,
    "hits_at_k": _enumerate_hits,
    "geometric_mean_rank": _enumerate_geometric,
    "inverse_geometric_mean_rank": _enumerate_inverse_geometric,
}
"""Family to (numbers of candidates, k) -> expectation and variance over all rank vectors."""


# Precise sums: one entry a metric family.


def power_sums(power: Fraction, sizes: Iterable[int]) -> dict[int, Any]:
    """Return N -> sum_{j<=N} j^power at 50 digits.

    Term by term up to :data:`DIRECT`; beyond it as zeta(-power) - zeta(-power, N + 1), or the harmonic number.
    """
    exponent = MP.mpf(power.numerator) / power.denominator
    wanted = set(sizes)
    sums = {}
    total = MP.mpf(0)
    for j in range(1, min(max(wanted), DIRECT) + 1):
        total += MP.exp(exponent * MP.log(j))
        if j in wanted:
            sums[j] = total
    for size in wanted - sums.keys():
        sums[size] = (
            MP.harmonic(size) if power == -1 else MP.zeta(-exponent) - _hurwitz_zeta(-exponent, MP.mpf(size + 1))
        )
    return sums


def _hurwitz_zeta(s: Any, a: Any) -> Any:
    """Return zeta(s, a) for a > 500 from its asymptotic series (DLMF 25.11.43); mpmath's own takes minutes there."""
    total = a ** (1 - s) / (s - 1) + a**-s / 2
    term = s * a ** (-s - 1)
    for k in range(1, 20):
        total += MP.bernoulli(2 * k) / MP.factorial(2 * k) * term
        term *= (s + 2 * k - 1) * (s + 2 * k) / a**2
    return total


def _pool(counts: Counts, mean: Callable[[int], Any], square: Callable[[int], Any]) -> Exact:
    """Average over tasks, given the mean and mean square of one task with N candidates."""
    n = sum(counts.values())
    expectation = sum(c * mean(size) for size, c in counts.items())
    variance = sum(c * (square(size) - mean(size) ** 2) for size, c in counts.items())
    if isinstance(expectation, Fraction):
        return Fraction(expectation, n), Fraction(variance, n * n)
    return expectation / n, variance / n / n


def _sum_mean_rank(counts: Counts, _: int | None) -> Exact:
    return _pool(counts, lambda size: Fraction(size + 1, 2), lambda size: Fraction((size + 1) * (2 * size + 1), 6))


def _sum_reciprocal_rank(counts: Counts, _: int | None) -> Exact:
    once, twice = power_sums(Fraction(-1), counts), power_sums(Fraction(-2), counts)
    return _pool(counts, lambda size: once[size] / size, lambda size: twice[size] / size)


def _sum_hits(counts: Counts, k: int | None) -> Exact:
    assert k is not None
    return _pool(counts, lambda size: Fraction(min(k, size), size), lambda size: Fraction(min(k, size), size))


def _multiply(counts: Counts, sign: int) -> Exact:
    n = sum(counts.values())
    once, twice = power_sums(Fraction(sign, n), counts), power_sums(Fraction(2 * sign, n), counts)
    expectation = MP.exp(sum(c * MP.log(once[size] / size) for size, c in counts.items()))
    second = MP.exp(sum(c * MP.log(twice[size] / size) for size, c in counts.items()))
    return expectation, second - expectation**2


PRECISE: dict[str, Callable[[Counts, int | None], Exact]] = {
    "arithmetic_mean_rank": _sum_mean_rank,
    "inverse_harmonic_mean_rank": _sum_reciprocal_rank,
    "hits_at_k": _sum_hits,
    "geometric_mean_rank": lambda counts, _: _multiply(counts, 1),
    "inverse_geometric_mean_rank": lambda counts, _: _multiply(counts, -1),
}
"""Family to (N -> tasks, k) -> expectation and variance, exact or at 50 digits."""


def absolute_error(got: float, exact: Any) -> float:
    """Return abs(got - exact), formed before any rounding."""
    if isinstance(exact, Fraction):
        return float(abs(Fraction(got) - exact))
    return float(abs(MP.mpf(got) - exact))


def relative_error(got: float, exact: Any) -> float:
    """Return abs(got / exact - 1), formed before any rounding; 0 where both are 0."""
    if exact == 0:
        return 0.0 if got == 0 else math.inf
    return absolute_error(got, exact) / abs(float(exact))


# The metrics themselves, for ranks in plain Python.

EVALUATED: dict[str, Callable[[Sequence[int], int | None], Any]] = {
    "arithmetic_mean_rank": lambda ranks, _: Fraction(sum(ranks), len(ranks)),
    "inverse_harmonic_mean_rank": lambda ranks, _: sum(Fraction(1, rank) for rank in ranks) / len(ranks),
    "hits_at_k": lambda ranks, k: Fraction(sum(rank <= (k or 0) for rank in ranks), len(ranks)),
    "geometric_mean_rank": lambda ranks, _: MP.root(MP.mpf(math.prod(ranks)), len(ranks)),
    "inverse_geometric_mean_rank": lambda ranks, _: 1 / MP.root(MP.mpf(math.prod(ranks)), len(ranks)),
}
"""Family to (ranks, k) -> the metric."""


# The archive's files.


def hash_rows(table: pa.Table) -> str:
    """Hash a table's content: a line of column names, then a line a row; cells are ``repr``, joined by tabs."""
    lines = ["\t".join(table.column_names)]
    lines += ["\t".join(repr(row[name]) for name in table.column_names) for row in table.to_pylist()]
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
