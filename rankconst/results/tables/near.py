"""Collect the texts around a table in a document: caption, paragraph above, note, headings."""

from __future__ import annotations

import re
from collections import defaultdict
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


# The mark of a note on some of the numbers, in a caption or before the note: † raw.
_NOTE_MARK = re.compile(rf"[*^{FOOTNOTE_SIGNS}]")


def read_near(place: str, text: str) -> Text:
    """Read a text around a table; one with the mark of a note is about some rows, and only asks."""
    label = read_label(text)
    if _NOTE_MARK.search(text):
        label = weaken(label)
    return Text(label, "text", place)


_CLAUSE_END = re.compile(r"[.;,)](?!\d)")
_DEFINED = re.compile(r"\[\^([a-z]|\d\d?)\]:")  # a footnote of Markdown


def find_mark(text: str) -> str:
    """Return the mark that a note begins with, "*" of "* on dev", if it is about marked rows alone.

    It is empty for a note with several marks, or with words about tasks behind its first clause.
    The mark of "[^1]: on dev", a footnote of Markdown, is "^{1}", as in cells.
    """
    definition = _DEFINED.match(text)
    if definition is not None:
        mark, rest = f"^{{{definition[1]}}}", text[definition.end() :]
    else:
        mark = text.lstrip(" \\([{")[:1]
        rest = text.replace(mark, "")
        if mark not in {"*", *FOOTNOTE_SIGNS}:
            return ""

    if _NOTE_MARK.search(rest):
        return ""

    _, *others = _CLAUSE_END.split(rest, maxsplit=1)
    label = read_label("".join(others))
    return "" if label.words or label.values or label.graphs else mark


def _read_farther(text: str) -> Text:
    """Read a paragraph farther above a table than the nearest one.

    "WN18RR, test" alone is a label, and counts like one right above. In a sentence, such as "We use
    WN18RR", the graphs do not count, as it may be about other tables.
    """
    paragraph = read_near("a paragraph above", text)
    if paragraph.label.is_vocabulary:
        return paragraph
    label_without_graphs = replace(paragraph.label, graphs=())
    return paragraph._replace(label=label_without_graphs, farther=True)


NUMBERED = re.compile(r"(?:Table|Tab\.|Tabelle|表)\s*[A-Z]?\d+\s*[.:：]", re.IGNORECASE)
"""The beginning of a numbered caption."""

_MARKED = re.compile(rf"[\s\\]*[*(\[^{FOOTNOTE_SIGNS}]")
_STRUCK = re.compile("~~[^~]*~~")  # struck text
_LONGEST_NOTE = 500  # characters of a note without a mark


class _Pending(NamedTuple):
    """A table that may get a caption or notes below it."""

    rows: list[Row]
    captions: list[str]
    paragraphs: list[Text]
    notes: list[Text]
    headings: list[Text]


_FOOTNOTE = "a footnote"
_BEGINNING = re.compile(r"(?=\[\^[^\[\]]{1,20}\]:)")
_NAMED = re.compile(r"\[\^[^\[\]]{2,20}\]:")  # its name may be a word: [^val]
_REFERENCE = re.compile(r"\[\^[^\[\]]{1,20}\]")


def _list_references(table: _Pending) -> dict[str, None]:
    """List the references to footnotes in a table, [^1] of 0.3[^1], each once."""
    cells = (cell for row in table.rows for cell in row.cells)
    return dict.fromkeys(reference for cell in cells for reference in _REFERENCE.findall(cell))


def _hide_name(footnote: str) -> str:
    """Return a footnote with a sign for a name of several letters, which may be a word: [^val]."""
    return footnote if _DEFINED.match(footnote) else _NAMED.sub("†", footnote, count=1)


class _Paragraph(NamedTuple):
    text: str
    is_item: bool = False  # of a list


class Outline:
    """The headings, paragraphs and tables of a document, added from top to bottom."""

    def __init__(self) -> None:
        self._titles: dict[int, str] = {}  # level to the title of the section that is open
        self._paragraphs: list[_Paragraph] = []  # since the last heading or table
        self._tables: list[_Pending] = []
        self._footnotes: list[str] = []
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
        if text.startswith("[^"):  # [^1]: raw, in Markdown
            self._footnotes += [note.strip() for note in _BEGINNING.split(text) if note]
        elif text and not self._take_caption(text) and not self._take_note(text, is_item=is_item):
            self._paragraphs.append(_Paragraph(text, is_item))

    def _take_caption(self, text: str) -> bool:
        """Give a numbered caption to the table above it; return whether that was done.

        In a document that begins with a caption, captions are above their tables.
        """
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

        self._tables[-1].notes.append(read_near("the note below", text))
        self._is_below = is_marked
        return is_marked

    def add_table(
        self,
        rows: list[Row],
        captions: Iterable[str] = (),
        footnotes: Iterable[str] = (),
        *,
        in_item: bool = False,
    ) -> list[str]:
        """Add a table with the texts above it; return its list of captions, to be appended to.

        The paragraphs above are then forgotten, except for the items of a list around the table. A
        table without rows is not added.
        """
        notes = [read_near(_FOOTNOTE, footnote) for footnote in footnotes]
        table = _Pending(rows, list(captions), [], notes, [])
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

    def _add_footnotes(self) -> None:
        """Add each footnote of Markdown to the tables that refer to it, or to one, or else all."""
        tables_of = defaultdict[str, list[_Pending]](list)
        for table in self._tables:
            for reference in _list_references(table):
                tables_of[reference].append(table)

        referring = [table for table in self._tables if _list_references(table)]
        for footnote in self._footnotes:
            reference, _, _ = footnote.partition(":")
            for table in tables_of.get(reference) or referring or self._tables:
                table.notes.append(read_near(_FOOTNOTE, _hide_name(footnote)))

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
