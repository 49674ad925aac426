"""``rankconst adjust FILE``: files in, files out, and every way a file can be bad."""

import csv
import io
from pathlib import Path

import pytest

import rankconst
from carried import open_once
from cli.conftest import Run, Write

TABLES = open_once()

# Sun et al. 2019 (arXiv:1902.10197), table 5.
WIDE = (
    "model,dataset,MRR,MR,Hits@10,comment\nRotatE,FB15k-237,0.338,177,0.533,a\n"
    "RotatE,WN18RR,0.476,3340,0.571,\n"
)


@pytest.fixture
def wide(write: Write) -> Path:
    return write(WIDE)


def test_original_columns_stay_and_adjusted_ones_are_added(run: Run, wide: Path) -> None:
    added = ["AMRR", "AMRI", "AH@10"]
    screen = run("adjust", wide, "--tool", "rotate", "-f", "csv")
    assert screen.code == 0
    full = run("adjust", wide, "--tool", "rotate", "-f", "csv", "--details").rows
    records = run("adjust", wide, "--tool", "rotate", "--json").records
    originals = csv.DictReader(io.StringIO(WIDE))
    for row, all_of_it, record, original in zip(screen.rows, full, records, originals, strict=True):
        assert [*row] == [*original, *added, "protocol"]
        assert original.items() <= row.items() <= all_of_it.items()
        assert {key: str(record[key]) for key in added} == {key: row[key] for key in added}
        for column, name in (("MRR", "AMRR"), ("MR", "AMRI"), ("Hits@10", "AH@10")):
            constants = TABLES.constants(row["dataset"], column)
            single = constants.adjust(row[column])
            assert float(row[name]) == single.index
            ends = (float(all_of_it[f"{name}_lower"]), float(all_of_it[f"{name}_upper"]))
            assert ends == single.index_interval
            assert record[f"{column}_expectation"] == constants.expectation
            found = constants.significance(row[column])
            assert float(all_of_it[f"{column}_log10_p"]) == found.log10
            assert all_of_it[f"{column}_p_method"] == found.method
            assert f"{column}_log10_p" not in record  # it takes long
        assert (row["protocol"], record["table_version"], record["num_tasks"]) == (
            *("standard", TABLES.version), TABLES.constants(row["dataset"], "mrr").num_tasks,
        )  # fmt: skip
    assert "note: RotatE" not in screen.message  # nothing that it does changes its numbers


STARTS = {
    "table": (".txt", b" model", "0.3375"), "json": (".json", b"[", "0.3375"), "csv": (".csv", b"model,", "0.3375"),
    "markdown": (".md", b"| model", "0.3375"), "latex": (".tex", b"\\begin", "0.3375"),
    "parquet": (".parquet", b"PAR1", None), "xlsx": (".xlsx", b"PK", None),
}  # fmt: skip


@pytest.mark.parametrize("form", STARTS)
def test_every_format_can_be_written_and_read_again(
    run: Run, wide: Path, tmp_path: Path, form: str
) -> None:
    if form == "xlsx":
        pytest.importorskip("openpyxl")
    suffix, start, shown = STARTS[form]
    out, named = tmp_path / "out", tmp_path / f"out{suffix}"
    screen = run("adjust", wide, "-f", form, "-o", out)
    assert (screen.code, screen.out) == (0, "")
    assert f"{out}: 2 rows, tables {TABLES.version}" in screen.message
    assert run("adjust", wide, "-o", named).code == 0  # the ending says the format
    assert out.read_bytes() == named.read_bytes()
    assert named.read_bytes().startswith(start)
    if shown is not None:
        text = named.read_text(encoding="utf-8")
        assert shown in text and "comment" in text
    if form != "table":  # of aligned text, a row with an empty cell is refused
        tasks = ("--split", "test", "--side", "both", "-p", "standard", "-a", "micro")
        for more in ((), ("--details", "-b", "counting")):
            run("adjust", wide, *more, "-o", named, "--force")
            again = run("adjust", named, *tasks, "--json")
            assert [round(row["AMRR_added"], 4) for row in again.records] == [0.3375, 0.4759]
            assert "asked" not in again.message
        wide.write_text("dataset,Hits@10 (%)\nWN18RR,57.1\n", encoding="utf-8")
        run("adjust", wide, "-o", named, "--force")
        (row,) = run("adjust", named, *tasks, "--json").records
        assert (row["Hits@10 (%)"], round(row["AH@10_added"], 4)) == (57.1, 0.5709)


def test_standard_input_and_only_one_metric(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(WIDE.encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    row, _ = run("adjust", "-", "-m", "mrr", "--json").records
    assert "AMRR" in row and "AMRI" not in row


def test_standard_input_beside_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Model,dataset,MRR\nRotatE,WN18RR,0.476\n"
    path = tmp_path / "a.csv"
    path.write_text(text, "utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert len(rankconst.read(["-", path]).entries) == 2


def test_what_is_a_file(run: Run, wide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(wide.parent)
    expected = run("adjust", wide.name).out
    for name in (f"./{wide.name}", str(wide)):
        assert run("adjust", name).out == expected
    wide.rename("0.5")
    assert "--metric" in run("adjust", "0.5").message
    assert run("adjust", "./0.5").out == expected
    wide.with_name("0.5").rename("plain")
    assert run("adjust", "plain").out == expected


def test_without_matplotlib(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankconst.figures.find_spec", lambda _: None)
    table = write("model,dataset,MRR\nTransE,FB15k-237,0.294\n")
    screen = run("adjust", table, "-o", tmp_path / "a.svg")
    assert screen.code == 3
    assert (
        "pictures need matplotlib, which is missing. Run: pip install 'rankconst[plot]'"
        in screen.message
    )
    assert not (tmp_path / "a.svg").exists()
