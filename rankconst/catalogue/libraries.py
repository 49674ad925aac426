"""Libraries for queries with several right answers: what each computes by which name."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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

_FILE = Path(__file__).with_suffix(".toml")
LEFT_OUT = "left out"
EMPTY = (
    "What does a query without right answers count? Libraries leave it out or count 0 or 1: "
    "name yours by --tool (in Python tool='ranx', or empty='left out'); or leave such queries out."
)
"""What is asked about queries without right answers."""


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
    """Return how a name may be read: its stem without punctuation, and its k."""
    bare = strip_prefixes(name)
    found = _NUMBERED.fullmatch(bare)
    if found is None:
        return [(squash(_LITERAL_K.sub("_at_k", bare)), None)]
    stem, k = squash(found[1] or found[3]), read_count(found[2] or found[4])
    # map_at_10 may be the map_at_k of a library, or map@10.
    if stem.endswith("at"):
        return [(stem, k), (f"{stem}k", k), (stem.removesuffix("at"), k)]
    return [(stem, k), (f"{stem}atk", k)]


@functools.cache
def load_libraries() -> Mapping[str, Library]:
    """Return the libraries by key."""
    import tomllib  # most commands need none

    def freeze(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: freeze(each) for key, each in value.items()}
        return tuple(value) if isinstance(value, list) else value

    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {key: Library(key, **freeze(row)) for key, row in rows.items()}


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
    meant = row.find(name)
    if meant is None:
        known = ", ".join(names[0] for names in {**row.metrics, **row.metrics_without_k}.values())
        raise UnknownNameError(
            f"rankconst has no constants of {name} as {row.title} computes it; known are: {known}."
        )
    return meant


def list_meanings(name: str) -> Mapping[Meaning | str, list[str]]:
    """Return what a name may mean, or why the k is unknown, with the titles of the libraries."""
    found: dict[Meaning | str, list[str]] = {}
    (stem, k), *_ = split_name(name)
    for row in load_libraries().values():
        if k and row.bare_k == "?":  # its names have no k
            continue
        try:
            meant: Meaning | str | None = row.find(name)
        except UnknownNameError as error:
            meant = str(error)
        if meant is not None:
            found.setdefault(meant, []).append(row.title)
    own = next((key for key in FAMILIES if squash(key) == stem), None)
    if own is not None and not found:
        found[Meaning(*check_answers_metric(own, k, name))] = []
    one = None if stem in list_spellings() else find_metric(name)
    if one is not None and one[0].hits_k is not None:
        found.setdefault(Meaning("hit_ratio", k), []).append("most papers")
    return found


@functools.cache
def list_spellings() -> frozenset[str]:
    """Return the names, without k and punctuation, that only metrics of several answers have."""
    names = {squash(key) for key in FAMILIES}
    for row in load_libraries().values():
        for each in (*row.metrics.values(), *row.metrics_without_k.values()):
            names.update(map(squash, each))
    one = {name for name in names if find_metric(name) or find_metric(f"{name}@10")}
    return frozenset(names - one | {"recall"})


@functools.lru_cache(maxsize=4_096)
def find_measure(name: str, k: int | None = None) -> tuple[Metric, str | None] | None:
    """Return the metric that a whole name spells, of one right answer or of several."""
    for stem, own in split_name(name):
        if stem in list_spellings():
            number = own or k
            if number is None and stem in _list_needing():
                return None
            return _name(stem, number, name), None
    return find_metric(name, k)


@functools.cache
def _list_needing() -> frozenset[str]:
    """Return the names that need a k: recall may be of anything, RetrievalRecall is not."""
    bare: set[str] = set()
    for row in load_libraries().values():
        for key, names in {**row.metrics, **row.metrics_without_k}.items():
            alone = bool(row.bare_k) or not FAMILIES[key].needs_k
            bare.update(squash(name) for name in names if alone or _INNER_CAPITAL.search(name))
    return frozenset(list_spellings() - bare)


def _name(stem: str, k: int | None, name: str) -> AnswersMetric:
    """Return a metric that is only a name yet."""
    written = strip_prefixes(name)
    if k is None:
        return name_answers_metric(stem, k, written)
    bare = re.sub(r"[\s_]at$", "", written.rstrip("0123456789").rstrip(" @_"))
    return name_answers_metric(stem, k, f"{bare}@{{k}}")
