"""Facts as codes, and as single numbers of 64 bits, so that counting is sorting and comparing."""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

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
"""No triples at all."""


def pack(first: Codes | Words, second: Codes, size: int) -> Words:
    """Return first * size + second, which holds both; `size` is above every second code.

    Words are in the order of the first, then of the second. Codes 2 and 5, of 10, become 25.
    """
    return first.astype(np.uint64) * np.uint64(size) + second.astype(np.uint64)


class Pair(NamedTuple):
    """The two codes that words are made of. Arrays of shape (n,)."""

    first: Codes
    second: Codes


def unpack(words: Words, size: int) -> Pair:
    """Undo :func:`pack`."""
    first, second = np.divmod(words, np.uint64(size))
    return Pair(first.view(np.int64), second.view(np.int64))


def pack_all(*columns: tuple[Codes, int]) -> Words:
    """Pack columns of codes into words; every column is given with a number above all its codes."""
    bound = math.prod(size for _, size in columns)
    if bound > 1 << 64:
        sizes = " x ".join(f"{size:,}" for _, size in columns)
        raise DataError(f"{sizes} are too many for 64-bit keys.")
    words = columns[0][0].astype(np.uint64)
    for codes, size in columns[1:]:
        words = pack(words, codes, size)
    return words


def append_answers(keys: Words, answers: Codes, bits: int) -> Words:
    """Return keys and answers in one number each; an answer takes the last `bits`."""
    words = keys << np.uint64(bits)
    words |= answers.astype(np.uint64)
    return words


def find_keys(words: Words, bits: int) -> Words:
    """Return the query of each word: without the answer in its last `bits`."""
    return words >> np.uint64(bits)


def find_answers(words: Words, bits: int) -> Codes:
    """Return the answer of each word: its last `bits`."""
    return (words & np.uint64((1 << bits) - 1)).view(np.int64)


def sort_words(parts: Iterable[Words]) -> Words:
    """Return the words of all parts, ascending, repetitions included."""
    words = np.concatenate([np.zeros(0, dtype=np.uint64), *parts])
    words.sort()
    return words


def search(ordered: Words | Codes, words: Words | Codes) -> Codes:
    """Return how many ordered words are smaller than each word, as numpy.searchsorted does."""
    if (words[1:] >= words[:-1]).all():
        return np.searchsorted(ordered, words)
    # Sorted words are found ten times as fast: each uses what the cache has of the one before.
    order = np.argsort(words)
    indices = np.empty(words.size, dtype=np.int64)
    indices[order] = np.searchsorted(ordered, words[order])
    return indices


class Matches(NamedTuple):
    """The numbers that are in a table. Arrays of shape (m,)."""

    rows: Codes  # which of the numbers that were looked up, ascending
    indices: Codes  # where each is in the table


def locate(ordered: Words, words: Words) -> Matches:
    """Find which words are in a table of distinct ordered ones, and where.

    Of words 7, 3, 5, a table of 3, 4, 7 has rows 0 and 1, at its indices 2 and 0.
    """
    indices = search(ordered, words)
    rows = np.flatnonzero(indices < ordered.size)
    rows = rows[ordered[indices[rows]] == words[rows]]
    return Matches(rows, indices[rows])


def is_new(ordered: NDArray[Any]) -> Mask:
    """Mark where ordered numbers differ from the one before, and the first. Shape (n,)."""
    new = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def drop_repeats(ordered: Words) -> Words:
    """Return numbers in order, each once; the array itself if none repeats."""
    new = is_new(ordered)
    return ordered if new.all() else ordered[new]


class Counts(NamedTuple):
    """Distinct words, ascending, and how often each occurs. Arrays of shape (n,)."""

    words: Words
    counts: Codes


def count_runs(ordered: Words) -> Counts:
    """Count how often each of some ordered numbers occurs: of 3 3 5, 3 twice and 5 once."""
    starts = np.flatnonzero(is_new(ordered))
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1:] = ordered.size - starts[-1:]
    return Counts(ordered[starts], counts)


def add_up(parts: Iterable[Counts]) -> Counts:
    """Add up the counts of each word over all parts; at least one part is needed."""
    words, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(words)
    words, counts = words[order], counts[order]
    starts = np.flatnonzero(is_new(words))
    if not starts.size:
        return Counts(words, counts)
    return Counts(words[starts], np.add.reduceat(counts, starts))


def split_batches(triples: Triples) -> Iterator[Triples]:
    """Yield facts in batches; those of files leave memory after their batch."""
    for start in range(0, len(triples), BATCH):
        yield triples.select(slice(start, start + BATCH))
        for mapping in triples.mappings:
            if hasattr(mapping, "madvise"):
                mapping.madvise(mmap.MADV_DONTNEED)


def mark(size: int, triples: Triples, *columns: str) -> Mask:
    """Mark the codes that occur in some columns. Shape (size,)."""
    occurring = np.zeros(size, dtype=np.bool_)
    for batch in split_batches(triples):
        for column in columns:
            # Indices of another type are converted few at a time, which takes twice as long.
            occurring[getattr(batch, column).astype(np.int64)] = True
    return occurring


def count_bits(num_answers: int) -> int:
    """Return how many bits a number up to `num_answers` takes, at least 1."""
    return max(int(num_answers).bit_length(), 1)


class View(NamedTuple):
    """Facts as a side asks for them: query (anchor, link, ?) and its answer."""

    anchors: Codes  # an entity of each fact: its tail for side head, else its head
    links: Codes  # its relation; its tail where relations are asked for
    answers: Codes


def view(graph: Graph, triples: Triples, side: str) -> Iterator[View]:
    """Yield facts as queries of a side and their answers.

    For side tail, (h, r, t) is query (h, r, ?) with answer t. For relations it is (h, ?, t) with
    answer r; in a temporal graph a second view has (t, ?, h) with the inverse, num_relations + r.
    """
    head, relation, tail = triples.codes[:3]
    if side == "head":
        yield View(tail, relation, head)
    elif side == "tail":
        yield View(head, relation, tail)
    else:
        yield View(head, tail, relation)
        if graph.temporal:
            yield View(tail, head, relation + graph.num_relations)


def count_answers(graph: Graph, side: str) -> int:
    """Return how many codes the answers of a side can be."""
    return 2 * graph.num_relations if side == RELATION_SIDE else graph.num_entities


@dataclass(frozen=True, slots=True)
class Packing:
    """How the facts of a side are written as words.

    A word is ``((anchor * num_links + link) * num_times + time) << bits | answer``.

    Facts come in `2 ** shift` parts, by the last bits of the anchor, which words leave out: memory
    stays within bounds however many there are.
    """

    graph: Graph
    side: str
    num_links: int  # relations, or entities where those are asked for
    num_times: int  # 1 for queries without a time
    bits: int  # of an answer
    shift: int

    @classmethod
    def plan(cls, graph: Graph, side: str, rows: int, room: int | None = None) -> Packing:
        """Choose the number of parts, a power of 2, for `rows` facts.

        A part takes about `room` bytes, by default the larger of ROOM and a sixteenth of all. There
        are more parts if words would exceed 64 bits, and DataError if these are more than 4,096.
        """
        links = graph.num_entities if side == RELATION_SIDE else graph.num_relations
        bits = count_bits(count_answers(graph, side))
        times = graph.num_times
        need = rows * _BYTES
        parts = math.ceil(need / (room or max(ROOM, need // _FEW_PARTS)))
        shift = max(parts - 1, 0).bit_length()
        while (-(-graph.num_entities >> shift) * links * times) << bits > 1 << 64:
            shift += 1
        if 1 << shift > _MOST_PARTS:
            spelled = f", {times:,} times" if times > 1 else ""
            raise DataError(
                f"{rows:,} facts of {graph.num_entities:,} "
                f"entities{spelled} and {graph.num_relations:,} "
                f"relations are too many for 64-bit keys in {_MOST_PARTS:,} parts."
            )
        return cls(graph, side, links, times, bits, shift)

    @property
    def parts(self) -> range:
        """The numbers of the parts."""
        return range(1 << self.shift)

    def sort(
        self, triples: Triples, part: int, select: Callable[[Triples], Triples] | None = None
    ) -> Words:
        """Return the words of a part of facts, ascending, with repeats; `select` drops some."""
        words: list[Words] = []
        for batch in split_batches(triples):
            facts = batch if select is None else select(batch)
            sides = view(self.graph, facts, self.side)
            words += [self._pack(queries, facts.time, part) for queries in sides]
        return sort_words(words)

    def _pack(self, facts: View, times: Codes | None, part: int) -> Words:
        """Return the words of the facts of a part, in their order."""
        columns = [*facts]
        if times is not None and self.num_times > 1:
            columns.append(times)
        if self.shift:
            rows = np.flatnonzero((facts.anchors & (len(self.parts) - 1)) == part)
            columns = [column[rows] for column in columns]
        anchors, links, answers, *time = columns
        words = pack(anchors >> self.shift, links, self.num_links)
        for codes in time:
            words = pack(words, codes, self.num_times)
        return append_answers(words, answers, self.bits)

    def find_keys(self, words: Words) -> Words:
        """Return the queries of words."""
        return find_keys(words, self.bits)

    def find_answers(self, words: Words) -> Codes:
        """Return the answers of words."""
        return find_answers(words, self.bits)

    def find_links(self, keys: Words) -> Codes:
        """Return the relation of each query, or its second entity."""
        return (keys // np.uint64(self.num_times) % np.uint64(self.num_links)).astype(np.int64)

    def find_anchors(self, keys: Words, part: int) -> Codes:
        """Return the entity of each query of a part."""
        anchors = (keys // np.uint64(self.num_times * self.num_links)).astype(np.int64)
        return anchors << self.shift | part
