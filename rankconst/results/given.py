"""What is handed over in Python, as a reading: a path, a dict, ranks or a DataFrame."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankconst.arrow import as_pandas
from rankconst.catalogue.protocols import ENTITY_SIDES
from rankconst.errors import UsageError
from rankconst.results.formats import read, read_document
from rankconst.results.reading import Reading, require_whole
from rankconst.values.ranks import Ranks

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric


def is_frame(results: Any) -> bool:
    """Tell whether results are a DataFrame."""
    return hasattr(results, "iloc") and hasattr(results, "columns")


def read_given(
    results: Any, *, strict: bool = False, percent: bool | None = None, metric: Metric | None = None
) -> Reading:
    """Return a reading of a path, a dict or a DataFrame; a reading as it is. DataError if `strict` and not whole."""
    reading = _read(results, percent, metric)
    if strict:
        require_whole(reading)
    return reading


def _read(results: Any, percent: bool | None, metric: Metric | None) -> Reading:
    results = as_pandas(results)
    if isinstance(results, Reading):
        return results
    if isinstance(results, Ranks):
        return read_document("the ranks", _write_ranks(results))
    if isinstance(results, (str, os.PathLike)):
        return read(os.fspath(results), percent=percent, metric=metric)
    if isinstance(results, Mapping):
        try:
            text = json.dumps(results, default=_to_plain)
        except (TypeError, ValueError, RecursionError) as error:  # a key that is not text, a dict in itself
            raise UsageError(f"the dict cannot be written as JSON: {error}.") from error
        return read_document("the dict", text)
    if is_frame(results):
        from rankconst.results.frame import read_frame

        return read_frame(results, percent)[0]
    raise UsageError(f"expected a path, a dict, a DataFrame or a Reading, got {type(results).__name__}.")


def _write_ranks(ranks: Ranks) -> str:
    """Write every metric of ranks as a table that is read like any other."""
    sides = [*["both"] * ({*ENTITY_SIDES} <= ranks.sides.keys()), *ranks.sides]
    rows = [("side", "metric", "value", "number of ranks")]
    for side in sides:
        rows += [(side, key, repr(value), str(ranks.select(side).size)) for key, value in ranks.to_dict(side).items()]
    return "".join(",".join(row) + "\n" for row in rows)


def _to_plain(value: Any) -> Any:
    """Return numbers and arrays of numpy as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise UsageError(f"the dict holds a {type(value).__name__}; expected text, numbers, lists and dicts.")
