"""Tasks that share their negatives: every order of the scores, OGB's evaluator, and sums at 40
digits.
"""

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

import rankconst
from carried import open_once
from cases import for_each
from oracles import TERMS, assert_within, moments_of
from rankconst.catalogue.metrics import CATALOGUE, parse_metric
from rankconst.errors import UndefinedError, UsageError
from rankconst.moments import compute_moments
from rankconst.tables.own_counts import Counts
from rankconst.tails import explain_lack, tail_probability
from rankconst.tasks import Histogram, sampled_histogram
from rankconst.values.whole_batches import draw_evenly

SMALL = [(1, 1), (1, 4), (2, 1), (2, 3), (3, 2), (4, 4), (5, 3), (3, 6), (6, 2)]


def _shared(n: int, negatives: int) -> Histogram:
    return sampled_histogram(f"sampled:{negatives}:shared", n)


def _arrange(n: int, negatives: int) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the scores of the true answers and of the negatives, in every order, each as likely."""
    scores = np.arange(float(n + negatives))
    for places in itertools.combinations(range(n + negatives), n):
        mask = np.isin(np.arange(n + negatives), places)
        yield scores[mask], scores[~mask]


def _count_hits(positive: NDArray[np.float64], negative: NDArray[np.float64], k: int) -> int:
    """Count hits as OGB's Evaluator does for ogbl-collab, -ppa and -ddi
    (ogb/linkproppred/evaluate.py, _eval_hits).
    """
    if len(negative) < k:
        return len(positive)
    return int(np.sum(positive > np.sort(negative)[-k]))


@for_each(("n", "negatives"), SMALL)
def test_hits_are_those_of_ogbs_evaluator_over_every_order_of_the_scores(
    n: int, negatives: int
) -> None:
    orders, histogram = list(_arrange(n, negatives)), _shared(n, negatives)
    for k in range(1, negatives + 3):
        metric = parse_metric(f"hits@{k}")
        hits = Counter(Fraction(_count_hits(*scores, k), n) for scores in orders)
        assert_within(compute_moments(metric, histogram), moments_of(hits))
        for least in range(n + 1):
            tail = tail_probability(metric, histogram, least / n)
            ways = sum(times for share, times in hits.items() if share * n >= least)
            assert (tail.method, tail.log10 <= 0, tail.error < 1e-13) == ("exact", True, True)
            assert abs(tail.log10 - math.log10(ways / hits.total())) <= tail.error + 1e-16


@for_each("name", ["mr", "mrr", "hits@2", "ndcg"])
@for_each(("n", "negatives"), SMALL)
def test_moments_of_means_over_every_order_of_the_scores(n: int, negatives: int, name: str) -> None:
    mean, variance = moments_of(
        Counter(
            sum(TERMS[name](1 + int(np.sum(negative > each))) for each in positive) / n
            for positive, negative in _arrange(n, negatives)
        )
    )
    moments = compute_moments(parse_metric(name), _shared(n, negatives))
    assert moments.expectation == pytest.approx(float(mean), rel=1e-14)
    error = moments.variance_error + 1e-16
    assert moments.variance == pytest.approx(float(variance), abs=error, rel=0)


def test_every_metric_has_constants_or_a_reason() -> None:
    alone, together = sampled_histogram("sampled:20", 50), _shared(50, 20)
    for family in CATALOGUE.values():
        metric = family.at(3) if family.takes_k else family
        if not metric.is_mean and metric.optimum is not None:
            with pytest.raises(UsageError, match=f"constants of {metric.label} for tasks that sh"):
                compute_moments(metric, together)
            continue
        one, other = (compute_moments(metric, histogram) for histogram in (alone, together))
        assert one.expectation == other.expectation
        assert other.variance == pytest.approx(one.variance * (1 + 49 / 22), rel=1e-15)
        is_known_alone = metric.family in {"inverse_harmonic_mean_rank", "arithmetic_mean_rank"}
        assert ("share their negatives" in explain_lack(metric, together)) == is_known_alone
    # A single task shares with nobody.
    one, other = (
        compute_moments(parse_metric("mrr"), each)
        for each in (_shared(1, 20), sampled_histogram("sampled:20", 1))
    )
    assert (one.expectation, one.variance) == (other.expectation, other.variance)


@for_each("share", [0.0001, 0.0005, 0.001, 0.02, 0.6455, 0.999, 1.0])
@for_each(
    ("n", "negatives", "k"), [(46_329, 100_000, 50), (3_031_780, 3_000_000, 100), (1000, 50, 10)]
)
def test_large_tails_at_forty_digits(n: int, negatives: int, k: int, share: float) -> None:
    tail = tail_probability(parse_metric(f"hits@{k}"), _shared(n, negatives), share)
    drawn = math.ceil(Fraction(share) * n * (1 - Fraction(1, 10**15))) + k - 1
    with mpmath.workdps(40):
        ways = sum(mpmath.binomial(negatives, j) * mpmath.binomial(n, drawn - j) for j in range(k))
        truth = mpmath.log10(ways) - mpmath.log10(mpmath.binomial(n + negatives, drawn))
        assert abs(tail.log10 - truth) <= tail.error <= 1e-12 * (1 + abs(tail.log10))


def test_every_k_up_to_the_number_of_negatives() -> None:
    # Over all k, beyond as many terms as are formed in one go: as if true answers and negatives
    # changed places.
    histogram, n = _shared(30, 20_000), 20_001
    for k in (5_000, 12_000, 19_999, 20_000):
        tail = tail_probability(parse_metric(f"hits@{k}"), histogram, 20 / 30)
        with mpmath.workdps(90):
            ways = (
                mpmath.binomial(30, x) * mpmath.beta(x + k, 30 - x + n - k) for x in range(20, 31)
            )
            chance = sum(ways) / mpmath.beta(k, n - k)
            assert abs(tail.log10 - mpmath.log10(chance)) <= tail.error


def test_what_is_not_known_of_shared_negatives_is_refused() -> None:
    protocol = "sampled:20:shared"
    find = functools.partial(open_once().constants, "nations", "hits@3", protocol=protocol)
    one = find(side="tail")
    assert one.variance == compute_moments(one.metric, _shared(one.num_tasks, 20)).variance
    for options in (
        {},
        {"side": "tail", "aggregation": "macro-query"},
        {"side": "tail", "relations": "embassy"},
    ):
        with pytest.raises(UsageError, match="matters which tasks share one list"):
            find(**options)
    with pytest.raises(UndefinedError, match="depend on each other"):
        rankconst.compare("0.3", "0.4", metric="hits@3", num_tasks=50, protocol=protocol)
    whole = Counts("50 tasks", {"both": _shared(50, 20)}).constants("mr")
    with pytest.raises(UndefinedError, match="share their negatives"):
        draw_evenly(whole, 4)
