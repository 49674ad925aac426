"""Write the output of commands: listings on stdout and in files, and notes on stderr."""

from __future__ import annotations

import os
import re
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from rankconst.catalogue.protocols import find_protocol
from rankconst.errors import UsageError, explain_write_errors
from rankconst.evaluation import NOTHING, describe_assumed
from rankconst.files import exists, replace_file
from rankconst.listing import FORMATS, SUFFIXES, Format, Listing, render, wrap
from rankconst.names import count_of, join_words, list_first, shorten, show_controls
from rankconst.tables.descriptor import is_of_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address, Question
    from rankconst.results.reading import Reading, Skipped
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

_Thing = TypeVar("_Thing")
_Key = TypeVar("_Key")

_USUAL_WIDTH = 80  # of a terminal that does not state its width


class Notice:
    """A line about the running command, shown on a terminal after a second of silence."""

    delay = 1.0
    """Seconds of silence."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._is_shown = False
        self._text = ""

    def start(self, text: str) -> None:
        """Start to wait, if there is a terminal."""
        if text and sys.stderr.isatty():
            self._text = text
            self._timer = threading.Timer(self.delay, self._show)
            self._timer.daemon = True
            self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if self._timer is not None:
                sys.stderr.write(f"{self._text}\r")
                sys.stderr.flush()
                self._is_shown = True

    def stop(self) -> None:
        """Stop waiting, and erase the notice."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._is_shown:
                sys.stderr.write("\x1b[K")
                sys.stderr.flush()
                self._is_shown = False

    def start_again(self) -> None:
        """Wait for the next silence."""
        self.stop()
        self.start(self._text)


NOTICE = Notice()
"""The notice of this process, which has one terminal."""


def print_listing(listing: Listing, form: Format) -> None:
    """Write a listing to stdout, or raise UsageError for a binary format on a terminal."""
    NOTICE.stop()
    for block in form.write(listing):
        if form is Format.table:  # which has no control characters
            sys.stdout.write(str(block))
        elif isinstance(block, str):
            sys.stdout.write(on_screen(block))
        elif sys.stdout.isatty():
            raise UsageError(f"{form.value} is a binary format: write it to a file.")
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(block)


def print_text(text: str) -> None:
    """Write a text to stdout."""
    sys.stdout.write(f"{on_screen(text)}\n")


def on_screen(text: str) -> str:
    """Return a text for stdout, without control characters on a terminal."""
    return show_controls(text) if sys.stdout.isatty() else text


def say(text: str) -> None:
    """Write a line to stderr, without control characters, and wrapped on a terminal."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
        line = wrap(width, text, below="  ")
    else:
        line = show_controls(text)

    NOTICE.stop()
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
    NOTICE.start_again()


# -- files -----------------------------------------------------------------------------------------


class Target(NamedTuple):
    """Where to write a result, and in which format."""

    out: Path | None
    form: Format
    force: bool
    is_picture: bool = False

    @classmethod
    def read(cls, out: Path | None, format: str | None, *, force: bool, replacing: bool) -> Target:
        """Read --out and --format, and refuse what does not fit, before anything is computed.

        If `replacing`, the result is the user's document, which keeps its format.
        """
        form = None if format is None else read_format(format)
        if out is None:  # on stdout
            return cls(out, form or Format.table, force)

        check_target(out, force=force)
        form = form or SUFFIXES.get(out.suffix.lower())  # --format before the ending
        # A document that is rewritten keeps its own format, and needs no known ending.
        if form or replacing:
            return cls(out, form or Format.table, force)

        from rankconst import figures

        # Otherwise it is a picture, or the ending means nothing.
        if out.suffix.lower() not in figures.SUFFIXES:
            endings = ", ".join([*SUFFIXES, *figures.SUFFIXES])
            raise UsageError(
                f"{out}: the ending does not say the format; known: {endings}. Or add --format."
            )

        figures.require_matplotlib()
        return cls(out, Format.table, force, is_picture=True)

    def write(self, result: Listing | Figure, opened: Tables) -> None:
        """Print a listing, or write it or a picture to the file."""
        if self.out is None:
            print_listing(cast("Listing", result), self.form)
            return

        if isinstance(result, Listing):
            write_whole(self.out, render(result, self.form), force=self.force)
            say(f"{self.out}: {count_of(len(result), 'row')}, tables {opened.version}")
        else:
            from rankconst.figures import render_figure

            picture = render_figure(result, self.out.suffix.lower())
            write_whole(self.out, picture, force=self.force)
            say(f"{self.out}: tables {opened.version}")


def read_format(name: str) -> Format:
    """Return the format with a name, or with an ending of its files."""
    if name not in FORMATS:
        raise UsageError(f"--format {shorten(name)!r}: expected one of {', '.join(Format)}.")
    return FORMATS[name]


def check_target(path: Path, *, force: bool) -> None:
    """Refuse a path to which no file may be written."""
    try:
        is_there = exists(path)
    except OSError as error:
        raise UsageError(f"{shorten(str(path))}: {error.strerror}. Name another file.") from error

    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file in it.")
    if is_there and not force:
        raise _refuse_existing(path)
    if is_there and is_of_set(path):
        raise UsageError(
            f"{path} belongs to a set of tables, which would be damaged. Name another file."
        )
    if not path.parent.is_dir():
        raise UsageError(
            f"the folder {path.parent} does not exist. Create it, or name another file."
        )


def _refuse_existing(path: Path) -> UsageError:
    return UsageError(f"{path} already exists. Name another file, or add --force to overwrite it.")


def write_whole(path: Path, content: bytes | Iterable[bytes], *, force: bool) -> None:
    """Write a file in one step, so that no half of it is ever seen."""
    with explain_write_errors(str(path), "Name another file."):
        try:
            replace_file(path, content, force=force)
        except FileExistsError:  # made since `check_target`
            raise _refuse_existing(path) from None


# -- words -----------------------------------------------------------------------------------------


def group_by(things: Iterable[_Thing], key: Callable[[_Thing], _Key]) -> dict[_Key, list[_Thing]]:
    """Group things by a common property, in their order."""
    groups: dict[_Key, list[_Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


MOST_REASONS = 7
"""The number of reasons with a line of their own."""

# Reports stay short: what is beyond these is only counted, or cut.
_MOST_RANGES = 6  # of line numbers
_MOST_NOTES = 50
_MOST_NAMED = 3

# A number in a text, but not the one in "Hits@10".
_NUMBER = r"(?<![\w@.-])\d[\d.,]*(?<![.,])%?(?!\w)"


def report_reading(reading: Reading, *, strict: bool = False) -> None:
    """Report on stderr how a file was understood, and omissions by reason."""
    if reading.understood:
        say(f"read: {reading.name}: {reading.understood}.")

    groups = [*group_by(reading.skipped, lambda skipped: skipped.reason).items()]
    for why, group in groups[:MOST_REASONS]:
        lines = {skipped.line for skipped in group if skipped.line is not None}
        say(f"skipped: {reading.name}{name_lines(lines)}: {_name_skipped(group)}: {why}")

    if any("decimal point, not a comma" in why for why, _ in groups):
        say("note: if commas set decimals apart throughout, add --decimal comma.")

    others = sum(len(group) for _, group in groups[MOST_REASONS:])
    if others:
        reasons = count_of(len(groups) - MOST_REASONS, "other reason")
        say(f"skipped: {reading.name}: {others:,} more, for {reasons}")

    if strict:
        from rankconst.results.reading import require_complete

        require_complete(reading)


def _name_skipped(group: Iterable[Skipped]) -> str:
    """Name omissions: the first few different ones, and the number of the others."""
    things = list(dict.fromkeys(skipped.what for skipped in group))
    names = [shorten(thing) for thing in things[:_MOST_NAMED]]
    if len(things) > len(names):
        return f"{', '.join(names)} and {len(things) - len(names):,} more"
    return ", ".join(names)


def name_lines(lines: Iterable[int]) -> str:
    """Return ``, line 3`` or ``, lines 2-4, 9``, or nothing without lines."""
    distinct = set(lines)
    if not distinct:
        return ""
    noun = "line" if len(distinct) == 1 else "lines"
    return f", {noun} {show_lines(distinct)}"


def show_lines(lines: Iterable[int]) -> str:
    """Write line numbers as ranges, the first few of them.

    >>> show_lines([2, 3, 4, 9])
    '2-4, 9'
    """
    ranges: list[range] = []
    for line in sorted(set(lines)):
        if ranges and line == ranges[-1].stop:
            ranges[-1] = range(ranges[-1].start, line + 1)
        else:
            ranges.append(range(line, line + 1))

    texts = []
    for each in ranges[:_MOST_RANGES]:
        first, last = f"{each[0]:,}", f"{each[-1]:,}"
        texts.append(first if first == last else f"{first}-{last}")

    text = ", ".join(texts)
    more = sum(len(each) for each in ranges[_MOST_RANGES:])
    return f"{text} and {more:,} more" if more else text


def name_places(places: Iterable[tuple[Any, ...]]) -> str:
    """Name the lines of a file, ``a.csv, lines 2-4``, or several files."""
    lines: dict[str, set[int]] = {}
    for name, line, *_ in places:
        numbers = lines.setdefault(name, set())
        if line is not None:
            numbers.add(line)

    if len(lines) > 1:
        return list_first([*lines])
    return "".join(name + name_lines(numbers) for name, numbers in lines.items())


def report_notes(name: str, notes: Iterable[tuple[str, int | None, str]]) -> None:
    """Report notes on lines of files on stderr, joining those that differ only in numbers."""

    def drop_numbers(note: tuple[str, int | None, str]) -> str:
        _, _, text = note
        return re.sub(_NUMBER, "", text)

    groups = group_by(notes, drop_numbers)
    for group in [*groups.values()][:_MOST_NOTES]:
        first, *others = dict.fromkeys(text for _, _, text in group)
        examples = [re.findall(_NUMBER, text)[0] for text in others]
        likewise = f" Likewise {list_first(examples)}." if examples else ""
        say(f"note: {name_places(group)}: {first}{likewise}")

    if len(groups) > _MOST_NOTES:
        more = count_of(len(groups) - _MOST_NOTES, "more note")
        say(f"note: {name}: {more}; files such as --out adjusted.csv have all, in column note.")


# -- assumptions and questions ---------------------------------------------------------------------

_MOST_QUESTIONS = 8  # with a line of their own
_MOST_TEXTS = 2  # of a question


def report_assumed(
    assumed: Mapping[str, Sequence[str]],
    source: str = "no option",
    user: Address = NOTHING,
    accepted: Sequence[str] = (),
    further: Sequence[str] = (),
) -> None:
    """Report assumptions about numbers, and accepted words, on one line.

    `source` is what leaves them open, such as "nothing in a.csv". `further` are remarks for the
    same line.
    """
    parts = [f"assumed: {describe_assumed(assumed)} ({source} says otherwise)"] if assumed else []
    parts += further
    if accepted:
        parts.append(f"accepted: {_quote(accepted)}")

    if parts:
        say(f"{'; '.join(parts)}.")

    unused = [word for word in dict.fromkeys(user.accepted) if word.lower() not in accepted]
    if unused:
        say(f"note: nothing is asked about {_quote(unused)}, which --accept names.")


def report_sampled(
    assumed: Mapping[str, Sequence[str]], done: Iterable[AdjustedBatch], tables: Tables
) -> None:
    """Report that papers on a benchmark with a tool of its own may have ranked otherwise.

    The tool is at the end of the benchmark's title: FB15k-237 v1 (GraIL).
    """
    titles = {}
    for adjusted in done:
        tasks = adjusted.published.tasks
        title = tables.titles.get(tasks.dataset, "")
        if adjusted.published.tool is None and title.endswith(")"):
            titles[tasks] = title

    if not titles:  # reading the tools takes a while
        return

    from rankconst.catalogue.tools import load_tools

    tools = load_tools().values()
    if "split" in assumed:  # some tools have test sets of their own
        datasets = {tasks.dataset for tasks in titles}
        for tool in tools:
            splits = {split for dataset, split in tool.test_sets.items() if dataset in datasets}
            if splits:
                _report_papers(tool, " and ".join(sorted(splits)), f"--tool {tool.key}")

    # Some rank among samples: they are named at the end of the titles of benchmarks.
    protocols = assumed.get("protocol", ())
    with_assumed = [title for tasks, title in titles.items() if tasks.protocol in protocols]
    for tool in tools:
        negatives = find_protocol(tool.protocol).negatives
        if negatives and any(title.endswith(f"({tool.title})") for title in with_assumed):
            _report_papers(tool, f"among {negatives + 1}", f"--protocol {tool.protocol}")


def _report_papers(tool: Tool, tasks: str, option: str) -> None:
    say(f"note: {tool.title} and papers that follow it rank {tasks}: {option}")


def _quote(words: Iterable[str]) -> str:
    return join_words([f'"{word}"' for word in words])


def report_questions(reading: Reading, questions: Iterable[Question]) -> None:
    """Report the questions about a file's numbers: one line for all with the same answer."""
    groups = group_by(questions, lambda asked: (_name_question(asked), asked.place, asked.remedy))
    for group in [*groups.values()][:_MOST_QUESTIONS]:
        numbers = {number for asked in group for number in asked.numbers}
        where = name_places(reading.locate(number) for number in sorted(numbers))
        question = replace(group[0], text=_join_texts(group))
        say(f"asked: {where} ({count_of(len(numbers), 'number')}): {question}.")

    if len(groups) > _MOST_QUESTIONS:
        more = count_of(len(groups) - _MOST_QUESTIONS, "more question")
        say(f"asked: {reading.name}: and {more}.")


def _join_texts(group: Sequence[Question]) -> str:
    """Return the text of questions with the same answer: the first few words, or one sentence."""
    texts = list(dict.fromkeys(question.text for question in group))
    if group[0].place:
        if len(texts) > _MOST_TEXTS:
            texts[_MOST_TEXTS:] = ["..."]
        return '", "'.join(texts)
    if len(texts) == 1:
        return texts[0]
    return f"{texts[0]} (and {len(texts) - 1} more like it)"


def _name_question(question: Question) -> str:
    """Return the common name of questions with the same answer: the word, or their first words."""
    return question.word if question.place else question.text.partition(": ")[0]


# -- caveats ---------------------------------------------------------------------------------------


def explain_names(names: Iterable[str]) -> None:
    """Report the meaning that a name from another field is given."""
    if any("recall" in name.lower() for name in names):
        say(
            "note: recall@k is read as Hits@k; they are the same where each ranking task has "
            "one right answer."
        )


def explain_ties(address: Address) -> None:
    """Report how ties change the numbers."""
    from rankconst.adjusting import TIES

    ties = TIES.get(address.rank_type or "")
    if ties is not None:
        say(f"note: {ties}")


def report_coverage(tasks: Tasks, tables: Tables) -> None:
    """Report which graphs of a suite are missing from a mean."""
    coverage = tables.explain_coverage(tasks)
    if coverage:
        say(f"note: {tasks.dataset}: {coverage}")


def report_caveats(tools: Iterable[Tool]) -> None:
    """Report the main caveat of each tool."""
    for tool in tools:
        if tool.effect:
            say(f"note: {tool.effect} More: rankconst show {tool.key}")
