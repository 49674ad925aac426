"""``rankconst adjust``: published numbers in, their adjusted forms out."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, cast

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import find_metric
from rankconst.cli import options
from rankconst.cli.options import (
    argument,
    explain_option,
    names_file,
    open_tables,
    option,
    rare,
    read_format,
    refuse_names,
    split_commas,
)
from rankconst.cli.output import check_target, explain_names, print_listing, say, write_whole
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import Address, parse_address, parse_counted
from rankconst.listing import FORMATS, SUFFIXES, Format, Listing, render
from rankconst.names import count_of, read_count, shorten
from rankconst.tables.archive import are_of_answers
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from rankconst.results.document import Document
    from rankconst.tables.archive import Tables


def _read_whole(option: str, text: str | None, least: int, hint: str = "") -> int | None:
    """Return the value of an option, a whole number from `least` on."""
    if text is None:
        return None
    number = read_count(text)
    if number is None or number < least:
        raise UsageError(f"{option} {shorten(text)!r} is not a whole number from {least} on.{hint}")
    return number


_COUNTS = " Numbers that differ by task are in a file: --counts FILE."


def adjust(
    values: Annotated[
        list[str] | None,
        argument(
            "VALUE|FILE",
            "Published numbers, mrr=0.338 hits@10=53.3%, or files of results: tables, logs, "
            "tools' own, a folder; - for stdin.",
        ),
    ] = None,
    dataset: options.Datasets = None,
    metric: options.Metrics = None,
    tool: options.Tool = None,
    protocol: options.Protocol = None,
    split: options.Split = None,
    side: options.Side = None,
    baseline: options.Baseline = None,
    replace: Annotated[
        list[str] | None,
        option(
            "--replace NAME",
            "Write the document with adjusted numbers: AMRR, AH@k, both, skill ...",
        ),
    ] = None,
    to: Annotated[
        str | None, option("--to METRIC", "Turn adjusted values back: -m amri --to mr.")
    ] = None,
    details: Annotated[
        bool, option("--details", "Ranges, z, p, expectation and variance, too.")
    ] = False,
    out: options.Out = None,
    format: options.MaybeForm = None,
    tables: options.FurtherTables = None,
    aggregation: options.Aggregation = None,
    relation: options.Relation = None,
    num_tasks: options.NumTasks = None,
    candidates: Annotated[
        str | None,
        rare(
            "--candidates N",
            "Of each task of --num-tasks: the short form of --protocol sampled:(N - 1).",
        ),
    ] = None,
    counts: options.Counts = None,
    percent: options.Percent = None,
    strict: options.Strict = False,
    accept: options.Accept = None,
    decimal: options.Decimal = None,
    force: options.Force = False,
) -> None:
    """Adjust published numbers for chance: some values, or a file of results.

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr

    Example: rankconst adjust paper.tex --replace AMRR --out adjusted.tex
    """
    num_ranks = _read_whole("--num-tasks", num_tasks, 1)
    size = _read_whole("--candidates", candidates, 2, _COUNTS)
    datasets, metrics, replaced = map(split_commas, (dataset, metric, replace))
    _refuse_unknown(values or [])
    target = Target.of(out, format, force, replacing=bool(replaced))
    if replaced:
        subject = "--replace, which keeps the document as it is"
        _refuse({"--format": format, "--details": details}, subject)
    files, typed = split_files(values or [])
    refuse_names("adjust", typed, datasets, metrics)
    if size is not None:
        _refuse({"--protocol": protocol, "--counts": counts}, "--candidates")
        protocol = _name_sampled(size, num_ranks)
    if counts is not None and num_ranks is not None:
        raise UsageError("--counts says how many tasks there are; leave out --num-tasks.")
    opened, datasets = open_sets(tables, datasets, counts, num_ranks, protocol, tool)
    several = are_of_answers(opened)
    user = Address(
        dataset=datasets[0] if datasets else None,
        split=split,
        side=side,
        protocol=protocol,
        aggregation=aggregation,
        # The counts know the library, which decides what the names of metrics mean.
        tool=None if several else tool,
        relations=tuple(relation or ()),
        percent=bool(percent),
        accepted=tuple(accept or ()),
    )
    if to is not None:
        if to.lower() in FORMATS:
            raise UsageError(f"--to turns adjusted values back; a format is --format {to}.")
        unfit = {"a file": files, "--replace": replaced, "--baseline": baseline}
        _refuse(unfit | {"--num-tasks": num_ranks}, "--to")
        from rankconst.cli.adjust_values import turn_back

        target.write(turn_back(typed, metrics, to, user, opened), opened)
        return
    is_single = not files and not several and len(datasets) == 1
    # It may be the tool's own benchmark.
    single = parse_address(user, opened).dataset if is_single else None
    baselines = tuple(dict.fromkeys([DEFAULT_BASELINE, *opened.list_baselines(baseline, single)]))
    source: list[str] | Document = files
    if several and not files:
        source, typed, metrics = write_values(typed, metrics, percent, opened), [], []
    if source:
        _refuse({"VALUE": typed, "a second --dataset": datasets[1:]}, "a file")
        from rankconst.cli.adjust_file import Work, draw_file, list_file, rewrite_file
        from rankconst.results.meanings import name_metrics

        work = Work(
            files=source,
            decimal=decimal,
            percent=percent,
            user=user,
            tables=opened,
            metrics=name_metrics(metrics, opened),
            baselines=baselines[1:],
            strict=strict,
            details=details,
        )
        if replaced:
            rewrite_file(work, replaced, out, force=force)
        elif target.is_picture:
            target.write(draw_file(work), opened)
        else:
            target.write(list_file(work, target.form), opened)
        return
    _refuse(
        {"--replace": replaced, "--accept": accept, "a picture": target.is_picture},
        "values, but with a file",
    )
    _refuse({"--baseline": num_ranks and baseline}, "--num-tasks, which is all that is known")
    from rankconst.cli.adjust_values import Query, list_values, read_values

    query = Query(tuple(datasets), user, opened, baselines, num_ranks, details)
    numbers = read_values(typed, metrics, percent=bool(percent))
    explain_names(numbers)
    target.write(list_values(numbers, query, target.form), opened)


def _refuse_unknown(values: Sequence[str]) -> None:
    """Refuse an unknown option; it was taken for a VALUE, as negative numbers start with a dash."""
    for value in values:
        if value[:1] == "-" and value.lstrip("-")[:1].isalpha():
            names = [f"--{name.replace('_', '-')}" for name in adjust.__annotations__]
            explanation = explain_option(value.partition("=")[0], names)
            raise UsageError(f"{explanation} See `rankconst adjust --help`.")


def _name_sampled(candidates: int, num_tasks: int | None) -> str:
    """Return the protocol of tasks with the same number of candidates."""
    if num_tasks is None:
        raise UsageError(
            "--candidates needs --num-tasks N, how many tasks there are; the index is the same for "
            "any N."
        )
    return f"sampled:{candidates - 1}"


class Target(NamedTuple):
    """The place and the format of the result."""

    out: Path | None
    form: Format
    force: bool
    is_picture: bool = False

    @classmethod
    def of(cls, out: Path | None, format: str | None, force: bool, *, replacing: bool) -> Target:
        """Check the options before anything is computed."""
        form = None if format is None else read_format(format)
        if out is None:
            return cls(out, form or Format.table, force)
        check_target(out, force)
        form = form or SUFFIXES.get(out.suffix.lower())
        if form or replacing:
            return cls(out, form or Format.table, force)
        from rankconst.figures import SUFFIXES as PICTURES
        from rankconst.figures import require_matplotlib

        if out.suffix.lower() not in PICTURES:
            endings = ", ".join([*SUFFIXES, *PICTURES])
            raise UsageError(
                f"{out}: the ending does not say the format; known: {endings}. Or add --format."
            )
        require_matplotlib()
        return cls(out, Format.table, force, is_picture=True)

    def write(self, result: Listing | Figure, opened: Tables) -> None:
        """Print a listing, or write it or a picture to the file."""
        if self.out is None:
            print_listing(cast("Listing", result), self.form)
            return
        if isinstance(result, Listing):
            write_whole(self.out, render(result, self.form), self.force)
        else:
            from rankconst.figures import render_figure

            write_whole(self.out, render_figure(result, self.out.suffix.lower()), self.force)
        rows = f"{count_of(len(result), 'row')}, " if isinstance(result, Listing) else ""
        say(f"{self.out}: {rows}tables {opened.version}")


def open_sets(
    places: list[str] | None,
    datasets: list[str],
    counts: Path | None,
    num_tasks: int | None,
    protocol: str | None,
    tool: str | None,
) -> tuple[Tables, list[str]]:
    """Open the tables, and return them with the names of the datasets.

    A file of counts, or a number of tasks, takes the place of a dataset, as one more set of tables.
    The number of candidates of the tasks is that of `protocol`, or of the `tool`.
    """
    opened = open_tables(places)
    if counts is None and num_tasks is None:
        return opened, datasets
    from rankconst.tables.counts_file import make_tables, read_counts
    from rankconst.tables.sets import join_tables
    from rankconst.tasks import Tasks, sampled_histogram

    if num_tasks is not None:
        if datasets:
            raise UsageError("--num-tasks replaces --dataset; leave one out.")
        key = parse_counted(protocol, tool)
        histogram = sampled_histogram(key, num_tasks)
        counted: Tables = make_tables({Tasks(f"{num_tasks:,} tasks", key): histogram})
    elif counts is not None:
        counted = read_counts(counts, tool)
    names = list(counted.datasets)
    if are_of_answers(counted):
        return counted, datasets or names[:1]
    others = [name for name in datasets if name.lower() not in names]
    if others:
        raise UsageError(
            f"--counts: the counts are of {', '.join(names)}, not of {', '.join(others)}; leave "
            "one out."
        )
    if not datasets and len(names) == 1:
        datasets = names
    return join_tables([counted, opened]), datasets


def write_values(
    typed: Sequence[str], metrics: Sequence[str], percent: bool | None, tables: Tables
) -> Document:
    """Write typed values as a table, to be read as any other."""
    from rankconst.results.document import Document
    from rankconst.results.meanings import assume_unit

    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["metric", "value"])
    for word in typed:
        name, _, value = word.rpartition("=")
        if not name and len(metrics) != 1:
            raise UsageError(
                f"which metric is {value}? Write it before the value: recall@10={value}."
            )
        table.writerow([name or metrics[0], value])
    if not typed:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust recall@10=0.2 --counts FILE "
            "--tool ranx."
        )
    return Document("what you typed", text.getvalue(), percent=assume_unit(percent, tables))


def _refuse(options: Mapping[str, object], subject: str) -> None:
    """Refuse options that do not go with something, if they have a value."""
    for name, value in options.items():
        if value:
            raise UsageError(f"{name} does not go with {subject}.")


# Words apart by a slash, or an ending.
_ENDING = r"\.[A-Za-z]\w*$"


def split_files(values: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split arguments into files, which exist or look like paths, and the others."""
    files = [value for value in values if _is_file(value)]
    return files, [value for value in values if value not in files]


def _is_file(value: str) -> bool:
    name, is_named, _ = value.partition("=")
    if is_named and find_metric(name) is not None:  # mrr=1/3 is a number that is written wrong
        return names_file(value)
    with suppress(DataError):
        parse_value(value)
        return False
    if re.search("[A-Za-z]", value) and re.search(r"[/\\]", value):
        return True
    return re.search(_ENDING, value) is not None or names_file(value)
