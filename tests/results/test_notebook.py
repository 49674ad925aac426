"""Jupyter notebooks: only what their cells printed counts, line by line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rankconst.errors import DataError
from rankconst.results.formats import read_document


def _write(*outputs: dict[str, Any]) -> str:
    code = {"cell_type": "code", "outputs": [*outputs], "source": ["best_mrr = 0.0\n", "print('MRR: 0.1')"]}
    prose = {"cell_type": "markdown", "source": ["MRR: 0.99\n"]}
    return json.dumps({"cells": [prose, code, code | {"outputs": []}], "metadata": {}, "nbformat": 4}, indent=1)


def test_what_cells_printed_is_read_and_nothing_else() -> None:
    stream = {"name": "stdout", "text": ["Dataset: UMLS\n", "Epoch 1: 50%\rTest MRR: 0.476\n", 'say "]"\n']}
    text = _write(stream, {"data": {"text/plain": ["{'Test Hits@1': 0.428}"]}, "metadata": {}})
    reading = read_document("run.ipynb", text)
    assert [(each.metric.label, each.text, each.context.dataset) for each in reading.entries] == [
        ("MRR", "0.476", "UMLS"),
        ("Hits@1", "0.428", "UMLS"),
    ]
    assert all(each.text in text.split("\n")[(each.line or 0) - 1] for each in reading.entries)


def test_headings_between_cells_say_what_those_below_print() -> None:
    cells: list[dict[str, Any]] = []
    for headings, number in ((["# UMLS\n", "Some text\n", "## Validation results"], 0.3), (["## Test results"], 0.4)):
        outputs = [{"name": "stdout", "text": [f"MRR: {number}\n"]}]
        cells.append({"cell_type": "markdown", "metadata": {}, "source": headings})
        cells.append({"cell_type": "code", "metadata": {}, "outputs": outputs, "source": ["# Test\n", "f()"]})
    reading = read_document("run.ipynb", json.dumps({"cells": cells, "nbformat": 4}, indent=1))
    assert [(each.text, each.context.dataset, each.context.split) for each in reading.entries] == [
        ("0.3", "UMLS", "valid"), ("0.4", "UMLS", "test"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (_write(), "holds no text that a cell printed"),
        (_write({"text": ["MRR: 0.3\nMRR: 0.4\n"]}), "expected one line of text in quotes"),
        (_write({"text": ["MRR: 0.3\n"]}).replace('0.3\\n"', "0.3"), "expected one line of text in quotes"),
    ],
)
def test_notebooks_without_such_lines_are_refused(text: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        read_document("run.ipynb", text)


@pytest.mark.parametrize("indent", [1, None])
@pytest.mark.parametrize("together", [True, False])
def test_notebooks_of_other_programs(indent: int | None, *, together: bool) -> None:
    lines = ["Dataset: UMLS\n", "Test MRR: 0.476\n"]
    outputs = [{"name": "stdout", "output_type": "stream", "text": "".join(lines) if together else lines}]
    source = "# Validation\nf()" if together else ["# Validation\n", "f()"]
    cell: dict[str, Any] = {"source": source, "outputs": outputs, "metadata": {}, "cell_type": "code"}
    (entry,) = read_document("a.ipynb", json.dumps({"cells": [cell], "nbformat": 4}, indent=indent)).entries
    assert (entry.text, entry.context.dataset, entry.context.split) == ("0.476", "UMLS", "test")


def test_a_broken_notebook_in_one_line_is_refused() -> None:
    text = json.dumps(json.loads(_write({"text": ["MRR: 0.3\n"]})))
    with pytest.raises(DataError, match="expected a notebook in JSON"):
        read_document("a.ipynb", text[:-9])
