"""The page on your own counts: its numbers are right, and PyKEEN agrees where it is installed."""

from __future__ import annotations

import csv
import importlib.util
import itertools
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from carried import open_once
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable

    Triple = tuple[str, str, str]

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are in a checkout only")


@pytest.fixture
def page() -> str:
    return (DOCS / "own_counts.md").read_text(encoding="utf-8")


@pytest.fixture
def examples(page: str) -> list[str]:
    """The page's examples; a block without a prompt is not among them."""
    return [
        text for text in re.findall(r"```python\n((?:.*\n)*?)```", page) if text.startswith(">>>")
    ]


@pytest.fixture
def count_candidates(examples: list[str]) -> Callable[[set[str], set[str], str], int]:
    """The page's own function."""
    names: dict[str, Any] = {}
    (source,) = (text for text in examples if text.startswith(">>> def"))
    exec("\n".join(line[4:] for line in source.splitlines()), names)  # noqa: S102 - what the page shows is tested
    found: Callable[[set[str], set[str], str], int] = names["count_candidates"]
    return found


def read_triples(mirror: Path, dataset: str) -> dict[str, list[Triple]]:
    with (mirror / "MANIFEST.csv").open(encoding="utf-8", newline="") as lines:
        rows = [
            row
            for row in csv.reader(lines)
            if row[0] == dataset and row[1] in {"train", "valid", "test"}
        ]
    found: dict[str, list[Triple]] = {}
    for row in rows:
        text = (mirror / row[7]).read_text(encoding="utf-8")
        found[row[1]] = [(h, r, t) for h, r, t in (line.split("\t") for line in text.splitlines())]
    return found


# -- the page --------------------------------------------------------------------------------------


def test_nations_counts_are_those_of_the_tables(page: str) -> None:
    """PyKEEN's evaluator holds N: what it counted, as pasted, is our table."""
    pasted = dict(re.findall(r">>> (head|tail) = np.repeat\(sizes, \[([\d, ]+)\]\)", page))
    for side, tasks in pasted.items():
        counted = Histogram(np.arange(2, 15), np.array([int(each) for each in tasks.split(",")]))
        assert counted == open_once().histogram("nations", side=side, protocol="pykeen")
    assert set(pasted) == {"head", "tail"}


def test_continents_of_countries(
    mirror: Path, count_candidates: Callable[[set[str], set[str], str], int]
) -> None:
    triples = read_triples(mirror, "countries_s1")
    known = defaultdict(set)
    for h, r, t in itertools.chain.from_iterable(triples.values()):
        if r == "locatedin":
            known[h].add(t)
    continents = set.union(*known.values()) - set(known)
    assert continents == {"africa", "americas", "asia", "europe", "oceania"}
    assert known["zambia"] == {"africa", "eastern_africa"}
    assert {r for _, r, _ in triples["test"]} == {"locatedin"}
    assert [count_candidates(continents, known[h], t) for h, _, t in triples["test"]] == [5] * 24


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
