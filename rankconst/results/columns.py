"""What the heading of a column means: a metric, an adjusted metric, or something about the ranking tasks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rankconst.errors import UnknownNameError, squash
from rankconst.metrics import Metric, parse_adjusted_metric, parse_metric
from rankconst.protocols import SIDES, SPLITS

__all__ = ["RANK_TYPES", "ROLES", "Meaning", "parse_column"]

ROLES: dict[str, tuple[str, ...]] = {
    "dataset": ("data", "data set", "benchmark", "graph", "kg", "knowledge graph"),
    "model": ("method", "approach", "interaction", "model name", "system"),
    "split": ("subset", "evaluation split", "mode"),
    "side": ("target",),
    "protocol": ("evaluation protocol",),
    "aggregation": ("averaging",),
    "source": ("source repo", "repository", "repo", "tool", "library", "framework"),
    "rank_type": ("type", "tie policy"),
    "num_tasks": ("count", "num ranks", "number of tasks", "rank count", "n"),
    "metric": ("measure", "metric name"),
    "value": ("score", "result", "metric value"),
    "k": (),
}
"""What a column that is no metric can be, with further headings; compared in lower case without punctuation."""

RANK_TYPES: dict[str, str] = {
    "realistic": "realistic",
    "avg": "realistic",
    "optimistic": "optimistic",
    "best": "optimistic",
    "pessimistic": "pessimistic",
    "worst": "pessimistic",
    "nondeterministic": "nondeterministic",
}
"""Spelling of a tie policy to its name today (PyKEEN's, before and since 1.5)."""

_BY_SPELLING = {squash(name): role for role, names in ROLES.items() for name in (role, *names)}
_SPLIT_WORDS = {word: split for split, words in SPLITS.items() for word in (split, *words)}
_SIDE_WORDS = {word: side for side, words in SIDES.items() for word in (side, *words) if len(word) > 1}
_WORD = re.compile(r"^([A-Za-z]+)[.\s_/:-]+(?=\S)")
_FILTERED = {"filtered", "filt", "fil"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a heading says.

    Attributes
    ----------
    role
        A key of :data:`ROLES`, or ``measured`` for a column that holds values of a metric.
    metric, adjustment
        Of a measured column: the metric, and ``normalised``, ``index`` or ``z`` if its values were adjusted already.
    split, side, rank_type, protocol
        What the heading says beside the metric: ``test_mrr``, ``both.realistic.hits_at_10``, ``raw_mrr``.
    """

    role: str
    metric: Metric | None = None
    adjustment: str | None = None
    split: str | None = None
    side: str | None = None
    rank_type: str | None = None
    protocol: str | None = None


@lru_cache(maxsize=4096)
def parse_column(heading: str) -> Meaning | None:
    """Read the heading of a column.

    Parameters
    ----------
    heading
        As written, markup removed.

    Returns
    -------
    Meaning
        None for a heading that says nothing to us; such columns are kept and passed on.

    Examples
    --------
    >>> parse_column("Method").role
    'model'
    >>> parse_column("test_H@10").metric.label, parse_column("test_H@10").split
    ('Hits@10', 'test')
    """
    role = _BY_SPELLING.get(squash(heading))
    if role is not None:
        return Meaning(role)
    rest = heading.strip()
    split = side = rank_type = protocol = None
    while (word := _WORD.match(rest)) is not None:
        first = word[1].lower()
        if first in _SPLIT_WORDS:
            split = _SPLIT_WORDS[first]
        elif first in _SIDE_WORDS:
            side = _SIDE_WORDS[first]
        elif RANK_TYPES.get(first) == first:  # "best" and "avg" may as well be a run's
            rank_type = first
        elif first == "raw":
            protocol = first
        elif first not in _FILTERED:
            break
        rest = rest[word.end() :]
    for parse in (_parse_own, _parse_adjusted):
        found = parse(rest)
        if found is not None:
            metric, adjustment = found
            return Meaning("measured", metric, adjustment, split, side, rank_type, protocol)
    return None


def _parse_own(name: str) -> tuple[Metric, None] | None:
    try:
        return parse_metric(name), None
    except UnknownNameError:
        return None


def _parse_adjusted(name: str) -> tuple[Metric, str] | None:
    try:
        return parse_adjusted_metric(name)
    except UnknownNameError:
        return None
