"""Where PyKEEN is right it agrees with us; where it is wrong, by how much.

Every number below that is called PyKEEN's was printed by PyKEEN 1.11.1 (NumPy 2.4.6, SciPy 1.17.1,
torch 2.13.0, x86-64) for counts in int64, the true answer included::

    from pykeen.metrics import ranking
    metric.expected_value(counts)

and likewise ``metric.variance``. It is not imported here; `tests/benchmarks/pykeen_metrics.py`
compares on whole benchmarks.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from carried import open_once
from rankconst.catalogue.metrics import parse_metric
from rankconst.moments import Moments, compute_moments
from rankconst.tasks import Histogram

# Nations, test, both sides.
NATIONS = Histogram(
    np.arange(2, 15), np.array([29, 19, 27, 20, 63, 32, 43, 35, 21, 29, 33, 25, 26])
)

CLOSED = {
    "arithmetic_mean_rank": (4.477611940298507, 0.01542969233434816),
    "inverse_harmonic_mean_rank": (0.38444140826994855, 0.0001811798442196573),
    "hits_at_1": (0.1671274482841647, 0.0003147828640735353),
    "hits_at_3": (0.46531269311120055, 0.00047319450279851465),
    "hits_at_10": (0.9469299357359057, 0.00010348766008065498),
    "geometric_mean_rank": (3.4688787654428794, 0.012042229544263705),
}
"""Metric to PyKEEN's expectation and variance in closed form."""

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


def moments_of(metric: str, counts: Histogram) -> Moments:
    return compute_moments(parse_metric(metric), counts)


def relative(theirs: float, ours: float) -> float:
    return theirs / ours - 1


def reduce_by_one(counts: Histogram) -> Histogram:
    return Histogram(counts.num_candidates - 1, counts.num_tasks)


# Where PyKEEN is right.


@pytest.mark.parametrize("metric", CLOSED)
def test_closed_forms_agree(metric: str) -> None:
    """But for a few digits of GMR, which PyKEEN sums over n rounded logarithms."""
    ours, tolerance = moments_of(metric, NATIONS), 1e-8 if metric.startswith("geom") else 1e-12
    assert (ours.expectation, ours.variance) == pytest.approx(CLOSED[metric], rel=tolerance)


# Where it is not.


def test_one_candidate_too_few() -> None:
    """`get_candidate_set_size` takes the true answer off too, where the ranks it is to be compared
    with include it.
    """
    assert open_once().histogram("nations", protocol="pykeen") == NATIONS
    reduced = reduce_by_one(NATIONS)
    theirs = dict(zip(reduced.num_candidates.tolist(), reduced.num_tasks.tolist(), strict=True))
    assert theirs == NATIONS_OF_PYKEEN


@pytest.mark.parametrize("dataset", MRR_OF_PYKEEN)
def test_one_candidate_too_few_makes_the_expected_mrr_too_high(dataset: str) -> None:
    counts = open_once().histogram(dataset, protocol="pykeen")
    theirs, per_cent = MRR_OF_PYKEEN[dataset]
    assert math.isclose(moments_of("mrr", reduce_by_one(counts)).expectation, theirs, rel_tol=1e-12)
    assert round(100 * relative(theirs, moments_of("mrr", counts).expectation), 1) == per_cent


def test_variance_of_gmr_on_a_training_split() -> None:
    """FB15k-237, train, both sides: 4.5e-3 too much, so that z(GMR) is 2.3e-3 too small."""
    theirs = 51.301265962421894
    counts = open_once().histogram("fb15k237", split="train", protocol="pykeen")
    ours = moments_of("gmr", counts)
    assert round(relative(theirs, ours.variance), 4) == 4.5e-3
    assert round(relative(math.sqrt(ours.variance), math.sqrt(theirs)), 4) == -2.3e-3
