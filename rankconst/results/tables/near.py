"""Collect the texts around a table in a document: caption, paragraph above, note, headings."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rankconst.results.gate import Text
from rankconst.results.labels import Label, read_label, weaken
from rankconst.results.tables.cells import FOOTNOTE_SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.results.tables.cells import Row


class Printed(NamedTuple):
    """A table with the texts that belong to it, the nearest first."""

    rows: Iterable[Row]
    above: tuple[Text, ...] = ()
    commas: bool = False  # True if decimals may follow a comma, as in 0,338


def read_near(place: str, text: str) -> Text:
    """Read a text around a table."""
    return Text(read_label(text), "text", place)


def _read_farther(text: str) -> Text:
    """Read a paragraph that is not the nearest one above a table.

    A label declares like any other. A sentence names no graph: it may be about other tables.
    """
    near = read_near("a paragraph above", text)
    if near.label.is_vocabulary:
        return near
    return near._replace(label=replace(near.label, graphs=()), farther=True)


_RAISED = r"\^\{?(?:[a-z]|\d{1,2})\}?(?!\w)"  # a letter or a number
_ONE_SIGN = re.compile(rf"[*{FOOTNOTE_SIGNS}]|{_RAISED}")
# Marks count only where a clause begins: "All but † ..." is about the cells without a dagger.
_MARK = rf"(?:{_RAISED}|[\\^({{\[]{{0,4}}(?:[{FOOTNOTE_SIGNS}]|\*(?=[*\s:=,)}}\]]))+[)}}\]]*)"
_SIGN = re.compile(rf"(?:^|(?<=[.;:,(])|(?<=[.;:,(]\s)){_MARK}(?:(?:\s?[,/&]|\sand)\s?{_MARK})*")
_STOP = re.compile(rf"[.;,)](?!\d)|[{FOOTNOTE_SIGNS}]|{_RAISED}")


class MarkedNote(NamedTuple):
    """A note about the cells with a mark: †, or ^a for a raised letter."""

    signs: frozenset[str]
    text: Text

    def is_in(self, cell: str) -> bool:
        """Tell whether a cell has the mark."""
        return any(sign in self.signs for sign in _list_signs(cell))


def _list_signs(text: str) -> list[str]:
    """List the marks in a text."""
    return [sign.strip("{}").replace("{", "") for sign in _ONE_SIGN.findall(text)]


def split_notes(text: Text) -> tuple[Text, list[MarkedNote]]:
    """Split notes about cells with a mark, such as a dagger, off a text.

    "Results on WN18. † raw" has the note "† raw", which asks about the protocol of numbers with a
    dagger, and the rest is about all numbers. Notes that say nothing of tasks stay in the rest.
    """
    caption = text.label.text
    rest, note_end = "", 0  # what is outside the notes before, and the end of the last
    notes = []
    for mark in _SIGN.finditer(caption):
        stop = _STOP.search(caption, mark.end())
        end = stop.start() if stop else len(caption)
        label = weaken(read_label(caption[mark.start() : end].strip()))
        if label.words or label.graphs or label.num_triples:
            rest += caption[note_end : mark.start()]
            note_end = end
            signs = frozenset(_list_signs(mark[0]))
            notes.append(MarkedNote(signs, text._replace(label=label)))
    if not notes:
        return text, []
    of_caption = read_label(caption)
    if (text.label.words, text.label.graphs) != (of_caption.words, of_caption.graphs):
        return text, []  # the label is of a part of the caption
    of_rest = read_label(rest + caption[note_end:])
    # A label that was weakened stays so.
    is_whole = of_rest.is_vocabulary and text.label.is_vocabulary == of_caption.is_vocabulary
    return text._replace(label=replace(of_rest, text=caption, is_vocabulary=is_whole)), notes


NUMBERED = re.compile(r"(?:Table|Tab\.|Tabelle|表)\s*[A-Z]?\d+\s*[.:：]", re.IGNORECASE)
"""The beginning of a numbered caption."""

_MARKED = re.compile(rf"[\s\\]*[*(\[^{FOOTNOTE_SIGNS}]")
_STRUCK = re.compile("~~[^~]*~~")  # struck text
_LONGEST_NOTE = 300  # characters of a note without a mark


class _Pending(NamedTuple):
    """A table that may get a caption or notes below it."""

    rows: list[Row]
    captions: list[str]
    paragraphs: list[Text]
    notes: list[Text]
    headings: list[Text]


_DEFINED = re.compile(r"\[\^([^\[\]]{1,20})\]:")  # before a footnote of Markdown: [^1]: raw


def _has_text(table: _Pending, text: str) -> bool:
    """Tell whether a text is in a cell of a table."""
    return any(text in cell for row in table.rows for cell in row.cells)


class _Footnote(NamedTuple):
    """A footnote, and the table right above it, if there is one."""

    name: str
    text: str
    above: _Pending | None


class _Paragraph(NamedTuple):
    text: str
    is_item: bool = False  # of a list


class Outline:
    """The headings, paragraphs and tables of a document, added from top to bottom."""

    def __init__(self) -> None:
        self._titles: dict[int, str] = {}  # level to the title of the section that is open
        self._paragraphs: list[_Paragraph] = []  # since the last heading or table
        self._tables: list[_Pending] = []
        self._footnotes: list[_Footnote] = []
        self._captions_above = False  # True if a numbered caption comes before the first table
        self._is_below = False  # True if nothing but notes came since the last table

    def add_heading(self, level: int, text: str) -> None:
        """Begin a section."""
        self._titles = {outer: title for outer, title in self._titles.items() if outer < level}
        self._titles[level] = _STRUCK.sub("", text)
        self._paragraphs.clear()
        self._is_below = False

    def add_text(self, text: str, *, is_item: bool = False) -> None:
        """Add a paragraph, or an item of a list."""
        text = _STRUCK.sub("", text).strip()
        above = self._tables[-1] if self._is_below else None
        _, *parts = _DEFINED.split(text)  # marks and footnotes, alternately
        if parts:
            footnotes = zip(parts[::2], parts[1::2], strict=True)
            self._footnotes += [_Footnote(mark, note.strip(), above) for mark, note in footnotes]
        elif text and not self._take_caption(text) and not self._take_note(text, is_item=is_item):
            self._paragraphs.append(_Paragraph(text, is_item))

    def _take_caption(self, text: str) -> bool:
        """Give a numbered caption to the table above it; return whether that was done."""
        if not NUMBERED.match(text):
            return False
        if not self._tables:
            self._captions_above = True
        if self._captions_above:
            return False
        self._tables[-1].captions.append(text)
        return True

    def _take_note(self, text: str, *, is_item: bool) -> bool:
        """Add a text right below a table to its notes; return whether it is only a note.

        A text with a mark, such as "* raw", is only a note. A short one without a mark may also be
        the paragraph above the next table.
        """
        is_below, self._is_below = self._is_below, False
        is_marked = _MARKED.match(text) is not None
        is_short = not is_item and len(text) <= _LONGEST_NOTE and not NUMBERED.match(text)
        introduces_next = text.endswith((":", "："))
        if not is_below or introduces_next or not (is_marked or is_short):
            return False
        near = read_near("the note below", text)
        # A note with a mark is about the marked cells, so it declares nothing about the others.
        if is_marked and not text.startswith(("(", "[")):
            near = near._replace(label=weaken(near.label))
        self._tables[-1].notes.append(near)
        self._is_below = is_marked
        return is_marked

    def add_table(
        self, rows: list[Row], captions: Iterable[str] = (), *, in_item: bool = False
    ) -> list[str]:
        """Add a table with the texts above it; return its list of captions, to be appended to.

        The paragraphs above are then forgotten, except for the items of a list around the table. A
        table without rows is not added.
        """
        table = _Pending(rows, list(captions), [], [], [])
        is_near = True  # until the first paragraph that is not an item of a list
        for text, is_item in reversed(self._paragraphs):
            if is_near:
                table.paragraphs.append(read_near("the paragraph above", text))
            elif not is_item:
                table.paragraphs.append(_read_farther(text))
            is_near = is_near and is_item
        for level in sorted(self._titles, reverse=True):
            heading = read_near("the heading above", self._titles[level])
            table.headings.append(heading._replace(farther=bool(table.headings)))
        if rows:
            self._tables.append(table)
            self._paragraphs = [text for text in self._paragraphs if in_item and text.is_item]
            self._is_below = True
        return table.captions

    def _settle_shared_notes(self) -> None:
        """Settle which table each paragraph between two tables is about.

        It was added as the last note of the upper table and as a paragraph above the lower one. If
        each table has such a label with a dataset below it, and no dataset is named above the first
        one, it is the caption of the upper table. Otherwise a label such as "Filtered" is about the
        lower table only, and a sentence may be about either, so that its words still ask about the
        upper table.
        """
        first = [*self._tables[0].paragraphs, *self._tables[0].headings]
        are_below = not any(text.label.graphs for text in first)
        for table in self._tables:
            label = table.notes[-1].label if table.notes else Label()
            are_below = are_below and label.is_vocabulary and bool(label.graphs)
        for upper, lower in pairwise(self._tables):
            texts = [text.label.text for text in lower.paragraphs]
            label = upper.notes[-1].label if upper.notes else Label()
            if label.text not in texts:
                continue
            if are_below:
                del lower.paragraphs[texts.index(label.text)]
            else:
                words = () if label.is_vocabulary else label.words
                upper.notes[-1] = upper.notes[-1]._replace(label=Label(label.text, words=words))

    def add_footnote(self, text: str) -> None:
        """Add a footnote of the last table."""
        self._footnotes.append(_Footnote("", text, self._tables[-1]))

    def _add_footnotes(self) -> None:
        """Add each footnote to the tables that refer to it, or else to the one right above it."""
        for name, text, above in self._footnotes:
            sign = f"[^{name}]"
            tables = [table for table in self._tables if _has_text(table, sign)]
            if not tables and above is not None:
                tables.append(above)
            mark = f"^{{{name}}}"
            near = read_near("a footnote", f"{mark} {text}" if _ONE_SIGN.fullmatch(mark) else text)
            for table in tables:
                table.notes.append(near._replace(label=weaken(near.label)))

    def list_tables(self) -> list[Printed]:
        """List the tables with the texts that belong to them, once all has been added."""
        if self._tables:
            self._settle_shared_notes()
        self._add_footnotes()
        tables = []
        for rows, captions, *texts in self._tables:
            read = [read_near("the caption", caption) for caption in dict.fromkeys(captions)]
            tables.append(Printed(rows, (*read, *(text for group in texts for text in group))))
        return tables
