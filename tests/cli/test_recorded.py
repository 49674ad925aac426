"""Sessions of the command line, each with the screens it gave: ``recorded/*.txt``.

=============  ===================================================================================
line           what it is
=============  ===================================================================================
``@ a.csv``    A file in the folder of the session; its lines follow behind ``+``.
``$ show mr``  A command line of rankconst; its output follows, indented, then stderr behind ``!``,
               and behind ``=`` the exit code, unless it is 0.
``% 80 show``  The same in a terminal of 80 columns, without colours: no line is longer.
``& a.md``     The files that the commands of the session left, at its end.
``# why``      A remark.
=============  ===================================================================================

``RANKCONST_RECORD=1 pytest tests/cli/test_recorded.py`` writes them anew: read what changed.
"""

import os
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from cli.conftest import ESCAPE, Run, RunInTerminal, Screen

SESSIONS = sorted(Path(__file__).with_name("recorded").glob("*.txt"))
NEEDED = {
    "terminal": "termios",
    "build": "pooch",
    "machine": "pooch",
    "picture": "matplotlib",
    "answers": "pandas",
}
"""How the name of a session starts, to the module that it needs."""


def replay(text: str, run: Run, run_in_terminal: RunInTerminal, folder: Path) -> str:
    """Run a session in a folder, and return it with the screens of today."""
    lines, own = [], set()
    file: Path | None = None
    for line in text.splitlines():
        sign, _, rest = line.partition(" ")
        if sign == "@":
            file = folder / rest
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            own.add(rest)
        elif sign == "+" and file is not None:
            with file.open("a", encoding="utf-8", newline="") as opened:
                opened.write(f"{rest}\n")
        if sign in {"$", "%"}:
            screen = run(*shlex.split(rest)) if sign == "$" else look(rest, run_in_terminal)
            lines.append(line)
            lines += [f"  {each}".rstrip() for each in screen.out.splitlines()]
            lines += [f"! {each}".rstrip() for each in screen.err.splitlines()]
            lines += [f"= {screen.code}"] if screen.code else []
        elif sign in {"@", "+", "#"}:
            lines.append(line)
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    left = {str(path.relative_to(folder)) for path in paths} - own
    lines += [f"& {name}" for name in sorted(left) if not name.startswith("cache")]
    here = re.escape(str(folder))
    return "".join(re.sub(here, "HERE", f"{line}\n") for line in lines)


def look(rest: str, run_in_terminal: RunInTerminal) -> Screen:
    """Run a command in a terminal of some width, and return the screen without colours."""
    columns, *words = shlex.split(rest)
    screen = run_in_terminal(*words, columns=int(columns))
    out = ESCAPE.sub("", screen.out)
    assert not re.search(r"\\x1b|…", out)
    assert all(len(line) <= int(columns) for line in out.splitlines()), out
    return replace(screen, out=out)


@pytest.mark.parametrize("path", SESSIONS, ids=[path.stem for path in SESSIONS])
def test_screens_are_those_recorded(
    path: Path,
    run: Run,
    run_in_terminal: RunInTerminal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if path.stem == "machine_refused" and os.name != "posix":
        pytest.skip("systems of other kinds have other messages")
    if path.stem == "build":
        request.getfixturevalue("placeholders")  # of constants that no screen shows
    for start, module in NEEDED.items():
        if path.stem.startswith(start):
            pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    now = replay(text, run, run_in_terminal, tmp_path)
    if os.environ.get("RANKCONST_RECORD"):
        path.write_text(now, encoding="utf-8")
    assert now == text
