"""Logs of NBFNet."""

from __future__ import annotations

from log_samples import NBFNET
from rankconst.results.document import Document
from rankconst.results.logs.nbfnet import READER
from readings import reading_of

read = reading_of(READER, "log.txt")


def test_what_has_another_law_is_skipped_with_its_reason() -> None:
    skipped = read(NBFNET.text).skipped
    assert [(skip.line, skip.what) for skip in skipped] == [(11, "1-to-1 tail"), (12, "hits@10_50")]
    assert "cardinality" in skipped[0].why
    assert "estimated from the rank among all candidates" in skipped[1].why


def test_rows_keep_what_was_printed() -> None:
    assert [row["value"] for row in read(NBFNET.text).rows] == ["0.6", "112.5", "0.415", "0.0512345"]


def test_lines_alone_are_read_when_asked_for_but_not_recognised() -> None:
    document = Document("log.txt", "mrr: 0.415\nmr: 1.23457e+06\n")
    assert not READER.recognise(document)
    assert [(entry.context.split, entry.text) for entry in READER.read(document).entries] == [
        (None, "0.415000"),
        (None, "1.23457e+06"),
    ]
