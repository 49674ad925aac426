"""The sign test, beside sums of binomial coefficients."""

import math

import numpy as np
import pytest

from cases import for_each
from rankconst.tails.combinatorics import bound_sign_tests


@for_each("tosses", [*range(13), 63, 64, 65, 400, 1001, 5000])
def test_bounds_are_above_the_sum_of_all_ways_by_a_hair(tosses: int) -> None:
    surpluses = sorted(
        {*range(min(tosses, 12) + 1), tosses // 3, tosses - 1, tosses} & {*range(tosses + 1)}
    )
    found = bound_sign_tests(
        np.full(len(surpluses), float(tosses)), np.array(surpluses, dtype=np.float64)
    )
    coefficients = [1]  # a row of Pascal's triangle
    for heads in range(tosses):
        coefficients.append(coefficients[-1] * (tosses - heads) // (heads + 1))
    for surplus, bound in zip(surpluses, found.tolist(), strict=True):
        fewest = (tosses + surplus + 1) // 2
        ways = 2 * sum(coefficients[fewest:])
        log10_p = min(math.log10(ways) - tosses * math.log10(2), 0.0)
        rounding = 1e-15 * tosses  # of the powers of ten here
        assert log10_p - rounding <= bound <= log10_p + 2e-13 + 2e-15 * tosses


@pytest.mark.parametrize("z", [0.5, 3.0, 30.0])
def test_of_very_many_tosses_they_are_those_of_the_normal_distribution(z: float) -> None:
    tosses = 4.0e11
    surplus = 2 * round(z * math.sqrt(tosses) / 2)
    found = bound_sign_tests(np.array([tosses]), np.array([float(surplus)]))[0]
    normal = math.log10(
        math.erfc((surplus - 1) / math.sqrt(2 * tosses))
    )  # less half a toss, which is all it lacks
    assert found == pytest.approx(normal, rel=1e-7)
