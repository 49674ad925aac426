"""The ranking tasks that a number is from, and how many candidates they have.

:class:`Tasks` names some ranking tasks and the baseline that ranks them. :class:`Histogram` has
their numbers of candidates, from which the constants are computed.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rankconst.arrow import refuse_masked
from rankconst.catalogue.baselines import DEFAULT_BASELINE, parse_baseline
from rankconst.catalogue.protocols import (
    DEFAULT_AGGREGATION,
    DEFAULT_PROTOCOL,
    ENTITY_SIDES,
    POOLED_SPLITS,
    RELATION_SIDE,
    parse_aggregation,
    parse_protocol,
    parse_side,
    parse_split,
)
from rankconst.doubles import np
from rankconst.errors import DataError, UndefinedError, UsageError, first_line
from rankconst.names import join_words, show_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from rankconst.catalogue.protocols import Protocol

SIDE_WORDS = {"both": "both sides"} | {key: f"{key} side" for key in (*ENTITY_SIDES, RELATION_SIDE)}
"""What each side is called in a sentence."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """The address of some ranking tasks, every name a key: ``fb15k237/test/both/standard``.

    Attributes
    ----------
    dataset
        The key of the dataset, or the name of counts of your own.
    protocol
        The key of the evaluation protocol.
    split
        ``train``, ``valid``, ``test`` or ``valid+test``, the ranks of both together; empty for
        counts of your own.
    side
        ``head``, ``tail``, ``relation`` or ``both``, the ranks of head and tail together.
    aggregation
        The key of the aggregation, which gives each task its weight.
    relations
        The relations to which the tasks are restricted; empty for all.
    baseline
        The key of the baseline, the ranker whose results are expected.
    """

    dataset: str
    protocol: str = DEFAULT_PROTOCOL
    split: str = "test"
    side: str = "both"
    aggregation: str = DEFAULT_AGGREGATION
    relations: tuple[str, ...] = ()
    baseline: str = DEFAULT_BASELINE

    @classmethod
    def parse(
        cls,
        dataset: str,
        *,
        protocol: str = DEFAULT_PROTOCOL,
        split: str = "test",
        side: str = "both",
        aggregation: str = DEFAULT_AGGREGATION,
        relations: str | Iterable[str] | None = None,
        baseline: str = DEFAULT_BASELINE,
    ) -> Tasks:
        """Parse names in any usual spelling, but the key of the dataset, which only tables know.

        Raises
        ------
        UnknownNameError
            If a name is unknown.
        """
        if isinstance(relations, str):
            relations = [relations]

        return cls(
            dataset=dataset,
            protocol=parse_protocol(protocol).key,
            split=parse_split(split),
            side=parse_side(side),
            aggregation=parse_aggregation(aggregation).key,
            relations=tuple(dict.fromkeys(relations or ())),
            baseline=parse_baseline(baseline).key,
        )

    @property
    def is_micro(self) -> bool:
        """True if every task counts once."""
        return self.aggregation == DEFAULT_AGGREGATION

    @property
    def is_chance(self) -> bool:
        """True if the baseline is chance: all candidates in random order."""
        return self.baseline == DEFAULT_BASELINE

    @property
    def sides(self) -> tuple[Tasks, ...]:
        """The tasks side by side: those of head and tail for ``both``."""
        if self.side != "both":
            return (self,)
        return tuple(replace(self, side=side) for side in ENTITY_SIDES)

    @property
    def parts(self) -> tuple[Tasks, ...]:
        """The tasks side by side, and of each split that ``valid+test`` pools."""
        splits = POOLED_SPLITS.get(self.split, (self.split,))
        return tuple(replace(side, split=split) for split in splits for side in self.sides)

    def __str__(self) -> str:
        parts = [self.dataset, self.split, self.side, self.protocol]
        if not self.is_micro:
            parts.append(self.aggregation)
        if not self.is_chance:
            parts.append(self.baseline)
        address = "/".join(part for part in parts if part)
        return f"{address} ({', '.join(self.relations)})" if self.relations else address

    def to_dict(self) -> dict[str, Any]:
        """Return the names of the tasks by column, but for the baseline; relations as a list."""
        names = asdict(self) | {"relations": list(self.relations)}
        del names["baseline"]
        return names

    def describe(self) -> str:
        """Describe the tasks in words: ``test, both sides, protocol standard``."""
        parts = [self.split, SIDE_WORDS[self.side]] if self.split else []
        parts.append(f"protocol {self.protocol}")
        if not self.is_micro:
            parts.append(self.aggregation)

        if self.relations:
            parts.append(f"only {', '.join(self.relations)}")

        if not self.is_chance:
            parts.append(f"baseline {self.baseline}")

        return ", ".join(parts)


# Up to here every whole number is exact as a float.
_LARGEST = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The numbers of ranking tasks by their number of candidates, weight and offset.

    A metric M = sum w_i f(r_i) / sum w_i counts task i with weight w_i; only the proportions of the
    weights matter. Macro averages weigh a task by one over the number of tasks in its group.

    The rank of a task is uniform on ``offset + 1 .. offset + num_candidates``. Under chance there
    are no offsets; under another baseline, `offset` candidates score above the true answer, and
    `num_candidates` share its score. Rows ascend by offset, number of candidates and weight, and
    do not repeat. Ranks are independent, unless all tasks share their negatives.

    Attributes
    ----------
    num_candidates
        The number of candidates that tie, including the true answer; under chance all candidates.
        Shape (U,), int64, each >= 1.
    num_tasks
        The number of tasks of each row. Shape (U,), int64, each >= 1.
    weights
        The weight of each task of a row. Shape (U,), float64, each > 0. None if every task counts
        once.
    offsets
        The number of candidates that rank above. Shape (U,), int64, each >= 0. None if all are 0.
    shared
        True if every true answer is ranked among the same ``num_candidates - 1`` negatives. There
        is one row then, without weight and offset.
    """

    num_candidates: NDArray[np.int64]
    num_tasks: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None
    offsets: NDArray[np.int64] | None = None
    shared: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check the columns and keep read-only copies; DataError for wrong ones."""
        sizes = read_counts("num_candidates", self.num_candidates, hint=_ANSWER)
        tasks = _read_tasks(self.num_tasks, sizes)
        weights = None if self.weights is None else check_weights(self.weights, sizes.size)
        offsets = None if self.offsets is None else _check_offsets(self.offsets, sizes)
        for name, values in zip(_COLUMNS, (sizes, tasks, weights, offsets), strict=True):
            if values is not None:
                values.flags.writeable = False
            object.__setattr__(self, name, values)

        if not _ascends(self._keys).all():
            rows = "num_candidates"
            if len(self._keys) > 1:
                names = (name for name in _KEYS if getattr(self, name) is not None)
                rows = f"rows of {join_words(list(names))}"
            raise DataError(
                f"{rows} must be ascending without repeats; Histogram.from_counts sorts for you."
            )

        if self.shared and (sizes.size > 1 or weights is not None or offsets is not None):
            raise DataError(
                "tasks that share their negatives all have the same number of candidates, "
                "and no weights or offsets."
            )

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike,
        num_tasks: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Histogram:
        """Gather candidate counts, one per ranking task, into a histogram.

        Parameters
        ----------
        counts
            Numbers of candidates, including the true answer, in any order. Shape (n,), whole
            numbers >= 1.
        num_tasks
            The number of tasks with each count; 1 each if None. Shape (n,).
        weights
            The weight of each task; 1 each if None. Shape (n,), > 0.
        offsets
            The number of candidates that rank above those counted; 0 each if None. Shape (n,).

        Raises
        ------
        DataError
            If there are no counts, a count is not a whole number >= 1, a weight is not positive,
            or an offset is negative.
        """
        sizes = read_counts("counts", counts, hint=_ANSWER)
        if num_tasks is None:
            num_tasks = np.ones_like(sizes)

        tasks = _read_tasks(num_tasks, sizes)
        if offsets is not None:
            offsets = _check_offsets(offsets, sizes)

        if weights is not None:
            weights = check_weights(weights, sizes.size)

        return cls.of_groups(np.zeros_like(sizes), sizes, tasks, offsets, weights)[0]

    @classmethod
    def of_groups(
        cls,
        groups: NDArray[np.int64],
        counts: NDArray[np.int64],
        num_tasks: NDArray[np.int64],
        offsets: NDArray[np.int64] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> dict[int, Histogram]:
        """Return the histogram of each group, by the number of the group.

        Group `groups[i]` has `num_tasks[i]` tasks with `counts[i]` candidates. The arrays are not
        checked: they must have one length, not 0, and no negative numbers.
        """
        if offsets is None:
            offsets = np.zeros_like(counts)

        # In the order of a histogram's rows.
        keys: list[NDArray[Any]] = [groups, offsets, counts]
        if weights is not None:
            keys.append(weights)

        order = _order(keys)
        keys = [key[order] for key in keys]
        # Rows that are equal in all keys become one, with the sum of their tasks.
        starts = np.flatnonzero(np.append(True, _ascends(keys)))
        group_of_row, row_offsets, sizes, *row_weights = (key[starts] for key in keys)
        row_tasks = np.add.reduceat(num_tasks[order], starts)

        is_new_group = np.append(True, group_of_row[1:] > group_of_row[:-1])
        bounds = [*np.flatnonzero(is_new_group).tolist(), group_of_row.size]
        histograms = {}
        for start, stop in itertools.pairwise(bounds):
            rows = slice(start, stop)
            group_weights = row_weights[0][rows] if row_weights else None
            group_offsets = row_offsets[rows] if row_offsets[rows].any() else None
            histograms[int(group_of_row[start])] = cls._of_sound(
                sizes[rows], row_tasks[rows], group_weights, group_offsets
            )

        return histograms

    @classmethod
    def _of_sound(
        cls,
        num_candidates: NDArray[np.int64],
        num_tasks: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.int64] | None = None,
    ) -> Histogram:
        """Return the histogram of checked and sorted columns, which become read-only."""
        histogram = object.__new__(cls)
        columns = (num_candidates, num_tasks, weights, offsets, False)  # not shared
        for name, values in zip(cls.__slots__, columns, strict=True):
            if isinstance(values, np.ndarray):
                values.flags.writeable = False
            object.__setattr__(histogram, name, values)
        return histogram

    @property
    def _keys(self) -> list[NDArray[Any]]:
        """The columns that distinguish rows, in the order of sorting."""
        columns = (getattr(self, name) for name in _KEYS)
        return [column for column in columns if column is not None]

    @property
    def total(self) -> int:
        """The number of ranking tasks, n."""
        return int(self.num_tasks.sum())

    @property
    def mean(self) -> float:
        """The mean number of candidates of a task."""
        candidates = int(np.dot(self.num_candidates.astype(object), self.num_tasks.astype(object)))
        return candidates / self.total

    @property
    def last_ranks(self) -> NDArray[np.int64]:
        """The last rank that each row's tasks can have. Shape (U,)."""
        return self.num_candidates if self.offsets is None else self.offsets + self.num_candidates

    @property
    def is_weighted(self) -> bool:
        """Whether tasks have weights, as in macro averages."""
        return self.weights is not None

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """The sum of the weights of each row's tasks. Shape (U,)."""
        if self.weights is None:
            return self.num_tasks.astype(np.float64)
        return self.num_tasks * self.weights

    @property
    def total_weight(self) -> float:
        """The sum of the weights of all tasks; n without weights."""
        return math.fsum(self.row_weights.tolist())

    def pool(self, other: Histogram) -> Histogram:
        """Return the histogram of both sets of tasks together; unweighted tasks have weight 1.

        Raises
        ------
        UndefinedError
            If tasks share their negatives, as it is not known which tasks do.
        """
        if self.shared or other.shared:
            raise UndefinedError(
                "tasks that share their negatives cannot be pooled with others: nothing says how."
            )

        both = (self, other)
        counts = np.concatenate([part.num_candidates for part in both])
        num_tasks = np.concatenate([part.num_tasks for part in both])
        weights = offsets = None
        if self.is_weighted or other.is_weighted:
            weights = np.concatenate([weights_of(self), weights_of(other)])

        if self.offsets is not None or other.offsets is not None:
            offsets = np.concatenate([offsets_of(self), offsets_of(other)])

        return Histogram.from_counts(counts, num_tasks, weights, offsets)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        columns, others = [*self._keys, self.num_tasks], [*other._keys, other.num_tasks]
        if self.shared != other.shared or len(columns) != len(others):
            return False
        pairs = zip(columns, others, strict=True)
        return all(np.array_equal(column, of_other) for column, of_other in pairs)

    def __hash__(self) -> int:
        return hash((self.shared, *(values.tobytes() for values in [*self._keys, self.num_tasks])))

    def __len__(self) -> int:
        return int(self.num_candidates.size)


_COLUMNS = ("num_candidates", "num_tasks", "weights", "offsets")
_KEYS = ("offsets", "num_candidates", "weights")


def weights_of(histogram: Histogram) -> NDArray[np.float64]:
    """Return the weight of each row's tasks, which is 1 by default."""
    return np.ones(len(histogram)) if histogram.weights is None else histogram.weights


def offsets_of(histogram: Histogram) -> NDArray[np.int64]:
    """Return the offset of each row, which is 0 under chance."""
    if histogram.offsets is None:
        return np.zeros_like(histogram.num_candidates)
    return histogram.offsets


def split_offsets(histogram: Histogram) -> tuple[Histogram, int]:
    """Return the unweighted histogram with all offsets at 0, and the sum of the tasks' offsets."""
    if histogram.offsets is None:
        return histogram, 0
    total = int(np.dot(histogram.num_tasks.astype(object), histogram.offsets.astype(object)))
    return Histogram.from_counts(histogram.num_candidates, histogram.num_tasks), total


def weigh_evenly(parts: Sequence[Histogram], divisor: int = 1) -> Histogram:
    """Return the tasks of unweighted parts: each of a part's n tasks weighs 1 / (divisor n)."""
    sizes = np.concatenate([part.num_candidates for part in parts])
    num_tasks = np.concatenate([part.num_tasks for part in parts])
    weights = [np.full(len(part), 1 / (divisor * part.total)) for part in parts]
    offsets = np.concatenate([offsets_of(part) for part in parts])
    return Histogram.from_counts(sizes, num_tasks, np.concatenate(weights), offsets)


def pool_graphs(graphs: Sequence[Histogram]) -> Histogram:
    """Return the tasks of several graphs, each of which weighs the same."""
    return weigh_evenly(graphs, len(graphs))


def split_weights(histogram: Histogram) -> Iterator[tuple[float, Histogram]]:
    """Yield each weight with the unweighted histogram of its tasks."""
    sizes, num_tasks, offsets = histogram.num_candidates, histogram.num_tasks, offsets_of(histogram)
    weights = weights_of(histogram)
    for weight in np.unique(weights):
        rows = weights == weight
        tasks = Histogram.from_counts(sizes[rows], num_tasks[rows], None, offsets[rows])
        yield float(weight), tasks


def sampled_histogram(protocol: str | Protocol, num_tasks: int) -> Histogram:
    """Return the histogram of tasks of protocol ``sampled:M``: M + 1 candidates each."""
    rule = parse_protocol(protocol) if isinstance(protocol, str) else protocol
    if rule.refused:
        raise UndefinedError(rule.refused)
    if rule.negatives is None:
        raise UsageError(
            f"protocol {rule.key} needs {rule.needs}; "
            "with the number of tasks alone, only sampled:M can be adjusted."
        )
    if num_tasks < 1:
        raise UsageError(f"the number of tasks must be at least 1 (got {num_tasks}).")
    return Histogram(np.array([rule.negatives + 1]), np.array([num_tasks]), shared=rule.shared)


def _order(keys: list[NDArray[Any]]) -> NDArray[np.intp]:
    """Return the order that sorts rows by the first key, then by the second, and so on."""
    last_to_first = keys[::-1]  # np.lexsort sorts by its last key first
    if any(key.dtype.kind == "f" for key in keys):
        return np.lexsort(last_to_first)

    # Faster than lexsort: one int64 for each row, with the keys as its digits.
    words, bound = np.zeros(keys[0].size, dtype=np.int64), 1
    for key in keys:
        span = 1 + int(key.max())
        bound *= span  # an int of Python: it does not overflow
        if bound > 1 << 63:  # int64 ends at 2^63 - 1
            return np.lexsort(last_to_first)
        words = words * span + key

    return np.argsort(words)


def _ascends(keys: list[NDArray[Any]]) -> NDArray[np.bool_]:
    """Return, for each row after the first, whether it is larger than the row before."""
    if len(keys) == 1:
        return keys[0][1:] > keys[0][:-1]

    is_larger, is_equal = np.zeros((2, keys[0].size - 1), dtype=bool)
    is_equal[:] = True
    for key in keys:
        is_larger |= is_equal & (key[1:] > key[:-1])
        is_equal &= key[1:] == key[:-1]

    return is_larger


_ANSWER = " (the true answer counts)"


def read_counts(name: str, values: ArrayLike, least: int = 1, hint: str = "") -> NDArray[np.int64]:
    """Return whole numbers from `least` to 2**53 as int64, shape (n,); DataError for others."""
    array = _to_array(name, values)
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional; got shape {array.shape}.")
    if not array.size:  # an empty list becomes floats
        return array.astype(np.int64)

    is_whole = array.dtype.kind in "iu"
    if array.dtype.kind == "f":
        is_whole = bool(np.all(np.isfinite(array) & (array == np.floor(array))))

    if not is_whole:
        raise DataError(
            f"{name} must be whole numbers; "
            f"got {array.dtype} with values such as {show_value(array[0])}."
        )
    if array.max() > _LARGEST or array.min() < -_LARGEST:
        raise DataError(f"{name} runs from {array.min()} to {array.max()}; expected at most 2**53.")
    if array.min() < least:
        index = int(np.argmin(array))
        raise DataError(f"{name}[{index}] is {array[index]:.0f}; expected at least {least}{hint}.")
    return array.astype(np.int64)


def _read_tasks(num_tasks: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of tasks of each size as int64."""
    tasks = read_counts("num_tasks", num_tasks)
    if sizes.shape != tasks.shape:
        raise DataError(
            f"num_candidates has {sizes.size} entries and num_tasks {tasks.size}; "
            "they must pair up."
        )
    if sizes.size == 0:
        raise DataError("a histogram needs at least one ranking task; this one is empty.")

    total = tasks.sum(dtype=np.float64)  # int64 might overflow
    if total > _LARGEST:
        raise DataError(f"num_tasks add up to {total:.6g}; expected at most 2**53.")
    return tasks


def _check_offsets(offsets: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the offsets as int64, or None if all are 0."""
    array = read_counts("offsets", offsets, least=0)
    if array.shape != sizes.shape:
        raise DataError(
            f"offsets have {array.size} entries and num_candidates {sizes.size}; they must pair up."
        )
    return array if array.any() else None


def _to_array(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return a copy of the values as an array."""
    refuse_masked(values, name)
    # numpy would take the bytes of an Arrow scalar that is text.
    if hasattr(values, "as_py"):
        values = values.as_py()

    try:
        return np.array(values)
    except ValueError as error:
        raise DataError(
            f"{name}: expected a number for each ranking task; {first_line(error)}."
        ) from error


def check_weights(weights: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return `size` weights as floats, or raise DataError unless all are finite and above 0."""
    array = _to_array("weights", weights)
    if array.shape != (size,):
        raise DataError(
            f"weights have shape {array.shape}; "
            f"expected ({size},), one for each number of candidates."
        )
    if array.dtype.kind not in "iuf":
        raise DataError(
            "weights must be numbers; "
            f"got {array.dtype} with values such as {show_value(array[0])}."
        )

    values = array.astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if wrong.size:
        raise DataError(f"weights[{wrong[0]}] is {values[wrong[0]]}; expected a positive number.")
    return values
