"""Downloads: one wrapper of pooch, with retries, limits, and errors that say what to do.

What is imported inside functions comes with the extra ``rankconst[builder]``.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rankconst.errors import DownloadError, MissingExtraError, UsageError, first_line
from rankconst.files import grows_without_measure
from rankconst.names import shorten

if TYPE_CHECKING:
    from rankconst.progress import Reporter


RETRIES = 2  # how often a download is tried again that failed by chance
TIMEOUT = 30  # seconds without an answer after which a download has failed
BLOCK = 2**16
LARGEST = 16 * 2**30  # bytes that a file may have whose size is not known


class HashMismatchError(DownloadError):
    """A file is not the one that was asked for; never a reason to fall back on something else."""


class MissingSourceError(DownloadError):
    """A file cannot be obtained: no network, not in the mirror, offline and not cached."""


def is_url(text: str) -> bool:
    """Return True for an address on the network."""
    return text.lower().startswith(("http://", "https://"))


def expand_home(path: str) -> Path:
    """Replace a leading ``~`` of a path by the user's home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise UsageError(
            f"the system knows no home folder for {shorten(path)!r}. Write the whole path."
        ) from error


def find_mirror() -> str | None:
    """Return the URL or folder in ``RANKCONST_MIRROR``; None if it is empty."""
    mirror = os.environ.get("RANKCONST_MIRROR")
    if mirror and not is_url(mirror) and not expand_home(mirror).is_dir():
        raise UsageError(
            f"the mirror {mirror} is not a folder. Name one, or a URL, in RANKCONST_MIRROR."
        )
    return mirror or None


def require_module(module: str, doing: str) -> None:
    """Raise MissingExtraError if a module of the extra for builds is missing; import nothing."""
    if find_spec(module) is None:
        raise MissingExtraError(
            f"{doing} needs {module}, which is missing. Run: pip install 'rankconst[builder]'"
        )


def cache_folder() -> Path:
    """Return the folder for downloads: ``RANKCONST_CACHE``, or the cache folder of the system."""
    folder = os.environ.get("RANKCONST_CACHE")
    if folder:
        return expand_home(folder)
    require_module("pooch", "finding the folder for downloads")
    import pooch

    try:
        return Path(pooch.os_cache("rankconst"))
    except RuntimeError as error:  # of a user without a name, if HOME is not set
        raise UsageError(
            "the system knows no home folder to keep downloads in. "
            "Name a folder with RANKCONST_CACHE."
        ) from error


@dataclass(frozen=True)
class Remedies:
    """Advice about a file that is missing, or is not the `described` one."""

    missing: str
    described: str
    mismatch: str


def download(
    address: str,
    path: Path,
    known: str | None,
    remedies: Remedies,
    reporter: Reporter,
    *,
    size: int | None = None,
) -> None:
    """Download a file, given by a URL or by ``doi:DOI/NAME``.

    `known` is its hash, ``sha256:...``, and `size` the number of its bytes.
    """
    require_module("pooch", f"downloading {hide_login(address)}")
    import pooch

    shown = hide_login(address)
    downloader: Any = pooch.HTTPDownloader if is_url(address) else pooch.DOIDownloader
    reporter.say(f"downloading {shown}")
    for attempt in range(1 + RETRIES):
        try:
            with reporter.download(shown.rpartition("/")[2]) as bar, path.open("wb") as file:
                target = _Limited(file, LARGEST if size is None else size)
                hooks = {"response": functools.partial(_begin_answer, target)}
                fetch = downloader(
                    progressbar=bar or False, timeout=TIMEOUT, chunk_size=BLOCK, hooks=hooks
                )
                fetch(address, target, None)
            break
        except TooLargeError as error:
            if size is None:
                raise MissingSourceError(
                    f"could not download {shown}: {error}. {remedies.missing}"
                ) from error
            raise HashMismatchError(
                f"{shown} is not {remedies.described}: "
                f"expected {size} bytes, got more. {remedies.mismatch}"
            ) from error
        except list_request_errors() as error:
            if attempt == RETRIES or not _may_pass(error):
                raise MissingSourceError(
                    f"could not download {shown}: {explain(error)}. {remedies.missing}"
                ) from error
            time.sleep(1 + attempt)
    if known is not None:
        digest = _hash(path, known)
        if digest != known:
            raise HashMismatchError(
                f"{shown} is not {remedies.described}: "
                f"expected {known}, got {digest}. {remedies.mismatch}"
            )


def _may_pass(error: Exception) -> bool:
    """Return True if another try may help: the server was busy, or the answer was cut off."""
    import requests

    response = getattr(error, "response", None)
    if response is not None:
        return bool(response.status_code >= _BUSY)
    return isinstance(error, (requests.Timeout, requests.exceptions.ChunkedEncodingError))


def _begin_answer(target: _Limited, response: Any, **_: object) -> None:
    """Let a file measure an answer as it comes; refuse one without a file, or with a large one.

    A hook that requests calls once the head of an answer is there, also with names such as stream.
    """
    import requests

    if response.is_redirect:
        response.raw.close()  # its body is not needed; the next answer comes to this hook, too
    elif response.status_code != _OK:
        raise requests.HTTPError(response=response)
    target.source = response.raw
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and int(length) > target.limit:
        raise TooLargeError(f"it has {int(length):,} bytes; expected at most {target.limit:,}")


_OK, _BUSY = 200, 500


def hide_login(text: str) -> str:
    """Return a text without the user names and passwords that addresses in it have.

    Keys of S3 are full of slashes, which should have been escaped; digits up to a slash are a port.
    """
    return re.sub(r"(?<=://)(?:[^/?#\s]*|[^/?#\s:]*:(?!\d{1,5}[/?#])[^\s@]{0,200})@", "", text)


def _hash(path: Path, expected: str) -> str:
    """Return the hash of a file, of the same kind as the expected one: ``md5:...``."""
    kind = expected.partition(":")[0]
    with path.open("rb") as file:
        return f"{kind}:{hashlib.file_digest(file, kind).hexdigest()}"


class TooLargeError(Exception):
    """A server sends more than there should be."""


@dataclass
class _Limited:
    """A file that takes no more than `limit` bytes."""

    file: BinaryIO
    limit: int
    count: int = 0
    # The answer, which tells how many bytes have come: a server may send them packed.
    source: Any = None

    def write(self, block: bytes) -> None:
        """Write a block."""
        self.count += len(block)
        if self.count > self.limit:
            raise TooLargeError(f"it has more than {self.limit:,} bytes")
        packed = self.count if self.source is None else self.source.tell()
        if grows_without_measure(packed, self.count):
            raise TooLargeError(
                f"it grows from {packed:,} to more than {self.count:,} bytes when unpacked"
            )
        self.file.write(block)

    def flush(self) -> None:
        """Wait for the end: a block is not looked at before."""


def list_request_errors() -> tuple[type[Exception], ...]:
    """List the exceptions of requests and pooch for wrong addresses and answers."""
    from http.client import HTTPException

    import requests

    # pooch looks into what repositories answer without a check.
    of_pooch = LookupError, TypeError, AttributeError, RecursionError
    return requests.RequestException, HTTPException, ValueError, *of_pooch


def explain(error: Exception) -> str:
    """Describe the failure of a request in words."""
    import requests

    response = getattr(error, "response", None)
    if response is not None and response.status_code != _OK:
        return f"the server answered {response.status_code} {response.reason}"
    if isinstance(error, requests.Timeout):
        return f"the server did not answer within {TIMEOUT} seconds"
    # The system's own words are at the bottom of a chain of wrappers.
    reason = hide_login(first_line(error)) if 0 < len(str(error)) < 200 else type(error).__name__
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            reason = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return reason
