"""The index of a released set: the constants that papers need, to be read without Arrow or numpy.

A line of JSON has the names of all datasets; then each dataset has a line with its sizes and its
constants of the test set, for the metrics that papers print. :mod:`rankconst.tables.archive` reads
them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import CATALOGUE, HEADLINE
from rankconst.catalogue.protocols import SPLITS
from rankconst.doubles import NUMBERS
from rankconst.tables.parquet import select_rows
from rankconst.tables.sets import TablesInMemory
from rankconst.tasks import Tasks
from rankconst.values.comparison import find_smallest_difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from rankconst.tables.archive import Tables


DESCRIBED = ("title", "citation", "entities", *(f"triples_{split}" for split in SPLITS))
"""Columns of the table of datasets that the index has, too."""


def write_index(version: str, tables: Mapping[str, pa.Table]) -> str:
    """Return the index of tables that are about to be released."""
    make = {name: lambda table=table: table for name, table in tables.items()}
    opened = TablesInMemory(Path(), {"version": version}, Path(), make=make)
    datasets = {row["dataset"]: row for row in tables["datasets"].to_pylist()}
    names = {key: [row["title"], row["aliases"], row["counting"]] for key, row in datasets.items()}
    constants = select_rows(tables["constants"], {"split": "test", "aggregation": "micro"})
    lines: list[dict[str, Any]] = [{"version": version, "names": names}]
    for key, row in datasets.items():
        rows = select_rows(constants, {"dataset": key}).to_pylist()
        described = {name: row[name] for name in DESCRIBED}
        line = {
            "dataset": key,
            "described": described,
            "protocols": opened.protocols(key),
            "constants": _gather(opened, rows),
        }
        lines.append(line)
    texts = [json.dumps(line, separators=(",", ":")) for line in lines]
    return "\n".join([*texts, ""])


def _gather(tables: Tables, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the constants of a dataset: by protocol, side and baseline, and by metric."""
    constants: dict[str, dict[str, Any]] = {}
    for row in rows:
        metric = CATALOGUE[row["metric"]]
        if row["k"] is not None:
            metric = metric.at(row["k"])
        if metric not in HEADLINE:
            continue
        histogram = tables.histogram(Tasks(row["dataset"], row["protocol"], "test", row["side"]))
        worst = metric.worst(histogram.num_candidates, histogram.row_weights)
        enough = None
        if row["baseline"] == DEFAULT_BASELINE:
            enough = find_smallest_difference(metric, histogram)
        address = f"{row['protocol']}/{row['side']}/{row['baseline']}"
        by_metric = constants.setdefault(address, {"num_tasks": row["num_tasks"]})
        by_metric[metric.label] = [worst, enough, *(row[name] for name in NUMBERS)]
    return constants
