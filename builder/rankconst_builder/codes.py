"""Labels as codes, and facts of codes as single numbers, so that counting is sorting and comparing.

Facts are *words* of 64 bits. Plain text, of lines with head, relation and tail between tabs, is
coded while it is read: a label is looked up in a table of slots by a hash of its bytes, a few
thousand labels at once, and then compared with the label found, byte by byte. Whatever is not as
plain as that is left to :mod:`rankconst_builder.triples`.
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
    """Return keys and answers in one number each; an answer takes the last `bits`.

    Answers are below 2^bits, keys below 2^(64 - bits). Key 3 and answer 1, of 2 bits, become 13.
    """
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
    counts[-1:] = ordered.size - starts[-1:]  # of the last run, if there is any
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
        # -(-n >> shift) is n / 2^shift rounded up: how many anchors a part has.
        while (-(-graph.num_entities >> shift) * links * times) << bits > 1 << 64:
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
        """Return the words of a part of facts, ascending, with repeats; `select` drops some."""
        words: list[Words] = []
        for batch in split_batches(triples):
            facts = batch if select is None else select(batch)
            sides = view(self.graph, facts, self.side)
            words += [self._pack(queries, facts.time, part) for queries in sides]
        return sort_words(words)

    def _pack(self, facts: View, times: Codes | None, part: int) -> Words:
        """Return the words of the facts in a part, in their order.

        The last `shift` bits of an anchor are the number of its part, and not in the word.
        """
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


# The labels of plain text, coded while it is read.

PIECE = 1 << 21
"""Bytes of text that are looked at in one go."""

_LONGEST = 512  # bytes of a label, which is looked at eight by eight
_COUNTED = 7  # bits of the number of words of a label: 512 bytes are 64 words
_MOST_WORDS = 1 << 28  # of all labels: Arrow counts their bytes in 32 bits
_TABS = np.frombuffer(b"\t\t\n", np.uint8)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_KEPT = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
"""Number of bytes of a word to the mask that keeps only these."""


class NotPlainError(Exception):
    """Raised if a line is not a triple or a label is unusual: the general reader takes the text."""


def read_pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield text some lines at a time, with a newline at its end; NotPlainError for a long line."""
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
    """The labels of lines, a line a row. Shape (n, 3) each."""

    starts: Places
    ends: Places


def split_piece(signs: Signs) -> Bounds:
    """Find where the labels of whole lines start and end; NotPlainError unless each has three."""
    ends = np.flatnonzero((signs == ord("\t")) | (signs == ord("\n")))
    if ends.size % 3 or (signs[ends].reshape(-1, 3) != _TABS).any():
        raise NotPlainError
    starts = np.concatenate([[0], ends[:-1] + 1])
    return Bounds(starts.reshape(-1, 3), ends.reshape(-1, 3))


class Coder:
    """Gives labels codes, in the order in which they come first."""

    def __init__(self) -> None:
        self.size = 0  # number of distinct labels
        # In each slot that is taken, the hash of a label and its code; else 0.
        self._keys: Words = np.zeros(1 << 10, np.uint64)
        self._codes: Codes = np.zeros(1 << 10, np.int32)
        # The bytes of a label, filled up with zeros, are `count` of the words from `start` on;
        # _places has of each code start << _COUNTED | count.
        self._words: Words = np.zeros(0, np.uint64)
        self._num_words = 0
        self._places: Places = np.zeros(0, np.int64)

    def encode(self, signs: Signs, starts: Places, ends: Places) -> Codes:
        """Return the codes of labels, given where each starts and ends in a text.

        The text ends in eight zero bytes and has no others, as labels are read in words of 8 bytes.
        They are hashed word by word, found in the table by their hash, and compared with the label
        found there. NotPlainError for empty or long labels, and for two labels of the same hash.
        """
        sizes = ends - starts
        longest = int(sizes.max())
        if not sizes.min() or longest > _LONGEST:
            raise NotPlainError
        words = np.ndarray(signs.size - 7, "<u8", signs, strides=(1,))
        columns: list[tuple[Any, Words]] = []
        keys = np.zeros(sizes.size, np.uint64)
        for place in range(0, longest, 8):
            longer = sizes > place
            rows = slice(None) if longer.all() else np.flatnonzero(longer)
            column = words[starts[rows] + place] & _KEPT[np.minimum(sizes[rows] - place, 8)]
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
        alone = len(columns) == 1 and self._num_words == self.size
        if not alone and self._differ(codes, columns, counts):
            raise NotPlainError  # two labels have one key
        return codes

    def _differ(self, codes: Codes, columns: list[tuple[Any, Words]], counts: Places) -> bool:
        """Tell whether a label differs from the one of the same key that has its code.

        An odd factor and a shift to the right lose nothing, so that the first word follows from a
        key and all others.
        """
        places = self._places[codes]
        if ((places & ((1 << _COUNTED) - 1)) != counts).any():
            return True
        places >>= _COUNTED
        for place, (rows, column) in enumerate(columns[1:], start=1):
            if (self._words[places[rows] + place] != column).any():
                return True
        return False

    def _find(self, keys: Words) -> _Slots:
        """Find the slot of each key in the table; new keys get a free one, and the next codes.

        All keys are looked for at once: those that find another key in their slot move on to the
        next one, until each has found itself or a free slot (linear probing).
        """
        if 4 * (self.size + keys.size) > 3 * self._keys.size:
            self._grow(keys.size)
        slots = (keys >> np.uint64(64 - self._keys.size.bit_length() + 1)).astype(np.int64)
        rows, sought, places, firsts = np.arange(keys.size), keys, slots, []
        while True:
            keys_there = self._keys[places]
            free = np.flatnonzero(keys_there == 0)[::-1]
            if free.size:
                # Of rows that take one slot the last one written has it: the first of the text.
                self._keys[places[free]] = sought[free]
                self._codes[places[free]] = free
                firsts.append(rows[free[self._codes[places[free]] == free]])
                keys_there = self._keys[places]
            missed = np.flatnonzero(keys_there != sought)
            if not missed.size:
                break
            rows, sought = rows[missed], sought[missed]
            places = (places[missed] + 1) & (self._keys.size - 1)
            slots[rows] = places
        fresh = np.sort(np.concatenate([np.zeros(0, np.int64), *firsts]))
        self._codes[slots[fresh]] = self.size + np.arange(fresh.size)
        self.size += fresh.size
        return _Slots(slots, fresh)

    def _grow(self, more: int) -> None:
        """Move all keys to a larger table, with at least two slots for each key, `more` counted."""
        filled = np.flatnonzero(self._keys)
        keys, codes = self._keys[filled], self._codes[filled]
        size = 1 << (2 * (self.size + more)).bit_length()
        self._keys, self._codes, self.size = np.zeros(size, np.uint64), np.zeros(size, np.int32), 0
        self._codes[self._find(keys).slots] = codes

    def _add_words(self, fresh: Places, columns: list[tuple[Any, Words]], counts: Places) -> None:
        """Keep the words of the labels in rows `fresh`, which `size` counts already.

        `columns` has the first words of all labels of a piece, then the second words, and so on;
        `counts` is how many words each label has.
        """
        before, sizes = self.size - fresh.size, counts[fresh]
        starts = self._num_words + np.cumsum(sizes) - sizes
        total = self._num_words + int(sizes.sum())
        if total > _MOST_WORDS:
            raise NotPlainError
        self._places = _fit(self._places, before, self.size)
        self._words = _fit(self._words, self._num_words, total)
        self._places[before : self.size] = starts << _COUNTED | sizes
        self._num_words = total
        place_of = np.full(counts.size, -1)
        place_of[fresh] = starts
        for place, (rows, column) in enumerate(columns):
            new = np.flatnonzero(place_of[rows] >= 0)
            self._words[place_of[rows][new] + place] = column[new]

    def labels(self) -> pa.BinaryArray:
        """Return the labels by code, without the zero bytes that fill up their last words."""
        starts, counts = np.divmod(self._places[: self.size], 1 << _COUNTED)
        words = self._words[: self._num_words].astype("<u8", copy=False)
        ends = np.zeros(self.size + 1, np.int32)
        # The last word of a label counts with its bytes that are not zero.
        np.cumsum(8 * counts - 8 + np.searchsorted(_KEPT, words[starts + counts - 1]), out=ends[1:])
        signs = words.view(np.uint8)
        text = signs[signs != 0]
        buffers: list[Any] = [
            None,
            pa.py_buffer(cast("Any", ends)),
            pa.py_buffer(cast("Any", text)),
        ]
        return cast("pa.BinaryArray", pa.Array.from_buffers(pa.binary(), self.size, buffers))


class _Slots(NamedTuple):
    """The slots of keys in the table of a coder."""

    slots: Places
    fresh: Places  # the keys that were not in the table, ascending


def _fit(array: NDArray[Any], filled: int, size: int) -> NDArray[Any]:
    """Return an array with room for `size` entries, the filled ones copied; it at least doubles."""
    if size <= array.size:
        return array
    larger = np.empty(max(size, 2 * array.size), array.dtype)
    larger[:filled] = array[:filled]
    return larger


def code_text(path: Path, entities: Coder, relations: Coder) -> Iterator[list[Codes]]:
    """Yield the codes of heads, relations and tails, piece by piece; coders learn new labels."""
    with path.open("rb") as stream:
        for piece in read_pieces(stream):
            if b"\0" in piece or b"\r" in piece:
                raise NotPlainError
            signs = np.frombuffer(piece + bytes(8), np.uint8)
            starts, ends = split_piece(signs)
            coders = (entities, relations, entities)
            yield [
                coder.encode(signs, starts[:, place], ends[:, place])
                for place, coder in enumerate(coders)
            ]
