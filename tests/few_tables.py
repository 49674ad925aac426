"""A small set of tables, with two of the carried datasets: for tests of where tables are, not of what they hold."""

from __future__ import annotations

import atexit
import functools
import tempfile
from pathlib import Path

import pyarrow as pa

import rankconst
from rankconst.tables.schema import COLUMNS
from rankconst_builder.package import write_tables

KEYS = ("fb15k237", "nations")


@functools.cache
def few_tables() -> rankconst.Tables:
    """Return the set, in a folder that is removed at the end."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    carried, path = rankconst.load(), Path(folder.name) / "tables"
    tables = {name: pa.concat_tables([carried.read(name, key) for key in KEYS]) for name in COLUMNS}
    write_tables(path, carried.version, tables, {key: {"origin": "files"} for key in KEYS})
    return rankconst.load(path)
