"""Comparing two sets of tables: what counts as changed, and by how much the version must rise."""

import itertools
from typing import Any

import pyarrow as pa
import pytest

from cases import choose, for_each
from rankconst.errors import DataError
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst.version import precedes
from rankconst_builder.package import KEYS
from rankconst_builder.release import (
    DESCRIPTIONS,
    Bump,
    Changes,
    compare_sets,
    keep_released,
    smallest_version,
)

Row = dict[str, Any]

MRR: Row = {
    "dataset": "one", "protocol": "standard", "split": "test", "side": "both", "aggregation": "micro",
    "baseline": "uniform", "metric": "inverse_harmonic_mean_rank", "k": None, "num_tasks": 10,
    "expectation": 0.5, "expectation_error": 1e-6, "variance": 0.25, "variance_error": 1e-8,
    "method": "numerical", "num_draws": None,
}  # fmt: skip
HITS: Row = {**MRR, "metric": "hits_at_k", "k": 1, "method": "closed_form"}
DRAWN: Row = {"method": "sampled", "num_draws": 1000}
SAMPLED: Row = {**MRR, **DRAWN, "metric": "median_absolute_deviation"}
CANDIDATES: Row = {
    "dataset": "one", "protocol": "raw", "split": "test", "side": "head", "num_candidates": 5, "num_tasks": 7,
}  # fmt: skip
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
    return {
        name: pa.Table.from_pylist(rows.get(name, []), schema=schema_of(name)) for name in COLUMNS
    }


def compare(name: str, old: list[Row], new: list[Row]) -> Any:
    changes = compare_sets(make_set(**{name: old}), make_set(**{name: new}))
    assert [table.name for table in changes.tables] == list(COLUMNS)
    (found,) = [table for table in changes.tables if table.name == name]
    assert changes.bump == found.bump
    assert all(table.bump == Bump.patch for table in changes.tables if table.name != name)
    return found


def test_same_rows_in_any_order_are_no_change() -> None:
    found = compare("constants", [MRR, HITS, SAMPLED], [SAMPLED, MRR, HITS])
    assert (found.bump, found.changed, found.removed, found.added) == (Bump.patch, 0, 0, 0)
    assert compare_sets(make_set(), make_set()).bump == Bump.patch
    assert Changes().bump == Bump.patch


FEWER = {"num_draws": 60, "expectation_error": 4e-6, "variance_error": 4e-8}


@pytest.mark.slow
@for_each(
    ("old", "other", "bound"),
    [
        # Within both errors; of the same sample by rounding, of another one within five standard
        # errors.
        (MRR, {}, 2),
        (MRR, {"expectation_error": 1e-7, "variance_error": 1e-9}, 1.1),
        (MRR, {"expectation_error": 9e-6, "variance_error": 9e-8}, 10),
        (HITS, {}, 2),
        (SAMPLED, {}, None),
        (SAMPLED, FEWER, 5 * 17**0.5),
        (MRR, {"method": "sampled", "num_draws": 60}, 0),
        (SAMPLED, {"method": "numerical"}, 0),
    ],
)
def test_what_agrees_stays_as_released(old: Row, other: Row, bound: float | None) -> None:
    signs = [("expectation", -1), ("variance", 1), ("expectation", 1), ("variance", -1)]
    old = {**old, "side": "head"}
    for (column, sign), part in itertools.product(signs[: choose(1, 4)], (0.9, 1.1)):
        moved = (bound or 1) * part * MRR[f"{column}_error"]
        if bound is None:
            moved = 1e-14 if part > 1 else 1e-16
        new, stays = {**old, **other, column: old[column] + sign * moved}, part < 1 and bound != 0
        before, after = make_set(constants=[HITS, old]), make_set(constants=[new, HITS])
        kept = keep_released(before["constants"], after["constants"]).to_pylist()
        wanted = make_set(constants=[old if stays else new, HITS])
        assert kept == wanted["constants"].to_pylist()
        changes = compare_sets(before, after)
        assert (changes.bump, bool(changes.kept)) == (Bump.patch if stays else Bump.major, stays)


def test_the_first_changed_values_are_shown() -> None:
    moved = {**MRR, "variance": 0.3}
    found = compare("constants", [HITS, MRR], [HITS, moved])
    key = " ".join(str(MRR[name]) for name in KEYS["constants"] if MRR[name] is not None)
    assert (found.changed, found.examples) == (1, (f"{key}: variance 0.25 -> 0.3",))
    old = [{**CANDIDATES, "num_candidates": size} for size in range(1, 50)]
    found = compare("candidates", old, [{**row, "num_tasks": 8} for row in old])
    assert found.changed == 49
    assert found.examples == (
        *(f"one raw test head {n}: num_tasks 7 -> 8" for n in range(1, 6)),
        "...",
    )
    found = compare("candidates", old, [])
    assert (found.bump, found.removed, len(found.examples)) == (Bump.major, 49, 6)


@pytest.mark.parametrize("column", DESCRIPTIONS)
def test_another_description_is_no_other_value(column: str) -> None:
    found = compare(
        "datasets", [DATASET], [{**DATASET, column: ["Uno"] if column == "aliases" else "another"}]
    )
    assert (found.bump, found.changed, found.described, found.examples) == (Bump.patch, 0, 1, ())


def test_two_zeros_are_the_same_and_so_are_two_that_are_no_number() -> None:
    row = {**MRR, "expectation": 0.0, "expectation_error": 0.0, "variance": float("nan")}
    assert compare("constants", [row], [{**row, "expectation": -0.0}]).bump == Bump.patch
    assert compare("constants", [row], [{**row, "variance": 0.5}]).bump == Bump.major


def test_every_fact_about_a_dataset_is_compared() -> None:
    others = {
        "source_urls": ["https://example.invalid/two"],
        "sha256": ["00", "22", "11"],
        "verified": False,
        "entities": 4,
    }
    for column, value in others.items():
        found = compare("datasets", [DATASET], [{**DATASET, column: value}])
        assert (found.bump, found.changed) == (Bump.major, 1)
        assert found.examples == (f"one: {column} {DATASET[column]!r} -> {value!r}",)
    for column, value in (("method", "closed_form"), ("num_tasks", 11)):
        assert compare("constants", [MRR], [{**MRR, column: value}]).bump == Bump.major


@pytest.mark.parametrize("place", [0, 1])
def test_two_rows_of_one_key_are_refused(place: int) -> None:
    sets = [make_set(constants=[MRR]), make_set(constants=[MRR])]
    sets[place] = make_set(constants=[MRR, HITS, {**MRR, "expectation": 0.6}])
    with pytest.raises(
        DataError, match=f"two rows of constants .* in the {('old', 'new')[place]} set"
    ):
        compare_sets(sets[0], sets[1])


def test_smallest_version() -> None:
    for previous, *allowed in (
        ("0.2.7", "0.2.8", "0.3.0", "1.0.0"),
        ("1.9.9", "1.9.10", "1.10.0", "2.0.0"),
    ):
        assert [smallest_version(previous, bump) for bump in Bump] == allowed
        assert all(precedes(previous, each) for each in allowed)
