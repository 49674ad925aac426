"""What the site offers to programs: every constant under an address of its own, and the names that people use."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.aggregations import AGGREGATIONS
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.catalogue.benchmarks import list_ambiguous
from rankconst.catalogue.metrics import CATALOGUE, FORMS, TABULATED, Metric, parse_adjusted_metric, parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_PROTOCOL,
    DEFAULT_SAMPLING,
    PROTOCOLS,
    SAMPLINGS,
    SIDES,
    SPLITS,
    find_protocol,
)
from rankconst.catalogue.tools import TOOLS
from rankconst.errors import UnknownNameError
from rankconst.names import squash
from rankconst.results.vocabulary import list_role_names
from rankconst.tables.citation import FRAMEWORK, identify
from rankconst.tables.schema import COLUMNS
from rankconst.tails import TAILS
from rankconst.tasks import Tasks
from rankconst.values.published import NOISE, show_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankconst.tables.tables import Tables
    from rankconst.tasks import Histogram

FIELDS = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
"""What is said of a constant, in this order."""

# Roles and headings that the page does not know: it asks about such columns itself.
_NOT_ON_PAGE = {"relations", "runs", "step"}
_SETTINGS = {"setting", "filter", "filtering", "direction", "query direction", "prediction direction", "name", "run"}


def slug(metric: Metric) -> str:
    """Return the last part of a constant's identifier: ``mrr``, ``hits@10``."""
    return metric.label.lower()


def locate(tasks: Tasks) -> str:
    """Return what an identifier says of ranking tasks, after the dataset: ``test/both/standard``."""
    return str(tasks).partition("/")[2]


def describe_dataset(tables: Tables, key: str) -> dict[str, Any]:
    """Return all that a set of tables holds of a dataset, ready for JSON.

    ``tasks`` and ``constants`` are by the middle part of the identifier, the constants of each by its last part.
    """
    tasks: dict[str, dict[str, Any]] = {}
    constants: dict[str, dict[str, list[Any]]] = {}
    histograms: dict[Tasks, Histogram] = {}
    columns = tables.read("constants", key).to_pydict()
    names = ("protocol", "split", "side", "aggregation", "baseline", "metric", "k", "num_tasks", *FIELDS)
    rows = zip(*(columns[name] for name in names), strict=True)
    for protocol, split, side, aggregation, baseline, family, k, num_tasks, *fields in rows:
        metric = CATALOGUE[family] if k is None else CATALOGUE[family].at(k)
        address = Tasks(key, protocol, split, side, aggregation, baseline=baseline)
        if address.is_chance:
            if address not in histograms:
                histograms[address] = tables.histogram(address)
            told = tasks.setdefault(locate(address), {"num_tasks": num_tasks, "worst": {}})
            sizes, weights = histograms[address].num_candidates, histograms[address].row_weights
            told["worst"][slug(metric)] = metric.worst(sizes, weights)
        constants.setdefault(locate(address), {})[slug(metric)] = fields
    return {
        "id": identify(tables.version, key),
        "version": tables.version,
        "licence": "CC0-1.0",
        "dataset": tables.datasets[key],
        "fields": FIELDS,
        "tasks": tasks,
        "constants": constants,
    }


def describe_fields() -> dict[str, str]:
    """Say what each of :data:`FIELDS` is."""
    described = {column.name: column.description for column in COLUMNS["constants"]}
    return {name: described[name] for name in FIELDS}


def write_json(content: Any) -> str:
    """Write compact JSON that is also JavaScript, and safe inside HTML."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def describe_counts(tables: Tables, key: str) -> dict[str, Any]:
    """Return how many tasks of a dataset have how many candidates, by the middle part of the identifier."""
    counts: dict[str, tuple[list[int], list[int]]] = {}
    for tasks, *numbers in _list_counts(tables, "candidates", key):
        _append(counts.setdefault(locate(tasks), ([], [])), numbers)
    return {"id": f"{identify(tables.version, key)}.counts", "counts": counts}


def describe_relations(tables: Tables, key: str) -> dict[str, Any]:
    """Return the same by relation; empty if the tables do not have it."""
    counts: dict[str, dict[str, tuple[list[int], list[int]]]] = {}
    for tasks, *numbers, relation in _list_counts(tables, "candidates_by_relation", key, "relation"):
        _append(counts.setdefault(locate(tasks), {}).setdefault(relation, ([], [])), numbers)
    return {"id": f"{identify(tables.version, key)}.relations", "counts": counts} if counts else {}


def describe_blocks(tables: Tables, key: str) -> dict[str, Any]:
    """Return how baselines rank the tasks: offsets, numbers of candidates and of tasks; empty without baselines."""
    blocks: dict[str, dict[tuple[int, int], int]] = {}
    for tasks, size, count, baseline, offset in _list_counts(tables, "baseline_candidates", key, "baseline", "offset"):
        held = blocks.setdefault(locate(replace(tasks, baseline=baseline)), {})
        held[offset, size] = held.get((offset, size), 0) + count
    counts = {path: (*zip(*held, strict=True), list(held.values())) for path, held in blocks.items()}
    return {"id": f"{identify(tables.version, key)}.blocks", "counts": counts} if counts else {}


def _list_counts(tables: Tables, name: str, key: str, *more: str) -> Iterator[Any]:
    """Yield the tasks of each row of a table of candidates, with its numbers of candidates and of tasks."""
    names = ("protocol", "split", "side", "num_candidates", "num_tasks", *more)
    columns = tables.read(name, key).select(names).to_pydict()
    for protocol, split, side, *others in zip(*(columns[each] for each in names), strict=True):
        yield Tasks(key, protocol, split, side), *others


def _append(columns: Iterable[list[int]], numbers: Iterable[int]) -> None:
    for column, number in zip(columns, numbers, strict=True):
        column.append(number)


# -- the names ------------------------------------------------------------------------------------------------------


def describe_names(tables: Tables, keys: Iterable[str], program: str) -> dict[str, Any]:
    """Return what the calculator knows before it has seen any constant: every name with its spellings and traits."""
    held = {key: list(tables.protocols(key)) for key in keys}
    protocols = dict.fromkeys([*PROTOCOLS, *(each for own in held.values() for each in own)])
    return {
        "program": program,
        "version": tables.version,
        "noise": NOISE,
        "framework": FRAMEWORK,
        "defaults": {"protocol": DEFAULT_PROTOCOL, "baseline": DEFAULT_BASELINE},
        "datasets": [
            {
                "key": key,
                "title": row["title"],
                "aliases": row["aliases"],
                "protocols": own,
                "sampled": [each for each in own if find_protocol(each).negatives is not None],
                "relations": bool(len(tables.read("candidates_by_relation", key))),
                "year": tables.descriptor.get("created", "")[:4],
            }
            for key, own in held.items()
            for row in [tables.datasets[key]]
        ],
        "ambiguous": {squash(name): list(meant) for name, meant in list_ambiguous().items()},
        "metrics": [_describe_metric(metric) for metric in TABULATED],
        "tools": [
            {
                "key": tool.key,
                "title": tool.title,
                "protocol": tool.protocol,
                "sampled": find_protocol(tool.protocol).negatives is not None,
                "side": tool.side,
                "shifts": dict(tool.shifts),
                "batch": tool.batch,
                "caveats": tool.caveats,
                "refused": dict(tool.refused),
                "unranked": dict(tool.unranked),
            }
            for tool in TOOLS.values()
        ],
        "protocols": [
            {"key": key, "summary": found.summary, "relations": found.relation_summary}
            for key in protocols
            for found in [find_protocol(key)]
        ],
        "sampled": SAMPLINGS[DEFAULT_SAMPLING].summary,
        "baselines": [{"key": row.key, "title": row.title, "summary": row.summary} for row in BASELINES.values()],
        "aggregations": [{"key": row.key, "summary": row.summary} for row in AGGREGATIONS.values()],
        "splits": {key: list(others) for key, others in SPLITS.items()},
        "sides": {key: list(others) for key, others in SIDES.items()},
        "roles": {
            role: [name for name in others if name not in _SETTINGS]
            for role, others in list_role_names().items()
            if role not in _NOT_ON_PAGE
        },
    }


def _describe_metric(metric: Metric) -> dict[str, Any]:
    lower, upper = metric.lower, metric.upper
    return {
        "slug": slug(metric),
        "key": metric.key,
        "label": metric.label,
        "title": metric.title,
        "share": metric.is_share,
        "increasing": metric.increasing,
        "tail": metric.family in TAILS,
        "optimum": metric.optimum,
        "lower": lower,
        "upper": upper if upper < float("inf") else None,
        "names": {form: metric.name_of(form) for form in FORMS},
        "spellings": _spell(metric),
        "adjusted": _spell_adjusted(metric),
    }


def _spell(metric: Metric) -> list[str]:
    """Return the spellings of a metric, squashed, that the command line reads as this metric too."""
    tried = [metric.key, metric.label, *metric.spellings]
    if metric.k is not None:
        tried = [metric.key, metric.label, *(f"{each}@{metric.k}" for each in metric.spellings)]
    return sorted({squash(each) for each in tried if _means(each, metric)})


def _spell_adjusted(metric: Metric) -> dict[str, str]:
    """Return the names of its adjusted forms, squashed: the field's, and PyKEEN's keys."""
    keys = [f"adjusted_{metric.key}", f"adjusted_{metric.key}_index", f"z_{metric.key}"]
    found = {}
    for name in filter(None, [*keys, *map(metric.name_of, FORMS)]):
        meant, found[squash(name)] = parse_adjusted_metric(name)
        if meant != metric:
            del found[squash(name)]
    return found


def _means(name: str, metric: Metric) -> bool:
    try:
        return parse_metric(name) == metric
    except UnknownNameError:
        return False


def write_badge(title: str, label: str, expectation: float) -> dict[str, Any]:
    """Return what shields.io draws: what chance gets by a metric on a dataset."""
    return {
        "schemaVersion": 1,
        "label": f"{title}: {label} of chance",
        "message": show_number(expectation, 3),
        "color": "informational",
    }
