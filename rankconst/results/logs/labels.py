"""What labels in the lines of a log say: that numbers are of other tasks, of a part of them, or no values at all.

A label is a piece of a line that signs set apart, and neither the name of a setting nor its value: ``[few-shot] MRR:
0.3``, ``seen: {'mrr': 0.3}``, ``MRR: 0.3 (so far)``, ``Results (unseen entities):``, ``few-shot/mrr``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import SPLITS
from rankconst.results.logs.phrases import BREAK, EVALUATED, SPLIT_OF, WORD, read_phrase
from rankconst.results.tables.surroundings import find_task, tell_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PIECE = re.compile(rf"{BREAK.pattern}|[()]")
"""What divides the pieces of a line."""

# "temporal: False": what is not so.
_OFF = re.compile(r"\b\w{1,40}(?: \w{1,40})?\s{0,3}[:=]\s{0,3}(?:false|none|no|0)\b(?!\.\d)", re.IGNORECASE)
# Search engines are evaluated in the same words; "~/Documents/kge" is a folder.
_RETRIEVAL = re.compile(
    r"(?<![\w/\\.~-])(?:documents?|passages?|ms ?marco|beir|trec|retrievers?)(?![\w/\\-])", re.IGNORECASE
)
_QUESTIONS = re.compile(r"\bquestion[- ]answering\b|\bKGQA\b|\bWebQ(?:uestions)?SP\b|\bMetaQA\b", re.IGNORECASE)


def find_line_task(text: str) -> str | None:
    """Return the task of a line; temporal graphs are known by their names, and logs have many a timestamp."""
    if _TRIPLES.fullmatch(text.strip(_AROUND)) is not None:
        return None  # they are counted
    found = find_task(_OFF.sub(" ", text), "temporal") or ("retrieval" if _RETRIEVAL.search(text) else None)
    return found or ("question answering" if _QUESTIONS.search(text) else None)


def cut(text: str) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a text, each with the place of its end."""
    start = 0
    for sign in PIECE.finditer(text):
        yield text[start : sign.start()], sign.start()
        start = sign.end()
    yield text[start:], len(text)


# "2020-01-01 00:00:00,123 - INFO - ", "[10:00:00][INFO] ", "INFO:root:".
_STAMP = re.compile(
    r"[\s\[(]{0,9}+(?:(?:\d{2,4}[-/.]){2}\d{2,4}[T\s]{0,3})?+(?:\d\d?:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?+[\s\])|,-]{0,9}+"
    r"\[?(?:(?:INFO|DEBUG|WARNING|ERROR)\b(?::root)?)?[\s\])|:-]{0,9}+"
)


def drop_stamp(text: str) -> str:
    """Return a line without what a logger writes at its beginning: the time, and ``INFO``."""
    stamp = _STAMP.match(text)
    written = stamp is not None and any(map(str.isalnum, stamp[0]))
    return text[stamp.end() :] if stamp is not None and written else text


@lru_cache(maxsize=8192)
def tell_labels(text: str, *, named: bool = False) -> Mapping[str, str]:
    """Return what the labels in a text say: the task, or why it is unclear, or how many triples there are.

    The last piece may be the name of a number behind the text.
    """
    said: dict[str, str] = {}
    for label in list_labels(text, named=named):
        said |= dict(read_label(label))
    return said


def list_labels(text: str, *, named: bool = False) -> Iterator[str]:
    """Yield the labels in a text; of a piece with the name of a metric what is before that name."""
    pieces = [(piece.strip(_AROUND), text[end : end + 1]) for piece, end in cut(text)]
    for place, (piece, sign) in enumerate(pieces):
        last = place == len(pieces) - 1
        if sum(map(str.isalpha, piece)) == 0 or (place and _is_key(*pieces[place - 1])):
            continue
        if (name := _METRIC.search(piece)) is not None:
            head = piece[: name.start()].strip(_AROUND)
            yield from dict.fromkeys((_write_blanks(head), *map(_write_blanks, head.split("/"))))
        elif not (named and last) and not (sign in _SIGNS and _has_value(pieces[place + 1], last=named)):
            yield _write_blanks(piece)


_AROUND = " \t#*.~'\"/_"
_SIGNS = {":", "="}
_METRIC = re.compile(r"(?<![a-z])(?:mrr|mr|mean[ _](?:reciprocal[ _])?rank|hits?(?![a-z])|h@)(?![a-z])", re.IGNORECASE)
_INNER_BARS = re.compile(r"(?<=[^\W_])_(?=[^\W_])")


def _write_blanks(piece: str) -> str:
    return _INNER_BARS.sub(" ", piece)


def _is_key(piece: str, sign: str) -> bool:
    """Tell whether what is behind a piece is its value, unless it is one that leads to a label: ``Evaluating: ...``."""
    words = WORD.findall(piece.lower())
    leads = not _LEADING.isdisjoint(words) and "training" not in words and read_phrase(piece).understood
    return sign in _SIGNS and bool(words) and not leads


def _has_value(behind: tuple[str, str], *, last: bool) -> bool:
    """Tell whether a piece is the value of the one before it, and not the name of a number, or of a setting."""
    piece, sign = behind
    named = sign in _SIGNS or (last and not sign) or _METRIC.search(piece) is not None
    return any(map(str.isalnum, piece)) and not named and not piece.endswith("%")


_LEADING = EVALUATED | SPLIT_OF.keys() | {"info"}


@lru_cache(maxsize=8192)
def read_label(label: str) -> tuple[tuple[str, str], ...]:
    """Return what a label says, as pairs."""
    if (counted := _TRIPLES.fullmatch(label)) is not None:
        named = SPLIT_OF.get((counted[2] or "").lower())
        return tuple((f"{split}_triples", counted[1].replace(",", "")) for split in SPLITS if named in {None, split})
    if len(label) > _LONGEST or _BEST.search(label) is not None:
        return ()
    if (task := find_line_task(label)) is not None:
        return (("task", task),)
    told = tell_row(label) if "filter" in label.lower() else None  # to read all as a row of a table takes long
    return (("unclear", told.unclear),) if told is not None and told.unclear else ()


_LONGEST = 80
_TRIPLES = re.compile(
    r"(\d{1,3}(?:,\d{3})+|\d{1,9}) (?:(test|valid(?:ation)?) )?(?:triples|facts)", re.ASCII | re.IGNORECASE
)
# What is the best of several evaluations so far is of a whole one.
_BEST = re.compile(r"\bbest\b", re.IGNORECASE)
