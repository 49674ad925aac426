"""``--counts``: numbers of candidates from a file, in place of a dataset; and what else goes with
files of results.
"""

import os
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankconst
from cases import for_each
from cli.conftest import Run, Write
from rankconst.errors import DataError
from rankconst.tables.counts_file import read_counts

SIDED = "side,num_candidates,num_tasks\nhead,9,2\ntail,4,3\nhead,5,1\n"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_may_have_a_name_that_is_no_text(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / os.fsdecode(b"\xff.csv")).write_text(SIDED, encoding="utf-8")
    (value,) = run(
        "adjust", "2.5", "-m", "mr", "--counts", os.fsdecode(b"\xff.csv"), "-f", "json"
    ).records
    assert (value["dataset"], value["num_tasks"]) == ("\\udcff", 6)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 4)), min_size=1, max_size=6))
def test_the_same_as_from_counts(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[int, int]]
) -> None:
    path = tmp_path_factory.mktemp("counts") / "Mine.csv"
    rows = "".join(f"{size}\t{number}\n" for size, number in pairs)
    path.write_text(f"num_candidates\tnum_tasks\n{rows}", encoding="utf-8")
    tables = read_counts(path)
    expected = rankconst.from_counts(
        [size for size, number in pairs for _ in range(number)]
    ).histogram()
    assert tables.histogram("mine", protocol="own counts") == expected


def test_several_datasets_and_splits(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text(
        "dataset,split,num_candidates\none,testing,3\none,dev,4\ntwo,test,5\n", encoding="utf-8"
    )
    tables = read_counts(path)
    sizes = {("one", "test"): 3, ("one", "valid"): 4, ("two", "test"): 5}
    for (dataset, split), size in sizes.items():
        assert tables.histogram(
            dataset, split=split, protocol="own counts"
        ).num_candidates.tolist() == [size]


@for_each(
    ("text", "message"),
    [
        ("", "expected num_candidates"),
        ("sizes\n3\n", "got columns sizes; expected num_candidates"),
        ("num_candidates,num_candidates\n3,3\n", "expected num_candidates"),
        ("num_candidates\n", "holds no counts"),
        ("num_candidates\n2.5\n", "line 2: 2.5: expected num_candidates; numbers are whole"),
        ("3\n4\nfive\n", "line 3: five: expected"),
        *((f"3\n{odd}\n", "line 2: .*: expected") for odd in ("1_0", "١٢", "+5", "0x1F", "1e1", "inf", "9" * 5000)),
        ("3\n0\n", "line 2: num_candidates is 0; expected 1 to"),
        ("num_candidates,side\n3,up\n", "line 2: 3, up: unknown side 'up'"),
        ("num_candidates,num_tasks\n3\n", "line 2: 3: expected"),
        ("num_candidates,side\n3,\n3,head\n", "for both sides together and for one side"),
    ],
)  # fmt: skip
def test_files_that_are_refused(write: Write, text: str, message: str) -> None:
    path = write(text, "counts.csv")
    with pytest.raises(DataError, match=message):
        read_counts(path)


def test_what_is_no_text_is_said_with_its_place_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b"14541\n" * 30_000 + b"\xe9\n")
    with pytest.raises(DataError, match="position 180000: "):
        read_counts(path)


@pytest.mark.slow
def test_many_rows_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("num_candidates\n" + "14541\n9\n" * 20_000, encoding="utf-8")
    tracemalloc.start()
    histogram = read_counts(path).histogram("c", protocol="own counts")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert histogram.num_candidates.tolist() == [9, 14541]
    assert histogram.num_tasks.tolist() == [20_000] * 2
    assert most < 10 * path.stat().st_size


def test_rows_are_quoted_in_part(run: Run, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("num_candidates\n" + "\0" * 50_000, encoding="utf-8")
    told = run("adjust", "2", "-m", "mr", "--counts", str(tmp_path / "c.csv")).err
    assert len(told) < 1000
    assert told.endswith("numbers are whole.\n")
