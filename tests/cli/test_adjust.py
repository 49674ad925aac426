"""``rankconst adjust``: the numbers, the spellings, and every way to get it wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run


TASKS = ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric", "baseline")
RANKERS = ("expectation", "counting")


def test_csv_equals_json(run: Run) -> None:
    args = ("adjust", 0.9, 0.953, "-d", "nations", "-d", "umls", "-m", "hits@10")
    records, rows, brief = (
        run(*args, "--json").records,
        *(run(*args, *more, "-f", "csv").rows for more in (["--details"], [])),
    )
    assert len(rows) == len(brief) == len(records) == 4
    assert [*brief[0]] == [*TASKS, "value", "index", *RANKERS, "table_version"]
    for row, few, record in zip(rows, brief, records, strict=True):
        assert [*row, "assumed", "meaning"] == list(record)
        assert few.items() <= row.items()
        for field, value in ((field, record[field]) for field in row):
            assert row[field] == ("; ".join(value) if isinstance(value, list) else str(value))
            if isinstance(value, float):
                assert float(row[field]) == value


def test_undefined_forms_are_null_with_a_note(run: Run, one_candidate: Path) -> None:
    args = ("adjust", 1, "-d", "single", "-m", "mrr", "--tables", one_candidate)
    screen = run(*args, "--json")
    (row,) = screen.records
    assert (screen.code, row["normalised"], row["index"], row["z"], row["variance"]) == (
        0, 1, None, None, 0,
    )  # fmt: skip
    for fact in ("note:", "single", "z-score", "index", "undefined", "variance is 0"):
        assert fact in screen.message
    (cells,) = run(*args, "--details", "-f", "csv").rows
    assert (cells["index"], cells["z"]) == ("", "")
    assert "note:" not in run(*args).out
    assert [line[0] for line in run(*args).cells[1:3]] == ["published", "chance"]
    (defined,) = run(*args, "-p", "raw", "--json").records
    assert defined["z"] is not None
    screen = run(
        "adjust", 1, 1, "-d", "nations", "-d", "Nations", "-m", "hits@50"
    )  # a k that reaches every candidate
    assert (screen.code, screen.message.count("z-score")) == (0, 1)


def test_adjusted_values_are_turned_back(run: Run) -> None:
    """PyKEEN's AMRI of an MR of 469.7."""
    asked = ("-d", "fb15k237", "-p", "pykeen")
    (there,) = run("adjust", "469.7", "-m", "mr", *asked, "--json").records
    (back,) = run(
        "adjust", f"{there['index']:.4f}", "-m", "amri", "--to", "mr", *asked, "--json"
    ).records
    assert back["value_lower"] <= 469.7 <= back["value_upper"]
    (exact,) = run(
        "adjust", f"{there['z']:.9f}", "-m", "zmr", "--to", "mr", *asked, "--json"
    ).records
    assert exact["value"] == pytest.approx(469.7, rel=1e-9)
