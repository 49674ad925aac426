"""What a terminal of 80 columns shows: no index is lost, no markup or escape code is text, no column is folded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from cli.conftest import ESCAPE

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, RunInTerminal, Write

WIDTH = 80

PAPER = r"""\begin{tabular}{lrrrrrr}
 & \multicolumn{3}{c}{FB15k-237} & \multicolumn{3}{c}{WN18RR} \\
Model & MR & MRR & H@10 & MR & MRR & H@10 \\
TransE & 357 & .294 & .465 & 3384 & .226 & .501 \\
RotatE & \textbf{177} & \textbf{.338{\tiny$\pm$.002}} & \textbf{.533} & 3340 & \textbf{.476} & .571 \\
\end{tabular}
"""
INDICES = ["AMRI", "AMRR", "AH@10"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder, so that the names of files are short."""
    monkeypatch.chdir(tmp_path)


def look(run_in_terminal: RunInTerminal, *args: str | Path, columns: int = WIDTH) -> list[list[str]]:
    """Return the cells of a screen, each line of which fits."""
    screen = run_in_terminal("adjust", *args, columns=columns)
    assert screen.code == 0, screen.out
    lines = ESCAPE.sub("", screen.out).splitlines()
    assert "\\x1b" not in screen.out
    assert "…" not in screen.out
    assert all(len(line) <= columns for line in lines), screen.out  # notes are wrapped, too
    return [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip() and "───" not in line]


def test_one_value(run_in_terminal: RunInTerminal) -> None:
    assert look(run_in_terminal, "0.338", "-d", "fb15k237", "-m", "mrr") == [
        ["MRR on FB15k-237 (test, both sides, protocol standard)"],
        ["published", "0.338"],
        ["adjusted", "0.3375", "AMRR: 0 = chance, 1 = perfect"],
        ["chance", "0.0007", "a random ranker"],
        ["counting", "0.2345", "a ranker that only counts training triples"],
        ["others", "0.145 to 0.376", "52 published results, 40 of them worse"],
        ["Chance hardly matters here: it changes 0.338 by 0.0005. Counting gets 0.2345;"],
        ["0.338 is 13.5% of the way from there to perfect."],
        ["Assumed: test split, both sides, standard protocol."],
        [f"More: --details. Tables {open_once().version}."],
    ]


def test_details_leave_where_there_is_no_room(run_in_terminal: RunInTerminal) -> None:
    details = look(run_in_terminal, "0.338", "-d", "fb15k237", "-m", "mrr", "--details")
    assert details[1:3] == [
        ["dataset", "MRR", "AMRR", "chance", "counting", "p"],
        ["fb15k237", "0.338", "0.3375 (0.3370–0.3381)", "0.0007", "0.2345", "< 1e-300"],
    ]
    assert details[-1] == ["Left out for lack of width: normalised, z."]


@pytest.mark.parametrize(
    ("columns", "options", "kept"),
    [(80, (), ["MR", "MRR", "H@10"]), (50, (), ["MR"]), (80, ("-b", "all"), []), (120, ("-b", "counting"), ["MR"])],
)
def test_a_file_with_two_datasets_and_three_metrics(
    run_in_terminal: RunInTerminal, write: Write, columns: int, options: tuple[str, ...], kept: list[str]
) -> None:
    path = write(PAPER, "paper.tex")
    lines = look(run_in_terminal, path.name, *options, columns=columns)
    heads = [line for line in lines if line[0] == "Model"]
    assert len(heads) == 2
    assert heads[0] == heads[1]
    assert [name for name in heads[0] if name in INDICES] == INDICES
    assert [name for name in heads[0] if name in ("MR", "MRR", "H@10")][: len(kept)] == kept
    for dataset, values in (("fb15k237", ("177", ".338", ".533")), ("wn18rr", ("3340", ".476", ".571"))):
        constants = (open_once().constants(dataset, metric) for metric in ("mr", "mrr", "hits@10"))
        shown = [f"{each.index(float(value)):.4f}" for each, value in zip(constants, values, strict=True)]
        row = lines[[*map(" ".join, lines)].index("FB15k-237" if dataset == "fb15k237" else "WN18RR") + 3]
        assert row[0] == "RotatE"
        assert [row[heads[0].index(name)] for name in INDICES] == shown
    assert not any(sign in cell for line in lines for cell in line for sign in ("\\", "textbf", "$"))


def test_a_column_of_the_users_is_not_lost(run_in_terminal: RunInTerminal, write: Write) -> None:
    path = write("model,dataset,MRR,MR,Hits@10,comment\nRotatE,FB15k-237,0.338,177,0.533,tuned once\n")
    lines = look(run_in_terminal, path.name)
    heading = next(line for line in lines if line[0] == "model")
    assert [name for name in heading if name not in {"MRR", "MR"}] == [
        *("model", "dataset", "comment", "AMRR", "AMRI", "AH@10"),
    ]
    assert any("tuned once" in line for line in lines)
    assert lines[-1] == ["Left out for lack of width: Hits@10."]


def test_an_index_without_a_name_has_no_colon_before_its_meaning(run: Run) -> None:
    screen = run("adjust", "0.5", "-d", "wn18rr", "-m", "ndcg")
    assert (screen.code, "   0 = chance, 1 = perfect" in screen.out, " : 0 = chance" in screen.out) == (0, True, False)
