"""Which texts of a document belong to a table: caption, paragraph above, note below, headings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.results.tables.cells import Row


class Near(NamedTuple):
    """A text that belongs to a table."""

    place: str  # what it is, for messages: "the caption"
    text: str  # without markup
    farther: bool = False  # True for a heading above the nearest one
    shared: bool = False  # True for a note below that is above the next table, too
    apart: bool = False  # True for a paragraph with others between it and the table, which counts as a label only


class Printed(NamedTuple):
    """A table with the texts that belong to it, the nearest first."""

    rows: Iterable[Row]
    above: tuple[Near, ...] = ()
    commas: bool = False  # True if decimals may have a comma before them


NUMBERED = re.compile(r"(?:Table|Tab\.|Tabelle|表)\s*[A-Z]?\d+\s*[.:：]", re.IGNORECASE)
"""What a caption begins with."""

_MARKED = re.compile(r"[\s\\]*[*†‡§¶(\[^⋆∗★☆ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹]")
_STRUCK = re.compile("~~[^~]*~~")
_LONGEST_NOTE = 300


@dataclass(slots=True)
class _Pending:
    """A table that may get a caption or notes below it."""

    rows: list[Row]
    captions: list[str]
    paragraphs: tuple[str, ...]
    headings: tuple[str, ...]  # the nearest first
    apart: tuple[str, ...] = ()  # paragraphs with others between them and the table, the nearest first
    notes: list[str] = field(default_factory=list)
    shared: str = ""  # the note that is above the next table, too

    def finish(self) -> Printed:
        near = [Near("the caption", text) for text in dict.fromkeys(self.captions)]
        near += [Near("the paragraph above", text) for text in self.paragraphs]
        near += [Near("a paragraph above", text, apart=True) for text in self.apart]
        near += [Near("the note below", text, shared=text == self.shared) for text in self.notes]
        near += [Near("the heading above", text, farther=i > 0) for i, text in enumerate(self.headings)]
        return Printed(self.rows, tuple(near))


class Outline:
    """The headings, paragraphs and tables of a document, told from top to bottom."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._said: list[tuple[int | None, str]] = []  # the depth of a list's item, None for a paragraph
        self._tables: list[_Pending] = []
        self._captions_above = False  # True if a numbered caption comes before the first table
        self._fresh = False  # True if nothing but notes came since the last table

    def add_heading(self, level: int, text: str) -> None:
        """Begin a section."""
        self._headings = [each for each in self._headings if each[0] < level]
        self._headings.append((level, _STRUCK.sub("", text)))
        self._said.clear()
        self._fresh = False

    def add_text(self, text: str, item: int | None = None) -> None:
        """Add a paragraph, or an item of a list with its depth."""
        text = _STRUCK.sub("", text).strip()
        if not text:
            return
        numbered = NUMBERED.match(text) is not None
        if numbered:
            self._captions_above = self._captions_above or not self._tables
            if self._tables and not self._captions_above:
                self._tables[-1].captions.append(text)
                return
        marked = _MARKED.match(text) is not None
        note = marked or (item is None and len(text) <= _LONGEST_NOTE and not numbered)
        if self._fresh and note and not text.endswith((":", "：")):
            self._tables[-1].notes.append(text)
            self._fresh = marked
            if marked:
                return
        self._fresh = False
        if item is not None:
            self._said = [each for each in self._said if each[0] is None or each[0] <= item]
        self._said.append((item, text))

    def add_table(self, rows: list[Row], depth: int = 0, captions: Iterable[str] = ()) -> list[str]:
        """Add a table below the paragraph or list right before it; return its captions, for those that come later."""
        near: list[str] = []
        for item, text in self._said[::-1]:
            near.append(text)
            if item is None:
                break
        kept = [each for each in self._said if each[0] is not None and each[0] < depth]
        table = _Pending(rows, list(captions), tuple(near), tuple(text for _, text in self._headings[::-1]))
        table.apart = tuple(text for item, text in self._said[: -len(near)][::-1] if item is None) if near else ()
        if rows:
            if self._tables and (None, text := "".join(self._tables[-1].notes[-1:])) in self._said:
                self._tables[-1].shared = text
            self._tables.append(table)
            self._said, self._fresh = kept, True
        return table.captions

    def list_tables(self) -> list[Printed]:
        """Return the tables with the texts that belong to them, once all is told."""
        return [table.finish() for table in self._tables]
