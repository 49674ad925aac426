"""What a short text says on its own."""

from __future__ import annotations

import pytest

from rankconst.results.tables.labels import find_rank_type, find_title_task, read_title, tell_label


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("few-shot-wn18rr", "few-shot"), ("WN18RR_unseen_entities", "subset"), ("inductive_results", "inductive"),
        ("relation-prediction-wn18rr-test", "relation prediction"), ("triple_classification", "triple classification"),
        ("fold3", "another split"), ("results_fold_3", "another split"), ("2024-05-03_fold_3", "another split"),
        ("client_2", "federated"), ("client_2_seed42", "federated"), ("1-N_relations", "by relation"),
        ("results_std", "difference"), ("macro", "macro-averaged"), ("sampled_negatives", "sampled"),
        ("long-tail", "subset"), ("5-shot", "few-shot"), ("KGQA", "question answering"),
    ],
)  # fmt: skip
def test_a_name_that_is_a_label_and_nothing_else(name: str, task: str) -> None:
    assert find_title_task(name) == task


@pytest.mark.parametrize(
    "name",
    [
        "temporal_rotate", "temporal", "multihop_model", "inductive-bias", "inductive_attention", "conve_1-N",
        "few-shot-wn18rr-rotate", "unseen_entities_rotate", "inductive_vs_transductive", "federated_transe", "results",
        "rotate", "wn18rr", "link_prediction_results", "entity_prediction", "results_2024-05-03_seed42", "top10",
        "num_negatives_256", "rotate_wn18rr_500_negatives", "ablation_relations", "run_3", "table_2", "v1", "",
    ],
)  # fmt: skip
def test_a_name_that_says_more_or_nothing_is_that_of_anything(name: str) -> None:
    assert find_title_task(name) is None


@pytest.mark.parametrize("name", ["on the validation set", "Head prediction", "unseen entities", "not filtered", "raw"])
def test_titles_say_why_it_is_unclear_what_numbers_are_of(name: str) -> None:
    assert read_title(name)["unclear"]
    assert not read_title(f"RotatE best checkpoint {name}")


def test_what_is_known_anyway_is_no_question() -> None:
    assert not read_title("valid", {"split"})
    assert read_title("valid", {"side"})


@pytest.mark.parametrize(
    ("text", "rank_type"),
    [
        ("optimistic", "optimistic"), ("Pessimistic ranks", "pessimistic"), ("(optimistic)", "optimistic"),
        ("optimistic and pessimistic", None), ("we are optimistic about the results of it", None), ("realistic", None),
    ],
)  # fmt: skip
def test_a_label_names_how_ties_are_ranked(text: str, rank_type: str | None) -> None:
    assert find_rank_type(text) == rank_type


def test_a_label_may_be_a_setting() -> None:
    told = tell_label("filtered: false")
    assert told is not None
    assert told.protocol == "raw"
    assert tell_label("our best models") is None
