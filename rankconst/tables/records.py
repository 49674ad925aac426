"""What a set of tables holds of one dataset, and runs of rows that have the same words."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rankconst.arrow import join_texts
from rankconst.catalogue.aggregations import AGGREGATIONS
from rankconst.catalogue.protocols import shares_negatives
from rankconst.moments import Moments
from rankconst.tasks import Histogram, Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric


@dataclass(frozen=True)
class Records:
    """What a set of tables holds of one dataset, parsed once."""

    dataset: str
    # Reads columns of a table, those in `coded` as dictionaries, rows in canonical order.
    read: Callable[..., pa.Table]
    former: bool = False  # True for a set of the form before 2.0.0
    _parsed: dict[str, tuple[dict[tuple[Any, ...], int], list[list[Any]]]] = field(default_factory=dict, repr=False)
    _pooled: dict[Tasks, Histogram | None] = field(default_factory=dict, repr=False)
    _blocks: dict[str, pa.Table] = field(default_factory=dict, repr=False)  # of all relations, by baseline

    @cached_property
    def histograms(self) -> dict[Tasks, Histogram]:
        """Candidate counts of every split, side and protocol."""
        return {
            key: Histogram(*columns, shared=shares_negatives(key.protocol))
            for key, columns in self._group("candidates")
        }

    @cached_property
    def macro_histograms(self) -> dict[Tasks, Histogram]:
        """The same with the weights of each macro average."""
        groups = self._group("macro_candidates", "aggregation", "weight")
        # Where single relations are held, their weights follow from them.
        derived = {
            replace(tasks, aggregation="macro-relation"): _weigh_relations(
                [self.relation_histograms[replace(tasks, relations=(name,))] for name in names]
            )
            for tasks, names in self.relations.items()
        }
        return derived | {key: Histogram(*columns) for key, columns in groups}

    @cached_property
    def relation_histograms(self) -> dict[Tasks, Histogram]:
        """Candidate counts relation by relation."""
        return {key: Histogram(*columns) for key, columns in self._group("candidates_by_relation", "relation")}

    @cached_property
    def relations(self) -> dict[Tasks, tuple[str, ...]]:
        """All tasks of a side to their relations, in alphabetical order."""
        found: dict[tuple[str, ...], list[Tasks]] = {}
        for each in self.relation_histograms:
            found.setdefault((each.protocol, each.split, each.side), []).append(each)
        return {replace(own[0], relations=()): tuple(each.relations[0] for each in own) for own in found.values()}

    def pool(self, tasks: Tasks) -> Histogram | None:
        """Return the candidate counts of both sides and all relations of some tasks; None if a part is not held."""
        if tasks.relations:  # selections have no limit, so they are not kept
            return self._pool(tasks)
        if tasks not in self._pooled:
            self._pooled[tasks] = self._pool(tasks)
        return self._pooled[tasks]

    def _pool(self, tasks: Tasks) -> Histogram | None:
        stored = (
            self.relation_histograms
            if tasks.relations
            else self.histograms
            if tasks.is_micro
            else self.macro_histograms
        )
        if tasks in stored:  # own counts may be of both sides, not told apart
            return stored[tasks]
        singles: list[tuple[str, ...]] = [(name,) for name in tasks.relations] or [()]
        wanted = [replace(side, relations=names) for side in tasks.sides for names in singles]
        if not all(each in stored for each in wanted):
            return None
        parts = [stored[each] for each in wanted]
        return functools.reduce(Histogram.pool, parts)

    def gather_blocks(self, tasks: Tasks) -> Histogram | None:
        """Return how a baseline that knows something ranks some tasks; None if it is not held."""
        import pyarrow.compute as pc

        plain = tasks.is_micro and not tasks.relations
        if self.former and not tasks.is_micro:
            return None
        name = "baseline_candidates" if plain and not self.former else "baseline_candidates_by_relation"
        wanted = {
            "protocol": (tasks.protocol,),
            "split": (tasks.split,),
            "side": tuple(each.side for each in tasks.sides),
            **({} if plain else {"relation": tasks.relations}),
        }
        columns = ("num_candidates", "num_tasks", "offset")
        weight = AGGREGATIONS[tasks.aggregation].group
        further = ("weight",) if weight == "query" else ()
        table = self._blocks.get(tasks.baseline) if plain else None
        if table is None:
            table = self.read(name, (*wanted, *columns, *further), baseline=tasks.baseline)
            if plain:
                self._blocks[tasks.baseline] = table
        for column, values in wanted.items():
            if values:
                table = table.filter(pc.is_in(table[column], value_set=join_texts(values)))
        if not len(table):
            return None
        sizes, counts, offsets = (to_array(table.column(column)) for column in columns)
        weights = to_array(table.column("weight")) if weight == "query" else None
        if weight == "relation":
            weights = 1.0 / _sum_groups([table.column("side"), table.column("relation")], counts)
        return Histogram.from_counts(sizes, counts, weights, offsets)

    def find_moments(self, tasks: Tasks, metric: Metric) -> Moments | None:
        """Return the tabulated moments of a metric; None if there is no row."""
        places, columns = self._constants(tasks.baseline)
        key = (tasks.protocol, tasks.split, tasks.side, tasks.aggregation, metric.family, metric.k)
        place = places.get(key)
        return None if place is None else Moments(*(column[place] for column in columns))

    def _constants(self, baseline: str) -> tuple[dict[tuple[Any, ...], int], list[list[Any]]]:
        """Return the place of each key, and the columns of moments, under a baseline."""
        if baseline not in self._parsed:
            keys = ("protocol", "split", "side", "aggregation", "metric", "k")
            fields = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
            columns = self.read("constants", (*keys, *fields), baseline=baseline).to_pydict()
            places = {key: place for place, key in enumerate(zip(*(columns[name] for name in keys), strict=True))}
            self._parsed[baseline] = places, [columns[name] for name in fields]
        return self._parsed[baseline]

    def _group(self, name: str, further: str = "", *weights: str) -> Iterator[tuple[Tasks, tuple[NDArray[Any], ...]]]:
        """Cut a table into arrays, a group for each run of rows of the same tasks."""
        keys = ("protocol", "split", "side", *([further] if further else []))
        values = ("num_candidates", "num_tasks", *weights)
        # As dictionaries, keys are compared by their codes: only those of whole groups become text.
        table = self.read(name, (*keys, *values), coded=keys)
        words, starts = find_runs(table, keys)
        if not words:
            return
        pieces = [np.split(to_array(table.column(value)), starts[1:]) for value in values]
        for (protocol, split, side, *more), *columns in zip(words, *pieces, strict=False):
            named: dict[str, Any] = dict(zip([further], more, strict=False))
            if further == "relation":
                named = {"relations": tuple(more)}
            yield Tasks(self.dataset, protocol, split, side, **named), tuple(columns)


def find_runs(table: pa.Table, names: Sequence[str]) -> tuple[list[tuple[str, ...]], NDArray[np.intp]]:
    """Return the words of each run of rows with the same words in some coded columns, and where it begins."""
    if not len(table):
        return [], np.empty(0, dtype=np.intp)
    coded = [decode(table.column(name)) for name in names]
    new = np.any([codes[1:] != codes[:-1] for codes, _ in coded], axis=0)
    starts = np.flatnonzero(np.append(True, new))
    return [*zip(*(words[codes[starts]].tolist() for codes, words in coded), strict=True)], starts


def decode(column: pa.ChunkedArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the codes of a column that was read as a dictionary, and the texts that they encode."""
    chunks = cast("list[pa.DictionaryArray[Any, Any]]", column.unify_dictionaries().chunks)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in chunks])
    return codes, np.array(chunks[0].dictionary.to_pylist(), dtype=object)


def _weigh_relations(parts: Sequence[Histogram]) -> Histogram:
    """Return the tasks of several relations, of which each counts once."""
    return Histogram.from_counts(
        np.concatenate([part.num_candidates for part in parts]),
        np.concatenate([part.num_tasks for part in parts]),
        np.concatenate([np.full(len(part), 1.0 / part.total) for part in parts]),
    )


def _sum_groups(columns: Sequence[pa.ChunkedArray[Any]], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row the sum of the counts of all rows that have the same words in some columns."""
    groups = np.zeros(counts.size, dtype=np.int64)
    for column in columns:
        codes, words = decode(column.dictionary_encode())
        groups = groups * len(words) + codes
    # Sums of whole numbers below 2^53 are exact.
    return np.bincount(groups, counts).astype(np.int64)[groups]


def to_array(column: pa.ChunkedArray[Any]) -> NDArray[Any]:
    """Return a column of numbers; pyarrow's own conversion would import pandas."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])
