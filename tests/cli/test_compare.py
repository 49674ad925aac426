"""``rankconst compare``: two published numbers in, what they say about each other out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankconst
from carried import open_once
from rankconst.errors import AskedError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Write

HITS = ("compare", "0.533", "0.544", "--metric", "hits@10", "--dataset", "FB15k-237")


def test_json_and_csv_have_everything(run: Run) -> None:
    (row,) = run(*HITS, "-f", "json").records
    assert row.pop("assumed") == {"split": "test", "side": "both", "protocol": "standard"}
    assert (
        row == rankconst.compare("0.533", "0.544", metric="hits@10", dataset="fb15k237").to_dict()
    )
    screen = run(*HITS, "-f", "csv")
    assert (
        screen.err
        == "assumed: test split, both sides, standard protocol (no option says otherwise).\n"
    )
    (cells,) = screen.rows
    assert list(cells) == list(row)
    assert float(cells["z_lower"]) == row["z_lower"]


def test_the_tasks_are_those_of_the_options(run: Run) -> None:
    options = {"split": "valid", "side": "tail", "protocol": "libkge"}
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    (row,) = run(
        "compare", "33.8", "35.8%", "-m", "MRR", "-d", "wnrr", "--percent", *flags, "-f", "json"
    ).records
    assert {name: row[name] for name in options} == options
    constants = open_once().constants("wn18rr", "mrr", **options)
    found = constants.compare("0.338", "0.358")
    assert (row["z_lower"], row["z_upper"]) == tuple(found.z_interval)
    (row,) = run(
        "compare", "0.5", "0.6", "-m", "mrr", "-d", "wn18rr", "-t", "pykeen", "-f", "json"
    ).records
    assert (row["protocol"], row["num_tasks"]) == ("pykeen", 5848)


def test_the_number_of_tasks_is_enough_for_shares() -> None:
    found = rankconst.compare("0.70", "0.72", metric="hits@10", num_tasks=5000)
    assert found.num_tasks == 5000
    assert found.z_interval.lower == pytest.approx((5000 / (2 - 0.705 - 0.715)) ** 0.5 * 0.01)
    found = rankconst.compare("70", "73", metric="mr", num_tasks=5000, protocol="sampled:500")
    assert found.tasks.protocol == "sampled:500"
    least = 5000**0.5 * 2 / (500 * (70.5 + 72.5 - 2)) ** 0.5
    assert found.z_interval.lower == pytest.approx(least)


def test_notes_are_on_stderr(run: Run) -> None:
    screen = run("compare", "0.5", "0.6", "-m", "recall@10", "-d", "wn18rr", "-t", "openke")
    assert screen.code == 0
    assert "recall@k is read as Hits@k" in screen.err
    assert "note: OpenKE ranks the true answer first" in screen.err
    screen = run("compare", "0.53300", "0.53303", "-m", "hits@10", "-d", "fb15k237")
    assert screen.err.startswith("note: Hits@10 = 0.533 of 40,932 tasks would be ")


# Sun et al. 2019 (RotatE, TransE), Dettmers et al. 2018 (the others).
TABLE = """model,dataset,MRR,MedR
TransE,WN18RR,0.226,9
RotatE,WN18RR,0.476,5
DistMult,WN18RR,0.43,7
ConvE,WN18RR,.43,6
"""


def test_a_difference_that_is_enough_but_for_rounding_says_so(run: Run, write: Write) -> None:
    told = (
        "For a single pair, a difference of 0.0095 is enough. Rounded as they are, these may "
        "differ by less."
    )
    for second, says in (("0.52", True), ("0.527", False)):
        path = write(
            f"model,dataset,Hits@10\nA,FB15k-237,0.533\nB,FB15k-237,{second}\n", f"{second}.csv"
        )
        assert (told in run("compare", path).out) == says


def test_a_table_is_put_in_order(run: Run, write: Write) -> None:
    path = write(TABLE)
    screen = run("compare", path)
    (standings,) = rankconst.compare(path)
    assert str(standings) in screen.out
    assert standings.describe().startswith("RotatE is better than all 3 other models")
    assert screen.err.startswith("assumed: test split, both sides, standard protocol")
    rows = run("compare", path, "--json").records
    assert [row["better_than"] for row in rows] == standings.table["better_than"]
    assert {row["smallest"] for row in rows} == {standings.smallest}
    assert "0.476$^{b,c,d}$ \\\\" in run("compare", path, "-f", "latex").out


def test_two_runs_are_compared_by_what_tells_their_paths_apart(run: Run, tmp_path: Path) -> None:
    paths = []
    for name, value in (("transe", 0.314), ("tucker", 0.347)):
        path = tmp_path / name / "results.csv"
        path.parent.mkdir()
        path.write_text(f"metric,value\nMRR,{value}\n", encoding="utf-8")
        paths.append(path)
    screen = run("compare", *paths, "-d", "fb15k237")
    assert "  a  tucker  0.347  b\n  b  transe  0.314\n" in screen.out
    found = rankconst.compare(*paths, dataset="fb15k237")
    assert str(found) in screen.out
    assert found[0].names == ("tucker", "transe")


def test_means_over_graphs_have_both_answers(run: Run, write: Write) -> None:
    path = write("model,Nations,UMLS,FB15k-237\nA,0.5,0.5,0.3\nB,0.8,0.9,0.5\n")
    screen = run("compare", path, "-m", "mrr")
    assert "MRR, mean over 3 datasets: nations, umls, fb15k237" in screen.out
    assert "On the queries of these graphs B is better than A (p < 0.05)." in screen.out
    assert "On other graphs like these B cannot be distinguished from A" in screen.out
    assert str(rankconst.compare(path, metric="mrr")) in screen.out


def test_latex_prints_percentages_and_deviations(run: Run, write: Write) -> None:
    path = write("model,MRR\nA,54.8%\nB,33.3% ± 0.2%\n")
    written = run("compare", path, "-d", "fb15k237", "-f", "latex").out
    assert "54.8\\%$^{b}$ \\\\" in written
    assert "33.3\\% $\\pm$ 0.2\\% \\\\" in written


def test_deviations_are_used_and_said(run: Run, write: Write) -> None:
    path = write("model,MR,SDR,MRR\nA,177,400,0.338 ± 0.002\nB,190,420,0.337\n")
    screen = run("compare", path, "-d", "fb15k237")
    assert [row[2:] for row in screen.cells if row[:2] == ["a", "A"]] == [
        ["177", "b"],
        ["0.338 ± 0.002"],
    ]
    assert ". The deviations of the ranks are used." in screen.out
    assert ". Deviations over runs count as rounding does." in screen.out


def test_python_takes_frames_and_refuses_what_is_asked(write: Write) -> None:
    pd = pytest.importorskip("pandas")
    path = write(TABLE)
    (whole,) = rankconst.compare(path)
    (framed,) = rankconst.compare(pd.read_csv(path, dtype=str), metric="mrr")
    assert str(framed) == str(whole)
    path.write_text(TABLE.replace("TransE", "TransE (raw)"), encoding="utf-8")
    with pytest.raises(AskedError, match='protocol="raw"'):
        rankconst.compare(path)
    assert len(rankconst.compare(path, accept=["raw"])[0].names) == 4
    with pytest.raises(UsageError, match="two values"):
        rankconst.compare(path, num_tasks=5)


def test_what_is_left_out_is_said(run: Run, write: Write) -> None:
    path = write("model,dataset,MRR\nA,WN18RR,0.2\nB,WN18RR,0.4\nA,Nations,0.5\nB,Nations,50.0\n")
    screen = run("compare", path)
    assert "B is better than A (p < 0.05)." in screen.out
    assert "results.csv, line 5: 50 is not a possible MRR" in screen.err
    assert "a single result is compared with none: MRR on nations." in screen.err
