"""Models over several graphs: each test against enumeration, scipy or published tables, and against
simulation.
"""

import itertools
import math

import numpy as np
import pytest

from cases import choose, for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.values.standings import (
    Grid,
    bound_z,
    compare_across,
    compute_signed_ranks,
    find_critical_difference,
    log10_normal_tail,
    rank_with_ties,
)

MRR = parse_metric("mrr")


def make_grid(values: list[list[float]], num_tasks: list[int], half: float = 0.0) -> Grid:
    array = np.array(values)
    graphs = tuple(f"graph{place}" for place in range(array.shape[1]))
    names = tuple("ABCDEFGH"[: len(values)])
    return Grid(
        MRR, graphs, names, array, array - half, array + half, np.array(num_tasks, dtype=float)
    )


def test_two_models_over_six_graphs() -> None:
    better = [0.5, 0.6, 0.4, 0.3, 0.7, 0.2]
    found = compare_across(make_grid([[value - 0.1 for value in better], better], [1000] * 6))
    assert found.names == ("B", "A")
    assert found.means == pytest.approx([0.45, 0.35])
    assert found.wins.tolist() == [[0, 6], [0, 0]]
    assert 10 ** found.log10_p_graphs[0, 1] == pytest.approx(2 / 2**6)
    assert found.log10_p_queries is not None
    assert found.log10_p_queries[0, 1] < math.log10(0.05)
    assert "On the queries of these graphs B is better than A (p < 0.05)." in str(found)
    assert "On other graphs like these B is better than A (p < 0.05): it beats A on 6 of 6." in str(
        found
    )


def enumerate_signed_ranks(differences: list[float]) -> float:
    """Compute the p of the signed-rank test by trying all signs."""
    sizes = [abs(each) for each in differences if each]
    ranks = [
        sum(other < each for other in sizes) + (sum(other == each for other in sizes) + 1) / 2
        for each in sizes
    ]
    observed = sum(
        rank for rank, each in zip(ranks, filter(None, differences), strict=True) if each > 0
    )
    center = sum(ranks) / 2
    signs = list(itertools.product((0, 1), repeat=len(ranks)))
    sums = [sum(rank for rank, sign in zip(ranks, each, strict=True) if sign) for each in signs]
    return sum(abs(each - center) >= abs(observed - center) for each in sums) / len(signs)


@for_each("size", range(1, 11))
def test_signed_ranks_by_enumeration(size: int) -> None:
    """Ties and zeros too, and rows together as each alone."""
    rows = np.random.default_rng(size).integers(-4, 6, (20 if size < 8 else 3, size))
    expected = [enumerate_signed_ranks(row) for row in rows.tolist()]
    assert compute_signed_ranks(rows.astype(float)) == pytest.approx(expected, rel=1e-12)


def test_signed_ranks_and_ranges_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for size in (6, 12, 31, 57):
        differences = rng.normal(0.3, 1, size)
        exact = stats.wilcoxon(differences, mode="exact").pvalue
        assert compute_signed_ranks(differences[None]) == pytest.approx([exact], rel=1e-9)
    for models in choose([3], [2, 3, 20]):
        quantile = stats.studentized_range.ppf(0.95, models, np.inf) / math.sqrt(2)
        expected = quantile * math.sqrt(models * (models + 1) / (6 * 30))
        assert find_critical_difference(models, 30) == pytest.approx(expected, rel=1e-12)


def test_the_bound_by_loops() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0, 1, (2, 30, 7))
    num_tasks = rng.integers(50, 5000, 7).astype(float)
    found = bound_z(a, a, b, b, num_tasks)
    for z, ones, others in zip(found, a, b, strict=True):
        parts = zip(ones, others, num_tasks, strict=True)
        variance = sum(min(x + y, 2 - x - y) / n for x, y, n in parts)
        assert z == pytest.approx(abs(sum(ones - others)) / math.sqrt(variance), rel=1e-12)


def test_rounding_only_lowers_the_bound() -> None:
    values = [[0.5, 0.61], [0.52, 0.62]]
    exact, rounded = (
        compare_across(make_grid(values, [4000, 9000], half)).log10_p_queries
        for half in (0.0, 0.005)
    )
    assert exact is not None
    assert rounded is not None
    assert rounded[0, 1] > exact[0, 1]


@pytest.mark.parametrize("z", [0.0, 1.0, 5.0, 29.0, 31.0])
def test_normal_tails(z: float) -> None:
    mpmath = pytest.importorskip("mpmath")
    expected = float(mpmath.log10(mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2)) / 2))
    assert log10_normal_tail(z) == pytest.approx(expected, abs=1e-3)
    assert log10_normal_tail(z) >= expected - 1e-12


def test_equal_values_share_their_rank() -> None:
    rows = np.array([[3.0, 1.0, 3.0, 2.0], [5.0, 4.0, 6.0, 7.0]])
    assert rank_with_ties(rows).tolist() == [[3.5, 1.0, 3.5, 2.0], [2.0, 1.0, 3.0, 4.0]]


@pytest.mark.slow
def test_equal_models_are_seldom_told_apart() -> None:
    """False separations over 1,000 simulated suites of two equally good models: at most the level."""
    rng = np.random.default_rng(52)
    num_tasks = np.array([400, 900, 2000, 150, 3000, 700, 1200, 500])
    queries = graphs = 0
    for _ in range(1000):
        shares = rng.uniform(0.2, 0.8, num_tasks.size)
        one, other = (rng.binomial(num_tasks, shares) / num_tasks for _ in range(2))
        row, column = one[None, :], other[None, :]
        graphs += compute_signed_ranks(row - column)[0] <= 0.05
        z = bound_z(row, row, column, column, num_tasks.astype(float))[0]
        queries += 2 * 3.18 * 10 ** log10_normal_tail(z) <= 0.05
    assert graphs <= 50 + 3 * math.sqrt(50)
    assert queries <= 50
