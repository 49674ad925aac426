"""LibKGE's traces: which records count, and which protocol each number has."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.tools.libkge import READER

if TYPE_CHECKING:
    from rankconst.results.reading import Reading

pytest.importorskip("yaml")

BATCH = (
    "{avg_cost: 0.84, avg_loss: 0.84, batch: 3, batches: 532, entry_id: 0ff2f8f5, epoch: 1, event: batch_completed, "
    "forward_time: 0.011, job: train, scope: batch, size: 512, type: KvsAll}"
)
EXAMPLE = "{event: example_rank, o: 3, p: 1, rank: 7, rank_filtered: 2, s: 5, scope: example, task: sp}"


def _record(split: str = "valid", filters: str = "[train, valid]", **values: object) -> str:
    metrics = {"mean_reciprocal_rank": 0.2, "mean_reciprocal_rank_filtered": 0.3, **values}
    pairs = "".join(f", {key}: {value}" for key, value in metrics.items())
    return (
        f"{{batches: 5, epoch: 100, event: eval_completed, filter_splits: {filters}{pairs}, scope: epoch, size: 17535, "
        f"split: {split}, type: entity_ranking}}"
    )


def _read(*lines: str) -> Reading:
    document = Document("trace.yaml", "\n".join(lines) + "\n")
    assert READER.recognise(document)
    return READER.read(document)


@pytest.mark.parametrize(
    ("split", "filters", "filtered", "with_test"),
    [
        ("valid", "[train, valid]", "libkge", "standard"),
        ("valid", "[train, valid, test]", "standard", "standard"),
        ("valid", "[train]", None, None),
        ("valid", "[train, other]", None, None),
        ("test", "[train, valid, test]", "libkge", "libkge"),
        ("test", "[train, test]", None, None),
        ("train", "[train]", "libkge", None),
        ("train", "[train, valid]", None, "standard"),
    ],
)
def test_the_protocol_follows_from_the_filter(
    split: str, filters: str, filtered: str | None, with_test: str | None
) -> None:
    reading = _read(_record(split, filters, mean_reciprocal_rank_filtered_with_test=0.4))
    found = {entry.text: entry.context.protocol for entry in reading.entries}
    expected = {"0.2": "raw", "0.3": filtered, "0.4": with_test}
    assert found == {text: protocol for text, protocol in expected.items() if protocol}
    assert {entry.context.split for entry in reading.entries} == {split}
    left_out = sum(int(skip.what.split()[0]) for skip in reading.skipped)
    assert left_out == list(expected.values()).count(None)
    assert all("no constants" in skip.why for skip in reading.skipped)


def test_sizes_count_triples() -> None:
    reading = _read(_record(hits_at_10_filtered_head=0.5, hits_at_10_filtered_tail=0.6))
    assert {(entry.context.side, entry.context.num_tasks) for entry in reading.entries} == {
        ("both", 35070),
        ("head", 17535),
        ("tail", 17535),
    }


def test_rows_and_lines() -> None:
    reading = _read(BATCH, _record(), BATCH, _record("test", "[train, valid, test]"))
    assert [entry.line for entry in reading.entries] == [2, 2, 4, 4]
    assert reading.columns == ("epoch", "split", "filter_splits", "size", "metric", "value")
    assert reading.rows[1]["metric"] == "mean_reciprocal_rank_filtered"
    assert [reading.rows[entry.row]["value"] for entry in reading.entries] == [entry.text for entry in reading.entries]
    assert reading.tool == "libkge"
    assert all(entry.exact for entry in reading.entries)


def test_what_is_left_out_is_summed_up() -> None:
    parts = "hits_at_1_filtered_1-to-N: 0.1, hits_at_3_filtered_1-to-N: 0.2, mean_rank: null, scope"
    reading = _read(EXAMPLE, EXAMPLE, _record().replace("scope", parts), _record(split="train_sample"))
    assert [(skip.line, skip.what) for skip in reading.skipped] == [
        (3, "2 of its metrics"),
        (3, "1 of its metrics"),
        (4, "split train_sample"),
        (None, "2 records example_rank"),
    ]


def test_other_evaluations_are_left_out() -> None:
    other = "{event: eval_completed, split: valid, type: training_loss, avg_loss: 0.5}"
    reading = _read(_record(), other)
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(2, "type training_loss")]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (_record(mean_rank="abc"), "line 2, key mean_rank: "),
        (_record(mean_rank="[1]"), "line 2, key mean_rank: expected a number, got a list"),
        (_record(mean_rank=".nan"), "line 2, key mean_rank: "),
        (_record().replace("17535", "1.5"), "line 2, key size: "),
        (_record()[:-40], "line 2: it ends in the middle"),
        (_record(mean_rank="&a 1"), "line 2, column "),
    ],
)
def test_broken_records_are_refused_with_their_line(line: str, place: str) -> None:
    with pytest.raises(DataError) as caught:
        READER.read(Document("trace.yaml", f"{BATCH}\n{line}\n"))
    assert place in str(caught.value)
    assert "trace.yaml" in str(caught.value)


@pytest.mark.parametrize("text", ['{"event": 1}', "event: eval_completed\ntype: entity_ranking", BATCH, "mrr: 0.3"])
def test_other_files_are_not_recognised(text: str) -> None:
    assert not READER.recognise(Document("trace.yaml", text))


def test_a_long_trace_is_read_quickly() -> None:
    text = (BATCH + "\n") * (60 * 2**20 // len(BATCH)) + EXAMPLE + "\n" + _record() + "\n"
    document = Document("trace.yaml", text)
    started = time.perf_counter()
    assert READER.recognise(document)
    assert len(READER.read(document).entries) == 2
    assert time.perf_counter() - started < 3
