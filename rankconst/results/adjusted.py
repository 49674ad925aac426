"""What becomes of a results file: its columns with the adjusted ones beside them, what was assumed, what is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.adjusting import ENDS, fill_columns, number_distinct, pick
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.errors import UnknownNameError
from rankconst.evaluation import NAMES, NOTHING, find_assumed
from rankconst.names import squash
from rankconst.results.columns import encode, encode_cells, list_distinct
from rankconst.results.labels import clean_heading, name_adjusted, read_label
from rankconst.values.affine import ADJUSTMENTS
from rankconst.values.published import Published

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.evaluation import Address, Question
    from rankconst.results.reading import Entry, Reading
    from rankconst.tasks import Tasks
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants
    from rankconst.values.significance import Significance

    Places = NDArray[np.intp]

_MEAN_RANK = CATALOGUE["arithmetic_mean_rank"].family
# How much the ranks vary whose mean it stands beside; its square says the same.
_SPREAD = CATALOGUE["standard_deviation"].family
# What is said with details alone, as it is usual; so are numbers of tasks and versions.
_UNSAID: dict[str, set[Any]] = {"split": {"test"}, "side": {"both"}}


def _describe_tasks(done: AdjustedBatch) -> dict[str, Any]:
    """Return what is said of the ranking tasks of each row; of relations only where they are not all."""
    named = {name: getattr(done.batch.tasks, name) for name in NAMES[:4]}
    counted = {"num_tasks": done.constants.num_tasks, "table_version": done.constants.table_version}
    return named | {"relations": ", ".join(done.batch.tasks.relations) or None} | counted


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What the columns are called that are added for one column of numbers."""

    value: str  # before _lower and _upper of the value itself
    prefix: str  # before expectation, variance and p
    forms: Mapping[str, str]  # adjustment to the name of its column
    # What is said against further baselines: key of fill_columns to the name of its column.
    skills: dict[str, str]

    def list_names(self, *, details: bool = True, significant: bool = False) -> dict[str, str]:
        """Return keys of :func:`fill_columns` to names of columns; without details, of the index and the skills."""
        if not details:
            skills = {key: name for key, name in self.skills.items() if key.startswith("index@")}
            return {"index": self.forms["index"]} | skills
        names = {f"value{end}": f"{self.value}{end}" for end in ENDS[1:]}
        names |= {key: f"{self.prefix}{key}" for key in ("expectation", "variance")}
        names |= {
            f"{form}{end}": f"{name}{end}" for form, name in self.forms.items() for end in ENDS
        }
        if significant:
            names |= {
                key: f"{self.prefix}{key}"
                for key in (*(f"log10_p{end}" for end in ENDS), "p_method")
            }
        return names | {
            key: name
            for key, name in self.skills.items()
            if significant or not key.startswith("log10_p")
        }


def name_blocks(
    metrics: Mapping[str, Metric],
    taken: Iterable[str],
    *,
    long: bool,
    baselines: Iterable[str] = (),
) -> dict[str, Block]:
    """Name what is added for columns of numbers, by their headings, unlike those taken; a long table has one block."""
    known, further = set(taken), tuple(baselines)
    if long:
        forms = {form: keep_apart(form, known, ENDS) for form in ADJUSTMENTS}
        skills = _name_skills("", further, known)
        return dict.fromkeys(
            metrics, Block(keep_apart("value", known, ENDS[1:]), "", forms, skills)
        )
    counts = Counter(metrics.values())
    blocks = {}
    for heading, metric in metrics.items():
        own = clean_heading(heading) if counts[metric] > 1 or " / " in heading else metric.label
        prefix = keep_apart(own, known, ENDS[1:])
        forms = {
            form: keep_apart(name_adjusted(own, metric, form), known, ENDS) for form in ADJUSTMENTS
        }
        blocks[heading] = Block(
            prefix, f"{prefix}_", forms, _name_skills(f"{prefix}_", further, known)
        )
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


@dataclass(frozen=True, slots=True)
class AdjustedEntry:
    """One number of a file with its adjusted forms."""

    entry: Entry
    published: Published | None = (
        None  # as read, with its interval; None for one that was left alone
    )
    constants: Constants | None = None  # None, like `adjusted`, if it could not be adjusted
    adjusted: Adjusted | None = None
    significance: Significance | None = None
    note: str = ""  # why it was not adjusted, or what to know about it
    # False if it is of another metric, dataset, split or side than was asked for, or adjusted
    # already.
    wanted: bool = True


@dataclass(frozen=True, eq=False)
class AdjustedReading:
    """A results file with its adjusted numbers."""

    reading: Reading
    done: tuple[AdjustedBatch, ...] = field(repr=False)
    table_version: str
    wanted: NDArray[np.bool_] = field(repr=False)  # of each entry, whether it was asked for
    # Position of an entry to why it was not adjusted, or what to know about it.
    notes: Mapping[int, str] = field(repr=False)
    # Where the numbers come from, as far as it is known, each once; their caveats apply.
    tools: tuple[Tool, ...] = ()
    # Further baselines to the same batches, as far as there are constants.
    against: Mapping[str, tuple[AdjustedBatch, ...]] = field(default_factory=dict, repr=False)
    user: Address = NOTHING  # what the user said, with keys
    # Field of the address to what was assumed of it, where neither the file nor the user says it.
    assumed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # What only the user can answer; numbers are positions in `entries`.
    asked: tuple[Question, ...] = ()
    details: bool = False  # whether columns hold all that was computed, or the adjusted numbers with their protocol

    @cached_property
    def batch_of(self) -> Places:
        """The position in `done` of the batch of each entry; -1 for one that was not adjusted."""
        found = np.full(len(self.reading.entries), -1, dtype=np.intp)
        for place, each in enumerate(self.done):
            found[each.batch.index] = place
        return found

    @cached_property
    def waiting(self) -> frozenset[int]:
        """The positions of the entries that wait for an answer."""
        return frozenset(place for question in self.asked for place in question.numbers)

    @cached_property
    def rows(self) -> Places:
        """The row of each entry."""
        return self.reading.entries.rows

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """Column of adjusted numbers to the names of what is added for it; of a long table, all share one."""
        reading = self.reading
        heads = [
            reading.entries.heads[each]
            for each in list_distinct(reading.entries.head_of[self.batch_of >= 0])
        ]
        if not self.done:
            heads = [
                head
                for head in reading.entries.heads
                if head.adjustment is None and head.metric.optimum is not None
            ]
        named = {head.column: head.metric for head in heads}
        metrics = {column: named[column] for column in reading.columns if column in named}
        return name_blocks(
            metrics, reading.columns, long=reading.layout == "long", baselines=self.against
        )

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
        address = {"details": self.details, "significant": self.is_significant}
        return [
            (block, block.list_names(**address)) for block in dict.fromkeys(self.blocks.values())
        ]

    @cached_property
    def table(self) -> dict[str, Any]:
        """The original columns and to their right the added ones: numbers as arrays, NaN where there is none."""
        reading = self.reading
        table: dict[str, Any] = {column: reading.cells(column) for column in reading.columns}
        return table | self.added

    def __getitem__(self, column: str) -> Any:
        """Return a column of :attr:`table`, of the file or added; UnknownNameError if there is none of that name."""
        if column not in self.table:
            raise UnknownNameError(
                f"there is no column {column!r}. Columns: {', '.join(self.table)}."
            )
        return self.table[column]

    @cached_property
    def added(self) -> dict[str, Any]:
        """The added columns alone."""
        added: dict[str, Any] = {}
        size = len(self.reading.rows)
        done_of = self._split(self.done)
        against = {key: self._split(found) for key, found in self.against.items()}
        for place, (_, names) in enumerate(self.list_added()):
            others = {key: found[place] for key, found in against.items()}
            filled = fill_columns(size, done_of[place], self.rows, others, wanted=names)
            added |= {name: filled.get(key, [None] * size) for key, name in names.items()}
        return added | self.described

    def _split(self, done: Iterable[AdjustedBatch]) -> list[list[AdjustedBatch]]:
        """Return the numbers of each block, so that each is adjusted once however many blocks there are."""
        parts: list[list[AdjustedBatch]] = [[] for _ in self.list_added()]
        for each in done:
            for place, own in each.split(self.block_of):
                parts[place].append(own)
        return parts

    @property
    def accepted(self) -> tuple[str, ...]:
        """The words near numbers of the file that the user says are harmless."""
        accepted = dict.fromkeys(map(str.lower, self.user.accepted))
        words = {ask.word for each in self.reading.entries.contexts for ask in each.questions}
        return tuple(word for word in accepted if {word, word.partition("=")[0]} & words)

    @property
    def answers(self) -> dict[str, list[Any]]:
        """Columns for JSON: what was assumed of each row, and the questions that its numbers wait for."""
        size, entries = len(self.reading.rows), self.reading.entries
        asked: list[list[dict[str, str]]] = [[] for _ in range(size)]
        for question in self.asked:
            for row in dict.fromkeys(self.rows[list(question.numbers)].tolist()):
                asked[row].append(question.to_dict())
        rows: list[dict[str, dict[Any, None]] | None] = [None] * size
        for place in np.flatnonzero(self.batch_of >= 0).tolist():
            row, tasks = int(self.rows[place]), self.done[self.batch_of[place]].batch.tasks
            merged = rows[row] = rows[row] or {}
            for name, value in self._assume(entries.contexts[entries.context_of[place]], tasks):
                merged.setdefault(name, {})[value] = None
        assumed = [
            None if row is None else {name: " and ".join(values) for name, values in row.items()}
            for row in rows
        ]
        return {"assumed": assumed, "asked": [each or None for each in asked]}

    def _assume(self, address: Address, tasks: Tasks) -> Iterator[tuple[str, str]]:
        """Yield what was assumed of a number, and the words near it that were accepted."""
        found = find_assumed(address, self.user, tasks) | (
            {} if address.rank_type else {"rank_type": "realistic"}
        )
        yield from ((name, value) for name, value in found.items() if name in self.assumed)
        words = {word.lower() for word in self.user.accepted}
        yield from (("accepted", ask.word) for ask in address.questions if ask.word in words)

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
        """The columns at the end: the ranking tasks of each row's numbers, unless its own columns say them; notes."""
        reading = self.reading
        size = len(reading.rows)
        roles = {role: name for name in reading.columns if (role := read_label(name).role)}
        of_batch = [*map(_describe_tasks, self.done)]
        places, described = self.batch_of, dict[str, Any]()
        there = places >= 0
        rows, places = self.rows[there], places[there]
        for key in (
            *NAMES[:4],
            "relations",
            *(("num_tasks", "table_version") if self.details else ()),
        ):
            if not self.details and {each[key] for each in of_batch} <= _UNSAID.get(key, set()):
                continue
            code_of, facts = encode(each[key] for each in of_batch)
            if key == "relations" and not any(facts):
                continue
            codes = code_of[places]
            last = np.full(size, len(facts), dtype=np.intp)
            last[rows] = codes
            shown = np.array([*facts, None], dtype=object)
            if (last[rows] != codes).any():
                described |= self._describe_blocks(key, rows, codes, shown)
                continue
            own = roles.get(key)
            if own is not None and self._is_said(key, own, last, shown):
                continue
            values = (
                shown[last].tolist()
                if size and (last != last[0]).any()
                else [*shown[last[:1]]] * size
            )
            described[keep_apart(key if own is None else f"{key}_added", reading.columns)] = values
        notes: dict[int, list[str]] = {}
        for place, note in sorted(self.notes.items()):
            notes.setdefault(int(self.rows[place]), []).append(note)
        remarks: list[str | None] = [None] * size
        for row, found in notes.items():
            remarks[row] = "; ".join(dict.fromkeys(found))
        return described | {keep_apart("note", reading.columns): remarks}

    def _is_said(self, key: str, column: str, places: Places, shown: NDArray[Any]) -> bool:
        """Tell whether an original column says the same of each row, in whatever spelling."""
        codes, distinct = encode_cells(self.reading.cells(column))
        entries, size = self.reading.entries, len(shown)
        if all(
            shown[pair % size] in {None, distinct[pair // size]}
            for pair in list_distinct(codes * size + places)
        ):
            return True
        if key not in {"dataset", "split", "side"}:  # a user's protocol goes before the file's
            return False
        done = self.batch_of >= 0
        remarks = list_distinct(
            codes[self.rows[done]] * len(entries.contexts) + entries.context_of[done]
        )
        names = (
            (distinct[n // len(entries.contexts)], entries.contexts[n % len(entries.contexts)])
            for n in remarks
        )
        return all(
            (name := getattr(address, key))
            and (squash(cell) == squash(name) or read_label(cell).declared.get(key) == name)
            for cell, address in names
        )

    def _describe_blocks(
        self, key: str, rows: Places, codes: Places, shown: NDArray[Any]
    ) -> dict[str, Any]:
        """Return what differs among the numbers of a row, for each column of numbers."""
        described, block_of = {}, self.block_of[self.batch_of >= 0]
        for place, (block, _) in enumerate(self.list_added()):
            own = block_of == place
            last = np.full(len(self.reading.rows), len(shown) - 1, dtype=np.intp)
            last[rows[own]] = codes[own]
            described[keep_apart(f"{block.prefix}{key}", self.reading.columns)] = shown[
                last
            ].tolist()
        return described

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def __repr__(self) -> str:
        return f"AdjustedReading({self._tell()})"

    def _tell(self) -> str:
        done, size = int(np.sum(self.batch_of >= 0)), len(self.reading.entries)
        return f"{self.reading.name}: {done:,} of {size:,} numbers adjusted, tables {self.table_version}"

    @property
    def is_selection(self) -> bool:
        """True if only some of the file's numbers were asked for."""
        entries = self.reading.entries
        plain = np.array(
            [head.metric.optimum is not None for head in entries.heads], dtype=np.bool_
        )
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
        # Ascending: gathered in the order of the entries.
        within = int(np.searchsorted(done.batch.index, place))
        found = done.significance[within] if done.significance else None
        ends = (getattr(done.batch, name)[within] for name in ("value", "lower", "upper"))
        published = Published(entry.text, *map(float, ends))
        return AdjustedEntry(
            entry, published, done.constants, pick(adjusted[batch], within), found, note
        )
