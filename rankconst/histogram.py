"""Candidate counts as a histogram: the one input of every moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Histogram"]

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
        sizes = _whole_numbers("num_candidates", self.num_candidates)
        tasks = _whole_numbers("num_tasks", self.num_tasks)
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
