"""Sessions of the command line, each with the screens it gave: ``recorded/*.txt``.

=============  ===================================================================================
line           what it is
=============  ===================================================================================
``@ a.csv``    A file in the folder of the session; its lines follow behind ``+``.
``$ show mr``  A command line of rankconst; its output follows, indented, then stderr behind ``!``,
               and behind ``=`` the exit code, unless it is 0.
``& a.md``     The files that the commands of the session left, at its end.
``# why``      A remark.
=============  ===================================================================================

``RANKCONST_RECORD=1 pytest tests/cli/test_recorded.py`` writes them anew: read what changed.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Run

SESSIONS = sorted(Path(__file__).with_name("recorded").glob("*.txt"))
NEEDED = {"build": "pooch", "machine": "pooch", "picture": "matplotlib", "answers": "pandas"}


def replay(text: str, run: Run, folder: Path) -> str:
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
        if sign == "$":
            screen = run(*shlex.split(rest))
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


@pytest.mark.parametrize("path", SESSIONS, ids=[path.stem for path in SESSIONS])
def test_screens_are_those_recorded(
    path: Path,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if path.stem == "machine_refused" and os.name != "posix":
        pytest.skip("names and messages are others here")
    if path.stem == "build":
        request.getfixturevalue("placeholders")  # of constants that no screen shows
    for start, module in NEEDED.items():
        if path.stem.startswith(start):
            pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    now = replay(text, run, tmp_path)
    if os.environ.get("RANKCONST_RECORD"):
        path.write_text(now, encoding="utf-8")
    assert now == text
