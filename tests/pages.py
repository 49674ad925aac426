"""Run everything on a page of the documentation, and write the outputs on it anew: ``python tests/pages.py [PAGE...]``.

A page is a session: its blocks run in order, share their Python names, and start in a folder with
nothing but the three files of a small graph.

=====================  ===============================================================================================
block                  what happens
=====================  ===============================================================================================
``csv results.csv``    Any language with a name: the block is written to that file.
``console``            Each line ``$ rankconst ...`` is run; what follows it is its output. A last line ``...`` leaves
                       the rest out. ``$ echo $?`` shows the exit code, which is 0 unless that or a
                       message shows it. Behind ``2>&1``, what is on standard error is shown, too,
                       and comes first.
``python``             Run as a doctest.
``sh``                 Each line is run; its output is not shown.
``bibtex``, ``text``   Only shown.
=====================  ===============================================================================================

A block under ``<!-- not run: REASON -->`` is left alone, and so are the README's two commands that
``.ci/run`` runs.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from carried import open_once
from rankconst.cli import main as rankconst_main
from rankconst.errors import RankconstError

ROOT = Path(__file__).resolve().parents[1]
CI_MARKS = ("main job", "tests")
REST = "..."
MERGED = " 2>&1"
PASSIVE = ("bibtex", "text")
BUG = 1

# Three files of triples for examples about "a graph of your own", in the folder of every session.
GRAPH = {
    "train.tsv": "ada\tknows\tbob\nbob\tknows\tcy\ncy\tlikes\tdee\ndee\tknows\tada\n",
    "valid.tsv": "cy\tknows\tada\n",
    "test.tsv": "ada\tknows\tcy\nbob\tlikes\tdee\n",
}

_FENCE = re.compile(r"^```(?P<info>\S[^\n]*)\n(?P<body>(?:(?!```).*\n)*)```$", re.MULTILINE)
_COMMENT = re.compile(r"<!-- (.+) -->\n$")
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def find_pages() -> list[Path]:
    """Return every page whose blocks are run, the README first."""
    return [
        ROOT / "README.md",
        ROOT / ".github" / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ]


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    name: str  # the file it is written to, if any
    body: str
    mark: str  # the comment on the line above
    start: int  # where the body is in the page
    line: int  # of its first line

    @property
    def is_run(self) -> bool:
        """False where the page says why not, and for what .ci/run runs."""
        shown_only = self.language in PASSIVE and not self.name
        return not (shown_only or self.mark.startswith("not run: ") or self.mark in CI_MARKS)


def find_blocks(text: str) -> list[Block]:
    """Return the blocks of a page in order."""
    blocks = []
    for found in _FENCE.finditer(text):
        language, _, name = found["info"].partition(" ")
        comment = _COMMENT.search(text[: found.start()])
        start = found.start("body")
        line = text.count("\n", 0, start) + 1
        blocks.append(
            Block(language, name, found["body"], comment[1] if comment else "", start, line)
        )
    return blocks


@dataclass(frozen=True)
class Screen:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    def show(self, *, merged: bool = False) -> str:
        """Return what a page shows: standard output, and the message of a command that fails, or
        first, if merged.
        """
        text = self.err + self.out if merged else self.out + (self.err if self.code else "")
        lines = (line.rstrip() for line in _ANSI.sub("", text).strip("\n").splitlines())
        return "".join(f"{line}\n" for line in lines)


def run_command(command: str) -> Screen:
    """Run a command line of rankconst in this process."""
    program, *arguments = shlex.split(command, comments=True)
    if program != "rankconst":
        raise ValueError(f"pages run rankconst only, not {program}")
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        mock.patch.object(sys, "argv", [program, *arguments]),
        mock.patch("rankconst.cli.options.load", open_once),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            rankconst_main()
        except SystemExit as stopped:
            code = stopped.code if isinstance(stopped.code, int) else 1
        except Exception as error:  # noqa: BLE001 - a bug, which must not keep the other examples from being looked at
            code = BUG
            last = traceback.extract_tb(error.__traceback__)[-1]
            err.write(f"{last.filename}:{last.lineno}: {type(error).__name__}: {error}\n")
    return Screen(code, out.getvalue(), err.getvalue())


def join_lines(text: str) -> list[str]:
    """Return the lines of a script, those that end in a backslash joined with the next."""
    return [line for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]


@dataclass
class Session:
    """The run of one page: what went wrong, and each block with its outputs as they are now."""

    page: Path
    names: dict[str, Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def run(self, block: Block) -> str:
        """Run a block in the current folder and return its body with the outputs of today."""
        if not block.is_run:
            return block.body
        if block.name:
            path = Path(block.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
            return block.body
        runners = {"console": self._run_console, "python": self._run_python, "sh": self._run_script}
        runner = runners.get(block.language)
        if runner is None:
            self._blame(
                block.line, f"a block of {block.language} that is not run and does not say why"
            )
            return block.body
        return runner(block)

    def _run_console(self, block: Block) -> str:
        parts = []
        code, seen = 0, True
        for found in re.finditer(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block.body, re.MULTILINE):
            command, shown = found.groups()
            line = block.line + block.body.count("\n", 0, found.start())
            if command == "echo $?":
                now, seen = f"{code}\n", True
            else:
                if not seen and code:
                    self._blame(
                        line, f"the command before exits with {code}, which the page does not show"
                    )
                screen = run_command(command.removesuffix(MERGED))
                now, code = screen.show(merged=command.endswith(MERGED)), screen.code
                if code == BUG:
                    self._blame(line, f"{command}\n{now}")
                    return block.body
                seen = re.search("^error: ", now, re.MULTILINE) is not None
            if shown.endswith(f"{REST}\n"):
                kept = shown.splitlines()[:-1]
                now = "".join(f"{each}\n" for each in [*now.splitlines()[: len(kept)], REST])
            if now != shown:
                self._blame(line, f"{command}\n-- on the page:\n{shown}-- printed:\n{now}")
            parts.append(f"$ {command}\n{now}")
        if code and not seen:
            self._blame(
                block.line, f"the last command exits with {code}, which the page does not show"
            )
        return "".join(parts)

    def _run_python(self, block: Block) -> str:
        test = doctest.DocTestParser().get_doctest(
            block.body, {}, self.page.name, str(self.page), block.line - 1
        )
        if not test.examples:
            self._blame(block.line, "Python without a prompt is not run: write >>>")
        test.globs = self.names
        recorder = _Recorder(verbose=False)
        recorder.run(test, out=lambda _: None, clear_globs=False)
        lines = block.body.splitlines(keepends=True)
        for example, now in reversed(recorder.failed):
            self._blame(
                block.line + example.lineno,
                f"{example.source}-- on the page:\n{example.want}-- now:\n{now}",
            )
            first = example.lineno + example.source.count("\n")
            lines[first : first + example.want.count("\n")] = [now]
        for example, now in recorder.broken:
            self._blame(block.line + example.lineno, f"{example.source}{now}")
        return "".join(lines)

    def _run_script(self, block: Block) -> str:
        for command in join_lines(block.body):
            screen = run_command(command)
            if screen.code:
                self._blame(block.line, f"{command}\n-- exits with {screen.code}:\n{screen.show()}")
        return block.body

    def _blame(self, line: int, what: str) -> None:
        self.faults.append(f"{self.page.name}:{line}: {what}")


class _Recorder(doctest.DocTestRunner):
    """Collect examples that print something else, with what they print now."""

    def __init__(self, *, verbose: bool) -> None:
        super().__init__(verbose=verbose)
        self.failed: list[tuple[doctest.Example, str]] = []
        self.broken: list[tuple[doctest.Example, str]] = []

    def report_failure(
        self, _: Any, __: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        """Keep what an example printed."""
        self.failed.append((example, got))

    def report_unexpected_exception(
        self, _: Any, __: doctest.DocTest, example: doctest.Example, exc: Any
    ) -> None:
        """Keep what an example raised."""
        got = (
            "Traceback (most recent call last):\n    ...\n"
            f"{exc[0].__module__}.{exc[0].__name__}: {exc[1]}\n"
        )
        # An error gets onto a page only where the page shows one, and only if rankconst raises it
        # on purpose.
        meant = example.want.startswith("Traceback") and issubclass(exc[0], RankconstError)
        (self.failed if meant else self.broken).append((example, got))


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    """Work in an empty folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run_page(page: Path) -> tuple[str, list[str]]:
    """Run a page in the current folder; return it with the outputs of today, and what differs."""
    text = page.read_text(encoding="utf-8")
    session = Session(page)
    for name, content in GRAPH.items():
        Path(name).write_text(content, encoding="utf-8")
    parts, end = [], 0
    for block in find_blocks(text):
        parts += [text[end : block.start], session.run(block)]
        end = block.start + len(block.body)
    return "".join([*parts, text[end:]]), session.faults


def main() -> None:
    """Write the outputs of the named pages, or of all, anew."""
    for page in [Path(name).resolve() for name in sys.argv[1:]] or find_pages():
        with empty_folder():
            text, faults = run_page(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
        print("\n".join([*faults, f"{page.name}: {len(faults)} differ"]))


if __name__ == "__main__":
    main()
