"""What a terminal of 80 columns shows: no index is lost, no markup or escape code is text, no
column is folded.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from cli.conftest import ESCAPE
from rankconst.cli.output import Notice

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import RunInTerminal, Write

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


def look(
    run_in_terminal: RunInTerminal, *args: str | Path, columns: int = WIDTH
) -> list[list[str]]:
    """Return the cells of a screen, each line of which fits."""
    screen = run_in_terminal("adjust", *args, columns=columns)
    assert screen.code == 0, screen.out
    lines = ESCAPE.sub("", screen.out).splitlines()
    assert "\\x1b" not in screen.out
    assert "…" not in screen.out
    assert all(len(line) <= columns for line in lines), screen.out  # notes are wrapped, too
    return [
        re.split(r"\s{2,}", line.strip()) for line in lines if line.strip() and "───" not in line
    ]


def test_one_value(run_in_terminal: RunInTerminal) -> None:
    assert look(run_in_terminal, "0.338", "-d", "fb15k237", "-m", "mrr") == [
        ["MRR on FB15k-237 (test, both sides, protocol standard)"],
        ["published", "0.338"],
        ["adjusted", "0.3375", "AMRR: 0 = chance, 1 = perfect"],
        ["chance", "0.0007", "a random ranker"],
        ["counting", "0.2345", "a ranker that only counts training triples"],
        ["others", "0.145 to 0.376", "52 published results collected here, 40 worse"],
        ["Chance hardly matters here: it changes 0.338 by 0.0005. Counting gets 0.2345;"],
        ["0.338 is 13.5% of the way from there to perfect."],
        ["Assumed: test split, both sides, standard protocol."],
        [f"More: --details. Tables {open_once().version}."],
    ]


def test_details_are_below_each_other_where_there_is_no_room(
    run_in_terminal: RunInTerminal,
) -> None:
    asked = ("-d", "fb15k237", "-m", "mrr", "--details")
    details = look(run_in_terminal, "0.338", *asked)
    assert [line[0] for line in details[1:8]] == [
        *("MRR", "normalised", "AMRR", "z", "chance", "counting", "p"),
    ]
    assert details[3] == ["AMRR", "0.3375 (0.3370–0.3381)", "0 = chance, 1 = perfect"]
    assert not any("Left out" in cell for line in details for cell in line)
    both = look(run_in_terminal, "0.338", "0.340", *asked)
    assert [line[1] for line in both if line[0] == "MRR"] == ["0.338", "0.340"]


def test_datasets_as_columns_have_the_adjusted_number_next_to_their_own(
    run_in_terminal: RunInTerminal, write: Write
) -> None:
    path = write(
        "Model,FB15k-237,WN18RR,CoDEx-M,YAGO3-10\nA,0.338,0.476,0.317,0.495\nB,0.31,0.4,0.3,0.4\n",
        "lb.csv",
    )
    lines = look(run_in_terminal, path.name, "-m", "mrr")
    assert ["Model", "FB15k-237", "AMRR", "WN18RR", "AMRR", "CoDEx-M", "AMRR", "YAGO3-10"] in lines
    assert ["A", "0.338", "0.3375", "0.476", "0.4759", "0.317", "0.3166", "0.495"] in lines
    # What is not adjusted leaves first.
    lines = look(run_in_terminal, path.name, "-m", "mrr", columns=60)
    assert ["Model", "FB15k-237", "AMRR", "WN18RR", "AMRR", "CoDEx-M", "AMRR"] in lines


def test_what_is_left_out_is_not_explained(run_in_terminal: RunInTerminal) -> None:
    for columns in (60, 80, 200):
        out = run_in_terminal("show", "umls", "mrr", columns=columns).out
        assert (
            (re.search(r"protocol .* enough", out) is not None)
            == ("enough: a difference" in out)
            == (columns > 60)
        )
    screen = run_in_terminal("show", "protocols").out.replace("\n" + " " * 12, "")
    rows = [line.split(maxsplit=1)[1] for line in screen.splitlines()[2:10] if line.strip()]
    assert len({*rows}) >= len(rows) - 1


@pytest.mark.parametrize(
    ("columns", "options", "kept"),
    [
        (80, (), ["MR", "MRR", "H@10"]),
        (50, (), []),
        (80, ("-b", "all"), []),
        (120, ("-b", "counting"), ["MR"]),
    ],
)
def test_a_file_with_two_datasets_and_three_metrics(
    run_in_terminal: RunInTerminal,
    write: Write,
    columns: int,
    options: tuple[str, ...],
    kept: list[str],
) -> None:
    path = write(PAPER, "paper.tex")
    lines = look(run_in_terminal, path.name, *options, columns=columns)
    heads = [line for line in lines if line[0] == "Model"]
    assert len(heads) == 2
    assert [name.split()[0] for name in heads[0]] == [name.split()[0] for name in heads[1]]
    assert [name for name in heads[0] if name in INDICES] == INDICES
    assert [name for name in heads[0] if name in ("MR", "MRR", "H@10")][: len(kept)] == kept
    for dataset, values in (
        ("fb15k237", ("177", ".338", ".533")),
        ("wn18rr", ("3340", ".476", ".571")),
    ):
        constants = (open_once().constants(dataset, metric) for metric in ("mr", "mrr", "hits@10"))
        shown = [
            f"{each.index(float(value)):.4f}" for each, value in zip(constants, values, strict=True)
        ]
        below = lines[lines.index(["FB15k-237" if dataset == "fb15k237" else "WN18RR"]) :]
        row = next(line for line in below if line[0] == "RotatE")
        assert [row[heads[0].index(name)] for name in INDICES] == shown
    assert not any(
        sign in cell for line in lines for cell in line for sign in ("\\", "textbf", "$")
    )


def test_a_column_of_the_users_is_not_lost(run_in_terminal: RunInTerminal, write: Write) -> None:
    path = write(
        "model,dataset,MRR,MR,Hits@10,comment\n"
        "RotatE,FB15k-237,0.338,177,0.533,tuned once\nConvE,FB15k-237,0.325,244,0.501,tuned twice\n"
    )
    lines = look(run_in_terminal, path.name, columns=66)
    heading = next(line for line in lines if line[0] == "model")
    assert [name for name in heading if name not in {"MRR", "MR"}] == [
        *("model", "dataset", "comment", "AMRR", "AMRI", "AH@10"),
    ]
    assert any("tuned once" in line for line in lines)
    assert lines[-1] == ["Left out for lack of width: MRR, MR, Hits@10."]


def test_a_command_says_what_it_does_when_it_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And erases that before it says anything else; nothing where no terminal is."""
    piped, notice = Notice(), Notice()
    piped.start("adjusting paper.csv ...")
    assert piped._timer is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(Notice, "delay", 0.0)
    notice.start("adjusting paper.csv ...")
    assert notice._timer is not None
    notice._timer.join()
    notice.stop()
    assert capsys.readouterr().err == "adjusting paper.csv ...\r\x1b[K"
    notice.stop()
    assert capsys.readouterr().err == ""
