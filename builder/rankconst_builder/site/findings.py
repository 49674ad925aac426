"""Published results compared with what counting gets, and the two pages that show it.

One page shows which results beat counting. The other compares published means with chance and
counting, graph by graph.
"""

from __future__ import annotations

import csv
import math
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR
from rankconst.catalogue.literature import (
    FEWEST_GRAPHS,
    RESULTS,
    list_suite_results,
    load_suites,
    parse_suite,
)
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.tools import load_tools
from rankconst.checks import confirm_reading
from rankconst.errors import RankconstError
from rankconst.evaluation import NOTHING
from rankconst.results.batches import adjust_reading
from rankconst.results.formats import read
from rankconst.tables.suite_means import cover_suite
from rankconst.tasks import Tasks
from rankconst.values.published import show_number, show_uncertain
from rankconst.verdicts import show_expected
from rankconst_builder.site.draw import Strip, draw_strips
from rankconst_builder.site.markup import Html, fill, join, link, scroll, table, tag
from rankconst_builder.site.pages import METRIC, write_page

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rankconst.catalogue.literature import Suite
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables
    from rankconst_builder.site.pages import Site

# Which published results beat counting?

_LONGEST = 8  # longer numbers, which a program wrote in full, are shown with four digits


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """A published result of a model on a test set."""

    tasks: Tasks
    model: str
    source: str  # an article or a repository
    address: str  # of the source
    text: str  # the number as it is shown
    value: float
    best: float  # the better end of its rounding
    index: float
    shown: str  # the index with its range
    counting: float | None  # the value of counting on the same tasks, if it is known

    @property
    def is_worse(self) -> bool:
        """Whether it is worse than counting, whatever its rounding."""
        return self.counting is not None and self.best < self.counting

    @property
    def verdict(self) -> str:
        """How it compares with counting, in one word."""
        if self.counting is None:
            return "–"
        if self.is_worse:
            return "worse"
        return "better" if self.value > self.counting else "equal"


def read_published(tables: Tables, keys: Collection[str]) -> dict[str, list[PublishedResult]]:
    """Return the published MRRs on the test sets of some datasets, the best first."""
    with RESULTS.with_name("published_sources.csv").open(encoding="utf-8", newline="") as file:
        addresses = {row["source"]: row["address"] for row in csv.DictReader(file)}

    reading = confirm_reading(read(RESULTS), tables, NOTHING)
    # A user's graph may have the name of a benchmark, whose results are impossible on it.
    adjusted = adjust_reading(
        reading, tables, NOTHING, metrics=[parse_metric(METRIC)], errors="note"
    )
    # By dataset; the keys within are an ordered set, which drops results that are equal.
    by_dataset: dict[str, dict[PublishedResult, None]] = {}
    for entry in adjusted.entries:
        number = entry.adjusted
        # Other metrics than MRR, and numbers that were published adjusted, are left out.
        if not entry.wanted or entry.constants is None or number is None:
            continue
        tasks = entry.constants.tasks
        if number.index_interval is None or tasks.split != "test" or tasks.dataset not in keys:
            continue
        printed = entry.entry  # as in the file, before it was adjusted
        row = adjusted.reading.rows[printed.row]
        source, tool = row["source"] or "", load_tools().get(row["tool"] or "")
        text = printed.text
        if len(text) > _LONGEST:
            text = show_number(number.value)

        result = PublishedResult(
            tasks,
            printed.context.model or "–",
            source,
            addresses[source],
            text=text,
            value=number.value,
            best=number.value_interval[1],
            index=number.index,
            shown=show_uncertain(number.index, number.index_interval),
            counting=_expect_counting(tasks, tables, tool),
        )
        by_dataset.setdefault(tasks.dataset, {})[result] = None

    return {
        dataset: sorted(results, key=lambda result: -result.index)
        for dataset, results in by_dataset.items()
    }


def _expect_counting(tasks: Tasks, tables: Tables, tool: Tool | None) -> float | None:
    """Return the value of counting; None if it depends on negatives, or the tool omits tasks."""
    if tool is not None and tool.batch is not None:
        return None
    try:
        return tables.constants(replace(tasks, baseline=FLOOR), METRIC).expectation
    except RankconstError:
        return None


def list_compared(site: Site) -> dict[str, list[PublishedResult]]:
    """Return the published results that can be compared with counting, most results first."""
    compared = {}
    for key, results in site.published.items():
        comparable = [result for result in results if result.counting is not None]
        if comparable:
            compared[key] = comparable
    return dict(sorted(compared.items(), key=lambda item: (-len(item[1]), item[0])))


def write_results(site: Site) -> str:
    """Return the page "Which published results beat counting?"."""
    strips, rows = [], []
    total = worse = 0
    for key, results in list_compared(site).items():
        page, title = f"datasets/{key}.html#published", site.title_of(key)
        floors = [result.counting for result in results if result.counting is not None]
        below = [result.value for result in results if result.is_worse]
        above = [result.value for result in results if not result.is_worse]
        strips.append(Strip(title, (min(floors), max(floors)), below, above))
        ranges = [_show_range(floors), _show_range(below + above)]
        rows.append([link(page, title), str(len(results)), *ranges, str(len(below))])
        total += len(results)
        worse += len(below)

    lead = (
        f"Of {total} published MRRs on test sets, {worse} are worse than what a ranker "
        "gets that learns nothing and only counts triples."
    )
    headings = ["dataset", "results", "counting", "published MRR", "worse than counting"]
    parts = {
        "lead": lead,
        "strips": draw_strips(strips),
        "results": scroll(table(headings, rows, class_="numbers"), "Published results by dataset"),
    }
    title, body = "Which published results beat counting?", fill("results.html", parts)
    return write_page(site, "results.html", title, body, lead)


def _show_range(values: Iterable[float]) -> str:
    ordered = sorted(values)
    ends = [show_number(end, 3) for end in (ordered[0], ordered[-1])]
    return "–".join(dict.fromkeys(ends))


# What do averages hide?

SUITE = "ultra_inductive"
"""The suite whose graphs are shown one by one."""

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
    """Return True if the tables hold enough graphs for an average."""
    return len(_list_tasks(parse_suite(SUITE), tables)) >= FEWEST_GRAPHS


def _list_tasks(suite: Suite, tables: Tables) -> dict[str, Tasks]:
    """Return the ranking tasks of each graph of a suite that the tables hold."""
    return cover_suite(suite, Tasks(suite.key, suite.protocol, "test", "both"), tables).tasks


def _read_models() -> dict[str, dict[str, float]]:
    """Return the published MRR of each model by graph."""
    models: dict[str, dict[str, float]] = {}
    for result in list_suite_results():
        models.setdefault(result.dataset, {})[result.model] = float(result.mrr)
    return models


def _expect_graph(tables: Tables, tasks: Tasks, metric: str) -> dict[str, float]:
    """Return the expectations of chance and counting on some tasks."""
    return {
        name: float(tables.look_up(replace(tasks, baseline=key), parse_metric(metric)).expectation)
        for name, key in _BASELINES.items()
    }


def _average(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each column of rows."""
    means = {}
    for name in rows[0]:
        means[name] = statistics.fmean(row[name] for row in rows)
    return means


def write_averages(site: Site) -> str:
    """Return the page that compares means of models, chance and counting graph by graph."""
    tasks = _list_tasks(parse_suite(SUITE), site.tables)
    rows = [
        _Row(graph, mrr | _expect_graph(site.tables, tasks[graph], "mrr"))
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
    """Tabulate the MRR of models, chance and counting, with losers to counting in italics."""

    def show(mrr: Mapping[str, float]) -> list[str]:
        models = []
        for name in SOURCES:
            text = f"{mrr[name]:.4f}"
            if mrr[name] <= mrr["counting"]:
                text = tag("em", text)
            models.append(text)
        return [*models, *(show_expected(mrr[name]) for name in _BASELINES)]

    cells: list[list[str]] = []
    for row in rows:
        name = site.title_of(row.graph)
        if row.graph in site.keys:
            name = link(f"datasets/{row.graph}.html", name)
        cells.append([name, *show(row.mrr)])

    cells.append(["mean", *show(means)])
    return table(["graph", *SOURCES, *_BASELINES], cells, class_="numbers mean-last")


def _list_findings(site: Site, rows: Sequence[_Row], means: Mapping[str, float]) -> list[str]:
    """Return the findings of the table as sentences."""
    sentences, deviations = [], []
    for name in SOURCES:
        deviations.append(statistics.stdev(row.mrr[name] for row in rows))
        below = sum(row.mrr[name] < row.mrr["counting"] for row in rows)
        gain = means[name] - means["counting"]
        than = "above" if gain > 0 else "below"
        sentences.append(
            f"{name} is {than} counting by {abs(gain):.4f} on average, and below it on "
            f"{below or 'none'} of {len(rows)} graphs."
        )

    heaviest = max(rows, key=lambda row: row.mrr["chance"])
    share = heaviest.mrr["chance"] / math.fsum(row.mrr["chance"] for row in rows)
    return [
        *sentences,
        f"Chance makes {means['chance']:.4f} of a mean, and {site.title_of(heaviest.graph)} makes "
        f"{share:.0%} of that.",
        f"With another draw of {len(rows)} such graphs, the mean of a model would vary by "
        f"{max(deviations) / math.sqrt(len(rows)):.2f}.",
    ]


def _tabulate_suites(tables: Tables) -> Html:
    """Tabulate the means of chance, counting and the models over each suite."""
    published = _read_models()
    cells: list[list[str]] = []
    for suite in load_suites().values():
        graphs = _list_tasks(suite, tables)
        if not graphs:
            continue
        mrr = _average([_expect_graph(tables, tasks, "mrr") for tasks in graphs.values()])
        hits = _average([_expect_graph(tables, tasks, "hits@10") for tasks in graphs.values()])
        models: dict[str, float] = {}
        # The numbers of the models are for the ranking tasks of their tool.
        if suite.tool is not None and published.keys() >= graphs.keys():
            models = _average([published[graph] for graph in graphs])

        numbers = [*mrr.values(), *(models.get(name) for name in SOURCES), *hits.values()]
        share = f"{len(graphs)} of {len(suite.graphs)}"
        cells.append([suite.title, share, *(show_expected(value) for value in numbers)])

    headings = ["mean over", "graphs", "MRR: chance", "counting", *SOURCES]
    return table([*headings, "Hits@10: chance", "counting"], cells, class_="numbers")
