"""A results file checked: the laws that its numbers break, and what they say about where they come from.

Any set of ranks obeys laws: Hits@1 is at most Hits@10, an MRR lies between bounds that the hits give, a share of n
tasks is a multiple of 1/n. A published number that breaks one is a slip, or is not what its heading says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.names import resolve_name
from rankconst.catalogue.protocols import RELATION_SIDE
from rankconst.checks.case import RULES as RULES  # noqa: PLC0414 - those of the modules below
from rankconst.checks.case import Archive, Case, Finding, build_case
from rankconst.checks.chance import MISMATCH, describe_mismatch
from rankconst.checks.completing import complete_reading
from rankconst.checks.laws import SWAPPED
from rankconst.checks.search import Search, describe_matches
from rankconst.errors import DataError
from rankconst.evaluation import NAMES, NOTHING, Question, Stated, agrees, parse_stated
from rankconst.names import list_first
from rankconst.results.reading import group_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from rankconst.checks.completing import Completed
    from rankconst.checks.matches import Identified, Match
    from rankconst.results.reading import Entry, Measured, Reading
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks


EVIDENCE = "evidence"
"""The rule of rows that say where numbers come from."""

_RELATION = (
    "relation prediction is not searched for; if you know the dataset and the protocol, adjust the numbers with side "
    f"{RELATION_SIDE}."
)


@dataclass(frozen=True, slots=True)
class CheckedReading:
    """What is wrong with the numbers of a results file, and what they say about where they come from.

    Attributes
    ----------
    findings
        The laws that numbers break, in the order of the file. Only those of severity ``error`` are impossible.
    groups
        For numbers that share their ranking tasks: the sets of tasks whose constants they fit, as ``matches``. Only
        adjusted values beside their base values, and numbers of ranks, tell.
    notes
        What could not be checked, and what was left out.
    asked
        What only you can answer, with the positions of the numbers that wait for it.
    """

    reading: Reading
    findings: tuple[Finding, ...]
    groups: tuple[Identified, ...]
    notes: tuple[str, ...]
    asked: tuple[Question, ...]
    table_version: str

    def __repr__(self) -> str:
        errors = f"{len(self.findings):,} findings, {self.num_errors:,} of them errors"
        return f"CheckedReading({self.reading.name}: {errors})"

    @property
    def num_errors(self) -> int:
        """The number of findings of severity ``error``."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def is_waiting(self) -> bool:
        """True if every number waits for an answer, and nothing is found."""
        waiting = {place for question in self.asked for place in question.numbers}
        found = self.findings or any(group.matches for group in self.groups)
        return len(waiting) == len(self.reading.entries) and not found

    def list_rows(self, *, nested: bool = True) -> list[dict[str, Any]]:
        """Return a row for each finding, then for each group; `nested` for JSON, else as text."""
        rows = [self._row_of(finding, nested) for finding in self.findings]
        return rows + [self._row_of_group(group, nested) for group in self.groups]

    def _row_of(self, finding: Finding, nested: bool) -> dict[str, Any]:
        return {
            "file": self.reading.name,
            "line": finding.line,
            "columns": list(dict.fromkeys(m.entry.column for m in finding.values)),
            "severity": finding.severity,
            "rule": finding.rule,
            "label": finding.label,
            "inequality": finding.inequality,
            "statement": finding.statement,
            "cause": finding.cause,
            "values": [_describe(m) if nested else str(m) for m in finding.values],
            "matches": [],
            "table_version": self.table_version,
        }

    def _row_of_group(self, group: Identified, nested: bool) -> dict[str, Any]:
        statement = Finding((), "", describe_group(group), severity="info", label=group.label, rule=EVIDENCE)
        matches = [describe_match(match) if nested else describe_matches([match]) for match in group.matches]
        return self._row_of(statement, nested) | {"line": group.line, "matches": matches}

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each finding, and for each group of numbers that says where it comes from."""
        import pandas as pd

        names = self._row_of(Finding((), "", ""), nested=False)  # where nothing is found, too
        return pd.DataFrame(self.list_rows(nested=False), columns=[*names])

    def _repr_html_(self) -> str:
        shown = self.to_pandas()[["line", "severity", "rule", "label", "statement", "cause"]]
        return shown.to_html(index=False, na_rep="")


def check_reading(
    reading: Reading, tables: Tables, user: Stated = NOTHING, *, rules: Iterable[str] = (), in_python: bool = False
) -> CheckedReading:
    """Check the numbers that the user asks for; if rules are named, by those alone, without a look at where from.

    Questions name options, or arguments if `in_python`. Raises DataError if the file holds none of these numbers.
    """
    listed = "`rankconst show rules` lists them all."
    chosen = [RULES[resolve_name("rule", key, dict.fromkeys(RULES, ()), listed)] for key in rules]
    user = parse_stated(user, tables)
    reading, notes = _choose(reading, tables, user)
    completed = complete_reading(reading, tables, user)
    cases, asks = _build_cases(reading, completed, tables, user)
    findings = _drop_explained([finding for rule in chosen or RULES.values() for finding in rule.apply(cases)])
    groups: tuple[Identified, ...] = ()
    if not chosen and completed.parts:
        if user.side == RELATION_SIDE:
            notes.append(_RELATION)
        else:
            found = Search(tables, user).identify_parts(completed.parts)
            groups = tuple(group for group in found if group.evidence.pieces or group.evidence.dropped)
            findings += list(_find_mismatches(groups, findings, cases))
    findings.sort(key=lambda finding: finding.line or 0)
    notes += dict.fromkeys(case.note for case in cases if case.note)
    places = {(entry.row, entry.column): place for place, entry in enumerate(reading.entries)} if asks else {}
    asked = (
        replace(ask, numbers=tuple(sorted(places[each.row, each.column] for each in entries)), in_python=in_python)
        for ask, entries in asks.items()
    )
    return CheckedReading(reading, tuple(findings), groups, tuple(notes), tuple(asked), tables.version)


def _build_cases(
    reading: Reading, completed: Completed, tables: Tables, user: Stated
) -> tuple[list[Case], dict[Question, list[Entry]]]:
    """Return what is to be checked of each evaluation, and the questions with the numbers that wait for them."""
    archive = Archive(tables)
    cases: list[Case] = []
    asked: dict[Question, list[Entry]] = {}
    for place, group in enumerate(completed.groups or group_entries(reading)):
        context = completed.contexts[place] if completed.contexts else group.context
        # A slip may be why nothing fits: such numbers are judged by what file and user say.
        ask = completed.asked.get(place)
        case = build_case(group, reading, user, archive, None if ask else context)
        cases.append(replace(case, assumed=user.protocol is None) if ask else case)
        for each in filter(None, dict.fromkeys((*case.asks, ask))):
            asked.setdefault(each, []).extend(group.entries)
    return cases, asked


def _drop_explained(findings: list[Finding]) -> list[Finding]:
    """Drop what only follows from two columns exchanged, or from a value that is impossible by itself."""
    # By identity: thousands of entries take long to hash.
    of = {id(finding): {id(m.entry) for m in finding.values} for finding in findings}
    exchanged, impossible = (
        set().union(*(of[id(finding)] for finding in findings if finding.rule == rule)) for rule in (SWAPPED, "range")
    )
    kept = []
    for finding in findings:
        by_exchange = RULES[finding.rule].mended_by_swap and of[id(finding)] & exchanged
        by_value = finding.rule not in {"range", SWAPPED} and of[id(finding)] & impossible
        if not by_exchange and not by_value:
            kept.append(finding)
    return kept


def _choose(reading: Reading, tables: Tables, user: Stated) -> tuple[Reading, list[str]]:
    """Leave out the numbers that say that they are of other tasks than the user asks for, with a note."""
    entries = reading.entries
    kept = [agrees(context, user, tables) for context in entries.contexts]
    if all(kept):
        return reading, []
    others: dict[str, None] = {}
    for context in (context for context, agreeing in zip(entries.contexts, kept, strict=True) if not agreeing):
        said = {name: text for name in NAMES if (text := getattr(context, name)) and getattr(user, name)}
        own = [f"{name} {text}" for name, text in said.items() if not agrees(Stated(**{name: text}), user, tables)]
        others |= dict.fromkeys(own or [f"relation {', '.join(context.relations)}"])
    of = np.array(kept, dtype=np.bool_)[entries.context_of]
    named = list_first([*others])
    if not of.any():
        raise DataError(f"{reading.name} holds none of the numbers you asked for: it has {named}.")
    return replace(reading, entries=entries.keep(of)), [f"numbers of {named} are left out: you asked for others."]


def _find_mismatches(
    groups: Iterable[Identified], findings: Sequence[Finding], cases: Sequence[Case]
) -> Iterator[Finding]:
    """Yield the adjusted values that are wrong on all sets of tasks that they fit, where no law could say so."""
    told = {(each.values[0].entry.row, each.values[0].entry.column) for each in findings if each.rule == MISMATCH}
    open_cases = ((case, m) for case in cases if case.tasks is None for m in case.measured)
    unknown = {place: (case, m) for case, m in open_cases if (place := (m.entry.row, m.entry.column)) not in told}
    for group in groups:
        for wrong in group.mismatches:
            case, m = unknown.get((wrong.entry.row, wrong.entry.column), (None, None))
            base = None if case is None else case.own.get(wrong.entry.metric)
            if case is not None and m is not None and base is not None:
                found = describe_mismatch(wrong, m, base, f" on {describe_matches(group.matches)}", certain=False)
                yield replace(found, rule=MISMATCH, label=case.group.label)


def describe_group(group: Identified) -> str:
    """Say in a sentence where numbers come from."""
    said = [group.reason]
    if group.matches:
        one = len(group.matches) == 1
        what = "are those of" if one else f"fit {len(group.matches):,} sets of ranking tasks equally well:"
        clues = f"; {group.matches[0].agreeing} of {group.matches[0].total} clues agree" if one else ""
        said.append(f"its numbers {what} {describe_matches(group.matches)}{clues}.")
    if group.mismatches:
        wrong = f"{len(group.mismatches):,} of {len(group.checked):,} adjusted values"
        said.append(f"{wrong} do not belong to their base values.")
    return " ".join(filter(None, (*said, group.note)))


def describe_match(match: Match) -> dict[str, Any]:
    """Return a set of tasks as JSON has it: those with the same constants, and the evidence piece by piece."""
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
    names = {name: getattr(tasks, name) for name in NAMES}
    return names | {"relations": list(tasks.relations), "num_tasks": num_tasks}


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
