"""Encode labels as codes, and pack facts into 64-bit words, so that they can be sorted and counted.

Plain text, with head, relation and tail between tabs, is encoded while it is read: thousands of
labels at once are looked up in a hash table and compared with the labels found. Any other text is
left to :mod:`rankconst_builder.triples`.
"""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from rankconst_builder.graph import Graph

    Codes = NDArray[np.signedinteger[Any]]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]
    Places = NDArray[np.int64]
    Signs = NDArray[np.uint8]

BATCH = 1 << 18
"""Facts in a batch: few enough for the second-level cache."""

ROOM = 1 << 26
"""Bytes that a part of the facts may take while it is sorted."""

# All facts are read once for each part. A large graph gets larger parts rather than more of them.
_FEW_PARTS = 16
_MOST_PARTS = 1 << 12
_BYTES = 24  # per fact that is sorted: its word, and temporary arrays


@dataclass(frozen=True, slots=True)
class Triples:
    """Triples as integer codes, row by row. Arrays of shape (n,), int32 if read from files."""

    head: Codes
    relation: Codes
    tail: Codes
    time: Codes | None = None  # of a temporal graph; or the qualifiers, in a graph of statements
    mappings: tuple[mmap.mmap, ...] = field(default=(), kw_only=True)  # of codes kept in files

    def __len__(self) -> int:
        return int(self.head.size)

    @property
    def codes(self) -> tuple[Codes, ...]:
        """The columns of codes."""
        parts = (self.head, self.relation, self.tail)
        return parts if self.time is None else (*parts, self.time)

    def select(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Triples:
        """Return the rows of an index, a mask or a slice."""
        return Triples(*(codes[rows] for codes in self.codes))


NO_TRIPLES = Triples(*(np.zeros(0, dtype=np.int64),) * 3)


def pack(first: Codes | Words, second: Codes, size: int) -> Words:
    """Pack two codes into one word, first * size + second. Every second code is below `size`."""
    return first.astype(np.uint64) * np.uint64(size) + second.astype(np.uint64)


class Pair(NamedTuple):
    """The two codes that are packed into each word. Arrays of shape (n,)."""

    first: Codes
    second: Codes


def unpack(words: Words, size: int) -> Pair:
    """Undo :func:`pack`."""
    first, second = np.divmod(words, np.uint64(size))
    return Pair(first.view(np.int64), second.view(np.int64))


def pack_all(*columns: tuple[Codes, int]) -> Words:
    """Pack columns of codes into words. Each column comes with a bound above all its codes."""
    bound = math.prod(size for _, size in columns)
    if bound > 1 << 64:
        sizes = " x ".join(f"{size:,}" for _, size in columns)
        raise DataError(f"{sizes} are too many for 64-bit keys.")

    words = columns[0][0].astype(np.uint64)
    for codes, size in columns[1:]:
        words = pack(words, codes, size)

    return words


def append_answers(keys: Words, answers: Codes, bits: int) -> Words:
    """Pack keys below 2^(64 - bits) and answers below 2^bits, the last `bits` bits, into words."""
    words = keys << np.uint64(bits)
    words |= answers.astype(np.uint64)
    return words


def find_keys(words: Words, bits: int) -> Words:
    """Return the key of each word of :func:`append_answers`."""
    return words >> np.uint64(bits)


def find_answers(words: Words, bits: int) -> Codes:
    """Return the answer of each word of :func:`append_answers`."""
    return (words & np.uint64((1 << bits) - 1)).view(np.int64)


def sort_words(parts: Iterable[Words]) -> Words:
    """Return the words of all parts, ascending, with repetitions."""
    words = np.concatenate([np.zeros(0, dtype=np.uint64), *parts])
    words.sort()
    return words


def search(ordered: Words | Codes, words: Words | Codes) -> Codes:
    """Return how many ordered words are smaller than each word, as numpy.searchsorted does."""
    if (words[1:] >= words[:-1]).all():
        return np.searchsorted(ordered, words)
    # Sorted words are found ten times as fast, as neighbours use the same parts of the cache.
    order = np.argsort(words)
    indices = np.empty(words.size, dtype=np.int64)
    indices[order] = np.searchsorted(ordered, words[order])
    return indices


class Matches(NamedTuple):
    """The numbers that were found in a table. Arrays of shape (m,)."""

    rows: Codes  # their indices among the numbers that were looked up, ascending
    indices: Codes  # their indices in the table


def locate(ordered: Words, words: Words) -> Matches:
    """Find which words are in a table of distinct ordered words, and where."""
    indices = search(ordered, words)
    rows = np.flatnonzero(indices < ordered.size)
    rows = rows[ordered[indices[rows]] == words[rows]]
    return Matches(rows, indices[rows])


def is_new(ordered: NDArray[Any]) -> Mask:
    """Mark the first number and every number that differs from the one before. Shape (n,)."""
    new = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def drop_repeats(ordered: Words) -> Words:
    """Return ordered numbers without repetitions, or the array itself if it has none."""
    new = is_new(ordered)
    return ordered if new.all() else ordered[new]


class Counts(NamedTuple):
    """Distinct ascending words, and how often each occurs. Arrays of shape (n,)."""

    words: Words
    counts: Codes


def count_runs(ordered: Words) -> Counts:
    """Count how often each of some ordered numbers occurs."""
    starts = np.flatnonzero(is_new(ordered))
    return Counts(ordered[starts], np.diff(starts, append=ordered.size))


def add_up(parts: Iterable[Counts]) -> Counts:
    """Add up the counts of each word over all parts, of which there is at least one."""
    words, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(words)
    words, counts = words[order], counts[order]
    starts = np.flatnonzero(is_new(words))
    if not starts.size:
        return Counts(words, counts)
    return Counts(words[starts], np.add.reduceat(counts, starts))


def split_batches(triples: Triples) -> Iterator[Triples]:
    """Yield facts in batches, and release each batch of a file from memory afterwards."""
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
            # NumPy takes twice as long if it has to convert the indices itself.
            occurring[getattr(batch, column).astype(np.int64)] = True
    return occurring


def count_bits(num_answers: int) -> int:
    """Return how many bits a number up to `num_answers` takes, at least 1."""
    return max(int(num_answers).bit_length(), 1)


class View(NamedTuple):
    """Facts as queries of a side, (anchor, link, ?), and their answers."""

    anchors: Codes  # the known entity
    links: Codes  # the relation, or the other entity where relations are asked for
    answers: Codes


def view(graph: Graph, triples: Triples, side: str) -> Iterator[View]:
    """Yield facts as queries of a side and their answers.

    On the side of relations, a temporal graph has a second view, whose answers are inverses.
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
    """Return how many different answers a side can have."""
    return 2 * graph.num_relations if side == RELATION_SIDE else graph.num_entities


@dataclass(frozen=True, slots=True)
class Packing:
    """How the facts of a side are packed into words.

    A word is ``((anchor * num_links + link) * num_times + time) << bits | answer``.

    To limit memory, facts are sorted in `2 ** shift` parts. The last `shift` bits of an anchor are
    the number of its part, and words leave them out.
    """

    graph: Graph
    side: str
    num_links: int  # relations, or entities where relations are asked for
    num_times: int  # 1 for queries without a time
    bits: int  # of an answer
    shift: int

    @classmethod
    def plan(cls, graph: Graph, side: str, rows: int, room: int | None = None) -> Packing:
        """Choose the number of parts for `rows` facts, so that a part takes about `room` bytes.

        There are more parts where words would otherwise exceed 64 bits.
        """
        links = graph.num_entities if side == RELATION_SIDE else graph.num_relations
        bits = count_bits(count_answers(graph, side))
        times = graph.num_times
        need = rows * _BYTES
        parts = math.ceil(need / (room or max(ROOM, need // _FEW_PARTS)))
        shift = max(parts - 1, 0).bit_length()
        while True:
            anchors = math.ceil(graph.num_entities / (1 << shift))
            if (anchors * links * times) << bits <= 1 << 64:
                break
            shift += 1

        if 1 << shift > _MOST_PARTS:
            spelled = f", {times:,} times" if times > 1 else ""
            raise DataError(
                f"{rows:,} facts of {graph.num_entities:,} "
                f"entities{spelled} and {graph.num_relations:,} "
                f"relations are too many for 64-bit keys in {_MOST_PARTS:,} parts."
            )
        return cls(graph=graph, side=side, num_links=links, num_times=times, bits=bits, shift=shift)

    @property
    def parts(self) -> range:
        """The numbers of the parts."""
        return range(1 << self.shift)

    def sort(
        self, triples: Triples, part: int, select: Callable[[Triples], Triples] | None = None
    ) -> Words:
        """Return the words of a part of the facts, ascending, with repetitions."""
        words: list[Words] = []
        for batch in split_batches(triples):
            facts = batch if select is None else select(batch)
            sides = view(self.graph, facts, self.side)
            words += [self._pack(queries, facts.time, part) for queries in sides]
        return sort_words(words)

    def _pack(self, facts: View, times: Codes | None, part: int) -> Words:
        """Return the words of the facts in a part, in their order."""
        anchors, links, answers = facts
        if self.num_times == 1:
            times = None

        if self.shift:
            rows = np.flatnonzero((anchors & (len(self.parts) - 1)) == part)
            anchors, links, answers = anchors[rows], links[rows], answers[rows]
            times = None if times is None else times[rows]

        words = pack(anchors >> self.shift, links, self.num_links)
        if times is not None:
            words = pack(words, times, self.num_times)

        return append_answers(words, answers, self.bits)

    def find_keys(self, words: Words) -> Words:
        """Return the queries of words."""
        return find_keys(words, self.bits)

    def find_answers(self, words: Words) -> Codes:
        """Return the answers of words."""
        return find_answers(words, self.bits)

    def find_links(self, keys: Words) -> Codes:
        """Return the link of each query."""
        return (keys // np.uint64(self.num_times) % np.uint64(self.num_links)).astype(np.int64)

    def find_anchors(self, keys: Words, part: int) -> Codes:
        """Return the anchor of each query of a part."""
        anchors = (keys // np.uint64(self.num_times * self.num_links)).astype(np.int64)
        return anchors << self.shift | part


# -- labels of plain text --------------------------------------------------------------------------

PIECE = 1 << 21
"""Bytes of text that are read at once."""

_LONGEST = 512  # bytes of a label, or 64 words
_COUNTED = 7  # bits of the number of words of a label, up to 64
_MOST_WORDS = 1 << 28  # of all labels: Arrow counts their bytes in 32 bits
_TABS = np.frombuffer(b"\t\t\n", np.uint8)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # any odd number of irregular bits will do
_KEPT = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
"""The masks that keep the first 0, 1, ..., 8 bytes of a word."""


class NotPlainError(Exception):
    """Raised if a line is not a triple or a label is unusual, so that another reader is needed."""


def read_pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield text in pieces that end with a newline; NotPlainError for a long line."""
    rest = b""
    while block := stream.read(PIECE):
        piece, end, rest = (rest + block).rpartition(b"\n")
        if end:
            yield piece + end
        if len(rest) > 4 * _LONGEST:  # one of its three labels is too long
            raise NotPlainError

    if rest:
        yield rest + b"\n"


class Bounds(NamedTuple):
    """Where the three labels of each line are. Arrays of shape (n, 3)."""

    starts: Places
    ends: Places


def split_piece(signs: Signs) -> Bounds:
    """Find where the three labels of each line start and end.

    Raises NotPlainError unless each line has three.
    """
    ends = np.flatnonzero((signs == ord("\t")) | (signs == ord("\n")))
    if ends.size % 3 or (signs[ends].reshape(-1, 3) != _TABS).any():
        raise NotPlainError
    starts = np.concatenate([[0], ends[:-1] + 1])
    return Bounds(starts.reshape(-1, 3), ends.reshape(-1, 3))


class Coder:
    """Numbers labels in the order in which they first occur."""

    def __init__(self) -> None:
        self.size = 0  # number of distinct labels
        # A hash table: the hash of the label in each slot, or 0 if the slot is free, and its code.
        self._keys: Words = np.zeros(1 << 10, np.uint64)
        self._codes: Codes = np.zeros(1 << 10, np.int32)
        # The bytes of all labels, each filled up with zeros to whole words.
        self._words: Words = np.zeros(0, np.uint64)
        self._num_words = 0
        # For each code, start << _COUNTED | count: where its words start, and how many there are.
        self._places: Places = np.zeros(0, np.int64)

    def encode(self, signs: Signs, starts: Places, ends: Places) -> Codes:
        """Return the codes of labels, given where each starts and ends in a text.

        `signs` are the bytes of the text. It must end with eight zero bytes, as labels are read in
        words of 8 bytes, and have no other zero bytes. `starts` and `ends` have shape (labels,).

        Raises NotPlainError for empty or long labels, and for two labels of the same hash.
        """
        sizes = ends - starts
        longest = int(sizes.max())
        if not sizes.min() or longest > _LONGEST:
            raise NotPlainError

        words = np.ndarray(signs.size - 7, "<u8", signs, strides=(1,))  # the 8 bytes from each on
        # The first words of all labels, then the second words of those that have one, and so on.
        columns: list[tuple[Any, Words]] = []
        keys = np.zeros(sizes.size, np.uint64)  # the hashes of labels
        for offset in range(0, longest, 8):
            is_longer = sizes > offset
            rows = slice(None) if is_longer.all() else np.flatnonzero(is_longer)
            num_bytes = np.minimum(sizes[rows] - offset, 8)  # of the label; others become 0
            column = words[starts[rows] + offset] & _KEPT[num_bytes]
            mixed = (keys[rows] ^ column) * _MIX
            keys[rows] = mixed ^ mixed >> np.uint64(32)
            columns.append((rows, column))

        keys *= _MIX
        if not keys.all():
            raise NotPlainError  # a free slot has key 0

        counts = (sizes + 7) >> 3
        slots, fresh = self._find(keys)
        self._add_words(fresh, columns, counts)
        codes = self._codes[slots]
        are_single_words = len(columns) == 1 and self._num_words == self.size
        if not are_single_words and self._differ(codes, columns, counts):
            raise NotPlainError  # two labels have one key
        return codes

    def _differ(self, codes: Codes, columns: list[tuple[Any, Words]], counts: Places) -> bool:
        """Return True if a label differs from the one of the same key that has its code."""
        places = self._places[codes]
        if ((places & ((1 << _COUNTED) - 1)) != counts).any():
            return True

        starts = places >> _COUNTED
        # The key and all other words determine the first word, as hashing can be undone.
        for index, (rows, column) in enumerate(columns[1:], start=1):
            if (self._words[starts[rows] + index] != column).any():
                return True

        return False

    def _find(self, keys: Words) -> _Slots:
        """Find the slot of each key in the table, and give new keys a free slot and a code.

        Linear probing, for all keys at once: those that find another key in their slot look into
        the next one, until each has found itself or a free slot.
        """
        if 4 * (self.size + keys.size) > 3 * self._keys.size:  # more than three quarters full
            self._grow(keys.size)

        slots = (keys >> np.uint64(64 - self._keys.size.bit_length() + 1)).astype(np.int64)
        # The keys that are not found yet: their rows, themselves, and the slots they look into.
        rows, sought, places = np.arange(keys.size), keys, slots
        fresh_rows = [np.zeros(0, np.int64)]
        while True:
            keys_there = self._keys[places]
            free = np.flatnonzero(keys_there == 0)[::-1]
            if free.size:
                # If several keys want a slot, the last one written gets it: the first in the text.
                self._keys[places[free]] = sought[free]
                self._codes[places[free]] = free
                fresh_rows.append(rows[free[self._codes[places[free]] == free]])
                keys_there = self._keys[places]

            missed = np.flatnonzero(keys_there != sought)
            if not missed.size:
                break
            rows, sought = rows[missed], sought[missed]
            places = (places[missed] + 1) & (self._keys.size - 1)
            slots[rows] = places

        fresh = np.sort(np.concatenate(fresh_rows))
        self._codes[slots[fresh]] = self.size + np.arange(fresh.size)
        self.size += fresh.size
        return _Slots(slots, fresh)

    def _grow(self, more: int) -> None:
        """Move all keys to a table with at least two slots for each of them and of `more` keys."""
        filled = np.flatnonzero(self._keys)
        keys, codes = self._keys[filled], self._codes[filled]
        size = 1 << (2 * (self.size + more)).bit_length()
        self._keys, self._codes, self.size = np.zeros(size, np.uint64), np.zeros(size, np.int32), 0
        self._codes[self._find(keys).slots] = codes

    def _add_words(self, fresh: Places, columns: list[tuple[Any, Words]], counts: Places) -> None:
        """Store the words of the new labels, those in rows `fresh`.

        `columns` has the first words of all labels of a piece, then the second words, and so on,
        each with the rows that have one; `counts` is how many words each label has.
        """
        fresh_counts = counts[fresh]
        starts = self._num_words + np.cumsum(fresh_counts) - fresh_counts
        num_words = self._num_words + int(fresh_counts.sum())
        if num_words > _MOST_WORDS:
            raise NotPlainError

        num_old = self.size - fresh.size
        self._places = _fit(self._places, num_old, self.size)
        self._places[num_old : self.size] = starts << _COUNTED | fresh_counts
        self._words = _fit(self._words, self._num_words, num_words)
        self._num_words = num_words
        start_of_row = np.full(counts.size, -1)
        start_of_row[fresh] = starts
        for index, (rows, column) in enumerate(columns):
            start_of_word = start_of_row[rows]
            is_new_label = start_of_word >= 0
            self._words[start_of_word[is_new_label] + index] = column[is_new_label]

    def labels(self) -> pa.BinaryArray:
        """Return the labels in the order of their codes."""
        starts, counts = np.divmod(self._places[: self.size], 1 << _COUNTED)
        words = self._words[: self._num_words].astype("<u8", copy=False)
        ends = np.zeros(self.size + 1, np.int32)
        # All words but the last have 8 bytes; the last ones end with zeros, which are left out.
        bytes_of_last = np.searchsorted(_KEPT, words[starts + counts - 1])
        np.cumsum(8 * (counts - 1) + bytes_of_last, out=ends[1:])
        signs = words.view(np.uint8)
        text = signs[signs != 0]
        buffers: list[Any] = [pa.py_buffer(cast("Any", values)) for values in (ends, text)]
        return cast(
            "pa.BinaryArray", pa.Array.from_buffers(pa.binary(), self.size, [None, *buffers])
        )


class _Slots(NamedTuple):
    """The slots of keys in the table of a coder."""

    slots: Places
    fresh: Places  # the keys that were not in the table, ascending


def _fit(array: NDArray[Any], filled: int, size: int) -> NDArray[Any]:
    """Return an array with room for `size` entries, into which the filled ones are copied."""
    if size <= array.size:
        return array
    # At least double the size, so that entries are seldom copied.
    larger = np.empty(max(size, 2 * array.size), array.dtype)
    larger[:filled] = array[:filled]
    return larger


def code_text(path: Path, entities: Coder, relations: Coder) -> Iterator[list[Codes]]:
    """Yield the codes of heads, relations and tails, piece by piece."""
    with path.open("rb") as stream:
        for piece in read_pieces(stream):
            if b"\0" in piece or b"\r" in piece:
                raise NotPlainError
            signs = np.frombuffer(piece + bytes(8), np.uint8)
            starts, ends = split_piece(signs)
            coders = (entities, relations, entities)
            yield [
                coder.encode(signs, starts[:, column], ends[:, column])
                for column, coder in enumerate(coders)
            ]
