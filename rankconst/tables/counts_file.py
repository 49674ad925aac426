"""Candidate counts of your own as a set of tables, so that they go wherever a dataset does."""

from __future__ import annotations

import csv
import functools
import io
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.catalogue.definitions import FAMILIES
from rankconst.catalogue.libraries import EMPTY, Meaning, list_meanings, parse_library, read_meaning
from rankconst.catalogue.protocols import OWN_COUNTS, parse_protocol, parse_side, parse_split
from rankconst.errors import DataError, UnknownNameError
from rankconst.files import read_at_most
from rankconst.names import read_count, shorten, show_controls
from rankconst.tables.archive import Tables, TablesInMemory
from rankconst.tables.explain import explain_absent
from rankconst.tables.own_counts import Answers, gather_answers
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst.tasks import Histogram, Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from rankconst.catalogue.metrics import Metric
    from rankconst.values.constants import Constants


_NAMES: dict[str, Callable[[str], str]] = {
    "dataset": str,
    "protocol": lambda name: parse_protocol(name).key,
    "split": parse_split,
    "side": parse_side,
}
_LARGEST = 2**29
_MOST = 2**53
_COLUMNS = ("num_candidates", "num_tasks", "relevant", *_NAMES)
_SHORT = {"candidates": "num_candidates", "n": "num_candidates", "tasks": "num_tasks"}
# What queries with several right answers do not have.
_OF_TASKS = {"side", "protocol"}


def make_tables(histograms: Mapping[Tasks, Histogram]) -> TablesInMemory:
    """Return tables that hold these candidate counts and nothing else."""
    place = Path(OWN_COUNTS.key)
    return TablesInMemory(
        place,
        {"version": OWN_COUNTS.key, "resources": []},
        place,
        make={name: functools.partial(_make, name, histograms) for name in COLUMNS},
    )


def make_answer_tables(answers: Mapping[Tasks, Answers]) -> AnswerTables:
    """Return tables that hold these queries with several right answers and nothing else."""
    histograms = {
        tasks: Histogram.from_counts(each.queries[:, 0], each.weights[:, 0].astype(int))
        for tasks, each in answers.items()
    }
    plain = make_tables(histograms)
    return AnswerTables(
        plain.path, plain.descriptor, plain.folder, make=plain.make, answers=answers
    )


def _make(name: str, histograms: Mapping[Tasks, Histogram]) -> pa.Table:
    import pyarrow as pa

    rows: list[dict[str, object]] = []
    if name == "datasets":
        keys = dict.fromkeys(tasks.dataset for tasks in histograms)
        rows = [{"dataset": key, "title": key, "aliases": []} for key in keys]
    elif name == "candidates":
        for tasks, histogram in histograms.items():
            address = {field: getattr(tasks, field) for field in _NAMES}
            sizes, numbers = histogram.num_candidates.tolist(), histogram.num_tasks.tolist()
            for size, number in zip(sizes, numbers, strict=True):
                rows.append({**address, "num_candidates": size, "num_tasks": number})
    return pa.Table.from_pylist(rows, schema=schema_of(name))


def read_counts(path: Path, tool: str | None = None) -> Tables:
    """Read a CSV file with a column num_candidates, and others as needed.

    These are num_tasks, side, split, protocol and dataset.

    A file of numbers alone, one a line, has the counts of the tasks. What has no name is called by
    the file's. With a column relevant, the rows are queries with so many right answers; `tool` is
    then the library that evaluated them.
    """
    found: dict[Tasks, Counter[tuple[int, int | None]]] = defaultdict(Counter)
    try:
        with path.open("rb") as file:
            content = read_at_most(file, _LARGEST)
        if len(content) > _LARGEST:
            raise DataError(
                f"{path} is larger than {_LARGEST // 2**20} MiB. "
                "Count equal rows: add a column num_tasks."
            )
        content.decode("utf-8-sig")  # all of it, for the place of what is not text
        lines = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig")
        for tasks, size, right, number in _read_rows(path, lines):
            found[tasks][size, right] += number
            if right == 0 and not tool:
                raise DataError(f"{path}: some queries have no right answers. {EMPTY}")
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        raise DataError(
            f"cannot read {path}: {cause}. Expected a CSV file with a column num_candidates."
        ) from error
    except csv.Error as error:
        raise DataError(
            f"{path} cannot be read: {error}. Expected a CSV file with a column num_candidates."
        ) from error
    if not found:
        raise DataError(f"{path} holds no counts.")
    for tasks in found:
        if tasks.side == "both" and any(side in found for side in tasks.sides):
            raise DataError(
                f"{path}: there are counts of {tasks} for both sides together and for one side. "
                "Give either."
            )
    if any(right is not None for each in found.values() for _, right in each):
        return _gather_answers(found, tool)
    histograms = {}
    for tasks, each in found.items():
        sizes = [size for size, _ in each]
        histograms[tasks] = Histogram.from_counts(sizes, [*each.values()])
    return make_tables(histograms)


def _gather_answers(
    found: Mapping[Tasks, Mapping[tuple[int, int | None], int]], tool: str | None
) -> Tables:
    """Return tables of queries with several right answers."""
    answers = {}
    for tasks, each in found.items():
        sizes, right = zip(*each, strict=True)
        answers[tasks] = gather_answers(
            sizes, right, tasks.dataset, num_tasks=[*each.values()], tool=tool
        )
    return make_answer_tables(answers)


def _read_rows(path: Path, lines: Iterator[str]) -> Iterator[tuple[Tasks, int, int | None, int]]:
    """Yield the tasks of each row, their candidates and right answers, and their number."""
    first = next(lines, "")
    delimiter = "\t" if "\t" in first else ","
    heading, offset = [first], 2
    if read_count(first.strip()) is not None:  # numbers alone
        heading, offset = ["num_candidates", first], 1
    rows = csv.reader(chain(heading, lines), delimiter=delimiter)
    names = _read_heading(path, next(rows, []))
    dataset = show_controls(path.stem.lower())
    # Most rows are like others.
    read = functools.lru_cache(functools.partial(_read_row, names, dataset))
    for line, cells in enumerate(rows, start=offset):
        try:
            tasks, size, right, number = read(tuple(cells))
        except (ValueError, UnknownNameError) as error:
            reason = f"expected {', '.join(names)}, numbers whole."
            if isinstance(error, UnknownNameError):
                reason = str(error)
            raise DataError(
                f"{path}, line {line}: {shorten(', '.join(cells))}: {reason}"
            ) from error
        least = min(size, number)
        if least < 1:
            raise DataError(f"{path}, line {line}: {least} is less than 1; the true answer counts.")
        if right is not None and right > size:
            raise DataError(f"{path}, line {line}: {right} right answers among {size} candidates.")
        if max(size, number) > _MOST:
            raise DataError(f"{path}, line {line}: {max(size, number)}; expected at most 2**53.")
        yield tasks, size, right, number


def _read_heading(path: Path, heading: Sequence[str]) -> list[str]:
    """Return the names of the columns; DataError if one is missing, unknown or there twice."""
    names = [_SHORT.get(name.strip().lower(), name.strip()) for name in heading]
    is_known = set(names) <= {*_COLUMNS}
    if "num_candidates" not in names or not is_known or len(set(names)) < len(names):
        raise DataError(
            f"{path}, line 1: got columns {shorten(', '.join(names))}; "
            f"expected num_candidates, and as needed {', '.join(_COLUMNS[1:])}."
        )
    further = sorted(_OF_TASKS.intersection(names))
    if "relevant" in names and further:
        raise DataError(
            f"{path}, line 1: queries with several right answers "
            f"have no {' and no '.join(further)}: leave the column out."
        )
    return names


def _read_row(
    names: Sequence[str], dataset: str, cells: tuple[str, ...]
) -> tuple[Tasks, int, int | None, int]:
    """Read a row under its headings; ValueError if it has other cells, or numbers not whole."""
    row = dict(zip(names, map(str.strip, cells), strict=True))
    declared = {name: parse(row[name]) for name, parse in _NAMES.items() if row.get(name)}
    size, number = read_count(row["num_candidates"]), read_count(row.get("num_tasks", "1"))
    right = read_count(row["relevant"]) if "relevant" in row else None
    if size is None or number is None or (right is None and "relevant" in row):
        raise ValueError
    tasks = Tasks(
        declared.get("dataset", dataset),
        declared.get("protocol", OWN_COUNTS.key),
        declared.get("split", "test"),
        declared.get("side", "both"),
    )
    return tasks, size, right, number


_CLOSE = 1e-9


@dataclass(frozen=True, repr=False)
class AnswerTables(TablesInMemory):
    """Sets of queries with several right answers.

    Attributes
    ----------
    answers
        The queries of each address.
    """

    of_answers = True
    answers: Mapping[Tasks, Answers] = field(default_factory=dict)

    @property
    def library(self) -> str:
        """The key of the library whose names metrics have; empty if none was named."""
        return next(iter(self.answers.values())).library

    def name_library(self, name: str) -> AnswerTables:
        """Return the queries with metrics as a library names them."""
        key = parse_library(name).key
        answers = {tasks: replace(each, library=key) for tasks, each in self.answers.items()}
        return replace(self, answers=answers)

    def look_up(self, tasks: Tasks, metric: Metric) -> Constants:
        """Return the constants of a definition; the second time, at once."""
        if not tasks.is_chance:
            raise UnknownNameError(
                "numbers of candidates and of right answers say what chance gets, and nothing else."
            )
        if tasks not in self.answers:
            raise UnknownNameError(explain_absent(self, tasks))
        if (tasks, metric) not in self._known:
            key = metric.family.removesuffix("_of_answers")
            constants = self.answers[tasks].define(key, metric.k)
            self._known[tasks, metric] = replace(constants, tasks=tasks)
        return self._known[tasks, metric]

    def list_meanings(self, name: str) -> Mapping[Meaning | str, list[str]]:
        """Return what a name may mean on these queries, with the titles of the libraries.

        It is one meaning if all definitions agree on them.

        Raises UnknownNameError if no library has such a metric, or none says at which k it is cut
        off.
        """
        if self.library:
            return {read_meaning(name, self.library): [parse_library(self.library).title]}
        found = list_meanings(name)
        known = [each for each in found if isinstance(each, Meaning)]
        if not found:
            raise UnknownNameError(
                f"{name} is not known as a metric of several right answers; "
                f"known are: {', '.join(FAMILIES)}."
            )
        if not known:
            raise UnknownNameError(str(next(iter(found))))
        if len(known) == len(found) and all(self._are_alike(known[0], each) for each in known[1:]):
            return {known[0]: found[known[0]]}
        return found

    def _are_alike(self, one: Meaning, other: Meaning) -> bool:
        """Tell whether two definitions are the same metric on these queries."""
        return all(_agree(each.define(*one), each.define(*other)) for each in self.answers.values())


def _agree(one: Constants, other: Constants) -> bool:
    """Tell whether rankers get the same by two definitions, and vary as much."""
    pairs = (
        (one.expectation, other.expectation),
        (one.variance, other.variance),
        (one.metric.optimum or 0.0, other.metric.optimum or 0.0),
        (one.worst, other.worst),
    )
    return all(math.isclose(a, b, rel_tol=_CLOSE, abs_tol=1e-15) for a, b in pairs)
