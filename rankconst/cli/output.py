"""What commands write: listings on stdout and in files, and notes on stderr."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, TypeVar

import typer

from rankconst.errors import UsageError, explain_write_errors
from rankconst.files import exists, replace_file
from rankconst.listing import Format, Listing, wrap
from rankconst.names import shorten, show_controls
from rankconst.tables.folder import is_of_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_Thing = TypeVar("_Thing")
_Key = TypeVar("_Key")

_USUAL_WIDTH = 80  # of a terminal that does not say


class Notice:
    """Says on a terminal what a command is doing when it has said nothing for a while."""

    delay = 1.0
    """Seconds of silence."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._is_shown = False
        self._text = ""

    def start(self, text: str) -> None:
        """Begin to wait; not where no terminal is."""
        if text and sys.stderr.isatty():
            self._text = text
            self._timer = threading.Timer(self.delay, self._show)
            self._timer.daemon = True
            self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if self._timer is not None:
                sys.stderr.write(f"{self._text}\r")
                sys.stderr.flush()
                self._is_shown = True

    def stop(self) -> None:
        """Wait no longer, and erase the notice before something else is said."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._is_shown:
                sys.stderr.write("\x1b[K")
                sys.stderr.flush()
                self._is_shown = False

    def start_again(self) -> None:
        """Wait for the next silence."""
        self.stop()
        self.start(self._text)


NOTICE = Notice()


def print_listing(listing: Listing, form: Format) -> None:
    """Write a listing to stdout.

    Raise :class:`UsageError` if the format is binary and stdout a terminal.
    """
    NOTICE.stop()
    for block in form.write(listing):
        if isinstance(block, str):
            sys.stdout.write(block if form is Format.table else on_screen(block))
        elif sys.stdout.isatty():
            raise UsageError(f"{form.value} is a binary format: write it to a file.")
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(block)


def on_screen(text: str) -> str:
    """Return what stdout gets: the text, without control characters on a terminal."""
    return show_controls(text) if sys.stdout.isatty() else text


def say(text: str) -> None:
    """Say something on stderr, with control characters written out.

    On a terminal a long line continues below.
    """
    width = (
        os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
        if sys.stderr.isatty()
        else None
    )
    NOTICE.stop()
    typer.echo(show_controls(text) if width is None else wrap(width, text, below="  "), err=True)
    NOTICE.start_again()


# -- files -----------------------------------------------------------------------------------------


def check_target(path: Path, force: bool) -> None:
    """Refuse a path to which no file may be written, by a UsageError.

    That is a folder, an existing file without `force` or of a set of tables, or a path in a folder
    that does not exist.
    """
    try:
        found = exists(path)
    except OSError as error:
        raise UsageError(f"{shorten(str(path))}: {error.strerror}. Name another file.") from error
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file in it.")
    if found and not force:
        raise _refuse_existing(path)
    if found and is_of_set(path):
        raise UsageError(
            f"{path} belongs to a set of tables, which would be damaged. Name another file."
        )
    if not path.parent.is_dir():
        raise UsageError(
            f"the folder {path.parent} does not exist. Create it, or name another file."
        )


def _refuse_existing(path: Path) -> UsageError:
    return UsageError(f"{path} already exists. Name another file, or add --force to overwrite it.")


def write_whole(path: Path, content: bytes | Iterable[bytes], force: bool) -> None:
    """Put a file in its place at once, so that half of it is never seen.

    If it cannot be written, nothing is left.
    """
    with explain_write_errors(str(path), "Name another file."):
        try:
            replace_file(path, content, force=force)
        except FileExistsError:  # made since `check_target`
            raise _refuse_existing(path) from None


# -- words -----------------------------------------------------------------------------------------


def group_by(things: Iterable[_Thing], key: Callable[[_Thing], _Key]) -> dict[_Key, list[_Thing]]:
    """Return things by what they have in common, in their order."""
    found: dict[_Key, list[_Thing]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return found
