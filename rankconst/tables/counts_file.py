"""Candidate counts of one's own as a set of tables, so that they go wherever a dataset does."""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import OWN_COUNTS, parse_protocol, parse_side, parse_split
from rankconst.errors import DataError, UnknownNameError
from rankconst.names import read_count, shorten
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst.tables.tables import Tables, TablesInMemory
from rankconst.tasks import Histogram, Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa


_NAMES: dict[str, Callable[[str], str]] = {
    "dataset": str,
    "protocol": lambda name: parse_protocol(name).key,
    "split": parse_split,
    "side": parse_side,
}
_LARGEST = 2**29
_COLUMNS = ("num_candidates", "num_tasks", *_NAMES)


def make_tables(histograms: Mapping[Tasks, Histogram]) -> Tables:
    """Return tables that hold these candidate counts and nothing else."""
    place = Path(OWN_COUNTS.key)
    return TablesInMemory(
        place,
        {"version": OWN_COUNTS.key, "resources": []},
        place,
        make={name: functools.partial(_make, name, histograms) for name in COLUMNS},
    )


def _make(name: str, histograms: Mapping[Tasks, Histogram]) -> pa.Table:
    import pyarrow as pa

    rows: list[dict[str, object]] = []
    if name == "datasets":
        keys = dict.fromkeys(tasks.dataset for tasks in histograms)
        rows = [{"dataset": key, "title": key, "aliases": []} for key in keys]
    elif name == "candidates":
        rows = [
            {**{field: getattr(tasks, field) for field in _NAMES}, "num_candidates": size, "num_tasks": number}
            for tasks, histogram in histograms.items()
            for size, number in zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True)
        ]
    return pa.Table.from_pylist(rows, schema=schema_of(name))


def read_counts(path: Path) -> Tables:
    """Read a CSV file with a column num_candidates, and as needed num_tasks, side, split, protocol, dataset.

    A file of numbers alone, one a line, has the counts of the tasks. What has no name is called by the file's.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        lines = content.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"cannot read {path}: {told}. Expected a CSV file with a column num_candidates.") from error
    if len(content) > _LARGEST:
        raise DataError(f"{path} is larger than {_LARGEST // 2**20} MiB. Count equal rows: add a column num_tasks.")
    plain = bool(lines) and read_count(lines[0].strip()) is not None
    sign = "\t" if lines and "\t" in lines[0] else ","
    try:
        rows = iter(list(csv.reader(["num_candidates"] * plain + lines, delimiter=sign)))
    except csv.Error as error:
        raise DataError(f"{path} cannot be read: {error}. Expected a CSV file with a column num_candidates.") from error
    names = [name.strip() for name in next(rows, [])]
    if "num_candidates" not in names or not set(names) <= {*_COLUMNS} or len(set(names)) < len(names):
        raise DataError(
            f"{path}, line 1: got columns {shorten(', '.join(names))}; expected num_candidates, and as needed "
            f"{', '.join(_COLUMNS[1:])}."
        )
    found: dict[Tasks, list[tuple[int, int]]] = {}
    for number, cells in enumerate(rows, start=2 - plain):
        try:
            row = dict(zip(names, map(str.strip, cells), strict=True))
            said = {name: read(row[name]) for name, read in _NAMES.items() if row.get(name)}
            size, tasks_of_size = read_count(row["num_candidates"]), read_count(row.get("num_tasks", "1"))
            if size is None or tasks_of_size is None:
                raise ValueError
        except (ValueError, UnknownNameError) as error:
            reason = error if isinstance(error, UnknownNameError) else f"expected {', '.join(names)}, numbers whole."
            raise DataError(f"{path}, line {number}: {', '.join(cells)}: {reason}") from error
        if (least := min(size, tasks_of_size)) < 1:
            raise DataError(f"{path}, line {number}: {least} is less than 1; the true answer counts.")
        tasks = Tasks(
            said.get("dataset", path.stem.lower()),
            said.get("protocol", OWN_COUNTS.key),
            said.get("split", "test"),
            said.get("side", "both"),
        )
        found.setdefault(tasks, []).append((size, tasks_of_size))
    if not found:
        raise DataError(f"{path} holds no counts.")
    for tasks in found:
        if tasks.side == "both" and any(side in found for side in tasks.sides):
            raise DataError(
                f"{path}: there are counts of {tasks} for both sides together and for one side. Give either."
            )
    return make_tables({tasks: Histogram.from_counts(*zip(*pairs, strict=True)) for tasks, pairs in found.items()})
