"""Triples in columns: however a graph is written, its tables are the same, and what is wrong with a
file is said.
"""

import errno
import io
import itertools
import random
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cases import choose, for_each
from graphs import STATIC, Row
from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DataError
from rankconst.tasks import Histogram
from rankconst_builder import codes
from rankconst_builder.columnar import (
    MEMORY,
    Columns,
    TripleFile,
    encode_ids,
    encode_text,
    open_columns,
)
from rankconst_builder.facts import Statistics, describe_graph
from rankconst_builder.fetch import read_local
from rankconst_builder.graph import Graph, encode_labels
from rankconst_builder.own_files import read_own
from rankconst_builder.tallies import count_histograms

Files = dict[str, list[Row]]
PROTOCOLS = [*STATIC.values()]


def draw(seed: int = 0) -> Files:
    """Draw a graph with repetitions, overlaps, loops, and entities that train has not."""
    generator = random.Random(seed)  # noqa: S311 - test data
    # Ids with gaps, one of more than eight digits.
    entities = [3, 4, 7, 8, 11, 12, 100, 300_000_000 if seed else 250, *range(300, 330)]
    relations = [0, 2, 5, 17]
    found: Files = {}
    for split, most, kinds, number in (
        ("train", 30, 3, 160),
        ("valid", 38, 4, 40),
        ("test", 38, 4, 40),
    ):
        columns = (entities[:most], relations[:kinds], entities[:most])
        found[split] = [tuple(map(generator.choice, columns)) for _ in range(number)]
    return found


def write_text(
    folder: Path, rows: list[Row], split: str, entity: str = "Q", relation: str = "P"
) -> Path:
    path = folder / f"{split}.tsv"
    path.write_text("".join(f"{entity}{h}\t{relation}{r}\t{entity}{t}\n" for h, r, t in rows))
    return path


def write_parquet(
    folder: Path, rows: list[Row], split: str, kind: Any = None, **options: Any
) -> Path:
    path = folder / f"{split}.parquet"
    names = ["head", "relation", "tail"]
    columns: list[Any] = [pa.array(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, names)
    table = table if kind is None else table.cast(pa.schema([(name, kind) for name in names]))
    pq.write_table(table, path, **{"row_group_size": 50, **options})
    return path


def write_swapped(folder: Path, rows: list[Row], split: str) -> Path:
    head, relation, tail = zip(*rows, strict=True)
    columns = tail, [1.5] * len(rows), relation, head
    return put(folder / f"{split}.parquet", *columns, names=("tail", "weight", "rel", "head"))


def write_labels(folder: Path, rows: list[Row], split: str) -> Path:
    path = write_parquet(folder, rows, split, pa.string())
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "head", table["head"].dictionary_encode()), path)
    return path


def write_folder(folder: Path, rows: list[Row], split: str) -> Path:
    home = folder / split / "nested"
    home.mkdir(parents=True)
    for place in range(2):
        write_parquet(home, rows[place::2], f"part-{place}")
    return folder / split


def write_array(folder: Path, split: str, array: Any) -> Path:
    np.save(folder / f"{split}.npy", array)
    return folder / f"{split}.npy"


WRITERS: dict[str, Callable[[Path, list[Row], str], Path]] = {
    "Q42": write_text,
    "mids": lambda folder, rows, split: write_text(folder, rows, split, "/m/", "/people/person/"),
    "names": lambda folder, rows, split: write_text(folder, rows, split, "Zoë, a name of many words ", "is "),
    "ids as text": lambda folder, rows, split: write_text(folder, rows, split, "", ""),
    "Parquet": write_parquet,
    "Parquet of int8": lambda folder, rows, split: write_parquet(folder, rows, split, pa.uint16()),
    "folder": write_folder,
    "numpy": lambda folder, rows, split: write_array(folder, split, np.array(rows, dtype=">u8")),
    "numpy by columns": lambda folder, rows, split: write_array(folder, split, np.asfortranarray(rows, dtype="<i4")),
    "other columns": write_swapped,
    "Parquet of labels": write_labels,
}  # fmt: skip


def open_all(paths: dict[str, Path]) -> dict[str, TripleFile]:
    opened = {split: open_columns(path) for split, path in paths.items()}
    files = {split: file for split, file in opened.items() if file is not None}
    assert files.keys() == paths.keys()
    return files


def read_graph(paths: dict[str, Path], memory: int | None = None) -> Graph:
    """Read files as columns."""
    files = open_all(paths)
    graph = encode_ids(files, memory) or encode_text(files, memory)
    if graph is not None:
        return graph
    columns = {split: each for split, each in files.items() if isinstance(each, Columns)}
    return encode_labels({split: each.read_labels() for split, each in columns.items()})


def read_labels(paths: dict[str, Path]) -> Graph:
    """Read files of text as labels."""
    contents = {split: read_local(path).data for split, path in paths.items()}
    return encode_labels(read_own(contents, {split: str(path) for split, path in paths.items()})[0])


def count(graph: Graph) -> dict[Any, Histogram]:
    """Count all tasks; relations by the number in their label."""
    found, _ = count_histograms("mykg", graph, PROTOCOLS, ["counting", "frequency"], SPLITS)
    return {
        replace(tasks, relations=tuple(re.sub(r"\D", "", name) for name in tasks.relations)): one
        for tasks, one in found.items()
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Statistics, dict[Any, Histogram]]:
    """What there is to say and to count of the graph that most tests write, read as any text."""
    folder = tmp_path_factory.mktemp("plain")
    graph = read_labels({split: write_text(folder, rows, split) for split, rows in draw().items()})
    return describe_graph(graph), count(graph)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "memory"),
    choose(
        [*zip(WRITERS, itertools.cycle([None, 0]), strict=False)],
        [*itertools.product(WRITERS, [None, 0])],
    ),
)
def test_tables_do_not_depend_on_how_a_graph_is_written(
    tmp_path: Path, form: str, memory: int | None, expected: tuple[Statistics, dict[Any, Histogram]]
) -> None:
    graph = read_graph(
        {split: WRITERS[form](tmp_path, rows, split) for split, rows in draw().items()}, memory
    )
    assert bool(graph.splits["train"].mappings) is (memory == 0 and form != "Parquet of labels")
    assert (describe_graph(graph), count(graph)) == expected


@pytest.mark.parametrize(("piece", "form"), [(1, "Q42"), (20, "mids"), (64, "Q42")])
def test_pieces_of_text_do_not_matter(
    tmp_path: Path,
    piece: int,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
    expected: tuple[Statistics, Any],
) -> None:
    paths = {split: WRITERS[form](tmp_path, rows, split) for split, rows in draw().items()}
    paths["test"].write_bytes(paths["test"].read_bytes().removesuffix(b"\n"))
    monkeypatch.setattr(codes, "PIECE", piece)
    files = open_all(paths)
    graph = encode_ids(files) or encode_text(files)
    assert graph is not None
    assert describe_graph(graph) == expected[0]


# A word, and a digit of another script.
PLAIN = [b"Q1\tP1\tBerlin\n", "Q1\tP1\tQ٧\n".encode()]
# Four columns, two, none, an empty label, CR LF, a zero byte, a long label.
OTHER = [
    *(b"Q1\tP1\tQ7\t4\n", b"Q1\tP1\n", b"\n", b"Q1\t\tQ7\n", b"Q1\tP1\tQ7\r\n", b"Q1\tP1\tQ\0\n"),
    b"Q1\tP1\t" + b"Q" * 999 + b"\n",
]


@for_each("line", [*PLAIN, *OTHER])
def test_text_of_other_labels_is_read_as_any_text(tmp_path: Path, line: bytes) -> None:
    paths = {split: write_text(tmp_path, rows, split) for split, rows in draw().items()}
    paths["valid"].write_bytes(paths["valid"].read_bytes() + line + b"Q1\tP1\tQ7\n")
    assert encode_ids(open_all(paths)) is None
    graph = encode_text(open_all(paths))
    assert (graph is not None) == (line in PLAIN)
    if graph is not None:
        assert describe_graph(graph) == describe_graph(read_labels(paths))


def test_text_that_needs_care_is_left_to_it(tmp_path: Path) -> None:
    path, rows = tmp_path / "train.tsv", b"1\t2\t3\n" * 5
    first_lines = (
        b"head\trelation\ttail\n", b"0\t1\t2\n", b"\xef\xbb\xbfQ1\tP1\tQ2\n", b"Q1 P1 Q2\n", b"7\n",
    )  # fmt: skip
    for content in (*(line + rows for line in first_lines), b""):
        path.write_bytes(content)
        assert open_columns(path) is None
    path.write_bytes(b"Q1\tP1\tQ2\n")
    assert open_columns(path, "hrt") is None
    assert open_columns(path) is not None
    assert open_columns(tmp_path / "none.tsv") is None
    # Files that begin alike may have a heading.
    paths = {
        split: write_text(tmp_path, [(1, 0, 2), *rows], split) for split, rows in draw().items()
    }
    assert encode_ids(open_all(paths)) is encode_text(open_all(paths)) is None


@pytest.mark.parametrize("form", ["numpy", "numpy by columns", "Q42"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, form: str) -> None:
    """An array that is cut, and text that grows."""
    files = open_all({"train": WRITERS[form](tmp_path, draw()["train"], "train")})
    path = Path(files["train"].files[0])
    path.write_bytes(path.read_bytes() * 9 if form == "Q42" else path.read_bytes()[:500])
    encode = encode_text if form == "Q42" else encode_ids
    for memory in (None, 0):
        with pytest.raises(
            DataError, match=r"train\.\w+ changed while it was read\. Build when it is whole\."
        ):
            encode(files, memory)


def put(path: Path, *columns: Any, names: tuple[str, ...] = ("head", "relation", "tail")) -> Path:
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path)
    return path


IDS = [1, 2, 3]


def put_array(array: Any) -> Callable[[Path], object]:
    return lambda path: np.save(path.open("wb"), array, allow_pickle=True)


def put_tails(*tails: Any) -> Callable[[Path], object]:
    return lambda path: put(path, IDS, IDS, *tails)


FAULTS: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: put(path, [1, None, 3], IDS, IDS), r"row 1: the head has no value; expected a label or"),
    (lambda path: put(path, ["a"] * 3, ["r"] * 3, ["b", "c", None]), r"row 2: the tail has no value"),
    (lambda path: put(path, ["a"] * 3, ["r", "", "s"], ["b"] * 3), r"row 1: the relation is empty"),
    (lambda path: put(path, *[pa.array([], pa.string())] * 3), r" is empty; expected a triple in each row"),
    (lambda path: put(path, IDS, [0, 0, -4], IDS), r"row 2: the relation is -4; expected an id from 0 to"),
    (put_tails([1, 2**32, 1]), r"row 1: the tail is 4,294,967,296; expected"),
    (put_tails(pa.array([1, 2**64 - 1, 1], pa.uint64())), r"row 1: the tail is 18,446,744,073,709,551,615; expected"),
    (put_tails([1.0, 2.0, 3.0]), r"column 'tail' holds double; expected text"),
    (put_tails([[1], [2], [3]]), r"column 'tail' holds list<.*>; expected text"),
    (lambda path: put(path, IDS, IDS, names=("a", "b")), r"has columns a, b; expected head, relation and tail"),
    (lambda path: put(path, *[IDS] * 4, names=tuple("abcd")), r"--columns, a letter for each, such as hrt-\."),
    (lambda path: path.write_bytes(b"PAR1"), r"is cut off or damaged: .*Get the file again\."),
    (lambda path: path.write_bytes(b"\x93NUMPY\x01\x00"), r"is cut off or damaged"),
    (put_array(np.zeros((0, 3), np.int64)), r" is empty"),
    (put_array(np.array([[1, "a", 2]], dtype=object)), r"holds Python objects; expected whole numbers"),
    (put_array(np.ones((3, 3))), r"is an array of float64 of shape \(3, 3\)"),
    (put_array(np.ones((3, 2), dtype=int)), r"of int64 of shape \(3, 2\); expected .* 3 columns \(hrt\)"),
    (put_array(np.array([[1, 0, 2], [1, 0, -2]])), r"row 1: the tail is -2; expected an id"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@for_each(("write", "told"), FAULTS)
def test_what_is_wrong_with_a_file_is_said(
    tmp_path: Path, write: Callable[[Path], object], told: str
) -> None:
    path = tmp_path / "train"
    write(path)
    with pytest.raises(DataError, match=rf"^{path}.*{told}"):
        read_graph({"train": path, "test": write_parquet(tmp_path, [(1, 1, 1)], "test")})


def test_parquet_cut_anywhere(tmp_path: Path) -> None:
    path = write_parquet(tmp_path, draw()["train"], "train")
    test = write_parquet(tmp_path, [(3, 0, 4)], "test")
    whole = path.read_bytes()
    for place in range(4, len(whole), 97):
        # As long as before, too: only the content of some pages is lost.
        for content in (whole[:place], whole[:place] + bytes(8) + whole[place + 8 :]):
            path.write_bytes(content)
            try:
                graph = read_graph({"train": path, "test": test})
            except DataError as error:
                assert str(path) in str(error)
            else:
                assert (len(content), len(graph.splits["train"])) == (len(whole), 160)


def test_ids_far_apart_are_labels(tmp_path: Path) -> None:
    files = draw(seed=1)
    expected = read_labels(
        {split: write_text(tmp_path, rows, split) for split, rows in files.items()}
    )
    graph = read_graph(
        {split: write_parquet(tmp_path, rows, split) for split, rows in files.items()}
    )
    assert (graph.num_entities, graph.gaps) == (expected.num_entities, False)


def test_folders(tmp_path: Path) -> None:
    home = tmp_path / "train"
    home.mkdir()
    with pytest.raises(DataError, match="it is a folder without Parquet files"):
        open_columns(home)
    for name, tails in (("a", IDS), ("b", ["x", "y", "z"])):
        put(home / f"{name}.parquet", IDS, IDS, tails)
    with pytest.raises(
        DataError, match=r"b\.parquet has other columns than .*a\.parquet; expected the same in all"
    ):
        open_columns(home)


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = put(tmp_path / "train", [1, 2], [5, 6], [7, 8], [0, 0], names=("x", "y", "z", "w"))
    columns, timed = open_columns(path, "th-r"), open_columns(path, "hrtd")
    assert isinstance(columns, Columns)
    assert not columns.shows_order
    named = open_columns(write_parquet(tmp_path, [(1, 0, 2)], "named"))
    assert named is not None
    assert named.shows_order
    (batch,) = columns.read_ids()
    assert [part.tolist() for part in batch] == [[5, 6], [0, 0], [1, 2]]
    assert isinstance(timed, Columns)
    assert not timed.is_ids
    assert [column.to_pylist() for column in timed.read_labels().time] == [[b"0", b"0"]]
    with pytest.raises(DataError, match=r"has 4 columns \(x, y, z, w\), --columns hrt names 3"):
        open_columns(path, "hrt")
    other = put(tmp_path / "test", [1, 2], [5, 6], [7, 8], names=("source", "target", "kind"))
    with pytest.raises(
        DataError, match="has columns source, target, kind; expected head, relation and tail"
    ):
        open_columns(other)
    assert open_columns(other, "htr") is not None


class FullDisk(io.BytesIO):
    """A temporary file on a disk that is full after some bytes."""

    def write(self, content: Any) -> int:
        if self.tell() + len(content) > 100:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(content)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [FullDisk() for _ in range(3)]
    monkeypatch.setattr(tempfile, "TemporaryFile", iter(files).__next__)
    paths = {split: write_parquet(tmp_path, rows, split) for split, rows in draw().items()}
    with pytest.raises(
        DataError, match=r"cannot write temporary files to .*: No space left on device\. Set TMPDIR"
    ):
        read_graph(paths, memory=0)
    assert all(file.closed for file in files)
    assert describe_graph(read_graph(paths, MEMORY)).rows["train"] == 160
