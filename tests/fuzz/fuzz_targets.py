"""What is fuzzed: one small function of bytes for each reader, from which only a RankconstError may
come out.
"""

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NoReturn
from unittest import mock

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq

import rankconst
from rankconst.catalogue import mentions, protocols
from rankconst.catalogue.baselines import parse_baseline
from rankconst.catalogue.benchmarks import DELIMITERS, LineFormat, find_benchmark, make_key
from rankconst.catalogue.metrics import parse_adjusted_metric, parse_metric
from rankconst.catalogue.protocols import parse_aggregation
from rankconst.catalogue.tools import parse_tool
from rankconst.cli.run import prepare, run
from rankconst.cli.words import find_call
from rankconst.errors import DataError, DownloadError, RankconstError, UsageError
from rankconst.listing import Format
from rankconst.results.document import open_document
from rankconst.results.formats import read_opened
from rankconst.results.labels import read_label
from rankconst.results.rewrite import parse_exchange
from rankconst.tables.archive import Tables
from rankconst.tables.counts_file import read_counts
from rankconst.tables.descriptor import COLUMNS
from rankconst.tables.location import find_location
from rankconst_builder import fetch, triples
from rankconst_builder.columnar import Columns, encode_ids, encode_text, open_columns
from rankconst_builder.facts import describe_graph
from rankconst_builder.graph import encode_labels
from rankconst_builder.own_files import read_own

TARGETS: dict[str, Callable[[bytes], None]] = {}
"""Name of a target to its function; the first byte of an input chooses among the options that the
reader has.
"""


def _target(function: Callable[[bytes], None]) -> Callable[[bytes], None]:
    TARGETS[function.__name__] = function
    return function


@cache
def _room() -> Path:
    """Return a folder for what is read by its name, in memory where the system has that."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own is made there
    return Path(tempfile.mkdtemp(prefix="rankconst-fuzz-", dir=memory if memory.is_dir() else None))


def clean() -> None:
    """Remove the files that the targets wrote."""
    shutil.rmtree(_room(), ignore_errors=True)
    _room.cache_clear()


def _put(name: str, content: bytes) -> Path:
    path = _room() / name
    path.write_bytes(content)
    return path


# Results files.

_DECIMALS = (None, None, "comma", "point")
_SHARES = (None, None, True, False)
_TOOLS = ("pykeen", "libkge", "ogb", "objects")
_TABLES = ("pykeen_csv", "pykeen_tracker", "pykeen_trials", "pykeen_runs", "libkge_csv")
_LOGS = (
    *("libkge_log", "rotate", "openke", "openke_torch", "dglke", "torchkge", "nbfnet", "grail", "pyg", "kbc"),
    *("conve", "generic"),
)  # fmt: skip


def _read(data: bytes, suffix: str, *forms: str | None) -> None:
    option = data[0] if data else 0
    document = open_document(
        _put(f"a{suffix}", data[1:]), _DECIMALS[option >> 4 & 3], _SHARES[option >> 6]
    )
    read_opened(document, forms[option % 16 % len(forms)])


def _make_reader(name: str, suffix: str, *forms: str | None) -> None:
    TARGETS[name] = lambda data: _read(data, suffix, *forms)


_make_reader("csv", ".csv", "csv", None, *_TABLES)
_make_reader("markdown", ".md", "markdown", None)
_make_reader("html", ".html", "markdown", None)
_make_reader("latex", ".tex", "latex", None)
_make_reader("text", ".txt", "text", None)
_make_reader("structured", ".json", None, *_TOOLS)
_make_reader("yaml", ".yaml", None, *_TOOLS)
_make_reader("logs", ".log", None, *_LOGS)


@cache
def list_parts() -> dict[str, bytes]:
    """Return the parts of a small workbook."""
    from openpyxl import Workbook

    book, packed = Workbook(), io.BytesIO()
    for row in (
        ("model", "dataset", "MRR", "Hits@10"),
        ("A", "nations", 0.5, "=C2*2"),
        ("B", "nations", 0.25, "53%"),
    ):
        book.active.append(row)
    book.save(packed)
    with zipfile.ZipFile(packed) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@_target
def workbook(data: bytes) -> None:
    """A workbook of which one part is the input; or the input is all of it."""
    parts = dict(list_parts())
    place = data[0] % (len(parts) + 1) if data else 0
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for i, (name, content) in enumerate(parts.items()):
            archive.writestr(name, data[1:] if i == place else content)
    _put("a.xlsx", data[1:] if place == len(parts) else packed.getvalue())
    read_opened(open_document(_room() / "a.xlsx"))


@_target
def frame(data: bytes) -> None:
    """A DataFrame, with levels of columns and an index as the first byte says."""
    option = data[0] if data else 0
    header = [0, 1] if option & 1 else 0
    try:
        made = pd.read_csv(io.BytesIO(data[1:]), header=header, index_col=0 if option & 2 else None)
    except (ValueError, OverflowError, pd.errors.ParserError) as error:
        raise DataError("no frame") from error
    made.attrs = {"title": str(made.columns[0])} if option & 4 and len(made.columns) else {}
    rankconst.adjust(made.astype(object) if option & 8 else made, dataset="nations")


@_target
def adjusting(data: bytes) -> None:
    """The whole way of a results file: read, adjusted and written in one of the formats, or
    rewritten.
    """
    choice = data[0] if data else 0
    path = _put(("a.csv", "a.md", "a.tex", "a.txt")[choice & 3], data[1:])
    form = [*Format, None, None][choice >> 2 & 7]
    option = f"--format={form}" if form else "--replace=index"
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.suppress(UsageError),
    ):
        call = find_call(["adjust", str(path), "--dataset=nations", option])
        assert call is not None
        call()


# Graphs.

_LINES = (
    LineFormat(),
    LineFormat(columns="htr", count_line=True, delimiter=" "),
    LineFormat(columns="hrt-", delimiter=",", quoted=True, header=True),
    LineFormat(columns="hrtd"),
    LineFormat(columns="hrtq", delimiter=","),
    LineFormat(delimiter="|", padded=True),
)


@_target
def graph(data: bytes) -> None:
    """A file of triples, packed or not."""
    option = data[0] if data else 0
    found = fetch.read_local(_put("a.txt", data[1:]))
    with contextlib.suppress(RankconstError):
        triples.read_stat(found.data, "a.txt")
    labels = triples.read_triples(found.data, _LINES[option % len(_LINES)], "a.txt")
    assert len(labels) == len(labels.relation) == len(labels.tail)


@_target
def columns(data: bytes) -> None:
    """A file of ids or of labels in columns; plain text is what text is that is read with
    care.
    """
    path = _put("a.bin", data)
    found = open_columns(path)
    if found is None:
        raise DataError("as text")
    graph = encode_ids({"train": found}, 0) or encode_text({"train": found})
    if isinstance(found, Columns):
        assert graph is not None or len(found.read_labels()) == found.rows
    elif graph is not None:
        labels, *_ = read_own({"train": fetch.read_local(path).data}, {"train": "a"})
        assert describe_graph(graph) == describe_graph(encode_labels(labels))


@_target
def archive(data: bytes) -> None:
    """An archive of a benchmark, or of tables."""
    name = ("a.zip", "a.tar", "a.tar.gz", "a.tgz")[data[0] % 4 if data else 0]
    path = _put(name, data[1:])
    if name == "a.zip":
        with contextlib.suppress(RankconstError):
            find_location(path)
    fetch._read_member(path, "d/train.txt", 1000)


# Sets of tables.


@cache
def list_tables() -> dict[str, bytes]:
    """Return the carried tables of one dataset, a few rows of each."""
    found = {}
    for name in COLUMNS:
        stream, table = io.BytesIO(), rankconst.load().read(name, "nations")
        if "split" in table.column_names:
            table = table.filter(
                (pc.field("split") == "test") & (pc.field("protocol") == "standard")
            )
        pq.write_table(table.slice(0, 40), stream, compression="none")
        found[name] = stream.getvalue()
    return found


def describe_tables(files: dict[str, bytes]) -> bytes:
    """Return a descriptor with the right hashes."""
    resources = [
        {
            "name": name,
            "path": f"{name}.parquet",
            "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        }
        for name, content in files.items()
    ]
    described = {"version": "2.0.0", "resources": resources, "provenance": [{"dataset": "nations"}]}
    return json.dumps(described).encode()


def _use(tables: Tables, protocol: str = "standard") -> None:
    for name in COLUMNS:
        tables.read(name)
    for dataset in list(tables.datasets)[:2]:
        for metric in ("mrr", "hits@7"):
            tables.constants(dataset, metric, protocol=protocol).adjust("1.0")


def _write_tables(files: dict[str, bytes], descriptor: bytes) -> Path:
    folder = _room() / "set"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.parquet").write_bytes(content)
    (folder / "datapackage.json").write_bytes(descriptor)
    return folder


@_target
def tables(data: bytes) -> None:
    """A set in which one table is the input."""
    name = list(COLUMNS)[data[0] % len(COLUMNS) if data else 0]
    files = {**list_tables(), name: data[1:]}
    _use(rankconst.load(_write_tables(files, describe_tables(files))))


@_target
def descriptor(data: bytes) -> None:
    """A set with the input as its descriptor."""
    _use(rankconst.load(_write_tables(list_tables(), data)))


@_target
def counts(data: bytes) -> None:
    """A file of candidate counts."""
    _use(read_counts(_put("a.csv", data)), protocols.OWN_COUNTS.key)


# Places, values, names, arguments.


def _refuse(address: str, *_: object, **__: object) -> NoReturn:
    raise DownloadError(f"{address} is not asked for while fuzzing.")


@contextlib.contextmanager
def _offline() -> Iterator[None]:
    """Let nothing reach a network, nor the files of the user."""
    with (
        mock.patch("rankconst.download.download", _refuse),
        mock.patch("rankconst_builder.fetch.download", _refuse),
        mock.patch("pooch.downloaders.doi_to_repository", _refuse),
        mock.patch("socket.socket.connect", _refuse),
        mock.patch.dict(os.environ, {"RANKCONST_CACHE": str(_room() / "cache")}),
    ):
        yield


def _decode(data: bytes) -> str:
    """Return text as the command line has it: bytes that are no UTF-8 are halves of surrogate
    pairs.
    """
    return data.decode("utf-8", "surrogateescape")


@_target
def locations(data: bytes) -> None:
    """A place where tables are said to be."""
    text = _decode(data)
    with _offline():
        find_location(text)


_PARSERS: tuple[Callable[[str], object], ...] = (
    parse_metric,
    parse_adjusted_metric,
    parse_exchange,
    read_label,
    protocols.parse_protocol,
    protocols.parse_split,
    protocols.parse_side,
    parse_aggregation,
    parse_baseline,
    parse_tool,
    find_benchmark,
    make_key,
    mentions.find_mentions,
    mentions.names_known,
    mentions.is_inductive,
    lambda text: rankconst.load().resolve_dataset(text),
    lambda text: LineFormat(columns=text),
    DELIMITERS.get,
)


@_target
def names(data: bytes) -> None:
    """A name of a metric, a protocol, a dataset, and all others: each parser is asked."""
    text = _decode(data)
    for parse in _PARSERS:
        try:
            parse(text)
        except RankconstError as error:
            assert len(str(error)) < 2000, error


_COMMANDS = ("adjust", "compare", "check", "show")
_WRITES = re.compile(r"-\w*o|--o|--f")


@_target
def arguments(data: bytes) -> None:
    """The arguments of a command, one a line; of the commands that write nothing."""
    command = _COMMANDS[data[0] % len(_COMMANDS) if data else 0]
    given = [line for line in _decode(data[1:]).split("\n") if "\0" not in line]
    if any(_WRITES.match(line) for line in given):
        return
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace") for _ in range(2)
    )
    with contextlib.ExitStack() as stack:
        stack.enter_context(_offline())
        stack.enter_context(mock.patch.object(sys, "argv", ["rankconst", command, *given]))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(contextlib.suppress(SystemExit))
        run(prepare(), [])


def check(name: str, data: bytes) -> bool:
    """Run a target; True if its input was accepted, False for an error of the project."""
    try:
        TARGETS[name](data)
    except RankconstError:
        return False
    return True
