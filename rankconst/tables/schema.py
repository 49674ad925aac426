"""The columns of the tables, read from ``schema.csv``: names, types, units and meaning.

Reading and writing use :func:`schema_of`; the descriptor of a set of tables repeats these
descriptions.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

if TYPE_CHECKING:
    import pyarrow as pa


Kind = Literal["text", "texts", "count", "real", "truth"]
"""What a column holds; texts: a list of them in each row, count: int64, real: float64."""


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind
    description: str
    unit: str = ""


def _read_columns() -> dict[str, tuple[TableColumn, ...]]:
    columns: dict[str, tuple[TableColumn, ...]] = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, kind, unit = row["column"], cast("Kind", row["kind"]), row["unit"]
            column = TableColumn(name, kind, row["description"], unit)
            columns[row["table"]] = (*columns.get(row["table"], ()), column)
    return columns


COLUMNS = _read_columns()
"""Table name to its columns."""

ARCHIVED = frozenset({"baseline_candidates_by_relation"})
"""Tables that the package leaves out: a released archive has them."""

NULLABLE = {
    # What is counted in files of which one may be missing, and what a source need not state.
    "datasets": frozenset(column.name for column in COLUMNS["datasets"][3:]) - {"source_urls"},
    "constants": frozenset({"k", "num_draws"}),
}
"""Table to its columns that may have nulls."""


LEAST = {
    **dict.fromkeys(("num_candidates", "num_tasks", "k"), 1),
    **dict.fromkeys(("expectation_error", "variance", "variance_error", "weight", "offset"), 0),
}
"""Column to the least number that it can have."""


def schema_of(name: str) -> pa.Schema:
    """Return the Arrow schema of a table, one of :data:`COLUMNS`."""
    import pyarrow as pa

    types = {
        "text": pa.string(),
        # Parquet names the items so; any other name would be lost on the way through a file.
        "texts": pa.list_(pa.field("element", pa.string())),
        "count": pa.int64(),
        "real": pa.float64(),
        "truth": pa.bool_(),
    }
    fields = [
        pa.field(column.name, types[column.kind], metadata={"description": column.description})
        for column in COLUMNS[name]
    ]
    return pa.schema(fields)
