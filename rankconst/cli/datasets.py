"""``rankconst show datasets``: the benchmarks, and whether the tables hold them or they can be built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankconst.cli.options import FormatOption, TablesOption, has_builder, open_tables
from rankconst.cli.output import Column, Format, Listing, count, print_listing

if TYPE_CHECKING:
    from collections.abc import Mapping


_COLUMNS = (
    Column("dataset", "dataset"),
    Column("title", "title", drop=1),
    Column("status", "status"),
    Column("entities", "entities", count, right=True),
    Column("relations", "relations", count, right=True, drop=4),
    Column("triples_train", "train", count, right=True, drop=2),
    Column("triples_valid", "valid", count, right=True, drop=3),
    Column("triples_test", "test", count, right=True),
    Column("verified", "verified", drop=5),
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
    """List the datasets: those in the tables, and those that `rankconst build` can build.

    carried: in the tables. buildable: with `rankconst build --dataset KEY`.

    source of KEY: another copy of the same graph. not offered: JSON and CSV give the reason.

    verified: the hashes of the files are known beforehand.
    """
    opened = open_tables(tables)
    rows = [_row({**row, "status": "carried"}) for row in opened.datasets.values()]
    rows += _read_registry(opened.datasets)
    carried = len(opened.datasets)
    caption = f"{carried} in tables {opened.version}, {len(rows) - carried} more in the registry.{_mention_extra()}"
    print_listing(Listing.of(columns=_COLUMNS, rows=rows, caption=caption), format)


def _mention_extra() -> str:
    return "" if has_builder() else " `rankconst build` needs the extra rankconst[builder]."


def _row(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: values.get(key) for key in _KEYS}


def _read_registry(carried: Mapping[str, Any]) -> list[dict[str, Any]]:
    from rankconst.catalogue.benchmarks import load_benchmarks

    rows = []
    for key, source in load_benchmarks().items():
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
