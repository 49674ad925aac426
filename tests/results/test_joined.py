"""Several files, a folder or the sheets of a workbook in one call: each as it is alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cases import for_each
from rankconst import adjust, check, read
from rankconst.errors import DataError
from rankconst.results.formats import read_document
from rankconst.results.joined import join_readings, name_files
from rankconst.results.reading import Reading

# Sun et al. 2019 (RotatE).
_TEXTS = {
    "wn18rr.csv": "model,MRR,Hits@10\nRotatE,.476,.571\nTransE,.226,.501\n",
    "fb.md": "On FB15k-237\n\n| Model | hits@10 | MR |\n|---|---|---|\n| RotatE | 53.3% | 177 |\n",
    "both.csv": "Model,Dataset,MRR\nRotatE,WN18RR,.476\nRotatE,FB15k-237,.338\nAverage,,.407\n",
    "asked.csv": "model,dataset,MRR (dev)\nRotatE,UMLS,.7\n",
    "log.csv": "model,dataset,MRR\nA,Nations,.8\nAverage,Kinships,.5\n",
}
# Numbers a row, the first two of a tool of their own.
_LONG = {
    "run.json": json.dumps(
        {"metrics": {"both": {"realistic": {"inverse_harmonic_mean_rank": 0.5}}}, "dataset": "umls"}
    ),
    "ogb.json": '{"dataset": "ogbl-wikikg2", "mrr_list": [0.5]}',
    "said.csv": "tool,dataset,metric,value\nlibkge,UMLS,MRR,.7\n,UMLS,MRR,.6\n",
}


def _read_all(texts: dict[str, str]) -> list[Reading]:
    return [read_document(name, text) for name, text in texts.items()]


def test_tables_of_two_files_become_one() -> None:
    first = read_document("a.csv", "model,MRR\nRotatE,.476\n")
    second = read_document("b.csv", "Model,Hits@10\nTransE,.501\n")
    joined = join_readings([first, second], ["a", "b"], "2 files", "file")
    assert [dict(row) for row in joined.rows] == [
        {"file": "a", "model": "RotatE", "MRR": ".476", "Hits@10": ""},
        {"file": "b", "model": "TransE", "MRR": "", "Hits@10": ".501"},
    ]
    assert (joined.name, joined.form, joined.tool) == ("2 files", "csv", None)


def _list_numbers(reading: Reading) -> list[Any]:
    """Return what is known of each number but its row and the spelling of its column."""
    found = adjust(reading, errors="note").numbers
    return [
        (each.entry.metric, each.entry.text, each.entry.line, each.entry.context.model,
         each.constants and each.constants.tasks, each.adjusted, each.note)
        for each in found.entries
    ]  # fmt: skip


@pytest.mark.parametrize("texts", [_TEXTS, _LONG])
def test_numbers_of_several_files_are_what_they_are_alone(texts: dict[str, str]) -> None:
    readings = _read_all(texts)
    joined = join_readings(readings, [*texts], "all files", "file")
    alone = [number for each in readings for number in _list_numbers(each)]
    assert _list_numbers(joined) == alone
    assert [joined.name_part(each.row) for each in joined.entries] == [
        each.name for each in readings for _ in each.entries
    ]
    for several in ([joined, readings[0]], [readings[0], joined]):
        twice = join_readings(several, ["first", "again"], "all", "sheet")
        assert _list_numbers(twice) == [each for one in several for each in _list_numbers(one)]
        names = [one.name_part(each.row) for one in several for each in one.entries]
        assert [twice.name_part(each.row) for each in twice.entries] == names


def test_numbers_are_of_the_tool_of_their_file_if_they_name_none() -> None:
    run, ogb, said = _read_all(_LONG)
    joined = join_readings([run, run], ["a", "b"], "2 files", "file")
    assert (run.tool, joined.tool) == ("pykeen", "pykeen")
    assert {entry.context.tool for entry in joined.entries} == {None}
    joined = join_readings([replace(said, tool="pykeen"), ogb], ["a", "b"], "2 files", "file")
    assert [entry.context.tool for entry in joined.entries] == ["libkge", "pykeen", "ogb"]


def test_columns_are_alike_but_for_their_spelling() -> None:
    joined = join_readings(_read_all(_TEXTS), ["a", "b", "c", "d", "e"], "5 files", "file")
    assert joined.columns == ("file", "model", "MRR", "Hits@10", "MR", "Dataset", "MRR (dev)")
    assert [*joined.cells("file")] == ["a", "a", "b", "c", "c", "c", "d", "e", "e"]
    assert [*joined.cells("Dataset")] == [
        "wn18rr", "wn18rr", "FB15k-237", "WN18RR", "FB15k-237", "", "UMLS", "Nations", "Kinships",
    ]  # fmt: skip
    again = join_readings(
        [joined, read_document("x.csv", "File,MRR\na,.3\n")], ["1", "2"], "", "file"
    )
    assert again.columns[:2] == ("file_added", "file")
    assert "File" not in again.columns


@for_each(
    ("first", "second", "joined"),
    [
        ("Hits@10", "H@10 ↑", ["Hits@10"]),
        ("model", "Method", ["model"]),
        ("dataset", "Data set", ["dataset"]),
        ("Hits@10", "AH@10", ["Hits@10", "AH@10"]),
        ("MRR", "MRR test", ["MRR", "MRR test"]),
        ("MRR", "WN18RR MRR", ["MRR", "WN18RR MRR"]),
        ("MRR", "inverse MRR", ["MRR", "inverse MRR"]),
        ("MRR", "MRR MR", ["MRR", "MRR MR"]),
        ("MRR", "MRR ±", ["MRR", "MRR ±"]),
        ("MRR", "MRR (new)", ["MRR", "MRR (new)"]),
        ("MRR new", "mrr_NEW", ["MRR new"]),
        ("Params (M)", "params M", ["Params (M)"]),
        ("#", "*", ["#", "*"]),
    ],
)  # fmt: skip
def test_columns_of_one_meaning_become_one(first: str, second: str, joined: list[str]) -> None:
    texts = {"a.csv": f"MR,{first}\n2,.3\n", "b.csv": f"MR,{second}\n2,.3\n"}
    columns = join_readings(_read_all(texts), ["a", "b"], "2 files", "file").columns
    assert [*columns] == ["file", "MR", *joined]


@for_each(
    ("paths", "names"),
    [
        (["a.json"], [""]),
        (["a.json", "b.json"], ["a", "b"]),
        (["runs/a/1/x.csv", "runs/b/2/x.csv"], ["a/1", "b/2"]),
        (["x/a.json", "b.json"], ["x/a", "b"]),
        (["a.json", "a.json"], ["a.json", "a.json"]),
        (["runs/a/x.csv", "runs/a/x.json"], ["runs/a/x.csv", "runs/a/x.json"]),
        (["1/x/1.csv", "1/y/1.csv"], ["x", "y"]),
    ],
)
def test_files_are_named_by_where_their_paths_differ(paths: list[str], names: list[str]) -> None:
    assert name_files(paths) == names


def test_a_number_a_row_does_not_go_with_a_metric_a_column() -> None:
    wide = read_document("wide.csv", _TEXTS["wn18rr.csv"])
    long = read_document("long.csv", "dataset,metric,value\nUMLS,MRR,.7\n")
    with pytest.raises(DataError, match=r"wide\.csv has a column for each metric, long\.csv a row"):
        join_readings([wide, long], ["a", "b"], "", "file")


def test_what_is_left_out_and_what_was_understood_is_told_of_each_file() -> None:
    texts = {
        "a.csv": "model,MRR\nA,.7\nB,1.2.3\n",
        "b.txt": "Results on UMLS\n\nModel  MRR\nA      0.4\nB      0.5\n",
        "c.txt": "Results on UMLS\n\nModel  MR\nA      3.4\nB      3.5\n",
    }
    readings = _read_all(texts)
    joined = join_readings(readings, ["a", "b", "c"], "3 files", "file")
    assert [each.what for each in joined.skipped] == ["file a, 1.2.3"]
    assert joined.understood == "; ".join(each.understood for each in readings[1:])
    again = join_readings([readings[1]] * 2, ["a", "b"], "2 files", "file")
    assert again.understood == readings[1].understood


def test_cells_stay_as_they_are_in_columns_without_a_name_and_rows_without_a_number() -> None:
    texts = {
        "a.md": "On UMLS\n\n| MR | MRR |\n|-|-|\n| 2 | .5 |\n",
        "b.csv": ",dataset,MRR\n[b](c),Nations,.4\n,Kinships,\n",
    }
    joined = join_readings(_read_all(texts), ["a", "b"], "2 files", "file")
    assert [[*row.values()] for row in joined.rows] == [
        ["a", "2", ".5", "", "UMLS"], ["b", "", ".4", "[b](c)", "Nations"],
        ["b", "", "", "", "Kinships"],
    ]  # fmt: skip
    texts["b.csv"] = ",MRR\nB,.4\n"
    assert [*join_readings(_read_all(texts), ["a", "b"], "", "file").cells("")] == ["", "B"]


def _write_run(folder: Path, dataset: str, mrr: float) -> Path:
    """Write the results of a run as PyKEEN does."""
    folder.mkdir(parents=True)
    ranks = {"both": {"realistic": {"inverse_harmonic_mean_rank": mrr}}}
    path = folder / "results.json"
    path.write_text(json.dumps({"metrics": ranks, "dataset": dataset, "model": "RotatE"}))
    (folder / "metadata.json").write_text('{"title": "a run"}')
    return path


def test_runs_of_a_folder(tmp_path: Path) -> None:
    runs = {"nations": 0.5, "umls": 0.7}
    paths = [_write_run(tmp_path / "runs" / key / "0", key, mrr) for key, mrr in runs.items()]
    alone = [float(adjust(path)["index"][0]) for path in paths]
    for given in (tmp_path / "runs", paths, [str(paths[0]), tmp_path / "runs"]):
        found = adjust(given)
        assert [*found["file"]] == [*runs]
        assert found["index"].tolist() == alone
        assert len(check(given).reading.entries) == 2
    assert "file" not in adjust(paths[:1]).table
    shown = str(found).splitlines()
    assert shown[0].split() == ["file", "dataset", "side", "rank_type", "MRR", "AMRR"]
    for line, (key, mrr), index in zip(shown[2:4], runs.items(), alone, strict=True):
        assert line.split() == [key, key, "both", "realistic", f"{mrr:.4f}", f"{index:.4f}"]
    assert "AMRR: 0 = chance, 1 = perfect." in shown
    assert read([paths[0], paths[0]]).columns == read(paths[0]).columns


def test_what_cannot_be_read_of_several_files_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("dataset,MRR\nUMLS,.7\n")
    (tmp_path / "notes.txt").write_text("nothing but prose\n")
    found = read(tmp_path)
    assert [each.text for each in found.entries] == [".7"]
    assert [each.what for each in found.skipped] == [str(tmp_path / "notes.txt")]
    (tmp_path / "a.csv").write_text("nothing but prose\n")
    with pytest.raises(DataError, match=r"a\.csv"):
        read(tmp_path)


def test_markup_goes_where_other_files_have_none() -> None:
    texts = {
        "a.csv": "model,MRR\nA,.3\n",
        "b.tex": r"\begin{tabular}{lll} Model & Data & MRR \\ A & \textsc{UMLS} & \textbf{0.4} \\ \end{tabular}",
        "c.csv": "model,FB15k-237 MRR,WN18RR MRR\nTransE,.314,.22\n",
    }
    first, second, third = _read_all(texts)
    joined = join_readings([first, second], ["a", "b"], "2 files", "file")
    assert (joined.form, [*joined.cells("MRR")]) == ("", [".3", "0.4"])
    alike = join_readings([second] * 2, ["a", "b"], "2 files", "file")
    assert [*alike.cells("MRR")] == [r"\textbf{0.4}"] * 2
    # A row of several datasets names none of them.
    joined = join_readings([second, third], ["b", "c"], "2 files", "file")
    assert [*joined.cells("Data")] == ["UMLS", ""]
