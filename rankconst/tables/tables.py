"""Open a version of the tables and look constants up in it.

A set of tables is a folder with a Parquet file for each table of :data:`~rankconst.tables.schema.COLUMNS` and
``datapackage.json``, which names the version and the SHA-256 of each. The set that this package carries is the
default; older sets stay loadable by version. :mod:`rankconst.tables.location` says where else a set can be.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, parse_aggregation
from rankconst.catalogue.metrics import Metric, parse_metric
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol, parse_side, parse_split, sampled_histogram
from rankconst.constants.constants import Constants
from rankconst.errors import TablesError, UnknownNameError, UsageError
from rankconst.moments import Moments, compute_moments
from rankconst.names import resolve_name
from rankconst.tables.folder import DESCRIPTOR, read_descriptor, read_table_file
from rankconst.tables.location import find_location
from rankconst.tables.schema import COLUMNS, SINCE, parse_version, precedes, schema_of
from rankconst.tasks import Histogram, WeightedHistogram

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from rankconst.tables.folder import Folder

    Names = tuple[str, ...]


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
    """

    path: Path
    descriptor: dict[str, Any]
    folder: Folder = field(repr=False, compare=False)
    _contents: dict[str, bytes | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _files: dict[str, pq.ParquetFile] = field(default_factory=dict, init=False, repr=False, compare=False)
    _parsed: dict[str, Records] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def version(self) -> str:
        """The version of the set."""
        return str(self.descriptor["version"])

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
            With the columns of today, whatever version the set is of: what older versions lack is filled in.

        Raises
        ------
        TablesError
            If the file is missing, is not the one that was written, or has another schema.
        """
        return self._read(name, tuple(column.name for column in COLUMNS[name]), dataset)

    def _read(
        self, name: str, columns: tuple[str, ...], dataset: str | None = None, coded: tuple[str, ...] = ()
    ) -> pa.Table:
        """Read some columns of a table, in its order; those in `coded` as dictionaries."""
        content = self._read_content(name)
        if content is None:
            return schema_of(name).empty_table().select(columns)
        import pyarrow as pa
        import pyarrow.parquet as pq

        if name not in self._files:
            file = pq.ParquetFile(pa.BufferReader(content))
            self._check_schema(name, file)
            self._files[name] = file
        file = self._files[name]
        if coded:
            file = pq.ParquetFile(pa.BufferReader(content), metadata=file.metadata, read_dictionary=list(coded))
        names = file.schema_arrow.names
        held = [column for column in columns if column in names]
        # One thread: pyarrow's workers, when only just started, can abort a short process at its exit
        # (apache/arrow issue 34314), and files of this size gain nothing from them.
        if dataset is None:
            return self._complete(name, columns, file.read(held, use_threads=False))
        groups, alone = _find_row_groups(file, dataset)
        if alone:
            return self._complete(name, columns, file.read_row_groups(groups, held, use_threads=False))
        table = file.read_row_groups(groups, list(dict.fromkeys(["dataset", *held])), use_threads=False)
        # Rows stand in canonical order, so those of a dataset stand together.
        keys = table.column("dataset").to_pylist()
        start = keys.index(dataset) if dataset in keys else 0
        return self._complete(name, columns, table.select(held).slice(start, keys.count(dataset)))

    def _read_content(self, name: str) -> bytes | None:
        """Return the file of a table, checked; None for a table that sets of this version do not have yet."""
        if name not in self._contents:
            resource = next((r for r in self.descriptor["resources"] if r.get("name") == name), None)
            lacking = resource is None and self._precedes(SINCE.get(name, ""))
            self._contents[name] = (
                None
                if lacking
                else read_table_file(self.folder, name, None if resource is None else resource.get("hash"))
            )
        return self._contents[name]

    def _check_schema(self, name: str, file: pq.ParquetFile) -> None:
        """Refuse a file with other columns than today's, but for those that sets of this version do not have yet."""
        import pyarrow as pa

        expected, found = schema_of(name), file.schema_arrow
        names = found.names
        lacking = {c.name for c in COLUMNS[name] if c.name not in names and self._precedes(c.since)}
        if not found.equals(pa.schema([field for field in expected if field.name not in lacking])):
            raise TablesError(
                f"{self.folder / name}.parquet has columns {names}; this version of rankconst reads {expected.names}."
            )

    def _complete(self, name: str, columns: tuple[str, ...], table: pa.Table) -> pa.Table:
        """Add what sets of this version do not have yet."""
        known = {column.name: column for column in COLUMNS[name]}
        names = table.schema.names
        for place, column in enumerate(columns):
            if column not in names:
                import pyarrow as pa

                added = schema_of(name).field(column)
                value = pa.scalar(known[column].before, added.type)
                table = table.add_column(place, added, pa.repeat(value, len(table)))
        return table

    def _precedes(self, version: str) -> bool:
        """Tell whether the set is of a version before `version`; one that nobody released is of today."""
        return precedes(self.version, version)

    @cached_property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """Dataset key to its row of ``datasets.parquet``, in the order of the table."""
        return {row["dataset"]: row for row in self.read("datasets").to_pylist()}

    @cached_property
    def _spellings(self) -> dict[str, tuple[str, ...]]:
        """Dataset key to its further spellings."""
        columns = self._read("datasets", ("dataset", "title", "aliases")).to_pydict()
        return {key: (title, *aliases) for key, title, aliases in zip(*columns.values(), strict=True)}

    def resolve_dataset(self, name: str) -> str:
        """Return the key of the dataset that `name` spells.

        Raises
        ------
        UnknownNameError
            If the tables have no such dataset; the message suggests the nearest.
        """
        spellings = self._spellings
        return resolve_name(
            "dataset",
            name,
            spellings,
            f"The tables ({self.version}) hold {len(spellings)}; `rankconst datasets` lists them.",
        )

    def histogram(
        self, dataset: str, split: str = "test", side: str = "both", protocol: str = DEFAULT_PROTOCOL
    ) -> Histogram:
        """Return the candidate counts of a set of ranking tasks; ``both`` pools the two sides.

        Raises
        ------
        UnknownNameError
            If the tables do not hold it.
        """
        key = (self.resolve_dataset(dataset), parse_protocol(protocol).key, parse_split(split), parse_side(side))
        return self._histogram(*key)

    def macro_histogram(
        self,
        dataset: str,
        aggregation: str,
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
    ) -> WeightedHistogram:
        """Return the candidate counts of a set of ranking tasks with the weights of a macro average.

        Raises
        ------
        UnknownNameError
            If the tables do not hold it.
        """
        wanted = parse_aggregation(aggregation).key
        key = (self.resolve_dataset(dataset), parse_protocol(protocol).key, parse_split(split), parse_side(side))
        return self._macro_histogram(*key, wanted)

    def relation_histogram(
        self,
        dataset: str,
        relations: str | Iterable[str],
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
    ) -> Histogram:
        """Return the candidate counts of the ranking tasks of some relations, pooled.

        Parameters
        ----------
        dataset, split, side, protocol
            As for :meth:`histogram`; tables hold relations of valid and test.
        relations
            One or more, as the benchmark's files write them.

        Raises
        ------
        UnknownNameError
            If the tables do not hold one of them.
        """
        key = self.resolve_dataset(dataset)
        names = tuple(dict.fromkeys([relations] if isinstance(relations, str) else relations))
        return self._relation_histogram(
            key, parse_protocol(protocol).key, parse_split(split), parse_side(side), relations=names
        )

    def relations(self, dataset: str, split: str = "test", protocol: str = DEFAULT_PROTOCOL) -> tuple[str, ...]:
        """Return the relations that have ranking tasks, in alphabetical order."""
        key, split_key = self.resolve_dataset(dataset), parse_split(split)
        wanted = self._stored_protocol(key, parse_protocol(protocol).key, split_key), split_key, "head"
        return tuple(row[3] for row in self._records(key).relation_histograms if row[:3] == wanted)

    def holds(self, dataset: str, protocol: str, split: str) -> bool:
        """Tell whether there are tasks of that split under that protocol; the names must be keys."""
        return (protocol, split, "head") in self._records(dataset).histograms

    def protocols(self, dataset: str) -> tuple[str, ...]:
        """Return the protocols that the tables hold of a dataset, given by its key."""
        return tuple(dict.fromkeys(key[0] for key in self._records(dataset).histograms))

    def constants(
        self,
        dataset: str,
        metric: str | Metric,
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
        *,
        aggregation: str = DEFAULT_AGGREGATION,
        relations: str | Iterable[str] | None = None,
    ) -> Constants:
        """Look up the constants of a metric.

        Parameters
        ----------
        dataset, metric, split, side, protocol, aggregation
            In any usual spelling: ``"FB15k-237"``, ``"H@10"``, ``"testing"``.
        relations
            Only the ranking tasks of these relations; computed from their histogram. If None, those of all.

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
        parsed = parse_metric(metric)
        tasks = (self.resolve_dataset(dataset), parse_protocol(protocol).key, parse_split(split), parse_side(side))
        weighed = parse_aggregation(aggregation).key
        names = () if relations is None else tuple([relations] if isinstance(relations, str) else relations)
        if names and weighed != DEFAULT_AGGREGATION:
            raise UsageError(f"{weighed} averages are over all relations; leave out the aggregation or the relations.")
        row = None
        histogram: Histogram | WeightedHistogram
        if names:
            histogram = self._relation_histogram(*tasks, relations=names)
        else:
            histogram = (
                self._histogram(*tasks) if weighed == DEFAULT_AGGREGATION else self._macro_histogram(*tasks, weighed)
            )
            row = self._records(tasks[0]).find_moments((*tasks[1:], weighed, parsed.family, parsed.k))
        key, protocol_key, split_key, side_key = tasks
        return Constants(
            dataset=key,
            protocol=protocol_key,
            split=split_key,
            side=side_key,
            aggregation=weighed,
            relations=names,
            metric=parsed,
            histogram=histogram,
            moments=row or compute_moments(parsed, histogram),
            table_version=self.version,
        )

    def to_pandas(self, name: str = "constants") -> pd.DataFrame:
        """Return a whole table as a pandas DataFrame (needs pandas)."""
        return self.read(name).to_pandas()

    def _records(self, dataset: str) -> Records:
        if dataset not in self._parsed:
            self._parsed[dataset] = Records(functools.partial(self._read, dataset=dataset))
        return self._parsed[dataset]

    def _stored_protocol(self, dataset: str, protocol: str, split: str) -> str:
        """Return the protocol whose rows serve: with sampled negatives those of raw do, but for the counts."""
        negatives = parse_protocol(protocol).negatives
        if negatives is None or self.holds(dataset, protocol, split):
            return protocol
        # However they are drawn, the benchmark's own negatives are as many.
        given = f"sampled:{negatives}"
        return given if self.holds(dataset, given, split) else "raw"

    def _histogram(self, dataset: str, protocol: str, split: str, side: str) -> Histogram:
        stored = self._records(dataset).histograms
        parts = [stored.get((protocol, split, one)) for one in _parts_of(side)]
        found = [part for part in parts if part is not None]
        negatives = parse_protocol(protocol).negatives
        source = self._stored_protocol(dataset, protocol, split)
        if negatives is not None and source != protocol and self.holds(dataset, source, split):
            # Every task has as many candidates, so the number of tasks is all that is needed.
            tasks = self._histogram(dataset, source, split, side).total
            return sampled_histogram(protocol, tasks)
        if len(found) < len(parts):
            held = dict.fromkeys(f"{key[0]}/{key[1]}" for key in stored)
            raise UnknownNameError(
                f"the tables ({self.version}) hold no {split} tasks of {dataset} under protocol {protocol}. "
                f"They hold (protocol/split): {', '.join(held)}."
            )
        return functools.reduce(Histogram.pool, found)

    def _relation_histogram(
        self, dataset: str, protocol: str, split: str, side: str, *, relations: tuple[str, ...]
    ) -> Histogram:
        whole = self._histogram(dataset, protocol, split, side)
        source = self._stored_protocol(dataset, protocol, split)
        stored = self._records(dataset).relation_histograms
        known = {key[3] for key in stored if key[:2] == (source, split)}
        if not known:
            raise UnknownNameError(
                f"the tables ({self.version}) hold no relations of {dataset} {split}; tables since "
                f"{SINCE['candidates_by_relation']} do for valid and test."
            )
        for name in relations:
            if name not in known:
                import difflib

                near = difflib.get_close_matches(name, known, n=3)
                hint = f" Did you mean {', '.join(near)}?" if near else ""
                raise UnknownNameError(
                    f"no {split} task of {dataset} has relation {name!r} under protocol {protocol}.{hint} "
                    f"`rankconst show {dataset} --relations` lists the {len(known)} that there are."
                )
        parts = [stored[source, split, one, name] for one in _parts_of(side) for name in relations]
        pooled = functools.reduce(Histogram.pool, parts)
        return pooled if source == protocol else Histogram(whole.num_candidates, np.array([pooled.total]))

    def _macro_histogram(
        self, dataset: str, protocol: str, split: str, side: str, aggregation: str
    ) -> WeightedHistogram:
        whole = self._histogram(dataset, protocol, split, side)
        if aggregation == DEFAULT_AGGREGATION:
            return WeightedHistogram(whole.num_candidates, whole.weights, whole.num_tasks)
        stored = self._records(dataset).macro_histograms
        source = self._stored_protocol(dataset, protocol, split)
        parts = [stored.get((source, split, one, aggregation)) for one in _parts_of(side)]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            raise UnknownNameError(
                f"the tables ({self.version}) hold no weights of {dataset} {split} for {aggregation}; "
                f"tables since {SINCE['macro_candidates']} do."
            )
        pooled = functools.reduce(WeightedHistogram.pool, found)
        if source == protocol:
            return pooled
        sizes = np.full(len(pooled), whole.num_candidates[0])
        return WeightedHistogram.from_counts(sizes, pooled.weights, pooled.num_tasks)


def _parts_of(side: str) -> tuple[str, ...]:
    return ("head", "tail") if side == "both" else (side,)


def _find_row_groups(file: pq.ParquetFile, dataset: str) -> tuple[list[int], bool]:
    """Return the row groups that may hold a dataset, by the bounds that the file states; True if they hold it alone."""
    place = file.schema_arrow.get_field_index("dataset")
    found, alone = [], True
    for group in range(file.metadata.num_row_groups):
        bounds = file.metadata.row_group(group).column(place).statistics
        if bounds is None or bounds.min is None or bounds.max is None:
            found.append(group)
            alone = False
        elif bounds.min <= dataset <= bounds.max:
            found.append(group)
            alone = alone and bounds.min == bounds.max and bounds.null_count == 0
    return found, alone


def _bundle_folders() -> dict[str, Path]:
    """Version to folder of the sets that came with the package, oldest first."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "data"
    # A wheel carries the tables inside the package; in a checkout they lie beside it.
    root = inside if inside.is_dir() else package.parent / "data"
    found = {parse_version(path.parent.name): path.parent for path in root.glob(f"*.*.*/{DESCRIPTOR}")}
    return {found[version].name: found[version] for version in sorted(filter(None, found))}


def bundled_versions() -> tuple[str, ...]:
    """Return the versions of the tables that this installation carries, oldest first."""
    return tuple(_bundle_folders())


def load(path: str | os.PathLike[str] | None = None, version: str | None = None) -> Tables:
    """Open a set of tables.

    Parameters
    ----------
    path
        A folder written by ``rankconst build``, or a zip file of one; or, as text, the URL of such a zip file or of a
        ``datapackage.json`` beside its tables, ``doi:10.PREFIX/SUFFIX`` of a deposit with one zip file, or
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
        folders = _bundle_folders()
        if not folders:
            raise TablesError(
                "this installation carries no tables; install rankconst from its wheel, or pass a folder."
            )
        wanted = list(folders)[-1] if version is None else version
        if wanted not in folders:
            raise UnknownNameError(f"unknown table version {wanted!r}. Carried: {', '.join(folders)}.")
        path = folders[wanted]
    where, folder = find_location(path)
    tables = Tables(where, read_descriptor(folder), folder)
    if version is not None and tables.version != version:
        raise UnknownNameError(f"{folder} holds table version {tables.version}, not {version}.")
    return tables


class Reader(Protocol):
    """Returns the dataset's rows of a table, in canonical order."""

    def __call__(self, name: str, columns: Names, *, coded: Names = ()) -> pa.Table:
        """Return these columns, in the order of the table; those in `coded` as dictionaries."""
        ...


@dataclass(frozen=True)
class Records:
    """The rows of one dataset.

    Attributes
    ----------
    read
        Reads them.
    """

    read: Reader

    @cached_property
    def histograms(self) -> dict[Names, Histogram]:
        """(protocol, split, side) to candidate counts."""
        groups = self._group("candidates", ("protocol", "split", "side"), ("num_candidates", "num_tasks"))
        return {key: Histogram(*columns) for key, columns in groups.items()}

    @cached_property
    def macro_histograms(self) -> dict[Names, WeightedHistogram]:
        """(protocol, split, side, aggregation) to candidate counts with weights."""
        groups = self._group(
            "macro_candidates",
            ("protocol", "split", "side", "aggregation"),
            ("num_candidates", "weight", "num_tasks"),
        )
        return {key: WeightedHistogram(*columns) for key, columns in groups.items()}

    @cached_property
    def relation_histograms(self) -> dict[Names, Histogram]:
        """(protocol, split, side, relation) to candidate counts."""
        groups = self._group(
            "candidates_by_relation",
            ("protocol", "split", "side", "relation"),
            ("num_candidates", "num_tasks"),
        )
        return {key: Histogram(*columns) for key, columns in groups.items()}

    def find_moments(self, key: tuple[Any, ...]) -> Moments | None:
        """Return the constants of (protocol, split, side, aggregation, metric family, k); None if there is no row."""
        places, columns = self._constants
        place = places.get(key)
        return None if place is None else Moments(*(column[place] for column in columns))

    @cached_property
    def _constants(self) -> tuple[dict[tuple[Any, ...], int], list[list[Any]]]:
        """The place of each key, and the columns of what stands there."""
        keys = ("protocol", "split", "side", "aggregation", "metric", "k")
        fields = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
        columns = self.read("constants", (*keys, *fields)).to_pydict()
        places = {key: place for place, key in enumerate(zip(*(columns[name] for name in keys), strict=True))}
        return places, [columns[name] for name in fields]

    def _group(self, name: str, keys: Names, values: Names) -> dict[Names, tuple[NDArray[Any], ...]]:
        """Cut a table into arrays, a group for each run of equal keys."""
        # As dictionaries, keys are compared by their codes: only those of whole groups become text.
        table = self.read(name, (*keys, *values), coded=keys)
        if not len(table):
            return {}
        codes, words = zip(*(_decode(table.column(key)) for key in keys), strict=True)
        new = np.any([code[1:] != code[:-1] for code in codes], axis=0)
        starts = np.concatenate(([0], np.flatnonzero(new) + 1))
        names = zip(*(word[code[starts]].tolist() for code, word in zip(codes, words, strict=True)), strict=True)
        pieces = [np.split(_to_array(table.column(value)), starts[1:]) for value in values]
        return dict(zip(names, zip(*pieces, strict=True), strict=True))


def _decode(column: pa.ChunkedArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the codes of a column that was read as a dictionary, and the texts that they stand for."""
    chunks = cast("list[pa.DictionaryArray[Any, Any]]", column.unify_dictionaries().chunks)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in chunks])
    return codes, np.array(chunks[0].dictionary.to_pylist(), dtype=object)


def _to_array(column: pa.ChunkedArray[Any]) -> NDArray[Any]:
    """Return a column of numbers; pyarrow's own conversion would import pandas."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])
