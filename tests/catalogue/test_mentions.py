"""Graphs that texts name; what is known of those whose ranking tasks are others."""

from __future__ import annotations

import re

import pytest

import rankconst
from rankconst.catalogue.mentions import (
    describe_dataset,
    explain_elsewhere,
    find_joined,
    find_mentions,
    find_variant,
    find_within,
    is_inductive,
    split_name,
)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("GDELT", "a temporal graph"), ("nell-one (few-shot)", "a few examples"), ("Freebase", "drawn from"),
        ("FB15k-237 (few-shot)", r"are few-shot tasks(\.|$)"), ("WikiPeople-3 (n-ary)", "more than two entities"),
        ("WN18RR (relation prediction)", "which --side relation is for"), ("WN18RR or FB15k", "which of them it is"),
    ],
)  # fmt: skip
def test_why_a_graph_is_elsewhere(name: str, reason: str) -> None:
    assert re.search(reason, explain_elsewhere(name) or "")
    with pytest.raises(rankconst.UnknownNameError, match=reason):
        rankconst.load().tasks(name)


@pytest.mark.parametrize(
    "name", ["Atlantis", "WN18RR+", "WN18RR++", "WD50K (99)", "Atlantis (few-shot)", "WN18RR or Atlantis"]
)
def test_what_is_simply_unknown(name: str) -> None:
    assert explain_elsewhere(name) is None


def test_headings_that_name_a_graph_together() -> None:
    assert [(mention.key, mention.known) for mention in find_joined("S", "CoDEx")] == [("codexsmall", True)]
    small = find_joined("Performance on Small Dataset", "Inductive Link Prediction Challenge (ILPC) 2022")
    assert [mention.key for mention in small] == ["ilpc2022small"]
    assert not find_joined("Results", "FB15k-237")
    assert not find_joined("Nations", "Results")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # A known name with something attached is another graph, unless that says nothing of the graph.
        ("WN18RR-plus", [("WN18RR-plus", False)]), ("WN18RR-test", [("WN18RR", True)]),
        ("WN18RR-test-plus", [("WN18RR-test-plus", False)]), ("Kinships-raw-valid", [("Kinships", True)]),
        # An unknown one is told by the words around it, and its shape.
        ("trained on Foo12k and more", [("Foo12k", False)]), ("on Foo12k", [("Foo12k", False)]),
        ("Foo12k dataset", [("Foo12k", False)]),
        ("the Foo-Bar benchmark", [("Foo-Bar", False)]), ("better than Foo12k is", []), ("on foos", []),
        ("higher on H10 and MRR", []), ("on Hits10 dataset", []),
        # A common word is a name in a heading, not in a sentence.
        ("of all four nations", [("nations", True)]), ("one of all four nations", []),
        ("WordNet-18 (RR) and more", [("WordNet-18 (RR)", True)]), ("all of (WN18RR)", [("WN18RR", True)]),
        # A star marks another graph after a name, none around it.
        ("WN18RR+", [("WN18RR+", False)]), ("FB15k-237+WN18RR", [("FB15k-237", True), ("WN18RR", True)]),
        ("WN18RR* FB15k", [("WN18RR*", False), ("FB15k", True)]), ("a *WN18RR* b", [("WN18RR", True)]),
        # What benchmarks are drawn from counts where nothing else is named, and what several are named does.
        ("FB15k-237 of Freebase", [("FB15k-237", True)]), ("Freebase and WordNet", [("Freebase", False)]),
        ("GDELT and WN18RR", [("GDELT", False), ("WN18RR", True)]), ("of ICEWS14 alone", [("ICEWS14", False)]),
    ],
)  # fmt: skip
def test_names_and_what_looks_like_them(text: str, names: list[tuple[str, bool]]) -> None:
    assert [(mention.text, mention.known) for mention in find_mentions(text)] == names


@pytest.mark.parametrize(
    ("name", "expected"), [("WN18RR v1 ind", True), ("WN18RR v1", False), ("ILPC2022-small", True), ("WN18RR", False)]
)
def test_graphs_of_inductive_benchmarks(name: str, expected: bool) -> None:
    assert is_inductive(name) is expected


@pytest.mark.parametrize(
    ("text", "name"), [("results/WN18RR/transe.json", "WN18RR"), ("WN18RR/FB15k", None), ("GDELT.json", None)]
)
def test_the_only_graph_that_a_path_holds(text: str, name: str | None) -> None:
    assert find_within(text) == name


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("test/WN18RR_mrr", "WN18RR", "test mrr"), ("mrr/FB15k-237", "FB15k-237", "mrr"),
        ("Unified Medical Language System: MRR", "Unified Medical Language System", "MRR"),
        ("test/mrr", "", "test/mrr"),
    ],
)  # fmt: skip
def test_a_name_is_split_from_the_words_joined_to_it(text: str, name: str, rest: str) -> None:
    assert split_name(text) == (name, rest)


@pytest.mark.parametrize(
    ("name", "task", "expected"),
    [
        ("WN18RR", None, "WN18RR"), ("ILPC2022-small", "inductive", "ILPC2022-small"),
        ("ICEWS18", "temporal", "ICEWS18"), ("WN18RR", "inductive", "WN18RR (inductive)"),
        ("WN18RR", "temporal", "WN18RR (temporal)"),
        ("ILPC2022-small", "temporal", "ILPC2022-small (temporal)"), ("ICEWS18", "few-shot", "ICEWS18 (few-shot)"),
        # Of the benchmarks that a name may mean, those with such tasks count.
        ("YAGO", "temporal", "yago_tkg"), ("WD50K-33", "n-ary", "wd50k_33_statements"),
        ("ICEWS14", "temporal", "ICEWS14 (temporal)"),
    ],
)  # fmt: skip
def test_a_task_that_is_not_the_benchmarks_makes_another_dataset(name: str, task: str | None, expected: str) -> None:
    assert describe_dataset(name, task) == expected


def test_a_long_text_takes_no_more_than_its_length() -> None:
    # Each word has the shape of a graph's name.
    assert find_mentions("Word1-X " * 20_000 + "on OpenBG-IMG")[0].text == "OpenBG-IMG"


@pytest.mark.parametrize(
    ("text", "dataset", "variant"),
    [
        ("WN18RR-IND", "WN18RR", "WN18RR-IND"), ("WN18RR v1", "wn18rr", "WN18RR v1"), ("WN18RR", "WN18RR", None),
        ("wn18-rr", "WN18RR", None), ("WN18", "WN18RR", None), ("RotatE", "WN18RR", None), ("WN18RR v1", "", None),
        ("pretrained on FB15k-237", "FB15k", None), ("FB15k-237", "FB15k", "FB15k-237"),
    ],
)  # fmt: skip
def test_a_name_that_is_that_of_a_variant(text: str, dataset: str, variant: str | None) -> None:
    assert find_variant(text, dataset) == variant


def test_a_long_text_names_no_variant_only() -> None:
    assert [find_variant("WN18RR-IND".ljust(length, "."), "WN18RR") for length in (40, 41)] == ["WN18RR-IND", None]
