"""Logs of RotatE and HAKE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from log_samples import ROTATE
from rankconst.results.document import Document, open_document
from rankconst.results.logs.rotate import READER

if TYPE_CHECKING:
    from pathlib import Path


def test_the_log_says_which_model_and_how_many_ranks() -> None:
    contexts = [entry.context for entry in READER.read(Document("train.log", ROTATE.text)).entries]
    assert {context.model for context in contexts} == {"RotatE"}
    assert {(context.split, context.num_tasks) for context in contexts} == {
        ("valid", 2 * 17535),
        ("test", 2 * 20466),
        ("train", 2 * 272115),
    }


def test_hake_counts_with_other_words() -> None:
    text = "2020-01-01 00:00:00 INFO     Num Test: 3134\n2020-01-01 00:00:00 INFO     Test MRR at step 5: 0.497000\n"
    (entry,) = READER.read(Document("test.log", text)).entries
    assert entry.context.num_tasks == 6268
    assert not entry.exact


def test_what_is_printed_as_test_below_the_heading_of_train_is_of_train_until_the_next_heading() -> None:
    reading = READER.read(Document("train.log", ROTATE.text + ROTATE.text))
    assert [entry.context.split for entry in reading.entries] == ["valid", "valid", "test", "test", "train"] * 2


def test_other_metrics_are_skipped_with_their_line() -> None:
    reading = READER.read(Document("train.log", "Test auc_pr at step 39999: 0.990000\n"))
    assert not reading.entries
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(1, "auc_pr")]


def test_lines_are_counted_in_files_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(ROTATE.text.replace("\n", "\r\n").encode())
    document = open_document(path)
    assert READER.recognise(document)
    assert [entry.line for entry in READER.read(document).entries] == [line for line, *_ in ROTATE.expected]
