"""From grids of cells to one reading: blocks under their headings, wide and long tables, merged into one table.

Every format of tables supplies rows of cells as written and without markup. What they mean is settled here. A wide
table has a column for each metric; a long one names the metric in one column and holds its value in another.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, NoReturn

from rankconst.catalogue.mentions import (
    find_mentions,
    find_within,
    names_known,
)
from rankconst.errors import DataError
from rankconst.results.reading import Entries, NoMetricError, Notes, Reading
from rankconst.results.tables.cells import (
    Row,
    is_blank,
    is_missing,
    is_number,
    read_commas,
)
from rankconst.results.tables.columns import (
    CONSTRAINED,
    VERSIONED,
    find_qualifier,
    is_constrained,
    is_mean,
    is_retrieval,
    read_dataset,
)
from rankconst.results.tables.footnotes import tell_footnotes
from rankconst.results.tables.headings import (
    DEEPEST,
    Dialect,
    Heading,
    compose_heading,
    explain_missing,
    find_heading,
    find_roles,
)
from rankconst.results.tables.labels import add_settings, tell_label, tells_unusual
from rankconst.results.tables.reshape import (
    COMPARED,
    GAIN,
    is_setting,
    name_metric,
    names_other,
    pivot,
    split_beside,
    split_joint,
    split_named,
    take_titles,
)
from rankconst.results.tables.rows import FROM, RowReader, read_label
from rankconst.results.tables.settings import (
    names_setting,
    read_remark,
)
from rankconst.results.tables.surroundings import (
    Above,
    Printed,
    Told,
    find_metrics,
    tell,
    tells_tasks,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Sequence

    from rankconst.results.document import Document

MOST_CELLS = 10_000_000
"""How many cells a file may have; with its numbers, each takes up to about 150 bytes in memory."""


class _Cells(Mapping[str, str]):
    """A row by column: the cells, and the positions that all rows of a table share."""

    __slots__ = ("_cells", "_positions")

    def __init__(self, positions: Mapping[str, int], cells: tuple[str, ...]) -> None:
        self._positions = positions
        self._cells = cells

    def __getitem__(self, column: str) -> str:
        position = self._positions[column]
        return "" if position < 0 else self._cells[position]

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(slots=True)
class _Table:
    """What was read of one table."""

    heading: Heading
    rows: list[tuple[str, ...]] = field(default_factory=list)
    entries: Entries = field(default_factory=Entries)
    # The dataset of each row, where it is said elsewhere than in the row.
    datasets: dict[int, str] = field(default_factory=dict)
    # How it was understood: where datasets and other things are from, and the columns that are percentages.
    inferred: dict[str, None] = field(default_factory=dict)
    percent: frozenset[str] = frozenset()


def read_tables(
    document: Document, form: str, tables: Iterable[Printed], dialect: Dialect, tool: str | None = None
) -> Reading:
    """Merge the tables of a file, given as their rows with headings; columns with the same heading become one.

    The levels of a heading are joined by a spaced slash, and repeated headings are numbered: ``MRR``, ``MRR (2)``.
    """
    notes = Notes()
    with _without_collection():
        return _merge(document, form, _read_all(document, tables, dialect, notes), notes, tool)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep the garbage collector from walking all numbers again and again; nothing here forms cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_all(document: Document, tables: Iterable[Printed], dialect: Dialect, notes: Notes) -> list[_Table]:
    """Read each table, or each of its blocks; those without a metric are skipped if others have one."""
    read: list[_Table] = []
    without: Row | None = None  # the first row of the first table without a metric
    lines = set[int]()  # those of tables without a metric
    settings: tuple[Above, ...] = ()  # what a table of settings says of those below it
    start = 0
    for each in chain.from_iterable(_split_printed(table, dialect) for table in tables):
        printed, hows = _prepare(document, each, dialect, notes)
        for block in _split_blocks(printed.rows, dialect):
            titles, first, rest = _skip_titles(document, block, dialect, notes)
            above = (*titles, *printed.above)
            told = add_settings(tell(above, printed.reports), (*above, *settings))
            heading, how = find_heading(first, dialect), ""
            below: Iterable[Row] = rest if heading is None else chain(first[len(heading.levels) :], rest)
            # A heading of two rows that has a metric over the names, or numbers, may be the first row of metrics.
            first_row = heading is not None and (0 in heading.measured or _has_results(heading))
            corner = heading is not None and heading.measured == [0]
            listed = [*first, *rest] if dialect.groups else []
            below = listed[len(heading.levels) :] if listed and heading is not None else below
            if listed and (
                heading is None
                or corner
                or (len(heading.levels) > 1 and first_row)
                or (heading.long and _names_settings(below, find_roles(heading)["metric"], dialect))
            ):
                turned, cells, how = _reshape(listed, printed.above, told, dialect, notes)
                if turned is not None:
                    heading, below = turned, cells
            if heading is None:
                without = without or first[0]
                if pairs := _list_pairs(listed if dialect.groups else [*first, *islice(rest, _FIRST)]):
                    settings = pairs
                    continue
                lines |= {row.line for row in listed} if dialect.groups else set()
                what = " | ".join(filter(None, first[0].plain))
                notes.add(first[0].line, what, "the heading of a table without a metric")
                continue
            if not dialect.exact:
                for key in _list_unread(heading):
                    notes.add(None, key, "a column that may be of a metric, and is not understood")
            table = _read_table(document, heading, below, dialect, notes, told=told, start=start)
            table.inferred |= dict.fromkeys(filter(None, (how, *hows)))
            read.append(table)
            start += len(table.rows)
    if not read and without is not None:
        raise NoMetricError(explain_missing(document, without), lines, notes.skipped())
    if not read:
        raise DataError(_say_none(document))
    return read


def _prepare(document: Document, printed: Printed, dialect: Dialect, notes: Notes) -> tuple[Printed, list[str]]:
    """Return a table without footnotes and with a column for each metric, and how it was understood."""
    commas = dialect.groups or printed.commas
    rows, commas = read_commas(printed.rows, document.decimal) if commas else (printed.rows, False)
    hows = ["commas before decimals"] if commas else []
    if not dialect.groups:
        return printed._replace(rows=rows), hows
    written, above = tell_footnotes(_lose_spans(list(rows)), printed.above, tells_unusual, notes)
    split = split_named(split_joint(written, above, dialect), dialect)
    return printed._replace(rows=split, above=above), hows if split is written else [*hows, _JOINT]


def _list_pairs(rows: Sequence[Row]) -> tuple[Above, ...]:
    """Return the settings in a table of names and values that say something of ranking tasks, as texts."""
    if len(rows) > _FIRST or any(len(row.plain) != 2 for row in rows):
        return ()
    pairs = (f"{name}: {value}" for name, value in (row.plain for row in rows))
    return tuple(Above("caption", pair) for pair in pairs if tells_unusual(pair))


def _lose_spans(rows: list[Row]) -> list[Row]:
    """Take a table in which no cell spans others for one that cannot say so: its headings may be over empty cells."""
    spanned = any(width > 1 for row in rows for width in (row.spans or {}).values())
    return rows if spanned else [row._replace(spans=None) for row in rows]


def _split_printed(printed: Printed, dialect: Dialect) -> list[Printed]:
    """Return the tables that are printed side by side as one; a large delimited file is told by its first rows."""
    if dialect.exact:
        return [printed]
    rows = iter(printed.rows)
    first = list(rows if dialect.groups else islice(rows, _FIRST))
    whole = printed._replace(rows=first if dialect.groups else chain(first, rows))
    if len(split_beside(first, dialect)) < 2:
        return [whole]
    listed = list(whole.rows)
    if len({len(row.cells) for row in listed}) > 1 and not dialect.groups:
        return [printed._replace(rows=listed)]
    parts = (take_titles(part, printed.above, dialect) for part in split_beside(listed, dialect))
    return [part._replace(commas=printed.commas, reports=printed.reports) for part in parts]


def _names_settings(rows: Iterable[Row], place: int, dialect: Dialect) -> bool:
    """Tell whether a column of metrics has settings among them: ``split``, with the value ``valid``."""
    names = {row.plain[place] for row in rows if place < len(row.plain)}
    return any(is_setting(name, dialect) for name in names)


def _has_results(heading: Heading) -> bool:
    """Tell whether the last row of a heading has numbers, as the first row of results has."""
    return any("." in label and is_number(label) for label in heading.levels[-1])


def _reshape(
    rows: list[Row], above: tuple[Above, ...], told: Told, dialect: Dialect, notes: Notes
) -> tuple[Heading | None, Iterable[Row], str]:
    """Read a table that has metrics in its rows, or in the text above it only."""
    turned = pivot(rows, dialect)
    if turned is not None:
        return compose_heading(turned[:1], dialect), turned[1:], "metrics in rows"
    corner = rows[0].plain[0] if dialect.names_metric(rows[0].plain[0]) else ""
    metrics = [corner] if corner else find_metrics(above)
    if corner:
        rows = [rows[0]._replace(plain=("", *rows[0].plain[1:])), *rows[1:]]
    # What rows of their own name counts as well.
    outer = [
        told.dataset or "",
        *(text for row in rows if len(texts := [*filter(None, row.plain)]) == 1 for text in texts),
    ]
    levels = name_metric(rows, metrics[0], outer) if len(metrics) == 1 else None
    if levels is None:
        return None, rows, ""
    where = "the corner of the table" if corner else "the text above"
    below = list[Row]()
    for row in rows[len(levels) - 1 :]:
        if names_other(row.plain[0]):
            notes.add(row.line, row.plain[0], f"a row of something else than {metrics[0]}, which {where} names")
        else:
            below.append(row)
    return compose_heading(levels, dialect), below, f"{metrics[0]} from {where}"


def _merge(document: Document, form: str, read: list[_Table], notes: Notes, tool: str | None) -> Reading:
    columns = tuple(dict.fromkeys(key for table in read for key in table.heading.keys))
    added = "dataset" if any(table.datasets for table in read) else ""
    while added in columns and added:
        added += "_read"
    columns = (added, *columns) if added else columns
    if sum(len(table.rows) for table in read) * len(columns) > MOST_CELLS:
        _refuse_size(document.name)
    views: list[Mapping[str, str]] = []
    for table in filter(lambda table: table.rows, read):
        own = {key: j for j, key in enumerate((added, *table.heading.keys) if added else table.heading.keys)}
        positions = {key: own.get(key, -1) for key in columns}
        rows: Iterable[tuple[str, ...]] = table.rows
        if added:
            rows = ((table.datasets.get(place, ""), *cells) for place, cells in enumerate(table.rows))
        views.extend(_Cells(positions, cells) for cells in rows)
    return Reading(
        name=document.name,
        form=form,
        layout="wide" if any(table.heading.measured for table in read) else "long",
        columns=columns,
        rows=tuple(views),
        entries=read[0].entries if len(read) == 1 else Entries(chain.from_iterable(table.entries for table in read)),
        skipped=notes.skipped(),
        tool=tool,
        understood=_describe(read),
    )


def _describe(read: list[_Table]) -> str:
    """Say in one line how tables were understood; nothing if their headings say it all."""
    inferred = dict.fromkeys(how for table in read for how in table.inferred)
    origins = [how.removeprefix(FROM) for how in inferred if how.startswith(FROM)]
    inferred = dict.fromkeys(f"{FROM}{' and '.join(origins)}" if how.startswith(FROM) else how for how in inferred)
    if not inferred and not any(table.percent for table in read):
        return ""
    units: dict[str, set[bool]] = {}
    for table in read:
        for head in table.entries.heads:
            units.setdefault(head.metric.label, set()).add(head.column in table.percent)
    metrics = [f"{label}{_UNITS[frozenset(found)]}" for label, found in units.items()]
    count = f"{len(read)} table{'s' * (len(read) > 1)}"
    return "; ".join((count, *inferred, f"{', '.join(metrics)}"))


_JOINT = "several metrics in a cell"
_UNITS = {
    frozenset({True}): " (percent)",
    frozenset({False}): "",
    frozenset({True, False}): " (percent in some columns)",
}


def _say_none(document: Document) -> str:
    return f"{document.name}: there is no table. Expected a heading and rows of cells below."


def _split_blocks(rows: Iterable[Row], dialect: Dialect) -> Iterator[Iterable[Row]]:
    """Split a table where a heading of several levels is repeated, perhaps over other datasets."""
    if not dialect.groups:
        yield rows
        return
    rows = [row for row in rows if any(row.plain)]
    if not rows:
        return
    heading = find_heading(rows[: DEEPEST + 1], dialect)
    if heading is None or (len(heading.levels) > 1 and _has_results(heading)):
        yield rows
        return
    depth, start = len(heading.levels), 0
    for i in range(depth, len(rows)):
        if not _begins_block(rows[i], heading, dialect):
            continue
        # Rows above it that have no numbers are of the same heading: labels that span it.
        first = i
        while first > max(start + depth, i - depth) and not _has_numbers(rows[first - 1], heading):
            first -= 1
        yield rows[start:first]
        start = first
    yield rows[start:]


def _begins_block(row: Row, heading: Heading, dialect: Dialect) -> bool:
    """Tell whether a row is a heading: again with something else around the metrics, or with other metrics."""
    if (row.plain == heading.levels[-1] and len(heading.levels) == 1) or _has_numbers(row, heading):
        return False
    own = [row.plain[j] for j in heading.measured if j < len(row.plain)]
    again = any(own) and own == [heading.levels[-1][j] for j in heading.measured]
    return again or sum(map(dialect.names_metric, row.plain)) > 1


def _has_numbers(row: Row, heading: Heading) -> bool:
    places = [*heading.measured, *([find_roles(heading)["value"]] if heading.long else [])]
    return any(is_number(row.plain[j]) for j in places if j < len(row.plain))


def _skip_titles(
    document: Document, rows: Iterable[Row], dialect: Dialect, notes: Notes
) -> tuple[list[Above], list[Row], Iterator[Row]]:
    """Return settings above a table, the rows that may be its heading, and those behind; lines before it are skipped.

    A setting is a line, or a row of a name and a value: ``filtered,False``.
    """
    rest, titles = iter(rows), list[Above]()
    first = list(islice(rest, DEEPEST + 1))
    while len(first) > 1 and len(first[0].cells) == 1 < max(len(row.cells) for row in first):
        if tells_unusual(first[0].plain[0]):
            titles.append(Above("caption", first[0].plain[0]))
        else:
            notes.add(first[0].line, first[0].plain[0], "a line before the table")
        first = [*first[1:], *islice(rest, 1)]
    if not first:
        raise DataError(_say_none(document))
    if _is_pair(first[0]) and not dialect.exact:
        first += islice(rest, _MOST_PAIRS)
        pairs = list(takewhile(_is_pair, first))
        texts = [": ".join(row.plain[:2]) for row in pairs]
        head = first[len(pairs)].plain if len(pairs) < len(first) else ()
        measured = [dialect.names_metric(label) for label in head]
        # A single pair may be the upper level of a heading: "Model,WN18RR" over ",MRR".
        whole = len(head) > 1 and all(head[:2]) and not any(measured[:2])
        told = len(pairs) > 1 or whole or any(map(tells_unusual, texts))
        if told and any(measured) and not measured[0]:
            titles += [Above("caption", text) for text in texts]
            first = first[len(pairs) :]
        first, rest = first[: DEEPEST + 1], chain(first[DEEPEST + 1 :], rest)
    return titles, first, rest


_MOST_PAIRS = 50


def _is_pair(row: Row) -> bool:
    """Tell whether a row has a name and a value, and cells for more."""
    spanned = any(width > 1 for width in (row.spans or {}).values())
    return len(row.plain) > 1 and all(row.plain[:2]) and not any(row.plain[2:]) and not spanned


def _read_table(
    document: Document,
    heading: Heading,
    below: Iterable[Row],
    dialect: Dialect,
    notes: Notes,
    *,
    told: Told,
    start: int,
) -> _Table:
    """Read the rows below a heading; the first of them becomes row `start` of the file."""
    table, groups, alone = _Table(heading), dict[str, Told](), set[int]()
    width = len(heading.keys)
    most = MOST_CELLS // width - start
    if dialect.groups:
        below = [row for row in below if any(row.plain)]
        alone = {id(row) for row in _find_alone(below, heading)}
        groups = _find_groups([row for row in below if id(row) in alone])
        if _is_shifted(below, heading):
            what = " | ".join(filter(None, heading.levels[-1]))
            notes.add(below[0].line - 1, what, f"the heading does not fit: {heading.keys[0]} is over names")
            return table
        labels = _find_sublevel([row for row in below if id(row) not in alone], heading)
        if labels:
            notes.add(below[0].line, " | ".join(labels), "a row of headings below the metrics that cannot be read")
            return table
    else:  # the first rows stand for all, which are too many
        below = iter(below)
        first = list(islice(below, _FIRST))
        below = chain(first, below)
    seen = [row for row in (below if dialect.groups else first) if len(row.plain) == width and not dialect.exact]
    # What heads a group of rows is no cell of its column.
    seen = [row for row in seen if id(row) not in alone]
    column = _find_datasets(seen, heading)
    told = told if dialect.exact else _read_corner(heading, told)
    qualifiers = _find_qualifiers(seen, heading)
    told = _settle_task(table, seen, qualifiers, told)
    said = {name: getattr(told, name) for name in ("split", "side", "protocol")}
    table.inferred |= {f"{name} {word} from the text around it": None for name, word in said.items() if word}
    reader = RowReader(document, heading, dialect, notes, told=told, datasets=column, qualifiers=qualifiers, rows=seen)
    sides = _find_sides(seen, heading) if dialect.groups else frozenset()
    for row in below:
        if not any(row.plain) or not _fits(document, row, heading, dialect, notes):
            continue
        if len(table.rows) >= most:
            _refuse_size(document.at(row.line))
        aside = (
            _set_aside(row, heading, sides, reader.settings, qualifiers.values())
            if dialect.groups and id(row) not in alone
            else None
        )
        if aside is not None:
            notes.add(row.line, *aside)
            table.rows.append(row.cells + ("",) * (width - len(row.cells)))
            continue
        if not (dialect.groups and reader.take_label(row, groups if id(row) in alone else None)):
            whole = reader.fill(row) if dialect.groups else row
            entries = reader.read(whole, start + len(table.rows))
            if reader.said_elsewhere and entries:
                table.datasets[len(table.rows)] = reader.said_elsewhere
            table.entries.extend(entries)
            table.rows.append(whole.cells)
            continue
        table.rows.append(row.cells + ("",) * (width - len(row.cells)))
    table.entries = reader.add_counts(table.entries)
    if not dialect.exact:
        table.entries, table.percent = reader.settle_units(table.entries)
    table.inferred |= reader.inferred
    return table


def _settle_task(table: _Table, seen: list[Row], qualifiers: Collection[str], told: Told) -> Told:
    """Return what is told of a table, with the task that its rows show."""
    if "relations" in qualifiers and told.task == "by relation":
        told = replace(told, task=None)
    if _are_queries(seen, table.heading):
        told = replace(told, task="complex query")
        table.inferred["a row is of one kind of queries"] = None
    if told.task is None and _are_searched(table.heading):
        told = replace(told, task="retrieval")
    return told


def _are_searched(heading: Heading) -> bool:
    """Tell whether the metrics of each dataset in a heading are those of search engines."""
    names: dict[str | None, list[str]] = {}
    for j in heading.measured:
        meaning = heading.meanings[j]
        dataset = heading.datasets[j] or (None if meaning is None else meaning.dataset)
        names.setdefault(dataset, []).append(heading.keys[j].rpartition(" / ")[2])
    return bool(names) and all(map(is_retrieval, names.values()))


def _fits(document: Document, row: Row, heading: Heading, dialect: Dialect, notes: Notes) -> bool:
    """Tell whether a row goes with a heading; one that does not is noted, or refused in a delimited file."""
    width = len(heading.keys)
    even = dialect.even or not dialect.groups
    if len(row.cells) != width and (even or len(row.cells) != 1):
        reason = f"expected {width} cells, as in the heading, got {len(row.cells)}"
        if even:
            raise DataError(
                f"{document.at(row.line)}: {reason}. Fix the row, or quote cells that contain the delimiter."
            )
        notes.add(row.line, " | ".join(filter(None, row.plain)), reason)
        return False
    if row.plain in heading.levels:
        notes.add(row.line, " ".join(filter(None, row.plain)), "the heading is repeated")
        return False
    return True


def _find_sublevel(rows: list[Row], heading: Heading) -> list[str]:
    """Return what the first row has in the columns of metrics, if it is words, or parts of benchmarks such as v1."""
    first = next((row.plain for row in rows if row.plain not in heading.levels), ())
    cells = [first[j] for j in heading.measured if j < len(first) and first[j] and not is_missing(first[j])]
    if cells and all(map(VERSIONED.fullmatch, cells)):
        return cells
    if len(cells) < 2 or any(map(is_number, cells)) or any(find_mentions(cell) for cell in cells):
        return []
    if all(map(_UNIT.fullmatch, cells)):
        return []
    return [] if any(character.isdigit() for cell in cells for character in cell) else cells


_UNIT = re.compile(r"[(\[](?:-|\u2013|%|in %|ranks?|1)[)\]]|%")


def _read_corner(heading: Heading, told: Told) -> Told:
    """Return what is said of a table, whose corner may name its dataset over the models."""
    labels = [level[0] for level in heading.levels if len(find_mentions(level[0])) == 1]
    if len(labels) != 1:
        known = [role for role in ("split", "side", "protocol") if getattr(told, role)]
        said = [why for level in heading.levels[:1] if (why := read_remark(level[0], known).get("unclear"))]
        return replace(told, unclear=told.unclear or said[0]) if said and heading.meanings[0] is None else told
    corner = tell((Above("caption", labels[0]),))
    return replace(told, dataset=corner.dataset, among=corner.among, origin="the corner of the table")


def _list_unread(heading: Heading) -> list[str]:
    """Return the columns without a meaning that look like one of a metric, and not like its spread or gain."""
    pairs = zip(heading.keys, heading.meanings, strict=True)
    return [key for key, meaning in pairs if meaning is None and _UNREAD.search(key) and not _SPREADS.search(key)]


_UNREAD = re.compile(
    r"(?<![a-z])(?:[a-z]?mrr|hits?\W?\d|hits?@|h@\d|mean[ _-]?(?:reciprocal[ _-]?)?rank)", re.IGNORECASE
)
_SPREADS = re.compile(r"std|stdev|dev|sem|var|ci\b|±|Δ|delta|gain|diff|improv|rank\b.*rank", re.IGNORECASE)


def _is_shifted(rows: list[Row], heading: Heading) -> bool:
    """Tell whether the first column has names under the heading of a metric, since a cell is missing above it."""
    cells = [row.plain[0] for row in rows if row.plain[0] and not is_missing(row.plain[0])]
    return 0 in heading.measured and bool(cells) and not any(is_number(cell) for cell in cells)


def _find_alone(rows: list[Row], heading: Heading) -> list[Row]:
    """Return the rows of a single cell, which name those below; one in a column of datasets only lacks numbers."""
    column = find_roles(heading).get("dataset", -1)
    alone = [row for row in rows if _is_alone(row, heading)]
    own = (row.plain[column] for row in rows if 0 <= column < len(row.plain) and _has_numbers(row, heading))
    if not any(names_known(read_dataset(cell)[0]) for cell in own if cell):
        return alone
    return [
        row
        for row in alone
        if len(row.cells) == 1
        or len(row.plain) <= column
        or not row.plain[column]
        or (not find_mentions(row.plain[column]) and tell_label(row.plain[column]) is not None)
    ]


def _find_groups(alone: Iterable[Row]) -> dict[str, Told]:
    """Return what rows of a single cell say of the rows below, if any of them names a dataset."""
    labels = map(read_label, alone)
    groups = {label: tell_label(label) for label in labels}
    named = any(told is not None and (told.dataset or told.among) for told in groups.values())
    found = {}
    for label, told in groups.items():
        if told is not None:
            found[label] = told
        elif _names_both(label) and any(each is not None and each.side for each in groups.values()):
            found[label] = Told(side="both")
        elif named and not _CLASS.search(label):
            found[label] = Told(dataset=label)
    return found


# What groups of models are called.
_CLASS = re.compile(
    r"model|method|approach|baseline|based|ours|embed|neural|transl|bilinear|gnn|rule|path|language|text|semantic|"
    r"distance|tensor|geometric|convol|attention|transformer|family|proposed|previous|existing|reported",
    re.IGNORECASE,
)


def _find_datasets(rows: list[Row], heading: Heading) -> int | None:
    """Return the first column without a meaning whose cells are all names of known graphs, if not of training.

    If there is none, they may be names of runs or files that hold one: ``results/WN18RR/transe.json``.
    """
    rows = [row for row in rows if len(row.plain) == len(heading.keys)]
    if heading.measured and all(find_mentions(heading.datasets[j] or "") for j in heading.measured):
        return None  # GraIL below WN18RR is a model
    for tells in (names_known, find_within):
        for j, meaning in enumerate(heading.meanings):
            cells = [row.plain[j] for row in rows if row.plain[j]]
            open_role = meaning is None or (tells is find_within and meaning.role == "model")
            if open_role and cells and _TRAINED.search(heading.keys[j]) is None and all(map(tells, cells)):
                return j
    return None


_TRAINED = re.compile(r"train|source|\bfrom\b", re.IGNORECASE)


def _find_qualifiers(rows: Sequence[Row], heading: Heading) -> dict[str, int]:
    """Return the columns without a meaning that name a split, a side, a protocol or relations."""
    found: dict[str, int] = {}
    taken = find_roles(heading)
    for j, meaning in enumerate(heading.meanings):
        cells = (row.plain[j] for row in rows if row.plain[j])
        role = find_qualifier(heading.keys[j], cells) if meaning is None or meaning.role == "model" else None
        if role is not None and role not in taken:
            found.setdefault(role, j)
    return found


def _set_aside(
    row: Row, heading: Heading, sides: Collection[str], settings: Container[int], qualifiers: Collection[int]
) -> tuple[str, str] | None:
    """Return the label of a row that is no result of its own, and why it is left out; `settings` have no labels.

    What their cells and those of `qualifiers` say is read elsewhere.
    """
    first = min(heading.measured, default=0)
    own = [row.plain[j] for j in heading.measured if j < len(row.plain) and row.plain[j]]
    if first and own and not any(map(str.strip, row.cells[:first])) and all(map(_BRACKETED.fullmatch, own)):
        return " | ".join(own), "a row without a name whose numbers are in brackets, like deviations of those above"
    labels = [text for j, text in enumerate(row.plain[:3]) if j not in settings and not names_setting(heading.keys[j])]
    label = next((text for text in labels if GAIN.match(text)), None)
    if label is not None:
        return label, COMPARED
    named = zip(heading.keys, row.plain, strict=False)
    cells = (each for j, each in enumerate(named) if j not in settings and j not in qualifiers)
    label = next((text for key, text in cells if is_constrained(key, text)), None)
    if label is not None:
        return label, CONSTRAINED
    label = next((text for text in row.plain if text in sides), None)
    return None if label is None else (label, "a row of one side: give it a column side, with head or tail")


_BRACKETED = re.compile(r"[(\[]?\s*+(?:\u00b1|\+/-)?[^()\[\]]++[)\]]|\u00b1[^()\[\]]++")


def _find_sides(rows: Sequence[Row], heading: Heading) -> frozenset[str]:
    """Return the names of rows of one side, where each comes for both: ``TransE Left`` and ``TransE Right``."""
    names: dict[str, dict[str, str]] = {}
    told = {*_find_qualifiers(rows, heading).values(), find_roles(heading).get("side")}
    columns = [j for j in range(min(heading.measured, default=0)) if j not in told]
    for text in {row.plain[j] for row in rows if _has_numbers(row, heading) for j in columns}:
        words, rest = _SIDE.findall(text), _SIDE.sub("", text)
        if len(words) == 1 and any(map(str.isalpha, rest)):
            names.setdefault(rest, {})[words[0].lower()] = text
    pairs = [each for each in names.values() if {"left", "right"} <= each.keys()]
    return frozenset(text for each in pairs for text in each.values())


_SIDE = re.compile(r"\b(left|right)\b", re.IGNORECASE)


def _are_queries(rows: Sequence[Row], heading: Heading) -> bool:
    """Tell whether a column names kinds of complex queries: 2p, 3in."""
    columns = [j for j, meaning in enumerate(heading.meanings) if meaning is None]
    cells = ([row.plain[j] for row in rows if row.plain[j]] for j in columns)
    return any(each and all(map(_QUERY.fullmatch, each)) for each in cells)


_QUERY = re.compile(r"[1-5]p|[2-5]i|2u|up|ip|pi|[23]in|inp|pin|pni|nipn?|avg_?[pn]?", re.IGNORECASE)


def _refuse_size(place: str) -> NoReturn:
    raise DataError(
        f"{place}: more than {MOST_CELLS:,} cells are more than results need. Split the file, or remove columns "
        "that you do not need."
    )


def _is_alone(row: Row, heading: Heading) -> bool:
    """Tell whether a row names the rows below; over a metric it must say of which side or split they are."""
    filled = [j for j, text in enumerate(row.plain) if text]
    if len(row.cells) == 1 or (row.spans is not None and any(width > 1 for width in row.spans.values())):
        return len(filled) == 1
    told = [j for j in filled if not is_blank(row.plain[j])]
    if len(told) == 1 and told[0] in heading.measured:
        return not is_number(row.plain[told[0]]) and (
            tells_tasks(row.plain[told[0]]) or _names_both(row.plain[told[0]])
        )
    return len(filled) == 1 and filled[0] not in heading.measured


def _names_both(label: str) -> bool:
    """Tell whether a row over a metric says that those below are of both sides."""
    return is_mean(label) or _BOTH.fullmatch(label) is not None


_BOTH = re.compile(
    r"avg\.?|overall|both(?: (?:directions|sides|(?:head|subject)s? (?:and|&) (?:tail|object)s?))?|"
    r"(?:head|subject)s? ?(?:and|&|\+) ?(?:tail|object)s?(?: (?:prediction|entities|queries))?",
    re.IGNORECASE,
)


# How many rows of a delimited file show what its columns hold.
_FIRST = 100
