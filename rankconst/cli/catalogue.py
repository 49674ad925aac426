"""The lists of ``rankconst show``, and the pages of metrics, protocols, tools and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.arrow import join_texts
from rankconst.catalogue.answers import FAMILIES, GROUPS, Library, load_libraries, parse_library
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, parse_baseline
from rankconst.catalogue.literature import load_suites, parse_suite
from rankconst.catalogue.metrics import (
    CATALOGUE,
    Metric,
    describe_metric,
    find_metric,
    list_metrics,
    parse_adjusted_metric,
    parse_metric,
)
from rankconst.catalogue.protocols import (
    AGGREGATIONS,
    CANDIDATES,
    DEFAULT_AGGREGATION,
    DEFAULT_PROTOCOL,
    KNOWN,
    PROTOCOLS,
    RANK_TYPES,
    TASKS,
    TIMES,
    Protocol,
    find_protocol,
    parse_aggregation,
    parse_protocol,
    rate_protocol,
)
from rankconst.catalogue.tools import Tool, load_tools, parse_tool
from rankconst.cli.output import print_listing
from rankconst.errors import UnknownNameError
from rankconst.listing import FOR_PEOPLE, Column, Format, Listing, Row, count, show_constant, text
from rankconst.names import Names, resolve_name, shorten, squash

if TYPE_CHECKING:
    from rankconst.checks.case import Rule
    from rankconst.tables.archive import Tables


class Registry(NamedTuple):
    """A list of named things: how to load it, find one of them, and show them."""

    thing: str  # the noun for one of them
    load: Callable[[], Mapping[str, Any]]
    find: Callable[[str], Any]  # any spelling to the thing
    # The column with the key comes first. Columns with a title are on the screen.
    columns: Sequence[Column]
    caption: str
    # Key of a column to a function that returns its value, where that is not an attribute of this
    # name.
    values: Mapping[str, Callable[[Any], Any]] = {}
    # Returns the fields of the page of a thing; None if they are the columns.
    describe: Callable[[Any], dict[str, Any]] | None = None
    legend: str = ""  # below a page

    def fill(self, thing: Any) -> dict[str, Any]:
        """Return the value of each column: an attribute of `thing`, or what `values` say."""
        row = {self.columns[0].key: thing.key}
        for column in self.columns[1:]:
            if column.key in self.values:
                value = self.values[column.key](thing)
            else:
                value = getattr(thing, column.key)

            if isinstance(value, Mapping):
                value = [f"{key}: {text}" for key, text in value.items()]
            elif isinstance(value, tuple):
                value = list(value)
            elif value == "":
                value = None

            row[column.key] = value

        return row


# -- metrics ---------------------------------------------------------------------------------------


def _find_metric(name: str) -> Metric:
    """Find a metric by its own name, that of an adjusted form, or a name without its k."""
    match = find_metric(name)
    if match is not None:
        return match[0]
    for metric in CATALOGUE.values():
        if squash(name) in {squash(metric.key), squash(metric.label)}:
            return metric
    return parse_metric(name)


_MEANINGS = {
    "normalised": "divided by what a random ranker gets: 1 = random",
    "index": "adjusted for chance: 1 = perfect, 0 = a random ranker, below 0 = worse than random",
    "z": "as standard deviations better than a random ranker: 0 = random",
}


def _explain_adjusted(name: str) -> str:
    """Explain the name of an adjusted metric; empty for other names."""
    try:
        metric, form = parse_adjusted_metric(name)
    except UnknownNameError:
        return ""
    return f"{metric.name_of(form) or name} is the {metric.label} {_MEANINGS[form]}."


# -- protocols -------------------------------------------------------------------------------------


def _read_of_all(field: str) -> Callable[[Protocol], Any]:
    """Return a function that reads a field of protocols that rank all entities."""
    return lambda protocol: None if protocol.negatives is not None else getattr(protocol, field)


def _show_known(row: Row) -> str:
    """Describe the known answers that a protocol removes."""
    if row["known"] is None:
        return text(None)

    parts = [KNOWN[row["known"]]]
    if find_protocol(row["protocol"]).qualified:
        parts.append("same qualifiers")
    elif row["time"]:
        parts.append(TIMES[row["time"]])

    return ", ".join(parts)


# -- tools, libraries and rules --------------------------------------------------------------------


def _name_sides(tool: Tool) -> str | None:
    """Name the sides that a tool ranks, or None if it draws negatives."""
    if parse_protocol(tool.protocol).negatives is not None:
        return None
    return tool.side or "both"


def _read_group(group: str) -> Callable[[Library], str]:
    """Return a function that says how a library defines a kind of metric, such as "recall"."""

    def read(library: Library) -> str:
        texts = []
        for key in GROUPS[group]:
            if key in library.metrics:
                texts.append(FAMILIES[key].brief)
            elif key in library.metrics_without_k:
                texts.append(f"{FAMILIES[key].brief}, no k")
        return ", ".join(texts)

    return read


def _explain_empty(library: Library) -> str:
    """Return the value of a query without right answers, and the metrics that differ."""
    names = library.all_metrics
    exceptions = [f"{names[key][0]} {value}" for key, value in library.empty_of.items()]
    return ", ".join([library.empty, *exceptions])


def _describe_library(library: Library) -> dict[str, Any]:
    """Return the fields of the page of a library."""
    definitions = []
    for key, names in library.all_metrics.items():
        definitions.append(f"{' or '.join(names)}: {FAMILIES[key].title} ({key})")

    without_k = f"cut off at {library.bare_k}" if library.bare_k else None
    if library.bare_k == "?":
        without_k = "cut off at a k that is not printed"

    return {
        "library": library.key,
        "title": library.title,
        "version": library.version,
        "names": definitions,
        "name without k": without_k,
        "no right answer": _explain_empty(library),
        "ties": library.ties,
        "notes": list(library.notes),
        "evidence": list(library.evidence),
    }


def _load_rules() -> Mapping[str, Rule]:
    from rankconst.checks.checking import RULES

    return RULES


def _find_rule(name: str) -> Rule:
    rules = _load_rules()
    return rules[resolve_name("rule", name, dict.fromkeys(rules, ()))]


# -- the registries --------------------------------------------------------------------------------


def _list_hidden(*keys: str) -> list[Column]:
    """Return columns that are on no screen, but on pages and in files."""
    return [Column(key) for key in keys]


REGISTRIES: dict[str, Registry] = {
    "metrics": Registry(
        thing="metric",
        load=lambda: CATALOGUE,
        find=_find_metric,
        columns=(
            Column("metric"),
            Column("label", "metric"),
            Column("title", "name"),
            Column("better", "better", drop=2),
            Column("normalised", "normalised", drop=1),
            Column("index", "index"),
            Column("z", "z"),
            Column("definition", "definition", drop=3),
        ),
        caption="Formulas, method and reference: rankconst show mrr",
        values={
            "better": lambda metric: "larger" if metric.increasing else "smaller",
            "normalised": lambda metric: metric.name_of("normalised"),
            "index": lambda metric: metric.name_of("index"),
            "z": lambda metric: metric.name_of("z"),
        },
        describe=describe_metric,
        legend=(
            "tasks: pairs (N, c), c tasks with N candidates; n tasks in all; ranks(N): 1 ... N; "
            "H(N, p): sum of 1/j^p; rankings: all rank vectors; E: the expectation."
        ),
    ),
    "tools": Registry(
        thing="tool",
        load=load_tools,
        find=parse_tool,
        columns=(
            Column("tool", "tool"),
            Column("title", "name"),
            Column("protocol", "protocol"),
            *_list_hidden("evaluation", "sides"),
            Column("ties", "true answer among equal scores", drop=1),
            *_list_hidden("nan_scores", "whole_ranks", "batch", "effect", "caveats", "refused"),
            *_list_hidden("reference", "repositories", "evidence"),
        ),
        caption="Caveats and evidence: rankconst show pykeen",
        values={
            "evaluation": lambda tool: parse_protocol(tool.protocol).summary,
            "sides": _name_sides,
        },
    ),
    "libraries": Registry(
        thing="library",
        load=load_libraries,
        find=parse_library,
        columns=(
            Column("library", "library"),
            Column("version", "version", drop=3),
            *(Column(group, group) for group in GROUPS),
            Column("empty", "no right answer", drop=1),
            *_list_hidden("title", "ties", "bare_k", "notes", "evidence"),
        ),
        caption=(
            "What each divides by, of N candidates with R right answers; nDCG: how many right "
            "answers its ideal has on top; MRR: which right answers count. Names and evidence: "
            "rankconst show ranx"
        ),
        values={"empty": _explain_empty, **{group: _read_group(group) for group in GROUPS}},
        describe=_describe_library,
    ),
    "protocols": Registry(
        thing="protocol",
        load=lambda: PROTOCOLS,
        find=find_protocol,
        columns=(
            Column("protocol", "protocol"),
            Column("summary"),
            Column("candidates", "candidates", CANDIDATES.__getitem__),
            Column("tasks", "triples", TASKS.__getitem__, drop=2),
            Column("distinct", "distinct", drop=4),
            Column("known", "known answers removed", show_row=_show_known),
            Column("time", show=TIMES.__getitem__),
            Column("used_by", "used by", drop=5),
            *_list_hidden("distribution", "needs", "reference", "refused"),
        ),
        caption=(
            f"The default is {DEFAULT_PROTOCOL}. Among 500 sampled negatives, or any number: "
            "rankconst show sampled:500"
        ),
        values={
            **{key: _read_of_all(key) for key in ("candidates", "tasks", "distinct", "known")},
            "time": lambda protocol: None if protocol.qualified else protocol.time,
        },
    ),
    "baselines": Registry(
        thing="baseline",
        load=lambda: BASELINES,
        find=parse_baseline,
        columns=(
            Column("baseline", "baseline"),
            Column("summary", "how it ranks"),
            Column("reference"),
        ),
        caption=(
            f"The default is {DEFAULT_BASELINE}. The others know the training set. Equal scores "
            "are in random order."
        ),
    ),
    "aggregations": Registry(
        thing="aggregation",
        load=lambda: AGGREGATIONS,
        find=parse_aggregation,
        columns=(
            Column("aggregation", "aggregation"),
            Column("group", "counts once"),
            Column("summary", "meaning"),
            Column("used_by", "used by", drop=1),
        ),
        caption=(
            f"The default is {DEFAULT_AGGREGATION}. Others: rankconst adjust ... --aggregation "
            "macro-query."
        ),
    ),
    "suites": Registry(
        thing="suite",
        load=load_suites,
        find=parse_suite,
        columns=(
            Column("suite", "suite"),
            Column("title", "mean over", drop=1),
            Column("size", "graphs", count, right=True),
            *_list_hidden("tool", "graphs", "reference", "evidence", "note", "aliases"),
        ),
        caption="Chance and counting of one: rankconst show ultra_inductive",
        values={
            "size": lambda suite: len(suite.graphs),
            "tool": lambda suite: None if suite.tool is None else suite.tool.key,
        },
    ),
    "rules": Registry(
        thing="rule",
        load=_load_rules,
        find=_find_rule,
        columns=(
            Column("rule", "rule"),
            Column("title", "checks"),
            Column("inequality", "must hold", drop=1),
            Column("why"),
        ),
        caption=(
            "Why one holds: rankconst show hits-monotone. All are applied by: rankconst check FILE"
        ),
    ),
}
"""Each list with what is in it, but for datasets, which depend on the tables.

A name that several lists know is of the first.
"""


# -- pages -----------------------------------------------------------------------------------------

_LONGEST = 60  # letters of a title, or of a list on one line of a page


@dataclass(frozen=True)
class Page:
    """The page of a name."""

    name: str
    kind: str  # of registry
    thing: Any
    others: Sequence[str]  # further registries that know the name

    def print(self, form: Format) -> None:
        """Print the page, with the commands for other meanings of the name."""
        registry = REGISTRIES[self.kind]
        page = (registry.describe or registry.fill)(self.thing)
        if form not in FOR_PEOPLE:
            print_listing(Listing.of([Column(field) for field in page], [page]), form)
            return

        key = next(iter(page))
        title_key = "title" if "title" in page else "summary"
        title = page[title_key]
        lead = ""
        if len(title) > _LONGEST:
            lead, title = title, ""
        elif self.kind == "metrics":
            lead = _explain_adjusted(self.name)

        rows = []
        for field in page:
            if field not in {key, title_key} and page[field] not in (None, []):
                rows += _list_lines(registry, page, field)

        captions = [
            f"{self.name} is also a {REGISTRIES[kind].thing}: rankconst show {kind} {self.name}"
            for kind in self.others
        ]
        if registry.legend:
            captions.insert(0, registry.legend)

        headings = (Column("field", page[key]), Column("text", title))
        print_listing(Listing.of(headings, rows, lead, "\n".join(captions)), form)


def _list_lines(registry: Registry, page: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    """List the lines of a field of a page: one, or one for each item of a long list."""
    columns = {column.key: column for column in registry.columns}
    column = columns.get(field, Column(field))
    if column.show_row is not None:
        row = {**page, registry.columns[0].key: next(iter(page.values()))}
        return [{"field": column.title, "text": column.show_row(row)}]

    value = page[field]
    is_long = isinstance(value, list) and len(text(value)) > _LONGEST
    items = value if is_long else [value]
    rows: list[dict[str, Any]] = [{"field": "", "text": column.show(item)} for item in items]
    rows[0]["field"] = field.replace("_", " ")  # the others continue it
    return rows


def find_page(opened: Tables, kind: str | None, name: str) -> Page:
    """Find the page of a name in the registry `kind`, such as "metrics", or in all of them.

    Raises UnknownNameError for an unknown name.
    """
    meanings, errors = {}, {}
    registries = {kind: REGISTRIES[kind]} if kind else REGISTRIES
    for plural, registry in registries.items():
        try:
            meanings[plural] = registry.find(name)
        except UnknownNameError as error:
            errors[registry.thing] = str(error)

    if meanings:
        first, *others = meanings
        return Page(name, first, meanings[first], others)
    if kind:
        raise UnknownNameError(errors[REGISTRIES[kind].thing])

    raise UnknownNameError(_explain_unknown(opened, name, errors))


def explain_unfit(page: Page, opened: Tables, names: Sequence[str]) -> str:
    """Explain why further words or options do not go with a page, and what to type instead."""
    example = "DATASET METRIC"
    if page.kind in {"metrics", "baselines"}:
        dataset = next((name for name in names[1:] if _is_dataset(opened, name)), "DATASET")
        metric = next((name for name in names[1:] if find_metric(name) is not None), page.name)
        example = f"{dataset} {metric}"

    return (
        f"{page.name} is a {REGISTRIES[page.kind].thing}; for constants name the dataset first: "
        f"rankconst show {example}."
    )


def _is_dataset(opened: Tables, name: str) -> bool:
    with suppress(UnknownNameError):
        return bool(opened.resolve_dataset(name))
    return False


def _explain_unknown(opened: Tables, name: str, errors: dict[str, str]) -> str:
    """Explain an unknown name: by the remark of a registry, or by similar names."""
    try:
        opened.resolve_dataset(name)
    except UnknownNameError as error:
        errors = {"dataset": str(error), **errors}

    for thing, message in errors.items():
        if not message.startswith(f"unknown {thing} {shorten(name)!r}."):
            return message

    from rankconst.tables.explain import explain_mean, explain_path

    if squash(name) in RANK_TYPES:
        return (
            f"unknown name {name!r}: it is a rank among equal scores. Which one a tool takes: "
            "rankconst show tools."
        )
    if hint := explain_path(name) or explain_mean(name):
        return f"unknown name {name!r}. {hint}"

    spellings: dict[str, Sequence[str]] = {key: [] for key in ("datasets", *REGISTRIES)}
    spellings |= opened.spellings
    for metric in list_metrics():
        spellings[metric.label.lower()] = [metric.key, *metric.spellings]

    for plural, registry in REGISTRIES.items():
        if plural != "metrics":
            spellings |= dict.fromkeys(registry.load(), ())

    names = Names(
        "name",
        spellings,
        "`rankconst show` lists what there is; for tables of your own add --tables DIR.",
    )
    try:
        return names.resolve(name)
    except UnknownNameError as error:
        return str(error)


# -- lists -----------------------------------------------------------------------------------------

_MRR = parse_metric("mrr")
_CHANCE = f"expectation_{_MRR.key}"

_DATASET_COLUMNS = (
    Column("dataset", "dataset"),
    Column("title", "title", drop=1),
    Column("status", "status", drop=2),
    Column("entities", "entities", count, right=True),
    Column("relations", "relations", count, right=True, drop=5),
    Column("triples_train", "train", count, right=True, drop=3),
    Column("triples_valid", "valid", count, right=True, drop=4),
    Column("triples_test", "test", count, right=True),
    Column(_CHANCE, "E[MRR]", show_constant, right=True),
    *_list_hidden("verified", "licence", "citation", "citation_url"),
    *_list_hidden("source_urls", "aliases", "reason"),
)


def list_all(kind: str | None, opened: Tables, *, every: bool) -> Listing:
    """List all names of a kind, or the kinds. `every` includes datasets that cannot be built."""
    if kind is None:
        return _list_kinds(opened)
    if kind == "datasets":
        return _list_datasets(opened, every=every)
    registry = REGISTRIES[kind]
    rows = [registry.fill(thing) for thing in registry.load().values()]
    return Listing.of(registry.columns, rows, caption=registry.caption)


def _list_kinds(opened: Tables) -> Listing:
    """List the kinds of names, with the command for each."""
    names_of = {"datasets": [*opened.datasets]}
    names_of |= {plural: [*row.load()] for plural, row in REGISTRIES.items()}
    names_of["metrics"] = [metric.label for metric in CATALOGUE.values()]
    rows = []
    for plural, names in names_of.items():
        command = f"rankconst show {plural}"
        rows.append(
            {"list": plural, "count": len(names), "examples": names[:2], "command": command}
        )

    columns = (
        Column("list", "there are"),
        Column("count", "", count, right=True),
        Column("examples", "such as"),
        Column("command", "list them all"),
    )
    caption = (
        f"Datasets are those of tables {opened.version}. Name anything to see its page:\n"
        "  rankconst show wn18rr               what a random ranker gets there\n"
        "  rankconst show wn18rr mrr hits@10   these constants, with errors and variances\n"
        "  rankconst show wn18rr mrr --cite    the sentence for a paper\n"
        "  rankconst show pykeen               a tool, a metric, a protocol ..."
    )
    return Listing.of(columns, rows, caption=caption)


def _list_datasets(opened: Tables, *, every: bool) -> Listing:
    """List the datasets in the tables, those that can be built and, if `every`, the others."""
    chance = _expect_mrr(opened)
    described = []
    for key, row in opened.datasets.items():
        described.append(row | {"status": "included", _CHANCE: chance.get(key)})

    described += _list_others(opened)
    if not every:
        described = [row for row in described if not row.get("reason")]

    rows = [_pick_fields(row) for row in described]
    included = len(opened.datasets)
    extra = "" if find_spec("pooch") else ", which needs the extra rankconst[builder]"
    caption = (
        f"{included} in tables {opened.version}. {len(rows) - included} more: rankconst build "
        f"KEY{extra}.\n"
        "E[MRR]: what a random ranker gets on test, both sides, by the protocol that is usual "
        "there."
    )
    return Listing.of(_DATASET_COLUMNS, rows, caption=caption)


def _pick_fields(row: Row) -> dict[str, Any]:
    """Return the fields of a dataset that have a column, None where it has none."""
    return {column.key: row.get(column.key) for column in _DATASET_COLUMNS}


def _expect_mrr(opened: Tables) -> dict[str, float]:
    """Return the expected MRR of chance on each test set, under its usual protocol."""
    import pyarrow.compute as pc

    address = {
        "metric": _MRR.family,
        "baseline": DEFAULT_BASELINE,
        "split": "test",
        "side": "both",
        "aggregation": DEFAULT_AGGREGATION,
    }
    table = opened.read("constants")
    for column, value in address.items():
        table = table.filter(pc.is_in(table[column], value_set=join_texts([value])))

    rows = table.select(["dataset", "protocol", "expectation"]).to_pylist()
    rows.sort(key=lambda row: rate_protocol(row["protocol"]))
    expected: dict[str, float] = {}
    for row in rows:  # the most usual protocol comes first, and stays
        expected.setdefault(row["dataset"], row["expectation"])

    return expected


def _list_others(opened: Tables) -> list[dict[str, Any]]:
    """Describe the benchmarks that the tables do not hold."""
    from rankconst.catalogue.benchmarks import load_benchmarks

    rows = []
    for key, source in load_benchmarks().items():
        if key in opened.datasets:
            continue
        urls = dict.fromkeys(file.remote.url for file in source.files.values())
        row: dict[str, Any] = {
            "dataset": key,
            "title": source.title,
            "status": "can be built",
            "verified": source.verifiable,
            "licence": source.licence,
            "citation": source.citation,
            "citation_url": source.citation_url,
            "source_urls": list(urls),
            "aliases": list(source.aliases),
        }
        if source.not_offered:
            row |= {"status": "unavailable", "verified": None, "reason": source.not_offered}
        elif source.same_graph_as:
            row["status"] = f"copy of {source.same_graph_as}"

        rows.append(row)

    return rows
