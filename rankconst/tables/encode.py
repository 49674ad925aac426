"""Columns and rows to the bytes of a file: one registry, by the ending of the file's name.

Numbers are written so that reading them gives the same bits; what is missing is empty. The same rows give the same
bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa

    Rows = Iterable[Sequence[Any]]


def encode_text(columns: Sequence[str], rows: Rows, delimiter: str = ",") -> bytes:
    """Write delimited text in UTF-8, with a header; the items of a list are joined by semicolons."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["; ".join(map(str, cell)) if isinstance(cell, (list, tuple)) else cell for cell in row])
    return buffer.getvalue().encode()


def encode_parquet(columns: Sequence[str], rows: Rows, schema: pa.Schema | None = None) -> bytes:
    """Write Parquet: with the types of `schema`, and strongly compressed, or with types that follow from the values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    if schema is None:
        table = pa.Table.from_arrays([pa.array(column) for column in values], list(columns))
    else:
        arrays = [pa.array(column, type=field.type) for column, field in zip(values, schema, strict=True)]
        table = pa.Table.from_arrays(arrays, schema=schema)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="snappy" if schema is None else "zstd")
    return sink.getvalue().to_pybytes()


def _compress(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)  # without a time, the same rows give the same file


ENCODERS: dict[str, Callable[[Sequence[str], Rows, pa.Schema | None], bytes]] = {
    ".csv": lambda columns, rows, _: encode_text(columns, rows),
    ".csv.gz": lambda columns, rows, _: _compress(encode_text(columns, rows)),
    ".tsv": lambda columns, rows, _: encode_text(columns, rows, "\t"),
    ".tsv.gz": lambda columns, rows, _: _compress(encode_text(columns, rows, "\t")),
    ".parquet": encode_parquet,
}
"""Ending of a file's name to the function that makes its content of columns, rows and, for typed formats, a schema."""


def encode_rows(suffix: str, columns: Sequence[str], rows: Rows, schema: pa.Schema | None = None) -> bytes:
    """Return the content of a file whose name has this ending."""
    return ENCODERS[suffix](columns, rows, schema)
