"""``rankconst datasets``: which benchmarks there are, and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankconst import tables as archive
from rankconst.cli.extras import has_builder
from rankconst.cli.options import FormatOption, TablesOption
from rankconst.cli.output import Column, Format, Listing, count, print_listing

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["list_datasets"]

_COLUMNS = (
    Column("dataset", "dataset"),
    Column("title", "title"),
    Column("status", "status"),
    Column("entities", "entities", count, right=True),
    Column("relations", "relations", count, right=True),
    Column("triples_train", "train", count, right=True),
    Column("triples_valid", "valid", count, right=True),
    Column("triples_test", "test", count, right=True),
    Column("verified", "verified"),
    Column("licence"),
    Column("citation"),
    Column("citation_url"),
    Column("source_urls"),
    Column("aliases"),
    Column("reason"),
)

_KEYS = tuple(column.key for column in _COLUMNS)


def list_datasets(
    tables: TablesOption = None,
    format: FormatOption = Format.table,
) -> None:
    """List the datasets: those in the tables, and those that `rankconst build` knows how to make.

    Status: carried (in the tables), buildable (`rankconst build --dataset KEY`), source of KEY (another copy of the
    same graph), not offered (JSON and CSV give the reason). Verified: the files have hashes known beforehand.
    """
    opened = archive.load(tables)
    rows = [_row({**row, "status": "carried"}) for row in opened.datasets.values()]
    rows += _read_registry(opened.datasets) if has_builder() else []
    more = "" if has_builder() else " With the extra rankconst[builder] this lists every dataset that can be built."
    carried = len(opened.datasets)
    caption = f"{carried} in tables {opened.version}, {len(rows) - carried} more in the registry.{more}"
    print_listing(Listing(columns=_COLUMNS, rows=rows, caption=caption), format)


def _row(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: values.get(key) for key in _KEYS}


def _read_registry(carried: Mapping[str, Any]) -> list[dict[str, Any]]:
    from rankconst_builder.sources import load_sources

    rows = []
    for key, source in load_sources().items():
        if key in carried:
            continue
        status = "not offered" if source.not_offered else "buildable"
        rows.append(
            _row(
                {
                    "dataset": key,
                    "title": source.title,
                    "status": f"source of {source.same_graph_as}" if source.same_graph_as else status,
                    "verified": None if source.not_offered else source.verifiable,
                    "licence": source.licence,
                    "citation": source.citation,
                    "citation_url": source.citation_url,
                    "source_urls": list(dict.fromkeys(file.remote.url for file in source.files.values())),
                    "aliases": list(source.aliases),
                    "reason": source.not_offered or None,
                }
            )
        )
    return rows
