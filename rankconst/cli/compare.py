"""``rankconst compare``: how sure the difference of two published numbers is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.metrics import find_metric, parse_metric
from rankconst.cli import options
from rankconst.cli.options import Evaluation, argument, hide, open_tables, refuse_names, split_files
from rankconst.cli.output import (
    Target,
    explain_names,
    report_assumed,
    report_caveats,
    report_coverage,
    say,
)
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import (
    NOTHING,
    Address,
    complete_by_name,
    describe_assumed,
    gather_assumed,
    look_up_named,
)
from rankconst.listing import Column, Format, Listing, escape_latex, number, show_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.cli.adjust_file import Work
    from rankconst.results.compared import Compared
    from rankconst.tables.archive import Tables
    from rankconst.values.comparison import Comparison


def compare(
    *,
    values: list[str] = argument(
        "FIRST SECOND|FILE ...",
        "Two published numbers of the same ranking tasks, 0.533 and 54.4%, or files of results.",
        default=...,
    ),
    metric: str | None = options.METRIC,
    evaluation: Evaluation,
    out: Path | None = options.OUT,
    format: str | None = options.MAYBE_FORM,
    tables: list[str] = hide(options.FURTHER_TABLES),
    force: bool = options.FORCE,
) -> None:
    """Tell whether published results differ significantly: two numbers, a table or two runs.

    On which tasks two models differ is not published, so p has a bound, which holds whatever they
    have in common.

    Example: rankconst compare 0.533 0.544 --metric hits@10 --dataset fb15k237

    Example: rankconst compare results.csv --metric mrr

    Example: rankconst compare transe/results.json rotate/results.json
    """
    target = Target.read(out, format, force=force, replacing=False)
    if target.is_picture:
        raise UsageError(f"compare draws no picture. Run: rankconst adjust FILE --out {out}")

    opened = open_tables(tables)
    user = evaluation.require_single("compare")
    files, typed = split_files(values)
    if files and not typed:
        works = _list_works(
            files=files, metric=metric, percent=evaluation.percent, user=user, opened=opened
        )
        target.write(_list_compared(_compare_files(works), target.form), opened)
        return

    metrics = [metric] if metric else []
    refuse_names("compare", typed, evaluation.datasets, metrics)
    if files or len(typed) != 2:
        raise UsageError(
            "give two numbers, or files of results: rankconst compare 0.533 0.544 -d fb15k237 "
            f"-m hits@10.{_name_adjust(typed, user.dataset, metric)}"
        )

    _refuse_named(values, metric)
    if metric is None:
        raise UsageError("which metric is it? Add --metric, as in --metric mrr.")

    target.write(_compare_two(values, metric, user, opened, target.form), opened)


def _refuse_named(values: Sequence[str], metric: str | None) -> None:
    """Refuse numbers with the names of their metrics, ``mrr=0.3``, and suggest --metric."""
    names = {value.rpartition("=")[0] for value in values}
    if names != {""}:
        plain = " ".join(value.rpartition("=")[2] for value in values)
        label = metric or next((name for name in names if find_metric(name)), "METRIC")
        raise UsageError(
            f"leave out the names: rankconst compare {plain} --metric {label}. For several "
            "models, name a file."
        )


def _list_works(
    files: Sequence[str], metric: str | None, percent: bool | None, user: Address, opened: Tables
) -> list[Work]:
    """List the work for each file, and for each file in a folder."""
    from rankconst.cli.adjust_file import Work
    from rankconst.results.document import list_files

    metrics = (parse_metric(metric),) if metric else ()
    works = []
    for file_or_folder in files:
        paths = list_files(file_or_folder)
        for path in paths:
            work = Work(
                files=[path],
                decimal=None,
                percent=percent,
                user=user,
                tables=opened,
                metrics=metrics,
            )
            works.append(work)

    return works


def _name_adjust(typed: Sequence[str], dataset: str | None, metric: str | None) -> str:
    """Suggest the commands for a single number, or nothing."""
    if len(typed) != 1:
        return ""
    name, key = metric or "METRIC", dataset or "DATASET"
    return (
        f" What {typed[0]} is worth: rankconst adjust {typed[0]} --dataset {key} --metric {name}. "
        f"Which difference is enough: rankconst show {key} {name}."
    )


# -- two numbers -----------------------------------------------------------------------------------


def _compare_two(
    values: Sequence[str],
    metric: str,
    user: Address,
    opened: Tables,
    form: Format,
) -> Listing:
    """Compare two typed numbers in a listing of one row, with notes on stderr."""
    from rankconst.catalogue.tools import parse_tool
    from rankconst.values.comparison import require_mean
    from rankconst.values.published import read_published

    # Read here only to refuse a mistyped number first, as a mistake in the command, not in a file;
    # `constants.compare` reads the numbers again.
    parsed_metric = parse_metric(metric)
    for value in values:
        try:
            read_published(parsed_metric, value, percent=user.percent)
        except DataError as error:
            raise UsageError(str(error)) from None

    if user.dataset is None:
        raise UsageError("which dataset is it? Add --dataset, as in --dataset fb15k237.")

    require_mean(parsed_metric)
    # Percentages matter to `constants.compare`, accepted words to files; neither names tasks here.
    tasks_named = replace(user, percent=False, accepted=())
    constants = look_up_named(metric, tasks_named, opened)
    report_coverage(constants.tasks, opened)
    comparison = constants.compare(*values, percent=user.percent)
    explain_names([metric])
    if user.tool is not None:
        report_caveats([parse_tool(user.tool)])

    if comparison.note:
        say(f"note: {comparison.note}")

    assumed: dict[str, tuple[str, ...]] = {}
    if comparison.tasks is not None:
        assumed = gather_assumed([(complete_by_name(metric, user), comparison.tasks)], NOTHING)

    if form is not Format.table:  # a table has them in its caption
        report_assumed(assumed)

    return _list_comparison(comparison, assumed, opened, form)


def _list_comparison(
    comparison: Comparison, assumed: Mapping[str, tuple[str, ...]], opened: Tables, form: Format
) -> Listing:
    """List a comparison as one row: all fields for programs, and the titled ones on a screen."""
    from rankconst.values.comparison import LEFT_OUT, show_p, show_z

    label = comparison.metric.label
    first_name, second_name = comparison.names
    row = comparison.to_dict()
    if form is Format.json:
        row["assumed"] = {name: value for name, (value,) in assumed.items()}

    difference = Column(
        "difference",
        "difference (by rounding)",
        number(4),
        right=True,
        show_row=show_interval("difference"),
    )
    on_screen = {
        "first": Column("first", label, lambda _: first_name, right=True),
        "second": Column("second", label, lambda _: second_name, right=True),
        "difference": difference,
        "z_lower": Column("z_lower", "z", lambda _: show_z(comparison), right=True),
        "log10_p_upper": Column("log10_p_upper", "p", lambda _: show_p(comparison), right=True),
    }
    caption = f"{comparison.describe()}\n{LEFT_OUT}"
    if assumed:
        caption += f"\nAssumed: {describe_assumed(assumed)}."

    if comparison.table_version:
        caption += f" Tables {comparison.table_version}."

    columns = [on_screen.get(key, Column(key)) for key in row]
    return Listing.of(columns, [row], title=_entitle(comparison, opened), caption=caption)


def _entitle(comparison: Comparison, opened: Tables) -> str:
    """Name the metric of a comparison, its ranking tasks and their number."""
    title, tasks = comparison.metric.label, comparison.tasks
    if tasks is not None:
        title += f" on {opened.titles.get(tasks.dataset, tasks.dataset)}"
        if tasks.split:
            title += f" ({tasks.describe()})"

    num_tasks = f"{comparison.num_tasks:,} tasks"
    # The name of the tasks may be their number.
    return title if title.endswith(num_tasks) else f"{title}, {num_tasks}"


# -- a table of results ----------------------------------------------------------------------------


def _compare_files(works: Sequence[Work]) -> Compared:
    """Compare files, and report assumptions, questions and results without a counterpart."""
    from rankconst.cli.adjust_file import adjust_file, read_file, report
    from rankconst.results.compared import compare_files
    from rankconst.results.listed import choose_ranks

    adjusted_files = []
    for work in works:
        adjusted = adjust_file(read_file(work), work)
        report(adjusted, choose_ranks(adjusted))
        adjusted_files.append(adjusted)

    compared = compare_files(adjusted_files)
    compared_keys = {
        (standings.constants.tasks, standings.constants.metric) for standings in compared
    }
    for adjusted in adjusted_files:
        alone: dict[str, None] = {}  # "MRR on wn18rr"
        for result in adjusted.entries:
            constants = result.constants
            if constants is None or not result.entry.metric.is_mean:
                continue
            if (constants.tasks, constants.metric) not in compared_keys:
                alone[f"{constants.metric.label} on {constants.tasks.dataset}"] = None

        if alone:
            say(
                f"note: {adjusted.reading.name}: a single result is compared with none: "
                f"{', '.join(alone)}."
            )

    return compared


def _list_compared(compared: Compared, form: Format) -> Listing:
    """List the models of each metric and dataset, with the letters of those they beat."""
    from rankconst.results.compared import MEANING, name_evaluation

    rows = []
    for standings in compared:
        shared_cells = name_evaluation(standings) | {"smallest": standings.smallest}
        headings = list(standings.table)
        models = zip(*standings.table.values(), strict=True)
        rows += [shared_cells | dict(zip(headings, cells, strict=True)) for cells in models]

    columns = []
    for key in name_evaluation(compared[0]):
        # A column with the same value in all rows is for files.
        title = key if len({str(row[key]) for row in rows}) > 1 else None
        columns.append(Column(key, title))

    value = Column("value", "result", right=True, show_row=_write_text)
    better_than = Column("better_than", "better than", " ".join)
    caption = ""
    if form is Format.latex:  # letters are superscripts
        value = value._replace(raw=True, show_row=_write_superscript)
        better_than = better_than._replace(title=None)
        caption = MEANING

    columns += [
        Column("letter", ""),
        Column("model", "model"),
        value,
        better_than,
        Column("log10_p_next"),
        Column("smallest"),
    ]
    return Listing.of(columns, rows, card=str(compared), caption=caption)


def _write_text(row: Mapping[str, Any]) -> str:
    return str(row["text"])


def _write_superscript(row: Mapping[str, Any]) -> str:
    letters = ",".join(row["better_than"])
    value = escape_latex(str(row["text"]))
    return f"{value}$^{{{letters}}}$" if letters else value
