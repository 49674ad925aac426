"""Triples in columns: however a graph is written, its tables are the same, and what is wrong with a file is said."""

from __future__ import annotations

import errno
import itertools
import os
import random
import re
import tempfile
import time
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from brute import ORDER, count_brute_force
from cases import mark_rest
from graphs import STATIC, Row
from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DataError
from rankconst_builder import text
from rankconst_builder.columns import MEMORY, Columns, encode_ids, encode_text, open_columns
from rankconst_builder.fetch import read_local
from rankconst_builder.graph import Graph, encode_labels
from rankconst_builder.layout import read_own
from rankconst_builder.statistics import describe_graph
from rankconst_builder.tallies import count_histograms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rankconst.tasks import Histogram

Files = dict[str, list[Row]]
PROTOCOLS = [*STATIC.values()]


def draw(seed: int = 0) -> Files:
    """Draw a graph with repetitions, overlaps, loops, and entities that train has not."""
    generator = random.Random(seed)  # noqa: S311 - test data
    # Ids with gaps, one of more than eight digits.
    entities = [3, 4, 7, 8, 11, 12, 100, 300_000_000 if seed else 250, *range(300, 330)]
    relations = [0, 2, 5, 17]
    sizes = {"train": (30, 3, 160), "valid": (38, 4, 40), "test": (38, 4, 40)}
    return {
        split: [
            (generator.choice(entities[:most]), generator.choice(relations[:kinds]), generator.choice(entities[:most]))
            for _ in range(number)
        ]
        for split, (most, kinds, number) in sizes.items()
    }


def write_text(folder: Path, rows: list[Row], split: str, entity: str = "Q", relation: str = "P") -> Path:
    path = folder / f"{split}.tsv"
    path.write_text("".join(f"{entity}{h}\t{relation}{r}\t{entity}{t}\n" for h, r, t in rows))
    return path


def write_parquet(folder: Path, rows: list[Row], split: str, kind: Any = None, **options: Any) -> Path:
    path = folder / f"{split}.parquet"
    names = ("head", "relation", "tail")
    table = pa.table({name: pa.array([row[place] for row in rows]) for place, name in enumerate(names)})
    table = table if kind is None else table.cast(pa.schema([(name, kind) for name in names]))
    pq.write_table(table, path, **{"row_group_size": 50, **options})
    return path


def write_folder(folder: Path, rows: list[Row], split: str) -> Path:
    home = folder / split / "nested"
    home.mkdir(parents=True)
    for place in range(2):
        write_parquet(home, rows[place::2], f"part-{place}")
    return folder / split


def write_numpy(folder: Path, rows: list[Row], split: str) -> Path:
    path = folder / f"{split}.npy"
    np.save(path, np.array(rows, dtype=">u8"))
    return path


def write_swapped(folder: Path, rows: list[Row], split: str) -> Path:
    path = folder / f"{split}.parquet"
    columns = [row[2] for row in rows], [1.5] * len(rows), [row[1] for row in rows], [row[0] for row in rows]
    put(path, *columns, names=("tail", "weight", "rel", "head"))
    return path


def write_labels(folder: Path, rows: list[Row], split: str) -> Path:
    path = write_parquet(folder, rows, split, pa.string())
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "head", table["head"].dictionary_encode()), path)
    return path


def write_numpy_by_columns(folder: Path, rows: list[Row], split: str) -> Path:
    path = folder / f"{split}.npy"
    np.save(path, np.asfortranarray(np.array(rows, dtype="<i4")))
    return path


WRITERS: dict[str, Callable[[Path, list[Row], str], Path]] = {
    "Q42": write_text,
    "mids": lambda folder, rows, split: write_text(folder, rows, split, "/m/", "/people/person/"),
    "names": lambda folder, rows, split: write_text(folder, rows, split, "Zoë, a name of many words ", "is "),
    "ids as text": lambda folder, rows, split: write_text(folder, rows, split, "", ""),
    "Parquet": write_parquet,
    "Parquet of int8": lambda folder, rows, split: write_parquet(folder, rows, split, pa.uint16()),
    "folder": write_folder,
    "numpy": write_numpy,
    "numpy by columns": write_numpy_by_columns,
    "other columns": write_swapped,
    "Parquet of labels": write_labels,
}


def open_all(paths: dict[str, Path]) -> dict[str, Columns]:
    found = {split: open_columns(path) for split, path in paths.items()}
    files = {split: columns for split, columns in found.items() if columns is not None}
    assert files.keys() == paths.keys()
    return files


def read_graph(paths: dict[str, Path], memory: int | None = None) -> Graph:
    """Read files as columns."""
    files = open_all(paths)
    graph = encode_ids(files, memory) or encode_text(files, memory)
    return encode_labels({split: each.read_labels() for split, each in files.items()}) if graph is None else graph


def read_labels(paths: dict[str, Path]) -> Graph:
    """Read files of text as labels."""
    contents = {split: read_local(path).data for split, path in paths.items()}
    return encode_labels(read_own(contents, {split: str(path) for split, path in paths.items()})[0])


def count(graph: Graph) -> dict[Any, Histogram]:
    found = count_histograms("mykg", graph, PROTOCOLS, ["counting", "inverse"], SPLITS)
    return {
        (
            tasks.protocol,
            tasks.split,
            tasks.side,
            tasks.aggregation,
            tasks.baseline,
            tasks.relations and re.sub(r"\D", "", tasks.relations[0]),
        ): one
        for tasks, one in found.items()
    }


@pytest.mark.parametrize(
    ("form", "memory"),
    mark_rest(itertools.product(WRITERS, [None, 0]), *zip(WRITERS, itertools.cycle([None, 0]), strict=False)),
)
def test_tables_do_not_depend_on_how_a_graph_is_written(tmp_path: Path, form: str, memory: int | None) -> None:
    files = draw()
    expected = read_labels({split: write_text(tmp_path, rows, f"plain-{split}") for split, rows in files.items()})
    graph = read_graph({split: WRITERS[form](tmp_path, rows, split) for split, rows in files.items()}, memory)
    assert bool(graph.splits["train"].mappings) is (memory == 0 and form != "Parquet of labels")
    assert describe_graph(graph) == describe_graph(expected)
    assert count(graph) == count(expected)
    for split in ORDER:
        loops = count_brute_force(files, STATIC["standard"], split)
        assert count(graph)["standard", split, "head", "micro", "uniform", ()].total == len(loops.head)


def test_ids_far_apart_are_labels(tmp_path: Path) -> None:
    files = draw(seed=1)
    paths = {split: write_text(tmp_path, rows, split) for split, rows in files.items()}
    expected = read_labels(paths)
    graph = read_graph({split: write_parquet(tmp_path, rows, split) for split, rows in files.items()})
    assert graph.num_entities == expected.num_entities
    assert count(graph) == count(expected)


def test_without_valid(tmp_path: Path) -> None:
    files = draw()
    graph = read_graph({split: write_parquet(tmp_path, files[split], split) for split in ("train", "test")})
    assert describe_graph(graph).rows == {"train": 160, "valid": 0, "test": 40}


@pytest.mark.parametrize("piece", [1, 20, 64])
@pytest.mark.parametrize("form", ["Q42", "mids"])
def test_pieces_of_text_do_not_matter(tmp_path: Path, piece: int, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {split: WRITERS[form](tmp_path, rows, split) for split, rows in draw().items()}
    paths["test"].write_bytes(paths["test"].read_bytes().removesuffix(b"\n"))
    monkeypatch.setattr(text, "PIECE", piece)
    files = open_all(paths)
    graph = encode_ids(files) or encode_text(files)
    assert graph is not None
    assert describe_graph(graph) == describe_graph(read_labels(paths))


PLAIN = {
    "another label": b"Q1\tP1\tBerlin\n",
    "a leading zero": b"Q1\tP1\tQ07\n",
    "another prefix": b"Q1\tP1\tX7\n",
    "a prefix alone": b"Q1\tP1\tQ\n",
    "no number": b"Q1\tP1\tQ7a9\n",
    "a number beyond all": b"Q1\tP1\tQ12345678901\n",
    "an id beyond 2^32": b"Q1\tP1\tQ4294967296\n",
    "a sign": b"Q1\tP1\tQ-7\n",
    "another script": "Q1\tP1\tQ٧\n".encode(),
}
OTHER = {
    "four columns": b"Q1\tP1\tQ7\t4\n",
    "two columns": b"Q1\tP1\n",
    "a blank line": b"\n",
    "no label": b"Q1\t\tQ7\n",
    "CR LF": b"Q1\tP1\tQ7\r\n",
    "a zero byte": b"Q1\tP1\tQ\0\n",
    "a long label": b"Q1\tP1\t" + b"Q" * 999 + b"\n",
}


@pytest.mark.parametrize("line", [*PLAIN.values(), *OTHER.values()], ids=[*PLAIN, *OTHER])
def test_text_of_other_labels_is_read_as_any_text(tmp_path: Path, line: bytes) -> None:
    paths = {split: write_text(tmp_path, rows, split) for split, rows in draw().items()}
    paths["valid"].write_bytes(paths["valid"].read_bytes() + line + b"Q1\tP1\tQ7\n")
    assert encode_ids(open_all(paths)) is None
    graph = encode_text(open_all(paths))
    assert (graph is not None) == (line in PLAIN.values())
    if graph is not None:
        assert describe_graph(graph) == describe_graph(read_labels(paths))


@pytest.mark.parametrize(
    "line", [b"head\trelation\ttail\n", b"0\t1\t2\n", b"\xef\xbb\xbfQ1\tP1\tQ2\n", b"Q1 P1 Q2\n", b"7\n", b""]
)
def test_text_that_needs_care_is_left_to_it(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(line + b"1\t2\t3\n" * 5 * bool(line))
    assert open_columns(path) is None
    path.write_bytes(b"Q1\tP1\tQ2\n")
    assert open_columns(path, "hrt") is None
    assert open_columns(path) is not None
    assert open_columns(tmp_path / "none.tsv") is None


@pytest.mark.parametrize("form", ["numpy", "numpy by columns"])
def test_an_array_that_is_cut_while_it_is_read(tmp_path: Path, form: str) -> None:
    path = WRITERS[form](tmp_path, draw()["train"], "train")
    opened = open_columns(path)
    assert opened is not None
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(DataError, match=r"train\.npy changed while it was read\. Build when it is whole\."):
        encode_ids({"train": opened})


@pytest.mark.parametrize("memory", [None, 0])
def test_text_that_grows_while_it_is_read(tmp_path: Path, memory: int | None) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(b"Q1\tP1\tQ2\n" * 9)
    opened = open_columns(path)
    assert opened is not None
    path.write_bytes(b"Q1\tP1\tQ2\n" * 99)
    for encode in (encode_ids, encode_text):
        with pytest.raises(DataError, match=r"train\.tsv changed while it was read"):
            encode({"train": opened}, memory)


def test_files_that_begin_alike_may_have_a_heading(tmp_path: Path) -> None:
    paths = {split: write_text(tmp_path, [(1, 0, 2), *rows], split) for split, rows in draw().items()}
    assert encode_ids(open_all(paths)) is encode_text(open_all(paths)) is None


def put(path: Path, *columns: Any, names: tuple[str, ...] = ("head", "relation", "tail")) -> Path:
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path)
    return path


IDS = [1, 2, 3]
FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a null": (lambda path: put(path, [1, None, 3], IDS, IDS), r"row 1: the head has no value; expected a label or"),
    "a null label": (lambda path: put(path, ["a"] * 3, ["r"] * 3, ["b", "c", None]), r"row 2: the tail has no value"),
    "an empty label": (lambda path: put(path, ["a"] * 3, ["r", "", "s"], ["b"] * 3), r"row 1: the relation is empty"),
    "no rows": (lambda path: put(path, *[pa.array([], pa.string())] * 3), r" is empty; expected a triple in each row"),
    "an array without rows": (lambda path: np.save(path.open("wb"), np.zeros((0, 3), np.int64)), r" is empty"),
    "a negative id": (
        lambda path: put(path, IDS, [0, 0, -4], IDS),
        r"row 2: the relation is -4; expected an id from 0 to",
    ),
    "an id beyond 2^32": (
        lambda path: put(path, IDS, IDS, [1, 2**32, 1]),
        r"row 1: the tail is 4,294,967,296; expected",
    ),
    "an id of 64 bits": (
        lambda path: put(path, IDS, IDS, pa.array([1, 2**64 - 1, 1], pa.uint64())),
        r"row 1: the tail is 18,446,744,073,709,551,615; expected an id",
    ),
    "numbers with a point": (
        lambda path: put(path, IDS, IDS, [1.0, 2.0, 3.0]),
        r"column 'tail' holds double; expected text",
    ),
    "lists": (lambda path: put(path, IDS, IDS, [[1], [2], [3]]), r"column 'tail' holds list<.*>; expected text"),
    "two columns": (
        lambda path: put(path, IDS, IDS, names=("a", "b")),
        r"has columns a, b; expected head, relation and tail",
    ),
    "four columns": (
        lambda path: put(path, IDS, IDS, IDS, IDS, names=("a", "b", "c", "d")),
        r"--columns, a letter for each, such as hrt-\.",
    ),
    "nothing but a beginning": (
        lambda path: path.write_bytes(b"PAR1"),
        r"is cut off or damaged: .*Get the file again\.",
    ),
    "half an array": (lambda path: path.write_bytes(b"\x93NUMPY\x01\x00"), r"is cut off or damaged"),
    "an array of objects": (
        lambda path: np.save(path.open("wb"), np.array([[1, "a", 2]], dtype=object), allow_pickle=True),
        r"is cut off or damaged: .*Python objects",
    ),
    "an array of floats": (
        lambda path: np.save(path.open("wb"), np.ones((3, 3))),
        r"is an array of float64 of shape \(3, 3\)",
    ),
    "an array of two columns": (
        lambda path: np.save(path.open("wb"), np.ones((3, 2), dtype=int)),
        r"is an array of int64 of shape \(3, 2\); expected whole numbers in 3 columns \(hrt\)",
    ),
    "a negative id in an array": (
        lambda path: np.save(path.open("wb"), np.array([[1, 0, 2], [1, 0, -2]])),
        r"row 1: the tail is -2; expected an id",
    ),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, fault: str) -> None:
    write, told = FAULTS[fault]
    path = tmp_path / "train"
    write(path)
    with pytest.raises(DataError, match=rf"^{path}.*{told}"):
        read_graph({"train": path, "test": write_parquet(tmp_path, [(1, 1, 1)], "test")})


def test_parquet_cut_anywhere(tmp_path: Path) -> None:
    whole = write_parquet(tmp_path, draw()["train"], "train").read_bytes()
    path, test = tmp_path / "train.parquet", write_parquet(tmp_path, [(3, 0, 4)], "test")
    for place in range(4, len(whole), 97):
        # As long as before, too: only the content of some pages is lost.
        for content in (whole[:place], whole[:place] + bytes(8) + whole[place + 8 :]):
            path.write_bytes(content)
            try:
                graph = read_graph({"train": path, "test": test})
            except DataError as error:
                assert str(path) in str(error)
            else:
                assert len(content) == len(whole)
                assert len(graph.splits["train"]) == 160


def test_folders(tmp_path: Path) -> None:
    home = tmp_path / "train"
    home.mkdir()
    with pytest.raises(DataError, match="it is a folder without Parquet files"):
        open_columns(home)
    put(home / "a.parquet", IDS, IDS, IDS)
    put(home / "b.parquet", IDS, IDS, ["x", "y", "z"])
    with pytest.raises(DataError, match=r"b\.parquet has other columns than .*a\.parquet; expected the same in all"):
        open_columns(home)


def test_names_of_columns_in_another_order(tmp_path: Path) -> None:
    path = put(tmp_path / "train", [1, 2], [5, 6], [7, 8], names=("source", "target", "kind"))
    with pytest.raises(DataError, match="has columns source, target, kind; expected head, relation and tail"):
        open_columns(path)
    assert open_columns(path, "htr") is not None
    assert open_columns(put(tmp_path / "test", [1], [5], [7], names=("source", "kind", "x"))) is not None


def test_relations_with_large_numbers_cost_no_more(tmp_path: Path) -> None:
    path = tmp_path / "train"
    path.write_bytes(b"e0\tr16000000\te1\ne1\tr3\te0\n")
    columns = open_columns(path)
    assert columns is not None
    started = time.process_time()
    graph = encode_ids({"train": columns})
    assert graph is not None
    assert [graph.name_relation(code) for code in (3, 16_000_000)] == ["r3", "r16000000"]
    assert time.process_time() - started < 8  # 1; with a name of Python's for each number, 16


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = put(tmp_path / "train", [1, 2], [5, 6], [7, 8], [0, 0], names=("x", "y", "z", "w"))
    columns = open_columns(path, "th-r")
    assert columns is not None
    (batch,) = columns.read_ids()
    assert [part.tolist() for part in batch] == [[5, 6], [0, 0], [1, 2]]
    with pytest.raises(DataError, match=r"has 4 columns \(x, y, z, w\), --columns hrt names 3"):
        open_columns(path, "hrt")
    timed = open_columns(path, "hrtd")
    assert timed is not None
    assert timed.prefixes is None
    assert [column.to_pylist() for column in timed.read_labels().time] == [[b"0", b"0"]]


class FullDisk:
    """A temporary file on a disk that is full after some bytes."""

    def __init__(self) -> None:
        self.closed, self._left = False, 100

    def write(self, content: Any) -> None:
        self._left -= len(content)
        if self._left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[FullDisk] = []

    def open_file() -> FullDisk:
        files.append(FullDisk())
        return files[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", open_file)
    paths = {split: write_parquet(tmp_path, rows, split) for split, rows in draw().items()}
    with pytest.raises(DataError, match=r"cannot write temporary files to .*: No space left on device\. Set TMPDIR"):
        read_graph(paths, memory=0)
    assert [file.closed for file in files] == [True] * 3
    assert describe_graph(read_graph(paths, MEMORY)).rows["train"] == 160
