"""``rankconst show``: what there is, a dataset's constants, and the pages of things with names."""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.metrics import (
    HEADLINE,
    Metric,
    find_metric,
    list_metrics,
    parse_adjusted_metric,
    parse_metric,
)
from rankconst.catalogue.protocols import (
    LINK_SIDES,
    RANK_TYPES,
    SIDES,
    SPLITS,
    parse_protocol,
    parse_side,
    parse_split,
    rate_protocol,
    shares_negatives,
)
from rankconst.cli import options
from rankconst.cli.columns import SUMMARY, join_protocols, list_expected, show_constant
from rankconst.cli.options import (
    argument,
    hide,
    open_tables,
    option,
    split_commas,
)
from rankconst.cli.output import print_listing, print_text, read_format
from rankconst.errors import UnknownNameError, UsageError
from rankconst.listing import FOR_PEOPLE, Column, Format, Listing, count
from rankconst.moments import compute_moments
from rankconst.names import Names, join_versions, shorten, squash
from rankconst.tables.archive import Tables
from rankconst.tables.citation import cite_constant, cite_dataset, cite_program, cite_tables
from rankconst.tasks import Tasks
from rankconst.values.constants import Constants
from rankconst.values.published import show_enough

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ALL = "all"
"""What options take for every split, side or protocol."""

_DATASETS = "datasets"
_OTHERS = (
    *("metrics", "tools", "libraries", "protocols", "baselines", "aggregations", "suites"),
    "rules",
)
_LISTS = (_DATASETS, *_OTHERS)
_OF_DATASETS = {"metrics", "baselines"}  # the lists of what follows the name of a dataset
_FLOORS = {FLOOR: "counting", SINGLE_STEP: "single-step"}
_RELATIONS = "relations"


def show(
    name: Annotated[
        str | None,
        argument(
            "NAME",
            "Dataset, metric, tool, protocol, baseline, aggregation or rule; or a list: "
            "datasets, metrics ...",
            *("KEY", "METRIC", "TOOL", "PROTOCOL", "BASELINE", "AGGREGATION"),
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        argument("METRIC", "Of a dataset: only these; or relations.", "METRIC"),
    ] = None,
    split: Annotated[
        str | None, option("--split SPLIT", "train, valid, test (the default) or all.")
    ] = None,
    side: Annotated[
        str | None, option("--side SIDE", "head, tail, both (the default), relation or all.")
    ] = None,
    protocol: Annotated[
        str | None,
        option(
            "--protocol -p PROTOCOL", "Evaluation protocol, or all; see `rankconst show protocols`."
        ),
    ] = None,
    baseline: Annotated[str | None, hide(options.Baseline)] = None,
    cite: Annotated[bool, option("--cite", "Print the sentence for a paper, and BibTeX.")] = False,
    tables: Annotated[list[str] | None, hide(options.FurtherTables)] = None,
    format: options.Form = Format.table,
) -> None:
    """List what there is, or show the constants of a dataset or the page of a name.

    Example: rankconst show

    Example: rankconst show wn18rr

    Example: rankconst show pykeen

    Example: rankconst show fb15k237 mrr --cite
    """
    form = read_format(format)
    words = [word for word in (name, *split_commas(metrics)) if word is not None]
    kind = _find_list(words[0]) if words else None
    things = words[1:] if kind else words
    values = {"--split": split, "--side": side, "--protocol": protocol, "--baseline": baseline}
    unused = [option for option, value in values.items() if value]
    if cite:
        unused.append("--cite")
    if unused and not things and (words or unused != ["--cite"]):
        raise UsageError(
            f"{unused[0]} needs a dataset: rankconst show DATASET METRIC. What a random ranker "
            "gets on every one: rankconst show datasets --format csv."
        )
    opened = open_tables(tables)
    if not things:
        if cite:
            print_text("\n".join(filter(None, (cite_program(), cite_tables(opened)))))
        else:
            print_listing(_list_all(kind, opened, every=form not in FOR_PEOPLE), form)
        return
    dataset = opened.resolve_dataset(things[0]) if kind == _DATASETS else None
    if kind is None:
        with suppress(UnknownNameError):
            dataset = opened.resolve_dataset(things[0])
    if dataset is None:
        _print_page(opened, [kind] if kind else _OTHERS, things, form, unused)
        return
    names = things[1:]  # behind the dataset
    tasks = Tasks(dataset, protocol or ALL, split or "test", side or "both")
    suite = opened.find_suite(dataset)
    if suite is not None:
        from rankconst.cli.catalogue import list_suite

        _refuse_unused(unused, {"--baseline", "--cite"}, "the graphs of a suite: name one of them")
        tasks = _parse_names(opened, replace(tasks, protocol=protocol or suite.protocol))
        of_suite = [parse_metric(metric) for metric in names]
        print_listing(list_suite(suite, tasks, of_suite, opened), form)
    elif names == [_RELATIONS]:
        _refuse_unused(unused, {"--cite"}, "relations")
        usual = replace(tasks, protocol=protocol or _find_usual(opened, dataset))
        print_listing(_list_relations(opened, _parse_names(opened, usual), baseline), form)
    elif cite:
        usual = replace(tasks, protocol=protocol or _find_usual(opened, dataset))
        _print_citations(opened, usual, names, baseline, form)
    else:
        every = protocol is not None
        _print_constants(opened, tasks, names, baseline, form, every_protocol=every)


def _find_list(word: str) -> str | None:
    """Return the list that a word names, in the plural or the singular; None for other words."""
    for plural in _LISTS:
        if squash(word) in {plural, plural[:-1]}:
            return plural
    return None


def _find_usual(opened: Tables, dataset: str) -> str:
    """Return the usual protocol of numbers on a dataset."""
    return min(opened.protocols(dataset), key=rate_protocol)


def _parse_names(opened: Tables, tasks: Tasks) -> Tasks:
    """Return tasks with their names as keys."""
    return opened.tasks(tasks.dataset, split=tasks.split, side=tasks.side, protocol=tasks.protocol)


def _split_names(names: Sequence[str], baseline: str | None) -> tuple[list[Metric], str | None]:
    """Return the metrics and the baseline named behind a dataset: ``show wn18rr mrr counting``."""
    rankers = [name for name in names if name.lower() in BASELINES]
    metrics = [parse_metric(name) for name in names if name not in rankers]
    return metrics, baseline or next(iter(rankers), None)


def _print_constants(
    opened: Tables,
    tasks: Tasks,
    names: Sequence[str],
    baseline: str | None,
    form: Format,
    *,
    every_protocol: bool,
) -> None:
    """Print constants: for people the metrics that papers print, under the usual protocol."""
    metrics, ranker = _split_names(names, baseline)
    baselines = opened.list_baselines(ranker, tasks.dataset)
    if form not in FOR_PEOPLE:
        rows = [_describe(constants) for constants in _look_up(opened, tasks, metrics, baselines)]
        print_listing(Listing.of(_COLUMNS, rows), form)
        return
    listing = _lay_out(
        opened,
        tasks,
        _look_up(opened, tasks, metrics or HEADLINE, baselines),
        brief=not metrics,
        every_protocol=every_protocol or bool(metrics),
        ladder=ranker is not None,
    )
    print_listing(listing, form)


def _list_all(kind: str | None, opened: Tables, *, every: bool) -> Listing:
    """List all names of a kind, or the kinds."""
    from rankconst.cli.catalogue import REGISTRIES, list_datasets, list_everything

    if kind is None:
        return list_everything(opened)
    if kind in REGISTRIES:
        return REGISTRIES[kind].list_all()
    return list_datasets(opened, every=every)


def _refuse_unused(options: Sequence[str], unfit: set[str], subject: str) -> None:
    """Refuse options that change nothing."""
    for name in options:
        if name in unfit:
            raise UsageError(f"{name} does not go with {subject}.")


# -- names -----------------------------------------------------------------------------------------


def _print_page(
    opened: Tables, kinds: Sequence[str], words: Sequence[str], form: Format, unused: Sequence[str]
) -> None:
    """Print the page of a name, and the commands for those of its other meanings.

    Raises UnknownNameError for an unknown name, and UsageError if words are left over.
    """
    from rankconst.cli.catalogue import REGISTRIES

    name, left_over = words[0], words[1:]
    meanings = {}
    errors = {}
    for kind in kinds:
        try:
            meanings[kind] = REGISTRIES[kind].find(name)
        except UnknownNameError as error:
            errors[REGISTRIES[kind].thing] = str(error)
    if not meanings:
        if len(kinds) > 1:
            raise UnknownNameError(_explain_unknown(opened, name, errors))
        raise UnknownNameError(errors.popitem()[1])
    first, *others = meanings
    if left_over or unused:
        example = "DATASET METRIC"
        if first in _OF_DATASETS:
            dataset = next((word for word in left_over if _is_dataset(opened, word)), "DATASET")
            metric = next((word for word in left_over if find_metric(word) is not None), name)
            example = f"{dataset} {metric}"
        raise UsageError(
            f"{name} is a {REGISTRIES[first].thing}; for constants name the dataset first: "
            f"rankconst show {example}."
        )
    also = (
        f"{name} is also a {REGISTRIES[kind].thing}: rankconst show {kind} {name}"
        for kind in others
    )
    lead = _explain_adjusted(name) if first == "metrics" else ""
    REGISTRIES[first].print_page(meanings[first], form, "\n".join(also), lead)


_MEANINGS = {
    "normalised": "divided by what a random ranker gets: 1 = random",
    "index": "adjusted for chance: 1 = perfect, 0 = a random ranker, below 0 = worse than random",
    "z": "as standard deviations better than a random ranker: 0 = random",
}


def _explain_adjusted(name: str) -> str:
    """Explain an adjusted metric; empty for a metric itself."""
    try:
        metric, form = parse_adjusted_metric(name)
    except UnknownNameError:
        return ""
    return f"{metric.name_of(form) or name} is the {metric.label} {_MEANINGS[form]}."


def _is_dataset(opened: Tables, name: str) -> bool:
    with suppress(UnknownNameError):
        return bool(opened.resolve_dataset(name))
    return False


def _explain_unknown(opened: Tables, name: str, errors: dict[str, str]) -> str:
    """Explain an unknown name: by the remark of a list, or by the nearest names."""
    try:
        opened.resolve_dataset(name)
    except UnknownNameError as error:
        errors = {"dataset": str(error), **errors}
    for thing, message in errors.items():
        if not message.startswith(f"unknown {thing} {shorten(name)!r}."):
            return message
    if squash(name) in RANK_TYPES:
        return (
            f"unknown name {name!r}: it is a rank among equal scores. Which one a tool takes: "
            "rankconst show tools."
        )
    from rankconst.cli.catalogue import REGISTRIES
    from rankconst.tables.explain import explain_mean, explain_path

    if hint := explain_path(name) or explain_mean(name):
        return f"unknown name {name!r}. {hint}"
    spellings: dict[str, list[str]] = {key: [] for key in _LISTS}
    spellings |= {key: [row["title"], *row["aliases"]] for key, row in opened.datasets.items()}
    spellings |= {
        metric.label.lower(): [metric.key, *metric.spellings] for metric in list_metrics()
    }
    spellings |= {
        key: [] for plural, row in REGISTRIES.items() if plural != "metrics" for key in row.load()
    }
    try:
        return Names(
            "name",
            spellings,
            "`rankconst show` lists what there is; for tables of your own add --tables DIR.",
        ).resolve(name)
    except UnknownNameError as error:
        return str(error)


# -- constants -------------------------------------------------------------------------------------

_MEANING_OF_ENOUGH = (
    "a difference of two published numbers that tells their models apart (p < 0.05), whatever "
    "these have in common; rankconst compare often needs less"
)
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
    Column("expectation_error", "± error", lambda value: f"{value:.0e}", right=True, drop=5),
    Column("variance", "variance", show_constant, right=True, drop=2),
    Column("variance_error", "± error", lambda value: f"{value:.0e}", right=True, drop=6),
    Column("worst", "worst", show_constant, right=True, drop=3),
    Column("method", "method", drop=4),
    Column(
        "smallest_difference", "enough", show_enough, right=True, drop=1, meaning=_MEANING_OF_ENOUGH
    ),
    Column("num_draws"),
    Column("table_version"),
)
_DETAILS = (
    "expectation_error",
    "variance",
    "variance_error",
    "worst",
    "method",
    "smallest_difference",
)


def _look_up(
    opened: Tables, tasks: Tasks, metrics: Sequence[Metric], baselines: Sequence[str]
) -> list[Constants]:
    """Return the constants of some or all metrics under each baseline.

    The names of the tasks may be "all".
    """
    # On the relation side there is chance alone, of all relations, each task counting once.
    chance = tuple(baselines) == (DEFAULT_BASELINE,)
    return [
        opened.look_up(replace(single, baseline=baseline), metric)
        for single in _expand(opened, tasks, SIDES if chance else LINK_SIDES)
        for metric in metrics or list_metrics(shared=shares_negatives(single.protocol))
        for baseline in baselines
    ]


def _expand(opened: Tables, tasks: Tasks, sides: Iterable[str]) -> list[Tasks]:
    """List the existing tasks of every protocol, split or side in place of "all".

    Tasks without an "all" are listed even if they do not exist: the lookup explains that.
    """
    protocols = opened.protocols(tasks.dataset)
    splits = tuple(SPLITS)
    if tasks.protocol != ALL:
        protocols = (parse_protocol(tasks.protocol).key,)
    if tasks.split != ALL:
        splits = (parse_split(tasks.split),)
    if tasks.side != ALL:
        sides = (parse_side(tasks.side),)
    expanded = []
    for protocol, split, side in itertools.product(protocols, splits, sides):
        single = replace(tasks, protocol=protocol, split=split, side=side)
        if ALL in {tasks.split, tasks.protocol} and not opened.holds(single):
            continue
        # Of relations there may be none, though there are of entities.
        if tasks.side == ALL and side not in LINK_SIDES and side not in opened.sides(single):
            continue
        expanded.append(single)
    if not expanded:
        raise UnknownNameError(
            f"the tables ({opened.version}) hold no {tasks.split} tasks of {tasks.dataset}."
        )
    return expanded


def _describe(constants: Constants) -> dict[str, Any]:
    """Return the columns of constants."""
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


def _lay_out(
    opened: Tables,
    tasks: Tasks,
    constants: Sequence[Constants],
    *,
    brief: bool,
    every_protocol: bool,
    ladder: bool,
) -> Listing:
    """List constants for people, counting beside chance: without details if `brief`.

    Without `every_protocol`, they are of the usual one; with a `ladder`, baselines have rows.
    """
    blocks = join_protocols(_describe(each) | _find_floors(opened, each) for each in constants)
    others: list[str] = []
    if not every_protocol:
        usual = min(blocks, key=lambda names: rate_protocol(names.partition(" = ")[0]))
        others = [names for names in blocks if names != usual]
    rows = [row for names, block in blocks.items() if names not in others for row in block]
    # A split or side that was asked for is in the title.
    single = [key for key in ("split", "side") if getattr(tasks, key) != ALL]
    hidden = {*single, *_DETAILS} if brief else {*single}
    titles = {"expectation": "expectation"} if ladder else {"baseline": None}
    columns = [column for column in _COLUMNS if column.key not in hidden]
    columns = [column._replace(title=titles.get(column.key, column.title)) for column in columns]
    floors: list[str] = []
    if not ladder:
        floors = [key for key in _FLOORS if any(row[key] is not None for row in rows)]
    columns += [Column(key, _FLOORS[key], show_constant, right=True) for key in floors]
    captions = [_explain_counting(opened, tasks.dataset)] if floors else []
    tables = f"Tables: {join_versions(row['table_version'] for row in rows)}."
    if others:
        tables += f" Other protocols, with other numbers: {', '.join(others)} (--protocol all)."
    captions.append(tables)
    if brief:
        captions.append(
            "Everything: --split all --side all --format csv. Details: rankconst show "
            f"{tasks.dataset} mrr"
        )
    from rankconst.catalogue.benchmarks import find_note

    note = find_note(tasks.dataset)
    if note:
        captions.append(f"Note: {note}")
    where = ", ".join(f"{key} {rows[0][key]}" for key in single)
    title = "\n".join(filter(None, (_entitle(opened, tasks.dataset), where)))
    return Listing.of(columns, rows, title=title, caption="\n".join(filter(None, captions)))


def _find_floors(opened: Tables, constants: Constants) -> dict[str, float | None]:
    """Return the values of rankers that only count, by key; None where the tables lack them."""
    floors: dict[str, float | None] = dict.fromkeys(_FLOORS)
    for baseline in _FLOORS:
        tasks = replace(constants.tasks, baseline=baseline)
        if opened.is_tabulated(tasks, constants.metric):
            floors[baseline] = opened.look_up(tasks, constants.metric).expectation
    return floors


def _explain_counting(opened: Tables, dataset: str) -> str:
    """Summarise counting on a dataset."""
    counting = opened.find_counting(dataset)
    summary = "" if counting is None else f"{counting.summary} "
    return f"{summary}See rankconst show counting."


def _entitle(opened: Tables, dataset: str) -> str:
    """Return the title of a dataset with its numbers of entities and triples, and the paper."""
    info = opened.describe(dataset)
    triples = " / ".join(count(info[f"triples_{name}"]) for name in SPLITS)
    counts = f"{count(info['entities'])} entities, {triples} triples (train / valid / test)"
    return f"{info['title']}: {counts}\n{info['citation'] or ''}".rstrip()


def _print_citations(
    opened: Tables, tasks: Tasks, names: Sequence[str], baseline: str | None, form: Format
) -> None:
    """Print the sentence that cites each constant or the dataset, and the tables' BibTeX entry."""
    metrics, ranker = _split_names(names, baseline)
    baselines = opened.list_baselines(ranker, tasks.dataset)
    info = opened.datasets[tasks.dataset]
    title = info["title"]
    rows: list[dict[str, Any]] = []
    if metrics:
        for constants in _look_up(opened, tasks, metrics, baselines):
            tabulated = opened.is_tabulated(constants.tasks, constants.metric)
            sentence = cite_constant(constants, title, tabulated=tabulated)
            rows.append({**_describe(constants), "tabulated": tabulated, "sentence": sentence})
    else:
        version = opened.version_of(tasks.dataset)
        sentence = cite_dataset(tasks.dataset, title, info["citation"] or "", version)
        rows.append({"dataset": tasks.dataset, "table_version": version, "sentence": sentence})
    bibtex = cite_tables(opened.set_of(tasks.dataset))
    if form in FOR_PEOPLE:
        texts = [*(row["sentence"] for row in rows), bibtex]
        print_text("\n\n".join(filter(None, texts)))
        return
    rows = [row | {"bibtex": bibtex or None} for row in rows]
    print_listing(Listing.of([Column(key) for key in rows[0]], rows), form)


# -- relations -------------------------------------------------------------------------------------

_RELATION_COLUMNS = (
    Column("relation", "relation"),
    Column("baseline", "baseline"),
    *list_expected(show_constant, 3, 0, 4, 0, 1),
)


def _list_relations(opened: Tables, tasks: Tasks, baseline: str | None) -> Listing:
    """List the relations, each against each baseline of a name, or against chance."""
    names = opened.relations(tasks)
    baselines = opened.list_baselines(baseline, tasks.dataset)
    rows: list[dict[str, Any]] = []
    for name in names:
        of_relation = replace(tasks, relations=(name,))
        chance = opened.histogram(of_relation)
        counts = {"relation": name, "num_tasks": chance.total, "mean_candidates": chance.mean}
        for key in baselines:
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
    columns = []
    for column in _RELATION_COLUMNS:
        is_hidden = column.key == "baseline" and not baseline
        columns.append(column._replace(title=None) if is_hidden else column)
    return Listing.of(
        columns,
        rows,
        title=(
            f"{opened.datasets[tasks.dataset]['title']}: {len(names)} relations of "
            f"{tasks.split}, side {tasks.side}, protocol {tasks.protocol}"
        ),
        caption=(
            "Adjust a relation's results with --relation NAME. Tables: "
            f"{opened.version_of(tasks.dataset)}."
        ),
    )
