"""Adjust results files for chance: numbers of the same ranking tasks and metric go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankconst.adjusting import (
    TIES,
    Batch,
    ImpossibleError,
    add_significance,
    adjust_batch,
    compare_with,
    find_contradictions,
    leave_out,
    look_up,
)
from rankconst.catalogue.benchmarks import list_names
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
from rankconst.names import join_versions
from rankconst.results.adjusted import AdjustedReading
from rankconst.results.columns import encode, list_distinct
from rankconst.results.counts import ask_counts
from rankconst.results.divergence import find_diverged, find_perfect
from rankconst.results.labels import read_label
from rankconst.results.mean_rows import settle_means
from rankconst.results.meanings import find_answers
from rankconst.results.reading import Entries, name_reasons, number_evaluations
from rankconst.values.bounds import is_infinite, tells_no_scores
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

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]


class Group(NamedTuple):
    """What numbers share that are adjusted together."""

    address: Address
    metric: Metric
    exact: bool


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
    groups, of_means = settle_means(reading, groups, settled, failed)
    asked = _list_questions(groups, failed, in_python=in_python)
    uncounted = find_answers(reading, tables)
    groups = _leave_out(groups, list(uncounted))
    done, left, impossible = _adjust_groups(
        reading, groups, settled, user, tables, decimals=decimals
    )
    for group, places in groups.items():
        if group.address in failed:
            left |= dict.fromkeys(places.tolist(), failed[group.address])
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


def _leave_out(groups: Mapping[Group, Places], places: Sequence[int]) -> dict[Group, Places]:
    """Return groups without some entries, and without those that are then empty."""
    kept = {group: own[~np.isin(own, places)] for group, own in groups.items()}
    return {group: own for group, own in kept.items() if own.size}


def _settle(
    groups: Mapping[Group, Places], user: Address, reading: Reading, tables: Tables
) -> tuple[dict[Address, tuple[Tasks, Tool | None]], dict[Address, RankconstError]]:
    """Return ranking tasks and tool of each address, or why there are none."""
    settled: dict[Address, tuple[Tasks, Tool | None]] = {}
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


def _adjust_groups(
    reading: Reading,
    groups: Mapping[Group, Places],
    settled: Mapping[Address, tuple[Tasks, Tool | None]],
    user: Address,
    tables: Tables,
    *,
    decimals: int | Mapping[Metric, int] | None,
) -> tuple[list[AdjustedBatch], dict[int, RankconstError], dict[int, str]]:
    """Adjust numbers whose tasks are known; return also why others are left out or impossible."""
    impossible = _find_fractions(reading, groups) if user.percent else {}
    fractions, left = list(impossible), dict[int, RankconstError]()
    done: list[AdjustedBatch] = []
    remarks: list[int] = []  # where scores were not numbers
    # Of each kind of number the texts that were read before, as numbers.
    read: dict[tuple[Metric, bool], Numbers] = {}
    for group, own in groups.items():
        places = own[~np.isin(own, fractions)] if fractions else own
        if group.address not in settled or not places.size:
            continue
        tasks, tool = settled[group.address]
        try:
            tasks = weigh(tasks, group.metric, tool)
        except DataError as error:
            left |= dict.fromkeys(places.tolist(), error)
            continue
        rounded = decimals.get(group.metric) if isinstance(decimals, Mapping) else decimals
        held = read.setdefault(
            (group.metric, group.exact), np.full((len(reading.entries.written), 3), np.nan)
        )
        kept, numbers = _read(
            reading.entries,
            places,
            group.metric,
            held,
            impossible,
            percent=user.percent and group.metric.is_share,
            exact=group.exact,
            decimals=rounded,
        )
        remarks += kept[tells_no_scores(group.metric, numbers[:, 0])].tolist()
        if kept.size:
            value, lower, upper = np.ascontiguousarray(numbers.T)
            batch = Batch(
                tasks, group.metric, tool, value, lower, upper, kept, group.address.num_tasks
            )
            done += _adjust(batch, tables, left, impossible)
    evaluation_of, entries = number_evaluations(reading), reading.entries
    evaluations = [evaluation_of[each.batch.index] for each in done]
    contradicting = find_contradictions(done, evaluations, entries.text_at)
    remarks += [place for place in impossible if is_infinite(entries.text_at(place))]
    diverged = find_diverged(reading, remarks) if remarks else {}
    marked = np.zeros(len(entries), dtype=np.bool_)
    marked[[*contradicting, *diverged]] = True
    return [*leave_out(done, marked)], left, impossible | contradicting | diverged


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
        error = DataError(f"{_place(reading, reading.entries[place])}: {impossible[place]}{more}")
    else:
        error = others[0]
        graphs = read_label(reading.name).graphs if str(error) == NO_DATASET else ()
        if len(graphs) == 1 and list_names().find(graphs[0]) is not None:
            error = DataError(f"{error} The name of the file suggests --dataset {graphs[0]}.")
    error.questions = asked
    return error


_MOST_ASKED = 8


def _word(
    asked: Iterable[Question], reasons: Mapping[int, str], notes: Iterable[tuple[int, str]]
) -> dict[int, str]:
    """Return why each number was not adjusted, or what to know about it."""
    remarks: dict[int, list[str]] = {}
    for question in asked:
        for place in question.numbers:
            remarks.setdefault(place, []).append(f"{question}.")
    for place, reason in reasons.items():
        remarks.setdefault(place, [reason])  # where there are questions, they are the reason
    for place, note in notes:
        remarks.setdefault(place, []).append(note)
    return {place: " ".join(found) for place, found in remarks.items()}


def _note(done: AdjustedBatch, reading: Reading, tables: Tables) -> Iterator[tuple[int, str]]:
    """Yield what to know about the adjusted numbers of a batch, with the places of entries."""
    entries = reading.entries
    covered = tables.explain_coverage(done.batch.tasks)
    general = [note for note in (covered, *done.explain_undefined().values()) if note]
    ties = [TIES.get(context.rank_type or "", "") for context in entries.contexts]
    tied = np.array([bool(note) for note in ties], dtype=np.bool_)
    index = done.batch.index
    positions: Sequence[int] = range(len(index))
    if not general:
        of_ties = np.flatnonzero(tied[entries.context_of[index]])
        positions = sorted({*of_ties.tolist(), *done.unattained})
    for position in positions:
        place = int(index[position])
        own = (ties[entries.context_of[place]], done.unattained.get(position))
        for note in dict.fromkeys((*general, *own)):
            if note:
                yield place, note


def _group_entries(
    reading: Reading, user: Address, metrics: frozenset[Metric], tables: Tables
) -> tuple[dict[Group, Places], NDArray[np.bool_]]:
    """Gather the entries that are asked for, by address, metric and precision."""
    entries = reading.entries
    # Thousands of rows say the same: each address is compared with the user's words once.
    codes, distinct = encode(replace(context, rank_type=None) for context in entries.contexts)
    addresses = [context if agrees(context, user, tables) else None for context in distinct]
    agreeing = np.array([address is not None for address in addresses], dtype=np.bool_)
    address_of, head_of = codes[entries.context_of], entries.head_of
    kind_of_head, kinds = encode((head.metric, head.exact) for head in entries.heads)
    fitting = [
        head.metric.optimum is not None and (not metrics or head.metric in metrics)
        for head in entries.heads
    ]
    base = [head.adjustment is None for head in entries.heads]
    wanted = agreeing[address_of] & np.array(fitting, dtype=np.bool_)[head_of]
    chosen = np.flatnonzero(wanted & np.array(base, dtype=np.bool_)[head_of])
    codes = (address_of * len(kinds) + kind_of_head[head_of])[chosen]
    groups: dict[Group, Places] = {}
    for code, places in _split_by_code(codes, chosen):
        address, (metric, exact) = addresses[code // len(kinds)], kinds[code % len(kinds)]
        if address is not None:
            groups[Group(address, metric, exact)] = places
    return groups, wanted


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
    for name, word in (
        ("dataset", "datasets"),
        ("split", "splits"),
        ("side", "sides"),
        ("protocol", "protocols"),
    ):
        values = dict.fromkeys(getattr(entry.context, name) for entry in base)
        values.pop(None, None)
        if values:
            more = " ..." if len(values) > _MOST_LISTED else ""
            parts.append(f"{word} {', '.join(list(values)[:_MOST_LISTED])}{more}")
    return f"none of the numbers you asked for. It has {'; '.join(parts)}."


def _find_fractions(reading: Reading, groups: Mapping[Group, Places]) -> dict[int, str]:
    """Return where a metric looks like fractions, not like percentages, with the reason."""
    shares: dict[Metric, list[int]] = {}
    for (_, metric, _), places in groups.items():
        found = places[~reading.entries.signed[places]].tolist()
        if metric.is_share and found:
            shares.setdefault(metric, []).extend(found)
    notes: dict[int, str] = {}
    for metric, own in shares.items():
        if reading.entries.values[own].max() <= 1:
            note = (
                f"every {metric.label} is at most 1, as fractions are. If only some columns are "
                "percentages, leave out --percent and write the sign into their headings: "
                "Hits@10 (%)."
            )
            notes |= dict.fromkeys(own, note)
    return notes


_FEW = 50


def _read(
    entries: Entries,
    places: Places,
    metric: Metric,
    numbers: Numbers,
    impossible: dict[int, str],
    *,
    percent: bool,
    exact: bool,
    decimals: int | None,
) -> tuple[Places, Numbers]:
    """Return the places of entries that are numbers of the metric, and these, shape (n, 3).

    Each number stands before the ends of its rounding. `numbers` has those of the texts that were
    read before, and NaN for others, which are added.
    """
    codes = entries.text_of[places]
    used = np.array(list_distinct(codes[codes >= 0]), dtype=np.intp)
    used = used[np.isnan(numbers[used, 0])]
    try:
        if used.size > _FEW:
            texts = [entries.written[code] for code in used.tolist()]
            numbers[used] = read_numbers(
                metric, texts, percent=percent, exact=exact, decimals=decimals
            )
            used = used[:0]
    except DataError:
        pass  # one by one, to find which
    for code in used.tolist():
        try:
            text = entries.written[code]
            each = read_published(metric, text, percent=percent, exact=exact, decimals=decimals)
            numbers[code] = each.value, each.lower, each.upper
        except DataError as error:
            impossible |= dict.fromkeys(places[codes == code].tolist(), str(error))
    found = numbers[np.maximum(codes, 0)] if len(numbers) else np.full((len(codes), 3), np.nan)
    own = ~codes[codes < 0]
    if own.size:
        in_percent = entries.floats.percent[own] | percent
        value = entries.floats.values[own] / np.where(in_percent, 100, 1)
        half: Any = 0.0
        if decimals is not None:
            half = 0.5 * 10.0 ** -(check_decimals(decimals) + 2 * in_percent)
        found[codes < 0] = np.stack([value, value - half, value + half], axis=1)
    there = ~np.isnan(found[:, 0])
    return places[there], found[there]


def _place(reading: Reading, entry: Entry) -> str:
    if entry.line is not None:
        return f"{reading.name}, line {entry.line:,}, {entry.column}"
    if reading.layout == "wide":
        return f"{reading.name}, {entry.column}, row {entry.row}"
    # Of a file without lines, what the row says is the place.
    row = reading.rows[entry.row]
    texts = [row.get(key) for key in reading.columns if key != entry.column]
    return f"{reading.name}, {'.'.join(text for text in texts if text)}"


def _adjust(
    batch: Batch, tables: Tables, left: dict[int, RankconstError], impossible: dict[int, str]
) -> Iterator[AdjustedBatch]:
    """Adjust a batch of a file; add why numbers cannot be."""
    try:
        whole = look_up(batch.tasks, batch.metric, batch.num_tasks, tables)
        try:
            done = adjust_batch(batch, whole)
        except ImpossibleError as error:
            impossible.update(
                (int(batch.index[place]), reason) for place, reason in error.reasons.items()
            )
            kept = np.ones(batch.index.size, dtype=np.bool_)
            kept[list(error.reasons)] = False
            if not kept.any():
                return
            done = adjust_batch(batch.take(kept), whole)
    except (UnknownNameError, UndefinedError, UsageError) as error:
        left.update(dict.fromkeys(batch.index.tolist(), error))
        return
    yield done
