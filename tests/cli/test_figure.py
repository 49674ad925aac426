"""``rankconst adjust --out figure.svg``: pictures of files, and every way to get it wrong."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Write

needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="the extra rankconst[plot] is not installed"
)

# Sun et al. 2019, RotatE, arXiv:1902.10197, table 5.
SUN = """model,dataset,MRR,MR,Hits@10
TransE,FB15k-237,0.294,357,0.465
RotatE,FB15k-237,0.338,177,0.533
TransE,WN18RR,0.226,3384,0.501
RotatE,WN18RR,0.476,3340,0.571
"""


@pytest.fixture
def table(write: Write) -> Path:
    return write(SUN, "sun.csv")


def texts(path: Path) -> list[str]:
    root = ET.parse(path).getroot()  # noqa: S314 - our own file
    assert root is not None
    return [
        "".join(each.itertext()).strip() for each in root.iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.mark.slow
@needs_matplotlib
def test_a_table(run: Run, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "figure.svg"
    screen = run("adjust", table, "--out", out, "--metric", "mrr", "-m", "hits@10")
    assert (screen.code, screen.out) == (0, "")
    assumed = (
        f"assumed: test split, both sides, standard protocol (nothing in {table} says otherwise). "
    )
    assert screen.message.startswith(f"{assumed}{out}: tables ")
    shown = texts(out)
    expected = (
        "as published: MRR", "adjusted for chance: AH@10", "over counting: MRR skill",
        "FB15k-237 (14,306)",
    )  # fmt: skip
    for text in (*expected, "TransE", "RotatE"):
        assert text in shown
    assert "as published: MR" not in shown


def test_without_matplotlib(
    run: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankconst.figures.find_spec", lambda _: None)
    screen = run("adjust", table, "-o", tmp_path / "a.svg")
    assert screen.code == 3
    assert (
        "pictures need matplotlib, which is missing. Run: pip install 'rankconst[plot]'"
        in screen.message
    )
    assert not (tmp_path / "a.svg").exists()
