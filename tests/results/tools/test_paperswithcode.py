"""Evaluation tables of Papers with Code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankconst.results.document import Document
from rankconst.results.tools.paperswithcode import READER

if TYPE_CHECKING:
    from rankconst.results.reading import Reading


def _row(model: str, **metrics: object) -> dict[str, Any]:
    return {
        "model_name": model,
        "paper_title": f"{model} of synthetic tests",
        "paper_url": "",
        "paper_date": "2020-01-01",
        "metrics": {name.replace("_", " ").replace("Hits ", "Hits@"): value for name, value in metrics.items()},
    }


def _task(name: str, datasets: dict[str, list[dict[str, Any]]], subtasks: list[Any] | None = None) -> dict[str, Any]:
    return {
        "task": name,
        "categories": ["Graphs"],
        "datasets": [
            {"dataset": dataset, "sota": {"metrics": ["MRR"], "rows": rows}, "subdatasets": []}
            for dataset, rows in datasets.items()
        ],
        "subtasks": subtasks or [],
    }


def _read(value: object) -> Reading:
    document = Document("evaluation-tables.json", json.dumps(value))
    assert READER.recognise(document)
    return READER.read(document)


def test_rows_of_tasks_and_subtasks() -> None:
    inner = _task("Knowledge Graph Completion", {"WN18RR": [_row("B", Hits_10="53.3%", MRR=0.4)]})
    reading = _read([_task("Link Prediction", {"ogbl-wikikg2": [_row("A", Test_MRR="0.5458 ± 0.0052")]}, [inner])])
    assert [(entry.context.dataset, entry.context.model, entry.context.split) for entry in reading.entries] == [
        ("ogbl-wikikg2", "A", "test"),
        ("WN18RR", "B", None),
        ("WN18RR", "B", None),
    ]
    assert [(entry.metric.label, entry.text, entry.column) for entry in reading.entries] == [
        ("MRR", "0.5458 ± 0.0052", "Test MRR"),
        ("Hits@10", "53.3%", "Hits@10"),
        ("MRR", "0.4", "MRR"),
    ]
    assert not any(entry.exact for entry in reading.entries)
    assert reading.columns[:5] == ("task", "dataset", "model", "paper_title", "paper_date")
    assert [row["task"] for row in reading.rows] == ["Link Prediction", "Knowledge Graph Completion"]


def test_validation_is_a_split() -> None:
    reading = _read([_task("Link Property Prediction", {"ogbl-biokg": [_row("A", Validation_MRR="0.7 +- 0.1")]})])
    assert [(entry.context.split, entry.text) for entry in reading.entries] == [("valid", "0.7 +- 0.1")]


def test_other_metrics_are_summed_up() -> None:
    rows = [_row(str(number), Accuracy="0.9", Number_of_params="12M", MRR="0.3") for number in range(12)]
    reading = _read([_task("Link Prediction", {"FB15k-237": [*rows, _row("last", Accuracy="1")]})])
    assert [(skip.what, skip.why) for skip in reading.skipped] == [
        ("metric Accuracy", "not a rank-based metric (13 values)"),
        ("metric Number of params", "not a rank-based metric (12 values)"),
    ]
    # A row with none of our metrics is no row.
    assert len(reading.rows) == 12


@pytest.mark.parametrize("nothing", ["", "-", "N/A", None])
def test_empty_cells_are_passed_over(nothing: object) -> None:
    reading = _read([_task("Link Prediction", {"FB15k": [_row("A", MRR="0.3", Hits_1=nothing)]})])
    assert [entry.metric.label for entry in reading.entries] == ["MRR"]
    assert reading.skipped == ()


def test_a_cell_that_is_no_number_is_left_out_with_the_reason() -> None:
    reading = _read([_task("Link Prediction", {"FB15k": [_row("A", MRR="0.3", Hits_1="about 0.2")]})])
    assert [entry.text for entry in reading.entries] == ["0.3"]
    (skip,) = reading.skipped
    assert (skip.what, skip.why) == ("FB15k / A / Hits@1", "'about 0.2' is not a number")


def test_subdatasets() -> None:
    task = _task("Link Prediction", {"NELL": []})
    task["datasets"][0]["subdatasets"] = [{"subdataset": "NELL-995", "sota": {"rows": [_row("A", MRR="0.3")]}}]
    assert [entry.context.dataset for entry in _read(task).entries] == ["NELL-995"]


@pytest.mark.parametrize("value", [[], {"mrr": 0.3}, [{"mrr": 0.3}], {"datasets": ["fb15k"]}, [[1]]])
def test_other_json_is_not_recognised(value: object) -> None:
    assert not READER.recognise(Document("tables.json", json.dumps(value)))
