r"""The same document with adjusted numbers: every byte stays but the numbers, what heads them, and what marks the best.

Where a number is in the text is found by reading the document again with its numbers marked: a change far below the
last digit of each, so that the reader itself tells which of its numbers comes from where, in any format.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.baselines import BASELINES
from rankconst.catalogue.metrics import parse_adjusted_metric
from rankconst.constants.affine import ADJUSTMENTS
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.results.labels import read_label
from rankconst.results.tables.latex import find_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.adjusted import AdjustedEntry, AdjustedReading
    from rankconst.results.document import Document
    from rankconst.results.reading import Entry, Reading


# What is asked for.

BOTH, SKILL = "both", "skill"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Which numbers are replaced for which form."""

    form: str
    # None for all metrics.
    family: str | None = None
    metric: Metric | None = None
    # True to write the published number and its index.
    beside: bool = False
    # The baseline that skill is over; None for chance.
    baseline: str | None = None

    def fits(self, metric: Metric) -> bool:
        """Tell whether numbers of a metric are replaced."""
        return metric == self.metric or (self.metric is None and self.family in {None, metric.family})

    def name(self, metric: Metric) -> str:
        """Return what the numbers of a metric are then called."""
        if self.baseline is not None:
            return f"{metric.label} {'skill' if self.form == 'index' else self.form} ({self.baseline})"
        return metric.name_of(self.form) or f"{self.form} {metric.label}"


_SKILLS = {SKILL: Exchange("index"), "z": Exchange("z"), BOTH: Exchange("index", beside=True)}


def parse_exchange(name: str, baseline: str | None = None) -> Exchange:
    """Read what takes the place of numbers: ``AMRR``, ``AH@10``, ``AH@k``, ``index``, ``z``, ``both``, ``skill`` ..."""
    plain = name.strip().lower()
    if baseline is not None:
        if plain not in _SKILLS:
            raise UsageError(
                f"{name} means chance; against the {baseline} baseline replace numbers by {', '.join(_SKILLS)}."
            )
        return replace(_SKILLS[plain], baseline=baseline)
    if plain == SKILL:
        raise UsageError("skill over which baseline? Name it by --baseline; over chance it is --replace index.")
    if plain == BOTH:
        return Exchange("index", beside=True)
    if plain in ADJUSTMENTS:
        return Exchange(plain)
    try:
        if plain.endswith("@k"):
            metric, form = parse_adjusted_metric(f"{name.strip()[:-1]}10")
            return Exchange(form, metric.family)
        metric, form = parse_adjusted_metric(name)
    except UnknownNameError:
        raise UnknownNameError(
            f"unknown adjusted metric {name!r}. Expected an adjusted metric, such as AMRR, AMRI, AH@10, AH@k or "
            f"ZMRR, or for all metrics {', '.join(ADJUSTMENTS)}, or {BOTH}: the published number and its index."
        ) from None
    return Exchange(form, metric=metric)


def choose_metrics(reading: Reading, exchanges: Iterable[Exchange]) -> list[Metric]:
    """Return the metrics of a file whose numbers are replaced; DataError if there are none."""
    metrics = dict.fromkeys(entry.metric for entry in reading.entries if entry.adjustment is None)
    chosen = [metric for metric in metrics if any(exchange.fits(metric) for exchange in exchanges)]
    if not chosen:
        found = ", ".join(each.label for each in metrics)
        raise DataError(f"{reading.name} has no numbers to replace; its metrics are {found or 'none'}.")
    return chosen


# Where numbers are.

_LITERAL = re.compile(r"(?<![\w.\-])(?>(?:\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?!\w)", re.ASCII)


class Span(NamedTuple):
    """A number in the text of a document."""

    start: int
    end: int
    text: str

    @property
    def digits(self) -> str:
        """The number without what sets its thousands apart."""
        return re.sub(r"[^\d.]", "", self.text)


def _list_numbers(text: str) -> list[Span]:
    return [Span(*found.span(), found[0]) for found in _LITERAL.finditer(text)]


def locate(document: Document, reading: Reading, read: Callable[[Document], Reading]) -> dict[int, tuple[Span, ...]]:
    """Return where the numbers of each entry are: the value, and what is behind its ±; only those that are certain."""
    wanted = {span.digits for entry in reading.entries for span in _list_numbers(entry.text)}
    spans = [span for span in _list_numbers(document.text) if span.digits in wanted]
    found: dict[tuple[int, int], Span] = {}
    # Whole numbers may be anything: the k of Hits@k, the width of a cell.
    for batch in ([span for span in spans if "." in span.text], [span for span in spans if "." not in span.text]):
        found |= _locate(document, reading, read, batch)
    located: dict[int, tuple[Span, ...]] = {}
    for place, entry in enumerate(reading.entries):
        own = tuple(found[place, slot] for slot in range(len(_list_numbers(entry.text))) if (place, slot) in found)
        if own and len(own) == len(_list_numbers(entry.text)):
            located[place] = own
    return located


def _locate(
    document: Document, reading: Reading, read: Callable[[Document], Reading], spans: Sequence[Span]
) -> dict[tuple[int, int], Span]:
    """Mark some numbers; where that changes more than them, try with each half."""
    if not spans:
        return {}
    found = _compare_marked(document, reading, read, spans)
    if found is not None:
        return found
    if len(spans) == 1:
        return {}
    half = len(spans) // 2
    return _locate(document, reading, read, spans[:half]) | _locate(document, reading, read, spans[half:])


def _compare_marked(
    document: Document, reading: Reading, read: Callable[[Document], Reading], spans: Sequence[Span]
) -> dict[tuple[int, int], Span] | None:
    """Return the entry and the place within it that each marked number comes to; None if others change, too."""
    marked = {_mark(Decimal(span.digits), i): span for i, span in enumerate(spans)}
    if len(marked) < len(spans):
        return None
    again = _read_edited(document, read, [(span.start, span.end, text) for text, span in marked.items()])
    if again is None or len(again.entries) != len(reading.entries):
        return None
    found: dict[tuple[int, int], Span] = {}
    for place, (before, after) in enumerate(zip(reading.entries, again.entries, strict=True)):
        if before.text != after.text:
            olds, news = _list_numbers(before.text), _list_numbers(after.text)
            if len(olds) != len(news):
                return None
            for slot, (old, new) in enumerate(zip(olds, news, strict=True)):
                span = marked.get(new.text)
                if span is not None and span.digits == old.digits:
                    found[place, slot] = span
                elif new.digits != old.digits:
                    return None
        if before._replace(text="") != after._replace(text=""):
            return None
    return found


def _mark(number: Decimal, i: int) -> str:
    """Return a number that differs from another below its last digit; not above it, since 1 is the largest share."""
    least = Decimal(i + 1).scaleb(-13)
    return f"{number - least if number else least:f}"


def _read_edited(document: Document, read: Callable[[Document], Reading], edits: Iterable[Edit]) -> Reading | None:
    try:
        return read(replace(document, text=_apply(document.text, edits)))
    except DataError:
        return None


Edit = tuple[int, int, str]


def _apply(text: str, edits: Iterable[Edit]) -> str:
    """Put texts in the place of parts; of those at one position, what is inserted goes first."""
    parts, position = [], 0
    for start, end, put in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[position:start], put]
        position = end
    return "".join([*parts, text[position:]])


# What markup means.


@dataclass(frozen=True, slots=True)
class Wrapper:
    """What is around a number to set it apart: where it opens and where it closes."""

    kind: str
    opening: tuple[int, int]
    closing: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Markup:
    """What a format of documents does to numbers, and how it says what is not printed."""

    comment: tuple[str, str]
    # What begins a table.
    table: re.Pattern[str]
    find: Callable[[str, int, int], Iterator[Wrapper]]
    # Text and position to what opens and closes a kind of emphasis there.
    wrap: Callable[[str, int, str], tuple[str, str]]
    # Text to the places where nothing is changed, as it is printed elsewhere, too.
    kept: Callable[[str], list[tuple[int, int]]] = lambda _: []


_MACROS = {
    **dict.fromkeys(("textbf", "mathbf", "bm", "boldsymbol", "bf", "bfseries"), "bold"),
    **dict.fromkeys(("underline", "uline", "ul"), "underline"),
}
_FARTHEST = 200
_NAMED = re.compile(r"\\([a-zA-Z]+)\s*\Z")
_DECLARED = re.compile(r"\{\s*\\([a-zA-Z]+)(?![a-zA-Z])\s*")


def _find_in_latex(text: str, start: int, end: int) -> Iterator[Wrapper]:
    """Yield the macros around a part of a cell, the inner ones first."""
    depth = 0
    for i in range(start - 1, max(start - _FARTHEST, -1), -1):
        escaped = text[i - 1 : i] == "\\"
        if text[i] == "&" and not escaped:
            return
        if text[i] == "}" and not escaped:
            depth += 1
        elif text[i] == "{" and not escaped and depth:
            depth -= 1
        elif text[i] == "{" and not escaped:
            close = _find_close(text, end)
            if close is None:
                return
            named, declared = _NAMED.search(text[max(i - 40, 0) : i]), _DECLARED.match(text, i)
            if named is not None and named[1] in _MACROS:
                yield Wrapper(_MACROS[named[1]], (i - len(named[0]), i + 1), (close, close + 1))
            elif declared is not None and declared[1] in _MACROS:
                yield Wrapper(_MACROS[declared[1]], declared.span(), (close, close + 1))
            end = close + 1


def _find_close(text: str, start: int) -> int | None:
    depth = 0
    for found in re.finditer(r"\\.|[{}&]", text[start : start + _FARTHEST], re.DOTALL):
        if found[0] == "&":
            return None
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth < 0:
            return start + found.start()
    return None


def _wrap_in_latex(text: str, start: int, kind: str) -> tuple[str, str]:
    cell = re.split(r"(?<!\\)&|\\\\", text[max(start - _FARTHEST, 0) : start])[-1]
    math_mode = len(re.findall(r"(?<!\\)\$", cell)) % 2 == 1
    return {"underline": "\\underline{", "bold": "\\mathbf{" if math_mode else "\\textbf{"}[kind], "}"


_MARKS = {
    "bold": (("**", "**"), ("__", "__"), ("<b>", "</b>"), ("<strong>", "</strong>")),
    "underline": (("<u>", "</u>"),),
}


def _find_in_markdown(text: str, start: int, end: int) -> Iterator[Wrapper]:
    pairs = [(kind, *pair) for kind, each in _MARKS.items() for pair in each]
    while found := [each for each in pairs if text.endswith(each[1], 0, start) and text.startswith(each[2], end)]:
        kind, opening, closing = found[0]
        yield Wrapper(kind, (start - len(opening), start), (end, end + len(closing)))
        start, end = start - len(opening), end + len(closing)


def _wrap_in_markdown(text: str, start: int, kind: str) -> tuple[str, str]:
    del text, start
    return _MARKS[kind][0]


_LATEX_TABLE = re.compile(r"\\begin\s*\{\w*(?:[tT]ab|tblr|array)")
_MARKDOWN_TABLE = re.compile(r"^[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+\|", re.MULTILINE)

MARKUPS = {
    "latex": Markup(("% ", ""), _LATEX_TABLE, _find_in_latex, _wrap_in_latex, find_definitions),
    "markdown": Markup(("<!-- ", " -->"), _MARKDOWN_TABLE, _find_in_markdown, _wrap_in_markdown),
}
"""Format of documents that can be rewritten to its markup."""


# The exchange.


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A document with its numbers replaced."""

    source: str
    replaced: int
    # What stays as it is, and why: line and half a sentence.
    notes: tuple[tuple[int, str], ...]


class _Cell(NamedTuple):
    """A number that is replaced."""

    entry: Entry
    spans: tuple[Span, ...]
    # The adjusted value and the factor of a deviation, in the unit of the table.
    value: float
    scale: float
    exchange: Exchange
    tasks: object
    # In the table's unit, as published.
    published: float


def rewrite(
    document: Document,
    adjusted: AdjustedReading,
    exchanges: Sequence[Exchange],
    read: Callable[[Document], Reading],
    *,
    digits: int | None = None,
    percent: bool = False,
    command: str = "",
) -> Rewritten:
    """Return a document with its numbers replaced; what cannot be stays as it is and is noted."""
    markup = MARKUPS.get(adjusted.reading.form)
    if markup is None:
        raise UsageError(
            f"{document.name} is read as {adjusted.reading.form}; numbers are replaced in {' and '.join(MARKUPS)} "
            "only. Leave out --replace to get the adjusted numbers as a table."
        )
    # As it is read, without what was found out about its tasks since.
    reading = read(document)
    if [entry[:4] for entry in reading.entries] != [entry[:4] for entry in adjusted.reading.entries]:
        raise DataError(f"{document.name} has changed since it was read; try again.")
    located = locate(document, reading, read)
    defined = markup.kept(document.text)
    notes: list[tuple[int, str]] = []
    cells: list[_Cell] = []
    for place, each in enumerate(adjusted.entries):
        exchange = next((one for one in exchanges if one.fits(each.entry.metric)), None)
        if exchange is None or each.entry.adjustment is not None:
            continue
        cell = _make_cell(document.text, each, located.get(place), exchange, percent=percent)
        if isinstance(cell, _Cell) and any(_is_within(span.start, defined) for span in cell.spans):
            cell = "a macro prints it"
        if isinstance(cell, _Cell):
            cells.append(cell)
        else:
            notes.append((each.entry.line or 0, f"{each.entry.column} stays as it is: {cell}"))
    cells, twice = _drop_shared(cells)
    notes += twice
    if not cells:
        reasons = "; ".join(dict.fromkeys(note for _, note in notes[:3]))
        raise DataError(f"{document.name}: no number can be replaced. {reasons or 'None is of the metric asked for.'}")
    decimals = _settle_decimals(document.text, cells, markup, digits)
    written: dict[Span, str] = {}
    for cell, places in zip(cells, decimals, strict=True):
        written |= _write(cell, places)
    headings, unnamed = _rename_headings(document, reading, read, cells, defined)
    emphasis, kept = _set_emphasis(document.text, adjusted, cells, written, markup)
    edits = [*((span.start, span.end, put) for span, put in written.items()), *headings, *emphasis]
    said = _describe(adjusted, cells, len(notes), command)
    top = "".join(f"{markup.comment[0]}{line}{markup.comment[1]}\n" for line in said)
    notes += unnamed + kept
    return Rewritten(_put_into_source(document, edits, top), len({cell.spans for cell in cells}), tuple(sorted(notes)))


def _is_within(place: int, parts: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in parts)


def _make_cell(
    text: str, each: AdjustedEntry, spans: tuple[Span, ...] | None, exchange: Exchange, *, percent: bool
) -> _Cell | str:
    """Return the number to be replaced, or why it stays."""
    if each.adjusted is None or each.constants is None or each.published is None:
        return each.note if each.note or not each.wanted else "it was not adjusted"
    value = getattr(each.adjusted, exchange.form)
    if value is None:
        return f"its {exchange.form} is undefined here"
    if spans is None:
        return "its place in the text is uncertain"
    scale = float(getattr(each.constants, exchange.form).scale)
    written, signed = float(spans[0].digits), re.match(r"\s*+\}?\s*+\\?%", text[spans[-1].end :]) is not None
    scaled = abs(written - each.published.value) > 1e-6 * written
    percent = each.entry.metric.is_share and (percent or "%" in each.entry.text or scaled)
    if percent and exchange.form != "index":
        if signed or "%" in each.entry.column:
            return f"{exchange.name(each.entry.metric)} is not a percentage; remove the sign"
        scale /= 100
    elif percent:
        value *= 100
    return _Cell(each.entry, spans, value, scale, exchange, each.constants.tasks, written)


def _drop_shared(cells: Sequence[_Cell]) -> tuple[list[_Cell], list[tuple[int, str]]]:
    """Leave out numbers that are printed once for several rows with different adjusted values."""
    values: dict[Span, set[float]] = defaultdict(set)
    for cell in cells:
        values[cell.spans[0]].add(cell.value)
    kept = [cell for cell in cells if len(values[cell.spans[0]]) == 1]
    notes = [
        (cell.entry.line or 0, f"{cell.entry.column} stays as it is: one number for several rows")
        for cell in cells
        if len(values[cell.spans[0]]) > 1
    ]
    return kept, notes


def _count_tables(text: str, markup: Markup) -> Callable[[int], int]:
    starts = [found.start() for found in markup.table.finditer(text)]
    return lambda position: bisect_left(starts, position)


def _settle_decimals(text: str, cells: Sequence[_Cell], markup: Markup, digits: int | None) -> list[int]:
    """Return the number of decimals of each number: those that the published numbers of its column allow."""
    if digits is not None:
        return [digits] * len(cells)
    table_of = _count_tables(text, markup)
    most: dict[tuple[object, ...], int] = defaultdict(int)
    keys = [(table_of(cell.spans[0].start), cell.entry.column, cell.exchange.form) for cell in cells]
    for key, cell in zip(keys, cells, strict=True):
        decimals = len(cell.spans[0].digits.partition(".")[2])
        most[key] = max(most[key], min(round(decimals - math.log10(abs(cell.scale))), 12))
    return [most[key] for key in keys]


def _write(cell: _Cell, decimals: int) -> dict[Span, str]:
    """Return what is written in the place of each number of a cell."""
    values = [cell.value, *(float(span.digits) * abs(cell.scale) for span in cell.spans[1:])]
    texts = [f"{value:.{decimals}f}" for value in values]
    texts = [re.sub(r"^-(?=[0.]*$)", "", text) for text in texts]
    if cell.spans[0].text.startswith("."):
        texts = [re.sub(r"^(-?)0\.", r"\1.", text) for text in texts]
    if cell.exchange.beside:
        # The deviation stays with the published number.
        last = cell.spans[-1]
        return {last: f"{last.text} / {texts[0]}"}
    return dict(zip(cell.spans, texts, strict=True))


def _describe(adjusted: AdjustedReading, cells: Sequence[_Cell], stay: int, command: str) -> list[str]:
    """Return the lines that say what was done."""
    from rankconst.version import __version__

    named = dict.fromkeys((cell.entry.metric, cell.exchange) for cell in cells)
    what = ", ".join(
        f"{exchange.name(metric)} {'next to' if exchange.beside else 'for'} {metric.label}"
        for metric, exchange in named
    )
    tasks = dict.fromkeys(each.batch.tasks for each in adjusted.done)
    protocols = ", ".join(dict.fromkeys(each.protocol for each in tasks))
    on = ", ".join(dict.fromkeys(f"{each.dataset} {each.split} {each.side}" for each in tasks))
    baseline = cells[0].exchange.baseline
    done = "Adjusted for chance" if baseline is None else f"Compared with the {BASELINES[baseline].title} baseline"
    return [
        f"{done} by rankconst {__version__}: {what}.",
        f"Ranking tasks: {on}; protocol {protocols}; tables {adjusted.table_version}.",
        *([f"Numbers that stay as published: {stay}."] if stay else []),
        *([command] if command else []),
    ]


def _put_into_source(document: Document, edits: Iterable[Edit], top: str) -> str:
    """Return the file's own text with the edits, its line ends and its byte order mark as they were."""
    source = document.source or document.text
    mark = source.startswith("\ufeff")
    ends = [found.start() - i - mark for i, found in enumerate(re.finditer("\r\n", source))]

    def place(position: int) -> int:
        return position + bisect_left(ends, position) + mark

    first = mark * 1
    newline = "\r\n" if ends else "\n"
    moved = [(place(start), place(end), put) for start, end, put in edits]
    return _apply(source, [(first, first, top.replace("\n", newline)), *moved])


# Headings.

# A heading is at most this many lines from its numbers: above them, or in the row where a table has metrics in rows.
_FAR = 60
_WORDS = re.compile(r"[A-Za-z][A-Za-z@ \d.-]*[A-Za-z@\d]")
_STEM = re.compile(r"(?:Hits?|H)\s?@?", re.IGNORECASE)


def _rename_headings(
    document: Document,
    reading: Reading,
    read: Callable[[Document], Reading],
    cells: Sequence[_Cell],
    defined: Sequence[tuple[int, int]],
) -> tuple[list[Edit], list[tuple[int, str]]]:
    """Name the adjusted metric above its numbers, where it is above nothing else."""
    own: dict[tuple[str, Exchange], list[Entry]] = defaultdict(list)
    for cell in cells:
        own[cell.entry.column, cell.exchange].append(cell.entry)
    exchanged = {(cell.entry.row, cell.entry.column): cell.exchange for cell in cells}
    edits: dict[Edit, Exchange] = {}
    notes: list[tuple[int, str]] = []
    for (column, exchange), entries in own.items():
        found = [
            edit
            for edit in _suggest_names(document.text, column, entries, exchange)
            if not _is_within(edit[0], defined)
            if edit in edits or _is_renamed(reading, _read_edited(document, read, [edit]), exchanged)
        ]
        edits |= dict.fromkeys(found, exchange)
        if not (entries[0].metric.increasing or exchange.form == "normalised" or exchange.beside):
            edits |= dict.fromkeys((turn for edit in found for turn in _turn_arrow(document.text, edit)), exchange)
        if not found:
            name = exchange.name(entries[0].metric)
            notes.append((entries[0].line or 0, f"the heading {column} stays as it is; rename it to {name}"))
    texts = ((start, end, document.text[start:end], put, each) for (start, end, put), each in edits.items())
    return [(start, end, f"{old} / {put}" if each.beside else put) for start, end, old, put, each in texts], notes


def _suggest_names(text: str, column: str, entries: Sequence[Entry], exchange: Exchange) -> Iterator[Edit]:
    """Yield what may rename the heading of a column: each place of its words near its numbers."""
    metric, lines = entries[0].metric, {entry.line or 1 for entry in entries}
    skill = exchange.baseline is not None
    name = exchange.name(metric) if skill else metric.name_of(exchange.form)
    for part in column.split(" / ") if name else ():
        put = name
        if read_label(part).metric != metric:  # Hits@ above 1, 3 and 10
            word, put = None if skill else _STEM.fullmatch(part), name.rstrip("0123456789")
        else:
            word = _WORDS.match(part)
        for found in re.finditer(rf"(?<![\w@]){re.escape(word[0])}(?!\w)", text) if word else ():
            line = text.count("\n", 0, found.start()) + 1
            if any(abs(line - each) <= _FAR for each in lines):
                yield (*found.span(), put)


_ARROW = re.compile(r"[\s${}()\\]*(?:(downarrow)(?![a-z])|(↓))")


def _turn_arrow(text: str, heading: Edit) -> Iterator[Edit]:
    """Yield what turns the arrow behind a heading where the adjusted values are better when larger."""
    arrow = _ARROW.match(text, heading[1])
    if arrow is not None:
        yield (*arrow.span(arrow.lastindex or 0), "uparrow" if arrow[1] else "↑")


def _is_renamed(reading: Reading, again: Reading | None, exchanged: dict[tuple[int, str], Exchange]) -> bool:
    """Tell whether numbers that are replaced come to be read as what they are now, and no others."""
    if any(exchange.baseline is not None for exchange in exchanged.values()):
        return _is_left_out(reading, again, exchanged)
    if again is None or len(again.entries) != len(reading.entries):
        return False
    changed = []
    for before, after in zip(reading.entries, again.entries, strict=True):
        # Adjusted values are not read as percentages.
        if (before.metric, before.text.strip("%"), before.row) != (after.metric, after.text.strip("%"), after.row):
            return False
        if before.adjustment != after.adjustment:
            exchange = exchanged.get((before.row, before.column))
            changed.append(exchange is not None and after.adjustment == exchange.form)
    return bool(changed) and all(changed)


def _is_left_out(reading: Reading, again: Reading | None, exchanged: Container[tuple[int, str]]) -> bool:
    """Tell whether some of the numbers that are replaced are no longer read, as skill is not, and all others are."""
    kept = [(each.metric, each.text.strip("%"), each.line) for each in again.entries] if again is not None else []
    left = 0
    for each in reading.entries:
        if kept and kept[0] == (each.metric, each.text.strip("%"), each.line):
            kept.pop(0)
        elif (each.row, each.column) not in exchanged:
            return False
        else:
            left += 1
    return left > 0 and not kept


# Bold and underline.


def _set_emphasis(
    text: str, adjusted: AdjustedReading, cells: Sequence[_Cell], written: dict[Span, str], markup: Markup
) -> tuple[list[Edit], list[tuple[int, str]]]:
    """Mark the best and second best of each column that did so, by the adjusted values.

    On the same ranking tasks the map keeps the order, and with it what was marked; only where a column holds several
    sets of tasks can another number be the best.
    """
    table_of = _count_tables(text, markup)
    columns: dict[tuple[int, str], list[_Cell]] = defaultdict(list)
    for cell in cells:
        columns[table_of(cell.spans[0].start), cell.entry.column].append(cell)
    exchanged = {(cell.entry.row, cell.entry.column) for cell in cells}
    edits: list[Edit] = []
    notes: list[tuple[int, str]] = []
    for (_, column), own in columns.items():
        if len({cell.tasks for cell in own}) == 1 or own[0].exchange.beside:
            continue
        around = {cell: list(markup.find(text, cell.spans[0].start, cell.spans[-1].end)) for cell in own}
        rows = [cell.entry.row for cell in own]
        whole = all(
            (entry.row, column) in exchanged
            for entry in adjusted.reading.entries
            if entry.column == column and min(rows) <= entry.row <= max(rows)
        )
        metric, form = own[0].entry.metric, own[0].exchange.form
        before = _rank(own, [cell.published for cell in own], rising=metric.increasing)
        numbers = [float(written[cell.spans[0]]) for cell in own]
        after = _rank(own, numbers, rising=form != "normalised" or metric.increasing)
        for kind, best, fresh in zip(("bold", "underline"), before, after, strict=True):
            marked = {cell for cell in own if any(each.kind == kind for each in around[cell])}
            if not marked or marked == fresh:
                continue
            if not (whole and marked <= best):
                line = own[0].entry.line or 0
                notes.append((line, f"{column}: {kind} stays as it is, since it does not mark the best of the column"))
                continue
            for cell in marked - fresh:
                for each in (each for each in around[cell] if each.kind == kind):
                    edits += [(*each.opening, ""), (*each.closing, "")]
            for cell in fresh - marked:
                start, end = cell.spans[0].start, cell.spans[-1].end
                opening, closing = markup.wrap(text, start, kind)
                edits += [(start, start, opening), (end, end, closing)]
    return edits, notes


def _rank(cells: Sequence[_Cell], numbers: Sequence[float], *, rising: bool) -> tuple[set[_Cell], set[_Cell]]:
    """Return the best cells and the second best, ties included."""
    order = sorted(set(numbers), reverse=rising)
    best, second = (
        {cell for cell, number in zip(cells, numbers, strict=True) if number == each}
        for each in (*order[:2], math.nan, math.nan)[:2]
    )
    return best, second
