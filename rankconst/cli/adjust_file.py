"""``rankconst adjust`` with a file: its numbers adjusted, as a listing or in the document itself."""

from __future__ import annotations

import itertools
import re
import shlex
import sys
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.baselines import FLOOR
from rankconst.checks.confirm import confirm_reading
from rankconst.cli.notes import (
    report_assumed,
    report_caveats,
    report_notes,
    report_questions,
    report_reading,
    report_sampled,
)
from rankconst.cli.output import on_screen, say, write_whole
from rankconst.errors import AskedError, RankconstError, UsageError
from rankconst.evaluation import NAMES, describe_assumed
from rankconst.listing import Column, Format, Listing, fixed, show_interval, show_tail
from rankconst.names import count_of, join_words
from rankconst.results.adjust import adjust_reading
from rankconst.results.document import Document, open_document
from rankconst.results.formats import read_opened
from rankconst.verdicts import find_floor, show_expected, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from rankconst.adjusting import Done
    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Stated
    from rankconst.results.adjusted import AdjustedReading, Block
    from rankconst.results.reading import Reading
    from rankconst.tables.tables import Tables


# Of more tools than this, caveats are not recited.
_FEW = 2

# A longer note is on stderr alone: with it, no table would fit a usual terminal.
_LONG_NOTE = 80

_MARKUP = {Format.markdown: "markdown", Format.latex: "latex"}

# What leaves a narrow terminal first: notes (also on stderr), p, z, published numbers from the last on, skills.
_NOTE, _P, _Z, _PUBLISHED, _SKILL = 5000, 4000, 3000, 2000, 1000

# A share that --percent makes as small may be a fraction.
_FEW_PERCENT = 0.01

# So many adjusted metrics are named in a caption.
_FEW_NAMES = 4


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
    details: bool = False

    def open(self) -> Document:
        """Open the file; tables that name no metric are of the only one that was asked for."""
        only = self.metrics[0] if len(self.metrics) == 1 else None
        return open_document(self.file, self.decimal, self.percent, only)


def read_file(work: Work) -> Reading:
    """Read a file, and say on stderr what was left out."""
    reading = read_opened(work.open(), work.input_format)
    report_reading(reading, strict=work.strict)
    return reading


def list_file(work: Work, form: Format) -> Listing:
    """Adjust the numbers of a file, and say on stderr what was left out, assumed and asked."""
    adjusted = adjust_file(read_file(work), work)
    kept = _choose_rows(adjusted, form)
    report(adjusted, kept[adjusted.rows])
    report_sampled(adjusted.assumed, adjusted.done, work.tables)
    return _lay_out(replace(adjusted, details=work.details or form is Format.json), form, kept, work.tables)


def rewrite_file(work: Work, names: Sequence[str], out: Path | None, *, force: bool) -> None:
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
    report(adjusted)
    report_sampled(adjusted.assumed, adjusted.done, work.tables)
    percent = work.user.percent
    done = rewrite(document, adjusted, exchanges, percent=percent, command=_comment(adjusted))
    asked = {f"{question}." for question in adjusted.asked}
    report_notes(reading.name, (each for each in done.notes if not any(map(each[1].__contains__, asked))))
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


def adjust_file(reading: Reading, work: Work) -> AdjustedReading:
    """Adjust the numbers of a file; say on stderr what is asked if none can be."""
    confirmed = confirm_reading(reading, work.tables, work.user)
    try:
        return adjust_reading(
            confirmed,
            work.tables,
            work.user,
            metrics=work.metrics,
            significance=work.details,
            errors="raise" if work.strict else None,
            track=_track,
            baselines=work.baselines,
        )
    except RankconstError as error:
        report_questions(reading.name, error.asks, lambda place: confirmed.entries[place].line)
        if isinstance(error, AskedError):
            raise AskedError("nothing is adjusted before these questions have an answer.") from None
        raise


def report(adjusted: AdjustedReading, listed: NDArray[np.bool_] | None = None) -> None:
    """Say on stderr what was assumed, asked and left out, and what there is to know of the numbers that are listed."""
    reading = adjusted.reading
    _report_others(adjusted)
    report_answers(adjusted)
    notes = (
        (reading.entries[place].line, note)
        for place, note in sorted(adjusted.notes.items())
        if place not in adjusted.waiting and (listed is None or listed[place])
    )
    report_notes(reading.name, notes)
    if len(adjusted.tools) > _FEW:
        named = ", ".join(tool.key for tool in adjusted.tools)
        say(f"note: for the caveats of {named} see `rankconst show NAME`.")
    else:
        report_caveats(adjusted.tools)


def report_answers(adjusted: AdjustedReading) -> None:
    """Say on stderr what was assumed of the numbers of a file, and what is asked about the others."""
    name = adjusted.reading.name
    shares = [each.batch.value for each in adjusted.done if each.batch.tasks.is_chance and each.batch.metric.is_share]
    read, few = (sum(map(count, shares)) for count in (len, lambda values: int((values < _FEW_PERCENT).sum())))
    percent = f"read as percentages: {count_of(read, 'number')}; {few:,} of them below 1 %"
    told = percent * bool(adjusted.user.percent and few)
    report_assumed(adjusted.assumed, f"nothing in {name}", adjusted.user, adjusted.accepted, told)
    report_questions(name, adjusted.asked, lambda place: adjusted.reading.entries[place].line)


def _report_others(adjusted: AdjustedReading) -> None:
    """Count the numbers that say they are of other tasks than the options do."""
    entries, options = adjusted.reading.entries, [name for name in NAMES if getattr(adjusted.user, name)]
    said = [", ".join(filter(None, (getattr(each, name) for name in options))) for each in entries.contexts]
    asked = {said[place] for place in np.unique(entries.context_of[adjusted.wanted]).tolist()}
    others: Counter[str] = Counter()
    for place, times in zip(*np.unique(entries.context_of[~adjusted.wanted], return_counts=True), strict=True):
        others[said[place]] += int(times)
    if told := ", ".join(f"{times:,} ({text})" for text, times in others.items() if text and text not in asked):
        say(f"left out: numbers that {adjusted.reading.name} says are of other tasks: {told}.")


def _track(done: Sequence[Done]) -> Iterable[Done]:
    """Show progress on a terminal."""
    if not sys.stderr.isatty():
        return done
    from rich.console import Console
    from rich.progress import track

    return track(done, description="significance", console=Console(stderr=True), transient=True)


def _lay_out(adjusted: AdjustedReading, form: Format, kept: NDArray[np.bool_], tables: Tables) -> Listing:
    """Return the original columns with the adjusted numbers to their right; on a screen without markup."""
    reading, data, screen = adjusted.reading, dict(adjusted.table), form is Format.table
    columns = [_original(reading, column, adjusted.blocks, form) for column in reading.columns]
    if reading.form in _MARKUP.values() and (screen or _MARKUP.get(form, reading.form) != reading.form):
        data |= {column: [_strip(cell, reading.form) for cell in data[column]] for column in reading.columns}
    for block, names in adjusted.list_added():
        columns += _columns_of(block, names)
    if form is Format.json:
        data |= {column: adjusted.put_numbers(column) for column in adjusted.blocks} | adjusted.answers
    *facts, note = adjusted.described
    if screen and adjusted.waiting:
        data[note] = _shorten_notes(adjusted, data[note])
    if screen and "dataset" in adjusted.described and len({*(named := _name_datasets(adjusted))} - {None}) > 1:
        data["dataset"] = named
        columns.insert(0, Column("dataset", "dataset", lambda name: name or ""))
        facts.remove("dataset")
    columns += map(Column, facts)
    longest = max((len(text or "") for text in itertools.compress(data[note], kept.tolist())), default=0)
    noted = longest > 0 and not (screen and longest > _LONG_NOTE)
    if noted or adjusted.details:
        columns.append(Column(note, note if noted else None, lambda value: value or "", drop=_NOTE))
    if form is Format.json:
        columns += [Column("assumed"), Column("asked")]
    if screen and reading.layout == "wide":
        groups = _group_columns(adjusted)
        columns = [replace(column, group=groups.get(column.key)) for column in columns]
    listing = Listing(columns, data, caption=_caption(adjusted, tables, kept) if screen else "")
    return listing if kept.all() else listing.take(np.flatnonzero(kept).tolist())


def _caption(adjusted: AdjustedReading, tables: Tables, kept: NDArray[np.bool_]) -> str:
    """Say what the columns are, and what the numbers in some rows mean."""
    meaning = "0 = chance, 1 = perfect"
    named = dict.fromkeys(name for _, names in adjusted.list_added() if (name := names.get("index")))
    lines = [f"{join_words([*named]) if len(named) <= _FEW_NAMES else 'Adjusted'}: {meaning}."]
    if adjusted.against:
        lines[0] += " skill: 0 = as the baseline, 1 = perfect."
    if adjusted.details:
        lines[0] += " z: standard deviations better than chance. In brackets: the effect of rounding."
        if methods := {each.method for done in adjusted.done for each in done.significance if each is not None}:
            lines[0] += f" p: the probability that a random ranker does as well ({', '.join(sorted(methods))})."
    listed = kept[adjusted.rows].astype(np.intp)
    parts = (part for each in adjusted.done if each.batch.tasks.is_chance for part in each.split(listed))
    chance = [part for code, part in parts if code]
    floors = {each: find_floor(each, tables) for each in chance}
    if adjusted.details and len(chance) <= _FEW_NAMES:
        lines += map(_describe_rankers, floors, floors.values())
    if chance:
        wanted, each = int(kept[adjusted.rows[adjusted.wanted]].sum()), sum(one.batch.index.size for one in floors)
        some = f"{each:,} of {wanted:,} numbers {'is' if each == 1 else 'are'} adjusted. " * (each < wanted)
        lines.append(f"{some}{summarise(floors)}")
    lines.append(f"{'' if adjusted.details else 'More: --details. '}Tables {adjusted.table_version}.")
    return "\n".join(lines)


def _describe_rankers(chance: Done, floor: Done | None) -> str:
    """Say what rankers without learning get where some numbers are from."""
    tasks = chance.batch.tasks
    counting = "" if floor is None else f", counting {show_expected(floor.constants.expectation)}"
    gets = f"chance {show_expected(chance.constants.expectation)}{counting}"
    return f"{chance.batch.metric.label} on {tasks.dataset} ({tasks.describe()}): {gets}."


def _strip(cell: str, form: str) -> str:
    """Return a cell without the markup of its document."""
    if form == "latex":
        from rankconst.results.tables.tex import strip_latex

        return strip_latex(cell)
    from rankconst.results.tables.cells import strip_marks

    return strip_marks(cell)


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
            words.setdefault(row, {})[question.word if question.place else question.text] = None
    return [f"asked: {', '.join(words[row])}" if row in words else note for row, note in enumerate(notes)]


def _group_columns(adjusted: AdjustedReading) -> dict[str, str]:
    """Return the dataset in the heading of each column of numbers, and of what is added for it; empty without one."""
    groups: dict[str, str] = {}
    names = dict(adjusted.list_added())
    for column, block in adjusted.blocks.items():
        inner = re.search(r"\(([^()A-Za-z]*+[A-Za-z][^()]*+)\)$", column)
        group = column.rpartition(" / ")[0] or (inner[1] if inner is not None else "")
        groups |= dict.fromkeys((column, *names[block].values()), group)
    return groups


def _columns_of(block: Block, names: Mapping[str, str]) -> list[Column]:
    """Return what is added for one column of numbers."""
    shown = {}
    for form, key in block.forms.items():
        # The normalised form says little next to the index; files have it.
        title = None if form == "normalised" else key
        ranged = show_interval(key) if "normalised" in names else None
        shown[key] = Column(key, title, fixed, right=True, show_row=ranged, drop=_Z if form == "z" else 0)
    for place, name in enumerate(name for key, name in block.skills.items() if key.startswith("index@")):
        shown[name] = Column(name, name.replace("_", " "), fixed, right=True, drop=_SKILL + place)
    if "log10_p" in names:
        key, title = names["log10_p"], f"{block.prefix}p".replace("_", " ")
        shown[key] = Column(key, title, right=True, show_row=show_tail(key), drop=_P)
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


def _original(reading: Reading, column: str, blocks: Mapping[str, Block], form: Format) -> Column:
    """Return a column of the file; a published number leaves a narrow screen before anything else does."""
    drop = _PUBLISHED + list(blocks).index(column) if column in blocks and reading.layout == "wide" else 0
    raw = _MARKUP.get(form) == reading.form
    return Column(column, column, lambda value: value or "", right=column in blocks, drop=drop, raw=raw)


# -- a picture --------------------------------------------------------------------------------------------------------


def draw_file(work: Work) -> Figure:
    """Draw every number of a file as published, adjusted, and over counting, dataset by dataset."""
    from rankconst.figures import draw_results

    if set(work.baselines) - {FLOOR}:
        raise UsageError(f"a picture compares with {FLOOR}; leave out --baseline.")
    adjusted = adjust_file(read_file(work), replace(work, baselines=(FLOOR,)))
    figure = draw_results(adjusted, work.metrics or None, titles=work.tables.titles)
    report_answers(adjusted)
    left = Counter(note for place, note in adjusted.notes.items() if adjusted.batch_of[place] < 0)
    left -= Counter(adjusted.notes[place] for place in adjusted.waiting)
    for note, times in left.items():
        say(f"left out: {count_of(times, 'value')} of {adjusted.reading.name}: {note}")
    return figure
