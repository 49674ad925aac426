"""The lists of ``rankconst show``, and the pages of metrics, protocols, tools and others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.arrow import join_texts
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, FLOOR, parse_baseline
from rankconst.catalogue.definitions import FAMILIES, GROUPS
from rankconst.catalogue.libraries import Library, load_libraries, parse_library
from rankconst.catalogue.metrics import (
    CATALOGUE,
    Metric,
    describe_metric,
    find_metric,
    parse_metric,
)
from rankconst.catalogue.protocols import (
    AGGREGATIONS,
    DEFAULT_AGGREGATION,
    DEFAULT_PROTOCOL,
    PROTOCOLS,
    Protocol,
    find_protocol,
    parse_aggregation,
    parse_protocol,
    rate_protocol,
)
from rankconst.catalogue.suites import Suite, load_suites, parse_suite
from rankconst.catalogue.tools import Tool, load_tools, parse_tool
from rankconst.cli.columns import show_constant
from rankconst.cli.output import print_listing
from rankconst.listing import FOR_PEOPLE, Column, Format, Listing, count, text
from rankconst.names import resolve_name, squash
from rankconst.tables.suite_means import require_suite

if TYPE_CHECKING:
    from rankconst.checks.case import Rule
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks


_LONGEST = 60  # letters of a list on one line of a page


class Registry(NamedTuple):
    """A list of things with names: how to load them, to find one, and to show them."""

    thing: str  # the noun for one of them
    load: Callable[[], Mapping[str, Any]]
    find: Callable[[str], Any]  # any spelling to the thing
    # The key first; those with a title are on the screen.
    columns: Sequence[Column]
    caption: str
    read: Callable[[Any, str], Any] = getattr  # a thing and a column to the value
    describe: Callable[[Any], dict[str, str]] | None = (
        None  # a thing to the fields of its page, if not the columns
    )
    legend: str = ""  # below a page

    def fill(self, thing: Any) -> dict[str, Any]:
        """Fill the columns for a thing."""
        key, *fields = (column.key for column in self.columns)
        return {key: thing.key, **{field: _plain(self.read(thing, field)) for field in fields}}

    def list_all(self) -> Listing:
        """List all things."""
        rows = [self.fill(thing) for thing in self.load().values()]
        return Listing.of(self.columns, rows, caption=self.caption)

    def print_page(self, thing: Any, form: Format, also: str, lead: str = "") -> None:
        """Write the page of one thing.

        For people, each text has a line, and empty fields are left out.
        """
        page = self.describe(thing) if self.describe else self.fill(thing)
        if form not in FOR_PEOPLE:
            print_listing(Listing.of([Column(field) for field in page], [page]), form)
            return
        heading = page.pop(next(iter(page)))
        title = page.pop("title" if "title" in page else "summary")
        columns = {column.key: column for column in self.columns}
        row_of = {**page, self.columns[0].key: heading}
        rows = []
        for field, value in page.items():
            if value in (None, []):
                continue
            is_long = isinstance(value, list) and len(text(value)) > _LONGEST
            column = columns.get(field, Column(field))
            if column.show_row is not None:
                rows.append({"field": column.title, "text": column.show_row(row_of)})
                continue
            label = field.replace("_", " ")
            for line in value if is_long else [value]:
                rows.append({"field": label, "text": column.show(line)})
                label = ""
        if len(title) > _LONGEST:
            lead, title = title, ""
        headings = (Column("field", heading), Column("text", title))
        caption = "\n".join(filter(None, (self.legend, also)))
        print_listing(Listing.of(headings, rows, lead, caption), form)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; None for an empty text."""
    if isinstance(value, Mapping):
        return [f"{key}: {text}" for key, text in value.items()]
    if isinstance(value, tuple):
        return list(value)
    return None if value == "" else value


def _find_metric(name: str) -> Metric:
    """Read the name of a metric, of one of its adjusted forms, or of one that still lacks its k."""
    match = find_metric(name)
    if match is not None:
        return match[0]
    for metric in CATALOGUE.values():
        if squash(name) in {squash(metric.key), squash(metric.label)}:
            return metric
    return parse_metric(name)


def _read_metric(metric: Metric, field: str) -> Any:
    if field == "better":
        return "larger" if metric.increasing else "smaller"
    if field in {"normalised", "index", "z"}:
        return metric.name_of(field)
    return getattr(metric, field)


_WORDS = {"all": "all entities", "seen": "entities seen in training", "placed": "heads and tails"}
_TASKS = {"all": "all rows", "seen": "rows with nothing unseen"}
_KNOWN = {
    "all": "all splits",
    "up_to": "up to the evaluated split",
    "own": "training, evaluated split",
    "none": "none",
}
_TIMES = {"any": "at any time", "same": "at the same time"}


def _read_protocol(protocol: Protocol, field: str) -> Any:
    """Return a field; None if it does not apply to the protocol.

    The fields about ranking all entities do not apply if some are drawn, and the time of known
    answers does not apply to statements with qualifiers.
    """
    if protocol.negatives is not None and field in {"candidates", "tasks", "distinct", "known"}:
        return None
    if protocol.qualified and field == "time":
        return None
    return getattr(protocol, field)


def _show_known(row: Mapping[str, Any]) -> str:
    """Describe the known answers that a protocol removes, in words that tell protocols apart."""
    if row["known"] is None:
        return text(None)
    parts = [_KNOWN[row["known"]]]
    if find_protocol(row["protocol"]).qualified:
        parts.append("same qualifiers")
    elif row["time"]:
        parts.append(_TIMES[row["time"]])
    return ", ".join(parts)


def _read_suite(suite: Suite, field: str) -> Any:
    if field == "tool":
        return None if suite.tool is None else suite.tool.key
    if field == "size":
        return len(suite.graphs)
    return getattr(suite, field)


def _load_rules() -> Mapping[str, Rule]:
    from rankconst.checks.checking import RULES

    return RULES


def _read_library(row: Library, field: str) -> Any:
    """Return a field, or the divisor of a library; for MRR, the right answers that count."""
    if field == "empty":
        names = {**row.metrics, **row.metrics_without_k}
        exceptions = (f"{names[key][0]} {value}" for key, value in row.empty_of.items())
        return ", ".join([row.empty, *exceptions])
    if field not in GROUPS:
        return getattr(row, field)
    texts = []
    for key in GROUPS[field]:
        if key in row.metrics:
            texts.append(FAMILIES[key].brief)
        elif key in row.metrics_without_k:
            texts.append(f"{FAMILIES[key].brief}, no k")
    return ", ".join(texts)


def _read_tool(tool: Tool, field: str) -> Any:
    """Return a field, or the summary of the tool's protocol."""
    if field == "evaluation":
        return parse_protocol(tool.protocol).summary
    if field == "sides":  # where negatives are drawn, the caveats say
        is_drawn = parse_protocol(tool.protocol).negatives is not None
        return None if is_drawn else tool.side or "both"
    return getattr(tool, field)


def _describe_library(row: Library) -> dict[str, Any]:
    """Return the page of a library."""
    definitions = []
    for key, names in {**row.metrics, **row.metrics_without_k}.items():
        definitions.append(f"{' or '.join(names)}: {FAMILIES[key].title} ({key})")
    without_k = f"cut off at {row.bare_k}" if row.bare_k else None
    if row.bare_k == "?":
        without_k = "cut off at a k that is not printed"
    return {
        "library": row.key,
        "title": row.title,
        "version": row.version,
        "names": definitions,
        "name without k": without_k,
        "no right answer": _read_library(row, "empty"),
        "ties": row.ties,
        "notes": list(row.notes),
        "evidence": list(row.evidence),
    }


REGISTRIES: dict[str, Registry] = {
    "metrics": Registry(
        "metric",
        lambda: CATALOGUE,
        _find_metric,
        (
            Column("metric"),
            Column("label", "metric"),
            Column("title", "name"),
            Column("better", "better", drop=2),
            Column("normalised", "normalised", drop=1),
            Column("index", "index"),
            Column("z", "z"),
            Column("definition", "definition", drop=3),
        ),
        "Formulas, method and reference: rankconst show mrr",
        _read_metric,
        describe_metric,
        "tasks: pairs (N, c), c tasks with N candidates; n tasks in all; ranks(N): 1 ... N; H(N, "
        "p): sum of 1/j^p; rankings: all rank vectors; E: the expectation.",
    ),
    "tools": Registry(
        "tool",
        load_tools,
        parse_tool,
        (
            Column("tool", "tool"),
            Column("title", "name"),
            Column("protocol", "protocol"),
            *map(Column, ("evaluation", "sides")),
            Column("ties", "true answer among equal scores", drop=1),
            *map(Column, ("nan_scores", "whole_ranks", "batch")),
            *map(Column, ("effect", "caveats", "refused")),
            *map(Column, ("reference", "repositories", "evidence")),
        ),
        "Caveats and evidence: rankconst show pykeen",
        _read_tool,
    ),
    "libraries": Registry(
        "library",
        load_libraries,
        parse_library,
        (
            Column("library", "library"),
            Column("version", "version", drop=3),
            *(Column(group, group) for group in GROUPS),
            Column("empty", "no right answer", drop=1),
            *map(Column, ("title", "ties", "bare_k", "notes", "evidence")),
        ),
        "What each divides by, of N candidates with R right answers; nDCG: how many right "
        "answers its ideal has on top; MRR: which right answers count. Names and evidence: "
        "rankconst show ranx",
        _read_library,
        _describe_library,
    ),
    "protocols": Registry(
        "protocol",
        lambda: PROTOCOLS,
        find_protocol,
        (
            Column("protocol", "protocol"),
            Column("summary"),
            Column("candidates", "candidates", _WORDS.__getitem__),
            Column("tasks", "triples", _TASKS.__getitem__, drop=2),
            Column("distinct", "distinct", drop=4),
            Column("known", "known answers removed", show_row=_show_known),
            Column("time", show=_TIMES.__getitem__),
            Column("used_by", "used by", drop=5),
            *map(Column, ("law", "needs", "reference", "refused")),
        ),
        (
            f"The default is {DEFAULT_PROTOCOL}. Among 500 sampled negatives, or any number: "
            "rankconst show sampled:500"
        ),
        _read_protocol,
    ),
    "baselines": Registry(
        "baseline",
        lambda: BASELINES,
        parse_baseline,
        (Column("baseline", "baseline"), Column("summary", "how it ranks"), Column("reference")),
        (
            f"The default is {DEFAULT_BASELINE}. The others know the training set. Equal scores "
            "are in random order."
        ),
    ),
    "aggregations": Registry(
        "aggregation",
        lambda: AGGREGATIONS,
        parse_aggregation,
        (
            Column("aggregation", "aggregation"),
            Column("group", "counts once"),
            Column("summary", "meaning"),
            Column("used_by", "used by", drop=1),
        ),
        (
            f"The default is {DEFAULT_AGGREGATION}. Others: rankconst adjust ... --aggregation "
            "macro-query."
        ),
    ),
    "suites": Registry(
        "suite",
        load_suites,
        parse_suite,
        (
            Column("suite", "suite"),
            Column("title", "mean over", drop=1),
            Column("size", "graphs", count, right=True),
            *map(Column, ("tool", "graphs", "reference", "evidence", "note", "aliases")),
        ),
        "Chance and counting of one: rankconst show ultra_inductive",
        _read_suite,
    ),
    "rules": Registry(
        "rule",
        _load_rules,
        lambda name: _load_rules()[resolve_name("rule", name, dict.fromkeys(_load_rules(), ()))],
        (
            Column("rule", "rule"),
            Column("title", "checks"),
            Column("inequality", "must hold", drop=1),
            Column("why"),
        ),
        "Why one holds: rankconst show hits-monotone. All are applied by: rankconst check FILE",
    ),
}
"""Each list with what is in it, but for datasets, which depend on the tables.

A name that several lists know is of the first.
"""


# -- datasets, and everything ----------------------------------------------------------------------

_MRR = parse_metric("mrr")
_CHANCE = f"expectation_{_MRR.key}"

_DATASET_COLUMNS = (
    Column("dataset", "dataset"),
    Column("title", "title", drop=1),
    Column("status", "status", drop=2),
    Column("entities", "entities", count, right=True),
    Column("relations", "relations", count, right=True, drop=5),
    Column("triples_train", "train", count, right=True, drop=3),
    Column("triples_valid", "valid", count, right=True, drop=4),
    Column("triples_test", "test", count, right=True),
    Column(_CHANCE, "E[MRR]", show_constant, right=True),
    *map(
        Column,
        ("verified", "licence", "citation", "citation_url", "source_urls", "aliases", "reason"),
    ),
)


def list_datasets(opened: Tables, *, every: bool) -> Listing:
    """List the datasets: those in the tables, those that can be built and, if `every`, the rest."""
    chance = _expect_mrr(opened)
    described = []
    for key, row in opened.datasets.items():
        described.append(row | {"status": "included", _CHANCE: chance.get(key)})
    described += _list_others(opened)
    if not every:
        described = [row for row in described if not row.get("reason")]
    keys = [column.key for column in _DATASET_COLUMNS]
    rows = [{key: row.get(key) for key in keys} for row in described]
    included = len(opened.datasets)
    extra = "" if find_spec("pooch") else ", which needs the extra rankconst[builder]"
    caption = (
        f"{included} in tables {opened.version}. {len(rows) - included} more: rankconst build "
        f"KEY{extra}.\n"
        "E[MRR]: what a random ranker gets on test, both sides, by the protocol that is usual "
        "there."
    )
    return Listing.of(_DATASET_COLUMNS, rows, caption=caption)


def _expect_mrr(opened: Tables) -> dict[str, float]:
    """Return the expected MRR of chance on each dataset: test, both sides, usual protocol."""
    import pyarrow.compute as pc

    address = {
        "metric": _MRR.family,
        "baseline": DEFAULT_BASELINE,
        "split": "test",
        "side": "both",
        "aggregation": DEFAULT_AGGREGATION,
    }
    table = opened.read("constants")
    for column, value in address.items():
        table = table.filter(pc.is_in(table[column], value_set=join_texts([value])))
    rows = table.select(["dataset", "protocol", "expectation"]).to_pylist()
    rows.sort(key=lambda row: rate_protocol(row["protocol"]))
    expected: dict[str, float] = {}
    for row in rows:  # the most usual protocol comes first
        expected.setdefault(row["dataset"], row["expectation"])
    return expected


def _list_others(opened: Tables) -> list[dict[str, Any]]:
    """Describe the benchmarks that the tables do not hold; those with a reason cannot be built."""
    from rankconst.catalogue.benchmarks import load_benchmarks

    rows = []
    for key, source in load_benchmarks().items():
        if key in opened.datasets:
            continue
        status = "can be built"
        if source.not_offered:
            status = "unavailable"
        elif source.same_graph_as:
            status = f"copy of {source.same_graph_as}"
        row: dict[str, Any] = {
            "dataset": key,
            "title": source.title,
            "licence": source.licence,
            "citation": source.citation,
            "citation_url": source.citation_url,
            "status": status,
            "verified": None if source.not_offered else source.verifiable,
            "source_urls": list(dict.fromkeys(file.remote.url for file in source.files.values())),
            "aliases": list(source.aliases),
            "reason": source.not_offered or None,
        }
        rows.append(row)
    return rows


def list_everything(opened: Tables) -> Listing:
    """List the lists, each with its command."""
    names_of = {"datasets": [*opened.datasets]}
    names_of |= {plural: [*row.load()] for plural, row in REGISTRIES.items()}
    names_of["metrics"] = [metric.label for metric in CATALOGUE.values()]
    rows = [
        {
            "list": plural,
            "count": len(names),
            "examples": names[:2],
            "command": f"rankconst show {plural}",
        }
        for plural, names in names_of.items()
    ]
    columns = (
        Column("list", "there are"),
        Column("count", "", count, right=True),
        Column("examples", "such as"),
        Column("command", "list them all"),
    )
    caption = (
        f"Datasets are those of tables {opened.version}. Name anything to see its page:\n"
        "  rankconst show wn18rr               what a random ranker gets there\n"
        "  rankconst show wn18rr mrr hits@10   these constants, with errors and variances\n"
        "  rankconst show wn18rr mrr --cite    the sentence for a paper\n"
        "  rankconst show pykeen               a tool, a metric, a protocol ..."
    )
    return Listing.of(columns, rows, caption=caption)


_USUAL = ("mrr", "hits@10")


def list_suite(suite: Suite, tasks: Tasks, metrics: Sequence[Metric], tables: Tables) -> Listing:
    """List the values of chance and counting on each graph of a suite, and their means."""
    metrics = metrics or [parse_metric(name) for name in _USUAL]
    coverage = require_suite(suite, tasks, tables)
    rows = [_describe(graph, metrics, tables) for graph in coverage.tasks.values()]
    mean = _average(rows) | {"dataset": "mean", "split": None, "side": None}
    lists = [
        Column("dataset", "graph"),
        Column("split", "split", drop=2),
        Column("side", "side", drop=3),
    ]
    lists.append(Column("num_tasks", "tasks", count, right=True, drop=1))
    for metric in metrics:
        # Of one metric there is room for both standard deviations.
        deviation = "sd" if len(metrics) == 1 else None
        for baseline, title in (("chance", f"{metric.label}: chance"), (FLOOR, FLOOR)):
            key = f"{baseline}_{metric.key}"
            lists.append(Column(key, title, show_constant, right=True))
            lists.append(Column(f"{key}_sd", deviation, show_constant, right=True))
    title = f"{suite.title[0].upper()}{suite.title[1:]}\n{suite.reference}"
    if suite.tool is not None:
        tool = suite.tool
        title += f"\nRanking tasks are those of {tool.title}: rankconst show {tool.key}"
    builds = _name_builds(coverage.missing)
    caption = f"The mean is of {coverage}.{builds}\nTables: {tables.version}."
    return Listing.of(lists, [*rows, mean], title=title, caption=caption)


def _describe(tasks: Tasks, metrics: Sequence[Metric], tables: Tables) -> dict[str, Any]:
    row: dict[str, Any] = {"dataset": tasks.dataset, "split": tasks.split, "side": tasks.side}
    for metric in metrics:
        for baseline, key in (("chance", DEFAULT_BASELINE), (FLOOR, FLOOR)):
            constants = tables.look_up(replace(tasks, baseline=key), metric)
            row["num_tasks"] = constants.num_tasks
            row[f"{baseline}_{metric.key}"] = constants.expectation
            row[f"{baseline}_{metric.key}_sd"] = math.sqrt(constants.variance)
    return row


def _average(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over graphs, with their standard deviations: graphs are independent."""
    mean = {"num_tasks": sum(row["num_tasks"] for row in rows)}
    for key in rows[0].keys() - {"dataset", "split", "side", "num_tasks"}:
        cells = [row[key] for row in rows]
        total = math.hypot(*cells) if key.endswith("_sd") else math.fsum(cells)
        mean[key] = total / len(rows)
    return mean


def _name_builds(missing: Sequence[str]) -> str:
    """Return the command that builds the graphs that the tables lack."""
    if not missing:
        return ""
    return f" To build the others, which needs a network: rankconst build {' '.join(missing)}"
