"""Code the labels of plain text while it is read.

Its lines are head, relation and tail, separated by tabs.

A label is looked up in a table of slots by a hash of its bytes, a few thousand labels at once, and
then compared with the label found, byte by byte. Whatever is not as plain as that is left to
:mod:`rankconst_builder.triples`.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from rankconst_builder.codes import Codes, Words

    Places = NDArray[np.int64]
    Signs = NDArray[np.uint8]

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
    """Yield text some lines at a time; the last ends in a newline, too."""
    rest = b""
    while block := stream.read(PIECE):
        piece, end, rest = (rest + block).rpartition(b"\n")
        if end:
            yield piece + end
        if len(rest) > 4 * _LONGEST:
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
                # Of several rows that take one slot, the last to be written, which is the first of
                # the text, has it.
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
        """Make room for more keys."""
        filled = np.flatnonzero(self._keys)
        keys, codes = self._keys[filled], self._codes[filled]
        size = 1 << (2 * (self.size + more)).bit_length()
        self._keys, self._codes, self.size = np.zeros(size, np.uint64), np.zeros(size, np.int32), 0
        self._codes[self._find(keys).slots] = codes

    def _add_words(self, fresh: Places, columns: list[tuple[Any, Words]], counts: Places) -> None:
        """Keep the words of new labels."""
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
        """Return the labels by code."""
        starts, counts = np.divmod(self._places[: self.size], 1 << _COUNTED)
        words = self._words[: self._num_words].astype("<u8", copy=False)
        ends = np.zeros(self.size + 1, np.int32)
        # Of the last word of a label the bytes that are not zero.
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
