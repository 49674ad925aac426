"""Find the graphs that a text names, in any spelling of the registry."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.benchmarks import (
    list_ambiguous,
    list_elsewhere,
    list_namesakes,
    list_titles,
    load_benchmarks,
)
from rankconst.catalogue.literature import load_suites
from rankconst.names import squash

if TYPE_CHECKING:
    from collections.abc import Mapping


class Mention(NamedTuple):
    """A graph that a text names."""

    text: str  # as it is written there, with what is attached to it
    key: str  # the same for all spellings of one graph
    known: bool  # True if its ranking tasks are in the registry
    start: int  # where the text names it
    end: int
    stem: int = 0  # where the registered name ends, if something is attached behind it


MOST_WORDS = 6
"""The most words of a name: "Unified Medical Language System", "ogbl - wikikg2"."""

_WORD = re.compile(r"[A-Za-z0-9]+")
_GAP = re.compile(r"[\s(_]{1,3}|\s?[-.:\u2010-\u2013]\s?|")
# Behind a letter, as in "Inductive (e, r) (23 graphs)"; "FB15k, 237" is not a name.
_LETTER_GAP = re.compile(r"[\s()_,]{1,3}")
PERCENT = "％"
"""The sign behind an amount, in a text whose other signs of percentages are gone."""

# Additions that make another name of a name: WN18RR-few, WN18RR*, OWE-WN18RR, WN18RR v5, WN18RR
# 2.0, WN18RR_small, WN18RR (10%), WN18RR (k=5), 50% WN18RR; "FB15k-237+WN18RR" names two graphs.
_BEHIND = re.compile(
    r"(?:[-.\u2010-\u2013][A-Za-z0-9]+)+|[*]|\^?\++(?![\w+])"
    r"|\s?[vV]\d{1,2}(?!\w|\.\d)|\s[2-9]\.0(?![\d%]|\.\d)"
    r"|[\s_(]{1,2}(?:new|small|tiny|mini|lite|\d{1,3}k)\b\)?(?!\s\w)"
    rf"|\s?[(\[]\s?(?:\d{{1,2}}\s?[%{PERCENT}]|[^()\[\]=]{{1,20}}=[^()\[\]]{{1,20}})\s?[)\]]"
)
_BEFORE = re.compile(r"(?:[A-Za-z0-9]+[-\u2010-\u2013])+$" rf"|\b\d{{1,2}}\s?[%{PERCENT}]\s$")
_FARTHEST = 40  # letters before a name in which an addition to it is looked for
_SHORTEST = 3  # a registered name within a longer word has more letters than this


@functools.lru_cache(maxsize=4096)
def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the graphs that a text names. The longest name counts.

    The sources of benchmarks count only if nothing else is named: "WN18 (WordNet)" names WN18.
    """
    mentions: dict[str, Mention] = {}
    words = list(_WORD.finditer(text))
    i = 0
    while i < len(words):
        mention = _read_name(text, words[i : i + MOST_WORDS])
        if mention is None:
            i += 1
            continue
        mentions.setdefault(mention.key, mention)
        while i < len(words) and words[i].start() < mention.end:
            i += 1

    benchmarks = tuple(mention for key, mention in mentions.items() if key not in _list_sources())
    return benchmarks or tuple(mentions.values())[:1]


def _read_name(text: str, words: list[re.Match[str]]) -> Mention | None:
    """Return the graph whose name begins with the first of some words; None if none does."""
    length = _count_words(text, words)
    if not length:
        return _read_joined(words[0])

    start = words[0].start()
    end = words[length - 1].end()
    plain = squash(text[start:end])
    if text.count("(", start, end) and text[end : end + 1] == ")":
        end += 1

    before = _BEFORE.search(text, max(start - _FARTHEST, 0), start)
    behind = _BEHIND.match(text, end)
    # An asterisk behind a name marks another graph, but *WN18RR* is emphasis.
    if before is None and (behind is None or text[max(start - 1, 0) : start] == "*"):
        key = _list_registered().get(plain)
        return Mention(
            text=text[start:end], key=key or plain, known=key is not None, start=start, end=end
        )

    first, stop = start, end
    if before is not None:
        first = before.start()

    if behind is not None:
        stop = behind.end()

    full_name = text[first:stop]
    key = squash(full_name)
    if not full_name[-1].isalnum():
        key = f"{key}*"

    return Mention(text=full_name, key=key, known=False, start=first, end=stop, stem=end)


def _count_words(text: str, words: list[re.Match[str]]) -> int:
    """Count the words of the longest name of a graph that begins with the first word."""
    length, name = 0, ""
    for place, word in enumerate(words):
        if place and not _is_joined(text, words[place - 1], word):
            break
        name += word[0].lower()
        if name not in _list_beginnings():
            break
        if names_known(name) and not (place and _counts_others(text, words[place - 1], word)):
            length = place + 1

    return length


_CLOSED = re.compile(rf"\s?[%{PERCENT}]?\s?\)")
_MOST_SHARE = 100  # a larger number before a word belongs to the name


def _counts_others(text: str, word: re.Match[str], number: re.Match[str]) -> bool:
    """Tell whether a number behind a name is of something else, as in FB15k-237 (20 epochs)."""
    if not number[0].isdecimal():
        return False
    gap = text[word.end() : number.start()]
    if "(" in gap:
        return _CLOSED.match(text, number.end()) is None
    is_followed = re.match(r"\s[A-Za-z]", text[number.end() : number.end() + 2]) is not None
    return gap.isspace() and is_followed and int(number[0]) <= _MOST_SHARE


def _is_joined(text: str, word: re.Match[str], other: re.Match[str]) -> bool:
    """Return True if two neighbouring words may belong to one name."""
    between = word.end(), other.start()
    if _GAP.fullmatch(text, *between) is not None:
        return True
    return len(word[0]) == 1 and _LETTER_GAP.fullmatch(text, *between) is not None


def _read_joined(word: re.Match[str]) -> Mention | None:
    """Return the graph of a word that begins with a registered name, as WN18RRv1 does; or None."""
    name, start = word[0], word.start()
    if not _holds_digit(name):
        return None

    longest = min(len(name) - 1, _find_longest())
    length = next((n for n in range(longest, _SHORTEST, -1) if names_known(name[:n])), 0)
    if not _holds_digit(name[:length]):
        return None
    return Mention(
        text=name, key=name.lower(), known=False, start=start, end=word.end(), stem=start + length
    )


def names_known(text: str) -> bool:
    """Return True if a text is the name of a graph, in the registry or outside it."""
    return squash(text) in list_graph_names()


def is_inductive(name: str) -> bool:
    """Return True for the name of the test graph of an inductive benchmark."""
    key = _list_registered().get(squash(name))
    row = load_benchmarks().get(key or "")
    # In GraIL's benchmarks, v1 alone is the graph that models are trained on.
    return row is not None and "inductive" in row.split and not re.search(r"_v\d$", row.key)


_REASONS = {
    "temporal": "it is a temporal graph without constants in the tables",
    "few_shot": (
        "it is a few-shot benchmark, "
        "which ranks given candidates for relations with a few examples each"
    ),
    "n_ary": "its facts relate more than two entities",
    "other": "the tables have no constants for it",
    "sources": "it is a source that benchmarks are drawn from, and no benchmark itself",
}


def explain_elsewhere(name: str) -> str | None:
    """Return the reason why a graph has no ranking tasks here; None if it is not known."""
    namesakes = list_namesakes(name)
    if namesakes:
        return f"several benchmarks have this name: {', '.join(namesakes)}"
    kind = list_elsewhere().get(squash(name))
    return None if kind is None else _REASONS[kind]


def _holds_digit(name: str) -> bool:
    return any(letter.isdigit() for letter in name)


@functools.cache
def _list_registered() -> Mapping[str, str]:
    """Return the key of every squashed spelling of a benchmark or suite."""
    keys: dict[str, str] = {}
    for key, (title, *aliases) in list_titles().items():
        bare = re.sub(r" \((?:GraIL|InGram)\)$", "", title)
        for spelling in (key, title, bare, *aliases):
            keys.setdefault(squash(spelling), key)

    for key, suite in load_suites().items():
        # ULTRA and GraIL are also names of models.
        for spelling in (key, *suite.aliases):
            if _holds_digit(spelling):
                keys.setdefault(squash(spelling), key)

    return keys


@functools.cache
def list_graph_names() -> frozenset[str]:
    """Return all squashed names of graphs, in the registry or outside it."""
    return frozenset((*_list_registered(), *list_elsewhere(), *list_ambiguous()))


@functools.cache
def _find_longest() -> int:
    """Return the length of the longest name."""
    return max(len(name) for name in list_graph_names())


@functools.cache
def _list_beginnings() -> frozenset[str]:
    """Return every beginning of a name, which most words are not."""
    return frozenset(name[:end] for name in list_graph_names() for end in range(1, len(name) + 1))


@functools.cache
def _list_sources() -> frozenset[str]:
    return frozenset(name for name, kind in list_elsewhere().items() if kind == "sources")
