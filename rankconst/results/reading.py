"""What readers return: the original table, and every number that was found in it."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rankconst.constants.published import Interval, parse_value, read_published
from rankconst.results.evaluation import NOTHING, Stated
from rankconst.results.tables.columns import parse_column

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document
    from rankconst.results.evaluation import Stated


@dataclass(frozen=True, slots=True)
class Entry:
    """One number of a results file.

    Attributes
    ----------
    metric
        The metric; its k set where it takes one.
    text
        The number as written, markup removed.
    row
        The index into :attr:`Reading.rows` of the row that it stands in.
    column
        The key of that row that it stands under.
    line
        The line of the file, counted from 1; None where there are no lines to speak of.
    context
        What the file says about it.
    adjustment
        None for the metric's own value; ``normalised``, ``index`` or ``z`` for one that was adjusted already.
    exact
        True if a program wrote every digit; False if the number was rounded for print.
    """

    metric: Metric
    text: str
    row: int
    column: str
    line: int | None
    context: Stated = NOTHING
    adjustment: str | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """What a reader left out.

    Attributes
    ----------
    line
        Where, counted from 1; None for the file as a whole.
    what
        The cell, key or line, as written.
    why
        The reason, as half a sentence.
    """

    line: int | None
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a results file.

    Attributes
    ----------
    name
        The file's name, for messages.
    form
        The key of the format, in :data:`rankconst.results.formats.READERS`.
    layout
        ``wide``: a row holds several metrics, each under its own column; ``long``: a row holds one number.
    columns
        The original columns, in order.
    rows
        The original cells, a mapping from column to text for each row; of a file that is no table, one row is made
        for each number.
    entries
        Every number found, in the order of the file.
    skipped
        What was left out, and why.
    source
        The tool that writes such files, where the format is of one tool; see :mod:`rankconst.catalogue.tools`.
    tolerant
        True for a collection by many hands: a number that cannot be is left out with its reason, and does not make the
        whole file doubtful.
    """

    name: str
    form: str
    layout: Literal["wide", "long"]
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...] = field(default=())
    tool: str | None = None
    tolerant: bool = False


def make_reading(
    document: Document,
    form: str,
    layout: Literal["wide", "long"],
    rows: Sequence[Mapping[str, str]],
    entries: Iterable[Entry],
    *,
    skipped: Iterable[Skipped] = (),
    tool: str | None = None,
    tolerant: bool = False,
) -> Reading:
    """Put together what was found in a file that is no table.

    Parameters
    ----------
    document
        The file.
    form, layout, entries, skipped, source, tolerant
        As in :class:`Reading`.
    rows
        The cells of each row, whichever it has. The columns are those that any row fills, in the order in which rows
        name them first; each row of the reading has exactly these.
    """
    filled = {key for row in rows for key, cell in row.items() if cell}
    columns = tuple(key for key in dict.fromkeys(key for row in rows for key in row) if key in filled)
    aligned = tuple({key: row.get(key, "") for key in columns} for row in rows)
    return Reading(document.name, form, layout, columns, aligned, tuple(entries), tuple(skipped), tool, tolerant)


@dataclass(frozen=True, slots=True)
class Reader:
    """A format of results files.

    Attributes
    ----------
    key
        What users type to force it.
    title
        What it is, in a few words.
    recognise
        Tells whether a document looks like it, without reading all of it.
    read
        Reads a document, or raises :class:`DataError` with the place and a remedy.
    """

    key: str
    title: str
    recognise: Callable[[Document], bool]
    read: Callable[[Document], Reading]


_EACH = 10
_LONGEST = 80


class Notes:
    """What was left out so far."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._kept: list[Skipped] = []

    def add(self, line: int | None, what: str, why: str) -> None:
        """Note a cell, a heading or a line with the reason, as half a sentence."""
        self._counts[what, why] += 1
        if self._counts[what, why] <= _EACH:
            self._kept.append(Skipped(line, what[:_LONGEST], why))

    def skipped(self) -> tuple[Skipped, ...]:
        """Return them in order, with the number of further places behind."""
        more = [
            Skipped(None, what[:_LONGEST], f"{why}, in {count - _EACH:,} more places")
            for (what, why), count in self._counts.items()
            if count > _EACH
        ]
        return (*self._kept, *more)


NOISE = 1e-6
"""What is granted to every number, relative to it: many programs sum tens of thousands of ranks in float32, whose own
unit is 6e-8. Beside a rounding to five digits or fewer it does not matter."""

# Nobody rounds to more digits than this.
_MOST_ROUNDED = 7
# The first number of a text, with what may set its thousands apart.
_MANTISSA = re.compile(r"[0-9][0-9.,{}\u2009\u202f]*")


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of a file with the interval that it leaves open.

    Attributes
    ----------
    entry
        Where it stands, and of which metric it is.
    value
        In units of the metric: percentages are divided by 100.
    interval
        Half a unit of the last decimal to either side, what stands after ±, and :data:`NOISE`.
    averaged
        True if ± says that it is a mean over several runs.
    """

    entry: Entry
    value: float
    interval: Interval
    averaged: bool = False

    @property
    def label(self) -> str:
        """What people call it: ``Hits@10``, ``AMRI``, ``z of IMdR``."""
        return name_entry(self.entry)

    def __str__(self) -> str:
        open_by = self.interval.half_width
        if math.isnan(self.value):
            return f"{self.label} {self.entry.text}"
        if open_by <= 2 * NOISE * abs(self.value):
            return f"{self.label} {self.value:.8g}"
        decimals = max(1 - math.floor(math.log10(open_by)), 1)
        lower, upper = (f"{end:.{decimals}f}".rstrip("0").rstrip(".") for end in self.interval)
        return f"{self.label} {self.entry.text} ({lower} to {upper})"


def measure(entry: Entry, *, percent: bool = False, in_full: bool = True) -> Measured:
    """Read a number of a file.

    Parameters
    ----------
    entry
        The number as written.
    percent
        True if shares, and indices of shares, are percentages though no sign says so.
    in_full
        False if the program that wrote it may have rounded before; see :func:`are_in_full`.

    Raises
    ------
    DataError
        If it is no number, or a percentage of a metric that is no share.
    """
    metric, exact = entry.metric, entry.exact and in_full
    percent = percent and metric.is_share
    if entry.adjustment is None:
        published = read_published(metric, entry.text, percent=percent, exact=exact)
    else:
        published = parse_value(entry.text, percent=percent and entry.adjustment == "index", exact=exact)
    slack = NOISE * abs(published.value)
    interval = Interval(published.lower - slack, published.upper + slack)
    return Measured(entry, published.value, interval, averaged=published.deviation is not None)


def are_in_full(entries: Iterable[Entry]) -> bool:
    """Tell whether the program that wrote some numbers wrote them in full: if one is, so are all."""
    return any(count_digits(entry.text) > _MOST_ROUNDED for entry in entries)


def count_digits(text: str) -> int:
    """Count the significant digits of a number as written; zeros at its end count, what stands after ± does not.

    Examples
    --------
    >>> count_digits("0.3375+-0.01"), count_digits("3,340"), count_digits("1.20e-05")
    (4, 4, 3)
    """
    found = _MANTISSA.search(text)
    return 0 if found is None else len(re.sub("[^0-9]", "", found[0]).lstrip("0"))


def name_entry(entry: Entry) -> str:
    """Name what an entry is: ``AMRI``, or ``index of IGMR`` where the field has no name."""
    metric = entry.metric
    if entry.adjustment is None:
        return metric.label
    return metric.name_of(entry.adjustment) or f"{entry.adjustment} of {metric.label}"


_OF_ONE_NUMBER = {"metric", "value", "k"}


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers of one evaluation: one model on one set of ranking tasks, with one tie policy, at one time.

    Attributes
    ----------
    entries
        In the order of the file, adjusted values among them.
    context
        What the file says about all of them.
    rows
        The indices into :attr:`Reading.rows` of the rows that they stand in, ascending.
    label
        What tells the group from others, for messages: ``RotatE, FB15k-237, test``; empty if nothing does.
    """

    entries: tuple[Entry, ...]
    context: Stated
    rows: tuple[int, ...]
    label: str


def group_entries(reading: Reading) -> list[Group]:
    """Gather the entries of each evaluation.

    In a wide table these are the entries of a row that the file says the same about. In a long one they are those
    whose rows agree in every cell but those that tell one number from another: the metric, its k and its value.

    Returns
    -------
    list of Group
        In the order of their first entries.
    """
    found: dict[Hashable, list[Entry]] = {}
    for entry in reading.entries:
        # Two rows that agree in all cells are two evaluations in a wide table, and one in a long one.
        place = entry.row if reading.layout == "wide" else _list_others(reading.rows[entry.row], entry.column)
        found.setdefault((place, entry.context), []).append(entry)
    return [
        Group(tuple(entries), entries[0].context, tuple(sorted({entry.row for entry in entries})), _label(entries[0]))
        for entries in found.values()
    ]


def _list_others(row: Mapping[str, str], column: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, cell) for name, cell in row.items() if name != column and not _tells_number(name, cell))


def _tells_number(name: str, cell: str) -> bool:
    """Tell whether a cell of a long table says which number stands there, not which evaluation it is of."""
    heading, content = parse_column(name), parse_column(cell)
    measured = content is not None and content.role in {"measured", "num_tasks"}
    return measured or (heading is not None and heading.role in _OF_ONE_NUMBER)


def _label(entry: Entry) -> str:
    context = entry.context
    parts = (context.model, context.dataset, context.split, context.side, context.rank_type, context.protocol)
    return ", ".join(part for part in parts if part)
