"""``rankconst adjust --out figure.svg`` without matplotlib; with it, the screens are recorded."""

from pathlib import Path

import pytest

from cli.conftest import Run, Write


def test_without_matplotlib(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankconst.figures.find_spec", lambda _: None)
    table = write("model,dataset,MRR\nTransE,FB15k-237,0.294\n")
    screen = run("adjust", table, "-o", tmp_path / "a.svg")
    assert screen.code == 3
    assert (
        "pictures need matplotlib, which is missing. Run: pip install 'rankconst[plot]'"
        in screen.message
    )
    assert not (tmp_path / "a.svg").exists()
