"""``rankconst adjust`` with values: what is typed, adjusted and explained in a listing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.adjusting import add_significance, adjust_on, adjust_values
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.output import (
    explain_ties,
    report_assumed,
    report_caveats,
    report_coverage,
    report_sampled,
    say,
)
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import (
    NAMES,
    NOTHING,
    Address,
    choose_sampled_protocol,
    complete_by_name,
    count_alike,
    find_assumed,
    gather_assumed,
    parse_address,
    read_tool,
    settle,
)
from rankconst.listing import Column, Format, Listing
from rankconst.typed import compare_with_counting, lay_out, turn_values_back
from rankconst.values.published import read_published
from rankconst.verdicts import explain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.published import Published

    Pairs = list[tuple[Address, Tasks]]
    Typed = Mapping[str, Sequence[Published]]


class Query(NamedTuple):
    """The tasks of typed values, and the options for their listing."""

    datasets: Sequence[str]
    user: Address
    tables: Tables
    baselines: tuple[str, ...]
    num_tasks: int | None = None  # in place of a dataset
    details: bool = False


def read_values(
    values: Sequence[str], names: Sequence[str], *, percent: bool
) -> dict[str, list[Published]]:
    """Return typed values, such as "mrr=0.338" or "0.338", by the name of their metric.

    Raises UsageError for a value with two names, or with none.
    """
    if not values:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust mrr=0.338 hits@10=0.533 "
            "--dataset fb15k237, or rankconst adjust results.csv --tool rotate; - is standard "
            "input."
        )

    typed: list[str] = []
    for value in values:
        typed += re.split(r",(?=\s*[A-Za-z][^,=]*=)", value)  # mrr=0.3,hits@1=0.2

    by_metric: dict[str, list[Published]] = {}
    for word in typed:
        name, number = _split_named(word, names)
        metric_name = name or names[0]
        metric = parse_metric(metric_name)
        # Among named metrics, --percent is about the shares; the metric of --metric has to be one.
        is_percent = percent and (metric.is_share or not name)
        try:
            published = read_published(metric, number, percent=is_percent)
        except DataError as error:
            raise UsageError(str(error)) from None

        by_metric.setdefault(metric_name, []).append(published)

    return by_metric


def _split_named(word: str, names: Sequence[str]) -> tuple[str, str]:
    """Split "mrr=0.338" into ("mrr", "0.338"), and "0.338" into ("", "0.338").

    `names` are those of --metric: a word has to name its metric if there is not exactly one.
    """
    name, _, number = word.rpartition("=")
    name = name.strip()
    if name in NAMES:
        raise UsageError(f"{name} is not a metric. Did you mean --{name} {number}?")
    if name and names:
        raise UsageError(
            f"{name}= and --metric both name the metric: write {number}, or leave out --metric."
        )

    if not name and len(names) != 1:
        named = number.replace(":", "=") if ":" in number else f"mrr={number}"
        raise UsageError(
            f"which metric is it? Write it before the value: {named}; or name one by --metric."
        )
    return name, number


def _adjust(typed: Typed, query: Query) -> tuple[list[AdjustedBatch], Pairs]:
    """Adjust values on each dataset against each baseline; also pair addresses with their tasks."""
    user, tables = query.user, query.tables
    if query.num_tasks is not None:
        return _adjust_counted(typed, user, query.num_tasks), []
    if not query.datasets:
        raise UsageError(
            "which dataset is it? Add --dataset, as in --dataset fb15k237; `rankconst show "
            "datasets` lists them. Or --counts FILE, with numbers of candidates of your own; or, "
            "with --protocol sampled:M, --num-tasks N."
        )

    values_on: dict[tuple[Tasks, Tool | None], list[tuple[Metric, Published]]] = {}
    pairs: Pairs = []
    for dataset in dict.fromkeys(query.datasets):
        for name, published_values in typed.items():
            address = complete_by_name(name, replace(user, dataset=dataset))
            explain_ties(address)
            # The rank type does not change the ranking tasks.
            keys = parse_address(replace(address, rank_type=None), tables)
            tasks, tool = settle(NOTHING, keys, tables)
            pairs.append((address, tasks))

            metric = parse_metric(name)
            values = values_on.setdefault((tasks, tool), [])
            values.extend((metric, published) for published in published_values)

    batches: list[AdjustedBatch] = []
    for (tasks, tool), values in values_on.items():
        batches += adjust_on(tasks, tool, values, tables, query.baselines)

    return batches, pairs


def _adjust_counted(typed: Typed, user: Address, num_tasks: int) -> list[AdjustedBatch]:
    """Adjust values on a number of tasks without a dataset."""
    protocol = choose_sampled_protocol(user.protocol, user.tool)
    address = replace(user, dataset=None, tool=None, percent=False, protocol=protocol)
    values: list[tuple[Metric, Published]] = []
    for name, published_values in typed.items():
        metric = parse_metric(name)
        values += [(metric, published) for published in published_values]

    tool = read_tool(user.tool)
    return adjust_values(values, tool, lambda metric, _: count_alike(metric, address, num_tasks))


def list_values(typed: Typed, query: Query, form: Format) -> Listing:
    """Adjust values and list them, for a screen with a verdict in words."""
    batches, pairs = _adjust(typed, query)
    full = query.details or form is Format.json
    if full:
        batches = [add_significance(batch) for batch in batches]

    assumed = gather_assumed(pairs, NOTHING, {address.rank_type for address, _ in pairs})
    on_screen = assumed
    if form is not Format.table:
        report_assumed(assumed)
        on_screen = {}

    report_sampled(assumed, batches, query.tables)
    for tasks in dict.fromkeys(tasks for _, tasks in pairs):
        report_coverage(tasks, query.tables)

    _report_notes(batches)
    if full:
        _report_missing_p(batches)

    more = "" if full else "More: --details."
    listing = lay_out(batches, query.tables, on_screen, full=full, more=more)
    if form is Format.json:
        return _add_json_columns(listing, batches, pairs, assumed, query)
    return listing


def _add_json_columns(
    listing: Listing,
    batches: Sequence[AdjustedBatch],
    pairs: Pairs,
    assumed: Mapping[str, Sequence[str]],
    query: Query,
) -> Listing:
    """Add the columns ``assumed`` and ``meaning``, which only JSON has.

    The rows of the listing are the `batches`; `assumed` has the fields that were assumed of any.
    """
    assumed_of = {tasks: find_assumed(address, NOTHING, tasks) for address, tasks in pairs}
    counting_of = compare_with_counting(batches, query.tables)
    assumptions: list[dict[str, str]] = []
    meanings: list[str | None] = []
    for batch in batches:
        # Other baselines are on the same tasks, and assume the same.
        tasks = replace(batch.published.tasks, baseline=DEFAULT_BASELINE)
        fields = assumed_of.get(tasks, {})
        assumptions.append({name: value for name, value in fields.items() if name in assumed})
        meaning = explain(batch, counting_of[batch]) if batch in counting_of else None
        meanings.append(meaning)

    columns = [*listing.columns, Column("assumed"), Column("meaning")]
    data: dict[str, Any] = {**listing.data, "assumed": assumptions, "meaning": meanings}
    return replace(listing, columns=columns, data=data)


def _report_notes(batches: Sequence[AdjustedBatch]) -> None:
    """Report on stderr undefined forms, the caveat of the tool, and numbers no ranks attain."""
    undefined = dict[str, None]()
    unattained = dict[str, None]()
    for batch in batches:
        dataset = batch.constants.tasks.dataset
        undefined |= dict.fromkeys(f"{dataset}: {reason}" for reason in batch.undefined.values())
        unattained |= dict.fromkeys(batch.unattained.values())

    for note in undefined:
        say(f"note: {note}")

    tool = batches[0].published.tool
    if tool is not None:
        report_caveats([tool])

    for note in unattained:
        say(f"note: {note}")


def _report_missing_p(batches: Sequence[AdjustedBatch]) -> None:
    """Report on stderr why numbers have no probability p, if any has none."""
    over_chance = [batch for batch in batches if batch.published.tasks.is_chance]
    if all(batch.significance for batch in over_chance):
        return

    tool = batches[0].published.tool
    reason = batches[0].constants.explain_lack()
    if tool is not None and tool.batch is not None:
        reason = f"{tool.title} leaves out tasks, and which is not known."
    say(f"note: no p: {reason}")


def turn_back(
    typed: Sequence[str], names: Sequence[str], to: str, user: Address, opened: Tables
) -> Listing:
    """List the values of a metric that belong to adjusted values, with their rounding.

    Raises UsageError unless exactly one metric is named.
    """
    typed_names = dict[str, None]()
    values = []
    for word in typed:
        name, _, value = word.rpartition("=")
        values.append(value)
        if name:
            typed_names[name] = None

    names = [*names, *typed_names]
    if len(names) != 1 or not typed:
        raise UsageError(
            "--to turns values of one metric back: rankconst adjust VALUE --metric AMRI --to "
            f"{to} ..."
        )

    try:
        return turn_values_back(values, names[0], to, user, opened).listing
    except DataError as error:
        raise UsageError(str(error)) from None
