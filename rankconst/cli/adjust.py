"""``rankconst adjust``: published numbers in, their adjusted forms out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.adjust_values import adjust_counted, adjust_typed, list_values, parse_counted, read_values
from rankconst.cli.notes import explain_names
from rankconst.cli.options import (
    AcceptOption,
    AggregationOption,
    BaselineOption,
    DecimalOption,
    ForceOption,
    InputFormatOption,
    MetricsOption,
    PercentOption,
    ProtocolOption,
    RelationOption,
    SideOption,
    SplitOption,
    StrictOption,
    TablesOption,
    ToolOption,
    complete_dataset,
    count_option,
    names_file,
    open_tables,
)
from rankconst.cli.output import (
    SUFFIXES,
    Format,
    check_target,
    choose_columns,
    count_of,
    drop_intervals,
    print_listing,
    render,
    say,
    write_whole,
)
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import Stated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.tables.tables import Tables


def adjust(
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VALUE|FILE",
            help="Published numbers: mrr=0.338 hits@10=53.3%, or 0.338 and '0.5458 ± 0.0052' with --metric. Or a file "
            "of results: a table, a log, a tool's own file; - for stdin.",
            show_default=False,
        ),
    ] = None,
    input: Annotated[
        str | None,
        typer.Option(
            "--input",
            "-i",
            help="A results file whose name could be read as a number.",
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
    split: SplitOption = None,
    side: SideOption = None,
    protocol: ProtocolOption = None,
    tool: ToolOption = None,
    aggregation: AggregationOption = None,
    relation: RelationOption = None,
    num_tasks: Annotated[
        int | None,
        count_option("--num-tasks", "-n", help="Number of ranks, in place of a dataset: protocol sampled:M."),
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option("--counts", help="Candidate counts of your own tasks, in place of a dataset.", metavar="FILE"),
    ] = None,
    baseline: BaselineOption = None,
    percent: PercentOption = None,
    strict: StrictOption = False,
    accept: AcceptOption = None,
    decimal: DecimalOption = None,
    replacing: Annotated[
        list[str] | None,
        typer.Option(
            "--replace",
            metavar="NAME",
            help="Write the same document with adjusted numbers: AMRR, AH@k ...; index or z for all metrics; "
            "both for 'published / index'; skill over a baseline. Repeatable.",
        ),
    ] = None,
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
    long: Annotated[bool, typer.Option("--long", help="Write a row for each number of a file.")] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", metavar="NAMES", help="Only these columns, separated by commas."),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Numbers without their ranges.")] = False,
    digits: Annotated[
        int | None,
        count_option("--digits", help="Plain numbers with N digits after the point.", least=0, most=15),
    ] = None,
) -> None:
    """Adjust published numbers for chance: some values, or a file of results.

    Every number comes with an interval, because it was rounded: 0.338 means 0.3375 to 0.3385.

    Example: rankconst adjust results.csv

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr --baseline all

    Example: rankconst adjust paper.tex --replace AMRR --out adjusted.tex
    """
    if out is not None:
        check_target(out, force)
    if replacing:
        _refuse(
            {"--format": format, "--significance": significance, "--long": long, "--columns": columns},
            "--replace, which keeps the document as it is",
        )
    form = format or (Format.table if out is None or replacing else _form_of(out))
    metrics = tuple(map(parse_metric, metric or ()))
    # An unknown option has become a VALUE, since negative numbers start with a dash, too.
    for option in (value for value in values or () if value[:1] == "-" and value.lstrip("-")[:1].isalpha()):
        raise UsageError(f"no such option: {option}. See rankconst adjust -h.")
    file, typed = (input, values or []) if input is not None else _find_file(values or [])
    if counts is not None and num_tasks is not None:
        raise typer.BadParameter("--counts says how many tasks there are; leave out --num-tasks.")
    counted = None if file is None else num_tasks
    opened, given = _open(tables, dataset or [], counts, counted, protocol, tool)
    user = Stated(
        given[0] if given else None,
        split,
        side,
        protocol,
        aggregation,
        tool,
        relations=tuple(relation or ()),
        percent=bool(percent),
        accepted=tuple(accept or ()),
    )
    if file is not None:
        _refuse({"VALUE": typed, "a second --dataset": given[1:]}, "a file")
        from rankconst.cli.adjust_file import Work, list_file, rewrite_file

        further = tuple(key for key in opened.list_baselines(baseline) if key != DEFAULT_BASELINE)
        work = Work(file, input_format, decimal, percent, user, opened, metrics, further, strict)
        if replacing:
            rewrite_file(work, replacing, out, digits=digits, force=force)
            return
        listing = list_file(work, form, significance=bool(significance), long=long)
    else:
        _refuse({"--replace": replacing, "--long": long, "--accept": accept}, "values, but with a file")
        numbers = read_values(typed, metric or [], bool(percent))
        explain_names(numbers)
        if num_tasks is None:
            done, said = adjust_typed(numbers, given, user, opened, opened.list_baselines(baseline))
        else:
            _refuse({"--baseline": baseline}, "--num-tasks, which is all that is known")
            done, said = adjust_counted(numbers, given, user, num_tasks), []
        listing = list_values(done, said, form, significance=significance is not False, ladder=baseline is not None)
    shown = drop_intervals(listing, digits) if plain or digits is not None else listing
    listing = choose_columns(shown, columns or ())
    if out is None:
        print_listing(listing, form)
    else:
        write_whole(out, render(listing, form), force)
        say(f"{out}: {count_of(len(listing), 'row')}, tables {opened.version}")


def _open(
    places: list[str] | None,
    datasets: list[str],
    counts: Path | None,
    num_tasks: int | None,
    protocol: str | None,
    tool: str | None,
) -> tuple[Tables, list[str]]:
    """Open the tables, with what takes the place of a dataset; return also the names of the datasets that are meant."""
    opened = open_tables(places)
    if counts is None and num_tasks is None:
        return opened, datasets
    from rankconst.tables.counts_file import make_tables, read_counts
    from rankconst.tables.tables import join_tables
    from rankconst.tasks import Tasks, sampled_histogram

    if num_tasks is not None:
        if datasets:
            raise typer.BadParameter("--num-tasks replaces --dataset; leave one out.")
        rule = parse_counted(protocol, tool)
        own = make_tables({Tasks(f"{num_tasks:,} tasks", rule.key): sampled_histogram(rule, num_tasks)})
    elif counts is not None:
        own = read_counts(counts)
    named = list(own.datasets)
    if others := [name for name in datasets if name.lower() not in named]:
        raise typer.BadParameter(
            f"the counts are of {', '.join(named)}, not of {', '.join(others)}; leave one out.",
            param_hint="--counts",
        )
    return join_tables([own, opened]), datasets or (named if len(named) == 1 else [])


def _refuse(stated: Mapping[str, object], what: str) -> None:
    """Refuse options that do not go with something."""
    for option in (option for option, value in stated.items() if value):
        raise typer.BadParameter(f"{option} does not go with {what}.")


def _form_of(path: Path) -> Format:
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path}: the ending does not say the format; known: {', '.join(SUFFIXES)}. Or add --format.")
    return form


# Words apart by a slash, or an ending.
_ENDING = re.compile(r"\.[A-Za-z]\w*$")


def _find_file(values: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the file among what was typed, which exists or looks like a path, and the rest."""
    from rankconst.values.published import parse_value

    others: list[str] = []
    files: list[str] = []
    for value in values:
        try:
            parse_value(value)
            others.append(value)
        except DataError:
            slashed = re.search("[A-Za-z]", value) is not None and re.search(r"[/\\]", value) is not None
            path = slashed or _ENDING.search(value) is not None or names_file(value)
            (files if path else others).append(value)
    if len(files) > 1:
        raise UsageError(f"{' and '.join(files)}: one file at a time, please; its rows may be of several datasets.")
    return (files[0] if files else None), others
