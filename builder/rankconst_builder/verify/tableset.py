"""A set of tables to be checked: its files as bytes, its tables as frames, and what they say that it holds."""

from __future__ import annotations

import contextlib
import hashlib
import math
import zipfile
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
import pandas as pd
import pyarrow as pa

from rankconst.catalogue.aggregations import AGGREGATIONS, MACROS
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.mentions import is_inductive
from rankconst.catalogue.metrics import CATALOGUE, Metric
from rankconst.catalogue.protocols import (
    ENTITY_SIDES,
    RELATION_SIDE,
    SIDES,
    SPLITS,
    parse_protocol,
    shares_negatives,
)
from rankconst.errors import DataError, TablesError, UndefinedError, UnknownNameError
from rankconst.moments.result import Method
from rankconst.names import is_key
from rankconst.tables.folder import DESCRIPTOR, INCOMING, ZipPath, read_file
from rankconst.tables.reading import open_parquet
from rankconst.tables.schema import COLUMNS, NULLABLE, TableColumn, file_of, is_former, list_lacking
from rankconst.tasks import Histogram, Tasks
from rankconst.version import parse_version
from rankconst_builder.describe import DOCUMENTS, name_archive
from rankconst_builder.package import CHECKSUMS, order_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from rankconst.tables.folder import Folder
    from rankconst.tables.tables import Tables


TASKS = ("dataset", "protocol", "split", "side")
WEIGHED = (*TASKS, "aggregation")
"""What tasks and their weights are told by: they weigh the same under every baseline."""


UNCOUNTED = frozenset(column.name for column in COLUMNS["datasets"] if column.kind != "count") | {"triples_test"}
"""What the builder knows of every dataset, even where it has no files."""


def is_protocol(word: str) -> bool:
    """Tell whether a word is the key of a protocol."""
    try:
        return parse_protocol(word).key == word
    except (UndefinedError, UnknownNameError):
        return False


def read_k(value: float) -> int | None:
    """Return the k in a value of its column: frames have NaN where a metric takes none."""
    return None if math.isnan(value) else int(value)


def _read_metric(family: str, k: int | None) -> Metric | None:
    metric = CATALOGUE[family]
    if not metric.takes_k:
        return metric
    return None if k is None or k < 1 else metric.at(k)


def read_metrics(frame: pd.DataFrame) -> tuple[list[Metric | None], NDArray[np.int64]]:
    """Return the different metrics in rows of the constants, None for an impossible k; and which each row has."""
    codes, first = code_rows(("metric", "k"), frame)
    rows = frame.iloc[first]
    return [*map(_read_metric, rows["metric"], map(read_k, rows["k"]))], codes


def read_tasks(frame: pd.DataFrame, names: tuple[str, ...] = WEIGHED) -> tuple[list[Tasks], NDArray[np.int64]]:
    """Return the different addresses in rows of the constants, of these parts, and which of them each row has."""
    codes, first = code_rows(names, frame)
    rows = frame[[*names]].iloc[first].itertuples(index=False, name=None)
    return [Tasks(**dict(zip(names, row, strict=True))) for row in rows], codes


def code_rows(names: Iterable[str], *frames: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for each row, the same where columns are equal, in their order; and where each comes first."""
    codes, bound = np.zeros(sum(map(len, frames)), dtype=np.int64), 1
    for name in names:
        parts = [frame[name] for frame in frames]
        if isinstance(parts[0].dtype, pd.CategoricalDtype):
            own, size = np.concatenate([part.cat.codes for part in parts]), len(parts[0].cat.categories)
        else:
            own, values = pd.factorize(np.concatenate(parts), sort=True, use_na_sentinel=False)
            size = len(values)
        if bound * size >= 2**63:
            codes, found = pd.factorize(codes, sort=True)
            bound = len(found)
        codes, bound = codes * size + own, bound * max(size, 1)
    numbers, found = pd.factorize(codes, sort=True)
    first = np.empty(len(found), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(codes))[::-1]
    return numbers, first


def sum_tasks(names: Iterable[str], *frames: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each key in some columns, in their order, the tasks that each frame has of it; and its first row."""
    numbers, first = code_rows(names, *frames)
    sums = np.zeros((len(frames), len(first)), dtype=np.int64)
    ends = np.cumsum([*map(len, frames)])
    for total, frame, codes in zip(sums, frames, np.split(numbers, ends[:-1]), strict=True):
        np.add.at(total, codes, frame["num_tasks"].to_numpy())
    return sums, first


def are_words(table: str, column: str, values: pd.Series[Any]) -> NDArray[np.bool_]:
    """Tell which values of a column of words it may hold; missing ones it may not."""
    fixed: dict[str, Collection[str]] = {
        "split": SPLITS if table in {"constants", "candidates", "macro_candidates"} else ("valid", "test"),
        # Tasks that share their negatives are of no side.
        "side": SIDES if table in {"constants", "candidates"} else ENTITY_SIDES,
        "aggregation": AGGREGATIONS if table == "constants" else MACROS,
        "baseline": {*BASELINES} - ({DEFAULT_BASELINE} if table != "constants" else set()),
        "metric": CATALOGUE,
        "method": get_args(Method),
    }
    words = values.cat.categories
    if column == "protocol":
        known = [*map(is_protocol, words)]
    elif column == "dataset":
        known = [is_key(word) and word == word.lower() for word in words]
    else:
        known = [word in fixed.get(column, words) for word in words]
    return np.array([*known, False])[values.cat.codes.to_numpy()]


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
        rows = self.descriptor["resources"]
        return {row["name"]: row for row in reversed(rows) if isinstance(row.get("name"), str)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tables that the set has; those that came with the package lack what is in the archive only."""
        return tuple(name for name in COLUMNS if file_of(name, self.version) and not self.tables.leaves_out(name))

    def columns(self, name: str) -> tuple[TableColumn, ...]:
        """Return the columns that a table has in a set of this version."""
        lacking = list_lacking(name, self.version)
        return tuple(column for column in COLUMNS[name] if column.name not in lacking)

    def may_lack(self, name: str) -> frozenset[str]:
        """Return the columns of a table that may be null."""
        counted = NULLABLE[name] - UNCOUNTED if name == "datasets" else NULLABLE.get(name, frozenset())
        return counted | list_lacking(name, self.version)

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the descriptor says of a table."""
        return self.resources.get(file_of(name, self.version) or name, {})

    @cached_property
    def digests(self) -> dict[str, str]:
        """Name to SHA-256 of the files, the descriptor among them."""
        return {name: hashlib.sha256(content).hexdigest() for name, content in self.contents.items()}

    @property
    def contents(self) -> dict[str, bytes]:
        """The files that belong to it, the descriptor among them."""
        return {**self.files, DESCRIPTOR: self.text}

    @cached_property
    def stored(self) -> dict[str, pa.Table]:
        """The tables as they are stored; only those whose files are what the descriptor says."""
        opened = {}
        for name in self.names:
            path, stated = f"{file_of(name, self.version)}.parquet", self.describe(name).get("hash")
            if path in self.files and stated == f"sha256:{self.digests[path]}":
                with contextlib.suppress(pa.ArrowException, OSError, TablesError):
                    opened[name] = open_parquet(self.tables.folder / path, self.files[path]).read(use_threads=False)
        return opened

    @cached_property
    def whole(self) -> dict[str, pd.DataFrame]:
        """Table to all its rows with the columns of today; only tables whose columns are right."""
        fitting = {}
        for name, table in self.stored.items():
            with contextlib.suppress(TablesError):
                fitting[name] = self.tables.complete(name, table)
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
            elif column.name not in self.may_lack(name):
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
        rows = self.datasets.items()
        return {key: row for key, row in rows if key not in self.restricted and not pd.isna(row["entities"])}

    @cached_property
    def _ranked(self) -> set[tuple[str, str, str]]:
        """Dataset, protocol and side of all tasks whose candidates can be read."""
        frame = self.sound.get("candidates", pd.DataFrame(columns=TASKS))
        return {*frame[["dataset", "protocol", "side"]].drop_duplicates().itertuples(index=False, name=None)}

    @cached_property
    def temporal(self) -> frozenset[str]:
        """Keys of the datasets whose facts have a time: by the registry, or by the protocols of others."""
        registry = load_benchmarks()
        rules = [(dataset, parse_protocol(protocol)) for dataset, protocol, _ in self._ranked]
        timed = {dataset for dataset, rule in rules if rule.time and not rule.qualified}
        return frozenset(
            key for key in self.datasets if (registry[key].format.temporal if key in registry else key in timed)
        )

    @cached_property
    def qualified(self) -> frozenset[str]:
        """Keys of the datasets whose facts have qualifiers, by their protocols."""
        return frozenset(dataset for dataset, key, _ in self._ranked if parse_protocol(key).qualified)

    @cached_property
    def related(self) -> frozenset[str]:
        """Keys of the datasets that rank relations, too; of a released set all that can, if any does."""
        found = frozenset(dataset for dataset, _, side in self._ranked if side == RELATION_SIDE)
        able = self.counted.keys() - self.qualified - {key for key in self.counted if is_inductive(key)}
        return frozenset(able) if found and parse_version(self.version) else found

    def lacks(self, dataset: str) -> tuple[str, ...]:
        """Return the splits of a dataset that was counted without their files."""
        row = self.counted.get(dataset)
        return tuple(split for split in SPLITS if row is not None and pd.isna(row[f"triples_{split}"]))

    @cached_property
    def restricted(self) -> frozenset[str]:
        """Keys of the datasets whose evaluation is restricted to some relations or entities, by their provenance."""
        return frozenset(str(row.get("dataset")) for row in self._provenance if row.get("restriction"))

    def splits_of(self, dataset: str) -> tuple[str, ...]:
        """Return the splits whose triples are ranked, by the provenance."""
        stated = next((row.get("splits") for row in self._provenance if row.get("dataset") == dataset), None)
        return tuple(split for split in SPLITS if not stated or split in str(stated).split(","))

    @property
    def _provenance(self) -> list[dict[str, Any]]:
        rows = self.descriptor.get("provenance")
        return [row for row in (rows if isinstance(rows, list) else []) if isinstance(row, dict)]

    def select(self, datasets: Iterable[str]) -> TableSet:
        """Return the same set, with only the rows of some datasets to be checked."""
        return replace(self, selected=frozenset(datasets))


def _group_histograms(frame: pd.DataFrame) -> dict[Tasks, Histogram]:
    names = [name for name in (*WEIGHED, "baseline") if name in frame]
    fields = {"counts": "num_candidates", "num_tasks": "num_tasks", "weights": "weight", "offsets": "offset"}
    columns = {field: frame[name].to_numpy() for field, name in fields.items() if name in frame}
    groups = frame.groupby(names, observed=True, sort=False).indices
    found: dict[Tasks, Histogram] = {}
    for key, rows in cast("Mapping[tuple[Any, ...], NDArray[np.int64]]", groups).items():
        tasks = Tasks(**dict(zip(names, key, strict=True)))
        with contextlib.suppress(DataError):  # what is wrong with the rows, the check of candidates says
            histogram = Histogram.from_counts(**{field: values[rows] for field, values in columns.items()})
            found[tasks] = replace(histogram, shared=shares_negatives(tasks.protocol))
    return found


_WORDS = ("dataset", "protocol", "split", "side", "aggregation", "baseline", "relation", "metric", "method")
"""The columns of words from a list; the same word has the same code in every table."""


def _to_frames(tables: Mapping[str, pa.Table]) -> dict[str, pd.DataFrame]:
    """Turn tables into frames, with columns of words as ordered categories that are the same in all of them."""
    frames = {}
    for name, table in tables.items():
        coded = [column for column in _WORDS if column in table.column_names]
        frames[name] = table.to_pandas(categories=coded, use_threads=False)
        for column in (each.name for each in COLUMNS[name] if each.kind not in {"count", "real"}):
            if column not in coded:
                frames[name][column] = pd.Series(table[column].to_pylist(), dtype=object)
    for column in _WORDS:
        held = [frame for frame in frames.values() if column in frame]
        words = {word for frame in held for word in frame[column].cat.categories}
        order = pd.Index(sorted(words, key=partial(order_value, column)), dtype=object)
        for frame in held:
            frame[column] = frame[column].astype(pd.CategoricalDtype(order, ordered=True))
    return frames


def read_set(tables: Tables) -> TableSet:
    """Read the files of a set of tables; those that do not belong to it are only named."""
    folder = tables.folder
    stated = {f"{name}.parquet" for name in COLUMNS}
    stated |= {row["path"] for row in tables.descriptor["resources"] if isinstance(row.get("path"), str)}
    files: dict[str, bytes] = {}
    others: list[str] = []
    unreadable: dict[str, str] = {}
    for name, is_file in _list_names(folder):
        if name == DESCRIPTOR:
            continue
        if not is_file or name not in {*stated, *DOCUMENTS, CHECKSUMS}:
            others.append(name)
            continue
        try:
            files[name] = read_file(folder / name)
        except (TablesError, OSError) as error:
            unreadable[name] = str(error)
    packed = _read_package(folder, tables.version)
    return TableSet(tables, read_file(folder / DESCRIPTOR), files, tuple(others), unreadable, packed)


def _read_package(folder: Folder, version: str) -> bytes | None:
    """Return the zip file around a set if it looks like one that a release packed: by folder and dates."""
    if not isinstance(folder, ZipPath) or folder.at != f"{name_archive(version)}/":
        return None
    with zipfile.ZipFile(folder.archive) as archive:
        undated = any(entry.date_time == (1980, 1, 1, 0, 0, 0) for entry in archive.infolist())
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
