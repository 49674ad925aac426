"""A set of tables to be checked: what it consists of in its version, its files as bytes, its tables as frames."""

from __future__ import annotations

import hashlib
import math
import zipfile
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from rankconst.catalogue.aggregations import AGGREGATIONS, DEFAULT_AGGREGATION, MACROS
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.mentions import is_inductive
from rankconst.catalogue.metrics import CATALOGUE, MACRO_METRICS, TABULATED, Metric
from rankconst.catalogue.protocols import (
    ENTITY_SIDES,
    PROTOCOLS,
    RELATION_SIDE,
    SIDES,
    SPLITS,
    parse_protocol,
    shares_negatives,
)
from rankconst.errors import DataError, TablesError, UndefinedError, UnknownNameError
from rankconst.moments.result import Method
from rankconst.tables.folder import DESCRIPTOR, INCOMING, ZipPath, read_file
from rankconst.tables.reading import open_parquet
from rankconst.tables.schema import COLUMNS, TableColumn, baselines_of, file_of, is_former, list_lacking
from rankconst.tasks import Histogram, Tasks
from rankconst.version import parse_version
from rankconst_builder.describe import name_archive
from rankconst_builder.package import CHECKSUMS
from rankconst_builder.tabulate import CARRIED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from rankconst.tables.folder import Folder
    from rankconst.tables.tables import Tables


# What a set of some version consists of.

COMPANIONS = ("README.md", "LICENSE", "CITATION.cff", "croissant.json", ".zenodo.json", CHECKSUMS)
"""Files that may accompany the tables."""

OUTPUTS = ("per-triple",)
"""Folders that may accompany the tables: what ``rankconst build`` writes on request, no part of the set."""


def columns_of(table: str, version: str) -> tuple[TableColumn, ...]:
    """Return the columns that a table of a version has."""
    lacking = list_lacking(table, version)
    return tuple(column for column in COLUMNS[table] if column.name not in lacking)


def metrics_of(version: str) -> dict[tuple[str, str], tuple[Metric, ...]]:
    """Return the metrics that a set of a version carries of each aggregation under each baseline."""
    if not is_former(version):
        return {(DEFAULT_AGGREGATION, baseline): metrics for baseline, metrics in CARRIED.items()}
    weighed = {DEFAULT_AGGREGATION: TABULATED, **dict.fromkeys(MACROS, MACRO_METRICS)}
    return {(key, baseline): metrics for key, metrics in weighed.items() for baseline in baselines_of(version)}


COUNTED = tuple(
    column.name
    for column in COLUMNS["datasets"]
    if column.kind == "count" and column.name not in {"triples_valid", "triples_test"}
)
"""The columns of the datasets table that follow from triples: null for benchmarks of which only numbers of tasks are
known."""

OPTIONAL = {"constants": ("k", "num_draws"), "datasets": (*COUNTED, "triples_valid")}
"""Table to its columns that may be null."""


def is_protocol(word: str) -> bool:
    """Tell whether a word is the key of a protocol."""
    try:
        return parse_protocol(word).key == word
    except (UndefinedError, UnknownNameError):
        return False


def read_k(value: float) -> int | None:
    """Return the k in a value of its column: frames have NaN where a metric takes none."""
    return None if math.isnan(value) else int(value)


def read_metric(family: str, k: float) -> Metric | None:
    """Return the metric of a row; None if its k is none that the metric takes."""
    metric, number = CATALOGUE[family], read_k(k)
    if not metric.takes_k:
        return metric
    return None if number is None or number < 1 else metric.at(number)


_TASKS = ("dataset", "protocol", "split", "side")
WEIGHED = (*_TASKS, "aggregation")
"""What a set of tasks and their weights is told by: tasks weigh the same under every baseline."""


def read_tasks(frame: pd.DataFrame, names: tuple[str, ...] = WEIGHED) -> tuple[list[Tasks], NDArray[np.int64]]:
    """Return the different addresses in rows of the constants, of these parts, and which of them each row has."""
    codes, first = code_rows(names, frame)
    rows = zip(*(frame[name].iloc[first].tolist() for name in names), strict=True)
    return [Tasks(**dict(zip(names, row, strict=True))) for row in rows], codes


def code_rows(names: Iterable[str], *frames: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for each row of the frames, the same where columns are equal, and where each number comes first.

    Numbers are in the order of the values. Words must have the same codes in all frames.
    """
    length, bound = sum(map(len, frames)), 1
    codes = np.zeros(length, dtype=np.int64)
    for name in names:
        parts = [frame[name] for frame in frames]
        if isinstance(parts[0].dtype, pd.CategoricalDtype):
            own = np.concatenate([cast("pd.Categorical", part.array).codes for part in parts])
            size = len(parts[0].cat.categories)
        else:
            values = np.concatenate([part.to_numpy() for part in parts])
            own, distinct = pd.factorize(values, sort=True, use_na_sentinel=False)
            size = len(distinct)
        if bound * size >= 2**63:
            codes, found = pd.factorize(codes, sort=True)
            bound = len(found)
        bound *= max(size, 1)
        codes = codes * size + own
    numbers, found = pd.factorize(codes, sort=True)
    first = np.empty(len(found), dtype=np.int64)
    first[numbers[::-1]] = np.arange(length)[::-1]
    return numbers, first


def sum_tasks(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Return the number of tasks for each key in some columns, in the order of the keys."""
    numbers, first = code_rows(names, frame)
    sums = np.zeros(len(first), dtype=np.int64)
    np.add.at(sums, numbers, frame["num_tasks"].to_numpy())
    return frame[[*names]].iloc[first].assign(num_tasks=sums).reset_index(drop=True)


def _is_dataset(word: str) -> bool:
    return word == word.lower() and any(map(str.isalnum, word)) and all(ch.isalnum() or ch in "_-." for ch in word)


def words_of(table: str, column: str, words: Iterable[str]) -> set[str]:
    """Return those of some words that a column may hold."""
    fixed: dict[str, Iterable[str]] = {
        "split": SPLITS if table in {"constants", "candidates", "macro_candidates"} else ("valid", "test"),
        # Tasks that share their negatives are of no side.
        "side": SIDES if table in {"constants", "candidates"} else ENTITY_SIDES,
        "aggregation": AGGREGATIONS if table == "constants" else MACROS,
        "baseline": {*BASELINES} - ({DEFAULT_BASELINE} if table != "constants" else set()),
        "metric": CATALOGUE,
        "method": get_args(Method),
    }
    if column == "protocol":
        return {word for word in words if is_protocol(word)}
    if column == "dataset":
        return {word for word in words if _is_dataset(word)}
    return set(words) & set(fixed[column]) if column in fixed else set(words)


def are_words(table: str, column: str, values: pd.Series[Any]) -> NDArray[np.bool_]:
    """Tell which values of a column of words it may hold; missing ones it may not."""
    words = values.cat.categories
    known = words_of(table, column, words)
    return np.array([*(word in known for word in words), False])[values.cat.codes.to_numpy()]


@dataclass(frozen=True)
class TableSet:
    """A set of tables."""

    tables: Tables
    text: bytes  # the file of the descriptor
    files: Mapping[str, bytes]  # the other files that belong to it
    others: tuple[str, ...] = ()  # names of what else is in the folder
    unreadable: Mapping[str, str] = field(default_factory=dict)  # name to the reason
    packed: bytes | None = None  # the zip file that it is in, if it is one that `rankconst tables release` packed
    selected: frozenset[str] | None = None  # keys of the datasets whose rows are checked; None for all

    @property
    def descriptor(self) -> Mapping[str, Any]:
        """The content of its descriptor."""
        return self.tables.descriptor

    @property
    def version(self) -> str:
        """The version that the descriptor states."""
        return self.tables.version

    @cached_property
    def resources(self) -> dict[str, dict[str, Any]]:
        """Name to what the descriptor says of a file; the first of two with the same name."""
        named: dict[str, dict[str, Any]] = {}
        for resource in self.descriptor["resources"]:
            if isinstance(resource.get("name"), str):
                named.setdefault(resource["name"], resource)
        return named

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tables that the set has; those that came with the package lack what is in the archive only."""
        return tuple(name for name in COLUMNS if file_of(name, self.version) and not self.tables.leaves_out(name))

    def may_lack(self, name: str) -> frozenset[str]:
        """Return the columns of a table that may be null."""
        return frozenset(OPTIONAL.get(name, ())) | list_lacking(name, self.version)

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the descriptor says of a table."""
        return self.resources.get(file_of(name, self.version) or name, {})

    @cached_property
    def digests(self) -> dict[str, str]:
        """Name to SHA-256 of the files."""
        return {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()}

    @cached_property
    def stored(self) -> dict[str, pa.Table]:
        """The tables as they are stored; only those whose files are what the descriptor says.

        A damaged file is not opened: what a reader makes of one is anybody's guess.
        """
        opened = {}
        for name in self.names:
            path, stated = f"{file_of(name, self.version)}.parquet", self.describe(name).get("hash")
            if path in self.files and stated == f"sha256:{self.digests[path]}":
                try:
                    opened[name] = open_parquet(self.tables.folder / path, self.files[path]).read(use_threads=False)
                except (pa.ArrowException, OSError, TablesError):
                    continue
        return opened

    @cached_property
    def whole(self) -> dict[str, pd.DataFrame]:
        """Table to all its rows with the columns of today; only tables whose columns are right."""
        fitting = {}
        for name, table in self.stored.items():
            try:
                fitting[name] = self.tables.complete(name, table)
            except TablesError:
                continue
        return _to_frames(fitting)

    @cached_property
    def sound(self) -> dict[str, pd.DataFrame]:
        """Table to its rows that have every value and no unknown word, of the selected datasets."""
        return {name: self._select_sound(name, frame) for name, frame in self.whole.items()}

    def _select_sound(self, name: str, frame: pd.DataFrame) -> pd.DataFrame:
        keep = np.ones(len(frame), dtype=np.bool_)
        for column in COLUMNS[name]:
            values = frame[column.name]
            if isinstance(values.dtype, pd.CategoricalDtype):
                keep &= are_words(name, column.name, values)
                continue
            if column.name not in self.may_lack(name):
                keep &= values.notna().to_numpy()
            if column.kind == "real":
                keep &= ~np.isinf(values.to_numpy())
        if self.selected is not None:
            keep &= frame["dataset"].isin(self.selected).to_numpy()
        return frame if keep.all() else frame.loc[keep].reset_index(drop=True)

    @cached_property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """Key to row of the datasets that are checked."""
        return {str(row["dataset"]): cast("dict[str, Any]", row) for row in self.sound["datasets"].to_dict("records")}

    @cached_property
    def histograms(self) -> dict[Tasks, Histogram]:
        """The histogram of all tasks, weighted for macro averages; without those that cannot be right."""
        found: dict[Tasks, Any] = {}
        for name in ("candidates", "macro_candidates", "baseline_candidates"):
            if name in self.sound:
                found |= _group_histograms(self.sound[name])
        if is_former(self.version) and (frame := self.sound.get("baseline_candidates_by_relation")) is not None:
            found |= _group_histograms(frame.drop(columns="weight"))
        for tasks in [tasks for tasks in found if tasks.side == "head"]:
            both = replace(tasks, side="both")
            head, tail = both.sides
            if tail in found:
                found[both] = found[head].pool(found[tail])
        return found

    @cached_property
    def counted(self) -> dict[str, dict[str, Any]]:
        """Key to row of the datasets that were counted from files, and whose evaluation is not restricted."""
        return {
            key: row
            for key, row in self.datasets.items()
            if key not in self.restricted and not pd.isna(row["entities"])
        }

    @cached_property
    def _counted(self) -> tuple[tuple[str, str, str], ...]:
        """Dataset, protocol and side of all tasks whose candidates can be read."""
        if "candidates" not in self.sound:
            return ()
        rows = self.sound["candidates"][["dataset", "protocol", "side"]].drop_duplicates()
        return tuple(rows.itertuples(index=False, name=None))

    @cached_property
    def temporal(self) -> frozenset[str]:
        """Keys of the datasets whose facts have a time: by the registry, or by the protocols of others."""
        registry = load_benchmarks()
        rules = [(dataset, parse_protocol(protocol)) for dataset, protocol, _ in self._counted]
        timed = {dataset for dataset, rule in rules if rule.time and not rule.qualified}
        return frozenset(
            key for key in self.datasets if (registry[key].format.temporal if key in registry else key in timed)
        )

    @cached_property
    def qualified(self) -> frozenset[str]:
        """Keys of the datasets whose facts have qualifiers, by their protocols."""
        return frozenset(dataset for dataset, key, _ in self._counted if parse_protocol(key).qualified)

    @cached_property
    def related(self) -> frozenset[str]:
        """Keys of the datasets that rank relations, too: all that can, if any of a released set does; or those that do.

        What an earlier program built does not.
        """
        found = frozenset(dataset for dataset, _, side in self._counted if side == RELATION_SIDE)
        able = self.counted.keys() - self.qualified - {key for key in self.counted if is_inductive(key)}
        return frozenset(able) if found and parse_version(self.version) else found

    def lacks(self, dataset: str) -> tuple[str, ...]:
        """Return the splits of a dataset that was counted without their files."""
        row = self.datasets[dataset]
        return tuple(split for split in SPLITS if pd.isna(row[f"triples_{split}"])) if dataset in self.counted else ()

    @cached_property
    def restricted(self) -> frozenset[str]:
        """Keys of the datasets whose evaluation is restricted to some relations or entities, by their provenance."""
        return frozenset(str(row.get("dataset")) for row in self._provenance if row.get("restriction"))

    def ranked(self, dataset: str) -> tuple[str, ...]:
        """Return the splits whose triples are ranked, by the provenance."""
        stated = [row.get("splits") for row in self._provenance if row.get("dataset") == dataset]
        return tuple(split for split in SPLITS if not any(stated) or split in str(stated[0]).split(","))

    @cached_property
    def _provenance(self) -> list[dict[str, Any]]:
        rows = self.descriptor.get("provenance")
        return [row for row in (rows if isinstance(rows, list) else []) if isinstance(row, dict)]

    def select(self, datasets: Iterable[str]) -> TableSet:
        """Return the same set, with only the rows of some datasets to be checked."""
        return replace(self, selected=frozenset(datasets))


def _group_histograms(frame: pd.DataFrame) -> dict[Tasks, Histogram]:
    names = [name for name in (*_TASKS, "aggregation", "baseline") if name in frame]
    groups = frame.groupby(names, observed=True, sort=False).indices
    fields = {"num_candidates": "counts", "num_tasks": "num_tasks", "weight": "weights", "offset": "offsets"}
    columns = {field: frame[name].to_numpy() for name, field in fields.items() if name in frame}
    found: dict[Tasks, Histogram] = {}
    for key, rows in cast("Mapping[tuple[Any, ...], NDArray[np.int64]]", groups).items():
        try:
            histogram = Histogram.from_counts(**{field: values[rows] for field, values in columns.items()})
            tasks = Tasks(**dict(zip(names, key, strict=True)))
            found[tasks] = replace(histogram, shared=True) if shares_negatives(tasks.protocol) else histogram
        except DataError:
            continue  # what is wrong with the rows, the check of candidates says
    return found


_NO_DATE = (1980, 1, 1, 0, 0, 0)
"""The date that the entries of a released zip file have."""

_WORDS = ("dataset", "protocol", "split", "side", "aggregation", "baseline", "relation", "metric", "method")
"""The columns of words from a list; the same word has the same code in every table."""


def _rank(column: str, word: str) -> tuple[int, int, str]:
    """Return what orders the words of a column: as their catalogue does, others after them, by the alphabet."""
    catalogues: dict[str, Iterable[str]] = {
        "protocol": PROTOCOLS,
        "split": SPLITS,
        "side": SIDES,
        "aggregation": AGGREGATIONS,
        "baseline": BASELINES,
        "metric": CATALOGUE,
    }
    order = list(catalogues.get(column, ()))
    if word in order:
        return order.index(word), 0, word
    sampled = parse_protocol(word).negatives if column == "protocol" and is_protocol(word) else None
    return len(order), sampled or 0, word


def _to_frames(tables: Mapping[str, pa.Table]) -> dict[str, pd.DataFrame]:
    """Turn tables into frames, with columns of words as ordered categories that are the same in all of them."""
    coded = {
        (name, column): pc.dictionary_encode(table.column(column)).combine_chunks()
        for name, table in tables.items()
        for column in _WORDS
        if column in table.column_names
    }
    words: dict[str, pd.CategoricalDtype] = {}
    for column in _WORDS:
        found = {word for (_, one), array in coded.items() if one == column for word in _dictionary_of(array)}
        ranked = sorted(found, key=partial(_rank, column))
        words[column] = pd.CategoricalDtype(pd.Index(ranked, dtype=object), ordered=True)
    return {
        name: pd.DataFrame(
            {
                column: _recode(coded[name, column], words[column])
                if (name, column) in coded
                else _to_values(table.column(column))
                for column in table.column_names
            },
            index=pd.RangeIndex(len(table)),
        )
        for name, table in tables.items()
    }


def _dictionary_of(array: Any) -> list[str]:
    return [] if not len(array) else list(array.dictionary.to_pylist())


def _recode(array: Any, words: pd.CategoricalDtype) -> Any:
    if not len(array):
        return pd.Categorical([], dtype=words)
    place = {word: code for code, word in enumerate(words.categories)}
    own = np.array([place[word] for word in array.dictionary.to_pylist()] + [-1], dtype=np.int64)
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return pd.Categorical.from_codes(own[codes], dtype=words)


def _to_values(column: Any) -> Any:
    """Return a column as numbers where it holds numbers, with NaN for null; as Python objects elsewhere."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column.to_numpy()
    return pd.Series(column.to_pylist(), dtype=object)


def read_set(tables: Tables) -> TableSet:
    """Read the files of a set of tables; those that do not belong to it are only named."""
    folder = tables.folder
    stated = {f"{name}.parquet" for name in COLUMNS}
    for resource in tables.descriptor["resources"]:
        if isinstance(resource.get("path"), str):
            stated.add(resource["path"])
    files: dict[str, bytes] = {}
    others: list[str] = []
    unreadable: dict[str, str] = {}
    for name, is_file in _list_names(folder):
        if name == DESCRIPTOR:
            continue
        if not is_file or (name not in stated and name not in COMPANIONS):
            others.append(name)
            continue
        try:
            files[name] = read_file(folder / name)
        except (TablesError, OSError) as error:
            unreadable[name] = str(error)
    return TableSet(
        tables=tables,
        text=read_file(folder / DESCRIPTOR),
        files=files,
        others=tuple(others),
        unreadable=unreadable,
        packed=_read_package(folder, tables.version),
    )


def _read_package(folder: Folder, version: str) -> bytes | None:
    """Return the zip file around a set if it looks like one that a release packed: by folder and dates."""
    if not isinstance(folder, ZipPath) or folder.at != f"{name_archive(version)}/":
        return None
    with zipfile.ZipFile(folder.archive) as archive:
        undated = any(entry.date_time == _NO_DATE for entry in archive.infolist())
    return folder.archive.read_bytes() if undated else None


def _list_names(folder: Folder) -> list[tuple[str, bool]]:
    """Return the names of what lies in a folder, or in one inside a zip file, and which of them are files."""
    if isinstance(folder, ZipPath):
        with zipfile.ZipFile(folder.archive) as archive:
            inside = [name.removeprefix(folder.at) for name in archive.namelist() if name != folder.at]
        names = {name.partition("/")[0]: "/" not in name for name in inside}
        return sorted(names.items())
    newer = folder / INCOMING
    entries = [*folder.iterdir(), *(newer.iterdir() if newer.is_dir() else ())]
    return sorted({(entry.name, entry.is_file()) for entry in entries if entry != newer})
