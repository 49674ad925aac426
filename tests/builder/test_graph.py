"""Labels to codes, and the statistics of a dataset against sets and loops."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brute import ORDER, describe_brute_force
from cases import choose
from graphs import STATIC, blocks_of, count_candidates
from rankconst.catalogue.benchmarks import CONTEXT, Benchmark, BenchmarkFile, LineFormat, Remote
from rankconst.download import MissingSourceError
from rankconst_builder.codes import Triples
from rankconst_builder.facts import describe_graph
from rankconst_builder.graph import Graph, Marks, encode_labels
from rankconst_builder.pipeline import encode_benchmark
from rankconst_builder.triples import read_triples

Row = tuple[bytes, bytes, bytes]

# Labels that a careless reader takes for one another; a label can name an entity and a relation.
ENTITIES = (b"a", b"A", b"a ", b" a", "é".encode(), "e\u0301".encode(), b"NA", b"\xff", b"r")
RELATIONS = (b"r", b"R", b"r ")


def write(rows: Sequence[Row]) -> bytes:
    return b"".join(b"\t".join(row) + b"\n" for row in rows)


def encode(files: Mapping[str, bytes]) -> Graph:
    return encode_labels(
        {role: read_triples(content, LineFormat(), role) for role, content in files.items()}
    )


def split_of(entities: int, relations: int, size: int) -> st.SearchStrategy[list[Row]]:
    entity = st.sampled_from(ENTITIES[:entities])
    return st.lists(
        st.tuples(entity, st.sampled_from(RELATIONS[:relations]), entity), min_size=1, max_size=size
    )


# An empty file is refused; a split without a file is what there is.
DATASETS = st.fixed_dictionaries(
    {"train": split_of(6, 2, 14)}, optional={"valid": split_of(9, 3, 7), "test": split_of(9, 3, 7)}
)


@pytest.mark.slow
@settings(max_examples=choose(100, 250))
@example(
    files={
        "train": [(b"a", b"r", b"a"), (b"a", b"r", b"a")],
        "test": [(b"a", b"r", b"a"), (b"r", b"r", b"a")],
    }
)
@given(files=DATASETS)
def test_statistics_equal_brute_force(files: dict[str, list[Row]]) -> None:
    dataset = {split: files.get(split, []) for split in ORDER}
    statistics = describe_graph(encode({split: write(rows) for split, rows in files.items()}))
    expected = describe_brute_force(dataset)
    for name, value in expected.items():
        got = getattr(statistics, name)
        assert (dict(got) if isinstance(value, dict) else got) == value, name
    for split in ORDER:
        assert statistics.duplicates(split) == len(dataset[split]) - len(set(dataset[split]))


ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 3), max_size=20)


MARKS = st.lists(st.booleans(), min_size=3, max_size=3)


@settings(max_examples=choose(12, 30))
@given(rows=ROWS, entities=MARKS, relations=MARKS)
def test_restrictions_and_a_train_elsewhere(
    rows: list[tuple[int, int, int]], entities: list[bool], relations: list[bool]
) -> None:
    triples = Triples(
        *(np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    )
    masks = Marks(np.array(entities), np.array(relations))
    graph = Graph({"train": triples}, 3, 3, train_marks=masks)
    heads_and_tails = [entities[h] and entities[t] for h, _, t in rows]
    both = [each and relations[r] for each, (_, r, _) in zip(heads_and_tails, rows, strict=True)]
    assert graph.is_seen(triples).tolist() == both
    assert graph.is_allowed(triples).tolist() == [True] * len(rows)
    assert replace(graph, allowed_entities=masks[0]).is_allowed(triples).tolist() == heads_and_tails
    restricted = replace(graph, allowed_relations=masks[1])
    assert restricted.is_allowed(triples).tolist() == [relations[r] for _, r, _ in rows]
    assert replace(restricted, allowed_entities=masks[0]).is_allowed(triples).tolist() == both


ROLES = ("train", "test", CONTEXT)
FILES = {role: BenchmarkFile(Remote(f"https://ind.invalid/{role}")) for role in ROLES}
INDUCTIVE = Benchmark("ind", "Ind", (), LineFormat(), FILES, "published inductive")


def test_the_context_may_be_missing_where_it_makes_no_difference() -> None:
    files = {"train": b"a\tr\tb\nb\ts\tc\n", "test": b"a\ts\tc\nx\tr\ta\n"}
    graphs = [
        encode_benchmark(INDUCTIVE, {**files, **context})
        for context in ({}, {CONTEXT: b"x\tr\ty\nx\tq\ty\n"})
    ]
    for protocol in STATIC.values():
        one, other = (count_candidates(graph, protocol, "test") for graph in graphs)
        assert one.tasks.rows.tolist() == other.tasks.rows.tolist()
        assert blocks_of(one) == blocks_of(other)
    assert describe_graph(graphs[0]) == describe_graph(graphs[1])


def test_the_context_is_asked_for_where_it_decides_what_is_seen() -> None:
    files = {"train": b"a\tr\tb\n", "test": b"a\ts\tb\n"}
    assert not encode_benchmark(INDUCTIVE, {**files, CONTEXT: b"x\tr\ty\n"}).seen_relations.all()
    assert encode_benchmark(INDUCTIVE, {**files, CONTEXT: b"x\ts\ty\n"}).seen_relations.all()
    with pytest.raises(
        MissingSourceError,
        match="ind: transductive_train is missing, and it decides which relations",
    ):
        encode_benchmark(INDUCTIVE, files)


def test_relations_are_named_and_ranked_where_it_is_clear_which() -> None:
    graph = encode({"train": b"a\tr\tb\nb\t\xffs\ta\n", "test": b"a\tq\tb\n"})
    assert [*map(graph.name_relation, range(3))] == ["r", "\\xffs", "q"]
    assert replace(graph, relation_labels=None).name_relation(2) == "2"
    assert graph.ranks_relations is True
    assert not replace(graph, qualified=True).ranks_relations
    assert not replace(graph, inductive=True).ranks_relations


@pytest.mark.parametrize(
    "times", [("9", "10", "200"), ("-20", "-3", "4"), ("2014-01-09", "2014-02-01", "2015-01-01")]
)
def test_times_are_coded_in_their_order(times: tuple[str, ...]) -> None:
    written = dict(zip(ORDER, reversed(times), strict=True))
    rows = {
        role: read_triples(f"a\tr\tb\t{time}\n".encode(), LineFormat(columns="hrtd"), role)
        for role, time in written.items()
    }
    codes = [triples.codes[-1].tolist() for triples in encode_labels(rows).splits.values()]
    assert codes == [[2], [1], [0]]


def test_facts_are_told_apart_in_graphs_of_any_size() -> None:
    """As one number of 64 bits, these two would be the same."""
    zero = np.zeros(2, dtype=np.int64)
    for relations in (8, 16):
        graph = replace(
            encode({"train": b"a\tr\tb\n"}), num_entities=2**31, num_relations=relations
        )
        words = graph.pack_facts(Triples(np.array([0, 2**33 // relations]), zero, zero + 5))
        assert words[0] != words[1]


def test_what_protocols_need_of_files_that_are_missing() -> None:
    graph = replace(
        encode({"train": b"a\tr\tb\n", "test": b"b\tr\ta\n"}), missing=frozenset({"train"})
    )
    # If nothing is removed, and all entities are ranked, train is not asked for.
    for rule in (*STATIC.values(), replace(STATIC["raw"], candidates="seen", tasks="seen")):
        needed = rule.known_splits("test") or rule.candidates == "seen"
        told = f"Protocol {rule.key} needs train, whose file is missing."
        assert graph.explain_uncounted(rule, "test") == (told if needed else "")
