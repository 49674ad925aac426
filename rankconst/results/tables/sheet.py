"""A table by column, of any container: its numbers, and what its labels and texts say of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.suites import is_mean
from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, combine
from rankconst.results.gate import STEPS, Text, gather
from rankconst.results.labels import UNKNOWN, Label, list_others, read_label
from rankconst.results.reading import NO_LINE, Entries, Floats, Head
from rankconst.results.tables.again import TWICE, ask_again
from rankconst.results.tables.cells import (
    DIFFERENCE,
    SIGNS,
    is_blank,
    is_missing,
    is_number,
    read_cell,
)
from rankconst.results.tables.contexts import (
    ENDS,
    RowTexts,
    find_corner,
    find_groups,
    find_names,
    find_roles,
    find_texts,
    form_address,
    read_rows,
)
from rankconst.results.tables.headings import find_reason, find_role
from rankconst.results.tables.units import settle_units
from rankconst.results.vocabulary import FIELDS, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.evaluation import Address, Question
    from rankconst.results.reading import Notes
    from rankconst.results.tables.headings import Heading

    Places = NDArray[np.intp]
    Flags = NDArray[np.bool_]


_SHORT = 3
_AT_K = re.compile(r"[A-Za-z]\s?@\s?\d+\W*$")


@dataclass(frozen=True)
class Sheet:
    """A table with its heading, by column."""

    heading: Heading
    cells: Sequence[Cells]
    lines: Sequence[int]  # of each row
    texts: tuple[Text, ...] = ()  # around it, the nearest first
    parse: Callable[[str, int | None], Label] = read_label
    exact: bool = False  # True if a program wrote every digit, and its keys say all
    percent: bool | None = None
    # Columns of a machine's numbers, with NaN.
    floats: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    spanning: frozenset[int] = frozenset()  # the rows that say which of their cells span columns
    written: Sequence[list[str]] = ()  # the cells of each column as written
    how: tuple[str, ...] = ()  # how it was understood
    about: RowTexts | None = None  # what is said of each row, if no cells say it
    evaluations: Places | None = None  # of each row, where several rows make up one


@dataclass(frozen=True)
class Table:
    """What was read of a sheet."""

    sheet: Sheet
    entries: Entries
    percent: frozenset[str]  # the columns that are percentages without a sign
    # What names dataset, split or the like, if no cell or heading does: "dataset from the caption".
    origin: str


class _Column(NamedTuple):
    """Numbers of a column, by row."""

    text_of: Places  # the place of the text of each row's number, ~place of a float
    there: Flags  # whether there is one
    head_of: Places  # in the heads of the table
    context_of: Places
    percent: Flags  # whether it is a percentage by what names it


# Of fewer, a column called Avg is that of both sides.
_FEWEST_GRAPHS = 2


def _name_mean(label: Label) -> str | None:
    """Return the word of a heading for means over graphs; None if it has none."""
    if is_mean(label.text):
        return label.text
    words = [] if label.metric is None else label.text.split()
    for word in words:
        rest = read_label(" ".join(other for other in words if other != word))
        # The average rank is a metric.
        if is_mean(word) and rest.metric == label.metric:
            return word
    return None


def _name_apart(labels: Sequence[Label]) -> set[str]:
    """Return what a heading names but a metric and values of an address: models, graphs, parts."""
    names = set[str]()
    for label in labels:
        words = (word.text for word in label.words if word.field not in FIELDS)
        graphs = (squash(graph) for graph in label.graphs)
        others = (word.lower() for word in list_others(label.text))
        names |= {*others, *words, *graphs, label.version}
    return names


def _write(labels: Sequence[Label]) -> list[str]:
    return [squash(label.text) for label in labels]


class SheetReader:
    """Reads the numbers of a table with what is said of them; what is left out is noted."""

    def __init__(self, sheet: Sheet, notes: Notes) -> None:
        self._sheet, self._notes, self._heading = sheet, notes, sheet.heading
        self._lines = np.asarray(sheet.lines, dtype=np.intp)
        self._written: dict[str, int] = {}
        self._floats: list[NDArray[np.float64]] = []
        self._heads: dict[Head, int] = {}
        self._contexts: dict[Address, int] = {}
        self._formed: dict[tuple[tuple[Text, ...], tuple[Question, ...]], Places] = {}
        self._rests = self._find_rests()
        roles = find_roles(sheet.heading, sheet.cells)
        self._roles = {role: j for role, j in roles.items() if not sheet.exact or role != "model"}
        keys_say_all = sheet.exact or sheet.about is not None
        self._free = [] if keys_say_all else find_texts(sheet.heading, sheet.cells, roles)
        steps = [] if sheet.exact or "step" not in roles else sheet.cells[roles["step"]].distinct
        self._questions = (STEPS,) if sum(not is_missing(each) for each in steps) > 1 else ()
        self._names = find_names(sheet.heading, sheet.cells, self._roles, self._free)
        corner = find_corner(sheet.heading, self._names) if self._names in self._free else ()
        self._texts = (*corner, *sheet.texts)

    def read(self) -> Table:
        """Return what the table holds."""
        heading, sheet = self._heading, self._sheet
        reasons = {j: find_reason(heading, j) for j in heading.measures}
        for j in (j for j, reason in reasons.items() if reason):
            self._notes.add(None, heading.keys[j], reasons[j])
        for key in (
            key
            for j, key in enumerate(heading.keys)
            if j not in heading.measures and _AT_K.search(key)
        ):
            self._notes.add(None, key, "not the name of a metric; is it Hits@k?")
        measured = [j for j, reason in reasons.items() if not reason]
        numbers = {j: self._read_numbers(j, spread=heading.measures[j].spread) for j in measured}
        if not sheet.exact:
            self._leave_differences(numbers)
        value = self._roles.get("value") if heading.long else None
        if value is not None:
            numbers[value] = self._read_numbers(value, spread=False)
        if "num_tasks" in self._roles:
            counts = self._sheet.cells[self._roles["num_tasks"]]
            wrong = [not is_missing(cell) and read_count(cell) is None for cell in counts.distinct]
            chosen = np.array(wrong, dtype=np.bool_)[counts.codes]
            self._note(chosen, self._roles["num_tasks"], lambda _: "not a whole number")
        empty = np.ones(self._lines.size, dtype=np.bool_)
        for _, there in numbers.values():
            empty &= ~there
        rows = sheet.about
        if rows is None:
            empty &= not sheet.exact
            groups = find_groups(sheet.cells, [*numbers], empty, sheet.spanning)
            rows = read_rows(heading, sheet.cells, self._roles, self._free, groups)
        columns = [self._label_wide(j, rows, *numbers[j]) for j in measured]
        if value is not None:
            columns.append(self._label_long(value, rows, *numbers[value]))
        entries = self._gather(columns)
        percent = frozenset[str]()
        if not sheet.exact:
            entries = self._ask_again(entries)
            entries, percent = self._settle_units(entries)
        return Table(sheet, entries, percent, self._find_origin(rows, measured))

    def _read_numbers(self, j: int, *, spread: bool) -> tuple[Places, Flags]:
        """Return for each row the place of its number's text, and whether it has one."""
        cells = self._sheet.cells[j]
        found = [read_cell(cell, spread=spread, exact=self._sheet.exact) for cell in cells.distinct]
        places = [
            self._written.setdefault(text, len(self._written)) if text else 0 for text, _ in found
        ]
        text_of = np.array(places, dtype=np.intp)[cells.codes]
        there = np.array([bool(text) for text, _ in found], dtype=np.bool_)[cells.codes]
        wrong = np.array([bool(why) for _, why in found], dtype=np.bool_)[cells.codes]
        self._note(wrong, j, lambda row: found[cells.codes[row]][1])
        if (floats := self._sheet.floats.get(j)) is not None:
            own = np.isfinite(floats)
            text_of = np.where(
                own, ~(np.arange(floats.size) + sum(each.size for each in self._floats)), text_of
            )
            there |= own
            self._floats.append(floats)
        return text_of, there

    def _note(self, chosen: Flags, j: int, reason: Callable[[int], str]) -> None:
        """Say why cells of a column are left out."""
        for row in np.flatnonzero(chosen).tolist():
            why = f"{reason(row)}, in column {self._heading.keys[j]}"
            line = int(self._lines[row])
            self._notes.add(None if line == NO_LINE else line, self._sheet.cells[j][row], why)

    def _leave_differences(self, numbers: dict[int, tuple[Places, Flags]]) -> None:
        """Leave out shares beside one of the same row that has a sign, as differences have."""
        measures, cells = self._heading.measures, self._sheet.cells
        shares = [
            j
            for j in numbers
            if (m := measures[j].metric) and m.is_share and measures[j].adjustment is None
        ]
        signed = {
            j: np.array([cell[:1] in SIGNS for cell in cells[j].distinct], dtype=np.bool_)
            for j in shares
        }
        if not any(each.any() for each in signed.values()):
            return
        differs = np.zeros(self._lines.size, dtype=np.bool_)
        for j in shares:
            own = [cell[:1] in SIGNS and is_number(cell[1:]) for cell in cells[j].distinct]
            differs |= np.array(own, dtype=np.bool_)[cells[j].codes]
        for j in shares:
            text_of, there = numbers[j]
            left = there & differs & ~signed[j][cells[j].codes]
            self._note(left, j, lambda _: DIFFERENCE)
            numbers[j] = text_of, there & ~left

    def _settle_contexts(
        self, texts: tuple[Text, ...], rows: RowTexts, questions: tuple[Question, ...] = ()
    ) -> Places:
        """Return for each row the number of its context below some labels."""
        telling = tuple(text for text in texts if text.label.tells)
        if (telling, questions) not in self._formed:
            # Cell beats column beats row above beats caption.
            formed = (
                form_address(
                    about,
                    (*about.texts, *telling, *group, *self._texts),
                    (*self._questions, *questions),
                )
                for about, group in rows.about
            )
            places = [self._contexts.setdefault(each, len(self._contexts)) for each in formed]
            self._formed[telling, questions] = np.array(places, dtype=np.intp)[rows.codes]
        return self._formed[telling, questions]

    def _ask_beside(self, j: int) -> tuple[Question, ...]:
        """Ask about what a heading has beside its metric, or about a metric that comes twice."""
        measures, labels, rests = self._heading.measures, self._heading.labels, self._rests
        if rest := rests.get(j):
            word = Word(rest, "side" if rest in ENDS else "part")
            return (Text(measures[j], "column", "its heading").ask(word),)
        if self._sheet.exact or self._find_mean(j) is not None:
            return ()
        for k, other in measures.items():
            again = k != j and other.metric == measures[j].metric
            if not again or other.adjustment != measures[j].adjustment:
                continue
            # MRR.1 is that of pandas.
            counted = rests.get(k, "").isdigit() and self._name_apart(k) == self._name_apart(j)
            alike = counted or _write(labels[k]) == _write(labels[j])
            if alike and (self._list_filled(k) & self._list_filled(j)).any():
                return (TWICE,)
        return ()

    def _list_filled(self, j: int) -> Flags:
        """Tell in which rows a column has a cell that is not blank."""
        cells, floats = self._sheet.cells[j], self._sheet.floats.get(j)
        filled = np.array([not is_blank(cell) for cell in cells.distinct], dtype=np.bool_)
        found = filled[cells.codes]
        return found if floats is None else found | np.isfinite(floats)

    def _name_apart(self, j: int) -> Hashable:
        """Return what a heading names but a metric, an address and what is asked about."""
        if self._find_mean(j) is not None:
            return j
        return frozenset(_name_apart(self._heading.labels[j]) - {*self._rests.get(j, "").split()})

    def _ask_again(self, entries: Entries) -> Entries:
        """Ask about metrics that come again; MRR@f may be the filtered one of two."""
        keys, rests = self._heading.keys, self._rests
        filtered = {keys[j] for j, rest in rests.items() if rest[0] == "f" and len(rest) <= _SHORT}
        apart = {keys[j]: self._name_apart(j) for j in self._heading.measures}
        of_row = self._sheet.evaluations
        evaluations = entries.rows if of_row is None else of_row[entries.rows]
        return ask_again(entries, evaluations, apart=apart, filtered=filtered)

    def _find_rests(self) -> dict[int, str]:
        """Return what headings have beside their metrics, unless it is written as a name."""
        measures = {} if self._sheet.exact else self._heading.measures
        plain = {label.metric for label in measures.values() if label.whole}
        found = {j: list_others(label.text) for j, label in measures.items() if not label.whole}
        again = Counter(measures[j].metric for j in found)
        rests = {}
        for j, words in found.items():
            metric, rest = measures[j].metric, " ".join(words).lower()
            short = all(word.isalpha() and len(word) <= _SHORT for word in words)
            # TransE MRR, or MRR (DRUM) and MRR (RotatE): names of models.
            named = again[metric] > 1 or any(
                sign.isupper() or sign.isdigit() for word in words for sign in word
            )
            if rest.partition(" ")[0] in ENDS:  # MRR_h, MRR (t)
                rests[j] = rest.partition(" ")[0]
            elif rest and (
                not named or len(rest) == 1 or (short and (metric in plain or again[metric] > 1))
            ):
                rests[j] = rest
        return rests

    def _number_head(self, label: Label, j: int, *, exact: bool) -> int:
        if label.metric is None:
            return -1
        head = Head(
            label.metric, self._heading.keys[j], label.adjustment, exact or self._sheet.exact
        )
        return self._heads.setdefault(head, len(self._heads))

    def _label_wide(self, j: int, rows: RowTexts, text_of: Places, there: Flags) -> _Column:
        """Return the numbers of a column of a metric."""
        label, labels = self._heading.measures[j], self._heading.labels[j]
        head_of = np.full(there.size, self._number_head(label, j, exact=False), dtype=np.intp)
        if j in self._sheet.floats:
            head_of[text_of < 0] = self._number_head(label, j, exact=True)
        percent = np.full(there.size, any(each.percent for each in labels), dtype=np.bool_)
        place = "its heading" if self._sheet.about is None else "its key"
        texts = tuple(Text(each, "column", place) for each in labels[::-1])
        if (mean := self._find_mean(j)) is not None:
            texts = (Text(mean, "column", "its heading"), *texts)
        return _Column(
            text_of,
            there,
            head_of,
            self._settle_contexts(texts, rows, self._ask_beside(j)),
            percent,
        )

    def _find_mean(self, j: int) -> Label | None:
        """Return a label if a column is the mean over the graphs of columns beside it: Avg MRR."""
        for level, label in enumerate(self._heading.labels[j]):
            name = _name_mean(label)
            if name is not None and len(self._list_beside(j, level)) >= _FEWEST_GRAPHS:
                return Label(name, graphs=(name,), whole=True)
        return None

    def _list_beside(self, j: int, level: int) -> set[tuple[str, ...]]:
        """Return the graphs, or versions, of columns whose headings differ in one level only."""
        measures, own, found = self._heading.measures, self._heading.labels[j], set()
        for k, measure in measures.items():
            other = self._heading.labels[k]
            if measure.metric != measures[j].metric or len(other) != len(own):
                continue
            apart = [
                place
                for place, (one, two) in enumerate(zip(own, other, strict=True))
                if one.text != two.text
            ]
            if apart == [level]:
                found.add((*other[level].graphs, other[level].version))
        return found - {("",)}

    def _label_long(self, j: int, rows: RowTexts, text_of: Places, there: Flags) -> _Column:
        """Return the numbers of a column of values, whose metrics another names."""
        names = self._sheet.cells[self._roles["metric"]]
        ks = self._sheet.cells[self._roles["k"]] if "k" in self._roles else None
        codes, count = names.codes, len(names.distinct)
        if ks is not None:
            codes, count = codes * len(ks.distinct) + ks.codes, count * len(ks.distinct)
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        head_of, context_of = np.full((2, there.size), -1, dtype=np.intp)
        percent = np.zeros(there.size, dtype=np.bool_)
        counts: dict[int, int | None] = {}
        for place, row in enumerate(first.tolist()):
            own = inverse == place
            name, k = names[row], None if ks is None else read_count(ks[row])
            label = self._sheet.parse(name, k)
            if find_role(label) == "num_tasks":
                counts |= {
                    each: self._read_count(each, j) for each in np.flatnonzero(own & there).tolist()
                }
            elif label.metric is None or label.reason:
                for each in np.flatnonzero(own).tolist() if not is_missing(name) else ():
                    self._notes.add(int(self._lines[each]), name, label.reason or UNKNOWN)
            else:
                head_of[own] = self._number_head(label, j, exact=False)
                head_of[own & (text_of < 0)] = self._number_head(label, j, exact=True)
                context_of[own] = self._settle_contexts((Text(label, "row", "its row"),), rows)[own]
                percent[own] = label.percent
        there = there & (head_of >= 0)
        return self._count(_Column(text_of, there, head_of, context_of, percent), counts, j)

    def _read_count(self, row: int, j: int) -> int | None:
        """Return the number of ranks that a cell states."""
        floats = self._sheet.floats.get(j)
        cell = (
            self._sheet.cells[j][row]
            if floats is None or np.isnan(floats[row])
            else repr(float(floats[row]))
        )
        count = read_count(cell)
        if count is None:
            why = f"not a whole number, in column {self._heading.keys[j]}"
            self._notes.add(int(self._lines[row]), cell, why)
        return count

    def _count(self, column: _Column, counts: Mapping[int, int | None], value: int) -> _Column:
        """Add the numbers of ranks that a long table has in rows of their own."""
        if not counts:
            return column
        evaluation = np.zeros(column.there.size, dtype=np.intp)
        for j, cells in enumerate(self._sheet.cells):
            if (
                j not in {value, self._roles["metric"], self._roles.get("k")}
                and j not in self._sheet.floats
            ):
                evaluation = combine(evaluation, cells.codes, len(cells.distinct))
        of = {int(evaluation[row]): count for row, count in counts.items()}
        contexts, context_of = list(self._contexts), column.context_of.copy()
        for row in np.flatnonzero(column.there).tolist():
            if (count := of.get(int(evaluation[row]))) is not None:
                own = replace(contexts[context_of[row]], num_tasks=count)
                context_of[row] = self._contexts.setdefault(own, len(self._contexts))
        return column._replace(context_of=context_of)

    def _gather(self, columns: Sequence[_Column]) -> Entries:
        """Return the numbers of all columns, row by row."""
        if not columns:
            return Entries()
        rows, at = np.nonzero(np.stack([each.there for each in columns], axis=1))
        text_of: Places = np.stack([each.text_of for each in columns], axis=1)[rows, at]
        head_of: Places = np.stack([each.head_of for each in columns], axis=1)[rows, at]
        context_of: Places = np.stack([each.context_of for each in columns], axis=1)[rows, at]
        percent: Flags = np.stack([each.percent for each in columns], axis=1)[rows, at]
        floats = np.concatenate([np.empty(0), *self._floats])
        named = self._names >= 0
        entries = Entries(
            heads=list(self._heads),
            head_of=head_of,
            contexts=list(self._contexts),
            context_of=context_of,
            models=self._sheet.cells[self._names] if named else [""],
            model_of=rows if named else np.zeros(len(rows), dtype=np.intp),
            written=list(self._written),
            text_of=text_of,
            floats=Floats(floats, np.zeros(floats.size, dtype=np.bool_)),
            rows=rows,
            lines=self._lines[rows],
        )
        return entries.rewrite(percent & ~entries.signed, percent=True)

    def _settle_units(self, entries: Entries) -> tuple[Entries, frozenset[str]]:
        """Return the numbers with signs of percentages, and the columns that got them."""
        heading = self._heading
        columns = list(enumerate(zip(heading.keys, heading.labels, strict=True)))
        marked = {key for _, (key, labels) in columns if any(each.percent for each in labels)}
        apart = {}
        for j, (key, labels) in columns:
            graph = next((each.graphs[0] for each in labels if each.graphs), None)
            apart[key] = graph, self._rests.get(j)
        settled = settle_units(
            entries,
            self._notes,
            marked=marked,
            apart=apart,
            percent=self._sheet.percent,
        )
        heads = np.unique(settled.head_of[settled.signed]).tolist()
        return settled, frozenset(settled.heads[head].column for head in heads) - marked

    def _find_origin(self, rows: RowTexts, measured: Sequence[int]) -> str:
        """Say what names the fields of the address that neither a column nor a heading names."""
        if self._sheet.exact or self._sheet.about is not None or not rows.about:
            return ""
        labels = self._heading.labels[measured[0]] if measured else ()
        about, group = rows.about[-1]
        texts = (
            *about.texts,
            *(Text(label, "column", "") for label in labels[::-1]),
            *group,
            *self._texts,
        )
        fields: dict[str, list[str]] = {}
        for name, place in gather(texts).origins.items():
            if place not in {"", "its row"} and name not in self._roles:
                fields.setdefault(place, []).append(name)
        return "; ".join(f"{' and '.join(names)} from {place}" for place, names in fields.items())
