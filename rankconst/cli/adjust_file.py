"""``rankconst adjust`` with a file: its numbers adjusted, in a listing or in the document."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankconst.catalogue.baselines import FLOOR
from rankconst.checks import confirm_reading
from rankconst.cli.output import (
    NOTICE,
    on_screen,
    report_assumed,
    report_caveats,
    report_notes,
    report_questions,
    report_reading,
    report_sampled,
    say,
    write_whole,
)
from rankconst.errors import AskedError, RankconstError, UsageError
from rankconst.evaluation import NAMES, describe_assumed
from rankconst.listing import SUFFIXES, Format, Listing
from rankconst.names import count_of, join_words
from rankconst.results.batches import adjust_reading
from rankconst.results.columns import list_distinct
from rankconst.results.document import Document, open_document
from rankconst.results.formats import read, read_opened
from rankconst.results.listed import choose_rows, explain_ranks, lay_out
from rankconst.results.meanings import assume_unit, name_answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Address
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.results.reading import Reading
    from rankconst.tables.archive import Tables

# Of more tools than this, caveats are not recited.
_FEW = 2

# A share that --percent makes as small as this may have been a fraction.
_FEW_PERCENT = 0.01


@dataclass(frozen=True)
class Work:
    """Files to adjust, with the options for reading and adjusting them."""

    files: Sequence[str] | Document  # the names of files, or a document in their place
    decimal: str | None
    percent: bool | None
    user: Address
    tables: Tables
    metrics: tuple[Metric, ...] = ()
    baselines: tuple[str, ...] = ()  # further ones than chance
    strict: bool = False
    details: bool = False

    @property
    def how(self) -> dict[str, Any]:
        """The options for reading the files."""
        only = self.metrics[0] if len(self.metrics) == 1 else None
        unit = assume_unit(self.percent, self.tables)
        return {"decimal": self.decimal, "percent": unit, "metric": only}


def read_file(work: Work) -> Reading:
    """Read files, and report or, if `work.strict`, refuse omissions."""
    if isinstance(work.files, Document):
        reading = read_opened(work.files)
        # These values were typed: messages must not name lines of a file that no user has seen.
        reading = replace(reading, entries=reading.entries.drop_lines())
    else:
        reading = read(work.files, **work.how)

    reading = name_answers(reading, work.tables)
    report_reading(reading, strict=work.strict)
    return reading


def list_file(work: Work, form: Format) -> Listing:
    """List adjusted numbers, and report omissions, assumptions, questions and notes."""
    adjusted = adjust_file(read_file(work), work)
    rows = choose_rows(adjusted, form)
    note = explain_ranks(adjusted) if form is Format.table else ""
    if note:
        say(f"note: {note}")

    report(adjusted, rows[adjusted.rows])
    report_sampled(adjusted.assumed, adjusted.done, work.tables)
    adjusted = replace(adjusted, details=work.details or form is Format.json)
    return lay_out(adjusted, form, rows, work.tables)


def rewrite_file(work: Work, names: Sequence[str], out: Path | None, *, force: bool) -> None:
    """Write a document with its numbers replaced, and report the numbers that stay."""
    if len(work.baselines) > 1:
        raise UsageError(f"--replace takes one baseline; got {join_words(work.baselines)}.")

    baseline = next(iter(work.baselines), None)
    if isinstance(work.files, Document) or len(work.files) > 1:
        raise UsageError("--replace is for one document: name a single file.")

    form = None if out is None else SUFFIXES.get(out.suffix.lower())
    if form not in {None, Format.table, Format.markdown, Format.latex}:
        raise UsageError(
            f"--replace writes the same document, so {out} cannot be {form}. Name a file with the "
            f"ending of {work.files[0]}."
        )

    document = open_document(work.files[0], **work.how)
    from rankconst.results.rewrite import choose_metrics, parse_exchange, rewrite

    exchanges = [parse_exchange(name, baseline) for name in names]
    reading = name_answers(read_opened(document), work.tables)
    report_reading(reading, strict=work.strict)
    work = replace(work, metrics=work.metrics or tuple(choose_metrics(reading, exchanges)))
    adjusted = adjust_file(reading, work)
    if baseline:
        adjusted = adjusted.against_baseline(baseline)

    report(adjusted)
    report_sampled(adjusted.assumed, adjusted.done, work.tables)
    percent = work.user.percent
    done = rewrite(document, adjusted, exchanges, percent=percent, command=_comment(adjusted))
    questions = {f"{question}." for question in adjusted.asked}
    notes = []  # without those that a question repeats, which `report` has told
    for line, note in done.notes:
        if not any(question in note for question in questions):
            notes.append((reading.name, line, note))

    report_notes(reading.name, notes)
    if out is None:
        sys.stdout.write(on_screen(done.source))
        return

    write_whole(out, done.source.encode(), force=force)
    say(f"{out}: {count_of(done.replaced, 'number')} replaced, tables {work.tables.version}")


def _comment(adjusted: AdjustedReading) -> str:
    """Return the comment of a rewritten document: the command and the assumptions."""
    command = (
        shlex.join(["rankconst", *sys.argv[1:]])
        .replace("\n", " ")
        .encode(errors="backslashreplace")
        .decode()
    )
    parts = [command]
    if adjusted.assumed:
        parts.append(f"assumed: {describe_assumed(adjusted.assumed)}")

    if adjusted.accepted:
        parts.append(f"accepted: {', '.join(adjusted.accepted)}")

    if adjusted.waiting:
        parts.append(
            f"as published, as they wait for an answer: {count_of(len(adjusted.waiting), 'number')}"
        )

    return "; ".join(parts)


def adjust_file(reading: Reading, work: Work) -> AdjustedReading:
    """Adjust the numbers of a file, or report the questions if none can be adjusted."""
    confirmed = confirm_reading(reading, work.tables, work.user)
    errors: Literal["raise"] | None = "raise" if work.strict else None
    try:
        return adjust_reading(
            confirmed,
            work.tables,
            work.user,
            metrics=work.metrics,
            significance=work.details,
            errors=errors,
            track=_track,
            baselines=work.baselines,
        )
    except RankconstError as error:
        report_questions(confirmed, error.questions)
        if isinstance(error, AskedError):
            raise AskedError("nothing is adjusted before these questions have an answer.") from None
        raise


def report(adjusted: AdjustedReading, listed: NDArray[np.bool_] | None = None) -> None:
    """Report assumptions, questions, omissions and notes on the listed numbers on stderr."""
    reading = adjusted.reading
    _report_others(adjusted)
    report_answers(adjusted)
    notes = (
        (*reading.locate(index), note)
        for index, note in sorted(adjusted.notes.items())
        if index not in adjusted.waiting and (listed is None or listed[index])
    )
    report_notes(reading.name, notes)
    if len(adjusted.tools) > _FEW:
        tools = ", ".join(tool.key for tool in adjusted.tools)
        say(f"note: for the caveats of {tools} see `rankconst show NAME`.")
    else:
        report_caveats(adjusted.tools)


def report_answers(adjusted: AdjustedReading) -> None:
    """Report the assumptions about a file's numbers, and the open questions, on stderr."""
    name = adjusted.reading.name
    remarks = []
    declared = adjusted.list_partly_declared()
    some = {field: values for field, values in adjusted.assumed.items() if field in declared}
    of_all = {field: values for field, values in adjusted.assumed.items() if field not in declared}
    # What is assumed of all numbers is the text of the report; what is assumed of some, a remark.
    if some and of_all:
        remarks.append(f"{describe_assumed(some)} (where it says no other)")
    elif some:
        remarks.append(f"assumed: {describe_assumed(some)} (where {name} says no other)")

    doubt = _doubt_percent(adjusted) if adjusted.user.percent else ""
    if doubt:
        remarks.append(doubt)

    report_assumed(of_all, f"nothing in {name}", adjusted.user, adjusted.accepted, remarks)
    report_questions(adjusted.reading, adjusted.asked)


def _doubt_percent(adjusted: AdjustedReading) -> str:
    """Count the shares that are small for percentages, and may be fractions."""
    total = small = 0
    for done in adjusted.done:
        if done.published.tasks.is_chance and done.published.metric.is_share:
            total += done.published.value.size
            small += int((done.published.value < _FEW_PERCENT).sum())

    if not small:
        return ""
    return f"read as percentages: {count_of(total, 'number')}; {small:,} of them below 1%"


def _report_others(adjusted: AdjustedReading) -> None:
    """Report how many numbers the file says are of other tasks."""
    entries = adjusted.reading.entries
    options = [name for name in NAMES if getattr(adjusted.user, name)]
    texts = []
    for context in entries.contexts:
        values = [getattr(context, name) for name in options]
        texts.append(", ".join(value for value in values if value))

    asked = {texts[code] for code in list_distinct(entries.context_codes[adjusted.wanted])}
    others: Counter[str] = Counter()
    times = np.bincount(entries.context_codes[~adjusted.wanted])
    for code in np.flatnonzero(times).tolist():
        others[texts[code]] += int(times[code])

    parts = [f"{n:,} ({text})" for text, n in others.items() if text and text not in asked]
    if parts:
        listed = ", ".join(parts)
        say(f"left out: numbers that {adjusted.reading.name} says are of other tasks: {listed}.")


def _track(done: Sequence[AdjustedBatch]) -> Iterable[AdjustedBatch]:
    """Return the batches, and show the progress of their use on a terminal."""
    if not sys.stderr.isatty():
        return done
    from rich.console import Console
    from rich.progress import track

    NOTICE.stop()
    return track(done, description="significance", console=Console(stderr=True), transient=True)


# -- a picture -------------------------------------------------------------------------------------


def draw_file(work: Work) -> Figure:
    """Draw all numbers of a file as published, adjusted and over counting, by dataset."""
    from rankconst.figures import draw_results

    if set(work.baselines) - {FLOOR}:
        raise UsageError(f"a picture compares with {FLOOR}; leave out --baseline.")

    reading = read_file(work)
    try:
        adjusted = adjust_file(reading, replace(work, baselines=(FLOOR,)))
    except RankconstError as error:
        if work.baselines or error.questions:
            raise
        adjusted = adjust_file(reading, work)  # nothing is known of counting there

    figure = draw_results(adjusted, work.metrics or None, titles=work.tables.titles)
    report_answers(adjusted)
    left = Counter(note for index, note in adjusted.notes.items() if adjusted.batch_of[index] < 0)
    left -= Counter(adjusted.notes[index] for index in adjusted.waiting)
    for note, times in left.items():
        say(f"left out: {count_of(times, 'value')} of {adjusted.reading.name}: {note}")

    return figure
