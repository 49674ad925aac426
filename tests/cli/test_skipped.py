"""What a reader left out, told in few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.cli.skipped import MOST_REASONS, report_skipped, show_lines
from rankconst.results.reading import Reading, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from cli.conftest import Run


def tell(capsys: pytest.CaptureFixture[str], skipped: Iterable[Skipped]) -> list[str]:
    report_skipped(Reading("train.log", "rotate", "long", (), (), (), tuple(skipped)))
    out, err = capsys.readouterr()
    assert out == ""
    return str(err).splitlines()


def test_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(capsys, []) == []


def test_places_with_the_same_reason_share_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    why = "no metric that logs print has this name"
    found = [Skipped(line, "auc_pr", why) for line in (*range(3, 203), 300)]
    assert tell(capsys, found) == [f"skipped: train.log, lines 3-202, 300: auc_pr: {why}"]
    names = [Skipped(line, f"auc_{line}", why) for line in range(3, 8)]
    assert tell(capsys, names) == [f"skipped: train.log, lines 3-7: auc_3, auc_4, auc_5 and 2 more: {why}"]


def test_one_line_or_none(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Skipped(7, "column colour", "no metric"), Skipped(None, "x" * 500, "no number")]
    assert tell(capsys, found) == [
        "skipped: train.log, line 7: column colour: no metric",
        f"skipped: train.log: {'x' * 80}...: no number",
    ]


def test_many_reasons_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Skipped(line, "x", f"reason {line}") for line in range(1, 21)]
    shown = tell(capsys, [*found, *found])
    assert len(shown) == MOST_REASONS + 1
    assert shown[-1] == f"skipped: train.log: {2 * (20 - MOST_REASONS)} more, for {20 - MOST_REASONS} other reasons"


@given(st.sets(st.integers(1, 60)))
def test_ranges_stand_for_their_lines(lines: set[int]) -> None:
    """Read the ranges back: no other lines, the first ones, and the count of the others."""
    text, _, more = show_lines(lines).partition(" and ")
    read: list[int] = []
    for part in filter(None, text.split(", ")):
        first, _, last = part.partition("-")
        read += range(int(first), int(last or first) + 1)
    assert read == sorted(lines)[: len(read)]
    assert len(lines) - len(read) == int(more.partition(" ")[0] or 0)


def test_commands_that_read_files_say_it(run: Run, tmp_path: Path) -> None:
    """RotatE's README of FB15k-237, between 300 lines of another metric."""
    path = tmp_path / "train.log"
    head = "2019-03-14 12:00:00,000 INFO     Test"
    other = "".join(f"{head} auc_pr at step {step}: 0.5\n" for step in range(300))
    path.write_text(f"{other}{head} MRR at step 100000: 0.337000\n{head} MR at step 100000: 177.000000\n")
    for command, out in (("lint", ()), ("identify", ()), ("plot", ("-d", "fb15k237", "-o", tmp_path / "a.svg"))):
        if command == "plot":
            pytest.importorskip("matplotlib")
        told = [line for line in run(command, path, *out).err.splitlines() if line.startswith("skipped: ")]
        assert told == [f"skipped: {path}, lines 1-300: auc_pr: no metric that logs print has this name"]
