"""Libraries for queries with several right answers: what each computes by which name."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue import read_rows
from rankconst.catalogue.definitions import (
    FAMILIES,
    AnswersMetric,
    check_answers_metric,
    name_answers_metric,
    parse_answers_metric,
)
from rankconst.catalogue.metrics import find_metric, strip_prefixes
from rankconst.errors import UnknownNameError
from rankconst.names import Names, read_count, squash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.catalogue.metrics import Metric

LEFT_OUT = "left out"
EMPTY = (
    "What does a query without right answers count? Libraries leave it out or count 0 or 1: "
    "name yours by --tool (in Python tool='ranx', or empty='left out'); or leave such queries out."
)
"""The question about queries without right answers."""


class Meaning(NamedTuple):
    """A definition by its key, and the k at which it is cut off."""

    key: str
    k: int | None


@dataclass(frozen=True, slots=True)
class Library:
    """A library, with the definition behind each name that it prints, from ``libraries.toml``."""

    key: str
    title: str
    version: str
    evidence: tuple[str, ...]
    empty: str
    ties: str
    metrics: Mapping[str, tuple[str, ...]]
    metrics_without_k: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    empty_of: Mapping[str, str] = field(default_factory=dict)
    bare_k: str = ""
    spellings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def find(self, name: str) -> Meaning | None:
        """Return the meaning of a name; None if the library does not have it.

        Raises UnknownNameError if it does not say which k.
        """
        for stem, k in split_name(name):
            rows = self.metrics if k else {**self.metrics, **self.metrics_without_k}
            for key, names in rows.items():
                if stem in map(squash, (key, *names)):
                    return Meaning(*check_answers_metric(key, k or self._find_k(name), name))
        return None

    def _find_k(self, name: str) -> int | None:
        """Return the k of a name that has none."""
        if self.bare_k == "?":
            raise UnknownNameError(
                f"{self.title} cuts {name} off at a k that it does not print: "
                f"write {_LITERAL_K.sub('_at_k', name)}@10."
            )
        return int(self.bare_k) if self.bare_k else None

    def count_empty(self, key: str) -> str:
        """Return the value of a query without a right answer under a definition."""
        return self.empty_of.get(key, self.empty)


_NUMBERED = re.compile(
    r"(.*[^\W_])(?:\s*@\s*|_)(\d{1,9})|(.*[^\W_])\s+at\s+(\d{1,9})", re.ASCII | re.IGNORECASE
)

_LITERAL_K = re.compile(r"@\s*[kK]$")
_INNER_CAPITAL = re.compile("[a-z][A-Z]")


def split_name(name: str) -> list[tuple[str, int | None]]:
    """Split a name into its stem without punctuation and its k, in all ways to read it."""
    bare = strip_prefixes(name)
    match = _NUMBERED.fullmatch(bare)
    if match is None:
        return [(squash(_LITERAL_K.sub("_at_k", bare)), None)]
    stem = squash(match[1] or match[3])
    k = read_count(match[2] or match[4])
    # map_at_10 may be the map_at_k of a library, or map@10.
    if stem.endswith("at"):
        return [(stem, k), (f"{stem}k", k), (stem.removesuffix("at"), k)]
    return [(stem, k), (f"{stem}atk", k)]


@functools.cache
def load_libraries() -> Mapping[str, Library]:
    """Return the libraries by key."""

    def freeze(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: freeze(item) for key, item in value.items()}
        return tuple(value) if isinstance(value, list) else value

    return {key: Library(key, **freeze(row)) for key, row in read_rows("libraries").items()}


def parse_library(name: str) -> Library:
    """Read the name of a library."""
    rows = load_libraries()
    spellings = {key: (row.title, *row.spellings) for key, row in rows.items()}
    names = Names("library", spellings, f"Known: {', '.join(rows)}.")
    return rows[names.resolve(name)]


def read_meaning(name: str, library: str | None) -> Meaning:
    """Read a name as that of a library, or as the key of a definition."""
    if not library:
        return Meaning(*parse_answers_metric(name))
    row = parse_library(library)
    meaning = row.find(name)
    if meaning is None:
        known = ", ".join(names[0] for names in {**row.metrics, **row.metrics_without_k}.values())
        raise UnknownNameError(
            f"rankconst has no constants of {name} as {row.title} computes it; known are: {known}."
        )
    return meaning


def list_meanings(name: str) -> Mapping[Meaning | str, list[str]]:
    """Map the meanings of a metric's name to the titles of the libraries.

    A library that cuts off at an unknown k has a text in place of a meaning.
    """
    titles: dict[Meaning | str, list[str]] = {}
    (stem, k), *_ = split_name(name)
    for row in load_libraries().values():
        if k and row.bare_k == "?":  # its names have no k
            continue
        try:
            meaning: Meaning | str | None = row.find(name)
        except UnknownNameError as error:
            meaning = str(error)
        if meaning is not None:
            titles.setdefault(meaning, []).append(row.title)
    family = next((key for key in FAMILIES if squash(key) == stem), None)
    if family is not None and not titles:
        titles[Meaning(*check_answers_metric(family, k, name))] = []
    spelt = None if stem in list_spellings() else find_metric(name)
    if spelt is not None and spelt[0].hits_k is not None:
        titles.setdefault(Meaning("hit_ratio", k), []).append("most papers")
    return titles


@functools.cache
def list_spellings() -> frozenset[str]:
    """Return the names, without k and punctuation, that only metrics of several answers have."""
    names = {squash(key) for key in FAMILIES}
    for row in load_libraries().values():
        for spellings in (*row.metrics.values(), *row.metrics_without_k.values()):
            names.update(map(squash, spellings))
    of_one_answer = {name for name in names if find_metric(name) or find_metric(f"{name}@10")}
    return frozenset(names - of_one_answer | {"recall"})


@functools.lru_cache(maxsize=4_096)
def find_measure(name: str, k: int | None = None) -> tuple[Metric, str | None] | None:
    """Return the metric that a whole name spells, of one right answer or of several."""
    for stem, number in split_name(name):
        if stem in list_spellings():
            cutoff = number or k
            if cutoff is None and stem in _list_stems_with_k():
                return None
            return _name(stem, cutoff, name), None
    return find_metric(name, k)


@functools.cache
def _list_stems_with_k() -> frozenset[str]:
    """Return the names that need a k: recall may be of anything, RetrievalRecall is not."""
    bare: set[str] = set()
    for row in load_libraries().values():
        for key, names in {**row.metrics, **row.metrics_without_k}.items():
            alone = bool(row.bare_k) or not FAMILIES[key].needs_k
            bare.update(squash(name) for name in names if alone or _INNER_CAPITAL.search(name))
    return frozenset(list_spellings() - bare)


def _name(stem: str, k: int | None, name: str) -> AnswersMetric:
    """Return a metric of several right answers without a definition."""
    symbol = strip_prefixes(name)
    if k is None:
        return name_answers_metric(stem, k, symbol)
    bare = re.sub(r"[\s_]at$", "", symbol.rstrip("0123456789").rstrip(" @_"))
    return name_answers_metric(stem, k, f"{bare}@{{k}}")
