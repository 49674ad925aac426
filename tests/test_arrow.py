"""Arrow's arrays next to what pyarrow makes of the same values."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cases import SIGNS, for_each
from rankconst.arrow import join_texts, view_numbers, wrap_numbers


@given(st.lists(st.text(SIGNS)))
def test_texts_are_those_of_pyarrow(texts: list[str]) -> None:
    joined = join_texts(texts)
    joined.validate(full=True)
    assert joined.equals(pa.array(texts, pa.string()))


@for_each("dtype", ["float64", "int64", "int32", "uint8", "bool"])
def test_numbers_go_there_and_back(dtype: str) -> None:
    values = np.array([3, 0, 1, 0, 1], dtype=dtype)
    wrapped = wrap_numbers(values[::2])
    assert wrapped.equals(pa.array(values[::2]))
    for start, stop in ((0, 3), (1, 3), (2, 2)):
        np.testing.assert_array_equal(view_numbers(wrapped[start:stop]), values[::2][start:stop])


def test_nan_is_no_null() -> None:
    wrapped = wrap_numbers(np.array([np.nan, -0.0]))
    assert wrapped.null_count == 0
    assert np.isnan(wrapped[0].as_py())
    assert np.signbit(view_numbers(wrapped)[1])
