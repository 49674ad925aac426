"""Count where a baseline ranks the true answer of every task: how many candidates score above it, and how many alike.

Scores are whole numbers from 0. Almost all are 0, so a baseline lists the others, group by group: by relation if they
are the same for all queries of a relation and a side, else by query. Candidates that score alike may be ranked by
further scores. For a task whose true answer scores s,

    offset = candidates that score above s - known answers that do
    size = candidates that score s - known answers other than its own that do

and those that score 0 are all that do not score above. Everything is counted by sorting and searching, at once for all
tasks of a side.

To add a baseline, list the functions that score candidates under its key in :data:`SCORES`, and add its row to the
catalogue.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.protocols import RELATION_SIDE, SPLITS
from rankconst.errors import DataError
from rankconst.progress import unseen
from rankconst_builder.candidates import Blocks, TaskCounts
from rankconst_builder.words import (
    BATCH,
    Packing,
    Triples,
    count_runs,
    drop_repeats,
    locate,
    pack,
    search,
    sort_words,
    split_batches,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from rankconst.progress import Stage
    from rankconst_builder.candidates import Queries, RankedTasks
    from rankconst_builder.graph import Graph
    from rankconst_builder.words import Codes, Words

    _Layer = tuple[Codes, "Scores"]  # the group of each query, and the scores
    _Score = Callable[["Train", str, str, Queries], _Layer]  # of a split and a side


_OTHER = {"head": "tail", "tail": "head"}


@dataclass(frozen=True, eq=False)
class Scores:
    """The candidates that score above 0; all others score 0."""

    pairs: Words  # group and entity in one number, ascending, each once
    score: Codes  # each >= 1
    num_entities: int

    def find(self, groups: Codes, entities: Codes) -> Codes:
        """Return the scores of entities, each in its group."""
        found = np.zeros_like(groups)
        rows, place = locate(self.pairs, pack(groups, entities, self.num_entities))
        found[rows] = self.score[place]
        return found

    @functools.cached_property
    def order(self) -> _Order:
        """The scores in order."""
        return _Order(unpack(self.pairs, self.num_entities)[0], self.score)


class _Order:
    """Scores above 0, in order within each group."""

    def __init__(self, groups: Codes, scores: Codes) -> None:
        self._step = 1 + int(scores.max(initial=0))
        if (1 + int(groups.max(initial=0))) * self._step >= 1 << 63:
            raise DataError(f"{groups.max()} groups and scores up to {scores.max()} are too many for 64-bit keys.")
        self._keys, frequency = np.unique(groups * self._step + scores, return_counts=True)
        self._until = np.append(0, np.cumsum(frequency))
        self._ends = np.cumsum(np.bincount(groups, minlength=1))

    def count(self, groups: Codes, scores: Codes) -> tuple[Codes, Codes]:
        """Return how many of each group score above, and how many the same."""
        asked = groups * self._step + np.minimum(scores, self._step)
        place = search(self._keys, asked)
        hit = np.append(self._keys, -1)[place] == asked
        upto = self._until[place + hit]
        return self._ends[np.minimum(groups, self._ends.size - 1)] - upto, upto - self._until[place]


@dataclass(frozen=True, eq=False)
class Train:
    """What baselines know: the distinct triples of the training set, and when facts were seen."""

    facts: Graph

    @property
    def graph(self) -> Graph:
        """The graph without its times."""
        return self.facts.timeless

    @property
    def triples(self) -> Triples:
        """The triples, repetitions included."""
        return self.graph.splits["train"]

    @functools.cached_property
    def counts(self) -> dict[str, tuple[Words, Codes]]:
        """Pairs of relation and head, or tail, in one number each, ascending, and how many triples have them."""
        return {side: self._count(other) for side, other in _OTHER.items()}

    def _count(self, side: str) -> tuple[Words, Codes]:
        packing, number = Packing.plan(self.graph, side, len(self.triples)), self.graph.num_entities
        found = []
        for part in packing.parts:
            keys = packing.find_keys(drop_repeats(packing.sort([self.triples], part)))
            found.append(pack(packing.find_given(keys), packing.find_anchors(keys, part), number))
        return count_runs(sort_words(found))

    @functools.cached_property
    def occurrences(self) -> dict[str, Scores]:
        """In how many triples each entity is the head, or the tail, of each relation."""
        return {side: self.score(*counts) for side, counts in self.counts.items()}

    @functools.cached_property
    def ranges(self) -> dict[str, Scores]:
        """Which entities are the head, or the tail, of each relation."""
        return {
            side: replace(scores, score=np.broadcast_to(np.int64(1), scores.score.shape))
            for side, scores in self.occurrences.items()
        }

    @functools.cached_property
    def inverses(self) -> tuple[Codes, Codes]:
        """Pairs of relations that are inverse, each pair in both orders, ascending."""
        number = self.graph.num_relations
        found = [np.unique(np.empty(0, np.uint64), return_counts=True)]
        for one, other, loop in self._list_opposite():
            # Two triples are counted from either; a loop is met from both.
            codes = np.concatenate([pack(one, other, number), pack(other[~loop], one[~loop], number)])
            found.append(np.unique(codes, return_counts=True))
        codes, where = np.unique(np.concatenate([codes for codes, _ in found]), return_inverse=True)
        # Sums of whole numbers below 2^53 are exact.
        common = np.bincount(where, np.concatenate([times for _, times in found])).astype(np.int64)
        relation, inverse = unpack(codes, number)
        pairs, counts = self.counts["tail"]
        frequency = np.bincount(unpack(pairs, self.graph.num_entities)[0], counts, number).astype(np.int64)
        others = sum(int(self.graph.find_firsts(split).sum()) for split in self.graph.splits if split != "train")
        least = Fraction(99, 100) - Fraction(others, int(counts.sum()) + others)
        rarer = np.minimum(frequency[relation], frequency[inverse])
        # As Python's integers, which do not overflow.
        kept = np.flatnonzero(common.astype(object) * least.denominator >= rarer.astype(object) * least.numerator)
        return relation[kept], inverse[kept]

    def _list_opposite(self) -> Iterator[tuple[Codes, Codes, NDArray[np.bool_]]]:
        """Yield relations of triples (x, r, y) and (y, s, x), and whether x is y; some at a time."""
        number = self.graph.num_relations
        packing = Packing.plan(self.graph, RELATION_SIDE, len(self.triples))
        for part in packing.parts:
            words = drop_repeats(packing.sort([self.triples], part, functools.partial(_turn, number)))
            keys, kinds = packing.find_keys(words), packing.find_answers(words)
            turned = kinds >= number
            # Where both directions meet, once for each pair of entities that has both.
            met = np.flatnonzero((keys[1:] == keys[:-1]) & (turned[1:] > turned[:-1])) + 1
            first, last = np.searchsorted(keys, keys[met]), np.searchsorted(keys, keys[met], "right")
            for pair, one in _expand(np.arange(met.size), first, met - first):
                for row, other in _expand(np.arange(one.size), met[pair], (last - met)[pair]):
                    place = one[row]
                    loop = packing.find_anchors(keys[place], part) == packing.find_given(keys[place])
                    yield kinds[place], kinds[other] - number, loop

    def score(self, pairs: Words, scores: Codes) -> Scores:
        """Return the scores of pairs of group and entity, each once, as far as the entities may be ranked."""
        allowed, number = self.graph.allowed_entities, self.graph.num_entities
        kept = slice(None) if allowed is None else allowed[unpack(pairs, number)[1]]
        return Scores(pairs[kept], scores[kept], number)


def _turn(num_relations: int, batch: Triples) -> Triples:
    """Write triples from the smaller entity to the larger; relations of those turned round follow the others."""
    turned = batch.head > batch.tail
    relation = batch.relation.astype(np.int64) + np.where(turned, num_relations, 0)
    loops = batch.head == batch.tail
    columns = (np.minimum(batch.head, batch.tail), relation, np.maximum(batch.head, batch.tail))
    again = (batch.head[loops], relation[loops] + num_relations, batch.tail[loops])
    return Triples(*map(np.append, columns, again))


def _expand(values: Codes, starts: Codes, counts: Codes) -> Iterator[tuple[Codes, Codes]]:
    """Yield each value as often as it counts, along with start, start + 1, ...; in batches, one at least."""
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, np.arange(BATCH, counts.sum(), BATCH))
    for part in np.split(np.arange(values.size), cuts):
        steps = np.arange(counts[part].sum()) - np.repeat(np.cumsum(counts[part]) - counts[part], counts[part])
        yield np.repeat(values[part], counts[part]), np.repeat(starts[part], counts[part]) + steps


def _score_frequency(train: Train, split: str, side: str, queries: Queries) -> _Layer:
    del split
    return queries.relation, train.occurrences[side]


def _score_inverse(train: Train, split: str, side: str, queries: Queries) -> _Layer:
    del split
    relation, inverse = train.inverses
    counts = np.bincount(relation, minlength=queries.num_relations)
    starts = np.cumsum(counts) - counts
    found = []
    for batch in split_batches(train.triples):
        # (x, s, y) answers (y, r, ?) with x, and (?, r, x) with y.
        anchors, answers = getattr(batch, side), getattr(batch, _OTHER[side])
        for row, place in _expand(np.arange(len(batch)), starts[batch.relation], counts[batch.relation]):
            hit, query = queries.match(anchors[row], inverse[place])
            found.append(pack(query, answers[row[hit]], train.graph.num_entities))
    pairs = drop_repeats(sort_words(found))
    return queries.places, train.score(pairs, np.ones(pairs.size, dtype=np.int64))


def _score_recent(train: Train, split: str, side: str, queries: Queries) -> _Layer:
    """Score candidates by the last time at which the splits before have the fact."""
    order = [*SPLITS]
    pairs, times = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    for earlier in order[: order.index(split)]:
        for batch in split_batches(train.facts.splits[earlier]):
            rows, query = queries.match(getattr(batch, _OTHER[side]), batch.relation)
            pairs.append(pack(query, getattr(batch, side)[rows], train.graph.num_entities))
            times.append(batch.codes[-1][rows])
    distinct, place = np.unique(np.concatenate(pairs), return_inverse=True)
    last = np.zeros(distinct.size, dtype=np.int64)
    np.maximum.at(last, place, np.concatenate(times) + 1)
    return queries.places, train.score(distinct, last)


SCORES: dict[str, tuple[_Score, ...]] = {
    "range": (lambda train, _, side, queries: (queries.relation, train.ranges[side]),),
    "frequency": (_score_frequency,),
    "inverse": (_score_inverse,),
    "counting": (_score_inverse, _score_frequency),
}
"""Key of a baseline to what scores candidates; by the second are ranked those that the first does not score."""

FORECASTS = SCORES | {"counting": (_score_recent, _score_frequency)}
"""The same on benchmarks for forecasting."""


def count_baselines(
    graph: Graph, counts: Mapping[tuple[str, str], TaskCounts], baselines: Iterable[str], stage: Stage = unseen
) -> dict[tuple[str, str, str], TaskCounts]:
    """Count for every protocol and split where chance, and each of the baselines, ranks the true answers."""
    informed = [baseline for baseline in dict.fromkeys(baselines) if baseline != DEFAULT_BASELINE]
    place = functools.cache(functools.partial(_place, Train(graph)))
    scores = FORECASTS if graph.forecasting else SCORES

    @functools.cache
    def stack(tasks: RankedTasks, split: str, side: str, baseline: str) -> _Places:
        return functools.reduce(_stack, [place(tasks, split, side, score) for score in scores[baseline]])

    found: dict[tuple[str, str, str], TaskCounts] = {}
    done: dict[tuple[TaskCounts, str], TaskCounts] = {}
    with stage("baselines", len(counts) * len(informed)) as advance:
        for (protocol, split), chance in counts.items():
            found[protocol, split, DEFAULT_BASELINE] = chance
            for baseline in informed if chance.answers is not None and "train" not in graph.missing else ():
                if (chance, baseline) not in done:
                    places = {side: stack(chance.tasks, split, side, baseline) for side in _OTHER}
                    done[chance, baseline] = _rank(chance, places)
                found[protocol, split, baseline] = done[chance, baseline]
                advance()
    return found


@dataclass(frozen=True)
class _Places:
    """The true answers of one side among the scores, before a protocol removes any."""

    layers: tuple[_Layer, ...]  # the first that has a candidate says what it scores
    query: Codes  # which query each task asks, without its time. Shape (n,)
    own: Codes  # the score of each task's true answer. Shape (n,)
    above: Codes  # how many score above it, and how many the same. Shapes (n,)
    same: Codes

    def find(self, queries: Codes, entities: Codes) -> Codes:
        """Return the scores of candidates, each of a query."""
        found = np.zeros_like(queries)
        for groups, scores in reversed(self.layers):
            own = scores.find(groups[queries], entities)
            found = np.where(own > 0, own, found)
        return found


def _place(train: Train, tasks: RankedTasks, split: str, side: str, score: _Score) -> _Places:
    true = getattr(train.graph.splits[split], side)[tasks.rows]
    queries, _ = tasks.queries[side].timeless
    groups, scores = score(train, split, side, queries)
    asked = groups[queries.of_task]
    own = scores.find(asked, true)
    return _Places(((groups, scores),), queries.of_task, own, *scores.order.count(asked, own))


def _stack(first: _Places, second: _Places) -> _Places:
    """Rank by the first scores; candidates that these give the same, or none, by the second."""
    (groups, top), (others, low) = *first.layers, *second.layers
    group, entity = unpack(top.pairs, top.num_entities)
    under = low.find(others[group], entity)
    step = 1 + int(low.score.max(initial=0))
    both = replace(top, score=top.score * step + under)
    own = first.own * step + second.own
    above, same = both.order.count(groups[first.query], own)
    # Among the second scores are those that the first rank.
    scored = under > 0
    moved_above, moved_same = _Order(group[scored], under[scored]).count(groups[first.query], second.own)
    unscored = first.own == 0
    above += unscored * (second.above - moved_above)
    same += unscored * (second.same - moved_same)
    return _Places(((groups, both), (others, low)), first.query, own, above, same)


def _rank(chance: TaskCounts, places: Mapping[str, _Places]) -> TaskCounts:
    """Remove the known answers: what remains above each true answer, and with its score."""
    blocks = {}
    for side, answers in (chance.answers or {}).items():
        queries, place = chance.tasks.queries[side], places[side]
        known = place.find(answers.queries.timeless[1][answers.query], answers.entity)
        scored = known > 0
        above, same = _Order(answers.query[scored], known[scored]).count(answers.queries.of_task, place.own)
        offset = place.above - above
        candidates = chance.blocks[side].size[queries.of_task]
        # The known answers of a filter include the true one.
        size = np.where(place.own > 0, place.same - same + bool(known.size), candidates - offset)
        if not ((offset >= 0) & (size >= 1) & (offset + size <= candidates)).all():
            raise DataError(
                f"{side}: ties of a true answer exceed the candidates. Please report this bug with the dataset."
            )
        blocks[side] = Blocks(queries, np.arange(size.size), queries.of_task, size, offset)
    return replace(chance, blocks=blocks)
