"""A table by column, of any container: its numbers, each with its metric and its address."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, combine
from rankconst.results.gate import STEPS, Text, gather
from rankconst.results.labels import UNKNOWN, Label, read_label
from rankconst.results.reading import NO_LINE, Column, Entries, Floats, Head, Texts
from rankconst.results.repeated import TWICE, ask_about_repeated
from rankconst.results.tables.cells import (
    DIFFERENCE,
    SIGNS,
    UNSURE,
    find_unsure,
    is_blank,
    is_missing,
    is_number,
    read_cell,
)
from rankconst.results.tables.contexts import ENDS, RowTexts, find_groups, form_address, read_rows
from rankconst.results.tables.headings import (
    SHORT,
    ask_beside,
    find_means,
    find_reason,
    find_remainders,
    find_role,
    list_names,
)
from rankconst.results.tables.layout import find_corner, find_layout
from rankconst.results.tables.near import split_notes
from rankconst.results.tables.units import Family, settle_units
from rankconst.results.vocabulary import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Address, Question
    from rankconst.results.reading import Notes
    from rankconst.results.tables.headings import Heading

    Places = NDArray[np.intp]
    Flags = NDArray[np.bool_]


_AT_K = re.compile(r"[A-Za-z]\s?@\s?\d+\W*$")


@dataclass(frozen=True)
class Sheet:
    """A table with its heading, by column."""

    heading: Heading
    cells: Sequence[Cells]
    lines: Sequence[int] | Places  # of each row
    texts: tuple[Text, ...] = ()  # around it, the nearest first
    parse: Callable[[str, int | None], Label] = read_label
    exact: bool = False  # True if a program wrote every digit, and its keys say all
    percent: bool | None = None
    # Columns of a machine's numbers, with NaN.
    floats: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    spanning: frozenset[int] = frozenset()  # the rows that say which of their cells span columns
    written: Sequence[list[str]] = ()  # the cells of each column as written
    how: tuple[str, ...] = ()  # how it was understood, as phrases
    row_texts: RowTexts | None = None  # of each row, if they are not those of its cells
    evaluations: Places | None = None  # of each row, where several rows make up one


@dataclass(frozen=True)
class Table:
    """The numbers of a sheet."""

    sheet: Sheet
    entries: Entries
    percent: frozenset[str]  # the columns that are percentages without a sign
    # The texts that name fields which no cell or heading names: "dataset from the caption".
    origin: str


class _Numbers(NamedTuple):
    """The numbers of a column, by row."""

    texts: Texts  # empty where there is no number, or a float
    floats: NDArray[np.float64] | None  # a machine's, NaN where there is none
    present: Flags  # True for rows with a number


class _Labelled(NamedTuple):
    """The numbers of a metric in a column, with their addresses by row."""

    label: Label
    j: int
    chosen: Flags  # True for rows with such a number
    context_of: Places
    percent: Flags | bool  # True for numbers whose heading or name has a percent sign


class _Part(NamedTuple):
    """Numbers that become a column, by row."""

    head: Head
    numbers: Texts | Floats
    chosen: Flags
    labelled: _Labelled


def _test_rows(cells: Cells, test: Callable[[str], bool]) -> Flags:
    """Test the cell of each row, but equal ones only once."""
    return np.array([test(cell) for cell in cells.distinct], dtype=np.bool_)[cells.codes]


def _find_filled(sheet: Sheet, j: int) -> Flags:
    """Tell in which rows a column has a cell that is not blank."""
    is_filled = _test_rows(sheet.cells[j], lambda cell: not is_blank(cell))
    floats = sheet.floats.get(j)
    return is_filled if floats is None else is_filled | np.isfinite(floats)


def _choose(column: Column, chosen: Flags, percent: Flags | bool) -> Column:
    """Return the chosen numbers of a column, with signs of percentages where they lack them."""
    if not chosen.all():
        column = column.take(chosen)
    if not np.any(percent):
        return column
    is_percent = np.broadcast_to(percent, chosen.shape)[column.rows] & ~column.numbers.is_percent
    return replace(column, numbers=column.numbers.set_percent(is_percent, percent=True))


class _MarkedNotes:
    """Notes about cells with a mark, such as a dagger, apart from the texts of all numbers."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self.texts: list[Text] = []  # of all numbers
        # Each note with the rows of each column of numbers that it is about.
        self._notes: list[tuple[Text, dict[int, Flags]]] = []
        for text in sheet.texts:
            rest, notes = split_notes(text)
            self.texts.append(rest)
            for note in notes:
                marked = self._find_marked(note.signs)
                if marked:
                    self._notes.append((note.text, marked))
                else:
                    self.texts.append(note.text)

    def _find_marked(self, signs: frozenset[str]) -> dict[int, Flags]:
        """Find the rows of each column of numbers that have a mark.

        Find none if a heading has it, or a row without numbers: then all numbers may be meant.
        """
        measures = self._sheet.heading.measures
        marked = [
            _test_rows(cells, lambda cell: not signs.isdisjoint(cell))
            for cells in self._sheet.cells
        ]
        in_row, is_filled = np.zeros((2, len(self._sheet.lines)), dtype=np.bool_)
        for j, in_column in enumerate(marked):
            if j in measures:
                is_filled |= _find_filled(self._sheet, j)
            else:
                in_row |= in_column
        in_headings = any(not signs.isdisjoint(key) for key in self._sheet.heading.keys)
        if in_headings or (in_row & ~is_filled).any() or not np.any(marked):
            return {}
        return {j: marked[j] | in_row for j in measures}

    def add_to(self, j: int, rows: RowTexts) -> RowTexts:
        """Add the notes to the texts of the marked rows of a column."""
        for note, marked in self._notes:
            noted = [row._replace(above=(note, *row.above)) for row in rows.distinct]
            codes = rows.codes + len(rows.distinct) * marked[j]
            rows = RowTexts(codes, [*rows.distinct, *noted])
        return rows


class SheetReader:
    """Reads the numbers of a table with their addresses; notes those that are left out."""

    def __init__(self, sheet: Sheet, notes: Notes) -> None:
        self._sheet, self._notes, self._heading = sheet, notes, sheet.heading
        self._lines = np.asarray(sheet.lines, dtype=np.intp)
        self._contexts: dict[Address, int] = {}  # the distinct addresses of numbers
        self._formed: dict[tuple[tuple[Text, ...], tuple[Question, ...]], Places] = {}
        self._formed_rows: RowTexts | None = None  # the rows of `formed`
        self._means = find_means(sheet.heading)
        self._remainders = {} if sheet.exact else find_remainders(sheet.heading.measures)
        self._names = {j: self._list_names(j) for j in sheet.heading.measures}
        self._columns_of: dict[tuple[Metric | None, str | None], list[int]] = {}
        for j, label in sheet.heading.measures.items():
            self._columns_of.setdefault((label.metric, label.adjustment), []).append(j)
        keys_say_all = sheet.exact or sheet.row_texts is not None
        self._layout = find_layout(
            sheet.heading, sheet.cells, exact=sheet.exact, keys_say_all=keys_say_all
        )
        self._roles = self._layout.roles
        self._marked = None if keys_say_all else _MarkedNotes(sheet)
        self._texts = sheet.texts
        if self._marked is not None:
            self._texts = (*find_corner(self._layout), *self._marked.texts)
        self._questions = (STEPS,) if self._holds_steps() else ()

    def _holds_steps(self) -> bool:
        """Tell whether rows are of several steps, as of the log of a training."""
        if self._sheet.exact or "step" not in self._roles:
            return False
        steps = self._sheet.cells[self._roles["step"]].distinct
        return sum(1 for step in steps if not is_missing(step)) > 1

    def _list_names(self, j: int) -> Hashable:
        """List the names of a heading, of models or parts, without words that are asked about."""
        if j in self._means:
            return j
        asked = self._remainders.get(j, "").split()
        return frozenset(list_names(self._heading.labels[j]) - {*asked})

    def read(self) -> Table:
        """Read the table."""
        sheet, measures = self._sheet, self._heading.measures
        chosen = self._choose_measures()
        numbers = {j: self._read_numbers(j, spread=measures[j].spread) for j in chosen}
        if not sheet.exact:
            self._leave_differences(numbers)
        value = self._roles.get("value") if self._heading.long else None
        if value is not None:
            numbers[value] = self._read_numbers(value, spread=False)
        self._note_wrong_counts()
        rows = self._read_rows(numbers) if sheet.row_texts is None else sheet.row_texts
        labelled = [self._label_wide(j, rows, numbers[j].present) for j in chosen]
        if value is not None:
            labelled += self._label_long(value, rows, numbers[value])
        entries = self._gather(labelled, numbers)
        percent = frozenset[str]()
        if not sheet.exact:
            entries = self._ask_about_repeated(entries)
            entries, percent = self._settle_units(entries)
        return Table(sheet, entries, percent, self._find_origin(rows, chosen))

    # Numbers.

    def _choose_measures(self) -> list[int]:
        """Return the columns of metrics whose numbers can be adjusted; note the others."""
        reasons = {j: find_reason(self._heading, j) for j in self._heading.measures}
        for j, key in enumerate(self._heading.keys):
            reason = reasons.get(j, "not the name of a metric; is it Hits@k?")
            if reason and (j in reasons or _AT_K.search(key)):
                self._notes.add(None, key, reason)
        return [j for j, reason in reasons.items() if not reason]

    def _read_numbers(self, j: int, *, spread: bool) -> _Numbers:
        """Read the numbers of a column; note the cells that have none."""
        cells = self._sheet.cells[j]
        label = self._heading.measures.get(j)
        unsure = set[str]()
        if label is not None and label.metric is not None and not label.metric.is_share:
            unsure = find_unsure(cells.distinct)
        texts, reasons = list[str](), list[str]()
        for cell in cells.distinct:
            text, reason = read_cell(cell, spread=spread, exact=self._sheet.exact)
            if cell in unsure:
                text, reason = "", UNSURE
            texts.append(text)
            reasons.append(reason)
        if any(reasons):
            is_wrong = np.array([reason != "" for reason in reasons], dtype=np.bool_)
            for row in np.flatnonzero(is_wrong[cells.codes]).tolist():
                self._note(row, j, reasons[cells.codes[row]])
        present = np.array([text != "" for text in texts], dtype=np.bool_)[cells.codes]
        floats = self._sheet.floats.get(j)
        if floats is not None:
            present |= np.isfinite(floats)
        return _Numbers(Texts(texts, cells.codes), floats, present)

    def _note(self, row: int, j: int, reason: str) -> None:
        """Note why a cell is left out."""
        line = int(self._lines[row])
        reason = f"{reason}, in column {self._heading.keys[j]}"
        self._notes.add(None if line == NO_LINE else line, self._sheet.cells[j][row], reason)

    def _leave_differences(self, numbers: dict[int, _Numbers]) -> None:
        """Leave out shares in rows where another share has a sign, as differences have."""
        measures, cells = self._heading.measures, self._sheet.cells
        is_signed: dict[int, Flags] = {}
        has_difference = np.zeros(self._lines.size, dtype=np.bool_)
        for j in numbers:
            metric = measures[j].metric
            if metric is not None and metric.is_share and measures[j].adjustment is None:
                is_signed[j] = _test_rows(cells[j], lambda cell: cell[:1] in SIGNS)
                if is_signed[j].any():
                    is_difference = _test_rows(cells[j], lambda cell: is_number(cell[1:]))
                    has_difference |= is_signed[j] & is_difference
        if not has_difference.any():
            return
        for j, signed in is_signed.items():
            is_doubtful = numbers[j].present & has_difference & ~signed
            for row in np.flatnonzero(is_doubtful).tolist():
                self._note(row, j, DIFFERENCE)
            numbers[j] = numbers[j]._replace(present=numbers[j].present & ~is_doubtful)

    def _note_wrong_counts(self) -> None:
        """Note the cells of a column of numbers of ranks that are no whole numbers."""
        if "num_tasks" not in self._roles:
            return
        j = self._roles["num_tasks"]
        is_right = _test_rows(
            self._sheet.cells[j], lambda cell: is_missing(cell) or read_count(cell) is not None
        )
        for row in np.flatnonzero(~is_right).tolist():
            self._note(row, j, "not a whole number")

    # Addresses.

    def _read_rows(self, numbers: Mapping[int, _Numbers]) -> RowTexts:
        """Read the cells of each row, and the rows without numbers above it."""
        sheet = self._sheet
        is_empty = np.full(self._lines.size, not sheet.exact, dtype=np.bool_)
        for column in numbers.values():
            is_empty &= ~column.present
        groups = find_groups(sheet.cells, [*numbers], is_empty, sheet.spanning)
        return read_rows(self._layout, groups)

    def _form_addresses(
        self, texts: tuple[Text, ...], rows: RowTexts, questions: tuple[Question, ...] = ()
    ) -> Places:
        """Form the addresses of each row's numbers below some labels; return their places."""
        if rows is not self._formed_rows:
            self._formed_rows, self._formed = rows, {}
        if (texts, questions) in self._formed:
            return self._formed[texts, questions]
        places = []
        for row in rows.distinct:
            # Cell beats column beats row above beats caption.
            nearest_first = (*row.cells.texts, *texts, *row.above, *self._texts)
            address = form_address(row.cells, nearest_first, (*self._questions, *questions))
            places.append(self._contexts.setdefault(address, len(self._contexts)))
        formed: Places = np.array(places, dtype=np.intp)[rows.codes]
        self._formed[texts, questions] = formed
        return formed

    def _label_wide(self, j: int, rows: RowTexts, present: Flags) -> _Labelled:
        """Label the numbers of a column of a metric."""
        label = self._heading.measures[j]
        place = "its heading" if self._sheet.row_texts is None else "its key"
        asked = ask_beside(self._heading, j)
        texts = [Text(above, "column", place) for above in asked[::-1] if above.is_about_tasks]
        if j in self._means:
            texts.insert(0, Text(self._means[j], "column", "its heading"))
        if self._marked is not None:
            rows = self._marked.add_to(j, rows)
        context_of = self._form_addresses(tuple(texts), rows, self._ask_about_heading(j))
        has_percent = any(above.percent for above in self._heading.labels[j])
        return _Labelled(label, j, present, context_of, has_percent)

    def _ask_about_heading(self, j: int) -> tuple[Question, ...]:
        """Ask about words of a heading besides its metric, or about a metric that comes twice."""
        measures = self._heading.measures
        if j in self._remainders:
            word = self._remainders[j]
            asked = Word(word, "side" if word in ENDS else "part")
            return (Text(measures[j], "column", "its heading").ask(asked),)
        if self._sheet.exact or j in self._means:
            return ()
        for k in self._columns_of[measures[j].metric, measures[j].adjustment]:
            # ΔMRR is left out, and no second MRR; MRR.1 is one that pandas has numbered.
            is_left_out = bool(measures[k].reason) and not self._remainders.get(k, "").isdigit()
            if k == j or is_left_out or not self._are_alike(j, k):
                continue
            if (_find_filled(self._sheet, k) & _find_filled(self._sheet, j)).any():
                return (TWICE,)
        return ()

    def _are_alike(self, j: int, k: int) -> bool:
        """Tell whether nothing in the headings of two columns of a metric tells them apart."""
        if self._remainders.get(k, "").isdigit() and self._names[k] == self._names[j]:
            return True  # MRR and MRR.1, as pandas calls the second of two
        texts = [squash(label.text) for label in self._heading.labels[j]]
        return texts == [squash(label.text) for label in self._heading.labels[k]]

    def _label_long(self, j: int, rows: RowTexts, numbers: _Numbers) -> list[_Labelled]:
        """Label the numbers of a column of values by the metrics that another column names."""
        names = self._sheet.cells[self._roles["metric"]]
        ks = self._sheet.cells[self._roles["k"]] if "k" in self._roles else None
        codes = names.codes if ks is None else combine(names.codes, ks.codes, len(ks.distinct))
        context_of = np.full(codes.size, -1, dtype=np.intp)
        is_measured, percent, is_count = np.zeros((3, codes.size), dtype=np.bool_)
        # By metric and adjustment: its first label, and its rows.
        labels: dict[tuple[Metric, str | None], Label] = {}
        rows_of: dict[tuple[Metric, str | None], Flags] = {}
        _, firsts = np.unique(codes, return_index=True)
        for row in firsts.tolist():
            has_name = codes == codes[row]  # the rows with the same name and k
            name = names[row]
            k = None if ks is None else read_count(ks[row])
            label = self._sheet.parse(name, k)
            if find_role(label) == "num_tasks":
                is_count |= has_name & numbers.present
            elif label.metric is not None and not label.reason:
                key = label.metric, label.adjustment
                labels.setdefault(key, label)
                rows_of[key] = rows_of.get(key, False) | has_name
                texts = (Text(label, "row", "its row"),) if label.is_about_tasks else ()
                context_of[has_name] = self._form_addresses(texts, rows)[has_name]
                percent[has_name] = label.percent
                is_measured |= has_name
            elif not is_missing(name):
                for line in self._lines[has_name].tolist():
                    self._notes.add(line, name, label.reason or UNKNOWN)
        present = numbers.present & is_measured
        if is_count.any():
            context_of = self._add_counts(context_of, present, is_count, j)
        labelled = []
        for key, has_metric in rows_of.items():
            chosen = has_metric & present
            labelled.append(_Labelled(labels[key], j, chosen, context_of, percent))
        return labelled

    def _add_counts(self, context_of: Places, present: Flags, is_count: Flags, j: int) -> Places:
        """Add the numbers of ranks that a long table has in rows of their own.

        Rows are of one evaluation if they agree in all other columns.
        """
        of_numbers = {j, self._roles["metric"], self._roles.get("k"), *self._sheet.floats}
        evaluation = np.zeros(is_count.size, dtype=np.intp)
        for other, cells in enumerate(self._sheet.cells):
            if other not in of_numbers:
                evaluation = combine(evaluation, cells.codes, len(cells.distinct))
        counts: dict[int, int | None] = {}
        for row in np.flatnonzero(is_count).tolist():
            counts[int(evaluation[row])] = self._read_count(row, j)
        contexts = list(self._contexts)
        context_of = context_of.copy()
        for row in np.flatnonzero(present).tolist():
            count = counts.get(int(evaluation[row]))
            if count is not None:
                context = replace(contexts[context_of[row]], num_tasks=count)
                context_of[row] = self._contexts.setdefault(context, len(self._contexts))
        return context_of

    def _read_count(self, row: int, j: int) -> int | None:
        """Read the number of ranks in a cell; note it, and return None, if it is none."""
        floats, cell = self._sheet.floats.get(j), self._sheet.cells[j][row]
        if floats is not None and not np.isnan(floats[row]):
            cell = repr(float(floats[row]))
        count = read_count(cell)
        if count is None:
            self._note(row, j, "not a whole number")
        return count

    # All columns together.

    def _gather(self, labelled: Sequence[_Labelled], numbers: Mapping[int, _Numbers]) -> Entries:
        """Gather the numbers of all columns, row by row."""
        parts = list[_Part]()
        for column in labelled:
            parts += self._divide(column, numbers[column.j])
        rows = np.arange(self._lines.size)
        counts = np.zeros(rows.size, dtype=np.intp)
        for part in parts:
            counts += part.chosen
        places = np.cumsum(counts) - counts  # that of the next number of each row
        models: Sequence[str] = [""]
        model_of = np.broadcast_to(0, rows.shape)
        if self._layout.names >= 0:
            models, model_of = self._sheet.cells[self._layout.names], rows
        columns = []
        for part in parts:
            context_of = part.labelled.context_of
            whole = Column(
                part.head, part.numbers, places.copy(), rows, self._lines, context_of, model_of
            )
            places += part.chosen
            columns.append(_choose(whole, part.chosen, part.labelled.percent))
        return Entries(tuple(columns), list(self._contexts), models)

    def _divide(self, labelled: _Labelled, numbers: _Numbers) -> Iterator[_Part]:
        """Yield the texts and the floats among numbers; a float has every digit."""
        label, chosen = labelled.label, labelled.chosen
        if label.metric is None:
            return
        head = Head(
            label.metric, self._heading.keys[labelled.j], label.adjustment, self._sheet.exact
        )
        is_text = chosen
        if numbers.floats is not None:
            is_float = np.isfinite(numbers.floats)
            is_text = chosen & ~is_float
            floats = Floats(numbers.floats, np.broadcast_to(np.False_, chosen.shape))
            yield _Part(head._replace(exact=True), floats, chosen & is_float, labelled)
        if numbers.floats is None or is_text.any():
            yield _Part(head, numbers.texts, is_text, labelled)

    def _ask_about_repeated(self, entries: Entries) -> Entries:
        """Ask about metrics that come again; MRR@f may be the filtered one of two."""
        keys, evaluations = self._heading.keys, entries.rows
        if self._sheet.evaluations is not None:
            evaluations = self._sheet.evaluations[evaluations]
        short = [j for j, word in self._remainders.items() if len(word) <= SHORT]
        filtered = {keys[j] for j in short if self._remainders[j].startswith("f")}
        names = {keys[j]: named for j, named in self._names.items()}
        return ask_about_repeated(entries, evaluations, apart=names, filtered=filtered)

    def _settle_units(self, entries: Entries) -> tuple[Entries, frozenset[str]]:
        """Return the numbers with signs of percentages, and the columns that got them."""
        marked: set[str] = set()
        families: dict[str, Family] = {}
        for j, key in enumerate(self._heading.keys):
            labels = self._heading.labels[j]
            graphs = [label.graphs[0] for label in labels if label.graphs]
            families[key] = Family(graphs[0] if graphs else None, self._remainders.get(j))
            if any(label.percent for label in labels):
                marked.add(key)
        settled = settle_units(
            entries, self._notes, marked=marked, families=families, percent=self._sheet.percent
        )
        heads = settled.list_percentages()
        return settled, frozenset(head.column for head in heads) - marked

    def _find_origin(self, rows: RowTexts, measures: Sequence[int]) -> str:
        """Tell which texts name the fields that no column names: "dataset from the caption"."""
        if self._sheet.exact or self._sheet.row_texts is not None or not rows.distinct:
            return ""
        labels = self._heading.labels[measures[0]] if measures else ()
        headings = (Text(label, "column", "") for label in labels[::-1])
        last = rows.distinct[-1]
        fields: dict[str, list[str]] = {}
        declarations = gather((*last.cells.texts, *headings, *last.above, *self._texts))
        for name, place in declarations.origins.items():
            if place not in {"", "its row"} and name not in self._roles:
                fields.setdefault(place, []).append(name)
        return "; ".join(f"{' and '.join(names)} from {place}" for place, names in fields.items())
