"""Count pairs of entities and relations in the training set, and relations that imply others.

Everything is counted by sorting whole numbers, and compared exactly.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.errors import DataError
from rankconst_builder.codes import (
    BATCH,
    ROOM,
    Counts,
    Packing,
    Triples,
    add_up,
    count_runs,
    drop_repeats,
    is_new,
    locate,
    mark,
    pack,
    pack_all,
    search,
    sort_words,
    split_batches,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst_builder.codes import Codes, Mask, Words
    from rankconst_builder.graph import Graph

PRIOR = 5
"""Pairs added to the divisor of a confidence, as in AnyBURL, Meilicke et al. 2019."""


@dataclass(frozen=True, eq=False)
class Scores:
    """The entities of each group that score above 0. All others score 0."""

    pairs: Words  # distinct pairs of group and entity, packed, ascending
    score: Codes  # each >= 1
    num_entities: int

    def find(self, groups: Codes, entities: Codes) -> Codes:
        """Return the score of each entity in its group."""
        scores = np.zeros_like(groups)
        rows, indices = locate(self.pairs, pack(groups, entities, self.num_entities))
        scores[rows] = self.score[indices]
        return scores

    @functools.cached_property
    def order(self) -> Order:
        """The scores in order."""
        return Order(unpack(self.pairs, self.num_entities).first, self.score)


class Standing(NamedTuple):
    """How many scores of a group are above each of n scores, and how many equal it. Shape (n,)."""

    above: Codes
    same: Codes


class Order:
    """Scores above 0, ordered within groups, to count those above a score or equal to it."""

    def __init__(self, groups: Codes, scores: Codes) -> None:
        # The key of a group and a score is group * step + score.
        self._step = 1 + int(scores.max(initial=0))
        if (1 + int(groups.max(initial=0))) * self._step >= 1 << 63:
            raise DataError(
                f"{groups.max()} groups and scores "
                f"up to {scores.max()} are too many for 64-bit keys."
            )

        words = (groups * self._step + scores).view(np.uint64)
        keys, frequency = count_runs(sort_words([words]))
        self._keys = keys.view(np.int64)
        # How many scores have a smaller key than each, and how many groups up to each one have.
        self._num_below = np.append(0, np.cumsum(frequency))
        self._num_until = np.cumsum(np.bincount(groups, minlength=1))

    def count(self, groups: Codes, scores: Codes) -> Standing:
        """Count the scores of each group that are above each given one, and those that equal it.

        In a group of scores 2, 5, 5 and 9, 5 has 1 above and 2 the same, 4 has 3 and 0.
        """
        # A score above all others becomes `step`, which comes after all others of the group.
        keys = groups * self._step + np.minimum(scores, self._step)
        index = search(self._keys, keys)
        occurs = np.append(self._keys, -1)[index] == keys  # -1 where all keys are smaller
        # Counted from the first group: the scores below each, up to each, and to the group's end.
        below = self._num_below[index]
        up_to = self._num_below[index + occurs]
        # A group behind the last has no scores, and ends where the last does.
        last_group = self._num_until.size - 1
        until_end = self._num_until[np.minimum(groups, last_group)]
        return Standing(until_end - up_to, up_to - below)


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules of one body atom: if r'(x, y) or its inverse r'(y, x) holds, r(x, y) may also hold.

    The code of a body is r', or number of relations + r' for the inverse. Levels number the
    distinct confidences of the rules for a relation: rules of confidences 0.2, 0.5, 0.5 and 0.9
    have levels 1, 2, 2 and 3.
    """

    codes: Words  # relation and body of each rule, packed, ascending
    level: Codes  # of each rule
    starts: Codes  # where the levels of each relation start in the arrays below
    support: Codes  # of each level: its confidence is support / divisor
    divisor: Codes  # of each level: the pairs that the body connects, and the prior
    relation: Codes  # of each level

    @classmethod
    def rate(cls, codes: Words, support: Codes, pairs: Codes) -> Rules:
        """Compute the confidence of each rule, support / divisor, and number them as levels.

        Confidences are compared exactly, as fractions. A divisor is the number of pairs of entities
        that the body of the rule connects, and the prior.

        Parameters
        ----------
        codes
            Relation and body of each rule, packed, ascending. Shape (rules,).
        support
            How many pairs of entities both body and relation of the rule connect. Shape (rules,).
        pairs
            How many pairs of entities each relation connects. Shape (relations,).
        """
        num_relations = pairs.size
        relation, body = unpack(codes, 2 * num_relations)
        divisor = pairs[body % num_relations] + PRIOR
        confidence = expand_fractions(support, divisor)

        # In order of relation, then of confidence, each new confidence is one level up.
        order = np.lexsort((confidence, relation))
        starts_level = is_new(confidence[order]) | is_new(relation[order])
        rule_of_level = order[starts_level]  # one of the rules of each level
        relation_of_level = relation[rule_of_level]
        first_level = np.searchsorted(relation_of_level, np.arange(num_relations))

        # The levels of each relation start at 1.
        level = np.empty_like(order)
        level[order] = np.cumsum(starts_level) - first_level[relation[order]]
        return cls(
            codes=codes,
            level=level,
            starts=first_level,
            support=support[rule_of_level],
            divisor=divisor[rule_of_level],
            relation=relation_of_level,
        )


def expand_fractions(above: Codes, below: Codes) -> Words:
    """Return the first 64 binary digits of fractions below 1: floor(2^64 above / below).

    These words are in the same order as the fractions: different fractions with denominators below
    2^32 are more than 2^-64 apart.
    """
    if int(below.max(initial=0)) >> 32:
        raise DataError(
            f"a relation connects {below.max():,} pairs; "
            "rules are compared exactly up to 2^32 of them."
        )

    # Long division, 32 digits at a time.
    divisor = below.astype(np.uint64)
    digits, rest = np.divmod(above.astype(np.uint64) << np.uint64(32), divisor)
    return digits << np.uint64(32) | (rest << np.uint64(32)) // divisor


@dataclass(frozen=True, eq=False)
class Connections:
    """The triples that contain an anchor, which is one of some entities."""

    anchor_of_entity: Codes  # the number of each entity among the anchors, or -1
    starts: Codes  # where the triples of each anchor start in the arrays below, and the last end
    pairs: Words  # number of the anchor and other entity, packed, ascending
    entity: Codes  # the other entity
    body: Codes  # the relation, or number of relations + relation if the anchor is the tail

    @classmethod
    def gather(cls, graph: Graph, anchors: Codes, relations: Codes) -> Connections:
        """Collect the distinct training triples of some relations that have an anchor.

        `anchors` are distinct entities. Triples whose other entity is not a candidate are left out.
        """
        num_entities, num_relations = graph.num_entities, graph.num_relations
        anchor_of_entity = np.full(num_entities, -1)
        anchor_of_entity[anchors] = np.arange(anchors.size)
        is_useful = np.zeros(num_relations, dtype=np.bool_)
        is_useful[relations] = True
        links = []  # words of a batch each: number of the anchor, other entity, body
        for batch in split_batches(graph.splits["train"]):
            # A triple between two anchors counts twice: from its head and from its tail.
            forwards = (batch.head, batch.tail, 0)
            backwards = (batch.tail, batch.head, num_relations)
            for anchor, entity, first_body in (forwards, backwards):
                rows = np.flatnonzero(anchor_of_entity[anchor] >= 0)
                rows = rows[is_useful[batch.relation[rows]]]
                if graph.allowed_entities is not None:
                    rows = rows[graph.allowed_entities[entity[rows]]]

                words = pack_all(
                    (anchor_of_entity[anchor[rows]], anchors.size),
                    (entity[rows], num_entities),
                    (batch.relation[rows] + first_body, 2 * num_relations),
                )
                links.append(words)

        distinct_links = drop_repeats(sort_words(links))
        anchors_and_entities, body = unpack(distinct_links, 2 * num_relations)
        pairs = anchors_and_entities.view(np.uint64)
        entity = unpack(pairs, num_entities).second
        first_pair = np.arange(anchors.size + 1, dtype=np.uint64) * np.uint64(num_entities)
        starts = np.searchsorted(pairs, first_pair)
        return cls(
            anchor_of_entity=anchor_of_entity, starts=starts, pairs=pairs, entity=entity, body=body
        )

    def find(self, anchors: Codes, entities: Codes) -> Links:
        """Find all triples that connect each pair of an anchor and an entity."""
        pairs = pack(self.anchor_of_entity[anchors], entities, self.anchor_of_entity.size)
        start = search(self.pairs, pairs)
        end = search(self.pairs, pairs + np.uint64(1))
        row, step = spread(end - start)
        return Links(row, self.body[start[row] + step])


class Links(NamedTuple):
    """Triples that connect pairs. Arrays of shape (n,)."""

    row: Codes  # the number of the pair, ascending
    body: Codes  # the code of the relation that connects it, as in :class:`Rules`


class _PairCounts(NamedTuple):
    """Numbers of triples by pairs of their parts."""

    by_side: dict[str, Counts]  # of relation and head, and of relation and tail
    shared: Counts  # of two relations: see :func:`_count_shared`


@dataclass(frozen=True, eq=False)
class Train:
    """The training set: distinct triples, and the times of facts."""

    facts: Graph

    @property
    def graph(self) -> Graph:
        """The graph without its times."""
        return self.facts.timeless

    @functools.cached_property
    def _counts(self) -> _PairCounts:
        """The numbers of distinct triples by pairs of their parts."""
        num_relations, num_entities = self.graph.num_relations, self.graph.num_entities
        triples = self.graph.splits["train"]
        packing = Packing.plan(self.graph, RELATION_SIDE, len(triples), ROOM << 3)
        turn = functools.partial(_turn, num_relations)
        # Relation and head of each triple, and relation and tail.
        pairs: dict[str, list[Words]] = {"head": [], "tail": []}
        # Adding up needs at least one item, also for an empty training set.
        shared = [Counts(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))]
        for part in packing.parts:
            words = drop_repeats(packing.sort(triples, part, turn))
            # In batches, as the arrays below take several times the memory of the words.
            for batch in split_keys(words, packing.bits):
                entity_pairs = packing.find_keys(batch)
                smaller = packing.find_anchors(entity_pairs, part)
                larger = packing.find_links(entity_pairs)
                # See _turn: a triple from the larger entity has relation + number of relations.
                turned_relation = packing.find_answers(batch)
                is_turned = turned_relation >= num_relations
                relation = turned_relation - np.where(is_turned, num_relations, 0)
                head = np.where(is_turned, larger, smaller)
                tail = np.where(is_turned, smaller, larger)
                pairs["head"].append(pack(relation, head, num_entities))
                pairs["tail"].append(pack(relation, tail, num_entities))
                is_loop = smaller == larger
                counts = _count_shared(num_relations, entity_pairs, relation, is_turned, is_loop)
                shared.append(add_up(counts))

        del words
        # Popped, as all pairs of one side take much of the memory.
        by_side = {side: count_runs(sort_words(pairs.pop(side))) for side in ("head", "tail")}
        return _PairCounts(by_side, add_up(shared))

    @functools.cached_property
    def num_anchors(self) -> dict[str, Codes]:
        """How many different heads, and tails, each relation has."""
        by_side = self._counts.by_side
        return {side: np.diff(self._bound_relations(by_side[side].words)) for side in by_side}

    def _bound_relations(self, pairs: Words) -> Codes:
        """Return where the pairs of each relation start, and where the last end. Shape (R + 1,)."""
        numbers = np.arange(self.graph.num_relations + 1, dtype=np.uint64)
        firsts = numbers * np.uint64(self.graph.num_entities)
        return np.searchsorted(pairs, firsts)

    @functools.cached_property
    def occurrences(self) -> dict[str, Scores]:
        """In how many triples each entity is the head, and the tail, of each relation."""
        return {side: self.score(*counts) for side, counts in self._counts.by_side.items()}

    def score(self, pairs: Words, counts: Codes) -> Scores:
        """Return the scores of pairs of group and entity, for entities that are ranked."""
        num_entities = self.graph.num_entities
        if self.graph.allowed_entities is not None:
            entity = unpack(pairs, num_entities).second
            is_ranked = self.graph.allowed_entities[entity]
            pairs = pairs[is_ranked]
            counts = counts[is_ranked]

        return Scores(pairs, counts, num_entities)

    @functools.cached_property
    def rules(self) -> Rules:
        """The rules that at least one pair of entities supports, as both relations connect it."""
        num_relations = self.graph.num_relations
        num_bodies = 2 * num_relations
        shared, support = self._counts.shared
        relations, is_inverse = unpack(shared, 2)
        first, second = unpack(relations.view(np.uint64), num_relations)
        # The second relation may imply the first and, if they differ, the first the second.
        forwards = pack(first, second + is_inverse * num_relations, num_bodies)
        backwards = pack(second, first + is_inverse * num_relations, num_bodies)
        differ = first != second
        counts = [Counts(forwards, support), Counts(backwards[differ], support[differ])]
        codes, support = add_up(counts)

        # The triples of each relation: those with any of its tails.
        pairs, num_triples = self._counts.by_side["tail"]
        num_before = np.append(0, np.cumsum(num_triples))
        num_of_relation = np.diff(num_before[self._bound_relations(pairs)])
        return Rules.rate(codes, support, num_of_relation)

    @functools.cached_property
    def connections(self) -> Connections:
        """The triples that rules can apply to: of entities of valid and test, and of a body."""
        graph = self.graph
        in_valid = mark(graph.num_entities, graph.splits["valid"], "head", "tail")
        in_test = mark(graph.num_entities, graph.splits["test"], "head", "tail")
        bodies = unpack(self.rules.codes, 2 * graph.num_relations).second
        relations = bodies % graph.num_relations  # of a body or its inverse
        return Connections.gather(graph, np.flatnonzero(in_valid | in_test), relations)


def _count_shared(
    num_relations: int, entity_pairs: Words, relation: Codes, is_turned: Mask, is_loop: Mask
) -> Iterator[Counts]:
    """Count the pairs of entities that two relations connect, in the same direction (0) or not (1).

    The arrays have an entry for each distinct triple, ordered by the pair of entities that
    it connects; `is_turned` marks triples from the larger entity to the smaller, `is_loop` those of
    one entity. Words are packed from the smaller relation, the larger, and 0 or 1. Triples r(x, y),
    s(x, y) and s(y, x) give (r, s, 0), (r, s, 1), and (s, s, 1) twice: s is its own inverse on
    (x, y) and on (y, x).
    """

    def count(first: Codes, second: Codes, differ: Mask | int) -> Counts:
        """Count the pairs of relations, with whether their directions differ."""
        smaller, larger = np.minimum(first, second), np.maximum(first, second)
        relation_pairs = pack(smaller, larger, num_relations)
        words = pack(relation_pairs, np.broadcast_to(differ, first.shape), 2)
        return count_runs(sort_words([words]))

    # A loop connects its entity in both directions.
    yield count(relation[is_loop], relation[is_loop], 1)
    # The triples between two entities follow each other. List those of entities with several
    # triples, and how many come after each of them.
    starts = np.flatnonzero(is_new(entity_pairs))
    sizes = np.diff(starts, append=entity_pairs.size)
    starts, sizes = starts[sizes > 1], sizes[sizes > 1]
    triples = np.repeat(starts, sizes) + spread(sizes).steps
    num_after = np.repeat(starts + sizes, sizes) - triples - 1
    # Pair each triple with each of those after it.
    for batch in cut(num_after):
        group, step = spread(num_after[batch])
        first = triples[batch][group]
        second = first + 1 + step
        first_relation, second_relation = relation[first], relation[second]
        differ = is_turned[first] != is_turned[second]
        yield count(first_relation, second_relation, differ)

        # Both (x, y) and (y, x) show that a relation is its own inverse.
        is_inverse = differ & (first_relation == second_relation)
        yield count(first_relation[is_inverse], second_relation[is_inverse], 1)

        # A loop connects its entity in both directions here, too.
        of_loop = is_loop[first]
        yield count(first_relation[of_loop], second_relation[of_loop], 1)


def split_keys(words: Words, bits: int) -> Iterator[Words]:
    """Yield ordered words in batches, without separating words of the same key."""
    bits_after_key = np.uint64((1 << bits) - 1)
    start = 0
    while start < words.size:
        last_word = words[min(start + BATCH, words.size) - 1]
        largest_of_key = last_word | bits_after_key
        stop = int(np.searchsorted(words, largest_of_key, side="right"))
        yield words[start:stop]
        start = stop


def _turn(num_relations: int, batch: Triples) -> Triples:
    """Turn triples whose head is the larger entity: (7, r, 3) becomes (3, r + num_relations, 7)."""
    turned = batch.head > batch.tail
    relation = batch.relation.astype(np.int64) + np.where(turned, num_relations, 0)
    return Triples(np.minimum(batch.head, batch.tail), relation, np.maximum(batch.head, batch.tail))


class Spread(NamedTuple):
    """The rows of groups: for counts 2, 0, 3, groups 0 0 2 2 2 and steps 0 1 0 1 2."""

    groups: Codes
    steps: Codes


def spread(counts: Codes) -> Spread:
    """Return the group of each row and its step within the group, given the sizes of groups."""
    groups = np.repeat(np.arange(counts.size), counts)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    return Spread(groups, np.arange(groups.size) - starts)


def cut(weights: Codes) -> Iterator[slice]:
    """Cut items into consecutive slices that weigh about BATCH each.

    An item that weighs BATCH or more is alone in its slice.
    """
    running = np.cumsum(weights)
    total = int(running[-1]) if running.size else 0
    full = np.searchsorted(running, np.arange(BATCH, total, BATCH))
    heavy = np.flatnonzero(weights >= BATCH)
    bounds = np.unique(np.concatenate([[0], full, heavy, heavy + 1, [weights.size]]))
    for start, stop in itertools.pairwise(bounds.tolist()):
        yield slice(start, stop)
