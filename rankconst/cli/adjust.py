"""``rankconst adjust``: published numbers in, their adjusted forms out."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rankconst.adjusting import add_significance, adjust_on, adjust_values
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol
from rankconst.cli import options
from rankconst.cli.options import (
    explain_option,
    names_file,
    open_tables,
    option,
    rare,
    refuse_names,
    split_commas,
)
from rankconst.cli.output import (
    check_target,
    explain_names,
    explain_ties,
    print_listing,
    report_assumed,
    report_caveats,
    report_sampled,
    say,
    write_whole,
)
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import (
    NOTHING,
    Address,
    complete_by_name,
    count_alike,
    find_assumed,
    gather_assumed,
    parse_address,
    read_tool,
    settle,
)
from rankconst.listing import SUFFIXES, Column, Format, Listing, render
from rankconst.names import count_of, read_count, shorten
from rankconst.tables.archive import are_of_answers
from rankconst.values.published import parse_value, read_published
from rankconst.worth import explain_each, find_floors, lay_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.results.document import Document
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.published import Published

    Pairs = list[tuple[Address, Tasks]]
    Typed = Mapping[str, Sequence[Published]]


def _read_candidates(text: str) -> int:
    """Return a whole number from 2 on."""
    found = read_count(text)
    if found is None or found < 2:
        raise UsageError(
            f"--candidates {shorten(text)!r} is not a whole number from 2 on. Numbers that differ "
            "by task are in a file: --counts FILE."
        )
    return found


def adjust(
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VALUE|FILE",
            help=(
                "Published numbers, mrr=0.338 hits@10=53.3%, or files of results: tables, logs, "
                "tools' own, a folder; - for stdin."
            ),
            show_default=False,
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
            callback=split_commas,
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
        int | None,
        rare(
            "--candidates N",
            "Of each task of --num-tasks: the short form of --protocol sampled:(N - 1).",
            parser=_read_candidates,
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
    _refuse_unknown(values or [])
    target = Target.of(out, format, force, replacing=bool(replace))
    if replace:
        kept = "--replace, which keeps the document as it is"
        _refuse({"--format": format, "--details": details}, kept)
    files, typed = split_files(values or [])
    refuse_names("adjust", typed, dataset or [], metric or [])
    if candidates is not None:
        _refuse({"--protocol": protocol, "--counts": counts}, "--candidates")
        protocol = _name_sampled(candidates, num_tasks)
    if counts is not None and num_tasks is not None:
        raise UsageError("--counts says how many tasks there are; leave out --num-tasks.")
    opened, given = open_sets(tables, dataset or [], counts, num_tasks, protocol, tool)
    several = are_of_answers(opened)
    user = Address(
        dataset=given[0] if given else None,
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
        if to.lower() in {*Format, *(form.suffix.lstrip(".") for form in Format)}:
            raise UsageError(f"--to turns adjusted values back; a format is --format {to}.")
        unfit = {"a file": files, "--replace": replace, "--baseline": baseline}
        _refuse(unfit | {"--num-tasks": num_tasks}, "--to")
        target.write(turn_back(typed, metric or [], to, user, opened), opened)
        return
    is_alone = not files and not several and len(given) == 1
    # A tool's own benchmark may be the one that is meant.
    alone = parse_address(user, opened).dataset if is_alone else None
    baselines = tuple(dict.fromkeys([DEFAULT_BASELINE, *opened.list_baselines(baseline, alone)]))
    source: list[str] | Document = files
    if several and not files:
        source, typed, metric = write_values(typed, metric or [], percent, opened), [], None
    if source:
        _refuse({"VALUE": typed, "a second --dataset": given[1:]}, "a file")
        from rankconst.cli.adjust_file import Work, draw_file, list_file, rewrite_file
        from rankconst.results.meanings import name_metrics

        work = Work(
            files=source,
            decimal=decimal,
            percent=percent,
            user=user,
            tables=opened,
            metrics=name_metrics(metric or (), opened),
            baselines=baselines[1:],
            strict=strict,
            details=details,
        )
        if replace:
            rewrite_file(work, replace, out, force=force)
        elif target.is_picture:
            target.write(draw_file(work), opened)
        else:
            target.write(list_file(work, target.form), opened)
        return
    _refuse(
        {"--replace": replace, "--accept": accept, "a picture": target.is_picture},
        "values, but with a file",
    )
    _refuse({"--baseline": num_tasks and baseline}, "--num-tasks, which is all that is known")
    query = Query(tuple(given), user, opened, baselines, num_tasks, details)
    numbers = read_values(typed, metric or [], percent=bool(percent))
    explain_names(numbers)
    target.write(list_values(numbers, query, target.form), opened)


def _refuse_unknown(values: Sequence[str]) -> None:
    """Refuse an unknown option, which has become a VALUE: negative numbers start with a dash."""
    for value in values:
        if value[:1] == "-" and value.lstrip("-")[:1].isalpha():
            known = [f"--{name.replace('_', '-')}" for name in adjust.__annotations__]
            explained = explain_option(value.partition("=")[0], known)
            raise UsageError(f"{explained} See `rankconst adjust --help`.")


def _name_sampled(candidates: int, num_tasks: int | None) -> str:
    """Return the protocol of tasks that all have as many candidates."""
    if num_tasks is None:
        raise UsageError(
            "--candidates needs --num-tasks N, how many tasks there are; the index is the same for "
            "any N."
        )
    return f"sampled:{candidates - 1}"


@dataclass(frozen=True, slots=True)
class Target:
    """Where the result goes, and how."""

    out: Path | None
    form: Format
    force: bool
    is_picture: bool = False

    @classmethod
    def of(cls, out: Path | None, form: Format | None, force: bool, *, replacing: bool) -> Target:
        """Check what was asked for, before anything is computed."""
        if out is None:
            return cls(out, form or Format.table, force)
        check_target(out, force)
        known = form or SUFFIXES.get(out.suffix.lower())
        if known or replacing:
            return cls(out, known or Format.table, force)
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
    """Open the tables, and return them with the names of the datasets that are meant.

    A file of counts, or a number of tasks, takes the place of a dataset, as one more set of tables.
    Of a number of tasks, `protocol` says the number of candidates, or the `tool` that has one.
    """
    opened = open_tables(places)
    if counts is None and num_tasks is None:
        return opened, datasets
    from rankconst.tables.archive import join_tables
    from rankconst.tables.counts_file import make_tables, read_counts
    from rankconst.tasks import Tasks, sampled_histogram

    if num_tasks is not None:
        if datasets:
            raise UsageError("--num-tasks replaces --dataset; leave one out.")
        key = parse_counted(protocol, tool)
        own: Tables = make_tables(
            {Tasks(f"{num_tasks:,} tasks", key): sampled_histogram(key, num_tasks)}
        )
    elif counts is not None:
        own = read_counts(counts, tool)
        if are_of_answers(own):
            named = list(own.datasets)
            return own, datasets or named[:1]
    named = list(own.datasets)
    if others := [name for name in datasets if name.lower() not in named]:
        raise UsageError(
            f"--counts: the counts are of {', '.join(named)}, not of {', '.join(others)}; leave "
            "one out."
        )
    return join_tables([own, opened]), datasets or (named if len(named) == 1 else [])


def write_values(
    typed: Sequence[str], metrics: Sequence[str], percent: bool | None, tables: Tables
) -> Document:
    """Write values that were typed as a table, which is read as any other."""
    from rankconst.results.document import Document
    from rankconst.results.meanings import assume_unit

    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["metric", "value"])
    for each in typed:
        name, _, value = each.rpartition("=")
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


def _refuse(options: Mapping[str, object], what: str) -> None:
    """Refuse options that do not go with something."""
    for name in (name for name, value in options.items() if value):
        raise UsageError(f"{name} does not go with {what}.")


# Words apart by a slash, or an ending.
_ENDING = re.compile(r"\.[A-Za-z]\w*$")


def split_files(values: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files among what was typed, which exist or look like paths, and the rest."""
    files = [value for value in values if _is_file(value)]
    return files, [value for value in values if value not in files]


def _is_file(value: str) -> bool:
    with suppress(DataError):
        parse_value(value)
        return False
    slashed = re.search("[A-Za-z]", value) is not None and re.search(r"[/\\]", value) is not None
    return slashed or _ENDING.search(value) is not None or names_file(value)


@dataclass(frozen=True, slots=True)
class Query:
    """What typed values are of, and what is asked about them."""

    datasets: tuple[str, ...]
    user: Address
    tables: Tables
    baselines: tuple[str, ...]
    num_tasks: int | None = None  # in place of a dataset
    details: bool = False


def read_values(
    values: Sequence[str], names: Sequence[str], *, percent: bool
) -> dict[str, list[Published]]:
    """Return the values of each metric by its name as typed, before a value or by --metric."""
    if not values:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust mrr=0.338 hits@10=0.533 "
            "--dataset fb15k237, or rankconst adjust results.csv --tool rotate; - is standard "
            "input."
        )
    found: dict[str, list[Published]] = {}
    typed: list[str] = []
    for each in values:
        typed += re.split(r",(?=\s*[A-Za-z][^,=]*=)", each)  # mrr=0.3,hits@1=0.2
    for each in typed:
        name, _, value = each.rpartition("=")
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
    if query.num_tasks is not None:
        return _adjust_counted(typed, query, query.num_tasks), []
    if not query.datasets:
        raise UsageError(
            "which dataset is it? Add --dataset, as in --dataset fb15k237; `rankconst show "
            "datasets` lists them. Or --counts FILE, with numbers of candidates of your own; or, "
            "with --protocol sampled:M, --num-tasks N."
        )
    of_tasks: dict[tuple[Tasks, Tool | None], list[tuple[Metric, Published]]] = {}
    pairs: Pairs = []
    for dataset in dict.fromkeys(query.datasets):
        for name, published in typed.items():
            named, (tasks, tool) = _settle(name, dataset, query)
            metric = parse_metric(name)
            of_tasks.setdefault((tasks, tool), []).extend((metric, each) for each in published)
            pairs.append((named, tasks))
    done: list[AdjustedBatch] = []
    for (tasks, tool), values in of_tasks.items():
        done += adjust_on(tasks, tool, values, query.tables, query.baselines)
    return done, pairs


def _adjust_counted(typed: Typed, query: Query, num_tasks: int) -> list[AdjustedBatch]:
    """Adjust values on tasks of which only the number is known."""
    user = query.user
    protocol = parse_counted(user.protocol, user.tool)
    known = replace(user, dataset=None, tool=None, percent=False, protocol=protocol)
    values = [(parse_metric(name), each) for name, several in typed.items() for each in several]
    tool = read_tool(user.tool)
    return adjust_values(values, tool, lambda metric, _: count_alike(metric, known, num_tasks))


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
    row = read_tool(tool)
    protocol = parse_protocol(name or (row.protocol if row else DEFAULT_PROTOCOL))
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
        if tool is not None and tool.batch is not None:
            lack = f"{tool.title} leaves out tasks, and which is not known."
        else:
            lack = first.explain_lack()
        say(f"note: no p: {lack}")


def turn_back(
    typed: Sequence[str], names: Sequence[str], to: str, user: Address, opened: Tables
) -> Listing:
    """List the values of a metric that adjusted values are from, with what rounding leaves open."""
    from rankconst import inverse

    pairs = [value.rpartition("=") for value in typed]
    names = [*names, *dict.fromkeys(name for name, _, _ in pairs if name)]
    if len(names) != 1 or not typed:
        raise UsageError(
            "--to turns values of one metric back: rankconst adjust VALUE --metric AMRI --to "
            f"{to} ..."
        )
    values = [value for _, _, value in pairs]
    try:
        return inverse.turn_back(values, names[0], to, user, opened).listing
    except DataError as error:
        raise UsageError(str(error)) from None
