"""JSON objects of metrics: AmpliGraph's, and those of others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import rankconst
from rankconst.errors import DataError
from rankconst.evaluation import Stated, settle
from rankconst.results.adjust import name_relations
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.tools.ampligraph import READER
from rankconst.tasks import Tasks

if TYPE_CHECKING:
    from rankconst.results.reading import Reading

TABLES = rankconst.load()


def _read(text: str) -> Reading:
    document = Document("results.json", text)
    assert READER.recognise(document)
    return READER.read(document)


def test_an_experiment_of_ampligraph() -> None:
    # ComplEx on FB15K-237: github.com/Accenture/AmpliGraph, docs/experiments.rst.
    reading = _read(
        '{"mr": 204, "mrr": 0.31, "H@1": 0.22, "H@3": 0.34, "H@10": 0.49, "hyperparams": {"k": 350, "mrr": 1}}'
    )
    assert {entry.metric.label: entry.text for entry in reading.entries} == {
        "MR": "204",
        "MRR": "0.31",
        "Hits@1": "0.22",
        "Hits@3": "0.34",
        "Hits@10": "0.49",
    }
    assert {entry.context.tool for entry in reading.entries} == {"ampligraph"}
    assert {entry.row for entry in reading.entries} == {0}
    assert reading.rows == ({"mr": "204", "mrr": "0.31", "H@1": "0.22", "H@3": "0.34", "H@10": "0.49"},)
    # Two decimals are all there is.
    assert not any(entry.exact for entry in reading.entries)


def test_the_best_model_of_a_search() -> None:
    reading = _read(
        '{"model_name": "ComplEx", "model_params": {"k": 50}, '
        '"results": {"mrr": 0.3, "mr": 20, "hits_1": 0.2, "hits_3": 0.3, "hits_10": null}}'
    )
    assert [entry.metric.label for entry in reading.entries] == ["MRR", "MR", "Hits@1", "Hits@3"]
    assert {(entry.context.model, entry.context.tool) for entry in reading.entries} == {("ComplEx", "ampligraph")}
    assert [(skip.what, skip.why) for skip in reading.skipped] == [("results.hits_10", "it is null")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"WN18RR": {"ComplEx": {"mrr": 0.5}}}', [("WN18RR", "ComplEx")]),
        ('{"ComplEx": {"WN18RR": {"mrr": 0.5}, "own": {"mrr": 0.6}}}', [("WN18RR", "ComplEx"), ("own", "ComplEx")]),
        ('{"own": {"ComplEx": {"mrr": 0.5}}}', [("own", "ComplEx")]),
        ('{"ComplEx": {"mrr": 0.5}, "TransE": {"mrr": 0.4}}', [(None, "ComplEx"), (None, "TransE")]),
        ('{"fb15k-237": {"mrr": 0.3}, "wn18rr": {"mrr": 0.4}}', [("fb15k-237", None), ("wn18rr", None)]),
        ('{"dataset": "umls", "model": "TransE", "mrr": 0.5}', [("umls", "TransE")]),
        ('{"MRR (WN18RR)": 0.5}', [("WN18RR", None)]),
        (
            '[{"model": "A", "dataset": "WN18RR", "mrr": 0.5}, {"method": "B", "data": "umls", "mrr": 0.6}]',
            [("WN18RR", "A"), ("umls", "B")],
        ),
        (
            '[{"data": "data/own", "dataset": "umls", "mrr": 0.5}, {"graph": 12, "mrr": 0.6}]',
            [("umls", None), (None, None)],
        ),
    ],
)
def test_keys_around_the_metrics_name_dataset_and_model(
    text: str, expected: list[tuple[str | None, str | None]]
) -> None:
    reading = _read(text)
    assert [(entry.context.dataset, entry.context.model) for entry in reading.entries] == expected


def test_splits_in_keys_and_around() -> None:
    reading = _read('{"test": {"mrr": 0.1}, "valid_mrr": 0.2, "validation": {"raw_mrr": 0.3}}')
    assert {(entry.text, entry.context.split, entry.context.protocol) for entry in reading.entries} == {
        ("0.1", "test", None),
        ("0.2", "valid", None),
        ("0.3", "validation", "raw"),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"Train": {"MRR": 0.9}, "Val": {"MRR": 0.6}, "Test": {"MRR": 0.5}}',
         [("train", None, None), ("valid", None, None), ("test", None, None)]),
        ('{"WN18RR": {"mrr": 0.4, "head": {"mrr": 0.3}, "tail_prediction": {"mrr": 0.5}}}',
         [(None, None, None), (None, "head", None), (None, "tail", None)]),
        ('{"sp_": {"mrr": 0.4}, "_po": {"mrr": 0.3}}', [(None, "tail", None), (None, "head", None)]),
        ('{"test_metrics": {"raw": {"mr": 20}, "filtered": {"mr": 10}}}',
         [("test", None, "raw"), ("test", None, None)]),
        ('{"A": {"mrr": 0.4}, "ours": {"mrr": 0.5}}', [(None, None, None), (None, None, None)]),
    ],
)  # fmt: skip
def test_keys_name_splits_sides_and_protocols(text: str, said: list[tuple[str | None, ...]]) -> None:
    contexts = [entry.context for entry in _read(text).entries]
    assert [(about.split, about.side, about.protocol) for about in contexts] == said


def test_what_names_no_tool_has_no_source() -> None:
    reading = _read('{"mrr": 0.3, "hits@10": 0.5, "loss": 0.1, "std": 0.2}')
    assert [entry.metric.label for entry in reading.entries] == ["MRR", "Hits@10"]
    assert reading.tool is None
    assert {entry.context.tool for entry in reading.entries} == {None}


def test_lines_of_json() -> None:
    reading = _read('{"_step": 1, "test_mrr": 0.1}\n{"_step": 2, "test_mrr": "0.2 ± 0.1"}\n')
    assert [(entry.line, entry.text) for entry in reading.entries] == [(1, "0.1"), (2, "0.2 ± 0.1")]
    assert reading.rows == (
        {"line": "1", "_step": "1", "test_mrr": "0.1"},
        {"line": "2", "_step": "2", "test_mrr": "0.2 ± 0.1"},
    )


def test_settings_in_a_line_of_their_own_are_of_the_lines_below() -> None:
    first, second = '{"config": {"data": "WN18RR", "filtered": false}}', '{"config": {"data": "mine"}}'
    reading = _read(f'{first}\n{{"test_mrr": 0.1}}\n{{"test_mrr": 0.2}}\n{second}\n{{"test_mrr": 0.3}}\n')
    assert [(entry.context.dataset, entry.context.protocol) for entry in reading.entries] == [
        ("WN18RR", "raw"), ("WN18RR", "raw"), (None, None)
    ]  # fmt: skip
    (entry,) = _read('{"best_config": {"dataset": "WN18RR"}, "best_test_mrr": 0.4}').entries
    assert entry.context.dataset == "WN18RR"


def test_a_sign_in_the_name_is_that_of_the_value() -> None:
    (entry,) = _read('{"Hits@10 (%)": 53.3}').entries
    assert entry.text == "53.3%"


@pytest.mark.parametrize("value", ["true", '"abc"', "NaN", '""'])
def test_what_is_no_number_costs_nothing_else(value: str) -> None:
    reading = _read(f'{{"test": {{"mrr": {value}, "mr": [1, 2], "hits@1": 0.5}}}}')
    assert [(entry.metric.label, entry.text) for entry in reading.entries] == [("Hits@1", "0.5")]
    assert [skip.what for skip in reading.skipped] == ["test.mrr", "test.mr"]
    assert all("number" in skip.why for skip in reading.skipped)


@pytest.mark.parametrize("text", ["[1, 2]", "{}", '{"loss": 0.1}', '{"a": {"b": [0.1]}}', "mrr: 0.3", '{"mrr": [0.1]}'])
def test_what_holds_no_metric_is_not_recognised(text: str) -> None:
    assert not READER.recognise(Document("results.json", text))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('{"MRR": 0.3, "Hits": {"@1": 0.2, "10": 0.5}}', {"MRR": "0.3", "Hits@1": "0.2", "Hits@10": "0.5"}),
        ('{"hits@[1,10]": [0.2, 0.5], "mrr": 0.3}', {"Hits@1": "0.2", "Hits@10": "0.5", "MRR": "0.3"}),
        ('{"hits@[1,10]": [0.2], "mrr": 0.3}', {"MRR": "0.3"}),
        ('{"hits": {"1": 0.2, "hits@1": 0.3, "hits@3": 0.5}}', {"Hits@1": "0.3", "Hits@3": "0.5"}),
        ('[{"name": "MRR", "value": 0.3}, {"key": "hits@3", "value": 0.5}]', {"MRR": "0.3", "Hits@3": "0.5"}),
        ('{"metric": "MRR", "value": 0.3, "MRR": 0.4}', {"MRR": "0.4"}),
        ('{"name": "TransE", "value": 0.3, "MRR": 0.4}', {"MRR": "0.4"}),
        ('{"MRR": 33.8, "MR": 20, "Hits@1": 24.1}', {"MRR": "33.8%", "MR": "20", "Hits@1": "24.1%"}),
        ('{"MRR": 0.338, "Hits@1": 24.1, "Hits@3": 30.0}', {"MRR": "0.338", "Hits@1": "24.1%", "Hits@3": "30.0%"}),
    ],
)  # fmt: skip
def test_numbers_in_other_shapes_and_units(text: str, numbers: dict[str, str]) -> None:
    assert {entry.metric.label: entry.text for entry in _read(text).entries} == numbers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"mrr": 0.2, "filtered_mrr": 0.3, "mr": 9}', ["raw 0.2", "- 0.3", "- 9"]),
        ('{"fmrr": 0.3, "fhits10": 0.5, "mrr": 0.2, "hits10": 0.4}', ["- 0.3", "- 0.5", "raw 0.2", "raw 0.4"]),
        ('{"mrr": 0.2, "filtered": {"mrr": 0.3}}', ["raw 0.2", "- 0.3"]),
        ('{"mrr": 0.3, "filtered_mrr": 0.3}', ["- 0.3", "- 0.3"]),
        ('{"test_mrr": 0.2, "valid_filtered_mrr": 0.3}', ["- 0.2", "- 0.3"]),
        ('{"eval": {"num_negatives": 50, "mrr": 0.8}}', ["sampled:50 0.8"]),
    ],
)
def test_plain_next_to_filtered_is_raw(text: str, said: list[str]) -> None:
    assert [f"{entry.context.protocol or '-'} {entry.text}" for entry in _read(text).entries] == said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"category": "1-N", "mrr": 0.3}', "of the relations that are 1-N"),
        ('{"num_negatives": 64, "mrr": 0.3}', "may be of the training or of the evaluation: add --protocol sampled:64"),
        ('{"eval_mrr": 0.3, "eval_runtime": 10.2}', "eval is valid or test, whichever the program was given"),
        ('{"log_history": [{"eval_mrr": 0.3, "eval_loss": 0.2}]}', "eval is valid or test, whichever the program"),
        ('{"folds": [{"fold": 2, "mrr": 0.3}]}', "it is of fold 2 of a cross-validation"),
        ('{"Recall@5": 0.5, "MRR": 0.5, "MAP": 0.4}', r"another task \(retrieval\)"),
        ('{"Recall@5": 0.4, "Hits@5": 0.5, "MRR": 0.3}', r"another task \(retrieval\)"),
        ('{"HR@5": 0.5, "MRR": 0.5, "NDCG@5": 0.4}', r"another task \(retrieval\)"),
        ('{"std": {"mrr": 0.01}}', "'std' is how far numbers are spread"),
    ],
)
def test_what_may_be_of_other_tasks_is_left_to_the_user(text: str, why: str) -> None:
    entry = _read(text).entries[-1]
    with pytest.raises(DataError, match=why):
        settle(entry.context, Stated("nations"), TABLES)


@pytest.mark.parametrize(
    ("text", "user"),
    [
        ('{"category": "all", "mrr": 0.3}', Stated("nations")),
        ('{"category": "drugs", "mrr": 0.3}', Stated("nations")),
        ('{"num_negatives": 64, "lr": 0.1, "mrr": 0.3}', Stated("nations")),
        ('{"num_negatives": 64, "mrr": 0.3}', Stated("nations", protocol="standard")),
        ('{"config": {"num_negatives": 64}, "mrr": 0.3}', Stated("nations")),
        ('{"eval_mrr": 0.3, "eval_runtime": 10.2}', Stated("nations", split="test")),
        ('{"test_mrr": 0.3, "eval_runtime": 10.2}', Stated("nations")),
        ('{"Recall@5": 0.5, "MRR": 0.5}', Stated("nations")),
    ],
)
def test_what_is_not_open_is_not_asked(text: str, user: Stated) -> None:
    (entry,) = _read(text).entries
    assert settle(entry.context, user, TABLES)[0] == Tasks("nations", "standard", "test")


def test_a_number_of_all_relations_next_to_those_of_single_ones() -> None:
    text = '{"test": {"mrr": 0.46, "by_relation": {"accusation": {"mrr": 0.15}}}}'
    named = name_relations(_read(text), Stated("nations"), TABLES)
    assert [entry.context.relations for entry in named.entries] == [(), ("accusation",)]
    # In a table, an empty cell is another matter.
    table = name_relations(read_document("a.csv", "what,mrr\naccusation,0.15\n,0.46\n"), Stated("nations"), TABLES)
    assert [entry.context.relations for entry in table.entries] == [("accusation",), ()]
    assert [bool(entry.context.unclear) for entry in table.entries] == [False, True]


def test_the_dataset_may_be_in_what_an_experiment_is() -> None:
    (entry,) = _read('{"experiment": {"dataset": "WN18RR", "eval_sample_size": 500}, "results": {"mrr": 0.4}}').entries
    assert (entry.context.dataset, entry.context.num_tasks) == ("WN18RR", 1000)


def test_a_version_next_to_a_name_in_settings_belongs_to_it() -> None:
    (entry,) = _read('{"dataset": {"name": "WN18RR", "version": "v1"}, "n_eval": 9, "mrr": 0.4}').entries
    assert entry.context.among == ("WN18RR v1 (GraIL)", "WN18RR v1 ind (GraIL)")
    assert entry.context.num_tasks == 18


@pytest.mark.parametrize(
    ("comment", "roles"),
    [
        ("# validation", ["split"]), ("## raw setting", ["protocol"]), ("# tail prediction only", ["side"]),
        ("# filtered results on FB15k-237", []), ("# best on the validation set", []), ("# seed 42", []),
        ("# test set", []),
    ],
)  # fmt: skip
def test_comments_of_yaml_leave_open_what_they_say(comment: str, roles: list[str]) -> None:
    for text in (f"dataset: FB15k-237\n{comment}\nmrr: 0.338\n", f"dataset: FB15k-237\nmrr: 0.338  {comment}\n"):
        (entry,) = read_document("results.yaml", text).entries
        assert [role for role, _ in entry.context.missing] == roles
    (entry,) = read_document("results.yaml", f"dataset: FB15k-237\nnote: 'a{comment}'\nmrr: 0.338\n").entries
    assert not entry.context.missing


def test_yaml_is_read_like_json() -> None:
    text = "dataset: WN18RR\nvalid:\n  mrr: 0.48\ntest:\n  mrr: 0.47\n  hits: {1: 0.43, 10: 0.55}\nstd:\n  mrr: 0.001\n"
    reading = read_document("results.yaml", text)
    assert reading.form == READER.key
    assert [
        (entry.context.dataset, entry.context.split, entry.metric.label, entry.text, bool(entry.context.unclear))
        for entry in reading.entries
    ] == [
        ("WN18RR", "valid", "MRR", "0.48", False),
        ("WN18RR", "test", "MRR", "0.47", False),
        ("WN18RR", "test", "Hits@1", "0.43", False),
        ("WN18RR", "test", "Hits@10", "0.55", False),
        ("WN18RR", None, "MRR", "0.001", True),
    ]
    assert read_document("broken.yaml", "model: &a x\nMRR: 0.3\n").form == "generic"


def test_numbers_without_a_split_next_to_those_of_test_are_left_to_the_user() -> None:
    text = '{"Eval/mrr": 0.49, "Test/mrr": 0.47}'
    missing = [[*dict(entry.context.missing)] for entry in read_document("a.json", text).entries]
    assert missing == [["split"], []]
    alone = read_document("a.json", '{"mrr": 1.31, "hits@1": 0.45}')
    assert [entry.text for entry in alone.entries] == ["0.45"]
    assert alone.skipped[0].why.startswith("it is above 1, and no other number is a percentage")


def test_numbers_of_a_metric_by_split_side_or_dataset_are_of_these() -> None:
    for text, expected in (
        ('{"MRR": {"train": 0.9, "valid": 0.4, "test": 0.3}}', ["train - 0.9", "valid - 0.4", "test - 0.3"]),
        ('{"test": {"MRR": {"head": 0.2, "tail": 0.4, "avg": 0.3}}}', ["test head 0.2", "test tail 0.4", "test - 0.3"]),
        ('{"MRR": {"FB15k-237": 0.3, "WN18RR": 0.4}, "seed": 1}', ["FB15k-237 - - 0.3", "WN18RR - - 0.4"]),
        ('{"mrr": {"mean": 0.3, "std": 0.1}}', ["- - 0.3 ± 0.1"]),
        ('{"phase": "train", "mrr": 0.9}\n{"phase": "val", "mrr": 0.3}\n', ["train - 0.9", "valid - 0.3"]),
    ):
        found = [
            " ".join(filter(None, (about.dataset, about.split or "-", about.side or "-", entry.text)))
            for entry in read_document("a.json", text).entries
            for about in [entry.context]
        ]
        assert found == expected


def test_what_is_asked_forward_is_of_tails() -> None:
    reading = _read(
        '{"forward metrics": {"mrr": 0.42}, "backward": {"mrr": 0.24}, "average metrics": {"mrr": 0.33}, '
        '"forward model": {"mrr": 0.3}}'
    )
    assert [(entry.text, entry.context.side) for entry in reading.entries] == [
        ("0.42", "tail"),
        ("0.24", "head"),
        ("0.33", None),
        ("0.3", None),
    ]


def test_next_to_a_metric_of_inverse_queries_one_is_left_out() -> None:
    reading = _read('{"mrr": 0.4, "mrr_inv": 0.3, "hits@10": 0.6, "all": {"mrr": 0.35}}')
    assert [entry.text for entry in reading.entries] == ["0.6", "0.35"]


def test_how_many_triples_were_evaluated() -> None:
    reading = _read('{"mrr": 0.4, "n_evaluated": 2000}')
    assert [entry.context.num_tasks for entry in reading.entries] == [4000]


@pytest.mark.parametrize(
    ("model", "split", "side", "unclear"),
    [
        ("RotatE (valid)", "valid", None, False),
        ("RotatE (tail)", None, "tail", False),
        ("RotatE (unseen entities)", None, None, True),
        ("RotatE (dim=200)", None, None, False),
        ("RotatE", None, None, False),
    ],
)
def test_the_name_of_a_model_says_what_its_numbers_are_of(
    model: str, split: str | None, side: str | None, unclear: bool
) -> None:
    text = json.dumps({"dataset": "WN18RR", "model": model, "mrr": 0.476})
    (entry,) = read_document("a.json", text).entries
    assert (entry.context.split, entry.context.side, bool(entry.context.unclear)) == (split, side, unclear)


@pytest.mark.parametrize(
    "about",
    [
        '"meta": {"subset": "seen"}', '"info": {"fold": 3}', '"evaluation": {"notes": "raw setting"}',
        '"config": {"fold": 3}', '"config": {"lr": 0.1, "notes": "unseen entities"}', '"name": "few-shot"',
        '"experiment": "relation prediction"', '"title": "on the validation set"', '"stat": "std"',
        '"config": {"setting": "few-shot"}', '"args": {"query": "(?, r, t)"}',
    ],
)  # fmt: skip
def test_what_is_next_to_results_counts_whatever_holds_it(about: str) -> None:
    for text in (f'{{{about}, "mrr": 0.3}}', f'{{{about}, "results": {{"RotatE": {{"mrr": 0.3}}}}}}'):
        (entry,) = _read(text).entries
        context = entry.context
        assert context.unclear or context.task or context.protocol or context.side or context.missing, text


@pytest.mark.parametrize("key", ["config", "args"])
@pytest.mark.parametrize(
    "setting",
    [
        '"num_negatives": 256', '"negative_sample_size": 256', '"valid_steps": 10000', '"mode": "train"',
        '"type": "RotatE"', '"relation": "translation"', '"early_stopping": "valid"', '"notes": "best checkpoint"',
        '"status": "finished"', '"description": "w/o inverse relations"', '"name": "inductive-bias"',
    ],
)  # fmt: skip
def test_what_a_program_trained_with_says_nothing_of_its_evaluation(key: str, setting: str) -> None:
    for more in ("", '"lr": 0.1, '):
        settings = f'"{key}": {{{more}{setting}}}'
        for text in (f'{{{settings}, "mrr": 0.3}}', f'{{{settings}}}\n{{"epoch": 1, "mrr": 0.3}}\n'):
            (entry,) = _read(text).entries
            assert settle(entry.context, Stated("nations"), TABLES)[0] == Tasks("nations", "standard", "test")


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("not filtered", "may say protocol raw"),
        ("predict head", "may say side head"),
        ("fold 3", "another task"),
        ("unseen entities", r"another task \(inductive\)|another task \(subset\)"),
        ("running average", "running"),
    ],
)
def test_a_key_that_is_a_label_is_heeded(key: str, why: str) -> None:
    for inner in ('{"mrr": 0.3}', '[{"mrr": 0.3}]', '{"RotatE": {"mrr": 0.3}}'):
        (entry,) = _read(f'{{"results": {{"{key}": {inner}}}}}').entries
        with pytest.raises(DataError, match=why):
            settle(entry.context, Stated("nations"), TABLES)


def test_a_line_without_numbers_is_about_those_below() -> None:
    note, number = '{"note": "validation set"}', '{"mrr": 0.3}'
    reading = _read(f'{number}\n{note}\n{number}\n{{"epoch": 3}}\n{number}\n{{"note": "main results"}}\n{number}\n')
    assert [entry.context.split for entry in reading.entries] == [None, "valid", "valid", None]
    # A record of the training is no heading.
    reading = _read(f'{{"dataset": "nations"}}\n{{"split": "train", "loss": 0.1}}\n{number}\n')
    assert [(entry.context.dataset, entry.context.split) for entry in reading.entries] == [("nations", None)]
    reading = _read(f'{{"dataset": "nations", "filtered": false}}\n{number}\n{{"dataset": "umls"}}\n{number}\n')
    assert [entry.context.protocol for entry in reading.entries] == ["raw", None]
    (entry,) = _read(f'{{"dataset": "nations"}}\n{{"data_path": "data/nations"}}\n{number}\n').entries
    assert entry.context.dataset == "nations"


@pytest.mark.parametrize(
    "text",
    [
        '{"dataset": "WN18RR", "notes": "WN18RR_v1", "mrr": 0.3}',
        '{"dataset": "WN18RR", "WN18RR_v1": {"mrr": 0.3}}',
        '{"WN18RR_v1": {"WN18RR": {"mrr": 0.3}}}',
        '{"dataset": "WN18RR", "WN18RR_v1/mrr": 0.3}',
        '{"dataset": "WN18RR", "metric": "MRR (few-shot)", "value": 0.3}',
        '{"dataset": "WN18RR", "runs": [{"experiment": "WN18RR_v1", "mrr": 0.3}]}',
    ],
)
def test_a_variant_of_the_dataset_next_to_it_contradicts_it(text: str) -> None:
    (entry,) = _read(text).entries
    assert entry.context.unclear


@pytest.mark.parametrize(
    "text",
    [
        '{"ties": "optimistic", "mrr": 0.3}', '{"notes": "optimistic ranks", "mrr": 0.3}',
        '{"rank_type": "optimistic", "mrr": 0.3}', '{"optimistic ranks": {"mrr": 0.3}}',
        '{"evaluation": {"tie_policy": "optimistic"}, "mrr": 0.3}',
    ],
)  # fmt: skip
def test_how_ties_were_ranked(text: str) -> None:
    (entry,) = _read(text).entries
    assert entry.context.rank_type == "optimistic"


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("# unseen entities", True), ("# fold: 3", True), ("# few-shot", True), ("# num_test: 500", True),
        ("# relation prediction is not what we do here, ever", False), ("# 5 seeds", False), ("# best model", False),
    ],
)  # fmt: skip
def test_comments_of_yaml_that_are_labels_leave_numbers_out(comment: str, left: bool) -> None:
    (entry,) = read_document("results.yaml", f"dataset: FB15k-237\nmetrics:\n  {comment}\n  mrr: 0.338\n").entries
    assert bool(entry.context.unclear) is left


def test_a_comment_about_a_setting_of_the_training_is_not_about_numbers() -> None:
    text = "dataset: FB15k-237\nconfig:\n  num_negatives: 500  # 500 negative samples\nmrr: 0.338\n"
    (entry,) = read_document("results.yaml", text).entries
    assert not entry.context.unclear
