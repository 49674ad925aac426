"""Fixtures of the command line's tests: run it in this process, as a child process, or in a
terminal.
"""

import contextlib
import csv
import functools
import importlib.util
import io
import json
import os
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from carried import open_once
from rankconst.cli import main

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

_FRAME = str.maketrans(dict.fromkeys("╭╮╰╯│─", " "))

# What would make a child colour its output, change its width, or reach other files than the test
# means.
_UNWANTED = (
    "CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "LINES", "NO_COLOR", "PY_COLORS",
    "PYTHONIOENCODING", "RANKCONST_CACHE", "TERMINAL_WIDTH", "TTY_COMPATIBLE",
)  # fmt: skip


@dataclass(frozen=True)
class Screen:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """The result of ``--format json``."""
        found = json.loads(self.out)
        assert isinstance(found, list)
        return found

    @property
    def rows(self) -> list[dict[str, str]]:
        """The result of ``--format csv``."""
        return list(csv.DictReader(io.StringIO(self.out)))

    @property
    def message(self) -> str:
        """Stderr on one line, without frames and escape codes."""
        return " ".join(ESCAPE.sub("", self.err).translate(_FRAME).split())

    @property
    def cells(self) -> list[list[str]]:
        """The lines of ``--format table``, cut at runs of two or more blanks."""
        return [
            re.split(r"\s{2,}", line.strip())
            for line in ESCAPE.sub("", self.out).splitlines()
            if line.strip()
        ]


class Run(Protocol):
    """Runs the command line with some arguments."""

    def __call__(
        self, *args: str | float | Path, env: Mapping[str, str] | None = None
    ) -> Screen: ...


class RunInTerminal(Protocol):
    """Runs the command line in a terminal of some width; stdout holds everything that appears on
    it.
    """

    def __call__(
        self, *args: str | float | Path, columns: int = 80, env: Mapping[str, str] | None = None
    ) -> Screen: ...


def child_command(*args: str | float | Path) -> list[str]:
    """Return the installed script with its arguments; where it is not beside the interpreter, what
    it contains.
    """
    script = Path(sys.executable).with_name("rankconst")
    start = (
        [str(script)]
        if script.is_file()
        else [sys.executable, "-c", "from rankconst.cli import main; main()"]
    )
    return [*start, *map(str, args)]


def child_environment(cache: Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    return {**kept, "RANKCONST_CACHE": str(cache), "TERM": "xterm-256color", **(env or {})}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The folder for downloads: empty, and not the user's."""
    return tmp_path / "cache"


def _call(
    patch: pytest.MonkeyPatch, args: tuple[str | float | Path, ...], env: Mapping[str, str]
) -> int:
    """Call the command line in this process and return its exit code."""
    for name in _UNWANTED:
        patch.delenv(name, raising=False)
    for name, value in env.items():
        patch.setenv(name, value)
    patch.setattr(sys, "argv", ["rankconst", *map(str, args)])
    patch.setattr("rankconst.cli.options.load", open_once)
    patch.setattr("rankconst.cli.output.Notice.delay", 1e6)
    with pytest.raises(SystemExit) as ended:
        main()
    code = ended.value.code
    assert code is None or isinstance(code, int)
    return code or 0


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cache: Path) -> Run:
    """Run the command line in this process; an exception that reaches the top fails the test."""
    monkeypatch.delenv("RANKCONST_MIRROR", raising=False)

    def run_here(*args: str | float | Path, env: Mapping[str, str] | None = None) -> Screen:
        capsys.readouterr()
        with monkeypatch.context() as patch:
            code = _call(patch, args, {"RANKCONST_CACHE": str(cache), **(env or {})})
        return Screen(code, *capsys.readouterr())

    return run_here


@contextlib.contextmanager
def _open_terminal(columns: int) -> Iterator[tuple[int, int]]:
    """Open a pseudo-terminal of some width, and close both of its ends at last; skips where there
    are none.
    """
    fcntl = pytest.importorskip("fcntl")
    termios = pytest.importorskip("termios")
    ours, theirs = os.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        yield ours, theirs
    finally:
        os.close(ours)


def _read_all(ours: int) -> bytes:
    return b"".join(iter(functools.partial(_read_block, ours), b""))


@pytest.fixture
def run_in_terminal(monkeypatch: pytest.MonkeyPatch, cache: Path) -> RunInTerminal:
    """Run the command line in this process, its three streams in a pseudo-terminal."""

    def run_here(
        *args: str | float | Path, columns: int = 80, env: Mapping[str, str] | None = None
    ) -> Screen:
        with _open_terminal(columns) as (ours, theirs), ThreadPoolExecutor(1) as reader:
            # A terminal holds a few kilobytes: somebody has to read.
            content = reader.submit(_read_all, ours)
            before = [os.dup(stream) for stream in range(3)]
            try:
                for stream in range(3):
                    os.dup2(theirs, stream)
                with (
                    monkeypatch.context() as patch,
                    os.fdopen(0, "r", encoding="utf-8", closefd=False) as stdin,
                    os.fdopen(1, "w", encoding="utf-8", closefd=False, buffering=1) as stdout,
                    os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1) as stderr,
                ):
                    for name, opened in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
                        patch.setattr(sys, name, opened)
                    code = _call(patch, args, child_environment(cache, env))
            finally:
                for stream, kept in enumerate(before):
                    os.dup2(kept, stream)
                    os.close(kept)
                os.close(theirs)
            return Screen(
                code, content.result(60).decode("utf-8", "replace").replace("\r\n", "\n"), ""
            )

    return run_here


def _read_block(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux's way to say that nobody writes any more
        return b""


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a text file, results.csv unless it has another name."""

    def write_here(text: str, name: str = "results.csv") -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write_here


@pytest.fixture
def builder() -> None:
    """Skip the test where the extra is not installed."""
    if importlib.util.find_spec("pooch") is None:
        pytest.skip("the builder needs pooch: pip install 'rankconst[builder]'")


@pytest.fixture
def no_builder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line believe that the extra is not installed."""

    def find_nothing(name: str) -> None:
        del name

    monkeypatch.setattr("rankconst.cli.catalogue.find_spec", find_nothing)
    monkeypatch.setattr("rankconst.download.find_spec", find_nothing)


Graph = dict[str, list[tuple[str, str, str]]]

SMALL: Graph = {
    "train": [("a", "r", "b"), ("b", "r", "c"), ("c", "r", "a"), ("a", "r", "c"), ("a", "s", "d"), ("d", "s", "d")],
    "valid": [("a", "r", "a"), ("d", "s", "b")],
    "test": [("b", "r", "a"), ("c", "s", "b"), ("e", "r", "a"), ("a", "r", "b"), ("b", "r", "a")],
}  # fmt: skip
"""A duplicate, an overlap, a self-loop and an entity unseen in train."""


@pytest.fixture
def write_graph(tmp_path: Path) -> Callable[..., list[str]]:
    """Write the files of a graph; returns their paths, without those of empty splits."""

    def write(graph: Graph, columns: str = "hrt") -> list[str]:
        (tmp_path / "graph").mkdir(exist_ok=True)
        places = ["hrt".index(letter) for letter in columns]
        paths = [tmp_path / "graph" / f"{split}.txt" for split, rows in graph.items() if rows]
        for path in paths:
            lines = ("\t".join(row[place] for place in places) for row in graph[path.stem])
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return [str(path) for path in paths]

    return write
