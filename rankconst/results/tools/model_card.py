"""Model cards of the Hugging Face Hub: the results that the YAML above a README.md holds under ``model-index``.

References
----------
huggingface.co/docs/hub/model-cards, "Evaluation Results"; github.com/huggingface/hub-docs, ``modelcard.md``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.names import squash
from rankconst.results.labels import read_label
from rankconst.results.reading import Reader, Reading
from rankconst.results.structured import Number, Value, parse_yaml
from rankconst.results.tables import markdown
from rankconst.results.tables.cells import Row
from rankconst.results.tables.grid import Dialect, read_tables
from rankconst.results.tables.near import Printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document

_FRONT = re.compile(r"---[ \t]*\n(.*?\n)---[ \t]*(?:\n|$)", re.DOTALL)
_INDEX = re.compile(r"^model-index[ \t]*:", re.MULTILINE)
_HEADING = ("model", "dataset", "metric", "value", "task", "split")  # the first four are there always


def _find_front(document: Document) -> str:
    """Return the YAML above the text; nothing if there is none with results."""
    found = _FRONT.match(document.text)
    return found[1] if found is not None and _INDEX.search(found[1]) is not None else ""


def _list(value: Value) -> list[dict[str, Value]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: Value, *keys: str) -> str:
    """Return the first text among some keys of an object."""
    found = (value.get(key) for key in keys) if isinstance(value, dict) else ()
    return next((str(each).strip() for each in found if isinstance(each, (str, Number))), "")


def _name_metric(metric: dict[str, Value]) -> str:
    """Return the name or the type of a metric, whichever is known; both if they contradict each other."""
    names = [name for key in ("name", "type") if (name := _text(metric, key))]
    known = [name for name in names if read_label(name).metric is not None]
    kinds = {read_label(name).metric for name in known}
    return " and ".join(known) if len(kinds) > 1 else next(iter(known), next(iter(names), ""))


def _name_dataset(data: Value) -> str:
    """Return the name of a dataset, with that of its configuration: ``WN18RR v1``."""
    name, config = _text(data, "name", "type"), _text(data, "config")
    said = {"", "default", "none", *(squash(_text(data, key)) for key in ("name", "type"))}
    return name if squash(config) in said else f"{name} {config}"


def _list_cells(front: Value) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the cells of each number, with its line."""
    for model in _list(front.get("model-index")) if isinstance(front, dict) else ():
        for result in _list(model.get("results")):
            task, data = result.get("task"), result.get("dataset")
            about = (_text(task, "name", "type"), _text(data, "split"))
            for metric in _list(result.get("metrics")):
                value = metric.get("value")
                line = value.line if isinstance(value, Number) and value.line is not None else 1
                named = (_text(model, "name"), _name_dataset(data), _name_metric(metric), _text(metric, "value"))
                yield line, (*named, *about)


def _list_rows(document: Document) -> list[Row]:
    cells = list(_list_cells(parse_yaml(document, _find_front(document), 2)))
    used = [j for j in range(len(_HEADING)) if j < 4 or any(each[j] for _, each in cells)]
    rows = ((line, tuple(each[j] for j in used)) for line, each in [(1, _HEADING), *cells])
    return [Row(line, row, row) for line, row in rows]


def _recognise(document: Document) -> bool:
    """Tell whether a document is a card with numbers, and has no tables of them, which say more."""
    if not _find_front(document):
        return False
    try:
        metrics = {read_label(row.plain[_HEADING.index("metric")]) for row in _list_rows(document)[1:]}
    except DataError:  # what is wrong with it matters where nothing else is read
        return False
    try:
        has_tables = markdown.READER.recognise(document) and bool(markdown.READER.read(document).entries)
    except DataError:
        has_tables = False
    return any(label.metric and not label.reason for label in metrics) and not has_tables


def _read(document: Document) -> Reading:
    return read_tables(document, READER.key, [Printed(_list_rows(document))], Dialect(even=True))


READER = Reader("model_card", _recognise, _read)
