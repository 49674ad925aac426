"""Baselines on screens: the ladder of one number, skill in files and frames, pictures, and what is
refused.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import pytest

import rankconst
from carried import open_once
from rankconst.catalogue.baselines import BASELINES

pd = pytest.importorskip("pandas")

if TYPE_CHECKING:
    from cli.conftest import Run, Write

# E[MRR] and E[Hits@10] on test, both sides, protocol standard: counted and summed once more by
# another program, a loop over triples and scores.
EXPECTED = {
    ("fb15k237", "uniform"): ("0.00071", "0.0007"),
    ("fb15k237", "frequency"): ("0.23455", "0.356"),
    ("wn18rr", "uniform"): ("0.00027", None),
    ("wn18rr", "frequency"): ("0.02563", "0.044"),
    ("nations", "uniform"): ("0.38444", "0.947"),
    ("nations", "frequency"): ("0.56449", "0.965"),
    ("umls", "uniform"): ("0.05883", "0.103"),
    ("umls", "frequency"): ("0.66876", "0.883"),
    ("codexsmall", "frequency"): ("0.21581", None),
    ("codexmedium", "frequency"): ("0.13433", None),
}

# The baselines of the tables that came with the package.
LADDER = open_once().list_baselines("all")
FURTHER = LADDER[1:]

TABLE = "model,dataset,MRR,Hits@10\nRotatE,FB15k-237,.338,.533\nDistMult,UMLS,.546,.797\n"


@pytest.mark.parametrize(("dataset", "baseline"), EXPECTED)
def test_what_a_baseline_gets(dataset: str, baseline: str) -> None:
    tables = open_once()
    for metric, told in zip(("mrr", "hits@10"), EXPECTED[dataset, baseline], strict=True):
        if told is not None:
            decimals = len(told.partition(".")[2])
            found = tables.constants(dataset, metric, baseline=baseline).expectation
            assert f"{found:.{decimals}f}" == told


def test_all_baselines_are_those_of_the_tables(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the catalogue that no builder has counted yet is not asked of them."""
    monkeypatch.setitem(BASELINES, "newest", BASELINES["counting"]._replace(key="newest"))
    args = ("adjust", 0.546, "-d", "umls", "-m", "mrr", "-b", "all", "--json")
    assert [row["baseline"] for row in run(*args).records] == [*LADDER]
    assert rankconst.load().list_baselines("all") == LADDER


def test_a_value_out_of_reach_has_a_p_of_zero(run: Run) -> None:
    args = ("adjust", 0.9, "-d", "fb15k237", "-m", "hits@1", "-b", "frequency")
    row = run(*args, "--json").records[-1]
    assert (row["log10_p"], row["p_method"]) == (-math.inf, "exact")
    assert [row[-1] for row in run(*args, "--details").cells if "frequency" in row] == ["0"]


@pytest.mark.slow
def test_files_and_frames_get_skill_next_to_the_index(run: Run, write: Write) -> None:
    path = write(TABLE)
    rows = run("adjust", path, "-b", "all", "--details", "--json").records
    frame = rankconst.adjust(pd.read_csv(path, dtype=str), baseline="all")
    for row, dataset, text in zip(rows, ("fb15k237", "umls"), (".533", ".797"), strict=True):
        for (name, metric), key in itertools.product(
            (("MRR", "mrr"), ("Hits@10", "hits@10")), FURTHER
        ):
            constants = open_once().constants(dataset, metric, baseline=key)
            assert row[f"{name}_expectation_{key}"] == constants.expectation
            assert row[f"{name}_skill_{key}"] == constants.index(row[name])
            assert row[f"{name}_z_{key}"] == constants.z(row[name])
            p = constants.significance(text).log10 if metric == "hits@10" else None
            assert row[f"{name}_log10_p_{key}"] == p
            assert frame[f"{name}_skill_{key}"].tolist() == [
                each[f"{name}_skill_{key}"] for each in rows
            ]
    brief = run("adjust", path, "-b", "all", "-f", "csv").rows
    added = [f"{name}_skill_{key}" for name in ("MRR", "Hits@10") for key in FURTHER]
    assert [key for key in brief[0] if "skill" in key] == added
    plain = run("adjust", path, "--json").records
    assert [{key: row[key] for key in plain[0]} for row in rows] == plain
    assert (
        "All 4 numbers are better than chance (p < 0.05). 2 are better than counting (p < 0.05)."
        in run("adjust", path).out
    )
