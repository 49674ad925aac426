"""The page on your own counts: its numbers are right, and PyKEEN agrees where it is installed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from carried import open_once
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    Triple = tuple[str, str, str]

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are in a checkout only")


@pytest.fixture
def page() -> str:
    return (DOCS / "own_counts.md").read_text(encoding="utf-8")


# -- the page --------------------------------------------------------------------------------------


def test_nations_counts_are_those_of_the_tables(page: str) -> None:
    """PyKEEN's evaluator holds N: what it counted, as pasted, is our table."""
    pasted = dict(re.findall(r">>> (head|tail) = np.repeat\(sizes, \[([\d, ]+)\]\)", page))
    for side, tasks in pasted.items():
        counted = Histogram(np.arange(2, 15), np.array([int(each) for each in tasks.split(",")]))
        assert counted == open_once().histogram("nations", side=side, protocol="pykeen")
    assert set(pasted) == {"head", "tail"}


@pytest.mark.skipif(
    importlib.util.find_spec("pykeen") is None,
    reason="PyKEEN is not installed; it is not a dependency",
)
def test_an_evaluator_of_pykeen_is_handed_over_as_on_the_page() -> None:
    text = (DOCS / "pykeen.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(import rankconst\n(?:.*\n)*?)```", text)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout.startswith("Adjusted(value="), done.stderr
