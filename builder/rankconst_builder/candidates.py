"""Count the candidates of every ranking task.

Task (h, r, ?) has as candidates the entities of the protocol, less the known answers other than its own:

    N = |E| - |{t' in E : (h, r, t') known}| + 1

and (?, r, t) likewise. Known triples are the *set* of triples of the protocol's filter splits and of the evaluated
split; the evaluated one is always in, so 1 <= N <= |E|.

Counting asks, for the distinct queries of one split, how many distinct answers the known triples give. Known triples
are looked at once, in batches, against a table of the queries: memory follows the evaluation split and the answers
found, not the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.errors import DataError
from rankconst.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from rankconst.protocols import Protocol
    from rankconst_builder.graph import Graph, Triples

    Codes = NDArray[np.int64]
    Words = NDArray[np.uint64]

__all__ = ["TaskCounts", "count_candidates"]

BATCH = 1 << 18
"""Known triples looked at in one go: small enough for the second-level cache."""


@dataclass(frozen=True, slots=True)
class TaskCounts:
    """Candidates of each ranking task of a split, under a protocol.

    Attributes
    ----------
    rows
        Which rows of the split's file are ranked, ascending. Shape (n,), int64.
    head, tail
        Numbers of candidates on that side, the true answer included. Shape (n,), int64, 1 .. `num_entities`.
    num_entities
        The number of entities that the protocol ranks.
    """

    rows: Codes
    head: Codes
    tail: Codes
    num_entities: int

    def histogram(self, side: str) -> Histogram:
        """Return the counts of side ``head`` or ``tail`` as a histogram."""
        return Histogram.from_counts({"head": self.head, "tail": self.tail}[side])


class _QueryTable:
    """Which of the queries of interest is this? A static hash table in plain arrays.

    Keys go to slots by the top bits of their product with an odd number. Keys that find their slot taken go to a
    further table with another multiplier, and so on: with a quarter of the slots filled, each table settles nine
    keys in ten.
    """

    # Odd, with well mixed bits: digits of the golden ratio and of the square roots of small primes.
    _MULTIPLIERS = (
        0x9E3779B97F4A7C15,
        0xB504F333F9DE6485,
        0xBB67AE8584CAA73B,
        0x8F1BBCDCBFA53E0B,
        0xA54FF53A5F1D36F1,
    )

    def __init__(self, keys: Words) -> None:
        self._levels: list[tuple[np.uint64, np.uint64, Words, Codes]] = []
        pending = np.arange(keys.size, dtype=np.int64)
        while pending.size:
            multiplier = np.uint64(self._MULTIPLIERS[len(self._levels) % 5] ^ (len(self._levels) // 5 << 1))
            bits = max(int(pending.size).bit_length() + 2, 4)
            shift = np.uint64(64 - bits)
            slots = (keys[pending] * multiplier) >> shift
            holder = np.full(1 << bits, -1, dtype=np.int64)
            holder[slots] = pending
            # An empty slot must match nothing: give it a key that belongs elsewhere and no holder.
            held = np.where(holder >= 0, keys[holder], np.uint64(0))
            self._levels.append((multiplier, shift, held, holder))
            pending = pending[holder[slots] != pending]

    def find(self, keys: Words) -> Codes:
        """Return the place of each key among the table's, -1 where it is not among them."""
        found = np.full(keys.size, -1, dtype=np.int64)
        left: Codes | None = None
        for multiplier, shift, held, holder in self._levels:
            asked = keys if left is None else keys[left]
            slots = (asked * multiplier) >> shift
            hit = (held[slots] == asked) & (holder[slots] >= 0)
            if left is None:
                found = np.where(hit, holder[slots], -1)
                left = np.flatnonzero(~hit)
            else:
                found[left[hit]] = holder[slots[hit]]
                left = left[~hit]
        return found


class _AnswerCounter:
    """Count the distinct known answers of each query of a split.

    Parameters
    ----------
    anchors, relations
        The queries, one a task: (anchor entity, relation). Shape (n,).
    num_relations, num_entities
        Bounds of the codes.
    """

    def __init__(self, anchors: Codes, relations: Codes, num_relations: int, num_entities: int) -> None:
        if num_entities * num_relations >= 1 << 64:
            raise DataError(f"{num_entities} entities and {num_relations} relations are too many for 64-bit keys.")
        self._num_relations = np.uint64(num_relations)
        keys, self._task_query = np.unique(self._pack(anchors, relations), return_inverse=True)
        self._num_queries = int(keys.size)
        self._bits = np.uint64(max(int(num_entities).bit_length(), 1))
        if self._num_queries.bit_length() + int(self._bits) > 64:
            raise DataError(f"{self._num_queries} queries and {num_entities} entities are too many for 64-bit keys.")
        self._table = _QueryTable(keys)
        self._answers: list[Words] = []

    def _pack(self, anchors: Codes, relations: Codes) -> Words:
        return anchors.astype(np.uint64) * self._num_relations + relations.astype(np.uint64)

    def update(self, anchors: Codes, relations: Codes, answers: Codes) -> None:
        """Take in a batch of known triples, each seen from the query's side."""
        query = self._table.find(self._pack(anchors, relations))
        hit = query >= 0
        self._answers.append((query[hit].astype(np.uint64) << self._bits) | answers[hit].astype(np.uint64))

    def count(self) -> Codes:
        """Return the number of distinct known answers of each task. Shape (n,)."""
        answers = np.sort(np.concatenate(self._answers))
        new = np.ones(answers.size, dtype=np.bool_)
        new[1:] = answers[1:] != answers[:-1]
        per_query = np.bincount((answers[new] >> self._bits).astype(np.int64), minlength=self._num_queries)
        return per_query[self._task_query]


def _batches(triples: Triples) -> Iterator[Triples]:
    for start in range(0, len(triples), BATCH):
        yield triples.select(slice(start, start + BATCH))


def count_candidates(graph: Graph, protocol: Protocol, split: str) -> TaskCounts:
    """Count the candidates of every ranking task of a split, on both sides.

    Parameters
    ----------
    graph
        The dataset.
    protocol
        Which entities are ranked, for which rows, with which known answers removed.
    split
        ``train``, ``valid`` or ``test``.

    Returns
    -------
    TaskCounts
        One entry a ranked row; none if the protocol drops every row.

    Raises
    ------
    DataError
        If a count falls outside 1 .. |E|, which would be a bug.
    """
    evaluated = graph.splits[split]
    ranked = np.ones(len(evaluated), dtype=np.bool_)
    if protocol.tasks == "seen":
        ranked &= graph.is_seen(evaluated)
    if protocol.distinct:
        ranked &= graph.first_occurrences(evaluated)
    rows = np.flatnonzero(ranked)
    tasks = evaluated.select(rows)
    candidate = graph.seen_entities if protocol.candidates == "seen" else np.ones(graph.num_entities, dtype=np.bool_)
    num_entities = int(candidate.sum())
    if protocol.negatives is not None:
        fixed = np.full(rows.size, protocol.negatives + 1, dtype=np.int64)
        return TaskCounts(rows, fixed, fixed, protocol.negatives + 1)
    known = protocol.known_splits(split)
    if not known or not rows.size:
        fixed = np.full(rows.size, num_entities, dtype=np.int64)
        return TaskCounts(rows, fixed, fixed, num_entities)
    tails = _AnswerCounter(tasks.head, tasks.relation, graph.num_relations, graph.num_entities)
    heads = _AnswerCounter(tasks.tail, tasks.relation, graph.num_relations, graph.num_entities)
    for name in dict.fromkeys((*known, split)):
        for batch in _batches(graph.splits[name]):
            # Only a candidate can be removed from the candidates.
            inside = batch.select(candidate[batch.head] & candidate[batch.tail])
            tails.update(inside.head, inside.relation, inside.tail)
            heads.update(inside.tail, inside.relation, inside.head)
    counts = TaskCounts(rows, num_entities + 1 - heads.count(), num_entities + 1 - tails.count(), num_entities)
    for side, values in (("head", counts.head), ("tail", counts.tail)):
        if values.min() < 1 or values.max() > num_entities:
            raise DataError(
                f"{protocol.key} {split} {side}: candidates run from {values.min()} to {values.max()}; "
                f"expected 1 to {num_entities}. This is a bug: please report it with the dataset."
            )
    return counts
