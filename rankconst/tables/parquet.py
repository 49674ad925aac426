"""The tables of a set: read from its files by column and dataset, checked and parsed."""

from __future__ import annotations

import functools
import itertools
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from rankconst.arrow import join_texts, wrap_text
from rankconst.catalogue.protocols import AGGREGATIONS, shares_negatives
from rankconst.doubles import np
from rankconst.errors import TablesError, UnknownNameError, first_line
from rankconst.moments import Moments
from rankconst.names import is_key, resolve_name, shorten
from rankconst.tables.descriptor import (
    ARCHIVED,
    COLUMNS,
    LEAST,
    NULLABLE,
    check_size,
    read_hashed,
    schema_of,
)
from rankconst.tasks import Histogram, Tasks, weigh_evenly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.tables.descriptor import Folder
    from rankconst.tables.location import ZipPath


@dataclass(frozen=True)
class TableFiles:
    """The files of one version of the tables, read when first asked."""

    path: Path
    descriptor: dict[str, Any]
    folder: Folder = field(repr=False, compare=False)
    place: str | None = field(default=None, compare=False)
    _contents: dict[str, bytes] = field(default_factory=dict, init=False, repr=False, compare=False)
    _files: dict[str, pq.ParquetFile] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes for a pickle or a copy; what was read so far is left out."""
        state = {}
        for attribute in fields(self):  # caches begin empty
            state[attribute.name] = getattr(self, attribute.name) if attribute.init else {}
        return state

    @property
    def version(self) -> str:
        """The version of the set."""
        return str(self.descriptor["version"])

    def read(self, name: str, dataset: str | None = None) -> pa.Table:
        """Read a table.

        Parameters
        ----------
        name
            One of :data:`~rankconst.tables.descriptor.COLUMNS`.
        dataset
            The key of a dataset, to read only its rows. If None, all rows.

        Returns
        -------
        pyarrow.Table
            With the columns of :data:`~rankconst.tables.descriptor.COLUMNS`.

        Raises
        ------
        TablesError
            If the file is missing, is not the one that was written, has another schema, or values
            that no table has.
        """
        key = resolve_name("table", name, dict.fromkeys(COLUMNS, ()))
        return self._read(key, tuple(column.name for column in COLUMNS[key]), dataset)

    def iterate(self, name: str) -> Iterator[pa.Table]:
        """Read a table a row group at a time, without a check of values but the file's hash."""
        with self._explain_damage(name):
            file = self._open(name)
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, use_threads=False)

    def _open(self, name: str) -> pq.ParquetFile:
        """Open the file of a table, once; TablesError if it is not the one of the descriptor."""
        if name not in self._files:
            file = open_parquet(self.folder / f"{name}.parquet", self._read_content(name))
            self.check_schema(name, file.schema_arrow)
            self._files[name] = file
        return self._files[name]

    def _read(
        self,
        name: str,
        columns: tuple[str, ...],
        dataset: str | None = None,
        *,
        coded: tuple[str, ...] = (),
        baseline: str | None = None,
    ) -> pa.Table:
        """Read some columns of a table, its rows in the order of the file.

        Only rows with the keys `dataset` and `baseline` are read; None means any. Columns in
        `coded` become Arrow dictionaries.
        """
        content = self._read_content(name)
        import pyarrow as pa
        import pyarrow.parquet as pq

        keys = {}
        if dataset is not None:
            keys["dataset"] = dataset

        if baseline is not None:
            keys["baseline"] = baseline

        with self._explain_damage(name):
            file = self._open(name)
            if coded:
                # Which columns become dictionaries is said when a file is opened: open it again.
                file = pq.ParquetFile(
                    pa.BufferReader(content), metadata=file.metadata, read_dictionary=list(coded)
                )
            table = _read_rows(file, columns, keys)
            self._check_values(name, table)

        return table

    @contextmanager
    def _explain_damage(self, name: str) -> Iterator[None]:
        """Turn pyarrow's errors over a damaged file of a table into a TablesError that names it."""
        import pyarrow as pa

        try:
            yield
        except TablesError:
            raise
        except MemoryError as error:
            raise TablesError(
                f"{self.folder / name}.parquet cannot be read: there is not enough memory for what "
                "it says it holds. Give the program more; if that does not help, get the set again."
            ) from error
        except (pa.ArrowException, *_DAMAGE) as error:
            raise TablesError(
                f"{self.folder / name}.parquet cannot be read: {first_line(error)[:200]}. "
                "Build the set again, or get it again."
            ) from error

    def _check_values(self, name: str, table: pa.Table) -> None:
        """Refuse nulls and numbers that no table has, in the columns of a table."""
        table.validate(full=True)
        for column in table.column_names:
            fault = _find_fault(name, column, table[column])
            if fault:
                raise TablesError(
                    f"{self.folder / name}.parquet, column {column}: {fault}. "
                    "Build the set again, or get it again."
                )

    def _read_content(self, name: str) -> bytes:
        """Return the bytes of a table's file, checked by the descriptor's hash; keep them."""
        if name not in self._contents:
            if self.leaves_out(name):
                raise UnknownNameError(
                    f"macro averages and single relations under a baseline need {name}.parquet, "
                    "which the package leaves out. "
                    f"Add --tables rankconst-tables-{self.version}.zip, "
                    "the archive of these tables; in Python, open it with rankconst.load."
                )
            resources: list[dict[str, Any]] = self.descriptor["resources"]
            resource = next((row for row in resources if row.get("name") == name), {})
            self._contents[name] = read_hashed(self.folder, f"{name}.parquet", resource.get("hash"))

        return self._contents[name]

    def leaves_out(self, name: str) -> bool:
        """Return True if these are the package's tables, without a file that only archives have."""
        if name not in ARCHIVED or self.place is not None:
            return False
        return not (self.path / f"{name}.parquet").is_file()

    def check_schema(self, name: str, schema: pa.Schema) -> None:
        """Refuse a file with other columns than those of the table."""
        expected = schema_of(name)
        if not schema.equals(expected):
            raise TablesError(
                f"{self.folder / name}.parquet has columns {schema.names}; "
                f"this rankconst reads {expected.names}. Build the set again."
            )


# What pyarrow raises besides its own errors when a file is damaged.
_DAMAGE = (OSError, ValueError, LookupError, TypeError, OverflowError)


def _find_fault(name: str, column: str, values: pa.ChunkedArray[Any]) -> str:
    """Return the fault of a column of a table, such as "3 nulls", if it has one."""
    import pyarrow as pa

    nulls = 0 if column in NULLABLE.get(name, ()) else values.null_count
    if column in {"aliases", "source_urls"} and not nulls:
        # Among the items of all lists: `flatten` would import pyarrow.compute, which takes time.
        for lists in cast("list[pa.ListArray[Any]]", values.chunks):
            first, last = lists.offsets[0].as_py(), lists.offsets[-1].as_py()
            nulls += lists.values.slice(first, last - first).null_count

    if nulls:
        return f"{nulls:,} nulls"
    if (name, column) == ("datasets", "dataset"):
        wrong = next((key for key in values.to_pylist() if not is_key(str(key))), None)
        return "" if wrong is None else f"{shorten(wrong)!r}, which is not a key of a dataset"

    is_numeric = column in LEAST or pa.types.is_floating(values.type)
    if not is_numeric or values.null_count or not len(values):
        return ""

    numbers = to_array(values)
    if not np.isfinite(numbers).all():
        return "numbers that are not finite"
    if column in LEAST and (numbers < LEAST[column]).any():
        return f"numbers below {LEAST[column]}"
    return ""


def open_parquet(place: Path | ZipPath, content: bytes) -> pq.ParquetFile:
    """Open the content of a Parquet file, or raise TablesError if it takes too much memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.BufferReader(content))
    metadata = file.metadata
    size = 0
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        # A value that repeats takes nothing in the file, and eight bytes in memory.
        size += max(group.total_byte_size, 8 * group.num_columns * group.num_rows)

    check_size(place, size, len(content))
    return file


def _read_rows(file: pq.ParquetFile, columns: tuple[str, ...], keys: Mapping[str, str]) -> pa.Table:
    """Read some columns of the rows with some keys, such as {"dataset": "wn18rr"}."""
    groups, hold_no_other_rows = _find_row_groups(file, keys)
    # One thread: pyarrow's workers, when only just started, can abort a short process at its exit
    # (apache/arrow issue 34314), and files of this size gain nothing from them.
    if hold_no_other_rows:
        return file.read_row_groups(groups, [*columns], use_threads=False)

    needed = list(dict.fromkeys([*keys, *columns]))
    table = file.read_row_groups(groups, needed, use_threads=False)
    return select_rows(table, keys).select(columns)


def _find_row_groups(file: pq.ParquetFile, keys: Mapping[str, str]) -> tuple[list[int], bool]:
    """Return the row groups that may hold rows with some keys, and True if all of their rows do."""
    groups, are_all_wanted = [*range(file.metadata.num_row_groups)], True
    for name, key in keys.items():
        column = file.schema_arrow.get_field_index(name)
        expected = file.schema.column(column).physical_type
        kept = []
        for group in groups:
            chunk = file.metadata.row_group(group).column(column)
            if chunk.physical_type != expected:  # pyarrow would end the process
                raise ValueError(
                    f"a part of column {chunk.path_in_schema} is {chunk.physical_type}; "
                    f"expected {expected}"
                )
            bounds: Any = chunk.statistics
            if not bounds or bounds.min is None or bounds.max is None:  # the file does not tell
                kept.append(group)
                are_all_wanted = False
            elif bounds.min <= key <= bounds.max:
                kept.append(group)
                if bounds.min != bounds.max or bounds.null_count:
                    are_all_wanted = False

        groups = kept

    return groups, are_all_wanted


def select_rows(table: pa.Table, keys: Mapping[str, str]) -> pa.Table:
    """Return the rows of a table with some values, given by column."""
    import pyarrow.compute as pc

    masks = [pc.equal(table[name], wrap_text(key)) for name, key in keys.items()]
    if not masks:
        return table
    return table.filter(functools.reduce(pc.and_, masks))


# Parsed.

_MOMENTS = tuple(attribute.name for attribute in fields(Moments))
_BLOCKS = ("num_candidates", "num_tasks", "offset")


@dataclass(frozen=True)
class Records:
    """The rows of a dataset in a set of tables, parsed once."""

    dataset: str
    # Reads columns of a table, those in `coded` as dictionaries, rows in canonical order.
    read: Callable[..., pa.Table]
    _pooled: dict[Tasks, Histogram | None] = field(default_factory=dict, repr=False)
    # Of all relations, by baseline.
    _blocks: dict[str, pa.Table] = field(default_factory=dict, repr=False)

    @cached_property
    def histograms(self) -> dict[Tasks, Histogram]:
        """Candidate counts of every split, side and protocol."""
        return {
            key: Histogram(*columns, shared=shares_negatives(key.protocol))
            for key, columns in self._group("candidates")
        }

    @cached_property
    def macro_histograms(self) -> dict[Tasks, Histogram]:
        """Candidate counts with the weights of each macro average."""
        # If the rows of single relations are there, weights follow from them.
        histograms = {}
        for tasks, names in self.relations.items():
            singles = [replace(tasks, relations=(name,)) for name in names]
            evenly = weigh_evenly([self.relation_histograms[single] for single in singles])
            histograms[replace(tasks, aggregation="macro-relation")] = evenly

        for tasks, columns in self._group("macro_candidates", "aggregation", "weight"):
            histograms[tasks] = Histogram(*columns)

        return histograms

    @cached_property
    def relation_histograms(self) -> dict[Tasks, Histogram]:
        """Candidate counts relation by relation."""
        return {
            key: Histogram(*columns)
            for key, columns in self._group("candidates_by_relation", "relation")
        }

    @cached_property
    def relations(self) -> dict[Tasks, tuple[str, ...]]:
        """The relations of tasks of one side, in alphabetical order."""
        relations: dict[Tasks, list[str]] = {}
        for row in self.relation_histograms:
            relations.setdefault(replace(row, relations=()), []).extend(row.relations)
        return {tasks: tuple(names) for tasks, names in relations.items()}

    def pool(self, tasks: Tasks) -> Histogram | None:
        """Pool candidate counts over sides, splits and relations; None if a row is not there."""
        if tasks.relations:  # there is no limit to selections, so they are not cached
            return self._pool(tasks)
        if tasks not in self._pooled:
            self._pooled[tasks] = self._pool(tasks)
        return self._pooled[tasks]

    def _pool(self, tasks: Tasks) -> Histogram | None:
        """Pool candidate counts as :meth:`pool` does, without the cache."""
        if not tasks.is_chance:
            return self._gather_blocks(tasks)

        if tasks.relations:
            stored = self.relation_histograms
        elif tasks.is_micro:
            stored = self.histograms
        else:
            stored = self.macro_histograms

        if tasks in stored:  # own counts may be of both sides, not told apart
            return stored[tasks]

        # Tables have a histogram for each side of each split, and for each relation.
        single_relations: list[tuple[str, ...]] = [(name,) for name in tasks.relations] or [()]
        histograms = []
        for single_side, relations in itertools.product(tasks.parts, single_relations):
            single = replace(single_side, relations=relations)
            if single not in stored:
                return None
            histograms.append(stored[single])

        return functools.reduce(Histogram.pool, histograms)

    def _gather_blocks(self, tasks: Tasks) -> Histogram | None:
        """Return the histogram of tasks under a baseline other than chance, or None."""
        import pyarrow.compute as pc

        table = self._read_blocks(tasks)
        wanted: dict[str, Iterable[str]] = {
            "protocol": [tasks.protocol],
            "split": {part.split for part in tasks.parts},
            "side": {part.side for part in tasks.parts},
        }
        if tasks.relations:
            wanted["relation"] = tasks.relations

        for column, values in wanted.items():
            table = table.filter(pc.is_in(table[column], value_set=join_texts([*values])))

        if not len(table):
            return None

        sizes, num_tasks, offsets = (to_array(table[column]) for column in _BLOCKS)
        weights = None
        group = AGGREGATIONS[tasks.aggregation].group
        if group == "query":
            weights = to_array(table["weight"])
        elif group == "relation":
            weights = 1.0 / _sum_groups([table["side"], table["relation"]], num_tasks)

        return Histogram.from_counts(sizes, num_tasks, weights, offsets)

    def _read_blocks(self, tasks: Tasks) -> pa.Table:
        """Read the blocks of a baseline: candidates that tie, tasks, and candidates above (offset).

        For single relations and macro averages, they are split by relation.
        """
        names: tuple[str, ...] = ("protocol", "split", "side", *_BLOCKS)
        if tasks.is_micro and not tasks.relations:
            if tasks.baseline not in self._blocks:
                table = self.read("baseline_candidates", names, baseline=tasks.baseline)
                self._blocks[tasks.baseline] = table
            return self._blocks[tasks.baseline]

        names = (*names, "relation")
        if AGGREGATIONS[tasks.aggregation].group == "query":
            names = (*names, "weight")

        return self.read("baseline_candidates_by_relation", names, baseline=tasks.baseline)

    def find_moments(self, tasks: Tasks, metric: Metric) -> Moments | None:
        """Return the tabulated moments of a metric; None if there is no row."""
        row_of_key, columns = self._constants
        names = (tasks.protocol, tasks.split, tasks.side, tasks.aggregation, tasks.baseline)
        row = row_of_key.get((*names, metric.family, metric.k))
        return None if row is None else Moments(*(column[row] for column in columns))

    @cached_property
    def _constants(self) -> tuple[dict[tuple[Any, ...], int], list[list[Any]]]:
        """The row of each key of the table of constants, and the columns of moments."""
        keys = ("protocol", "split", "side", "aggregation", "baseline", "metric", "k")
        columns = self.read("constants", (*keys, *_MOMENTS)).to_pydict()
        rows = zip(*(columns[name] for name in keys), strict=True)
        row_of_key = {key: row for row, key in enumerate(rows)}
        return row_of_key, [columns[name] for name in _MOMENTS]

    def _group(
        self, name: str, extra_key: str = "", *weights: str
    ) -> Iterator[tuple[Tasks, tuple[NDArray[Any], ...]]]:
        """Yield the tasks of a table, with their arrays num_candidates, num_tasks and `weights`.

        `extra_key` is a further column that tells tasks apart, such as "relation".
        """
        keys: tuple[str, ...] = ("protocol", "split", "side")
        if extra_key:
            keys = (*keys, extra_key)

        columns = ("num_candidates", "num_tasks", *weights)
        # Keys are compared by their codes in the dictionary, so that only one of each group becomes
        # text.
        table = self.read(name, (*keys, *columns), coded=keys)
        runs, starts = find_runs(table, keys)
        if not runs:
            return

        arrays_of_columns = [to_array(table[column]) for column in columns]
        stops = [*starts[1:].tolist(), len(table)]
        for run, start, stop in zip(runs, starts.tolist(), stops, strict=True):
            names: dict[str, Any] = dict(zip(keys, run, strict=True))
            if "relation" in names:
                names["relations"] = (names.pop("relation"),)

            arrays = tuple(array[start:stop] for array in arrays_of_columns)
            yield Tasks(self.dataset, **names), arrays


def find_runs(
    table: pa.Table, names: Sequence[str]
) -> tuple[list[tuple[str, ...]], NDArray[np.intp]]:
    """Return the words of each run of rows that are equal in some columns, and where it starts.

    The rows (a, x), (a, x), (a, y) have the runs (a, x) from row 0 and (a, y) from row 2.
    """
    if not len(table):
        return [], np.empty(0, dtype=np.intp)
    decoded = [decode(table.column(name)) for name in names]
    differs_from_last = np.any([codes[1:] != codes[:-1] for codes, _ in decoded], axis=0)
    starts = np.flatnonzero(np.append(True, differs_from_last))
    columns_of_runs = [words[codes[starts]].tolist() for codes, words in decoded]
    return list(zip(*columns_of_runs, strict=True)), starts


def decode(column: pa.ChunkedArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the codes of a dictionary-encoded column with rows, and the texts by code."""
    chunks = cast("list[pa.DictionaryArray[Any, Any]]", column.unify_dictionaries().chunks)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in chunks])
    return codes, np.array(chunks[0].dictionary.to_pylist(), dtype=object)


def _sum_groups(
    columns: Sequence[pa.ChunkedArray[Any]], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each row, the sum of the counts of all rows with the same words."""
    groups = np.zeros(counts.size, dtype=np.int64)
    for column in columns:  # a number for each combination of words
        codes, words = decode(column.dictionary_encode())
        groups = groups * len(words) + codes
    # Sums of whole numbers below 2^53 are exact.
    return np.bincount(groups, counts).astype(np.int64)[groups]


def to_array(column: pa.ChunkedArray[Any]) -> NDArray[Any]:
    """Return a column of numbers without nulls, of at least one chunk, as an array."""
    # pyarrow's own conversion would import pandas.
    return np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])
