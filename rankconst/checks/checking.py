"""A results file checked: laws that its numbers break, and what contradicts their tasks.

Any set of ranks obeys laws: Hits@1 is at most Hits@10, an MRR lies between bounds that the hits
give, a share of n tasks is a multiple of 1/n. A published number that breaks one is a slip, or is
not what its heading says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.checks import confirm_reading
from rankconst.checks.case import RULES as RULES  # noqa: PLC0414 - those of the modules below
from rankconst.checks.case import Archive, Case, Finding, build_case
from rankconst.checks.chance import find_counting
from rankconst.checks.confirm import SLIP
from rankconst.checks.laws import DIVERGED, SWAPPED
from rankconst.errors import DataError
from rankconst.evaluation import (
    NAMES,
    NOTHING,
    Address,
    Question,
    agrees,
    list_open,
    locate,
    parse_address,
)
from rankconst.listing import find_width, wrap
from rankconst.names import count_of, list_first, resolve_name, show_controls, write_preformatted
from rankconst.results.mean_rows import find_means
from rankconst.results.meanings import find_answers
from rankconst.results.reading import group_entries, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.reading import Entry, Measured, Reading
    from rankconst.tables.archive import Tables


@dataclass(frozen=True, slots=True, repr=False)
class CheckedReading:
    """What is wrong with the numbers of a results file.

    ``print`` shows what the screen of ``rankconst check`` does.

    Attributes
    ----------
    findings
        The laws that numbers break, in the order of the file. Only those of severity ``error`` are
        impossible.
    notes
        What could not be checked, and what was left out.
    asked
        What only you can answer, with the positions of the numbers that wait for it.
    """

    reading: Reading
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    asked: tuple[Question, ...]
    table_version: str
    # How many rules were tried, and how many numbers were compared with counting.
    num_rules: int = 0
    num_counted: int = 0

    @property
    def num_errors(self) -> int:
        """The number of findings of severity ``error``."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def is_waiting(self) -> bool:
        """True if every number waits for an answer, and nothing is found."""
        waiting = {place for question in self.asked for place in question.numbers}
        return len(waiting) == len(self.reading.entries) and not self.findings

    def name_file(self, finding: Finding) -> str:
        """Return the file, or the sheet, that a finding is about."""
        reading = self.reading
        return reading.name_part(finding.values[0].entry.row) if finding.values else reading.name

    def list_rows(self, *, nested: bool = True) -> list[dict[str, Any]]:
        """Return a row for each finding; its values `nested` for JSON, else as text."""
        return [self._row_of(finding, nested) for finding in self.findings]

    def _row_of(self, finding: Finding, nested: bool) -> dict[str, Any]:
        return {
            "file": self.name_file(finding),
            "line": finding.line,
            "columns": list(dict.fromkeys(m.entry.column for m in finding.values)),
            "severity": finding.severity,
            "rule": finding.rule,
            "label": finding.label,
            "inequality": finding.inequality,
            "statement": finding.statement,
            "cause": finding.cause,
            "values": [_describe(m) if nested else str(m) for m in finding.values],
            "table_version": self.table_version,
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each finding."""
        import pandas as pd

        names = self._row_of(Finding((), "", ""), nested=False)  # where nothing is found, too
        return pd.DataFrame(self.list_rows(nested=False), columns=[*names])

    def __str__(self) -> str:
        lines = [*write_findings(self, find_width())]
        lines += [f"note: {note}" for note in self.notes]
        lines += dict.fromkeys(f"asked: {question}." for question in self.asked)
        return "\n".join([*lines, summarise([self])])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return write_preformatted(str(self))


SHOWN = 3
"""How many findings of one rule with the same cause are shown; JSON has all."""


def write_findings(
    checked: CheckedReading, width: int, paint: Callable[[str, str], str] | None = None
) -> Iterator[str]:
    """Yield the findings as a screen shows them, and how many more there are like the first few.

    `paint` gives a part of a text the style of a severity, of `rule` or of `below`.
    """
    paint = paint or (lambda text, _: text)
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in checked.findings:
        alike.setdefault((finding.rule, finding.severity, finding.cause), []).append(finding)
    shown = {id(finding) for group in alike.values() for finding in group[:SHOWN]}
    name = checked.reading.name
    for finding in checked.findings:
        if id(finding) not in shown:
            continue
        file = checked.name_file(finding)
        place = show_controls(file if finding.line is None else f"{file}:{finding.line}")
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
    for key, group in alike.items():
        rule, severity, cause = key
        left = len(group) - SHOWN
        if left > 0:
            more = (
                f"{name}: {rule}: {left:,} more of severity {severity}, --json lists all. {cause}"
            )
            yield show_controls(more.rstrip())


def summarise(every: Sequence[CheckedReading]) -> str:
    """Return how much was checked, and what was found."""
    size = sum(len(each.reading.entries) for each in every)
    numbers = count_of(size, "number")
    findings = sum(len(each.findings) for each in every)
    errors = sum(each.num_errors for each in every)
    summary = f"{numbers}, {count_of(findings, 'finding')}"
    if not findings and not any(each.asked for each in every):
        counted = sum(each.num_counted for each in every)
        some = "" if counted == size else f"{counted:,} of them "
        verdict = f"possible, {some}as printed no worse than counting" if counted else "possible"
        summary = f"{numbers}: {verdict}; {every[0].num_rules} rules tried"
    if len(every) > 1:
        summary = f"{count_of(len(every), 'file')}, {summary}"
    return f"{summary} ({count_of(errors, 'error')})" if errors else summary


def check_reading(
    reading: Reading,
    tables: Tables,
    user: Address = NOTHING,
    *,
    metric: Metric | None = None,
    rules: Iterable[str] = (),
    in_python: bool = False,
) -> CheckedReading:
    """Check the numbers that the user asks for, by all rules or by those that are named.

    If a metric is named, the others are left out.

    Questions name options, or arguments if `in_python`. Raises DataError if the file holds none of
    these numbers.
    """
    listed = "`rankconst show rules` lists them all."
    keys = [resolve_name("rule", key, dict.fromkeys(RULES, ()), listed) for key in rules]
    chosen = [RULES[key] for key in keys or RULES]
    user = parse_address(user, tables)
    if metric is not None:
        reading = _keep_metric(reading, metric)
    reading, uncounted = _leave_out_uncounted(reading, tables)
    reading, notes = _choose(reading, tables, user)
    cases, questions = _build_cases(confirm_reading(reading, tables, user), tables, user)
    # Of an evaluation of scores that were not numbers, nothing else means anything.
    sound = [case for case in cases if not case.diverged]
    findings: list[Finding] = []
    for rule in chosen:
        findings += rule.apply(cases if rule.key == DIVERGED else sound)
    findings = sorted(_drop_explained(findings), key=lambda finding: finding.line or 0)
    notes += [*uncounted, *dict.fromkeys(case.note for case in cases if case.note)]
    for tasks in dict.fromkeys(case.tasks for case in cases if case.tasks is not None):
        if covered := tables.explain_coverage(tasks):
            notes.append(f"{tasks.dataset}: {covered}")
    num_counted = 0
    if RULES["below-counting"] in chosen:
        num_counted = sum(len(find_counting(case)) for case in sound)
    return CheckedReading(
        reading=reading,
        findings=tuple(findings),
        notes=tuple(notes),
        asked=_locate(questions, reading, cases, in_python=in_python),
        table_version=tables.version,
        num_rules=len(chosen),
        num_counted=num_counted,
    )


def _leave_out_uncounted(reading: Reading, tables: Tables) -> tuple[Reading, list[str]]:
    """Leave out, with notes, metrics of several right answers that the tables have no counts of.

    Raises the first reason if none is left.
    """
    uncounted = find_answers(reading, tables)
    if not uncounted:
        return reading, []
    kept = ~np.isin(np.arange(len(reading.entries)), [*uncounted])
    if not kept.any():
        raise next(iter(uncounted.values()))
    notes = dict.fromkeys(f"not checked: {error}" for error in uncounted.values())
    return replace(reading, entries=reading.entries.keep(kept)), [*notes]


def _locate(
    questions: Mapping[Question, Sequence[Entry]],
    reading: Reading,
    cases: Sequence[Case],
    *,
    in_python: bool,
) -> tuple[Question, ...]:
    """Return questions with the positions of the numbers that wait for them."""
    if not questions:
        return ()
    places = {(entry.row, entry.column): place for place, entry in enumerate(reading.entries)}
    asked = {
        question: [places[each.row, each.column] for each in entries]
        for question, entries in questions.items()
    }
    return locate(asked, sum(len(case.group.entries) for case in cases), in_python=in_python)


def _keep_metric(reading: Reading, metric: Metric) -> Reading:
    """Return a reading with the numbers of one metric; DataError if there are none."""
    entries = reading.entries
    is_kept = np.array([head.metric == metric for head in entries.heads], dtype=np.bool_)
    kept = entries.keep(is_kept[entries.head_of])
    if not len(kept):
        named = ", ".join(dict.fromkeys(head.metric.label for head in entries.heads))
        raise DataError(f"{reading.name} has no {metric.label}; it has {named}.")
    return replace(reading, entries=kept)


def _build_cases(
    reading: Reading, tables: Tables, user: Address
) -> tuple[list[Case], dict[Question, list[Entry]]]:
    """Return what to check of each evaluation, and the questions with the numbers they hold up."""
    archive = Archive(tables)
    cases: list[Case] = []
    asked: dict[Question, list[Entry]] = {}
    entries = reading.entries
    means = {}
    for found in find_means(reading).values():
        means[entries[found.place].row, entries[found.place].column] = found
    for group in group_entries(reading):
        # Numbers that fit no tasks are judged by what file and user say: one may be a slip.
        slips = [ask for ask in list_open(group.context, user) if ask.field == SLIP]
        others = tuple(ask for ask in group.context.questions if ask.field != SLIP)
        address = replace(group.context, questions=others)
        case = build_case(group, reading, user, archive, address)
        wrong, waiting = [], []
        for entry in group.entries:
            mean = means.get((entry.row, entry.column))
            if mean is not None and not mean.is_held:
                wrong.append((measure(entry), len(mean.parts), mean.mean))
            # Of a mean all is known that its graphs tell.
            if mean is None or not mean.is_held:
                waiting.append(entry)
        for ask in dict.fromkeys((*case.questions, *slips)) if waiting else ():
            asked.setdefault(ask, []).extend(waiting)
        assumed = user.protocol is None if slips else case.assumed
        cases.append(replace(case, assumed=assumed, contradictions=tuple(wrong)))
    return _mark_diverged(cases, reading), asked


def _mark_diverged(cases: list[Case], reading: Reading) -> list[Case]:
    """Mark the evaluations in which one number shows that scores were not numbers.

    Ranks that break ties in another way are of the same evaluation.
    """

    def identify(case: Case) -> tuple[Address, tuple[int, ...]]:
        rows = case.group.rows if reading.layout == "wide" else ()
        return replace(case.group.context, rank_type=None), rows

    judged = {identify(case) for case in cases if case.telling}
    return [
        replace(case, diverged=True) if judged and identify(case) in judged else case
        for case in cases
    ]


def _drop_explained(findings: list[Finding]) -> list[Finding]:
    """Drop what only follows from two exchanged columns, or from a value impossible by itself."""
    exchanged: set[int] = set()
    impossible: set[int] = set()
    for finding in findings:
        if finding.rule == SWAPPED:
            exchanged |= _identify_entries(finding)
        elif finding.rule == "range":
            impossible |= _identify_entries(finding)
    kept = []
    for finding in findings:
        own = _identify_entries(finding)
        by_exchange = RULES[finding.rule].mended_by_swap and own & exchanged
        by_value = finding.rule not in {"range", SWAPPED} and own & impossible
        if not by_exchange and not by_value:
            kept.append(finding)
    return kept


def _identify_entries(finding: Finding) -> set[int]:
    """Return what identifies the numbers of a finding: hashing thousands of them takes long."""
    return {id(m.entry) for m in finding.values}


def _choose(reading: Reading, tables: Tables, user: Address) -> tuple[Reading, list[str]]:
    """Leave out, with a note, numbers that say they are of other tasks than the user asks for.

    Raises DataError if none is left.
    """
    entries = reading.entries
    kept = [agrees(context, user, tables) for context in entries.contexts]
    if all(kept):
        return reading, []
    others: dict[str, None] = {}
    for context, agreeing in zip(entries.contexts, kept, strict=True):
        if not agreeing:
            others |= dict.fromkeys(_name_disagreeing(context, tables, user))
    chosen = np.array(kept, dtype=np.bool_)[entries.context_of]
    named = list_first([*others])
    if not chosen.any():
        raise DataError(f"{reading.name} holds none of the numbers you asked for: it has {named}.")
    note = f"numbers of {named} are left out: you asked for others."
    return replace(reading, entries=entries.keep(chosen)), [note]


def _name_disagreeing(context: Address, tables: Tables, user: Address) -> list[str]:
    """Name what a number says of its tasks that is not what the user asks for."""
    own = []
    for name in NAMES:
        text = getattr(context, name)
        if text and getattr(user, name) and not agrees(Address(**{name: text}), user, tables):
            own.append(f"{name} {text}")
    return own or [f"relation {', '.join(context.relations)}"]


def _describe(m: Measured) -> dict[str, Any]:
    return {
        "metric": m.entry.metric.key,
        "adjustment": m.entry.adjustment,
        "line": m.entry.line,
        "column": m.entry.column,
        "text": m.entry.text,
        "value": _finite(m.value),
        "lower": _finite(m.interval.lower),
        "upper": _finite(m.interval.upper),
    }


def _finite(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return value if math.isfinite(value) else None
