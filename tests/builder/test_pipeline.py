"""Building sets of tables from the mirror, from the archive, from a graph of one's own; and what can go wrong."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import io
import itertools
import random
import shutil
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import rankconst
from brute import ORDER, count_brute_force, count_with_sets, describe_brute_force, read_rows
from cases import mark_rest
from graphs import EVERYTHING, STATIC, write_forecasting
from oracles import differing_rows
from rankconst.catalogue.aggregations import AGGREGATIONS
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.catalogue.benchmarks import Benchmark, BenchmarkFile, LineFormat, Remote, find_benchmark
from rankconst.catalogue.metrics import HEADLINE, TABULATED
from rankconst.catalogue.protocols import PROTOCOLS, parse_protocol
from rankconst.download import HashMismatchError, MissingSourceError, Reporter
from rankconst.errors import DataError, RankconstError, TablesError, UnknownNameError, UsageError
from rankconst.tables.schema import COLUMNS
from rankconst.tasks import Tasks
from rankconst.version import bundled_versions
from rankconst_builder import pipeline
from rankconst_builder.fetch import Content, Fetcher
from rankconst_builder.package import write_tables
from rankconst_builder.parts import Part, keep, read_kept
from rankconst_builder.pipeline import Build, Outcome, build_all, order_protocols
from rankconst_builder.tallies import count_histograms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from rankconst.tables.tables import Tables

    Run = Callable[..., Outcome]

ARCHIVED = bundled_versions()[-1]
GHOST = Benchmark(
    key="ghost",
    title="Ghost",
    aliases=(),
    format=LineFormat(),
    files={role: BenchmarkFile(Remote(f"https://ghost.invalid/{role}.txt", 3, "0" * 64)) for role in ORDER},
    split="published",
)


def make_rows(seed: int, entities: int, relations: int, size: int) -> list[tuple[bytes, bytes, bytes]]:
    generator = random.Random(seed)  # noqa: S311 - test data

    def draw(kind: bytes, count: int) -> bytes:
        return b"%s %d" % (kind, generator.randrange(count))

    return [(draw(b"E", entities), draw(b"r", relations), draw(b"E", entities)) for _ in range(size)]


def make_synthetic(key: str, seed: int) -> dict[str, bytes]:
    """Make the files of a small benchmark, with duplicates, overlaps and unseen entities."""
    sizes = {"train": (12, 2, 60), "valid": (14, 3, 30), "test": (14, 3, 30)}
    return {
        f"https://small.invalid/{key}/{role}.txt": b"".join(
            b"\t".join(row) + b"\n" for row in make_rows(seed + place, *sizes[role])
        )
        for place, role in enumerate(ORDER)
    }


SYNTHETIC_FILES = {key: make_synthetic(key, 10 * place) for place, key in enumerate(("alpha", "beta", "gamma"))}
SYNTHETIC = {
    key: Benchmark(
        key=key,
        title=key.title(),
        aliases=(),
        format=LineFormat(),
        files={
            role: BenchmarkFile(Remote(url, len(data), hashlib.sha256(data).hexdigest()))
            for role, (url, data) in zip(ORDER, files.items(), strict=True)
        },
        split="published",
    )
    for key, files in SYNTHETIC_FILES.items()
}


pytestmark = pytest.mark.usefixtures("placeholders")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A mirror of the synthetic benchmarks."""
    for files in SYNTHETIC_FILES.values():
        for url, data in files.items():
            place = tmp_path / "small" / url.partition("://")[2]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    return tmp_path / "small"


@pytest.fixture
def run(tmp_path: Path, screen: Console) -> Run:
    """Build into tmp_path/out with no mirror, nothing in the cache and no network, unless told otherwise."""

    def build(*names: str | Benchmark, mirror: Path | str | None = None, **options: Any) -> Outcome:
        reporter = Reporter(screen)
        fetcher = Fetcher(
            tmp_path / "cache", mirror=None if mirror is None else str(mirror), offline=True, reporter=reporter
        )
        sources = [
            name if isinstance(name, Benchmark) else SYNTHETIC.get(name) or find_benchmark(name) for name in names
        ]
        return build_all(
            Build(
                **{
                    **EVERYTHING,
                    "sources": sources,
                    "out": tmp_path / "out",
                    "fetcher": fetcher,
                    "reporter": reporter,
                    **options,
                }
            )
        )

    return build


def printed(screen: Console) -> list[str]:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue().splitlines()


def rows_of(tables: Tables | None, name: str, key: str) -> list[dict[str, Any]]:
    assert tables is not None
    rows: list[dict[str, Any]] = tables.read(name, key).to_pylist()
    return rows


def numbers(tables: Tables | None, key: str) -> dict[str, list[dict[str, Any]]]:
    found = {name: rows_of(tables, name, key) for name in ("candidates", "constants")}
    assert all(found.values())
    return found


def assert_same_numbers(one: Tables | None, other: Tables | None, key: str) -> None:
    assert other is not None
    expected, baselines = numbers(other, key), other.list_baselines("all")
    for name, rows in numbers(one, key).items():
        # Earlier tables have no relation side, and other baselines.
        sides = {row["side"] for row in expected[name]} | {"head", "tail", "both"}
        both = (
            [row for row in each if row["side"] in sides and row.get("baseline", DEFAULT_BASELINE) in baselines]
            for each in (rows, expected[name])
        )
        assert differing_rows(*both) == []


def read_bytes(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def provenance(outcome: Outcome, key: str) -> dict[str, Any]:
    assert outcome.tables is not None
    rows = [row for row in outcome.tables.descriptor["provenance"] if row["dataset"] == key]
    assert len(rows) == 1
    return dict(rows[0])


class Broken(Fetcher):
    """Fails whatever it is asked for."""

    def read(self, file: BenchmarkFile) -> Content:
        raise AssertionError(f"{file.name} was asked for")


@functools.cache
def read_dataset(mirror: Path, key: str) -> dict[str, list[tuple[bytes, bytes, bytes]]]:
    source = find_benchmark(key)
    return {
        role: read_rows(
            (mirror / source.files[role].remote.url.partition("://")[2]).read_bytes(), source.format.columns
        )
        for role in ORDER
    }


# ---- the same numbers on every way -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("key", mark_rest(["nations", "umls", "nell_v1_ind"], "nations"))
@pytest.mark.usefixtures("true_constants")
def test_mirror_and_archive_and_shipped_tables_agree(mirror: Path, run: Run, tmp_path: Path, key: str) -> None:
    shipped = rankconst.load(version=ARCHIVED)
    held = shipped.list_baselines("all")[1:]
    from_mirror = run(key, mirror=mirror, out=tmp_path / "mirror", baselines=held)
    from_archive = run(key, out=tmp_path / "archive", baselines=held)
    assert from_mirror.built == from_archive.built == (key,)
    assert_same_numbers(from_mirror.tables, shipped, key)
    assert_same_numbers(from_archive.tables, shipped, key)
    described = rows_of(shipped, "datasets", key)
    assert rows_of(from_mirror.tables, "datasets", key) == rows_of(from_archive.tables, "datasets", key) == described
    assert described[0]["verified"] is True
    assert provenance(from_mirror, key)["origin"] == "files"
    assert provenance(from_archive, key)["origin"] == f"archive {ARCHIVED}"
    hashes = [
        {resource["name"]: resource["contentHash"] for resource in outcome.tables.descriptor["resources"]}
        for outcome in (from_mirror, from_archive)
        if outcome.tables is not None
    ]
    # Here fewer draws are made than for the archive, whose constants of baselines are taken as they are.
    related = "relation" in shipped.sides(shipped.tasks(key))
    constants = [
        [
            row
            for row in rows_of(outcome.tables, "constants", key)
            if row["baseline"] == DEFAULT_BASELINE and (related or row["side"] != "relation")
        ]
        for outcome in (from_mirror, from_archive)
    ]
    assert constants[0] == constants[1]
    differing = {name for name in hashes[0] if hashes[0][name] != hashes[1][name]}
    assert differing <= {"constants"} | ({"candidates"} if not related else set())


@pytest.mark.slow
@pytest.mark.parametrize("key", ["nations", "umls", "kinships"])
def test_histograms_equal_brute_force(mirror: Path, run: Run, key: str) -> None:
    tables = run(key, mirror=mirror).tables
    dataset = read_dataset(mirror, key)
    count = count_with_sets(dataset)
    expected = {
        (protocol.key, split, side): count(protocol, split).histogram(side)
        for protocol in STATIC.values()
        for split in ("valid", "test")
        for side in ("head", "tail", "relation")
    }
    got: dict[tuple[str, str, str], dict[int, int]] = {}
    for row in rows_of(tables, "candidates", key):
        if row["split"] != "train":
            tasks = got.setdefault((row["protocol"], row["split"], row["side"]), {})
            tasks[row["num_candidates"]] = row["num_tasks"]
    assert got == expected


@pytest.mark.slow
def test_rows_are_unique_and_in_canonical_order(small: Path, run: Run) -> None:
    protocols = order_protocols(
        [*map(parse_protocol, ("sampled:500", "raw", "sampled:50", "raw")), *PROTOCOLS.values()]
    )
    assert [p.key for p in protocols] == [*PROTOCOLS, "sampled:50", "sampled:500"]
    tables = run("beta", "gamma", "alpha", mirror=small, protocols=protocols).tables
    assert tables is not None
    order = [[*PROTOCOLS, "sampled:50", "sampled:500"], list(ORDER), ["head", "tail", "both", "relation"]]
    metrics = [(metric.family, metric.k) for metric in TABULATED]

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        task = [names.index(row[column]) for names, column in zip(order, ("protocol", "split", "side"), strict=True)]
        first = [list(BASELINES).index(row["baseline"])] if "baseline" in row else []
        groups = [list(AGGREGATIONS).index(row["aggregation"])] if "aggregation" in row else []
        groups += [row[column] for column in ("relation",) if column in row]
        last = metrics.index((row["metric"], row["k"])) if "metric" in row else row["num_candidates"]
        return (row["dataset"], *first, *task, *groups, row.get("offset"), last, row.get("weight"))

    for name in ("candidates", "macro_candidates", "candidates_by_relation", "baseline_candidates", "constants"):
        places = [place(row) for row in tables.read(name).to_pylist()]
        assert places == sorted(places)
        assert len(set(places)) == len(places)
    constants = tables.read("constants").to_pylist()
    # Counting ranks all candidates, of valid and test.
    linked = 3 * (len(TABULATED) * (len(STATIC) + 2) * 3 + len(HEADLINE) * len(STATIC) * 2)
    assert len(constants) == 3 * (linked + len(TABULATED) * len(STATIC) * 3)
    assert list(tables.datasets) == ["alpha", "beta", "gamma"]


@pytest.mark.slow
def test_sampled_protocol(mirror: Path, run: Run, tmp_path: Path) -> None:
    protocols = (parse_protocol("sampled:500"),)
    found = run("nations", mirror=mirror, protocols=protocols, out=tmp_path / "a")
    rows = rows_of(found.tables, "candidates", "nations")
    assert [(r["split"], r["side"], r["num_candidates"], r["num_tasks"]) for r in rows] == [
        (split, side, 501, tasks)
        for split, tasks in (("train", 1592), ("valid", 199), ("test", 201))
        for side in ("head", "tail")
    ]
    assert found.tables is not None
    constants = found.tables.constants("nations", "mr", protocol="sampled:500")
    assert (constants.num_tasks, constants.expectation) == (402, 251.0)
    assert constants.variance == pytest.approx((501**2 - 1) / 12 / 402, rel=1e-15)
    again = run("nations", protocols=protocols, out=tmp_path / "b")
    assert_same_numbers(found.tables, again.tables, "nations")


# ---- temporal benchmarks ------------------------------------------------------------------------------------------


def test_a_forecasting_benchmark_has_what_does_not_need_its_train(tmp_path: Path, run: Run, screen: Console) -> None:
    whole = run(
        write_forecasting(tmp_path / "whole", train=True), mirror=tmp_path / "whole", out=tmp_path / "a", baselines=()
    ).tables
    source = write_forecasting(tmp_path / "part", train=False)
    outcome = run(source, mirror=tmp_path / "part", out=tmp_path / "b")
    part, said = outcome.tables, " ".join(" ".join(printed(screen)).split())
    assert whole is not None
    assert part is not None
    assert "What does not need train is built" in said
    assert "no constants of test under static, for want of files" in said
    assert whole.protocols("forecast") == ("raw", "static", "time-aware")
    held = [(one["protocol"], one["split"]) for one in rows_of(part, "candidates", "forecast")]
    assert {*held} == {(key, split) for key in ("raw", "time-aware") for split in ("valid", "test")}
    for name in ("candidates", "macro_candidates", "candidates_by_relation", "constants"):
        same = [
            row
            for row in rows_of(whole, name, "forecast")
            if (row["protocol"], row["split"]) in held and row.get("baseline", "uniform") == "uniform"
        ]
        assert differing_rows(rows_of(part, name, "forecast"), same) == []
    (row,), (full,) = (rows_of(tables, "datasets", "forecast") for tables in (part, whole))
    assert (row["entities"], row["relations"], full["entities"], full["relations"]) == (12, 3, 12, 3)
    lost = {name for name, value in row.items() if value is None and full[name] is not None}
    assert lost == {
        *("entities_train", "relations_train", "triples_train", "duplicates_train", "valid_in_train", "test_in_train"),
        *("self_loops_train", "dropped_valid", "dropped_test"),
    }
    assert row["sha256"][0] is None
    for protocol, baseline, message in (
        ("static", "uniform", "The file of train was missing when they were built"),
        ("raw", "counting", "it knows the training set, whose file was missing"),
    ):
        with pytest.raises(UnknownNameError, match=message):
            part.constants("forecast", "mrr", protocol=protocol, baseline=baseline)
    # Once the file is there, the rest is built.
    again = run(source, mirror=tmp_path / "whole", out=tmp_path / "b", baselines=()).tables
    assert again is not None
    assert again.protocols("forecast") == ("raw", "static", "time-aware")


def test_times_that_two_files_share_are_no_forecasting_split(tmp_path: Path, run: Run) -> None:
    source = write_forecasting(tmp_path / "mirror", train=True)
    test = source.files["valid"]
    with pytest.raises(DataError, match="valid and test share 3 times, but the dataset is said to be split by time"):
        run(replace(source, files={**source.files, "test": test}), mirror=tmp_path / "mirror")
    fewer = tmp_path / "stat.txt"
    stat = replace(source.files["stat"], remote=Remote("https://example.invalid/forecast/few.txt"))
    for text, message in (("5 3", "states 5 entities and 3 relations; its files have"), ("x", "expected the")):
        fewer = tmp_path / "mirror" / "example.invalid" / "forecast" / "few.txt"
        fewer.write_text(text, encoding="ascii")
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        with pytest.raises(DataError, match=message):
            run(replace(source, files={**source.files, "stat": stat}), mirror=tmp_path / "mirror")


@pytest.mark.slow
def test_wiki_without_its_train(mirror: Path, run: Run) -> None:
    tables = run("wiki_tkg", mirror=mirror).tables
    assert tables is not None
    tasks = tables.tasks("wiki_tkg", protocol="time-aware")
    assert tables.histogram(tasks).mean == pytest.approx(12_536.3, abs=0.05)
    assert tables.constants(tasks, "mr").expectation == pytest.approx(6_268.65, abs=0.005)
    assert tables.constants(tasks, "mrr").expectation == pytest.approx(7.988e-4, abs=5e-8)


# ---- graphs of one's own ------------------------------------------------------------------


OWN = Benchmark(key="mykg", title="MyKG", aliases=(), format=LineFormat(), files={}, split="own")


def write_own(folder: Path, dataset: dict[str, list[tuple[bytes, bytes, bytes]]]) -> dict[str, Path]:
    paths = {}
    for split, rows in dataset.items():
        paths[split] = folder / f"{split}.csv"
        paths[split].write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(b"%s,%s,%s" % (h, t, r) for h, r, t in rows))
    return paths


def test_own_graph_equals_brute_force(run: Run, tmp_path: Path) -> None:
    dataset = {
        "train": make_rows(1, entities=20, relations=3, size=90),
        "valid": make_rows(2, entities=26, relations=4, size=40),
        "test": make_rows(3, entities=26, relations=4, size=40),
    }
    found = describe_brute_force(dataset)
    assert found["rows"] != found["distinct"]
    assert found["seen"] != found["rows"]
    outcome = run(OWN, local={"mykg": write_own(tmp_path, dataset)}, columns="htr")
    assert (outcome.built, outcome.kept, dict(outcome.failures)) == (("mykg",), (), {})
    for protocol in STATIC.values():
        expected = []
        for split in ORDER:
            counts = count_brute_force(dataset, protocol, split)
            for side in ("head", "tail", "relation"):
                sizes = sorted(Counter(getattr(counts, side) or ()).items())
                expected += [(split, side, *row) for row in sizes]
        rows = [row for row in rows_of(outcome.tables, "candidates", "mykg") if row["protocol"] == protocol.key]
        columns = ("split", "side", "num_candidates", "num_tasks")
        assert [tuple(row[column] for column in columns) for row in rows] == expected
    (row,) = rows_of(outcome.tables, "datasets", "mykg")
    assert (row["entities"], row["entities_train"]) == (found["entities"], found["entities_train"])
    assert row["verified"] is False
    assert row["source_urls"] == []
    for split in ("valid", "test"):
        assert row[f"dropped_{split}"] == found["rows"][split] - found["seen_distinct"][split]
    assert outcome.tables is not None
    assert outcome.tables.descriptor["sources"] == []


@pytest.mark.slow
def test_own_graph_without_a_valid_file(run: Run, tmp_path: Path, screen: Console) -> None:
    dataset = {"train": make_rows(4, 9, 2, 30), "test": make_rows(5, 9, 2, 9)}
    outcome = run(OWN, local={"mykg": write_own(tmp_path, dataset)}, columns="htr")
    (row,) = rows_of(outcome.tables, "datasets", "mykg")
    assert row["triples_valid"] == 0
    assert [digest is None for digest in row["sha256"]] == [False, True, False]
    assert {r["split"] for r in rows_of(outcome.tables, "constants", "mykg")} == {"train", "test"}
    assert not any("warning" in line for line in printed(screen))


def test_own_graph_with_every_test_triple_unseen(run: Run, tmp_path: Path, screen: Console) -> None:
    dataset = {"train": [(b"a", b"r", b"b")], "test": [(b"x", b"r", b"b")]}
    outcome = run(OWN, local={"mykg": write_own(tmp_path, dataset)}, columns="htr")
    assert outcome.tables is not None
    assert outcome.tables.holds(Tasks("mykg", "standard"))
    assert not outcome.tables.holds(Tasks("mykg", "pykeen"))
    assert any("pykeen" in line and "test" in line and "no rows" in line for line in printed(screen))
    rows = [row for row in rows_of(outcome.tables, "candidates", "mykg") if row["protocol"] == "pykeen"]
    assert {row["split"] for row in rows} == {"train"}


def test_own_graph_is_read_again_every_time(run: Run, tmp_path: Path) -> None:
    for rows in ([(b"a", b"r", b"b")], [(b"a", b"r", b"b"), (b"b", b"r", b"c")]):
        paths = write_own(tmp_path, {"train": rows, "test": rows})
        outcome = run(OWN, local={"mykg": paths}, columns="htr")
        assert outcome.built == ("mykg",)
        assert rows_of(outcome.tables, "datasets", "mykg")[0]["triples_train"] == len(rows)


def test_own_file_that_changes_meanwhile(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hash would be that of other triples than those that were counted."""
    path = tmp_path / "train.tsv"
    numbered, labels = b"0\t0\t1\n1\t0\t2\n", b"a\tr\tb\nb\tr\tc\n"
    changes: list[Callable[[bytes], object]] = [
        lambda content: path.write_bytes(content * 2),
        lambda content: path.write_bytes(content[: len(content) // 2]),
        lambda content: path.with_name("x").write_bytes(content) and path.with_name("x").replace(path),
        lambda _: path.unlink(),
    ]
    for name, (place, change) in itertools.product(("_read_graph", "count_histograms"), enumerate(changes)):
        content = (numbered, labels)[place % 2]
        path.write_bytes(content)
        with monkeypatch.context() as patched:
            real = getattr(pipeline, name)

            def read(
                *args: Any, real: Any = real, change: Any = change, content: bytes = content, **options: Any
            ) -> Any:
                found = real(*args, **options)
                change(content)
                return found

            patched.setattr(pipeline, name, read)
            with pytest.raises(DataError, match=rf"{path} changed during the build\. Build again"):
                run(OWN, local={"mykg": {"train": path, "test": path}})
    assert not (tmp_path / "out").exists()


def test_own_file_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"cannot read {tmp_path / 'none.txt'}: No such file"):
        run(OWN, local={"mykg": {"train": tmp_path / "none.txt", "test": tmp_path / "none.txt"}})
    with pytest.raises(DataError, match="cannot read"):
        run(OWN, local={"mykg": {"train": tmp_path, "test": tmp_path}})
    assert not (tmp_path / "out").exists()


# ---- when files cannot be had ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.usefixtures("loopback")
def test_failed_download_falls_back(httpserver: HTTPServer, run: Run, tmp_path: Path, screen: Console) -> None:
    httpserver.expect_request("/nothing").respond_with_data("")
    fetcher = Fetcher(tmp_path / "cache", mirror=httpserver.url_for("/copy"), reporter=Reporter(screen))
    outcome = run("nations", fetcher=fetcher)
    assert outcome.built == ("nations",)
    assert len([line for line in printed(screen) if "warning: " in line]) == 1
    reason = provenance(outcome, "nations")["reason"]
    assert httpserver.url_for("/copy/raw.githubusercontent.com/pykeen/") in reason
    assert "the server answered 500" in reason


@pytest.mark.slow
def test_fallback_is_replaced_as_soon_as_there_are_files(mirror: Path, run: Run) -> None:
    assert "reason" in provenance(run("nations"), "nations")
    outcome = run("nations", mirror=mirror)
    assert outcome.built == ("nations",)
    assert provenance(outcome, "nations")["origin"] == "files"
    assert "reason" not in provenance(outcome, "nations")


@pytest.mark.parametrize("source", ["yago310", GHOST])
def test_no_fallback_where_nothing_is_archived(run: Run, tmp_path: Path, source: str | Benchmark) -> None:
    with pytest.raises(MissingSourceError, match="is not in the cache"):
        run(source)
    assert not (tmp_path / "out").exists()


def spoil(folder: Path, data: bytes) -> None:
    """Make a mirror in which nations has other content."""
    for file in find_benchmark("nations").files.values():
        place = folder / file.remote.url.partition("://")[2]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def test_wrong_content_never_falls_back(run: Run, tmp_path: Path, screen: Console) -> None:
    spoil(tmp_path / "mirror", b"a\tr\tb\n")
    with pytest.raises(HashMismatchError):
        run("nations", mirror=tmp_path / "mirror")
    assert not (tmp_path / "out").exists()
    assert printed(screen) == []


def test_malformed_content_never_falls_back(run: Run, tmp_path: Path) -> None:
    spoil(tmp_path / "mirror", b"a\tr\tb\na\tr\n")
    nations = find_benchmark("nations")
    files = {role: BenchmarkFile(Remote(file.remote.url)) for role, file in nations.files.items()}
    with pytest.raises(DataError, match=r"nations train\.txt, line 2: expected 3 columns"):
        run(dataclasses.replace(nations, files=files), mirror=tmp_path / "mirror")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("key", ["hetionet", "dbpedia500", "ckg"])
def test_datasets_that_are_not_offered_say_why(run: Run, tmp_path: Path, key: str) -> None:
    source = find_benchmark(key)
    with pytest.raises(RankconstError) as caught:
        run(key, fetcher=Broken(tmp_path / "cache"))
    assert source.not_offered in str(caught.value)


# ---- several datasets, and folders that hold something already ---------------------------------------------------


@pytest.mark.slow
def test_one_failing_dataset_does_not_stop_the_others(small: Path, run: Run, screen: Console) -> None:
    outcome = run("beta", GHOST, "alpha", mirror=small)
    assert outcome.built == ("beta", "alpha")
    assert outcome.failures.keys() == {"ghost"}
    assert isinstance(outcome.failures["ghost"], MissingSourceError)
    assert outcome.tables is not None
    assert list(outcome.tables.datasets) == ["alpha", "beta"]
    warnings = [line for line in printed(screen) if line.startswith("warning: ")]
    assert len(warnings) == 1
    assert warnings[0].startswith("warning: ghost: ")


def test_every_dataset_fails(run: Run, tmp_path: Path) -> None:
    outcome = run(GHOST, "yago310")
    assert outcome.tables is None
    assert (outcome.built, outcome.kept) == ((), ())
    assert outcome.failures.keys() == {"ghost", "yago310"}
    assert not (tmp_path / "out").exists()


def test_up_to_date_is_kept(small: Path, run: Run, tmp_path: Path, screen: Console) -> None:
    first = run("alpha", mirror=small)
    before = read_bytes(tmp_path / "out")
    outcome = run("alpha", fetcher=Broken(tmp_path / "cache"))
    assert (outcome.built, outcome.kept) == ((), ("alpha",))
    assert_same_numbers(outcome.tables, first.tables, "alpha")
    assert read_bytes(tmp_path / "out") == before
    assert printed(screen)[-1] == "alpha: up to date"


@pytest.mark.parametrize(
    "options",
    [{"protocols": (PROTOCOLS["raw"],)}, {"splits": ("test",)}, {"baselines": ()}],
    ids=lambda options: next(iter(options)),
)
def test_what_makes_a_dataset_be_built_again(small: Path, run: Run, options: dict[str, Any]) -> None:
    run("alpha", mirror=small)
    assert run("alpha", mirror=small).kept == ("alpha",)
    outcome = run("alpha", mirror=small, **options)
    assert (outcome.built, outcome.kept) == (("alpha",), ())
    held = {
        name: {row[name] for row in rows_of(outcome.tables, "constants", "alpha")} for name in ("protocol", "split")
    }
    assert held["protocol"] == ({"raw"} if "protocols" in options else {*STATIC})
    assert held["split"] == ({"test"} if "splits" in options else {*ORDER})
    assert bool(rows_of(outcome.tables, "baseline_candidates", "alpha")) == ("baselines" not in options)


def test_another_registry_entry_is_another_build(small: Path, run: Run) -> None:
    run("alpha", mirror=small)
    changed = dataclasses.replace(SYNTHETIC["alpha"], licence="another")
    outcome = run(changed, mirror=small)
    assert outcome.built == ("alpha",)
    assert rows_of(outcome.tables, "datasets", "alpha")[0]["licence"] == "another"


def test_order_of_building_does_not_matter(small: Path, run: Run, tmp_path: Path) -> None:
    run("beta", "alpha", mirror=small, out=tmp_path / "a")
    run("alpha", mirror=small, out=tmp_path / "b")
    run("beta", mirror=small, out=tmp_path / "b")
    assert read_bytes(tmp_path / "a") == read_bytes(tmp_path / "b")


def test_folder_with_released_tables(small: Path, run: Run, tmp_path: Path) -> None:
    tables = {name: rankconst.load().read(name, "nations") for name in COLUMNS}
    write_tables(tmp_path / "out", "3.0.0", tables, {"nations": {"origin": "files"}})
    before = read_bytes(tmp_path / "out")
    with pytest.raises(UsageError, match=r"holds the released tables 3\.0\.0, which stay as they are\. .* --out"):
        run("alpha", mirror=small)
    assert read_bytes(tmp_path / "out") == before


def test_a_build_that_is_interrupted_in_its_only_dataset(
    small: Path, run: Run, tmp_path: Path, screen: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "tabulate", stop)
    with pytest.raises(KeyboardInterrupt):
        run("alpha", mirror=small)
    assert printed(screen)[-1] == "warning: interrupted in alpha: nothing was written; run the same command again"
    assert not (tmp_path / "out").exists()


def test_what_is_covered_has_no_default() -> None:
    """A release that followed one would lose rows with it."""
    required = {one.name for one in dataclasses.fields(Build) if one.default is one.default_factory}
    assert required == {"sources", "out", "fetcher", *EVERYTHING}
    asked = inspect.signature(count_histograms).parameters
    assert all(asked[name].default is inspect.Parameter.empty for name in EVERYTHING)


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("quiet", [True, False])
def test_stages_are_shown_on_a_terminal_only(small: Path, run: Run, terminal: bool, quiet: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    run("alpha", mirror=small, reporter=Reporter(console, quiet=quiet))
    written = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    for stage in ("candidates of train", "candidates", "baselines", "metrics"):
        assert (f"  {stage} " in written) == (terminal and not quiet)
    if terminal and not quiet:
        assert written.endswith("\x1b[2K")  # gone at the end


def test_other_files_in_the_folder_are_left_alone(small: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    run("alpha", mirror=small)
    run("beta", mirror=small)
    assert (tmp_path / "out" / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_files_with_the_names_of_tables_are_not_overwritten(small: Path, run: Run, tmp_path: Path) -> None:
    own = tmp_path / "out" / "constants.parquet"
    own.parent.mkdir()
    own.write_text("mine")
    with pytest.raises(UsageError, match=r"overwritten: constants\.parquet\. Name another .*, or delete these files\."):
        run("alpha", mirror=small)
    assert own.read_text() == "mine"
    own.unlink()
    assert run("alpha", mirror=small).tables is not None


@pytest.mark.parametrize(
    ("name", "damage"),
    mark_rest(
        itertools.product(COLUMNS, ["changed", "missing"]),
        *zip(COLUMNS, itertools.cycle(["changed", "missing"]), strict=False),
    ),
)
def test_damaged_set_is_refused(small: Path, run: Run, tmp_path: Path, name: str, damage: str) -> None:
    run("alpha", mirror=small)
    before = read_bytes(tmp_path / "out")
    path = tmp_path / "out" / f"{name}.parquet"
    if damage == "changed":
        path.write_bytes(path.read_bytes()[:-7])
    else:
        path.unlink()
    with pytest.raises(TablesError, match=f"{name}.parquet is .* delete {tmp_path / 'out'} and build again"):
        run("alpha", mirror=small)
    shutil.rmtree(tmp_path / "out")
    assert run("alpha", mirror=small).built == ("alpha",)
    assert read_bytes(tmp_path / "out") == before


@pytest.mark.slow
def test_interrupted_run_keeps_what_is_done(small: Path, run: Run, tmp_path: Path, screen: Console) -> None:
    class Stopped(Fetcher):
        def read(self, file: BenchmarkFile) -> Content:
            if "/beta/" in file.remote.url:
                raise KeyboardInterrupt
            return super().read(file)

    stopped = Stopped(tmp_path / "cache", mirror=str(small), offline=True)
    with pytest.raises(KeyboardInterrupt):
        run("alpha", "beta", "gamma", fetcher=stopped)
    told = f"interrupted in beta: {tmp_path / 'out'} holds the 1 built before; run the same command again"
    assert told in " ".join(printed(screen))
    outcome = run("alpha", "beta", "gamma", mirror=small)
    assert (outcome.kept, outcome.built) == (("alpha",), ("beta", "gamma"))


def test_a_number_that_changed_on_the_disk_is_computed_again(tmp_path: Path, screen: Console) -> None:
    reporter = Reporter(screen)
    tables = {name: rankconst.load().read(name, "nations") for name in COLUMNS}
    keep(tmp_path, "nations", Part(tables, {}))
    assert read_kept(tmp_path, reporter)["nations"].tables == tables
    more = pc.add(tables["candidates"]["num_tasks"], 1)
    place = tables["candidates"].schema.get_field_index("num_tasks")
    pq.write_table(
        tables["candidates"].set_column(place, "num_tasks", more), tmp_path / ".kept" / "nations" / "candidates.parquet"
    )
    assert read_kept(tmp_path, reporter) == {}
    assert any("nations is damaged (a file has another SHA-256" in line for line in printed(screen))


@pytest.mark.slow
def test_datasets_named_like_each_others_drafts_are_kept(small: Path, run: Run, tmp_path: Path) -> None:
    class Killed(Fetcher):
        def read(self, file: BenchmarkFile) -> Content:
            if "/gamma/" in file.remote.url:
                raise SystemExit  # nothing gets to be written any more
            return super().read(file)

    named = [dataclasses.replace(SYNTHETIC[key], key=name) for key, name in (("alpha", "x.draft"), ("beta", "x"))]
    killed = Killed(tmp_path / "cache", mirror=str(small), offline=True)
    with pytest.raises(SystemExit):
        run(*named, "gamma", fetcher=killed)
    assert not (tmp_path / "out" / "datapackage.json").exists()
    outcome = run(*named, "gamma", mirror=small)
    assert (outcome.kept, outcome.built) == (("x.draft", "x"), ("gamma",))
    run(*named, "gamma", mirror=small, out=tmp_path / "whole")
    assert read_bytes(tmp_path / "out") == read_bytes(tmp_path / "whole")


def test_damaged_parts_of_an_interrupted_build_are_built_again(
    small: Path, run: Run, tmp_path: Path, screen: Console
) -> None:
    # The first is that of the dataset asked for; one run shows what each of them does.
    damages = {
        "alpha": b'{"version": "unreleased", "prov',
        "empty": b"",
        "list": b"[]",
        "binary": bytes(range(256)),
        "number": b"3",
        "deep": b"[" * 100_000,
        "no provenance": b'{"version": "unreleased"}',
        "provenance a list": b'{"version": "unreleased", "provenance": [1]}',
        "no tables": b'{"version": "unreleased", "provenance": {}}',
    }
    for name, content in damages.items():
        folder = tmp_path / "out" / ".kept" / name
        folder.mkdir(parents=True)
        (folder / "provenance.json").write_bytes(content)
    (tmp_path / "out" / ".kept" / "folder" / "provenance.json").mkdir(parents=True)
    outcome = run("alpha", mirror=small)
    assert (outcome.kept, outcome.built) == ((), ("alpha",))
    lines = "".join(printed(screen))
    assert all(f"{name} is built again" in lines for name in (*damages, "folder"))


def test_a_run_killed_while_it_keeps_a_dataset_is_taken_up(
    small: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table, written = pq.write_table, []

    def cut_off(table: Any, where: Any, **options: Any) -> None:
        written.append(where)
        if len(written) > 1:
            raise SystemExit
        write_table(table, where, **options)

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(pq, "write_table", cut_off)
        run("alpha", "beta", mirror=small)
    # Nothing is whole, so there is nothing to write.
    assert run(GHOST, "yago310").failures.keys() == {"ghost", "yago310"}
    outcome = run("alpha", "beta", mirror=small)
    assert (outcome.kept, outcome.built) == ((), ("alpha", "beta"))
    run("alpha", "beta", mirror=small, out=tmp_path / "whole")
    assert read_bytes(tmp_path / "out") == read_bytes(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.usefixtures("true_constants")
def test_unverified_files_are_marked(mirror: Path, run: Run, tmp_path: Path) -> None:
    nations = find_benchmark("nations")
    for file in nations.files.values():
        place = tmp_path / "cache" / "sources" / file.remote.url.partition("://")[2]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((mirror / file.remote.url.partition("://")[2]).read_bytes())
    files = {role: BenchmarkFile(Remote(file.remote.url)) for role, file in nations.files.items()}
    unknown = dataclasses.replace(nations, files=files)
    for kept in ((), ("nations",)):
        outcome = run(unknown)
        assert (outcome.built, outcome.kept) == (("nations",)[len(kept) :], kept)
        (row,) = rows_of(outcome.tables, "datasets", "nations")
        assert row["verified"] is False
        assert row["sha256"] == [nations.files[role].remote.sha256 for role in ORDER]
        assert_same_numbers(outcome.tables, rankconst.load(version=ARCHIVED), "nations")


@pytest.mark.slow
def test_tells_of_what_surprises(mirror: Path, run: Run, screen: Console) -> None:
    run("countries_s1", "wn18rr", mirror=mirror, protocols=(PROTOCOLS["raw"],))
    text = "\n".join(printed(screen))
    assert "1,111 + 24 + 24 triples" in text
    assert "1 rows of train repeat an earlier one" in text
    assert "210 rows of test have something unseen in train" in text
    assert "warning" not in text
