"""Adjust the numbers of results files for chance, in batches of the same ranking tasks and metric.

A number such as MR 0 shows that the scores of its model were not numbers (NaN). Then all numbers of
that evaluation are left out.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankconst.adjusting import (
    TIES,
    ImpossibleError,
    PublishedBatch,
    Where,
    add_significance,
    adjust_batch,
    compare_with,
    find_constants,
    leave_out,
    list_contradictions,
)
from rankconst.catalogue.benchmarks import list_names
from rankconst.catalogue.literature import is_mean
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import (
    AskedError,
    DataError,
    RankconstError,
    UndefinedError,
    UnknownNameError,
    UsageError,
)
from rankconst.evaluation import (
    NO_DATASET,
    Question,
    agrees,
    assign_numbers,
    gather_assumed,
    is_open_name,
    parse_address,
    settle,
    weigh,
)
from rankconst.names import join_versions, list_first
from rankconst.results.adjusted import AdjustedReading
from rankconst.results.columns import factorize, group_by_code, list_distinct, pair_codes
from rankconst.results.gate import ask_counts
from rankconst.results.labels import read_label
from rankconst.results.meanings import find_answers
from rankconst.results.reading import (
    Floats,
    list_groupings,
    name_reasons,
    number_addresses,
    number_evaluations,
)
from rankconst.values.bounds import NOT_A_NUMBER, PERFECT, is_infinite, tells_no_scores
from rankconst.values.published import check_decimals, read_numbers, read_published

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address
    from rankconst.results.columns import Flags, Indices
    from rankconst.results.reading import ColumnHead, Entries, Entry, Reading, Texts
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.constants import Constants

    Numbers = NDArray[np.float64]


class Ends(NamedTuple):
    """Published numbers, with the smallest and the largest that round to each."""

    value: Numbers
    lower: Numbers
    upper: Numbers


class _ParsedTexts(NamedTuple):
    """The numbers of the distinct texts of a column."""

    ends: Ends  # NaN where a text is not a possible number of the metric
    reasons: dict[int, str]  # index of such a text to the reason


class Addressed(NamedTuple):
    """The numbers of a file that are to be adjusted, with their addresses."""

    addresses: list[Address]
    # For each column an index into `addresses` for each of its numbers; -1 for one that is left
    # alone. Columns of a table mostly share this array.
    codes: list[Indices]

    def leave_out(self, entries: Entries, places: Sequence[int]) -> Addressed:
        """Return the numbers without those at some places of the file."""
        if not places:
            return self
        codes = []
        for column, of_column in zip(entries.columns, self.codes, strict=True):
            codes.append(np.where(np.isin(column.places, places), -1, of_column))
        return self._replace(codes=codes)


class _Group(NamedTuple):
    """Numbers of one column with the same address."""

    address: Address
    where: Where


Settled = dict["Address", "tuple[Tasks, Tool | None]"]
"""Ranking tasks and tool of each address."""


def adjust_reading(
    reading: Reading,
    tables: Tables,
    user: Address,
    *,
    metrics: Iterable[Metric] = (),
    significance: bool = False,
    errors: Literal["raise", "note"] | None = None,
    track: Callable[[Sequence[AdjustedBatch]], Iterable[AdjustedBatch]] | None = None,
    baselines: Iterable[str] = (),
    decimals: int | Mapping[Metric, int] | None = None,
    in_python: bool = False,
) -> AdjustedReading:
    """Adjust the numbers of a results file for chance: those of `metrics`, or all if it is empty.

    The notes of the result say why a number cannot be adjusted. With `errors` None, there is an
    error only if no number can be adjusted; with "raise", if any cannot; with "note", never.
    `decimals` are those that numbers were rounded to, if the file does not show them. `track` may
    wrap the batches in a progress bar while their significance is computed.

    Raises AskedError if the user has to answer a question first, DataError for impossible numbers.
    """
    user = parse_address(user, tables)
    entries = reading.entries
    wanted, addressed = _select_entries(reading, user, frozenset(metrics), tables)
    groups = _group_numbers(entries, addressed)
    if not groups and errors != "note":
        raise DataError(f"{reading.name} holds {_list_contents(reading)}")

    settled, failed = _settle_addresses(groups, user, reading, tables)
    addressed, notes_on_means = _settle_means(reading, addressed, settled, failed)
    asked = _list_questions(_group_numbers(entries, addressed), failed, in_python=in_python)

    uncounted = find_answers(reading, tables)
    addressed = addressed.leave_out(entries, list(uncounted))
    fractions = _find_fractions(reading, addressed) if user.percent else {}
    addressed = addressed.leave_out(entries, list(fractions))
    adjusting = _Adjusting(reading, user, tables, decimals, fractions)
    for group in _group_numbers(entries, addressed):
        if group.address in failed:
            adjusting.leave(group.where.places, failed[group.address])
        else:
            adjusting.adjust(group, *settled[group.address])

    done = adjusting.list_credible()
    left, impossible = adjusting.left, adjusting.impossible
    left |= {place: error for place, error in uncounted.items() if wanted[place]}

    strict = errors == "raise"
    is_incomplete = bool(asked or impossible or left)
    if (strict and is_incomplete) or (errors is None and not done):
        raise _choose_error(reading, asked, impossible, left, strict=strict)

    against, lacks = compare_with(done, tables, baselines)
    if significance:
        tracked = done if track is None else track(done)
        done = [add_significance(batch) for batch in tracked]
        for baseline, batches in against.items():
            against[baseline] = tuple(add_significance(batch) for batch in batches)

    reasons = {place: str(error) for place, error in left.items()} | impossible
    notes = [*_list_remarks(done, reading, tables), *lacks.items(), *notes_on_means.items()]
    tools = {tool.key: tool for _, tool in settled.values() if tool is not None}
    versions = join_versions(batch.constants.table_version for batch in done)
    tasks_of_addresses = ((address, tasks) for address, (tasks, _) in settled.items())
    rank_types = {context.rank_type for context in entries.contexts}
    return AdjustedReading(
        reading=reading,
        done=tuple(done),
        table_version=versions or tables.version,
        wanted=wanted,
        notes=_join_notes(asked, reasons, notes),
        tools=tuple(tools.values()),
        against=against,
        user=user,
        assumed=gather_assumed(tasks_of_addresses, user, rank_types),
        asked=asked,
    )


def _select_entries(
    reading: Reading, user: Address, metrics: frozenset[Metric], tables: Tables
) -> tuple[Flags, Addressed]:
    """Flag the numbers that the user asks for, and return the addresses of those to adjust."""
    entries = reading.entries
    # Thousands of rows have one address: each is compared with what the user declares once.
    code_of, addresses = factorize(replace(context, rank_type=None) for context in entries.contexts)
    agreeing = _to_flags(agrees(address, user, tables) for address in addresses)
    code_of = np.where(agreeing[code_of], code_of, -1)
    codes, wanted = [], []
    # By identity, which holds as long as `entries` keeps the arrays.
    shared: dict[int, Indices] = {}
    for column in entries.columns:
        key = id(column.context_codes)
        if key not in shared:
            shared[key] = code_of[column.context_codes]

        metric = column.head.metric
        # A count, such as the number of ranks, has no optimum.
        is_asked_for = metric.optimum is not None and (not metrics or metric in metrics)
        # Adjusted values of the file can be asked for, but are not adjusted again.
        is_left_alone = not is_asked_for or column.head.adjustment is not None
        of_column = np.full(column.places.size, -1) if is_left_alone else shared[key]
        codes.append(of_column)
        wanted.append((shared[key] >= 0) & is_asked_for)

    return entries.gather(wanted, np.bool_), Addressed(addresses, codes)


def _to_flags(flags: Iterable[bool]) -> Flags:
    """Return flags as an array."""
    return np.array(list(flags), dtype=np.bool_)


def _group_numbers(entries: Entries, addressed: Addressed) -> list[_Group]:
    """Divide the numbers to adjust by column and address, in the order of their first numbers."""
    groups = []
    # Columns of a table mostly share the arrays of rows and codes, which are then divided once:
    # code, positions in the column and rows of each part.
    divided: dict[tuple[int, int], list[tuple[int, Indices, Indices]]] = {}
    for number, (column, codes) in enumerate(zip(entries.columns, addressed.codes, strict=True)):
        key = id(codes), id(column.rows)  # both arrays live as long as their owners, the arguments
        if key not in divided:
            positions_of = group_by_code(codes + 1)[1:]  # without those of code -1
            divided[key] = [
                (code, positions, column.rows[positions])
                for code, positions in enumerate(positions_of)
                if positions.size
            ]

        for code, positions, rows in divided[key]:
            where = Where(
                column=number, positions=positions, rows=rows, places=column.places[positions]
            )
            groups.append(_Group(addressed.addresses[code], where))

    return sorted(groups, key=lambda group: int(group.where.places[0]))


def _settle_addresses(
    groups: Iterable[_Group], user: Address, reading: Reading, tables: Tables
) -> tuple[Settled, dict[Address, RankconstError]]:
    """Return the tasks and tool of each address, or the error or open question instead."""
    settled: Settled = {}
    failed: dict[Address, RankconstError] = {}
    for address in dict.fromkeys(group.address for group in groups):
        try:
            tasks, tool = settle(address, user, tables, tool=reading.tool)
            questions = ask_counts(address, user, tasks, tables)
        except (DataError, UnknownNameError) as error:
            # No reason to stop: a file may also name datasets that no tables hold.
            failed[address] = error
            if isinstance(error, UnknownNameError) and not user.dataset:
                failed[address] = _offer_name(error, address.dataset or "")
            continue

        if questions:
            text = "; ".join(str(question) for question in questions)
            failed[address] = AskedError(text, questions)
        else:
            settled[address] = tasks, tool

    return settled, failed


def _offer_name(error: UnknownNameError, name: str) -> UnknownNameError:
    """Add the option --accept NAME=GRAPH to an error about a `name` that no benchmark has.

    The error stays as it is if it is about another name, or if the name may not be accepted.
    """
    if not name or name not in str(error) or not is_open_name(name):
        return error
    option = f"--accept {shlex.quote(f'{name}=GRAPH')} (accept= in Python)"
    return UnknownNameError(f"{error} If it is another name of a graph, add {option}.")


def _settle_means(
    reading: Reading,
    addressed: Addressed,
    settled: Settled,
    failed: dict[Address, RankconstError],
) -> tuple[Addressed, dict[int, str]]:
    """Return the addresses with those of means over graphs settled, and notes on these by place."""
    if not any(is_mean(address.dataset or "") for address in addressed.addresses):
        return addressed, {}
    from rankconst.results.graph_means import settle_means  # few files have means over graphs

    return settle_means(reading, addressed, settled, failed)


def _list_questions(
    groups: Sequence[_Group], failed: Mapping[Address, Exception], *, in_python: bool
) -> tuple[Question, ...]:
    """Return the open questions, each with the places of the numbers that wait for its answer."""
    places: dict[Question, list[int]] = {}
    for address, where in groups:
        error = failed.get(address)
        if isinstance(error, AskedError):
            for question in error.questions:
                places.setdefault(question, []).extend(where.places.tolist())

    total = sum(group.where.places.size for group in groups)
    return assign_numbers(places, total, in_python=in_python)


# Numbers whose tasks are known.

_FEW_TEXTS = 50  # texts; more than these are read together, which is faster


class _Adjusting:
    """Adjusts the numbers of a file group by group, and collects why some are left out."""

    def __init__(
        self,
        reading: Reading,
        user: Address,
        tables: Tables,
        decimals: int | Mapping[Metric, int] | None,
        impossible: Mapping[int, str],
    ) -> None:
        self._reading = reading
        self._entries = reading.entries
        self._user = user
        self._tables = tables
        self._decimals = decimals
        self.done: list[AdjustedBatch] = []
        self.left: dict[int, RankconstError] = {}
        # Maps the place of a number to the reason why no ranks have it.
        self.impossible = dict(impossible)
        self._without_scores: list[int] = []
        self._parsed: dict[int, _ParsedTexts] = {}  # of each column, by its place

    def leave(self, places: Indices, error: RankconstError) -> None:
        """Leave out numbers for a reason."""
        self.left |= dict.fromkeys(places.tolist(), error)

    def adjust(self, group: _Group, tasks: Tasks, tool: Tool | None) -> None:
        """Add the possible numbers of a group to `done`, and note why any other is left out."""
        where = group.where
        metric = self._entries.heads[where.column].metric
        try:
            tasks = weigh(tasks, metric, tool)
        except DataError as error:
            self.leave(where.places, error)
            return

        num_tasks = group.address.num_tasks
        ends = self._read_numbers(where)
        batch = PublishedBatch(
            tasks=tasks,
            metric=metric,
            tool=tool,
            value=ends.value,
            lower=ends.lower,
            upper=ends.upper,
            index=where.places,
            num_tasks=num_tasks,
            where=where,
        )
        is_number = ~np.isnan(ends.value)
        if not is_number.all():
            batch = batch.take(is_number)

        is_without_scores = tells_no_scores(metric, batch.value)
        self._without_scores += batch.index[is_without_scores].tolist()
        try:
            constants = find_constants(tasks, metric, num_tasks, self._tables)
            self._adjust_possible(batch, constants)
        except (UnknownNameError, UndefinedError, UsageError) as error:
            self.leave(batch.index, error)

    def _adjust_possible(self, batch: PublishedBatch, constants: Constants) -> None:
        """Adjust a batch without the numbers that are impossible."""
        while batch.index.size:
            try:
                self.done.append(adjust_batch(batch, constants))
                return
            except ImpossibleError as error:
                is_possible = np.ones(batch.index.size, dtype=np.bool_)
                is_possible[list(error.reasons)] = False
                for position, reason in error.reasons.items():
                    self.impossible[int(batch.index[position])] = reason
                batch = batch.take(is_possible)

    def _read_numbers(self, where: Where) -> Ends:
        """Read the numbers at some positions of a column; impossible ones are NaN and noted."""
        column = self._entries.columns[where.column]
        if isinstance(column.numbers, Floats):
            return self._read_floats(column.head.metric, column.numbers.take(where.positions))

        if where.column not in self._parsed:
            self._parsed[where.column] = self._read_texts(column.head, column.numbers)

        ends, reasons = self._parsed[where.column]
        codes = column.numbers.codes[where.positions]
        for code, reason in reasons.items():
            self.impossible |= dict.fromkeys(where.places[codes == code].tolist(), reason)

        return Ends(*(each[codes] for each in ends))

    def _read_texts(self, head: ColumnHead, numbers: Texts) -> _ParsedTexts:
        """Read each distinct text of a column once."""
        metric, exact = head.metric, head.exact
        percent = self._user.percent and metric.is_share
        decimals = self._find_decimals(metric)
        codes = list_distinct(numbers.codes)
        texts = [numbers.distinct[code] for code in codes]
        ends = np.full((3, len(numbers.distinct)), np.nan)
        if len(texts) > _FEW_TEXTS:
            try:
                ends[:, codes] = read_numbers(
                    metric, texts, percent=percent, exact=exact, decimals=decimals
                ).T
                return _ParsedTexts(Ends(*ends), {})
            except DataError:
                pass  # one of them is wrong: read them one by one to find it

        reasons = {}
        for code, text in zip(codes, texts, strict=True):
            try:
                number = read_published(
                    metric, text, percent=percent, exact=exact, decimals=decimals
                )
                ends[:, code] = number.value, number.lower, number.upper
            except DataError as error:
                reasons[code] = str(error)

        return _ParsedTexts(Ends(*ends), reasons)

    def _read_floats(self, metric: Metric, numbers: Floats) -> Ends:
        """Return numbers of a program as fractions; exact ones, unless the user states decimals."""
        in_percent = numbers.is_percent | (self._user.percent and metric.is_share)
        value = numbers.values
        if in_percent.any():
            value = value / np.where(in_percent, 100, 1)

        decimals = self._find_decimals(metric)
        if decimals is None:
            return Ends(value, value, value)

        # Decimals are those of the printed number: 33.8% is 0.338, so two more of the fraction.
        half = 0.5 * 10.0 ** -(check_decimals(decimals) + 2 * in_percent)
        return Ends(value, value - half, value + half)

    def _find_decimals(self, metric: Metric) -> int | None:
        """Return the decimals that the user states for a metric; None if there are none."""
        if isinstance(self._decimals, Mapping):
            return self._decimals.get(metric)
        return self._decimals

    def list_credible(self) -> list[AdjustedBatch]:
        """Return the adjusted batches without numbers that contradict their evaluation."""
        entries, reading = self._entries, self._reading
        # A row is an evaluation, unless something else tells evaluations apart, too.
        if reading.layout == "wide" and not list_groupings(reading):
            evaluations = [each.published.where.rows for each in self.done]
        else:
            evaluation_of = number_evaluations(reading)
            evaluations = [evaluation_of[each.published.index] for each in self.done]

        contradicting = list_contradictions(self.done, evaluations, entries.text_at)
        infinite = [place for place in self.impossible if is_infinite(entries.text_at(place))]
        without_scores = [*self._without_scores, *infinite]
        diverged = _find_diverged(reading, without_scores) if without_scores else {}
        self.impossible |= contradicting | diverged
        if not (contradicting or diverged):
            return self.done

        is_impossible = np.zeros(len(entries), dtype=np.bool_)
        is_impossible[[*contradicting, *diverged]] = True
        return list(leave_out(self.done, is_impossible))


def _find_fractions(reading: Reading, addressed: Addressed) -> dict[int, str]:
    """Map numbers that cannot be percentages, as none of their metric is above 1, to the reason."""
    entries = reading.entries
    shares: dict[Metric, list[int]] = {}
    for column, codes in zip(entries.columns, addressed.codes, strict=True):
        if column.head.metric.is_share:
            is_bare = (codes >= 0) & ~entries.is_percent[column.places]
            shares.setdefault(column.head.metric, []).extend(column.places[is_bare].tolist())

    heads = entries.list_percentages()
    percentages = [f"{head.column} (%)" for head in heads if head.column not in {"", "value"}]
    notes: dict[int, str] = {}
    for metric, places in shares.items():
        if places and entries.values[places].max() <= 1:
            note = (
                f"every {metric.label} is at most 1, as fractions are. If only some columns are "
                "percentages, leave out --percent and write the sign into their headings: "
                f"{list_first(percentages or ['Hits@10 (%)'])}."
            )
            notes |= dict.fromkeys(places, note)

    return notes


# Messages.

_MOST_ASKED = 8  # questions in a message


def _choose_error(
    reading: Reading,
    asked: tuple[Question, ...],
    impossible: Mapping[int, str],
    left: Mapping[int, RankconstError],
    *,
    strict: bool,
) -> RankconstError:
    """Return the error to raise: about the questions, impossible numbers, or numbers `left`.

    If `strict`, it is the first of these. Otherwise questions come last, as an answer would not
    help numbers with another error.
    """
    in_order = [left[place] for place in sorted(left)]
    without_question = [error for error in in_order if not isinstance(error, AskedError)]
    error: RankconstError
    if asked and (strict or not (impossible or without_question)):
        error = AskedError("\n".join(f"{question}." for question in asked[:_MOST_ASKED]))
    elif impossible:
        place = min(impossible)
        more = f" And {len(impossible) - 1:,} more." if len(impossible) > 1 else ""
        where = _name_place(reading, reading.entries[place])
        error = DataError(f"{where}: {impossible[place]}{more}")
    else:
        reasons = list(dict.fromkeys(str(error) for error in without_question))
        error_type = type(without_question[0])
        error = error_type("\n".join(reasons[:_MOST_ASKED]))
        graphs = read_label(reading.name).graphs if str(error) == NO_DATASET else ()
        if len(graphs) == 1 and list_names().find(graphs[0]) is not None:
            error = DataError(f"{error} The name of the file suggests --dataset {graphs[0]}.")

    error.questions = asked
    return error


def _name_place(reading: Reading, entry: Entry) -> str:
    """Name the place of a number for messages: "results.csv, line 3, MRR"."""
    if entry.line is not None:
        return f"{reading.name}, line {entry.line:,}, {entry.column}"
    if reading.layout == "wide":
        return f"{reading.name}, {entry.column}, row {entry.row}"

    # A file without lines: the cells of the row are the place, joined as in "RotatE.test".
    row = reading.rows[entry.row]
    texts = [row.get(key) for key in reading.columns if key != entry.column]
    return f"{reading.name}, {'.'.join(text for text in texts if text)}"


def _join_notes(
    asked: Iterable[Question], reasons: Mapping[int, str], notes: Iterable[tuple[int, str]]
) -> dict[int, str]:
    """Join the notes on each number: its questions or else its reason, then remarks."""
    remarks: dict[int, list[str]] = {}
    for question in asked:
        remark = f"{question}."
        for place in question.numbers:
            remarks.setdefault(place, []).append(remark)

    for place, reason in reasons.items():
        remarks.setdefault(place, [reason])  # where there are questions, they are the reason

    for place, note in notes:
        remarks.setdefault(place, []).append(note)

    return {place: " ".join(sentences) for place, sentences in remarks.items()}


def _list_remarks(
    done: Iterable[AdjustedBatch], reading: Reading, tables: Tables
) -> Iterator[tuple[int, str]]:
    """Yield remarks on adjusted numbers, each with the place of its number."""
    tie_notes = [TIES.get(context.rank_type or "", "") for context in reading.entries.contexts]
    for adjusted in done:
        yield from _remark_on_batch(adjusted, reading.entries, tie_notes, tables)
    for batch in (adjusted.published for adjusted in done):
        if batch.metric == _MRR:
            for place in batch.index[batch.value == 1].tolist():
                yield place, PERFECT


def _remark_on_batch(
    adjusted: AdjustedBatch, entries: Entries, tie_notes: Sequence[str], tables: Tables
) -> Iterator[tuple[int, str]]:
    """Yield remarks on the numbers of a batch; `tie_notes` are by context, "" for none."""
    batch = adjusted.published
    contexts = entries.context_codes[batch.index]
    coverage = tables.explain_coverage(batch.tasks)
    general = [note for note in (coverage, *adjusted.undefined.values()) if note]
    is_noted = np.full(contexts.size, bool(general))  # most numbers have no note
    is_noted |= _to_flags(note != "" for note in tie_notes)[contexts]
    is_noted[list(adjusted.unattained)] = True
    for position in np.flatnonzero(is_noted).tolist():
        notes = (*general, tie_notes[contexts[position]], adjusted.unattained.get(position))
        for note in dict.fromkeys(notes):
            if note:
                yield int(batch.index[position]), note


_MOST_LISTED = 8  # values of a field in a message


def _list_contents(reading: Reading) -> str:
    """Return what a file without a number to adjust holds, to follow "FILE holds"."""
    base = [entry for entry in reading.entries if entry.adjustment is None]
    if not reading.entries and reading.skipped:
        return f"no number that can be adjusted: {name_reasons(reading.skipped)}."
    if not base:
        return "only adjusted numbers. Name the document with the published ones."

    labels = dict.fromkeys(entry.metric.label for entry in base)
    contents = [f"metrics {', '.join(labels)}"]  # then "datasets wn18rr, nations", "splits test"
    for name in ("dataset", "split", "side", "protocol"):
        in_contexts = dict.fromkeys(getattr(entry.context, name) for entry in base)
        values = [value for value in in_contexts if value is not None]
        if name == "dataset" and not values:
            values = list(dict.fromkeys(graph for entry in base for graph in _list_open(entry)))
        if values:
            more = " ..." if len(values) > _MOST_LISTED else ""
            contents.append(f"{name}s {', '.join(values[:_MOST_LISTED])}{more}")

    return f"none of the numbers you asked for. It has {'; '.join(contents)}."


def _list_open(entry: Entry) -> list[str]:
    """List the datasets and suites that a number without one may be of."""
    choices = [name for question in entry.context.questions for name in question.choices]
    return choices or list(entry.context.suites)


_MRR = parse_metric("mrr")


def _find_diverged(reading: Reading, without_scores: Iterable[int]) -> dict[int, str]:
    """Map the places of numbers to why they mean nothing: the scores were not numbers.

    A number `without_scores`, such as MR 0, tells so. Numbers that the file has adjusted already
    are left out.
    """
    entries = reading.entries
    address_of, addresses = number_addresses(entries)
    evaluation_of = number_evaluations(reading, by_ties=False)
    evaluation_of = pair_codes(evaluation_of, address_of, len(addresses))
    reasons: dict[int, str] = {}  # by evaluation
    for place in without_scores:
        shown = f"{entries[place].metric.label} {entries.text_at(place)}"
        reasons.setdefault(int(evaluation_of[place]), NOT_A_NUMBER.format(shown))

    has_diverged = np.isin(evaluation_of, list(reasons))
    is_base = entries.flag_heads(lambda head: head.adjustment is None)
    places = np.flatnonzero(has_diverged & is_base).tolist()
    return {place: reasons[int(evaluation_of[place])] for place in places}
