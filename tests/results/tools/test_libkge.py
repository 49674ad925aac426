"""LibKGE's traces: which records count, and which protocol each number has."""

import itertools

import pytest

from cases import for_each
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.reading import Reading
from rankconst.results.tools.libkge import READER, READER_CSV, READER_LOG, parse_libkge_name
from readings import reading_of

BATCH = (
    "{avg_cost: 0.84, epoch: 1, event: batch_completed, job: train, scope: batch, size: 512, type: "
    "KvsAll}"
)
EXAMPLE = (
    "{event: example_rank, o: 3, p: 1, rank: 7, rank_filtered: 2, s: 5, scope: example, task: sp}"
)


def _record(split: str = "valid", filters: str = "[train, valid]", **values: object) -> str:
    metrics = {"mean_reciprocal_rank": 0.2, "mean_reciprocal_rank_filtered": 0.3, **values}
    pairs = "".join(f", {key}: {value}" for key, value in metrics.items())
    return (
        f"{{batches: 5, epoch: 100, event: eval_completed, filter_splits: {filters}{pairs}, "
        "scope: epoch, size: 17535, "
        f"split: {split}, type: entity_ranking}}"
    )


def _read(*lines: str) -> Reading:
    document = Document("trace.yaml", "\n".join(lines) + "\n")
    assert READER.recognise(document)
    return READER.read(document)


@for_each(
    ("split", "filters", "filtered", "with_test"),
    [
        ("valid", "[train, valid]", "libkge", "standard"),
        ("valid", "[train, valid, test]", "standard", "standard"),
        ("valid", "[train]", None, None),
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
    assert all("no constants" in skip.reason for skip in reading.skipped)


def test_what_is_left_out_is_summed_up() -> None:
    parts = "hits_at_1_filtered_1-to-N: 0.1, hits_at_3_filtered_1-to-N: 0.2, mean_rank: null, scope"
    record = _record().replace("scope", parts)
    reading = _read(EXAMPLE, EXAMPLE, record, _record(split="train_sample"))
    assert [(skip.line, skip.what) for skip in reading.skipped] == [
        (3, "mean_rank"), (3, "2 of its metrics"), (4, "split train_sample"), (None, "2 records example_rank"),
    ]  # fmt: skip


def test_a_broken_record_is_refused_with_its_line() -> None:
    with pytest.raises(DataError, match=r"trace\.yaml, line 2: it ends in the middle"):
        READER.read(Document("trace.yaml", f"{BATCH}\n{_record()[:-40]}\n"))


BLOCK = """\
Evaluating on valid data (epoch 100)...
  epoch: 100
  event: eval_completed
  filter_splits:
  - train
  - valid
  mean_reciprocal_rank: 0.2
  mean_reciprocal_rank_filtered: 0.3
  mean_reciprocal_rank_filtered_with_test: .nan
  size: 17535
  split: valid
  type: entity_ranking
Best result 0.3
"""


@for_each(
    "time", ["", "2020-01-01 00:00:00.123456 ", "2020-01-01 00:00:00.1 [3530b3f8] ", "[3530b3f8] "]
)
def test_a_log_has_the_same_records_a_key_a_line(time: str) -> None:
    document = Document("kge.log", "".join(f"{time}{line}\n" for line in BLOCK.splitlines()))
    assert READER_LOG.recognise(document)
    reading, flat = READER_LOG.read(document), _read(_record())
    assert [entry.line for entry in reading.entries] == [3, 3]
    found, expected = (
        [(entry.metric, entry.text, entry.context) for entry in each.entries]
        for each in (reading, flat)
    )
    assert found == expected
    assert [skip.what for skip in reading.skipped] == ["mean_reciprocal_rank_filtered_with_test"]


def test_a_size_that_is_none_leaves_the_number_of_tasks_open() -> None:
    reading = _read(_record().replace("17535", "1.5"))
    assert [entry.context.num_tasks for entry in reading.entries] == [None, None]
    assert [skip.what for skip in reading.skipped] == ["size"]


METRICS = {
    "mean_rank": "MR", "mean_reciprocal_rank": "MRR", "hits_at_1": "Hits@1", "hits_at_1000": "Hits@1000",
}  # fmt: skip
FILTERS = {"": "raw", "_filtered": "libkge", "_filtered_with_test": "standard"}
PARTS = {
    "": ("both", ""), "_head": ("head", ""), "_tail": ("tail", ""), "_1-to-N": ("both", "1-to-N"),
    "_M-to-N_tail": ("tail", "M-to-N"), "_relation_25%": ("both", "relation_25%"),
}  # fmt: skip


@for_each(("metric", "kept", "part"), list(itertools.product(METRICS, FILTERS, PARTS)))
def test_every_name_of_the_evaluation_job(metric: str, kept: str, part: str) -> None:
    found = parse_libkge_name(metric + kept + part)
    assert found is not None
    assert (found.metric.label, found.protocol, found.side, found.part) == (
        METRICS[metric], FILTERS[kept], *PARTS[part],
    )  # fmt: skip
    assert bool(found.reason) == bool(found.part)


read_csv = reading_of(READER_CSV)
HEADING = (
    "job_id,dataset,model,reciprocal,job,job_type,split,epoch,avg_loss,avg_penalty,avg_cost,"
    "metric_name,metric"
)


def test_one_metric_a_row() -> None:
    row = "j,fb15k-237,rescal,0"
    of_valid = f"{row},valid,entity_ranking,valid,5,,,"
    rows = [
        f"{row},train,KvsAll,train,5,0.1,,0.1,mean_reciprocal_rank_filtered,",
        f"{of_valid},mean_reciprocal_rank_filtered_tail,0.31",
        f"{of_valid},hits_at_10_filtered_1-to-N,0.42",
        f"{of_valid},avg_loss,0.42",
    ]
    reading = read_csv("\n".join([HEADING, *rows, ""]))
    assert (reading.layout, len(reading.rows)) == ("long", 4)
    (entry,) = reading.entries
    assert (entry.line, entry.metric.label, entry.context.side) == (3, "MRR", "tail")
    left_out = [(skip.line, skip.what) for skip in reading.skipped]
    assert left_out == [(4, "hits_at_10_filtered_1-to-N"), (5, "avg_loss")]


@for_each(
    ("line", "dataset"),
    [
        ("Loading configuration of dataset fb15k-237 from /kge/data/fb15k-237 ...", "fb15k-237"),
        ("Configuration:\n  dataset:\n    num_entities: 135\n    name: umls\n  model: complex", "umls"),
        ("[3530b3f8] Configuration:\n[3530b3f8]   dataset:\n[3530b3f8]     name: umls", "umls"),
        ("Configuration:\n  dataset:\n    name: umls\nLoading configuration of dataset wnrr from data/wnrr", None),
    ],
)  # fmt: skip
def test_a_log_names_its_dataset(line: str, dataset: str | None) -> None:
    block = "event: eval_completed\n  mean_reciprocal_rank: 0.2\n  split: test\n  type: entity_ranking\n"
    text = f"{line}\nEvaluating on test data...\n  {block}"
    for name, expected in (("kge.log", dataset), ("wn18rr.log", dataset or "wn18rr")):
        (entry,) = read_document(name, text).entries
        assert entry.context.dataset == expected
