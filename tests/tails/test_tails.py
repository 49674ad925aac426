"""Tail probabilities, against exact fractions, whole-number polynomials and other contours."""

import dataclasses
import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carried import open_once
from cases import choose, for_each, take_turns
from oracles import TERMS, enumerate_distribution, histogram_of
from rankconst.catalogue.metrics import CATALOGUE, Metric, parse_metric
from rankconst.errors import DataError, UndefinedError, UnknownNameError
from rankconst.moments import compute_moments
from rankconst.tails import explain_lack, inversion, tail_probabilities, tail_probability
from rankconst.tails.distributions import (
    LogRankDistribution,
    RankDistribution,
    ReciprocalDistribution,
    SumDistribution,
    Tail,
)
from rankconst.tails.inversion import _BETA, _window, invert
from rankconst.tasks import Histogram

Exact = dict[Fraction, Fraction]

SMALL = [
    (1,), (2,), (3,), (8,), (1, 1), (1, 2), (2, 2), (7, 8), (8, 8), (1, 4, 8), (3, 3, 3), (5, 6, 7), (2, 2, 5, 5),
    (1, 1, 1, 8), (4, 4, 4, 4), (8, 7, 6, 5), (2, 3, 4, 5, 6), (1, 1, 2, 7, 7), (2, 2, 2, 2, 2, 2), (13, 14, 14),
    (1, 2, 3, 4, 5, 6), (2, 2, 3, 3, 8, 8), (1, 8, 8, 7, 2, 1), (1, 1, 1, 1, 1, 1),
]  # fmt: skip

# Of GMR a product of ranks stands for the sum of logarithms.
METRICS = ("mr", "mrr", "hits@1", "hits@3", "gmr")


def _enumerate(name: str, counts: tuple[int, ...]) -> Exact:
    if name != "gmr":
        sign = -1 if name == "mr" else 1
        distribution = enumerate_distribution([(size, 0, 1) for size in counts], TERMS[name])
        return {sign * value * len(counts): chance for value, chance in distribution.items()}
    products = Counter(map(math.prod, itertools.product(*(range(1, n + 1) for n in counts))))
    return {Fraction(v): Fraction(times, products.total()) for v, times in products.items()}


def _log10(p: Fraction) -> float:
    if p > Fraction(1, 2):
        return math.log1p(-float(1 - p)) / math.log(10)
    return (math.log(p.numerator) - math.log(p.denominator)) / math.log(10)


def _covers(tail: Tail, truth: float) -> bool:
    return abs(tail.log10 - truth) <= tail.error


def _cumulated(name: str, counts: tuple[int, ...]) -> list[tuple[Fraction, Fraction]]:
    """Sums, best first, each with the chance of doing at least as well."""
    distribution = _enumerate(name, counts)
    total, found = Fraction(0), []
    for value in sorted(distribution, reverse=name != "gmr"):
        total += distribution[value]
        found.append((value, total))
    return found


def _observed(name: str, value: Fraction, n: int) -> float:
    return float(value) ** (1 / n) if name == "gmr" else float(abs(value) / n)


@pytest.mark.slow
@for_each("counts", SMALL)
@for_each("name", METRICS)
def test_every_value_of_small_histograms_is_exact(name: str, counts: tuple[int, ...]) -> None:
    metric, histogram = parse_metric(name), Histogram.from_counts(counts)
    cumulated = _cumulated(name, counts)
    for value, chance in cumulated[:: max(1, len(cumulated) // choose(8, 40))]:
        tail = tail_probability(metric, histogram, _observed(name, value, len(counts)))
        truth = _log10(chance)
        assert abs(tail.log10 - truth) <= min(tail.error, 1e-13 * (1 + abs(truth)))
        assert tail.method != "inversion"
        assert tail.error < 1e-12


def _sum_distribution(name: str, histogram: Histogram) -> SumDistribution:
    distributions: dict[str, Callable[[Histogram], SumDistribution]] = {
        "mr": RankDistribution, "mrr": ReciprocalDistribution, "gmr": LogRankDistribution,
    }  # fmt: skip
    return distributions[name](histogram)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "counts"),
    take_turns(
        ["mr", "mrr", "gmr"], [(2, 5), (4, 4, 4), (2, 3, 4, 5, 6), (3, 9, 11), (12, 12, 7, 5, 2)]
    ),
    ids=str,
)
def test_integral_covers_the_coarsest_distributions(
    name: str, counts: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tasks have atoms, not a density: the integral must say how little it knows."""
    distribution = _sum_distribution(name, Histogram.from_counts(counts))
    span, cumulated = distribution.span, _cumulated(name, counts)
    step = max(1, len(cumulated) // choose(3, 6))
    for place, (value, chance) in enumerate(cumulated[1:-1:step]):
        if place == 2:  # two values have all that it may spend
            monkeypatch.setattr(inversion, "_BUDGET", inversion._BUDGET / 8)
        x = -math.log(value) if name == "gmr" else float(value - cumulated[0][0])
        tail = invert(distribution, x if span is None else round(x / span) * span)
        assert _covers(tail, _log10(chance)), (value, tail, _log10(chance))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "sizes"),
    take_turns([ReciprocalDistribution, LogRankDistribution], [(700, 900), (3, 400, 3)]),
)
def test_a_bracket_holds_where_chance_does_better(
    kind: type[SumDistribution], sizes: tuple[int, ...]
) -> None:
    """What few tasks leave open of a complement, the tail's error says; no density is there to know
    more from.
    """
    distribution = kind(Histogram.from_counts(sizes))
    sums = functools.reduce(
        np.add.outer, [distribution.deviations(np.arange(1.0, size + 1)) for size in sizes]
    ).ravel()
    sums.sort()
    for share in (0.0005, 0.2):
        x = float(sums[int(share * sums.size)])
        chance = np.count_nonzero(sums >= x - 1e-12) / sums.size
        assert _covers(invert(distribution, x), math.log10(chance))


@for_each("z", [0j, 3 + 0j, -3 + 0j, 20 + 7j, 40j, 100 + 0j])
def test_the_window_is_the_transform_of_its_density(z: complex) -> None:
    u, weights = np.polynomial.legendre.leggauss(120)
    density = weights * np.i0(_BETA * np.sqrt(1 - u * u)) * _BETA / (2 * math.sinh(_BETA))
    terms = density * np.exp(z * u)
    assert abs(_window(np.array([z]))[0] - terms.sum()) <= 1e-13 * np.abs(terms).sum()


@for_each("log", [-0.05, -1.0, -30.0])
@for_each("error", [0.0, 1e-13, 1e-6, 0.01])
def test_an_error_of_a_logarithm_is_one_of_the_tail(log: float, error: float) -> None:
    """The tail of both ends is covered, and hardly more."""
    direct = Tail.from_log(log, error, "exact")
    complement = Tail.from_complement(log, error, "exact")
    rounding = 2e-15 * (1 + abs(log))
    with mpmath.workdps(50):
        for end in (mpmath.mpf(log) - mpmath.mpf(error), mpmath.mpf(log) + mpmath.mpf(error)):
            for tail, chance in ((direct, mpmath.exp(end)), (complement, -mpmath.expm1(end))):
                assert abs(mpmath.mpf(tail.log10) - mpmath.log10(chance)) <= tail.error
        slope = float(mpmath.exp(log) / -mpmath.expm1(log))
        truth = mpmath.log10(-mpmath.expm1(log))
        assert abs(mpmath.mpf(complement.log10) - truth) <= 1e-14 * slope
    assert direct.error <= (error + rounding) / math.log(10)
    assert complement.error <= 2 * slope * (error + rounding) / math.log(10)


def test_a_complement_that_is_not_known_says_so() -> None:
    """With an error of 1 and more, it may be as little as 0, and as much as the error says."""
    for log, error in ((-5.0, 1.0), (-5.0, 3.0), (-9.0, 8.5)):
        tail = Tail.from_complement(log, error, "exact")
        assert abs(tail.log10 - math.log10(-math.expm1(log))) < 1e-14
        least = math.log10(-math.expm1(log + error))
        assert tail.error == pytest.approx(max(tail.log10 - least, -tail.log10), rel=1e-12)
    assert Tail.from_complement(-5.0, 5.5, "exact").error == math.inf
    assert Tail.from_complement(-5.0, 1e3, "exact", 0.0).error == math.inf
    # Of some it is known apart what they are at most.
    for most in (-5.0, -4.0):
        tail = Tail.from_complement(-5.0, 1e3, "exact", most)
        assert tail.log10 - tail.error == pytest.approx(
            min(math.log10(-math.expm1(most)), 2 * tail.log10), rel=1e-12
        )
    assert Tail.from_complement(0.0, 0.1, "exact") == Tail(0.0, math.inf, "exact")
    # A probability above 1 is one of 1, rounded.
    assert Tail.from_log(1e-16, 0.0, "exact").log10 == 0.0


def test_everything_does_as_well_as_the_worst_value() -> None:
    histogram = Histogram.from_counts([5, 8])
    worst = {
        "igmr": 0.0, "iamr": 0.0, "hmr": 10.0, "gmr": 6.5, "mr": 6.5, "mrr": 0.1, "hits@1": 0.0,
    }  # fmt: skip
    for name, value in worst.items():
        assert tail_probability(parse_metric(name), histogram, value) == Tail(0.0, 0.0, "exact")
    # A task of no more candidates than k is a hit for certain.
    sure = Histogram.from_counts([3, 10, 10])
    assert tail_probability(parse_metric("hits@3"), sure, 1 / 3) == Tail(0.0, 0.0, "exact")


def test_so_many_tasks_have_a_tail_and_no_more() -> None:
    metric = parse_metric("hits@1")
    assert explain_lack(metric, Histogram(np.array([2]), np.array([10**11]))) == ""
    assert "more than 100,000,000,000 tasks" in explain_lack(
        metric, Histogram(np.array([2]), np.array([10**11 + 1]))
    )


def _packed_product(terms: dict[int, list[int]], tasks: dict[int, int]) -> tuple[int, int]:
    """Multiply the polynomials sum_j x^terms[N][j], N taken tasks[N] times, packed into one whole
    number.
    """
    return _multiply(tuple((tuple(terms[N]), N, c) for N, c in tasks.items()))


@functools.lru_cache(1)
def _multiply(factors: tuple[tuple[tuple[int, ...], int, int], ...]) -> tuple[int, int]:
    bits = sum(c * N.bit_length() for _, N, c in factors) + 1
    packed = math.prod(sum(1 << bits * e for e in terms) ** c for terms, _, c in factors)
    return packed, bits


def _lower_tail(packed: int, bits: int, most: int) -> int:
    """Sum the coefficients of x^0 ... x^most."""
    kept = packed & ((1 << bits * (most + 1)) - 1)
    # Modulo 2^bits - 1 every digit counts once; the sum of all digits is below it.
    return kept % ((1 << bits) - 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "quantile"),
    # Of many ranks up to 5 most are in phase long before the circle of the lattice is closed.
    take_turns(
        [{8: 30, 6: 11}, {5: 100}, {7: 6, 3: 20}],
        choose([0.4, 0.02, 0.97], [0.02, 0.2, 0.4, 0.6, 0.8, 0.97]),
    ),
    ids=str,
)
def test_reciprocal_ranks_on_the_lattice(tasks: dict[int, int], quantile: float) -> None:
    span = math.lcm(*range(1, max(tasks) + 1))
    deficits = {N: [span - span // j for j in range(1, N + 1)] for N in tasks}
    packed, bits = _packed_product(deficits, tasks)
    n = sum(tasks.values())
    worst = sum(c * deficits[N][-1] for N, c in tasks.items())
    most = int(quantile * worst)
    while not packed >> bits * most & ((1 << bits) - 1):
        most += 1
    truth = _log10(
        Fraction(_lower_tail(packed, bits, most), math.prod(N**c for N, c in tasks.items()))
    )
    histogram = histogram_of(tasks)
    tail = tail_probability(parse_metric("mrr"), histogram, float(1 - Fraction(most, span * n)))
    assert tail.method != "inversion"
    assert _covers(tail, truth)
    assert tail.error < 1e-10

    distribution = ReciprocalDistribution(histogram)
    if distribution.span is not None:
        assert _covers(invert(distribution, -most / span), truth)
        distribution.span = None
    blind = invert(distribution, -most / span)
    assert _covers(blind, truth), (blind, truth)


@pytest.mark.slow
def test_hits_against_60_digits_down_to_1e_minus_3000() -> None:
    tasks = {10**9: 120, 14541: 140, 40: 30, 11: 9, 7: 1}
    histogram, n = histogram_of(tasks), sum(tasks.values())
    with mpmath.workdps(60):
        distribution: Any = np.array([mpmath.mpf(1)])
        for size, c in tasks.items():
            p = min(mpmath.mpf(10) / size, mpmath.mpf(1))
            ways = [math.comb(c, j) * p**j * (1 - p) ** (c - j) for j in range(c + 1)]
            distribution = np.convolve(distribution, np.array(ways))
        for share in (0.004, 0.02, 0.1, 0.5, 0.9, 0.995):
            tail = tail_probability(parse_metric("hits@10"), histogram, share)
            truth = float(mpmath.log10(mpmath.fsum(distribution[math.ceil(share * n) :])))
            assert abs(tail.log10 - truth) <= tail.error < 1e-11


@pytest.mark.slow
@for_each("tasks", [{150: 40, 149: 20, 31: 7}, {20: 30}, {7: 15, 40: 10}, {2: 1, 9: 1}])
@for_each("share", choose([0.001, 0.3, 0.501, 0.98], [0.001, 0.02, 0.3, 0.499, 0.501, 0.8, 0.98]))
def test_sums_of_ranks_against_whole_numbers(tasks: dict[int, int], share: float) -> None:
    """By the integral, and where there is one, by a formula in whole numbers."""
    packed, bits = _packed_product({N: list(range(N)) for N in tasks}, tasks)
    n, width = sum(tasks.values()), sum(c * (N - 1) for N, c in tasks.items())
    most = min(max(round(share * width), 1), width - 1)
    truth = _log10(
        Fraction(_lower_tail(packed, bits, most), math.prod(N**c for N, c in tasks.items()))
    )
    histogram = histogram_of(tasks)
    for tail in (
        tail_probability(parse_metric("mr"), histogram, 1 + most / n),
        invert(RankDistribution(histogram), -float(most)),
    ):
        assert _covers(tail, truth)
        assert abs(tail.log10 - truth) <= 1e-13 * (1 + abs(truth))
        assert tail.error < 1e-11
        assert tail.method == "exact"


# Inverted over the whole circle of the lattice 1 / lcm(1 .. 14), 2 x 10^7 nodes, once.
NATIONS_MRR = {0.4: -0.9041353590467819, 0.5: -14.971432908928298, 0.8: -147.78439661128496}


@pytest.mark.parametrize("value", NATIONS_MRR)
def test_nations_mrr_states_its_granularity(value: float) -> None:
    tail = tail_probability(parse_metric("mrr"), open_once().histogram("nations"), value)
    assert _covers(tail, NATIONS_MRR[value])
    assert tail.error < 2e-3


@pytest.mark.slow
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("kind", [ReciprocalDistribution, LogRankDistribution, RankDistribution])
def test_generating_functions_against_plain_sums(kind: type[SumDistribution], upper: bool) -> None:
    sizes = np.array([2, 63, 64, 65, 100, 5000, 14541])
    distribution, sign = kind(Histogram.from_counts(sizes)), 1.0 if upper else -1.0
    parts = itertools.product((1e-6, 0.3, 1.0, 9.6, 60.0), (0.0, 0.7, 45.0, 400.0))
    z = np.array([complex(sign * a, b) for a, b in parts])
    # One by one, and together, which takes as many terms as the largest needs.
    for point, together in zip(z, distribution.log_means(z, upper=upper), strict=True):
        alone = distribution.log_means(np.array([point]), upper=upper)[0]
        for size, *found in zip(sizes.tolist(), alone, together, strict=True):
            f = distribution.deviations(np.arange(1.0, size + 1))
            terms = np.exp(point * (f - (0.0 if upper else f[-1])))
            direct = complex(math.fsum(terms.real), math.fsum(terms.imag)) / size
            room = 20 + abs(point) * float(f[0] - f[-1])
            for got in found:
                error = abs(np.exp(got) - direct)
                assert error <= 1e-14 * room * float(np.abs(terms).mean()), (point, size)


EXTREMES: dict[str, dict[int, int]] = {
    "N = 1e9, n = 1": {10**9: 1},
    "N = 1e9, n = 2": {10**9: 2},
    "N = 1e9, n = 3": {10**9: 3},
    "N = 1e9, n = 1e7": {10**9: 10**7},
    "N = 1e9 and 17, n = 1e7": {17: 10**7 - 1, 10**9: 1},
    "N = 2, n = 1e11": {2: 10**11},
    "a wide range": {2: 10, 1000: 20, 10**6: 30, 10**9: 5},
    "mostly one candidate": {1: 9_999_999, 4096: 1},
    "all one candidate": {1: 10},
    "Countries": {271: 48},
}


def check_order(metric: Metric, histogram: Histogram, values: Iterable[float]) -> None:
    """Demand probabilities that fall from value to value, each better than the one before."""
    last = Tail(0.0, 0.0, "exact")
    for value in values:
        tail = tail_probability(metric, histogram, min(max(value, metric.lower), metric.upper))
        assert 0 <= tail.probability <= 1
        assert math.isfinite(tail.error)
        assert tail.log10 - tail.error <= last.log10 + last.error
        last = tail


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name"), take_turns(EXTREMES, ["hits@1", "mr", "mrr", "gmr"]))
def test_extremes_give_ordered_probabilities(case: str, name: str) -> None:
    if case == "N = 2, n = 1e11" and name in choose({"mrr", "gmr"}, set()):
        pytest.skip("of as many tasks as there may be, their circles have many nodes")
    histogram, metric = histogram_of(EXTREMES[case]), parse_metric(name)
    moments = compute_moments(metric, histogram)
    step = math.sqrt(moments.variance) if metric.increasing else -math.sqrt(moments.variance)
    inner = [moments.expectation + z * step for z in choose((-1, 0.5, 6), (-3, -1, 0.5, 2, 6, 40))]
    worst = metric.worst(histogram.num_candidates, histogram.num_tasks)
    check_order(metric, histogram, [worst, *inner, float(metric.optimum or 0)])


@for_each(
    ("name", "value"),
    [("mrr", 1.01), ("mr", 0.99), ("hits@1", -0.1), ("gmr", 0.5), ("mr", math.nan)],
)
def test_values_out_of_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(DataError, match="outside its range"):
        tail_probability(parse_metric(name), Histogram.from_counts([5, 6]), value)


def test_metrics_without_a_tail_are_refused() -> None:
    unknown: Metric = dataclasses.replace(
        CATALOGUE["arithmetic_mean_rank"], family="median_rank", symbol="MedR"
    )
    with pytest.raises(UndefinedError, match="MedR"):
        tail_probability(unknown, Histogram.from_counts([5, 6]), 2.0)
    with pytest.raises(UnknownNameError, match="needs a k"):
        tail_probability(CATALOGUE["hits_at_k"], Histogram.from_counts([5, 6]), 0.5)


# Ranks on blocks.


BLOCKS = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=5)


@given(tasks=BLOCKS, far=st.sampled_from([0, 10**5]), k=st.integers(1, 9))
@settings(max_examples=40)
@pytest.mark.parametrize("name", ["hits", "mr"])
def test_tails_on_blocks_equal_counts(
    name: str, tasks: list[tuple[int, int]], far: int, k: int
) -> None:
    metric = CATALOGUE["hits_at_k"].at(k + far) if name == "hits" else parse_metric("mr")
    histogram = Histogram.from_counts(
        [size for _, size in tasks], offsets=[a + far for a, _ in tasks]
    )
    score = (lambda rank: -int(rank <= k + far)) if name == "hits" else (lambda rank: rank)
    sums = Counter(
        sum(map(score, ranks))
        for ranks in itertools.product(*(range(a + far + 1, a + far + s + 1) for a, s in tasks))
    )
    n, values = len(tasks), range(min(sums) - 1, max(sums) + 2)
    known = [
        value
        for value in values
        if metric.lower <= (value if name == "mr" else -value) / n <= metric.upper
    ]
    for value, tail in zip(
        known, tail_probabilities(metric, histogram, [abs(v) / n for v in known]), strict=True
    ):
        exact = Fraction(sum(times for each, times in sums.items() if each <= value), sums.total())
        if exact == 0:
            assert tail.log10 == -math.inf
        else:
            assert abs(tail.log10 - math.log10(exact)) <= tail.error + 1e-15
            assert tail.error < 1e-10


@for_each("name", ["mrr", "gmr", "igmr", "median"])
def test_tails_that_are_not_known_on_blocks_are_refused(name: str) -> None:
    known = (
        r", only of Hits@k, .* and HMR\."
        if name == "median"
        else r" for baselines .*, only of Hits@k, MR and IAMR\."
    )
    with pytest.raises(UndefinedError, match=rf"no tail probability of \w+ is known{known}"):
        tail_probability(parse_metric(name), Histogram.from_counts([3, 4], offsets=[0, 2]), 0.5)
