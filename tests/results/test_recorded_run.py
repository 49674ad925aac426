"""Where the address of a number is the same as recorded, its adjusted forms are the same to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from real_files import read_rows
from record_run import Differences, compare, list_untrue, read_run, record_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def differences(reference: Path) -> Differences:
    return compare(read_run(), record_run(reference))


@pytest.mark.slow
def test_numbers_of_the_same_address_are_the_same_to_the_last_bit(differences: Differences) -> None:
    assert differences.changed == []


def test_a_number_has_another_address_only_where_the_recorded_one_is_not_true(differences: Differences) -> None:
    untrue = list_untrue(read_run())
    assert [each for each in differences.moved if each[1].tasks not in untrue[each[0][:2]]] == []


def test_the_record_has_the_numbers_that_the_contract_counts() -> None:
    run = read_run()
    adjusted = sum(len(numbers) for place, numbers in run.items() if not place.options)
    assert adjusted >= sum(row.count()["right"] for row in read_rows())


def test_numbers_are_told_apart_by_address_whatever_their_order() -> None:
    run = read_run()
    (place, numbers), *_ = ((place, numbers) for place, numbers in run.items() if len({*numbers}) > 1)
    first, second = (each._replace(table_version="") for each in sorted({*numbers})[:2])
    place, other = place._replace(file="a"), second._replace(floats=("0x0p+0",))
    assert compare({place: [first, second]}, {place: [second, first]}) == Differences()
    assert compare({place: [second]}, {place: [other]}) == Differences(changed=[(place, second, other)])
    assert compare({place: [first]}, {place: [second]}) == Differences(moved=[(place, first, second)])
    assert compare({place: [first, second]}, {place: [second]}) == Differences(gone=[(place, first)])
    assert compare({}, {place: [first]}) == Differences(new=[(place, first)])
