"""Count the candidates of every ranking task.

Task (h, r, ?) has as candidates the entities of the protocol, less the known answers other than its own:

    N = |E| - |{t' in E : (h, r, t') known}| + 1

and (?, r, t) likewise. Known triples are the *set* of triples of the protocol's filter splits and of the evaluated
split; the evaluated one is always in, so 1 <= N <= |E|. A task of a temporal graph has a time, too; its known answers
are those of the same time, or of any, as the protocol says.

Counting asks, for the distinct queries of one split, how many distinct answers the known triples give: N is the same
for all tasks of a query. Known triples are looked at once, in batches, against a table of the queries: memory follows
the evaluation split and the answers found, not the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DataError, UndefinedError
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from rankconst.catalogue.aggregations import Aggregation
    from rankconst.catalogue.protocols import Protocol
    from rankconst_builder.graph import Graph, Triples

    Codes = NDArray[np.int64]
    Words = NDArray[np.uint64]


BATCH = 1 << 18
"""Known triples looked at in one go: small enough for the second-level cache."""


class KeyTable:
    """Which of the keys of interest is this? A static hash table in plain arrays.

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


@dataclass(frozen=True)
class Queries:
    """The distinct queries that the ranking tasks of one side ask: an entity and a relation, perhaps a time."""

    keys: Words  # entity, relation and time in one number, ascending. Shape (Q,), uint64
    of_task: Codes  # which query each task asks. Shape (n,), int64
    num_relations: int  # keys are (entity * num_relations + relation) * num_times + time
    num_times: int = 1  # 1 for queries without a time

    @cached_property
    def frequency(self) -> Codes:
        """How many tasks ask each query. Shape (Q,)."""
        return np.bincount(self.of_task, minlength=self.keys.size)

    @cached_property
    def relation(self) -> Codes:
        """The relation of each query. Shape (Q,)."""
        return (self.keys // np.uint64(self.num_times) % np.uint64(self.num_relations)).astype(np.int64)

    @cached_property
    def timeless(self) -> tuple[Queries, Codes]:
        """The queries without their times, and which of these each one is. Shape (Q,)."""
        if self.num_times == 1:
            return self, np.arange(self.keys.size)
        keys, place = np.unique(self.keys // np.uint64(self.num_times), return_inverse=True)
        return Queries(keys, place[self.of_task], self.num_relations), place

    def find(self, anchors: Codes, relations: Codes, times: Codes | None = None) -> Codes:
        """Return the place of the query that each entity, relation and time makes, -1 where it is not asked."""
        keys = pack(anchors, relations, self.num_relations)
        if self.num_times > 1 and times is not None:
            keys = pack(keys, times, self.num_times)
        return self.table.find(keys)

    @cached_property
    def weights(self) -> dict[str, NDArray[np.float64]]:
        """Group that counts once, of an aggregation, to what each query's tasks weigh. Shapes (Q,)."""
        per_relation = np.bincount(self.relation, weights=self.frequency)
        return {"query": 1.0 / self.frequency, "relation": 1.0 / per_relation[self.relation]}

    @cached_property
    def table(self) -> KeyTable:
        """Finds queries by their keys."""
        return KeyTable(self.keys)


@dataclass(frozen=True, eq=False)
class RankedTasks:
    """The ranking tasks that rows of a split give, on both sides."""

    rows: Codes  # which rows of the split's file are ranked, ascending. Shape (n,), int64
    queries: Mapping[str, Queries]  # side ``head`` or ``tail`` to its queries


@dataclass(frozen=True, eq=False)
class Blocks:
    """Which ranks the true answers of one side can have: any of `size`, after the first `offset`.

    Candidates of equal score are in random order. Under chance all are, and a query is a row.
    """

    queries: Queries
    of_task: Codes  # which row each task is of. Shape (n,)
    query: Codes  # the query that each row's tasks ask. Shape (U,)
    size: Codes  # candidates that tie with the true answer, itself included. Shape (U,), each >= 1
    offset: Codes | None = None  # candidates that score above it. Shape (U,); None if there are none

    def histogram(self, weights: NDArray[np.float64] | None = None) -> Histogram:
        """Return the rows as a histogram; `weights` are what each query's tasks count."""
        weights = None if weights is None else weights[self.query]
        return Histogram.from_counts(self.size, self._num_tasks, weights, self.offset)

    def relation_histograms(self) -> dict[int, Histogram]:
        """Return the rows of each relation that has tasks as a histogram, by code."""
        relation = self.queries.relation[self.query]
        return Histogram.of_groups(relation, self.size, self._num_tasks, self.offset) if relation.size else {}

    @cached_property
    def _num_tasks(self) -> Codes:
        return np.bincount(self.of_task, minlength=self.size.size)


@dataclass(frozen=True)
class Answers:
    """The distinct known answers of each query of a side, true ones included: what a filter removes."""

    queries: Queries  # as the filter asks: without times if it ignores them
    words: Words  # query and entity in one number, ascending
    bits: np.uint64  # how many of them are the entity's

    @property
    def query(self) -> Codes:
        """The query of each answer, ascending."""
        return (self.words >> self.bits).astype(np.int64)

    @property
    def entity(self) -> Codes:
        """Each answer."""
        return (self.words & ((np.uint64(1) << self.bits) - np.uint64(1))).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TaskCounts:
    """Candidates of each ranking task of a split, under a protocol and a baseline."""

    tasks: RankedTasks
    blocks: Mapping[str, Blocks]  # side to where its true answers can rank
    num_entities: int  # the number of entities that the protocol ranks
    # Side to the answers that the protocol removes; None where no baseline needs them: for train, and for sampled
    # negatives.
    answers: Mapping[str, Answers] | None = None

    @property
    def rows(self) -> Codes:
        """Which rows of the split's file are ranked. Shape (n,)."""
        return self.tasks.rows

    @property
    def head(self) -> Codes:
        """Numbers of candidates that tie in each task's head. Shape (n,)."""
        return self.blocks["head"].size[self.blocks["head"].of_task]

    @property
    def tail(self) -> Codes:
        """Numbers of candidates that tie in each task's tail. Shape (n,)."""
        return self.blocks["tail"].size[self.blocks["tail"].of_task]

    def histogram(self, side: str) -> Histogram:
        """Return the counts of side ``head`` or ``tail`` as a histogram."""
        return self.blocks[side].histogram()

    def relation_histograms(self, side: str) -> dict[int, Histogram]:
        """Return the counts of side ``head`` or ``tail`` as a histogram for each relation that has tasks, by code."""
        return self.blocks[side].relation_histograms()

    def macro_histogram(self, side: str, aggregation: Aggregation) -> Histogram:
        """Return the counts of side ``head`` or ``tail`` with the weights of a macro average."""
        return self.blocks[side].histogram(self.tasks.queries[side].weights[aggregation.group])


class _AnswerCounter:
    """Count the distinct known answers of each query of a side."""

    def __init__(self, queries: Queries, num_entities: int) -> None:
        self._queries = queries
        self._bits = np.uint64(max(int(num_entities).bit_length(), 1))
        if queries.keys.size.bit_length() + int(self._bits) > 64:
            raise DataError(f"{queries.keys.size} queries and {num_entities} entities are too many for 64-bit keys.")
        self._words = [np.zeros(0, dtype=np.uint64)]

    def update(self, anchors: Codes, relations: Codes, answers: Codes, times: Codes | None = None) -> None:
        """Take in a batch of known triples, each seen from the query's side."""
        query = self._queries.find(anchors, relations, times)
        hit = query >= 0
        self._words.append((query[hit].astype(np.uint64) << self._bits) | answers[hit].astype(np.uint64))

    @cached_property
    def answers(self) -> Answers:
        """The distinct ones of the answers taken in."""
        words = np.sort(np.concatenate(self._words))
        new = np.ones(words.size, dtype=np.bool_)
        new[1:] = words[1:] != words[:-1]
        return Answers(self._queries, words[new], self._bits)

    def count(self) -> Codes:
        """Return the number of distinct known answers of each query. Shape (Q,)."""
        return np.bincount(self.answers.query, minlength=self._queries.keys.size)


def pack(first: Codes | Words, second: Codes, size: int) -> Words:
    """Return two codes in one number; `size` is the number of codes that the second can be."""
    return first.astype(np.uint64) * np.uint64(size) + second.astype(np.uint64)


def _batches(triples: Triples) -> Iterator[Triples]:
    for start in range(0, len(triples), BATCH):
        yield triples.select(slice(start, start + BATCH))


def _select_rows(graph: Graph, protocol: Protocol, split: str) -> Codes:
    evaluated = graph.splits[split]
    ranked = graph.is_allowed(evaluated)
    if protocol.tasks == "seen":
        ranked &= graph.is_seen(evaluated)
    if protocol.distinct:
        ranked &= graph.first_occurrences(evaluated)
    return np.flatnonzero(ranked)


def _ask(graph: Graph, split: str, rows: Codes) -> RankedTasks:
    tasks = graph.splits[split].select(rows)
    anchors = {"head": tasks.tail, "tail": tasks.head}
    bounds = graph.num_entities, graph.num_relations, graph.num_times
    keyed = {side: _gather(known, tasks.relation, *bounds, times=tasks.time) for side, known in anchors.items()}
    return RankedTasks(rows, keyed)


def _gather(
    anchors: Codes,
    relations: Codes,
    num_entities: int,
    num_relations: int,
    num_times: int = 1,
    *,
    times: Codes | None = None,
) -> Queries:
    if num_entities * num_relations * num_times >= 1 << 64:
        timed = f", {num_times} times" if num_times > 1 else ""
        raise DataError(f"{num_entities} entities{timed} and {num_relations} relations are too many for 64-bit keys.")
    keys = pack(anchors, relations, num_relations)
    if times is not None:
        keys = pack(keys, times, num_times)
    keys, of_task = np.unique(keys, return_inverse=True)
    return Queries(keys, of_task, num_relations, num_times)


def count_candidates(graph: Graph, protocol: Protocol, split: str) -> TaskCounts:
    """Count the candidates of every ranking task of a split, on both sides."""
    if reason := graph.explain_uncounted(protocol, split):
        raise UndefinedError(reason)
    return _count(graph, protocol, split, _ask(graph, split, _select_rows(graph, protocol, split)))


def count_protocols(graph: Graph, protocols: Iterable[Protocol]) -> dict[tuple[str, str], TaskCounts]:
    """Count the candidates of every split under each protocol; protocols that agree on a split share its counts.

    A split whose file is missing, or what needs one, has none.
    """
    counts = {}
    asked: dict[tuple[str, bytes], RankedTasks] = {}
    done: dict[tuple[Any, ...], TaskCounts] = {}
    for protocol in protocols:
        for split in SPLITS:
            if graph.explain_uncounted(protocol, split):
                continue
            rows = _select_rows(graph, protocol, split)
            key = split, rows.tobytes()
            if key not in asked:
                asked[key] = _ask(graph, split, rows)
            candidates = _select_candidates(graph, protocol).tobytes()
            known = frozenset(protocol.known_splits(split)), protocol.time
            same = (*key, candidates, known, protocol.negatives)
            if same not in done:
                done[same] = _count(graph, protocol, split, asked[key])
            counts[protocol.key, split] = done[same]
    return counts


def _select_candidates(graph: Graph, protocol: Protocol) -> NDArray[np.bool_]:
    chosen = {"seen": lambda: graph.seen_entities, "placed": lambda: graph.placed_entities}.get(protocol.candidates)
    candidate = np.ones(graph.num_entities, dtype=np.bool_) if chosen is None else chosen()
    return candidate if graph.allowed_entities is None else candidate & graph.allowed_entities


def _count(graph: Graph, protocol: Protocol, split: str, tasks: RankedTasks) -> TaskCounts:
    candidate = _select_candidates(graph, protocol)
    num_entities = int(candidate.sum()) if protocol.negatives is None else protocol.negatives + 1
    timed = {side: (queries, np.arange(queries.keys.size)) for side, queries in tasks.queries.items()}
    asked = timed if protocol.time == "same" else {side: queries.timeless for side, queries in tasks.queries.items()}
    counters = {side: _AnswerCounter(queries, graph.num_entities) for side, (queries, _) in asked.items()}
    known = protocol.known_splits(split) if tasks.rows.size else ()
    filters = [*map(graph.splits.__getitem__, dict.fromkeys((*known, split))), graph.known] if known else []
    for triples in filters:
        for batch in _batches(triples):
            # Only a candidate can be removed from the candidates.
            inside = batch.select(candidate[batch.head] & candidate[batch.tail])
            counters["tail"].update(inside.head, inside.relation, inside.tail, inside.time)
            counters["head"].update(inside.tail, inside.relation, inside.head, inside.time)
    blocks = {}
    for side, queries in tasks.queries.items():
        every = np.arange(queries.keys.size)
        place = asked[side][1]
        size = num_entities + 1 - counters[side].count()[place] if known else np.full(every.size, num_entities)
        if known and (size.min() < 1 or size.max() > num_entities):
            raise DataError(
                f"{protocol.key} {split} {side}: candidates run from {size.min()} to {size.max()}; "
                f"expected 1 to {num_entities}. This is a bug: please report it with the dataset."
            )
        blocks[side] = Blocks(queries, queries.of_task, every, size)
    ranked_by_baselines = split != "train" and protocol.negatives is None
    answers = {side: counter.answers for side, counter in counters.items()} if ranked_by_baselines else None
    return TaskCounts(tasks, blocks, num_entities, answers)
