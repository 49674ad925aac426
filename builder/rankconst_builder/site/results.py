"""Published results compared with counting: read for all pages, and a page on which beat it."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.literature import RESULTS
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.tools import load_tools
from rankconst.checks import confirm_reading
from rankconst.errors import RankconstError
from rankconst.evaluation import NOTHING
from rankconst.results.batches import adjust_reading
from rankconst.results.formats import read
from rankconst.values.published import show_number, show_uncertain
from rankconst_builder.site.draw import Strip, draw_strips
from rankconst_builder.site.html import fill, link, scroll, table
from rankconst_builder.site.pages import METRIC, write_page

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst_builder.site.pages import Site


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
        """Whether it is worse than counting, however it was rounded."""
        return self.counting is not None and self.best < self.counting

    @property
    def verdict(self) -> str:
        """How it compares with counting, in a word."""
        if self.counting is None:
            return "–"
        if self.is_worse:
            return "worse"
        return "better" if self.value > self.counting else "equal"


def read_published(tables: Tables, keys: Collection[str]) -> dict[str, list[PublishedResult]]:
    """Return the published MRRs on test sets by dataset: {"fb15k237": [best result, next, ...]}.

    `keys` are the datasets. The best has the highest adjusted index. Left out is what the tables
    cannot adjust, or not with a range of its rounding; a result that several tables of a source
    print is listed once.
    """
    addresses = _read_addresses()
    reading = confirm_reading(read(RESULTS), tables, NOTHING)
    # A graph of your own may have the name of a benchmark, and results that it cannot have.
    adjusted = adjust_reading(
        reading, tables, NOTHING, metrics=[parse_metric(METRIC)], errors="note"
    )
    # By dataset; the keys within are an ordered set, which drops results that are equal.
    by_dataset: dict[str, dict[PublishedResult, None]] = {}
    for entry in adjusted.entries:
        number = entry.adjusted
        # Not wanted: another metric than MRR, or adjusted already in print.
        if not entry.wanted or entry.constants is None or number is None:
            continue
        tasks = entry.constants.tasks
        if number.index_interval is None or tasks.split != "test" or tasks.dataset not in keys:
            continue
        printed = entry.entry  # as in the file, before it was adjusted
        row = adjusted.reading.rows[printed.row]
        source, tool = row["source"] or "", load_tools().get(row["tool"] or "")
        # What counting gets is not known where a tool leaves out a part of the test set.
        is_whole = tool is None or tool.batch is None
        text = printed.text
        result = PublishedResult(
            tasks,
            printed.context.model or "–",
            source,
            addresses[source],
            text=text if len(text) <= _LONGEST else show_number(number.value),
            value=number.value,
            best=number.value_interval[1],
            index=number.index,
            shown=show_uncertain(number.index, number.index_interval),
            counting=_expect_counting(tasks, tables) if is_whole else None,
        )
        by_dataset.setdefault(tasks.dataset, {})[result] = None
    return {
        dataset: sorted(results, key=lambda result: -result.index)
        for dataset, results in by_dataset.items()
    }


def _read_addresses() -> dict[str, str]:
    """Return the address of each source of published results by its name."""
    with RESULTS.with_name("published_sources.csv").open(encoding="utf-8", newline="") as file:
        return {row["source"]: row["address"] for row in csv.DictReader(file)}


def _expect_counting(tasks: Tasks, tables: Tables) -> float | None:
    """Return the value of counting; None if it depends on the negatives that are drawn."""
    try:
        return tables.constants(replace(tasks, baseline=FLOOR), METRIC).expectation
    except RankconstError:
        return None


def list_compared(site: Site) -> dict[str, list[PublishedResult]]:
    """Return the published results that can be compared with counting.

    The benchmarks with the most results come first.
    """
    compared = {}
    for key, results in site.published.items():
        comparable = [result for result in results if result.counting is not None]
        if comparable:
            compared[key] = comparable
    return dict(sorted(compared.items(), key=lambda item: (-len(item[1]), item[0])))


def write_results(site: Site) -> str:
    """Return the page "Which published results beat counting?": a strip and a row a dataset."""
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
