"""Open a version of the tables and look constants up in it.

A set of tables is a folder with a Parquet file for each table of :data:`~rankconst.tables.schema.COLUMNS` and
``datapackage.json``, which names the version and the SHA-256 of each. The set that this package carries is the
default; older sets stay loadable by version. :mod:`rankconst.tables.location` says where else a set can be.
"""

from __future__ import annotations

import functools
import json
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from rankconst.arrow import join_texts
from rankconst.catalogue.aggregations import AGGREGATIONS, DEFAULT_AGGREGATION
from rankconst.catalogue.baselines import (
    ALL_BASELINES,
    BASELINES,
    BUILT,
    DEFAULT_BASELINE,
    OFFERED,
    explain_missing,
    parse_baseline,
)
from rankconst.catalogue.metrics import CATALOGUE, MACRO_METRICS, Metric, parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_PROTOCOL,
    ENTITY_SIDES,
    RELATION_SIDE,
    SIDES,
    SPLITS,
    UNTABLED,
    explain_unfit,
    find_protocol,
    shares_negatives,
)
from rankconst.errors import TablesError, UnknownNameError, UsageError, first_line
from rankconst.moments import Moments, compute_moments
from rankconst.names import Names, is_key, require_text, resolve_name, shorten
from rankconst.tables.folder import check_size, read_descriptor, read_table_file
from rankconst.tables.schema import (
    ARCHIVED,
    COLUMNS,
    LEAST,
    NULLABLE,
    baselines_of,
    file_of,
    is_former,
    list_lacking,
    schema_of,
)
from rankconst.tasks import Histogram, Tasks, sampled_histogram
from rankconst.values.constants import Constants
from rankconst.values.published import NOISE
from rankconst.version import bundle_folders, parse_version, precedes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from rankconst.tables.folder import Folder, ZipPath

T = TypeVar("T")


@dataclass(frozen=True)
class Records:
    """What a set of tables holds of one dataset, parsed once."""

    dataset: str
    # Reads columns of a table, those in `coded` as dictionaries, rows in canonical order.
    read: Callable[..., pa.Table]
    former: bool = False  # True for a set of the form before 2.0.0
    _parsed: dict[str, tuple[dict[tuple[Any, ...], int], list[list[Any]]]] = field(default_factory=dict, repr=False)
    _pooled: dict[Tasks, Histogram | None] = field(default_factory=dict, repr=False)

    @cached_property
    def histograms(self) -> dict[Tasks, Histogram]:
        """Candidate counts of every split, side and protocol."""
        return {
            key: Histogram(*columns, shared=shares_negatives(key.protocol))
            for key, columns in self._group("candidates")
        }

    @cached_property
    def macro_histograms(self) -> dict[Tasks, Histogram]:
        """The same with the weights of each macro average."""
        groups = self._group("macro_candidates", "aggregation", "weight")
        # Where single relations are held, their weights follow from them.
        derived = {
            replace(tasks, aggregation="macro-relation"): _weigh_relations(
                [self.relation_histograms[replace(tasks, relations=(name,))] for name in names]
            )
            for tasks, names in self.relations.items()
        }
        return derived | {key: Histogram(*columns) for key, columns in groups}

    @cached_property
    def relation_histograms(self) -> dict[Tasks, Histogram]:
        """Candidate counts relation by relation."""
        return {key: Histogram(*columns) for key, columns in self._group("candidates_by_relation", "relation")}

    @cached_property
    def relations(self) -> dict[Tasks, tuple[str, ...]]:
        """All tasks of a side to their relations, in alphabetical order."""
        found: dict[tuple[str, ...], list[Tasks]] = {}
        for each in self.relation_histograms:
            found.setdefault((each.protocol, each.split, each.side), []).append(each)
        return {replace(own[0], relations=()): tuple(each.relations[0] for each in own) for own in found.values()}

    def pool(self, tasks: Tasks) -> Histogram | None:
        """Return the candidate counts of both sides and all relations of some tasks; None if a part is not held."""
        if tasks.relations:  # selections have no limit, so they are not kept
            return self._pool(tasks)
        if tasks not in self._pooled:
            self._pooled[tasks] = self._pool(tasks)
        return self._pooled[tasks]

    def _pool(self, tasks: Tasks) -> Histogram | None:
        stored = (
            self.relation_histograms
            if tasks.relations
            else self.histograms
            if tasks.is_micro
            else self.macro_histograms
        )
        if tasks in stored:  # own counts may be of both sides, not told apart
            return stored[tasks]
        singles: list[tuple[str, ...]] = [(name,) for name in tasks.relations] or [()]
        wanted = [replace(side, relations=names) for side in tasks.sides for names in singles]
        if not all(each in stored for each in wanted):
            return None
        parts = [stored[each] for each in wanted]
        return functools.reduce(Histogram.pool, parts)

    def gather_blocks(self, tasks: Tasks) -> Histogram | None:
        """Return how a baseline that knows something ranks some tasks; None if it is not held."""
        import pyarrow.compute as pc

        plain = tasks.is_micro and not tasks.relations
        if self.former and not tasks.is_micro:
            return None
        name = "baseline_candidates" if plain and not self.former else "baseline_candidates_by_relation"
        wanted = {
            "protocol": (tasks.protocol,),
            "split": (tasks.split,),
            "side": tuple(each.side for each in tasks.sides),
            **({} if plain else {"relation": tasks.relations}),
        }
        columns = ("num_candidates", "num_tasks", "offset")
        weight = AGGREGATIONS[tasks.aggregation].group
        further = ("weight",) if weight == "query" else ()
        table = self.read(name, (*wanted, *columns, *further), baseline=tasks.baseline)
        for column, values in wanted.items():
            if values:
                table = table.filter(pc.is_in(table[column], value_set=join_texts(values)))
        if not len(table):
            return None
        sizes, counts, offsets = (_to_array(table.column(column)) for column in columns)
        weights = _to_array(table.column("weight")) if weight == "query" else None
        if weight == "relation":
            weights = 1.0 / _sum_groups([table.column("side"), table.column("relation")], counts)
        return Histogram.from_counts(sizes, counts, weights, offsets)

    def find_moments(self, tasks: Tasks, metric: Metric) -> Moments | None:
        """Return the tabulated moments of a metric; None if there is no row."""
        places, columns = self._constants(tasks.baseline)
        key = (tasks.protocol, tasks.split, tasks.side, tasks.aggregation, metric.family, metric.k)
        place = places.get(key)
        return None if place is None else Moments(*(column[place] for column in columns))

    def _constants(self, baseline: str) -> tuple[dict[tuple[Any, ...], int], list[list[Any]]]:
        """Return the place of each key, and the columns of moments, under a baseline."""
        if baseline not in self._parsed:
            keys = ("protocol", "split", "side", "aggregation", "metric", "k")
            fields = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
            columns = self.read("constants", (*keys, *fields), baseline=baseline).to_pydict()
            places = {key: place for place, key in enumerate(zip(*(columns[name] for name in keys), strict=True))}
            self._parsed[baseline] = places, [columns[name] for name in fields]
        return self._parsed[baseline]

    def _group(self, name: str, further: str = "", *weights: str) -> Iterator[tuple[Tasks, tuple[NDArray[Any], ...]]]:
        """Cut a table into arrays, a group for each run of rows of the same tasks."""
        keys = ("protocol", "split", "side", *([further] if further else []))
        values = ("num_candidates", "num_tasks", *weights)
        # As dictionaries, keys are compared by their codes: only those of whole groups become text.
        table = self.read(name, (*keys, *values), coded=keys)
        if not len(table):
            return
        codes, words = zip(*(decode_column(table.column(key)) for key in keys), strict=True)
        new = np.any([code[1:] != code[:-1] for code in codes], axis=0)
        starts = np.concatenate(([0], np.flatnonzero(new) + 1))
        names = zip(*(word[code[starts]].tolist() for code, word in zip(codes, words, strict=True)), strict=True)
        pieces = [np.split(_to_array(table.column(value)), starts[1:]) for value in values]
        for (protocol, split, side, *more), *columns in zip(names, *pieces, strict=True):
            named: dict[str, Any] = dict(zip([further], more, strict=False))
            if further == "relation":
                named = {"relations": tuple(more)}
            yield Tasks(self.dataset, protocol, split, side, **named), tuple(columns)


def decode_column(column: pa.ChunkedArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the codes of a column that was read as a dictionary, and the texts that they encode."""
    chunks = cast("list[pa.DictionaryArray[Any, Any]]", column.unify_dictionaries().chunks)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in chunks])
    return codes, np.array(chunks[0].dictionary.to_pylist(), dtype=object)


def _weigh_relations(parts: Sequence[Histogram]) -> Histogram:
    """Return the tasks of several relations, of which each counts once."""
    return Histogram.from_counts(
        np.concatenate([part.num_candidates for part in parts]),
        np.concatenate([part.num_tasks for part in parts]),
        np.concatenate([np.full(len(part), 1.0 / part.total) for part in parts]),
    )


def _sum_groups(columns: Sequence[pa.ChunkedArray[Any]], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row the sum of the counts of all rows that have the same words in some columns."""
    groups = np.zeros(counts.size, dtype=np.int64)
    for column in columns:
        codes, words = decode_column(column.dictionary_encode())
        groups = groups * len(words) + codes
    # Sums of whole numbers below 2^53 are exact.
    return np.bincount(groups, counts).astype(np.int64)[groups]


def _to_array(column: pa.ChunkedArray[Any]) -> NDArray[Any]:
    """Return a column of numbers; pyarrow's own conversion would import pandas."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])


def _count_nulls_inside(lists: pa.ListArray[Any]) -> int:
    """Count the nulls in lists; `flatten` would import pyarrow.compute, for which every command would wait."""
    first, last = lists.offsets[0].as_py(), lists.offsets[-1].as_py()
    return lists.values.slice(first, last - first).null_count


def _bound_expectation(family: str, most: float) -> tuple[float, float]:
    """Return the least and the largest expectation of a metric if no task has more than `most` candidates."""
    metric = CATALOGUE.get(family)
    if metric is None or metric.optimum is None:
        return 0.0, np.inf
    # Of two tasks ranks can be as far apart as of any number.
    return metric.lower, metric.upper if metric.is_share else metric.worst(np.array([most]), np.array([2]))


# Constants that stay in memory.
_MOST_KNOWN = 10_000


@dataclass(frozen=True)
class Tables:
    """One version of the tables, read when first asked.

    Attributes
    ----------
    path
        The folder, or the zip file.
    descriptor
        The content of ``datapackage.json``.
    folder
        Reads the files of the set.
    place
        What the user named; None for the tables that came with the package.
    """

    path: Path
    descriptor: dict[str, Any]
    folder: Folder = field(repr=False, compare=False)
    place: str | None = field(default=None, compare=False)
    _contents: dict[str, bytes | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _files: dict[str, pq.ParquetFile] = field(default_factory=dict, init=False, repr=False, compare=False)
    _parsed: dict[str, Records] = field(default_factory=dict, init=False, repr=False, compare=False)
    _keys: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _known: dict[tuple[Tasks, Metric], Constants] = field(default_factory=dict, init=False, repr=False, compare=False)
    # What is derived from the whole set, by what derives it.
    _derived: dict[type, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process, or a copy, needs: not what was read, which may hold files."""
        return {each.name: getattr(self, each.name) if each.init else {} for each in fields(self)}

    def _derive(self, kind: type[T], read: Callable[[Tables], T]) -> T:
        """Return what is derived from the whole set, the second time at once."""
        if kind not in self._derived:
            self._derived[kind] = read(self)
        found: T = self._derived[kind]
        return found

    @property
    def version(self) -> str:
        """The version of the set."""
        return str(self.descriptor["version"])

    def set_of(self, dataset: str) -> Tables:
        """Return the set that a dataset, given by its key, is from."""
        del dataset
        return self

    def version_of(self, dataset: str) -> str:
        """Return the version of the set that a dataset, given by its key, is from."""
        return self.set_of(dataset).version

    def __repr__(self) -> str:
        return f"Tables({str(self.path)!r}, version {self.version!r})"

    def read(self, name: str, dataset: str | None = None) -> pa.Table:
        """Read a table.

        Parameters
        ----------
        name
            One of :data:`~rankconst.tables.schema.COLUMNS`.
        dataset
            The key of a dataset, to read only its rows. If None, all rows.

        Returns
        -------
        pyarrow.Table
            With the columns of today, whatever version the set is of: what older versions lack is null.

        Raises
        ------
        TablesError
            If the file is missing, is not the one that was written, has another schema, or values that no table has.
        """
        key = resolve_name("table", name, dict.fromkeys(COLUMNS, ()))
        return self._read(key, tuple(column.name for column in COLUMNS[key]), dataset)

    def _read(
        self,
        name: str,
        columns: tuple[str, ...],
        dataset: str | None = None,
        coded: tuple[str, ...] = (),
        baseline: str | None = None,
    ) -> pa.Table:
        """Read some columns of a table, in its order; those in `coded` as dictionaries."""
        content = self._read_content(name)
        if content is None:
            return schema_of(name).empty_table().select(columns)
        import pyarrow as pa
        import pyarrow.parquet as pq

        with self._explain_damage(name):
            if name not in self._files:
                file = open_parquet(self.folder / f"{file_of(name, self.version)}.parquet", content)
                self._check_schema(name, file.schema_arrow)
                self._files[name] = file
            file = self._files[name]
            if coded:
                file = pq.ParquetFile(pa.BufferReader(content), metadata=file.metadata, read_dictionary=list(coded))
            table = self._read_rows(name, file, columns, dataset, baseline)
            self._check_values(name, table)
            if name == "constants" and {"metric", "expectation", "variance"} <= set(table.column_names):
                self._check_ranges(table, dataset)
        return table

    def _read_rows(
        self, name: str, file: pq.ParquetFile, columns: tuple[str, ...], dataset: str | None, baseline: str | None
    ) -> pa.Table:
        names = file.schema_arrow.names
        held = [column for column in columns if column in names]
        wanted = {"dataset": dataset, "baseline": baseline}
        chosen = {key: value for key, value in wanted.items() if value is not None}
        # One thread: pyarrow's workers, when only just started, can abort a short process at its exit
        # (apache/arrow issue 34314), and files of this size gain nothing from them.
        groups, alone = _find_row_groups(file, chosen)
        if alone:
            return self._complete(name, columns, file.read_row_groups(groups, held, use_threads=False))
        table = file.read_row_groups(groups, list(dict.fromkeys([*chosen, *held])), use_threads=False)
        return self._complete(name, columns, _select_rows(table, chosen).select(held))

    def complete(self, name: str, stored: pa.Table) -> pa.Table:
        """Return a table as it is stored with the columns of today, whatever its values; TablesError for others."""
        self._check_schema(name, stored.schema)
        columns = [column.name for column in COLUMNS[name]]
        held = [column for column in columns if column in stored.column_names]
        return self._complete(name, tuple(columns), stored.select(held))

    @contextmanager
    def _explain_damage(self, name: str) -> Iterator[None]:
        """Turn whatever a damaged Parquet file makes pyarrow raise into an error that names the file."""
        import pyarrow as pa

        try:
            yield
        except TablesError:
            raise
        except MemoryError as error:
            raise TablesError(
                f"{self.folder / name}.parquet cannot be read: there is not enough memory for what it says it holds. "
                "Give the program more; if that does not help, get the set again."
            ) from error
        except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError) as error:
            raise TablesError(
                f"{self.folder / name}.parquet cannot be read: {first_line(error)[:200]}. Build the set again, or get "
                "it again."
            ) from error

    def _check_values(self, name: str, table: pa.Table) -> None:
        """Refuse nulls and numbers that no table has, in the columns that were read."""
        import pyarrow as pa

        table.validate(full=True)
        for column in table.column_names:
            values, wrong = table[column], ""
            may_lack = column in NULLABLE.get(name, ()) or column in list_lacking(name, self.version)
            nulls = 0 if may_lack else values.null_count
            if (name, column) == ("datasets", "dataset") and not nulls:
                strange = next((key for key in values.to_pylist() if not is_key(str(key))), None)
                wrong = "" if strange is None else f"{shorten(strange)!r}, which is not a key of a dataset"
            if column in {"aliases", "source_urls"} and not nulls:
                nulls = sum(_count_nulls_inside(cast("pa.ListArray[Any]", chunk)) for chunk in values.chunks)
            if nulls:
                wrong = f"{nulls:,} nulls"
            elif (column in LEAST or pa.types.is_floating(values.type)) and not values.null_count and len(values):
                numbers = _to_array(values)
                if not np.isfinite(numbers).all():
                    wrong = "numbers that are not finite"
                elif column in LEAST and (numbers < LEAST[column]).any():
                    wrong = f"numbers below {LEAST[column]}"
            if wrong:
                raise TablesError(
                    f"{self.folder / name}.parquet, column {column}: {wrong}. Build the set again, or get it again."
                )

    def _check_ranges(self, table: pa.Table, dataset: str | None) -> None:
        """Refuse expectations and variances that no ranker has, of however few of the candidates in the set."""
        families = cast("list[str]", table["metric"].to_pylist())
        codes = {family: code for code, family in enumerate(dict.fromkeys(families))}
        sizes = self._read("candidates", ("num_candidates",), dataset)["num_candidates"]
        most = _to_array(sizes).max() if len(sizes) else np.inf
        bounds = np.array([_bound_expectation(family, most) for family in codes]).reshape(-1, 2)
        low, high = bounds[np.fromiter(map(codes.__getitem__, families), np.intp, len(families))].T
        # A quarter of the squared range is the most that a variance can be; what is sampled may be somewhat more.
        for column, least, largest in (("expectation", low, high), ("variance", 0 * low, np.square(high - low))):
            numbers, slack = _to_array(table[column]) if len(table) else low, NOISE * largest
            for row in np.flatnonzero((numbers < least - slack) | (numbers > largest + slack)).tolist():
                raise TablesError(
                    f"{self.folder / 'constants'}.parquet, column {column}: {numbers[row]:g} for {families[row]}"
                    f"{'' if dataset is None else f' on {dataset}'}; expected {least[row]:.6g} to {largest[row]:.6g}. "
                    "Build the set again, or get it again."
                )

    def _read_content(self, name: str) -> bytes | None:
        """Return the file of a table, checked; None for a table that sets of this version do not have yet."""
        if name not in self._contents:
            file = file_of(name, self.version)
            if self.leaves_out(name):
                raise UnknownNameError(
                    f"macro averages and single relations under a baseline need {file}.parquet, which the package "
                    f"leaves out. Add --tables rankconst-tables-{self.version}.zip, the archive of these tables; in "
                    "Python, open it with rankconst.load."
                )
            described: list[dict[str, Any]] = self.descriptor["resources"]
            resource = next((each for each in described if each.get("name") == file), {})
            self._contents[name] = None if file is None else read_table_file(self.folder, file, resource.get("hash"))
        return self._contents[name]

    def leaves_out(self, name: str) -> bool:
        """Tell whether these tables came with the package, and a table is in the archive only."""
        file = f"{file_of(name, self.version)}.parquet"
        return name in ARCHIVED and self.place is None and not (self.path / file).is_file()

    def _check_schema(self, name: str, found: pa.Schema) -> None:
        """Refuse a file with other columns than today's, but for those that sets of this version do not have yet."""
        import pyarrow as pa

        expected, names = schema_of(name), found.names
        lacking = list_lacking(name, self.version) - {*names}
        if not found.equals(pa.schema([field for field in expected if field.name not in lacking])):
            raise TablesError(
                f"{self.folder / name}.parquet has columns {names}; this version of rankconst reads {expected.names}."
            )

    def _check_age(self) -> None:
        """Refuse a set of somebody's own that an earlier program wrote: it has no version that says what it lacks."""
        if parse_version(self.version) is not None:
            return
        described = {each.get("name"): json.dumps(each.get("schema")) for each in self.descriptor["resources"]}
        lacking = [name for name in COLUMNS if name not in described] + [
            f"{name}.{column.name}"
            for name, columns in COLUMNS.items()
            for column in columns
            if f'"{column.name}"' not in described.get(name, f'"{column.name}"')
        ]
        if not lacking or "constants" not in described:  # of a descriptor without tables, their reading tells
            return
        from rankconst.catalogue.benchmarks import load_benchmarks

        keys = list(self._spellings)
        known = " ".join(key for key in keys if key in load_benchmarks())
        which = known or f"train.tsv valid.tsv test.tsv --name {' '.join(keys)}"
        raise TablesError(
            f"{self.folder} was built by an earlier version of rankconst and lacks {', '.join(lacking)}. "
            f"Delete it, and build it again: rankconst build {which} --out {self.folder}"
        )

    def _complete(self, name: str, columns: tuple[str, ...], table: pa.Table) -> pa.Table:
        """Add what sets of this version do not have yet."""
        names = table.schema.names
        for place, column in enumerate(columns):
            if column not in names:
                import pyarrow as pa

                added = schema_of(name).field(column)
                table = table.add_column(place, added, pa.nulls(len(table), added.type))
        return table

    @cached_property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """Dataset key to its row of ``datasets.parquet``, in the order of the table."""
        return {row["dataset"]: row for row in self.read("datasets").to_pylist()}

    @cached_property
    def _spellings(self) -> dict[str, tuple[str, ...]]:
        """Dataset key to its further spellings."""
        columns = self._read("datasets", ("dataset", "title", "aliases")).to_pydict()
        return {key: (title, *aliases) for key, title, aliases in zip(*columns.values(), strict=True)}

    @cached_property
    def _names(self) -> Names:
        spellings = self._spellings
        remedy = f"The tables ({self.version}) hold {len(spellings)}; `rankconst show datasets` lists them."
        return Names("dataset", spellings, remedy)

    def resolve_dataset(self, name: str) -> str:
        """Return the key of the dataset that `name` spells.

        Raises
        ------
        UnknownNameError
            If the tables have no such dataset. The message suggests the nearest; of a benchmark that can be built it
            says how.
        """
        if require_text(name) not in self._keys:
            # The key as it is needs no registry, which takes longer to read than the tables.
            if name in self._spellings:
                self._keys[name] = name
                return name
            from rankconst.catalogue.benchmarks import explain_ambiguous, list_names

            if ambiguous := explain_ambiguous(name):
                raise UnknownNameError(ambiguous)
            try:
                self._keys[name] = self._names.resolve(name)
            except UnknownNameError as error:
                known = list_names().find(name)  # the program may know more names than the tables list
                if known not in self.datasets:
                    raise UnknownNameError(self._explain_unknown(name, str(error))) from None
                self._keys[name] = known
        return self._keys[name]

    def _explain_unknown(self, name: str, reason: str) -> str:
        """Tell a benchmark that could be built from an unknown name, for which the nearest is suggested."""
        from rankconst.catalogue.benchmarks import list_names, load_benchmarks
        from rankconst.catalogue.mentions import explain_elsewhere
        from rankconst.tables.location import OUTPUT

        known = list_names().find(name)
        if known is None:
            elsewhere = explain_elsewhere(name)
            if elsewhere is not None:
                lists = f"The tables ({self.version}) hold others; `rankconst show datasets` lists them."
                reason = f"unknown dataset {name!r}: {elsewhere}. {lists}"
            return (
                reason if elsewhere or self.place is not None else f"{reason} For tables of your own add --tables DIR."
            )
        benchmark = load_benchmarks()[known]
        missing = f"the tables ({self.version}) hold no {benchmark.title} ({benchmark.key})."
        if benchmark.same_graph_as or benchmark.not_offered:
            copy = f"Use {benchmark.same_graph_as}, of which it is another copy."
            return f"{missing} {copy if benchmark.same_graph_as else f'It is not offered: {benchmark.not_offered}'}"
        if benchmark.key in load().datasets:
            return f"{missing} The tables that came with rankconst do: rankconst.load() opens them."
        # Only a folder can be added to; for a zip file or a download, tables of one's own are built next to it.
        if self.place is not None and Path(self.place).is_dir():
            return f"{missing} Run: rankconst build --dataset {benchmark.key} --out {self.place}."
        return (
            f"{missing} Run: rankconst build --dataset {benchmark.key}. It writes {OUTPUT}, where every command looks; "
            f"in Python, rankconst.load({OUTPUT!r}) opens it."
        )

    def tasks(
        self,
        dataset: str,
        *,
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
        aggregation: str = DEFAULT_AGGREGATION,
        relations: str | Iterable[str] | None = None,
        baseline: str = DEFAULT_BASELINE,
    ) -> Tasks:
        """Read the address of some ranking tasks, every name in any usual spelling.

        Parameters
        ----------
        dataset, split, side, protocol, aggregation
            ``"FB15k-237"``, ``"testing"``, ``"left"``, ``"LibKGE"``, ``"query"`` ...
        relations
            Only the ranking tasks of these relations, as the benchmark's files write them. If None, those of all.
        baseline
            The ranker whose results are expected: ``"uniform"`` is chance, ``"frequency"``, ``"inverse"`` and
            ``"counting"`` know the training set.

        Returns
        -------
        Tasks
            Whether the tables hold such tasks shows when they are looked up.

        Raises
        ------
        UnknownNameError
            If a name is unknown.

        Examples
        --------
        >>> import rankconst
        >>> str(rankconst.load().tasks("FB15k-237", split="testing"))
        'fb15k237/test/both/standard'
        """
        return Tasks.parse(
            self.resolve_dataset(dataset),
            split=split,
            side=side,
            protocol=protocol,
            aggregation=aggregation,
            relations=relations,
            baseline=baseline,
        )

    def constants(
        self,
        dataset: str | Tasks,
        metric: str | Metric,
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
        *,
        aggregation: str = DEFAULT_AGGREGATION,
        relations: str | Iterable[str] | None = None,
        baseline: str = DEFAULT_BASELINE,
    ) -> Constants:
        """Look up the constants of a metric.

        Parameters
        ----------
        dataset, split, side, protocol, aggregation, relations, baseline
            As for :meth:`tasks`, in any usual spelling; or what that returns, as the first argument.
        metric
            In any usual spelling: ``"H@10"``.

        Returns
        -------
        Constants
            From the table; what has no row in it, such as a Hits@k with another k, is computed from the histogram.

        Raises
        ------
        UnknownNameError
            If a name is unknown, or the tables hold no such tasks.
        UsageError
            For a macro average of a metric that has none here, or of some relations only.
        """
        if not isinstance(dataset, Tasks):
            dataset = self.tasks(
                dataset,
                split=split,
                side=side,
                protocol=protocol,
                aggregation=aggregation,
                relations=relations,
                baseline=baseline,
            )
        return self.look_up(dataset, parse_metric(metric))

    def look_up(self, tasks: Tasks, metric: Metric) -> Constants:
        """Return the constants of a metric; the second time, at once. See :meth:`constants`."""
        if (tasks, metric) not in self._known:
            # A metric's range depends on all candidates, whatever the baseline.
            histogram = self.histogram(tasks if tasks.is_chance else replace(tasks, baseline=DEFAULT_BASELINE))
            find_blocks = None if tasks.is_chance else functools.partial(self.histogram, tasks)
            moments = self._find_moments(tasks, metric)
            if moments is None:
                moments = compute_moments(metric, histogram if find_blocks is None else find_blocks())
            if len(self._known) >= _MOST_KNOWN:  # of ever new relations, in a process that does not end
                del self._known[next(iter(self._known))]
            self._known[tasks, metric] = Constants(tasks, metric, histogram, moments, self.version, find_blocks)
        return self._known[tasks, metric]

    def is_tabulated(self, tasks: Tasks, metric: Metric) -> bool:
        """Tell whether constants are a row of the tables; others are computed from the candidates."""
        return self._find_moments(tasks, metric) is not None

    def _find_moments(self, tasks: Tasks, metric: Metric) -> Moments | None:
        return None if tasks.relations else self._records(tasks.dataset).find_moments(tasks, metric)

    def histogram(self, dataset: str | Tasks, **names: Any) -> Histogram:
        """Return the candidate counts of some ranking tasks; of both sides, or of several relations, pooled.

        Parameters
        ----------
        dataset, names
            As for :meth:`tasks`, in any usual spelling; or what that returns, alone.

        Raises
        ------
        UnknownNameError
            If the tables do not hold them.
        UsageError
            For a macro average over some relations only.
        """
        tasks = dataset if isinstance(dataset, Tasks) else self.tasks(dataset, **names)
        if tasks.side == RELATION_SIDE and (unranked := _explain_unranked(tasks)):
            raise UsageError(unranked)
        if tasks.relations and not tasks.is_micro:
            raise UsageError(
                f"{tasks.aggregation} averages are over all relations; leave out the aggregation or the relations."
            )
        records = self._records(tasks.dataset)
        if not tasks.is_chance:
            blocks = records.gather_blocks(tasks)
            if blocks is None:
                raise UnknownNameError(self._explain_baseline(tasks))
            return blocks
        plain = tasks.is_micro and not tasks.relations
        whole = records.pool(tasks if plain else replace(tasks, aggregation=DEFAULT_AGGREGATION, relations=()))
        stored = tasks if whole is not None else self._find_stored(tasks)
        if stored is None:
            held = dict.fromkeys(f"{each.protocol}/{each.split}" for each in records.histograms)
            rules = [find_protocol(each.protocol) for each in records.histograms]
            qualified = any(rule.qualified for rule in rules)
            temporal = any(rule.time for rule in rules) and not qualified
            lack = explain_unfit(find_protocol(tasks.protocol), temporal, qualified)
            if not lack and (without := self._list_missing(tasks.dataset)):
                lack = f"The file of {without} was missing when they were built."
            if not lack and tasks.protocol in UNTABLED and self.place is None:
                lack = f"Build them: rankconst build -d {tasks.dataset} -p {tasks.protocol}."
            raise UnknownNameError(
                f"the tables ({self.version}) hold no {tasks.split} tasks of {tasks.dataset} under protocol "
                f"{tasks.protocol}.{' ' * bool(lack)}{lack} They hold (protocol/split): {', '.join(held)}."
            )
        found = records.pool(stored)
        if found is None:
            raise UnknownNameError(self._explain_lack(tasks, stored))
        if stored == tasks:
            return found
        # Every task has as many candidates, so the number of tasks and their weights are all that is needed.
        protocol = find_protocol(tasks.protocol)
        if not protocol.shared:
            sizes = np.full(len(found), (protocol.negatives or 0) + 1)
            return Histogram.from_counts(sizes, found.num_tasks, found.weights)
        if tasks.side == "both" or not tasks.is_micro or tasks.relations:
            raise UsageError(
                f"under {protocol.key} it matters which tasks share one list of negatives, and of {tasks.describe()} "
                "that is not known. Name one side, or give the number of tasks that share one in place of the dataset."
            )
        return sampled_histogram(protocol, found.total)

    def _list_missing(self, dataset: str) -> str:
        """Name the splits of a dataset that was counted without their files."""
        row = self.datasets[dataset]
        return " and ".join(s for s in SPLITS if row[f"triples_{s}"] is None) if row["entities"] is not None else ""

    def list_baselines(self, name: str | None) -> tuple[str, ...]:
        """Return the keys of the baselines that a name asks for: chance if it is None, what the version has if all."""
        if name is None:
            return (DEFAULT_BASELINE,)
        if name != ALL_BASELINES:
            return (parse_baseline(name).key,)
        return tuple(key for key in baselines_of(self.version) if key in OFFERED)

    def _explain_baseline(self, tasks: Tasks) -> str:
        """Say why the tables hold nothing of some tasks under a baseline that knows something."""
        baseline = BASELINES[tasks.baseline]
        if precedes(self.version, baseline.since):
            return (
                f"the tables ({self.version}) have no baseline {baseline.key}; those since {baseline.since} do. "
                "Leave out the baseline, or use newer tables."
            )
        if baseline.until and not precedes(self.version, baseline.until):
            return (
                f"the tables ({self.version}) have no baseline {baseline.key}; those before {baseline.until} do. Use "
                f"--baseline {' or '.join(BUILT)}."
            )
        missing = explain_missing(baseline, find_protocol(tasks.protocol), tasks.split)
        if missing:
            return missing
        if "train" in self._list_missing(tasks.dataset):
            return (
                f"baseline {tasks.baseline} has no constants on {tasks.dataset}: it knows the training set, whose file "
                f"was missing when the tables were built. Use --baseline {DEFAULT_BASELINE}."
            )
        if not tasks.is_micro and is_former(self.version):
            return (
                f"tables {self.version} have {tasks.aggregation} averages under a baseline for "
                f"{', '.join(metric.label for metric in MACRO_METRICS)} only. Use newer tables for others."
            )
        return f"the tables ({self.version}) hold no such tasks of {tasks.dataset}: {tasks.describe()}."

    def relations(self, dataset: str | Tasks, **names: Any) -> tuple[str, ...]:
        """Return the relations of some ranking tasks of valid or test, in alphabetical order.

        Parameters
        ----------
        dataset, names
            As for :meth:`histogram`.

        Returns
        -------
        tuple of str
            Empty if the tables have none: for train, and in tables before 1.0.0.

        Raises
        ------
        UnknownNameError
            If a name is unknown.
        """
        tasks = dataset if isinstance(dataset, Tasks) else self.tasks(dataset, **names)
        stored = self._find_stored(tasks) or tasks
        one = replace(stored, side=ENTITY_SIDES[0], aggregation=DEFAULT_AGGREGATION, relations=())
        return self._records(tasks.dataset).relations.get(one, ())

    def holds(self, tasks: Tasks) -> bool:
        """Tell whether there are rows of such tasks, whatever their side, aggregation and relations."""
        held = self._records(tasks.dataset).histograms
        return any(Tasks(tasks.dataset, tasks.protocol, tasks.split, side) in held for side in SIDES)

    def sides(self, tasks: Tasks) -> tuple[str, ...]:
        """Return the sides of some ranking tasks that there are constants of, whatever their own side."""
        stored, held = self._find_stored(tasks), self._records(tasks.dataset).histograms
        if stored is None:
            return ()
        every = [Tasks(stored.dataset, stored.protocol, stored.split, side) for side in SIDES]
        if not find_protocol(tasks.protocol).ranks_relations:
            every = [each for each in every if each.side != RELATION_SIDE]
        return tuple(each.side for each in every if each in held or {*each.sides} <= held.keys())

    def protocols(self, dataset: str) -> tuple[str, ...]:
        """Return the protocols that the tables hold of a dataset, given by its key."""
        return tuple(dict.fromkeys(each.protocol for each in self._records(dataset).histograms))

    def _find_stored(self, tasks: Tasks) -> Tasks | None:
        """Return the tasks whose rows serve: with sampled negatives those of raw do, but for the counts."""
        negatives = find_protocol(tasks.protocol).negatives
        if self.holds(tasks):
            return tasks
        # However they are drawn, the benchmark's own negatives are as many.
        keys = () if negatives is None else (f"sampled:{negatives}", "raw")
        found = (replace(tasks, protocol=key) for key in keys)
        return next((each for each in found if self.holds(each)), None)

    def _explain_lack(self, tasks: Tasks, stored: Tasks) -> str:
        """Say what of some ranking tasks the tables do not hold: weights, relations, or one relation."""
        where = f"{tasks.dataset} {tasks.split}"
        if not tasks.relations and tasks.is_micro:
            stored = replace(tasks, side="")
            rows = self._records(tasks.dataset).histograms
            held = " and ".join(each.side for each in rows if replace(each, side="") == stored)
            why = self._explain_no_relations(tasks) if tasks.side == RELATION_SIDE else "."
            return f"the tables ({self.version}) hold {where} of side {held} only, not of {tasks.side}{why}"
        if not tasks.relations:
            return (
                f"the tables ({self.version}) hold no weights of {where} for {tasks.aggregation}. Leave out the "
                "aggregation."
            )
        known = self.relations(stored)
        if not known:
            return f"the tables ({self.version}) hold no relations of {where}. Leave them out, or name another split."
        import difflib

        name = next(each for each in tasks.relations if each not in known)
        near = difflib.get_close_matches(name, known, n=3)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        if set(name.split(",")) <= {*known}:
            hint = " Name each relation by itself."
        return (
            f"no {tasks.split} task of {tasks.dataset} has relation {shorten(name)!r} under protocol "
            f"{tasks.protocol}.{hint} "
            f"`rankconst show {tasks.dataset} --relations` lists the {len(known)} that there are."
        )

    def _explain_no_relations(self, tasks: Tasks) -> str:
        """Say why the tables hold no tasks that rank relations, as the end of a sentence."""
        from rankconst.catalogue.benchmarks import load_benchmarks
        from rankconst.catalogue.mentions import is_inductive

        if is_inductive(tasks.dataset):
            return (
                ": no tool's code says which relations of an inductive benchmark are ranked, those of the graph that "
                f"models are trained on or those of the other. {_COUNT_THEM}"
            )
        if any(find_protocol(key).qualified for key in self.protocols(tasks.dataset)):
            return f": {_NO_STATEMENTS}"
        if self.datasets[tasks.dataset]["entities"] is None:
            return "."
        if tasks.dataset in load_benchmarks():
            return f". Run: rankconst build -d {tasks.dataset} --out FOLDER; then add --tables FOLDER."
        return ": an earlier version of rankconst built them. Build them again."

    def to_pandas(self, name: str = "constants") -> pd.DataFrame:
        """Return a whole table as a pandas DataFrame (needs pandas)."""
        return self.read(name).to_pandas()

    def _records(self, dataset: str) -> Records:
        if dataset not in self._parsed:
            read = functools.partial(self._read, dataset=dataset)
            self._parsed[dataset] = Records(dataset, read, is_former(self.version))
        return self._parsed[dataset]


@dataclass(frozen=True, repr=False)
class TablesInMemory(Tables):
    """A set of tables that is in no file; each is made when first read, and no constant sooner than asked for."""

    make: Mapping[str, Callable[[], pa.Table]] = field(default_factory=dict, compare=False)
    _made: dict[str, pa.Table] = field(default_factory=dict, init=False, compare=False)

    def _read(
        self,
        name: str,
        columns: tuple[str, ...],
        dataset: str | None = None,
        coded: tuple[str, ...] = (),
        baseline: str | None = None,
    ) -> pa.Table:
        if name not in self._made:
            self._made[name] = self.make[name]()
        wanted = {"dataset": dataset, "baseline": baseline}
        chosen = {key: value for key, value in wanted.items() if value is not None}
        table = _select_rows(self._made[name], chosen).select(columns)
        for column in coded:
            place = table.schema.get_field_index(column)
            table = table.set_column(place, column, table[column].dictionary_encode())
        return table

    def _find_moments(self, tasks: Tasks, metric: Metric) -> Moments | None:
        return super()._find_moments(tasks, metric) if "constants" in self._made else None


@dataclass(frozen=True, repr=False)
class JoinedTables(Tables):
    """Several sets as one: each dataset is taken, whole, from the first set that holds it."""

    sets: tuple[Tables, ...] = ()

    @property
    def version(self) -> str:
        """The versions of the sets."""
        return " + ".join(dict.fromkeys(each.version for each in self.sets))

    @cached_property
    def _homes(self) -> dict[str, Tables]:
        """Dataset key to its set."""
        return {key: each for each in reversed(self.sets) for key in each.datasets}

    def set_of(self, dataset: str) -> Tables:
        """Return the set that a dataset, given by its key, is from."""
        return self._homes.get(dataset, self.sets[0])

    def look_up(self, tasks: Tasks, metric: Metric) -> Constants:
        """Return the constants of a metric, from the set of the dataset."""
        return self.set_of(tasks.dataset).look_up(tasks, metric)

    def _read(
        self,
        name: str,
        columns: tuple[str, ...],
        dataset: str | None = None,
        coded: tuple[str, ...] = (),
        baseline: str | None = None,
    ) -> pa.Table:
        if dataset is not None:
            return self.set_of(dataset)._read(name, columns, dataset, coded, baseline)
        import pyarrow as pa
        import pyarrow.compute as pc

        parts = []
        for each in self.sets:
            own = join_texts([key for key, home in self._homes.items() if home is each])
            table = each._read(name, tuple(dict.fromkeys(("dataset", *columns))), coded=coded, baseline=baseline)
            parts.append(table.filter(pc.is_in(table["dataset"], value_set=own)).select(columns))
        return pa.concat_tables(parts)


def join_tables(sets: Sequence[Tables]) -> Tables:
    """Return several sets as one, in which the first counts that holds a dataset."""
    if len(sets) == 1:
        return sets[0]
    first = sets[0]
    return JoinedTables(first.path, first.descriptor, first.folder, first.place, sets=tuple(sets))


_COUNT_THEM = "If you know how many were, rankconst.from_counts takes the numbers of candidates."
_NO_STATEMENTS = (
    f"no tool's code says which relations of a statement are ranked, and which answers are removed. {_COUNT_THEM}"
)


def _explain_unranked(tasks: Tasks) -> str:
    """Say why there are no constants of tasks that rank relations, on any dataset; empty if there can be."""
    protocol = find_protocol(tasks.protocol)
    if not tasks.is_chance:
        return f"baseline {tasks.baseline} ranks entities; on the relation side there is chance alone. Leave it out."
    if not tasks.is_micro:
        return f"on the relation side every task counts once: there are no {tasks.aggregation} averages."
    if tasks.relations:
        return "side relation is of all relations together: leave out those that are named, or name another side."
    if protocol.qualified:
        return f"protocol {protocol.key} has no relation side: {_NO_STATEMENTS}"
    if protocol.negatives is not None:
        return f"protocol {protocol.key} has no relation side: its negatives are entities."
    return ""


def open_parquet(place: Path | ZipPath, content: bytes) -> pq.ParquetFile:
    """Open a Parquet file; TablesError if its rows would take more memory than those of tables do."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.BufferReader(content))
    metadata = file.metadata
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    # A value that repeats takes nothing in the file, and eight bytes in memory.
    check_size(
        place, sum(max(each.total_byte_size, 8 * each.num_columns * each.num_rows) for each in groups), len(content)
    )
    return file


def _find_row_groups(file: pq.ParquetFile, wanted: Mapping[str, str]) -> tuple[list[int], bool]:
    """Return the row groups that may hold some keys, by the bounds that the file states; True if they hold no other."""
    places = {file.schema_arrow.get_field_index(name): key for name, key in wanted.items()}
    types = {place: file.schema.column(place).physical_type for place in places}
    found, alone = [], True
    for group in range(file.metadata.num_row_groups):
        held, single = file.metadata.row_group(group), True
        for place, key in places.items():
            bounds = _find_bounds(held.column(place), types[place])
            if not bounds or bounds.min is None or bounds.max is None:
                single = False
            elif bounds.min <= key <= bounds.max:
                single = single and bounds.min == bounds.max and bounds.null_count == 0
            else:
                break
        else:
            found.append(group)
            alone = alone and single
    return found, alone


def _find_bounds(chunk: Any, expected: str) -> Any:
    """Return the bounds that a file states of a column; pyarrow ends the process over those of another type."""
    if chunk.physical_type != expected:
        raise ValueError(f"a part of column {chunk.path_in_schema} is {chunk.physical_type}; expected {expected}")
    return chunk.statistics


def _select_rows(table: pa.Table, wanted: Mapping[str, str]) -> pa.Table:
    """Return the rows of a table that have some keys."""
    import pyarrow as pa
    import pyarrow.compute as pc

    masks = [pc.equal(table[name], pa.scalar(key)) for name, key in wanted.items()]
    return table.filter(functools.reduce(pc.and_, masks)) if masks else table


def load(path: str | os.PathLike[str] | None = None, version: str | None = None) -> Tables:
    """Open a set of tables.

    Parameters
    ----------
    path
        A folder written by ``rankconst build``, or a zip file of one; or, as text, the URL of such a zip file or of a
        ``datapackage.json`` next to its tables, ``doi:10.PREFIX/SUFFIX`` of a deposit with one zip file, or
        ``doi:10.PREFIX/SUFFIX/NAME.zip``. A URL or DOI may end in ``#sha256=`` and the hash of that file. What is
        downloaded stays in the cache folder and is read from there afterwards; to have it anew, delete the file that
        `Tables.path` names. If None, the tables that came with the package.
    version
        The version wanted. If None, the newest (or whatever `path` holds).

    Returns
    -------
    Tables
        Of files on this machine, nothing but the descriptor is read yet.

    Raises
    ------
    UnknownNameError
        If there is no such version.
    TablesError
        If `path` holds no tables, or is a zip file that is damaged or holds several sets.
    UsageError
        If `path` is neither a folder nor a zip file nor an address as above.
    DownloadError
        If a download fails, or brings anything but a whole set with the hash that was asked for.
    MissingExtraError
        If a download needs pooch, which is not installed.

    Examples
    --------
    >>> import rankconst
    >>> rankconst.load().constants("wn18rr", "mr").num_tasks
    6268
    """
    if path is None:
        folders = bundle_folders()
        if not folders:
            raise TablesError(
                "this installation carries no tables; install rankconst from its wheel with pip, or name a set of them."
            )
        wanted = list(folders)[-1] if version is None else version
        if wanted not in folders:
            raise UnknownNameError(f"unknown table version {wanted!r}. Carried: {', '.join(folders)}.")
        tables = Tables(folders[wanted], read_descriptor(folders[wanted]), folders[wanted])
    else:
        from rankconst.tables.location import find_location, read_place

        where, folder = find_location(path)
        tables = Tables(where, read_descriptor(folder), folder, read_place(path))
    tables._check_age()
    if version is not None and tables.version != version:
        raise UnknownNameError(
            f"{tables.folder} holds table version {tables.version}, not {version}. Leave out the version, or name "
            "another set."
        )
    return tables
