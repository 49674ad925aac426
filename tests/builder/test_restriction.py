"""Restricted evaluations: candidates counted by loops over what remains, and what the tables
record.
"""

import itertools
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brute import ORDER, entities_of, everything, list_candidates, relations_of
from cases import choose
from graphs import STATIC, count_candidates, sizes_of
from rankconst.catalogue.benchmarks import LineFormat
from rankconst.catalogue.protocols import UNTABLED
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst_builder.graph import Graph, Restriction, add_known, encode_labels, read_names
from rankconst_builder.triples import Labels, read_triples

Row = tuple[str, ...]
Dataset = dict[str, list[Row]]

ENTITY = st.sampled_from("abcdefg")
ROWS = st.lists(st.tuples(ENTITY, st.sampled_from("rst"), ENTITY), min_size=1, max_size=12)
DATASETS = st.fixed_dictionaries(dict.fromkeys(ORDER, ROWS))


def read(rows: list[Row], columns: str = "hrt") -> Labels:
    return read_triples(
        "".join("\t".join(row) + "\n" for row in rows).encode(), LineFormat(columns=columns), "file"
    )


def encode(dataset: Dataset) -> Graph:
    return encode_labels({role: read(rows) for role, rows in dataset.items()})


@pytest.mark.slow
@settings(max_examples=choose(12, 80))
@given(dataset=DATASETS, data=st.data())
def test_counts_equal_loops_over_what_remains(dataset: Dataset, data: st.DataObject) -> None:
    graph = encode(dataset)
    entities, relations = (
        data.draw(
            st.sets(st.sampled_from(sorted(map(str, names(everything(dataset))))), min_size=1)
        )
        for names in (entities_of, relations_of)
    )
    restricted = Restriction(tuple(relations), tuple(entities)).apply(graph)
    for protocol, split in itertools.product(STATIC.values(), ORDER):
        counts = count_candidates(restricted, protocol, split)
        expected = []
        for place, (heads, tails) in zip(*list_candidates(dataset, protocol, split), strict=True):
            h, r, t = dataset[split][place]
            if {h, t} <= entities and r in relations:
                sizes = (len(entities.intersection(side)) for side in (heads, tails))
                expected.append((place, *sizes))
        assert [*zip(counts.tasks.rows.tolist(), *sizes_of(counts)[:2], strict=True)] == expected


DATASET: Dataset = {
    "train": [("a", "r", "b"), ("b", "s", "c"), ("c", "r", "a"), ("a", "s", "d")],
    "valid": [("a", "r", "c"), ("b", "s", "e")],
    "test": [("a", "r", "d"), ("e", "s", "a"), ("b", "r", "c")],
}


@pytest.mark.slow
@settings(max_examples=choose(12, 80))
@example(dataset=DATASET, further=[("a", "r", "a"), ("e", "r", "d"), ("a", "r", "b")])
# What the graph lacks is left out, whatever it is that is lacking; the first codes are 0.
@example(
    dataset=DATASET,
    further=[("x", "r", "a"), ("a", "t", "b"), ("a", "r", "x"), ("a", "r", "e"), ("c", "r", "c")],
)
@example(
    dataset=DATASET, further=[("x", "r", "a"), ("a", "t", "b"), ("a", "r", "x"), ("x", "t", "x")]
)
@given(dataset=DATASETS, further=ROWS)
def test_further_known_triples_are_removed(dataset: Dataset, further: list[Row]) -> None:
    graph, known = encode(dataset), read(further)
    entities, relations = (names(everything(dataset)) for names in (entities_of, relations_of))
    inside = {row for row in further if {row[0], row[2]} <= entities and row[1] in relations}
    if not inside:
        with pytest.raises(
            DataError, match=r"none of the .* triples has entities and a relation of the graph"
        ):
            add_known(graph, known)
        return
    knowing = add_known(graph, known)
    assert len(knowing.known) == sum(row in inside for row in further)
    for protocol, split in itertools.product((*STATIC.values(), *UNTABLED.values()), ORDER):
        counts, removed = (
            count_candidates(knowing, protocol, split),
            inside if protocol.known_splits(split) else set(),
        )
        expected = []
        for place, (heads, tails) in zip(*list_candidates(dataset, protocol, split), strict=True):
            h, r, t = dataset[split][place]
            kept = sum(one == h or (one, r, t) not in removed for one in heads)
            others = sum(one == t or (h, r, one) not in removed for one in tails)
            expected.append((place, kept, others))
        assert [*zip(counts.tasks.rows.tolist(), *sizes_of(counts)[:2], strict=True)] == expected


def test_further_known_triples_have_no_time() -> None:
    timed, plain = read([("a", "r", "b", "2014-01-01")], "hrtd"), read([("a", "r", "b")])
    qualified = read([("a", "r", "b", "q", "c")], "hrtq")
    for one, other in ((timed, plain), (plain, timed), (qualified, plain)):
        with pytest.raises(UsageError, match="--known is for graphs of triples"):
            add_known(encode_labels(dict.fromkeys(ORDER, one)), other)


def test_unknown_labels_are_refused() -> None:
    graph = encode({key: [("anna", "likes", "bert")] for key in ORDER})
    for restriction, told in (
        (Restriction(relations=("like",)),
         r"no relation 'like' \(1 of 1 named\)\. Did you mean likes\?"),
        (Restriction(entities=("x", "y", "z")), r"no entity 'x', 'y', 'z' \(3 of 3 named\)\."),
        (Restriction(entities=("x", "y", "z", "w", "anna")),
         r"'x', 'y', 'z' and 1 more \(4 of 5 named\)\."),
    ):  # fmt: skip
        with pytest.raises(UnknownNameError, match=told):
            restriction.apply(graph)


def test_names_come_from_a_list_or_a_file(tmp_path: Path) -> None:
    assert read_names("--relations", "CtD,CpD,CtD") == ("CtD", "CpD")
    path = tmp_path / "names.txt"
    path.write_text("\ufeffhas, comma\n\nplain\n", encoding="utf-8")  # as Windows begins a file
    assert read_names("--relations", str(path)) == ("has, comma", "plain")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_names("--relations", "a,b\udcff")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="Expected UTF-8 with a label on each line"):
        read_names("--entities", str(path))
    with pytest.raises(UsageError, match="names nothing"):
        read_names("--entities", " , ")


def test_what_a_restriction_says_of_itself() -> None:
    assert Restriction().describe() == {}
    described = Restriction(relations=("b", "a"), entities=("y", "x")).describe()
    assert described["relations"] == ["a", "b"]
    assert described["entities"]["count"] == 2
    assert described == Restriction(relations=("a", "b"), entities=("x", "y")).describe()
