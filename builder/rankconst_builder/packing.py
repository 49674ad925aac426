"""How the facts of one side are written as words, part by part: memory stays within bounds however many they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.errors import DataError
from rankconst_builder.words import append_answers, count_bits, find_answers, find_keys, pack, sort_words, split_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rankconst_builder.graph import Graph
    from rankconst_builder.words import Codes, Triples, Words


ROOM = 1 << 26
"""Bytes that one part of the facts may take while it is sorted: more is slower, as larger arrays are mapped anew."""

_FEW_PARTS = 16  # All facts are looked at for each part: rather take more room than look at them more often.
_MOST_PARTS = 1 << 12
_BYTES = 24  # of a fact that is sorted: its word, and what is made of it


def view(graph: Graph, triples: Triples, side: str) -> Iterator[tuple[Codes, Codes, Codes]]:
    """Yield facts as a side asks for them: an entity, the relation or another entity, and the answer."""
    head, relation, tail = triples.codes[:3]
    if side == RELATION_SIDE:
        yield head, tail, relation
        if graph.temporal:
            yield tail, head, relation + graph.num_relations
    else:
        yield (tail, relation, head) if side == "head" else (head, relation, tail)


@dataclass(frozen=True, slots=True)
class Packing:
    """How the facts of a side are written as words: ``((anchor * given + other) * times + time) << bits | answer``.

    Facts come in `2 ** shift` parts, by the last bits of the anchor, which words leave out: the entity that the query
    has in any case.
    """

    graph: Graph
    side: str
    num_given: int  # relations, or entities where those are asked for
    num_times: int  # 1 for queries without a time
    bits: int  # of an answer
    shift: int

    @classmethod
    def plan(cls, graph: Graph, side: str, rows: int, room: int | None = None) -> Packing:
        """Choose the number of parts so that a word has 64 bits and a part of `rows` facts takes `room` bytes."""
        related = side == RELATION_SIDE
        given = graph.num_entities if related else graph.num_relations
        bits = count_bits(2 * graph.num_relations if related else graph.num_entities)
        times = graph.num_times
        need = rows * _BYTES
        shift = max(math.ceil(need / (room or max(ROOM, need // _FEW_PARTS))) - 1, 0).bit_length()
        while (-(-graph.num_entities >> shift) * given * times) << bits > 1 << 64:
            shift += 1
        if 1 << shift > _MOST_PARTS:
            spelled = f", {times:,} times" if times > 1 else ""
            raise DataError(
                f"{rows:,} facts of {graph.num_entities:,} entities{spelled} and {graph.num_relations:,} relations are "
                f"too many for 64-bit keys in {_MOST_PARTS:,} parts."
            )
        return cls(graph, side, given, times, bits, shift)

    @property
    def parts(self) -> range:
        """The numbers of the parts."""
        return range(1 << self.shift)

    def sort(self, files: Iterable[Triples], part: int, keep: Callable[[Triples], Triples] | None = None) -> Words:
        """Return the words of a part of some facts, ascending, repetitions included; of all, or those to `keep`."""
        found: list[Words] = []
        for triples in files:
            for batch in split_batches(triples):
                kept = batch if keep is None else keep(batch)
                found += [self._pack(*codes, kept.time, part) for codes in view(self.graph, kept, self.side)]
        return sort_words(found)

    def _pack(self, anchors: Codes, given: Codes, answers: Codes, times: Codes | None, part: int) -> Words:
        columns = (
            [anchors, given, answers] if times is None or self.num_times == 1 else [anchors, given, answers, times]
        )
        if self.shift:
            mine = np.flatnonzero((anchors & (len(self.parts) - 1)) == part)
            columns = [column[mine] for column in columns]
        words = pack(columns[0] >> self.shift, columns[1], self.num_given)
        for extra in columns[3:]:
            words = pack(words, extra, self.num_times)
        return append_answers(words, columns[2], self.bits)

    def find_keys(self, words: Words) -> Words:
        """Return the queries of words."""
        return find_keys(words, self.bits)

    def find_answers(self, words: Words) -> Codes:
        """Return the answers of words."""
        return find_answers(words, self.bits)

    def find_given(self, keys: Words) -> Codes:
        """Return the relation of each query, or its second entity."""
        return (keys // np.uint64(self.num_times) % np.uint64(self.num_given)).astype(np.int64)

    def find_anchors(self, keys: Words, part: int) -> Codes:
        """Return the entity of each query of a part."""
        anchors = (keys // np.uint64(self.num_times * self.num_given)).astype(np.int64)
        return anchors << self.shift | part
