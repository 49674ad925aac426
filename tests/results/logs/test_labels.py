"""Labels next to numbers of a log, wherever they are; and what looks like one, but says nothing of the numbers."""

from __future__ import annotations

from functools import partial

import pytest

import rankconst
from rankconst.errors import RankconstError
from rankconst.results.formats import read_document
from rankconst.results.logs.labels import drop_stamp, list_labels, read_label
from readings import tell_tasks

HEAD = "Loading dataset WN18RR\nmodel: RotatE\n"
NUMBERS = "MRR: 0.476\nHits@10: 0.571\n"
# Where a label may be.
PLACES = {
    "brackets": "[{0}] MRR: 0.476\n",
    "a colon": "{0}: MRR: 0.476\n",
    "a dash": "{0} - MRR: 0.476\n",
    "a logger's name": "2020-01-01 00:00:00 - {0} - INFO - MRR: 0.476\n",
    "a slash": "{0}/mrr: 0.476\n",
    "a dictionary": "{0}: {{'mrr': 0.476, 'hits@10': 0.571}}\n",
    "a number of something else": "{0}: loss: 0.3, mrr: 0.476\n",
    "a progress bar": "{0}: 100%|####| 10/10 [00:01<00:00, mrr=0.476]\n",
    "parentheses behind": "MRR: 0.476 ({0})\n",
    "brackets behind": "MRR: 0.476 [{0}]\n",
    "a comma behind": "MRR: 0.476, {0}\n",
    "a heading": f"== {{0}} ==\n{NUMBERS}",
    "parentheses of a heading": f"Results ({{0}}):\n{NUMBERS}",
    "a line that leads to it": f"INFO Evaluating: {{0}}\n{NUMBERS}",
    "a line": f"{{0}}\n{NUMBERS}",
}
LABELS = (
    "unseen entities", "few-shot", "long-tail", "client 2", "relation ranking", "so far", "10/273 batches",
    "1 vs 100", "typed candidates", "improvement over TransE", "filtered by train only", "test subset",
)  # fmt: skip
# Lines that are about training, data or a whole evaluation.
PLAIN = (
    "num_negatives: 256", "negative_sample_size: 256", "valid_steps: 10000", "mode: train", "type: RotatE",
    "relation: translation", "batch: 10/10", "num_train_triples: 86835", "Filtering ... done", "raw_data: data/raw",
    "UserWarning: partial results may be lost", "Improvement! Saving checkpoint to best.pt", "no improvement so far",
    "[INFO] - improvement: 0.003", "Evaluating: 99%|### | 272/273 [00:10<00:00, 25it/s]", "Training: 1 vs 100",
    "Evaluating (100/100 batches)", "model: multi-hop", "Results (type=RotatE, mode=train):", "std: 0.01",
    "Results (dim = 200, num_negatives = 256):", "Evaluating on 3134 test triples", "3134 test triples", "left: 0 s",
    "Results (best on valid):", "Results of epoch 10 (early stopping on valid):", "eval_metric: valid_mrr",
    "Evaluation: valid_mrr", "Device: cuda:0 (train)", "Test results (trained with 256 negatives):",
    "saving (best so far)", "Saving to results/partial/run", "It was trained with head batches of unseen triples",
)  # fmt: skip
PLAIN_LINES = (
    "MRR: 0.476 (best so far)", "MRR: 0.476 (10/10 batches)", "MRR: 0.476, std: 0.01", "std: 0.01, MRR: 0.476",
    "MRR: 0.476 (lr=0.1, num_negatives=256)", "lr=0.1, num_negatives=256, MRR: 0.476", "MRR: 0.476 in 12 s",
    "MRR: 0.476 (3134 triples)", "[3134 test triples] MRR: 0.476", "model: multi-hop, MRR: 0.476", "test/mrr: 0.476",
    "loss: 1 vs 100, MRR: 0.476", "[batch 273/273] MRR: 0.476", "RotatE: {'mrr': 0.476, 'hits@10': 0.571}",
    "2020-01-01 00:00:00,123 INFO rankconst.eval: MRR: 0.476", "MRR: 0.476 | loss: 0.03 | gain: 0.1",
)  # fmt: skip


tell = partial(tell_tasks, "a.log")


@pytest.mark.parametrize("place", PLACES)
def test_a_label_of_other_tasks_leaves_its_numbers_out(place: str) -> None:
    for label in LABELS:
        assert tell(HEAD + PLACES[place].format(label)) == [], label


@pytest.mark.parametrize("place", PLACES)
def test_without_such_a_label_they_are_plain(place: str) -> None:
    assert set(tell(HEAD + PLACES[place].format("test"))) == {"wn18rr/test/both/standard"}


@pytest.mark.parametrize("line", PLAIN)
def test_a_line_above_that_says_nothing_of_the_numbers(line: str) -> None:
    assert tell(f"{HEAD}{line}\n{NUMBERS}") == ["wn18rr/test/both/standard"] * 2


@pytest.mark.parametrize("line", PLAIN_LINES)
def test_a_line_that_says_nothing_more_of_its_number(line: str) -> None:
    assert set(tell(f"{HEAD}{line}\n")) == {"wn18rr/test/both/standard"}


def test_a_label_is_of_the_numbers_behind_it_only() -> None:
    assert tell(f"{HEAD}MRR: 0.476 [unseen] MRR: 0.31\n") == ["wn18rr/test/both/standard"]
    assert tell(f"{HEAD}[few-shot] MRR: 0.31\n[test] MRR: 0.476\n") == ["wn18rr/test/both/standard"]


def test_a_count_of_triples_is_checked() -> None:
    for line in ("[500 triples] MRR: 0.476", "MRR: 0.476, 500 test triples", f"500 test triples\n{NUMBERS}"):
        assert tell(f"{HEAD}{line}\n") == []
    assert tell(f"{HEAD}3134 test triples\nvalid MRR: 0.476\n") == ["wn18rr/valid/both/standard"]


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("[filtered: false] MRR: 0.476", ["wn18rr/test/both/raw"]),
        ("not_filtered_mrr: 0.476", ["wn18rr/test/both/raw"]),
        ("== Filtered: false ==\nMRR: 0.476", ["wn18rr/test/both/raw"]),
        ("raw ranks:\nMRR: 0.476", ["wn18rr/test/both/raw"]),
        ("Results (side=tail):\nMRR: 0.476", ["wn18rr/test/tail/standard"]),
        ("INFO evaluate_heads: false\nMRR: 0.476", ["wn18rr/test/tail/standard"]),
        ("2020-01-01 00:00:00 INFO evaluate_heads: false\nMRR: 0.476", ["wn18rr/test/tail/standard"]),
        ("2020-01-01 00:00:00 INFO eval_filter: false\nMRR: 0.476", ["wn18rr/test/both/raw"]),
        ("Results (shots=5):\nMRR: 0.476", []),
        ("MRR: 0.476 (shots=5)", []),
        ("shots=5, MRR: 0.476", []),
        ("MRR: 0.476, relation: _hypernym", []),
        ("fold=3 MRR: 0.476", []),
        ("MRR: 0.476 (eval_negatives=50)", ["wn18rr/test/both/sampled:50"]),
        ("Results (eval_negatives=50):\nMRR: 0.476", ["wn18rr/test/both/sampled:50"]),
        ("Results (split=valid):\nMRR: 0.476", ["wn18rr/valid/both/standard"]),
    ],
)
def test_settings_in_front_of_numbers_and_in_headings(text: str, tasks: list[str]) -> None:
    assert tell(f"{HEAD}{text}\n") == tasks


@pytest.mark.parametrize("line", ["Head batch", "Left:", "corrupt tail", "Evaluating: tail queries", "[right]"])
def test_a_line_that_may_say_a_side_leaves_it_to_the_user(line: str) -> None:
    reading = read_document("a.log", f"{HEAD}{line}\nMRR: 0.476\n")
    with pytest.raises(RankconstError, match=r"add --side|left and right are"):
        rankconst.adjust(reading)


@pytest.mark.parametrize("text", ["MRR: 0.476 ({})", "MRR: 0.476, {}", "Results ({}):\nMRR: 0.476"])
def test_train_alone_is_no_test(text: str) -> None:
    for words in ("training set", "on the training set"):
        assert tell(f"{HEAD}{text.format(words)}\n") == []


@pytest.mark.parametrize("text", ["MRR: 0.476 (optimistic)", "MRR: 0.476\n(optimistic)", "optimistic ranks:\nMRR: 0.4"])
def test_how_ties_are_broken_is_told(text: str) -> None:
    (entry,) = read_document("a.log", f"{HEAD}{text}\n").entries
    assert entry.context.rank_type == "optimistic"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("[few-shot] MRR", ["few-shot"]),
        ("test/few-shot/mrr", ["test/few-shot", "test", "few-shot"]),
        ("client_2_mrr", ["client 2"]),
        ("few-shot: loss", ["few-shot"]),
        ("model: multi-hop, MRR", []),
        ("Evaluating: few-shot, seed", ["few-shot"]),
        ("lr", []),
    ],
)
def test_labels_before_a_number(text: str, labels: list[str]) -> None:
    assert [each for each in list_labels(text, named=True) if each] == labels


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("2020-01-01 00:00:00,123 - INFO - few-shot", "few-shot"),
        ("[10:00:00][INFO] few-shot", "few-shot"),
        ("INFO:root:few-shot", "few-shot"),
        ("10 negatives", "10 negatives"),
        ("[few-shot] MRR", "[few-shot] MRR"),
    ],
)
def test_what_a_logger_writes_is_dropped(line: str, rest: str) -> None:
    assert drop_stamp(line) == rest


def test_a_label_says_one_thing() -> None:
    assert read_label("1,000 valid triples") == (("valid_triples", "1000"),)
    assert read_label("so far") == (("task", "running"),)
    assert read_label("best so far") == ()
