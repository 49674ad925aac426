"""What OpenKE until 2018 and Fast-TransX print."""

from __future__ import annotations

from rankconst.results.logs.openke_old import READER
from readings import reading_of

OLD = "left 245.6 0.27\nleft(filter) 200.5 0.3\nright 145.6 0.37\nright(filter) 100.6 0.48\n"


def test_old_prints() -> None:
    found = [
        (entry.context.side, entry.context.protocol, entry.metric.label, entry.text)
        for entry in reading_of(READER, "test.log")("overall results:\n" + OLD).entries
    ]
    assert found == [
        ("head", "raw", "MR", "245.6"), ("head", "raw", "Hits@10", "0.27"),
        ("head", None, "MR", "200.5"), ("head", None, "Hits@10", "0.3"),
        ("tail", "raw", "MR", "145.6"), ("tail", "raw", "Hits@10", "0.37"),
        ("tail", None, "MR", "100.6"), ("tail", None, "Hits@10", "0.48"),
    ]  # fmt: skip
    four = reading_of(READER, "test.log")(OLD.replace("\n", " 0.2 0.1\n")).entries
    assert [entry.metric.label for entry in four] == ["MR", "Hits@10", "Hits@3", "Hits@1"] * 4


def test_old_prints_go_on_under_the_type_constraint() -> None:
    reading = reading_of(READER, "test.log")(OLD + OLD + "epoch 2\n" + OLD)
    lines = (1, 2, 3, 4, 10, 11, 12, 13)
    assert [entry.line for entry in reading.entries] == [line for line in lines for _ in range(2)]
    assert {skip.line for skip in reading.skipped} == {5, 6, 7, 8}
    assert {"rankconst.from_counts" in skip.why for skip in reading.skipped} == {True}
    five = reading_of(READER, "test.log")(OLD.replace("left 245.6 0.27", "left 245.6 0.27 0.2")).skipped
    assert "3 numbers" in five[0].why
