"""``rankconst identify``: which ranking tasks published numbers come from, and which adjusted values are wrong."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankconst.catalogue.aggregations import AGGREGATIONS, DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import LINK_SIDES, SPLITS
from rankconst.checks.identify.defects import UNKNOWN
from rankconst.checks.identify.evidence import Piece, collect_evidence, count_piece
from rankconst.checks.identify.matches import Identification, Identified, Match
from rankconst.checks.identify.search import identify as identify_evidence
from rankconst.checks.identify.search import identify_reading
from rankconst.cli.lint import report_asked
from rankconst.cli.notes import report_reading
from rankconst.cli.options import (
    PROTOCOL_NAMES,
    AcceptOption,
    DecimalOption,
    FormatOption,
    InputFormatOption,
    PercentOption,
    StrictOption,
    TablesOption,
    complete_dataset,
    complete_from,
    complete_metric,
    count_option,
    open_tables,
    option,
)
from rankconst.cli.output import Column, Format, Listing, count, number, print_listing, say
from rankconst.errors import AskedError, DataError, UsageError
from rankconst.evaluation import Stated, complete_by_name, parse_stated
from rankconst.results.reading import Entry, name_entry
from rankconst.values.published import read_published

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankconst.checks.identify.defects import Checked
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks


_SHOWN = 12

_MATCH_COLUMNS = (
    Column("numbers", "numbers"),
    Column("dataset", "dataset"),
    Column("split", "split"),
    Column("side", "side"),
    Column("protocol", "protocol"),
    Column("aggregation"),
    Column("num_tasks", "tasks", count, right=True),
    Column("agreeing"),
    Column("total"),
    Column("agreement", "agree", right=True),
    Column("largest_difference", "within", number(1), right=True, drop=1),
    Column("others", "also fit", right=True),
    Column("wrong", "wrong", right=True),
    Column("note"),
    Column("mismatches"),
)

_MISMATCH_COLUMNS = (
    Column("place", "place"),
    Column("name", "value"),
    Column("found", "found", number(7), right=True),
    Column("expected", "right", number(7), right=True),
    Column("reason", "likely cause"),
)

_Stated = dict[Literal["expectation", "deviation"], str | None]

_TASK_FIELDS = ("dataset", "split", "side", "protocol", "aggregation")

_GROUP_FIELDS = (
    "numbers",
    "line",
    "matches",
    "reason",
    "note",
    "checked",
    "largest_difference",
    "mismatches",
    "left_out",
    "table_version",
)


def _narrowing(name: str, *short: str, complete: Callable[[str], list[str]]) -> Any:
    # Unlike in other commands, None means all.
    return option(f"--{name}", *short, help=f"Search only this {name}.", metavar=name.upper(), complete=complete)


def _stating(*names: str, help: str) -> Any:
    return option(*names, help=help, metavar="NUMBER")


_METRIC = option("--metric", "-m", help="The metric of the numbers.", metavar="METRIC", complete=complete_metric)


def identify(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A results file with base and adjusted values; - for stdin.")
    ] = None,
    input_format: InputFormatOption = None,
    num_tasks: Annotated[int | None, count_option("--num-tasks", help="The number of ranks, of both sides.")] = None,
    metric: Annotated[str | None, _METRIC] = None,
    expectation: Annotated[str | None, _stating("--expectation", help="What a random ranker gets on average.")] = None,
    deviation: Annotated[str | None, _stating("--deviation", help="The standard deviation of what it gets.")] = None,
    value: Annotated[str | None, _stating("--value", help="The unadjusted value.")] = None,
    normalised: Annotated[str | None, _stating("--normalised", help="The value over its expectation.")] = None,
    index: Annotated[str | None, _stating("--index", help="The adjusted index.")] = None,
    z: Annotated[str | None, _stating("--z", help="The z-score.")] = None,
    dataset: Annotated[str | None, _narrowing("dataset", "-d", complete=complete_dataset)] = None,
    split: Annotated[str | None, _narrowing("split", complete=complete_from(SPLITS))] = None,
    side: Annotated[str | None, _narrowing("side", complete=complete_from(LINK_SIDES))] = None,
    protocol: Annotated[str | None, _narrowing("protocol", "-p", complete=complete_from(PROTOCOL_NAMES))] = None,
    aggregation: Annotated[str | None, _narrowing("aggregation", "-a", complete=complete_from(AGGREGATIONS))] = None,
    percent: PercentOption = None,
    strict: StrictOption = False,
    accept: AcceptOption = None,
    decimal: DecimalOption = None,
    tables: TablesOption = None,
    format: FormatOption = Format.table,
) -> None:
    """Say which dataset, split, side and protocol published numbers come from.

    A file needs adjusted values next to their base values, or numbers of ranks. Adjusted values that do not belong to
    their base values are listed with the likely cause. Numbers are read as printed: 0.00071 is 0.000705 to 0.000715.

    Example: rankconst identify results.csv

    Example: rankconst identify --metric mr --value 470 --index 0.934
    """
    adjusted = {"normalised": normalised, "index": index, "z": z}
    stated: _Stated = {"expectation": expectation, "deviation": deviation}
    is_typed = any(each is not None for each in (num_tasks, metric, value, *adjusted.values(), *stated.values()))
    opened = open_tables(tables)
    user = parse_stated(
        Stated(dataset, split, side, protocol, aggregation, percent=bool(percent), accepted=tuple(accept or ())), opened
    )
    if file is None:
        if not is_typed:
            raise UsageError("name a file, or numbers: --num-tasks N, or --metric with --expectation or --value.")
        entries = _make_entries(metric, value, adjusted, num_tasks)
        pieces = [] if num_tasks is None or entries else [count_piece(num_tasks, "--num-tasks")]
        pieces += _make_pieces(metric, stated, user)
        _report(_identify_typed(entries, pieces, opened, user), "the numbers", format)
    elif is_typed:
        raise UsageError("name a file or numbers, not both.")
    else:
        from rankconst.results.formats import read

        reading = read(file, input_format, decimal=decimal, percent=percent)
        report_reading(reading, strict=strict)
        result = identify_reading(reading, opened, user)
        report_asked(reading.name, result.asked)
        _report(result, reading.name, format)
        if strict and result.asked:
            raise AskedError("some numbers do not show their ranking tasks: these questions wait for an answer.")


def _identify_typed(entries: list[Entry], pieces: list[Piece], tables: Tables, user: Stated) -> Identification:
    """Find the ranking tasks of one evaluation and of what else is known about it."""
    evidence = collect_evidence([entries], percent=user.percent)
    evidence = replace(evidence, pieces=(*evidence.pieces, *pieces))
    return Identification((identify_evidence(evidence, tables, user, [entries]),), tables.version)


def _make_entries(
    metric: str | None, value: str | None, typed: dict[str, str | None], num_tasks: int | None
) -> list[Entry]:
    """Put typed values into the form of a file's."""
    adjusted = {form: given for form, given in typed.items() if given is not None}
    if (value is None) != (not adjusted):
        raise UsageError("--value goes with --normalised, --index or --z: neither helps without the other.")
    if value is None:
        return []
    if metric is None:
        raise UsageError("which metric are these numbers of? Add --metric.")
    parsed, context = parse_metric(metric), complete_by_name(metric, Stated(num_tasks=num_tasks))
    return [
        Entry(parsed, given, 0, f"--{form}", None, context, None if form == "value" else form)
        for form, given in {"value": value, **adjusted}.items()
    ]


def _make_pieces(metric: str | None, stated: _Stated, user: Stated) -> Iterator[Piece]:
    """Yield what the user says of chance."""
    for kind, given in stated.items():
        if given is None:
            continue
        if metric is None:
            raise UsageError(f"which metric is this {kind} of? Add --metric.")
        parsed = parse_metric(metric)
        read = read_published(parsed, given, percent=user.percent and parsed.is_share, place=f"--{kind}")
        if read.value <= 0:
            raise DataError(f"--{kind}: {given} is not positive; what a random ranker gets always is.")
        yield Piece(kind, read.value, read.interval, f"--{kind}", parsed)


def _report(result: Identification, name: str, form: Format) -> None:
    telling = [group for group in result.groups if group.evidence.pieces]
    if not any(group.matches for group in result.groups):
        reasons = dict.fromkeys(group.reason for group in (telling or result.groups))
        error = AskedError if result.asked else DataError
        raise error(f"{name}: nothing fits: " + " ".join(list(reasons)[:3]))
    if form is Format.json:
        rows = [_describe_group(group, result.table_version) for group in result.groups]
        print_listing(Listing.of(list(map(Column, _GROUP_FIELDS)), rows), form)
    else:
        _print_matches(result, form)
    if result.mismatches and form is Format.table:
        typer.echo("")
        wrong = [_describe_mismatch(each) for each in result.mismatches]
        print_listing(
            Listing.of(_MISMATCH_COLUMNS, wrong, "Adjusted values that do not belong to their base values"), form
        )
    _note(result)


def _print_matches(result: Identification, form: Format) -> None:
    shown = _SHOWN if len(result.groups) == 1 else 1
    rows = []
    for group in result.groups:
        listed = group.matches if form is not Format.table else group.matches[:shown]
        rows += [_describe_row(group, match) for match in listed]
    for row in rows:
        if form is Format.table and row["aggregation"] != DEFAULT_AGGREGATION:
            row["protocol"] += f", {row['aggregation']}"
    caption = (
        "agree: pieces of evidence that agree; within: the largest relative difference among them; a = b: the same "
        f"constants. Tables: {result.table_version}."
    )
    print_listing(Listing.of(_MATCH_COLUMNS, rows, caption=caption), form)


def _describe_row(group: Identified, match: Match) -> dict[str, Any]:
    return {
        "numbers": _name_group(group),
        **_join_names(match),
        "num_tasks": match.num_tasks,
        "agreeing": match.agreeing,
        "total": match.total,
        "agreement": f"{match.agreeing} of {match.total}",
        "largest_difference": _finite(match.largest_difference),
        "others": len(group.matches) - 1 or None,
        "wrong": f"{len(group.mismatches)} of {len(group.checked)}" if group.checked else None,
        "note": group.note or None,
        "mismatches": [
            f"{row['place']}: {row['name']} {row['found']:.7g}, right {row['expected']:.7g}: {row['reason']}"
            for row in map(_describe_mismatch, group.mismatches)
        ],
    }


def _join_names(match: Match) -> dict[str, str]:
    """Name the set and those with the same constants: ``pykeen = standard``."""
    sets = (match.tasks, *match.same)
    return {field: " = ".join(dict.fromkeys(getattr(tasks, field) for tasks in sets)) for field in _TASK_FIELDS}


def _name_group(group: Identified) -> str:
    context = group.context
    if context is None:
        return "as given"
    parts = (context.model, context.dataset, context.split, context.side, context.protocol)
    line = f"line {group.line:,}" if group.line is not None else "all"
    return ", ".join(part for part in parts if part) or line


def _describe_mismatch(each: Checked) -> dict[str, Any]:
    entry, cause = each.entry, each.cause or UNKNOWN
    where = [f"line {entry.line:,}" if entry.line is not None else "", entry.column, entry.context.model or ""]
    where += [entry.context.side or "", entry.context.rank_type or ""]
    return {
        "place": ", ".join(dict.fromkeys(part for part in where if part)),
        "name": name_entry(entry),
        "metric": entry.metric.key,
        "adjustment": entry.adjustment,
        "found": each.found,
        "expected": each.expected,
        "lower": each.interval.lower,
        "upper": each.interval.upper,
        "cause": cause.key,
        "reason": cause.summary,
    }


def _describe_group(group: Identified, version: str) -> dict[str, Any]:
    return {
        "numbers": _name_group(group),
        "line": group.line,
        "matches": [_describe_match(match) for match in group.matches],
        "reason": group.reason,
        "note": group.note,
        "checked": len(group.checked),
        "largest_difference": group.largest_difference,
        "mismatches": [_describe_mismatch(each) for each in group.mismatches],
        "left_out": [
            {"place": each.entry.column, "name": name_entry(each.entry), "reason": each.reason}
            for each in group.evidence.dropped
        ],
        "table_version": version,
    }


def _describe_match(match: Match) -> dict[str, Any]:
    return {
        **_name_tasks(match.tasks, match.num_tasks),
        "same": [_name_tasks(tasks, match.num_tasks) for tasks in match.same],
        "agreeing": match.agreeing,
        "total": match.total,
        "largest_difference": _finite(match.largest_difference),
        "evidence": [
            {
                "what": each.piece.label,
                "origin": each.piece.origin,
                "found": each.piece.value,
                "lower": each.piece.interval.lower,
                "upper": each.piece.interval.upper,
                "expected": _finite(each.expected),
                "agrees": each.agrees,
            }
            for each in match.comparisons
        ],
    }


def _name_tasks(tasks: Tasks, num_tasks: int) -> dict[str, Any]:
    return {field: getattr(tasks, field) for field in _TASK_FIELDS} | {"num_tasks": num_tasks}


def _finite(value: float) -> float | None:
    """Return a number as JSON can hold it: the relative difference to a constant of 0 has none."""
    return value if math.isfinite(value) else None


def _note(result: Identification) -> None:
    """Say on stderr how many sets fit, what fits nothing, and how many values are wrong."""
    for group in result.groups:
        name = _name_group(group)
        if group.reason:
            say(f"note: {name}: {group.reason}")
        if group.note:
            say(f"note: {name}: {group.note}")
        if len(group.matches) > 1:
            beyond = f"; {_SHOWN} are shown" if len(group.matches) > _SHOWN and len(result.groups) == 1 else ""
            say(f"note: {name}: {len(group.matches):,} sets of tasks fit equally well{beyond}.")
    checked = sum(len(group.checked) for group in result.groups)
    if result.mismatches:
        causes = Counter(each.cause.summary for each in result.mismatches if each.cause)
        say(
            f"note: {len(result.mismatches):,} of {checked:,} adjusted values do not belong to their base values. "
            f"Likely causes: {'; '.join(f'{reason} ({times:,})' for reason, times in causes.most_common())}.",
        )
