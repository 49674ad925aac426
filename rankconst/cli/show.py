"""``rankconst show``: what there is, a dataset's constants, and the pages of things with names."""

from __future__ import annotations

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
    ALL,
    argument,
    hide,
    open_tables,
    option,
    read_format,
    split_commas,
)
from rankconst.cli.output import print_listing, print_text
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
    named = [each for each in (name, *split_commas(metrics)) if each is not None]
    kind = next((each for each in _LISTS if named and squash(named[0]) in {each, each[:-1]}), None)
    things = named[1:] if kind else named
    given = {"--split": split, "--side": side, "--protocol": protocol, "--baseline": baseline}
    unused = [option for option, value in given.items() if value]
    if cite:
        unused.append("--cite")
    if unused and not things and (named or unused != ["--cite"]):
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
    further = things[1:]
    asked = Tasks(dataset, protocol or ALL, split or "test", side or "both")
    if (suite := opened.find_suite(dataset)) is not None:
        from rankconst.cli.catalogue import list_suite

        _refuse_unused(unused, {"--baseline", "--cite"}, "the graphs of a suite: name one of them")
        tasks = _parse_names(opened, replace(asked, protocol=protocol or suite.protocol))
        print_listing(list_suite(suite, tasks, [*map(parse_metric, further)], opened), form)
    elif further == [_RELATIONS]:
        _refuse_unused(unused, {"--cite"}, "relations")
        usual = replace(asked, protocol=protocol or _find_usual(opened, dataset))
        print_listing(_list_relations(opened, _parse_names(opened, usual), baseline), form)
    elif cite:
        usual = replace(asked, protocol=protocol or _find_usual(opened, dataset))
        _print_citations(opened, usual, further, baseline, form)
    else:
        _print_constants(opened, asked, further, baseline, form, whole=protocol is not None)


def _find_usual(opened: Tables, dataset: str) -> str:
    """Return the protocol that numbers on a dataset are likeliest of."""
    return min(opened.protocols(dataset), key=rate_protocol)


def _parse_names(opened: Tables, asked: Tasks) -> Tasks:
    """Return tasks with their names as keys."""
    return opened.tasks(asked.dataset, split=asked.split, side=asked.side, protocol=asked.protocol)


def _split_further(further: Sequence[str], baseline: str | None) -> tuple[list[Metric], str | None]:
    """Return the metrics and the baseline named behind a dataset: ``show wn18rr mrr counting``."""
    rankers = [each for each in further if each.lower() in BASELINES]
    metrics = [parse_metric(each) for each in further if each not in rankers]
    return metrics, baseline or next(iter(rankers), None)


def _print_constants(
    opened: Tables,
    asked: Tasks,
    further: Sequence[str],
    baseline: str | None,
    form: Format,
    *,
    whole: bool,
) -> None:
    """Print constants: for people the metrics that papers print, under the usual protocol."""
    metrics, ranker = _split_further(further, baseline)
    baselines = opened.list_baselines(ranker, asked.dataset)
    if form not in FOR_PEOPLE:
        found = _look_up(opened, asked, metrics, baselines)
        print_listing(Listing.of(_COLUMNS, [*map(_describe, found)]), form)
        return
    found = _look_up(opened, asked, metrics or HEADLINE, baselines)
    brief, ladder = not metrics, ranker is not None
    whole = whole or not brief
    print_listing(_lay_out(opened, asked, found, brief=brief, whole=whole, ladder=ladder), form)


def _list_all(kind: str | None, opened: Tables, *, every: bool) -> Listing:
    """List all names of a kind, or the kinds."""
    from rankconst.cli.catalogue import REGISTRIES, list_datasets, list_everything

    if kind is None:
        return list_everything(opened)
    if kind in REGISTRIES:
        return REGISTRIES[kind].list_all()
    return list_datasets(opened, every=every)


def _refuse_unused(given: Sequence[str], unused: set[str], what: str) -> None:
    """Refuse options that change nothing."""
    for name in given:
        if name in unused:
            raise UsageError(f"{name} does not go with {what}.")


# -- names -----------------------------------------------------------------------------------------


def _print_page(
    opened: Tables, kinds: Sequence[str], named: Sequence[str], form: Format, unused: Sequence[str]
) -> None:
    """Print the page of a name, and how to get those of its other meanings.

    Raises UnknownNameError if it means nothing, and UsageError if words are left over.
    """
    from rankconst.cli.catalogue import REGISTRIES

    name, *further = named
    found, errors = {}, {}
    for kind in kinds:
        try:
            found[kind] = REGISTRIES[kind].find(name)
        except UnknownNameError as error:
            errors[REGISTRIES[kind].thing] = str(error)
    if not found:
        raise UnknownNameError(
            _explain_unknown(opened, name, errors) if len(kinds) > 1 else errors.popitem()[1]
        )
    first, *others = found
    if further or unused:
        dataset = next((each for each in further if _is_dataset(opened, each)), "DATASET")
        others = [each for each in further if find_metric(each) is not None] or [name]
        chosen = f"{dataset} {' '.join(others[:1])}" if first in _OF_DATASETS else "DATASET METRIC"
        raise UsageError(
            f"{name} is a {REGISTRIES[first].thing}; for constants name the dataset first: "
            f"rankconst show {chosen}."
        )
    also = (
        f"{name} is also a {REGISTRIES[kind].thing}: rankconst show {kind} {name}"
        for kind in others
    )
    lead = _explain_adjusted(name) if first == "metrics" else ""
    REGISTRIES[first].print_page(found[first], form, "\n".join(also), lead)


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
    """Explain an unknown name: by the list that has a remark on it, or by the nearest names."""
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
    opened: Tables, asked: Tasks, metrics: Sequence[Metric], baselines: Sequence[str]
) -> list[Constants]:
    """Return the constants of some or all metrics under each baseline.

    The tasks may say "all".
    """
    # On the relation side there is chance alone, of all relations, each task counting once.
    chance = tuple(baselines) == (DEFAULT_BASELINE,)
    return [
        opened.look_up(replace(tasks, baseline=baseline), metric)
        for tasks in _expand(opened, asked, SIDES if chance else LINK_SIDES)
        for metric in metrics or list_metrics(shared=shares_negatives(tasks.protocol))
        for baseline in baselines
    ]


def _expand(opened: Tables, asked: Tasks, sides: Iterable[str]) -> list[Tasks]:
    """List the existing tasks of every protocol, split or side where "all" is asked for."""
    protocol, split, side = asked.protocol, asked.split, asked.side
    found = [
        replace(asked, protocol=one_protocol, split=one_split, side=one_side)
        for one_protocol in (
            opened.protocols(asked.dataset) if protocol == ALL else (parse_protocol(protocol).key,)
        )
        for one_split in (SPLITS if split == ALL else (parse_split(split),))
        for one_side in (sides if side == ALL else (parse_side(side),))
    ]
    if ALL in {split, protocol}:
        found = [tasks for tasks in found if opened.holds(tasks)]
    # Of relations there may be none, though there are of entities.
    found = [
        tasks
        for tasks in found
        if side != ALL or tasks.side in LINK_SIDES or tasks.side in opened.sides(tasks)
    ]
    # What was named is looked up even if it is not there: the lookup says what there is.
    if not found:
        raise UnknownNameError(
            f"the tables ({opened.version}) hold no {split} tasks of {asked.dataset}."
        )
    return found


def _describe(constants: Constants) -> dict[str, Any]:
    """Return the columns of constants."""
    tasks, metric = constants.tasks, constants.metric
    named: dict[str, Any] = {
        "relations": list(tasks.relations),
        "metric": metric.key,
        "label": metric.label,
    }
    keys = (column.key for column in _COLUMNS if column.key not in named)
    return named | {key: getattr(tasks if hasattr(tasks, key) else constants, key) for key in keys}


def _lay_out(
    opened: Tables,
    asked: Tasks,
    found: Sequence[Constants],
    *,
    brief: bool,
    whole: bool,
    ladder: bool,
) -> Listing:
    """List constants for people, counting beside chance: without details if `brief`.

    Unless `whole`, they are of the usual protocol; with a `ladder`, baselines have rows.
    """
    blocks = join_protocols(_describe(each) | _find_floors(opened, each) for each in found)
    usual = min(blocks, key=lambda names: rate_protocol(names.partition(" = ")[0]))
    others = [] if whole else [names for names in blocks if names != usual]
    rows = [row for names, block in blocks.items() if names not in others for row in block]
    fixed = [key for key in ("split", "side") if getattr(asked, key) != ALL]
    hidden = {*fixed, *(_DETAILS if brief else ())}
    titles = {"expectation": "expectation"} if ladder else {"baseline": None}
    columns = [
        each._replace(title=titles.get(each.key, each.title))
        for each in _COLUMNS
        if each.key not in hidden
    ]
    floors = [key for key in _FLOORS if not ladder and any(row[key] is not None for row in rows)]
    columns += [Column(key, _FLOORS[key], show_constant, right=True) for key in floors]
    captions = [_explain_counting(opened, asked.dataset)] if floors else []
    tables = f"Tables: {join_versions(row['table_version'] for row in rows)}."
    if others:
        tables += f" Other protocols, with other numbers: {', '.join(others)} (--protocol all)."
    captions.append(tables)
    if brief:
        captions.append(
            "Everything: --split all --side all --format csv. Details: rankconst show "
            f"{asked.dataset} mrr"
        )
    from rankconst.catalogue.benchmarks import find_note

    if note := find_note(asked.dataset):
        captions.append(f"Note: {note}")
    where = ", ".join(f"{key} {rows[0][key]}" for key in fixed)
    title = "\n".join(filter(None, (_entitle(opened, asked.dataset), where)))
    return Listing.of(columns, rows, title=title, caption="\n".join(filter(None, captions)))


def _find_floors(opened: Tables, constants: Constants) -> dict[str, float | None]:
    """Return the values of rankers that only count, by key; None where the tables lack them."""
    found: dict[str, float | None] = dict.fromkeys(_FLOORS)
    for baseline in _FLOORS:
        tasks = replace(constants.tasks, baseline=baseline)
        if opened.is_tabulated(tasks, constants.metric):
            found[baseline] = opened.look_up(tasks, constants.metric).expectation
    return found


def _explain_counting(opened: Tables, dataset: str) -> str:
    """Say how counting ranks on a dataset."""
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
    opened: Tables, asked: Tasks, further: Sequence[str], baseline: str | None, form: Format
) -> None:
    """Print the sentence that cites each constant or the dataset, and the tables' BibTeX entry."""
    metrics, ranker = _split_further(further, baseline)
    baselines = opened.list_baselines(ranker, asked.dataset)
    info, bibtex = opened.datasets[asked.dataset], cite_tables(opened.set_of(asked.dataset))
    title, rows = info["title"], list[dict[str, Any]]()
    if not metrics:
        version = opened.version_of(asked.dataset)
        sentence = cite_dataset(asked.dataset, title, info["citation"] or "", version)
        rows.append({"dataset": asked.dataset, "table_version": version, "sentence": sentence})
    for constants in _look_up(opened, asked, metrics, baselines) if metrics else ():
        tabulated = opened.is_tabulated(constants.tasks, constants.metric)
        sentence = cite_constant(constants, title, tabulated=tabulated)
        rows.append({**_describe(constants), "tabulated": tabulated, "sentence": sentence})
    if form in FOR_PEOPLE:
        texts = [*(row["sentence"] for row in rows), bibtex]
        print_text("\n\n".join(filter(None, texts)))
        return
    cited = [row | {"bibtex": bibtex or None} for row in rows]
    print_listing(Listing.of([*map(Column, cited[0])], cited), form)


# -- relations -------------------------------------------------------------------------------------

_RELATION_COLUMNS = (
    Column("relation", "relation"),
    Column("baseline", "baseline"),
    *list_expected(show_constant, 3, 0, 4, 0, 1),
)


def _list_relations(opened: Tables, tasks: Tasks, baseline: str | None) -> Listing:
    """List the relations, each against each baseline of a name, or against chance."""
    names, baselines = opened.relations(tasks), opened.list_baselines(baseline, tasks.dataset)
    rows: list[dict[str, Any]] = []
    for name in names:
        own = replace(tasks, relations=(name,))
        chance = opened.histogram(own)
        for key in baselines:
            ranked = opened.histogram(replace(own, baseline=key))
            expected = {
                f"expectation_{m.key}": compute_moments(m, ranked).expectation for m in SUMMARY
            }
            counted = {"relation": name, "num_tasks": chance.total, "mean_candidates": chance.mean}
            rows.append({**counted, "baseline": key, **expected})
    if not rows:
        opened.histogram(tasks)  # which says why if there are no such tasks
        raise UnknownNameError(
            f"the tables ({opened.version}) hold no relations of {tasks.dataset} {tasks.split} "
            f"under protocol {tasks.protocol}; they are kept for valid and test."
        )
    columns = [
        each._replace(title=each.title if baseline or each.key != "baseline" else None)
        for each in _RELATION_COLUMNS
    ]
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
