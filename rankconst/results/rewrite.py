r"""The same document with adjusted numbers: every byte stays but the numbers and what heads them.

A cell knows its place in the document, so that its number is found there. A table with a question
stays as published.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from rankconst.catalogue.baselines import BASELINES
from rankconst.catalogue.metrics import parse_adjusted_metric
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.results.labels import find_name, read_label
from rankconst.results.tables import latex, markdown
from rankconst.results.tables.cells import Placed
from rankconst.values.affine import ADJUSTMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.adjusted import AdjustedEntry, AdjustedReading
    from rankconst.results.document import Document
    from rankconst.results.reading import Entry, Reading
    from rankconst.results.tables.cells import Row
    from rankconst.results.tables.near import Printed


# What is asked for.

BOTH, SKILL = "both", "skill"
"""What is asked for by other words than the name of a form."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Which numbers are replaced for which form."""

    form: str
    family: str | None = None  # None, like `metric`, for all metrics
    metric: Metric | None = None
    beside: bool = False  # True to write the published number and its index
    baseline: str | None = None  # what skill is over; None for chance

    def fits(self, metric: Metric) -> bool:
        """Tell whether numbers of a metric are replaced."""
        if self.metric is not None:
            return metric == self.metric
        return self.family in {None, metric.family}

    def name(self, metric: Metric) -> str:
        """Return what the numbers of a metric are then called."""
        if self.baseline is not None:
            form = SKILL if self.form == "index" else self.form
            return f"{metric.label} {form} ({self.baseline})"
        return metric.name_of(self.form) or f"{self.form} {metric.label}"


_SKILLS = {SKILL: Exchange("index"), "z": Exchange("z"), BOTH: Exchange("index", beside=True)}


def parse_exchange(name: str, baseline: str | None = None) -> Exchange:
    """Read what takes the place of numbers: ``AMRR``, ``AH@10``, ``AH@k``, ``index``, ``z`` ...

    ``both`` puts the index next to the number, ``skill`` needs a `baseline`. Raises
    UnknownNameError for an unknown name, and UsageError if it does not go with the baseline.
    """
    plain = name.strip().lower()
    if baseline is not None:
        if plain not in _SKILLS:
            raise UsageError(
                f"{name} means chance; against the {baseline} baseline replace numbers by "
                f"{', '.join(_SKILLS)}."
            )
        return replace(_SKILLS[plain], baseline=baseline)
    if plain == SKILL:
        raise UsageError(
            "skill over which baseline? Name it by --baseline; over chance it is --replace index."
        )
    if plain in {BOTH, *ADJUSTMENTS}:
        return _SKILLS.get(plain, Exchange(plain))
    every = plain.endswith("@k")
    try:
        metric, form = parse_adjusted_metric(f"{name.strip()[:-1]}10" if every else name)
    except UnknownNameError:
        raise UnknownNameError(
            f"unknown adjusted metric {name!r}. Expected an adjusted metric, such as AMRR, AMRI, "
            f"AH@10, AH@k or ZMRR, or for all metrics {', '.join(ADJUSTMENTS)}, or {BOTH}: "
            "the published number and its index."
        ) from None
    return Exchange(form, metric.family) if every else Exchange(form, metric=metric)


def choose_metrics(reading: Reading, exchanges: Iterable[Exchange]) -> list[Metric]:
    """Return the metrics of a file whose numbers are replaced; DataError if there are none."""
    metrics = dict.fromkeys(entry.metric for entry in reading.entries if entry.adjustment is None)
    chosen = [metric for metric in metrics if any(exchange.fits(metric) for exchange in exchanges)]
    if not chosen:
        found = ", ".join(each.label for each in metrics)
        raise DataError(
            f"{reading.name} has no numbers to replace; its metrics are {found or 'none'}."
        )
    return chosen


# Where numbers are.

_LITERAL = re.compile(
    r"(?:(?<![A-Za-z\d.\-])|(?<=\\pm))"
    r"(?>(?:\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?![A-Za-z\d])",
    re.ASCII,
)


class Span(NamedTuple):
    """A number in the text of a document."""

    start: int
    end: int
    text: str

    @property
    def digits(self) -> str:
        """The number without what sets its thousands apart."""
        return re.sub(r"[^\d.]", "", self.text)

    @property
    def decimals(self) -> int:
        """How many decimals it is written with."""
        return len(self.digits.partition(".")[2])


def _find_numbers(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Find the numbers in a part of a text."""
    found = _LITERAL.finditer(text, start, len(text) if end is None else end)
    return [Span(*each.span(), each[0]) for each in found]


def locate(document: Document, reading: Reading) -> dict[int, tuple[Span, ...]]:
    """Return where the numbers of each entry are: the value, and what is behind its ±.

    Leave out places that are not certain.
    """
    located: dict[int, tuple[Span, ...]] = {}
    for place, entry in enumerate(reading.entries):
        cell = reading.rows[entry.row][entry.column]
        if not isinstance(cell, Placed):  # read from a block of code
            continue
        spans = _find_numbers(document.text, cell.start, cell.end)
        wanted = [number.digits for number in _find_numbers(entry.text)]
        runs = [spans[i : i + len(wanted)] for i in range(len(spans))]
        fitting = [run for run in runs if [span.digits for span in run] == wanted]
        if len(fitting) == 1:
            located[place] = tuple(fitting[0])
    return located


_SIGN = re.compile(r"[\s}*_]*+(?:</\w{1,9}>)*+\s*+\\?%")


class _Site(NamedTuple):
    """Where a cell is: table, row and column."""

    table: int
    row: int
    column: int


class _Sheets:
    """The cells of a document by their places, and the names of metrics among them."""

    def __init__(self, tables: Sequence[Printed]) -> None:
        self._sites: dict[int, _Site] = {}
        # Table and column, from the top.
        self._names: dict[tuple[int, int], list[_Name]] = defaultdict(list)
        for t, table in enumerate(tables):
            for i, row in enumerate(table.rows):
                for j, cell in enumerate(row.cells):
                    if _is_placed(cell):
                        self._sites[cell.start] = _Site(t, i, j)
                for j, name in _list_names(i, row):
                    self._names[t, j].append(name)

    def find(self, cell: str) -> _Site | None:
        """Return where a cell is."""
        return self._sites.get(cell.start) if isinstance(cell, Placed) else None

    def find_name(self, site: _Site, metric: Metric) -> _Name | None:
        """Return what names the metric of a number: the nearest above it, or to its left."""
        above = self._names[site.table, site.column]
        names = above[: bisect_left(above, site.row, key=lambda name: name.row)][::-1]
        for j in range(site.column):
            names += [name for name in self._names[site.table, j] if name.row == site.row]
        return next((name for name in names if name.fits(metric)), None)


class _Name(NamedTuple):
    """A cell that names a metric, or ``Hits@`` above its k."""

    row: int
    cell: Placed
    plain: str
    metric: Metric | None

    def fits(self, metric: Metric) -> bool:
        """Tell whether it names a metric."""
        return self.metric == metric or (self.metric is None and metric.label.startswith("Hits@"))


def _is_placed(cell: str) -> TypeGuard[Placed]:
    return isinstance(cell, Placed) and bool(cell)


_STEM = re.compile(r"(?:Hits?|H)\s?@?", re.IGNORECASE)


def _list_names(i: int, row: Row) -> Iterator[tuple[int, _Name]]:
    """Yield the cells of a row that name metrics, for each column that they are over."""
    name, left = None, 0
    for j, (cell, plain) in enumerate(zip(row.cells, row.plain, strict=True)):
        if _is_placed(cell):
            metric = read_label(plain).metric
            named = metric is not None or _STEM.fullmatch(plain) is not None
            name = _Name(i, cell, plain, metric) if named else None
            left = len(row.cells) if row.spans is None else row.spans.get(j, 1)
        if name is not None and left > 0:
            yield j, name
        left -= 1


Edit = tuple[int, int, str]
"""Where a part of a text begins and ends, and what is put in its place."""


def _apply(text: str, edits: Iterable[Edit]) -> str:
    """Put texts in the place of parts; of those at one position, what is inserted goes first."""
    parts, position = [], 0
    for start, end, put in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[position:start], put]
        position = end
    return "".join([*parts, text[position:]])


MARKUPS = {
    "latex": ("% ", "", latex.find_tables),
    "markdown": ("<!-- ", " -->", markdown.find_tables),
}
"""Format of documents that can be rewritten to the marks of a comment, and what finds tables."""


# The exchange.


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A document with its numbers replaced."""

    source: str
    replaced: int
    notes: tuple[tuple[int, str], ...]  # what stays as it is, and why: line and half a sentence


class Cell(NamedTuple):
    """A number that is replaced."""

    entry: Entry
    spans: tuple[Span, ...]
    site: _Site
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
    """Return a document with its numbers replaced; what cannot be stays as it is and is noted."""
    markup = MARKUPS.get(adjusted.reading.form)
    if markup is None:
        raise UsageError(
            f"{document.name} is read as {adjusted.reading.form}; "
            f"numbers are replaced in {' and '.join(MARKUPS)} only. "
            "Leave out --replace to get the adjusted numbers as a table."
        )
    begin, end, find_tables = markup
    sheets = _Sheets(find_tables(document))
    cells, notes = _choose_cells(document, adjusted, exchanges, sheets, percent=percent)
    if not cells:
        reasons = "; ".join(dict.fromkeys(note for _, note in notes[:3]))
        raise DataError(
            f"{document.name}: no number can be replaced. "
            f"{reasons or 'None is of the metric asked for.'}"
        )
    edits: dict[Edit, None] = {}  # a number that several rows share is replaced once
    for cell, decimals in zip(cells, _settle_decimals(cells), strict=True):
        edits |= dict.fromkeys(_write(cell, decimals, document.text))
    headings, unnamed = _rename_headings(document.text, adjusted.reading, cells, sheets)
    lines = _describe(adjusted, cells, len(notes), command)
    top = "".join(f"{begin}{line}{end}\n" for line in lines)
    source = _put_into_source(document, [*edits, *headings], top)
    replaced = len({cell.spans for cell in cells})
    return Rewritten(source, replaced, tuple(sorted([*notes, *unnamed])))


def _choose_cells(
    document: Document,
    adjusted: AdjustedReading,
    exchanges: Sequence[Exchange],
    sheets: _Sheets,
    *,
    percent: bool,
) -> tuple[list[Cell], list[tuple[int, str]]]:
    """Return the numbers to be replaced, and why others stay."""
    located = locate(document, adjusted.reading)
    entries, rows = adjusted.entries, adjusted.reading.rows
    sites = [sheets.find(rows[each.entry.row][each.entry.column]) for each in entries]
    waiting = set[int]()  # tables with a question
    for site, each in zip(sites, entries, strict=True):
        if site is not None and each.adjusted is None and each.entry.context.questions:
            waiting.add(site.table)
    cells: list[Cell] = []
    notes: list[tuple[int, str]] = []
    for place, (site, each) in enumerate(zip(sites, entries, strict=True)):
        entry = each.entry
        exchange = next((one for one in exchanges if one.fits(entry.metric)), None)
        if exchange is None or entry.adjustment is not None:
            continue
        cell: Cell | str = "its table has a question"
        if site is None or site.table not in waiting:
            spans = located.get(place)
            cell = _make_cell(document.text, each, spans, site, exchange, percent=percent)
        if isinstance(cell, Cell):
            cells.append(cell)
        else:
            notes.append(_note(entry, cell))
    cells, shared = _drop_shared(cells)
    return cells, [*notes, *(_note(entry, "one number for several rows") for entry in shared)]


def _note(entry: Entry, why: str) -> tuple[int, str]:
    """Return the line of a number that is not replaced, and why."""
    return entry.line or 0, f"{entry.column} stays as it is: {why}"


def _make_cell(
    text: str,
    each: AdjustedEntry,
    spans: tuple[Span, ...] | None,
    site: _Site | None,
    exchange: Exchange,
    *,
    percent: bool,
) -> Cell | str:
    """Return the number to be replaced, or why it stays."""
    if each.adjusted is None or each.constants is None or each.published is None:
        return each.note if each.note or not each.wanted else "it was not adjusted"
    value = getattr(each.adjusted, exchange.form)
    if value is None:
        return f"its {exchange.form} is undefined here"
    if spans is None or site is None:
        return "its place in the text is uncertain"
    scale = float(getattr(each.constants, exchange.form).scale)
    written, signed = float(spans[0].digits), _SIGN.match(text, spans[-1].end) is not None
    scaled = abs(written - each.published.value) > 1e-6 * written
    percent = each.entry.metric.is_share and (percent or "%" in each.entry.text or scaled)
    if percent and exchange.form != "index":
        if signed or "%" in each.entry.column:
            return f"{exchange.name(each.entry.metric)} is not a percentage; remove the sign"
        scale /= 100
    elif percent:
        value *= 100
    return Cell(each.entry, spans, site, value, scale, exchange)


def _drop_shared(cells: Sequence[Cell]) -> tuple[list[Cell], list[Entry]]:
    """Leave out numbers that are printed once for several rows with different adjusted values."""
    values: dict[Span, set[float]] = defaultdict(set)
    for cell in cells:
        values[cell.spans[0]].add(cell.value)
    kept = [cell for cell in cells if len(values[cell.spans[0]]) == 1]
    return kept, [cell.entry for cell in cells if len(values[cell.spans[0]]) > 1]


def _settle_decimals(cells: Sequence[Cell]) -> list[int]:
    """Return the decimals of each number, as the published numbers of its column allow."""
    most: dict[tuple[object, ...], int] = defaultdict(int)
    keys = [(cell.site.table, cell.entry.column, cell.exchange.form) for cell in cells]
    for key, cell in zip(keys, cells, strict=True):
        most[key] = max(most[key], _keep_decimals(cell.spans[0], cell.scale))
    return [most[key] for key in keys]


def _keep_decimals(span: Span, scale: float) -> int:
    """Return with how many decimals a number is as precise as before once it is scaled."""
    return min(round(span.decimals - math.log10(abs(scale))), 12)


# What closes the markup that a number is in: }$ of $0.241_{\pm .001}$.
_CLOSERS = re.compile(r"(?:\\?%|[})$\]*_]|</\w{1,9}>)+")


def _write(cell: Cell, decimals: int, source: str) -> list[Edit]:
    """Return what is written in the place of each number of a cell."""
    value = re.sub(r"^-(?=[0.]*$)", "", f"{cell.value:.{decimals}f}")  # no -0.000
    if cell.exchange.beside:
        return [_write_beside(cell, _drop_zero(cell, value), source)]
    first, *others = cell.spans
    edits = [(first.start, first.end, _drop_zero(cell, value))]
    for span in others:
        deviation = float(span.digits) * abs(cell.scale)
        in_brackets = source[span.start - 1] == "("
        # 0.533(2), in units of the last digit.
        if in_brackets and first.decimals and not span.decimals:
            text = f"{deviation * 10 ** (decimals - first.decimals):.0f}"
        else:
            text = f"{deviation:.{max(decimals, _keep_decimals(span, cell.scale))}f}"
        edits.append((span.start, span.end, _drop_zero(cell, text)))
    return edits


def _write_beside(cell: Cell, text: str, source: str) -> Edit:
    """Write the adjusted number behind the published one.

    It goes behind a deviation and what closes the markup, too.
    """
    last = cell.spans[-1]
    sign = _SIGN.match(source, last.end) if "%" in cell.entry.text else None
    closers = _CLOSERS.match(source, last.end)
    end = last.end
    if closers is not None and (sign is not None or len(cell.spans) > 1):
        end = closers.end()
    percent = ""
    if sign is not None:
        percent = r"\%" if sign[0].endswith(r"\%") else "%"
    return end, end, f" / {text}{percent}"


def _drop_zero(cell: Cell, text: str) -> str:
    """Write a number without the zero before its point if the published one has none."""
    return re.sub(r"^(-?)0\.", r"\1.", text) if cell.spans[0].text.startswith(".") else text


def _describe(
    adjusted: AdjustedReading, cells: Sequence[Cell], stay: int, command: str
) -> list[str]:
    """Return the lines that say what was done."""
    from rankconst.version import __version__

    forms = dict[str, None]()
    for cell in cells:
        metric, exchange = cell.entry.metric, cell.exchange
        relation = "next to" if exchange.beside else "for"
        forms[f"{exchange.name(metric)} {relation} {metric.label}"] = None
    tasks = dict.fromkeys(each.batch.tasks for each in adjusted.done)
    protocols = ", ".join(dict.fromkeys(each.protocol for each in tasks))
    on = ", ".join(dict.fromkeys(f"{each.dataset} {each.split} {each.side}" for each in tasks))
    done, baseline = "Adjusted for chance", cells[0].exchange.baseline
    if baseline is not None:
        done = f"Compared with the {BASELINES[baseline].title} baseline"
    lines = [
        f"{done} by rankconst {__version__}: {', '.join(forms)}.",
        f"Ranking tasks: {on}; protocol {protocols}; tables {adjusted.table_version}.",
    ]
    if stay:
        lines.append(f"Numbers that stay as published: {stay}.")
    return [*lines, command] if command else lines


def _put_into_source(document: Document, edits: Iterable[Edit], top: str) -> str:
    """Return the file's own text with the edits.

    Keep its line ends and its byte order mark.
    """
    source = document.source or document.text
    first = len(source) - len(source.removeprefix("\ufeff"))
    # Each \r\n before a place in the text moves it by one.
    ends = [found.start() - i - first for i, found in enumerate(re.finditer("\r\n", source))]

    def move(position: int) -> int:
        return position + bisect_left(ends, position) + first

    newline = "\r\n" if ends else "\n"
    moved = [(move(start), move(end), put) for start, end, put in edits]
    return _apply(source, [(first, first, top.replace("\n", newline)), *moved])


# Headings.

_ARROW = re.compile(r"[\s${}()\\]*(?:(downarrow)(?![a-z])|(↓))")


def _rename_headings(
    text: str, reading: Reading, cells: Sequence[Cell], sheets: _Sheets
) -> tuple[list[Edit], list[tuple[int, str]]]:
    """Name the adjusted metric above its numbers, where the name is above nothing else."""
    exchanged = {(cell.entry.row, cell.entry.column): cell.exchange for cell in cells}
    under: dict[tuple[int, Metric | None], list[Entry]] = defaultdict(list)
    names: dict[tuple[int, Metric | None], _Name] = {}
    lost: list[Entry] = []
    for entry in reading.entries:
        site = sheets.find(reading.rows[entry.row][entry.column])
        name = sheets.find_name(site, entry.metric) if site is not None else None
        if name is not None:
            names[name.cell.start, name.metric] = name
            under[name.cell.start, name.metric].append(entry)
        elif (entry.row, entry.column) in exchanged:
            lost.append(entry)
    edits: list[Edit] = []
    for key, entries in under.items():
        forms = {exchanged.get((entry.row, entry.column)) for entry in entries}
        exchange, *others = forms
        found: list[Edit] = []
        if exchange is not None and not others:
            found = _rename(text, names[key], entries[0].metric, exchange)
        edits += found
        if not found:
            lost += [entry for entry in entries if (entry.row, entry.column) in exchanged]
    notes: dict[str, int] = {}
    for entry in lost[::-1]:
        put = exchanged[entry.row, entry.column].name(entry.metric)
        note = f"the heading {entry.column} stays as it is; rename it to {put}"
        if read_label(entry.column).metric is None:  # that of a dataset must stay
            note = f"no heading names {entry.metric.label}: say {put} in the caption"
        notes[note] = entry.line or 0
    return edits, [(line, note) for note, line in notes.items()]


def _rename(text: str, name: _Name, metric: Metric, exchange: Exchange) -> list[Edit]:
    """Return the edits that rename a heading; none if it is not certain what to replace.

    They also turn the arrow behind it if larger is better now.
    """
    is_skill, is_stem = exchange.baseline is not None, name.metric is None
    put = exchange.name(metric) if is_skill else metric.name_of(exchange.form)
    if is_stem and put is not None:  # AH@ for Hits@ above 10
        put = put.rstrip("0123456789" if name.plain.endswith("@") else "@0123456789")
    span = (0, len(name.plain)) if is_stem else find_name(name.plain, metric)
    if not put or span is None:
        return []
    word = name.plain[slice(*span)]
    alone = re.compile(rf"(?<![\w@]){re.escape(word)}(?!\w)")
    found = [*alone.finditer(text, name.cell.start, name.cell.end)] if word else []
    if len(found) != 1:
        return []
    again = read_label(name.plain.replace(word, put, 1))
    is_understood = (again.metric, again.adjustment) == (metric, exchange.form)
    if not (is_skill or is_stem or is_understood):
        return []
    start, stop = found[0].span()
    edits = [(start, stop, f"{word} / {put}" if exchange.beside else put)]
    arrow = _ARROW.match(text, stop)
    turns = not (metric.increasing or exchange.form == "normalised" or exchange.beside)
    if arrow is not None and turns:
        edits.append((*arrow.span(arrow.lastindex or 0), "uparrow" if arrow[1] else "↑"))
    return edits
