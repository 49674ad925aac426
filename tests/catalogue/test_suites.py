"""The suites: the graphs over which papers average."""

import re

import pytest

from cases import for_each
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.literature import find_suite, join_graphs, load_suites, parse_suite
from rankconst.catalogue.tools import load_tools
from rankconst.errors import UnknownNameError
from rankconst.names import squash

# As the papers count their graphs.
SIZES = {
    "ultra_57": 57, "ultra_pretraining": 3, "ultra_zero_shot": 54, "ultra_transductive": 13,
    "ultra_all_transductive": 16, "ultra_inductive": 41, "ultra_inductive_e": 18, "ultra_inductive_er": 23,
    "grail_12": 12, "grail_fb15k237": 4, "grail_wn18rr": 4, "grail_nell": 4, "ingram_13": 13, "kgicl_43": 43,
}  # fmt: skip


def test_sizes_are_those_of_the_papers() -> None:
    assert {key: len(suite.graphs) for key, suite in load_suites().items()} == SIZES


@for_each("key", SIZES)
def test_entries_are_complete(key: str) -> None:
    suite, benchmarks = load_suites()[key], load_benchmarks()
    assert {*suite.graphs} <= benchmarks.keys()
    assert suite.title.startswith("the ")
    assert str(len(suite.graphs)) in suite.title.split()
    assert re.search(r"arXiv:\d{4}\.\d{5}$", suite.reference)
    for address in suite.evidence:
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/blob/[0-9a-f]{40}/\S+", address)
    assert suite.tool in {None, load_tools()["ultra"]}
    assert not suite.note or suite.note.endswith(".")


def test_no_name_is_that_of_a_benchmark() -> None:
    taken = {
        squash(name)
        for row in load_benchmarks().values()
        for name in (row.key, row.title, *row.aliases)
    }
    own = [
        squash(name)
        for suite in load_suites().values()
        for name in (suite.key, suite.title, *suite.aliases)
    ]
    assert len(set(own)) == len(own)
    assert not taken & set(own)


def test_joined_graphs_are_a_suite_only_if_graphs_and_tool_are_the_same() -> None:
    ultra, graphs = load_tools()["ultra"], load_suites()["grail_12"].graphs
    assert join_graphs(reversed(graphs), ultra) == ("grail_12",)
    assert join_graphs(graphs, None) == ("+".join(graphs),)
    fewer = "+".join(graphs[1:])
    assert join_graphs(graphs[1:], ultra) == (fewer, f"{fewer}@ultra")


def test_names_are_read_in_any_spelling() -> None:
    assert find_suite("GraIL") is find_suite("ULTRA") is None
    assert (
        parse_suite("ULTRA-41")
        is parse_suite("ultra-inductive")
        is load_suites()["ultra_inductive"]
    )
    assert find_suite("fb15k237") is None
    with pytest.raises(
        UnknownNameError, match=r"unknown suite 'ultra_inductiv'\. Did you mean .*ultra_inductive"
    ):
        parse_suite("ultra_inductiv")


def test_the_parts_of_ultra_share_no_graph() -> None:
    suites = load_suites()
    parts = ("ultra_pretraining", "ultra_transductive", "ultra_inductive_e", "ultra_inductive_er")
    assert sum(len(suites[part].graphs) for part in parts) == len(suites["ultra_57"].graphs)
    assert {*suites["grail_12"].graphs, *suites["ingram_13"].graphs} <= {*suites["kgicl_43"].graphs}
