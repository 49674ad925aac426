"""``rankconst adjust`` with a file: its numbers adjusted, as a listing or in the document itself."""

from __future__ import annotations

import itertools
import re
import shlex
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.answers import describe_assumed
from rankconst.checks.identify.search import complete_reading
from rankconst.cli.captions import conclude, count_worse, explain_tails, tell_ranges
from rankconst.cli.notes import name_lines, report_assumed, report_caveats, report_questions, report_reading
from rankconst.cli.output import (
    Column,
    Format,
    Listing,
    count_of,
    join_words,
    number,
    on_screen,
    say,
    show_interval,
    show_power,
    show_tail,
    write_whole,
)
from rankconst.errors import AskedError, RankconstError, UsageError
from rankconst.results.adjust import adjust_reading
from rankconst.results.document import Document, open_document
from rankconst.results.formats import read_opened
from rankconst.results.labels import read_label
from rankconst.results.reading import lengthen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rankconst.adjusting import Done
    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Stated
    from rankconst.results.adjusted import AdjustedReading, Block
    from rankconst.results.reading import Reading
    from rankconst.tables.tables import Tables


_MOST_NOTES = 50

# Of more tools than this, caveats are not recited.
_FEW = 2

_MARKUP = {Format.markdown: "markdown", Format.latex: "latex"}

# What leaves a narrow terminal first: other columns, notes, z, tail probabilities, then the metrics from the last on.
_OTHER, _NOTE, _Z, _P = 400, 300, 200, 100


@dataclass(frozen=True)
class Work:
    """What to adjust: a file, and how it is read."""

    file: str
    input_format: str | None
    decimal: str | None
    percent: bool | None
    user: Stated
    tables: Tables
    metrics: tuple[Metric, ...] = ()
    baselines: tuple[str, ...] = ()  # further ones than chance
    strict: bool = False

    def open(self) -> Document:
        """Open the file; tables that name no metric are of the only one that was asked for."""
        only = self.metrics[0] if len(self.metrics) == 1 else None
        return open_document(self.file, self.decimal, self.percent, only)


def read_file(work: Work) -> Reading:
    """Read a file, and say on stderr what was left out."""
    reading = read_opened(work.open(), work.input_format)
    report_reading(reading, strict=work.strict)
    return reading


def list_file(work: Work, form: Format, *, significance: bool, long: bool) -> Listing:
    """Adjust the numbers of a file, and say on stderr what was left out, assumed and asked."""
    reading = read_file(work)
    adjusted = adjust_file(lengthen(reading) if long else reading, work, significance=significance)
    kept = _choose_rows(adjusted, form)
    _report(adjusted, kept[adjusted.rows])
    return _lay_out(adjusted, form, kept)


def rewrite_file(work: Work, names: Sequence[str], out: Path | None, *, digits: int | None, force: bool) -> None:
    """Write a document with its numbers replaced, and say on stderr what stays."""
    if len(work.baselines) > 1:
        raise UsageError(f"--replace is over one baseline: {join_words(work.baselines)}?")
    baseline = work.baselines[0] if work.baselines else None
    document = work.open()
    from rankconst.results.rewrite import choose_metrics, parse_exchange, rewrite

    exchanges = [parse_exchange(name, baseline) for name in names]
    reading = read_opened(document, work.input_format)
    report_reading(reading, strict=work.strict)
    work = replace(work, metrics=work.metrics or tuple(choose_metrics(reading, exchanges)))
    adjusted = adjust_file(reading, work)
    adjusted = adjusted.against_baseline(baseline) if baseline else adjusted
    _report(adjusted)
    percent = work.user.percent
    done = rewrite(document, adjusted, exchanges, digits=digits, percent=percent, command=_comment(adjusted))
    asked = {f"{question}." for question in adjusted.asked}
    _report_notes(reading.name, (each for each in done.notes if not any(map(each[1].__contains__, asked))))
    if out is None:
        sys.stdout.write(on_screen(done.source))
        return
    write_whole(out, done.source.encode(), force)
    say(f"{out}: {count_of(done.replaced, 'number')} replaced, tables {work.tables.version}")


def _comment(adjusted: AdjustedReading) -> str:
    """Return the command, and what was assumed and asked, on one line."""
    command = shlex.join(["rankconst", *sys.argv[1:]]).replace("\n", " ").encode(errors="backslashreplace").decode()
    said = [command]
    if adjusted.assumed:
        said.append(f"assumed: {describe_assumed(adjusted.assumed)}")
    if adjusted.accepted:
        said.append(f"accepted: {', '.join(adjusted.accepted)}")
    if adjusted.waiting:
        said.append(f"as published, as they wait for an answer: {count_of(len(adjusted.waiting), 'number')}")
    return "; ".join(said)


def adjust_file(reading: Reading, work: Work, *, significance: bool = False) -> AdjustedReading:
    """Adjust the numbers of a file, and say how its tasks were found."""
    completed = complete_reading(reading, work.tables, work.user)
    if completed.note:
        say(f"note: {reading.name}: {completed.note}")
    try:
        return adjust_reading(
            completed.reading,
            work.tables,
            work.user,
            metrics=work.metrics,
            significance=significance,
            errors="raise" if work.strict else None,
            track=_track,
            baselines=work.baselines,
        )
    except RankconstError as error:
        report_questions(reading.name, error.asks, lambda place: completed.reading.entries[place].line)
        if isinstance(error, AskedError):
            raise AskedError("nothing is adjusted before these questions have an answer.") from None
        raise


def _report(adjusted: AdjustedReading, listed: NDArray[np.bool_] | None = None) -> None:
    """Say on stderr what was assumed, asked and left out, and what there is to know of the numbers that are listed."""
    reading = adjusted.reading
    if reading.understood and adjusted.user.dataset is not None:
        _report_others(adjusted)
    report_answers(adjusted)
    notes = (
        (reading.entries[place].line, note)
        for place, note in sorted(adjusted.notes.items())
        if place not in adjusted.waiting and (listed is None or listed[place])
    )
    _report_notes(reading.name, notes)
    if len(adjusted.tools) > _FEW:
        named = ", ".join(tool.key for tool in adjusted.tools)
        say(f"note: for the caveats of {named} see `rankconst show NAME`.")
    else:
        report_caveats(adjusted.tools)


def report_answers(adjusted: AdjustedReading) -> None:
    """Say on stderr what was assumed of the numbers of a file, and what is asked about the others."""
    name = adjusted.reading.name
    report_assumed(adjusted.assumed, f"nothing in {name}", adjusted.user, adjusted.accepted)
    report_questions(name, adjusted.asked, lambda place: adjusted.reading.entries[place].line)


def _report_notes(name: str, notes: Iterable[tuple[int | None, str]]) -> None:
    """Say notes on stderr, each once with all its lines."""
    lines: dict[str, set[int]] = {}
    for line, note in notes:
        lines.setdefault(note, set()).update({line} if line else ())
    for note, places in list(lines.items())[:_MOST_NOTES]:
        say(f"note: {name}{name_lines(places)}: {note}")
    if len(lines) > _MOST_NOTES:
        more = count_of(len(lines) - _MOST_NOTES, "more note")
        say(f"note: {name}: {more}; files such as --out adjusted.csv have all, in column note.")


def _report_others(adjusted: AdjustedReading) -> None:
    """Say of which other datasets numbers were left out, where a file's own words may not be seen at once."""
    entries = adjusted.reading.entries
    named = [context.dataset for context in entries.contexts]
    asked = {named[each] for each in dict.fromkeys(entries.context_of[adjusted.wanted].tolist())}
    others = dict.fromkeys(dataset for dataset in named if dataset is not None and dataset not in asked)
    if others:
        say(f"note: {adjusted.reading.name}: numbers on other datasets are left out: {', '.join(others)}.")


def _track(done: Sequence[Done]) -> Iterable[Done]:
    """Show progress on a terminal."""
    if not sys.stderr.isatty():
        return done
    from rich.console import Console
    from rich.progress import track

    return track(done, description="significance", console=Console(stderr=True), transient=True)


def _lay_out(adjusted: AdjustedReading, form: Format, kept: NDArray[np.bool_]) -> Listing:
    """Return the original columns with the adjusted numbers to their right.

    A table on a screen leaves out what rankconst knows nothing about; no other format does.
    """
    reading, data = adjusted.reading, adjusted.table
    original = [_original(reading, place, adjusted.blocks, form) for place in range(len(reading.columns))]
    added = [
        column
        for place, (block, names) in enumerate(adjusted.list_added())
        for column in _columns_of(block, place, names)
    ]
    answers: tuple[Column, ...] = ()
    if form is Format.json:
        answers = (Column("assumed"), Column("asked"))
        data = data | {column: adjusted.put_numbers(column) for column in adjusted.blocks} | adjusted.answers
    *facts, note = adjusted.described
    if form is Format.table and adjusted.waiting:
        data = data | {note: _shorten_notes(adjusted, data[note])}
    last = Column(
        note,
        "note" if any(itertools.compress(data[note], kept.tolist())) else None,
        lambda value: value or "",
        drop=_NOTE,
    )
    left_out = [column.key for column in original if column.title is None]
    methods = [each.method for done in adjusted.done for each in done.significance if each is not None]
    tails = f" {explain_tails(methods, 'a random ranker', 'as well')}" if methods else ""
    more = f" Left out here, kept in other formats: {', '.join(left_out)}." if left_out else ""
    first: list[Column] = []
    if form is Format.table and "dataset" in facts and len(named := _name_datasets(adjusted)) > 1:
        data = data | {"dataset": named}
        facts.remove("dataset")
        first = [Column("dataset", "dataset", lambda name: name or "")] * (len({*named} - {None}) > 1)
    columns = [*first, *original, *added, *map(Column, facts), last, *answers]
    if form is Format.table and reading.layout == "wide":
        groups = _group_columns(adjusted)
        columns = [replace(column, group=groups.get(column.key)) for column in columns]
    return Listing(
        columns,
        data if kept.all() else {key: _take(values, kept) for key, values in data.items()},
        caption="index: 0 = random, 1 = perfect; z: standard deviations better than random."
        f"{' skill: 0 = as the baseline, 1 = perfect.' * bool(adjusted.against)}{tell_ranges(adjusted.done)}{tails} "
        f"Tables: {adjusted.table_version}.{more}{conclude(adjusted.done)}{count_worse(adjusted.against)}",
    )


def _name_datasets(adjusted: AdjustedReading) -> list[str | None]:
    """Return the dataset of each row as the file names it."""
    entries = adjusted.reading.entries
    named = np.full(len(adjusted.reading.rows), None, dtype=object)
    names = np.array([*(context.dataset for context in entries.contexts), None], dtype=object)
    named[adjusted.rows] = names[entries.context_of]
    return list(named)


def _shorten_notes(adjusted: AdjustedReading, notes: Sequence[str | None]) -> list[str | None]:
    """Return notes for a screen, which has the questions once, on stderr."""
    words: dict[int, dict[str, None]] = {}
    for question in adjusted.asked:
        for row in adjusted.rows[list(question.numbers)].tolist():
            words.setdefault(row, {})[question.word or question.text] = None
    return [f"asked: {', '.join(words[row])}" if row in words else note for row, note in enumerate(notes)]


def _group_columns(adjusted: AdjustedReading) -> dict[str, str]:
    """Return the dataset in the heading of each column of numbers, and of what is added for it; empty without one."""
    groups: dict[str, str] = {}
    for column, block in adjusted.blocks.items():
        inner = re.search(r"\(([^()A-Za-z]*+[A-Za-z][^()]*+)\)$", column)
        group = column.rpartition(" / ")[0] or (inner[1] if inner is not None else "")
        groups |= dict.fromkeys((column, *block.list_names(significant=adjusted.is_significant).values()), group)
    return groups


def _columns_of(block: Block, place: int, names: Mapping[str, str]) -> list[Column]:
    """Return what is added for the column of numbers at that place among them."""
    shown = {}
    for form, key in block.forms.items():
        # The normalised form says little next to the index; files have it.
        title = None if form == "normalised" else key
        drop = _Z + place if form == "z" else _drop_block(place)
        shown[key] = Column(key, title, number(4), right=True, drop=drop, show_row=show_interval(key))
    for name in (name for key, name in block.skills.items() if key.startswith("index@")):
        title = name.replace("_", " ")
        shown[name] = Column(name, title, number(4), right=True, drop=_drop_block(place), show_row=show_interval(name))
    if "log10_p" in names:
        key, title = names["log10_p"], f"{block.prefix}p".replace("_", " ")
        shown[key] = Column(key, title, show_power, right=True, drop=_P + place, show_row=show_tail(key))
    return [shown.get(name, Column(name)) for name in names.values()]


def _choose_ranks(adjusted: AdjustedReading) -> NDArray[np.bool_]:
    """Return which of PyKEEN's nine evaluations a screen shows: both sides, realistic, unless others were asked for."""
    reading, chosen = adjusted.reading, adjusted.wanted.copy()
    contexts = reading.entries.contexts
    if not any(each.rank_type for each in contexts):
        return chosen
    for field, usual in (("rank_type", "realistic"), ("side", "both")):
        said, of = [getattr(each, field) for each in contexts], reading.entries.context_of
        if (chosen & np.array([each == usual for each in said])[of]).any():
            chosen &= np.array([each in {usual, None} for each in said])[of]
    left = int(adjusted.wanted.sum() - chosen.sum())
    if left:
        kept = dict.fromkeys(reading.entries.context_of[chosen].tolist())
        shown = dict.fromkeys(f"{contexts[each].side}.{contexts[each].rank_type}" for each in kept)
        say(
            f"note: {reading.name}: shown: {', '.join(shown)} only; --side head shows another side, and formats "
            f"such as --format csv have the other {left:,} numbers, too.",
        )
    return chosen


def _choose_rows(adjusted: AdjustedReading, form: Format) -> NDArray[np.bool_]:
    """Return which rows are listed: what was not asked for is left out, and on a screen what nothing is said about."""
    kept, rows = np.zeros(len(adjusted.reading.rows), dtype=np.bool_), adjusted.rows
    if form is Format.table and adjusted.reading.layout == "long":
        noted = np.zeros_like(adjusted.wanted)
        noted[list(adjusted.notes)] = True
        kept[rows[((adjusted.batch_of >= 0) | noted) & _choose_ranks(adjusted)]] = True
    elif adjusted.is_selection or form is Format.table:
        kept[rows[adjusted.wanted]] = True
    else:
        kept[:] = True
    return kept


def _take(values: Any, kept: NDArray[np.bool_]) -> Any:
    return values[kept] if hasattr(values, "dtype") else list(itertools.compress(values, kept.tolist()))


def _original(reading: Reading, place: int, blocks: Mapping[str, Block], form: Format) -> Column:
    column = reading.columns[place]
    role = read_label(column).role or None
    # On a screen a wide table shows what was adjusted, and what says what it is: as a rule the first column does.
    first = int(bool(reading.understood) and reading.columns[0] == "dataset")
    named = role in {"model", "dataset"} or (place in {0, first} and role != "measured")
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
