"""Queries with several right answers, against all rankings and the sources' definitions."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import rankconst
from cases import choose, for_each
from oracles import assert_alike, moments_of
from rankconst.catalogue.answers import FAMILIES
from rankconst.errors import DataError, UnknownNameError, UsageError

METRICS = [
    *(f"{key}@{k}" for key in FAMILIES for k in (1, 2, 3, 5, 8)),
    *(key for key, row in FAMILIES.items() if not row.needs_k),
]


def define(metric: str, places: tuple[int, ...], size: int) -> Fraction | float:
    """The metric of one query by its definition, in fractions where there are any."""
    key, _, cut = metric.partition("@")
    k, right = int(cut or size), len(places)
    top = [place for place in sorted(places) if place <= k]
    precisions = sum((Fraction(found + 1, place) for found, place in enumerate(top)), Fraction(0))
    if key.startswith("ndcg"):
        ideal = k if key == "ndcg_full" else min(right, k)
        gains = [
            1 / max(1.0, math.log2(p)) if key == "ndcg_clipped" else 1 / math.log2(p + 1)
            for p in range(1, 60)
        ]
        return sum(gains[p - 1] for p in top) / sum(gains[:ideal])
    return {
        "recall": Fraction(len(top), right),
        "recall_cap": Fraction(len(top), min(right, k)),
        "precision": Fraction(len(top), k),
        "precision_cap": Fraction(len(top), min(size, k)),
        "precision_pooled": Fraction(len(top), min(right, k)),
        "f1": Fraction(2 * len(top), k + right),
        "hit_ratio": Fraction(bool(top)),
        "num_hits": Fraction(len(top)),
        "mrr": Fraction(1, min(top)) if top else Fraction(0),
        "mrr_all": sum((Fraction(1, place) for place in top), Fraction(0)) / right,
        "map": precisions / min(right, k),
        "map_cut": precisions / right,
    }[key]


@pytest.mark.slow
@for_each("metric", METRICS)
@for_each("size", choose([1, 3, 6], [*range(1, 10)]))
def test_all_rankings(metric: str, size: int) -> None:
    for right in range(1, size + 1):
        found = rankconst.from_counts(size, relevant=right).constants(metric)
        ways = [*itertools.combinations(range(1, size + 1), right)]
        values = Counter(define(metric, places, size) for places in ways)
        mean, variance = map(float, moments_of(values))
        assert (found.expectation, found.variance) == pytest.approx((mean, variance), abs=1e-14)
        ends = float(max(values)), float(min(values))
        assert (found.metric.optimum, found.worst) == pytest.approx(ends)
        ranks = rankconst.from_ranks(np.ravel(ways), queries=np.repeat(np.arange(len(ways)), right))
        if not metric.startswith("precision_cap"):
            assert ranks.evaluate(metric) == pytest.approx(mean, rel=1e-12)


@for_each(
    ("kinds", "k"),
    [
        ([(5, 2, 1)], 1),
        ([(9, 4, 3), (6, 1, 2), (7, 7, 2)], 2),
        ([(300, 7, 40), (41, 1, 2), (50, 45, 9)], 5),
    ],
)
def test_p_of_hit_ratio_against_whole_numbers(kinds: list[tuple[int, int, int]], k: int) -> None:
    """Every number of hits, by the product of the queries' generating functions in fractions."""
    distribution, certain = [Fraction(1)], 0
    for size, right, times in kinds:
        hit = 1 - Fraction(math.comb(size - k, right), math.comb(size, right))
        if hit == 1:
            certain += times
        for _ in range(times):
            pairs = itertools.pairwise([Fraction(0), *distribution, Fraction(0)])
            distribution = [hit * one + (1 - hit) * more for one, more in pairs]
    sizes, right_ones, repeats = np.array(kinds).T
    relevant = np.repeat(right_ones, repeats)
    counts = rankconst.from_counts(np.repeat(sizes, repeats), relevant=relevant)
    found = counts.constants(f"hit_ratio@{k}")
    for hits in range(certain, found.num_tasks + 1):
        exact, p = sum(distribution[hits:]), found.significance(hits / found.num_tasks)
        with mpmath.workdps(90):
            log10 = mpmath.log10(mpmath.mpf(exact.numerator) / exact.denominator)
        assert p.interval.lower <= log10 <= p.interval.upper, hits
        assert p.method == "exact"
        assert p.interval.upper - p.interval.lower < 1e-9 * (1 - log10)


@for_each(("one", "several"), [("mrr", "mrr"), ("hits@3", "recall@3"), ("hits@3", "hit_ratio@3"), ("ndcg", "ndcg"),
                               ("mrr", "map"), ("mrr@5", "map@5")])  # fmt: skip
def test_one_right_answer_is_a_ranking_task(one: str, several: str) -> None:
    sizes = [5, 7, 9, 400]
    expected = rankconst.from_counts(sizes).constants(one).moments
    found = rankconst.from_counts(sizes, relevant=1).constants(several).moments
    assert_alike(found, expected)


def test_the_best_ranker_has_the_index_one() -> None:
    """Ten places hold at most half of twenty right answers: a perfect Recall@10 is 0.5."""
    found = rankconst.from_counts([500] * 1000, relevant=20).constants("recall@10")
    assert (found.metric.optimum, found.index(0.5)) == (0.5, 1.0)
    assert found.index(0.02) == pytest.approx(0.0)
    with pytest.raises(DataError, match="not a possible Recall@10"):
        found.adjust("0.6")
    assert found.explain_lack() == (
        "no tail probability of Recall@10 is known, only of HitRatio@k of several right answers."
    )
    weighted, alike, plain = (
        rankconst.from_counts([5, 6], weights, relevant=2).constants("hit_ratio@1")
        for weights in ([1.0, 2.0], [2.0, 2.0], None)
    )
    assert "HitRatio@1 is known for tasks of unlike weights" in weighted.explain_lack()
    assert alike.significance(0.5) == plain.significance(0.5)


def test_queries_count_by_their_weights() -> None:
    weights = [1.0, 3.0, 2.0]
    found = rankconst.from_counts([5, 5, 6], weights, relevant=[2, 2, 3]).constants("recall@2")
    five, six = (
        rankconst.from_counts([size], relevant=[right]).constants("recall@2")
        for size, right in ((5, 2), (6, 3))
    )
    single = [five, five, six]
    shares = [weight / sum(weights) for weight in weights]
    expectation = sum(share * one.expectation for share, one in zip(shares, single, strict=True))
    variance = sum(share**2 * one.variance for share, one in zip(shares, single, strict=True))
    assert (found.expectation, found.variance) == pytest.approx((expectation, variance))
    assert found.histogram.total_weight == sum(weights)


def test_a_pooled_precision() -> None:
    """Hits of all queries over the sum of min(R, k), by all rankings of two unlike queries."""
    found = rankconst.from_counts([4, 5], relevant=[1, 3]).constants("precision_pooled@2")
    single = itertools.combinations(range(1, 5), 1), itertools.combinations(range(1, 6), 3)
    hits = Counter(sum(p <= 2 for p in (*one, *other)) for one, other in itertools.product(*single))
    mean, variance = moments_of({Fraction(each, 1 + 2): times for each, times in hits.items()})
    assert (found.expectation, found.variance) == pytest.approx((float(mean), float(variance)))
    assert (found.metric.optimum, found.worst) == (1.0, 0.0)
    ranks = rankconst.from_ranks([1, 1, 2, 5], queries=[0, 1, 1, 1])
    assert ranks.evaluate("precision_pooled@2") == 1.0
    assert ranks.evaluate("precision@2", tool="implicit") == 1.0


@for_each("metric", ["map@3", "hit_ratio@2", "ndcg", "precision_cap@9", "num_hits@2"])
@for_each(("empty", "counts"), [("left out", None), ("0", 0.0), ("1", 1.0)])
def test_queries_without_right_answers(metric: str, empty: str, counts: float | None) -> None:
    whole = rankconst.from_counts([7, 7, 4], relevant=[2, 0, 1], empty=empty).constants(metric)
    rest = rankconst.from_counts([7, 4], relevant=[2, 1]).constants(metric)
    assert whole.metric.optimum is not None
    assert rest.metric.optimum is not None
    share, more = (1.0, 0.0) if counts is None else (2 / 3, counts / 3)
    assert whole.variance == pytest.approx(share**2 * rest.variance)
    for mine, theirs in (
        (whole.expectation, rest.expectation),
        (whole.metric.optimum, rest.metric.optimum),
        (whole.worst, rest.worst),
    ):
        assert mine == pytest.approx(share * theirs + more)
    if metric == "hit_ratio@2":
        value = (1 + (counts or 0.0)) / whole.num_tasks
        assert whole.significance(value).log10 == pytest.approx(rest.significance(0.5).log10)


@for_each(
    ("tool", "name", "said"),
    [
        ("implicit", "map", "implicit cuts map off at a k that it does not print: write map@10"),
        ("torchmetrics", "map@10", "rankconst has no constants of map@10 as torchmetrics computes it"),
        ("ranx", "recall", "recall needs a k: write recall@10"),
        ("pykeen", "mrr", "unknown library 'pykeen'"),
    ],
)  # fmt: skip
def test_names_that_a_library_lacks(tool: str, name: str, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        rankconst.from_counts([9], relevant=2, tool=tool).constants(name)


def test_right_answers_that_were_not_retrieved() -> None:
    """They are infinitely far down: nothing is found of them, but they are right answers."""
    ranks = rankconst.from_ranks([1, math.inf, math.inf, 2], queries=["a", "a", "a", "b"])
    assert ranks.evaluate("recall@3") == pytest.approx((1 / 3 + 1) / 2)
    assert (ranks.evaluate("mrr"), ranks.evaluate("map")) == pytest.approx(
        (0.75, (1 / 3 + 1 / 2) / 2)
    )
    assert ranks.evaluate("Recall@1", tool="lenskit") == 0.5
    with pytest.raises(DataError, match="not retrieved has the worst rank"):
        rankconst.from_ranks([1, math.inf])
    with pytest.raises(UsageError, match="how many candidates"):
        ranks.evaluate("Precision@10", tool="lenskit")


@for_each(
    ("arguments", "said"),
    [
        ({"counts": [3], "relevant": [4]}, "4 right answers among 3 candidates"),
        ({"counts": [3], "relevant": [0]}, r"relevant\[0\] is 0. What does a query without right answers count\?"),
        ({"counts": [3], "relevant": [0], "empty": "left out"}, "no query has a right answer"),
        ({"counts": [3], "relevant": [0], "empty": "2"}, "expected 'left out', '0' or '1'"),
        ({"counts": [3], "relevant": [-1]}, "expected at least 0"),
        ({"counts": [5, 6], "relevant": [1, 2, 3]}, r"have shapes \(2,\) and \(3,\)"),
        ({"counts": [5, 6], "relevant": [1]}, r"have shapes \(2,\) and \(1,\)"),
        ({"counts": [5, 6], "relevant": 1, "weights": [1.0, 2.0, 3.0]}, "expected one number for each query"),
        ({"counts": [], "relevant": []}, "there are no queries"),
        ({"counts": [5], "tool": "ranx"}, "give relevant, too"),
        ({"counts": [2.5], "relevant": [1]}, "num_candidates must be whole numbers; got float64"),
        ({"counts": [3], "relevant": [1], "weights": [-1.0]}, "weights.0. is -1.0; expected a positive"),
        ({"counts": {"head": [3]}, "relevant": [1]}, "have no sides"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(rankconst.RankconstError, match=said):
        rankconst.from_counts(**arguments).constants("mrr")


@pytest.mark.parametrize(
    ("name", "said"), [("recall", "needs a k"), ("auc", "unknown"), ("mrr@0", "at least 1")]
)
def test_names(name: str, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        rankconst.from_counts([9], relevant=2).constants(name)


@for_each(
    ("ranks", "queries", "said"),
    [
        ([1, 4, 4], ["a", "b", "b"], "query b: two right answers have rank 4"),
        ([0, 1], [0, 0], "expected at least 1"),
        ([1, math.nan], [0, 1], "rank inf; a query without right answers has none"),
        ([1, 2], [0], r"queries have shape \(1,\); expected \(2,\)"),
        ([], [], "expected numbers"),
        ([1, 2], [np.nan, 1], "queries hold NaN; expected numbers, or names, for all"),
        ([1, 2], ["a", None], "queries hold NoneType, str; expected numbers, or names, for all"),
    ],
)
def test_ranks_that_cannot_be(ranks: list[int], queries: list[object], said: str) -> None:
    with pytest.raises(DataError, match=said):
        rankconst.from_ranks(ranks, queries=queries)
