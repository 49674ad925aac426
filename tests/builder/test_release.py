"""Releasing: identical bytes, the version rule, and nothing released is ever overwritten."""

from __future__ import annotations

import datetime as dt
import io
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import rankconst
from few_tables import write_tables
from rankconst.errors import DataError, TablesError, UsageError
from rankconst.progress import Reporter
from rankconst.tables.archive import Tables as Opened
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst.version import bundled_versions
from rankconst_builder.describe import DOCUMENTS
from rankconst_builder.release import Released, ReleaseOrder, release_tables

if TYPE_CHECKING:
    from rich.console import Console


Tables = dict[str, "pa.Table"]
Rows = dict[str, list[dict[str, Any]]]

DATE = dt.date(2026, 11, 21)
FILES = [
    *(f"{name}.parquet" for name in COLUMNS),
    *("index.jsonl", "datapackage.json", *DOCUMENTS, "checksums.txt"),
]
BEFORE = "90.0.0"
"""A version that no package carries."""

TASKS = {"dataset": "nations", "protocol": "standard", "split": "test", "side": "head"}


def make_rows(*keys: str) -> Rows:
    """Return rows of carried datasets under one protocol, and a few of the tables that not every
    carried set has.
    """
    carried = rankconst.load()
    counts = {**TASKS, "num_candidates": 5, "num_tasks": 2}
    blocks = [{**counts, "baseline": "frequency", "offset": offset} for offset in (0, 3)]
    return {
        **{
            name: [
                row
                for key in keys
                for row in carried.read(name, key).to_pylist()
                if row.get("protocol", "standard") == "standard"
            ]
            for name in ("datasets", "candidates", "constants")
        },
        "macro_candidates": [
            {**counts, "aggregation": "macro-query", "weight": weight} for weight in (0.25, 0.5)
        ],
        "candidates_by_relation": [
            {**counts, "relation": relation} for relation in ("a:10", "a:9", "b")
        ],
        "baseline_candidates": blocks,
        "baseline_candidates_by_relation": [
            {**row, "relation": "b", "weight": 0.5} for row in blocks
        ],
    }


def tabulate(rows: Rows) -> Tables:
    return {name: pa.Table.from_pylist(rows[name], schema=schema_of(name)) for name in COLUMNS}


@pytest.fixture(scope="module")
def rows() -> Rows:
    return make_rows("nations", "umls")


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Opened]:
    """Write rows as a build does."""
    count = iter(range(100))

    def write(
        rows: Rows, version: str = "unreleased", provenance: dict[str, dict[str, str]] | None = None
    ) -> Opened:
        folder = tmp_path / f"build-{next(count)}"
        made = provenance or {
            row["dataset"]: {"origin": "files", "identity": "0"} for row in rows["datasets"]
        }
        write_tables(folder, version, tabulate(rows), made)
        return rankconst.load(folder)

    return write


@pytest.fixture
def order(tmp_path: Path, screen: Console) -> Callable[..., ReleaseOrder]:
    """Order a release into a folder of this name."""

    def make(source: Opened, version: str, folder: str = "out", **options: Any) -> ReleaseOrder:
        place = tmp_path / folder
        reporter = Reporter(screen)
        kept = {"date": DATE, "first": "previous" not in options, "reporter": reporter, **options}
        return ReleaseOrder(
            source, version, place / version, place / f"rankconst-tables-{version}.zip", **kept
        )

    return make


def shown(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def read_tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# ---- what is written -----------------------------------------------------------------------------


def test_a_release_is_whole_and_stays_as_it_is(
    build: Any, order: Any, rows: Rows, screen: Console, tmp_path: Path
) -> None:
    source = build({name: part[::-1] for name, part in rows.items()})
    released = release_tables(order(source, "90.0.0"))
    folder, archive = tmp_path / "out" / "90.0.0", tmp_path / "out" / "rankconst-tables-90.0.0.zip"
    assert released.written
    assert [*released.files] == [*(folder / name for name in FILES), archive]
    before = read_tree(tmp_path / "out")
    assert before == {
        str(path.relative_to(tmp_path / "out")): content for path, content in released.files.items()
    }
    loaded = rankconst.load(folder, version="90.0.0")
    for name, table in tabulate(rows).items():
        # Values are only serialised, and put into canonical order.
        assert loaded.read(name).equals(table)
    assert loaded.descriptor["provenance"] == source.descriptor["provenance"]
    with zipfile.ZipFile(archive) as packed:
        assert packed.testzip() is None
        assert packed.namelist() == sorted(f"rankconst-tables-90.0.0/{name}" for name in FILES)
        for entry in packed.infolist():
            assert packed.read(entry) == (folder / entry.filename.partition("/")[2]).read_bytes()
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert entry.compress_type == zipfile.ZIP_STORED
            assert stat.S_IMODE(entry.external_attr >> 16) == 0o644
            assert (entry.create_system, entry.extra, entry.comment) == (3, b"", b"")
    for lost in (False, True):
        if lost:
            archive.unlink()  # it is packed again
        again = release_tables(order(build(rows), "90.0.0", date=dt.date(2030, 1, 1)))
        assert (again.written, len(again.files)) == (False, len(before))
        assert read_tree(tmp_path / "out") == before
    assert "already released, identical" in shown(screen)


# ---- nothing is overwritten ----------------------------------------------------------------------


def test_a_released_version_is_not_overwritten(
    build: Any, order: Any, rows: Rows, tmp_path: Path
) -> None:
    release_tables(order(build(rows), "90.0.0"))
    before = read_tree(tmp_path / "out")
    for name, column in (
        ("constants", "expectation"),
        ("candidates", "num_tasks"),
        ("datasets", "entities"),
    ):
        other = change(rows, name, 0, **{column: rows[name][0][column] + 1})
        with pytest.raises(
            UsageError, match=f"90.0.0 is released already.*another {name}.*never changed"
        ):
            release_tables(order(build(other), "90.0.0"))
    assert read_tree(tmp_path / "out") == before


def test_other_folders_are_left_alone(build: Any, order: Any, rows: Rows, tmp_path: Path) -> None:
    source, folder = build(rows), tmp_path / "out" / "90.0.0"
    folder.mkdir(parents=True)
    for mine, told in (
        (folder / "notes.txt", "not empty"),
        (tmp_path / "out" / "rankconst-tables-90.0.0.zip", "--out"),
    ):
        mine.write_bytes(b"mine")
        before = read_tree(tmp_path / "out")
        with pytest.raises(UsageError, match=told):
            release_tables(order(source, "90.0.0"))
        assert read_tree(tmp_path / "out") == before
        mine.unlink()
    (tmp_path / "file").touch()
    for place, error, told in (
        (source.path, UsageError, "holds table version unreleased"),
        (tmp_path / "file", UsageError, "not a folder"),
        (tmp_path / "file" / "x", DataError, "--out"),
    ):
        with pytest.raises(error, match=told):
            release_tables(
                ReleaseOrder(source, "90.0.0", place, tmp_path / "a.zip", DATE, first=True)
            )


# ---- the version rule ----------------------------------------------------------------------------


def change(rows: Rows, name: str, place: int, **values: Any) -> Rows:
    changed = [{**row, **values} if at == place else row for at, row in enumerate(rows[name])]
    return {**rows, name: changed}


@pytest.mark.slow
def test_a_version_rises_with_what_changed(
    build: Any, order: Any, rows: Rows, screen: Console
) -> None:
    """Which change asks for which version, the tests of changes say."""
    previous, source = build({**rows, "constants": rows["constants"][1:]}, BEFORE), build(rows)
    with pytest.raises(UsageError, match=r"a minor change(?s:.*) version allowed is 90\.1\.0\.$"):
        release_tables(order(source, "90.0.1", previous=previous))
    released: Released = release_tables(order(source, "90.1.0", previous=previous))
    assert (released.written, released.previous) == (True, BEFORE)
    assert "would be enough" not in shown(screen)
    release_tables(order(source, "91.0.0", "larger", previous=previous))
    assert "note: 90.1.0 would be enough" in shown(screen)


@pytest.mark.slow
def test_versions_only_rise(build: Any, order: Any, rows: Rows) -> None:
    source, previous = build(rows), build(rows, BEFORE)
    for version in ("90.0.0", "89.9.9"):
        with pytest.raises(
            UsageError, match=f"{version} must be later than the previous release, 90.0.0"
        ):
            release_tables(order(source, version, previous=previous))
    with pytest.raises(UsageError, match="--previous none"):
        release_tables(order(source, "0.0.1", previous=None))
    with pytest.raises(UsageError, match="is released already"):
        release_tables(order(source, bundled_versions()[-1]))


# ---- what may be released ------------------------------------------------------------------------


def test_unverified_files_are_named(build: Any, order: Any, rows: Rows, screen: Console) -> None:
    made = {
        "nations": {"origin": "files"},
        "umls": {"origin": "archive 0.2.0", "reason": "no network"},
    }
    source = build(change(rows, "datasets", 0, verified=False), provenance=made)
    assert release_tables(order(source, "90.0.0")).written
    assert "warning: not checked against a hash known beforehand: nations\n" in shown(screen)
    assert "warning: not made from their files: umls (archive 0.2.0)\n" in shown(screen)


@pytest.mark.slow
def test_builds_that_are_not_released(build: Any, order: Any, rows: Rows, tmp_path: Path) -> None:
    def make(*programs: str) -> dict[str, dict[str, str]]:
        return {
            key: {"origin": "files", "program": each}
            for key, each in zip(("nations", "umls"), programs, strict=True)
        }

    damaged = build(rows)
    (damaged.path / "constants.parquet").write_bytes(b"nothing")
    twice = {**rows, "constants": [rows["constants"][0], *rows["constants"]]}
    for source, error, told in (
        (build(rows, provenance=make("A", "B")), DataError,
         r"different programs \(A: nations; B: umls\)"),
        (build(twice), DataError, "two rows of constants have the same"),
        (build({name: [] for name in COLUMNS}), TablesError, "holds no dataset"),
        (rankconst.load(damaged.path), TablesError, r"constants\.parquet is not the file"),
    ):  # fmt: skip
        with pytest.raises(error, match=told):
            release_tables(order(source, "90.0.0"))
    assert not (tmp_path / "out").exists()
    assert release_tables(order(build(rows, provenance=make("A", "A")), "90.0.0")).written
