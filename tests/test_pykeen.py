"""Where PyKEEN is right it agrees with us; where it is wrong, by how much.

Every number below that is called PyKEEN's was printed by PyKEEN 1.11.1 (NumPy 2.4.6, SciPy 1.17.1,
torch 2.13.0, x86-64) for counts in int64, the true answer included::

    from pykeen.metrics import ranking
    metric.expected_value(counts)                                                           # closed forms
    metric.expected_value(counts, num_samples=10_000, generator=np.random.default_rng(20220315))  # sampled ones

and likewise ``metric.variance``. It is not imported here; `tests/benchmarks/pykeen_metrics.py`
compares on whole benchmarks.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from carried import open_once
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError, UndefinedError
from rankconst.moments import Moments, compute_moments
from rankconst.tasks import Histogram
from rankconst.values.affine import ADJUSTMENTS

SAMPLES = 10_000

COUNTS = {
    "two": Histogram.from_counts([10, 10]),
    "five": Histogram.from_counts([1, 2, 5, 14, 14]),
    "thousand": Histogram.from_counts([100] * 1000),
    # Nations, test, both sides.
    "nations": Histogram(np.arange(2, 15), np.array([29, 19, 27, 20, 63, 32, 43, 35, 21, 29, 33, 25, 26])),
}  # fmt: skip
"""Numbers of candidates, by a name of ours."""

CLOSED = {
    ("five", "arithmetic_mean_rank"): (4.1, 1.3900000000000001),
    ("five", "inverse_harmonic_mean_rank"): (0.534235114092257, 0.010557431185596086),
    ("five", "hits_at_1"): (0.36857142857142855, 0.021706122448979594),
    ("five", "hits_at_3"): (0.6057142857142858, 0.02306938775510204),
    ("five", "hits_at_10"): (0.8857142857142858, 0.0163265306122449),
    ("five", "geometric_mean_rank"): (2.7468009074605697, 0.42526831759793815),
    ("thousand", "arithmetic_mean_rank"): (50.5, 0.83325),
    ("thousand", "inverse_harmonic_mean_rank"): (0.05187377517639621, 1.3658950450797627e-05),
    ("thousand", "hits_at_1"): (0.01, 9.900000000000002e-06),
    ("thousand", "hits_at_3"): (0.030000000000000013, 2.9100000000000006e-05),
    ("thousand", "hits_at_10"): (0.10000000000000002, 8.999999999999999e-05),
    ("thousand", "geometric_mean_rank"): (38.00888276075482, 1.2306114422960945),
    ("nations", "arithmetic_mean_rank"): (4.477611940298507, 0.01542969233434816),
    ("nations", "inverse_harmonic_mean_rank"): (0.38444140826994855, 0.0001811798442196573),
    ("nations", "hits_at_1"): (0.1671274482841647, 0.0003147828640735353),
    ("nations", "hits_at_3"): (0.46531269311120055, 0.00047319450279851465),
    ("nations", "hits_at_10"): (0.9469299357359057, 0.00010348766008065498),
    ("nations", "geometric_mean_rank"): (3.4688787654428794, 0.012042229544263705),
}
"""Counts and metric to PyKEEN's expectation and variance in closed form."""

SAMPLED = {
    ("two", "median_rank"): (5.49895, 4.109884885988599),
    ("five", "inverse_geometric_mean_rank"): (0.3873367867861386, 0.011016381552352947),
    ("five", "inverse_arithmetic_mean_rank"): (0.26922644238455334, 0.01028046475617478),
    ("five", "harmonic_mean_rank"): (1.9358279166681456, 0.1265443633120189),
    ("five", "median_rank"): (2.609, 1.4654655465546558),
    ("five", "inverse_median_rank"): (0.48791833333333334, 0.0664258703620362),
    ("five", "variance"): (13.868088, 74.05447891214722),
    ("five", "standard_deviation"): (3.494688425261127, 1.6554063509810066),
    ("five", "median_absolute_deviation"): (2.1442875886246524, 2.7556414708916757),
    ("five", "count"): (5.0, 0.0),
    ("thousand", "inverse_geometric_mean_rank"): (0.02633576451990956, 5.862729712572347e-07),
    ("thousand", "inverse_arithmetic_mean_rank"): (0.0198078881401977, 1.2829843687150023e-07),
    ("thousand", "harmonic_mean_rank"): (19.367297410363175, 1.930332368171122),
    ("thousand", "median_rank"): (50.5034, 2.560694509450945),
    ("thousand", "inverse_median_rank"): (0.01982060063463004, 3.974668540323915e-07),
    ("thousand", "variance"): (832.8527439161999, 548.9531386434454),
    ("thousand", "standard_deviation"): (28.8563319877102, 0.16486461771500305),
    ("thousand", "median_absolute_deviation"): (37.00723397611832, 1.5332884320237155),
    ("thousand", "count"): (1000.0, 0.0),
    ("nations", "inverse_geometric_mean_rank"): (0.2885889538791493, 8.432645717364324e-05),
    ("nations", "inverse_arithmetic_mean_rank"): (0.22354656317756116, 3.8710843219149236e-05),
    ("nations", "harmonic_mean_rank"): (2.604564912950401, 0.008400387190285878),
    ("nations", "median_rank"): (3.93765, 0.05479295679567957),
    ("nations", "inverse_median_rank"): (0.2551083333333333, 0.00037463683868386825),
    ("nations", "variance"): (9.220483835796145, 0.3447876852371739),
    ("nations", "standard_deviation"): (3.0349810293319255, 0.009374924883956047),
    ("nations", "median_absolute_deviation"): (2.9586068571388537, 0.007815494373751234),
    ("nations", "count"): (402.0, 0.0),
}
"""The same from samples; expectation and variance from the same ones."""

# get_candidate_set_size for the test triples of the Nations that come with PyKEEN, filtered by
# train and valid.
NATIONS_OF_PYKEEN = {
    1: 29, 2: 19, 3: 27, 4: 20, 5: 63, 6: 32, 7: 43, 8: 35, 9: 21, 10: 29, 11: 33, 12: 25, 13: 26,
}  # fmt: skip
# E[MRR] of those counts, and of the other graphs that come with PyKEEN; and how much it is too
# high, in per cent.
MRR_OF_PYKEEN = {
    "nations": (0.4398043905655402, 14.4),
    "umls": (0.06370230712267572, 8.3),
    "kinships": (0.054931651371226436, 0.9),
}

# Var[GMR] of so many tasks with 10 candidates each; and what its relative error is, to one digit.
GMR_VARIANCES = {
    1_000: (0.009919299440653617, 2e-9),
    10_000: (0.0009918279288214649, 8e-9),
    100_000: (9.918252552054696e-05, 8e-6),
    1_000_000: (9.938264085462833e-06, 2e-3),
}


def moments_of(metric: str, counts: Histogram) -> Moments:
    return compute_moments(parse_metric(metric), counts)


def relative(theirs: float, ours: float) -> float:
    return theirs / ours - 1


def reduce_by_one(counts: Histogram) -> Histogram:
    return Histogram(counts.num_candidates - 1, counts.num_tasks)


# Where PyKEEN is right.


@pytest.mark.parametrize(("name", "metric"), CLOSED)
def test_closed_forms_agree(name: str, metric: str) -> None:
    """Within 1e-12, relative; of GMR, which PyKEEN sums over n rounded logarithms, a few digits
    less.
    """
    ours = moments_of(metric, COUNTS[name])
    expectation, variance = CLOSED[name, metric]
    tolerances = (1e-11, 1e-8) if metric == "geometric_mean_rank" else (1e-12, 1e-12)
    assert math.isclose(ours.expectation, expectation, rel_tol=tolerances[0])
    assert math.isclose(ours.variance, variance, rel_tol=tolerances[1])


@pytest.mark.parametrize(("name", "metric"), SAMPLED)
def test_sampled_expectations_lie_within_their_noise(name: str, metric: str) -> None:
    """Five standard errors of a mean of 10,000 samples, from our exact variance."""
    ours = moments_of(metric, COUNTS[name])
    expectation, _ = SAMPLED[name, metric]
    error = math.hypot(math.sqrt(ours.variance / SAMPLES), ours.expectation_error)
    assert abs(expectation - ours.expectation) <= 5 * error


@pytest.mark.parametrize("metric", [metric for name, metric in SAMPLED if name == "thousand"])
def test_sampled_variances_lie_within_their_noise(metric: str) -> None:
    """With a thousand tasks every metric is near normal, and the standard error of its variance that of a normal law.

    Not so with few candidates: on Nations the median is 3 once in twenty times and 4 as a rule.
    """
    ours = moments_of(metric, COUNTS["thousand"])
    _, variance = SAMPLED["thousand", metric]
    error = math.hypot(ours.variance * math.sqrt(2 / (SAMPLES - 1)), ours.variance_error)
    assert abs(variance - ours.variance) <= 5 * error


# Where it is not.


def test_one_candidate_too_few() -> None:
    """`get_candidate_set_size` takes the true answer off too, where the ranks it is to be compared
    with include it.
    """
    counts = open_once().histogram("nations", protocol="pykeen")
    assert counts == COUNTS["nations"]
    reduced = reduce_by_one(counts)
    theirs = dict(zip(reduced.num_candidates.tolist(), reduced.num_tasks.tolist(), strict=True))
    assert theirs == NATIONS_OF_PYKEEN


@pytest.mark.parametrize("dataset", MRR_OF_PYKEEN)
def test_one_candidate_too_few_makes_the_expected_mrr_too_high(dataset: str) -> None:
    counts = open_once().histogram(dataset, protocol="pykeen")
    theirs, per_cent = MRR_OF_PYKEEN[dataset]
    assert math.isclose(moments_of("mrr", reduce_by_one(counts)).expectation, theirs, rel_tol=1e-12)
    assert round(100 * relative(theirs, moments_of("mrr", counts).expectation), 1) == per_cent


def test_variance_of_mean_rank_overflows_on_32_bit_counts() -> None:
    """N = 50,000, twice: the square of N leaves int32, and Var[MR] is negative; z then has a `math
    domain error`.
    """
    theirs_32, theirs_64 = -74790304.04166667, 104166666.625
    ours = moments_of("mr", Histogram.from_counts(np.array([50_000, 50_000], dtype=np.int32)))
    assert math.isclose(ours.variance, theirs_64, rel_tol=1e-12)
    # What is missing is one turn of the 32 bits, over 12 n.
    assert math.isclose(ours.variance - theirs_32, 2**32 / 12 / 2, rel_tol=1e-12)


def test_a_count_of_0_reads_the_last_entry_of_a_table() -> None:
    """E[MRR] of the counts 0 and 5 comes out as that of 5 and 5; as the true answer counts, 0
    cannot be one.
    """
    theirs = 0.45666666666666667
    assert math.isclose(
        moments_of("mrr", Histogram.from_counts([5, 5])).expectation, theirs, rel_tol=1e-12
    )
    with pytest.raises(DataError, match="at least 1"):
        Histogram.from_counts([0, 5])


@pytest.mark.parametrize("adjustment", ["z", "index"])
def test_a_spread_of_0_is_clamped_instead_of_refused(adjustment: str) -> None:
    """Hits@10 of 7 and 9 candidates is 1 for every ranker.

    `ZHitsAtK(k=10)` and `AdjustedHitsAtK(k=10)` divide by 1e-12 instead of 0: scale 1e12, offset
    -1e12, and so 0 for every ranker.
    """
    metric = parse_metric("hits@10")
    moments = compute_moments(metric, Histogram.from_counts([7, 9]))
    assert (moments.expectation, moments.variance) == (1.0, 0.0)
    with pytest.raises(UndefinedError):
        ADJUSTMENTS[adjustment](metric, moments)


def test_median_of_an_even_number_of_tasks() -> None:
    """Of two tasks with 10 candidates: 5.5, which 1.11.1 samples; it has no exact median.

    The closed form that was merged after 1.11.1 (pull request 1575) took the upper of the two
    middle ranks instead of their mean, which is 7.15 here. (Found by reading it; it was not run.)
    """
    ranks = list(itertools.product(range(1, 11), repeat=2))
    assert Fraction(sum(max(pair) for pair in ranks), len(ranks)) == Fraction("7.15")
    assert Fraction(sum(map(sum, ranks)), 2 * len(ranks)) == Fraction("5.5")
    assert math.isclose(moments_of("median_rank", COUNTS["two"]).expectation, 5.5, rel_tol=1e-12)
    sampled, _ = SAMPLED["two", "median_rank"]
    assert abs(sampled - 5.5) < 0.1


@pytest.mark.parametrize("num_tasks", GMR_VARIANCES)
def test_variance_of_gmr_is_cancelled(num_tasks: int) -> None:
    """E[GMR^2] - E[GMR]^2, each a product of n rounded factors: what is left of 16 digits shrinks
    with n.
    """
    theirs, size = GMR_VARIANCES[num_tasks]
    ours = moments_of("gmr", Histogram.from_counts([10], [num_tasks]))
    assert float(f"{abs(relative(theirs, ours.variance)):.0e}") == size
    assert ours.variance_error < 1e-12 * ours.variance


def test_variance_of_gmr_on_a_training_split() -> None:
    """FB15k-237, train, both sides: 4.5e-3 too much, so that z(GMR) is 2.3e-3 too small."""
    theirs = 51.301265962421894
    counts = open_once().histogram("fb15k237", split="train", protocol="pykeen")
    ours = moments_of("gmr", counts)
    assert round(relative(theirs, ours.variance), 4) == 4.5e-3
    assert round(relative(math.sqrt(ours.variance), math.sqrt(theirs)), 4) == -2.3e-3
