"""Histograms: gathering, pooling, refusing."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.errors import DataError
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTS = st.lists(st.integers(1, 60) | st.integers(1, 2**53), min_size=1, max_size=40)


def as_dict(histogram: Histogram) -> dict[int, int]:
    return dict(zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True))


@given(COUNTS)
def test_from_counts_gathers(counts: list[int]) -> None:
    histogram = Histogram.from_counts(counts)
    assert as_dict(histogram) == dict(sorted(Counter(counts).items()))
    assert histogram.num_candidates.tolist() == sorted(set(counts))
    assert histogram.total == len(counts)
    assert len(histogram) == len(set(counts))


@given(COUNTS)
def test_mean_is_correctly_rounded(counts: list[int]) -> None:
    assert Histogram.from_counts(counts).mean == float(Fraction(sum(counts), len(counts)))


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 2**40)), min_size=1, max_size=30))
def test_from_counts_adds_multiplicities(pairs: list[tuple[int, int]]) -> None:
    expected: Counter[int] = Counter()
    for size, tasks in pairs:
        expected[size] += tasks
    histogram = Histogram.from_counts([size for size, _ in pairs], [tasks for _, tasks in pairs])
    assert as_dict(histogram) == dict(sorted(expected.items()))


@given(COUNTS, COUNTS)
def test_pool_takes_all_tasks_of_both(one: list[int], other: list[int]) -> None:
    pooled = Histogram.from_counts(one).pool(Histogram.from_counts(other))
    assert pooled == Histogram.from_counts(one + other)
    assert pooled == Histogram.from_counts(other).pool(Histogram.from_counts(one))


@given(COUNTS, COUNTS)
def test_equality_is_that_of_the_tasks(one: list[int], other: list[int]) -> None:
    left, right = Histogram.from_counts(one), Histogram.from_counts(other)
    assert (left == right) == (sorted(one) == sorted(other))
    twin = Histogram.from_counts(one[::-1])
    assert left == twin
    assert hash(left) == hash(twin)


def test_equality_with_something_else() -> None:
    assert Histogram.from_counts([1, 2]) != [1, 2]


def test_arrays_are_frozen_copies() -> None:
    sizes = np.array([2, 3])
    histogram = Histogram(sizes, np.array([1, 1]))
    sizes[0] = 1
    assert as_dict(histogram) == {2: 1, 3: 1}
    with pytest.raises(ValueError, match="read-only"):
        histogram.num_candidates[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        histogram.num_tasks[0] = 7


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint64, np.float32, np.float64])
def test_any_whole_numbers_will_do(dtype: Any) -> None:
    histogram = Histogram.from_counts(np.array([3, 1, 3], dtype=dtype))
    assert as_dict(histogram) == {1: 1, 3: 2}
    assert histogram.num_candidates.dtype == np.int64


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([], "at least one ranking task"),
        ([0, 3], r"num_candidates\[0\] is 0; expected at least 1"),
        ([-1], "expected at least 1"),
        ([2**53 + 1], r"at most 2\*\*53"),
        ([2.5], "whole numbers"),
        ([1.0, float("nan")], "whole numbers"),
        ([float("inf")], "whole numbers"),
        ([True], "whole numbers"),
        (["3"], "whole numbers"),
        ([None], "whole numbers"),
        ([2**70], "whole numbers|at most"),
        ([1e300], r"whole numbers|at most"),
        ([[1, 2]], "one-dimensional"),
        (3, "one-dimensional"),
    ],
)
def test_what_cannot_be_a_count_is_refused(counts: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Histogram.from_counts(counts)


@pytest.mark.parametrize(
    ("sizes", "tasks", "message"),
    [
        ([1, 2], [1], "must pair up"),
        ([2, 1], [1, 1], "ascending without repeats"),
        ([2, 2], [1, 1], "ascending without repeats"),
        ([1, 2], [1, 0], r"num_tasks\[1\] is 0"),
        ([1, 2], [1, -4], r"num_tasks\[1\] is -4"),
        ([1], [2**53 + 1], r"num_tasks runs from"),
        ([1], [0.5], "num_tasks must be whole numbers"),
    ],
)
def test_what_cannot_be_a_histogram_is_refused(sizes: Sequence[int], tasks: Sequence[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Histogram(np.array(sizes), np.array(tasks))


def test_from_counts_refuses_unpaired_multiplicities() -> None:
    with pytest.raises(DataError, match="must pair up"):
        Histogram.from_counts([1, 2, 3], [1, 2])
