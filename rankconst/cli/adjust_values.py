"""``rankconst adjust`` with values: numbers typed by hand, adjusted on one or several datasets."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol
from rankconst.catalogue.tools import parse_tool
from rankconst.cli.notes import explain_ties, report_assumed, report_caveats, report_sampled
from rankconst.cli.output import say
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import (
    NOTHING,
    Address,
    complete_by_name,
    count_alike,
    describe_assumed,
    find_assumed,
    gather_assumed,
    parse_address,
    settle,
    weigh,
)
from rankconst.listing import Column, Format, Listing, fixed, number, show_interval, show_tail
from rankconst.verdicts import explain, find_floor, show_expected, summarise
from rankconst.worth import list_rows, write_rows, write_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.constants import Constants
    from rankconst.values.published import Published

    Pairs = list[tuple[Address, Tasks]]
    Typed = Mapping[str, Sequence[Published]]

# So many numbers have a sentence each; of more, one sentence counts.
_MOST_SENTENCES = 3


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
    """Return the values of each metric, by its name as it was typed: before a value and =, or by --metric."""
    from rankconst.values.published import read_published

    if not values:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust mrr=0.338 hits@10=0.533 --dataset fb15k237, or "
            "rankconst adjust results.csv --tool rotate; - is standard input."
        )
    found: dict[str, list[Published]] = {}
    typed = (
        each for value in values for each in re.split(r",(?=\s*[A-Za-z][^,=]*=)", value)
    )  # mrr=0.3,hits@1=0.2
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
        shares = percent and (
            parsed.is_share or not name
        )  # of several metrics, those that can be percentages
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
            "which dataset is it? Add --dataset, as in --dataset fb15k237; `rankconst show datasets` lists them. "
            "Or --counts FILE, with numbers of candidates of your own; or, with --protocol sampled:M, --num-tasks N."
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
    """Return what is said of values of a metric, whose name may say more than that, and the tasks that they are of."""
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
            "--num-tasks: the number of tasks is enough only if all have the same number of candidates: add "
            f"--protocol sampled:M. Under protocol {protocol.key} name the dataset, or give the numbers of candidates "
            "by --counts."
        )
    return protocol.key


def list_values(typed: Typed, query: Query, form: Format) -> Listing:
    """Adjust values and list them: on a screen with what they mean in words, in files with all that was computed."""
    from rankconst.adjusting import add_significance, tabulate

    done, pairs = _adjust(typed, query)
    full, ladder = query.details or form is Format.json, query.ladder
    if full:
        done = [add_significance(each) for each in done]
    chance = [each for each in done if each.batch.tasks.is_chance]
    floors = {
        each: None if query.num_tasks is not None else find_floor(each, query.tables)
        for each in chance
    }
    of_rows = [each for each in done for _ in each.batch.texts]
    data: dict[str, Any] = tabulate(done)
    if not ladder:
        data[FLOOR] = [
            None if (floor := floors[each]) is None else floor.constants.expectation
            for each in of_rows
        ]
    assumed = gather_assumed(pairs, NOTHING, {address.rank_type for address, _ in pairs})
    columns = [*_list_columns(done, data, full=full, ladder=ladder)]
    if form is Format.json:
        assumed_of = {tasks: find_assumed(address, NOTHING, tasks) for address, tasks in pairs}
        rows = (
            assumed_of.get(replace(each.batch.tasks, baseline=DEFAULT_BASELINE), {})
            for each in of_rows
        )
        data["assumed"] = [
            {name: value for name, value in row.items() if name in assumed} for row in rows
        ]
        meant = _explain_each(floors)
        data["meaning"] = [next(meant) if each.batch.tasks.is_chance else None for each in of_rows]
        columns += [Column("assumed"), Column("meaning")]
    if form is not Format.table:
        report_assumed(assumed)
    report_sampled(assumed, done, query.tables)
    for tasks in dict.fromkeys(tasks for _, tasks in pairs):
        if covered := query.tables.explain_coverage(tasks):
            say(f"note: {tasks.dataset}: {covered}")
    _report(done, full=full)
    caption = ["In brackets: the effect of rounding." if full else "", _explain_numbers(floors)]
    if assumed and form is Format.table:
        caption.append(f"Assumed: {describe_assumed(assumed)}.")
    versions = " + ".join(dict.fromkeys(each.constants.table_version for each in done))
    caption.append(
        f"{'' if full else 'More: --details. '}{f'Tables {versions}.' if versions else ''}".rstrip()
    )
    single = len(data["text"]) == 1 or (
        ladder and len(chance) == 1 and len(chance[0].batch.texts) == 1
    )
    card = (
        ""
        if full or not single
        else write_rows(list_rows(done[0], done[1:], floors[chance[0]], query.tables))
    )
    title = write_title(done, query.tables)
    return Listing(columns, data, title, "\n".join(filter(None, caption)), card, upright=full)


def _explain_each(floors: Mapping[AdjustedBatch, AdjustedBatch | None]) -> Iterator[str]:
    for each, floor in floors.items():
        yield from (explain(each, floor, place) for place in range(each.batch.index.size))


def _explain_numbers(floors: Mapping[AdjustedBatch, AdjustedBatch | None]) -> str:
    """Say what the numbers mean: a sentence each, or one for all."""
    if sum(each.batch.index.size for each in floors) > _MOST_SENTENCES:
        return summarise(floors)
    several = len({each.batch.tasks.dataset for each in floors}) > 1
    names = [f"{each.batch.tasks.dataset}: " * several for each in floors for _ in each.batch.texts]
    return "\n".join(map("".join, zip(names, _explain_each(floors), strict=True)))


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


def _list_columns(
    done: Sequence[AdjustedBatch], data: Mapping[str, Sequence[Any]], *, full: bool, ladder: bool
) -> Iterator[Column]:
    """Yield the columns: what tells rows apart, what was published, and what comes of it; all of it if `full`."""
    metrics = list(dict.fromkeys(each.batch.metric for each in done))
    labels = {metric.key: metric.label for metric in metrics}
    single = metrics[0] if len(metrics) == 1 else None

    def tell(key: str) -> Column:
        """Return a column that is shown where it tells rows apart."""
        title = key if key in data and len(set(map(str, data[key]))) > 1 else None
        return Column(key, title, (lambda name: labels[name]) if key == "metric" else str)

    yield Column("dataset", "dataset")
    yield from map(tell, ("protocol", "split", "side", "aggregation", "relations", "metric"))
    yield Column("baseline", "baseline" if ladder else None)
    yield Column(
        "value",
        single.label if single else "published",
        right=True,
        show_row=lambda row: row["text"],
    )
    if full:
        yield from map(Column, ("value_lower", "value_upper", "num_tasks"))
    forms = {
        "normalised": None if ladder or not full else "normalised",
        "index": "skill" if ladder else "index",
    }
    names = {"index": single.name_of("index") if single and not ladder else None}
    against, ranker = (
        ("as the baseline", "the baseline") if ladder else ("chance", "a random ranker")
    )
    meanings = {
        "normalised": f"1 = {against}",
        "index": f"0 = {against}, 1 = perfect",
        "z": f"standard deviations better than {against.removeprefix('as ')}",
    }
    for form, title in (forms | {"z": "z" if full else None}).items():
        if full or form == "index":
            shown = show_interval(form) if full else None
            left = ("index", "z", "normalised").index(
                form
            )  # the order in which they leave a narrow terminal
            yield Column(
                form,
                names.get(form) or title,
                fixed,
                right=True,
                drop=left,
                show_row=shown,
                meaning=meanings[form],
            )
            yield from map(Column, (f"{form}_lower", f"{form}_upper"))
    yield Column("expectation", "expected" if ladder else "chance", show_expected, right=True)
    if not ladder:
        yield Column(
            FLOOR,
            FLOOR if any(cell is not None for cell in data[FLOOR]) else None,
            show_expected,
            right=True,
        )
    if full:
        yield from map(Column, ("expectation_error", "variance", "variance_error", "method"))
        title = "p" if any(data["p_method"]) else None
        means = f"probability that {ranker} does as well"
        yield Column(
            "log10_p", title, number(4), right=True, show_row=show_tail("log10_p"), meaning=means
        )
        yield from map(Column, ("log10_p_lower", "log10_p_upper", "p_method"))
    yield Column("table_version")
