"""Numbers out of texts, all at once, against Python's own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankconst_builder.words import read_digits


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
