"""The page "What do averages hide?": published means, chance and counting, graph by graph."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR
from rankconst.catalogue.literature import list_suite_results, load_suites, parse_suite
from rankconst.catalogue.metrics import parse_metric
from rankconst.tables.suite_means import cover_suite
from rankconst.tasks import Tasks
from rankconst.verdicts import show_expected
from rankconst_builder.site.html import Html, fill, join, link, scroll, table, tag
from rankconst_builder.site.pages import write_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankconst.catalogue.literature import Suite
    from rankconst.tables.archive import Tables
    from rankconst_builder.site.pages import Site

SUITE = "ultra_inductive"
"""The suite whose graphs are shown one by one."""

_FEWEST = 3  # graphs that make an average

_REPORTS = (
    "https://github.com/LckyLke/sotaKGFMs/blob/bec8a92edf8d2670c15ef0e1b6429692127c7aab/reports"
)
SOURCES = {"ULTRA 3g": f"{_REPORTS}/ultra.md", "TRIX": f"{_REPORTS}/trix.md"}
"""Model to the address of its numbers."""

_BASELINES = {"chance": DEFAULT_BASELINE, "counting": FLOOR}


class _Row(NamedTuple):
    """A graph with the MRR of each model, and those of chance and counting, by their names."""

    graph: str
    mrr: Mapping[str, float]


def can_average(tables: Tables) -> bool:
    """Tell whether the tables hold graphs enough for an average."""
    return len(_list_tasks(parse_suite(SUITE), tables)) >= _FEWEST


def _list_tasks(suite: Suite, tables: Tables) -> dict[str, Tasks]:
    """Return the ranking tasks of each graph of a suite that the tables hold."""
    return cover_suite(suite, Tasks(suite.key, suite.protocol, "test", "both"), tables).tasks


def _read_models() -> dict[str, dict[str, float]]:
    """Return the published MRR of each model by graph, in the order of the re-run."""
    models: dict[str, dict[str, float]] = {}
    for result in list_suite_results():
        models.setdefault(result.dataset, {})[result.model] = float(result.mrr)
    return models


def _expect(tables: Tables, tasks: Tasks, metric: str) -> dict[str, float]:
    """Return the expectations of chance and counting on some tasks, by these names."""
    return {
        name: float(tables.look_up(replace(tasks, baseline=key), parse_metric(metric)).expectation)
        for name, key in _BASELINES.items()
    }


def _average(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each column."""
    return {name: statistics.fmean(row[name] for row in rows) for name in rows[0]}


def write_averages(site: Site) -> str:
    """Return the page on averages: the MRR of two models, chance and counting, graph by graph."""
    tasks = _list_tasks(parse_suite(SUITE), site.tables)
    rows = [
        _Row(graph, mrr | _expect(site.tables, tasks[graph], "mrr"))
        for graph, mrr in _read_models().items()
        if graph in tasks
    ]
    means = _average([row.mrr for row in rows])
    models = ", ".join(f"{name} {means[name]:.4f}" for name in SOURCES)
    lead = (
        "Foundation models for knowledge graphs are compared by one number, a plain mean of MRR "
        f"over 12 to 57 graphs. On {len(rows)} of the {len(parse_suite(SUITE).graphs)} inductive "
        f"graphs of ULTRA, counting triples gets {means['counting']:.4f}; two models get, "
        f"zero-shot: {models}."
    )
    first, second = (link(address, name) for name, address in SOURCES.items())
    parts = {
        "lead": lead,
        "graphs": scroll(_tabulate_graphs(site, rows, means), "MRR graph by graph"),
        "sources": join([first, " and ", second]),
        "findings": join(tag("li", text) for text in _list_findings(site, rows, means)),
        "suites": scroll(_tabulate_suites(site.tables), "Means over suites"),
    }
    body = fill("averages.html", parts)
    return write_page(site, "averages.html", "What do averages hide?", body, lead)


def _tabulate_graphs(site: Site, rows: Iterable[_Row], means: Mapping[str, float]) -> Html:
    """Tabulate the MRR of models, chance and counting; models that do not beat it in italics."""

    def show(mrr: Mapping[str, float]) -> list[str]:
        models = []
        for name in SOURCES:
            text = f"{mrr[name]:.4f}"
            models.append(tag("em", text) if mrr[name] <= mrr["counting"] else text)
        return [*models, *(show_expected(mrr[name]) for name in _BASELINES)]

    cells: list[list[str]] = []
    for row in rows:
        title = site.title_of(row.graph)
        name = link(f"datasets/{row.graph}.html", title) if row.graph in site.keys else title
        cells.append([name, *show(row.mrr)])
    cells.append(["mean", *show(means)])
    return table(["graph", *SOURCES, *_BASELINES], cells, class_="numbers mean-last")


def _list_findings(site: Site, rows: Sequence[_Row], means: Mapping[str, float]) -> list[str]:
    """Return the findings of the table as sentences."""
    sentences = []
    for name in SOURCES:
        below = sum(row.mrr[name] < row.mrr["counting"] for row in rows)
        gain = means[name] - means["counting"]
        than = "above" if gain > 0 else "below"
        sentences.append(
            f"{name} is {than} counting by {abs(gain):.4f} on average, and below it on "
            f"{below or 'none'} of {len(rows)} graphs."
        )
    heaviest = max(rows, key=lambda row: row.mrr["chance"])
    share = heaviest.mrr["chance"] / math.fsum(row.mrr["chance"] for row in rows)
    deviation = max(statistics.stdev(row.mrr[name] for row in rows) for name in SOURCES)
    return [
        *sentences,
        "Chance hardly matters here, and one graph makes much of it: "
        f"{site.title_of(heaviest.graph)} has few candidates, and makes {share:.0%} of the chance "
        "of the mean.",
        f"Graphs differ more than models do: with another draw of {len(rows)} graphs, a mean "
        f"would vary by {deviation / math.sqrt(len(rows)):.2f}.",
    ]


def _tabulate_suites(tables: Tables) -> Html:
    """Tabulate the means of chance, counting and the models over the graphs of each suite."""
    published = _read_models()
    cells: list[list[str]] = []
    for suite in load_suites().values():
        graphs = _list_tasks(suite, tables)
        if not graphs:
            continue
        mrr, hits = (
            _average([_expect(tables, tasks, metric) for tasks in graphs.values()]).values()
            for metric in ("mrr", "hits@10")
        )
        models: dict[str, float] = {}
        # The models' numbers are of the ranking tasks of their tool.
        if suite.tool is not None and published.keys() >= graphs.keys():
            models = _average([published[graph] for graph in graphs])
        numbers = [*mrr, *(models.get(name) for name in SOURCES), *hits]
        share = f"{len(graphs)} of {len(suite.graphs)}"
        cells.append([suite.title, share, *(show_expected(value) for value in numbers)])
    headings = ["mean over", "graphs", "MRR: chance", "counting", *SOURCES]
    return table([*headings, "Hits@10: chance", "counting"], cells, class_="numbers")
