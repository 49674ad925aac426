"""Settings and labels right below the last numbers of a log."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.results.formats import read_document
from rankconst.results.logs.below import _list_lines
from readings import tell_tasks

HEAD = "Loading dataset WN18RR\n"
ABOVE = {
    "lines": f"{HEAD}MRR: 0.476\nHits@10: 0.571\n",
    "sorted settings": "dataset: WN18RR\nhits@10: 0.571\nlr: 0.1\nmrr: 0.476\n",
    "a setting in between": f"{HEAD}MRR: 0.476\nHits@10: 0.571\nlr: 0.1\nseed: 42\n",
}
TELLING = (
    "split: valid", "mode: head-batch", "task: relation prediction", "fold: 3", "snapshot: 1", "setting: raw",
    "(unseen entities)", "(tail prediction)", "(raw)", "Validation set", "(filtered by train only)", "Training set",
    "head batch", "500 test triples", "10/273 batches",
)  # fmt: skip
SILENT = (
    "seed: 42", "time: 12 s", "Saving ...", "test finished", "Training finished", "split: test", "filtered: true",
    "side: both", "mode: train", "num_negatives: 256", "negative_sample_size: 256", "valid_steps: 10000",
    "type: RotatE", "relation: translation", "best_epoch: 100", "(took 12 s)", "(test set)", "n_train: 86835",
    "num_test_triples: 3134", "3134 test triples", "WARNING: unclosed file", "task: link prediction", "subset: test",
    "raw_data: data/raw", "train: 86835", "Saving model to out/valid/best.pt", "Validating:", "== Validation ==",
    "Evaluating on the validation set", "The next run is of unseen entities, which come from a file of its own",
)  # fmt: skip


tell = partial(tell_tasks, "a.log")


@pytest.mark.parametrize("above", ABOVE)
def test_a_line_right_below_the_last_numbers_may_leave_them_out(above: str) -> None:
    for line in TELLING:
        assert tell(f"{ABOVE[above]}{line}\n") == [], line


@pytest.mark.parametrize("above", ABOVE)
def test_other_lines_below_say_nothing_of_them(above: str) -> None:
    for line in SILENT:
        assert tell(f"{ABOVE[above]}{line}\n") == ["wn18rr/test/both/standard"] * 2, line


def test_the_reason_names_the_line() -> None:
    reading = read_document("a.log", f"{HEAD}MRR: 0.476\nseed: 1\nDone\nTest MRR: 0.4\n(unseen entities)\n")
    assert [each.text for each in reading.entries] == ["0.476"]
    assert [(each.line, each.why) for each in reading.skipped] == [
        (5, "line 6, below it, says '(unseen entities)': write what it is of above it")
    ]


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        # Numbers that say it themselves, or had it said above, are of that.
        ("Test MRR: 0.476\nsplit: valid\n", ["wn18rr/test/both/standard"]),
        ("tail MRR: 0.476\n(head prediction)\n", ["wn18rr/test/tail/standard"]),
        ("Validation set\nMRR: 0.476\n(valid)\n", ["wn18rr/valid/both/standard"]),
        ("MRR: 0.476\nfiltered: false\n", ["wn18rr/test/both/raw"]),
        # Only those of the last evaluation; a text, or an empty line before a label, ends what is below them.
        ("MRR: 0.4\nEpoch 2\nMRR: 0.476\nsplit: valid\n", ["wn18rr/test/both/standard"]),
        ("MRR: 0.476\nMRR: 0.4\n(unseen entities)\n", ["wn18rr/test/both/standard"]),
        ("MRR: 0.476\nDone.\nsplit: valid\n", ["wn18rr/test/both/standard"]),
        ("MRR: 0.476\n\n(unseen entities)\n", ["wn18rr/test/both/standard"]),
        ("MRR: 0.476\n\nsplit: valid\n", []),
    ],
)
def test_it_is_of_numbers_that_say_nothing_of_the_kind(text: str, tasks: list[str]) -> None:
    assert tell(HEAD + text) == tasks


@given(st.lists(st.integers(0, 9_000), min_size=1, max_size=40), st.data())
def test_lines_are_found_by_their_numbers(lengths: list[int], data: st.DataObject) -> None:
    lines = [f"{place}{'x' * length}" for place, length in enumerate(lengths, start=1)]
    first = data.draw(st.integers(1, len(lines)))
    assert _list_lines("\n".join(lines), first) == dict(enumerate(lines[first - 1 :], start=first))
