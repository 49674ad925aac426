"""Which texts of a document belong to a table: caption, paragraph above, note below, headings."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankconst.results.gate import Text
from rankconst.results.labels import Label, read_label, weaken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.results.tables.cells import Row


class Printed(NamedTuple):
    """A table with the texts that belong to it, the nearest first."""

    rows: Iterable[Row]
    above: tuple[Text, ...] = ()
    commas: bool = False  # True if decimals may have a comma before them


def read_near(place: str, text: str) -> Text:
    """Return a text around a table, with what it says."""
    return Text(read_label(text), "text", place)


def _read_farther(text: str) -> Text:
    """Return a paragraph with others below it: a label, or words that may be about the table."""
    near = read_near("a paragraph above", text)
    if near.label.whole:
        return near
    return near._replace(label=replace(near.label, graphs=()), farther=True)


_SIGNS = frozenset("*†‡§¶⋆∗★☆")
# Marks where a clause begins, "†, ‡": "All but † ..." is about the other cells.
_MARK = r"[\\^({\[]{0,4}(?:[†‡§¶⋆∗★☆]|\*(?=[*\s:=,)}\]]))+[)}\]]*"
_SIGN = re.compile(rf"(?:^|(?<=[.;:,(])|(?<=[.;:,(]\s)){_MARK}(?:(?:\s?[,/&]|\sand)\s?{_MARK})*")
_STOP = re.compile(r"[.;,)†‡§¶⋆∗★☆]")


def split_notes(text: Text) -> tuple[Text, list[tuple[frozenset[str], Text]]]:
    """Split what a text says of cells with a mark, such as a dagger, from the rest.

    Return the marks with each note, which goes up to the next stop, and only asks.
    """
    whole, rest, last = text.label.text, "", 0
    notes = []
    for sign in _SIGN.finditer(whole):
        stop = _STOP.search(whole, sign.end())
        end = stop.start() if stop else len(whole)
        note = weaken(read_label(whole[sign.start() : end].strip()))
        if note.words or note.graphs:
            rest, last = rest + whole[last : sign.start()], end
            notes.append((_SIGNS & {*sign[0]}, text._replace(label=note)))
    own, known = read_label(rest + whole[last:]), read_label(whole)
    if not notes or (text.label.words, text.label.graphs) != (known.words, known.graphs):
        return text, []
    own = replace(own, text=whole, whole=own.whole and text.label.whole == known.whole)
    return text._replace(label=own), notes


NUMBERED = re.compile(r"(?:Table|Tab\.|Tabelle|表)\s*[A-Z]?\d+\s*[.:：]", re.IGNORECASE)
"""What a caption begins with."""

_MARKED = re.compile(r"[\s\\]*[*†‡§¶(\[^⋆∗★☆ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹]")
_STRUCK = re.compile("~~[^~]*~~")
_LONGEST_NOTE = 300


class _Pending(NamedTuple):
    """A table that may get a caption or notes below it."""

    rows: list[Row]
    captions: list[str]
    paragraphs: list[Text]
    notes: list[Text]
    headings: list[Text]

    def finish(self) -> Printed:
        captions = (read_near("the caption", text) for text in dict.fromkeys(self.captions))
        return Printed(self.rows, (*captions, *self.paragraphs, *self.notes, *self.headings))


class Outline:
    """The headings, paragraphs and tables of a document, told from top to bottom."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []  # with their levels
        # With the depth of an item of a list, None for a paragraph.
        self._texts: list[tuple[int | None, str]] = []
        self._tables: list[_Pending] = []
        self._captions_above = False  # True if a numbered caption comes before the first table
        self._is_below = False  # True if nothing but notes came since the last table

    def add_heading(self, level: int, text: str) -> None:
        """Begin a section."""
        self._headings = [each for each in self._headings if each[0] < level]
        self._headings.append((level, _STRUCK.sub("", text)))
        self._texts.clear()
        self._is_below = False

    def add_text(self, text: str, item: int | None = None) -> None:
        """Add a paragraph, or an item of a list with its depth."""
        text = _STRUCK.sub("", text).strip()
        if not text or self._take_caption(text) or self._take_note(text, item):
            return
        if item is not None:
            self._texts = [each for each in self._texts if each[0] is None or each[0] <= item]
        self._texts.append((item, text))

    def _take_caption(self, text: str) -> bool:
        """Take a numbered caption of the last table, where captions are below their tables."""
        if not NUMBERED.match(text):
            return False
        if not self._tables:
            self._captions_above = True
        if not self._captions_above:
            self._tables[-1].captions.append(text)
        return not self._captions_above

    def _take_note(self, text: str, item: int | None) -> bool:
        """Take a note of the last table; one without a mark may be about the next table, too."""
        is_below, self._is_below = self._is_below, False
        is_marked = _MARKED.match(text) is not None
        is_short = item is None and len(text) <= _LONGEST_NOTE and not NUMBERED.match(text)
        if not is_below or not (is_marked or is_short) or text.endswith((":", "：")):
            return False
        near = read_near("the note below", text)
        # Of the cells with the mark: it declares nothing of others.
        if is_marked and not text.startswith(("(", "[")):
            near = near._replace(label=weaken(near.label))
        self._tables[-1].notes.append(near)
        self._is_below = is_marked
        return is_marked

    def add_table(self, rows: list[Row], depth: int = 0, captions: Iterable[str] = ()) -> list[str]:
        """Add a table with the paragraph or list above it; return its captions, for later ones."""
        paragraphs: list[Text] = []
        is_near = True  # up to the first paragraph, which may be above a list
        for item, text in self._texts[::-1]:
            if is_near:
                paragraphs.append(read_near("the paragraph above", text))
            elif item is None:
                paragraphs.append(_read_farther(text))
            is_near = is_near and item is not None
        headings = [read_near("the heading above", text) for _, text in self._headings[::-1]]
        headings[1:] = [heading._replace(farther=True) for heading in headings[1:]]
        table = _Pending(rows, list(captions), paragraphs, [], headings)
        if rows:
            self._share_note()
            self._tables.append(table)
            self._texts = [each for each in self._texts if each[0] is not None and each[0] < depth]
            self._is_below = True
        return table.captions

    def _share_note(self) -> None:
        """Leave the vocabulary of a note above the next table to that table.

        Other words raise questions about both tables.
        """
        notes = self._tables[-1].notes if self._tables else []
        if notes and (None, notes[-1].label.text) in self._texts:
            label = notes[-1].label
            words = () if label.whole else label.words
            notes[-1] = notes[-1]._replace(label=Label(label.text, words=words))

    def list_tables(self) -> list[Printed]:
        """Return the tables with the texts that belong to them, once all is told."""
        return [table.finish() for table in self._tables]
