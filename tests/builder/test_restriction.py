"""Restricted evaluations: candidates counted by loops over what remains, and what the tables record."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brute import ORDER, entities_of, everything, relations_of
from cases import choose
from graphs import STATIC, count_candidates
from rankconst.catalogue.benchmarks import LineFormat
from rankconst.catalogue.protocols import UNTABLED
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst_builder.graph import encode_labels
from rankconst_builder.restriction import Restriction, add_known, read_names
from rankconst_builder.triples import read_triples

if TYPE_CHECKING:
    from pathlib import Path

    from rankconst.catalogue.protocols import Protocol
    from rankconst_builder.graph import Graph

Row = tuple[str, str, str]
Dataset = dict[str, list[Row]]

ENTITY = st.sampled_from("abcdefg")
ROWS = st.lists(st.tuples(ENTITY, st.sampled_from("rst"), ENTITY), min_size=1, max_size=12)
DATASETS = st.fixed_dictionaries(dict.fromkeys(ORDER, ROWS))


def encode(dataset: Dataset) -> Graph:
    files = {split: "".join("\t".join(row) + "\n" for row in rows).encode() for split, rows in dataset.items()}
    return encode_labels({role: read_triples(content, LineFormat(), role) for role, content in files.items()})


def count_by_loops(
    dataset: Dataset, protocol: Protocol, split: str, relations: set[str], entities: set[str]
) -> tuple[list[int], list[int]]:
    """Return candidates of heads and tails: those of the protocol that are allowed, less known answers."""
    train = dataset["train"]
    ranked = {"all": entities_of(everything(dataset)), "seen": entities_of(train)}[protocol.candidates] & entities
    names = {"none": (), "up_to": ORDER[: ORDER.index(split) + 1], "all": ORDER}[protocol.known]
    known = {row for name in names for row in dataset[name]} | (set(dataset[split]) if names else set())
    heads, tails = [], []
    for place, (h, r, t) in enumerate(dataset[split]):
        seen = {h, t} <= entities_of(train) and r in relations_of(train)
        if not ({h, t} <= entities and r in relations) or (protocol.tasks == "seen" and not seen):
            continue
        if protocol.distinct and (h, r, t) in dataset[split][:place]:
            continue
        heads.append(sum(1 for other in ranked if other == h or (other, r, t) not in known))
        tails.append(sum(1 for other in ranked if other == t or (h, r, other) not in known))
    return heads, tails


@pytest.mark.slow
@settings(max_examples=choose(12, 80), deadline=None)
@given(dataset=DATASETS, data=st.data())
def test_counts_equal_loops_over_what_remains(dataset: Dataset, data: st.DataObject) -> None:
    graph = encode(dataset)
    relations = data.draw(st.sets(st.sampled_from(sorted(map(str, relations_of(everything(dataset))))), min_size=1))
    entities = data.draw(st.sets(st.sampled_from(sorted(map(str, entities_of(everything(dataset))))), min_size=1))
    restricted = Restriction(tuple(relations), tuple(entities)).apply(graph)
    for protocol, split in itertools.product(STATIC.values(), ORDER):
        counts = count_candidates(restricted, protocol, split)
        heads, tails = count_by_loops(dataset, protocol, split, relations, entities)
        assert (counts.head.tolist(), counts.tail.tolist()) == (heads, tails)


DATASET: Dataset = {
    "train": [("a", "r", "b"), ("b", "s", "c"), ("c", "r", "a"), ("a", "s", "d")],
    "valid": [("a", "r", "c"), ("b", "s", "e")],
    "test": [("a", "r", "d"), ("e", "s", "a"), ("b", "r", "c")],
}


@pytest.mark.slow
@settings(max_examples=choose(12, 80), deadline=None)
@example(dataset=DATASET, further=[("a", "r", "a"), ("e", "r", "d"), ("a", "r", "b")])
# What the graph lacks is left out, whatever it is that is lacking; the first codes are 0.
@example(dataset=DATASET, further=[("x", "r", "a"), ("a", "t", "b"), ("a", "r", "x"), ("a", "r", "e"), ("c", "r", "c")])
@example(dataset=DATASET, further=[("x", "r", "a"), ("a", "t", "b"), ("a", "r", "x"), ("x", "t", "x")])
@given(dataset=DATASETS, further=ROWS)
def test_further_known_triples_are_removed(dataset: Dataset, further: list[Row]) -> None:
    graph = encode(dataset)
    entities, relations = (names(everything(dataset)) for names in (entities_of, relations_of))
    inside = {row for row in further if {row[0], row[2]} <= entities and row[1] in relations}
    known = read_triples("".join("\t".join(row) + "\n" for row in further).encode(), LineFormat(), "known")
    if not inside:
        with pytest.raises(DataError, match=r"none of the .* triples has entities and a relation of the graph"):
            add_known(graph, known)
        return
    knowing, told = add_known(graph, known)
    assert told.startswith(f"{sum(row in inside for row in further)} of {len(further)} further known triples")
    for protocol, split in itertools.product((*STATIC.values(), *UNTABLED.values()), ORDER):
        counts, before = count_candidates(knowing, protocol, split), count_candidates(graph, protocol, split)
        ranked = {"all": entities, "seen": entities_of(dataset["train"])}[protocol.candidates]
        names = protocol.known_splits(split)
        known_rows = {row for name in names for row in dataset[name]} | (inside | {*dataset[split]} if names else set())
        rows = [dataset[split][place] for place in before.rows]
        assert counts.rows.tolist() == before.rows.tolist()
        heads = [sum(one == h or (one, r, t) not in known_rows for one in ranked) for h, r, t in rows]
        tails = [sum(one == t or (h, r, one) not in known_rows for one in ranked) for h, r, t in rows]
        assert (counts.head.tolist(), counts.tail.tolist()) == (heads, tails)


def test_further_known_triples_have_no_time() -> None:
    timed = LineFormat(columns="hrtd")
    known = read_triples(b"a\tr\tb\t2014-01-01\n", timed, "known")
    plain = encode(DATASET)
    with pytest.raises(UsageError, match="--known is for graphs of triples"):
        add_known(plain, known)
    rows = {role: read_triples(b"a\tr\tb\t2014-01-01\n", timed, role) for role in ORDER}
    with pytest.raises(UsageError, match="--known is for graphs of triples"):
        add_known(encode_labels(rows), read_triples(b"a\tr\tb\n", LineFormat(), "known"))


def test_unknown_labels_are_refused() -> None:
    graph = encode({key: [("anna", "likes", "bert")] for key in ORDER})
    for restriction, told in (
        (Restriction(relations=("like",)), r"no relation 'like' \(1 of 1 named\)\. Did you mean likes\?"),
        (Restriction(entities=("x", "y", "z")), r"no entity 'x', 'y', 'z' \(3 of 3 named\)\."),
        (Restriction(entities=("x", "y", "z", "w", "anna")), r"'x', 'y', 'z' and 1 more \(4 of 5 named\)\."),
    ):
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
