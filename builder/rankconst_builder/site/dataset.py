"""The page of a dataset: what chance and counting get, published results, all constants.

The rest is folded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import BASELINES, FLOOR
from rankconst.catalogue.metrics import HEADLINE
from rankconst.catalogue.protocols import RELATION_SIDE, SPLITS, find_protocol
from rankconst.tables.citation import identify
from rankconst.tasks import Tasks
from rankconst.values.comparison import find_smallest_difference, show_enough
from rankconst.values.published import show_number
from rankconst.verdicts import show_expected
from rankconst_builder.site.data import locate
from rankconst_builder.site.draw import draw_candidates, draw_chance, draw_results
from rankconst_builder.site.html import Html, link, link_safely, scroll, table, tag
from rankconst_builder.site.pages import count, list_facts, write_page
from rankconst_builder.site.papers import METRIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst_builder.site.pages import Site


def _headline_cells(site: Site, tasks: Tasks) -> list[Html]:
    """Return the expectations that papers' metrics have, each a link to its constant."""
    return [
        Html("–")
        if value is None
        else tag("a", show_number(value, 4), href=f"#{locate(tasks)}/{slug}")
        for slug in _HEADLINE
        for value in [site.expect(tasks, slug)]
    ]


_HEADLINE_LABELS = [metric.label for metric in HEADLINE]
_HEADLINE = [label.lower() for label in _HEADLINE_LABELS]


def write_dataset(site: Site, key: str) -> str:
    """Return the page of a dataset."""
    row, tasks = site.tables.datasets[key], site.usual_tasks(key)
    title, path = row["title"], f"v1/{site.tables.version}/{key}.json"
    constants = {
        slug: site.tables.constants(tasks, slug)
        for slug in ("mrr", "hits@10")
        if site.expect(tasks, slug) is not None
    }
    drawn = [figure for each in constants.values() if (figure := draw_chance(each)) is not None]
    told = " and ".join(
        (
            f"{'an' if slug == 'mrr' else 'a'} {each.metric.label} of "
            f"{show_number(each.expectation, 4)}"
        )
        for slug, each in constants.items()
    )
    apart = " and ".join(
        f"{show_enough(find_smallest_difference(each.metric, each.histogram))} {each.metric.label}"
        for each in constants.values()
    )
    enough = (
        f"Differences of {apart} tell two models apart by the published numbers alone (p < 0.05)."
    )
    sections = [
        tag("h1", title),
        tag("p", f"A random ranker gets {told} ({tasks.describe()}). {enough}", class_="lead")
        if told
        else Html(""),
        tag(
            "p",
            tag("code", identify(site.tables.version, key)),
            " · ",
            link(f"../{path}", "JSON"),
            class_="quiet",
        ),
        tag("h2", "What chance gets"),
        (
            "By protocol, on test, both sides pooled where the dataset has both. Each number "
            "links to its constant."
        ),
        scroll(_tabulate_protocols(site, key, tasks), "What chance gets, by protocol"),
        *_tell_baselines(site, tasks),
        *_tell_published(site, tasks),
        tag("h2", "All constants"),
        _fold(
            "Every metric, split, side, protocol and baseline",
            tag("div", id="constants", class_="selects", data_key=key, data_tasks=locate(tasks)),
            tag(
                "div",
                tag(
                    "p",
                    "The listing needs JavaScript; ",
                    link(f"../{path}", "the JSON"),
                    " has it all.",
                ),
                id="listing",
            ),
            id="all",
        ),
        tag("h2", "More"),
        *_tell_relations(site, tasks),
        *([_fold("How far luck reaches", tag("div", *drawn, class_="figures"))] if drawn else []),
        _fold("Numbers of candidates", draw_candidates(site.tables.histogram(tasks))),
        _fold("The benchmark: sources, licence, citation and hashes", *_describe_benchmark(row)),
    ]
    return write_page(
        site,
        f"datasets/{key}.html",
        f"{title}: what chance gets",
        *sections,
        description=f"Chance expectations and variances of MR, MRR, Hits@k and others on {title}.",
    )


def _fold(title: str, *body: str, **attributes: str) -> Html:
    """Return what is shown when its title is chosen."""
    return tag("details", tag("summary", title), *body, class_="fold", **attributes)


def _tabulate_protocols(site: Site, key: str, usual: Tasks) -> Html:
    """Return what chance gets: protocols under which it gets the same share a row."""
    same: dict[tuple[float | None, ...], list[str]] = {}
    for protocol in site.tables.protocols(key):
        tasks = Tasks(key, protocol, usual.split, usual.side)
        same.setdefault(tuple(site.expect(tasks, slug) for slug in _HEADLINE), []).append(protocol)
    rows = [
        [" = ".join(equal), *_headline_cells(site, Tasks(key, equal[0], usual.split, usual.side))]
        for equal in same.values()
    ]
    return table(["protocol", *_HEADLINE_LABELS], rows, class_="numbers")


def _tell_relations(site: Site, usual: Tasks) -> list[Html]:
    """Show what chance gets on tasks (h, ?, t), where the tables have them."""
    asked = [
        Tasks(usual.dataset, each, usual.split, RELATION_SIDE)
        for each in site.tables.protocols(usual.dataset)
    ]
    rows = [
        [each.protocol, *_headline_cells(site, each), find_protocol(each.protocol).relation_summary]
        for each in asked
        if locate(each) in site.described[usual.dataset]["constants"]
    ]
    if not rows:
        return []
    headings = ["protocol", *_HEADLINE_LABELS, "what is ranked"]
    return [
        _fold(
            "Relation prediction",
            tag(
                "p",
                f"What chance gets where relations are ranked: tasks (h, ?, t) of {usual.split}. "
                "They are not included in both sides.",
            ),
            scroll(
                table(headings, rows, class_="numbers told"),
                "What chance gets in relation prediction",
            ),
        )
    ]


def _tell_baselines(site: Site, tasks: Tasks) -> list[str]:
    """Show what rankers get that only count, where the tables have them."""
    ladder = [
        Tasks(tasks.dataset, tasks.protocol, tasks.split, tasks.side, baseline=each)
        for each in BASELINES
    ]
    held = [each for each in ladder if locate(each) in site.described[tasks.dataset]["constants"]]
    if len(held) < 2:
        return []
    counting = site.tables.find_counting(tasks.dataset)
    summaries = {key: baseline.summary for key, baseline in BASELINES.items()}
    if counting is not None:
        summaries[FLOOR] = counting.summary
    rows = [
        [BASELINES[each.baseline].title, *_headline_cells(site, each), summaries[each.baseline]]
        for each in held
    ]
    headings = ["ranker", *_HEADLINE_LABELS, "how it ranks"]
    return [
        tag("h2", "What counting gets"),
        f"Rankers that learn nothing ({tasks.describe()}).",
        scroll(table(headings, rows, class_="numbers told"), "What baselines get"),
    ]


def _tell_published(site: Site, tasks: Tasks) -> list[str]:
    """Show published results on the distribution of chance, among the baselines."""
    results = site.published.get(tasks.dataset, ())
    if not results:
        return []
    constants = site.tables.constants(tasks, METRIC)
    baselines = {
        BASELINES[key].title: constants.index(expected)
        for key in BASELINES
        if (expected := site.expect(replace(tasks, baseline=key), METRIC)) is not None
    }
    label = constants.metric.label
    index = constants.metric.name_of("index") or "index"
    rows = [
        [
            each.model,
            each.text,
            each.shown,
            show_expected(each.counting),
            each.verdict,
            link_safely(each.address, each.source or "–"),
            each.tasks.protocol,
            each.tasks.side,
        ]
        for each in results
    ]
    headings = ["model", label, index, "counting", "than counting", "published in", "protocol"]
    return [
        tag("h2", "Published results", id="published"),
        f"{label} on {tasks.split} as published, each adjusted under the protocol of the tool that "
        f"computed it; baselines under protocol {tasks.protocol}.",
        draw_results(constants, baselines, [each.index for each in results]),
        scroll(table([*headings, "side"], rows), "Published results"),
    ]


def _describe_benchmark(row: Mapping[str, Any]) -> list[Html]:
    """Return statistics, source files with hashes, licence and citation."""
    facts = [
        *(
            (name, f"{count(row[name])}, {count(row[f'{name}_train'])} of them in the training set")
            for name in _SIZES
        ),
        ("also called", ", ".join(row["aliases"]) or "–"),
        ("licence", row["licence"] or "not stated"),
        (
            "files checked",
            f"{'each' if row['verified'] else 'not'} against hashes known beforehand",
        ),
        ("citation", link_safely(row["citation_url"], row["citation"] or "–")),
    ]
    counted = [
        [
            split,
            *(count(row.get(f"{name}_{split}")) for name in ("triples", "duplicates", "dropped")),
        ]
        for split in SPLITS
    ]
    hashes = [
        [split, tag("code", known or "–")]
        for split, known in zip(SPLITS, row["sha256"], strict=False)
    ]
    headings = ["split", "triples", "repeated", "dropped by protocol pykeen"]
    sources = tag("ul", *(tag("li", link_safely(url, url)) for url in row["source_urls"]))
    return [
        tag("dl", *list_facts(facts), class_="facts"),
        scroll(table(headings, counted, class_="numbers"), "Triples by split"),
        *([scroll(table(["split", "SHA-256 of the content"], hashes), "Hashes")] if hashes else []),
        *([tag("p", "Source files:"), sources] if row["source_urls"] else []),
    ]


_SIZES = ("entities", "relations")
