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
6    bad input data, or an output that cannot be written
7    verification mismatch
8    asked: all numbers of a file wait for an answer, or some with --strict
130  interrupted
141  the output was closed before its end (SIGPIPE)
143  asked to end (SIGTERM)
==== ==========================================================
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator


class RankconstError(Exception):
    """Base of every error that rankconst raises on purpose."""

    exit_code: ClassVar[int] = 1
    # The questions that wait for an answer, each with word, place, text and remedy.
    questions: tuple[Any, ...] = ()


class UsageError(RankconstError):
    """Options that do not go together."""

    exit_code = 2


class MissingExtraError(RankconstError):
    """A command needs an optional dependency that is not installed."""

    exit_code = 3


class UnknownNameError(RankconstError, LookupError):
    """An unknown dataset, metric, protocol, split, side or table version."""

    exit_code = 4


class DownloadError(RankconstError):
    """A source file could not be obtained, or is not the file that the registry names."""

    exit_code = 5


class DataError(RankconstError, ValueError):
    """Input that cannot be right: a malformed line, a value outside its range."""

    exit_code = 6


class AskedError(DataError):
    """All numbers wait for an answer: a word near them may mean other ranking tasks."""

    exit_code = 8

    def __init__(self, message: str, questions: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.questions = questions


class UndefinedError(DataError):
    """An adjustment that does not exist, such as a z-score where the variance is 0."""


class TablesError(DataError):
    """Table files that are missing, damaged or of another schema."""


class VerificationError(RankconstError):
    """Tables that differ from their sources, hashes or laws."""

    exit_code = 7


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, to be put into a sentence."""
    return str(error).partition("\n")[0].rstrip(".")


_NO_MEMORY = (
    "cannot allocate memory",
    "failed to map segment",
    "worker thread",
    "can't start new thread",
    "malloc of",
)


def lacks_memory(error: BaseException) -> bool:
    """Return True if an error means too little memory, whatever the library calls it."""
    if isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _NO_MEMORY):
        return True
    return error.__cause__ is not None and lacks_memory(error.__cause__)


def explain_import(error: BaseException) -> str | None:
    """Name the package that is missing or broken, unless it is a part of this program."""
    if not isinstance(error, ImportError) or (error.name or "").startswith("rankconst"):
        return None
    return (
        f"a package that rankconst needs cannot be imported: {first_line(error)}. "
        "Run: pip install rankconst"
    )


@contextmanager
def explain_write_errors(
    what: str, remedy: str, kind: type[RankconstError] = DataError
) -> Iterator[None]:
    """Turn failures to write something into an error with a remedy."""
    try:
        yield
    except OSError as error:
        raise kind(f"cannot write {what}: {error.strerror or error}. {remedy}") from error
