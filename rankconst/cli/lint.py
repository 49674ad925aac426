"""``rankconst lint``: find impossible numbers in a results file."""

from __future__ import annotations

import itertools
import math
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.answers import Question
from rankconst.cli.notes import report_questions, report_reading
from rankconst.cli.options import (
    AcceptOption,
    AggregationOption,
    DatasetOption,
    DecimalOption,
    FormatOption,
    InputFormatOption,
    PercentOption,
    ProtocolOption,
    SideOption,
    SplitOption,
    StrictOption,
    TablesOption,
    ToolOption,
    complete_from,
    open_tables,
    option,
)
from rankconst.cli.output import Column, Format, Listing, count, count_of, print_listing, say
from rankconst.errors import AskedError, DataError, UsageError
from rankconst.names import show_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

    from rankconst.checks.lint.case import Finding, Lint
    from rankconst.evaluation import Ask
    from rankconst.results.reading import Entry, Measured


SHOWN = 3
"""How many findings of one rule with the same cause the listing shows; JSON and CSV have all."""

_COLORS = {"error": "bold red", "warning": "yellow", "info": "cyan"}

_COLUMNS = (
    Column("file"),
    Column("line", "line", right=True),
    Column("columns", "columns", drop=1),
    Column("severity", "severity"),
    Column("rule", "rule"),
    Column("label", "evaluation", drop=2),
    Column("inequality", "must hold", drop=3),
    Column("statement", "finding"),
    Column("cause", "likely cause", drop=4),
    Column("values"),
)

_RULES = (
    Column("rule", "rule"),
    Column("title", "checks"),
    Column("inequality", "must hold", drop=1),
    Column("derivation", "why", drop=2),
)


def _list_rule_keys() -> Iterable[str]:
    from rankconst.checks.lint.rules import RULES

    return RULES


def lint(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="A results file; - for standard input.")] = None,
    input_format: InputFormatOption = None,
    dataset: DatasetOption = None,
    split: SplitOption = None,
    side: SideOption = None,
    protocol: ProtocolOption = None,
    tool: ToolOption = None,
    aggregation: AggregationOption = None,
    percent: PercentOption = None,
    strict: StrictOption = False,
    accept: AcceptOption = None,
    decimal: DecimalOption = None,
    rule: Annotated[
        list[str] | None,
        option("--rule", help="Only this rule; repeatable.", metavar="KEY", complete=complete_from(_list_rule_keys)),
    ] = None,
    rules: Annotated[bool, option("--rules", help="List the rules and exit.")] = False,
    tables: TablesOption = None,
    format: FormatOption = Format.table,
) -> None:
    """Find impossible numbers in a results file: hits that fall with k, an MRR that the hits exclude.

    Exits with 6 if a finding is an error, and else with 8 if all numbers wait for an answer. Rules that count
    candidates or tasks need the dataset.

    Example: rankconst lint results.csv

    Example: rankconst lint results.csv --dataset fb15k237 --protocol pykeen
    """
    if rules:
        _list_rules(format)
        return
    if file is None:
        raise UsageError("name a results file, or list the rules with --rules.")
    from rankconst.checks.lint import lint_reading
    from rankconst.evaluation import Stated
    from rankconst.results.formats import read

    opened = open_tables(tables)
    reading = read(file, input_format, decimal=decimal, percent=percent)
    report_reading(reading, strict=strict)
    found = lint_reading(
        reading,
        opened,
        Stated(dataset, split, side, protocol, aggregation, tool, percent=bool(percent), accepted=tuple(accept or ())),
        rules=rule or (),
    )
    if format == Format.table:
        _print_findings(found)
    else:
        rows = [_row(found, finding, nested=format == Format.json) for finding in found.findings]
        print_listing(Listing.of(_COLUMNS, rows), format)
    for note in found.notes:
        say(f"note: {found.reading.name}: {note}")
    report_asked(reading.name, found.asked)
    say(_summarise(found))
    if found.num_errors:
        raise typer.Exit(DataError.exit_code)
    refuse_asked(found.asked, len(reading.entries), strict=strict)


def report_asked(name: str, asked: Mapping[Ask, Sequence[Entry]]) -> None:
    """Say what is asked about numbers."""
    entries = [entry for own in asked.values() for entry in own]
    ends = [0, *itertools.accumulate(map(len, asked.values()))]
    questions = [Question.of(ask, range(*pair)) for ask, pair in zip(asked, itertools.pairwise(ends), strict=True)]
    report_questions(name, questions, lambda place: entries[place].line)


def refuse_asked(asked: Mapping[Ask, Sequence[Entry]], num_numbers: int, *, strict: bool) -> None:
    """Raise AskedError if all numbers wait for an answer; if `strict`, any number."""
    waiting = {id(entry) for own in asked.values() for entry in own}
    if waiting and (strict or len(waiting) == num_numbers):
        raise AskedError("rules that need the ranking tasks wait for the answers to these questions.")


def _list_rules(format: Format) -> None:
    from rankconst.checks.lint.rules import RULES

    rows = [
        {"rule": key, "title": rule.title, "inequality": rule.inequality, "derivation": rule.why}
        for key, rule in RULES.items()
    ]
    print_listing(Listing.of(_RULES, rows), format)


def _print_findings(found: Lint) -> None:
    from rich.console import Console

    # A pipe has no width: lines must not be cut there.
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 10_000)
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in found.findings:
        alike.setdefault((finding.rule, finding.severity, finding.cause), []).append(finding)
    shown = {id(finding) for group in alike.values() for finding in group[:SHOWN]}
    for finding in found.findings:
        if id(finding) in shown:
            _print_finding(console, found.reading.name, finding)
    for (rule, severity, cause), group in alike.items():
        if len(group) > SHOWN:
            more = f"{count(len(group) - SHOWN)} more of severity {severity}, --format json lists all."
            console.print(show_controls(f"{found.reading.name}: {rule}: {more}" + (f" {cause}" if cause else "")))


def _print_finding(console: Console, name: str, finding: Finding) -> None:
    from rich.padding import Padding
    from rich.text import Text

    place = name if finding.line is None else f"{name}:{finding.line}"
    label = f"{finding.label}: " if finding.label else ""
    head = Text.assemble(
        show_controls(f"{place}: "),
        (finding.severity, _COLORS[finding.severity]),
        ": ",
        (finding.rule, "bold"),
        show_controls(f": {label}{finding.statement}"),
    )
    # A long sentence continues below its beginning.
    first, *rest = head.wrap(console, console.width)
    console.print(first)
    below = show_controls(f"must hold: {finding.inequality}. {finding.cause}".strip())
    rest += Text(below, "dim").wrap(console, console.width - 4)
    for line in rest:
        console.print(Padding(line, (0, 0, 0, 4), expand=False))


def _row(found: Lint, finding: Finding, *, nested: bool) -> dict[str, Any]:
    return {
        "file": found.reading.name,
        "line": finding.line,
        "columns": list(dict.fromkeys(m.entry.column for m in finding.values)),
        "severity": finding.severity,
        "rule": finding.rule,
        "label": finding.label,
        "inequality": finding.inequality,
        "statement": finding.statement,
        "cause": finding.cause,
        "values": [_describe(m) if nested else str(m) for m in finding.values],
    }


def _describe(m: Measured) -> dict[str, Any]:
    numbers = {"value": m.value, "lower": m.interval.lower, "upper": m.interval.upper}
    return {
        "metric": m.entry.metric.key,
        "adjustment": m.entry.adjustment,
        "line": m.entry.line,
        "column": m.entry.column,
        "text": m.entry.text,
        **{name: number if math.isfinite(number) else None for name, number in numbers.items()},
    }


def _summarise(found: Lint) -> str:
    reading = found.reading
    rows = (len(reading.rows), "row") if reading.layout == "wide" else (found.num_groups, "evaluation")
    errors = f" ({count_of(found.num_errors, 'error')})" if found.num_errors else ""
    numbers = count_of(len(reading.entries), "number")
    return f"{count_of(*rows)}, {numbers}, {count_of(len(found.findings), 'finding')}{errors}"
