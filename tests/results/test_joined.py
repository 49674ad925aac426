"""Several files, a folder or the sheets of a workbook in one call: each as it is alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankconst import adjust, check, read
from rankconst.errors import DataError
from rankconst.results.formats import read_document
from rankconst.results.joined import join_readings

if TYPE_CHECKING:
    from pathlib import Path

    from rankconst.results.reading import Reading

# Sun et al. 2019 (RotatE).
_TEXTS = {
    "wn18rr.csv": "model,MRR,Hits@10\nRotatE,.476,.571\nTransE,.226,.501\n",
    "fb.md": "On FB15k-237\n\n| Model | hits@10 | MR |\n|---|---|---|\n| RotatE | 53.3% | 177 |\n",
    "both.csv": "Model,Dataset,MRR\nRotatE,WN18RR,.476\nRotatE,FB15k-237,.338\nAverage,,.407\n",
    "asked.csv": "model,dataset,MRR (dev)\nRotatE,UMLS,.7\n",
    "log.csv": "model,dataset,MRR\nA,Nations,.8\nAverage,Kinships,.5\n",
}


def _list_numbers(reading: Reading) -> list[Any]:
    """Return what is known of each number but its row and the spelling of its column."""
    found = adjust(reading, errors="note").numbers
    return [
        (each.entry.metric, each.entry.text, each.entry.line, each.entry.context.model,
         each.constants and each.constants.tasks, each.adjusted, each.note)
        for each in found.entries
    ]  # fmt: skip


def test_numbers_of_several_files_are_what_they_are_alone() -> None:
    readings = [read_document(name, text) for name, text in _TEXTS.items()]
    joined = join_readings(readings, [*_TEXTS], "5 files", "file")
    alone = [number for each in readings for number in _list_numbers(each)]
    assert _list_numbers(joined) == alone
    assert [joined.name_part(each.row) for each in joined.entries] == [
        each.name for each in readings for _ in each.entries
    ]
    twice = join_readings([joined, readings[0]], ["first", "again"], "all", "sheet")
    assert _list_numbers(twice) == [*alone, *_list_numbers(readings[0])]
    assert twice.name_part(twice.entries[-1].row) == "wn18rr.csv"


def test_columns_are_alike_but_for_their_spelling() -> None:
    readings = [read_document(name, text) for name, text in _TEXTS.items()]
    joined = join_readings(readings, ["a", "b", "c", "d", "e"], "5 files", "file")
    assert joined.columns == ("file", "model", "MRR", "Hits@10", "MR", "Dataset", "MRR (dev)")
    assert [*joined.cells("file")] == ["a", "a", "b", "c", "c", "c", "d", "e", "e"]
    assert [*joined.cells("Dataset")][:3] == ["wn18rr", "wn18rr", "FB15k-237"]
    again = join_readings(
        [joined, read_document("x.csv", "File,MRR\na,.3\n")], ["1", "2"], "", "file"
    )
    assert again.columns[:2] == ("file_added", "file")
    assert "File" not in again.columns


def test_a_number_a_row_does_not_go_with_a_metric_a_column() -> None:
    wide = read_document("wide.csv", _TEXTS["wn18rr.csv"])
    long = read_document("long.csv", "dataset,metric,value\nUMLS,MRR,.7\n")
    with pytest.raises(DataError, match=r"wide\.csv has a column for each metric, long\.csv a row"):
        join_readings([wide, long], ["a", "b"], "", "file")


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


def test_a_metric_and_a_dataset_are_one_column_however_each_file_writes_them() -> None:
    texts = {
        "a.csv": "model,dataset,Hits@10\nTransE,FB15k-237,.486\n",
        "b.csv": "Method,Data set,H@10 ↑\nTuckER,FB15k-237,.528\n",
        "c.md": "| name | Graph | **hits_at_10** (%) |\n|--|--|--|\n| X | [WN18RR](http://a.b) | 50 |\n",
        "d.tex": r"\begin{tabular}{ll} Model & H@10 \\ A & 0.4 \\ \end{tabular} on \textsc{WN18RR}",
        "e.csv": "model,FB15k-237 MRR,WN18RR MRR\nTransE,.314,.22\n",
        "f.tex": r"\begin{tabular}{lll} Model & Data & MRR \\ A & \textsc{UMLS} & \textbf{0.4} \\"
        r" \end{tabular}",
    }
    readings = [read_document(name, text) for name, text in texts.items()]
    joined = join_readings(readings, [*texts], "6 files", "file")
    assert joined.columns == (
        *("file", "model", "dataset", "Hits@10", "FB15k-237 MRR", "WN18RR MRR", "MRR"),
    )
    # A row of several datasets names none of them.
    assert [*joined.cells("dataset")][:3] == ["FB15k-237", "FB15k-237", "WN18RR"]
    assert [*joined.cells("dataset")][4:] == ["", "UMLS"]
    assert joined.cells("MRR")[-1] == "0.4"
    alike = join_readings([readings[5]] * 2, ["a", "b"], "2 files", "file")
    assert [*alike.cells("MRR")] == [r"\textbf{0.4}"] * 2
