"""``rankconst adjust`` with values: numbers typed by hand, adjusted on one or several datasets."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import parse_adjusted_metric, parse_metric
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol
from rankconst.catalogue.tools import parse_tool
from rankconst.cli.output import explain_ties, report_assumed, report_caveats, report_sampled, say
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import (
    NOTHING,
    Address,
    complete_by_name,
    count_alike,
    find_assumed,
    gather_assumed,
    look_up,
    parse_address,
    settle,
    weigh,
)
from rankconst.listing import Column, Format, Listing, show_interval
from rankconst.values.published import parse_value
from rankconst.worth import explain_each, find_floors, lay_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.constants import Constants
    from rankconst.values.published import Published

    Pairs = list[tuple[Address, Tasks]]
    Typed = Mapping[str, Sequence[Published]]
    from collections.abc import Sequence

    from rankconst.evaluation import Address


@dataclass(frozen=True, slots=True)
class Query:
    """What typed values are of, and what is asked about them."""

    datasets: tuple[str, ...]
    user: Address
    tables: Tables
    baselines: tuple[str, ...]
    num_tasks: int | None = None  # in place of a dataset
    ladder: bool = False  # whether baselines were asked for
    details: bool = False


def read_values(
    values: Sequence[str], names: Sequence[str], *, percent: bool
) -> dict[str, list[Published]]:
    """Return the values of each metric by its name as typed, before a value or by --metric."""
    from rankconst.values.published import read_published

    if not values:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust mrr=0.338 hits@10=0.533 "
            "--dataset fb15k237, or rankconst adjust results.csv --tool rotate; - is standard "
            "input."
        )
    found: dict[str, list[Published]] = {}
    # Such as mrr=0.3,hits@1=0.2.
    typed = (each for value in values for each in re.split(r",(?=\s*[A-Za-z][^,=]*=)", value))
    for name, value in (each.rpartition("=")[::2] for each in typed):
        if name and names:
            raise UsageError(
                f"{name}= and --metric both name the metric: write {value}, or leave out --metric."
            )
        if not name and len(names) != 1:
            missing = "name one metric for values" if names else "which metric is it"
            raise UsageError(f"{missing}? Add --metric, or write it before the value: mrr={value}.")
        metric = name.strip() or names[0]
        parsed = parse_metric(metric)
        # Of several metrics, those that can be percentages.
        shares = percent and (parsed.is_share or not name)
        try:
            found.setdefault(metric, []).append(read_published(parsed, value, percent=shares))
        except DataError as error:
            raise UsageError(str(error)) from None
    return found


def _adjust(typed: Typed, query: Query) -> tuple[list[AdjustedBatch], Pairs]:
    """Adjust values on each dataset, against each baseline; return also what was said of them."""
    from rankconst.adjusting import adjust_values

    if (num_tasks := query.num_tasks) is not None:
        user = query.user
        known = replace(
            user,
            dataset=None,
            tool=None,
            percent=False,
            protocol=parse_counted(user.protocol, user.tool),
        )
        values = [
            (parse_metric(name), each) for name, published in typed.items() for each in published
        ]
        tool = parse_tool(user.tool) if user.tool else None
        return adjust_values(
            values, tool, lambda metric, _: count_alike(metric, known, num_tasks)
        ), []
    if not query.datasets:
        raise UsageError(
            "which dataset is it? Add --dataset, as in --dataset fb15k237; `rankconst show "
            "datasets` lists them. Or --counts FILE, with numbers of candidates of your own; or, "
            "with --protocol sampled:M, --num-tasks N."
        )
    of_tasks: dict[tuple[Tasks, Tool | None], list[tuple[Metric, Published]]] = {}
    pairs: Pairs = []
    for dataset, (name, published) in itertools.product(
        dict.fromkeys(query.datasets), typed.items()
    ):
        named, settled = _settle(name, dataset, query)
        of_tasks.setdefault(settled, []).extend((parse_metric(name), each) for each in published)
        pairs.append((named, settled[0]))
    done: list[AdjustedBatch] = []
    for (tasks, tool), values in of_tasks.items():

        def look_up(
            metric: Metric, baseline: str, tasks: Tasks = tasks, tool: Tool | None = tool
        ) -> Constants:
            return query.tables.look_up(
                replace(weigh(tasks, metric, tool), baseline=baseline), metric
            )

        done += adjust_values(values, tool, look_up, query.baselines)
    return done, pairs


def _settle(name: str, dataset: str, query: Query) -> tuple[Address, tuple[Tasks, Tool | None]]:
    """Return what is said of a metric's values, and the tasks that they are of.

    The name of the metric may say more than the metric.
    """
    named = complete_by_name(name, replace(query.user, dataset=dataset))
    explain_ties(named)
    return named, settle(
        NOTHING, parse_address(replace(named, rank_type=None), query.tables), query.tables
    )


def parse_counted(name: str | None, tool: str | None) -> str:
    """Return the protocol of tasks that are given by nothing but their number."""
    protocol = parse_protocol(name or (parse_tool(tool).protocol if tool else DEFAULT_PROTOCOL))
    if protocol.negatives is None:
        raise UsageError(
            "--num-tasks: the number of tasks is enough only if all have the same number of "
            f"candidates: add --protocol sampled:M. Under protocol {protocol.key} name the "
            "dataset, or give the numbers of candidates by --counts."
        )
    return protocol.key


def list_values(typed: Typed, query: Query, form: Format) -> Listing:
    """Adjust values and list them.

    A screen has what they mean in words, files have all that was computed.
    """
    from rankconst.adjusting import add_significance

    done, pairs = _adjust(typed, query)
    full = query.details or form is Format.json
    if full:
        done = [add_significance(each) for each in done]
    assumed = gather_assumed(pairs, NOTHING, {address.rank_type for address, _ in pairs})
    if form is not Format.table:
        report_assumed(assumed)
    report_sampled(assumed, done, query.tables)
    for tasks in dict.fromkeys(tasks for _, tasks in pairs):
        if covered := query.tables.explain_coverage(tasks):
            say(f"note: {tasks.dataset}: {covered}")
    _report(done, full=full)
    on_screen = assumed if form is Format.table else {}
    more = "" if full else "More: --details."
    listing = lay_out(done, query.tables, on_screen, full=full, more=more)
    return _add_answers(listing, done, pairs, assumed, query) if form is Format.json else listing


def _add_answers(
    listing: Listing,
    done: Sequence[AdjustedBatch],
    pairs: Pairs,
    assumed: Mapping[str, Sequence[str]],
    query: Query,
) -> Listing:
    """Add to each row, for JSON, what was assumed of it, and what its number means."""
    assumed_of = {tasks: find_assumed(address, NOTHING, tasks) for address, tasks in pairs}
    sentences = explain_each(find_floors(done, query.tables))
    rows, meant = list[dict[str, str]](), list[str | None]()
    for each in done:
        tasks = replace(each.batch.tasks, baseline=DEFAULT_BASELINE)
        own = assumed_of.get(tasks, {})
        row = {name: value for name, value in own.items() if name in assumed}
        for _ in each.batch.texts:
            rows.append(row)
            meant.append(next(sentences) if each.batch.tasks.is_chance else None)
    columns = [*listing.columns, Column("assumed"), Column("meaning")]
    data: dict[str, Any] = {**listing.data, "assumed": rows, "meaning": meant}
    return replace(listing, columns=columns, data=data)


def _report(done: Sequence[AdjustedBatch], *, full: bool) -> None:
    """Say on stderr what is undefined, what the tool does, and why there is no p."""
    for each in done:
        for reason in dict.fromkeys(each.explain_undefined().values()):
            say(f"note: {each.constants.tasks.dataset}: {reason}")
    first, tool = done[0].constants, done[0].batch.tool
    if tool is not None:
        report_caveats([tool])
    for reason in dict.fromkeys(reason for each in done for reason in each.unattained.values()):
        say(f"note: {reason}")
    if full and any(not each.significance for each in done if each.batch.tasks.is_chance):
        leaves = tool is not None and tool.batch is not None
        reason = (
            f"{tool.title} leaves out tasks, and which is not known." if tool and leaves else ""
        )
        say(f"note: no p: {reason or first.explain_lack()}")


def turn_back(
    values: Sequence[str], names: Sequence[str], to: str, user: Address, opened: Tables
) -> Listing:
    """List the values of a metric that adjusted values are from, with what rounding leaves open."""
    pairs = [value.rpartition("=") for value in values]
    names = [*names, *dict.fromkeys(name for name, _, _ in pairs if name)]
    values = [value for _, _, value in pairs]
    if len(names) != 1 or not values:
        raise UsageError(
            "--to turns values of one metric back: rankconst adjust VALUE --metric AMRI --to "
            f"{to} ..."
        )
    if user.dataset is None:
        raise UsageError("which dataset is it? Add --dataset, as in --dataset fb15k237.")
    wanted = parse_metric(to)
    metric, form = parse_adjusted_metric(names[0])
    if metric != wanted:
        raise UsageError(
            f"{names[0]} is the adjusted form of {metric.label}, not of {wanted.label}: --to "
            f"{metric.label}"
        )
    constants = look_up(to, user, opened)
    affine = getattr(constants, form)
    rows = list[dict[str, Any]]()
    for text in values:
        try:
            given = parse_value(text, percent=bool(user.percent))
        except DataError as error:
            raise UsageError(str(error)) from None
        ends = sorted(float(affine.invert(end)) for end in given.interval)
        row = {"dataset": constants.tasks.dataset, "text": text, "adjusted": given.value}
        rows.append(
            row
            | {
                "value": float(affine.invert(given.value)),
                "value_lower": ends[0],
                "value_upper": ends[1],
            }
        )
    assumed = find_assumed(complete_by_name(to, user), NOTHING, constants.tasks)
    assumed.pop("aggregation", None)
    report_assumed({name: (value,) for name, value in assumed.items()})
    columns = [
        Column("dataset", "dataset"),
        Column(
            "adjusted", metric.name_of(form) or form, right=True, show_row=lambda row: row["text"]
        ),
        Column(
            "value", f"{metric.label} (by rounding)", right=True, show_row=show_interval("value")
        ),
        *map(Column, ("value_lower", "value_upper")),
    ]
    versions = f"Tables {constants.table_version}." if constants.table_version else ""
    title = (
        f"{metric.label} on {opened.titles.get(constants.tasks.dataset, '')} "
        f"({constants.tasks.describe()})"
    )
    return Listing.of(columns, rows, title=title, caption=versions)
