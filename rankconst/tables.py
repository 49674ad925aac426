"""Open a version of the tables and look constants up in it.

A set of tables is a folder with ``datasets.parquet``, ``candidates.parquet``, ``constants.parquet`` and
``datapackage.json``, which names the version and the SHA-256 of each. The set that this package carries is the
default; older sets stay loadable by version.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from rankconst.constants import Constants
from rankconst.errors import TablesError, UnknownNameError, resolve_name
from rankconst.histogram import Histogram
from rankconst.metrics import Metric, parse_metric
from rankconst.moments import Moments, compute_moments
from rankconst.protocols import DEFAULT_PROTOCOL, parse_protocol, parse_side, parse_split

if TYPE_CHECKING:
    import os

    import pandas as pd

__all__ = ["SCHEMAS", "UNITS", "Tables", "bundled_versions", "load"]

_TEXT = pa.string()
_COUNT = pa.int64()
_REAL = pa.float64()


def _schema(*fields: tuple[str, pa.DataType, str]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, metadata={"description": text}) for name, kind, text in fields])


_TASKS = (
    ("dataset", _TEXT, "key of the dataset"),
    ("protocol", _TEXT, "evaluation protocol: standard, libkge, pykeen, raw, or sampled:M"),
    ("split", _TEXT, "train, valid or test"),
)

SCHEMAS: dict[str, pa.Schema] = {
    "datasets": _schema(
        ("dataset", _TEXT, "key of the dataset"),
        ("title", _TEXT, "the name papers print"),
        ("aliases", pa.list_(_TEXT), "further spellings that are accepted"),
        ("entities", _COUNT, "entities in train, valid and test"),
        ("entities_train", _COUNT, "entities in train"),
        ("relations", _COUNT, "relations in train, valid and test"),
        ("relations_train", _COUNT, "relations in train"),
        ("triples_train", _COUNT, "rows of the train file"),
        ("triples_valid", _COUNT, "rows of the valid file"),
        ("triples_test", _COUNT, "rows of the test file"),
        ("duplicates_train", _COUNT, "rows of train that repeat an earlier one"),
        ("duplicates_valid", _COUNT, "rows of valid that repeat an earlier one"),
        ("duplicates_test", _COUNT, "rows of test that repeat an earlier one"),
        ("valid_in_train", _COUNT, "distinct valid triples that also stand in train"),
        ("test_in_train", _COUNT, "distinct test triples that also stand in train"),
        ("test_in_valid", _COUNT, "distinct test triples that also stand in valid"),
        ("self_loops_train", _COUNT, "rows of train whose head is their tail"),
        ("dropped_valid", _COUNT, "rows of valid that protocol pykeen drops: unseen in train, or repeated"),
        ("dropped_test", _COUNT, "rows of test that protocol pykeen drops: unseen in train, or repeated"),
        ("source_urls", pa.list_(_TEXT), "where the files come from; empty for a graph of one's own"),
        ("sha256", pa.list_(_TEXT), "SHA-256 of the content of the train, valid and test files"),
        ("verified", pa.bool_(), "whether each source file was checked against a hash known beforehand"),
        ("licence", _TEXT, "what the source states"),
        ("citation", _TEXT, "the paper that introduced the dataset"),
        ("citation_url", _TEXT, "where that paper is"),
    ),
    "candidates": _schema(
        *_TASKS,
        ("side", _TEXT, "head or tail"),
        ("num_candidates", _COUNT, "entities ranked in a task, the true answer included"),
        ("num_tasks", _COUNT, "tasks with that many candidates"),
    ),
    "constants": _schema(
        *_TASKS,
        ("side", _TEXT, "head, tail, or both: the ranks of both sides pooled"),
        ("metric", _TEXT, "PyKEEN's key of the metric; hits_at_k for every k"),
        ("k", _COUNT, "the k of hits_at_k, null for other metrics"),
        ("num_tasks", _COUNT, "ranking tasks"),
        ("expectation", _REAL, "mean of the metric over random rankings"),
        ("expectation_error", _REAL, "absolute error of the expectation"),
        ("variance", _REAL, "variance of the metric over random rankings"),
        ("variance_error", _REAL, "absolute error of the variance"),
        ("method", _TEXT, "closed_form (error bounds rounding), numerical (bound), sampled (standard error)"),
    ),
}
"""Table name to its schema; each field carries its description as metadata."""

UNITS: dict[str, str] = {
    "expectation": "unit of the metric",
    "expectation_error": "unit of the metric",
    "variance": "squared unit of the metric",
    "variance_error": "squared unit of the metric",
}
"""Units of the columns that are not plain counts or names."""

DESCRIPTOR = "datapackage.json"

_Key = tuple[str, str, str, str, int | None]


@dataclass(frozen=True)
class Tables:
    """One version of the tables, read when first asked.

    Attributes
    ----------
    path
        The folder.
    descriptor
        The content of ``datapackage.json``.
    """

    path: Path
    descriptor: dict[str, Any]

    @property
    def version(self) -> str:
        """The version of the set."""
        return str(self.descriptor["version"])

    def read(self, name: str) -> pa.Table:
        """Read a whole table.

        Parameters
        ----------
        name
            ``datasets``, ``candidates`` or ``constants``.

        Raises
        ------
        TablesError
            If the file is missing, is not the one that was written, or has another schema.
        """
        file = self.path / f"{name}.parquet"
        try:
            content = file.read_bytes()
        except FileNotFoundError as error:
            raise TablesError(f"{file} is missing; the set in {self.path} is not whole. Build it again.") from error
        expected = next((r.get("hash") for r in self.descriptor["resources"] if r.get("name") == name), None)
        got = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if got != expected:
            raise TablesError(
                f"{file} is not the file that {DESCRIPTOR} describes: expected {expected}, got {got}. "
                "Restore it, or build the set again with --force."
            )
        table = pq.read_table(pa.BufferReader(content))
        if not table.schema.equals(SCHEMAS[name]):
            raise TablesError(
                f"{file} has columns {table.schema.names}; this version of rankconst reads {SCHEMAS[name].names}."
            )
        return table

    @cached_property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """Dataset key to its row of ``datasets.parquet``, in the order of the table."""
        return {row["dataset"]: row for row in self.read("datasets").to_pylist()}

    def resolve_dataset(self, name: str) -> str:
        """Return the key of the dataset that `name` spells.

        Raises
        ------
        UnknownNameError
            If the tables have no such dataset; the message suggests the nearest.
        """
        spellings = {key: (row["title"], *row["aliases"]) for key, row in self.datasets.items()}
        return resolve_name(
            "dataset", name, spellings, f"Tables {self.version} hold {len(spellings)}; `rankconst datasets` lists them."
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

    def holds(self, dataset: str, protocol: str, split: str) -> bool:
        """Tell whether there are tasks of that split under that protocol; the names must be keys."""
        return (dataset, protocol, split, "head") in self._histograms

    def protocols(self, dataset: str) -> tuple[str, ...]:
        """Return the protocols that the tables hold of a dataset, given by its key."""
        return tuple(dict.fromkeys(key[1] for key in self._histograms if key[0] == dataset))

    def constants(
        self,
        dataset: str,
        metric: str | Metric,
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
    ) -> Constants:
        """Look up the constants of a metric.

        Parameters
        ----------
        dataset, metric, split, side, protocol
            In any usual spelling: ``"FB15k-237"``, ``"H@10"``, ``"testing"``.

        Returns
        -------
        Constants
            From the table; for a Hits@k whose k is not in it, computed from the histogram.

        Raises
        ------
        UnknownNameError
            If a name is unknown, or the tables hold no such tasks.
        """
        parsed = parse_metric(metric)
        tasks = (self.resolve_dataset(dataset), parse_protocol(protocol).key, parse_split(split), parse_side(side))
        histogram = self._histogram(*tasks)
        moments = self._rows(tasks[0]).get((*tasks[1:], parsed.family, parsed.k)) or compute_moments(parsed, histogram)
        key, protocol_key, split_key, side_key = tasks
        return Constants(
            dataset=key,
            protocol=protocol_key,
            split=split_key,
            side=side_key,
            metric=parsed,
            num_tasks=histogram.total,
            moments=moments,
            worst=parsed.worst(histogram.num_candidates, histogram.num_tasks),
            table_version=self.version,
        )

    def to_pandas(self, name: str = "constants") -> pd.DataFrame:
        """Return a whole table as a pandas DataFrame (needs pandas)."""
        return self.read(name).to_pandas()

    @cached_property
    def _histograms(self) -> dict[tuple[str, str, str, str], Histogram]:
        table = self.read("candidates")
        names = [table.column(name).to_pylist() for name in ("dataset", "protocol", "split", "side")]
        sizes = table.column("num_candidates").to_numpy()
        tasks = table.column("num_tasks").to_numpy()
        keys = list(zip(*names, strict=True))
        starts = [i for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]]
        return {
            keys[start]: Histogram(sizes[start:stop], tasks[start:stop])
            for start, stop in zip(starts, [*starts[1:], len(keys)], strict=True)
        }

    def _histogram(self, dataset: str, protocol: str, split: str, side: str) -> Histogram:
        sides = ("head", "tail") if side == "both" else (side,)
        found = [self._histograms.get((dataset, protocol, split, one)) for one in sides]
        parts = [part for part in found if part is not None]
        if len(parts) < len(sides):
            held = sorted({f"{key[1]}/{key[2]}" for key in self._histograms if key[0] == dataset})
            raise UnknownNameError(
                f"tables {self.version} hold no {split} tasks of {dataset} under protocol {protocol}. "
                f"They hold (protocol/split): {', '.join(held)}."
            )
        return parts[0] if len(parts) == 1 else parts[0].pool(parts[1])

    @cached_property
    def _constants(self) -> dict[str, dict[_Key, Moments]]:
        columns = self.read("constants").to_pydict()
        names = zip(*(columns[n] for n in ("dataset", "protocol", "split", "side", "metric", "k")), strict=True)
        numbers = zip(
            *(columns[n] for n in ("expectation", "expectation_error", "variance", "variance_error", "method")), strict=True
        )
        found: dict[str, dict[_Key, Moments]] = {}
        for (dataset, *key), row in zip(names, numbers, strict=True):
            found.setdefault(dataset, {})[tuple(key)] = Moments(*row)
        return found

    def _rows(self, dataset: str) -> dict[_Key, Moments]:
        return self._constants.get(dataset, {})


def _bundle_folders() -> dict[str, Path]:
    """Version to folder of the sets that came with the package, oldest first."""
    package = Path(__file__).resolve().parent
    # A wheel carries them inside the package; in a checkout they lie beside it.
    folders = {
        folder.name: folder
        for root in (package.parent / "data", package / "data")
        for folder in (root.iterdir() if root.is_dir() else ())
        if (folder / DESCRIPTOR).is_file()
    }
    return dict(sorted(folders.items(), key=lambda item: [int(part) for part in item[0].split(".")]))


def bundled_versions() -> tuple[str, ...]:
    """Return the versions of the tables that this installation carries, oldest first."""
    return tuple(_bundle_folders())


def load(path: str | os.PathLike[str] | None = None, version: str | None = None) -> Tables:
    """Open a set of tables.

    Parameters
    ----------
    path
        A folder written by ``rankconst build``. If None, the tables that came with the package.
    version
        The version wanted. If None, the newest (or whatever `path` holds).

    Returns
    -------
    Tables
        Nothing but the descriptor is read yet.

    Raises
    ------
    UnknownNameError
        If there is no such version.
    TablesError
        If `path` holds no tables.

    Examples
    --------
    >>> import rankconst
    >>> rankconst.load().constants("wn18rr", "mr").num_tasks
    6268
    """
    if path is None:
        folders = _bundle_folders()
        if not folders:
            raise TablesError("this installation carries no tables; install rankconst from its wheel, or pass a folder.")
        wanted = list(folders)[-1] if version is None else version
        if wanted not in folders:
            raise UnknownNameError(f"unknown table version {wanted!r}. Carried: {', '.join(folders)}.")
        folder = folders[wanted]
    else:
        folder = Path(path)
    try:
        descriptor = json.loads((folder / DESCRIPTOR).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TablesError(f"{folder} holds no tables: {DESCRIPTOR} is missing. `rankconst build --out DIR` makes them.") from error
    except ValueError as error:
        raise TablesError(f"{folder / DESCRIPTOR} is not JSON ({error}). Build the set again.") from error
    tables = Tables(folder, descriptor)
    if version is not None and tables.version != version:
        raise UnknownNameError(f"{folder} holds table version {tables.version}, not {version}.")
    return tables
