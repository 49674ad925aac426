"""Building sets of tables from the mirror, from the archive, from a graph of one's own; and what
can go wrong.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankconst
from brute import ORDER
from cases import choose
from few_tables import write_tables
from graphs import EVERYTHING, random_dataset, write_benchmark, write_forecasting
from oracles import differing_rows
from rankconst.catalogue.benchmarks import (
    Benchmark,
    BenchmarkFile,
    LineFormat,
    Remote,
    find_benchmark,
)
from rankconst.catalogue.protocols import PROTOCOLS, parse_protocol
from rankconst.download import HashMismatchError, MissingSourceError
from rankconst.errors import DataError, TablesError, UnknownNameError, UsageError
from rankconst.progress import Reporter
from rankconst.tables.archive import Tables
from rankconst.tables.descriptor import COLUMNS
from rankconst.version import bundled_versions
from rankconst_builder import pipeline
from rankconst_builder.fetch import Content, Fetcher
from rankconst_builder.package import hash_content
from rankconst_builder.pipeline import Build, Outcome, build_all, order_protocols

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer
    from rich.console import Console

    Run = Callable[..., Outcome]

ARCHIVED = bundled_versions()[-1]
KEYS = ("alpha", "beta", "gamma")
RANKED = PROTOCOLS["raw"], PROTOCOLS["pykeen"]
LITTLE: dict[str, Any] = {"protocols": RANKED, "baselines": (), "splits": ("valid", "test")}
GHOST = Benchmark(
    key="ghost",
    title="Ghost",
    aliases=(),
    format=LineFormat(),
    files={
        role: BenchmarkFile(Remote(f"https://ghost.invalid/{role}.txt", 3, "0" * 64))
        for role in ORDER
    },
    split="published",
)


def write_synthetic(folder: Path, key: str, seed: int) -> Benchmark:
    """Write a small benchmark, with duplicates, overlaps and unseen entities."""
    drawn = random_dataset(seed, entities=13, relations=2, size=60)
    files = {
        role: "".join(f"E {h}\tr {r}\tE {t}\n" for h, r, t in rows) for role, rows in drawn.items()
    }
    return write_benchmark(folder, key, {**files, "test": f"{files['test']}E 13\tr 2\tE 0\n"})


pytestmark = pytest.mark.usefixtures("placeholders")


@pytest.fixture
def synthetic(tmp_path: Path) -> dict[str, Benchmark]:
    """Synthetic benchmarks, whose files `small` has."""
    return {
        key: write_synthetic(tmp_path / "small", key, place)
        for place, key in enumerate(("alpha", "beta", "gamma"))
    }


@pytest.fixture
def small(tmp_path: Path, synthetic: dict[str, Benchmark]) -> Path:
    """A mirror of the synthetic benchmarks."""
    assert synthetic
    return tmp_path / "small"


@pytest.fixture
def run(tmp_path: Path, screen: Console, request: pytest.FixtureRequest) -> Run:
    """Build little into tmp_path/out with no mirror, nothing in the cache and no network, unless
    told otherwise.
    """

    def find(name: str | Benchmark) -> Benchmark:
        made = request.getfixturevalue("synthetic") if name in KEYS else {}
        return name if isinstance(name, Benchmark) else made.get(name) or find_benchmark(name)

    def build(*names: str | Benchmark, mirror: Path | str | None = None, **options: Any) -> Outcome:
        reporter, asked = Reporter(screen), None if mirror is None else str(mirror)
        fetcher = Fetcher(tmp_path / "cache", mirror=asked, offline=True, reporter=reporter)
        given = {
            "sources": [*map(find, names)], "out": tmp_path / "out", "fetcher": fetcher,
            "reporter": reporter,
        }  # fmt: skip
        return build_all(Build(**{**LITTLE, **given, **options}))

    return build


def printed(screen: Console) -> list[str]:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue().splitlines()


def rows_of(tables: Tables | None, name: str, key: str) -> list[dict[str, Any]]:
    assert tables is not None
    return [*tables.read(name, key).to_pylist()]


def assert_same_numbers(one: Tables | None, other: Tables | None, key: str) -> None:
    assert other is not None
    for name in ("candidates", "constants"):
        rows = rows_of(one, name, key)
        assert rows
        assert differing_rows(rows, rows_of(other, name, key)) == []


def read_bytes(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def provenance(outcome: Outcome, key: str) -> dict[str, Any]:
    assert outcome.tables is not None
    rows = [row for row in outcome.tables.descriptor["provenance"] if row["dataset"] == key]
    assert len(rows) == 1
    return dict(rows[0])


# ---- the same numbers on every way ---------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("key", choose(["nations"], ["nations", "umls", "nell_v1_ind"]))
@pytest.mark.usefixtures("true_constants")
def test_mirror_and_archive_and_shipped_tables_agree(
    mirror: Path, run: Run, key: str, tmp_path: Path
) -> None:
    shipped = rankconst.load(version=ARCHIVED)
    asked = {**EVERYTHING, "baselines": shipped.list_baselines("all")[1:]}
    # As soon as there are files, they are used.
    outcomes = [run(key, out=tmp_path / "other", **asked), run(key, mirror=mirror, **asked)]
    hashes = []
    for outcome, origin in zip(outcomes, (f"archive {ARCHIVED}", "files"), strict=True):
        assert outcome.built == (key,)
        assert provenance(outcome, key)["origin"] == origin
        assert ("reason" in provenance(outcome, key)) == (origin != "files")
        assert outcome.tables is not None
        hashes.append({name: hash_content(outcome.tables.read(name)) for name in COLUMNS})
    assert_same_numbers(outcomes[1].tables, shipped, key)
    assert rows_of(outcomes[1].tables, "datasets", key) == rows_of(shipped, "datasets", key)
    assert rows_of(outcomes[1].tables, "datasets", key)[0]["verified"] is True
    # Here fewer draws are made than for the archive, whose constants of baselines are taken as they
    # are.
    assert {name for name in COLUMNS if hashes[0][name] != hashes[1][name]} <= {"constants"}


def test_protocols_are_in_the_order_of_the_catalogue() -> None:
    protocols = order_protocols([*map(parse_protocol, ("sampled:500", "raw", "sampled:50", "raw"))])
    assert [protocol.key for protocol in protocols] == ["raw", "sampled:50", "sampled:500"]


# ---- temporal benchmarks -------------------------------------------------------------------------


@pytest.mark.slow
def test_a_forecasting_benchmark_has_what_does_not_need_its_train(
    tmp_path: Path, run: Run, screen: Console
) -> None:
    chance = {**EVERYTHING, "baselines": ()}
    source = write_forecasting(tmp_path / "whole", train=True)
    whole = run(source, mirror=tmp_path / "whole", out=tmp_path / "a", **chance).tables
    source = write_forecasting(tmp_path / "part", train=False)
    outcome = run(source, mirror=tmp_path / "part", out=tmp_path / "b", **EVERYTHING)
    part, said = outcome.tables, " ".join(" ".join(printed(screen)).split())
    assert whole is not None
    assert part is not None
    assert "What does not need train is built" in said
    assert "no constants of test under static, because files are missing" in said
    assert whole.protocols("forecast") == ("raw", "static", "time-aware")
    held = [(one["protocol"], one["split"]) for one in rows_of(part, "candidates", "forecast")]
    assert {*held} == {(key, split) for key in ("raw", "time-aware") for split in ("valid", "test")}
    for name in ("candidates", "macro_candidates", "candidates_by_relation", "constants"):
        same = [
            row
            for row in rows_of(whole, name, "forecast")
            if (row["protocol"], row["split"]) in held
            and row.get("baseline", "uniform") == "uniform"
        ]
        assert differing_rows(rows_of(part, name, "forecast"), same) == []
    (row,), (full,) = (rows_of(tables, "datasets", "forecast") for tables in (part, whole))
    assert (row["entities"], row["relations"]) == (full["entities"], full["relations"]) == (12, 3)
    lost = {name for name, value in row.items() if value is None and full[name] is not None}
    assert lost == {name for name in row if "train" in name or name.startswith("dropped_")}
    assert row["sha256"][0] is None
    for protocol, baseline, message in (
        ("static", "uniform", "The file of train was missing when they were built"),
        ("raw", "counting", "it knows the training set, whose file was missing"),
    ):
        with pytest.raises(UnknownNameError, match=message):
            part.constants("forecast", "mrr", protocol=protocol, baseline=baseline)
    # Once the file is there, the rest is built.
    again = run(source, mirror=tmp_path / "whole", out=tmp_path / "b", **chance).tables
    assert again is not None
    assert again.protocols("forecast") == ("raw", "static", "time-aware")


def test_times_that_two_files_share_are_no_forecasting_split(tmp_path: Path, run: Run) -> None:
    source = write_forecasting(tmp_path / "mirror", train=True)
    test = source.files["valid"]
    with pytest.raises(
        DataError, match="valid and test share 3 times, but the dataset is said to be split by time"
    ):
        run(replace(source, files={**source.files, "test": test}), mirror=tmp_path / "mirror")
    stat = replace(source.files["stat"], remote=Remote("https://example.invalid/forecast/few.txt"))
    for text, message in (
        ("5 3", "states 5 entities and 3 relations; its files have"),
        ("x", "expected the"),
    ):
        (tmp_path / "mirror" / "example.invalid" / "forecast" / "few.txt").write_text(
            text, encoding="ascii"
        )
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        with pytest.raises(DataError, match=message):
            run(replace(source, files={**source.files, "stat": stat}), mirror=tmp_path / "mirror")


# ---- graphs of one's own -------------------------------------------------------------------------


OWN = Benchmark(key="mykg", title="MyKG", aliases=(), format=LineFormat(), files={}, split="own")


@pytest.mark.parametrize("name", ["_read_own_graph", "count_histograms"])
def test_own_file_that_changes_meanwhile(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its hash would be that of other triples than those that were counted."""
    path, real = tmp_path / "train.tsv", getattr(pipeline, name)
    numbered, labels = b"0\t0\t1\n1\t0\t2\n", b"a\tr\tb\nb\tr\tc\n"
    changes: list[tuple[bytes, Callable[[], object]]] = [
        (numbered, lambda: path.write_bytes(numbered * 2)),
        (labels, lambda: path.write_bytes(labels[:6])),
        (numbered, lambda: path.with_name("x").write_bytes(numbered) and path.with_name("x").replace(path)),
        (labels, path.unlink),
    ]  # fmt: skip
    for content, change in changes:

        def read(*args: Any, change: Callable[[], object] = change, **options: Any) -> Any:
            found = real(*args, **options)
            change()
            return found

        path.write_bytes(content)
        monkeypatch.setattr(pipeline, name, read)
        with pytest.raises(DataError, match=rf"{path} changed during the build\. Build again"):
            run(OWN, local={"mykg": {"train": path, "test": path}})
    assert not (tmp_path / "out").exists()


# ---- when files cannot be had --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.usefixtures("loopback")
def test_failed_download_falls_back(
    httpserver: HTTPServer, run: Run, tmp_path: Path, screen: Console
) -> None:
    httpserver.expect_request("/nothing").respond_with_data("")
    fetcher = Fetcher(
        tmp_path / "cache", mirror=httpserver.url_for("/copy"), reporter=Reporter(screen)
    )
    outcome = run("nations", fetcher=fetcher)
    assert outcome.built == ("nations",)
    assert len([line for line in printed(screen) if "warning: " in line]) == 1
    reason = provenance(outcome, "nations")["reason"]
    assert httpserver.url_for("/copy/raw.githubusercontent.com/pykeen/") in reason
    assert "the server answered 500" in reason


def test_wrong_content_never_falls_back(run: Run, tmp_path: Path, screen: Console) -> None:
    mirror, nations = tmp_path / "mirror", find_benchmark("nations")
    for file in nations.files.values():
        place = mirror / file.remote.url.partition("://")[2]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"a\tr\tb\na\tr\n")
    with pytest.raises(HashMismatchError):
        run("nations", mirror=mirror)
    files = {role: BenchmarkFile(Remote(file.remote.url)) for role, file in nations.files.items()}
    with pytest.raises(DataError, match=r"nations train\.txt, line 2: expected 3 columns"):
        run(replace(nations, files=files), mirror=mirror)
    with pytest.raises(MissingSourceError, match="is not in the cache"):
        run(GHOST)
    assert not (tmp_path / "out").exists()
    assert printed(screen) == []


# ---- several datasets, and folders that hold something already -----------------------------------


def test_folders_that_hold_something_else_stay_as_they_are(
    small: Path, run: Run, tmp_path: Path
) -> None:
    tables = {name: rankconst.load().read(name, "nations") for name in COLUMNS}
    write_tables(tmp_path / "released", "3.0.0", tables, {"nations": {"origin": "files"}})
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "constants.parquet").write_text("mine")
    for name, told in (
        ("released", r"holds the released tables 3\.0\.0, which stay as they are\. .* --out"),
        ("own", r"overwritten: constants\.parquet\. Name another .*, or delete these files\."),
    ):
        before = read_bytes(tmp_path / name)
        with pytest.raises(UsageError, match=told):
            run("alpha", mirror=small, out=tmp_path / name)
        assert read_bytes(tmp_path / name) == before


@pytest.mark.parametrize("name", choose(["constants"], [*COLUMNS]))
def test_damaged_set_is_refused(small: Path, run: Run, tmp_path: Path, name: str) -> None:
    run("alpha", mirror=small)
    before = read_bytes(tmp_path / "out")
    path = tmp_path / "out" / f"{name}.parquet"
    for damage in (lambda: path.write_bytes(path.read_bytes()[:-7]), path.unlink):
        damage()
        with pytest.raises(
            TablesError, match=f"{name}.parquet is .* delete {tmp_path / 'out'} and build again"
        ):
            run("alpha", mirror=small)
    shutil.rmtree(tmp_path / "out")
    assert run("alpha", mirror=small).built == ("alpha",)
    assert read_bytes(tmp_path / "out") == before


class Stopped(Fetcher):
    """Ends the run as soon as it is asked for a file of a dataset."""

    def read(self, file: BenchmarkFile) -> Content:
        for key, error in {"beta": KeyboardInterrupt, "gamma": SystemExit}.items():
            if f"/{key}/" in file.remote.url:
                raise error
        return super().read(file)


@pytest.fixture
def stopped(tmp_path: Path, small: Path) -> Stopped:
    return Stopped(tmp_path / "cache", mirror=str(small), offline=True)


@pytest.mark.slow
def test_interrupted_run_keeps_what_is_done(run: Run, tmp_path: Path, stopped: Stopped) -> None:
    with pytest.raises(KeyboardInterrupt):
        run("beta", fetcher=stopped)
    assert not (tmp_path / "out").exists()
    with pytest.raises(KeyboardInterrupt):
        run("alpha", "beta", "gamma", fetcher=stopped)
    assert {*rankconst.load(tmp_path / "out").datasets} == {"alpha"}
    with pytest.raises(SystemExit):  # asked to end, as by a batch system
        run("alpha", "gamma", fetcher=stopped, out=tmp_path / "ended")
    assert {*rankconst.load(tmp_path / "ended").datasets} == {"alpha"}
