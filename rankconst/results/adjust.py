"""Results files adjusted for chance: from a reading to columns next to its own."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.adjusting import (
    ENDS,
    TIES,
    Batch,
    ImpossibleError,
    add_significance,
    adjust_batch,
    compare_with,
    fill_columns,
    find_contradictions,
    leave_out,
    look_up,
    number_distinct,
    pick,
    show_range,
    write_row,
)
from rankconst.catalogue.benchmarks import list_names
from rankconst.catalogue.mentions import find_within
from rankconst.constants.affine import ADJUSTMENTS
from rankconst.constants.published import Published, check_decimals, read_numbers, read_published
from rankconst.errors import AskedError, DataError, UndefinedError, UnknownNameError, UsageError
from rankconst.evaluation import NO_DATASET, Ask, agrees, match_relations, parse_stated, settle
from rankconst.names import show_controls, squash
from rankconst.results.columns import encode, encode_cells, list_distinct
from rankconst.results.labels import read_label
from rankconst.results.reading import Entries, number_evaluations
from rankconst.results.tables.columns import clean_heading, name_adjusted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.adjusting import Done
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.constants.constants import Adjusted, Constants
    from rankconst.constants.significance import Significance
    from rankconst.evaluation import Stated
    from rankconst.results.reading import Entry, Reading
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]

_MOST_SHOWN = 50  # rows, in a notebook
_MOST_ASKED = 8
TASK_FACTS = ("dataset", "split", "side", "protocol")
FACTS = (*TASK_FACTS, "relations", "num_tasks", "table_version")
"""What is said of the ranking tasks of each row; of relations only where they are not all."""


def tell(tasks: Tasks, fact: str) -> str | None:
    """Return what a column says of ranking tasks."""
    return ", ".join(tasks.relations) or None if fact == "relations" else getattr(tasks, fact)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What the columns are called that are added for one column of numbers."""

    # Before _lower and _upper of the value itself.
    value: str
    # Before expectation, variance and p.
    prefix: str
    # Adjustment to the name of its column.
    forms: Mapping[str, str]
    # What is said against further baselines: key of fill_columns to the name of its column.
    skills: dict[str, str]

    def list_names(self, *, significant: bool = False) -> dict[str, str]:
        """Return the key of :func:`fill_columns` to the name of its column, in the order of the columns."""
        names = {f"value{end}": f"{self.value}{end}" for end in ENDS[1:]}
        names |= {key: f"{self.prefix}{key}" for key in ("expectation", "variance")}
        names |= {f"{form}{end}": f"{name}{end}" for form, name in self.forms.items() for end in ENDS}
        if significant:
            names |= {key: f"{self.prefix}{key}" for key in (*(f"log10_p{end}" for end in ENDS), "p_method")}
        return names | {key: name for key, name in self.skills.items() if significant or not key.startswith("log10_p")}


def name_blocks(
    metrics: Mapping[str, Metric], taken: Iterable[str], *, long: bool, baselines: Iterable[str] = ()
) -> dict[str, Block]:
    """Name what is added for columns of numbers, by their headings; no name is one of those taken.

    Of a long table all columns share one block, named after the adjustments; in a wide one the columns are named after
    the adjusted metrics, or like the original ones where several hold the same metric.
    """
    known, further = set(taken), tuple(baselines)
    if long:
        forms = {form: keep_apart(form, known, ENDS) for form in ADJUSTMENTS}
        skills = _name_skills("", further, known)
        return dict.fromkeys(metrics, Block(keep_apart("value", known, ENDS[1:]), "", forms, skills))
    counts = Counter(metrics.values())
    blocks = {}
    for heading, metric in metrics.items():
        own = clean_heading(heading) if counts[metric] > 1 or " / " in heading else metric.label
        prefix = keep_apart(own, known, ENDS[1:])
        forms = {form: keep_apart(name_adjusted(own, metric, form), known, ENDS) for form in ADJUSTMENTS}
        blocks[heading] = Block(prefix, f"{prefix}_", forms, _name_skills(f"{prefix}_", further, known))
        known |= {*blocks[heading].list_names(significant=True).values()}
    return blocks


# The index and its kin mean chance: against what knows more, the same form is called skill.
_SKILLS = {
    "expectation": ("expectation", ("",)),
    "index": ("skill", ENDS),
    "z": ("z", ENDS),
    "log10_p": ("log10_p", ENDS),
}


def _name_skills(prefix: str, baselines: Iterable[str], known: set[str]) -> dict[str, str]:
    return {
        f"{key}{end}@{baseline}": f"{keep_apart(f'{prefix}{word}_{baseline}', known, ends)}{end}"
        for baseline in baselines
        for key, (word, ends) in _SKILLS.items()
        for end in ends
    }


def keep_apart(name: str, taken: Iterable[str], ends: Sequence[str] = ("",)) -> str:
    """Return a name for an added column that, with all its endings, no original column has."""
    known = taken if isinstance(taken, (set, frozenset, dict)) else set(taken)
    while any(f"{name}{end}" in known for end in ends):
        name += "_added"
    return name


# Files.


@dataclass(frozen=True, slots=True)
class AdjustedEntry:
    """One number of a file with its adjusted forms."""

    entry: Entry
    # As read, with its interval; None for one that was left alone.
    published: Published | None = None
    # None, like `adjusted`, if it could not be adjusted.
    constants: Constants | None = None
    adjusted: Adjusted | None = None
    significance: Significance | None = None
    # Why it was not adjusted, or what to know about it.
    note: str = ""
    # False if it is of another metric, dataset, split or side than was asked for, or adjusted already.
    wanted: bool = True


@dataclass(frozen=True, eq=False)
class AdjustedReading:
    """A results file with its adjusted numbers."""

    reading: Reading
    done: tuple[Done, ...] = field(repr=False)
    table_version: str
    # Of each entry, whether it was asked for.
    wanted: NDArray[np.bool_] = field(repr=False)
    # Position of an entry to why it was not adjusted, or what to know about it.
    notes: Mapping[int, str] = field(repr=False)
    # Where the numbers come from, as far as it is known, each once; their caveats apply.
    tools: tuple[Tool, ...] = ()
    # Further baselines to the same batches, as far as there are constants.
    against: Mapping[str, tuple[Done, ...]] = field(default_factory=dict, repr=False)
    # Field of the address to what was assumed of it, where nobody said anything.
    assumed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The questions that keep numbers from being adjusted, each with the positions of their entries.
    asked: Mapping[Ask, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def batch_of(self) -> Places:
        """The position in `done` of the batch of each entry; -1 for one that was not adjusted."""
        found = np.full(len(self.reading.entries), -1, dtype=np.intp)
        for place, each in enumerate(self.done):
            found[each.batch.index] = place
        return found

    @cached_property
    def rows(self) -> Places:
        """The row of each entry."""
        return self.reading.entries.rows

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """Column of adjusted numbers to the names of what is added for it; of a long table, all share one."""
        reading = self.reading
        heads = [reading.entries.heads[each] for each in list_distinct(reading.entries.head_of[self.batch_of >= 0])]
        if not self.done:
            heads = [
                head for head in reading.entries.heads if head.adjustment is None and head.metric.optimum is not None
            ]
        named = {head.column: head.metric for head in heads}
        metrics = {column: named[column] for column in reading.columns if column in named}
        return name_blocks(metrics, reading.columns, long=reading.layout == "long", baselines=self.against)

    @cached_property
    def block_of(self) -> Places:
        """The place in :meth:`list_added` of the block of each entry; -1 if its column has none."""
        places = number_distinct(self.blocks.values())
        heads = [
            places.get(self.blocks[head.column], -1) if head.column in self.blocks else -1
            for head in self.reading.entries.heads
        ]
        return np.array(heads, dtype=np.intp)[self.reading.entries.head_of]

    def against_baseline(self, key: str) -> AdjustedReading:
        """Return the file with its numbers compared with a further baseline in place of chance."""
        return replace(self, done=self.against[key], against={})

    @property
    def is_significant(self) -> bool:
        """True if tail probabilities were computed, and some are known."""
        return any(each.significance for each in self.done)

    def list_added(self) -> list[tuple[Block, dict[str, str]]]:
        """Return each block with its names, in the order of the columns; see :meth:`Block.list_names`."""
        significant = self.is_significant
        return [(block, block.list_names(significant=significant)) for block in dict.fromkeys(self.blocks.values())]

    @cached_property
    def table(self) -> dict[str, Any]:
        """The original columns and to their right the added ones: numbers as arrays, NaN where there is none."""
        reading = self.reading
        table: dict[str, Any] = {column: reading.cells(column) for column in reading.columns}
        return table | self.added

    @cached_property
    def added(self) -> dict[str, Any]:
        """The added columns alone."""
        added: dict[str, Any] = {}
        size = len(self.reading.rows)
        done_of: list[list[Done]] = [[] for _ in self.list_added()]
        for each in self.done:
            for own in list_distinct(self.block_of[each.batch.index]):
                done_of[own].append(each)
        for (own, (_, names)), done in zip(enumerate(self.list_added()), done_of, strict=True):
            filled = fill_columns(size, done, np.where(self.block_of == own, self.rows, -1), self.against)
            added |= {name: filled.get(key, [None] * size) for key, name in names.items()}
        return added | self.described

    @property
    def answers(self) -> dict[str, list[Any]]:
        """Columns for JSON: what was assumed of each row, and the questions that its numbers wait for."""
        size = len(self.reading.rows)
        asked: list[list[dict[str, str]]] = [[] for _ in range(size)]
        for ask, places in self.asked.items():
            for row in dict.fromkeys(self.rows[list(places)].tolist()):
                asked[row].append({"word": ask.word, "place": ask.place, "text": ask.text, "remedy": ask.remedy})
        assumed = {name: " or ".join(values) for name, values in self.assumed.items()}
        done = set(self.rows[self.batch_of >= 0].tolist())
        return {
            "assumed": [assumed if row in done else None for row in range(size)],
            "asked": [each or None for each in asked],
        }

    def put_numbers(self, column: str) -> list[Any]:
        """Return a column of the file with numbers, as fractions, in place of the texts that were adjusted."""
        cells: list[Any] = [*self.reading.cells(column)]
        heads = self.reading.entries.heads
        own = np.array([head.column == column for head in heads])[self.reading.entries.head_of]
        for each in self.done:
            chosen = own[each.batch.index]
            rows = self.rows[each.batch.index[chosen]].tolist()
            for row, value in zip(rows, each.batch.value[chosen].tolist(), strict=True):
                cells[row] = value
        return cells

    @cached_property
    def described(self) -> dict[str, Any]:
        """The columns at the end: the ranking tasks that the numbers of each row were taken for, tables and notes.

        What the original columns say is not said again. What differs among the numbers of a row is in
        columns for each column of numbers.
        """
        reading = self.reading
        size = len(reading.rows)
        roles = {role: name for name in reading.columns if (role := read_label(name).role)}
        of_batch = [
            {name: tell(each.batch.tasks, name) for name in (*TASK_FACTS, "relations")}
            | {"num_tasks": each.constants.num_tasks, "table_version": each.constants.table_version}
            for each in self.done
        ]
        places, described = self.batch_of, dict[str, Any]()
        there = places >= 0
        rows, places = self.rows[there], places[there]
        for key in FACTS:
            facts = number_distinct(each[key] for each in of_batch)
            if key == "relations" and not any(facts):
                continue
            codes = np.array([facts[each[key]] for each in of_batch], dtype=np.intp)[places]
            last = np.full(size, len(facts), dtype=np.intp)
            last[rows] = codes
            shown = np.array([*facts, None], dtype=object)
            if (last[rows] != codes).any():
                described |= self._describe_blocks(key, rows, codes, shown)
                continue
            own = roles.get(key)
            if own is not None and self._is_said(key, own, last, shown):
                continue
            values = shown[last].tolist() if size and (last != last[0]).any() else [*shown[last[:1]]] * size
            described[keep_apart(key if own is None else f"{key}_added", reading.columns)] = values
        notes: dict[int, list[str]] = {}
        for place, note in sorted(self.notes.items()):
            notes.setdefault(int(self.rows[place]), []).append(note)
        told: list[str | None] = [None] * size
        for row, found in notes.items():
            told[row] = "; ".join(dict.fromkeys(found))
        return described | {keep_apart("note", reading.columns): told}

    def _is_said(self, key: str, column: str, places: Places, shown: NDArray[Any]) -> bool:
        """Tell whether an original column says the same of each row, in whatever spelling."""
        codes, distinct = encode_cells(self.reading.cells(column))
        entries, size = self.reading.entries, len(shown)
        if all(shown[pair % size] in {None, distinct[pair // size]} for pair in list_distinct(codes * size + places)):
            return True
        if key not in {"dataset", "split", "side"}:  # a user's protocol goes before the file's
            return False
        done = self.batch_of >= 0
        told = list_distinct(codes[self.rows[done]] * len(entries.contexts) + entries.context_of[done])
        names = ((distinct[n // len(entries.contexts)], entries.contexts[n % len(entries.contexts)]) for n in told)
        return all((name := getattr(said, key)) and squash(cell) == squash(name) for cell, said in names)

    def _describe_blocks(self, key: str, rows: Places, codes: Places, shown: NDArray[Any]) -> dict[str, Any]:
        """Return what differs among the numbers of a row, for each column of numbers."""
        described, block_of = {}, self.block_of[self.batch_of >= 0]
        for place, (block, _) in enumerate(self.list_added()):
            own = block_of == place
            last = np.full(len(self.reading.rows), len(shown) - 1, dtype=np.intp)
            last[rows[own]] = codes[own]
            described[keep_apart(f"{block.prefix}{key}", self.reading.columns)] = shown[last].tolist()
        return described

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def _repr_html_(self) -> str:
        """Show what a notebook has room for: the file's columns, index and z of each number, and the notes."""
        table, size = {name: cells[:_MOST_SHOWN] for name, cells in self.table.items()}, len(self.reading.rows)
        columns = {name: ["" if cell is None else str(cell) for cell in table[name]] for name in self.reading.columns}
        for _, names in self.list_added():
            for name in (name for key, name in names.items() if key.partition("@")[0] in {"index", "z"}):
                columns[name] = list(map(show_range, *(table[f"{name}{end}"] for end in ENDS)))
        *_, note = self.described
        if any(table[note]):
            columns[note] = [said or "" for said in table[note]]
        tasks = {each.batch.tasks.describe() for each in self.done}
        told = [self._tell(), *(tasks if len(tasks) == 1 else ())]
        if self.assumed:
            told.append(f"assumed: {describe_assumed(self.assumed)}")
        if size > _MOST_SHOWN:
            told.append(f"the first {_MOST_SHOWN} of {size:,} rows")
        rows = [write_row("th", columns), *(write_row("td", row) for row in zip(*columns.values(), strict=True))]
        return f"<table><caption>{escape(show_controls('; '.join(told)))}</caption>{''.join(rows)}</table>"

    def __repr__(self) -> str:
        return f"AdjustedReading({self._tell()})"

    def _tell(self) -> str:
        done, size = int(np.sum(self.batch_of >= 0)), len(self.reading.entries)
        return f"{self.reading.name}: {done:,} of {size:,} numbers adjusted, tables {self.table_version}"

    @property
    def is_selection(self) -> bool:
        """True if only some of the file's numbers were asked for."""
        entries = self.reading.entries
        plain = np.array([head.metric.optimum is not None for head in entries.heads], dtype=np.bool_)
        return bool((~self.wanted & plain[entries.head_of]).any())

    @cached_property
    def entries(self) -> tuple[AdjustedEntry, ...]:
        """The numbers one by one, in the order of the file."""
        adjusted = [each.adjust() for each in self.done]
        return tuple(self._pick(place, adjusted) for place in range(len(self.reading.entries)))

    def _pick(self, place: int, adjusted: Sequence[Adjusted]) -> AdjustedEntry:
        entry, batch = self.reading.entries[place], int(self.batch_of[place])
        note, wanted = self.notes.get(place, ""), bool(self.wanted[place])
        if batch < 0:
            return AdjustedEntry(entry, note=note, wanted=wanted)
        done = self.done[batch]
        within = int(np.searchsorted(done.batch.index, place))  # ascending: gathered in the order of the entries
        found = done.significance[within] if done.significance else None
        ends = (getattr(done.batch, name)[within] for name in ("value", "lower", "upper"))
        published = Published(entry.text, *map(float, ends))
        return AdjustedEntry(entry, published, done.constants, pick(adjusted[batch], within), found, note)


def adjust_reading(
    reading: Reading,
    tables: Tables,
    user: Stated,
    *,
    metrics: Iterable[Metric] = (),
    significance: bool = False,
    strict: bool = False,
    track: Callable[[Sequence[Done]], Iterable[Done]] | None = None,
    baselines: Iterable[str] = (),
    lenient: bool = False,
    decimals: int | Mapping[Metric, int] | None = None,
) -> AdjustedReading:
    """Adjust the numbers of a results file, of some metrics or of all, for chance and against further baselines.

    `track` wraps the slow part to show progress. `decimals` says to how many numbers were rounded that do not show it.

    An impossible number is left out with the reason, or refused if `strict`. Raises DataError if nothing can be
    adjusted, unless `lenient`; UsageError if file and user contradict each other; UnknownNameError for an unknown name.
    """
    user = parse_stated(user, tables)
    groups, wanted = _group_entries(reading, user, frozenset(metrics), tables)
    if not groups and not lenient:
        raise DataError(f"{reading.name} holds none of the numbers you asked for. {_list_contents(reading)}")
    notes = _find_fractions(reading, groups) if user.percent else {}
    if notes:
        groups = {key: kept for key, places in groups.items() if (kept := places[~np.isin(places, list(notes))]).size}
    if notes and (strict or not (groups or lenient)):
        first = min(notes)
        raise DataError(f"{_place(reading, reading.entries[first])}: {notes[first]}")
    impossible: dict[int, str] = {}
    settled: _Settled = {}
    done: list[Done] = []
    for (said, metric, exact), places in groups.items():
        if said not in settled:
            settled[said] = _settle(said, user, reading, tables)
        found = settled[said]
        if not isinstance(found, tuple):
            notes.update(dict.fromkeys(places.tolist(), str(found)))
            continue
        tasks, tool = found
        percent = user.percent and metric.is_share
        rounded = decimals.get(metric) if isinstance(decimals, Mapping) else decimals
        kept, numbers = _read(reading.entries, places, metric, impossible, _Precision(percent, exact, rounded))
        if kept.size:
            value, lower, upper = np.ascontiguousarray(numbers.T)
            batch = Batch(tasks, metric, tool, value, lower, upper, kept, said.num_tasks)
            done += _adjust(batch, tables, notes, impossible)
    evaluation_of, entries = number_evaluations(reading), reading.entries
    evaluations = [evaluation_of[each.batch.index] for each in done]
    contradicting = find_contradictions(done, evaluations, entries.text_at)
    impossible |= contradicting
    left = np.zeros(len(entries), dtype=np.bool_)
    left[list(contradicting)] = True
    done = [*leave_out(done, left)]
    asked = _list_asked(groups, settled)
    if strict or not (done or lenient):
        _refuse(reading, settled, impossible, asked, strict=strict)
    notes |= impossible
    if significance:
        done = [add_significance(each) for each in (track(done) if track else done)]
    against, lacks = compare_with(done, tables, baselines)
    if significance:
        against = {key: tuple(map(add_significance, found)) for key, found in against.items()}
    for place, note in itertools.chain(*(_note(each, reading) for each in done), lacks.items()):
        notes[place] = f"{notes[place]} {note}" if place in notes else note
    tools = {found[1].key: found[1] for found in settled.values() if isinstance(found, tuple) and found[1] is not None}
    versions = " + ".join(dict.fromkeys(each.constants.table_version for each in done)) or tables.version
    assumed = list_assumed([(said, found[0]) for said, found in settled.items() if isinstance(found, tuple)], user)
    listed = tuple(tools.values())
    return AdjustedReading(reading, tuple(done), versions, wanted, notes, listed, against, assumed, asked)


_Settled = dict["Stated", "tuple[Tasks, Tool | None] | DataError | UnknownNameError"]


def _refuse(
    reading: Reading, settled: _Settled, impossible: Mapping[int, str], asked: Iterable[Ask], *, strict: bool
) -> None:
    """Raise why numbers are not adjusted: the questions, an unknown name, or an impossible number."""
    reasons = [found for found in settled.values() if not isinstance(found, tuple)]
    if reasons and (strict or len(reasons) == len(settled)):
        asks = tuple(asked)
        if len(asks) and all(isinstance(reason, AskedError) for reason in reasons):
            raise AskedError("\n".join(f"{ask}." for ask in asks[:_MOST_ASKED]), asks)
        raise _hint_at_dataset(reasons[0], reading.name)
    if impossible:
        place = min(impossible)
        more = f" And {len(impossible) - 1:,} more." if len(impossible) > 1 else ""
        raise DataError(f"{_place(reading, reading.entries[place])}: {impossible[place]}{more}")


def _list_asked(groups: Mapping[Group, Places], settled: _Settled) -> dict[Ask, tuple[int, ...]]:
    """Return the questions that are open, with the places of the numbers that wait for an answer."""
    asked: dict[Ask, list[int]] = {}
    for (said, _, _), places in groups.items():
        found = settled.get(said)
        for ask in found.asks if isinstance(found, AskedError) else ():
            asked.setdefault(ask, []).extend(places.tolist())
    return {ask: tuple(sorted(places)) for ask, places in asked.items()}


def list_assumed(settled: Iterable[tuple[Stated, Tasks]], user: Stated) -> dict[str, tuple[str, ...]]:
    """Return what was assumed of numbers, by field, where neither they nor the user say it."""
    assumed: dict[str, dict[str, None]] = {}
    for said, tasks in settled:
        for name in ("split", "side", "protocol", "aggregation"):
            if not getattr(user, name) and not getattr(said, name) and getattr(tasks, name):
                assumed.setdefault(name, {})[getattr(tasks, name)] = None
    return {name: tuple(values) for name, values in assumed.items()}


def describe_assumed(assumed: Mapping[str, tuple[str, ...]]) -> str:
    """Say in half a sentence what was assumed: ``split test, side both, protocol standard``."""
    return ", ".join(f"{name} {' or '.join(values)}" for name, values in assumed.items())


_FEW = 50
# Most names of models begin with a capital, and looking up relations takes time.
# Names of relations may be numbers, but 20% is none of them.
_NO_RELATION = re.compile(r"[A-OQ-Z]|P(?!\d+$)|[\W\d_]*+$")


def are_relations(cells: Iterable[str], dataset: Any, tables: Tables) -> bool:
    """Tell whether cells name relations of a dataset, given in any spelling, and nothing else."""
    names = list(dict.fromkeys(filter(None, cells)))
    if not names or not isinstance(dataset, str) or any(map(_NO_RELATION.match, names)):
        return False
    try:
        return bool(match_relations(names, tables.relations(tables.resolve_dataset(dataset))))
    except UnknownNameError:
        return False


def name_relations(reading: Reading, user: Stated, tables: Tables) -> Reading:
    """Say of which relation each row is where a column holds nothing but relations of the dataset."""
    entries, rows = reading.entries, reading.rows
    others = {head.column for head in entries.heads}
    first = [rows[row] for row in dict.fromkeys(entries.rows[:_FEW].tolist())]
    for column in (column for column in reading.columns if column not in others):
        few = [*filter(None, (row.get(column) for row in first))]
        if not few or any(map(_NO_RELATION.match, few)):
            continue
        datasets = {user.dataset} if user.dataset else {context.dataset for context in entries.contexts}
        dataset = datasets.pop()
        if datasets or not are_relations(few, dataset, tables):
            continue
        whole = reading.cells(column)
        cells = [whole[row] for row in entries.rows.tolist()]
        if are_relations(cells, dataset, tables):
            lack = "" if reading.of_objects else _NO_CELL.format(column)
            own = (
                entry._replace(context=_add_relation(entry.context, cell, lack))
                for entry, cell in zip(entries, cells, strict=True)
            )
            return replace(reading, entries=Entries(own))
    return reading


_NO_CELL = "its cell in column {} is empty, where others name relations: write the relation, or all for all of them."


def _add_relation(context: Stated, cell: str, lack: str) -> Stated:
    """Return a context with the relation of its row; if there is none, with why its tasks are unclear."""
    if context.relations:
        return context
    return (
        replace(context, relations=(cell,)) if cell else replace(context, asks=(*context.asks, Ask("relations", lack)))
    )


def _note(done: Done, reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield what to know about the adjusted numbers of a batch, with the positions of their entries."""
    index, entries = done.batch.index, reading.entries
    general = " ".join(dict.fromkeys(done.explain_undefined().values()))
    ties = [TIES.get(context.rank_type or "", "") for context in entries.contexts]
    tied = np.array([*map(bool, ties)], dtype=np.bool_)[entries.context_of[index]]
    positions = range(len(index)) if general else sorted({*np.flatnonzero(tied).tolist(), *done.unattained})
    for position in positions:
        place = int(index[position])
        for note in filter(None, (general, ties[entries.context_of[place]], done.unattained.get(position))):
            yield place, note


Group = tuple["Stated", "Metric", bool]


def _group_entries(
    reading: Reading, user: Stated, metrics: frozenset[Metric], tables: Tables
) -> tuple[dict[Group, Places], NDArray[np.bool_]]:
    """Gather the entries that are asked for by what is said of their tasks, metric and precision."""
    entries = reading.entries
    # Thousands of rows say the same: what is said has a number, and is compared with the user's words once.
    codes, distinct = encode(replace(context, rank_type=None) for context in entries.contexts)
    contexts = [context if agrees(context, user, tables) else None for context in distinct]
    said_of = codes[entries.context_of]
    numbers = number_distinct((head.metric, head.exact) for head in entries.heads)
    kinds, kind_of_head = list(numbers), [numbers[head.metric, head.exact] for head in entries.heads]
    fitting = [head.metric.optimum is not None and (not metrics or head.metric in metrics) for head in entries.heads]
    base = [head.adjustment is None for head in entries.heads]
    head_of, agreeing = entries.head_of, [context is not None for context in contexts]
    wanted = np.array(agreeing, dtype=np.bool_)[said_of] & np.array(fitting, dtype=np.bool_)[head_of]
    chosen = np.flatnonzero(wanted & np.array(base, dtype=np.bool_)[head_of])
    codes = (said_of * len(kinds) + np.array(kind_of_head, dtype=np.intp)[head_of])[chosen]
    groups: dict[Group, Places] = {}
    # In the order of their first entries.
    counts = np.bincount(codes)
    order = chosen[np.argsort(codes.astype(np.uint16) if len(counts) <= 2**16 else codes, kind="stable")]
    parts = zip(range(len(counts)), np.split(order, np.cumsum(counts)[:-1]), strict=True) if len(counts) else ()
    for code, places in sorted((each for each in parts if each[1].size), key=lambda each: int(each[1][0])):
        stated, (metric, exact) = contexts[code // len(kinds)], kinds[code % len(kinds)]
        if stated is not None:
            groups[stated, metric, exact] = places
    return groups, wanted


def _list_contents(reading: Reading) -> str:
    """Say what a file has."""
    base = [entry for entry in reading.entries if entry.adjustment is None]
    parts = [f"metrics {', '.join(dict.fromkeys(entry.metric.label for entry in base))}"]
    for name, word in (("dataset", "datasets"), ("split", "splits"), ("side", "sides")):
        values = dict.fromkeys(getattr(entry.context, name) for entry in base)
        values.pop(None, None)
        if values:
            parts.append(f"{word} {', '.join(list(values)[:8])}{' ...' * (len(values) > 8)}")
    return f"It has {'; '.join(parts)}."


def _find_fractions(reading: Reading, groups: Mapping[Group, Places]) -> dict[int, str]:
    """Return where a metric looks like fractions, not like percentages below one, with the reason."""
    shares: dict[Metric, list[int]] = {}
    for (_, metric, _), places in groups.items():
        found = places[~reading.entries.signed[places]].tolist()
        if metric.is_share and found:
            shares.setdefault(metric, []).extend(found)
    notes: dict[int, str] = {}
    for metric, own in shares.items():
        if reading.entries.values[own].max() <= 1:
            notes |= dict.fromkeys(
                own,
                f"every {metric.label} is at most 1, as fractions are. If only some columns are percentages, leave out "
                "--percent and write the sign into their headings: Hits@10 (%).",
            )
    return notes


def _settle(
    said: Stated, user: Stated, reading: Reading, tables: Tables
) -> tuple[Tasks, Tool | None] | DataError | UnknownNameError:
    """Return ranking tasks and tool, or why there are none: a file may well name datasets that no tables hold."""
    try:
        return settle(said, user, tables, tool=reading.tool)
    except (DataError, UnknownNameError) as error:
        return error


def _hint_at_dataset(error: DataError | UnknownNameError, name: str) -> DataError | UnknownNameError:
    """Return the error of a file that names no dataset with the benchmark that its own name suggests."""
    graph = find_within(name) if str(error) == NO_DATASET else None
    if graph is None or list_names().find(graph) is None:
        return error
    return DataError(f"{error} The name of the file suggests --dataset {graph}.")


class _Precision(NamedTuple):
    """How numbers are read: as percentages, with all their digits, or rounded to some decimals."""

    percent: bool
    exact: bool
    decimals: int | None


def _read(
    entries: Entries, places: Places, metric: Metric, impossible: dict[int, str], how: _Precision
) -> tuple[Places, Numbers]:
    """Return the places of entries that are numbers of the metric, and these with their ends, shape (n, 3)."""
    numbers = np.full((len(entries.written), 3), np.nan)
    codes = entries.text_of[places]
    used = np.array(list_distinct(codes[codes >= 0]), dtype=np.intp)
    try:
        if used.size > _FEW:
            texts = [entries.written[code] for code in used.tolist()]
            numbers[used], used = read_numbers(metric, texts, **how._asdict()), used[:0]
    except DataError:
        pass  # one by one, to find which
    for code in used.tolist():
        try:
            each = read_published(metric, entries.written[code], **how._asdict())
            numbers[code] = each.value, each.lower, each.upper
        except DataError as error:
            impossible |= dict.fromkeys(places[codes == code].tolist(), str(error))
    found = numbers[np.maximum(codes, 0)] if len(numbers) else np.full((len(codes), 3), np.nan)
    if (own := ~codes[codes < 0]).size:
        percent = entries.floats.percent[own] | how.percent
        value = entries.floats.values[own] / np.where(percent, 100, 1)
        half = 0.0 if how.decimals is None else 0.5 * 10.0 ** -(check_decimals(how.decimals) + 2 * percent)
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
    told = ".".join(row[key] for key in reading.columns if key != entry.column and row.get(key))
    return f"{reading.name}, {told}"


def _adjust(batch: Batch, tables: Tables, notes: dict[int, str], impossible: dict[int, str]) -> Iterator[Done]:
    """Adjust a batch of a file; note what cannot be."""
    try:
        whole = look_up(batch.tasks, batch.metric, batch.num_tasks, tables)
        try:
            done = adjust_batch(batch, whole)
        except ImpossibleError as error:
            impossible.update((int(batch.index[place]), reason) for place, reason in error.reasons.items())
            kept = np.ones(batch.index.size, dtype=np.bool_)
            kept[list(error.reasons)] = False
            if not kept.any():
                return
            done = adjust_batch(batch.take(kept), whole)
    except (UnknownNameError, UndefinedError, UsageError) as error:
        notes.update(dict.fromkeys(batch.index.tolist(), str(error)))
        return
    if note := _compare_tasks(batch, whole, tables):
        notes.update(dict.fromkeys(done.batch.index.tolist(), note))
    yield done


def _compare_tasks(batch: Batch, constants: Constants, tables: Tables) -> str:
    """Return a note where the file counts other ranks than the tables do."""
    stated, tasks = batch.num_tasks, batch.tasks
    if stated is None or stated == constants.num_tasks:
        return ""
    others = (replace(tasks, protocol=key, aggregation="micro") for key in tables.protocols(tasks.dataset))
    fitting = [other.protocol for other in others if tables.holds(other) and tables.histogram(other).total == stated]
    hint = (
        f"protocol {' or '.join(fitting)} has that many"
        if fitting
        else "no protocol has that many; it may be another dataset"
    )
    return (
        f"the file counts {stated:,} ranks, {tasks.dataset} {tasks.split} {tasks.side} has "
        f"{constants.num_tasks:,} under protocol {tasks.protocol}: {hint}."
    )
