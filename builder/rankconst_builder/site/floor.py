"""The page "Which published results beat counting?", benchmark by benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.values.published import show_number
from rankconst_builder.site.draw import Strip, draw_strips
from rankconst_builder.site.html import fill, link, scroll, table
from rankconst_builder.site.pages import write_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst_builder.site.pages import Site
    from rankconst_builder.site.papers import Result


def list_compared(site: Site) -> dict[str, list[Result]]:
    """Return the published results that can be held against counting.

    The benchmarks with the most results come first.
    """
    compared = {}
    for key, results in site.published.items():
        comparable = [result for result in results if result.counting is not None]
        if comparable:
            compared[key] = comparable
    return dict(sorted(compared.items(), key=lambda item: (-len(item[1]), item[0])))


def write_results(site: Site) -> str:
    """Return the page."""
    strips, rows = [], []
    total = worse = 0
    for key, results in list_compared(site).items():
        page, title = f"datasets/{key}.html#published", site.title_of(key)
        floors = [result.counting for result in results if result.counting is not None]
        below = [result.value for result in results if result.is_worse]
        above = [result.value for result in results if not result.is_worse]
        strips.append(Strip(title, page, (min(floors), max(floors)), below, above))
        ranges = [_show_range(floors), _show_range(below + above)]
        rows.append([link(page, title), str(len(results)), *ranges, str(len(below))])
        total += len(results)
        worse += len(below)
    lead = (
        f"Of {total} published MRRs on test sets, {worse} are worse than what a ranker "
        "gets that learns nothing and only counts triples."
    )
    headings = ["dataset", "results", "counting", "published MRR", "worse than counting"]
    listed = table(headings, rows, class_="numbers")
    parts = {
        "lead": lead,
        "strips": draw_strips(strips),
        "results": scroll(listed, "Published results by dataset"),
    }
    title, body = "Which published results beat counting?", fill("results.html", parts)
    return write_page(site, "results.html", title, body, lead)


def _show_range(values: Iterable[float]) -> str:
    ordered = sorted(values)
    return "–".join(dict.fromkeys(show_number(end, 3) for end in (ordered[0], ordered[-1])))
