"""``rankconst adjust``: published numbers in, their adjusted forms out."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst import tables as archive
from rankconst.aggregations import DEFAULT_AGGREGATION
from rankconst.cli.adjusted import FORMS, show_interval, show_tail
from rankconst.cli.files import check_target, write_whole
from rankconst.cli.lookup import resolve_dataset
from rankconst.cli.options import (
    InputFormatOption,
    PercentOption,
    RelationOption,
    SourceOption,
    StatedAggregationOption,
    StatedProtocolOption,
    StatedSideOption,
    StatedSplitOption,
    TablesOption,
    complete_dataset,
    complete_metric,
)
from rankconst.cli.output import SUFFIXES, Column, Format, Listing, number, print_listing, render
from rankconst.errors import DataError, UndefinedError, UsageError
from rankconst.metrics import parse_metric
from rankconst.protocols import DEFAULT_PROTOCOL, parse_protocol
from rankconst.values import Published, parse_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.constants import Constants
    from rankconst.metrics import Metric
    from rankconst.results.settling import Setting
    from rankconst.tables import Tables

__all__ = ["adjust"]

# Of more sources than this, caveats are not recited.
_FEW = 2
_SIDES = {"head": "head side", "tail": "tail side", "both": "both sides"}


def adjust(
    ctx: typer.Context,
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VALUE", help="Published numbers: 0.338, '0.5458 ± 0.0052', 53.3%.", show_default=False
        ),
    ] = None,
    input: Annotated[
        str | None,
        typer.Option(
            "--input",
            "-i",
            help="A file with results instead: a table, a log, a tool's own file; - for stdin.",
            metavar="FILE",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset", "-d", help="Dataset, any spelling; repeatable.", metavar="KEY", autocompletion=complete_dataset
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="mr, mrr, hits@10, gmr ...; any spelling. For a file: only this one; repeatable.",
            metavar="METRIC",
            autocompletion=complete_metric,
        ),
    ] = None,
    split: StatedSplitOption = None,
    side: StatedSideOption = None,
    protocol: StatedProtocolOption = None,
    source: SourceOption = None,
    aggregation: StatedAggregationOption = None,
    relation: RelationOption = None,
    num_tasks: Annotated[
        int | None,
        typer.Option(
            "--num-tasks", "-n", min=1, metavar="N", help="Number of ranks, in place of a dataset: protocol sampled:M."
        ),
    ] = None,
    percent: PercentOption = False,
    significance: Annotated[
        bool | None,
        typer.Option(
            "--significance/--no-significance",
            help="The probability that a random ranker does as well. Default: for values, not for files.",
        ),
    ] = None,
    input_format: InputFormatOption = None,
    tables: TablesOption = None,
    format: Annotated[
        Format | None, typer.Option("--format", "-f", help="How to print the result; table, or by the file's ending.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this file instead of the screen.", metavar="FILE")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there already.")] = False,
) -> None:
    """Adjust published numbers for chance: some values, or a file of results.

    Every number comes with the interval that its rounding leaves open: 0.338 stands for 0.3375 to 0.3385.

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr

    Example: rankconst adjust --input results.csv --source rotate --out adjusted.csv
    """
    from rankconst.results.settling import Setting

    if out is not None:
        check_target(out, force)
    form = format or (Format.table if out is None else _form_of(out))
    given = dataset or []
    setting = Setting(given[0] if given else None, split, side, protocol, source, aggregation, percent)
    opened = archive.load(tables)
    if input is not None:
        if values or relation or num_tasks or len(given) > 1:
            what = (
                "VALUE"
                if values
                else "--relation"
                if relation
                else "--num-tasks"
                if num_tasks
                else "a second --dataset"
            )
            raise typer.BadParameter(f"{what} does not go with --input.", ctx=ctx)
        names = tuple(map(parse_metric, metric or ()))
        listing = _adjust_file(input, input_format, names, setting, opened, bool(significance), form, tables)
    else:
        if len(metric or ()) != 1:
            raise typer.BadParameter(
                "name one metric for values." if metric else "missing: which metric is it?",
                ctx=ctx,
                param_hint="--metric",
            )
        published = _parse_values(ctx, values, percent)
        chosen = parse_metric((metric or [""])[0])
        looked_up = _look_up(ctx, given, chosen, setting, relation, num_tasks, opened, tables)
        listing = _adjust_values(published, looked_up, setting, significance is not False)
    if out is None:
        print_listing(listing, form)
    else:
        write_whole(out, render(listing, form))
        typer.echo(f"{out}: {len(listing.rows):,} rows, tables {opened.version}", err=True)


def _form_of(path: Path) -> Format:
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path}: the ending does not say the format; known: {', '.join(SUFFIXES)}. Or add --format.")
    return form


# -- values ---------------------------------------------------------------------------------------------------------


def _parse_values(ctx: typer.Context, values: Sequence[str] | None, percent: bool) -> list[Published]:
    if not values:
        raise typer.BadParameter("missing: give numbers, or a file by --input.", ctx=ctx, param_hint="VALUE")
    published = []
    for value in values:
        try:
            published.append(parse_value(value, percent=percent))
        except DataError as error:
            hint = ""
            if value.startswith("-"):
                hint = " If it is meant as an option: there is none of that name; see --help."
            raise typer.BadParameter(f"{error}{hint}", ctx=ctx, param_hint="VALUE") from None
    return published


def _look_up(
    ctx: typer.Context,
    datasets: Sequence[str],
    metric: Metric,
    setting: Setting,
    relation: list[str] | None,
    num_tasks: int | None,
    opened: Tables,
    place: str | None,
) -> list[Constants]:
    from rankconst.results.reading import Context
    from rankconst.results.settling import settle

    if num_tasks is not None:
        if datasets:
            raise typer.BadParameter("--num-tasks stands in place of --dataset; leave one out.", ctx=ctx)
        return [_from_num_tasks(ctx, metric, setting, num_tasks)]
    if not datasets:
        raise typer.BadParameter("missing: which dataset is it?", ctx=ctx, param_hint="--dataset")
    looked_up = {}
    for name in datasets:
        settled = settle(
            Context(), replace(setting, dataset=name), opened, resolve=lambda name: resolve_dataset(opened, name, place)
        )
        if relation:
            found = opened.constants(
                settled.dataset,
                metric,
                settled.split,
                settled.side,
                settled.protocol,
                aggregation=settled.aggregation,
                relations=relation,
            )
        else:
            found = settled.constants(opened, metric)
        looked_up[settled.dataset] = found
    return list(looked_up.values())


def _from_num_tasks(ctx: typer.Context, metric: Metric, setting: Setting, num_tasks: int) -> Constants:
    from rankconst.protocols import sampled_histogram
    from rankconst.sources import parse_source
    from rankconst.tasks import Tasks

    name = setting.protocol or (parse_source(setting.source).protocol if setting.source else DEFAULT_PROTOCOL)
    protocol = parse_protocol(name)
    if protocol.negatives is None:
        raise typer.BadParameter(
            f"--num-tasks is enough only where all tasks have as many candidates: --protocol sampled:M. "
            f"Under protocol {protocol.key} name the dataset, or use rankconst.from_counts in Python.",
            ctx=ctx,
        )
    tasks = Tasks(f"{num_tasks:,} tasks", {"both": sampled_histogram(protocol, num_tasks)})
    return replace(tasks.constants(metric), protocol=protocol.key)


def _adjust_values(
    published: Sequence[Published], looked_up: Sequence[Constants], setting: Setting, significance: bool
) -> Listing:
    from rankconst.sources import parse_source

    first = looked_up[0]
    source = None if setting.source is None else parse_source(setting.source)
    rows = [_row(constants, each, source, significance) for constants in looked_up for each in published]
    for constants in looked_up:
        _warn_of_undefined(constants)
    for caveat in () if source is None else source.caveats:
        typer.echo(f"note: {source.title if source else ''}: {caveat}", err=True)
    return Listing(
        columns=_columns(first.metric, any(row["log10_p"] is not None for row in rows)),
        rows=rows,
        title=f"{first.metric.label} on {first.split or first.dataset}, {_SIDES[first.side]}, protocol {first.protocol}"
        + (f", {first.aggregation}" if first.aggregation != DEFAULT_AGGREGATION else "")
        + (f", only {', '.join(first.relations)}" if first.relations else ""),
        caption="normalised: 1 = random; index: 0 = random, 1 = perfect; z: standard deviations better than random."
        + (f" Tables: {first.table_version}." if first.table_version else "")
        + "\np: the probability that a random ranker does at least as well."
        * any(row["log10_p"] is not None for row in rows),
    )


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


def _row(constants: Constants, published: Published, source: Any, significance: bool) -> dict[str, Any]:
    from rankconst.results.adjusting import adjust_values
    from rankconst.significance import compute_significance

    adjusted = adjust_values(source, constants, published.value, published.lower, published.upper)
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
    for form in ("value", *FORMS):
        row[form] = getattr(adjusted, form)
        row[f"{form}_lower"], row[f"{form}_upper"] = getattr(adjusted, f"{form}_interval") or (None, None)
    if significance and (source is None or source.batch is None):
        try:
            found = compute_significance(constants, adjusted.value, adjusted.value_interval)
        except UndefinedError:
            return row
        row["log10_p"], row["p_method"] = found.log10, found.method
        row["log10_p_lower"], row["log10_p_upper"] = found.interval
    return row


def _warn_of_undefined(constants: Constants) -> None:
    for form in FORMS:
        try:
            getattr(constants, form)
        except UndefinedError as error:
            typer.echo(f"note: {constants.dataset}: {error}", err=True)


# -- files ----------------------------------------------------------------------------------------------------------


def _adjust_file(
    path: str,
    input_format: str | None,
    metrics: Sequence[Metric],
    setting: Setting,
    opened: Tables,
    significance: bool,
    form: Format,
    place: str | None,
) -> Listing:
    from rankconst.cli.adjusted import lay_out
    from rankconst.results.adjusting import adjust_reading
    from rankconst.results.readers import read_results

    reading = read_results(path, input_format)
    setting = _fill_in_dataset(reading, setting, opened)
    adjusted = adjust_reading(
        reading,
        opened,
        setting,
        metrics=metrics,
        significance=significance,
        resolve=lambda name: resolve_dataset(opened, name, place),
        track=_track,
    )
    _report(adjusted)
    return lay_out(adjusted, form)


def _fill_in_dataset(reading: Any, setting: Setting, opened: Tables) -> Setting:
    """Find the dataset of a file that names none by its own numbers, and say so."""
    if setting.dataset is not None or any(entry.context.dataset for entry in reading.entries):
        return setting
    from rankconst.identify import suggest_dataset

    match = suggest_dataset(reading, opened)
    if match is None:
        raise DataError(f"{reading.name} names no dataset, and its numbers do not tell: add --dataset.")
    typer.echo(
        f"note: {reading.name} names no dataset; its numbers are those of {match.dataset} {match.split} "
        f"(`rankconst identify` shows why). Add --dataset to be sure.",
        err=True,
    )
    return replace(setting, dataset=match.dataset, split=setting.split or match.split)


def _report(adjusted: Any) -> None:
    """Say on stderr what was left out and what there is to know."""
    reading = adjusted.reading
    for skipped in reading.skipped:
        line = "" if skipped.line is None else f", line {skipped.line:,}"
        typer.echo(f"skipped: {reading.name}{line}: {skipped.what}: {skipped.why}", err=True)
    notes: dict[str, list[int]] = {}
    for each in adjusted.entries:
        if each.note:
            notes.setdefault(each.note, []).append(each.entry.line or 0)
    for note, lines in notes.items():
        at = sorted(set(lines) - {0})
        where = f", line{'s' * (len(at) > 1)} {_shorten(at)}" if at else ""
        typer.echo(f"note: {reading.name}{where}: {note}", err=True)
    if len(adjusted.sources) > _FEW:
        named = ", ".join(source.key for source in adjusted.sources)
        typer.echo(f"note: for the caveats of {named} see `rankconst sources NAME`.", err=True)
        return
    for source in adjusted.sources:
        for caveat in source.caveats:
            typer.echo(f"note: {source.title}: {caveat}", err=True)


def _shorten(lines: Sequence[int]) -> str:
    """Write line numbers with runs as ranges, at most six of them."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    shown = [f"{first}" if first == last else f"{first}-{last}" for first, last in runs]
    return ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")


def _track(entries: Sequence[Any]) -> Any:
    """Show progress on a terminal."""
    if not sys.stderr.isatty():
        return entries
    from rich.console import Console
    from rich.progress import track

    return track(entries, description="significance", console=Console(stderr=True), transient=True)
