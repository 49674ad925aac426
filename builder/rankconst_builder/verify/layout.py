"""What a set of tables of some version consists of: tables, columns, keys and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, MACROS
from rankconst.catalogue.metrics import MACRO_TABULATED, TABULATED
from rankconst.tables.schema import COLUMNS, SINCE, TableColumn, precedes
from rankconst_builder.package import CHECKSUMS

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric


HISTOGRAMS = ("candidates", "macro_candidates", "candidates_by_relation")
"""The tables of numbers of candidates."""

COMPANIONS = ("README.md", "LICENSE", "CITATION.cff", "croissant.json", ".zenodo.json", CHECKSUMS)
"""Files that may lie beside the tables."""

OUTPUTS = ("per-triple",)
"""Folders that may lie beside the tables: what ``rankconst build`` writes on request, no part of the set."""


def is_current(version: str) -> bool:
    """Tell whether a set of a version has the columns of today."""
    since = [*SINCE.values(), *(column.since for columns in COLUMNS.values() for column in columns)]
    return not any(precedes(version, one) for one in since)


def tables_of(version: str) -> tuple[str, ...]:
    """Return the tables that a set of a version has."""
    return tuple(name for name in COLUMNS if not precedes(version, SINCE.get(name, "")))


def columns_of(table: str, version: str) -> tuple[TableColumn, ...]:
    """Return the columns that a table of a version has."""
    return tuple(column for column in COLUMNS[table] if not precedes(version, column.since))


def metrics_of(version: str) -> dict[str, tuple[Metric, ...]]:
    """Return, for each aggregation that a set of a version has, the metrics that it tabulates."""
    known = {
        aggregation: tuple(m for m in metrics if not precedes(version, m.since))
        for aggregation, metrics in {DEFAULT_AGGREGATION: TABULATED, **dict.fromkeys(MACROS, MACRO_TABULATED)}.items()
    }
    macro = "macro_candidates" in tables_of(version)
    return {key: metrics for key, metrics in known.items() if macro or key == DEFAULT_AGGREGATION}
