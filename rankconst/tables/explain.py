"""Explain the tasks and datasets that a set of tables lacks, and name a remedy."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.catalogue.baselines import (
    BASELINES,
    DEFAULT_BASELINE,
    FLOOR,
    SINGLE_STEP,
    explain_missing,
)
from rankconst.catalogue.protocols import (
    OWN_COUNTS,
    RELATION_SIDE,
    SPLITS,
    UNTABLED,
    explain_unfit,
    find_protocol,
)
from rankconst.names import shorten, squash

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

_COUNT_THEM = "If you know how many were, rankconst.from_counts takes the numbers of candidates."
_NO_STATEMENTS = (
    "no tool's code says which relations of a statement are ranked, "
    f"and which answers are removed. {_COUNT_THEM}"
)


def explain_unknown(
    tables: Tables, name: str, reason: str, open_carried: Callable[[], Tables]
) -> str:
    """Explain an unknown name of a dataset, with a remedy.

    `reason` suggests similar names. `open_carried` opens the tables of the package.
    """
    from rankconst.catalogue.benchmarks import list_names, load_benchmarks

    if tables.version == OWN_COUNTS.key:
        datasets = ", ".join(tables.datasets)
        return (
            f"the counts are of {datasets}, not of {name}. Give them a column dataset, with {name}."
        )

    key = list_names().find(name)
    if key is None:
        return _explain_stranger(tables, name, reason)
    return _explain_unbuilt(tables, load_benchmarks()[key], open_carried)


_COUNTED = re.compile(r"\d+ (?:graphs|datasets|benchmarks)", re.IGNORECASE)


def _explain_stranger(tables: Tables, name: str, reason: str) -> str:
    """Explain a name of no benchmark: of a graph elsewhere, a mean, a path; else `reason`."""
    from rankconst.catalogue.literature import load_suites
    from rankconst.catalogue.mentions import explain_elsewhere

    elsewhere = explain_elsewhere(name)
    if elsewhere is not None:
        return f"{name} is not included: {elsewhere}. `rankconst show datasets` lists what is."

    suites = [key for key in load_suites() if key.startswith(f"{squash(name)}_")]
    if suites:
        return f"unknown dataset {name!r}. There are means over graphs: {', '.join(suites)}."
    if hint := explain_mean(name):
        return f"unknown dataset {name!r}. {hint}"
    if tables.place is not None:  # the user has named tables
        return reason
    if hint := explain_path(name):
        return f"unknown dataset {name!r}. {hint}"
    return f"{reason} For tables of your own add --tables DIR."


def explain_mean(name: str) -> str:
    """Return a hint at the list of suites for a name such as "41 graphs"; empty for other names."""
    from rankconst.catalogue.literature import is_mean

    if is_mean(name.removesuffix("s")) or _COUNTED.fullmatch(name):
        return "Means over graphs: rankconst show suites."
    return ""


_OF_COUNTS = {".csv", ".tsv", ".parquet"}


def explain_path(name: str) -> str:
    """Return the command for a file or folder in place of a dataset; empty for other names."""
    from rankconst.tables.descriptor import holds_set

    folder = Path(name)
    if folder.suffix.lower() in _OF_COUNTS:
        return f"Numbers of candidates of your own replace a dataset: --counts {name}."
    if not folder.is_dir():
        return ""
    if holds_set(folder):
        return f"{name} is a folder of tables: add --tables {name}."
    return f"{name} is a folder. If it holds the triples of a graph: rankconst build {name}."


def _explain_unbuilt(
    tables: Tables, benchmark: Benchmark, open_carried: Callable[[], Tables]
) -> str:
    """Explain a benchmark that the tables lack: what to use, or how to build it."""
    from rankconst.tables.descriptor import OUTPUT

    missing = f"the tables ({tables.version}) hold no {benchmark.title} ({benchmark.key})."
    if benchmark.same_graph_as:
        return f"{missing} Use {benchmark.same_graph_as}, of which it is another copy."
    if benchmark.not_offered:
        return f"{missing} It is not offered: {benchmark.not_offered}"
    if benchmark.key in open_carried().datasets:
        return f"{missing} The tables that came with rankconst do: rankconst.load() opens them."
    # Only a folder can be added to; next to a zip file or a download, new tables are built.
    if tables.place is not None and Path(tables.place).is_dir():
        return f"{missing} Run: rankconst build {benchmark.key} --out {tables.place}."

    if tables.place is None:
        missing = f"{benchmark.title} is not included."

    python = f"In Python, rankconst.load({OUTPUT!r}) opens it."
    return f"{missing} `rankconst build {benchmark.key}` downloads and computes it. {python}"


def explain_absent(tables: Tables, tasks: Tasks) -> str:
    """Explain that a dataset has no rows of a split under a protocol: why, and what there is."""
    records = tables.records(tasks.dataset).histograms
    pairs = dict.fromkeys(f"{stored.protocol}/{stored.split}" for stored in records)
    protocols = [find_protocol(stored.protocol) for stored in records]
    qualified = any(protocol.qualified for protocol in protocols)
    temporal = any(protocol.time for protocol in protocols) and not qualified
    unfit = explain_unfit(find_protocol(tasks.protocol), temporal, qualified)
    if unfit:
        return f"{tasks.dataset}: {unfit[0].lower()}{unfit[1:]}"

    reason = ""
    missing = list_missing(tables, tasks.dataset)
    if missing:
        reason = f" The file of {missing} was missing when they were built."
    elif tasks.protocol in UNTABLED and tables.place is None:  # the tables of the package
        reason = f" Build them: rankconst build {tasks.dataset} -p {tasks.protocol}."

    return (
        f"the tables ({tables.version}) hold no {tasks.split} tasks of {tasks.dataset} "
        f"under protocol {tasks.protocol}.{reason} They hold (protocol/split): {', '.join(pairs)}."
    )


def list_missing(tables: Tables, dataset: str) -> str:
    """Name the splits whose files were missing when a dataset was counted: "train and valid"."""
    row = tables.datasets.get(dataset)
    # Of other rows only the number of ranks is known, or they are of the user's own counts.
    if row is None or row["entities"] is None:
        return ""
    return " and ".join(split for split in SPLITS if row[f"triples_{split}"] is None)


def explain_baseline(tables: Tables, tasks: Tasks) -> str:
    """Explain why some tasks have no constants under a baseline other than chance."""
    baseline = BASELINES[tasks.baseline]
    missing = explain_missing(baseline, find_protocol(tasks.protocol), tasks.split)
    if missing:
        return missing
    if "train" in list_missing(tables, tasks.dataset):
        return (
            f"baseline {tasks.baseline} has no constants on {tasks.dataset}: "
            "it knows the training set, whose file was missing when the tables were built. "
            f"Use --baseline {DEFAULT_BASELINE}."
        )
    if baseline.key == SINGLE_STEP:
        return (
            f"baseline {baseline.key} is for "
            f"temporal graphs whose splits follow each other in time. Use --baseline {FLOOR}."
        )

    remedy = f"use --baseline {DEFAULT_BASELINE}"
    if tasks.protocol != OWN_COUNTS.key:
        remedy = f"build them with --baseline all, or {remedy}"

    return (
        f"the tables ({tables.version}) hold no constants of baseline {baseline.key} for "
        f"{tasks.dataset}: {remedy}."
    )


def explain_lack(tables: Tables, tasks: Tasks, stored: Tasks) -> str:
    """Explain what tables lack of some tasks, given the `stored` tasks that they follow from."""
    if not tasks.is_chance:
        return explain_baseline(tables, tasks)
    if not tables.holds(stored):
        return explain_absent(tables, tasks)

    where = f"{tasks.dataset} {tasks.split}"
    if not tasks.relations and tasks.is_micro:
        rows = tables.records(tasks.dataset).histograms
        sides = [row.side for row in rows if replace(row, side=tasks.side) == tasks]
        reason = _explain_no_relations(tables, tasks) if tasks.side == RELATION_SIDE else "."
        return (
            f"the tables ({tables.version}) hold {where} of side {' and '.join(sides)} only, "
            f"not of {tasks.side}{reason}"
        )

    if not tasks.relations:
        return (
            f"the tables ({tables.version}) hold no weights of {where} for {tasks.aggregation}. "
            "Leave out the aggregation."
        )

    relations = tables.relations(stored)
    if not relations:
        return (
            f"the tables ({tables.version}) hold no relations of {where}. "
            "Leave them out, or name another split."
        )

    name = next(name for name in tasks.relations if name not in relations)
    hint = " Name each relation by itself."
    if not set(name.split(",")) <= {*relations}:
        import difflib

        near = difflib.get_close_matches(name, relations, n=3)
        hint = f" Did you mean {', '.join(near)}?" if near else ""

    return (
        f"no {tasks.split} task of {tasks.dataset} has relation {shorten(name)!r} under protocol "
        f"{tasks.protocol}.{hint} "
        f"`rankconst show {tasks.dataset} relations` lists the {len(relations)} that there are."
    )


def _explain_no_relations(tables: Tables, tasks: Tasks) -> str:
    """Explain missing relation prediction at the end of a sentence."""
    from rankconst.catalogue.benchmarks import load_benchmarks
    from rankconst.catalogue.mentions import is_inductive

    if is_inductive(tasks.dataset):
        return (
            ": no tool's code says which relations of an inductive benchmark are ranked, "
            f"those of the graph that models are trained on or those of the other. {_COUNT_THEM}"
        )
    if any(find_protocol(key).qualified for key in tables.protocols(tasks.dataset)):
        return f": {_NO_STATEMENTS}"
    if tables.datasets[tasks.dataset]["entities"] and tasks.dataset in load_benchmarks():
        return f". Run: rankconst build {tasks.dataset} --out FOLDER; then add --tables FOLDER."
    return "."


def explain_unranked(tasks: Tasks) -> str:
    """Explain tasks of relation prediction that have no constants anywhere, or return nothing."""
    protocol = find_protocol(tasks.protocol)
    if not tasks.is_chance:
        return (
            f"baseline {tasks.baseline} ranks entities; "
            "on the relation side there is chance alone. Leave it out."
        )
    if not tasks.is_micro:
        return (
            "on the relation side every task counts once: "
            f"there are no {tasks.aggregation} averages."
        )
    if tasks.relations:
        return (
            "side relation is of all relations together: "
            "leave out those that are named, or name another side."
        )
    if protocol.qualified:
        return f"protocol {protocol.key} has no relation side: {_NO_STATEMENTS}"
    if protocol.negatives is not None:
        return f"protocol {protocol.key} has no relation side: its negatives are entities."
    return ""
