"""Downloads: one wrapper of pooch, with retries, limits, progress, and errors that say what to do.

What is imported inside functions comes with the extra ``rankconst[builder]``.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from rankconst.errors import DownloadError, MissingExtraError, UsageError, first_line
from rankconst.files import grows_without_measure
from rankconst.names import shorten, show_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress


RETRIES = 2  # how often a failed download is tried again
TIMEOUT = 30  # seconds without an answer after which a download has failed
BLOCK = 2**16
PATIENCE = 60  # seconds in which a server must send BLOCK bytes, or the rest of the file, however often it is asked
LONGEST = 12 * 3600  # seconds that a download may take, all tries together
LARGEST = 16 * 2**30  # bytes that it may have


class HashMismatchError(DownloadError):
    """A file is not the one that was asked for; never a reason to fall back on something else."""


class MissingSourceError(DownloadError):
    """A file cannot be obtained: no network, not in the mirror, offline and not cached."""


def is_url(text: str) -> bool:
    """Tell whether a text is an address on the network."""
    return text.lower().startswith(("http://", "https://"))


def expand_home(path: str) -> Path:
    """Return a path, in which a leading ``~`` is somebody's home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise UsageError(f"the system knows no home folder for {shorten(path)!r}. Write the whole path.") from error


def check_mirror(mirror: str | None) -> str | None:
    """Return a mirror, a URL or a folder that exists; None if it is empty."""
    if mirror and not is_url(mirror) and not expand_home(mirror).is_dir():
        raise UsageError(f"the mirror {mirror} is no folder. Name one, or a URL, with --mirror or RANKCONST_MIRROR.")
    return mirror or None


def require_module(module: str, doing: str) -> None:
    """Raise MissingExtraError if a module of the extra that builds and downloads is not installed; imports nothing."""
    if find_spec(module) is None:
        raise MissingExtraError(f"{doing} needs {module}, which is missing. Run: pip install 'rankconst[builder]'")


def cache_folder() -> Path:
    """Return the folder for downloads: ``RANKCONST_CACHE``, or the OS cache folder for this program."""
    if named := os.environ.get("RANKCONST_CACHE"):
        return expand_home(named)
    require_module("pooch", "finding the folder for downloads")
    import pooch

    try:
        return Path(pooch.os_cache("rankconst"))
    except RuntimeError as error:  # of a user without a name, if HOME is not set
        raise UsageError(
            "the system knows no home folder to keep downloads in. Name a folder with RANKCONST_CACHE."
        ) from error


# Progress.


@dataclass
class Bar:
    """A download bar, as pooch drives it: it sets `total` and calls the methods."""

    progress: Progress
    name: str
    total: int = 0
    done: int = 0

    def update(self, amount: int) -> None:
        """Add `amount` bytes."""
        if not self.progress.task_ids:
            self.progress.add_task(self.name, total=self.total or None)
        self.done += amount
        self.progress.update(self.progress.task_ids[-1], completed=min(self.done, self.total or self.done))

    def reset(self) -> None:
        """Start again."""
        self.done = 0

    def close(self) -> None:
        """End; the bar goes away with its progress display."""


def _open_stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Reporter:
    """Tells a person at a terminal, or a log file, what is going on: on stderr."""

    console: Console = field(default_factory=_open_stderr)

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(show_controls(text), markup=False)

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.console.print(f"warning: {show_controls(text)}", style="bold yellow", markup=False)

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[], None]]:
        """Show on a terminal how many steps of a stage are done; yield what is called after each."""
        if not self.console.is_terminal or not total:
            yield _skip
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(separator=" of "))
        with Progress(*columns, console=self.console, transient=True) as progress:
            yield functools.partial(progress.advance, progress.add_task(name, total=total))

    @contextmanager
    def download(self, name: str) -> Iterator[Bar | None]:
        """Show a bar for a download on a terminal; elsewhere there is none."""
        if not self.console.is_terminal:
            yield None
            return
        from rich.markup import escape
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        columns = (TextColumn("  {task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        with Progress(*columns, console=self.console, transient=True) as progress:
            yield Bar(progress, escape(show_controls(name)))


Stage = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""What shows a stage of work, as :meth:`Reporter.stage` does: its name, and of how many steps it is."""


@contextmanager
def unseen(name: str, total: int) -> Iterator[Callable[[], None]]:
    """Show nothing of a stage."""
    del name, total
    yield _skip


def _skip() -> None:
    """Show nothing of a step."""


# Downloads.


@dataclass(frozen=True)
class Remedies:
    """What a user can do about a file that cannot be obtained, or that is not what `described` says."""

    missing: str
    described: str
    mismatch: str


def download(address: str, path: Path, known: str | None, remedies: Remedies, reporter: Reporter) -> None:
    """Download a file, given by a URL or by ``doi:DOI/NAME``; `known` is its hash, ``sha256:...``."""
    require_module("pooch", f"downloading {hide_login(address)}")
    import pooch
    import requests

    shown, clock = hide_login(address), Clock()
    if not _resolves(address, clock):
        # Trying again would fail again, and cost seconds for each file.
        raise MissingSourceError(
            f"could not download {shown}: the host name could not be resolved (is there a network?). {remedies.missing}"
        )
    downloader: Any = pooch.HTTPDownloader if is_url(address) else pooch.DOIDownloader
    reporter.say(f"downloading {shown}")
    strange: tuple[type[Exception], ...] = (*strange_answers(), SlowError)
    for left in reversed(range(1 + RETRIES)):
        try:
            with reporter.download(shown.rpartition("/")[2]) as bar, path.open("wb") as file:
                stream = _Limited(file)
                hooks = {"response": functools.partial(_check_answer, stream)}
                get = downloader(progressbar=bar or False, timeout=TIMEOUT, chunk_size=BLOCK, hooks=hooks)
                watch(functools.partial(get, address, stream, None), stream, clock)
            if known is None or (got := _hash(path, known)) == known:
                return
        except strange as error:
            if not left or not isinstance(error, requests.RequestException) or isinstance(error, ValueError):
                raise MissingSourceError(f"could not download {shown}: {explain(error)}. {remedies.missing}") from error
        if left:
            time.sleep(1 + RETRIES - left)
    raise HashMismatchError(f"{shown} is not {remedies.described}: expected {known}, got {got}. {remedies.mismatch}")


def _check_answer(taking: _Limited, response: Any, **_: object) -> None:
    """Refuse what has no file, as an answer 102 or 206, and never read what comes with a redirect."""
    import requests

    if response.is_redirect:
        response.raw.close()
    elif response.status_code != _OK:
        raise requests.HTTPError(response=response)
    taking.source = response.raw


_OK = 200


def hide_login(text: str) -> str:
    """Return a text without the user names and passwords that addresses in it have.

    Keys of S3 are full of slashes, which should have been escaped; digits up to a slash are a port.
    """
    return re.sub(r"(?<=://)(?:[^/?#\s]*|[^/?#\s:]*:(?!\d{1,5}[/?#])[^\s@]{0,200})@", "", text)


def _hash(path: Path, known: str) -> str:
    """Return the hash of a file, as another one is written: ``md5:...``."""
    kind = known.partition(":")[0]
    with path.open("rb") as file:
        return f"{kind}:{hashlib.file_digest(file, kind).hexdigest()}"


_TICK = 0.1  # seconds
_LONGEST_TICK = 5  # beyond, the process was stopped, or the machine asleep


class SlowError(Exception):
    """A server sends next to nothing."""


@dataclass
class _Limited:
    """A file that takes no more than :data:`LARGEST` bytes, and tells how many it has."""

    file: BinaryIO
    count: int = 0
    closed: bool = False  # True once the download is over or given up
    source: Any = None  # the answer, which tells how many bytes have come: a server may send them packed

    def write(self, block: bytes) -> None:
        """Write a block."""
        self.count += len(block)
        if self.closed or self.count > LARGEST:
            raise SlowError(f"it has more than {LARGEST:,} bytes")
        if self.source is not None and grows_without_measure(packed := self.source.tell(), self.count):
            raise SlowError(f"it grows from {packed:,} to more than {self.count:,} bytes when unpacked")
        self.file.write(block)

    def flush(self) -> None:
        """Wait for the end: a block is not looked at before."""


@dataclass
class Clock:
    """How long a download has taken, and for how long the server has not sent enough, in seconds.

    Only time in which this process ran counts: one that was stopped for an hour has not waited for the server.
    """

    passed: float = 0
    waited: float = 0
    _last: float = field(default_factory=time.monotonic)

    def tick(self) -> None:
        """Add what has passed since the last time."""
        now = time.monotonic()
        spent = min(now - self._last, _LONGEST_TICK)
        self.passed, self.waited, self._last = self.passed + spent, self.waited + spent, now


T = TypeVar("T")


def start(work: Callable[[], T]) -> Future[T]:
    """Begin some work in a thread of its own, which is left alone if it takes too long."""
    future = Future[T]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised again, in the thread that waits
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def watch(work: Callable[[], T], stream: _Limited | None = None, clock: Clock | None = None) -> T:
    """Return what some work on the network does; SlowError if it takes too long, or brings too little to its stream.

    A time limit of the network ends at the first byte. The work is done in a thread, which is left alone if need be.
    """
    stream, clock = stream or _Limited(io.BytesIO()), clock or Clock()
    seen, future = 0, start(work)
    try:
        while not wait([future], _TICK).done:
            clock.tick()
            if stream.count >= seen + BLOCK:
                seen, clock.waited = stream.count, 0
            if clock.waited > PATIENCE:
                raise SlowError(f"the server sends less than {BLOCK:,} bytes in {PATIENCE} seconds")
            if clock.passed > LONGEST:
                raise SlowError(f"it took longer than {LONGEST / 3600:g} hours")
    finally:
        stream.closed = True
    return future.result()


def strange_answers() -> tuple[type[Exception], ...]:
    """Return what requests and pooch raise of addresses and answers that are none."""
    from http.client import HTTPException

    import requests

    shapes = LookupError, TypeError, AttributeError, RecursionError
    return requests.RequestException, HTTPException, ValueError, *shapes


def _resolves(address: str, clock: Clock) -> bool:
    """Tell whether the host of a URL has an address, as far as this machine would have to know it."""
    import socket
    from urllib.parse import urlsplit

    import requests

    try:
        host = urlsplit(address).hostname if is_url(address) else None
        if host is not None and not requests.utils.get_environ_proxies(address):
            watch(functools.partial(socket.getaddrinfo, host, None), clock=clock)
    except (OSError, SlowError):
        return False
    except ValueError:
        pass  # no URL at all: what is wrong with it, the download says
    return True


def explain(error: Exception) -> str:
    """Say in words why a request failed."""
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
