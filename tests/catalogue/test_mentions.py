"""Graphs that texts name; what is known of those whose ranking tasks are others."""

from functools import partial

import pytest

import rankconst
from cases import for_each
from growth import grows_in_proportion
from rankconst.catalogue.mentions import explain_elsewhere, find_mentions, is_inductive
from rankconst.errors import UnknownNameError


@for_each(
    ("name", "reason"),
    [
        ("GDELT", "a temporal graph"), ("nell-one", "a few examples"), ("Freebase", "drawn from"),
        ("WikiPeople-3", "more than two entities"), ("ICEWS14", "several benchmarks have this name"),
    ],
)  # fmt: skip
def test_why_a_graph_is_elsewhere(name: str, reason: str) -> None:
    assert reason in (explain_elsewhere(name) or "")
    with pytest.raises(
        UnknownNameError, match=reason if name != "ICEWS14" else "several benchmarks"
    ):
        rankconst.load().tasks(name)


@for_each("name", ["Atlantis", "WN18RR+", "WN18RR++", "WD50K (99)", "WN18RR or Atlantis"])
def test_what_is_simply_unknown(name: str) -> None:
    assert explain_elsewhere(name) is None


@for_each(
    ("text", "names"),
    [
        # A name with anything attached is another graph.
        ("WN18RR-plus", [("WN18RR-plus", False)]), ("FB15k-237N", [("FB15k-237N", False)]),
        ("WN18RRx1", [("WN18RRx1", False)]), ("OWE-FB15k-237", [("OWE-FB15k-237", False)]),
        ("WN18RR+", [("WN18RR+", False)]), ("FB15k-237+WN18RR", [("FB15k-237", True), ("WN18RR", True)]),
        ("WN18RR* FB15k", [("WN18RR*", False), ("FB15k", True)]), ("a *WN18RR* b", [("WN18RR", True)]),
        # Words apart, however a name is written.
        ("wn18rr_transe", [("wn18rr", True)]), ("results/WN18RR/transe", [("WN18RR", True)]),
        ("WordNet-18 (RR) and more", [("WordNet-18 (RR)", True)]), ("all of (WN18RR)", [("WN18RR", True)]),
        ("Unified Medical Language System", [("Unified Medical Language System", True)]),
        ("one of all four nations", [("nations", True)]), ("better than Foo12k is", []), ("on H10 and MRR", []),
        # What benchmarks are drawn from counts where nothing else is named.
        ("FB15k-237 of Freebase", [("FB15k-237", True)]), ("Freebase and WordNet", [("Freebase", False)]),
        ("GDELT and WN18RR", [("GDELT", False), ("WN18RR", True)]), ("of ICEWS14 alone", [("ICEWS14", False)]),
    ],
)  # fmt: skip
def test_names_and_what_is_attached_to_them(text: str, names: list[tuple[str, bool]]) -> None:
    found = find_mentions(text)
    assert [(mention.text, mention.known) for mention in found] == names
    assert [text[mention.start : mention.end] for mention in found] == [
        mention.text for mention in found
    ]


@for_each(
    ("name", "expected"),
    [("WN18RR v1 ind", True), ("WN18RR v1", False), ("ILPC2022-small", True), ("WN18RR", False)],
)
def test_graphs_of_inductive_benchmarks(name: str, expected: bool) -> None:
    assert is_inductive(name) is expected


@pytest.mark.parametrize("part", ["Word1-X ", "wn18rr-", "WN18", "fb15k-237 "])
def test_a_long_text_takes_no_more_than_its_length(part: str) -> None:
    assert grows_in_proportion(lambda times: partial(find_mentions, part * times), 2_000)


def test_suites_are_named_by_spellings_that_no_model_has() -> None:
    assert [mention.key for mention in find_mentions("the mean over GraIL-12 and ULTRA-41")] == [
        "grail_12",
        "ultra_inductive",
    ]
    assert not any(
        mention.known for mention in find_mentions("GraIL, InGram, KG-ICL and ULTRA, inductive")
    )


@for_each(
    ("text", "keys"),
    [
        ("Inductive (e) (18 graphs)", ["ultra_inductive_e"]),
        ("Inductive (e, r) (23 graphs)", ["ultra_inductive_er"]),
        ("Inductive (e,r) (23 graphs) and FB15k-237", ["ultra_inductive_er", "fb15k237"]),
        ("Transductive (13 graphs)", ["ultra_transductive"]),
        ("Inductive (e) (12 graphs)", []),
        ("FB15k, 237 relations", ["fb15k"]), ("FB15k (237 relations)", ["fb15k"]),
        ("FB15k-237 (20)", ["fb15k237_20"]), ("FB15k-237 20%", ["fb15k237_20"]), ("WD50K 33", ["wd50k_33"]),
        ("FB15k-237 (20,466)", ["fb15k237"]), ("FB15k-237 (10 epochs)", ["fb15k237"]), ("FB15k-237 20 runs", ["fb15k237"]),
    ],
)  # fmt: skip
def test_what_papers_call_parts_of_a_suite(text: str, keys: list[str]) -> None:
    assert [mention.key for mention in find_mentions(text)] == keys
