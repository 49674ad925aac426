"""Metrics of queries with several right answers, and the names that libraries give them.

``definitions.toml`` has the definitions, ``libraries.toml`` the libraries.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankconst.catalogue import freeze_lists, read_rows
from rankconst.catalogue.metrics import Metric, find_metric, strip_prefixes
from rankconst.errors import DataError, UnknownNameError
from rankconst.names import Names, read_count, squash

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from rankconst.doubles import Counts, Values

ALL = 2**53
"""The k of a metric without one: more places than there are."""

Kind = Literal["hits", "hit", "first", "reciprocals", "gain", "clipped_gain", "precisions"]


@dataclass(frozen=True, slots=True)
class Places:
    """The places of the right answers of queries, query by query and ascending.

    `starts` says where each query begins, `rights` how many right answers it has, at least 1. For
    two queries with right answers in places 1, 3 and in place 2, they are [0, 2] and [2, 1].
    """

    places: Values
    starts: NDArray[np.intp]
    rights: NDArray[np.intp]

    @classmethod
    def from_first(cls, first: Values, rights: NDArray[np.intp]) -> Places:
        """Put the right answers of each query one after another, from a place on.

        With `first` [1, 4] and `rights` [2, 1] the places are 1, 2 and 4.
        """
        starts = np.cumsum(rights) - rights
        return cls(np.repeat(first - starts, rights) + np.arange(rights.sum()), starts, rights)

    def add(self, terms: Values) -> Values:
        """Add up the terms of each query, at most 1 each, with a single rounding."""
        # Multiples of 2^-26 up to 1 add up exactly, if there are fewer than 2^27; what is left is
        # so small that its roundings do not count.
        upper = np.round(terms * 2.0**26) / 2.0**26
        return np.add.reduceat(upper, self.starts) + np.add.reduceat(terms - upper, self.starts)

    @property
    def first(self) -> Values:
        """The place of the first right answer of each query."""
        return self.places[self.starts]

    @property
    def order(self) -> Values:
        """The number of each right answer among those of its query, from 1."""
        return np.arange(1.0, self.places.size + 1) - np.repeat(self.starts, self.rights)


def discount(places: Values) -> Values:
    """Return the usual gain of each place."""
    return np.asarray(1 / np.log2(places + 1))


def discount_clipped(places: Values) -> Values:
    """Return LensKit's gain of each place: places 1 and 2 count alike."""
    return np.asarray(1 / np.log2(np.maximum(places, 2)))


_EVALUATE: dict[Kind, Callable[[Places, int], Values]] = {
    "hits": lambda right, k: np.add.reduceat(right.places <= k, right.starts, dtype=np.float64),
    "hit": lambda right, k: (right.first <= k).astype(np.float64),
    "first": lambda right, k: (right.first <= k) / right.first,
    "reciprocals": lambda right, k: right.add((right.places <= k) / right.places),
    "gain": lambda right, k: right.add((right.places <= k) * discount(right.places)),
    "clipped_gain": lambda right, k: right.add(
        (right.places <= k) * discount_clipped(right.places)
    ),
    "precisions": lambda right, k: right.add((right.places <= k) * right.order / right.places),
}
"""The sum of each kind of metric over the right answers up to k, query by query."""

Divisor = Literal[
    "", "R", "k", "min(R, k)", "min(k, N)", "(R + k) / 2", "ideal of min(R, k)", "ideal of k"
]


@dataclass(frozen=True, slots=True)
class Family:
    """A definition of a metric of queries with several right answers."""

    symbol: str
    title: str  # the definition in words
    # The sum over the places of the right answers; :mod:`rankconst.moments.queries` has its mean
    # and variance by this key.
    kind: Kind
    # The divisor of that sum for a query with N candidates, R of them right; an ideal is the sum if
    # the R right answers come first.
    over: Divisor = ""
    needs_k: bool = False  # True if it needs a k
    pooled: bool = False  # True if the sum over all queries is divided by that of their divisors
    is_share: bool = True  # False for a number that may be above 1

    @property
    def brief(self) -> str:
        """What distinguishes it from others of its kind, in a word or two."""
        special = {"first": "first", "reciprocals": "all", "clipped_gain": "log2(place)"}
        if self.kind in special:
            return special[self.kind]
        return "pooled" if self.pooled else self.over.removeprefix("ideal of ")

    def sum_up(self, right: Places, k: int | None) -> Values:
        """Sum up the right answers of each query."""
        return _EVALUATE[self.kind](right, k or ALL)

    def divide(self, candidates: Counts | int, rights: Counts, k: int | None) -> Values:
        """Return the divisors of :meth:`sum_up`, from the N and R of each query. Shape (queries,).

        `candidates` may be one number for all queries.
        """
        k = k or ALL
        if self.over.startswith("ideal"):
            num_first = np.minimum(rights, k)  # right answers on top, of an ideal ranker
            if self.over == "ideal of k":
                num_first = np.full(rights.shape, k)
            distinct, kind = np.unique(num_first, return_inverse=True)
            ideals = self.sum_up(Places.from_first(np.ones(distinct.size), distinct), ALL)
            return ideals[kind]

        divisors: dict[Divisor, Counts | Values | int] = {
            "": 1,
            "R": rights,
            "k": k,
            "min(R, k)": np.minimum(rights, k),
            "min(k, N)": np.minimum(k, candidates),
            "(R + k) / 2": (rights + k) / 2,
        }
        return np.broadcast_to(np.asarray(divisors[self.over], dtype=np.float64), rights.shape)


class Chances(NamedTuple):
    """The chances of hits, for the queries that may hit or miss."""

    hit: Values = np.empty(0)
    miss: Values = np.empty(0)
    num_queries: Values = np.empty(0)  # those with each pair of chances
    # The error in the logarithm of a probability, by the rounding of the chances.
    error: float = 0.0
    num_missed: int = 0  # the other queries that surely miss


@dataclass(frozen=True, slots=True, eq=False)
class AnswersMetric(Metric):
    """A metric of several right answers, with its values for the best and worst ranker.

    In a results file, it is only a name, whose meaning depends on the library.
    """

    best: float = 1.0
    least: float = 0.0
    chances: Chances = field(default_factory=Chances)  # of HitRatio@k

    @property
    def is_of_answers(self) -> bool:
        """True: this is one."""
        return True

    @property
    def optimum(self) -> float:
        """The value if all right answers are first."""
        return self.best

    @property
    def upper(self) -> float:
        """The largest value, which is the optimum."""
        return self.best

    def worst(self, *_: Any) -> float:
        """Return the value if all right answers are last."""
        return self.least

    def __reduce__(self) -> Any:
        return type(self), tuple(getattr(self, each.name) for each in fields(self))


def _refuse(*_: Any) -> float:
    raise DataError(
        "a metric of several right answers needs the ranks of each query: "
        "rankconst.from_ranks takes them."
    )


def name_answers_metric(
    key: str,
    k: int | None,
    symbol: str = "",
    title: str = "",
    scale: Literal["share", "count"] = "share",
) -> AnswersMetric:
    """Return a metric of several right answers by name, before its definition is known."""
    shown = symbol or key
    if k is not None and "{k}" not in shown:
        shown += "@{k}"

    return AnswersMetric(
        family=f"{key}_of_answers",
        symbol=shown,
        title=title,
        scale=scale,
        definition=title,
        statistic=_refuse,
        moments="",
        k=k,
        is_counted=key == "hit_ratio",
    )


def define_metric(key: str, k: int | None) -> AnswersMetric:
    """Return the metric of a definition, without queries."""
    row = FAMILIES[key]
    scale: Literal["share", "count"] = "share" if row.is_share else "count"
    return name_answers_metric(key, k, row.symbol, row.title, scale)


FAMILIES = {key: Family(**row) for key, row in read_rows("definitions").items()}
"""The definitions by key. N candidates, R of them right; without a k, all places are taken."""

GROUPS = {
    "recall": ("recall", "recall_cap"),
    "precision": ("precision", "precision_cap", "precision_pooled"),
    "nDCG": ("ndcg", "ndcg_full", "ndcg_clipped"),
    "MAP": ("map", "map_cut"),
    "MRR": ("mrr", "mrr_all"),
}
"""Kinds of metrics with several definitions, of which a library has one as a rule."""

_NAMES = Names("metric of several right answers", dict.fromkeys(FAMILIES, ()))


def parse_answers_metric(name: str) -> tuple[str, int | None]:
    """Read ``recall@10``, ``ndcg`` or ``map_at_20`` as the key of a definition and a k."""
    bare, sign, cut = name.strip().lower().replace("_at_", "@").partition("@")
    key = _NAMES.resolve(bare)
    k = read_count(cut) if sign else None
    return check_answers_metric(key, k, name)


def check_answers_metric(key: str, k: int | None, name: str) -> tuple[str, int | None]:
    """Return a definition and its k, or raise UnknownNameError if it needs a k and has none."""
    if ("@" in name and not k) or k == 0:
        raise UnknownNameError(f"{name!r} needs a k of at least 1: write {key}@10, for example.")
    if FAMILIES[key].needs_k and k is None:
        raise UnknownNameError(f"{name} needs a k: write {name}@10, for example.")
    return key, k


# -- libraries -------------------------------------------------------------------------------------

LEFT_OUT = "left out"
"""What is counted of a query without right answers: nothing."""

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

    @property
    def all_metrics(self) -> Mapping[str, tuple[str, ...]]:
        """Its names of each definition, with a k or without one."""
        return {**self.metrics, **self.metrics_without_k}

    def find(self, name: str) -> Meaning | None:
        """Return the meaning of a name, or None if the library does not have it.

        Raises UnknownNameError if the metric needs a k, and neither name nor library has one.
        """
        for stem, k in split_name(name):
            rows = self.metrics if k else self.all_metrics
            for key, names in rows.items():
                if any(squash(spelling) == stem for spelling in (key, *names)):
                    return Meaning(*check_answers_metric(key, k or self._find_k(name), name))
        return None

    def _find_k(self, name: str) -> int | None:
        """Return the k that a library means by a name without one; None for all places."""
        if self.bare_k == "?":
            raise UnknownNameError(
                f"{self.title} cuts {name} off at a k that it does not print: "
                f"write {_LITERAL_K.sub('_at_k', name)}@10."
            )
        return int(self.bare_k) if self.bare_k else None

    def count_empty(self, key: str) -> str:
        """Return the value of a query without right answers under a definition."""
        return self.empty_of.get(key, self.empty)


_NUMBERED = re.compile(
    r"(.*[^\W_])(?:\s*@\s*|_)(\d{1,9})|(.*[^\W_])\s+at\s+(\d{1,9})", re.ASCII | re.IGNORECASE
)

_LITERAL_K = re.compile(r"@\s*[kK]$")
_INNER_CAPITAL = re.compile("[a-z][A-Z]")


def split_name(name: str) -> list[tuple[str, int | None]]:
    """Split a name into its stem and its k, in all possible ways, the likeliest first.

    "MAP@10" is [("map", 10), ("mapatk", 10)], as some libraries call the metric "map_at_k".
    """
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
    return {key: Library(key, **freeze_lists(row)) for key, row in read_rows("libraries").items()}


def parse_library(name: str) -> Library:
    """Read the name of a library."""
    rows = load_libraries()
    spellings = {key: (row.title, *row.spellings) for key, row in rows.items()}
    names = Names("library", spellings, f"Known: {', '.join(rows)}.")
    return rows[names.resolve(name)]


def read_meaning(name: str, library: str | None) -> Meaning:
    """Read the name of a metric as a library means it, or as the key of a definition.

    Raises UnknownNameError for other names, and for a library that is not known.
    """
    if not library:
        return Meaning(*parse_answers_metric(name))

    row = parse_library(library)
    meaning = row.find(name)
    if meaning is None:
        known = ", ".join(names[0] for names in row.all_metrics.values())
        raise UnknownNameError(
            f"rankconst has no constants of {name} as {row.title} computes it; known are: {known}."
        )
    return meaning


def list_meanings(name: str) -> Mapping[Meaning | str, list[str]]:
    """Return the titles of the libraries by the meaning that a name has for them.

    "map@10" gives {Meaning("map", 10): ["LensKit", ..], Meaning("map_cut", 10): ["ranx", ..]}. If a
    library does not print its k, a text says so in place of a meaning.
    """
    titles: dict[Meaning | str, list[str]] = {}
    (stem, k), *_ = split_name(name)
    for row in load_libraries().values():
        if k and row.bare_k == "?":  # it prints names without a k only
            continue
        try:
            meaning: Meaning | str | None = row.find(name)
        except UnknownNameError as error:
            meaning = str(error)
        if meaning is not None:
            titles.setdefault(meaning, []).append(row.title)

    # A name of no library may still be the key of a definition here.
    family = next((key for key in FAMILIES if squash(key) == stem), None)
    if family is not None and not titles:
        titles[Meaning(*check_answers_metric(family, k, name))] = []

    # A name of Hits@k, unless only metrics of several answers have it: in most papers a query then
    # counts if any right answer is among the first k.
    known = None if stem in list_spellings() else find_metric(name)
    if known is not None and known[0].hits_k is not None:
        titles.setdefault(Meaning("hit_ratio", k), []).append("most papers")

    return titles


@functools.cache
def list_spellings() -> frozenset[str]:
    """Return the names, without k and punctuation, that only metrics of several answers have."""
    names = {squash(key) for key in FAMILIES}
    for row in load_libraries().values():
        for spellings in row.all_metrics.values():
            names |= {squash(spelling) for spelling in spellings}
    of_one_answer = {name for name in names if find_metric(name) or find_metric(f"{name}@10")}
    # Hits@k is also called recall, but here a recall is one of several right answers.
    return frozenset(names - of_one_answer | {"recall"})


@functools.lru_cache(maxsize=4_096)
def find_measure(name: str, k: int | None = None) -> tuple[Metric, str | None] | None:
    """Return the metric of one or several right answers that a name spells, and its form."""
    for stem, number in split_name(name):
        if stem in list_spellings():
            cutoff = number or k
            if cutoff is None and stem in _list_stems_with_k():
                return None
            return _name(stem, cutoff, name), None
    return find_metric(name, k)


@functools.cache
def _list_stems_with_k() -> frozenset[str]:
    """Return the names that are only clear with a k, such as recall."""
    bare: set[str] = set()
    for row in load_libraries().values():
        for key, names in row.all_metrics.items():
            alone = bool(row.bare_k) or not FAMILIES[key].needs_k
            bare.update(squash(name) for name in names if alone or _INNER_CAPITAL.search(name))
    return frozenset(list_spellings() - bare)


def _name(stem: str, k: int | None, name: str) -> AnswersMetric:
    """Return a metric without a definition, shown as in `name`: test_NDCG_at_10 as "NDCG@10"."""
    symbol = strip_prefixes(name)
    if k is None:
        return name_answers_metric(stem, k, symbol)
    bare = re.sub(r"[\s_]at$", "", symbol.rstrip("0123456789").rstrip(" @_"))
    return name_answers_metric(stem, k, f"{bare}@{{k}}")
