"""Blocks of ties against score vectors in plain loops, published figures, and PyKEEN's baseline."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings

from brute import BASELINE_SCORES, ORDER, everything, rank_brute_force, weigh_brute_force
from cases import choose, mark_rest
from graphs import (
    CATALOGUE,
    DATASETS,
    TEMPORAL,
    TEMPORAL_DATASETS,
    WRITABLE,
    Dataset,
    Row,
    blocks_of,
    count_baseline,
    make_graph,
    random_dataset,
    read_contents,
    spread_times,
)
from rankconst.catalogue.aggregations import MACROS
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, INFORMED, explain_missing
from rankconst.catalogue.benchmarks import find_benchmark
from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.errors import DataError
from rankconst_builder import baselines
from rankconst_builder.baselines import SCORES, Scores, Train, count_baselines
from rankconst_builder.candidates import TaskCounts, count_protocols
from rankconst_builder.graph import Graph
from rankconst_builder.pipeline import encode_benchmark
from rankconst_builder.words import Triples

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from brute import Ranks
    from rankconst.catalogue.protocols import Protocol
    from rankconst.tasks import Histogram

WRITTEN = [*CATALOGUE, *WRITABLE]
FULL = [protocol for protocol in CATALOGUE if protocol.negatives is None]


def compare(dataset: Dataset, protocols: Iterable[Protocol], *, forecasting: bool = False) -> None:
    """Count all baselines under every protocol, all together, and one by one in loops."""
    graph, protocols = dataclasses.replace(make_graph(dataset), forecasting=forecasting), [*protocols]
    chance = count_protocols(graph, protocols)
    found = count_baselines(graph, chance, BASELINES)
    assert {key[:2]: one for key, one in found.items() if key[2] == DEFAULT_BASELINE} == chance
    assert found.keys() == {
        (protocol.key, split, baseline)
        for protocol, split, (baseline, row) in itertools.product(protocols, ORDER, BASELINES.items())
        if not explain_missing(row, protocol, split)
    }
    for protocol, split in itertools.product(protocols, ("valid", "test")):
        if protocol.negatives is None:
            ranks = rank_brute_force(dataset, protocol, split, BASELINES, forecasting=forecasting)
            for baseline, expected in ranks.items():
                got = found[protocol.key, split, baseline]
                assert blocks_of(got) == expected, (protocol.key, split, baseline)
                compare_histograms(got, expected, [dataset[split][place] for place in got.tasks.rows.tolist()])


def compare_histograms(got: TaskCounts, expected: Ranks, ranked: list[Row]) -> None:
    for side, tasks in expected.items() if ranked else ():
        tally = got.blocks[side].tally
        assert histogram_rows(tally.histogram()) == Counter((*block, 1.0) for block in tasks)
        for aggregation in MACROS.values():
            weights = map(float, weigh_brute_force(ranked, side, aggregation.group))
            counted = Counter((*block, weight) for block, weight in zip(tasks, weights, strict=True))
            assert histogram_rows(tally.histogram(aggregation.group)) == counted
        by_relation: dict[int, Counter[tuple[int, int, float]]] = {}
        for (_, relation, *_), block in zip(ranked, tasks, strict=True):
            by_relation.setdefault(relation, Counter())[*block, 1.0] += 1
        # Codes follow the numbers of the relations.
        found = sorted(tally.relation_histograms().items())
        assert [histogram_rows(one) for _, one in found] == [rows for _, rows in sorted(by_relation.items())]


def histogram_rows(histogram: Histogram) -> dict[tuple[int, int, float], int]:
    """Map offset, size and weight to the number of tasks."""
    offsets = np.zeros_like(histogram.num_tasks) if histogram.offsets is None else histogram.offsets
    weights = np.ones(len(histogram)) if histogram.weights is None else histogram.weights
    rows = zip(offsets.tolist(), histogram.num_candidates.tolist(), weights.tolist(), strict=True)
    return dict(zip(rows, histogram.num_tasks.tolist(), strict=True))


# Symmetric relations, inverse ones in part, several inverses of one, and self-loops.
INVERSE: Dataset = {
    "train": [
        *((0, 0, 1), (1, 0, 0), (2, 0, 2), (1, 0, 3), (3, 0, 1)),
        *((0, 1, 4), (1, 1, 4), (4, 2, 0), (4, 2, 1), (4, 3, 0), (4, 2, 5), (4, 2, 5)),
    ],
    "valid": [(3, 1, 4), (4, 2, 6)],
    "test": [(0, 1, 4), (4, 2, 0), (3, 0, 1), (2, 0, 0), (4, 3, 1), (4, 3, 1), (6, 3, 7)],
}


@pytest.mark.slow
@settings(max_examples=choose(5, 25))
@example(dataset=INVERSE)
@example(dataset={"train": [], "valid": [], "test": [(0, 0, 1), (0, 0, 1), (1, 0, 0)]})
@example(dataset={"train": [(0, 0, 1), (0, 0, 1)], "valid": [], "test": [(2, 2, 3)]})
# Here protocols rank the same rows, but not the same candidates.
@example(dataset={"train": [(0, 0, 1), (1, 0, 2)], "valid": [(0, 0, 3)], "test": [(0, 0, 2)]})
@given(dataset=DATASETS)
def test_blocks_equal_score_vectors(dataset: Dataset) -> None:
    compare(dataset, WRITTEN)


@pytest.mark.slow
@settings(max_examples=choose(5, 15))
@example(dataset={split: [(*row, place % 2) for place, row in enumerate(rows)] for split, rows in INVERSE.items()})
@given(dataset=TEMPORAL_DATASETS)
def test_blocks_of_temporal_graphs_equal_score_vectors(dataset: Dataset) -> None:
    compare(dataset, TEMPORAL.values())
    compare(spread_times(dataset), TEMPORAL.values(), forecasting=True)


@pytest.mark.parametrize("batch", [1, 7])
def test_larger_graphs(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "BATCH", batch)
    dataset = random_dataset(seed=7, entities=12, relations=4, size=100)
    # Two relations that are inverse but for a few triples.
    dataset["train"] += [(t, 9, h) for h, r, t in dataset["train"] if r == 0][2:]
    compare(dataset, FULL)


@pytest.mark.parametrize("baseline", INFORMED)
def test_restricted_to_some_entities(baseline: str) -> None:
    dataset = random_dataset(seed=6, entities=10, relations=2, size=120)
    allowed = {0, 2, 3, 5, 7, 8}
    mask = np.array([entity in allowed for entity in range(10)])
    graph = dataclasses.replace(make_graph(dataset), allowed_entities=mask)
    score = BASELINE_SCORES[baseline](dataset)
    known = set(everything(dataset))
    for place, blocks in (("head", []), ("tail", [])):
        for h, r, t in dataset["test"]:
            if {h, t} <= allowed:
                entity, own = (t, h) if place == "head" else (h, t)
                rows = {one: (one, r, t) if place == "head" else (h, r, one) for one in allowed}
                scores = [score(place, entity, r, one) for one in allowed if one == own or rows[one] not in known]
                mine = score(place, entity, r, own)
                blocks.append((sum(one > mine for one in scores), scores.count(mine)))
        assert blocks_of(count_baseline(graph, PROTOCOLS["standard"], "test", baseline))[place] == blocks


def test_a_block_beyond_its_candidates_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = make_graph({"train": [(0, 0, 1)], "valid": [], "test": [(1, 0, 0)]})
    entity = np.zeros(1, dtype=np.int64)

    def twice(train: Train, split: str, side: str, queries: object) -> tuple[NDArray[np.int64], Scores]:
        del train, split, side, queries
        return entity, Scores(np.zeros(3, dtype=np.uint64), np.array([1, 1, 1]), 2)

    monkeypatch.setitem(SCORES, "range", (twice,))
    with pytest.raises(DataError, match="ties of a true answer exceed the candidates"):
        count_baseline(graph, PROTOCOLS["standard"], "test", "range")


def test_scores_that_fit_are_in_order_and_others_refused() -> None:
    one, top = np.zeros(1, dtype=np.int64), 1 << 60
    with pytest.raises(DataError, match="too many for 64-bit keys in 4,096 parts"):
        _ = Train(Graph(dict.fromkeys(ORDER, Triples(one, one, one)), 1 << 40, 1)).inverses
    with pytest.raises(DataError, match="too many for 64-bit keys"):
        baselines._Order(one + (1 << 32), one + (1 << 31))
    order = baselines._Order(np.array([0, 3, 3, 2, 3]), np.array([5, top, 1, top, 1]))
    groups, scores = np.array([0, 0, 3, 3, 3, 1, 2, 4]), np.array([5, 6, 1, top, top - 1, 1, top - 1, 1])
    found = [each.tolist() for each in order.count(groups, scores)]
    assert found == [[0, 0, 1, 0, 1, 0, 1, 0], [1, 0, 2, 1, 0, 0, 0, 0]]
    # A score beyond all of these is not one of the next group.
    above, same = baselines._Order(np.array([1]), np.array([1])).count(np.array([0]), np.array([3]))
    assert (above.tolist(), same.tolist()) == ([0], [0])


@pytest.mark.parametrize(("filler", "inverse"), [(71, True), (70, True), (72, False)])
def test_the_share_that_makes_relations_inverse(filler: int, inverse: bool) -> None:
    # 9 of 10 triples match; 0.99 less the share of valid and test, 9 of 100, is 0.9.
    other = range(filler)
    dataset: Dataset = {
        "train": [
            *((place, 0, 20 + place) for place in range(10)),
            *((20 + place, 1, place) for place in range(1, 11)),
            *((place, 2, 100 + place) for place in other),
        ],
        "valid": [(place, 3, 0) for place in range(4)],
        "test": [(place, 3, 1) for place in range(5)],
    }
    pairs = [found.tolist() for found in Train(make_graph(dataset)).inverses]
    assert pairs == ([[0, 1], [1, 0]] if inverse else [[], []])


# The mirror's files.


@functools.cache
def read_once(mirror: Path, key: str) -> Graph:
    return encode_benchmark(find_benchmark(key), read_contents(mirror, key))


@pytest.mark.slow
@pytest.mark.parametrize("key", mark_rest(["nations", "umls"], "nations"))
def test_whole_graphs(mirror: Path, key: str) -> None:
    graph = read_once(mirror, key)
    dataset = {
        split: [*zip(*(each.tolist() for each in rows.codes), strict=True)] for split, rows in graph.splits.items()
    }
    counts = count_baselines(graph, count_protocols(graph, FULL), BASELINES)
    for protocol, split in itertools.product(FULL, ("valid", "test")):
        for baseline, expected in rank_brute_force(dataset, protocol, split, BASELINES).items():
            assert blocks_of(counts[protocol.key, split, baseline]) == expected


def pool(graph: Graph, baseline: str, protocol: str = "standard") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return offsets and sizes of the test tasks of both sides."""
    counts = count_baseline(graph, PROTOCOLS[protocol], "test", baseline)
    tasks = np.array([task for side in blocks_of(counts).values() for task in side])
    return tasks[:, 0], tasks[:, 1]


def expect(graph: Graph, baseline: str, protocol: str = "standard") -> dict[str, float]:
    """Return the expectations of MRR, MR and Hits@k, test, both sides."""
    offset, size = pool(graph, baseline, protocol)
    harmonic = np.append(0, np.cumsum(1 / np.arange(1, graph.num_entities + 1)))
    hits = {f"hits@{k}": np.mean(np.clip(k - offset, 0, size) / size) for k in (1, 3, 10)}
    mean = np.mean(offset + (size + 1) / 2)
    return {"mrr": np.mean((harmonic[offset + size] - harmonic[offset]) / size), "mr": mean, **hits}


# E[MRR] and E[Hits@10] as found by another program.
COUNTING = {
    "wn18rr": ("0.36085", "0.37957"),
    "nations": ("0.67380", "0.97879"),
    "umls": ("0.67613", "0.88291"),
    "codexsmall": ("0.21766", "0.39437"),
    "kinships": ("0.11297", "0.25620"),
    "icews14_regcn": ("0.28639", "0.44955"),
    "icews14_xerte": ("0.28878", "0.44739"),
    "yago_tkg": ("0.80638", "0.84676"),
}


@pytest.mark.slow
@pytest.mark.parametrize("key", COUNTING)
def test_counting_as_found_by_another_program(mirror: Path, key: str) -> None:
    graph = read_once(mirror, key)
    found = expect(graph, "counting", "time-aware" if graph.temporal else "standard")
    assert tuple(f"{found[name]:.5f}" for name in ("mrr", "hits@10")) == COUNTING[key]


TABLE = {
    "fb15k237": {"uniform": ("0.00071", "0.0007"), "range": ("0.07884", "0.140"), "frequency": ("0.23455", "0.356")},
    "wn18rr": {"uniform": ("0.00027", ""), "range": ("0.00216", "0.0037"), "frequency": ("0.02563", "0.044")},
    "nations": {"uniform": ("0.38444", "0.947"), "range": ("0.46740", "0.967"), "frequency": ("0.56449", "0.965")},
    "umls": {"uniform": ("0.05883", "0.103"), "range": ("0.41755", "0.726"), "frequency": ("0.66876", "0.883")},
    "codexsmall": {"uniform": ("0.00424", ""), "range": ("0.05548", ""), "frequency": ("0.21581", "")},
    "codexmedium": {"uniform": ("0.00062", ""), "range": ("0.01790", ""), "frequency": ("0.13433", "")},
}


@pytest.mark.slow
@pytest.mark.parametrize("key", mark_rest(TABLE, "wn18rr", "nations", "umls", "codexsmall"))
def test_expectations_found_by_another_program(mirror: Path, key: str) -> None:
    graph = read_once(mirror, key)
    for baseline, printed in TABLE[key].items():
        found = expect(graph, baseline)
        for value, text in zip((found["mrr"], found["hits@10"]), printed, strict=True):
            assert not text or f"{value:.{len(text) - 2}f}" == text


@pytest.mark.parametrize(
    ("key", "optimistic", "realistic", "pessimistic"),
    [("nations", 2.60199, 3.09328, 3.58458), ("umls", 4.46747, 6.17284, 7.87822)],
)
def test_frequency_is_the_marginal_distribution_of_pykeen(
    mirror: Path, key: str, optimistic: float, realistic: float, pessimistic: float
) -> None:
    # MarginalDistributionBaseline(entity_margin=False, relation_margin=True) of PyKEEN 1.11.1 on its own files, which
    # are the mirror's; the mean of single-precision ranks.
    offset, size = pool(read_once(mirror, key), "frequency", "pykeen")
    found = [np.mean(offset + 1), np.mean(offset + (size + 1) / 2), np.mean(offset + size)]
    assert found == pytest.approx([optimistic, realistic, pessimistic], abs=1e-5)


# Dettmers et al. 2018: MR, MRR, Hits@10, @3 and @1 of their inverse model on test, from one random order of ties.
INVERSE_MODEL = {
    "wn18": (740, 0.963, 0.964, 0.964, 0.953),
    "wn18rr": (13_526, 0.35, 0.35, 0.35, 0.35),
}


@pytest.mark.parametrize("key", mark_rest(INVERSE_MODEL, "wn18rr"))
def test_inverse_model_as_published(mirror: Path, key: str) -> None:
    """The paper's model looks for matches outside test, valid included; ours in train only, so it misses some."""
    graph = read_once(mirror, key)
    train, valid = graph.splits["train"], graph.splits["valid"]
    both = Triples(*map(np.concatenate, zip(train.codes, valid.codes, strict=True)))
    whole = dataclasses.replace(graph, splits={**graph.splits, "train": both, "valid": valid.select(slice(0))})
    found, theirs = expect(graph, "inverse"), expect(whole, "inverse")
    mean_rank, *shares = INVERSE_MODEL[key]
    # Their MR is one draw: nearly all of it is from the tasks without a match, of which each is uniform.
    offset, size = pool(whole, "inverse")
    deviation = np.sqrt(np.sum((size.astype(float) ** 2 - 1) / 12)) / offset.size
    assert abs(theirs["mr"] - mean_rank) < 3 * deviation * np.sqrt(2)
    for name, published in zip(("mrr", "hits@10", "hits@3", "hits@1"), shares, strict=True):
        assert theirs[name] == pytest.approx(published, abs=0.01)
        assert theirs[name] - 0.04 < found[name] < theirs[name]
