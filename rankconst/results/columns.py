"""Columns of text as codes: a number for each cell that stands for one of the distinct texts.

A large file repeats few texts in many cells, so each text is read once, and its meaning looked up
by code. Rows are made of columns when they are asked for.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankconst.arrow import join_texts, view_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Indices = NDArray[np.intp]
    Flags = NDArray[np.bool_]

_Item_co = TypeVar("_Item_co", covariant=True)


class Listed(Sequence[_Item_co]):
    """A sequence whose items are made when they are asked for."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self._make(at) for at in range(*place.indices(len(self))))
        return self._make(place)

    @abstractmethod
    def _make(self, place: int) -> Any:
        """Return the item at a place."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"


# With fewer possible pairs than this for each one, counting them is faster than sorting.
_FEW_PAIRS = 16


def factorize(values: Iterable[Any]) -> tuple[Indices, list[Any]]:
    """Return a code for each value, its index among the distinct values, and these.

    They are in the order of their first appearance: a, b, a has codes 0, 1, 0 of [a, b].
    """
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(value, len(numbers)) for value in values]
    return np.array(codes, dtype=np.intp), list(numbers)


def pair_codes(first: Indices, second: Indices, count: int) -> Indices:
    """Return a code for each pair of codes at the same index; equal pairs have equal codes.

    Codes are not negative, and those of `second` are below `count`. The new codes are in the order
    of the pairs and have no gaps, so that combining them again does not overflow. If `first` is all
    zeros, they are `second`.

    >>> pair_codes(np.array([0, 1, 1, 0]), np.array([2, 0, 2, 2]), 3).tolist()
    [0, 1, 2, 0]
    """
    if not first.any():  # then `second` alone tells the pairs apart
        return second

    pairs = first * count + second
    largest = int(pairs.max())
    if largest >= _FEW_PAIRS * pairs.size:
        _, codes = np.unique(pairs, return_inverse=True)
    else:  # without sorting
        is_used = np.zeros(largest + 1, dtype=np.bool_)
        is_used[pairs] = True
        codes = (np.cumsum(is_used) - 1)[pairs]

    joined: Indices = codes.astype(np.intp, copy=False)
    return joined


class Cells(Listed[str]):
    """The cells of a column, with a code for each and the distinct texts, as by :func:`factorize`.

    `texts` is a list, an Arrow array, or any sequence of values that `write` turns into texts; then
    `code` computes codes and distinct texts, once they are asked for.
    """

    def __init__(
        self,
        texts: Any,
        write: Callable[[Any], str] = str,
        code: Callable[[], tuple[Indices, list[str]]] | None = None,
    ) -> None:
        self._texts, self._write = texts, write
        if code is None and isinstance(texts, list):
            code = partial(factorize, texts)
        self._code = code  # None for an Arrow array

    @cached_property
    def coded(self) -> tuple[Indices, Any]:
        """The code of each cell, and the distinct cells, a list or an Arrow array."""
        if self._code is not None:
            return self._code()
        coded = self._texts.dictionary_encode()
        return view_numbers(coded.indices).astype(np.intp), coded.dictionary

    @property
    def codes(self) -> Indices:
        """The code of each cell, its index in :attr:`distinct`: 0, 1, 0 of "a", "b", "a"."""
        return self.coded[0]

    @cached_property
    def distinct(self) -> list[str]:
        """The distinct cells."""
        _, cells = self.coded
        return cells if isinstance(cells, list) else cells.to_pylist()

    def select(self, least: int, screen: Callable[[Any], Any]) -> tuple[Indices, list[str]]:
        """Return the code of each cell, and the distinct cells.

        If there are more than `least`, which take long to tell apart, cells that do not pass
        `screen` share code 0 and an empty text. `screen` returns flags for an Arrow array.
        """
        # The first cells often tell, and then all need not be encoded.
        if len(set(self[: 2 * least])) <= least and len(self.coded[1]) <= least:
            return self.codes, self.distinct

        is_coded = self._code is not None
        texts = join_texts(self.distinct) if is_coded else self._texts
        chosen = screen(texts)
        coded = texts.filter(chosen).dictionary_encode()
        places = np.zeros(len(texts), dtype=np.intp)
        places[view_numbers(chosen)] = view_numbers(coded.indices) + 1
        if is_coded:
            places = places[self.codes]

        return places, ["", *coded.dictionary.to_pylist()]

    def __len__(self) -> int:
        return len(self._texts)

    def _make(self, place: int) -> str:
        """Return the cell at a place as text."""
        return self._write(self._texts[place])

    def __iter__(self) -> Iterator[str]:
        if isinstance(self._texts, list):
            return iter(self._texts)
        distinct = self.distinct
        return (distinct[code] for code in self.codes.tolist())


def factorize_cells(cells: Sequence[str]) -> tuple[Indices, list[str]]:
    """Return the code of each cell, and the distinct cells."""
    if isinstance(cells, Cells):
        return cells.codes, cells.distinct
    return factorize(cells)


def compact_codes(codes: Indices) -> tuple[Indices, Indices]:
    """Return the first index of each distinct code, by code, and the codes without gaps.

    Codes are not negative. Of codes 5, 2, 5 the first indices are 1, 0 (of 2 and of 5), and the
    codes without gaps 1, 0, 1.
    """
    firsts = np.full(int(codes.max(initial=-1)) + 1, -1, dtype=np.intp)  # -1 for an unused code
    firsts[codes[::-1]] = np.arange(codes.size)[::-1]  # the last one assigned, the first, stays
    is_used = firsts >= 0
    return firsts[is_used], (np.cumsum(is_used) - 1)[codes]


def group_by_code(codes: Indices) -> list[Indices]:
    """Return the indices of each code from 0 on, in ascending order; empty for an unused code.

    >>> [indices.tolist() for indices in group_by_code(np.array([2, 0, 2]))]
    [[1], [], [0, 2]]
    """
    counts = np.bincount(codes)
    if len(counts) < 2:
        return [np.arange(codes.size)] if codes.size else []
    # Codes of two bytes are sorted by counting.
    small = codes.astype(np.uint16) if len(counts) <= 2**16 else codes
    return np.split(np.argsort(small, kind="stable"), np.cumsum(counts)[:-1])


def list_distinct(codes: Indices) -> list[int]:
    """List the distinct codes in ascending order."""
    return np.flatnonzero(np.bincount(codes)).tolist() if len(codes) else []


class Rows(Listed[Mapping[str, str]]):
    """The rows of a table, held by column."""

    def __init__(self, columns: Mapping[str, Sequence[str]], size: int) -> None:
        self.columns, self._size = columns, size

    def _make(self, place: int) -> Mapping[str, str]:
        """Return the row at a place, column to cell."""
        row = range(self._size)[place]
        return {name: cells[row] for name, cells in self.columns.items()}

    def __len__(self) -> int:
        return self._size
