"""Footnotes of tables: marks next to numbers and names, and what the text around the table says of them.

A footnote is about what has its mark, not about the whole table: ``0.338†`` above ``† on the validation set``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankconst.results.tables.cells import Row, is_number
from rankconst.results.tables.surroundings import FOOTNOTE, Above, is_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankconst.results.reading import Notes

_SYMBOLS = "*†‡§¶⋆★☆"
_RAISED = str.maketrans("ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹∗", "abcde123456789*")
# Marks behind a name or a number, and in a text.
_MARK = rf"\^\{{[^{{}}]{{1,12}}\}}|\^\w|[{_SYMBOLS}∗]|[ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹]|\[\^\w{{1,20}}\]"
_LAST = re.compile(rf"(?:{_MARK})$")
_FIRST = re.compile(rf"[{_SYMBOLS}∗]++(?=\s?\.?\d)")
_WITHIN = re.compile(_MARK)
_BEGIN = re.compile(rf"(?:{_MARK})")
# Marks that are markup.
_REFERRED = re.compile(r"\[\^\w{1,20}\]|\\tnote\{[^{}]{1,12}\}|\\footnotemark(?:\[\w{1,12}\])?")
# The text of a footnote in its cell.
_INLINE = re.compile(r"\\(?:table)?footnote(?:\[\w{1,12}\])?\{((?:[^{}]|\{[^{}]{0,100}\}){3,300})\}")
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n")
_LONGEST = 400
_OWN = "footnote "  # before the text of a footnote in its cell


def _name_marks(text: str) -> set[str]:
    """Return the marks that a text is made of, raised or not."""
    # A mark of LaTeX without a number goes with a text without one.
    signs = re.sub(r"\\tnote|\\footnotemark\[|[\\\[\]{}^]", " ", text.translate(_RAISED))
    return {mark for mark in re.findall(rf"\w+|[{_SYMBOLS}]", signs) if mark}


def find_marks(cell: str, plain: str) -> set[str]:
    """Return the marks at the ends of a cell, given as written and without markup, in which some are lost."""
    found: set[str] = set()
    if len(cell) <= _LONGEST and ("\\" in cell or "[^" in cell):
        found.update(f"{_OWN}{match[1]}" for match in _INLINE.finditer(cell))
        found.update(*(_name_marks(match[0]) for match in _REFERRED.finditer(cell)))
    if len(plain) > _LONGEST or (plain.isascii() and plain.isalnum()):
        return found
    first = _FIRST.match(plain)
    found |= set() if first is None else _name_marks(first[0])
    while (last := _LAST.search(plain)) is not None:
        found |= _name_marks(last[0])
        plain = plain[: last.start()].rstrip()
    return found


def _drop_mark(text: str) -> str:
    begin = _BEGIN.match(text)
    return text if begin is None else text[begin.end() :].lstrip()


def take_footnotes(above: Iterable[Above], marks: set[str]) -> tuple[tuple[Above, ...], dict[str, str]]:
    """Return the texts of a table without what they say of marks in it, and that by mark."""
    rest, found = list[Above](), dict[str, str]()
    for each in above:
        if each.kind == "heading":
            rest.append(each)
            continue
        kept, last = list[str](), set[str]()
        for sentence in _SENTENCE.split(each.text):
            parts = _split(sentence)
            if not parts and last and each.kind == FOOTNOTE:  # it goes on
                parts = [(last, sentence)]
            last = parts[-1][0] if parts else last
            own = [(named & marks, part) for named, part in parts if named & marks]
            for named, part in own:
                found |= {mark: f"{found[mark]} {part}" if mark in found else part for mark in named}
            if not own:
                kept.append(sentence)
        if kept and (each.kind != FOOTNOTE or is_note(_drop_mark(each.text))):
            rest.append(each._replace(text=" ".join(kept)))
    return tuple(rest), found


def _split(sentence: str) -> list[tuple[set[str], str]]:
    """Return the parts of a sentence with the marks that each is about: one, unless it begins with a mark."""
    places = [match.start() for match in _WITHIN.finditer(sentence) if _defines(sentence, match)]
    if not places:
        return []
    if sentence[: places[0]].strip(" \t([\\"):
        return [(_name_marks(" ".join(_WITHIN.findall(sentence))), sentence)]
    parts = [sentence[start:end] for start, end in zip(places, [*places[1:], len(sentence)], strict=True)]
    return [(_name_marks(" ".join(_WITHIN.findall(part))), part) for part in parts]


def _defines(sentence: str, mark: re.Match[str]) -> bool:
    """Tell whether a sentence says what a mark means; one at its end, or behind a word's end, refers to a footnote."""
    before, behind = sentence[: mark.start()], sentence[mark.end() :]
    alone = not before or not (before[-1].isalnum() or before[-1] in ")]")
    return (alone and any(map(str.isalnum, behind))) or _MARKED_BY.search(before[-_NEAR:]) is not None


_MARKED_BY = re.compile(r"\b(?:with|by|as|an?)\s$", re.IGNORECASE)
_NEAR = 12


def leave_marked(rows: Sequence[Row], footnotes: Mapping[str, str], notes: Notes) -> list[Row]:
    """Return a table without the numbers that a footnote says something else of: their own, their row's or column's."""
    columns: dict[int, set[str]] = {}
    left = list[Row]()
    for row in rows:
        marks = [find_marks(*each) & footnotes.keys() for each in zip(row.cells, row.plain, strict=False)]
        numbers = [is_number(text) for text in row.plain]
        if not any(numbers):
            for j, own in enumerate(marks):
                for place in range(j, j + (row.spans or {}).get(j, 1)) if own else ():
                    columns.setdefault(place, set()).update(own)
        named = set[str]().union(*(own for own, number in zip(marks, numbers, strict=True) if not number))
        plain = list(row.plain)
        for j, number in enumerate(numbers):
            said = sorted(marks[j] | named | columns.get(j, set())) if number else []
            if said:
                notes.add(row.line, row.plain[j], _SAID.format(_RAISE.sub(r"\1", footnotes[said[0]].strip())))
                plain[j] = ""
        if not any(numbers) or any(text for text, number in zip(plain, numbers, strict=True) if number):
            left.append(row._replace(plain=tuple(plain)))
    return left


_RAISE = re.compile(r"\^\{([^{}]*)\}")
_SAID = "its footnote {!r} says something of its ranking tasks: add a column that says it"


def tell_footnotes(
    rows: Sequence[Row], above: Iterable[Above], tells: Callable[[str], bool], notes: Notes
) -> tuple[list[Row], tuple[Above, ...]]:
    """Return a table and its texts without footnotes, and without the numbers of which one tells the ranking tasks."""
    marks = set[str]().union(*(find_marks(*each) for row in rows for each in zip(row.cells, row.plain, strict=False)))
    rest, footnotes = take_footnotes(above, marks)
    footnotes |= {mark: mark.removeprefix(_OWN) for mark in marks if mark.startswith(_OWN)}
    telling = {mark: text for mark, text in footnotes.items() if tells(text)}
    return (leave_marked(rows, telling, notes) if telling else list(rows)), rest
