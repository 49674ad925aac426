"""The contract on real files: what is right, asked, silent and refused, as ``real_files.csv`` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from real_files import COUNTS, Row, list_files, read_rows

ROWS = read_rows()
# They may only fall.
MOST = {"silent": 14, "misled": 6}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)
def test_what_comes_of_a_file_is_what_its_row_says(row: Row, request: pytest.FixtureRequest) -> None:
    reference = Path() if row.is_ours else request.getfixturevalue("reference")
    if not row.find(reference).is_file():
        pytest.skip(f"no file {row.find(reference)}")
    assert row.judge(reference) == {name: int(row.cells[name]) for name in COUNTS}


def test_every_file_has_a_row(reference: Path) -> None:
    assert list_files(reference) <= {row.file for row in ROWS}


@pytest.mark.parametrize("category", MOST)
def test_no_more_numbers_than_these_are_taken_for_others(category: str) -> None:
    assert sum(row.count()[category] for row in ROWS) <= MOST[category]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)
def test_a_row_says_why_not_all_its_numbers_are_right(row: Row) -> None:
    counts = row.count()
    assert min(counts.values()) >= 0
    assert (row.cells["asks"] in {"rightly", "vain"}) == (len(row.runs) > 1)
    assert row.cells["why"] or counts["right"] == row.tasks.total()
