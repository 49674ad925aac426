"""Files of triples that are read a piece at a time: Parquet, numpy arrays of ids, plain text."""

from __future__ import annotations

import hashlib
import mmap
import os
import tempfile
import tokenize
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import quote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow.fs import FileSelector, FileSystem, FileType, LocalFileSystem

from rankconst.arrow import view_numbers
from rankconst.catalogue.protocols import SPLITS
from rankconst.download import hide_login
from rankconst.errors import DataError, explain_write_errors, first_line
from rankconst_builder import fetch
from rankconst_builder.codes import NO_TRIPLES, Coder, NotPlainError, Triples, code_text
from rankconst_builder.fetch import Content, explain_damage
from rankconst_builder.graph import Graph
from rankconst_builder.own_files import begin_alike, is_plain, name_columns, order_columns
from rankconst_builder.triples import NAMES, Labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst_builder.codes import Codes

    Batch = list[Any]  # Arrow or numpy arrays of head, relation and tail, then of times

MEMORY = 2 << 30
"""Bytes that the ids of a graph may take before they go to temporary files."""

_BYTES = 12  # of a triple of ids
_CHANGED = "changed while it was read. Build when it is whole."
_EMPTY = "{} is empty; expected a triple in each row. Name a file with triples, or leave it out."
_ROWS = 1 << 20  # that are read in one go: 24 MB of ids of 64 bits
_MOST_IDS = 1 << 32  # ids are kept in 32 bits
_DENSE = 1 << 24  # A mask has an entry for each number below this, even if few of them are ids.

DAMAGE = (pa.ArrowException, *fetch.DAMAGE)
"""The errors that readers of damaged files raise."""


@dataclass(frozen=True)
class TripleFile:
    """A file of triples, or a folder of such files, that is read a piece at a time."""

    path: Path | str  # or the URL of a folder, as messages show it
    rows: int  # or fewer
    files: Sequence[Path | str]

    @property
    def shows_order(self) -> bool:
        """Whether the names of columns say which is the head, the relation and the tail."""
        return False

    def describe(self, hashes: Iterable[str] | None = None) -> Content:
        """Return the hash of the file, or that of the hashes of several files, without bytes."""
        digests = [hash_file(file) for file in self.files] if hashes is None else [*hashes]
        digest = digests[0]
        if len(digests) > 1:
            digest = hashlib.sha256("\n".join(digests).encode()).hexdigest()
        return Content(b"", digest, verified=False)


class PlainText(TripleFile):
    """Text that begins with a plain triple, and is encoded while it is read."""


@dataclass(frozen=True)
class Columns(TripleFile):
    """A file in columns: Parquet, or a numpy array."""

    order: str  # the letter of each column that is read: hrt, and d for each column of the time
    read: Callable[[], Iterator[Batch]]
    is_ids: bool  # True for triples of whole numbers
    names: tuple[str, ...] = ()  # of the columns of Parquet that are read
    unread: tuple[str, ...] = ()  # the names of its other columns

    @property
    def shows_order(self) -> bool:
        """Whether the names of columns say which is the head, the relation and the tail."""
        return name_columns(self.names) is not None

    def read_labels(self) -> Labels:
        """Return the triples as labels, with ids as digits; DataError for a missing label."""
        chunks: list[list[Any]] = [[] for _ in self.order]
        row = 0
        for batch in self.read():
            for letter, column, coded in zip(self.order, batch, chunks, strict=True):
                try:
                    coded.append(self._encode(column, letter, row))
                except pa.ArrowException as error:
                    raise explain_damage(self.path, error) from error
            row += len(batch[0])

        kind: Any = pa.dictionary(pa.int32(), pa.binary())
        head, relation, tail, *time = (pa.chunked_array(arrays, kind) for arrays in chunks)
        return Labels(head, relation, tail, tuple(time))

    def _encode(self, column: Any, letter: str, row: int) -> Any:
        """Return a part of a column, from `row` on, as dictionary-encoded labels."""
        labels = pa.array(column) if isinstance(column, np.ndarray) else column
        self._refuse_nulls(labels, letter, row)
        if not pa.types.is_binary(labels.type):
            labels = labels.cast(pa.string()).cast(pa.binary())

        empty = pc.index(labels, b"").as_py()
        if empty >= 0:
            raise DataError(
                f"{self.path}, row {row + empty:,}: the {NAMES[letter]} is empty; expected a label."
            )
        return labels.dictionary_encode()

    def _refuse_nulls(self, array: Any, letter: str, row: int) -> None:
        if array.null_count:
            wrong = row + pc.index(array.is_null(), True).as_py()
            raise DataError(
                f"{self.path}, row {wrong:,}: the {NAMES[letter]} has no value; "
                "expected a label or an id in every row."
            )

    def read_ids(self) -> Iterator[list[NDArray[Any]]]:
        """Yield ids as numbers, checked to be from 0 to 2^32 - 1."""
        row = 0
        for batch in self.read():
            columns = []
            for letter, column in zip(self.order, batch, strict=True):
                ids = column
                if not isinstance(column, np.ndarray):
                    self._refuse_nulls(column, letter, row)
                    ids = view_numbers(column)

                if ids.size and (ids.min() < 0 or ids.max() >= _MOST_IDS):
                    wrong = int(np.argmax((ids < 0) | (ids >= _MOST_IDS)))
                    raise DataError(
                        f"{self.path}, row {row + wrong:,}: the {NAMES[letter]} "
                        f"is {int(ids[wrong]):,}; expected an id from 0 to {_MOST_IDS - 1:,}. "
                        "Ids best count from 0 without gaps."
                    )
                columns.append(ids)

            row += len(batch[0])
            yield columns


def hash_file(file: Path | str) -> str:
    """Return the SHA-256 of a local or remote file."""
    filesystem, path = _find_filesystem(file)
    stream: Any = filesystem.open_input_stream(path)
    with stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def state_file(file: Path | str) -> tuple[int | None, ...]:
    """Return a value that changes when a local or remote file changes or disappears."""
    try:
        filesystem, path = _find_filesystem(file)
        info = filesystem.get_file_info(path)
    except DAMAGE:
        return ()
    return info.size, info.mtime_ns


def open_parquet(file: Path | str) -> pq.ParquetFile:
    """Open a local or remote Parquet file."""
    filesystem, path = _find_filesystem(file)
    return pq.ParquetFile(path, pre_buffer=False, filesystem=filesystem)


def _find_filesystem(file: Path | str) -> tuple[FileSystem, str]:
    """Return the file system of a path or a URL, and the path there."""
    if isinstance(file, Path):
        return LocalFileSystem(), str(file)
    return FileSystem.from_uri(file)


def open_url(url: str, order: str | None = None) -> Columns:
    """Open a Parquet file, or a folder of them, at a URL that pyarrow can read."""
    try:
        filesystem, path = FileSystem.from_uri(url)
        entries = [filesystem.get_file_info(path)]
        if entries[0].type == FileType.Directory:
            inside = filesystem.get_file_info(FileSelector(path, recursive=True))
            entries = [entry for entry in inside if entry.extension == "parquet"]
    except DAMAGE as error:
        raise DataError(
            f"cannot open {hide_login(url)}: {hide_login(first_line(error))[:200]}. "
            "Train can be at file://, s3://, gs://, abfs:// and hdfs://, as pyarrow reads them."
        ) from error

    paths = sorted(entry.path for entry in entries if entry.is_file)
    if not paths:
        raise DataError(
            f"cannot read {hide_login(url)}: no Parquet file was found there. "
            "Name one, or a folder of them."
        )

    parts = urlsplit(url)
    stem = parts.path.rstrip("/")
    files = [parts._replace(path=stem + quote(file[len(path) :])).geturl() for file in paths]
    return _open_parquet(hide_login(url), files, order)


def open_columns(path: Path, order: str | None = None) -> TripleFile | None:
    """Open a file or a folder of Parquet files to read piece by piece; None if it cannot be.

    Of a folder, its own files and those of the folders in it count. Raises DataError for a folder
    without Parquet files.
    """
    if path.is_dir():
        # No deeper: the folder may be a whole disk.
        paths = [*path.glob("*.parquet"), *path.glob("*/*.parquet")]
        files = sorted(file for file in paths if file.is_file())
        if not files:
            raise DataError(
                f"cannot read {path}: it is a folder without Parquet files. Name a file of triples."
            )
        return _open_parquet(path, files, order)

    if not path.is_file() or not os.access(path, os.R_OK):
        return None

    with path.open("rb") as stream:
        begin = stream.read(_BEGIN)

    for magic, opens in FORMATS.items():
        if begin.startswith(magic):
            return opens(path, [path], order)

    # Text that begins with a plain triple.
    line, end, _ = begin.partition(b"\n")
    if order is not None or not end or line.count(b"\t") != 2 or not is_plain(begin, str(path)):
        return None

    most_rows = path.stat().st_size // len("0\t0\t0\n") + 1  # of the shortest lines
    return PlainText(path, most_rows, [path])


_BEGIN = 1 << 12  # bytes that show how a file is written; a longer first line is not plain text


def _open_parquet(path: Path | str, files: Sequence[Path | str], order: str | None) -> Columns:
    """Open several Parquet files as one."""
    try:
        opened = [open_parquet(file) for file in files]
        schema = opened[0].schema_arrow
        letters = _list_columns(path, schema, order)
    except DataError:
        raise
    except DAMAGE as error:
        raise explain_damage(path, error) from error

    for file, parquet in zip(files, opened, strict=True):
        columns = parquet.schema_arrow
        if columns.names != schema.names or columns.types != schema.types:
            raise DataError(
                f"{file} has other columns than {files[0]}; "
                f"expected the same in all files of {path}."
            )

    rows = [parquet.metadata.num_rows for parquet in opened]
    if not any(rows):
        raise DataError(_EMPTY.format(path))

    def read() -> Iterator[Batch]:
        for file, parquet in zip(files, opened, strict=True):
            yield from _read_parquet(file, parquet, [*letters])

    parts = "".join(letters.values())
    is_whole = all(pa.types.is_integer(schema.field(name).type) for name in letters)
    is_ids = parts == "hrt" and is_whole
    return Columns(
        path=path,
        rows=max(sum(rows), 0),
        files=files,
        order=parts,
        read=read,
        is_ids=is_ids,
        names=tuple(letters),
        unread=tuple(name for name in schema.names if name not in letters),
    )


def _read_parquet(
    file: Path | str, opened: pq.ParquetFile, names: Sequence[str]
) -> Iterator[Batch]:
    """Yield the columns of a file, and refuse another number of rows than it states."""
    expected, rows = opened.metadata.num_rows, 0
    try:
        for batch in opened.iter_batches(_ROWS, columns=[*names], use_threads=False):
            rows += len(batch)
            if rows <= expected:
                yield [batch.column(name) for name in names]
    except DAMAGE as error:
        raise explain_damage(file, error) from error

    if rows != expected:
        raise DataError(f"{file} states {expected:,} rows and has {rows:,}. Get the file again.")


def _list_columns(path: Path | str, schema: pa.Schema, order: str | None) -> dict[str, str]:
    """Return the letters of the columns to read, in the order h, r, t, then every d."""
    letters = order_columns(path, schema.names, order)
    pairs = zip(schema.names, letters, strict=True)
    columns = [(name, letter) for name, letter in pairs if letter != "-"]
    columns.sort(key=lambda column: "hrtd".index(column[1]))
    for name, letter in columns:
        if schema.names.count(name) > 1:
            raise DataError(f"{path} has two columns {name!r}; give each a name of its own.")
        if letter != "d":
            _refuse_other_types(path, schema.field(name))

    return dict(columns)


def _refuse_other_types(path: Path | str, column: pa.Field[Any]) -> None:
    """Refuse a column of entities or relations without text or whole numbers."""
    values = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = any(check(values) for check in _LABELS)
    if not (is_text or pa.types.is_integer(values)):
        raise DataError(
            f"{path}: column {column.name!r} holds {column.type}; expected text or whole numbers."
        )


_LABELS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
)


def _open_numpy(path: Path, files: Sequence[Path], order: str | None) -> Columns:
    """Open an array of ids with a triple in each row."""
    try:
        array = np.load(path, mmap_mode="r")
    except (*DAMAGE, SyntaxError, tokenize.TokenError, TypeError) as error:
        if "Python objects" in str(error):
            raise DataError(f"{path} holds Python objects; expected whole numbers.") from error
        raise explain_damage(path, error) from error

    order = order or "hrt"
    if array.ndim != 2 or array.shape[1] != len(order) or array.dtype.kind not in "iu":
        raise DataError(
            f"{path} is an array of {array.dtype} of shape {array.shape}; "
            f"expected whole numbers in {len(order)} columns ({order})."
        )
    if not len(array):
        raise DataError(_EMPTY.format(path))

    column_indices = [order.index(letter) for letter in "hrt"]
    num_rows, num_columns = array.shape
    dtype = array.dtype
    header_size = int(array.offset)
    is_by_rows = array.flags.c_contiguous

    # Numbers are read into memory: the system ends a process that reads from a mapped file that was
    # cut.
    def read_numbers(first: int, count: int) -> NDArray[Any]:
        offset = header_size + first * dtype.itemsize
        numbers = np.fromfile(path, dtype, count, offset=offset)
        if numbers.size != count:
            raise DataError(f"{path} {_CHANGED}")
        return numbers

    def read() -> Iterator[Batch]:
        for start in range(0, num_rows, _ROWS):
            count = min(_ROWS, num_rows - start)
            if is_by_rows:
                numbers = read_numbers(start * num_columns, count * num_columns)
                rows = numbers.reshape(count, num_columns)
                columns = [rows[:, index] for index in column_indices]
            else:
                columns = [
                    read_numbers(index * num_rows + start, count) for index in column_indices
                ]
            yield [column.astype(dtype.newbyteorder("=")) for column in columns]

    return Columns(path=path, rows=num_rows, files=files, order="hrt", read=read, is_ids=True)


FORMATS: dict[bytes, Callable[[Path, Sequence[Path], str | None], Columns]] = {
    b"PAR1": _open_parquet,
    b"\x93NUMPY": _open_numpy,
}
"""Signature of a file of columns to the function that opens it."""


def encode_ids(files: Mapping[str, TripleFile], memory: int | None = None) -> Graph | None:
    """Return the graph of files of ids, or None for labels and for ids that are far apart.

    If the ids take more than `memory` bytes, they are kept in temporary files.
    """
    spilled = _is_large(files, memory)
    splits = dict.fromkeys(SPLITS, NO_TRIPLES)
    head = relation = tail = -1
    for split, columns in files.items():
        if not isinstance(columns, Columns) or not columns.is_ids:
            return None
        loaded = _load(columns, columns.read_ids(), spilled=spilled)
        splits[split] = loaded.triples
        head, relation, tail = np.maximum((head, relation, tail), loaded.highest).tolist()

    num_entities, num_relations = 1 + max(head, tail), 1 + relation
    rows = sum(len(triples) for triples in splits.values())
    if max(num_entities, num_relations) > max(_DENSE, 16 * rows):
        return None
    return Graph(splits, num_entities, num_relations, gaps=True)


def encode_text(files: Mapping[str, TripleFile], memory: int | None = None) -> Graph | None:
    """Return the graph of files of plain text, or None for any other text."""
    texts = {split: file for split, file in files.items() if isinstance(file, PlainText)}
    if len(texts) < len(files) or begin_alike(Path(text.path) for text in texts.values()):
        return None

    spilled, entities, relations = _is_large(files, memory), Coder(), Coder()
    splits = dict.fromkeys(SPLITS, NO_TRIPLES)
    try:
        for split, file in texts.items():
            batches = code_text(Path(file.path), entities, relations)
            splits[split] = _load(file, batches, spilled=spilled).triples
    except NotPlainError:
        return None

    return Graph(
        splits,
        entities.size,
        relations.size,
        entity_labels=entities.labels(),
        relation_labels=relations.labels(),
    )


def _is_large(files: Mapping[str, TripleFile], memory: int | None) -> bool:
    """Tell whether the ids of a graph take more than `memory` bytes, so that files have to do."""
    limit = MEMORY if memory is None else memory
    return _BYTES * sum(file.rows for file in files.values()) > limit


class _Loaded(NamedTuple):
    """The triples of a file."""

    triples: Triples
    highest: list[int]  # id of each column


def _load(file: TripleFile, batches: Iterable[Sequence[NDArray[Any]]], *, spilled: bool) -> _Loaded:
    """Read ids into memory, or into temporary files if `spilled`.

    A batch has the ids of heads, of relations and of tails, an array each.
    """
    highest = [0, 0, 0]  # id of each column
    num_rows = 0  # read so far
    # Rows may be fewer: memory that is not written to is not taken.
    size = 0 if spilled else file.rows
    columns = [np.empty(size, dtype=np.uint32) for _ in highest]
    remedy = "Set TMPDIR to a folder with room for them."
    with (
        ExitStack() as stack,
        explain_write_errors(f"temporary files to {tempfile.gettempdir()}", remedy),
    ):
        temporary_files = []  # one for each column
        if spilled:
            temporary_files = [stack.enter_context(tempfile.TemporaryFile()) for _ in highest]

        for batch in batches:
            stop = num_rows + len(batch[0])
            if stop > file.rows:
                raise DataError(f"{file.path} {_CHANGED}")
            for index, ids in enumerate(batch):
                highest[index] = max(highest[index], int(ids.max(initial=0)))
                if spilled:
                    temporary_files[index].write(ids.astype(np.uint32).data.cast("B"))
                else:
                    columns[index][num_rows:stop] = ids

            num_rows = stop

        mappings = []
        if num_rows:  # an empty file cannot be mapped
            for temporary_file in temporary_files:
                temporary_file.flush()
                mapping = mmap.mmap(temporary_file.fileno(), 0, access=mmap.ACCESS_READ)
                mappings.append(mapping)

    if mappings:
        columns = [np.frombuffer(mapping, dtype=np.uint32) for mapping in mappings]

    dtype = np.int32 if max(highest) < 1 << 31 else np.uint32
    head, relation, tail = (cast("Codes", column[:num_rows].view(dtype)) for column in columns)
    return _Loaded(Triples(head, relation, tail, mappings=tuple(mappings)), highest)
