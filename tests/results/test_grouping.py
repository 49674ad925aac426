"""Entries of one evaluation stand together, those of others apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hand_readings import make_reading
from rankconst.results.evaluation import Stated
from rankconst.results.formats import read_results
from rankconst.results.reading import group_entries

if TYPE_CHECKING:
    from pathlib import Path

# RotatE and pRotatE, Sun et al. 2019, arXiv:1902.10197, table 5.
ROTATE = {"MRR": "0.338", "Hits@10": "0.533"}
PROTATE = {"MRR": "0.328", "Hits@10": "0.524"}


def list_texts(path: Path) -> list[list[str]]:
    return [[entry.text for entry in group.entries] for group in group_entries(read_results(path))]


def test_a_row_of_a_wide_table_is_a_group() -> None:
    context = [Stated(model="RotatE", dataset="FB15k-237"), Stated(model="pRotatE", dataset="FB15k-237")]
    groups = group_entries(make_reading(ROTATE, PROTATE, context=context))
    assert [group.rows for group in groups] == [(0,), (1,)]
    assert [[entry.text for entry in group.entries] for group in groups] == [["0.338", "0.533"], ["0.328", "0.524"]]
    assert [group.label for group in groups] == ["RotatE, FB15k-237", "pRotatE, FB15k-237"]
    assert [group.context for group in groups] == context


def test_equal_rows_of_a_wide_table_are_two_groups() -> None:
    groups = group_entries(make_reading(ROTATE, ROTATE))
    assert [(group.rows, group.label) for group in groups] == [((0,), ""), ((1,), "")]


def test_datasets_side_by_side_are_groups_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    path.write_text(
        "| Model | FB15k-237 | | WN18RR | |\n|---|---|---|---|---|\n| | MRR | H@10 | MRR | H@10 |\n"
        "| RotatE | .338 | .533 | .476 | .571 |\n",
        encoding="utf-8",
    )
    assert list_texts(path) == [[".338", ".533"], [".476", ".571"]]


@pytest.mark.parametrize("between", ["side", "rank_type", "split", "model", "epoch", "note"])
def test_rows_of_a_long_table_that_differ_elsewhere_are_apart(tmp_path: Path, between: str) -> None:
    one, other = {"side": ("head", "tail"), "rank_type": ("realistic", "optimistic"), "split": ("valid", "test")}.get(
        between, ("1", "2")
    )
    path = tmp_path / "long.csv"
    lines = [f"{between},metric,k,value"]
    lines += [
        f"{case},{metric},{k},0.{place}{len(k)}"
        for metric, k in (("mrr", ""), ("hits", "10"))
        for place, case in ((3, one), (4, other))
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert list_texts(path) == [["0.30", "0.32"], ["0.40", "0.42"]]


def test_the_lines_of_a_log_are_one_group(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = [("Valid", "MRR", "0.339"), ("Test", "MRR", "0.337"), ("Test", "HITS@1", "0.241")]
    path.write_text(
        "".join(
            f"2020-01-01 00:00:00 INFO     {mode} {name} at step 99999: {value}000\n" for mode, name, value in lines
        ),
        encoding="utf-8",
    )
    assert list_texts(path) == [["0.339000"], ["0.337000", "0.241000"]]


def test_pykeen_json_has_nine_groups(reference: Path) -> None:
    groups = group_entries(read_results(reference / "pykeen_results" / "nations_complex.json"))
    expected = {
        f"{side}, {kind}" for side in ("both", "head", "tail") for kind in ("optimistic", "pessimistic", "realistic")
    }
    assert {group.label for group in groups} == expected
    assert {len(group.entries) for group in groups} == {28}
