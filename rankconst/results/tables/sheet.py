"""Read a table of any container by column: its numbers, each with its metric and its address.

Columns have an index `j` in the heading, and rows an index in every column, both from 0. What is
known of rows is an array with an item for each row: flags, or the indices of their addresses in a
list of distinct ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.names import read_count, squash
from rankconst.results.columns import Cells, compact_codes, pair_codes
from rankconst.results.gate import STEPS, Text, gather
from rankconst.results.labels import UNKNOWN, Label, read_label
from rankconst.results.model_names import names_model
from rankconst.results.neighbours import TWICE, ask_about_repeated
from rankconst.results.reading import NO_LINE, Column, ColumnHead, Entries, Floats, Texts
from rankconst.results.tables.cells import (
    DIFFERENCE,
    SIGNS,
    UNSURE,
    drop_open,
    find_unsure,
    is_blank,
    is_missing,
    is_number,
    read_cell,
)
from rankconst.results.tables.contexts import (
    ENDS,
    CellTexts,
    ColumnTexts,
    RowTexts,
    find_groups,
    form_address,
    read_rows,
)
from rankconst.results.tables.headings import (
    ask_beside,
    find_means,
    find_reason,
    find_remainders,
    find_role,
    list_names,
    may_mean_filtered,
)
from rankconst.results.tables.layout import FEW, find_corner, find_layout
from rankconst.results.tables.near import find_mark
from rankconst.results.tables.units import Family, settle_units
from rankconst.results.vocabulary import VOCABULARY, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.evaluation import Address, Question
    from rankconst.results.columns import Flags, Indices
    from rankconst.results.reading import Notes
    from rankconst.results.tables.headings import Heading


_AT_K = re.compile(r"[A-Za-z]\s?@\s?\d+\W*$")  # Foo@10
_NO_COUNT = "not a whole number"


@dataclass(frozen=True)
class Sheet:
    """A table with its heading, by column."""

    heading: Heading
    cells: Sequence[Cells]
    lines: Sequence[int] | Indices  # of each row
    texts: tuple[Text, ...] = ()  # around it, the nearest first
    parse: Callable[[str, int | None], Label] = read_label
    exact: bool = False  # True if a program wrote every digit, and its keys say all
    percent: bool | None = None
    # Columns of a machine's numbers, with NaN.
    floats: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    spanning: frozenset[int] = frozenset()  # the rows that say which of their cells span columns
    row_texts: RowTexts | None = None  # of each row, if they are not those of its cells
    evaluations: Indices | None = None  # of each row, where several rows make up one


class Table(NamedTuple):
    """The numbers of a sheet."""

    entries: Entries
    percent: frozenset[str]  # the columns that are percentages without a sign
    # The texts that name fields which no cell or heading names: "dataset from the caption".
    origin: str


class _Numbers(NamedTuple):
    """The numbers of a column, by row."""

    texts: Texts  # empty where there is no number, or a float
    is_text: Flags
    floats: NDArray[np.float64] | None  # a machine's, NaN where there is none
    present: Flags  # True for rows with a number of either kind


def _test_rows(cells: Cells, test: Callable[[str], bool]) -> Flags:
    """Test the cell of each row, but equal ones only once."""
    return np.array([test(cell) for cell in cells.distinct], dtype=np.bool_)[cells.codes]


class SheetReader:
    """Reads the numbers of a table with their addresses, and notes those that are left out."""

    def __init__(self, sheet: Sheet, notes: Notes) -> None:
        self._sheet, self._notes, self._heading = sheet, notes, sheet.heading
        self._measures, self._cells = sheet.heading.measures, sheet.cells
        self._lines = np.asarray(sheet.lines, dtype=np.intp)
        self._rows = np.arange(self._lines.size)
        self._keys_say_all = sheet.exact or sheet.row_texts is not None
        self._layout = find_layout(
            sheet.heading, sheet.cells, exact=sheet.exact, keys_say_all=self._keys_say_all
        )
        self._roles = self._layout.roles
        self._means = find_means(sheet.heading)
        self._remainders = {} if sheet.exact else find_remainders(self._measures)
        self._twice = set[int]() if sheet.exact else self._find_twice()
        self._numbers: dict[int, _Numbers] = {}
        corner = () if self._keys_say_all else find_corner(self._layout)
        self._texts = (*corner, *sheet.texts)  # of all numbers
        self._questions = (STEPS,) if self._holds_steps() else ()
        self._contexts: dict[Address, int] = {}  # the distinct addresses of numbers
        # What _form_addresses returned for the texts and questions of a heading.
        self._formed: dict[tuple[tuple[Text, ...], tuple[Question, ...]], Indices] = {}

    def read(self) -> Table:
        """Read first the numbers of all columns, then what rows and headings say of them."""
        chosen = self._choose_measures()
        for j in chosen:
            self._numbers[j] = self._read_numbers(j, spread=self._measures[j].spread)

        if not self._sheet.exact:
            self._leave_differences()

        value = self._roles.get("value") if self._heading.long else None
        if value is not None:
            self._numbers[value] = self._read_numbers(value, spread=False)

        self._note_wrong_counts()
        rows = self._sheet.row_texts or self._read_rows()
        columns = [column for j in chosen for column in self._label_wide(j, rows)]
        if value is not None:
            columns += self._label_long(rows)

        entries = self._gather(columns)
        percent = frozenset[str]()
        if not self._sheet.exact:
            entries, percent = self._settle_units(self._ask_about_repeated(entries))

        return Table(entries, percent, self._find_origin(rows, chosen))

    # Numbers.

    def _choose_measures(self) -> list[int]:
        """Return the columns whose numbers can be adjusted, and note why others cannot."""
        reasons = {j: find_reason(self._heading, j) for j in self._measures}
        for j, key in enumerate(self._heading.keys):
            if reasons.get(j):
                self._notes.add(None, key, reasons[j])
            elif j not in reasons and _AT_K.search(key):  # such as P@10
                self._notes.add(None, key, "not the name of a metric; is it Hits@k?")
        return [j for j, reason in reasons.items() if not reason]

    def _read_numbers(self, j: int, *, spread: bool) -> _Numbers:
        """Read the numbers of column `j`, and note the cells that should have one, and do not."""
        cells = self._cells[j]
        label = self._measures.get(j)
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

        is_text = np.array([text != "" for text in texts], dtype=np.bool_)[cells.codes]
        floats = self._sheet.floats.get(j)
        present = is_text if floats is None else is_text | np.isfinite(floats)
        return _Numbers(
            texts=Texts(texts, cells.codes), is_text=is_text, floats=floats, present=present
        )

    def _note(self, row: int, j: int, reason: str) -> None:
        """Note why a cell is left out."""
        number = int(self._lines[row])
        line = None if number == NO_LINE else number
        reason = f"{reason}, in column {self._heading.keys[j]}"
        self._notes.add(line, drop_open(self._cells[j][row]), reason)

    def _leave_differences(self) -> None:
        """Leave out shares next to a signed one: 0.01 after "+0.02" may be a difference, too."""
        is_signed: dict[int, Flags] = {}
        has_difference = np.zeros(self._lines.size, dtype=np.bool_)
        for j in self._numbers:
            label, cells = self._measures[j], self._cells[j]
            if label.metric is not None and label.metric.is_share and label.adjustment is None:
                is_signed[j] = _test_rows(cells, lambda cell: cell[:1] in SIGNS)
                has_difference |= _test_rows(
                    cells, lambda cell: cell[:1] in SIGNS and is_number(cell[1:])
                )

        for j, signed in is_signed.items():
            numbers = self._numbers[j]
            is_doubtful = numbers.present & has_difference & ~signed
            for row in np.flatnonzero(is_doubtful).tolist():
                self._note(row, j, DIFFERENCE)
            self._numbers[j] = numbers._replace(present=numbers.present & ~is_doubtful)

    def _note_wrong_counts(self) -> None:
        """Note the cells of a column of numbers of ranks that are not whole numbers."""
        if "num_tasks" not in self._roles:
            return

        j = self._roles["num_tasks"]
        is_wrong = _test_rows(
            self._cells[j], lambda cell: not is_missing(cell) and read_count(cell) is None
        )
        for row in np.flatnonzero(is_wrong).tolist():
            self._note(row, j, _NO_COUNT)

    # Addresses.

    def _holds_steps(self) -> bool:
        """Tell whether rows are of several steps, as of the log of a training."""
        names = self._layout.names
        steps: list[str] = []
        if not self._sheet.exact and "step" in self._roles:
            column = self._cells[self._roles["step"]]
            steps = [step for step in column.distinct if not is_missing(step)]
        elif not self._sheet.exact and names >= 0:
            steps = [name for name in self._cells[names].distinct if VOCABULARY.find_step(name)]

        return len(steps) > 1

    def _read_rows(self) -> RowTexts:
        """Read what each row says: its cells, notes on its marks, and the rows above its group."""
        is_empty = np.full(self._lines.size, not self._sheet.exact, dtype=np.bool_)
        for numbers in self._numbers.values():
            is_empty &= ~numbers.present
        groups = find_groups(self._cells, list(self._numbers), is_empty, self._sheet.spanning)
        notes = [] if self._keys_say_all else self._take_notes(is_empty)
        return read_rows(self._layout, [*notes, groups])

    def _take_notes(self, is_empty: Flags) -> list[ColumnTexts]:
        """Take notes on marked rows, "* on dev", out of the texts about all numbers.

        A note stays about all if a heading or a row without numbers has its mark, or no row has it.
        """
        notes = []
        texts = []
        for text in self._texts:
            mark = find_mark(text.label.text)
            has_mark = self._find_marked(mark)
            is_elsewhere = (has_mark & is_empty).any() or mark in "".join(self._heading.keys)
            if not has_mark.any() or is_elsewhere:
                texts.append(text)
            else:
                cells = CellTexts(), CellTexts((text,))  # of rows without the mark, and with it
                notes.append(ColumnTexts(has_mark.astype(np.intp), cells))

        self._texts = tuple(texts)
        return notes

    def _find_marked(self, mark: str) -> Flags:
        """Find the rows that have a mark in a cell; no row has an empty one."""
        has_mark = np.zeros(self._lines.size, dtype=np.bool_)
        if not mark:
            return has_mark
        for cells in self._cells:
            has_mark |= _test_rows(cells, lambda cell: mark in cell)
        return has_mark

    def _form_addresses(
        self, texts: tuple[Text, ...], rows: RowTexts, questions: tuple[Question, ...] = ()
    ) -> Indices:
        """Return for each row the index of its address in `self._contexts`; add new addresses."""
        # The key leaves out the rows, which are the same for all columns of a sheet.
        if (texts, questions) not in self._formed:
            places = []
            for row in rows.distinct:
                # Cell beats column beats row above beats caption.
                nearest_first = (*row.cells.texts, *texts, *row.above, *self._texts)
                address = form_address(row.cells, nearest_first, (*self._questions, *questions))
                places.append(self._contexts.setdefault(address, len(self._contexts)))
            self._formed[texts, questions] = np.array(places, dtype=np.intp)[rows.codes]

        return self._formed[texts, questions]

    def _label_wide(self, j: int, rows: RowTexts) -> Iterator[Column]:
        """Return the numbers of column `j`, of a metric, with addresses by heading and rows."""
        place = "its heading" if self._sheet.row_texts is None else "its key"
        labels = ask_beside(self._heading, j, of_models=self._are_models)
        texts = [Text(label, "column", place) for label in labels[::-1] if label.is_about_tasks]
        if j in self._means:
            texts.insert(0, Text(self._means[j], "column", "its heading"))

        context_codes = self._form_addresses(tuple(texts), rows, self._ask_about_heading(j))
        has_percent = any(label.percent for label in self._heading.labels[j])
        present = self._numbers[j].present
        return self._make_columns(j, self._measures[j], present, context_codes, percent=has_percent)

    @cached_property
    def _are_models(self) -> bool:
        """Whether the rows are of models, by the heading above their names or by most names."""
        if "model" in self._roles or self._layout.names < 0:
            return "model" in self._roles
        cells = self._cells[self._layout.names].distinct[:FEW]
        names = [name for name in cells if not is_blank(name)]
        return 2 * sum(names_model(name.split()) for name in names) > len(names)

    def _ask_about_heading(self, j: int) -> tuple[Question, ...]:
        """Return the question about the words of a heading besides its metric, or a metric twice.

        "MRR h" asks about the side, as h may be head, and "MRR f" about a part of the triples.
        """
        if j in self._remainders:
            word = self._remainders[j]
            field = "side" if word in ENDS else "part"
            asked = Word(word, field)
            return (Text(self._measures[j], "column", "its heading").ask(asked),)
        is_twice = j in self._twice and j not in self._means
        return (TWICE,) if is_twice else ()

    def _find_twice(self) -> set[int]:
        """Find the columns of a metric that nothing in their headings tells apart: MRR and MRR.

        They need a row in which two are filled. ΔMRR, which cannot be adjusted, does not count.
        MRR.1 is a second MRR, which pandas has numbered.
        """
        alike: dict[Hashable, list[int]] = {}
        for j, label in self._measures.items():
            number = self._remainders.get(j, "")
            if number.isdigit() or not label.reason:
                names = [above.text for above in self._heading.labels[j]]
                texts = [name if VOCABULARY.knows(name) else squash(name) for name in names]
                if number.isdigit():
                    texts = [text.removesuffix(number) for text in texts]
                alike.setdefault((label.metric, label.adjustment, *texts), []).append(j)

        twice: set[int] = set()
        for columns in alike.values():
            if len(columns) > 1:
                is_filled = np.array([self._find_filled(j) for j in columns])
                is_again = is_filled & (is_filled.sum(axis=0) > 1)  # columns by rows
                twice.update(j for j, again in zip(columns, is_again, strict=True) if again.any())

        return twice

    def _find_filled(self, j: int) -> Flags:
        """Tell in which rows a column has a cell that is not blank."""
        is_filled = _test_rows(self._cells[j], lambda cell: not is_blank(cell))
        floats = self._sheet.floats.get(j)
        return is_filled if floats is None else is_filled | np.isfinite(floats)

    def _label_long(self, rows: RowTexts) -> Iterator[Column]:
        """Yield the numbers of a column of values, one column for each metric that a row names."""
        j, names = self._roles["value"], self._cells[self._roles["metric"]]
        ks, codes = None, names.codes
        if "k" in self._roles:
            ks = self._cells[self._roles["k"]]
            codes = pair_codes(codes, ks.codes, len(ks.distinct))

        present = self._numbers[j].present
        firsts, codes = compact_codes(codes)  # rows with the same name and k have the same code
        labels, is_count = list[Label](), list[bool]()
        for row in firsts.tolist():
            k = None if ks is None else read_count(ks[row])
            label = self._sheet.parse(names[row], k)
            labels.append(label)
            is_count.append(find_role(label) == "num_tasks")

        counts = self._spread_counts(j, np.array(is_count, dtype=np.bool_)[codes] & present)
        for code, label in enumerate(labels):
            name, has_name = names[firsts[code]], codes == code
            chosen = has_name & present
            if label.metric is not None and not label.reason and not is_count[code]:
                texts = (Text(label, "row", "its row"),) if label.is_about_tasks else ()
                context_codes = self._form_addresses(texts, rows)
                context_codes = self._add_counts(context_codes, np.where(chosen, counts, 0))
                yield from self._make_columns(
                    j, label, chosen, context_codes, percent=label.percent
                )
            elif not is_count[code] and not is_missing(name):
                for line in self._lines[has_name].tolist():
                    self._notes.add(line, name, label.reason or UNKNOWN)

    def _spread_counts(self, j: int, is_count: Flags) -> Indices:
        """Return the number of ranks of the evaluation of each row; 0 if no row states it.

        `is_count` flags the rows that do: "TransE, count, 40932" is for "TransE, MRR, 0.3", too.
        """
        if not is_count.any():
            return np.zeros(is_count.size, dtype=np.intp)

        evaluation = self._number_evaluations(j, is_count.size)
        counts = np.zeros(int(evaluation.max()) + 1, dtype=np.intp)
        for row in np.flatnonzero(is_count).tolist():
            floats, cell = self._sheet.floats.get(j), self._cells[j][row]
            if floats is not None and not np.isnan(floats[row]):
                cell = repr(float(floats[row]))
            count = read_count(cell)
            if count is None:
                self._note(row, j, _NO_COUNT)
            counts[evaluation[row]] = count or 0

        return counts[evaluation]

    def _number_evaluations(self, j: int, num_rows: int) -> Indices:
        """Return a code for each row; rows that differ only in metric, k and numbers share it."""
        of_numbers = {j, self._roles["metric"], self._roles.get("k"), *self._sheet.floats}
        evaluation = np.zeros(num_rows, dtype=np.intp)
        for other, cells in enumerate(self._cells):
            if other not in of_numbers:
                evaluation = pair_codes(evaluation, cells.codes, len(cells.distinct))
        return evaluation

    def _add_counts(self, context_codes: Indices, counts: Indices) -> Indices:
        """Add numbers of ranks to the addresses of rows."""
        contexts = list(self._contexts)
        context_codes = context_codes.copy()
        for row in np.flatnonzero(counts).tolist():
            context = replace(contexts[context_codes[row]], num_tasks=int(counts[row]))
            context_codes[row] = self._contexts.setdefault(context, len(self._contexts))
        return context_codes

    # All columns together.

    def _make_columns(
        self, j: int, label: Label, chosen: Flags, context_codes: Indices, *, percent: bool
    ) -> Iterator[Column]:
        """Yield the numbers of the chosen rows of column `j`: floats, then texts if it has both."""
        if label.metric is None:
            return

        numbers, is_exact = self._numbers[j], self._sheet.exact
        head = ColumnHead(label.metric, self._heading.keys[j], label.adjustment, is_exact)
        is_text = chosen & numbers.is_text
        if numbers.floats is not None:  # a float has every digit
            floats = Floats(numbers.floats, np.full(chosen.size, fill_value=percent))
            is_float = chosen & ~numbers.is_text
            yield self._make_column(head._replace(exact=True), floats, is_float, context_codes)

        if numbers.floats is None or is_text.any():
            texts = numbers.texts
            if percent:
                texts = texts.set_percent(chosen, percent=True)
            yield self._make_column(head, texts, is_text, context_codes)

    def _make_column(
        self, head: ColumnHead, numbers: Texts | Floats, chosen: Flags, context_codes: Indices
    ) -> Column:
        """Return the numbers of the chosen rows as a column; `_gather` replaces its places."""
        # The names of models are the cells of a column, one a row; without it all have the first.
        has_names = self._layout.names >= 0
        column = Column(
            head=head,
            numbers=numbers,
            places=self._rows,
            rows=self._rows,
            lines=self._lines,
            context_codes=context_codes,
            model_codes=self._rows if has_names else np.broadcast_to(0, chosen.shape),
        )
        return column if chosen.all() else column.take(chosen)

    def _gather(self, columns: Sequence[Column]) -> Entries:
        """Return the numbers of all columns, with places that count them row by row."""
        counts = np.zeros_like(self._rows)
        for column in columns:
            counts[column.rows] += 1

        next_place = np.cumsum(counts) - counts  # of each row: that of its next number
        placed = []
        for column in columns:
            placed.append(replace(column, places=next_place[column.rows]))
            next_place[column.rows] += 1

        models: Sequence[str] = [""]  # the model of all numbers, if no column (-1) names models
        if self._layout.names >= 0:
            models = self._cells[self._layout.names]

        return Entries(tuple(placed), list(self._contexts), models)

    def _ask_about_repeated(self, entries: Entries) -> Entries:
        """Ask about metrics that an evaluation has again, for other tasks.

        A short word such as f in MRR@f may mean filtered: then a bare MRR next to it may be raw.
        """
        evaluations = entries.rows
        if self._sheet.evaluations is not None:
            evaluations = self._sheet.evaluations[entries.rows]

        keys = self._heading.keys
        names = {keys[j]: self._list_names(j) for j in self._measures}
        filtered = {keys[j] for j, word in self._remainders.items() if may_mean_filtered(word)}
        return ask_about_repeated(entries, evaluations, apart=names, filtered=filtered)

    def _list_names(self, j: int) -> Hashable:
        """List the names in a heading, of models or parts, except words that are asked about."""
        if j in self._means:
            return j
        asked = self._remainders.get(j, "").split()
        return frozenset(list_names(self._heading.labels[j]) - set(asked))

    def _settle_units(self, entries: Entries) -> tuple[Entries, frozenset[str]]:
        """Decide which numbers are percentages.

        Returns the numbers with the sign of those that are, and the columns that hold some though
        their headings do not say so.
        """
        marked: set[str] = set()  # columns whose headings have a percent sign
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
        if self._keys_say_all or not rows.distinct:
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
