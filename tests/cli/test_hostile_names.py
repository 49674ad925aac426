"""Names that would steer a terminal are shown on every screen and in every error, wherever they
come from.
"""

import json
import shutil
import sys
import unicodedata
from pathlib import Path

import pytest

import rankconst
from cli.conftest import Run, Screen, Write
from tables.test_damage import make, write

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b1m\u202eevil"
SHOWN = r"\x1b]0;owned\x07\x1b[2J\u009b1m\u202eevil"
TABLE = f"model{EVIL},dataset,MRR,x{EVIL}\nA{EVIL},nations,0.5,1\nB,{EVIL},0.5,2\nC,nations,7,3\n"


def check_harmless(screen: Screen) -> None:
    """Check that nothing but text and line ends was sent."""
    signs = {sign for sign in screen.out + screen.err if unicodedata.category(sign) in {"Cc", "Cf"}}
    assert signs <= {"\n", "\t"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"a{EVIL}.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
@pytest.mark.parametrize("command", ["adjust", "check"])
def test_names_from_files(run: Run, file: Path, command: str, form: str) -> None:
    screen = run(command, file, "--format", form)
    check_harmless(screen)
    assert "evil" in screen.out + screen.err


def test_names_in_arguments(run: Run, tmp_path: Path) -> None:
    for args in (
        ("adjust", "0.5", "--dataset", EVIL, "--metric", "mrr"),
        ("adjust", "0.5", "--dataset", "nations", "--metric", EVIL),
        ("adjust", EVIL, "--dataset", "nations", "--metric", "mrr"),
        ("adjust", tmp_path / EVIL, "--out", tmp_path / EVIL / "a.csv"),
        (f"{EVIL}",),
        ("show", EVIL),
        ("check", EVIL),
        ("tables", EVIL),
        ("show", "nations", "--tables", EVIL),
        ("adjust", "0.5", "-d", "nations", "-m", "mrr", "--format", EVIL),
    ):
        screen = run(*args)
        assert screen.code > 1, args
        check_harmless(screen)
        assert "owned" in screen.message.replace(" ", ""), args  # frames may cut it


def test_names_in_tables_and_archives(run: Run, tmp_path: Path) -> None:
    files = make()
    described = json.loads(files["datapackage.json"]) | {"version": f"1.0.{EVIL}"}
    folder = write(tmp_path / "set", {**files, "datapackage.json": json.dumps(described).encode()})
    check_harmless(run("show", "nations", "--tables", folder))
    archive = shutil.make_archive(str(tmp_path / EVIL), "zip", folder)
    (folder / "datapackage.json").rename(folder / EVIL)
    other = shutil.make_archive(str(tmp_path / "other"), "zip", folder)
    for place in (archive, other):
        check_harmless(run("show", "nations", "--tables", place))
    assert SHOWN in run("show", "nations", "--tables", other).err


def test_nothing_but_own_colours_in_a_terminal(
    run: Run, file: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = write(
        f"| model | dataset | MRR |\n|---|---|---|\n| {EVIL} | nations | 0.5 |\n", "a.md"
    )
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for args in (
        ("check", file),
        ("adjust", document, "--replace", "index"),
        ("adjust", file, "--format", "csv"),
    ):
        screen = run(*args)
        assert r"\x1b]0;" in screen.out.replace("\n    ", ""), args  # where a line was broken
        assert not any(sign in screen.out for sign in (EVIL[:8], "\x9b", "\x07", "\u202e")), args


def test_a_document_that_is_replaced_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    document, out = tmp_path / "a.md", tmp_path / "b.md"
    text = f"| model | dataset | MRR |\n|---|---|---|\n| =1+1 {EVIL}<b> | nations | 0.5 |\n"
    document.write_text(text, encoding="utf-8")
    assert run("adjust", document, "--replace", "index", "--out", out).code == 0
    assert f"| =1+1 {EVIL}<b> | nations |" in out.read_text(encoding="utf-8")
    assert EVIL in run("adjust", document, "--replace", "index").out


@pytest.mark.skipif(sys.platform == "win32", reason="file names are text there")
def test_arguments_that_are_no_text(run: Run, write: Write) -> None:
    name = b"\xff\xfe".decode("utf-8", "surrogateescape")
    path = write("model,dataset,MRR,H@1,H@10\nA,nations,0.5,0.6,0.4\n", name)
    for form in ("table", "json", "csv", "markdown", "latex"):
        screen = run("check", path, "--format", form)
        assert screen.code == 6
        check_harmless(screen)
    assert rankconst.check(path).findings
