"""``rankconst show``: what there is, a dataset's constants, and the pages of things with names."""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.metrics import HEADLINE, list_metrics, parse_metric
from rankconst.catalogue.protocols import (
    LINK_SIDES,
    SIDES,
    SPLITS,
    parse_protocol,
    parse_side,
    parse_split,
    rate_protocol,
    shares_negatives,
)
from rankconst.cli import options
from rankconst.cli.options import argument, hide, open_tables, option, split_commas
from rankconst.cli.output import group_by, print_listing, print_text, read_format
from rankconst.errors import UnknownNameError, UsageError
from rankconst.listing import FOR_PEOPLE, Column, Format, Listing, count, show_constant
from rankconst.moments import compute_moments
from rankconst.names import join_versions, squash
from rankconst.tables.citation import cite_constant, cite_dataset, cite_program, cite_tables
from rankconst.tasks import Tasks
from rankconst.values.published import show_enough

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rankconst.catalogue.literature import Suite
    from rankconst.catalogue.metrics import Metric
    from rankconst.tables.archive import Tables
    from rankconst.values.constants import Constants

ALL = "all"
"""What options take for every split, side or protocol."""

_LISTS = (
    *("datasets", "metrics", "tools", "libraries", "protocols", "baselines", "aggregations"),
    *("suites", "rules"),
)
# The columns with what rankers get that only count, and their titles.
_FLOORS = {FLOOR: "counting", SINGLE_STEP: "single-step"}
_RELATIONS = "relations"


def show(
    *,
    name: str | None = argument(
        "NAME",
        "Dataset, metric, tool, protocol, baseline, aggregation or rule; or a list: "
        "datasets, metrics ...",
        *("KEY", "METRIC", "TOOL", "PROTOCOL", "BASELINE", "AGGREGATION"),
    ),
    metrics: list[str] = argument("METRIC", "Of a dataset: only these; or relations.", "METRIC"),
    split: str | None = option("--split SPLIT", "train, valid, test (the default) or all."),
    side: str | None = option("--side SIDE", "head, tail, both (the default), relation or all."),
    protocol: str | None = option(
        "--protocol -p PROTOCOL", "Evaluation protocol, or all; see `rankconst show protocols`."
    ),
    baseline: str | None = hide(options.BASELINE),
    cite: bool = option("--cite", "Print the sentence for a paper, and BibTeX."),
    tables: list[str] = hide(options.FURTHER_TABLES),
    format: str = options.FORM,
) -> None:
    """List what there is, or show the constants of a dataset or the page of a name.

    Example: rankconst show

    Example: rankconst show wn18rr

    Example: rankconst show pykeen

    Example: rankconst show fb15k237 mrr --cite
    """
    form = read_format(format)
    names = [word for word in (name, *split_commas(metrics)) if word is not None]
    kind = _find_list(names[0]) if names else None
    if kind is not None:
        names = names[1:]

    values: dict[str, object] = {
        "--split": split,
        "--side": side,
        "--protocol": protocol,
        "--baseline": baseline,
        "--cite": cite,
    }
    used = [option for option, value in values.items() if value]
    if used and not names and (kind or used != ["--cite"]):
        raise UsageError(
            f"{used[0]} needs a dataset: rankconst show DATASET METRIC. What a random ranker "
            "gets on every one: rankconst show datasets --format csv."
        )

    opened = open_tables(tables)
    if not names and cite:
        print_text("\n".join(filter(None, (cite_program(), cite_tables(opened)))))
        return

    if not names:
        from rankconst.cli.catalogue import list_all

        print_listing(list_all(kind, opened, every=form not in FOR_PEOPLE), form)
        return

    dataset = _find_dataset(kind, names[0], opened)
    if dataset is None:
        from rankconst.cli.catalogue import explain_unfit, find_page

        page = find_page(opened, kind, names[0])
        if names[1:] or used:
            raise UsageError(explain_unfit(page, opened, names))
        page.print(form)
        return

    rankers = [word for word in names[1:] if word.lower() in BASELINES]
    wanted = _Wanted(
        tables=opened,
        tasks=Tasks(dataset, protocol or ALL, split or "test", side or "both"),
        names=[word for word in names[1:] if word not in rankers],
        ranker=baseline or next(iter(rankers), None),
        is_usual=protocol is None,
        form=form,
    )
    _show_dataset(wanted, used)


def _find_list(word: str) -> str | None:
    """Return the list that a word names, in the singular or plural: "tools" for "tool"."""
    for plural in _LISTS:
        if squash(word) in {plural, plural[:-1]}:
            return plural
    return None


def _show_dataset(wanted: _Wanted, used: Collection[str]) -> None:
    """Print what is wanted of a dataset, and refuse the options in use that do not go with it."""
    suite = wanted.tables.find_suite(wanted.tasks.dataset)
    if suite is not None:
        wanted.refuse(used, {"--baseline", "--cite"}, "the graphs of a suite: name one of them")
        print_listing(_list_suite(suite, wanted), wanted.form)
    elif wanted.names == [_RELATIONS]:
        wanted.refuse(used, {"--cite"}, _RELATIONS)
        print_listing(_list_relations(wanted.choose_protocol()), wanted.form)
    elif "--cite" in used:
        _print_citations(wanted.choose_protocol())
    else:
        _print_constants(wanted)


def _find_dataset(kind: str | None, name: str, opened: Tables) -> str | None:
    """Return the key of the dataset that a name spells, or None if it names something else."""
    if kind == "datasets":
        return opened.resolve_dataset(name)
    if kind is None:
        with suppress(UnknownNameError):
            return opened.resolve_dataset(name)
    return None


@dataclass(frozen=True)
class _Wanted:
    """The constants to be shown."""

    tables: Tables
    tasks: Tasks  # their names may be "all"
    names: list[str]  # of metrics, or relations
    ranker: str | None  # the name of the baseline
    is_usual: bool  # True if no protocol is named
    form: Format

    @property
    def metrics(self) -> list[Metric]:
        """The named metrics."""
        return [parse_metric(name) for name in self.names]

    @property
    def baselines(self) -> tuple[str, ...]:
        """The keys of the baselines, or of chance."""
        return self.tables.list_baselines(self.ranker, self.tasks.dataset)

    def refuse(self, used: Iterable[str], unfit: set[str], subject: str) -> None:
        """Refuse options that have no effect."""
        for name in used:
            if name in unfit:
                raise UsageError(f"{name} does not go with {subject}.")

    def choose_protocol(self) -> _Wanted:
        """Choose the usual protocol if none is named, and parse the names of tasks."""
        tasks, protocol = self.tasks, self.tasks.protocol
        if self.is_usual:
            protocol = min(self.tables.protocols(tasks.dataset), key=rate_protocol)
        return replace(self, tasks=_parse(self.tables, replace(tasks, protocol=protocol)))

    def list_constants(self, metrics: Sequence[Metric]) -> list[Constants]:
        """Return the constants of some metrics, or of all, under each baseline."""
        # The relation side has chance alone, without single relations and weights.
        sides = SIDES if self.baselines == (DEFAULT_BASELINE,) else LINK_SIDES
        constants = []
        for tasks in self.expand(sides):
            all_metrics = list_metrics(shared=shares_negatives(tasks.protocol))
            for metric, baseline in itertools.product(metrics or all_metrics, self.baselines):
                address = replace(tasks, baseline=baseline)
                constants.append(self.tables.look_up(address, metric))

        return constants

    def expand(self, sides: Iterable[str]) -> list[Tasks]:
        """List the existing tasks, with every protocol, split or side in place of "all"."""
        asked, opened = self.tasks, self.tables
        protocols = opened.protocols(asked.dataset)
        splits = tuple(SPLITS)
        if asked.protocol != ALL:
            protocols = (parse_protocol(asked.protocol).key,)

        if asked.split != ALL:
            splits = (parse_split(asked.split),)

        if asked.side != ALL:
            sides = (parse_side(asked.side),)

        expanded = []
        for protocol, split, side in itertools.product(protocols, splits, sides):
            tasks = replace(asked, protocol=protocol, split=split, side=side)
            if ALL in {asked.split, asked.protocol} and not opened.holds(tasks):
                continue
            # There may be no tasks that rank relations, though there are tasks that rank entities.
            if asked.side == ALL and side not in {*LINK_SIDES, *opened.sides(tasks)}:
                continue
            expanded.append(tasks)

        if not expanded:
            raise UnknownNameError(
                f"the tables ({opened.version}) hold no {asked.split} tasks of {asked.dataset}."
            )
        return expanded


def _parse(tables: Tables, tasks: Tasks) -> Tasks:
    """Return tasks with their names as keys."""
    return tables.tasks(tasks.dataset, split=tasks.split, side=tasks.side, protocol=tasks.protocol)


# -- constants -------------------------------------------------------------------------------------

_MEANING_OF_ENOUGH = (
    "a difference of two published numbers that tells their models apart (p < 0.05), whatever "
    "these have in common; rankconst compare often needs less"
)


def _show_error(value: float) -> str:
    return f"{value:.0e}"


_COLUMNS = (
    Column("dataset"),
    Column("protocol", "protocol"),
    Column("split", "split"),
    Column("side", "side"),
    Column("aggregation"),
    Column("relations"),
    Column("metric"),
    Column("label", "metric"),
    Column("baseline", "baseline"),
    Column("num_tasks", "tasks", count, right=True, drop=1),
    Column("expectation", "chance", show_constant, right=True),
    Column("expectation_error", "± error", _show_error, right=True, drop=5),
    Column("variance", "variance", show_constant, right=True, drop=2),
    Column("variance_error", "± error", _show_error, right=True, drop=6),
    Column("worst", "worst", show_constant, right=True, drop=3),
    Column("method", "method", drop=4),
    Column(
        "smallest_difference", "enough", show_enough, right=True, drop=1, meaning=_MEANING_OF_ENOUGH
    ),
    Column("num_draws"),
    Column("table_version"),
)
_DETAILS = (
    *("expectation_error", "variance", "variance_error", "worst", "method"),
    "smallest_difference",
)


def _describe(constants: Constants) -> dict[str, Any]:
    """Return the columns of constants by key."""
    tasks, metric = constants.tasks, constants.metric
    row: dict[str, Any] = {
        "relations": list(tasks.relations),
        "metric": metric.key,
        "label": metric.label,
    }
    for column in _COLUMNS:
        if column.key not in row:
            source = tasks if hasattr(tasks, column.key) else constants
            row[column.key] = getattr(source, column.key)

    return row


def _print_constants(wanted: _Wanted) -> None:
    """Print constants; for people, the usual metrics under the usual protocol."""
    if wanted.form in FOR_PEOPLE:
        listing = _lay_out(wanted, wanted.list_constants(wanted.metrics or HEADLINE))
    else:
        rows = [_describe(constants) for constants in wanted.list_constants(wanted.metrics)]
        listing = Listing.of(_COLUMNS, rows)
    print_listing(listing, wanted.form)


def _lay_out(wanted: _Wanted, constants: Sequence[Constants]) -> Listing:
    """List constants for people, with counting next to chance or a row for each baseline."""
    tables, dataset = wanted.tables, wanted.tasks.dataset
    described = [_describe(each) | _expect_counting(tables, each) for each in constants]
    rows_by_protocol = join_protocols(described)
    other_protocols: list[str] = []
    if wanted.is_usual and not wanted.names:
        usual = min(rows_by_protocol, key=lambda names: rate_protocol(names.partition(" = ")[0]))
        other_protocols = [names for names in rows_by_protocol if names != usual]

    rows = []
    for names, rows_of_protocol in rows_by_protocol.items():
        if names not in other_protocols:
            rows += rows_of_protocol

    # The columns of counting that have values. Named baselines have rows instead.
    counting_keys: list[str] = []
    if wanted.ranker is None:
        known = {key for key in _FLOORS for row in rows if row[key] is not None}
        counting_keys = [key for key in _FLOORS if key in known]

    # A split or side that was asked for is in the title.
    keys_in_title = [key for key in ("split", "side") if getattr(wanted.tasks, key) != ALL]
    title = _entitle(tables, dataset)
    if keys_in_title:
        title += "\n" + ", ".join(f"{key} {rows[0][key]}" for key in keys_in_title)

    columns = _list_columns(wanted, keys_in_title, counting_keys)
    lines = []
    if counting_keys:
        counting = tables.find_counting(dataset)
        summary = "" if counting is None else f"{counting.summary} "
        lines.append(f"{summary}See rankconst show counting.")

    versions = join_versions(row["table_version"] for row in rows)
    lines += _list_captions(wanted, versions, other_protocols)
    return Listing.of(columns, rows, title=title, caption="\n".join(lines))


def _list_captions(wanted: _Wanted, versions: str, other_protocols: Sequence[str]) -> list[str]:
    """List the lines below constants: their tables, what else there is, and the dataset's note."""
    from rankconst.catalogue.benchmarks import find_note

    dataset = wanted.tasks.dataset
    line = f"Tables: {versions}."
    if other_protocols:
        names = ", ".join(other_protocols)
        line += f" Other protocols, with other numbers: {names} (--protocol all)."

    lines = [line]
    if not wanted.names:
        lines.append(
            "Everything: --split all --side all --format csv. Details: rankconst show "
            f"{dataset} mrr"
        )

    note = find_note(dataset)
    if note:
        lines.append(f"Note: {note}")

    return lines


def _list_columns(
    wanted: _Wanted, keys_in_title: Sequence[str], counting_keys: Sequence[str]
) -> list[Column]:
    """List the columns of constants for people: without those in the title, and with counting."""
    hidden = {*keys_in_title}
    if not wanted.names:
        hidden.update(_DETAILS)

    titles: dict[str, str | None] = {"baseline": None}
    if wanted.ranker is not None:
        titles = {"expectation": "expectation"}

    shown = [column for column in _COLUMNS if column.key not in hidden]
    columns = [column._replace(title=titles.get(column.key, column.title)) for column in shown]
    columns += [Column(key, _FLOORS[key], show_constant, right=True) for key in counting_keys]
    return columns


def _expect_counting(opened: Tables, constants: Constants) -> dict[str, float | None]:
    """Return the expectations of rankers that only count, or None if the tables lack them."""
    expectations: dict[str, float | None] = dict.fromkeys(_FLOORS)
    for baseline in _FLOORS:
        tasks = replace(constants.tasks, baseline=baseline)
        if opened.is_tabulated(tasks, constants.metric):
            expectations[baseline] = opened.look_up(tasks, constants.metric).expectation
    return expectations


def _entitle(opened: Tables, dataset: str) -> str:
    """Return the title of a dataset with its size and its paper."""
    info = opened.describe(dataset)
    triples = " / ".join(count(info[f"triples_{name}"]) for name in SPLITS)
    counts = f"{count(info['entities'])} entities, {triples} triples (train / valid / test)"
    return f"{info['title']}: {counts}\n{info['citation'] or ''}".rstrip()


def join_protocols(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Map protocols to their rows; protocols with the same rows are one: ``standard = libkge``."""
    rows_by_protocol = group_by(rows, lambda row: row["protocol"])

    def write_without_name(protocol: str) -> str:
        return repr([row | {"protocol": ""} for row in rows_by_protocol[protocol]])

    joined = {}
    for protocols in group_by(rows_by_protocol, write_without_name).values():
        names = " = ".join(protocols)
        joined[names] = [row | {"protocol": names} for row in rows_by_protocol[protocols[0]]]

    return joined


def _print_citations(wanted: _Wanted) -> None:
    """Print the sentence that cites each constant or the dataset, and the tables' BibTeX entry."""
    opened, dataset = wanted.tables, wanted.tasks.dataset
    info = opened.datasets[dataset]
    title = info["title"]
    rows: list[dict[str, Any]] = []
    cited = wanted.list_constants(wanted.metrics) if wanted.names else []
    for constants in cited:
        tabulated = opened.is_tabulated(constants.tasks, constants.metric)
        sentence = cite_constant(constants, title, tabulated=tabulated)
        rows.append({**_describe(constants), "tabulated": tabulated, "sentence": sentence})

    if not rows:
        version = opened.version_of(dataset)
        sentence = cite_dataset(dataset, title, info["citation"] or "", version)
        rows = [{"dataset": dataset, "table_version": version, "sentence": sentence}]

    bibtex = cite_tables(opened.set_of(dataset))
    if wanted.form in FOR_PEOPLE:
        texts = [*(row["sentence"] for row in rows), bibtex]
        print_text("\n\n".join(filter(None, texts)))
        return

    rows = [row | {"bibtex": bibtex or None} for row in rows]
    print_listing(Listing.of([Column(key) for key in rows[0]], rows), wanted.form)


# -- relations, and the graphs of a suite ----------------------------------------------------------

_SUMMARY = {"mr": 3, "mrr": 0, "hits@1": 4, "hits@10": 0, "gmr": 1}
"""The metrics in the summary of tasks, with the `drop` of their columns."""

SUMMARY = tuple(parse_metric(name) for name in _SUMMARY)
"""The metrics in the summary of tasks: what a random ranker gets."""

EXPECTED = (
    Column("num_tasks", "tasks", count, right=True),
    Column("mean_candidates", "mean N", show_constant, right=True, drop=2),
    *(
        Column(f"expectation_{metric.key}", f"E[{metric.label}]", show_constant, right=True, drop=n)
        for metric, n in zip(SUMMARY, _SUMMARY.values(), strict=True)
    ),
)
"""The columns of a row's tasks, and of the values of a random ranker."""


def _list_relations(wanted: _Wanted) -> Listing:
    """List the relations of some tasks, each against chance or the baselines that are named."""
    opened, tasks = wanted.tables, wanted.tasks
    names = opened.relations(tasks)
    rows: list[dict[str, Any]] = []
    for name in names:
        of_relation = replace(tasks, relations=(name,))
        chance = opened.histogram(of_relation)
        counts = {"relation": name, "num_tasks": chance.total, "mean_candidates": chance.mean}
        for key in wanted.baselines:
            ranking = opened.histogram(replace(of_relation, baseline=key))
            row = {**counts, "baseline": key}
            for metric in SUMMARY:
                moments = compute_moments(metric, ranking)
                row[f"expectation_{metric.key}"] = moments.expectation
            rows.append(row)

    if not rows:
        opened.histogram(tasks)  # which says why if there are no such tasks
        raise UnknownNameError(
            f"the tables ({opened.version}) hold no relations of {tasks.dataset} {tasks.split} "
            f"under protocol {tasks.protocol}; they are kept for valid and test."
        )

    heading = "baseline" if wanted.ranker else None
    title = (
        f"{opened.datasets[tasks.dataset]['title']}: {len(names)} relations of {tasks.split}, "
        f"side {tasks.side}, protocol {tasks.protocol}"
    )
    caption = (
        "Adjust a relation's results with --relation NAME. Tables: "
        f"{opened.version_of(tasks.dataset)}."
    )
    columns = (Column("relation", "relation"), Column("baseline", heading), *EXPECTED)
    return Listing.of(columns, rows, title=title, caption=caption)


def _list_suite(suite: Suite, wanted: _Wanted) -> Listing:
    """List the values of chance and counting on each graph of a suite, and their means."""
    from rankconst.tables.suite_means import require_suite

    opened, tasks = wanted.tables, wanted.tasks
    if wanted.is_usual:
        tasks = replace(tasks, protocol=suite.protocol)

    metrics = wanted.metrics or [parse_metric("mrr"), parse_metric("hits@10")]
    coverage = require_suite(suite, _parse(opened, tasks), opened)
    rankers = {"chance": DEFAULT_BASELINE, FLOOR: FLOOR}
    rows = []
    for graph in coverage.tasks.values():
        row: dict[str, Any] = {"dataset": graph.dataset, "split": graph.split, "side": graph.side}
        for metric, (name, baseline) in itertools.product(metrics, rankers.items()):
            constants = opened.look_up(replace(graph, baseline=baseline), metric)
            row["num_tasks"] = constants.num_tasks
            row[f"{name}_{metric.key}"] = constants.expectation
            row[f"{name}_{metric.key}_sd"] = math.sqrt(constants.variance)
        rows.append(row)

    title = f"{suite.title[0].upper()}{suite.title[1:]}\n{suite.reference}"
    if suite.tool is not None:
        title += f"\nRanking tasks are those of {suite.tool.title}: rankconst show {suite.tool.key}"

    caption = f"The mean is of {coverage}."
    if coverage.missing:
        command = f"rankconst build {' '.join(coverage.missing)}"
        caption += f" To build the others, which needs a network: {command}"

    caption += f"\nTables: {opened.version}."
    rows.append(_average(rows))
    return Listing.of(_list_suite_columns(metrics), rows, title=title, caption=caption)


def _list_suite_columns(metrics: Sequence[Metric]) -> list[Column]:
    """List the columns of a suite's graphs, two for each metric and its standard deviation."""
    columns = [
        Column("dataset", "graph"),
        Column("split", "split", drop=2),
        Column("side", "side", drop=3),
        Column("num_tasks", "tasks", count, right=True, drop=1),
    ]
    # For a single metric there is room for both standard deviations.
    deviation = "sd" if len(metrics) == 1 else None
    for metric in metrics:
        for name, title in (("chance", f"{metric.label}: chance"), (FLOOR, FLOOR)):
            key = f"{name}_{metric.key}"
            columns.append(Column(key, title, show_constant, right=True))
            columns.append(Column(f"{key}_sd", deviation, show_constant, right=True))

    return columns


def _average(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the row of the mean over the graphs of a suite."""
    mean: dict[str, Any] = {"dataset": "mean", "split": None, "side": None}
    for key in rows[0].keys() - mean.keys():
        cells = [row[key] for row in rows]
        # Graphs are independent, so their variances add up.
        total = math.hypot(*cells) if key.endswith("_sd") else math.fsum(cells)
        mean[key] = total / len(rows)

    mean["num_tasks"] = sum(row["num_tasks"] for row in rows)
    return mean
