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

        keys, frequency = count_runs(sort_words([(groups * self._step + scores).view(np.uint64)]))
        self._keys = keys.view(np.int64)
        self._until = np.append(0, np.cumsum(frequency))
        self._ends = np.cumsum(np.bincount(groups, minlength=1))

    def count(self, groups: Codes, scores: Codes) -> Standing:
        """Count the scores of each group that are above each given one, and those that equal it.

        In a group of scores 2, 5, 5 and 9, 5 has 1 above and 2 the same, 4 has 3 and 0.
        """
        # A score above all others becomes `step`, which comes after all others of the group.
        keys = groups * self._step + np.minimum(scores, self._step)
        index = search(self._keys, keys)
        occurs = np.append(self._keys, -1)[index] == keys  # -1 where all keys are smaller
        # Counted from the first group: the scores below each, up to each, and of the whole group.
        below = self._until[index]
        up_to = self._until[index + occurs]
        # A group behind the last has no scores, and ends where the last does.
        ends = self._ends[np.minimum(groups, self._ends.size - 1)]
        return Standing(ends - up_to, up_to - below)


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
        """Give rules their levels, comparing confidences exactly.

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
        # By relation, then by confidence: each new confidence is one level up.
        order = np.lexsort((confidence, relation))
        starts_level = is_new(confidence[order]) | is_new(relation[order])
        first = order[starts_level]  # a rule of each level
        starts = np.searchsorted(relation[first], np.arange(num_relations))
        # Count levels from the first of the relation.
        level = np.empty_like(order)
        level[order] = np.cumsum(starts_level) - starts[relation[order]]
        return cls(codes, level, starts, support[first], divisor[first], relation[first])


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
        parts = []  # words: number of the anchor, other entity, body
        for batch in split_batches(graph.splits["train"]):
            # A triple between two anchors counts twice: from its head and from its tail.
            forwards = (0, batch.head, batch.tail)
            backwards = (num_relations, batch.tail, batch.head)
            for offset, anchor, entity in (forwards, backwards):
                rows = np.flatnonzero(anchor_of_entity[anchor] >= 0)
                rows = rows[is_useful[batch.relation[rows]]]
                if graph.allowed_entities is not None:
                    rows = rows[graph.allowed_entities[entity[rows]]]

                words = pack_all(
                    (anchor_of_entity[anchor[rows]], anchors.size),
                    (entity[rows], num_entities),
                    (batch.relation[rows] + offset, 2 * num_relations),
                )
                parts.append(words)

        joined, body = unpack(drop_repeats(sort_words(parts)), 2 * num_relations)
        pairs = joined.view(np.uint64)
        firsts = np.arange(anchors.size + 1, dtype=np.uint64) * np.uint64(num_entities)
        starts = np.searchsorted(pairs, firsts)
        entity = unpack(pairs, num_entities).second
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
        pairs: dict[str, list[Words]] = {"head": [], "tail": []}
        # Adding up needs at least one part, also for an empty training set.
        shared = [Counts(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))]
        for part in packing.parts:
            words = drop_repeats(packing.sort(triples, part, turn))
            # In small pieces, as the arrays below take several times the memory of the words.
            for piece in split_keys(words, packing.bits):
                keys = packing.find_keys(piece)
                smaller = packing.find_anchors(keys, part)
                larger = packing.find_links(keys)
                # See _turn: a triple from the larger entity has relation + number of relations.
                turned_relation = packing.find_answers(piece)
                is_turned = turned_relation >= num_relations
                relation = turned_relation - np.where(is_turned, num_relations, 0)
                head = np.where(is_turned, larger, smaller)
                tail = np.where(is_turned, smaller, larger)
                pairs["head"].append(pack(relation, head, num_entities))
                pairs["tail"].append(pack(relation, tail, num_entities))
                is_loop = smaller == larger
                counted = _count_shared(num_relations, keys, relation, is_turned, is_loop)
                shared.append(add_up(counted))

        del words
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
        allowed, number = self.graph.allowed_entities, self.graph.num_entities
        if allowed is not None:
            ranked = allowed[unpack(pairs, number).second]
            pairs, counts = pairs[ranked], counts[ranked]
        return Scores(pairs, counts, number)

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
        parts = [Counts(forwards, support), Counts(backwards[differ], support[differ])]
        codes, support = add_up(parts)
        pairs, num_triples = self._counts.by_side["tail"]
        until = np.append(0, np.cumsum(num_triples))
        return Rules.rate(codes, support, np.diff(until[self._bound_relations(pairs)]))

    @functools.cached_property
    def connections(self) -> Connections:
        """The triples that rules can apply to: of entities of valid and test, and of a body."""
        graph, kinds = self.graph, 2 * self.graph.num_relations
        valid = mark(graph.num_entities, graph.splits["valid"], "head", "tail")
        test = mark(graph.num_entities, graph.splits["test"], "head", "tail")
        bodies = unpack(self.rules.codes, kinds).second % graph.num_relations
        return Connections.gather(graph, np.flatnonzero(valid | test), bodies)


def _count_shared(
    num_relations: int, keys: Words, relation: Codes, is_turned: Mask, is_loop: Mask
) -> Iterator[Counts]:
    """Count the pairs of entities that two relations connect, in the same direction (0) or not (1).

    The arrays have an entry for each distinct triple, ordered by `keys`, the pair of entities that
    it connects; `is_turned` marks triples from the larger entity to the smaller, `is_loop` those of
    one entity. Words are packed from the smaller relation, the larger, and 0 or 1. Triples r(x, y),
    s(x, y) and s(y, x) give (r, s, 0), (r, s, 1), and (s, s, 1) twice: s is its own inverse on
    (x, y) and on (y, x).
    """

    def count(first: Codes, second: Codes, differ: Mask | int) -> Counts:
        """Count the pairs of relations, with whether their directions differ."""
        smaller, larger = np.minimum(first, second), np.maximum(first, second)
        directions = np.broadcast_to(differ, first.shape)
        return count_runs(sort_words([pack(pack(smaller, larger, num_relations), directions, 2)]))

    # A loop connects its entity in both directions.
    yield count(relation[is_loop], relation[is_loop], 1)
    # The triples between two entities follow each other. List those of entities with several
    # triples, and how many come after each of them.
    starts = np.flatnonzero(is_new(keys))
    sizes = np.diff(starts, append=keys.size)
    starts, sizes = starts[sizes > 1], sizes[sizes > 1]
    triples = np.repeat(starts, sizes) + spread(sizes).steps
    num_after = np.repeat(starts + sizes, sizes) - triples - 1
    # Pair each triple with each of those after it.
    for part in cut(num_after):
        group, step = spread(num_after[part])
        first = triples[part][group]
        second = first + 1 + step
        differ = is_turned[first] != is_turned[second]
        yield count(relation[first], relation[second], differ)
        # Both (x, y) and (y, x) show that a relation is its own inverse.
        inverse = np.flatnonzero(differ & (relation[first] == relation[second]))
        yield count(relation[first[inverse]], relation[second[inverse]], 1)
        loops = np.flatnonzero(is_loop[first])
        yield count(relation[first[loops]], relation[second[loops]], 1)


def split_keys(words: Words, bits: int) -> Iterator[Words]:
    """Yield ordered words in batches, without separating words of the same key."""
    rest = np.uint64((1 << bits) - 1)
    start = 0
    while start < words.size:
        last = words[min(start + BATCH, words.size) - 1] | rest
        end = int(np.searchsorted(words, last, side="right"))
        yield words[start:end]
        start = end


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
    ends = np.cumsum(weights)
    total = int(ends[-1]) if ends.size else 0
    full = np.searchsorted(ends, np.arange(BATCH, total, BATCH))
    heavy = np.flatnonzero(weights >= BATCH)
    cuts = np.concatenate([full, heavy, heavy + 1])
    bounds = np.unique(np.concatenate([[0], cuts, [weights.size]]))
    for start, end in itertools.pairwise(bounds.tolist()):
        yield slice(start, end)
