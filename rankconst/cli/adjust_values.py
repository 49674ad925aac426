"""Adjust some values for chance, as ``rankconst adjust 0.338`` does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol, sampled_histogram
from rankconst.catalogue.tools import Tool, parse_tool
from rankconst.cli.lookup import resolve_dataset
from rankconst.cli.output import Column, Listing, number
from rankconst.cli.shown import show_interval, show_tail
from rankconst.constants.affine import ADJUSTMENTS
from rankconst.constants.batches import draw_evenly
from rankconst.constants.published import Published, read_published
from rankconst.errors import DataError, UndefinedError
from rankconst.results.adjust import adjust_values
from rankconst.results.evaluation import NOTHING, Stated, settle
from rankconst.tables.own_counts import Counts
from rankconst.tails import TAILS
from rankconst.tasks import WeightedHistogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.constants.constants import Constants
    from rankconst.tables.tables import Tables


_SIDES = {"head": "head side", "tail": "tail side", "both": "both sides"}


@dataclass(frozen=True, slots=True)
class Query:
    """Which constants values are adjusted with.

    Attributes
    ----------
    datasets
        In any spelling.
    metric
        The metric of the values.
    setting
        How the values were evaluated.
    relations
        Only the tasks of these; all if empty.
    num_tasks
        The number of ranks, in place of a dataset; None with datasets.
    """

    datasets: tuple[str, ...]
    metric: Metric
    user: Stated
    relations: tuple[str, ...] = ()
    num_tasks: int | None = None


def read_values(values: Sequence[str], metric: Metric, percent: bool) -> list[Published]:
    """Read the values that stand on the command line.

    Raises
    ------
    typer.BadParameter
        If there are none, or one is no number.
    """
    if not values:
        raise typer.BadParameter("missing: give numbers, or a file by --input.", param_hint="VALUE")
    published = []
    for value in values:
        try:
            published.append(read_published(metric, value, percent=percent))
        except DataError as error:
            hint = " If it is meant as an option: there is none of that name; see --help."
            raise typer.BadParameter(f"{error}{hint if value.startswith('-') else ''}", param_hint="VALUE") from None
    return published


def list_adjusted(
    published: Sequence[Published], query: Query, tables: Tables, *, significance: bool, place: str | None
) -> Listing:
    """Adjust values of one metric on one or several datasets.

    Parameters
    ----------
    published
        The values.
    query
        What they are values of.
    tables
        Where the constants come from.
    significance
        True to compute the probability that a random ranker does as well.
    place
        What the user named with ``--tables``.

    Raises
    ------
    typer.BadParameter
        If the query leaves open what it must say, or says too much.
    RankconstError
        If a name is unknown or a value cannot be.
    """
    looked_up = _look_up(query, tables, place)
    tool = None if query.user.tool is None else parse_tool(query.user.tool)
    rows = [_row(constants, each, tool, significance) for constants in looked_up for each in published]
    for constants in looked_up:
        _warn_of_undefined(constants)
    for caveat in () if tool is None else tool.caveats:
        typer.echo(f"note: {source.title if source else ''}: {caveat}", err=True)
    if significance and any(row["log10_p"] is None for row in rows):
        typer.echo(f"note: no p: {_lack_of_tails(looked_up[0], source)}", err=True)
    first, significant = looked_up[0], any(row["log10_p"] is not None for row in rows)
    where = f"on {first.split}, {_SIDES[first.side]}" if first.split else f"of {first.dataset}"
    return Listing.of(
        columns=_columns(first.metric, significant),
        rows=rows,
        title=f"{first.metric.label} {where}, protocol {first.protocol}"
        + (f", {first.aggregation}" if first.aggregation != DEFAULT_AGGREGATION else "")
        + (f", only {', '.join(first.relations)}" if first.relations else ""),
        caption="normalised: 1 = random; index: 0 = random, 1 = perfect; z: standard deviations better than random."
        + (_explain_tails(row["p_method"] for row in rows) if significant else "")
        + (f" Tables: {first.table_version}." if first.table_version else ""),
    )


def _lack_of_tails(constants: Constants, tool: Tool | None) -> str:
    if tool is not None and tool.batch is not None:
        return f"{source.title} leaves out tasks, and which is not known."
    if isinstance(constants.histogram, WeightedHistogram):
        return f"no tail is known for {constants.aggregation} averages."
    return f"no tail is known for {constants.metric.label}; there is one for {', '.join(TAILS)}."


def _explain_tails(methods: Iterable[str | None]) -> str:
    named = " and ".join(dict.fromkeys(method for method in methods if method))
    return f"\np: the probability that a random ranker does at least as well; method: {named}."


def _look_up(query: Query, tables: Tables, place: str | None) -> list[Constants]:
    if query.num_tasks is not None:
        if query.datasets:
            raise typer.BadParameter("--num-tasks stands in place of --dataset; leave one out.")
        return [_from_num_tasks(query, query.num_tasks)]
    if not query.datasets:
        raise typer.BadParameter("missing: which dataset is it?", param_hint="--dataset")
    looked_up = {}
    for name in query.datasets:
        settled = settle(
            NOTHING,
            replace(query.user, dataset=name),
            tables,
            resolve=lambda name: resolve_dataset(tables, name, place),
        )
        looked_up[settled.dataset] = settled.constants(tables, query.metric, query.relations)
    return list(looked_up.values())


def _from_num_tasks(query: Query, num_tasks: int) -> Constants:
    user = query.user
    unfit = {"--split": user.split, "--side": user.side, "--aggregation": user.aggregation}
    for option in (option for option, stated in {**unfit, "--relation": query.relations}.items() if stated):
        raise typer.BadParameter("does not go with --num-tasks, which is all that is known.", param_hint=option)
    named = user.protocol or (parse_tool(user.tool).protocol if user.tool else DEFAULT_PROTOCOL)
    protocol = parse_protocol(named)
    if protocol.negatives is None:
        raise typer.BadParameter(
            "the number of tasks is enough only where all have as many candidates: --protocol sampled:M. "
            f"Under protocol {protocol.key} name the dataset, or use rankconst.from_counts in Python.",
            param_hint="--num-tasks",
        )
    tasks = Counts(f"{num_tasks:,} tasks", {"both": sampled_histogram(protocol, num_tasks)})
    return replace(tasks.constants(query.metric), protocol=protocol.key)


def _columns(metric: Metric, significant: bool) -> tuple[Column, ...]:
    def adjusted(form: str) -> tuple[Column, ...]:
        name = metric.name_of(form)
        title = f"{form} ({name})" if name else form
        drop = {"normalised": 2}.get(form, 0)
        return (
            Column(form, title, right=True, drop=drop, show_row=show_interval(form)),
            Column(f"{form}_lower"),
            Column(f"{form}_upper"),
        )

    return (
        Column("dataset", "dataset"),
        *map(Column, ("protocol", "split", "side", "aggregation", "relations", "metric")),
        Column("value", metric.label, right=True, show_row=lambda row: row["text"]),
        *map(Column, ("value_lower", "value_upper", "num_tasks")),
        Column("expectation", "random", number(5), right=True),
        *map(Column, ("expectation_error", "variance", "variance_error", "method")),
        *adjusted("normalised"),
        *adjusted("index"),
        *adjusted("z"),
        Column("log10_p", "p" if significant else None, right=True, drop=1, show_row=show_tail("log10_p")),
        *map(Column, ("log10_p_lower", "log10_p_upper", "p_method", "table_version")),
    )


def _row(whole: Constants, published: Published, tool: Tool | None, significance: bool) -> dict[str, Any]:
    from rankconst.constants.significance import compute_significance

    adjusted = adjust_values(tool, whole, published.value, published.lower, published.upper)
    constants = whole if tool is None or tool.batch is None else draw_evenly(whole, tool.batch)
    row: dict[str, Any] = {
        "text": published.text,
        "dataset": constants.dataset,
        "protocol": constants.protocol,
        "split": constants.split,
        "side": constants.side,
        "aggregation": constants.aggregation,
        "relations": list(constants.relations),
        "metric": constants.metric.key,
        "value": published.value,
        "num_tasks": constants.num_tasks,
        "expectation": constants.expectation,
        "expectation_error": constants.expectation_error,
        "variance": constants.variance,
        "variance_error": constants.variance_error,
        "method": constants.method,
        "table_version": constants.table_version,
        "log10_p": None,
        "log10_p_lower": None,
        "log10_p_upper": None,
        "p_method": None,
    }
    for form in ("value", *ADJUSTMENTS):
        row[form] = getattr(adjusted, form)
        row[f"{form}_lower"], row[f"{form}_upper"] = getattr(adjusted, f"{form}_interval") or (None, None)
    if significance and constants is whole:
        try:
            found = compute_significance(constants, adjusted.value, adjusted.value_interval)
        except UndefinedError:
            return row
        row["log10_p"], row["p_method"] = found.log10, found.method
        row["log10_p_lower"], row["log10_p_upper"] = found.interval
    return row


def _warn_of_undefined(constants: Constants) -> None:
    for form in ADJUSTMENTS:
        try:
            getattr(constants, form)
        except UndefinedError as error:
            typer.echo(f"note: {constants.dataset}: {error}", err=True)
