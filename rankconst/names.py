"""Read names and counts as people write them, and show them in messages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from rankconst.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

_LONGEST_SHOWN = 80  # letters of a name in a message
_MOST_LISTED = 3  # texts in a message; others are counted
_NOT_PLAIN = re.compile("[^a-z0-9]+")
_COUNT = re.compile(r"(\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.0*)?", re.ASCII)
# What controls a terminal or turns the direction of text, and halves of surrogate pairs; but not
# tabs and line ends.
_CONTROLS = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)

# Cyrillic and Greek letters that look like Latin ones.
_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеоѕіјрсхуһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "ABESIJKMHOPCTXYaeosijpcxyhdqwABEZHIKMNOPTYXo",
)
_WORD = re.compile(r"[^\W\d_]+")
_VARIANTS = ("<font>", "<wide>", "<narrow>", "<compat>")


def squash(name: str) -> str:
    """Return `name` in lower case without anything but ASCII letters and digits."""
    return _NOT_PLAIN.sub("", name.lower())


def write_latin(text: str) -> str:
    """Return a text with its words in Latin letters if these look the same, and nothing unseen.

    >>> write_latin("t\u0430il, \ufb01ltered, va\u00adlid")
    'tail, filtered, valid'
    """
    if text.isascii():
        return text
    visible = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    return _WORD.sub(_write_word, visible)


def _write_word(match: re.Match[str]) -> str:
    """Return a word in Latin letters if all of it looks like them."""
    latin = "".join(_write_letter(sign) for sign in match[0].translate(_ALIKE))
    return latin if latin.isascii() else match[0]


def _write_letter(sign: str) -> str:
    """Replace a variant of Latin letters, such as a ligature."""
    if not sign.isalpha() or not unicodedata.decomposition(sign).startswith(_VARIANTS):
        return sign
    latin = unicodedata.normalize("NFKC", sign)
    return latin if latin.isascii() else sign


def is_key(text: str) -> bool:
    """Return True if a text can be the key of a dataset, and so the name of a file."""
    return bool(squash(text)) and all(sign.isalnum() or sign in "_-." for sign in text)


def shorten(name: str) -> str:
    """Return a name as messages show it."""
    return name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}..."


def spell(value: object, how: Callable[[object], str] = repr) -> str:
    """Return a value as text, with a substitute for a number too long for Python to write."""
    try:
        return how(value)
    except ValueError:
        return f"<{type(value).__name__} of more digits than can be written>"


def tell_apart(value: object) -> str:
    """Return a text that different values do not share, unless they are written alike."""
    try:
        return repr(value)
    except ValueError:
        return f"id {id(value)}"


def show_value(value: object) -> str:
    """Return a value of any type as messages show it."""
    return shorten(spell(value))


def show_controls(text: str) -> str:
    r"""Return a text with its control characters written out, ESC as ``\x1b``, for terminals."""
    return text if text.isprintable() else _CONTROLS.sub(_write_out, text)


def _write_out(sign: re.Match[str]) -> str:
    code = ord(sign[0])
    return f"\\x{code:02x}" if code < 0x7F else f"\\u{code:04x}"


def write_html(columns: Mapping[str, Iterable[str]], caption: str) -> str:
    """Return columns of text, by their headings, as a table for a notebook."""
    rows = [_write_row("th", columns)]
    rows += [_write_row("td", row) for row in zip(*columns.values(), strict=True)]
    return f"<table><caption>{_escape(caption)}</caption>{''.join(rows)}</table>"


def _write_row(tag: str, row: Iterable[str]) -> str:
    cells = [f"<{tag}>{_escape(cell)}</{tag}>" for cell in row]
    return f"<tr>{''.join(cells)}</tr>"


def write_preformatted(text: str) -> str:
    """Return a text as a notebook shows it, line by line."""
    return f"<pre>{_escape(text)}</pre>"


def _escape(text: str) -> str:
    from html import escape

    return escape(show_controls(text))


def fold(names: Iterable[str]) -> set[str]:
    """Return names in lower case: databases do not tell Note from note."""
    return {name.lower() for name in names}


def keep_apart(name: str, others: Container[str], ends: Sequence[str] = ("",)) -> str:
    """Return a name for an added column that, with any of its endings, no other column has.

    The names of the others are in lower case.

    >>> keep_apart("Note", {"note", "mrr"})
    'Note_added'
    """
    while any(f"{name}{end}".lower() in others for end in ends):
        name += "_added"
    return name


def list_first(texts: Sequence[str]) -> str:
    """List texts as messages show them: ``a; b; c and 2 more``."""
    more = f" and {len(texts) - _MOST_LISTED:,} more" if len(texts) > _MOST_LISTED else ""
    return "; ".join(texts[:_MOST_LISTED]) + more


def join_words(words: Sequence[str]) -> str:
    """Join words as a sentence does: ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def join_versions(versions: Iterable[str]) -> str:
    """Name the versions of tables that numbers are from, each once.

    >>> join_versions(["3.0.0", "3.0.0 + unreleased"])
    '3.0.0 + unreleased'
    """
    return " + ".join(dict.fromkeys(" + ".join(versions).split(" + ")))


def count_of(number: int, noun: str) -> str:
    """Return a count with its noun: ``1 row``, ``1,234 rows``."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def read_count(text: str) -> int | None:
    """Read a whole number such as ``402``, ``402.0`` or ``40,876``; None for any other text."""
    match = _COUNT.fullmatch(text)
    return None if match is None else int(match[1].replace(",", ""))


# A typed beginning of a name suggests the whole, if it has so many letters and begins so few names.
_LEAST_BEGUN = 4
_MOST_BEGUN = 3


def require_text(name: object) -> str:
    """Return a name; UnknownNameError if it is not text, such as the NaN of an empty cell."""
    if isinstance(name, str):
        if "\0" in name:
            raise UnknownNameError(f"{show_value(name)} is not a name: it holds a NUL character.")
        return name
    raise UnknownNameError(
        f"{show_value(name)} is not a name: expected text, got {type(name).__name__}."
    )


class Names:
    """Keys with their spellings, compared without case and punctuation: ``FB15k-237``."""

    def __init__(self, kind: str, spellings: Mapping[str, Iterable[str]], remedy: str = "") -> None:
        self._kind = kind  # the noun for messages: "dataset"
        self._spellings = spellings  # key to its further spellings; the key itself always counts
        self._remedy = remedy  # a sentence with the command that lists the names

    @cached_property
    def _keys(self) -> dict[str, str]:
        keys: dict[str, str] = {}
        for key, spellings in self._spellings.items():
            for spelling in (key, *spellings):
                keys.setdefault(squash(spelling), key)
        return keys

    def find(self, name: str) -> str | None:
        """Return the key of a name in any spelling; None if there is none."""
        require_text(name)
        for key in (name, name.lower()):
            if key in self._spellings:
                return key
        if name.rstrip().endswith("+"):  # "WN18RR+" was made from WN18RR
            return None
        return self._keys.get(squash(name))

    def resolve(self, name: str) -> str:
        """Return the key of a name in any spelling; UnknownNameError suggests the nearest."""
        key = self.find(name)
        if key is not None:
            return key
        short = shorten(name)
        parts = (f"unknown {self._kind} {short!r}.", self._suggest(short), self._remedy)
        raise UnknownNameError(" ".join(part for part in parts if part))

    def _suggest(self, name: str) -> str:
        import difflib  # imported here, where speed no longer matters

        typed = squash(name)
        begun = dict.fromkeys(
            key for spelling, key in self._keys.items() if spelling.startswith(typed)
        )
        if len(typed) >= _LEAST_BEGUN and 0 < len(begun) <= _MOST_BEGUN:
            return f"Did you mean {' or '.join(begun)}?"

        near = difflib.get_close_matches(typed, self._keys, n=8, cutoff=0.6)
        # difflib rates exchanged letters, as in "mmr" or "htis@10", below missing ones.
        near.sort(key=lambda spelling: (len(spelling), set(spelling)) != (len(typed), set(typed)))
        nearest = list(dict.fromkeys(self._keys[spelling] for spelling in near))[:3]
        if nearest:
            return f"Did you mean {' or '.join(nearest)}?"
        return f"Known: {', '.join(self._spellings)}." if len(self._spellings) <= 12 else ""


def as_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return several names; a single one is a list of one, not of its letters."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        return (require_text(names),)
    return tuple(require_text(name) for name in names)


def resolve_name(
    kind: str, name: str, spellings: Mapping[str, Iterable[str]], remedy: str = ""
) -> str:
    """Return the key of a name in any spelling, among names that are needed once."""
    return Names(kind, spellings, remedy).resolve(name)
