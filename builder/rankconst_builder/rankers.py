"""Count the candidates that a baseline scores above the true answer of every task, or the same.

Every baseline is a :class:`Ranker`: it puts candidates in order by a level, and those of equal
level by frequency. Few candidates of a query have a level, so only these are listed; frequency is
the same for all queries of a relation. For a task whose true answer scores s,

    offset = candidates that score above s - known answers that do
    size = candidates that score s - known answers other than its own that do

where the candidates above are those of a higher frequency, corrected for those whose level puts
them elsewhere.

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
from rankconst_builder.rules import PRIOR, Order, Standing, Train, cut, spread
from rankconst_builder.words import (
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankconst.moments import Moments
    from rankconst.progress import Stage
    from rankconst_builder.candidates import Answers, Queries
    from rankconst_builder.graph import Graph
    from rankconst_builder.words import Codes, Words


_OTHER = {"head": "tail", "tail": "head"}

_CELLS = 1 << 22  # of the tables in which levels and frequencies are looked up


@dataclass(frozen=True, eq=False)
class Leveled:
    """The candidates of some queries that have a level. Arrays but the first have shape (n,)."""

    queries: Codes
    group: Codes  # the place of each candidate's query among these
    level: Codes
    frequency: Codes


@dataclass(frozen=True, eq=False)
class Places:
    """The ranks of rows' true answers before anything is filtered. Arrays of shape (rows,)."""

    score: Codes  # of the true answer
    above: Codes  # candidates that score above it
    same: Codes  # candidates that score the same; not known if it scores 0


class _Tables(NamedTuple):
    """Levels and frequencies of the relations first, ..., first + width - 1; 0 for none.

    Both are row by row, a row a relation. They are good until the next ones are asked for.
    """

    first: int
    width: int
    levels: Codes  # of each kind of connection, as seen from the anchor
    frequencies: Codes  # of each entity


class Ranker:
    """Ranks the candidates of a side's queries by frequency: the number of triples that have them.

    Other rankers give some candidates a level. A candidate ranks by its level, or by the level that
    its frequency is worth if that is as high; then by frequency.
    """

    timed = False  # True if scores depend on the time of the query

    def __init__(self, train: Train, split: str, side: str) -> None:
        self.train, self.split, self.side = train, split, side
        self.graph = train.facts if self.timed else train.graph
        self.queries = list_queries(self.graph, self.graph.splits[split], side)
        self.occurrences = train.occurrences[side]
        self.prepare()

    def prepare(self) -> None:
        """Look at the facts, once."""

    @functools.cached_property
    def most(self) -> int:
        """The highest frequency."""
        return int(self.occurrences.score.max(initial=0))

    def locate(self, queries: Queries) -> Codes:
        """Return the places of some queries among those of the split, with times or without."""
        keys = queries.keys
        if queries.num_times > 1 and not self.timed:
            keys = keys // np.uint64(queries.num_times)
        return np.searchsorted(self.queries.keys, keys)

    def find_frequency(self, queries: Codes, entities: Codes) -> Codes:
        """Return how often each entity occurs with its query's relation."""
        return self.occurrences.find(self.queries.relation[queries], entities)

    def count_frequency(self, queries: Codes, frequency: Codes) -> Standing:
        """Count the entities that occur more often with each query's relation, or as often."""
        return self.occurrences.order.count(self.queries.relation[queries], frequency)

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity, each for its query; 0 for none."""
        del entities
        return np.zeros_like(queries)

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates that reach the least level of each query, in batches of queries."""
        del least
        yield from ()

    def reach(self, queries: Codes, frequency: Codes) -> Codes:
        """Return the level that a frequency is worth."""
        del frequency
        return np.zeros_like(queries)

    def need(self, queries: Codes, levels: Codes) -> Codes:
        """Return the least frequency that is worth a level."""
        del levels
        return np.full_like(queries, self.most + 1)

    def score(self, queries: Codes, levels: Codes, frequency: Codes) -> Codes:
        """Return whole numbers in the order of levels and frequencies; 0 without either."""
        reached = self.reach(queries, frequency)
        # Who reaches a level by frequency ranks above all who have the level by a rule.
        plain = (levels <= reached) & (frequency > 0)
        return (2 * np.maximum(levels, reached) + plain) * (self.most + 1) + frequency

    def find(self, queries: Codes, entities: Codes) -> Codes:
        """Return the scores of entities, each for its query."""
        levels = self.find_levels(queries, entities)
        return self.score(queries, levels, self.find_frequency(queries, entities))

    @functools.cached_property
    def places(self) -> Places:
        """The ranks of the true answers of the split's rows.

        Candidates are counted by frequency; those whose level puts them elsewhere are corrected.
        """
        query = self.queries.of_task
        entity = getattr(self.graph.splits[self.split], self.side)
        levels = self.find_levels(query, entity)
        frequency = self.find_frequency(query, entity)
        score = self.score(query, levels, frequency)
        reached = self.reach(query, frequency)
        # Above an answer that ranks by its level are the frequencies that are worth this level.
        by_level = levels > reached
        limit = np.where(by_level, self.need(query, levels) - 1, frequency)
        above, same = self.count_frequency(query, limit)
        same[by_level] = 0
        places = Places(score, above, same)
        # An entity of a lower level is above a true answer if its frequency puts it there.
        self._correct(places, np.where(by_level, levels, reached + 1))
        return places

    def _correct(self, places: Places, least: Codes) -> None:
        """Rank candidates by their levels in place of their frequencies.

        `least` is the level from which on a candidate can be elsewhere, for each row.
        """
        query = self.queries.of_task
        is_scored = places.score > 0
        # The least level of each query: in row 0 among its tasks that score 0, in row 1 the others.
        least_of = np.full((2, self.queries.keys.size), np.iinfo(np.int64).max)
        np.minimum.at(least_of, (is_scored.astype(np.int64), query), least)
        # The tasks, those of each query together from its start on.
        tasks_by_query = np.argsort(query, kind="stable")
        starts = np.searchsorted(query[tasks_by_query], self.queries.places)
        for leveled in self.list_levels(least_of.min(axis=0)):
            queries = leveled.queries
            of_task, step = spread(self.queries.frequency[queries])
            tasks = tasks_by_query[starts[queries][of_task] + step]
            # Above what scores 0 is all that does not, here what has a level and no frequency.
            silent = np.bincount(leveled.group[leveled.frequency == 0], minlength=queries.size)
            places.above[tasks] += np.where(is_scored[tasks], 0, silent[of_task])
            reached = self.reach(queries[leveled.group], leveled.frequency)
            may_matter = leveled.level >= least_of[1, queries][leveled.group]
            moved = np.flatnonzero(may_matter & (leveled.level > reached))
            group = leveled.group[moved]
            level = leveled.level[moved]
            frequency = leveled.frequency[moved]
            # Count the moved candidates where their levels put them, not by frequency alone.
            for sign, levels in ((1, level), (-1, np.zeros_like(level))):
                scores = self.score(queries[group], levels, frequency)
                counted = np.flatnonzero(scores)
                order_of_group = Order(group[counted], scores[counted])
                above, same = order_of_group.count(of_task, places.score[tasks])
                places.above[tasks] += np.where(is_scored[tasks], sign * above, 0)
                places.same[tasks] += sign * same


class RuleRanker(Ranker):
    """Ranks by the highest confidence of the rules of one atom that a candidate fulfils."""

    def prepare(self) -> None:
        """Find the least frequency that is as sure as each level.

        A frequency f has the confidence f / anchors and a level support / divisor, so f is
        support * anchors / divisor, rounded up.
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
        """Return the level that a frequency is worth."""
        levels = np.zeros(queries.size, dtype=np.int64)
        frequent = np.flatnonzero(frequency)
        relation = self.queries.relation[queries[frequent]]
        words = pack(relation, frequency[frequent] + 1, self._bound)
        levels[frequent] = search(self._needs, words) - self.train.rules.starts[relation]
        return levels

    def need(self, queries: Codes, levels: Codes) -> Codes:
        """Return the least frequency that is worth a level."""
        starts = self.train.rules.starts[self.queries.relation[queries]]
        return np.append(self._needed, 0)[np.where(levels > 0, starts + levels - 1, -1)]

    def _orient(self, kinds: Codes) -> Codes:
        """Return kinds of connections as rules have them: from head to tail."""
        number = self.graph.num_relations
        return kinds if self.side == "tail" else (kinds + number) % (2 * number)

    @functools.cached_property
    def _anchors(self) -> Codes:
        return unpack(self.queries.keys, self.graph.num_relations).first

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity, each for its query; 0 for none."""
        rules, number = self.train.rules, self.graph.num_relations
        row, kind = self.train.connections.find(self._anchors[queries], entities)
        codes = pack(self.queries.relation[queries[row]], self._orient(kind), 2 * number)
        hit, rule = locate(rules.codes, codes)
        levels = np.zeros(queries.size, dtype=np.int64)
        np.maximum.at(levels, row[hit], rules.level[rule])
        return levels

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates that reach the least level of each query, in batches of queries.

        A training triple that connects a query's anchor with a candidate gives it the level of the
        rule from the triple's kind to the query's relation. The highest one counts.
        """
        connections = self.train.connections
        # The queries by relation. The connections of an anchor follow each other: start and number.
        by_relation = np.argsort(self.queries.relation, kind="stable")
        relations = self.queries.relation[by_relation]
        anchors = connections.place[self._anchors[by_relation]]
        starts = connections.starts[anchors]
        counts = connections.starts[anchors + 1] - starts
        for tables in self._fill_tables(relations):
            begin, end = np.searchsorted(relations, (tables.first, tables.first + tables.width))
            for part in cut(counts[begin:end]):
                batch = np.arange(begin, end)[part]
                queries = by_relation[batch]
                table_row = relations[batch] - tables.first
                sizes = counts[batch]
                # From here on one entry a triple, of the query that `group` says.
                group, step = spread(sizes)
                triples: Codes | slice = slice(starts[batch[0]], starts[batch[0]] + sizes[0])
                if batch.size > 1:  # slower than a slice
                    triples = np.repeat(starts[batch], sizes) + step
                row_start = np.repeat(table_row * 2 * self.graph.num_relations, sizes)
                levels = tables.levels[row_start + connections.kind[triples]]
                high = np.flatnonzero(levels >= np.repeat(least[queries], sizes))
                if not high.size:
                    continue
                group = group[high]
                entity = connections.entity[triples][high]
                # The triples of a candidate follow each other, as connections are sorted by entity.
                new = np.flatnonzero(is_new(group) | is_new(entity))
                group = group[new]
                entity = entity[new]
                best = np.maximum.reduceat(levels[high], new).astype(np.int64)
                frequency = tables.frequencies[table_row[group] * self.graph.num_entities + entity]
                yield Leveled(queries, group, best, frequency.astype(np.int64))

    def _fill_tables(self, relations: Codes) -> Iterator[_Tables]:
        """Yield tables of some relations, each of as many as fit into memory."""
        num_entities = self.graph.num_entities
        num_kinds = 2 * self.graph.num_relations
        rules, occurrences = self.train.rules, self.occurrences
        width = max(_CELLS // (num_entities + num_kinds), 1)
        levels = np.zeros(width * num_kinds, dtype=np.int32)
        frequencies = np.zeros(width * num_entities, dtype=np.int32)
        for first in np.unique(relations // width) * width:
            rules_here = _find_relations(rules.codes, first, width, num_kinds)
            relation, kind = unpack(rules.codes[rules_here], num_kinds)
            rule_cells = (relation - first) * num_kinds + self._orient(kind)
            levels[rule_cells] = rules.level[rules_here]
            pairs_here = _find_relations(occurrences.pairs, first, width, num_entities)
            pair_cells = occurrences.pairs[pairs_here].view(np.int64) - first * num_entities
            frequencies[pair_cells] = occurrences.score[pairs_here]
            yield _Tables(first, width, levels, frequencies)
            # The next relations find empty tables: to clear these cells is faster than new tables.
            levels[rule_cells] = 0
            frequencies[pair_cells] = 0


def _find_relations(words: Words, first: int, width: int, size: int) -> slice:
    """Return where ordered words of the relations first, ..., first + width - 1 are.

    Words are relation * size + another code.
    """
    bounds = np.array([first, first + width], dtype=np.uint64) * np.uint64(size)
    begin, end = np.searchsorted(words, bounds)
    return slice(begin, end)


class RecencyRanker(Ranker):
    """Ranks by the last time at which the splits before have the fact, then by frequency."""

    def prepare(self) -> None:
        """Find the last time of each answer of a query."""
        splits = [*SPLITS]
        pairs = [np.empty(0, np.uint64)]  # place of the query and answer in one number
        times = [np.empty(0, np.int64)]
        for earlier in splits[: splits.index(self.split)]:
            for batch in split_batches(self.train.facts.splits[earlier]):
                anchors = getattr(batch, _OTHER[self.side])
                answers = getattr(batch, self.side)
                rows, query = self.queries.match(anchors, batch.relation)
                pairs.append(pack(query, answers[rows], self.graph.num_entities))
                times.append(batch.codes[-1][rows])
        distinct, place = np.unique(np.concatenate(pairs), return_inverse=True)
        # A level is a time + 1, so that 0 is left for none.
        last = np.zeros(distinct.size, dtype=np.int64)
        np.maximum.at(last, place, np.concatenate(times) + 1)
        self._last = self.train.score(distinct, last)

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity, each for its query; 0 for none."""
        return self._last.find(queries, entities)

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates that reach the least level of each query, in batches of queries."""
        queries, entities = unpack(self._last.pairs, self.graph.num_entities)
        high = np.flatnonzero(self._last.score >= least[queries])
        queries = queries[high]
        frequency = self.find_frequency(queries, entities[high])
        yield Leveled(self.queries.places, queries, self._last.score[high], frequency)


class StepRanker(Ranker):
    """Ranks by the last time at which the fact held before the query, then by frequency so far."""

    timed = True

    def prepare(self) -> None:
        """Sort the facts by query, and within a query by time."""
        entities, times = self.graph.num_entities, self.graph.num_times
        plain, self._place = self.queries.timeless
        answers: list[Words] = []  # query without its time, entity, time
        firsts: list[Words] = []  # relation, entity, anchor, time
        for triples in self.graph.splits.values():
            for batch in split_batches(triples):
                anchor = getattr(batch, _OTHER[self.side])
                entity = getattr(batch, self.side)
                time = batch.codes[-1]
                rows, query = plain.match(anchor, batch.relation)
                if self.graph.allowed_entities is not None:
                    allowed = self.graph.allowed_entities[entity[rows]]
                    rows, query = rows[allowed], query[allowed]
                columns = [(query, plain.keys.size), (entity[rows], entities), (time[rows], times)]
                answers.append(pack_all(*columns))
                columns = [(batch.relation, self.graph.num_relations), (entity, entities)]
                firsts.append(pack_all(*columns, (anchor, entities), (time, times)))
        self._answers = drop_repeats(sort_words(answers))
        pairs, self._answered = unpack(self._answers, times)
        query, self._entity = unpack(pairs.view(np.uint64), entities)
        self._starts = np.searchsorted(query, np.arange(plain.keys.size + 1))
        # The time at which the same answer comes next, a time after all if it does not.
        is_last = np.append(is_new(pairs)[1:], True)
        self._next = np.append(self._answered[1:], times)
        self._next[is_last] = times
        self._count_firsts(sort_words(firsts))

    def _count_firsts(self, facts: Words) -> None:
        """Give a number to each new triple of a relation and an entity, in the order of time."""
        entities, times = self.graph.num_entities, self.graph.num_times
        triples, time = unpack(facts, times)
        first = is_new(triples)
        # Pairs of a relation and an entity.
        pairs, new = unpack(triples[first].view(np.uint64), entities).first, time[first]
        if self.graph.allowed_entities is not None:
            allowed = self.graph.allowed_entities[pairs % entities]
            pairs, new = pairs[allowed], new[allowed]
        self._firsts = sort_words([pack(pairs, new, times)])
        pairs, time = unpack(self._firsts, times)
        starts = np.flatnonzero(is_new(pairs))
        nth = spread(np.diff(starts, append=pairs.size)).steps + 1
        self.most = int(nth.max(initial=0))
        self._nth = sort_words([self._pack_nth(pairs // entities, nth, time)])

    def _pack_nth(self, relation: Codes, nth: Codes, time: Codes) -> Words:
        relations, times = self.graph.num_relations, self.graph.num_times
        return pack_all((relation, relations), (nth, self.most + 2), (time, times))

    @functools.cached_property
    def _time(self) -> Codes:
        return unpack(self.queries.keys, self.graph.num_times).second

    def find_frequency(self, queries: Codes, entities: Codes) -> Codes:
        """Return how often each entity occurs with its query's relation, before its time."""
        time = self._time[queries]
        pairs = pack(self.queries.relation[queries], entities, self.graph.num_entities)
        start = pack(pairs, np.zeros_like(time), self.graph.num_times)
        return search(self._firsts, start + time.view(np.uint64)) - search(self._firsts, start)

    def count_frequency(self, queries: Codes, frequency: Codes) -> Standing:
        """Count the entities that occur more often with each query's relation, or as often."""
        relation, time = self.queries.relation[queries], self._time[queries]

        def count(least: Codes) -> Codes:
            # Entities that have occurred n times: those that have occurred for the n-th time.
            until = search(self._nth, self._pack_nth(relation, least, time))
            return until - search(self._nth, self._pack_nth(relation, least, np.zeros_like(time)))

        more = count(np.minimum(frequency, self.most) + 1)
        return Standing(more, count(frequency) - more)

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity, each for its query; 0 for none."""
        time = self._time[queries]
        pairs = pack(self._place[queries], entities, self.graph.num_entities)
        start = pack(pairs, np.zeros_like(time), self.graph.num_times)
        begin = search(self._answers, start)
        end = search(self._answers, start + time.view(np.uint64))
        return np.where(end > begin, np.append(self._answered, 0)[end - 1] + 1, 0)

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates that reach the least level of each query, in batches of queries."""
        counts = np.diff(self._starts)[self._place]
        for part in cut(counts):
            queries = self.queries.places[part]
            # One entry a fact that answers a query at any time.
            group, step = spread(counts[part])
            fact = self._starts[self._place[queries]][group] + step
            time = self._time[queries][group]
            level = self._answered[fact] + 1
            # The last time before the query's: the same answer comes next at its time or later.
            is_last = (level <= time) & (self._next[fact] >= time)
            last = np.flatnonzero(is_last & (level >= least[queries][group]))
            group = group[last]
            entities = self._entity[fact[last]]
            frequency = self.find_frequency(queries[group], entities)
            yield Leveled(queries, group, level[last], frequency)


# -- baselines -------------------------------------------------------------------------------------

RULES, FREQUENCY, RECENCY = "rules", "frequency", "recency"

RANKERS: dict[str, dict[str, type[Ranker]]] = {
    RULES: {"frequency": Ranker, FLOOR: RuleRanker},
    FREQUENCY: {"frequency": Ranker, FLOOR: Ranker},
    RECENCY: {"frequency": Ranker, FLOOR: RecencyRanker, SINGLE_STEP: StepRanker},
}
"""Kind of counting on a graph, to the ranker of each baseline there."""


class Rankers:
    """The rankers of a graph, each made once."""

    def __init__(self, graph: Graph) -> None:
        self._train = Train(graph)
        self._rankers: dict[tuple[type[Ranker], str, str], Ranker] = {}

    def get(self, kind: type[Ranker], split: str, side: str) -> Ranker:
        """Return the ranker of a kind for a side of a split."""
        key = kind, split, side
        if key not in self._rankers:
            self._rankers[key] = kind(self._train, split, side)
        return self._rankers[key]


class BaselineCounts(NamedTuple):
    """Candidates of all tasks under chance and baselines."""

    counts: dict[tuple[str, str, str], TaskCounts]  # by protocol, split and baseline
    counting: str | None  # the kind of counting, if it is among the baselines


def count_baselines(
    graph: Graph,
    counts: Mapping[tuple[str, str], TaskCounts],
    baselines: Iterable[str],
    stage: Stage = unseen,
) -> BaselineCounts:
    """Count where baselines rank the true answers; `counts` are those of chance."""
    ranks = {(*address, DEFAULT_BASELINE): chance for address, chance in counts.items()}
    informed = []
    if "train" not in graph.missing:
        informed = [key for key in dict.fromkeys(baselines) if key != DEFAULT_BASELINE]
    rankers = Rankers(graph)
    counting = None
    if FLOOR in informed:
        counting = _choose_counting(graph, counts, rankers)
    usual = RECENCY if graph.forecasting else RULES
    kinds = RANKERS[counting or usual]
    # Protocols that agree share their counts.
    shared: dict[tuple[TaskCounts, type[Ranker]], TaskCounts] = {}
    with stage("baselines", len(counts) * len(informed)) as advance:
        for (protocol, split), chance in counts.items():
            for baseline in informed:
                if chance.answers is not None and baseline in kinds:
                    key = chance, kinds[baseline]
                    if key not in shared:
                        shared[key] = _rank(rankers, chance, split, kinds[baseline])
                    ranks[protocol, split, baseline] = shared[key]
                advance()
    return BaselineCounts(ranks, counting)


def _choose_counting(
    graph: Graph, counts: Mapping[tuple[str, str], TaskCounts], rankers: Rankers
) -> str:
    """Choose the ranker called counting: rules, or frequency if its MRR on valid is larger."""
    if graph.forecasting:
        return RECENCY
    fitting = [row for row in PROTOCOLS.values() if row.fits(graph.temporal, graph.qualified)]
    usual = min(fitting, key=lambda protocol: rate_protocol(protocol.key))
    address = usual.key, "valid"
    chance = counts.get(address) or count_protocols(graph, [usual], ["valid"]).get(address)
    if chance is None or not chance.tasks.rows.size:
        return RULES
    rules, frequency = (_expect_mrr(rankers, chance, choice) for choice in (RULES, FREQUENCY))
    gain = frequency.expectation - rules.expectation
    errors = frequency.expectation_error + rules.expectation_error
    return FREQUENCY if gain > errors else RULES


def _expect_mrr(rankers: Rankers, chance: TaskCounts, choice: str) -> Moments:
    """Return the expected MRR of counting on valid, both sides pooled."""
    tallies = _rank(rankers, chance, "valid", RANKERS[choice][FLOOR]).tallies
    both = functools.reduce(Histogram.pool, (tally.histogram() for tally in tallies.values()))
    return compute_moments(parse_metric("mrr"), both)


def _rank(rankers: Rankers, chance: TaskCounts, split: str, kind: type[Ranker]) -> TaskCounts:
    """Count the candidates above each true answer, and with its score, without known answers."""
    blocks = {}
    for side, answers in (chance.answers or {}).items():
        ranker = rankers.get(kind, split, side)
        rows = chance.tasks.rows
        queries = chance.tasks.queries[side]
        asking, query, entity = _list_answers(answers, queries, timed=ranker.timed)
        known_scores = ranker.find(ranker.locate(asking)[query], entity)
        scored = np.flatnonzero(known_scores)
        score = ranker.places.score[rows]
        order = Order(query[scored], known_scores[scored])
        known_above, known_same = order.count(asking.of_task, score)
        offset = ranker.places.above[rows] - known_above
        candidates = chance.blocks[side].size[queries.of_task]
        # The known answers of a filter include the true one.
        same = ranker.places.same[rows] - known_same + bool(known_scores.size)
        size = np.where(score > 0, same, candidates - offset)
        if not ((offset >= 0) & (size >= 1) & (offset + size <= candidates)).all():
            raise DataError(
                f"{side}: ties of a true answer exceed the candidates. "
                "Please report this bug with the dataset."
            )
        blocks[side] = Blocks(queries, np.arange(size.size), queries.of_task, size, offset)
    return replace(chance, blocks=blocks)


class _KnownAnswers(NamedTuple):
    """The known answers of queries."""

    queries: Queries
    query: Codes  # of each answer. Shape (n,)
    entity: Codes


def _list_answers(answers: Answers, queries: Queries, *, timed: bool) -> _KnownAnswers:
    """Return the known answers; `timed`, each query with a time has those of any time."""
    query, entity = answers.query, answers.entity
    if not timed or answers.queries is queries:
        return _KnownAnswers(answers.queries, query, entity)
    starts = np.searchsorted(query, np.arange(answers.queries.keys.size + 1))
    place = queries.timeless.place
    query, step = spread(np.diff(starts)[place])
    return _KnownAnswers(queries, query, entity[starts[place][query] + step])
