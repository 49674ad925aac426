"""Downloads, with retries and limits, and errors that say what to do.

What is imported inside functions comes with the extra ``rankconst[builder]``: pooch and requests.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rankconst.errors import DownloadError, MissingExtraError, UsageError, first_line
from rankconst.files import grows_without_measure
from rankconst.names import shorten

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.progress import Reporter

RETRIES = 2
"""How often a download is tried again that failed by chance."""

TIMEOUT = 30
"""Seconds without an answer after which a download has failed."""

BLOCK = 2**16
"""Bytes that are read at a time."""

LARGEST = 16 * 2**30
"""Bytes that a file may have whose size is not known."""


class HashMismatchError(DownloadError):
    """A file is not the one that was asked for. Nothing else may be used in its place."""


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
    """Raise MissingExtraError if a module of the extra for builds is missing."""
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


def download(
    url: str, path: Path, reporter: Reporter, *, remedy: str, size: int | None = None
) -> None:
    """Download a file of `size` bytes, or of any size if it is None.

    Raises MissingSourceError, which ends with the `remedy`, if the file cannot be had, and
    HashMismatchError if it is larger than `size`.
    """
    shown = hide_login(url)
    require_module("pooch", f"downloading {shown}")
    reporter.say(f"downloading {shown}")
    limit = LARGEST if size is None else size
    for attempt in range(1 + RETRIES):
        try:
            with (
                reporter.download(shown.rpartition("/")[2], size) as advance,
                path.open("wb") as file,
            ):
                _receive(url, file, limit, advance)
            return
        except TooLargeError as error:
            if size is None:
                raise MissingSourceError(
                    f"could not download {shown}: {error}. {remedy}"
                ) from error
            raise HashMismatchError(
                f"{shown} is not the file that was described: expected {size} bytes, got more. "
                "Nothing was kept."
            ) from error
        except list_request_errors() as error:
            if attempt == RETRIES or not _may_pass(error):
                raise MissingSourceError(
                    f"could not download {shown}: {explain(error)}. {remedy}"
                ) from error
            time.sleep(1 + attempt)


def _receive(url: str, file: BinaryIO, limit: int, advance: Callable[[int], None]) -> None:
    """Write the answer to a request into a file of at most `limit` bytes."""
    import requests

    hooks = {"response": _leave_redirect}
    with requests.get(url, stream=True, timeout=TIMEOUT, hooks=hooks) as response:
        if response.status_code != _OK:
            raise requests.HTTPError(response=response)
        length = response.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > limit:
            raise TooLargeError(f"it has {int(length):,} bytes; expected at most {limit:,}")
        count = 0
        for block in response.iter_content(BLOCK):
            count += len(block)
            if count > limit:
                raise TooLargeError(f"it has more than {limit:,} bytes")
            packed = response.raw.tell()  # a server may send them packed
            if grows_without_measure(packed, count):
                raise TooLargeError(
                    f"it grows from {packed:,} to more than {count:,} bytes when unpacked"
                )
            file.write(block)
            advance(len(block))


def _leave_redirect(response: Any, **_: object) -> None:
    """Skip the body of a redirect, which may have no end."""
    if response.is_redirect:
        response.raw.close()


class TooLargeError(Exception):
    """A server sends more than there should be."""


def _may_pass(error: Exception) -> bool:
    """Return True if another try may help."""
    import requests

    response = getattr(error, "response", None)
    if response is not None:
        return bool(response.status_code >= _BUSY)
    return isinstance(error, (requests.Timeout, requests.exceptions.ChunkedEncodingError))


_OK, _BUSY = 200, 500  # HTTP; from the latter on, the server is at fault


def hide_login(text: str) -> str:
    """Return a text without the user names and passwords in its addresses."""
    return re.sub(r"(?<=://)(?:[^/?#\s]*|[^/?#\s:]*:(?!\d{1,5}[/?#])[^\s@]{0,200})@", "", text)


def hash_file(path: Path, kind: str = "sha256") -> str:
    """Return the hash of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).hexdigest()


def list_request_errors() -> tuple[type[Exception], ...]:
    """List the exceptions of requests and wrong answers."""
    from http.client import HTTPException

    import requests

    return requests.RequestException, HTTPException, ValueError


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
