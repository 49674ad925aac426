"""AmpliGraph's results: objects of metrics with the settings that only it keeps beside them.

References
----------
AmpliGraph 1, github.com/Accenture/AmpliGraph, ``experiments`` and ``ampligraph/evaluation/protocol.py``
(``select_best_model_ranking``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.results import objects
from rankconst.results.reading import Reader, Reading
from rankconst.results.structured import Value, looks_structured, read_records

if TYPE_CHECKING:
    from rankconst.results.document import Document

_KEY = "ampligraph"


def _is_own(value: Value) -> bool:
    """Tell whether an object, or one in it, is of AmpliGraph: others have its names of metrics without the settings."""
    if isinstance(value, list):
        return any(map(_is_own, value))
    if not isinstance(value, dict):
        return False
    best = value.get("results")
    return (
        ("hyperparams" in value and any(key.startswith("H@") for key in value))
        or ("model_params" in value and isinstance(best, dict) and "hits_1" in best)
        or any(map(_is_own, value.values()))
    )


def _recognise(document: Document) -> bool:
    return looks_structured(document) and any(_is_own(record.value) for record in read_records(document)[:5])


def _read(document: Document) -> Reading:
    return replace(objects.READER.read(document), form=_KEY, tool=_KEY)


READER = Reader(_KEY, "AmpliGraph: its experiments, and what its search for the best model returns", _recognise, _read)
