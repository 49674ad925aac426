"""Output of OpenKE."""

from __future__ import annotations

import pytest

from log_samples import OPENKE
from rankconst.results.logs.openke import READER
from readings import reading_of

HEADING = "metric:\t\t\t MRR \t\t MR \t\t hit@10 \t hit@3  \t hit@1 \n"


read = reading_of(READER, "openke.log")


def test_the_type_constraint_is_skipped_with_its_reason() -> None:
    skipped = read(OPENKE.text).skipped
    assert [(skip.line, skip.what) for skip in skipped] == [(11, "5 numbers, line 11")]
    assert "rankconst.from_counts" in skipped[0].why
    assert len(read(OPENKE.text * 2).entries) == 2 * len(OPENKE.expected)


def test_a_table_under_the_type_constraint_is_skipped_as_one() -> None:
    row = " 0.1 \t 2.0 \t 0.3 \t 0.2 \t 0.1 \n"
    table = HEADING + "".join(f"{side}({kind}):{row}" for side in ("l", "r", "averaged") for kind in ("raw", "filter"))
    reading = read(f"no type constraint results:\n{table}type constraint results:\n{table}" * 2)
    assert len(reading.entries) == 60
    assert [(skip.line, skip.what) for skip in reading.skipped] == [
        (11, "30 numbers, lines 11-16"),
        (27, "30 numbers, lines 27-32"),
    ]


def test_the_number_of_ranks_follows_the_side() -> None:
    assert {(entry.context.side, entry.context.num_tasks) for entry in read(OPENKE.text).entries} == {
        ("head", 20466),
        ("tail", 20466),
        ("both", 40932),
    }


def test_rows_say_whether_ranks_are_filtered() -> None:
    reading = read(OPENKE.text)
    assert {(row["side"], row["filter"]) for row in reading.rows} == {
        ("head", "raw"),
        ("tail", "raw"),
        ("both", "raw"),
        ("both", "filtered"),
    }
    assert {row["evaluation"] for row in reading.rows} == {"1"}


def test_relation_prediction_is_skipped_with_its_reason() -> None:
    row = " 0.1 \t 2.0 \t 0.3 \t 0.2 \t 0.1 \n"
    reading = read(f"no type constraint results:\n{HEADING}averaged(raw):\t\t{row}\naveraged(filter):\t{row}")
    assert not reading.entries
    (skip,) = reading.skipped
    assert (skip.line, skip.what) == (3, "10 numbers, lines 3-5")
    assert "relation prediction" in skip.why


def test_the_heading_says_the_order() -> None:
    reading = read("metric:\t MR \t hit@1 \t MAP@10 \t MRR\nr(filter):\t 12.5 \t 0.1 \t 0.4 \t 0.2\n")
    assert [(entry.metric.label, entry.text) for entry in reading.entries] == [
        ("MR", "12.5"),
        ("Hits@1", "0.1"),
        ("MRR", "0.2"),
    ]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(2, "MAP@10")]


def test_without_heading_nothing_is_guessed() -> None:
    reading = read("r(filter):\t 12.5 \t 0.1\n")
    assert not reading.entries
    assert [(skip.line, skip.why) for skip in reading.skipped] == [(1, "no heading above names its column")]


@pytest.mark.parametrize("end", ["0.10000", "0."])
def test_a_last_row_that_is_cut_off_keeps_its_whole_numbers(end: str) -> None:
    reading = read(f"{HEADING}l(filter):\t 0.300000 \t 100.500000 \t {end}")
    assert [entry.text for entry in reading.entries] == ["0.300000", "100.500000"]
    assert [skip.what for skip in reading.skipped] == ["hit@10", "hit@3", "hit@1"]
