"""Candidate counts of one's own as a set of tables, so that they go wherever a dataset does."""

from __future__ import annotations

import csv
import functools
import io
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import OWN_COUNTS, parse_protocol, parse_side, parse_split
from rankconst.errors import DataError, UnknownNameError
from rankconst.files import read_at_most
from rankconst.names import read_count, shorten, show_controls
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst.tables.tables import Tables, TablesInMemory
from rankconst.tasks import Histogram, Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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
    found: dict[Tasks, Counter[int]] = defaultdict(Counter)
    try:
        with path.open("rb") as file:
            content = read_at_most(file, _LARGEST)
        if len(content) > _LARGEST:
            raise DataError(f"{path} is larger than {_LARGEST // 2**20} MiB. Count equal rows: add a column num_tasks.")
        content.decode("utf-8-sig")  # all of it, for the place of what is not text
        for tasks, size, number in _read_rows(path, io.TextIOWrapper(io.BytesIO(content), "utf-8-sig")):
            found[tasks][size] += number
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"cannot read {path}: {told}. Expected a CSV file with a column num_candidates.") from error
    except csv.Error as error:
        raise DataError(f"{path} cannot be read: {error}. Expected a CSV file with a column num_candidates.") from error
    if not found:
        raise DataError(f"{path} holds no counts.")
    for tasks in found:
        if tasks.side == "both" and any(side in found for side in tasks.sides):
            raise DataError(
                f"{path}: there are counts of {tasks} for both sides together and for one side. Give either."
            )
    return make_tables({tasks: Histogram.from_counts([*each], [*each.values()]) for tasks, each in found.items()})


def _read_rows(path: Path, lines: Iterator[str]) -> Iterator[tuple[Tasks, int, int]]:
    """Yield the tasks of each row, how many candidates they have, and how many they are."""
    first = next(lines, "")
    plain = read_count(first.strip()) is not None
    rows = csv.reader(chain(["num_candidates"] * plain, [first], lines), delimiter="\t" if "\t" in first else ",")
    names = [name.strip() for name in next(rows, [])]
    if "num_candidates" not in names or not set(names) <= {*_COLUMNS} or len(set(names)) < len(names):
        raise DataError(
            f"{path}, line 1: got columns {shorten(', '.join(names))}; expected num_candidates, and as needed "
            f"{', '.join(_COLUMNS[1:])}."
            + " A column relevant, of right answers, is for rankconst adjust --counts."
            * ("relevant" in names)
        )

    @functools.lru_cache  # most rows are like others
    def read(cells: tuple[str, ...]) -> tuple[Tasks, int, int]:
        row = dict(zip(names, map(str.strip, cells), strict=True))
        said = {name: parse(row[name]) for name, parse in _NAMES.items() if row.get(name)}
        size, number = read_count(row["num_candidates"]), read_count(row.get("num_tasks", "1"))
        if size is None or number is None:
            raise ValueError
        tasks = Tasks(
            said.get("dataset", show_controls(path.stem.lower())),
            said.get("protocol", OWN_COUNTS.key),
            said.get("split", "test"),
            said.get("side", "both"),
        )
        return tasks, size, number

    for line, cells in enumerate(rows, start=2 - plain):
        try:
            tasks, size, number = read(tuple(cells))
        except (ValueError, UnknownNameError) as error:
            reason = error if isinstance(error, UnknownNameError) else f"expected {', '.join(names)}, numbers whole."
            raise DataError(f"{path}, line {line}: {shorten(', '.join(cells))}: {reason}") from error
        if (least := min(size, number)) < 1:
            raise DataError(f"{path}, line {line}: {least} is less than 1; the true answer counts.")
        yield tasks, size, number
