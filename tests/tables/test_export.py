"""Exports: their rows are the constants of the tables, in the shape that other tools know."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pytest

from carried import open_once
from few_tables import few_tables
from rankconst.catalogue.benchmarks import load_benchmarks, pykeen_keys
from rankconst.errors import UnknownNameError, UsageError
from rankconst.tables.export import FORMATS, PYKEEN_SPLITS, encode, export_rows, parse_format, suffix_of
from rankconst.tables.schema import COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

TABLES = open_once()
PYKEEN, LONG = FORMATS["pykeen"], FORMATS["long"]

# What `expected-metrics` of PyKEEN 1.11.1 wrote for two of the graphs that come with it.
METRICS_OF_PYKEEN = {
    *("arithmetic_mean_rank", "geometric_mean_rank", "harmonic_mean_rank", "inverse_arithmetic_mean_rank"),
    *("inverse_geometric_mean_rank", "inverse_harmonic_mean_rank", "inverse_median_rank", "median_rank"),
}
HITS_OF_PYKEEN = {"nations": (1, 3, 5, 10, 100), "umls": (1, 3, 5, 10, 100, 1000, 10000)}

# Its value of E[MRR] on Nations, testing, both: of one candidate too few.
MRR_OF_PYKEEN = 0.4398043905655402


@pytest.mark.parametrize("dataset", HITS_OF_PYKEEN)
def test_keys_are_those_that_pykeen_writes(dataset: str) -> None:
    metrics = METRICS_OF_PYKEEN | {f"hits_at_{k}" for k in HITS_OF_PYKEEN[dataset]}
    keys = itertools.product([dataset], metrics, ("both", "head", "tail"), ("testing", "training", "validation"))
    rows = export_rows(TABLES, PYKEEN, [dataset])
    assert [row[:4] for row in rows] == sorted(keys)
    # Hits beyond the number of entities are certain.
    assert {row[4:6] for row in rows if row[1] == "hits_at_10000"} <= {(1.0, 0.0)}


@pytest.mark.parametrize("protocol", [None, "raw", "sampled:50"])
def test_rows_are_the_constants(protocol: str | None) -> None:
    """Of the default, PyKEEN's protocol; of another; of one that follows from the candidate counts."""
    rows = [dict(zip(PYKEEN.columns, row, strict=True)) for row in export_rows(TABLES, PYKEEN, ["umls"], protocol)]
    splits = {theirs: ours for ours, theirs in PYKEEN_SPLITS.items()}
    assert rows
    for row in rows:
        key = ("umls", row["metric"], splits[row["split"]], row["side"], protocol or "pykeen")
        constants = TABLES.constants(*key)
        assert row["value"] == constants.expectation
        for name in ("variance", "expectation_error", "variance_error", "num_tasks", "table_version"):
            assert row[name] == getattr(constants, name)
        assert row["protocol"] == constants.tasks.protocol


def test_keys_of_datasets_are_those_of_the_registry() -> None:
    """Where PyKEEN has one key for one dataset it is PyKEEN's, where one for several it is ours."""
    theirs = {key: source.pykeen["key"] for key, source in load_benchmarks().items() if "key" in source.pykeen}
    alone = {key: name for key, name in theirs.items() if list(theirs.values()).count(name) == 1}
    assert alone == pykeen_keys()
    assert {key: name for key, name in alone.items() if key != name} == {"countries_s1": "countries", "wd50k": "wd50kt"}
    assert len({alone.get(key, key) for key in load_benchmarks()}) == len(load_benchmarks())


def test_named_datasets_in_any_spelling_are_sorted_by_the_key_they_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankconst.tables.export.pykeen_keys", lambda: {"nations": "zz"})
    rows = export_rows(TABLES, PYKEEN, ["UMLS", "Nations", "nations"])
    assert list(dict.fromkeys(row[0] for row in rows)) == ["umls", "zz"]
    assert len(rows) == len({row[:4] for row in rows})


def test_a_script_for_the_table_of_pykeen_reads_ours(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    path = tmp_path / "metric_adjustments.tsv.gz"
    path.write_bytes(encode(PYKEEN, export_rows(TABLES, PYKEEN, ["nations", "umls"]), suffix_of(PYKEEN, path)))
    table = pd.read_csv(path, sep="\t")
    assert list(table.columns[:5]) == ["dataset", "metric", "side", "split", "value"]
    expected = table.set_index(["dataset", "metric", "side", "split"])["value"]
    assert expected.index.is_unique
    assert expected.notna().all()
    # What such a script does next: the adjusted index of a published value.
    chance = expected["nations", "inverse_harmonic_mean_rank", "both", "testing"]
    index = TABLES.constants("nations", "mrr", protocol="pykeen").index(0.5116)
    assert (0.5116 - chance) / (1 - chance) == pytest.approx(index, rel=1e-12)
    assert MRR_OF_PYKEEN / chance - 1 == pytest.approx(0.144, abs=5e-4)
    # Another: one column a metric.
    wide = table.pivot_table(index=["dataset", "side", "split"], columns="metric", values="value")
    assert wide.loc[("umls", "tail", "validation"), "hits_at_10"] == pytest.approx(
        TABLES.constants("umls", "hits@10", "valid", "tail", "pykeen").expectation, rel=1e-14
    )


def test_long_is_the_whole_table_and_goes_through_parquet_unchanged() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = few_tables()
    stored, rows = tables.read("constants"), export_rows(tables, LONG)
    assert list(LONG.columns) == [*(column.name for column in COLUMNS["constants"]), "table_version"]
    assert rows == [(*row.values(), tables.version) for row in stored.to_pylist()]
    table = pq.read_table(pa.BufferReader(encode(LONG, rows, ".parquet")))
    assert table.select(stored.schema.names).equals(stored)
    one = [dict(zip(LONG.columns, row, strict=True)) for row in export_rows(TABLES, LONG, ["wnrr"], "LibKGE")]
    assert {(row["dataset"], row["protocol"]) for row in one} == {("wn18rr", "libkge")}
    assert len(one) * len(TABLES.protocols("wn18rr")) == len(export_rows(TABLES, LONG, ["wn18rr"]))


@pytest.mark.parametrize(("form", "suffix"), [(form, suffix) for form in FORMATS.values() for suffix in form.suffixes])
def test_every_file_holds_the_same_rows(form: Any, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = export_rows(TABLES, form, ["nations"])
    content = encode(form, rows, suffix)
    monkeypatch.setattr("time.time", lambda: 1e9)  # files carry no time
    assert encode(form, rows, suffix) == content
    if suffix == ".parquet":
        return
    plain = gzip.decompress(content) if suffix.endswith(".gz") else content
    read = [*csv.reader(io.StringIO(plain.decode()), delimiter="," if ".csv" in suffix else "\t")]
    # repr: what is read back has the same bits.
    assert read == [[*form.columns], *(["" if v is None else str(v) for v in row] for row in rows)]


def test_formats_and_endings_in_any_spelling() -> None:
    assert all(parse_format(key.upper()) is form for key, form in FORMATS.items())
    for name, suffix in (("a.tsv", ".tsv"), ("A.TSV.GZ", ".tsv.gz"), ("a.b.tsv", ".tsv")):
        assert suffix_of(PYKEEN, PurePath("x.csv") / name) == suffix
    for other in ("a", "a.csv", "a.gz", "tsv"):
        with pytest.raises(UsageError, match=r"must end in \.tsv, \.tsv\.gz"):
            suffix_of(PYKEEN, PurePath(other))
    for name, told in {"pykeeen": "Did you mean pykeen?", "xml": "Known: pykeen, long."}.items():
        with pytest.raises(UsageError, match=f"^unknown format '{name}'. {re.escape(told)}$"):
            parse_format(name)


def test_what_the_tables_do_not_hold() -> None:
    """Benchmarks with sampled negatives have rows of their own protocol; other graphs have constants, but no rows."""
    assert export_rows(TABLES, PYKEEN, ["ogbbiokg"], "sampled:500")[0][0] == "ogbbiokg"
    for tables, named, protocol, said in (
        (TABLES, ["nations"], "sampled:5", r"hold no constants of nations under protocol sampled:5\.$"),
        (few_tables(), None, "sampled:5", r"hold no constants under protocol sampled:5\.$"),
        (TABLES, ["natoins"], None, "unknown dataset"),
    ):
        with pytest.raises(UnknownNameError, match=said):
            export_rows(tables, LONG, named, protocol)
