"""Words of facts, part by part: each fact is in one part, once, and can be read back."""

from __future__ import annotations

import numpy as np
import pytest

from rankconst.errors import DataError
from rankconst_builder.graph import Graph
from rankconst_builder.packing import Packing
from rankconst_builder.words import Triples


@pytest.mark.parametrize(
    ("entities", "relations", "shift"),
    # Bits of anchor, relation and answer: 27 + 14 + 27, 20 + 23 + 21, 20 + 22 + 20.
    [((1 << 27) - 1, 1 << 14, 4), (1 << 20, 1 << 23, 0), ((1 << 20) + 1, 1 << 23, 1), (1 << 20, 1 << 24, 1)],
)
def test_facts_come_in_as_many_parts_as_words_of_64_bits_need(entities: int, relations: int, shift: int) -> None:
    rng = np.random.default_rng(0)
    most = np.array([entities - 1, entities - 2, 0, 0]), np.array([relations - 1, 0, 0, relations - 1])
    heads, kinds = (np.concatenate([end, rng.integers(0, end[0], 60)]) for end in most)
    triples = Triples(heads, kinds, heads[::-1].copy())
    packing = Packing.plan(Graph({"train": triples}, entities, relations), "tail", len(triples))
    assert packing.shift == shift
    found: list[tuple[int, ...]] = []
    for part in packing.parts:
        ordered = packing.sort([triples, triples], part)
        assert (ordered[1:] >= ordered[:-1]).all()
        keys = packing.find_keys(ordered)
        columns = packing.find_anchors(keys, part), packing.find_given(keys), packing.find_answers(ordered)
        found += zip(*(column.tolist() for column in columns), strict=True)
    rows = [*zip(*(column.tolist() for column in triples.codes), strict=True)]
    assert sorted(found) == sorted(rows + rows)


def test_graphs_of_too_many_parts_are_refused() -> None:
    graph = Graph({"train": Triples(*np.zeros((3, 1), dtype=np.int64))}, 1 << 40, 1 << 20)
    with pytest.raises(DataError, match="1 facts of 1,099,511,627,776 entities and 1,048,576 relations are too many"):
        Packing.plan(graph, "tail", 1)
