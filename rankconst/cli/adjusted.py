"""Lay out the adjusted numbers of a results file: the original columns, and what was added."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.cli.output import Column, Format, Listing
from rankconst.cli.shown import show_interval, show_tail
from rankconst.constants.affine import ADJUSTMENTS
from rankconst.results.tables.columns import parse_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.adjust import AdjustedEntry, AdjustedReading
    from rankconst.results.reading import Reading


_MARKUP = {Format.markdown: "markdown", Format.latex: "latex"}

# What leaves a narrow terminal first: other columns, notes, z, tail probabilities, then the metrics from the last on.
_OTHER, _NOTE, _Z, _P = 400, 300, 200, 100

Row = dict[str, Any]


def lay_out(adjusted: AdjustedReading, form: Format) -> Listing:
    """Return the original rows with the adjusted numbers to their right.

    Parameters
    ----------
    adjusted
        A results file with its adjusted numbers.
    form
        The output format. A table on a screen leaves out what rankconst knows nothing about; no other does.

    Returns
    -------
    Listing
        Wide files get columns named after the adjusted metrics, long files columns ``index``, ``z`` and so on.
    """
    reading = adjusted.reading
    blocks = _find_blocks(adjusted)
    added: list[Row] = [{} for _ in reading.rows]
    told: list[dict[str, list[Any]]] = [defaultdict(list) for _ in reading.rows]
    for each in adjusted.entries:
        row, block = added[each.entry.row], blocks.get(each.entry.column)
        if block is not None and each.entry.adjustment is None:
            row.update(block.fill(each))
        _describe(told[each.entry.row], each)
    for row, facts in zip(added, told, strict=True):
        row.update({key: _join(values) for key, values in facts.items()})
    new = [column for place, block in enumerate(dict.fromkeys(blocks.values())) for column in block.columns(place)]
    new += [Column(key) for key in ("tasks_of", "protocol", "num_tasks")]
    title = "note" if any("note" in row for row in added) else None
    new.append(Column("note", title, lambda value: value or "", drop=_NOTE))
    columns = [_original(reading, place, blocks, form) for place in range(len(reading.columns))]
    names = {column.key: _apart(column.key, reading.columns) for column in new}
    columns += [replace(column, key=names[column.key]) for column in new]
    rows = [
        {**dict.fromkeys(reading.columns), **row, **{name: more.get(key) for key, name in names.items()}}
        for row, more in zip(reading.rows, added, strict=True)
    ]
    # What was not asked for is left out, and from a screen what there is nothing to say about.
    asked = {each.entry.row for each in adjusted.entries if each.asked}
    if form is Format.table and reading.layout == "long":
        asked = {each.entry.row for each in adjusted.entries if each.adjusted is not None or each.note}
    if adjusted.is_selection or form is Format.table:
        rows = [row for place, row in enumerate(rows) if place in asked]
    methods = dict.fromkeys(each.significance.method for each in adjusted.entries if each.significance is not None)
    tails = (
        f" p: the probability that a random ranker does as well; method: {' and '.join(methods)}." if methods else ""
    )
    left_out = [column.key for column in columns[: len(reading.columns)] if column.title is None]
    more = f" Left out here, kept in other formats: {', '.join(left_out)}." if left_out else ""
    return Listing.of(
        columns,
        rows,
        caption=f"index: 0 = random, 1 = perfect; z: standard deviations better than random.{tails} "
        f"Tables: {adjusted.table_version}.{more}",
    )


def _apart(name: str, taken: Sequence[str], ends: Sequence[str] = ("",)) -> str:
    """Return a name for added columns, with all its endings, that no original column has."""
    while any(f"{name}{end}" in taken for end in ends):
        name += "_added"
    return name


class _Block:
    """The columns that are added for one column of numbers."""

    def __init__(self, value: str, prefix: str, forms: dict[str, str], significant: bool) -> None:
        self._value, self._prefix, self._forms, self._significant = value, prefix, forms, significant

    def columns(self, place: int) -> list[Column]:
        """Return what is added for the column of numbers at that place among them."""
        prefix = self._prefix
        columns = [Column(f"{self._value}_{end}") for end in ("lower", "upper")]
        columns += [Column(f"{prefix}{each}") for each in ("expectation", "variance")]
        for form, key in self._forms.items():
            # The normalised form says little beside the index; files have it.
            title = None if form == "normalised" else key
            drop = _Z + place if form == "z" else _drop_block(place)
            columns.append(Column(key, title, right=True, drop=drop, show_row=show_interval(key)))
            columns += [Column(f"{key}_{end}") for end in ("lower", "upper")]
        if self._significant:
            key, title = f"{prefix}log10_p", f"{prefix}p".replace("_", " ")
            columns.append(Column(key, title, right=True, drop=_P + place, show_row=show_tail(key)))
            columns += [Column(f"{key}_{end}") for end in ("lower", "upper")]
            columns.append(Column(f"{prefix}p_method"))
        return columns

    def fill(self, each: AdjustedEntry) -> Row:
        row: Row = {}
        if each.adjusted is None or each.constants is None:
            return row
        for form, key in (("value", self._value), *self._forms.items()):
            interval = getattr(each.adjusted, f"{form}_interval")
            if form != "value":
                row[key] = getattr(each.adjusted, form)
            if interval is not None:
                row[f"{key}_lower"], row[f"{key}_upper"] = interval
        row[f"{self._prefix}expectation"] = each.constants.expectation
        row[f"{self._prefix}variance"] = each.constants.variance
        if each.significance is not None:
            found = each.significance
            row[f"{self._prefix}log10_p"] = found.log10
            row[f"{self._prefix}log10_p_lower"], row[f"{self._prefix}log10_p_upper"] = found.interval
            row[f"{self._prefix}p_method"] = found.method
        return row


def _find_blocks(adjusted: AdjustedReading) -> dict[str, _Block]:
    """Return the original column of numbers to what is added for it."""
    taken = adjusted.reading.columns
    done = [each for each in adjusted.entries if each.adjusted is not None]
    found = {each.entry.column: each.entry.metric for each in done}
    metrics = {column: found[column] for column in taken if column in found}
    significant = any(each.significance is not None for each in done)
    ends = ("", "_lower", "_upper")
    if adjusted.reading.layout == "long":
        value = _apart("value", taken, ends[1:])
        block = _Block(value, "", {form: _apart(form, taken, ends) for form in ADJUSTMENTS}, significant)
        return dict.fromkeys(metrics, block)
    counts = Counter(metrics.values())
    blocks = {}
    for column, metric in metrics.items():
        alone = counts[metric] == 1
        prefix = _apart(metric.label if alone else column, taken, ends[1:])
        forms = {form: _apart(metric.column_of(form, None if alone else column), taken, ends) for form in ADJUSTMENTS}
        blocks[column] = _Block(prefix, f"{prefix}_", forms, significant)
    return blocks


def _describe(told: dict[str, list[Any]], each: AdjustedEntry) -> None:
    """Note which ranking tasks a number was taken for, and what there is to know."""
    if each.constants is not None:
        of = each.constants
        told["tasks_of"].append(f"{of.dataset} {of.split} {of.side}")
        told["protocol"].append(of.protocol)
        told["num_tasks"].append(of.num_tasks)
    if each.note:
        told["note"].append(each.note)


def _join(values: list[Any]) -> Any:
    """Return the one value of a row, or all that there are, as text."""
    distinct = list(dict.fromkeys(values))
    return distinct[0] if len(distinct) == 1 else "; ".join(map(str, distinct)) or None


def _original(reading: Reading, place: int, blocks: dict[str, _Block], form: Format) -> Column:
    column = reading.columns[place]
    meaning = parse_column(column)
    role = None if meaning is None else meaning.role
    # On a screen a wide table shows what was adjusted, and what says what it is: as a rule the first column does.
    named = role in {"model", "dataset"} or (place == 0 and role != "measured")
    shown = named or column in blocks or role not in {None, "measured"}
    if column in blocks:
        drop = _drop_block(list(blocks).index(column)) if reading.layout == "wide" else 0
    else:
        drop = 0 if named or reading.layout == "long" else _OTHER
    return Column(
        column,
        column if shown or form is not Format.table or reading.layout == "long" else None,
        lambda value: value or "",
        right=column in blocks,
        drop=drop,
        raw=_MARKUP.get(form) == reading.form,
    )


def _drop_block(place: int) -> int:
    """Return when a column of numbers leaves a narrow terminal, with what was added for it: the last first."""
    return 10 + place if place else 0
