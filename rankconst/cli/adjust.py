"""``rankconst adjust``: published numbers in, their adjusted forms out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.files import check_target, write_whole
from rankconst.cli.options import (
    ForceOption,
    InputFormatOption,
    MetricsOption,
    PercentOption,
    RelationOption,
    SourceOption,
    StatedAggregationOption,
    StatedProtocolOption,
    StatedSideOption,
    StatedSplitOption,
    TablesOption,
    complete_dataset,
)
from rankconst.cli.output import SUFFIXES, Format, print_listing, render
from rankconst.errors import UsageError
from rankconst.results.evaluation import Stated
from rankconst.tables import tables as archive


def adjust(
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="VALUE", help="Published numbers: 0.338, '0.5458 ± 0.0052', 53.3%.", show_default=False),
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
    metric: MetricsOption = None,
    split: StatedSplitOption = None,
    side: StatedSideOption = None,
    protocol: StatedProtocolOption = None,
    tool: SourceOption = None,
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
    force: ForceOption = False,
) -> None:
    """Adjust published numbers for chance: some values, or a file of results.

    Every number comes with the interval that its rounding leaves open: 0.338 stands for 0.3375 to 0.3385.

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr

    Example: rankconst adjust --input results.csv --source rotate --out adjusted.csv
    """
    if out is not None:
        check_target(out, force)
    form = format or (Format.table if out is None else _form_of(out))
    given, metrics = dataset or [], tuple(map(parse_metric, metric or ()))
    user = Stated(given[0] if given else None, split, side, protocol, tool, aggregation, percent)
    opened = archive.load(tables)
    if input is not None:
        from rankconst.cli.adjust_files import adjust_file
        from rankconst.results.formats import read_results

        unfit = {"VALUE": values, "--relation": relation, "--num-tasks": num_tasks, "a second --dataset": given[1:]}
        for what in (what for what, stated in unfit.items() if stated):
            raise typer.BadParameter(f"{what} does not go with --input.")
        listing = adjust_file(
            read_results(input, input_format),
            metrics,
            user,
            opened,
            form,
            significance=bool(significance),
            place=tables,
        )
    else:
        from rankconst.cli.adjust_values import Query, list_adjusted, read_values

        if len(metrics) != 1:
            missing = "name one metric for values." if metrics else "missing: which metric is it?"
            raise typer.BadParameter(missing, param_hint="--metric")
        published = read_values(values or [], metrics[0], percent)
        query = Query(tuple(given), metrics[0], user, tuple(relation or ()), num_tasks)
        listing = list_adjusted(published, query, opened, significance=significance is not False, place=tables)
    if out is None:
        print_listing(listing, form)
    else:
        write_whole(out, render(listing, form))
        typer.echo(f"{out}: {len(listing):,} rows, tables {opened.version}", err=True)


def _form_of(path: Path) -> Format:
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path}: the ending does not say the format; known: {', '.join(SUFFIXES)}. Or add --format.")
    return form
