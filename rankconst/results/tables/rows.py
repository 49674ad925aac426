"""Read the rows of a table under its heading: the numbers, and what cells, heading and text say of each."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.mentions import (
    describe_dataset,
    find_joined,
    find_mentions,
    find_within,
    list_graphs,
    names_known,
)
from rankconst.catalogue.protocols import RANK_TYPES
from rankconst.constants.published import parse_value
from rankconst.errors import DataError
from rankconst.evaluation import Stated
from rankconst.names import read_count, squash
from rankconst.results.reading import Entries, Entry, Notes
from rankconst.results.tables.cells import (
    Row,
    find_remark,
    is_blank,
    is_missing,
    is_number,
    is_plain_number,
    is_uncertain,
    read_deviation,
    strip_marks,
)
from rankconst.results.tables.columns import (
    VERSIONED,
    Meaning,
    contradict,
    find_split,
    find_stems,
    is_vague,
    names_tools,
    read_dataset,
    read_name,
    read_qualifier,
    read_words,
)
from rankconst.results.tables.headings import (
    OPEN,
    Dialect,
    Heading,
    align_names,
    find_roles,
)
from rankconst.results.tables.settings import (
    OPEN_ROLES,
    add_setting,
    are_settings,
    count_tasks,
    read_cell,
    read_model,
    read_remark,
    read_test_set,
    tell_setting,
)
from rankconst.results.tables.surroundings import (
    NOTHING_TOLD,
    Told,
)
from rankconst.results.tables.units import drop_contradictions, leave_open, settle_units

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Hashable, Iterator, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.document import Document


FROM = "dataset from "
_IN_ROWS = f"{FROM}rows of their own"
_LEFT = "whether {!r} above it still holds below {!r} is open: add --{}"


def read_label(row: Row) -> str:
    """Return what a row of a single cell says; a dash is nothing next to words."""
    filled = [text for text in row.plain if text]
    return next((text for text in filled if not is_blank(text)), filled[0])


def _settle_source(roles: dict[str, int], heading: Heading, rows: Sequence[Row], dialect: Dialect) -> dict[str, int]:
    """Take a column "Source" that names no tool, but "Paper" and "Code", for one of names; "Framework" for nothing."""
    place = roles.get("tool")
    if place is None or not dialect.groups:
        return roles
    if names_tools(heading.keys[place], (row.plain[place] for row in rows if place < len(row.plain))):
        return roles
    named = {"model": place} if squash(heading.keys[place]) == "source" else {}
    return named | {role: j for role, j in roles.items() if role != "tool"}


def _find_part(rows: Sequence[Row], heading: Heading, roles: Container[str]) -> dict[str, int]:
    """Return the column without a meaning that tells versions of the datasets of another column: v1, v2."""
    for j, meaning in enumerate(heading.meanings if "dataset" in roles else ()):
        cells = [row.plain[j] for row in rows if row.plain[j]] if meaning is None else []
        if cells and all(map(VERSIONED.fullmatch, cells)):
            return {_VERSION: j}
    return {}


def _find_settings(rows: Sequence[Row], heading: Heading, known: Collection[int | None]) -> list[int]:
    """Return the columns that say one thing of each row's evaluation, but for those that are `known` to."""
    pairs = enumerate(zip(heading.keys, heading.meanings, strict=True))
    free = [(j, key) for j, (key, meaning) in pairs if j not in known and (meaning and meaning.role) in OPEN_ROLES]
    cells = ((j, key, [row.plain[j] for row in rows]) for j, key in free)
    return [
        j
        for j, key, texts in cells
        if are_settings(key, (text for text in texts if not is_missing(text) or text.lower() == "none"))
    ]


def _find_vague(rows: Sequence[Row], heading: Heading, known: Collection[int]) -> list[int]:
    """Return the columns whose cells may say anything of their rows."""
    free = (j for j, meaning in enumerate(heading.meanings) if meaning is None and j not in known)
    types = (j for j, meaning in enumerate(heading.meanings) if meaning is not None and meaning.role == "rank_type")
    open_types = (j for j in types if not any(row.plain[j].lower() in RANK_TYPES for row in rows))
    return [j for j in (*free, *open_types) if is_vague(heading.keys[j])]


_SETTING = "setting"
_VERSION = "version"


def _find_names(
    rows: Sequence[Row], heading: Heading, roles: dict[str, int]
) -> tuple[dict[str, int], frozenset[tuple[str, str]]]:
    """Return the roles with the column of names, if these say something of their rows, and what they have in common."""
    free = (j for j, meaning in enumerate(heading.meanings) if meaning is None and j not in roles.values())
    first = roles.get("model", next(free, None))
    names = [] if first is None else [row.plain[first] for row in rows]
    stems = find_stems(names)
    told = first is not None and any(read_name(name, (), stems) for name in names)
    return {**roles, "model": first} if told and first is not None else roles, stems


_CONTEXT = {
    "dataset", "model", "split", "side", "protocol", "aggregation", "tool", "rank_type", "num_tasks", "relations",
}  # fmt: skip

_ONE_EACH = {"dataset", "split", "side", "protocol"}

# What an empty cell repeats from the row above.
_REPEATED = {"dataset", "split", "side", "protocol", "relations"}

_BY_RELATION = "a row is of one relation, or of one kind of relations"

# Beyond this many different texts or rows, remembering them costs more than it saves.
_MOST_TEXTS = 100_000
_MOST_ROWS = 5_000
_NO_COLUMNS: Mapping[str, int] = {}


_MINUS = frozenset("-\u2212\u2013")
_SIGNS = _MINUS | {"+"}
_UNCERTAIN = "an uncertainty or a footnote? Write ±, or a blank before the mark"
_DIFFERENCE = "a difference, as another number of its row is, which has a sign"


class RowReader:
    """Reads the rows of one table."""

    def __init__(
        self,
        document: Document,
        heading: Heading,
        dialect: Dialect,
        notes: Notes,
        *,
        told: Told = NOTHING_TOLD,
        datasets: int | None = None,
        qualifiers: Mapping[str, int] = _NO_COLUMNS,
        rows: Sequence[Row] = (),
    ) -> None:
        self._document = document
        self._keys = heading.keys
        self._dialect = dialect
        self._notes = notes
        self._told = self._above = told
        self._qualifiers = qualifiers
        self._roles = {**find_roles(heading), **qualifiers}
        if dialect.groups:
            self._roles = _find_corner(heading, {datasets, *qualifiers.values()}) | self._roles
        self.inferred: dict[str, None] = {}
        if datasets is not None and "dataset" not in self._roles:
            self._roles["dataset"] = datasets
            self.inferred["dataset from the column of names"] = None
        # Whether its cells are names that hold datasets, and are none themselves.
        self._within = datasets is not None and not all(names_known(row.plain[datasets]) for row in rows)
        self.inferred |= {
            _BY_RELATION if role == "relations" else f"{role} from column {heading.keys[j] or j + 1}": None
            for role, j in qualifiers.items()
        }
        self._roles, self._stems = _find_names(rows, heading, _settle_source(self._roles, heading, rows, dialect))
        self._stated = {role: j for role, j in self._roles.items() if role in _CONTEXT}
        self.settings = _find_settings(rows, heading, {*qualifiers.values(), datasets})
        self._vague = [] if dialect.exact else _find_vague(rows, heading, {*self._stated.values(), *self.settings})
        # Further columns of a role, which may contradict the first.
        self._others = {
            j: meaning.role
            for j, meaning in enumerate(heading.meanings)
            if meaning is not None and meaning.role in _ONE_EACH and j not in {*self._roles.values(), *self.settings}
        }
        open_columns = {f"{_SETTING} {j}": j for j in (*self.settings, *self._vague, *self._others)}
        self._stated |= _find_part(rows, heading, self._stated) | open_columns
        self._repeated = [
            j
            for role, j in self._stated.items()
            if role in _REPEATED and (not dialect.even or _is_merged([row.plain[j] for row in rows]))
        ]
        # Position, key, metric and adjustment of each column of a metric, and the numbers that were read of it before.
        self._measured: list[tuple[int, str, Metric, str | None, dict[str, str]]] = []
        self._heads: list[tuple[Meaning, str | None]] = []  # the meaning of each, and the dataset that spans it
        self._percents, self._spreads = (
            {j for j, meaning in enumerate(heading.meanings) if meaning is not None and getattr(meaning, field)}
            for field in ("percent", "spread")
        )
        # The columns that could be percentages, each with what it shares its unit with.
        self._shares: dict[str, Hashable] = {}
        # Plain numbers of columns that are percentages or not, and of those that could be either.
        self._numbers: dict[int, dict[str, str]] = {}
        self._large = False
        self._list_measured(heading)
        self._value = self._roles.get("value") if heading.long else None
        self._naming = [*self._stated.values(), *(j for role, j in self._roles.items() if role in {"metric", "k"})]
        self._percent = self._value in self._percents
        self._counts: dict[Stated, int | None] = {}  # of a long table, in rows of their own
        self._said: tuple[Row | None, dict[str, Any]] = None, {}
        self._last: dict[int, str] = {}  # what an empty cell repeats
        # The last row alone that said a split, a side or a protocol, and whether rows of numbers came below one.
        self._group, self._begun = "", False
        # What was read before: texts of roles to the context of each measured column, texts of a long row to its
        # meaning.
        self._contexts: dict[tuple[str, ...], list[Stated]] = {}
        self._named: dict[tuple[str, ...], tuple[Meaning, Stated]] = {}
        open_dataset = "dataset" not in self._roles and not any(upper for _, upper in self._heads)
        if open_dataset and (told.dataset or told.among):
            self.inferred[
                f"dataset from {told.origin}" if told.dataset else "the text above names several datasets"
            ] = None

    def _list_measured(self, heading: Heading) -> None:
        """Note what there is to know of each column of a metric."""
        shared: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for j in heading.measured:
            meaning = heading.meanings[j]
            if meaning is None or meaning.metric is None:
                continue
            if meaning.reason is not None:
                self._notes.add(None, heading.keys[j], meaning.reason)
                continue
            metric, open_unit = meaning.metric, meaning.metric.is_share and meaning.adjustment is None
            if open_unit and not meaning.percent:
                kind = metric.key if metric.hits_k is None else "Hits"
                self._shares[heading.keys[j]] = (meaning.dataset or heading.datasets[j], kind)
            self._numbers[j] = {} if open_unit and not meaning.percent else shared[meaning.percent]
            self._measured.append((j, heading.keys[j], metric, meaning.adjustment, self._numbers[j]))
            self._heads.append((meaning, heading.datasets[j]))

    @property
    def said_elsewhere(self) -> str | None:
        """The dataset of the last row, if neither row nor heading names one."""
        named = self._told.dataset
        if named is None or "dataset" in self._roles or any(meaning.dataset or upper for meaning, upper in self._heads):
            return None
        return describe_dataset(named, self._told.task)

    def take_label(self, row: Row, groups: Mapping[str, Told] | None) -> bool:
        """Take a row without numbers that says what those below are of; False if it is none.

        `groups` are what rows alone say, if it is one of them.
        """
        if groups is None:
            return self._take_datasets(row)
        what = read_label(row)
        if what not in groups:
            self._notes.add(row.line, what, "alone in its row, and not the name of a dataset")
            self._leave_group(what)
            return True
        group, above = groups[what], self._above
        self._group, self._begun = (what if not (group.dataset or group.among) else ""), False
        if group.dataset or group.among:
            self.inferred[_IN_ROWS] = None
        else:  # a split, a side or a task of the dataset so far
            said = [name for name in ("split", "side", "protocol", "task") if getattr(group, name)]
            self.inferred |= {f"{name} from rows of their own": None for name in said}
            group = replace(group, dataset=self._told.dataset, among=self._told.among)
        self._told = replace(
            group,
            split=group.split or above.split,
            side=group.side or above.side,
            protocol=group.protocol or above.protocol,
            task=group.task or above.task,
        )
        self._contexts.clear()
        self._named.clear()
        return True

    def _leave_group(self, what: str) -> None:
        """Leave to the user what a row above said of a group, where another begins that is no part of it."""
        if not self._begun:
            self._group = ""
        told, above = self._told, self._above
        usual = {"split": above.split or "test", "side": above.side or "both", "protocol": above.protocol}
        differing = [name for name, value in usual.items() if (getattr(told, name) or value) != value]
        if not self._group or not differing:
            return
        why = tuple((name, _LEFT.format(self._group, what, name)) for name in differing)
        kept = {name: getattr(above, name) for name in differing}
        self._told = replace(told, missing=(*told.missing, *why), **kept)
        self._group = ""
        self._contexts.clear()
        self._named.clear()

    def _take_datasets(self, row: Row) -> bool:
        """Take a row of names over the columns below it as their datasets; False if it is none."""
        columns = zip(self._measured, self._heads, strict=True)
        measured = {j: (metric, meaning) for (j, _, metric, *_), (meaning, _) in columns}
        named = {j: row.plain[j] for j in measured if j < len(row.plain) and row.plain[j]}
        if any(is_missing(own) or is_number(own) for own in named.values()):
            return False
        labels: dict[int, str] = {}
        label, left = "", 0
        for j, own in enumerate(row.plain):
            if own and row.spans is not None:
                label, left = own, row.spans.get(j, 1)
            elif own:  # of a row of results, if it is in another column
                label, left = named.get(j, ""), len(row.plain)
            if left > 0 and label:
                labels[j] = label
            left -= 1
        if row.spans is None and named:
            labels = align_names(named, measured) or labels
        over = [labels.get(j, "") for j in measured]
        if not any(len(find_mentions(each)) == 1 for each in over if each):
            return False
        heads = zip(self._heads, over, strict=True)
        self._heads = [(replace(meaning, dataset=None), name or None) for (meaning, _), name in heads]
        self.inferred[_IN_ROWS] = None
        self._contexts.clear()
        return True

    def fill(self, row: Row) -> Row:
        """Repeat what the row above says of the ranking tasks where its cell is empty."""
        places = [j for j in self._repeated if j < len(row.plain)]
        empty = [j for j in places if not row.plain[j] and j in self._last]
        self._last |= {j: row.plain[j] for j in places if row.plain[j]}
        if not empty:
            return row
        self.inferred["empty cells repeat the one above"] = None
        plain, cells = list(row.plain), list(row.cells)
        for j in empty:
            plain[j] = self._last[j]
            cells[j] = cells[j] or self._last[j]
        return row._replace(plain=tuple(plain), cells=tuple(cells))

    def read(self, row: Row, index: int) -> list[Entry]:
        """Return the numbers of a row."""
        self._begun = True
        entries = self._read_wide(row, index) if self._measured else []
        return entries if self._value is None else [*entries, *self._read_long(row, index, self._value)]

    def _read_wide(self, row: Row, index: int) -> list[Entry]:
        line, plain = row.line, row.plain
        told = tuple([plain[j] for j in self._stated.values()])
        contexts = self._contexts.get(told) or self._form_contexts(row, told)
        exact, entries = self._dialect.exact, []
        for (j, key, metric, adjustment, numbers), context in zip(self._measured, contexts, strict=True):
            text = numbers.get(plain[j]) or self._read_number(row, j, j in self._percents)
            if text is not None:
                entries.append(Entry(metric, text, index, key, line, context, adjustment, exact))
        if exact or all(plain[j][:1] not in _SIGNS for j, *_ in self._measured):
            return entries
        return self._leave_differences(row, entries)

    def _leave_differences(self, row: Row, entries: list[Entry]) -> list[Entry]:
        """Leave out shares next to one of the same row that has a sign, as differences have."""
        plus = self._dialect.groups and not self._dialect.even
        cells = [
            (row.plain[j], metric.is_share and adjustment is None) for j, _, metric, adjustment, _ in self._measured
        ]
        if not any(share and cell[:1] in (_SIGNS if plus else _MINUS) and is_number(cell[1:]) for cell, share in cells):
            return entries
        kept = []
        for entry in entries:
            if entry.adjustment is None and entry.metric.is_share and entry.text[:1] not in _SIGNS:
                self._notes.add(row.line, entry.text, f"{_DIFFERENCE}, in column {entry.column}")
            else:
                kept.append(entry)
        return kept

    def _form_contexts(self, row: Row, told: tuple[str, ...]) -> list[Stated]:
        """Return the contexts of the measured columns in a row, as one object where they agree."""
        noted, said = self._notes.total, self._read_roles(row)
        shared: dict[object, Stated] = {}
        contexts = []
        for meaning, upper in self._heads:
            kind = (meaning.dataset, upper, meaning.split, meaning.side, meaning.rank_type, meaning.protocol)
            if kind not in shared:
                shared[kind] = self._form_context(said, meaning, upper)
            contexts.append(shared[kind])
        if self._notes.total == noted and len(self._contexts) < _MOST_ROWS:
            self._contexts[told] = contexts
        return contexts

    def _read_long(self, row: Row, index: int, value: int) -> Iterator[Entry]:
        told = tuple([row.plain[j] for j in self._naming])
        found = self._named.get(told) or self._form_named(row, told)
        if found is None:
            return
        named, context = found
        if named.metric is None:
            if row.plain[value]:
                self._counts[context] = self._read_count(row, "value")
            return
        text = self._read_number(row, value, self._percent or named.percent)
        if text is not None:
            key, exact = self._keys[value], self._dialect.exact
            yield Entry(named.metric, text, index, key, row.line, context, named.adjustment, exact)

    def _form_named(self, row: Row, told: tuple[str, ...]) -> tuple[Meaning, Stated] | None:
        """Return what a row of a long table names, with its context."""
        noted, said = self._notes.total, self._read_roles(row)
        named = self._read_name(row)
        if named is None:
            return None
        found = named, self._form_context(said, named, None)
        if self._notes.total == noted and len(self._named) < _MOST_ROWS:
            self._named[told] = found
        return found

    def add_counts(self, entries: Entries) -> Entries:
        """Add the numbers of tasks that a long table has in rows of their own to the entries that they belong to."""
        if not self._counts:
            return entries
        counted = {context: replace(context, num_tasks=count) for context, count in self._counts.items()}
        return Entries(entry._replace(context=counted.get(entry.context, entry.context)) for entry in entries)

    def settle_units(self, entries: Entries) -> tuple[Entries, frozenset[str]]:
        """Return the numbers with signs of percentages, and the columns that got them; without what is doubtful."""
        said = {self._keys[j] for j in self._percents}
        if self._above.percent and not self._large:
            said |= self._shares.keys()
        percent = self._document.percent
        entries = leave_open(entries, said, self._notes, percent=percent)
        signed: frozenset[str] = frozenset()
        if self._large:
            entries = settle_units(entries, lambda entry: self._shares.get(entry.column), self._notes, percent=percent)
            signed = frozenset(entry.column for entry in entries if "%" in entry.text and entry.column in self._shares)
        return (drop_contradictions(entries, self._notes) if self._large or said else entries), signed

    def _read_roles(self, row: Row) -> dict[str, Any]:
        """Return what the columns of roles say; only once a row, since what is unreadable is noted."""
        last, said = self._said
        if row is not last:
            said = {role: row.plain[j] for role, j in self._stated.items() if not is_missing(row.plain[j])}
            if self._within and "dataset" in said:
                split = find_split(said["dataset"])
                said = said if split is None else {"split": split, **said}
                said |= read_test_set(self._keys[self._roles["dataset"]], said["dataset"])
                said["dataset"] = find_within(said["dataset"]) or said["dataset"]
            for j, role in self._others.items():
                if (cell := said.pop(f"{_SETTING} {j}", None)) is not None:
                    said |= contradict(cell, {role: (read_words(cell) or {}).get(role, cell)}, said)
            if not self._dialect.exact and "dataset" in said:
                cell, (said["dataset"], told) = said["dataset"], read_dataset(said["dataset"])
                self.inferred |= {f"{role} from names of datasets": None for role in told}
                said = {**told, **contradict(cell, told, said), **said}
            if (version := said.pop(_VERSION, None)) is not None:
                said["dataset"] = join_names(said.get("dataset", ""), version)
            for role, j in self._qualifiers.items():
                said.pop(role, None)
                said |= read_qualifier(self._keys[j], row.plain[j], role)
            said = self._read_settings(row, said)
            if not self._dialect.exact and "model" in said:
                told = read_model(said["model"], said, self._stems)
                self.inferred |= {f"{role} from names of rows": None for role in told if role != "unclear"}
                said |= told
            for j in self._vague:
                said = {**read_remark(said.pop(f"{_SETTING} {j}", ""), said), **said}
            if "rank_type" in said:
                said["rank_type"] = RANK_TYPES.get(said["rank_type"].lower())
            if isinstance(said.get("num_tasks"), str):
                said["num_tasks"] = self._read_count(row, "num_tasks")
            self._said = row, said
        return said

    def _read_settings(self, row: Row, said: dict[str, Any]) -> dict[str, Any]:
        """Add what columns of settings say, in place of a role of theirs if their cell says something else."""
        for j in self.settings:
            said.pop(f"{_SETTING} {j}", None)
            role = next((role for role, place in self._roles.items() if place == j), "")
            cell, open_cell = row.plain[j], bool(role) or is_missing(row.plain[j])
            told = (tell_setting(self._keys[j], cell) or {}) if open_cell else read_cell(self._keys[j], cell)
            if told and told.keys() != {role}:
                said = add_setting({name: each for name, each in said.items() if name != role}, told, cell)
                fields = told.keys() - {"unclear", "filtered", "missing"}
                self.inferred |= {f"{name} from column {self._keys[j]}": None for name in told if name in fields}
        said.pop("filtered", None)
        return count_tasks(said)

    def _read_count(self, row: Row, role: str) -> int | None:
        text = row.plain[self._roles[role]]
        count = read_count(text)
        if count is None:
            self._notes.add(row.line, text, f"not a whole number, in column {self._keys[self._roles[role]]}")
        return count

    def _read_name(self, row: Row) -> Meaning | None:
        """Return what a row of a long table names: a metric, or the number of tasks."""
        name = row.plain[self._roles["metric"]]
        if is_missing(name):
            return None
        k = self._read_count(row, "k") if "k" in self._roles and row.plain[self._roles["k"]] else None
        named = self._dialect.parse(name, k)
        if named is not None and named.role == "num_tasks":
            return named
        if named is None or named.metric is None:
            self._notes.add(row.line, name, "an unknown metric")
            return None
        if named.reason is not None:
            self._notes.add(row.line, name, named.reason)
            return None
        return named

    def _read_number(self, row: Row, j: int, percent: bool) -> str | None:
        """Return a number as text, None if there is none."""
        text = row.plain[j]
        if is_blank(text):
            return None
        if is_plain_number(text) and j not in self._spreads:
            number = f"{text}%" if percent else text
            numbers = self._numbers.get(j)
            if numbers is not None and len(numbers) < _MOST_TEXTS:
                numbers[text] = number
                self._large = self._large or (self._keys[j] in self._shares and float(text) > 1)
            return number
        gain = text.startswith("+") and self._dialect.groups and not self._dialect.even
        if gain or is_missing(text) or is_uncertain(text):
            open_end = f"{_UNCERTAIN}, in column {self._keys[j]}" if is_uncertain(text) else "no number"
            self._notes.add(row.line, text, "a difference, since it has a plus sign" if gain else open_end)
            return None
        text = strip_marks(text)
        text = read_deviation(text) or text
        try:
            found = parse_value(text, exact=self._dialect.exact)
        except DataError as error:
            remark = find_remark(text)
            why = _explain(error, self._keys[j]) if not remark else f"no number, in column {self._keys[j]}: {remark}"
            self._notes.add(row.line, row.plain[j], why)
            return None
        if j in self._spreads and found.deviation is None:
            self._notes.add(row.line, text, f"a deviation without its mean, in column {self._keys[j]}")
            return None
        self._large = self._large or (self._keys[j] in self._shares and found.value > 1)
        return f"{text}%" if percent and "%" not in text else text

    def _form_context(self, said: Mapping[str, Any], meaning: Meaning, upper: str | None) -> Stated:
        """Combine what a row says with what the heading says, which goes first, and the text above, which goes last."""
        own = {name: getattr(meaning, name) for name in ("dataset", "split", "side", "rank_type", "protocol")}
        told = self._told
        if own["dataset"] is not None and "dataset" in said and not find_mentions(own["dataset"]):
            part = own.pop("dataset")  # "MRR (PyTorch)", where rows are of datasets
            said = {"model": part, **said, **read_remark(part, said)}
        if "dataset" in said and upper is not None and not find_mentions(upper) and not _PART.fullmatch(upper):
            said = {"model": upper, **said}
        if "dataset" in said and (upper is not None or told.dataset):
            names = (said["dataset"], upper) if upper is not None else (told.dataset or "", said["dataset"])
            said = {**said, "dataset": join_names(*names) if upper or _PART.fullmatch(names[1]) else names[1]}
        elif upper is not None and told.dataset and _PART.fullmatch(upper):
            upper = join_names(told.dataset, upper)
        fields = {**said, **{name: value for name, value in own.items() if value is not None}}
        fields = _add_told(fields, told)
        for name, value in (
            ("dataset", upper), ("dataset", told.dataset), ("split", told.split), ("side", told.side),
            ("rank_type", told.rank_type),
        ):  # fmt: skip
            if value is not None:
                fields.setdefault(name, value)
        if told.protocol is not None and not meaning.filtered:
            fields.setdefault("protocol", told.protocol)
        names = fields.get("dataset", "")
        graphs = names.split(" or ") if _VERSION_OF.search(names) is None else _list_meant(names)
        if OPEN in names:
            fields |= {"dataset": None, "unclear": _OPEN.format(names.replace(OPEN, ", "))}
        elif len(graphs) > 1:
            fields |= {"dataset": None, "among": tuple(graphs)}
        elif variants := _find_variants(names, told):
            fields |= {"dataset": None, "among": (*variants, names)}
        elif "dataset" in fields:
            fields["dataset"] = describe_dataset(fields["dataset"], told.task)
        else:
            fields = {"among": told.among, "task": told.task, **fields}
        return Stated(**fields, averaged=self._above.averaged)


def _add_told(fields: dict[str, Any], told: Told) -> dict[str, Any]:
    """Return what is said of a number with what settings above say: how many triples there were, or why it is open."""
    if told.unclear:
        fields = {**fields, "unclear": fields.get("unclear") or told.unclear}
    if told.missing:
        fields = {**fields, "missing": (*fields.get("missing", ()), *told.missing)}
    if told.num_triples and "num_tasks" not in fields:
        fields = count_tasks({**fields, "num_triples": told.num_triples})
    return fields


def _find_corner(heading: Heading, known: Container[int | None]) -> dict[str, int]:
    """Return the column without a heading that is over models: the first but for those `known` to say more."""
    first = next((j for j in range(len(heading.keys)) if j not in known), 0)
    named = first in heading.measured or any(level[first] for level in heading.levels)
    return {} if named else {"model": first}


def _is_merged(cells: Sequence[str]) -> bool:
    """Tell whether a column had merged cells: several names, each there once and over an empty cell at least."""
    names = [cell for cell in cells if cell]
    apart = all(cell == "" or below == "" for cell, below in pairwise([*cells, "end"]))
    return 1 < len(names) == len({*names}) and bool(cells[0]) and apart


def _list_meant(name: str) -> Sequence[str]:
    """Return the graphs that a name with a version may mean: itself, if it is written as the registry does."""
    mentions = find_mentions(name)
    return list_graphs(mentions[0]) if len(mentions) == 1 and mentions[0].key != name else [name]


_VERSION_OF = re.compile(r"v\.?\d$", re.IGNORECASE)


def _find_variants(name: str, told: Told) -> list[str]:
    """Return the graphs made from a row's or a column's that the text around names, where it does not name that one.

    Below "Results on WN18RR-ind", a column WN18RR is of the other graph.
    """
    around = {squash(each): each for each in ((told.dataset,) if told.dataset else told.among)}
    stem = squash(name)
    if not stem or stem in around or not names_known(name):
        return []
    made = ((key[len(stem) :], each) for key, each in around.items() if key.startswith(stem))
    return [
        each
        for rest, each in made
        if re.match(r"v\d", rest) or not any(mention.known for mention in find_mentions(each))
    ]


_OPEN = "which of {} it is of is open: write each name over the first of its columns, or over all of them."
# A part of a benchmark, or a benchmark made from it.
_PART = re.compile(r"v\.?\d+(?:[_ ]ind)?|\d+ ?%|\d+[- ]?shot|[SML]", re.IGNORECASE)


def join_names(dataset: str, upper: str) -> str:
    """Return what a row's dataset and a label over the column name together, where the label is a part of it."""
    joined = find_joined(upper, dataset)
    if len(joined) == 1:
        return " or ".join(list_graphs(joined[0]))
    return f"{dataset} {upper}" if _PART.fullmatch(upper) else dataset


def _explain(error: DataError, column: str) -> str:
    """Return why a cell is no number, as half a sentence."""
    hint = str(error).partition(" is not a number.")[2].strip(" .")
    return f"no number, in column {column}{': ' if hint else ''}{hint[:1].lower()}{hint[1:]}"
