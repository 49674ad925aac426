"""``rankconst tables site``: what is written where, and which orders are refused."""

from pathlib import Path

import pytest

from cli.conftest import Run
from rankconst.tables.archive import load


@pytest.mark.usefixtures("no_builder")  # nothing is downloaded
def test_a_site_of_one_dataset(run: Run, tmp_path: Path) -> None:
    url = "https://example.org/x"
    done = run("tables", "site", "--out", tmp_path / "public", "-d", "ogbl-biokg", "--url", url)
    assert done.code == 0, done.err
    assert "index.html" in done.message
    assert (tmp_path / "public" / "datasets" / "ogbbiokg.html").is_file()
    assert (tmp_path / "public" / "v1" / load().version / "ogbbiokg.json").is_file()
    assert "https://example.org/x/" in (tmp_path / "public" / "index.html").read_text(
        encoding="utf-8"
    )
