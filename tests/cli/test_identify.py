"""``rankconst identify``: what it prints for files and for numbers, and what it refuses."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Screen


def fields(screen: Screen) -> list[str]:
    """Return the cells of the one line of numbers given as options."""
    (row,) = (cells for cells in screen.cells if cells[0] == "as given")
    return row


# Numbers.


@pytest.mark.slow
@pytest.mark.parametrize(
    "numbers",
    [
        ("--num-tasks", "40876"),
        ("--metric", "mrr", "--expectation", "0.000712645"),
        ("--metric", "mrr", "--expectation", "0.000712645", "--deviation", "0.0000531"),
        ("--metric", "mr", "--value", "469.7251", "--index", "0.93430312", "--num-tasks", "40876"),
        ("--metric", "mr", "--value", "469.7251281738281", "--normalised", "0.0658277590554331"),
        ("--metric", "hits@7", "--expectation", "0.000492047", "--num-tasks", "40876"),
    ],
)
def test_numbers_of_fb15k237(run: Run, numbers: tuple[str, ...]) -> None:
    """ComplEx of the paper's collated results: MR 469.7, AMR 0.0658, AMRI 0.9343; and what the README prints."""
    assert fields(run("identify", *numbers))[1:5] == ["fb15k237", "test", "both", "pykeen"]


def test_several_fit_and_are_counted(run: Run) -> None:
    shown = run("identify", "--metric", "mrr", "--expectation", "0.000711")
    assert shown.code == 0
    rows = [cells for cells in shown.cells if cells[0] == "as given"]
    assert {row[1] for row in rows} == {"fb15k237", "mkg_w"}
    assert f"{len(rows)} sets of tasks fit equally well" in shown.message
    many = run("identify", "--metric", "mr", "--expectation", "7e3")
    assert len([cells for cells in many.cells if cells[0] == "as given"]) == 12
    assert "12 are shown" in many.message
    (record,) = run("identify", "--metric", "mr", "--expectation", "7e3", "--format", "json").records
    assert len(record["matches"]) > 12


def test_equal_constants_are_one_match(run: Run) -> None:
    shown = run("identify", "--num-tasks", 2148, "--metric", "mr", "--value", "23.5", "--index", "0.5184")
    assert fields(shown)[4] == "standard = libkge = pykeen"


def test_macro_averages_are_named(run: Run) -> None:
    asked = ("identify", "--metric", "mrr", "--expectation", "0.35971", "--aggregation", "macro-query")
    assert "macro-query" in fields(run(*asked))[4]
    (row,) = run(*asked, "-f", "csv").rows
    assert (row["dataset"], row["aggregation"], "macro" in row["protocol"]) == ("nations", "macro-query", False)


@pytest.mark.slow
def test_csv_has_a_row_for_each_match(run: Run) -> None:
    rows = run("identify", "--num-tasks", 402, "--format", "csv").rows
    assert [(row["dataset"], row["protocol"], row["num_tasks"]) for row in rows] == [
        ("nations", "standard = libkge = pykeen", "402"),
        ("nations", "raw", "402"),
    ]


@pytest.mark.parametrize(
    ("numbers", "code", "words"),
    [
        (
            ("--num-tasks", "40870"),
            6,
            "n = 40,870: no split has that many tasks; nearest fb15k237 test both",
        ),
        (("--metric", "mr", "--expectation", "7135.9"), 6, "nearest fb15k237 test both under pykeen: 7135.67"),
        (("--metric", "mr", "--value", "1.0", "--index", "1.0"), 6, "it is 1 within its rounding"),
        (("--metric", "mr", "--expectation", "0"), 6, "is not positive"),
        (("--metric", "mr", "--expectation", "many"), 6, "'many' is not a number"),
        ((), 2, "name a file, or numbers"),
        (("--metric", "mr"), 6, "is needed"),
        (("--expectation", "7135.67"), 2, "Add --metric"),
        (("--value", "470", "--index", "0.93"), 2, "Add --metric"),
        (("--metric", "mr", "--value", "470"), 2, "--value goes with"),
        (("--metric", "mr", "--index", "0.934"), 2, "--value goes with"),
        (("results.json", "--num-tasks", "402"), 2, "a file or numbers, not both"),
        (("--num-tasks", "402", "--dataset", "nationz"), 4, "Did you mean nations"),
        (("--num-tasks", "402", "--side", "top"), 4, "unknown side"),
        (("--num-tasks", "402", "--dataset", "ogbbiokg", "--protocol", "pykeen"), 4, "hold no such tasks"),
        (("--num-tasks", "0"), 2, "Invalid value"),
        (("no-such-file.json",), 6, "there is no file no-such-file.json"),
    ],
)
def test_what_fits_nothing_or_makes_no_sense(run: Run, numbers: tuple[str, ...], code: int, words: str) -> None:
    shown = run("identify", *numbers)
    assert shown.code == code
    assert words in shown.message
    assert not shown.out


# Files.


def test_a_file_of_pykeen(run: Run, reference: Path) -> None:
    path = reference / "pykeen_results" / "kinships_rotate.json"
    shown = run("identify", path)
    assert shown.code == 0
    rows = {cells[0]: cells for cells in shown.cells if cells[0] in {"both", "head", "tail"}}
    assert {side: row[1:5] for side, row in rows.items()} == {
        side: ["kinships", "test", side, "pykeen = standard = libkge"] for side in ("both", "head", "tail")
    }
    assert "never scaled" in shown.out
    assert "E[MRR] = ln(N)/(N - 1)" in shown.out
    assert "63 of 117 adjusted values do not belong to their base values" in shown.message


def test_json_tells_everything(run: Run, reference: Path) -> None:
    records = run("identify", reference / "pykeen_results" / "wn18rr_transe.json", "--format", "json").records
    assert [record["numbers"] for record in records] == ["wn18rr, both", "wn18rr, head", "wn18rr, tail"]
    for record in records:
        (match,) = record["matches"]
        assert (match["dataset"], match["split"], match["protocol"]) == ("wn18rr", "test", "pykeen")
        assert (match["agreeing"], match["total"]) == (19, 22)
        assert len(match["evidence"]) == 22
        assert record["checked"] == 39
        assert record["largest_difference"] < 5e-7
        assert Counter(each["cause"] for each in record["mismatches"]) == {"unscaled": 18, "logarithm_of_mean": 3}
        assert {each["name"] for each in record["mismatches"] if each["cause"] == "logarithm_of_mean"} == {"AMRR"}


def test_a_table(run: Run, tmp_path: Path) -> None:
    """Two runs of the paper's collated results on FB15k-237, one AMRI with two digits exchanged."""
    path = tmp_path / "results.csv"
    path.write_text(
        "model,count,MR,AMRI\nComplEx,40876,469.7251281738281,0.9343031751454628\nTransE,40876,219.0828857421875,0.9649333580872944\n",
        encoding="utf-8",
    )
    shown = run("identify", path, "--format", "json")
    first, second = shown.records
    assert [each["matches"][0]["dataset"] for each in (first, second)] == ["fb15k237", "fb15k237"]
    assert (first["mismatches"], first["line"]) == ([], 2)
    (wrong,) = second["mismatches"]
    assert (wrong["name"], wrong["cause"]) == ("AMRI", "unknown")
    assert wrong["place"].startswith("line 3")
    assert wrong["expected"] == pytest.approx(0.9694333580872944, rel=1e-6)
    assert "1 of 2 adjusted values do not belong" in shown.message


@pytest.mark.parametrize(
    ("row", "code", "words"),
    [
        ("RotatE,177,0.338", 6, "an adjusted value with its base value, or the number of ranks, is needed"),
        # Without evidence the answer would not help.
        ("RotatE at best on dev,177,0.338", 6, "the number of ranks, is needed"),
        ("RotatE at best on dev,177.00000001,0.97543217777", 8, 'line 2 (2 numbers): "dev" in its row'),
        ("RotatE at best on dev,177.00000001,0.97543217777", 8, "error: results.csv: nothing fits"),
        ("RotatE at best on dev,177,0.9754321", 0, 'line 2 (2 numbers): "dev" in its row'),
    ],
)
def test_a_file_that_does_not_show_its_tasks(run: Run, tmp_path: Path, row: str, code: int, words: str) -> None:
    path = tmp_path / "results.csv"
    path.write_text(f"model,MR,{'MRR' if code == 6 else 'AMRI'}\n{row}\n", encoding="utf-8")
    shown = run("identify", path)
    assert shown.code == code
    assert words in shown.message.replace(str(path), path.name)
    assert ("asked:" in shown.message) == (code != 6)


def test_json_is_json_even_for_what_is_unknown(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("model,count,MR\nA,40876,177\nB,17,12\n", encoding="utf-8")
    shown = run("identify", path, "--format", "json")
    assert shown.code == 0
    fitting, unknown = json.loads(shown.out)
    assert fitting["matches"]
    assert not unknown["matches"]
    assert "n = 17" in unknown["reason"]
    assert "n = 17" in shown.message


def test_a_difference_to_a_constant_of_0_is_none(run: Run) -> None:
    """On 14 entities every ranker has Hits@100 = 1."""
    numbers = ("--metric", "hits@100", "--deviation", "0.01 ± 0.02", "--dataset", "nations")
    (record,) = run("identify", *numbers, "--format", "json").records
    assert {match["largest_difference"] for match in record["matches"]} == {None}
    assert all(each["expected"] == 0 for match in record["matches"] for each in match["evidence"])
    assert {row["largest_difference"] for row in run("identify", *numbers, "--format", "csv").rows} == {""}
    assert run("identify", *numbers).code == 0


def test_options_are_those_of_other_commands(run: Run) -> None:
    short = ("-m", "mrr", "-d", "nations", "-p", "standard", "-a", "macro-query", "-f", "json")
    (record,) = run("identify", *short, "--expectation", "0.35971").records
    assert record == run("identify", *short, "--expectation", "35.971", "--percent").records[0]
    screen = run("identify", "-m", "mr", "--expectation", "53%")
    assert screen.code == 6
    assert "--expectation: 53% is a percentage, but MR is not a share." in screen.message


def test_what_most_results_are_of_is_listed_first(run: Run) -> None:
    rows = run("identify", "--metric", "mr", "--value", 470, "--index", 0.934, "-f", "csv").rows
    assert len(rows) > 3
    assert (rows[0]["split"], rows[0]["side"], rows[0]["protocol"].split(" = ")[0]) == ("test", "both", "standard")
    kinds = [(row["split"] != "test", row["side"] != "both", "standard" not in row["protocol"]) for row in rows]
    assert kinds == sorted(kinds)
