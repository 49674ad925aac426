"""The ranking tasks of ULTRA, graph by graph: valid and test of GraIL's inference graphs together,
tails of others.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import rankconst
from graphs import read_contents
from rankconst.catalogue.benchmarks import find_benchmark
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.tools import load_tools
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import Address, look_up_named
from rankconst.tasks import Tasks

MRR = parse_metric("mrr")
ULTRA = load_tools()["ultra"]

# The numbers of ranks of public runs, of v1 to v4.
RANKS = {
    "fb15k237": (822, 1_894, 3_462, 5_680),
    "wn18rr": (746, 1_704, 2_286, 5_646),
    "nell": (402, 1_870, 3_240, 2_894),
}
GRAIL = {
    f"{graph}_v{v}_ind": n for graph, counts in RANKS.items() for v, n in enumerate(counts, start=1)
}


def count_plainly(mirror: Path, key: str) -> dict[str, list[int]]:
    """Count the candidates of each head and tail as ULTRA's code does: of the files, by loops over
    their lines.
    """
    source, contents = find_benchmark(key), read_contents(mirror, key)
    order = [source.format.columns.index(letter) for letter in "hrt"]
    rows = {}
    for split, content in contents.items():
        lines = content.decode().splitlines()
        rows[split] = [tuple(line.split("\t")[place] for place in order) for line in lines]
    graph = [*rows["train"], *rows["valid"], *rows["test"]]
    entities = {entity for head, _, tail in graph for entity in (head, tail)}
    tails = Counter((head, relation) for head, relation, _ in set(graph))
    heads = Counter((relation, tail) for _, relation, tail in set(graph))
    evaluated = [*rows["valid"], *rows["test"]] if key in ULTRA.test_sets else rows["test"]
    return {
        "head": [len(entities) - heads[relation, tail] + 1 for _, relation, tail in evaluated],
        "tail": [len(entities) - tails[head, relation] + 1 for head, relation, _ in evaluated],
    }


def expect_mrr(counts: list[int]) -> float:
    harmonic = {n: sum(1 / rank for rank in range(1, n + 1)) for n in set(counts)}
    return sum(harmonic[n] / n for n in counts) / len(counts)


@pytest.mark.parametrize("key", GRAIL)
def test_graphs_of_grail(mirror: Path, key: str) -> None:
    named = Address(dataset=key.removesuffix("_ind"), tool="ultra")
    constants, counts = look_up_named("mrr", named, rankconst.load()), count_plainly(mirror, key)
    assert str(constants.tasks) == f"{key}/valid+test/both/standard"
    assert constants.num_tasks == GRAIL[key] == sum(map(len, counts.values()))
    expected = expect_mrr(counts["head"] + counts["tail"])
    assert constants.expectation == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("key", ["nell23k", "fb15k237_10"])
def test_graphs_whose_tails_alone_are_ranked(mirror: Path, key: str) -> None:
    constants = look_up_named("mrr", Address(dataset=key, tool="TRIX"), rankconst.load())
    counts = count_plainly(mirror, key)
    assert str(constants.tasks) == f"{key}/test/tail/standard"
    assert constants.num_tasks == len(counts["tail"])
    assert constants.expectation == pytest.approx(expect_mrr(counts["tail"]), rel=1e-12)


def test_nell995_v1_as_printed() -> None:
    for name in ("NELL-995 v1", "nell_v1", "NELLInductive:v1"):
        constants = look_up_named("mrr", Address(dataset=name, tool="ultra"), rankconst.load())
        assert (constants.num_tasks, f"{constants.expectation:.4f}") == (402, "0.0810")


def test_both_splits_are_pooled_under_chance_and_counting() -> None:
    tables = rankconst.load()
    for baseline in ("uniform", "counting"):
        pooled, valid, test = (
            tables.look_up(Tasks("wn18rr_v1_ind", split=split, baseline=baseline), MRR)
            for split in ("valid+test", "valid", "test")
        )
        total = valid.num_tasks * valid.expectation + test.num_tasks * test.expectation
        assert pooled.num_tasks == valid.num_tasks + test.num_tasks
        assert pooled.expectation == pytest.approx(total / pooled.num_tasks, rel=1e-13)
        spread = valid.num_tasks**2 * valid.variance + test.num_tasks**2 * test.variance
        assert pooled.variance == pytest.approx(spread / pooled.num_tasks**2, rel=1e-12)
    for other in ({"aggregation": "macro-query"}, {"relations": "_hypernym"}):
        with pytest.raises(UsageError, match=r"name one of its splits"):
            tables.histogram("wn18rr_v1_ind", split="valid+test", **other)


def test_what_the_tool_does_not_evaluate_is_refused_and_what_the_user_says_counts() -> None:
    def find(dataset: str, **said: Any) -> Tasks:
        named = Address(dataset=dataset, tool="ultra", **said)
        return look_up_named("mrr", named, rankconst.load()).tasks

    with pytest.raises(DataError, match="validates on the graph that models are trained on"):
        find("nell_v1", split="valid")
    for split in ("test", "valid+test"):
        found = find("nell_v1", split=split, side="head")
        assert str(found) == "nell_v1_ind/valid+test/head/standard"
    assert find("nell23k", side="both").side == find("wn18rr").side == "both"


def test_a_number_of_ranks_shows_that_both_splits_were_ranked() -> None:
    found = rankconst.adjust(
        {"MRR": 0.6, "dataset": "nell_v1_ind", "num_tasks": 402}, errors="note"
    )
    (question,) = found.asked
    assert "they are those of split valid+test, not of test" in str(question)
    assert 'split="valid+test"' in question.remedy


def test_counting_has_every_inverse_of_metafam() -> None:
    assert (
        look_up_named("mrr", Address(dataset="metafam"), rankconst.load(), "counting").expectation
        == 1
    )
