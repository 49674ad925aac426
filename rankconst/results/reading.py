"""Hold a results file as read: the original table, and every number of a metric in it.

A table with the columns "Model" and "MRR" and the row "TransE, 0.33" has one number, 0.33, of the
metric MRR in row 0, with the model TransE as its context. The place of a number is its index among
all numbers of the file.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankconst.catalogue.answers import AnswersMetric
from rankconst.catalogue.tools import load_tools
from rankconst.errors import DataError
from rankconst.evaluation import NOTHING, Address
from rankconst.names import count_of
from rankconst.results.columns import (
    Listed,
    Rows,
    factorize,
    factorize_cells,
    group_by_code,
    pair_codes,
)
from rankconst.results.labels import cut_metric, read_label
from rankconst.values.published import NOISE, UNIT, Interval, has_unit, parse_value, read_published

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.columns import Flags, Indices
    from rankconst.results.document import Document


class Entry(NamedTuple):
    """One number of a results file."""

    metric: Metric  # with its k
    text: str  # the number as written, without markup
    row: int  # index into Reading.rows
    column: str  # the column, a key of that row, that holds the number
    line: int | None  # of the file, counted from 1; None where lines mean nothing
    context: Address = NOTHING  # model, dataset, split and the like, if the file declares them
    adjustment: str | None = None  # "normalised", "index" or "z" if it is adjusted already
    exact: bool = False  # True if a program wrote every digit, False if it was rounded for print


class ColumnHead(NamedTuple):
    """What the numbers of a column have in common."""

    metric: Metric
    column: str
    adjustment: str | None
    exact: bool


NO_LINE = -1
"""The line of a number where lines mean nothing."""


class NumberText(NamedTuple):
    """The text of a number, or the reason why a cell or a value is none; the other is empty."""

    text: str
    reason: str = ""  # half a sentence


@dataclass(frozen=True, eq=False)
class Texts:
    """Numbers as written, each distinct text once: a file may have 0.33 thousands of times."""

    distinct: Sequence[str]
    codes: Indices  # index into `distinct`, for each number

    @cached_property
    def _values(self) -> NDArray[np.float64]:
        """The number of each distinct text."""
        return np.array([_read_value(text) for text in self.distinct], dtype=float)

    @property
    def values(self) -> NDArray[np.float64]:
        """The numbers as written, percentages without their sign."""
        return self._values[self.codes]

    @property
    def is_percent(self) -> Flags:
        """True for numbers with a percent sign, or that of another unit."""
        flags = np.array([has_unit(text) for text in self.distinct], dtype=np.bool_)
        if not flags.any():
            return np.broadcast_to(np.False_, self.codes.shape)
        return flags[self.codes]

    def take(self, chosen: Any) -> Texts:
        """Return the numbers that a mask flags, or those at some indices."""
        return Texts(self.distinct, self.codes[chosen])

    def set_percent(self, chosen: Flags, *, percent: bool) -> Texts:
        """Return the numbers with a percent sign, or without, where a mask is True."""
        sign = "%" if percent else ""
        rewritten = (text.rstrip("%") + sign for text in self.distinct)
        codes = np.where(chosen, self.codes + len(self.distinct), self.codes)
        return Texts([*self.distinct, *rewritten], codes)

    def write(self, at: int) -> str:
        """Return a number as written."""
        return self.distinct[int(self.codes[at])]

    @staticmethod
    def join(parts: Sequence[Texts]) -> Texts:
        """Put numbers below each other."""
        distinct, codes = list[str](), []
        for part in parts:
            codes.append(part.codes + len(distinct))
            distinct += part.distinct
        return Texts(distinct, np.concatenate(codes))


@dataclass(frozen=True, eq=False)
class Floats:
    """Numbers that a program holds as floats; their texts are written when needed."""

    values: NDArray[np.float64]
    is_percent: Flags  # True for percentages

    def take(self, chosen: Any) -> Floats:
        """Return the numbers that a mask flags, or those at some indices."""
        return Floats(self.values[chosen], self.is_percent[chosen])

    def set_percent(self, chosen: Flags, *, percent: bool) -> Floats:
        """Return the numbers with a percent sign, or without, where a mask is True."""
        return Floats(self.values, np.where(chosen, percent, self.is_percent))

    def write(self, at: int) -> str:
        """Return a number as Python writes it."""
        text = repr(float(self.values[at]))
        return f"{text}%" if self.is_percent[at] else text

    @staticmethod
    def join(parts: Sequence[Floats]) -> Floats:
        """Put numbers below each other."""
        values = np.concatenate([part.values for part in parts])
        return Floats(values, np.concatenate([part.is_percent for part in parts]))


@dataclass(frozen=True, eq=False)
class Column:
    """Numbers with one heading and metric, all of them texts or all of them floats."""

    head: ColumnHead
    numbers: Any  # Texts or Floats
    places: Indices  # among all numbers of the file, ascending
    rows: Indices
    lines: Indices
    context_codes: Indices  # in the contexts of all numbers
    model_codes: Indices

    def take(self, chosen: Flags) -> Column:
        """Return the numbers of a mask."""
        arrays = {name: getattr(self, name)[chosen] for name in _ARRAYS_OF_COLUMN}
        return Column(self.head, self.numbers.take(chosen), **arrays)

    @staticmethod
    def join(columns: Sequence[Column]) -> Column:
        """Put columns with the same head below each other."""
        numbers = type(columns[0].numbers).join([column.numbers for column in columns])
        arrays = {}
        for name in _ARRAYS_OF_COLUMN:
            parts = [getattr(column, name) for column in columns]
            arrays[name] = np.concatenate(parts)
        return Column(columns[0].head, numbers, **arrays)


_ARRAYS_OF_COLUMN = ("places", "rows", "lines", "context_codes", "model_codes")
"""The arrays of a column."""


@dataclass(frozen=True, eq=False, repr=False)
class Entries(Listed[Entry]):
    """The numbers of a results file in their order, held by column: large files have millions.

    An attribute of all numbers, such as :attr:`rows`, is an array in the order of the file, made
    when it is first needed.
    """

    columns: tuple[Column, ...] = ()
    contexts: Sequence[Address] = ()  # without models: a million rows may have a million of them
    models: Sequence[str] = ()

    @cached_property
    def heads(self) -> list[ColumnHead]:
        """The head of each column."""
        return [column.head for column in self.columns]

    def gather(self, parts: Iterable[Any], dtype: Any = np.intp) -> NDArray[Any]:
        """Join an array, or a single value, for each column into one in the order of the file.

        Of two columns with places 0, 2 and 1, 3, the arrays a, c and b, d become a, b, c, d.
        """
        gathered = np.empty(len(self), dtype=dtype)
        for column, part in zip(self.columns, parts, strict=True):
            gathered[column.places] = part
        return gathered

    def flag_heads(self, test: Callable[[ColumnHead], bool]) -> Flags:
        """Flag the numbers whose head passes a test."""
        return self.gather([test(head) for head in self.heads], np.bool_)

    def flag_contexts(self, test: Callable[[Address], bool]) -> Flags:
        """Flag the numbers whose context passes a test; each distinct context is tested once."""
        flags = np.array([test(context) for context in self.contexts], dtype=np.bool_)
        return flags[self.context_codes]

    @cached_property
    def head_codes(self) -> Indices:
        """The index of the column of each number."""
        return self.gather(range(len(self.columns)))

    @cached_property
    def context_codes(self) -> Indices:
        """The index in :attr:`contexts` of each number."""
        return self.gather(column.context_codes for column in self.columns)

    @cached_property
    def model_codes(self) -> Indices:
        """The index in :attr:`models` of each number."""
        return self.gather(column.model_codes for column in self.columns)

    @cached_property
    def rows(self) -> Indices:
        """The row of each number."""
        return self.gather(column.rows for column in self.columns)

    @cached_property
    def lines(self) -> Indices:
        """The line of each number."""
        return self.gather(column.lines for column in self.columns)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The numbers as written, percentages without their sign."""
        return self.gather((column.numbers.values for column in self.columns), np.float64)

    @cached_property
    def is_percent(self) -> Flags:
        """True for numbers with a percent sign."""
        return self.gather((column.numbers.is_percent for column in self.columns), np.bool_)

    @cached_property
    def is_full_share(self) -> Flags:
        """True for Hits@k with more than seven decimals, which are fractions of few numbers."""
        shown = np.nan_to_num(self.values, posinf=0) * 10**_MOST_ROUNDED
        is_hits = self.flag_heads(
            lambda head: head.metric.hits_k is not None and head.adjustment is None
        )
        flags: Flags = is_hits & (np.abs(shown - np.rint(shown)) > _FLOAT_ERROR)
        return flags

    @cached_property
    def _position_of(self) -> Indices:
        """The position of each number in its column."""
        return self.gather(np.arange(column.places.size) for column in self.columns)

    def _change_columns(self, change: Callable[[Column], Column]) -> Entries:
        """Return the numbers with each column changed."""
        return replace(self, columns=tuple(change(column) for column in self.columns))

    def keep(self, chosen: Flags) -> Entries:
        """Return the flagged numbers; their places count from 0 again, without gaps."""
        if chosen.all():
            return self
        places = np.cumsum(chosen) - 1

        def take(column: Column) -> Column:
            part = column.take(chosen[column.places])
            return replace(part, places=places[part.places])

        return self._change_columns(take)

    def rewrite(self, chosen: Flags, *, percent: bool) -> Entries:
        """Return the numbers with a percent sign, or without, where a mask is True."""

        def set_percent(column: Column) -> Column:
            in_column = chosen[column.places]
            if not in_column.any():
                return column
            return replace(column, numbers=column.numbers.set_percent(in_column, percent=percent))

        return self._change_columns(set_percent) if chosen.any() else self

    def readdress(self, contexts: Sequence[Address], context_codes: Indices) -> Entries:
        """Return the numbers with other contexts, by the index of each number in them."""
        changed = replace(self, contexts=contexts)
        return changed._change_columns(
            lambda each: replace(each, context_codes=context_codes[each.places])
        )

    def drop_lines(self) -> Entries:
        """Return the numbers without lines, as those of a DataFrame are."""
        return self._change_columns(
            lambda each: replace(each, lines=np.broadcast_to(NO_LINE, each.rows.shape))
        )

    def list_percentages(self) -> list[ColumnHead]:
        """List the heads of columns with at least one percent sign, as in "33.8%"."""
        return [column.head for column in self.columns if column.numbers.is_percent.any()]

    def _make(self, place: int) -> Entry:
        """Return the number at a place of the file, put together from its column."""
        column = self.columns[self.head_codes[place]]
        metric, heading, adjustment, exact = column.head
        at = self._position_of[place]
        context = self.contexts[column.context_codes[at]]
        model = self.models[column.model_codes[at]]
        if model:
            context = replace(context, model=model)

        line = int(column.lines[at])
        shown = None if line == NO_LINE else line
        text = column.numbers.write(at)
        row = int(column.rows[at])
        return Entry(
            metric=metric,
            text=text,
            row=row,
            column=heading,
            line=shown,
            context=context,
            adjustment=adjustment,
            exact=exact,
        )

    def text_at(self, place: int) -> str:
        """Return a number as written."""
        text: str = self.columns[self.head_codes[place]].numbers.write(self._position_of[place])
        return text

    @cached_property
    def _size(self) -> int:
        return sum(column.places.size for column in self.columns)

    def __len__(self) -> int:
        return self._size


def make_entries(entries: Iterable[Entry]) -> Entries:
    """Arrange numbers, in the order of their file, in columns with one head each."""
    listed = list(entries)
    heads = [
        ColumnHead(entry.metric, entry.column, entry.adjustment, entry.exact) for entry in listed
    ]
    head_codes, distinct_heads = factorize(heads)
    context_codes, contexts = factorize(entry.context for entry in listed)
    bare_of, bare = factorize(replace(context, model=None) for context in contexts)
    model_codes, models = factorize(context.model or "" for context in contexts)
    texts = [entry.text for entry in listed]
    rows = np.array([entry.row for entry in listed], dtype=np.intp)
    numbers = [NO_LINE if entry.line is None else entry.line for entry in listed]
    lines = np.array(numbers, dtype=np.intp)
    columns = []
    for head, places in zip(distinct_heads, group_by_code(head_codes), strict=True):
        codes, distinct = factorize(texts[place] for place in places.tolist())
        columns.append(
            Column(
                head=head,
                numbers=Texts(distinct, codes),
                places=places,
                rows=rows[places],
                lines=lines[places],
                context_codes=bare_of[context_codes[places]],
                model_codes=model_codes[context_codes[places]],
            )
        )

    return Entries(tuple(columns), bare, models)


def join_entries(parts: Sequence[Entries], sizes: Sequence[int]) -> Entries:
    """Put numbers below each other; `sizes` has how many rows the table of each part has."""
    if len(parts) < 2:
        return parts[0] if parts else Entries()

    joined: dict[Hashable, list[Column]] = {}
    contexts, models = list[Address](), list[str]()
    num_numbers = num_rows = 0
    for part, size in zip(parts, sizes, strict=True):
        for column in part.columns:
            moved = replace(
                column,
                places=column.places + num_numbers,
                rows=column.rows + num_rows,
                context_codes=column.context_codes + len(contexts),
                model_codes=column.model_codes + len(models),
            )
            joined.setdefault((column.head, type(column.numbers)), []).append(moved)

        contexts += part.contexts
        models += part.models
        num_numbers += len(part)
        num_rows += size

    columns = tuple(Column.join(alike) for alike in joined.values())
    return Entries(columns, contexts, models)


def _read_value(text: str) -> float:
    """Read a number as written, without its unit; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        pass

    try:
        return parse_value(re.sub(UNIT, "", text)).value
    except DataError:
        return math.nan


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of a file that a reader left out."""

    line: int | None  # counted from 1; None for the file as a whole
    what: str  # the cell, key or line, as written
    reason: str  # half a sentence


class Part(NamedTuple):
    """A file, or a sheet, of several that were read together."""

    name: str  # for messages
    start: int  # its first row


Layout = Literal["wide", "long"]
"""A row holds several metrics, each in its own column ("wide"), or one number ("long")."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a results file."""

    name: str  # the file's name, for messages
    form: str  # a key of rankconst.results.formats.FORMATS
    layout: Layout
    columns: tuple[str, ...]  # the original columns, in order
    # Column to original cell; a file that is not a table has a row for each number.
    rows: Sequence[Mapping[str, str]]
    entries: Entries  # in the order of the file
    skipped: tuple[Skipped, ...] = ()
    tool: str | None = None  # the tool that writes such files, a key of rankconst.catalogue.tools
    understood: str = ""  # how the file was understood, where it leaves that open: half a sentence
    # True if rows are objects of a file that is not a table: an empty cell is a key that its object
    # does not have.
    of_objects: bool = False
    joined: tuple[Part, ...] = ()  # the files that it is made of, if several

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files that it is made of."""
        return self.joined or (Part(self.name, 0),)

    @property
    def part_of(self) -> Indices:
        """The place in :attr:`parts` of each entry."""
        starts = np.array([part.start for part in self.parts])
        places: Indices = np.searchsorted(starts, self.entries.rows, side="right") - 1
        return places

    @property
    def has_evidence(self) -> bool:
        """True if the file can confirm its protocol itself, by adjusted values or counts of ranks.

        MRR 0.33 next to its adjusted value 0.3299 fits only tasks with that expectation.
        """
        counted = any(context.num_tasks is not None for context in self.entries.contexts)
        return counted or self.has_checkable_numbers

    @property
    def has_checkable_numbers(self) -> bool:
        """True if a column has adjusted values, such as AMRI, or numbers of ranks."""
        heads = self.entries.heads
        return any(head.adjustment is not None or head.metric.scale == "count" for head in heads)

    def locate(self, place: int) -> tuple[str, int | None]:
        """Return the file and the line of an entry."""
        number = int(self.entries.lines[place])
        line = None if number == NO_LINE else number
        return self.name_part(int(self.entries.rows[place])), line

    def name_part(self, row: int) -> str:
        """Return the file, or the sheet, that a row is from."""
        return next(part.name for part in self.parts[::-1] if part.start <= row)

    def cells(self, column: str) -> Sequence[str]:
        """Return the cells of a column."""
        if isinstance(self.rows, Rows):
            return self.rows.columns[column]
        return [row.get(column, "") for row in self.rows]

    def __repr__(self) -> str:
        return f"Reading({self.name}: {len(self.entries):,} numbers, read as {self.form})"


class Collector:
    """Collects the numbers of a file that is not a table: each has a row of its own."""

    def __init__(self) -> None:
        self._rows: list[Mapping[str, str | None]] = []
        self._entries: list[Entry] = []
        self._skipped: list[Skipped] = []

    def add(
        self,
        metric: Metric,
        text: str,
        line: int | None,
        context: Address,
        row: Mapping[str, str | None],
        *,
        adjustment: str | None = None,
        exact: bool = True,
    ) -> None:
        """Add a number with its row, column to cell, in which ``value`` is to be `text`."""
        entry = Entry(
            metric=metric,
            text=text,
            row=len(self._rows),
            column="value",
            line=line,
            context=context,
            adjustment=adjustment,
            exact=exact,
        )
        self._entries.append(entry)
        self._rows.append(row)

    def skip(self, line: int | None, what: str, reason: str) -> None:
        """Note a part that is left out, and why: ``skip(3, "Hits@x", "x is not a number")``."""
        self._skipped.append(Skipped(line, what, reason))

    def collect(self, document: Document, form: str, tool: str | None) -> Reading:
        """Return a reading of the numbers that were added, without empty columns."""
        keys = dict.fromkeys(key for row in self._rows for key in row)
        filled = {}
        for key in keys:
            cells = [row.get(key) or "" for row in self._rows]
            if any(cells):
                filled[key] = cells

        entries, skipped = make_entries(self._entries), tuple(self._skipped)
        return Reading(
            name=document.name,
            form=form,
            layout="long",
            columns=tuple(filled),
            rows=Rows(filled, len(self._rows)),
            entries=entries,
            skipped=skipped,
            tool=tool,
            of_objects=True,
        )


@dataclass(frozen=True, slots=True)
class Reader:
    """A format of results files, as an entry of the registry."""

    key: str  # the name by which users choose it
    # Tells whether a document looks like it, without reading all of it.
    recognise: Callable[[Document], bool]
    read: Callable[[Document], Reading]  # raises DataError with the place and a remedy
    tool: str | None = None  # the key of the tool that writes it, if it is that of one
    # The most characters that are read, for a format that takes many times as much memory.
    most: int | None = None


_MOST_PLACES = 10  # that are listed for one reason
_LONGEST_SKIPPED = 80  # of what was left out, in characters


class Notes:
    """Collects the parts that a reader leaves out: the first few of each reason, and a count."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._skipped: list[Skipped] = []

    def add(self, line: int | None, what: str, reason: str) -> None:
        """Add a cell, a heading or a line with the reason, as half a sentence."""
        self._counts[what, reason] += 1
        if self._counts[what, reason] <= _MOST_PLACES:
            self._skipped.append(Skipped(line, what[:_LONGEST_SKIPPED], reason))

    def skipped(self) -> tuple[Skipped, ...]:
        """Return the parts in the order they were added, then "..., in 5 more places"."""
        more = [
            Skipped(
                None, what[:_LONGEST_SKIPPED], f"{reason}, in {count - _MOST_PLACES:,} more places"
            )
            for (what, reason), count in self._counts.items()
            if count > _MOST_PLACES
        ]
        return (*self._skipped, *more)


def require_complete(reading: Reading) -> None:
    """Raise DataError if anything in a file was left out, naming the first reasons."""
    if not reading.skipped:
        return

    what, rest = "nothing", ""
    if len(reading.entries):
        what = "not everything"
        rest = ", or read the rest without --strict (in Python: strict=True)"

    raise DataError(
        f"{reading.name}: {what} can be read ({len(reading.skipped):,} left out): "
        f"{name_reasons(reading.skipped)}. Fix it{rest}."
    )


_MOST_REASONS = 3  # in a message


def name_reasons(skipped: Iterable[Skipped]) -> str:
    """Join the first distinct reasons, each with the first place that it applies to.

    The result has no full stop, and says how many other reasons there are.
    """
    reasons: dict[str, str] = {}
    for part in skipped:
        line = "" if part.line is None else f"line {part.line:,}: "
        reasons.setdefault(part.reason, f"{line}{part.what}: {part.reason.removesuffix('.')}")

    named = list(reasons.values())[:_MOST_REASONS]
    others = len(reasons) - len(named)
    if others:
        named.append(f"and {count_of(others, 'other reason')}")

    return "; ".join(named)


ADJUST_RANKS = "In Python, rankconst.adjust(rankconst.from_ranks(ranks), dataset=...) takes ranks."
"""What to do with a file that holds ranks, and no metrics of them."""

_MOST_SHOWN = 8  # digits
_MOST_ROUNDED = 7  # a number with more digits than this was not rounded for print
_FLOAT_ERROR = 1e-3  # a smaller remainder behind these digits is the error of a float
# The first number of a text, with separators of thousands.
_MANTISSA = re.compile(r"[0-9][0-9.,{}\u2009\u202f]*")


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of a file with the interval of values that are printed like it."""

    entry: Entry
    value: float  # in units of the metric: percentages are divided by 100
    interval: Interval  # half a unit of the last decimal to either side, the part after ±, NOISE
    averaged: bool = False  # True if ± says that it is a mean over several runs
    written: Interval | None = None  # `interval` without NOISE; None if there is no number

    @property
    def label(self) -> str:
        """Its usual name: ``Hits@10``, ``AMRI``, or ``z of IMdR``, for which there is none."""
        metric, adjustment = self.entry.metric, self.entry.adjustment
        if adjustment is None:
            return metric.label
        return metric.name_of(adjustment) or f"{adjustment} of {metric.label}"

    def __str__(self) -> str:
        half_width, text = self.interval.half_width, self.entry.text
        if math.isnan(self.value):
            return f"{self.label} {text}"

        if half_width > 2 * NOISE * abs(self.value):
            decimals = max(1 - math.floor(math.log10(half_width)), 1)
            lower, upper = (f"{end:.{decimals}f}".rstrip("0").rstrip(".") for end in self.interval)
            return f"{self.label} {text} ({lower} to {upper})"

        if count_digits(text) <= _MOST_SHOWN and parse_value(text).value == self.value:
            return f"{self.label} {text}"
        return f"{self.label} {self.value:.{_MOST_SHOWN}g}"


def measure(entry: Entry, *, percent: bool = False, in_full: bool = True) -> Measured:
    """Read a number with the interval of values that it may stand for: 0.33 is 0.325 to 0.335.

    `percent` says that shares, such as Hits@10, are percentages. `in_full` says that programs write
    all digits, so that an exact number was not rounded. Raises DataError for text.
    """
    metric, exact = entry.metric, entry.exact and in_full
    percent = percent and metric.is_share
    shift = 0.0
    if entry.adjustment is None:
        published = read_published(metric, entry.text, percent=percent, exact=exact)
        # Some tools count ranks from 0, so that their MR is 1 less.
        tool = load_tools().get(entry.context.tool or "")
        shift = 0.0 if tool is None else tool.shifts.get(metric.label, 0.0)
    else:
        in_percent = percent and entry.adjustment == "index"
        published = parse_value(entry.text, percent=in_percent, exact=exact)

    slack = NOISE * abs(published.value)
    interval = Interval(published.lower - slack + shift, published.upper + slack + shift)
    averaged = published.deviation is not None
    written = Interval(published.lower + shift, published.upper + shift)
    return Measured(entry, published.value + shift, interval, averaged, written)


def are_in_full(entries: Iterable[Entry]) -> bool:
    """Tell whether a program wrote its numbers in full, as one of more than seven digits shows."""
    return any(count_digits(entry.text) > _MOST_ROUNDED for entry in entries)


def count_digits(text: str) -> int:
    """Count the significant digits of a number as written, without its deviation."""
    mantissa = _MANTISSA.search(text)
    if mantissa is None:
        return 0
    return len(re.sub("[^0-9]", "", mantissa[0]).lstrip("0"))


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers of one evaluation: of one model, on the same tasks, under one tie policy."""

    entries: tuple[Entry, ...]  # in the order of the file, adjusted values included

    @property
    def context(self) -> Address:
        """The address of all of them."""
        return self.entries[0].context

    @property
    def rows(self) -> tuple[int, ...]:
        """Indices into Reading.rows, ascending."""
        return tuple(sorted({entry.row for entry in self.entries}))

    @property
    def label(self) -> str:
        """The names that tell the group from others: ``RotatE, FB15k-237, test``; may be empty."""
        address = self.context
        evaluated = (address.model, address.dataset, address.split, address.side)
        names = (*evaluated, address.rank_type, address.protocol)
        return ", ".join(name for name in names if name)


def group_entries(reading: Reading) -> list[Group]:
    """Group the entries of one evaluation with one address, in the order of the file.

    Metrics of several right answers are left out: only their names are known.
    """
    groups: dict[Hashable, list[Entry]] = {}
    evaluations = number_evaluations(reading).tolist()
    models = name_models(reading)
    for evaluation, entry, model in zip(evaluations, reading.entries, models, strict=True):
        if not isinstance(entry.metric, AnswersMetric):
            context = replace(entry.context, model=model or None)
            groups.setdefault((evaluation, context), []).append(entry._replace(context=context))

    return [Group(tuple(entries)) for entries in groups.values()]


def name_models(reading: Reading) -> list[str]:
    """Name the model of each entry, as its row does or its heading; empty where neither does.

    In a row "ensemble" below "TransE MRR" and "RotatE MRR", the models are "ensemble TransE" and
    "ensemble RotatE".
    """
    entries = reading.entries
    models = [entries.models[code] for code in entries.model_codes.tolist()]
    in_headings = _name_heading_models(reading)
    if in_headings is None:
        return models
    names = [in_headings.names[code] for code in in_headings.codes.tolist()]
    return [f"{model} {name}".strip() for model, name in zip(models, names, strict=True)]


def name_datasets(reading: Reading) -> list[str]:
    """Name the dataset of each row; empty if its numbers have none, or several."""
    entries = reading.entries
    of_rows = np.full(len(reading.rows), "", dtype=object)
    names = np.array([context.dataset or "" for context in entries.contexts], dtype=object)
    of_entries = names[entries.context_codes]
    of_rows[entries.rows] = of_entries
    # The last number of a row named it: empty it where another one of the row disagrees.
    of_rows[entries.rows[of_rows[entries.rows] != of_entries]] = ""
    return list(of_rows)


class Grouping(NamedTuple):
    """The group of each entry by a property, such as its model."""

    codes: Indices  # index into `names`, for each entry
    names: Sequence[Hashable]


def _name_heading_models(reading: Reading) -> Grouping | None:
    """Group entries by the models in their headings, such as ``TransE MRR`` and ``RotatE MRR``.

    Headings name models only where a row has a metric twice. Return None if no row has.
    """
    entries = reading.entries
    kind_of, kinds = factorize((head.metric, head.adjustment) for head in entries.heads)
    columns = {(head.metric, head.adjustment, head.column) for head in entries.heads}
    if reading.layout == "long" or len(kinds) == len(columns):
        return None

    row_of = pair_codes(entries.rows, entries.context_codes, len(entries.contexts))
    if reading.of_objects:
        row_of = pair_codes(row_of, entries.model_codes, len(entries.models))

    number_of = pair_codes(row_of, kind_of[entries.head_codes], len(kinds))
    is_repeated = np.bincount(number_of)[number_of] > 1
    if not is_repeated.any():
        return None

    heads = np.unique(entries.head_codes[np.isin(row_of, row_of[is_repeated])])
    names = [cut_metric(head.column, head.metric, head.adjustment) for head in entries.heads]
    name_of, distinct = factorize(["", *names])  # so that code 0 is the empty name
    is_named = np.isin(entries.head_codes, heads)
    return Grouping(np.where(is_named, name_of[1:][entries.head_codes], 0), distinct)


def number_addresses(entries: Entries) -> tuple[Indices, list[Address]]:
    """Return a code for each entry, the index of its address, and the distinct addresses.

    Rank types do not count: entries on the same ranking tasks have one address.
    """
    code_of, addresses = factorize(replace(context, rank_type=None) for context in entries.contexts)
    return code_of[entries.context_codes], addresses


def number_evaluations(reading: Reading, *, by_ties: bool = True) -> Indices:
    """Return a code for each entry, the same for those of one evaluation.

    Evaluations differ in their rows of a wide table, or in a grouping of :func:`list_groupings`.
    """
    entries = reading.entries
    codes = np.zeros(len(entries), dtype=np.intp) if reading.layout == "long" else entries.rows
    for grouping in list_groupings(reading, by_ties=by_ties):
        codes = pair_codes(codes, grouping.codes, len(grouping.names))
    return codes


def list_groupings(reading: Reading, *, by_ties: bool = True) -> list[Grouping]:
    """List what tells evaluations apart besides the rows of a wide table, such as models."""
    entries = reading.entries
    groupings = []
    if reading.layout == "long":
        for column in _list_naming(reading, by_ties=by_ties):
            cell_of, cells = factorize_cells(reading.cells(column))
            groupings.append(Grouping(cell_of[entries.rows], cells))

    if reading.layout == "long" or reading.of_objects:
        model_codes, models = factorize(entries.models)
        if len(models) > 1:
            groupings.append(Grouping(model_codes[entries.model_codes], models))

    if by_ties:
        type_of, rank_types = factorize(context.rank_type for context in entries.contexts)
        if len(rank_types) > 1:
            groupings.append(Grouping(type_of[entries.context_codes], rank_types))

    in_headings = _name_heading_models(reading)
    if in_headings is not None:
        groupings.append(in_headings)

    return groupings


# Roles of columns that tell the numbers of one evaluation apart.
_OF_ONE_NUMBER = {"metric", "value", "k"}
# Roles of cells that name a number, whatever their column is called.
_NAMES_NUMBER = {"measured", "num_tasks"}


def _list_naming(reading: Reading, *, by_ties: bool) -> list[str]:
    """List the columns of a long table that tell evaluations apart, such as model and split."""
    entries = reading.entries
    if not len(entries):
        return []

    excluded = _OF_ONE_NUMBER if by_ties else {*_OF_ONE_NUMBER, "rank_type"}
    numbers = {head.column for head in entries.heads}
    first = int(entries.rows[0])
    names = []
    for column in reading.columns:
        if column in numbers or read_label(column).role in excluded:
            continue
        if read_label(reading.cells(column)[first]).role not in _NAMES_NUMBER:
            names.append(column)

    return names
