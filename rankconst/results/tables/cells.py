"""Read a row of a table and the text of its cells: blanks, marks of footnotes, whole numbers."""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple, Self

from rankconst.errors import DataError
from rankconst.results.reading import NumberText
from rankconst.values.bounds import is_infinite
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankconst.results.document import Document

PAIR = re.compile(r"[:=]\s*(?:[\d.]+\s*)?$|\d[.,]\d")
"""What holds a name and its value, as in a log: ``MRR: 0.3``, which is not a heading."""

_LONGEST = 400  # characters; a longer cell has no marks
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{0,20})?(?:[eE][+-]?\d\d?)?", re.ASCII)
_BLANKS = {"", "-", "--", "---", "–", "—", "−", "‐", "?", "×", "✗", "/", "."}
_MISSING = {
    *("n/a", "na", "n.a.", "none", "null", "tbd", "tba"),
    *("oom", "o.o.m.", "out of memory", "oot", "timeout"),
}
FOOTNOTE_SIGNS = "†‡§¶⋆∗★☆ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹"
"""Signs that refer to a note; an asterisk may."""

_BOUND = r"-?(?:\d{1,3}(?:,\d{3})++|\d*\.\d+)%?"
# Marks behind a number.
_MARKS = (
    rf"[*#{FOOTNOTE_SIGNS}]",
    r"\^(?:\{[0-9a-zA-Z*†‡§¶,\s\[\]]{1,8}\}|[0-9a-zA-Z*†‡§¶])",
    r"\[\d{1,3}(?:,\s*\d{1,3}){0,5}\]",  # references
    # An interval: (0.337–0.339), [0.337, 0.339]; 0.3 (2-3) may be of other numbers.
    rf"[(\[]\s*+{_BOUND}\s*+(?:-{{1,2}}|\u2013|,\s)\s*+{_BOUND}\s*+[)\]]",
    # A gain in brackets, behind an arrow or a plus sign; 0.3^{-1} and 0.3-0.4 have none.
    r"[(\[]\s*[-+\u2212\u2013↑↓▲▼]\s*+[\d.]++\s*+(?:%|pp|pts?)?\s*+[)\]]",
    r"(?:[_^]?\{?[↑↓▲▼]\s*|(?:(?<=\s)|[_^])\{?\+)[\d.]++%?\}?",
)
_MARK = re.compile(rf"(?<!\s)\s*(?:{'|'.join(_MARKS)})$")
# The same in front.
_LEADING = re.compile(r"^(?:[*†‡§¶\s]|\^(?:\{[*†‡§¶,\s]{1,8}\}|[*†‡§¶]))++")
_BESIDE = re.compile(
    r"(\d+(?:\.\d+)?|\.\d+)\s*+"
    r"(?:\((?:±|\+/-|\+-|(?:std|sd|s\.d|\u03c3)\.?\s*+[=:]?)?|\^\{\s*+(?:±|\+/-|\+-))"
    r"\s*+(\d*\.\d+)\s*+[)}]",
    re.ASCII | re.IGNORECASE,
)
_MOST_DEVIATION = 0.25  # of the number; what is greater is another result, not a deviation


class Placed(str):
    """A cell as written, with the part of the document that prints it.

    A cell that another one extends into has no text, and the part of that other one.
    """

    __slots__ = ("end", "start")
    start: int
    end: int

    def __new__(cls, text: str, start: int = 0, end: int = 0) -> Self:
        """Return a cell."""
        cell = super().__new__(cls, text)
        cell.start, cell.end = start, end
        return cell

    @classmethod
    def cut(cls, text: str, start: int, end: int) -> Self:
        """Return a part of a text as a cell, without the blanks around it."""
        part = text[start:end]
        first = end - len(part.lstrip())
        return cls(part.strip(), first, max(first, start + len(part.rstrip())))

    def extend(self, width: int) -> list[Placed]:
        """Return the cell with the empty ones of the further columns that it spans."""
        return [self, *(Placed("", self.start, self.end) for _ in range(1, width))]


class Row(NamedTuple):
    """A row of a table."""

    line: int  # where it starts, counted from 1
    # As written, Placed where a document can be rewritten; what a cell spans is empty.
    cells: tuple[str, ...]
    plain: tuple[str, ...]  # without markup and surrounding blanks
    # Maps columns to the number of columns that their cells span. None if the format cannot say:
    # then a heading extends over the empty cells behind it.
    spans: Mapping[int, int] | None = None

    def widen(self, width: int) -> Row:
        """Return the row with empty cells behind it up to a width."""
        blanks = tuple(repeat("", width - len(self.cells)))
        return self._replace(cells=self.cells + blanks, plain=self.plain + blanks)


# Columns that cells of a table may span in all, besides one for each sign of the file.
_MOST_COVERED = 10_000


def check_spans(covered: int, document: Document, line: int) -> None:
    """Refuse a table whose cells span more columns than any has; reading it would take long."""
    if covered > _MOST_COVERED + len(document.text):
        raise DataError(
            f"{document.at(line)}: up to here cells span {covered:,} columns in all, more than any "
            "table has. Correct their widths (\\multicolumn, colspan, rowspan)."
        )


MOST_COLUMNS = 20_000
"""The most cells of a row: millions in one line use up memory before there is a message."""


def check_width(delimiters: int, document: Document, line: int) -> None:
    """Refuse a row that has too many delimiters, before it is split."""
    if delimiters > MOST_COLUMNS:
        raise DataError(
            f"{document.at(line)}: a row with more than {MOST_COLUMNS:,} cells. "
            "Are line ends missing? Otherwise, divide the table into several."
        )


def is_blank(text: str) -> bool:
    """Tell whether a cell is empty or holds a sign for nothing, such as a dash."""
    return text in _BLANKS


def is_missing(text: str) -> bool:
    """Tell whether a cell is blank or says in words that there is no number: ``n/a``, ``OOM``."""
    return text in _BLANKS or text.lower() in _MISSING


def is_plain_number(text: str) -> bool:
    """Tell whether a cell is a number without marks, sign or separators, which is quick."""
    return _PLAIN.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Tell whether a cell is a number, apart from marks."""
    if is_plain_number(text):
        return True
    try:
        parse_value(strip_marks(text))
    except DataError:
        return False
    return True


def has_number(cells: Iterable[str]) -> bool:
    """Tell whether one of some cells is a number, apart from marks."""
    return any(is_number(cell) for cell in cells)


def are_blank(cells: Iterable[str]) -> bool:
    """Tell whether all of some cells are blank."""
    return all(is_blank(cell) for cell in cells)


# Uncertainties that are not written with ±: 177(3), 0.338(5)(30), 177^{+30}_{-20}.
_ASYMMETRIC = r"[\^_]\{?\s*[+\u2212-][\d.]+\}?\s*"
_UNCERTAIN = re.compile(rf"(?<![.\d])\d+\(\d{{1,2}}\)$|\d\(\d+\)\(\d+\)|{_ASYMMETRIC}{_ASYMMETRIC}")


_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)")


MARKED_UP = {"latex", "markdown"}
"""The formats whose cells have markup."""


def strip_markup(cell: str, form: str) -> str:
    """Return a cell without the markup of its document."""
    if form == "latex":
        from rankconst.results.tables.tex import strip_latex

        return strip_latex(cell)
    return strip_marks(_LINK.sub(r"\1", cell))


def strip_marks(text: str) -> str:
    """Remove marks of footnotes around a number, but nothing that could be part of it.

    "0.3^{a}" and "†0.3*" become "0.3", and "10^{3}" stays. A cell of marks alone stays, too.
    """
    if len(text) > _LONGEST:
        return text

    bare = _LEADING.sub("", text, count=1)
    while (mark := _MARK.search(bare)) is not None:
        number, sign = bare[: mark.start()], mark[0][0]
        if number == "10" and sign in "^¹²³⁴⁵⁶⁷⁸⁹":
            break
        bare = number

    return bare or text


_COMMA = re.compile(r"[+-]?(\d+),(\d+)(?:\s*(?:±|\+/-)\s*\d+,\d+|\s*\(\d+,\d+\))?\s*%?", re.ASCII)
_EITHER = re.compile(r"[+-]?(?!0,)\d{1,3},\d{3}(?!\d)", re.ASCII)  # decimals or thousands: 3,340
_BOTH = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d+", re.ASCII)  # 1.770,5
_POINT = re.compile(r"[+-]?\d*\.\d+.{0,20}", re.ASCII)  # 0.338
# Where commas set decimals apart, points are of thousands.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)


def find_commas(texts: Iterable[str], decimal: str | None) -> dict[str, str]:
    """Map the numbers with a comma before decimals to the same numbers with a point.

    `decimal` is "comma" or "point" if the user says so. Else a comma that cannot be of thousands,
    ``0,338``, is certain if no number has a point before decimals; ``3,340`` stays open.

    >>> find_commas(["0,338", "3,340"], None), find_commas(["0,338", "0.4"], None)
    ({'0,338': '0.338'}, {})
    """
    if decimal == "point":
        return {}

    distinct = {text for text in texts if "," in text or "." in text}
    commas = {text: text.replace(",", ".") for text in distinct if _COMMA.fullmatch(text)}
    both = [text for text in distinct if _BOTH.fullmatch(text)]
    thousands = [text for text in distinct if _THOUSANDS.fullmatch(text)]
    if decimal == "comma" or both:
        for text in (*both, *thousands):
            commas[text] = text.replace(".", "").replace(",", ".")
        return commas
    if any(_POINT.fullmatch(text) for text in distinct.difference(thousands)):
        return {}
    return {text: point for text, point in commas.items() if not _EITHER.match(text)}


def read_commas(rows: Iterable[Row], decimal: str | None) -> tuple[list[Row], bool]:
    """Return the rows with decimal points for commas, and True if there are any.

    Next to a comma, a number that is open, ``3,340``, becomes a text that is refused later.
    """
    listed = list(rows)
    commas = find_commas((strip_marks(text) for row in listed for text in row.plain), decimal)
    if not commas:
        return listed, False

    read = []
    for row in listed:
        plain = tuple(_read_comma(text, commas) for text in row.plain)
        read.append(row._replace(plain=plain))

    return read, True


def _read_comma(text: str, commas: Mapping[str, str]) -> str:
    """Return a cell with a decimal point; an open one becomes a text that is no number."""
    bare = strip_marks(text)
    if bare in commas:
        return commas[bare]
    return f"{text}{_OPEN}" if _has_open_sign(bare) else text


_OPEN = "?"  # behind a number that may have decimals or thousands, to be left out


def drop_open(text: str) -> str:
    """Return a number that may have decimals or thousands as it was written."""
    bare = text.removesuffix(_OPEN)
    return bare if _has_open_sign(bare) else text


def _has_open_sign(number: str) -> bool:
    """Tell whether the sign in a number may set decimals or thousands apart: 3,340 or 3.340."""
    return bool(_COMMA.fullmatch(number) or _THOUSANDS.fullmatch(number))


_WHOLE = re.compile(r"\d{4,}|\d{1,3}(?:,\d{3})+", re.ASCII)  # 3340 or 3,340

UNSURE = "decimals or thousands? Others of its column are thousands: write 3340, or 3.34"
"""Why 3.340 is left out next to 3340 or 3,384."""


def find_unsure(texts: Iterable[str]) -> set[str]:
    """Find the numbers of a column that may have decimals or thousands: 3.340 next to 3340."""
    bare = {text: strip_marks(text) for text in texts}
    points = {text for text, number in bare.items() if _THOUSANDS.fullmatch(number)}
    if not points or not any(_WHOLE.fullmatch(number) for number in bare.values()):
        return set()
    return points.union(text for text, number in bare.items() if _EITHER.fullmatch(number))


def read_deviation(text: str) -> str | None:
    """Write a number with its deviation in parentheses, ``0.551 (0.001)``, with ±; else None."""
    match = _BESIDE.fullmatch(text)
    if match is None or float(match[2]) > _MOST_DEVIATION * float(match[1]):
        return None
    return f"{match[1]} ± {match[2]}"


# Numbers.

_MINUS = "-\u2212\u2013"
SIGNS = (*_MINUS, "+")
"""Signs before a difference."""

DIFFERENCE = "a difference, as another number of its row is, which has a sign"
"""Why a share is left out if another one of its row has a sign."""

_NUMBER_FIRST = re.compile(r"[^\w\s,.]{1,3}\s*\d|\d[\d.]*(?:\s+\d|\s*[^\d.,:\s])")
_APART = "write the number alone, and what is next to it into a column of its own"


def read_cell(text: str, *, spread: bool, exact: bool) -> NumberText:
    """Return the number in a cell, else an empty text and why there is none, as half a sentence.

    Both are empty for a blank cell. Columns of a `spread`, such as "MRR ± std", need both numbers,
    ``0.3 ± 0.01``. In `exact` cells, which a program wrote, a plus sign is of the number itself.
    """
    if is_plain_number(text) and not spread:
        return NumberText(text)

    reason = _find_reason(text, exact=exact)
    if reason is not None:
        return NumberText("", reason)

    bare = strip_marks(text)
    bare = read_deviation(bare) or bare
    if is_infinite(bare):  # batches.py reads the numbers next to it
        return NumberText(bare)

    try:
        value = parse_value(bare, exact=exact)
    except DataError as error:
        _, separator, hint = str(error).partition(" is not a number.")
        if not separator:
            hint = str(error)
        hint = hint.strip(" .")
        if not hint and _NUMBER_FIRST.match(bare):
            hint = _APART
        reason = f"not a number: {hint[:1].lower()}{hint[1:]}" if hint else "not a number"
        return NumberText("", reason)

    if spread and value.deviation is None:
        return NumberText("", "a deviation without its mean")
    return NumberText(bare)


def _find_reason(text: str, *, exact: bool) -> str | None:
    """Return why a cell is not read as a number; empty for a blank cell, None if it may be one."""
    if is_blank(text):
        return ""
    if text.startswith("+") and not exact:
        return "a difference, since it has a plus sign"
    if is_missing(text):
        return "not a number"
    if text.endswith(_OPEN) and _has_open_sign(strip_marks(text.removesuffix(_OPEN))):
        return "decimals or thousands (add --decimal comma or --decimal point)"
    if len(text) <= _LONGEST and _UNCERTAIN.search(text):
        return "an uncertainty or a footnote? Write ±, or a blank before the mark"
    return None
