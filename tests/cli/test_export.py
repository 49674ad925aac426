"""``rankconst tables export``: one long table, to stdout or to a file."""

from __future__ import annotations

import csv
import gzip
import io
import os
import stat
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from cli.conftest import SMALL
from rankconst.tables.export import FORMATS, export_rows

if TYPE_CHECKING:
    from collections.abc import Callable
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
        == run("tables", "export", "-f", "long", "-d", "nations").out
    )


def test_another_protocol(run: Run) -> None:
    rows = read_tsv(run("tables", "export", "-f", "pykeen", "-d", "nations", "-p", "standard").out)
    assert {row["protocol"] for row in rows} == {"standard"}


def test_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "metric_adjustments.tsv.gz"
    screen = run("tables", "export", "-f", "pykeen", "-d", "nations", "--out", path)
    assert (screen.code, screen.out) == (0, "")
    assert f"{path}: 117 rows, tables {open_once().version}" in screen.err
    assert gzip.decompress(path.read_bytes()).decode() == run("tables", "export", "-f", "pykeen", "-d", "nations").out
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_file_has_the_usual_permissions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    run("tables", "export", "-f", "pykeen", "-d", "nations", "--out", tmp_path / "a.tsv")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path.is_file()}
    assert len(modes) == 1


def test_a_file_that_is_there_stays(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("mine", encoding="utf-8")
    screen = run("tables", "export", "-f", "pykeen", "-d", "nations", "--out", path)
    assert (screen.code, screen.out) == (2, "")
    assert "--force" in screen.message
    assert path.read_text(encoding="utf-8") == "mine"
    assert run("tables", "export", "-f", "pykeen", "-d", "nations", "--out", path, "--force").code == 0
    assert path.read_text(encoding="utf-8").startswith("dataset\tmetric\t")


def test_a_file_that_cannot_be_put_in_place_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.tsv"
    path.write_text("mine", encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", fail)
        screen = run("tables", "export", "-f", "pykeen", "-d", "nations", "--out", path, "--force")
    assert screen.code == 6
    assert f"cannot write {path}: No space left on device" in screen.message
    assert path.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        ((), 2, "--format"),
        (("-f", "pykeeen"), 2, "unknown format 'pykeeen'. Did you mean pykeen?"),
        (("-f", "pykeen", "-p", "all"), 2, "one protocol"),
        (("-f", "pykeen", "--out", "x.csv"), 2, "must end in .tsv, .tsv.gz"),
        (("-f", "long", "--out", "x.json"), 2, "must end in .csv"),
        (("-f", "pykeen", "--out", "no/such/folder/x.tsv"), 2, "folder no/such/folder does not exist"),
        (("-f", "pykeen", "-d", "natoins"), 4, "Did you mean nations?"),
        (("-f", "pykeen", "-p", "pykeeen"), 4, "Did you mean pykeen?"),
        (("-f", "pykeen", "-p", "LibKGEE"), 4, "unknown protocol"),
        (("-f", "long", "-p", "sampled:5"), 4, "hold no constants under protocol sampled:5"),
        (("-f", "pykeen", "--tables", "nowhere"), 6, "holds no tables"),
    ],
)
def test_what_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = run("tables", "export", *args)
    assert (screen.code, screen.out) == (code, "")
    assert told in screen.message
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a.tsv"
    folder.mkdir()
    screen = run("tables", "export", "-f", "pykeen", "--out", folder, "--force")
    assert screen.code == 2
    assert "is a folder" in screen.message


@pytest.mark.slow
@pytest.mark.usefixtures("builder", "placeholders")
def test_tables_of_ones_own(run: Run, write_graph: Callable[..., list[str]], tmp_path: Path) -> None:
    """Also where a split has no tasks, and where a dataset has not the protocol."""
    out = tmp_path / "tables"
    assert run("build", *write_graph({**SMALL, "valid": []}), "--name", "mykg", "--out", out).code == 0
    rows = read_tsv(run("tables", "export", "-f", "pykeen", "--tables", out).out)
    assert {row["dataset"] for row in rows} == {"mykg"}
    assert {row["split"] for row in rows} == {"testing"}
    only_raw = tmp_path / "raw"
    assert run("build", *write_graph(SMALL), "--name", "mykg", "--out", only_raw, "-p", "raw").code == 0
    screen = run("tables", "export", "-f", "pykeen", "--tables", only_raw)
    assert (screen.code, screen.out) == (4, "")
    assert "hold no constants under protocol pykeen" in screen.message


def test_completion_of_formats(run: Run) -> None:
    words = "rankconst tables export --format p"
    env = {"_RANKCONST_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "4"}
    assert run(env=env).out.split() == ["pykeen"]
