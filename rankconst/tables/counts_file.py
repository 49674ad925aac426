"""Candidate counts of your own as a set of tables, in place of a dataset."""

from __future__ import annotations

import csv
import functools
import io
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.answers import (
    EMPTY,
    FAMILIES,
    Meaning,
    list_meanings,
    parse_library,
    read_meaning,
)
from rankconst.catalogue.protocols import OWN_COUNTS, parse_protocol, parse_side, parse_split
from rankconst.errors import DataError, UnknownNameError
from rankconst.files import read_at_most
from rankconst.names import read_count, shorten, show_controls
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst.tables.explain import explain_absent
from rankconst.tables.own_counts import Answers, gather_answers
from rankconst.tables.sets import TablesInMemory
from rankconst.tasks import Histogram, Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from rankconst.catalogue.metrics import Metric
    from rankconst.tables.archive import Tables
    from rankconst.values.constants import Constants

_NAMES: dict[str, Callable[[str], str]] = {
    "dataset": str,
    "protocol": lambda name: parse_protocol(name).key,
    "split": parse_split,
    "side": parse_side,
}
# A larger file is refused: it is read as a whole, and equal rows can be counted instead.
_LARGEST = 2**29
_MOST = 2**53  # doubles hold every whole number up to here
_COLUMNS = ("num_candidates", "num_tasks", "relevant", *_NAMES)
_SHORT = {"candidates": "num_candidates", "n": "num_candidates", "tasks": "num_tasks"}
# The columns that queries with several right answers do not have.
_OF_TASKS = {"side", "protocol"}


class _Row(NamedTuple):
    """A row of a file of counts."""

    tasks: Tasks
    num_candidates: int
    relevant: int | None
    num_tasks: int


# The number of tasks, or of queries, by candidates and right answers.
_Tally = Counter[tuple[int, int | None]]


def make_tables(histograms: Mapping[Tasks, Histogram]) -> TablesInMemory:
    """Return tables with only these candidate counts."""
    place = Path(OWN_COUNTS.key)
    return TablesInMemory(
        place,
        {"version": OWN_COUNTS.key, "resources": []},
        place,
        make={name: functools.partial(_make, name, histograms) for name in COLUMNS},
    )


def make_answer_tables(answers: Mapping[Tasks, Answers]) -> AnswerTables:
    """Return tables with these queries with several right answers."""
    histograms = {}
    for tasks, queries in answers.items():
        sizes, times = queries.queries[:, 0], queries.weights[:, 0].astype(int)
        histograms[tasks] = Histogram.from_counts(sizes, times)

    plain = make_tables(histograms)
    return AnswerTables(
        plain.path, plain.descriptor, plain.folder, make=plain.make, answers=answers
    )


def _make(name: str, histograms: Mapping[Tasks, Histogram]) -> pa.Table:
    """Make a table of a set by its name."""
    import pyarrow as pa

    rows: list[dict[str, object]] = []
    if name == "datasets":
        keys = dict.fromkeys(tasks.dataset for tasks in histograms)  # each once, in order
        rows = [{"dataset": key, "title": key, "aliases": []} for key in keys]
    elif name == "candidates":
        for tasks, histogram in histograms.items():
            # Dataset, protocol, split and side.
            address = {column: getattr(tasks, column) for column in _NAMES}
            sizes, counts = histogram.num_candidates.tolist(), histogram.num_tasks.tolist()
            for size, count in zip(sizes, counts, strict=True):
                rows.append({**address, "num_candidates": size, "num_tasks": count})

    return pa.Table.from_pylist(rows, schema=schema_of(name))


def read_counts(path: Path, tool: str | None = None) -> Tables:
    """Read a CSV file with a column num_candidates, or with a number of candidates in each line.

    Further columns are num_tasks, side, split, protocol and dataset, which is the name of the file
    by default. With a column relevant, rows are queries with several right answers, and `tool` is
    the library that evaluated them.
    """
    tallies: dict[Tasks, _Tally] = defaultdict(Counter)
    try:
        for row in _read_rows(path, _read_lines(path)):
            tallies[row.tasks][row.num_candidates, row.relevant] += row.num_tasks
            if row.relevant == 0 and not tool:
                raise DataError(f"{path}: some queries have no right answers. {EMPTY}")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        cause = getattr(error, "strerror", None) or error
        raise DataError(
            f"cannot read {path}: {cause}. Expected a CSV file with a column num_candidates."
        ) from error

    if not tallies:
        raise DataError(f"{path} holds no counts. Expected a number of candidates in each row.")

    for tasks in tallies:
        if tasks.side == "both" and any(side in tallies for side in tasks.sides):
            raise DataError(
                f"{path}: there are counts of {tasks} for both sides together and for one side. "
                "Give either."
            )

    answers, histograms = {}, {}
    for tasks, tally in tallies.items():
        sizes, rights = zip(*tally, strict=True)
        times = [*tally.values()]
        if None in rights:  # the file has no column relevant
            histograms[tasks] = Histogram.from_counts(sizes, times)
        else:
            answers[tasks] = gather_answers(
                sizes, rights, tasks.dataset, num_tasks=times, tool=tool
            )

    return make_answer_tables(answers) if answers else make_tables(histograms)


def _read_lines(path: Path) -> Iterator[str]:
    """Return the lines of a UTF-8 file that is not too large."""
    with path.open("rb") as file:
        content = read_at_most(file, _LARGEST)

    if len(content) > _LARGEST:
        raise DataError(
            f"{path} is larger than {_LARGEST // 2**20} MiB. "
            "Count equal rows: add a column num_tasks."
        )

    content.decode("utf-8-sig")  # all of it, for the place of a byte that is not text
    return io.TextIOWrapper(io.BytesIO(content), "utf-8-sig")


def _read_rows(path: Path, lines: Iterator[str]) -> Iterator[_Row]:
    """Yield the rows of a CSV or TSV file, or of a file of numbers alone."""
    first = next(lines, "")
    delimiter = "\t" if "\t" in first else ","
    heading, first_line = [first], 2  # below the heading
    if read_count(first.strip()) is not None:  # numbers alone
        heading, first_line = ["num_candidates", first], 1

    rows = csv.reader(chain(heading, lines), delimiter=delimiter)
    names = _read_heading(path, next(rows, []))
    dataset = show_controls(path.stem.lower())
    # Equal rows are read once.
    read_row = functools.lru_cache(functools.partial(_read_row, names, dataset))
    for line, cells in enumerate(rows, start=first_line):
        try:
            row = read_row(tuple(cells))
        except (ValueError, UnknownNameError) as error:
            reason = f"expected {', '.join(names)}; numbers are whole."
            if isinstance(error, UnknownNameError):
                reason = str(error)
            raise DataError(
                f"{path}, line {line}: {shorten(', '.join(cells)) or 'blank'}: {reason}"
            ) from error

        for name in ("num_candidates", "num_tasks"):
            number = getattr(row, name)
            if not 1 <= number <= _MOST:
                raise DataError(f"{path}, line {line}: {name} is {number}; expected 1 to 2**53.")

        size, right = row.num_candidates, row.relevant
        if right is not None and right > size:
            raise DataError(
                f"{path}, line {line}: {right} right answers among {size} candidates; "
                f"expected at most {size}."
            )
        yield row


def _read_heading(path: Path, heading: Sequence[str]) -> list[str]:
    """Return the names of the columns, and refuse missing, unknown and repeated ones."""
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


def _read_row(names: Sequence[str], dataset: str, cells: tuple[str, ...]) -> _Row:
    """Read the cells of a row; ValueError for wrong numbers or another number of cells."""
    texts = dict(zip(names, (cell.strip() for cell in cells), strict=True))
    keys = {name: parse(texts[name]) for name, parse in _NAMES.items() if texts.get(name)}
    size, number = read_count(texts["num_candidates"]), read_count(texts.get("num_tasks", "1"))
    right = read_count(texts["relevant"]) if "relevant" in texts else None
    if size is None or number is None or (right is None and "relevant" in texts):
        raise ValueError

    tasks = Tasks(
        keys.get("dataset", dataset),
        keys.get("protocol", OWN_COUNTS.key),
        keys.get("split", "test"),
        keys.get("side", "both"),
    )
    return _Row(tasks, size, right, number)


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
        """The key of the library that names the metrics; empty if none is named."""
        return next(iter(self.answers.values())).library

    def name_library(self, name: str) -> AnswerTables:
        """Return the queries with metrics as a library names them."""
        key = parse_library(name).key
        answers = self.answers.items()
        return replace(
            self, answers={tasks: replace(queries, library=key) for tasks, queries in answers}
        )

    def _compute(self, tasks: Tasks, metric: Metric) -> Constants:
        if not tasks.is_chance:
            raise UnknownNameError(
                "numbers of candidates and of right answers say what chance gets, and nothing else."
            )
        if tasks not in self.answers:
            raise UnknownNameError(explain_absent(self, tasks))

        key = metric.family.removesuffix("_of_answers")
        return replace(self.answers[tasks].define(key, metric.k), tasks=tasks)

    def list_meanings(self, name: str) -> Mapping[Meaning | str, list[str]]:
        """Return the titles of the libraries by the meaning that a metric's name has for them.

        There is only one meaning if a library is named, or if all meanings give the same numbers on
        these queries.

        Raises UnknownNameError if no library has such a metric, or none has a k for it.
        """
        if self.library:
            return {read_meaning(name, self.library): [parse_library(self.library).title]}

        titles = list_meanings(name)
        if not titles:
            raise UnknownNameError(
                f"{name} is not known as a metric of several right answers; "
                f"known are: {', '.join(FAMILIES)}."
            )

        meanings = [meaning for meaning in titles if isinstance(meaning, Meaning)]
        if not meanings:  # reasons only
            raise UnknownNameError(str(next(iter(titles))))

        first, *others = meanings
        if len(meanings) == len(titles) and all(self._are_alike(first, other) for other in others):
            return {first: titles[first]}
        return titles

    def _are_alike(self, first: Meaning, second: Meaning) -> bool:
        """Return True if two definitions are the same metric on these queries."""
        return all(
            _agree(queries.define(*first), queries.define(*second))
            for queries in self.answers.values()
        )


def _agree(first: Constants, second: Constants) -> bool:
    """Return True if two definitions have the same moments and range, except for rounding."""
    pairs = (
        (first.expectation, second.expectation),
        (first.variance, second.variance),
        (first.metric.optimum or 0.0, second.metric.optimum or 0.0),
        (first.worst, second.worst),
    )
    return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15) for a, b in pairs)
