"""The ranks of a model, task by task: their metrics, and tests of the difference of two models."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

from rankconst.arrow import as_pandas, refuse_masked
from rankconst.catalogue.metrics import TABULATED, parse_metric
from rankconst.catalogue.protocols import ENTITY_SIDES, SIDES, parse_side
from rankconst.doubles import np
from rankconst.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rankconst.catalogue.answers import Places
    from rankconst.catalogue.metrics import Metric
    from rankconst.values.comparison import Comparison

_Value = TypeVar("_Value")

# Columns that say which task a rank is of.
_TRIPLE = ("head", "relation", "tail")


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The ranks of a model. :func:`rankconst.adjust` and ``check`` take them in place of a file.

    Attributes
    ----------
    sides
        The ranks of each side, float64; those of ``both`` if sides are not known.
    triples
        The columns head, relation and tail of each side, if a DataFrame had them.
    """

    sides: Mapping[str, NDArray[np.float64]]
    triples: Mapping[str, Mapping[str, NDArray[Any]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        sizes = [f"{side}: {ranks.size:,} tasks" for side, ranks in self.sides.items()]
        return f"Ranks({', '.join(sizes)})"

    def select(self, side: str = "both") -> NDArray[np.float64]:
        """Return the ranks of a side; ``both`` those of head and then of tail.

        Raises
        ------
        UnknownNameError
            If there are no ranks of this side.
        """
        arrays = select_sides(self.sides, side, "there are no ranks")
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)

    def evaluate(self, metric: str | Metric, side: str = "both") -> float:
        """Compute a metric of the ranks.

        Parameters
        ----------
        metric
            A metric in any usual spelling, with any k.
        side
            ``head``, ``tail``, ``both`` or ``relation``.

        Returns
        -------
        float
            In units of the metric, unrounded; :meth:`rankconst.Constants.adjust` adjusts it.

        Raises
        ------
        UnknownNameError
            If a name is unknown, or there are no ranks of this side.
        """
        parsed, ranks = parse_metric(metric), self.select(side)
        return parsed.evaluate(ranks, np.ones(ranks.size))

    def to_dict(self, side: str = "both") -> dict[str, float]:
        """Compute every metric that tables have constants of, by key."""
        return {metric.key: self.evaluate(metric, side) for metric in TABULATED}

    def compare(self, other: Ranks, metric: str | Metric, side: str = "both") -> Comparison:
        """Test whether another model's ranks of the same tasks are better or worse.

        Parameters
        ----------
        other
            The ranks of the same tasks, in the same order.
        metric, side
            As for :meth:`evaluate`.

        Returns
        -------
        Comparison
            For Hits@k, McNemar's exact test of the tasks that only one model hits; for MRR, MR and
            nDCG, the sign-flip test of the differences. Both with a confidence interval.

        Raises
        ------
        DataError
            If they are not ranks of the same tasks.
        UndefinedError
            For a metric that is not a mean over tasks.
        UnknownNameError
            As for :meth:`evaluate`.
        """
        first, second = self.select(side), other.select(side)
        if self.sides.keys() != other.sides.keys() and parse_side(side) == "both":
            raise DataError(
                f"the one has ranks of {', '.join(self.sides)}, "
                f"the other of {', '.join(other.sides)}; expected the same sides."
            )

        shared = self.sides.keys() & other.sides.keys()
        if any(self.sides[key].size != other.sides[key].size for key in shared):
            raise DataError(
                f"{first.size:,} and {second.size:,} ranks cannot be of the same tasks."
            )

        for key, columns in self.triples.items():
            for name, values in columns.items():
                others = other.triples.get(key, {}).get(name)
                if others is not None and not np.array_equal(values, others):
                    index = int(np.flatnonzero(values != others)[0])
                    raise DataError(
                        f"rank {index} of side {key} is of {name} {values[index]} in "
                        f"the one and {others[index]} in the other; sort both by the same columns."
                    )

        from rankconst.values.comparison import compare_ranks

        return compare_ranks(parse_metric(metric), first, second)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRanks:
    """The ranks of all right answers of some queries.

    Attributes
    ----------
    places
        The ranks, query by query and ascending, and where each query begins.
    """

    places: Places

    def __repr__(self) -> str:
        return f"AnswerRanks({len(self.places.starts):,} queries)"

    def evaluate(self, metric: str, tool: str | None = None) -> float:
        """Compute a metric's mean over the queries.

        Parameters
        ----------
        metric
            As for :meth:`rankconst.tables.own_counts.Answers.constants`.
        tool
            The library that uses this name. If None, the metric is a key of
            :data:`rankconst.catalogue.answers.FAMILIES`.

        Returns
        -------
        float
            In units of the metric, unrounded.

        Raises
        ------
        UnknownNameError
            If the metric or the library is unknown, or the metric lacks its k.
        UsageError
            If the metric depends on the numbers of candidates, which are not known.
        """
        from rankconst.catalogue.answers import ALL, FAMILIES, read_meaning

        key, k = read_meaning(metric, tool)
        family = FAMILIES[key]
        if family.over == "min(k, N)":
            raise UsageError(
                f"{metric} is over min(k, N), and ranks do not say "
                "how many candidates N there are. If each query has at least k, it is precision@k."
            )

        sums = family.sum_up(self.places, k)
        divisors = family.divide(ALL, self.places.rights, k)
        if family.pooled:
            return float(sums.sum() / divisors.sum())
        return float(np.mean(sums / divisors))


@overload
def from_ranks(ranks: Any, *further: Any, queries: None = None) -> Ranks: ...
@overload
def from_ranks(ranks: Any, *further: Any, queries: Any) -> AnswerRanks: ...
def from_ranks(ranks: Any, *further: Any, queries: Any = None) -> Ranks | AnswerRanks:
    """Take the ranks of an evaluation, task by task, or of queries with several right answers.

    Parameters
    ----------
    ranks
        The rank of each task, in any order: an array of shape (n,), or a mapping from side
        (``head``, ``tail``, ``relation``) to such an array, or a DataFrame with a column ``rank``
        and perhaps ``side``. If it has columns ``head``, ``relation`` and ``tail``, models are
        only compared on the same tasks. 1 is the best rank. The mean rank of a tie, such as 2.5,
        is a rank.
    further
        Not accepted: numbers of candidates go to :func:`rankconst.from_counts`.
    queries
        The query of each rank, a number or a name, if queries have several right answers. `ranks`
        is then one array with the rank of every right answer among all candidates, or ``inf`` for
        one that was not retrieved. Queries without right answers have no rank and are left out.

    Returns
    -------
    Ranks, or AnswerRanks if `queries` are given
        Both evaluate metrics. :class:`Ranks` also compare models, and :func:`rankconst.adjust`
        takes them with their dataset.

    Raises
    ------
    DataError
        If a rank is below 1, missing or not a number, or two right answers of a query have the
        same rank.
    UnknownNameError
        If a side is unknown.
    UsageError
        If a DataFrame has no column rank, or a side is named twice.

    Examples
    --------
    >>> ranks = from_ranks({"head": [1, 2, 4], "tail": [1, 1, 8]})
    >>> ranks.evaluate("mrr"), ranks.evaluate("hits@1", side="tail")
    (0.6458333333333334, 0.6666666666666666)

    Two users, the first with two right items:

    >>> from_ranks([1, 6, 3], queries=["u1", "u1", "u2"]).evaluate("recall@3")
    0.75
    """
    if further:
        raise UsageError(
            "from_ranks takes the ranks alone. With the candidates of each: "
            "rankconst.adjust(rankconst.from_ranks(ranks), "
            "tables=rankconst.from_counts(candidates))."
        )
    if queries is not None:
        return _group(_read(ranks, "ranks", most=np.inf), np.asarray(queries))

    ranks = as_pandas(ranks)
    if hasattr(ranks, "iloc") and hasattr(ranks, "columns"):
        return _from_frame(ranks)
    if not isinstance(ranks, Mapping):
        return Ranks({"both": _read(ranks, "ranks")})

    sides = key_by_side(ranks)
    return Ranks({key: _read(each, f"ranks of side {key}") for key, each in sides.items()})


def key_by_side(by_name: Mapping[Any, _Value]) -> dict[str, _Value]:
    """Replace the names of sides by their keys: {"Head": ranks} becomes {"head": ranks}.

    Raises UsageError without a side, for a side twice, or for both next to head or tail.
    """
    keys = [parse_side(side) for side in by_name]
    is_double = len(set(keys)) < len(keys)
    is_mixed = "both" in keys and not {*ENTITY_SIDES}.isdisjoint(keys)
    if not keys or is_double or is_mixed:
        got = ", ".join(str(side) for side in by_name) or "no side"
        raise UsageError(f"expected head, tail or relation, each once; got {got}.")
    return dict(zip(keys, by_name.values(), strict=True))


def select_sides(by_side: Mapping[str, _Value], side: str, lack: str) -> list[_Value]:
    """Return the value of a side, or of head and tail if there is none for ``both``.

    Raises UnknownNameError if a side has no value; `lack` begins the message: "there are no ranks".
    """
    key = parse_side(side)
    keys = ENTITY_SIDES if key == "both" and key not in by_side else (key,)
    for key in keys:
        if key not in by_side:
            raise UnknownNameError(f"{lack} of side {key}. Known: {', '.join(by_side)}.")
    return [by_side[key] for key in keys]


def _group(ranks: NDArray[np.float64], queries: NDArray[Any]) -> AnswerRanks:
    """Sort the ranks of right answers by query and, within a query, by size."""
    if queries.shape != ranks.shape:
        raise DataError(
            f"queries have shape {queries.shape}; expected {ranks.shape}, one for each rank."
        )

    try:
        names, codes = np.unique(queries, return_inverse=True)
    except TypeError:
        kinds = ", ".join(sorted({type(query).__name__ for query in queries.tolist()}))
        raise DataError(f"queries hold {kinds}; expected numbers, or names, for all.") from None

    if names.dtype.kind == "f" and np.isnan(names).any():
        raise DataError("queries hold NaN; expected numbers, or names, for all.")

    order = np.lexsort((ranks, codes))
    ranks, codes = ranks[order], codes[order]
    # Answers that were not retrieved, inf, are not at the same place: each gets a place of its own.
    places = np.where(np.isinf(ranks), np.arange(ranks.size) + 0.5, ranks)
    twice = np.flatnonzero((np.diff(codes) == 0) & (np.diff(places) == 0))
    if twice.size:
        query, rank = names[codes[twice[0]]], ranks[twice[0]]
        raise DataError(
            f"query {query}: two right answers have rank {rank:g}; expected the place of each."
        )

    from rankconst.catalogue.answers import Places

    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return AnswerRanks(Places(ranks, starts, np.diff(starts, append=ranks.size)))


def _from_frame(frame: Any) -> Ranks:
    """Read the column rank of a DataFrame and, if there, side, head, relation and tail."""
    names = {str(column).strip().lower(): column for column in frame.columns}
    if "rank" not in names:
        columns = ", ".join(str(column) for column in frame.columns)
        raise UsageError(f"the DataFrame has no column rank; it has {columns}.")
    if not len(frame):
        raise DataError("the DataFrame has no rows; expected one for each ranking task.")

    sides = np.full(len(frame), "both")
    if "side" in names:
        column = frame[names["side"]]
        words = {word: parse_side(str(word)) for word in column.unique()}
        sides = column.map(words).to_numpy()

    values = frame[names["rank"]].to_numpy()
    triple_columns = [name for name in _TRIPLE if name in names]
    ranks, triples = {}, {}
    for key in SIDES:
        is_of_side = sides == key
        if not is_of_side.any():
            continue
        ranks[key] = _read(values[is_of_side], "column rank")
        triples[key] = {name: frame[names[name]].to_numpy()[is_of_side] for name in triple_columns}

    if "both" in ranks and not {*ENTITY_SIDES}.isdisjoint(ranks):
        raise UsageError("column side: expected head and tail, or both; got all three.")
    return Ranks(ranks, triples)


def _read(ranks: ArrayLike, what: str, most: float = sys.float_info.max) -> NDArray[np.float64]:
    """Return a read-only copy of ranks as floats, if all are from 1 to `most`."""
    refuse_masked(ranks, what)
    given = np.asarray(ranks)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iuf":
        raise DataError(
            f"{what}: expected numbers, one for each task; "
            f"got {given.dtype} of shape {given.shape}."
        )

    array = given.astype(np.float64)
    wrong = np.flatnonzero(~((array >= 1) & (array <= most)))
    if wrong.size:
        index = int(wrong[0])
        hint = ""
        if array[index] == 0:
            hint = " Do they count from 0? Add 1."
        elif np.isinf(array[index]):
            hint = (
                " A task whose answer was not retrieved has the worst rank, "
                "its number of candidates."
            )
        elif np.isinf(most):
            hint = (
                " A right answer that was not retrieved has rank inf; "
                "a query without right answers has none, and is left out."
            )
        raise DataError(f"{what}: number {index} is {given[index]}; expected at least 1.{hint}")

    array.flags.writeable = False
    return array
