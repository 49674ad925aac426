"""A small set of tables, with few of the carried datasets: for tests of where tables are, not of
what they hold.
"""

import atexit
import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

import rankconst
from rankconst.tables.archive import Tables
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst_builder.package import split_runs, write_set

KEYS = ("fb15k237", "nations")


def write_tables(
    folder: Path,
    version: str,
    tables: Mapping[str, pa.Table],
    origins: Mapping[str, dict[str, str]],
) -> None:
    """Write whole tables as a build does."""
    write_set(folder, version, zip(tables, map(split_runs, tables.values()), strict=True), origins)


def read_carried(name: str, key: str) -> pa.Table:
    """Read the rows of a carried dataset; none of a table that the package leaves out."""
    carried = rankconst.load()
    return schema_of(name).empty_table() if carried.leaves_out(name) else carried.read(name, key)


@functools.cache
def few_tables(*keys: str) -> Tables:
    """Return the set, of some datasets or of two, in a folder that is removed at the end."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    carried, path = rankconst.load(), Path(folder.name) / "tables"
    tables = {
        name: pa.concat_tables([read_carried(name, key) for key in keys or KEYS])
        for name in COLUMNS
    }
    write_tables(path, carried.version, tables, {key: {"origin": "files"} for key in keys or KEYS})
    return rankconst.load(path)
