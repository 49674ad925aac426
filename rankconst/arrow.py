"""Convert arrays of Arrow, numpy and Python without loading pandas, which pyarrow would."""

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
    """Return a numpy array of numbers or truth values as an Arrow array.

    Contiguous numbers share their memory, so that they must not change.
    """
    import numpy as np
    import pyarrow as pa

    if values.dtype == np.bool_:
        return wrap_numbers(values.view(np.uint8)).cast(pa.bool_())

    contiguous: Any = np.ascontiguousarray(values)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(contiguous.dtype), len(contiguous), [None, pa.py_buffer(contiguous)]
    )


def view_numbers(array: Any) -> NDArray[Any]:
    """Return an Arrow array without nulls as a numpy array, which may share its memory."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_boolean(array.type):
        return view_numbers(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)


def fill_nulls(values: Any, number: int) -> Any:
    """Return an Arrow array with a number in place of nulls."""
    import numpy as np

    return values.fill_null(wrap_numbers(np.array([number]))[0].cast(values.type))


def join_texts(texts: Sequence[str]) -> Any:
    """Return texts of up to 2 GiB as an Arrow array, without loading pandas.

    Arrow keeps the bytes of all texts in a row, and where each of them ends.
    """
    import numpy as np
    import pyarrow as pa

    content = "".join(texts).encode(errors="replace")  # UTF-8 has no lone surrogates
    lengths = [len(text) for text in texts]
    if sum(lengths) != len(content):  # some letters take several bytes
        lengths = [len(text.encode(errors="replace")) for text in texts]

    ends: Any = np.cumsum([0, *lengths]).astype(np.int32)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(content))


def fold_digits(texts: Any) -> Any:
    """Return an Arrow array of strings with each digit as 0: "H@10" becomes "H@00"."""
    import numpy as np
    import pyarrow as pa

    # Byte by byte: in UTF-8 the byte of a digit is part of no other letter.
    folded_byte = np.arange(256, dtype=np.uint8)
    folded_byte[ord("0") : ord("9") + 1] = ord("0")
    _, ends, content = texts.buffers()
    letters: Any = folded_byte[np.frombuffer(content or b"", dtype=np.uint8)]
    folded: Any = pa.StringArray.from_buffers(
        len(texts), ends, pa.py_buffer(letters), offset=texts.offset
    )
    return folded


def wrap_text(text: str) -> Any:
    """Return a text as a scalar of Arrow."""
    return join_texts([text])[0]


def refuse_masked(values: Any, what: str) -> None:
    """Raise DataError for a numpy array with masked values. `what` names it in the message."""
    import numpy as np

    # np.ma.is_masked would load a module that few need.
    masked = (
        np.count_nonzero(getattr(values, "mask", False)) if isinstance(values, np.ndarray) else 0
    )
    if masked:
        raise DataError(f"{what}: {masked:,} of the values are masked; leave them out.")


# The methods of Spark, Dask, polars, DuckDB, ibis and Arrow that compute or read a table.
_COMPUTE = ("toPandas", "compute", "collect", "df", "execute", "read_all", "to_table")


def refuse_lazy(table: Any) -> None:
    """Raise UsageError for a table that is not computed yet, with the method to call."""
    for method in _COMPUTE:
        if callable(getattr(table, method, None)):
            kind = type(table).__name__
            raise UsageError(f"a {kind} has not been computed yet: call .{method}() first.")


def as_pandas(table: Any) -> Any:
    """Return a table of Arrow, polars or the like as a DataFrame, and anything else as it is."""
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
    """Return a DataFrame of pandas as the same kind of table as `given`."""
    if hasattr(given, "iloc"):  # of pandas
        return frame
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table if isinstance(given, pa.Table | pa.RecordBatch) else type(given)(table)


def as_values(column: Any) -> Any:
    """Return a column of polars or Arrow as an array or a list, with NaN for missing values."""
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
    if array.dtype.kind in "fiubmM":  # numbers, truth values, dates; numpy puts NaN for nulls
        return array
    return [float("nan") if item is None else item for item in array.tolist()]


def list_values(values: Any) -> list[Any]:
    """Return an array, a Series or an iterable as a list, with None in place of NaN."""
    if not hasattr(values, "dtype"):
        return list(values)
    items: list[Any] = values.tolist()
    if values.dtype.kind != "f":
        return items
    return [None if math.isnan(value) else value for value in items]
