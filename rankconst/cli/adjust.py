"""``rankconst adjust``: published numbers in, their adjusted forms out."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.cli import options
from rankconst.cli.options import (
    Evaluation,
    argument,
    open_tables,
    option,
    rare,
    refuse_names,
    split_commas,
    split_files,
)
from rankconst.cli.output import Target, explain_names
from rankconst.errors import UsageError
from rankconst.evaluation import choose_sampled_protocol, parse_address
from rankconst.listing import FORMATS
from rankconst.names import read_count, shorten
from rankconst.tables.archive import are_of_answers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.cli.adjust_file import Work
    from rankconst.results.document import Document
    from rankconst.tables.archive import Tables


@dataclass(frozen=True)
class OwnTasks:
    """The options that describe the user's own tasks, in place of a dataset."""

    num_tasks: str | None = rare(
        "--num-tasks -n N", "Number of ranks, in place of a dataset: protocol sampled:M."
    )
    candidates: str | None = rare(
        "--candidates N",
        "Of each task of --num-tasks: the short form of --protocol sampled:(N - 1).",
    )
    counts: Path | None = rare(
        "--counts FILE", "Candidate counts of your own tasks, in place of a dataset."
    )

    def read_num_tasks(self) -> int | None:
        """Return the number of tasks, None if it is not given; UsageError if --counts is, too."""
        number = _read_whole("--num-tasks", self.num_tasks, 1)
        if self.counts is not None and number is not None:
            raise UsageError("--counts says how many tasks there are; leave out --num-tasks.")
        return number

    def choose_protocol(self, protocol: str | None) -> str | None:
        """Return the protocol that --candidates or --protocol names; None if neither is given.

        Raises UsageError for options that exclude each other.
        """
        hint = " Numbers that differ by task are in a file: --counts FILE."
        least = 2  # the right answer and one wrong one
        num_candidates = _read_whole("--candidates", self.candidates, least, hint)
        if num_candidates is None:
            return protocol

        refuse({"--protocol": protocol, "--counts": self.counts}, "--candidates")
        if self.num_tasks is None:
            raise UsageError(
                "--candidates needs --num-tasks N, how many tasks there are; the index is the same "
                "for any N."
            )
        return f"sampled:{num_candidates - 1}"  # all but the right answer


def adjust(
    *,
    values: list[str] = argument(
        "VALUE|FILE",
        "Published numbers, mrr=0.338 hits@10=53.3%, or files of results: tables, logs, "
        "tools' own, a folder; - for stdin.",
    ),
    metric: list[str] = option(
        "--metric -m METRIC", "mr, mrr, hits@10, gmr ...; of a file only these. Repeatable."
    ),
    evaluation: Evaluation,
    baseline: str | None = options.BASELINE,
    replace: list[str] = option(
        "--replace NAME",
        "Write the document with adjusted numbers: AMRR, AH@k, both, skill ...",
    ),
    to: str | None = option("--to METRIC", "Turn adjusted values back: -m amri --to mr."),
    details: bool = option("--details", "Ranges, z, p, expectation and variance, too."),
    out: Path | None = options.OUT,
    format: str | None = options.MAYBE_FORM,
    tables: list[str] = options.FURTHER_TABLES,
    aggregation: str | None = rare(
        "--aggregation -a AGGREGATION",
        "How much each task counts (default: micro); see `rankconst show aggregations`.",
    ),
    relation: list[str] = rare(
        "--relation -r NAME",
        "Only the tasks of this relation, spelled as in the benchmark's files; repeatable. For "
        "valid and test.",
    ),
    own_tasks: OwnTasks,
    strict: bool = rare("--strict", "Refuse a file if anything in it is left out."),
    decimal: str | None = options.DECIMAL,
    force: bool = options.FORCE,
) -> None:
    """Adjust published numbers for chance: some values, or a file of results.

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr

    Example: rankconst adjust paper.tex --replace AMRR --out adjusted.tex
    """
    num_tasks = own_tasks.read_num_tasks()
    protocol = own_tasks.choose_protocol(evaluation.protocol)
    metrics, replaced = split_commas(metric), split_commas(replace)
    target = Target.read(out, format, force=force, replacing=bool(replaced))
    if replaced:
        subject = "--replace, which keeps the document as it is"
        refuse({"--format": format, "--details": details}, subject)

    files, typed = split_files(values)
    refuse_names("adjust", typed, evaluation.datasets, metrics)
    opened, datasets = _open_sets(tables, evaluation, own_tasks.counts, num_tasks, protocol)
    user = replace_fields(
        evaluation.address,
        dataset=next(iter(datasets), None),
        protocol=protocol,
        aggregation=aggregation,
        relations=tuple(relation),
    )
    several = are_of_answers(opened)
    if several:  # the counts know the library, which decides what the names of metrics mean
        user = replace_fields(user, tool=None)

    if to is not None:
        if to.lower() in FORMATS:
            raise UsageError(f"--to turns adjusted values back; a format is --format {to}.")
        unfit = {"a file": files, "--replace": replaced, "--baseline": baseline}
        refuse(unfit | {"--num-tasks": num_tasks}, "--to")
        from rankconst.cli.adjust_values import turn_back

        target.write(turn_back(typed, metrics, to, user, opened), opened)
        return

    source: list[str] | Document = files
    if several and not files:
        source = write_values(typed, metrics, evaluation.percent, opened)
        typed, metrics = [], []

    if source:
        refuse({"VALUE": typed, "a second --dataset": datasets[1:]}, "a file")
        from rankconst.cli.adjust_file import Work
        from rankconst.results.meanings import name_metrics

        work = Work(
            files=source,
            decimal=decimal,
            percent=evaluation.percent,
            user=user,
            tables=opened,
            metrics=name_metrics(metrics, opened),
            baselines=_list_baselines(baseline, None, opened)[1:],
            strict=strict,
            details=details,
        )
        _write_file(work, target, replaced, out, force=force)
        return

    refuse(
        {"--replace": replaced, "--accept": user.accepted, "a picture": target.is_picture},
        "values, but with a file",
    )
    if num_tasks is not None:
        refuse({"--baseline": baseline}, "--num-tasks, which is all that is known")

    from rankconst.cli.adjust_values import Query, list_values, read_values

    # It may be the tool's own benchmark.
    single = parse_address(user, opened).dataset if len(datasets) == 1 else None
    baselines = _list_baselines(baseline, single, opened)
    query = Query(
        datasets=datasets,
        user=user,
        tables=opened,
        baselines=baselines,
        num_tasks=num_tasks,
        details=details,
    )
    numbers = read_values(typed, metrics, percent=user.percent)
    explain_names(numbers)
    target.write(list_values(numbers, query, target.form), opened)


def _write_file(
    work: Work, target: Target, replaced: list[str], out: Path | None, *, force: bool
) -> None:
    """Write files with their numbers adjusted: the document itself, a picture, or a table."""
    from rankconst.cli.adjust_file import draw_file, list_file, rewrite_file

    if replaced:
        rewrite_file(work, replaced, out, force=force)
    elif target.is_picture:
        target.write(draw_file(work), work.tables)
    else:
        target.write(list_file(work, target.form), work.tables)


def _list_baselines(name: str | None, dataset: str | None, opened: Tables) -> tuple[str, ...]:
    """Return the keys of chance and of the named baselines."""
    return tuple(dict.fromkeys([DEFAULT_BASELINE, *opened.list_baselines(name, dataset)]))


def _read_whole(option: str, text: str | None, least: int, hint: str = "") -> int | None:
    """Return the value of an option, a whole number of at least `least`, or None."""
    if text is None:
        return None

    number = read_count(text)
    if number is None or number < least:
        raise UsageError(
            f"{option} {shorten(text)!r}: expected a whole number of at least {least}.{hint}"
        )
    return number


def _open_sets(
    places: list[str],
    evaluation: Evaluation,
    counts: Path | None,
    num_tasks: int | None,
    protocol: str | None,
) -> tuple[Tables, list[str]]:
    """Open the tables, and return them with the names of the datasets."""
    opened, datasets = open_tables(places), evaluation.datasets
    if counts is None and num_tasks is None:
        return opened, datasets

    from rankconst.tables.counts_file import make_tables, read_counts
    from rankconst.tables.sets import join_tables
    from rankconst.tasks import Tasks, sampled_histogram

    if counts is not None:
        counted: Tables = read_counts(counts, evaluation.tool)
    elif datasets:
        raise UsageError("--num-tasks replaces --dataset; leave one out.")
    else:
        key = choose_sampled_protocol(protocol, evaluation.tool)
        tasks = Tasks(f"{num_tasks:,} tasks", key)
        counted = make_tables({tasks: sampled_histogram(key, num_tasks or 0)})

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
    """Write typed values as a table, to be read like any other.

    Raises UsageError for a value without a name, unless `metrics` has exactly one.
    """
    from rankconst.results.document import Document
    from rankconst.results.meanings import assume_unit

    if not typed:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust recall@10=0.2 --counts FILE "
            "--tool ranx."
        )

    rows = [("metric", "value")]
    for word in typed:
        name, _, value = word.rpartition("=")
        if not name and len(metrics) != 1:
            raise UsageError(
                f"which metric is {value}? Write it before the value: recall@10={value}."
            )
        rows.append((name or metrics[0], value))

    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return Document("what you typed", text.getvalue(), percent=assume_unit(percent, tables))


def refuse(options: Mapping[str, object], subject: str) -> None:
    """Raise UsageError for the first of `options` with a value: it does not go with `subject`."""
    for name, value in options.items():
        if value:
            raise UsageError(f"{name} does not go with {subject}.")
