"""What comes of a file, for people: the screen, and what Python prints."""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.adjusting import leave_out
from rankconst.arrow import list_values
from rankconst.catalogue.definitions import AnswersMetric
from rankconst.catalogue.metrics import CATALOGUE, parse_metric
from rankconst.catalogue.protocols import DEFAULT_AGGREGATION, OWN_COUNTS
from rankconst.catalogue.suites import FEWEST_GRAPHS
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
from rankconst.results.labels import read_label
from rankconst.results.reading import name_datasets
from rankconst.results.tables.cells import strip_markup
from rankconst.values.published import show_number, show_printed
from rankconst.verdicts import find_floor, show_expected, summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.evaluation import Question
    from rankconst.results.adjusted import AdjustedReading, Block
    from rankconst.results.reading import Reading
    from rankconst.tables.archive import Tables

# A longer text that names nothing leaves a narrow terminal.
_LONG_TEXT = 20

# A longer note is on stderr alone: with it, no table would fit a usual terminal.
_LONG_NOTE = 80

_MARKUP = {Format.markdown: "markdown", Format.latex: "latex"}

# What leaves a narrow terminal first: notes (also on stderr), what all rows share, long texts that
# name neither model nor tasks, numbers not adjusted, published numbers, skills, short texts.
_NOTE, _SAME, _TEXT, _OTHER, _PUBLISHED, _SKILL, _SHORT_TEXT = range(7000, 0, -1000)

# The most adjusted metrics that a caption names.
_FEW_NAMES = 4


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedFile:
    """What comes of a results file; ``print`` shows what the screen of ``rankconst adjust`` does.

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
        return self.numbers[column]

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
        """How many of the numbers are better than chance, and than counting."""
        kept = choose_rows(self.numbers, Format.table)
        return summarise(_find_floors(self.numbers, self._tables, kept))

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        return self.numbers.to_pandas()

    def _lay_out(self) -> Listing:
        """Lay out what the screen shows.

        The caption also has what the command says on stderr: what was assumed, and what is asked.
        """
        kept = choose_rows(self.numbers, Format.table)
        listing = lay_out(self.numbers, Format.table, kept, self._tables, more="details=True")
        lines = [listing.caption]
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
    kept: NDArray[np.bool_],
    tables: Tables,
    more: str = "--details",
) -> Listing:
    """Return the original columns with the adjusted numbers to their right, of the rows `kept`.

    A screen shows them without markup; its caption names `more` as the way to all columns.
    """
    reading, screen = adjusted.reading, form is Format.table
    data = dict(adjusted.table)
    columns = _list_originals(adjusted, form, data)
    columns = _add_columns(adjusted, columns, next_to=screen and _has_datasets_as_columns(adjusted))
    *facts, note = adjusted.described
    if screen and adjusted.waiting:
        data[note] = _shorten_notes(adjusted, data[note])
    if screen and "dataset" in facts:
        named = name_datasets(reading)
        if len({*named} - {""}) > 1:
            data["dataset"] = named
            behind = 1 if reading.joined else 0  # the file
            columns.insert(behind, Column("dataset", "dataset", _show_text))
            facts.remove("dataset")
    columns += [Column(fact) for fact in facts]
    notes = itertools.compress(data[note], kept.tolist())
    longest = max((len(text or "") for text in notes), default=0)
    is_shown = longest > 0 and not (screen and longest > _LONG_NOTE)
    if is_shown or adjusted.details:
        title = note if is_shown else None
        columns.append(Column(note, title, _show_text, drop=_NOTE, is_note=True))
    if form is Format.json:
        data |= {column: adjusted.put_numbers(column) for column in adjusted.blocks}
        data |= adjusted.answers
        columns += [Column("assumed"), Column("asked")]
    if screen and reading.layout == "wide":
        groups = _group_columns(adjusted)
        columns = [column._replace(group=groups.get(column.key)) for column in columns]
    caption, title = "", ""
    if form is Format.latex:
        caption = _caption(adjusted, tables, kept)
    elif screen:
        more = f"More: {more}. " if more and not adjusted.details else ""
        caption = _caption(adjusted, tables, kept, more, screen=True)
        if not any(column.key == "dataset" and column.title for column in columns):
            title = _name_tasks(adjusted, tables)
    places = np.flatnonzero(kept).tolist()
    has_ties = any(context.rank_type for context in reading.entries.contexts)
    if screen and reading.layout == "long" and has_ties:
        places = _order_metrics(adjusted, data, places)
    listing = Listing(columns, data, title, caption, upright=adjusted.details)
    if places != list(range(len(kept))):
        listing = listing.take(places)
    is_short = not (adjusted.details or adjusted.against or is_shown)
    if screen and reading.layout == "long" and reading.joined and has_ties and is_short:
        name, block = next(iter(adjusted.blocks.items()))  # a long table has one
        return _list_runs(listing, name, block.forms["index"])
    return listing


def _list_runs(listing: Listing, value: str, index: str) -> Listing:
    """Return a row for each run in place of each of its numbers, a column for each metric.

    If a run has several numbers of a metric, return the listing as it is.
    """
    shown = {each.key: each for each in listing.columns}
    columns = [each for key, each in shown.items() if key not in {"metric", value, index}]
    runs = list(zip(*(listing.data[each.key] for each in columns), strict=True))
    metrics = list(listing.data["metric"])
    place_of = {each: place for place, each in enumerate(zip(runs, metrics, strict=True))}
    if len(place_of) < len(runs):
        return listing
    rows = list(dict.fromkeys(runs))
    data: dict[str, list[Any]] = {
        each.key: [run[j] for run in rows] for j, each in enumerate(columns)
    }
    names = {metric: parse_metric(metric).column_of("index") for metric in metrics}
    values = {value: list_values(listing.data[value]), index: list_values(listing.data[index])}
    for order, (metric, name) in enumerate(names.items()):
        places = [place_of.get((run, metric)) for run in rows]
        for key, source, drop in ((metric, value, _PUBLISHED), (name, index, 0)):
            held = values[source]
            data[key] = [None if place is None else held[place] for place in places]
            columns.append(shown[source]._replace(key=key, title=key, drop=drop + order))
    what = join_words([*names.values()]) if len(names) <= _FEW_NAMES else "Adjusted"
    caption = f"{what}{listing.caption.removeprefix(index)}"
    return replace(listing, columns=columns, data=data, caption=caption)


def _list_originals(adjusted: AdjustedReading, form: Format, data: dict[str, Any]) -> list[Column]:
    """List the columns of the file.

    But in a format with the same markup, their cells in `data` lose theirs.
    """
    reading, screen = adjusted.reading, form is Format.table
    numeric = {head.column for head in reading.entries.heads}
    has_markup = reading.form in _MARKUP.values()
    if has_markup and _MARKUP.get(form) != reading.form:
        for column in reading.columns:
            data[column] = [strip_markup(cell, reading.form) for cell in data[column]]
    columns = [
        _original(reading, column, adjusted.blocks, form, numeric) for column in reading.columns
    ]
    return _rank_texts(columns, data, numeric) if screen else columns


def _add_columns(
    adjusted: AdjustedReading, columns: Sequence[Column], *, next_to: bool
) -> list[Column]:
    """Add what is computed behind the columns of a file, or next to each of numbers.

    Next to it, a heading does not repeat that of the column.
    """
    added = {block: _columns_of(block, names) for block, names in adjusted.list_added()}
    if not next_to:
        return [*columns, *itertools.chain.from_iterable(added.values())]
    ordered = []
    for column in columns:
        ordered.append(column)
        block = adjusted.blocks.get(column.key)
        for each in () if block is None else added[block]:
            title = each.title and each.title.removeprefix(f"{column.title} ")
            is_short = title != each.title
            ordered.append(each._replace(title=title, beside=column.key if is_short else ""))
    return ordered


def _has_datasets_as_columns(adjusted: AdjustedReading) -> bool:
    """Tell whether the columns of a metric differ only in their datasets, as in leaderboards."""
    if adjusted.reading.layout != "wide" or len(adjusted.blocks) < 2:
        return False
    metrics = {head.metric for head in adjusted.reading.entries.heads}
    return len(metrics) == 1 and not any(_group_columns(adjusted).values())


def _name_tasks(adjusted: AdjustedReading, tables: Tables) -> str:
    """Name the benchmark of all numbers; empty if the file names it, or if there are several.

    If the numbers share their tasks, name these, too.
    """
    tasks = {replace(each.batch.tasks, aggregation=DEFAULT_AGGREGATION) for each in adjusted.done}
    datasets = {each.dataset for each in tasks}
    own = {each.protocol for each in tasks} == {OWN_COUNTS.key}
    if own or len(datasets) != 1 or "dataset" not in adjusted.described:
        return ""
    dataset = datasets.pop()
    title = tables.titles.get(dataset, dataset)
    return f"{title} ({tasks.pop().describe()})" if len(tasks) == 1 else title


# What papers print comes first.
_FIRST = (CATALOGUE["inverse_harmonic_mean_rank"], CATALOGUE["arithmetic_mean_rank"])


def _order_metrics(adjusted: AdjustedReading, data: dict[str, Any], places: list[int]) -> list[int]:
    """Return the places of PyKEEN's rows in the order of papers: MRR, MR, Hits@k, others.

    In `data`, name the metrics as papers do, and round their numbers.
    """
    reading = adjusted.reading
    orders: dict[int, tuple[int, int, bool, int]] = {}
    texts = {column: list(data[column]) for column in {"metric", *adjusted.blocks} & {*data}}
    for part, entry in zip(reading.part_of.tolist(), reading.entries, strict=True):
        metric = entry.metric
        order = _FIRST.index(metric) if metric in _FIRST else len(_FIRST)
        orders[entry.row] = (part, order, metric.hits_k is None, metric.hits_k or 0)
        if "metric" in texts:
            texts["metric"][entry.row] = metric.label
        with suppress(ValueError):
            texts[entry.column][entry.row] = show_number(float(entry.text), 4)
    data |= texts
    last = (len(reading.parts), 0, False, 0)
    return sorted(places, key=lambda row: orders.get(row, last))


def _caption(
    adjusted: AdjustedReading,
    tables: Tables,
    kept: NDArray[np.bool_],
    more: str = "",
    *,
    screen: bool = False,
) -> str:
    """Say what the columns are, and what the numbers in some rows mean."""
    names = [names["index"] for _, names in adjusted.list_added() if names.get("index")]
    named = dict.fromkeys(names)
    what = join_words([*named]) if len(named) <= _FEW_NAMES else "Adjusted"
    meanings = [f"{what}: 0 = chance, 1 = perfect."]
    if adjusted.against:
        meanings.append("skill: 0 = as the baseline, 1 = perfect.")
    if adjusted.details:
        meanings.append("In brackets: the effect of rounding.")
    lines = [" ".join(meanings)]
    floors = _find_floors(adjusted, tables, kept)
    defined = any(isinstance(each.batch.metric, AnswersMetric) for each in floors)
    if defined or (adjusted.details and len(floors) <= _FEW_NAMES):
        lines += [_describe_rankers(chance, floor) for chance, floor in floors.items()]
    if screen and len({each.batch.tasks.dataset for each in floors}) >= FEWEST_GRAPHS:
        from rankconst.results.over_graphs import average_models, describe_averages

        averages = average_models(adjusted, floors, tables)
        lines += describe_averages(averages, details=adjusted.details)
    if floors:
        wanted = int(kept[adjusted.rows[adjusted.wanted]].sum())
        count = sum(each.batch.index.size for each in floors)
        verb = "is" if count == 1 else "are"
        some = f"{count:,} of {wanted:,} numbers {verb} adjusted. " if count < wanted else ""
        lines.append(f"{some}{summarise(floors)}")
    lines.append(f"{more}Tables {adjusted.table_version}.")
    return "\n".join(lines)


def _find_floors(
    adjusted: AdjustedReading, tables: Tables, kept: NDArray[np.bool_]
) -> dict[AdjustedBatch, AdjustedBatch | None]:
    """Find what counting gets for the numbers of some rows, batch by batch."""
    chance = [each for each in adjusted.done if each.batch.tasks.is_chance]
    return {part: find_floor(part, tables) for part in leave_out(chance, ~kept[adjusted.rows])}


def _describe_rankers(chance: AdjustedBatch, floor: AdjustedBatch | None) -> str:
    """Say what rankers without learning get where some numbers are from."""
    tasks, metric = chance.batch.tasks, chance.batch.metric
    if isinstance(metric, AnswersMetric):
        places = "" if metric.k else "; no k, so all places count"
        expected = show_expected(chance.constants.expectation)
        return f"{metric.label}: {metric.title}{places}; chance {expected}."
    counting = "" if floor is None else f", counting {show_expected(floor.constants.expectation)}"
    gets = f"chance {show_expected(chance.constants.expectation)}{counting}"
    return f"{metric.label} on {tasks.dataset} ({tasks.describe()}): {gets}."


def _shorten_notes(adjusted: AdjustedReading, notes: Sequence[str | None]) -> list[str | None]:
    """Return notes for a screen, which has the questions once, on stderr."""
    words: dict[int, dict[str, None]] = {}
    for question in adjusted.asked:
        word = question.word if question.place else question.text
        for row in adjusted.rows[list(question.numbers)].tolist():
            words.setdefault(row, {})[word] = None
    shortened = list(notes)
    for row, own in words.items():
        shortened[row] = f"asked: {', '.join(own)}"
    return shortened


def _group_columns(adjusted: AdjustedReading) -> dict[str, str]:
    """Map each column of numbers, and those added for it, to the dataset in its heading.

    It is empty for a heading without one.
    """
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
        shown[key] = Column(key, title, fixed, right=True, show_row=ranged)
        if form == "z":
            shown[key] = shown[key]._replace(meaning="standard deviations better than chance")
    skills = [name for key, name in block.skills.items() if key.startswith("index@")]
    for place, name in enumerate(skills):
        shown[name] = Column(name, name.replace("_", " "), fixed, right=True, drop=_SKILL + place)
    if "log10_p" in names:
        key, title = names["log10_p"], f"{block.prefix}p".replace("_", " ")
        means = "probability that a random ranker does as well"
        shown[key] = Column(key, title, right=True, show_row=show_tail(key), meaning=means)
    return [shown.get(name, Column(name)) for name in names.values()]


def _original(
    reading: Reading, column: str, blocks: Mapping[str, Block], form: Format, numeric: set[str]
) -> Column:
    """Return a column of the file.

    A narrow screen drops published numbers early, first those that are not adjusted.
    """
    drop = 0
    if column in numeric and reading.layout == "wide":
        drop = _PUBLISHED if column in blocks else _OTHER
    raw = _MARKUP.get(form) == reading.form
    show = _show_printed if form is Format.table and column in numeric else _show_text
    return Column(column, column, show, right=column in numeric, drop=drop, raw=raw)


def _show_text(value: str | None) -> str:
    return value or ""


def _show_printed(value: str | None) -> str:
    return show_printed(value or "", 6)


def _rank_texts(
    columns: Sequence[Column], data: Mapping[str, Any], numeric: set[str]
) -> list[Column]:
    """Mark the columns of text that a narrow screen may drop.

    These are the same in all rows, or name neither the model nor its tasks.
    """
    ranked = []
    for place, column in enumerate(columns):
        cells = data[column.key]
        longest = max((len(cell or "") for cell in cells), default=0)
        role, drop = read_label(column.key).role, column.drop
        if column.key in numeric or role in {"model", "dataset"}:
            pass
        elif len(cells) > 1 and len({*cells}) == 1:
            drop = _SAME + place
        elif place > 0 and not role:
            drop = _TEXT if longest > _LONG_TEXT else _SHORT_TEXT
        ranked.append(column._replace(drop=drop))
    return ranked


def choose_rows(adjusted: AdjustedReading, form: Format) -> NDArray[np.bool_]:
    """Choose the rows to list, a flag for each: those with a number that was asked for.

    If nothing was selected, files have all rows. Of a long table, a screen has only numbers that
    are adjusted or have a note, and of PyKEEN's evaluations the usual one.
    """
    kept, rows = np.zeros(len(adjusted.reading.rows), dtype=np.bool_), adjusted.rows
    if form is Format.table and adjusted.reading.layout == "long":
        answered = adjusted.batch_of >= 0
        answered[list(adjusted.notes)] = True
        kept[rows[answered & choose_ranks(adjusted)]] = True
    elif adjusted.is_selection or form is Format.table:
        kept[rows[adjusted.wanted]] = True
    else:
        kept[:] = True
    return kept


def choose_ranks(adjusted: AdjustedReading) -> NDArray[np.bool_]:
    """Choose among the wanted numbers, a flag for each: of PyKEEN's evaluations the usual one.

    That is the realistic one of both sides, unless others were asked for.
    """
    entries, chosen = adjusted.reading.entries, adjusted.wanted.copy()
    if not any(each.rank_type for each in entries.contexts):
        return chosen
    for field, usual in (("rank_type", "realistic"), ("side", "both")):
        values = [getattr(each, field) for each in entries.contexts]
        is_usual = np.array([value == usual for value in values])[entries.context_of]
        if (chosen & is_usual).any():
            chosen &= is_usual | np.array([value is None for value in values])[entries.context_of]
    return chosen


def explain_ranks(adjusted: AdjustedReading) -> str:
    """Say which of PyKEEN's evaluations a screen shows, and where to find the others.

    Return nothing if it shows all.
    """
    if adjusted.reading.layout != "long":
        return ""
    chosen = choose_ranks(adjusted)
    left = int(adjusted.wanted.sum() - chosen.sum())
    if not left:
        return ""
    entries = adjusted.reading.entries
    codes = dict.fromkeys(entries.context_of[chosen].tolist())
    contexts = [entries.contexts[code] for code in codes]
    shown = dict.fromkeys(f"{each.side}.{each.rank_type}" for each in contexts)
    return (
        f"{adjusted.reading.name}: shown: {', '.join(shown)} only; "
        f"--side head shows another side, and formats such as --format csv have the other {left:,} "
        "numbers, too."
    )
