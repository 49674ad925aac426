"""``rankconst adjust`` with values: numbers typed by hand, adjusted on one or several datasets."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from rankconst.answers import find_assumed, gather_assumed
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.captions import conclude, explain_tails, tell_ranges, tell_standing
from rankconst.cli.notes import NO_OPTION, explain_ties, report_assumed, report_caveats
from rankconst.cli.output import Column, Format, Listing, join_words, number, say, show_interval, show_power, show_tail
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import NOTHING, Stated, complete_by_name, parse_stated, settle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.adjusting import Done
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.protocols import Protocol
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.constants import Constants
    from rankconst.values.published import Published

    Pairs = list[tuple[Stated, Tasks]]


def read_values(values: Sequence[str], names: Sequence[str], percent: bool) -> dict[str, list[Published]]:
    """Return the values of each metric, by its name as it was typed: before a value and =, or by --metric."""
    from rankconst.values.published import read_published

    if not values:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust mrr=0.338 hits@10=0.533 --dataset fb15k237, or "
            "rankconst adjust results.csv --tool rotate."
        )
    found: dict[str, list[Published]] = {}
    for name, value in (typed.rpartition("=")[::2] for typed in values):
        if name and names:
            raise UsageError(f"{name}={value} names its metric; leave out --metric, or write {value}.")
        if not name and len(names) != 1:
            missing = "name one metric for values." if names else "missing: which metric is it?"
            raise typer.BadParameter(f"{missing} Or write it before the value: mrr={value}.", param_hint="--metric")
        metric = name.strip() or names[0]
        parsed = parse_metric(metric)
        shares = percent and (parsed.is_share or not name)  # of several metrics, those that can be percentages
        try:
            found.setdefault(metric, []).append(read_published(parsed, value, percent=shares))
        except DataError as error:
            raise typer.BadParameter(str(error), param_hint="VALUE") from None
    return found


def adjust_typed(
    typed: Mapping[str, Sequence[Published]],
    datasets: Sequence[str],
    user: Stated,
    tables: Tables,
    baselines: Sequence[str],
) -> tuple[list[Done], Pairs]:
    """Adjust values on each of some datasets, against each of some baselines; return also what was said of them."""
    from rankconst.adjusting import adjust_values

    if not datasets:
        raise typer.BadParameter("missing: which dataset is it?", param_hint="--dataset")
    of_tasks: dict[tuple[Tasks, Tool | None], list[tuple[Metric, Published]]] = {}
    pairs: Pairs = []
    for dataset, (name, published) in itertools.product(dict.fromkeys(datasets), typed.items()):
        named = complete_by_name(name, replace(user, dataset=dataset))
        explain_ties(named)
        settled = settle(NOTHING, parse_stated(replace(named, rank_type=None), tables), tables)
        of_tasks.setdefault(settled, []).extend((parse_metric(name), each) for each in published)
        pairs.append((named, settled[0]))
    done = (
        adjust_values(values, tool, functools.partial(_look_up, tables, tasks), baselines)
        for (tasks, tool), values in of_tasks.items()
    )
    return [*itertools.chain(*done)], pairs


def _look_up(tables: Tables, tasks: Tasks, metric: Metric, baseline: str) -> Constants:
    return tables.look_up(replace(tasks, baseline=baseline), metric)


def adjust_counted(
    typed: Mapping[str, Sequence[Published]], datasets: Sequence[str], user: Stated, num_tasks: int
) -> list[Done]:
    """Adjust values of `num_tasks` tasks, all with the same number of candidates."""
    from rankconst.adjusting import adjust_values
    from rankconst.catalogue.tools import parse_tool
    from rankconst.tables.own_counts import Counts
    from rankconst.tasks import sampled_histogram

    if datasets:
        raise typer.BadParameter("--num-tasks replaces --dataset; leave one out.")
    unfit = {
        "--split": user.split,
        "--side": user.side,
        "--aggregation": user.aggregation,
        "--relation": user.relations,
    }
    for option in (option for option, stated in unfit.items() if stated):
        raise typer.BadParameter("does not go with --num-tasks, which is all that is known.", param_hint=option)
    tool = parse_tool(user.tool) if user.tool else None
    protocol = parse_counted(user.protocol, user.tool)
    counts = Counts(f"{num_tasks:,} tasks", {"both": sampled_histogram(protocol, num_tasks)})

    def look_up(metric: Metric, _: str) -> Constants:
        whole = counts.constants(metric)
        return replace(whole, tasks=replace(whole.tasks, protocol=protocol.key))

    values = [(parse_metric(name), each) for name, published in typed.items() for each in published]
    return adjust_values(values, tool, look_up)


def parse_counted(name: str | None, tool: str | None) -> Protocol:
    """Return the protocol of tasks that are given by nothing but their number."""
    from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol
    from rankconst.catalogue.tools import parse_tool

    protocol = parse_protocol(name or (parse_tool(tool).protocol if tool else DEFAULT_PROTOCOL))
    if protocol.negatives is None:
        raise typer.BadParameter(
            "the number of tasks is enough only if all have the same number of candidates: --protocol sampled:M. "
            f"Under protocol {protocol.key} name the dataset, or give the numbers of candidates by --counts.",
            param_hint="--num-tasks",
        )
    return protocol


def list_values(done: list[Done], pairs: Pairs, form: Format, *, significance: bool, ladder: bool) -> Listing:
    """List adjusted values; `pairs` are what was said of them, and the tasks that they were taken for."""
    from rankconst.adjusting import add_significance, tabulate

    if significance:
        done = [add_significance(each) for each in done]
    data = tabulate(done)
    assumed = gather_assumed(pairs, NOTHING, {stated.rank_type for stated, _ in pairs})
    if form is not Format.table:  # whose title says it
        report_assumed(assumed, NO_OPTION, NOTHING, ())
    _report_values(done, significance=significance)
    significant = any(data["p_method"])
    who = "the baseline" if ladder else "a random ranker"
    explained = f"\n{explain_tails(data['p_method'], who)}" if significant else ""
    versions = " + ".join(dict.fromkeys(each.constants.table_version for each in done))
    metrics = list(dict.fromkeys(each.batch.metric for each in done))
    tasks = replace(done[0].constants.tasks, baseline=DEFAULT_BASELINE)
    index = metrics[0].name_of("index") if len(metrics) == 1 else None
    chance = f"Against uniform, which is chance, skill is {index or 'the adjusted index'}."
    meaning = f"{_MEANING_OF_SKILL} {chance}" if ladder else _MEANING_OF_INDEX
    labels = join_words([metric.label for metric in metrics])
    columns = _columns_of_values(metrics, data, significant, ladder)
    if form is Format.json:
        said = {tasks: find_assumed(stated, NOTHING, tasks) for stated, tasks in pairs}
        rows = (said.get(replace(each.batch.tasks, baseline=DEFAULT_BASELINE), {}) for each in done)
        data["assumed"] = [
            {name: value for name, value in row.items() if name in assumed}
            for row, each in zip(rows, done, strict=True)
            for _ in each.batch.texts
        ]
        columns = (*columns, Column("assumed"))
    return Listing(
        columns,
        data,
        title=f"{labels} {'on' if tasks.split else f'of {tasks.dataset},'} {tasks.describe()}",
        caption=f"{meaning}{tell_ranges(done)}{explained}{f' Tables: {versions}.' if versions else ''}"
        f"{tell_standing(done) if ladder else conclude(done)}",
    )


_MEANING_OF_INDEX = "normalised: 1 = random; index: 0 = random, 1 = perfect; z: standard deviations better than random."
_MEANING_OF_SKILL = "skill: 0 = as the baseline, 1 = perfect; z: standard deviations better than the baseline."


def _report_values(done: Sequence[Done], *, significance: bool) -> None:
    """Say on stderr what is undefined, what the tool does, and why there is no p."""
    for each in done:
        for reason in dict.fromkeys(each.explain_undefined().values()):
            say(f"note: {each.constants.tasks.dataset}: {reason}")
    first, tool = done[0].constants, done[0].batch.tool
    if tool is not None:
        report_caveats([tool])
    for reason in dict.fromkeys(reason for each in done for reason in each.unattained.values()):
        say(f"note: {reason}")
    if significance and any(not each.significance for each in done if each.batch.tasks.is_chance):
        leaves = tool is not None and tool.batch is not None
        reason = f"{tool.title} leaves out tasks, and which is not known." if tool and leaves else ""
        say(f"note: no p: {reason or first.explain_lack()}")


def _columns_of_values(
    metrics: Sequence[Metric], data: Mapping[str, Sequence[Any]], significant: bool, ladder: bool
) -> tuple[Column, ...]:
    labels = {metric.key: metric.label for metric in metrics}

    def told(key: str) -> Column:
        """Return a column that is shown where it tells rows apart."""
        title = key if key in data and len(set(map(str, data[key]))) > 1 else None
        return Column(key, title, (lambda name: labels[name]) if key == "metric" else str)

    def adjusted(form: str) -> tuple[Column, ...]:
        name = metrics[0].name_of(form) if len(metrics) == 1 else None
        drop = {"normalised": 2}.get(form, 0)
        title = f"{form} ({name})" if name else form
        return (
            Column(
                form,
                {"normalised": None, "index": "skill", "z": "z"}[form] if ladder else title,
                number(4),
                right=True,
                drop=drop,
                show_row=show_interval(form),
            ),
            Column(f"{form}_lower"),
            Column(f"{form}_upper"),
        )

    return (
        Column("dataset", "dataset"),
        *map(told, ("protocol", "split", "side", "aggregation", "relations", "metric")),
        Column("baseline", "baseline" if ladder else None),
        Column(
            "value",
            metrics[0].label if len(metrics) == 1 else "published",
            right=True,
            show_row=lambda row: row["text"],
        ),
        *map(Column, ("value_lower", "value_upper", "num_tasks")),
        Column("expectation", "expected" if ladder else "random", number(5), right=True),
        *map(Column, ("expectation_error", "variance", "variance_error", "method")),
        *adjusted("normalised"),
        *adjusted("index"),
        *adjusted("z"),
        Column("log10_p", "p" if significant else None, show_power, right=True, drop=1, show_row=show_tail("log10_p")),
        *map(Column, ("log10_p_lower", "log10_p_upper", "p_method", "table_version")),
    )
