"""Check a results file: find the rules that its numbers break, and numbers of other tasks.

All ranks obey some rules: Hits@1 is at most Hits@10, an MRR lies between bounds that the hits give,
a share of n tasks is a multiple of 1/n. A published number that breaks a rule is a slip, or belongs
to another metric.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.checks import confirm_reading
from rankconst.checks.case import RULES as RULES  # noqa: PLC0414 - those of the modules below
from rankconst.checks.case import Archive, Case, Finding, WrongAverage, build_case
from rankconst.checks.chance import find_counting
from rankconst.checks.confirm import SLIP
from rankconst.checks.laws import DIVERGED
from rankconst.errors import DataError
from rankconst.evaluation import (
    NAMES,
    NOTHING,
    Address,
    Question,
    agrees,
    assign_numbers,
    list_open,
    parse_address,
)
from rankconst.listing import find_width, wrap
from rankconst.names import count_of, list_first, resolve_name, show_controls, write_preformatted
from rankconst.results.graph_means import find_means
from rankconst.results.meanings import find_answers
from rankconst.results.reading import group_entries, measure, name_reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pandas as pd

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.reading import Measured, Reading
    from rankconst.tables.archive import Tables


@dataclass(frozen=True, slots=True, repr=False)
class CheckedReading:
    """The findings in a results file.

    ``print`` shows the screen of ``rankconst check``.

    Attributes
    ----------
    findings
        The laws that numbers break, in the order of the file. Only those of severity ``error`` are
        impossible.
    notes
        The numbers that could not be checked, or were left out.
    asked
        The questions that only you can answer, with the positions of the numbers that wait.
    """

    reading: Reading
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    asked: tuple[Question, ...]
    table_version: str
    # The numbers of rules that were tried, and of values that were compared with counting.
    num_rules: int = 0
    num_counted: int = 0

    @property
    def num_errors(self) -> int:
        """The number of findings of severity ``error``."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def is_waiting(self) -> bool:
        """Whether every number waits for an answer, and nothing is found."""
        waiting = {place for question in self.asked for place in question.numbers}
        return len(waiting) == len(self.reading.entries) and not self.findings

    def name_file(self, finding: Finding) -> str:
        """Return the file or sheet of a finding."""
        reading = self.reading
        return reading.name_part(finding.values[0].entry.row) if finding.values else reading.name

    def list_rows(self, *, nested: bool = True) -> list[dict[str, Any]]:
        """Return a row for each finding, with values as objects for JSON, or as text."""
        return [self._row_of(finding, nested) for finding in self.findings]

    def _row_of(self, finding: Finding, nested: bool) -> dict[str, Any]:
        """Return the row of a finding."""
        columns = dict.fromkeys(number.entry.column for number in finding.values)
        describe = _describe if nested else str
        return {
            "file": self.name_file(finding),
            "line": finding.line,
            "columns": list(columns),
            "severity": finding.severity,
            "rule": finding.rule,
            "label": finding.label,
            "inequality": finding.inequality,
            "statement": finding.statement,
            "cause": finding.cause,
            "values": [describe(number) for number in finding.values],
            "table_version": self.table_version,
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each finding."""
        import pandas as pd

        names = self._row_of(Finding((), "", ""), nested=False)  # where nothing is found, too
        return pd.DataFrame(self.list_rows(nested=False), columns=[*names])

    def __str__(self) -> str:
        lines = [*write_findings(self, find_width())]
        if self.reading.skipped:
            lines.append(f"skipped: {name_reasons(self.reading.skipped)}.")
        lines += [f"note: {note}" for note in self.notes]
        lines += dict.fromkeys(f"asked: {question}." for question in self.asked)
        return "\n".join([*lines, summarise([self])])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return write_preformatted(str(self))


SHOWN = 3
"""The number of findings of one rule with the same cause that are shown; JSON has all."""


def write_findings(
    checked: CheckedReading, width: int, paint: Callable[[str, str], str] | None = None
) -> Iterator[str]:
    """Yield the findings as a screen shows them, and the number of those that it does not show.

    `paint` gives a text the style of a severity, of `rule` or of `below`.
    """
    paint = paint or (lambda text, _: text)
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in checked.findings:
        alike.setdefault((finding.rule, finding.severity, finding.cause), []).append(finding)

    shown = {id(finding) for group in alike.values() for finding in group[:SHOWN]}
    for finding in checked.findings:
        if id(finding) in shown:
            yield from _write_finding(finding, checked.name_file(finding), width, paint)

    for (rule, severity, cause), group in alike.items():
        hidden = len(group) - SHOWN
        if hidden > 0:
            more = f"{hidden:,} more of severity {severity}, --json lists all. {cause}"
            yield show_controls(f"{checked.reading.name}: {rule}: {more}".rstrip())


def _write_finding(
    finding: Finding, file: str, width: int, paint: Callable[[str, str], str]
) -> Iterator[str]:
    """Yield where a finding is and what was found, then why that is wrong."""
    line = "" if finding.line is None else f":{finding.line}"
    place = show_controls(f"{file}{line}")
    front = f"{place}: {finding.severity}: {finding.rule}"
    label = f"{finding.label}: " if finding.label else ""
    text = wrap(width, f"{front}: {label}{finding.statement}", below="    ")
    if text.startswith(front):
        severity, rule = paint(finding.severity, finding.severity), paint(finding.rule, "rule")
        text = f"{place}: {severity}: {rule}{text.removeprefix(front)}"

    yield text
    law = "usual" if finding.severity == "info" else "must hold"
    why = f"    {law}: {finding.inequality}. {finding.cause}".rstrip()
    yield paint(wrap(width, why, below="    "), "below")


def summarise(every: Sequence[CheckedReading]) -> str:
    """Return a line with the numbers of files, values and findings, and of what was skipped."""
    size = sum(len(each.reading.entries) for each in every)
    numbers = count_of(size, "number")
    findings = sum(len(each.findings) for each in every)
    errors = sum(each.num_errors for each in every)
    summary = f"{numbers}, {count_of(findings, 'finding')}"
    if not findings and not any(each.asked for each in every):
        num_counted = sum(each.num_counted for each in every)
        verdict = "possible"
        if num_counted:
            some = "" if num_counted == size else f"{num_counted:,} of them "
            verdict = f"possible, and {some}as printed no worse than counting"
        summary = f"{numbers}: {verdict}; {every[0].num_rules} rules tried"

    if errors:
        summary += f" ({count_of(errors, 'error')})"

    skipped = sum(len(each.reading.skipped) for each in every)
    if skipped:
        summary += f"; {skipped:,} skipped"

    return f"{count_of(len(every), 'file')}, {summary}" if len(every) > 1 else summary


def check_reading(
    reading: Reading,
    tables: Tables,
    user: Address = NOTHING,
    *,
    metric: Metric | None = None,
    rules: Iterable[str] = (),
    in_python: bool = False,
) -> CheckedReading:
    """Check the numbers that the user asks for, by all rules or by some.

    Questions name options, or arguments if `in_python`.

    Raises DataError if the file holds none of these numbers.
    """
    listed = "`rankconst show rules` lists them all."
    keys = [resolve_name("rule", key, dict.fromkeys(RULES, ()), listed) for key in rules]
    tried = [RULES[key] for key in keys or RULES]
    user = parse_address(user, tables)
    if metric is not None:
        reading = _keep_metric(reading, metric)

    reading, uncounted = _leave_out_uncounted(reading, tables)
    reading, notes = _leave_out_other_tasks(reading, tables, user)
    cases, waiting = _build_cases(confirm_reading(reading, tables, user), tables, user)
    # No rule is of a gain, which has a question of this field.
    results = [case for case in cases if all(ask.field != "metric" for ask in case.questions)]
    # The other numbers of an evaluation of scores that were not numbers are meaningless.
    sound = [case for case in results if not case.diverged]
    findings: list[Finding] = []
    for rule in tried:
        judged = results if rule.key == DIVERGED else sound
        findings += rule.apply(judged)

    findings = sorted(_drop_consequences(findings), key=lambda finding: finding.line or 0)
    notes += [*uncounted, *dict.fromkeys(case.note for case in cases if case.note)]
    for tasks in dict.fromkeys(case.tasks for case in cases if case.tasks is not None):
        if covered := tables.explain_coverage(tasks):
            notes.append(f"{tasks.dataset}: {covered}")

    num_numbers = sum(len(case.group.entries) for case in cases)
    num_counted = 0
    if RULES["below-counting"] in tried:
        num_counted = sum(len(find_counting(case)) for case in sound)

    return CheckedReading(
        reading=reading,
        findings=tuple(findings),
        notes=tuple(notes),
        asked=assign_numbers(waiting, num_numbers, in_python=in_python),
        table_version=tables.version,
        num_rules=len(tried),
        num_counted=num_counted,
    )


def _leave_out_uncounted(reading: Reading, tables: Tables) -> tuple[Reading, list[str]]:
    """Leave out, with notes, metrics of several right answers without counts in the tables."""
    uncounted = find_answers(reading, tables)
    if not uncounted:
        return reading, []

    is_counted = ~np.isin(np.arange(len(reading.entries)), [*uncounted])
    if not is_counted.any():
        raise next(iter(uncounted.values()))

    notes = dict.fromkeys(f"not checked: {error}" for error in uncounted.values())
    return replace(reading, entries=reading.entries.keep(is_counted)), [*notes]


def _keep_metric(reading: Reading, metric: Metric) -> Reading:
    """Return a reading with the numbers of one metric only; DataError if it has none."""
    entries = reading.entries
    is_of_metric = entries.flag_heads(lambda head: head.metric == metric)
    if not is_of_metric.any():
        labels = ", ".join(dict.fromkeys(head.metric.label for head in entries.heads))
        raise DataError(f"{reading.name} has no {metric.label}; it has {labels}.")
    return replace(reading, entries=entries.keep(is_of_metric))


def _build_cases(
    reading: Reading, tables: Tables, user: Address
) -> tuple[list[Case], dict[Question, list[int]]]:
    """Return the case of each evaluation, and the numbers that wait for an answer to a question."""
    archive = Archive(tables)
    cases: list[Case] = []
    waiting: dict[Question, list[int]] = {}
    place_of = {(entry.row, entry.column): place for place, entry in enumerate(reading.entries)}
    means = find_means(reading)
    for group in group_entries(reading):
        # Numbers that fit no tasks are checked on the tasks of file and user: one of them may be a
        # slip.
        slips = [slip for slip in list_open(group.context, user) if slip.field == SLIP]
        others = [other for other in group.context.questions if other.field != SLIP]
        address = replace(group.context, questions=tuple(others))
        case = build_case(group, reading, user, archive, address)
        wrong, unknown = [], []
        for entry in group.entries:
            place = place_of[entry.row, entry.column]
            average = means.get(place)  # None for a number that is not called Average
            if average is None or not average.is_held:
                unknown.append(place)
            if average is not None and not average.is_held:
                wrong.append(WrongAverage(measure(entry), len(average.parts), average.mean))

        if unknown:
            for question in dict.fromkeys((*case.questions, *slips)):
                waiting.setdefault(question, []).extend(unknown)

        assumed = user.protocol is None if slips else case.assumed
        cases.append(replace(case, assumed=assumed, wrong_averages=tuple(wrong)))

    return _mark_diverged(cases, reading), waiting


def _mark_diverged(cases: list[Case], reading: Reading) -> list[Case]:
    """Mark the evaluations in which one number shows that scores were not numbers.

    The same scores with other ties, an evaluation of its own, are marked, too.
    """

    def identify_scores(case: Case) -> tuple[Address, tuple[int, ...]]:
        rows = case.group.rows if reading.layout == "wide" else ()
        return replace(case.group.context, rank_type=None), rows

    diverged = {identify_scores(case) for case in cases if case.of_no_scores}
    if not diverged:
        return cases
    return [replace(case, diverged=identify_scores(case) in diverged) for case in cases]


def _drop_consequences(findings: list[Finding]) -> list[Finding]:
    """Drop the findings that follow from a value out of range."""
    impossible: set[int] = set()
    for finding in findings:
        if finding.rule == "range":
            impossible |= _identify_entries(finding)

    return [
        finding
        for finding in findings
        if finding.rule == "range" or not _identify_entries(finding) & impossible
    ]


def _identify_entries(finding: Finding) -> set[int]:
    """Return the identities of a finding's numbers, as hashing thousands of them is slow."""
    return {id(number.entry) for number in finding.values}


def _leave_out_other_tasks(
    reading: Reading, tables: Tables, user: Address
) -> tuple[Reading, list[str]]:
    """Leave out, with a note, numbers that the file declares as of other tasks than the user's."""
    entries = reading.entries
    fields: dict[str, None] = {}
    for context in entries.contexts:
        if not agrees(context, user, tables):
            fields |= dict.fromkeys(_list_disagreements(context, tables, user))

    if not fields:
        return reading, []

    others = list_first([*fields])
    kept = entries.keep(entries.flag_contexts(lambda context: agrees(context, user, tables)))
    if not len(kept):
        raise DataError(f"{reading.name} holds none of the numbers you asked for: it has {others}.")

    note = f"numbers of {others} are left out: you asked for others."
    return replace(reading, entries=kept), [note]


def _list_disagreements(context: Address, tables: Tables, user: Address) -> list[str]:
    """Return the fields of an address that contradict the user's, such as ``split valid``."""
    fields = []
    for name in NAMES:
        text = getattr(context, name)
        if text and getattr(user, name) and not agrees(Address(**{name: text}), user, tables):
            fields.append(f"{name} {text}")
    return fields or [f"relation {', '.join(context.relations)}"]


def _describe(number: Measured) -> dict[str, Any]:
    """Return a number of a finding for JSON."""
    return {
        "metric": number.entry.metric.key,
        "adjustment": number.entry.adjustment,
        "line": number.entry.line,
        "column": number.entry.column,
        "text": number.entry.text,
        "value": _finite(number.value),
        "lower": _finite(number.interval.lower),
        "upper": _finite(number.interval.upper),
    }


def _finite(value: float) -> float | None:
    """Return a number, or None if JSON cannot hold it."""
    return value if math.isfinite(value) else None
