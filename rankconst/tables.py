"""Open a version of the tables and look constants up in it.

A set of tables is a folder with ``datasets.parquet``, ``candidates.parquet``, ``constants.parquet`` and
``datapackage.json``, which names the version and the SHA-256 of each. The set that this package carries is the
default; older sets stay loadable by version.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.constants import Constants
from rankconst.errors import TablesError, UnknownNameError, resolve_name
from rankconst.histogram import Histogram
from rankconst.metrics import Metric, parse_metric
from rankconst.moments import Moments, compute_moments
from rankconst.protocols import DEFAULT_PROTOCOL, parse_protocol, parse_side, parse_split
from rankconst.schemas import schema_of

if TYPE_CHECKING:
    import os

    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["DESCRIPTOR", "Tables", "bundled_versions", "load"]

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
        # The reader is imported here, so that `import rankconst` stays quick; read_table would load still more.
        import pyarrow as pa
        import pyarrow.parquet as pq

        # One thread: pyarrow's workers, when only just started, can abort a short process at its exit
        # (apache/arrow issue 34314), and files of this size gain nothing from them.
        table = pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
        expected_schema = schema_of(name)
        if not table.schema.equals(expected_schema):
            raise TablesError(
                f"{file} has columns {table.schema.names}; this version of rankconst reads {expected_schema.names}."
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
        sizes = _to_array(table.column("num_candidates"))
        tasks = _to_array(table.column("num_tasks"))
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
        negatives = parse_protocol(protocol).negatives
        if not parts and negatives is not None and self.holds(dataset, "raw", split):
            # Every task has as many candidates, so the number of tasks is all that is needed.
            tasks = self._histogram(dataset, "raw", split, side).total
            return Histogram(np.array([negatives + 1]), np.array([tasks]))
        if len(parts) < len(sides):
            held = dict.fromkeys(f"{key[1]}/{key[2]}" for key in self._histograms if key[0] == dataset)
            raise UnknownNameError(
                f"the tables ({self.version}) hold no {split} tasks of {dataset} under protocol {protocol}. "
                f"They hold (protocol/split): {', '.join(held)}."
            )
        return parts[0] if len(parts) == 1 else parts[0].pool(parts[1])

    @cached_property
    def _constants(self) -> dict[str, dict[_Key, Moments]]:
        columns = self.read("constants").to_pydict()
        names = zip(*(columns[n] for n in ("dataset", "protocol", "split", "side", "metric", "k")), strict=True)
        numbers = zip(
            *(columns[n] for n in ("expectation", "expectation_error", "variance", "variance_error", "method")),
            strict=True,
        )
        found: dict[str, dict[_Key, Moments]] = {}
        for (dataset, *key), row in zip(names, numbers, strict=True):
            found.setdefault(dataset, {})[tuple(key)] = Moments(*row)
        return found

    def _rows(self, dataset: str) -> dict[_Key, Moments]:
        return self._constants.get(dataset, {})


def _to_array(column: pa.ChunkedArray[Any]) -> NDArray[np.int64]:
    """Return a column of whole numbers; pyarrow's own conversion would import pandas."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])


def _check_descriptor(descriptor: Any, folder: Path) -> None:
    """Refuse a descriptor that does not name a version and its files."""
    resources = descriptor.get("resources") if isinstance(descriptor, dict) else None
    whole = isinstance(resources, list) and all(isinstance(resource, dict) for resource in resources)
    if not whole or not isinstance(descriptor.get("version"), str):
        raise TablesError(
            f"{folder / DESCRIPTOR} is not the descriptor of a set of tables: expected a version and a list of "
            "resources. Build the set again."
        )


def _bundle_folders() -> dict[str, Path]:
    """Version to folder of the sets that came with the package, oldest first."""
    package = Path(__file__).resolve().parent
    inside = package / "data"
    # A wheel carries the tables inside the package; in a checkout they lie beside it.
    root = inside if inside.is_dir() else package.parent / "data"
    found = [
        path.parent for path in root.glob(f"*.*.*/{DESCRIPTOR}") if re.fullmatch(r"\d+\.\d+\.\d+", path.parent.name)
    ]
    return {path.name: path for path in sorted(found, key=lambda path: [int(part) for part in path.name.split(".")])}


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
            raise TablesError(
                "this installation carries no tables; install rankconst from its wheel, or pass a folder."
            )
        wanted = list(folders)[-1] if version is None else version
        if wanted not in folders:
            raise UnknownNameError(f"unknown table version {wanted!r}. Carried: {', '.join(folders)}.")
        folder = folders[wanted]
    else:
        folder = Path(path)
    try:
        descriptor = json.loads((folder / DESCRIPTOR).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TablesError(
            f"{folder} holds no tables: {DESCRIPTOR} is missing. `rankconst build --out DIR` makes them."
        ) from error
    except ValueError as error:
        raise TablesError(f"{folder / DESCRIPTOR} is not JSON ({error}). Build the set again.") from error
    _check_descriptor(descriptor, folder)
    tables = Tables(folder, descriptor)
    if version is not None and tables.version != version:
        raise UnknownNameError(f"{folder} holds table version {tables.version}, not {version}.")
    return tables
