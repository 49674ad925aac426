"""Every set of ranking tasks of the tables with its constants, as columns, to be searched at once."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.arrow import wrap_numbers, wrap_text
from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, MACROS
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import MACRO_METRICS, TABULATED_KS, Metric
from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.moments.means import moments_of_tasks
from rankconst.tables.reading import decode, find_runs, to_array
from rankconst.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.tables.tables import Tables


NEAR = 0.5
"""Numbers are near each other within this unit of the logarithm."""

TASK_FIELDS = ("dataset", "protocol", "split", "side", "aggregation")
"""What names ranking tasks of the tables, in the order of their columns and of :class:`Tasks`."""


@dataclass(frozen=True, eq=False)
class TaskSets:
    """Every set of tasks of the tables that rank entities, as columns."""

    tables: Tables = field(repr=False)
    sets: tuple[Tasks, ...]
    num_tasks: NDArray[np.int64]
    names: Mapping[str, NDArray[np.str_]]  # a name of TASK_FIELDS to its value in each set
    _families: tuple[str, ...] = field(repr=False)
    _starts: NDArray[np.int64] = field(repr=False)
    _rows: Mapping[str, NDArray[Any]] = field(repr=False)
    _macros: Macros = field(repr=False)
    _known: dict[Metric, tuple[NDArray[np.float64], ...]] = field(default_factory=dict, repr=False)
    _near: dict[tuple[int, Metric | None, bool], int] = field(default_factory=dict, repr=False)
    _signatures: dict[int, tuple[int, bytes, bytes]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, tables: Tables) -> TaskSets:
        """Read them from the tables, once."""
        return tables._derive(cls, cls._read)

    @classmethod
    def _read(cls, tables: Tables) -> TaskSets:
        import pyarrow.compute as pc

        # Published adjusted values are of link prediction, against chance.
        coded = (*TASK_FIELDS, "metric", "method")
        read = (*coded, "k", "num_tasks", "expectation", "variance")
        table = tables._read("constants", read, coded=coded, baseline=DEFAULT_BASELINE)
        linked = pc.not_equal(table["side"], wrap_text(RELATION_SIDE))
        table = table.filter(pc.and_(linked, pc.equal(table["aggregation"], wrap_text(DEFAULT_AGGREGATION))))
        # Rows are in canonical order: those of a set are together.
        named, starts = find_runs(table, TASK_FIELDS)
        micro = list(itertools.starmap(Tasks, named))
        (metrics, families), (methods, written) = (decode(table[name]) for name in ("metric", "method"))
        rows = {name: to_array(table[name]) for name in ("num_tasks", "expectation", "variance")}
        no_k = wrap_numbers(np.zeros(1, dtype=np.int64))[0]
        rows |= {"k": to_array(pc.fill_null(table["k"], no_k))}
        rows |= {"metric": metrics, "sampled": (written == "sampled")[methods]}
        macros = Macros.read(tables, micro)
        sets = (*micro, *macros.sets)
        counted = dict(zip(micro, rows["num_tasks"][starts].tolist(), strict=True))
        num_tasks = np.array([counted[replace(each, aggregation=DEFAULT_AGGREGATION)] for each in sets])
        names = {name: np.array([getattr(each, name) for each in sets]) for name in TASK_FIELDS}
        return cls(tables, sets, num_tasks, names, tuple(families), starts, rows, macros)

    def find(self, metric: Metric) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the bounds of a metric's expectation in each set: equal where the tables have it exactly, else NaN."""
        if metric.hits_k is not None and metric.hits_k not in TABULATED_KS:
            return self._bound_hits(metric, metric.hits_k)
        expectation = self._column(metric)[0]
        return expectation, expectation

    def deviation(self, metric: Metric) -> NDArray[np.float64]:
        """Return a metric's standard deviation in each set; NaN where the tables have none."""
        return np.sqrt(self._column(metric)[1])

    def signature(self, place: int) -> tuple[int, bytes, bytes]:
        """Return what sets with the same constants share, to 11 digits: MR, MRR and Hits@k."""
        if place not in self._signatures:
            told = [self._column(metric) for metric in MACRO_METRICS if metric.is_mean]
            expectation, variance = (_shorten(np.array([each[at][place] for each in told])) for at in (0, 1))
            self._signatures[place] = int(self.num_tasks[place]), expectation, variance
        return self._signatures[place]

    def count_near(self, place: int, metric: Metric | None, *, counted: bool) -> int:
        """Count the different sets near one, by the expectation of a metric, if any, and by the number of tasks.

        Near is within half a unit of the logarithm.
        """
        key = (place, metric, counted)
        if key not in self._near:
            columns = [] if metric is None else [self.find(metric)[0]]
            columns += [self.num_tasks.astype(np.float64)] if counted else []
            with np.errstate(invalid="ignore", divide="ignore"):
                apart = [np.abs(np.log(column / column[place])) for column in columns]
            near = np.logical_and.reduce([each < NEAR for each in apart])
            self._near[key] = max(np.unique(np.stack([column[near] for column in columns]), axis=1).shape[1], 1)
        return self._near[key]

    def _column(self, metric: Metric) -> tuple[NDArray[np.float64], ...]:
        if metric not in self._known:
            code = self._families.index(metric.family) if metric.family in self._families else -1
            chosen = np.flatnonzero((self._rows["metric"] == code) & (self._rows["k"] == (metric.k or 0)))
            places = np.searchsorted(self._starts, chosen, side="right") - 1
            columns = []
            for name in ("expectation", "variance"):
                column = np.full(len(self.sets), np.nan)
                # An estimate contradicts nothing.
                column[places] = np.where(self._rows["sampled"][chosen], np.nan, self._rows[name][chosen])
                columns.append(column)
            for column, values in zip(columns, self._macros.average(metric), strict=True):
                column[self._starts.size :] = values
            self._known[metric] = tuple(columns)
        return self._known[metric]

    def _bound_hits(self, metric: Metric, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bound the mean of min(k/N, 1): it grows with k, and no faster than k itself."""
        below = max((j for j in TABULATED_KS if j < k), default=1)
        above = min((j for j in TABULATED_KS if j > k), default=None)
        lower = self._column(metric.at(below))[0]
        upper = np.minimum(lower * (k / below), 1.0)
        return lower, upper if above is None else np.minimum(upper, self._column(metric.at(above))[0])


@dataclass(frozen=True, eq=False)
class Macros:
    """The macro averages of sets of tasks, as columns: the tables carry no constants of them."""

    sets: tuple[Tasks, ...]
    sides: NDArray[np.intp]  # where the groups of rows of both sides are; of one side, the second is empty: (M, 2)
    starts: NDArray[np.intp]  # where each group of rows begins; the last has no rows
    # A row for each number of candidates of each weight, as :class:`~rankconst.tasks.Histogram` has them.
    num_candidates: NDArray[np.int64]
    num_tasks: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def read(cls, tables: Tables, micro: Sequence[Tasks]) -> Macros:
        """Read those of some sets from the tables' histograms of queries, and of single relations."""
        keys = (*TASK_FIELDS[:-1], "relation")
        queries = tables._read("macro_candidates", (*TASK_FIELDS, *_COUNTS, "weight"), coded=TASK_FIELDS)
        singles = tables._read("candidates_by_relation", (*keys, *_COUNTS), coded=keys)
        counts, first = to_array(singles["num_tasks"]), find_runs(singles, keys)[1]
        weights = np.repeat(1.0 / np.add.reduceat(counts, first), np.diff(np.append(first, counts.size)))
        (named, starts), (others, more) = find_runs(queries, TASK_FIELDS), find_runs(singles, keys[:-1])
        every = list(itertools.starmap(Tasks, (*named, *((*each, "macro-relation") for each in others))))
        places = {tasks: place for place, tasks in enumerate(every)}
        weighed = (replace(tasks, aggregation=each) for each in MACROS for tasks in micro)
        held = tuple(tasks for tasks in weighed if all(side in places for side in tasks.sides))
        pairs = [[*(places[side] for side in tasks.sides), len(every)][:2] for tasks in held]
        sizes, tasks = (np.concatenate([to_array(table[name]) for table in (queries, singles)]) for name in _COUNTS)
        return cls(
            sets=held,
            sides=np.array(pairs, dtype=np.intp).reshape(-1, 2),
            starts=np.concatenate([starts, len(queries) + more]),
            num_candidates=sizes,
            num_tasks=tasks,
            weights=np.concatenate([to_array(queries["weight"]), weights]),
        )

    def average(self, metric: Metric) -> NDArray[np.float64]:
        """Return expectation and variance of a metric in each set, shape (2, M); NaN but for MR, MRR and Hits@k."""
        found = moments_of_tasks(metric, self.num_candidates)
        if found is None:
            return np.full((2, len(self.sets)), np.nan)
        tasks = self.num_tasks * self.weights
        terms = tasks, tasks * found[0], tasks * self.weights * found[1]
        sums = np.array([np.append(np.add.reduceat(each, self.starts), 0.0) for each in terms])
        total, mean, variance = sums[:, self.sides].sum(axis=-1)
        return np.array([mean / total, variance / total / total])


def _shorten(values: NDArray[np.float64]) -> bytes:
    """Return numbers without their last bits: equal weights change those only."""
    share, power = np.frexp(values)
    return np.ldexp(np.round(share, 11), power).tobytes()


_COUNTS = ("num_candidates", "num_tasks")
