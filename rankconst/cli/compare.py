"""``rankconst compare``: how sure the difference of two published numbers is."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankconst.catalogue.metrics import find_metric, parse_metric
from rankconst.cli import options
from rankconst.cli.adjust import Target, split_files
from rankconst.cli.options import argument, hide, open_tables, refuse_names
from rankconst.cli.output import explain_names, report_assumed, report_caveats, say
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import (
    NOTHING,
    Address,
    complete_by_name,
    describe_assumed,
    gather_assumed,
    look_up,
)
from rankconst.listing import Column, Format, Listing, escape_latex, number, show_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.cli.adjust_file import Work
    from rankconst.results.compared import Compared
    from rankconst.tables.archive import Tables
    from rankconst.values.comparison import Comparison


def compare(
    values: Annotated[
        list[str],
        argument(
            "FIRST SECOND|FILE ...",
            "Two published numbers of the same ranking tasks, 0.533 and 54.4%, or files of "
            "results.",
        ),
    ],
    metric: options.Metric = None,
    dataset: options.Dataset = None,
    split: options.Split = None,
    side: options.Side = None,
    protocol: options.Protocol = None,
    tool: options.Tool = None,
    out: options.Out = None,
    format: options.MaybeForm = None,
    tables: Annotated[list[str] | None, hide(options.FurtherTables)] = None,
    percent: options.Percent = None,
    accept: options.Accept = None,
    force: options.Force = False,
) -> None:
    """Tell whether published results differ significantly: two numbers, a table or two runs.

    On which tasks two models differ is not published, so p has a bound, which holds whatever they
    have in common.

    Example: rankconst compare 0.533 0.544 --metric hits@10 --dataset fb15k237

    Example: rankconst compare results.csv --metric mrr

    Example: rankconst compare transe/results.json rotate/results.json
    """
    target = Target.of(out, format, force, replacing=False)
    if target.is_picture:
        raise UsageError(f"compare draws no picture. Run: rankconst adjust FILE --out {out}")
    opened = open_tables(tables)
    facts = (dataset, split, side, protocol, None, tool)
    user = Address(*facts, percent=bool(percent), accepted=tuple(accept or ()))
    files, typed = split_files(values)
    if files and not typed:
        found = _compare_files(_list_works(files, metric, percent, user, opened))
        target.write(_list_compared(found, target.form), opened)
        return
    refuse_names("compare", typed, [dataset] if dataset else [], [metric] if metric else [])
    if files or len(typed) != 2:
        raise UsageError(
            "give two numbers, or files of results: rankconst compare 0.533 0.544 -d fb15k237 "
            f"-m hits@10.{_name_adjust(typed, dataset, metric)}"
        )
    names = {each.rpartition("=")[0] for each in values}
    if names != {""}:
        plain = " ".join(each.rpartition("=")[2] for each in values)
        known = metric or next((name for name in names if find_metric(name)), "METRIC")
        raise UsageError(
            f"leave out the names: rankconst compare {plain} --metric {known}. For several "
            "models, name a file."
        )
    if metric is None:
        raise UsageError("which metric is it? Add --metric, as in --metric mrr.")
    target.write(_compare_two(values, metric, user, opened, target.form), opened)


def _list_works(
    files: Sequence[str], metric: str | None, percent: bool | None, user: Address, opened: Tables
) -> list[Work]:
    """List the work for each file, and for each file of a folder."""
    from rankconst.cli.adjust_file import Work
    from rankconst.results.document import list_files

    metrics = (parse_metric(metric),) if metric else ()
    every = itertools.chain.from_iterable(map(list_files, files))
    return [Work([file], None, percent, user, opened, metrics) for file in every]


def _name_adjust(typed: Sequence[str], dataset: str | None, metric: str | None) -> str:
    """Suggest the commands for one number and for the least difference; none for several."""
    if len(typed) != 1:
        return ""
    name, key = metric or "METRIC", dataset or "DATASET"
    alone = f"rankconst adjust {typed[0]} --dataset {key} --metric {name}"
    enough = f"rankconst show {key} {name}"
    return f" What {typed[0]} is worth: {alone}. Which difference is enough: {enough}."


# -- two numbers -----------------------------------------------------------------------------------


def _compare_two(
    values: Sequence[str],
    metric: str,
    user: Address,
    opened: Tables,
    form: Format,
) -> Listing:
    """Compare two numbers; report notes on stderr."""
    from rankconst.catalogue.tools import parse_tool
    from rankconst.values.comparison import require_mean
    from rankconst.values.published import read_published

    parsed = parse_metric(metric)
    for value in values:
        try:
            read_published(parsed, value, percent=user.percent)
        except DataError as error:
            raise UsageError(str(error)) from None
    if user.dataset is None:
        raise UsageError("which dataset is it? Add --dataset, as in --dataset fb15k237.")
    require_mean(parsed)
    alone = replace(user, percent=False, accepted=())
    constants = look_up(metric, alone, opened)
    if covered := opened.explain_coverage(constants.tasks):
        say(f"note: {constants.tasks.dataset}: {covered}")
    found = constants.compare(*values, percent=user.percent)
    explain_names([metric])
    if user.tool is not None:
        report_caveats([parse_tool(user.tool)])
    if found.note:
        say(f"note: {found.note}")
    assumed: dict[str, tuple[str, ...]] = {}
    if found.tasks is not None:
        assumed = gather_assumed([(complete_by_name(metric, user), found.tasks)], NOTHING)
    if form is not Format.table:
        report_assumed(assumed)
    return _list(found, assumed, opened, form)


def _list(
    found: Comparison, assumed: Mapping[str, tuple[str, ...]], opened: Tables, form: Format
) -> Listing:
    """List the comparison as one row."""
    from rankconst.values.comparison import LEFT_OUT, show_p, show_z

    label, row = found.metric.label, found.to_dict()
    if form is Format.json:
        row["assumed"] = {name: value for name, (value,) in assumed.items()}
    difference = Column(
        "difference",
        "difference (by rounding)",
        number(4),
        right=True,
        show_row=show_interval("difference"),
    )
    shown = {
        "first": Column("first", label, lambda _: found.names[0], right=True),
        "second": Column("second", label, lambda _: found.names[1], right=True),
        "difference": difference,
        "z_lower": Column("z_lower", "z", lambda _: show_z(found), right=True),
        "log10_p_upper": Column("log10_p_upper", "p", lambda _: show_p(found), right=True),
    }
    title = label
    if (tasks := found.tasks) is not None:
        title += f" on {opened.titles.get(tasks.dataset, tasks.dataset)}"
        if tasks.split:
            title += f" ({tasks.describe()})"
    counted = f"{found.num_tasks:,} tasks"
    if not title.endswith(counted):
        title += f", {counted}"
    caption = f"{found.describe()}\n{LEFT_OUT}"
    if assumed:
        caption += f"\nAssumed: {describe_assumed(assumed)}."
    if found.table_version:
        caption += f" Tables {found.table_version}."
    columns = [shown.get(key, Column(key)) for key in row]
    return Listing.of(columns, [row], title=title, caption=caption)


# -- a table of results ----------------------------------------------------------------------------


def _compare_files(works: Sequence[Work]) -> Compared:
    """Read and adjust files, report assumptions and questions, and order the models."""
    from rankconst.cli.adjust_file import adjust_file, read_file, report
    from rankconst.results.compared import compare_files
    from rankconst.results.listed import choose_ranks

    files = []
    for work in works:
        adjusted = adjust_file(read_file(work), work)
        report(adjusted, choose_ranks(adjusted))
        files.append(adjusted)
    found = compare_files(files)
    ranked = {(each.constants.tasks, each.constants.metric) for each in found}
    for adjusted in files:
        alone: dict[str, None] = {}
        for each in adjusted.entries:
            known = each.constants
            if known is None or not each.entry.metric.is_mean:
                continue
            if (known.tasks, known.metric) not in ranked:
                alone[f"{known.metric.label} on {known.tasks.dataset}"] = None
        if alone:
            say(
                f"note: {adjusted.reading.name}: a single result is compared with none: "
                f"{', '.join(alone)}."
            )
    return found


def _list_compared(found: Compared, form: Format) -> Listing:
    """List the models of each metric and dataset, with the letters of those that they beat."""
    from rankconst.results.compared import MEANING

    names = ("dataset", "split", "side", "protocol")
    rows = []
    for each in found:
        facts = {name: getattr(each.constants.tasks, name) for name in names}
        facts |= {"metric": each.constants.metric.label, "smallest": each.smallest}
        table = each.table
        models = zip(*table.values(), strict=True)
        rows += [facts | dict(zip(table, model, strict=True)) for model in models]
    columns = []
    for key in (*names, "metric"):
        # A column that tells no rows apart is for files.
        title = key if len({row[key] for row in rows}) > 1 else None
        columns.append(Column(key, title))
    marked = form is Format.latex
    write = _write_superscript if marked else _write_text
    columns += [
        Column("letter", ""),
        Column("model", "model"),
        Column("value", "result", right=True, raw=marked, show_row=write),
        Column("better_than", None if marked else "better than", " ".join),
        *map(Column, ("log10_p_next", "smallest")),
    ]
    return Listing.of(columns, rows, card=str(found), caption=MEANING if marked else "")


def _write_text(row: Mapping[str, Any]) -> str:
    return str(row["text"])


def _write_superscript(row: Mapping[str, Any]) -> str:
    letters = ",".join(row["better_than"])
    value = escape_latex(str(row["text"]))
    return f"{value}$^{{{letters}}}$" if letters else value
