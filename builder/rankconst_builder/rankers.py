"""Count where a baseline ranks the true answer of every task.

What counts are the candidates that score above it, and those that score the same.

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
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS, rate_protocol
from rankconst.errors import DataError
from rankconst.moments import compute_moments
from rankconst.progress import unseen
from rankconst.tasks import Histogram
from rankconst_builder.candidates import Blocks, TaskCounts, count_protocols, list_queries
from rankconst_builder.rules import PRIOR, Order, Train, cut, spread
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
    group: Codes  # which of these queries each candidate is for
    level: Codes
    frequency: Codes


@dataclass(frozen=True, eq=False)
class Places:
    """Where the true answers of rows rank, before anything is filtered. Arrays of shape (rows,)."""

    score: Codes  # of the true answer
    above: Codes  # how many candidates score above it
    same: Codes  # how many score the same; not known if it scores 0


class Ranker:
    """Ranks the candidates of a side's queries by how many triples have them: `frequency`.

    Rankers that know more give some candidates a level. A candidate ranks by its level, or by the
    level that its frequency is worth if that is as high; then by frequency.
    """

    timed = False  # True if what is known depends on a query's time

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

    def count_frequency(self, queries: Codes, frequency: Codes) -> tuple[Codes, Codes]:
        """Return how many entities occur more often with each query's relation, or as often."""
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
        # What reaches a level by its frequency is above all that have the level by a rule.
        plain = (levels <= reached) & (frequency > 0)
        return (2 * np.maximum(levels, reached) + plain) * (self.most + 1) + frequency

    def find(self, queries: Codes, entities: Codes) -> Codes:
        """Return the scores of entities, each for its query."""
        levels = self.find_levels(queries, entities)
        return self.score(queries, levels, self.find_frequency(queries, entities))

    @functools.cached_property
    def places(self) -> Places:
        """Where the true answer of each row of the split ranks.

        Candidates are counted by frequency; those whose level puts them elsewhere are corrected.
        """
        asked, true = self.queries.of_task, getattr(self.graph.splits[self.split], self.side)
        levels, frequency = self.find_levels(asked, true), self.find_frequency(asked, true)
        score, reached = self.score(asked, levels, frequency), self.reach(asked, frequency)
        by_level = levels > reached
        limit = np.where(by_level, self.need(asked, levels) - 1, frequency)
        above, same = self.count_frequency(asked, limit)
        same[by_level] = 0
        places = Places(score, above, same)
        # An entity of a lower level is above a true answer if its frequency puts it there.
        self._correct(places, np.where(by_level, levels, reached + 1))
        return places

    def _correct(self, places: Places, least: Codes) -> None:
        """Rank candidates by their levels in place of their frequencies.

        `least` is the level from which on a candidate can be elsewhere, for each row.
        """
        asked, scored = self.queries.of_task, places.score > 0
        # Of each query, the least level of its rows that score nothing, and of the others.
        least_of = np.full((2, self.queries.keys.size), np.iinfo(np.int64).max)
        np.minimum.at(least_of, (scored.astype(np.int64), asked), least)
        order = np.argsort(asked, kind="stable")
        starts = np.searchsorted(asked[order], self.queries.places)
        for found in self.list_levels(least_of.min(axis=0)):
            queries, group, frequency = found.queries, found.group, found.frequency
            of_row, step = spread(self.queries.frequency[queries])
            rows = order[starts[queries][of_row] + step]
            # Above what scores 0 is all that does not.
            silent = np.bincount(group[frequency == 0], minlength=queries.size)
            places.above[rows] += np.where(scored[rows], 0, silent[of_row])
            beyond = found.level > self.reach(queries[group], frequency)
            moved = np.flatnonzero((found.level >= least_of[1, queries][group]) & beyond)
            group, level, frequency = group[moved], found.level[moved], frequency[moved]
            for sign, levels in ((1, level), (-1, np.zeros_like(level))):
                scores = self.score(queries[group], levels, frequency)
                counted = np.flatnonzero(scores)
                known = Order(group[counted], scores[counted])
                above, same = known.count(of_row, places.score[rows])
                places.above[rows] += np.where(scored[rows], sign * above, 0)
                places.same[rows] += sign * same


class RuleRanker(Ranker):
    """Ranks by the highest confidence of the rules of one atom that a candidate fulfils."""

    def prepare(self) -> None:
        """Find the least frequency that is as sure as each level: f / whole >= support / whole."""
        rules = self.train.rules
        whole = self.train.num_anchors[_OTHER[self.side]][rules.relation] + PRIOR
        product = rules.support.astype(np.uint64) * whole.astype(np.uint64) - np.uint64(1)
        self._needed = (product // rules.whole.astype(np.uint64)).astype(np.int64) + 1
        self._bound = 2 + max(self.most, int(self._needed.max(initial=0)))
        relations = (rules.relation, self.graph.num_relations)
        self._needs = pack_all(relations, (self._needed, self._bound))

    def reach(self, queries: Codes, frequency: Codes) -> Codes:
        """Return the level that a frequency is worth."""
        found = np.zeros(queries.size, dtype=np.int64)
        some = np.flatnonzero(frequency)
        relation = self.queries.relation[queries[some]]
        words = pack(relation, frequency[some] + 1, self._bound)
        found[some] = search(self._needs, words) - self.train.rules.starts[relation]
        return found

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
        return unpack(self.queries.keys, self.graph.num_relations)[0]

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity, each for its query; 0 for none."""
        rules, number = self.train.rules, self.graph.num_relations
        row, kind = self.train.connections.find(self._anchors[queries], entities)
        codes = pack(self.queries.relation[queries[row]], self._orient(kind), 2 * number)
        hit, rule = locate(rules.codes, codes)
        found = np.zeros(queries.size, dtype=np.int64)
        np.maximum.at(found, row[hit], rules.level[rule])
        return found

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates that reach the least level of each query, in batches of queries."""
        entities, kinds = self.graph.num_entities, 2 * self.graph.num_relations
        connections = self.train.connections
        rules, occurrences = self.train.rules, self.occurrences
        by_relation = np.argsort(self.queries.relation, kind="stable")
        relations = self.queries.relation[by_relation]
        anchors = connections.place[self._anchors[by_relation]]
        starts = connections.starts[anchors]
        counts = connections.starts[anchors + 1] - starts
        # Levels of all kinds and frequencies of all entities, for as many relations as fit.
        width = max(_CELLS // (entities + kinds), 1)
        level = np.zeros(width * kinds, dtype=np.int32)
        often = np.zeros(width * entities, dtype=np.int32)
        for first in np.unique(relations // width) * width:
            inside = slice(*np.searchsorted(rules.codes, _bound(first, width, kinds)))
            relation, kind = unpack(rules.codes[inside], kinds)
            rule = (relation - first) * kinds + self._orient(kind)
            level[rule] = rules.level[inside]
            inside = slice(*np.searchsorted(occurrences.pairs, _bound(first, width, entities)))
            occurring = occurrences.pairs[inside].view(np.int64) - first * entities
            often[occurring] = occurrences.score[inside]
            begin, end = np.searchsorted(relations, (first, first + width))
            for part in cut(counts[begin:end]):
                rows = np.arange(begin, end)[part]
                asked, sizes = by_relation[rows], counts[rows]
                group, step = spread(sizes)
                # A slice is faster than a list of places.
                one = slice(starts[rows[0]], starts[rows[0]] + sizes[0])
                triples = one if rows.size == 1 else np.repeat(starts[rows], sizes) + step
                place = relations[rows] - first
                found = level[np.repeat(place * kinds, sizes) + connections.kind[triples]]
                kept = np.flatnonzero(found >= np.repeat(least[asked], sizes))
                group, found, entity = group[kept], found[kept], connections.entity[triples][kept]
                new = np.flatnonzero(is_new(group) | is_new(entity))
                if new.size:
                    group, entity, found = group[new], entity[new], np.maximum.reduceat(found, new)
                    frequency = often[place[group] * entities + entity]
                    yield Leveled(asked, group, found.astype(np.int64), frequency.astype(np.int64))
            level[rule], often[occurring] = 0, 0


def _bound(first: int, width: int, size: int) -> Words:
    """Return where the words of some relations start and end, given how many each can have."""
    return np.array([first, first + width], dtype=np.uint64) * np.uint64(size)


class RecencyRanker(Ranker):
    """Ranks by the last time at which the splits before have the fact, then by frequency."""

    def prepare(self) -> None:
        """Find when each answer of a query was last seen."""
        order = [*SPLITS]
        pairs, times = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
        for earlier in order[: order.index(self.split)]:
            for batch in split_batches(self.train.facts.splits[earlier]):
                rows, query = self.queries.match(getattr(batch, _OTHER[self.side]), batch.relation)
                pairs.append(pack(query, getattr(batch, self.side)[rows], self.graph.num_entities))
                times.append(batch.codes[-1][rows])
        distinct, place = np.unique(np.concatenate(pairs), return_inverse=True)
        last = np.zeros(distinct.size, dtype=np.int64)
        np.maximum.at(last, place, np.concatenate(times) + 1)
        self._seen = self.train.score(distinct, last)

    def find_levels(self, queries: Codes, entities: Codes) -> Codes:
        """Return the level of each entity, each for its query; 0 for none."""
        return self._seen.find(queries, entities)

    def list_levels(self, least: Codes) -> Iterator[Leveled]:
        """Yield the candidates that reach the least level of each query, in batches of queries."""
        queries, entities = unpack(self._seen.pairs, self.graph.num_entities)
        kept = np.flatnonzero(self._seen.score >= least[queries])
        queries, entities = queries[kept], entities[kept]
        frequency = self.find_frequency(queries, entities)
        yield Leveled(self.queries.places, queries, self._seen.score[kept], frequency)


class StepRanker(Ranker):
    """Ranks by the last time at which the fact held before the query, then by frequency so far."""

    timed = True

    def prepare(self) -> None:
        """Sort the facts by query, and within a query by time."""
        entities, times = self.graph.num_entities, self.graph.num_times
        plain, self._place = self.queries.timeless
        answers, firsts = [], []
        for triples in self.graph.splits.values():
            for batch in split_batches(triples):
                anchor, entity = getattr(batch, _OTHER[self.side]), getattr(batch, self.side)
                time = batch.codes[-1]
                rows, query = plain.match(anchor, batch.relation)
                if self.graph.allowed_entities is not None:
                    allowed = self.graph.allowed_entities[entity[rows]]
                    rows, query = rows[allowed], query[allowed]
                asked = (query, plain.keys.size)
                answers.append(pack_all(asked, (entity[rows], entities), (time[rows], times)))
                relation = (batch.relation, self.graph.num_relations)
                firsts.append(
                    pack_all(relation, (entity, entities), (anchor, entities), (time, times))
                )
        self._answers = drop_repeats(sort_words(answers))
        pairs, self._answered = unpack(self._answers, times)
        query, self._entity = unpack(pairs.view(np.uint64), entities)
        self._starts = np.searchsorted(query, np.arange(plain.keys.size + 1))
        # When the same fact comes next.
        self._next = np.append(self._answered[1:], times)
        self._next[np.flatnonzero(np.append(is_new(pairs)[1:], True))] = times
        self._count_firsts(sort_words(firsts))

    def _count_firsts(self, facts: Words) -> None:
        """Give a number to each new triple of a relation and an entity, in the order of time."""
        entities, times = self.graph.num_entities, self.graph.num_times
        triples, time = unpack(facts, times)
        first = is_new(triples)
        given, new = unpack(triples[first].view(np.uint64), entities)[0], time[first]
        if self.graph.allowed_entities is not None:
            allowed = self.graph.allowed_entities[given % entities]
            given, new = given[allowed], new[allowed]
        self._firsts = sort_words([pack(given, new, times)])
        given, time = unpack(self._firsts, times)
        starts = np.flatnonzero(is_new(given))
        nth = np.arange(given.size) - np.repeat(starts, np.diff(starts, append=given.size)) + 1
        self.most = int(nth.max(initial=0))
        self._nth = sort_words([self._pack_nth(given // entities, nth, time)])

    def _pack_nth(self, relation: Codes, nth: Codes, time: Codes) -> Words:
        relations, times = self.graph.num_relations, self.graph.num_times
        return pack_all((relation, relations), (nth, self.most + 2), (time, times))

    @functools.cached_property
    def _time(self) -> Codes:
        return unpack(self.queries.keys, self.graph.num_times)[1]

    def find_frequency(self, queries: Codes, entities: Codes) -> Codes:
        """Return how often each entity occurs with its query's relation, before its time."""
        time = self._time[queries]
        given = pack(self.queries.relation[queries], entities, self.graph.num_entities)
        start = pack(given, np.zeros_like(time), self.graph.num_times)
        return search(self._firsts, start + time.view(np.uint64)) - search(self._firsts, start)

    def count_frequency(self, queries: Codes, frequency: Codes) -> tuple[Codes, Codes]:
        """Return how many entities occur more often with each query's relation, or as often."""
        relation, time = self.queries.relation[queries], self._time[queries]

        def count(least: Codes) -> Codes:
            # As many entities have occurred n times as have occurred for the n-th time.
            until = search(self._nth, self._pack_nth(relation, least, time))
            return until - search(self._nth, self._pack_nth(relation, least, np.zeros_like(time)))

        more = count(np.minimum(frequency, self.most) + 1)
        return more, count(frequency) - more

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
            group, step = spread(counts[part])
            fact = self._starts[self._place[queries]][group] + step
            time, level = self._time[queries][group], self._answered[fact] + 1
            is_last = (level <= time) & (self._next[fact] >= time)
            last = np.flatnonzero(is_last & (level >= least[queries][group]))
            group, entities = group[last], self._entity[fact[last]]
            frequency = self.find_frequency(queries[group], entities)
            yield Leveled(queries, group, level[last], frequency)


# -- baselines -------------------------------------------------------------------------------------

RULES, FREQUENCY, RECENCY = "rules", "frequency", "recency"

RANKERS: dict[str, dict[str, type[Ranker]]] = {
    RULES: {"frequency": Ranker, FLOOR: RuleRanker},
    FREQUENCY: {"frequency": Ranker, FLOOR: Ranker},
    RECENCY: {"frequency": Ranker, FLOOR: RecencyRanker, SINGLE_STEP: StepRanker},
}
"""What counting ranks by on a graph, to the ranker of each baseline there."""


class Rankers:
    """The rankers of a graph, each made once."""

    def __init__(self, graph: Graph) -> None:
        self._train = Train(graph)
        self._made: dict[tuple[type[Ranker], str, str], Ranker] = {}

    def get(self, kind: type[Ranker], split: str, side: str) -> Ranker:
        """Return the ranker of a kind for a side of a split."""
        key = kind, split, side
        if key not in self._made:
            self._made[key] = kind(self._train, split, side)
        return self._made[key]


def count_baselines(
    graph: Graph,
    counts: Mapping[tuple[str, str], TaskCounts],
    baselines: Iterable[str],
    stage: Stage = unseen,
) -> tuple[dict[tuple[str, str, str], TaskCounts], str | None]:
    """Count for every protocol and split where chance and baselines rank the true answers.

    Also return what counting ranks by, if it is among them.
    """
    found = {(*address, DEFAULT_BASELINE): chance for address, chance in counts.items()}
    informed = []
    if "train" not in graph.missing:
        informed = [key for key in dict.fromkeys(baselines) if key != DEFAULT_BASELINE]
    rankers = Rankers(graph)
    choice = _choose_counting(graph, counts, rankers) if FLOOR in informed else None
    kinds = RANKERS[RECENCY if graph.forecasting else choice or RULES]
    # Protocols that agree share their counts.
    done: dict[tuple[TaskCounts, type[Ranker]], TaskCounts] = {}
    with stage("baselines", len(counts) * len(informed)) as advance:
        for (protocol, split), chance in counts.items():
            for baseline in informed:
                if chance.answers is not None and baseline in kinds:
                    key = chance, kinds[baseline]
                    done[key] = done.get(key) or _rank(rankers, chance, split, kinds[baseline])
                    found[protocol, split, baseline] = done[key]
                advance()
    return found, choice


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
    """Remove the known answers: what remains above each true answer, and with its score."""
    blocks = {}
    for side, answers in (chance.answers or {}).items():
        ranker, rows = rankers.get(kind, split, side), chance.tasks.rows
        queries = chance.tasks.queries[side]
        asked, query, entity = _list_answers(answers, queries, timed=ranker.timed)
        known = ranker.find(ranker.locate(asked)[query], entity)
        scored = np.flatnonzero(known)
        score = ranker.places.score[rows]
        known_above, known_same = Order(query[scored], known[scored]).count(asked.of_task, score)
        offset = ranker.places.above[rows] - known_above
        candidates = chance.blocks[side].size[queries.of_task]
        # The known answers of a filter include the true one.
        same = ranker.places.same[rows] - known_same + bool(known.size)
        size = np.where(score > 0, same, candidates - offset)
        if not ((offset >= 0) & (size >= 1) & (offset + size <= candidates)).all():
            raise DataError(
                f"{side}: ties of a true answer exceed the candidates. "
                "Please report this bug with the dataset."
            )
        blocks[side] = Blocks(queries, np.arange(size.size), queries.of_task, size, offset)
    return replace(chance, blocks=blocks)


def _list_answers(
    answers: Answers, queries: Queries, *, timed: bool
) -> tuple[Queries, Codes, Codes]:
    """Return queries, and the query and entity of each known answer."""
    query, entity = answers.query, answers.entity
    if not timed or answers.queries is queries:
        return answers.queries, query, entity
    # Each time at which a query is asked has the answers of any.
    starts = np.searchsorted(query, np.arange(answers.queries.keys.size + 1))
    place = queries.timeless[1]
    asked, step = spread(np.diff(starts)[place])
    return queries, asked, entity[starts[place][asked] + step]
