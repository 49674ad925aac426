"""Count the candidates of every ranking task.

Task (h, r, ?) has as candidates the entities of the protocol, less the known answers other than its
own:

    N = |E| - |{t' in E : (h, r, t') known}| + 1

and (?, r, t) likewise. Task (h, ?, t) has as candidates the relations of the protocol, less the
other known ones of its pair. In a temporal graph every relation has an inverse, which is a
candidate, too, and each fact is asked for in both directions: so RE-GCN does, and those who report
relation prediction there use its code.

Known triples are the *set* of triples of the protocol's filter splits and of the evaluated split;
the evaluated one is always in, so 1 <= N <= |E|. A task of a temporal graph has a time, too; its
known answers are those of the same time, or of any, as the protocol says.

Counting asks, for the distinct queries of one split, how many distinct answers the known triples
give: N is the same for all tasks of a query. Known triples are looked at once, in batches, against
a table of the queries: memory follows the evaluation split and the answers found, not the graph.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.protocols import ENTITY_SIDES, RELATION_SIDE, SPLITS
from rankconst.errors import DataError
from rankconst.progress import unseen
from rankconst.tasks import Histogram
from rankconst_builder.words import (
    add_up,
    append_answers,
    count_answers,
    count_bits,
    count_runs,
    drop_repeats,
    find_answers,
    find_keys,
    locate,
    pack,
    sort_words,
    split_batches,
    unpack,
    view,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.protocols import Protocol
    from rankconst.progress import Stage
    from rankconst_builder.graph import Graph
    from rankconst_builder.words import Codes, Triples, Words


FURTHER = "known"
"""Where further known triples are from that are in no split."""

_REMEDY = "Number entities and relations from 0 without gaps."


class KeyTable:
    """Finds some keys, ascending, among many others.

    Most keys that are asked for are of no interest: a mark at the top bits of their product with an
    odd number tells, in an array that is small enough for the second-level cache. The others are
    searched.
    """

    def __init__(self, keys: Words) -> None:
        self._keys = keys
        self._shift = np.uint64(64 - min(max(int(keys.size).bit_length() + 4, 8), 24))
        self._marks = np.zeros(1 << (64 - int(self._shift)), dtype=np.bool_)
        self._marks[self._place(keys)] = True

    def _place(self, keys: Words) -> Codes:
        slots = keys * np.uint64(0xD6E8FEB86659FD93)
        slots >>= self._shift
        return slots.view(np.int64)  # others numpy converts at every use as places

    def match(self, keys: Words) -> tuple[Codes, Codes]:
        """Return which of some keys are among the table's, and their places there."""
        left = np.flatnonzero(self._marks[self._place(keys)])
        rows, places = locate(self._keys, keys[left])
        return left[rows], places


@dataclass(frozen=True)
class Queries:
    """The distinct queries that the ranking tasks of one side ask, perhaps with a time.

    On the side of relations a query has a second entity in the relation's place.
    """

    keys: Words  # entity, relation and time in one number, ascending. Shape (Q,), uint64
    of_task: Codes  # which query each task asks; each is asked. Shape (n,), int64
    num_relations: int  # keys are (entity * num_relations + relation) * num_times + time
    num_times: int = 1  # 1 for queries without a time

    @cached_property
    def places(self) -> Codes:
        """Each query: 0, 1, ... Shape (Q,)."""
        return np.arange(self.keys.size)

    @cached_property
    def frequency(self) -> Codes:
        """How many tasks ask each query. Shape (Q,)."""
        return np.bincount(self.of_task)

    @cached_property
    def relation(self) -> Codes:
        """The relation of each query. Shape (Q,)."""
        pairs = self.keys // np.uint64(self.num_times)
        return (pairs % np.uint64(self.num_relations)).astype(np.int64)

    @cached_property
    def timeless(self) -> tuple[Queries, Codes]:
        """The queries without their times, and which of these each one is. Shape (Q,)."""
        if self.num_times == 1:
            return self, self.places
        keys, place = np.unique(self.keys // np.uint64(self.num_times), return_inverse=True)
        return Queries(keys, place[self.of_task], self.num_relations), place

    def match(self, anchors: Codes, relations: Codes) -> tuple[Codes, Codes]:
        """Return which pairs of entity and relation make a query that is asked, and its place."""
        return self.table.match(self.pack(anchors, relations))

    def pack(self, anchors: Codes, relations: Codes, times: Codes | None = None) -> Words:
        """Return the key of each entity, relation and time."""
        keys = pack(anchors, relations, self.num_relations)
        if self.num_times == 1 or times is None:
            return keys
        return pack(keys, times, self.num_times)

    @cached_property
    def table(self) -> KeyTable:
        """Finds queries by their keys."""
        return KeyTable(self.keys)


@dataclass(frozen=True, eq=False)
class RankedTasks:
    """The ranking tasks that rows of a split give, on every side."""

    rows: Codes  # which rows of the split's file are ranked, ascending. Shape (n,), int64
    queries: Mapping[str, Queries]  # ``head``, ``tail``, perhaps ``relation``, to its queries


@dataclass(frozen=True, eq=False)
class Blocks:
    """The ranks that true answers of one side can have: any of `size` ranks after `offset`.

    Candidates of equal score are in random order. Under chance all are, and a query is a row.
    """

    queries: Queries
    of_task: Codes  # which row each task is of. Shape (n,)
    query: Codes  # the query that each row's tasks ask. Shape (U,)
    size: Codes  # candidates that tie with the true answer, itself included. Shape (U,), each >= 1
    # Candidates that score above it. Shape (U,); None if there are none.
    offset: Codes | None = None

    @cached_property
    def tally(self) -> Tally:
        """How many tasks are alike."""
        relation = self.queries.relation[self.query]
        frequency = self.queries.frequency[self.query]
        if self.offset is None:
            return Tally.of_queries(self.size, frequency, relation)
        return Tally(self.size, frequency, relation, np.bincount(self.of_task), self.offset)


@dataclass(frozen=True, eq=False)
class Tally:
    """How many tasks of one side are alike. Arrays of shape (U,)."""

    size: Codes  # candidates that tie with the true answer, itself included
    frequency: Codes  # how many tasks ask the same query
    relation: Codes
    num_tasks: Codes
    offset: Codes | None = None  # candidates that score above the true answer; None if none do

    @classmethod
    def of_queries(cls, size: Codes, frequency: Codes, relation: Codes) -> Tally:
        """Merge queries that are alike: a train split has far fewer of these than queries."""
        bounds = _bound(size, frequency, relation)
        if bounds is None:
            return cls(size, frequency, relation, frequency)
        words = pack(pack(size, frequency, bounds[1]), relation, bounds[2])
        words.sort()
        words, num_queries = count_runs(words)
        alike = cls._unpack(words, num_queries, bounds)
        return replace(alike, num_tasks=alike.frequency * num_queries)

    @classmethod
    def merge(cls, tallies: Sequence[Tally]) -> Tally:
        """Add up tallies of different queries."""
        if len(tallies) == 1:
            return tallies[0]
        size = np.concatenate([one.size for one in tallies])
        frequency = np.concatenate([one.frequency for one in tallies])
        relation = np.concatenate([one.relation for one in tallies])
        num_tasks = np.concatenate([one.num_tasks for one in tallies])
        bounds = _bound(size, frequency, relation)
        if bounds is None:
            return cls(size, frequency, relation, num_tasks)
        words = pack(pack(size, frequency, bounds[1]), relation, bounds[2])
        return cls._unpack(*add_up([(words, num_tasks)]), bounds)

    @classmethod
    def _unpack(cls, words: Words, num_tasks: Codes, bounds: Sequence[int]) -> Tally:
        rest, relation = unpack(words, bounds[2])
        size, frequency = unpack(rest.view(np.uint64), bounds[1])
        return cls(size, frequency, relation, num_tasks)

    def histogram(self, group: str | None = None) -> Histogram:
        """Return the rows as a histogram; tasks of a `group`, query or relation, count one."""
        tasks = self.frequency
        if group == "relation":
            # Sums of whole numbers below 2^53 are exact.
            tasks = np.bincount(self.relation, self.num_tasks).astype(np.int64)[self.relation]
        weights = None if group is None else 1.0 / tasks
        return Histogram.from_counts(self.size, self.num_tasks, weights, self.offset)

    def relation_histograms(self, *, by_query: bool = False) -> dict[int, Histogram]:
        """Return the histogram of each relation; `by_query`, tasks of a query count one."""
        if not self.size.size:
            return {}
        weights = 1.0 / self.frequency if by_query else None
        return Histogram.of_groups(self.relation, self.size, self.num_tasks, self.offset, weights)


def _bound(*columns: Codes) -> list[int] | None:
    """Return how many values each column can have; None if all do not fit into a word."""
    bounds = [1 + int(column.max(initial=0)) for column in columns]
    return bounds if math.prod(bounds) <= 1 << 64 else None


@dataclass(frozen=True)
class Answers:
    """The distinct known answers of each query of a side, true ones included."""

    queries: Queries  # as the filter asks: without times if it ignores them
    words: Words  # query and entity in one number, ascending
    bits: int  # how many of its bits are the entity's

    def count(self) -> Codes:
        """Return the number of answers of each query. Shape (Q,)."""
        return np.bincount(self.query, minlength=self.queries.keys.size)

    @property
    def query(self) -> Codes:
        """The query of each answer, ascending."""
        return find_keys(self.words, self.bits).view(np.int64)

    @property
    def entity(self) -> Codes:
        """Each answer."""
        return find_answers(self.words, self.bits)


@dataclass(frozen=True, eq=False)
class TaskCounts:
    """Candidates of each ranking task of a split, under a protocol and a baseline."""

    tasks: RankedTasks
    blocks: Mapping[str, Blocks]  # side to where its true answers can rank
    # Side to the answers that the protocol removes; None where no baseline needs them: for train,
    # and for sampled negatives.
    answers: Mapping[str, Answers] | None = None

    @property
    def tallies(self) -> dict[str, Tally]:
        """How many tasks of each side are alike; no side if none is ranked."""
        if not self.tasks.rows.size:
            return {}
        return {side: blocks.tally for side, blocks in self.blocks.items()}


class Gathering:
    """The known answers of some queries, by where they are known from."""

    def __init__(self, keys: Words, num_answers: int) -> None:
        self._keys, self.bits = keys, count_bits(num_answers)
        if keys.size.bit_length() + self.bits > 64:
            raise DataError(
                f"{keys.size:,} queries and {num_answers:,} answers are too many for 64-bit keys. "
                f"{_REMEDY}"
            )
        self._table = KeyTable(keys)
        self._found: dict[str, list[Words]] = {}

    def update(self, source: str, keys: Words, answers: Codes) -> None:
        """Take in a batch of known triples of a source, as queries and answers."""
        rows, query = self._table.match(keys)
        words = append_answers(query.view(np.uint64), answers[rows], self.bits)
        self._found.setdefault(source, []).append(words)

    def answers(
        self, queries: Queries, sources: Iterable[str], candidate: NDArray[np.bool_]
    ) -> Answers:
        """Return the distinct answers of queries from some sources that are candidates."""
        place = np.full(self._keys.size, -1, dtype=np.int64)
        place[np.searchsorted(self._keys, queries.keys)] = queries.places
        kept = []
        for source in sources:
            for words in self._found.get(source, ()):
                query, answer = place[find_keys(words, self.bits)], find_answers(words, self.bits)
                inside = (query >= 0) & candidate[answer]
                known = query[inside].view(np.uint64)
                kept.append(append_answers(known, answer[inside], self.bits))
        return Answers(queries, drop_repeats(sort_words(kept)), self.bits)


def list_sides(graph: Graph) -> tuple[str, ...]:
    """Return the sides that a graph has tasks of."""
    return (*ENTITY_SIDES, RELATION_SIDE) if graph.ranks_relations else ENTITY_SIDES


def list_queries(graph: Graph, tasks: Triples, side: str) -> Queries:
    """Return the queries that some facts ask on a side."""
    entities, times = graph.num_entities, graph.num_times
    relations = entities if side == RELATION_SIDE else graph.num_relations
    if entities * relations * times >= 1 << 64:
        timed = f", {times:,} times" if times > 1 else ""
        raise DataError(
            f"{entities:,} entities{timed} and "
            f"{relations:,} relations are too many for 64-bit keys. {_REMEDY}"
        )
    parts = []
    for anchors, given, _ in view(graph, tasks, side):
        part = pack(anchors, given, relations)
        parts.append(part if tasks.time is None else pack(part, tasks.time, times))
    keys, of_task = np.unique(np.concatenate(parts), return_inverse=True)
    return Queries(keys, of_task, relations, times)


def count_protocols(
    graph: Graph,
    protocols: Iterable[Protocol],
    splits: Collection[str] = SPLITS,
    stage: Stage = unseen,
) -> dict[tuple[str, str], TaskCounts]:
    """Count the candidates of splits under each protocol, shared where protocols agree."""
    find_ranked = functools.cache(functools.partial(_find_ranked, graph))
    asked = []
    for protocol, split in itertools.product(protocols, SPLITS):
        if split in splits and not graph.explain_uncounted(protocol, split):
            rows = _select_rows(graph, protocol, split)
            asked.append((protocol, split, find_ranked(split, np.packbits(rows).tobytes())))
    counts = {}
    done: dict[tuple[Any, ...], TaskCounts] = {}
    with stage("candidates", 1 + len(asked)) as advance:
        found = _gather_answers(graph, asked)
        advance()
        for protocol, split, tasks in asked:
            # Each selection contains the next smaller one, so its size tells which it is.
            entities = int(select_candidates(graph, protocol).sum())
            relations = int(select_relations(graph, protocol).sum())
            known = list_known(graph, protocol, split)
            same = (tasks, entities, relations, known, protocol.time, protocol.negatives)
            if same not in done:
                done[same] = _count(graph, protocol, split, tasks, found)
            counts[protocol.key, split] = done[same]
            advance()
    return counts


def _select_rows(graph: Graph, protocol: Protocol, split: str) -> NDArray[np.bool_]:
    """Select the rows of a split that a protocol ranks."""
    evaluated = graph.splits[split]
    ranked = graph.is_allowed(evaluated)
    if protocol.tasks == "seen":
        ranked &= graph.is_seen(evaluated)
    if protocol.distinct:
        ranked &= graph.find_firsts(split)
    return ranked


def _find_ranked(graph: Graph, split: str, bits: bytes) -> RankedTasks:
    """Return the ranking tasks of some rows of a split, a bit for each row."""
    evaluated = graph.splits[split]
    ranked = np.unpackbits(np.frombuffer(bits, np.uint8), count=len(evaluated)).view(np.bool_)
    tasks = evaluated if ranked.all() else evaluated.select(ranked)
    queries = {side: list_queries(graph, tasks, side) for side in list_sides(graph)}
    return RankedTasks(np.flatnonzero(ranked), queries)


def list_known(graph: Graph, protocol: Protocol, split: str) -> frozenset[str]:
    """Return the sources of the known triples that a protocol removes; none if it removes none."""
    known = protocol.known_splits(split)
    if not known:
        return frozenset()
    return frozenset((*known, split, FURTHER)) & {*list_sources(graph)}


def list_sources(graph: Graph) -> dict[str, Triples]:
    """Return the known triples of each split, and further ones."""
    return {**graph.splits, FURTHER: graph.known}


def _gather_answers(
    graph: Graph, asked: Iterable[tuple[Protocol, str, RankedTasks]]
) -> dict[tuple[str, bool], Gathering]:
    """Look at every known triple that any protocol removes, once; keep answers of queries."""
    keys: dict[tuple[str, bool], list[Words]] = {}
    queries: dict[tuple[str, bool], Queries] = {}
    sources: dict[str, set[tuple[str, bool]]] = {}
    for protocol, split, tasks in asked:
        known = list_known(graph, protocol, split) if tasks.rows.size else ()
        timed = protocol.time == "same"
        for side, one in tasks.queries.items() if known else ():
            queries[side, timed] = one if timed else one.timeless[0]
            keys.setdefault((side, timed), []).append(queries[side, timed].keys)
            for source in known:
                sources.setdefault(source, set()).add((side, timed))
    found = {}
    for (side, timed), parts in keys.items():
        distinct = drop_repeats(sort_words(parts))
        found[side, timed] = Gathering(distinct, count_answers(graph, side))
    for source, addresses in sources.items():
        for batch in split_batches(list_sources(graph)[source]):
            for side, timed in sorted(addresses):
                for anchors, given, answers in view(graph, batch, side):
                    wanted = queries[side, timed].pack(anchors, given, batch.time)
                    found[side, timed].update(source, wanted, answers)
    return found


def select_candidates(graph: Graph, protocol: Protocol) -> NDArray[np.bool_]:
    """Select the entities that a protocol ranks. Shape (num_entities,)."""
    candidate = graph.entities
    if protocol.candidates == "seen":
        candidate = graph.seen_entities
    elif protocol.candidates == "placed":
        candidate = graph.placed_entities
    return candidate if graph.allowed_entities is None else candidate & graph.allowed_entities


def select_relations(graph: Graph, protocol: Protocol) -> NDArray[np.bool_]:
    """Select the relations that are candidates, also where an evaluation is restricted to a few."""
    return graph.seen_relations if protocol.candidates == "seen" else graph.relations


def count_ranked(graph: Graph, protocol: Protocol) -> dict[str, int]:
    """Return the number of ranked entities or relations of each side, with known answers."""
    if protocol.negatives is not None:
        return dict.fromkeys(ENTITY_SIDES, protocol.negatives + 1)
    ranked = dict.fromkeys(ENTITY_SIDES, int(select_candidates(graph, protocol).sum()))
    if graph.ranks_relations and protocol.ranks_relations:
        relations = int(select_relations(graph, protocol).sum())
        ranked[RELATION_SIDE] = 2 * relations if graph.temporal else relations
    return ranked


def leave_out(known: Codes, number: int, where: str) -> Codes:
    """Return how many candidates remain without known answers, the true ones apart."""
    size = number - known
    if size.min() < 1 or size.max() > number:
        raise DataError(
            f"{where}: candidates run from {size.min()} to {size.max()}; expected 1 to {number}. "
            "This is a bug: please report it with the dataset."
        )
    return size


def _count(
    graph: Graph,
    protocol: Protocol,
    split: str,
    tasks: RankedTasks,
    found: Mapping[tuple[str, bool], Gathering],
) -> TaskCounts:
    entities, relations = select_candidates(graph, protocol), select_relations(graph, protocol)
    candidate = {**dict.fromkeys(ENTITY_SIDES, entities), RELATION_SIDE: np.tile(relations, 2)}
    ranked = count_ranked(graph, protocol)
    known = list_known(graph, protocol, split) if tasks.rows.size else ()
    blocks, answers = {}, {}
    for side, number in ranked.items():
        queries = tasks.queries[side]
        asked, place = (queries, queries.places) if protocol.time == "same" else queries.timeless
        size = np.full(queries.keys.size, number)
        if known:
            gathered = found[side, protocol.time == "same"]
            answers[side] = gathered.answers(asked, known, candidate[side])
            others = answers[side].count()[place] - 1
            size = leave_out(others, number, f"{protocol.key} {split} {side}")
        else:
            bits = count_bits(count_answers(graph, side))
            answers[side] = Answers(asked, np.empty(0, np.uint64), bits)
        blocks[side] = Blocks(queries, queries.of_task, queries.places, size)
    if split == "train" or protocol.negatives is not None:
        return TaskCounts(tasks, blocks)
    return TaskCounts(tasks, blocks, {side: answers[side] for side in ENTITY_SIDES})
