"""The page on PyKEEN's offset: it is what its script writes from the tables, and its numbers are
right.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from oracles import TERMS

if TYPE_CHECKING:
    import compare_with_pykeen as script_type

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are in a checkout only")

AGAIN = "run: python docs/scripts/compare_with_pykeen.py"


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    """The script that writes parts of the page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "scripts"))
        import compare_with_pykeen

        yield compare_with_pykeen


@pytest.fixture(scope="module")
def scores(script: ModuleType, reference: Path) -> list[script_type.Score]:
    found: list[script_type.Score] = script.read_scores(open_once(), reference / script.PUBLISHED)
    return found


def is_on_the_page(mark: str, lines: str) -> bool:
    return f"<!-- {mark} -->\n{lines}\n<!-- /{mark} -->" in (DOCS / "pykeen.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
def test_the_page_has_the_offsets_of_the_tables(script: ModuleType) -> None:
    assert is_on_the_page("offsets", script.render_offsets(open_once())), AGAIN


@pytest.mark.slow
def test_the_page_has_what_was_published(
    script: ModuleType, scores: list[script_type.Score], reference: Path
) -> None:
    indices = script.read_indices(open_once(), reference / script.PUBLISHED)
    assert is_on_the_page("published", script.render_published(open_once(), scores)), AGAIN
    assert is_on_the_page("errata", script.render_errata(scores, indices)), AGAIN


@pytest.mark.slow
def test_offset_of_nations_in_fractions(script: ModuleType) -> None:
    """Of the definitions: E[MRR] is the mean of H(N)/N, E[MR] of (N + 1)/2, E[Hits@10] of min(10/N,
    1).
    """
    histogram = open_once().histogram("nations", protocol="pykeen")
    counts = dict(zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True))
    (nations,) = (offset for offset in script.compare(open_once()) if offset.dataset == "nations")
    terms = {script.MRR: TERMS["mrr"], script.MR: TERMS["mr"], script.HITS: lambda rank: rank <= 10}
    for (moments, off), (metric, term) in itertools.product(
        ((nations.right, 0), (nations.reduced, 1)), terms.items()
    ):
        total = Fraction(0)
        for size, tasks in counts.items():
            ranks = range(1, size - off + 1)
            total += tasks * sum((Fraction(term(r)) for r in ranks), Fraction(0)) / len(ranks)
        expected = float(total / histogram.total)
        assert moments[metric].expectation == pytest.approx(expected, rel=1e-14)
    assert round(100 * nations.effect, 1) == 14.4
    assert round(nations.z_of_chance, 2) == -4.21


def test_errata_are_recomputed(script: ModuleType, reference: Path, tmp_path: Path) -> None:
    """The printed AMRR are those of ln N / (N - 1), by fractions of the definition they are others."""
    indices = script.read_indices(open_once(), reference / script.PUBLISHED)
    assert len(indices) == 16
    published, exact = indices["nations", "complex"]
    assert (round(published, 3), round(exact, 3)) == (0.188, 0.075)
    text = (
        (reference / script.PUBLISHED)
        .read_text(encoding="utf-8")
        .replace("0.1884352260226497", "0.1884362260226497")
    )
    (tmp_path / "changed.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="not formed"):
        script.read_indices(open_once(), tmp_path / "changed.tsv")


def test_verdicts_that_turn(script: ModuleType, scores: list[script_type.Score]) -> None:
    nations = {
        (score.model, score.metric.key): score for score in scores if score.dataset == "nations"
    }
    mrr = nations["complex", "inverse_harmonic_mean_rank"]
    assert (round(mrr.published, 2), round(mrr.right, 2)) == (-0.71, 3.42)
    assert mrr.changes
    unsure = [score for score in nations.values() if abs(score.published) <= 1.96]
    assert (len(unsure), sum(score.right > 1.96 for score in unsure)) == (9, 7)
    assert not any(score.changes for score in scores if score.dataset != "nations")
    # The last sentence on them.
    first = nations["transe", "hits_at_1"]
    assert script.judge(first.published) == script.judge(first.right) == "worse than random"


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
