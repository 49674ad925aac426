"""The notebook of docs/: its outputs are those of today."""

import json
from pathlib import Path

import pytest

from notebook import NOTEBOOK, run_notebook


@pytest.mark.slow
@pytest.mark.skipif(not NOTEBOOK.is_file(), reason="the notebook is in a checkout only")
def test_the_notebook_shows_what_its_cells_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert run_notebook(text) == text, "run: python tests/notebook.py, and read what changed"
    cells = json.loads(text)["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
