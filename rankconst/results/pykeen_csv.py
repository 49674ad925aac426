"""The CSV that PyKEEN's ``MetricResults.to_df()`` makes: ``Side,Rank_type,Metric,Value``.

References
----------
PyKEEN, github.com/pykeen/pykeen, ``pykeen/evaluation/ranking_metric_lookup.py`` and ``rank_based_evaluator.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankconst.errors import squash
from rankconst.results.columns import Meaning, parse_column
from rankconst.results.delimited import read_delimited
from rankconst.results.reading import Reader, Reading
from rankconst.results.tabular import Dialect

if TYPE_CHECKING:
    from rankconst.results.document import Document

__all__ = ["READER"]

# PyKEEN does not put the k of adjusted hits into their keys; it is 10 unless somebody changes it.
_HITS_WITHOUT_K = re.compile(r"(?:adjusted|z)_hits_at_k", re.IGNORECASE)


def _parse(name: str, k: int | None) -> Meaning | None:
    return parse_column(name, 10 if k is None and _HITS_WITHOUT_K.fullmatch(name) else k)


def _recognise(document: Document) -> bool:
    first = document.text[:1000].lstrip().partition("\n")[0]
    headings = [squash(heading) for heading in first.split(",")]
    return headings[-4:] in (["side", rank_type, "metric", "value"] for rank_type in ("ranktype", "type"))


def _read(document: Document) -> Reading:
    return read_delimited(document, READER.key, Dialect(_parse, exact=True), "pykeen")


READER = Reader("pykeen_csv", "PyKEEN's results as CSV, a row for each metric", _recognise, _read)
"""PyKEEN's to_df()."""
