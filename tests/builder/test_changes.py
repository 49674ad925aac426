"""Comparing two sets of tables: what counts as changed, and by how much the version must rise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.errors import DataError
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst.version import precedes
from rankconst_builder.changes import (
    DESCRIPTIONS,
    Bump,
    ChangedValue,
    Changes,
    compare_sets,
    count_kept,
    keep_released,
    smallest_version,
)
from rankconst_builder.package import KEYS

Row = dict[str, Any]

MRR: Row = {
    "dataset": "one",
    "protocol": "standard",
    "split": "test",
    "side": "both",
    "aggregation": "micro",
    "baseline": "uniform",
    "metric": "inverse_harmonic_mean_rank",
    "k": None,
    "num_tasks": 10,
    "expectation": 0.5,
    "expectation_error": 1e-6,
    "variance": 0.25,
    "variance_error": 1e-8,
    "method": "numerical",
    "num_draws": None,
}
HITS: Row = {**MRR, "metric": "hits_at_k", "k": 1, "method": "closed_form"}
SAMPLED: Row = {**MRR, "metric": "median_absolute_deviation", "method": "sampled", "num_draws": 1000}
CANDIDATES: Row = {
    "dataset": "one",
    "protocol": "raw",
    "split": "test",
    "side": "head",
    "num_candidates": 5,
    "num_tasks": 7,
}
DATASET: Row = {
    **{column.name: 3 for column in COLUMNS["datasets"] if column.kind == "count"},
    **{column.name: column.name for column in COLUMNS["datasets"] if column.kind == "text"},
    "dataset": "one",
    "aliases": ["One"],
    "source_urls": ["https://example.invalid/one"],
    "sha256": ["00", None, "11"],
    "verified": True,
}


def make_set(**rows: list[Row]) -> dict[str, pa.Table]:
    return {name: pa.Table.from_pylist(rows.get(name, []), schema=schema_of(name)) for name in COLUMNS}


def compare(name: str, old: list[Row], new: list[Row], lacking: list[str] | None = None) -> Any:
    changes = compare_sets(make_set(**{name: old}), make_set(**{name: new}), {name: lacking or []})
    assert [table.name for table in changes.tables] == list(COLUMNS)
    (found,) = [table for table in changes.tables if table.name == name]
    assert changes.bump == found.bump
    assert all(table.bump == Bump.patch for table in changes.tables if table.name != name)
    return found


def test_same_rows_in_any_order_are_no_change() -> None:
    found = compare("constants", [MRR, HITS, SAMPLED], [SAMPLED, MRR, HITS])
    assert (found.bump, found.changed, found.removed, found.added, found.within_error) == (Bump.patch, 0, 0, 0, 0)
    assert compare_sets(make_set(), make_set()).bump == Bump.patch
    assert Changes().bump == Bump.patch


@pytest.mark.parametrize(("column", "error"), [("expectation", 1e-6), ("variance", 1e-8)])
def test_a_value_that_moved_by_more_than_its_error_is_changed(column: str, error: float) -> None:
    moved = {**MRR, column: MRR[column] + 3 * error}
    found = compare("constants", [HITS, MRR], [HITS, moved])
    assert (found.bump, found.changed, found.within_error) == (Bump.major, 1, 0)
    key = {name: MRR[name] for name in KEYS["constants"]}
    assert found.examples == (ChangedValue(key, column, MRR[column], moved[column]),)


@pytest.mark.parametrize(("column", "error"), [("expectation", 1e-6), ("variance", 1e-8)])
def test_a_value_that_moved_by_less_than_its_error_is_the_same(column: str, error: float) -> None:
    for sign in (-1, 1):
        found = compare("constants", [HITS, MRR], [HITS, {**MRR, column: MRR[column] + sign * error / 2}])
        assert (found.bump, found.changed, found.within_error, found.examples) == (Bump.patch, 0, 1, ())


def test_the_smaller_of_the_two_errors_counts() -> None:
    moved = {**MRR, "expectation": 0.5 + 9e-7}
    assert compare("constants", [MRR], [{**moved, "expectation_error": 5e-7}]).bump == Bump.major
    assert compare("constants", [{**MRR, "expectation_error": 5e-7}], [moved]).bump == Bump.major
    assert compare("constants", [MRR], [{**moved, "expectation_error": 1.5e-6}]).bump == Bump.patch


@pytest.mark.parametrize(
    ("error", "bump"), [(2e-6, Bump.patch), (5e-7, Bump.patch), (3e-6, Bump.major), (0, Bump.major)]
)
def test_an_error_may_differ_by_a_factor(error: float, bump: Bump) -> None:
    found = compare("constants", [MRR], [{**MRR, "expectation_error": error}])
    assert (found.bump, found.within_error) == (bump, int(bump == Bump.patch))


@pytest.mark.parametrize("column", ["expectation", "expectation_error", "variance", "variance_error", "num_draws"])
def test_what_is_sampled_may_differ_by_rounding_alone(column: str) -> None:
    if column != "num_draws":
        slightly = {**SAMPLED, column: SAMPLED[column] * (1 + 2**-52)}
        assert compare("constants", [SAMPLED], [slightly]).bump == Bump.patch
    moved = {**SAMPLED, column: SAMPLED[column] + (1 if column == "num_draws" else SAMPLED[column] * 1e-9)}
    found = compare("constants", [SAMPLED], [moved])
    assert (found.bump, found.changed, found.within_error) == (Bump.major, 1, 0)


def test_what_has_not_changed_stays_as_released() -> None:
    near, far = {**MRR, "expectation": MRR["expectation"] + 1e-7}, {**HITS, "variance": HITS["variance"] * 2}
    sampled = {**SAMPLED, "variance": SAMPLED["variance"] * (1 + 2**-52)}
    added = {**MRR, "side": "tail"}
    old, new = make_set(constants=[HITS, MRR, SAMPLED]), make_set(constants=[sampled, added, near, far])
    kept = keep_released(old["constants"], new["constants"])
    assert kept.to_pylist() == make_set(constants=[SAMPLED, added, MRR, far])["constants"].to_pylist()
    assert count_kept(new["constants"], kept) == 2
    assert Changes((), count_kept(new["constants"], kept)).within_error == 2


@pytest.mark.parametrize("column", DESCRIPTIONS)
def test_another_description_is_no_other_value(column: str) -> None:
    found = compare("datasets", [DATASET], [{**DATASET, column: ["Uno"] if column == "aliases" else "another"}])
    assert (found.bump, found.changed, found.described, found.examples) == (Bump.patch, 0, 1, ())


@pytest.mark.parametrize(("away", "stays"), [(4.9, True), (5.1, False)])
def test_a_smaller_sample_of_the_same_law_replaces_none(away: float, stays: bool) -> None:
    errors = {"expectation_error": SAMPLED["expectation_error"] * 4, "variance_error": SAMPLED["variance_error"] * 4}
    off = away * math.hypot(SAMPLED["variance_error"], errors["variance_error"])
    smaller = {**SAMPLED, **errors, "variance": SAMPLED["variance"] + off, "num_draws": 60}
    old, new = make_set(constants=[MRR, SAMPLED]), make_set(constants=[MRR, smaller])
    kept = keep_released(old["constants"], new["constants"])
    assert kept.equals((old if stays else new)["constants"])
    assert compare_sets(old, {**new, "constants": kept}).bump == (Bump.patch if stays else Bump.major)


@pytest.mark.parametrize(
    ("away", "error", "stays"), [(0.9, 9, True), (1.1, 9, False), (0.9, 0.1, True), (1.1, 0.1, False)]
)
def test_a_number_of_another_method_that_agrees_replaces_none(away: float, error: float, stays: bool) -> None:
    errors = {"expectation_error": MRR["expectation_error"] * error, "variance_error": MRR["variance_error"] * error}
    off = away * (1 + error) * MRR["variance_error"]
    other = {**MRR, **errors, "variance": MRR["variance"] + off}
    old, new = make_set(constants=[MRR, HITS]), make_set(constants=[other, HITS])
    kept = keep_released(old["constants"], new["constants"])
    assert kept["variance"].to_pylist() == [MRR["variance"] if stays else other["variance"], HITS["variance"]]
    assert kept["variance_error"][0].as_py() == (MRR if stays else other)["variance_error"]


@pytest.mark.parametrize(("column", "value"), [("method", "closed_form"), ("num_tasks", 11), ("num_draws", 5)])
def test_other_columns_of_the_constants_are_compared_exactly(column: str, value: Any) -> None:
    assert compare("constants", [MRR], [{**MRR, column: value}]).bump == Bump.major


def test_two_zeros_are_the_same_and_so_are_two_that_are_no_number() -> None:
    row = {**MRR, "expectation": 0.0, "expectation_error": 0.0, "variance": float("nan")}
    assert compare("constants", [row], [{**row, "expectation": -0.0}]).bump == Bump.patch
    assert compare("constants", [row], [{**row, "variance": 0.5}]).bump == Bump.major


def test_removed_rows_are_a_major_change() -> None:
    found = compare("constants", [MRR, HITS], [HITS])
    assert (found.bump, found.changed, found.removed, found.added) == (Bump.major, 0, 1, 0)
    assert [key["metric"] for key in found.removed_examples] == ["inverse_harmonic_mean_rank"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("source_urls", ["https://example.invalid/two"]),
        ("sha256", ["00", "22", "11"]),
        ("verified", False),
        ("entities", 4),
    ],
)
def test_every_fact_about_a_dataset_is_compared(column: str, value: Any) -> None:
    found = compare("datasets", [DATASET], [{**DATASET, column: value}])
    assert (found.bump, found.changed) == (Bump.major, 1)
    assert found.examples == (ChangedValue({"dataset": "one"}, column, DATASET[column], value),)


def test_a_column_that_the_old_set_lacks_is_new_and_has_not_changed() -> None:
    found = compare("constants", [MRR], [{**MRR, "num_draws": 5}], ["num_draws"])
    assert (found.bump, found.changed, found.new_columns, found.is_new) == (Bump.minor, 0, ("num_draws",), False)


def test_a_table_that_the_old_set_lacks_is_new() -> None:
    columns = [column.name for column in COLUMNS["candidates"]]
    for rows in ([], [CANDIDATES]):
        found = compare("candidates", [], rows, columns)
        assert (found.bump, found.added, found.is_new) == (Bump.minor, len(rows), True)


def test_the_largest_change_decides() -> None:
    old = make_set(constants=[MRR], candidates=[CANDIDATES])
    new = make_set(constants=[MRR, HITS], candidates=[{**CANDIDATES, "num_tasks": 8}])
    assert compare_sets(old, new).bump == Bump.major


def test_only_the_first_changes_are_shown() -> None:
    old = [{**CANDIDATES, "num_candidates": size} for size in range(1, 50)]
    found = compare("candidates", old, [{**row, "num_tasks": 8} for row in old])
    assert found.changed == 49
    assert [value.key["num_candidates"] for value in found.examples] == [1, 2, 3, 4, 5]
    found = compare("candidates", old, [])
    assert (found.removed, len(found.removed_examples)) == (49, 5)


@pytest.mark.parametrize("place", [0, 1])
def test_two_rows_of_one_key_are_refused(place: int) -> None:
    sets = [make_set(constants=[MRR]), make_set(constants=[MRR])]
    sets[place] = make_set(constants=[MRR, HITS, {**MRR, "expectation": 0.6}])
    with pytest.raises(DataError, match=f"two rows of constants .* in the {('old', 'new')[place]} set"):
        compare_sets(sets[0], sets[1])


@pytest.mark.slow
@given(
    old=st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), st.integers(0, 2)),
    new=st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), st.integers(0, 2)),
)
def test_counts_are_those_of_a_comparison_one_by_one(
    old: dict[tuple[str, int], int], new: dict[tuple[str, int], int]
) -> None:
    def rows_of(held: dict[tuple[str, int], int]) -> list[Row]:
        return [
            {**CANDIDATES, "dataset": dataset, "num_candidates": size, "num_tasks": tasks}
            for (dataset, size), tasks in held.items()
        ]

    found = compare("candidates", rows_of(old), rows_of(new))
    assert found.removed == len(old.keys() - new.keys())
    assert found.added == len(new.keys() - old.keys())
    assert found.changed == sum(old[key] != new[key] for key in old.keys() & new.keys())
    assert found.bump == (Bump.major if found.changed or found.removed else Bump.minor if found.added else Bump.patch)


def test_chunks_do_not_matter() -> None:
    rows = [{**CANDIDATES, "num_candidates": size} for size in range(1, 20)]
    whole = make_set(candidates=rows)
    order = np.random.default_rng(0).permutation(len(rows))
    pieces = pa.concat_tables([whole["candidates"].slice(place, 1) for place in map(int, order)])
    assert compare_sets(whole, {**whole, "candidates": pieces}).bump == Bump.patch


@pytest.mark.parametrize(
    ("bump", "previous", "smallest"),
    [
        (Bump.patch, "0.2.0", "0.2.1"),
        (Bump.minor, "0.2.7", "0.3.0"),
        (Bump.major, "0.2.7", "1.0.0"),
        (Bump.patch, "1.9.9", "1.9.10"),
        (Bump.minor, "1.9.9", "1.10.0"),
        (Bump.major, "9.0.1", "10.0.0"),
    ],
)
def test_smallest_version(bump: Bump, previous: str, smallest: str) -> None:
    assert smallest_version(previous, bump) == smallest
    assert precedes(previous, smallest)
