"""Words, packed facts and labels out of texts, all at once, against Python's own."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.errors import DataError
from rankconst_builder.codes import (
    Coder,
    NotPlainError,
    Packing,
    Triples,
    locate,
    search,
)
from rankconst_builder.graph import Graph

if TYPE_CHECKING:
    from rankconst_builder.codes import Codes

WORDS = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=30)


def array(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, dtype=np.uint64)


@given(WORDS, WORDS)
def test_words_are_searched_for_as_bisect_does(ordered: list[int], words: list[int]) -> None:
    ordered.sort()
    assert search(array(ordered), array(words)).tolist() == [
        bisect_left(ordered, word) for word in words
    ]
    distinct = sorted({*ordered})
    rows, places = locate(array(distinct), array(words))
    assert [*zip(rows.tolist(), places.tolist(), strict=True)] == [
        (row, distinct.index(word)) for row, word in enumerate(words) if word in distinct
    ]


# Labels that are coded while text is read.

BYTES = st.sampled_from([*range(1, 9), *range(14, 256)])  # neither zero nor what ends a label
LABELS = st.lists(BYTES, min_size=1, max_size=40).map(bytes) | st.sampled_from(
    [b"a" * size for size in range(1, 40)]
)


def encode(coder: Coder, labels: list[bytes]) -> Codes:
    ends = np.cumsum([len(label) + 1 for label in labels]) - 1
    starts = ends - [len(label) for label in labels]
    return coder.encode(np.frombuffer(b"\t".join(labels) + bytes(9), np.uint8), starts, ends)


@given(st.lists(st.lists(LABELS, min_size=1, max_size=30), max_size=5))
def test_codes_are_those_of_a_dict(batches: list[list[bytes]]) -> None:
    coder, known = Coder(), dict[bytes, int]()
    for labels in batches:
        expected = [known.setdefault(label, len(known)) for label in labels]
        assert encode(coder, labels).tolist() == expected
    assert coder.labels().to_pylist() == [*known]


def test_many_labels() -> None:
    names = [f"{'long' * (place % 5)} {place * 7919 % 10_007}".encode() for place in range(30_000)]
    coder = Coder()
    codes = np.concatenate(
        [encode(coder, names[start : start + 1000]) for start in range(0, len(names), 1000)]
    )
    assert [*map(coder.labels().to_pylist().__getitem__, codes.tolist())] == names
    assert coder.size == len({*names})


def mix(word: int) -> int:
    word = word * 0x9E3779B97F4A7C15 % 2**64
    return word ^ word >> 32


def test_labels_of_one_key_are_told_apart() -> None:
    """Whoever knows the hash can make labels that share it; another reader reads them."""
    front, last = b"b" * 8, b"c"
    state = mix(int.from_bytes(front, "little")) ^ int.from_bytes(last, "little")
    single = state.to_bytes(8, "little")
    double = b"a" * 8 + (state ^ mix(int.from_bytes(b"a" * 8, "little"))).to_bytes(8, "little")
    assert not {0, 9, 10} & {*single, *double}
    for labels in itertools.permutations([front + last, single, double], 2):
        with pytest.raises(NotPlainError):
            encode(Coder(), [*labels])
        coder = Coder()
        encode(coder, [labels[0]])
        with pytest.raises(NotPlainError):
            encode(coder, [labels[1]])


def test_graphs_of_too_many_parts_are_refused() -> None:
    graph = Graph({"train": Triples(*np.zeros((3, 1), dtype=np.int64))}, 1 << 40, 1 << 20)
    with pytest.raises(
        DataError,
        match="1 facts of 1,099,511,627,776 entities and 1,048,576 relations are too many",
    ):
        Packing.plan(graph, "tail", 1)
