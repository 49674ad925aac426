"""The page "Which published results beat counting?", benchmark by benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.values.published import show_number
from rankconst_builder.site.draw import Strip, draw_strips
from rankconst_builder.site.html import link, scroll, table, tag
from rankconst_builder.site.pages import write_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst_builder.site.pages import Site
    from rankconst_builder.site.papers import Result


def list_compared(site: Site) -> dict[str, list[Result]]:
    """Return the published results for which counting has constants.

    The benchmarks with the most results come first.
    """
    compared = {}
    for key, results in site.published.items():
        known = [each for each in results if each.counting is not None]
        if known:
            compared[key] = known
    return dict(sorted(compared.items(), key=lambda item: (-len(item[1]), item[0])))


def write_results(site: Site) -> str:
    """Return the page."""
    compared = list_compared(site)
    results = [each for own in compared.values() for each in own]
    worse = sum(each.is_worse for each in results)
    lead = (
        f"Of {len(results)} published MRRs on test sets, {worse} are worse than what a ranker "
        "gets that learns nothing and only counts triples."
    )
    strips = []
    rows = []
    for key, own in compared.items():
        page = f"datasets/{key}.html#published"
        floors = [each.counting for each in own if each.counting is not None]
        strips.append(
            Strip(
                site.title_of(key),
                page,
                (min(floors), max(floors)),
                [each.value for each in own if each.is_worse],
                [each.value for each in own if not each.is_worse],
            )
        )
        rows.append(
            [
                link(page, site.title_of(key)),
                str(len(own)),
                _show_range(floors),
                _show_range(each.value for each in own),
                str(sum(each.is_worse for each in own)),
            ]
        )
    headings = ["dataset", "results", "counting", "published MRR", "worse than counting"]
    return write_page(
        site,
        "results.html",
        "Which published results beat counting?",
        tag("h1", "Which published results beat counting?"),
        tag("p", lead, class_="lead"),
        draw_strips(strips),
        scroll(table(headings, rows, class_="numbers"), "Published results by dataset"),
        "Worse means worse however the number was rounded. What counting gets depends on the "
        "protocol of a result, and is computed for each. Counting knows what precedes the test "
        "set; models called single-step see more. The page of a dataset lists its results, each "
        "with a link to where it was published.",
        description=lead,
    )


def _show_range(values: Iterable[float]) -> str:
    ordered = sorted(values)
    return "–".join(dict.fromkeys(show_number(end, 3) for end in (ordered[0], ordered[-1])))
