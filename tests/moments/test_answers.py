"""Queries with several right answers: beside all rankings, 50 digits, simulation, and the sources' definitions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import rankconst
from cases import choose, for_each
from rankconst.catalogue.answers import FAMILIES
from rankconst.errors import DataError, UnknownNameError
from rankconst.tables.own_answers import Answers, evaluate_answers

METRICS = [*(f"{key}@{k}" for key in FAMILIES for k in (1, 2, 3, 5, 8)), "mrr", "ndcg", "map"]


def define(metric: str, places: tuple[int, ...], size: int) -> Fraction | float:
    """The metric of one query by its definition, in fractions where there are any."""
    key, _, cut = metric.partition("@")
    k, right = int(cut or size), len(places)
    top = [place for place in sorted(places) if place <= k]
    precisions = sum((Fraction(found + 1, place) for found, place in enumerate(top)), Fraction(0))
    if key == "ndcg":
        return sum(1 / math.log2(p + 1) for p in top) / sum(1 / math.log2(p + 2) for p in range(min(right, k)))
    return {
        "recall": Fraction(len(top), right),
        "precision": Fraction(len(top), k),
        "f1": Fraction(2 * len(top), k + right),
        "hit_ratio": Fraction(bool(top)),
        "mrr": Fraction(1, min(top)) if top else Fraction(0),
        "map": precisions / min(right, k),
        "map_cut": precisions / right,
    }[key]


@pytest.mark.slow
@for_each("metric", METRICS)
@for_each("size", choose([1, 2, 3, 4, 7], [*range(1, 10)]))
def test_all_rankings(metric: str, size: int) -> None:
    for right in range(1, size + 1):
        found = rankconst.from_counts(size, relevant=right).constants(metric)
        values = [define(metric, places, size) for places in itertools.combinations(range(1, size + 1), right)]
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        assert found.expectation == pytest.approx(float(mean), abs=1e-14)
        assert found.variance == pytest.approx(float(variance), abs=1e-14)
        assert (found.metric.optimum, found.worst) == pytest.approx((float(max(values)), float(min(values))))


@pytest.mark.slow
@for_each(("size", "right"), [(100, 3), (1000, 500), (10_000, 2), (10_000, 77), (10_000, 10_000)])
def test_fifty_digits(size: int, right: int) -> None:
    """First right answer, gain and average precision by sums of fifty digits; the errors hold."""
    queries = rankconst.from_counts(size, relevant=right)
    with mpmath.workdps(50):
        first, left = [], mpmath.mpf(1)
        for place in range(1, size - right + 2):
            first.append(left * right / (size - place + 1))
            left = left * (size - place + 1 - right) / (size - place + 1)
        mean = mpmath.fsum(p / r for r, p in enumerate(first, 1))
        square = mpmath.fsum(p / r**2 for r, p in enumerate(first, 1))
        check(queries, "mrr", mean, square - mean**2)
        weights = [1 / mpmath.log(place + 1, 2) for place in range(1, size + 1)]
        ideal, whole = mpmath.fsum(weights[:right]), mpmath.fsum(weights)
        spread = mpmath.fsum(w**2 for w in weights) - whole**2 / size
        variance = mpmath.mpf(right) * (size - right) / size * spread / (size - 1) / ideal**2
        check(queries, "ndcg", right * whole / size / ideal, variance)
        harmonic = mpmath.harmonic(size)
        mean = (harmonic + mpmath.mpf(right - 1) / (size - 1) * (size - harmonic)) / size
        assert (
            abs(mpmath.mpf(queries.constants("map").expectation) - mean) <= queries.constants("map").expectation_error
        )


def check(queries: Answers, metric: str, mean: mpmath.mpf, variance: mpmath.mpf) -> None:
    found = queries.constants(metric)
    assert abs(mpmath.mpf(found.expectation) - mean) <= found.expectation_error
    assert abs(mpmath.mpf(found.variance) - variance) <= found.variance_error
    assert found.expectation_error <= 1e-11 * found.expectation


@pytest.mark.slow
@for_each("metric", ["map", "map@10", "map_cut@20", "ndcg@10", "mrr@10", "recall@10", "hit_ratio@10"])
def test_simulation(metric: str) -> None:
    rng, size, right, draws = np.random.default_rng(3), 60, 7, choose(4_000, 200_000)
    places = rng.permuted(np.tile(np.arange(1, size + 1), (draws, 1)), axis=1)[:, :right]
    values = np.array([evaluate_answers(metric, [size], [own]) for own in places])
    found = rankconst.from_counts(size, relevant=right).constants(metric)
    assert abs(values.mean() - found.expectation) < 5 * math.sqrt(found.variance / draws)
    centred = (values - found.expectation) ** 2
    assert abs(centred.mean() - found.variance) < 5 * centred.std() / math.sqrt(draws)


@for_each(("one", "several"), [("mrr", "mrr"), ("hits@3", "recall@3"), ("hits@3", "hit_ratio@3"), ("ndcg", "ndcg"),
                               ("mrr", "map"), ("mrr@5", "map@5")])  # fmt: skip
def test_one_right_answer_is_a_ranking_task(one: str, several: str) -> None:
    sizes = [5, 7, 9, 400]
    expected = rankconst.from_counts(sizes).constants(one).moments
    found = rankconst.from_counts(sizes, relevant=1).constants(several).moments
    assert abs(found.expectation - expected.expectation) <= found.expectation_error + expected.expectation_error
    assert abs(found.variance - expected.variance) <= found.variance_error + expected.variance_error


@for_each("metric", METRICS)
def test_queries_are_averaged_by_weight(metric: str) -> None:
    sizes, right, weights = [5, 9, 9, 30], [2, 3, 3, 30], [1.0, 2.0, 0.5, 3.0]
    alone = [rankconst.from_counts(n, relevant=r).constants(metric) for n, r in zip(sizes, right, strict=True)]
    found = rankconst.from_counts(sizes, weights, relevant=right).constants(metric)
    mean = sum(w * each.expectation for w, each in zip(weights, alone, strict=True)) / sum(weights)
    variance = sum(w**2 * each.variance for w, each in zip(weights, alone, strict=True)) / sum(weights) ** 2
    assert found.expectation == pytest.approx(mean)
    assert found.variance == pytest.approx(variance)
    assert found.num_tasks == 4


def test_the_best_ranker_has_the_index_one() -> None:
    """Ten places hold at most half of twenty right answers: a perfect Recall@10 is 0.5."""
    found = rankconst.from_counts([500] * 1000, relevant=20).constants("recall@10")
    assert (found.metric.optimum, found.index(0.5)) == (0.5, 1.0)
    assert found.index(0.02) == pytest.approx(0.0)
    with pytest.raises(DataError, match="not a possible Recall@10"):
        found.adjust("0.6")
    assert "no tail" in found.explain_lack() or found.explain_lack()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"counts": [3], "relevant": [4]}, "4 right answers among 3 candidates"),
        ({"counts": [3], "relevant": [0]}, r"relevant\[0\] is 0; expected at least 1"),
        ({"counts": [2.5], "relevant": [1]}, "num_candidates must be whole numbers; got float64"),
        ({"counts": [3], "relevant": [1], "weights": [-1.0]}, "not a positive number"),
        ({"counts": {"head": [3]}, "relevant": [1]}, "have no sides"),
    ],
)
def test_what_cannot_be_counted(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(rankconst.RankconstError, match=said):
        rankconst.from_counts(**arguments)  # type: ignore[call-overload]


@pytest.mark.parametrize(("name", "said"), [("recall", "needs a k"), ("auc", "unknown"), ("mrr@0", "at least 1")])
def test_names(name: str, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        rankconst.from_counts([9], relevant=2).constants(name)


@pytest.mark.parametrize("places", [[[1, 1]], [[0]], [[10]], [[]]])
def test_places_that_cannot_be(places: list[list[int]]) -> None:
    with pytest.raises(DataError, match="different places from 1 to 9"):
        evaluate_answers("mrr", [9], places)
