"""The rows below a heading: every number with what its row, its column and the heading say about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.errors import DataError
from rankconst.results.cells import is_blank, is_missing, is_plain_number, read_count, strip_marks
from rankconst.results.columns import RANK_TYPES
from rankconst.results.headings import find_roles
from rankconst.results.reading import Entry
from rankconst.settling import Context
from rankconst.values import parse_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst.results.cells import Row
    from rankconst.results.columns import Meaning
    from rankconst.results.document import Document
    from rankconst.results.headings import Dialect, Heading
    from rankconst.results.notes import Notes

__all__ = ["RowReader"]

_CONTEXT = {"dataset", "model", "split", "side", "protocol", "aggregation", "source", "rank_type", "num_tasks"}


class RowReader:
    """Reads the rows of one table."""

    def __init__(self, document: Document, heading: Heading, dialect: Dialect, notes: Notes) -> None:
        self._document = document
        self._keys = heading.keys
        self._dialect = dialect
        self._notes = notes
        self._roles = find_roles(heading)
        if dialect.groups and not heading.keys[0]:  # the corner of a printed table, over the names of models
            self._roles.setdefault("model", 0)
        self._measured = []
        for j in heading.measured:
            meaning = heading.meanings[j]
            if meaning is None or meaning.metric is None:
                continue
            if meaning.reason is not None:
                notes.add(None, heading.keys[j], meaning.reason)
                continue
            self._measured.append((j, meaning, heading.datasets[j]))
        value = self._roles.get("value") if heading.long else None
        self._value = value
        self._counts: dict[Context, int | None] = {}  # of a long table, in rows of their own
        meaning = None if value is None else heading.meanings[value]
        self._percent = meaning is not None and meaning.percent

    def read(self, row: Row, index: int) -> Iterator[Entry]:
        """Return the numbers of a row."""
        said, exact = self._read_roles(row), self._dialect.exact
        contexts: dict[object, Context] = {}
        for j, meaning, upper in self._measured:
            text = self._read_number(row, j, meaning.percent)
            if text is None or meaning.metric is None:
                continue
            kind = (meaning.dataset, upper, meaning.split, meaning.side, meaning.rank_type, meaning.protocol)
            context = contexts.get(kind)
            if context is None:
                context = contexts[kind] = _form_context(said, meaning, upper)
            yield Entry(meaning.metric, text, index, self._keys[j], row.line, context, meaning.adjustment, exact)
        if self._value is not None:
            named = self._read_name(row)
            if named is None:
                return
            if named.metric is None:
                if row.plain[self._value]:
                    self._counts[_form_context(said, named, None)] = self._read_count(row, "value")
                return
            text = self._read_number(row, self._value, self._percent or named.percent)
            if text is not None:
                context = _form_context(said, named, None)
                yield Entry(
                    named.metric, text, index, self._keys[self._value], row.line, context, named.adjustment, exact
                )

    def add_counts(self, entries: list[Entry]) -> list[Entry]:
        """Add the numbers of tasks that a long table has in rows of their own to the entries that they go with."""
        if not self._counts:
            return entries
        return [
            replace(entry, context=replace(entry.context, num_tasks=self._counts[entry.context]))
            if entry.context in self._counts
            else entry
            for entry in entries
        ]

    def _read_roles(self, row: Row) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for role, j in self._roles.items():
            text = row.plain[j]
            if role in _CONTEXT and text and not is_missing(text):
                said[role] = text
        if "rank_type" in said:
            said["rank_type"] = RANK_TYPES.get(said["rank_type"].lower())
        if "num_tasks" in said:
            said["num_tasks"] = self._read_count(row, "num_tasks")
        return said

    def _read_count(self, row: Row, role: str) -> int | None:
        text = row.plain[self._roles[role]]
        count = read_count(text)
        if count is None:
            self._notes.add(row.line, text, f"no whole number, in column {self._keys[self._roles[role]]}")
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
            self._notes.add(row.line, name, "no metric that is known")
            return None
        if named.reason is not None:
            self._notes.add(row.line, name, named.reason)
            return None
        return named

    def _read_number(self, row: Row, j: int, percent: bool) -> str | None:
        """Return a number as text, None if there is none."""
        text = row.plain[j]
        if not is_plain_number(text):
            if is_blank(text):
                return None
            if is_missing(text):
                self._notes.add(row.line, text, "no number")
                return None
            text = strip_marks(text)
            try:
                parse_value(text, exact=self._dialect.exact, place=self._document.at(row.line, self._keys[j]))
            except DataError as error:
                raise DataError(f"{error} Expected a number; leave a cell empty where there is none.") from None
        return f"{text}%" if percent and "%" not in text else text


def _form_context(said: Mapping[str, Any], meaning: Meaning, upper: str | None) -> Context:
    fields = dict(said)
    for name in ("dataset", "split", "side", "rank_type", "protocol"):
        own = getattr(meaning, name)
        if own is not None:
            fields[name] = own
    if upper is not None:
        fields.setdefault("dataset", upper)
    return Context(**fields)
