"""Which ranking tasks a number is from, and how many candidates they have: the two inputs of everything below.

:class:`Tasks` is the address of some ranking tasks, all names as keys; :class:`Histogram` is what their constants
follow from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, parse_aggregation
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol, parse_side, parse_split
from rankconst.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


_SIDES = {"head": "head side", "tail": "tail side", "both": "both sides"}


@dataclass(frozen=True, slots=True)
class Tasks:
    """The address of some ranking tasks, every name a key. It prints as itself: ``fb15k237/test/both/standard``.

    Attributes
    ----------
    dataset
        Key of the dataset; the name of counts of one's own.
    protocol
        Key of the evaluation protocol.
    split
        ``train``, ``valid`` or ``test``; empty for counts of one's own.
    side
        ``head``, ``tail`` or ``both``, which pools the ranks of the two.
    aggregation
        Key of the aggregation: what each task counts.
    relations
        The relations that the tasks are restricted to; empty for all.
    """

    dataset: str
    protocol: str = DEFAULT_PROTOCOL
    split: str = "test"
    side: str = "both"
    aggregation: str = DEFAULT_AGGREGATION
    relations: tuple[str, ...] = ()

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
    ) -> Tasks:
        """Read the names in any usual spelling, but for the dataset, which must be a key: only tables know datasets.

        Raises
        ------
        UnknownNameError
            If a name is unknown.
        """
        return cls(
            dataset,
            parse_protocol(protocol).key,
            parse_split(split),
            parse_side(side),
            parse_aggregation(aggregation).key,
            tuple(dict.fromkeys([relations] if isinstance(relations, str) else relations or ())),
        )

    @property
    def is_micro(self) -> bool:
        """True if every task counts once."""
        return self.aggregation == DEFAULT_AGGREGATION

    @property
    def sides(self) -> tuple[Tasks, ...]:
        """The tasks side by side: those of head and tail for ``both``."""
        return (replace(self, side="head"), replace(self, side="tail")) if self.side == "both" else (self,)

    def __str__(self) -> str:
        parts = [self.dataset, self.split, self.side, self.protocol]
        if not self.is_micro:
            parts.append(self.aggregation)
        return "/".join(part for part in parts if part) + (f" ({', '.join(self.relations)})" if self.relations else "")

    def describe(self) -> str:
        """Say in words which tasks of the dataset: ``test, both sides, protocol standard``."""
        return (
            (f"{self.split}, {_SIDES[self.side]}, " if self.split else "")
            + f"protocol {self.protocol}"
            + ("" if self.is_micro else f", {self.aggregation}")
            + (f", only {', '.join(self.relations)}" if self.relations else "")
        )


# Up to here every whole number is exact as a float.
_LARGEST = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How many ranking tasks have how many candidates.

    Attributes
    ----------
    num_candidates
        Distinct numbers of candidates, the true answer included. Shape (U,), int64, ascending, each >= 1.
    num_tasks
        How many tasks have that number. Shape (U,), int64, each >= 1.
    """

    num_candidates: NDArray[np.int64]
    num_tasks: NDArray[np.int64]

    def __post_init__(self) -> None:
        sizes, tasks = _check_tasks(self.num_candidates, self.num_tasks)
        if np.any(np.diff(sizes) <= 0):
            raise DataError("num_candidates must be ascending without repeats; Histogram.from_counts sorts for you.")
        for values in (sizes, tasks):
            values.flags.writeable = False
        object.__setattr__(self, "num_candidates", sizes)
        object.__setattr__(self, "num_tasks", tasks)

    @classmethod
    def from_counts(cls, counts: ArrayLike, num_tasks: ArrayLike | None = None) -> Histogram:
        """Gather candidate counts, one per ranking task, into a histogram.

        Parameters
        ----------
        counts
            Numbers of candidates, the true answer included, in any order. Shape (n,), whole numbers >= 1.
        num_tasks
            How often each count is to be taken; 1 each if None. Shape (n,).

        Raises
        ------
        DataError
            If there are none, or one is not a whole number >= 1.
        """
        sizes = _whole_numbers("counts", counts)
        tasks = np.ones_like(sizes) if num_tasks is None else _whole_numbers("num_tasks", num_tasks)
        if sizes.size == 0 or sizes.shape != tasks.shape:
            return cls(sizes, tasks)  # refused there, with the reason
        if float(tasks.sum(dtype=np.float64)) > _LARGEST:
            raise DataError("num_tasks add up to more than 2**53.")
        order = np.argsort(sizes, kind="stable")
        sizes, tasks = sizes[order], tasks[order]
        starts = np.flatnonzero(np.concatenate(([True], sizes[1:] != sizes[:-1])))
        return cls(sizes[starts], np.add.reduceat(tasks, starts))

    @property
    def total(self) -> int:
        """The number of ranking tasks, n."""
        return int(self.num_tasks.sum())

    @property
    def weights(self) -> NDArray[np.float64]:
        """What each task counts: 1. Shape (U,)."""
        return np.ones(len(self))

    @property
    def total_weight(self) -> float:
        """The sum of the weights of all tasks: n."""
        return float(self.total)

    @property
    def mean(self) -> float:
        """The mean number of candidates."""
        weighted = int(np.dot(self.num_candidates.astype(object), self.num_tasks.astype(object)))
        return weighted / self.total

    def pool(self, other: Histogram) -> Histogram:
        """Return the histogram of both sets of tasks together."""
        return Histogram.from_counts(
            np.concatenate((self.num_candidates, other.num_candidates)),
            np.concatenate((self.num_tasks, other.num_tasks)),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.num_candidates, other.num_candidates) and np.array_equal(
            self.num_tasks, other.num_tasks
        )

    def __hash__(self) -> int:
        return hash((self.num_candidates.tobytes(), self.num_tasks.tobytes()))

    def __len__(self) -> int:
        return int(self.num_candidates.size)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedHistogram:
    """How many ranking tasks have how many candidates and which weight.

    A metric M = sum w_i f(r_i) / sum w_i counts task i with weight w_i; only the proportions of the weights matter.
    Macro averages weigh a task by one over the number of tasks in its group.

    Attributes
    ----------
    num_candidates
        Numbers of candidates, the true answer included. Shape (U,), int64, each >= 1.
    weights
        What a task counts. Shape (U,), float64, finite, each > 0. Pairs (num_candidates, weights) are ascending without
        repeats.
    num_tasks
        How many tasks have that number and weight. Shape (U,), int64, each >= 1.
    """

    num_candidates: NDArray[np.int64]
    weights: NDArray[np.float64]
    num_tasks: NDArray[np.int64]

    def __post_init__(self) -> None:
        sizes, tasks = _check_tasks(self.num_candidates, self.num_tasks)
        weights = _check_weights(self.weights, sizes.size)
        repeats = (sizes[1:] == sizes[:-1]) & (weights[1:] <= weights[:-1])
        if np.any(sizes[1:] < sizes[:-1]) or np.any(repeats):
            raise DataError(
                "pairs of num_candidates and weights must be ascending without repeats; "
                "WeightedHistogram.from_counts sorts for you."
            )
        for name, values in (("num_candidates", sizes), ("weights", weights), ("num_tasks", tasks)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @classmethod
    def from_counts(
        cls, counts: ArrayLike, weights: ArrayLike, num_tasks: ArrayLike | None = None
    ) -> WeightedHistogram:
        """Gather candidate counts and weights, one pair per ranking task, into a histogram.

        Parameters
        ----------
        counts
            Numbers of candidates, the true answer included, in any order. Shape (n,), whole numbers >= 1.
        weights
            What each task counts. Shape (n,), > 0.
        num_tasks
            How often each pair is to be taken; 1 each if None. Shape (n,).

        Raises
        ------
        DataError
            If there are none, a count is not a whole number >= 1, or a weight is not a positive number.
        """
        sizes = _whole_numbers("counts", counts)
        tasks = np.ones_like(sizes) if num_tasks is None else _whole_numbers("num_tasks", num_tasks)
        sizes, tasks = _check_tasks(sizes, tasks)
        shares = _check_weights(weights, sizes.size)
        order = np.lexsort((shares, sizes))
        sizes, shares, tasks = sizes[order], shares[order], tasks[order]
        new = (sizes[1:] != sizes[:-1]) | (shares[1:] != shares[:-1])
        starts = np.flatnonzero(np.concatenate(([True], new)))
        return cls(sizes[starts], shares[starts], np.add.reduceat(tasks, starts))

    @property
    def total(self) -> int:
        """The number of ranking tasks, n."""
        return int(self.num_tasks.sum())

    @property
    def total_weight(self) -> float:
        """The sum of the weights of all tasks."""
        return math.fsum((self.weights * self.num_tasks).tolist())

    def pool(self, other: WeightedHistogram) -> WeightedHistogram:
        """Return the histogram of both sets of tasks together, each task with the weight it has."""
        return WeightedHistogram.from_counts(
            np.concatenate((self.num_candidates, other.num_candidates)),
            np.concatenate((self.weights, other.weights)),
            np.concatenate((self.num_tasks, other.num_tasks)),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedHistogram):
            return NotImplemented
        return (
            np.array_equal(self.num_candidates, other.num_candidates)
            and np.array_equal(self.weights, other.weights)
            and np.array_equal(self.num_tasks, other.num_tasks)
        )

    def __hash__(self) -> int:
        return hash((self.num_candidates.tobytes(), self.weights.tobytes(), self.num_tasks.tobytes()))

    def __len__(self) -> int:
        return int(self.num_candidates.size)


def _check_tasks(num_candidates: ArrayLike, num_tasks: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    sizes = _whole_numbers("num_candidates", num_candidates)
    tasks = _whole_numbers("num_tasks", num_tasks)
    if sizes.shape != tasks.shape:
        raise DataError(f"num_candidates has {sizes.size} entries and num_tasks {tasks.size}; they must pair up.")
    if sizes.size == 0:
        raise DataError("a histogram needs at least one ranking task; this one is empty.")
    for name, values in (("num_candidates", sizes), ("num_tasks", tasks)):
        if values.min() < 1:
            place = int(np.argmin(values))
            raise DataError(f"{name}[{place}] is {values[place]}; expected at least 1 (the true answer counts).")
    if float(tasks.sum(dtype=np.float64)) > _LARGEST:
        raise DataError("num_tasks add up to more than 2**53.")
    return sizes, tasks


def _check_weights(weights: ArrayLike, size: int) -> NDArray[np.float64]:
    array = np.array(weights)
    if array.shape != (size,):
        raise DataError(f"weights have shape {array.shape}; expected ({size},), one for each number of candidates.")
    if array.dtype.kind not in "iuf":
        raise DataError(f"weights must be numbers; got {array.dtype} with values such as {array[0]!r}.")
    values = array.astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if wrong.size:
        raise DataError(f"weights[{wrong[0]}] is {values[wrong[0]]}; expected a positive number.")
    return values


def _whole_numbers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    array = np.array(values)
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional; got shape {array.shape}.")
    if array.size and array.dtype.kind not in "iu":
        whole = array.dtype.kind == "f" and bool(np.all(np.isfinite(array) & (array == np.floor(array))))
        if not whole:
            raise DataError(f"{name} must be whole numbers; got {array.dtype} with values such as {array[0]!r}.")
    if array.size and (array.max() > _LARGEST or array.min() < -_LARGEST):
        raise DataError(f"{name} runs from {array.min()} to {array.max()}; expected at most 2**53.")
    return array.astype(np.int64)
