"""Count the candidates that a baseline scores above the true answer of each task, and its ties.

Every baseline is a :class:`Ranker`, which orders candidates by level, and those of equal level by
frequency. Few candidates of a query have a level, so these are listed one by one. Frequency is the
same for all queries of a relation. For a task whose true answer scores s,

    offset = candidates that score above s - known answers that do
    size = candidates that score s - known answers other than its own that do

where the candidates above are counted by frequency first, and then corrected for levels.

To add a baseline, write its ranker, name it in :data:`RANKERS`, and add its row to the catalogue.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS, rate_protocol
from rankconst.errors import DataError
from rankconst.moments import compute_moments
from rankconst.progress import unseen
from rankconst.tasks import Histogram
from rankconst_builder.candidates import Blocks, TaskCounts, count_protocols, list_queries
from rankconst_builder.codes import (
    drop_repeats,
    is_new,
    locate,
    pack,
    pack_all,
    search,
    sort_words,
    split_batches,
    unpack,
)
from rankconst_builder.rules import PRIOR, Order, Standing, Train, cut, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankconst.moments import Moments
    from rankconst.progress import Stage
    from rankconst_builder.candidates import Answers, Queries
    from rankconst_builder.codes import Codes, Words
    from rankconst_builder.graph import Graph

_OTHER = {"head": "tail", "tail": "head"}

_CELLS = 1 << 22
"""Cells, of 4 bytes, in the tables of levels and frequencies.

More cells mean fewer passes over the queries, but tables that do not fit into the caches.
"""


@dataclass(frozen=True, eq=False)
class Leveled:
    """The candidates of some queries that have a level. Shape (n,), except for the first array."""

    queries: Codes  # numbers of queries, each once
    group: Codes  # of each candidate, the index of its query in `queries`
    level: Codes  # of each candidate for its query, >= 1
    frequency: Codes


@dataclass(frozen=True, eq=False)
class RawRanks:
    """The ranks of a split's true answers before filtering. Arrays of shape (rows,)."""

    score: Codes  # of the true answer
    above: Codes  # candidates that score above it
    same: Codes  # candidates that score the same, itself included; meaningless if it scores 0


class _Tables(NamedTuple):
    """Levels and frequencies of consecutive relations, valid until the next tables are made."""

    first: int  # the first relation
    width: int  # the number of relations
    levels: Codes  # a row for each relation, with the level of each body seen from the anchor, or 0
    frequencies: Codes  # a row for each relation, with the frequency of each entity


class Ranker:
    """Ranks the candidates of a side's queries by frequency: how many triples contain them.

    Subclasses give some candidates a level of 1 or more. A frequency may be worth a level, too
    (:meth:`reach`). A candidate ranks by the higher of the two, then by frequency.

    Methods take parallel arrays: entry i of each is about query number ``queries[i]`` of the split.
    """

    timed = False  # whether scores depend on the time of the query

    def __init__(self, train: Train, split: str, side: str) -> None:
        self.train, self.split, self.side = train, split, side
        self.graph = train.facts if self.timed else train.graph
        self.queries = list_queries(self.graph, self.graph.splits[split], side)
        self.occurrences = train.occurrences[side]
        self.prepare()

    def prepare(self) -> None:
        """Index the facts, once."""

    @functools.cached_property
    def most(self) -> int:
        """The highest frequency."""
        return int(self.occurrences.score.max(initial=0))

    def locate(self, queries: Queries) -> Codes:
        """Return the numbers that some queries have among the queries of the split."""
        keys = queries.keys
        if queries.num_times > 1 and not self.timed:
            keys = keys // np.uint64(queries.num_times)
        return np.searchsorted(self.queries.keys, keys)

    def find_frequency(self, queries: Codes, entities: Codes) -> Codes:
        """Return how often each entity occurs with the relation of its query."""
        return self.occurrences.find(self.queries.relation[queries], entities)

    def count_frequency(self, queries: Codes, frequency: Codes) -> Standing:
        """Count the entities of higher frequency than each one given, and those of the same."""
        return self.occurrences.order.count(self.queries.relation[queries], frequency)

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity for its query, or 0."""
        del entities
        return np.zeros_like(queries)

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates of at least the given level for each query, in batches."""
        del least
        yield from ()

    def reach(self, queries: Codes, frequency: Codes) -> Codes:
        """Return the level that each frequency is worth for its query, or 0."""
        del frequency
        return np.zeros_like(queries)

    def need(self, queries: Codes, levels: Codes) -> Codes:
        """Return the smallest frequency that is worth each level; above all others if none is."""
        del levels
        return np.full_like(queries, self.most + 1)

    def score(self, queries: Codes, levels: Codes, frequency: Codes) -> Codes:
        """Return whole numbers in the order in which candidates rank; 0 where both are 0.

        The level counts first, then whether the frequency alone is worth it, then the frequency. If
        frequency 3 is worth level 1, (level, frequency) rank (2, 0) > (0, 4) > (1, 2) > (0, 2).
        """
        reached = self.reach(queries, frequency)
        by_frequency = (levels <= reached) & (frequency > 0)
        rank_key = 2 * np.maximum(levels, reached) + by_frequency
        return rank_key * (self.most + 1) + frequency

    def find(self, queries: Codes, entities: Codes) -> Codes:
        """Return the score of each entity for its query."""
        levels = self.find_levels(queries, entities)
        return self.score(queries, levels, self.find_frequency(queries, entities))

    @functools.cached_property
    def raw_ranks(self) -> RawRanks:
        """The ranks of the true answers of the split's rows, before known answers are left out."""
        query = self.queries.of_task
        entity = getattr(self.graph.splits[self.split], self.side)
        levels = self.find_levels(query, entity)
        frequency = self.find_frequency(query, entity)
        score = self.score(query, levels, frequency)
        reached = self.reach(query, frequency)
        # First count all candidates by frequency. Those above an answer that ranks by its level are
        # the ones whose frequency is worth this level.
        by_level = levels > reached
        limit = np.where(by_level, self.need(query, levels) - 1, frequency)
        above, same = self.count_frequency(query, limit)
        same[by_level] = 0
        ranks = RawRanks(score, above, same)
        # Then move the few candidates that rank by level. Lower levels than these do not matter.
        self._move_leveled(ranks, np.where(by_level, levels, reached + 1))
        return ranks

    def _move_leveled(self, ranks: RawRanks, min_level: Codes) -> None:
        """Correct `ranks`, which counts by frequency alone, for candidates that rank by level.

        `ranks` and `min_level` have an entry for each row of the split: levels below `min_level`
        cannot matter to the row.
        """
        query_of_row = self.queries.of_task
        is_scored = ranks.score > 0

        # The lowest level that matters to any row of a query, and to any row that is scored.
        most = np.iinfo(np.int64).max
        min_of_query = np.full(self.queries.keys.size, most)
        np.minimum.at(min_of_query, query_of_row, min_level)
        min_of_scored = np.full(self.queries.keys.size, most)
        np.minimum.at(min_of_scored, query_of_row[is_scored], min_level[is_scored])

        # The rows of query q start at rows_by_query[starts[q]].
        rows_by_query = np.argsort(query_of_row, kind="stable")
        starts = np.searchsorted(query_of_row[rows_by_query], self.queries.numbers)
        for leveled in self.list_levels(min_of_query):
            queries = leveled.queries
            # The rows that ask these queries: rows[i] asks queries[group_of_row[i]].
            group_of_row, step = spread(self.queries.frequency[queries])
            rows = rows_by_query[starts[queries][group_of_row] + step]

            # A true answer that scores 0 is below all that score. Those with a level but without
            # frequency have not been counted yet.
            uncounted = leveled.group[leveled.frequency == 0]
            num_uncounted = np.bincount(uncounted, minlength=queries.size)
            ranks.above[rows] += np.where(is_scored[rows], 0, num_uncounted[group_of_row])

            # The candidates whose level is more than their frequency is worth.
            reached = self.reach(queries[leveled.group], leveled.frequency)
            may_matter = leveled.level >= min_of_scored[queries][leveled.group]
            is_moved = may_matter & (leveled.level > reached)
            group = leveled.group[is_moved]
            level = leveled.level[is_moved]
            frequency = leveled.frequency[is_moved]

            # Add each candidate at its score with the level, and remove it at the score without.
            for change, levels in ((1, level), (-1, np.zeros_like(level))):
                scores = self.score(queries[group], levels, frequency)
                is_above_0 = scores > 0
                order = Order(group[is_above_0], scores[is_above_0])
                above, same = order.count(group_of_row, ranks.score[rows])
                ranks.above[rows] += np.where(is_scored[rows], change * above, 0)
                ranks.same[rows] += change * same


class RuleRanker(Ranker):
    """Ranks by the highest confidence among the rules of one atom that a candidate fulfils."""

    def prepare(self) -> None:
        """Find the smallest frequency whose confidence is at least that of each level of rules.

        The confidence of a level is support / divisor. That of frequency f is f / n, where n is the
        number of anchors of the relation plus the prior. So f is support * n / divisor, rounded up.
        """
        rules = self.train.rules
        num_anchors = self.train.num_anchors[_OTHER[self.side]][rules.relation] + PRIOR
        product = rules.support.astype(np.uint64) * num_anchors.astype(np.uint64)
        quotient = (product - np.uint64(1)) // rules.divisor.astype(np.uint64)
        self._needed = quotient.astype(np.int64) + 1  # of each level; they rise in each relation
        self._bound = 2 + max(self.most, int(self._needed.max(initial=0)))
        relations = (rules.relation, self.graph.num_relations)
        self._needs = pack_all(relations, (self._needed, self._bound))

    def reach(self, queries: Codes, frequency: Codes) -> Codes:
        """Return the highest level that each frequency is worth for its query, or 0."""
        levels = np.zeros(queries.size, dtype=np.int64)
        frequent = np.flatnonzero(frequency)
        relation = self.queries.relation[queries[frequent]]
        words = pack(relation, frequency[frequent] + 1, self._bound)
        levels[frequent] = search(self._needs, words) - self.train.rules.starts[relation]
        return levels

    def need(self, queries: Codes, levels: Codes) -> Codes:
        """Return the smallest frequency that is worth each level; 0 for level 0."""
        starts = self.train.rules.starts[self.queries.relation[queries]]
        needed = np.append(self._needed, 0)
        last = needed.size - 1
        return needed[np.where(levels > 0, starts + levels - 1, last)]

    def _orient(self, bodies: Codes) -> Codes:
        """Turn bodies seen from the anchor into bodies seen from the head, as rules have them."""
        num_relations = self.graph.num_relations
        if self.side == "tail":  # the anchor is the head
            return bodies
        # Exchange r and its inverse, which is number of relations + r.
        return (bodies + num_relations) % (2 * num_relations)

    @functools.cached_property
    def _anchors(self) -> Codes:
        """The known entity of each query."""
        return unpack(self.queries.keys, self.graph.num_relations).first

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the highest level of rules whose body connects each entity with the anchor."""
        rules = self.train.rules
        row, body = self.train.connections.find(self._anchors[queries], entities)
        relation = self.queries.relation[queries[row]]
        codes = pack(relation, self._orient(body), 2 * self.graph.num_relations)
        fulfilled, rule = locate(rules.codes, codes)
        levels = np.zeros(queries.size, dtype=np.int64)
        np.maximum.at(levels, row[fulfilled], rules.level[rule])
        return levels

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates of at least the given level for each query, in batches.

        They are among the entities that some training triple connects with the query's anchor.
        """
        connections = self.train.connections
        # Relation by relation, as tables have the levels of some relations only.
        by_relation = np.argsort(self.queries.relation, kind="stable")
        relations = self.queries.relation[by_relation]
        anchors = connections.anchor_of_entity[self._anchors[by_relation]]
        first_triple = connections.starts[anchors]
        num_triples = connections.starts[anchors + 1] - first_triple  # of each query's anchor
        for tables in self._fill_tables(relations):
            begin, end = np.searchsorted(relations, (tables.first, tables.first + tables.width))
            for batch_slice in cut(num_triples[begin:end]):
                batch = np.arange(begin, end)[batch_slice]
                group, step = spread(num_triples[batch])
                triples = first_triple[batch][group] + step
                yield self._find_best(tables, by_relation[batch], group, triples, least)

    def _find_best(
        self, tables: _Tables, queries: Codes, group: Codes, triples: Codes, least: Codes
    ) -> Leveled:
        """Return each candidate of a batch of queries once, with its highest level.

        Triple triples[i] connects a candidate with the anchor of query queries[group[i]]. `least`
        is the lowest level that counts, for each query of the split.
        """
        num_relations, num_entities = self.graph.num_relations, self.graph.num_entities
        connections = self.train.connections
        table_row = self.queries.relation[queries] - tables.first
        level_cells = (table_row * 2 * num_relations)[group] + connections.body[triples]
        levels = tables.levels[level_cells]
        is_high = levels >= least[queries][group]
        levels, group = levels[is_high], group[is_high]
        entity = connections.entity[triples[is_high]]
        # Triples are sorted by query and entity: those of one candidate follow each other.
        firsts = np.flatnonzero(is_new(group) | is_new(entity))
        highest = np.maximum.reduceat(levels, firsts).astype(np.int64)
        group, entity = group[firsts], entity[firsts]
        frequency = tables.frequencies[table_row[group] * num_entities + entity]
        return Leveled(queries, group, highest, frequency.astype(np.int64))

    def _fill_tables(self, relations: Codes) -> Iterator[_Tables]:
        """Yield tables that together cover some relations, each of at most :data:`_CELLS` cells."""
        num_entities = self.graph.num_entities
        num_bodies = 2 * self.graph.num_relations
        rules, occurrences = self.train.rules, self.occurrences
        width = max(_CELLS // (num_entities + num_bodies), 1)
        levels = np.zeros(width * num_bodies, dtype=np.int32)
        frequencies = np.zeros(width * num_entities, dtype=np.int32)

        def find_rows(words: Words, size: int) -> slice:
            """Return which words, packed with relation * size, are of the table's relations."""
            bounds = np.array([first, first + width], dtype=np.uint64) * np.uint64(size)
            begin, end = np.searchsorted(words, bounds)
            return slice(begin, end)

        for first in np.unique(relations // width) * width:
            rule_rows = find_rows(rules.codes, num_bodies)
            relation, body = unpack(rules.codes[rule_rows], num_bodies)
            rule_cells = (relation - first) * num_bodies + self._orient(body)
            levels[rule_cells] = rules.level[rule_rows]
            pair_rows = find_rows(occurrences.pairs, num_entities)
            pair_cells = occurrences.pairs[pair_rows].view(np.int64) - first * num_entities
            frequencies[pair_cells] = occurrences.score[pair_rows]
            yield _Tables(first, width, levels, frequencies)
            # Clearing the cells that were set is faster than making new tables.
            levels[rule_cells] = 0
            frequencies[pair_cells] = 0


class RecencyRanker(Ranker):
    """Ranks by the last time of the fact in earlier splits, then by frequency."""

    def prepare(self) -> None:
        """Find the last time of each answer of a query in the splits before the evaluated one.

        The level of an answer is this time + 1, as 0 means none.
        """
        splits = [*SPLITS]
        pairs = [np.empty(0, np.uint64)]  # number of the query and answer in one word
        times = [np.empty(0, np.int64)]
        for earlier in splits[: splits.index(self.split)]:
            for batch in split_batches(self.train.facts.splits[earlier]):
                anchors = getattr(batch, _OTHER[self.side])
                answers = getattr(batch, self.side)
                rows, query = self.queries.match(anchors, batch.relation)
                pairs.append(pack(query, answers[rows], self.graph.num_entities))
                times.append(batch.codes[-1][rows])

        distinct, index_of_fact = np.unique(np.concatenate(pairs), return_inverse=True)
        levels = np.zeros(distinct.size, dtype=np.int64)
        np.maximum.at(levels, index_of_fact, np.concatenate(times) + 1)
        self._levels = self.train.score(distinct, levels)

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity for its query, or 0."""
        return self._levels.find(queries, entities)

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates of at least the given level for each query, in one batch."""
        queries, entities = unpack(self._levels.pairs, self.graph.num_entities)
        high = np.flatnonzero(self._levels.score >= least[queries])
        queries = queries[high]
        frequency = self.find_frequency(queries, entities[high])
        yield Leveled(self.queries.numbers, queries, self._levels.score[high], frequency)


class StepRanker(Ranker):
    """Ranks by the last time of the fact before the query, then by frequency so far."""

    timed = True

    def prepare(self) -> None:
        """Index the facts of all splits, so that they can be counted up to any time."""
        num_entities, num_times = self.graph.num_entities, self.graph.num_times
        timeless, self._timeless_query = self.queries.timeless
        answers: list[Words] = []  # query without its time, entity, time
        occurrences: list[Words] = []  # relation, entity, anchor, time
        for triples in self.graph.splits.values():
            for batch in split_batches(triples):
                anchor = getattr(batch, _OTHER[self.side])
                entity = getattr(batch, self.side)
                time = batch.codes[-1]
                facts = pack_all(
                    (batch.relation, self.graph.num_relations),
                    (entity, num_entities),
                    (anchor, num_entities),
                    (time, num_times),
                )
                occurrences.append(facts)

                # The facts that answer a query at any time.
                rows, query = timeless.match(anchor, batch.relation)
                answer = entity[rows]
                words = pack_all(
                    (query, timeless.keys.size), (answer, num_entities), (time[rows], num_times)
                )
                if self.graph.allowed_entities is not None:
                    words = words[self.graph.allowed_entities[answer]]

                answers.append(words)

        # Answers are ordered by query, then by entity and time.
        self._answers = drop_repeats(sort_words(answers))
        pairs, self._answer_time = unpack(self._answers, num_times)
        query, self._entity = unpack(pairs.view(np.uint64), num_entities)
        self._starts = np.searchsorted(query, np.arange(timeless.keys.size + 1))
        # The time at which the same answer comes next, or one after all times.
        is_last = np.append(is_new(pairs)[1:], True)
        self._next_time = np.append(self._answer_time[1:], num_times)
        self._next_time[is_last] = num_times
        self._index_occurrences(sort_words(occurrences))

    def _index_occurrences(self, facts: Words) -> None:
        """Index when each entity occurred with each relation for the first, second, n-th time.

        `facts` are relation, entity, anchor and time in one word, ascending. Three triples of
        relation r that contain an entity, and first occur at times 4, 4 and 9, give the words (r,
        1, 4), (r, 2, 4) and (r, 3, 9) in `_nth_times`. The number of entities with a frequency of
        at least n before time t is that of words (r, n, time) with time < t.
        """
        graph = self.graph
        triples, time = unpack(facts, graph.num_times)
        is_first = is_new(triples)  # the first time of each triple comes first
        first_time = time[is_first]
        # A triple is a pair of a relation and an entity, packed with its anchor.
        pairs = unpack(triples[is_first].view(np.uint64), graph.num_entities).first
        if graph.allowed_entities is not None:
            is_allowed = graph.allowed_entities[pairs % graph.num_entities]
            pairs, first_time = pairs[is_allowed], first_time[is_allowed]

        self._first_times = sort_words([pack(pairs, first_time, graph.num_times)])
        # The first times of each pair, ascending: the n-th is when its frequency becomes n.
        sorted_pairs, sorted_time = unpack(self._first_times, graph.num_times)
        starts = np.flatnonzero(is_new(sorted_pairs))
        nth = spread(np.diff(starts, append=sorted_pairs.size)).steps + 1
        self.most = int(nth.max(initial=0))
        relation = sorted_pairs // graph.num_entities
        self._nth_times = sort_words([self._pack_nth(relation, nth, sorted_time)])

    def _pack_nth(self, relation: Codes, nth: Codes, time: Codes) -> Words:
        """Pack relation, n and time into words; n may be one more than any entity has."""
        relations, times = self.graph.num_relations, self.graph.num_times
        return pack_all((relation, relations), (nth, self.most + 2), (time, times))

    @functools.cached_property
    def _time(self) -> Codes:
        """The time of each query."""
        return unpack(self.queries.keys, self.graph.num_times).second

    def find_frequency(self, queries: Codes, entities: Codes) -> Codes:
        """Return how often each entity occurs with the relation of its query before its time."""
        time = self._time[queries]
        pairs = pack(self.queries.relation[queries], entities, self.graph.num_entities)
        start = pack(pairs, np.zeros_like(time), self.graph.num_times)
        until = search(self._first_times, start + time.view(np.uint64))
        return until - search(self._first_times, start)

    def count_frequency(self, queries: Codes, frequency: Codes) -> Standing:
        """Count the entities of higher frequency than each one given, and those of the same."""
        relation, time = self.queries.relation[queries], self._time[queries]

        def count_at_least(nth: Codes) -> Codes:
            """Count the entities that occurred for the n-th time before the query's time."""
            start = self._pack_nth(relation, nth, np.zeros_like(time))
            until = self._pack_nth(relation, nth, time)
            return search(self._nth_times, until) - search(self._nth_times, start)

        # No frequency is above `most`, and words have no room for a higher one.
        more = count_at_least(np.minimum(frequency, self.most) + 1)
        return Standing(more, count_at_least(frequency) - more)

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity for its query: 1 + the last time before it, or 0."""
        time = self._time[queries]
        pairs = pack(self._timeless_query[queries], entities, self.graph.num_entities)
        start = pack(pairs, np.zeros_like(time), self.graph.num_times)
        begin = search(self._answers, start)
        end = search(self._answers, start + time.view(np.uint64))
        # If the entity was no earlier answer, `end - 1` is about another pair, and not used.
        last_time = np.append(self._answer_time, 0)[end - 1]
        return np.where(end > begin, last_time + 1, 0)

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates of at least the given level for each query, in batches."""
        counts = np.diff(self._starts)[self._timeless_query]
        for batch in cut(counts):
            queries = self.queries.numbers[batch]
            # One entry for each fact that answers a query at any time.
            group, step = spread(counts[batch])
            fact = self._starts[self._timeless_query[queries]][group] + step
            time = self._time[queries][group]
            level = self._answer_time[fact] + 1

            # The last time before the query's: the same answer comes next at its time or later.
            is_last = (level <= time) & (self._next_time[fact] >= time)
            is_listed = is_last & (level >= least[queries][group])
            group = group[is_listed]
            entities = self._entity[fact[is_listed]]
            frequency = self.find_frequency(queries[group], entities)
            yield Leveled(queries, group, level[is_listed], frequency)


# -- baselines -------------------------------------------------------------------------------------

RULES, FREQUENCY, RECENCY = "rules", "frequency", "recency"
"""The kinds of counting. The graph decides which of them the baseline ``counting`` is."""

RANKERS: dict[str, dict[str, type[Ranker]]] = {
    RULES: {"frequency": Ranker, FLOOR: RuleRanker},
    FREQUENCY: {"frequency": Ranker, FLOOR: Ranker},
    RECENCY: {"frequency": Ranker, FLOOR: RecencyRanker, SINGLE_STEP: StepRanker},
}
"""The ranker of each baseline, by kind of counting."""


class Rankers:
    """The rankers of a graph, each made once."""

    def __init__(self, graph: Graph) -> None:
        self._train = Train(graph)
        self._rankers: dict[tuple[type[Ranker], str, str], Ranker] = {}

    def get(self, ranker_class: type[Ranker], split: str, side: str) -> Ranker:
        """Return the ranker of a class for a side of a split."""
        key = ranker_class, split, side
        if key not in self._rankers:
            self._rankers[key] = ranker_class(self._train, split, side)
        return self._rankers[key]


class BaselineCounts(NamedTuple):
    """The candidates of all tasks under chance and baselines."""

    counts: dict[tuple[str, str, str], TaskCounts]  # by protocol, split and baseline
    counting: str | None  # the kind of counting, if "counting" is among the baselines


def count_baselines(
    graph: Graph,
    counts: Mapping[tuple[str, str], TaskCounts],
    baselines: Iterable[str],
    stage: Stage = unseen,
) -> BaselineCounts:
    """Count where baselines rank the true answers. `counts` are those of chance.

    If train is missing, and for tasks without known answers (a train split, and sampled negatives),
    only chance is counted. Protocols with the same counts of chance share those of a ranker.
    """
    ranks = {(*address, DEFAULT_BASELINE): chance for address, chance in counts.items()}
    informed = []
    if "train" not in graph.missing:
        informed = [key for key in dict.fromkeys(baselines) if key != DEFAULT_BASELINE]

    rankers = Rankers(graph)
    counting = None
    if FLOOR in informed:
        counting = _choose_counting(graph, counts, rankers)

    default_counting = RECENCY if graph.forecasting else RULES
    rankers_by_baseline = RANKERS[counting or default_counting]
    shared: dict[tuple[TaskCounts, type[Ranker]], TaskCounts] = {}
    with stage("baselines", len(counts) * len(informed)) as advance:
        for (protocol, split), chance in counts.items():
            for baseline in informed:
                if chance.answers is not None and baseline in rankers_by_baseline:
                    ranker_class = rankers_by_baseline[baseline]
                    key = chance, ranker_class
                    if key not in shared:
                        shared[key] = _rank(rankers, chance, split, ranker_class)
                    ranks[protocol, split, baseline] = shared[key]
                advance()

    return BaselineCounts(ranks, counting)


def _choose_counting(
    graph: Graph, counts: Mapping[tuple[str, str], TaskCounts], rankers: Rankers
) -> str:
    """Choose how "counting" ranks on a graph.

    By recency if splits follow each other in time; otherwise by rules, unless frequency has a
    higher MRR on the validation set by more than the errors of both.
    """
    if graph.forecasting:
        return RECENCY

    fitting = [row for row in PROTOCOLS.values() if row.fits(graph.temporal, graph.qualified)]
    protocol = min(fitting, key=lambda row: rate_protocol(row.key))  # the most common one
    address = protocol.key, "valid"
    chance = counts.get(address) or count_protocols(graph, [protocol], ["valid"]).get(address)
    if chance is None or not chance.tasks.rows.size:
        return RULES

    rules = _expect_mrr(rankers, chance, RULES)
    frequency = _expect_mrr(rankers, chance, FREQUENCY)
    gain = frequency.expectation - rules.expectation
    errors = frequency.expectation_error + rules.expectation_error
    return FREQUENCY if gain > errors else RULES


def _expect_mrr(rankers: Rankers, chance: TaskCounts, choice: str) -> Moments:
    """Return the expected MRR of a kind of counting on valid, both sides pooled."""
    tallies = _rank(rankers, chance, "valid", RANKERS[choice][FLOOR]).tallies
    both = functools.reduce(Histogram.pool, (tally.histogram() for tally in tallies.values()))
    return compute_moments(parse_metric("mrr"), both)


def _rank(
    rankers: Rankers, chance: TaskCounts, split: str, ranker_class: type[Ranker]
) -> TaskCounts:
    """Count the candidates above each true answer, and those that tie, less the known answers.

    `chance` has the same tasks under chance, and the known answers that their protocol removes.
    """
    blocks = {}
    for side, answers in (chance.answers or {}).items():
        ranker = rankers.get(ranker_class, split, side)
        rows = chance.tasks.rows
        queries = chance.tasks.queries[side]
        true_score = ranker.raw_ranks.score[rows]

        # The known answers that score: how many are above each true answer, and how many tie.
        known = _list_answers(answers, queries, timed=ranker.timed)
        query_of_ranker = ranker.locate(known.queries)
        known_score = ranker.find(query_of_ranker[known.query], known.entity)
        is_scored = known_score > 0
        order = Order(known.query[is_scored], known_score[is_scored])
        known_above, known_same = order.count(known.queries.of_task, true_score)

        num_above = ranker.raw_ranks.above[rows] - known_above
        num_same = ranker.raw_ranks.same[rows] - known_same
        if known_score.size:  # the true answer is among the known ones, but stays a candidate
            num_same += 1

        # A true answer that scores 0 ties with all that are not above it.
        candidates = chance.blocks[side].size[queries.of_task]
        size = np.where(true_score > 0, num_same, candidates - num_above)
        is_possible = (num_above >= 0) & (size >= 1) & (num_above + size <= candidates)
        if not is_possible.all():
            raise DataError(
                f"{side}: ties of a true answer exceed the candidates. "
                "Please report this bug with the dataset."
            )
        of_task = np.arange(size.size)
        blocks[side] = Blocks(queries, of_task, query=queries.of_task, size=size, offset=num_above)

    return replace(chance, blocks=blocks)


class _KnownAnswers(NamedTuple):
    """The known answers of queries."""

    queries: Queries
    query: Codes  # of each answer, as its number among `queries`, ascending. Shape (n,)
    entity: Codes


def _list_answers(answers: Answers, queries: Queries, *, timed: bool) -> _KnownAnswers:
    """Return the known answers of queries, for each time if the ranker is timed."""
    query, entity = answers.query, answers.entity
    if not timed or answers.queries is queries:
        return _KnownAnswers(answers.queries, query, entity)

    # The filter ignores times, so that each query has the known answers of all times.
    starts = np.searchsorted(query, np.arange(answers.queries.keys.size + 1))
    timeless_query = queries.timeless.number
    query, step = spread(np.diff(starts)[timeless_query])
    return _KnownAnswers(queries, query, entity[starts[timeless_query][query] + step])
