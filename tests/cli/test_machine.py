"""A machine that does not do what it should: one line and a code, never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

START = f'"{sys.executable}" -m rankconst'
NATIONS = "adjust 0.338 --metric mrr --dataset nations"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (f"{NATIONS} > /dev/full", 6, "error: cannot write the output: No space left on device."),
        (f"{NATIONS} >&-", 0, ""),
        ("adjust - --dataset nations <&-", 6, "error: standard input is empty"),
        ("adjust 0.9 --metric foo --dataset nations 2> /dev/full", 4, ""),
        (f"env -u HOME {{}} {NATIONS} > /dev/null", 0, ""),
    ],
)
def test_streams_that_cannot_be_used(command: str, code: int, said: str) -> None:
    line = command.format(START) if "{}" in command else f"{START} {command}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - the shell closes streams
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == bool(said)


# Says when modules are being imported, which is after a bare interpreter could still be interrupted.
TELLING = """
import sys
sys.addaudithook(lambda event, args: event == "import" and args[0] == "typer" and print(flush=True))
from rankconst.cli import main
main()
"""


@pytest.mark.parametrize("after", [0.0, 0.1, 0.2])
def test_an_interrupt_while_modules_are_imported(after: float) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", TELLING, *NATIONS.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(after)
    os.kill(child.pid, signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode in {0, 130}
    assert "Traceback" not in err
