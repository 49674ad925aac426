"""The page on your own counts, and its script: their numbers are right, and PyKEEN agrees where it is installed."""

from __future__ import annotations

import csv
import importlib.util
import itertools
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rankconst
from carried import open_once
from rankconst.errors import DataError
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Triple = tuple[str, str, str]

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SCRIPT = ROOT / "docs" / "scripts" / "adjust_pykeen_run.py"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are in a checkout only")

with_pykeen = pytest.mark.skipif(
    importlib.util.find_spec("pykeen") is None, reason="PyKEEN is not installed; it is not a dependency"
)


@pytest.fixture
def page() -> str:
    return (DOCS / "own_counts.md").read_text(encoding="utf-8")


@pytest.fixture
def examples(page: str) -> list[str]:
    """The page's examples; a block without a prompt is not among them."""
    return [text for text in re.findall(r"```python\n((?:.*\n)*?)```", page) if text.startswith(">>>")]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    import adjust_pykeen_run

    return adjust_pykeen_run


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
        rows = [row for row in csv.reader(lines) if row[0] == dataset and row[1] in {"train", "valid", "test"}]
    found: dict[str, list[Triple]] = {}
    for row in rows:
        text = (mirror / row[7]).read_text(encoding="utf-8")
        found[row[1]] = [(h, r, t) for h, r, t in (line.split("\t") for line in text.splitlines())]
    return found


# -- the page ------------------------------------------------------------------------------------------------------


def test_nations_counts_are_those_of_the_tables(page: str) -> None:
    """PyKEEN's evaluator holds N: what it counted, as pasted, is our table."""
    pasted = dict(re.findall(r">>> (head|tail) = np.repeat\(sizes, \[([\d, ]+)\]\)", page))
    for side, tasks in pasted.items():
        counted = Histogram(np.arange(2, 15), np.array([int(each) for each in tasks.split(",")]))
        assert counted == open_once().histogram("nations", side=side, protocol="pykeen")
    assert set(pasted) == {"head", "tail"}


def test_umls_relation_prediction(
    page: str, mirror: Path, count_candidates: Callable[[set[str], set[str], str], int]
) -> None:
    triples = read_triples(mirror, "umls")
    relations = Counter(r for _, r, _ in triples["train"])
    known = defaultdict(set)
    for h, r, t in itertools.chain.from_iterable(triples.values()):
        known[h, t].add(r)
    candidates = set.union(*known.values())
    assert len(candidates) == 46
    counts = Counter(count_candidates(candidates, known[h, t], r) for h, r, t in triples["test"])
    (tasks,) = re.findall(r"np.repeat\(range\(37, 47\), \[([\d, ]+)\]\)", page)
    assert counts == dict(zip(range(37, 47), map(int, tasks.split(",")), strict=True))
    # What comes first by frequency once the other known relations of the pair are taken out.
    first = [
        next(r for r, _ in relations.most_common() if r == true or r not in known[h, t])
        for h, true, t in triples["test"]
    ]
    assert sum(guess == true for guess, (_, true, _) in zip(first, triples["test"], strict=True)) == 157
    assert relations.most_common(1)[0][0] == "affects"


def test_continents_of_countries(mirror: Path, count_candidates: Callable[[set[str], set[str], str], int]) -> None:
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


# -- the script ----------------------------------------------------------------------------------------------------


def test_batches_are_joined_and_those_of_other_tasks_refused(script: ModuleType) -> None:
    batches = {"head": [np.array([4, 2]), np.array([3])], "tail": [np.array([5, 1])]}
    counts = script.gather_counts(batches, {"head.realistic.count": 3.0, "tail.realistic.count": 2.0})
    assert {side: each.tolist() for side, each in counts.items()} == {"head": [4, 2, 3], "tail": [5, 1]}
    with pytest.raises(DataError, match="clear_on_finalize=False"):
        script.gather_counts({}, {"head.realistic.count": 3.0})
    with pytest.raises(DataError, match="head: the evaluator holds 3 counts, the results are of 2 ranks"):
        script.gather_counts(batches, {"head.realistic.count": 2.0, "tail.realistic.count": 2.0})
    with pytest.raises(DataError, match=r"no both\.realistic\.arithmetic_mean_rank"):
        script.adjust_results({}, rankconst.from_counts([2, 4]))


def test_two_tasks_by_hand(script: ModuleType) -> None:
    """Ranks 1 and 2 of 2 and 4 candidates; with k = 10 nothing can be missed."""
    results = {
        "both.realistic.arithmetic_mean_rank": 1.5,
        "both.realistic.inverse_harmonic_mean_rank": 0.75,
        "both.realistic.hits_at_1": 0.5,
        "both.realistic.hits_at_10": 1.0,
        "both.realistic.adjusted_arithmetic_mean_rank_index": 0.5,
        "both.realistic.adjusted_hits_at_k": 0.0,
    }
    tasks = rankconst.from_counts({"head": [2], "tail": [4]})
    rows = {row.metric: row for row in script.adjust_results(results, tasks)}
    # E = (1.5 + 2.5) / 2, Var = (3/12 + 15/12) / 4; of the 8 rankings (1, 1), (1, 2) and (2, 1) are as good.
    assert (rows["MR"].random, rows["MR"].index) == (2.0, pytest.approx(0.5))
    assert rows["MR"].z == pytest.approx(0.5 / (1.5 / 4) ** 0.5)
    assert 10 ** rows["MR"].log10_p == pytest.approx(3 / 8)
    assert (rows["MR"].their_index, rows["MR"].their_z) == (0.5, None)
    assert (rows["Hits@1"].random, rows["Hits@1"].their_index) == (0.375, None)
    assert (rows["Hits@10"].index, rows["Hits@10"].z, rows["Hits@10"].log10_p) == (None, None, 0.0)
    text = script.render("Two tasks", list(rows.values()))
    assert text.splitlines()[0] == "Two tasks"
    assert text.splitlines()[-1].split() == ["Hits@10", "1.000", "1.000", "–", "0", "–", "–", "1"]


def run_python(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@with_pykeen
def test_the_script_with_pykeen() -> None:
    """Values differ by machine and version; counts and agreement do not."""
    printed = run_python(str(SCRIPT))
    assert "All 14 countries: 402 tasks" in printed
    assert "The 6 of Asia: 56 tasks" in printed
    assert printed.count(", as in rankconst's table") == 2
    rows = [line.split() for line in printed.splitlines() if line.split()[:1] in (["MR"], ["MRR"], ["Hits@10"])]
    assert len(rows) == 6
    for metric, _, random, index, their_index, z, their_z, _ in rows:
        if (metric, random) == ("Hits@10", "1.000"):
            assert (index, z) == ("–", "–")
            continue
        # Four digits are shown, and PyKEEN's ranks are in single precision.
        assert float(their_index) == pytest.approx(float(index), rel=2e-3)
        assert float(their_z) == pytest.approx(float(z), rel=2e-3)


@with_pykeen
def test_the_lines_on_the_page_with_pykeen() -> None:
    text = (DOCS / "pykeen.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(import numpy(?:.*\n)*?)```", text)
    assert run_python("-c", source).startswith("Adjusted(value=")
