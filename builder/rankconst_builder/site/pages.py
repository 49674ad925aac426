"""The pages of the site; each is a function of what :class:`Site` holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import BASELINES
from rankconst.catalogue.benchmarks import list_ambiguous, list_kinds
from rankconst.catalogue.metrics import HEADLINE, TABULATED, parse_metric
from rankconst.catalogue.protocols import (
    AGGREGATIONS,
    DEFAULT_PROTOCOL,
    SIDES,
    SPLITS,
    find_protocol,
    rate_protocol,
)
from rankconst.catalogue.tools import load_tools
from rankconst.names import squash
from rankconst.tables.citation import identify
from rankconst.tasks import Tasks
from rankconst.values.published import show_number
from rankconst.version import __version__
from rankconst_builder.site.data import FIELDS, locate, slug
from rankconst_builder.site.draw import FAMILIES, Point, draw_datasets
from rankconst_builder.site.html import Html, link, scroll, table, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankconst.tables.archive import Tables
    from rankconst_builder.site.papers import Result

# Nothing is run, shown or fetched that is not from the site itself.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; object-src 'none'"
)
_PAPER = "https://arxiv.org/abs/2203.07544"
_LICENCE = "https://creativecommons.org/publicdomain/zero/1.0/"
_TYPED = {"autocomplete": "off", "spellcheck": "false"}
_NAVIGATION = {
    "index.html": "Calculator",
    "datasets.html": "Datasets",
    "results.html": "Results",
    "averages.html": "Averages",
    "about.html": "About",
    "docs/index.html": "Documentation",
}
PICTURE = (1200, 630)
"""Width and height of the picture that a link shows."""


@dataclass(frozen=True)
class Site:
    """What all pages share."""

    tables: Tables
    keys: tuple[str, ...]
    bibtex: str
    # Where it will be, with a slash at the end; empty if that is not known.
    url: str = ""
    # The pages that it has, but for those of datasets.
    pages: tuple[str, ...] = ()
    # Whether its links have pictures.
    draws: bool = False
    # By dataset, the best first.
    published: Mapping[str, Sequence[Result]] = field(default_factory=dict, repr=False)
    described: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)

    def title_of(self, key: str) -> str:
        """Return the name that papers print."""
        return str(self.tables.datasets[key]["title"])

    def usual_tasks(self, key: str) -> Tasks:
        """Return the tasks assumed for numbers on a dataset: test, both sides, standard.

        Where the tables lack these, the most usual ones that they hold.
        """
        return min(
            self.list_held(key),
            key=lambda each: (
                each.split != "test",
                each.side != "both",
                rate_protocol(each.protocol),
            ),
        )

    def list_held(self, key: str) -> list[Tasks]:
        """List the tasks whose every rank counts the same."""
        paths = (path.split("/") for path in self.described[key]["tasks"] if path.count("/") == 2)
        return [Tasks(key, protocol, split, side) for split, side, protocol in paths]

    def expect(self, tasks: Tasks, slug: str) -> float | None:
        """Return an expectation; None if the tables do not have it."""
        found = self.described[tasks.dataset]["constants"].get(locate(tasks), {}).get(slug)
        return None if found is None else found[FIELDS.index("expectation")]


def name_picture(page: str) -> str:
    """Return the file of the picture that links to a page show."""
    shared = page in {"datasets.html", "about.html"}
    return "index.png" if shared else page.replace(".html", ".png")


def write_page(site: Site, here: str, title: str, *body: str, description: str = "") -> str:
    """Return a whole page with the way back to the root of the site.

    Texts in its body become paragraphs.
    """
    root = "../" * here.count("/")
    links = [
        tag("a", name, href=f"{root}{path}", aria_current="page" if path == here else None)
        for path, name in _NAVIGATION.items()
        if path in site.pages
    ]
    told = {"title": title, "description": description or title, "type": "website"}
    if site.url:
        told["url"] = f"{site.url}{here}"
    if site.url and site.draws:
        told["image"] = f"{site.url}assets/{name_picture(here)}"
        told["image:width"], told["image:height"] = map(str, PICTURE)
    start = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="description", content=description or title),
        *(tag("meta", property=f"og:{name}", content=text) for name, text in told.items()),
        tag("meta", name="twitter:card", content="summary_large_image"),
        tag("title", f"{title} · rankconst"),
        tag("link", rel="icon", href=f"{root}assets/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href=f"{root}assets/style.css"),
        *([tag("link", rel="canonical", href=f"{site.url}{here}")] if site.url else []),
        tag("script", src=f"{root}assets/names.js", defer=True),
        tag("script", src=f"{root}assets/site.js", defer=True),
    )
    content = tag(
        "body",
        tag("a", "Skip to the content", class_="skip", href="#main"),
        tag(
            "header",
            tag("a", "rankconst", class_="brand", href=f"{root}index.html"),
            tag("nav", *links, aria_label="Pages"),
        ),
        tag(
            "main",
            *(each if isinstance(each, Html) else tag("p", each) for each in body),
            id="main",
        ),
        tag(
            "footer",
            tag(
                "p",
                f"Tables {site.tables.version}, by rankconst {__version__}. Tables: ",
                link(_LICENCE, "CC0"),
                ". Framework: ",
                link(_PAPER, "Hoyt et al. 2022"),
                ".",
            ),
        ),
    )
    return f"<!doctype html>\n{tag('html', start, content, lang='en', data_root=root)}\n"


# -- the calculator --------------------------------------------------------------------------------


def _field(
    name: str, label: str, control: str, hint: str = "", *children: str, **attributes: str
) -> Html:
    """Return a field of the form: label, control, hint, and a place for a note on the input."""
    note = f"{name}-error"
    told = tag("p", hint, class_="hint", id=f"{name}-hint") if hint else Html("")
    described = f"{name}-hint {note}" if hint else note
    return tag(
        "div",
        tag("label", label, for_=name),
        tag(control, *children, id=name, name=name, aria_describedby=described, **attributes),
        told,
        tag("p", class_="error", id=note, role="status"),
        class_="field",
    )


def _select(name: str, label: str, options: Mapping[str, str], *more: Html, hint: str = "") -> Html:
    """Return a field to choose from texts by their values."""
    return _field(name, label, "select", hint, *_list_options(options), *more)


def _list_options(options: Mapping[str, str]) -> list[Html]:
    return [tag("option", text, value=value) for value, text in options.items()]


def write_calculator(site: Site) -> str:
    """Return the first page."""
    return write_page(
        site,
        "index.html",
        "Adjust a ranking metric for chance",
        tag("h1", "What is your number worth?"),
        tag("p", _contrast(site), class_="lead"),
        tag("p", id="version-note", class_="error", role="status"),
        tag("p", id="verdict", class_="verdict", aria_live="polite"),
        tag(
            "div",
            _write_form(site),
            tag(
                "section",
                tag("p", "The result will be here.", class_="quiet"),
                id="result",
                aria_label="The result",
            ),
            tag(
                "noscript",
                tag("p", "The calculator needs JavaScript. The datasets' pages work without it."),
            ),
            class_="columns",
        ),
        description="Adjust MR, MRR and Hits@k for chance: exact expectations and variances of "
        f"{len(site.keys)} link-prediction benchmarks.",
    )


def _write_form(site: Site) -> Html:
    """Return the form of the calculator."""
    modes = [
        tag("label", tag("input", type="radio", name="mode", id=f"mode-{mode}", value=mode), text)
        for mode, text in (("number", "A number"), ("table", "A table"))
    ]
    usual = {slug(metric): metric.label for metric in HEADLINE}
    others = {slug(metric): metric.label for metric in TABULATED if metric not in HEADLINE}
    numbers = [
        _field(
            "value",
            "Number",
            "input",
            "As printed: 0.338, 33.8%, 0.545 ± 0.005. Its digits say how it was rounded.",
            **_TYPED,
        ),
    ]
    hint = (
        "CSV, Markdown, plain LaTeX, or cells of a spreadsheet. The heading names metrics such "
        "as MRR, or datasets."
    )
    tables = [
        _field("table", "Table", "textarea", hint, rows="8", spellcheck="false", class_="code"),
        tag("button", "Show an example", type="button", id="example-table"),
    ]
    ambiguous = {squash(name) for name in list_ambiguous()}
    titles = {
        title if squash(title := site.title_of(key)) not in ambiguous else key: key
        for key in site.keys
    }
    tools = {"": "I don't know", **{tool.key: tool.title for tool in load_tools().values()}}
    more = {
        "split": {"": "test (default)", **{each: each for each in SPLITS}},
        "side": {"": "both, or the tool's (default)", **{each: each for each in sorted(SIDES)}},
        "protocol": {"": "as the tool evaluates", **{each: each for each in list_protocols(site)}},
        "aggregation": {"": "micro (default)", **{each: each for each in AGGREGATIONS}},
    }
    return tag(
        "form",
        tag("fieldset", tag("legend", "What do you have?"), *modes, class_="modes"),
        tag("div", *numbers, id="number-fields"),
        tag("div", *tables, id="table-fields", hidden=True),
        _select(
            "metric",
            "Metric",
            usual,
            tag("optgroup", *_list_options(others), label="More"),
            hint="In a table: of columns that name a dataset alone.",
        ),
        _field("dataset", "Dataset", "input", "Type part of its name.", list="datasets", **_TYPED),
        tag("datalist", *_list_options(titles), id="datasets"),
        _select(
            "tool",
            "Which tool computed it?",
            tools,
            hint="It says which entities were ranked, and what was filtered.",
        ),
        tag(
            "details",
            tag("summary", "Split, side, protocol and more"),
            *(_select(name, name.capitalize(), options) for name, options in more.items()),
            id="more",
        ),
        id="calculator",
    )


_CONTRAST = ("nations", "fb15k237")


def _contrast(site: Site) -> str:
    """Say why: chance gets nearly all on one dataset, and next to nothing on another."""
    why = (
        "Published MR, MRR and Hits@k compare across datasets only once you subtract what chance "
        "gets."
    )
    known = {key: site.expect(Tasks(key), "hits@10") for key in _CONTRAST if key in site.keys}
    if len(known) < len(_CONTRAST):
        return why
    most, least = (
        f"{show_number(known[key] or 0, 2)} on {site.title_of(key)}" for key in _CONTRAST
    )
    return f"A random ranker gets a Hits@10 of {most} and of {least}. {why}"


# -- the datasets ----------------------------------------------------------------------------------


_LISTED = ("mrr", "hits@10", "mr", "hits@1", "hits@3")


def _find_family(key: str) -> str:
    """Return what kind of a benchmark a dataset is, in a word."""
    kinds = list_kinds(key)
    return next(
        (kind for kind in FAMILIES if kind in kinds),
        "OGB" if key.startswith("ogb") else FAMILIES[0],
    )


def write_list(site: Site) -> str:
    """Return the list of datasets: those on which chance matters most come first."""
    rows, points = [], []
    for key in sorted(
        site.keys, key=lambda each: (-(site.expect(site.usual_tasks(each), "mrr") or 0), each)
    ):
        row, tasks = site.tables.datasets[key], site.usual_tasks(key)
        family, page = _find_family(key), f"datasets/{key}.html"
        expected = {slug: site.expect(tasks, slug) for slug in _LISTED}
        if expected["mrr"] is not None:
            points.append(Point(key, row["title"], family, expected["mrr"], page))
        numbers = [row[name] for name in ("entities", "relations", "triples_test")]
        shown = [
            tag("td", _show(each), data_value="" if each is None else repr(each))
            for each in expected.values()
        ]
        cells = [
            tag("th", link(page, row["title"]), scope="row", data_value=row["title"]),
            *shown[:2],
            tag("td", tasks.protocol),
            tag("td", family),
            *shown[2:],
            *(
                tag("td", count(number), data_value="" if number is None else number)
                for number in numbers
            ),
        ]
        words = " ".join((key, row["title"], family, *row["aliases"], row["citation"] or ""))
        rows.append(tag("tr", *cells, data_words=words, data_key=key))
    labels = [parse_metric(slug).label for slug in _LISTED]
    headings = [
        "dataset",
        *labels[:2],
        "protocol",
        "family",
        *labels[2:],
        "entities",
        "relations",
        "test triples",
    ]
    head = tag("tr", *(tag("th", heading, scope="col") for heading in headings))
    listed = tag(
        "table", tag("thead", head), tag("tbody", *rows), id="list", class_="numbers listed print"
    )
    search = tag("input", id="search", type="search", autocomplete="off", spellcheck="false")
    results = [(key, each.value) for key in site.keys for each in site.published.get(key, ())]
    return write_page(
        site,
        "datasets.html",
        "Datasets",
        tag("h1", "Does chance matter on your dataset?"),
        tag(
            "p",
            f"What a random ranker gets on {len(site.keys)} benchmarks: test, both sides pooled, "
            f"protocol {DEFAULT_PROTOCOL} where the dataset has it. Those on which chance matters "
            "most come first.",
            class_="lead",
        ),
        tag("div", tag("label", "Search", for_="search"), search, class_="field search"),
        tag("p", f"{len(site.keys)} datasets", id="found", class_="quiet", role="status"),
        draw_datasets(points, results),
        scroll(listed, "Datasets"),
    )


def _show(value: float | None) -> str:
    return "–" if value is None else show_number(value, 4)


def count(number: int | None) -> str:
    """Write a count, or a dash if it is not known."""
    return "–" if number is None else f"{number:,}"


def list_protocols(site: Site) -> list[str]:
    """List the protocols that any dataset of the site has."""
    return [
        *dict.fromkeys(protocol for each in site.keys for protocol in site.tables.protocols(each))
    ]


# -- about -----------------------------------------------------------------------------------------


def list_facts(facts: Iterable[tuple[str, str]]) -> list[Html]:
    """Return names and values as the parts of a list of facts."""
    return [part for name, value in facts for part in (tag("dt", name), tag("dd", value))]


_FORMULAS = [
    ["normalised", "M / E[M]", "1 = random"],
    ["index", "(M − E[M]) / (optimum − E[M])", "0 = random, 1 = perfect"],
    ["z", "±(M − E[M]) / √Var[M], larger is better", "standard deviations better than random"],
]


def write_about(site: Site) -> str:
    """Return how to read the numbers, cite them, and fetch them with a program."""
    key = next(
        (key for key in site.keys if site.usual_tasks(key).protocol == DEFAULT_PROTOCOL),
        site.keys[0],
    )
    tasks, version, protocols = site.usual_tasks(key), site.tables.version, list_protocols(site)
    folder, listed = f"v1/{version}", f"the datasets of {version}"
    place = f"constants → {locate(tasks)} → mrr → [{', '.join(FIELDS)}]"
    example = link(
        f"datasets/{key}.html#{locate(tasks)}/mrr", identify(version, key, locate(tasks), "mrr")
    )
    sections: dict[str, list[str]] = {
        "Three adjustments": [
            "All are affine in the published number M. E[M] and Var[M] depend only on how many "
            "candidates each test triple is ranked against, never on the model.",
            scroll(table(["adjustment", "formula", "scale"], _FORMULAS), "The three adjustments"),
            "Compare datasets by the index. Use z to tell a model from chance. Ranges come from "
            "rounding: 0.338 may be anything from 0.3375 to 0.3385.",
        ],
        "Protocols": [
            (
                "“FB15k-237, test” is not one evaluation. Name the tool that produced the "
                "number, or the protocol:"
            ),
            tag(
                "dl",
                *list_facts([(each, find_protocol(each).summary) for each in protocols]),
                class_="facts",
            ),
        ],
        "Baselines": [
            tag(
                "dl",
                *list_facts([(row.title, row.summary) for row in BASELINES.values()]),
                class_="facts",
            )
        ],
        "An address for every constant": [
            "Each has an identifier with the version of the tables, which never changes its "
            "value. The part behind the dataset is the place of the constant in the dataset's "
            "JSON:",
            tag("p", example),
            _write_code(f"{folder}/{key}.json\n  {place}"),
            tag(
                "p",
                "As JSON: ",
                link("v1/index.json", "the versions"),
                ", ",
                link(f"{folder}/index.json", listed),
            ),
        ],
        "Cite": [
            "Cite the version of the tables, and the paper whose framework this is:",
            tag("p", link(_PAPER, "arXiv:2203.07544")),
            _write_code(site.bibtex),
        ],
        "This site": [
            (
                "It stores nothing, sends nothing, and works from a folder without a network. "
                "The tables are CC0."
            )
        ],
    }
    parts = [part for heading, told in sections.items() for part in (tag("h2", heading), *told)]
    return write_page(site, "about.html", "About", tag("h1", "About these numbers"), *parts)


def _write_code(text: str) -> Html:
    return tag("pre", tag("code", text), tabindex="0")
