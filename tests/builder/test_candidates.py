"""Candidate counts against triple loops, the query table against a dict, histograms against a
Counter.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
import pytest
from hypothesis import example, given, settings

from brute import ORDER, count_brute_force, count_with_sets, ranked_relations
from cases import choose, for_each
from graphs import (
    CATALOGUE,
    DATASETS,
    SAMPLED,
    STATIC,
    TEMPORAL,
    TEMPORAL_DATASETS,
    WRITABLE,
    Dataset,
    Row,
    compare_histograms,
    count_candidates,
    make_graph,
    random_dataset,
    rows_of,
    sizes_of,
)
from rankconst.catalogue.protocols import PROTOCOLS, Protocol
from rankconst.errors import DataError, UndefinedError
from rankconst_builder import candidates, codes, tallies
from rankconst_builder.candidates import (
    Queries,
    Tally,
    count_protocols,
    count_ranked,
    list_queries,
)
from rankconst_builder.codes import Triples
from rankconst_builder.facts import describe_graph
from rankconst_builder.graph import Graph
from rankconst_builder.tallies import tally_protocols


def compare(dataset: Dataset, protocols: Iterable[Protocol]) -> None:
    """Count every split under every protocol, all together, in ranks and by sorting, and one by one
    in loops.
    """
    graph, protocols = make_graph(dataset), [*protocols]
    counted = count_protocols(graph, protocols)
    assert [*counted] == [(protocol.key, split) for protocol in protocols for split in ORDER]
    room = 24 * max(1, sum(map(len, graph.splits.values())) // 2)
    for split in ORDER:
        tallied = [tally_protocols(graph, protocols, split, each) for each in (None, room)]
        for protocol in protocols:
            got, where = counted[protocol.key, split], f"{protocol.key} {split}"
            expected = count_brute_force(dataset, protocol, split)
            for found in tallied:
                assert list_tasks(found[protocol.key]) == list_tasks(got.tallies), where
            ranked = [dataset[split][place] for place in expected.rows]
            sides = {"head": expected.head, "tail": expected.tail} if ranked else {}
            for side, sizes in sides.items():
                compare_histograms(got, side, [(0, size) for size in sizes], ranked)
            assert (got.answers is None) is (split == "train" or protocol.negatives is not None)
            relation = [] if protocol.negatives is not None else [expected.relation[: len(ranked)]]
            assert (got.tasks.rows.tolist(), sizes_of(got)) == (
                expected.rows,
                [expected.head, expected.tail, *relation],
            ), where
            numbers = count_ranked(graph, protocol)
            assert numbers["head"] == expected.num_entities
            if relation:
                directions = 2 if graph.temporal else 1
                assert numbers["relation"] == directions * len(ranked_relations(dataset, protocol))
            if ranked and relation:
                asked = Counter((0, size, 1.0) for size in expected.relation)
                assert rows_of(got.blocks["relation"].tally.histogram()) == asked


def list_tasks(tallies: Mapping[str, Tally]) -> dict[str, Counter[tuple[int, ...]]]:
    """Count the tasks of each side that are alike in all that their histograms are made of."""
    found: dict[str, Counter[tuple[int, ...]]] = {}
    for side, tally in tallies.items():
        assert tally.offset is None
        found[side] = Counter()
        relation = np.zeros_like(tally.size) if side == "relation" else tally.relation
        rows = zip(
            *(column.tolist() for column in (tally.size, tally.frequency, relation)), strict=True
        )
        for row, tasks in zip(rows, tally.num_tasks.tolist(), strict=True):
            found[side][row] += tasks
    return found


@pytest.mark.slow
@settings(max_examples=choose(3, 80))
@example(dataset={"train": [(0, 0, 0)], "valid": [], "test": [(0, 0, 0), (0, 0, 0)]})
@example(
    dataset={"train": [(0, 0, 1)], "valid": [(0, 0, 2)], "test": [(0, 0, 1), (0, 1, 1), (2, 0, 0)]}
)
@example(dataset={"train": [(0, 0, 1), (0, 0, 1)], "valid": [(1, 1, 1)], "test": [(3, 2, 3)]})
@given(dataset=DATASETS)
def test_counts_equal_triple_loops(dataset: Dataset) -> None:
    compare(dataset, [*CATALOGUE, *WRITABLE])


# Every way to treat the time with every set of known facts, and with repetitions.
TIMES: tuple[Literal["any", "same"], ...] = ("any", "same")
KNOWN: tuple[Literal["all", "up_to", "own"], ...] = ("all", "up_to", "own")
TIMED = [
    *TEMPORAL.values(),
    *SAMPLED,
    *(
        Protocol(f"{time}-{distinct}-{known}", "", distinct=distinct, known=known, time=time)
        for time, distinct, known in itertools.product(TIMES, (False, True), KNOWN)
    ),
]


@pytest.mark.slow
@settings(max_examples=choose(2, 15))
@example(
    dataset={
        "train": [(0, 0, 1, 0)],
        "valid": [],
        "test": [(0, 0, 1, 1), (0, 0, 2, 1), (0, 0, 1, 1)],
    }
)
@example(dataset={"train": [(0, 0, 1, 0)], "valid": [], "test": [(0, 0, 2, 1)]})  # two times
@given(dataset=TEMPORAL_DATASETS)
def test_counts_of_temporal_graphs_equal_triple_loops(dataset: Dataset) -> None:
    compare(dataset, TIMED)


@for_each("protocol", [*STATIC.values(), *TEMPORAL.values()])
def test_protocols_of_other_graphs_are_refused(protocol: Protocol) -> None:
    for temporal, row in ((False, (0, 0, 1)), (True, (0, 0, 1, 0))):
        graph = make_graph({"train": [row], "valid": [], "test": [row]})
        if protocol.fits(temporal):
            assert count_candidates(graph, protocol, "test").tasks.rows.tolist() == [0]
            continue
        with pytest.raises(
            UndefinedError, match="for graphs without time" if temporal else "needs the time"
        ):
            count_candidates(graph, protocol, "test")


def test_what_train_lacks_is_counted_as_triple_loops_count_it() -> None:
    dataset = random_dataset(seed=8, entities=24, relations=5, size=24)
    # Some known answers are unseen, of others the query's own entity or relation is.
    dataset["valid"] += [(h, r, 24) for h, r, _ in dataset["test"]]
    dataset["train"] += [(h, 0, t) for h, _, t in dataset["test"][:3]]
    dataset["test"] += [(h, r, 25) for h, r, _ in dataset["train"][:3]]
    compare(dataset, [*CATALOGUE, *WRITABLE])


@pytest.mark.parametrize("batch", [1, 3])
def test_batches_do_not_matter(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "BATCH", batch)
    compare(random_dataset(seed=1, entities=9, relations=3, size=40), CATALOGUE)


@pytest.mark.slow
@pytest.mark.parametrize("timed", [False, True])
def test_parts_do_not_matter(timed: bool) -> None:
    dataset = random_dataset(seed=3, entities=40, relations=3, size=choose(60, 120))
    if timed:
        dataset = {
            split: [(*row, place % 3) for place, row in enumerate(rows)]
            for split, rows in dataset.items()
        }
    graph = make_graph(dataset)
    protocols = [*TEMPORAL.values()] if timed else [*CATALOGUE, *WRITABLE]
    counted = count_protocols(graph, protocols)
    alike = {key: list_tasks(counts.tallies) for key, counts in counted.items()}
    for room in choose((100,), (100, 1_000)):
        for split in ORDER:
            found = tally_protocols(graph, protocols, split, room)
            assert {key: list_tasks(each) for key, each in found.items()} == {
                protocol.key: alike[protocol.key, split] for protocol in protocols
            }
        assert describe_graph(graph, room) == describe_graph(graph)


def test_keys_of_more_than_32_bits() -> None:
    # Codes reach 2^22 relations x 2^12 entities. Queries differ in their high bits, their low bits,
    # or both.
    entities, relations = 1 << 12, 1 << 22
    high = [0, 1, relations - 1, relations // 2, 1024]
    ring: list[Row] = [
        (place, high[place % 5], (place + 1) % entities) for place in range(entities)
    ]
    hub: list[Row] = [(7, high[0], entity * entity % entities) for entity in range(50)]
    dataset: Dataset = {
        "train": ring + hub,
        "valid": [(entities - 1, high[2], 0), (entities - 1, high[2], 5), (0, high[2], 5)],
        "test": [(7, high[0], 8), (7, high[0], hub[0][2]), (8, high[2], hub[0][2]), (entities - 1, high[3], 1)],
    }  # fmt: skip
    splits = {
        split: Triples(*(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)))
        for split, rows in dataset.items()
    }
    graph, count = Graph(splits, entities, relations), count_with_sets(dataset)
    for protocol, split in itertools.product(CATALOGUE, ("valid", "test")):
        got, expected = count_candidates(graph, protocol, split), count(protocol, split)
        assert got.tasks.rows.tolist() == expected.rows
        assert sizes_of(got)[:2] == [expected.head, expected.tail]


def ask(
    anchors: list[int], relations: list[int], entities: int, kinds: int, times: int = 1
) -> Queries:
    """Return the queries for the tails of some triples, in a graph of so many entities, relations
    and times.
    """
    head, relation = (np.array(each, dtype=np.int64) for each in (anchors, relations))
    triples = Triples(head, relation, head, np.zeros_like(head) if times > 1 else None)
    return list_queries(Graph({"train": triples}, entities, kinds, times), triples, "tail")


def test_keys_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="too many for 64-bit keys"):
        ask([0], [0], 1 << 32, 1 << 32)
    with pytest.raises(
        DataError, match="4,294,967,296 entities, 2 times and 2,147,483,648 relations are too many"
    ):
        ask([0], [0], 1 << 32, 1 << 31, 2)
    with pytest.raises(DataError, match="too many for 64-bit keys"):
        candidates.Gathering(ask([0], [0], 1 << 40, 1).keys, 1 << 63)


def test_largest_keys_that_fit_are_counted() -> None:
    # 2^31 relations x 2^32 entities: the largest code of either needs every bit of a 63-bit key.
    last, top = (1 << 32) - 1, (1 << 31) - 1
    queries = ask([last, 0, last], [top, 0, 0], 1 << 32, 1 << 31)
    assert queries.relation[queries.of_task].tolist() == [top, 0, 0]
    gathering = candidates.Gathering(queries.keys, 1 << 32)
    known = [(last, top, last), (last, top, 0), (last, top, last), (0, 0, 5), (last, 0, 0)]
    for anchor, relation, answer in [*known, *known, (3, 0, 0)]:
        gathering.update(
            "train", queries.pack(np.array([anchor]), np.array([relation])), np.array([answer])
        )
    assert gathering.answers(queries, ["train"], Everything()).count()[
        queries.of_task
    ].tolist() == [2, 1, 1]
    # A query and an answer may take all bits of a word.
    last, queries = (1 << 63) - 1, ask([0], [0], 1, 1)
    gathering = candidates.Gathering(queries.keys, last)
    gathering.update("train", np.zeros(3, dtype=np.uint64), np.array([last, 0, last]))
    answers = gathering.answers(queries, ["train"], Everything())
    assert answers.entity.tolist() == [0, last]
    assert answers.query.tolist() == [0, 0]
    assert answers.count().tolist() == [2]


class Everything(np.ndarray[Any, np.dtype[np.bool_]]):
    """A mask over more codes than memory holds: all are candidates."""

    def __new__(cls) -> Self:
        return np.ones(0, dtype=np.bool_).view(cls)

    def __getitem__(self, places: Any) -> Any:
        return np.ones(len(places), dtype=np.bool_)


def test_a_count_beyond_its_bounds_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = make_graph({"train": [(0, 0, 1)], "valid": [], "test": [(1, 0, 0)]})
    monkeypatch.setattr(candidates.Answers, "count", lambda _: np.array([0]))
    with pytest.raises(
        DataError, match=r"standard test head: candidates run from 3 to 3; expected 1 to 2"
    ):
        count_candidates(graph, PROTOCOLS["standard"], "test")
    monkeypatch.setattr(tallies, "count_ranked", lambda *_: {"head": 1, "tail": 0, "relation": 1})
    with pytest.raises(
        DataError, match=r"standard test tail: candidates run from 0 to 0; expected 1 to 0"
    ):
        tally_protocols(graph, [PROTOCOLS["standard"]], "test")


@pytest.mark.parametrize("large", [2, 1 << 30])
def test_queries_that_are_alike_are_one_row(large: int) -> None:
    """Unless their numbers are too large to be sorted as one."""
    tally = Tally.of_queries(
        np.array([3, large, 3]), np.array([1, large, 1]), np.array([15, 15, 15])
    )
    rows = list_tasks({"head": tally})["head"]
    assert rows == {(3, 1, 15): 2, (large, large, 15): large}
    assert tally.size.size == (2 if large == 2 else 3)
