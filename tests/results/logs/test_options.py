"""Settings of programs, in the ways that logs have them, and logs of several runs."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

import rankconst
from rankconst.errors import DataError, RankconstError
from rankconst.evaluation import NOTHING, settle
from rankconst.results.formats import read_document
from rankconst.results.logs.lines import SETTINGS
from rankconst.results.logs.options import tell_settings

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = rankconst.load()


def _quote(value: str) -> str:
    return value if value in {"True", "False"} or value.isdecimal() else repr(value)


WAYS: dict[str, Callable[[str, str], str]] = {
    "Namespace": lambda name, value: f"Namespace(dataset='umls', {name}={_quote(value)}, lr=0.1)\n",
    "dict": lambda name, value: f"{{'dataset': 'umls', '{name}': {_quote(value)}, 'lr': 0.1}}\n",
    "JSON": lambda name, value: json.dumps({"dataset": "umls", name: value}) + "\n",
    "lines": lambda name, value: f"dataset: umls\n{name}: {value}\nlr: 0.1\n",
    "equals": lambda name, value: f"dataset = umls\n{name} = {value}\n",
    "command line": lambda name, value: f"python run.py --dataset umls --{name} {value} --lr 0.1\n",
    "one option": lambda name, value: f"python run.py --dataset=umls --{name.replace('_', '-')}={value}\n",
    "logger": lambda name, value: (
        f"2026-01-02 10:00:00,123 INFO dataset: umls\n2026-01-02 10:00:01 INFO {name}: {value}\n"
    ),
    "dots": lambda name, value: f"dataset ........ umls\n{name} ........ {value}\n",
    "arrows": lambda name, value: f"dataset -> umls\n{name} -> {value}\n",
    "bars": lambda name, value: f"| dataset | umls |\n| {name} | {value} |\n",
}
# A setting, and the ranking tasks that it leaves; empty if the numbers are left out.
CASES = (
    ("filtered", "False", "test/both/raw"), ("filtered", "True", "test/both/standard"),
    ("raw", "True", "test/both/raw"), ("eval_filter", "False", "test/both/raw"), ("no_filter", "True", "test/both/raw"),
    ("split", "valid", "valid/both/standard"), ("eval_split", "dev", "valid/both/standard"),
    ("eval_on", "valid", "valid/both/standard"), ("split", "train", "test/both/standard"),
    ("side", "tail", "test/tail/standard"), ("eval_mode", "head-batch", "test/head/standard"),
    ("num_eval_negatives", "20", "test/both/sampled:20"), ("num_negatives", "20", "test/both/standard"),
    ("type_constrained", "True", ""), ("filter_splits", "train", ""), ("inductive", "True", ""),
    ("task", "relation_prediction", ""), ("mode", "train", "test/both/standard"),
)  # fmt: skip
_NUMBERS = "Epoch 10 done\nMRR: {}\nHits@10: {}\n"


def _settle(text: str) -> list[str]:
    """Return the ranking tasks of the numbers in their order; nothing if they are left out."""
    try:
        found = [str(settle(entry.context, NOTHING, TABLES)[0]) for entry in read_document("run.log", text).entries]
    except RankconstError:
        return []
    return [tasks.removeprefix("umls/") for tasks in found]


@pytest.mark.parametrize("way", WAYS)
def test_settings_count_however_they_are_written(way: str) -> None:
    for name, value, tasks in CASES:
        text = WAYS[way](name, value) + _NUMBERS.format("0.512", "0.812")
        assert _settle(text) == [tasks] * 2 * bool(tasks), (name, value)


@pytest.mark.parametrize("apart", [": ", " = ", " | ", " -> ", " ..... ", "      ", "\t"])
@pytest.mark.parametrize("below", ["\n", "\n\n", "\nlr: 0.1\n"])
def test_a_flag_right_above_the_numbers_is_no_heading(apart: str, below: str) -> None:
    for name, value, tasks in CASES[:3]:
        assert _settle(f"# RotatE on UMLS\n{name}{apart}{value}{below}MRR: 0.512\n") == [tasks], (name, value)


@pytest.mark.parametrize("name", ["protocol", "evaluation_protocol"])
def test_a_protocol_by_name(name: str) -> None:
    for way in WAYS.values():
        if way is not WAYS["bars"]:  # a bar may be that of a heading: "filtered | raw"
            assert _settle(way(name, "raw") + _NUMBERS.format("0.512", "0.812")) == ["test/both/raw"] * 2


@pytest.mark.parametrize("way", ["Namespace", "command line", "lines", "dots"])
def test_each_run_of_a_log_has_its_own_settings(way: str) -> None:
    for name, first, second, tasks in (
        ("split", "valid", "test", ("valid/both/standard", "test/both/standard")),
        ("filtered", "False", "True", ("test/both/raw", "test/both/standard")),
        ("side", "head", "tail", ("test/head/standard", "test/tail/standard")),
        ("num_eval_negatives", "20", "50", ("test/both/sampled:20", "test/both/sampled:50")),
    ):
        runs = (WAYS[way](name, first), _NUMBERS.format("0.512", "0.812"), "\n")
        text = "".join((*runs, WAYS[way](name, second), _NUMBERS.format("0.412", "0.712")))
        assert _settle(text) == [tasks[0]] * 2 + [tasks[1]] * 2, name
        # A long first run hides none of it.
        far = "".join((*runs, "training goes on\n" * (SETTINGS // 10), WAYS[way](name, second), "MRR: 0.412\n"))
        assert _settle(far) == [tasks[0]] * 2 + [tasks[1]], name


def test_two_settings_above_the_same_numbers_leave_them_to_the_user() -> None:
    for settings, option in (
        ("--eval_split valid --eval_on test", "split"), ("filtered=False, filter=True", "protocol"),
        ("--eval_side head --eval_mode tail-batch", "side"), ("eval_negatives=20, test_negatives=50", "protocol"),
    ):  # fmt: skip
        text = f"--dataset umls {settings} --lr 0.1\nEpoch 10 done\nMRR: 0.5\n"
        with pytest.raises(DataError, match=f"name {option} .* and .*: add --{option}"):
            rankconst.adjust(read_document("run.log", text))
    (done,) = rankconst.adjust(read_document("run.log", text.replace("eval", "test")), protocol="sampled:50").done
    assert done.batch.tasks.protocol == "sampled:50"


def test_a_number_of_triples_is_one_of_ranks() -> None:
    (entry,) = read_document("run.log", "--dataset umls --eval_sample_size 100\nepoch 3\nMRR: 0.5\n").entries
    assert entry.context.num_tasks == 200


def test_what_a_line_says_itself_goes_before_settings() -> None:
    assert _settle("dataset: umls\nsplit: valid\nepoch 3\ntest MRR: 0.5\nvalid MRR: 0.6\n") == [
        "test/both/standard",
        "valid/both/standard",
    ]


def test_options_without_a_value_and_headings_of_tables() -> None:
    for line, tasks in (
        ("run.py --raw --dataset umls", "test/both/raw"), ("run.py --dataset umls --no_eval_filter", "test/both/raw"),
        ("run.py --filtered --dataset umls", "test/both/standard"),
        ("dataset: umls\nfiltered | raw", "test/both/standard"),
    ):  # fmt: skip
        assert _settle(f"{line}\nepoch 3\nMRR: 0.5\n") == [tasks], line


def test_what_is_said_once_may_be_below_the_numbers() -> None:
    assert _settle("dataset: umls\nepoch 3\nMRR: 0.5\nargs: filtered=False\n") == ["test/both/raw"]
    # The word for a side may head the numbers below it.
    assert _settle("dataset: umls\nepoch 3\nMRR: 0.5\n\nside: tail\nMRR: 0.4\n")[0] == "test/both/standard"


def test_long_logs_take_time_in_proportion() -> None:
    text = "epoch=1 loss=0.1 eval_split: valid filtered=True | mrr 0.3\n" * 20_000
    start = time.process_time()
    told = tell_settings(text, range(1, 20_001))
    assert time.process_time() - start < 10
    assert told[20_000] == {"split": "valid", "protocol": "filtered"}
