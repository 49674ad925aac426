"""Writing a set of tables: hashes of content, the descriptor, and an exchange that can be cut off
anywhere.
"""

import errno
import functools
import hashlib
import io
import json
import os
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import rankconst
from cases import choose
from few_tables import write_tables
from oracles import hash_lines, lines_of
from rankconst.catalogue.protocols import MACROS
from rankconst.progress import Reporter
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst.tasks import Histogram, Tasks
from rankconst_builder import package
from rankconst_builder.package import (
    Part,
    hash_content,
    hold_folder,
    make_part,
    open_build,
    write_parts,
)
from rankconst_builder.tabulate import tabulate

Tables = dict[str, "pa.Table"]


def make_tables(*keys: str, size: int = 5) -> Tables:
    """Make a small set of tables; another `size` changes candidates and constants."""
    described = []
    for key in keys:
        row: dict[str, Any] = {}
        for column in COLUMNS["datasets"]:
            row[column.name] = f"{column.name} of {key} é" if column.kind == "text" else size
        urls = [f"https://example.invalid/{key}", "https://example.invalid/b"]
        row |= {"dataset": key, "aliases": [f"{key}-alias"], "sha256": ["00", None, "11"]}
        row |= {"source_urls": urls if key != "own" else [], "verified": key != "own"}
        described.append(row)
    histograms = {}
    for tasks in (Tasks(key, "raw", "test", side) for key in keys for side in ("head", "tail")):
        plain = Histogram.from_counts([size, size + 1, size])
        histograms[tasks] = plain
        counts = plain.num_candidates, plain.num_tasks
        macro = Histogram.from_counts(*counts, weights=1 / plain.num_tasks)
        histograms |= {replace(tasks, aggregation=aggregation): macro for aggregation in MACROS}
        histograms |= {replace(tasks, relations=(name,)): plain for name in ("r", "s")}
    return {
        "datasets": pa.Table.from_pylist(described, schema=schema_of("datasets")),
        **tabulate(histograms),
    }


# ---- the hash of the content ---------------------------------------------------------------------

VALUE = st.one_of(st.integers(-3, 3), st.none())
FRAME = st.lists(
    st.tuples(
        st.none() | st.sampled_from(["", "a", "b", "a\tb", "None", "'a'", "é", "a\n"]),
        VALUE,
        st.none() | st.sampled_from([0.0, -0.0, 1.0, 0.1, 0.1 + 2**-56, 1e300, float("inf")]),
        st.none() | st.lists(st.sampled_from(["a", "b", "a', 'b"]), max_size=2),
    ),
    max_size=3,
)


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    types: dict[str, Any] = {
        "s": pa.string(),
        "i": pa.int64(),
        "f": pa.float64(),
        "l": pa.list_(pa.string()),
    }
    records = [dict(zip(types, row, strict=True)) for row in rows]
    return pa.Table.from_pylist(records, schema=pa.schema([*types.items()]))


@given(one=FRAME, other=FRAME)
def test_content_hash_tells_tables_apart(
    one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]
) -> None:
    # repr tells -0.0 from 0.0, which == does not.
    assert (hash_content(table_of(one)) == hash_content(table_of(other))) == (
        repr(one) == repr(other)
    )


@given(rows=FRAME.filter(lambda rows: len(rows) > 1))
def test_content_hash_does_not_depend_on_storage(rows: list[tuple[Any, ...]]) -> None:
    table = table_of(rows)
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="none", use_dictionary=False, row_group_size=1)
    stored = pq.read_table(pa.BufferReader(sink.getvalue()))
    assert {*map(hash_content, (table, chunked, stored))} == {hash_lines(lines_of(table))}


def test_content_hash_of_a_known_table() -> None:
    # Written out by hand: this form is a promise that later versions keep.
    table = pa.table({"name": ["a", None], "value": [0.1, 2.0], "count": [1, None]})
    text = "name\tvalue\tcount\n'a'\t0.1\t1\nNone\t2.0\tNone"
    assert hash_content(table) == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert hash_content(table.rename_columns(["a", "b", "c"])) != hash_content(table)


# ---- the set -------------------------------------------------------------------------------------


def test_written_set_loads(tmp_path: Path) -> None:
    tables, folder = make_tables("one", "own"), tmp_path / "deep" / "set"
    origins = {"own": {"origin": "files"}, "one": {"origin": "archive", "reason": "é"}}
    write_tables(folder, "3.2.1", tables, origins)
    assert read_set(folder) == ("3.2.1", tables)
    files = {"datapackage.json", *(f"{name}.parquet" for name in COLUMNS)}
    assert {path.name for path in folder.iterdir()} == files
    descriptor = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert [resource["name"] for resource in descriptor["resources"]] == list(COLUMNS)
    kinds = {"string": "string", "int64": "integer", "double": "number", "bool": "boolean"}
    for resource in descriptor["resources"]:
        content, table = (folder / resource["path"]).read_bytes(), tables[resource["name"]]
        assert (resource["bytes"], resource["rows"]) == (len(content), len(table))
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert "contentHash" not in resource  # until a release
        fields = [(field.name, kinds.get(str(field.type), "array")) for field in table.schema]
        assert [(field["name"], field["type"]) for field in resource["schema"]["fields"]] == fields
    assert descriptor["sources"] == [
        {"title": "title of one é", "path": "https://example.invalid/one"}
    ]
    assert descriptor["provenance"] == [{"dataset": key, **origins[key]} for key in sorted(origins)]


@functools.cache
def make_one(key: str, size: int) -> Part:
    return make_part(make_tables(key, size=size), {"origin": key})


@pytest.mark.slow
@given(order=st.permutations("abcd"), fewest=st.integers(1, 90))
@settings(max_examples=choose(3, 8))
def test_order_of_building_does_not_matter(order: list[str], fewest: int) -> None:
    """A graph that joins others, or takes the place of an earlier one, is written as all at once."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(package, "_FEWEST", fewest)
        whole, merged = Path(folder, "whole"), Path(folder, "merged")
        write_parts(whole, None, {key: make_one(key, 5) for key in order})
        write_parts(merged, None, {order[1]: make_one(order[1], 6)})
        for key in order:
            write_parts(merged, open_build(merged), {key: make_one(key, 5)})
        assert {path.name: path.read_bytes() for path in whole.iterdir()} == {
            path.name: path.read_bytes() for path in merged.iterdir()
        }


# ---- exchange ------------------------------------------------------------------------------------


def read_set(folder: Path) -> tuple[str, Tables]:
    loaded = rankconst.load(folder)
    return loaded.version, {name: loaded.read(name) for name in COLUMNS}


def test_processes_take_turns(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="this system has no locks on folders")
    out, said, order = tmp_path / "deep" / "out", io.StringIO(), list[str]()
    reporter = Reporter(Console(file=said))

    def write(name: str, content: str) -> None:
        with hold_folder(out, reporter):
            order.append(name)
            if content:
                (out / name).write_text(content, encoding="utf-8")

    with hold_folder(out, reporter):
        other = threading.Thread(target=write, args=("second", "two"))
        other.start()
        while "waiting" not in said.getvalue():
            time.sleep(0.001)
        order.append("first")
    # The folder that was made for nothing went, and the one who waited made it anew.
    other.join()
    assert order == ["first", "second"]
    assert (out / "second").read_text(encoding="utf-8") == "two"
    with hold_folder(tmp_path / "not" / "needed", reporter):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


@pytest.mark.parametrize("locks", ["no system", "no file system"])
def test_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: str) -> None:
    def refuse(*_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    if locks == "no system":
        monkeypatch.setitem(sys.modules, "fcntl", None)  # as on Windows
    else:
        fcntl = pytest.importorskip("fcntl", reason="this system has no locks on folders")
        monkeypatch.setattr(fcntl, "flock", refuse)
    reporter = Reporter(Console(file=io.StringIO()))
    with hold_folder(tmp_path / "out", reporter), hold_folder(tmp_path / "out", reporter):
        (tmp_path / "out" / "file").touch()
    said = " ".join(reporter.console.file.getvalue().split())  # type: ignore[attr-defined]  # a StringIO
    assert ("without locks: let no other process write to it" in said) == (
        locks == "no file system"
    )
    with hold_folder(tmp_path / "not" / "needed", reporter):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
