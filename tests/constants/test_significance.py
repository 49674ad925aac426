"""Tail probabilities beside z: their intervals, and how they are written."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import pytest

import rankconst
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.constants.published import Interval
from rankconst.constants.significance import show_probability
from rankconst.errors import UndefinedError
from rankconst.tails import TAILS


def test_hits_are_binomial() -> None:
    hits = rankconst.from_counts([10] * 20).constants("hits@1")
    found = hits.significance("0.3")  # 5 to 7 hits of 20 print so with one decimal
    tails = {
        least: float(sum(comb(20, j) * Fraction(9) ** (20 - j) for j in range(least, 21)) / Fraction(10) ** 20)
        for least in (5, 6, 7)
    }
    assert found.method == "exact"
    assert found.probability == pytest.approx(tails[6], rel=1e-12)
    assert 10.0**found.interval.upper == pytest.approx(tails[5], rel=1e-9)
    assert 10.0**found.interval.lower == pytest.approx(tails[7], rel=1e-9)


def test_only_shares_that_there_are_count() -> None:
    """Of 402 tasks only 392 hits print as 0.975."""
    found = rankconst.load().constants("nations", "hits@10", protocol="pykeen").significance("0.975")
    assert found.interval.upper - found.interval.lower < 1e-10
    assert found.probability == pytest.approx(0.0022308, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mrr", "mr", "hits@10", "gmr", "igmr"])
def test_a_better_value_is_less_probable(name: str) -> None:
    constants = rankconst.load().constants("nations", name)
    better = constants.index.invert(0.2)
    worse = constants.index.invert(0.1)
    one, two = constants.significance(better, decimals=2), constants.significance(worse, decimals=2)
    assert one.log10 < two.log10 < 0
    for each in (one, two):
        assert each.interval.lower <= each.log10 <= each.interval.upper
        assert each.interval.upper - each.interval.lower > 0.01


def test_a_probability_that_underflows_has_its_logarithm() -> None:
    found = rankconst.load().constants("fb15k237", "mrr").significance("0.338")
    assert found.probability == 0.0
    assert found.interval.lower < found.log10 < found.interval.upper < -40_000
    assert str(found).startswith("10^(-45,9")


@pytest.mark.parametrize("metric", [m for m in CATALOGUE.values() if m.family not in TAILS])
def test_without_a_known_tail_it_is_refused(metric: rankconst.Metric) -> None:
    constants = rankconst.from_counts([3, 4, 5]).constants(metric)
    with pytest.raises(UndefinedError, match="no tail probability is known"):
        constants.significance(constants.expectation)


def test_macro_averages_have_none() -> None:
    constants = rankconst.load().constants("nations", "mrr", aggregation="macro-query")
    with pytest.raises(UndefinedError, match="macro averages"):
        constants.significance("0.5")


@pytest.mark.parametrize(
    ("log10", "interval", "shown"),
    [
        (0.0, (0.0, 0.0), "1"),
        (-2.66, (-2.66, -2.66), "0.0022"),
        (-2.66, (-2.8, -2.5), "0.0016–0.0032"),
        (-math.inf, (-math.inf, -math.inf), "0"),
        (-45948.7, (-46027.7, -45869.6), "10^(-45,950 ± 80)"),
        (-400.25, (-400.25, -400.25), "10^-400.2"),
    ],
)
def test_how_probabilities_are_written(log10: float, interval: tuple[float, float], shown: str) -> None:
    assert show_probability(log10, Interval(*interval)) == shown
