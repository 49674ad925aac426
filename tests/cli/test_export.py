"""``rankconst tables export``: one long table, to stdout or to a file."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING

from carried import open_once
from rankconst.tables.export import FORMATS, export_rows

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run


def read_tsv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def test_stdout_is_the_table_and_nothing_else(run: Run) -> None:
    screen = run("tables", "export", "--format", "pykeen", "-d", "nations", "-d", "UMLS")
    assert (screen.code, screen.err) == (0, "")
    tables = open_once()
    rows = read_tsv(screen.out)
    assert screen.out.splitlines()[0].split("\t")[:5] == ["dataset", "metric", "side", "split", "value"]
    assert len(rows) == len(export_rows(tables, FORMATS["pykeen"], ["nations", "umls"]))
    (mrr,) = (
        float(row["value"])
        for row in rows
        if (row["dataset"], row["metric"], row["side"], row["split"])
        == ("nations", "inverse_harmonic_mean_rank", "both", "testing")
    )
    assert mrr == tables.constants("nations", "mrr", protocol="pykeen").expectation


def test_long_on_stdout_is_csv(run: Run) -> None:
    screen = run("tables", "export", "-f", "long", "-d", "nations", "-p", "raw")
    assert {(row["dataset"], row["protocol"]) for row in screen.rows} == {("nations", "raw")}
    assert (
        run("tables", "export", "-f", "long", "-d", "nations", "-p", "all").out
        == run("tables", "export", "-d", "nations").out
    )


def test_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "metric_adjustments.tsv.gz"
    screen = run("tables", "export", "-f", "pykeen", "-d", "nations", "--out", path)
    assert (screen.code, screen.out) == (0, "")
    assert f"{path}: 117 rows, tables {open_once().version}" in screen.err
    assert gzip.decompress(path.read_bytes()).decode() == run("tables", "export", "-f", "pykeen", "-d", "nations").out
    assert list(tmp_path.iterdir()) == [path]
