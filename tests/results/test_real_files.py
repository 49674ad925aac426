"""The contract on real files, as ``real_files.csv`` says; and where an address is as recorded, the
same numbers.
"""

from pathlib import Path

import pytest

from cases import for_each
from real_files import COUNTS, Row, list_files, read_rows
from record_run import Differences, compare, list_untrue, read_run, record_run

ROWS = read_rows()
# They may only fall.
MOST = {"silent": 0, "misled": 6}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)
def test_what_comes_of_a_file_is_what_its_row_says(
    row: Row, request: pytest.FixtureRequest
) -> None:
    reference = Path() if row.is_ours else request.getfixturevalue("reference")
    if not row.find(reference).is_file():
        pytest.skip(f"no file {row.find(reference)}")
    assert row.judge(reference) == {name: int(row.cells[name]) for name in COUNTS}


def test_every_file_has_a_row(reference: Path) -> None:
    assert list_files(reference) <= {row.file for row in ROWS}


@pytest.mark.parametrize("category", MOST)
def test_no_more_numbers_than_these_are_taken_for_others(category: str) -> None:
    assert sum(row.count()[category] for row in ROWS) <= MOST[category]


@for_each("row", ROWS)
def test_a_row_says_why_not_all_its_numbers_are_right(row: Row) -> None:
    counts = row.count()
    assert min(counts.values()) >= 0
    assert (row.cells["asks"] in {"rightly", "vain"}) == (len(row.runs) > 1)
    assert row.cells["why"] or counts["right"] == row.tasks.total()


@pytest.fixture(scope="module")
def differences(reference: Path) -> Differences:
    return compare(read_run(), record_run(reference))


@pytest.mark.slow
def test_numbers_of_the_same_address_are_the_same_to_the_last_bit(differences: Differences) -> None:
    assert differences.changed == []


@pytest.mark.slow
def test_a_number_has_another_address_only_where_the_recorded_one_is_not_true(
    differences: Differences,
) -> None:
    untrue = list_untrue(read_run())
    assert [each for each in differences.moved if each[1].tasks not in untrue[each[0][:2]]] == []


def test_the_record_has_the_numbers_that_the_contract_counts() -> None:
    run = read_run()
    adjusted = sum(len(numbers) for place, numbers in run.items() if not place.options)
    assert adjusted >= sum(row.count()["right"] for row in read_rows())


def test_numbers_are_told_apart_by_address_whatever_their_order() -> None:
    run = read_run()
    (place, numbers), *_ = (
        (place, numbers) for place, numbers in run.items() if len({*numbers}) > 1
    )
    first, second = (each._replace(table_version="") for each in sorted({*numbers})[:2])
    place, other = place._replace(file="a"), second._replace(floats=("0x0p+0",))
    assert compare({place: [first, second]}, {place: [second, first]}) == Differences()
    assert compare({place: [second]}, {place: [other]}) == Differences(
        changed=[(place, second, other)]
    )
    assert compare({place: [first]}, {place: [second]}) == Differences(
        moved=[(place, first, second)]
    )
    assert compare({place: [first, second]}, {place: [second]}) == Differences(
        gone=[(place, first)]
    )
    assert compare({}, {place: [first]}) == Differences(new=[(place, first)])
