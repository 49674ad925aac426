"""``rankconst tables release`` and ``tables site``: what is written, and what is refused."""

import datetime as dt
import hashlib
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import rankconst
from cli.conftest import SMALL, Run
from few_tables import few_tables, write_tables
from rankconst.tables.archive import load
from rankconst.tables.descriptor import COLUMNS
from rankconst.version import bundled_versions

WriteBuild = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("builder")

FIRST = ("--previous", "none")
EVERYTHING = ("--splits", "train,valid,test", "--baseline", "all")
FILES = {
    *("checksums.txt", "datapackage.json", "index.jsonl", "croissant.json"),
    *("README.md", "LICENSE", "CITATION.cff", ".zenodo.json"),
    *(f"{name}.parquet" for name in COLUMNS),
}


@pytest.fixture
def write_build(tmp_path: Path) -> WriteBuild:
    """Write the rows of a carried dataset as a build does."""

    def write(key: str, folder: str = "my build") -> Path:
        tables = {name: rankconst.load().read(name, key) for name in COLUMNS}
        write_tables(tmp_path / folder, "unreleased", tables, {key: {"origin": "files"}})
        return tmp_path / folder

    return write


@pytest.fixture
def made(write_build: WriteBuild) -> Path:
    return write_build("nations")


@pytest.mark.usefixtures("no_builder")  # nothing is downloaded
def test_release(run: Run, made: Path, tmp_path: Path) -> None:
    out = tmp_path / "data" / "90.0.0"
    screen = run("tables", "release", "--version", "90.0.0", "--from", made, "--out", out, *FIRST)
    assert screen.code == 0
    assert {path.name for path in out.iterdir()} == FILES
    archive = tmp_path / "data" / "rankconst-tables-90.0.0.zip"
    for path in (*out.iterdir(), archive):
        content = path.read_bytes()
        assert str(path) in screen.out
        assert f"{len(content):,}" in screen.out
        assert hashlib.sha256(content).hexdigest() in screen.out
    for fact in ("tables 90.0.0", "the first release", f"next: deposit {archive}"):
        assert fact in screen.message
        assert fact not in screen.out
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked" / "rankconst-tables-90.0.0"
    shown = run("show", "nations", "mrr", "--tables", unpacked, "-f", "json")
    assert {row["table_version"] for row in shown.records} == {"90.0.0"}


def test_default_folders(
    run: Run, write_build: WriteBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_build("nations", folder="rankconst-tables")
    monkeypatch.chdir(tmp_path)
    url = "https://doi.org/10.1234/abc"
    screen = run("tables", "release", "--version", "90.0.0", "--previous", "none", "--url", url)
    assert screen.code == 0
    made = {path.name for path in (tmp_path / "data").iterdir()}
    assert made == {"90.0.0", "rankconst-tables-90.0.0.zip"}
    croissant = (tmp_path / "data" / "90.0.0" / "croissant.json").read_text(encoding="utf-8")
    assert json.loads(croissant)["url"] == url
    (today,) = re.findall(r"dated (\d{4}-\d\d-\d\d)", screen.message)
    apart = dt.datetime.now(tz=dt.UTC).date() - dt.date.fromisoformat(today)
    assert abs(apart) <= dt.timedelta(days=1)


@pytest.mark.slow
def test_newest_carried_tables_are_the_previous_ones(
    run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = bundled_versions()[-1]
    # A few of their datasets: to compare with all takes long.
    few = {newest: few_tables("countries_s1", "nations")}
    monkeypatch.setattr(
        "rankconst_builder.release.load",
        lambda path=None, version="": few.get(version) or load(path),
    )
    screen = run(
        "tables", "release", "--version", "90.0.0", "--from", made, "--out", tmp_path / "out"
    )
    assert screen.code == 0
    for fact in (f"since {newest}, a major change", "would be enough", "removed"):
        assert fact in screen.message


@pytest.mark.slow
@pytest.mark.usefixtures("placeholders")
def test_graph_of_ones_own(run: Run, write_graph: Callable[..., list[str]], tmp_path: Path) -> None:
    built, out = tmp_path / "built", tmp_path / "90.0.0"
    build: list[str | Path] = ["build", *write_graph(SMALL), "--name", "mykg", "--out", built]
    release = ("tables", "release", "--version", "90.0.0", "--from", built, "--out", out, *FIRST)
    assert run(*build, "--splits", "valid,test", "-b", "all").code == 0
    screen = run(*release)
    assert (screen.code, screen.out) == (2, "")
    assert (
        "a release has every split and baseline, and these datasets have some only: mykg"
        in screen.message
    )
    assert run(*build, *EVERYTHING).code == 0
    screen = run(*release)
    assert screen.code == 0
    assert "warning: not checked against a hash known beforehand: mykg" in screen.message
    before, after = rankconst.load(built), rankconst.load(out)
    for name in COLUMNS:
        assert after.read(name).equals(before.read(name))
    assert (before.version, after.version) == ("unreleased", "90.0.0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("--version", "90.0.0", "--url", "doi.org/10.1234"), 2, ("--url", "https://")),
        (("--version", "90.0.0", "--previous", "nowhere"), 6, ("nowhere", "holds no tables")),
        (("--version", "90.0.0", "--previous", "my build"), 2, ("--previous", "unreleased")),
        (("--version", "0.0.1"), 2, ("--previous none", "--previous DIR")),
    ],
)
@pytest.mark.usefixtures("made")
def test_orders_that_cannot_be(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    code: int,
    told: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = run("tables", "release", "--from", "my build", *args, "--out", "out")
    assert (screen.code, screen.out) == (code, "")
    for fact in told:
        assert fact in screen.message
    assert not (tmp_path / "out").exists()


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
