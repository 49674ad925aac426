"""What a set of tables holds of one dataset, parsed once."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.histogram import Histogram, WeightedHistogram
from rankconst.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray

    Names = tuple[str, ...]

__all__ = ["Records"]


@dataclass(frozen=True)
class Records:
    """The rows of one dataset.

    Attributes
    ----------
    read
        Returns the dataset's rows of a table, in canonical order.
    """

    read: Callable[[str], pa.Table]

    @cached_property
    def histograms(self) -> dict[Names, Histogram]:
        """(protocol, split, side) to candidate counts."""
        groups = _group(self.read("candidates"), ("protocol", "split", "side"), ("num_candidates", "num_tasks"))
        return {key: Histogram(*columns) for key, columns in groups.items()}

    @cached_property
    def macro_histograms(self) -> dict[Names, WeightedHistogram]:
        """(protocol, split, side, aggregation) to candidate counts with weights."""
        groups = _group(
            self.read("macro_candidates"),
            ("protocol", "split", "side", "aggregation"),
            ("num_candidates", "weight", "num_tasks"),
        )
        return {key: WeightedHistogram(*columns) for key, columns in groups.items()}

    @cached_property
    def relation_histograms(self) -> dict[Names, Histogram]:
        """(protocol, split, side, relation) to candidate counts."""
        groups = _group(
            self.read("candidates_by_relation"),
            ("protocol", "split", "side", "relation"),
            ("num_candidates", "num_tasks"),
        )
        return {key: Histogram(*columns) for key, columns in groups.items()}

    @cached_property
    def moments(self) -> dict[tuple[Any, ...], Moments]:
        """(protocol, split, side, aggregation, metric family, k) to constants."""
        columns = self.read("constants").to_pydict()
        keys = zip(*(columns[n] for n in ("protocol", "split", "side", "aggregation", "metric", "k")), strict=True)
        fields = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
        numbers = zip(*(columns[name] for name in fields), strict=True)
        return {key: Moments(*row) for key, row in zip(keys, numbers, strict=True)}


def _group(table: pa.Table, keys: Names, values: Names) -> dict[Names, tuple[NDArray[Any], ...]]:
    """Cut a table into arrays, a group for each run of equal keys."""
    names = list(zip(*(table.column(name).to_pylist() for name in keys), strict=True))
    columns = [_to_array(table.column(name)) for name in values]
    starts = [i for i, key in enumerate(names) if i == 0 or key != names[i - 1]]
    return {
        names[start]: tuple(column[start:stop] for column in columns)
        for start, stop in itertools.pairwise([*starts, len(names)])
    }


def _to_array(column: pa.ChunkedArray[Any]) -> NDArray[Any]:
    """Return a column of numbers; pyarrow's own conversion would import pandas."""
    chunks = [np.from_dlpack(chunk) for chunk in column.chunks]
    return np.concatenate(chunks) if chunks else np.empty(0)
