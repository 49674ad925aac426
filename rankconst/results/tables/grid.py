"""Read the tables of a file: find headings, rows and the texts around them, and merge them.

The rows "Model, MRR" and "TransE, 0.3" become one reading with the columns Model and MRR and the
number 0.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise, repeat, takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

from rankconst.errors import DataError
from rankconst.results.columns import Cells, Rows
from rankconst.results.gate import FILE_NAME, Text
from rankconst.results.labels import Label, doubt, read_label
from rankconst.results.reading import Entries, Notes, Reader, Reading, join_entries
from rankconst.results.tables.cells import (
    Row,
    has_number,
    is_blank,
    is_number,
    read_commas,
)
from rankconst.results.tables.headings import (
    DEEPEST,
    are_shifted,
    choose_parse,
    explain_missing,
    find_heading,
    spread_names,
)
from rankconst.results.tables.layout import COUNTS, find_roles
from rankconst.results.tables.near import read_near
from rankconst.results.tables.sheet import Sheet, SheetReader, Table
from rankconst.results.vocabulary import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document
    from rankconst.results.tables.headings import Heading, Parse
    from rankconst.results.tables.near import Printed


MOST_CELLS = 10_000_000
"""The most cells of a file; with its numbers, each takes up to about 150 bytes in memory."""

LONGEST_TEXT = 16 * 2**20
"""The most characters of a document with tables between its prose."""

_REPEATED = {"dataset", "split", "side", "protocol", "relations"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The way in which tables of a format are read."""

    # Reads a heading, or the name of a metric in a long table; k may have a column of its own.
    parse: Callable[[str, int | None], Label] = read_label
    # True if a program wrote every digit, and its keys say all; then it is even, too.
    exact: bool = False
    even: bool = False  # True if a row with more or fewer cells than the heading is a mistake


def read_tables(
    document: Document,
    form: str,
    tables: Iterable[Printed],
    dialect: Dialect = Dialect(),
    tool: str | None = None,
) -> Reading:
    """Merge the tables of a file, from top to bottom; columns with the same heading become one.

    Tables without a metric are left out if others have one. `form` is the key of the file's format,
    and `tool` that of the tool that writes such files. Raises DataError if no table has a metric,
    or if a table is not as its format says.
    """
    notes = Notes()
    blocks: list[_Block] = []
    first_without: list[Row] = []  # the first table without a metric
    for printed in tables:
        texts = () if dialect.exact else (*printed.above, name_file(document.name))
        rows, has_commas = list(printed.rows), False
        # CSV is read with decimal commas only if some sign of them was seen.
        if printed.commas or not dialect.even:
            rows, has_commas = read_commas(rows, document.decimal)

        filled = [row for row in rows if any(row.plain)]
        for part in _split_blocks(filled, dialect):
            block = _find_heading(document, part, texts, dialect)
            if block is None:
                first_without = first_without or part
                heading = " | ".join(filter(None, part[0].plain))
                notes.add(part[0].line, heading, "the heading of a table without a metric")
                continue

            if has_commas:
                block.how.append("commas before decimals")

            block.rows = _fit(document, block, notes, even=dialect.even)
            block.table = SheetReader(_make_sheet(document, block, dialect), notes).read()
            blocks.append(block)

    if not blocks and first_without:
        raise DataError(explain_missing(document, first_without))

    if not blocks:
        remedy = "paste the table as CSV"
        if "model-index:" in document.text:
            remedy = "copy the metadata between the two lines --- into a file that ends in .yaml"
        raise DataError(
            f"{document.name}: there is no table. Expected a heading and rows of cells below; "
            f"{remedy}."
        )

    return _merge(document, form, blocks, notes, tool)


def make_reader(
    key: str,
    recognise: Callable[[Document], bool],
    find_tables: Callable[[Document], Iterable[Printed]],
) -> Reader:
    """Make the reader of documents with tables between their prose, such as Markdown."""

    def read(document: Document) -> Reading:
        return read_tables(document, key, find_tables(document))

    return Reader(key, recognise, read, most=LONGEST_TEXT)


@dataclass
class _Block:
    """Rows below a heading."""

    heading: Heading
    rows: list[Row]
    texts: tuple[Text, ...]  # around them, the nearest first
    how: list[str]  # how they were understood, as phrases
    table: Table = field(default_factory=lambda: Table(Entries(), frozenset(), ""))


def _find_heading(
    document: Document, rows: list[Row], texts: tuple[Text, ...], dialect: Dialect
) -> _Block | None:
    """Find the heading of a table, which has at least one row; None if no row is one."""
    titles, body = _split_titles(rows)
    near = tuple(read_near("the row above", title) for title in titles)
    heading = find_heading(body, dialect.parse)
    how: list[str] = []
    turned = turn_table(document, body, dialect.parse) if heading is None else None
    if turned is not None:
        body, how = turned, ["metrics in rows"]
        heading = find_heading(body, dialect.parse)

    if heading is None and document.metric is not None:  # the one from --metric
        how = ["the metric from --metric"]
        heading = find_heading(body, choose_parse(document.metric, body))
        texts = _ask_metric(texts, document.metric)

    if heading is None:
        return None
    return _Block(heading, body[len(heading.levels) :], (*near, *texts), how)


def _ask_metric(texts: tuple[Text, ...], metric: Metric) -> tuple[Text, ...]:
    """Let texts with a metric ask, if none is that of the user: "Hits@10" with --metric mrr."""
    if any(text.label.metric == metric for text in texts):
        return texts

    asking = []
    for text in texts:
        label = text.label
        if label.metric is not None:
            word = Word(label.metric.label.lower(), "metric")
            label = replace(label, words=(*label.words, word))
        asking.append(text._replace(label=label))

    return tuple(asking)


def name_file(name: str) -> Text:
    """Return the name of a file, without folder and ending, as a text about all of its numbers."""
    label = read_label(PurePath(name).stem.replace(".", " "))
    if "train" in label.values.get("split", ()):  # as programs call the log of any run
        label = doubt(label)
    words = tuple(word for word in label.words if word.text not in _OF_FILES)
    return Text(replace(label, words=words), "text", FILE_NAME)


_OF_FILES = {"merge", "merged", "percent", "percentage"}  # of tables, and their unit


def _split_titles(rows: list[Row]) -> tuple[list[str], list[Row]]:
    """Split the rows of single cells above a heading off as titles, the nearest first."""
    titles: list[str] = []
    for row in rows[: min(len(rows) - 2, DEEPEST)]:  # a heading and a row of numbers stay
        filled = [cell for cell in row.plain if cell]
        if len(filled) != 1:
            break
        titles = [*filled, *titles]

    if any(read_label(title).metric for title in titles):
        return [], rows
    return titles, rows[len(titles) :]


def _split_blocks(rows: list[Row], dialect: Dialect) -> list[list[Row]]:
    """Split a table where the lowest row of its heading comes again below another dataset.

    In "WN18", "Model, MRR", "T, 0.3", "FB15k", "Model, MRR", "T, 0.2", the fourth row begins a new
    table. A whole heading that is repeated begins none, as what is above it is about all rows.
    """
    heading = None if dialect.exact else find_heading(rows[: DEEPEST + 1], dialect.parse)
    if heading is None:
        return [rows] if rows else []

    lowest = heading.levels[-1]
    measures = [j for j in heading.measures if lowest[j]]
    if not measures:
        return [rows]

    starts = [0]
    for i in range(len(heading.levels), len(rows)):
        cells = rows[i].widen(len(lowest)).plain
        if any(cells[j] != lowest[j] for j in measures):
            continue
        start = _find_start(rows, i, len(heading.levels), starts[-1])
        is_repeated = tuple(row.plain for row in rows[start : i + 1]) == heading.levels
        if not is_repeated:
            starts.append(start)

    return [rows[start:end] for start, end in pairwise([*starts, len(rows)])]


def _find_start(rows: Sequence[Row], lowest: int, depth: int, above: int) -> int:
    """Return the index of the first row of a heading of `depth` rows at most, by its lowest one.

    Rows with a number are in no heading. The table above begins at row `above`.
    """
    start = lowest
    highest = max(lowest - depth + 1, above + 1)
    while start > highest and not has_number(rows[start - 1].plain):
        start -= 1
    return start


def _fit(document: Document, block: _Block, notes: Notes, *, even: bool) -> list[Row]:
    """Return the rows of a block that fit its heading; note the rest, or refuse an `even` table."""
    levels = set(block.heading.levels)
    width = len(block.heading.keys)
    if len(block.rows) * width > MOST_CELLS:
        refuse_size(document.name)

    fitting: list[Row] = []
    for row in block.rows:
        count = len(row.cells)
        if count == width and row.plain in levels:
            notes.add(row.line, " ".join(filter(None, row.plain)), "the heading is repeated")
        elif count == width:
            fitting.append(row)
        elif count == 1 and not even:
            fitting.append(row.widen(width)._replace(spans={0: width}))
        else:
            reason = f"expected {width} cells, as in the heading, got {count}"
            if even:
                remedy = "Fix the row, or quote cells that contain the delimiter."
                raise DataError(f"{document.at(row.line)}: {reason}. {remedy}")
            reason += ": write the row with as many, or the table as CSV"
            notes.add(row.line, " | ".join(filter(None, row.plain)), reason)

    return fitting


def _make_sheet(document: Document, block: _Block, dialect: Dialect) -> Sheet:
    """Turn the rows of a block, all as wide as its heading, into columns."""
    heading, rows = block.heading, block.rows
    columns: list[list[str]] = [[] for _ in heading.keys]
    if rows:
        written = [row.plain for row in rows]
        columns = [list(cells) for cells in zip(*written, strict=True)]

    if not dialect.even:
        _fill(heading, columns)

    cells = [Cells(column) for column in columns]
    spanning = [i for i, row in enumerate(rows) if row.spans is not None]
    return Sheet(
        heading=heading,
        cells=cells,
        lines=[row.line for row in rows],
        texts=block.texts,
        parse=dialect.parse,
        exact=dialect.exact,
        percent=document.percent,
        spanning=frozenset(spanning),
    )


def _fill(heading: Heading, columns: list[list[str]]) -> None:
    """Fill empty cells of columns about the tasks with the cell above; changes `columns`."""
    roles = find_roles(heading, [Cells(column) for column in columns])
    repeated = {j for role, j in roles.items() if role in _REPEATED}
    # Columns without a role, too, but not the last in front of the metrics: it has names.
    before_names = range(min(heading.measures, default=0) - 1)
    repeated.update(j for j in before_names if j not in roles.values())
    with_numbers = [*range(len(columns[0]))]  # the rows that name no group
    if heading.measures:
        with_numbers = _list_filled_rows([columns[j] for j in heading.measures])

    written = [list(column) for column in columns]
    for j in repeated:
        others = [cells for k, cells in enumerate(written) if k not in {j, *heading.measures}]
        with_names = set(_list_filled_rows(others))
        _fill_column(columns[j], [i for i in with_numbers if i in with_names])


def _list_filled_rows(columns: Sequence[Sequence[str]]) -> list[int]:
    """List the indices of the rows with a cell that is not empty in some of the columns."""
    return [i for i, cells in enumerate(zip(*columns, strict=True)) if any(cells)]


def _fill_column(column: list[str], rows: Sequence[int]) -> None:
    """Fill the empty cells of one column in some rows; changes `column`.

    "WN18", "" becomes WN18, WN18. If the first row is empty, names may be in the middle of their
    rows: "", "WN18" becomes "blank beside WN18", which is no dataset, so that its row stays open.
    """
    names = [column[i] for i in rows if column[i]]
    is_centred = bool(names) and not column[rows[0]]
    name = ""
    for i in rows:
        name = column[i] or name
        column[i] = column[i] or (f"blank beside {names[0]}" if is_centred else name)


def _merge(
    document: Document, form: str, blocks: list[_Block], notes: Notes, tool: str | None
) -> Reading:
    """Put tables below each other; DataError if they have too many cells together."""
    filled = [block for block in blocks if block.rows]
    sizes = [len(block.rows) for block in filled]
    columns: dict[str, list[str]] = {key: [] for block in blocks for key in block.heading.keys}
    if sum(sizes) * len(columns) > MOST_CELLS:
        refuse_size(document.name)

    for block, size in zip(filled, sizes, strict=True):
        written = [row.cells for row in block.rows]
        by_key = dict(zip(block.heading.keys, zip(*written, strict=True), strict=True))
        for key, cells in columns.items():
            cells.extend(by_key.get(key, repeat("", size)))

    is_wide = any(block.heading.measures for block in blocks)
    return Reading(
        name=document.name,
        form=form,
        layout="wide" if is_wide else "long",
        columns=tuple(columns),
        rows=Rows(columns, sum(sizes)),
        entries=join_entries([block.table.entries for block in filled], sizes),
        skipped=notes.skipped(),
        tool=tool,
        understood=_describe(blocks),
    )


def _describe(blocks: list[_Block]) -> str:
    """Describe how tables were understood: "2 tables; metrics in rows; MRR (percent)"."""
    inferred = [phrase for block in blocks for phrase in block.how]
    # Maps the label of a metric to whether each column of it holds percentages.
    are_percent: dict[str, list[bool]] = {}
    for table in (block.table for block in blocks):
        if len(table.entries):
            inferred.append(table.origin)
        for head in table.entries.heads:
            are_percent.setdefault(head.metric.label, []).append(head.column in table.percent)

    inferred = list(dict.fromkeys(filter(None, inferred)))  # each phrase once
    if not inferred and not any(block.table.percent for block in blocks):
        return ""

    metrics = []
    for label, flags in are_percent.items():
        if all(flags):
            metrics.append(f"{label} (percent)")
        elif any(flags):
            metrics.append(f"{label} (percent in some columns)")
        else:
            metrics.append(label)

    tables = "1 table" if len(blocks) == 1 else f"{len(blocks)} tables"
    return "; ".join((tables, *inferred, ", ".join(metrics)))


def refuse_size(place: str) -> NoReturn:
    """Refuse a file with more cells than results need."""
    raise DataError(
        f"{place}: more than {MOST_CELLS:,} cells are more than results need. "
        "Split the file, or remove columns that you do not need."
    )


# Tables with a metric in each row.

_FIRST = 3  # the names of metrics are looked for in the first columns only


@dataclass(frozen=True)
class _Turnable:
    """A table with a metric in each row, by what its rows and columns hold."""

    heads: list[Sequence[str]]  # the rows of the heading, with names spread
    body: Sequence[Row]
    of_metrics: int  # the column with the names of metrics
    numbers: list[int]  # the columns of numbers
    names: list[int]  # the other columns, which name the rows


def turn_table(document: Document, rows: Sequence[Row], parse: Parse) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each; None for others.

    ``Metric, TransE, RotatE`` over ``MRR, 0.29, 0.34`` becomes a column MRR with a row for TransE
    and one for RotatE. Each further row of the heading becomes a column, and a row that names those
    below it stays one. There is at least one row. Other rows without a metric are dropped.
    """
    table = _find_turnable(document, rows, parse)
    if table is None:
        return None

    listed = dict.fromkeys(row.plain[table.of_metrics] for row in table.body)
    metrics = [name for name in listed if parse(name, None).metric is not None]
    names = [table.heads[-1][j] or table.heads[0][j] for j in table.names]
    corners = []  # the headings of the names in each row of the heading
    for head in table.heads:
        beside = [head[j] for j in table.numbers]
        corners.append(_read_corner(head[table.of_metrics], beside))

    headings = (*names, *corners, *metrics)
    return [Row(rows[0].line, headings, headings), *_turn_rows(table, metrics)]


def _turn_rows(table: _Turnable, metrics: Sequence[str]) -> Iterator[Row]:
    """Yield the rows below the heading of a turned table.

    Rows of metrics with the same names are one block, until a metric comes again. An empty name
    repeats that above, and so does an empty metric next to another name.
    """
    block: dict[str, Row] = {}  # metric to row
    names: list[str] = []  # of the rows of the block
    metric = ""
    width = len(table.names) + len(table.heads) + len(metrics)
    for row in table.body:
        own_names = [row.plain[j] for j in table.names]
        if row.plain[table.of_metrics] or not any(own_names):
            metric = row.plain[table.of_metrics]

        if metric in metrics:
            if block:
                own_names = [own or above for own, above in zip(own_names, names, strict=True)]
            if own_names != names or metric in block:
                yield from _turn_block(table, block, names, metrics)
                block = {}
            names = own_names
            block[metric] = row
            continue

        texts = dict.fromkeys(cell for cell in row.plain if not is_blank(cell))
        if texts and not has_number(texts):  # the name of the rows below
            yield from _turn_block(table, block, names, metrics)
            block = {}
            title = " ".join(texts)
            yield Row(row.line, (title,), (title,)).widen(width)

    yield from _turn_block(table, block, names, metrics)


def _turn_block(
    table: _Turnable, block: Mapping[str, Row], names: Sequence[str], metrics: Sequence[str]
) -> Iterator[Row]:
    """Yield a row for each column of numbers of a block, which maps metrics to their rows.

    Below TransE and RotatE, the rows "MRR, 0.29, 0.34" and "MR, 177, 170" become "TransE, 0.29,
    177" and "RotatE, 0.34, 170". A cell is empty if the block lacks its metric.
    """
    if not block:
        return

    first_row = next(iter(block.values()))
    empty_row = Row(0, (), ()).widen(len(table.heads[0]))
    rows = [block.get(metric, empty_row) for metric in metrics]
    for j in table.numbers:
        headings = [head[j] for head in table.heads]
        cells = [row.cells[j] for row in rows]
        plain = [row.plain[j] for row in rows]
        yield Row(first_row.line, (*names, *headings, *cells), (*names, *headings, *plain))


def _find_turnable(document: Document, rows: Sequence[Row], parse: Parse) -> _Turnable | None:
    """Find what the rows and columns of a table hold if a metric is in each row, or None."""
    width = len(rows[0].plain)
    even = [row.widen(width) for row in rows if len(row.plain) in {1, width}]
    firsts = range(min(width, _FIRST))
    of_metrics = next((j for j in firsts if _holds_metrics(even[1:], j, parse)), None)
    if of_metrics is None:
        return None

    heads, body = _split_heads(even, of_metrics, parse)
    numbers = _list_numbers(heads, body, of_metrics, parse)
    lack_spans = all(row.spans is None for row in rows[: len(heads) - 1])
    columns = list(zip(*heads, strict=True))
    if not numbers or (lack_spans and are_shifted([columns[j] for j in numbers])):
        return None

    names = [j for j in range(width) if j != of_metrics and j not in numbers]
    first = next(row for row in body if has_number(row.plain[numbers[0] :]))
    if is_blank(first.plain[of_metrics]):
        raise DataError(
            f"{document.at(first.line)}: it is open which rows belong to which metric: write each "
            "name into the first of its rows."
        )
    return _Turnable(heads, body, of_metrics, numbers, names)


def _split_heads(
    rows: Sequence[Row], of_metrics: int, parse: Parse
) -> tuple[list[Sequence[str]], Sequence[Row]]:
    """Split rows, at least one, into those of the heading, with names spread, and the rest."""

    def is_head(row: Row) -> bool:
        cells = [cell for cell in row.plain[of_metrics + 1 :] if not is_blank(cell)]
        is_measured = parse(row.plain[of_metrics], None).metric is not None
        return not is_measured and bool(cells) and not has_number(cells)

    depth = 1 + sum(1 for _ in takewhile(is_head, rows[1:]))
    upper = [spread_names(row, row.plain) for row in rows[: depth - 1]]
    return [*upper, rows[depth - 1].plain], rows[depth:]


def _read_corner(corner: str, beside: Sequence[str]) -> str:
    """Return the heading of names or numbers that a corner is; empty if it heads the metrics."""
    label = read_label(corner)
    is_of_names = label.is_about_tasks or label.role in {"dataset", "version"}
    return corner if is_of_names or all(is_number(cell) for cell in beside) else ""


_NO_RESULTS = {*COUNTS, "hyperparameter", "step", "runs", "k", "fact"}  # roles of other numbers


def _list_numbers(
    heads: Sequence[Sequence[str]], body: Sequence[Row], place: int, parse: Parse
) -> list[int]:
    """List the columns of results behind that of the metrics, at `place`: those with a heading.

    A heading such as "lr" or "Params (M)" is of no results.
    """
    numbers = []
    for j in range(place + 1, len(heads[0])):
        is_headed = any(head[j] for head in heads)
        role = read_label(heads[-1][j].partition("(")[0]).role
        if is_headed and role not in _NO_RESULTS and has_number(row.plain[j] for row in body):
            numbers.append(j)

    # In "key, value, step", only one column holds the numbers.
    return [j for j in numbers if parse(heads[-1][j], None).role == "value"] or numbers


def _holds_metrics(rows: Sequence[Row], j: int, parse: Parse) -> bool:
    """Tell whether most cells of a column, in rows with numbers, are names of metrics."""
    measured = [row.plain for row in rows if has_number(row.plain)]
    cells = [plain[j] for plain in measured if not is_blank(plain[j])]
    named = sum(parse(cell, None).metric is not None for cell in cells)
    return bool(cells) and 2 * named > len(cells)
