"""What each constant must be, found by other means than the code under test.

Three kinds: *enumeration* of every rank vector of a small set of tasks, exact in fractions (50 digits where roots
occur); *precise* sums over the tasks at 50 digits, for sets of any size; and formulas of the archive's own files,
written again from their description. Nothing here imports the code that computes moments.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
from mpmath.calculus.quadrature import GaussLegendre

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


def _enumerate_inverse_mean(sizes: Sizes, _: int | None) -> Exact:
    return _average(_tally(sizes, lambda rank: rank, sum), lambda total: Fraction(len(sizes), total))


def _enumerate_harmonic(sizes: Sizes, _: int | None) -> Exact:
    common = math.lcm(*range(1, max(sizes) + 1))
    tally = _tally(sizes, lambda rank: common // rank, sum)
    return _average(tally, lambda total: Fraction(common * len(sizes), total))


def _enumerate_quadratic(sizes: Sizes, _: int | None) -> Exact:
    tally = _tally(sizes, lambda rank: rank * rank, sum)
    return _average(tally, lambda total: MP.sqrt(MP.mpf(total) / len(sizes)))


def _enumerate_inverse_quadratic(sizes: Sizes, _: int | None) -> Exact:
    tally = _tally(sizes, lambda rank: rank * rank, sum)
    return _average(tally, lambda total: MP.sqrt(MP.mpf(len(sizes)) / total))


def _enumerate_discounted(sizes: Sizes, _: int | None) -> Exact:
    # Ranks as digits of a number, so that equal multisets of ranks are tallied together.
    base = len(sizes) + 1
    tally = _tally(sizes, lambda rank: base**rank, sum)

    def value(outcome: int) -> Any:
        total = MP.mpf(0)
        for rank in range(max(sizes) + 1):
            total += outcome // base**rank % base * MP.log(2) / MP.log(1 + rank) if rank else 0
        return total / len(sizes)

    return _average(tally, value)


def _enumerate_cut_off(term: Callable[[int], Any]) -> Callable[[Sizes, int | None], Exact]:
    """Every rank vector, written out: only up to some thousands."""

    def enumerate_vectors(sizes: Sizes, k: int | None) -> Exact:
        assert k is not None
        values = {rank: term(rank) if rank <= k else 0 for rank in range(1, max(sizes) + 1)}
        # Ranks beyond k count alike.
        base = len(sizes) + 1
        tally = _tally(sizes, lambda rank: base ** min(rank, k + 1), sum)

        def value(outcome: int) -> Any:
            counts = (outcome // base**rank % base for rank in range(1, min(k, max(sizes)) + 1))
            return sum((times * values[rank] for rank, times in enumerate(counts, start=1)), values[1] * 0) / len(sizes)

        return _average(tally, value)

    return enumerate_vectors


def _enumerate_variance(sizes: Sizes, _: int | None) -> Exact:
    n = len(sizes)
    outcomes = Counter((sum(v), sum(r * r for r in v)) for v in itertools.product(*(range(1, s + 1) for s in sizes)))
    vectors = outcomes.total()
    values = {outcome: Fraction(outcome[1], n) - Fraction(outcome[0], n) ** 2 for outcome in outcomes}
    mean = sum(times * values[outcome] for outcome, times in outcomes.items()) / vectors
    return mean, sum(times * (values[outcome] - mean) ** 2 for outcome, times in outcomes.items()) / vectors


def _enumerate_deviation(sizes: Sizes, _: int | None) -> Exact:
    n = len(sizes)
    outcomes = Counter((sum(v), sum(r * r for r in v)) for v in itertools.product(*(range(1, s + 1) for s in sizes)))
    tally: Counter[int] = Counter()
    for (total, squares), times in outcomes.items():
        tally[n * squares - total**2] += times
    return _average(tally, lambda outcome: MP.sqrt(outcome) / n)


def _enumerate_median(sizes: Sizes, _: int | None) -> Exact:
    medians = Counter(map(_double_median, itertools.product(*(range(1, size + 1) for size in sizes))))
    return _average(medians, lambda double: Fraction(double, 2))


def _enumerate_inverse_median(sizes: Sizes, _: int | None) -> Exact:
    medians = Counter(map(_double_median, itertools.product(*(range(1, size + 1) for size in sizes))))
    return _average(medians, lambda double: Fraction(2, double))


def _double_median(ranks: Sequence[int]) -> int:
    ordered = sorted(ranks)
    return ordered[(len(ranks) - 1) // 2] + ordered[len(ranks) // 2]


MP_QUARTILE = MP.sqrt(2) * MP.erfinv(MP.mpf(1) / 2)
"""The upper quartile of the standard normal law."""


def _enumerate_median_deviation(sizes: Sizes, _: int | None) -> Exact:
    deviations = Counter(map(_fourfold_deviation, itertools.product(*(range(1, size + 1) for size in sizes))))
    return _average(deviations, lambda fourfold: MP.mpf(fourfold) / 4 / MP_QUARTILE)


def _fourfold_deviation(ranks: Sequence[int]) -> int:
    double = _double_median(ranks)
    return _double_median([abs(2 * rank - double) for rank in ranks])


ENUMERATED: dict[str, Callable[[Sizes, int | None], Exact]] = {
    "arithmetic_mean_rank": _enumerate_mean_rank,
    "inverse_harmonic_mean_rank": _enumerate_reciprocal_rank,
    "hits_at_k": _enumerate_hits,
    "geometric_mean_rank": _enumerate_geometric,
    "inverse_geometric_mean_rank": _enumerate_inverse_geometric,
    "inverse_arithmetic_mean_rank": _enumerate_inverse_mean,
    "harmonic_mean_rank": _enumerate_harmonic,
    "quadratic_mean_rank": _enumerate_quadratic,
    "inverse_quadratic_mean_rank": _enumerate_inverse_quadratic,
    "median_rank": _enumerate_median,
    "inverse_median_rank": _enumerate_inverse_median,
    "ndcg": _enumerate_discounted,
    "inverse_harmonic_mean_rank_at_k": _enumerate_cut_off(lambda rank: Fraction(1, rank)),
    "ndcg_at_k": _enumerate_cut_off(lambda rank: MP.log(2) / MP.log(1 + rank)),
    "variance": _enumerate_variance,
    "standard_deviation": _enumerate_deviation,
    "median_absolute_deviation": _enumerate_median_deviation,
    "count": lambda sizes, _: (Fraction(len(sizes)), Fraction(0)),
}
"""Family to (numbers of candidates, k) -> expectation and variance over all rank vectors."""


# Precise sums: one entry a metric family.


def power_sums(power: Fraction, sizes: Iterable[int]) -> dict[int, Any]:
    """Return N -> sum_{j<=N} j^power at 50 digits.

    Term by term up to :data:`DIRECT`; beyond it as zeta(-power) - zeta(-power, N + 1), or the harmonic number.
    """
    wanted = set(sizes)
    first = _first_power_sums(power, min(max(wanted), DIRECT))
    return {size: first[size] if size < len(first) else _later_power_sum(power, size) for size in wanted}


@functools.cache
def _log(j: int) -> Any:
    return MP.log(j)


@functools.lru_cache(64)
def _first_power_sums(power: Fraction, last: int) -> list[Any]:
    """Return the sums for N = 0 .. last, term by term."""
    exponent = MP.mpf(power.numerator) / power.denominator
    return list(itertools.accumulate((MP.exp(exponent * _log(j)) for j in range(1, last + 1)), initial=MP.mpf(0)))


@functools.cache
def _later_power_sum(power: Fraction, size: int) -> Any:
    if power == -1:
        return MP.harmonic(size)
    exponent = MP.mpf(power.numerator) / power.denominator
    return _zeta(-exponent) - _hurwitz_zeta(-exponent, MP.mpf(size + 1))


@functools.lru_cache(64)
def _zeta(s: Any) -> Any:
    return MP.zeta(s)


@functools.cache
def _series_weight(k: int) -> Any:
    """Return B_2k / (2k)!."""
    return MP.bernoulli(2 * k) / MP.factorial(2 * k)


def _hurwitz_zeta(s: Any, a: Any) -> Any:
    """Return zeta(s, a) for a > 500 from its asymptotic series (DLMF 25.11.43); mpmath's own takes minutes there."""
    total = a ** (1 - s) / (s - 1) + a**-s / 2
    term = s * a ** (-s - 1)
    for k in range(1, 20):
        total += _series_weight(k) * term
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


def _sum_discounted(counts: Counts, _: int | None) -> Exact:
    once = {size: _gain_sum(size, 1) for size in counts}
    twice = {size: _gain_sum(size, 2) for size in counts}
    return _pool(counts, lambda size: once[size] / size, lambda size: twice[size] / size)


@functools.cache
def _gain_sum(size: int, power: int) -> Any:
    """Return sum_{j<=size} log2(1 + j)^-power: term by term, then Euler-Maclaurin with the logarithmic integral."""
    if size <= DIRECT:
        return _first_gain_sums(power)[size]
    return _first_gain_sums(power)[DIRECT] + _gain_ends(size, power) - _gain_ends(DIRECT, power)


@functools.cache
def _first_gain_sums(power: int) -> list[Any]:
    """Return the sums for N = 0 .. DIRECT, term by term."""
    return list(itertools.accumulate((_gain(j, power) for j in range(1, DIRECT + 1)), initial=MP.mpf(0)))


def _gain(x: Any, power: int) -> Any:
    return (MP.log(2) / MP.log(1 + x)) ** power


@functools.cache
def _gain_ends(x: int, power: int) -> Any:
    """Return what one end of the sum contributes to Euler and Maclaurin's formula."""
    y = MP.mpf(1 + x)
    integral = MP.log(2) * MP.li(y) if power == 1 else MP.log(2) ** 2 * (MP.li(y) - y / MP.log(y))
    total = integral + _gain(x, power) / 2
    for k in range(1, 6):
        total += _series_weight(k) * MP.diff(lambda at: _gain(at, power), x, 2 * k - 1)
    return total


def _sum_cut_off(term: Callable[[int], Any]) -> Callable[[Counts, int | None], Exact]:
    # Sums over ranks up to 0, 1, 2, ..., as far as they were asked for.
    once, twice = [term(1) * 0], [term(1) * 0]

    def add_up(counts: Counts, k: int | None) -> Exact:
        assert k is not None
        last = min(k, max(counts))
        for rank in range(len(once), last + 1):
            value = term(rank)
            once.append(once[-1] + value)
            twice.append(twice[-1] + value**2)
        return _pool(counts, lambda size: once[min(size, last)] / size, lambda size: twice[min(size, last)] / size)

    return add_up


def _sum_variance(counts: Counts, _: int | None) -> Exact:
    """V = S2/n - (S1/n)^2 for the sums S1 of the ranks and S2 of their squares, by joint cumulants, which add up."""
    n = sum(counts.values())
    first, second, third, fourth = (Fraction(0),) * 4
    square, both, mixed, squares = (Fraction(0),) * 4
    for size, c in counts.items():
        r1, r2 = Fraction(size + 1, 2), Fraction((size + 1) * (2 * size + 1), 6)
        r3 = Fraction(size * (size + 1) ** 2, 4)
        r4 = Fraction((size + 1) * (2 * size + 1) * (3 * size * size + 3 * size - 1), 30)
        first += c * r1
        second += c * (r2 - r1**2)
        third += c * (r3 - 3 * r2 * r1 + 2 * r1**3)
        fourth += c * (r4 - 4 * r3 * r1 - 3 * r2**2 + 12 * r2 * r1**2 - 6 * r1**4)
        square += c * r2
        both += c * (r3 - r2 * r1)
        mixed += c * (r4 - 2 * r3 * r1 - r2**2 + 2 * r2 * r1**2)
        squares += c * (r4 - r2**2)
    expectation = square / n - (second + first**2) / n**2
    spread_of_square = fourth + 4 * third * first + 2 * second**2 + 4 * second * first**2
    variance = squares / n**2 - 2 * (mixed + 2 * both * first) / n**3 + spread_of_square / n**4
    return expectation, variance


PRECISE: dict[str, Callable[[Counts, int | None], Exact]] = {
    "arithmetic_mean_rank": _sum_mean_rank,
    "inverse_harmonic_mean_rank": _sum_reciprocal_rank,
    "hits_at_k": _sum_hits,
    "geometric_mean_rank": lambda counts, _: _multiply(counts, 1),
    "inverse_geometric_mean_rank": lambda counts, _: _multiply(counts, -1),
    "ndcg": _sum_discounted,
    "inverse_harmonic_mean_rank_at_k": _sum_cut_off(lambda rank: 1 / MP.mpf(rank)),
    "ndcg_at_k": _sum_cut_off(lambda rank: MP.log(2) / MP.log(1 + rank)),
    "variance": _sum_variance,
    "count": lambda counts, _: (Fraction(sum(counts.values())), Fraction(0)),
}
"""Family with a closed form to (N -> tasks, k) -> expectation and variance, exact or at 50 digits."""


# Transforms at 50 digits: one entry for each metric that is a power of a sum.

POWERS: dict[str, tuple[int, Fraction]] = {
    "inverse_arithmetic_mean_rank": (1, Fraction(-1)),
    "harmonic_mean_rank": (-1, Fraction(-1)),
    "quadratic_mean_rank": (2, Fraction(1, 2)),
    "inverse_quadratic_mean_rank": (2, Fraction(-1, 2)),
}
"""Family to (q, a): the metric is ((1/n) sum r^q)^a."""

ORDERED = ("median_rank", "inverse_median_rank")
"""Families of order statistics; their oracles beyond enumeration are in test_median.py."""

DISPERSIONS = ("standard_deviation",)
"""Families whose moments come from a series or an integral of their own; their oracles are in test_deviation.py."""

SAMPLED = ("median_absolute_deviation",)
"""Families whose moments come from random rankings; their oracles are in test_median_deviation.py."""


_RULE = GaussLegendre(MP)


def integrate(function: Callable[[Any], Any], cuts: Sequence[float]) -> Any:
    """Add up Gauss and Legendre's rule of 24 nodes over each panel between two cuts."""
    panels = itertools.pairwise(map(MP.mpf, cuts))
    return MP.fsum(weight * function(x) for a, b in panels for x, weight in _RULE.get_nodes(a, b, 4, MP.prec))


def transform_moments(family: str, counts: Counts) -> Exact:
    """Return the moments of a power of a sum by quadrature of its Laplace transform; for N of some dozens."""
    exponent, power = POWERS[family]
    n = sum(counts.values())
    scores = [MP.mpf(rank) ** exponent for rank in range(1, max(counts) + 1)]
    mean = sum(c * MP.fsum(scores[:size]) / size for size, c in counts.items())

    # Both moments are integrals of the same transform, with the same nodes.
    @functools.cache
    def transform(t: Any, order: int) -> Any:
        """Return the integrand's L(t) for order 0, -L'(t) for order 1."""
        log, slope, total, weighted = (MP.mpf(0),) * 4
        for size, score in enumerate(scores, start=1):
            term = MP.exp(-t * score)
            total += term
            weighted += score * term
            if size in counts:
                log += counts[size] * MP.log(total / size)
                slope += counts[size] * weighted / total
        return MP.exp(log) * (slope if order else 1)

    def moment(a: Fraction) -> Any:
        b, order = (-a, 0) if a < 0 else (1 - a, 1)
        exact = MP.mpf(b.numerator) / b.denominator
        # t = s^2/E[S] takes the root out of the integrand at 0.
        integrand = lambda s: 2 * s ** (2 * exact - 1) * transform(s * s / mean, order)  # noqa: E731
        value = integrate(integrand, [0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 100]) / MP.gamma(exact)
        return value * mean ** (-exact)

    scale = MP.mpf(n) ** (-MP.mpf(power.numerator) / power.denominator)
    first = moment(power)
    second = mean if 2 * power == 1 else moment(2 * power)
    return scale * first, scale**2 * (second - first**2)


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


def optimum_of(metric: Any, num_tasks: int) -> float:
    """Return what a perfect ranker gets: the catalogue's optimum, or the number of ranks, which all get."""
    return float(num_tasks) if metric.optimum is None else float(metric.optimum)


def differing_rows(ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the pairs of rows of constants or candidates that differ.

    Two machines' logarithms differ in the last bits, so expectations and variances may differ by their stated errors.
    Of sampled rows only keys are compared: how many draws they rest on is the tests' own choice.
    """
    if len(ours) != len(theirs):
        return [(len(ours), len(theirs))]
    return [(one, other) for one, other in zip(ours, theirs, strict=True) if not _same_row(one, other)]


def _same_row(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    estimated = {"expectation", "variance", "expectation_error", "variance_error", "num_draws"}
    if any(one[name] != other[name] for name in one.keys() - estimated):
        return False
    if one.get("method") in {None, "sampled"}:
        return True
    return all(
        abs(one[name] - other[name]) <= one[f"{name}_error"] + other[f"{name}_error"]
        for name in ("expectation", "variance")
    )


# The metrics themselves, for ranks in plain Python.

EVALUATED: dict[str, Callable[[Sequence[int], int | None], Any]] = {
    "arithmetic_mean_rank": lambda ranks, _: Fraction(sum(ranks), len(ranks)),
    "inverse_harmonic_mean_rank": lambda ranks, _: sum(Fraction(1, rank) for rank in ranks) / len(ranks),
    "hits_at_k": lambda ranks, k: Fraction(sum(rank <= (k or 0) for rank in ranks), len(ranks)),
    "geometric_mean_rank": lambda ranks, _: MP.root(MP.mpf(math.prod(ranks)), len(ranks)),
    "inverse_geometric_mean_rank": lambda ranks, _: 1 / MP.root(MP.mpf(math.prod(ranks)), len(ranks)),
    "inverse_arithmetic_mean_rank": lambda ranks, _: Fraction(len(ranks), sum(ranks)),
    "harmonic_mean_rank": lambda ranks, _: len(ranks) / sum(Fraction(1, rank) for rank in ranks),
    "quadratic_mean_rank": lambda ranks, _: MP.sqrt(MP.mpf(sum(r * r for r in ranks)) / len(ranks)),
    "inverse_quadratic_mean_rank": lambda ranks, _: MP.sqrt(MP.mpf(len(ranks)) / sum(r * r for r in ranks)),
    "median_rank": lambda ranks, _: Fraction(_double_median(ranks), 2),
    "inverse_median_rank": lambda ranks, _: Fraction(2, _double_median(ranks)),
    "ndcg": lambda ranks, _: MP.fsum(MP.log(2) / MP.log(1 + r) for r in ranks) / len(ranks),
    "inverse_harmonic_mean_rank_at_k": lambda ranks, k: (
        sum((Fraction(1, rank) for rank in ranks if rank <= (k or 0)), Fraction(0)) / len(ranks)
    ),
    "ndcg_at_k": lambda ranks, k: MP.fsum(MP.log(2) / MP.log(1 + r) for r in ranks if r <= (k or 0)) / len(ranks),
    "variance": lambda ranks, _: (
        Fraction(sum(r * r for r in ranks), len(ranks)) - Fraction(sum(ranks), len(ranks)) ** 2
    ),
    "standard_deviation": lambda ranks, _: (
        MP.sqrt(len(ranks) * sum(r * r for r in ranks) - sum(ranks) ** 2) / len(ranks)
    ),
    "count": lambda ranks, _: Fraction(len(ranks)),
    "median_absolute_deviation": lambda ranks, _: MP.mpf(_fourfold_deviation(ranks)) / 4 / MP_QUARTILE,
}
"""Family to (ranks, k) -> the metric."""


# The archive's files.


def lines_of(table: pa.Table) -> list[str]:
    """Return a table as text: a line of column names, then a line a row; cells are ``repr``, joined by tabs."""
    cells = [map(repr, column.to_pylist()) for column in table.columns]
    return ["\t".join(table.column_names), *map("\t".join, zip(*cells, strict=True))]


def hash_lines(lines: Sequence[str]) -> str:
    """Hash what :func:`lines_of` returns: the hash of a table's content."""
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
