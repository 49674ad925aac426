"""The page of a dataset: values of chance and counting, published results, all constants.

The rest is folded.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import BASELINES, FLOOR
from rankconst.catalogue.metrics import HEADLINE, parse_metric
from rankconst.catalogue.protocols import RELATION_SIDE, SPLITS, find_protocol
from rankconst.tables.citation import identify
from rankconst.tasks import Tasks
from rankconst.values.comparison import find_smallest_difference
from rankconst.values.published import show_enough, show_number
from rankconst.verdicts import show_expected
from rankconst_builder.site.data import locate, slug
from rankconst_builder.site.draw import draw_candidates, draw_chance, draw_results
from rankconst_builder.site.html import Html, fill, join, link, link_safely, scroll, table, tag
from rankconst_builder.site.pages import METRIC, count, list_facts, write_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.values.constants import Constants
    from rankconst_builder.site.pages import Site


_LABELS = [metric.label for metric in HEADLINE]


def write_dataset(site: Site, key: str) -> str:
    """Return the page of a dataset."""
    row, tasks, version = site.tables.datasets[key], site.default_tasks(key), site.tables.version
    title = row["title"]
    slugs = [slug for slug in ("mrr", "hits@10") if site.expect(tasks, slug) is not None]
    constants = [site.tables.constants(tasks, slug) for slug in slugs]
    parts = {
        "title": Html(escape(title, quote=False)),
        "lead": _summarise(constants, tasks),
        "id": identify(version, key),
        "json": f"v1/{version}/{key}.json",
        "protocols": scroll(_tabulate_protocols(site, key, tasks), "What chance gets, by protocol"),
        "baselines": join(_describe_baselines(site, tasks)),
        "published": join(_describe_published(site, tasks)),
        "tasks": locate(tasks),
        "constants": _list_constants(site, key),
        "more": join(_list_more(site, tasks, constants, row)),
    }
    description = f"Chance expectations and variances of MR, MRR, Hits@k and others on {title}."
    heading, body = f"{title}: what chance gets", fill("dataset.html", parts)
    return write_page(site, f"datasets/{key}.html", heading, body, description)


def _summarise(constants: Sequence[Constants], tasks: Tasks) -> Html:
    """Write what a random ranker gets, and which differences tell two models apart.

    Empty if the tables have no constants of the headline's metrics.
    """
    if not constants:
        return Html("")
    expectations, differences = [], []
    for row in constants:
        label = row.metric.label
        article = "an" if label == "MRR" else "a"
        expectations.append(f"{article} {label} of {show_number(row.expectation, 4)}")
        smallest = find_smallest_difference(row.metric, row.histogram)
        differences.append(f"{show_enough(smallest)} {label}")
    text = (
        f"A random ranker gets {' and '.join(expectations)} ({tasks.describe()}). "
        f"Differences of {' and '.join(differences)} tell two models apart by the published "
        "numbers alone (p < 0.05)."
    )
    return tag("p", text, class_="lead")


def _list_more(
    site: Site, tasks: Tasks, constants: Sequence[Constants], row: Mapping[str, Any]
) -> list[Html]:
    """Return the folded sections at the end of the page; a reader opens one by its title.

    Those on relation prediction and on luck are left out if there is nothing to show.
    """
    sections: dict[str, list[Html]] = {}
    relations = _tabulate_relations(site, tasks)
    if relations is not None:
        note = (
            f"What chance gets where relations are ranked: tasks (h, ?, t) of {tasks.split}. "
            "They are not included in both sides."
        )
        listed = scroll(relations, "What chance gets in relation prediction")
        sections["Relation prediction"] = [tag("p", note), listed]
    drawings = [draw_chance(row) for row in constants]
    figures = [figure for figure in drawings if figure is not None]
    if figures:
        sections["How far luck reaches"] = [tag("div", *figures, class_="figures")]
    sections["Numbers of candidates"] = [draw_candidates(site.tables.histogram(tasks))]
    benchmark = "The benchmark: sources, licence, citation and hashes"
    sections[benchmark] = _describe_benchmark(row)
    return [
        tag("details", tag("summary", title), *body, class_="fold")
        for title, body in sections.items()
    ]


def _list_expected(site: Site, tasks: Tasks) -> list[Html]:
    """Return the expectations of the metrics that papers print, each a link to its constant."""
    cells = []
    for metric in map(slug, HEADLINE):
        value = site.expect(tasks, metric)
        if value is None:
            cells.append(Html("–"))
        else:
            cells.append(link(f"#{locate(tasks)}/{metric}", show_number(value, 4)))
    return cells


def _tabulate_protocols(site: Site, key: str, tasks: Tasks) -> Html:
    """Tabulate what a random ranker gets on the split and side of `tasks`, by protocol.

    Protocols with the same expectations share a row, such as ``standard = libkge``.
    """
    tasks_by_values: dict[tuple[float | None, ...], list[Tasks]] = {}
    for protocol in site.tables.protocols(key):
        ranked = Tasks(key, protocol, tasks.split, tasks.side)
        values = tuple(site.expect(ranked, slug(metric)) for metric in HEADLINE)
        tasks_by_values.setdefault(values, []).append(ranked)
    rows = []
    for equal_tasks in tasks_by_values.values():
        protocols = " = ".join(ranked.protocol for ranked in equal_tasks)
        rows.append([protocols, *_list_expected(site, equal_tasks[0])])
    return table(["protocol", *_LABELS], rows, class_="numbers")


def _tabulate_relations(site: Site, tasks: Tasks) -> Html | None:
    """Tabulate what a random ranker gets in relation prediction (h, ?, t), by protocol.

    The dataset and the split are those of `tasks`. A row has a protocol, the expectation of each
    metric, and which relations are ranked. None if the tables have no such constants.
    """
    rows = []
    for protocol in site.tables.protocols(tasks.dataset):
        relation_tasks = Tasks(tasks.dataset, protocol, tasks.split, RELATION_SIDE)
        if site.holds(relation_tasks):
            what_is_ranked = find_protocol(protocol).relation_summary
            rows.append([protocol, *_list_expected(site, relation_tasks), what_is_ranked])
    if not rows:
        return None
    headings = ["protocol", *_LABELS, "what is ranked"]
    return table(headings, rows, class_="numbers told")


def _describe_baselines(site: Site, tasks: Tasks) -> list[Html]:
    """Return the section that compares a random ranker with those that only count triples.

    It has a row for each baseline that the tables hold on `tasks`: its title, the expectation of
    each metric, and how it ranks. Empty if they hold chance alone.
    """
    counting = site.tables.find_counting(tasks.dataset)
    rows = []
    for key, baseline in BASELINES.items():
        baseline_tasks = replace(tasks, baseline=key)
        if not site.holds(baseline_tasks):
            continue
        how_it_ranks = baseline.summary
        if key == FLOOR and counting is not None:
            # The tables say whether counting is by rules, frequency or recency on this dataset.
            how_it_ranks = counting.summary
        rows.append([baseline.title, *_list_expected(site, baseline_tasks), how_it_ranks])
    if len(rows) < 2:  # the first is chance
        return []
    headings = ["ranker", *_LABELS, "how it ranks"]
    return [
        tag("h2", "What counting gets"),
        tag("p", f"Rankers that learn nothing ({tasks.describe()})."),
        scroll(table(headings, rows, class_="numbers told"), "What baselines get"),
    ]


def _describe_published(site: Site, tasks: Tasks) -> list[Html]:
    """Return the section of published results: a drawing by their index, and a table.

    The drawing has the distribution of chance and marks the baselines. Empty without results.
    """
    results = site.published.get(tasks.dataset, ())
    if not results:
        return []
    constants = site.tables.constants(tasks, METRIC)
    baselines = {}
    for key, baseline in BASELINES.items():
        expected = site.expect(replace(tasks, baseline=key), METRIC)
        if expected is not None:
            baselines[baseline.title] = constants.index(expected)
    rows = []
    for result in results:
        numbers = [result.text, result.shown, show_expected(result.counting), result.verdict]
        source = link_safely(result.address, result.source or "–")
        rows.append([result.model, *numbers, source, result.tasks.protocol, result.tasks.side])
    label, index = constants.metric.label, constants.metric.name_of("index") or "index"
    headings = ["model", label, index, "counting", "than counting", "published in", "protocol"]
    note = (
        f"{label} on {tasks.split} as published, each adjusted under the protocol of the tool that "
        f"computed it; baselines under protocol {tasks.protocol}."
    )
    return [
        tag("h2", "Published results", id="published"),
        tag("p", note),
        draw_results(constants, baselines, [result.index for result in results]),
        scroll(table([*headings, "side"], rows), "Published results"),
    ]


def _list_constants(site: Site, key: str) -> Html:
    """Tabulate every constant of a dataset, by ranking tasks; each row has an address."""
    headings = ("metric", "expectation", "± error", "variance", "± error")
    head = tag("tr", *(tag("th", heading, scope="col") for heading in headings))
    groups = []
    for path, constants in site.described[key]["constants"].items():
        rows = [tag("tr", tag("th", path, colspan=len(headings), scope="rowgroup"))]
        for name, (expectation, error, variance, variance_error, *_) in constants.items():
            place = f"{path}/{name}"
            numbers = (
                repr(expectation),
                f"{error:.0e}",
                show_number(variance, 6),
                f"{variance_error:.0e}",
            )
            label = tag("th", link(f"#{place}", parse_metric(name).label), scope="row")
            rows.append(tag("tr", label, *(tag("td", number) for number in numbers), id=place))
        groups.append(tag("tbody", *rows))
    return scroll(tag("table", tag("thead", head), *groups, class_="numbers"), "Constants")


def _describe_benchmark(row: Mapping[str, Any]) -> list[Html]:
    """Return statistics, source files with hashes, licence and citation."""
    facts = []
    for name in ("entities", "relations"):
        trained = f"{count(row[f'{name}_train'])} of them in the training set"
        facts.append((name, f"{count(row[name])}, {trained}"))
    checked = "each" if row["verified"] else "not"
    facts += [
        ("also called", ", ".join(row["aliases"]) or "–"),
        ("licence", row["licence"] or "not stated"),
        ("files checked", f"{checked} against hashes known beforehand"),
        ("citation", link_safely(row["citation_url"], row["citation"] or "–")),
    ]
    triples = []
    for split in SPLITS:
        numbers = [row.get(f"{name}_{split}") for name in ("triples", "duplicates", "dropped")]
        triples.append([split, *(count(number) for number in numbers)])
    headings = ["split", "triples", "repeated", "dropped by protocol pykeen"]
    sections = [
        list_facts(facts),
        scroll(table(headings, triples, class_="numbers"), "Triples by split"),
    ]
    digests = zip(SPLITS, row["sha256"], strict=False)
    hashes = [[split, tag("code", digest or "–")] for split, digest in digests]
    if hashes:
        sections.append(scroll(table(["split", "SHA-256 of the content"], hashes), "Hashes"))
    if row["source_urls"]:
        sources = [tag("li", link_safely(url, url)) for url in row["source_urls"]]
        sections += [tag("p", "Source files:"), tag("ul", *sources)]
    return sections
