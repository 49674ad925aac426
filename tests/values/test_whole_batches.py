"""Dropped batches: intervals hold for every set of triples that may have been ranked."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankconst
from carried import open_once
from cases import for_each
from oracles import TERMS, moments_of
from rankconst import errors
from rankconst.values.affine import Adjusted
from rankconst.values.constants import Constants
from rankconst.values.whole_batches import adjust_dropped, count_ranked

FORMS = ("normalised", "index", "z")


def build(sizes: Sequence[int], side: str, name: str) -> Constants:
    constants = rankconst.from_counts(sizes).constants(name)
    return replace(constants, tasks=replace(constants.tasks, side=side))


def find_moments(sizes: Sequence[int], name: str) -> tuple[Fraction, Fraction]:
    """Expectation and variance of the mean over tasks, by definition."""
    single = [moments_of(Counter(TERMS[name](r + 1) for r in range(size))) for size in sizes]
    expectation, variance = (sum(each, Fraction(0)) for each in zip(*single, strict=True))
    return expectation / len(sizes), variance / len(sizes) ** 2


def forms_of(value: float, sizes: Sequence[int], name: str) -> dict[str, float | None]:
    """The adjusted forms of a value on exactly these tasks."""
    expectation, variance = find_moments(sizes, name)
    better = Fraction(value) - expectation
    sign = -1 if name == "mr" else 1
    z = sign * float(better) / math.sqrt(variance) if variance else None
    index = float(better / (1 - expectation)) if expectation != 1 else None
    return {"normalised": float(Fraction(value) / expectation), "index": index, "z": z}


def assert_holds(adjusted: Adjusted, exact: dict[str, float | None]) -> None:
    for form in FORMS:
        interval, value = getattr(adjusted, f"{form}_interval"), exact[form]
        if interval is None:
            assert getattr(adjusted, form) is None
            continue
        assert value is not None, f"{form} is undefined for one of the sets, yet has an interval"
        slack = 1e-9 * max(1.0, abs(value))
        assert interval.lower - slack <= value <= interval.upper + slack


tasks = st.lists(st.integers(1, 9), min_size=4, max_size=6)


@given(
    sizes=tasks, batch=st.integers(2, 3), name=st.sampled_from(list(TERMS)), share=st.floats(0, 1)
)
def test_one_side_by_enumeration(sizes: list[int], batch: int, name: str, share: float) -> None:
    constants = build(sizes, "tail", name)
    value, end = (part * constants.worst + (1 - part) for part in (share, 0.9 * share))
    adjusted = adjust_dropped(constants, value, value, value, batch)
    rounded = adjust_dropped(constants, value, min(value, end), max(value, end), batch)
    subsets = [*itertools.combinations(sizes, len(sizes) // batch * batch)]
    for subset in subsets:
        assert_holds(adjusted, forms_of(value, subset, name))
        for each in (value, end):
            assert_holds(rounded, forms_of(each, subset, name))
    # Where there is one side, the bounds of the expectation are reached.
    reached = [float(Fraction(value) / find_moments(subset, name)[0]) for subset in subsets]
    ends = min(reached), max(reached)
    assert adjusted.normalised_interval == pytest.approx(ends, rel=1e-12)
    assert_holds(adjusted, {form: getattr(adjusted, form) for form in FORMS})


@given(
    pairs=st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=3, max_size=5),
    name=st.sampled_from(list(TERMS)),
    share=st.floats(0, 1),
)
def test_both_sides_by_enumeration(pairs: list[tuple[int, int]], name: str, share: float) -> None:
    constants = build([size for pair in pairs for size in pair], "both", name)
    value = share * constants.worst + (1 - share)
    adjusted = adjust_dropped(constants, value, value, value, 2)
    for kept in itertools.combinations(pairs, len(pairs) // 2 * 2):
        assert_holds(adjusted, forms_of(value, [size for pair in kept for size in pair], name))


def test_a_form_that_some_set_leaves_undefined_is_none() -> None:
    adjusted = adjust_dropped(build([2, 2, 50], "tail", "hits@3"), 1.0, 1.0, 1.0, 2)
    assert (adjusted.index, adjusted.index_interval, adjusted.z, adjusted.z_interval) == (
        None, None, None, None,
    )  # fmt: skip
    assert adjusted.normalised is not None
    (reason,) = set(adjusted.undefined.values())
    assert adjusted.undefined.keys() == {"index", "z"}
    assert "which 2 of the 3 tasks were ranked is unknown" in reason


def test_arrays_and_series_come_back_as_they_are() -> None:
    pandas = pytest.importorskip("pandas")
    constants = open_once().constants("nations", "mrr")
    single = adjust_dropped(constants, 0.82, 0.815, 0.825, 128)
    kinds: tuple[Callable[[list[float]], Any], ...] = (np.array, pandas.Series)
    for kind in kinds:
        value, lower, upper = (kind([0.5, number]) for number in (0.82, 0.815, 0.825))
        adjusted = adjust_dropped(constants, value, lower, upper, 128)
        for form in FORMS:
            ends = getattr(adjusted, f"{form}_interval")
            assert type(getattr(adjusted, form)) is type(ends.lower) is type(kind([1.0]))
            assert (ends.lower[1], ends.upper[1]) == getattr(single, f"{form}_interval")
    assert type(single.z) is type(single.z_interval and single.z_interval.lower) is float


@pytest.mark.parametrize("dataset", ["fb15k237", "wn18rr"])
def test_what_is_left_open_on_large_benchmarks_is_as_the_caveat_says(dataset: str) -> None:
    for name, value in {"mr": 246.0, "mrr": 0.32, "hits@1": 0.24, "hits@10": 0.49}.items():
        found = adjust_dropped(open_once().constants(dataset, name), value, value, value, 128)
        assert found.index_interval is not None
        assert found.index_interval.half_width < (5e-5 if name == "mr" else 1e-6)


def test_whole_batches_are_counted() -> None:
    for num_tasks, side, batch, ranked in (
        (40932, "both", 128, 40704),
        (402, "both", 128, 256),
        (128, "head", 128, 128),
    ):
        assert count_ranked(num_tasks, side, batch) == ranked
    constants = build([3, 4, 5, 6], "head", "hits@3")
    assert adjust_dropped(constants, 0.75, 0.7, 0.8, 2) == constants.adjust_between(0.75, 0.7, 0.8)
    # Only the largest tasks allow 9: the mean of 2, 10 and 10 is 7.33.
    constants = build([2, 10, 10], "tail", "mr")
    assert adjust_dropped(constants, 9.0, 9.0, 9.0, 2).value == 9.0
    with pytest.raises(errors.DataError, match="is not a possible MR"):
        adjust_dropped(constants, 10.5, 10.5, 10.5, 2)


def test_a_graph_of_few_triples_costs_no_other_row(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("dataset,MR\nnell_v1_ind,50\nfb15k237,200\n")
    few, many = rankconst.adjust(path, tool="conve", errors="note")["AMRI"]
    assert math.isnan(few)
    assert many == rankconst.adjust("200", dataset="fb15k237", metric="mr", tool="conve").index


@for_each(
    ("reason", "dataset", "metric", "options"),
    [
        ("GMR, which is not a mean over tasks", "nations", "gmr", {}),
        ("a macro average", "nations", "mrr", {"aggregation": "macro-query"}),
        ("some relations", "nations", "mrr", {"relations": "embassy"}),
        (r"nothing was ranked: only whole batches of 128 .* there are 24 triples", "countries_s1", "mrr", {}),
    ],
)  # fmt: skip
def test_what_is_not_covered_is_refused(
    reason: str, dataset: str, metric: str, options: dict[str, Any]
) -> None:
    with pytest.raises((errors.UndefinedError, errors.DataError), match=reason):
        adjust_dropped(open_once().constants(dataset, metric, **options), 1.0, 1.0, 1.0, 128)
    with pytest.raises(errors.DataError, match="403 tasks cannot be those of both sides"):
        count_ranked(403, "both", 128)
