"""Blocks of ties against score vectors in plain loops, and published figures."""

import dataclasses
import functools
import itertools
import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from numpy.typing import NDArray

from brute import (
    ORDER,
    choose_counting,
    rank_brute_force,
)
from cases import choose
from graphs import (
    CATALOGUE,
    DATASETS,
    TEMPORAL,
    TEMPORAL_DATASETS,
    WRITABLE,
    Dataset,
    blocks_of,
    compare_histograms,
    count_baseline,
    make_graph,
    random_dataset,
    read_contents,
    spread_times,
)
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, SINGLE_STEP, explain_missing
from rankconst.catalogue.benchmarks import find_benchmark
from rankconst.catalogue.protocols import PROTOCOLS, Protocol
from rankconst.errors import DataError
from rankconst_builder import rankers, rules
from rankconst_builder.candidates import count_protocols
from rankconst_builder.codes import Triples
from rankconst_builder.graph import Graph
from rankconst_builder.pipeline import encode_benchmark
from rankconst_builder.rankers import RANKERS, RULES, Ranker, count_baselines
from rankconst_builder.rules import Order, Standing, Train, expand_fractions

WRITTEN = [*CATALOGUE, *WRITABLE]
FULL = [protocol for protocol in CATALOGUE if protocol.negatives is None]


def compare(dataset: Dataset, protocols: Iterable[Protocol], usual: str = "standard") -> None:
    """Count all baselines under every protocol, all together, and one by one in loops."""
    graph, protocols = make_graph(dataset), [*protocols]
    graph = dataclasses.replace(graph, forecasting=usual == "forecasting")
    chance = count_protocols(graph, protocols)
    found, choice = count_baselines(graph, chance, BASELINES)
    assert choice == (
        "recency" if graph.forecasting else choose_counting(dataset, PROTOCOLS[usual])
    )
    known = [baseline for baseline in BASELINES if baseline != SINGLE_STEP or graph.forecasting]
    assert {key[:2]: one for key, one in found.items() if key[2] == DEFAULT_BASELINE} == chance
    assert found.keys() == {
        (protocol.key, split, baseline)
        for protocol, split, baseline in itertools.product(protocols, ORDER, known)
        if not explain_missing(BASELINES[baseline], protocol, split)
    }
    for protocol, split in itertools.product(protocols, ("valid", "test")):
        if protocol.negatives is None:
            for baseline, expected in rank_brute_force(
                dataset, protocol, split, known, choice
            ).items():
                got = found[protocol.key, split, baseline]
                assert blocks_of(got) == expected, (protocol.key, split, baseline)
                ranked = [dataset[split][place] for place in got.tasks.rows.tolist()]
                for side, blocks in expected.items() if ranked else ():
                    compare_histograms(got, side, blocks, ranked)


# Symmetric relations, inverse and equal ones in part, several of one, self-loops, duplicates, and
# unseen entities.
RELATED: Dataset = {
    "train": [*((0, 0, 1), (1, 0, 0), (2, 0, 2), (1, 0, 3), (3, 0, 1)), (0, 1, 4), (1, 1, 4), (4, 2, 0), (4, 2, 1),
         (4, 3, 0), (4, 2, 5), (4, 2, 5), (4, 4, 0), (2, 4, 2)],
    "valid": [(3, 1, 4), (4, 2, 6)],
    "test": [(0, 1, 4), (4, 2, 0), (3, 0, 1), (2, 0, 0), (4, 3, 1), (4, 3, 1), (6, 3, 7), (0, 4, 4)],
}  # fmt: skip


@pytest.mark.slow
@settings(max_examples=choose(2, 25))
@example(dataset=RELATED)
@example(dataset={"train": [], "valid": [], "test": [(0, 0, 1), (0, 0, 1), (1, 0, 0)]})
@example(dataset={"train": [(0, 0, 1), (0, 0, 1)], "valid": [], "test": [(2, 2, 3)]})
# Here protocols rank the same rows, but not the same candidates.
@example(dataset={"train": [(0, 0, 1), (1, 0, 2)], "valid": [(0, 0, 3)], "test": [(0, 0, 2)]})
@given(dataset=DATASETS)
def test_blocks_equal_score_vectors(dataset: Dataset) -> None:
    compare(dataset, WRITTEN)


@pytest.mark.slow
@settings(max_examples=choose(2, 15))
@example(
    dataset={
        split: [(*row, place % 2) for place, row in enumerate(rows)]
        for split, rows in RELATED.items()
    }
)
@given(dataset=TEMPORAL_DATASETS)
def test_blocks_of_temporal_graphs_equal_score_vectors(dataset: Dataset) -> None:
    compare(dataset, TEMPORAL.values(), "time-aware")
    compare(spread_times(dataset), TEMPORAL.values(), "forecasting")


def relate(seed: int, size: int) -> Dataset:
    """Return a graph whose relations are equal, inverse or symmetric in part."""
    dataset = random_dataset(seed=seed, entities=12, relations=4, size=size)
    generator = random.Random(seed)  # noqa: S311 - test data
    for split, rows in dataset.items():
        for h, r, t in [*rows]:
            further = [(t, 9, h), (h, 8, t), (t, r, h), (h, r, h), (h, r, t)]
            dataset[split] += [row for row in further if generator.random() < 0.3]
    return dataset


@pytest.mark.parametrize(("seed", "batch"), [(7, 1), (8, 7), (9, 1 << 18), (10, 60)])
def test_graphs_of_related_relations(
    seed: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "BATCH", batch)
    monkeypatch.setattr(rankers, "_CELLS", batch)
    compare(relate(seed, 90), FULL)


def test_a_block_beyond_its_candidates_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    class Twice(Ranker):
        def count_frequency(
            self, queries: NDArray[np.int64], frequency: NDArray[np.int64]
        ) -> Standing:
            del frequency
            return Standing(np.zeros_like(queries), np.full_like(queries, 3))

    monkeypatch.setitem(RANKERS[RULES], "frequency", Twice)
    graph = make_graph({"train": [(0, 0, 1)], "valid": [], "test": [(0, 0, 1)]})
    with pytest.raises(DataError, match="ties of a true answer exceed the candidates"):
        count_baseline(graph, PROTOCOLS["standard"], "test", "frequency")


def test_fractions_are_compared_exactly() -> None:
    # Neighbours among fractions with denominators below 2^32, which doubles do not tell apart.
    top = (1 << 32) - 1
    above, below = np.array([top - 2, top - 1, 1, 2, 0, 3]), np.array([top - 1, top, 3, 6, 7, 9])
    digits = expand_fractions(above, below)
    assert (digits[0] < digits[1]) and float(above[0] / below[0]) == float(above[1] / below[1])
    assert digits[2] == digits[3] == digits[5]
    assert digits[4] == 0
    with pytest.raises(DataError, match="exactly up to 2\\^32"):
        expand_fractions(np.array([1]), np.array([top + 1]))


def test_scores_that_fit_are_in_order_and_others_refused() -> None:
    one, top = np.zeros(1, dtype=np.int64), 1 << 60
    with pytest.raises(DataError, match="too many for 64-bit keys in 4,096 parts"):
        _ = Train(Graph(dict.fromkeys(ORDER, Triples(one, one, one)), 1 << 40, 1)).rules
    with pytest.raises(DataError, match="too many for 64-bit keys"):
        Order(one + (1 << 32), one + (1 << 31))
    order = Order(np.array([0, 3, 3, 2, 3]), np.array([5, top, 1, top, 1]))
    groups, scores = (
        np.array([0, 0, 3, 3, 3, 1, 2, 4]),
        np.array([5, 6, 1, top, top - 1, 1, top - 1, 1]),
    )
    found = [each.tolist() for each in order.count(groups, scores)]
    assert found == [[0, 0, 1, 0, 1, 0, 1, 0], [1, 0, 2, 1, 0, 0, 0, 0]]
    # A score beyond all of these is not one of the next group.
    above, same = Order(np.array([1]), np.array([1])).count(np.array([0]), np.array([3]))
    assert (above.tolist(), same.tolist()) == ([0], [0])


# The mirror's files.


@functools.cache
def read_once(mirror: Path, key: str) -> Graph:
    return encode_benchmark(find_benchmark(key), read_contents(mirror, key))


@pytest.mark.slow
@pytest.mark.parametrize("key", choose(["nations"], ["nations", "umls"]))
def test_whole_graphs(mirror: Path, key: str) -> None:
    graph = read_once(mirror, key)
    dataset = {
        split: [*zip(*(each.tolist() for each in rows.codes), strict=True)]
        for split, rows in graph.splits.items()
    }
    counts, _ = count_baselines(graph, count_protocols(graph, FULL), BASELINES)
    for protocol, split in itertools.product(FULL, choose(("test",), ("valid", "test"))):
        for baseline, expected in rank_brute_force(dataset, protocol, split, BASELINES).items():
            assert blocks_of(counts[protocol.key, split, baseline]) == expected


def expect(graph: Graph, baseline: str) -> tuple[str | None, str, str]:
    """Return what counting ranks by, and the expectations of MRR and Hits@10, test, both sides."""
    protocol = "time-aware" if graph.temporal else "standard"
    chance = count_protocols(graph, [PROTOCOLS[protocol]], ["test"])
    counts, choice = count_baselines(graph, chance, [baseline])
    harmonic = np.append(0, np.cumsum(1 / np.arange(1, graph.num_entities + 1)))
    blocks = blocks_of(counts[protocol, "test", baseline])
    offset, size = np.array([*blocks["head"], *blocks["tail"]]).T
    reciprocal = np.mean((harmonic[offset + size] - harmonic[offset]) / size)
    return choice, f"{reciprocal:.5f}", f"{np.mean(np.clip(10 - offset, 0, size) / size):.5f}"


# What counting ranks by, and E[MRR] and E[Hits@10], as found by other programs in plain loops.
COUNTING = {
    "nations": ("rules", "0.83331", "1.00000"),
    "kinships": ("rules", "0.60844", "0.74681"),
    "umls": ("rules", "0.70604", "0.85464"),
    "codexsmall": ("rules", "0.31037", "0.45518"),
    "nell995": ("rules", "0.34696", "0.49426"),
    "nell23k": ("rules", "0.23848", "0.41429"),
    "fb15k237_v1": ("rules", "0.48307", "0.57927"),
    "fb15k237_v1_ind": ("rules", "0.45943", "0.59802"),
    "wn18rr_v1": ("rules", "0.52054", "0.54919"),
    "wn18rr": ("rules", "0.37187", "0.39123"),
    "wn18": ("rules", "0.94011", "0.94240"),
    "nell995_v1_ind": ("rules", "0.80263", "0.88407"),
    "fb15k237": ("frequency", "0.23455", "0.35646"),
    "fb15k237_10": ("frequency", "0.16141", "0.27062"),
    "icews14_regcn": ("recency", "0.28639", "0.44955"),
    "icews14_xerte": ("recency", "0.28878", "0.44739"),
    "yago_tkg": ("recency", "0.80638", "0.84676"),
}

# The same of single-step counting.
SINGLE = {
    "icews14_regcn": ("0.37045", "0.52367"),
    "icews18": ("0.26629", "0.42187"),
    "icews0515_regcn": ("0.43846", "0.62115"),
    "yago_tkg": ("0.90101", "0.93047"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "key",
    choose(
        ["nations", "umls", "codexsmall", "wn18rr_v1", "wn18rr", "fb15k237_10", "yago_tkg"],
        [*COUNTING],
    ),
)
def test_counting_as_found_by_another_program(mirror: Path, key: str) -> None:
    assert expect(read_once(mirror, key), "counting") == COUNTING[key]


@pytest.mark.slow
@pytest.mark.parametrize("key", choose(["icews14_regcn", "yago_tkg"], [*SINGLE]))
def test_single_step_counting_as_found_by_another_program(mirror: Path, key: str) -> None:
    assert expect(read_once(mirror, key), SINGLE_STEP)[1:] == SINGLE[key]
