"""Write a document anew with adjusted numbers: only the numbers and their headings change.

To replace MRR by AMRR turns the heading MRR into AMRR, and each number below it into its index. A
table with a question stays as published.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from rankconst.catalogue.baselines import BASELINES
from rankconst.catalogue.metrics import parse_adjusted_metric
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.results.labels import find_name, read_label
from rankconst.results.tables import latex, markdown
from rankconst.results.tables.cells import Placed
from rankconst.values.affine import ADJUSTMENTS
from rankconst.values.published import DIGITS, UNIT, has_unit, parse_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.adjusted import AdjustedEntry, AdjustedReading
    from rankconst.results.document import Document
    from rankconst.results.reading import Entry, Reading
    from rankconst.results.tables.cells import Row
    from rankconst.results.tables.near import Printed
    from rankconst.values.published import Published


BOTH, SKILL = "both", "skill"
"""Words for an exchange that are not the name of a form."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The numbers that are replaced, and the adjusted form in their place."""

    form: str
    key: str | None = None  # of the metric, or of all Hits@k; None for all metrics
    beside: bool = False  # True to write the published number and its index
    baseline: str | None = None  # that skill is over; None for chance

    def fits(self, metric: Metric) -> bool:
        """Tell whether numbers of a metric are replaced."""
        return self.key in {None, metric.key, metric.family}

    def name(self, metric: Metric) -> str:
        """Return the name of the numbers in place of those of a metric: AMRR for MRR."""
        if self.baseline is not None:
            form = SKILL if self.form == "index" else self.form
            return f"{metric.label} {form} ({self.baseline})"
        return metric.name_of(self.form) or f"{self.form} {metric.label}"


_EXCHANGES_OVER_BASELINE = {
    SKILL: Exchange("index"),
    "z": Exchange("z"),
    BOTH: Exchange("index", beside=True),
}


def parse_exchange(name: str, baseline: str | None = None) -> Exchange:
    """Parse the name of an exchange, which says what replaces which numbers.

    ``AMRR`` replaces each MRR by its index, ``AH@k`` all Hits@k, ``z`` every number by its z score.
    ``both`` puts the index next to the number, ``skill`` needs a `baseline`. Raises
    UnknownNameError for an unknown name, and UsageError if it does not go with the baseline.
    """
    plain = name.strip().lower()
    if baseline is not None:
        if plain not in _EXCHANGES_OVER_BASELINE:
            raise UsageError(
                f"{name} means chance; against the {baseline} baseline replace numbers by "
                f"{', '.join(_EXCHANGES_OVER_BASELINE)}."
            )
        return replace(_EXCHANGES_OVER_BASELINE[plain], baseline=baseline)
    if plain == SKILL:
        raise UsageError(
            "skill over which baseline? Name it by --baseline; over chance it is --replace index."
        )
    if plain in {BOTH, *ADJUSTMENTS}:
        return _EXCHANGES_OVER_BASELINE.get(plain, Exchange(plain))

    is_family = plain.endswith("@k")
    # Any k will do: of AH@10, only the family is used.
    spelling = f"{name.strip()[:-1]}10" if is_family else name
    try:
        metric, form = parse_adjusted_metric(spelling)
    except UnknownNameError:
        raise UnknownNameError(
            f"unknown adjusted metric {name!r}. Expected an adjusted metric, such as AMRR, AMRI, "
            f"AH@10, AH@k or ZMRR, or for all metrics {', '.join(ADJUSTMENTS)}, or {BOTH}: "
            "the published number and its index."
        ) from None

    key = metric.family if is_family else metric.key
    return Exchange(form, key)


def _find_exchange(metric: Metric, exchanges: Iterable[Exchange]) -> Exchange | None:
    """Find the first exchange that is for a metric; None if there is none."""
    return next((exchange for exchange in exchanges if exchange.fits(metric)), None)


def choose_metrics(reading: Reading, exchanges: Iterable[Exchange]) -> list[Metric]:
    """List the metrics of a file that an exchange is for; DataError if there is none."""
    metrics = dict.fromkeys(entry.metric for entry in reading.entries if entry.adjustment is None)
    chosen = [metric for metric in metrics if _find_exchange(metric, exchanges)]
    if not chosen:
        labels = ", ".join(metric.label for metric in metrics)
        raise DataError(
            f"{reading.name} has no numbers to replace; its metrics are {labels or 'none'}."
        )
    return chosen


# The places of numbers.

_NUMBER_LITERAL = re.compile(
    rf"(?:(?<![A-Za-z\d.\-])|(?<=\\pm))(?>{DIGITS})(?![A-Za-z\d])", re.ASCII
)


class Passage(NamedTuple):
    """A number or a name in a document, or what is to be put in its place."""

    start: int
    end: int
    text: str

    @property
    def digits(self) -> str:
        """The number without separators of thousands."""
        return re.sub(r"[^\d.]", "", self.text)

    @property
    def decimals(self) -> int:
        """How many decimals it is written with."""
        return len(self.digits.partition(".")[2])


def _find_numbers(text: str, start: int, end: int) -> list[Passage]:
    """Find the numbers in a part of a text."""
    literals = _NUMBER_LITERAL.finditer(text, start, end)
    return [Passage(*literal.span(), literal[0]) for literal in literals]


def locate(document: Document, reading: Reading) -> dict[int, tuple[Passage, ...]]:
    """Map the indices of entries to where their value and deviation are in the document.

    For the cell "0.33 ± .01" these are 0.33 and .01. An entry is left out if its digits are not in
    its cell, or more than once.
    """
    located: dict[int, tuple[Passage, ...]] = {}
    for place, entry in enumerate(reading.entries):
        cell = reading.rows[entry.row][entry.column]
        if not isinstance(cell, Placed):  # read from a block of code
            continue
        spans = _find_numbers(document.text, cell.start, cell.end)
        digits = [number.digits for number in _find_numbers(entry.text, 0, len(entry.text))]
        fitting = []
        for i in range(len(spans)):
            run = spans[i : i + len(digits)]  # neighbours in the cell
            if [span.digits for span in run] == digits:
                fitting.append(run)

        if len(fitting) == 1:
            located[place] = tuple(fitting[0])

    return located


# The names of metrics above numbers.

_HITS_STEM = re.compile(r"(?:Hits?|H)\s?@?", re.IGNORECASE)  # Hits@ above its k


class _CellPosition(NamedTuple):
    """The table, the row and the column of a cell."""

    table: int
    row: int
    column: int


class _Name(NamedTuple):
    """A cell that names a metric, or ``Hits@`` above its k."""

    row: int
    cell: Placed
    plain: str
    metric: Metric | None

    def fits(self, metric: Metric) -> bool:
        """Tell whether it names a metric."""
        return self.metric == metric or (self.metric is None and metric.label.startswith("Hits@"))


class _CellIndex:
    """The cells of a document by their places, and the names of metrics among them.

    In the first table, with the rows "Model, MRR" and "TransE, 0.3", the cell 0.3 has the site
    (table 0, row 1, column 1), and column 1 has the name MRR.
    """

    def __init__(self, tables: Sequence[Printed]) -> None:
        # Maps where a cell begins in the document, which is never the same for two, to its site.
        self._sites: dict[int, _CellPosition] = {}
        # Maps table and column to the names in it, from the top.
        self._names: dict[tuple[int, int], list[_Name]] = defaultdict(list)
        for table, printed in enumerate(tables):
            for i, row in enumerate(printed.rows):
                for column, cell in enumerate(row.cells):
                    if _is_placed(cell):
                        self._sites[cell.start] = _CellPosition(table, i, column)
                for column, name in enumerate(_list_names(i, row)):
                    if name is not None:
                        self._names[table, column].append(name)

    def find(self, cell: str) -> _CellPosition | None:
        """Return the site of a cell; None if it is not in the document."""
        return self._sites.get(cell.start) if isinstance(cell, Placed) else None

    def find_name(self, site: _CellPosition, metric: Metric) -> _Name | None:
        """Find the cell that names a metric, the nearest above a position or one to its left."""
        names = [name for name in self._names[site.table, site.column] if name.row < site.row]
        names.reverse()
        for j in range(site.column):  # as in a long table
            names += [name for name in self._names[site.table, j] if name.row == site.row]
        return next((name for name in names if name.fits(metric)), None)


def _is_placed(cell: str) -> TypeGuard[Placed]:
    """Tell whether a cell has a text and a place in the document."""
    return isinstance(cell, Placed) and bool(cell)


def _list_names(i: int, row: Row) -> list[_Name | None]:
    """Return for each column of a row the metric or ``Hits@`` that spans it, or None."""
    names: list[_Name | None] = []
    name, end = None, 0
    for j, (cell, plain) in enumerate(zip(row.cells, row.plain, strict=True)):
        if _is_placed(cell):
            metric = read_label(plain).metric
            is_name = metric is not None or _HITS_STEM.fullmatch(plain) is not None
            name = _Name(i, cell, plain, metric) if is_name else None
            end = len(row.cells) if row.spans is None else j + row.spans.get(j, 1)
        is_below = j < end
        names.append(name if is_below else None)

    return names


# The exchange.


class Note(NamedTuple):
    """A number or a heading that stays as it is."""

    line: int
    reason: str


class _Markup(NamedTuple):
    """A format of documents that can be rewritten."""

    begin: str  # of a comment
    end: str
    find_tables: Callable[[Document], list[Printed]]


MARKUPS = {
    "latex": _Markup("% ", "", latex.find_tables),
    "markdown": _Markup("<!-- ", " -->", markdown.find_tables),
}
"""The formats of documents that can be rewritten, by their keys."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A document with its numbers replaced."""

    source: str
    replaced: int
    notes: tuple[Note, ...]


class Cell(NamedTuple):
    """A number that is replaced."""

    entry: Entry
    spans: tuple[Passage, ...]
    site: _CellPosition
    value: float  # adjusted, in the unit of the table
    scale: float  # the factor of a deviation
    exchange: Exchange


def rewrite(
    document: Document,
    adjusted: AdjustedReading,
    exchanges: Sequence[Exchange],
    *,
    percent: bool = False,
    command: str = "",
) -> Rewritten:
    """Replace the numbers of a document, and note those that cannot be replaced.

    `percent` says that shares are percentages. The comment on top quotes `command`. Raises
    UsageError for a format that cannot be rewritten, and DataError if nothing is replaced.
    """
    markup = MARKUPS.get(adjusted.reading.form)
    if markup is None:
        raise UsageError(
            f"{document.name} is read as {adjusted.reading.form}; "
            f"numbers are replaced in {' and '.join(MARKUPS)} only. "
            "Leave out --replace to get the adjusted numbers as a table."
        )

    sheets = _CellIndex(markup.find_tables(document))
    cells, notes = _choose_cells(document, adjusted, exchanges, sheets, percent=percent)
    if not cells:
        reasons = "; ".join(dict.fromkeys(note.reason for note in notes[:3]))
        raise DataError(
            f"{document.name}: no number can be replaced. "
            f"{reasons or 'None is of the metric asked for.'}"
        )

    edits: dict[Passage, None] = {}  # a number that several rows share is replaced once
    for cell, decimals in zip(cells, _settle_decimals(cells), strict=True):
        edits |= dict.fromkeys(_write_edits(cell, decimals, document.text))

    headings, unnamed = _rename_headings(document.text, adjusted.reading, cells, sheets)
    lines = _describe_adjustment(adjusted, cells, len(notes), command)
    top = [f"{markup.begin}{line}{markup.end}" for line in lines]
    source = _put_into_source(document, [*edits, *headings], top)
    replaced = len({cell.spans for cell in cells})
    return Rewritten(source, replaced, tuple(sorted([*notes, *unnamed])))


def _choose_cells(
    document: Document,
    adjusted: AdjustedReading,
    exchanges: Sequence[Exchange],
    sheets: _CellIndex,
    *,
    percent: bool,
) -> tuple[list[Cell], list[Note]]:
    """Choose the numbers to be replaced, and note why the rest stay."""
    spans_of = locate(document, adjusted.reading)
    numbers, rows = adjusted.entries, adjusted.reading.rows
    texts = [rows[number.entry.row][number.entry.column] for number in numbers]
    sites = [sheets.find(text) for text in texts]
    with_question = set[int]()  # tables
    for site, number in zip(sites, numbers, strict=True):
        if site is not None and number.adjusted is None and number.entry.context.questions:
            with_question.add(site.table)

    cells: list[Cell] = []
    notes: list[Note] = []
    for place, (text, site, number) in enumerate(zip(texts, sites, numbers, strict=True)):
        exchange = _find_exchange(number.entry.metric, exchanges)
        if exchange is None or number.entry.adjustment is not None:
            continue

        cell: Cell | str  # or why its number stays
        if _GAIN_NEXT_TO_NUMBER.search(text):
            cell = "the gain next to it would be of other numbers"
        elif site is not None and site.table in with_question:
            cell = "its table has a question"
        else:
            span = spans_of.get(place)
            cell = _make_cell(document.text, number, span, site, exchange, percent=percent)

        if isinstance(cell, Cell):
            cells.append(cell)
        else:
            notes.append(_note_unchanged(number.entry, cell))

    chosen, ambiguous = _split_ambiguous(cells)
    notes += [_note_unchanged(cell.entry, "one number for several rows") for cell in ambiguous]
    return chosen, notes


def _split_ambiguous(cells: Sequence[Cell]) -> tuple[list[Cell], list[Cell]]:
    """Divide numbers into those to replace and those of several rows with different adjustments."""
    values: dict[Passage, set[float]] = defaultdict(set)
    for cell in cells:
        values[cell.spans[0]].add(cell.value)

    chosen, ambiguous = list[Cell](), list[Cell]()
    for cell in cells:
        if len(values[cell.spans[0]]) == 1:
            chosen.append(cell)
        else:
            ambiguous.append(cell)

    return chosen, ambiguous


# A gain in the cell of a number: (+0.02), ↑0.02, $_{\\uparrow 0.02}$; 1e+04 has none.
_GAIN_NEXT_TO_NUMBER = re.compile(
    r"(?:(?<![eE])[+↑↓▲▼]|[(\[][-\u2212\u2013]|\\(?:up|down)arrow)[\s{}$]*\.?\d"
)


def _note_unchanged(entry: Entry, reason: str) -> Note:
    """Note that a number is not replaced."""
    return Note(entry.line or 0, f"{entry.column} stays as it is: {reason}")


_PERCENT_SIGN = re.compile(rf"[\s}}$*_]*+(?:</\w{{1,9}}>)*+\s*+(?P<sign>\\?{UNIT})")


def _make_cell(
    text: str,
    number: AdjustedEntry,
    spans: tuple[Passage, ...] | None,
    site: _CellPosition | None,
    exchange: Exchange,
    *,
    percent: bool,
) -> Cell | str:
    """Return the number to be replaced, or why it stays; unknown spans or sites are None."""
    entry = number.entry
    if number.adjusted is None or number.constants is None:
        return number.note or "you asked for other numbers"

    value = getattr(number.adjusted, exchange.form)
    if value is None:
        return f"its {exchange.form} is undefined here"

    written = parse_value(entry.text, percent=percent and entry.metric.is_share)
    if spans is None or site is None or not _are_all(spans, written):
        return "its place in the text is uncertain"

    scale = float(getattr(number.constants, exchange.form).scale)
    if exchange.form == "index":
        value /= written.unit
    elif written.unit != 1:
        if _PERCENT_SIGN.match(text, spans[-1].end) is not None or has_unit(entry.column):
            return f"{exchange.name(entry.metric)} is not a percentage; remove the sign"
        scale *= written.unit

    return Cell(entry, spans, site, value, scale, exchange)


def _are_all(spans: Sequence[Passage], written: Published) -> bool:
    """Tell whether the numbers in a document are a published one and its deviation, and no more."""
    value = float(spans[0].digits) * written.unit
    most = 1 if written.deviation is None else 2
    return len(spans) == most and math.isclose(value, abs(written.value))


def _settle_decimals(cells: Sequence[Cell]) -> list[int]:
    """Return how many decimals each cell is written with, the same for all of a column and form.

    They are the most that one of the numbers justifies.
    """
    decimals: dict[tuple[object, ...], int] = defaultdict(int)  # by column and form
    columns = [(cell.site.table, cell.entry.column, cell.exchange.form) for cell in cells]
    for column, cell in zip(columns, cells, strict=True):
        justified = _keep_decimals(cell.spans[0], cell.scale)
        decimals[column] = max(decimals[column], justified)
    return [decimals[column] for column in columns]


def _keep_decimals(span: Passage, scale: float) -> int:
    """Return how many decimals, at most 12, keep a scaled number as precise as it was."""
    return min(round(span.decimals - math.log10(abs(scale))), 12)


# Ends of the markup around a number: }$ of $0.241_{\pm .001}$.
_CLOSING_MARKUP = re.compile(rf"(?:\\?{UNIT}|[}})$\]*_]|</\w{{1,9}}>)+")


def _write_edits(cell: Cell, decimals: int, source: str) -> list[Passage]:
    """Return the edits that replace a number and its deviation, or put its index beside it."""
    value = re.sub(r"^-(?=[0.]*$)", "", f"{cell.value:.{decimals}f}")  # no -0.000
    if cell.exchange.beside:
        return [_write_beside(cell, _drop_zero(cell, value), source)]

    first, *others = cell.spans
    edits = [Passage(first.start, first.end, _drop_zero(cell, value))]
    for span in others:
        deviation = float(span.digits) * abs(cell.scale)
        in_brackets = source[span.start - 1] == "("
        # 0.533(2), in units of the last digit.
        if in_brackets and first.decimals and not span.decimals:
            text = f"{deviation * 10 ** (decimals - first.decimals):.0f}"
        else:
            text = f"{deviation:.{max(decimals, _keep_decimals(span, cell.scale))}f}"
        edits.append(Passage(span.start, span.end, _drop_zero(cell, text)))

    return edits


def _write_beside(cell: Cell, text: str, source: str) -> Passage:
    """Return the edit that puts `text` behind a number with its deviation: "0.33 ± .01 / 0.31"."""
    end = cell.spans[-1].end
    sign = _PERCENT_SIGN.match(source, end) if has_unit(cell.entry.text) else None
    if sign is not None:
        end = sign.end()
        text += sign["sign"]

    closers = _CLOSING_MARKUP.match(source, end)
    if closers is not None and (sign is not None or len(cell.spans) > 1):
        end = closers.end()

    return Passage(end, end, f" / {text}")


def _drop_zero(cell: Cell, text: str) -> str:
    """Drop the zero before the point of a number if the published one has none."""
    if not cell.spans[0].text.startswith("."):
        return text
    return re.sub(r"^(-?)0\.", r"\1.", text)


def _describe_adjustment(
    adjusted: AdjustedReading, cells: Sequence[Cell], unchanged: int, command: str
) -> list[str]:
    """Describe the adjustment of at least one cell, in lines for the top of the document."""
    from rankconst.version import __version__

    forms = dict[str, None]()
    for cell in cells:
        metric, exchange = cell.entry.metric, cell.exchange
        relation = "next to" if exchange.beside else "for"
        forms[f"{exchange.name(metric)} {relation} {metric.label}"] = None

    datasets: dict[str, dict[str, None]] = {}
    for tasks in (done.published.tasks for done in adjusted.done):
        datasets.setdefault(tasks.describe(), {})[tasks.dataset] = None

    evaluated = "; ".join(f"{', '.join(names)} ({those})" for those, names in datasets.items())
    action, baseline = "Adjusted for chance", cells[0].exchange.baseline
    if baseline is not None:
        action = f"Compared with the {BASELINES[baseline].title} baseline"

    lines = [
        f"{action} by rankconst {__version__}: {', '.join(forms)}.",
        f"Ranking tasks: {evaluated}; tables {adjusted.table_version}.",
    ]
    if unchanged:
        lines.append(f"Numbers that stay as published: {unchanged}.")

    return [*lines, command] if command else lines


def refuse_replaced(document: Document, metric: Metric) -> None:
    """Refuse a metric whose numbers were replaced, as :func:`_describe_adjustment` notes."""
    label = re.escape(metric.label)
    comment = re.compile(rf"^.{{0,80}} by rankconst [^\n:]*:.*? for {label}[,.]")
    for number, line in enumerate((document.source or document.text).split("\n"), 1):
        if comment.match(line):
            raise DataError(
                f"{document.at(number)}: its numbers of {metric.label} were replaced "
                "before. Take the original file, or remove that line if these are as published."
            )


def _put_into_source(document: Document, edits: Iterable[Passage], top: Sequence[str]) -> str:
    """Apply edits that do not overlap, and put lines on top; line ends stay those of the file."""
    parts, position = [], 0
    for edit in sorted(edits, key=attrgetter("start", "end")):
        parts += [document.text[position : edit.start], edit.text]
        position = edit.end

    body = "".join([*parts, document.text[position:]])
    source = document.source or document.text
    ends = re.findall("\r?\n", source) or re.findall("\r", source)
    lines = [line + end for line, end in zip(body.split("\n"), [*ends, ""], strict=True)]
    newline = "\r\n" if "\r\n" in source else "\n"
    mark = "\ufeff" if source.startswith("\ufeff") else ""
    return "".join([mark, *(line + newline for line in top), *lines])


# Headings.

# What says behind a name that smaller values are better, to what says the opposite.
_OPPOSITE_DIRECTIONS = {"downarrow": "uparrow", "↓": "↑", "lower": "higher", "smaller": "larger"}
_SMALLER_IS_BETTER = re.compile(
    r"[\s${}()\[\\]*(?:the )?(downarrow(?![a-z])|↓|(?:low|small)er(?=(?: is|,? the)? better))"
)


def _rename_headings(
    text: str, reading: Reading, cells: Sequence[Cell], sheets: _CellIndex
) -> tuple[list[Passage], list[Note]]:
    """Return the edits that rename headings to the adjusted metrics, and notes on the rest."""
    exchanges = {(cell.entry.row, cell.entry.column): cell.exchange for cell in cells}
    below: dict[tuple[int, Metric | None], tuple[_Name, list[Entry]]] = {}
    unnamed: list[Entry] = []  # numbers that are replaced below a heading that stays
    for entry in reading.entries:
        site = sheets.find(reading.rows[entry.row][entry.column])
        name = sheets.find_name(site, entry.metric) if site is not None else None
        if name is not None:
            key = name.cell.start, name.metric
            below.setdefault(key, (name, []))[1].append(entry)
        elif (entry.row, entry.column) in exchanges:
            unnamed.append(entry)

    edits: list[Passage] = []
    for name, entries in below.values():
        used = {exchanges.get((entry.row, entry.column)) for entry in entries}
        exchange = used.pop() if len(used) == 1 else None
        renamed: list[Passage] = []
        if exchange is not None:
            renamed = _rename_heading(text, name, entries[0].metric, exchange)
        edits += renamed
        if not renamed:
            unnamed += [entry for entry in entries if (entry.row, entry.column) in exchanges]

    notes: dict[str, Note] = {}
    for entry in unnamed:
        note = _note_heading(entry, exchanges[entry.row, entry.column])
        notes.setdefault(note.reason, note)  # that of the first line

    return edits, list(notes.values())


def _note_heading(entry: Entry, exchange: Exchange) -> Note:
    """Note that a number is replaced below a heading that stays."""
    name = exchange.name(entry.metric)
    reason = f"the heading {entry.column} stays as it is; rename it to {name}"
    if read_label(entry.column).metric is None:  # that of a dataset must stay
        reason = f"no heading names {entry.metric.label}: say {name} in the caption"
    return Note(entry.line or 0, reason)


def _find_word(name: _Name, metric: Metric) -> str:
    """Return the metric as a heading writes it; empty if it is not found."""
    if name.metric is None:  # Hits@ above its k
        return name.plain
    span = find_name(name.plain, metric)
    return "" if span is None else name.plain[slice(*span)]


def _rename_heading(text: str, name: _Name, metric: Metric, exchange: Exchange) -> list[Passage]:
    """Return the edits that rename the metric in a heading; none if that is not certain.

    "MR" becomes "AMRI", and "MR ↓" becomes "AMRI ↑", as a larger index is better. The heading must
    have the name once, and be read as the adjusted metric afterwards.
    """
    is_skill, is_stem = exchange.baseline is not None, name.metric is None
    word = _find_word(name, metric)
    new = exchange.name(metric) if is_skill else metric.name_of(exchange.form)
    if not new or not word:
        return []

    if is_stem:  # AH@ for Hits@ above 10
        dropped = "0123456789" if word.endswith("@") else "@0123456789"
        new = new.rstrip(dropped)

    alone = re.compile(rf"(?<![\w@]){re.escape(word)}(?!\w)")
    matches = list(alone.finditer(text, name.cell.start, name.cell.end))
    if len(matches) != 1:
        return []

    renamed = read_label(name.plain.replace(word, new, 1))
    is_understood = (renamed.metric, renamed.adjustment) == (metric, exchange.form)
    if not (is_skill or is_stem or is_understood):
        return []

    start, end = matches[0].span()
    written = f"{word} / {new}" if exchange.beside else new
    edits = [Passage(start, end, written)]
    direction = _SMALLER_IS_BETTER.match(text, end)
    is_turned = not (metric.increasing or exchange.form == "normalised" or exchange.beside)
    if direction is not None and is_turned:
        edits.append(Passage(*direction.span(1), _OPPOSITE_DIRECTIONS[direction[1]]))

    return edits
