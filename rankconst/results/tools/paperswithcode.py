"""Evaluation tables of Papers with Code, and what sota-extractor writes: results as papers print them.

References
----------
github.com/paperswithcode/sota-extractor, ``sota_extractor/taskdb``; huggingface.co/datasets/pwc-archive.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.evaluation import Stated
from rankconst.results.reading import Entry, Reader, Reading, Skipped, make_reading
from rankconst.results.structured import Value, looks_structured, read_number, read_records
from rankconst.results.tables.cells import is_missing
from rankconst.results.tables.settings import parse_heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst.results.document import Document
    from rankconst.results.tables.columns import Meaning


_DETAILS = ("paper_title", "paper_url", "paper_date")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a leaderboard with its place."""

    line: int | None
    task: str
    dataset: str
    values: Mapping[str, Value]

    @property
    def metrics(self) -> Mapping[str, Value]:
        """Its values by the names of their metrics."""
        metrics = self.values.get("metrics")
        return metrics if isinstance(metrics, dict) else {}


def _list_objects(value: Value) -> list[dict[str, Value]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: Value) -> str:
    return "" if value is None or isinstance(value, (dict, list, bool)) else str(value)


def _walk_task(task: Mapping[str, Value], line: int | None) -> Iterator[_Row]:
    name = _text(task.get("task"))
    for dataset in _list_objects(task.get("datasets")):
        yield from _walk_dataset(dataset, name, line)
    for subtask in _list_objects(task.get("subtasks")):
        yield from _walk_task(subtask, line)


def _walk_dataset(dataset: Mapping[str, Value], task: str, line: int | None) -> Iterator[_Row]:
    name = _text(dataset.get("dataset")) or _text(dataset.get("subdataset"))
    sota = dataset.get("sota")
    for row in _list_objects(sota.get("rows")) if isinstance(sota, dict) else []:
        yield _Row(line, task, name, row)
    for inner in _list_objects(dataset.get("subdatasets")):
        yield from _walk_dataset(inner, task, line)


def _list_tasks(value: Value) -> list[dict[str, Value]]:
    return [value] if isinstance(value, dict) else _list_objects(value)


def _recognise(document: Document) -> bool:
    return looks_structured(document) and any(
        isinstance(task.get("datasets"), list) and ("task" in task or "subtasks" in task)
        for record in read_records(document)[:5]
        for task in _list_tasks(record.value)[:5]
    )


def _read(document: Document) -> Reading:
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    every = [
        row
        for record in read_records(document)
        for task in _list_tasks(record.value)
        for row in _walk_task(task, record.line)
    ]
    names = Counter(name for row in every for name in row.metrics)
    meanings = {name: meaning for name in names if (meaning := _parse(name)) is not None}
    for row in every:
        filled, found = _read_row(row, len(rows), meanings, skipped)
        if found:
            rows.append(filled)
            entries += found
    skipped += (
        Skipped(None, f"metric {name}", f"not a rank-based metric ({count:,} value{'' if count == 1 else 's'})")
        for name, count in names.most_common()
        if name not in meanings
    )
    return make_reading(document, READER.key, "wide", rows, entries, skipped=skipped)


def _read_row(
    row: _Row, place: int, meanings: Mapping[str, Meaning], skipped: list[Skipped]
) -> tuple[dict[str, str], list[Entry]]:
    """Return the cells and the entries of a row; other values are added to `skipped`."""
    model = _text(row.values.get("model_name"))
    cells = {"task": row.task, "dataset": row.dataset, "model": model}
    cells |= {key: _text(row.values.get(key)) for key in _DETAILS}
    entries: list[Entry] = []
    for name, value in row.metrics.items():
        meaning = meanings.get(name)
        if meaning is None or meaning.metric is None:
            continue
        if is_missing(_text(value).strip()):
            continue
        where = " / ".join((row.dataset, model, name))
        text, why = read_number(value)
        if why:
            skipped.append(Skipped(row.line, where, why))
            continue
        if meaning.percent and "%" not in text:
            text = f"{text}%"
        # A metric must not hide a column of the same name.
        column = name if name not in cells else f"metric {name}"
        cells[column] = text
        context = Stated(
            dataset=row.dataset or meaning.dataset,
            split=meaning.split,
            side=meaning.side,
            protocol=meaning.protocol,
            model=model or None,
            rank_type=meaning.rank_type,
        )
        entries.append(Entry(meaning.metric, text, place, column, row.line, context, meaning.adjustment))
    return cells, entries


def _parse(name: str) -> Meaning | None:
    meaning = parse_heading(name)
    return meaning if meaning is not None and meaning.role == "measured" and meaning.reason is None else None


READER = Reader("paperswithcode", "Papers with Code: evaluation tables as JSON", _recognise, _read)
