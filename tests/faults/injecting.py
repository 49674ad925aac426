"""Let a command fail at each of its calls that write, rename or remove something, once each.

A command runs in a forked child, in a folder of its own. Every call of :data:`CALLS` and every
write to an open file is a point; at one of them the child gets an error of the system, is
interrupted, or is killed with half of its data written. What it leaves is looked at, and the
command is run again without a fault.
"""

import builtins
import contextlib
import errno
import hashlib
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Self, TypeAlias
from unittest import mock

from rankconst import files
from rankconst.cli import main
from rankconst.errors import RankconstError
from rankconst.tables.archive import load
from rankconst.tables.descriptor import INCOMING, holds_set

Choose: TypeAlias = Callable[[int], Sequence[tuple[int, str]]]

CALLS = (
    "replace", "rename", "mkdir", "rmdir", "unlink", "remove", "link", "symlink", "truncate", "fsync", "write",
)  # fmt: skip
"""Functions of :mod:`os` that change what is on the disk."""

REMOVING = ("rmdir", "unlink", "remove")

ERRORS = ("ENOSPC", "EIO", "EACCES")
SIGNALS = ("SIGINT", "SIGKILL")
FAULTS = (*ERRORS, *SIGNALS)

MEETINGS = "meetings"
"""What is counted of pairs in place of faults."""

LONGEST = 600  # seconds after which a child hangs, on a machine that does much else
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Command:
    """A command that writes, in a folder of its own."""

    title: str
    arguments: Sequence[str]
    outputs: Sequence[
        str
    ]  # patterns of where results are in that folder: sets of tables, sites, or files
    prepare: Callable[[Path], None] = lambda _: None  # puts into the folder what was there before
    once: bool = False  # True if it refuses what another one has written before; of two such only the first one writes


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its exit code, that of a signal negative, and what it printed to stderr."""

    code: int
    err: str


@dataclass
class Points:
    """Counts the calls that change something below a folder, and fails at one of them."""

    folder: str
    at: int | None = None
    fault: str = ""
    seen: list[str] = field(default_factory=list)

    def reach(self, name: str, cut: Callable[[], None] = lambda: None) -> None:
        """Note a call, and fail if its turn has come; `cut` does the half of it that was done by
        then.
        """
        self.seen.append(name)
        if len(self.seen) - 1 != self.at:
            return
        if self.fault != "SIGSTOP":
            cut()
        if self.fault in ERRORS:
            code = getattr(errno, self.fault)
            raise OSError(code, os.strerror(code))
        os.kill(os.getpid(), getattr(signal, self.fault))

    def concerns(self, where: Any) -> bool:
        """Tell whether something is below the folder; of open files that is not asked."""
        return isinstance(where, int) or os.path.realpath(os.fsdecode(where)).startswith(
            self.folder
        )

    def install(self) -> None:
        """Put this in between; the process is a child that does nothing else."""
        for name in CALLS:
            setattr(os, name, self._wrap(name, getattr(os, name)))
        setattr(files, "_swap", self._wrap("swap", files._swap))  # noqa: B010 - a call of the system that os lacks
        # pathlib and tempfile look it up in io, pooch in builtins.
        io.open = builtins.open = self._open(io.open)

    def _wrap(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if args and self.concerns(args[0]):
                self.reach(name)
            return original(*args, **kwargs)

        return call

    def _open(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if not set("wxa+") & set(mode) or not self.concerns(file):
                return original(file, mode, *args, **kwargs)
            self.reach("open")
            return _Written(original(file, mode, *args, **kwargs), self)

        return call


class _Written:
    """An open file whose writes are points."""

    def __init__(self, stream: Any, points: Points) -> None:
        self._stream, self._points = stream, points

    def write(self, data: Any) -> Any:
        def cut() -> None:
            self._stream.write(data[: len(data) // 2])
            self._stream.flush()

        self._points.reach("write", cut)
        return self._stream.write(data)

    def writelines(self, parts: Any) -> None:
        for part in parts:
            self.write(part)

    def close(self) -> None:
        if not self._stream.closed:
            try:
                self._points.reach("close")
            finally:
                self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def start(folder: Path, arguments: Sequence[str], points: Points | None, note: Path) -> int:
    """Start the command line in a forked child, and return its number; `note` gets stderr, and then
    the points.
    """
    child = os.fork()
    if not child:
        _run(folder, arguments, points, note)
    return child


def call(folder: Path, arguments: Sequence[str]) -> int:
    """Run the command line in this process, and return its exit code."""
    os.chdir(folder)
    os.environ.update(RANKCONST_CACHE=str(folder / "cache"), TMPDIR=str(folder / "tmp"))
    tempfile.tempdir = None
    named = dict(
        each.split("=", 1) for each in arguments if each.startswith("RANKCONST_")
    )  # as shells set variables
    sys.argv = ["rankconst", *(each for each in arguments if not each.startswith("RANKCONST_"))]
    try:
        with mock.patch.dict(os.environ, named):
            main()
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else 0
    return 0


def _run(folder: Path, arguments: Sequence[str], points: Points | None, note: Path) -> NoReturn:
    code = 1
    signal.alarm(LONGEST)
    try:
        err = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(err, 2)
        sys.stdin, sys.stdout, sys.stderr = (
            open(each, mode, closefd=False)  # noqa: SIM115 - the child's own
            for each, mode in enumerate("rww")
        )
        if points is not None:
            points.install()
        code = call(folder, arguments)
    except BaseException:  # noqa: BLE001 - the child ends here, whatever happens
        traceback.print_exc()
    sys.stderr.flush()
    if points is not None and points.at is None:
        note.with_suffix(".points").write_text(json.dumps(points.seen), encoding="utf-8")
    os._exit(code)


def wait(child: int, note: Path) -> Ended:
    """Wait for a child; one that hangs is ended by its alarm."""
    _, status = os.waitpid(child, 0)
    return Ended(
        os.waitstatus_to_exitcode(status), note.read_text(encoding="utf-8", errors="replace")
    )


def read_state(folder: Path, outputs: Sequence[str]) -> dict[str, str | None]:
    """Name what is in each place: None for nothing, the reason if it cannot be read, otherwise a
    hash.
    """
    return {
        output: _read_output(next(folder.glob(output), folder / "nothing")) for output in outputs
    }


def _read_output(path: Path) -> str | None:
    if path.suffix == ".zip" or holds_set(path):
        try:
            return _read_set(path)
        except RankconstError as error:
            return str(error)
    if path.is_dir():  # of a site; what is hidden in a set that was never finished is nothing
        held = {
            name: (path / name).read_bytes()
            for name in sorted(list_files(path))
            if (path / name).is_file()
        }
        seen = any(not name.startswith(".") for name in held)
        return hashlib.sha256(repr(held).encode()).hexdigest() if seen else None
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _read_set(path: Path) -> str:
    """Hash a set of tables, each file checked against the descriptor as every reader does."""
    tables = load(path)
    digest = hashlib.sha256(json.dumps(tables.descriptor, sort_keys=True).encode())
    for resource in tables.descriptor["resources"]:
        tables._read_content(resource["name"])
        digest.update(resource["hash"].encode())
    return digest.hexdigest()


def list_files(folder: Path) -> set[str]:
    """Return what lies below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@dataclass
class Tally:
    """What came of the injections into a command, or of the ways in which two met."""

    title: str
    points: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


class Bench:
    """A place where commands are run, each in a copy of the folder that was prepared for it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.count = 0

    def fresh(self, model: Path | None = None) -> Path:
        """Return a new folder, a copy of `model` if there is one."""
        self.count += 1
        folder = self.root / f"run-{self.count}"
        if model is None:
            folder.mkdir()
        else:
            shutil.copytree(model, folder, symlinks=True)
        return folder

    def run(self, folder: Path, arguments: Sequence[str], points: Points | None = None) -> Ended:
        """Run a command in a folder."""
        note = folder.with_suffix(".err")
        return wait(start(folder, arguments, points, note), note)

    def prepare(self, command: Command) -> Path:
        """Return a folder as it is before a command."""
        model = self.fresh()
        (model / "tmp").mkdir()
        command.prepare(model)
        return model

    def run_here(self, folder: Path, arguments: Sequence[str]) -> int:
        """Run a command in this process, so that its children need not import and compute the same
        again.
        """
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = call(folder, arguments)
        os.chdir(self.root)
        return code

    def warm_up(self, command: Command) -> None:
        """Run a command before its children do."""
        folder = self.prepare(command)
        self.run_here(folder, command.arguments)
        shutil.rmtree(folder)

    def try_faults(self, command: Command, choose: Choose) -> Tally:
        """Run a command with the faults that `choose` returns for a number of points: each at one
        of these.
        """
        model = self.prepare(command)
        before = read_state(model, command.outputs)
        whole = self.fresh(model)
        points = Points(os.path.realpath(whole))
        ended = self.run(whole, command.arguments, points)
        seen = json.loads(whole.with_suffix(".points").read_text(encoding="utf-8"))
        tally = Tally(command.title, len(seen))
        after = read_state(whole, command.outputs)
        known = list_files(model) | list_files(whole)
        if ended.code or before == after:
            tally.failures.append(f"without a fault: {ended}")
            return tally
        for at, fault in choose(len(seen)):
            tally.injected[fault] += 1
            folder = self.fresh(model)
            ended = self.run(folder, command.arguments, Points(os.path.realpath(folder), at, fault))
            wrong = list(check_end(ended, fault))
            wrong += check_state(read_state(folder, command.outputs), before, after)
            if fault != "SIGKILL" and seen[at] not in REMOVING:
                left = {
                    each for each in list_files(folder) - known if INCOMING not in each.split("/")
                }
                wrong += [f"left {each}" for each in sorted(left)]
            again = self.run(folder, command.arguments)
            if again.code or read_state(folder, command.outputs) != after:
                wrong.append(f"the next run does not complete: {again}")
            if wrong:
                tally.failures.append(
                    f"{command.title}, {fault} at point {at} ({seen[at]}): {'; '.join(wrong)}"
                )
            shutil.rmtree(folder)
        for folder in (model, whole):
            shutil.rmtree(folder)
        return tally

    def try_pair(self, first: Command, second: Command, choose: Choose) -> Tally:
        """Let one command run while another waits at one of its points, those that `choose`
        returns.
        """
        tally = Tally(f"{first.title} + {second.title}")
        model, outputs = self.prepare(first), [*first.outputs, *second.outputs]
        allowed = [read_state(model, outputs)]
        for commands in ([first], [second], [first, second], [second, first]):
            folder = self.fresh(model)
            points = Points(os.path.realpath(folder))
            ended = [self.run(folder, command.arguments, points) for command in commands]
            if commands == [first]:
                tally.points = len(
                    json.loads(folder.with_suffix(".points").read_text(encoding="utf-8"))
                )
            told = ended[:1] if first.once or second.once else ended
            tally.failures += [f"one after the other: {one}" for one in told if one.code]
            allowed.append(read_state(folder, outputs))
        for at in sorted({at for at, _ in choose(tally.points)}):
            tally.injected[MEETINGS] += 1
            folder = self.fresh(model)
            ended = self._meet(folder, first, second, at)
            found = read_state(folder, outputs)
            # Only one that says so may have done nothing.
            among = allowed if any(one.code for one in ended) else allowed[3:]
            wrong = [
                f"{name}: {state}"
                for name, state in found.items()
                if state not in {one[name] for one in among}
            ]
            wrong += [told for one in ended for told in check_end(one, "EIO")]
            if first.once and second.once and [one.code for one in ended].count(0) != 1:
                wrong.append(f"not one of them alone has written: {ended}")
            if wrong:
                tally.failures.append(f"{tally.title}, at point {at}: {'; '.join(wrong)}")
            shutil.rmtree(folder)
        shutil.rmtree(model)
        return tally

    def _meet(self, folder: Path, first: Command, second: Command, at: int) -> list[Ended]:
        notes = [folder.with_suffix(f".err{place}") for place in (1, 2)]
        stopped = start(
            folder, first.arguments, Points(os.path.realpath(folder), at, "SIGSTOP"), notes[0]
        )
        os.waitpid(stopped, os.WUNTRACED)
        other = start(folder, second.arguments, None, notes[1])
        late = time.monotonic() + LONGEST
        while time.monotonic() < late and "waiting" not in (
            notes[1].read_text() if notes[1].exists() else ""
        ):
            # Its end is left to be waited for.
            if os.waitid(os.P_PID, other, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.001)
        os.kill(stopped, signal.SIGCONT)
        return [wait(child, note) for child, note in zip((stopped, other), notes, strict=True)]


def check_end(ended: Ended, fault: str) -> Iterator[str]:
    """Say what is wrong with how a command ended that was faulted."""
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    if fault == "SIGKILL":
        expected, lines = {-signal.SIGKILL}, 0
    elif fault == "SIGINT":
        expected, lines = {0, INTERRUPTED}, 0
    else:
        expected, lines = {0, 2, 5, 6}, int(ended.code != 0)
    if ended.code not in expected or len(errors) != lines or "Traceback" in ended.err:
        yield f"ended with {ended.code}: {ended.err[-2000:]!r}"


def check_state(
    found: Mapping[str, str | None],
    before: Mapping[str, str | None],
    after: Mapping[str, str | None],
) -> Iterator[str]:
    """Say which outputs are neither what was there nor what should be."""
    for output, state in found.items():
        if state not in (before[output], after[output]):
            yield f"{output} is neither old nor new: {state}"
