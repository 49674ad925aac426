"""Verification: sets that are right pass, and each stage notices what only it can notice."""

from __future__ import annotations

import functools
import hashlib
import io
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from rich.console import Console

import rankconst
from cases import choose
from graphs import EVERYTHING, write_benchmark, write_forecasting
from rankconst.catalogue.benchmarks import Benchmark, LineFormat, SampledTasks
from rankconst.catalogue.protocols import parse_protocol
from rankconst.errors import TablesError
from rankconst.moments import compute_moments
from rankconst.progress import Reporter
from rankconst.tables.archive import Tables
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst_builder import tabulate
from rankconst_builder import verify as checking
from rankconst_builder.fetch import Fetcher
from rankconst_builder.graph import Restriction
from rankconst_builder.package import (
    KEYS,
    describe_set,
    describe_tables,
    encode_descriptor,
    serialise_tables,
    sort_rows,
)
from rankconst_builder.pipeline import Build, build_all
from rankconst_builder.release import pack_zip
from rankconst_builder.verify import STAGES, Finding, Opened, StageResult, run_stage

pytestmark = pytest.mark.slow

QUIET = Reporter(Console(file=io.StringIO()))
Triples = list[tuple[str, str, str]]


# ---- a small set ---------------------------------------------------------------------------------


def make_graph() -> dict[str, Triples]:
    """Make a graph with a duplicate in every split, an overlap, a self-loop and an entity unseen in
    train.
    """
    rng = random.Random(20)  # noqa: S311 - any graph will do
    every = [(f"e{h}", f"r{r}", f"e{t}") for h in range(9) for r in range(3) for t in range(9)]
    chosen = rng.sample(every, 120)
    splits = {"train": chosen[:80], "valid": chosen[80:99], "test": chosen[99:]}
    splits["test"] += [("new", "r0", "e1"), chosen[0]]
    for rows in splits.values():
        rows.append(rows[0])
    return splits


def write_sources(folder: Path, graph: Mapping[str, Triples]) -> Benchmark:
    files = {role: "".join("\t".join(row) + "\n" for row in rows) for role, rows in graph.items()}
    return write_benchmark(folder, "toy", files)


ONE_PROTOCOL = [parse_protocol("libkge")]

SAMPLED = SampledTasks(negatives=9, valid=7, test=5)
FEW = Benchmark("few", "Few", (), LineFormat(), {}, "published", sampled=SAMPLED)
"""A benchmark of which only numbers of tasks are known."""


@dataclass(frozen=True)
class Draft:
    """A set about to be written: what it holds, and what is done to its files afterwards."""

    tables: dict[str, pa.Table]
    provenance: dict[str, dict[str, Any]]
    descriptor: Callable[[dict[str, Any]], Any] = lambda _: None
    files: Callable[[dict[str, bytes]], Any] = lambda _: None
    version: str = "unreleased"

    def write(self, folder: Path) -> Path:
        """Write it with hashes that fit."""
        files = serialise_tables(self.tables, 1)
        datasets, resources = (
            self.tables["datasets"].to_pylist(),
            describe_tables(self.tables, files),
        )
        descriptor = describe_set(self.version, datasets, resources, self.provenance)
        self.descriptor(descriptor)
        files["datapackage.json"] = encode_descriptor(descriptor)
        self.files(files)
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder

    def change(self, table: str, column: str, value: Any, **where: Any) -> Draft:
        """Return the draft with another value in the rows that `where` describes; a function gets
        the old one.
        """
        rows = self.tables[table].to_pylist()
        found = [row for row in rows if all(row[name] == wanted for name, wanted in where.items())]
        assert found, where
        for row in found:
            row[column] = value(row[column]) if callable(value) else value
        return self.put(table, rows)

    def put(self, table: str, rows: list[dict[str, Any]]) -> Draft:
        """Return the draft with other rows in a table."""
        return replace(
            self, tables={**self.tables, table: pa.Table.from_pylist(rows, schema=schema_of(table))}
        )

    def without(self, *protocols: str) -> Draft:
        """Return the draft without the rows of some protocols."""
        others = ~pc.field("protocol").isin(protocols)
        tables = self.tables.items()
        kept = {name: table.filter(others) for name, table in tables if name != "datasets"}
        return replace(self, tables={**self.tables, **kept})


@dataclass(frozen=True)
class Toy:
    """The set of two small benchmarks, and the files of one."""

    draft: Draft
    mirror: Path
    source: Benchmark


def build(folder: Path, mirror: Path, *sources: Benchmark, **options: Any) -> Tables:
    fetcher = Fetcher(folder / "cache", mirror=str(mirror), offline=True, reporter=QUIET)
    chosen: dict[str, Any] = {**EVERYTHING, **options}
    tables = build_all(Build(sources, folder / "tables", fetcher, reporter=QUIET, **chosen)).tables
    assert tables is not None
    return tables


def draft_of(tables: Tables) -> Draft:
    provenance = {
        row["dataset"]: {k: v for k, v in row.items() if k != "dataset"}
        for row in tables.descriptor["provenance"]
    }
    return Draft({name: tables.read(name) for name in COLUMNS}, provenance)


@pytest.fixture(scope="module", autouse=True)
def rebuilt_once() -> Iterator[None]:
    """Compute once what many tests build, and once more what many rebuild; sampled constants on
    fewer draws.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankconst.moments.median_deviation.MOST_DRAWS", 2**13)
        patch.setattr("rankconst_builder.package.QUICK", 1)
        cached = functools.cache(compute_moments)
        for module in (tabulate, checking):
            # What is rebuilt is computed anew every week.
            patch.setattr(
                module, "compute_moments", choose(cached, functools.cache(compute_moments))
            )
        yield


@pytest.fixture(scope="module")
def toy(rebuilt_once: None, tmp_path_factory: pytest.TempPathFactory) -> Toy:
    del rebuilt_once
    folder = tmp_path_factory.mktemp("toy")
    source = write_sources(folder / "mirror", make_graph())
    tables = build(folder, folder / "mirror", source, FEW)
    return Toy(draft_of(tables), folder / "mirror", source)


@pytest.fixture(scope="module")
def lean(toy: Toy) -> Draft:
    """The set with one protocol of four, for what is examined many times."""
    return toy.draft.without("standard", "pykeen", "raw")


@pytest.fixture(scope="module")
def varied(toy: Toy) -> Draft:
    """The set with those protocols that a tampering is about."""
    return toy.draft.without("pykeen")


@pytest.fixture
def registry(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the registry hold the small benchmarks only."""
    monkeypatch.setattr(checking, "load_benchmarks", lambda: {"toy": toy.source, "few": FEW})


def examine(path: Path, fetcher: Fetcher | None = None, *datasets: str) -> dict[str, StageResult]:
    results = checking.verify(rankconst.load(path), datasets or None, fetcher)
    return {result.stage: result for result in results}


def look(path: Path, name: str, fetcher: Fetcher | None = None) -> tuple[Finding, ...]:
    """Run one stage."""
    chosen = fetcher or Fetcher(path, reporter=QUIET)
    return run_stage(name, Opened(rankconst.load(path), None, chosen)).findings


def failed(results: Mapping[str, StageResult]) -> dict[str, list[Finding]]:
    """Return check to its failures."""
    return {
        name: [finding for finding in result.findings if finding.level == "failed"]
        for name, result in results.items()
        if result.status != "ok"
    }


def fetcher_of(toy: Toy, tmp_path: Path) -> Fetcher:
    return Fetcher(tmp_path / "cache", str(toy.mirror), reporter=QUIET)


# ---- sets that are right -------------------------------------------------------------------------


@pytest.mark.usefixtures("registry")
def test_a_built_set_passes_every_stage(toy: Toy, tmp_path: Path) -> None:
    results = examine(toy.draft.write(tmp_path / "set"), fetcher_of(toy, tmp_path))
    assert failed(results) == {}
    assert list(results) == list(STAGES)
    assert all(result.rows > 0 for result in results.values())
    (note,) = [finding for result in results.values() for finding in result.findings]
    assert note.level == "note"
    assert note.message == "no checksums.txt: changes of datapackage.json would go unnoticed"


@pytest.mark.usefixtures("registry")
def test_a_restricted_build_passes(toy: Toy, tmp_path: Path) -> None:
    restriction = Restriction(relations=("r0", "r1"), entities=tuple(f"e{i}" for i in range(7)))
    tables = build(
        tmp_path, toy.mirror, toy.source, restriction=restriction, protocols=ONE_PROTOCOL
    )
    results = examine(tables.path, fetcher_of(toy, tmp_path))
    assert failed(results) == {}
    assert [one.message for one in results["sources"].findings] == [
        "not compared with sources: its evaluation is restricted"
    ]


@pytest.mark.parametrize("train", choose([True], [True, False]))
def test_a_temporal_build_passes(
    train: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its train, and without; what it holds is there, and nothing else."""
    source = write_forecasting(tmp_path / "mirror", train=train)
    monkeypatch.setattr(checking, "load_benchmarks", lambda: {"forecast": source})
    draft = draft_of(build(tmp_path, tmp_path / "mirror", source))
    fetcher = Fetcher(tmp_path / "cache", str(tmp_path / "mirror"), reporter=QUIET)
    results = examine(replace(draft, version="9.0.0").write(tmp_path / "right"), fetcher)
    assert failed(results) == {}
    assert results["sources"].rows > 0
    changed = draft.change(
        "candidates", "num_tasks", lambda tasks: tasks + 1, protocol="time-aware", split="test"
    )
    assert look(changed.write(tmp_path / "changed"), "sources", fetcher)


# ---- a tampering for each stage ------------------------------------------------------------------

Change = Callable[[Draft], Draft]
ONE = {"dataset": "toy", "protocol": "standard", "split": "train", "side": "head"}
MICRO = {**ONE, "aggregation": "micro"}
BOTH = {**MICRO, "side": "both"}
LATER = {**ONE, "split": "test"}


def change(table: str, column: str, value: Any, **where: Any) -> Change:
    return lambda draft: draft.change(table, column, value, **where)


def edit(alter: Callable[[dict[str, Any]], Any]) -> Change:
    """Change the descriptor."""
    return lambda draft: replace(draft, descriptor=alter)


def add_file(name: str, content: bytes) -> Change:
    return lambda draft: replace(draft, files=lambda files: files.update({name: content}))


def rearrange(
    table: str, arrange: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
) -> Change:
    """Change the rows of a table."""
    return lambda draft: draft.put(table, arrange(draft.tables[table].to_pylist()))


def swap_protocols(draft: Draft) -> Draft:
    """Call libkge standard and the other way round, in valid."""
    other = {"standard": "libkge", "libkge": "standard"}
    for name in ("candidates", "macro_candidates", "candidates_by_relation", "constants"):
        rows = draft.tables[name].to_pylist()
        for row in rows:
            if row["split"] == "valid":
                row["protocol"] = other.get(row["protocol"], row["protocol"])
        altered = draft.put(name, rows)
        draft = replace(
            altered, tables={**altered.tables, name: sort_rows(name, altered.tables[name])}
        )
    return draft


# A change, the stage that notices it, what its first finding must name (attributes, or columns of
# the key), and further stages that cannot help noticing.
QUADRATIC = {**MICRO, "metric": "quadratic_mean_rank"}
TAMPERINGS: list[tuple[str, Change, dict[str, Any], tuple[str, ...]]] = [
    ("files", add_file("notes.txt", b"mine"), {"table": "notes.txt"}, ()),
    ("files", add_file("checksums.txt", b"0" * 64 + b"  datapackage.json\n"),
     {"table": "baseline_candidates.parquet"}, ()),
    ("descriptor", edit(lambda descriptor: descriptor.update({"title": "Tables"})), {"column": "title"}, ()),
    ("descriptor", edit(lambda descriptor: descriptor["provenance"].append({"dataset": "zoo"})),
     {"column": "provenance"}, ()),
    ("content", edit(lambda descriptor: descriptor["resources"][1].update({"contentHash": "sha256:" + "0" * 64})),
     {"table": "candidates", "column": "contentHash"}, ()),
    ("keys", rearrange("constants", lambda rows: [row for row in rows for _ in range(1 + (row == rows[-1]))]),
     {"table": "constants", "dataset": "toy", "side": "both"}, ()),
    ("keys", rearrange("constants", lambda rows: [*rows[:-2], rows[-1], rows[-2]]),
     {"table": "constants", "dataset": "toy", "side": "both"}, ()),
    ("keys", rearrange("macro_candidates", lambda rows: [*rows, {**rows[-1], "dataset": "zoo"}]),
     {"table": "macro_candidates", "column": "rows"}, ()),
    ("pooling", change("constants", "expectation", lambda x: x * (1 + 1e-13), **BOTH, metric="ndcg"),
     {**BOTH, "metric": "ndcg", "column": "expectation"}, ()),
    ("pooling", change("constants", "num_tasks", lambda n: n + 1, **BOTH, metric="median_rank"),
     {**BOTH, "metric": "median_rank", "column": "num_tasks"}, ()),
    ("filters", change("candidates", "num_candidates", lambda n: max(n - 1, 1), **{**LATER, "protocol": "standard"}),
     {"dataset": "toy", "protocol": "standard", "split": "test"}, ("keys", "relations")),
    ("filters", swap_protocols, {"dataset": "toy", "protocol": "standard", "split": "valid"}, ()),
    ("relations", change("candidates_by_relation", "relation", "r3", **LATER, relation="r2"),
     {"table": "candidates_by_relation", "dataset": "toy"}, ()),
    ("relations", change("candidates_by_relation", "num_tasks", lambda n: n + 1, **LATER, relation="r1"),
     {"table": "candidates_by_relation", "protocol": "standard", "split": "test"}, ()),
    ("constants", change("constants", "expectation", lambda x: x * (1 + 1e-9), **QUADRATIC),
     {**QUADRATIC, "column": "expectation"}, ()),
    ("sources", change("baseline_candidates", "num_tasks", lambda n: n + 1, **LATER, baseline="frequency"),
     {"table": "baseline_candidates", **LATER, "baseline": "frequency"}, ()),
    ("sources", change("datasets", "self_loops_train", 999, dataset="toy"), {"dataset": "toy", "got": 999}, ()),
]  # fmt: skip


def test_every_stage_has_a_tampering() -> None:
    assert {stage for stage, *_ in TAMPERINGS} == {*STAGES}


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("place", range(len(TAMPERINGS)), ids=lambda place: TAMPERINGS[place][0])
def test_only_the_stage_notices(place: int, toy: Toy, varied: Draft, tmp_path: Path) -> None:
    stage, apply, named, also = TAMPERINGS[place]
    path = apply(varied).write(tmp_path / "set")
    found = failed(examine(path, fetcher_of(toy, tmp_path) if STAGES[stage].rebuild else None))
    assert {stage} <= set(found) <= {stage, *also}
    finding = found[stage][0]
    values = {**asdict(finding), **finding.key}
    assert {key: values[key] for key in named} == named
    assert finding.message


# ---- one bit -------------------------------------------------------------------------------------


def protect(folder: Path) -> Path:
    """Write what a release has beside its tables."""
    (folder / "README.md").write_text("Tables.\n", encoding="utf-8")
    sums = {path.name: hashlib.sha256(path.read_bytes()) for path in sorted(folder.iterdir())}
    lines = [f"{digest.hexdigest()}  {name}\n" for name, digest in sums.items()]
    (folder / "checksums.txt").write_text("".join(lines), encoding="utf-8")
    return folder


def is_noticed(folder: Path) -> bool:
    """Tell whether any stage fails but those that rebuild: the first is enough."""
    try:
        return any(one.status == "failed" for one in checking.verify(rankconst.load(folder)))
    except TablesError:
        return True


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


FILES = [*(f"{name}.parquet" for name in COLUMNS), "datapackage.json", "README.md", "checksums.txt"]


def test_one_bit_anywhere_is_noticed(lean: Draft, tmp_path: Path) -> None:
    folder = protect(replace(lean, version="9.0.0").write(tmp_path / "set"))
    assert not is_noticed(folder)
    archive, files = tmp_path / "set.zip", [*folder.iterdir()]
    archive.write_bytes(pack_zip("9.0.0", {path.name: path.read_bytes() for path in files}))
    assert not is_noticed(archive)
    for path in (folder / name for name in FILES):
        whole = path.read_bytes()
        rng = random.Random(path.name)  # noqa: S311 - any places will do
        for bit in rng.sample(range(8 * len(whole)), min(choose(4, 24), 8 * len(whole))):
            flip(path, bit)
            assert is_noticed(folder), f"{path.name}, bit {bit}"
            path.write_bytes(whole)


def test_a_missing_file_is_noticed(lean: Draft, tmp_path: Path) -> None:
    folder = protect(lean.write(tmp_path / "set"))
    for name in ("constants.parquet", "README.md"):
        (folder / name).rename(tmp_path / name)
        assert any(finding.table == name for finding in look(folder, "files"))
        (tmp_path / name).rename(folder / name)


# ---- rebuilding ----------------------------------------------------------------------------------


def rebuild_changed(draft: Draft, folder: Path, column: str, part: float, metric: str) -> list[str]:
    """Move a constant by a part of its error, and compute all constants again; return the levels of
    what is found.
    """
    rows = draft.tables["constants"].to_pylist()
    row = next(row for row in rows if {"side": "head", "metric": metric}.items() <= row.items())
    row = {**row, column: row[column] + part * row[f"{column}_error"]}
    path = draft.put("constants", [row]).write(folder / f"{column} {part}")
    found = look(path, "constants", Fetcher(folder, reporter=QUIET))
    assert {(one.key["metric"], one.column) for one in found} <= {(metric, column)}
    return [one.level for one in found]


def test_rebuilding_respects_stated_errors(lean: Draft, tmp_path: Path) -> None:
    for column in ("expectation", "variance"):
        for part, levels in ((0.9, []), (1e3, ["failed"])):
            assert rebuild_changed(lean, tmp_path, column, part, "harmonic_mean_rank") == levels
    for part, level in ((1.0, "warning"), (50.0, "failed")):
        assert rebuild_changed(
            lean, tmp_path, "expectation", part, "median_absolute_deviation"
        ) == [level]


@pytest.mark.usefixtures("registry")
def test_a_wrong_histogram_is_noticed_with_the_files(toy: Toy, tmp_path: Path) -> None:
    graph = make_graph()
    graph["test"][3] = ("e8", "r1", "e8")
    other = write_sources(tmp_path / "other", graph)
    tables = build(tmp_path, tmp_path / "other", other, protocols=ONE_PROTOCOL)
    assert failed(examine(tables.path)) == {}
    found = look(tables.path, "sources", fetcher_of(toy, tmp_path))
    named = {finding.table for finding in found}
    assert named == {"datasets", *tabulate.HISTOGRAM_TABLES}
    one = next(finding for finding in found if finding.table == "candidates")
    assert set(one.key) == set(KEYS["candidates"])
    assert one.expected != one.got


@pytest.mark.usefixtures("registry")
def test_what_there_is_without_sources(lean: Draft, tmp_path: Path) -> None:
    """Numbers of tasks are compared with the registry; the rest is noted."""
    path = lean.change("datasets", "triples_test", 6, dataset="few").write(tmp_path / "set")
    wrong, note = look(path, "sources", Fetcher(tmp_path / "cache", reporter=QUIET))
    assert (wrong.key, wrong.column, wrong.expected, wrong.got) == (
        {"dataset": "few"}, "triples_test", 5, 6,
    )  # fmt: skip
    assert (note.level, note.key) == ("note", {"dataset": "toy"})
    assert note.message.startswith("not compared with sources: ")


# ---- smaller things ------------------------------------------------------------------------------


def test_only_selected_datasets_are_checked(lean: Draft, tmp_path: Path) -> None:
    where = {**BOTH, "protocol": "libkge", "metric": "ndcg"}
    path = lean.change("constants", "expectation", lambda x: x * 0.9, **where).write(
        tmp_path / "set"
    )
    assert set(failed(examine(path, None, "toy"))) == {"pooling"}
    assert failed(examine(path, None, "few")) == {}


def test_a_released_folder_is_that_of_its_version(lean: Draft, tmp_path: Path) -> None:
    for name, found in (("9.0.0", False), ("9.0.1", True), ("rankconst-tables-9.0.2", True)):
        path = replace(lean, version="9.0.0").write(tmp_path / name)
        assert bool(look(path, "descriptor")) == found


ODD: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("candidates", "num_candidates", -(2**60), {"protocol": "libkge", "split": "test"}),
    ("macro_candidates", "weight", float("nan"), {"split": "test"}),
    ("candidates_by_relation", "split", "train", {"split": "valid"}),
    ("constants", "k", 2**53, {"k": 10}),
    ("constants", "side", "left", {"side": "head"}),
    ("constants", "expectation", float("inf"), {"metric": "ndcg"}),
    *(("datasets", column, None, {"dataset": "toy"}) for column in ("relations", "dropped_valid", "triples_test")),
    ("datasets", "sha256", [None], {"dataset": "toy"}),
    ("datasets", "dataset", "", {"dataset": "toy"}),
]  # fmt: skip


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(("table", "column", "value", "where"), choose([*ODD[::3]], [*ODD]))
def test_odd_values_fail_without_an_error(
    table: str,
    column: str,
    value: Any,
    where: dict[str, Any],
    toy: Toy,
    lean: Draft,
    tmp_path: Path,
) -> None:
    """Or, if no row contradicts them, are noticed with the files of triples."""
    path = lean.change(table, column, value, **where).write(tmp_path / "set")
    assert failed(examine(path)) or look(path, "sources", fetcher_of(toy, tmp_path))


def test_a_stage_that_breaks_leaves_the_others_running(
    lean: Draft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: Any) -> NoReturn:
        raise ZeroDivisionError("of nothing")

    def examine_nothing(_: Opened) -> Any:
        yield from stumble()

    monkeypatch.setitem(STAGES, "keys", replace(STAGES["keys"], examine=examine_nothing))
    found = failed(examine(lean.write(tmp_path / "set")))
    assert [(name, one.message) for name, (one,) in found.items()] == [
        ("keys", "the stage could not be finished: ZeroDivisionError: of nothing")
    ]


def test_a_benchmark_whose_tasks_share_their_negatives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no sides; its variances are those of ranks that depend on each other."""
    common = replace(FEW, key="common", sampled=replace(SAMPLED, shared=True))
    tables = build(tmp_path, tmp_path / "mirror", common)
    monkeypatch.setattr(checking, "load_benchmarks", lambda: {"common": common})
    assert failed(examine(tables.path, Fetcher(tmp_path, reporter=QUIET))) == {}
    rows = tables.read("candidates").to_pylist()
    found = [(row["split"], row["side"], row["num_candidates"], row["num_tasks"]) for row in rows]
    assert found == [("valid", "both", 10, 7), ("test", "both", 10, 5)]
    alone = draft_of(tables).change("constants", "variance", 0.3 * 0.7 / 5, split="test", k=3)
    assert "constants" in failed(
        examine(alone.write(tmp_path / "alone"), Fetcher(tmp_path, reporter=QUIET))
    )
