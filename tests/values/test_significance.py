"""Tail probabilities beside z: their intervals, and how they are written."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankconst
from carried import open_once
from cases import for_each
from rankconst.catalogue.metrics import CATALOGUE, Metric, parse_metric
from rankconst.errors import UndefinedError
from rankconst.tails import TAILS, tail_probability
from rankconst.tasks import Histogram
from rankconst.values.published import Interval
from rankconst.values.significance import compute_significance, show_probability


def count_at_least(polynomials: list[list[int]]) -> list[Fraction]:
    """Return P(sum >= s) for every s: multiply polynomials of whole weights, one a task."""
    weights = [1]
    for polynomial in polynomials:
        product = [0] * (len(weights) + len(polynomial) - 1)
        for i, one in enumerate(weights):
            for j, other in enumerate(polynomial):
                product[i + j] += one * other
        weights = product
    return [Fraction(sum(weights[s:]), sum(weights)) for s in range(len(weights) + 1)]


def list_printed(n: int, text: str) -> list[Fraction]:
    """Return the whole numbers that, divided by n, may print as `text`."""
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    first, last = ((Fraction(text) + off) * n for off in (-half, half))
    return [Fraction(count) for count in range(math.ceil(first), math.floor(last) + 1)]


def check_attained(
    constants: rankconst.Constants, text: str, tails: dict[Fraction, Fraction], n: int
) -> None:
    found = constants.significance(text)
    nearest = min(tails, key=lambda count: abs(count / n - Fraction(text)))
    assert found.log10 == pytest.approx(math.log10(tails[nearest]), abs=1e-10)
    assert found.interval.lower == pytest.approx(math.log10(min(tails.values())), abs=1e-10)
    assert found.interval.upper == pytest.approx(math.log10(max(tails.values())), abs=1e-10)


def test_hits_of_nations_are_whole_at_every_precision() -> None:
    constants = open_once().constants("nations", "hits@10")
    histogram = constants.histogram
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks).tolist()
    at_least = count_at_least([[max(size - 10, 0), min(size, 10)] for size in sizes])
    for hits, decimals in itertools.product(range(371, 403), range(2, 6)):
        text = f"{hits / 402:.{decimals}f}"
        printed = [count for count in list_printed(402, text) if count <= 402]
        check_attained(constants, text, {count: at_least[int(count)] for count in printed}, 402)


SIZES = [2, 3, 5, 5, 7, 9, 9]


def test_sums_of_ranks_are_whole_at_every_precision() -> None:
    constants, most = rankconst.from_counts(SIZES).constants("mr"), sum(SIZES)
    at_least = count_at_least([[1] * size for size in SIZES])  # from 7, the least sum, on
    for total, decimals in itertools.product(range(7, most + 1), range(4)):
        text = f"{total / 7:.{decimals}f}"
        printed = [count for count in list_printed(7, text) if 7 <= count <= most]
        tails = {count: 1 - at_least[int(count) - 6] for count in printed}
        check_attained(constants, text, tails, 7)


def test_a_sum_of_ranks_may_be_a_half_where_two_share_a_tie() -> None:
    constants = rankconst.from_counts(SIZES).constants("mr")
    assert constants.significance(20.5 / 7) == constants.significance(20 / 7)
    said = r"MR = 2\.91 of 7 tasks would be 20\.33 to 20\.41 as the sum of ranks"
    with pytest.raises(UndefinedError, match=said):
        constants.significance("2.91")


def test_what_no_number_of_hits_gives_has_no_probability() -> None:
    constants = open_once().constants("nations", "hits@10")
    for value, said in (
        ("0.9805", r"0\.9805 of 402 tasks would be 394\.14 to 394\.18 hits.* several runs"),
        (0.97504321, "would be 391\\.97 hits"),
    ):
        with pytest.raises(UndefinedError, match=said):
            constants.significance(value)
    # A float of few digits is most likely a printed one.
    assert constants.significance(0.975) == constants.significance("0.975")
    # A program that computes in single precision means 394 hits.
    single = constants.significance(float(np.float32(394 / 402)))
    assert single.log10 == constants.significance("0.9801").log10


def test_the_interval_takes_in_what_the_computation_leaves_open() -> None:
    metric, histogram = parse_metric("mrr"), Histogram.from_counts([5, 6, 7, 8])
    middle, low, high, best = (
        tail_probability(metric, histogram, value) for value in (0.5, 0.4, 0.6, 1.0)
    )
    assert min(tail.error for tail in (middle, low, high)) > 0
    found = compute_significance(metric, histogram, 0.5, Interval(0.4, 0.6))
    assert found.log10 == middle.log10
    assert found.interval == Interval(high.log10 - high.error, low.log10 + low.error)
    # No probability is above 1; what is beyond the metric's range is the end of it.
    found = compute_significance(metric, histogram, 0.5, Interval(0.0, 1.1))
    assert found.interval.upper == 0.0
    assert found.interval.lower == pytest.approx(best.log10, rel=1e-14)


@for_each("metric", [m for m in CATALOGUE.values() if m.family not in TAILS])
def test_without_a_known_tail_it_is_refused(metric: Metric) -> None:
    constants = rankconst.from_counts([3, 4, 5]).constants(
        metric.at(2) if metric.takes_k else metric
    )
    with pytest.raises(UndefinedError, match=r"no tail probability of .* is known"):
        constants.significance(constants.expectation)


def test_nor_is_it_of_some_metrics_of_macro_averages_or_of_other_baselines() -> None:
    find = functools.partial(open_once().constants, "nations", aggregation="macro-query")
    assert find("mrr").significance("0.5").log10 < -10
    with pytest.raises(UndefinedError, match=r"unlike weights, only of Hits@k, MR and MRR\."):
        find("ndcg@10").significance("0.5")
    with pytest.raises(UndefinedError, match="of MRR is known for baselines other than chance"):
        compute_significance(parse_metric("mrr"), BLOCKS, 0.6, Interval(0.6, 0.6))


@for_each(
    ("log10", "interval", "shown"),
    [  # further ones are in its docstring
        (0.0, (0.0, 0.0), "1"),
        # 0.0504 is above 0.05: the upper end says so.
        (-1.4, (math.log10(0.031), math.log10(0.0504)), "0.031–0.051"),
        (-0.4, (math.log10(0.29), 0.0), "0.29–1"),
        # Ends that are the same in two digits are one number.
        (-1.3, (math.log10(0.0496), math.log10(0.0504)), "0.05"),
        (-math.inf, (-math.inf, -math.inf), "0"),
        (-12.0, (-12.0, -12.0), "1e-12"),
        (-12.01, (-12.01, -12.01), "< 1e-12"),
        (-15.0, (-math.inf, -14.0), "< 1e-14"),
        (-2.66, (-math.inf, -2.5), "0–0.0032"),
    ],
)
def test_how_probabilities_are_written(
    log10: float, interval: tuple[float, float], shown: str
) -> None:
    assert show_probability(log10, Interval(*interval)) == shown


@given(upper=st.floats(-11.9, 0), width=st.floats(0, 8))
def test_the_range_of_a_probability_covers_it(upper: float, width: float) -> None:
    ends = Interval(upper - width, upper)
    shown = [float(end) for end in show_probability(upper, ends).split("–")]
    if len(shown) == 2:
        assert shown[0] <= 10**ends.lower * (1 + 1e-5)
        assert shown[1] >= 10**ends.upper * (1 - 1e-5)


BLOCKS = Histogram.from_counts([3] * 20 + [2] * 20, offsets=[1] * 20 + [0] * 20)
"""Half of the tasks never rank first, the other half every second time."""


def test_values_out_of_the_rankers_reach_have_no_probability() -> None:
    found = compute_significance(parse_metric("hits@1"), BLOCKS, 0.6, Interval(0.6, 0.6))
    assert found.probability == 0
    assert str(found) == "0"
