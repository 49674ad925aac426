"""``rankconst show datasets``: what is in the tables, and what can be built."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from rankconst.version import bundled_versions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Run, RunInTerminal

COUNTS = ("entities", "relations", "triples_train", "triples_valid", "triples_test")


def test_every_dataset_of_the_tables_is_listed(run: Run) -> None:
    screen = run("datasets", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    carried = {row["dataset"]: row for row in screen.records if row["status"] == "carried"}
    known = open_once().datasets
    assert list(carried) == list(known)
    for key, row in carried.items():
        for field in (*COUNTS, "title", "licence", "citation", "citation_url", "source_urls", "aliases", "verified"):
            assert row[field] == known[key][field]


@pytest.mark.usefixtures("builder")
def test_every_dataset_of_the_registry_is_listed_once(run: Run) -> None:
    from rankconst.catalogue.benchmarks import load_benchmarks

    rows = run("datasets", "-f", "json").records
    keys = [row["dataset"] for row in rows]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(load_benchmarks()) | set(open_once().datasets)
    for row in rows:
        assert re.fullmatch(r"carried|buildable|not offered|source of \w+", row["status"])
        assert bool(row["reason"]) == (row["status"] == "not offered")
        assert row["title"]
        assert row["status"] == "carried" or all(row[field] is None for field in COUNTS)
    assert {"yago310", "wikidata5m", "codexlarge"} <= {r["dataset"] for r in rows if r["status"] == "buildable"}


def test_csv_equals_json(run: Run) -> None:
    rows, records = run("datasets", "-f", "csv").rows, run("datasets", "-f", "json").records
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        assert list(row) == list(record)
        for field, value in record.items():
            if not isinstance(value, list):
                assert row[field] == ("" if value is None else str(value))


def test_lists_can_be_taken_apart_again_in_csv(run: Run) -> None:
    rows, records = run("datasets", "-f", "csv").rows, run("datasets", "-f", "json").records
    spaced = [record for record in records if len(record["aliases"] or ()) > 1]
    assert spaced
    for record in spaced:
        (row,) = [row for row in rows if row["dataset"] == record["dataset"]]
        assert row["aliases"] != " ".join(record["aliases"])


def test_the_table_has_the_facts(run: Run) -> None:
    screen = run("datasets")
    assert (screen.code, screen.err) == (0, "")
    (line,) = [cells for cells in screen.cells if cells[0] == "fb15k237"]
    assert set(line) >= {"fb15k237", "FB15k-237", "carried", "14,541", "237", "272,115", "17,535", "20,466", "yes"}
    assert bundled_versions()[-1] in screen.out


def test_nothing_is_cut_in_a_pipe(run: Run) -> None:
    screen = run("datasets", env={"COLUMNS": "40"})
    records = run("datasets", "-f", "json").records
    assert "…" not in screen.out
    shown = {cells[0]: cells[1] for cells in screen.cells if len(cells) > 1}
    for record in records:
        assert shown[record["dataset"]] == record["title"]


@pytest.mark.slow
def test_no_key_is_cut_in_a_terminal(run: Run, run_in_terminal: RunInTerminal) -> None:
    screen = run_in_terminal("datasets", columns=80)
    words = set(re.split(r"\s+", re.sub(r"\x1b\[[0-9;]*m", "", screen.out)))
    assert {record["dataset"] for record in run("datasets", "-f", "json").records} <= words


@pytest.mark.usefixtures("no_builder")
def test_without_the_extra_the_tables_are_listed(run: Run) -> None:
    screen = run("datasets", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    assert {"fb15k237", "wn18rr"} <= {row["dataset"] for row in screen.records}
    screen = run("datasets")
    assert screen.code == 0
    assert "rankconst[builder]" in screen.out


@pytest.mark.slow
@pytest.mark.usefixtures("builder", "placeholders")
def test_tables_of_the_users_own(run: Run, write_graph: Callable[..., list[str]], tmp_path: Path) -> None:
    from cli.conftest import SMALL

    out = tmp_path / "out"
    assert run("build", *write_graph(SMALL), "--name", "MyKG", "--out", out).code == 0
    rows = {row["dataset"]: row for row in run("datasets", "--tables", out, "-f", "json").records}
    assert rows["mykg"]["status"] == "carried"
    assert rows["mykg"]["title"] == "MyKG"
    assert [rows["mykg"][field] for field in COUNTS] == [5, 2, 6, 2, 5]
    assert rows["nations"]["status"] == "carried"


def test_usage(run: Run, tmp_path: Path) -> None:
    assert run("datasets", "umls").code == 2
    screen = run("datasets", "--tables", tmp_path)
    assert (screen.code, screen.out) == (6, "")
    assert "holds no tables" in screen.message
