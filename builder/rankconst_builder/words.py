"""Facts as codes, and as single numbers of 64 bits, so that counting is sorting and comparing."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    Codes = NDArray[np.signedinteger[Any]]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]


BATCH = 1 << 18
"""Facts looked at in one go: small enough for the second-level cache."""


@dataclass(frozen=True, slots=True)
class Triples:
    """Triples as integer codes, one entry a row of the file. Arrays of shape (n,), int32 if read from files."""

    head: Codes
    relation: Codes
    tail: Codes
    time: Codes | None = None  # of a temporal graph; or the qualifiers, in a graph of statements
    mappings: tuple[mmap.mmap, ...] = field(default=(), kw_only=True)  # where the codes are, if they are in files

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
    """Return which of some words are among those in order, each once; and their places there."""
    place = search(ordered, words)
    rows = np.flatnonzero(place < ordered.size)
    rows = rows[ordered[place[rows]] == words[rows]]
    return rows, place[rows]


def is_new(ordered: NDArray[Any]) -> Mask:
    """Tell which of some numbers in order differ from the one before. Shape (n,)."""
    new = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def drop_repeats(ordered: Words) -> Words:
    """Return numbers in order, each once; the array itself if none repeats."""
    new = is_new(ordered)
    return ordered if new.all() else ordered[new]


def count_runs(ordered: Words) -> tuple[Words, Codes]:
    """Return the distinct ones of some numbers in order, and how often each occurs."""
    starts = np.flatnonzero(is_new(ordered))
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1:] = ordered.size - starts[-1:]
    return ordered[starts], counts


def split_batches(triples: Triples) -> Iterator[Triples]:
    """Yield facts, some at a time; of those in files, what has been looked at leaves memory."""
    for start in range(0, len(triples), BATCH):
        yield triples.select(slice(start, start + BATCH))
        for mapping in triples.mappings:
            if hasattr(mapping, "madvise"):
                mapping.madvise(mmap.MADV_DONTNEED)


def mark(size: int, triples: Triples, *columns: str) -> Mask:
    """Return which codes occur in some columns. Shape (size,)."""
    found = np.zeros(size, dtype=np.bool_)
    for batch in split_batches(triples):
        for column in columns:
            # Places of another type are converted few at a time, which takes twice as long.
            found[getattr(batch, column).astype(np.int64)] = True
    return found


def count_bits(num_answers: int) -> int:
    """Return how many bits an answer takes."""
    return max(int(num_answers).bit_length(), 1)


def read_digits(signs: NDArray[np.uint8], ends: Codes, digits: Codes) -> Codes | None:
    """Return the numbers that end at some places of a text; None if any is not written in its shortest way."""
    if not digits.size:
        return np.zeros(0, dtype=np.int64)
    if digits.min() < 1 or digits.max() > 10:
        return None
    if ((signs[ends - digits] == ord("0")) & (digits > 1)).any():
        return None
    # The last eight bytes of each number in one word, the last of them on top; what is no digit of it becomes 0.
    padded = np.concatenate([np.zeros(8, np.uint8), signs])
    words: Words = np.ndarray(signs.size + 1, "<u8", padded, strides=(1,))[ends]
    kept = ~np.uint64(0) << (8 * (8 - np.minimum(digits, 8))).astype(np.uint64)
    words = (words & kept) | (_ZEROS & ~kept)
    if ((words & _HIGH) != _ZEROS).any() or (((words + _SIX) & _HIGH) != _ZEROS).any():
        return None
    # Neighbouring digits, then pairs, then fours are added up, all at once.
    for mask, factor, step in _STEPS:
        words = ((words & mask) * factor) >> step
    numbers = words.astype(np.int64)
    for place in (9, 10):
        longer = np.flatnonzero(digits >= place)
        figures = signs[ends[longer] - place].astype(np.int64) - ord("0")
        if ((figures < 0) | (figures > 9)).any():
            return None
        numbers[longer] += figures * 10 ** (place - 1)
    return numbers


_ZEROS, _HIGH, _SIX = (np.uint64(int(byte * 8, 16)) for byte in ("30", "f0", "06"))
_STEPS = [
    (np.uint64(int(byte * (16 // len(byte)), 16)), np.uint64(10**width << 8 * width | 1), np.uint64(8 * width))
    for width, byte in ((1, "0f"), (2, "00ff"), (4, "0000ffff"))
]
