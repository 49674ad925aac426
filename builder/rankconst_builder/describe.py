"""Write what accompanies a released set: metadata, the index, README, licence and citation.

Their fixed parts are in the folder ``templates``; here they are completed.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import HEADLINE, parse_metric
from rankconst.catalogue.protocols import RELATION_SIDE, SPLITS
from rankconst.doubles import NUMBERS
from rankconst.names import show_controls
from rankconst.tables import citation
from rankconst.tables.citation import AUTHORS, find_creator
from rankconst.tables.descriptor import COLUMNS, DESCRIPTOR, INDEX
from rankconst.tables.parquet import select_rows
from rankconst.tables.sets import TablesInMemory
from rankconst.tasks import Histogram
from rankconst.values.comparison import find_smallest_difference
from rankconst.values.published import show_enough
from rankconst_builder.package import CHECKSUMS, order_value, read_address

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from rankconst.tables.archive import Tables

_CROISSANT_TYPES = {
    "text": "sc:Text",
    "texts": "sc:Text",
    "count": "sc:Integer",
    "real": "sc:Float",
    "truth": "sc:Boolean",
}


def _read_template(name: str) -> str:
    file = resources.files("rankconst_builder").joinpath("templates", name)
    return file.read_text(encoding="utf-8")


_TEXTS = json.loads(_read_template("texts.json"))
SUMMARY, VERSION_RULE = str(_TEXTS["summary"]), str(_TEXTS["version rule"])
"""What a released set is, and what its version says, in a paragraph each."""

KEYWORDS: list[str] = _TEXTS["keywords"]
"""The words under which catalogues of data list a released set."""

ORIGINS: dict[str, dict[str, str]] = json.loads(_read_template("origins.json"))
"""Table to the origin of its rows, under ``from``, and their maker, under ``made by``."""


@dataclass(frozen=True)
class Edition:
    """A set of tables about to be released."""

    version: str
    date: dt.date  # the day it is published
    tables: Mapping[str, pa.Table]
    # The content of ``datapackage.json``: names, sizes and hashes of the files.
    descriptor: Mapping[str, Any]
    # Where it will be found, such as a DOI. If None, documents point to the README next to them.
    url: str | None = None

    @property
    def title(self) -> str:
        """The title of the set."""
        return str(self.descriptor["title"])

    @property
    def creator(self) -> str:
        """Who made the set."""
        return find_creator(self.descriptor)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that accompanies the tables."""

    write: Callable[[Edition], str]  # edition to the text of the file
    holds: str  # its contents, in a few words


def name_archive(version: str) -> str:
    """Name the folder in a version's zip; the zip has the same name and an ending."""
    return f"rankconst-tables-{version}"


def describe_package(
    date: dt.date, url: str | None = None, creator: str = AUTHORS
) -> dict[str, Any]:
    """Return the entries that only the descriptor of a released set has."""
    described = {
        "description": SUMMARY,
        # The standard wants a time, too.
        "created": f"{date.isoformat()}T00:00:00Z",
        "keywords": KEYWORDS,
        "contributors": [{"title": creator, "roles": ["creator"]}],
    }
    if url:
        described["homepage"] = url

    return described


def write_bibtex(edition: Edition) -> str:
    """Return the BibTeX entry of an edition."""
    return citation.write_bibtex(
        edition.title, edition.version, edition.date.year, edition.url, edition.creator
    )


def _complete(name: str, content: Mapping[str, Any]) -> str:
    """Fill a template with further entries; return the document as JSON."""
    completed = json.loads(_read_template(name)) | content
    return json.dumps(completed, indent=1, ensure_ascii=False) + "\n"


# ---- Croissant -----------------------------------------------------------------------------------


def write_croissant(edition: Edition) -> str:
    """Write the metadata for machine-learning tools as MLCommons Croissant 1.0."""
    tables = edition.descriptor["resources"]
    content: dict[str, Any] = {
        "alternateName": edition.title,
        "creator": {"@type": "sc:Organization", "name": edition.creator},
        "description": SUMMARY,
        "version": edition.version,
        "datePublished": edition.date.isoformat(),
        "url": edition.url or "README.md",
        "keywords": KEYWORDS,
        "citeAs": write_bibtex(edition),
    }
    content["distribution"] = [_describe_file(table) for table in tables]
    content["recordSet"] = [_describe_records(table) for table in tables]
    return _complete("croissant.json", content)


def _describe_file(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Croissant entry of a file."""
    origin = ORIGINS[table["name"]]["from"].replace("`", "")
    return {
        "@type": "cr:FileObject",
        "@id": table["path"],
        "name": table["path"],
        "description": f"Table {table['name']}; from {origin}.",
        "contentUrl": table["path"],
        "contentSize": f"{table['bytes']} B",
        "encodingFormat": "application/x-parquet",
        "sha256": table["hash"].removeprefix("sha256:"),
    }


def _describe_records(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Croissant entry of the rows of a table."""
    name = table["name"]
    fields = []
    for column in COLUMNS[name]:
        description = column.description
        if column.unit:
            description += f" ({column.unit})"

        field: dict[str, Any] = {
            "@type": "cr:Field",
            "@id": f"{name}/{column.name}",
            "name": column.name,
            "description": description,
            "dataType": _CROISSANT_TYPES[column.kind],
            "source": {"fileObject": {"@id": table["path"]}, "extract": {"column": column.name}},
        }
        if column.kind == "texts":
            field["repeated"] = True

        fields.append(field)

    made_by = ORIGINS[name]["made by"].replace("`", "")
    records = {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{made_by}.",
        "field": fields,
    }
    key = [{"@id": f"{name}/{column}"} for column in table["schema"].get("primaryKey", [])]
    return records | {"key": key} if key else records


# -- the index ------------------------------------------------------------------------------------

# The columns of the table of datasets that the index repeats.
_DESCRIBED = ("title", "citation", "entities", *(f"triples_{split}" for split in SPLITS))


def write_index(version: str, tables: Mapping[str, pa.Table]) -> str:
    """Write the most used constants so that they can be read without Arrow or numpy.

    The first line of JSON has the names of all datasets. Each dataset then has a line with its
    sizes and the constants of its test set. :mod:`rankconst.tables.archive` reads them.
    """
    make = {name: lambda table=table: table for name, table in tables.items()}
    opened = TablesInMemory(Path(), {"version": version}, Path(), make=make)
    datasets = tables["datasets"].to_pylist()
    names = {row["dataset"]: [row["title"], row["aliases"], row["counting"]] for row in datasets}
    lines: list[dict[str, Any]] = [{"version": version, "names": names}]

    test_constants = select_rows(tables["constants"], {"split": "test", "aggregation": "micro"})
    for row in datasets:
        dataset = row["dataset"]
        constants = select_rows(test_constants, {"dataset": dataset}).to_pylist()
        line = {
            "dataset": dataset,
            "described": {column: row[column] for column in _DESCRIBED},
            "protocols": opened.protocols(dataset),
            "constants": _gather_constants(opened, constants),
        }
        lines.append(line)

    texts = [json.dumps(line, separators=(",", ":")) for line in lines]
    return "\n".join([*texts, ""])


def _gather_constants(tables: Tables, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the constants of a dataset: by protocol, side and baseline, then by metric.

    ``constants["standard/both/uniform"]["MRR"]`` has the worst value, the difference that tells two
    models apart (None except under chance), and the fields of :data:`rankconst.doubles.NUMBERS`.
    """
    constants: dict[str, dict[str, Any]] = {}
    for row in rows:
        tasks, metric = read_address(row)
        if metric not in HEADLINE:
            continue
        histogram = tables.histogram(replace(tasks, baseline=DEFAULT_BASELINE))
        worst = metric.worst(histogram.num_candidates, histogram.row_weights)
        smallest_difference = None
        if row["baseline"] == DEFAULT_BASELINE:
            smallest_difference = find_smallest_difference(metric, histogram)

        address = f"{row['protocol']}/{row['side']}/{row['baseline']}"
        by_metric = constants.setdefault(address, {"num_tasks": row["num_tasks"]})
        moments = [row[name] for name in NUMBERS]
        by_metric[metric.label] = [worst, smallest_difference, *moments]

    return constants


# ---- README --------------------------------------------------------------------------------------


def write_readme(edition: Edition) -> str:
    """Write the README of a release."""
    place = f" at <{edition.url}>" if edition.url else ""
    return Template(_read_template("README.md")).substitute(
        version=edition.version,
        summary=SUMMARY,
        date=edition.date.isoformat(),
        place=place,
        files=_list_files(edition),
        tables="\n\n".join(_describe_table(table) for table in edition.descriptor["resources"]),
        datasets=_list_datasets(edition),
        folder=name_archive(edition.version),
        example=next(iter(edition.tables["datasets"]["dataset"].to_pylist()), "KEY"),
        version_rule=VERSION_RULE,
        bibtex=write_bibtex(edition),
    )


_TAG = re.compile("<(?=[A-Za-z/!?])")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table. Headings that end with a colon align to the right."""
    rules = ["---:" if heading.endswith(":") else "---" for heading in headings]
    names = [heading.removesuffix(":") for heading in headings]
    lines = []
    for cells in (names, rules, *rows):
        texts = [show_controls(cell).replace("|", "\\|").replace("\n", " ") for cell in cells]
        lines.append(_TAG.sub("&lt;", f"| {' | '.join(texts)} |"))
    return "\n".join(lines)


def _list_files(edition: Edition) -> str:
    """List the files of a release, as a Markdown table."""
    rows = []
    for table in edition.descriptor["resources"]:
        origin = ORIGINS[table["name"]]["from"]
        rows.append([f"`{table['path']}`", f"{table['rows']:,} rows; from {origin}"])

    holds = "Data Package 2.0: path, size and hashes of each table, its columns, its sources"
    rows.append([f"`{DESCRIPTOR}`", holds])
    rows.append([f"`{INDEX}`", "constants of test sets that are looked up most, as JSON lines"])
    rows += [[f"`{name}`", document.holds] for name, document in DOCUMENTS.items()]
    rows.append([f"`{CHECKSUMS}`", "the SHA-256 of every other file, as sha256sum writes them"])
    return _table(["file", "holds"], rows)


def _describe_table(table: Mapping[str, Any]) -> str:
    """Write the section on a table, with its columns."""
    name = table["name"]
    origin = ORIGINS[name]
    size = f"{table['rows']:,} rows, {table['bytes']:,} bytes"
    rows = []
    for column, field in zip(COLUMNS[name], table["schema"]["fields"], strict=True):
        rows.append([f"`{column.name}`", field["type"], column.unit, column.description])

    listed = _table(["column", "type", "unit", "holds"], rows)
    return (
        f"### {name}.parquet\n\nOrigin: {origin['from']}. "
        f"Made by: {origin['made by']}. {size}.\n\n{listed}"
    )


def _list_datasets(edition: Edition) -> str:
    """List the datasets of a release with their coverage, sources and licences."""
    candidates = edition.tables["candidates"]
    coverage = _find_coverage(candidates)
    rows = []
    for row in edition.tables["datasets"].to_pylist():
        dataset = row["dataset"]
        hashes = [value for value in row["sha256"] if value is not None]
        splits = coverage.get(dataset, {})
        verified = "yes" if row["verified"] else "no"
        cells = [
            f"{row['title']} (`{dataset}`)",
            _phrase_coverage(splits),
            _show_enough(candidates, dataset, splits),
            str(len(row["source_urls"])),
            str(len(hashes)),
            verified,
            row["licence"] or "not stated",
        ]
        rows.append(cells)

    facts = ["source files:", "SHA-256:", "verified", "licence of the source"]
    return _table(["dataset", "protocols (splits)", "enough:", *facts], rows)


def _show_enough(candidates: pa.Table, dataset: str, coverage: Mapping[str, list[str]]) -> str:
    """Write the difference of MRRs that tells models apart on the test set."""
    protocol = next((key for key, splits in coverage.items() if "test" in splits), "")
    tasks = (
        (pc.field("dataset") == dataset)
        & (pc.field("protocol") == protocol)
        & (pc.field("split") == "test")
        & (pc.field("side") != RELATION_SIDE)
    )
    counts = candidates.filter(tasks).select(["num_candidates", "num_tasks"]).to_pydict()
    if not counts["num_tasks"]:
        return show_enough(None)

    histogram = Histogram.from_counts(*counts.values())
    return show_enough(find_smallest_difference(parse_metric("mrr"), histogram))


def _find_coverage(candidates: pa.Table) -> dict[str, dict[str, list[str]]]:
    """Return the splits with ranking tasks: {"nations": {"standard": ["valid", "test"]}}."""
    names = ["dataset", "protocol", "split"]
    rows = candidates.select(names).group_by(names).aggregate([]).to_pylist()
    coverage: dict[str, dict[str, list[str]]] = {}
    for row in sorted(rows, key=lambda row: [order_value(name, row[name]) for name in names]):
        protocols = coverage.setdefault(row["dataset"], {})
        protocols.setdefault(row["protocol"], []).append(row["split"])
    return coverage


def _phrase_coverage(splits: Mapping[str, list[str]]) -> str:
    """Name protocols with their splits: ``standard, libkge (valid, test); raw (test)``."""
    protocols_by_splits: dict[str, list[str]] = {}
    for protocol, names in splits.items():
        protocols_by_splits.setdefault(", ".join(names), []).append(protocol)

    phrases = []
    for listed_splits, protocols in protocols_by_splits.items():
        phrases.append(f"{', '.join(protocols)} ({listed_splits})")

    return "; ".join(phrases) or "none"


# ---- citation, deposit ---------------------------------------------------------------------------


def write_citation(edition: Edition) -> str:
    """Write the citation as CFF 1.2.0."""
    written = Template(_read_template("CITATION.cff")).substitute(
        title=json.dumps(f"rankconst tables: {edition.title}", ensure_ascii=False),
        creator=json.dumps(edition.creator, ensure_ascii=False),
        version=edition.version,
        date=edition.date.isoformat(),
        summary=json.dumps(SUMMARY),
        keywords=json.dumps(KEYWORDS),
    )
    return f"{written}url: {json.dumps(edition.url)}\n" if edition.url else written


def write_deposit(edition: Edition) -> str:
    """Write the metadata of a deposit on Zenodo."""
    rows = edition.tables["datasets"].to_pylist()
    titles = ", ".join(row["title"] for row in rows)
    paragraphs = (SUMMARY, f"Datasets: {titles}.", VERSION_RULE)
    related = json.loads(_read_template("zenodo.json"))["related_identifiers"]
    urls = [url for row in rows for url in row["source_urls"]]
    for url in dict.fromkeys(urls):
        relation = {"relation": "isDerivedFrom", "scheme": "url", "resource_type": "dataset"}
        related.append({"identifier": url, **relation})

    described = "".join(f"<p>{html.escape(text, quote=False)}</p>" for text in paragraphs)
    return _complete(
        "zenodo.json",
        {
            "title": f"rankconst tables: {edition.title}",
            "creators": [{"name": edition.creator}],
            "version": edition.version,
            "publication_date": edition.date.isoformat(),
            "description": described,
            "keywords": KEYWORDS,
            "related_identifiers": related,
        },
    )


DOCUMENTS: dict[str, Document] = {
    "croissant.json": Document(
        write_croissant, "MLCommons Croissant 1.0: files with SHA-256, record sets, fields"
    ),
    "README.md": Document(write_readme, "this text"),
    "LICENSE": Document(lambda _: _read_template("LICENSE"), "CC0 1.0, and what it covers"),
    "CITATION.cff": Document(
        write_citation, "how to cite this version, in the Citation File Format"
    ),
    ".zenodo.json": Document(write_deposit, "metadata of the deposit on Zenodo"),
}
"""File name to its document."""
