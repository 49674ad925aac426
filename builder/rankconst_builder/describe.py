"""What accompanies the tables of a released set: Croissant, README, licence, citation and deposit metadata."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.names import show_controls
from rankconst.tables import citation
from rankconst.tables.citation import AUTHORS
from rankconst.tables.folder import DESCRIPTOR
from rankconst.tables.schema import COLUMNS
from rankconst.tasks import Histogram
from rankconst.values.comparison import find_smallest_difference, show_enough
from rankconst_builder.package import CHECKSUMS, order_value

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping

    import pyarrow as pa


KEYWORDS = (
    "knowledge graph",
    "link prediction",
    "evaluation",
    "ranking metrics",
    "mean reciprocal rank",
    "chance adjustment",
)

SUMMARY = (
    "What a random ranker gets on link-prediction benchmarks: expectation and variance of ranking metrics (MR, MRR, "
    "Hits@k and others) over random rankings, each with its error, for each dataset, evaluation protocol, split and "
    "side; with the numbers of candidates from which they follow."
)

PAPER = {
    "title": "A unified framework for rank-based evaluation metrics for link prediction in knowledge graphs",
    "url": "https://arxiv.org/abs/2203.07544",
    "identifier": "arXiv:2203.07544",
    "year": 2022,
}
PAPER_AUTHORS = (
    ("Hoyt", "Charles Tapley"),
    ("Berrendorf", "Max"),
    ("Galkin", "Mikhail"),
    ("Tresp", "Volker"),
    ("Gyori", "Benjamin M."),
)

LICENCE_URL = "https://creativecommons.org/publicdomain/zero/1.0/"

VERSION_RULE = (
    "Released versions are never changed. A changed or removed value makes a major version, new rows, columns or "
    "tables make a minor one, and the same data serialised anew makes a patch. A constant that moved by no more than "
    "its stated errors has not changed: machines differ in the last bits."
)

ORIGINS: dict[str, tuple[str, str]] = {
    "datasets": (
        "the benchmarks' own files, at the URLs in `source_urls`",
        "`rankconst_builder.graph` counts entities, relations, triples, repetitions and overlaps",
    ),
    "candidates": (
        "the benchmarks' own files; under `sampled:M` the numbers of tasks that the benchmark states",
        "`rankconst_builder.candidates` counts for every ranking task the entities that are ranked",
    ),
    "macro_candidates": (
        "the benchmarks' own files",
        "as `candidates`, with the weight that each task has in a macro average",
    ),
    "candidates_by_relation": (
        "the benchmarks' own files",
        "as `candidates`, relation by relation, for valid and test",
    ),
    "baseline_candidates": (
        "the benchmarks' own files",
        "`rankconst_builder.baselines` scores the candidates of every ranking task of valid and test by what the "
        "baseline knows, and counts those above the true answer and those of the same score",
    ),
    "baseline_candidates_by_relation": (
        "the benchmarks' own files",
        "as `baseline_candidates`, relation by relation, with the weight that each task has in macro-query",
    ),
    "constants": (
        "`candidates` and `baseline_candidates`",
        "`rankconst.moments`: closed forms, integrals with an error bound, or samples of a fixed seed with standard "
        "errors; the column `method` says which",
    ),
}
"""Table to where its rows come from, and how they are made."""

_CROISSANT_TYPES = {
    "text": "sc:Text",
    "texts": "sc:Text",
    "count": "sc:Integer",
    "real": "sc:Float",
    "truth": "sc:Boolean",
}

_CROISSANT_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        term: f"cr:{term}"
        for term in (
            *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet"),
            *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
            *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
            "transform",
        )
    },
}
"""The terms of Croissant 1.0; validators expect all of them, used or not."""


@dataclass(frozen=True)
class Edition:
    """A set of tables about to be released."""

    version: str
    date: dt.date  # the day it is published
    tables: Mapping[str, pa.Table]
    descriptor: Mapping[str, Any]  # the content of ``datapackage.json``: names, sizes and hashes of the files
    # Where it will be found, such as a DOI. If None, documents point to the README next to them.
    url: str | None = None

    @property
    def title(self) -> str:
        """The title of the set."""
        return str(self.descriptor["title"])


@dataclass(frozen=True, slots=True)
class Document:
    """A file that accompanies the tables."""

    write: Callable[[Edition], str]  # edition to the text of the file
    holds: str  # what is in it, in a few words


def name_archive(version: str) -> str:
    """Return the name of a version's zip without its ending, which is also the folder inside it."""
    return f"rankconst-tables-{version}"


def describe_package(date: dt.date, url: str | None = None) -> dict[str, Any]:
    """Return what the descriptor of a released set says beyond that of any set."""
    return {
        "description": SUMMARY,
        **({"homepage": url} if url else {}),
        # The standard asks for a time, too.
        "created": f"{date.isoformat()}T00:00:00Z",
        "keywords": list(KEYWORDS),
        "contributors": [{"title": AUTHORS, "roles": ["creator"]}],
    }


def _dump(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


# ---- Croissant ---------------------------------------------------------------------------------------------------


def write_croissant(edition: Edition) -> str:
    """Write the metadata that machine-learning tools read, as MLCommons Croissant 1.0 has them."""
    resources = edition.descriptor["resources"]
    return _dump(
        {
            "@context": _CROISSANT_CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": "rankconst-tables",
            "alternateName": edition.title,
            "description": SUMMARY,
            "version": edition.version,
            "datePublished": edition.date.isoformat(),
            "url": edition.url or "README.md",
            "license": LICENCE_URL,
            "creator": {"@type": "sc:Organization", "name": AUTHORS},
            "keywords": list(KEYWORDS),
            "citeAs": write_bibtex(edition),
            "isLiveDataset": False,
            "distribution": [
                {
                    "@type": "cr:FileObject",
                    "@id": resource["path"],
                    "name": resource["path"],
                    "description": f"Table {resource['name']}; from {_plain(ORIGINS[resource['name']][0])}.",
                    "contentUrl": resource["path"],
                    "contentSize": f"{resource['bytes']} B",
                    "encodingFormat": "application/x-parquet",
                    "sha256": resource["hash"].removeprefix("sha256:"),
                }
                for resource in resources
            ],
            "recordSet": [_describe_records(resource) for resource in resources],
        }
    )


def _describe_records(resource: Mapping[str, Any]) -> dict[str, Any]:
    name = resource["name"]
    key = [{"@id": f"{name}/{column}"} for column in resource["schema"].get("primaryKey", [])]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{_plain(ORIGINS[name][1])}.",
        **({"key": key} if key else {}),
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column.name}",
                "name": column.name,
                "description": f"{column.description} ({column.unit})" if column.unit else column.description,
                "dataType": _CROISSANT_TYPES[column.kind],
                **({"repeated": True} if column.kind == "texts" else {}),
                "source": {"fileObject": {"@id": resource["path"]}, "extract": {"column": column.name}},
            }
            for column in COLUMNS[name]
        ],
    }


def _plain(text: str) -> str:
    return text.replace("`", "")


# ---- README ------------------------------------------------------------------------------------------------------


def write_readme(edition: Edition) -> str:
    """Write what people read first."""
    folder = name_archive(edition.version)
    example = next(iter(edition.tables["datasets"]["dataset"].to_pylist()), "KEY")
    parts = [
        _write_card(edition),
        f"# rankconst tables {edition.version}",
        SUMMARY,
        f"Published {edition.date.isoformat()}" + (f" at <{edition.url}>." if edition.url else "."),
        "## Files",
        _list_files(edition),
        *(part for name in COLUMNS for part in (f"### {name}.parquet", _describe_table(edition, name))),
        "## Datasets",
        _list_datasets(edition),
        "The benchmarks' files are not included. `datasets.parquet` has for each its URLs, the SHA-256 of the content "
        "of its train, valid and test file, and the paper to cite.",
        "## Load",
        f"Unpack `{folder}.zip`. With the package `rankconst`, which checks the hashes:",
        f'```python\nimport rankconst\n\ntables = rankconst.load("{folder}")\n'
        f'tables.constants("{example}", "mrr").expectation\n```',
        "Without it, any reader of Parquet will do:",
        f'```python\nimport pandas as pd\n\nconstants = pd.read_parquet("{folder}/constants.parquet")\n```',
        f"`{DESCRIPTOR}` states the SHA-256 of every table (`hash`), and one of its values alone (`contentHash`), "
        "which stays the same when another program stores them anew.",
        "## Versions",
        VERSION_RULE,
        "## Cite",
        "Cite the version of the tables, and the paper whose framework this is "
        f"({PAPER['identifier']}); `CITATION.cff` has both.",
        f"```bibtex\n{write_bibtex(edition)}\n```",
        "CC0 1.0; see `LICENSE`.",
    ]
    return "\n\n".join(parts) + "\n"


def _write_card(edition: Edition) -> str:
    """Write what the Hugging Face Hub reads above a README; JSON strings are YAML strings."""
    # https://huggingface.co/docs/hub/datasets-manual-configuration; a table without rows has nothing to view.
    held = [resource for resource in edition.descriptor["resources"] if resource["rows"]]
    lines = [
        "---",
        "license: cc0-1.0",
        f"pretty_name: {json.dumps(edition.title, ensure_ascii=False)}",
        "task_categories:",
        "  - graph-ml",
        "tags:",
        *(f"  - {keyword.replace(' ', '-')}" for keyword in KEYWORDS),
        "configs:",
    ]
    for resource in held:
        lines += [f"  - config_name: {resource['name']}", f"    data_files: {resource['path']}"]
        if resource["name"] == "constants":
            lines.append("    default: true")
    return "\n".join([*lines, "---"])


_TAG = re.compile("<(?=[A-Za-z/!?])")


def _write_cell(text: str) -> str:
    return _TAG.sub("&lt;", show_controls(text).replace("|", "\\|").replace("\n", " "))


def _table(headings: list[str], rows: list[list[str]]) -> str:
    """Write a Markdown table; headings that end with a colon align to the right."""
    rules = ["---:" if heading.endswith(":") else "---" for heading in headings]
    shown = [heading.removesuffix(":") for heading in headings]
    cells = [list(map(_write_cell, row)) for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (shown, rules, *cells))


def _list_files(edition: Edition) -> str:
    tables = [
        [f"`{resource['path']}`", f"{resource['rows']:,} rows; from {ORIGINS[resource['name']][0]}"]
        for resource in edition.descriptor["resources"]
    ]
    written = [[f"`{name}`", document.holds] for name, document in DOCUMENTS.items()]
    written.append([f"`{CHECKSUMS}`", "the SHA-256 of every other file, as sha256sum writes them"])
    descriptor = [f"`{DESCRIPTOR}`", "Data Package 2.0: path, size and hashes of each table, its columns, its sources"]
    return _table(["file", "holds"], [*tables, descriptor, *written])


def _describe_table(edition: Edition, name: str) -> str:
    resource = next(one for one in edition.descriptor["resources"] if one["name"] == name)
    origin, made = ORIGINS[name]
    rows = [
        [f"`{column.name}`", field["type"], column.unit, column.description]
        for column, field in zip(COLUMNS[name], resource["schema"]["fields"], strict=True)
    ]
    return f"Origin: {origin}. Made by: {made}. {resource['rows']:,} rows, {resource['bytes']:,} bytes.\n\n" + _table(
        ["column", "type", "unit", "holds"], rows
    )


def _list_datasets(edition: Edition) -> str:
    coverage = _find_coverage(edition.tables["candidates"])
    rows = [
        [
            f"{row['title']} (`{row['dataset']}`)",
            _phrase_coverage(coverage.get(row["dataset"], {})),
            _show_enough(edition.tables["candidates"], row["dataset"], coverage.get(row["dataset"], {})),
            str(len(row["source_urls"])),
            str(sum(hash_ is not None for hash_ in row["sha256"])),
            "yes" if row["verified"] else "no",
            row["licence"] or "not stated",
        ]
        for row in edition.tables["datasets"].to_pylist()
    ]
    facts = ["source files:", "SHA-256:", "verified", "licence of the source"]
    return (
        _table(["dataset", "protocols (splits)", "enough:", *facts], rows)
        + "\n\n`enough`: a difference of two MRRs on the test set, under the first protocol, that tells models apart "
        "by the published numbers alone (p < 0.05)."
    )


def _show_enough(candidates: pa.Table, dataset: str, coverage: Mapping[str, list[str]]) -> str:
    """Write a difference of two MRRs on the test set that tells models apart."""
    protocol = next((each for each, splits in coverage.items() if "test" in splits), "")
    tasks = (pc.field("dataset") == dataset) & (pc.field("protocol") == protocol) & (pc.field("split") == "test")
    tasks &= pc.field("side") != RELATION_SIDE
    counts = candidates.filter(tasks).select(["num_candidates", "num_tasks"]).to_pydict()
    found = counts["num_tasks"] and find_smallest_difference(
        parse_metric("mrr"), Histogram.from_counts(*counts.values())
    )
    return show_enough(found or None)


def _find_coverage(candidates: pa.Table) -> dict[str, dict[str, list[str]]]:
    """Return dataset to protocol to the splits that have ranking tasks, protocols and splits in their order."""
    names = ["dataset", "protocol", "split"]
    rows = candidates.select(names).group_by(names).aggregate([]).to_pylist()
    found: dict[str, dict[str, list[str]]] = {}
    for row in sorted(rows, key=lambda row: [order_value(name, row[name]) for name in names]):
        found.setdefault(row["dataset"], {}).setdefault(row["protocol"], []).append(row["split"])
    return found


def _phrase_coverage(splits: Mapping[str, list[str]]) -> str:
    """Name protocols with their splits, those with the same ones together."""
    together: dict[tuple[str, ...], list[str]] = {}
    for protocol, held in splits.items():
        together.setdefault(tuple(held), []).append(protocol)
    return "; ".join(f"{', '.join(protocols)} ({', '.join(held)})" for held, protocols in together.items()) or "none"


# ---- licence, citation, deposit ----------------------------------------------------------------------------------


def write_licence(edition: Edition) -> str:
    """Write the licence, and what it covers."""
    waiver = (
        "CC0 1.0 Universal\n\n"
        "To the extent possible under law, the rankconst developers have waived all\n"
        "copyright and related or neighbouring rights to the tables in this folder.\n"
        f"The legal text is at {LICENCE_URL}legalcode\n\n"
        "The tables hold numbers of candidates and what follows from them"
    )
    if len(edition.tables["candidates_by_relation"]):
        return waiver + (
            ", and the names\nof relations. They hold no triple and no entity of any benchmark; the licence\n"
            "that each benchmark's source states is in datasets.parquet.\n"
        )
    return waiver + (
        ". They hold no\ntriple, entity or relation of any benchmark; the licence that each benchmark's\n"
        "source states is in datasets.parquet.\n"
    )


def write_bibtex(edition: Edition) -> str:
    """Return the BibTeX entry of an edition."""
    return citation.write_bibtex(edition.title, edition.version, edition.date.year, edition.url)


def write_citation(edition: Edition) -> str:
    """Write the citation as CFF 1.2.0 has it; JSON strings are YAML strings."""
    lines = [
        "cff-version: 1.2.0",
        f"title: {json.dumps(f'rankconst tables: {edition.title}', ensure_ascii=False)}",
        'message: "If you use these tables, please cite them with their version, and the paper whose framework they '
        'follow."',
        "type: dataset",
        "authors:",
        f"  - name: {json.dumps(AUTHORS)}",
        f"version: {json.dumps(edition.version)}",
        f"date-released: {edition.date.isoformat()}",
        *([f"url: {json.dumps(edition.url)}"] if edition.url else []),
        "license: CC0-1.0",
        f"abstract: {json.dumps(SUMMARY)}",
        "keywords:",
        *(f"  - {json.dumps(keyword)}" for keyword in KEYWORDS),
        "references:",
        "  - type: article",
        f"    title: {json.dumps(PAPER['title'])}",
        "    authors:",
        *(
            f"      - family-names: {json.dumps(family)}\n        given-names: {json.dumps(given)}"
            for family, given in PAPER_AUTHORS
        ),
        f"    year: {PAPER['year']}",
        f"    url: {json.dumps(PAPER['url'])}",
    ]
    return "\n".join(lines) + "\n"


def write_deposit(edition: Edition) -> str:
    """Write the metadata of a deposit on Zenodo; relations, schemes and the licence are in its vocabulary."""
    rows = edition.tables["datasets"].to_pylist()
    urls = dict.fromkeys(url for row in rows for url in row["source_urls"])
    told = (SUMMARY, f"Datasets: {', '.join(row['title'] for row in rows)}.", VERSION_RULE)
    return _dump(
        {
            "title": f"rankconst tables: {edition.title}",
            "upload_type": "dataset",
            "version": edition.version,
            "publication_date": edition.date.isoformat(),
            "description": "".join(f"<p>{html.escape(text, quote=False)}</p>" for text in told),
            "creators": [{"name": AUTHORS}],
            "access_right": "open",
            "license": "cc-zero",
            "language": "eng",
            "keywords": list(KEYWORDS),
            "related_identifiers": [
                {
                    "identifier": PAPER["identifier"],
                    "relation": "isSupplementTo",
                    "scheme": "arxiv",
                    "resource_type": "publication-preprint",
                },
                *(
                    {"identifier": url, "relation": "isDerivedFrom", "scheme": "url", "resource_type": "dataset"}
                    for url in urls
                ),
            ],
        }
    )


DOCUMENTS: dict[str, Document] = {
    "croissant.json": Document(write_croissant, "MLCommons Croissant 1.0: files with SHA-256, record sets, fields"),
    "README.md": Document(write_readme, "this text, above it the dataset card of the Hugging Face Hub"),
    "LICENSE": Document(write_licence, "CC0 1.0, and what it covers"),
    "CITATION.cff": Document(write_citation, "how to cite this version, in the Citation File Format"),
    ".zenodo.json": Document(write_deposit, "metadata of the deposit on Zenodo"),
}
"""File name to how it is written."""
