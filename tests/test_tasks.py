"""Addresses of ranking tasks: spelled, printed, described; histograms: gathering, pooling,
refusing.
"""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.catalogue.protocols import find_protocol, parse_protocol
from rankconst.errors import DataError, UndefinedError, UnknownNameError, UsageError
from rankconst.tasks import Histogram, Tasks, sampled_histogram

# Addresses.


@for_each(
    ("named", "printed", "described"),
    [
        ({}, "nations/test/both/standard", "test, both sides, protocol standard"),
        ({"protocol": "raw", "side": "head"}, "nations/test/head/raw", "test, head side, protocol raw"),
        ({"aggregation": "macro-query"}, "nations/test/both/standard/macro-query", "standard, macro-query"),
        ({"relations": ("a", "b")}, "nations/test/both/standard (a, b)", "protocol standard, only a, b"),
        ({"baseline": "frequency"}, "nations/test/both/standard/frequency", "standard, baseline frequency"),
        # Counts of one's own have no split.
        ({"protocol": "own counts", "split": ""}, "nations/both/own counts", "protocol own counts"),
    ],
)  # fmt: skip
def test_an_address_is_short_and_says_what_it_means(
    named: dict[str, Any], printed: str, described: str
) -> None:
    tasks = Tasks("nations", **named)
    assert str(tasks) == printed
    assert tasks.describe().endswith(described)
    assert tasks.describe().startswith("test, " if tasks.split else "protocol")


def test_parse_reads_any_usual_spelling() -> None:
    assert Tasks.parse("fb15k237") == Tasks("fb15k237")
    names = {"split": "validation", "side": "left", "protocol": "PyKEEN", "aggregation": "query"}
    parsed = Tasks.parse("nations", **names, relations=["b", "a", "b"])
    assert parsed == Tasks("nations", "pykeen", "valid", "head", "macro-query", ("b", "a"))
    assert (Tasks("a").is_micro, parsed.is_micro) == (True, False)
    assert Tasks.parse("nations", relations="embassy").relations == ("embassy",)
    for name in names:
        with pytest.raises(UnknownNameError, match=f"unknown {name} 'nope'"):
            Tasks.parse("nations", **{name: "nope"})


def test_both_sides_are_the_two() -> None:
    head, tail = Tasks("nations", "raw", relations=("embassy",)).sides
    assert head == Tasks("nations", "raw", side="head", relations=("embassy",))
    assert tail == Tasks("nations", "raw", side="tail", relations=("embassy",))
    assert (head.sides, tail.sides) == ((head,), (tail,))


# Histograms.


Row = tuple[int, int, float, int]  # offset, candidates, weight, tasks
ROWS = st.lists(
    st.tuples(
        st.integers(0, 3) | st.just(2**31),
        st.integers(1, 4) | st.integers(1, 2**53),
        st.sampled_from([0.25, 0.5, 1.0]),
        st.integers(1, 9) | st.just(2**40),
    ),
    min_size=1,
    max_size=15,
)
COLUMNS = st.tuples(st.booleans(), st.booleans())


def gather(rows: list[Row], offset: bool, weighted: bool) -> Histogram:
    offsets, sizes, weights, tasks = zip(*rows, strict=True)
    return Histogram.from_counts(
        sizes, tasks, weights if weighted else None, offsets if offset else None
    )


def count(
    rows: list[Row], offset: bool, weighted: bool
) -> list[tuple[tuple[int, int, float], int]]:
    found: Counter[tuple[int, int, float]] = Counter()
    for above, size, weight, tasks in rows:
        found[above * offset, size, weight if weighted else 1.0] += tasks
    return sorted(found.items())


def list_rows(histogram: Histogram) -> list[tuple[tuple[int, int, float], int]]:
    offsets = [0] * len(histogram) if histogram.offsets is None else histogram.offsets.tolist()
    weights = [1.0] * len(histogram) if histogram.weights is None else histogram.weights.tolist()
    keys = zip(offsets, histogram.num_candidates.tolist(), weights, strict=True)
    return list(zip(keys, histogram.num_tasks.tolist(), strict=True))


@given(ROWS, ROWS, COLUMNS, COLUMNS)
def test_tasks_are_gathered_and_pooled_by_offset_size_and_weight(
    one: list[Row], other: list[Row], first: tuple[bool, bool], second: tuple[bool, bool]
) -> None:
    """In any order; a task without a weight counts once, and none ranks above one without an
    offset.
    """
    left, right = gather(one, *first), gather(other, *second)
    assert list_rows(left) == count(one, *first)
    assert left.is_weighted == first[1]
    assert left == gather(one[::-1], *first)
    assert hash(left) == hash(gather(one[::-1], *first))
    assert (left == right) == (
        count(one, *first) == count(other, *second) and first[1] == second[1]
    )
    assert left != list_rows(left)
    total = sum(tasks for *_, tasks in one)
    assert left.total == total
    assert left.last_ranks.tolist() == [above + size for (above, size, _), _ in list_rows(left)]
    assert left.mean == float(Fraction(sum(size * tasks for _, size, _, tasks in one), total))
    weight = sum(Fraction(weight if first[1] else 1) * tasks for *_, weight, tasks in one)
    assert left.total_weight == pytest.approx(float(weight), rel=1e-15)
    expected: Counter[tuple[int, int, float]] = Counter()
    for rows, columns in ((one, first), (other, second)):
        expected.update(dict(count(rows, *columns)))
    assert list_rows(left.pool(right)) == sorted(expected.items())
    assert left.pool(right) == right.pool(left)


@given(ROWS, st.data())
def test_groups_are_gathered_as_each_alone(rows: list[Row], data: st.DataObject) -> None:
    numbers = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    groups = np.array(data.draw(numbers))
    offsets, sizes, _, tasks = (np.array(column) for column in zip(*rows, strict=True))
    for above in (offsets, None):
        found = Histogram.of_groups(groups, sizes, tasks, above)
        assert [*found] == sorted(set(groups.tolist()))
        for group, histogram in found.items():
            own = groups == group
            of_group = None if above is None else above[own]
            assert histogram == Histogram.from_counts(sizes[own], tasks[own], offsets=of_group)
            for column in (histogram.num_candidates, histogram.num_tasks):
                assert not column.flags.writeable


def test_rows_are_sorted_whatever_their_size() -> None:
    """Packed into one number, the first two would be just too large for 64 bits, and the weights
    lost by rounding.
    """
    found = Histogram.from_counts([2**32, 1], offsets=[2**31, 0])
    assert found.num_candidates.tolist() == [1, 2**32]
    assert list_rows(Histogram.from_counts([2**52, 2**52], weights=[0.5, 0.25]))[0] == (
        (0, 2**52, 0.25),
        1,
    )


def test_shared_negatives_are_of_one_set_of_tasks() -> None:
    shared, other = sampled_histogram("sampled:4:shared", 3), Histogram.from_counts([5])
    for one, two in ((shared, other), (other, shared)):
        with pytest.raises(UndefinedError, match="that share their negatives cannot be pooled"):
            one.pool(two)
    for sizes, columns in (([5], {"offsets": [1]}), ([5], {"weights": [0.5]}), ([5, 6], {})):
        arrays = {name: np.array(values) for name, values in columns.items()}
        with pytest.raises(DataError, match="all have the same number of candidates"):
            Histogram(np.array(sizes), np.ones_like(sizes), shared=True, **arrays)


def test_arrays_are_frozen_copies_of_whole_numbers() -> None:
    for dtype in (np.int8, np.uint16, np.int32, np.uint64, np.float32, np.float64):
        sizes: Any = np.array([2, 3], dtype=dtype)
        histogram = Histogram(sizes, np.array([1, 1]), np.array([0.5, 1]), np.array([0, 0]))
        sizes[0] = 1
        assert histogram.num_candidates.tolist() == [2, 3]
        assert histogram.num_candidates.dtype == np.int64
        assert histogram.offsets is None
        for values in (histogram.num_candidates, histogram.num_tasks, histogram.weights):
            assert values is not None
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 7


@for_each(
    ("counts", "message"),
    [
        ([], "at least one ranking task"),
        ([0, 3], r"counts\[0\] is 0; expected at least 1 \(the true answer counts\)"),
        ([2**53 + 1], r"at most 2\*\*53"),
        ([3, 2**53 + 1], r"counts runs from 3 to .*at most 2\*\*53"),
        ([3, -(2**60)], r"counts runs from -.*to 3; expected at most 2\*\*53"),
        *(([each], "whole numbers") for each in (2.5, math.nan, math.inf, True, "3", None)),
        ([10**5000], "such as <int of more digits than can be written>"),
        ([[1, 2]], "one-dimensional"),
        ([[1, 2], 3], "expected a number for each ranking task; setting an array element with a sequence"),
        (pa.scalar("12"), "one-dimensional"),
        (np.ma.array([1, 2], mask=[False, True]), "1 of the values are masked"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_count_is_refused(counts: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Histogram.from_counts(counts)


@for_each(
    ("columns", "message"),
    [
        (([1, 2], [1]), "must pair up"),
        (([2, 1], [1, 1]), "^num_candidates must be ascending without repeats"),
        (([1, 2], [1, 0]), r"num_tasks\[1\] is 0; expected at least 1\.$"),
        (([1], [2**53 + 1]), r"num_tasks runs from"),
        (([1], [0.5]), "num_tasks must be whole numbers"),
        (([3], [1], [1.0, 2.0]), r"weights have shape \(2,\); expected \(1,\)"),
        (([3], [1], [0.0]), r"weights\[0\] is 0.0; expected a positive number"),
        (([3], [1], [math.nan]), r"weights\[0\] is nan"),
        (([3], [1], ["a"]), "weights must be numbers"),
        (([3], [1], np.ma.array([1.0], mask=[True])), "weights: 1 of the values are masked"),
        (([4, 3], [1, 1], [1.0, 1.0]), "rows of num_candidates and weights must be ascending"),
        (([3, 3], [1, 1], [1.0, 1.0]), "ascending"),
        (([1, 2], [1, 1], None, [1, 0]), "rows of offsets and num_candidates must be ascending"),
        (([2, 3], [1, 1], None, [0, -1]), r"offsets\[1\] is -1; expected at least 0"),
        (([2, 3], [1, 1], None, [1]), "offsets have 1 entries and num_candidates 2; they must pair up"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_histogram_is_refused(columns: tuple[Any, ...], message: str) -> None:
    arrays: list[Any] = [None if column is None else np.asanyarray(column) for column in columns]
    with pytest.raises(DataError, match=message):
        Histogram(*arrays)
    if "ascending" not in message:
        with pytest.raises(DataError, match=message):
            Histogram.from_counts(*columns)


def test_tasks_add_up_to_what_a_float_can_tell() -> None:
    assert Histogram.from_counts([1, 2], [2**53 - 1, 1]).total == 2**53
    # 1,025 sizes have more tasks than 64 bits can count.
    for sizes in (2, 1025):
        with pytest.raises(DataError, match="num_tasks add up to "):
            Histogram.from_counts(range(1, sizes + 1), [2**53] * sizes)


def test_of_sampled_negatives_the_number_of_tasks_is_enough() -> None:
    for name in ("sampled:500", "sampled:500:unfiltered"):
        for protocol in (name, parse_protocol(name)):
            assert list_rows(sampled_histogram(protocol, 1_197_086)) == [((0, 501, 1.0), 1_197_086)]
    with pytest.raises(UndefinedError, match="depends on P"):
        sampled_histogram(find_protocol("sampled:10:replacement"), 5)
    with pytest.raises(UsageError, match=r"protocol pykeen needs .*only sampled:M can be adjusted"):
        sampled_histogram("pykeen", 10)
    with pytest.raises(UsageError, match="at least 1"):
        sampled_histogram("sampled:10", 0)
