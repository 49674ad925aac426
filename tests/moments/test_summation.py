"""Rules for sums over runs of whole numbers: exact for polynomials, whichever way their nodes are found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from rankconst.moments.summation import gram_rules


@pytest.mark.parametrize("size", [8, 16, 32])
@pytest.mark.parametrize("ratio", [1.5, 2, 2.1, 3.3, 10, 40])
def test_rules_sum_polynomials_exactly(size: int, ratio: float) -> None:
    length = round(size * ratio)
    (nodes,), (weights,) = gram_rules(np.array([length]), size)
    at = (nodes - (length - 1) / 2) / length
    for degree in (0, 1, 2, 4, size, 2 * size - 2):
        exact = sum(Fraction(2 * j - (length - 1), 2 * length) ** degree for j in range(length))
        assert abs(float(np.sum(weights * at**degree)) - float(exact)) <= 1e-13 * length * 0.5**degree


def test_rules_formed_together_are_those_formed_alone() -> None:
    lengths = np.array([70, 90, 1000, 10**6, 10**12])
    together = gram_rules(lengths, 16)
    for place, length in enumerate(lengths.tolist()):
        alone = gram_rules(np.array([length]), 16)
        assert all(np.array_equal(one[0], many[place]) for one, many in zip(alone, together, strict=True))
