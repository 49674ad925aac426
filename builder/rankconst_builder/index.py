"""The index of a released set: the constants that papers need, to be read without Arrow or numpy.

A line of JSON has the names of all datasets; then each dataset has a line with its constants of the
test set, for the metrics that papers print. :mod:`rankconst.tables.archive` reads them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.metrics import CATALOGUE, HEADLINE
from rankconst.doubles import NUMBERS
from rankconst.tables.archive import TablesInMemory
from rankconst.tables.parquet import select_rows
from rankconst.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from rankconst.tables.archive import Tables


def write_index(version: str, tables: Mapping[str, pa.Table]) -> str:
    """Return the index of tables that are about to be released."""
    make = {name: lambda table=table: table for name, table in tables.items()}
    held = TablesInMemory(Path(), {"version": version}, Path(), make=make)
    names = {}
    for row in tables["datasets"].to_pylist():
        names[row["dataset"]] = [row["title"], row["aliases"], row["counting"]]
    constants = select_rows(tables["constants"], {"split": "test", "aggregation": "micro"})
    lines: list[dict[str, Any]] = [{"version": version, "names": names}]
    for key in names:
        rows = select_rows(constants, {"dataset": key}).to_pylist()
        protocols, found = held.protocols(key), _gather(held, rows)
        lines.append({"dataset": key, "protocols": protocols, "constants": found})
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)


def _gather(held: Tables, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the constants of a dataset: by protocol, side and baseline, and by metric."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        metric = CATALOGUE[row["metric"]]
        if row["k"] is not None:
            metric = metric.at(row["k"])
        if metric not in HEADLINE or row["method"] != "closed_form":
            continue
        histogram = held.histogram(Tasks(row["dataset"], row["protocol"], "test", row["side"]))
        worst = metric.worst(histogram.num_candidates, histogram.row_weights)
        address = f"{row['protocol']}/{row['side']}/{row['baseline']}"
        own = found.setdefault(address, {"num_tasks": row["num_tasks"]})
        own[metric.label] = [worst, *(row[name] for name in NUMBERS)]
    return found
