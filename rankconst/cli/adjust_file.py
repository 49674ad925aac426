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

_MOST_CAVEATS = 2
"""The caveats of more tools than this are not printed, only where to read them."""

_SMALL_SHARE = 0.01
"""With --percent, a share below this may have been a fraction rather than a percentage."""


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
    def reading_options(self) -> dict[str, Any]:
        """The keyword arguments of :func:`read` and :func:`open_document`."""
        only_metric = self.metrics[0] if len(self.metrics) == 1 else None
        percent = assume_unit(self.percent, self.tables)
        return {"decimal": self.decimal, "percent": percent, "metric": only_metric}


def read_file(work: Work) -> Reading:
    """Read files, and report or, if `work.strict`, refuse omissions."""
    if isinstance(work.files, Document):
        reading = read_opened(work.files)
        # These values were typed: messages must not name lines of a file that no user has seen.
        reading = replace(reading, entries=reading.entries.drop_lines())
    else:
        reading = read(work.files, **work.reading_options)

    reading = name_answers(reading, work.tables)
    report_reading(reading, strict=work.strict)
    return reading


def list_file(work: Work, form: Format) -> Listing:
    """List adjusted numbers, and report omissions, assumptions, questions and notes."""
    adjusted = adjust_file(read_file(work), work)
    is_row_listed = choose_rows(adjusted, form)
    if form is Format.table:
        note = explain_ranks(adjusted)
        if note:
            say(f"note: {note}")

    report(adjusted, is_row_listed[adjusted.rows])
    report_sampled(adjusted.assumed, adjusted.done, work.tables)
    adjusted = replace(adjusted, details=work.details or form is Format.json)
    return lay_out(adjusted, form, is_row_listed, work.tables)


def rewrite_file(work: Work, names: Sequence[str], out: Path | None, *, force: bool) -> None:
    """Write a document with its numbers replaced, and report the numbers that stay.

    `names` say by what: AMRR, skill ... The document goes to the file `out`; to stdout without one.
    """
    from rankconst.results.rewrite import choose_metrics, parse_exchange, rewrite

    name = _choose_document(work, out)
    document = open_document(name, **work.reading_options)
    baseline = next(iter(work.baselines), None)
    exchanges = [parse_exchange(name, baseline) for name in names]
    reading = name_answers(read_opened(document), work.tables)
    report_reading(reading, strict=work.strict)

    if not work.metrics:
        work = replace(work, metrics=tuple(choose_metrics(reading, exchanges)))

    adjusted = adjust_file(reading, work)
    if baseline:
        adjusted = adjusted.against_baseline(baseline)

    report(adjusted)
    report_sampled(adjusted.assumed, adjusted.done, work.tables)

    comment = _write_comment(adjusted)
    rewritten = rewrite(document, adjusted, exchanges, percent=work.user.percent, command=comment)
    questions = {f"{question}." for question in adjusted.asked}
    notes = []
    for line, note in rewritten.notes:
        is_reported = any(question in note for question in questions)
        if not is_reported:
            notes.append((reading.name, line, note))

    report_notes(reading.name, notes)

    if out is None:
        sys.stdout.write(on_screen(rewritten.source))
        return

    write_whole(out, rewritten.source.encode(), force=force)
    say(f"{out}: {count_of(rewritten.replaced, 'number')} replaced, tables {work.tables.version}")


def _choose_document(work: Work, out: Path | None) -> str:
    """Return the name of the document to rewrite, or raise UsageError if options do not fit it."""
    if len(work.baselines) > 1:
        raise UsageError(f"--replace takes one baseline; got {join_words(work.baselines)}.")

    if isinstance(work.files, Document) or len(work.files) > 1:
        raise UsageError("--replace is for one document: name a single file.")

    name = work.files[0]
    form = None if out is None else SUFFIXES.get(out.suffix.lower())
    if form not in {None, Format.table, Format.markdown, Format.latex}:
        raise UsageError(
            f"--replace writes the same document, so {out} cannot be {form}. Name a file with the "
            f"ending of {name}."
        )
    return name


def _write_comment(adjusted: AdjustedReading) -> str:
    """Return the comment of a rewritten document: the command and the assumptions."""
    command = shlex.join(["rankconst", *sys.argv[1:]]).replace("\n", " ")
    # Arguments may have bytes that are not valid text: these are written as escapes, \udcff.
    remarks = [command.encode(errors="backslashreplace").decode()]
    if adjusted.assumed:
        remarks.append(f"assumed: {describe_assumed(adjusted.assumed)}")

    if adjusted.accepted:
        remarks.append(f"accepted: {', '.join(adjusted.accepted)}")

    if adjusted.waiting:
        numbers = count_of(len(adjusted.waiting), "number")
        remarks.append(f"as published, as they wait for an answer: {numbers}")

    return "; ".join(remarks)


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
            raise AskedError("nothing is adjusted until these questions are answered.") from None
        raise


def report(adjusted: AdjustedReading, is_listed: NDArray[np.bool_] | None = None) -> None:
    """Report assumptions, questions, omissions and notes on stderr.

    `is_listed` flags the numbers whose notes are reported, all of them if it is None.
    """
    reading = adjusted.reading
    _report_other_tasks(adjusted)
    report_answers(adjusted)

    notes = []
    for index, note in sorted(adjusted.notes.items()):
        is_reported = index in adjusted.waiting  # as a question
        if not is_reported and (is_listed is None or is_listed[index]):
            notes.append((*reading.locate(index), note))

    report_notes(reading.name, notes)

    if len(adjusted.tools) > _MOST_CAVEATS:
        tools = ", ".join(tool.key for tool in adjusted.tools)
        say(f"note: for the caveats of {tools} see `rankconst show NAME`.")
    else:
        report_caveats(adjusted.tools)


def report_answers(adjusted: AdjustedReading) -> None:
    """Report the assumptions about a file's numbers, and the open questions, on stderr."""
    name = adjusted.reading.name
    partly_declared = adjusted.list_partly_declared()
    of_some, of_all = {}, {}  # what is assumed of some numbers, and of all of them, by field
    for field, values in adjusted.assumed.items():
        if field in partly_declared:
            of_some[field] = values
        else:
            of_all[field] = values

    remarks = []
    if of_some and of_all:
        remarks.append(f"{describe_assumed(of_some)} (where it says no other)")
    elif of_some:
        remarks.append(f"assumed: {describe_assumed(of_some)} (where {name} says no other)")

    if adjusted.user.percent:
        remarks += _doubt_percent(adjusted)

    report_assumed(of_all, f"nothing in {name}", adjusted.user, adjusted.accepted, remarks)
    report_questions(adjusted.reading, adjusted.asked)


def _doubt_percent(adjusted: AdjustedReading) -> list[str]:
    """Remark on shares that are small for percentages, and may be fractions."""
    num_shares = num_small = 0
    for batch in adjusted.done:
        published = batch.published
        if published.tasks.is_chance and published.metric.is_share:
            num_shares += published.value.size
            num_small += int((published.value < _SMALL_SHARE).sum())

    if not num_small:
        return []
    numbers = count_of(num_shares, "number")
    return [f"read as percentages: {numbers}; {num_small:,} of them below 1%"]


def _report_other_tasks(adjusted: AdjustedReading) -> None:
    """Report how many numbers are left out, as the file says that they are of other tasks.

    For --split valid the report ends with "of other tasks: 4 (test), 2 (train)."
    """
    entries = adjusted.reading.entries
    fields = [name for name in NAMES if getattr(adjusted.user, name)]
    described = []  # the tasks of each context: "test, tail"
    for context in entries.contexts:
        values = [getattr(context, name) for name in fields]
        described.append(", ".join(value for value in values if value))

    wanted_contexts = list_distinct(entries.context_codes[adjusted.wanted])
    wanted_tasks = {described[code] for code in wanted_contexts}
    num_left_out: Counter[str] = Counter()
    num_by_context = np.bincount(entries.context_codes[~adjusted.wanted]).tolist()
    for number, tasks in zip(num_by_context, described, strict=False):
        if number and tasks and tasks not in wanted_tasks:
            num_left_out[tasks] += number

    if num_left_out:
        listed = ", ".join(f"{number:,} ({tasks})" for tasks, number in num_left_out.items())
        say(f"left out: numbers that {adjusted.reading.name} says are of other tasks: {listed}.")


def _track(batches: Sequence[AdjustedBatch]) -> Iterable[AdjustedBatch]:
    """Return the batches; on a terminal, a progress bar moves as they are used."""
    if not sys.stderr.isatty():
        return batches
    from rich.console import Console
    from rich.progress import track

    NOTICE.stop()
    console = Console(stderr=True)
    return track(batches, description="significance", console=console, transient=True)


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
        # The tables have no counting baseline for these tasks: the picture goes without it.
        adjusted = adjust_file(reading, work)

    figure = draw_results(adjusted, work.metrics or None, titles=work.tables.titles)
    report_answers(adjusted)
    _report_undrawn(adjusted)
    return figure


def _report_undrawn(adjusted: AdjustedReading) -> None:
    """Report by reason how many numbers could not be adjusted, and are not in the picture."""
    num_undrawn: Counter[str] = Counter()
    for index, reason in adjusted.notes.items():
        is_adjusted = adjusted.batch_of[index] >= 0
        is_reported = index in adjusted.waiting  # as a question
        if not is_adjusted and not is_reported:
            num_undrawn[reason] += 1

    for reason, number in num_undrawn.items():
        say(f"left out: {count_of(number, 'value')} of {adjusted.reading.name}: {reason}")
