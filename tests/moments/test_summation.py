"""Rules for sums over runs of whole numbers: exact for polynomials, whichever way their nodes are
found.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cases import for_each
from rankconst.moments.summation import Panel, gram_rules, place_nodes, uniform_rule
from rankconst.sums import EULER_MACLAURIN, MIDPOINT, TABLE, condense, scaled_power, sum_over_ranks


@for_each("size", [8, 16, 32])
@for_each("ratio", [1.5, 2, 2.1, 3.3, 10, 40])
def test_rules_sum_polynomials_exactly(size: int, ratio: float) -> None:
    length = round(size * ratio)
    (nodes,), (weights,) = gram_rules(np.array([length]), size)
    at = (nodes - (length - 1) / 2) / length
    for degree in (0, 1, 2, 4, size, 2 * size - 2):
        exact = sum(Fraction(2 * j - (length - 1), 2 * length) ** degree for j in range(length))
        error = abs(float(np.sum(weights * at**degree)) - float(exact))
        assert error <= 1e-13 * length * 0.5**degree


@pytest.mark.parametrize("nodes", [4, 9])
def test_rules_of_uniform_distributions_have_their_moments(nodes: int) -> None:
    sizes = np.array([1, 2, nodes - 1, nodes, nodes + 1, 17, 1000, 10**9], dtype=np.float64)
    at, weights = uniform_rule(sizes, nodes)
    for size, x, share in zip(sizes.astype(int).tolist(), at, weights, strict=True):
        assert share.min() >= 0
        for degree in range(2 * nodes):
            # Of few ranks, term by term; of many, the continuous distribution.
            exact = Fraction(1 - degree % 2, 2**degree * (degree + 1))
            if size <= 1000:
                places = (Fraction(2 * r - size - 1, 2 * size) for r in range(1, size + 1))
                exact = sum((place**degree for place in places), Fraction(0)) / size
            assert abs(float(share @ (x / size) ** degree) - float(exact)) <= 2e-15


def test_a_sum_says_what_it_leaves_out() -> None:
    """A function that varies within less than the panel's scale is not summed well, and the error
    tells.
    """
    nodes = place_nodes([Panel(0, 2000, 2000.0)])
    for width in (150.0, 300.0):
        f = 1 / (1 + np.square((nodes.points - 700.0) / width))
        found, error = nodes.sum(f, np.zeros_like(f))
        exact = float(np.sum(1 / (1 + np.square((np.arange(2000) - 700.0) / width))))
        assert 1e-9 * exact < abs(found - exact) < error


def test_a_size_may_be_a_point_of_the_interpolation() -> None:
    """There the Lagrange polynomials are 0 and 1, not a quotient of zeros."""
    sizes = 2**52 + np.arange(100) * 2**43
    points, _ = condense(sizes, np.ones_like(sizes))
    assert points.size == 24
    sizes = np.unique(np.append(sizes, points[:3].astype(np.int64)))
    kept, weights = condense(sizes, np.full(sizes.size, 7))
    assert np.array_equal(kept, points)
    for g in (np.log, np.sqrt, np.ones_like):
        assert float(weights @ g(kept)) == pytest.approx(
            7 * float(np.sum(g(sizes.astype(np.float64)))), rel=1e-14
        )


@pytest.mark.parametrize(
    ("coefficients", "start", "edge"),
    [(EULER_MACLAURIN, Fraction(0), Fraction(1, 2)), (MIDPOINT, Fraction(1, 2), 0)],
)
def test_formulas_of_euler_and_maclaurin_end_for_powers(
    coefficients: tuple[float, ...], start: Fraction, edge: Fraction
) -> None:
    """The sum over the one rank 1 of r^d, from integral and derivatives."""

    def rise(power: int) -> Fraction:
        return (start + 1) ** power - start**power

    for degree in range(2, 2 * len(coefficients) + 1):
        total = rise(degree + 1) / (degree + 1) + edge * rise(degree)
        for m, coefficient in zip(range(1, degree, 2), coefficients, strict=False):
            total += Fraction(coefficient) * math.perm(degree, m) * rise(degree - m)
        assert float(total) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    "f",
    [lambda x: x**-1, np.log1p, np.sqrt, lambda x: np.stack([x**-2, np.exp(-x / 1000)])],
    ids=range(4),
)
def test_sums_over_ranks_are_those_of_their_terms(f: Callable[[Any], Any]) -> None:
    sizes = [1, 2, 17, TABLE - 1, TABLE, TABLE + 1, 1500, 2 * TABLE + 1, 5000, 9000]
    found = np.atleast_2d(sum_over_ranks(f, np.array(sizes)))
    terms = np.atleast_2d(f(np.arange(1.0, sizes[-1] + 1)))
    for row, values in zip(found, terms, strict=True):
        assert row == pytest.approx([math.fsum(values[:size]) for size in sizes], rel=1e-13, abs=0)


def test_scaled_powers_of_different_exponents_are_those_of_each() -> None:
    sizes, powers = np.array([1, 3, 16, 17, 40, 10**6]), [-1.5, -1.0, -0.5, -0.375, -0.1, 0.25, 2.0]
    pairs = np.array([(size, power) for power in powers for size in sizes])
    together = scaled_power(pairs[:, 0].astype(np.int64), pairs[:, 1])
    alone = np.concatenate([scaled_power(sizes, power) for power in powers], axis=1)
    assert np.array(together) == pytest.approx(alone, rel=1e-14, abs=0)
