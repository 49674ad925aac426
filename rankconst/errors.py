"""The errors users meet, each with its exit code and a remedy in its text.

==== ==========================================================
code meaning
==== ==========================================================
0    ok
1    unexpected failure (a bug: please report)
2    usage: an option or argument is wrong
3    an extra is not installed
4    unknown dataset, metric, protocol, split, side or table version
5    download or hash failure
6    bad input data
7    verification mismatch
130  interrupted
==== ==========================================================
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "DataError",
    "DownloadError",
    "MissingExtraError",
    "RankconstError",
    "TablesError",
    "UndefinedError",
    "UnknownNameError",
    "UsageError",
    "VerificationError",
    "resolve_name",
]


_LONGEST_SHOWN = 80
_NOT_PLAIN = re.compile("[^a-z0-9]+")


class RankconstError(Exception):
    """Base of every error that rankconst raises on purpose."""

    exit_code: ClassVar[int] = 1


class UsageError(RankconstError):
    """Options that do not go together."""

    exit_code = 2


class MissingExtraError(RankconstError):
    """A command needs an optional dependency that is not installed."""

    exit_code = 3


class UnknownNameError(RankconstError, LookupError):
    """A dataset, metric, protocol, split, side or table version that nobody knows."""

    exit_code = 4


class DownloadError(RankconstError):
    """A source file could not be had, or is not the file the registry names."""

    exit_code = 5


class DataError(RankconstError, ValueError):
    """Input that cannot be right: a malformed line, a value outside its range."""

    exit_code = 6


class UndefinedError(DataError):
    """An adjustment that does not exist, such as a z-score where the variance is 0."""


class TablesError(DataError):
    """Table files that are missing, damaged or of another schema."""


class VerificationError(RankconstError):
    """Tables that differ from what they should be."""

    exit_code = 7


def squash(name: str) -> str:
    """Return `name` in lower case without anything but ASCII letters and digits."""
    return _NOT_PLAIN.sub("", name.lower())


def resolve_name(kind: str, given: str, spellings: Mapping[str, Iterable[str]], remedy: str = "") -> str:
    """Find the key that `given` spells.

    Spellings are compared in lower case without punctuation, so ``FB15k-237`` finds ``fb15k237``.

    Parameters
    ----------
    kind
        What is named, for the message: ``"dataset"``.
    given
        What the user wrote.
    spellings
        Key to its further spellings; the key itself always counts.
    remedy
        A sentence that says where the valid names can be seen.

    Returns
    -------
    str
        A key of `spellings`.

    Raises
    ------
    UnknownNameError
        If nothing matches; the message suggests the nearest names.
    """
    for exact in (given, given.lower()):
        if exact in spellings:
            return exact
    by_spelling: dict[str, str] = {}
    for key, others in spellings.items():
        for spelling in (key, *others):
            by_spelling.setdefault(squash(spelling), key)
    found = by_spelling.get(squash(given))
    if found is not None:
        return found
    import difflib  # only needed here, where speed no longer matters

    shown = given if len(given) <= _LONGEST_SHOWN else f"{given[:_LONGEST_SHOWN]}..."
    near = difflib.get_close_matches(squash(shown), by_spelling, n=8, cutoff=0.6)
    nearest = list(dict.fromkeys(by_spelling[spelling] for spelling in near))[:3]
    if nearest:
        hint = f"Did you mean {' or '.join(nearest)}?"
    elif len(spellings) <= 12:
        hint = f"Known: {', '.join(spellings)}."
    else:
        hint = ""
    raise UnknownNameError(" ".join(part for part in (f"unknown {kind} {shown!r}.", hint, remedy) if part))
