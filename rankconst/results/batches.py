"""Adjust results files for chance: numbers of the same ranking tasks and metric go together.

If one number of an evaluation shows that its scores were not numbers, none of it is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankconst.adjusting import (
    TIES,
    Batch,
    ImpossibleError,
    add_significance,
    adjust_batch,
    compare_with,
    leave_out,
    list_contradictions,
    look_up,
)
from rankconst.catalogue.benchmarks import list_names
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.suites import is_mean
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
    gather_assumed,
    locate,
    parse_address,
    settle,
    weigh,
)
from rankconst.names import join_versions, list_first
from rankconst.results.adjusted import AdjustedReading
from rankconst.results.columns import encode, list_distinct
from rankconst.results.gate import ask_counts
from rankconst.results.labels import read_label
from rankconst.results.meanings import find_answers
from rankconst.results.reading import name_reasons, number_evaluations
from rankconst.values.bounds import NOT_A_NUMBER, PERFECT, is_infinite, tells_no_scores
from rankconst.values.published import check_decimals, read_numbers, read_published

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address
    from rankconst.results.reading import Entry, Reading
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]


class Ends(NamedTuple):
    """Published numbers, with the smallest and the largest that round to each."""

    value: Numbers
    lower: Numbers
    upper: Numbers


class Group(NamedTuple):
    """What numbers share that are adjusted together."""

    address: Address
    metric: Metric
    exact: bool


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
    """Adjust the numbers of a results file, of some metrics or of all.

    What cannot be adjusted is left out with the reason; that is an error if nothing is left, unless
    `errors` is "note", and for the first number if it is "raise". `track` wraps the slow part,
    `decimals` says how numbers were rounded.
    """
    user = parse_address(user, tables)
    groups, wanted = _group_entries(reading, user, frozenset(metrics), tables)
    if not groups and errors != "note":
        raise DataError(f"{reading.name} holds {_list_contents(reading)}")
    settled, failed = _settle(groups, user, reading, tables)
    of_means: dict[int, str] = {}
    if any(group.address.dataset and is_mean(group.address.dataset) for group in groups):
        from rankconst.results.mean_rows import settle_means

        groups, of_means = settle_means(reading, groups, settled, failed)
    asked = _list_questions(groups, failed, in_python=in_python)
    uncounted = find_answers(reading, tables)
    groups = _leave_out(groups, list(uncounted))
    adjusting = _Adjusting(reading, groups, user, tables, decimals)
    for group, places in groups.items():
        if group.address in failed:
            adjusting.leave(places, failed[group.address])
        else:
            adjusting.adjust(group, places, *settled[group.address])
    done = adjusting.list_credible()
    left, impossible = adjusting.left, adjusting.impossible
    left |= {place: error for place, error in uncounted.items() if wanted[place]}
    strict = errors == "raise"
    if (strict and (asked or impossible or left)) or (errors is None and not done):
        raise _choose_error(reading, asked, impossible, left, strict=strict)
    if significance:
        tracked = done if track is None else track(done)
        done = [add_significance(each) for each in tracked]
    against, lacks = compare_with(done, tables, baselines)
    if significance:
        for key, found in against.items():
            against[key] = tuple(add_significance(each) for each in found)
    notes = [note for each in done for note in _note(each, reading, tables)]
    notes += [*lacks.items(), *find_perfect(done, reading).items(), *of_means.items()]
    reasons = {place: str(error) for place, error in left.items()} | impossible
    rank_types = {context.rank_type for context in reading.entries.contexts}
    tools = {tool.key: tool for _, tool in settled.values() if tool is not None}
    versions = join_versions(each.constants.table_version for each in done)
    pairs = ((address, tasks) for address, (tasks, _) in settled.items())
    return AdjustedReading(
        reading,
        tuple(done),
        versions or tables.version,
        wanted,
        _word(asked, reasons, notes),
        tuple(tools.values()),
        against,
        user,
        gather_assumed(pairs, user, rank_types),
        asked,
    )


# What is adjusted together.


def _group_entries(
    reading: Reading, user: Address, metrics: frozenset[Metric], tables: Tables
) -> tuple[dict[Group, Places], Flags]:
    """Group the entries that are asked for by address, metric and precision.

    Return also which entries are asked for; those that are adjusted already are in no group.
    """
    entries = reading.entries
    # Thousands of rows say the same: each address is compared with the user's words once.
    address_of_context, addresses = encode(
        replace(context, rank_type=None) for context in entries.contexts
    )
    kind_of_head, kinds = encode((head.metric, head.exact) for head in entries.heads)
    agreeing = _flag(agrees(address, user, tables) for address in addresses)
    fitting = _flag(
        head.metric.optimum is not None and (not metrics or head.metric in metrics)
        for head in entries.heads
    )
    published = _flag(head.adjustment is None for head in entries.heads)
    address_of = address_of_context[entries.context_of]
    wanted = agreeing[address_of] & fitting[entries.head_of]
    chosen = np.flatnonzero(wanted & published[entries.head_of])
    codes = (address_of * len(kinds) + kind_of_head[entries.head_of])[chosen]
    groups: dict[Group, Places] = {}
    for code, places in _split_by_code(codes, chosen):
        address, (metric, exact) = addresses[code // len(kinds)], kinds[code % len(kinds)]
        groups[Group(address, metric, exact)] = places
    return groups, wanted


def _flag(flags: Iterable[bool]) -> Flags:
    return np.array(list(flags), dtype=np.bool_)


def _split_by_code(codes: Places, places: Places) -> list[tuple[int, Places]]:
    """Return each code with its places, in the order of their first ones."""
    if not places.size:
        return []
    counts = np.bincount(codes)
    # Codes of two bytes are sorted by counting.
    small = codes.astype(np.uint16) if len(counts) <= 2**16 else codes
    ordered = places[np.argsort(small, kind="stable")]
    parts = enumerate(np.split(ordered, np.cumsum(counts)[:-1]))
    return sorted((part for part in parts if part[1].size), key=lambda part: int(part[1][0]))


def _merge(is_first: Flags, first: Numbers, second: Numbers) -> Numbers:
    """Put numbers together: the next of `first` where the mask is set, else of `second`."""
    merged = np.empty(is_first.size)
    merged[is_first], merged[~is_first] = first, second
    return merged


def _leave_out(groups: Mapping[Group, Places], places: Sequence[int]) -> dict[Group, Places]:
    """Return groups without some entries, and without those that are then empty."""
    if not places:
        return dict(groups)
    kept = {group: own[~np.isin(own, places)] for group, own in groups.items()}
    return {group: own for group, own in kept.items() if own.size}


def _settle(
    groups: Mapping[Group, Places], user: Address, reading: Reading, tables: Tables
) -> tuple[Settled, dict[Address, RankconstError]]:
    """Return ranking tasks and tool of each address, or why there are none."""
    settled: Settled = {}
    failed: dict[Address, RankconstError] = {}
    for address in dict.fromkeys(group.address for group in groups):
        try:
            tasks, tool = settle(address, user, tables, tool=reading.tool)
            questions = ask_counts(address, user, tasks, tables)
        except (DataError, UnknownNameError) as error:
            # A file may well name datasets that no tables hold.
            failed[address] = error
            continue
        if questions:
            failed[address] = AskedError("; ".join(map(str, questions)), questions)
        else:
            settled[address] = tasks, tool
    return settled, failed


def _list_questions(
    groups: Mapping[Group, Places], failed: Mapping[Address, Exception], *, in_python: bool
) -> tuple[Question, ...]:
    """Return the open questions, each with the places of the numbers that wait for its answer."""
    places: dict[Question, list[int]] = {}
    for group, own in groups.items():
        error = failed.get(group.address)
        if isinstance(error, AskedError):
            for question in error.questions:
                places.setdefault(question, []).extend(own.tolist())
    total = sum(own.size for own in groups.values())
    return locate(places, total, in_python=in_python)


# Numbers whose tasks are known.

_FEW = 50


class _Adjusting:
    """Adjusts the numbers of a file a group at a time, and keeps why others are left out."""

    def __init__(
        self,
        reading: Reading,
        groups: Mapping[Group, Places],
        user: Address,
        tables: Tables,
        decimals: int | Mapping[Metric, int] | None,
    ) -> None:
        self._reading, self._entries = reading, reading.entries
        self._user, self._tables, self._decimals = user, tables, decimals
        self.done: list[AdjustedBatch] = []
        self.left: dict[int, RankconstError] = {}
        # Why numbers cannot be what they are said to be.
        self.impossible = _find_fractions(reading, groups) if user.percent else {}
        self._fractions = list(self.impossible)
        self._without_scores: list[int] = []
        # Of each kind of number the texts that were read before: value and ends, or NaN.
        self._known: dict[tuple[Metric, bool], Numbers] = {}

    def leave(self, places: Places, error: RankconstError) -> None:
        """Leave out numbers for a reason."""
        self.left |= dict.fromkeys(places.tolist(), error)

    def adjust(self, group: Group, places: Places, tasks: Tasks, tool: Tool | None) -> None:
        """Adjust the numbers of a group."""
        if self._fractions:
            places = places[~np.isin(places, self._fractions)]
        if not places.size:
            return
        try:
            tasks = weigh(tasks, group.metric, tool)
        except DataError as error:
            self.leave(places, error)
            return
        kept, (value, lower, upper) = self._read(group, places)
        told = tells_no_scores(group.metric, value)
        self._without_scores += kept[told].tolist()
        if not kept.size:
            return
        num_tasks = group.address.num_tasks
        batch = Batch(tasks, group.metric, tool, value, lower, upper, kept, num_tasks)
        try:
            self._adjust_batch(batch)
        except (UnknownNameError, UndefinedError, UsageError) as error:
            self.leave(kept, error)

    def _adjust_batch(self, batch: Batch) -> None:
        """Adjust a batch without the numbers that are impossible."""
        constants = look_up(batch.tasks, batch.metric, batch.num_tasks, self._tables)
        try:
            self.done.append(adjust_batch(batch, constants))
        except ImpossibleError as error:
            kept = np.ones(batch.index.size, dtype=np.bool_)
            for place, reason in error.reasons.items():
                kept[place] = False
                self.impossible[int(batch.index[place])] = reason
            if kept.any():
                self.done.append(adjust_batch(batch.take(kept), constants))

    def _read(self, group: Group, places: Places) -> tuple[Places, Ends]:
        """Return the places of numbers of a metric, and these with the ends of their rounding."""
        codes = self._entries.text_of[places]
        is_text = codes >= 0
        if not is_text.any():
            return places, self._read_floats(group, ~codes)
        numbers = self._read_texts(group, places[is_text], codes[is_text])
        if not is_text.all():
            ends = zip(numbers, self._read_floats(group, ~codes[~is_text]), strict=True)
            numbers = Ends(*(_merge(is_text, *pair) for pair in ends))
        is_number = ~np.isnan(numbers.value)
        if is_number.all():
            return places, numbers
        return places[is_number], Ends(*(each[is_number] for each in numbers))

    def _read_texts(self, group: Group, places: Places, codes: Places) -> Ends:
        """Read texts, each distinct one once; NaN for what is no number of the metric."""
        metric, written = group.metric, self._entries.written
        percent, decimals = self._is_percent(metric), self._find_decimals(metric)
        nothing = np.full((len(written), 3), np.nan)
        known = self._known.setdefault((metric, group.exact), nothing)
        new = np.array(list_distinct(codes), dtype=np.intp)
        new = new[np.isnan(known[new, 0])]
        if new.size > _FEW:
            texts = [written[code] for code in new.tolist()]
            try:
                known[new] = read_numbers(
                    metric, texts, percent=percent, exact=group.exact, decimals=decimals
                )
                return Ends(*(each[codes] for each in known.T))
            except DataError:
                pass  # one by one, to find which
        for code in new.tolist():
            try:
                number = read_published(
                    metric, written[code], percent=percent, exact=group.exact, decimals=decimals
                )
                known[code] = number.value, number.lower, number.upper
            except DataError as error:
                self.impossible |= dict.fromkeys(places[codes == code].tolist(), str(error))
        return Ends(*(each[codes] for each in known.T))

    def _read_floats(self, group: Group, codes: Places) -> Ends:
        """Return a machine's numbers, which are as long as they are unless the user rounds them."""
        in_percent = self._entries.floats.percent[codes] | self._is_percent(group.metric)
        value = self._entries.floats.values[codes]
        if in_percent.any():
            value = value / np.where(in_percent, 100, 1)
        decimals = self._find_decimals(group.metric)
        if decimals is None:
            return Ends(value, value, value)
        half = 0.5 * 10.0 ** -(check_decimals(decimals) + 2 * in_percent)
        return Ends(value, value - half, value + half)

    def _is_percent(self, metric: Metric) -> bool:
        return self._user.percent and metric.is_share

    def _find_decimals(self, metric: Metric) -> int | None:
        if isinstance(self._decimals, Mapping):
            return self._decimals.get(metric)
        return self._decimals

    def list_credible(self) -> list[AdjustedBatch]:
        """Return what was adjusted but evaluations that contradict themselves or have diverged."""
        entries = self._entries
        evaluation_of = number_evaluations(self._reading)
        evaluations = [evaluation_of[each.batch.index] for each in self.done]
        contradicting = list_contradictions(self.done, evaluations, entries.text_at)
        infinite = [place for place in self.impossible if is_infinite(entries.text_at(place))]
        without_scores = [*self._without_scores, *infinite]
        diverged = find_diverged(self._reading, without_scores) if without_scores else {}
        self.impossible |= contradicting | diverged
        if not (contradicting or diverged):
            return self.done
        marked = np.zeros(len(entries), dtype=np.bool_)
        marked[[*contradicting, *diverged]] = True
        return [*leave_out(self.done, marked)]


def _find_fractions(reading: Reading, groups: Mapping[Group, Places]) -> dict[int, str]:
    """Return where a metric looks like fractions, not like percentages, with the reason."""
    shares: dict[Metric, list[int]] = {}
    for group, places in groups.items():
        if group.metric.is_share:
            unsigned = places[~reading.entries.signed[places]]
            shares.setdefault(group.metric, []).extend(unsigned.tolist())
    entries = reading.entries
    heads = dict.fromkeys(entries.heads[code] for code in entries.head_of[entries.signed].tolist())
    percentages = [f"{head.column} (%)" for head in heads if head.column not in {"", "value"}]
    notes: dict[int, str] = {}
    for metric, own in shares.items():
        if own and entries.values[own].max() <= 1:
            note = (
                f"every {metric.label} is at most 1, as fractions are. If only some columns are "
                "percentages, leave out --percent and write the sign into their headings: "
                f"{list_first(percentages or ['Hits@10 (%)'])}."
            )
            notes |= dict.fromkeys(own, note)
    return notes


# What users are told.

_MOST_ASKED = 8


def _choose_error(
    reading: Reading,
    asked: tuple[Question, ...],
    impossible: Mapping[int, str],
    left: Mapping[int, RankconstError],
    *,
    strict: bool,
) -> RankconstError:
    """Return the error that says first why numbers are left out; it has the questions, too."""
    others = [left[place] for place in sorted(left) if not isinstance(left[place], AskedError)]
    error: RankconstError
    if asked and (strict or not (impossible or others)):
        error = AskedError("\n".join(f"{question}." for question in asked[:_MOST_ASKED]))
    elif impossible:
        place = min(impossible)
        more = f" And {len(impossible) - 1:,} more." if len(impossible) > 1 else ""
        where = _name_place(reading, reading.entries[place])
        error = DataError(f"{where}: {impossible[place]}{more}")
    else:
        error = others[0]
        graphs = read_label(reading.name).graphs if str(error) == NO_DATASET else ()
        if len(graphs) == 1 and list_names().find(graphs[0]) is not None:
            error = DataError(f"{error} The name of the file suggests --dataset {graphs[0]}.")
    error.questions = asked
    return error


def _name_place(reading: Reading, entry: Entry) -> str:
    """Name the place of a number for messages."""
    if entry.line is not None:
        return f"{reading.name}, line {entry.line:,}, {entry.column}"
    if reading.layout == "wide":
        return f"{reading.name}, {entry.column}, row {entry.row}"
    # Of a file without lines, what the row says is the place.
    row = reading.rows[entry.row]
    texts = [row.get(key) for key in reading.columns if key != entry.column]
    return f"{reading.name}, {'.'.join(text for text in texts if text)}"


def _word(
    asked: Iterable[Question], reasons: Mapping[int, str], notes: Iterable[tuple[int, str]]
) -> dict[int, str]:
    """Return why each number was not adjusted, or what to know about it."""
    remarks: dict[int, list[str]] = {}
    for question in asked:
        remark = f"{question}."
        for place in question.numbers:
            remarks.setdefault(place, []).append(remark)
    for place, reason in reasons.items():
        remarks.setdefault(place, [reason])  # where there are questions, they are the reason
    for place, note in notes:
        remarks.setdefault(place, []).append(note)
    return {place: " ".join(found) for place, found in remarks.items()}


def _note(done: AdjustedBatch, reading: Reading, tables: Tables) -> Iterator[tuple[int, str]]:
    """Yield what to know about the adjusted numbers of a batch, with the places of entries."""
    entries, index = reading.entries, done.batch.index
    covered = tables.explain_coverage(done.batch.tasks)
    general = [note for note in (covered, *done.explain_undefined().values()) if note]
    ties = [TIES.get(context.rank_type or "", "") for context in entries.contexts]
    positions: Sequence[int] = range(len(index))
    if not general:
        is_tied = _flag(note != "" for note in ties)
        of_ties = np.flatnonzero(is_tied[entries.context_of[index]]) if is_tied.any() else index[:0]
        positions = sorted({*of_ties.tolist(), *done.unattained})
    for position in positions:
        place = int(index[position])
        own = (ties[entries.context_of[place]], done.unattained.get(position))
        for note in dict.fromkeys((*general, *own)):
            if note:
                yield place, note


_MOST_LISTED = 8


def _list_contents(reading: Reading) -> str:
    """Say what a file has where none of it was asked for."""
    base = [entry for entry in reading.entries if entry.adjustment is None]
    if not reading.entries and reading.skipped:
        reasons = name_reasons(reading.skipped).rstrip(".")
        return f"no number that can be adjusted: {reasons}."
    if not base:
        return "only adjusted numbers. Name the document with the published ones."
    labels = dict.fromkeys(entry.metric.label for entry in base)
    parts = [f"metrics {', '.join(labels)}"]
    for name in ("dataset", "split", "side", "protocol"):
        named = dict.fromkeys(getattr(entry.context, name) for entry in base)
        values = [value for value in named if value is not None]
        if values:
            more = " ..." if len(values) > _MOST_LISTED else ""
            parts.append(f"{name}s {', '.join(values[:_MOST_LISTED])}{more}")
    return f"none of the numbers you asked for. It has {'; '.join(parts)}."


_MRR, _FIRST = parse_metric("mrr"), parse_metric("hits@1")


def find_diverged(reading: Reading, without_scores: Iterable[int]) -> dict[int, str]:
    """Return the places of all numbers of diverged evaluations, each with the reason.

    The numbers at the places `without_scores` show it, whatever the ties of the others. Adjusted
    values are left out.
    """
    entries = reading.entries
    codes, distinct = encode(replace(context, rank_type=None) for context in entries.contexts)
    evaluations = (
        number_evaluations(reading, by_ties=False) * len(distinct) + codes[entries.context_of]
    )
    reasons: dict[int, str] = {}
    for place in without_scores:
        shown = f"{entries[place].metric.label} {entries.text_at(place)}"
        reasons.setdefault(int(evaluations[place]), NOT_A_NUMBER.format(shown))
    base = np.array([head.adjustment is None for head in entries.heads], dtype=np.bool_)
    chosen = np.isin(evaluations, list(reasons)) & base[entries.head_of]
    own = np.flatnonzero(chosen).tolist()
    return {place: reasons[int(evaluations[place])] for place in own}


def find_perfect(done: Iterable[AdjustedBatch], reading: Reading) -> dict[int, str]:
    """Find evaluations whose MRR and Hits@1 are both exactly 1.

    Return the places of these numbers, with what that may mean.
    """
    reciprocal, first = list[int](), list[int]()
    for each in done:
        ones = each.batch.index[each.batch.value == 1].tolist()
        if each.batch.metric == _MRR:
            reciprocal += ones
        elif each.batch.metric == _FIRST:
            first += ones
    if not reciprocal or not first:
        return {}
    evaluations = number_evaluations(reading)
    both = {*evaluations[reciprocal].tolist()} & {*evaluations[first].tolist()}
    return {place: PERFECT for place in (*reciprocal, *first) if int(evaluations[place]) in both}
