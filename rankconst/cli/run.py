"""Run the command line, and turn errors into messages and exit codes."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from rankconst.cli.output import NOTICE
from rankconst.cli.words import COMPLETION, find_call, find_completion
from rankconst.errors import (
    DataError,
    MissingExtraError,
    RankconstError,
    explain_import,
    lacks_memory,
)
from rankconst.names import show_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.cli.words import Call


def prepare() -> Call:
    """Return the call that the command line asks for."""
    words = sys.argv[1:]
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]

    call = find_completion() if COMPLETION in os.environ else find_call(words)
    if call is None:
        from rankconst.cli.app import find_typer_call

        call = find_typer_call(words)

    return call


_LONGEST_NOTICE = 70  # letters, on one line of a terminal
_NO_READER = 128 + 13  # SIGPIPE, which Windows has not


def run(call: Call, interrupts: Sequence[int]) -> None:
    """Run a command and exit, turning any failure into a line on stderr and an exit code.

    `interrupts` are the signals that came, in order; more may be added while the command runs.
    """
    _open_streams()
    if sys.argv[1:2] not in (["build"], ["tables"]):  # which tell their stages
        NOTICE.start(f"{show_controls(' '.join(sys.argv[1:3]))[:_LONGEST_NOTICE]} ...")

    # Libraries raise many things when they are interrupted or lack memory.
    try:
        try:
            code = call() or 0
        finally:
            NOTICE.stop()
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except RankconstError as error:
        code = _fail(str(error), error.exit_code)
    except (BrokenPipeError, SystemExit) as stopped:
        # Typer exits with another code when the reader of a pipe is gone.
        if not isinstance(stopped, BrokenPipeError) and not isinstance(
            stopped.__context__, BrokenPipeError
        ):
            raise
        code = _NO_READER
    except Exception as error:  # a bug is raised again
        # Libraries turn an interrupt into errors of their own.
        if interrupts and not isinstance(error, OSError):
            code = 128 + interrupts[0]
        elif (explained := _explain(error)) is not None:
            code = _fail(*explained)
        else:
            raise

    _leave(code)


def _explain(error: Exception) -> tuple[str, int] | None:
    """Return a message and an exit code for an error of the system or a library, if it is one."""
    if lacks_memory(error):
        return "there is not enough memory for that; give it less at once.", DataError.exit_code

    if isinstance(error, OSError):
        why = error.strerror or error
        if error.errno == errno.EBADF:
            why = "standard output is closed"
        message = f"cannot write the output: {why}. Send it elsewhere."
        if error.filename:
            message = f"{error.filename}: {why}."
        return message, DataError.exit_code

    if (explained := explain_import(error)) is not None:
        return explained, MissingExtraError.exit_code
    return None


def _open_streams() -> None:
    """Replace closed streams, and print "?" for letters that an encoding lacks."""
    for name, flags, mode in (
        ("stdin", os.O_RDONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),  # writing fails, as what is printed would be lost
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(OSError):  # reconfigure flushes; if that fails, it fails again later
                stream.reconfigure(errors="replace")


_HEAD, _TAIL = 4000, 2000  # A long message quotes its input in the middle; its end says what to do.


def _fail(message: str, code: int) -> int:
    """Print an error on stderr, each line marked, and return the exit code."""
    message = show_controls(message)
    if len(message) > _HEAD + _TAIL:
        message = f"{message[:_HEAD]} [...] {message[-_TAIL:]}"
    lines = "\n".join(f"error: {line}" for line in message.splitlines())
    with suppress(OSError):
        print(lines, file=sys.stderr, flush=True)  # noqa: T201 - errors become text only here
    return code


def _leave(code: int) -> NoReturn:
    """Exit, and discard output that cannot be written, so that Python does not complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)
