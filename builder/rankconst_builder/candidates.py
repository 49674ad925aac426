"""Count the candidates of every ranking task.

Task (h, r, ?) has as candidates the entities of the protocol, less the known answers other than its own:

    N = |E| - |{t' in E : (h, r, t') known}| + 1

and (?, r, t) likewise. Task (h, ?, t) has as candidates the relations of the protocol, less the other known ones of its
pair. In a temporal graph every relation has an inverse, which is a candidate, too, and each fact is asked for in both
directions: so RE-GCN does, and those who report relation prediction there use its code.

Known triples are the *set* of triples of the protocol's filter splits and of the evaluated split; the evaluated one is
always in, so 1 <= N <= |E|. A task of a temporal graph has a time, too; its known answers are those of the same time,
or of any, as the protocol says.

Counting asks, for the distinct queries of one split, how many distinct answers the known triples give: N is the same
for all tasks of a query. Known triples are looked at once, in batches, against a table of the queries: memory follows
the evaluation split and the answers found, not the graph.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.protocols import ENTITY_SIDES, RELATION_SIDE, SPLITS
from rankconst.errors import DataError, UndefinedError
from rankconst.tasks import Histogram
from rankconst_builder.graph import is_new, pack

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

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
    """The distinct queries that the ranking tasks of one side ask: an entity and a relation, perhaps a time.

    On the side of relations a query has a second entity in the relation's place.
    """

    keys: Words  # entity, relation and time in one number, ascending. Shape (Q,), uint64
    of_task: Codes  # which query each task asks. Shape (n,), int64
    num_relations: int  # keys are (entity * num_relations + relation) * num_times + time
    num_times: int = 1  # 1 for queries without a time

    @cached_property
    def places(self) -> Codes:
        """Each query: 0, 1, ... Shape (Q,)."""
        return np.arange(self.keys.size)

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
            return self, self.places
        keys, place = np.unique(self.keys // np.uint64(self.num_times), return_inverse=True)
        return Queries(keys, place[self.of_task], self.num_relations), place

    def find(self, anchors: Codes, relations: Codes, times: Codes | None = None) -> Codes:
        """Return the place of the query that each entity, relation and time makes, -1 where it is not asked."""
        return self.table.find(self.pack(anchors, relations, times))

    def pack(self, anchors: Codes, relations: Codes, times: Codes | None = None) -> Words:
        """Return the key of each entity, relation and time."""
        keys = pack(anchors, relations, self.num_relations)
        return pack(keys, times, self.num_times) if self.num_times > 1 and times is not None else keys

    @cached_property
    def relation_frequency(self) -> Codes:
        """How many tasks ask queries of each relation. Shape (num_relations,)."""
        return np.bincount(self.relation[self.of_task], minlength=self.num_relations)

    @cached_property
    def table(self) -> KeyTable:
        """Finds queries by their keys."""
        return KeyTable(self.keys)


@dataclass(frozen=True, eq=False)
class RankedTasks:
    """The ranking tasks that rows of a split give, on every side."""

    rows: Codes  # which rows of the split's file are ranked, ascending. Shape (n,), int64
    queries: Mapping[str, Queries]  # side ``head`` or ``tail``, perhaps ``relation``, to its queries


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

    def histogram(self, group: str | None = None) -> Histogram:
        """Return the rows as a histogram; tasks of a query or of a relation, the `group`, count one together."""
        rows = self._gathered
        sizes = {"query": rows.frequency, "relation": self.queries.relation_frequency[rows.relation]}
        weights = None if group is None else 1.0 / sizes[group]
        return Histogram.from_counts(rows.size, rows.num_tasks, weights, rows.offset)

    def relation_histograms(self) -> dict[int, Histogram]:
        """Return the rows of each relation that has tasks as a histogram, by code."""
        rows = self._gathered
        return Histogram.of_groups(rows.relation, rows.size, rows.num_tasks, rows.offset) if rows.size.size else {}

    @cached_property
    def _gathered(self) -> _Rows:
        """The rows, those of chance that are alike as one: a train split has far fewer of these than queries."""
        queries = self.queries
        columns = self.size, queries.frequency[self.query], queries.relation[self.query]
        bounds = [1 + int(column.max(initial=0)) for column in columns]
        if self.offset is not None or math.prod(bounds) > 1 << 64:
            return _Rows(*columns, np.bincount(self.of_task, minlength=self.size.size), self.offset)
        words = np.sort(pack(pack(*columns[:2], bounds[1]), columns[2], bounds[2]))
        starts = np.flatnonzero(is_new(words))
        words, relation = np.divmod(words[starts], np.uint64(bounds[2]))
        size, frequency = (part.astype(np.int64) for part in np.divmod(words, np.uint64(bounds[1])))
        num_tasks = frequency * np.diff(starts, append=self.size.size)
        return _Rows(size, frequency, relation.astype(np.int64), num_tasks)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of :class:`Blocks` and what makes their weights, each of shape (U,)."""

    size: Codes
    frequency: Codes  # of the query
    relation: Codes
    num_tasks: Codes
    offset: Codes | None = None


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

    @property
    def relation(self) -> Codes | None:
        """Numbers of candidates for each row's relation, in either direction. Shape (n,); None if they are unknown."""
        if RELATION_SIDE not in self.blocks:
            return None
        return self.blocks[RELATION_SIDE].size[self.blocks[RELATION_SIDE].of_task[: self.rows.size]]

    def histogram(self, side: str) -> Histogram:
        """Return the counts of a side as a histogram."""
        return self.blocks[side].histogram()

    def relation_histograms(self, side: str) -> dict[int, Histogram]:
        """Return the counts of side ``head`` or ``tail`` as a histogram for each relation that has tasks, by code."""
        return self.blocks[side].relation_histograms()

    def macro_histogram(self, side: str, aggregation: Aggregation) -> Histogram:
        """Return the counts of side ``head`` or ``tail`` with the weights of a macro average."""
        return self.blocks[side].histogram(aggregation.group)


class _AnswerCounter:
    """Count the distinct known answers of each query of a side."""

    def __init__(self, queries: Queries, num_answers: int) -> None:
        self._queries = queries
        self._bits = _count_bits(num_answers)
        if queries.keys.size.bit_length() + int(self._bits) > 64:
            raise DataError(f"{queries.keys.size} queries and {num_answers} answers are too many for 64-bit keys.")
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
        return Answers(self._queries, words[is_new(words)], self._bits)

    def count(self) -> Codes:
        """Return the number of distinct known answers of each query. Shape (Q,)."""
        return np.bincount(self.answers.query, minlength=self._queries.keys.size)


class _SortingCounter:
    """Count the distinct known answers of each query of a side, where queries are about as many as known triples.

    A table of so many queries leaves every cache; sorting does not mind.
    """

    def __init__(self, queries: Queries, num_answers: int) -> None:
        self._queries = queries
        self._bits = _count_bits(num_answers)
        self._words = [np.zeros(0, dtype=np.uint64)]

    @classmethod
    def fits(cls, queries: Queries, num_entities: int, num_answers: int) -> bool:
        """Tell whether the key of any query and an answer fit one word."""
        bound = num_entities * queries.num_relations * queries.num_times
        return (bound - 1).bit_length() + int(_count_bits(num_answers)) <= 64

    def update(self, anchors: Codes, relations: Codes, answers: Codes, times: Codes | None = None) -> None:
        """Take in a batch of known triples, each seen from the query's side."""
        keys = self._queries.pack(anchors, relations, times)
        self._words.append((keys << self._bits) | answers.astype(np.uint64))

    def count(self) -> Codes:
        """Return the number of distinct known answers of each query. Shape (Q,)."""
        words = np.concatenate(self._words)
        words.sort()
        keys = words[is_new(words)] >> self._bits
        return np.searchsorted(keys, self._queries.keys, "right") - np.searchsorted(keys, self._queries.keys)


def _count_bits(num_answers: int) -> np.uint64:
    return np.uint64(max(int(num_answers).bit_length(), 1))


def _batches(triples: Triples) -> Iterator[Triples]:
    for start in range(0, len(triples), BATCH):
        yield triples.select(slice(start, start + BATCH))


def _select_rows(graph: Graph, protocol: Protocol, split: str) -> NDArray[np.bool_]:
    evaluated = graph.splits[split]
    ranked = graph.is_allowed(evaluated)
    if protocol.tasks == "seen":
        ranked &= graph.is_seen(evaluated)
    if protocol.distinct:
        ranked &= graph.firsts[split]
    return ranked


def _ask(graph: Graph, split: str, ranked: NDArray[np.bool_]) -> RankedTasks:
    tasks = graph.splits[split] if ranked.all() else graph.splits[split].select(ranked)
    queries = {}
    for side in (*ENTITY_SIDES, RELATION_SIDE) if graph.ranks_relations else ENTITY_SIDES:
        views = [*_view(graph, tasks, side)]
        anchors, given, _ = map(np.concatenate, zip(*views, strict=True))
        times = None if tasks.time is None else np.tile(tasks.time, len(views))
        size = graph.num_entities if side == RELATION_SIDE else graph.num_relations
        queries[side] = _gather(anchors, given, graph.num_entities, size, graph.num_times, times=times)
    return RankedTasks(np.flatnonzero(ranked), queries)


def _view(graph: Graph, triples: Triples, side: str) -> Iterator[tuple[Codes, Codes, Codes]]:
    """Yield facts as a side asks for them: an entity, the relation or another entity, and the answer."""
    head, relation, tail = triples.codes[:3]
    if side == RELATION_SIDE:
        yield head, tail, relation
        if graph.temporal:
            yield tail, head, relation + graph.num_relations
    else:
        yield (tail, relation, head) if side == "head" else (head, relation, tail)


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
    """Count the candidates of every ranking task of a split, on every side."""
    if reason := graph.explain_uncounted(protocol, split):
        raise UndefinedError(reason)
    return _count(graph, protocol, split, _ask(graph, split, _select_rows(graph, protocol, split)))


def count_protocols(
    graph: Graph, protocols: Iterable[Protocol], splits: Collection[str] = SPLITS
) -> dict[tuple[str, str], TaskCounts]:
    """Count the candidates of splits under each protocol; protocols that agree on a split share its counts.

    A split whose file is missing, or what needs one, has none.
    """
    counts = {}
    asked: dict[tuple[str, bytes], RankedTasks] = {}
    done: dict[tuple[Any, ...], TaskCounts] = {}
    for protocol in protocols:
        for split in (split for split in SPLITS if split in splits):
            if graph.explain_uncounted(protocol, split):
                continue
            ranked = _select_rows(graph, protocol, split)
            key = split, np.packbits(ranked).tobytes()
            if key not in asked:
                asked[key] = _ask(graph, split, ranked)
            candidates = [select(graph, protocol).tobytes() for select in (_select_candidates, _select_relations)]
            known = frozenset(protocol.known_splits(split)), protocol.time
            same = (*key, *candidates, known, protocol.negatives)
            if same not in done:
                done[same] = _count(graph, protocol, split, asked[key])
            counts[protocol.key, split] = done[same]
    return counts


def _select_candidates(graph: Graph, protocol: Protocol) -> NDArray[np.bool_]:
    chosen = {"seen": lambda: graph.seen_entities, "placed": lambda: graph.placed_entities}.get(protocol.candidates)
    candidate = np.ones(graph.num_entities, dtype=np.bool_) if chosen is None else chosen()
    return candidate if graph.allowed_entities is None else candidate & graph.allowed_entities


def _select_relations(graph: Graph, protocol: Protocol) -> NDArray[np.bool_]:
    """Return which relations are ranked; a restriction to some says which triples are, not among how many."""
    return graph.seen_relations if protocol.candidates == "seen" else np.ones(graph.num_relations, dtype=np.bool_)


def _count(graph: Graph, protocol: Protocol, split: str, tasks: RankedTasks) -> TaskCounts:
    candidate, relation = _select_candidates(graph, protocol), _select_relations(graph, protocol)
    num_entities = int(candidate.sum()) if protocol.negatives is None else protocol.negatives + 1
    ranked = dict.fromkeys(ENTITY_SIDES, num_entities)
    if RELATION_SIDE in tasks.queries and protocol.ranks_relations:
        ranked[RELATION_SIDE] = int(relation.sum()) * (2 if graph.temporal else 1)
    timed = {side: (tasks.queries[side], tasks.queries[side].places) for side in ranked}
    asked = timed if protocol.time == "same" else {side: tasks.queries[side].timeless for side in ranked}
    ranked_by_baselines = split != "train" and protocol.negatives is None
    counters = {
        side: _choose_counter(graph, side, queries, answers=ranked_by_baselines) for side, (queries, _) in asked.items()
    }
    known = protocol.known_splits(split) if tasks.rows.size else ()
    filters = [*map(graph.splits.__getitem__, dict.fromkeys((*known, split))), graph.known] if known else []
    every, related = bool(candidate.all()), bool(relation.all())
    for triples in filters:
        for batch in _batches(triples):
            # Only a candidate can be removed from the candidates.
            inside = batch if every else batch.select(candidate[batch.head] & candidate[batch.tail])
            for side, counter in counters.items():
                apart = side == RELATION_SIDE and not related
                seen = inside.select(relation[inside.relation]) if apart else inside
                for view in _view(graph, seen, side):
                    counter.update(*view, seen.time)
    blocks = {}
    for side, number in ranked.items():
        queries, place = tasks.queries[side], asked[side][1]
        size = number + 1 - counters[side].count()[place] if known else np.full(queries.keys.size, number)
        if known and (size.min() < 1 or size.max() > number):
            raise DataError(
                f"{protocol.key} {split} {side}: candidates run from {size.min()} to {size.max()}; "
                f"expected 1 to {number}. This is a bug: please report it with the dataset."
            )
        blocks[side] = Blocks(queries, queries.of_task, queries.places, size)
    if not ranked_by_baselines:
        return TaskCounts(tasks, blocks, num_entities)
    counted = {side: counters[side] for side in ENTITY_SIDES}
    found = {side: counter.answers for side, counter in counted.items() if isinstance(counter, _AnswerCounter)}
    return TaskCounts(tasks, blocks, num_entities, found)


def _choose_counter(graph: Graph, side: str, queries: Queries, *, answers: bool) -> _AnswerCounter | _SortingCounter:
    """Return what counts the answers of queries; without `answers`, the queries are those of train."""
    number = 2 * graph.num_relations if side == RELATION_SIDE else graph.num_entities
    sorts = not answers and _SortingCounter.fits(queries, graph.num_entities, number)
    return _SortingCounter(queries, number) if sorts else _AnswerCounter(queries, number)
