"""Sets of tables: opened, checked and looked up."""

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankconst
from cases import choose
from few_tables import few_tables
from rankconst.adjusting import pick
from rankconst.catalogue.baselines import BASELINES, COUNTING, INFORMED
from rankconst.catalogue.metrics import HEADLINE, parse_metric
from rankconst.catalogue.protocols import PROTOCOLS, SIDES
from rankconst.errors import TablesError, UnknownNameError, UsageError
from rankconst.moments import compute_moments
from rankconst.tables.archive import Tables
from rankconst.tables.descriptor import COLUMNS, INDEX, schema_of
from rankconst.tasks import Histogram, Tasks
from rankconst.version import bundled_versions


@pytest.fixture(scope="module")
def tables() -> Tables:
    return rankconst.load()


def write_set(
    folder: Path,
    version: str,
    rows: dict[str, list[dict[str, Any]]],
    row_group_size: int | None = None,
) -> Path:
    """Write a set of tables by hand, as its description says it is written."""
    folder.mkdir()
    resources = []
    for name in COLUMNS:
        schema = schema_of(name)
        file = folder / f"{name}.parquet"
        blank: dict[str, Any] = {**dict.fromkeys(schema.names), "source_urls": []}
        blank = {column: blank[column] for column in schema.names}
        table = pa.Table.from_pylist(
            [{**blank, **row} for row in rows.get(name, [])], schema=schema
        )
        pq.write_table(table, file, row_group_size=row_group_size)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        resources.append({"name": name, "path": file.name, "hash": f"sha256:{digest}"})
    descriptor = json.dumps({"version": version, "resources": resources})
    (folder / "datapackage.json").write_text(descriptor, encoding="utf-8")
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A graph of one's own: histograms of test alone, under sampled:9 and raw; one constant that is
    no true one.
    """
    tasks = {"dataset": "mykg", "split": "test"}
    sampled = {**tasks, "protocol": "sampled:9"}
    return write_set(
        tmp_path / "own",
        "0.0.7",
        {
            "datasets": [{"dataset": "mykg", "title": "My graph!", "aliases": ["mine", "KG of mine"]}],
            "candidates": [
                {**sampled, "side": "head", "num_candidates": 10, "num_tasks": 3},
                {**sampled, "side": "tail", "num_candidates": 10, "num_tasks": 4},
                {**tasks, "protocol": "raw", "side": "head", "num_candidates": 5, "num_tasks": 3},
                {**tasks, "protocol": "raw", "side": "head", "num_candidates": 8, "num_tasks": 1},
                {**tasks, "protocol": "raw", "side": "tail", "num_candidates": 5, "num_tasks": 4},
            ],
            "constants": [
                {
                    **sampled, "side": "both", "aggregation": "micro", "metric": "hits_at_k", "k": 3, "num_tasks": 7,
                    "baseline": "uniform",
                    "expectation": 0.25,
                    "expectation_error": 0.5, "variance": 0.25, "variance_error": 0.75, "method": "sampled",
                }
            ],
        },
    )  # fmt: skip


# Opening.


def test_what_is_opened_is_the_version_that_was_asked_for(tables: Tables, own: Path) -> None:
    carried = [*bundled_versions()]
    assert tables.version == carried[-1] == tables.path.name
    assert [rankconst.load(version=version).version for version in carried] == carried
    assert [rankconst.load(version).version for version in carried] == carried
    with pytest.raises(UnknownNameError, match=r"version '9\.9\.9'\. Carried: .*\d\.\d\.\d"):
        rankconst.load(version="9.9.9")
    for path in (own, str(own)):
        assert rankconst.load(path).version == "0.0.7"
    assert rankconst.load(own, version="0.0.7").path == own
    said = r"holds no tables: datapackage\.json is missing.*rankconst build"
    for path in (own / "missing", own.parent, own / "constants.parquet"):
        with pytest.raises(TablesError, match=said):
            rankconst.load(path)


# Names.


def test_unknown_datasets_get_a_hint(tables: Tables) -> None:
    hint = "unknown dataset 'nation'.*Did you mean nations.*`rankconst show datasets` lists them"
    with pytest.raises(UnknownNameError, match=hint):
        tables.constants("nation", "mrr")


def test_sampled_negatives_need_only_the_number_of_tasks(tables: Tables) -> None:
    histogram = tables.histogram("nations", side="head", protocol="sampled:13")
    assert (histogram.num_candidates.tolist(), histogram.num_tasks.tolist()) == ([14], [201])
    assert tables.constants("nations", "mr", protocol="sampled:13").expectation == 7.5
    with pytest.raises(UsageError, match="nations has only 13 other entities"):
        tables.constants("nations", "mr", protocol="sampled:14")


def test_the_schema_names_the_baselines() -> None:
    (baselines,) = (c for c in COLUMNS["baseline_candidates"] if c.name == "baseline")
    (counting,) = (c for c in COLUMNS["datasets"] if c.name == "counting")
    assert baselines.description.startswith(f"{', '.join(INFORMED)};")
    assert f": {', '.join(COUNTING)};" in counting.description


def test_what_is_held_is_listed(own: Path) -> None:
    tables = rankconst.load(own)
    listed = r"raw\. They hold .*: sampled:9/test, raw/test\.$"
    with pytest.raises(UnknownNameError, match=f"no train tasks of mykg under protocol {listed}"):
        tables.histogram("mykg", split="train", protocol="raw")
    with pytest.raises(UnknownNameError, match="under protocol standard"):
        tables.constants("mykg", "mrr")


# Looking up.


def test_a_row_of_the_table_is_taken_as_it_stands(own: Path) -> None:
    constants = rankconst.load(own).constants("KG-of-mine", "H@3", protocol="sampled9")
    assert (constants.tasks, constants.table_version) == (Tasks("mykg", "sampled:9"), "0.0.7")
    assert (constants.expectation, constants.expectation_error) == (0.25, 0.5)
    assert (constants.variance, constants.variance_error) == (0.25, 0.75)
    assert (constants.method, constants.num_tasks, constants.worst) == ("sampled", 7, 0.0)


@pytest.mark.slow
def test_the_index_gives_the_bits_of_the_tables(tables: Tables) -> None:
    """Of every test set, protocol, side, baseline and metric in it; also of adjusted numbers."""
    unindexed = {key: each for key, each in tables.descriptor.items() if key != INDEX}
    plain = Tables(tables.path, unindexed, tables.folder)
    assert plain.titles == tables.titles
    for dataset in [*tables.titles][:: choose(6, 1)]:
        assert plain.find_counting(dataset) == tables.find_counting(dataset)
        assert plain.protocols(dataset) == tables.protocols(dataset)
        assert tables.describe(dataset).items() <= plain.describe(dataset).items()
        for protocol, side, baseline in itertools.product(PROTOCOLS, SIDES, BASELINES):
            tasks = Tasks(dataset, protocol, "test", side, baseline=baseline)
            assert tables.holds(tasks) == plain.holds(tasks)
            for metric in HEADLINE:
                assert tables.is_tabulated(tasks, metric) == plain.is_tabulated(tasks, metric)
        constants = tables._find_line(dataset)["constants"]
        assert constants
        for address, held in constants.items():
            protocol, side, baseline = address.split("/")
            tasks = Tasks(dataset, protocol, "test", side, baseline=baseline)
            for name in held.keys() - {"num_tasks"}:
                known, right = (each.look_up(tasks, parse_metric(name)) for each in (tables, plain))
                assert known == right
                assert (known.num_tasks, known.worst) == (right.num_tasks, right.worst)
                assert known.smallest_difference == right.smallest_difference
                least, most = sorted((known.worst, known.metric.optimum or 0.0))
                values = np.linspace(least, most, 3)[1:]
                ends = (values, np.nextafter(values, -np.inf), values)
                many = right.adjust_between(*ends)
                for place, numbers in enumerate(zip(*ends, strict=True)):
                    assert pick(many, place) == known.adjust_between(*map(float, numbers))


@pytest.mark.parametrize("name", ["hits@2", "mrr", "gmr"])
def test_what_has_no_row_is_computed_once(own: Path, name: str) -> None:
    opened = rankconst.load(own)
    constants = opened.constants("my graph", name, protocol="raw")
    pooled = Histogram.from_counts([5] * 7 + [8])
    assert constants.moments == compute_moments(parse_metric(name), pooled)
    assert constants.num_tasks == 8
    assert opened.constants("mykg", name.upper(), protocol="raw") is constants


def test_histograms(own: Path) -> None:
    tables = rankconst.load(own)
    for side, counts in (("head", [5, 5, 5, 8]), ("tail", [5] * 4), ("both", [5] * 7 + [8])):
        found = tables.histogram("mykg", side=side, protocol="raw")
        assert found == Histogram.from_counts(counts)
    asked = Tasks("mykg", "raw"), Tasks("mykg", "raw", "valid"), Tasks("mykg")
    assert [*map(tables.holds, asked)] == [True, False, False]
    assert tables.protocols("mykg") == ("sampled:9", "raw")


@pytest.mark.parametrize("row_group_size", [1, 2, 3, 100])
def test_rows_are_found_however_they_are_grouped(tmp_path: Path, row_group_size: int) -> None:
    """Row groups may hold one dataset, several, or a part of one."""
    names = ("dataset", "protocol", "split", "side", "num_candidates", "num_tasks")
    tasks = [
        ("first", "standard", "test"), ("second", "standard", "valid"), ("second", "raw", "valid"),
        ("third", "raw", "test"),
    ]  # fmt: skip
    keys = [(*key, side) for key in tasks for side in ("head", "tail")]
    sizes = {key: [10 * i + j for j in range(2, 3 + 7 * i % 5)] for i, key in enumerate(keys)}
    rows: list[dict[str, Any]] = [
        dict(zip(names, (*key, size, 7), strict=True))
        for key, counts in sizes.items()
        for size in counts
    ]
    datasets: list[dict[str, Any]] = [
        {"dataset": name, "title": name, "aliases": []}
        for name in ("first", "fourth", "second", "third")
    ]
    written = {"datasets": datasets, "candidates": rows}
    tables = rankconst.load(write_set(tmp_path / "set", "0.0.7", written, row_group_size))
    for (dataset, protocol, split, side), counts in sizes.items():
        found = tables.histogram(dataset, split=split, side=side, protocol=protocol)
        assert found == Histogram(np.array(counts), np.full(len(counts), 7))
        held = tables.read("candidates", dataset)
        own = [row for row in rows if row["dataset"] == dataset]
        assert held.equals(pa.Table.from_pylist(own, held.schema))
        assert held.schema.equals(schema_of("candidates"))
    assert tables.protocols("second") == ("standard", "raw")
    assert tables.read("candidates", "fourth").num_rows == 0
    with pytest.raises(UnknownNameError, match="hold no test tasks of fourth"):
        tables.histogram("fourth")


@pytest.mark.slow
def test_tables_as_data_frames() -> None:
    pytest.importorskip("pandas")
    for name in COLUMNS:
        frame = few_tables().to_pandas(name)
        assert list(frame.columns) == schema_of(name).names
        assert len(frame) == few_tables().read(name).num_rows > 0
    assert list(few_tables().datasets) == frame["dataset"].unique().tolist()
