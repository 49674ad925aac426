"""A machine that does not do what it should: one line and a code, never a traceback."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cli.conftest import Run
from rankconst import version
from rankconst.cli import main
from rankconst.cli.options import open_tables
from rankconst.errors import TablesError
from rankconst.tables import archive

START = f'"{sys.executable}" -m rankconst'
posix = pytest.mark.skipif(os.name != "posix", reason="systems of other kinds have other messages")
UMLS = "adjust 0.338 --metric mrr --dataset umls --split test --side both --protocol standard"


def run_line(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell, which closes streams and sets limits."""
    return subprocess.run(line, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own lines


def run_script(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of Python in a process of its own."""
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (f"{UMLS} > /dev/full", 6, "error: cannot write the output: No space left on device."),
        (f"{UMLS} >&-", 6, "error: cannot write the output: standard output is closed. Send it elsewhere."),
        ("--version > /dev/full", 6, "error: cannot write the output: No space left on device."),
        (f"{UMLS} 2>&-", 0, ""),
        ("adjust - --dataset nations <&-", 6, "error: standard input is empty"),
        ("adjust 0.9 --metric foo --dataset nations 2> /dev/full", 4, ""),
        (f"env -u HOME {{}} {UMLS} > /dev/null", 0, ""),
    ],
)  # fmt: skip
def test_streams_that_cannot_be_used(command: str, code: int, said: str) -> None:
    done = run_line(command.format(START) if "{}" in command else f"{START} {command}")
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == bool(said)


def test_a_folder_that_is_gone(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    try:
        (tmp_path / "gone").rmdir()
    except OSError:
        pytest.skip("this system keeps a folder that is used")
    assert run(*UMLS.split()).code == 0
    screen = run(*UMLS.split(), "--out", "a.csv")
    assert (screen.code, screen.err) == (
        6,
        "error: cannot write a.csv: No such file or directory. Name another file.\n",
    )


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root, or here"
)
def test_what_may_not_be_read(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("results.csv", "counts.csv"):
        (tmp_path / name).write_text("num_candidates\n3\n", encoding="utf-8")
        (tmp_path / name).chmod(0)
    (tmp_path / "set").mkdir(0)
    for command in ("adjust results.csv", f"{UMLS} --tables set", "check results.csv"):
        screen = run(*command.split())
        assert (screen.code, screen.err.count("\n")) == (6, 1)
        assert "Permission denied." in screen.err


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError("Cannot allocate memory"),
        ImportError("libarrow.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
        pa.ArrowException("Failed to launch worker thread: Resource temporarily unavailable"),
        pa.ArrowMemoryError("malloc of size 256 failed"),
    ],
)
def test_a_lack_of_memory_is_a_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("rankconst.cli.adjust.open_tables", fail)
    screen = run(*UMLS.split())
    told = "error: there is not enough memory for that; give it less at once.\n"
    assert (screen.code, screen.err) == (6, told)


@pytest.mark.skipif(
    sys.platform != "linux", reason="this system limits memory in another way, or not at all"
)
@pytest.mark.parametrize(("option", "needed"), [("v", 640), ("d", 320)])
def test_too_little_memory_to_start(option: str, needed: int) -> None:
    done = run_line(f"ulimit -{option} {(needed - 1) * 1024}; exec {START} {UMLS}")
    told = (
        rf"error: {needed - 1} MiB of memory are allowed here, and rankconst needs {needed}\. .* "
        rf"ulimit -{option} \d+\n"
    )
    assert done.returncode == 6
    assert re.fullmatch(told, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "line"), [("typer", "adjust --help"), ("pyarrow", "adjust 3 -d nations -m gmr")]
)
def test_a_package_that_is_missing(package: str, line: str) -> None:
    arguments = ["rankconst", *line.split()]
    done = run_script(
        f"import sys; sys.modules[{package!r}] = None; sys.argv = {arguments}; from rankconst.cli "
        "import main; main()"
    )
    told = (
        "error: a package that rankconst needs cannot be imported: .*{}.* Run: pip install "
        "rankconst\\n"
    )
    assert done.returncode == 3
    assert re.fullmatch(told.format(package), done.stderr)


def test_a_part_of_the_program_that_is_missing_is_a_bug(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ImportError("no such name", name="rankconst.names")

    monkeypatch.setattr("rankconst.cli.adjust.open_tables", fail)
    with pytest.raises(ImportError):
        run(*UMLS.split())


def test_an_installation_without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(archive.load().path)
    for module in (version, archive):
        monkeypatch.setattr(module, "bundle_folders", dict)
    assert "nations" in open_tables([own]).datasets
    with pytest.raises(TablesError, match="this installation carries no tables"):
        open_tables()


def test_names_that_are_no_text(run: Run, tmp_path: Path) -> None:
    try:
        (tmp_path / "\udce9.md").write_text(
            "| Model | MRR (FB15k-237) |\n|---|---|\n| A | 0.338 |\n", encoding="utf-8"
        )
    except OSError:
        pytest.skip("this system has names in UTF-8 only")
    out = tmp_path / "out.md"
    assert run("adjust", tmp_path / "\udce9.md", "--replace", "AMRR", "--out", out).code == 0
    assert "/\\udce9.md' --replace AMRR --out" in out.read_text(encoding="utf-8")


# Does something as soon as a module is imported. A job in the background would ignore interrupts.
INTERRUPTING = """
import _signal, os, runpy, sys
_signal.signal(_signal.SIGINT, _signal.default_int_handler)
def interrupt(event, args):
    if event == "import" and args[0] == {module!r}:
        {act}
sys.addaudithook(interrupt)
runpy.run_module("rankconst", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("module", "act", "code", "trace"),
    [
        ("rankconst.cli", "raise KeyboardInterrupt", 130, False),
        ("signal", "raise KeyboardInterrupt", 130, False),
        ("rankconst.cli", "raise RuntimeError('broken')", 1, True),
        *(
            pytest.param(module, "os.kill(os.getpid(), _signal.SIGINT)", 130, False, marks=posix)
            for module in ("rankconst.listing", "rankconst.typed")
        ),
    ],
)
def test_an_interrupt_while_modules_are_imported(
    module: str, act: str, code: int, trace: bool
) -> None:
    done = run_script(INTERRUPTING.format(module=module, act=act), *UMLS.split())
    assert (done.returncode, "Traceback" in done.stderr) == (code, trace)


@pytest.mark.slow
@posix
@pytest.mark.parametrize(("pause", "cleaned"), [(0.0, True), (0.2, False)])
def test_a_key_pressed_twice_is_one_interrupt(
    monkeypatch: pytest.MonkeyPatch, pause: float, cleaned: bool
) -> None:
    done = list[bool]()

    def run(_: object, interrupts: list[int]) -> None:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(pause)
        try:
            os.kill(os.getpid(), signal.SIGINT)
            done.append(True)
        except KeyboardInterrupt:
            done.append(False)
        assert interrupts == [signal.SIGINT] * (1 if cleaned else 2)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr("rankconst.cli.run.run", run)
    monkeypatch.setattr("rankconst.cli._ONE_PRESS", 0.1)
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [cleaned]


@pytest.mark.slow
@posix
def test_an_interrupt_while_python_ends() -> None:
    # What main leaves to run at the end is interrupted, once more.
    script = (
        "import os, runpy, signal, sys, threading\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
        "threading._register_atexit(os.kill, os.getpid(), signal.SIGINT)\n"
        "runpy.run_module('rankconst', run_name='__main__')"
    )
    done = run_script(script, *UMLS.split())
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert "0.338" in done.stdout


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no such signals")
@pytest.mark.parametrize(
    ("number", "handler", "code"),
    [
        ("SIGINT", signal.default_int_handler, 130),
        ("SIGTERM", signal.SIG_DFL, 143),
        ("SIGHUP", signal.SIG_DFL, 129),
        ("SIGHUP", signal.SIG_IGN, 0),  # as under nohup
    ],
)
def test_whoever_asks_to_end_gets_a_clean_end(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str, handler: Any, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = getattr(signal, number)
    before = signal.signal(asked, handler)
    monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), asked))
    try:
        screen = run(*UMLS.split(), "--out", "a.csv")
        assert signal.getsignal(asked) is handler
    finally:
        signal.signal(asked, before)
    assert (screen.code, screen.err if code else "") == (code, "")
    assert [path.name for path in tmp_path.iterdir()] == ([] if code else ["a.csv"])
