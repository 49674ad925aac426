"""Words, and numbers out of texts, all at once, against Python's own."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankconst_builder.words import (
    count_runs,
    locate,
    read_digits,
    search,
    sort_words,
)

WORDS = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=30)


def array(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, dtype=np.uint64)


@given(WORDS, WORDS)
def test_words_are_searched_for_as_bisect_does(ordered: list[int], words: list[int]) -> None:
    ordered.sort()
    assert search(array(ordered), array(words)).tolist() == [bisect_left(ordered, word) for word in words]
    distinct = sorted({*ordered})
    rows, places = locate(array(distinct), array(words))
    assert [*zip(rows.tolist(), places.tolist(), strict=True)] == [
        (row, distinct.index(word)) for row, word in enumerate(words) if word in distinct
    ]


@given(st.lists(WORDS, max_size=4))
def test_words_of_parts_are_sorted_and_counted(parts: list[list[int]]) -> None:
    words, numbers = sort_words(map(array, parts)), [*chain(*parts)]
    assert words.tolist() == sorted(numbers)
    assert {*zip(*(each.tolist() for each in count_runs(words)), strict=True)} == {*Counter(numbers).items()}


@given(st.lists(st.integers(0, 10**10 - 1) | st.integers(0, 200), max_size=20), st.sampled_from(["", "Q", "ab\t9"]))
def test_digits_are_read_as_python_reads_them(numbers: list[int], before: str) -> None:
    text, ends, digits = b"", [], []
    for number in numbers:
        text += f"{before}{number}".encode()
        ends.append(len(text))
        digits.append(len(str(number)))
    found = read_digits(np.frombuffer(text, np.uint8), np.array(ends, dtype=np.int64), np.array(digits, dtype=np.int64))
    assert found is not None
    assert found.tolist() == numbers


@given(st.binary(min_size=1, max_size=12))
def test_what_is_no_number_is_not_read(text: bytes) -> None:
    found = read_digits(np.frombuffer(text, np.uint8), np.array([len(text)]), np.array([len(text)]))
    if text.isdigit() and len(text) <= 10 and (text[:1] != b"0" or len(text) == 1):
        assert found is not None
        assert found.tolist() == [int(text)]
    else:
        assert found is None
