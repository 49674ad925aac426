"""What each constant must be, found by other means than the code under test.

Three kinds: *enumeration* of every rank vector of a small set of tasks, exact in fractions (50
digits where roots occur); *precise* sums over the tasks at 50 digits, for sets of any size; and
formulas of the archive's own files, written again from their description. Nothing here imports the
code that computes moments.
"""

from __future__ import annotations

import bisect
import functools
import hashlib
import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
from mpmath.calculus.quadrature import GaussLegendre

from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from rankconst.moments import Moments

    Sizes = Sequence[int]
    Weights = Sequence[int | Fraction]
    Counts = Mapping[int, int]
    Exact = tuple[Any, Any]
    """Expectation and variance, as fractions or as 50-digit numbers."""

MP = mpmath.MPContext()
MP.dps = 50

DIRECT = 500
"""Largest N whose sums over 1 .. N are formed term by term."""


# The metrics themselves, for ranks in plain Python.

MP_QUARTILE = MP.sqrt(2) * MP.erfinv(MP.mpf(1) / 2)
"""The upper quartile of the standard normal distribution."""


@functools.cache
def _log(j: int) -> Any:
    return MP.log(j)


def _average(values: Iterable[Any], weights: Weights | None) -> Any:
    """Return the mean of fractions, or of 50-digit numbers, by weight."""
    values = list(values)
    if weights is None:
        total = sum(values[1:], values[0])
        return Fraction(total, len(values)) if isinstance(total, int) else total / len(values)
    if isinstance(values[0], int | Fraction):
        return sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0)) / sum(
            weights
        )
    shares = [
        MP.mpf(w.numerator) / w.denominator for w in (Fraction(w) / sum(weights) for w in weights)
    ]
    return MP.fsum(w * v for w, v in zip(shares, values, strict=True))


def to_mp(value: Any) -> Any:
    return MP.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def _double_median(values: Sequence[int], weights: Weights | None) -> int:
    """Return the sum of the values below and above which half of the weight lies."""
    if weights is None:
        ordered = sorted(values)
        return ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]
    pairs = sorted(zip(values, weights, strict=True))
    below = [*itertools.accumulate(Fraction(weight) for _, weight in pairs)]
    half = below[-1] / 2
    return pairs[bisect.bisect_left(below, half)][0] + pairs[bisect.bisect_right(below, half)][0]


def _fourfold_deviation(ranks: Sequence[int], weights: Weights | None) -> int:
    double = _double_median(ranks, weights)
    return _double_median([abs(2 * rank - double) for rank in ranks], weights)


def _vary(ranks: Sequence[int], weights: Weights | None) -> Fraction:
    spread: Fraction = (
        _average([rank * rank for rank in ranks], weights) - _average(ranks, weights) ** 2
    )
    return spread


def _mean_of(score: Callable[[int, int], Any]) -> Callable[..., Any]:
    return lambda ranks, k=None, weights=None: _average(
        [score(rank, k or 0) for rank in ranks], weights
    )


def _made_of(
    statistic: Callable[[Sequence[int], Weights | None], Any], make: Callable[[Any], Any]
) -> Callable[..., Any]:
    return lambda ranks, _=None, weights=None: make(statistic(ranks, weights))


def _average_logs(ranks: Sequence[int], weights: Weights | None) -> Any:
    return _average(map(_log, ranks), weights)


def _average_squares(ranks: Sequence[int], weights: Weights | None) -> Any:
    return _average([rank * rank for rank in ranks], weights)


def _average_reciprocals(ranks: Sequence[int], weights: Weights | None) -> Any:
    return _average([Fraction(1, rank) for rank in ranks], weights)


EVALUATED: dict[str, Callable[..., Any]] = {
    "arithmetic_mean_rank": _mean_of(lambda rank, _: rank),
    "inverse_harmonic_mean_rank": _mean_of(lambda rank, _: Fraction(1, rank)),
    "hits_at_k": _mean_of(lambda rank, k: int(rank <= k)),
    "geometric_mean_rank": _made_of(_average_logs, MP.exp),
    "inverse_geometric_mean_rank": _made_of(_average_logs, lambda log: MP.exp(-log)),
    "inverse_arithmetic_mean_rank": _made_of(_average, lambda mean: 1 / mean),
    "harmonic_mean_rank": _made_of(_average_reciprocals, lambda mean: 1 / mean),
    "quadratic_mean_rank": _made_of(_average_squares, lambda mean: MP.sqrt(to_mp(mean))),
    "inverse_quadratic_mean_rank": _made_of(_average_squares, lambda mean: 1 / MP.sqrt(to_mp(mean))),
    "median_rank": _made_of(_double_median, lambda double: Fraction(double, 2)),
    "inverse_median_rank": _made_of(_double_median, lambda double: Fraction(2, double)),
    "ndcg": _mean_of(lambda rank, _: _log(2) / _log(1 + rank)),
    "inverse_harmonic_mean_rank_at_k": _mean_of(lambda rank, k: Fraction(rank <= k, rank)),
    "ndcg_at_k": _mean_of(lambda rank, k: (rank <= k) * _log(2) / _log(1 + rank)),
    "variance": _made_of(_vary, lambda variance: variance),
    "standard_deviation": _made_of(_vary, lambda variance: MP.sqrt(to_mp(variance))),
    "count": lambda ranks, _=None, weights=None: Fraction(sum(weights or [1] * len(ranks))),
    "median_absolute_deviation": _made_of(_fourfold_deviation, lambda fourfold: MP.mpf(fourfold) / 4 / MP_QUARTILE),
}  # fmt: skip
"""Family to (ranks, k, weights) -> the metric."""


# Enumeration.


@functools.lru_cache(2)
def _count_outcomes(blocks: tuple[tuple[int, int], ...], alike: bool) -> Counter[tuple[int, ...]]:
    """Count the rank vectors; if tasks count alike, those that are permutations of each other
    together.
    """
    vectors = itertools.product(*(range(offset + 1, offset + size + 1) for offset, size in blocks))
    return Counter(tuple(sorted(ranks)) if alike else ranks for ranks in vectors)


def enumerate_moments(
    family: str,
    sizes: Sizes,
    k: int | None = None,
    offsets: Sequence[int] | None = None,
    weights: Weights | None = None,
) -> Exact:
    """Return expectation and variance of a metric over all rank vectors."""
    outcomes = _count_outcomes(
        (*zip(offsets or [0] * len(sizes), sizes, strict=True),), weights is None
    )
    values = [(EVALUATED[family](ranks, k, weights), times) for ranks, times in outcomes.items()]
    if len({value.denominator for value, _ in values if isinstance(value, Fraction)}) > len(sizes):
        # Fractions without a common denominator grow with every sum: 50 digits will do.
        values = [(to_mp(value), times) for value, times in values]
    distribution: Counter[Any] = Counter()
    for value, times in values:
        distribution[value] += times
    return moments_of(distribution)


def enumerate_distribution(
    tasks: Iterable[tuple[int, int, Fraction | int]], term: Callable[[int], Fraction]
) -> dict[Fraction, Fraction]:
    """Return the chance of each value of a mean over tasks of some size, offset and weight."""
    listed = list(tasks)
    total = sum(weight for _, _, weight in listed)
    distribution = {Fraction(0): Fraction(1)}
    for size, offset, weight in listed:
        grown: dict[Fraction, Fraction] = {}
        steps = [weight * term(rank) / total for rank in range(offset + 1, offset + size + 1)]
        for (value, chance), step in itertools.product(distribution.items(), steps):
            grown[value + step] = grown.get(value + step, Fraction(0)) + chance / size
        distribution = grown
    return distribution


def moments_of(distribution: Mapping[Any, Any]) -> Exact:
    """Return expectation and variance of a distribution: value to its chance, or how often it comes."""
    total = sum(distribution.values())
    mean = sum(value * chance for value, chance in distribution.items()) / total
    return mean, sum((value - mean) ** 2 * chance for value, chance in distribution.items()) / total


# Precise sums: one entry a metric family.


def power_sums(power: Fraction, sizes: Iterable[int]) -> dict[int, Any]:
    """Return N -> sum_{j<=N} j^power at 50 digits.

    Term by term up to :data:`DIRECT`; beyond it as zeta(-power) - zeta(-power, N + 1), or the
    harmonic number.
    """
    wanted = set(sizes)
    first = _first_power_sums(power, min(max(wanted), DIRECT))
    return {
        size: first[size] if size < len(first) else _later_power_sum(power, size) for size in wanted
    }


@functools.lru_cache(64)
def _first_power_sums(power: Fraction, last: int) -> list[Any]:
    """Return the sums for N = 0 .. last, term by term."""
    exponent = MP.mpf(power.numerator) / power.denominator
    return list(
        itertools.accumulate(
            (MP.exp(exponent * _log(j)) for j in range(1, last + 1)), initial=MP.mpf(0)
        )
    )


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
    """Return zeta(s, a) for a > 500 from its asymptotic series (DLMF 25.11.43); mpmath's own takes
    minutes there.
    """
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
    return _pool(
        counts,
        lambda size: Fraction(size + 1, 2),
        lambda size: Fraction((size + 1) * (2 * size + 1), 6),
    )


def _sum_reciprocal_rank(counts: Counts, _: int | None) -> Exact:
    once, twice = power_sums(Fraction(-1), counts), power_sums(Fraction(-2), counts)
    return _pool(counts, lambda size: once[size] / size, lambda size: twice[size] / size)


def _sum_hits(counts: Counts, k: int | None) -> Exact:
    assert k is not None
    return _pool(
        counts, lambda size: Fraction(min(k, size), size), lambda size: Fraction(min(k, size), size)
    )


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
    """Return sum_{j<=size} log2(1 + j)^-power: term by term, then Euler-Maclaurin with the
    logarithmic integral.
    """
    if size <= DIRECT:
        return _first_gain_sums(power)[size]
    return _first_gain_sums(power)[DIRECT] + _gain_ends(size, power) - _gain_ends(DIRECT, power)


@functools.cache
def _first_gain_sums(power: int) -> list[Any]:
    """Return the sums for N = 0 .. DIRECT, term by term."""
    return list(
        itertools.accumulate((_gain(j, power) for j in range(1, DIRECT + 1)), initial=MP.mpf(0))
    )


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
        return _pool(
            counts,
            lambda size: once[min(size, last)] / size,
            lambda size: twice[min(size, last)] / size,
        )

    return add_up


def _sum_variance(counts: Counts, _: int | None) -> Exact:
    """V = S2/n - (S1/n)^2 for the sums S1 of the ranks and S2 of their squares, by joint cumulants,
    which add up.
    """
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
"""Family with a closed form to (N -> tasks, k) -> expectation and variance, exact or at 50 digits.
"""


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
"""Families whose moments come from a series or an integral of their own; their oracles are in
test_deviation.py.
"""

SAMPLED = ("median_absolute_deviation",)
"""Families whose moments come from random rankings; their oracles are in test_median_deviation.py.
"""


_RULE = GaussLegendre(MP)


def integrate(function: Callable[[Any], Any], cuts: Sequence[float]) -> Any:
    """Add up Gauss and Legendre's rule of 24 nodes over each panel between two cuts."""
    panels = itertools.pairwise(map(MP.mpf, cuts))
    return MP.fsum(
        weight * function(x) for a, b in panels for x, weight in _RULE.get_nodes(a, b, 4, MP.prec)
    )


def transform_moments(family: str, counts: Counts) -> Exact:
    """Return the moments of a power of a sum by quadrature of its Laplace transform; for N of some
    dozens.
    """
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
        value = integrate(integrand, [0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 100]) / MP.gamma(
            exact
        )
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


def histogram_of(counts: Counts) -> Histogram:
    """Return the histogram of N -> tasks."""
    return Histogram.from_counts([*counts], [*counts.values()])


def assert_within(
    moments: Moments, exact: Exact, room: float = 1.0, slack: tuple[float, float] = (0.0, 0.0)
) -> None:
    """Demand the stated errors, `room` of them if they are standard errors."""
    assert (
        absolute_error(moments.expectation, exact[0]) <= room * moments.expectation_error + slack[0]
    )
    assert absolute_error(moments.variance, exact[1]) <= room * moments.variance_error + slack[1]


def check_numerical(
    moments: Moments, exact: Exact, accuracy: tuple[float, float], noise: float = 0.0
) -> None:
    """Demand that errors hold, up to an oracle's relative `noise`, and that they are small enough."""
    assert moments.method == "numerical"
    for value, error, truth, goal in (
        (moments.expectation, moments.expectation_error, exact[0], accuracy[0]),
        (moments.variance, moments.variance_error, exact[1], accuracy[1]),
    ):
        assert error <= goal * float(truth)
        assert absolute_error(value, truth) <= error + noise * float(truth)


def assert_alike(one: Moments, other: Moments, room: float = 1.0) -> None:
    """Demand that two computations of the same moments differ by no more than their errors."""
    assert abs(one.expectation - other.expectation) <= room * (
        one.expectation_error + other.expectation_error
    )
    assert abs(one.variance - other.variance) <= room * (one.variance_error + other.variance_error)


TERMS: dict[str, Callable[[int | Fraction], Fraction]] = {
    "mr": Fraction,
    "mrr": lambda rank: 1 / Fraction(rank),
    "hits@1": lambda rank: Fraction(rank <= 1),
    "hits@2": lambda rank: Fraction(rank <= 2),
    "hits@3": lambda rank: Fraction(rank <= 3),
    "ndcg": lambda rank: Fraction(math.log(2) / math.log(1 + rank)),  # the only one that is no fraction
}  # fmt: skip
"""What a task adds to a mean over tasks, by its rank."""


def optimum_of(metric: Any, num_tasks: int) -> float:
    """Return what a perfect ranker gets: the catalogue's optimum, or the number of ranks, which all
    get.
    """
    return float(num_tasks) if metric.optimum is None else float(metric.optimum)


def differing_rows(
    ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]]
) -> list[Any]:
    """Return the pairs of rows of constants or candidates that differ.

    Two machines' logarithms differ in the last bits, so expectations and variances may differ by
    their stated errors. Of sampled rows only keys are compared: how many draws they rest on is the
    tests' own choice.
    """
    if len(ours) != len(theirs):
        return [(len(ours), len(theirs))]
    return [
        (one, other) for one, other in zip(ours, theirs, strict=True) if not _same_row(one, other)
    ]


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


# The archive's files.


def lines_of(table: pa.Table) -> list[str]:
    """Return a table as text: a line of column names, then a line a row; cells are ``repr``, joined
    by tabs.
    """
    cells = [map(repr, column.to_pylist()) for column in table.columns]
    return ["\t".join(table.column_names), *map("\t".join, zip(*cells, strict=True))]


def hash_lines(lines: Sequence[str]) -> str:
    """Hash what :func:`lines_of` returns: the hash of a table's content."""
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
