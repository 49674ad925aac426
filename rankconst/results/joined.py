"""Several results in one: files of a call or sheets of a workbook, each with its own label.

A column of its own holds the labels.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.names import fold, keep_apart, squash
from rankconst.results.columns import Rows
from rankconst.results.labels import read_label
from rankconst.results.reading import Entries, Part, Reading, join_entries, name_datasets
from rankconst.results.tables.cells import strip_markup

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

_LAYOUTS = {"wide": "a column for each metric", "long": "a row for each number"}


def join_readings(
    readings: Sequence[Reading], labels: Sequence[str], name: str, column: str
) -> Reading:
    """Put readings below each other, with a `column` of their labels; a single one stays as it is.

    Columns of the same metric, or with the same name but for its spelling, become one.
    """
    if len(readings) == 1:
        return readings[0]
    first = readings[0]
    other = next((each for each in readings if each.layout != first.layout), None)
    if other is not None:
        raise DataError(
            f"{first.name} has {_LAYOUTS[first.layout]}, {other.name} {_LAYOUTS[other.layout]}: "
            "name one at a time."
        )
    spelt = _spell_columns(readings)
    taken = dict.fromkeys(spelling for own in spelt for spelling in own.values())
    column = keep_apart(column, fold(taken))
    cells: dict[str, list[str]] = {key: [] for key in (column, *taken)}
    named = next((key for key in taken if read_label(key).role == "dataset"), "")
    parts, entries = list[Part](), list[Entries]()
    tools, forms = {each.tool for each in readings}, {each.form for each in readings}
    for reading, label, own in zip(readings, labels, spelt, strict=True):
        start, size = len(cells[column]), len(reading.rows)
        parts += [Part(each.name, start + each.start) for each in reading.parts]
        written = {spelling: reading.cells(key) for key, spelling in own.items()}
        if reading.form in {"latex", "markdown"} and len(forms) > 1:
            for key, below in written.items():
                written[key] = [strip_markup(cell, reading.form) for cell in below]
        if named and named not in written:
            written[named] = name_datasets(reading)
        written[column] = [label] * size
        for key, below in cells.items():
            below.extend(written.get(key) or [""] * size)
        contexts = reading.entries.contexts
        if len(tools) > 1:
            contexts = [replace(each, tool=each.tool or reading.tool) for each in contexts]
        columns = []
        for each in reading.entries.columns:
            head = each.head._replace(column=own[each.head.column])
            columns.append(replace(each, head=head))
        entries.append(replace(reading.entries, columns=tuple(columns), contexts=contexts))
    skipped = [
        replace(each, what=f"{column} {label}, {each.what}")
        for reading, label in zip(readings, labels, strict=True)
        for each in reading.skipped
    ]
    understood = dict.fromkeys(each.understood for each in readings if each.understood)
    return Reading(
        name=name,
        form=first.form if len(forms) == 1 else "",
        layout=first.layout,
        columns=tuple(cells),
        rows=Rows(cells, len(cells[column])),
        entries=join_entries(entries, [len(each.rows) for each in readings]),
        skipped=tuple(skipped),
        tool=first.tool if len(tools) == 1 else None,
        understood="; ".join(understood),
        of_objects=any(each.of_objects for each in readings),
        joined=tuple(parts),
    )


def _spell_columns(readings: Sequence[Reading]) -> list[dict[str, str]]:
    """Map each reading's columns to their names, spelled as in the first reading that has them."""
    known: dict[Hashable, str] = {}
    spelt = []
    for reading in readings:
        meanings = [_find_meaning(each) for each in reading.columns]
        own = {}
        for column, key in zip(reading.columns, meanings, strict=True):
            own[column] = known.setdefault(key, column) if meanings.count(key) == 1 else column
        spelt.append(own)
    return spelt


def _find_meaning(column: str) -> Hashable:
    """Return the metric or the role of a column, if its name says nothing else; else the name."""
    label = read_label(column)
    if label.metric is None:
        return label.role or squash(column) or column
    says_more = label.values or label.graphs or label.words or label.reason or label.spread
    is_plain = label.whole and not says_more
    return (label.metric, label.adjustment) if is_plain else squash(column) or column


def name_files(paths: Sequence[str]) -> list[str]:
    """Name each of several files by what tells its path from the others.

    A single file needs no name.

    >>> name_files(["runs/transe/results.json", "runs/rotate/results.json"])
    ['transe', 'rotate']
    >>> name_files(["a.json", "b.json"]), name_files(["a.json"])
    (['a', 'b'], [''])
    """
    if len(paths) == 1:
        return [""]
    parts = [PurePath(path).with_suffix("").parts for path in paths]
    start = _count_shared(parts)
    end = _count_shared([each[start:][::-1] for each in parts])
    return [
        "/".join(each[start : len(each) - end]) or path
        for each, path in zip(parts, paths, strict=True)
    ]


def _count_shared(parts: Sequence[tuple[str, ...]]) -> int:
    """Count the first parts that all paths share."""
    shared = 0
    for column in zip(*parts, strict=False):
        if len(set(column)) > 1:
            break
        shared += 1
    return shared
