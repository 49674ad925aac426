"""Which ranking tasks a number is from: file, user and tool, in their order."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pandas as pd
import pytest

import rankconst
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, PROTOCOLS
from rankconst.catalogue.tools import TOOLS, Tool
from rankconst.errors import AskedError, DataError, UnknownNameError, UsageError
from rankconst.evaluation import (
    NAMES,
    NOTHING,
    Ask,
    Stated,
    agrees,
    complete_by_name,
    list_open,
    match_relations,
    parse_stated,
    settle,
)
from rankconst.tasks import Tasks

TABLES = rankconst.load()


def say(name: str, value: Any) -> Stated:
    return replace(NOTHING, **{name: value})


@pytest.mark.parametrize(
    ("file", "user", "tool", "protocol", "caveats"),
    [
        (Stated(), Stated(), None, DEFAULT_PROTOCOL, None),
        (Stated(), Stated(), "pykeen", "pykeen", "pykeen"),
        (Stated(tool="libkge"), Stated(), "pykeen", "libkge", "libkge"),
        (Stated(tool="libkge"), Stated(tool="ampligraph"), None, "pykeen", "ampligraph"),
        (Stated(protocol="raw", tool="libkge"), Stated(), None, "raw", "libkge"),
        (Stated(protocol="raw"), Stated(protocol="pykeen"), None, "pykeen", None),
        (Stated(tool="rotate"), Stated(protocol="sampled:100"), None, "sampled:100", "rotate"),
    ],
)
def test_the_user_goes_before_the_file_and_the_file_before_its_format(
    file: Stated, user: Stated, tool: str | None, protocol: str, caveats: str | None
) -> None:
    tasks, row = settle(replace(file, dataset="WN18RR"), user, TABLES, tool=tool)
    assert tasks == Tasks("wn18rr", protocol, "test", "both")
    assert (None if row is None else row.key) == caveats


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_tool_leads_to_its_protocol(tool: Tool) -> None:
    dataset = "ogbl-biokg" if tool.key == "ogb" else "nations"
    tasks, row = settle(Stated(dataset), parse_stated(Stated(tool=tool.title), TABLES), TABLES)
    assert (tasks.protocol, row) == (tool.protocol, tool)
    for refused in tool.refused:
        with pytest.raises(DataError) as reason:
            settle(Stated(refused), Stated(tool=tool.key), TABLES)
        assert str(reason.value) == tool.refused[refused]


@pytest.mark.parametrize("tool", [tool for tool in TOOLS.values() if tool.refused], ids=lambda tool: str(tool.key))
def test_a_dataset_that_a_tool_is_refused_on_is_told_at_once(tool: Tool) -> None:
    """Whether the tables know it or not."""
    for refused, reason in tool.refused.items():
        with pytest.raises(DataError) as told:
            parse_stated(Stated(refused, tool=tool.key), TABLES)
        assert str(told.value) == reason


@pytest.mark.parametrize("tool", ["pykeen", "pyg"])
@pytest.mark.parametrize("said", [(NOTHING, Stated(side="relation")), (Stated(side="predicate"), NOTHING)])
def test_a_tool_that_ranks_no_relations_has_no_numbers_of_that_side(tool: str, said: tuple[Stated, Stated]) -> None:
    file, user = replace(said[0], dataset="nations"), said[1]
    with pytest.raises(DataError, match=r"tails only.*Leave out --side"):
        settle(file, replace(user, tool=tool), TABLES)
    assert settle(file, replace(user, protocol=TOOLS[tool].protocol), TABLES)[0].side == "relation"


def test_a_dataset_with_one_protocol_needs_no_word() -> None:
    tasks, row = settle(Stated("ogbl-wikikg2"), NOTHING, TABLES)
    assert (tasks, row) == (Tasks("ogbwikikg2", "sampled:500"), None)


def test_numbers_without_a_dataset_have_no_tasks() -> None:
    with pytest.raises(DataError, match="no dataset is named: add --dataset"):
        settle(NOTHING, Stated(split="valid"), TABLES)


def test_relations_are_those_of_the_user_or_else_of_the_file() -> None:
    file, user = Stated("nations", relations=("embassy",)), Stated(relations=("treaties",))
    assert settle(file, NOTHING, TABLES)[0] == Tasks("nations", relations=("embassy",))
    assert settle(file, user, TABLES)[0] == Tasks("nations", relations=("treaties",))


def test_relations_of_a_file_may_lack_punctuation() -> None:
    assert settle(Stated("wn18rr", relations=("also see",)), NOTHING, TABLES)[0].relations == ("_also_see",)
    # What is unknown stays, for the message.
    assert settle(Stated("wn18rr", relations=("seen",)), NOTHING, TABLES)[0].relations == ("seen",)


EMERGING = Ask("task", "of emerging entities", "emerging", "the caption", kind="inductive")
RAW = Ask("protocol", "raw", "raw", "its row", "--protocol raw")
DEV = Ask("split", "tuned on the dev set", "dev", "the caption", "--split valid")
WHICH = Ask("dataset", "it may be of FB15k-237 or WN18RR", remedy="--dataset", choices=("FB15k-237", "WN18RR"))
SUBSET = Ask("relations", "its cell is empty")


@pytest.mark.parametrize(
    ("ask", "user", "answered"),
    [
        # A field answers its own questions; the dataset only those about it, and words of what the benchmark is.
        (DEV, Stated(split="test"), True), (DEV, Stated(side="both", protocol="standard"), False),
        (RAW, Stated(protocol="raw"), True), (RAW, Stated(protocol="standard"), True), (RAW, Stated("wn18rr"), False),
        (WHICH, Stated("wn18rr"), True), (WHICH, Stated(split="test"), False),
        (EMERGING, Stated("wn18rr_v1_ind"), True), (EMERGING, Stated("wn18rr"), False),
        (SUBSET, Stated(relations=("_hypernym",)), True), (SUBSET, Stated("wn18rr"), False),
        # A word is accepted, in any case; a question without a word is not.
        (EMERGING, Stated(accepted=("Emerging",)), True), (DEV, Stated(accepted=("dev",)), True),
        (DEV, Stated(accepted=("valid",)), False), (WHICH, Stated(accepted=("dataset",)), False),
    ],
)  # fmt: skip
def test_a_question_is_open_until_the_user_or_the_benchmark_answers_it(ask: Ask, user: Stated, answered: bool) -> None:
    file = Stated(
        None if ask is WHICH else "wn18rr_v1_ind" if user.dataset == "wn18rr_v1_ind" else "wn18rr", asks=(ask,)
    )
    assert list_open(file, user) == (() if answered else (ask,))
    if answered:
        assert settle(file, user, TABLES)[0].dataset == (user.dataset or file.dataset)
        return
    with pytest.raises(AskedError) as error:
        settle(file, user, TABLES)
    assert (error.value.asks, str(error.value)) == ((ask,), f"{ask}.")


def test_a_question_names_word_place_and_both_ways_on() -> None:
    harmless = "if it says nothing about these numbers"
    assert str(DEV) == f'"dev" in the caption, "tuned on the dev set": add --split valid, or --accept dev {harmless}'
    assert str(RAW) == f'"raw" in its row: add --protocol raw, or --accept raw {harmless}'
    assert str(EMERGING) == f'"emerging" in the caption, "of emerging entities": add --accept emerging {harmless}'
    assert str(WHICH) == "it may be of FB15k-237 or WN18RR: add --dataset"
    assert str(SUBSET) == "its cell is empty"


@pytest.mark.parametrize("name", ["dataset", "split", "side", "aggregation"])
def test_file_and_user_must_not_contradict_each_other(name: str) -> None:
    file = Stated("nations", "valid", "head", None, "macro-query")
    asked = {"dataset": "umls", "split": "test", "side": "tail", "aggregation": "micro"}
    user = say(name, asked[name])
    with pytest.raises(
        UsageError, match=f"^the file says {name} {getattr(file, name)}, but {asked[name]} was asked for"
    ):
        settle(file, user, TABLES)
    assert not agrees(file, user, TABLES)


def test_which_macro_average_it_is_must_be_said() -> None:
    file = Stated("nations", aggregation="Macro")
    with pytest.raises(DataError, match="over queries or over relations"):
        settle(file, NOTHING, TABLES)
    for key in ("macro-query", "macro-relation"):
        assert settle(file, Stated(aggregation=key), TABLES)[0].aggregation == key
    with pytest.raises(DataError, match="over queries or over relations"):
        settle(file, Stated(aggregation="micro"), TABLES)


def test_what_a_user_says_is_read_once_into_keys() -> None:
    said = Stated("FB15k-237", "testing", "left", "PyKEEN", "query", "LibKGE", model="ComplEx", percent=True)
    keys = parse_stated(said, TABLES)
    assert keys == replace(
        said, dataset="fb15k237", split="test", side="head", protocol="pykeen", aggregation="macro-query", tool="libkge"
    )
    assert parse_stated(keys, TABLES) == keys
    assert parse_stated(NOTHING, TABLES) == NOTHING


@pytest.mark.parametrize("name", [*NAMES, "tool"])
def test_what_the_user_types_is_checked(name: str) -> None:
    with pytest.raises(UnknownNameError, match="'nope'"):
        parse_stated(say(name, "nope"), TABLES)


def test_sampled_numbers_stay_sampled() -> None:
    with pytest.raises(UsageError, match=r"Leave out --protocol to adjust them under sampled:500\.$"):
        settle(Stated("ogbl-biokg", tool="ogb"), Stated(protocol="standard"), TABLES)
    with pytest.raises(UsageError, match="numbers on this dataset rank among sampled candidates"):
        settle(Stated("ogbl-biokg"), Stated(protocol="standard"), TABLES)


@pytest.fixture(scope="module")
def temporal() -> rankconst.Tables:
    """Tables of a small graph under the key of a temporal benchmark."""
    memory = pytest.importorskip("rankconst_builder.memory", reason="needs rankconst[builder]")
    facts = pd.DataFrame([("a", "r", "b", 1), ("a", "r", "c", 2)], columns=["head", "relation", "tail", "time"])
    protocols = [protocol for protocol in PROTOCOLS.values() if protocol.fits(temporal=True)]
    tables: rankconst.Tables = memory.make_tables({"train": facts, "test": facts}, "icews14_regcn", "I14", protocols)
    return tables


@pytest.mark.parametrize(
    ("file", "user", "protocol"),
    [
        (Stated("icews14_regcn", protocol="Time-aware filter"), Stated(), "time-aware"),
        (Stated("icews14_regcn", tool="RE-GCN"), Stated(), "time-aware"),
        (Stated("icews14_regcn", tool="RE-GCN"), Stated(protocol="raw"), "raw"),
        # An ambiguous name, and the user says which benchmark it is.
        (Stated("ICEWS14"), Stated("icews14_regcn", protocol="static"), "static"),
    ],
)
def test_temporal_benchmarks(temporal: rankconst.Tables, file: Stated, user: Stated, protocol: str) -> None:
    tasks, _ = settle(file, user, temporal)
    assert tasks == Tasks("icews14_regcn", protocol)
    assert temporal.histogram(tasks).total == 4


def test_what_a_temporal_benchmark_leaves_open_is_refused(temporal: rankconst.Tables) -> None:
    tasks, _ = settle(Stated("icews14_regcn"), Stated(), temporal)
    with pytest.raises(UnknownNameError, match="Say whether known answers of the same time were removed"):
        temporal.histogram(tasks)
    with pytest.raises(UnknownNameError, match="needs the time of every fact"):
        TABLES.histogram(settle(Stated("wn18rr", tool="RE-GCN"), Stated(), TABLES)[0])
    with pytest.raises(UnknownNameError, match="ICEWS05-15 is the name of several benchmarks"):
        settle(Stated("ICEWS05-15"), Stated(), temporal)
    with pytest.raises(UnknownNameError, match=r": icews14_regcn, ICEWS14 \(RE-GCN\); icews14_xerte, "):
        settle(Stated("ICEWS14"), Stated(), TABLES)


@pytest.mark.parametrize(
    ("file", "user", "agreed"),
    [
        (Stated(asks=(WHICH,)), Stated("wn18rr"), True),
        (Stated(asks=(WHICH,)), Stated("nations"), False),
        (Stated(asks=(WHICH._replace(choices=("atlantis",)),)), Stated("nations"), False),
        (Stated(asks=(WHICH._replace(choices=("atlantis", "Nations")),)), Stated("nations"), True),
        (Stated(asks=(WHICH,)), NOTHING, True),
        (Stated("nations", asks=(WHICH,)), Stated("nations"), True),
        (Stated(relations=("a", "B c")), Stated(relations=("b_c", "a", "d")), True),
        (Stated(relations=("a", "B c")), Stated(relations=("b_c", "a")), True),
        (Stated(relations=("a", "e")), Stated(relations=("a", "d")), False),
        (Stated(relations=("a",)), NOTHING, True),
        (NOTHING, Stated(relations=("a",)), True),
        (Stated("FB15k-237", "testing"), Stated("fb15k237", "test"), True),
        (Stated("wn18rr", relations=("_hypernym",)), Stated(relations=("_also_see",)), False),
        (Stated("nations", "test", "head"), NOTHING, True),
        (Stated("atlantis", "valid"), Stated("nations", "test"), False),
        # Unknown names get a reason of their own where they are settled.
        (Stated("atlantis", "tset"), Stated("nations", "test"), True),
        (Stated(split="tset", side="head"), Stated(split="test", side="tail"), False),
        (Stated(protocol="raw"), Stated(protocol="standard"), True),
        (Stated(protocol="raw", dataset="nations"), Stated("nations", protocol="standard", side="head"), True),
    ],
)
def test_what_a_file_says_agrees_unless_it_contradicts(file: Stated, user: Stated, agreed: bool) -> None:
    assert agrees(file, user, TABLES) is agreed


def test_of_sampled_ranks_their_number_is_enough() -> None:
    for file, user in (
        (Stated(num_tasks=1234, protocol="sampled:50"), NOTHING),
        (Stated(num_tasks=1234), Stated(protocol="sampled:50")),
        (Stated(num_tasks=1234, protocol="raw"), Stated(protocol="sampled:50")),
    ):
        tasks, row = settle(file, user, TABLES, tool="pykeen")
        assert tasks == Tasks("1,234 tasks", "sampled:50", split="")
        assert row is TOOLS["pykeen"]
    for file in (Stated(num_tasks=1234), Stated(protocol="sampled:50"), Stated(num_tasks=1234, protocol="raw")):
        with pytest.raises(DataError, match="no dataset is named"):
            settle(file, NOTHING, TABLES)
    named = settle(Stated("wn18rr", num_tasks=1234, protocol="sampled:50"), NOTHING, TABLES)[0]
    assert named == Tasks("wn18rr", "sampled:50")


def test_relations_are_ranked_where_the_user_says_so() -> None:
    assert settle(Stated("wn18rr"), Stated(side="relation"), TABLES)[0] == Tasks("wn18rr", side="relation")
    for words in ("relation prediction", "sampled", "macro-averaged"):
        with pytest.raises(UnknownNameError, match="unknown dataset"):
            settle(Stated(f"wn18rr ({words})"), NOTHING, TABLES)


def test_nothing_is_said_unless_it_is() -> None:
    assert not any(getattr(NOTHING, field.name) for field in fields(Stated))


def test_names_are_taken_from_file_or_user_and_then_from_the_tool() -> None:
    file = Stated("WN18RR", "validation", "left", "LibKGE", "macro-query")
    expected = Tasks("wn18rr", "libkge", "valid", "head", "macro-query")
    assert settle(file, NOTHING, TABLES)[0] == expected
    user = parse_stated(file, TABLES)
    assert settle(NOTHING, user, TABLES)[0] == expected
    assert settle(file, user, TABLES)[0] == expected
    assert settle(Stated("wn18rr", tool="PyTorch Geometric"), NOTHING, TABLES)[0] == Tasks("wn18rr", "raw", side="tail")
    both = Stated("wn18rr", tool="PyTorch Geometric", side="both")
    assert settle(both, NOTHING, TABLES)[0] == Tasks("wn18rr", "raw")


def test_relations_are_matched_one_by_one() -> None:
    known = ["_also_see", "also see", "_hypernym", "part"]
    assert match_relations(["_also_see", "hypernym"], known) == ("_also_see", "_hypernym")
    assert match_relations(["also see", "Part"], known) == ("also see", "part")
    # Two are spelt so, and one is unknown.
    assert match_relations(["AlsoSee"], known) == ()
    assert match_relations(["part", "whole"], known) == ()
    assert match_relations([], known) == ()
    assert match_relations(["alsosee"], ["alsosee", "also see"]) == ()


def test_a_tool_whose_candidates_are_sampled_is_named_where_it_contradicts() -> None:
    for user in (Stated("wn18rr", tool="ogb", protocol="raw"), Stated("ogbbiokg", tool="ogb", protocol="raw")):
        with pytest.raises(UsageError, match=r"numbers of OGB rank among sampled candidates \(protocol sampled:500\)"):
            settle(NOTHING, user, TABLES)
    asked = Stated("ogbbiokg", tool="ogb", protocol="sampled:20")
    assert settle(NOTHING, asked, TABLES)[0] == Tasks("ogbbiokg", "sampled:20")
    # The dataset has one protocol, whatever the tool usually does.
    assert settle(Stated("ogbbiokg", tool="pykeen"), NOTHING, TABLES)[0].protocol == "sampled:500"
    with pytest.raises(UsageError, match="numbers on this dataset rank among sampled candidates"):
        settle(Stated("ogbbiokg", tool="pykeen"), Stated(protocol="raw"), TABLES)


def test_filtered_is_as_the_tool_filters_or_as_usual() -> None:
    for word in ("filtered", "Filtered", "filt."):
        file = Stated("WN18RR", protocol=word)
        assert settle(file, NOTHING, TABLES)[0].protocol == DEFAULT_PROTOCOL
        assert settle(file, Stated(tool="pykeen"), TABLES)[0].protocol == "pykeen"
        assert settle(file, Stated(protocol="raw"), TABLES)[0].protocol == "raw"
        with pytest.raises(UnknownNameError, match=rf"^{word} names no protocol: all but raw are filtered"):
            parse_stated(Stated(protocol=word), TABLES)
    assert settle(Stated("WN18RR", protocol="Unfiltered"), NOTHING, TABLES)[0].protocol == "raw"
    unfiltered = [
        tool.key for tool in TOOLS.values() if PROTOCOLS.get(tool.protocol, PROTOCOLS["standard"]).known == "none"
    ]
    assert unfiltered
    for tool in unfiltered:
        with pytest.raises(DataError, match="removes no known answers: name the protocol"):
            settle(Stated("WN18RR", protocol="filtered"), NOTHING, TABLES, tool=tool)


@pytest.mark.parametrize(
    ("name", "split", "side", "rank_type"),
    [
        ("mrr", None, None, None), ("tail.pessimistic.mrr", None, "tail", "pessimistic"),
        ("both.realistic.hits_at_10", None, "both", "realistic"), ("both.best.mean_rank", None, "both", "optimistic"),
        ("head_worst_mrr", None, "head", "pessimistic"),
        ("best_mrr", None, None, None),
        ("validation.mrr", "valid", None, None), ("test_hits@10", "test", None, None),
    ],
)  # fmt: skip
def test_names_of_metrics_say_what_their_tasks_are(
    name: str, split: str | None, side: str | None, rank_type: str | None
) -> None:
    said = complete_by_name(name, Stated("nations", protocol="raw"))
    assert said == Stated("nations", split, side, "raw", rank_type=rank_type)
    if side is not None:
        assert complete_by_name(name, Stated(side=side)).side == side
        with pytest.raises(UsageError, match=r"is of side \w+, but \w+ was asked for; leave out one"):
            complete_by_name(name, Stated(side="head" if side != "head" else "tail"))
