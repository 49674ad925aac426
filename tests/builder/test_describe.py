"""The documents of a release: each says what the tables are, in its own standard."""

import datetime as dt
import json
import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
import yaml

import rankconst
from rankconst.tables.descriptor import COLUMNS, schema_of
from rankconst_builder.describe import DOCUMENTS, ORIGINS, Edition, describe_package, name_archive
from rankconst_builder.package import describe_set, describe_tables, serialise_tables

DATE = dt.date(2026, 11, 21)
KEYS = ("nations", "umls", "own")
AUTHORS = "The rankconst developers"


def make_tables() -> dict[str, pa.Table]:
    """Make a set: two carried datasets, and a graph of somebody's own with awkward texts and one
    protocol.
    """
    carried = rankconst.load()
    rows = {
        name: [row for key in KEYS[:2] for row in carried.read(name, key).to_pylist()]
        for name in ("datasets", "candidates", "constants")
    }
    own = {
        "dataset": "own", "title": "A|B <C> & D", "source_urls": [], "verified": False,
        "licence": "",
    }  # fmt: skip
    rows["datasets"].append({**rows["datasets"][0], **own, "sha256": ["00", None, "11"]})
    tasks = {
        "dataset": "own", "split": "test", "side": "head", "num_candidates": 5, "num_tasks": 2,
        "protocol": "raw",
    }  # fmt: skip
    rows["candidates"] += [tasks, {**tasks, "protocol": "pykeen"}, {**tasks, "split": "valid"}]
    blocks = {**tasks, "baseline": "frequency", "offset": 2}
    rows |= {
        "macro_candidates": [{**tasks, "aggregation": "macro-query", "weight": 0.5}],
        "candidates_by_relation": [{**tasks, "relation": "r"}],
        "baseline_candidates": [blocks],
        "baseline_candidates_by_relation": [{**blocks, "relation": "r", "weight": 0.5}],
    }
    return {name: pa.Table.from_pylist(rows[name], schema=schema_of(name)) for name in COLUMNS}


def make_edition(url: str | None = None, creator: str = AUTHORS) -> Edition:
    tables = make_tables()
    files = serialise_tables(tables, 1)
    provenance = {key: {"origin": "files"} for key in KEYS}
    descriptor = describe_set(
        "9.8.7",
        tables["datasets"].to_pylist(),
        describe_tables(tables, files),
        provenance,
        describe_package(DATE, url, creator),
    )
    return Edition("9.8.7", DATE, tables, descriptor, url)


@pytest.fixture(scope="module")
def edition() -> Edition:
    return make_edition()


def test_documents_are_the_known_ones(edition: Edition) -> None:
    assert list(DOCUMENTS) == [
        "croissant.json", "README.md", "LICENSE", "CITATION.cff", ".zenodo.json",
    ]  # fmt: skip
    assert list(ORIGINS) == list(COLUMNS)
    url = "https://doi.org/10.1234/abc"
    other = replace(edition, version="9.9.0", date=dt.date(2027, 1, 2), url=url)
    for name, document in DOCUMENTS.items():
        text, changed = document.write(edition), document.write(other)
        assert re.search(r"[^\n]\n\Z", text)
        if name != "LICENSE":
            assert "9.8.7" in text
            assert "2026-11-21" in text
            assert "9.9.0" in changed
            assert "2027-01-02" in changed
            assert (url in changed) == (name != ".zenodo.json")
        assert url not in text


# ---- Croissant -----------------------------------------------------------------------------------


def walk(node: Any) -> list[dict[str, Any]]:
    """Return every object inside a JSON value, but for the context."""
    if isinstance(node, list):
        return [found for part in node for found in walk(part)]
    if not isinstance(node, dict):
        return []
    return [
        node,
        *(found for key, part in node.items() if key != "@context" for found in walk(part)),
    ]


def test_croissant_has_every_file_and_column(edition: Edition) -> None:
    content = json.loads(DOCUMENTS["croissant.json"].write(edition))
    resources = edition.descriptor["resources"]
    assert content["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert content["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert content["creator"] == {"@type": "sc:Organization", "name": AUTHORS}
    # Terms of Croissant itself must be spelt out, or readers take them for schema.org's.
    used = {key for part in walk(content) for key in part if not key.startswith("@")}
    terms = {"citeAs", "recordSet", "field", "dataType", "source", "extract", "column"}
    assert terms <= used & content["@context"].keys()
    for file, resource in zip(content["distribution"], resources, strict=True):
        assert file["@id"] == file["name"] == file["contentUrl"] == resource["path"]
        assert file["contentSize"] == f"{resource['bytes']} B"
        assert f"sha256:{file['sha256']}" == resource["hash"]
    assert [records["@id"] for records in content["recordSet"]] == list(COLUMNS)
    types = {
        "text": "sc:Text", "texts": "sc:Text", "count": "sc:Integer", "real": "sc:Float",
        "truth": "sc:Boolean",
    }  # fmt: skip
    for records, resource in zip(content["recordSet"], resources, strict=True):
        name, keys = records["@id"], [key["@id"] for key in records.get("key", [])]
        for field, column in zip(records["field"], COLUMNS[name], strict=True):
            unit = f" ({column.unit})" if column.unit else ""
            repeated = {"repeated": True} if column.kind == "texts" else {}
            source = {"fileObject": {"@id": resource["path"]}, "extract": {"column": column.name}}
            assert field == {
                "@type": "cr:Field",
                "@id": f"{name}/{column.name}",
                "name": column.name,
                "description": f"{column.description}{unit}",
                "dataType": types[column.kind],
                "source": source,
                **repeated,
            }
        assert keys == [f"{name}/{column}" for column in resource["schema"].get("primaryKey", [])]


# ---- Data Package --------------------------------------------------------------------------------


def test_descriptor_obeys_data_package_2() -> None:
    descriptor = make_edition("https://doi.org/10.1234/abc").descriptor
    assert descriptor["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert re.fullmatch(r"[-a-z0-9._/]+", descriptor["name"])
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", descriptor["created"])
    texts = [descriptor[name] for name in ("title", "description", "version", "homepage")]
    assert all(isinstance(text, str) for text in (*texts, *descriptor["keywords"]))
    assert all(
        "title" in one and isinstance(one["roles"], list) for one in descriptor["contributors"]
    )
    assert all("name" in licence or "path" in licence for licence in descriptor["licenses"])
    assert all({"title", "path"} & source.keys() for source in descriptor["sources"])
    assert [resource["name"] for resource in descriptor["resources"]] == list(COLUMNS)
    for resource in descriptor["resources"]:
        # A path below the descriptor, in POSIX style.
        assert re.fullmatch(r"(?!\.\.)[^/~\\][^\\]*", resource["path"])
        assert resource["type"] == "table"
        fields = resource["schema"]["fields"]
        assert {field["type"] for field in fields} <= {
            "string", "number", "integer", "boolean", "array",
        }  # fmt: skip
        assert {*resource["schema"].get("primaryKey", [])} <= {field["name"] for field in fields}


# ---- README --------------------------------------------------------------------------------------


def section(text: str, heading: str) -> str:
    """Return what stands under a heading, up to the next."""
    return re.split(r"^#+ ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_readme_has_every_file_column_and_dataset(edition: Edition) -> None:
    text = DOCUMENTS["README.md"].write(edition)
    files = section(text, "Files")
    others = ("datapackage.json", "index.jsonl", "checksums.txt", *DOCUMENTS)
    for name in (*(f"{name}.parquet" for name in COLUMNS), *others):
        assert f"| `{name}` |" in files
    for name, columns in COLUMNS.items():
        table = section(text, f"{name}.parquet")
        for fact in (*ORIGINS[name].values(), f"{len(edition.tables[name]):,} rows"):
            assert fact in table
        for column in columns:
            assert re.search(rf"^\| `{column.name}` \| \w+ \| ", table, re.MULTILINE)
            assert f" | {column.unit} | {column.description} |\n" in table
    for fact in (f'load("{name_archive("9.8.7")}")', "@misc{rankconst_tables,", "arXiv:2203.07544"):
        assert fact in text
    for word in ("major", "minor", "patch", "never changed", "stated errors"):
        assert word in section(text, "Versions")


def test_readme_says_which_tasks_each_dataset_has(edition: Edition) -> None:
    lines = section(DOCUMENTS["README.md"].write(edition), "Datasets").splitlines()
    first, *_, last = [line for line in lines if "(`" in line]
    tasks = "standard, libkge, pykeen, raw (train, valid, test)"
    assert f"| {tasks} | 0.085 | 3 | 3 | yes |" in first
    tasks = "pykeen (test); raw (valid, test)"
    assert last == rf"| A\|B &lt;C> & D (`own`) | {tasks} | – | 0 | 2 | no | not stated |"


# ---- licence, citation, deposit ------------------------------------------------------------------


def test_the_creator_of_a_set_is_whom_all_documents_name() -> None:
    edition = make_edition(creator='The "KG" team')
    written = {name: document.write(edition) for name, document in DOCUMENTS.items()}
    assert AUTHORS not in "".join(written.values())
    assert yaml.safe_load(written["CITATION.cff"])["authors"] == [{"name": 'The "KG" team'}]
    assert json.loads(written[".zenodo.json"])["creators"] == [{"name": 'The "KG" team'}]
    assert json.loads(written["croissant.json"])["creator"]["name"] == 'The "KG" team'
    assert 'author = {{The "KG" team}}' in written["README.md"]


def test_licence_citation_and_deposit(edition: Edition) -> None:
    text = DOCUMENTS["LICENSE"].write(edition)
    assert text.startswith("CC0 1.0 Universal\n")
    assert "They hold no triple and no entity" in text
    cited = yaml.safe_load(DOCUMENTS["CITATION.cff"].write(edition))
    (paper,) = cited.pop("references")
    assert {
        "cff-version": "1.2.0", "type": "dataset", "version": "9.8.7", "date-released": DATE,
    }.items() <= cited.items()  # fmt: skip
    assert (cited["license"], cited["authors"]) == ("CC0-1.0", [{"name": AUTHORS}])
    assert paper["url"] == "https://arxiv.org/abs/2203.07544"
    assert paper["authors"][0]["family-names"] == "Hoyt"
    assert all(cited[name] for name in ("title", "message"))
    content = json.loads(DOCUMENTS[".zenodo.json"].write(edition))
    names = ["upload_type", "version", "publication_date", "license", "access_right"]
    assert [content[name] for name in names] == [
        "dataset", "9.8.7", "2026-11-21", "cc-zero", "open",
    ]  # fmt: skip
    assert content["creators"] == [{"name": AUTHORS}]
    assert "A|B &lt;C&gt; &amp; D" in content["description"]
    paper, *sources = content["related_identifiers"]
    assert (paper["identifier"], paper["relation"]) == ("arXiv:2203.07544", "isSupplementTo")
    assert {(one["relation"], one["scheme"]) for one in sources} == {("isDerivedFrom", "url")}
    urls = dict.fromkeys(
        url for row in edition.tables["datasets"].to_pylist() for url in row["source_urls"]
    )
    assert [one["identifier"] for one in sources] == [*urls]
