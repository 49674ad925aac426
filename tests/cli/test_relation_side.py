"""Relation prediction on the command line, on a graph of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankconst
from brute import count_brute_force
from cli.conftest import SMALL
from rankconst.catalogue.protocols import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Run

pytest.importorskip("pandas", reason="sets are built with pandas")

pytestmark = pytest.mark.usefixtures("builder", "cheap_constants")


@pytest.fixture
def own(run: Run, write_graph: Callable[..., list[str]], tmp_path: Path) -> str:
    out = str(tmp_path / "own")
    options = ["--name", "MyKG", "--out", out, "--splits", "train,valid,test", "-b", "all"]
    assert run("build", *write_graph(SMALL), *options).code == 0
    return out


@pytest.mark.slow
def test_show_adjust_and_rebuild(run: Run, own: str) -> None:
    counts = count_brute_force(SMALL, PROTOCOLS["standard"], "test").relation
    options = ("mr", "-p", "standard", "--tables", own, "-f", "json")
    rows = run("show", "mykg", *options, "--side", "all").records
    assert [row["side"] for row in rows] == ["head", "tail", "both", "relation"]
    assert rows[-1]["num_tasks"] == len(counts)
    assert rows[-1]["expectation"] == pytest.approx((sum(counts) / len(counts) + 1) / 2)
    for more in (("--baseline", "all"), ("--aggregation", "query"), ("--relation", "r")):
        found = run("show", "mykg", *options, "--side", "all", *more)
        assert found.code in {2, 4} or "relation" not in {row["side"] for row in found.records}
    asked = ("adjust", 1.5, "-d", "mykg", "--side", "rel", "-m", "mr", "--tables", own)
    (row,) = run(*asked, "-f", "json").records
    assert row["index"] == rankconst.load(own).constants("mykg", "mr", side="relation").index(1.5)
    assert run(*asked, "-b", "counting").code == 2
    assert run("show", "mykg", "relations", "--side", "relation", "--tables", own).code == 2
