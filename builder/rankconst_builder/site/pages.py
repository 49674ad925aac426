"""Write the pages of the site from the contents of :class:`Site`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from rankconst.catalogue.baselines import BASELINES, FLOOR
from rankconst.catalogue.benchmarks import list_ambiguous, list_kinds
from rankconst.catalogue.metrics import HEADLINE, parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_PROTOCOL,
    RELATION_SIDE,
    SIDES,
    SPLITS,
    find_protocol,
    rate_protocol,
)
from rankconst.catalogue.tools import load_tools
from rankconst.listing import count, number
from rankconst.names import squash
from rankconst.tables.citation import identify
from rankconst.tasks import Tasks
from rankconst.values.comparison import find_smallest_difference
from rankconst.values.published import show_enough, show_number
from rankconst.verdicts import show_expected
from rankconst.version import __version__
from rankconst_builder.site.data import FIELDS, OFFERED, locate, slug
from rankconst_builder.site.draw import (
    Point,
    draw_candidates,
    draw_chance,
    draw_datasets,
    draw_results,
)
from rankconst_builder.site.markup import Html, fill, join, link, link_safely, scroll, table, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankconst.tables.archive import Tables
    from rankconst.values.constants import Constants
    from rankconst_builder.site.findings import PublishedResult

METRIC = "mrr"
"""The metric of the published results that are shown, as most papers print it."""

_NAVIGATION = {
    "index.html": "Calculator",
    "datasets.html": "Datasets",
    "results.html": "Results",
    "averages.html": "Averages",
    "about.html": "About",
    "docs/index.html": "Documentation",
}


@dataclass(frozen=True)
class Site:
    """The contents that pages share."""

    tables: Tables
    keys: tuple[str, ...]  # of datasets
    bibtex: str
    url: str = ""  # its address, with a slash at the end; empty if not known
    pages: tuple[str, ...] = ()  # besides those of datasets
    # By dataset, the best first.
    published: Mapping[str, Sequence[PublishedResult]] = field(default_factory=dict, repr=False)
    described: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)

    def title_of(self, key: str) -> str:
        """Return the name of a dataset in papers."""
        return str(self.tables.datasets[key]["title"])

    def default_tasks(self, key: str) -> Tasks:
        """Return the most common tasks of a dataset in the tables: test, both, standard if held."""
        return min(
            self.list_tasks(key),
            key=lambda tasks: (
                tasks.split != "test",
                tasks.side != "both",
                rate_protocol(tasks.protocol),
            ),
        )

    def list_tasks(self, key: str) -> list[Tasks]:
        """List the tasks of a dataset in the tables, without macro averages."""
        paths = (path.split("/") for path in self.described[key]["tasks"] if path.count("/") == 2)
        return [Tasks(key, protocol, split, side) for split, side, protocol in paths]

    def holds(self, tasks: Tasks) -> bool:
        """Return True if the tables have constants of some tasks."""
        return locate(tasks) in self.described[tasks.dataset]["constants"]

    def expect(self, tasks: Tasks, slug: str) -> float | None:
        """Return the expectation of a metric, or None if the tables do not have it."""
        constant = self.described[tasks.dataset]["constants"].get(locate(tasks), {}).get(slug)
        return None if constant is None else constant[FIELDS.index("expectation")]


def write_page(
    site: Site,
    here: str,
    title: str,
    body: Html,
    description: str = "",
    *,
    scripts: Sequence[str] = (),
) -> str:
    """Return a whole page around a body.

    `here` is its path in the site, such as ``datasets/nations.html``: links of the navigation are
    relative to it. Without a `description`, the title is one. `scripts` are names of assets.
    """
    root = "../" * here.count("/")
    links = []
    for path, name in _NAVIGATION.items():
        if path in site.pages:
            current = "page" if path == here else None
            links.append(tag("a", name, href=f"{root}{path}", aria_current=current))

    graph = {"title": title, "description": description or title, "type": "website"}
    canonical = Html("")
    if site.url:
        graph["url"] = f"{site.url}{here}"
        canonical = tag("link", rel="canonical", href=graph["url"])

    described = [tag("meta", name="description", content=graph["description"])]
    described += [tag("meta", property=f"og:{name}", content=text) for name, text in graph.items()]
    parts = {
        "root": root,
        "title": Html(escape(title, quote=False)),
        "described": join(described),
        "canonical": canonical,
        "scripts": join(tag("script", src=f"assets/{name}.js", defer=True) for name in scripts),
        "links": join(links),
        "body": body,
        "version": site.tables.version,
        "program": __version__,
    }
    return f"<!doctype html>\n{fill('page.html', parts)}\n"


_EXAMPLE = "model,dataset,MRR,Hits@10\nRotatE,FB15k-237,0.338,0.533\nRotatE,WN18RR,0.476,0.571\n"


# -- the calculator --------------------------------------------------------------------------------


def write_calculator(site: Site) -> str:
    """Return the first page, the calculator."""
    ambiguous = {squash(name) for name in list_ambiguous()}
    titles = {}
    for key in site.keys:
        title = site.title_of(key)
        name = key if squash(title) in ambiguous else title
        titles[name] = key

    choices = {
        "split": ("test (default)", SPLITS),
        "side": ("both, or the tool's (default)", sorted(SIDES)),
        "protocol": ("as the tool evaluates", list_protocols(site)),
    }
    more = []
    for name, (default, values) in choices.items():
        options = _list_options({"": default, **{value: value for value in values}})
        more.append(
            fill("choice.html", {"name": name, "label": name.capitalize(), "options": options})
        )

    tools = {tool.key: tool.title for tool in load_tools().values()}
    parts = {
        "lead": Html(escape(_contrast(site), quote=False)),
        "metrics": _list_options({slug(metric): metric.label for metric in OFFERED}),
        "titles": _list_options(titles),
        "tools": _list_options({"": "I don't know", **tools}),
        "example": urlencode({"mode": "table", "table": _EXAMPLE, "tool": "rotate"}),
        "more": join(more),
    }
    description = (
        "Adjust MR, MRR and Hits@k for chance: exact expectations and variances of "
        f"{len(site.keys)} link-prediction benchmarks."
    )
    body = fill("calculator.html", parts)
    title, scripts = "Adjust a ranking metric for chance", ("names", "calculator")
    return write_page(site, "index.html", title, body, description, scripts=scripts)


def _list_options(options: Mapping[str, str]) -> Html:
    """Return the options of a choice, given the text of each value."""
    return join(tag("option", text, value=value) for value, text in options.items())


_CONTRAST = ("nations", "fb15k237")  # where chance gets much, and where it gets little


def _contrast(site: Site) -> str:
    """Write the lead, with what chance gets on two very different datasets."""
    why = (
        "Published MR, MRR and Hits@k compare across datasets only once you subtract what chance "
        "gets."
    )
    if not {*_CONTRAST} <= {*site.keys}:
        return why

    parts = []
    for key in _CONTRAST:
        hits = site.expect(Tasks(key), "hits@10") or 0
        parts.append(f"{show_number(hits, 2)} on {site.title_of(key)}")

    most, least = parts
    return f"A random ranker gets a Hits@10 of {most} and of {least}. {why}"


# -- the datasets ----------------------------------------------------------------------------------


_HEADINGS = (
    "dataset", "MRR", "Hits@10", "MR", "protocol", "family", "entities", "relations",
    "test triples",
)  # fmt: skip


def _find_family(key: str) -> str:
    """Return the family of a benchmark, one of :data:`FAMILIES`."""
    if key.startswith("ogb"):
        return "OGB"
    kinds = list_kinds(key)
    special = [family for family in ("temporal", "n-ary", "inductive") if family in kinds]
    return special[0] if special else "transductive"


def write_list(site: Site) -> str:
    """Return the page of all datasets: a drawing and a table, both by the MRR of chance."""
    chance = {key: site.expect(site.default_tasks(key), METRIC) for key in site.keys}
    rows, dots, published = [], [], []
    # The highest first; those without an MRR are last, and have no dot.
    for key in sorted(site.keys, key=lambda key: (-(chance[key] or 0), key)):
        rows.append(_list_dataset(site, key))
        mrr = chance[key]
        if mrr is not None:
            page, family = f"datasets/{key}.html", _find_family(key)
            dots.append(Point(key, title=site.title_of(key), family=family, value=mrr, page=page))

    for key in site.keys:
        published += [(key, result.value) for result in site.published.get(key, ())]

    head = tag("tr", *(tag("th", heading, scope="col") for heading in _HEADINGS))
    listed = tag(
        "table", tag("thead", head), tag("tbody", *rows), id="list", class_="numbers listed print"
    )
    parts = {
        "number": str(len(site.keys)),
        "protocol": DEFAULT_PROTOCOL,
        "drawing": draw_datasets(dots, published),
        "listed": scroll(listed, "Datasets"),
    }
    body = fill("datasets.html", parts)
    return write_page(site, "datasets.html", "Datasets", body, scripts=["search"])


def _list_dataset(site: Site, key: str) -> Html:
    """Return the row of a dataset, with the words that searching finds."""
    row = site.tables.datasets[key]
    tasks, family = site.default_tasks(key), _find_family(key)
    show = number(4)
    expected = [show(site.expect(tasks, metric)) for metric in ("mrr", "hits@10", "mr")]
    counts = [count(row[name]) for name in ("entities", "relations", "triples_test")]
    dataset = tag("th", link(f"datasets/{key}.html", row["title"]), scope="row")
    # In the order of the headings.
    cells = [tag("td", cell) for cell in (*expected, tasks.protocol, family, *counts)]
    words = " ".join((key, row["title"], family, *row["aliases"], row["citation"] or ""))
    return tag("tr", dataset, *cells, data_words=words, data_key=key)


def list_protocols(site: Site) -> list[str]:
    """List the protocols of all datasets of the site."""
    keys = (protocol for key in site.keys for protocol in site.tables.protocols(key))
    return list(dict.fromkeys(keys))


# -- about -----------------------------------------------------------------------------------------


def list_facts(facts: Iterable[tuple[str, str]]) -> Html:
    """Return a list of names and values."""
    parts = []
    for name, value in facts:
        parts += [tag("dt", name), tag("dd", value)]
    return tag("dl", *parts, class_="facts")


def write_about(site: Site) -> str:
    """Return the page on reading, citing and downloading the numbers."""
    tasks = {key: site.default_tasks(key) for key in site.keys}
    standard = [key for key in site.keys if tasks[key].protocol == DEFAULT_PROTOCOL]
    key = standard[0] if standard else site.keys[0]  # the dataset of the example
    version, path = site.tables.version, locate(tasks[key])
    folder = f"v1/{version}"
    place = f"{folder}/{key}.json\n  constants → {path} → mrr → [{', '.join(FIELDS)}]"
    protocols = [(name, find_protocol(name).summary) for name in list_protocols(site)]
    parts = {
        "protocols": list_facts(protocols),
        "baselines": list_facts((row.title, row.summary) for row in BASELINES.values()),
        "example": link(f"datasets/{key}.html#{path}/mrr", identify(version, key, path, "mrr")),
        "place": tag("pre", tag("code", place), tabindex="0"),
        "listed": link(f"{folder}/index.json", f"the datasets of {version}"),
        "bibtex": tag("pre", tag("code", site.bibtex), tabindex="0"),
    }
    return write_page(site, "about.html", "About", fill("about.html", parts))


# -- a dataset -------------------------------------------------------------------------------------

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
    """Write what a random ranker gets, and which differences tell two models apart."""
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
    """Return the folded sections at the end of the page."""
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
    """Return the expectations of the usual metrics, as links to the constants."""
    cells = []
    for metric in HEADLINE:
        value = site.expect(tasks, slug(metric))
        if value is None:
            cells.append(Html("–"))
        else:
            cells.append(link(f"#{locate(tasks)}/{slug(metric)}", show_number(value, 4)))

    return cells


def _tabulate_protocols(site: Site, key: str, tasks: Tasks) -> Html:
    """Tabulate what a random ranker gets by protocol; a row may be ``standard = libkge``."""
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
    """Tabulate what a random ranker gets in relation prediction, or return None without any."""
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
    """Return the section that compares a random ranker with those that only count triples."""
    counting = site.tables.find_counting(tasks.dataset)
    rows = []
    for key, baseline in BASELINES.items():
        baseline_tasks = replace(tasks, baseline=key)
        if not site.holds(baseline_tasks):
            continue
        how_it_ranks = baseline.summary
        if key == FLOOR and counting is not None:
            # Counting is by rules, frequency or recency, whichever the tables say.
            how_it_ranks = counting.summary
        rows.append([baseline.title, *_list_expected(site, baseline_tasks), how_it_ranks])

    if len(rows) < 2:  # there is only chance
        return []

    headings = ["ranker", *_LABELS, "how it ranks"]
    return [
        tag("h2", "What counting gets"),
        tag("p", f"Rankers that learn nothing ({tasks.describe()})."),
        scroll(table(headings, rows, class_="numbers told"), "What baselines get"),
    ]


def _describe_published(site: Site, tasks: Tasks) -> list[Html]:
    """Return the section of published results, or nothing without any."""
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
    """Tabulate every constant of a dataset by ranking tasks."""
    headings = ("metric", "expectation", "± error", "variance", "± error")
    head = tag("tr", *(tag("th", heading, scope="col") for heading in headings))
    groups = []
    for path, constants in site.described[key]["constants"].items():
        rows = [tag("tr", tag("th", path, colspan=len(headings), scope="rowgroup"))]
        for name, (expectation, error, variance, variance_error, *_) in constants.items():
            anchor = f"{path}/{name}"
            means = [repr(expectation), f"{error:.0e}"]
            variances = [show_number(variance, 6), f"{variance_error:.0e}"]
            cells = [tag("td", number) for number in (*means, *variances)]
            label = tag("th", link(f"#{anchor}", parse_metric(name).label), scope="row")
            rows.append(tag("tr", label, *cells, id=anchor))
        groups.append(tag("tbody", *rows))

    return scroll(tag("table", tag("thead", head), *groups, class_="numbers"), "Constants")


def _describe_benchmark(row: Mapping[str, Any]) -> list[Html]:
    """Return the statistics, sources, hashes, licence and citation of a dataset."""
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
