"""Facts as codes, and as single numbers of 64 bits, so that counting is sorting and comparing."""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from rankconst_builder.graph import Graph

    Codes = NDArray[np.signedinteger[Any]]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]


BATCH = 1 << 18
"""Facts looked at in one go: small enough for the second-level cache."""

ROOM = 1 << 26
"""Bytes that a part of the facts may take while it is sorted; larger arrays are mapped anew."""

# All facts are looked at for each part: rather take more room than look at them more often.
_FEW_PARTS = 16
_MOST_PARTS = 1 << 12
_BYTES = 24  # of a fact that is sorted: its word, and what is made of it


@dataclass(frozen=True, slots=True)
class Triples:
    """Triples as integer codes, one entry a row of the file.

    Arrays have shape (n,), int32 if read from files.
    """

    head: Codes
    relation: Codes
    tail: Codes
    time: Codes | None = None  # of a temporal graph; or the qualifiers, in a graph of statements
    # Where the codes are, if they are in files.
    mappings: tuple[mmap.mmap, ...] = field(default=(), kw_only=True)

    def __len__(self) -> int:
        return int(self.head.size)

    @property
    def codes(self) -> tuple[Codes, ...]:
        """The codes that make a fact."""
        parts = (self.head, self.relation, self.tail)
        return parts if self.time is None else (*parts, self.time)

    def select(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Triples:
        """Return the rows of an index, a mask or a slice."""
        return Triples(*(codes[rows] for codes in self.codes))


NO_TRIPLES = Triples(*(np.zeros(0, dtype=np.int64),) * 3)


def pack(first: Codes | Words, second: Codes, size: int) -> Words:
    """Return two codes in one number; `size` is the number of codes that the second can be."""
    return first.astype(np.uint64) * np.uint64(size) + second.astype(np.uint64)


def unpack(words: Words, size: int) -> tuple[Codes, Codes]:
    """Undo :func:`pack`."""
    first, second = np.divmod(words, np.uint64(size))
    return first.view(np.int64), second.view(np.int64)


def pack_all(*columns: tuple[Codes, int]) -> Words:
    """Return codes in one number each; with every column comes its number of codes."""
    bound = math.prod(size for _, size in columns)
    if bound > 1 << 64:
        sizes = " x ".join(f"{size:,}" for _, size in columns)
        raise DataError(f"{sizes} are too many for 64-bit keys.")
    words = columns[0][0].astype(np.uint64)
    for codes, size in columns[1:]:
        words = pack(words, codes, size)
    return words


def append_answers(keys: Words, answers: Codes, bits: int) -> Words:
    """Return keys and answers in one number each; `bits` are an answer's."""
    words = keys << np.uint64(bits)
    words |= answers.astype(np.uint64)
    return words


def find_keys(words: Words, bits: int) -> Words:
    """Return the keys of words, whose last `bits` are an answer."""
    return words >> np.uint64(bits)


def find_answers(words: Words, bits: int) -> Codes:
    """Return the answers that are the last `bits` of words."""
    return (words & np.uint64((1 << bits) - 1)).view(np.int64)


def sort_words(parts: Iterable[Words]) -> Words:
    """Return the words of all parts, ascending, repetitions included."""
    words = np.concatenate([np.zeros(0, dtype=np.uint64), *parts])
    words.sort()
    return words


def search(ordered: Words | Codes, words: Words | Codes) -> Codes:
    """Return where words belong among those in order, as :func:`numpy.searchsorted` does."""
    if (words[1:] >= words[:-1]).all():
        return np.searchsorted(ordered, words)
    # In order they are found ten times as fast: each finds in the cache what the one before needed.
    order = np.argsort(words)
    places = np.empty(words.size, dtype=np.int64)
    places[order] = np.searchsorted(ordered, words[order])
    return places


def locate(ordered: Words, words: Words) -> tuple[Codes, Codes]:
    """Tell which of some words are among distinct ordered ones; return their places there."""
    place = search(ordered, words)
    rows = np.flatnonzero(place < ordered.size)
    rows = rows[ordered[place[rows]] == words[rows]]
    return rows, place[rows]


def is_new(ordered: NDArray[Any]) -> Mask:
    """Tell for each of some ordered numbers whether it differs from the one before. Shape (n,)."""
    new = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def drop_repeats(ordered: Words) -> Words:
    """Return numbers in order, each once; the array itself if none repeats."""
    new = is_new(ordered)
    return ordered if new.all() else ordered[new]


def count_runs(ordered: Words) -> tuple[Words, Codes]:
    """Return the distinct numbers among ordered ones, and how often each occurs."""
    starts = np.flatnonzero(is_new(ordered))
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1:] = ordered.size - starts[-1:]
    return ordered[starts], counts


def add_up(counted: Iterable[tuple[Words, Codes]]) -> tuple[Words, Codes]:
    """Return distinct words, ascending, and the sum of the counts of each."""
    words, counts = (np.concatenate(columns) for columns in zip(*counted, strict=True))
    order = np.argsort(words)
    words, counts = words[order], counts[order]
    starts = np.flatnonzero(is_new(words))
    if not starts.size:
        return words, counts
    return words[starts], np.add.reduceat(counts, starts)


def split_batches(triples: Triples) -> Iterator[Triples]:
    """Yield facts in batches; those of files leave memory after their batch."""
    for start in range(0, len(triples), BATCH):
        yield triples.select(slice(start, start + BATCH))
        for mapping in triples.mappings:
            if hasattr(mapping, "madvise"):
                mapping.madvise(mmap.MADV_DONTNEED)


def mark(size: int, triples: Triples, *columns: str) -> Mask:
    """Mark the codes that occur in some columns. Shape (size,)."""
    found = np.zeros(size, dtype=np.bool_)
    for batch in split_batches(triples):
        for column in columns:
            # Places of another type are converted few at a time, which takes twice as long.
            found[getattr(batch, column).astype(np.int64)] = True
    return found


def count_bits(num_answers: int) -> int:
    """Return how many bits an answer takes."""
    return max(int(num_answers).bit_length(), 1)


def view(graph: Graph, triples: Triples, side: str) -> Iterator[tuple[Codes, Codes, Codes]]:
    """Yield the facts of a side: the given entity, the other given parts, and the answer."""
    head, relation, tail = triples.codes[:3]
    if side == RELATION_SIDE:
        yield head, tail, relation
        if graph.temporal:
            yield tail, head, relation + graph.num_relations
    else:
        yield (tail, relation, head) if side == "head" else (head, relation, tail)


def count_answers(graph: Graph, side: str) -> int:
    """Return how many codes the answers of a side can be."""
    return 2 * graph.num_relations if side == RELATION_SIDE else graph.num_entities


@dataclass(frozen=True, slots=True)
class Packing:
    """How the facts of a side are written as words.

    A word is ``((anchor * given + other) * times + time) << bits | answer``.

    Facts come in `2 ** shift` parts, by the last bits of the anchor, which words leave out: memory
    stays within bounds however many there are.
    """

    graph: Graph
    side: str
    num_given: int  # relations, or entities where those are asked for
    num_times: int  # 1 for queries without a time
    bits: int  # of an answer
    shift: int

    @classmethod
    def plan(cls, graph: Graph, side: str, rows: int, room: int | None = None) -> Packing:
        """Choose the number of parts so that words have 64 bits and parts fit into the room."""
        given = graph.num_entities if side == RELATION_SIDE else graph.num_relations
        bits = count_bits(count_answers(graph, side))
        times = graph.num_times
        need = rows * _BYTES
        shift = max(math.ceil(need / (room or max(ROOM, need // _FEW_PARTS))) - 1, 0).bit_length()
        while (-(-graph.num_entities >> shift) * given * times) << bits > 1 << 64:
            shift += 1
        if 1 << shift > _MOST_PARTS:
            spelled = f", {times:,} times" if times > 1 else ""
            raise DataError(
                f"{rows:,} facts of {graph.num_entities:,} "
                f"entities{spelled} and {graph.num_relations:,} "
                f"relations are too many for 64-bit keys in {_MOST_PARTS:,} parts."
            )
        return cls(graph, side, given, times, bits, shift)

    @property
    def parts(self) -> range:
        """The numbers of the parts."""
        return range(1 << self.shift)

    def sort(
        self, files: Iterable[Triples], part: int, keep: Callable[[Triples], Triples] | None = None
    ) -> Words:
        """Return the words of a part of some facts, or of those to `keep`, ascending."""
        found: list[Words] = []
        for triples in files:
            for batch in split_batches(triples):
                kept = batch if keep is None else keep(batch)
                for anchors, given, answers in view(self.graph, kept, self.side):
                    found.append(self._pack(anchors, given, answers, kept.time, part))
        return sort_words(found)

    def _pack(
        self, anchors: Codes, given: Codes, answers: Codes, times: Codes | None, part: int
    ) -> Words:
        columns = [anchors, given, answers]
        if times is not None and self.num_times > 1:
            columns.append(times)
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
