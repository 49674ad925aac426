"""The CSV of ``kge dump trace --csv``: the metric that a job was validated by, and those of a keys file beside it.

References
----------
LibKGE, github.com/uma-pi1/kge, ``kge/util/dump.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.results.columns import Meaning
from rankconst.results.delimited import read_delimited
from rankconst.results.libkge_names import parse_libkge_name
from rankconst.results.reading import Reader, Reading
from rankconst.results.tabular import Dialect

if TYPE_CHECKING:
    from rankconst.results.document import Document

__all__ = ["READER"]

_ROLES = {
    "dataset": "dataset",
    "model": "model",
    "split": "split",
    "metric_name": "metric",
    "metric": "value",
}
"""Column to its role: ``metric`` holds the value."""


def _parse(name: str, _: int | None) -> Meaning | None:
    role = _ROLES.get(name)
    if role is not None:
        return Meaning(role)
    found = parse_libkge_name(name)
    if found is None:
        return None
    return Meaning("measured", found.metric, side=found.side, protocol=found.protocol, reason=found.reason)


def _recognise(document: Document) -> bool:
    first = document.text[:10_000].lstrip().partition("\n")[0]
    # With a keys file, its columns may take the place of metric_name and metric.
    return {"job_id", "job_type", "split"} <= set(first.split(","))


def _read(document: Document) -> Reading:
    return read_delimited(document, READER.key, Dialect(_parse, exact=True), "libkge")


READER = Reader("libkge_csv", "what kge dump trace writes", _recognise, _read)
"""LibKGE's dump of a trace."""
