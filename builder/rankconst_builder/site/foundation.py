"""The page "What do averages hide?": published means, chance and counting, graph by graph."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR
from rankconst.catalogue.literature import list_suite_results
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.suites import load_suites, parse_suite
from rankconst.tables.suite_means import cover_suite
from rankconst.tasks import Tasks
from rankconst.verdicts import show_expected
from rankconst_builder.site.html import Html, fill, join, link, scroll, table, tag
from rankconst_builder.site.pages import write_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankconst.catalogue.suites import Suite
    from rankconst.tables.archive import Tables
    from rankconst.tables.suite_means import Coverage
    from rankconst_builder.site.pages import Site

SUITE = "ultra_inductive"
"""The suite whose graphs are shown one by one."""

_FEWEST = 3  # graphs that make an average

_REPORTS = (
    "https://github.com/LckyLke/sotaKGFMs/blob/bec8a92edf8d2670c15ef0e1b6429692127c7aab/reports"
)
SOURCES = {"ULTRA 3g": f"{_REPORTS}/ultra.md", "TRIX": f"{_REPORTS}/trix.md"}
"""Model to the address of its numbers."""

_METRICS = ("mrr", "hits@10")


class _Row(NamedTuple):
    """A graph: the published MRR of each model, and those of chance and counting."""

    graph: str
    published: Mapping[str, float]
    chance: float
    counting: float


def read_averages() -> dict[str, dict[str, float]]:
    """Return the published MRR of each model by graph, in the order of the re-run."""
    averages: dict[str, dict[str, float]] = {}
    for result in list_suite_results():
        averages.setdefault(result.dataset, {})[result.model] = float(result.mrr)
    return averages


def is_covered(tables: Tables) -> bool:
    """Tell whether the tables hold graphs enough for an average."""
    return len(_cover(parse_suite(SUITE), tables).tasks) >= _FEWEST


def _cover(suite: Suite, tables: Tables) -> Coverage:
    return cover_suite(suite, Tasks(suite.key, suite.protocol, "test", "both"), tables)


def _expect(tables: Tables, tasks: Tasks, slug: str, baseline: str) -> float:
    tasks = replace(tasks, baseline=baseline)
    return float(tables.look_up(tasks, parse_metric(slug)).expectation)


def write_averages(site: Site) -> str:
    """Return the page."""
    rows = _list_rows(site.tables)
    means = {name: statistics.fmean(getattr(row, name) for row in rows) for name in _FLOORS}
    for name in SOURCES:
        means[name] = statistics.fmean(row.published[name] for row in rows)
    models = ", ".join(f"{name} {means[name]:.4f}" for name in SOURCES)
    lead = (
        "Foundation models for knowledge graphs are compared by one number, a plain mean of MRR "
        f"over 12 to 57 graphs. On {len(rows)} of the {len(parse_suite(SUITE).graphs)} inductive "
        f"graphs of ULTRA, counting triples gets {means['counting']:.4f}; two models get, "
        f"zero-shot: {models}."
    )
    first, second = (link(address, name) for name, address in SOURCES.items())
    findings = _list_findings(rows, means, site.tables.titles)
    parts = {
        "lead": lead,
        "graphs": scroll(_tabulate_graphs(site, rows, means), "MRR graph by graph"),
        "sources": join([first, " and ", second]),
        "findings": join(tag("li", finding) for finding in findings),
        "suites": scroll(_tabulate_suites(site.tables), "Means over suites"),
    }
    body = fill("averages.html", parts)
    return write_page(site, "averages.html", "What do averages hide?", body, lead)


def _list_rows(tables: Tables) -> list[_Row]:
    """Return the graphs that the tables hold, in the order of the re-run."""
    tasks = _cover(parse_suite(SUITE), tables).tasks
    rows = []
    for graph, published in read_averages().items():
        if graph not in tasks:
            continue
        chance, counting = (_expect(tables, tasks[graph], "mrr", key) for key in _RANKERS)
        rows.append(_Row(graph, published, chance, counting))
    return rows


_RANKERS = (DEFAULT_BASELINE, FLOOR)
_FLOORS = ("chance", "counting")


def _tabulate_graphs(site: Site, rows: Iterable[_Row], means: Mapping[str, float]) -> Html:
    """Return the table; numbers that counting reaches are marked."""
    cells: list[list[str]] = []
    for row in rows:
        title = site.title_of(row.graph)
        name = link(f"datasets/{row.graph}.html", title) if row.graph in site.keys else title
        numbers = [_mark(value, row.counting) for value in row.published.values()]
        cells.append([name, *numbers, show_expected(row.chance), show_expected(row.counting)])
    averages = [_mark(means[name], means["counting"]) for name in SOURCES]
    cells.append(["mean", *averages, *(show_expected(means[name]) for name in _FLOORS)])
    return table(["graph", *SOURCES, *_FLOORS], cells, class_="numbers mean-last")


def _mark(value: float, counting: float) -> str:
    """Return a number, in italics if counting reaches it."""
    return tag("em", f"{value:.4f}") if value <= counting else f"{value:.4f}"


def _list_findings(
    rows: list[_Row], means: Mapping[str, float], titles: Mapping[str, str]
) -> list[str]:
    """Return the findings of the table as sentences."""
    sentences = []
    for name in SOURCES:
        below = sum(row.published[name] < row.counting for row in rows)
        gain = means[name] - means["counting"]
        than = "above" if gain > 0 else "below"
        sentences.append(
            f"{name} is {than} counting by {abs(gain):.4f} on average, and below it on "
            f"{below or 'none'} of {len(rows)} graphs."
        )
    heaviest = max(rows, key=lambda row: row.chance)
    share = heaviest.chance / math.fsum(row.chance for row in rows)
    sentences.append(
        f"Chance hardly matters here, and one graph makes much of it: {titles[heaviest.graph]} "
        f"has few candidates, and makes {share:.0%} of the chance of the mean."
    )
    errors = [
        statistics.stdev(row.published[name] for row in rows) / math.sqrt(len(rows))
        for name in SOURCES
    ]
    sentences.append(
        f"Graphs differ more than models do: with another draw of {len(rows)} graphs, a mean "
        f"would vary by {max(errors):.2f}."
    )
    return sentences


def _tabulate_suites(tables: Tables) -> Html:
    """Tabulate the averages of chance, counting and the models over the graphs of each suite."""
    published = read_averages()
    cells: list[list[str]] = []
    for suite in load_suites().values():
        covered = _cover(suite, tables)
        graphs = covered.tasks
        if not graphs:
            continue
        mrr, hits = (_average_floors(tables, covered, slug) for slug in _METRICS)
        models: list[float | None] = [None for _ in SOURCES]
        # The models' numbers are of the ranking tasks of their tool.
        if suite.tool is not None and published.keys() >= graphs.keys():
            for place, name in enumerate(SOURCES):
                models[place] = statistics.fmean(published[graph][name] for graph in graphs)
        share = f"{len(graphs)} of {len(suite.graphs)}"
        numbers = [show_expected(value) for value in (*mrr, *models, *hits)]
        cells.append([suite.title, share, *numbers])
    headings = ["mean over", "graphs", "MRR: chance", "counting", *SOURCES]
    return table([*headings, "Hits@10: chance", "counting"], cells, class_="numbers")


def _average_floors(tables: Tables, covered: Coverage, slug: str) -> list[float]:
    """Return the means of chance and of counting."""
    means = []
    for ranker in _RANKERS:
        values = [_expect(tables, tasks, slug, ranker) for tasks in covered.tasks.values()]
        means.append(statistics.fmean(values))
    return means
