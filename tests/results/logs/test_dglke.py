"""Output of DGL-KE."""

from __future__ import annotations

import pytest

from rankconst.results.logs.dglke import READER
from readings import reading_of

read = reading_of(READER, "dglke.log")


def test_a_single_process_is_the_whole() -> None:
    (entry,) = read("[0]Test average MR: 47.344009750977634\n").entries
    assert (entry.text, entry.exact, entry.context.split) == ("47.344009750977634", True, "test")


def test_a_rounded_number_is_not_exact() -> None:
    (entry,) = read("Test average MRR : 0.67\n").entries
    assert not entry.exact


@pytest.mark.parametrize("prefix", ["[{}]", "[proc {}]"])
def test_parts_are_skipped_with_their_reason(prefix: str) -> None:
    parts = "".join(f"{prefix.format(process)}Valid average MRR: 0.{process + 1}\n" for process in range(4))
    reading = read(f"{parts}Test average MRR : 0.25\n[0]Test average MR: 30.5\n")
    assert [(entry.line, entry.context.split, entry.metric.label) for entry in reading.entries] == [
        (5, "test", "MRR"),
        (6, "test", "MR"),
    ]
    assert [skip.line for skip in reading.skipped] == [1, 2, 3, 4]
    assert all("a part of the triples" in skip.why for skip in reading.skipped)


def test_one_of_several_processes_alone_is_a_part_too() -> None:
    assert not read("[3]Test average MRR: 0.3\n").entries


def test_results_in_comments_count() -> None:
    (entry,) = read("# [0]Test average HITS@10: 0.9499   \n").entries
    assert (entry.metric.label, entry.text) == ("Hits@10", "0.9499")
