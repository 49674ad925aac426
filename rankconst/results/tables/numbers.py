"""The numbers of a table: cells to text without marks, percentages with their sign, and what is left out and why."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.constants.published import parse_value
from rankconst.errors import DataError
from rankconst.names import read_count
from rankconst.results.reading import Entries
from rankconst.results.tables.cells import (
    find_remark,
    is_blank,
    is_missing,
    is_number,
    is_plain_number,
    read_deviation,
    strip_marks,
)
from rankconst.results.tables.units import drop_contradictions, leave_open, settle_units

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rankconst.evaluation import Stated
    from rankconst.results.document import Document
    from rankconst.results.reading import Notes
    from rankconst.results.tables.cells import Row
    from rankconst.results.tables.headings import Heading

# Beyond this many different texts, remembering them costs more than it saves.
_MOST_TEXTS = 100_000
_MINUS = frozenset("-\u2212\u2013")
_SIGNS = _MINUS | {"+"}
# What may say how far a number is off, and is not ±: 177(3), 0.338(5)(30), 177^{+30}_{-20}.
_ASYMMETRIC = r"[\^_]\{?\s*[+\u2212-][\d.]+\}?\s*"
_UNCERTAIN = re.compile(rf"(?<![.\d])\d+\(\d{{1,2}}\)$|\d\(\d+\)\(\d+\)|{_ASYMMETRIC}{_ASYMMETRIC}")
_DIFFERENCE = "a difference, as another number of its row is, which has a sign"


class Numbers:
    """Reads the numbers of one table."""

    def __init__(self, document: Document, heading: Heading, notes: Notes, *, exact: bool, groups: bool) -> None:
        self._keys, self._notes, self._exact, self._groups = heading.keys, notes, exact, groups
        self._percent = document.percent
        self.columns: list[int] = []
        self._shares: dict[str, Hashable] = {}  # columns that could be percentages, each with what shares its unit
        self._read: dict[int, dict[str, str]] = {}  # plain numbers that were read of each column before
        self._percents = {j for j, labels in enumerate(heading.labels) if any(label.percent for label in labels)}
        self._spreads = {j for j, label in heading.measures.items() if label.spread}
        self._forms = heading.measures
        self._large = False
        self._counts: dict[Stated, int | None] = {}  # of a long table, in rows of their own
        for j, label in heading.measures.items():
            reason = label.reason or next((each.reason for each in heading.labels[j] if each.reason), "")
            reason = reason or next(
                (word.reason for each in heading.labels[j] for word in each.words if word.field == "metric"), ""
            )
            if reason or label.metric is None:
                notes.add(None, heading.keys[j], reason)
                continue
            metric = label.metric
            if metric.is_share and label.adjustment is None and j not in self._percents:
                graph = next((each.graphs[0] for each in heading.labels[j] if each.graphs), None)
                self._shares[heading.keys[j]] = (graph, metric.key if metric.hits_k is None else "Hits")
            self._read[j] = {}
            self.columns.append(j)

    def read_row(self, row: Row) -> Iterator[tuple[int, str | None]]:
        """Yield the number of each measured column as text, None where there is none."""
        found = []
        for j in self.columns:
            text = self._read[j].get(row.plain[j])
            found.append((j, self.read(row, j, percent=j in self._percents) if text is None else text))
        if self._exact or all(row.plain[j][:1] not in _SIGNS for j in self.columns):
            yield from found
        else:
            yield from self._leave_differences(row, found)

    def _leave_differences(self, row: Row, found: list[tuple[int, str | None]]) -> Iterator[tuple[int, str | None]]:
        """Leave out shares next to one of the same row that has a sign, as differences have."""
        shares = {j for j in self.columns if (m := self._forms[j].metric) is not None and m.is_share}
        shares -= {j for j in shares if self._forms[j].adjustment is not None}
        signs = _SIGNS if self._groups else _MINUS
        differs = any(row.plain[j][:1] in signs and is_number(row.plain[j][1:]) for j in shares)
        for j, text in found:
            if differs and text is not None and j in shares and text[:1] not in _SIGNS:
                self._notes.add(row.line, text, f"{_DIFFERENCE}, in column {self._keys[j]}")
                yield j, None
            else:
                yield j, text

    def read(self, row: Row, j: int, *, percent: bool) -> str | None:
        """Return a number as text, None if there is none."""
        text = row.plain[j]
        if is_blank(text):
            return None
        if is_plain_number(text) and j not in self._spreads:
            number = f"{text}%" if percent else text
            numbers = self._read.get(j)
            if numbers is not None and len(numbers) < _MOST_TEXTS:
                numbers[text] = number
                self._large = self._large or (self._keys[j] in self._shares and float(text) > 1)
            return number
        gain = text.startswith("+") and self._groups
        if gain or is_missing(text):
            why = "a difference, since it has a plus sign" if gain else "not a number"
            self._notes.add(row.line, text, why)
            return None
        if _UNCERTAIN.search(text) is not None:
            why = f"an uncertainty or a footnote? Write ±, or a blank before the mark, in column {self._keys[j]}"
            self._notes.add(row.line, text, why)
            return None
        text = strip_marks(text)
        text = read_deviation(text) or text
        try:
            found = parse_value(text, exact=self._exact)
        except DataError as error:
            remark = find_remark(text)
            hint = remark or str(error).partition(" is not a number.")[2].strip(" .")
            shown = f": {hint[:1].lower()}{hint[1:]}" if hint else ""
            self._notes.add(row.line, row.plain[j], f"not a number, in column {self._keys[j]}{shown}")
            return None
        if j in self._spreads and found.deviation is None:
            self._notes.add(row.line, text, f"a deviation without its mean, in column {self._keys[j]}")
            return None
        self._large = self._large or (self._keys[j] in self._shares and found.value > 1)
        return f"{text}%" if percent and "%" not in text else text

    def read_count(self, row: Row, j: int) -> int | None:
        """Return the number of ranks that a cell states."""
        count = read_count(row.plain[j])
        if count is None:
            self._notes.add(row.line, row.plain[j], f"not a whole number, in column {self._keys[j]}")
        return count

    def count(self, context: Stated, row: Row, j: int) -> None:
        """Take a row that states how many ranks the others of its kind are of."""
        if row.plain[j]:
            self._counts[context] = self.read_count(row, j)

    def add_counts(self, entries: Entries) -> Entries:
        """Add the numbers of tasks that a long table has in rows of their own to the entries that they belong to."""
        if not self._counts:
            return entries
        counted = {context: replace(context, num_tasks=count) for context, count in self._counts.items()}
        return Entries(entry._replace(context=counted.get(entry.context, entry.context)) for entry in entries)

    def settle_units(self, entries: Entries) -> tuple[Entries, frozenset[str]]:
        """Return the numbers with signs of percentages, and the columns that got them; without what is doubtful."""
        said = {self._keys[j] for j in self._percents}
        entries = leave_open(entries, said, self._notes, percent=self._percent)
        signed: frozenset[str] = frozenset()
        if self._large:
            entries = settle_units(
                entries, lambda entry: self._shares.get(entry.column), self._notes, percent=self._percent
            )
            signed = frozenset(entry.column for entry in entries if "%" in entry.text and entry.column in self._shares)
        return (drop_contradictions(entries, self._notes) if self._large or said else entries), signed
