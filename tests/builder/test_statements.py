"""Graphs of statements: triples with qualifiers, read from lines of any number of columns, and
counted.
"""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute import (
    ORDER,
    choose_counting,
    count_brute_force,
    rank_brute_force,
)
from cases import choose, for_each
from graphs import blocks_of, count_candidates, sizes_of
from rankconst.catalogue.baselines import INFORMED
from rankconst.catalogue.benchmarks import LineFormat
from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.errors import DataError, UndefinedError
from rankconst_builder.candidates import count_protocols, count_ranked
from rankconst_builder.graph import Graph, encode_labels
from rankconst_builder.rankers import count_baselines
from rankconst_builder.triples import read_triples

Statement = tuple[str, str, str, tuple[tuple[str, str], ...]]
Dataset = dict[str, list[Statement]]

STATEMENTS = {
    key: protocol
    for key, protocol in PROTOCOLS.items()
    if protocol.fits(temporal=False, qualified=True)
}
FORM = LineFormat(",", "hrtq")

ENTITY = st.sampled_from("abcde")
PAIRS = st.lists(st.tuples(st.sampled_from("qp"), st.sampled_from("abxy")), max_size=2).map(tuple)
ROWS = st.lists(st.tuples(ENTITY, st.sampled_from("rs"), ENTITY, PAIRS), min_size=1, max_size=9)
DATASETS = st.fixed_dictionaries(dict.fromkeys(ORDER, ROWS))


def write(rows: list[Statement]) -> bytes:
    lines = (",".join((h, r, t, *itertools.chain.from_iterable(pairs))) for h, r, t, pairs in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def encode(dataset: Dataset) -> Graph:
    return encode_labels(
        {split: read_triples(write(rows), FORM, split) for split, rows in dataset.items()}
    )


@pytest.mark.slow
@settings(max_examples=choose(12, 60))
@given(dataset=DATASETS)
def test_counts_and_baselines_equal_loops(dataset: Dataset) -> None:
    """Baselines know the triples of train without qualifiers; what the protocol's filter removes is
    with them.
    """
    graph = encode(dataset)
    chance = count_protocols(graph, STATEMENTS.values())
    for (key, split), got in chance.items():
        expected = count_brute_force(dataset, STATEMENTS[key], split)
        assert got.tasks.rows.tolist() == expected.rows
        assert sizes_of(got) == [expected.head, expected.tail]
        assert count_ranked(graph, STATEMENTS[key])["head"] == expected.num_entities
    found, choice = count_baselines(graph, chance, INFORMED)
    assert choice == choose_counting(dataset, STATEMENTS["qualified"])
    for key, split in itertools.product(STATEMENTS, ("valid", "test")):
        for baseline, blocks in rank_brute_force(
            dataset, STATEMENTS[key], split, INFORMED, choice
        ).items():
            assert blocks_of(found[key, split, baseline]) == blocks, (key, split, baseline)


def test_protocols_need_qualifiers_or_none() -> None:
    plain, qualified = (
        encode_labels({"train": read_triples(line, form, "train")})
        for line, form in ((b"a\tr\tb\n", LineFormat()), (b"a,r,b,q,x\n", FORM))
    )
    for graph, keys, told in (
        (qualified, ("standard", "static"), "the facts of this graph have qualifiers"),
        (plain, ("stare",), "needs the qualifiers of every fact"),
    ):
        for key in keys:
            with pytest.raises(UndefinedError, match=told):
                count_candidates(graph, PROTOCOLS[key], "train")


@for_each("line", [b"a,r", b"a,r,b,q", b"a,r,b,q,x,p", b"a,,b", b"a,r,b,,x", b"", b"a\tr\tb"])
def test_lines_that_are_no_statements(line: bytes) -> None:
    with pytest.raises(
        DataError, match=r"file, line 2: expected 3 columns \(hrt\), then qualifiers"
    ):
        read_triples(b"a,r,b\n" + line + b"\nb,r,a,q,x\n", FORM, "file")
    for before in (b"a,r,b,q,x,p,y\n", b"a,r,b,\n"):
        with pytest.raises(
            DataError, match="file, line 2: there is a carriage return inside the line"
        ):
            read_triples(before + b"a,r\rs,b\n", FORM, "file")


def test_qualifiers_come_last() -> None:
    for columns in ("hrqt", "qhrt", "hrtdq", "hrtqq"):
        with pytest.raises(DataError, match="must name h, r and t once each"):
            LineFormat(columns=columns)
    labels = read_triples(b"x,t,h,r,q,v,p,w\r\nx,u,k,s\r\n", LineFormat(",", "-thrq"), "file")
    assert [labels.head.to_pylist(), labels.relation.to_pylist()] == [[b"h", b"k"], [b"r", b"s"]]
    assert labels.time[0].to_pylist() == [b"q,v,p,w", b""]
    assert labels.values is not None
    assert labels.values.to_pylist() == [b"v", b"w"]
