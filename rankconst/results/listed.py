"""An adjusted results file as people see it: on a screen, and printed in Python."""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.adjusting import leave_out
from rankconst.arrow import list_values
from rankconst.catalogue.answers import AnswersMetric
from rankconst.catalogue.literature import FEWEST_GRAPHS
from rankconst.catalogue.metrics import CATALOGUE, parse_metric
from rankconst.catalogue.protocols import DEFAULT_AGGREGATION, OWN_COUNTS
from rankconst.errors import UnknownNameError
from rankconst.evaluation import describe_assumed
from rankconst.listing import (
    Column,
    Format,
    Listing,
    fixed,
    print_text,
    show_html,
    show_interval,
    show_tail,
)
from rankconst.names import join_words
from rankconst.results.labels import clean_heading, read_label
from rankconst.results.reading import name_datasets, name_reasons
from rankconst.results.tables.cells import MARKED_UP, strip_markup
from rankconst.values.affine import ADJUSTMENTS
from rankconst.values.published import show_number, show_printed
from rankconst.verdicts import find_floor, show_expected, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from rankconst.adjusting import AdjustedBatch
    from rankconst.evaluation import Question
    from rankconst.results.adjusted import AdjustedReading, Block
    from rankconst.results.columns import Flags
    from rankconst.results.reading import Entries
    from rankconst.tables.archive import Tables

# Columns with longer texts than this are dropped earlier on a narrow terminal.
_LONG_TEXT = 20

# With a longer note than this no table fits a usual terminal, so a screen has it on stderr alone.
_LONG_NOTE = 80


class _Drop(IntEnum):
    """Which columns leave a narrow terminal first: those with the greatest value."""

    note = 7000  # stderr has it, too
    same = 6000  # all rows share the text
    text = 5000  # long, and of neither model nor tasks
    other = 4000  # numbers that are not adjusted
    published = 3000
    skill = 2000
    short_text = 1000


# The most adjusted metrics that a caption names.
_FEW_NAMES = 4


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedFile:
    """An adjusted results file; ``print`` shows it as the screen of ``rankconst adjust`` does.

    Attributes
    ----------
    numbers : AdjustedReading
        The numbers one by one, with their ranking tasks and constants; for programs.
    """

    numbers: AdjustedReading
    _tables: Tables

    @property
    def table(self) -> Mapping[str, Any]:
        """Return the file's columns with the added ones to their right.

        Numbers are arrays, NaN where there is none.
        """
        return self.numbers.table

    def __getitem__(self, column: str) -> Any:
        """Return a column of :attr:`table`.

        Raises
        ------
        UnknownNameError
            If there is no column of that name.
        """
        if column not in self.table:
            columns = ", ".join(self.table)
            raise UnknownNameError(f"there is no column {column!r}. Columns: {columns}.")
        return self.table[column]

    @property
    def assumed(self) -> Mapping[str, tuple[str, ...]]:
        """Map ``split``, ``side``, ``protocol`` and the like to the values that were assumed."""
        return self.numbers.assumed

    @property
    def asked(self) -> Sequence[Question]:
        """The questions that only you can answer, each with its numbers and the remedy."""
        return self.numbers.asked

    @property
    def sentence(self) -> str:
        """How many of the numbers that are shown are better than chance, and than counting.

        It is empty if none of them could be adjusted.
        """
        rows = choose_rows(self.numbers, Format.table)
        floors = _find_floors(self.numbers, self._tables, rows)
        return summarise(floors) if floors else ""

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def _lay_out(self) -> Listing:
        """Lay out the listing of a screen; its caption also says what was skipped and assumed."""
        rows = choose_rows(self.numbers, Format.table)
        listing = lay_out(self.numbers, Format.table, rows, self._tables, more="details=True")
        lines = [listing.caption]
        skipped = self.numbers.reading.skipped
        if skipped:
            lines.append(f"Skipped: {name_reasons(skipped)}.")

        if self.assumed:
            lines.append(f"Assumed: {describe_assumed(self.assumed)}.")

        lines += dict.fromkeys(f"Asked: {question}." for question in self.asked)
        return replace(listing, caption="\n".join(lines))

    def __str__(self) -> str:
        return print_text(self._lay_out())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return show_html(self._lay_out())


def lay_out(
    adjusted: AdjustedReading,
    form: Format,
    chosen: Flags,
    tables: Tables,
    more: str = "--details",
) -> Listing:
    """Lay out the original columns with the adjusted numbers to their right.

    `chosen` flags the rows to list. A screen shows cells without markup, and its caption names
    `more`, an option, as the way to see all columns.
    """
    reading, screen = adjusted.reading, form is Format.table
    data = dict(adjusted.table)
    columns = _list_columns(adjusted, form, chosen, data)
    caption = ""
    title = ""
    if form is Format.latex:
        caption = _describe_columns(adjusted, tables, chosen)
    elif screen:
        more = f"More: {more}. " if more and not adjusted.details else ""
        caption = _describe_columns(adjusted, tables, chosen, more, screen=True)
        if not any(column.key == "dataset" and column.title for column in columns):
            title = _name_tasks(adjusted, tables)

    places = np.flatnonzero(chosen).tolist()
    # Only PyKEEN's tables have a row for each metric and tie policy.
    has_ties = any(context.rank_type for context in reading.entries.contexts)
    is_of_pykeen = screen and reading.layout == "long" and has_ties
    if is_of_pykeen:
        places = _order_metrics(adjusted, data, places)

    listing = Listing(columns, data, title, caption, upright=adjusted.details)
    if places != list(range(len(chosen))):
        listing = listing.take(places)

    has_notes = any(column.is_note and column.title for column in columns)
    is_short = not (adjusted.details or adjusted.against or has_notes)
    if is_of_pykeen and reading.joined and is_short:
        name, block = next(iter(adjusted.blocks.items()))  # a long table has one
        return _list_runs(listing, name, block.names["index"])
    return listing


def _list_columns(
    adjusted: AdjustedReading, form: Format, chosen: Flags, data: dict[str, Any]
) -> list[Column]:
    """List the columns of a format, and change `data` to what the format has in them."""
    reading, screen = adjusted.reading, form is Format.table
    columns = _list_originals(adjusted, form, data)
    columns = _add_columns(adjusted, columns, next_to=screen and _has_datasets_as_columns(adjusted))
    *facts, note = adjusted.last_columns
    if screen and "dataset" in facts:
        datasets = name_datasets(reading)
        named = {dataset for dataset in datasets if dataset}
        if len(named) > 1:
            data["dataset"] = datasets
            facts.remove("dataset")
            place = 1 if reading.joined else 0  # behind the name of the file, if there are several
            columns.insert(place, Column("dataset", "dataset", _show_text))

    columns += [Column(fact) for fact in facts]
    if screen and adjusted.waiting:
        data[note] = _shorten_notes(adjusted, data[note])

    notes = itertools.compress(data[note], chosen.tolist())
    longest = max((len(text or "") for text in notes), default=0)
    has_notes = longest > 0 and not (screen and longest > _LONG_NOTE)
    if has_notes or adjusted.details:
        title = note if has_notes else None
        columns.append(Column(note, title, _show_text, drop=_Drop.note, is_note=True))

    if form is Format.json:
        data |= {column: adjusted.list_numbers(column) for column in adjusted.blocks}
        data |= adjusted.answers
        columns += [Column("assumed"), Column("asked")]

    if screen and reading.layout != "long":
        groups = _group_columns(adjusted)
        columns = [column._replace(group=groups.get(column.key)) for column in columns]

    return columns


def _list_runs(listing: Listing, value: str, index: str) -> Listing:
    """Turn a long table into a wide one: a row for each run, and two columns for each metric.

    These have the published number (``MRR``) and the adjusted one (``AMRR``), from the columns
    `value` and `index`. A run is what the other columns have in a row. If a run has several numbers
    of a metric, return the listing as it is.
    """
    column_of = {column.key: column for column in listing.columns}
    columns = [column_of[key] for key in column_of if key not in {"metric", value, index}]
    run_of = list(zip(*(listing.data[column.key] for column in columns), strict=True))
    metric_of = list(listing.data["metric"])
    runs_with_metrics = zip(run_of, metric_of, strict=True)
    row_of = {run_and_metric: row for row, run_and_metric in enumerate(runs_with_metrics)}
    if len(row_of) < len(run_of):  # a run has two numbers of a metric
        return listing

    runs = list(dict.fromkeys(run_of))
    data: dict[str, list[Any]] = {}
    for j, column in enumerate(columns):
        data[column.key] = [run[j] for run in runs]

    published = list_values(listing.data[value])
    adjusted = list_values(listing.data[index])
    index_of = {metric: parse_metric(metric).column_of("index") for metric in metric_of}
    for order, (metric, index_name) in enumerate(index_of.items()):  # MRR, AMRR
        rows = [row_of.get((run, metric)) for run in runs]  # None if the run lacks the metric
        data[metric] = [None if row is None else published[row] for row in rows]
        data[index_name] = [None if row is None else adjusted[row] for row in rows]
        drop = _Drop.published + order
        columns.append(column_of[value]._replace(key=metric, title=metric, drop=drop))
        columns.append(column_of[index]._replace(key=index_name, title=index_name, drop=order))

    caption = f"{_join_few(index_of.values())}{listing.caption.removeprefix(index)}"
    return replace(listing, columns=columns, data=data, caption=caption)


def _join_few(names: Iterable[str]) -> str:
    """Join the names of adjusted metrics, "AMRR and AH@10"; more than four are "Adjusted"."""
    distinct = list(dict.fromkeys(names))
    return join_words(distinct) if len(distinct) <= _FEW_NAMES else "Adjusted"


def _list_originals(adjusted: AdjustedReading, form: Format, data: dict[str, Any]) -> list[Column]:
    """List the columns of the file, and strip markup from cells in `data` if `form` has another."""
    reading, screen = adjusted.reading, form is Format.table
    numeric = {head.column for head in reading.entries.heads}
    has_markup = reading.form in MARKED_UP
    raw = has_markup and form == reading.form
    if has_markup and not raw:
        for column in reading.columns:
            stripped = {cell: strip_markup(cell, reading.form) for cell in set(data[column])}
            data[column] = [stripped[cell] for cell in data[column]]

    columns = []
    for place, column in enumerate(reading.columns):
        is_numeric, drop, show = column in numeric, 0, _show_text
        if is_numeric and reading.layout == "wide":
            drop = _Drop.published if column in adjusted.blocks else _Drop.other
        if is_numeric and screen:
            show = _show_printed
        elif screen:
            drop = _rank_text(column, place, data[column])
        columns.append(Column(column, column, show, right=is_numeric, drop=drop, raw=raw))

    return columns


def _rank_text(column: str, place: int, cells: Sequence[str]) -> int:
    """Return how early a narrow screen drops a column of text at a `place`; 0 is never."""
    role = read_label(column).role
    if role in {"model", "dataset"}:
        return 0

    is_shared = len(cells) > 1 and len(set(cells)) == 1
    if is_shared:
        return _Drop.same + place
    if place == 0 or role:
        return 0

    longest = max((len(cell or "") for cell in cells), default=0)
    return _Drop.text if longest > _LONG_TEXT else _Drop.short_text


def _add_columns(
    adjusted: AdjustedReading, columns: Sequence[Column], *, next_to: bool
) -> list[Column]:
    """Return the columns of a file with the computed ones behind all of them.

    If `next_to`, those of each column of numbers are right behind it, and their headings do not
    repeat its heading: WN18RR and AMRR, not WN18RR AMRR.
    """
    computed_of = {
        block: _list_computed(block, names) for block, names in adjusted.list_added().items()
    }
    if not next_to:
        return [*columns, *itertools.chain.from_iterable(computed_of.values())]

    ordered: list[Column] = []
    for column in columns:
        ordered.append(column)
        if column.key in adjusted.blocks:
            block = adjusted.blocks[column.key]
            ordered += [_shorten_title(computed, column) for computed in computed_of[block]]

    return ordered


def _shorten_title(computed: Column, original: Column) -> Column:
    """Remove the title of the original from that of a computed column: "WN18RR AMRR" to "AMRR"."""
    repeated = f"{original.title} "
    if computed.title is None or not computed.title.startswith(repeated):
        return computed
    title = computed.title.removeprefix(repeated)
    return computed._replace(title=title, continues=original.key)


def _has_datasets_as_columns(adjusted: AdjustedReading) -> bool:
    """Tell whether columns are of one metric and differ in their datasets, as in leaderboards."""
    if adjusted.reading.layout != "wide" or len(adjusted.blocks) < 2:
        return False
    metrics = {head.metric for head in adjusted.reading.entries.heads}
    return len(metrics) == 1 and not any(_group_columns(adjusted).values())


def _name_tasks(adjusted: AdjustedReading, tables: Tables) -> str:
    """Name the benchmark, and the tasks if all numbers share them; empty if a column names it."""
    tasks = {part.published.tasks for part in adjusted.done}
    if len({each.aggregation for each in tasks}) > 1:  # a tool may leave some metrics unweighted
        tasks = {replace(each, aggregation=DEFAULT_AGGREGATION) for each in tasks}

    datasets = {address.dataset for address in tasks}
    is_of_counts = {address.protocol for address in tasks} == {OWN_COUNTS.key}
    if is_of_counts or len(datasets) != 1 or "dataset" not in adjusted.last_columns:
        return ""

    dataset = datasets.pop()
    title = tables.titles.get(dataset, dataset)
    return f"{title} ({tasks.pop().describe()})" if len(tasks) == 1 else title


# The metrics that papers print come first.
_FIRST_METRICS = (CATALOGUE["inverse_harmonic_mean_rank"], CATALOGUE["arithmetic_mean_rank"])


def _order_metrics(adjusted: AdjustedReading, data: dict[str, Any], places: list[int]) -> list[int]:
    """Order rows of PyKEEN as papers do, MRR first, and write metrics in `data` as papers do."""
    reading = adjusted.reading
    # For each row its part, the place of its metric in papers, whether it has no k, and its k.
    orders: dict[int, tuple[int, int, bool, int]] = {}
    columns = [column for column in ("metric", *adjusted.blocks) if column in data]
    texts = {column: list(data[column]) for column in columns}
    for part, entry in zip(reading.part_of.tolist(), reading.entries, strict=True):
        metric = entry.metric
        order = _FIRST_METRICS.index(metric) if metric in _FIRST_METRICS else len(_FIRST_METRICS)
        orders[entry.row] = (part, order, metric.hits_k is None, metric.hits_k or 0)
        if "metric" in texts:
            texts["metric"][entry.row] = metric.label
        with suppress(ValueError):  # such as "nan%", which stays
            texts[entry.column][entry.row] = show_number(float(entry.text), 4)

    data |= texts
    behind_all = (len(reading.parts), 0, False, 0)  # rows without a metric
    return sorted(places, key=lambda row: orders.get(row, behind_all))


def _describe_columns(
    adjusted: AdjustedReading,
    tables: Tables,
    chosen: Flags,
    more: str = "",
    *,
    screen: bool = False,
) -> str:
    """Write a caption: what 0 and 1 mean in the added columns, and how the chosen rows compare."""
    indices = [names["index"] for names in adjusted.list_added().values() if names.get("index")]
    meanings = [f"{_join_few(indices)}: 0 = chance, 1 = perfect."]
    if adjusted.against:
        meanings.append("skill: 0 = as the baseline, 1 = perfect.")

    if adjusted.details:
        meanings.append("In brackets: the effect of rounding.")

    lines = [" ".join(meanings)]
    floors = _find_floors(adjusted, tables, chosen)
    has_answers = any(isinstance(chance.published.metric, AnswersMetric) for chance in floors)
    if has_answers or (adjusted.details and len(floors) <= _FEW_NAMES):
        lines += [_describe_rankers(chance, floor) for chance, floor in floors.items()]

    datasets = {chance.published.tasks.dataset for chance in floors}
    if screen and len(datasets) >= FEWEST_GRAPHS:
        from rankconst.results.graph_means import average_models, describe_averages

        averages = average_models(adjusted, floors, tables)
        lines += describe_averages(averages, details=adjusted.details)

    if floors:
        wanted = int(chosen[adjusted.rows[adjusted.wanted]].sum())
        count = sum(chance.published.index.size for chance in floors)
        verb = "is" if count == 1 else "are"
        some = f"{count:,} of {wanted:,} numbers {verb} adjusted. " if count < wanted else ""
        lines.append(f"{some}{summarise(floors)}")

    lines.append(f"{more}Tables {adjusted.table_version}.")
    return "\n".join(lines)


def _find_floors(
    adjusted: AdjustedReading, tables: Tables, chosen: Flags
) -> dict[AdjustedBatch, AdjustedBatch | None]:
    """Map each batch of adjusted numbers in chosen rows to those over counting, or to None."""
    batches = [done for done in adjusted.done if done.published.tasks.is_chance]
    parts = leave_out(batches, ~chosen[adjusted.rows])
    return {part: find_floor(part, tables) for part in parts}


def _describe_rankers(chance: AdjustedBatch, floor: AdjustedBatch | None) -> str:
    """Write what rankers without learning get: "MRR on umls (test ...): chance 0.05"."""
    tasks, metric = chance.published.tasks, chance.published.metric
    expected = show_expected(chance.constants.expectation)
    if isinstance(metric, AnswersMetric):
        places = "" if metric.k else "; no k, so all places count"
        return f"{metric.label}: {metric.title}{places}; chance {expected}."
    counting = "" if floor is None else f", counting {show_expected(floor.constants.expectation)}"
    return f"{metric.label} on {tasks.dataset} ({tasks.describe()}): chance {expected}{counting}."


def _shorten_notes(adjusted: AdjustedReading, notes: Sequence[str | None]) -> list[str | None]:
    """Return the notes with "asked: WORD" in rows with questions, which stderr has in full."""
    words_of: dict[int, dict[str, None]] = {}
    for question in adjusted.asked:
        word = question.word if question.place else question.text
        for row in adjusted.rows[list(question.numbers)].tolist():
            words_of.setdefault(row, {})[word] = None

    shortened = list(notes)
    for row, words in words_of.items():
        shortened[row] = f"asked: {', '.join(words)}"

    return shortened


def _group_columns(adjusted: AdjustedReading) -> dict[str, str]:
    """Map each column, and those added for it, to the dataset in its heading: WN18RR / MRR."""
    groups: dict[str, str] = {}
    names = adjusted.list_added()
    for column, block in adjusted.blocks.items():
        group = column.rpartition(" / ")[0]
        brackets = re.search(r"\(([^()A-Za-z]*+[A-Za-z][^()]*+)\)$", clean_heading(column))
        if not group and brackets is not None:
            group = brackets[1]
        groups |= dict.fromkeys((column, *names[block].values()), group)

    return groups


def _list_computed(block: Block, names: Mapping[str, str]) -> list[Column]:
    """List the columns that are added for a column of numbers; one without a title is hidden."""
    shown = {}
    for form in ADJUSTMENTS:
        key = block.names[form]
        # Next to the index, a screen needs no normalised form; files have it.
        title = None if form == "normalised" else key
        ranged = show_interval(key) if "normalised" in names else None
        shown[key] = Column(key, title, fixed, right=True, show_row=ranged)
        if form == "z":
            shown[key] = shown[key]._replace(meaning="standard deviations better than chance")

    skills = [name for key, name in block.names.items() if key.startswith("index@")]
    for place, name in enumerate(skills):
        title = name.replace("_", " ")
        shown[name] = Column(name, title, fixed, right=True, drop=_Drop.skill + place)

    if "log10_p" in names:
        key, title = names["log10_p"], f"{block.prefix}p".replace("_", " ")
        meaning = "probability that a random ranker does as well"
        shown[key] = Column(key, title, right=True, show_row=show_tail(key), meaning=meaning)

    return [shown.get(name, Column(name)) for name in names.values()]


def _show_text(value: str | None) -> str:
    """Show a text; None is empty."""
    return value or ""


def _show_printed(value: str | None) -> str:
    """Show a published number with at most six digits."""
    return show_printed(value or "", 6)


def choose_rows(adjusted: AdjustedReading, form: Format) -> Flags:
    """Choose the rows to list, a flag for each: those with a number that was asked for.

    If the user selected nothing, such as a metric, files have all rows. Of a long table, a screen
    has only numbers that are adjusted or have a note, and of PyKEEN's evaluations the usual one.
    """
    chosen, rows = np.zeros(len(adjusted.reading.rows), dtype=np.bool_), adjusted.rows
    if form is Format.table and adjusted.reading.layout == "long":
        answered = adjusted.batch_of >= 0
        answered[list(adjusted.notes)] = True
        chosen[rows[answered & choose_ranks(adjusted)]] = True
    elif adjusted.is_selection or form is Format.table:
        chosen[rows[adjusted.wanted]] = True
    else:
        chosen[:] = True

    return chosen


def choose_ranks(adjusted: AdjustedReading) -> Flags:
    """Choose among the wanted numbers, a flag for each: of PyKEEN's evaluations the usual one.

    That is the realistic one of both sides, unless others were asked for.
    """
    entries, chosen = adjusted.reading.entries, adjusted.wanted.copy()
    if not any(context.rank_type for context in entries.contexts):
        return chosen

    for field, usual in (("rank_type", "realistic"), ("side", "both")):
        is_usual = _flag_field(entries, field, usual)
        if (chosen & is_usual).any():
            chosen &= is_usual | _flag_field(entries, field, None)  # or not named

    return chosen


def _flag_field(entries: Entries, field: str, value: str | None) -> Flags:
    """Flag the numbers whose context has a value in a field."""
    return entries.flag_contexts(lambda context: getattr(context, field) == value)


def explain_ranks(adjusted: AdjustedReading) -> str:
    """Name the evaluations of PyKEEN that a screen shows, and how to see the rest; else ""."""
    if adjusted.reading.layout != "long":
        return ""

    chosen = choose_ranks(adjusted)
    left = int(adjusted.wanted.sum() - chosen.sum())
    if not left:
        return ""

    entries = adjusted.reading.entries
    codes = dict.fromkeys(entries.context_codes[chosen].tolist())
    contexts = [entries.contexts[code] for code in codes]
    shown = dict.fromkeys(f"{context.side}.{context.rank_type}" for context in contexts)
    return (
        f"{adjusted.reading.name}: shown: {', '.join(shown)} only; "
        f"--side head shows another side, and formats such as --format csv have the other {left:,} "
        "numbers, too."
    )
