"""Count the candidates of every ranking task.

The candidates of task (h, r, ?) are the entities of the protocol, except known answers other than
its own:

    N = |E| - |{t' in E : (h, r, t') known}| + 1

The same goes for (?, r, t). The candidates of task (h, ?, t) are the relations of the protocol,
except other known ones of its pair. In a temporal graph, the inverse of every relation is also a
candidate, and each fact is asked for in both directions, as in RE-GCN, whose code is used by those
who report relation prediction there.

Known triples are the *set* of triples of the protocol's filter splits and of the evaluated split.
As this includes the task's own triple, 1 <= N <= |E|. A task of a temporal graph has a time, and
the protocol says whether known answers are those of the same time or of any.

N is the same for all tasks of a query. So the known answers of the distinct queries of a split are
counted, in one pass over the known triples. Memory depends on the evaluated split and the answers
found, not on the graph.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.protocols import ENTITY_SIDES, RELATION_SIDE, SPLITS
from rankconst.errors import DataError
from rankconst.progress import unseen
from rankconst.tasks import Histogram
from rankconst_builder.codes import (
    Counts,
    Matches,
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
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    from rankconst.catalogue.protocols import Protocol
    from rankconst.progress import Stage
    from rankconst_builder.codes import Codes, Mask, Triples, Words
    from rankconst_builder.graph import Graph

FURTHER = "known"
"""The name of the known triples that are in no split."""

_REMEDY = "Number entities and relations from 0 without gaps."


class KeyTable:
    """Finds the few of many keys that are in a table of ascending keys.

    Every key of the table marks a slot, its hash. Only keys with a marked slot are searched for.
    """

    def __init__(self, keys: Words) -> None:
        self._keys = keys
        # With 16 to 32 slots for each key, few other keys hit a marked one. 2^24 slots are 16 MB.
        bits = min(max(int(keys.size).bit_length() + 4, 8), 24)
        self._shift = np.uint64(64 - bits)
        self._marks = np.zeros(1 << bits, dtype=np.bool_)
        self._marks[self._hash(keys)] = True

    def _hash(self, keys: Words) -> Codes:
        """Return the slot of each key: the top bits of its product with an odd number."""
        slots = keys * np.uint64(0xD6E8FEB86659FD93)  # any odd number of irregular bits will do
        slots >>= self._shift
        return slots.view(np.int64)  # indices of another type are converted at every use

    def match(self, keys: Words) -> Matches:
        """Find which of some keys are in the table, and where."""
        marked = np.flatnonzero(self._marks[self._hash(keys)])
        rows, indices = locate(self._keys, keys[marked])
        return Matches(marked[rows], indices)


@dataclass(frozen=True)
class Queries:
    """The distinct queries of the ranking tasks of one side.

    The tasks (a, r, b), (a, r, c) and (d, r, b) of side tail ask the queries (a, r, ?) and
    (d, r, ?), whose numbers are 0 and 1; `of_task` is 0, 0, 1. On the side of relations, a query
    has a second entity in place of the relation.
    """

    keys: Words  # entity, relation and time in one number, ascending. Shape (Q,), uint64
    of_task: Codes  # the number of each task's query. Shape (n,), int64
    num_relations: int  # keys are (entity * num_relations + relation) * num_times + time
    num_times: int = 1  # 1 for queries without a time

    @cached_property
    def numbers(self) -> Codes:
        """The numbers of the queries, 0, 1, ..., which are their indices in `keys`. Shape (Q,)."""
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
    def timeless(self) -> Timeless:
        """The queries without their times."""
        if self.num_times == 1:
            return Timeless(self, self.numbers)
        keys, number = np.unique(self.keys // np.uint64(self.num_times), return_inverse=True)
        return Timeless(Queries(keys, number[self.of_task], self.num_relations), number)

    def match(self, anchors: Codes, relations: Codes) -> Matches:
        """Find pairs of an entity and a relation among the queries."""
        return self.table.match(self.pack(anchors, relations))

    def pack(self, anchors: Codes, relations: Codes, times: Codes | None = None) -> Words:
        """Return the key of each entity and relation, with its time if the queries have one."""
        keys = pack(anchors, relations, self.num_relations)
        if self.num_times == 1 or times is None:
            return keys
        return pack(keys, times, self.num_times)

    @cached_property
    def table(self) -> KeyTable:
        """Finds queries by their keys."""
        return KeyTable(self.keys)


class Timeless(NamedTuple):
    """The distinct queries that remain without times."""

    queries: Queries
    number: Codes  # the number in `queries` of each query with a time. Shape (Q,)


@dataclass(frozen=True, eq=False)
class RankedTasks:
    """The ranking tasks of rows of a split, on every side."""

    rows: Codes  # the rows of the split's file that are ranked, ascending. Shape (n,), int64
    queries: Mapping[str, Queries]  # by side


@dataclass(frozen=True, eq=False)
class Blocks:
    """The ranks that true answers of one side can have: offset + 1, ..., offset + size.

    Each of these ranks is as likely, as candidates of equal score are in random order. Tasks with
    the same ranks may share a row. Under chance, where all candidates tie, a query is a row.
    """

    queries: Queries
    of_task: Codes  # the row of each task. Shape (n,)
    query: Codes  # the number of the query of each row. Shape (U,)
    size: Codes  # candidates that tie with the true answer, itself included. Shape (U,)
    offset: Codes | None = None  # candidates above the true answer, shape (U,); None without any

    @cached_property
    def tally(self) -> Tally:
        """The tally of the tasks. Under chance, equal queries are joined."""
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
        """Count the tasks of queries, and join queries that are equal in all three numbers.

        Two queries of size 5 and frequency 3, of one relation, become one entry of 6 tasks. Entries
        that are too large to be packed into 64 bits stay apart.
        """
        packing = _EntryPacking.find(size, frequency, relation)
        if packing is None:
            return cls(size, frequency, relation, frequency)

        words = packing.pack(size, frequency, relation)
        words.sort()
        words, num_queries = count_runs(words)
        alike = cls(*packing.unpack(words), num_queries)
        return replace(alike, num_tasks=alike.frequency * num_queries)

    @classmethod
    def merge(cls, tallies: Sequence[Tally]) -> Tally:
        """Add up tallies of different queries without offsets, and join equal entries."""
        if len(tallies) == 1:
            return tallies[0]

        size = np.concatenate([tally.size for tally in tallies])
        frequency = np.concatenate([tally.frequency for tally in tallies])
        relation = np.concatenate([tally.relation for tally in tallies])
        num_tasks = np.concatenate([tally.num_tasks for tally in tallies])
        packing = _EntryPacking.find(size, frequency, relation)
        if packing is None:
            return cls(size, frequency, relation, num_tasks)

        words = packing.pack(size, frequency, relation)
        words, num_tasks = add_up([Counts(words, num_tasks)])
        return cls(*packing.unpack(words), num_tasks)

    def histogram(self, group: str | None = None) -> Histogram:
        """Return the histogram of the tasks, each of weight 1.

        For a macro average by `group`, ``"query"`` or ``"relation"``, all tasks of one query or
        relation weigh 1 together.
        """
        tasks = self.frequency
        if group == "relation":
            # Sums of whole numbers below 2^53 are exact.
            tasks = np.bincount(self.relation, self.num_tasks).astype(np.int64)[self.relation]
        weights = None if group is None else 1.0 / tasks
        return Histogram.from_counts(self.size, self.num_tasks, weights, self.offset)

    def relation_histograms(self, *, by_query: bool = False) -> dict[int, Histogram]:
        """Return histograms by relation. If `by_query`, all tasks of a query weigh 1 together."""
        if not self.size.size:
            return {}
        weights = 1.0 / self.frequency if by_query else None
        return Histogram.of_groups(self.relation, self.size, self.num_tasks, self.offset, weights)


class _EntryPacking(NamedTuple):
    """How size, frequency and relation of a tally are packed into words."""

    frequencies: int  # above all frequencies
    relations: int  # above all relations

    @classmethod
    def find(cls, size: Codes, frequency: Codes, relation: Codes) -> _EntryPacking | None:
        """Return the packing of some entries, or None if they do not fit into 64 bits."""
        sizes, *bounds = (1 + int(column.max(initial=0)) for column in (size, frequency, relation))
        return cls(*bounds) if sizes * math.prod(bounds) <= 1 << 64 else None

    def pack(self, size: Codes, frequency: Codes, relation: Codes) -> Words:
        """Pack entries into words."""
        return pack(pack(size, frequency, self.frequencies), relation, self.relations)

    def unpack(self, words: Words) -> tuple[Codes, Codes, Codes]:
        """Return the sizes, frequencies and relations in some words."""
        rest, relation = unpack(words, self.relations)
        size, frequency = unpack(rest.view(np.uint64), self.frequencies)
        return size, frequency, relation


@dataclass(frozen=True)
class Answers:
    """The distinct known answers of each query of a side, true ones included."""

    queries: Queries  # without times if the filter ignores them
    words: Words  # query and entity in one number, ascending
    bits: int  # the number of bits of the entity

    def count(self) -> Codes:
        """Return the number of answers of each query. Shape (Q,)."""
        return np.bincount(self.query, minlength=self.queries.keys.size)

    @property
    def query(self) -> Codes:
        """The number of the query of each answer, ascending."""
        return find_keys(self.words, self.bits).view(np.int64)

    @property
    def entity(self) -> Codes:
        """The entity of each answer."""
        return find_answers(self.words, self.bits)


@dataclass(frozen=True, eq=False)
class TaskCounts:
    """The candidates of each ranking task of a split, under a protocol and a baseline."""

    tasks: RankedTasks
    blocks: Mapping[str, Blocks]  # by side
    # The answers that the protocol removes, by side. None for train and for sampled negatives,
    # where no baseline needs them.
    answers: Mapping[str, Answers] | None = None

    @property
    def tallies(self) -> dict[str, Tally]:
        """The tallies by side; empty if no task is ranked."""
        if not self.tasks.rows.size:
            return {}
        return {side: blocks.tally for side, blocks in self.blocks.items()}


class Gathering:
    """The known answers of queries, by their source: a split, or :data:`FURTHER`."""

    def __init__(self, keys: Words, num_answers: int) -> None:
        self._keys, self.bits = keys, count_bits(num_answers)
        if keys.size.bit_length() + self.bits > 64:
            raise DataError(
                f"{keys.size:,} queries and {num_answers:,} answers are too many for 64-bit keys. "
                f"{_REMEDY}"
            )

        self._table = KeyTable(keys)
        self._words: dict[str, list[Words]] = {}

    def update(self, source: str, keys: Words, answers: Codes) -> None:
        """Add known triples of a source, given as keys and answers. Other queries are skipped."""
        rows, query = self._table.match(keys)
        words = append_answers(query.view(np.uint64), answers[rows], self.bits)
        self._words.setdefault(source, []).append(words)

    def answers(self, queries: Queries, sources: Iterable[str], candidate: Mask) -> Answers:
        """Return the distinct answers to queries that are in some sources and are candidates."""
        # The query of each key, or -1.
        query_of_key = np.full(self._keys.size, -1, dtype=np.int64)
        query_of_key[np.searchsorted(self._keys, queries.keys)] = queries.numbers
        parts = []
        for source in sources:
            for words in self._words.get(source, ()):
                query = query_of_key[find_keys(words, self.bits)]
                answer = find_answers(words, self.bits)
                rows = np.flatnonzero((query >= 0) & candidate[answer])
                keys = query[rows].view(np.uint64)
                parts.append(append_answers(keys, answer[rows], self.bits))

        return Answers(queries, drop_repeats(sort_words(parts)), self.bits)


def list_sides(graph: Graph) -> tuple[str, ...]:
    """Return the sides of a graph that have tasks."""
    return (*ENTITY_SIDES, RELATION_SIDE) if graph.ranks_relations else ENTITY_SIDES


def list_queries(graph: Graph, tasks: Triples, side: str) -> Queries:
    """Return the distinct queries of a side that facts ask; DataError for keys above 64 bits."""
    entities, times = graph.num_entities, graph.num_times
    relations = entities if side == RELATION_SIDE else graph.num_relations
    if entities * relations * times >= 1 << 64:
        timed = f", {times:,} times" if times > 1 else ""
        raise DataError(
            f"{entities:,} entities{timed} and "
            f"{relations:,} relations are too many for 64-bit keys. {_REMEDY}"
        )

    parts = []
    for facts in view(graph, tasks, side):
        words = pack(facts.anchors, facts.links, relations)
        if tasks.time is not None:
            words = pack(words, tasks.time, times)
        parts.append(words)

    keys, of_task = np.unique(np.concatenate(parts), return_inverse=True)
    return Queries(keys, of_task, relations, times)


class _Evaluation(NamedTuple):
    """The tasks of a split that a protocol ranks."""

    protocol: Protocol
    split: str
    tasks: RankedTasks


class _FilterSide(NamedTuple):
    """A side, and whether the filter compares times."""

    side: str
    timed: bool  # True if known answers are those of the same time


def count_protocols(
    graph: Graph,
    protocols: Iterable[Protocol],
    splits: Collection[str] = SPLITS,
    stage: Stage = unseen,
) -> dict[tuple[str, str], TaskCounts]:
    """Count the candidates of splits under each protocol; return them by protocol and split.

    What cannot be counted is left out. Protocols with the same counts share one object.
    """
    evaluations = _list_evaluations(graph, protocols, splits)
    counts = {}
    shared: dict[Hashable, TaskCounts] = {}
    with stage("candidates", 1 + len(evaluations)) as advance:
        gatherings = _gather_answers(graph, evaluations)
        advance()
        for evaluation in evaluations:
            key = _key_counts(graph, evaluation)
            if key not in shared:
                shared[key] = _count_candidates(graph, evaluation, gatherings)
            counts[evaluation.protocol.key, evaluation.split] = shared[key]
            advance()

    return counts


def _list_evaluations(
    graph: Graph, protocols: Iterable[Protocol], splits: Collection[str]
) -> list[_Evaluation]:
    """List what can be counted. Protocols that rank the same rows share one object of tasks."""
    tasks_of_rows: dict[tuple[str, bytes], RankedTasks] = {}
    evaluations = []
    for protocol, split in itertools.product(protocols, SPLITS):
        if split not in splits or graph.explain_uncounted(protocol, split):
            continue
        rows = _select_rows(graph, protocol, split)
        key = split, np.packbits(rows).tobytes()
        if key not in tasks_of_rows:
            tasks_of_rows[key] = _find_tasks(graph, split, rows)
        evaluations.append(_Evaluation(protocol, split, tasks_of_rows[key]))

    return evaluations


def _key_counts(graph: Graph, evaluation: _Evaluation) -> Hashable:
    """Return everything that the counts of an evaluation depend on."""
    protocol, split, tasks = evaluation
    # Of two selections, one contains the other, so that the size identifies a selection.
    entities = int(select_candidates(graph, protocol).sum())
    relations = int(select_relations(graph, protocol).sum())
    sources = list_known(graph, protocol, split)
    return tasks, entities, relations, sources, protocol.time, protocol.negatives


def _select_rows(graph: Graph, protocol: Protocol, split: str) -> Mask:
    """Mark the rows of a split that a protocol ranks."""
    evaluated = graph.splits[split]
    ranked = graph.is_allowed(evaluated)
    if protocol.tasks == "seen":
        ranked &= graph.is_seen(evaluated)
    if protocol.distinct:
        ranked &= graph.find_firsts(split)
    return ranked


def _find_tasks(graph: Graph, split: str, rows: Mask) -> RankedTasks:
    """Return the ranking tasks of some rows of a split."""
    evaluated = graph.splits[split]
    facts = evaluated if rows.all() else evaluated.select(rows)
    queries = {side: list_queries(graph, facts, side) for side in list_sides(graph)}
    return RankedTasks(np.flatnonzero(rows), queries)


def list_known(graph: Graph, protocol: Protocol, split: str) -> frozenset[str]:
    """Return where the known triples are that a protocol removes; empty if it does not filter."""
    filtered = protocol.known_splits(split)
    if not filtered:
        return frozenset()
    return frozenset((*filtered, split, FURTHER)) & {*list_sources(graph)}


def list_sources(graph: Graph) -> dict[str, Triples]:
    """Return the known triples of each split, and those in no split."""
    return {**graph.splits, FURTHER: graph.known}


def _gather_answers(
    graph: Graph, evaluations: Iterable[_Evaluation]
) -> dict[_FilterSide, Gathering]:
    """Collect the known answers to the queries of all evaluations, reading each source once."""
    keys: dict[_FilterSide, list[Words]] = {}
    queries: dict[_FilterSide, Queries] = {}
    sources: dict[str, set[_FilterSide]] = {}
    for protocol, split, tasks in evaluations:
        filtered = list_known(graph, protocol, split)
        if not filtered or not tasks.rows.size:
            continue
        for name, ranked in tasks.queries.items():
            side = _FilterSide(name, protocol.time == "same")
            queries[side] = ranked if side.timed else ranked.timeless.queries
            keys.setdefault(side, []).append(queries[side].keys)
            for source in filtered:
                sources.setdefault(source, set()).add(side)

    gatherings = {}
    for side, parts in keys.items():
        distinct = drop_repeats(sort_words(parts))
        gatherings[side] = Gathering(distinct, count_answers(graph, side.side))

    for source, sides in sources.items():
        for batch in split_batches(list_sources(graph)[source]):
            for side in sorted(sides):
                for facts in view(graph, batch, side.side):
                    words = queries[side].pack(facts.anchors, facts.links, batch.time)
                    gatherings[side].update(source, words, facts.answers)

    return gatherings


def select_candidates(graph: Graph, protocol: Protocol) -> Mask:
    """Mark the entities that a protocol ranks. Shape (num_entities,)."""
    candidate = graph.entities
    if protocol.candidates == "seen":
        candidate = graph.seen_entities
    elif protocol.candidates == "placed":
        candidate = graph.placed_entities
    return candidate if graph.allowed_entities is None else candidate & graph.allowed_entities


def select_relations(graph: Graph, protocol: Protocol) -> Mask:
    """Mark the relations that a protocol ranks, also those that a restriction leaves out."""
    return graph.seen_relations if protocol.candidates == "seen" else graph.relations


def count_ranked(graph: Graph, protocol: Protocol) -> dict[str, int]:
    """Return how many entities or relations are ranked on each side, before filtering."""
    if protocol.negatives is not None:
        return dict.fromkeys(ENTITY_SIDES, protocol.negatives + 1)
    ranked = dict.fromkeys(ENTITY_SIDES, int(select_candidates(graph, protocol).sum()))
    if graph.ranks_relations and protocol.ranks_relations:
        relations = int(select_relations(graph, protocol).sum())
        ranked[RELATION_SIDE] = 2 * relations if graph.temporal else relations
    return ranked


def subtract_known(removed: Codes, num_ranked: int, where: str) -> Codes:
    """Return the number of candidates of each query, given how many are `removed`.

    The task's own answer is not among these. `where` is for the DataError about impossible numbers.
    """
    size = num_ranked - removed
    if size.min() < 1 or size.max() > num_ranked:
        raise DataError(
            f"{where}: candidates run from {size.min()} to {size.max()}; "
            f"expected 1 to {num_ranked}. "
            "This is a bug: please report it with the dataset."
        )
    return size


def _count_candidates(
    graph: Graph, evaluation: _Evaluation, gatherings: Mapping[_FilterSide, Gathering]
) -> TaskCounts:
    """Count the candidates of each query of an evaluation."""
    protocol, split, tasks = evaluation
    # What is ranked on each side: entities, or relations in both directions.
    is_candidate = dict.fromkeys(ENTITY_SIDES, select_candidates(graph, protocol))
    is_candidate[RELATION_SIDE] = np.tile(select_relations(graph, protocol), 2)
    sources = list_known(graph, protocol, split) if tasks.rows.size else ()
    timed = protocol.time == "same"
    blocks, answers = {}, {}
    for side, num_ranked in count_ranked(graph, protocol).items():
        queries = tasks.queries[side]
        # The queries by which known answers are filtered, and the number of each query among them.
        if timed:
            filtered, filtered_number = queries, queries.numbers
        else:
            filtered, filtered_number = queries.timeless

        size = np.full(queries.keys.size, num_ranked)
        if sources:
            gathering = gatherings[_FilterSide(side, timed)]
            answers[side] = gathering.answers(filtered, sources, is_candidate[side])
            num_removed = answers[side].count()[filtered_number] - 1  # the task's own answer stays
            size = subtract_known(num_removed, num_ranked, f"{protocol.key} {split} {side}")
        else:
            bits = count_bits(count_answers(graph, side))
            answers[side] = Answers(filtered, np.empty(0, np.uint64), bits)

        blocks[side] = Blocks(queries, queries.of_task, queries.numbers, size)

    if split == "train" or protocol.negatives is not None:
        return TaskCounts(tasks, blocks)
    return TaskCounts(tasks, blocks, {side: answers[side] for side in ENTITY_SIDES})
