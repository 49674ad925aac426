"""The notebook of docs/: its outputs are those of today."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from notebook import NOTEBOOK, run_notebook

if TYPE_CHECKING:
    from pathlib import Path


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
