"""Between Arrow's arrays and those of numpy and Python, without loading pandas as pyarrow does."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rankconst.errors import DataError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# pyarrow's stubs tell arrays of each type apart, which few functions expect: Any is an array.


def wrap_numbers(values: NDArray[Any]) -> Any:
    """Return numbers as an Arrow array that shares their memory; truth values become bits."""
    import numpy as np
    import pyarrow as pa

    if values.dtype == np.bool_:
        return wrap_numbers(values.view(np.uint8)).cast(pa.bool_())
    contiguous: Any = np.ascontiguousarray(values)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(contiguous.dtype), len(contiguous), [None, pa.py_buffer(contiguous)]
    )


def view_numbers(array: Any) -> NDArray[Any]:
    """Return an Arrow array of numbers or truth values, without nulls, as numpy's."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_boolean(array.type):
        return view_numbers(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)


def fill_nulls(values: Any, number: int) -> Any:
    """Put a number in place of the nulls among others."""
    import numpy as np

    return values.fill_null(wrap_numbers(np.array([number]))[0].cast(values.type))


def join_texts(texts: Sequence[str]) -> Any:
    """Return texts as an Arrow array."""
    import numpy as np
    import pyarrow as pa

    content = "".join(texts).encode(errors="replace")  # UTF-8 has no lone surrogates
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if lengths.sum() != len(content):  # some letters take several bytes
        lengths = np.fromiter(
            (len(text.encode(errors="replace")) for text in texts), np.int64, len(texts)
        )
    ends: Any = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(content))


def fold_digits(texts: Any) -> Any:
    """Return an Arrow array of texts with each digit as 0."""
    import numpy as np
    import pyarrow as pa

    zeros = np.arange(256, dtype=np.uint8)
    zeros[ord("0") : ord("9") + 1] = ord("0")
    _, ends, content = texts.buffers()
    letters: Any = zeros[np.frombuffer(content or b"", dtype=np.uint8)]
    folded: Any = pa.StringArray.from_buffers(
        len(texts), ends, pa.py_buffer(letters), offset=texts.offset
    )
    return folded


def wrap_text(text: str) -> Any:
    """Return a text as a scalar of Arrow."""
    return join_texts([text])[0]


def refuse_masked(values: Any, what: str) -> None:
    """Refuse an array with masked values; a plain array would show them."""
    import numpy as np

    # numpy's own question loads a module that few need.
    masked = (
        np.count_nonzero(getattr(values, "mask", False)) if isinstance(values, np.ndarray) else 0
    )
    if masked:
        raise DataError(f"{what}: {masked:,} of the values are masked; leave them out.")


# The methods of Spark, Dask, polars, DuckDB, ibis and Arrow that compute or read a table.
_COMPUTE = ("toPandas", "compute", "collect", "df", "execute", "read_all", "to_table")


def refuse_lazy(table: Any) -> None:
    """Refuse a table that has not been computed yet; the error names the method that does."""
    for method in _COMPUTE:
        if callable(getattr(table, method, None)):
            kind = type(table).__name__
            raise UsageError(f"a {kind} has not been computed yet: call .{method}() first.")


def as_pandas(table: Any) -> Any:
    """Return a table of Arrow, polars or the like as a DataFrame; anything else as it is."""
    refuse_lazy(table)
    if hasattr(table, "iloc") or not hasattr(table, "columns") or not hasattr(table, "to_pandas"):
        return table
    if find_spec("pandas") is None:
        raise MissingExtraError(
            "tables of Arrow or polars are read with pandas, which is not installed. "
            "Run: pip install pandas"
        )
    return table.to_pandas()


def as_given(frame: Any, given: Any) -> Any:
    """Return a DataFrame as the kind of table that was given: of pandas, polars or Arrow."""
    if hasattr(given, "iloc"):
        return frame
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table if isinstance(given, pa.Table | pa.RecordBatch) else type(given)(table)


def as_values(column: Any) -> Any:
    """Return a column of polars or Arrow as an array or a list, a sparse Series as a dense one."""
    kind: Any = getattr(column, "dtype", None)
    if type(kind).__name__ == "SparseDtype":
        return column.astype(kind.subtype)
    if hasattr(column, "iloc") or hasattr(column, "columns"):  # a Series or a table
        return column
    # Both hand their content to others by Arrow's protocol.
    if not hasattr(column, "__arrow_c_stream__") and not hasattr(column, "__arrow_c_array__"):
        return column
    import numpy as np

    array = np.asarray(column)
    if array.dtype.kind in "fiubmM":  # with NaN for nulls
        return array
    return [float("nan") if item is None else item for item in array.tolist()]


def list_values(values: Any) -> list[Any]:
    """Return values as Python's, missing ones as None."""
    if not hasattr(values, "dtype"):
        return list(values)
    items: list[Any] = values.tolist()
    if values.dtype.kind != "f":
        return items
    return [None if math.isnan(value) else value for value in items]
