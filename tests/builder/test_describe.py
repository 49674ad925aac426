"""The documents of a release: each says what the tables are, in its own standard."""

from __future__ import annotations

import datetime as dt
import importlib.util
import json
import re
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
import yaml

import rankconst
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst_builder.describe import DOCUMENTS, ORIGINS, Edition, describe_package, name_archive
from rankconst_builder.package import describe_set, serialise_tables

if TYPE_CHECKING:
    from pathlib import Path

DATE = dt.date(2026, 11, 21)
KEYS = ("nations", "umls", "own")
ARXIV = {
    "identifier": "arXiv:2203.07544",
    "relation": "isSupplementTo",
    "scheme": "arxiv",
    "resource_type": "publication-preprint",
}


def make_tables() -> dict[str, pa.Table]:
    """Make a set: two carried datasets, and a graph of somebody's own with awkward texts and one protocol."""
    carried = rankconst.load()
    rows = {
        name: [row for key in KEYS[:2] for row in carried.read(name, key).to_pylist()]
        for name in ("datasets", "candidates", "constants")
    }
    own = {**rows["datasets"][0], "dataset": "own", "title": "A|B <C> & D", "source_urls": [], "verified": False}
    tasks = {"dataset": "own", "protocol": "raw", "split": "test", "side": "head"}
    counts = {"num_candidates": 5, "num_tasks": 2}
    rows["datasets"].append({**own, "licence": "", "sha256": ["00", None, "11"]})
    rows["candidates"] += [{**tasks, **counts}, {**tasks, **counts, "protocol": "pykeen"}]
    rows["candidates"].append({**tasks, **counts, "split": "valid"})
    rows["macro_candidates"] = [{**tasks, "aggregation": "macro-query", "weight": 0.5, **counts}]
    rows["candidates_by_relation"] = [{**tasks, "relation": "r", **counts}]
    blocks = {**tasks, "baseline": "inverse", "offset": 2, **counts}
    rows["baseline_candidates"] = [blocks]
    rows["baseline_candidates_by_relation"] = [{**blocks, "relation": "r", "weight": 0.5}]
    return {name: pa.Table.from_pylist(rows[name], schema=schema_of(name)) for name in COLUMNS}


def make_edition(url: str | None = None) -> Edition:
    tables = make_tables()
    files = serialise_tables(tables, 1)
    provenance = {key: {"origin": "files"} for key in KEYS}
    descriptor = describe_set("9.8.7", tables, files, provenance, describe_package(DATE, url))
    return Edition("9.8.7", DATE, tables, descriptor, url)


@pytest.fixture(scope="module")
def edition() -> Edition:
    return make_edition()


def read_json(edition: Edition, name: str) -> Any:
    return json.loads(DOCUMENTS[name].write(edition))


@pytest.mark.slow
def test_documents_are_the_known_ones(edition: Edition) -> None:
    assert list(DOCUMENTS) == ["croissant.json", "README.md", "LICENSE", "CITATION.cff", ".zenodo.json"]
    assert list(ORIGINS) == list(COLUMNS)
    for document in DOCUMENTS.values():
        text = document.write(edition)
        assert text == document.write(make_edition())
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert document.holds


@pytest.mark.parametrize("name", ["croissant.json", "README.md", "CITATION.cff", ".zenodo.json"])
def test_documents_state_version_and_date(edition: Edition, name: str) -> None:
    text = DOCUMENTS[name].write(edition)
    assert "9.8.7" in text
    assert "2026-11-21" in text
    other = DOCUMENTS[name].write(replace(edition, version="9.9.0", date=dt.date(2027, 1, 2)))
    assert "9.9.0" in other
    assert "2027-01-02" in other


@pytest.mark.parametrize("name", ["croissant.json", "README.md", "CITATION.cff"])
def test_documents_state_the_url_where_there_is_one(edition: Edition, name: str) -> None:
    url = "https://doi.org/10.1234/abc"
    assert url in DOCUMENTS[name].write(make_edition(url))
    assert url not in DOCUMENTS[name].write(edition)


# ---- Croissant ---------------------------------------------------------------------------------------------------


def test_croissant_says_what_the_set_is(edition: Edition) -> None:
    content = read_json(edition, "croissant.json")
    assert content["@type"] == "sc:Dataset"
    assert content["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert content["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert content["version"] == "9.8.7"
    assert content["datePublished"] == "2026-11-21"
    assert content["url"] == "README.md"
    assert content["citeAs"].startswith("@misc{")
    assert content["creator"] == {"@type": "sc:Organization", "name": "The rankconst developers"}
    assert all(content[name] for name in ("name", "description", "keywords"))
    # Terms of Croissant itself must be spelt out, or readers take them for schema.org's.
    used = {key for part in walk(content) for key in part if not key.startswith("@")}
    assert {"citeAs", "recordSet", "field", "dataType", "source", "fileObject", "extract", "column", "key"} <= used
    assert {"citeAs", "recordSet", "field", "dataType", "source", "extract", "column"} <= content["@context"].keys()


def walk(node: Any) -> list[dict[str, Any]]:
    """Return every object inside a JSON value, but for the context."""
    if isinstance(node, list):
        return [found for part in node for found in walk(part)]
    if not isinstance(node, dict):
        return []
    return [node, *(found for key, part in node.items() if key != "@context" for found in walk(part))]


def test_croissant_has_every_file_and_column(edition: Edition) -> None:
    content = read_json(edition, "croissant.json")
    resources = edition.descriptor["resources"]
    assert [file["@type"] for file in content["distribution"]] == ["cr:FileObject"] * len(COLUMNS)
    for file, resource in zip(content["distribution"], resources, strict=True):
        assert file["@id"] == file["name"] == file["contentUrl"] == resource["path"]
        assert file["contentSize"] == f"{resource['bytes']} B"
        assert file["encodingFormat"] == "application/x-parquet"
        assert f"sha256:{file['sha256']}" == resource["hash"]
    assert [records["@id"] for records in content["recordSet"]] == list(COLUMNS)
    types = {"text": "sc:Text", "texts": "sc:Text", "count": "sc:Integer", "real": "sc:Float", "truth": "sc:Boolean"}
    for records, resource in zip(content["recordSet"], resources, strict=True):
        name = records["@id"]
        assert records["@type"] == "cr:RecordSet"
        for field, column in zip(records["field"], COLUMNS[name], strict=True):
            assert (field["@type"], field["@id"]) == ("cr:Field", f"{name}/{column.name}")
            assert field["name"] == column.name
            assert column.description in field["description"]
            assert column.unit in field["description"]
            assert field["dataType"] == types[column.kind]
            assert field.get("repeated", False) == (column.kind == "texts")
            assert field["source"] == {
                "fileObject": {"@id": resource["path"]},
                "extract": {"column": column.name},
            }
        keys = [key["@id"] for key in records.get("key", [])]
        assert keys == [f"{name}/{column}" for column in resource["schema"].get("primaryKey", [])]
        assert bool(keys) == (name != "constants")
    ids = [part["@id"] for part in walk([content["distribution"], content["recordSet"]]) if "@type" in part]
    assert len(ids) == len(set(ids))


def test_croissant_is_valid_and_loads(edition: Edition, tmp_path: Path) -> None:
    if importlib.util.find_spec("mlcroissant") is None:
        pytest.skip("mlcroissant is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlcroissant  # type: ignore[import-not-found, unused-ignore]

        for name, content in serialise_tables(edition.tables, 1).items():
            (tmp_path / name).write_bytes(content)
        path = tmp_path / "croissant.json"
        path.write_text(DOCUMENTS["croissant.json"].write(edition), encoding="utf-8")
        dataset = mlcroissant.Dataset(path)
        assert not dataset.metadata.ctx.issues.errors
        assert not dataset.metadata.ctx.issues.warnings
        for name, table in edition.tables.items():
            records = list(dataset.records(name))
            assert len(records) == len(table)
            assert list(records[0]) == [f"{name}/{column.name}" for column in COLUMNS[name]]


# ---- Data Package ------------------------------------------------------------------------------------------------


def test_descriptor_obeys_data_package_2() -> None:
    descriptor = make_edition("https://doi.org/10.1234/abc").descriptor
    assert descriptor["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert re.fullmatch(r"[-a-z0-9._/]+", descriptor["name"])
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", descriptor["created"])
    assert all(isinstance(descriptor[name], str) for name in ("title", "description", "version", "homepage"))
    assert all(isinstance(keyword, str) for keyword in descriptor["keywords"])
    assert all("title" in one and isinstance(one["roles"], list) for one in descriptor["contributors"])
    assert all("name" in licence or "path" in licence for licence in descriptor["licenses"])
    assert all({"title", "path"} & source.keys() for source in descriptor["sources"])
    names = [resource["name"] for resource in descriptor["resources"]]
    assert names == list(dict.fromkeys(names)) == list(COLUMNS)
    kinds = {"string", "number", "integer", "boolean", "object", "array", "list", "datetime", "date", "any"}
    for resource in descriptor["resources"]:
        # A path below the descriptor, in POSIX style.
        assert re.fullmatch(r"(?!\.\.)[^/~\\][^\\]*", resource["path"])
        assert resource["type"] == "table"
        assert isinstance(resource["bytes"], int)
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", resource["hash"])
        fields = resource["schema"]["fields"]
        assert all(field["name"] and field["type"] in kinds for field in fields)
        assert {*resource["schema"].get("primaryKey", [])} <= {field["name"] for field in fields}


# ---- README ------------------------------------------------------------------------------------------------------


def section(text: str, heading: str) -> str:
    """Return what stands under a heading, up to the next."""
    return re.split(r"^#+ ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_readme_begins_with_a_dataset_card(edition: Edition) -> None:
    empty = {**edition.descriptor, "resources": [{**each} for each in edition.descriptor["resources"]]}
    empty["resources"][2]["rows"] = 0
    for descriptor, left_out in ((edition.descriptor, set()), (empty, {empty["resources"][2]["name"]})):
        _, front, text = DOCUMENTS["README.md"].write(replace(edition, descriptor=descriptor)).split("---\n", 2)
        assert text.startswith("\n# rankconst tables 9.8.7\n")
        card = yaml.safe_load(front)
        assert card["license"] == "cc0-1.0"
        assert card["pretty_name"] == edition.title
        assert card["task_categories"] == ["graph-ml"]
        assert "link-prediction" in card["tags"]
        assert {each["config_name"]: each["data_files"] for each in card["configs"]} == {
            name: f"{name}.parquet" for name in COLUMNS if name not in left_out
        }
        assert [each["config_name"] for each in card["configs"] if each.get("default")] == ["constants"]


def test_readme_has_every_file_column_and_dataset(edition: Edition) -> None:
    text = DOCUMENTS["README.md"].write(edition)
    files = section(text, "Files")
    for name in (*(f"{name}.parquet" for name in COLUMNS), "datapackage.json", "checksums.txt", *DOCUMENTS):
        assert f"| `{name}` |" in files
    for name, columns in COLUMNS.items():
        table = section(text, f"{name}.parquet")
        assert ORIGINS[name][0] in table
        assert ORIGINS[name][1] in table
        assert f"{len(edition.tables[name]):,} rows" in table
        for column in columns:
            assert re.search(
                rf"^\| `{column.name}` \| \w+ \| {re.escape(column.unit)} \| {re.escape(column.description)} \|$",
                table,
                re.MULTILINE,
            )
    datasets = section(text, "Datasets")
    assert datasets.count("\n| ") == 2 + len(KEYS)
    for row in edition.tables["datasets"].to_pylist():
        assert f"(`{row['dataset']}`)" in datasets
        assert row["licence"] in datasets


def test_readme_says_which_tasks_each_dataset_has(edition: Edition) -> None:
    lines = {
        re.search(r"\(`(\w+)`\)", line)[1]: re.split(r"(?<!\\)\|", line)  # type: ignore[index]
        for line in section(DOCUMENTS["README.md"].write(edition), "Datasets").splitlines()
        if "(`" in line
    }
    cells = {key: [cell.strip() for cell in line[1:-1]] for key, line in lines.items()}
    assert cells["nations"][1] == "standard, libkge, pykeen, raw (train, valid, test)"
    assert cells["nations"][2:6] == ["0.085", "3", "3", "yes"]
    assert cells["own"] == [
        r"A\|B &lt;C> & D (`own`)",
        "pykeen (test); raw (valid, test)",
        "–",
        "0",
        "2",
        "no",
        "not stated",
    ]


def test_readme_says_how_to_load_and_cite(edition: Edition) -> None:
    text = DOCUMENTS["README.md"].write(edition)
    assert f'rankconst.load("{name_archive("9.8.7")}")' in text
    assert "pd.read_parquet" in text
    assert "@misc{rankconst_tables," in text
    assert "arXiv:2203.07544" in text
    rule = section(text, "Versions")
    for word in ("major", "minor", "patch", "never changed", "stated errors"):
        assert word in rule


# ---- licence, citation, deposit ----------------------------------------------------------------------------------


def test_licence_is_that_of_the_tables(edition: Edition) -> None:
    text = DOCUMENTS["LICENSE"].write(edition)
    assert text.startswith("CC0 1.0 Universal\n")
    assert "They hold no triple and no entity" in text
    tables = {**edition.tables, "candidates_by_relation": edition.tables["candidates_by_relation"].slice(0, 0)}
    without = DOCUMENTS["LICENSE"].write(replace(edition, tables=tables))
    assert "triple, entity or relation" in without
    shipped = rankconst.load().path.parent / "LICENSE"
    if not shipped.is_file():
        pytest.skip("the licence lies beside the tables in a checkout only")
    waiver = shipped.read_text(encoding="utf-8").split("\n\nThe tables hold")[0]
    assert text.split("\n\nThe tables hold")[0] == without.split("\n\nThe tables hold")[0] == waiver


def test_citation(edition: Edition) -> None:
    lines = DOCUMENTS["CITATION.cff"].write(edition).splitlines()
    for line in (
        "cff-version: 1.2.0",
        "type: dataset",
        'version: "9.8.7"',
        "date-released: 2026-11-21",
        "license: CC0-1.0",
        '  - name: "The rankconst developers"',
        '      - family-names: "Hoyt"',
        '    url: "https://arxiv.org/abs/2203.07544"',
    ):
        assert line in lines
    assert {line.split(":")[0] for line in lines if re.match(r"[a-z]", line)} >= {"title", "message", "authors"}


def test_deposit(edition: Edition) -> None:
    content = read_json(edition, ".zenodo.json")
    assert content["upload_type"] == "dataset"
    assert content["version"] == "9.8.7"
    assert content["publication_date"] == "2026-11-21"
    assert content["creators"] == [{"name": "The rankconst developers"}]
    assert (content["license"], content["access_right"]) == ("cc-zero", "open")
    assert content["title"]
    assert content["keywords"]
    assert "A|B &lt;C&gt; &amp; D" in content["description"]
    assert content["related_identifiers"][0] == ARXIV
    sources = content["related_identifiers"][1:]
    assert {(one["relation"], one["scheme"]) for one in sources} == {("isDerivedFrom", "url")}
    urls = [one["identifier"] for one in sources]
    assert len(urls) == len(set(urls))
    assert set(urls) == {url for row in edition.tables["datasets"].to_pylist() for url in row["source_urls"]}


def test_a_url_of_two_datasets_is_named_once(edition: Edition) -> None:
    twice = pa.concat_tables([edition.tables["datasets"]] * 2)
    tables = {**edition.tables, "datasets": twice}
    assert (
        read_json(replace(edition, tables=tables), ".zenodo.json")["related_identifiers"]
        == (read_json(edition, ".zenodo.json")["related_identifiers"])
    )
