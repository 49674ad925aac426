"""Whatever is wrong with a set of tables: one error that names the file and says what to do, before
memory runs out.
"""

import hashlib
import io
import itertools
import json
import math
import os
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankconst
from cases import for_each
from few_tables import read_carried
from rankconst.errors import RankconstError, TablesError
from rankconst.tables.archive import Tables
from rankconst.tables.descriptor import COLUMNS, LARGEST

Files = dict[str, bytes]


@cache
def tables_of_one() -> dict[str, pa.Table]:
    return {name: read_carried(name, "nations") for name in COLUMNS}


def encode(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, compression="zstd")
    return stream.getvalue()


@cache
def _whole() -> Files:
    return {f"{name}.parquet": encode(table) for name, table in tables_of_one().items()}


def make(**changed: bytes) -> Files:
    """Return the files of a set in which some tables are others, with their right hashes."""
    files = _whole() | {f"{name}.parquet": content for name, content in changed.items()}
    resources = []
    for path, content in files.items():
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        resources.append({"name": path.partition(".")[0], "path": path, "hash": digest})
    described = {"version": "2.0.0", "resources": resources, "provenance": [{"dataset": "nations"}]}
    return {**files, "datapackage.json": json.dumps(described).encode()}


def write(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def pack(place: Path, files: Files, packing: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(place, "w", packing) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return place


def put(name: str, column: str, *values: Any) -> Files:
    """Return a set with other values in the first rows of a column."""
    table = tables_of_one()[name]
    field, place = table.schema.field(column), table.schema.get_field_index(column)
    changed = pa.array([*values, *table[column].to_pylist()[len(values) :]], field.type)
    return make(**{name: encode(table.set_column(place, field, changed))})


def rename(name: str, column: str) -> Files:
    table = tables_of_one()[name]
    names = ["x" if each == column else each for each in table.schema.names]
    return make(**{name: encode(table.rename_columns(names))})


def put_other(name: str, content: bytes | None) -> Files:
    """Return a set in which a file is another one than the descriptor says, or missing."""
    files = {**make(), f"{name}.parquet": content}
    return {each: content for each, content in files.items() if content is not None}


def said(**changed: Any) -> Files:
    files = make()
    described = json.loads(files["datapackage.json"]) | changed
    return {**files, "datapackage.json": json.dumps(described).encode()}


def forget(name: str) -> Files:
    """Return a set whose descriptor does not name a file."""
    resources = json.loads(make()["datapackage.json"])["resources"]
    return said(resources=[each for each in resources if each["name"] != name])


def raw(text: bytes) -> Files:
    return {**make(), "datapackage.json": text}


def cut(name: str, first: int, last: int) -> Files:
    """Return a set in which a table has lost its beginning or end."""
    whole = _whole()[f"{name}.parquet"]
    return make(**{name: whole[first : len(whole) - last]})


def repeat_row() -> Files:
    """Return a set in which a row comes so often that it costs little in the file, and much in
    memory.
    """
    first, places = tables_of_one()["candidates"].slice(0, 1), np.zeros(10**6, np.int8)
    columns = {name: first[name].combine_chunks().take(places) for name in first.schema.names}
    return make(candidates=encode(pa.table(columns)))


def use(tables: Tables) -> None:
    """Read every table in every way that commands do."""
    for name in COLUMNS:
        tables.read(name)
    for dataset in tables.datasets:
        for metric in ("mrr", "hits@10", "hits@7", "median_rank"):
            found = tables.constants(dataset, metric)
            found.z(0.9 if found.metric.increasing else 5)
        tables.constants(dataset, "mrr", aggregation="macro-query")
        tables.constants(dataset, "mr", relations=tables.relations(dataset)[0])
        tables.constants(dataset, "mr", baseline="frequency", split="test").histogram  # noqa: B018 - looking it up reads it
    tables.resolve_dataset("Nations")


REAL = ("expectation", "expectation_error", "variance", "variance_error")
NULLS = [("constants", name) for name in (*REAL, "metric", "dataset", "method", "num_tasks")]
NULLS += [("candidates", name) for name in ("num_candidates", "num_tasks", "side")]
NULLS += [("datasets", "aliases"), ("datasets", "title"), ("datasets", "source_urls")]
LOW = [("constants", name, -1.0) for name in REAL[1:]]
LOW += [
    ("candidates", name, value) for name in ("num_candidates", "num_tasks") for value in (0, -5)
]
LOW += [("macro_candidates", "weight", -0.5), ("baseline_candidates", "offset", -1)]

# What befalls any file.
OF_FILES: dict[str, Callable[[str], Files]] = {
    "missing": lambda name: put_other(name, None),
    "of another hash": lambda name: put_other(name, b"PAR1"),
    "not named": forget,
    "empty": lambda name: make(**{name: b""}),
    "without an end": lambda name: cut(name, 0, 50),
    "without a start": lambda name: cut(name, 50, 0),
    "without content": lambda name: make(**{name: b"PAR1PAR1"}),
}
DAMAGES: dict[str, Callable[[], Files]] = {
    # By turns, so that every damage and every file is there.
    **{
        f"{name} {what}": partial(OF_FILES[what], name)
        for place, (what, name) in enumerate(itertools.product(OF_FILES, COLUMNS))
        if place % 3 == 0
    },
    "constants with another column": partial(rename, "constants", "expectation_error"),
    **{f"null {name} in {table}": partial(put, table, name, None) for table, name in NULLS},
    **{f"{v} {name}": partial(put, "constants", name, v) for name in REAL for v in (math.nan, math.inf)},
    **{f"{name} {value} in {table}": partial(put, table, name, value) for table, name, value in LOW},
    "a null alias": partial(put, "datasets", "aliases", [None]),
    "rows that take nothing": repeat_row,
    "another schema": lambda: make(candidates=encode(pa.table({"a": [1]}))),
    "text that is not UTF-8": lambda: make(datasets=_whole()["datasets.parquet"].replace(b"Nations", b"\xff" * 7)),
    "a title of 20 MB": partial(put, "datasets", "title", "a" * 2 * 10**7),
    "not JSON": partial(raw, b"{"),
    "a number that JSON has not": partial(said, created=math.nan),
    "empty": partial(raw, b""),
    "deep lists": partial(raw, b'{"version": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "too large": lambda: raw(b" " * (LARGEST[".json"] + 1)),
    "version of 5,000 letters": partial(said, version="a" * 5000),
    **{f"version {text!r}": partial(said, version=text) for text in ("../x", "", ".", "1/2", "a\nb", 1, None)},
    **{
        f"dataset {key!r}": partial(put, "datasets", "dataset", key)
        for key in ("../x", "", "..", "a b", "/x", "\x1b")
    },
    "resources an object": partial(said, resources={}),
    "a name that is a list": partial(said, resources=[{"name": []}]),
    "a hash that is a number": partial(said, resources=[{"name": "constants", "hash": 3}]),
    **{f"created {text!r}": partial(said, created=text) for text in ("yesterday", "2026-13-45", 3, None)},
    "a provenance that is a number": partial(said, provenance=3),
}  # fmt: skip


# In a folder or in a zip file by turns: that is read by other code, but its files are checked by
# the same.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "packed"), [(what, place % 2 > 0) for place, what in enumerate(DAMAGES)]
)
def test_damage_is_an_error_that_names_the_file(tmp_path: Path, what: str, packed: bool) -> None:
    files = DAMAGES[what]()
    place = pack(tmp_path / "set.zip", files) if packed else write(tmp_path / "set", files)
    with pytest.raises(TablesError) as refused:
        use(rankconst.load(place))
    assert str(tmp_path) in str(refused.value)
    table = what.partition(" ")[0]
    assert table not in COLUMNS or f"{table}.parquet" in str(refused.value)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("name", ["datapackage.json", "constants.parquet"])
def test_a_file_that_grows_without_measure_is_refused(tmp_path: Path, name: str) -> None:
    place = pack(tmp_path / "set.zip", {**make(), name: b" " * (20 * 2**20)}, zipfile.ZIP_DEFLATED)
    with pytest.raises(TablesError, match=r"unpacked|expected at most"):
        use(rankconst.load(place))


NO_FILES: dict[str, Callable[[Path], object]] = {
    "folder": lambda file: file.mkdir(),
    "pipe": os.mkfifo,
    "loop": lambda file: file.symlink_to(file),
    "unreadable": lambda file: file.touch(0o000),
}


@pytest.mark.parametrize("name", ["datapackage.json", "constants.parquet"])
@pytest.mark.parametrize("kind", NO_FILES)
def test_something_else_than_a_file(tmp_path: Path, name: str, kind: str) -> None:
    file = write(tmp_path / "set", make()) / name
    file.unlink()
    NO_FILES[kind](file)
    with pytest.raises(TablesError, match=name):
        use(rankconst.load(tmp_path / "set"))


@for_each("place", ["a" * 5000, "a" * 5000 + ".zip", "a\0b", "/dev/null", "/dev/null.zip"])
def test_a_place_that_cannot_be(place: str) -> None:
    with pytest.raises(RankconstError):
        rankconst.load(place)
