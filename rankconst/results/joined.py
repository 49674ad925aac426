"""Join several results: files of a call or sheets of a workbook, with a column of their labels."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from pathlib import PurePath
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.names import fold, keep_apart, squash
from rankconst.results.columns import Rows
from rankconst.results.labels import read_label
from rankconst.results.reading import Entries, Part, Reading, Skipped, join_entries, name_datasets
from rankconst.results.tables.cells import MARKED_UP, strip_markup

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

_LAYOUTS = {"wide": "a column for each metric", "long": "a row for each number"}


def join_readings(
    readings: Sequence[Reading], labels: Sequence[str], name: str, column: str
) -> Reading:
    """Put readings below each other, with a new `column` of their labels.

    A single reading stays as it is. Columns of one meaning become one. Raises DataError if some
    readings are wide and some long.
    """
    if len(readings) == 1:
        return readings[0]

    _refuse_two_layouts(readings)
    first = readings[0]
    names_of = _match_columns(readings)
    is_alike = len({reading.form for reading in readings}) == 1
    is_of_one_tool = len({reading.tool for reading in readings}) == 1
    names = dict.fromkeys(name for new_names in names_of for name in new_names.values())
    column = keep_apart(column, fold(names))
    cells: dict[str, list[str]] = {name: [] for name in (column, *names)}
    parts, entries, skipped = list[Part](), list[Entries](), list[Skipped]()
    for reading, label, new_names in zip(readings, labels, names_of, strict=True):
        start = len(cells[column])
        parts += [Part(part.name, start + part.start) for part in reading.parts]
        cells[column] += repeat(label, len(reading.rows))
        _add_cells(cells, reading, new_names, strip=not is_alike)
        tool = None if is_of_one_tool else reading.tool
        entries.append(_rename_and_set_tool(reading.entries, new_names, tool))
        for left_out in reading.skipped:
            skipped.append(replace(left_out, what=f"{column} {label}, {left_out.what}"))

    understood = dict.fromkeys(reading.understood for reading in readings if reading.understood)
    sizes = [len(reading.rows) for reading in readings]
    return Reading(
        name=name,
        form=first.form if is_alike else "",
        layout=first.layout,
        columns=tuple(cells),
        rows=Rows(cells, sum(sizes)),
        entries=join_entries(entries, sizes),
        skipped=tuple(skipped),
        tool=first.tool if is_of_one_tool else None,
        understood="; ".join(understood),
        of_objects=any(reading.of_objects for reading in readings),
        joined=tuple(parts),
    )


def _refuse_two_layouts(readings: Sequence[Reading]) -> None:
    """Refuse, by a DataError, readings of which one is wide and another long."""
    first = readings[0]
    for other in readings:
        if other.layout != first.layout:
            raise DataError(
                f"{first.name} has {_LAYOUTS[first.layout]}, {other.name} "
                f"{_LAYOUTS[other.layout]}: name one at a time."
            )


def _add_cells(
    cells: Mapping[str, list[str]], reading: Reading, new_names: Mapping[str, str], *, strip: bool
) -> None:
    """Add the cells of a reading below those of their columns in `cells`, but not to the first.

    The columns get new names. A column of datasets that the reading lacks has those of its rows. If
    `strip`, cells lose the markup that other readings lack.
    """
    new_cells = {new: reading.cells(old) for old, new in new_names.items()}
    if strip and reading.form in MARKED_UP:
        for new, marked in new_cells.items():
            new_cells[new] = [strip_markup(cell, reading.form) for cell in marked]

    _, *names = cells
    dataset = next((name for name in names if read_label(name).role == "dataset"), "")
    if dataset and dataset not in new_cells:
        new_cells[dataset] = name_datasets(reading)

    for name in names:
        cells[name].extend(new_cells.get(name, repeat("", len(reading.rows))))


def _rename_and_set_tool(entries: Entries, names: Mapping[str, str], tool: str | None) -> Entries:
    """Rename the columns of numbers by `names`, which has each old name, and set their tool.

    A number that names its tool keeps it. If `tool` is None, none is set.
    """
    columns = []
    for column in entries.columns:
        head = column.head._replace(column=names[column.head.column])
        columns.append(replace(column, head=head))

    contexts = entries.contexts
    if tool is not None:
        contexts = [replace(context, tool=context.tool or tool) for context in contexts]

    return replace(entries, columns=tuple(columns), contexts=contexts)


def _match_columns(readings: Sequence[Reading]) -> list[dict[str, str]]:
    """Map the columns of each file to their names in the joined table.

    A column is called as in the first file with one of its meaning: after "Hits@10", "H@10" is
    "Hits@10", too. If two columns of a file mean the same, they keep their names.
    """
    first_names: dict[Hashable, str] = {}
    names_of = []
    for reading in readings:
        meanings = [_find_meaning(column) for column in reading.columns]
        names = {}
        for column, meaning in zip(reading.columns, meanings, strict=True):
            names[column] = column
            if meanings.count(meaning) == 1:
                names[column] = first_names.setdefault(meaning, column)
        names_of.append(names)

    return names_of


def _find_meaning(column: str) -> Hashable:
    """Return what columns share that become one: metric or role alone, or else the plain name."""
    label = read_label(column)
    if label.metric is None:
        return label.role or squash(column) or column
    has_more = label.values or label.graphs or label.words or label.reason or label.spread
    if label.is_vocabulary and not has_more:
        return label.metric, label.adjustment
    return squash(column)


def name_files(paths: Sequence[str]) -> list[str]:
    """Name each of several files by the part of its path that tells it from the others.

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
    end = _count_shared([path_parts[start:][::-1] for path_parts in parts])
    names = ["/".join(path_parts[start : len(path_parts) - end]) for path_parts in parts]
    return [name or path for name, path in zip(names, paths, strict=True)]


def _count_shared(parts: Sequence[tuple[str, ...]]) -> int:
    """Count the first parts that all paths share."""
    shared = 0
    for column in zip(*parts, strict=False):
        if len(set(column)) > 1:
            break
        shared += 1
    return shared
