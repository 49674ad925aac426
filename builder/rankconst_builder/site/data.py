"""What the site offers to programs: every constant under an address of its own, and the names that people use."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import BASELINES
from rankconst.catalogue.benchmarks import (
    explain_ambiguous,
    list_ambiguous,
    list_kinds,
    list_names,
    load_benchmarks,
)
from rankconst.catalogue.mentions import list_spellings
from rankconst.catalogue.metrics import CATALOGUE, FORMS, TABULATED, Metric, list_adjusted_names
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, PROTOCOLS, find_protocol
from rankconst.catalogue.tools import TOOLS
from rankconst.names import squash
from rankconst.results.vocabulary import (
    list_fillers,
    list_lexicon,
    list_ordinary,
    list_roles,
    list_values,
)
from rankconst.tables.citation import identify
from rankconst.tails import TAILS
from rankconst.tasks import Tasks
from rankconst.values.published import NOISE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.tables.archive import Tables
    from rankconst.tasks import Histogram

FIELDS = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
"""What is said of a constant, in this order."""


def slug(metric: Metric) -> str:
    """Return the last part of a constant's identifier: ``mrr``, ``hits@10``."""
    return metric.label.lower()


def locate(tasks: Tasks) -> str:
    """Return what an identifier says of ranking tasks, after the dataset: ``test/both/standard``."""
    return str(tasks).partition("/")[2]


def describe_dataset(tables: Tables, key: str) -> dict[str, Any]:
    """Return all that a set of tables holds of a dataset, ready for JSON."""
    tasks: dict[str, dict[str, Any]] = {}
    constants: dict[str, dict[str, list[Any]]] = {}
    histograms: dict[Tasks, Histogram] = {}
    columns = tables.read("constants", key).to_pydict()
    names = (
        "protocol",
        "split",
        "side",
        "aggregation",
        "baseline",
        "metric",
        "k",
        "num_tasks",
        *FIELDS,
    )
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


def write_json(content: Any) -> str:
    """Write compact JSON that is also JavaScript, and safe inside HTML."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


# -- the names -------------------------------------------------------------------------------------


def describe_names(tables: Tables, keys: Iterable[str]) -> dict[str, Any]:
    """Return what the calculator knows before it has seen any constant: every name with its spellings and traits."""
    held = {key: list(tables.protocols(key)) for key in keys}
    protocols = dict.fromkeys([*PROTOCOLS, *(each for own in held.values() for each in own)])
    return {
        "version": tables.version,
        "noise": NOISE,
        "protocol": DEFAULT_PROTOCOL,
        "datasets": [
            {"key": key, "title": row["title"], "aliases": row["aliases"], "protocols": own}
            for key, own in held.items()
            for row in [tables.datasets[key]]
        ],
        "ambiguous": {
            squash(name): list(meant)
            for name, meant in list_ambiguous().items()
            if explain_ambiguous(name)
        },
        "metrics": [_describe_metric(metric) for metric in TABULATED],
        "tools": [
            {
                "key": tool.key,
                "title": tool.title,
                "protocol": tool.protocol,
                "filters": find_protocol(tool.protocol).known != "none",
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
        "baselines": [
            {"key": row.key, "summary": row.summary, "brief": row.brief}
            for row in BASELINES.values()
        ],
    }


def choose_first(described: dict[str, Any], tasks: Tasks) -> dict[str, Any]:
    """Return of a dataset's constants those of some tasks, against each baseline: what a first view shows."""
    path = locate(tasks)
    first = {path, *(locate(replace(tasks, baseline=key)) for key in BASELINES)}
    return {
        **{name: described[name] for name in ("id", "version")},
        **{
            part: {key: held for key, held in described[part].items() if key in first}
            for part in ("tasks", "constants")
        },
    }


def describe_words() -> dict[str, Any]:
    """Return what the page's reader of tables knows: the vocabulary, the lexicon, names of graphs, metrics."""
    scopes = ("column", "row", "name", "text")
    metrics: dict[str, str] = {}
    families: dict[str, str] = {}
    for metric in CATALOGUE.values():
        spellings = (metric.family, metric.symbol.format(k=""), *metric.spellings)
        held = families if metric.takes_k else metrics
        held |= {
            squash(each): slug(metric.at(10)).removesuffix("10") if metric.takes_k else slug(metric)
            for each in spellings
        }
    return {
        "values": {word: list(said) for word, said in list_values().items()},
        "lexicon": {
            word.text: [
                *(
                    word.field,
                    "".join(each[0] for each in scopes if each in word.scopes),
                    word.reason,
                    word.kind,
                ),
                word.says,
            ]
            for word in list_lexicon().values()
        },
        "fillers": sorted(list_fillers()),
        "ordinary": sorted(list_ordinary()),
        "roles": dict(list_roles()),
        "graphs": {name: list_names().find(name) or "" for name in sorted(list_spellings())},
        "kinds": {key: sorted(kinds) for key in load_benchmarks() if (kinds := list_kinds(key))},
        "metrics": metrics,
        "families": families,
        "adjusted": sorted(
            {squash(name) for metric in CATALOGUE.values() for name in list_adjusted_names(metric)}
        ),
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
    }
