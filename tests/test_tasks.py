"""Addresses of ranking tasks: spelled, printed, described; histograms: gathering, pooling, refusing."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.catalogue.protocols import SIDES, SPLITS, find_protocol, parse_protocol
from rankconst.errors import DataError, UndefinedError, UnknownNameError, UsageError
from rankconst.tasks import Histogram, Tasks, sampled_histogram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Addresses.


@pytest.mark.parametrize(
    ("tasks", "printed", "described"),
    [
        (Tasks("fb15k237"), "fb15k237/test/both/standard", "test, both sides, protocol standard"),
        (
            Tasks("wn18rr", "pykeen", "valid", "head"),
            "wn18rr/valid/head/pykeen",
            "valid, head side, protocol pykeen",
        ),
        (
            Tasks("nations", side="tail", aggregation="macro-query"),
            "nations/test/tail/standard/macro-query",
            "test, tail side, protocol standard, macro-query",
        ),
        (
            Tasks("nations", relations=("embassy", "treaties")),
            "nations/test/both/standard (embassy, treaties)",
            "test, both sides, protocol standard, only embassy, treaties",
        ),
        (Tasks("ogbwikikg2", "sampled:500"), "ogbwikikg2/test/both/sampled:500",
         "test, both sides, protocol sampled:500"),
        (Tasks("umls", split="valid", baseline="frequency"), "umls/valid/both/standard/frequency",
         "valid, both sides, protocol standard, baseline frequency"),
        # Counts of one's own have no split.
        (Tasks("these tasks", "own counts", ""), "these tasks/both/own counts", "protocol own counts"),
    ],
)  # fmt: skip
def test_an_address_is_short_and_says_what_it_means(tasks: Tasks, printed: str, described: str) -> None:
    assert str(tasks) == printed
    assert tasks.describe() == described


def test_parse_reads_any_usual_spelling() -> None:
    assert Tasks.parse("fb15k237") == Tasks("fb15k237")
    parsed = Tasks.parse(
        "nations", split="validation", side="left", protocol="PyKEEN", aggregation="query", relations=["b", "a", "b"]
    )
    assert parsed == Tasks("nations", "pykeen", "valid", "head", "macro-query", ("b", "a"))
    assert Tasks.parse("nations", relations="embassy").relations == ("embassy",)
    assert Tasks.parse("nations", protocol="sampled500").protocol == "sampled:500"


@pytest.mark.parametrize("name", ["split", "side", "protocol", "aggregation"])
def test_parse_refuses_unknown_names(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown {name} 'nope'"):
        Tasks.parse("nations", **{name: "nope"})


@given(st.sampled_from(sorted(SPLITS)), st.sampled_from(sorted(SIDES)), st.sampled_from(["micro", "macro-query"]))
def test_keys_are_spellings_of_themselves(split: str, side: str, aggregation: str) -> None:
    tasks = Tasks("nations", "pykeen", split, side, aggregation)
    again = Tasks.parse("nations", protocol="pykeen", split=split, side=side, aggregation=aggregation)
    assert again == tasks
    assert {tasks: 1}[again] == 1
    assert tasks.is_micro == (aggregation == "micro")


def test_both_sides_are_the_two() -> None:
    tasks = Tasks("nations", "raw", relations=("embassy",))
    assert tasks.sides == (
        Tasks("nations", "raw", side="head", relations=("embassy",)),
        Tasks("nations", "raw", side="tail", relations=("embassy",)),
    )
    for one in tasks.sides:
        assert one.sides == (one,)


# Histograms.


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


@given(st.lists(st.tuples(*[st.sampled_from([1, 2, 3, 2**40])] * 3), min_size=1, max_size=30))
def test_from_counts_tells_rows_apart(rows: list[tuple[int, int, int]]) -> None:
    expected: Counter[tuple[int, int]] = Counter()
    for offset, size, number in rows:
        expected[offset, size] += number
    offsets, sizes, tasks = zip(*rows, strict=True)
    found = Histogram.from_counts(sizes, tasks, offsets=offsets)
    assert found.offsets is not None
    pairs = zip(found.offsets.tolist(), found.num_candidates.tolist(), strict=True)
    assert list(zip(pairs, found.num_tasks.tolist(), strict=True)) == sorted(expected.items())


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


BLOCKS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6), st.sampled_from([0.25, 1.0])), min_size=1)


@given(BLOCKS, BLOCKS, st.booleans())
def test_tasks_are_gathered_by_offset_size_and_weight(
    one: list[tuple[int, int, float]], other: list[tuple[int, int, float]], weighted: bool
) -> None:
    def gather(blocks: list[tuple[int, int, float]]) -> Histogram:
        offsets, sizes, weights = zip(*blocks, strict=True)
        return Histogram.from_counts(sizes, weights=weights if weighted else None, offsets=offsets)

    pooled = gather(one).pool(gather(other))
    assert pooled == gather(one + other)
    assert pooled.total == len(one) + len(other)
    expected = sorted(Counter((a, t, w if weighted else 1.0) for a, t, w in one + other).items())
    offsets = [0] * len(pooled) if pooled.offsets is None else pooled.offsets.tolist()
    weights = [1.0] * len(pooled) if pooled.weights is None else pooled.weights.tolist()
    rows = zip(offsets, pooled.num_candidates.tolist(), weights, strict=True)
    assert list(zip(rows, pooled.num_tasks.tolist(), strict=True)) == expected
    assert pooled.last_ranks.tolist() == [a + t for (a, t, _), _ in expected]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4), st.integers(1, 9)), min_size=1))
def test_groups_are_gathered_as_each_alone(rows: list[tuple[int, int, int, int]]) -> None:
    groups, offsets, sizes, tasks = np.array(rows).T
    for above in (offsets, None):
        found = Histogram.of_groups(groups, sizes, tasks, above)
        assert [*found] == sorted(set(groups.tolist()))
        for group, histogram in found.items():
            own = groups == group
            alone = Histogram.from_counts(sizes[own], tasks[own], offsets=None if above is None else above[own])
            assert histogram == alone
            assert not histogram.num_candidates.flags.writeable
            assert not histogram.num_tasks.flags.writeable


def test_rows_are_sorted_whatever_their_size() -> None:
    """Packed into one number, the first two would be just too large for 64 bits, and the weights lost by rounding."""
    found = Histogram.from_counts([2**32, 1], offsets=[2**31, 0])
    assert found.num_candidates.tolist() == [1, 2**32]
    found = Histogram.from_counts([2**52, 2**52], weights=[0.5, 0.25])
    assert weights_of(found).tolist() == [0.25, 0.5]


def test_rows_must_ascend_by_offset_first() -> None:
    with pytest.raises(DataError, match="rows of offsets and num_candidates must be ascending"):
        Histogram(np.array([1, 2]), np.array([1, 1]), offsets=np.array([1, 0]))
    with pytest.raises(DataError, match=r"^num_candidates must be ascending"):
        Histogram(np.array([2, 1]), np.array([1, 1]))


def test_shared_negatives_are_of_one_set_of_tasks() -> None:
    shared, other = sampled_histogram("sampled:4:shared", 3), Histogram.from_counts([5])
    for one, two in ((shared, other), (other, shared)):
        with pytest.raises(UndefinedError, match="tasks that share their negatives cannot be pooled"):
            one.pool(two)
    for columns in ({"offsets": np.array([1])}, {"weights": np.array([0.5])}):
        with pytest.raises(DataError, match="all have the same number of candidates"):
            Histogram(np.array([5]), np.array([3]), shared=True, **columns)
    with pytest.raises(DataError, match="all have the same number of candidates"):
        Histogram(np.array([5, 6]), np.array([3, 1]), shared=True)


def test_offsets_of_0_are_none() -> None:
    assert Histogram.from_counts([3, 2], offsets=[0, 0]) == Histogram.from_counts([2, 3])
    assert Histogram(np.array([2, 3]), np.array([1, 1]), offsets=np.array([0, 0])).offsets is None


def test_negative_offsets_are_refused() -> None:
    with pytest.raises(DataError, match=r"offsets\[1\] is -1; expected at least 0"):
        Histogram.from_counts([3, 2], offsets=[0, -1])
    with pytest.raises(DataError, match="offsets have 1 entries and num_candidates 2; they must pair up"):
        Histogram.from_counts([3, 2], offsets=[1])


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
        ([0, 3], r"num_candidates\[0\] is 0; expected at least 1 \(the true answer counts\)"),
        ([-1], "expected at least 1"),
        ([2**53 + 1], r"at most 2\*\*53"),
        ([3, 2**53 + 1], r"counts runs from 3 to .*at most 2\*\*53"),
        ([3, -(2**60)], r"counts runs from -.*to 3; expected at most 2\*\*53"),
        ([2.5], "whole numbers"),
        ([1.0, float("nan")], "whole numbers"),
        ([float("inf")], "whole numbers"),
        ([True], "whole numbers"),
        (["3"], "whole numbers"),
        ([None], "whole numbers"),
        ([2**70], "whole numbers|at most"),
        ([1e300], r"whole numbers|at most"),
        ([10**5000], "such as <int of more digits than can be written>"),
        ([[1, 2]], "one-dimensional"),
        ([[1, 2], 3], "expected a number for each ranking task; setting an array element with a sequence"),
        (pa.scalar("12"), "one-dimensional"),
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
        ([1, 2], [1, 0], r"num_tasks\[1\] is 0; expected at least 1\.$"),
        ([1, 2], [1, -4], r"num_tasks\[1\] is -4"),
        ([1], [2**53 + 1], r"num_tasks runs from"),
        ([1], [0.5], "num_tasks must be whole numbers"),
    ],
)
def test_what_cannot_be_a_histogram_is_refused(sizes: Sequence[int], tasks: Sequence[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Histogram(np.array(sizes), np.array(tasks))


def test_tasks_add_up_to_what_a_float_can_tell() -> None:
    assert Histogram.from_counts([1, 2], [2**53 - 1, 1]).total == 2**53
    # 1,025 sizes have more tasks than 64 bits can count.
    for sizes in (2, 1025):
        with pytest.raises(DataError, match="num_tasks add up to "):
            Histogram.from_counts(range(1, sizes + 1), [2**53] * sizes)


def test_from_counts_refuses_unpaired_multiplicities() -> None:
    with pytest.raises(DataError, match="must pair up"):
        Histogram.from_counts([1, 2, 3], [1, 2])


# With weights.


Weighed = tuple[int, Fraction]
WEIGHED = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 9).map(lambda group: Fraction(1, group))), min_size=1, max_size=4
)


def gather(tasks: Sequence[Weighed]) -> Histogram:
    return Histogram.from_counts([size for size, _ in tasks], weights=[float(weight) for _, weight in tasks])


def weights_of(histogram: Histogram) -> NDArray[np.float64]:
    assert histogram.weights is not None
    return histogram.weights


@given(WEIGHED, WEIGHED)
def test_weighted_histograms_gather_and_pool(one: list[Weighed], other: list[tuple[int, Fraction]]) -> None:
    pooled = gather(one).pool(gather(other))
    assert pooled == gather(one + other) == gather((one + other)[::-1])
    assert hash(pooled) == hash(gather(other + one))
    assert pooled.total == len(one) + len(other)
    assert pooled.total_weight == pytest.approx(float(sum(weight for _, weight in one + other)), rel=1e-15)
    assert len(pooled) == len({(size, float(weight)) for size, weight in one + other})
    pairs = list(zip(pooled.num_candidates.tolist(), weights_of(pooled).tolist(), strict=True))
    assert pairs == sorted(set(pairs))


def test_tasks_without_weights_count_once_beside_weighted_ones() -> None:
    pooled = Histogram.from_counts([3, 4]).pool(Histogram.from_counts([3], weights=[0.5]))
    assert pooled == Histogram.from_counts([3, 3, 4], weights=[0.5, 1, 1])
    assert pooled.total_weight == 2.5


def test_weights_tell_histograms_apart() -> None:
    histogram = Histogram.from_counts([3, 3], weights=[1.0, 0.5])
    assert histogram != Histogram.from_counts([3, 3], weights=[1.0, 0.25])
    assert histogram != Histogram.from_counts([3, 4], weights=[0.5, 1.0])
    assert histogram != Histogram.from_counts([3, 3, 3], weights=[1.0, 0.5, 0.5])
    assert histogram != Histogram.from_counts([3, 3])
    with pytest.raises(ValueError, match="read-only"):
        weights_of(histogram)[0] = 2.0


@pytest.mark.parametrize(
    ("sizes", "weights", "tasks", "message"),
    [
        ([], [], [], "needs at least one ranking task"),
        ([3], [1.0, 2.0], [1], r"weights have shape \(2,\); expected \(1,\)"),
        ([3], [0.0], [1], r"weights\[0\] is 0.0; expected a positive number"),
        ([3, 4], [1.0, -1.0], [1, 1], r"weights\[1\] is -1.0"),
        ([3], [math.nan], [1], r"weights\[0\] is nan"),
        ([3], [math.inf], [1], r"weights\[0\] is inf"),
        ([3], ["a"], [1], "weights must be numbers"),
        ([0], [1.0], [1], r"num_candidates\[0\] is 0"),
        ([3], [1.0], [0], r"num_tasks\[0\] is 0"),
        ([3, 4], [1.0, 1.0], [1], "must pair up"),
        ([4, 3], [1.0, 1.0], [1, 1], "ascending"),
        ([3, 3], [1.0, 0.5], [1, 1], "ascending"),
        ([3, 3], [1.0, 1.0], [1, 1], "ascending"),
    ],
)
def test_bad_weights_are_refused(sizes: list[int], weights: list[Any], tasks: list[int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Histogram(np.array(sizes, dtype=int), np.array(tasks, dtype=int), np.array(weights))


# Of sampled negatives.


@pytest.mark.parametrize("name", ["sampled:500", "sampled:500:unfiltered"])
def test_tasks_among_sampled_negatives(name: str) -> None:
    for protocol in (name, parse_protocol(name)):
        histogram = sampled_histogram(protocol, 1_197_086)
        assert (histogram.num_candidates.tolist(), histogram.num_tasks.tolist()) == ([501], [1_197_086])


def test_numbers_of_tasks_do_not_settle_other_protocols() -> None:
    assert sampled_histogram("sampled:10", 1).total == 1
    with pytest.raises(UndefinedError, match="depends on P"):
        sampled_histogram(find_protocol("sampled:10:replacement"), 5)
    with pytest.raises(UsageError, match=r"protocol pykeen needs .*only sampled:M can be adjusted"):
        sampled_histogram("pykeen", 10)
    with pytest.raises(UsageError, match="at least 1"):
        sampled_histogram("sampled:10", 0)


def test_masked_values_are_refused() -> None:
    """As plain arrays they would show what the mask covers."""
    sizes, masked = np.array([2, 3]), np.ma.array([1, 2], mask=[False, True])
    with pytest.raises(DataError, match="1 of the values are masked"):
        Histogram(masked, sizes)
    with pytest.raises(DataError, match="weights: 1 of the values are masked"):
        Histogram(sizes, sizes, masked.astype(float))
    assert Histogram(np.ma.array([2, 3]), sizes, np.ma.array([0.5, 1.0])).total == 5
