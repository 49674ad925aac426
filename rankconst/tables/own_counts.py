"""Ranking tasks, queries with several right answers, and graphs of your own.

Constants depend on how many candidates each task has, and on nothing else. So whoever knows these
numbers can adjust the results of any evaluation: typed candidates, relation prediction, temporal
filters, recommender systems.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankconst.catalogue.answers import (
    EMPTY,
    FAMILIES,
    LEFT_OUT,
    Chances,
    Places,
    define_metric,
    parse_library,
    read_meaning,
)
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_AGGREGATION,
    OWN_COUNTS,
    PROTOCOLS,
    parse_protocol,
    parse_side,
)
from rankconst.errors import DataError, UsageError
from rankconst.moments import compute_moments
from rankconst.moments.queries import NOTHING, average, find_query_moments
from rankconst.names import as_names
from rankconst.tasks import Histogram, Tasks, check_weights, read_counts
from rankconst.values.constants import Constants
from rankconst.values.ranks import key_by_side, select_sides

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.moments.queries import QueryMoments
    from rankconst.tables.archive import Tables

    Values = NDArray[np.float64]

# A variance so small is 0 but for rounding: the query surely has a hit, or surely has none.
_SURE = 1e-290


@dataclass(frozen=True, slots=True)
class Counts:
    """Ranking tasks with their numbers of candidates.

    Attributes
    ----------
    name
        What messages call them.
    sides
        Side to the histogram of its tasks; only ``both`` where sides were not told apart.
    """

    name: str
    sides: Mapping[str, Histogram]

    def histogram(self, side: str = "both") -> Histogram:
        """Return the candidate counts of a side; ``both`` pools head and tail.

        Raises
        ------
        UnknownNameError
            If there is no such side.
        """
        parts = select_sides(self.sides, side, f"{self.name}: there are no tasks")
        return functools.reduce(Histogram.pool, parts)

    def constants(self, metric: str | Metric, side: str = "both") -> Constants:
        """Compute the constants of a metric.

        Parameters
        ----------
        metric
            A metric in any usual spelling, with any k.
        side
            ``head``, ``tail``, ``both`` or ``relation``.

        Returns
        -------
        Constants
            As :meth:`rankconst.tables.archive.Tables.constants` returns.

        Raises
        ------
        UnknownNameError
            If the metric or the side is unknown, or Hits@k has no k.
        """
        parsed, histogram = parse_metric(metric), self.histogram(side)
        aggregation = "own weights" if histogram.is_weighted else DEFAULT_AGGREGATION
        tasks = Tasks(self.name, OWN_COUNTS.key, "", parse_side(side), aggregation)
        return Constants(tasks, parsed, histogram, compute_moments(parsed, histogram))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Queries with several right answers, by their numbers of candidates and of right ones."""

    name: str  # what messages call them
    queries: NDArray[np.int64]  # each distinct pair of candidates N and right answers R: (m, 2)
    # For each pair the number of queries, the sum of their weights and of the squares of these,
    # shape (m, 3).
    weights: Values = field(repr=False)
    # The value of a query without right answers: "left out", "0" or "1"; empty if unknown.
    empty: str = ""
    # The key of the library whose names metrics have; empty for those of
    # :data:`rankconst.catalogue.answers.FAMILIES`.
    library: str = ""

    def constants(self, metric: str) -> Constants:
        """Compute the constants of the mean of a metric over the queries.

        The index is 1 for a ranker that puts all right answers on top. Its value may be below 1:
        Recall@10 with 20 right answers is at most 0.5.

        Parameters
        ----------
        metric
            The name of a metric in the library, if a library was named. Otherwise a key of
            :data:`rankconst.catalogue.answers.FAMILIES`, such as ``recall@k``, ``precision@k``,
            ``f1@k``, ``hit_ratio@k``, ``mrr``, ``ndcg`` or ``map``.

        Returns
        -------
        Constants
            Moments are exact, with a bound on their rounding. HitRatio@k has a p, too.

        Raises
        ------
        DataError
            If no query has a right answer, and such queries are left out.
        UnknownNameError
            If the metric is unknown, or lacks its k.
        """
        return self.define(*read_meaning(metric, self.library))

    def count_empty(self, key: str) -> str:
        """Return what a query without right answers counts: "left out", "0", "1"; "" if unknown."""
        if self.empty or not self.library:
            return self.empty
        return parse_library(self.library).count_empty(key)

    def define(self, key: str, k: int | None) -> Constants:
        """Compute the constants of a definition in :data:`rankconst.catalogue.answers.FAMILIES`.

        `k` is its cut-off, None without one.

        Raises DataError if all queries are left out.
        """
        family = FAMILIES[key]
        empty = self.count_empty(key)
        counted = self._leave_out_empty() if empty == LEFT_OUT else self
        queries, weights = counted.queries, counted.weights
        num_queries, query_weights, _ = weights.T  # of each pair: see the attributes
        total_weight = math.fsum(query_weights)
        has_right = queries[:, 1] > 0
        sizes, num_right = queries[has_right].T

        # The value of a query is a sum over its right answers, over a divisor.
        divisors = np.ones(len(queries))
        divisors[has_right] = family.divide(sizes, num_right, k)
        if family.pooled:  # a sum over all queries, over the sum of their divisors
            divisors[:] = math.fsum(query_weights * divisors) / total_weight

        # The best and the worst ranker have the right answers of each query first, and last.
        empty_value = float(empty == "1")
        best = np.full(len(queries), empty_value)
        worst = np.full(len(queries), empty_value)
        first_places = Places.from_first(np.ones(sizes.size), num_right)
        last_places = Places.from_first(sizes - num_right + 1.0, num_right)
        best[has_right] = family.sum_up(first_places, k) / divisors[has_right]
        worst[has_right] = family.sum_up(last_places, k) / divisors[has_right]

        query_moments = [NOTHING._replace(mean=empty_value)] * len(queries)
        moments_of_sums = find_query_moments(family, k, queries)
        for index in np.flatnonzero(has_right).tolist():
            query_moments[index] = moments_of_sums[index].over(float(divisors[index]))

        metric = replace(
            define_metric(key, k),
            best=math.fsum(query_weights * best) / total_weight,
            least=math.fsum(query_weights * worst) / total_weight,
            chances=_list_chances(query_moments, num_queries),
        )
        task_weights = None
        aggregation = DEFAULT_AGGREGATION
        if (num_queries != query_weights).any():
            task_weights = query_weights / num_queries
            aggregation = "own weights"

        return Constants(
            Tasks(self.name, OWN_COUNTS.key, "", "both", aggregation),
            metric=metric,
            candidates=Histogram.from_counts(
                queries[:, 0], num_queries.astype(np.int64), task_weights
            ),
            moments=average(query_moments, weights),
            table_version=OWN_COUNTS.key,
        )

    def _leave_out_empty(self) -> Answers:
        """Leave out the queries without right answers."""
        has_right = self.queries[:, 1] > 0
        if not has_right.any():
            raise DataError(
                f"{self.name}: no query has a right answer, and those without one are left "
                "out. Give queries that have one."
            )
        return replace(self, queries=self.queries[has_right], weights=self.weights[has_right])


def _list_chances(query_moments: Sequence[QueryMoments], times: Values) -> Chances:
    """Return the chances of hits, given the moments of the queries and how often each occurs."""
    mean, variance, mean_error, variance_error = np.array(query_moments).T
    num_missed = int(times[mean == 0].sum())
    varies = variance > _SURE
    mean, variance, times = mean[varies], variance[varies], times[varies]
    error = 2 * mean_error[varies] / mean + variance_error[varies] / variance
    return Chances(
        hit=mean,
        miss=variance / mean,  # the variance is mean (1 - mean)
        num_queries=times,
        error=math.fsum(times * error),
        num_missed=num_missed,
    )


def gather_answers(
    counts: ArrayLike,
    relevant: ArrayLike,
    name: str,
    *,
    weights: ArrayLike | None = None,
    num_tasks: ArrayLike = 1,
    tool: str | None = None,
    empty: str | None = None,
) -> Answers:
    """Gather queries into distinct pairs of candidates and right answers.

    `num_tasks` is how often each query occurs. Other arguments are as for :func:`from_counts`.
    """
    library = parse_library(tool).key if tool else ""
    if empty not in {None, LEFT_OUT, "0", "1"}:
        raise UsageError(f"empty is {empty!r}; expected 'left out', '0' or '1'.")

    sizes, right, query_weights = _read_queries(counts, relevant, weights)
    if not (empty or library or right.all()):
        raise DataError(f"relevant[{int(np.argmin(right))}] is 0. {EMPTY}")

    # Sort the queries, so that those with the same pair follow each other.
    order = np.lexsort((right, sizes))
    pairs = np.column_stack((sizes, right))[order]
    times = np.broadcast_to(np.asarray(num_tasks, float), sizes.shape)[order]
    query_weights = query_weights[order]
    differs = (pairs[1:] != pairs[:-1]).any(axis=1)
    starts = np.flatnonzero(np.append(True, differs))

    # The sums of w^0, w^1 and w^2 of each pair: number, weight, and the factor of variances.
    sums = [np.add.reduceat(times * query_weights**power, starts) for power in (0, 1, 2)]
    return Answers(name, pairs[starts], np.column_stack(sums), empty or "", library)


def _read_queries(
    counts: ArrayLike, relevant: ArrayLike, weights: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], Values]:
    """Return the numbers of candidates and of right answers, and the weight, of each query."""
    weights = np.ones(()) if weights is None else np.asarray(weights, float)
    arrays = [np.asarray(counts), np.asarray(relevant), weights]
    if not arrays[0].size:
        raise DataError("there are no queries: expected the number of candidates of each.")

    # A single number is that of all queries, but a list of one is not.
    shapes = [array.shape for array in arrays if array.ndim]
    if len({*shapes}) > 1:
        listed = " and ".join(str(shape) for shape in shapes)
        raise DataError(
            f"counts, relevant and weights have shapes {listed}; "
            "expected one number for each query."
        )

    sizes, right, weights = np.broadcast_arrays(*[np.atleast_1d(array) for array in arrays])
    sizes = read_counts("num_candidates", sizes)
    right = read_counts("relevant", right, least=0)
    if (right > sizes).any():
        index = int(np.flatnonzero(right > sizes)[0])
        raise DataError(
            f"query {index} has {right[index]} right answers among {sizes[index]} candidates; "
            f"expected at most {sizes[index]}."
        )

    weights = check_weights(weights, sizes.size)
    if (weights == weights[0]).all():  # as without weights
        weights = np.ones(weights.shape)

    return sizes, right, weights


@overload
def from_counts(
    counts: ArrayLike | Mapping[str, ArrayLike],
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    relevant: None = None,
    name: str = "these tasks",
) -> Counts: ...
@overload
def from_counts(
    counts: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    relevant: ArrayLike,
    empty: str | None = None,
    tool: str | None = None,
    name: str = "these tasks",
) -> Answers: ...
def from_counts(
    counts: ArrayLike | Mapping[str, ArrayLike],
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    relevant: ArrayLike | None = None,
    empty: str | None = None,
    tool: str | None = None,
    name: str = "these tasks",
) -> Counts | Answers:
    """Describe ranking tasks by their numbers of candidates, or queries with several answers.

    Parameters
    ----------
    counts
        The number of candidates of each task, including the true answer, in any order: whole
        numbers >= 1, shape (n,). Or a mapping from side (``head``, ``tail``, ``relation``) to such
        an array. Or an evaluator of PyKEEN, ``RankBasedEvaluator(clear_on_finalize=False)``, after
        an evaluation.
    weights
        The weight of each task in the average, in the shape of `counts`; each counts once if None.
    relevant
        The number of right candidates: one number, or one for each query. `counts` may then be one
        number. If None, one candidate of each task is right. A query may have no right candidate
        if `empty` or `tool` gives its value.
    empty
        The value of queries without right answers: ``"left out"``, ``"0"`` or ``"1"``; if None,
        that of the library.
    tool
        The library that names the metrics, such as ``"ranx"``; `rankconst show libraries` lists
        them. If None, metrics have the names of :data:`rankconst.catalogue.answers.FAMILIES`.
    name
        The name of the tasks in messages.

    Returns
    -------
    Counts, or Answers if `relevant` is given
        Their method ``constants`` computes the constants of a metric.

    Raises
    ------
    DataError
        If a count is not a whole number >= 1, a weight is not positive, or nothing gives the value
        of a query without right answers.
    UnknownNameError
        If a side or the library is unknown.
    UsageError
        If only one of counts and weights is a mapping.

    Examples
    --------
    Of three tasks with 2, 4 and 4 candidates, a random ranker has a mean rank of
    (1.5 + 2.5 + 2.5) / 3.

    >>> mr = from_counts([2, 4, 4]).constants("mr")
    >>> round(mr.expectation, 12)
    2.166666666667
    >>> mr.adjust(1.5).index
    0.5714285714285714

    A thousand users, 20 of 500 items right for each: of ten random items 0.4 are.

    >>> round(from_counts([500] * 1000, relevant=20).constants("precision@10").expectation, 12)
    0.04
    """
    sizes: Any = _take_counts(counts)
    weights_given: Any = weights
    by_side = isinstance(sizes, Mapping)
    if relevant is not None:
        if by_side or isinstance(weights, Mapping):
            raise UsageError(
                "queries with several right answers have no sides: "
                "give counts and weights as arrays."
            )
        return gather_answers(sizes, relevant, name, weights=weights, tool=tool, empty=empty)
    if empty is not None or tool is not None:
        raise UsageError(
            "empty and tool are for queries with several right answers: give relevant, too."
        )
    if weights is not None and isinstance(weights, Mapping) != by_side:
        one, other = ("counts", "weights") if by_side else ("weights", "counts")
        raise UsageError(
            f"{one} are given for each side, {other} are not. Give both by side, or both as arrays."
        )
    if not by_side:
        return Counts(name, {"both": Histogram.from_counts(sizes, weights=weights_given)})

    counts_of, weights_of = _read_sides(sizes), dict[str, Any]()
    if weights is not None:
        weights_of = _read_sides(weights_given)
        if weights_of.keys() != counts_of.keys():
            raise UsageError(
                f"counts are of {', '.join(counts_of)}, weights of {', '.join(weights_of)}. "
                "Give both for the same sides."
            )

    sides = {
        side: Histogram.from_counts(numbers, weights=weights_of.get(side))
        for side, numbers in counts_of.items()
    }
    return Counts(name, sides)


def _take_counts(counts: Any) -> Any:
    """Return the counts that an evaluator of PyKEEN collected, by side; anything else as it is."""
    batches = getattr(counts, "num_candidates", None)
    if not isinstance(batches, Mapping):  # not an evaluator of PyKEEN
        return counts
    if not any(batches.values()):
        raise DataError(
            "the evaluator holds no counts: "
            "make it with RankBasedEvaluator(clear_on_finalize=False)."
        )

    by_side = {}
    for side, arrays in batches.items():
        if arrays:
            by_side[str(side)] = np.concatenate([np.ravel(array) for array in arrays])

    return by_side


def _read_sides(by_name: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
    """Replace the names of sides by their keys; UsageError for a name that is not text."""
    if not all(isinstance(side, str) for side in by_name):
        raise UsageError(
            "a mapping goes from side to the counts of its tasks, {'head': "
            "[4, 4], 'tail': [4, 9]}. Of a mapping {num_candidates: "
            "num_tasks} write each count out: np.repeat([*counts], [*counts.values()])."
        )
    return key_by_side(by_name)


def from_triples(
    train: Any,
    valid: Any = None,
    test: Any = None,
    *,
    protocol: str | Iterable[str] | None = None,
    name: str = "triples",
) -> Tables:
    """Make tables of a graph of your own from its triples, as ``rankconst build`` does from files.

    Parameters
    ----------
    train, valid, test
        The triples of each split: a DataFrame with columns head, relation and tail, or with three
        columns in this order; an array or a list of rows of three ids or labels; or a triples
        factory of PyKEEN. `valid` may be None. A repeated triple counts each time. A DataFrame
        with a column time, or with columns begin and end, is part of a temporal graph.
    protocol
        One or several protocols. If None, ``standard``, ``libkge``, ``pykeen`` and ``raw``, or for
        a temporal graph ``raw``, ``static`` and ``time-aware``.
    name
        The name of the dataset.

    Returns
    -------
    Tables
        Tables in memory with this one dataset. A constant is computed when it is first needed.

    Raises
    ------
    DataError
        If a row is not a triple, as with a missing label, a fraction or a heading; or if a factory
        has entities that are not in its training triples, which PyKEEN ranks and protocol
        ``pykeen`` does not.
    UnknownNameError
        If there is no such protocol.
    UsageError
        If train or test is missing, or the name is that of a benchmark.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("ada", "knows", "bob"), ("bob", "knows", "cy"), ("cy", "knows", "dee")]
    >>> train = pd.DataFrame(rows, columns=["head", "relation", "tail"])
    >>> mykg = from_triples(train, test=[("ada", "knows", "cy")], name="mykg")
    >>> round(mykg.constants("mykg", "mrr").adjust("0.75").index, 4)
    0.3571
    """
    from rankconst.catalogue.benchmarks import make_key
    from rankconst_builder.memory import make_tables
    from rankconst_builder.pipeline import order_protocols

    if train is None or test is None:
        raise UsageError(
            "a graph of your own needs train and test: rankconst.from_triples(train, test=test), "
            "or rankconst.from_triples(train, valid, test)."
        )

    splits = {"train": train, "valid": valid, "test": test}
    if valid is None:
        del splits["valid"]

    names = PROTOCOLS if protocol is None else as_names(protocol)
    protocols = order_protocols(parse_protocol(each) for each in names)
    return make_tables(splits, make_key(name), name, protocols)
