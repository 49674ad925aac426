"""``rankconst check``: what it finds in files and in numbers that are typed, what it says and what
it refuses.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import rankconst
from carried import open_once
from rankconst.checks.checking import RULES, SHOWN

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, RunInTerminal, Write

# RotatE, Sun et al. 2019, arXiv:1902.10197.
HEADING = "model,dataset,MR,MRR,Hits@1,Hits@3,Hits@10\n"
FB15K237 = "RotatE,FB15k-237,177,0.338,0.241,0.375,0.533\n"
WN18RR = "RotatE,WN18RR,3340,0.476,0.428,0.492,0.571\n"
SLIP = WN18RR.replace("0.492", "0.592")


@pytest.fixture
def slip(write: Write) -> Path:
    return write(HEADING + FB15K237 + SLIP, "slip.csv")


# Laws.


def test_other_datasets_than_the_one_asked_for_are_left_out(run: Run, slip: Path) -> None:
    """Nothing is said of sound numbers."""
    screen = run("check", slip, "-d", "fb15k237")
    said = "numbers of dataset WN18RR are left out: you asked for others."
    assert (screen.code, screen.out) == (0, "")
    assert screen.err == (
        f"note: {slip}: {said}\n"
        f"5 numbers: possible, as printed no worse than counting; {len(RULES)} rules tried\n"
    )
    screen = run("check", slip, "-d", "nations")
    assert (screen.code, screen.out) == (6, "")
    assert (
        "holds none of the numbers you asked for: it has dataset FB15k-237; dataset WN18RR."
        in screen.message
    )


def test_json(run: Run, slip: Path) -> None:
    screen = run("check", slip, "--json")
    assert screen.code == 6
    (record,) = screen.records
    assert list(record) == [
        "file", "line", "columns", "severity", "rule", "label", "inequality", "statement", "cause", "values",
        "table_version",
    ]  # fmt: skip
    assert record["line"] == 3
    assert record["columns"] == ["Hits@3", "Hits@10"]
    assert record["rule"] == "hits-monotone"
    assert record["table_version"] == open_once().version
    assert record["values"][0] == {
        "metric": "hits_at_3",
        "adjustment": None,
        "line": 3,
        "column": "Hits@3",
        "text": "0.592",
        "value": 0.592,
        "lower": pytest.approx(0.5915, abs=1e-6),
        "upper": pytest.approx(0.5925, abs=1e-6),
    }
    assert [row["columns"] for row in run("check", slip, "--format", "csv").rows] == [
        "Hits@3; Hits@10"
    ]
    percent = run("check", "mr=17%", "mrr=0.338", "--json")
    assert (percent.code, percent.records[0]["values"][0]["value"]) == (6, None)
    assert "17% is a percentage, but MR is not a share." in percent.out


def test_several_files(run: Run, slip: Path, write: Write) -> None:
    """As hooks call it: every file is checked, whatever is found in the first."""
    good = write(HEADING + WN18RR, "good.csv")
    screen = run("check", slip, good, slip)
    assert (screen.code, screen.out.count("hits-monotone")) == (6, 2)
    assert screen.err == "3 files, 25 numbers, 2 findings (2 errors)\n"
    assert [record["file"] for record in run("check", good, slip, "--json").records] == [str(slip)]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        # 42.766 % is 2,501 of 5,848 and no share of 6,268.
        (("--protocol", "pykeen"), []),
        (("--tool", "pykeen"), []),
        (("--protocol", "standard"), ["multiple-of-1/n"]),
        # A mean over relations may be anything.
    ],
)
def test_options_reach_the_laws(
    run: Run, write: Write, options: tuple[str, ...], found: list[str]
) -> None:
    path = write("model,Hits@1\nRotatE,42.76675787\n", "results.txt")
    tasks = ("-d", "wn18rr", "--split", "test", "--side", "both")
    screen = run("check", path, *tasks, "--percent", "--json", *options)
    assert (screen.code, [record["rule"] for record in screen.records]) == (0, found)


def test_many_findings_of_one_cause_are_shortened(run: Run, write: Write) -> None:
    path = write(HEADING + SLIP * 9, "many.csv")
    screen = run("check", path)
    assert len(re.findall(r"error: hits-monotone", screen.out)) == SHOWN
    assert f"hits-monotone: {9 - SHOWN} more of severity error, --json lists all." in screen.out
    assert len(run("check", path, "--json").records) == 9


def test_one_finding_says_that_counting_does_better(run: Run, tmp_path: Path) -> None:
    """PyKEEN's files have every number three times."""
    ranks = {"mrr": 0.45, "mr": 4.2, "hits_at_1": 0.2, "hits_at_3": 0.5, "hits_at_10": 0.95}
    path = tmp_path / "results.json"
    ties = dict.fromkeys(("optimistic", "realistic", "pessimistic"), ranks)
    path.write_text(json.dumps({"metrics": {"both": ties}}), encoding="utf-8")
    screen = run("check", path, "-d", "nations", "--tool", "pykeen")
    said = "below-counting: both, realistic: worse than counting in all 5 metrics"
    assert (screen.code, screen.out.count("below-counting"), said in screen.out) == (0, 1, True)
    assert "(MRR 0.4500; counting 0.8333)" in screen.out


def test_what_was_not_checked_is_said(run: Run, write: Write) -> None:
    path = write(HEADING + FB15K237.replace("FB15k-237", "no such graph"), "unknown.csv")
    screen = run("check", path)
    told = "the ranking tasks are unknown, so rules that need them are left out: unknown dataset"
    assert (screen.code, screen.err.startswith(f"note: {path}: {told}")) == (0, True)


def test_questions_are_those_of_adjust(run: Run, tmp_path: Path) -> None:
    """All numbers wait for an answer: 8, unless there are errors anyway."""
    path, dev = tmp_path / "asked.csv", FB15K237.replace("RotatE", "RotatE at best on dev")
    asked = (
        f'asked: {path}, line 2 (5 numbers): "dev" in its row, "RotatE at best on dev": add '
        "--split valid"
    )
    for rows, options, code in (
        (dev, (), 8), (dev, ("--accept", "dev"), 0), (dev, ("--split", "test"), 8), (dev + FB15K237, (), 0),
        (dev.replace("0.375", "0.575"), (), 6),
    ):  # fmt: skip
        path.write_text(HEADING + rows, encoding="utf-8")
        screen = run("check", path, *options)
        assert (screen.code, asked in screen.err) == (code, options == ())
        assert (asked in run("adjust", path, *options).err) == (asked in screen.err)


# Numbers of other ranking tasks.


def test_numbers_of_another_protocol_are_asked_about(run: Run) -> None:
    """ComplEx of the paper's collated results: MR 469.7, AMR 0.0658, AMRI 0.9343."""
    numbers = ("mr=469.7251", "amri=0.93430312", "count=40876", "-d", "fb15k237")
    screen = run("check", *numbers)
    assert (screen.code, screen.out) == (8, "")
    told = (
        "its numbers are those of protocol pykeen, not of standard: add --protocol pykeen, or "
        "--accept adjusted"
    )
    assert f"asked: the numbers (2 numbers): {told}" in screen.message
    for option in (("--protocol", "pykeen"), ("--tool", "pykeen"), ("--accept", "adjusted")):
        screen = run("check", *numbers, *option)
        assert (screen.code, "asked" in screen.err) == (0, False)


@pytest.mark.parametrize(
    ("numbers", "dataset"),
    [
        (("mr=469.7251", "amri=0.93430312", "count=40876"), "fb15k237 --protocol pykeen"),
        (("both.mr=469.7251281738281", "both.amr=0.0658277590554331", "--tool", "pykeen"), "fb15k237"),
        (("mrr=0.6563", "amrr=0.4416", "count=402"), "nations"),
    ],
)  # fmt: skip
def test_the_dataset_of_numbers_is_named_in_the_question(
    run: Run, numbers: tuple[str, ...], dataset: str
) -> None:
    screen = run("check", *numbers)
    assert (screen.code, screen.out) == (8, "")
    assert f": add --dataset {dataset}.\n" in screen.err
    assert run("check", *numbers, "--dataset", *dataset.split()).code == 0


@pytest.mark.slow
def test_a_file_of_pykeen(run: Run, reference: Path) -> None:
    path = reference / "pykeen_results" / "kinships_rotate.json"
    assert "its numbers are those of kinships: add --dataset kinships" in run("check", path).err
    screen = run("check", path, "-d", "kinships")
    assert screen.code == 6
    assert "never scaled" in screen.out
    assert "E[MRR] = ln(N)/(N - 1)" in screen.out
    assert "63 findings (63 errors)" in screen.message


def test_a_slip_is_asked_about_and_found(run: Run, tmp_path: Path) -> None:
    """Two runs of the paper's collated results on FB15k-237, one AMRI with two digits exchanged."""
    path = tmp_path / "results.csv"
    path.write_text(
        "model,count,MR,AMRI\nComplEx,40876,469.7251281738281,0.9343031751454628\n"
        "TransE,40876,219.0828857421875,0.9649333580872944\nnone,17,12,\n",
        encoding="utf-8",
    )
    screen = run("check", path, "-d", "fb15k237", "-p", "pykeen", "--json")
    (wrong,) = screen.records
    assert (wrong["rule"], wrong["severity"], wrong["line"]) == ("adjusted-mismatch", "error", 3)
    assert (
        "AMRI 0.96493336 does not belong to MR 219.08289: expected 0.96943336 on fb15k237"
        in wrong["statement"]
    )
    said = "its numbers are not those of fb15k237 test under pykeen"
    assert (
        f"line 3 (2 numbers): {said}: AMRI 0.96493336 does not belong to MR 219.08289"
        in screen.message
    )
    assert (
        f"line 4 (1 number): {said}: there are 40,876 ranks, not 17: add --relation NAME"
        in screen.message
    )
    adjusted = run("adjust", path, "-d", "fb15k237", "-p", "pykeen", "-f", "csv")
    assert [bool(row["AMRI_2"] if "AMRI_2" in row else row["AMRI"]) for row in adjusted.rows][
        :1
    ] == [True]


@pytest.mark.parametrize(
    ("row", "code", "words"),
    [
        # What leaves chance open says nothing.
        ("RotatE,177,0.9754321", 0, "no dataset is named"),
        ("RotatE,1.0,1.0", 0, "no dataset is named"),
        ("RotatE at best on dev,177,0.9754321", 8, 'line 2 (2 numbers): "dev" in its row'),
        # Of a graph that is in no table.
        ("RotatE,177.00000001,0.97543217777", 0, "no dataset is named"),
    ],
)
def test_numbers_that_do_not_show_their_tasks(
    run: Run, write: Write, row: str, code: int, words: str
) -> None:
    path = write(f"model,MR,AMRI\n{row}\n")
    screen = run("check", path)
    assert (screen.code, words in screen.message.replace(str(path), path.name)) == (code, True)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("count=40870", "-d", "fb15k237"), 8, "there are 40,932 ranks, not 40,870: add --relation NAME"),
        (("count=402", "-d", "nations", "-p", "static"), 0, "hold no test tasks of nations under protocol static"),
        (("mr=many",), 6, "'many' is not a number"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(run: Run, arguments: tuple[str, ...], code: int, words: str) -> None:
    screen = run("check", *arguments)
    assert (screen.code, words in screen.out + screen.message) == (code, True)


# The screen.


@pytest.mark.slow
def test_terminal(run_in_terminal: RunInTerminal, slip: Path) -> None:
    """Long sentences are wrapped and indented; colours are left out on request."""
    coloured = run_in_terminal("check", slip, columns=70)
    assert "\x1b[" in coloured.out
    plain = run_in_terminal("check", slip, columns=70, env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", plain.out)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", plain.out).splitlines()
    assert max(map(len, lines)) <= 70
    assert [line.startswith("    ") for line in lines[1:-1]] == [True] * (len(lines) - 2)
    assert lines[-1] == "10 numbers, 1 finding (1 error)"


# MRR and Hits@10 of TransE, TuckER and RotatE on three graphs, some of them made impossible or
# worse than counting.
MODELS = ("TransE", "TuckER", "RotatE")
PRINTED = {
    "FB15k-237": (("0.10", "0.486"), ("0.347", "0.528"), ("0.338", "0.533")),
    "WN18RR": (("0.226", "0.120"), ("0.470", "0.526"), ("0.476", "0.571")),
    "CoDEx-M": (("0.303", "0.454"), ("0.100", "0.200"), ("0.900", "0.500")),
}


@pytest.mark.parametrize("metrics", [("MRR",), ("MRR", "Hits@10")])
def test_models_in_columns_are_checked_like_models_in_rows(
    tmp_path: Path, metrics: tuple[str, ...]
) -> None:
    """Their numbers are of several evaluations, and each of them is compared with counting."""

    def find(lines: list[str]) -> set[tuple[str, str, str]]:
        path = tmp_path / "own.csv"
        path.write_text("\n".join(lines), encoding="utf-8")
        findings = rankconst.check(path).findings
        return {(each.label, each.rule, each.statement) for each in findings}

    size = len(metrics)
    rows = [f"model,dataset,{','.join(metrics)}"]
    rows += [
        f"{model},{graph},{','.join(numbers[:size])}"
        for graph, printed in PRINTED.items()
        for model, numbers in zip(MODELS, printed, strict=True)
    ]
    columns = [",".join(["dataset", *(f"{model} {key}" for model in MODELS for key in metrics)])]
    columns += [
        ",".join([graph, *(number for numbers in printed for number in numbers[:size])])
        for graph, printed in PRINTED.items()
    ]
    found = find(columns)
    assert found == find(rows)
    assert {"below-counting", "beyond-published"} <= {rule for _, rule, _ in found}
    assert ("mrr-from-hits" in {rule for _, rule, _ in found}) == (size == 2)


def test_only_numbers_that_were_compared_are_no_worse_than_counting(run: Run, write: Write) -> None:
    path = write("dataset,MRR\nFB15k-237,0.338\nAristo-v4,0.31\n", "two.csv")
    assert (
        "2 numbers: possible, 1 of them as printed no worse than counting; "
        in run("check", path).err
    )
    assert "no worse" not in str(rankconst.check(path, rules=["range"]))
