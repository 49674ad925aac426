"""Which ranking tasks a number is from: file, user and tool, in their order."""

from dataclasses import replace
from typing import Any

import pytest

import rankconst
from cases import for_each
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, MACROS
from rankconst.catalogue.tools import Tool, load_tools, parse_tool
from rankconst.errors import AskedError, DataError, UnknownNameError, UsageError
from rankconst.evaluation import (
    NAMES,
    NOTHING,
    Address,
    Question,
    agrees,
    complete_by_name,
    list_open,
    match_relations,
    parse_address,
    settle,
)
from rankconst.tasks import Tasks

TABLES, TOOLS = rankconst.load(), load_tools()


def say(name: str, value: Any) -> Address:
    return replace(NOTHING, **{name: value})


WN, OGB = Tasks("wn18rr"), Tasks("ogbbiokg", "sampled:500")
SAID = Address("WN18RR", "validation", "left", "LibKGE", "macro-query")
AS_SAID = Tasks("wn18rr", "libkge", "valid", "head", "macro-query")
MACRO = Address("nations", aggregation="Macro")
SAMPLED = Tasks("1,234 tasks", "sampled:50", split="")

# What the file says, the user, and the file's format; the tasks, or the error and its words.
SETTLED: list[tuple[Address, Address, str | None, Tasks | tuple[type[Exception], str]]] = [
    # The user goes before the file, and the file before its format.
    (Address("WN18RR"), NOTHING, None, replace(WN, protocol=DEFAULT_PROTOCOL)),
    (Address("WN18RR"), NOTHING, "pykeen", replace(WN, protocol="pykeen")),
    (Address("WN18RR", tool="libkge"), NOTHING, "pykeen", replace(WN, protocol="libkge")),
    (Address("WN18RR", tool="libkge"), Address(tool="ampligraph"), None, replace(WN, protocol="pykeen")),
    (Address("WN18RR", protocol="raw", tool="libkge"), NOTHING, None, replace(WN, protocol="raw")),
    (Address("WN18RR", protocol="raw"), Address(protocol="pykeen"), None, replace(WN, protocol="pykeen")),
    (Address("WN18RR", tool="rotate"), Address(protocol="sampled:100"), None, replace(WN, protocol="sampled:100")),
    (SAID, NOTHING, None, AS_SAID), (NOTHING, parse_address(SAID, TABLES), None, AS_SAID),
    (SAID, parse_address(SAID, TABLES), None, AS_SAID),
    (Address("wn18rr", tool="PyTorch Geometric"), NOTHING, None, replace(WN, protocol="raw", side="tail")),
    (Address("wn18rr", tool="PyTorch Geometric", side="both"), NOTHING, None, replace(WN, protocol="raw")),
    (NOTHING, Address(split="valid"), None, (DataError, "no dataset is named: add --dataset")),
    (NOTHING, Address(kind="inductive"), None, (DataError, "inductive is a kind of dataset: it tells")),
    (Address("atlantis"), NOTHING, None, (UnknownNameError, "unknown dataset 'atlantis'")),
    (Address("wn18rr (sampled)"), NOTHING, None, (UnknownNameError, "unknown dataset")),
    # A tool settles which of several benchmarks it is, if one of them has its name.
    (Address("ICEWS14"), NOTHING, "xerte", Tasks("icews14_xerte", "time-aware")),
    (Address("ICEWS14"), NOTHING, "tntcomplex", (AskedError, "several graphs have its name: ICEWS14 may be")),
    (NOTHING, parse_address(Address("ICEWS14", tool="regcn"), TABLES), None, Tasks("icews14_regcn", "time-aware")),
    (Address("FB15k-237 v1"), NOTHING, "grail", Tasks("fb15k237_v1_ind", "sampled:49")),
    (Address("Countries"), NOTHING, "pykeen", Tasks("countries_s1", "pykeen")),
    (Address("Countries"), NOTHING, None, (AskedError, "Countries may be countries_s1 or countries_s2")),
    (Address("FB15k-237 v1"), NOTHING, None, (AskedError, r"--dataset inductive or --dataset transductive\.$")),
    # And so does a protocol that one of them alone is for; what no kind tells apart is offered by its key.
    (Address("WD50K"), Address(protocol="stare"), None, Tasks("wd50k_statements", "stare")),
    (Address("WIKI", protocol="time-aware"), NOTHING, None, Tasks("wiki_tkg", "time-aware")),
    (NOTHING, parse_address(Address("WD50K", protocol="stare"), TABLES), None, Tasks("wd50k_statements", "stare")),
    (Address("icews14_regcn", protocol="Time-aware filter"), NOTHING, None, Tasks("icews14_regcn", "time-aware")),
    (Address("icews14_regcn"), NOTHING, "regcn", Tasks("icews14_regcn", "time-aware")),
    # An ambiguous name, and the user says which benchmark it is.
    (Address("ICEWS14"), Address("icews14_regcn", protocol="static"), None, Tasks("icews14_regcn", "static")),
    (Address("ICEWS05-15"), NOTHING, None, (AskedError, "or icews0515_interp: add --tool regcn or --dataset")),
    (Address("WD50K"), Address(protocol="raw"), None, (AskedError, "add --dataset n-ary or --dataset wd50k")),
    (Address("wn18rr"), Address(side="relation"), None, replace(WN, side="relation")),
    # Relations may lack punctuation; what is unknown stays, for the message.
    (Address("nations", relations=("embassy",)), NOTHING, None, Tasks("nations", relations=("embassy",))),
    (Address("nations", relations=("embassy",)), Address(relations=("treaties",)), None,
     Tasks("nations", relations=("treaties",))),
    (Address("wn18rr", relations=("also see",)), NOTHING, None, replace(WN, relations=("_also_see",))),
    (Address("wn18rr", relations=("seen",)), NOTHING, None, replace(WN, relations=("seen",))),
    # Which macro average it is must be said.
    (MACRO, NOTHING, None, (AskedError, "over queries or over relations")),
    (MACRO, Address(aggregation="micro"), None, (AskedError, "over queries or over relations")),
    *[(MACRO, Address(aggregation=key), None, Tasks("nations", aggregation=key)) for key in MACROS],
    # Sampled numbers stay sampled; a dataset may have one protocol, and its number may be all that
    # is known.
    (Address("ogbl-wikikg2"), NOTHING, None, Tasks("ogbwikikg2", "sampled:500")),
    (Address("ogbbiokg", tool="pykeen"), NOTHING, None, OGB),
    (NOTHING, Address("ogbbiokg", tool="ogb", protocol="sampled:20"), None, replace(OGB, protocol="sampled:20")),
    (Address("ogbl-biokg", tool="ogb"), Address(protocol="standard"), None,
     (UsageError, r"Leave out --protocol to adjust them under sampled:500\.$")),
    *[
        (file, Address(protocol="raw"), None, (UsageError, "numbers on this dataset rank among sampled candidates"))
        for file in (Address("ogbl-biokg"), Address("ogbbiokg", tool="pykeen"))
    ],
    *[
        (NOTHING, Address(dataset, tool="ogb", protocol="raw"), None,
         (UsageError, r"numbers of OGB rank among sampled candidates \(protocol sampled:500\)"))
        for dataset in ("wn18rr", "ogbbiokg")
    ],
    (Address(num_tasks=1234, protocol="sampled:50"), NOTHING, "pykeen", SAMPLED),
    (Address(num_tasks=1234), Address(protocol="sampled:50"), "pykeen", SAMPLED),
    (Address(num_tasks=1234, protocol="raw"), Address(protocol="sampled:50"), "pykeen", SAMPLED),
    (Address("wn18rr", num_tasks=1234, protocol="sampled:50"), NOTHING, None, replace(WN, protocol="sampled:50")),
    *[
        (file, NOTHING, None, (DataError, "no dataset is named"))
        for file in (Address(num_tasks=1), Address(protocol="sampled:50"), Address(num_tasks=1, protocol="raw"))
    ],
    # Filtered is as the tool filters, or as usual.
    (Address("WN18RR", protocol="Unfiltered"), NOTHING, None, replace(WN, protocol="raw")),
    (Address("WN18RR", protocol="filtered"), NOTHING, "pyg", (DataError, "removes no known answers: name the protocol")),
    *[
        (Address("WN18RR", protocol=word), user, None, replace(WN, protocol=key))
        for word in ("filtered", "Filtered", "filt.")
        for user, key in (
            (NOTHING, DEFAULT_PROTOCOL), (Address(tool="pykeen"), "pykeen"), (Address(protocol="raw"), "raw"),
        )
    ],
]  # fmt: skip


@for_each(("file", "user", "tool", "expected"), SETTLED)
def test_what_is_said_leads_to_tasks(
    file: Address, user: Address, tool: str | None, expected: Tasks | tuple[type[Exception], str]
) -> None:
    """And to the tool whose caveats apply: the user's, the file's, or that of its format."""
    if isinstance(expected, tuple):
        with pytest.raises(expected[0], match=expected[1]):
            settle(file, user, TABLES, tool=tool)
        return
    tasks, row = settle(file, user, TABLES, tool=tool)
    named = user.tool or file.tool or tool
    assert (tasks, row) == (expected, parse_tool(named) if named else None)


@for_each("tool", TOOLS.values())
def test_every_tool_leads_to_its_protocol(tool: Tool) -> None:
    """And refuses datasets at once, whether the tables know them or not."""
    dataset = "ogbl-biokg" if tool.key == "ogb" else "nations"
    tasks, row = settle(Address(dataset), parse_address(Address(tool=tool.title), TABLES), TABLES)
    assert (tasks.protocol, row) == (tool.protocol, tool)
    for refused, text in tool.refused.items():
        for use in (
            lambda name: settle(Address(name), Address(tool=tool.key), TABLES),
            lambda name: parse_address(Address(name, tool=tool.key), TABLES),
        ):
            with pytest.raises(DataError) as reason:
                use(refused)
            assert str(reason.value) == text


@for_each("tool", ["pykeen", "pyg"])
@for_each("sides", [(None, "relation"), ("predicate", None)])
def test_a_tool_that_ranks_no_relations_has_no_numbers_of_that_side(
    tool: str, sides: tuple[str | None, str | None]
) -> None:
    file, user = Address("nations", side=sides[0]), Address(side=sides[1])
    with pytest.raises(DataError, match=r"tails only.*Leave out --side"):
        settle(file, replace(user, tool=tool), TABLES)
    assert settle(file, replace(user, protocol=TOOLS[tool].protocol), TABLES)[0].side == "relation"


EMERGING = Question("task", "of emerging entities", "emerging", "the caption", kind="inductive")
RAW = Question("protocol", "raw", "raw", "its row", "--protocol raw")
DEV = Question("split", "tuned on the dev set", "dev", "the caption", "--split valid")
DRAWN = Question(
    "protocol", "sampled", "sampled", "its row", "--protocol sampled:M", says="sampled"
)
TAILS = Question("side", "tails", "tails", "the caption", "--side tail", says="tail")
WHICH = Question(
    "dataset",
    "it may be of FB15k-237 or WN18RR",
    option="--dataset",
    choices=("FB15k-237", "WN18RR"),
)
SUBSET = Question("relations", "its cell is empty")


@for_each(
    ("ask", "user", "answered"),
    [
        # A field answers its own questions; the dataset only those about it, and words of what the
        # benchmark is.
        (DEV, Address(split="test"), True), (DEV, Address(side="both", protocol="standard"), False),
        (RAW, Address(protocol="raw"), True), (RAW, Address(protocol="standard"), True), (RAW, Address("wn18rr"), False),
        (DRAWN, Address(protocol="sampled:50"), True), (TAILS, Address(side="tail"), True),
        (WHICH, Address("wn18rr"), True), (WHICH, Address(split="test"), False),
        (EMERGING, Address("wn18rr_v1_ind"), True), (EMERGING, Address("wn18rr"), False),
        (SUBSET, Address(relations=("_hypernym",)), True), (SUBSET, Address("wn18rr"), False),
        # A word is accepted, in any case; a question without a word is not.
        (EMERGING, Address(accepted=("Emerging",)), True), (DEV, Address(accepted=("dev",)), True),
        (DEV, Address(accepted=("valid",)), False), (WHICH, Address(accepted=("dataset",)), False),
    ],
)  # fmt: skip
def test_a_question_is_open_until_the_user_or_the_benchmark_answers_it(
    ask: Question, user: Address, answered: bool
) -> None:
    file = Address(
        None if ask is WHICH else "wn18rr_v1_ind" if user.dataset == "wn18rr_v1_ind" else "wn18rr",
        questions=(ask,),
    )
    assert list_open(file, user) == (() if answered else (ask,))
    if answered:
        assert settle(file, user, TABLES)[0].dataset == (user.dataset or file.dataset)
        return
    with pytest.raises(AskedError) as error:
        settle(file, user, TABLES)
    assert (error.value.questions, str(error.value)) == ((ask,), f"{ask}.")


@for_each(
    ("questions", "user", "against"),
    [
        ((TAILS,), Address(side="head"), "side head"), ((TAILS,), Address(side="both"), "side both"),
        ((DRAWN,), Address(protocol="standard"), "protocol standard"),
        ((DRAWN,), Address(protocol="raw"), "protocol raw"),
        ((replace(DEV, says="valid"),), Address(split="test"), "split test"),
        # Heads and tails are both sides.
        ((TAILS, replace(TAILS, word="heads", says="head")), Address(side="both"), ""),
    ],
)  # fmt: skip
def test_an_option_never_overrules_a_word(
    questions: tuple[Question, ...], user: Address, against: str
) -> None:
    file = Address("wn18rr", questions=questions)
    opened = list_open(file, user)
    places = [f"{ask.place}, though you say {against}" for ask in questions] if against else []
    assert [(ask.place, ask.option) for ask in opened] == [(place, "") for place in places]
    assert list_open(file, replace(user, accepted=tuple(ask.word for ask in questions))) == ()


def test_a_question_names_word_place_and_both_ways_on() -> None:
    harmless = "if it says nothing about these numbers"
    assert str(DEV) == (
        '"dev" in the caption, "tuned on the dev set": add --split valid, or --accept dev '
        f"{harmless}"
    )
    assert str(RAW) == f'"raw" in its row: add --protocol raw, or --accept raw {harmless}'
    assert (
        str(EMERGING)
        == f'"emerging" in the caption, "of emerging entities": add --accept emerging {harmless}'
    )
    assert str(WHICH) == "it may be of FB15k-237 or WN18RR: add --dataset"
    assert str(SUBSET) == "its cell is empty"


@for_each(
    ("name", "asked"),
    [("dataset", "umls"), ("split", "test"), ("side", "tail"), ("aggregation", "micro")],
)
def test_file_and_user_must_not_contradict_each_other(name: str, asked: str) -> None:
    file, user = Address("nations", "valid", "head", None, "macro-query"), say(name, asked)
    said = f"^the file says {name} {getattr(file, name)}, but {asked} was asked for"
    with pytest.raises(UsageError, match=said):
        settle(file, user, TABLES)
    assert not agrees(file, user, TABLES)


def test_what_a_user_says_is_read_once_into_keys() -> None:
    more: Any = {"model": "ComplEx", "percent": True}
    said = Address("FB15k-237", "testing", "left", "PyKEEN", "query", "LibKGE", **more)
    keys = parse_address(said, TABLES)
    assert keys == Address("fb15k237", "test", "head", "pykeen", "macro-query", "libkge", **more)
    assert parse_address(keys, TABLES) == keys
    assert parse_address(NOTHING, TABLES) == NOTHING


@for_each("name", [*NAMES, "tool"])
def test_what_the_user_types_is_checked(name: str) -> None:
    with pytest.raises(UnknownNameError, match="'nope'"):
        parse_address(say(name, "nope"), TABLES)
    with pytest.raises(
        UnknownNameError, match=r"^filt\. names no protocol: all but raw are filtered"
    ):
        parse_address(Address(protocol="filt."), TABLES)


def test_what_a_temporal_benchmark_leaves_open_is_refused() -> None:
    for dataset, tool, remedy in (
        ("icews14_regcn", None, "add --protocol time-aware"),
        ("wn18rr", "RE-GCN", "needs the time of every fact"),
    ):
        tasks, _ = settle(Address(dataset, tool=tool), NOTHING, TABLES)
        with pytest.raises(UnknownNameError, match=remedy):
            TABLES.histogram(tasks)
    titles = r": type icews14_regcn for ICEWS14 \(RE-GCN\); icews14_xerte for "
    with pytest.raises(UnknownNameError, match=titles):
        parse_address(Address("ICEWS14"), TABLES)


@for_each(
    ("file", "user", "agreed"),
    [
        (Address(questions=(WHICH,)), Address("wn18rr"), True),
        (Address(questions=(WHICH,)), Address("nations"), False),
        (Address(questions=(replace(WHICH, choices=("atlantis", "Nations")),)), Address("nations"), True),
        (Address("nations", questions=(WHICH,)), Address("nations"), True),
        (Address(relations=("a", "B c")), Address(relations=("b_c", "a")), True),
        (Address(relations=("a", "e")), Address(relations=("a", "d")), False),
        (NOTHING, Address(relations=("a",)), True),
        (Address("FB15k-237", "testing"), Address("fb15k237", "test"), True),
        (Address("atlantis", "valid"), Address("nations", "test"), False),
        # Unknown names get a reason of their own where they are settled.
        (Address("atlantis", "tset"), Address("nations", "test"), True),
        (Address(split="tset", side="head"), Address(split="test", side="tail"), False),
        # "filtered" leaves open how; a name is one way.
        *[
            (Address("nations", protocol=file), Address(protocol=user), agreed)
            for file, user, agreed in (
                ("raw", "raw", True), ("raw", "standard", False), ("raw", "sampled:50", False),
                ("filtered", "raw", False), ("Filt.", "pykeen", True), ("filtered", "sampled:50", True),
                ("standard", "raw", False), ("standard", "pykeen", False), ("mine", "raw", True),
                ("sampled:50", "sampled:50", True), ("sampled:50", "sampled:500", False),
                ("sampled:50", "pykeen", False),
            )
        ],
    ],
)  # fmt: skip
def test_what_a_file_says_agrees_unless_it_contradicts(
    file: Address, user: Address, agreed: bool
) -> None:
    assert agrees(file, user, TABLES) is agreed


def test_relations_are_matched_one_by_one() -> None:
    known = ["_also_see", "also see", "_hypernym", "part"]
    assert match_relations(["_also_see", "hypernym"], known) == ("_also_see", "_hypernym")
    assert match_relations(["also see", "Part"], known) == ("also see", "part")
    # Two are spelt so, and one is unknown.
    assert match_relations(["AlsoSee"], known) == ()
    assert match_relations(["part", "whole"], known) == ()
    assert match_relations([], known) == ()
    assert match_relations(["alsosee"], ["alsosee", "also see"]) == ()


@for_each(
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
    said = complete_by_name(name, Address("nations", protocol="raw"))
    assert said == Address("nations", split, side, "raw", rank_type=rank_type)
    if side is not None:
        assert complete_by_name(name, Address(side=side)).side == side
        with pytest.raises(
            UsageError, match=r"is of side \w+, but \w+ was asked for; leave out one"
        ):
            complete_by_name(name, Address(side="head" if side != "head" else "tail"))
