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
from rankconst.typed import find_floors, lay_out, turn_values_back
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

    by_metric: dict[str, list[Published]] = {}
    typed: list[str] = []
    for word in values:
        typed += re.split(r",(?=\s*[A-Za-z][^,=]*=)", word)  # mrr=0.3,hits@1=0.2

    for word in typed:
        name, _, value = word.rpartition("=")
        if name.strip() in NAMES:
            raise UsageError(f"{name} is not a metric. Did you mean --{name} {value}?")
        if name and names:
            raise UsageError(
                f"{name}= and --metric both name the metric: write {value}, or leave out --metric."
            )
        if not name and len(names) != 1:
            named = value.replace(":", "=") if ":" in value else f"mrr={value}"
            raise UsageError(
                f"which metric is it? Write it before the value: {named}; or name one by --metric."
            )
        metric = name.strip() or names[0]
        parsed = parse_metric(metric)
        # Among named metrics, --percent is about the shares; the metric of --metric has to be one.
        shares = percent and (parsed.is_share or not name)
        try:
            published = read_published(parsed, value, percent=shares)
        except DataError as error:
            raise UsageError(str(error)) from None

        by_metric.setdefault(metric, []).append(published)

    return by_metric


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

    of_tasks: dict[tuple[Tasks, Tool | None], list[tuple[Metric, Published]]] = {}
    pairs: Pairs = []
    for dataset in dict.fromkeys(query.datasets):
        for name, published in typed.items():
            address = complete_by_name(name, replace(user, dataset=dataset))
            explain_ties(address)
            # The rank type does not change the ranking tasks.
            keys = parse_address(replace(address, rank_type=None), tables)
            tasks, tool = settle(NOTHING, keys, tables)
            metric = parse_metric(name)
            of_tasks.setdefault((tasks, tool), []).extend((metric, value) for value in published)
            pairs.append((address, tasks))

    done: list[AdjustedBatch] = []
    for (tasks, tool), values in of_tasks.items():
        done += adjust_on(tasks, tool, values, tables, query.baselines)

    return done, pairs


def _adjust_counted(typed: Typed, user: Address, num_tasks: int) -> list[AdjustedBatch]:
    """Adjust values on a number of tasks without a dataset."""
    protocol = choose_sampled_protocol(user.protocol, user.tool)
    address = replace(user, dataset=None, tool=None, percent=False, protocol=protocol)
    values: list[tuple[Metric, Published]] = []
    for name, published in typed.items():
        values += [(parse_metric(name), value) for value in published]
    tool = read_tool(user.tool)
    return adjust_values(values, tool, lambda metric, _: count_alike(metric, address, num_tasks))


def list_values(typed: Typed, query: Query, form: Format) -> Listing:
    """Adjust values and list them, for a screen with a verdict in words."""
    done, pairs = _adjust(typed, query)
    full = query.details or form is Format.json
    if full:
        done = [add_significance(batch) for batch in done]

    assumed = gather_assumed(pairs, NOTHING, {address.rank_type for address, _ in pairs})
    on_screen = assumed
    if form is not Format.table:
        report_assumed(assumed)
        on_screen = {}

    report_sampled(assumed, done, query.tables)
    for tasks in dict.fromkeys(tasks for _, tasks in pairs):
        report_coverage(tasks, query.tables)

    _report(done, full=full)
    more = "" if full else "More: --details."
    listing = lay_out(done, query.tables, on_screen, full=full, more=more)
    if form is Format.json:
        return _add_json_columns(listing, done, pairs, assumed, query)
    return listing


def _add_json_columns(
    listing: Listing,
    done: Sequence[AdjustedBatch],
    pairs: Pairs,
    assumed: Mapping[str, Sequence[str]],
    query: Query,
) -> Listing:
    """Add the columns ``assumed`` and ``meaning``, which only JSON has.

    `assumed` has the fields that were assumed of any number.
    """
    fields_of = {tasks: find_assumed(address, NOTHING, tasks) for address, tasks in pairs}
    floors = find_floors(done, query.tables)
    assumptions: list[dict[str, str]] = []
    meanings: list[str | None] = []
    for batch in done:
        # Other baselines are on the same tasks, and assume the same.
        tasks = replace(batch.published.tasks, baseline=DEFAULT_BASELINE)
        fields = fields_of.get(tasks, {})
        assumptions.append({name: value for name, value in fields.items() if name in assumed})
        meaning = explain(batch, floors[batch]) if batch in floors else None
        meanings.append(meaning)

    columns = [*listing.columns, Column("assumed"), Column("meaning")]
    data: dict[str, Any] = {**listing.data, "assumed": assumptions, "meaning": meanings}
    return replace(listing, columns=columns, data=data)


def _report(done: Sequence[AdjustedBatch], *, full: bool) -> None:
    """Report undefined forms, the caveat of the tool and the reason for a missing p on stderr."""
    undefined, unattained = dict[str, None](), dict[str, None]()
    for batch in done:
        dataset = batch.constants.tasks.dataset
        undefined |= dict.fromkeys(f"{dataset}: {reason}" for reason in batch.undefined.values())
        unattained |= dict.fromkeys(batch.unattained.values())

    tool = done[0].published.tool
    for note in undefined:
        say(f"note: {note}")

    if tool is not None:
        report_caveats([tool])

    for note in unattained:
        say(f"note: {note}")

    if full and any(not batch.significance for batch in done if batch.published.tasks.is_chance):
        lack = done[0].constants.explain_lack()
        if tool is not None and tool.batch is not None:
            lack = f"{tool.title} leaves out tasks, and which is not known."
        say(f"note: no p: {lack}")


def turn_back(
    typed: Sequence[str], names: Sequence[str], to: str, user: Address, opened: Tables
) -> Listing:
    """List the values of a metric that belong to adjusted values, with their rounding.

    Raises UsageError unless exactly one metric is named.
    """
    pairs = [value.rpartition("=") for value in typed]
    names = [*names, *dict.fromkeys(name for name, _, _ in pairs if name)]
    if len(names) != 1 or not typed:
        raise UsageError(
            "--to turns values of one metric back: rankconst adjust VALUE --metric AMRI --to "
            f"{to} ..."
        )

    values = [value for _, _, value in pairs]
    try:
        return turn_values_back(values, names[0], to, user, opened).listing
    except DataError as error:
        raise UsageError(str(error)) from None
