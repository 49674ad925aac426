"""Adjust every number of a results file, and say which ones cannot be."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.protocols import parse_protocol
from rankconst.constants.affine import ADJUSTMENTS
from rankconst.constants.batches import adjust_dropped, draw_evenly
from rankconst.constants.published import Interval, Published, parse_value, read_published
from rankconst.errors import DataError, UndefinedError, UnknownNameError, UsageError
from rankconst.moments import compute_moments
from rankconst.results.evaluation import Setting, Settled, agrees, check_setting, settle
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.constants.constants import Adjusted, Constants
    from rankconst.constants.significance import Significance
    from rankconst.results.evaluation import Context
    from rankconst.results.reading import Entry, Reading
    from rankconst.tables.tables import Tables


@dataclass(frozen=True, slots=True)
class AdjustedEntry:
    """A number of a file with its adjusted forms.

    Attributes
    ----------
    entry
        The number as found.
    published
        The number as read, with its interval; None for one that was left alone.
    constants
        What it was adjusted with; None if it could not be.
    adjusted
        Its adjusted forms, floats; None if it could not be.
    significance
        The probability that a random ranker does as well; None unless asked for and known.
    note
        Why it was not adjusted, or what to know about it; empty if nothing.
    partial
        True if its source left out some tasks, so that no tail probability is known.
    asked
        False for one that was not asked for: of another metric, dataset, split or side, or adjusted already.
    """

    entry: Entry
    published: Published | None = None
    constants: Constants | None = None
    adjusted: Adjusted | None = None
    significance: Significance | None = None
    note: str = ""
    partial: bool = False
    asked: bool = True


@dataclass(frozen=True, slots=True)
class AdjustedReading:
    """A results file with its adjusted numbers.

    Attributes
    ----------
    reading
        The file.
    entries
        One for each entry of the reading, in its order.
    table_version
        The version of the tables.
    sources
        Where the numbers come from, as far as it is known, each once; their caveats apply.
    """

    reading: Reading
    entries: tuple[AdjustedEntry, ...]
    table_version: str
    sources: tuple[Tool, ...] = ()

    @property
    def is_selection(self) -> bool:
        """True if only some of the file's numbers were asked for."""
        return not all(each.asked or each.entry.metric.optimum is None for each in self.entries)


def adjust_values(source: Tool | None, constants: Constants, value: Any, lower: Any, upper: Any) -> Adjusted:
    """Adjust numbers known to lie between bounds, with what their source leaves open beside.

    Parameters
    ----------
    source
        Where the numbers come from; None if nothing is known about it.
    constants
        The constants of the metric on the ranking tasks.
    value, lower, upper
        Floats or arrays of one shape, in units of the metric.

    Raises
    ------
    DataError
        If a value is outside the metric's range.
    """
    if source is not None and source.batch is not None:
        return adjust_dropped(constants, value, lower, upper, source.batch)
    return constants.adjust_between(value, lower, upper)


def adjust_reading(
    reading: Reading,
    tables: Tables,
    setting: Setting,
    *,
    metrics: Iterable[Metric] = (),
    significance: bool = False,
    resolve: Callable[[str], str] | None = None,
    track: Callable[[Sequence[AdjustedEntry]], Iterable[AdjustedEntry]] | None = None,
) -> AdjustedReading:
    """Adjust the numbers of a results file.

    Parameters
    ----------
    reading
        What a reader found.
    tables
        Where the constants come from.
    setting
        What the user says about the file.
    metrics
        Only these; all if empty.
    significance
        True to compute the probability that a random ranker does as well, for every number.
    resolve
        Returns the key of a dataset; that of the tables if None.
    track
        Wraps the entries while their significance is computed, to show progress.

    Raises
    ------
    DataError
        For text that is no number, or a value that the metric cannot take, with its place; or if no number can be
        adjusted.
    UsageError
        If file and setting contradict each other.
    UnknownNameError
        For a name in the setting that nobody knows, or if that is why no number can be adjusted.
    """
    resolve = functools.cache(resolve or tables.resolve_dataset)
    check_setting(setting, tables, resolve)
    wanted = set(metrics)
    found = [AdjustedEntry(entry, asked=_is_asked(entry, setting, wanted, resolve)) for entry in reading.entries]
    groups: dict[tuple[Context, Metric], list[int]] = {}
    for place, each in enumerate(found):
        if each.asked and each.entry.adjustment is None:
            # Whose number it is, and how ties were ranked, changes nothing about the tasks.
            context = replace(each.entry.context, model=None, rank_type=None)
            groups.setdefault((context, each.entry.metric), []).append(place)
    if not groups:
        raise DataError(f"{reading.name} holds no number that was asked for. {_list_contents(reading)}")
    if setting.percent:
        _check_percentages(reading, [found[place].entry for places in groups.values() for place in places])
    settled: dict[Context, Settled | DataError | UnknownNameError] = {}
    sources: dict[str, Tool] = {}
    for (context, _), places in groups.items():
        if context not in settled:
            settled[context] = _settle(context, setting, reading, tables, resolve)
        tasks = settled[context]
        if not isinstance(tasks, Settled):
            for place in places:
                found[place] = AdjustedEntry(reading.entries[place], note=str(tasks))
            continue
        done = _adjust_group(reading, [reading.entries[place] for place in places], tasks, setting, tables)
        for place, adjusted in zip(places, done, strict=True):
            found[place] = adjusted
        if tasks.source is not None:
            sources.setdefault(tasks.source.key, tasks.source)
    reasons = [tasks for tasks in settled.values() if not isinstance(tasks, Settled)]
    if reasons and len(reasons) == len(settled):
        raise reasons[0]
    if significance:
        found = [_add_significance(each) for each in (track(found) if track else found)]
    return AdjustedReading(reading, tuple(found), tables.version, tuple(sources.values()))


def _is_asked(entry: Entry, setting: Setting, wanted: set[Metric], resolve: Callable[[str], str]) -> bool:
    if entry.metric.optimum is None or (wanted and entry.metric not in wanted):
        return False
    return agrees(entry.context, setting, resolve)


def _list_contents(reading: Reading) -> str:
    """Say what there is to be asked for."""
    base = [entry for entry in reading.entries if entry.adjustment is None]
    parts = [f"metrics {', '.join(dict.fromkeys(entry.metric.label for entry in base))}"]
    for name, word in (("dataset", "datasets"), ("split", "splits"), ("side", "sides")):
        values = dict.fromkeys(getattr(entry.context, name) for entry in base)
        values.pop(None, None)
        if values:
            parts.append(f"{word} {', '.join(list(values)[:8])}{' ...' * (len(values) > 8)}")
    return f"There are {'; '.join(parts)}."


def _check_percentages(reading: Reading, entries: Sequence[Entry]) -> None:
    """Refuse to take a column of shares for percentages below one."""
    columns: dict[Metric, list[Entry]] = {}
    for entry in entries:
        if entry.metric.is_share and "%" not in entry.text:
            columns.setdefault(entry.metric, []).append(entry)
    for metric, shares in columns.items():
        values = [parse_value(entry.text, place=_place(reading, entry)).value for entry in shares]
        if max(values) <= 1:
            raise DataError(
                f"{_place(reading, shares[0])}: every {metric.label} is at most 1, as fractions are. If only some "
                "columns are percentages, leave out --percent and write the sign into their headings: Hits@10 (%)."
            )


def _settle(
    context: Context,
    setting: Setting,
    reading: Reading,
    tables: Tables,
    resolve: Callable[[str], str] | None,
) -> Settled | DataError | UnknownNameError:
    """Return the ranking tasks, or why there are none: a file may well name datasets that nobody tabulated."""
    try:
        return settle(context, setting, tables, tool=reading.source, resolve=resolve)
    except (DataError, UnknownNameError) as error:
        return error


def _adjust_group(
    reading: Reading, entries: Sequence[Entry], settled: Settled, setting: Setting, tables: Tables
) -> list[AdjustedEntry]:
    """Adjust entries of one metric on one set of tasks, in one go."""
    published = [_parse(reading, entry, setting) for entry in entries]
    source = settled.source
    columns = (np.array([getattr(each, name) for each in published]) for name in ("value", "lower", "upper"))
    try:
        whole = _restate(settled.constants(tables, entries[0].metric), entries[0].context.num_tasks)
        constants = whole if source is None or source.batch is None else draw_evenly(whole, source.batch)
        adjusted = adjust_values(source, whole, *columns)
    except (UnknownNameError, UndefinedError, UsageError) as error:
        return [AdjustedEntry(entry, each, note=str(error)) for entry, each in zip(entries, published, strict=True)]
    except DataError:
        # One of them is impossible: find it, for its place.
        for entry, each in zip(entries, published, strict=True):
            try:
                adjust_values(source, whole, each.value, each.lower, each.upper)
            except DataError as error:
                if not reading.tolerant:
                    raise DataError(f"{_place(reading, entry)}: {error}") from None
                others = [other for other in entries if other is not entry]
                rest = _adjust_group(reading, others, settled, setting, tables) if others else []
                rest.insert(entries.index(entry), AdjustedEntry(entry, each, note=str(error)))
                return rest
        raise
    note = _compare_tasks(entries[0].context.num_tasks, whole, settled, tables)
    return [
        AdjustedEntry(entry, each, constants, _pick(adjusted, place), note=note, partial=constants is not whole)
        for place, (entry, each) in enumerate(zip(entries, published, strict=True))
    ]


def _parse(reading: Reading, entry: Entry, setting: Setting) -> Published:
    # The setting is about the file: it does not call a mean rank a percentage.
    percent = setting.percent and entry.metric.is_share
    return read_published(entry.metric, entry.text, percent=percent, exact=entry.exact, place=_place(reading, entry))


def _place(reading: Reading, entry: Entry) -> str:
    if entry.line is not None:
        return f"{reading.name}, line {entry.line:,}, {entry.column}"
    if reading.layout == "wide":
        return f"{reading.name}, {entry.column}"
    # Of a file without lines, what the row says is the place.
    row = reading.rows[entry.row]
    told = ".".join(row[key] for key in reading.columns if key != entry.column and row.get(key))
    return f"{reading.name}, {told}"


def _restate(constants: Constants, stated: int | None) -> Constants:
    """Return the constants of as many tasks as a file counts, where that is all there is to know about them."""
    negatives = parse_protocol(constants.protocol).negatives
    if stated is None or negatives is None or stated == constants.num_tasks:
        return constants
    histogram = Histogram(np.array([negatives + 1]), np.array([stated]))
    return replace(constants, histogram=histogram, moments=compute_moments(constants.metric, histogram))


def _compare_tasks(stated: int | None, constants: Constants, settled: Settled, tables: Tables) -> str:
    """Return a note where the file counts other ranks than the tables do."""
    if stated is None or stated == constants.num_tasks:
        return ""
    counted = {
        key: tables.histogram(settled.dataset, settled.split, settled.side, key).total
        for key in tables.protocols(settled.dataset)
        if tables.holds(settled.dataset, key, settled.split)
    }
    fitting = [key for key, total in counted.items() if total == stated]
    hint = (
        f"protocol {' or '.join(fitting)} has that many"
        if fitting
        else "no protocol has that many; is it another dataset?"
    )
    return (
        f"the file counts {stated:,} ranks, {settled.dataset} {settled.split} {settled.side} has "
        f"{constants.num_tasks:,} under protocol {settled.protocol}: {hint}."
    )


def _pick(adjusted: Adjusted, place: int) -> Adjusted:
    """Return the numbers at one place of arrays."""
    picked: dict[str, Any] = {}
    for name in ("value", *ADJUSTMENTS):
        values, interval = getattr(adjusted, name), getattr(adjusted, f"{name}_interval")
        picked[name] = None if values is None else float(values[place])
        picked[f"{name}_interval"] = None if interval is None else Interval(*(float(end[place]) for end in interval))
    return type(adjusted)(**picked)


def _add_significance(each: AdjustedEntry) -> AdjustedEntry:
    from rankconst.constants.significance import compute_significance

    # With a batch left out, the number of tasks is not that of the constants.
    if each.constants is None or each.adjusted is None or each.partial:
        return each
    try:
        found = compute_significance(each.constants, each.adjusted.value, each.adjusted.value_interval)
    except UndefinedError:
        return each
    return replace(each, significance=found)
