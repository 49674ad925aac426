"""``--tables`` with a folder, a zip file, a URL and a DOI: the same numbers, and an exit code for
each failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from few_tables import few_tables

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from cli.conftest import Run

# pooch leaves the connection of an error answer to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

COMMANDS = {
    "adjust": (*("adjust", 0.338, "-d", "fb15k237", "-m", "mrr", "-f", "json"),
         *("--split", "test", "--side", "both", "-p", "raw")),
    "show": ("show", "wn18rr", "hits@7", "-f", "json"),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_zip_file(run: Run, zipped: Path, command: str) -> None:
    args = COMMANDS[command]
    screen = run(*args, "--tables", zipped)
    assert (screen.code, screen.err) == (0, "")
    assert screen.out == run(*args, "--tables", few_tables().path).out


def test_failures_have_their_exit_codes(run: Run, tmp_path: Path, server: HTTPServer) -> None:
    (tmp_path / "page.zip").write_bytes(b"<html>")
    server.expect_request("/gone.zip").respond_with_data("", status=404)
    server.expect_request("/page.zip").respond_with_data("<html>")
    for place, code in {
        "ftp://host.invalid/tables.zip": 2,
        "doi:nonsense": 2,
        server.url_for("/page.zip") + "#sha256=0": 2,
        server.url_for("/gone.zip"): 5,
        server.url_for("/page.zip"): 5,
        server.url_for("/page.zip") + "#sha256=" + "0" * 64: 5,
        str(tmp_path / "page.zip"): 6,
        str(tmp_path / "missing.zip"): 6,
        str(tmp_path / "missing"): 6,
    }.items():
        screen = run(*COMMANDS["adjust"], "--tables", place)
        assert (screen.code, screen.out) == (code, ""), place
        assert "error: " in screen.err
        assert place.partition("#")[0] in screen.message


def test_without_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankconst.download.find_spec", lambda _: None)
    screen = run(*COMMANDS["adjust"], "--tables", "https://host.invalid/tables.zip")
    assert screen.code == 3
    assert "pip install 'rankconst[builder]'" in screen.message
