"""Labels that are coded while text is read, against a dict."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst_builder.text import Coder, NotPlainError

if TYPE_CHECKING:
    from rankconst_builder.words import Codes

BYTES = st.sampled_from([*range(1, 9), *range(14, 256)])  # neither zero nor what ends a label
LABELS = st.lists(BYTES, min_size=1, max_size=40).map(bytes) | st.sampled_from([b"a" * size for size in range(1, 40)])


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
    codes = np.concatenate([encode(coder, names[start : start + 1000]) for start in range(0, len(names), 1000)])
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
