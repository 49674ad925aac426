"""The tools: complete rows, true to the published results whose evaluation is on record."""

import csv
import re
from pathlib import Path

import pytest

from cases import for_each
from rankconst import errors
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.protocols import PROTOCOLS, parse_protocol, parse_side, parse_split
from rankconst.catalogue.tools import is_tool, load_tools, parse_tool
from rankconst.names import squash

TOOLS = load_tools()

# Repository of published_results.csv to its tool.
REPOSITORIES = {
    "Accenture/AmpliGraph": "ampligraph",
    "DeepGraphLearning/KnowledgeGraphEmbedding": "rotate",
    "MIRALab-USTC/KGE-HAKE": "rotate",
    "TimDettmers/ConvE": "conve",
    "awslabs/dgl-ke": "dglke",
    "ffabious/pykeen-kge-bench": "pykeen",
    "ibalazevic/TuckER": "tucker",
    "paperswithcode/sota-extractor": "ogb",
    "thunlp/OpenKE": "openke",
    "uma-pi1/kge": "libkge",
}
# What the file says of ties, by words that only rows of these tools hold, to words of ours.
TIES = {
    "strict <": "best", "worst": "worst", "pessimistic)": "mean", "rounded mean": "rounded", "neg >= pos": "worst",
}  # fmt: skip
FILE = re.compile(
    r"https://github\.com/[\w.-]+/[\w.-]+/blob/[0-9a-f]{40}/\S+\.\w+|https://github\.com/\S+/issues/\d+"
)


@pytest.fixture(scope="module")
def published(reference: Path) -> list[dict[str, str]]:
    with (reference / "published_results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_tool_that_users_ask_for_is_there() -> None:
    asked = (
        "rotate libkge pykeen ampligraph conve tucker kbc torchkge nbfnet openke dglke ogb pyg "
        "simkgc compgcn grail ultra dicee tgb neuralkg biggraph"
    )
    temporal = "regcn tkgforecastingevaluation xerte tntcomplex atise"
    assert {*asked.split(), *temporal.split()} <= {*TOOLS}
    assert [key for key, tool in TOOLS.items() if tool.protocol == "time-aware"] == temporal.split()


@for_each("key", TOOLS)
def test_rows_are_complete(key: str) -> None:
    tool = TOOLS[key]
    assert tool.key == key == squash(key)
    assert all(
        (tool.title, tool.ties, tool.reference, tool.repositories, tool.caveats, tool.evidence)
    )
    assert parse_protocol(tool.protocol).key == tool.protocol
    assert tool.batch is None or tool.batch > 0
    for text in (*tool.caveats, *tool.refused.values()):
        assert re.fullmatch(r"[A-Z].*\.", text), text
    # What a command says of a tool is one line.
    assert tool.effect is None or re.fullmatch(r"[^.]+\.", tool.effect)
    assert len(f"note: {tool.effect} More: rankconst show {key}".split()) <= 25
    for address in tool.evidence:
        assert FILE.fullmatch(address), address
    for dataset, reason in tool.refused.items():
        assert dataset == squash(dataset)
        assert tool.refusal(dataset.upper()) == reason
    assert tool.refusal("fb15k237") is None
    for name in (
        key,
        key.upper(),
        tool.title,
        *tool.repositories,
        *map(str.lower, tool.repositories),
    ):
        assert parse_tool(name) is tool
    benchmarks = load_benchmarks()
    assert {*tool.means, *tool.means.values(), *tool.test_sets, *tool.sides} <= benchmarks.keys()
    assert {parse_split(split) for split in tool.test_sets.values()} <= {"valid+test"}
    assert {parse_side(side) for side in tool.sides.values()} <= {"head", "tail"}
    # Ranks are whole unless ties get a mean that is not rounded.
    assert tool.whole_ranks == ("mean of" not in tool.ties or "rounded" in tool.ties)


def test_names_are_unambiguous() -> None:
    names: list[str] = []
    for tool in TOOLS.values():
        names += {tool.key, squash(tool.title), *map(squash, tool.programs)}
        names += map(squash, tool.repositories)
    assert len(set(names)) == len(names)


def test_tools_that_protocols_name_have_that_protocol() -> None:
    named = {
        parse_tool(name).key: protocol.key
        for protocol in PROTOCOLS.values()
        for name in protocol.used_by
        if is_tool(name)
    }
    assert {"rotate", "libkge", "pykeen", "regcn"} <= named.keys()
    assert named == {key: TOOLS[key].protocol for key in named}


@for_each(
    ("name", "hint"),
    [
        ("libkgee", r"unknown tool 'libkgee'\. Did you mean libkge"),
        ("???", "`rankconst show tools` lists them all"),
        *((name, f"--protocol {name}") for name in ("stare", "raw", "time-aware")),
    ],
)
def test_unknown_tools_get_a_hint(name: str, hint: str) -> None:
    assert (is_tool("pykeen"), is_tool(name)) == (True, False)
    with pytest.raises(errors.UnknownNameError, match=hint):
        parse_tool(name)


def test_protocols_are_those_of_the_published_results(published: list[dict[str, str]]) -> None:
    assert {row["source_repo"] for row in published} == set(REPOSITORIES)
    for row in published:
        tool = parse_tool(row["source_repo"])
        assert tool.key == REPOSITORIES[row["source_repo"]]
        assert (
            f"https://github.com/{row['source_repo']}/blob/{row['commit']}/{row['path']}"
            in tool.evidence
        )
        if tool.refusal(row["dataset"]) is not None:
            continue
        protocol = parse_protocol(tool.protocol)
        if "500 fixed given negatives" in row["candidates"]:
            assert protocol.negatives == 500
            continue
        assert row["filter"].startswith("train+valid+test")
        assert protocol.known == ("up_to" if "evaluated split" in row["filter"] else protocol.known)
        assert protocol.candidates == (
            "seen" if row["entities"].startswith("train only") else "all"
        )
        assert protocol.tasks == ("seen" if row["n_test_used"] == "cleaned test set" else "all")
        assert (tool.batch == 128) == ("floor(n/128)*128" in row["n_test_used"])
        for theirs, ours in TIES.items():
            assert theirs not in row["ties"] or ours in tool.ties


def test_what_cannot_be_adjusted_is_refused(published: list[dict[str, str]]) -> None:
    refused, noted = set(), set()
    for row in published:
        place = parse_tool(row["source_repo"]).key, row["dataset"]
        if TOOLS[place[0]].refusal(place[1]) is not None:
            refused.add(place)
        if re.search("adjusted with N|do not adjust", row["note"]):
            noted.add(place)
    assert refused == noted == {("dglke", "Freebase"), ("libkge", "Freebase")}
    for tool, dataset, said in (
        *((tool, dataset, "--protocol sampled:M and --num-tasks N") for tool, dataset in refused),
        ("nbfnet", "fb15k237_v1_ind", "sampled:50"),
        ("ogb", "ogbl-ddi", "--protocol sampled:M:shared and --num-tasks N"),
    ):
        assert said in (TOOLS[tool].refusal(dataset) or "")
    assert TOOLS["nbfnet"].refusal("fb15k237_v1") is TOOLS["ogb"].refusal("ogbl-collab") is None
