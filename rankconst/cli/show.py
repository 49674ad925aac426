"""``rankconst show``: the constants of a dataset."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, parse_aggregation
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import list_metrics, parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_PROTOCOL,
    LINK_SIDES,
    SIDES,
    SPLITS,
    parse_protocol,
    parse_side,
    parse_split,
    shares_negatives,
)
from rankconst.cli.options import (
    ALL,
    PROTOCOL_NAMES,
    AggregationOption,
    BaselineOption,
    FormatOption,
    RelationOption,
    TablesOption,
    complete_dataset,
    complete_from,
    complete_metric,
    open_tables,
    option,
)
from rankconst.cli.output import Column, Format, Listing, count, number, print_listing
from rankconst.errors import UnknownNameError
from rankconst.moments import compute_moments
from rankconst.tables.tables import Tables
from rankconst.tasks import Tasks
from rankconst.values.constants import TIED_RANKS, Constants

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_COLUMNS = (
    Column("dataset"),
    Column("protocol", "protocol"),
    Column("split", "split", drop=2),
    Column("side", "side", drop=3),
    Column("aggregation"),
    Column("relations"),
    Column("metric"),
    Column("label", "metric"),
    Column("baseline"),
    Column("num_tasks", "tasks", count, right=True),
    Column("expectation", "expectation", number(6), right=True),
    Column("expectation_error", "± error", lambda value: f"{value:.0e}", right=True, drop=6),
    Column("variance", "variance", number(6), right=True),
    Column("variance_error", "± error", lambda value: f"{value:.0e}", right=True, drop=7),
    Column("worst", "worst", number(6), right=True, drop=4),
    Column("method", "method", drop=5),
    Column("num_draws"),
    Column("table_version"),
)

_RELATION_METRICS = tuple(map(parse_metric, ("mr", "mrr", "hits@1", "hits@10", "gmr")))

_RELATION_COLUMNS = (
    Column("relation", "relation"),
    Column("baseline"),
    Column("num_tasks", "tasks", count, right=True),
    Column("mean_candidates", "mean N", number(6), right=True, drop=2),
    *(
        Column(f"expectation_{metric.key}", f"E[{metric.label}]", number(6), right=True, drop=drop)
        for metric, drop in zip(_RELATION_METRICS, (3, 0, 4, 0, 1), strict=True)
    ),
)


def show(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Dataset, any spelling.", autocompletion=complete_dataset)],
    metric: Annotated[
        list[str] | None,
        option(
            "--metric",
            "-m",
            help="Only this metric; repeatable. hits@k takes any k.",
            metavar="METRIC",
            complete=complete_metric,
        ),
    ] = None,
    split: Annotated[
        str,
        option("--split", help="train, valid, test or all.", metavar="SPLIT", complete=complete_from((*SPLITS, ALL))),
    ] = "test",
    side: Annotated[
        str,
        option(
            "--side",
            help="head, tail, both (their ranks pooled), relation or all.",
            metavar="SIDE",
            complete=complete_from((*SIDES, ALL)),
        ),
    ] = "both",
    protocol: Annotated[
        str,
        option(
            "--protocol",
            "-p",
            help="Evaluation protocol, or all; see `rankconst protocols`.",
            metavar="PROTOCOL",
            complete=complete_from((*PROTOCOL_NAMES, ALL)),
        ),
    ] = ALL,
    aggregation: AggregationOption = None,
    relation: RelationOption = None,
    baseline: BaselineOption = None,
    relations: Annotated[bool, option("--relations", help="List the relations, each with its own constants.")] = False,
    ties: Annotated[
        bool, option("--ties", help="Also show what a model gets that scores all candidates alike.")
    ] = False,
    tables: TablesOption = None,
    format: FormatOption = Format.table,
) -> None:
    """Show what a random ranker, or another baseline, gets on a dataset, with variance and errors.

    Example: rankconst show wn18rr

    Example: rankconst show wn18rr --metric mrr --metric hits@10

    Example: rankconst show wn18rr --metric mrr --baseline all
    """
    opened = open_tables(tables)
    dataset = opened.resolve_dataset(key)
    baselines = opened.list_baselines(baseline)
    if relations:
        protocol = DEFAULT_PROTOCOL if protocol == ALL else protocol
        tasks = opened.tasks(dataset, split=split, side=side, protocol=protocol)
        print_listing(_list_relations(opened, tasks, baselines if baseline else ()), format)
        return
    weighed = parse_aggregation(aggregation or DEFAULT_AGGREGATION).key
    chosen = [parse_metric(name) for name in metric or ()]
    wanted = Tasks(dataset, protocol, split, side, weighed, tuple(dict.fromkeys(relation or ())))
    # On the relation side there is chance alone, of all relations, each task counting once.
    sides = SIDES if wanted.is_micro and not relation and baselines == (DEFAULT_BASELINE,) else LINK_SIDES
    rows = [
        _row(opened.look_up(replace(tasks, baseline=each), one), ties=ties)
        for tasks in _expand(opened, wanted, sides)
        for one in chosen or list_metrics(micro=tasks.is_micro, shared=shares_negatives(tasks.protocol))
        for each in baselines
    ]
    info = opened.datasets[dataset]
    triples = " / ".join(count(info[f"triples_{name}"]) for name in SPLITS)
    print_listing(
        Listing.of(
            _choose_columns(ladder=baseline is not None, ties=ties),
            rows,
            title=f"{info['title']}: {count(info['entities'])} entities, {triples} triples (train / valid / test)"
            + (f"; {weighed}" if weighed != DEFAULT_AGGREGATION else "")
            + (f"; only {', '.join(relation)}" if relation else ""),
            caption=f"{info['citation'] or 'No citation recorded'}. Tables: {opened.version_of(dataset)}."
            + ("\n" + _MEANING_OF_TIES if ties else ""),
        ),
        format,
    )


_MEANING_OF_TIES = (
    "tied: what a model gets that scores all candidates alike, with the true answer ranked first (optimistic), in the "
    "middle (realistic) or last (pessimistic)."
)


def _choose_columns(*, ladder: bool, ties: bool) -> list[Column]:
    """Return the columns: with the baseline if one was asked for, with those of ties on a screen in place of errors."""
    found = _head(_COLUMNS, ladder)
    if not ties:
        return found
    hidden = {"expectation_error", "variance", "variance_error", "worst", "method"}
    tied = [Column(f"tied_{each}", f"tied, {each}", number(6), right=True) for each in TIED_RANKS]
    return [replace(each, title=None) if each.key in hidden else each for each in found] + tied


def _expand(opened: Tables, wanted: Tasks, sides: Iterable[str]) -> list[Tasks]:
    """List the tasks for every protocol, split or side where "all" is asked for: of those that there are."""
    protocol, split, side = wanted.protocol, wanted.split, wanted.side
    found = [
        replace(wanted, protocol=one_protocol, split=one_split, side=one_side)
        for one_protocol in (opened.protocols(wanted.dataset) if protocol == ALL else (parse_protocol(protocol).key,))
        for one_split in (SPLITS if split == ALL else (parse_split(split),))
        for one_side in (sides if side == ALL else (parse_side(side),))
    ]
    if ALL in {split, protocol}:
        found = [tasks for tasks in found if opened.holds(tasks)]
    # Of relations there may be none, though there are of entities.
    found = [tasks for tasks in found if side != ALL or tasks.side in LINK_SIDES or tasks.side in opened.sides(tasks)]
    # What was named is looked up even if it is not there: the lookup says what there is.
    if not found:
        raise UnknownNameError(f"the tables ({opened.version}) hold no {split} tasks of {wanted.dataset}.")
    return found


def _row(constants: Constants, *, ties: bool) -> dict[str, Any]:
    tied = {f"tied_{each}": constants.all_tied(each) for each in TIED_RANKS} if ties else {}
    return tied | {
        "dataset": constants.tasks.dataset,
        "protocol": constants.tasks.protocol,
        "split": constants.tasks.split,
        "side": constants.tasks.side,
        "aggregation": constants.tasks.aggregation,
        "baseline": constants.tasks.baseline,
        "relations": list(constants.tasks.relations),
        "metric": constants.metric.key,
        "label": constants.metric.label,
        "num_tasks": constants.num_tasks,
        "expectation": constants.expectation,
        "expectation_error": constants.expectation_error,
        "variance": constants.variance,
        "variance_error": constants.variance_error,
        "worst": constants.worst,
        "method": constants.method,
        "num_draws": constants.num_draws,
        "table_version": constants.table_version,
    }


def _head(columns: Sequence[Column], laddered: bool) -> list[Column]:
    """Return columns, with that of the baseline on the screen if one was asked for."""
    return [replace(each, title="baseline") if laddered and each.key == "baseline" else each for each in columns]


def _list_relations(opened: Tables, tasks: Tasks, baselines: Sequence[str]) -> Listing:
    """List the relations, each against each of some baselines; against chance if there are none."""
    rows: list[dict[str, Any]] = []
    for name in opened.relations(tasks):
        own = replace(tasks, relations=(name,))
        chance = opened.histogram(own)
        for key in baselines or (DEFAULT_BASELINE,):
            ranked = opened.histogram(replace(own, baseline=key))
            expected = {f"expectation_{m.key}": compute_moments(m, ranked).expectation for m in _RELATION_METRICS}
            counted = {"relation": name, "num_tasks": chance.total, "mean_candidates": chance.mean}
            rows.append({**counted, "baseline": key, **expected})
    if not rows:
        opened.histogram(tasks)  # which says why if there are no such tasks
        raise UnknownNameError(
            f"the tables ({opened.version}) hold no relations of {tasks.dataset} {tasks.split} under protocol "
            f"{tasks.protocol}; they are kept for valid and test."
        )
    title, held = opened.datasets[tasks.dataset]["title"], len({row["relation"] for row in rows})
    return Listing.of(
        _head(_RELATION_COLUMNS, bool(baselines)),
        rows,
        title=f"{title}: {held} relations of {tasks.split}, side {tasks.side}, protocol {tasks.protocol}",
        caption=f"Adjust a relation's results with --relation NAME. Tables: {opened.version_of(tasks.dataset)}.",
    )
