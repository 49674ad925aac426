"""``rankconst lint``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rankconst.checks.lint.rules import RULES
from rankconst.cli.lint import SHOWN

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, RunInTerminal

# RotatE, Sun et al. 2019, arXiv:1902.10197.
HEADING = "model,dataset,MR,MRR,Hits@1,Hits@3,Hits@10\n"
FB15K237 = "RotatE,FB15k-237,177,0.338,0.241,0.375,0.533\n"
WN18RR = "RotatE,WN18RR,3340,0.476,0.428,0.492,0.571\n"
SLIP = WN18RR.replace("0.492", "0.592")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    path.write_text(HEADING + FB15K237 + WN18RR, encoding="utf-8")
    return path


@pytest.fixture
def slip(tmp_path: Path) -> Path:
    path = tmp_path / "slip.csv"
    path.write_text(HEADING + FB15K237 + SLIP, encoding="utf-8")
    return path


def test_good_numbers(run: Run, good: Path) -> None:
    screen = run("lint", good)
    assert (screen.code, screen.out, screen.err) == (0, "", "2 rows, 10 numbers, 0 findings\n")


def test_a_slip(run: Run, slip: Path) -> None:
    screen = run("lint", slip)
    assert screen.code == 6
    assert screen.out == (
        f"{slip}:3: error: hits-monotone: RotatE, WN18RR: "
        "Hits@3 0.592 (0.5915 to 0.5925) is above Hits@10 0.571 (0.5705 to 0.5715).\n"
        "    must hold: Hits@3 <= Hits@10. A slip in one of the two, or the two are exchanged.\n"
    )
    assert screen.err == "2 rows, 10 numbers, 1 finding (1 error)\n"


def test_json(run: Run, slip: Path) -> None:
    screen = run("lint", slip, "--format", "json")
    assert screen.code == 6
    (record,) = screen.records
    assert list(record) == [
        "file", "line", "columns", "severity", "rule", "label", "inequality", "statement", "cause", "values",
    ]  # fmt: skip
    assert (record["line"], record["columns"], record["rule"]) == (3, ["Hits@3", "Hits@10"], "hits-monotone")
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
    assert run("lint", slip, "--format", "json", "--rule", "range").records == []


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "markdown", "latex", "parquet"])
def test_other_formats(run: Run, run_child: Run, slip: Path, form: str) -> None:
    # What is captured here has to be text.
    screen = (run_child if form == "parquet" else run)("lint", slip, "--format", form)
    assert screen.code == 6
    assert "hits-monotone" in screen.out
    if form == "csv":
        (row,) = screen.rows
        assert row["columns"] == "Hits@3; Hits@10"


def test_options_reach_the_rules(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "percent.csv"
    path.write_text("MRR,Hits@1\n46.1,42.76675787\n", encoding="utf-8")
    tasks = ("--dataset", "wn18rr", "--split", "test", "--side", "both")
    assert "(percent)" in run("lint", path, *tasks).message
    for protocol, found in (("pykeen", set()), ("standard", {"multiple-of-1/n"})):
        screen = run("lint", path, *tasks, "--percent", "--protocol", protocol, "--format", "json")
        # 42.766 % is 2,501 of 5,848 and no share of 6,268; an MRR below it is possible under neither.
        assert {record["rule"] for record in screen.records} - {"mrr-from-hits"} == found
    assert run("lint", path, *tasks, "--percent", "-t", "pykeen", "--rule", "multiple-of-1/n").code == 0
    assert run("lint", path, "--input-format", "csv", "--percent").code == 0


def test_macro_averages_are_no_shares_of_n(run: Run, tmp_path: Path) -> None:
    """0.4277 of 6,268 ranks is not a share; a mean over relations may well be."""
    path = tmp_path / "macro.csv"
    path.write_text("model,Hits@1\nRotatE,0.42770001\n", encoding="utf-8")
    for aggregation, found in (("micro", ["multiple-of-1/n"]), ("macro-relation", [])):
        screen = run("lint", path, "-d", "wn18rr", "--aggregation", aggregation, "--format", "json")
        assert (screen.code, [record["rule"] for record in screen.records]) == (0, found)


def test_many_findings_of_one_cause_are_shortened(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text(HEADING + SLIP * 9, encoding="utf-8")
    screen = run("lint", path)
    assert len(re.findall(r"error: hits-monotone", screen.out)) == SHOWN
    assert f"hits-monotone: {9 - SHOWN} more of severity error, --format json lists all." in screen.out
    assert len(run("lint", path, "--format", "json").records) == 9


def test_percentages_of_what_is_no_share(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "percent.csv"
    path.write_text("model,MR,MRR\nRotatE,17%,0.338\n", encoding="utf-8")
    screen = run("lint", path, "--format", "json")
    assert (screen.code, screen.records[0]["values"][0]["value"]) == (6, None)
    assert "17% is a percentage, but MR is not a share." in screen.out


def test_what_was_not_checked_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "unknown.csv"
    path.write_text(HEADING + FB15K237.replace("FB15k-237", "no such graph"), encoding="utf-8")
    screen = run("lint", path)
    assert screen.code == 0
    told = "the ranking tasks are unknown, so rules that need them are left out: unknown dataset"
    assert screen.err.startswith(f"note: {path}: {told}")


def test_questions_are_those_of_adjust(run: Run, tmp_path: Path) -> None:
    """All numbers wait for an answer: 8, unless there are errors anyway; some do: only if strict."""
    path, dev = tmp_path / "asked.csv", FB15K237.replace("RotatE", "RotatE at best on dev")
    accept = "--accept dev if it says nothing about these numbers"
    asked = (
        f'asked: {path}, line 2 (5 numbers): "dev" in its row, "RotatE at best on dev": add --split valid, or {accept}.'
    )
    for rows, options, code in (
        (dev, (), 8), (dev, ("--accept", "dev"), 0), (dev, ("--split", "test"), 0), (dev + FB15K237, (), 0),
        (dev + FB15K237, ("--strict",), 8), (dev.replace("0.375", "0.575"), (), 6),
    ):  # fmt: skip
        path.write_text(HEADING + rows, encoding="utf-8")
        screen = run("lint", path, *options)
        assert (screen.code, asked in screen.err) == (code, options in {(), ("--strict",)})
        assert (asked in run("adjust", path, *options).err) == (asked in screen.err)


def test_rules_are_listed(run: Run) -> None:
    screen = run("lint", "--rules", "--format", "json")
    assert [record["rule"] for record in screen.records] == list(RULES)
    assert all(all(record.values()) for record in screen.records)
    assert "hits-monotone" in run("lint", "--rules").out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "name a results file, or list the rules with --rules"),
        (("--rule", "range",), 2, "name a results file"),
        (("nothing.csv",), 6, "there is no file nothing.csv"),
    ],
)  # fmt: skip
def test_refusals(run: Run, arguments: tuple[str, ...], code: int, message: str) -> None:
    screen = run("lint", *arguments)
    assert screen.code == code
    assert message in screen.message


@pytest.mark.parametrize(
    ("option", "code"), [(("--dataset", "fb15k238"), 4), (("--rule", "hits"), 4), (("--dataset", "wn18rr"), 2)]
)
def test_names_are_checked(run: Run, good: Path, option: tuple[str, ...], code: int) -> None:
    screen = run("lint", good, *option)
    assert (screen.code, screen.out) == (code, "")


@pytest.mark.slow
def test_terminal(run_in_terminal: RunInTerminal, slip: Path) -> None:
    """Long sentences are wrapped and indented; colours are left out on request."""
    coloured = run_in_terminal("lint", slip, columns=70)
    assert "\x1b[" in coloured.out
    plain = run_in_terminal("lint", slip, columns=70, env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", plain.out)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", plain.out).splitlines()
    assert max(map(len, lines)) <= 70
    assert [line.startswith("    ") for line in lines[1:-1]] == [True] * (len(lines) - 2)
    assert lines[-1] == "2 rows, 10 numbers, 1 finding (1 error)"
