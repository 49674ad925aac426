"""Every command that writes survives faults at its calls: some of them here, all with
RANKCONST_THOROUGH=1.
"""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from cases import choose
from pages import ROOT

SCRIPT = ROOT / "docs" / "scripts" / "inject_faults.py"
PAGE = ROOT / "tests" / "robustness.md"

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not SCRIPT.is_file(), reason="the script is in a checkout only"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
]


@pytest.mark.slow
def test_faults_are_survived() -> None:
    # In a process of its own: it forks, which one with threads should not.
    for module in ("pooch", "scipy", "pandas", "matplotlib"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")
    option = choose("--some", "--all")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), option], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tried = re.findall(r"^(.+): \d+ points, [1-9]\d* tries, 0 failures$", done.stdout, re.MULTILINE)
    assert len(tried) == len(done.stdout.splitlines())
    # The page was written by the same commands.
    listed = re.findall(
        r"^\| `([^|`]+)` \| [\d,]+ \|",
        PAGE.read_text(encoding="utf-8").partition("<!-- /faults -->")[0],
        re.MULTILINE,
    )
    commands = [title for title in tried if " + " not in title]
    assert commands == listed[:: choose(2, 1)]


def test_the_page_hides_nothing() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("<!-- /meetings -->")[0]
    rows = re.findall(r"^\| `([^|`]+)` \| ([\d,| ]+) \|$", text, re.MULTILINE)
    assert rows
    for _, cells in rows:
        points, *counts, survived = (int(cell.replace(",", "")) for cell in cells.split("|"))
        assert survived == sum(counts) >= points
        assert min(counts) >= points // len(counts)
    pairs = re.findall(r"^\| `[^|`]+` \| `[^|`]+` \| ([\d,]+) \| ([\d,]+) \|$", text, re.MULTILINE)
    assert pairs
    assert all(times == right for times, right in pairs)
