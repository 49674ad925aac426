"""Two results on the same tasks: bounds against all pairs of rank vectors, tests against formulas
and counting.
"""

import dataclasses
import itertools
import json
import math
from collections.abc import Iterable
from fractions import Fraction
from statistics import NormalDist, mean, stdev
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankconst
from carried import open_once
from cases import choose, for_each
from oracles import TERMS
from rankconst.catalogue.metrics import CATALOGUE, Metric
from rankconst.errors import UndefinedError, UsageError
from rankconst.tasks import Histogram
from rankconst.values.comparison import LEFT_OUT, LEVEL, Comparison, Room, find_smallest_difference
from rankconst.values.published import Interval

MEANS = ("mr", "mrr", "hits@1", "hits@2", "ndcg")


def add(terms: Iterable[Fraction]) -> Fraction:
    return sum(terms, Fraction(0))


def list_pairs(
    metric: str, sizes: tuple[int, ...]
) -> dict[tuple[Fraction, Fraction], list[tuple[Fraction, bool]]]:
    """Return of all pairs of rank vectors, by the two sums of terms, the sum of squared differences.

    The flag is True if the terms are not negatively correlated.
    """
    ranks = itertools.product(*(range(1, size + 1) for size in sizes))
    vectors = [tuple(map(TERMS[metric], each)) for each in ranks]
    found: dict[tuple[Fraction, Fraction], list[tuple[Fraction, bool]]] = {}
    for one, other in itertools.product(vectors, repeat=2):
        squares = add((x - y) ** 2 for x, y in zip(one, other, strict=True))
        products = add(x * y for x, y in zip(one, other, strict=True))
        is_not_negative = products * len(sizes) >= add(one) * add(other)
        found.setdefault((add(one), add(other)), []).append((squares, is_not_negative))
    return found


def form_z(difference: Any, squares: Any) -> float:
    return float(abs(difference)) / math.sqrt(squares) if squares else 0.0


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (2, 3, 5), (1, 4, 4)])
@pytest.mark.parametrize("metric", MEANS)
def test_bounds_hold_for_all_pairs_of_rank_vectors(metric: str, sizes: tuple[int, ...]) -> None:
    constants = rankconst.from_counts(sizes).constants(metric)
    n = len(sizes)
    for (one, other), pairs in list_pairs(metric, sizes).items():
        found = constants.compare(float(one / n), float(other / n))
        every = [form_z(one - other, squares) for squares, _ in pairs]
        uncorrelated = [form_z(one - other, squares) for squares, is_so in pairs if is_so]
        assert found.z_uncorrelated <= min(uncorrelated, default=math.inf) * (1 + 1e-9)
        assert found.z_interval.lower <= found.z_uncorrelated
        assert found.z_interval.lower <= min(every) * (1 + 1e-9)
        assert found.z_interval.upper >= max(every) * (1 - 1e-9)
        if metric.startswith("hits"):  # both ends are reached
            assert found.z_interval == pytest.approx((min(every), max(every)), abs=1e-9)


@pytest.mark.slow
@given(
    spans=st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 3.0]), min_size=1, max_size=5),
    share=st.floats(0, 1),
)
@settings(max_examples=choose(22, 60))
def test_the_bound_is_the_optimum_of_a_linear_program(spans: list[float], share: float) -> None:
    """Mix the four corners of the square of each task, so that the losses add up: scipy finds the
    best mixture.
    """
    optimize = pytest.importorskip("scipy.optimize")
    losses = share * 2 * sum(spans)
    corners = [(p, q) for span in spans for p in (0.0, span) for q in (0.0, span)]
    one_each = np.kron(np.eye(len(spans)), np.ones(4))
    done = optimize.linprog(
        [-((p - q) ** 2) for p, q in corners],
        A_eq=np.vstack([one_each, [p + q for p, q in corners]]),
        b_eq=[1.0] * len(spans) + [losses],
    )
    assert done.success
    room = Room.from_spans(np.array(spans), np.ones(len(spans)))
    assert room.bound_squares(np.array([losses])) == pytest.approx([-done.fun], abs=1e-7)


def sign_test(alone: int, surplus: int) -> Fraction:
    """Return the two-sided p of the sign test: `alone` tasks are hits of one model only, one has
    `surplus` more.
    """
    if surplus == 0:
        return Fraction(1)
    tail = sum(math.comb(alone, heads) for heads in range((alone + surplus) // 2, alone + 1))
    return min(Fraction(2 * tail, 2**alone), Fraction(1))


def check_overlaps(found: Comparison, n: int, pairs: Iterable[tuple[int, ...]]) -> None:
    """Hold p against the sign test for every overlap of numbers of hits among n tasks."""
    p = [
        sign_test(a + b - 2 * shared, abs(a - b))
        for a, b in pairs
        for shared in range(max(0, a + b - n), min(a, b) + 1)
    ]
    assert found.log10_p_interval.upper == pytest.approx(math.log10(max(p)), abs=1e-9)
    assert found.log10_p_interval.lower == pytest.approx(math.log10(min(p)), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n", choose([8], [7, 12]))
def test_p_of_hits_is_that_of_the_worst_and_the_best_overlap(n: int) -> None:
    hits = rankconst.from_counts([50] * n).constants("hits@10")
    for pair in itertools.product(range(n + 1), repeat=2):
        found = hits.compare(pair[0] / n, pair[1] / n)
        assert found.method == "exact"
        check_overlaps(found, n, [pair])


@for_each(
    ("first", "second"),
    [("0.3", "0.5"), ("0.5", "0.9"), ("0.7", "0.8"), ("0.4", "0.4"), ("0", "1")],
)
def test_rounding_takes_in_every_number_of_hits_that_prints_so(first: str, second: str) -> None:
    n, printed = 43, []
    for text in (first, second):
        half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
        printed.append([h for h in range(n + 1) if abs(Fraction(h, n) - Fraction(text)) <= half])
    found = rankconst.from_counts([50] * n).constants("hits@10").compare(first, second)
    check_overlaps(found, n, itertools.product(*printed))


def covers(interval: Interval, value: float) -> bool:
    return interval.lower - 1e-9 <= value <= interval.upper + 1e-9


ranks_of_both = st.integers(2, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(1, 12), min_size=n, max_size=n)] * 2)
)


@given(ranks_of_both, st.sampled_from(MEANS), st.integers(1, 4))
@settings(max_examples=choose(56, 150))
def test_what_ranks_say_is_within_what_published_values_leave_open(
    ranks: tuple[list[int], list[int]], metric: str, digits: int
) -> None:
    one, other = ([float(TERMS[metric](rank)) for rank in each] for each in ranks)
    known = rankconst.from_ranks(ranks[0]).compare(rankconst.from_ranks(ranks[1]), metric)
    differences = np.subtract(other, one)
    expected = form_z(differences.sum(), float((differences**2).sum()))
    assert known.z_interval == pytest.approx((expected, expected), abs=1e-9)
    constants = rankconst.from_counts([12] * len(one)).constants(metric)
    found = constants.compare(*(f"{sum(each) / len(one):.{digits}f}" for each in (one, other)))
    assert covers(found.z_interval, expected)
    assert covers(found.difference_interval, known.difference)
    if np.dot(one, other) * len(one) >= sum(one) * sum(other):
        assert found.z_uncorrelated <= expected + 1e-9
    if metric.startswith("hits"):
        assert covers(found.log10_p_interval, known.log10_p_interval.lower)


def test_ranks_are_tested_as_textbooks_do() -> None:
    rng = np.random.default_rng(5)
    one = rng.geometric(0.1, 400)
    other = np.where(rng.random(400) < 0.5, one, rng.geometric(0.12, 400))
    hits = rankconst.compare(one, other, metric="hits@3")
    difference = (one <= 3).astype(int) - (other <= 3)
    surplus, discordant = abs(int(difference.sum())), int(np.abs(difference).sum())
    p = float(sign_test(discordant, surplus))
    assert 10**hits.log10_p_interval.lower == pytest.approx(p, rel=1e-9)
    assert hits.z_interval.lower == pytest.approx(surplus / math.sqrt(discordant))
    for metric, differences in (("mr", other - one), ("mrr", 1 / other - 1 / one)):
        found = rankconst.compare(one, other, metric=metric)
        distribution = NormalDist(
            mean(differences.tolist()), stdev(differences.tolist()) / math.sqrt(400)
        )
        z = found.z_interval.lower
        t = z * math.sqrt((400 - 1) / (400 - z * z))  # Student's t is a function of z
        assert abs(distribution.mean) / distribution.stdev == pytest.approx(t, rel=1e-9)
        assert 10**found.log10_p_interval.lower == pytest.approx(2 * NormalDist().cdf(-z), rel=1e-9)
        ends = distribution.inv_cdf(0.025), distribution.inv_cdf(0.975)
        assert found.confidence_interval == pytest.approx(ends, rel=1e-9)
        assert found.method == "normal"


@pytest.mark.parametrize("metric", ["mr", "mrr"])
def test_of_few_tasks_all_signs_are_tried(metric: str) -> None:
    one, other = [3, 1, 4, 1, 5, 9, 2, 6], [2, 1, 1, 3, 5, 2, 1, 3]
    pairs = zip(map(TERMS[metric], one), map(TERMS[metric], other), strict=True)
    differences = [second - first for first, second in pairs]
    flips = [
        add(sign * each for sign, each in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=8)
    ]
    p = sum(abs(each) >= abs(add(differences)) for each in flips) / len(flips)
    found = rankconst.compare(one, other, metric=metric)
    assert found.method == "exact"
    assert 10**found.log10_p_interval.upper == pytest.approx(p, rel=1e-12)


def test_the_normal_tail_goes_on_where_floats_end() -> None:
    n = 10**6
    found = rankconst.compare(np.full(n, 2), np.where(np.arange(n) % 500, 2, 1), metric="mrr")
    z = found.z_interval.lower
    assert z == pytest.approx(math.sqrt(n / 500))
    log10_p = float(mpmath.log10(mpmath.erfc(z / mpmath.sqrt(2))))
    assert found.log10_p_interval.lower == pytest.approx(log10_p, rel=1e-9)


@for_each(
    ("metric", "few", "method"),
    [("hits@10", 0, "exact"), ("mrr", 0, "normal"), ("mr", 0, "normal"), ("mrr", 60, "bound")],
)
def test_the_smallest_difference_is_the_one_at_the_level(
    metric: str, few: int, method: str
) -> None:
    """Around the same mean, a pair that far apart has a p of 0.05."""
    tables = rankconst.from_counts([50] * few) if few else None
    constants = tables.constants(metric) if tables else open_once().constants("wn18rr", metric)
    first, second = (0.46, 0.48) if metric != "mr" else (3000.0, 3100.0)
    found, middle, apart_by = constants.compare(first, second), (first + second) / 2, second - first
    assert found.method == method
    apart = constants.compare(middle - found.smallest / 2, middle + found.smallest / 2)
    assert 10**apart.log10_p_interval.upper == pytest.approx(LEVEL, rel=1e-6)
    largest = find_smallest_difference(constants.metric, constants.histogram)
    assert found.smallest <= (largest or 0.0)
    ends = apart_by - found.smallest, apart_by + found.smallest
    assert found.confidence_interval == pytest.approx(ends)


@pytest.mark.parametrize(("metric", "tasks"), [("mrr", 120), ("mr", 120), ("mrr", 2000)])
def test_p_of_tasks_that_one_model_alone_gets_right_is_no_larger(metric: str, tasks: int) -> None:
    """Of many candidates such tasks are tosses of a coin, a few among many tasks or nearly all: the sign test.

    Above 0.3 the normal distribution may fall short of it, by less than a thousandth.
    """
    worst, methods = 10**7, set()
    constants = rankconst.from_counts([worst] * tasks).constants(metric)
    right, wrong = TERMS[metric](1), TERMS[metric](worst)
    only_one = (*range(1, 12), 60, 61, 70, 90, 115)
    for alone, lost in itertools.product(only_one, (0, 1, 2, 3, 10, 20, 40)):
        if alone <= lost or alone + lost > tasks:
            continue
        first, second = (
            float(hits * right + (tasks - hits) * wrong) / tasks for hits in (alone, lost)
        )
        found = constants.compare(first, second)
        p = min(float(sign_test(alone + lost, alone - lost)), 0.3)
        assert found.log10_p_interval.upper >= math.log10(p) - 1e-9
        methods.add(found.method)
    assert methods == {"bound", "normal"}


def test_macro_averages_count_tasks_by_their_weights() -> None:
    """Two tasks of weight 3 and 1: brute force over all pairs."""
    constants = rankconst.from_counts([4, 4], weights=[3.0, 1.0]).constants("mrr")
    for one, other in itertools.product(itertools.product(range(1, 5), repeat=2), repeat=2):
        first, second = ((3 / ranks[0] + 1 / ranks[1]) / 4 for ranks in (one, other))
        parts = [3 * (1 / one[0] - 1 / other[0]), 1 / one[1] - 1 / other[1]]
        z = form_z(sum(parts), sum(part**2 for part in parts))
        assert covers(constants.compare(first, second).z_interval, z)


@for_each("metric", [row for row in CATALOGUE.values() if not row.is_mean])
def test_what_is_no_mean_is_refused(metric: Metric) -> None:
    with pytest.raises(UndefinedError, match=r"Compare MR, MRR, Hits@k, nDCG"):
        rankconst.compare("2", "3", metric=metric.label, dataset="nations")
    with pytest.raises(UndefinedError):
        rankconst.compare([1, 2], [2, 1], metric=metric.label)


def test_results_with_several_right_answers_are_refused() -> None:
    tables: Any = rankconst.from_counts(100, relevant=[1, 2, 3])
    for results in (("0.2", "0.3"), ({"recall@10": "0.2"},)):
        with pytest.raises(UndefinedError, match="several right answers"):
            rankconst.compare(*results, metric="recall@10", tables=tables, tool="ranx")


def test_a_baseline_does_not_say_what_ranks_there_can_be() -> None:
    histogram = Histogram.from_counts([3, 4], offsets=[0, 5])
    whole = rankconst.from_counts([8, 9]).constants("mrr")
    ranked = dataclasses.replace(whole.tasks, baseline="frequency")
    for changed in ({"candidates": histogram}, {"tasks": ranked}):
        with pytest.raises(UsageError, match="baseline"):
            dataclasses.replace(whole, **changed).compare("0.5", "0.6")


@for_each(
    ("metric", "values", "verdict", "text"),
    [
        ("hits@10", ("0.533", "0.544"), True, "0.544 is better than 0.533: p ≤ 0.036, whatever the two models have in "
         "common. A difference of 0.0094 would be enough."),
        ("hits@10", ("0.544", "0.533"), True, "0.544 is better than 0.533: p ≤ 0.036, whatever"),
        ("hits@10", ("0.533", "0.538"), None, "Not certain: p ≤ 0.41, depending on what"),
        ("hits@10", ("0.533", "0.533"), None, "These numbers do not tell which model is better: rounded so, they may"),
        ("hits@10", ("0.53301", "0.53303"), False, "This may well be chance: p ≥ "),
        ("mr", ("177", "357"), True, "177 is better than 357"),
        # A difference of 24 with a rounding of 1 may be 23, and 23.01 is enough.
        ("mr", ("201", "177"), None, "Rounded as it is, this one may be less."),
        ("mr", ("202", "177"), True, "177 is better than 202"),
    ],
)  # fmt: skip
def test_it_says_what_it_found(
    metric: str, values: tuple[str, str], verdict: bool | None, text: str
) -> None:
    found = rankconst.compare(*values, metric=metric, dataset="FB15k-237")
    row = found.to_dict()
    assert json.loads(json.dumps(row)) == row
    assert (row["dataset"], row["first"], row["second"]) == ("fb15k237", *map(float, values))
    assert row["is_significant"] is found.is_significant is verdict
    assert row["table_version"] == open_once().version
    assert text in str(found)
    assert str(found).endswith(LEFT_OUT)
    assert ("may be less" in str(found)) == ("may be less" in text)


def test_hits_that_are_no_whole_number_are_not_counted() -> None:
    """No number of hits of 4 tasks prints as 0.6: it is a mean over runs."""
    found = rankconst.from_counts([9] * 4).constants("hits@1").compare("0.60", "0.75")
    assert found.method == "bound"
    note = "Hits@1 = 0.6 of 4 tasks would be 2.38 to 2.42 hits, which is not a whole number."
    assert found.note.startswith(note)
    assert found.note in str(found)
    # Of many tasks the normal distribution will do, of macro averages too.
    macro = open_once().constants("nations", "mrr", aggregation="query")
    assert macro.compare(0.5, 0.6).method == "normal"
