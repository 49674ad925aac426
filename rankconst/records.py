"""What a set of tables holds of one dataset, parsed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from rankconst.histogram import Histogram, WeightedHistogram
from rankconst.moments import Moments

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Names = tuple[str, ...]

__all__ = ["Records"]


class Reader(Protocol):
    """Returns the dataset's rows of a table, in canonical order."""

    def __call__(self, name: str, columns: Names, *, coded: Names = ()) -> pa.Table:
        """Return these columns, in the order of the table; those in `coded` as dictionaries."""
        ...


@dataclass(frozen=True)
class Records:
    """The rows of one dataset.

    Attributes
    ----------
    read
        Reads them.
    """

    read: Reader

    @cached_property
    def histograms(self) -> dict[Names, Histogram]:
        """(protocol, split, side) to candidate counts."""
        groups = self._group("candidates", ("protocol", "split", "side"), ("num_candidates", "num_tasks"))
        return {key: Histogram(*columns) for key, columns in groups.items()}

    @cached_property
    def macro_histograms(self) -> dict[Names, WeightedHistogram]:
        """(protocol, split, side, aggregation) to candidate counts with weights."""
        groups = self._group(
            "macro_candidates",
            ("protocol", "split", "side", "aggregation"),
            ("num_candidates", "weight", "num_tasks"),
        )
        return {key: WeightedHistogram(*columns) for key, columns in groups.items()}

    @cached_property
    def relation_histograms(self) -> dict[Names, Histogram]:
        """(protocol, split, side, relation) to candidate counts."""
        groups = self._group(
            "candidates_by_relation",
            ("protocol", "split", "side", "relation"),
            ("num_candidates", "num_tasks"),
        )
        return {key: Histogram(*columns) for key, columns in groups.items()}

    def find_moments(self, key: tuple[Any, ...]) -> Moments | None:
        """Return the constants of (protocol, split, side, aggregation, metric family, k); None if there is no row."""
        places, columns = self._constants
        place = places.get(key)
        return None if place is None else Moments(*(column[place] for column in columns))

    @cached_property
    def _constants(self) -> tuple[dict[tuple[Any, ...], int], list[list[Any]]]:
        """The place of each key, and the columns of what stands there."""
        keys = ("protocol", "split", "side", "aggregation", "metric", "k")
        fields = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
        columns = self.read("constants", (*keys, *fields)).to_pydict()
        places = {key: place for place, key in enumerate(zip(*(columns[name] for name in keys), strict=True))}
        return places, [columns[name] for name in fields]

    def _group(self, name: str, keys: Names, values: Names) -> dict[Names, tuple[NDArray[Any], ...]]:
        """Cut a table into arrays, a group for each run of equal keys."""
        # As dictionaries, keys are compared by their codes: only those of whole groups become text.
        table = self.read(name, (*keys, *values), coded=keys)
        if not len(table):
            return {}
        codes, words = zip(*(_decode(table.column(key)) for key in keys), strict=True)
        new = np.any([code[1:] != code[:-1] for code in codes], axis=0)
        starts = np.concatenate(([0], np.flatnonzero(new) + 1))
        names = zip(*(word[code[starts]].tolist() for code, word in zip(codes, words, strict=True)), strict=True)
        pieces = [np.split(_to_array(table.column(value)), starts[1:]) for value in values]
        return dict(zip(names, zip(*pieces, strict=True), strict=True))


def _decode(column: pa.ChunkedArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the codes of a column that was read as a dictionary, and the texts that they stand for."""
    chunks = cast("list[pa.DictionaryArray[Any, Any]]", column.unify_dictionaries().chunks)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in chunks])
    return codes, np.array(chunks[0].dictionary.to_pylist(), dtype=object)


def _to_array(column: pa.ChunkedArray[Any]) -> NDArray[Any]:
    """Return a column of numbers; pyarrow's own conversion would import pandas."""
    return np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])
