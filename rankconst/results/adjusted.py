"""A results file with its numbers adjusted for chance: its own columns and the added ones.

It also has the assumptions behind the numbers, and the questions that only the user can answer.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.adjusting import BESIDE, ENDS, fill_columns, pick
from rankconst.catalogue.protocols import DEFAULT_AGGREGATION
from rankconst.evaluation import NAMES, NOTHING, find_assumed, list_words
from rankconst.names import fold, keep_apart, squash
from rankconst.results.columns import factorize, factorize_cells, list_distinct
from rankconst.results.labels import clean_heading, name_adjusted, read_label
from rankconst.values.affine import ADJUSTMENTS
from rankconst.values.published import Published

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address, Question
    from rankconst.results.columns import Flags, Indices
    from rankconst.results.reading import ColumnHead, Entry, Reading
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants
    from rankconst.values.significance import Significance


# The usual ranking tasks: a column that would hold nothing else is added only with details, and a
# rare one not even then.
_USUAL_TASKS: dict[str, set[Any]] = {
    "split": {"test"},
    "side": {"both"},
    "aggregation": {DEFAULT_AGGREGATION},
    "relations": {None},
}
_RARE_FIELDS = {"aggregation", "relations"}


def _describe_tasks(done: AdjustedBatch) -> dict[str, Any]:
    """Describe the tasks of a batch, by the names of the columns that are added for them."""
    named = {name: getattr(done.published.tasks, name) for name in NAMES}
    counted = {"num_tasks": done.constants.num_tasks, "table_version": done.constants.table_version}
    return named | {"relations": ", ".join(done.published.tasks.relations) or None} | counted


class _TasksOfRows(NamedTuple):
    """The distinct ranking tasks of a file, and those that each row is about."""

    described: list[dict[str, Any]]  # each of the distinct tasks, as by _describe_tasks
    # For each row an index into `described`, or its length if no number of the row was adjusted.
    # Where the numbers of a row differ in their tasks, the last batch counts.
    code_of: Indices
    conflicts: set[tuple[int, int]]  # pairs of indices into `described` that share a row


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The columns that are added for one column of published numbers.

    `names` maps keys of :func:`fill_columns`, such as "index" or "index@counting", to the names of
    their columns, in order; `prefix` is that of names such as {prefix}expectation.
    """

    names: dict[str, str]
    prefix: str

    def list_names(self, *, details: bool, significant: bool = False) -> dict[str, str]:
        """Return the names with details, or only the indices; probabilities if `significant`."""
        listed = {}
        for key, name in self.names.items():
            form = key.partition("@")[0]
            is_computed = significant or not form.startswith(("log10_p", "p_method"))
            if form == "index" or (details and is_computed):
                listed[key] = name
        return listed


def name_blocks(
    metrics: Mapping[str, Metric],
    taken: Iterable[str],
    *,
    long: bool,
    baselines: Collection[str] = (),
) -> dict[str, Block]:
    """Name the columns to add for each column of numbers; `metrics` maps headings to metrics.

    If a metric has one column, its names are those of the metric: ``AMRR``. Otherwise they begin
    like the heading. A `long` table has a single block, with names such as ``index``. A name that
    the file has `taken`, in upper or lower case, is not used again. `baselines` are those besides
    chance, each with columns of its own.
    """
    known = fold(taken)
    if long:
        names = _name_columns(
            value="value",
            forms={form: form for form in ADJUSTMENTS},
            prefix="",
            baselines=baselines,
            known=known,
        )
        return dict.fromkeys(metrics, Block(names, ""))

    counts = Counter(metrics.values())
    blocks = {}
    for heading, metric in metrics.items():
        is_alone = counts[metric] == 1 and " / " not in heading
        name = metric.label if is_alone else clean_heading(heading)
        forms = {form: name_adjusted(name, metric, form) for form in ADJUSTMENTS}
        name = keep_apart(name, known, ENDS[1:])
        names = _name_columns(
            value=name, forms=forms, prefix=f"{name}_", baselines=baselines, known=known
        )
        known |= fold(names.values())
        blocks[heading] = Block(names, f"{name}_")

    return blocks


# Maps keys of fill_columns to the word for them in a comparison with a further baseline: "index"
# always compares with chance, and with a better baseline it is called skill.
_WORDS_OVER_BASELINE = {
    "expectation": "expectation",
    "index": "skill",
    "z": "z",
    "log10_p": "log10_p",
}


def _name_columns(
    value: str,
    forms: Mapping[str, str],
    prefix: str,
    baselines: Iterable[str],
    known: Container[str],
) -> dict[str, str]:
    """Map each key of fill_columns to the name of its column: "index_lower" to "AMRR_lower".

    `value` names the published number, `forms` its adjusted forms, and every other name begins with
    `prefix`, such as "MRR_". No name is `known` already. "index@counting" becomes
    "MRR_skill_counting".
    """
    value = keep_apart(value, known, ENDS[1:])
    names = {f"value{end}": f"{value}{end}" for end in ENDS[1:]}
    names |= {key: f"{prefix}{key}" for key in BESIDE}
    for form, form_name in forms.items():
        name = keep_apart(form_name, known, ENDS)
        names |= {f"{form}{end}": f"{name}{end}" for end in ENDS}

    names |= {f"log10_p{end}": f"{prefix}log10_p{end}" for end in ENDS}
    names["p_method"] = f"{prefix}p_method"
    for baseline, (key, word) in itertools.product(baselines, _WORDS_OVER_BASELINE.items()):
        # An expectation is computed, so it has no ends that rounding leaves open.
        ends = ("",) if key == "expectation" else ENDS
        name = keep_apart(f"{prefix}{word}_{baseline}", known, ends)
        names |= {f"{key}{end}@{baseline}": f"{name}{end}" for end in ends}

    return names


def _list_pairs(first: Indices, second: Indices, count: int) -> list[tuple[int, int]]:
    """List the distinct pairs of codes at the same index; codes of `second` are below `count`."""
    return [divmod(pair, count) for pair in list_distinct(first * count + second)]


def _has_value(cell: str, field: str, value: str | None) -> bool:
    """Tell whether a cell is a spelling of a field's value: "FB15k-237" of dataset "fb15k237"."""
    if not value:
        return False
    return squash(cell) == squash(value) or read_label(cell).declared.get(field) == value


@dataclass(frozen=True, slots=True)
class AdjustedEntry:
    """One number of a file with its adjusted forms."""

    entry: Entry
    published: Published | None = None  # as read; None for one that was left alone
    constants: Constants | None = None  # None, like `adjusted`, if it could not be adjusted
    adjusted: Adjusted | None = None
    significance: Significance | None = None
    note: str = ""  # the reason why it was not adjusted, or a remark on how it was
    # False if it is of another metric, dataset, split or side than was asked for, or adjusted
    # already.
    wanted: bool = True


@dataclass(frozen=True, eq=False)
class AdjustedReading:
    """A results file with its adjusted numbers."""

    reading: Reading
    done: tuple[AdjustedBatch, ...] = field(repr=False)
    table_version: str
    wanted: Flags = field(repr=False)  # of each entry, whether it was asked for
    # Maps an entry to the reason why it was not adjusted, or to a remark on how it was.
    notes: Mapping[int, str] = field(repr=False)
    # The tools that computed the numbers, as far as they are known; their caveats apply.
    tools: tuple[Tool, ...] = ()
    # Maps further baselines to the same batches, as far as there are constants.
    against: Mapping[str, tuple[AdjustedBatch, ...]] = field(default_factory=dict, repr=False)
    user: Address = NOTHING  # what the user declares of all numbers, names replaced by keys
    # Maps fields of the address to the values that were assumed where neither the file nor the user
    # declares them: {"split": ("test",)}.
    assumed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Questions that only the user can answer; their numbers are positions in `entries`.
    asked: tuple[Question, ...] = ()
    details: bool = False  # whether columns hold all that was computed

    @cached_property
    def batch_of(self) -> Indices:
        """The position in `done` of the batch of each entry; -1 for one that was not adjusted."""
        batch_of = np.full(len(self.reading.entries), -1, dtype=np.intp)
        for place, each in enumerate(self.done):
            batch_of[each.published.index] = place
        return batch_of

    @cached_property
    def waiting(self) -> frozenset[int]:
        """The positions of the entries that wait for an answer."""
        return frozenset(place for question in self.asked for place in question.numbers)

    @cached_property
    def rows(self) -> Indices:
        """The row of each entry."""
        return self.reading.entries.rows

    @cached_property
    def _taken(self) -> set[str]:
        """The names that no added column may have."""
        return fold(self.reading.columns)

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """Each column of adjusted numbers with its block; all columns of a long table share one.

        If no number was adjusted, every column whose metric can be adjusted has a block.
        """
        reading, entries = self.reading, self.reading.entries
        heads: Iterable[ColumnHead]
        if self.done:
            places = sorted({each.published.where.column for each in self.done})
            heads = [entries.heads[place] for place in places]
        else:
            heads = [head for head in entries.heads if head.adjustment is None]
            heads = [head for head in heads if head.metric.optimum is not None]

        named = {head.column: head.metric for head in heads}
        metrics = {column: named[column] for column in reading.columns if column in named}
        return name_blocks(
            metrics, reading.columns, long=reading.layout == "long", baselines=self.against
        )

    def against_baseline(self, key: str) -> AdjustedReading:
        """Return the file with its numbers compared with another baseline in place of chance."""
        return replace(self, done=self.against[key], against={})

    @property
    def is_significant(self) -> bool:
        """True if tail probabilities were computed, and some are known."""
        return any(each.significance for each in self.done)

    def list_added(self) -> dict[Block, dict[str, str]]:
        """Return each block with its names, in the order of the columns."""
        significant = self.is_significant
        return {
            block: block.list_names(details=self.details, significant=significant)
            for block in self.blocks.values()
        }

    @cached_property
    def table(self) -> dict[str, Any]:
        """The original columns, then the added ones: arrays of numbers, NaN where there is none."""
        reading = self.reading
        table: dict[str, Any] = {column: list(reading.cells(column)) for column in reading.columns}
        return table | self.added

    @cached_property
    def added(self) -> dict[str, Any]:
        """The added columns alone."""
        added: dict[str, Any] = {}
        size = len(self.reading.rows)
        by_block = self._split(self.done)
        against = {baseline: self._split(done) for baseline, done in self.against.items()}
        for block, names in self.list_added().items():
            others = {baseline: batches[block] for baseline, batches in against.items()}
            columns = fill_columns(size, by_block[block], others, wanted=names)
            for key, name in names.items():
                added[name] = columns.get(key, [None] * size)

        return added | self.last_columns

    def _split(self, done: Iterable[AdjustedBatch]) -> dict[Block, list[AdjustedBatch]]:
        """Divide batches by the block of their column."""
        parts: dict[Block, list[AdjustedBatch]] = {block: [] for block in self.blocks.values()}
        for each in done:
            heading = self.reading.entries.heads[each.published.where.column].column
            parts[self.blocks[heading]].append(each)
        return parts

    @property
    def accepted(self) -> tuple[str, ...]:
        """The words and shared names that the user accepts and that stand near numbers here."""
        if not self.user.accepted:
            return ()
        words: set[str] = set()
        for address in self.reading.entries.contexts:
            words |= list_words(address)
        accepted = dict.fromkeys(word.lower() for word in self.user.accepted)
        return tuple(word for word in accepted if word in words or word.partition("=")[0] in words)

    def list_partly_declared(self) -> set[str]:
        """Return the fields of the address that the file states for some numbers only."""
        entries = self.reading.entries
        used = list_distinct(entries.context_codes[self.batch_of >= 0])
        contexts = [entries.contexts[each] for each in used]
        named = set[str]()
        for context in contexts:
            named.update(name for name in self.assumed if getattr(context, name))
        return named

    @property
    def answers(self) -> dict[str, list[Any]]:
        """The columns ``assumed`` and ``asked`` of JSON: assumptions and open questions of a row.

        For example ``{"split": "test"}`` as assumed; None for a row without any.
        """
        rows = range(len(self.reading.rows))
        questions_of: dict[int, list[dict[str, str]]] = {}
        for question in self.asked:
            for row in list_distinct(self.rows[list(question.numbers)]):
                questions_of.setdefault(row, []).append(question.to_dict())

        assumptions_of: dict[int, dict[str, dict[str, None]]] = {}
        for place in np.flatnonzero(self.batch_of >= 0).tolist():
            fields = assumptions_of.setdefault(int(self.rows[place]), {})
            for name, value in self._list_assumptions(place):
                fields.setdefault(name, {})[value] = None

        assumed: dict[int, dict[str, str]] = {}
        for row, fields in assumptions_of.items():
            assumed[row] = {name: " and ".join(values) for name, values in fields.items()}

        return {
            "assumed": [assumed.get(row) for row in rows],
            "asked": [questions_of.get(row) for row in rows],
        }

    def _list_assumptions(self, place: int) -> Iterator[tuple[str, str]]:
        """Yield the field and the value of each assumption on a number, and accepted words."""
        entries = self.reading.entries
        address = entries.contexts[entries.context_codes[place]]
        tasks = self.done[self.batch_of[place]].published.tasks
        assumptions = find_assumed(address, self.user, tasks)
        if not address.rank_type:
            assumptions = assumptions | {"rank_type": "realistic"}

        for name, value in assumptions.items():
            if name in self.assumed:
                yield name, value

        words = {word.lower() for word in self.user.accepted}
        for question in address.questions:
            if question.word in words:
                yield "accepted", question.word

    def list_numbers(self, column: str) -> list[Any]:
        """Return a column of the file with numbers for adjusted texts: "33.8%" becomes 0.338.

        Below a heading with the sign, such as "Hits@10 (%)", it is 33.8.
        """
        cells: list[Any] = list(self.reading.cells(column))
        unit = 100 if read_label(column).percent else 1
        for each in self.done:
            where = each.published.where
            if self.reading.entries.heads[where.column].column == column:
                values = (
                    np.round(each.published.value * unit, 12) if unit > 1 else each.published.value
                )
                for row, value in zip(where.rows.tolist(), values.tolist(), strict=True):
                    cells[row] = value

        return cells

    @cached_property
    def last_columns(self) -> dict[str, Any]:
        """The last of the added columns: ranking tasks, unless the file states them, and notes."""
        columns: dict[str, Any] = {}
        keys = [*NAMES, "relations"]
        if self.details:
            keys += ["num_tasks", "table_version"]

        for key in keys:
            values = [tasks[key] for tasks in self._tasks.described]
            # Values of a field without usual ones, such as dataset, are always shown.
            are_usual = all(value in _USUAL_TASKS.get(key, ()) for value in values)
            if are_usual and (key in _RARE_FIELDS or not self.details):
                continue
            columns |= self._make_task_columns(key, values)

        columns[keep_apart("note", self._taken)] = self._list_notes()
        return columns

    @cached_property
    def _tasks(self) -> _TasksOfRows:
        """The distinct ranking tasks, and for each row those that its adjusted numbers are of."""
        codes, distinct = factorize(tuple(_describe_tasks(each).items()) for each in self.done)
        no_tasks = len(distinct)
        code_of = np.full(len(self.reading.rows), no_tasks, dtype=np.intp)
        conflicts: set[tuple[int, int]] = set()
        # Columns of a table share the array of their rows, which then needs one pass.
        rows_of = {}
        for each, code in zip(self.done, codes.tolist(), strict=True):
            rows = each.published.where.rows
            rows_of[code, id(rows)] = rows

        for (code, _), rows in rows_of.items():
            others = set(list_distinct(code_of[rows])) - {code, no_tasks}
            conflicts |= {(other, code) for other in others}
            code_of[rows] = code

        return _TasksOfRows([dict(each) for each in distinct], code_of, conflicts)

    def _make_task_columns(self, key: str, values: Sequence[Any]) -> dict[str, Any]:
        """Return the columns to add for one field of the tasks, such as split.

        `values` has its value in each of the distinct tasks. There is no column if the file has one
        that says the same.
        """
        size, columns = len(self.reading.rows), {}
        # If the field differs within a row, each column of numbers has its own: MRR_side.
        if any(values[one] != values[other] for one, other in self._tasks.conflicts):
            for block, done in self._split(self.done).items():
                of_rows = np.full(size, None, dtype=object)
                for each in done:
                    of_rows[each.published.where.rows] = _describe_tasks(each)[key]
                columns[keep_apart(f"{block.prefix}{key}", self._taken)] = of_rows.tolist()
            return columns

        shown = np.array([*values, None], dtype=object)  # None for rows without adjusted numbers
        roles = {read_label(column).role: column for column in self.reading.columns}
        original = roles.get(key)
        if original is not None and self._is_stated(key, original, shown):
            return {}

        name = keep_apart(key if original is None else f"{key}_added", self._taken)
        return {name: shown[self._tasks.code_of].tolist()}

    def _is_stated(self, key: str, column: str, shown: NDArray[Any]) -> bool:
        """Tell whether `column` states a field of the tasks of each row, in any spelling."""
        entries = self.reading.entries
        cell_codes, cells = factorize_cells(self.reading.cells(column))
        pairs = _list_pairs(cell_codes, self._tasks.code_of, len(shown))
        if all(shown[tasks] in {None, cells[cell]} for cell, tasks in pairs):
            return True
        if key == "protocol" or key not in NAMES:  # a user's protocol goes before the file's
            return False

        values = [getattr(context, key) for context in entries.contexts]
        compared = set()  # batches of columns mostly share these two arrays
        for each in self.done:
            where = each.published.where
            context_codes = entries.columns[where.column].context_codes
            arrays = id(where.rows), id(context_codes)
            if arrays in compared:
                continue
            compared.add(arrays)
            pairs = _list_pairs(cell_codes[where.rows], context_codes[where.positions], len(values))
            if not all(_has_value(cells[cell], key, values[context]) for cell, context in pairs):
                return False

        return True

    def _list_notes(self) -> list[str | None]:
        """Return the notes on the numbers of each row, joined."""
        notes: dict[int, list[str]] = {}
        for place, note in sorted(self.notes.items()):
            notes.setdefault(int(self.rows[place]), []).append(note)
        joined: list[str | None] = [None] * len(self.reading.rows)
        for row, notes_of_row in notes.items():
            joined[row] = "; ".join(dict.fromkeys(notes_of_row))
        return joined

    def __repr__(self) -> str:
        done, size = int(np.sum(self.batch_of >= 0)), len(self.reading.entries)
        adjusted = f"{done:,} of {size:,} numbers adjusted"
        return f"AdjustedReading({self.reading.name}: {adjusted}, tables {self.table_version})"

    @property
    def is_selection(self) -> bool:
        """True if only some of the file's numbers were asked for."""
        is_plain = self.reading.entries.flag_heads(lambda head: head.metric.optimum is not None)
        return bool((~self.wanted & is_plain).any())

    @cached_property
    def entries(self) -> tuple[AdjustedEntry, ...]:
        """The numbers one by one, in the order of the file."""
        adjusted = [each.adjust() for each in self.done]
        return tuple(self._pick(place, adjusted) for place in range(len(self.reading.entries)))

    def _pick(self, place: int, adjusted: Sequence[Adjusted]) -> AdjustedEntry:
        """Return the number at a place of the file; `adjusted` has the forms of each batch."""
        entry = self.reading.entries[place]
        note = self.notes.get(place, "")
        batch_place = int(self.batch_of[place])
        if batch_place < 0:
            return AdjustedEntry(entry, note=note, wanted=bool(self.wanted[place]))

        done = self.done[batch_place]
        batch = done.published
        # Sorted, as searchsorted needs: batches are gathered in the order of the entries.
        position = int(np.searchsorted(batch.index, place))
        numbers = [float(ends[position]) for ends in (batch.value, batch.lower, batch.upper)]
        published = Published(entry.text, *numbers)
        significance = done.significance[position] if done.significance else None
        forms = pick(adjusted[batch_place], position)
        return AdjustedEntry(entry, published, done.constants, forms, significance, note)
