"""Read results given in Python: a path, a dict, ranks or a DataFrame.

Pandas is imported only for a DataFrame.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.arrow import as_pandas
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import ENTITY_SIDES
from rankconst.errors import DataError, UsageError
from rankconst.names import spell, tell_apart
from rankconst.results.columns import Cells, Rows
from rankconst.results.formats import find_tool, is_paths, read, read_document
from rankconst.results.labels import read_label
from rankconst.results.reading import Notes, Reading, require_complete
from rankconst.results.tables.cells import Row
from rankconst.results.tables.headings import choose_parse, compose_heading
from rankconst.results.tables.near import read_near
from rankconst.results.tables.sheet import Sheet, SheetReader
from rankconst.values.published import is_number
from rankconst.values.ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.results.gate import Text
    from rankconst.results.tables.headings import Heading, Parse

_NAME_OF_FRAME = "the DataFrame"
_MOST_TRIED = 100  # rows that are read to tell the roles of columns
# How pandas calls columns, and levels of columns, without a name in a file.
_UNNAMED_LEVEL = re.compile(r"Unnamed: \d{1,9}(?:_level_\d{1,9})?")


def is_frame(results: Any) -> bool:
    """Tell whether results are a DataFrame."""
    return hasattr(results, "iloc") and hasattr(results, "columns")


def read_given(
    results: Any, *, strict: bool = False, percent: bool | None = None, metric: Metric | None = None
) -> Reading:
    """Return a reading of a path, a dict or a DataFrame; a reading is returned as it is.

    Raises DataError if `strict` and something cannot be read.
    """
    reading = _read_any(as_pandas(results), percent, metric)
    if strict:
        require_complete(reading)
    return reading


def _read_any(results: Any, percent: bool | None, metric: Metric | None) -> Reading:
    """Read results of any kind that is known; UsageError for another kind."""
    if isinstance(results, Reading):
        return results
    if isinstance(results, Ranks):
        return read_document("the ranks", _write_ranks(results))
    if isinstance(results, (str, os.PathLike)) or is_paths(results):
        return read(results, percent=percent, metric=metric)
    if isinstance(results, Mapping):
        return read_document("the dict", _write_dict(results))
    if is_frame(results):
        return read_frame(results, percent, metric).reading

    kind = type(results).__name__
    raise UsageError(
        f"expected a number, a path, a dict, a DataFrame or a Reading, got {kind}. "
        "Of several numbers make a dict by metric, or a DataFrame with a column for each: "
        'pandas.DataFrame({"MRR": values}).'
    )


def _write_ranks(ranks: Ranks) -> str:
    """Write every metric of ranks as CSV, with rows such as "head,hits_at_1,0.5,20466"."""
    sides = list(ranks.sides)
    if all(side in ranks.sides for side in ENTITY_SIDES):
        sides.insert(0, "both")

    lines = ["side,metric,value,number of ranks"]
    for side in sides:
        size = ranks.select(side).size
        for key, value in ranks.to_dict(side).items():
            lines.append(f"{side},{key},{value!r},{size}")

    return "\n".join(lines) + "\n"


def _write_dict(results: Mapping[Any, Any]) -> str:
    """Write a dict as JSON; UsageError for a key that is not text, or a dict in itself."""
    try:
        return json.dumps(results, default=_to_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the dict cannot be written as JSON: {error}.") from error


def _to_plain(value: Any) -> Any:
    """Return numbers and arrays of numpy as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise UsageError(
        f"the dict holds a {type(value).__name__}; expected text, numbers, lists and dicts."
    )


# DataFrames.


def add_columns(
    frame: pd.DataFrame, adjusted: AdjustedReading, reasons: Mapping[int, str], *, always: bool
) -> pd.DataFrame:
    """Return a frame with the added columns behind its own; the given one does not change.

    Assumptions and questions are among its ``attrs``. `reasons` has, by row, why cells were not
    read. There is a column of notes only if there are any, or if `always`.
    """
    import pandas as pd

    *names, note = adjusted.added
    columns = {name: _drop_empty(adjusted.added[name]) for name in names}
    notes = adjusted.added[note]
    if always or reasons or any(notes):
        remarks = [each or "" for each in notes]
        for row, reason in reasons.items():
            remarks[row] = f"{reason}; {remarks[row]}" if remarks[row] else reason
        columns[note] = remarks

    added = pd.DataFrame(columns, index=frame.index, copy=False)
    if frame.columns.nlevels > 1:
        added.columns = _part_names(columns, frame.columns)

    out = pd.concat([frame, added], axis=1)
    asked = []
    for question in adjusted.asked:
        rows = dict.fromkeys(adjusted.rows[list(question.numbers)].tolist())
        asked.append(question.to_dict() | {"rows": list(rows)})

    # Lists, as they come back from Parquet.
    assumed = {name: list(values) for name, values in adjusted.assumed.items()}
    out.attrs = {**frame.attrs, "assumed": assumed, "asked": asked}
    return out


def _drop_empty(values: Any) -> Any:
    """Shorten equal values to one, and turn integers and None to floats; pandas is fast then."""
    if hasattr(values, "dtype") or not values:
        return values
    if values.count(values[0]) == len(values):
        return values[0]
    if {type(value) for value in set(values)} == {int, type(None)}:
        return np.array(values, dtype=np.float64)
    return values


def _part_names(names: Iterable[str], columns: pd.Index[Any]) -> pd.MultiIndex:
    """Split the names of added columns into the levels of `columns`: "WN18 / AMRR" into two."""
    import pandas as pd

    depth = columns.nlevels
    levels = []
    for name in names:
        parts = name.split(" / ", depth - 1)
        levels.append((*parts, *repeat("", depth - len(parts))))
    return pd.MultiIndex.from_tuples(levels, names=list(columns.names))


# Reading.


class FrameReading(NamedTuple):
    """The numbers of a frame, and by row the reasons why some of its cells are not read."""

    reading: Reading
    reasons: dict[int, str]


class _FrameColumn(NamedTuple):
    """A column, or a level of the index, with its name on each level that has one."""

    names: list[str]
    series: Any


def read_frame(
    frame: pd.DataFrame,
    percent: bool | Collection[str] | None = None,
    metric: Metric | None = None,
) -> FrameReading:
    """Read the numbers of a frame.

    Columns, among them the named levels of the index, are read like those of a table in a file.
    `percent` holds the metrics whose numbers are percentages, or applies to all.
    Raises DataError if no column holds a metric.
    """
    columns = [*_list_index(frame), *_list_columns(frame)]
    cells = [_make_cells(column.series) for column in columns]
    heading = _find_heading([column.names for column in columns], cells, metric)
    texts = list(cells)  # of a column of numbers, empty where there is a float
    floats: dict[int, NDArray[np.float64]] = {}
    for j, role in enumerate(heading.roles):
        if j in heading.measures or role == "value":
            split = _split_numbers(columns[j].series)
            if split is not None:
                floats[j], texts[j] = split

    notes = _RowNotes()
    sheet = Sheet(
        heading=heading,
        cells=texts,
        lines=np.arange(len(frame)),
        texts=_list_texts(frame),
        percent=None if percent is None else percent is True,
        floats=floats,
    )
    entries = SheetReader(sheet, notes).read().entries.drop_lines()
    if percent is not None and not isinstance(percent, bool):
        metrics = {parse_metric(name) for name in percent}
        is_named = entries.flag_heads(lambda head: head.metric in metrics)
        entries = entries.rewrite(is_named & ~entries.is_percent, percent=True)

    reading = Reading(
        name=_NAME_OF_FRAME,
        form="frame",
        layout="wide" if heading.measures else "long",
        columns=heading.keys,
        rows=Rows(dict(zip(heading.keys, cells, strict=True)), len(frame)),
        entries=entries,
        skipped=notes.skipped(),
        tool=find_tool(heading.keys),
    )
    return FrameReading(reading, notes.of_row)


def _find_heading(names: list[list[str]], cells: Sequence[Cells], metric: Metric | None) -> Heading:
    """Read the names of columns; with the `metric` of the user, datasets or models may hold it."""
    heading = _compose_heading(names, read_label)
    if metric is not None and not (heading.measures or heading.long):
        heads = tuple(" / ".join(levels) for levels in names)
        first = [heads, *islice(zip(*cells, strict=True), _MOST_TRIED)]
        parse = choose_parse(metric, [Row(1, row, row) for row in first])
        heading = _compose_heading(names, parse)

    if not (heading.measures or heading.long):
        known = [key for key in heading.keys if key]
        advice = "of columns of datasets or models, give the metric, as in metric='mrr'"
        if metric is not None and known:
            advice = f"with the metric in their names, such as {metric.label} {known[-1]}"
        raise DataError(
            f"no column holds a metric; there are: {', '.join(known) or 'none'}. "
            f"Name columns MRR, MR, Hits@10 ..., or metric and value; {advice}."
        )

    return heading


class _RowNotes(Notes):
    """Collects the cells that are not read, and joins those of a row to a note on it."""

    def __init__(self) -> None:
        super().__init__()
        self.of_row: dict[int, str] = {}

    def add(self, line: int | None, what: str, reason: str) -> None:
        """Add a cell with its row and the reason."""
        if line is None:
            super().add(None, what, reason)
            return
        note = f"{what!r}: {reason}"
        self.of_row[line] = f"{self.of_row[line]}; {note}" if line in self.of_row else note
        super().add(None, f"row {line}: {what!r}", reason)


def _list_index(frame: pd.DataFrame) -> list[_FrameColumn]:
    """List the levels of the index like columns, unless they are columns or only count rows."""
    import pandas as pd

    levels = []
    for place in range(frame.index.nlevels):
        level = frame.index.get_level_values(place)
        # Kinds of numpy: floats, integers, True and False, times.
        counts = level.name is None and level.dtype.kind in "fiubmM"
        if not counts and not _is_column(frame, level):
            name = "" if level.name is None else str(level.name)
            levels.append(_FrameColumn([name], pd.Series(level.array)))

    return levels


def _is_column(frame: pd.DataFrame, level: pd.Index[Any]) -> bool:
    """Tell whether a frame has a column with the name and the cells of a level of its index."""
    if level.name is None or level.name not in frame.columns:
        return False
    column: Any = frame[level.name]
    if column.ndim != 1:
        return False
    return bool((column.astype(object).to_numpy() == level.astype(object).to_numpy()).all())


def _list_columns(frame: pd.DataFrame) -> list[_FrameColumn]:
    """List the columns, each with its names that are not empty, from the upper level down."""
    columns: Any = frame.columns
    listed: list[_FrameColumn] = []
    before: list[str] = []
    for j, name in enumerate(columns):
        levels = list(name) if isinstance(name, tuple) and columns.nlevels > 1 else [name]
        names = [_name_level(level) for level in levels]
        # pd.read_csv(header=[0, 1]) names only the first of a group: others get its name.
        for level, group in enumerate(before[:-1]):
            names[level] = names[level] or group
        listed.append(_FrameColumn([name for name in names if name], frame.iloc[:, j]))
        before = names

    return listed


def _name_level(name: Any) -> str:
    """Return the name of a column on a level; empty if pandas made it up, as "Unnamed: 0"."""
    return "" if name is None or _UNNAMED_LEVEL.fullmatch(str(name)) else str(name)


def _compose_heading(names: list[list[str]], parse: Parse) -> Heading:
    """Return the heading of columns; one with fewer levels has its name on the lowest."""
    # Without columns, or with empty levels alone, the heading is one empty row.
    depth = max((len(each) for each in names), default=1) or 1
    padded = [(*repeat("", depth - len(each)), *each) for each in names]
    levels = list(zip(*padded, strict=True)) or [()]
    spans = dict.fromkeys(range(len(names)), 1)  # every cell is one column wide
    return compose_heading([Row(1, level, level, spans) for level in levels], parse)


def _list_texts(frame: pd.DataFrame) -> tuple[Text, ...]:
    """List the texts about all rows: attributes of the frame, and the name of its columns."""
    texts = []
    for key, value in frame.attrs.items():
        if isinstance(value, str):
            texts.append(read_near(f"attrs[{key!r}]", value))
    names = [str(name) for name in frame.columns.names if name is not None]
    return (*texts, *(read_near("the name of the columns", name) for name in names))


def _make_cells(series: Any) -> Cells:
    """Return the cells of a column as texts without blanks around them; a missing one is empty."""
    texts = _read_texts(series)
    if texts is not None:
        import pyarrow.compute as pc

        return Cells(pc.utf8_trim_whitespace(texts))

    def code() -> tuple[NDArray[np.intp], list[str]]:
        codes, distinct = _number_objects(series)
        return codes, [*(_write_cell(cell) for cell in distinct), ""]

    return Cells(series.array, _write_cell, code)


def _read_texts(series: Any) -> Any:
    """Return a column of texts or missing cells as an Arrow array; None if it has others."""
    import pandas as pd
    import pyarrow as pa

    if series.dtype == object and pd.api.types.infer_dtype(series, skipna=True) != "string":
        return None
    if series.dtype != object and not isinstance(series.dtype, pd.StringDtype):
        return None

    try:
        texts: Any = pa.array(series, from_pandas=True)
    except UnicodeEncodeError:  # half of a character
        return None

    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()

    return texts.cast(pa.string()).fill_null("")


def _number_objects(series: Any) -> tuple[NDArray[np.intp], list[Any]]:
    """Return a code for each cell, an index into the distinct cells, and these.

    A missing cell has the next code: 0.3, NaN have the codes 0 and 1, and only 0.3 is distinct.
    """
    import pandas as pd

    cells = series.astype(object)
    missing = cells.isna().to_numpy()
    if series.dtype.kind in "fiub":
        codes, values = pd.factorize(series)
        distinct = list(values)
    else:  # decimals that are equal may be written otherwise, and True equals 1
        codes, _ = pd.factorize(cells.map(lambda cell: f"{type(cell).__name__} {tell_apart(cell)}"))
        _, places = np.unique(codes, return_index=True)
        distinct = [cells.iloc[place] for place in places.tolist()]

    return np.where(missing | (codes < 0), len(distinct), codes).astype(np.intp), distinct


def _write_cell(cell: Any) -> str:
    """Return a cell as text: a whole float without its point, a missing cell as nothing."""
    is_missing = cell is None or type(cell).__name__ in {"NAType", "NaTType"}
    if is_missing or cell != cell:  # noqa: PLR0124 - NaN of any type
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return cell.strip() if isinstance(cell, str) else spell(cell, str)


def _split_numbers(series: Any) -> tuple[NDArray[np.float64], Cells] | None:
    """Return the numbers of a column as floats, and its other cells as texts; None for texts alone.

    Cells 0.3, "n/a" become 0.3, NaN and "", "n/a". Infinite numbers and decimal.Decimal are texts.
    """
    if series.dtype.kind in "fiu":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        infinite = np.isinf(values)
        texts = ["", "inf"] if infinite.any() else [""]
        return np.where(infinite, np.nan, values), _code_cells(infinite.astype(np.intp), texts)

    if _read_texts(series) is not None:
        return None

    codes, distinct = _number_objects(series)
    floats = [_to_float(cell) for cell in distinct]
    texts = [
        "" if np.isfinite(value) else _write_cell(cell)
        for cell, value in zip(distinct, floats, strict=True)
    ]
    return np.array([*floats, np.nan])[codes], _code_cells(codes, [*texts, ""])


def _code_cells(codes: NDArray[np.intp], distinct: list[str]) -> Cells:
    """Return cells by their codes and the distinct texts."""
    return Cells(codes, distinct.__getitem__, lambda: (codes, distinct))


def _to_float(cell: Any) -> float:
    """Return a number as a finite float; NaN for text, decimals, and numbers beyond floats."""
    if isinstance(cell, (str, Decimal)) or not is_number(cell):
        return np.nan
    try:
        number = float(cell)
    except (OverflowError, ValueError):
        return np.nan
    return number if np.isfinite(number) else np.nan
