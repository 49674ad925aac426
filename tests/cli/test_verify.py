"""``rankconst tables verify``: exit codes, what is printed, and what it is asked to look at."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import SMALL, Run, RunInTerminal
from few_tables import few_tables
from placeholders import fill_in

pytestmark = pytest.mark.usefixtures("builder")


@pytest.fixture
def small() -> Path:
    """The folder of a small set."""
    return few_tables("countries_s1", "nations").path


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(small, tmp_path / "copy")


def damage(path: Path, place: int = 100) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.slow
def test_a_set_that_is_right(run: Run, run_in_terminal: RunInTerminal, small: Path) -> None:
    screen = run("tables", "verify", small)
    assert (screen.code, "..." in screen.out + screen.err) == (0, False)
    # A terminal shows which stage runs.
    out = run_in_terminal("tables", "verify", small).out
    assert out.index("files ...") < out.index("keys ...") < out.index("pooling ...")


@pytest.mark.slow
@pytest.mark.usefixtures("placeholders")
def test_rebuild_reports_on_stderr(
    run: Run,
    write_graph: Callable[..., list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rankconst_builder.verify.compute_moments", fill_in)
    out = tmp_path / "out"
    options = ("--name", "mykg", "--splits", "train,valid,test", "-b", "all", "--out", out)
    assert run("build", *write_graph(SMALL), *options).code == 0
    screen = run("tables", "verify", out, "--rebuild", "-d", "MyKG")
    assert (screen.code, "[1/1] mykg: constants from" in screen.err) == (0, True), screen
    for stage in ("constants", "sources"):
        assert re.search(rf"^{stage} +ok ", screen.out, re.MULTILINE)
    assert "note: sources: mykg: not compared with sources: " in screen.out


def test_of_many_notes_the_first_stands_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    from rankconst.cli.tables import SHOWN_NOTES, _print_stage
    from rankconst_builder.verify import Finding, StageResult

    for many in (1, SHOWN_NOTES, SHOWN_NOTES + 1, 56):
        notes = tuple(
            Finding("no files at hand", "", {"dataset": f"d{i}"}, level="note") for i in range(many)
        )
        _print_stage(StageResult("sources", 0, notes))
        _, *lines = capsys.readouterr().out.splitlines()
        assert len(lines) == (many if many <= SHOWN_NOTES else 2)
        assert "d0" in lines[0]
        assert many <= SHOWN_NOTES or lines[1].endswith(f"{many - 1} more like it")


@pytest.mark.slow
def test_a_damaged_table_exits_with_7(run: Run, copy: Path) -> None:
    damage(copy / "constants.parquet")
    screen = run("tables", "verify", copy)
    assert screen.code == 7
    assert "error: tables" in screen.message
    assert "(files, keys, pooling)" in screen.message
    assert re.search(r"^files +failed: 1 ", screen.out)
    assert re.search(r"^filters +ok ", screen.out, re.MULTILINE)
    assert "constants.parquet" in screen.out


@pytest.mark.slow
def test_a_difference_is_named(run: Run, copy: Path) -> None:
    descriptor = json.loads((copy / "datapackage.json").read_text(encoding="utf-8"))
    for source in descriptor["sources"]:
        source["title"] += "?"
    text = json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"
    (copy / "datapackage.json").write_text(text, encoding="utf-8")
    screen = run("tables", "verify", copy)
    assert screen.code == 7
    assert re.search(r"^ descriptor +datapackage.json +sources ", screen.out, re.MULTILINE)
    assert descriptor["sources"][0]["title"] in screen.out


@pytest.mark.slow
def test_the_table_lists_the_first_differences(run: Run, copy: Path) -> None:
    for place in range(25):
        (copy / f"stray-{place:02}.txt").write_text("x", encoding="utf-8")
    screen = run("tables", "verify", copy)
    assert screen.code == 7
    assert screen.out.count("does not belong to the set") == 20
    assert "5 more differences." in screen.out
    assert "25 differences in 1 of" in screen.message


@pytest.mark.slow
def test_datasets_in_any_spelling(run: Run, small: Path) -> None:
    counts = []
    for options in (("-d", "NATIONS"), ()):
        screen = run("tables", "verify", small, *options)
        counts.append(dict(re.findall(r"^(files|keys) +ok +([\d,]+) ", screen.out, re.MULTILINE)))
    one, every = counts
    assert 0 < int(one["keys"].replace(",", "")) < int(every["keys"].replace(",", ""))
    assert one["files"] == every["files"]
    screen = run("tables", "verify", small, "-d", "nation5", "-d", "nothing")
    assert screen.code == 4
    assert "Did you mean nations" in screen.message
    assert "'nothing'" in screen.message


def test_without_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankconst.download.find_spec", lambda _: None)
    screen = run("tables", "verify")
    assert (screen.code, screen.out) == (3, "")
    assert (
        "`rankconst tables verify` needs scipy, which is missing. Run: pip install "
        "'rankconst[builder]'"
    ) in screen.message
