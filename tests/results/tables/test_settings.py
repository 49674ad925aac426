"""Names with values that say how numbers were evaluated: what each says, written down by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import rankconst
from cases import choose
from rankconst.catalogue.aggregations import MACRO
from rankconst.errors import DataError, UnknownNameError
from rankconst.results.document import Document
from rankconst.results.formats import read_document, read_opened
from rankconst.results.tables.columns import OF_KIND, WHICH_SIDES
from rankconst.results.tables.settings import names_setting, read_remark, read_setting

if TYPE_CHECKING:
    from collections.abc import Callable

KIND_1_1 = OF_KIND.format("1-1")
_ONLY = "known answers of {} only were removed, and no protocol does that"
_OF_PART = "it is of a part of the tasks, {} {}; the tables hold whole splits, and single relations."


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("filtered", "False", {"protocol": "raw"}), ("filter_eval", "true", {}), ("is_raw", "yes", {"protocol": "raw"}),
        ("setting", "raw", {"protocol": "raw"}), ("filter", "time-aware", {"protocol": "time-aware"}),
        ("mode", "head-batch", {"side": "head"}), ("predict", "tail only", {"side": "tail"}),
        ("mode", "train", {}), ("split", "val", {"split": "valid"}), ("setting", "transductive", None),
        ("setting", "inductive", {"task": "inductive"}), ("setting", "few-shot", {"task": "few-shot"}),
        ("eval_mode", "random_100", {"protocol": "sampled:100"}), ("eval_mode", "sampled", {"task": "sampled"}),
        ("eval_mode", "full", {}), ("num_eval_negatives", "50", {"protocol": "sampled:50"}),
        ("neg_size_eval_train", "500", {}), ("num_negatives", "256", {}), ("candidates", "all", {}),
        ("num_candidates", "1000", {"task": "sampled"}), ("task", "link prediction", {}),
        ("num_eval_candidates", "1000", {"task": "sampled"}), ("relation_category", "1-1", {"unclear": KIND_1_1}),
        ("task", "relation_prediction", {"task": "relation prediction"}), ("learning_rate", "0.1", {}),
        ("task", "head prediction", {"side": "head"}), ("fold", "all", {}), ("fold", "valid", {"split": "valid"}),
        ("client", "local", {}), ("client", "2", {"task": "federated"}), ("subset", "seen", {"task": "subset"}),
        ("subset", "dev", {"split": "valid"}), ("evaluation", "raw", {"protocol": "raw"}),
        ("query_type", "2p", {"task": "complex query"}), ("query_type", "1p", {}), ("target", "entity", {}),
        ("predict", "relation", {"task": "relation prediction"}), ("complete", "False", {"task": "running"}),
        ("progress", "100%", {}), ("batch", "3/10", {"task": "running"}), ("status", "finished", {}),
        ("tie_policy", "worst", {"rank_type": "pessimistic"}), ("rank_type", "raw", {"protocol": "raw"}),
        ("max_test", "500", {"num_triples": 500}), ("test_size", "0.1", {}), ("num_train_triples", "500", {}),
        ("average", "macro", {"task": MACRO}), ("averaged", "over relations", {"task": MACRO}),
        ("average", "micro", {}),
        ("filtering", "none", {"protocol": "raw"}), ("pattern", "any", {}),
        ("relation_type", "N-1", {"unclear": OF_KIND.format("N-1")}),
        ("num_test_triples", "3,134", {"num_triples": 3134}), ("relations", "237", {}),
        ("relation", "_hypernym", {"relations": ("_hypernym",)}), ("test set", "test.txt", {"split": "test"}),
        ("TestSet", "test_A", {"unclear": _OF_PART.format("TestSet", "test_A")}), ("head type", "all", {}),
        ("evaluation", "1 vs 100", {"task": "sampled"}), ("evaluation", "1 vs. all", {}),
        ("Relation pattern", "symmetric", {"unclear": _OF_PART.format("Relation pattern", "symmetric")}),
        ("Shots", "5", {"task": "few-shot"}), ("K-shot", "0", {}), ("Noise", "20%", {"task": "another graph"}),
        ("noise_ratio", "0.0", {}), ("Client", "2", {"task": "federated"}),
        ("Snapshot", "5", {"task": "continual"}), ("task", "entity_typing", {"task": "classification"}),
        ("task", "kgqa", {"task": "question answering"}), ("task", "recommendation", {"task": "recommendation"}),
        ("test_file", "data/umls/test.txt", {"split": "test"}), ("test set", "UMLS_valid", {"split": "valid"}),
        ("fold", "3", {"unclear": "it is of fold 3 of a cross-validation"}), ("split", "validate", {"split": "valid"}),
        ("filtering", "none", {"protocol": "raw"}), ("filtering", "train, valid and test", {}), ("filter", "all", {}),
        ("filter", "train+valid", {"unclear": _ONLY.format("train+valid")}),
        ("known", "train", {"unclear": _ONLY.format("train")}), ("filter", "yes (OGB removes some itself)", {}),
        ("type_constrained", "true", {"task": "type-constrained"}), ("use_type_constraint", "no", {}),
        ("average", "macro", {"task": MACRO}), ("average", "micro", {}), ("task", "alignment", {"task": "alignment"}),
        ("evaluator", "SampledRankBasedEvaluator", {"task": "sampled"}), ("evaluator", "RankBasedEvaluator", {}),
        ("head_type", "person", {"unclear": _OF_PART.format("head_type", "person")}),
    ],
)  # fmt: skip
def test_each_says_what_a_reader_would_say(name: str, value: str, said: dict[str, Any] | None) -> None:
    assert read_setting(name, value) == said


def test_only_what_is_said_of_an_evaluation_counts_among_other_settings() -> None:
    assert read_setting("filtered", "false", anywhere=True) == {"protocol": "raw"}
    assert read_setting("mode", "head", anywhere=True) == {}
    assert names_setting("eval mode")
    assert not names_setting("model")


def say(name: str, text: str) -> list[dict[str, Any]]:
    """Return what is stated of each number of a file, but for its model."""
    fields = ("dataset", "split", "side", "protocol", "task", "num_tasks", "relations", "among")
    contexts = [entry.context for entry in read_opened(Document(name, text)).entries]
    return [{field: said for field in fields if (said := getattr(each, field))} for each in contexts]


WN = {"dataset": "WN18RR"}


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ('"filtered": false, "mrr": 0.3', [{**WN, "protocol": "raw"}]),
        ('"filtered": false, "filtered_mrr": 0.3', [WN]),
        ('"mode": "head-batch", "mrr": 0.3', [{**WN, "side": "head"}]),
        ('"task": "relation_prediction", "mrr": 0.9', [{**WN, "task": "relation prediction"}]),
        ('"entity": {"mrr": 0.3}, "relation": {"mrr": 0.9}', [WN, {**WN, "task": "relation prediction"}]),
        ('"per_relation": {"_hypernym": {"mrr": 0.1}}, "mrr": 0.4', [WN, {**WN, "relations": ("_hypernym",)}]),
        ('"num_test_triples": 500, "tail_mrr": 0.3', [{**WN, "side": "tail", "num_tasks": 500}]),
        ('"num_test_triples": 500, "mrr": 0.3', [{**WN, "num_tasks": 1000}]),
        ('"count": 6268, "mrr": 0.3', [{**WN, "num_tasks": 6268}]),
        ('"tail-batch": {"mrr": 0.3}', [{**WN, "side": "tail"}]),
        ('"best_valid_result": {"mrr": 0.3}', [{**WN, "split": "valid"}]),
        ('"sampled_metrics": {"mrr": 0.9}', [{**WN, "task": "sampled"}]),
        (
            '"config": {"eval": {"filter": false, "side": "tail"}}, "mrr": 0.3',
            [{**WN, "protocol": "raw", "side": "tail"}],
        ),
        ('"version": "v1", "mrr": 0.3', [{"among": ("WN18RR v1 (GraIL)", "WN18RR v1 ind (GraIL)")}]),
        ('"config": {"num_eval_negatives": "100", "mode": "head"}, "mrr": 0.8', [{**WN, "protocol": "sampled:100"}]),
    ],
)
def test_keys_of_json_say_how_its_numbers_were_evaluated(inner: str, said: list[dict[str, Any]]) -> None:
    assert say("a.json", f'{{"dataset": "WN18RR", {inner}}}') == said


@pytest.mark.parametrize(
    "text",
    [
        '{"head": {"mrr": 0.3}, "tail": {"mrr": 0.3}, "avg": {"mrr": 0.3}}',
        '{"both": {"hits_at_10": 0.3}}',
        '{"mrr": 0.3, "hits@10": 0.5, "hyperparams": {"k": 100}}',
    ],
)
def test_keys_that_any_program_may_use_are_of_no_tool(text: str) -> None:
    reading = read_opened(Document("a.json", text))
    assert (reading.tool, {entry.context.tool for entry in reading.entries}) == (None, {None})


def test_it_says_how_it_was_understood() -> None:
    inner = read_opened(Document("a.json", '{"config": {"dataset": "WN18RR"}, "mode": "head", "test": {"mrr": 0.3}}'))
    assert inner.understood == "dataset, side from the settings next to its numbers"
    assert not read_opened(Document("a.json", '{"dataset": "WN18RR", "split": "test", "mrr": 0.3}')).understood
    below = "# WN18RR\n\n| A | MRR |\n|---|---|\n| B | 0.3 |\n\nNote: numbers are of the validation set.\n"
    assert "split valid from the text around it" in read_opened(Document("a.md", below)).understood


@pytest.mark.parametrize("key", ["unseen", "rp_test", "inverse", "rel"])
def test_keys_may_be_of_other_tasks(key: str) -> None:
    (entry,) = read_opened(Document("a.json", f'{{"dataset": "WN18RR", "{key}": {{"mrr": 0.3}}}}')).entries
    assert entry.context.unclear or entry.context.task


def test_a_mean_over_runs_may_be_an_object() -> None:
    (entry,) = read_opened(Document("a.json", '{"dataset": "WN18RR", "mrr": {"mean": 0.47, "std": 0.01}}')).entries
    assert entry.text == "0.47 ± 0.01"


def test_kinds_of_relations_are_no_models() -> None:
    reading = read_opened(Document("a.json", '{"dataset": "WN18RR", "1-N": {"mrr": 0.2}, "mrr": 0.4}'))
    assert [entry.context.unclear[:35] for entry in reading.entries] == ["", "it is of the relations that are 1-N"]


@pytest.mark.parametrize(
    "text",
    [
        '{"config": {"dataset": "WN18RR", "model": "RotatE"}, "test": {"mrr": 0.4}}',
        '{"args": {"data_path": "data/WN18RR/"}, "results": {"test": {"mrr": 0.4}}}',
        '{"dataset": {"name": "WN18RR", "split": "test"}, "test": {"mrr": 0.4}}',
        '{"experiment": "WN18RR_rotate_test", "mrr": 0.4}',
        '{"train_dataset": "FB15k-237", "eval_dataset": "WN18RR", "test": {"mrr": 0.4}}',
    ],
)
def test_settings_name_the_dataset(text: str) -> None:
    assert say("a.json", text) == [{**WN, "split": "test"}]


@pytest.mark.parametrize(
    ("heading", "rows", "said"),
    [
        ("type", "filtered|raw", [{}, {"protocol": "raw"}]),
        ("mode", "head-batch|tail-batch", [{"side": "head"}, {"side": "tail"}]),
        ("eval_mode", "random_100|full", [{"protocol": "sampled:100"}, {}]),
        ("candidates", "all|50", [{}, {"task": "sampled"}]),
        ("task", "relation prediction|link prediction", [{"task": "relation prediction"}, {}]),
        ("setting", "raw|with attention", [{}, {}]),  # of something else
        ("path", "out/WN18RR/a.json|out/umls/b.json", [WN, {"dataset": "umls"}]),
        ("run", "rotate_wn18rr_1|rotate_mygraph_1", [{}, {}]),
        (
            "run",
            "umls_dev_1|umls_test_1",
            [{"dataset": "umls", "split": "valid"}, {"dataset": "umls", "split": "test"}],
        ),
        ("sampled", "yes|no", [{"task": "sampled"}, {}]),
        ("inductive", "True|False", [{"task": "inductive"}, {}]),
        ("test_dataset", "WN18RR|UMLS", [WN, {"dataset": "UMLS"}]),
    ],
)
def test_columns_say_how_their_rows_were_evaluated(heading: str, rows: str, said: list[dict[str, Any]]) -> None:
    text = "".join(f"A,{cell},0.3\n" for cell in rows.split("|"))
    assert say("a.csv", f"model,{heading},mrr\n{text}") == said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"dataset": "WN18RR", "mrr_left": 0.3, "mrr": 0.4}'),
        ("a.csv", "model,left mrr,mrr\nA,0.3,0.4\n"),
        ("a.md", "| model | Left | Both |\n|---|---|---|\n| | MRR | MRR |\n| A | 0.3 | 0.4 |\n"),
    ],
)
def test_left_and_right_are_no_sides(name: str, text: str) -> None:
    reading = read_opened(Document(name, text))
    assert [entry.text for entry in reading.entries] == ["0.4"]
    assert WHICH_SIDES in {each.why for each in reading.skipped}


@pytest.mark.parametrize(
    ("setting", "value", "tasks"),
    [
        ("protocol", "raw", "test/both/raw"), ("protocol", "sampled:20", "test/both/sampled:20"),
        ("split", "valid", "valid/both/standard"), ("split", "train", "test/both/standard"),
        ("side", "tail", "test/tail/standard"), ("phase", "valid", "valid/both/standard"),
        ("evaluated_on", "valid", "valid/both/standard"), ("best_on", "valid", "test/both/standard"),
        ("mode", "head", "test/both/standard"), ("task", "relation_prediction", ""), ("inductive", "true", ""),
        ("filtering", "train+valid", ""), ("type_constrained", "true", ""),
    ],
)  # fmt: skip
def test_settings_of_a_program_say_what_it_evaluated(setting: str, value: str, tasks: str) -> None:
    """A mode may be one of training, and a train split is what a model learns from."""
    text = json.dumps({"config": {"dataset": "UMLS", setting: value}, "metrics": {"mrr": 0.5}})
    assert _adjust("a.json", text) == tasks


@pytest.mark.parametrize(
    ("key", "value", "tasks"),
    [
        ("tool", "libkge", "test/both/libkge"), ("framework", "PyTorch", "test/both/standard"),
        ("aggregation", "macro-relation", "test/both/standard/macro-relation"), ("kind", "raw", "test/both/raw"),
        ("aggregation", "sum", "test/both/standard"), ("metric_split", "valid", "valid/both/standard"),
        ("subset", "hard", ""), ("direction", "forward", ""), ("type_constrained", "yes", ""),
    ],
)  # fmt: skip
def test_keys_next_to_numbers_count_as_columns_do(key: str, value: str, tasks: str) -> None:
    assert _adjust("a.json", json.dumps({"dataset": "UMLS", key: value, "mrr": 0.5})) == tasks
    if key != "aggregation":  # of networks, too
        assert _adjust("a.csv", f"dataset,{key},MRR\nUMLS,{value},0.5\n") == tasks


@pytest.mark.parametrize(
    ("settings", "tasks"),
    [
        ({"protocol": "standard", "config": {"filtered": False}}, ""), ({"protocol": "raw", "filtered": True}, ""),
        ({"protocol": "raw", "config": {"filtered": False}}, "test/both/raw"),
        ({"split": "test", "config": {"eval_split": "valid"}}, "test/both/standard"),
        ({"filtered": True, "evaluation": {"filtered": False}}, ""),
        ({"config": {"filtered": True}, "evaluation": {"filtered": False}}, ""),
    ],
)  # fmt: skip
def test_settings_that_contradict_what_is_next_to_numbers(settings: dict[str, Any], tasks: str) -> None:
    """A program may evaluate another split while it trains."""
    assert _adjust("a.json", json.dumps({"dataset": "UMLS", **settings, "mrr": 0.5})) == tasks


@pytest.mark.parametrize(
    ("part", "tasks"),
    [
        ({"evaluation": {"filtered": False}}, "test/both/raw"), ({"eval_config": {"raw": True}}, "test/both/raw"),
        ({"evaluation": {"num_negatives": 20}}, "test/both/sampled:20"), ({"evaluation": {"candidates": 20}}, ""),
        ({"evaluator": {"side": "tail", "batch_size": 8}}, "test/tail/standard"),
        ({"evaluation": {"mode": "head-batch", "split": "valid"}}, "valid/head/standard"),
        ({"config": {"evaluation": {"args": {"filtered": False}}}}, "test/both/raw"),
        ({"evaluation": {"filter_by": "train"}}, ""), ({"meta": {"filtered": False}}, "test/both/raw"),
        ({"training": {"num_negatives": 20, "mode": "head"}}, "test/both/standard"),
        ({"model": {"ranker": {"filtered": False}}}, "test/both/standard"),
    ],
)  # fmt: skip
def test_an_object_without_metrics_may_hold_the_settings_of_the_evaluation(part: dict[str, Any], tasks: str) -> None:
    assert _adjust("a.json", json.dumps({"dataset": "UMLS", **part, "metrics": {"mrr": 0.5}})) == tasks


_CELLS = "model,MRR\nA,0.5\n"
_ROWS = "\n| model | MRR |\n|---|---|\n| A | 0.5 |\n"
_LATEX = r"""
\begin{table}\caption{UMLS (SETTING)}\begin{tabular}{lc}
Model & MRR \\
A & 0.5 \\
\end{tabular}\end{table}
"""
# Files with a setting somewhere next to their number.
_FILES: dict[str, Callable[[str, str], tuple[str, str]]] = {
    "a line of settings": lambda name, value: (
        "a.jsonl", json.dumps({"config": {"dataset": "umls", name: value}}) + '\n{"mrr": 0.5}\n'
    ),
    "a first line": lambda name, value: (
        "a.jsonl", json.dumps({"dataset": "umls", name: value}) + '\n{"mrr": 0.5}\n'
    ),
    "words of a command": lambda name, value: (
        "a.json", json.dumps({"argv": ["run.py", f"--{name}", value], "dataset": "umls", "mrr": 0.5})
    ),
    "a command": lambda name, value: (
        "a.json", json.dumps({"command": f"python run.py --{name}={value}", "dataset": "umls", "mrr": 0.5})
    ),
    "YAML": lambda name, value: ("a.yaml", f"config:\n  dataset: umls\n  {name}: {value}\nmetrics:\n  mrr: 0.5\n"),
    "a tracker": lambda name, value: ("a.csv", f"params.dataset,params.{name},metrics.mrr\numls,{value},0.5\n"),
    "comments of CSV": lambda name, value: ("a.csv", f"# dataset: umls\n# {name}: {value}\n{_CELLS}"),
    "lines above": lambda name, value: ("a.md", f"dataset: umls\n{name}: {value}\n{_ROWS}"),
    "a list": lambda name, value: ("a.md", f"- dataset: umls\n- {name}: {value}\n{_ROWS}"),
    "parentheses": lambda name, value: ("a.md", f"Results on UMLS ({name}={value}):\n{_ROWS}"),
    "a heading": lambda name, value: ("a.md", f"# UMLS\n\n## {name}: {value}\n{_ROWS}"),
    "a note below": lambda name, value: ("a.md", f"# UMLS\n{_ROWS}\nNote: {name}={value}\n"),
    "a row of its own": lambda name, value: ("a.md", f"# UMLS\n{_ROWS}".replace("| A", f"| {name}: {value} | |\n| A")),
    "the name of a row": lambda name, value: ("a.md", f"# UMLS\n{_ROWS.replace('| A', f'| A ({name}={value})')}"),
    "a caption of HTML": lambda name, value: (
        "a.html", f"<table><caption>UMLS ({name}: {value})</caption><tr><th>model<th>MRR<tr><td>A<td>0.5</table>\n"
    ),
    "a caption of LaTeX": lambda name, value: (
        "a.tex", _LATEX.replace("SETTING", f"{name}={value}".replace("_", r"\_"))
    ),
    "a table of settings": lambda name, value: (
        "a.md", f"# UMLS\n\n| setting | value |\n|---|---|\n| dropout | 0.1 |\n| {name} | {value} |\n{_ROWS}"
    ),
    "text far above": lambda name, value: (
        "a.txt", f"dataset: umls\n{name}: {value}\nseed: 3\n\nResults:\nmodel   MRR   Hits@1\nA   0.5   0.4\n"
    ),
    "rows above": lambda name, value: ("a.csv", f"dataset,umls,\n{name},{value},\nmodel,seed,MRR\nA,3,0.5\n"),
    "a row above": lambda name, value: ("a.csv", f"{name},{value}\nmodel,dataset,MRR\nA,umls,0.5\n"),
    "a row of Markdown above": lambda name, value: (
        "a.md", f"# UMLS\n\n| {name} | {value} | |\n|---|---|---|\n| model | seed | MRR |\n| A | 3 | 0.5 |\n"
    ),
    "rows next to a metric": lambda name, value: ("a.csv", f"dataset,umls\n{name},{value}\nMRR,0.5\n"),
    "names and values": lambda name, value: (
        "a.md", f"| name | value |\n|---|---|\n| dataset | umls |\n| MRR | 0.5 |\n| {name} | {value} |\n"
    ),
    "the heading of a metric": lambda name, value: ("a.csv", f"model,dataset,MRR ({name}={value})\nA,umls,0.5\n"),
    "a heading with brackets": lambda name, value: ("a.csv", f"dataset,MRR [{name}: {value}]\numls,0.5\n"),
    "a level of a heading": lambda name, value: (
        "a.md", f"| dataset | {name}={value} | |\n|---|---|---|\n| | MRR | Hits@1 |\n| umls | 0.5 | 0.4 |\n"
    ),
    "a key": lambda name, value: ("a.json", json.dumps({"dataset": "umls", f"mrr ({name}={value})": 0.5})),
    "a field of RST": lambda name, value: (
        "a.rst", f"UMLS\n====\n\n:{name}: {value}\n\n===== ====\nmodel MRR\n===== ====\nA     0.5\n===== ====\n"
    ),
    "text": lambda name, value: ("a.txt", f"dataset: umls\n{name}: {value}\n\nmodel   MRR   Hits@1\nA   0.5   0.4\n"),
}  # fmt: skip


@pytest.mark.parametrize("place", _FILES)
def test_settings_count_wherever_they_are(place: str) -> None:
    usual = (
        ("filtered", "False", "test/both/raw"), ("eval_split", "valid", "valid/both/standard"),
        ("side", "tail", "test/tail/standard"), ("num_eval_negatives", "20", "test/both/sampled:20"),
        ("type_constrained", "True", ""), ("batch_size", "20", "test/both/standard"),
    )  # fmt: skip
    more = (
        ("filtered", "True", "test/both/standard"), ("eval_filter", "False", "test/both/raw"),
        ("no_filter", "True", "test/both/raw"), ("eval_mode", "head-batch", "test/head/standard"),
        ("protocol", "raw", "test/both/raw"), ("filter_splits", "train", ""),
    )  # fmt: skip
    for name, value, tasks in choose(usual, (*usual, *more)):
        assert _adjust(*_FILES[place](name, value)) == tasks, (name, value)


_NEAR = (
    "comments of CSV", "lines above", "a list", "a heading", "a row of its own", "the name of a row", "rows above",
    "a row above", "a row of Markdown above", "rows next to a metric", "names and values", "a table of settings",
)  # fmt: skip


@pytest.mark.parametrize("place", _NEAR)
def test_next_to_numbers_settings_count_that_a_program_may_have_of_its_training(place: str) -> None:
    usual = (
        ("subset", "seen", ""), ("predict", "head", "test/head/standard"), ("batch", "10/273", ""),
        ("task", "relation prediction", ""), ("batch", "10/10", "test/both/standard"),
        ("type", "RotatE", "test/both/standard"),
    )  # fmt: skip
    more = (
        ("client", "2", ""), ("fold", "3", ""), ("average", "macro", ""), ("mode", "tail-batch", "test/tail/standard"),
        ("statistic", "std", ""), ("query_type", "2p", ""), ("status", "running", ""), ("complete", "false", ""),
        ("relation", "_hypernym", ""), ("part", "unseen", ""), ("setting", "raw", "test/both/raw"),
        ("query_type", "1p", "test/both/standard"), ("status", "finished", "test/both/standard"),
        ("average", "micro", "test/both/standard"), ("target", "entity", "test/both/standard"),
        ("monitor", "valid", "test/both/standard"), ("num_negatives", "256", "test/both/standard"),
    )  # fmt: skip
    for name, value, tasks in choose(usual, (*usual, *more)):
        assert _adjust(*_FILES[place](name, value)) == tasks, (name, value)


def test_settings_in_headings_that_contradict_them() -> None:
    assert _adjust("a.csv", "dataset,filtered=False/mrr\numls,0.5\n") == "test/both/raw"
    assert _adjust("a.csv", "dataset,filtered MRR (filtered=False)\numls,0.5\n") == ""
    assert _adjust("a.csv", "dataset,Test MRR (split=valid)\numls,0.5\n") == ""
    assert _adjust("a.csv", "dataset,MRR (phase=eval)\numls,0.5\n") == ""
    assert _adjust("a.csv", "dataset,MRR (filtered=True; raw=True)\numls,0.5\n") == ""


@pytest.mark.parametrize(
    ("rows", "protocols"),
    [
        ("dataset,umls\nfiltered,True\nMRR,0.5\nfiltered,False\nMRR,0.4\n", "standard raw"),
        ("dataset,umls\nMRR,0.5\nHits@1,0.4\nfiltered,False\n", "raw raw"),
        ("dataset,umls\nMRR,0.5\nfiltered,True\nMRR,0.4\nfiltered,False\n", ""),
        ("dataset,metric,value\numls,filtered,no\numls,MRR,0.5\nnations,MRR,0.6\n", "raw"),
        ("dataset,metric,value\numls,MRR,0.5\numls,filtered,no\nnations,MRR,0.6\n", "raw"),
        ("dataset,metric,value\n,filtered,no\numls,MRR,0.5\nnations,MRR,0.6\n", "raw raw"),
        ("metric,umls,nations\nfiltered,no,yes\nMRR,0.5,0.6\n", "raw standard"),
        ("metric,umls,nations\nMRR,0.5,0.6\nfiltered,no,yes\n", "raw standard"),
        ("filtered,no,yes\nmetric,umls,nations\nMRR,0.5,0.6\n", ""),
    ],
)  # fmt: skip
def test_rows_of_settings_are_of_rows_of_metrics(rows: str, protocols: str) -> None:
    try:
        entries = rankconst.adjust(read_document("a.csv", rows)).entries
    except DataError:
        entries = ()
    assert " ".join(each.constants.tasks.protocol for each in entries if each.constants) == protocols


def test_what_a_sentence_says_of_a_setting_is_none() -> None:
    text = f"# UMLS\n\nSet `filtered: False` to get raw ranks, as in `run.py --raw`.\n{_ROWS}"
    assert _adjust("a.md", text) == "test/both/standard"


def test_settings_above_a_table_that_contradict_its_text() -> None:
    assert _adjust("a.md", f"# UMLS\n\nfiltered: True\n\nRaw results:\n{_ROWS}") == ""
    assert _adjust("a.md", f"# UMLS\n\neval_split: valid\n\nfiltered: no\n{_ROWS}") == "valid/both/raw"


def test_a_line_of_a_training_is_no_setting() -> None:
    assert (
        _adjust("a.jsonl", '{"epoch": 1, "split": "train"}\n{"dataset": "umls", "mrr": 0.5}\n') == "test/both/standard"
    )


def test_an_object_with_metrics_says_nothing_of_others() -> None:
    evaluation = {"filtered": False, "again": {"mrr": 0.5}}
    text = json.dumps({"dataset": "UMLS", "evaluation": evaluation, "metrics": {"mrr": 0.6}})
    rows = rankconst.adjust(read_document("a.json", text)).done
    assert {str(each.batch.tasks) for each in rows} == {"umls/test/both/raw", "umls/test/both/standard"}


def test_an_evaluated_dataset_is_that_of_the_numbers() -> None:
    assert _adjust("a.json", '{"evaluation": {"dataset": "UMLS"}, "metrics": {"mrr": 0.5}}') == "test/both/standard"
    assert _adjust("a.json", '{"metadata": {"dataset": "UMLS"}, "metrics": {"mrr": 0.5}}') == "test/both/standard"


@pytest.mark.parametrize("name", ["phase", "stage", "set"])
def test_the_split_of_a_program_s_evaluation_is_left_to_the_user(name: str) -> None:
    csv = f"dataset,{name},MRR\nUMLS,train,0.9\nUMLS,eval,0.5\n"
    result = rankconst.adjust(read_document("a.csv", csv))
    assert [str(each.batch.tasks) for each in result.done] == ["umls/train/both/standard"]
    assert _adjust("a.csv", f"dataset,{name},MRR\nUMLS,eval,0.5\n") == ""
    assert _adjust("a.json", json.dumps({"dataset": "UMLS", name: "eval", "mrr": 0.5})) == ""
    (one,) = rankconst.adjust(read_document("a.csv", csv), split="test").done
    assert str(one.batch.tasks) == "umls/test/both/standard"


def test_a_macro_average_is_named() -> None:
    assert _adjust("a.csv", "dataset,aggregation,MRR\nUMLS,macro,0.5\n") == ""
    (one,) = rankconst.adjust(
        read_document("a.csv", "dataset,aggregation,MRR\nUMLS,macro,0.5\n"), aggregation="macro-query"
    ).done
    assert one.batch.tasks.aggregation == "macro-query"


@pytest.mark.parametrize(
    ("columns", "cells"), [("dataset,eval_dataset", "UMLS,Nations"), ("dataset,split,subset", "UMLS,test,valid")]
)
def test_two_columns_of_one_kind_that_differ(columns: str, cells: str) -> None:
    assert _adjust("a.csv", f"{columns},MRR\n{cells},0.5\n") == ""
    same = ",".join(["UMLS"] * 2 if columns.startswith("dataset,eval") else ["UMLS", "valid", "dev"])
    assert _adjust("a.csv", f"{columns},MRR\n{same},0.5\n") != ""


def _adjust(name: str, text: str) -> str:
    """Return the ranking tasks of the numbers; empty if they are left out."""
    try:
        (tasks,) = {str(each.batch.tasks) for each in rankconst.adjust(read_document(name, text)).done}
    except (DataError, UnknownNameError):
        return ""
    return tasks.removeprefix("umls/")


def test_a_test_set_by_an_unknown_name_is_a_part_of_its_graph() -> None:
    csv = "TestSet,MRR\numls_test,0.73\ndata/umls/test.txt,0.73\numls_low_degree_test,0.53\n"
    entries = read_opened(Document("results.csv", csv)).entries
    assert [(each.context.dataset, bool(each.context.unclear)) for each in entries] == [
        ("umls", False), ("umls", False), ("umls", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("filter_known", "False", {"protocol": "raw"}),
        ("remove_known", "false", {"protocol": "raw"}),
        ("filtering", "off", {"protocol": "raw"}),
        ("filter_known", "True", {}),
        ("tail_only", "true", {"side": "tail"}),
        ("only_head", "yes", {"side": "head"}),
        ("tail_only", "false", {}),
        ("evaluate_heads", "false", {"side": "tail"}),
        ("test_tail", "False", {"side": "head"}),
        ("evaluate_heads", "true", {}),
        ("both_sides", "true", {}),
        ("test_fraction", "1.0", {}),
        ("eval_split", "train", {"split": "train"}),
    ],
)
def test_flags_of_an_evaluation_say_what_is_ranked(name: str, value: str, said: dict[str, str]) -> None:
    assert read_setting(name, value, anywhere=True) == said


def test_flags_may_leave_it_open_what_is_ranked() -> None:
    assert dict((read_setting("both_sides", "false", anywhere=True) or {})["missing"]).keys() == {"side"}
    assert "test_fraction 0.1" in (read_setting("test_fraction", "0.1", anywhere=True) or {})["unclear"]


@pytest.mark.parametrize(
    "remark",
    [
        "on the validation set", "raw ranks", "heads only", "(h, r, ?)", "relation prediction", "unseen entities",
        "first 1000 triples", "macro average", "improvement over TransE", "few-shot", "Δ", "rotate_unseen_entities",
        "partial", "client 2", "over relations", "QA",
    ],
)  # fmt: skip
def test_a_remark_leaves_its_row_to_the_user(remark: str) -> None:
    assert "unclear" in read_remark(remark)


@pytest.mark.parametrize(
    "remark",
    [
        "test", "best checkpoint", "w/o inverse relations", "+ seen loss", "5 seeds", "early stopping on valid", "ours",
        "uses unseen entities", "temporal attention", "The rows below are of models that were trained by us.",
        "rotate_complex_v2", "multi-hop", "convkb_temporal", "1000 epochs",
    ],
)  # fmt: skip
def test_other_remarks_say_nothing_of_their_row(remark: str) -> None:
    assert read_remark(remark) == {}


def test_a_direction_leaves_the_side_to_the_user() -> None:
    assert [role for role, _ in (read_setting("direction", "backward") or {})["missing"]] == ["side"]


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("Namespace(dataset='umls', task='relation prediction', lr=0.1)", ""),
        ("Namespace(dataset='umls', task='head prediction', lr=0.1)", "test/head/standard"),
        ("Namespace(dataset='umls', test_fraction=0.1, lr=0.1)", ""),
        ("Namespace(dataset='umls', subset='seen', lr=0.1)", ""),
        ("Namespace(dataset='umls', num_test=20, lr=0.1)", ""),
        ("Namespace(dataset='umls', mode='train', type='RotatE', dropout=0.1)", "test/both/standard"),
        ("Namespace(dataset='umls', ranking='full', raw=0.25, negatives=256)", "test/both/standard"),
    ],
)
def test_settings_of_a_program_above_numbers_of_a_log(text: str, tasks: str) -> None:
    assert _adjust("a.log", f"{text}\nMRR: 0.5\nHits@10: 0.6\n") == tasks


def test_a_version_near_a_table_is_part_of_the_name_of_its_dataset() -> None:
    assert _adjust("a.md", f"dataset: umls\nversion: v1\n{_ROWS}") == ""
    assert _adjust("a.md", f"dataset: umls\nversion: 1.2\n{_ROWS}") == "test/both/standard"
