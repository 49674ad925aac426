"""``rankconst compare``: how sure the difference of two published numbers is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankconst.answers import find_assumed
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.notes import NO_OPTION, explain_names, report_assumed, report_caveats
from rankconst.cli.options import (
    AggregationOption,
    FormatOption,
    PercentOption,
    ProtocolOption,
    RelationOption,
    SideOption,
    SplitOption,
    TablesOption,
    ToolOption,
    complete_dataset,
    complete_metric,
    count_option,
    open_tables,
    option,
)
from rankconst.cli.output import Column, Format, Listing, number, print_listing, say, show_interval
from rankconst.errors import DataError
from rankconst.evaluation import NOTHING, Stated, complete_by_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.values.comparison import Comparison


def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="A published number: 0.533, 53.3%.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another one, of the same ranking tasks.")],
    metric: Annotated[
        str,
        option("--metric", "-m", help="hits@10, mrr, mr or ndcg; any k.", metavar="METRIC", complete=complete_metric),
    ],
    dataset: Annotated[
        str | None,
        option("--dataset", "-d", help="Dataset, any spelling.", metavar="KEY", complete=complete_dataset),
    ] = None,
    split: SplitOption = None,
    side: SideOption = None,
    protocol: ProtocolOption = None,
    tool: ToolOption = None,
    aggregation: AggregationOption = None,
    relation: RelationOption = None,
    num_tasks: Annotated[
        int | None,
        count_option("--num-tasks", "-n", help="Number of ranks, in place of a dataset."),
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option("--counts", help="Candidate counts of your own tasks, in place of a dataset.", metavar="FILE"),
    ] = None,
    percent: PercentOption = None,
    tables: TablesOption = None,
    format: FormatOption = Format.table,
) -> None:
    """Tell how sure the difference of two published numbers of the same ranking tasks is.

    On which tasks two models differ is not published, so z and p have bounds, which hold whatever they have in common.

    Example: rankconst compare 0.533 0.544 --metric hits@10 --dataset fb15k237

    Example: rankconst compare 0.70 0.72 --metric mrr --num-tasks 5000
    """
    from rankconst.api import compare as compare_values
    from rankconst.catalogue.tools import parse_tool
    from rankconst.tables.tables import join_tables
    from rankconst.values.published import read_published

    parsed = parse_metric(metric)
    for name, value in (("FIRST", first), ("SECOND", second)):
        try:
            read_published(parsed, value, percent=bool(percent))
        except DataError as error:
            raise typer.BadParameter(str(error), param_hint=name) from None
    opened = open_tables(tables)
    if counts is not None:
        from rankconst.tables.counts_file import read_counts

        own = read_counts(counts)
        dataset = dataset or (next(iter(own.datasets)) if len(own.datasets) == 1 else None)
        opened = join_tables([own, opened])
    if dataset is None and num_tasks is None:
        raise typer.BadParameter("missing: which dataset is it?", param_hint="--dataset")
    found = compare_values(
        first,
        second,
        metric=metric,
        dataset=dataset,
        split=split,
        side=side,
        protocol=protocol,
        tool=tool,
        aggregation=aggregation,
        relations=relation or (),
        num_tasks=num_tasks,
        percent=bool(percent),
        tables=opened,
    )
    explain_names([metric])
    if tool is not None:
        report_caveats([parse_tool(tool)])
    if found.note:
        say(f"note: {found.note}")
    assumed: dict[str, str] = {}
    if found.tasks is not None and num_tasks is None:
        user = complete_by_name(metric, Stated(dataset, split, side, protocol, tool=tool))
        assumed = find_assumed(user, NOTHING, found.tasks)
        assumed.pop("aggregation", None)
    if format is not Format.table:  # whose title says it
        report_assumed({name: (value,) for name, value in assumed.items()}, NO_OPTION, NOTHING, ())
    print_listing(_list(found, assumed if format is Format.json else None), format)


def _list(found: Comparison, assumed: Mapping[str, str] | None) -> Listing:
    """List what there is to say, as one row, with what was assumed if that is given."""
    from rankconst.values.comparison import LEFT_OUT, show_p, show_z

    label, row = found.metric.label, found.to_dict() | ({} if assumed is None else {"assumed": assumed})
    shown = {
        "first": Column("first", label, lambda _: found.names[0], right=True),
        "second": Column("second", label, lambda _: found.names[1], right=True),
        "difference": Column("difference", "difference", number(4), right=True, show_row=show_interval("difference")),
        "z_lower": Column("z_lower", "z", lambda _: show_z(found), right=True),
        "log10_p_upper": Column("log10_p_upper", "p", lambda _: show_p(found), right=True),
    }
    tasks = found.tasks
    where = "" if tasks is None else f" on {tasks.dataset}{f' ({tasks.describe()})' if tasks.split else ''}"
    counted = f"{found.num_tasks:,} tasks"
    versions = f" Tables: {found.table_version}." if found.table_version else ""
    return Listing.of(
        [shown.get(key, Column(key)) for key in row],
        [row],
        title=f"{label}{where}" + ("" if where.endswith(counted) else f", {counted}"),
        caption=f"{found.describe()}\n{LEFT_OUT}{versions}",
    )
