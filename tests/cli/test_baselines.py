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
from rankconst.names import join_words

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


def test_the_ladder_in_detail(run: Run) -> None:
    args = ("adjust", 0.546, "-d", "umls", "-m", "mrr", "-b", "all")
    places = ["published", "adjusted", "chance", *FURTHER]
    assert [line[0] for line in run(*args).cells[1 : 1 + len(places)]] == places
    for row in run(*args, "--json").records:
        constants = open_once().constants("umls", "mrr", baseline=row["baseline"])
        adjusted = constants.adjust("0.546")
        assert row["expectation"] == constants.expectation
        assert row["index"] == adjusted.index
        assert row["z"] == adjusted.z
    details = run(*args, "--details")
    assert details.cells[1] == ["baseline", "MRR", "skill", "z", "expected", "p"]
    assert [line[0] for line in details.cells if line[0] in LADDER] == [*LADDER]
    assert "skill: 0 = as the baseline, 1 = perfect" in details.out


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


def test_what_a_file_holds_without_a_baseline_is_left_blank(run: Run, write: Write) -> None:
    path = write("model,dataset,split,MRR\nA,UMLS,test,.5\nA,UMLS,train,.6\n")
    rows = run("adjust", path, "-b", "frequency", "-f", "json").records
    assert [row["MRR_skill_frequency"] is None for row in rows] == [False, True]
    assert [
        "no skill: baseline frequency has no constants" in (row["note"] or "") for row in rows
    ] == [False, True]
    frame = rankconst.adjust(pd.read_csv(path, dtype=str), baseline="frequency")
    assert ["no constants on the training set" in note for note in frame["note"]] == [False, True]
    path.write_text("model,dataset,split,MRR\nA,UMLS,train,.6\n", encoding="utf-8")
    assert "no constants on the training set" in run("adjust", path, "-b", "frequency").message


PAPER = r"""\begin{tabular}{lcc}
 & MRR & Hits@10 (\%) \\ \hline
\multicolumn{3}{c}{FB15k-237} \\ RotatE & .338 & 53.3 \\ \hline
\multicolumn{3}{c}{UMLS} \\ DistMult & \textbf{.546} & 79.7 \\
\end{tabular}
"""


@pytest.mark.parametrize("key", FURTHER)
def test_replacing_by_skill(run: Run, write: Write, key: str) -> None:
    path = write(PAPER, "paper.tex")
    told = run("adjust", path, "--replace", "skill", "-b", key).out
    constants = open_once().constants
    first = (
        constants("fb15k237", "mrr", baseline=key),
        constants("fb15k237", "hits@10", baseline=key),
    )
    skills = first[0].index(0.338), constants("umls", "mrr", baseline=key).index(0.546)
    one, other = (f"{skill:.3f}".replace("0.", ".") for skill in skills)
    assert f"RotatE & {one} & {100 * first[1].index(0.533):.1f} " in told
    assert f"DistMult & \\textbf{{{other}}} & " in told  # bold stays where it was
    assert f" & MRR skill ({key}) & Hits@10 skill ({key}) (\\%)" in told
    assert told.startswith(f"% Compared with the {key} baseline")
    again = write(told, "again.tex")
    assert "it is compared with a baseline already" in run("adjust", again).message


def test_replacing_by_chance_needs_no_baseline(run: Run, write: Write) -> None:
    path = write(PAPER, "paper.tex")
    plain = run("adjust", path, "--replace", "AMRR").out.splitlines()
    assert (
        run("adjust", path, "--replace", "AMRR", "-b", "chance").out.splitlines()[3:] == plain[3:]
    )


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--replace", "AMRR", "-b", "frequency"), "AMRR means chance; against the frequency baseline replace"),
        (("--replace", "normalised", "-b", "frequency"), "normalised means chance"),
        (("--replace", "skill"), "skill over which baseline?"),
        (("--replace", "skill", "-b", "chance"), "skill over which baseline?"),
        (("--replace", "skill", "-b", "all"), f"--replace is over one baseline: {join_words(FURTHER)}?"),
    ],
)  # fmt: skip
def test_names_of_chance_are_not_used_of_skill(
    run: Run, write: Write, args: tuple[str, ...], told: str
) -> None:
    path = write(PAPER, "paper.tex")
    screen = run("adjust", path, *args)
    assert screen.code == 2
    assert told in screen.message
