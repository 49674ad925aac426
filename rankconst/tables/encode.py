"""Columns of values to the bytes of a file: one registry, by the ending of the file's name.

Numbers are written so that reading them gives the same bits; what is missing is empty. The same columns give the same
bytes.
"""

from __future__ import annotations

import csv
import gzip
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    # Name to values, all of the same length: a list (None: missing) or a numpy array (NaN: missing).
    Columns = Mapping[str, Any]

# How many rows are formatted at a time: texts take far more memory than the numbers they are made of.
_BLOCK = 1024


def write_delimited(columns: Columns, delimiter: str = ",") -> Iterator[str]:
    """Write delimited text with a header, in blocks; the items of a list are joined by semicolons."""

    class Echo:
        write = staticmethod(str)

    # The writer hands back what its file's `write` does. A second, empty cell: an empty one alone would be quoted.
    quote: Callable[[Iterable[Any]], str] = csv.writer(Echo(), delimiter=delimiter, lineterminator="\n").writerow

    def encode(value: Any) -> str:
        return quote(("; ".join(map(str, value)) if isinstance(value, (list, tuple)) else value, ""))[:-2]

    yield delimiter.join(map(encode, columns)) + "\n"
    for block in write_blocks(columns, encode):
        yield "\n".join(map(delimiter.join, zip(*block, strict=True))) + "\n"


def write_blocks(columns: Columns, encode: Callable[[Any], str]) -> Iterator[list[list[str]]]:
    """Yield the texts of all columns, a block of rows at a time; `encode` writes what is no number."""
    size = len(next(iter(columns.values()), ()))
    for start in range(0, size, _BLOCK):
        yield [_encode_all(values[start : start + _BLOCK], encode) for values in columns.values()]


def list_values(values: Any) -> list[Any]:
    """Return values as Python's, missing ones as None."""
    if not hasattr(values, "dtype"):
        return list(values)
    listed: list[Any] = values.tolist()
    return [None if math.isnan(value) else value for value in listed] if values.dtype.kind == "f" else listed


# Of these, values that are equal are written alike: not so 1, 1.0 and True, nor 0.0 and -0.0.
_ALIKE = frozenset({str, int, type(None)})


def _encode_all(values: Any, encode: Callable[[Any], str]) -> list[str]:
    """Write each value, where possible equal ones only once."""
    if hasattr(values, "dtype") and values.dtype.kind == "f":
        return _encode_floats(values, encode)
    values = list_values(values)
    if not _ALIKE.issuperset(map(type, values)):
        return list(map(encode, values))
    texts = {value: encode(value) for value in dict.fromkeys(values)}
    return list(map(texts.__getitem__, values))


# Between these, Arrow writes fractions as Python does, in a quarter of the time.
_PLAIN = (1e-4, 1e10)


def _encode_floats(values: NDArray[Any], encode: Callable[[Any], str]) -> list[str]:
    import numpy as np
    import pyarrow as pa

    # Compared bit by bit, since -0.0 and 0.0 are equal and not written alike.
    bits, places = np.unique(values.astype(np.float64, copy=False).view(np.int64), return_inverse=True)
    distinct = bits.view(np.float64)
    size, texts = np.abs(distinct), np.empty(len(distinct), dtype=object)
    plain = (size >= _PLAIN[0]) & (size < _PLAIN[1]) & (distinct != np.rint(distinct))
    others = np.isfinite(distinct) & ~plain
    texts[plain] = pa.array(distinct[plain]).cast(pa.string()).to_pylist()
    texts[others] = list(map(repr, distinct[others].tolist()))
    texts[~(plain | others)] = list(map(encode, list_values(distinct[~(plain | others)])))
    taken: list[str] = texts[places].tolist()
    return taken


def write_parquet(columns: Columns, schema: pa.Schema | None = None) -> Iterator[bytes]:
    """Write Parquet: with the types of `schema`, and strongly compressed, or with types that follow from the values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if schema is None:
        table = pa.table({name: _make_array(values) for name, values in columns.items()})
    else:
        arrays = [pa.array(values, type=field.type) for values, field in zip(columns.values(), schema, strict=True)]
        table = pa.Table.from_arrays(arrays, schema=schema)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="snappy" if schema is None else "zstd")
    yield bytes(sink.getvalue())


def _make_array(values: Any) -> Any:
    """Return a column as Arrow's, missing values as null; if all are, the column has no type either."""
    import pyarrow as pa

    array = pa.array(values, from_pandas=hasattr(values, "dtype"))
    return pa.nulls(len(array)) if array.null_count == len(array) else array


def _compress(texts: Iterable[str]) -> Iterator[bytes]:
    yield gzip.compress("".join(texts).encode(), mtime=0)  # without a time, the same columns give the same file


ENCODERS: dict[str, Callable[[Columns, pa.Schema | None], Iterable[str] | Iterable[bytes]]] = {
    ".csv": lambda columns, _: write_delimited(columns),
    ".csv.gz": lambda columns, _: _compress(write_delimited(columns)),
    ".tsv": lambda columns, _: write_delimited(columns, "\t"),
    ".tsv.gz": lambda columns, _: _compress(write_delimited(columns, "\t")),
    ".parquet": write_parquet,
}
"""Ending of a file's name to the function that writes columns and, for typed formats, a schema."""
